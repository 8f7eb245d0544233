/* SPDX-License-Identifier: MIT
   runtime/grid/sweep.c - one slice of a sweep: its units, its division among threads, its counters.
   reads   the step's cursor and stretches      writes  the same, and the step's counters
   memory  a sweep on the stack; with threads 16 tallies too      cost    that of the work
   after   own design: each part gets an equal share of the slice's units and stops when they are
           used up. Its unfinished stretch of particles is stored for the next slices, so that no
           thread works beyond the slice */
#include "find.h"

static void sweep_count(tp_world *world, const tpi_tally *tally)
{
    tpi_step *step = &world->step;
    step->crowded += tally->crowded;
    step->displacements_clamped += tally->clamped;
    step->ends_dropped += tally->ends_dropped;
    step->overlaps_guarded += tally->guarded;
    step->overlaps += tally->overlaps;
    step->courant_bits = tpi_max_u32(step->courant_bits, tally->courant_bits);
}

/* The stretch from a cursor on. */
static tpi_stretch sweep_stretch_from(const tpi_cursor *cursor, uint32_t end)
{
    return (tpi_stretch){.i = cursor->i,
                         .end = end,
                         .j = (uint16_t)cursor->j,
                         .row = (uint16_t)cursor->row,
                         .k = cursor->k};
}

/* Works on a stretch until it is complete or no units are left; then `stretch` is the rest. */
static void sweep_stretch(tpi_sweep *sweep, tpi_stretch *stretch, tpi_sweep_work work)
{
    tpi_cursor *cursor = &sweep->cursor;
    *cursor = (tpi_cursor){.i = stretch->i, .j = stretch->j, .k = stretch->k, .row = stretch->row};
    work(sweep, stretch->end);
    *stretch =
        cursor->i < stretch->end ? sweep_stretch_from(cursor, stretch->end) : (tpi_stretch){0};
}

/* Moves the unfinished stretches to the front of the array and returns their number. Unused
   entries become zeros, because a particle's path uses the same memory later. */
static uint32_t sweep_stretches_left(tpi_step *step)
{
    uint32_t count = 0;
    for (uint32_t s = 0; s < TPI_STRETCHES_MAX; s++) {
        tpi_stretch stretch = step->stretches[s];
        step->stretches[s] = (tpi_stretch){0};
        if (stretch.end) step->stretches[count++] = stretch;
    }
    return count;
}

#if TIDEPOOL_JOBS
/* The argument of the parts that run in parallel. */
typedef struct sweep_turn {
    tp_world *world;
    const tpi_sweep *sweep; /* context and visitor */
    tpi_sweep_work work;
    int32_t share;  /* half units for each part */
    uint32_t parts; /* part number p works on stretches p, p + parts, ... */
    tpi_tally tallies[TPI_STRETCHES_MAX];
} sweep_turn;

static void sweep_part(void *argument, uint32_t index)
{
    sweep_turn *turn = (sweep_turn *)argument;
    tpi_stretch *stretches = turn->world->step.stretches;
    tpi_sweep sweep;
    sweep.world = turn->world;
    sweep.context = turn->sweep->context;
    sweep.visitor = turn->sweep->visitor;
    sweep.work = turn->sweep->work;
    sweep.fills_lists = turn->sweep->fills_lists;
    sweep.worker = index;
    sweep.meter = (tpi_meter){.left = turn->share, .given = turn->share};
    sweep.tally = (tpi_tally){0};
    sweep.is_parted = turn->sweep->is_parted;
    sweep.by_lots = turn->sweep->by_lots;
    sweep.stencil.is_known = false;
    for (uint32_t s = index; s < TPI_STRETCHES_MAX && sweep.meter.left > 0; s += turn->parts)
        if (stretches[s].end) sweep_stretch(&sweep, &stretches[s], turn->work);
    sweep.tally.cost = turn->share - sweep.meter.left - sweep.meter.saved;
    turn->tallies[index] = sweep.tally;
}

/* The end of the part at the cursor. */
static uint32_t sweep_part_end(const tpi_sweep *sweep)
{
#if TPI_LANES > 1
    if (sweep->by_lots) return tpi_grid_part_of(sweep->world, sweep->cursor.i).end;
#endif
    return tpi_part_of(&sweep->world->step, sweep->cursor.i).end;
}

