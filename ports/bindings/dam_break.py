#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# ports/bindings/dam_break.py [FRAMES] - the shipped scene dam_break from Python; prints its hash, as `tidepool hash` does.
#   reads   build/bindings/tidepool.py (on PYTHONPATH), build/libtidepool.so      writes  the hash
#   memory  a block of a few hundred KB      cost  as the scene: some ms per frame
#   after   host_tools/scenes/dam_break.scene
import sys

import tidepool as tp
from ctypes import POINTER, byref, c_size_t, c_void_p


def definition():
    made = tp.tp_world_default(2)
    made.particles_max = 3000
    made.emitters_max, made.sinks_max, made.fields_max, made.colliders_max = 2, 0, 1, 4
    made.solver = tp.TP_SOLVER_SPH
    made.seed = 1
    made.sph.formulation = tp.TP_SPH_INCOMPRESSIBLE
    made.sph.smoothing_radius, made.sph.timestep_max = 0.275, 0.0066
    made.substeps.is_adaptive, made.substeps.count, made.substeps.count_max = True, 3, 16
    made.substeps.courant = 0.2
    made.species_count = 2
    made.species[1] = made.species[0]
    made.species[1].mass = 1.4
    made.species[0].radius = made.species[1].radius = 0.0495
    return made


def add_block(world, species, position, size, burst):
    made = tp.tp_emitter_default()
    made.shape, made.species, made.burst_count = tp.TP_EMITTER_BOX, species, burst
    made.lattice_spacing = 0.11
    made.pose.position = tp.tp_vector(*position, 0)
    made.size = tp.tp_vector(*size, 0)
    tp.check(tp.tp_emitter_add(world, byref(made), byref(tp.tp_emitter())))


def add_plane(world, position, rotation, friction):
    made = tp.tp_collider_default(tp.TP_COLLIDER_PLANE)
    made.friction = friction
    made.pose.position, made.pose.rotation = tp.tp_vector(*position, 0), tp.tp_quaternion(*rotation)
    tp.check(tp.tp_collider_add(world, byref(made), byref(tp.tp_collider())))


def fill(world):
    half = 0.5 ** 0.5
    add_block(world, 0, (1.65, 3.3), (1.595, 3.245), 1800)
    add_block(world, 1, (8.68, 2.75), (1.265, 2.695), 1200)
    gravity = tp.tp_field_default(tp.TP_FIELD_GRAVITY)
    gravity.vector = tp.tp_vector(0, -9.8, 0)
    tp.check(tp.tp_field_add(world, byref(gravity), byref(tp.tp_field())))
    add_plane(world, (0, 0), (1, 0, 0, -0.0), 0.05)  # a hash counts the sign of zero
    add_plane(world, (0, 0), (half, 0, 0, -half), 0)
    add_plane(world, (10, 0), (half, 0, 0, half), 0)
    add_plane(world, (0, 7.5), (0, 0, 0, 1), 0)


def main():
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    made, size, world = definition(), c_size_t(), POINTER(tp.tp_world)()
    tp.check(tp.tp_world_memory(byref(made), byref(size)))
    block = tp.Block(size.value)
    tp.check(tp.tp_world_create(byref(made), c_void_p(block.address), block.bytes, byref(world)))
    fill(world)
    for _ in range(frames):
        tp.check(tp.tp_frame(world, None, None))
    seen = tp.view(world)
    print("%d particles, mean height %.3f m" % (len(seen["y"]), sum(seen["y"]) / len(seen["y"])), file=sys.stderr)
    print("%016x" % tp.tp_world_hash(world))


main()
