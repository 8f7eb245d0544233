/* SPDX-License-Identifier: MIT
   ports/examples/game/game.c - the game: two worlds, one budget, what couples them, a picture.
   reads   inputs      writes  the static game
   memory  21 MB, most of it recorded frames      cost  the budget of a picture
   after   own design; linked with tidepool.c. Only +, -, *, / and square roots: its floats are
           the same on every machine */
#include "game.h"

#define SECONDS       (1.0f / 60.0f)
#define SPACING       0.1f /* m: between particles of the water */
#define PARTICLES     3000u
#define REWIND_FRAMES 3u   /* every third frame is recorded */
#define RECORDED      160u /* frames: eight seconds */
/* kept back of a budget, for the recording at the end of a frame */
#define RESERVE_UNITS        42000u
#define RESERVE_MICROSECONDS 250u

/* What the water meets: where it begins, turned by w and z of a quaternion, half its length and its
   radius, kg of what floats. All but the room are capsules; the blades go through their hub. */
enum { ROOM, BASIN, GATE, PADDLE, BLADE, BOAT = BLADE + 3, JELLY = BOAT + 3, SOLIDS };
static const struct solid {
    float x, y, w, z, length, radius, mass;
    uint32_t colour;
} solids[SOLIDS] = {
    {GAME_WIDTH / 2, 3.0375f, 1, 0, 3.0375f, 0, 0, 0},
    {1.6f, 3.3f, 0.70710678f, 0.70710678f, 1.6f, 0.1f, 0, 0xff6d6875},
    {3.16f, 4.15f, 1, 0, 0.7f, 0.06f, 0, 0xff4a4e69},
    {5.4f, 4.5f, 1, 0, 0.4f, 0.1f, 0, 0xfffcbf49},
    {4.9f, 2.9f, 1, 0, 0.8f, 0.05f, 0, 0xffa9794a},
    {4.9f, 2.9f, 0.8660254f, 0.5f, 0.8f, 0.05f, 0, 0xffa9794a},
    {4.9f, 2.9f, 0.5f, 0.8660254f, 0.8f, 0.05f, 0, 0xffa9794a},
    {6.2f, 3.1f, 0.70710678f, 0.70710678f, 0.45f, 0.16f, 16, 0xffc8553d},
    {7.2f, 4.2f, 0.70710678f, 0.70710678f, 0.3f, 0.13f, 9, 0xff588b8b},
    {8.0f, 3.1f, 0.70710678f, 0.70710678f, 0.38f, 0.17f, 14, 0xff8c4a6c},
    {9.2f, 3.6f, 1, 0, 0.01f, 0.45f, 32, 0},
};

static struct game {
    tp_result result;    /* the first error */
    tp_world *worlds[2]; /* the fluid with its bodies; the jelly */
    tp_cache *caches[2];
    tp_source sources[2];
    tp_query *query; /* of the fluid, to draw it */
    tp_collider colliders[SOLIDS];
    tp_body bodies[SOLIDS];
    tp_field pull;
    tp_field_def pull_def;
    tp_emitter spout;
    tp_emitter_def spout_def;
    tp_sink intake;
    tp_sink_def intake_def;
    struct game_state { /* what the game knows beside its worlds, recorded with them */
        tp_pose poses[BOAT];
        float spin, energy;     /* of the wheel: 1/s; J */
        uint32_t buttons, boat; /* of the last frame; the next boat */
    } now, states[RECORDED];
    game_input inputs[GAME_OWED]; /* of the frames that are owed */
    uint32_t owed;
    uint64_t units, frame_units; /* of the picture; of the frame that has begun */
    bool has_begun;              /* a frame has its input and is not complete */
    bool is_inside;              /* the runtime has begun it, too */
    bool is_rewinding;
} g;

static void must(tp_result result)
{
    if (g.result == TP_OK && result < TP_OK) g.result = result;
}

/* ---- the worlds ---- */

