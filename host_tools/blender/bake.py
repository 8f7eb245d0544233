# SPDX-License-Identifier: MIT
# host_tools/blender/bake.py - runs in a second Blender: bakes one simulation to disk, with its info file.
#   reads   blender -b COPY.blend --python bake.py -- OBJECT SIMULATION NAME FIRST LAST
#   writes  blendcache_COPY/NAME_*.bphys beside COPY.blend; `tidepool: frame N` per frame on standard output
#   memory  that of the simulation      cost  one simulation
#   after   Blender's documented Python interface. Bakes to disk have no info file, which an external cache needs
import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(__file__))
import points  # noqa: E402


def main():
    object_name, name, base, first, last = sys.argv[sys.argv.index("--") + 1:]
    target = bpy.data.objects[object_name]
    system = target.particle_systems.get(name)
    cache = system.point_cache if system else target.modifiers[name].point_cache
    cache.use_external, cache.use_disk_cache, cache.name = False, True, base
    cache.frame_start, cache.frame_end, cache.frame_step = int(first), int(last), 1
    bpy.app.handlers.frame_change_post.append(lambda scene, *_: print("tidepool: frame %d" % scene.frame_current,
                                                                      flush=True))
    with bpy.context.temp_override(scene=bpy.context.scene, object=target, active_object=target, point_cache=cache):
        bpy.ops.ptcache.free_bake()
        bpy.ops.ptcache.bake(bake=True)
    if system:
        now = target.evaluated_get(bpy.context.evaluated_depsgraph_get()).particle_systems[name]
        times = [(particle.birth_time, particle.die_time, particle.lifetime) for particle in now.particles]
        folder = os.path.splitext(bpy.data.filepath)[0]
        folder = os.path.join(os.path.dirname(folder), "blendcache_" + os.path.basename(folder))
        points.write_info(os.path.join(folder, base + "_000000_00.bphys"), times)
    print("tidepool: baked", flush=True)


main()
