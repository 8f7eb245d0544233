/* SPDX-License-Identifier: MIT
   runtime/solve/solvers.c - dispatch: calls the functions of the solver that a definition selects.
   reads   the definition, the world      writes  what the solver writes
   memory  none                           cost    one comparison per row
   after   own design: see world/solver.h */
#include "../world/solver.h"
#include "../world/check.h"
#include "solvers.h"

/* ---- definitions ---- */

void tpi_solver_default(tp_world_def *def)
{
#define SOLVER_DEFAULT(value, name, is_built, left_out) \
    if (is_built) tpi_##name##_default(def);
    TPI_SOLVERS(SOLVER_DEFAULT)
#undef SOLVER_DEFAULT
}

const char *tpi_solver_check_ranges(const tp_world_def *def)
{
    const char *text = NULL;
#define SOLVER_RANGES(value, name, is_built, left_out) \
    if (!text && (is_built)) text = tpi_##name##_check_ranges(def);
    TPI_SOLVERS(SOLVER_RANGES)
#undef SOLVER_RANGES
    return text;
}

static const char *solver_check_known(const tp_world_def *def)
{
    if (def->solver == TP_SOLVER_NONE) return NULL;
#define SOLVER_KNOWN(value, name, is_built, left_out) \
    if ((uint32_t)def->solver == (uint32_t)(value)) return (is_built) ? NULL : TPI_TEXT(left_out);
    TPI_SOLVERS(SOLVER_KNOWN)
#undef SOLVER_KNOWN
    return TPI_TEXT("solver must be a TP_SOLVER_ value");
}

/* Fields that need a trait which the selected solver does not have. */
static const char *solver_check_traits(const tp_world_def *def)
{
    if (def->substeps.is_adaptive && !tpi_def_has(def, TPI_SOLVER_COURANT))
        return TPI_TEXT("substeps.is_adaptive needs TP_SOLVER_SPH: the Courant number is relative "
                        "to its neighbours");
    if (def->sph.compat && (def->dimensions != 2 || def->solver != TP_SOLVER_SPH))
        return TPI_TEXT("sph.compat needs dimensions 2 and TP_SOLVER_SPH: the published program "
                        "has no other form");
    if (def->links_max && !tpi_def_has(def, TPI_SOLVER_LINKS))
        return TPI_HAS_LINKS ? TPI_TEXT("links_max needs TP_SOLVER_PAIR or TP_SOLVER_SPH: other "
                                        "solvers have no links")
                             : TPI_TEXT("links_max must be 0: links were left out by "
                                        "TP_WITHOUT_PAIR");
    if (def->periodic_axes && !tpi_def_has(def, TPI_SOLVER_BOX))
        return TPI_HAS_BOX ? TPI_TEXT("periodic_axes needs TP_SOLVER_PAIR or TP_SOLVER_SPH: other "
                                      "solvers have open worlds")
                           : TPI_TEXT("periodic_axes must be 0: periodic boxes were left out by "
                                      "TP_WITHOUT_PAIR");
    return NULL;
}

const char *tpi_solver_check(const tp_world_def *def)
{
    const char *text = solver_check_known(def);
    if (!text) text = solver_check_traits(def);
#define SOLVER_CHECK(value, name, is_built, left_out)                      \
    if (!text && (is_built) && (uint32_t)def->solver == (uint32_t)(value)) \
        text = tpi_##name##_check(def);
    TPI_SOLVERS(SOLVER_CHECK)
#undef SOLVER_CHECK
    return text;
}

/* ---- the row of a definition ---- */

#define SOLVER_RETURN(value, name, is_built, left_out) \
    if ((is_built) && (uint32_t)def->solver == (uint32_t)(value)) return SOLVER_ASK(name);
#define SOLVER_CALL(value, name, is_built, left_out) \
    if ((is_built) && (uint32_t)def->solver == (uint32_t)(value)) SOLVER_ASK(name);

uint32_t tpi_solver_traits(const tp_world_def *def)
{
#define SOLVER_ASK(name) tpi_##name##_traits(def)
    TPI_SOLVERS(SOLVER_RETURN)
#undef SOLVER_ASK
    return 0;
}

