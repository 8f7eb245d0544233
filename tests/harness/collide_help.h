/* SPDX-License-Identifier: MIT
   tests/harness/collide_help.h - shared by the tests of colliders: a small scene, shapes, single
           paths.
   reads   definitions      writes  what is passed in
   memory  none             cost    that of the runtime's calls
   after   own design */
#ifndef TIDEPOOL_COLLIDE_HELP_H
#define TIDEPOOL_COLLIDE_HELP_H
#include "world_help.h"
#include "move/collide.h"

/* Capacity: 64 particles of one radius and 1 MiB of geometry; no births. */
tp_world_def collide_scene(uint32_t dimensions, float radius);
test_world collide_world(uint32_t dimensions, float radius);
/* Adds a collider; fails the test if it is refused. */
tp_collider collide_add(tp_world *world, const tp_collider_def *def);
/* Adds a body and its collider; `half.x` is the radius of round shapes. */
tp_body collide_body(tp_world *world, tp_collider_shape shape, tp_pose pose, tp_vector half,
                     float friction);
tp_body_state collide_state(const tp_world *world, tp_body body);
void collide_particle(tp_world *world, tp_vector position, tp_vector velocity);
/* Simulates one frame during which the collider moves to the pose. */
void collide_move(tp_world *world, tp_collider collider, tp_pose pose);

/* Definitions that only point to the arrays: these must outlive them. */
tp_collider_def collide_mesh(const tp_vector *vertices, uint32_t vertex_count,
                             const uint32_t *indices, uint32_t triangle_count);
tp_collider_def collide_ground(const float *samples, uint32_t columns, uint32_t rows,
                               float spacing);
/* `side` samples along both x and y. */
tp_collider_def collide_grid(const float *samples, uint32_t side, uint32_t layers, float spacing);
/* A rectangle of edges around the origin, in 2D: a solid, or a room. */
tp_collider_def collide_rectangle(tp_vector vertices[4], float half_x, float half_y, bool is_room);
/* A cube of side 1 around the origin. */
tp_collider_def collide_cube(bool is_two_sided);

/* A rotation by `angle` about z. */
tp_quaternion collide_about_z(float angle);
/* The point `place` in the local frame of the pose, in double precision. */
void collide_local(tp_pose pose, tp_vector place, double local[3]);

/* Prepares and runs one path of unit time, in a world with one step per frame. */
void collide_path_begin(const tp_world *world, tpi_path *path, tp_vector from, tp_vector velocity,
                        float radius);
tpi_path collide_sweep(tp_world *world, tp_vector from, tp_vector velocity, float radius);

#endif
