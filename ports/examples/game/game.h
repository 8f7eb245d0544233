/* SPDX-License-Identifier: MIT
   ports/examples/game/game.h - a small game: a pump fills a basin, a gate opens, the water turns
           wheels that light lamps; boats, fish and a jelly below, and time can be turned back.
   reads   inputs      writes  the static game
   memory  11 MB, most of it recorded frames      cost  the budget of a picture
   after   own design; main.c and ports/wasm/game_page.c are its shells, which include it and link
           tidepool.c. Only +, -, *, / and square roots: its floats are the same on every machine */
#include "../paint.h"

#define GAME_WIDTH    10.8f /* m: the tank; its sides are 16:9 */
#define SECONDS       (1.0f / 60.0f)
#define SPACING       0.1f /* m: between particles of the water */
#define PARTICLES     3000u
#define SIDE          8u   /* particles: the jelly is a square of them */
#define REWIND_FRAMES 3u   /* every third frame is recorded */
#define RECORDED      160u /* frames: eight seconds */
#define OWED          6u   /* frames; time beyond is dropped */
/* kept back of a budget, for the recording at the end of a frame */
#define RESERVE_UNITS        42000u
#define RESERVE_MICROSECONDS 650u

/* What the player does in one frame; x, y: where the paddle shall go, in 1/255 of the tank. */
typedef struct game_input {
    uint8_t buttons, x, y;
} game_input;
/* The pump runs; the gate is open; pressed: the next boat falls in above the paddle; time runs
   backwards, three frames at a time. */
enum { GAME_PUMP = 1, GAME_GATE = 2, GAME_DROP = 4, GAME_REWIND = 8 };
/* Supplied by the shell: the input of the frame that begins. */
static game_input game_player(void);

/* What the water meets. All but the room are capsules; three through one hub are a wheel. */
enum { ROOM, BASIN, GATE, PADDLE, WHEEL, MILL = WHEEL + 3, FISH = MILL + 3, BOAT = FISH + 12 };
#define SOLIDS (BOAT + 3u)
static const struct solid { /* m, rad, half its length, kg of what floats */
    float x, y, angle, length, radius, mass;
    uint32_t colour;
} kinds[10] = {{GAME_WIDTH / 2, 3.0375f, 0, 3.0375f, 0, 0, 0},
               {1.6f, 3.3f, 1.5708f, 1.6f, 0.1f, 0, 0xff6d6875},
               {3.16f, 4.15f, 0, 0.7f, 0.06f, 0, 0xff4a4e69},
               {5.4f, 4.5f, 0, 0.4f, 0.1f, 0, 0xfffcbf49},
               {4.9f, 2.9f, 0, 0.8f, 0.05f, 0, 0xffa9794a},
               {1.45f, 5.0f, 0, 0.5f, 0.04f, 0, 0xffa9794a},
               {0, 0, 1.5708f, 0.12f, 0.1f, 0, 0xffffa62b},
               {6.2f, 3.1f, 1.5708f, 0.45f, 0.16f, 16, 0xffc8553d},
               {7.2f, 4.2f, 1.5708f, 0.3f, 0.13f, 9, 0xff588b8b},
               {8.0f, 3.1f, 1.5708f, 0.38f, 0.17f, 14, 0xff8c4a6c}};

static struct game {
    tp_result result; /* the first error */
    tp_world *world;
    tp_cache *cache;
    tp_source source;
    tp_collider colliders[SOLIDS];
    tp_body bodies[SOLIDS];
    tp_emitter spout;
    tp_sink intake;
    struct game_state {         /* what the game knows beside its world, recorded with it */
        float spin[2], energy;  /* of the wheels: 1/s; J */
        uint32_t buttons, boat; /* of the last frame; the next boat */
    } now, states[RECORDED];
    uint32_t owed, units; /* units of the picture */
    bool has_begun;       /* a frame has its input and is not complete */
} g;

