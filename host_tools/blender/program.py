# SPDX-License-Identifier: MIT
# host_tools/blender/program.py - the program `tidepool`, where it is installed: converts what this add-on cannot read.
#   reads   the preferences of the add-on, PATH      writes  converted frames below the folder for temporary files
#   memory  none; a folder of converted frames per sequence      cost  one start of the program per sequence
#   after   own design: converted frames are kept while the file does not change
import hashlib
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


def converted(path):
    """A sequence of any format, converted to one .npz file a frame."""
    state = os.stat(path)
    key = "%s %d %d" % (os.path.abspath(path), state.st_size, state.st_mtime_ns)
    folder = os.path.join(tempfile.gettempdir(), "tidepool-" + hashlib.sha1(key.encode()).hexdigest()[:16])
    if not os.path.isdir(folder):
        making = tempfile.mkdtemp(prefix="tidepool-")
        try:
            run("convert", path, os.path.join(making, "frame.*.npz"), "--quiet")
            os.rename(making, folder)
        except OSError:
            pass  # another Blender was faster
        finally:
            shutil.rmtree(making, ignore_errors=True)
    first = min(file for file in os.listdir(folder) if file.endswith(".npz"))
    sequence = points.open_sequence(os.path.join(folder, first))
    sequence.name = points.stem(path)
    return sequence


def open_sequence(path):
    """The sequence of a file: read here if that is possible, otherwise by the program."""
    path = bpy.path.abspath(path)
    try:
        sequence = points.open_sequence(path)
        if sequence.reader is points.read_bphys:
            sequence.read(sequence.frames[0])  # is it packed by Blender 5?
        return sequence
    except points.NeedsProgram:
        if not find():
            raise
        return converted(path)
