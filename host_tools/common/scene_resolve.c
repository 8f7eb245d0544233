/* SPDX-License-Identifier: MIT
   host_tools/common/scene_resolve.c - after parsing: resolves names, converts times, computes
           lattices and capacities.
   reads   a parsed scene      writes  its definitions
   memory  malloc for generated heights, freed by scene_free      cost    O(items); heights
           O(samples)
   after   own design */
#include "scene_private.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

uint32_t scene_line_of(const scene_mark *mark, scene_section_kind kind, const char *key)
{
    uint32_t line = mark->lines[scene_find_key(&scene_sections[kind], key, strlen(key))];
    return line ? line : mark->line;
}

/* ---- names */

static bool species_named(const scene *source, const char *name, size_t length, uint32_t *found)
{
    for (size_t s = 0; s < source->species_count; s++) {
        const char *other = source->species[s].mark.name;
        if (strlen(other) != length || strncmp(other, name, length) != 0) continue;
        *found = (uint32_t)s;
        return true;
    }
    return false;
}

static int no_such_species(const scene *source, uint32_t line, const char *key, const char *name,
                           int length)
{
    char list[300] = "";
    for (size_t s = 0; s < source->species_count; s++) {
        if (s) strncat(list, ", ", sizeof list - strlen(list) - 1);
        strncat(list, source->species[s].mark.name, sizeof list - strlen(list) - 1);
    }
    return scene_problem(source, line, key, "'%.*s' is not defined in this scene; allowed: %s",
                         length, name, list);
}

/* "water, oil", the value of a field, as a bit mask of species. */
static int species_mask(const scene *source, const scene_mark *mark, scene_section_kind kind,
                        const char *key, const char *names, uint32_t *bits)
{
    if (!names) return HOST_DONE;
    *bits = 0;
    for (const char *at = names; *at;) {
        uint32_t found;
        size_t length = strcspn(at, ", \t");
        if (length && !species_named(source, at, length, &found))
            return no_such_species(source, scene_line_of(mark, kind, key), key, at, (int)length);
        if (length) *bits |= 1u << found;
        at += length;
        if (*at) at++;
    }
    return HOST_DONE;
}

static int resolve_masks(scene *target)
{
    int code = HOST_DONE;
    for (size_t i = 0; i < target->sink_count && !code; i++)
        code = species_mask(target, &target->sinks[i].mark, SCENE_SINK, "species",
                            target->sinks[i].species, &target->sinks[i].def.species_mask);
    for (size_t i = 0; i < target->field_count && !code; i++)
        code = species_mask(target, &target->fields[i].mark, SCENE_FIELD, "species",
                            target->fields[i].species, &target->fields[i].def.species_mask);
    for (size_t i = 0; i < target->collider_count && !code; i++) {
        scene_collider *c = &target->colliders[i];
        code = species_mask(target, &c->mark, SCENE_COLLIDER, "species", c->species,
                            &c->def.species_mask);
        if (!code)
            code = species_mask(target, &c->mark, SCENE_COLLIDER, "event_species", c->event_species,
                                &c->def.event_species);
    }
    for (size_t i = 0; i < target->emitter_count && !code; i++)
        code =
            species_mask(target, &target->emitters[i].mark, SCENE_EMITTER, "feed_species",
                         target->emitters[i].feed_species, &target->emitters[i].def.feed_species);
    if (!code)
        code = species_mask(target, &target->vortex_mark, SCENE_VORTEX, "lift_species",
                            target->lift_species, &target->world.vortex.lift_species);
    if (!code)
        code = species_mask(target, &target->vortex_mark, SCENE_VORTEX, "vorton_species",
                            target->vorton_species, &target->world.vortex.vorton_species);
    if (!code)
        code = species_mask(target, &target->vortex_mark, SCENE_VORTEX, "fuel_species",
                            target->fuel_species, &target->world.vortex.fuel_species);
    return code;
}

/* ---- species */

