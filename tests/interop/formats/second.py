# SPDX-License-Identifier: MIT
# tests/interop/formats/second.py - independent reader and writer of .prt, .bgeo, .geo (with houdini.py), .pc2, .mdd, .abc, .usda and .usdc.
#   reads   second.py reads FORMAT TABLE.csv FILE..., second.py mesh FORMAT TABLE.csv FILE MESH.obj
#   writes  `second: N points in F frames: equal` or `different` second.py writes FORMAT TABLE.csv FILE... one
#           file per frame of the table; for .pc2, .mdd, .abc, .usda and .usdc one file
#   memory  the table      cost  O(bytes)
#   after   the public descriptions of the formats; Python's struct and zlib; floats are compared bit by bit
import csv
import re
import struct
import sys
import zlib

import crate
import houdini
import ogawa

STREAMS = {"id": ["index"], "location": ["x", "y", "z"], "velocity": ["vx", "vy", "vz"],
           "rotation": ["rx", "ry", "rz", "rw"], "spin": ["ax", "ay", "az"], "size": ["size"],
           "times": ["birth", "die", "life"]}
PRT = {"ID": "id", "Position": "location", "Velocity": "velocity", "Orientation": "rotation",
       "AngularVelocity": "spin", "Radius": "size", "Times": "times"}
HOUDINI = {"id": "id", "v": "velocity", "orient": "rotation", "w": "spin", "pscale": "size", "times": "times"}


def narrow(text):
    return struct.unpack("<f", struct.pack("<f", float(text)))[0]


def read_table(path):
    """{frame: [{stream: numbers}]}"""
    frames = {}
    with open(path, newline="") as stream:
        for row in csv.DictReader(stream):
            point = {name: [int(row[c]) if c == "index" else narrow(row[c]) for c in columns]
                     for name, columns in STREAMS.items() if columns[0] in row}
            frames.setdefault(int(row["frame"]), []).append(point)
    return frames


def read_prt(data):
    head, _, version, count, _, channels, width = struct.unpack_from("<i32siqiii", data, 8)
    assert data[:8] == b"\xc0PRT\r\n\x1a\n" and (head, version, width) == (56, 1, 44)
    table = [struct.unpack_from("<32siii", data, 68 + 44 * c) for c in range(channels)]
    records = zlib.decompress(data[68 + 44 * channels:])
    size = len(records) // count
    # Partio counts one number only of the last channel; then its records have the right size only with a scalar there.
    assert size == max(offset + (2, 4, 8, 2, 4, 8, 2, 4, 8, 1, 1)[kind] for _, kind, _, offset in table)
    return [{PRT[name.rstrip(b"\0").decode()]:
             list(struct.unpack_from(f"<{arity}{'hiqefdHIQbB'[kind]}", records, i * size + offset))
             for name, kind, arity, offset in table} for i in range(count)]


def write_prt(points):
    width, table, records = 0, b"", b""
    names = [(name, stream) for name, stream in PRT.items() if stream in points[0]][::-1]  # not our order
    for name, stream in names:
        arity = len(points[0][stream])
        table += struct.pack("<32siii", name.encode(), 1 if stream == "id" else 5, arity, width)  # doubles
        width += arity * (4 if stream == "id" else 8)
    for point in points:
        for _, stream in names:
            records += struct.pack(f"<{len(point[stream])}{'i' if stream == 'id' else 'd'}", *point[stream])
    return (b"\xc0PRT\r\n\x1a\n" + struct.pack("<i32siqiii", 56, b"Extensible Particle Format", 1, len(points), 4,
                                               len(names), 44) + table + zlib.compress(records, 9))


def read_bgeo(data):
    if data[0] == 0x7f:
        return houdini.read(data, HOUDINI, narrow)
    version, count, prims, _, _, attributes, _, _, _ = struct.unpack_from(">9i", data, 5)
    assert data[:5] == b"BgeoV" and version == 5 and prims == 0
    at, table = 41, []
    for _ in range(attributes):
        (length,) = struct.unpack_from(">H", data, at)
        name = data[at + 2:at + 2 + length].decode()
        size, kind = struct.unpack_from(">Hi", data, at + 2 + length)
        at += 8 + length + 4 * size
        table.append((name, size, kind))
    points = []
    for _ in range(count):
        point = {"location": list(struct.unpack_from(">3f", data, at))}
        at += 16
        for name, size, kind in table:
            point[HOUDINI[name]] = list(struct.unpack_from(f">{size}{'i' if kind == 1 else 'f'}", data, at))
            at += 4 * size
        points.append(point)
    assert data[at:] == b"\0\xff"
    return points


