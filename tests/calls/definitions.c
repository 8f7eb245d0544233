/* SPDX-License-Identifier: MIT
   tests/calls/definitions.c - definitions that a game could write, and hostile ones.
   reads   the sequence's random state      writes  definitions
   memory  static geometry                 cost    microseconds
   after   own design */
#include "calls.h"

static const tp_vector corners[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                     {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
static const uint32_t faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                   2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
static const float heights[64] = {0.1f, 0.2f, -0.1f, 0.3f, 0.0f, 0.25f, -0.2f, 0.1f, 0.4f, 0.1f};

/* Some springs, or so few that most of them are dropped. */
static void springs_of(calls_sequence *s, tp_world_def *def)
{
    if (def->sph.formulation == TP_SPH_INCOMPRESSIBLE && !calls_one_in(s, 8)) return;
    def->sph.springs_max = 1u + calls_below(s, calls_one_in(s, 2) ? 3u : 16u);
    def->sph.spring_frames = calls_one_in(s, 4) ? 2u : 0u;
    def->sph.spring_stiffness = (float)calls_below(s, 1200);
    def->sph.spring_plasticity = (float)calls_below(s, 12);
    def->sph.spring_yield = (float)calls_below(s, 5) * 0.1f;
    def->sph.springs_at_rest = calls_one_in(s, 2);
    if (!calls_one_in(s, 8)) def->sph.compat = false;
}

/* Every field of materials, now and then beyond its range. */
static void materials_of(calls_sequence *s, tp_world_def *def)
{
    for (uint32_t k = 0; k < 3; k++) {
        def->species[k].viscosity = calls_float(s, 60);
        def->species[k].cohesion = calls_float(s, 60);
        def->species[k].stickiness = calls_float(s, 60);
        def->species[k].friction = calls_float(s, 60) * 2.0f;
    }
    def->sph.mix_count = calls_below(s, 3);
    for (uint32_t k = 0; k < def->sph.mix_count; k++)
        def->sph.mix[k] =
            (tp_sph_mix){(uint16_t)calls_below(s, 2), 1, calls_float(s, 60), calls_float(s, 60)};
    if (!calls_one_in(s, 8)) def->sph.compat = false;
}

/* Any of the formulations, with a step that most of the fluids bear. */
static void fluid_of(calls_sequence *s, tp_world_def *def)
{
    def->sph.formulation = (tp_sph_formulation)calls_below(s, 4);
    def->sph.allows_tension = calls_one_in(s, 3);
    def->sph.sound_speed = 4.0f + calls_float(s, 60);
    if (calls_one_in(s, 3)) def->sph.cohesion = calls_float(s, 30);
    if (calls_one_in(s, 3)) def->sph.viscosity = calls_float(s, 10);
    if (calls_one_in(s, 3)) def->sph.viscosity_iterations = 1u + calls_below(s, 3);
    if (calls_one_in(s, 3)) materials_of(s, def);
    if (calls_one_in(s, 2)) springs_of(s, def);
    const float spacing = 0.1f + calls_float(s, 60) * 0.02f, depth = calls_float(s, 60);
    if (def->sph.formulation == TP_SPH_INCOMPRESSIBLE) tp_sph_incompressible(def, spacing);
    if (def->sph.formulation == TP_SPH_DOUBLE_DENSITY) {
        if (calls_one_in(s, 3)) tp_sph_double_density(def, spacing);
        return;
    }
    if (!calls_one_in(s, 8)) def->sph.compat = false;
    if (def->sph.formulation == TP_SPH_INCOMPRESSIBLE) return;
    def->substeps.is_adaptive = def->substeps.is_adaptive && calls_one_in(s, 8);
    if (!calls_one_in(s, 4)) return;
    if (def->sph.formulation == TP_SPH_IDEAL_GAS)
        tp_sph_ideal_gas(def, spacing, depth);
    else
        tp_sph_weakly_compressible(def, spacing, depth);
}

static void heat_of(calls_sequence *s, tp_world_def *def)
{
    def->heat.range = 1.0f + calls_float(s, 60) * 50.0f;
    def->heat.diffusivity = calls_float(s, 60) * 0.01f;
    def->species[0].expansion = calls_float(s, 60) * 0.01f;
    def->species[0].buoyancy = calls_float(s, 60);
}

/* Not negative, but for what is hostile. */
static float amount_of(calls_sequence *s)
{
    float amount = calls_float(s, 60);
    return amount < 0 ? -amount : amount;
}

static void fire_of(calls_sequence *s, tp_world_def *def)
{
    def->heat.range = 1.0f + amount_of(s) * 50.0f;
    def->heat.diffusivity = amount_of(s) * 0.01f;
    def->vortex.fuel_species = calls_below(s, 4);
    def->vortex.flame = 0.5f * def->heat.range;
    def->vortex.ignition = amount_of(s);
    def->vortex.burning = amount_of(s);
    def->vortex.air = amount_of(s);
    def->vortex.radiation = amount_of(s);
}

static void solver_of(calls_sequence *s, tp_world_def *def)
{
    def->solver = (tp_solver)calls_below(s, 5);
    def->sph.formulation = TP_SPH_DOUBLE_DENSITY;
    if (def->solver == TP_SOLVER_VORTEX) {
        if (!calls_one_in(s, 8)) def->dimensions = 3;
        def->vortex.vortons_max = calls_below(s, 20);
        if (calls_one_in(s, 2)) def->vortex.viscosity = calls_float(s, 60);
        if (!calls_one_in(s, 3)) return;
        for (uint32_t axis = 0; axis < 3; axis++)
            def->vortex.grid_nodes[axis] = 1u + (4u << calls_below(s, 2));
        def->vortex.grid_low = (tp_vector){-2, -2, -2};
        def->vortex.grid_spacing = 0.5f;
        def->vortex.lift.y = calls_float(s, 60);
        def->vortex.lift_species = def->vortex.vorton_species = 1;
        def->vortex.merge = amount_of(s);
        def->vortex.split = amount_of(s);
        if (calls_one_in(s, 2)) fire_of(s, def);
        return;
    }
    if (def->solver != TP_SOLVER_NONE && calls_one_in(s, 2)) def->periodic_axes = calls_below(s, 8);
    def->box_low = (tp_vector){-2, -2, -2};
    def->box_size = (tp_vector){4, 4, 4};
    if (def->solver == TP_SOLVER_PAIR || (def->solver == TP_SOLVER_NONE && calls_one_in(s, 3)))
        def->integrator = TP_INTEGRATOR_KDK;
    def->sph.stores_neighbours = calls_one_in(s, 2);
    def->sph.compat = calls_one_in(s, 6);
    if (calls_one_in(s, 3)) def->sph.neighbours_max = 4u + calls_below(s, 12);
    if (calls_one_in(s, 5)) def->sph.cell_max = 4u + calls_below(s, 12);
    if (def->solver == TP_SOLVER_SPH && calls_one_in(s, 2)) fluid_of(s, def);
    if (def->solver == TP_SOLVER_SPH && !def->sph.compat && calls_one_in(s, 3)) heat_of(s, def);
    if (def->solver == TP_SOLVER_SPH && calls_one_in(s, 3)) def->links_max = calls_below(s, 40);
    if (def->solver == TP_SOLVER_CLOTH && !calls_one_in(s, 8)) {
        def->pool_policy = TP_POOL_REFUSE;
        def->substeps.is_adaptive = false;
        def->periodic_axes = 0;
        def->cloth.sheets_max = calls_below(s, 4);
        def->cloth.constraints_max = calls_below(s, 6 * CALLS_PARTICLES);
        def->cloth.damping = calls_one_in(s, 2) ? 0.01f : 0.0f;
        if (def->dimensions == 3 && calls_one_in(s, 2))
            def->cloth.triangles_max = 1u + calls_below(s, 2 * CALLS_PARTICLES);
        def->cloth.air = def->cloth.triangles_max ? 1.2f : 0.0f;
        if (def->dimensions == 3 && calls_one_in(s, 2))
            def->cloth.tetrahedra_max = calls_below(s, 6 * CALLS_PARTICLES);
        bool may_split = def->cloth.tetrahedra_max == 0 || calls_one_in(s, 8);
        if (may_split && calls_one_in(s, 2))
            def->cloth.integrator = (tp_cloth_integrator)(1u + calls_below(s, 2));
        if (calls_one_in(s, 2)) def->cloth.iterations = 1u + calls_below(s, 30);
        bool may_wear = def->cloth.tetrahedra_max == 0 || calls_one_in(s, 8);
        if (may_wear && calls_one_in(s, 3)) def->cloth.tear = 0.2f;
        if (may_wear && calls_one_in(s, 4)) def->cloth.yield = 0.05f;
        if (def->cloth.tear > 0.0f && def->cloth.triangles_max && calls_one_in(s, 2))
            def->cloth.splits_max = 1u + calls_below(s, 8);
        if (calls_one_in(s, 2)) def->cloth.thickness = 0.01f + 0.01f * (float)calls_below(s, 20);
        if (calls_one_in(s, 3)) def->cloth.limit = 0.1f;
        if (calls_one_in(s, 2)) def->cloth.ties_max = calls_below(s, 6);
        bool may_fold = def->dimensions == 3 && def->cloth.tear == 0.0f &&
                        def->cloth.yield == 0.0f && def->cloth.integrator == TP_CLOTH_XPBD;
        if ((may_fold && calls_one_in(s, 2)) || calls_one_in(s, 40))
            def->cloth.folds_max = calls_below(s, 3 * CALLS_PARTICLES);
        bool may_graze = def->cloth.thickness > 0.0f && def->cloth.triangles_max > 0 &&
                         def->cloth.tear + def->cloth.yield <= 0.0f;
        if (may_graze && calls_one_in(s, 2)) def->cloth.edge_max = 0.4f;
    }
    if (def->solver != TP_SOLVER_PAIR) return;
    def->pair.potential = (tp_potential)calls_below(s, 4);
    def->pair.stores_neighbours = !calls_one_in(s, 3);
    if (def->pair.potential == TP_POTENTIAL_TABLE) def->pair.table_max = 33;
    if (calls_one_in(s, 2)) def->links_max = calls_below(s, 40);
    if (calls_one_in(s, 2)) def->pair.neighbours_max = 4u + calls_below(s, 12);
    if (calls_one_in(s, 4)) def->pair.cell_max = 4u + calls_below(s, 12);
    if (calls_one_in(s, 3)) def->pair.skin = 0.0f;
    if (calls_one_in(s, 3)) def->pair.temperature = 1.0f, def->pair.friction = 2.0f;
    def->species[0].sigma = 0.3f;
}

void calls_world_definition(calls_sequence *s, tp_world_def *def)
{
    *def = tp_world_default(2u + calls_below(s, 2));
    def->particles_max = 1u + calls_below(s, CALLS_PARTICLES);
    def->seed = calls_below(s, 1000);
    def->slice_units = calls_one_in(s, 2) ? 64u : 2048u;
    def->geometry_bytes_max = 4096;
    def->overload = (tp_overload)calls_below(s, 3);
    def->pool_policy = (tp_pool_policy)calls_below(s, 2);
    def->keeps_births = !calls_one_in(s, 3);
    def->measures_loads = calls_one_in(s, 3);
    def->takes_changes = !calls_one_in(s, 3);
    def->keeps_words = calls_one_in(s, 3);
    def->keeps_last_frame = calls_one_in(s, 3);
    def->keeps_curves = def->keeps_last_frame;
    def->events_max = calls_one_in(s, 2) ? 1u + calls_below(s, 60) : 0u;
    def->event_kinds = def->events_max ? 1u + calls_below(s, TP_EVENTS_ALL) : 0u;
    if (calls_one_in(s, 3)) def->event_speed = 0.0f;
    def->feeds_max = calls_one_in(s, 2) ? 1u + calls_below(s, 30) : 0u;
    def->bodies_max = calls_one_in(s, 2) ? calls_below(s, 4) : 0;
    if (def->events_max && calls_one_in(s, 2)) def->event_kinds |= TP_EVENTS_BODIES;
    def->substeps.count = 1u + calls_below(s, 3);
    def->substeps.is_adaptive = calls_one_in(s, 3);
    def->substeps.compat = calls_one_in(s, 8);
    solver_of(s, def);
    def->species_count = 1u + calls_below(s, 3);
    for (uint32_t k = 1; k < def->species_count; k++) {
        def->species[k] = def->species[0];
        if (def->sph.formulation != TP_SPH_INCOMPRESSIBLE)
            def->species[k].mass = 1.0f + calls_float(s, 0) * 0.5f;
        def->species[k].radius = 0.05f + calls_float(s, 0) * 0.04f;
        if (calls_one_in(s, 2)) def->species[k].sigma *= 4.0f;
        def->species[k].is_tracer = def->solver < TP_SOLVER_PAIR && calls_one_in(s, 5);
    }
    calls_change(s, def, sizeof *def, 4);
    calls_tame(&def->keeps_births);
    calls_tame(&def->measures_loads);
    calls_tame(&def->takes_changes);
    calls_tame(&def->keeps_words);
    calls_tame(&def->keeps_last_frame);
    calls_tame(&def->keeps_curves);
    calls_tame(&def->substeps.is_adaptive);
    calls_tame(&def->substeps.compat);
    calls_tame(&def->sph.compat);
    calls_tame(&def->sph.allows_tension);
    calls_tame(&def->sph.stores_neighbours);
    calls_tame(&def->sph.springs_at_rest);
    calls_tame(&def->pair.stores_neighbours);
    for (uint32_t k = 0; k < TP_SPECIES_MAX; k++) calls_tame(&def->species[k].is_tracer);
}

/* Changes some of the settings that may change. */
void calls_world_change(calls_sequence *s, tp_world_def *def)
{
    uint32_t species = calls_below(s, TP_SPECIES_MAX);
    if (calls_one_in(s, 3)) def->speed_max = calls_float(s, 20);
    if (calls_one_in(s, 2)) def->species[species].radius = calls_float(s, 20) * 0.1f;
    if (calls_one_in(s, 3)) def->species[species].epsilon = calls_float(s, 20);
    if (calls_one_in(s, 3)) def->sph.stiffness *= 1.1f;
    if (calls_one_in(s, 3)) def->sph.viscosity *= 0.5f;
    if (calls_one_in(s, 3)) def->sph.density_iterations = 1u + calls_below(s, 4);
    if (calls_one_in(s, 3)) def->pair.friction = calls_float(s, 20);
    if (calls_one_in(s, 3)) def->pair.restitution = calls_float(s, 20);
    if (calls_one_in(s, 3)) def->pair.link_force_max *= 0.5f;
    calls_change(s, def, sizeof *def, 8);
}

/* An emitter that events feed. */
static void feed_of(calls_sequence *s, tp_emitter_def *def)
{
    def->feed_kinds = calls_below(s, 128) &
                      ~(TP_EVENT_BIT(TP_EVENT_BIRTH) | TP_EVENT_BIT(TP_EVENT_CONTACT_ENDED));
    def->feed_species = calls_below(s, 8);
    def->feed_births = 1u + calls_below(s, 20);
    def->feed_distance = def->feed_births % 3u ? 0.0f : 0.02f * (float)def->feed_births;
    def->feed_births_max = 1u + calls_below(s, 60);
    def->feed_ticks = 1u + calls_below(s, 2u * TP_TICKS_PER_FRAME);
    def->rate_numerator = def->burst_count = 0;
    def->lattice_spacing = 0.0f;
}

/* A grid, a rope, or a mesh whose triangles may be in disorder. */
void calls_cloth_definition(calls_sequence *s, tp_cloth_def *def)
{
    *def = tp_cloth_default();
    def->columns = 1u + calls_below(s, 14);
    def->rows = 1u + calls_below(s, 14);
    def->origin = calls_vector(s, 1.0f, 200);
    def->stretch = calls_one_in(s, 2) ? 0.01f : 0.0f;
    def->tether = calls_one_in(s, 2) ? 1.5f : 0.0f;
    if (calls_one_in(s, 3)) {
        def->columns = 2u + calls_below(s, 4);
        def->rows = 2u + calls_below(s, 4);
        def->layers = 2u + calls_below(s, 4);
        def->tether = 0.0f;
        def->volume = calls_one_in(s, 2) ? 0.001f : 0.0f;
    }
    if (calls_one_in(s, 4)) def->tear = calls_one_in(s, 2) ? 0.1f : 0.0f;
    if (calls_one_in(s, 4)) def->yield = calls_one_in(s, 2) ? 0.02f : 0.0f;
    if (calls_one_in(s, 4)) def->yield_max = 0.25f;
    if (calls_one_in(s, 3)) def->kinds = calls_below(s, 17);
    if (calls_one_in(s, 3)) def->fold = 10.0f;
    calls_change(s, def, offsetof(tp_cloth_def, vertices), 5);
    if (calls_one_in(s, 2)) return;
    def->vertices = corners;
    def->vertex_count = calls_one_in(s, 8) ? calls_below(s, 8) : 8u;
    def->indices = calls_one_in(s, 20) ? NULL : faces;
    def->triangle_count = calls_below(s, 13);
}

void calls_emitter_definition(calls_sequence *s, tp_emitter_def *def)
{
    *def = tp_emitter_default();
    def->shape = (tp_emitter_shape)calls_below(s, 6);
    def->pose = calls_pose(s, 40);
    def->size = (tp_vector){0.5f, 0.4f, 0.3f};
    def->species = calls_below(s, 2);
    def->rate_numerator = calls_below(s, 4) * 60u;
    def->rate_denominator = 1u + calls_below(s, 3);
    def->burst_count = calls_one_in(s, 2) ? calls_below(s, 200) : 0;
    if (calls_one_in(s, 3)) def->lattice_spacing = 0.1f;
    def->temperature = calls_float(s, 60) * 20.0f;
    if (calls_one_in(s, 4)) def->word = calls_below(s, 4);
    if (calls_one_in(s, 3)) def->strength = calls_float(s, 60);
    def->velocity = calls_vector(s, 3.0f, 60);
    def->velocity_jitter = calls_one_in(s, 3) ? 1.0f : 0.0f;
    def->position_jitter = calls_one_in(s, 3) ? 0.1f : 0.0f;
    def->inherit = calls_one_in(s, 2) ? 1.0f : 0.0f;
    if (calls_one_in(s, 3)) def->lifetime_ticks = TP_TICKS_PER_FRAME * calls_below(s, 5);
    if (calls_one_in(s, 3)) feed_of(s, def);
    def->vertices = NULL;
    def->indices = NULL;
    calls_change(s, def, offsetof(tp_emitter_def, vertices), 5);
    if (def->shape == TP_EMITTER_MESH) {
        def->vertices = corners;
        def->indices = faces;
        def->vertex_count = 8;
        def->triangle_count = 1u + calls_below(s, 12);
    }
}

void calls_sink_definition(calls_sequence *s, tp_sink_def *def)
{
    *def = tp_sink_default();
    def->shape = (tp_sink_shape)calls_below(s, 4);
    def->age_ticks = TP_TICKS_PER_FRAME * (1u + calls_below(s, 4));
    def->center = calls_vector(s, 2.0f, 30);
    def->half = (tp_vector){0.5f, 0.5f, 0.5f};
    def->radius = 0.5f;
    def->normal = (tp_vector){0, 1, 0};
    def->offset = -1.0f;
    def->is_inverted = calls_one_in(s, 8);
    calls_change(s, def, sizeof *def, 5);
    calls_tame(&def->is_inverted);
}

void calls_field_definition(calls_sequence *s, tp_field_def *def)
{
    *def = tp_field_default((tp_field_kind)calls_below(s, 6));
    if (def->kind == TP_FIELD_WIND) def->vector = calls_vector(s, 4.0f, 30);
    if (def->kind == TP_FIELD_DRAG && calls_one_in(s, 2))
        def->vector = (tp_vector){0.8f, 0.6f, 0.7f}; /* in a box */
    def->linear = def->quadratic = 0.5f;
    def->strength = calls_float(s, 20) * 4.0f;
    def->core = 0.3f;
    def->center = calls_vector(s, 2.0f, 30);
    def->is_rankine = calls_one_in(s, 2);
    if (calls_one_in(s, 3))
        def->over_age = (tp_curve){3, {0.0f, 0.25f, 1.0f}, {calls_float(s, 60), 1.0f, 0.0f}};
    calls_change(s, def, sizeof *def, 5);
    calls_tame(&def->is_rankine);
}

/* Two rooms of 4 x 4 sectors around the mesh, beside one another or at one place, with some
   portals; sometimes a word of them is wrong. The sequence has the only copy. */
static void calls_rooms(calls_sequence *s, tp_collider_def *def)
{
    static int16_t words[9 + 32 * 9];
    const int16_t places[9] = {2, -2, -2, 4, 4, calls_one_in(s, 2) ? 0 : -2, -2, 4, 4};
    for (uint32_t k = 0; k < 9; k++) words[k] = places[k];
    for (uint32_t k = 0; k < 32; k++) {
        int16_t *sector = words + 9 + 9 * k;
        const int16_t links[3] = {(int16_t)((int32_t)calls_below(s, 4) - 2),
                                  (int16_t)((int32_t)calls_below(s, 3) - 1),
                                  (int16_t)((int32_t)calls_below(s, 3) - 1)};
        for (uint32_t w = 0; w < 9; w++) sector[w] = w < 3 ? links[w] : 0;
        if (k % 3u) sector[0] = -1;
        sector[3] = (int16_t)(-8 + (int32_t)calls_below(s, 4));
        sector[6] = (int16_t)(8 - (int32_t)calls_below(s, 4));
        sector[4] = sector[8] = (int16_t)calls_below(s, 3);
    }
    if (calls_one_in(s, 4))
        words[calls_below(s, 9 + 32 * 9)] = (int16_t)((int32_t)calls_below(s, 65536) - 32768);
    def->rooms = words;
    def->room_words = calls_one_in(s, 10) ? calls_below(s, 297) : 297u;
}

void calls_collider_definition(calls_sequence *s, tp_collider_def *def)
{
    *def = tp_collider_default((tp_collider_shape)calls_below(s, 7));
    def->pose = calls_pose(s, 40);
    def->half = (tp_vector){1.5f, 1.0f, 1.2f};
    def->radius = 0.4f;
    def->restitution = calls_one_in(s, 3) ? 0.8f : 0.0f;
    def->friction = calls_one_in(s, 3) ? 0.5f : 0.0f;
    def->is_hollow = def->shape == TP_COLLIDER_BOX && calls_one_in(s, 2);
    def->kills = calls_one_in(s, 8);
    if (calls_one_in(s, 4)) def->event_species = calls_below(s, 8);
    def->conducts = calls_one_in(s, 3);
    def->temperature = calls_float(s, 60) * 20.0f;
    def->is_two_sided = calls_one_in(s, 2);
    def->thickness = def->is_two_sided ? 0.02f : 0.0f;
    def->spacing = 0.5f;
    def->columns = 4, def->rows = 4, def->layers = 4;
    if (calls_one_in(s, 3)) def->rows = def->layers = 1;
    if (def->shape == TP_COLLIDER_HEIGHTFIELD) def->layers = 1;
    calls_change(s, def, offsetof(tp_collider_def, vertices), 5);
    calls_tame(&def->is_hollow);
    calls_tame(&def->is_two_sided);
    calls_tame(&def->kills);
    calls_tame(&def->conducts);
    def->vertices = corners;
    def->indices = faces;
    def->vertex_count = 8;
    def->triangle_count = 1u + calls_below(s, 12);
    def->samples = heights;
    if (calls_one_in(s, def->shape == TP_COLLIDER_MESH ? 2 : 40)) calls_rooms(s, def);
}
