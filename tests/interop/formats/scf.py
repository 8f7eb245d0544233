# SPDX-License-Identifier: MIT
# tests/interop/formats/scf.py - packs and unpacks Houdini's .bgeo.sc files with the Blosc library.
#   reads   scf.py unpacks IN.bgeo.sc OUT.bgeo
#   writes  scf.py packs IN.bgeo FOLDER: FOLDER/FORM.bgeo.sc for each compressor, size of values and of chunks
#   memory  the file      cost  O(bytes)
#   after   the layout of the container; python3-blosc for what lies in it
import struct
import sys

import blosc


def unpack(data):
    assert data[:4] == b"scf1" and data[-4:] == b"1fcs"
    metadata, index = struct.unpack(">Q", data[4:12])[0], struct.unpack(">Q", data[-12:-4])[0]
    numbers = struct.unpack(f">{index // 8}Q", data[-12 - index:-12])
    start, end = 12 + metadata, len(data) - 12 - index
    offsets = [0, *numbers[:-2], end - start]
    parts = [blosc.decompress(data[start + a:start + b]) for a, b in zip(offsets, offsets[1:])]
    assert [len(part) for part in parts] == [numbers[-2]] * (len(parts) - 1) + [numbers[-1]]
    return b"".join(parts)


def pack(data, chunk, **form):
    parts = [blosc.compress(data[at:at + chunk], **form) for at in range(0, len(data), chunk)]
    offsets = [0]
    for part in parts:
        offsets.append(offsets[-1] + len(part))
    index = offsets[1:-1] + [chunk, len(data) - (len(parts) - 1) * chunk]
    return (b"scf1" + struct.pack(">Q", 5) + b"hello" + b"".join(parts) +
            struct.pack(f">{len(index) + 1}Q", *index, 8 * len(index)) + b"1fcs")


def main(work, path, target):
    data = open(path, "rb").read()
    if work == "unpacks":
        open(target, "wb").write(unpack(data))
        return
    for compressor in ("blosclz", "lz4", "lz4hc", "zlib", "zstd"):
        for size in (1, 4, 8, 17):
            for shuffle in (blosc.NOSHUFFLE, blosc.SHUFFLE):
                for chunk in (1 << 20, 777):
                    form = pack(data, chunk, typesize=size, clevel=9, shuffle=shuffle, cname=compressor)
                    open(f"{target}/{compressor}_{size}_{shuffle}_{chunk}.bgeo.sc", "wb").write(form)


main(*sys.argv[1:])
