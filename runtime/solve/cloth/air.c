/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/air.c - triangles of sheets, and the pressure of air on them.
   reads   definitions, front positions and velocities, winds and vortices, weights
   writes  triangles, kicked velocities
   memory  12 bytes per triangle
   cost    O(fields) per triangle
   after   quadratic drag along the normal, f = rho C A |w.n| (w.n) n / 2, a third per corner; own
           denominator, sqrt(1 + x^2): a force of share x of the largest one is exact to x^2 / 2,
           and however strong it is, a triangle gives a corner at most a ninth of the wind's speed
           in a step, so that nine of them do not overshoot, and 16 remain stable */
#include "cloth.h"

uint32_t tpi_cloth_triangles(const tp_world *world, const tp_cloth_def *def)
{
    if (world->def.cloth.triangles_max == 0 || def->layers > 1u) return 0;
    return def->vertices ? def->triangle_count : 2u * (def->columns - 1u) * (def->rows - 1u);
}

static uint64_t air_append(const tp_world *world, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t *ids = tpi_words(world, world->arrays.id);
    uint32_t *corner = tpi_words(world, world->arrays.own[TPI_CLOTH_TRIANGLE]) +
                       3u * (size_t)tpi_cloth_head_of(world)->triangles++;
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
    return tpi_mix_word((uint64_t)ids[a] << 32 | ids[b], ids[c]);
}

uint64_t tpi_cloth_put_triangles(const tp_world *world, const tp_cloth_def *def, uint32_t first)
{
    uint32_t count = tpi_cloth_triangles(world, def);
    uint64_t hash = 0;
    for (uint32_t t = 0; def->vertices && t < count; t++) {
        const uint32_t *corner = def->indices + 3u * (size_t)t;
        hash += air_append(world, first + corner[0], first + corner[1], first + corner[2]);
    }
    for (uint32_t k = 0; !def->vertices && k < count / 2u; k++) {
        uint32_t cells = def->columns - 1u, a = first + k / cells * def->columns + k % cells,
                 b = a + def->columns;
        hash += air_append(world, a, a + 1u, b);
        hash += air_append(world, a + 1u, b + 1u, b);
    }
    return hash;
}

TPI_APART uint32_t tpi_cloth_air_units(const tp_world *world)
{
    return 2u + tpi_field_prepare(world).kick_units;
}

/* The mean of a vector of the front set over the corners of a triangle. */
static tp_vector air_mean(const tp_world *world, const float *arrays[3], const uint32_t *corner)
{
    float mean[3] = {0.0f, 0.0f, 0.0f};
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        mean[axis] = (arrays[axis][corner[0]] + arrays[axis][corner[1]] + arrays[axis][corner[2]]) *
                     (1.0f / 3.0f);
    return tpi_vector(mean[0], mean[1], mean[2]);
}

/* m: from corner 0 to another one. */
static tp_vector air_edge(const float *x[3], const uint32_t *corner, uint32_t other)
{
    uint32_t a = corner[0], b = corner[other];
    return tpi_vector(x[0][b] - x[0][a], x[1][b] - x[1][a], x[2][b] - x[2][a]);
}

/* One triangle. The normal N is as long as twice the area. */
static void air_push(const tp_world *world, const float *x[3], const float *v[3],
                     const uint32_t *corner)
{
    const float *weights = tpi_floats(world, world->arrays.next_birth);
    const uint32_t species = tpi_words(world, world->arrays.meta)[corner[0]] & 7u;
    const float dt = world->step.timestep;
    tp_vector normal = tpi_cross(air_edge(x, corner, 1), air_edge(x, corner, 2)),
              wind = tpi_sub(tpi_field_medium(world, air_mean(world, x, corner), species),
                             air_mean(world, v, corner));
    float square = tpi_dot(normal, normal), along = tpi_dot(wind, normal);
    float weight =
        tpi_max(weights[corner[0]], tpi_max(weights[corner[1]], weights[corner[2]])) * 3.0f;
    if (!(square > 1e-24f && square < 1e24f) || weight == 0.0f) return;
    float press = 0.25f * world->def.cloth.air * tpi_abs(along) * dt, share = press * weight,
          impulse = press / tpi_sqrt(1.0f + share * share) * (along / (3.0f * square));
    const float push[3] = {normal.x * impulse, normal.y * impulse, normal.z * impulse};
    for (uint32_t axis = 0; axis < 3; axis++)
        for (uint32_t k = 0; k < 3; k++)
            tpi_kicked(world, axis)[corner[k]] += push[axis] * weights[corner[k]];
}

TPI_APART void tpi_cloth_blow(const tp_world *world, uint32_t begin, uint32_t end)
{
    const uint32_t *corners = tpi_words(world, world->arrays.own[TPI_CLOTH_TRIANGLE]);
    const float *x[3] = {NULL, NULL, NULL}, *v[3] = {NULL, NULL, NULL},
                *lengths = tpi_cloth_lengths(world, world->front ^ 1u);
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        x[axis] = tpi_front_x(world, axis);
        v[axis] = tpi_front_v(world, axis);
    }
    for (uint32_t t = begin; t < end; t++)
        if (!tpi_cloth_is_torn(world, lengths, t)) air_push(world, x, v, corners + 3u * (size_t)t);
}
