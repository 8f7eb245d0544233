// SPDX-License-Identifier: MIT
// ports/wasm/sections.mjs - bytes of code and constants in a WebAssembly object.
//   reads   the object      writes  a line: total bytes of the code and data sections
//   memory  the object            cost    O(sections)
//   after   own design; WebAssembly core specification, 5.5: a section is its id, its length, its bytes
import { readFileSync } from "node:fs";

const bytes = readFileSync(process.argv[2]);
let at = 8, sum = 0; // behind the magic and the version

function number() {
    let value = 0, shift = 0, byte;
    do {
        byte = bytes[at++];
        value += (byte & 127) * 2 ** shift;
        shift += 7;
    } while (byte & 128);
    return value;
}

while (at < bytes.length) {
    const id = bytes[at++], length = number();
    if (id === 10 || id === 11) sum += length; // code, data
    at += length;
}
console.log(sum);
