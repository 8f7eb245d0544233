// SPDX-License-Identifier: MIT
// ports/wasm/module.js - the modules that a page contains: unpacks them, and starts the first that the browser can run.
//   reads   elements of the page      writes  nothing
//   memory  the modules      cost  some milliseconds
//   after   own design; modules are compressed with gzip, as base64
'use strict';
async function unpackModule(id) {
    const text = document.getElementById(id).textContent.replace(/\s/g, '');
    const packed = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

// The exports of the module with vectors, or of the scalar one where the browser has none.
async function startModule() {
    for (const id of ['module_simd', 'module_scalar']) {
        const made = await WebAssembly.instantiate(await unpackModule(id), {}).catch(() => null);
        if (made) return made.instance.exports;
    }
    throw new Error('This browser has no WebAssembly or cannot unpack it: a newer one is needed.');
}
