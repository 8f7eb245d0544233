/* SPDX-License-Identifier: MIT
   runtime/solve/sph/run.c - one slice of a stage of the fluid; what its impulses do to particles.
   reads   the back set      writes  positions, velocities
   memory  none      cost    that of the stage
   after   see sph.c */
#include "sph_lanes.h"
#include "../link.h"
#include "../solve_lanes.h"
#include "../../world/box_lanes.h"
#include "../../grid/grid_lanes.h"

#define SPH_RUN(value, is_built, function)                   \
    if ((is_built) && world->def.sph.formulation == (value)) \
        return function(world, jobs, units, done);

uint32_t tpi_sph_run(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    if (TPI_UNLIKELY(world->step.stage == TP_STAGE_PRESSURE && tpi_has_heat(&world->def)) &&
        world->step.cursor.phase < TPI_HEAT_PHASES)
        return tpi_heat_step(world, jobs, units);
    switch ((tp_stage)world->step.stage) {
    case TP_STAGE_GRID: return tpi_grid_build(world, jobs, units, done);
    case TP_STAGE_PAIRS: return tpi_sph_density(world, jobs, units, done);
    case TP_STAGE_NEAREST: return tpi_grid_nearest(world, jobs, units, done);
    case TP_STAGE_PRESSURE: TPI_SPH_FORMULATIONS(SPH_RUN, pressure) break;
    case TP_STAGE_FORCE: TPI_SPH_FORMULATIONS(SPH_RUN, force) break;
    case TP_STAGE_LINKS:
        if (TPI_HAS_SPRINGS && world->step.at_springs) return tpi_sph_springs(world, units, done);
        if (TPI_HAS_LINKS) return tpi_links(world, units, done);
        break;
    default: break;
    }
    return tpi_solver_wrong_stage(done);
}

#undef SPH_RUN

/* ---- particles: no half kicks; impulses change position and velocity ---- */

TPI_APART void tpi_sph_kick_links(const tp_world *world, tpi_lane_ints species, tpi_lane_ints index,
                                  uint32_t bits, tpi_lanes velocity[3])
{
    const float scale = tpi_link_scale(&world->def);
    for (uint32_t k = 0; k < TPI_LANES && bits >> k; k++) {
        if (!(bits >> k & 1u)) continue;
        float kick = world->step.timestep /
                     (scale * world->def.species[(uint32_t)TPI_LANE(species, k)].mass);
        for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
            TPI_LANE(velocity[axis], k) =
                TPI_LANE(velocity[axis], k) +
                (float)tpi_link_sums(world, axis)[(uint32_t)TPI_LANE(index, k)] * kick;
    }
}

static TPI_APART void sph_open_more(const tp_world *world, const tpi_field_plan *plan, uint32_t i,
                                    uint32_t bits, const tpi_lanes x[3], tpi_lanes velocity[3])
{
    const tpi_lane_ints species = tpi_lane_ints_load(tpi_words(world, world->arrays.meta) + i) & 7;
    tpi_field_kick_lanes(world, plan, i, bits, x, velocity);
    if (tpi_has_links(world))
        tpi_sph_kick_links(world, species, tpi_lane_ints_counted((int32_t)i), bits, velocity);
    if (tpi_has_heat(&world->def))
        tpi_heat_kick(world, plan, species, tpi_front_kept(world, TPI_KEPT_TEMPERATURE) + i,
                      velocity);
}

void tpi_sph_open(const tp_world *world, const tpi_field_plan *plan, uint32_t i, uint32_t bits,
                  const tpi_lanes x[3], tpi_lanes velocity[3])
{
    /* the incompressible fluid first takes the approach from velocities: dfsph.c */
    if (tpi_sph_is_incompressible(&world->def)) return;
    if (TPI_UNLIKELY(tpi_has_links(world) || tpi_has_heat(&world->def)))
        sph_open_more(world, plan, i, bits, x, velocity);
    else
        tpi_field_kick_lanes(world, plan, i, bits, x, velocity);
}

bool tpi_sph_place(tp_world *world, uint32_t i, uint32_t count, const tpi_lanes x[3],
                   const tpi_lanes velocity[3])
{
    (void)world, (void)i, (void)count, (void)x, (void)velocity;
    return true;
}

/* The incompressible fluid has its final velocities, and is still where the step begins. */
static TPI_APART void sph_close_still(const tp_world *world, tpi_lanes to[3],
                                      const tpi_lanes velocity[3])
{
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        to[axis] = to[axis] + velocity[axis] * world->step.timestep;
}

TPI_INLINE void sph_close_open(const tp_world *world, uint32_t first, tpi_lanes to[3],
                               tpi_lanes velocity[3])
{
    tpi_lanes moved[3], per_second = tpi_lanes_of(1.0f / world->step.timestep);
    if (tpi_sph_is_incompressible(&world->def)) {
        sph_close_still(world, to, velocity);
        return;
    }
    moved[2] = tpi_lanes_of(0.0f);
    tpi_sph_displacements(world, first, moved);
    to[0] = to[0] + moved[0];
    to[1] = to[1] + moved[1];
    velocity[0] = velocity[0] + moved[0] * per_second;
    velocity[1] = velocity[1] + moved[1] * per_second;
    if (tpi_dimensions(world) == 3) {
        to[2] = to[2] + moved[2];
        velocity[2] = velocity[2] + moved[2] * per_second;
    }
}

/* In a periodic box: the begins of paths move to their images near the drifted ends. */
static TPI_APART void sph_close_box(const tp_world *world, uint32_t first, tpi_lanes from[3],
                                    tpi_lanes to[3], tpi_lanes velocity[3])
{
    const tpi_box *box = &world->constants.box;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        if (box->cells[axis])
            from[axis] = to[axis] - tpi_box_image_lanes(box, axis, to[axis] - from[axis]);
    sph_close_open(world, first, to, velocity);
}

/* Each rare case is a function of its own, so that the others keep no registers for it. */
void tpi_sph_close(const tp_world *world, const tpi_field_plan *plan, uint32_t first,
                   uint32_t count, tpi_lanes from[3], tpi_lanes to[3], tpi_lanes velocity[3])
{
    (void)plan, (void)count;
    if (TPI_UNLIKELY(world->constants.box.is_periodic))
        sph_close_box(world, first, from, to, velocity);
    else
        sph_close_open(world, first, to, velocity);
}

uint32_t tpi_sph_holds(const tp_world *world, uint32_t first, uint32_t count)
{
    (void)world, (void)first, (void)count;
    return 0;
}
