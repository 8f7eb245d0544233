/* SPDX-License-Identifier: MIT
   ports/examples/game/game.c - the game: two worlds, one budget, and what couples them.
   reads   inputs      writes  the static game
   memory  24 MB, most of it recorded frames      cost  the budget of a picture
   after   own design; linked with tidepool.c. Only +, -, *, / and square roots: its floats are
           the same on every machine */
#include "game.h"

#define SECONDS       (1.0f / 60.0f)
#define REWIND_FRAMES 3u   /* every third frame is recorded */
#define RECORDED      160u /* frames: eight seconds */
#define OWED_MAX      6u   /* frames; time beyond is dropped */
/* kept back of a budget, for the recording at the end of a frame */
#define RESERVE_UNITS        42000u
#define RESERVE_MICROSECONDS 250u

const tp_vector game_halves[GAME_BODIES] = {
    {0.62f, 0.15f, 0}, {0.42f, 0.13f, 0}, {0.5f, 0.17f, 0}, {0.42f, 0.42f, 0}, {0.42f, 0.42f, 0}};
static const float radii[GAME_WHEELS][2] = {{0.25f, 0.8f}, {0.1f, 0.42f}}; /* of the blades */

static game g;
/* What only this file needs. */
static struct inside {
    tp_result result; /* the first error */
    size_t used;      /* bytes of the memory */
    tp_emitter spout;
    tp_emitter_def spout_def;
    tp_sink intake;
    tp_sink_def intake_def;
    tp_collider gate, paddle, blades[GAME_WHEELS][GAME_BLADES];
    tp_field pulls[GAME_JELLIES];
    tp_cache *caches[2];
    game_state states[RECORDED];
    bool has_begun; /* a frame has its input and is not complete */
    bool is_inside; /* the runtime has begun it, too */
} in;

const game *game_look(void) { return &g; }
uint64_t game_hash(void) { return tp_world_hash(g.water) * 31u + tp_world_hash(g.soft); }

static void must(tp_result result)
{
    if (in.result == TP_OK && result < TP_OK) in.result = result;
}

static void *take(size_t bytes)
{
    static _Alignas(16) unsigned char memory[24u << 20];
    unsigned char *block = memory + in.used;
    in.used += (bytes + 15u) / 16u * 16u;
    if (in.used > sizeof memory) must(TP_ERROR_MEMORY);
    return block;
}

/* ---- where things are ---- */

static float root(float value) { return __builtin_sqrtf(value); }
static float bound(float value, float low, float high)
{
    return value < low ? low : value > high ? high : value;
}

/* A pose that is turned by the angle with this cosine and sine. */
static tp_pose turned(float x, float y, float cosine, float sine)
{
    tp_pose pose = {{x, y, 0}, {root(bound(0.5f + 0.5f * cosine, 0, 1)), 0, 0, 0}};
    pose.rotation.z = root(bound(0.5f - 0.5f * cosine, 0, 1)) * (sine < 0 ? -1.0f : 1.0f);
    return pose;
}

/* Blades are an eighth of a turn apart; a capsule lies along its y. */
static tp_pose blade(uint32_t wheel, uint32_t k)
{
    static const float eighths[10] = {1, 0.70710678f, 0, -0.70710678f, -1, -0.70710678f,
                                      0, 0.70710678f, 1, 0.70710678f};
    float c = eighths[k], s = eighths[(k + 6u) % 8u];
    float x = g.state.cosine * c - g.state.sine * s, y = g.state.sine * c + g.state.cosine * s;
    for (uint32_t end = 0; end < 2; end++)
        g.blades[wheel][k][end] = (tp_vector){g.hubs[wheel].x + radii[wheel][end] * x,
                                              g.hubs[wheel].y + radii[wheel][end] * y, 0};
    float middle = 0.5f * (radii[wheel][0] + radii[wheel][1]);
    return turned(g.hubs[wheel].x + middle * x, g.hubs[wheel].y + middle * y, y, -x);
}

static tp_pose gate_pose(void) { return turned(3.16f, 4.15f + g.state.lift, 1, 0); }
static tp_pose paddle_pose(void) { return turned(g.state.paddle.x, g.state.paddle.y, 1, 0); }
static tp_pose start_pose(uint32_t body)
{
    return turned(6.2f + 0.8f * (float)body, body % 2 ? 4.2f : 3.1f, 1, 0);
}

