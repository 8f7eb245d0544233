/* SPDX-License-Identifier: MIT
   runtime/solve/vortex/solver.c - the solver of vortices: its definition, arrays, and order of
           stages.
   reads   tp_world_def, the block      writes  constants, the next stage
   memory  see tpi_vortex_layout        cost    O(1)
   after   see vortex.h */
#include "vortex.h"
#include "../../world/check.h"

/* ---- definition ---- */

/* The definition holds zeros: fields whose default is 0 are not named. */
void tpi_vortex_default(tp_world_def *def)
{
    tp_vortex *vortex = &def->vortex;
    vortex->vortons_max = 256;
    vortex->core = vortex->grid_spacing = 0.1f;
    vortex->strength_max = 1e6f;
    vortex->growth_max = 100.0f;
    vortex->timestep_max = 0.0167f;
    vortex->volume = 0.001f;
    vortex->density = 1.2f;
}

uint32_t tpi_vortex_traits(const tp_world_def *def)
{
    return TPI_SOLVER_STAGES | TPI_SOLVER_STRENGTHS |
           (def->vortex.split > 0.0f ? TPI_SOLVER_SPLITS : 0u);
}

const char *tpi_vortex_check_ranges(const tp_world_def *def)
{
    static const tpi_integer_row integers[] = {
        TPI_ROW(vortex.vortons_max, 0, 4096),   TPI_ROW(vortex.grid_nodes[0], 0, 65),
        TPI_ROW(vortex.grid_nodes[1], 0, 65),   TPI_ROW(vortex.grid_nodes[2], 0, 65),
        TPI_ROW(vortex.lift_species, 0, 65535), TPI_ROW(vortex.vorton_species, 0, 65535),
        TPI_ROW(vortex.grid_follows, 0, 7),     TPI_ROW(vortex.grid_closed, 0, 1),
        TPI_ROW(vortex.fuel_species, 0, 65535),
    };
    static const tpi_number_row numbers[] = {
        TPI_NUMBER_ROW(vortex.core, 0.0001, 10000),
        TPI_NUMBER_ROW(vortex.strength_max, 0.000001, 1000000),
        TPI_NUMBER_ROW(vortex.growth_max, 0, 1000),
        TPI_NUMBER_ROW(vortex.timestep_max, 0.00001, 1),
        TPI_NUMBER_ROW(vortex.viscosity, 0, 1000),
        TPI_NUMBER_ROW(vortex.volume, 0.000000000001, 1000000000),
        TPI_NUMBER_ROW(vortex.grid_spacing, 0.0001, 10000),
        TPI_NUMBER_ROW(vortex.grid_low.x, -1000000, 1000000),
        TPI_NUMBER_ROW(vortex.grid_low.y, -1000000, 1000000),
        TPI_NUMBER_ROW(vortex.grid_low.z, -1000000, 1000000),
        TPI_NUMBER_ROW(vortex.lift.x, -1000000, 1000000),
        TPI_NUMBER_ROW(vortex.lift.y, -1000000, 1000000),
        TPI_NUMBER_ROW(vortex.lift.z, -1000000, 1000000),
        TPI_NUMBER_ROW(vortex.cooling, 0, 1000),
        TPI_NUMBER_ROW(vortex.grip, 0, 1000),
        TPI_NUMBER_ROW(vortex.density, 0.000001, 1000000),
        TPI_NUMBER_ROW(vortex.ignition, 0, 1000000),
        TPI_NUMBER_ROW(vortex.burning, 0, 1000000),
        TPI_NUMBER_ROW(vortex.air, 0, 1000000),
        TPI_NUMBER_ROW(vortex.flame, 0, 1000000),
        TPI_NUMBER_ROW(vortex.radiation, 0, 1000000),
        TPI_NUMBER_ROW(vortex.merge, 0, 10000),
        TPI_NUMBER_ROW(vortex.split, 0, 1000000),
    };
    return TPI_CHECK_ROWS(def, integers, numbers);
}