/* A boat's center of mass is on its keel, to its right: its capsule is turned by a quarter. */
static void build_solids(void)
{
    for (uint32_t k = 0; k < SOLIDS; k++) {
        const struct solid *s = &solids[k];
        tp_collider_def def =
            tp_collider_default(k == ROOM ? TP_COLLIDER_BOX : TP_COLLIDER_CAPSULE);
        tp_body_def body = tp_body_default();
        def.pose = (tp_pose){{s->x, s->y, 0}, {s->w, 0, 0, s->z}};
        def.half = (tp_vector){s->x, s->length, 1};
        def.radius = s->radius;
        def.is_hollow = k == ROOM;
        must(tp_collider_add(g.worlds[0], &def, &g.colliders[k]));
        if (k < BOAT) g.now.poses[k] = def.pose;
        if (k < BOAT) continue;
        body.collider = g.colliders[k];
        body.mass = s->mass;
        body.center.x = k < JELLY ? -2 * s->radius : 0;
        must(tp_body_add(g.worlds[0], &body, &g.bodies[k]));
    }
}

/* The pump is an emitter and a sink, which change while the water runs. */
static void build_pump(void)
{
    g.spout_def = tp_emitter_default();
    g.spout_def.shape = TP_EMITTER_BOX;
    g.spout_def.pose.position = (tp_vector){0.7f, 5.8f, 0};
    g.spout_def.size.x = 0.25f;
    g.spout_def.velocity.y = -2;
    g.spout_def.lattice_spacing = SPACING;
    g.spout_def.rate_numerator = 0;
    must(tp_emitter_add(g.worlds[0], &g.spout_def, &g.spout));
    g.intake_def = tp_sink_default();
    g.intake_def.shape = TP_SINK_SPHERE;
    g.intake_def.center = (tp_vector){0.2f, 0.2f, 0};
    g.intake_def.radius = 0.15f;
    must(tp_sink_add(g.worlds[0], &g.intake_def, &g.intake));
}

/* The water starts as a lattice in the tank and one in the basin, half a spacing from the walls. */
static void build_water(void)
{
    static _Alignas(16) unsigned char block[2u << 20];
    tp_world_def def = tp_world_default(2);
    tp_field_def fall = tp_field_default(TP_FIELD_GRAVITY);
    tp_field gravity;
    def.solver = TP_SOLVER_SPH;
    def.particles_max = PARTICLES;
    def.emitters_max = def.sinks_max = def.fields_max = 1;
    def.colliders_max = SOLIDS;
    def.bodies_max = SOLIDS - BOAT;
    def.keeps_births = false;
    def.takes_changes = true;
    tp_sph_incompressible(&def, SPACING);
    def.sph.density_iterations = 1;
    def.sph.timestep_max = 0.00834f; /* two steps a frame: the gravity is small */
    must(tp_world_create(&def, block, sizeof block, &g.worlds[0]));
    fall.vector.y = -5.5f; /* the tank looks twice as large as it is */
    must(tp_field_add(g.worlds[0], &fall, &gravity));
    build_solids();
    build_pump();
    for (uint32_t k = 0; k < 108 * 49; k++) {
        float x = ((float)(k % 108) + 0.5f) * SPACING, y = ((float)(k / 108) + 0.5f) * SPACING;
        if (y < 2.3f || (y > 3.4f && x < 3.05f))
            must(tp_particle_add(g.worlds[0], (tp_vector){x, y, 0}, (tp_vector){0}, 0, NULL));
    }
}

/* A sheet of cloth that lies in the plane is a soft square. A field pulls it to its core, a body of
   the other world, by nearly a spring of 500 1/s^2. */
static void build_jelly(void)
{
    static _Alignas(16) unsigned char block[64u << 10];
    tp_world_def def = tp_world_default(2);
    tp_cloth_def cloth = tp_cloth_default();
    def.solver = TP_SOLVER_CLOTH;
    def.particles_max = 25;
    def.cloth.constraints_max = 150;
    def.fields_max = 1;
    def.emitters_max = def.sinks_max = def.colliders_max = 0;
    def.keeps_births = false;
    must(tp_world_create(&def, block, sizeof block, &g.worlds[1]));
    cloth.columns = cloth.rows = 5;
    cloth.origin = (tp_vector){solids[JELLY].x - 0.32f, solids[JELLY].y + 0.32f, 0};
    cloth.along.x = 0.16f;
    cloth.across.y = -0.16f;
    cloth.stretch = cloth.shear = cloth.bend = 0.0006f;
    must(tp_cloth_grid(g.worlds[1], &cloth, NULL));
    g.pull_def = tp_field_default(TP_FIELD_ATTRACTOR);
    g.pull_def.strength = 500;
    g.pull_def.core = 1;
    must(tp_field_add(g.worlds[1], &g.pull_def, &g.pull));
}

