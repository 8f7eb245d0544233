# SPDX-License-Identifier: MIT
# host_tools/blender/program.py - the program `tidepool`, where it is installed: converts what this add-on cannot read.
#   reads   the preferences of the add-on, PATH      writes  converted frames below the folder for temporary files
#   memory  none; a folder of converted frames per sequence      cost  one start of the program per sequence
#   after   own design: converted frames are kept while the files of the sequence do not change
import hashlib
import json
import os
import shutil
import subprocess
import tempfile

import bpy

from . import points


def preferences():
    addon = bpy.context.preferences.addons.get(__package__)
    return addon.preferences if addon else None


def find():
    """The path of the program, or None."""
    chosen = preferences()
    given = bpy.path.abspath(chosen.program) if chosen and chosen.program else ""
    if given:
        return given if os.access(given, os.X_OK) and os.path.isfile(given) else None
    return shutil.which("tidepool")


def run(*arguments):
    """What the program prints. Its failure is a Fault with its message."""
    program = find()
    if not program:
        raise points.NeedsProgram("The program tidepool was not found: give its path in the preferences of the add-on")
    done = subprocess.run([program, *arguments], capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise points.Fault((done.stderr or done.stdout).strip() or "tidepool ended with %d" % done.returncode)
    return done.stdout


def axis_options(path, up_axis):
    """Options of `tidepool convert` that turn a file on its way to a cache. A file of USD states its axis."""
    if up_axis == "AUTO" and points.usual_axis(path) != "Y":
        return ()
    return "--axis", "z-up" if up_axis == "Z" else "y-up"


def hash_of(lines):
    return hashlib.sha1("\n".join(lines).encode(errors="surrogateescape")).hexdigest()[:16]


def key_of(path):
    """Changes with the name, size or time of any file of the sequence. It begins with a part of the path alone."""
    lines = []
    for file in points.sequence_files(path):
        state = os.stat(file)
        lines.append("%s %d %d" % (os.path.abspath(file), state.st_size, state.st_mtime_ns))
    return hash_of([os.path.abspath(path)]) + "-" + hash_of(lines)


def convert_into(folder, path):
    """One .npz file a frame, not turned, and the up axis that the file states: y, z or nothing."""
    run("convert", path, os.path.join(folder, "frame.*.npz"), "--quiet")
    shown = json.loads(run("info", path, "--json"))
    if "up_axis" not in shown:
        raise points.Fault("%s is older than this add-on: it lacks up_axis of `tidepool info --json`; update it" %
                           find())
    with open(os.path.join(folder, "up_axis"), "w", encoding="ascii") as stream:
        stream.write(shown["up_axis"] or "")


def remove_old_copies(folder):
    """Of the copies of one sequence, `folder` and the one before it stay: another Blender may show that."""
    place, name = os.path.split(folder)
    start = name.rpartition("-")[0] + "-"
    others = [os.path.join(place, other) for other in os.listdir(place) if other.startswith(start) and other != name]
    for other in sorted(others, key=os.path.getmtime)[:-1]:
        shutil.rmtree(other, ignore_errors=True)


def converted(path):
    """A sequence of any format, converted to one .npz file a frame."""
    folder = os.path.join(tempfile.gettempdir(), "tidepool-" + key_of(path))
    if not os.path.isdir(folder):
        making = tempfile.mkdtemp(prefix="tidepool-")
        try:
            convert_into(making, path)
            os.rename(making, folder)
            remove_old_copies(folder)
        except OSError:
            pass  # another Blender was faster
        finally:
            shutil.rmtree(making, ignore_errors=True)
    first = min(file for file in os.listdir(folder) if file.endswith(".npz"))
    sequence = points.open_sequence(os.path.join(folder, first))
    sequence.name = points.stem(path)
    with open(os.path.join(folder, "up_axis"), encoding="ascii") as stream:
        sequence.up_axis = stream.read().upper()
    return sequence


def read_or_converted(path):
    try:
        sequence = points.open_sequence(path)
        if sequence.reader is points.read_bphys:
            sequence.read(sequence.frames[0])  # is it packed by Blender 5?
        return sequence
    except points.NeedsProgram:
        if not find():
            raise
        return converted(path)


def open_sequence(path, up_axis):
    """The sequence of a file: read here if that is possible, otherwise by the program. `up_axis` of the file: Y, Z, or
    AUTO for what the file states or its format usually has."""
    path = bpy.path.abspath(path)
    sequence = read_or_converted(path)
    sequence.is_turned = (sequence.up_axis or points.usual_axis(path) if up_axis == "AUTO" else up_axis) == "Y"
    return sequence
