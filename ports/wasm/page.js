// SPDX-License-Identifier: MIT
// ports/wasm/page.js - main loop of the page: simulates and draws frames; the visitor can stir, limit the budget, and rewind.
//   reads   the modules embedded in the page, pointer, keys, sliders      writes  the page
//   memory  the module's, which cannot grow; a few numbers per frame of the chart      cost  one page_frame and one page_draw per frame
//   after   own design; NUMBERS has the names of page_number in page.h, in the same order
'use strict';
(() => {
const NUMBERS = ['frame', 'first', 'last', 'particles', 'units', 'grid', 'pairs', 'forces', 'move', 'record', 'slice',
    'sliceBound', 'steps', 'owed', 'dropped', 'coarsened', 'restores', 'stickX', 'stickY', 'stickRadius', 'width', 'height',
    'worldBytes', 'cacheBytes', 'ringUsed', 'ringBytes'];
const SERIES = ['pairs', 'forces', 'grid', 'move', 'record']; // series of the chart, from the bottom
const FRAME_MS = 1000 / 60;
const CHART_FRAMES = 120;
const PICTURE_PIXELS = 400000; // below PAGE_PIXELS_MAX of page.h
const POLICIES = [
    'Goes on next frame, and catches up.',
    'As carry, in fewer, longer steps.',
    'As carry, but gives up the time owed.',
];
const element = id => document.getElementById(id);
const canvas = element('tank');
const brush = canvas.getContext('2d');
const chart = element('chart');
const dark = matchMedia('(prefers-color-scheme: dark)');
const grouped = new Intl.NumberFormat('en', { useGrouping: true, maximumFractionDigits: 0 });
const count = value => grouped.format(value).replaceAll(',', '\u202f');
const mebibytes = bytes => (bytes / 1048576).toFixed(1) + ' MiB';

let tide = null;          // the module's exports
let memoryBytes = 0;      // size at the start
let numbers = {};
let mode = 'run';         // 'run', 'rest' (paused), 'past' (while the rewind slider is held)
let modeAfter = 'run';    // mode after the slider is released
let history = [];         // frames of the chart, oldest first
let quality = 1;          // scale of the drawn picture's sides
let timings = { frame: 0, draw: 0, rate: 60, speed: 1 };
let colours = {};
let hovered = -1;
let texts = 0;
let isTouched = matchMedia('(prefers-reduced-motion: reduce)').matches; // until touched, the ball moves by itself

// ---- modules ----

// Runs in a worker, without other code of the page: page_proof and page_golden of both modules, each with its own memory.
function proveInWorker() {
    const hex = value => BigInt.asUintN(64, value).toString(16).padStart(16, '0');
    onmessage = async event => {
        for (const [name, bytes] of Object.entries(event.data)) {
            try {
                const { instance } = await WebAssembly.instantiate(bytes, {});
                for (const proof of ['golden', 'proof']) {
                    const begin = performance.now();
                    const hash = hex(instance.exports['page_' + proof]());
                    postMessage({ proof, name, hash, milliseconds: performance.now() - begin });
                }
            } catch (error) {
                for (const proof of ['golden', 'proof']) postMessage({ proof, name, hash: '', error: String(error) });
            }
        }
        postMessage({ name: '' });
    };
}

let modules = {};
function prove() {
    const source = new Blob([`'use strict';(${proveInWorker})()`], { type: 'text/javascript' });
    const worker = new Worker(URL.createObjectURL(source));
    element('prove').disabled = true;
    for (const place of document.querySelectorAll('.proof')) {
        place.textContent = 'running …';
        place.className = 'proof';
    }
    worker.onmessage = event => {
        const { proof, name, hash, milliseconds } = event.data;
        if (name === '') {
            worker.terminate();
            element('prove').disabled = false;
            return;
        }
        const place = element(`${proof}_${name}`), isGood = hash === element(proof + '_table').textContent;
        place.textContent = (hash || 'cannot run') + (isGood ? ' ✓' : ' ✗');
        place.title = isGood ? `in ${milliseconds.toFixed(0)} ms` : event.data.error || 'differs';
        place.classList.add(isGood ? 'is_good' : 'is_bad');
    };
    worker.postMessage(modules);
}

// ---- the tank ----

function read() {
    const values = new Float64Array(tide.memory.buffer, tide.page_numbers(), NUMBERS.length);
    for (let i = 0; i < NUMBERS.length; i++) numbers[NUMBERS[i]] = values[i];
}

function textAt(address) {
    const bytes = new Uint8Array(tide.memory.buffer, address);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
}

function fail(text) {
    element('alert').textContent = text;
    element('alert').hidden = false;
    setStatus('bad', 'stopped');
    mode = 'rest';
}

function check(result) {
    if (result < 0) fail(textAt(tide.page_text(result)));
    return result >= 0;
}

const policy = () => Number(document.querySelector('input[name=policy]:checked').value);

// The tank has the aspect ratio of the available space.
function shapeOfStage() {
    const { clientWidth, clientHeight } = element('stage');
    return Math.round(Math.min(2400, Math.max(600, clientWidth / clientHeight * 1000)));
}

function start() {
    history = [];
    if (!element('alert').hidden) { // clear the message of an earlier failure
        element('alert').hidden = true;
        mode = 'run';
        showSettings();
    }
    if (!check(tide.page_start(Number(element('particles').value), shapeOfStage(), policy()))) return;
    check(tide.page_frame(0)); // emits the fluid
    read();
    layout();
    show();
}

function layout() {
    const stage = element('stage'), shape = numbers.width / numbers.height;
    const width = Math.floor(Math.min(stage.clientWidth, stage.clientHeight * shape)), height = Math.floor(width / shape);
    canvas.style.width = width + 'px';
    canvas.style.height = height + 'px';
    const density = Math.min(devicePixelRatio, Math.sqrt(PICTURE_PIXELS / (width * height))) * quality;
    canvas.width = Math.max(2, Math.floor(width * density));
    canvas.height = Math.max(2, Math.floor(height * density));
    const ratio = Math.min(2, devicePixelRatio);
    chart.width = Math.round(chart.clientWidth * ratio);
    chart.height = Math.round(chart.clientHeight * ratio);
    const style = getComputedStyle(document.documentElement);
    for (const name of ['text', 'quiet', 'line', 'warn', 'ball', 'ball_light', 'ball_dark', ...SERIES.map(one => 'series_' + one)])
        colours[name] = style.getPropertyValue('--' + name).trim();
}

// Until a visitor takes the ball, it moves in and out of the fluid on a path that does not repeat.
function stirAlone() {
    const seconds = numbers.frame / 60;
    tide.page_stick(numbers.width * (0.5 + 0.34 * Math.sin(seconds * 1.3)), numbers.height * (0.5 + 0.3 * Math.cos(seconds * 2.1)));
}

function takeBall() {
    isTouched = true;
    element('hint').classList.add('is_done');
}

function frame() {
    if (!isTouched) stirAlone();
    const before = numbers.frame, begin = performance.now();
    if (!check(tide.page_frame(Number(element('budget').value)))) return;
    smooth('frame', performance.now() - begin);
    read();
    smooth('speed', numbers.frame - before, 0.03);
    history.push({ ...numbers, budget: Number(element('budget').value) });
    if (history.length > CHART_FRAMES) history.shift();
}

function smooth(name, value, share = 0.06) { timings[name] += (value - timings[name]) * share; }

// ---- pictures ----

function drawTank() {
    const begin = performance.now(), { width, height } = canvas;
    const address = tide.page_draw(width, height, dark.matches ? 1 : 0);
    if (!address) return fail('the picture is larger than its memory');
    brush.putImageData(new ImageData(new Uint8ClampedArray(tide.memory.buffer, address, width * height * 4), width, height), 0, 0);
    drawBall(width / numbers.width, height);
    smooth('draw', performance.now() - begin);
}

function drawBall(scale, height) {
    const x = numbers.stickX * scale, y = height - numbers.stickY * scale, radius = numbers.stickRadius * scale;
    const light = brush.createRadialGradient(x - radius * 0.35, y - radius * 0.4, radius * 0.05, x, y, radius);
    light.addColorStop(0, colours.ball_light);
    light.addColorStop(0.45, colours.ball);
    light.addColorStop(1, colours.ball_dark);
    brush.fillStyle = light;
    brush.beginPath();
    brush.arc(x, y, radius, 0, 2 * Math.PI);
    brush.fill();
}

function drawChart() {
    const pen = chart.getContext('2d'), { width, height } = chart, ratio = width / chart.clientWidth;
    const budget = Number(element('budget').value);
    const most = history.reduce((high, one) => Math.max(high, one.units), budget) * 1.24;
    const column = width / CHART_FRAMES, y = units => height - units / most * height;
    pen.clearRect(0, 0, width, height);
    history.forEach((one, i) => {
        const left = Math.round((i + CHART_FRAMES - history.length) * column);
        const right = Math.round((i + 1 + CHART_FRAMES - history.length) * column) - (column > 3 ? 1 : 0);
        let from = 0;
        for (const name of SERIES) {
            pen.fillStyle = colours['series_' + name];
            pen.globalAlpha = hovered < 0 || hovered === i ? 1 : 0.45;
            pen.fillRect(left, y(from + one[name]), right - left, y(from) - y(from + one[name]));
            from += one[name];
        }
        pen.globalAlpha = 1;
        if (one.owed > 0.01 || one.units >= one.budget) { // the frame exceeded its budget
            pen.fillStyle = colours.warn;
            pen.fillRect(left, 0, right - left, 3 * ratio);
        }
    });
    const line = Math.round(y(budget)) + 0.5;
    pen.strokeStyle = colours.text;
    pen.lineWidth = ratio;
    pen.setLineDash([4 * ratio, 3 * ratio]);
    pen.beginPath();
    pen.moveTo(0, line);
    pen.lineTo(width, line);
    pen.stroke();
    pen.fillStyle = colours.quiet;
    pen.font = `${11 * ratio}px system-ui, sans-serif`;
    pen.textAlign = 'right';
    if (line > 16 * ratio) pen.fillText('budget', width, line - 4 * ratio);
}

// ---- texts ----

function setStatus(state, text) {
    if (element('status_text').textContent === text) return;
    element('status').dataset.state = state;
    element('status_text').textContent = text;
}

function showStatus() {
    const speed = Math.round(timings.speed * 100);
    const recent = history.slice(-40), gave = recent.length ? numbers.dropped - recent[0].dropped : 0;
    const longer = recent.length ? numbers.coarsened - recent[0].coarsened : 0;
    if (mode === 'past') setStatus('rest', `${((numbers.last - numbers.frame) / 60).toFixed(1)} s ago`);
    else if (mode === 'rest') setStatus('rest', 'paused');
    else if (gave > 0.5) setStatus('warn', `over budget: time at ${speed} %`);
    else if (longer > 0) setStatus('warn', 'over budget: longer steps');
    else if (numbers.owed > 0.01) setStatus('warn', `over budget: ${numbers.owed.toFixed(0)} frames behind`);
    else setStatus('good', 'within budget');
}

function showLegend(one) {
    for (const name of SERIES) element('legend_' + name).textContent = (one[name] / 1000).toFixed(one[name] < 9950 ? 1 : 0) + 'k';
    element('units').textContent = count(one.units);
    element('budget_figure').textContent = count(one.budget || Number(element('budget').value));
}

function showRewind() {
    const slider = element('rewind'), back = (numbers.frame - numbers.last) / 60;
    slider.min = Math.min(-1, numbers.first - numbers.last);
    if (mode !== 'past') slider.value = numbers.frame - numbers.last;
    const text = numbers.frame === numbers.last ? 'now' : `${(-back).toFixed(2)} s ago`;
    element('rewind_text').textContent = `${text} · ${((numbers.last - numbers.first) / 60).toFixed(1)} s kept`;
    slider.setAttribute('aria-valuetext', text);
    fill(slider);
}

function showFacts() {
    const bytes = tide.memory.buffer.byteLength;
    element('hash').textContent = hexadecimal(tide.page_hash());
    element('memory').textContent = `${mebibytes(bytes)}, fixed` + (bytes === memoryBytes ? '' : ' no more');
    element('ring').textContent = `${count(numbers.last - numbers.first + 1)} in ${mebibytes(numbers.ringUsed)} of ${mebibytes(numbers.ringBytes)}`;
    element('slice').textContent = `${count(numbers.slice)} units, bound ${count(numbers.sliceBound)}`;
    element('rate').textContent = `${timings.rate.toFixed(0)} pictures a second, time at ${Math.round(timings.speed * 100)} %`;
    element('took').textContent = `${timings.frame.toFixed(1)} ms to work, ${timings.draw.toFixed(1)} ms to draw`;
}

function hexadecimal(hash) { return BigInt.asUintN(64, hash).toString(16).padStart(16, '0'); }

function fill(slider) {
    const share = (slider.value - slider.min) / (slider.max - slider.min) * 100;
    slider.style.setProperty('--share', share + '%');
}

function showSettings() {
    element('budget_text').textContent = count(Number(element('budget').value)) + ' units per frame';
    element('particles_text').textContent = count(Number(element('particles').value));
    element('policy_text').textContent = POLICIES[policy()];
    fill(element('budget'));
    fill(element('particles'));
    const isResting = mode === 'rest';
    element('pause').setAttribute('aria-pressed', isResting);
    element('pause_text').textContent = isResting ? 'Go on' : 'Pause';
}

// Updates everything; texts for reading only every fourth time, unless `isEvery`.
function show(isEvery = true) {
    drawTank();
    drawChart();
    showRewind();
    if (!isEvery) return;
    const one = hovered >= 0 && history[hovered] ? history[hovered] : history[history.length - 1] || numbers;
    showLegend(one);
    showStatus();
    showFacts();
}

// ---- the loop ----

let before = 0, owed = 0;
function tick(now) {
    requestAnimationFrame(tick);
    const passed = Math.min(100, now - before);
    before = now;
    if (passed > 0) smooth('rate', 1000 / passed, 0.03);
    if (mode !== 'run') return;
    owed = Math.min(owed + passed, 2 * FRAME_MS);
    const begin = performance.now();
    let frames = 0;
    for (; owed > FRAME_MS * 0.6 && mode === 'run'; owed -= FRAME_MS, frames++) frame();
    if (frames === 0) return;
    show(texts++ % 4 === 0);
    if (history.length) history[history.length - 1].took = (performance.now() - begin) / frames;
    if (texts % 60 === 0) adapt();
}

// Reduces the resolution if drawing is slow.
function adapt() {
    const wanted = timings.draw > 9 ? Math.max(0.4, quality * 0.8) : timings.draw < 4 ? Math.min(1, quality * 1.25) : quality;
    if (wanted === quality) return;
    quality = wanted;
    layout();
}

function setMode(next) {
    mode = next;
    showSettings();
    show();
}

function togglePause() {
    letPastGo();
    setMode(mode === 'run' ? 'rest' : 'run');
}

function step() {
    letPastGo();
    frame();
    setMode('rest');
}

// ---- rewind ----

function goTo(back) {
    read();
    const wanted = Math.max(numbers.first, numbers.last + Number(back));
    if (check(tide.page_rewind(wanted, 0))) {
        read();
        show();
    }
}

function holdPast() {
    if (mode === 'past') return;
    modeAfter = mode;
    mode = 'past';
}

function letPastGo() {
    if (mode !== 'past') return;
    if (!check(tide.page_rewind(numbers.frame, 1))) return;
    read();
    timings.speed = 1;
    setMode(modeAfter);
}

// ---- input ----

function stir(event) {
    const box = canvas.getBoundingClientRect();
    tide.page_stick((event.clientX - box.left) / box.width * numbers.width,
        (box.bottom - event.clientY) / box.height * numbers.height);
    takeBall();
}

function stirByKey(event) {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!way) return;
    const far = numbers.stickRadius * 2.5;
    tide.page_stick(numbers.stickX + way[0] * far, numbers.stickY + way[1] * far);
    takeBall();
    event.preventDefault();
}

function listenToTank() {
    canvas.addEventListener('pointerdown', event => {
        if (event.button !== 0) return;
        canvas.setPointerCapture(event.pointerId);
        canvas.classList.add('is_held');
        stir(event);
    });
    canvas.addEventListener('pointermove', event => { if (canvas.hasPointerCapture(event.pointerId)) stir(event); });
    for (const end of ['pointerup', 'pointercancel'])
        canvas.addEventListener(end, () => canvas.classList.remove('is_held'));
    canvas.addEventListener('keydown', stirByKey);
}

function listenToRewind() {
    const slider = element('rewind');
    slider.addEventListener('input', () => {
        holdPast();
        goTo(slider.value);
    });
    // The slider is released when a key comes up, or with the `change` event of a pointer.
    let hasKey = false;
    slider.addEventListener('keydown', event => { hasKey = event.key !== 'Tab'; });
    slider.addEventListener('keyup', () => { hasKey = false; letPastGo(); });
    slider.addEventListener('change', () => { if (!hasKey) letPastGo(); });
    slider.addEventListener('blur', letPastGo);
}

function listenToKeys() {
    addEventListener('keydown', event => {
        if (event.ctrlKey || event.metaKey || event.altKey || event.repeat && event.key === ' ') return;
        const isOnButton = event.target instanceof HTMLButtonElement;
        const isOnChoice = event.target instanceof HTMLInputElement && event.target.type === 'radio';
        if (event.key === ' ' && !isOnButton && !isOnChoice) {
            togglePause();
            event.preventDefault();
        } else if (event.key === 's' || event.key === '.') step();
        else if (event.key === 'r') start();
    });
}

function listenToChart() {
    chart.addEventListener('pointermove', event => {
        const box = chart.getBoundingClientRect();
        hovered = Math.floor((event.clientX - box.left) / box.width * CHART_FRAMES) - CHART_FRAMES + history.length;
        if (mode !== 'run') show();
    });
    chart.addEventListener('pointerleave', () => {
        hovered = -1;
        if (mode !== 'run') show();
    });
}

function listen() {
    listenToTank();
    listenToRewind();
    listenToKeys();
    listenToChart();
    element('pause').addEventListener('click', togglePause);
    element('step').addEventListener('click', step);
    element('reset').addEventListener('click', start);
    element('prove').addEventListener('click', prove);
    element('budget').addEventListener('input', () => { showSettings(); show(); });
    element('particles').addEventListener('input', () => { showSettings(); start(); });
    for (const radio of document.querySelectorAll('input[name=policy]'))
        radio.addEventListener('change', () => {
            letPastGo();
            if (check(tide.page_overload(policy()))) read();
            showSettings();
        });
    dark.addEventListener('change', () => { layout(); show(); });
    let waiting = 0;
    addEventListener('resize', () => {
        layout();
        show();
        clearTimeout(waiting);
        const turned = Math.abs(Math.log(shapeOfStage() / 1000 / (numbers.width / numbers.height))) > 0.15;
        if (turned) waiting = setTimeout(start, 250);
    });
}

function makeLegend() {
    const names = { pairs: 'pairs', forces: 'forces', grid: 'grid', move: 'move', record: 'record' };
    element('legend').innerHTML = SERIES.map(name =>
        `<li><span><i style="background:var(--series_${name})"></i>${names[name]}</span><b id="legend_${name}"></b></li>`).join('');
}

async function main() {
    if (typeof WebAssembly !== 'object' || typeof DecompressionStream !== 'function')
        return fail('This browser has no WebAssembly or cannot unpack it: a newer one is needed.');
    modules = { simd: await unpackModule('module_simd'), scalar: await unpackModule('module_scalar') };
    const hasVectors = WebAssembly.validate(modules.simd);
    const { instance } = await WebAssembly.instantiate(hasVectors ? modules.simd : modules.scalar, {});
    tide = instance.exports;
    memoryBytes = tide.memory.buffer.byteLength;
    element('proof_table').textContent = hexadecimal(tide.page_proof_hash());
    element('golden_table').textContent = hexadecimal(tide.page_golden_hash());
    element('golden_name').textContent = textAt(tide.page_golden_name());
    makeLegend();
    showSettings();
    start();
    listen();
    prove();
    // Read-only access for tests.
    globalThis.tidepool = {
        numbers: () => { read(); return { ...numbers }; },
        timings: () => ({ ...timings, quality, pixels: canvas.width * canvas.height }),
        mode: () => mode,
        hash: () => String(tide.page_hash()), // decimal; the page shows hexadecimal
        took: () => history.filter(one => one.took !== undefined).map(one => one.took), // ms per frame, for the frames of the chart
        memory: () => tide.memory.buffer.byteLength,
        hasVectors,
    };
    before = performance.now();
    requestAnimationFrame(tick);
}

main().catch(error => fail(String(error)));
})();