def write_bgeo(points):
    names = [(name, stream) for name, stream in HOUDINI.items() if stream in points[0]]
    data = b"BgeoV" + struct.pack(">9i", 5, len(points), 1, 0, 0, len(names) + 1, 0, 1, 0)
    data += struct.pack(">H2sHi3f", 2, b"Cd", 3, 0, 1, 1, 1)
    for name, stream in names:
        size = len(points[0][stream])
        data += struct.pack(f">H{len(name)}sHi", len(name), name.encode(), size, 1 if stream == "id" else 0)
        data += bytes(4 * size)
    for point in points:
        data += struct.pack(">7f", *point["location"], 1, 0.5, 0.5, 0.5)
        for _, stream in names:
            data += struct.pack(f">{len(point[stream])}{'i' if stream == 'id' else 'f'}", *point[stream])
    data += struct.pack(">H9sHiiH4s", 9, b"generator", 1, 4, 1, 4, b"papi")
    return data + struct.pack(f">Ii{len(points)}Hi", 0x8000, len(points), *range(len(points)), 0) + b"\0\xff"


def read_geo(data):
    if data[:1] == b"[":
        return houdini.read(data, HOUDINI, narrow)
    words = data.decode().replace("(", " ( ").replace(")", " ) ").split()
    assert words[:2] == ["PGEOMETRY", "V5"]
    count, attributes = int(words[3]), int(words[11])
    at, table, points = 18 + (attributes > 0), [], []
    for _ in range(attributes):
        name, size, kind = words[at], int(words[at + 1]), words[at + 2]
        at += 3 + size
        table.append((name, size, kind))
    for _ in range(count):
        point = {"location": [narrow(word) for word in words[at:at + 3]]}
        assert words[at + 4] == "("
        at += 5
        for name, size, kind in table:
            point[HOUDINI[name]] = [int(w) if kind == "int" else narrow(w) for w in words[at:at + size]]
            at += size
        assert words[at] == ")"
        at += 1
        points.append(point)
    assert words[at:] == ["beginExtra", "endExtra"]
    return points


def write_geo(points):
    names = [(name, stream) for name, stream in HOUDINI.items() if stream in points[0]]
    lines = ["PGEOMETRY V5", f"NPoints {len(points)} NPrims 1", "NPointGroups 0 NPrimGroups 0",
             f"NPointAttrib {len(names)} NVertexAttrib 0 NPrimAttrib 1 NAttrib 0", "PointAttrib"]
    for name, stream in names:
        size = len(points[0][stream])
        lines.append(f"{name} {size} {'int' if stream == 'id' else 'float'} " + "0 " * size)
    for point in points:
        values = "\t".join(repr(v) for _, stream in names for v in point[stream])
        lines.append(" ".join(repr(v) for v in point["location"]) + f" 1 ( {values} )")
    lines += ["PrimitiveAttrib", "generator 1 index 1 papi",
              f"Part {len(points)} " + " ".join(map(str, range(len(points)))) + " [0]", "beginExtra", "endExtra", ""]
    return "\r\n".join(lines).encode()


def read_samples(data, kind):
    if kind == "pc2":
        magic, version, vertices, first, step, samples = struct.unpack_from("<12siiffi", data)
        assert magic == b"POINTCACHE2\0" and version == 1
        at, order, numbers = 32, "<", [first + step * i for i in range(samples)]
    else:
        samples, vertices = struct.unpack_from(">ii", data)
        at, order = 8 + 4 * samples, ">"
        numbers = [1 + round(t * 24) for t in struct.unpack_from(f">{samples}f", data, 8)]
    assert len(data) == at + samples * vertices * 12
    return {int(number): [{"id": [i], "location": list(struct.unpack_from(f"{order}3f", data, at + (s * vertices + i) * 12))}
                          for i in range(vertices)] for s, number in enumerate(numbers)}


def write_samples(frames, kind):
    numbers, vertices = sorted(frames), len(next(iter(frames.values())))
    order = "<" if kind == "pc2" else ">"
    if kind == "pc2":
        data = struct.pack("<12siiffi", b"POINTCACHE2", 1, vertices, numbers[0], 1, len(numbers))
    else:
        data = struct.pack(f">ii{len(numbers)}f", len(numbers), vertices, *((n - 1) / 24 for n in numbers))
    return data + b"".join(struct.pack(f"{order}3f", *p["location"]) for n in numbers for p in frames[n])


USDA = {"points": ("location", 3), "velocities": ("velocity", 3), "ids": ("id", 1), "widths": ("size", 1),
        "primvars:rotation": ("rotation", 4), "primvars:avelocity": ("spin", 3), "primvars:birth": ("times", 1),
        "primvars:die": ("times", 1), "primvars:life": ("times", 1)}