static void must(tp_result result)
{
    if (g.result == TP_OK && result < TP_OK) g.result = result;
}

static const struct solid *solid_of(uint32_t k)
{
    return &kinds[k < WHEEL ? k : k < FISH ? WHEEL + (k - WHEEL) / 3 : k < BOAT ? 6 : k - BOAT + 7];
}

static tp_pose pose_of(uint32_t solid)
{
    tp_pose pose = {0};
    must(tp_collider_between(g.world, g.colliders[solid], 1, &pose));
    return pose;
}

/* Fish swim in waves, every other one to the left; beyond a wall they begin anew. */
static tp_pose fish_pose(uint32_t fish, uint64_t frame)
{
    float x = (float)((frame * (10 + fish % 5 * 2) + fish * 1000) % 12000) / 1000;
    tp_pose turn =
        tp_pose_make(fish & 1u ? 11.4f - x : x - 0.6f, 0.5f + 0.11f * (float)fish, 2 * x);
    tp_vector at = tp_pose_point(turn, (tp_vector){0, 0.2f, 0});
    return tp_pose_make(at.x, at.y, kinds[6].angle);
}

/* A boat's center of mass is on its keel, to its right: its capsule is turned by a quarter. */
static void build_solids(void)
{
    for (uint32_t k = 0; k < SOLIDS; k++) {
        const struct solid *s = solid_of(k);
        tp_collider_def def = tp_collider_default(k ? TP_COLLIDER_CAPSULE : TP_COLLIDER_BOX);
        tp_body_def body = tp_body_default();
        def.pose = tp_pose_make(s->x, s->y, s->angle);
        if (k >= WHEEL && k < FISH) def.pose = tp_pose_turn(def.pose, (float)(k % 3) * 1.0472f);
        if (k >= FISH && k < BOAT) def.pose = fish_pose(k - FISH, 0);
        def.half = (tp_vector){s->x, s->length, 1};
        def.radius = s->radius;
        def.is_hollow = k == ROOM;
        must(tp_collider_add(g.world, &def, &g.colliders[k]));
        if (k < BOAT) continue;
        body.collider = g.colliders[k];
        body.mass = s->mass;
        body.center.x = -2 * s->radius;
        must(tp_body_add(g.world, &body, &g.bodies[k]));
    }
}

/* The pump is an emitter and a sink, whose rates change while the water runs. */
static void build_pump(void)
{
    tp_emitter_def spout = tp_emitter_default();
    tp_sink_def intake = tp_sink_default();
    spout.shape = TP_EMITTER_BOX;
    spout.pose.position = (tp_vector){0.7f, 5.8f, 0};
    spout.size.x = 0.25f;
    spout.velocity.y = -2;
    spout.lattice_spacing = SPACING;
    must(tp_emitter_add(g.world, &spout, &g.spout));
    intake.shape = TP_SINK_BOX;
    intake.center = intake.half = (tp_vector){0.4f, 0.3f, 1};
    intake.species_mask = 1;
    intake.rate = 0;
    must(tp_sink_add(g.world, &intake, &g.intake));
}

/* The first particles, of a second species: linked with those beside them and across. */
static void build_jelly(void)
{
    tp_link_def def = tp_link_default();
    def.second = SIDE * SIDE - 1;
    def.rest_length = 1.5f * SPACING;
    def.stiffness = 600;
    def.damping = 3;
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        tp_vector at = {8.8f + SPACING * (float)(i % SIDE), 3.2f + SPACING * (float)(i / SIDE), 0};
        must(tp_particle_add(g.world, at, (tp_vector){0}, 1, NULL));
    }
    must(tp_links_add(g.world, &def, NULL, 0, NULL));
}

