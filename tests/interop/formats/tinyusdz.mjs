// SPDX-License-Identifier: MIT
// tests/interop/formats/tinyusdz.mjs - reads USD files with TinyUSDZ and writes them as its text.
//   reads   FOLDER/node_modules/tinyusdz, IN      writes  OUT.usda
//   memory  WebAssembly      cost  a second
//   after   own design: tinyusdz.mjs FOLDER IN OUT.usda. The npm package is built for browsers: Node.js looks like one
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, input, output] = process.argv.slice(2);
const package_ = `${folder}/node_modules/tinyusdz/tinyusdz`;
process.type = "renderer";
globalThis.window = globalThis.self = globalThis;
globalThis.document = { currentScript: null, baseURI: "file:///" };
globalThis.location = { href: "file:///" };
const open = (await import(pathToFileURL(`${package_}.js`))).default;
const native = await open({ wasmBinary: fs.readFileSync(`${package_}.wasm`) });
const loader = new native.TinyUSDZLoaderNative();
if (!loader.loadAsLayerFromBinary(new Uint8Array(fs.readFileSync(input)), input)) throw new Error(loader.error());
fs.writeFileSync(output, loader.layerToString());
