/* SPDX-License-Identifier: MIT
   ports/wasm/page.c - the tank of the page: two fluids, a stick that the pointer drags, and a ring
           cache of frames.
   reads   calls of the page's script      writes  one static block
   memory  PAGE_BLOCK_BYTES, nothing else: it contains world and ring, which never grow
   cost    page_frame: its budget plus one slice
   after   own design; the constants of the fluid are those of host_tools/scenes/rewind.scene */
#include "page.h"

#define PAGE_NEIGHBOURS  40u
#define PAGE_SPACING     0.11f /* m, spacing of the initial lattices of the fluid */
#define PAGE_FILL        0.45f /* share of the tank that they fill */
#define PAGE_STICK_SPEED 14.0f /* m/s */
#define PAGE_FPS         60.0f

#define PAGE_RING_SIZE    (28u << 20)
#define PAGE_STREAM_WORDS 6u /* identity, position, velocity, meta */
#define PAGE_EXTRA_BYTES  8192u
#define PAGE_WORLD_SIZE \
    ((TP_WORLD_BYTES(2, PAGE_PARTICLES_MAX, PAGE_NEIGHBOURS, 5, 0) + 15u) & ~15u)
#define PAGE_CACHE_SIZE                                                                    \
    TP_CACHE_BYTES(PAGE_PARTICLES_MAX, PAGE_STREAM_WORDS, PAGE_FRAMES_MAX, PAGE_RING_SIZE, \
                   PAGE_EXTRA_BYTES)
#define PAGE_BLOCK_BYTES (PAGE_WORLD_SIZE + PAGE_CACHE_SIZE)

static _Alignas(16) unsigned char page_block[PAGE_BLOCK_BYTES];

/* State of the page besides world and cache, which are in the block. */
static struct page_glue {
    tp_world *world;
    tp_cache *cache;
    tp_collider stick;
    tp_world_def def;
    float width, height, radius;
    tp_vector wanted;
    tp_vector positions[PAGE_FRAMES_MAX]; /* positions of the stick, by frame */
    bool is_recording;                    /* recording of the last frame is not finished */
    double numbers[PAGE_NUMBER_COUNT];
} page;

/* ---- the tank ---- */

static tp_world_def page_define(uint32_t particles, uint32_t overload)
{
    tp_world_def def = tp_world_default(2);
    def.particles_max = particles;
    def.emitters_max = 2;
    def.fields_max = 1;
    def.colliders_max = 2;
    def.sinks_max = 0;
    def.keeps_births = false;
    def.overload = (tp_overload)overload;
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.sph.neighbours_max = PAGE_NEIGHBOURS;
    def.substeps.is_adaptive = true;
    def.substeps.count = 4;
    def.substeps.count_max = 6;
    def.species_count = 2;
    def.species[1].mass = 1.3f;
    return def;
}

static float page_sqrt(float value) { return __builtin_sqrtf(value); }

/* Sets the size of the tank. The fluid always fills the same share of it, so more particles give a
   finer picture. */
static void page_measure(uint32_t particles, uint32_t shape)
{
    float area = (float)particles * PAGE_SPACING * PAGE_SPACING / PAGE_FILL;
    page.height = page_sqrt(area * 1000.0f / (float)shape);
    page.width = area / page.height;
    page.radius = 0.06f * page_sqrt(area);
}

static tp_result page_add_block(float left, float width, uint32_t count, uint32_t species)
{
    tp_emitter_def block = tp_emitter_default();
    tp_emitter emitter;
    block.shape = TP_EMITTER_BOX;
    block.pose.position = (tp_vector){left + 0.5f * width, 0.5f * page.height, 0.0f};
    block.size = (tp_vector){0.5f * width, 0.5f * page.height - 0.5f * PAGE_SPACING, 0.0f};
    block.lattice_spacing = PAGE_SPACING;
    block.position_jitter = 0.01f;
    block.burst_count = count;
    block.species = species;
    return tp_emitter_add(page.world, &block, &emitter);
}

static tp_result page_add_colliders(void)
{
    tp_collider_def tank = tp_collider_default(TP_COLLIDER_BOX);
    tp_collider walls;
    tank.pose.position = tank.half = (tp_vector){0.5f * page.width, 0.5f * page.height, 1.0f};
    tank.pose.position.z = 0.0f;
    tank.is_hollow = true;
    tp_result result = tp_collider_add(page.world, &tank, &walls);
    tp_collider_def stick = tp_collider_default(TP_COLLIDER_SPHERE);
    stick.pose.position = page.positions[0];
    stick.radius = page.radius;
    stick.friction = 0.3f;
    return result == TP_OK ? tp_collider_add(page.world, &stick, &page.stick) : result;
}

