// SPDX-License-Identifier: MIT
// ports/wasm/game.js - main loop of the second page: input, one game frame per sixtieth of a second, the picture.
//   reads   the modules embedded in the page, pointer, keys, buttons      writes  the page
//   memory  the module's, which cannot grow      cost  one game_page_frame and one game_page_draw per frame
//   after   own design; the bits of the buttons are those of ports/examples/game/game.h
'use strict';
(() => {
const PUMP = 1, GATE = 2, DROP = 4, REWIND = 8, FRAME_MS = 1000 / 60;
const NUMBERS = ['frame', 'units', 'owed', 'particles', 'energy', 'boatX', 'boatY'];
const element = id => document.getElementById(id);
const canvas = element('game'), brush = canvas.getContext('2d');
const grouped = new Intl.NumberFormat('en');
let tide = null, buttons = PUMP, held = 0, paddle = [128, 190], last = 0, pictures = 0;

function check(result) {
    if (result >= 0) return;
    element('alert').hidden = false;
    element('alert').textContent = 'The game stopped with the result ' + result + ': reload the page.';
    tide = null;
}

function draw(units) {
    const pixels = new Uint8ClampedArray(tide.memory.buffer, tide.game_page_draw(units), 4 * canvas.width * canvas.height);
    brush.putImageData(new ImageData(pixels, canvas.width, canvas.height), 0, 0);
    const owed = tide.game_page_number(2);
    element('figures').textContent = `${grouped.format(tide.game_page_number(1))} of ${grouped.format(units)} units` + (owed ? `, ${owed} owed` : '');
    pictures++;
}

// A screen of a higher rate waits for the next sixtieth; after a pause nothing is made up for.
function loop(now) {
    requestAnimationFrame(loop);
    if (!tide || now - last < FRAME_MS - 1) return;
    last = now - last < 2 * FRAME_MS ? last + FRAME_MS : now;
    const units = Number(element('budget').value);
    tide.game_page_input(buttons | held, paddle[0], paddle[1]);
    held &= ~DROP;
    check(tide.game_page_frame(units));
    if (tide) draw(units);
}

function toggle(id, bit) {
    buttons ^= bit;
    element(id).setAttribute('aria-pressed', String((buttons & bit) !== 0));
}

function listen() {
    canvas.addEventListener('pointermove', event => {
        const box = canvas.getBoundingClientRect(), inside = share => Math.round(255 * Math.min(1, Math.max(0, share)));
        paddle = [inside((event.clientX - box.x) / box.width), inside(1 - (event.clientY - box.y) / box.height)];
    });
    element('pump').addEventListener('click', () => toggle('pump', PUMP));
    element('gate').addEventListener('click', () => toggle('gate', GATE));
    element('boat').addEventListener('click', () => held |= DROP);
    element('rewind').addEventListener('pointerdown', () => held |= REWIND);
    for (const name of ['pointerup', 'pointercancel', 'blur']) addEventListener(name, () => held &= ~REWIND);
    addEventListener('keydown', event => {
        const key = event.key.toLowerCase();
        if (key === 'r') held |= REWIND;
        if (event.repeat) return;
        if (key === 'p') toggle('pump', PUMP);
        if (key === 'g') toggle('gate', GATE);
        if (key === 'b') held |= DROP;
    });
    addEventListener('keyup', event => { if (event.key.toLowerCase() === 'r') held &= ~REWIND; });
}

async function start() {
    tide = await startModule();
    check(tide.game_page_start());
    listen();
    requestAnimationFrame(loop);
    window.tidepool = {
        numbers: () => Object.fromEntries(NUMBERS.map((name, index) => [name, tide.game_page_number(index)])),
        pictures: () => pictures,
    };
}
start().catch(error => {
    element('alert').hidden = false;
    element('alert').textContent = error.message;
});
})();
