/* SPDX-License-Identifier: MIT
   runtime/world/check.c - defaults of a world's definition, and the sentence that names its first wrong field.
   reads   tp_world_def      writes  nothing
   memory  constant tables   cost    O(fields)
   after   one table row a field, so that no field goes unchecked and no check grows into a page of code */
#include "block.h"

/* The fluid's constants in two dimensions are the published ones (Clavet et al. 2005, as in the article's program). In
   three the kernel reaches two spacings instead of three (33 neighbours, not 113), and its norm is larger (597 against
   35), so that the pressures are weaker: with the published ones a pool explodes.
   rest_density: in three dimensions that of a cubic lattice of twice the radius, at which both pressures cancel.
   sph.timestep_max: the scheme is stable where w dt < sqrt(4/3), w the largest frequency. In two dimensions power
   iteration gives w = 94 to 134 /s in the bulk at rest, and 156 in the row on the floor, which is compressed because
   walls add no density; three steps of 5.6 ms at 60 Hz allow 206 /s. In three a column 5 m deep bursts at 5.6 ms, and
   one 8 m deep is calm at 4.2 ms, four steps at 60 Hz. */
static tp_sph check_sph_default(bool is_3d)
{
    return (tp_sph){.smoothing_radius = is_3d ? 0.2f : 0.3f,
                    .stiffness = is_3d ? 0.0006f : 0.08f,
                    .near_stiffness = is_3d ? 0.00075f : 0.1f,
                    .surface_tension = is_3d ? 0.00002f : 0.0004f,
                    .viscosity_linear = is_3d ? 0.4f : 0.5f,
                    .viscosity_quadratic = is_3d ? 0.6f : 1.0f,
                    .timestep_max = is_3d ? 0.0042f : 0.0056f,
                    .neighbours_max = is_3d ? 64 : 40,
                    .cell_max = 64,
                    .stores_neighbours = true};
}

tp_world_def tp_world_default(uint32_t dimensions)
{
    tp_world_def def;
    tpi_memset(&def, 0, sizeof def);
    def.stamp = TPI_STAMP_WORLD;
    def.dimensions = dimensions;
    def.particles_max = 1024;
    def.emitters_max = def.sinks_max = TPI_HAS_EMITTERS ? 4 : 0;
    def.fields_max = TPI_HAS_FIELDS ? 4 : 0;
    def.colliders_max = TPI_HAS_COLLIDERS ? 8 : 0;
    def.frames_per_second_numerator = 60;
    def.frames_per_second_denominator = 1;
    def.seed = 1;
    def.slice_units = 2048;
    def.lag_frames_max = 4;
    def.keeps_births = true;
    def.species_count = 1;
    for (uint32_t s = 0; s < TP_SPECIES_MAX; s++) {
        def.species[s] =
            (tp_species){.mass = 1.0f, .radius = 0.05f, .rest_density = dimensions == 3 ? 1041.0f : 82.0f};
    }
    for (uint32_t s = 0; s < TP_SPECIES_MAX; s++) def.species[s].epsilon = def.species[s].sigma = 1.0f;
    def.box_size = tpi_vector(10.0f, 10.0f, 10.0f);
    def.substeps = (tp_substeps){.count = 1, .count_max = 8, .courant = 0.2f};
    def.sph = check_sph_default(dimensions == 3);
    def.pair = (tp_pair){.cutoff = 2.5f,
                         .overlap = 0.7f,
                         .skin = 0.3f,
                         .timestep_max = 0.01f,
                         .restitution = 1.0f,
                         .contact_iterations = 4,
                         .link_force_max = 1e6f,
                         .neighbours_max = dimensions == 3 ? 128 : 40,
                         .cell_max = 255,
                         .stores_neighbours = true};
    return def;
}

