// SPDX-License-Identifier: MIT
// ports/wasm/run.mjs FILE - runs a program of ports/ built as WebAssembly; its result is the exit code.
//   reads   FILE      writes  the program's output
//   memory  the module's declared memory, which must not grow      cost  that of the program
//   after   own design
import { readFileSync, writeSync } from 'node:fs';

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const decoder = new TextDecoder();
const instance = new WebAssembly.Instance(module, {
    port: {
        text: (at, size) => writeSync(1, decoder.decode(new Uint8Array(instance.exports.memory.buffer, at, size))),
    },
});
const bytes = instance.exports.memory.buffer.byteLength;
let code = instance.exports.port_main();
if (instance.exports.memory.buffer.byteLength !== bytes) {
    writeSync(1, 'memory has grown\n');
    code = 1;
}
process.exitCode = code;