/* Creates the world of page.def at its first frame. */
static tp_result page_build(void)
{
    tp_result result = tp_world_create(&page.def, page_block, PAGE_WORLD_SIZE, &page.world);
    if (result != TP_OK) return result;
    tp_field_def gravity = tp_field_default(TP_FIELD_GRAVITY);
    tp_field field;
    gravity.vector.y = -9.8f;
    result = tp_field_add(page.world, &gravity, &field);
    if (result == TP_OK) result = page_add_colliders();
    uint32_t light = page.def.particles_max * 3u / 5u;
    float gap = 0.5f * PAGE_SPACING;
    if (result == TP_OK) result = page_add_block(gap, 0.3f * page.width, light, 0);
    float heavy_width = 0.27f * page.width;
    if (result == TP_OK)
        result = page_add_block(page.width - heavy_width - gap, heavy_width,
                                page.def.particles_max - light, 1);
    return result;
}

static tp_result page_create_cache(void)
{
    tp_source source = tp_world_source(page.world);
    tp_cache_def def = tp_cache_default(&source);
    def.frames_max = PAGE_FRAMES_MAX;
    def.ring_bytes = PAGE_RING_SIZE;
    tp_result result =
        tp_cache_create(&def, page_block + PAGE_WORLD_SIZE, PAGE_CACHE_SIZE, &page.cache);
    return result == TP_OK ? tp_cache_record(page.cache, &source, NULL) : result;
}

int page_start(uint32_t particles, uint32_t shape, uint32_t overload)
{
    if (particles < 1 || particles > PAGE_PARTICLES_MAX || shape < 100 || shape > 10000)
        return TP_ERROR_DEFINITION;
    page = (struct page_glue){0};
    page.def = page_define(particles, overload);
    page_measure(particles, shape);
    page.wanted = (tp_vector){0.5f * page.width, 0.72f * page.height, 0.0f};
    page.positions[0] = page.wanted;
    tp_result result = page_build();
    return result == TP_OK ? page_create_cache() : result;
}

/* ---- a frame ---- */

static uint32_t page_frame_now(void) { return (uint32_t)tp_world_report(page.world).frames; }

/* Position of the stick at the end of frame `frame`. */
static tp_vector *page_position(uint32_t frame) { return &page.positions[frame % PAGE_FRAMES_MAX]; }

static float page_clamp(float value, float low, float high)
{
    return value < low ? low : value > high ? high : value;
}

/* Moves the stick towards its target by at most one frame's distance; only when no frame is
   incomplete. */
static tp_result page_move_stick(void)
{
    tp_source source = tp_world_source(page.world);
    uint64_t completed;
    if (!source.frame(source.context, &completed)) return TP_OK;
    uint32_t frame = page_frame_now();
    tp_pose pose = {*page_position(frame), {1.0f, 0.0f, 0.0f, 0.0f}};
    float x = page.wanted.x - pose.position.x, y = page.wanted.y - pose.position.y;
    float length = page_sqrt(x * x + y * y), most = PAGE_STICK_SPEED / PAGE_FPS;
    float share = length > most ? most / length : 1.0f;
    pose.position.x += x * share;
    pose.position.y += y * share;
    *page_position(frame + 1u) = pose.position;
    return tp_collider_move(page.world, page.stick, pose);
}

/* The rest of a frame's budget of `units`; at least 1, because 0 means no limit. */
static uint32_t page_left(uint32_t units)
{
    double used = page.numbers[PAGE_UNITS];
    if (units == 0) return 0;
    return used < (double)units ? units - (uint32_t)used : 1u;
}

/* Records the completed frame, or a part of it if the budget is too small. */
static tp_result page_record(uint32_t units)
{
    tp_source source = tp_world_source(page.world);
    tp_budget budget = {.units = page_left(units)};
    tp_result result = tp_cache_record(page.cache, &source, &budget);
    tp_cache_counters counters = tp_cache_report(page.cache);
    page.is_recording = result == TP_MORE;
    page.numbers[PAGE_UNITS] += counters.units;
    page.numbers[PAGE_UNITS_RECORD] += counters.units;
    return result;
}

/* Adds a call of tp_frame to the numbers; units in the report are those of all calls in this game
   frame. */
static void page_note(const tp_report *report)
{
    static const page_number groups[TP_WORLD_STAGES] = {
        [TP_STAGE_RECYCLE] = PAGE_UNITS_MOVE,    [TP_STAGE_LINKS] = PAGE_UNITS_FORCES,
        [TP_STAGE_MOVE] = PAGE_UNITS_MOVE,       [TP_STAGE_GRID] = PAGE_UNITS_GRID,
        [TP_STAGE_PAIRS] = PAGE_UNITS_PAIRS,     [TP_STAGE_NEAREST] = PAGE_UNITS_PAIRS,
        [TP_STAGE_PRESSURE] = PAGE_UNITS_FORCES, [TP_STAGE_FORCE] = PAGE_UNITS_FORCES,
        [TP_STAGE_COLLIDE] = PAGE_UNITS_MOVE,    [TP_STAGE_EMIT] = PAGE_UNITS_MOVE,
        [TP_STAGE_COMMIT] = PAGE_UNITS_MOVE,
    };
    for (page_number group = PAGE_UNITS_GRID; group <= PAGE_UNITS_MOVE; group++)
        page.numbers[group] = 0;
    for (uint32_t stage = 0; stage < TP_WORLD_STAGES; stage++)
        page.numbers[groups[stage]] += (double)report->stage_units[stage];
    page.numbers[PAGE_UNITS] = (double)report->units + page.numbers[PAGE_UNITS_RECORD];
    page.numbers[PAGE_STEPS] += report->steps_in_frame;
    if (report->slice_units_longest > page.numbers[PAGE_SLICE_LONGEST])
        page.numbers[PAGE_SLICE_LONGEST] = report->slice_units_longest;
}