static const char *vortex_check_grid(const tp_world_def *def)
{
    const tp_vortex *vortex = &def->vortex;
    const uint32_t *nodes = vortex->grid_nodes;
    bool has_grid = (nodes[0] | nodes[1] | nodes[2]) != 0;
    if (has_grid &&
        (tpi_min_u32(nodes[0], tpi_min_u32(nodes[1], nodes[2])) < 5u || !tpi_dense_is_good(nodes)))
        return TPI_TEXT("vortex.grid_nodes must be 0, or 5, 9, 17, 33 or 65 along each axis");
    if (has_grid && def->dimensions != 3)
        return TPI_TEXT("vortex.grid_nodes must be 0 in two dimensions, which have sums only");
    if (!has_grid && tpi_vortex_has_lift(def))
        return TPI_TEXT("vortex.lift needs vortex.grid_nodes");
    if (!has_grid && vortex->grid_follows)
        return TPI_TEXT("vortex.grid_follows needs vortex.grid_nodes");
    if (!has_grid && vortex->grid_closed)
        return TPI_TEXT("vortex.grid_closed needs vortex.grid_nodes");
    if (!has_grid && vortex->grip > 0.0f) return TPI_TEXT("vortex.grip needs vortex.grid_nodes");
    if (!has_grid && vortex->merge > 0.0f) return TPI_TEXT("vortex.merge needs vortex.grid_nodes");
    if (def->dimensions != 3 && vortex->split > 0.0f)
        return TPI_TEXT("vortex.split must be 0 in two dimensions, where nothing stretches");
    if (vortex->cooling > 0.0f && !def->keeps_births)
        return TPI_TEXT("vortex.cooling needs a world with keeps_births");
    return NULL;
}

static const char *vortex_check_fire(const tp_world_def *def)
{
    const tp_vortex *vortex = &def->vortex;
    const float range = def->heat.range;
    if (!TPI_HAS_FIRE && range > 0.0f)
        return TPI_TEXT("heat.range must be 0: heat was left out by TP_WITHOUT_HEAT");
    if (range != 0.0f && !tpi_is_within(range, 1e-3f, 1e6f))
        return TPI_TEXT("heat.range must be 0, or 1e-3 to 1e6");
    if (range == 0.0f &&
        (def->heat.diffusivity != 0.0f || vortex->radiation != 0.0f || vortex->fuel_species != 0))
        return TPI_TEXT("heat.range must be above 0 with heat.diffusivity, vortex.radiation or "
                        "vortex.fuel_species: set it to the largest temperature");
    if (!tpi_is_within(def->heat.diffusivity, 0.0f, 1e4f))
        return TPI_TEXT("heat.diffusivity must be 0 to 1e4");
    if (range > 0.0f && !tpi_vortex_has_grid(def))
        return TPI_TEXT("heat.range needs vortex.grid_nodes with TP_SOLVER_VORTEX");
    if (range > 0.0f && vortex->flame > range)
        return TPI_TEXT("vortex.flame must be at most heat.range");
    return NULL;
}

const char *tpi_vortex_check(const tp_world_def *def)
{
    if (def->integrator != TP_INTEGRATOR_EULER)
        return TPI_TEXT("integrator must be TP_INTEGRATOR_EULER with TP_SOLVER_VORTEX, which has "
                        "midpoint steps");
    for (uint32_t s = 0; s < def->species_count; s++)
        if (def->species[s].is_tracer)
            return TPI_TEXT("species.is_tracer must be false with TP_SOLVER_VORTEX: each particle "
                            "without a strength is a tracer");
    const char *text = vortex_check_grid(def);
    if (!text) text = vortex_check_fire(def);
    if (text) return text;
    if (tpi_frame_seconds(def) <= 101.0f * def->vortex.timestep_max) return NULL;
    return TPI_TEXT("frames_per_second must be high enough for 101 sub-steps of "
                    "vortex.timestep_max to cover a frame");
}

const char *tpi_vortex_oversize(const tp_world_def *def)
{
    (void)def;
    return TPI_TEXT("particles_max asks for a block of more than 4 GiB: lower it");
}

float tpi_vortex_timestep_max(const tp_world_def *def) { return def->vortex.timestep_max; }

tpi_neighbour_needs tpi_vortex_needs(const tp_world_def *def)
{
    (void)def;
    return (tpi_neighbour_needs){0};
}

bool tpi_vortex_cells(const tp_world_def *def, tpi_levels *levels, tpi_box *box)
{
    (void)def, (void)levels, (void)box;
    return false;
}

/* ---- block ---- */

/* Values at the nodes of the grid: those of the sources and of the potential have a component
   each. */
