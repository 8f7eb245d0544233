/* SPDX-License-Identifier: MIT
   host_tools/common/scene_start.c - a scene that starts from a frame of a cache.
   reads   the start of a scene, loaded by start_load      writes  the world
   memory  malloc: 16 bytes per particle; the deaths, freed by scene_free
   cost    the frames before the start, each with its births only; O(springs log particles)
   after   own design: files have no species, emitters and exact times of births. So the births of
           the scene up to that frame are made again, each frame's particles are cleared, and a
           particle of the cache has what the particle with its id was born with */
#include "../../runtime/base/base.h"
#include "scene_private.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define START_ID_MAX 16777215u
#define START_META   0xffffffu /* species and emitter */

/* What the particles of the cache were born with, by their index in the start. */
typedef struct start_births {
    uint32_t *meta, *ticks, *words, *is_own;
    uint32_t id_end; /* highest id so far + 1 */
} start_births;

int scene_start_problem(const scene *source, const char *key, const char *format, ...)
{
    char text[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return scene_problem(source, scene_line_of(&source->start_mark, SCENE_START, key), key, "%s",
                         text);
}

static int start_failed(const scene *source, tp_result result)
{
    return scene_problem(source, source->start_mark.line, NULL, "cannot start: %s",
                         tp_result_text(result));
}

void scene_free_start(scene *target)
{
    scene_start *start = &target->start;
    free(start->cache);
    free(start->species);
    free(start->ids);
    free(start->positions);
    free(start->velocities);
    free(start->lives);
    free(start->springs);
    free(start->deaths);
    memset(start, 0, sizeof *start);
}

/* ---- the births before the start */

static uint32_t now_of(const scene_start *start)
{
    return (uint32_t)((uint64_t)start->frame * TP_TICKS_PER_FRAME);
}

static bool find_id(const scene_start *start, uint32_t id, uint32_t *position)
{
    uint32_t low = 0, high = start->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (start->ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    *position = low;
    return low < start->count && start->ids[low] == id;
}

static void note_births(const scene_start *start, const tp_view *view, start_births *births)
{
    for (uint32_t k = 0; k < view->count; k++) {
        uint32_t i;
        if (view->id[k] >= births->id_end) births->id_end = view->id[k] + 1;
        if (start->species || !find_id(start, view->id[k], &i)) continue;
        births->is_own[i] = 1;
        births->meta[i] = view->meta[k] & START_META;
        if (view->birth) births->ticks[i] = view->birth[k];
        if (view->word) births->words[i] = view->word[k];
    }
}

/* Ages before the largest one that the runtime keeps are that one. */
static uint32_t birth_of(const scene_start *start, uint32_t i)
{
    double age = start->lives ? (double)start->frame - (double)start->lives[2 * (size_t)i] : 0;
    age = fmin(fmax(age, 0) * TP_TICKS_PER_FRAME, 4293525855.0);
    return now_of(start) - (uint32_t)age;
}

/* Particles that no emitter of the scene made. */
static void set_strangers(const scene_start *start, start_births *births)
{
    for (uint32_t i = 0; i < start->count; i++) {
        births->meta[i] = start->species_place;
        births->ticks[i] = birth_of(start, i);
    }
}

/* Nodes of sheets, which the scene has made already. They leave the world until put_particles, so
   that nothing is simulated of them; the constraints stay, and hold the nodes of the cache. */
static int take_nodes(const scene *source, tp_world *world, start_births *births)
{
    tp_view view = tp_world_view(world);
    if (view.count == 0) return HOST_DONE;
    note_births(&source->start, &view, births);
    tp_result result = tp_particles_clear(world);
    return result < TP_OK ? start_failed(source, result) : HOST_DONE;
}

static int make_births(const scene *source, tp_world *world, start_births *births)
{
    for (uint32_t frame = 1; frame <= source->start.frame; frame++) {
        scene_move(source, world, frame);
        tp_result result = tp_frame(world, NULL, NULL);
        tp_view view = tp_world_view(world);
        if (result >= TP_OK) note_births(&source->start, &view, births);
        if (result >= TP_OK) result = tp_particles_clear(world);
        if (result < TP_OK) return start_failed(source, result);
    }
    return HOST_DONE;
}

/* The next particle that is born must have an id above those of the cache. */
static int skip_ids(const scene *source, tp_world *world, uint32_t id_end)
{
    const scene_start *start = &source->start;
    const tp_vector zero = {0, 0, 0};
    uint32_t last = start->count ? start->ids[start->count - 1] : 0, id = id_end;
    tp_result result = TP_OK;
    if (start->count == 0 || last < id_end) return HOST_DONE;
    if (last > START_ID_MAX)
        return scene_start_problem(source, "cache", "has a point with index %u; allowed: up to %u",
                                   last, START_ID_MAX);
    while (result >= TP_OK && id < last) {
        result = tp_particle_add(world, zero, zero, 0, &id);
        if (result == TP_ERROR_FULL) result = tp_particles_clear(world);
    }
    if (result >= TP_OK) result = tp_particles_clear(world);
    return result < TP_OK ? start_failed(source, result) : HOST_DONE;
}

/* ---- the particles */

static uint32_t float_bits(float value)
{
    uint32_t bits;
    value = tpi_flush(value);
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* One component of a stream of a particle; 0 of those that no file has, such as pressures. */
static uint32_t value_of(const scene_start *start, const start_births *births, const char *stream,
                         uint32_t axis, uint32_t i)
{
    const tp_vector *x = &start->positions[i], *v = &start->velocities[i];
    if (strcmp(stream, "id") == 0) return start->ids[i];
    if (strcmp(stream, "position") == 0)
        return float_bits(axis == 0 ? x->x : axis == 1 ? x->y : x->z);
    if (strcmp(stream, "velocity") == 0)
        return float_bits(axis == 0 ? v->x : axis == 1 ? v->y : v->z);
    if (strcmp(stream, "meta") == 0) return births->meta[i];
    if (strcmp(stream, "birth") == 0) return births->ticks[i];
    return strcmp(stream, "word") == 0 ? births->words[i] : 0;
}

static void write_stream(const scene_start *start, const start_births *births,
                         const tp_source *world, uint32_t stream)
{
    const tp_stream *of = &world->schema.streams[stream];
    uint32_t values[3 * TP_TILE], count;
    for (uint32_t first = 0; first < start->count; first += count) {
        count = start->count - first < TP_TILE ? start->count - first : TP_TILE;
        for (uint32_t axis = 0; axis < of->components; axis++)
            for (uint32_t k = 0; k < count; k++)
                values[axis * TP_TILE + k] = value_of(start, births, of->name, axis, first + k);
        world->write(world->context, stream, first, count, values);
    }
}

static int put_particles(const scene *source, tp_world *world, const start_births *births)
{
    const scene_start *start = &source->start;
    const tp_source from = tp_world_source(world);
    tp_result result = from.restore_begin(from.context, start->frame, start->count);
    for (uint32_t s = 0; s < from.schema.stream_count && result >= TP_OK; s++)
        write_stream(start, births, &from, s);
    if (result >= TP_OK) result = from.restore_end(from.context);
    if (result < TP_OK) return start_failed(source, result);
    if (start->spring_count) result = tp_springs_set(world, start->springs, start->spring_count);
    return result < TP_OK ? start_failed(source, result) : HOST_DONE;
}

/* ---- deaths */

static int compare_deaths(const void *a, const void *b)
{
    const scene_death *x = a, *y = b;
    if (x->frame != y->frame) return x->frame < y->frame ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Particles of the scene's emitters die as the scene says, the others as the cache says. */
static int take_deaths(scene *source, const start_births *births)
{
    scene_start *start = &source->start;
    start->death_count = 0;
    if (!start->lives) return HOST_DONE;
    if (!start->deaths) start->deaths = host_allocate(start->count, sizeof *start->deaths);
    if (!start->deaths) return host_out_of_memory("the deaths of a start");
    for (uint32_t i = 0; i < start->count; i++) {
        double death = ceil((double)start->lives[2 * (size_t)i + 1]);
        if (!births->is_own[i] && death <= 1048576)
            start->deaths[start->death_count++] =
                (scene_death){(uint32_t)fmax(death, 0), start->ids[i]};
    }
    qsort(start->deaths, start->death_count, sizeof *start->deaths, compare_deaths);
    return HOST_DONE;
}

void scene_start_move(const scene *source, tp_world *world, uint64_t frame)
{
    const scene_start *start = &source->start;
    uint32_t low = 0, high = start->death_count, missing;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (start->deaths[middle].frame < frame)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < start->death_count && start->deaths[low].frame == frame; low++) {
        tp_result result = tp_particles_remove(world, &start->deaths[low].id, 1, &missing);
        (void)result; /* it may have died before */
    }
}

/* ---- what a cache does not have */

static bool is_fed(const scene *source)
{
    for (size_t i = 0; i < source->emitter_count; i++)
        if (source->emitters[i].def.feed_kinds) return true;
    return false;
}

/* Says why the world may not go on to the bits of the run that wrote the cache. */
static void note_losses(const scene *source, const start_births *births)
{
    const scene_start *start = &source->start;
    const tp_world_def *def = &source->world;
    uint32_t strangers = 0;
    for (uint32_t i = 0; i < start->count; i++) strangers += !births->is_own[i];
    if (strangers == start->count) return; /* another program's: no run to be compared with */
    bool has_pressure =
        def->solver == TP_SOLVER_SPH && def->sph.formulation == TP_SPH_INCOMPRESSIBLE;
    bool has_lengths =
        def->substeps.is_adaptive || (def->solver == TP_SOLVER_SPH && !def->sph.compat &&
                                      def->substeps.count < def->substeps.count_max);
    const char *const reasons[] = {
        start->is_rounded ? "velocities, rounded unless fps is 12.5, 25, 50 or 100" : NULL,
        has_pressure ? "pressures" : NULL,
        def->heat.range > 0 ? "temperatures" : NULL,
        has_lengths ? "how short the last steps were, unless count is count_max" : NULL,
        is_fed(source) ? "births that events fed" : NULL,
        def->cloth.tear > 0 || def->cloth.yield > 0 ? "what has torn or yielded" : NULL,
        def->sph.springs_max && start->count && !start->spring_count ? "springs" : NULL,
        strangers ? "particles of no emitter of this scene" : NULL,
    };
    char text[300] = "";
    for (size_t k = 0; k < sizeof reasons / sizeof reasons[0]; k++) {
        if (!reasons[k]) continue;
        if (*text) strncat(text, "; ", sizeof text - strlen(text) - 1);
        strncat(text, reasons[k], sizeof text - strlen(text) - 1);
    }
    if (*text)
        host_note(source->path, source->start_mark.line,
                  "may go on near the run that wrote the cache instead of to its bits; a cache "
                  "does not hold exactly: %s",
                  text);
}

/* Vertices in another order make a tangle. */
static void note_tangle(const scene *source, const tp_world *world)
{
    tp_cloth_report report;
    if (source->sheet_count == 0 || tp_cloth_measure(world, &report) != TP_OK) return;
    if (!(report.stretch > 0.25f)) return;
    host_note(source->path, source->start_mark.line,
              "the edges of the sheets are %.3g times as long in the cache as at rest: expected "
              "the vertices of the mesh in the order of the cache",
              (double)report.stretch + 1);
}

/* ---- all of it */

static int start_world(scene *source, tp_world *world, start_births *births)
{
    const uint32_t count = source->start.count;
    births->ticks = births->meta + count;
    births->words = births->ticks + count;
    births->is_own = births->words + count;
    set_strangers(&source->start, births);
    int code = take_nodes(source, world, births);
    if (!code) code = make_births(source, world, births);
    if (!code) code = skip_ids(source, world, births->id_end);
    if (!code) code = put_particles(source, world, births);
    if (!code) code = take_deaths(source, births);
    if (!code && !source->start.is_noted) {
        note_losses(source, births);
        note_tangle(source, world);
    }
    source->start.is_noted = !code;
    return code;
}

int scene_start_world(scene *source, tp_world *world)
{
    if (!source->start.cache) return HOST_DONE;
    if (!source->start.is_loaded) return scene_start_problem(source, "cache", "is not loaded");
    start_births births = {.meta = host_allocate(source->start.count, 4 * sizeof *births.meta)};
    if (!births.meta) return host_out_of_memory("the start of a scene");
    source->start.death_count = 0; /* of a world before this one */
    int code = start_world(source, world, &births);
    free(births.meta);
    return code;
}