static void build_caches(void)
{
    static _Alignas(16) unsigned char blocks[2][9u << 20];
    for (uint32_t k = 0; k < 2; k++) {
        g.sources[k] = tp_world_source(g.worlds[k]);
        tp_cache_def def = tp_cache_default(&g.sources[k]);
        def.frames_max = RECORDED;
        def.ring_bytes = 8u << 20;
        def.step = REWIND_FRAMES;
        must(tp_cache_create(&def, blocks[k], sizeof blocks[k], &g.caches[k]));
        must(tp_cache_record(g.caches[k], &g.sources[k], NULL));
    }
}

tp_result game_start(void)
{
    static _Alignas(16) unsigned char block[TP_QUERY_BYTES(2, PARTICLES)];
    g = (struct game){0};
    build_water();
    build_jelly();
    build_caches();
    tp_query_def def = tp_query_default(tp_world_definition(g.worlds[0]));
    must(tp_query_create(&def, block, sizeof block, &g.query));
    g.states[0] = g.now;
    return g.result;
}

/* ---- before a frame: what the player does, and where everything moves ---- */

/* A sink has no rate: it is open while the tank is nearly full. */
static void run_pump(bool is_on)
{
    bool is_full = tp_world_report(g.worlds[0]).particles + 60 > PARTICLES;
    g.spout_def.rate_numerator = is_on ? 100 : 0;
    g.intake_def.species_mask = is_on && is_full ? ~0u : 0;
    must(tp_emitter_set(g.worlds[0], g.spout, &g.spout_def));
    must(tp_sink_set(g.worlds[0], g.intake, &g.intake_def));
}

static void go(float *value, float goal, float speed)
{
    *value = paint_bound(goal, *value - speed * SECONDS, *value + speed * SECONDS);
}

static void move_solids(game_input input)
{
    tp_vector *paddle = &g.now.poses[PADDLE].position;
    go(&paddle->x, paint_bound((float)input.x / 255 * 10.8f, 0.15f, 10.65f), 3);
    go(&paddle->y, paint_bound((float)input.y / 255 * 6.075f, 0.55f, 5.5f), 3);
    go(&g.now.poses[GATE].position.y, input.buttons & GAME_GATE ? 4.65f : 4.15f, 1.5f);
    for (uint32_t k = BLADE; k < BOAT; k++) {
        tp_quaternion *q = &g.now.poses[k].rotation;
        float half = 0.5f * g.now.spin * SECONDS, w = q->w - half * q->z, z = q->z + half * q->w;
        float length = paint_root(w * w + z * z);
        q->w = w / length, q->z = z / length;
    }
    for (uint32_t k = GATE; k < BOAT; k++)
        must(tp_collider_move(g.worlds[0], g.colliders[k], g.now.poses[k]));
}

static void drop_boat(void)
{
    uint32_t boat = BOAT + g.now.boat++ % (JELLY - BOAT);
    float x = paint_bound(g.now.poses[PADDLE].position.x, 6.3f, 10);
    tp_pose pose = {{x, 5.4f, 0}, {0.6f, 0, 0, 0.8f}};
    must(tp_body_set(g.worlds[0], g.bodies[boat], pose, (tp_vector){0}, (tp_vector){0}));
}

static tp_body_state body_of(uint32_t solid)
{
    tp_body_state body = {0};
    must(tp_body_get(g.worlds[0], g.bodies[solid], &body));
    return body;
}

static void begin_frame(game_input input)
{
    if (input.buttons & ~g.now.buttons & GAME_DROP) drop_boat();
    run_pump((input.buttons & GAME_PUMP) != 0);
    move_solids(input);
    g.pull_def.center = body_of(JELLY).center;
    must(tp_field_set(g.worlds[1], g.pull, &g.pull_def));
    g.now.buttons = input.buttons;
    g.has_begun = true;
}

/* Back to the recorded frame before. */
static void rewind_time(void)
{
    uint64_t frame = tp_world_report(g.worlds[0]).frames;
    uint64_t first = tp_cache_report(g.caches[0]).frame_first;
    frame = (frame - (frame > 0)) / REWIND_FRAMES * REWIND_FRAMES;
    if (frame < first) frame = first;
    for (uint32_t k = 0; k < 2; k++)
        must(tp_cache_rewind(g.caches[k], &g.sources[k], frame, true, NULL));
    g.now = g.states[frame / REWIND_FRAMES % RECORDED];
    g.is_rewinding = true;
}

