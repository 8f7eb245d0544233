# SPDX-License-Identifier: MIT
# tests/interop/formats/ogawa.py - independent reader and writer of points in Alembic archives, for second.py.
#   reads   bytes of an .abc file      writes  bytes of one
#   memory  the table      cost  O(bytes)
#   after   the layout of Ogawa archives; Python's struct. The writer differs from ours where the format lets it:
#           groups before their data, metadata beside each header, 64-bit positions, 32-bit ids, indexed widths,
#           a transform that moves by 0
import struct

DATA = 1 << 63
ACYCLIC = 1.7976931348623157e308 / 32
TYPES = {1: "B", 6: "i", 5: "I", 7: "Q", 10: "f", 11: "d"}
ARRAYS = {"P": ("location", 3), ".pointIds": ("id", 1), ".velocities": ("velocity", 3), ".widths": ("size", 1),
          "rotation": ("rotation", 4), "avelocity": ("spin", 3), "birth": ("times", 1), "die": ("times", 1),
          "life": ("times", 1)}
ORDER = list(ARRAYS)


class Archive:
    def __init__(self, data):
        self.data = data
        magic, complete, version, root = struct.unpack_from("<5sB2sQ", data)
        assert (magic, complete, version) == (b"Ogawa", 255, b"\0\1")
        self.root = self.group(root)
        assert len(self.root) == 6 and self.bytes(self.root[0]) == b"\0\0\0\0"
        texts, at = [b""], 0
        table = self.bytes(self.root[5])
        while at < len(table):
            texts.append(table[at + 1:at + 1 + table[at]])
            at += 1 + table[at]
        self.texts = texts

    def group(self, at):
        assert not at & DATA
        return list(struct.unpack_from(f"<{struct.unpack_from('<Q', self.data, at)[0]}Q", self.data, at + 8)) if at else []

    def bytes(self, entry):
        assert entry & DATA
        at = entry ^ DATA
        size = struct.unpack_from("<Q", self.data, at)[0] if at else 0
        assert at + size <= len(self.data)
        return self.data[at + 8:at + 8 + size] if at else b""

    def children(self, at):
        """[(name, metadata, group)] of an object, and the group of its properties"""
        group = self.group(at)
        headers, found, at = self.bytes(group[-1])[:-32], [], 0
        while at < len(headers):
            size = struct.unpack_from("<I", headers, at)[0]
            name, number = headers[at + 4:at + 4 + size], headers[at + 4 + size]
            found.append((name.decode(), self.texts[number].decode(), group[1 + len(found)]))
            at += 5 + size
        assert len(group) == len(found) + 2
        return found, group[0]

    def properties(self, at):
        """{name: (word, samples, first, last, sampling, metadata, group)}"""
        group, found, at = self.group(at), {}, 0
        headers = self.bytes(group[-1]) if group else b""
        while at < len(headers):
            word = struct.unpack_from("<I", headers, at)[0]
            kind, at = "<" + "BHI"[word >> 2 & 3], at + 4

            def number():
                nonlocal at
                at += struct.calcsize(kind)
                return struct.unpack_from(kind, headers, at - struct.calcsize(kind))[0]

            samples = first = last = sampling = 0
            if word & 3:
                samples = number()
                first, last = (number(), number()) if word & 0x200 else (0, 0) if word & 0x800 else (1, samples - 1)
                sampling = number() if word & 0x100 else 0
            size = number()
            name = headers[at:at + size].decode()
            at += size
            found[name] = (word, samples, first, last, sampling, self.texts[word >> 20 & 255].decode(), group[len(found)])
        assert not found or len(group) == len(found) + 1
        return found

    def sample(self, property, number):
        word, samples, first, last, _, _, group = property
        assert number < samples
        slot = 0 if number < first or not first else min(number, last) - first + 1
        entries = self.group(group)
        stored = self.bytes(entries[slot * (1 if word & 3 == 1 else 2)])
        assert word & 3 == 1 or entries[2 * slot + 1] == DATA
        kind = TYPES[word >> 4 & 15]
        numbers = stored[16:] if stored else b""
        return list(struct.unpack(f"<{len(numbers) // struct.calcsize(kind)}{kind}", numbers))

    def times(self):
        table, found, at = self.bytes(self.root[4]), [], 0
        while at < len(table):
            samples, cycle, count = struct.unpack_from("<IdI", table, at)
            found.append((samples, cycle, struct.unpack_from(f"<{count}d", table, at + 16)))
            at += 16 + 8 * count
        return found


