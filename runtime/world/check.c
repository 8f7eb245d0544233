/* SPDX-License-Identifier: MIT
   runtime/world/check.c - defaults of a world's definition; its check, which names the first wrong
           field.
   reads   tp_world_def      writes  nothing
   memory  constant tables   cost    O(fields)
   after   own design: one table row per field with a range, so that no field stays unchecked */
#include "block.h"
#include "check.h"
#include "solver.h"

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
    def.event_species = 0xffffffffu;
    def.event_speed = 0.5f;
    def.slice_units = 2048;
    def.lag_frames_max = 4;
    def.keeps_births = true;
    def.species_count = 1;
    for (uint32_t s = 0; s < TP_SPECIES_MAX; s++) {
        def.species[s] = (tp_species){.mass = 1.0f,
                                      .radius = 0.05f,
                                      .rest_density = dimensions == 3 ? TPI_REST_DENSITY_3D
                                                                      : TPI_REST_DENSITY_2D,
                                      .viscosity = 1.0f,
                                      .cohesion = 1.0f,
                                      .friction = 1.0f};
    }
    for (uint32_t s = 0; s < TP_SPECIES_MAX; s++)
        def.species[s].epsilon = def.species[s].sigma = 1.0f;
    def.box_size = tpi_vector(10.0f, 10.0f, 10.0f);
    def.substeps = (tp_substeps){.count = 1, .count_max = 8, .courant = 0.2f};
    tpi_solver_default(&def);
    return def;
}

/* Fields that need a part which this build leaves out. */
static const char *check_features(const tp_world_def *def)
{
    if (!TPI_HAS_3D && def->dimensions == 3)
        return TPI_TEXT("dimensions must be 2: the third was left out by TP_WITHOUT_3D");
    if (!TPI_HAS_EMITTERS && (def->emitters_max || def->sinks_max))
        return TPI_TEXT(
            "emitters_max and sinks_max must be 0: they were left out by TP_WITHOUT_EMITTERS");
    if (!TPI_HAS_FIELDS && def->fields_max)
        return TPI_TEXT("fields_max must be 0: fields were left out by TP_WITHOUT_FIELDS");
    if (!TPI_HAS_COLLIDERS && def->colliders_max)
        return TPI_TEXT("colliders_max must be 0: colliders were left out by TP_WITHOUT_COLLIDERS");
    if (!TPI_HAS_LOADS && def->measures_loads)
        return TPI_TEXT("measures_loads must be false: loads were left out by TP_WITHOUT_LOADS");
    if (!TPI_HAS_CHANGES && def->takes_changes)
        return TPI_TEXT("takes_changes must be false: changes were left out by TP_WITHOUT_CHANGES");
    if (!TPI_HAS_EVENTS && def->events_max)
        return TPI_TEXT("events_max must be 0: events were left out by TP_WITHOUT_EVENTS");
    if (!TPI_HAS_FEEDS && def->feeds_max)
        return TPI_TEXT("feeds_max must be 0: it was left out by TP_WITHOUT_EVENTS or "
                        "TP_WITHOUT_EMITTERS");
    if (!TPI_HAS_CHANGES && def->keeps_words)
        return TPI_TEXT("keeps_words must be false: words were left out by TP_WITHOUT_CHANGES");
    if (!TPI_HAS_DRAW && def->keeps_last_frame)
        return TPI_TEXT("keeps_last_frame must be false: drawing was left out by TP_WITHOUT_DRAW");
    if (!TPI_HAS_AGES && def->keeps_curves)
        return TPI_TEXT("keeps_curves must be false: curves were left out by TP_WITHOUT_DRAW or "
                        "TP_WITHOUT_EMITTERS");
    if (!TPI_HAS_BODIES && def->bodies_max)
        return TPI_TEXT("bodies_max must be 0: bodies were left out by TP_WITHOUT_BODIES");
    return NULL;
}

