# SPDX-License-Identifier: MIT
# tests/interop/blender_cloth.py - bakes a cloth that hangs freely in Blender, and exports its mesh.
#   reads   blender -b --factory-startup --python blender_cloth.py -- FOLDER
#           python3 blender_cloth.py apart A.csv B.csv: distances of their points in the frames of A
#   writes  FOLDER/curtain.obj, FOLDER/curtain.ply, FOLDER/blendcache_cloth/curtain_FFFFFF_00.bphys, then
#           `blender_cloth: N vertices: done`
#   memory  a small simulation      cost  some seconds
#   after   Blender's documented Python interface; exit 0 done, 2 Blender could not
import csv
import math
import os
import sys

LAST = 40
CELLS = 12  # 169 vertices


def add_curtain(bpy):
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=CELLS, y_subdivisions=CELLS, size=2, location=(0, 0, 3))
    curtain = bpy.context.object
    curtain.name = "Curtain"
    for face in curtain.data.polygons:
        face.use_smooth = True  # or the exporter of .ply files gives each face its own vertices
    count = len(curtain.data.vertices)
    pinned = curtain.vertex_groups.new(name="pinned")
    pinned.add([count - 1 - CELLS, count - 1], 1.0, "REPLACE")
    return curtain


def export(bpy, folder):
    import addon_utils
    addon_utils.enable("io_mesh_ply")
    bpy.ops.wm.obj_export(filepath=os.path.join(folder, "curtain.obj"), export_selected_objects=True,
                          export_materials=False)
    bpy.ops.export_mesh.ply(filepath=os.path.join(folder, "curtain.ply"), use_selection=True, use_uv_coords=False)


def main():
    import bpy
    folder = os.path.abspath(sys.argv[sys.argv.index("--") + 1])
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, LAST
    curtain = add_curtain(bpy)
    export(bpy, folder)
    cloth = curtain.modifiers.new("cloth", "CLOTH")
    cloth.settings.vertex_group_mass = "pinned"
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(folder, "cloth.blend"))
    cache = cloth.point_cache
    cache.use_disk_cache, cache.compression, cache.name = True, "NO", "curtain"
    cache.frame_start, cache.frame_end = 1, LAST
    bpy.ops.ptcache.bake_all(bake=True)
    settings = cloth.settings
    print(f"blender_cloth: mass {settings.mass:.3g}, tension {settings.tension_stiffness:.3g}, "
          f"air {settings.air_damping:.3g}, {scene.render.fps} frames per second")
    print(f"blender_cloth: {len(curtain.data.vertices)} vertices: done")
    return 0


def read_points(path):
    points = {}
    with open(path, newline="") as stream:
        for row in csv.DictReader(stream):
            points.setdefault(int(row["frame"]), []).append(tuple(float(row[axis]) for axis in "xyz"))
    return points


def apart(a, b):
    """How far a cloth that went on is from Blender's: exactly there at first, then near it."""
    ours, blenders = read_points(a), read_points(b)
    first, worst, mean, way = min(ours), 0.0, 0.0, 0.0
    for frame, points in ours.items():
        gaps = [math.dist(x, y) for x, y in zip(points, blenders[frame], strict=True)]
        worst, mean = max(worst, *gaps), max(mean, sum(gaps) / len(gaps))
        way = max(way, *map(math.dist, blenders[first], blenders[frame]))
    good = ours[first] == blenders[first] and worst < 0.25 and mean < 0.06 and way > 3
    print(f"blender_cloth: {len(ours)} frames, {worst:.3g} m at most and {mean:.3g} m on average in a frame, of a way "
          f"of {way:.3g} m:", "near" if good else "far")
    return 0 if good else 1


if sys.argv[1] == "apart":
    sys.exit(apart(*sys.argv[2:]))
try:
    code = main()
except BaseException as problem:
    print("blender_cloth:", repr(problem))
    code = 2
sys.stdout.flush()
os._exit(code)
