/* SPDX-License-Identifier: MIT
   runtime/solve/change.c - tp_world_change: which settings of a world may change while it runs.
   reads   tp_world_def      writes  the definition and the constants of a world
   memory  a constant table, a plan of a layout      cost    O(species^2)
   after   own design: a table of the fields that may not change; all others may, if the block
           keeps its layout */
#include "solve.h"
#include "../world/change.h"
#include "../world/check.h"
#include "../world/solver.h"

typedef struct change_row {
    uint16_t offset, bytes;
    TPI_ROW_TEXT(char text[48];)
} change_row;

#define CHANGE_FIXED(field)                                                                     \
    {                                                                                           \
        (uint16_t) offsetof(tp_world_def, field), (uint16_t)sizeof(((tp_world_def *)0)->field), \
            TPI_ROW_TEXT(#field " may not change")                                              \
    }

/* The first field that differs and may not, or null. */
static const char *change_fixed(const tp_world_def *a, const tp_world_def *b)
{
    static const change_row rows[] = {
        CHANGE_FIXED(dimensions),
        CHANGE_FIXED(particles_max),
        CHANGE_FIXED(emitters_max),
        CHANGE_FIXED(sinks_max),
        CHANGE_FIXED(fields_max),
        CHANGE_FIXED(colliders_max),
        CHANGE_FIXED(links_max),
        CHANGE_FIXED(bodies_max),
        CHANGE_FIXED(events_max),
        CHANGE_FIXED(feeds_max),
        CHANGE_FIXED(geometry_bytes_max),
        CHANGE_FIXED(frames_per_second_numerator),
        CHANGE_FIXED(frames_per_second_denominator),
        CHANGE_FIXED(seed),
        CHANGE_FIXED(world_id),
        CHANGE_FIXED(slice_units),
        CHANGE_FIXED(lag_frames_max),
        CHANGE_FIXED(solver),
        CHANGE_FIXED(integrator),
        CHANGE_FIXED(pool_policy),
        CHANGE_FIXED(keeps_births),
        CHANGE_FIXED(measures_loads),
        CHANGE_FIXED(takes_changes),
        CHANGE_FIXED(keeps_words),
        CHANGE_FIXED(keeps_last_frame),
        CHANGE_FIXED(keeps_curves),
        CHANGE_FIXED(species_count),
        CHANGE_FIXED(substeps.count),
        CHANGE_FIXED(substeps.count_max),
        CHANGE_FIXED(substeps.is_adaptive),
        CHANGE_FIXED(substeps.compat),
        CHANGE_FIXED(substeps.courant),
        CHANGE_FIXED(sph.formulation),
        CHANGE_FIXED(sph.smoothing_radius),
        CHANGE_FIXED(sph.timestep_max),
        CHANGE_FIXED(sph.neighbours_max),
        CHANGE_FIXED(sph.cell_max),
        CHANGE_FIXED(sph.springs_max),
        CHANGE_FIXED(sph.stores_neighbours),
        CHANGE_FIXED(sph.compat),
        CHANGE_FIXED(heat.range),
        CHANGE_FIXED(pair.potential),
        CHANGE_FIXED(pair.table_max),
        CHANGE_FIXED(pair.cutoff),
        CHANGE_FIXED(pair.overlap),
        CHANGE_FIXED(pair.skin),
        CHANGE_FIXED(pair.timestep_max),
        CHANGE_FIXED(pair.neighbours_max),
        CHANGE_FIXED(pair.cell_max),
        CHANGE_FIXED(pair.stores_neighbours),
        CHANGE_FIXED(pair.mix_count),
        CHANGE_FIXED(cloth.sheets_max),
        CHANGE_FIXED(cloth.constraints_max),
        CHANGE_FIXED(cloth.triangles_max),
        CHANGE_FIXED(cloth.tetrahedra_max),
        CHANGE_FIXED(cloth.timestep_max),
        CHANGE_FIXED(cloth.integrator),
        CHANGE_FIXED(cloth.thickness),
        CHANGE_FIXED(cloth.edge_max),
        CHANGE_FIXED(vortex),
        CHANGE_FIXED(periodic_axes),
        CHANGE_FIXED(box_low),
        CHANGE_FIXED(box_size),
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        if (!tpi_is_same((const char *)a + rows[r].offset, (const char *)b + rows[r].offset,
                         rows[r].bytes))
            return TPI_ROW_FAULT(rows[r]);
    return NULL;
}

static const char *change_species(const tp_world_def *a, const tp_world_def *b)
{
    for (uint32_t s = 0; s < TP_SPECIES_MAX; s++) {
        if (a->species[s].mass != b->species[s].mass)
            return TPI_TEXT("species.mass may not change");
        if (a->species[s].sigma != b->species[s].sigma)
            return TPI_TEXT("species.sigma may not change");
    }
    for (uint32_t m = 0; m < a->pair.mix_count; m++)
        if (a->pair.mix[m].first != b->pair.mix[m].first ||
            a->pair.mix[m].second != b->pair.mix[m].second ||
            a->pair.mix[m].sigma != b->pair.mix[m].sigma)
            return TPI_TEXT("pair.mix may change in epsilon only");
    return NULL;
}

const char *tpi_world_change_fault(const tp_world *world, const tp_world_def *def)
{
    if (!tpi_takes_changes(world)) return tpi_change_fault(world, TP_OK);
    const char *text = change_fixed(&world->def, def);
    if (!text) text = change_species(&world->def, def);
    if (!text) text = tpi_world_check_fields(def);
    if (!text && !tpi_world_has_layout(world, def))
        text = TPI_TEXT(
            "the block may not change: sph.viscosity, sph.cohesion, and cloth.tear and cloth.yield "
            "together must stay 0, or above 0, and materials of species must stay alike, or not");
    return text;
}

const char *tp_world_change_check(const tp_world *world, const tp_world_def *definition)
{
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return tp_result_text(result);
    if (!definition) return TPI_TEXT("the definition is null: pass one made by tp_world_default");
    if (definition->stamp != TPI_STAMP_WORLD) return tp_result_text(TP_ERROR_STAMP);
    return tpi_world_change_fault(world, definition);
}

tp_result tp_world_change(tp_world *world, const tp_world_def *definition)
{
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (!definition) return TP_ERROR_NULL;
    if (definition->stamp != TPI_STAMP_WORLD) return TP_ERROR_STAMP;
    if (tpi_world_change_fault(world, definition)) return TP_ERROR_DEFINITION;
    tpi_solver_prepare(world, definition);
    if (!tpi_is_in_frame(world)) {
        tpi_world_become(world, definition);
        return TP_OK;
    }
    tpi_change_put(world, TPI_POOL_WORLD, 0, definition);
    tpi_world_settle((tp_world_def *)tpi_change_of(world, TPI_POOL_WORLD, 0));
    return TP_OK;
}

void tpi_world_become(tp_world *world, const tp_world_def *def)
{
    world->def = *def;
    tpi_world_settle(&world->def);
    tpi_world_derive(world);
    if (TPI_HAS_FIELDS) tpi_fields_derive(world);
    world->forces_fresh = world->list_valid = false;
    world->changes++;
}

#undef CHANGE_FIXED
