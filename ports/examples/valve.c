/* SPDX-License-Identifier: MIT
   ports/examples/valve.c - a tap that opens and closes, a gate that opens, and pictures at 144 Hz
           of a simulation at 60 Hz.
   reads   nothing      writes  standard output
   memory  a static block and two arrays      cost    that of the frames; O(drops) per picture
   after   own design; linked with tidepool.c and a platform */
#include "tank.h"
#include <stdio.h>

static _Alignas(16) unsigned char block[TP_FLUID_BYTES(2, TANK_DROPS, 40, 4)];

/* What the game keeps: handles, and the definition of which it changes a field. */
typedef struct valve {
    tp_world *world;
    tp_emitter tap;
    tp_collider gate;
    tp_collider_def gate_def;
} valve;

static tp_result make(valve *v)
{
    tp_world_def def = tank_definition();
    tp_field field;
    tp_field_def gravity = tp_field_default(TP_FIELD_GRAVITY);
    tp_collider collider;
    tp_collider_def walls = tp_collider_default(TP_COLLIDER_BOX);
    def.colliders_max = 2;
    def.takes_changes = def.keeps_words = def.keeps_last_frame = true;
    tp_result result = tp_world_create(&def, block, sizeof block, &v->world);
    if (result == TP_OK) result = tp_field_add(v->world, &gravity, &field);
    walls.half.x = walls.half.y = 1.0f;
    walls.is_hollow = true;
    if (result == TP_OK) result = tp_collider_add(v->world, &walls, &collider);
    v->gate_def = tp_collider_default(TP_COLLIDER_BOX);
    v->gate_def.half.x = 1.0f;
    v->gate_def.half.y = 0.05f;
    if (result == TP_OK) result = tp_collider_add(v->world, &v->gate_def, &v->gate);
    tp_emitter_def tap = tp_emitter_default();
    tap.shape = TP_EMITTER_SEGMENT;
    tap.size.x = 0.2f;
    tap.pose.position.y = 0.9f;
    tap.velocity.y = -1.5f;
    tap.rate_numerator = 100; /* per second */
    tap.lifetime_ticks = 300u * TP_TICKS_PER_FRAME;
    if (result == TP_OK) result = tp_emitter_add(v->world, &tap, &v->tap);
    return result;
}

/* Each change takes effect when the next frame begins, and restarts no step. */
static tp_result act(valve *v, uint32_t frame)
{
    uint32_t ids[2] = {10, 20}, words[2] = {1, 2}; /* the game's own marks, by id, ascending */
    switch (frame) {
    case 60: return tp_emitter_rate(v->world, v->tap, 0, 1); /* closed */
    case 90:                                                 /* the gate opens */
        v->gate_def.species_mask = 0;
        return tp_collider_set(v->world, v->gate, &v->gate_def);
    case 150: return tp_emitter_rate(v->world, v->tap, 100, 1); /* open again */
    case 200: return tp_particles_word(v->world, ids, words, 2, NULL);
    default: return TP_OK;
    }
}

static void tell(const valve *v, uint32_t frame)
{
    tp_view view = tp_world_view(v->world);
    uint32_t above = 0, left = 0, index;
    for (uint32_t i = 0; i < view.count; i++) above += view.y[i] > 0.0f;
    printf("frame %3u: %3u drops, %3u of them above the gate\n", (unsigned)frame,
           (unsigned)view.count, (unsigned)above);
    if (frame < 240 || tp_particle_find(v->world, 20, &index) != TP_OK) return;
    if (tp_world_lives(v->world, index, 1, &left, NULL) == TP_OK)
        printf("drop 20 has the word %u and lives for %u frames more\n", (unsigned)view.word[index],
               (unsigned)(left / TP_TICKS_PER_FRAME));
}

/* Pictures at 144 Hz: each shows where the drops are at a share of the way from one frame to the
   next. */
static tp_result show(const valve *v, uint32_t *pictures, uint32_t *time)
{
    static float x[TANK_DROPS], y[TANK_DROPS];
    tp_result result = TP_OK;
    for (; *time < 144u && result == TP_OK; *time += 60u, ++*pictures)
        result = tp_world_between(v->world, (float)*time / 144.0f, 0, tp_world_view(v->world).count,
                                  x, y, NULL);
    *time -= 144u; /* of the next frame, in 1/144 of it */
    return result;
}

int main(void)
{
    static valve v;
    uint32_t pictures = 0, time = 0;
    tp_result result = make(&v);
    for (uint32_t frame = 1; frame <= 240 && result >= TP_OK; frame++) {
        result = act(&v, frame);
        if (result == TP_OK) result = tp_frame(v.world, NULL, NULL);
        if (result == TP_OK) result = show(&v, &pictures, &time);
        if (frame % 60u == 0) tell(&v, frame);
    }
    printf("%u pictures of 240 frames\n", (unsigned)pictures);
    if (result < TP_OK) puts(tp_result_text(result));
    return result < TP_OK;
}