static int resolve_species(scene *target)
{
    if (target->species_count == 0) { /* one default species, as in the runtime */
        target->species_count = 1;
        target->species[0].def = tp_world_default(2).species[0];
        target->species[0].mark.name = host_text("particles");
        if (!target->species[0].mark.name) return host_out_of_memory("a scene");
    }
    for (size_t s = 0; s < target->species_count; s++) {
        scene_species *species = &target->species[s];
        if (species->lattice > 0)
            species->def.rest_density =
                (float)scene_balanced_density(&target->world, species->lattice);
        target->world.species[s] = species->def;
    }
    target->world.species_count = (uint32_t)target->species_count;
    return HOST_DONE;
}

static int resolve_mixes(scene *target)
{
    for (uint32_t k = 0; k < target->world.sph.mix_count; k++) {
        const scene_mix *mix = &target->mixes[k];
        for (int side = 0; side < 2; side++) {
            uint32_t found;
            const char *name = side ? mix->second : mix->first;
            if (!species_named(target, name, strlen(name), &found))
                return no_such_species(target, mix->line, "mix", name, (int)strlen(name));
            *(side ? &target->world.sph.mix[k].second : &target->world.sph.mix[k].first) =
                (uint16_t)found;
        }
        if (target->world.sph.mix[k].first == target->world.sph.mix[k].second)
            return scene_problem(target, mix->line, "mix",
                                 "'%s' twice; a species' own shares are its viscosity and cohesion",
                                 mix->first);
    }
    return HOST_DONE;
}

/* Kernel sums over all lattice points except the centre. */
typedef struct lattice_sums {
    double density, near_density; /* of (1 - r/h)^3 and ^4 */
    /* of r (1 - r/h)^2 and r (1 - r/h)^3: the effect of pressure and near-pressure */
    double pull, push;
} lattice_sums;

static lattice_sums sum_lattice(uint32_t dimensions, double h, double spacing)
{
    const double pi = 3.14159265358979323846;
    double norm = dimensions == 2 ? 10 / (pi * h * h) : 15 / (pi * h * h * h);
    double near_norm = dimensions == 2 ? 15 / (pi * h * h) : 26.25 / (pi * h * h * h);
    lattice_sums sums = {0, 0, 0, 0};
    int reach = (int)(h / spacing) + 1;
    if (reach > 64) reach = 64; /* far more than any fluid here needs; bounds the cost */
    for (int k = dimensions == 3 ? -reach : 0; k <= (dimensions == 3 ? reach : 0); k++) {
        for (int j = -reach; j <= reach; j++) {
            for (int i = -reach; i <= reach; i++) {
                double r = sqrt((double)(i * i + j * j + k * k)) * spacing, a = 1 - r / h;
                if (!(a > 0) || !(i || j || k)) continue;
                sums.density += a * a * a * norm;
                sums.near_density += a * a * a * a * near_norm;
                sums.pull += r * a * a * norm;
                sums.push += r * a * a * a * near_norm;
            }
        }
    }
    return sums;
}

double scene_balanced_density(const tp_world_def *def, double spacing)
{
    lattice_sums sums = sum_lattice(def->dimensions, (double)def->sph.smoothing_radius, spacing);
    double stiffness = (double)def->sph.stiffness, near_stiffness = (double)def->sph.near_stiffness;
    if (!(stiffness > 0) || !(sums.pull > 0)) return sums.density;
    return sums.density + near_stiffness * sums.near_density * sums.push / (stiffness * sums.pull);
}

/* ---- emitters */

/* Rounds as the runtime does: a quotient just below an integer becomes that integer. */
static double lattice_side(float half, double spacing)
{
    return floor(2 * (double)half / spacing + 1.0 / 1024) + 1;
}

uint32_t scene_lattice_count(uint32_t dimensions, const tp_vector *half, double spacing)
{
    double count = lattice_side(half->x, spacing) * lattice_side(half->y, spacing);
    if (dimensions == 3) count *= lattice_side(half->z, spacing);
    return count > 0 && count < 4e9 ? (uint32_t)count : 0;
}