/* Texts stand in place: a table of pointers would be writable data in position-independent code. */
#ifdef TP_WITHOUT_TEXTS
#define TPI_ROW_TEXT(text)
#define TPI_ROW_FAULT(row) TPI_TEXT("")
#else
#define TPI_ROW_TEXT(text) text
#define TPI_ROW_FAULT(row) (row).text
#endif
typedef struct check_integer {
    uint32_t offset, low, high;
    TPI_ROW_TEXT(char text[76];)
} check_integer;
typedef struct check_number {
    uint32_t offset;
    float low, high;
    TPI_ROW_TEXT(char text[76];)
} check_number;

#define TPI_ROW(field, low, high)                              \
    {                                                          \
        (uint32_t) offsetof(tp_world_def, field), low, high,   \
            TPI_ROW_TEXT(#field " must be " #low " to " #high) \
    }
/* The limits are written as the sentence shows them: without the suffix of a float. */
#define TPI_NUMBER_ROW(field, low, high)                                       \
    {                                                                          \
        (uint32_t) offsetof(tp_world_def, field), (float)(low), (float)(high), \
            TPI_ROW_TEXT(#field " must be " #low " to " #high)                 \
    }
static const check_integer check_integers[] = {
    TPI_ROW(dimensions, 2, 3),
    TPI_ROW(particles_max, 1, 16777215),
    TPI_ROW(emitters_max, 0, 1024),
    TPI_ROW(sinks_max, 0, 24),
    TPI_ROW(fields_max, 0, 24),
    TPI_ROW(colliders_max, 0, 1024),
    TPI_ROW(links_max, 0, 16384),
    TPI_ROW(geometry_bytes_max, 0, 1073741824),
    TPI_ROW(frames_per_second_numerator, 1, 65535),
    TPI_ROW(frames_per_second_denominator, 1, 65535),
    TPI_ROW(slice_units, 64, 65536),
    TPI_ROW(lag_frames_max, 1, 64),
    TPI_ROW(species_count, 1, 8),
    TPI_ROW(substeps.count, 1, 100),
    TPI_ROW(substeps.count_max, 1, 101),
#if TPI_HAS_SPH
    TPI_ROW(sph.neighbours_max, 4, 255),
    TPI_ROW(sph.cell_max, 4, 64),
#endif
#if TPI_HAS_PAIR
    TPI_ROW(pair.contact_iterations, 1, 64),
    TPI_ROW(pair.neighbours_max, 4, 255),
    TPI_ROW(pair.cell_max, 4, 255),
    TPI_ROW(pair.mix_count, 0, 28),
    TPI_ROW(pair.table_max, 0, 4097),
#endif
    TPI_ROW(periodic_axes, 0, 7),
};
static const check_number check_numbers[] = {
    TPI_NUMBER_ROW(substeps.courant, 0.001, 10),
#if TPI_HAS_SPH
    TPI_NUMBER_ROW(sph.smoothing_radius, 1e-4, 1e4),
    TPI_NUMBER_ROW(sph.stiffness, 0, 1e6),
    TPI_NUMBER_ROW(sph.near_stiffness, 0, 1e6),
    TPI_NUMBER_ROW(sph.surface_tension, 0, 1e3),
    TPI_NUMBER_ROW(sph.viscosity_linear, 0, 1e4),
    TPI_NUMBER_ROW(sph.viscosity_quadratic, 0, 1e4),
    TPI_NUMBER_ROW(sph.timestep_max, 1e-5, 1),
#endif
#if TPI_HAS_PAIR
    TPI_NUMBER_ROW(pair.cutoff, 1, 8),
    TPI_NUMBER_ROW(pair.overlap, 0.0625, 1),
    TPI_NUMBER_ROW(pair.skin, 0, 2),
    TPI_NUMBER_ROW(pair.timestep_max, 1e-6, 1),
    TPI_NUMBER_ROW(pair.temperature, 0, 1e6),
    TPI_NUMBER_ROW(pair.friction, 0, 1e4),
    TPI_NUMBER_ROW(pair.restitution, 0, 1),
    TPI_NUMBER_ROW(pair.link_force_max, 1e-6, 1e12),
#endif
};
#undef TPI_ROW
#undef TPI_NUMBER_ROW
#undef TPI_ROW_TEXT

/* What needs a part that was left out of this build. */
static const char *check_features(const tp_world_def *def)
{
    if (!TPI_HAS_3D && def->dimensions == 3)
        return TPI_TEXT("dimensions must be 2: the third was left out by TP_WITHOUT_3D");
    if (!TPI_HAS_SPH && def->solver == TP_SOLVER_SPH)
        return TPI_TEXT("solver must not be TP_SOLVER_SPH: it was left out by TP_WITHOUT_SPH");
    if (!TPI_HAS_PAIR && def->solver == TP_SOLVER_PAIR)
        return TPI_TEXT("solver must not be TP_SOLVER_PAIR: it was left out by TP_WITHOUT_PAIR");
    if (!TPI_HAS_EMITTERS && (def->emitters_max || def->sinks_max))
        return TPI_TEXT("emitters_max and sinks_max must be 0: they were left out by TP_WITHOUT_EMITTERS");
    if (!TPI_HAS_FIELDS && def->fields_max)
        return TPI_TEXT("fields_max must be 0: fields were left out by TP_WITHOUT_FIELDS");
    if (!TPI_HAS_COLLIDERS && def->colliders_max)
        return TPI_TEXT("colliders_max must be 0: colliders were left out by TP_WITHOUT_COLLIDERS");
    return NULL;
}

/* The enums are read as bits, because a foreign definition may hold anything. */
static const char *check_choices(const tp_world_def *def)
{
    if ((uint32_t)def->solver > TP_SOLVER_PAIR) return TPI_TEXT("solver must be a TP_SOLVER_ value");
    if ((uint32_t)def->integrator > TP_INTEGRATOR_KDK)
        return TPI_TEXT("integrator must be a TP_INTEGRATOR_ value");
    if ((uint32_t)def->overload > TP_OVERLOAD_DROP) return TPI_TEXT("overload must be a TP_OVERLOAD_ value");
    if ((uint32_t)def->pool_policy > TP_POOL_RECYCLE) return TPI_TEXT("pool_policy must be a TP_POOL_ value");
    if (def->solver == TP_SOLVER_SPH && def->integrator != TP_INTEGRATOR_EULER)
        return TPI_TEXT(
            "integrator must be TP_INTEGRATOR_EULER with TP_SOLVER_SPH: the relaxation is built on it");
    if (def->solver == TP_SOLVER_PAIR && def->integrator != TP_INTEGRATOR_KDK)
        return TPI_TEXT("integrator must be TP_INTEGRATOR_KDK with TP_SOLVER_PAIR: its energy is to be kept");
    if (def->substeps.count_max < def->substeps.count)
        return TPI_TEXT("substeps.count_max must be at least substeps.count");
    if (def->substeps.is_adaptive && def->solver != TP_SOLVER_SPH)
        return TPI_TEXT(
            "substeps.is_adaptive needs TP_SOLVER_SPH: the Courant number is relative to its neighbours");
    if (def->sph.compat && (def->dimensions != 2 || def->solver != TP_SOLVER_SPH))
        return TPI_TEXT(
            "sph.compat needs dimensions 2 and TP_SOLVER_SPH: the published program has no other form");
    return NULL;
}

/* A speed that with the lightest mass underflows to no impulse would let hard spheres pass through each other. */
static const char *check_speed(const tp_world_def *def)
{
    if (def->speed_max == 0.0f || tpi_is_within(def->speed_max, 1e-12f, 1e6f)) return NULL;
    return TPI_TEXT("speed_max must be 0, or 1e-12 to 1e6");
}

static const char *check_species(const tp_world_def *def)
{
    for (uint32_t s = 0; s < def->species_count; s++) {
        const tp_species *species = &def->species[s];
        if (!tpi_is_within(species->mass, 1e-6f, 1e6f)) return TPI_TEXT("species.mass must be 1e-6 to 1e6");
        if (!tpi_is_within(species->radius, 0.0f, 1e4f)) return TPI_TEXT("species.radius must be 0 to 1e4");
        if (!tpi_is_within(species->rest_density, 0.0f, 1e12f))
            return TPI_TEXT("species.rest_density must be 0 to 1e12");
        if (species->epsilon != 0.0f && !tpi_is_within(species->epsilon, 1e-6f, 1e6f))
            return TPI_TEXT("species.epsilon must be 0, or 1e-6 to 1e6");
        if (!tpi_is_within(species->sigma, 1e-4f, 1e4f)) return TPI_TEXT("species.sigma must be 1e-4 to 1e4");
        if (tpi_def_solver(def) == TP_SOLVER_PAIR && species->is_tracer)
            return TPI_TEXT("species.is_tracer needs TP_SOLVER_NONE: a tracer feels no force");
        if (tpi_def_solver(def) == TP_SOLVER_SPH && species->is_tracer)
            return TPI_TEXT("species.is_tracer needs TP_SOLVER_NONE: a tracer feels no pressure");
    }
    return NULL;
}

static const char *check_mix(const tp_world_def *def)
{
    for (uint32_t k = 0; k < def->pair.mix_count; k++) {
        const tp_pair_mix *mix = &def->pair.mix[k];
        if (mix->first >= def->species_count || mix->second >= def->species_count)
            return TPI_TEXT("pair.mix.first and second must be below species_count");
        if (mix->epsilon != 0.0f && !tpi_is_within(mix->epsilon, 1e-6f, 1e6f))
            return TPI_TEXT("pair.mix.epsilon must be 0, or 1e-6 to 1e6");
        if (!tpi_is_within(mix->sigma, 1e-4f, 1e4f)) return TPI_TEXT("pair.mix.sigma must be 1e-4 to 1e4");
    }
    return NULL;
}

/* Lennard-Jones has no number for its force much nearer than half a sigma. */
static const char *check_potential(const tp_pair *pair)
{
    if ((uint32_t)pair->potential > TP_POTENTIAL_LJ_FORCE_SHIFT)
        return TPI_TEXT("pair.potential must be a TP_POTENTIAL_ value");
    if (pair->cutoff - pair->overlap < 0.05f)
        return TPI_TEXT("pair.cutoff must be 0.05 or more above pair.overlap");
    if (pair->potential == TP_POTENTIAL_TABLE)
        return pair->table_max < 5u ? TPI_TEXT("pair.table_max must be 5 to 4097 with TP_POTENTIAL_TABLE")
                                    : NULL;
    if (pair->table_max) return TPI_TEXT("pair.table_max must be 0 without TP_POTENTIAL_TABLE");
    if (pair->overlap < 0.5f) return TPI_TEXT("pair.overlap must be 0.5 to 1 without TP_POTENTIAL_TABLE");
    return NULL;
}

static const char *check_pair(const tp_world_def *def)
{
    const float low[3] = {def->box_low.x, def->box_low.y, def->box_low.z};
    const float size[3] = {def->box_size.x, def->box_size.y, def->box_size.z};
    if (tpi_def_solver(def) != TP_SOLVER_PAIR && def->links_max)
        return TPI_TEXT("links_max needs TP_SOLVER_PAIR: other solvers have no links");
    if (tpi_def_solver(def) != TP_SOLVER_PAIR)
        return def->periodic_axes
                   ? TPI_TEXT("periodic_axes needs TP_SOLVER_PAIR: other solvers have open worlds")
                   : NULL;
    if (def->dimensions == 2 && (def->periodic_axes & TP_AXIS_Z))
        return TPI_TEXT("periodic_axes must not name z in 2 dimensions");
    const char *text = check_potential(&def->pair);
    if (!text) text = check_mix(def);
    if (text) return text;
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (!(def->periodic_axes >> axis & 1u)) continue;
        if (!tpi_is_within(low[axis], -1e6f, 1e6f)) return TPI_TEXT("box_low must be -1e6 to 1e6");
        if (!tpi_is_within(size[axis], 2.0f * tpi_pair_reach(def), 1e6f))
            return TPI_TEXT("box_size must be at least twice the longest cutoff, and at most 1e6");
        if (size[axis] < 1e-6f * tpi_abs(low[axis])) /* 8 floats lie in it, or more */
            return TPI_TEXT("box_size must be at least a millionth of the distance of box_low from 0");
    }
    return NULL;
}

/* Frames between 1/1000 s and 10 s keep the tick above float's resolution and the step below any use. */
static const char *check_frame_rate(const tp_world_def *def)
{
    uint32_t numerator = def->frames_per_second_numerator, denominator = def->frames_per_second_denominator;
    if (numerator > 1000u * denominator || 10u * numerator < denominator)
        return TPI_TEXT("frames_per_second must be 0.1 to 1000");
    float frame = (float)denominator / (float)numerator;
    float most = def->substeps.is_adaptive ? (float)def->substeps.count_max : 101.0f;
    if (tpi_def_solver(def) == TP_SOLVER_SPH && frame > most * def->sph.timestep_max)
        return TPI_TEXT(
            "sub-steps of sph.timestep_max must cover a frame, substeps.count_max of them when adaptive, "
            "else 101: raise it or the frame rate");
    if (tpi_def_solver(def) == TP_SOLVER_PAIR && frame > 101.0f * def->pair.timestep_max)
        return TPI_TEXT(
            "frames_per_second must be high enough for 101 sub-steps of pair.timestep_max to cover a "
            "frame");
    return NULL;
}

static const char *check_ranges(const tp_world_def *def)
{
    for (uint32_t r = 0; r < sizeof check_integers / sizeof check_integers[0]; r++) {
        uint32_t value;
        tpi_memcpy(&value, (const char *)def + check_integers[r].offset, sizeof value);
        if (value < check_integers[r].low || value > check_integers[r].high)
            return TPI_ROW_FAULT(check_integers[r]);
    }
    for (uint32_t r = 0; r < sizeof check_numbers / sizeof check_numbers[0]; r++) {
        float value;
        tpi_memcpy(&value, (const char *)def + check_numbers[r].offset, sizeof value);
        if (!tpi_is_within(value, check_numbers[r].low, check_numbers[r].high))
            return TPI_ROW_FAULT(check_numbers[r]);
    }
    return NULL;
}

const char *tpi_world_check_fields(const tp_world_def *def)
{
    const char *text = check_ranges(def);
    if (!text) text = check_features(def);
    if (!text) text = check_choices(def);
    if (!text) text = check_speed(def);
    if (!text) text = check_species(def);
    if (!text) text = check_pair(def);
    if (!text) text = check_frame_rate(def);
    return text;
}

/* Each field alone is good then; geometry is a quarter of the limit at most, pools are less. */
static const char *check_size(const tp_world_def *def)
{
    if (tpi_world_bytes(def) <= TPI_LAYOUT_MAX) return NULL;
    bool stores = tpi_def_solver(def) != TP_SOLVER_NONE && tpi_def_stores(def);
    if (stores && tpi_def_solver(def) == TP_SOLVER_PAIR)
        return TPI_TEXT(
            "particles_max times pair.neighbours_max asks for a block of more than 4 GiB: lower one of "
            "them, or store no neighbours");
    if (stores)
        return TPI_TEXT(
            "particles_max times sph.neighbours_max asks for a block of more than 4 GiB: lower one of "
            "them, or store no neighbours");
    return TPI_TEXT(
        "particles_max and geometry_bytes_max ask for a block of more than 4 GiB: lower one of them");
}

const char *tp_world_check(const tp_world_def *definition)
{
    if (!definition) return TPI_TEXT("the definition is null: pass one made by tp_world_default");
    if (definition->stamp != TPI_STAMP_WORLD) return tp_result_text(TP_ERROR_STAMP);
    const char *text = tpi_world_check_fields(definition);
    return text ? text : check_size(definition);
}
