/* SPDX-License-Identifier: MIT
   tests/harness/collide_help.c - scenes, shapes and paths for tests of colliders.
   reads   definitions      writes  what is passed in
   memory  a cube           cost    that of the runtime's calls
   after   own design */
#include "collide_help.h"
#include "test.h"
#include <math.h>
#include <string.h>

tp_world_def collide_scene(uint32_t dimensions, float radius)
{
    tp_world_def def = tp_world_default(dimensions);
    def.particles_max = 64;
    def.species[0].radius = radius;
    def.geometry_bytes_max = 1u << 20;
    def.keeps_births = false;
    return def;
}

test_world collide_world(uint32_t dimensions, float radius)
{
    tp_world_def def = collide_scene(dimensions, radius);
    return test_world_make(&def);
}

tp_collider collide_add(tp_world *world, const tp_collider_def *def)
{
    tp_collider collider = {0};
    const char *text = tp_collider_check(world, def);
    test_note("%s", text ? text : "");
    CHECK(text == NULL);
    CHECK(tp_collider_add(world, def, &collider) == TP_OK);
    return collider;
}

tp_body collide_body(tp_world *world, tp_collider_shape shape, tp_pose pose, tp_vector half,
                     float friction)
{
    tp_collider_def def = tp_collider_default(shape);
    tp_body_def body = tp_body_default();
    tp_body made = {0};
    def.pose = pose;
    def.half = half;
    def.radius = half.x;
    def.friction = friction;
    body.collider = collide_add(world, &def);
    CHECK(tp_body_add(world, &body, &made) == TP_OK);
    return made;
}

tp_body_state collide_state(const tp_world *world, tp_body body)
{
    tp_body_state state;
    CHECK(tp_body_get(world, body, &state) == TP_OK);
    return state;
}

void collide_particle(tp_world *world, tp_vector position, tp_vector velocity)
{
    CHECK(tp_particle_add(world, position, velocity, 0, NULL) == TP_OK);
}

void collide_move(tp_world *world, tp_collider collider, tp_pose pose)
{
    CHECK(tp_collider_move(world, collider, pose) == TP_OK);
    test_world_frames(world, 1);
}

/* ---- shapes ---- */

tp_collider_def collide_mesh(const tp_vector *vertices, uint32_t vertex_count,
                             const uint32_t *indices, uint32_t triangle_count)
{
    tp_collider_def def = tp_collider_default(TP_COLLIDER_MESH);
    def.vertices = vertices;
    def.vertex_count = vertex_count;
    def.indices = indices;
    def.triangle_count = triangle_count;
    return def;
}

tp_collider_def collide_ground(const float *samples, uint32_t columns, uint32_t rows, float spacing)
{
    tp_collider_def def = tp_collider_default(TP_COLLIDER_HEIGHTFIELD);
    def.samples = samples;
    def.columns = columns;
    def.rows = rows;
    def.spacing = spacing;
    return def;
}

tp_collider_def collide_grid(const float *samples, uint32_t side, uint32_t layers, float spacing)
{
    tp_collider_def def = collide_ground(samples, side, side, spacing);
    def.shape = TP_COLLIDER_GRID;
    def.layers = layers;
    return def;
}

tp_collider_def collide_rectangle(tp_vector vertices[4], float half_x, float half_y, bool is_room)
{
    static const uint32_t around[2][8] = {{0, 1, 1, 2, 2, 3, 3, 0}, {1, 0, 2, 1, 3, 2, 0, 3}};
    for (uint32_t k = 0; k < 4; k++)
        vertices[k] =
            (tp_vector){k == 1 || k == 2 ? half_x : -half_x, k >= 2 ? half_y : -half_y, 0};
    return collide_mesh(vertices, 4, around[is_room], 4);
}

static const tp_vector cube_vertices[8] = {{-.5f, -.5f, -.5f}, {.5f, -.5f, -.5f}, {-.5f, .5f, -.5f},
                                           {.5f, .5f, -.5f},   {-.5f, -.5f, .5f}, {.5f, -.5f, .5f},
                                           {-.5f, .5f, .5f},   {.5f, .5f, .5f}};
static const uint32_t cube_indices[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                          2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

tp_collider_def collide_cube(bool is_two_sided)
{
    tp_collider_def def = collide_mesh(cube_vertices, 8, cube_indices, 12);
    def.is_two_sided = is_two_sided;
    return def;
}

/* ---- positions ---- */

tp_quaternion collide_about_z(float angle)
{
    return (tp_quaternion){(float)cos(0.5 * (double)angle), 0.0f, 0.0f,
                           (float)sin(0.5 * (double)angle)};
}

void collide_local(tp_pose pose, tp_vector place, double local[3])
{
    double q[4] = {(double)pose.rotation.w, -(double)pose.rotation.x, -(double)pose.rotation.y,
                   -(double)pose.rotation.z};
    double p[3] = {(double)place.x - (double)pose.position.x,
                   (double)place.y - (double)pose.position.y,
                   (double)place.z - (double)pose.position.z};
    double t[3] = {2 * (q[2] * p[2] - q[3] * p[1]), 2 * (q[3] * p[0] - q[1] * p[2]),
                   2 * (q[1] * p[1] - q[2] * p[0])};
    local[0] = p[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1];
    local[1] = p[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2];
    local[2] = p[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0];
}

/* ---- paths ---- */

void collide_path_begin(const tp_world *world, tpi_path *path, tp_vector from, tp_vector velocity,
                        float radius)
{
    memset(path, 0, sizeof *path);
    path->step_end = 1.0f;
    path->timestep = path->whole_timestep = 1.0f / 60.0f;
    tpi_path_begin(world, path, from, tpi_add_scaled(from, velocity, path->timestep), velocity,
                   radius, 0);
}

tpi_path collide_sweep(tp_world *world, tp_vector from, tp_vector velocity, float radius)
{
    tpi_path path;
    bool done = false;
    collide_path_begin(world, &path, from, velocity, radius);
    while (!done) (void)tpi_path_advance(world, &path, 1u << 20, &done);
    return path;
}