/* The water starts as a lattice in the tank and one in the basin, half a spacing from the walls. */
static void build_world(void)
{
    static _Alignas(16) unsigned char block[TP_FLUID_BYTES(2, PARTICLES, 40, SOLIDS + 3) +
                                            TP_LINK_BYTES(2, PARTICLES, 4 * SIDE * SIDE)];
    tp_world_def def = tp_world_default(2);
    tp_field_def fall = tp_field_default(TP_FIELD_GRAVITY);
    tp_field gravity;
    def.solver = TP_SOLVER_SPH;
    def.particles_max = PARTICLES;
    def.emitters_max = def.sinks_max = def.fields_max = 1;
    def.colliders_max = SOLIDS;
    def.bodies_max = SOLIDS - BOAT;
    def.links_max = 4 * SIDE * SIDE;
    def.species_count = 2;
    def.keeps_births = false;
    def.takes_changes = true;
    tp_sph_incompressible(&def, SPACING);
    def.sph.density_iterations = 1;
    def.sph.timestep_max = 0.025f; /* the gravity is small: a splash needs no shorter steps */
    def.substeps.count = 2;
    def.substeps.count_max = 3;
    must(tp_world_create(&def, block, sizeof block, &g.world));
    fall.vector.y = -5.5f; /* the tank looks twice as large as it is */
    must(tp_field_add(g.world, &fall, &gravity));
    build_solids();
    build_pump();
    build_jelly();
    for (uint32_t k = 0; k < 108 * 49; k++) {
        float x = ((float)(k % 108) + 0.5f) * SPACING, y = ((float)(k / 108) + 0.5f) * SPACING;
        if (y < 2.3f || (y > 3.4f && x < 3.05f))
            must(tp_particle_add(g.world, (tp_vector){x, y, 0}, (tp_vector){0}, 0, NULL));
    }
}

/* Starts the game anew. */
static tp_result game_start(void)
{
    static _Alignas(16) unsigned char block[9u << 20];
    g = (struct game){0};
    build_world();
    g.source = tp_world_source(g.world);
    tp_cache_def def = tp_cache_default(&g.source);
    def.frames_max = RECORDED;
    def.ring_bytes = 8u << 20;
    def.step = REWIND_FRAMES;
    must(tp_cache_create(&def, block, sizeof block, &g.cache));
    must(tp_cache_record(g.cache, &g.source, NULL));
    return g.result;
}

/* ---- a frame: what the player does, and where everything moves ---- */

static void go(float *value, float goal, float speed)
{
    *value = paint_bound(goal, *value - speed * SECONDS, *value + speed * SECONDS);
}

static void move_solids(game_input input)
{
    float x = paint_bound((float)input.x / 255 * 10.8f, 0.15f, 10.65f),
          y = paint_bound((float)input.y / 255 * 6.075f, 0.55f, 5.5f);
    for (uint32_t k = GATE; k < BOAT; k++) {
        tp_pose last = pose_of(k), pose = last;
        if (k == GATE) go(&pose.position.y, input.buttons & GAME_GATE ? 4.65f : 4.15f, 1.5f);
        if (k == PADDLE) go(&pose.position.x, x, 3), go(&pose.position.y, y, 3);
        if (k >= WHEEL) pose = tp_pose_turn(last, g.now.spin[k >= MILL] * SECONDS);
        if (k >= FISH) pose = fish_pose(k - FISH, tp_world_report(g.world).frames + 1);
        float leap = pose.position.x - last.position.x;
        must(leap * leap > 1 ? tp_collider_place(g.world, g.colliders[k], pose)
                             : tp_collider_move(g.world, g.colliders[k], pose));
    }
}

/* Back to the recorded frame before. */
static void rewind_time(void)
{
    uint64_t frame = tp_world_report(g.world).frames, first = tp_cache_report(g.cache).frame_first;
    frame = frame > first ? (frame - 1) / REWIND_FRAMES * REWIND_FRAMES : first;
    must(tp_cache_rewind(g.cache, &g.source, frame, true, NULL));
    g.now = g.states[frame / REWIND_FRAMES % RECORDED];
    g.owed--;
}

