# SPDX-License-Identifier: MIT
# tests/interop/formats/crate.py - independent reader and writer of .usdc, for second.py.
#   reads   bytes of one file      writes  bytes
#   memory  all of it              cost    seconds
#   after   the source of OpenUSD: crateFile.cpp, integerCoding.cpp. Written without the tool's own code; unlike that,
#           it compresses: LZ4 with matches and in chunks, differences of 0 to 8 bytes, floats as integers and by a table
import struct

INT, INT64, HALF, FLOAT, DOUBLE, TOKEN, MATRIX, QUATF, VEC3F, WORDS, SPECIFIER, SAMPLES, DOUBLES = 3, 5, 7, 8, 9, 11, 15, 17, 24, 41, 42, 46, 48
ARRAY, INLINE, CODED = 1 << 63, 1 << 62, 1 << 61
TABLES = ["TOKENS", "STRINGS", "FIELDS", "FIELDSETS", "PATHS", "SPECS"]


# ---- LZ4 and integers


def unpack_block(data):
    out, at = bytearray(), 0

    def length(count):
        nonlocal at
        byte = 255
        while count >= 15 and byte == 255:
            byte = data[at]
            at += 1
            count += byte
        return count

    while True:
        token = data[at]
        at += 1
        count = length(token >> 4)
        out += data[at:at + count]
        at += count
        if at == len(data):
            return bytes(out)
        back = data[at] | data[at + 1] << 8
        at += 2
        for _ in range(length(token & 15) + 4):
            out.append(out[-back])


def unpack(data):
    if not data[0]:
        return unpack_block(data[1:])
    out, at = b"", 1
    for _ in range(data[0]):
        size = struct.unpack_from("<I", data, at)[0]
        out += unpack_block(data[at + 4:at + 4 + size])
        at += 4 + size
    assert at == len(data)
    return out


def pack_block(data):
    """Greedy: the last place of the same four bytes. The last five bytes are literals."""
    out, seen, start, at = bytearray(), {}, 0, 0

    def rest(count):
        while count >= 255:
            out.append(255)
            count -= 255
        out.append(count)

    def sequence(literals, match):
        out.append(min(len(literals), 15) << 4 | min(max(match - 4, 0), 15))
        if len(literals) >= 15:
            rest(len(literals) - 15)
        out.extend(literals)

    while at + 12 < len(data):
        key = data[at:at + 4]
        back = at - seen.get(key, -70000)
        seen[key] = at
        if back > 65535:
            at += 1
            continue
        match = 4
        while at + match < len(data) - 5 and data[at + match] == data[at + match - back]:
            match += 1
        sequence(data[start:at], match)
        out += struct.pack("<H", back)
        if match >= 19:
            rest(match - 19)
        at += match
        start = at
    sequence(data[start:], 0)
    return bytes(out)