/* ---- the worlds ---- */

static tp_collider solid(tp_collider_shape shape, float x, float y, float radius, tp_pose pose)
{
    tp_collider collider = {0};
    tp_collider_def def = tp_collider_default(shape);
    def.half = (tp_vector){x, y, 1};
    def.radius = radius;
    def.pose = pose;
    def.is_hollow = shape == TP_COLLIDER_BOX && y > 2;
    must(tp_collider_add(g.water, &def, &collider));
    return collider;
}

static void build_room(void)
{
    const float x = GAME_WIDTH / 2, y = GAME_HEIGHT / 2;
    (void)solid(TP_COLLIDER_BOX, x, y, 0, turned(x, y, 1, 0));
    (void)solid(TP_COLLIDER_BOX, 1.61f, 0.1f, 0, turned(1.61f, 3.3f, 1, 0));
    in.gate = solid(TP_COLLIDER_BOX, 0.06f, 0.75f, 0, gate_pose());
    in.paddle = solid(TP_COLLIDER_CAPSULE, 0, 0.4f, 0.1f, paddle_pose());
    for (uint32_t k = 0; k < GAME_WHEELS * GAME_BLADES; k++) {
        uint32_t w = k / GAME_BLADES, b = k % GAME_BLADES;
        float half = 0.5f * (radii[w][1] - radii[w][0]);
        in.blades[w][b] = solid(TP_COLLIDER_CAPSULE, 0, half, 0.05f, blade(w, b));
    }
}

static void build_bodies(void)
{
    for (uint32_t b = 0; b < GAME_BODIES; b++) {
        tp_body_def def = tp_body_default();
        const tp_vector half = game_halves[b];
        def.collider = solid(b < GAME_BOATS ? TP_COLLIDER_BOX : TP_COLLIDER_SPHERE, half.x, half.y,
                             half.x, start_pose(b));
        def.mass = 180 * half.x * half.y; /* the water has 100 kg/m^2, a boat 45 */
        if (b < GAME_BOATS) def.center.y = -2.2f * half.y;
        must(tp_body_add(g.water, &def, &g.bodies[b]));
    }
}

static void build_pump(void)
{
    in.spout_def = tp_emitter_default();
    in.spout_def.shape = TP_EMITTER_BOX;
    in.spout_def.pose = turned(0.7f, 5.8f, 1, 0);
    in.spout_def.size.x = 0.25f;
    in.spout_def.velocity.y = -2;
    in.spout_def.lattice_spacing = GAME_SPACING;
    in.spout_def.rate_numerator = 0;
    must(tp_emitter_add(g.water, &in.spout_def, &in.spout));
    in.intake_def = tp_sink_default();
    in.intake_def.shape = TP_SINK_SPHERE;
    in.intake_def.center = (tp_vector){0.2f, 0.2f, 0};
    in.intake_def.radius = 0.15f;
    in.intake_def.species_mask = 0;
    must(tp_sink_add(g.water, &in.intake_def, &in.intake));
}

/* A lattice, the first row half a spacing from the walls, with a hole for the wheel. */
static void fill_water(void)
{
    for (uint32_t k = 0; k < 49u * 108u; k++) {
        tp_vector at = {((float)(k % 108u) + 0.5f) * GAME_SPACING,
                        ((float)(k / 108u) + 0.5f) * GAME_SPACING, 0};
        float x = at.x - g.hubs[1].x, y = at.y - g.hubs[1].y;
        bool is_below = at.y < 2.3f && x * x + y * y > 0.27f,
             is_in_basin = at.y > 3.4f && at.x < 3.05f;
        if (is_below || is_in_basin)
            must(tp_particle_add(g.water, at, (tp_vector){0, 0, 0}, 0, NULL));
    }
}

static tp_world *create(const tp_world_def *def)
{
    size_t bytes = 0;
    tp_world *world = NULL;
    must(tp_world_memory(def, &bytes));
    if (in.result == TP_OK) must(tp_world_create(def, take(bytes), bytes, &world));
    return world;
}

