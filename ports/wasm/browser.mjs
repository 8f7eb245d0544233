// SPDX-License-Identifier: MIT
// ports/wasm/browser.mjs - controls a headless Chromium through its debugging pipe, without a network port or a package.
//   reads   the browser's answers      writes  a profile folder, removed at the end
//   memory  little      cost  that of the browser
//   after   the DevTools protocol: JSON messages, each terminated by a zero byte, on the browser's descriptors 3 and 4
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';

export const wait = milliseconds => new Promise(done => setTimeout(done, milliseconds));

// The first usual name of a browser that runs, or null.
export function findBrowser() {
    const names = [process.env.CHROMIUM, 'chromium', 'chromium-browser', 'google-chrome'].filter(Boolean);
    return names.find(name => spawnSync(name, ['--version'], { timeout: 60000 }).status === 0) || null;
}

export class Browser {
    constructor(name) {
        this.profile = mkdtempSync(join(tmpdir(), 'tidepool-page-'));
        this.process = spawn(name, ['--headless=new', '--remote-debugging-pipe', '--no-sandbox', '--no-first-run',
            '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync',
            '--disable-extensions', '--hide-scrollbars', '--user-data-dir=' + this.profile, 'about:blank'],
        { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
        this.waiting = new Map();
        this.faults = []; // errors that the page reported
        this.number = 0;
        let rest = '';
        this.process.stdio[4].setEncoding('utf8').on('data', text => {
            const messages = (rest + text).split('\0');
            rest = messages.pop();
            for (const message of messages) this.take(JSON.parse(message));
        });
    }

    take(message) {
        const { id, method, params } = message;
        if (id !== undefined) {
            const { done, failed } = this.waiting.get(id);
            this.waiting.delete(id);
            if (message.error) failed(new Error(JSON.stringify(message.error)));
            else done(message.result);
        } else if (method === 'Runtime.exceptionThrown') {
            this.faults.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
        } else if (method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(params.type)) {
            this.faults.push(params.args.map(one => one.value ?? one.description).join(' '));
        } else if (method === 'Log.entryAdded' && params.entry.level === 'error') {
            this.faults.push(params.entry.text);
        }
    }

    send(method, params = {}) {
        const id = ++this.number;
        this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId: this.session }) + '\0');
        return new Promise((done, failed) => this.waiting.set(id, { done, failed }));
    }

    async open(address, settings) {
        const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
        this.session = (await this.send('Target.attachToTarget', { targetId, flatten: true })).sessionId;
        for (const part of ['Runtime', 'Log', 'Page']) await this.send(part + '.enable');
        await this.shape(settings);
        await this.send('Page.navigate', { url: address });
    }

    async shape({ width, height, density = 1, isDark = true, isPhone = false }) {
        await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: density, mobile: isPhone });
        await this.send('Emulation.setTouchEmulationEnabled', { enabled: isPhone });
        await this.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: isDark ? 'dark' : 'light' }] });
    }

    async evaluate(expression) {
        const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
        if (exceptionDetails) throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
        return result.value;
    }

    // Waits until the expression is true; returns false after `milliseconds`.
    async until(expression, milliseconds) {
        for (const end = Date.now() + milliseconds; Date.now() < end; await wait(50))
            if (await this.evaluate(expression)) return true;
        return false;
    }

    mouse(type, x, y) {
        return this.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', buttons: type === 'mouseReleased' ? 0 : 1, clickCount: 1 });
    }

    async key(key, code, text) {
        const event = { key, code, windowsVirtualKeyCode: { ' ': 32, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39 }[key] || key.toUpperCase().charCodeAt(0) };
        await this.send('Input.dispatchKeyEvent', { type: 'keyDown', text, ...event });
        await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
    }

    async screenshot() {
        return Buffer.from((await this.send('Page.captureScreenshot', { format: 'png' })).data, 'base64');
    }

    // Helper processes may still write to the profile shortly after the browser has ended.
    async close() {
        const gone = new Promise(done => this.process.once('exit', done));
        this.session = undefined;
        this.send('Browser.close').catch(() => {});
        if (await Promise.race([gone.then(() => true), wait(10000)]) !== true) this.process.kill('SIGKILL');
        for (let tries = 0; tries < 20; tries++, await wait(200)) {
            try {
                return rmSync(this.profile, { recursive: true, force: true });
            } catch (error) {
                if (error.code !== 'ENOTEMPTY') throw error;
            }
        }
    }
}

// Decodes PNG as browsers write it: 8 bits per channel, 3 or 4 channels, not interlaced.
export function readPng(bytes) {
    const parts = [];
    let at = 8, width = 0, height = 0, channels = 0;
    while (at < bytes.length) {
        const size = bytes.readUInt32BE(at), name = bytes.toString('latin1', at + 4, at + 8), data = bytes.subarray(at + 8, at + 8 + size);
        if (name === 'IHDR') [width, height, channels] = [data.readUInt32BE(0), data.readUInt32BE(4), { 2: 3, 6: 4 }[data[9]]];
        if (name === 'IDAT') parts.push(data);
        at += size + 12;
    }
    const packed = inflateSync(Buffer.concat(parts)), stride = width * channels, pixels = Buffer.alloc(stride * height);
    for (let y = 0; y < height; y++) {
        const filter = packed[y * (stride + 1)];
        for (let x = 0; x < stride; x++) {
            const left = x >= channels ? pixels[y * stride + x - channels] : 0;
            const above = y ? pixels[(y - 1) * stride + x] : 0;
            const corner = x >= channels && y ? pixels[(y - 1) * stride + x - channels] : 0;
            const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter];
            pixels[y * stride + x] = packed[y * (stride + 1) + 1 + x] + guess;
        }
    }
    return { width, height, at: (x, y) => pixels.subarray(y * stride + x * channels, y * stride + x * channels + 3) };
}

function paeth(left, above, corner) {
    const guess = left + above - corner;
    const far = [left, above, corner].map(one => Math.abs(guess - one));
    return far[0] <= far[1] && far[0] <= far[2] ? left : far[1] <= far[2] ? above : corner;
}
