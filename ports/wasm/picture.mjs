// SPDX-License-Identifier: MIT
// ports/wasm/picture.mjs PAGE FILE - a screenshot of a page after some simulated frames, for the README.
//   reads   PAGE, tidepool.html or game.html as ports/wasm/build makes it      writes  FILE, a PNG picture
//   memory  that of the browser      cost  some seconds
//   after   own design
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Browser, findBrowser } from './browser.mjs';

const [page, file] = process.argv.slice(2);
const isGame = page.endsWith('game.html');
const FRAMES = isGame ? 220 : 110; // the gate is open for a while; the two columns have met
const shape = { width: isGame ? 680 : 960, height: isGame ? 445 : 660, isDark: false };
const name = findBrowser();
if (!name) {
    console.error('ports/wasm/picture.mjs: not installed: chromium (packages: chromium)');
    process.exit(1);
}
const browser = new Browser(name);
await browser.open(pathToFileURL(resolve(page)).href, shape);
if (isGame && await browser.until(`typeof tidepool === 'object' && tidepool.numbers().frame >= 60`, 120000)) await browser.key('g', 'KeyG', 'g');
const shows = await browser.until(`typeof tidepool === 'object' && tidepool.numbers().frame >= ${FRAMES}`, 120000);
if (shows) writeFileSync(file, await browser.screenshot());
await browser.close();
if (!shows) {
    console.error(`ports/wasm/picture.mjs: ${page} did not simulate ${FRAMES} frames in two minutes`);
    process.exit(1);
}