#define AGE_TICKS_MAX 4293525855.0 /* limit of the runtime */

/* Seconds to ticks. False: more than the largest age. */
static bool ticks_of(const scene *source, double seconds, uint32_t *ticks)
{
    double value = floor(seconds / scene_frame_seconds(source) * TP_TICKS_PER_FRAME + 0.5);
    *ticks = value <= AGE_TICKS_MAX ? (uint32_t)value : 0;
    return value <= AGE_TICKS_MAX;
}

static int too_long(const scene *source, uint32_t line, const char *key)
{
    return scene_problem(source, line, key, "is too long at this frame rate; allowed: up to %.1f s",
                         AGE_TICKS_MAX / TP_TICKS_PER_FRAME * scene_frame_seconds(source));
}

static int resolve_burst(scene *target, scene_emitter *emitter)
{
    uint32_t line = scene_line_of(&emitter->mark, SCENE_EMITTER, "burst");
    if (emitter->def.burst_count != UINT32_MAX) return HOST_DONE;
    if (emitter->def.shape != TP_EMITTER_BOX || !(emitter->def.lattice_spacing > 0))
        return scene_problem(target, line, "burst", "'fill' needs 'shape = box' and a 'lattice'");
    emitter->def.burst_count = scene_lattice_count(target->world.dimensions, &emitter->def.size,
                                                   (double)emitter->def.lattice_spacing);
    return HOST_DONE;
}

static int resolve_emitters(scene *target)
{
    for (size_t i = 0; i < target->emitter_count; i++) {
        scene_emitter *emitter = &target->emitters[i];
        uint32_t line = scene_line_of(&emitter->mark, SCENE_EMITTER, "species");
        const char *name = emitter->species;
        if (name && !species_named(target, name, strlen(name), &emitter->def.species))
            return no_such_species(target, line, "species", name, (int)strlen(name));
        if (!ticks_of(target, emitter->lifetime, &emitter->def.lifetime_ticks))
            return too_long(target, scene_line_of(&emitter->mark, SCENE_EMITTER, "lifetime"),
                            "lifetime");
        if (emitter->feed_time > 0 &&
            !ticks_of(target, emitter->feed_time, &emitter->def.feed_ticks))
            return too_long(target, scene_line_of(&emitter->mark, SCENE_EMITTER, "feed_time"),
                            "feed_time");
        emitter->def.vertices = emitter->vertices;
        emitter->def.indices = emitter->indices;
        if (emitter->def.shape == TP_EMITTER_MESH && !emitter->vertices)
            return scene_problem(target, emitter->mark.line, "mesh",
                                 "is missing; allowed: the path of an .obj file");
        int code = resolve_burst(target, emitter);
        if (code) return code;
    }
    for (size_t i = 0; i < target->sink_count; i++)
        if (!ticks_of(target, target->sinks[i].age, &target->sinks[i].def.age_ticks))
            return too_long(target, scene_line_of(&target->sinks[i].mark, SCENE_SINK, "age"),
                            "age");
    return HOST_DONE;
}

static int resolve_body_species(scene *target)
{
    for (size_t i = 0; i < target->body_count; i++) {
        scene_body *body = &target->bodies[i];
        const char *name = body->species;
        if (name && !species_named(target, name, strlen(name), &body->species_place))
            return no_such_species(target, scene_line_of(&body->mark, SCENE_BODY, "species"),
                                   "species", name, (int)strlen(name));
    }
    for (size_t i = 0; i < target->ring_count; i++) {
        scene_ring *ring = &target->rings[i];
        const char *const names[2] = {ring->species, ring->smoke};
        uint32_t *const places[2] = {&ring->vorton_place, &ring->tracer_place};
        for (int k = 0; k < 2; k++)
            if (names[k] && !species_named(target, names[k], strlen(names[k]), places[k])) {
                const char *key = k ? "smoke" : "species";
                return no_such_species(target, scene_line_of(&ring->mark, SCENE_RING, key), key,
                                       names[k], (int)strlen(names[k]));
            }
    }
    for (size_t i = 0; i < target->sheet_count; i++) {
        scene_sheet *sheet = &target->sheets[i];
        const char *name = sheet->species;
        if (name && !species_named(target, name, strlen(name), &sheet->def.species))
            return no_such_species(target, scene_line_of(&sheet->mark, SCENE_SHEET, "species"),
                                   "species", name, (int)strlen(name));
    }
    return HOST_DONE;
}