const char *tpi_solver_oversize(const tp_world_def *def)
{
#define SOLVER_ASK(name) tpi_##name##_oversize(def)
    TPI_SOLVERS(SOLVER_RETURN)
#undef SOLVER_ASK
    return NULL;
}

float tpi_solver_timestep_max(const tp_world_def *def)
{
#define SOLVER_ASK(name) tpi_##name##_timestep_max(def)
    TPI_SOLVERS(SOLVER_RETURN)
#undef SOLVER_ASK
    return 0.0f;
}

tpi_neighbour_needs tpi_solver_needs(const tp_world_def *def)
{
#define SOLVER_ASK(name) tpi_##name##_needs(def)
    TPI_SOLVERS(SOLVER_RETURN)
#undef SOLVER_ASK
    return (tpi_neighbour_needs){0};
}

bool tpi_solver_cells(const tp_world_def *def, tpi_levels *levels, tpi_box *box)
{
#define SOLVER_ASK(name) tpi_##name##_cells(def, levels, box)
    TPI_SOLVERS(SOLVER_RETURN)
#undef SOLVER_ASK
    return false;
}

uint32_t tpi_solver_layout(tpi_arrays *arrays, tpi_layout *layout, const tp_world_def *def)
{
#define SOLVER_ASK(name) tpi_##name##_layout(arrays, layout, def)
    TPI_SOLVERS(SOLVER_RETURN)
#undef SOLVER_ASK
    return 0;
}

void tpi_solver_prepare(tp_world *world, const tp_world_def *next)
{
    const tp_world_def *def = &world->def;
#define SOLVER_ASK(name) tpi_##name##_prepare(world, next)
    TPI_SOLVERS(SOLVER_CALL)
#undef SOLVER_ASK
}

void tpi_solver_derive(tp_world *world)
{
    const tp_world_def *def = &world->def;
#define SOLVER_ASK(name) tpi_##name##_derive(world)
    TPI_SOLVERS(SOLVER_CALL)
#undef SOLVER_ASK
}

const char *tpi_solver_audit(const tp_world *world, uint64_t *offset)
{
    const tp_world_def *def = &world->def;
#define SOLVER_ASK(name) tpi_##name##_audit(world, offset)
    TPI_SOLVERS(SOLVER_RETURN)
#undef SOLVER_ASK
    return NULL;
}

bool tpi_solver_must_prime(const tp_world *world)
{
    const tp_world_def *def = &world->def;
#define SOLVER_ASK(name) tpi_##name##_must_prime(world)
    TPI_SOLVERS(SOLVER_RETURN)
#undef SOLVER_ASK
    return false;
}

tp_stage tpi_solver_next(tp_world *world)
{
    const tp_world_def *def = &world->def;
#define SOLVER_ASK(name) tpi_##name##_next(world)
    TPI_SOLVERS(SOLVER_RETURN)
#undef SOLVER_ASK
    return TP_STAGE_COLLIDE;
}

bool tpi_solver_is_shared(const tp_world *world)
{
    const tp_world_def *def = &world->def;
#define SOLVER_ASK(name) tpi_##name##_is_shared(world)
    TPI_SOLVERS(SOLVER_RETURN)
#undef SOLVER_ASK
    return false;
}

void tpi_solver_exchange(tp_world *world, bool is_whole)
{
    const tp_world_def *def = &world->def;
#define SOLVER_ASK(name) tpi_##name##_exchange(world, is_whole)
    TPI_SOLVERS(SOLVER_CALL)
#undef SOLVER_ASK
}

uint32_t tpi_solver_kick_units(const tp_world *world)
{
    const tp_world_def *def = &world->def;
#define SOLVER_ASK(name) tpi_##name##_kick_units(world)
    TPI_SOLVERS(SOLVER_RETURN)
#undef SOLVER_ASK
    return 0;
}

bool tpi_solver_splits(tp_world *world, uint32_t index, tp_vector x, tp_vector *aside)
{
    const tp_world_def *def = &world->def;
#define SOLVER_ASK(name) tpi_##name##_splits(world, index, x, aside)
    TPI_SOLVERS(SOLVER_RETURN)
#undef SOLVER_ASK
    return false;
}

#undef SOLVER_RETURN
#undef SOLVER_CALL