/* False: time went back instead. */
static bool begin_frame(game_input input)
{
    bool is_on = (input.buttons & GAME_PUMP) != 0;
    if (input.buttons & GAME_REWIND) return rewind_time(), false;
    if (input.buttons & ~g.now.buttons & GAME_DROP) {
        float x = paint_bound(pose_of(PADDLE).position.x, 6.3f, 10);
        must(tp_body_set(g.world, g.bodies[BOAT + g.now.boat++ % 3], tp_pose_make(x, 5.4f, 1.8f),
                         (tp_vector){0}, (tp_vector){0}));
    }
    must(tp_emitter_rate(g.world, g.spout, is_on ? 100 : 0, 1));
    must(tp_sink_rate(g.world, g.intake, is_on ? 2 : 0));
    move_solids(input);
    g.now.buttons = input.buttons;
    return g.has_begun = true;
}

/* The water turns the wheels. Generators brake them and light the lamps. */
static void end_frame(void)
{
    const float inertia = 25, brake = 12; /* kg m^2, N m s */
    uint64_t frame = tp_world_report(g.world).frames;
    for (uint32_t wheel = 0; wheel < 2; wheel++) {
        float *spin = &g.now.spin[wheel], torque = -brake * *spin;
        for (uint32_t k = WHEEL + 3 * wheel; k < MILL + 3 * wheel; k++) {
            tp_load load = {0};
            must(tp_collider_load(g.world, g.colliders[k], &load));
            torque += load.torque.z;
        }
        g.now.energy += brake * *spin * *spin * SECONDS;
        *spin = paint_bound(*spin + torque / inertia * SECONDS, -6, 6);
    }
    if (frame % REWIND_FRAMES == 0) g.states[frame / REWIND_FRAMES % RECORDED] = g.now;
    must(tp_cache_record(g.cache, &g.source, NULL));
    g.has_begun = false;
    g.owed--;
}

/* Owes one more frame. False: too many are owed already. */
static bool game_owe(void) { return g.owed < OWED && ++g.owed; }

/* Of a limit, what recordings leave. */
static uint32_t rest_of(uint32_t all, uint32_t kept) { return all > kept ? all - kept : all > 0; }

/* One picture: simulates the frames that are owed. TP_MORE: the budget ended first. */
static tp_result game_frame(const tp_budget *budget)
{
    tp_share share = {.world = g.world};
    tp_budget picture = *budget; /* is_same_frame: one budget for all frames of the picture */
    uint32_t recorded = 0;
    picture.microseconds = rest_of(budget->microseconds, RESERVE_MICROSECONDS);
    tp_result result = TP_OK;
    while (g.owed > 0 && g.result == TP_OK && (g.has_begun || begin_frame(game_player()))) {
        picture.units = rest_of(budget->units, recorded + RESERVE_UNITS);
        must(result = tp_frame_together(&share, 1, &picture));
        picture.is_same_frame = true;
        if (result != TP_OK) break;
        end_frame();
        recorded += tp_cache_report(g.cache).units;
    }
    g.units = (uint32_t)share.report.units + recorded;
    return g.result < TP_OK ? g.result : result;
}

/* ---- the picture: lines in the frame of what they belong to ---- */

/* The view; a fish along its y axis; what a boat has beside its hull, in radii of the hull. */
static const paint_part view[4] = {{8.7f, 4.95f, 8.7f, 4.95f, 0.6f, 0.6f, 0x50fff6d8},
                                   {8.7f, 4.95f, 8.7f, 4.95f, 0.45f, 0.45f, 0xfffff3c4},
                                   {6.6f, -3.6f, 6.6f, -3.6f, 5.8f, 5.8f, 0xffa9cfa0},
                                   {2.2f, -2.2f, 2.2f, -2.2f, 5.4f, 5.4f, 0xff8fc0a5}};