/* ---- start */

static bool floats(const scene *source)
{
    for (size_t i = 0; i < source->collider_count; i++)
        if (source->colliders[i].body_def.mass > 0) return true;
    return false;
}

/* What no file of points holds: links, the poses of what floats. Sheets are made by the scene, and
   their nodes take the positions of the cache. */
static int resolve_start(scene *target)
{
    const scene_mark *mark = &target->start_mark;
    const char *name = target->start.species;
    if (!mark->line) return HOST_DONE;
    if (!target->start.cache)
        return scene_problem(target, mark->line, "cache",
                             "is missing; needed: the path of a sequence of points");
    if (target->body_count || floats(target))
        return scene_problem(target, mark->line, NULL,
                             "a scene with %s cannot start from a cache, which has none",
                             target->body_count ? "bodies" : "colliders that float");
    target->start.takes_last = scene_line_of(mark, SCENE_START, "frame") == mark->line;
    if (name && !species_named(target, name, strlen(name), &target->start.species_place))
        return no_such_species(target, scene_line_of(mark, SCENE_START, "species"), "species", name,
                               (int)strlen(name));
    return HOST_DONE;
}

/* ---- colliders */

/* Two crossed waves, so that a ground in 3D has hills, not furrows. */
static int make_heights(scene *target, scene_collider *collider)
{
    tp_collider_def *def = &collider->def;
    size_t count = (size_t)def->columns * def->rows;
    free(collider->samples);
    collider->samples = host_allocate(count, sizeof *collider->samples);
    if (!collider->samples) return host_out_of_memory("a heightfield");
    collider->sample_count = count;
    for (uint32_t row = 0; row < def->rows; row++) {
        for (uint32_t column = 0; column < def->columns; column++) {
            double x = column * (double)def->spacing, z = row * (double)def->spacing;
            double wave = scene_sine(x / collider->wave_length);
            if (target->world.dimensions == 3)
                wave += 0.7 * scene_sine(z / (1.3 * collider->wave_length) + 0.2);
            double height = collider->wave_height * wave + collider->slope * x;
            collider->samples[(size_t)row * def->columns + column] = (float)height;
        }
    }
    return HOST_DONE;
}

static int resolve_heightfield(scene *target, scene_collider *collider)
{
    tp_collider_def *def = &collider->def;
    uint32_t line = scene_line_of(&collider->mark, SCENE_COLLIDER, "heights");
    if (def->rows == 0) def->rows = 1;
    if (target->world.dimensions == 2 && def->rows != 1)
        return scene_problem(target, scene_line_of(&collider->mark, SCENE_COLLIDER, "rows"), "rows",
                             "must be 1 in two dimensions");
    if (collider->sample_count == 0 && !collider->has_waves)
        return scene_problem(target, line, "heights",
                             "is missing; allowed: numbers, or waves HEIGHT LENGTH [SLOPE]");
    if (collider->sample_count && def->columns == 0)
        def->columns = (uint32_t)(collider->sample_count / def->rows);
    if (def->columns < 2)
        return scene_problem(target, scene_line_of(&collider->mark, SCENE_COLLIDER, "columns"),
                             "columns", "is missing; allowed: 2 to 4096");
    if (collider->has_waves) {
        int code = make_heights(target, collider);
        if (code) return code;
    }
    if (collider->sample_count != (size_t)def->columns * def->rows)
        return scene_problem(
            target, line, "heights", "has %zu numbers; columns %u times rows %u need %zu",
            collider->sample_count, def->columns, def->rows, (size_t)def->columns * def->rows);
    def->samples = collider->samples;
    return HOST_DONE;
}