def samples_of(geom):
    return geom["P"][1]


def near(values, extent):
    return [values[i:i + extent] for i in range(0, len(values), extent)]


def read(data, faces=None):
    """The frames of the only object. `faces`: a map that takes those of a mesh."""
    archive = Archive(data)
    about = dict(part.split("=") for part in archive.bytes(archive.root[3]).decode().split(";"))
    (xform,), _ = archive.children(archive.root[2])
    (shape,), moved = archive.children(xform[2])
    below, own = archive.children(shape[2])
    assert xform[1] == "schema=AbcGeom_Xform_v3;schemaObjTitle=AbcGeom_Xform_v3:.xform" and not below
    schema = "AbcGeom_Points_v1" if faces is None else "AbcGeom_PolyMesh_v1"
    assert shape[1] == f"schema={schema};schemaBaseType=AbcGeom_GeomBase_v1;schemaObjTitle={schema}:.geom" and list(archive.properties(moved)) == [".xform"]
    geom = archive.properties(archive.properties(own)[".geom"][6])
    found = dict(geom)
    if ".arbGeomParams" in found:
        found.update(archive.properties(found.pop(".arbGeomParams")[6]))
    for name in (".faceIndices", ".faceCounts") if faces is not None else ():
        faces[name] = archive.sample(found[name], 0)
        assert found[name][0] & 0x800 and archive.sample(found.pop(name), samples_of(geom) - 1) == faces[name]
    assert set(found) <= set(ARRAYS) | {".selfBnds"} and {property[4] for property in found.values()} == {1}
    samples, cycle, times = archive.times()[1]
    assert samples == geom["P"][1]
    frames = {}
    for number in range(samples):
        time = times[number] if cycle == ACYCLIC else times[0] + cycle * number
        arrays = {name: near(archive.sample(found[name], number), extent) for name, (_, extent) in ARRAYS.items() if name in found}
        points = [{} for _ in arrays["P"]]
        for name in ORDER:
            for point, value in zip(points, arrays.get(name, []), strict=name in arrays):
                stream = ARRAYS[name][0]
                value = [value[0] / 2] if stream == "size" else value[1:] + value[:1] if stream == "rotation" else value
                point[stream] = point.get(stream, []) + value
        box = archive.sample(found[".selfBnds"], number)
        places = [p["location"] for p in points]
        assert not places or box == [min(p[k] for p in places) for k in range(3)] + [max(p[k] for p in places) for k in range(3)]
        frames[round(time * float(about["_ai_DCC_FPS"]))] = points
    return frames


class Writer:
    """Parts are reserved first and written later, so that offsets point ahead."""

    def __init__(self):
        self.parts = []
        self.size = 16

    def take(self, size):
        self.parts.append(None)
        self.size += size
        return len(self.parts) - 1, self.size - size

    def bytes(self, data):
        if not data:
            return DATA
        part, at = self.take(8 + len(data))
        self.parts[part] = struct.pack("<Q", len(data)) + data
        return at | DATA

    def group(self, makers):
        part, at = self.take(8 + 8 * len(makers))
        entries = [make() for make in makers]
        self.parts[part] = struct.pack(f"<{len(entries) + 1}Q", len(entries), *entries)
        return at


