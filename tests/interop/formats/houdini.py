# SPDX-License-Identifier: MIT
# tests/interop/formats/houdini.py - independent reader and writer of Houdini's JSON geometry, for second.py.
#   reads   bytes of a .bgeo or .geo file of Houdini 12 and later      writes  bytes of one
#   memory  the points      cost  O(bytes)
#   after   SideFX's description of the format; Python's json and struct. The writer differs from ours where the
#           format lets it: tuples, arrays, pages with packs and constant values, shared strings, both byte orders,
#           maps, 64-bit numbers, and data that are not of points
import json
import struct

FORMS = {0x11: "b", 0x12: "h", 0x13: "i", 0x14: "q", 0x18: "e", 0x19: "f", 0x1a: "d", 0x21: "B", 0x22: "H"}


class Binary:
    def __init__(self, data):
        self.order = {b"NSJb": "<", b"bJSN": ">"}[data[1:5]]
        self.data, self.at, self.strings = data, 5, {}

    def take(self, form):
        values = struct.unpack_from(self.order + form, self.data, self.at)
        self.at += struct.calcsize(self.order + form)
        return values if len(values) > 1 else values[0]

    def count(self):
        first = self.take("B")
        return first if first < 0xf1 else self.take({0xf2: "H", 0xf4: "I", 0xf8: "Q"}[first])

    def text(self):
        size = self.count()
        self.at += size
        return self.data[self.at - size:self.at].decode()

    def uniform(self):
        kind, count = self.take("B"), self.count()
        if kind == 0x10:
            words = [self.take("I") for _ in range(0, count, 32)]
            return [bool(words[i // 32] >> i % 32 & 1) for i in range(count)]
        if kind == 0x27:
            return [self.text() for _ in range(count)]
        return [self.take(FORMS[kind]) for _ in range(count)]

    def value(self, token=None):
        token = self.take("B") if token is None else token
        while token in (0x2b, 0x2d):
            number = self.count()
            self.strings[number] = self.text() if token == 0x2b else None
            token = self.take("B")
        if token in FORMS:
            return self.take(FORMS[token])
        if token in (0x5b, 0x7b):
            items = []
            while (inner := self.take("B")) not in (0x5d, 0x7d):
                items.append(self.value(inner))
            return items if token == 0x5b else dict(zip(items[::2], items[1::2]))
        return {0x00: lambda: None, 0x30: lambda: False, 0x31: lambda: True, 0x10: lambda: self.take("B") != 0,
                0x27: self.text, 0x26: lambda: self.strings[self.count()], 0x40: self.uniform}[token]()


def pairs(items):
    return items if isinstance(items, dict) else dict(zip(items[::2], items[1::2]))


def tuples(values, count):
    """As hgeo.py of Houdini: pages one after the other, in each the packs, each for all points or once."""
    size = values["size"]
    if "tuples" in values:
        return [list(value) for value in values["tuples"]]
    if "arrays" in values:
        return [list(value) for value in zip(*values["arrays"])]
    data, page, packs = values["rawpagedata"], values["pagesize"], values.get("packing", [size])
    flags = values.get("constantpageflags", [[]] * len(packs))
    at, found = 0, []
    for first in range(0, count, page):
        points, columns = min(page, count - first), []
        for pack, flag in zip(packs, flags):
            once = bool(flag) and flag[first // page]
            rows = 1 if once else points
            block = [data[at + r * pack:at + (r + 1) * pack] for r in range(rows)]
            at += rows * pack
            columns.append(block * points if once else block)
        found += [[v for part in row for v in part] for row in zip(*columns)]
    assert at == len(data)
    return found


def read(data, names, narrow):
    """[{stream: numbers}] of the bytes of a file that this project wrote"""
    if data[:1] == b"\x7f":
        binary = Binary(data)
        geometry = pairs(binary.value())
        assert binary.at == len(data)
    else:
        geometry = pairs(json.loads(data))
    count = geometry["pointcount"]
    assert geometry["vertexcount"] == geometry["primitivecount"] == 0
    points = [{} for _ in range(count)]
    for definition, attribute in pairs(geometry["attributes"])["pointattributes"]:
        definition, attribute = pairs(definition), pairs(attribute)
        assert definition["type"] == "numeric" and definition["scope"] == "public"
        values = pairs(attribute["values"])
        assert values["size"] == attribute["size"] and values["storage"] == attribute["storage"]
        stream = "location" if definition["name"] == "P" else names[definition["name"]]
        for point, value in zip(points, tuples(values, count), strict=True):
            point[stream] = value if stream == "id" else [narrow(number) for number in value]
    return points


def attribute(name, points, stream, form):
    """One of three forms; `form` 2: pages of 3 points, the first number apart, pages of one value stored once."""
    rows = [point[stream] for point in points]
    size = len(rows[0])
    storage = "int64" if stream == "id" else "fpreal64"
    values = ["size", size, "storage", storage]
    if form == 0:
        values += ["tuples", rows]
    elif form == 1:
        values += ["arrays", [list(column) for column in zip(*rows)]]
    else:
        packs = [1, size - 1] if size > 1 else [1]
        flags, data = [[] for _ in packs], []
        for first in range(0, len(rows), 3):
            for p, (low, high) in enumerate([(0, 1), (1, size)][:len(packs)]):
                block = [row[low:high] for row in rows[first:first + 3]]
                once = all(repr(row) == repr(block[0]) for row in block)
                flags[p].append(once)
                data += [number for row in (block[:1] if once else block) for number in row]
        flags = [flag if any(flag) else [] for flag in flags]
        values += ["packing", packs, "pagesize", 3, "constantpageflags", flags, "rawpagedata", data]
    return [["scope", "public", "type", "numeric", "name", name, "options", {}],
            ["size", size, "storage", storage, "defaults", ["size", 1, "storage", storage, "values", [0]], "values", values]]


def geometry(points, names):
    listed = [attribute(name, points, stream, form % 3)
              for form, (name, stream) in enumerate([("P", "location")] + [n for n in names.items() if n[1] in points[0]])]
    listed.insert(1, [["scope", "public", "type", "string", "name", "class", "options", {}],
                      ["size", 1, "storage", "int32", "strings", ["a"], "indices",
                       ["size", 1, "storage", "int32", "arrays", [[0] * len(points)]]]])
    return ["fileversion", "20.0.547", "pointcount", len(points), "vertexcount", 1, "primitivecount", 1,
            "info", {"artist": "a \"b\" ]", "time": 0.5, "bounds": [0, 1]},
            "topology", ["pointref", ["indices", [0]]],
            "attributes", ["vertexattributes", [], "pointattributes", listed],
            "primitives", [[["type", "Part"], ["vertex", 0, "metadata", None]]],
            "pointgroups", [[["name", "g"], ["selection", ["unordered", ["boolRLE", [len(points), True]]]]]]]


def count_bytes(order, count):
    for limit, head, form in ((0xf1, None, "B"), (1 << 16, 0xf2, "H"), (1 << 32, 0xf4, "I")):
        if count < limit:
            return (b"" if head is None else bytes([head])) + struct.pack(order + form, count)


def binary(value, order, strings):
    if isinstance(value, bool):
        return b"1" if value else b"0"
    if value is None:
        return b"\0"
    if isinstance(value, str):
        if value in strings:
            return b"\x26" + count_bytes(order, strings[value])
        strings[value] = len(strings)
        text = value.encode()
        return b"\x2b" + count_bytes(order, strings[value]) + count_bytes(order, len(text)) + text + \
            b"\x26" + count_bytes(order, strings[value])
    if isinstance(value, int):
        return b"\x14" + struct.pack(order + "q", value)
    if isinstance(value, float):
        return b"\x1a" + struct.pack(order + "d", value)
    if isinstance(value, dict):
        return b"{" + b"".join(binary(k, order, strings) + binary(v, order, strings) for k, v in value.items()) + b"}"
    if len(value) > 1 and all(isinstance(item, bool) for item in value):
        words = [sum(bit << i for i, bit in enumerate(value[w:w + 32])) for w in range(0, len(value), 32)]
        return b"@\x10" + count_bytes(order, len(value)) + struct.pack(f"{order}{len(words)}I", *words)
    if len(value) > 1 and all(isinstance(item, float) for item in value):
        return b"@\x1a" + count_bytes(order, len(value)) + struct.pack(f"{order}{len(value)}d", *value)
    return b"[" + b"".join(binary(item, order, strings) for item in value) + b"]"


def write_text(points, names):
    return json.dumps(geometry(points, names), indent=1).replace("\n", "\r\n").encode()


def write_binary(points, names):
    order = "<>"[len(points) % 2]
    return b"\x7f" + (b"NSJb" if order == "<" else b"bJSN") + binary(geometry(points, names), order, {})
