# SPDX-License-Identifier: MIT
# tests/interop/blender_check.py - asks Blender what it shows for an external particle cache, and compares with a table.
#   reads   blender -b --factory-startup --python blender_check.py -- FOLDER NAME TABLE.csv forwards|backwards
#   writes  a line a difference (five at most), then `blender_check: N points in F frames, worst W: equal` or `different`
#   memory  the table      cost  one frame change a frame of the table
#   after   Blender's documented Python interface; exit 0 equal, 1 different, 2 Blender did not take the cache
import array
import csv
import os
import sys

TOLERANCE = 1e-5  # of the largest coordinate, at least 1: Blender stores what it reads in 32 bits, as we do


def read_table(path):
    """{frame: [(index, position, velocity or None)]}"""
    frames = {}
    with open(path, newline="") as stream:
        for row in csv.DictReader(stream):
            position = tuple(float(row[axis]) for axis in ("x", "y", "z"))
            velocity = tuple(float(row[axis]) for axis in ("vx", "vy", "vz")) if row.get("vx") else None
            frames.setdefault(int(row["frame"]), []).append((int(row["index"]), position, velocity))
    return frames


def make_emitter(bpy, points):
    """An object whose particle system has room for the points; where it stands must not matter."""
    mesh = bpy.data.meshes.new("emitter")
    mesh.from_pydata([(-1, -1, 0), (1, -1, 0), (0, 1, 0)], [], [(0, 1, 2)])
    emitter = bpy.data.objects.new("emitter", mesh)
    emitter.location = (2.0, -1.0, 3.0)
    emitter.rotation_euler = (0.3, -0.2, 0.9)
    bpy.context.scene.collection.objects.link(emitter)
    emitter.modifiers.new("particles", "PARTICLE_SYSTEM")
    settings = emitter.particle_systems[0].settings
    settings.count = points
    settings.frame_start = settings.frame_end = 1
    settings.lifetime = 10000
    settings.physics_type = "NEWTON"
    return emitter


def use_cache(emitter, folder, name):
    cache = emitter.particle_systems[0].point_cache
    cache.use_external = True
    cache.index = 0
    cache.name = name
    cache.filepath = os.path.join(os.path.abspath(folder), "")
    return cache


def shown(bpy, emitter):
    """What Blender shows now: positions and velocities, three floats a point."""
    evaluated = emitter.evaluated_get(bpy.context.evaluated_depsgraph_get())
    particles = evaluated.particle_systems[0].particles
    positions = array.array("f", bytes(12 * len(particles)))
    velocities = array.array("f", bytes(12 * len(particles)))
    particles.foreach_get("location", positions)
    particles.foreach_get("velocity", velocities)
    return positions, velocities


class Comparison:
    def __init__(self):
        self.points = self.differences = 0
        self.worst = 0.0

    def take(self, frame, what, index, wanted, values):
        have = values[3 * index:3 * index + 3]
        error = float("inf")
        if len(have) == 3:
            error = max(abs(a - b) / max(1.0, abs(a)) for a, b in zip(wanted, have))
        self.worst = max(self.worst, error)
        if error <= TOLERANCE:
            return
        self.differences += 1
        if self.differences <= 5:
            print(f"frame {frame} point {index} {what}: the table has {wanted}, Blender shows {list(have)}")


def compare(bpy, emitter, table, order):
    comparison = Comparison()
    first, last = min(table), max(table)
    for frame in range(first, last + 1) if order == "forwards" else range(last, first - 1, -1):
        bpy.context.scene.frame_set(frame)
        positions, velocities = shown(bpy, emitter)
        for index, position, velocity in table.get(frame, []):
            comparison.points += 1
            comparison.take(frame, "position", index, position, positions)
            if velocity:
                comparison.take(frame, "velocity", index, velocity, velocities)
    return comparison


def main():
    import bpy
    folder, name, path, order = sys.argv[sys.argv.index("--") + 1:]
    table = read_table(path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    emitter = make_emitter(bpy, 1 + max(point[0] for points in table.values() for point in points))
    cache = use_cache(emitter, folder, name)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = min(table), max(table)
    print(f"blender_check: Blender {bpy.app.version_string} says: {cache.info}")
    result = compare(bpy, emitter, table, order)
    good = result.differences == 0 and result.points > 0
    print(f"blender_check: {result.points} points in {len(table)} frames, worst {result.worst:.3g}:",
          "equal" if good else "different")
    return 0 if good else 1


try:
    code = main()
except BaseException as problem:
    print("blender_check:", repr(problem))
    code = 2
sys.stdout.flush()
os._exit(code)