static void vortex_layout_grid(uint32_t *own, tpi_layout *layout, const tp_world_def *def)
{
    const uint32_t *nodes = def->vortex.grid_nodes;
    uint32_t floats = tpi_dense_floats(nodes);
    own[TPI_VORTEX_SOURCE] = tpi_layout_take(layout, "vorticity of nodes", 3u * floats, 4);
    own[TPI_VORTEX_POTENTIAL] = tpi_layout_take(layout, "potential of nodes", 3u * floats, 4);
    own[TPI_VORTEX_WORK] = tpi_layout_take(layout, "multigrid", tpi_multigrid_floats(nodes), 4);
    own[TPI_VORTEX_FLOW] = tpi_layout_take(layout, "velocities of nodes", 4u * floats, 4);
    if (tpi_vortex_has_gain(def))
        own[TPI_VORTEX_GAIN_ROWS] = tpi_layout_take(layout, "gains of nodes", 4u * floats, 4);
}

uint32_t tpi_vortex_layout(tpi_arrays *arrays, tpi_layout *layout, const tp_world_def *def)
{
    static const char names[2][3][20] = {{"strength x", "strength y", "strength z"},
                                         {"next strength x", "next strength y", "next strength z"}};
    static const char heats[2][2][20] = {{"temperature", "fuel"},
                                         {"next temperature", "next fuel"}};
    uint32_t vortons = def->vortex.vortons_max, *own = arrays->own;
    for (uint32_t set = 0; set < 2; set++)
        for (uint32_t axis = 0; axis < 3; axis++)
            arrays->kept[set][axis] = tpi_layout_take(
                layout, names[set][axis], (uint64_t)def->particles_max + TPI_LANES_MAX, 4);
    for (uint32_t k = 0; tpi_has_fire(def) && k < 4; k++)
        arrays->kept[k >> 1][TPI_KEPT_WARMTH + (k & 1u)] = tpi_layout_take(
            layout, heats[k >> 1][k & 1u], (uint64_t)def->particles_max + TPI_LANES_MAX, 4);
    bool has_grid = tpi_vortex_has_grid(def);
    own[TPI_VORTEX_HEAD] =
        tpi_layout_take(layout, "vortons", has_grid ? TPI_VORTEX_HEAD_WORDS : 1u, 4);
    own[TPI_VORTEX_ROWS] = tpi_layout_take(layout, "vorton rows", vortons, TPI_VORTEX_ROW * 4u);
    own[TPI_VORTEX_INDEX] = tpi_layout_take(layout, "vorton indices", vortons, 4);
    own[TPI_VORTEX_CHANGE] =
        tpi_layout_take(layout, "changes of strengths", 3u * (uint64_t)tpi_vortex_stride(def), 4);
    if (tpi_vortex_has_gain(def))
        own[TPI_VORTEX_GAIN] =
            tpi_layout_take(layout, "gains of strengths", 3u * (uint64_t)tpi_vortex_stride(def), 4);
    if (has_grid) vortex_layout_grid(own, layout, def);
    return (uint32_t)sizeof(tpi_vortex_constants);
}

static tpi_vortex_constants vortex_constants(const tp_world_def *def)
{
    const tp_vortex *vortex = &def->vortex;
    float core = vortex->core, h = vortex->grid_spacing,
          amount = vortex->viscosity * vortex->volume;
    float cell = h * h * h * h * h, blob = core * core * core * core;
    float by_sums =
        tpi_def_dimensions(def) == 2 ? amount * 140.0f / blob : amount * 105.0f / (blob * core);
    return (tpi_vortex_constants){.square = core * core,
                                  .exchange =
                                      tpi_vortex_has_grid(def) ? amount * 6.0f / cell : by_sums,
                                  .tick = tpi_frame_seconds(def) / (float)TP_TICKS_PER_FRAME};
}

void tpi_vortex_prepare(tp_world *world, const tp_world_def *def) { (void)world, (void)def; }

void tpi_vortex_derive(tp_world *world) { *tpi_vortex_of(world) = vortex_constants(&world->def); }

/* A step packs the vortons anew, and a block from outside begins its step again. */
const char *tpi_vortex_audit(const tp_world *world, uint64_t *offset)
{
    *offset = world->arrays.solver;
    tpi_vortex_constants now = vortex_constants(&world->def), *kept = tpi_vortex_of(world);
    return tpi_is_same(kept, &now, sizeof now) ? NULL : TPI_TEXT("the constants of vortices");
}

/* ---- step ---- */

bool tpi_vortex_must_prime(const tp_world *world)
{
    (void)world;
    return false;
}

tp_stage tpi_vortex_next(tp_world *world)
{
    return world->step.stage == TP_STAGE_MOVE ? TP_STAGE_FORCE : TP_STAGE_COLLIDE;
}

