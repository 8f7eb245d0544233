/* SPDX-License-Identifier: MIT
   runtime/solve/sph/stick.c - walls pull particles of species that stick to them.
   reads   back positions, colliders      writes  impulses
   memory  none
   cost    per particle 1 unit, and 4 per wall near it
   after   Akinci, Akinci and Teschner 2013, adhesion. Deviation: the wall is a plane instead of
           particles, and the pull the gradient of an energy that depends on the distance */
#include "central_terms.h"
#include "dfsph_terms.h"
#include "../../world/wall_lanes.h"
#include "../../world/load.h"

typedef struct stick_slice {
    const tpi_sph_materials *materials;
    const uint32_t *order;
    const float *x, *y, *z; /* z: null in 2D */
    const float *mass_share;
    int32_t *impulse[3];
    float kick;  /* m/s: change of the velocity by a pull of 1 m/s^2 */
    float scale; /* counts of an impulse per m/s, of the heaviest mass */
} stick_slice;

static void stick_slice_set(const tp_world *world, stick_slice *s)
{
    const float timestep = world->step.timestep;
    s->materials = tpi_materials_of(world);
    s->order = tpi_words(world, world->arrays.order);
    s->x = tpi_back_x(world, 0);
    s->y = tpi_back_x(world, 1);
    s->z = tpi_dimensions(world) == 3 ? tpi_back_x(world, 2) : NULL;
    s->mass_share = tpi_sph_of(world)->mass_share;
    for (uint32_t axis = 0; axis < 3; axis++)
        s->impulse[axis] =
            tpi_integers(world, world->arrays.force[axis < tpi_dimensions(world) ? axis : 0]);
    s->kick = timestep;
    s->scale = tpi_sph_is_incompressible(&world->def)
                   ? TPI_DFSPH_SCALE * timestep / tpi_sph_of(world)->dfsph.spacing
                   : TPI_IMPULSE_SCALE * timestep / world->constants.smoothing_radius;
}

/* The sum of the pulls of a collider's walls, relative to the largest one. Returns its work. */
static int32_t stick_meet(const tp_world *world, const tpi_collider_item *item, tp_vector point,
                          tp_vector *pull)
{
    const bool has_planes = tpi_wall_has_planes(item);
    const float inverse = tpi_sph_of(world)->inverse_radius;
    const tpi_wall_poses poses = tpi_wall_poses_of(world, item);
    tpi_wall planes[TPI_WALL_PLANES];
    int32_t work = 1;
    uint32_t faces = has_planes ? tpi_wall_planes(world, item, point, &work, planes)
                                : tpi_wall_faces(world, item);
    for (uint32_t face = 0; face < faces; face++) {
        tpi_wall wall = has_planes ? planes[face] : tpi_wall_at(world, item, &poses, face, point);
        float q = wall.distance * inverse;
        if (q > 0.0f && q < 1.0f) *pull = tpi_add_scaled(*pull, wall.normal, -tpi_stick_weight(q));
    }
    return work;
}

/* All walls of a particle. */
static int32_t stick_pull(const tp_world *world, const stick_slice *s, uint32_t i, tp_vector *pull)
{
    const uint32_t *slots = tpi_words(world, world->colliders.slots);
    const tp_vector point = {s->x[i], s->y[i], s->z ? s->z[i] : 0.0f};
    const tpi_lanes at[3] = {tpi_lanes_of(point.x), tpi_lanes_of(point.y), tpi_lanes_of(point.z)};
    int32_t work = 0;
    for (uint32_t slot = 0; slot < tpi_colliders_end(world); slot++) {
        const tpi_collider_item *item = tpi_collider_at(world, slot);
        if (!tpi_pool_is_alive(slots, slot) || !tpi_is_wall(item) ||
            !(item->def.species_mask >> TPI_ORDER_SPECIES(s->order[i]) & 1u))
            continue;
        tpi_lane_mask near =
            tpi_wall_near(item, at, world->constants.smoothing_radius, tpi_dimensions(world));
        if (tpi_lanes_bits(near) & 1u) work += stick_meet(world, item, point, pull);
    }
    return work;
}

/* Adds an impulse, and what the wall gives to the loads. Steps within the limit of stickiness stay
   far below half a term of a pair. */
static void stick_push(const tp_world *world, const stick_slice *s, uint32_t i, tp_vector pull)
{
    const uint32_t species = TPI_ORDER_SPECIES(s->order[i]);
    const float scale = s->mass_share[species] * s->scale,
                push = s->materials->pull[species] * s->kick * scale, most = 0.5f * TPI_DFSPH_SCALE;
    const float along[3] = {pull.x * push, pull.y * push, pull.z * push};
    const float mass =
        tpi_sph_is_incompressible(&world->def) ? 1.0f : world->def.species[species].mass;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        int32_t impulse = (int32_t)tpi_clamp(along[axis], -most, most);
        s->impulse[axis][i] += impulse;
        if (tpi_has_loads(world)) tpi_sph_load_of(world, axis)[i] += (float)impulse / scale * mass;
    }
}

static void stick_range(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                        tpi_tally *tally)
{
    const stick_slice *s = (const stick_slice *)context;
    for (uint32_t i = begin; i < end; i++) {
        tp_vector pull = {0.0f, 0.0f, 0.0f};
        if (!(s->materials->pull[TPI_ORDER_SPECIES(s->order[i])] > 0.0f)) continue;
        int32_t work = stick_pull(world, s, i, &pull);
        tally->cost += work;
        if (work) stick_push(world, s, i, pull);
    }
}

bool tpi_sph_sticks(const tp_world *world)
{
    const tpi_sph_materials *materials = tpi_materials_of(world);
    return materials && materials->sticks && tpi_colliders_used(world) > 0;
}

TPI_APART uint32_t tpi_sph_stick(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    stick_slice slice;
    stick_slice_set(world, &slice);
    tpi_team_pass pass = tpi_wall_pass(world, stick_range, &slice, tpi_colliders_end(world));
    return tpi_team_slice(world, jobs, units, &pass, done);
}