/* Enums are compared as unsigned integers, because a definition from outside may hold any bits. */
static const char *check_choices(const tp_world_def *def)
{
    if ((uint32_t)def->integrator > TP_INTEGRATOR_KDK)
        return TPI_TEXT("integrator must be a TP_INTEGRATOR_ value");
    if ((uint32_t)def->overload > TP_OVERLOAD_DROP)
        return TPI_TEXT("overload must be a TP_OVERLOAD_ value");
    if ((uint32_t)def->pool_policy > TP_POOL_RECYCLE)
        return TPI_TEXT("pool_policy must be a TP_POOL_ value");
    if (def->bodies_max > def->colliders_max)
        return TPI_TEXT("bodies_max must be at most colliders_max: each body has a collider");
    if (def->substeps.count_max < def->substeps.count)
        return TPI_TEXT("substeps.count_max must be at least substeps.count");
    return NULL;
}

static const char *check_events(const tp_world_def *def)
{
    if (def->event_kinds && !def->events_max)
        return TPI_TEXT("events_max must be 1 to 65536 if event_kinds is not 0");
    if (def->events_max && !def->event_kinds)
        return TPI_TEXT("event_kinds must have a TP_EVENT_BIT of each kind that is wanted if "
                        "events_max is not 0");
    if (def->event_kinds & TP_EVENT_BIT(TP_EVENT_TRAIL))
        return TPI_TEXT("event_kinds must not have trails: they feed emitters only");
    if ((def->events_max || def->feeds_max) &&
        !(def->event_species & ((1u << def->species_count) - 1u)))
        return TPI_TEXT("event_species must have the bit of a species below species_count");
    return NULL;
}

/* A speed that underflows to a zero impulse with the lightest mass would let hard spheres pass
   through each other. */
static const char *check_speed(const tp_world_def *def)
{
    if (def->speed_max == 0.0f || tpi_is_within(def->speed_max, 1e-12f, 1e6f)) return NULL;
    return TPI_TEXT("speed_max must be 0, or 1e-12 to 1e6");
}

static const char *check_species(const tp_world_def *def)
{
    for (uint32_t s = 0; s < def->species_count; s++) {
        const tp_species *species = &def->species[s];
        if (!tpi_is_within(species->mass, 1e-6f, 1e6f))
            return TPI_TEXT("species.mass must be 1e-6 to 1e6");
        if (!tpi_is_within(species->radius, 0.0f, 1e4f))
            return TPI_TEXT("species.radius must be 0 to 1e4");
        if (!tpi_is_within(species->rest_density, 0.0f, 1e12f))
            return TPI_TEXT("species.rest_density must be 0 to 1e12");
        if (species->epsilon != 0.0f && !tpi_is_within(species->epsilon, 1e-6f, 1e6f))
            return TPI_TEXT("species.epsilon must be 0, or 1e-6 to 1e6");
        if (!tpi_is_within(species->sigma, 1e-4f, 1e4f))
            return TPI_TEXT("species.sigma must be 1e-4 to 1e4");
        if (!tpi_is_within(species->viscosity, 0.0f, 1.0f))
            return TPI_TEXT("species.viscosity must be 0 to 1");
        if (!tpi_is_within(species->cohesion, 0.0f, 1.0f))
            return TPI_TEXT("species.cohesion must be 0 to 1");
        if (!tpi_is_within(species->stickiness, 0.0f, 1e6f))
            return TPI_TEXT("species.stickiness must be 0 to 1e6");
        if (!tpi_is_within(species->friction, 0.0f, 1e3f))
            return TPI_TEXT("species.friction must be 0 to 1000");
    }
    return NULL;
}

/* Frames of 1/1000 s to 10 s: a tick stays above the resolution of float, and longer frames have no
   use. */
static const char *check_frame_rate(const tp_world_def *def)
{
    uint32_t numerator = def->frames_per_second_numerator,
             denominator = def->frames_per_second_denominator;
    if (numerator > 1000u * denominator || 10u * numerator < denominator)
        return TPI_TEXT("frames_per_second must be 0.1 to 1000");
    return NULL;
}