def header(kind, type, extent, samples, name, metadata=b""):
    word = kind | 2 << 2 | type << 4 | extent << 12 | 255 << 20 | (0x100 if kind else 0)
    changes = struct.pack("<I", samples) + (struct.pack("<I", 1) if kind else b"") if kind else b""
    if kind and samples < 2:
        word |= 0x800
    return struct.pack("<I", word) + changes + struct.pack("<I", len(name)) + name + struct.pack("<I", len(metadata)) + metadata


def compound(to, children):
    """children: [(header, maker)]"""
    return to.group([make for _, make in children] + [lambda: to.bytes(b"".join(h for h, _ in children))])


def array(to, type, extent, name, samples):
    """samples: lists of numbers. The 16 bytes before them are a hash, which is not checked here."""
    kind = TYPES[type]
    makers = []
    for numbers in samples:
        makers.append(lambda numbers=numbers: to.bytes(bytes(16) + struct.pack(f"<{len(numbers)}{kind}", *numbers)))
        makers.append(lambda: DATA)
    return header(2, type, extent, len(samples), name), lambda: to.group(makers)


def object_header(name, metadata):
    return struct.pack("<I", len(name)) + name + b"\xff" + struct.pack("<I", len(metadata)) + metadata


def write(frames):
    to = Writer()
    numbers = sorted(frames)
    table = [frames[n] for n in numbers]
    streams = next(points for points in table if points)[0]

    def column(stream, turn=lambda values: values):
        return [[value for point in points for value in turn(point[stream])] for points in table]

    def widths():
        rows = column("size")
        return compound(to, [array(to, 10, 1, b".vals", [[2 * size for size in reversed(row)] for row in rows]),
                             array(to, 5, 1, b".indices", [list(range(len(row) - 1, -1, -1)) for row in rows])])

    def attributes():
        made = []
        if "rotation" in streams:
            made.append(array(to, 10, 4, b"rotation", column("rotation", lambda values: values[3:] + values[:3])))
        if "spin" in streams:
            made.append(array(to, 10, 3, b"avelocity", column("spin")))
        for k, name in enumerate((b"birth", b"die", b"life") if "times" in streams else ()):
            made.append(array(to, 10, 1, name, column("times", lambda values, k=k: values[k:k + 1])))
        return compound(to, made)

    geom = [array(to, 11, 3, b"P", column("location")), array(to, 6, 1, b".pointIds", column("id")),
            array(to, 11, 3, b".velocities", column("velocity")), (header(0, 0, 0, 0, b".arbGeomParams"), attributes)]
    if "size" in streams:
        geom.append((header(0, 0, 0, 0, b".widths"), widths))
    moves = [(header(1, 1, 1, 1, b".ops"), lambda: to.group([lambda: to.bytes(bytes(16) + b"\x10")])),
             (header(1, 11, 3, 1, b".vals"), lambda: to.group([lambda: to.bytes(bytes(16) + struct.pack("<3d", 0, 0, 0))]))]
    shape = lambda: to.group([lambda: compound(to, [(header(0, 0, 0, 0, b".geom"), lambda: compound(to, geom))]), lambda: to.bytes(bytes(32))])
    xform = lambda: to.group([lambda: compound(to, [(header(0, 0, 0, 0, b".xform"), lambda: compound(to, moves))]), shape,
                              lambda: to.bytes(object_header(b"cloud", b"schema=AbcGeom_Points_v1") + bytes(32))])
    top = lambda: to.group([lambda: 0, xform, lambda: to.bytes(object_header(b"above", b"schema=AbcGeom_Xform_v3") + bytes(32))])
    times = struct.pack("<IdId", 0, 1, 1, 0) + struct.pack("<IdId", len(numbers), (numbers[1] - numbers[0]) / 25, 1, numbers[0] / 25)
    root = to.group([lambda: to.bytes(bytes(4)), lambda: to.bytes(struct.pack("<i", 10700)), top,
                     lambda: to.bytes(b"FramesPerTimeUnit=25.000000"), lambda: to.bytes(times), lambda: DATA])
    return b"Ogawa\xff\0\1" + struct.pack("<Q", root) + b"".join(to.parts)