def read_usda(text):
    """What usdcat prints: one sample a line."""
    assert text.startswith("#usda 1.0\n(\n") and text.count("def Points ") == 1 and text.endswith("}\n")
    frames, boxes = {}, {}
    for name, samples in re.findall(r"\S+\[\] (\S+)\.timeSamples = {\n(.*?)\n    }\n", text, re.S):
        for number, array in re.findall(r"^        (\S+): \[(.*)\],$", samples, re.M):
            points = frames.setdefault(int(number), [])
            numbers = [float(n) for n in re.findall(r"[^\s(),]+", array)]
            if name == "extent":
                boxes[int(number)] = numbers
                continue
            stream, extent = USDA[name]
            points += [{} for _ in range(len(numbers) // extent - len(points))]
            assert len(points) * extent == len(numbers)
            for i, point in enumerate(points):
                values = numbers[i * extent:(i + 1) * extent]
                values = [int(values[0])] if stream == "id" else [values[0] / 2] if stream == "size" else \
                    values[1:] + values[:1] if stream == "rotation" else [narrow(value) for value in values]
                point[stream] = point.get(stream, []) + [v if stream == "id" else narrow(v) for v in values]
    for number, points in frames.items():
        places = [point["location"] for point in points]
        box = [f(place[k] for place in places) for f in (min, max) for k in range(3)]
        assert box == [narrow(value) for value in boxes[number]]
    return frames


def write_usda(frames):
    """All on few lines, below an Xform, the latest sample first; ids as the default where they stay."""
    streams = next(points for points in frames.values() if points)[0]
    lines = ["#usda 1.0 # by hand", "(timeCodesPerSecond=25; upAxis='Z')", 'def Xform "a" { def Scope "b" { def "c" {', 'def Points "points" {']

    def samples(name, turn=lambda values: values):
        stream, extent = USDA[name]
        rows = []
        for number in sorted(frames, reverse=True):
            items = [[repr(v) for v in turn(point[stream])] for point in frames[number]]
            rows.append(f"{number}.0:[" + ",".join(f"({','.join(i)})" if extent > 1 else i[0] for i in items) + "]")
        lines.append(f"custom float[] {name}.timeSamples={{" + ", ".join(rows) + "}")

    samples("points")
    samples("velocities")
    samples("ids")
    if "size" in streams:
        samples("widths", lambda values: [2 * values[0]])
    if "rotation" in streams:
        samples("primvars:rotation", lambda values: values[3:] + values[:3])
    if "spin" in streams:
        samples("primvars:avelocity")
    for k, name in enumerate(("birth", "die", "life") if "times" in streams else ()):
        samples("primvars:" + name, lambda values, k=k: values[k:k + 1])
    return "\n".join(lines + ["}}}}"]).encode()


def read_mesh(path, kind):
    """The frames, and the corners of each face, counter-clockwise."""
    faces = {}
    if kind == "abc":
        frames = ogawa.read(open(path, "rb").read(), faces)
        counts, corners = faces[".faceCounts"], faces[".faceIndices"]
    elif kind == "usdc":
        frames = crate.read(open(path, "rb").read(), USDA, narrow, "mesh", faces)
        counts, corners = faces["faceVertexCounts"], faces["faceVertexIndices"]
        assert faces["subdivisionScheme"] == "none"
    else:
        text = open(path).read()
        assert 'uniform token subdivisionScheme = "none"' in text and 'defaultPrim = "mesh"' in text
        frames = read_usda(text.replace('def Mesh "mesh"', 'def Points "points"'))
        counts, corners = ([int(n) for n in re.search(rf"int\[\] {name} = \[(.*)\]\n", text)[1].split(", ")]
                           for name in ("faceVertexCounts", "faceVertexIndices"))
    at, made = 0, []
    for count in counts:
        made.append(corners[at:at + count][::-1 if kind == "abc" else 1])
        at += count
    assert at == len(corners)
    return frames, made


READERS = {"prt": read_prt, "bgeo": read_bgeo, "geo": read_geo}
WRITERS = {"prt": write_prt, "bgeo": write_bgeo, "geo": write_geo,
           "json_bgeo": lambda points: houdini.write_binary(points, HOUDINI),
           "json_geo": lambda points: houdini.write_text(points, HOUDINI)}


def main(work, kind, table, *paths):
    frames = read_table(table)
    if work == "writes":
        contents = [ogawa.write(frames)] if kind == "abc" else [write_usda(frames)] if kind == "usda" else [crate.write(frames, USDA)] if kind == "usdc" else [write_samples(frames, kind)] if kind in ("pc2", "mdd") else \
            [WRITERS[kind](frames[number]) for number in sorted(frames)]
        for path, data in zip(paths, contents, strict=True):
            open(path, "wb").write(data)
        return 0
    if work == "mesh":
        found, faces = read_mesh(paths[0], kind)
        assert faces == [[int(n) - 1 for n in line.split()[1:]] for line in open(paths[1]) if line[:2] == "f "]
    elif kind == "abc":
        found = ogawa.read(open(paths[0], "rb").read())
    elif kind == "usdc":
        found = crate.read(open(paths[0], "rb").read(), USDA, narrow)
    elif kind == "usda":
        found = read_usda(open(paths[0]).read())
    elif kind in ("pc2", "mdd"):
        found = read_samples(open(paths[0], "rb").read(), kind)
    else:
        found = {number: READERS[kind](open(path, "rb").read()) for number, path in zip(sorted(frames), paths, strict=True)}
    good = repr(found) == repr({n: [{k: p[k] for k in found[n][0]} for p in frames[n]] for n in sorted(frames)})
    points = sum(len(p) for p in found.values())
    print(f"second: {points} points in {len(found)} frames:", "equal" if good and points else "different")
    return 0 if good and points else 1


sys.exit(main(*sys.argv[1:]))
