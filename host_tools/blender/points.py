# SPDX-License-Identifier: MIT
# host_tools/blender/points.py - sequences of points in files: finds the frames of a sequence and reads one at a time.
#   reads   .bphys (not packed, LZO, LZMA), .csv, .ply, .npz      writes  the info file of a .bphys sequence
#   memory  one frame; of a table all frames      cost  one pass over a file, over LZO a step of Python per copy
#   after   the .bphys format as Blender writes it; Polygon File Format (Turk 1994). No Blender module is needed
import bisect
import lzma
import os
import re
import struct

import numpy

MAGIC = b"BPHYSICS"
PACKED, EXTRA = 0x10000, 0x20000
KINDS = {0: "softbody", 1: "particles", 2: "cloth", 6: "rigid bodies"}
STREAMS = (("index", "u4", 1), ("location", "f4", 3), ("velocity", "f4", 3), ("rotation", "f4", 4),
           ("avelocity", "f4", 3), ("size", "f4", 1), ("times", "f4", 3), ("boids", "u1", 20))
POINTS_MAX = 1 << 28


class Fault(Exception):
    """Says what is wrong with a file, and where."""


class NeedsProgram(Fault):
    """A file that only the program `tidepool` can read."""


# ---- LZO1X ----


class Unpacker:
    """A cursor over an LZO1X stream, and the bytes that it has written."""

    def __init__(self, data, size):
        self.data, self.size, self.at, self.out = data, size, 0, bytearray()

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def length(self, code, mask):
        """The length in the low bits of a code, or in the bytes that follow it."""
        length = code & mask
        if length:
            return length
        length = mask
        byte = self.byte()
        while byte == 0:
            length, byte = length + 255, self.byte()
        return length + byte

    def literals(self, count):
        if self.at + count > len(self.data) or len(self.out) + count > self.size:
            raise IndexError
        self.out += self.data[self.at:self.at + count]
        self.at += count

    def match(self, distance, count):
        """Copies earlier bytes. A match may overlap what it writes."""
        start = len(self.out) - distance
        if start < 0 or len(self.out) + count > self.size:
            raise IndexError
        part = self.out[start:start + min(count, distance)]
        self.out += (part * (count // len(part) + 1))[:count]


def unpack_lzo(data, size):
    """The bytes of an LZO1X stream, at most `size`. Damage raises IndexError."""
    unpacker, state = Unpacker(data, size), 0  # state: literals after the last match; 4: a run of four or more
    if data[0] > 17:
        unpacker.at = 1
        unpacker.literals(data[0] - 17)
        state = min(data[0] - 17, 4)
    while True:
        code = unpacker.byte()
        if code < 16 and state == 0:
            unpacker.literals(unpacker.length(code, 15) + 3)
            state = 4
            continue
        if code >= 64:
            state, count = code & 3, (code >> 5) + 1
            distance = (code >> 2 & 7) + (unpacker.byte() << 3) + 1
        elif code >= 16:
            count = unpacker.length(code, 31 if code >= 32 else 7) + 2
            word = unpacker.byte() | unpacker.byte() << 8
            distance = (word >> 2) + (1 if code >= 32 else 0x4000 + ((code & 8) << 11))
            if distance == 0x4000 and code < 32:
                return bytes(unpacker.out)
            state = word & 3
        else:
            count = 3 if state == 4 else 2
            distance = (code >> 2) + (unpacker.byte() << 2) + (0x801 if state == 4 else 1)
            state = code & 3
        unpacker.match(distance, count)
        unpacker.literals(state)


# ---- .bphys ----


def unpack_lzma(payload, properties, size):
    head, dictionary = properties[0], struct.unpack("<I", properties[1:5])[0]
    model = {"id": lzma.FILTER_LZMA1, "dict_size": max(dictionary, 4096), "lc": head % 9, "lp": head // 9 % 5,
             "pb": head // 45}
    return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[model]).decompress(payload, size)


def read_block(data, at, size, path):
    """A packed stream of `size` bytes, and where it ends."""
    code = data[at]
    if code == 0:
        return data[at + 1:at + 1 + size], at + 1 + size
    if code > 2:
        raise NeedsProgram("%s: packed by Blender 5; give the path of the program tidepool in the preferences" % path)
    length, = struct.unpack_from("<I", data, at + 1)
    payload, end = data[at + 5:at + 5 + length], at + 5 + length
    if len(payload) < length:
        raise Fault("%s: cut in the block at byte %d" % (path, at))
    try:
        if code == 1:
            return unpack_lzo(payload, size), end
        count, = struct.unpack_from("<I", data, end)
        return unpack_lzma(payload, data[end + 4:end + 4 + count], size), end + 4 + count
    except (IndexError, struct.error, lzma.LZMAError):
        raise Fault("%s: the block at byte %d is damaged" % (path, at)) from None


def read_header(data, path):
    """Kind, flags, number of points, streams."""
    if len(data) < 20 or data[:8] != MAGIC:
        raise Fault("%s: byte 0: not a point cache; it does not begin with BPHYSICS" % path)
    kind, count, streams = struct.unpack_from("<III", data, 8)
    if kind & 0xFFFC0000:
        raise NeedsProgram("%s: byte 8: of a big-endian machine; give the path of the program tidepool" % path)
    if count > POINTS_MAX or streams > 0xFF:
        raise Fault("%s: byte 12: %d points of streams 0x%x are no cache" % (path, count, streams))
    if kind & 0xFFFF not in KINDS:
        raise Fault("%s: byte 8: a cache of kind %d has no points" % (path, kind & 0xFFFF))
    return kind & 0xFFFF, kind & ~0xFFFF, count, streams


def read_bphys(path):
    """{stream: array}; `kind` is the simulation."""
    with open(path, "rb") as stream:
        data = stream.read()
    kind, flags, count, mask = read_header(data, path)
    present = [row for bit, row in enumerate(STREAMS) if mask >> bit & 1]
    points, at = {}, 20
    if flags & PACKED:
        for name, number, width in present:
            size = count * width * int(number[1])
            block, at = read_block(data, at, size, path)
            if len(block) != size:
                raise Fault("%s: stream %s has %d bytes, not %d" % (path, name, len(block), size))
            points[name] = numpy.frombuffer(block, "<" + number).reshape(count, width)
    else:
        record = numpy.dtype([(name, "<" + number, (width,)) for name, number, width in present])
        if len(data) < 20 + count * record.itemsize:
            raise Fault("%s: byte %d: cut; %d points take %d bytes" %
                        (path, len(data), count, 20 + count * record.itemsize))
        rows = numpy.frombuffer(data, record, count, 20)
        points = {name: rows[name] for name, _, _ in present}
    if kind == 2 and "avelocity" in points:
        del points["avelocity"]  # the targets of a cloth's nodes
    for name in ("index", "size"):
        if name in points:
            points[name] = points[name].reshape(count)
    points["kind"] = kind
    return points


def write_info(path, times):
    """The file that tells Blender when each particle of an external cache is born and dies: (n, 3) frames."""
    times = numpy.asarray(times, "<f4").reshape(-1, 3)
    with open(path, "wb") as stream:
        stream.write(MAGIC + struct.pack("<III", 1, len(times), 0x40) + times.tobytes())


# ---- tables ----

COLUMNS = {"location": ("x", "y", "z"), "velocity": ("vx", "vy", "vz"), "rotation": ("rw", "rx", "ry", "rz"),
           "avelocity": ("ax", "ay", "az"), "times": ("birth", "die", "life")}
ALIASES = {"id": "index", "radius": "size", "points:0": "x", "points:1": "y", "points:2": "z"}


def from_columns(names, columns, path):
    """Streams of named columns."""
    table = {ALIASES.get(name.lower(), name.lower()): column for name, column in zip(names, columns)}
    if "x" not in table or "y" not in table:
        raise Fault("%s: line 1: no columns x and y" % path)
    table.setdefault("z", numpy.zeros(len(table["x"])))
    points = {}
    for stream, wanted in COLUMNS.items():
        if all(name in table for name in wanted):
            points[stream] = numpy.stack([table[name] for name in wanted], 1).astype("f4")
    if "index" in table:
        points["index"] = table["index"].astype("u4")
    if "size" in table:
        points["size"] = table["size"].astype("f4")
    return points


def read_table(path):
    """{frame: points} of a table with a header line; frame None: it has no column `frame`."""
    with open(path, encoding="utf-8-sig") as stream:
        head = stream.readline().strip().lstrip("# ")
        mark = max(",;\t", key=head.count)
        names = [name.strip().strip('"') for name in head.split(mark)]
        try:
            rows = numpy.loadtxt(stream, "f8", delimiter=mark, ndmin=2)
        except ValueError as fault:
            raise Fault("%s: %s" % (path, fault)) from None
    if rows.size and rows.shape[1] != len(names):
        raise Fault("%s: %d columns below %d names" % (path, rows.shape[1], len(names)))
    columns = rows.T if rows.size else [numpy.zeros(0)] * len(names)
    if "frame" not in names:
        return {None: from_columns(names, columns, path)}
    if not rows.size:
        from_columns(names, columns, path)
        raise Fault("%s: no rows below the names" % path)
    of = columns[names.index("frame")].astype(int)
    return {int(frame): from_columns(names, [column[of == frame] for column in columns], path)
            for frame in numpy.unique(of)}


PLY_TYPES = {"char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1", "short": "i2", "int16": "i2", "ushort": "u2",
             "uint16": "u2", "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4", "float": "f4", "float32": "f4",
             "double": "f8", "float64": "f8"}


def ply_header(stream, path):
    """Order of bytes, number of points, [(property, type)]."""
    order, count, properties, element = None, 0, [], ""
    if stream.readline().strip() != b"ply":
        raise Fault("%s: line 1: not a PLY file" % path)
    for number, line in enumerate(stream, 2):
        words = line.decode("latin-1").split()
        if words[:1] == ["format"]:
            order = {"ascii": "a", "binary_little_endian": "<", "binary_big_endian": ">"}.get(words[1])
        elif words[:1] == ["element"]:
            element = words[1]
            if element == "vertex":
                count = int(words[2])
            elif not properties:
                raise NeedsProgram("%s: line %d: an element before the points" % (path, number))
        elif words[:1] == ["property"] and element == "vertex":
            if words[1] not in PLY_TYPES:
                raise Fault("%s: line %d: a property of type %s" % (path, number, words[1]))
            properties.append((words[2], PLY_TYPES[words[1]]))
        elif words == ["end_header"]:
            return order, count, properties
    raise Fault("%s: no end_header" % path)


def read_ply(path):
    with open(path, "rb") as stream:
        order, count, properties = ply_header(stream, path)
        names = [name for name, _ in properties]
        if order == "a":
            rows = numpy.loadtxt(stream, "f8", ndmin=2, max_rows=count) if count else numpy.zeros((0, len(names)))
            columns = list(rows.T)
        else:
            record = numpy.dtype([(name, (order or "<") + number) for name, number in properties])
            data = stream.read(count * record.itemsize)
            if len(data) < count * record.itemsize:
                raise Fault("%s: cut; %d points take %d bytes" % (path, count, count * record.itemsize))
            rows = numpy.frombuffer(data, record)
            columns = [rows[name] for name in names]
    if columns and len(columns[0]) != count:
        raise Fault("%s: %d points, not %d" % (path, len(columns[0]), count))
    return from_columns(names, columns, path)


def read_npz(path):
    with numpy.load(path) as arrays:
        points = {name: arrays[name] for name in arrays.files if name != "frame"}
    if "location" not in points or points["location"].ndim != 2:
        raise Fault("%s: no array `location` of points and 3 numbers" % path)
    return points


# ---- up axes ----

Y_UP = (".abc", ".bgeo", ".bgeo.sc", ".geo")  # by convention; files of USD state theirs


def ending_of(path):
    """The ending that says the format: without that of a packing."""
    base = re.sub(r"\.(gz|zst)$", "", os.path.basename(path).lower())
    return ".bgeo.sc" if base.endswith(".bgeo.sc") else os.path.splitext(base)[1]


def usual_axis(path):
    """The axis that usually points up in files of a format."""
    return "Y" if ending_of(path) in Y_UP else "Z"


def turned(points):
    """Points of a file whose y axis points up, for Blender, whose z axis does: (x, y, z) -> (x, -z, y)."""
    points = dict(points)
    for name in ("location", "velocity", "avelocity", "rotation"):
        if name in points:
            values = numpy.array(points[name])
            y, z = values[:, -2].copy(), values[:, -1].copy()
            values[:, -2], values[:, -1] = 0 - z, y
            points[name] = values
    return points


# ---- sequences ----


def reading(reader, path):
    """What a reader returns. Whatever a damaged file leads to in a library is a Fault."""
    try:
        return reader(path)
    except Fault:
        raise
    except Exception as fault:
        raise Fault("%s: %s" % (path, getattr(fault, "strerror", None) or "damaged: %s" % fault)) from None


class Sequence:
    """Frames of one simulation. `files` has a path per frame; `tables` the points themselves. `times`: births and
    deaths by index, in frames. `up_axis`: what the file states, Y or Z, or "". `is_turned`: read as of a y-up file."""

    up_axis, is_turned = "", False

    def __init__(self, name, files, reader, tables=None, times=None):
        self.name, self.files, self.reader, self.tables, self.times = name, files, reader, tables, times
        self.frames = sorted(tables if tables else files)

    def at(self, frame):
        """The last frame that is not after `frame`, or None: before the first one nothing is there."""
        place = bisect.bisect_right(self.frames, frame)
        return self.frames[place - 1] if place else None

    def read(self, frame):
        """The points that live in a frame, with the z axis up."""
        points = self.living(frame)
        return turned(points) if self.is_turned else points

    def living(self, frame):
        points = dict(self.tables[frame] if self.tables else reading(self.reader, self.files[frame]))
        if "location" not in points:
            raise Fault("%s: no locations" % (self.files[frame] if self.files else self.name))
        index = points.setdefault("index", numpy.arange(len(points["location"]), dtype="u4"))
        if self.times is None or not len(index) or index.max() >= len(self.times):
            return points
        times = self.times[index]
        living = (times[:, 0] <= frame) & (frame < times[:, 1])
        points["times"] = times
        return {name: values[living] if isinstance(values, numpy.ndarray) else values
                for name, values in points.items()}


def bphys_parts(path):
    """Folder, name, index of a file of a cache, or None."""
    found = re.fullmatch(r"(.*)_(\d{6})_(\d{2})\.bphys", os.path.basename(path))
    return (os.path.dirname(path), found[1], found[3]) if found else None


def bphys_files(path):
    """{frame: path} of the cache that a file belongs to; frame 0 is its info file."""
    parts = bphys_parts(path)
    if not parts:
        raise Fault("%s: a cache is named NAME_000001_00.bphys" % path)
    folder, name, index = parts
    pattern = re.compile(re.escape(name) + r"_(\d{6})_" + index + r"\.bphys")
    matches = ((pattern.fullmatch(file), file) for file in sorted(os.listdir(folder or ".")))
    return {int(found[1]): os.path.join(folder, file) for found, file in matches if found}


def is_info(path):
    """True for an info file, which has times instead of points."""
    with open(path, "rb") as stream:
        head = stream.read(20)
    return len(head) == 20 and struct.unpack_from("<I", head, 16)[0] & 2 == 0


def numbered_files(path):
    """{frame: path} of the files whose names differ from a file's in the last number only."""
    folder, base = os.path.split(path)
    found = re.fullmatch(r"(.*?)(\d+)(\.[A-Za-z]+(?:\.(?:sc|gz|zst))?)", base)
    if not found:
        return {1: path}
    pattern = re.compile(re.escape(found[1]) + r"(\d+)" + re.escape(found[3]))
    matches = ((pattern.fullmatch(file), file) for file in sorted(os.listdir(folder or ".")))
    return {int(match[1]): os.path.join(folder, file) for match, file in matches if match}


def listed_files(path):
    """The files that a list of ParaView names, those that exist."""
    with open(path, encoding="utf-8", errors="replace") as stream:
        names = re.findall(r"""\bfile\s*=\s*["']([^"']+)["']""", stream.read())
    paths = (os.path.join(os.path.dirname(path), name) for name in names)
    return [each for each in paths if os.path.isfile(each)]


def sequence_files(path):
    """Every file of the sequence of a file, of any format."""
    if bphys_parts(path):
        return sorted(bphys_files(path).values())
    if ending_of(path) == ".pvd":
        return [path] + listed_files(path)
    if ending_of(path) == ".npy":  # NAME_STREAM.npy
        folder, base = os.path.split(path)
        start = base.rpartition("_")[0]
        names = [name for name in sorted(os.listdir(folder or ".")) if name.startswith(start) and name.endswith(".npy")]
        return [os.path.join(folder, name) for name in names]
    return sorted(numbered_files(path).values())


def stem(path):
    """The name of the sequence of a file: without its number and ending."""
    parts = bphys_parts(path)
    if parts:
        return parts[1]
    base = re.sub(r"\.(gz|zst|sc)$", "", os.path.basename(path))
    return re.sub(r"[._]?\d*\.[a-z]+$", "", base) or base


def of_a_file(tables):
    """The points of a table with one frame, whatever its number."""
    return next(iter(tables.values()))


def open_cache(path):
    files, times = bphys_files(path), None
    if 0 in files and is_info(files[0]):
        times = reading(read_bphys, files.pop(0)).get("times")
    if not files:
        raise Fault("%s: the cache has no frames" % path)
    return Sequence(bphys_parts(path)[1], files, read_bphys, None, times)


def open_sequence(path):
    """The sequence that a file belongs to. Other formats raise NeedsProgram."""
    ending = os.path.splitext(path)[1].lower()
    if ending == ".bphys":
        return open_cache(path)
    if ending == ".csv":
        tables, files = reading(read_table, path), numbered_files(path)
        if None in tables or (len(tables) == 1 and len(files) > 1):
            return Sequence(stem(path), files, lambda file: of_a_file(read_table(file)))
        return Sequence(stem(path), None, None, tables)
    readers = {".ply": read_ply, ".npz": read_npz}
    if ending in readers:
        return Sequence(stem(path), numbered_files(path), readers[ending])
    raise NeedsProgram("%s: this format needs the program tidepool: give its path in the preferences" % path)


# ---- what may be wrong with a cache ----


def check_cache(path):
    """Sentences on what is wrong with a cache of .bphys files, at most ten; none: nothing is."""
    files, faults, kinds, counts = bphys_files(path), [], set(), set()
    info = files.pop(0) if 0 in files and is_info(files[0]) else None
    if not files:
        return ["The cache has no frames."]
    for frame in sorted(files):
        try:
            points = reading(read_bphys, files[frame])
            if "location" not in points:
                raise Fault("%s: byte 16: no locations" % files[frame])
        except NeedsProgram:
            continue
        except (Fault, OSError) as fault:
            faults.append("Frame %d: %s." % (frame, fault))
            continue
        kinds.add(points["kind"])
        counts.add(len(points["location"]))
        if not numpy.isfinite(points["location"]).all():
            faults.append("Frame %d: %s: a location is not finite." % (frame, files[frame]))
        if "index" in points and (numpy.diff(points["index"].astype("i8")) <= 0).any():
            faults.append("Frame %d: %s: the indices do not rise; Blender finds only some points." %
                          (frame, files[frame]))
    if len(kinds) > 1:
        faults.append("The frames are of several simulations: %s." % ", ".join(sorted(KINDS[kind] for kind in kinds)))
    if kinds == {1} and not info:
        faults.append("There is no info file %s_000000_%s.bphys: as an external cache Blender does not know when "
                      "particles are born and die." % bphys_parts(path)[1:])
    if kinds & {0, 2} and len(counts) > 1:
        faults.append("The frames have %d to %d points; those of a mesh must have the same." %
                      (min(counts), max(counts)))
    return faults[:10]