static int resolve_colliders(scene *target)
{
    for (size_t i = 0; i < target->collider_count; i++) {
        scene_collider *collider = &target->colliders[i];
        bool is_mesh = collider->def.shape == TP_COLLIDER_MESH;
        int code = HOST_DONE;
        if (is_mesh && target->world.dimensions == 2)
            code = scene_resolve_level(target, collider);
        else if (collider->tiles || collider->drawing)
            return scene_problem(target, collider->mark.line, NULL,
                                 "'tiles' and 'svg' are for 'shape = mesh' in two dimensions");
        if (is_mesh && !code && !collider->vertices)
            return scene_problem(target, collider->mark.line, "mesh",
                                 "is missing; allowed: the path of an .obj file");
        collider->def.vertices = collider->vertices;
        collider->def.indices = collider->indices;
        collider->def.rooms = collider->rooms;
        collider->def.room_words = (uint32_t)collider->room_count;
        if (collider->def.shape == TP_COLLIDER_HEIGHTFIELD)
            code = resolve_heightfield(target, collider);
        if (collider->def.shape == TP_COLLIDER_GRID) code = scene_resolve_grid(target, collider);
        if (code) return code;
    }
    return HOST_DONE;
}

/* ---- motions */

static const scene_mark *find_collider(const scene *source, const char *name, size_t *found)
{
    for (*found = 0; *found < source->collider_count; ++*found)
        if (strcmp(source->colliders[*found].mark.name, name) == 0)
            return &source->colliders[*found].mark;
    return NULL;
}

static const scene_mark *find_emitter(const scene *source, const char *name, size_t *found)
{
    for (*found = 0; *found < source->emitter_count; ++*found)
        if (strcmp(source->emitters[*found].mark.name, name) == 0)
            return &source->emitters[*found].mark;
    return NULL;
}

static int resolve_motions(scene *target)
{
    for (size_t i = 0; i < target->motion_count; i++) {
        scene_motion *motion = &target->motions[i];
        const char *name = motion->mark.name;
        size_t place_of_collider, place_of_emitter;
        const scene_mark *collider = find_collider(target, name, &place_of_collider);
        const scene_mark *emitter = find_emitter(target, name, &place_of_emitter);
        if (!collider && !emitter)
            return scene_problem(target, motion->mark.line, NULL,
                                 "motion '%s': no collider or emitter has that name", name);
        if (collider && emitter)
            return scene_problem(
                target, motion->mark.line, NULL,
                "motion '%s': both a collider (line %u) and an emitter (line %u) have that name",
                name, collider->line, emitter->line);
        if (collider && target->colliders[place_of_collider].body_def.mass > 0)
            return scene_problem(target, motion->mark.line, NULL,
                                 "motion '%s': a collider with a mass floats, and has no motion",
                                 name);
        motion->moves_emitter = emitter != NULL;
        motion->target = emitter ? place_of_emitter : place_of_collider;
    }
    return HOST_DONE;
}

/* ---- capacities of the world */

/* An upper bound: triangles with their tree, and heights. Unused bytes only cost memory. */
static uint32_t geometry_bytes(const scene *source)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < source->collider_count; i++) {
        const tp_collider_def *def = &source->colliders[i].def;
        bytes += 256 + 96u * (uint64_t)def->triangle_count + 16u * (uint64_t)def->vertex_count;
        bytes += 8u * (uint64_t)source->colliders[i].sample_count;
        if (def->room_words) bytes += tp_collider_bytes(source->world.dimensions, def);
    }
    for (size_t i = 0; i < source->emitter_count; i++)
        bytes += 32u * (uint64_t)source->emitters[i].def.triangle_count +
                 16u * (uint64_t)source->emitters[i].def.vertex_count;
    return bytes < 1073741824u ? (uint32_t)((bytes + 15u) & ~15ull) : 1073741824u;
}