/* ---- after a frame ---- */

/* The water turns the wheel. A generator brakes it and lights the lamps. */
static void drive_wheel(void)
{
    const float inertia = 25, brake = 12; /* kg m^2, N m s */
    float torque = -brake * g.now.spin;
    for (uint32_t k = BLADE; k < BOAT; k++) {
        tp_load load = {0};
        must(tp_collider_load(g.worlds[0], g.colliders[k], &load));
        torque += load.torque.z;
    }
    g.now.energy += brake * g.now.spin * g.now.spin * SECONDS;
    g.now.spin = paint_bound(g.now.spin + torque / inertia * SECONDS, -6, 6);
}

static void end_frame(void)
{
    uint64_t frame = tp_world_report(g.worlds[0]).frames;
    drive_wheel();
    if (frame % REWIND_FRAMES == 0) g.states[frame / REWIND_FRAMES % RECORDED] = g.now;
    for (uint32_t k = 0; k < 2; k++) {
        must(tp_cache_record(g.caches[k], &g.sources[k], NULL));
        g.units += tp_cache_report(g.caches[k]).units;
    }
    g.has_begun = false;
}

/* ---- frames ---- */

/* Simulates the frame that has begun in both worlds, as far as the budget goes. To the runtime each
   frame is a game frame of its own, which goes on (is_same_frame) until both worlds are complete:
   so neither runs ahead, and each frame has its own input. */
static tp_result work(const tp_budget *budget, uint64_t started)
{
    tp_share shares[2] = {{.world = g.worlds[0]}, {.world = g.worlds[1]}};
    tp_budget left = *budget;
    uint64_t before = g.is_inside ? g.frame_units : 0;
    left.is_same_frame = g.is_inside;
    if (budget->units) {
        if (g.units + RESERVE_UNITS >= budget->units) return TP_MORE;
        left.units = (uint32_t)(budget->units - RESERVE_UNITS - g.units + before);
    }
    if (budget->microseconds) {
        uint64_t time = budget->clock_us(budget->clock_context) - started + RESERVE_MICROSECONDS;
        if (time >= budget->microseconds) return TP_MORE;
        left.microseconds = budget->microseconds - (uint32_t)time;
    }
    tp_result result = tp_frame_worlds(shares, 2, &left);
    g.frame_units = shares[0].report.units + shares[1].report.units;
    g.units += g.frame_units - before;
    g.is_inside = result == TP_MORE;
    return result;
}

bool game_add(game_input input)
{
    if (g.owed == GAME_OWED) return false;
    g.inputs[g.owed++] = input;
    return true;
}

tp_result game_frame(const tp_budget *budget)
{
    uint64_t started = budget->clock_us ? budget->clock_us(budget->clock_context) : 0;
    tp_result result = TP_OK;
    g.units = 0;
    g.is_rewinding = false;
    while (g.owed > 0 && !g.is_rewinding && g.result == TP_OK) {
        if (g.inputs[0].buttons & GAME_REWIND)
            rewind_time();
        else if (!g.has_begun)
            begin_frame(g.inputs[0]);
        if (g.has_begun) result = work(budget, started);
        must(result);
        if (result != TP_OK) break;
        if (g.has_begun) end_frame();
        g.owed--;
        for (uint32_t k = 0; k < g.owed; k++) g.inputs[k] = g.inputs[k + 1];
    }
    return g.result < TP_OK ? g.result : result;
}

game_report game_look(void)
{
    tp_report water = tp_world_report(g.worlds[0]);
    uint32_t boat = BOAT + (g.now.boat + 2) % (JELLY - BOAT);
    return (game_report){(uint32_t)water.frames, (uint32_t)g.units, g.owed,
                         water.particles,        g.now.energy,      body_of(boat).center};
}

uint64_t game_hash(void) { return tp_world_hash(g.worlds[0]) * 31 + tp_world_hash(g.worlds[1]); }

/* ---- the picture ---- */