static void build_water(void)
{
    tp_world_def def = tp_world_default(2);
    tp_field_def fall = tp_field_default(TP_FIELD_GRAVITY);
    tp_field gravity;
    def.solver = TP_SOLVER_SPH;
    def.particles_max = GAME_PARTICLES;
    def.emitters_max = def.sinks_max = def.fields_max = 1;
    def.colliders_max = 4 + GAME_BODIES + GAME_WHEELS * GAME_BLADES;
    def.bodies_max = GAME_BODIES;
    def.keeps_births = false;
    def.takes_changes = true;
    tp_sph_incompressible(&def, GAME_SPACING);
    def.sph.density_iterations = 1;
    def.sph.timestep_max = 0.00834f; /* two steps a frame: the gravity is small */
    g.water = create(&def);
    fall.vector.y = -5.5f; /* the tank looks twice as large as it is */
    must(tp_field_add(g.water, &fall, &gravity));
    build_room();
    build_bodies();
    build_pump();
    fill_water();
}

/* The beads of a jelly: a hexagon of the triangular lattice, linked to their neighbours. */
static void build_jelly(uint32_t jelly)
{
    tp_vector beads[GAME_BEADS], middle = start_pose(GAME_BOATS + jelly).position;
    uint32_t ids[GAME_BEADS], count = 0, links = 0;
    for (int k = 0; k < 25; k++) {
        int r = k / 5 - 2, q = k % 5 - 2;
        if (q + r < -2 || q + r > 2) continue;
        beads[count] = (tp_vector){middle.x + 0.2f * ((float)q + 0.5f * (float)r),
                                   middle.y + 0.17320508f * (float)r, 0};
        must(tp_particle_add(g.soft, beads[count], (tp_vector){0, 0, 0}, jelly, &ids[count]));
        count++;
    }
    for (uint32_t k = 0; k < GAME_BEADS * GAME_BEADS; k++) {
        uint32_t a = k / GAME_BEADS, b = k % GAME_BEADS;
        float x = beads[a].x - beads[b].x, y = beads[a].y - beads[b].y;
        tp_link_def def = tp_link_default();
        tp_link link;
        if (a >= b || x * x + y * y > 0.05f) continue;
        def.first = ids[a], def.second = ids[b];
        def.rest_length = 0.2f;
        def.stiffness = 900;
        def.damping = 8;
        must(tp_link_add(g.soft, &def, &link));
        if (jelly == 0) g.links[links][0] = ids[a], g.links[links++][1] = ids[b];
    }
}

static void build_soft(void)
{
    tp_world_def def = tp_world_default(2);
    def.solver = TP_SOLVER_PAIR;
    def.integrator = TP_INTEGRATOR_KDK;
    def.particles_max = GAME_JELLIES * GAME_BEADS;
    def.links_max = GAME_JELLIES * GAME_LINKS;
    def.emitters_max = def.sinks_max = def.colliders_max = 0;
    def.fields_max = def.species_count = GAME_JELLIES;
    def.keeps_births = false;
    def.substeps.count = 8;
    def.pair.cutoff = 1.1225f; /* the beads repel one another */
    for (uint32_t j = 0; j < GAME_JELLIES; j++)
        def.species[j] = (tp_species){.mass = 1.5f, .radius = 0.08f, .epsilon = 2, .sigma = 0.175f};
    g.soft = create(&def);
    for (uint32_t j = 0; j < GAME_JELLIES && in.result == TP_OK; j++) {
        tp_field_def pull = tp_field_default(TP_FIELD_ATTRACTOR);
        must(tp_field_add(g.soft, &pull, &in.pulls[j]));
        build_jelly(j);
    }
}

static void build_cache(uint32_t index)
{
    size_t bytes = 0;
    tp_source source = tp_world_source(index ? g.soft : g.water);
    tp_cache_def def = tp_cache_default(&source);
    def.frames_max = RECORDED;
    def.ring_bytes = index ? 1u << 20 : 17u << 20;
    def.step = REWIND_FRAMES;
    must(tp_cache_memory(&def, &bytes));
    if (in.result == TP_OK) must(tp_cache_create(&def, take(bytes), bytes, &in.caches[index]));
    if (in.result == TP_OK) must(tp_cache_record(in.caches[index], &source, NULL));
}

tp_result game_start(void)
{
    size_t bytes = 0;
    g = (game){.hubs = {{4.9f, 2.9f, 0}, {9.5f, 0.9f, 0}}};
    in = (struct inside){0};
    g.state = in.states[0] = (game_state){.cosine = 1, .paddle = {5.4f, 4.5f, 0}};
    build_soft();
    build_water();
    if (in.result != TP_OK) return in.result;
    tp_query_def def = tp_query_default(tp_world_definition(g.water));
    must(tp_query_memory(&def, &bytes));
    must(tp_query_create(&def, take(bytes), bytes, &g.query));
    build_cache(0);
    build_cache(1);
    return in.result;
}

