# SPDX-License-Identifier: MIT
# tests/interop/blender_vertices.py - compares .pc2 and .mdd vertices with a table: Blender reads them, or writes them.
#   reads   blender -b --factory-startup --python blender_vertices.py -- shows CACHE TABLE.csv
#           blender -b --factory-startup --python blender_vertices.py -- writes CACHE TABLE.csv
#   writes  one line per difference (five at most), then `blender_vertices: N vertices in F frames, worst W:
#           equal` or `different`
#   memory  the table      cost  one frame change per frame
#   after   Blender's documented Python interface: `shows` uses the Mesh Cache modifier; `writes` uses the
#           exporters that come with Blender: a waving mesh goes into CACHE through them, and directly into
#           TABLE.csv
import csv
import math
import os
import sys

TOLERANCE = 1e-5


def read_table(path):
    """{frame: [(x, y, z)]}, by index"""
    frames = {}
    with open(path, newline="") as stream:
        for row in csv.DictReader(stream):
            frames.setdefault(int(row["frame"]), {})[int(row["index"])] = tuple(float(row[a]) for a in "xyz")
    return {frame: [points[i] for i in range(len(points))] for frame, points in frames.items()}


def make_mesh(bpy, count):
    mesh = bpy.data.meshes.new("mesh")
    mesh.from_pydata([(i * 0.1, 0, 0) for i in range(count)], [(i, i + 1) for i in range(count - 1)], [])
    made = bpy.data.objects.new("mesh", mesh)
    bpy.context.scene.collection.objects.link(made)
    bpy.context.view_layer.objects.active = made
    made.select_set(True)
    return made


def vertices_shown(bpy, made):
    evaluated = made.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [tuple(vertex.co) for vertex in evaluated.data.vertices]


def shows(bpy, cache, table_path):
    table = read_table(table_path)
    first, last = min(table), max(table)
    made = make_mesh(bpy, len(table[first]))
    modifier = made.modifiers.new("cache", "MESH_CACHE")
    modifier.cache_format = "MDD" if cache.endswith(".mdd") else "PC2"
    modifier.filepath = os.path.abspath(cache)
    modifier.interpolation = "LINEAR"
    modifier.time_mode, modifier.play_mode = "FRAME", "SCENE"
    modifier.frame_start = first
    modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"  # Blender's axes: nothing is rotated
    worst, points, differences = 0.0, 0, 0
    for frame in range(first, last + 1):
        bpy.context.scene.frame_set(frame)
        for index, (wanted, have) in enumerate(zip(table[frame], vertices_shown(bpy, made))):
            error = max(abs(a - b) / max(1.0, abs(a)) for a, b in zip(wanted, have))
            worst, points = max(worst, error), points + 1
            differences += error > TOLERANCE
            if error > TOLERANCE and differences <= 5:
                print(f"frame {frame} vertex {index}: the table has {wanted}, Blender shows {have}")
    good = points > 0 and differences == 0
    print(f"blender_vertices: {points} vertices in {len(table)} frames, worst {worst:.3g}:",
          "equal" if good else "different")
    return 0 if good else 1


def writes(bpy, cache, table_path):
    import addon_utils
    made = make_mesh(bpy, 30)
    wave = made.modifiers.new("wave", "WAVE")
    wave.time_offset, wave.height = -20, 0.7
    first, last = 3, 12
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = first, last
    if cache.endswith(".mdd"):
        addon_utils.enable("io_shape_mdd")
        bpy.ops.export_shape.mdd(filepath=cache, fps=24.0, frame_start=first, frame_end=last, use_rest_frame=False)
    else:
        addon_utils.enable("io_export_pc2")
        bpy.ops.export_shape.pc2(filepath=cache, range_start=first, range_end=last, sampling="1", rot_x90=False)
    with open(table_path, "w") as stream:
        print("frame,index,x,y,z", file=stream)
        for frame in range(first, last + 1):
            bpy.context.scene.frame_set(frame)
            for index, vertex in enumerate(vertices_shown(bpy, made)):
                shift = 1 - first if cache.endswith(".mdd") else 0  # Blender's .mdd begin at 0 s
                print(frame + shift, index, *(f"{x:.9g}" for x in vertex), sep=",", file=stream)
    moving = len({tuple(points) for points in read_table(table_path).values()}) > 1
    print(f"blender_vertices: {last - first + 1} frames written:", "moving" if moving else "still")
    return 0 if moving else 1


def main():
    import bpy
    work, cache, table = sys.argv[sys.argv.index("--") + 1:]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    return {"shows": shows, "writes": writes}[work](bpy, cache, table)


try:
    code = main()
except BaseException as problem:
    print("blender_vertices:", repr(problem))
    code = 2
sys.stdout.flush()
os._exit(code)