/* Turns the particles from the cursor on into a stretch, or into one for each part. This happens
   once per sweep, when there is no other stretch. */
static uint32_t sweep_hand_in(tpi_sweep *sweep, uint32_t count)
{
    tpi_step *step = &sweep->world->step;
    tpi_cursor *cursor = &sweep->cursor;
    if (cursor->i == step->count) return count;
    for (uint32_t end; sweep->is_parted && (end = sweep_part_end(sweep)) < step->count;) {
        step->stretches[count++] = sweep_stretch_from(cursor, end);
        *cursor = (tpi_cursor){.i = end, .phase = cursor->phase};
    }
    step->stretches[count] = sweep_stretch_from(cursor, step->count);
    *cursor = (tpi_cursor){.i = step->count, .phase = cursor->phase};
    return count + 1u;
}

/* The middle of a stretch, from which on another thread may work. */
static uint32_t sweep_middle(const tpi_sweep *sweep, const tpi_stretch *stretch)
{
    uint32_t middle = stretch->i + (stretch->end - stretch->i) / 2u;
#if TPI_LANES > 1
    if (sweep->by_lots) return tpi_grid_bucket_from(sweep->world, middle);
#endif
    (void)sweep;
    return middle & ~(TPI_LANES_MAX - 1u);
}

/* Halves the longest stretch until there are `wanted` stretches or none is long enough. */
static uint32_t sweep_split(const tpi_sweep *sweep, uint32_t count, uint32_t wanted)
{
    tpi_stretch *stretches = sweep->world->step.stretches;
    while (count < wanted) {
        tpi_stretch *longest = stretches;
        for (uint32_t s = 1; s < count; s++)
            if (stretches[s].end - stretches[s].i > longest->end - longest->i)
                longest = &stretches[s];
        if (longest->end - longest->i < 2u * TPI_PART_LEAST) break;
        uint32_t middle = sweep_middle(sweep, longest);
        if (middle >= longest->end) break;
        stretches[count++] = (tpi_stretch){.i = middle, .end = longest->end};
        longest->end = middle;
    }
    return count;
}

/* Number of parts: four per worker, so that one slow worker does not delay all; fewer if the shares
   would be too small to be worth a thread. */
static uint32_t sweep_parts(const tpi_sweep *sweep, const tp_jobs *jobs)
{
    const tpi_step *step = &sweep->world->step;
    uint32_t rest = step->count - sweep->cursor.i;
    for (uint32_t s = 0; s < TPI_STRETCHES_MAX; s++)
        rest += step->stretches[s].end - step->stretches[s].i;
    if (sweep->meter.left <= 0 || !tpi_team_is_worth(jobs, rest)) return 0;
    uint32_t affordable = (uint32_t)sweep->meter.left / TPI_SHARE_LEAST;
    if (sweep->workers_max) affordable = tpi_min_u32(affordable, sweep->workers_max);
    return tpi_min_u32(affordable, tpi_min_u32(4u * tpi_min_u32(jobs->workers, TPI_STRETCHES_MAX),
                                               TPI_STRETCHES_MAX));
}

/* Runs at most `parts` parts in parallel; false if the work cannot be split, or no part could pay
   for its next item. */
static bool sweep_take_turn(tpi_sweep *sweep, const tp_jobs *jobs, tpi_sweep_work work,
                            uint32_t parts)
{
    tpi_step *step = &sweep->world->step;
    uint32_t count = sweep_hand_in(sweep, sweep_stretches_left(step));
    if (!sweep->is_parted || (sweep->by_lots && !sweep->fills_lists)) /* else one writer each */
        count = sweep_split(sweep, count, parts);
    parts = tpi_min_u32(count, parts);
    if (parts < 2u) return false;
    sweep_turn turn = {.world = sweep->world, .sweep = sweep, .work = work, .parts = parts};
    turn.share = sweep->meter.left / (int32_t)parts;
    jobs->run(jobs->context, sweep_part, &turn, parts);
    const int32_t before = sweep->meter.left;
    for (uint32_t p = 0; p < parts; p++) {
        sweep->meter.left -= (int32_t)turn.tallies[p].cost;
        sweep_count(sweep->world, &turn.tallies[p]);
    }
    return sweep->meter.left < before;
}
#endif

