# SPDX-License-Identifier: MIT
# tests/interop/blender_check.py - compares the points that Blender shows for an external cache with a table.
#   reads   blender -b --factory-startup --python blender_check.py -- FOLDER NAME TABLE.csv forwards|backwards
#           particles|cloth|softbody|hair [STEP [TOLERANCE [MESH.obj]]]: STEP is the cache step of the system
#           that plays the cache; TOLERANCE is relative to each value, or location=E,velocity=E,...: the largest
#           error of a component, 0 for components that are not named; MESH is what a cloth or soft body is of.
#           On the first frame Blender shows that mesh at rest: the targets (xconst) of the table are its vertices
#   writes  one line per difference (five at most), then `blender_check: N points in F frames, worst W: equal`
#           or `different`
#   memory  the table      cost  one frame change per frame of the table
#   after   Blender's documented Python interface; exit 0 equal, 1 different, 2 Blender did not accept the
#           cache
import array
import csv
import os
import sys

TOLERANCE = "1e-5"  # relative to the largest coordinate, at least 1: Blender stores 32-bit values, as we do


COLUMNS = {  # what Blender calls it: the table's columns
    "location": ("x", "y", "z"),
    "velocity": ("vx", "vy", "vz"),
    "rotation": ("rw", "rx", "ry", "rz"),
    "angular_velocity": ("ax", "ay", "az"),
    "birth_time": ("birth",),
    "die_time": ("die",),
    "alive_state": ("alive",),  # 1 dead, 2 unborn, 3 alive
}
HAIR_POINTS = 6  # of a hair in a cache; the first is inside its root, and not shown


def read_table(path):
    """{frame: [(index, {what: values})]}"""
    frames = {}
    with open(path, newline="") as stream:
        for row in csv.DictReader(stream):
            values = {what: tuple(float(row[name]) for name in names)
                      for what, names in COLUMNS.items() if row.get(names[0])}
            frames.setdefault(int(row["frame"]), []).append((int(row["index"]), values))
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
    settings.use_rotations = settings.use_dynamic_rotation = True
    return emitter, emitter.particle_systems[0].point_cache


def make_hair(bpy, points):
    """Hairs that move."""
    mesh = bpy.data.meshes.new("skin")
    mesh.from_pydata([(-1, -1, 0), (1, -1, 0), (0, 1, 0)], [], [(0, 1, 2)])
    skin = bpy.data.objects.new("skin", mesh)
    bpy.context.scene.collection.objects.link(skin)
    skin.modifiers.new("hair", "PARTICLE_SYSTEM")
    system = skin.particle_systems[0]
    system.settings.type = "HAIR"
    system.settings.count, system.settings.hair_step = points // HAIR_POINTS, HAIR_POINTS - 2
    system.use_hair_dynamics = True
    return skin, system.point_cache


def strip_of(bpy, points):
    """Any mesh with so many vertices: a strip of triangles. Its shape must not matter."""
    mesh = bpy.data.meshes.new("strip")
    corners = [(0.1 * i, 0.1 * (i % 2), 0) for i in range(points)]
    mesh.from_pydata(corners, [], [(i, i + 1, i + 2) for i in range(points - 2)])
    strip = bpy.data.objects.new("strip", mesh)
    bpy.context.scene.collection.objects.link(strip)
    return strip


def import_mesh(bpy, path):
    bpy.ops.wm.obj_import(filepath=os.path.abspath(path))
    return bpy.context.selected_objects[0]


def make_mesh(bpy, points, kind, path):
    strip = import_mesh(bpy, path) if path else strip_of(bpy, points)
    modifier = strip.modifiers.new("simulation", "CLOTH" if kind == "cloth" else "SOFT_BODY")
    if kind == "softbody":
        modifier.settings.use_goal = False
    return strip, modifier.point_cache


def use_cache(cache, folder, name):
    cache.use_external = True
    cache.index = 0
    cache.name = name
    cache.filepath = os.path.join(os.path.abspath(folder), "")
    return cache


def shown(bpy, item, kind):
    """What Blender shows now: {what: floats of all points}"""
    evaluated = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
    if kind == "hair":
        hidden = (float("nan"),) * 3
        return {"location": array.array("f", [value for hair in evaluated.particle_systems[0].particles
                                              for point in (hidden, *(key.co for key in hair.hair_keys))
                                              for value in point])}
    if kind != "particles":
        mesh = evaluated.to_mesh()
        places = array.array("f", [value for vertex in mesh.vertices for value in evaluated.matrix_world @ vertex.co])
        evaluated.to_mesh_clear()
        return {"location": places}
    particles = evaluated.particle_systems[0].particles
    values = {}
    for what, names in COLUMNS.items():
        values[what] = array.array("i" if what == "alive_state" else "f", bytes(4 * len(names) * len(particles)))
        particles.foreach_get(what, values[what])
    return values


def bound_of(text):
    """A function of what and a value: how far off it may be. Bounds by name bear no slack but that of the mesh, whose
    vertices Blender moves from the object's space."""
    if "=" not in text:
        return lambda what, value: float(text) * max(1.0, abs(value))
    bounds = {name: float(bound) for name, bound in (part.split("=") for part in text.split(","))}
    slack = bounds.pop("slack", 0.0)
    return lambda what, value: bounds.get(what, 0.0) + slack * max(1.0, abs(value))


class Comparison:
    def __init__(self, bound):
        self.bound = bound
        self.points = self.differences = 0
        self.worst = 0.0

    def take(self, frame, what, index, wanted, values):
        width = len(wanted)
        have = values[width * index:width * index + width]
        error = float("inf")
        good = len(have) == width
        if good:
            error = max(abs(a - b) / max(1.0, abs(a)) for a, b in zip(wanted, have))
            good = all(abs(a - b) <= self.bound(what, a) for a, b in zip(wanted, have))
        self.worst = max(self.worst, error)
        if good:
            return
        self.differences += 1
        if self.differences <= 5:
            print(f"frame {frame} point {index} {what}: the table has {wanted}, Blender shows {list(have)}")


def compare(bpy, item, table, order, kind, bound, has_rest):
    comparison = Comparison(bound)
    first, last = min(table), max(table)
    for frame in range(first, last + 1) if order == "forwards" else range(last, first - 1, -1):
        bpy.context.scene.frame_set(frame)
        is_rest = kind != "particles" and frame == first  # there Blender shows a mesh in its rest shape
        if is_rest and not has_rest:
            continue
        values = shown(bpy, item, kind)
        if is_rest:
            values = {"angular_velocity": values["location"]}  # the columns of a cloth's targets
        for index, wanted in table.get(frame, []):
            if kind == "hair" and index % HAIR_POINTS == 0:
                continue
            comparison.points += 1
            for what in wanted.keys() & values.keys():
                comparison.take(frame, what, index, wanted[what], values[what])
    return comparison


def main():
    import bpy
    folder, name, path, order, kind, *more = sys.argv[sys.argv.index("--") + 1:]
    table = read_table(path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    points = 1 + max(point[0] for rows in table.values() for point in rows)
    path = more[2] if len(more) > 2 else None
    item, cache = make_emitter(bpy, points) if kind == "particles" else \
        make_hair(bpy, points) if kind == "hair" else make_mesh(bpy, points, kind, path)
    use_cache(cache, folder, name)
    if more:
        cache.frame_step = int(more[0])
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = min(table), max(table)
    print(f"blender_check: Blender {bpy.app.version_string} says: {cache.info}")
    result = compare(bpy, item, table, order, kind, bound_of(more[1] if len(more) > 1 else TOLERANCE), path is not None)
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