/* Returns the message of the first row that the definition violates, or null. */
const char *tpi_check_rows(const tp_world_def *def, const tpi_integer_row *integers,
                           size_t integer_count, const tpi_number_row *numbers, size_t number_count)
{
    for (size_t r = 0; r < integer_count; r++) {
        uint32_t value;
        tpi_memcpy(&value, (const char *)def + integers[r].offset, sizeof value);
        if (value < integers[r].low || value > integers[r].high) return TPI_ROW_FAULT(integers[r]);
    }
    for (size_t r = 0; r < number_count; r++) {
        float value;
        tpi_memcpy(&value, (const char *)def + numbers[r].offset, sizeof value);
        if (!tpi_is_within(value, numbers[r].low, numbers[r].high))
            return TPI_ROW_FAULT(numbers[r]);
    }
    return NULL;
}

static const char *check_ranges(const tp_world_def *def)
{
    static const tpi_integer_row integers[] = {
        TPI_ROW(dimensions, 2, 3),
        TPI_ROW(particles_max, 1, 16777215),
        TPI_ROW(emitters_max, 0, 1024),
        TPI_ROW(sinks_max, 0, 24),
        TPI_ROW(fields_max, 0, 24),
        TPI_ROW(colliders_max, 0, 1024),
        TPI_ROW(links_max, 0, 16384),
        TPI_ROW(events_max, 0, 65536),
        TPI_ROW(event_kinds, 0, 447),
        TPI_ROW(feeds_max, 0, 16384),
        TPI_ROW(bodies_max, 0, 64),
        TPI_ROW(geometry_bytes_max, 0, 1073741824),
        TPI_ROW(frames_per_second_numerator, 1, 65535),
        TPI_ROW(frames_per_second_denominator, 1, 65535),
        TPI_ROW(slice_units, 64, 65536),
        TPI_ROW(lag_frames_max, 1, 64),
        TPI_ROW(species_count, 1, 8),
        TPI_ROW(substeps.count, 1, 100),
        TPI_ROW(substeps.count_max, 1, 101),
        TPI_ROW(periodic_axes, 0, 7),
    };
    static const tpi_number_row numbers[] = {
        TPI_NUMBER_ROW(substeps.courant, 0.001, 10),
        TPI_NUMBER_ROW(event_speed, 0, 1000000),
    };
    const char *text = TPI_CHECK_ROWS(def, integers, numbers);
    return text ? text : tpi_solver_check_ranges(def);
}

const char *tpi_world_check_fields(const tp_world_def *def)
{
    const char *text = check_ranges(def);
    if (!text) text = check_features(def);
    if (!text) text = check_choices(def);
    if (!text) text = check_events(def);
    if (!text) text = check_speed(def);
    if (!text) text = check_species(def);
    if (!text) text = check_frame_rate(def);
    if (!text) text = tpi_solver_check(def);
    return text;
}

/* The fields were checked before. Geometry is at most a quarter of the limit and pools are smaller,
   so particles or lists exceed it. */
static const char *check_size(const tp_world_def *def)
{
    if (tpi_world_bytes(def) <= TPI_LAYOUT_MAX) return NULL;
    if (tpi_solver_needs(def).list_capacity) return tpi_solver_oversize(def);
    return TPI_TEXT("particles_max and geometry_bytes_max ask for a block of more than 4 GiB: "
                    "lower one of them");
}

const char *tp_world_check(const tp_world_def *definition)
{
    if (!definition) return TPI_TEXT("the definition is null: pass one made by tp_world_default");
    if (definition->stamp != TPI_STAMP_WORLD) return tp_result_text(TP_ERROR_STAMP);
    const char *text = tpi_world_check_fields(definition);
    return text ? text : check_size(definition);
}
