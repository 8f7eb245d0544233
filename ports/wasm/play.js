// SPDX-License-Identifier: MIT
// ports/wasm/play.js - main loop of the third page: the pointer, one game frame per sixtieth of a second, the picture.
//   reads   the modules embedded in the page, pointer, keys, buttons      writes  the page
//   memory  the module's, which cannot grow      cost  one play_frame and one play_draw per frame
//   after   own design; the order of the plays is that of ports/wasm/play.h
'use strict';
(() => {
const FRAME_MS = 1000 / 60, PLAYS = ['smoke', 'sheet'];
const HINTS = ['Stir the smoke with the ball.', 'Take hold of the cloth, pull, and tear it.'];
const NUMBERS = ['frame', 'units', 'owed', 'particles', 'count', 'x', 'y', 'held', 'speed', 'bytes'];
const COUNTED = ['vortons', 'broken threads'];
const element = id => document.getElementById(id);
const canvas = element('play'), brush = canvas.getContext('2d');
const grouped = new Intl.NumberFormat('en');
let tide = null, play = 0, pointer = [0.8, 0.4], isHeld = 0, last = 0, pictures = 0;
const timings = { frame: [], draw: [] };

function check(result) {
    if (result >= 0) return;
    element('alert').hidden = false;
    element('alert').textContent = 'The play stopped with the result ' + result + ': start it again.';
    play = -1;
}

function start(chosen) {
    play = chosen;
    element('alert').hidden = true;
    element('hint').textContent = HINTS[play];
    for (const [index, name] of PLAYS.entries()) element(name).setAttribute('aria-pressed', String(index === play));
    check(tide.play_start(play));
}

function note(name, begin) {
    timings[name].push(performance.now() - begin);
    if (timings[name].length > 120) timings[name].shift();
}

function draw(units) {
    const begin = performance.now();
    const pixels = new Uint8ClampedArray(tide.memory.buffer, tide.play_draw(), 4 * canvas.width * canvas.height);
    brush.putImageData(new ImageData(pixels, canvas.width, canvas.height), 0, 0);
    note('draw', begin);
    if (pictures++ % 10) return;
    const number = index => grouped.format(Math.round(tide.play_number(index)));
    element('figures').textContent = `${number(1)} of ${grouped.format(units)} units, ${number(3)} particles, ${number(4)} ${COUNTED[play]}`;
    element('hash').textContent = BigInt.asUintN(64, tide.play_hash()).toString(16).padStart(16, '0');
}

// A screen of a higher rate waits for the next sixtieth; after a pause nothing is made up for.
function loop(now) {
    requestAnimationFrame(loop);
    if (play < 0 || now - last < FRAME_MS - 1) return;
    last = now - last < 2 * FRAME_MS ? last + FRAME_MS : now;
    const units = Number(element('budget').value), begin = performance.now();
    check(tide.play_input(isHeld, ...pointer));
    if (play >= 0) check(tide.play_frame(units));
    note('frame', begin);
    if (play >= 0) draw(units);
}

function listen() {
    const follow = event => {
        const box = canvas.getBoundingClientRect();
        pointer = [(event.clientX - box.x) / box.width, 1 - (event.clientY - box.y) / box.height];
    };
    canvas.addEventListener('pointermove', follow);
    canvas.addEventListener('pointerdown', event => {
        follow(event);
        canvas.setPointerCapture(event.pointerId);
        isHeld = 1;
    });
    for (const name of ['pointerup', 'pointercancel', 'lostpointercapture']) canvas.addEventListener(name, () => isHeld = 0);
    for (const [index, name] of PLAYS.entries()) element(name).addEventListener('click', () => start(index));
    element('reset').addEventListener('click', () => start(Math.max(play, 0)));
    addEventListener('keydown', event => {
        if (event.repeat) return;
        if (event.key === '1' || event.key === '2') start(Number(event.key) - 1);
        if (event.key.toLowerCase() === 'r') start(Math.max(play, 0));
        const step = { ArrowLeft: [-0.04, 0], ArrowRight: [0.04, 0], ArrowUp: [0, 0.04], ArrowDown: [0, -0.04] }[event.key];
        if (step) pointer = pointer.map((place, axis) => Math.min(1, Math.max(0, place + step[axis])));
    });
}

const median = values => values.slice().sort((a, b) => a - b)[values.length >> 1];
startModule().then(exports => {
    tide = exports;
    start(0);
    listen();
    requestAnimationFrame(loop);
    window.tidepool = {
        numbers: () => Object.fromEntries(NUMBERS.map((name, index) => [name, tide.play_number(index)])),
        pictures: () => pictures,
        took: () => ({ frame: median(timings.frame), draw: median(timings.draw) }),
        memory: () => tide.memory.buffer.byteLength,
    };
}).catch(error => {
    element('alert').hidden = false;
    element('alert').textContent = error.message;
});
})();