bool tpi_vortex_is_shared(const tp_world *world) { return world->step.stage != TP_STAGE_FORCE; }

void tpi_vortex_exchange(tp_world *world, bool is_whole) { (void)world, (void)is_whole; }

uint32_t tpi_vortex_kick_units(const tp_world *world)
{
    (void)world;
    return 0;
}

/* Halves lie along the strength: the sums of strengths and of impulses stay. */
bool tpi_vortex_splits(tp_world *world, uint32_t index, tp_vector x, tp_vector *aside)
{
    const tp_vortex *vortex = &world->def.vortex;
    tp_vector strength = {tpi_back_kept(world, 0)[index], tpi_back_kept(world, 1)[index],
                          tpi_back_kept(world, 2)[index]};
    const float length = tpi_length(strength),
                size = vortex->grid_nodes[0] ? vortex->grid_spacing : vortex->core;
    (void)x;
    if (!(length > vortex->split) || world->step.strengths >= vortex->vortons_max ||
        (tpi_words(world, world->arrays.order)[index] & TPI_ORDER_CONTACT))
        return false;
    *aside = tpi_scale(strength, 0.25f * size / length);
    for (uint32_t k = 0; k < 3; k++)
        tpi_back_kept(world, k)[index] = tpi_component(strength, k) * 0.5f;
    world->step.strengths++;
    world->step.vortons_split++;
    return true;
}

/* ---- the air elsewhere ---- */

/* Adds 4 pi (in two dimensions 2 pi) times what one vorton induces. */
static void vortex_add_air(const tp_world *world, uint32_t i, tp_vector point, tp_vector *sum)
{
    tp_vector r = tpi_sub(point, tpi_vortex_at(world, i)), a = tpi_vortex_strength(world, i);
    float square = tpi_dot(r, r) + tpi_vortex_of(world)->square,
          weight = tpi_dimensions(world) == 2 ? 1.0f / square : 1.0f / (square * tpi_sqrt(square));
    *sum = tpi_add_scaled(*sum, tpi_cross(a, r), weight);
}

tp_result tp_vortex_air(const tp_world *world, const tp_vector *points, uint32_t count,
                        tp_vector *velocities)
{
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (count > 0 && (!points || !velocities)) return TP_ERROR_NULL;
    if (!tpi_def_has(&world->def, TPI_SOLVER_STRENGTHS)) return TP_ERROR_DEFINITION;
    const float share = tpi_dimensions(world) == 2 ? 0.159154943f : 0.0795774715f;
    for (uint32_t k = 0; k < count; k++) velocities[k] = tpi_vector(0.0f, 0.0f, 0.0f);
    for (uint32_t i = 0; i < world->count; i++) {
        if (!(tpi_largest(tpi_vortex_strength(world, i)) > 0.0f)) continue;
        for (uint32_t k = 0; k < count; k++) vortex_add_air(world, i, points[k], &velocities[k]);
    }
    for (uint32_t k = 0; k < count; k++)
        velocities[k] =
            tpi_add(tpi_scale(velocities[k], share), tpi_field_medium(world, points[k], 0));
    return TP_OK;
}

/* ---- strengths ---- */

/* Vortons of the front set, but for one particle. */
static uint32_t vortex_others(const tp_world *world, uint32_t index)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->count; i++)
        count += i != index && tpi_largest(tpi_vortex_strength(world, i)) > 0.0f;
    return count;
}

tp_result tp_particle_strength(tp_world *world, uint32_t index, tp_vector strength)
{
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (index >= world->count) return TP_ERROR_HANDLE;
    const tp_vortex *vortex = &world->def.vortex;
    bool is_vorton = tpi_largest(strength) > 0.0f,
         is_flat = tpi_dimensions(world) == 2 && (strength.x != 0.0f || strength.y != 0.0f);
    if (is_flat || !tpi_def_has(&world->def, TPI_SOLVER_STRENGTHS) ||
        !tpi_is_finite_vector(strength) ||
        !(tpi_dot(strength, strength) <= vortex->strength_max * vortex->strength_max))
        return TP_ERROR_DEFINITION;
    if (is_vorton && vortex_others(world, index) >= vortex->vortons_max) return TP_ERROR_FULL;
    tpi_step_cancel(world);
    for (uint32_t axis = 0; axis < 3; axis++)
        tpi_front_kept(world, axis)[index] = tpi_flush(tpi_component(strength, axis));
    return TP_OK;
}