/* ---- before a frame: what the player does, and where everything moves ---- */

/* The pump is an emitter and a sink that change while the water runs. It takes water only while
   the tank is nearly full. */
static void run_pump(bool is_on)
{
    uint32_t rate = is_on ? 100 : 0,
             mask = is_on && tp_world_report(g.water).particles + 60u > GAME_PARTICLES ? ~0u : 0;
    in.spout_def.rate_numerator = rate;
    in.intake_def.species_mask = mask;
    must(tp_emitter_set(g.water, in.spout, &in.spout_def));
    must(tp_sink_set(g.water, in.intake, &in.intake_def));
}

static void move_parts(game_input input)
{
    const float most = 4 * SECONDS; /* m */
    game_state *s = &g.state;
    float x = bound((float)input.x * (GAME_WIDTH / 255), 0.15f, GAME_WIDTH - 0.15f) - s->paddle.x;
    float y = bound((float)input.y * (GAME_HEIGHT / 255), 0.55f, GAME_HEIGHT - 0.55f) - s->paddle.y;
    float length = root(x * x + y * y), share = length > most ? most / length : 1;
    s->paddle.x += share * x;
    s->paddle.y += share * y;
    s->lift = bound(input.buttons & GAME_GATE ? 0.5f : 0, s->lift - 1.5f * SECONDS,
                    s->lift + 1.5f * SECONDS);
    float c = s->cosine - s->spin * SECONDS * s->sine, n = s->sine + s->spin * SECONDS * s->cosine;
    s->cosine = c / root(c * c + n * n), s->sine = n / root(c * c + n * n);
    for (uint32_t k = 0; k < GAME_WHEELS * GAME_BLADES; k++)
        must(tp_collider_move(g.water, in.blades[k / GAME_BLADES][k % GAME_BLADES],
                              blade(k / GAME_BLADES, k % GAME_BLADES)));
    must(tp_collider_move(g.water, in.gate, gate_pose()));
    must(tp_collider_move(g.water, in.paddle, paddle_pose()));
}

/* The beads of a jelly follow its core, a body of the other world, by nearly a spring of 500
   1/s^2. */
static void pull_jellies(void)
{
    for (uint32_t j = 0; j < GAME_JELLIES; j++) {
        tp_body_state core = {0};
        tp_field_def pull = tp_field_default(TP_FIELD_ATTRACTOR);
        must(tp_body_get(g.water, g.bodies[GAME_BOATS + j], &core));
        pull.strength = 500;
        pull.core = 1;
        pull.center = core.center;
        pull.species_mask = 1u << j;
        must(tp_field_set(g.soft, in.pulls[j], &pull));
    }
}

static void drop_boat(void)
{
    tp_vector still = {0, 0, 0};
    uint32_t boat = g.state.boat++ % GAME_BOATS;
    float x = bound(g.state.paddle.x, 6.3f, GAME_WIDTH - 0.8f);
    must(tp_body_set(g.water, g.bodies[boat], turned(x, 5.4f, 0.98f, 0.19899749f), still, still));
}

/* Back to the recorded frame before. */
static void rewind_time(void)
{
    uint64_t frame = tp_world_report(g.water).frames,
             first = tp_cache_report(in.caches[0]).frame_first;
    frame = (frame - (frame > 0)) / REWIND_FRAMES * REWIND_FRAMES;
    if (frame < first) frame = first;
    for (uint32_t k = 0; k < 2; k++) {
        tp_source source = tp_world_source(k ? g.soft : g.water);
        must(tp_cache_rewind(in.caches[k], &source, frame, true, NULL));
    }
    g.state = in.states[frame / REWIND_FRAMES % RECORDED];
    g.owed = 0;
    g.is_rewinding = true;
}

static void begin_frame(game_input input)
{
    uint32_t pressed = input.buttons & ~g.state.buttons;
    if (input.buttons & GAME_REWIND) {
        rewind_time();
        return;
    }
    run_pump((input.buttons & GAME_PUMP) != 0);
    if (pressed & GAME_DROP) drop_boat();
    move_parts(input);
    pull_jellies();
    g.state.buttons = input.buttons;
    in.has_begun = in.result == TP_OK;
}