/* With a mast and two sails a boat, else a capsule; a boat's y axis is its length. */
static void draw_solid(const paint *to, uint32_t k)
{
    const struct solid *s = &solids[k];
    tp_pose pose = k < BOAT ? g.now.poses[k] : body_of(k).pose;
    float r = s->radius;
    paint_line(to, paint_at(pose, 0, -s->length), paint_at(pose, 0, s->length), r, r, s->colour);
    if (k < BOAT) return;
    tp_vector mast = paint_at(pose, 8 * r, 0), foot = paint_at(pose, r, 0);
    paint_line(to, paint_at(pose, 0.5f * r, -s->length), paint_at(pose, 0.5f * r, s->length),
               0.2f * r, 0.2f * r, 0xffffffff);
    paint_line(to, paint_at(pose, 2.2f * r, -1.1f * r), mast, 1.1f * r, 0, 0xfffff8e7);
    paint_line(to, paint_at(pose, 2.2f * r, 1.1f * r), mast, 0.9f * r, 0, 0xfff2b880);
    paint_line(to, paint_at(pose, -2.5f * r, 0), foot, 0.06f, 0.02f, 0xff3d405b);
    paint_line(to, foot, mast, 0.02f, 0.02f, 0xff5b4636);
}

/* The nodes as discs, first darker and wider. */
static void draw_jelly(const paint *to)
{
    tp_view view = tp_world_view(g.worlds[1]);
    tp_pose core = body_of(JELLY).pose;
    for (uint32_t i = 0; i < 2 * view.count; i++)
        paint_disc(to, view.x[i % view.count], view.y[i % view.count],
                   i < view.count ? 0.16f : 0.12f, i < view.count ? 0xffc23a73 : 0xfff481ad);
    for (float eye = -0.12f; eye < 0.2f; eye += 0.24f) {
        paint_disc(to, core.position.x + eye, core.position.y + 0.1f, 0.075f, 0xffffffff);
        paint_disc(to, core.position.x + eye, core.position.y + 0.08f, 0.04f, 0xff2b2d42);
    }
}

/* Twelve lamps of 60 J each. The work of the last picture, coloured by the stages of its last
   frame; a disc for each frame that is owed. */
static void draw_meters(const paint *to, uint32_t bar_units)
{
    static const uint32_t colours[4] = {0xff4cc9f0, 0xff4361ee, 0xfff8961e, 0xffb5179e};
    tp_report water = tp_world_report(g.worlds[0]), jelly = tp_world_report(g.worlds[1]);
    tp_vector from = {7.35f, 5.8f, 0}, end = {10.55f, 5.8f, 0};
    float scale = paint_bound((float)g.units / (float)bar_units, 0, 1) * (end.x - from.x);
    for (uint32_t lamp = 1; lamp <= 12; lamp++)
        paint_disc(to, 3.3f + 0.3f * (float)lamp, 5.8f, 0.1f,
                   g.now.energy > 60.0f * (float)lamp ? 0xffffd60a : 0x80495057);
    paint_line(to, from, end, 0.09f, 0.09f, 0x9022223b);
    for (uint32_t s = 0; s < TP_WORLD_STAGES; s++) {
        float share = (float)(water.stage_units[s] + jelly.stage_units[s]);
        end.x = from.x + scale * share / (float)(water.units + jelly.units + 1);
        paint_line(to, from, end, 0.05f, 0.05f, colours[s % 4]);
        from = end;
    }
    for (uint32_t k = 0; k < g.owed; k++)
        paint_disc(to, 7.4f + 0.16f * (float)k, 5.6f, 0.06f, 0xfff94144);
}

void game_draw(const paint *to, uint32_t bar_units)
{
    tp_view view = tp_world_view(g.worlds[0]);
    paint_sky(to, 0xff6fb7d8, 0xffffe9c9);
    paint_disc(to, 8.7f, 4.95f, 0.6f, 0x50fff6d8); /* sun, hills */
    paint_disc(to, 8.7f, 4.95f, 0.45f, 0xfffff3c4);
    paint_disc(to, 6.6f, -3.6f, 5.8f, 0xffa9cfa0);
    paint_disc(to, 2.2f, -2.2f, 5.4f, 0xff8fc0a5);
    for (uint32_t k = BASIN; k < BOAT; k++) draw_solid(to, k);
    must(tp_query_update(g.query, g.worlds[0], 0));
    must(paint_water(to, g.query, SPACING, 0xff3aa6d0, 0xff12507f));
    for (uint32_t i = 0; i < view.count; i++) /* foam */
        if (view.vx[i] * view.vx[i] + view.vy[i] * view.vy[i] > 12)
            paint_disc(to, view.x[i], view.y[i], 0.08f, 0x30ffffff);
    for (uint32_t k = BOAT; k < JELLY; k++) draw_solid(to, k);
    draw_jelly(to);
    draw_meters(to, bar_units);
}