/* The vector of a field has a name and a unit for each kind. */
static int resolve_fields(const scene *source)
{
    static const struct {
        const char *key;
        tp_field_kind kind;
    } vectors[] = {{"acceleration", TP_FIELD_GRAVITY},
                   {"velocity", TP_FIELD_WIND},
                   {"axis", TP_FIELD_VORTEX},
                   {"half", TP_FIELD_DRAG}};
    for (size_t i = 0; i < source->field_count; i++)
        for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++) {
            const scene_field *field = &source->fields[i];
            const char *key = vectors[k].key;
            uint32_t line = scene_line_of(&field->mark, SCENE_FIELD, key);
            if (line == field->mark.line || field->def.kind == vectors[k].kind) continue;
            return scene_problem(source, line, key, "is not of this kind of field: remove it");
        }
    return HOST_DONE;
}

static bool has_geometry(const scene *source)
{
    for (size_t i = 0; i < source->collider_count; i++)
        if (source->colliders[i].sample_count || source->colliders[i].vertices) return true;
    for (size_t i = 0; i < source->emitter_count; i++)
        if (source->emitters[i].vertices) return true;
    return false;
}

/* Events of a step that feed emitters, if the scene does not say. */
#define FEEDS_MAX 1024u

static void set_capacities(scene *target)
{
    for (size_t i = 0; i < target->emitter_count; i++)
        if (target->emitters[i].def.feed_kinds && target->world.feeds_max == 0)
            target->world.feeds_max = FEEDS_MAX;
    for (size_t i = 0; i < target->emitter_count; i++)
        if (target->emitters[i].def.word) target->world.keeps_words = true;
    target->world.emitters_max = (uint32_t)target->emitter_count;
    target->world.sinks_max = (uint32_t)target->sink_count;
    target->world.fields_max = (uint32_t)target->field_count;
    for (size_t i = 0; i < target->field_count; i++)
        if (target->fields[i].def.over_age.count) target->world.keeps_curves = true;
    target->world.colliders_max = (uint32_t)target->collider_count;
    target->world.bodies_max = scene_float_count(target);
    target->world.geometry_bytes_max = has_geometry(target) ? geometry_bytes(target) : 0;
}

static int too_many(const scene *source, const scene_mark *surplus, const char *kind, int most)
{
    return scene_problem(source, surplus->line, NULL, "one %s too many; at most %d are allowed",
                         kind, most);
}

static int check_limits(const scene *source)
{
    enum { FEW = 24, MANY = 1024 }; /* limits of the runtime */
    if (source->sink_count > FEW) return too_many(source, &source->sinks[FEW].mark, "sink", FEW);
    if (source->field_count > FEW) return too_many(source, &source->fields[FEW].mark, "field", FEW);
    if (source->emitter_count > MANY)
        return too_many(source, &source->emitters[MANY].mark, "emitter", MANY);
    if (source->collider_count > MANY)
        return too_many(source, &source->colliders[MANY].mark, "collider", MANY);
    return HOST_DONE;
}

int scene_resolve(scene *target)
{
    int code = check_limits(target);
    if (!code) code = resolve_species(target);
    if (!code) code = resolve_mixes(target);
    if (!code) code = resolve_masks(target);
    if (!code) code = resolve_fields(target);
    if (!code) code = resolve_emitters(target);
    if (!code) code = resolve_body_species(target);
    if (!code) code = scene_resolve_bodies(target);
    if (!code) code = scene_resolve_rings(target);
    if (!code) code = scene_resolve_sheets(target);
    if (!code) code = resolve_colliders(target);
    if (!code) code = resolve_motions(target);
    if (!code) code = resolve_start(target);
    if (!code && target->style == SCENE_SMOKE && target->world.dimensions == 2)
        code = scene_problem(target, scene_line_of(&target->camera_mark, SCENE_CAMERA, "style"),
                             "style", "'smoke' needs three dimensions; allowed: fluid, beads");
    if (code) return code;
    set_capacities(target);
    scene_choose_view(target);
    return HOST_DONE;
}
