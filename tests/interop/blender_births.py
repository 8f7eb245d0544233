# SPDX-License-Identifier: MIT
# tests/interop/blender_births.py - bakes short-lived particles in Blender; compares births with those that we find.
#   reads   blender -b --factory-startup --python blender_births.py -- FOLDER STEP DEAD; then FOLDER/found.csv
#   writes  FOLDER/blendcache_births/births_*.bphys; in a second call with the word `compare`: equal or different
#   memory  200 particles      cost  some seconds
#   after   Blender's documented Python interface; its lives are not in a cache, but in the particle system
import csv
import os
import sys

LAST = 60


def make(bpy, path, step, shows_dead):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, LAST
    mesh = bpy.data.meshes.new("births")
    mesh.from_pydata([(-1, -1, 3), (1, -1, 3), (1, 1, 3), (-1, 1, 3)], [], [(0, 1, 2, 3)])
    item = bpy.data.objects.new("births", mesh)
    scene.collection.objects.link(item)
    item.modifiers.new("particles", "PARTICLE_SYSTEM")
    settings = item.particle_systems[0].settings
    settings.count, settings.frame_start, settings.frame_end = 200, 1, 30
    settings.lifetime, settings.lifetime_random, settings.use_dead = 20, 0.9, shows_dead
    bpy.ops.wm.save_as_mainfile(filepath=path)
    cache = item.particle_systems[0].point_cache
    cache.use_disk_cache, cache.compression, cache.name = True, "NO", "births"
    cache.frame_start, cache.frame_end, cache.frame_step = 1, LAST, step
    bpy.ops.ptcache.bake_all(bake=True)
    return item


def main():
    import bpy
    folder, step, dead = sys.argv[sys.argv.index("--") + 1:]
    item = make(bpy, os.path.join(os.path.abspath(folder), "births.blend"), int(step), dead == "dead")
    evaluated = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
    with open(os.path.join(folder, "births.csv"), "w") as stream:
        for i, particle in enumerate(evaluated.particle_systems[0].particles):
            stream.write(f"{i},{particle.birth_time:.9g}\n")


def compare(folder):
    true = {int(i): float(birth) for i, birth in csv.reader(open(os.path.join(folder, "births.csv")))}
    found = {int(row["index"]): float(row["birth"]) for row in csv.DictReader(open(os.path.join(folder, "found.csv"))) if row["index"]}
    worst = max(abs(found[i] - true[i]) for i in true)
    print(f"blender_births: {len(found)} of {len(true)} births, off by {worst:.3g} frames:",
          "equal" if len(found) == len(true) and worst < 1e-6 else "different")


if __name__ == "__main__":
    compare(sys.argv[2]) if sys.argv[1] == "compare" else main()