void tpi_sweep_team(tpi_sweep *sweep, const tp_jobs *jobs, tpi_sweep_work work)
{
    tpi_step *step = &sweep->world->step;
#if TIDEPOOL_JOBS
    for (uint32_t parts; (parts = sweep_parts(sweep, jobs)) > 1u;)
        if (!sweep_take_turn(sweep, jobs, work, parts)) break;
#endif
    (void)jobs;
    tpi_cursor kept = sweep->cursor;
    uint32_t count = sweep_stretches_left(step);
    for (uint32_t s = 0; s < count && sweep->meter.left > 0; s++)
        sweep_stretch(sweep, &step->stretches[s], work);
    sweep->cursor = kept;
}

void tpi_sweep_begin(tpi_sweep *sweep, tp_world *world, uint32_t units, const void *context)
{
    sweep->world = world;
    sweep->context = context;
    sweep->visitor = NULL;
    sweep->work = NULL;
    sweep->fills_lists = sweep->is_parted = sweep->by_lots = false;
    sweep->worker = sweep->workers_max = 0;
    sweep->cursor = world->step.cursor;
    int32_t given = 2 * (int32_t)units - (int32_t)world->step.half_units_ahead;
    if (TPI_LANES > 1) given += (int32_t)world->step.half_units_saved;
    sweep->meter = (tpi_meter){.left = given, .given = given};
    sweep->tally = (tpi_tally){0};
    sweep->stencil.is_known = false;
}

uint32_t tpi_sweep_end(tpi_sweep *sweep, uint32_t units, bool *done)
{
    tpi_step *step = &sweep->world->step;
    int32_t left = sweep->meter.left + sweep->meter.saved;
    sweep_count(sweep->world, &sweep->tally);
    step->cursor = sweep->cursor;
    *done = step->cursor.i == step->count && left >= 0;
    if (TIDEPOOL_JOBS && *done) *done = sweep_stretches_left(step) == 0;
    step->half_units_ahead = left < 0 ? (uint32_t)-left : 0u;
    if (TPI_LANES > 1) step->half_units_saved = left > 0 && !*done ? (uint32_t)left : 0u;
    return *done ? (uint32_t)(2 * (int32_t)units - left) / 2u : units;
}

#if TPI_LANES > 1
/* ---- images of the slots of a patch ---- */

/* Along one axis. A slot is at most a cell and a half from the middle of the cell, or too far from
   all its particles. */
static void sweep_wrap_axis(const tpi_patch *patch, float *x, uint32_t slot, float middle,
                            float size, float half)
{
    for (uint32_t k = 0; k < patch->slot_count; k++, x += slot) {
        if (*x - middle > half)
            *x = *x - size;
        else if (middle - *x > half)
            *x = *x + size;
    }
}

TPI_APART void tpi_patch_wrap(const tp_world *world, const tpi_patch *patch, float *x,
                              uint32_t slot, uint32_t axis)
{
    const tpi_box *box = &world->constants.box;
    const uint32_t first = patch->runs[0].begin;
    for (uint32_t k = 0; k < tpi_dimensions(world); k++) {
        const uint32_t cells = box->cells[k];
        if (cells == 0) continue;
        uint32_t at = tpi_box_cell(box, k, tpi_back_x(world, k)[first]) - 65536u;
        if (at != 0 && at + 1u != cells) continue; /* no neighbour is across a side */
        float middle = box->low[k] + ((float)at + 0.5f) * (box->size[k] / (float)cells);
        sweep_wrap_axis(patch, x + (size_t)k * axis, slot, middle, box->size[k], box->half[k]);
    }
}
#endif

/* ---- loops through the grid: one for each kind of world, with a visitor or counting */

#if TPI_PACKS_CANDIDATES
TPI_APART bool tpi_sweep_unpacked(tpi_sweep *sweep, tpi_sweep_kind kind)
{
    return tpi_sweep_runs(sweep, kind);
}
#endif

