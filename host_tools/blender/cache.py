# SPDX-License-Identifier: MIT
# host_tools/blender/cache.py - external caches: sets one up, bakes in the background, exports, and says what is wrong.
#   reads   .bphys sequences, particle systems      writes  systems that play a cache; caches; tables
#   memory  one frame      cost  one file per frame; a bake takes a second Blender
#   after   Blender's documented Python interface, 3.4 to 5.0
import csv
import os
import shutil
import subprocess
import tempfile

import bpy
import numpy

from . import points, program


# ---- external caches ----


def as_bphys(path, folder, up_axis):
    """The path of a file of a z-up cache with the sequence, converted into `folder` unless the file is of one."""
    if points.bphys_parts(path) and up_axis != "Y":
        return path
    name = points.stem(path) + ("_z_up" if points.bphys_parts(path) else "")
    os.makedirs(folder, exist_ok=True)
    program.run("convert", path, os.path.join(folder, name), "--to", "bphys", "--quiet",
                *program.axis_options(path, up_axis))
    return os.path.join(folder, name + "_000001_00.bphys")


def play(cache, path):
    """Lets a point cache of Blender play the files that `path` is one of."""
    folder, name, index = points.bphys_parts(path)
    cache.use_external = True
    cache.index = int(index)
    cache.name = name
    cache.filepath = os.path.join(folder, "")


def particles_of(files):
    """Number of particles that a cache holds."""
    if 0 in files and points.is_info(files[0]):
        with open(files[0], "rb") as stream:
            return points.read_header(stream.read(20), files[0])[2]
    most = 0
    for frame in files:
        read = points.read_bphys(files[frame])
        index = read.get("index", numpy.arange(len(read["location"])))
        most = max(most, int(index.max()) + 1 if len(index) else 0)
    return most


def add_emitter(context, name, count, frames):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([(-0.5, -0.5, 0), (0.5, -0.5, 0), (0.5, 0.5, 0), (-0.5, 0.5, 0)], [], [(0, 1, 2, 3)])
    emitter = bpy.data.objects.new(name, mesh)
    context.collection.objects.link(emitter)
    emitter.modifiers.new(name, "PARTICLE_SYSTEM")
    system = emitter.particle_systems[0]
    system.settings.count = max(count, 1)
    system.settings.frame_start = system.settings.frame_end = min(frames)
    system.settings.lifetime = max(frames) + 1
    system.settings.physics_type = "NEWTON"
    emitter.show_instancer_for_viewport = emitter.show_instancer_for_render = False
    return emitter, system.point_cache


def add_sheet(context, kind, count):
    """The cache of a new modifier of the active mesh, which plays a cloth or a soft body."""
    target = context.active_object
    if not target or target.type != "MESH" or len(target.data.vertices) != count:
        raise points.Fault("The cache is of a %s with %d vertices: select its mesh first" % (points.KINDS[kind], count))
    modifier = target.modifiers.new("Cache", "CLOTH" if kind == 2 else "SOFT_BODY")
    if kind == 0:
        modifier.settings.use_goal = False
    return target, modifier.point_cache


def set_up(context, path, up_axis):
    """An object whose simulation is the external cache that a file belongs to. Returns it and a warning, or "".
    `up_axis` of the file: Y, Z, or AUTO for what the file states or its format usually has."""
    path = bpy.path.abspath(path)
    home = os.path.dirname(bpy.data.filepath) if bpy.data.filepath else tempfile.gettempdir()
    path = as_bphys(path, os.path.join(home, "tidepool_cache"), up_axis)
    files = points.bphys_files(path)
    frames = sorted(frame for frame in files if frame > 0)
    if not frames:
        raise points.Fault("%s: the cache has no frames" % path)
    with open(files[frames[0]], "rb") as stream:
        kind, _, count, _ = points.read_header(stream.read(20), files[frames[0]])
    if kind == 1:
        target, cache = add_emitter(context, points.bphys_parts(path)[1], particles_of(files), frames)
    elif kind in (0, 2):
        target, cache = add_sheet(context, kind, count)
    else:
        raise points.Fault("%s: Blender has no external caches of %s" % (path, points.KINDS[kind]))
    play(cache, path)
    scene = context.scene
    scene.frame_start, scene.frame_end = min(scene.frame_start, frames[0]), max(scene.frame_end, frames[-1])
    missing = kind == 1 and 0 not in files
    return target, "No info file: Blender takes all particles as alive in frame %d" % frames[0] if missing else ""


# ---- the active cache ----


def caches_of(target):
    """[(name, point cache)] of the simulations of an object."""
    found = [(system.name, system.point_cache) for system in target.particle_systems]
    return found + [(modifier.name, modifier.point_cache) for modifier in target.modifiers
                    if modifier.type in ("CLOTH", "SOFT_BODY")]


def default_name(target):
    """The name that Blender gives to files of a cache without one: the object's, two hexadecimal digits a byte."""
    return "".join("%02X" % byte for byte in target.name.encode())


def files_of(target, cache):
    """The path of any file of a cache on disk, or None."""
    if cache.use_external:
        folder, name = bpy.path.abspath(cache.filepath), cache.name
    elif cache.use_disk_cache and bpy.data.filepath:
        base = os.path.splitext(os.path.basename(bpy.data.filepath))[0]
        folder, name = os.path.join(os.path.dirname(bpy.data.filepath), "blendcache_" + base), cache.name
    else:
        return None
    name = name or default_name(target)
    for file in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        parts = points.bphys_parts(file)
        if parts and parts[1] == name and (not cache.use_external or int(parts[2]) == cache.index):
            return os.path.join(folder, file)
    return None