def pack(data, chunks=0):
    if not chunks:
        return b"\0" + pack_block(data)
    size = -(-len(data) // chunks)
    parts = [pack_block(data[k:k + size]) for k in range(0, len(data), size)]
    return bytes([len(parts)]) + b"".join(struct.pack("<I", len(part)) + part for part in parts)


def ints(data, count, size=4):
    """Integers in front of data, and how many bytes they take."""
    packed = struct.unpack_from("<Q", data)[0]
    coded, at, value, found = unpack(data[8:8 + packed]), size + (count + 3) // 4, 0, []
    sizes = [0, 1, 2, 4] if size == 4 else [0, 2, 4, 8]
    usual = int.from_bytes(coded[:size], "little", signed=True)
    for i in range(count):
        some = sizes[coded[size + i // 4] >> 2 * (i % 4) & 3]
        value += int.from_bytes(coded[at:at + some], "little", signed=True) if some else usual
        at += some
        found.append(value)
    assert at == len(coded)
    return found, 8 + packed


def put_ints(values, size=4):
    differences = [b - a for a, b in zip([0, *values], values)]
    usual = max(set(differences), key=differences.count) if differences else 0
    sizes = [0, 1, 2, 4] if size == 4 else [0, 2, 4, 8]
    flags, rest = bytearray((len(values) + 3) // 4), b""
    for i, difference in enumerate(differences):
        code = 0 if difference == usual else next(c for c in (1, 2, 3) if -1 << 8 * sizes[c] - 1 <= difference < 1 << 8 * sizes[c] - 1)
        flags[i // 4] |= code << 2 * (i % 4)
        rest += difference.to_bytes(sizes[code], "little", signed=True) if code else b""
    coded = pack(usual.to_bytes(size, "little", signed=True) + flags + rest)
    return struct.pack("<Q", len(coded)) + coded


# ---- reading


def read(data, names, narrow, prim="points", faces=None):
    """The frames of the only prim. `names`: stream and components of each attribute. `faces`: a map that takes those of a mesh."""
    assert data[:10] == b"PXR-USDC\0\x08"
    contents = struct.unpack_from("<Q", data, 16)[0]
    tables = {}
    for k in range(struct.unpack_from("<Q", data, contents)[0]):
        name, begin, size = struct.unpack_from("<16sQQ", data, contents + 8 + 32 * k)
        tables[name.rstrip(b"\0").decode()] = data[begin:begin + size]
    assert list(tables) == TABLES
    count, size, _ = struct.unpack_from("<QQQ", tables["TOKENS"])
    text = unpack(tables["TOKENS"][24:])
    words = text.decode().split("\0")[:-1]
    assert len(words) == count and len(text) == size

    def numbers(table, columns, at=8):
        count, found = struct.unpack_from("<Q", tables[table])[0], []
        for _ in range(columns):
            values, some = ints(tables[table][at:], count)
            found.append(values)
            at += some
        return found, at, count

    (field_words,), at, count = numbers("FIELDS", 1)
    reps = struct.unpack(f"<{count}Q", unpack(tables["FIELDS"][at + 8:]))
    (sets,), _, _ = numbers("FIELDSETS", 1)
    (paths, path_words, jumps), _, _ = numbers("PATHS", 3, 16)
    (spec_paths, spec_sets, kinds), _, _ = numbers("SPECS", 3)
    assert path_words[:2] == [0, words.index(prim)] and jumps == [-1, -1] + [0] * (len(jumps) - 3) + [-2] and kinds[:2] == [7, 6]

    def fields(spec):
        at = spec_sets[spec]
        return {words[field_words[k]]: reps[k] for k in sets[at:sets.index(-1, at)]}

    def array(rep):
        at, kind = rep & (1 << 48) - 1, rep >> 48 & 255
        if not at:
            return []
        count = struct.unpack_from("<Q", data, at)[0]
        letter, each = {INT: ("i", 1), INT64: ("q", 1), FLOAT: ("f", 1), VEC3F: ("f", 3), QUATF: ("f", 4)}[kind]
        return struct.unpack_from(f"<{count * each}{letter}", data, at + 8)

    layer, frames, boxes = fields(0), {}, {}
    assert struct.unpack_from("<d", data, layer["timeCodesPerSecond"] & (1 << 48) - 1)[0] == 25 and words[layer["upAxis"] & 0xffff] == "Z"
    for spec in range(2, len(kinds)):
        name, own = words[-path_words[paths.index(spec_paths[spec])]], fields(spec)
        if faces is not None and "default" in own:
            faces[name] = words[own["default"] & 0xffff] if own["default"] >> 48 & 255 == TOKEN else list(array(own["default"]))
            continue
        samples = own["timeSamples"]
        assert kinds[spec] == 1 and samples >> 48 == SAMPLES
        first, times, second, count = struct.unpack_from("<QQQQ", data, samples & (1 << 48) - 1)
        assert first == second == 8 and times >> 48 == DOUBLES
        at = times & (1 << 48) - 1
        for k, number in enumerate(struct.unpack_from(f"<{count}d", data, at + 8)):
            values = array(struct.unpack_from("<Q", data, (samples & (1 << 48) - 1) + 32 + 8 * k)[0])
            if name == "extent":
                boxes[number] = list(values)
                continue
            stream, extent = names[name]
            points = frames.setdefault(int(number), [])
            points += [{} for _ in range(len(values) // extent - len(points))]
            for i, point in enumerate(points):
                item = list(values[i * extent:(i + 1) * extent])
                point[stream] = point.get(stream, []) + ([item[0] / 2] if stream == "size" else item)
    for number, points in frames.items():
        places = [point["location"] for point in points]
        assert boxes[number] == [f(place[k] for place in places) for f in (min, max) for k in range(3)]
    return frames


# ---- writing


class Crate:
    def __init__(self):
        self.data, self.words, self.fields, self.sets = bytearray(88), [";-)"], [], []
        self.specs, self.places = [], {}

    def word(self, text):
        if text not in self.words:
            self.words.append(text)
        return self.words.index(text)

    def put(self, kind, data, flags=0):
        at = len(self.data)
        self.data += data
        return flags | kind << 48 | at

    def token(self, text):
        return INLINE | TOKEN << 48 | self.word(text)

    def floats(self, values):
        """As integers, by a table, or plainly."""
        head = struct.pack("<Q", len(values))
        if len(values) < 16:
            return self.put(FLOAT, head + struct.pack(f"<{len(values)}f", *values), ARRAY)
        if all(v == int(v) and abs(v) < 1 << 30 and str(v) != "-0.0" for v in values):
            return self.put(FLOAT, head + b"i" + put_ints([int(v) for v in values]), ARRAY | CODED)
        table = sorted({struct.pack("<f", v) for v in values})
        if len(table) < len(values):
            coded = put_ints([table.index(struct.pack("<f", v)) for v in values])
            return self.put(FLOAT, head + b"t" + struct.pack("<I", len(table)) + b"".join(table) + coded, ARRAY | CODED)
        if all(struct.unpack("<d", struct.pack("<d", v))[0] == v for v in values):
            return self.put(DOUBLE, head + struct.pack(f"<{len(values)}d", *values), ARRAY)
        raise AssertionError

    def numbers(self, values):
        head = struct.pack("<Q", len(values))
        if len(values) < 16:
            return self.put(INT64, head + struct.pack(f"<{len(values)}q", *values), ARRAY)
        return self.put(INT64, head + put_ints(values, 8), ARRAY | CODED)

    def spec(self, path, kind, fields):
        self.specs.append((path, len(self.sets), kind))
        for name, rep in fields:
            self.fields.append((self.word(name), rep))
            self.sets.append(len(self.fields) - 1)
        self.sets.append(-1)

    def samples(self, times, reps):
        """Each part begins with the distance to its end; here something lies between."""
        parts = struct.pack("<Q4xQ", 12, times) + struct.pack("<Q8xQ", 16, len(reps)) + struct.pack(f"<{len(reps)}Q", *reps)
        return self.put(SAMPLES, parts)

    def close(self, paths):
        text = "".join(word + "\0" for word in self.words).encode()
        packed = pack(text, 2)
        columns = list(zip(*paths)), list(zip(*self.specs))
        count = struct.pack("<Q", len(paths))
        reps = pack(struct.pack(f"<{len(self.fields)}Q", *[rep for _, rep in self.fields]))
        parts = [struct.pack("<QQQ", len(self.words), len(text), len(packed)) + packed, struct.pack("<Q", 0),
                 struct.pack("<Q", len(self.fields)) + put_ints([word for word, _ in self.fields]) + struct.pack("<Q", len(reps)) + reps,
                 struct.pack("<Q", len(self.sets)) + put_ints(self.sets), count + count + b"".join(put_ints(c) for c in columns[0]),
                 struct.pack("<Q", len(self.specs)) + b"".join(put_ints(c) for c in columns[1])]
        entries = b""
        for name, part in zip(TABLES, parts):
            entries += struct.pack("<16sQQ", name.encode(), len(self.data), len(part))
            self.data += part
        self.data[:24] = b"PXR-USDC" + bytes([0, 9, 0, 0, 0, 0, 0, 0]) + struct.pack("<Q", len(self.data))
        return bytes(self.data + struct.pack("<Q", 6) + entries)


def write(frames, names):
    """A prim below an Xform that moves nothing, beside a class that has points, too."""
    crate, streams = Crate(), next(points for points in frames.values() if points)[0]
    numbers = sorted(frames)
    points_paths = [name for name, (stream, _) in names.items() if stream in streams]
    times = crate.put(DOUBLES, struct.pack(f"<Q{len(numbers)}d", len(numbers), *numbers))
    crate.spec(0, 7, [("timeCodesPerSecond", INLINE | DOUBLE << 48 | struct.unpack("<I", struct.pack("<f", 25))[0]), ("upAxis", crate.token("Z"))])
    crate.spec(1, 6, [("specifier", INLINE | SPECIFIER << 48), ("typeName", crate.token("Xform"))])
    crate.spec(2, 1, [("typeName", crate.token("matrix4d")), ("default", INLINE | MATRIX << 48 | 0x01010101)])
    crate.spec(3, 6, [("specifier", INLINE | SPECIFIER << 48), ("typeName", crate.token("Points"))])
    names_of = {}
    for name in points_paths:
        stream, extent = names[name]
        k = {"primvars:die": 1, "primvars:life": 2}.get(name, 0)
        reps = []
        for number in numbers:
            items = [point[stream][k:k + extent] for point in frames[number]]
            values = [value for item in items for value in item]
            if stream == "id":
                reps.append(crate.numbers(values))
            elif extent == 1:
                reps.append(crate.floats([2 * v for v in values] if stream == "size" else values))
            else:
                kind = VEC3F if extent == 3 else QUATF
                reps.append(crate.put(kind, struct.pack(f"<Q{len(values)}f", len(items), *values), ARRAY))
        names_of[name] = 4 + len(names_of)
        crate.spec(names_of[name], 1, [("typeName", crate.token("float[]")), ("timeSamples", crate.samples(times, reps))])
    last = 4 + len(names_of)
    place = crate.put(VEC3F, struct.pack("<Q3f", 1, 9, 9, 9), ARRAY)
    crate.spec(last, 6, [("specifier", INLINE | SPECIFIER << 48 | 2), ("typeName", crate.token("Points"))])
    crate.spec(last + 1, 1, [("default", place)])
    # the layer, the Xform with a sibling, its attribute, its child with the attributes; the class with its points
    paths = [(0, 0, -1), (1, crate.word("above"), 3 + len(names_of)), (2, -crate.word("xformOp:transform"), 0), (3, crate.word("cloud"), -1)]
    paths += [(k, -crate.word(name), 0 if k < last - 1 else -2) for name, k in names_of.items()]
    paths += [(last, crate.word("model"), -1), (last + 1, -crate.word("points"), -2)]
    return crate.close(paths)
