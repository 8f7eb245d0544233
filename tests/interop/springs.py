# SPDX-License-Identifier: MIT
# tests/interop/springs.py - an independent reader of the fluid springs in an uncompressed point cache.
#   reads   python3 springs.py FOLDER NAME POINTS: FOLDER/NAME_FFFFFF_00.bphys
#   writes  one line per frame with springs: frame, count, and for each spring first-second:rest
#           length:deleted
#   memory  one file      cost  O(bytes)
#   after   the layout of the extra data; exit 0 if there are springs and all are valid, else 1
import glob
import os
import struct
import sys

RECORD = {0: 4, 1: 12, 2: 12, 3: 16, 4: 12, 5: 4, 6: 12, 7: 20}  # bytes per record of each stream


def springs_of(path):
    with open(path, "rb") as stream:
        data = stream.read()
    if data[:8] != b"BPHYSICS":
        raise ValueError("no point cache: " + path)
    kind, count, streams = struct.unpack_from("<III", data, 8)
    if kind & 0x10000:
        raise ValueError("compressed: " + path)
    at = 20 + count * sum(size for bit, size in RECORD.items() if streams >> bit & 1)
    if not kind & 0x20000:
        return []
    what, count = struct.unpack_from("<II", data, at)
    if what != 1 or at + 8 + 16 * count != len(data):
        raise ValueError(f"{path}: extra data of type {what}, {count} of them, end at {at + 8 + 16 * count} of {len(data)}")
    return [struct.unpack_from("<fIII", data, at + 8 + 16 * i) for i in range(count)]


def is_sound(springs, points):
    return all(
        rest > 0 and first != second and max(first, second) < points and deleted in (0, 1)
        for rest, first, second, deleted in springs)


def main():
    folder, name, points = sys.argv[1:]
    total = 0
    for path in sorted(glob.glob(os.path.join(folder, name + "_??????_00.bphys"))):
        frame = int(path[-15:-9])
        springs = springs_of(path)
        if not is_sound(springs, int(points)):
            print("not sound:", path)
            return 1
        if frame and springs:
            total += len(springs)
            print(frame, len(springs), *(f"{first}-{second}:{rest.hex()}:{gone}" for rest, first, second, gone in springs))
    return 0 if total else 1


sys.exit(main())
