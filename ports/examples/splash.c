/* SPDX-License-Identifier: MIT
   ports/examples/splash.c - the sounds of a splash: events of a ball of water that falls into a
           pool.
   reads   nothing      writes  standard output
   memory  one static block      cost  about 200 000 units per frame
   after   own design; linked with tidepool.c. A sound engine takes the place of printf */
#include "tidepool.h"
#include <inttypes.h>
#include <stdio.h>

#define SPACING   0.05f
#define COLUMNS   40u
#define ROWS      6u
#define BALL      10u /* the ball fits into a square of so many particles */
#define PARTICLES (COLUMNS * ROWS + BALL * BALL)
#define EVENTS    256u

static _Alignas(
    16) unsigned char block[TP_FLUID_BYTES(2, PARTICLES, 40, 3) + TP_EVENT_BYTES(EVENTS)];

static tp_result fill_water(tp_world *world)
{
    tp_result result = TP_OK;
    for (uint32_t i = 0; i < COLUMNS * ROWS && result == TP_OK; i++) {
        tp_vector at = {((float)(i % COLUMNS) + 0.5f) * SPACING,
                        ((float)(i / COLUMNS) + 0.5f) * SPACING, 0};
        result = tp_particle_add(world, at, (tp_vector){0, 0, 0}, 0, NULL);
    }
    for (uint32_t i = 0; i < BALL * BALL && result == TP_OK; i++) {
        float x = (float)(i % BALL) - 4.5f, y = (float)(i / BALL) - 4.5f;
        tp_vector at = {(0.5f * COLUMNS + x) * SPACING, (4.0f * ROWS + y) * SPACING, 0};
        if (x * x + y * y < 25) result = tp_particle_add(world, at, (tp_vector){0, -3, 0}, 0, NULL);
    }
    return result;
}

static tp_result fill(tp_world *world, tp_collider *tank)
{
    tp_field_def fall = tp_field_default(TP_FIELD_GRAVITY);
    tp_field gravity;
    tp_result result = tp_field_add(world, &fall, &gravity);

    tp_collider_def walls = tp_collider_default(TP_COLLIDER_BOX);
    walls.half = (tp_vector){COLUMNS * SPACING / 2, 2, 1};
    walls.pose.position = (tp_vector){COLUMNS * SPACING / 2, 2, 0};
    walls.is_hollow = true;
    if (result == TP_OK) result = tp_collider_add(world, &walls, tank);

    tp_sink_def drain = tp_sink_default();
    tp_sink sink;
    drain.shape = TP_SINK_SPHERE;
    drain.radius = 0.12f;
    if (result == TP_OK) result = tp_sink_add(world, &drain, &sink);
    return result == TP_OK ? fill_water(world) : result;
}

/* What a quarter of a second sounds like. */
typedef struct sound {
    uint32_t hits, drained;
    tp_event loudest;
} sound;

static void hear(sound *s, const tp_event *event)
{
    if (event->kind == TP_EVENT_DEATH && event->cause == TP_DEATH_SINK) s->drained++;
    if (event->kind != TP_EVENT_CONTACT_BEGUN) return;
    s->hits++;
    if (event->speed > s->loudest.speed) s->loudest = *event;
}

static void play(const sound *s, uint32_t frame)
{
    if (s->hits + s->drained == 0) return;
    printf("%.2f s: ", frame / 60.0);
    if (s->hits)
        printf("%u hits, the fastest with %.1f m/s at %.2f %.2f; ", (unsigned)s->hits,
               (double)s->loudest.speed, (double)s->loudest.point.x, (double)s->loudest.point.y);
    printf("%u drained\n", (unsigned)s->drained);
}

int main(void)
{
    tp_world_def def = tp_world_default(2);
    def.solver = TP_SOLVER_SPH;
    def.particles_max = PARTICLES;
    def.emitters_max = 0;
    def.fields_max = def.colliders_max = def.sinks_max = 1;
    def.events_max = EVENTS;
    def.event_kinds = TP_EVENT_BIT(TP_EVENT_CONTACT_BEGUN) | TP_EVENT_BIT(TP_EVENT_DEATH);
    tp_sph_incompressible(&def, SPACING);

    static tp_event events[32];
    tp_event_cursor cursor = {0, 0};
    tp_world *world;
    tp_collider tank;
    sound now = {0};
    tp_result result = tp_world_create(&def, block, sizeof block, &world);
    if (result == TP_OK) result = fill(world, &tank);
    for (uint32_t frame = 1; frame <= 120 && result >= TP_OK; frame++) {
        result = tp_frame(world, NULL, NULL);
        for (tp_result more = TP_MORE; more == TP_MORE && result >= TP_OK;) {
            uint32_t count = 0;
            more = tp_world_events(world, &cursor, events, 32, &count);
            for (uint32_t k = 0; k < count; k++) hear(&now, &events[k]);
            if (more < TP_OK) result = more;
        }
        if (frame % 15 > 0) continue;
        play(&now, frame);
        now = (sound){0};
    }
    if (result < TP_OK) return puts(tp_result_text(result)), 1;
    printf("%" PRIu64 " events, %" PRIu64 " missed, hash %016" PRIx64 "\n", cursor.next,
           cursor.missed, tp_world_hash(world));
    return 0;
}