static const paint_part fish[3] = {{0, 0.12f, 0, 0.24f, 0.02f, 0.08f, 0},
                                   {0, -0.12f, 0, 0.12f, 0.1f, 0.03f, 0},
                                   {0, -0.12f, 0, -0.12f, 0.025f, 0.025f, 0xff2b2d42}};
static const paint_part boat[4] = {{0.5f, -2.3f, 0.5f, 2.3f, 0.2f, 0.2f, 0xffffffff},
                                   {2.2f, -1.1f, 8, 0, 1.1f, 0, 0xfffff8e7},
                                   {2.2f, 1.1f, 8, 0, 0.9f, 0, 0xfff2b880},
                                   {-2.5f, 0, 8, 0, 0.26f, 0.13f, 0xff5b4636}};

static void draw_solid(const paint *to, uint32_t k)
{
    const tp_pose pose = pose_of(k);
    const struct solid *s = solid_of(k);
    const paint_part hull = {0, -s->length, 0, s->length, s->radius, s->radius, 0};
    paint_parts(to, pose, 1, s->colour, &hull, 1);
    if (k >= BOAT) paint_parts(to, pose, s->radius, 0, boat, 4);
}

/* Foam on fast water. The jelly: discs, first darker and wider; eyes above one of its middle. */
static void draw_particles(const paint *to)
{
    tp_view seen = tp_world_view(g.world);
    uint32_t k = 0;
    paint_particles(to, &seen, 0, 3.5f, 0.08f, 0x30ffffff);
    paint_particles(to, &seen, 1, 0, 0.11f, 0xffc23a73);
    paint_particles(to, &seen, 1, 0, 0.08f, 0xfff481ad);
    must(tp_particle_find(g.world, 4 * SIDE + 4, &k));
    for (float side = -0.12f; side < 0.2f; side += 0.24f) {
        paint_disc(to, seen.x[k] + side, seen.y[k] + 0.1f, 0.075f, 0xffffffff);
        paint_disc(to, seen.x[k] + side, seen.y[k] + 0.08f, 0.04f, 0xff2b2d42);
    }
}

/* Twelve lamps of 60 J each. A bar: the work of the picture. A disc for each frame that is owed. */
static void draw_meters(const paint *to, uint32_t bar_units)
{
    tp_vector from = {7.35f, 5.8f, 0}, end = {10.55f, 5.8f, 0};
    for (uint32_t lamp = 1; lamp <= 12; lamp++)
        paint_disc(to, 3.3f + 0.3f * (float)lamp, 5.8f, 0.1f,
                   g.now.energy > 60.0f * (float)lamp ? 0xffffd60a : 0x80495057);
    paint_line(to, from, end, 0.09f, 0.09f, 0x9022223b);
    end.x = from.x + 3.2f * paint_bound((float)g.units / (float)bar_units, 0, 1);
    paint_line(to, from, end, 0.05f, 0.05f, 0xff4cc9f0);
    for (uint32_t k = 0; k < g.owed; k++)
        paint_disc(to, 7.4f + 0.16f * (float)k, 5.6f, 0.06f, 0xfff94144);
}

static void game_draw(const paint *to, uint32_t bar_units)
{
    static const uint32_t colours[3] = {0xffffa62b, 0xffe85d75, 0xfff4e285};
    paint_sky(to, 0xff6fb7d8, 0xffffe9c9);
    paint_parts(to, tp_pose_make(0, 0, 0), 1, 0, view, 4);
    for (uint32_t k = BASIN; k < FISH; k++) draw_solid(to, k);
    must(paint_water(to, g.world, SPACING, 0xff3aa6d0, 0xff12507f));
    for (uint32_t k = 0; k < BOAT - FISH; k++) /* every other one swims to the left */
        paint_parts(to, pose_of(FISH + k), k & 1u ? -1 : 1, colours[k % 3], fish, 3);
    for (uint32_t k = BOAT; k < SOLIDS; k++) draw_solid(to, k);
    draw_particles(to);
    draw_meters(to, bar_units);
}