#define SWEEP_LOOP(name, ...)                                                                      \
    static TPI_APART void name##_on(tpi_sweep *sweep, uint32_t end)                                \
    {                                                                                              \
        const tpi_sweep_kind kind = {__VA_ARGS__};                                                 \
        while (sweep->cursor.i < end && sweep->meter.left > 0) {                                   \
            uint32_t to = tpi_sweep_enter_part(sweep, end);                                        \
            while (sweep->cursor.i < to && sweep->meter.left > 0) tpi_sweep_grid(sweep, kind, to); \
        }                                                                                          \
    }
#if TPI_HAS_PAIR
#define SWEEP_LOOPS_IN(loop, name, ...) \
    loop(name, __VA_ARGS__) loop(name##_box, __VA_ARGS__, .is_periodic = true)
#else
#define SWEEP_LOOPS_IN(loop, name, ...) loop(name, __VA_ARGS__)
#endif
#if TPI_HAS_3D
#define SWEEP_LOOPS(loop, name, ...)                              \
    SWEEP_LOOPS_IN(loop, name##_2d, __VA_ARGS__, .dimensions = 2) \
    SWEEP_LOOPS_IN(loop, name##_3d, __VA_ARGS__, .dimensions = 3)
#else
#define SWEEP_LOOPS(loop, name, ...) SWEEP_LOOPS_IN(loop, name##_2d, __VA_ARGS__, .dimensions = 2)
#endif
TIDEPOOL_HOT static void half_2d_on(tpi_sweep *sweep, uint32_t end);
SWEEP_LOOPS(SWEEP_LOOP, half, .counts = false)

#if TPI_LANES == 1
#define SWEEP_COUNT SWEEP_LOOP
#else
#define SWEEP_COUNT(name, ...)                                                          \
    static TPI_APART bool name##_find(tpi_sweep *sweep, uint32_t end, tpi_finds *finds) \
    {                                                                                   \
        return tpi_find_whole(sweep, (tpi_sweep_kind){__VA_ARGS__}, end, finds);        \
    }                                                                                   \
    static TPI_APART void name##_on(tpi_sweep *sweep, uint32_t end)                     \
    {                                                                                   \
        tpi_find_on(sweep, (tpi_sweep_kind){__VA_ARGS__}, end, name##_find);            \
    }
#endif
#if TPI_HAS_PAIR
SWEEP_LOOPS(SWEEP_COUNT, half_count, .counts = true)
#endif
#undef SWEEP_LOOP
#undef SWEEP_COUNT
#undef SWEEP_LOOPS
#undef SWEEP_LOOPS_IN

#if TPI_HAS_PAIR
#define SWEEP_CHOOSE_IN(name, kind) ((kind).is_periodic ? name##_box_on : name##_on)
#else
#define SWEEP_CHOOSE_IN(name, kind) name##_on
#endif
#if TPI_HAS_3D
#define SWEEP_CHOOSE(name, kind) \
    ((kind).dimensions == 2 ? SWEEP_CHOOSE_IN(name##_2d, kind) : SWEEP_CHOOSE_IN(name##_3d, kind))
#else
#define SWEEP_CHOOSE(name, kind) SWEEP_CHOOSE_IN(name##_2d, kind)
#endif
static tpi_sweep_work sweep_loop(tpi_sweep_kind kind)
{
    (void)kind;
#if TPI_HAS_PAIR
    if (kind.counts) return SWEEP_CHOOSE(half_count, kind);
#endif
    return SWEEP_CHOOSE(half, kind);
}
#undef SWEEP_CHOOSE
#undef SWEEP_CHOOSE_IN

uint32_t tpi_sweep_grid_slice(tp_world *world, const tp_jobs *jobs, uint32_t units,
                              const void *context, tpi_sweep_kind kind, tpi_pair_visitor visitor,
                              bool *done)
{
    tpi_sweep sweep;
    tpi_sweep_work work = sweep_loop(kind);
    tpi_sweep_begin(&sweep, world, units, context);
    sweep.visitor = visitor;
    sweep.fills_lists = kind.fills_lists && world->constants.list_capacity;
    sweep.is_parted = kind.counts && world->step.by_parts;
    sweep.workers_max = world->step.workers;
    if (sweep.is_parted) tpi_sweep_team(&sweep, jobs, work);
    work(&sweep, world->step.count);
    return tpi_sweep_end(&sweep, units, done);
}