/* ---- after a frame ---- */

/* The water turns the first wheel. A generator brakes it and lights the lamps; a belt turns the
   second one. */
static void drive_wheels(void)
{
    const float inertia = 25, brake = 12; /* kg m^2, N m s */
    float torque = -brake * g.state.spin;
    for (uint32_t b = 0; b < GAME_BLADES; b++) {
        tp_load load = {0};
        tp_vector *ends = g.blades[0][b];
        float x = 0.5f * (ends[0].x + ends[1].x) - g.hubs[0].x;
        float y = 0.5f * (ends[0].y + ends[1].y) - g.hubs[0].y;
        must(tp_collider_load(g.water, in.blades[0][b], &load));
        torque += load.torque.z + x * (load.pressure.y + load.friction.y) -
                  y * (load.pressure.x + load.friction.x);
    }
    g.state.energy += brake * g.state.spin * g.state.spin * SECONDS;
    g.state.spin = bound(g.state.spin + torque / inertia * SECONDS, -6, 6);
}

static void end_frame(void)
{
    uint64_t frame = tp_world_report(g.water).frames;
    drive_wheels();
    if (frame % REWIND_FRAMES == 0) in.states[frame / REWIND_FRAMES % RECORDED] = g.state;
    for (uint32_t k = 0; k < 2; k++) {
        tp_source source = tp_world_source(k ? g.soft : g.water);
        must(tp_cache_record(in.caches[k], &source, NULL));
        g.stage_units[TP_STAGE_CACHE_WRITE] += tp_cache_report(in.caches[k]).units;
        g.units += tp_cache_report(in.caches[k]).units;
    }
    g.owed--;
    in.has_begun = false;
}

/* ---- frames ---- */

/* Simulates the frame that has begun in both worlds, as far as the budget goes. To the runtime
   each frame is a game frame of its own, which goes on (is_same_frame) until both worlds are
   complete: so neither runs ahead, and each frame has its own input. */
static tp_result work(const tp_budget *budget, uint64_t started)
{
    tp_share shares[2] = {{.world = g.water}, {.world = g.soft}};
    tp_report before[2] = {{0}, {0}};
    tp_budget left = *budget;
    for (uint32_t k = 0; k < 2 && in.is_inside; k++) before[k] = tp_world_report(shares[k].world);
    left.is_same_frame = in.is_inside;
    if (budget->units) {
        if (g.units + RESERVE_UNITS >= budget->units) return TP_MORE;
        left.units =
            (uint32_t)(budget->units - RESERVE_UNITS - g.units + before[0].units + before[1].units);
    }
    if (budget->microseconds) {
        uint64_t time = budget->clock_us(budget->clock_context) - started + RESERVE_MICROSECONDS;
        if (time >= budget->microseconds) return TP_MORE;
        left.microseconds = budget->microseconds - (uint32_t)time;
    }
    tp_result result = tp_frame_worlds(shares, 2, &left);
    if (result < TP_OK) return result;
    for (uint32_t s = 0; s < TP_WORLD_STAGES; s++)
        g.stage_units[s] += shares[0].report.stage_units[s] - before[0].stage_units[s];
    for (uint32_t k = 0; k < 2; k++) g.units += shares[k].report.units - before[k].units;
    g.soft_units += shares[1].report.units - before[1].units;
    in.is_inside = result == TP_MORE;
    return result;
}

tp_result game_frame(const tp_budget *budget, bool (*next)(void *context, game_input *input),
                     void *context)
{
    uint64_t started = budget->clock_us ? budget->clock_us(budget->clock_context) : 0;
    tp_result result = TP_OK;
    g.units = g.soft_units = 0;
    g.is_rewinding = false;
    for (uint32_t s = 0; s < TP_STAGE_COUNT; s++) g.stage_units[s] = 0;
    if (g.owed < OWED_MAX) g.owed++;
    while (g.owed > 0 && result == TP_OK && in.result == TP_OK) {
        game_input input;
        if (!in.has_begun && !next(context, &input)) break;
        if (!in.has_begun) begin_frame(input);
        if (!in.has_begun) break; /* time was rewound */
        result = work(budget, started);
        if (result == TP_OK) end_frame();
    }
    must(result);
    return in.result < TP_OK ? in.result : result;
}