def faults_of(target):
    """Sentences on what is wrong with the caches of an object, from here and from the program if it is found."""
    found = caches_of(target)
    if not found:
        return ["%s has no particles, cloth or soft body." % target.name]
    sentences = []
    for name, cache in found:
        path = files_of(target, cache)
        if not path:
            where = "its folder has no file of that name and index" if cache.use_external else \
                "it is in memory; tick Disk Cache or External"
            sentences.append("%s: no files to check: %s." % (name, where))
            continue
        sentences += ["%s: %s" % (name, fault) for fault in points.check_cache(path)]
        if cache.use_external and cache.index < 0:
            sentences.append("%s: index -1 finds no files; it must be that of their names." % name)
        if program.find():
            try:
                program.run("verify", path)
            except points.Fault as fault:
                sentences += ["%s: %s" % (name, line) for line in str(fault).splitlines()[:8]]
    return sentences


# ---- bakes ----


def bake_in_background(target, name, frames):
    """Starts a second Blender that bakes a particle system of a copy of this file. Returns the process, and the path
    that its cache will have."""
    if not bpy.data.filepath:
        raise points.Fault("Save the file first: the cache is written beside it")
    folder = os.path.join(os.path.dirname(bpy.data.filepath), "tidepool_bake")
    base = bpy.path.clean_name(target.name + "_" + name)
    os.makedirs(folder, exist_ok=True)
    copy = os.path.join(folder, base + ".blend")
    shutil.rmtree(os.path.join(folder, "blendcache_" + base), ignore_errors=True)
    bpy.ops.wm.save_as_mainfile(filepath=copy, copy=True, check_existing=False)
    script = os.path.join(os.path.dirname(__file__), "bake.py")
    process = subprocess.Popen([bpy.app.binary_path, "-b", copy, "--python-exit-code", "1", "--python", script, "--",
                                target.name, name, base, str(frames[0]), str(frames[1])],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    return process, os.path.join(folder, "blendcache_" + base, base + "_000000_00.bphys")


# ---- export ----


def frame_of_particles(system):
    """Living particles of an evaluated system as columns of a table."""
    particles = [particle for particle in enumerate(system.particles) if particle[1].alive_state == "ALIVE"]
    for index, particle in particles:
        yield [index, *particle.location, *particle.velocity, particle.size, particle.birth_time, particle.die_time,
               particle.lifetime]


def frame_of_vertices(target):
    mesh = target.to_mesh()
    for vertex in mesh.vertices:
        yield [vertex.index, *(target.matrix_world @ vertex.co)]
    target.to_mesh_clear()


def y_up(row):
    """A row of a table for a file whose y axis points up: (x, y, z) -> (x, z, -y), of locations and velocities."""
    row = list(row)
    for at in (2, 5) if len(row) > 5 else (2,):
        row[at], row[at + 1] = row[at + 1], 0 - row[at]
    return row


def write_table(context, target, path, is_y_up):
    """Every frame of the scene as rows of a table: particles of the first system, otherwise vertices."""
    scene, of_particles, before = context.scene, len(target.particle_systems) > 0, context.scene.frame_current
    names = "frame,index,x,y,z" + (",vx,vy,vz,size,birth,die,life" if of_particles else "")
    with open(path, "w", newline="", encoding="ascii") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(names.split(","))
        for frame in range(scene.frame_start, scene.frame_end + 1):
            scene.frame_set(frame)
            now = target.evaluated_get(context.evaluated_depsgraph_get())
            rows = frame_of_particles(now.particle_systems[0]) if of_particles else frame_of_vertices(now)
            for row in map(y_up, rows) if is_y_up else rows:
                table.writerow([frame, row[0], *("%.9g" % value for value in row[1:])])
    scene.frame_set(before)


def convert_table(table, path, is_y_up):
    """The program turns what comes from a format that is always z-up, and states it in USD: a clip keeps every bit."""
    if not is_y_up:
        program.run("convert", table, path, "--quiet")
        return
    clip = os.path.join(os.path.dirname(table), "table.tpc")
    program.run("convert", table, clip, "--quiet")
    program.run("convert", clip, path, "--axis", "y-up", "--quiet")


def export(context, target, path, up_axis):
    """Writes a sequence in the format of the path's ending; all but .csv need the program. `up_axis` of the file: Y, Z,
    or AUTO for what its format usually has."""
    is_y_up = (points.usual_axis(path) if up_axis == "AUTO" else up_axis) == "Y"
    if is_y_up and points.ending_of(path) in (".bphys", ".tpc"):
        raise points.Fault("%s: this format is always z-up: choose Automatic or Z" % path)
    if path.lower().endswith(".csv"):
        write_table(context, target, path, is_y_up)
        return
    if not program.find():
        raise points.NeedsProgram("Formats other than .csv need the program tidepool: give its path in the preferences")
    folder = tempfile.mkdtemp(prefix="tidepool-")
    try:
        table = os.path.join(folder, "table.csv")
        write_table(context, target, table, False)
        convert_table(table, path, is_y_up)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