int page_frame(uint32_t units)
{
    tp_budget budget = {.frames_max = 1};
    tp_report report = {0};
    tp_result result = TP_OK;
    for (page_number i = PAGE_UNITS; i <= PAGE_STEPS; i++) page.numbers[i] = 0;
    if (page.is_recording) result = page_record(units);
    do {
        if (result < TP_OK) return result;
        result = page_move_stick();
        if (result < TP_OK) return result;
        /* tp_frame counts the units of all its calls in a game frame, but not those of the
           recording. */
        double recorded = page.numbers[PAGE_UNITS_RECORD];
        budget.units = units == 0 ? 0 : recorded < (double)units ? units - (uint32_t)recorded : 1u;
        result = tp_frame(page.world, &budget, &report);
        if (result < TP_OK) return result;
        page_note(&report);
        budget.is_same_frame = true;
        if (report.frames_completed == 0) break;
        tp_result recording = page_record(units);
        if (recording != TP_OK) return recording;
    } while (result == TP_MORE && (units == 0 || page.numbers[PAGE_UNITS] < (double)units));
    return result;
}

void page_stick(float x, float y)
{
    float edge = page.radius * 0.5f;
    page.wanted.x = page_clamp(x, edge, page.width - edge);
    page.wanted.y = page_clamp(y, edge, page.height - edge);
}

/* ---- rewind ---- */

int page_rewind(uint32_t frame, uint32_t forgets)
{
    tp_source source = tp_world_source(page.world);
    tp_result result = tp_cache_rewind(page.cache, &source, frame, forgets != 0, NULL);
    if (result != TP_OK) return result;
    page.is_recording = false;
    page.wanted = *page_position(frame);
    return result;
}

int page_overload(uint32_t overload)
{
    tp_cache_counters counters = tp_cache_report(page.cache);
    tp_world_def def = page.def;
    def.overload = (tp_overload)overload;
    if (tp_world_check(&def)) return TP_ERROR_DEFINITION;
    page.def = def;
    tp_result result = page_build();
    if (result == TP_OK) result = tp_cache_detach(page.cache);
    return result == TP_OK ? page_rewind((uint32_t)counters.frame_last, 0) : result;
}

/* ---- numbers for the script ---- */

const double *page_numbers(void)
{
    tp_report report = tp_world_report(page.world);
    tp_cache_counters counters = tp_cache_report(page.cache);
    tp_vector stick = *page_position((uint32_t)report.frames);
    double *numbers = page.numbers;
    numbers[PAGE_FRAME] = (double)report.frames;
    numbers[PAGE_FRAME_FIRST] = (double)counters.frame_first;
    numbers[PAGE_FRAME_LAST] = (double)counters.frame_last;
    numbers[PAGE_PARTICLES] = report.particles;
    numbers[PAGE_SLICE_BOUND] = page.def.slice_units;
    numbers[PAGE_FRAMES_OWED] = (double)report.lag_ticks / TP_TICKS_PER_FRAME;
    numbers[PAGE_FRAMES_DROPPED] = (double)report.lag_ticks_dropped / TP_TICKS_PER_FRAME;
    numbers[PAGE_COARSENED] = (double)report.coarsened_steps;
    numbers[PAGE_RESTORES] = (double)counters.restores;
    numbers[PAGE_STICK_X] = stick.x;
    numbers[PAGE_STICK_Y] = stick.y;
    numbers[PAGE_STICK_RADIUS] = page.radius;
    numbers[PAGE_WIDTH] = page.width;
    numbers[PAGE_HEIGHT] = page.height;
    numbers[PAGE_WORLD_BYTES] = PAGE_WORLD_SIZE;
    numbers[PAGE_CACHE_BYTES] = PAGE_CACHE_SIZE;
    numbers[PAGE_RING_BYTES_USED] = counters.bytes;
    numbers[PAGE_RING_BYTES] = PAGE_RING_SIZE;
    return numbers;
}

uint64_t page_hash(void) { return tp_world_hash(page.world); }

const char *page_text(int result) { return tp_result_text((tp_result)result); }

const tp_world *page_world(void) { return page.world; }

/* ---- the proof ---- */

uint64_t page_proof(void)
{
    if (page_start(PAGE_PROOF_PARTICLES, PAGE_PROOF_SHAPE, TP_OVERLOAD_CARRY) != TP_OK) return 0;
    for (uint32_t frame = 0; frame < PAGE_PROOF_FRAMES; frame++)
        if (page_frame(0) != TP_OK) return 0;
    return page_hash();
}

uint64_t page_proof_hash(void) { return PAGE_PROOF_HASH; }
