/* SPDX-License-Identifier: MIT
   tests/golden/scenes_live.h - golden scenes whose settings and particles change while they run.
   reads   nothing      writes  a world, a cache
   memory  see scenes.h      cost    see scenes.h
   after   own design; part of scenes.h */
#ifndef TIDEPOOL_GOLDEN_SCENES_LIVE_H
#define TIDEPOOL_GOLDEN_SCENES_LIVE_H

static void golden_live_2d(tp_world_def *def)
{
    golden_rewind_2d(def);
    def->takes_changes = def->keeps_words = def->keeps_last_frame = true;
}

static void golden_live_2d_sliced(tp_world_def *def)
{
    golden_live_2d(def);
    golden_slice(def);
}

static tp_collider_def golden_live_ball(void)
{
    tp_collider_def ball = tp_collider_default(TP_COLLIDER_SPHERE);
    ball.pose.position = golden_vector(0.2f, -0.5f, 0.0f);
    ball.radius = 0.15f;
    return ball;
}

static void golden_fill_live_2d(golden_stage *stage)
{
    tp_collider_def ball = golden_live_ball();
    golden_fill_rewind_2d(stage);
    golden_add_collider(stage, &ball);
}

static void golden_fill_live_recorded_2d(golden_stage *stage)
{
    tp_collider_def ball = golden_live_ball();
    golden_fill_recorded_2d(stage);
    golden_add_collider(stage, &ball);
}

/* Every third of the first ids: words, another species, or death. */
static void golden_live_edit(golden_stage *stage, bool removes)
{
    uint32_t ids[10], words[10], species[10];
    for (uint32_t k = 0; k < 10; k++) {
        ids[k] = 3u * k + (removes ? 1u : 0u);
        words[k] = 1000u + k;
        species[k] = k & 1u;
    }
    if (removes) {
        golden_note(stage, tp_particles_remove(stage->world, ids, 10, NULL));
        return;
    }
    golden_note(stage, tp_particles_word(stage->world, ids, words, 10, NULL));
    golden_note(stage, tp_particles_species(stage->world, ids, species, 10, NULL));
}

static void golden_live_tap(golden_stage *stage, uint32_t rate)
{
    tp_emitter_def tap = tp_emitter_default();
    tap.shape = TP_EMITTER_BOX;
    tap.size = golden_vector(0.3f, 0.05f, 0.0f);
    tap.rate_numerator = rate;
    tap.rate_denominator = 7;
    tap.velocity = golden_vector(0.5f, -1.0f, 0.0f);
    golden_note(stage, tp_emitter_set(stage->world, stage->emitters[0], &tap));
}

static void golden_live_gate(golden_stage *stage, tp_collider_shape shape, float friction)
{
    tp_collider_def gate = golden_live_ball();
    gate.shape = shape;
    gate.half = golden_vector(0.3f, 0.05f, 0.0f);
    gate.friction = friction;
    golden_note(stage, tp_collider_set(stage->world, stage->colliders[1], &gate));
}

static void golden_live_settings(golden_stage *stage, float viscosity)
{
    tp_world_def def = *tp_world_definition(stage->world);
    def.sph.viscosity_linear = viscosity;
    def.speed_max = 4.0f;
    golden_note(stage, tp_world_change(stage->world, &def));
}

static void golden_change_live_2d(golden_stage *stage, uint64_t frame)
{
    switch (frame) {
    case 5: golden_live_tap(stage, 0); break;
    case 8: golden_live_tap(stage, 500); break;
    case 12: golden_live_gate(stage, TP_COLLIDER_BOX, 0.5f); break;
    case 16: golden_live_settings(stage, 2.0f); break;
    case 18: golden_live_edit(stage, false); break;
    case 22: golden_live_edit(stage, true); break;
    case 23: golden_live_gate(stage, TP_COLLIDER_SPHERE, 0.1f); break;
    case 24: golden_live_settings(stage, 0.25f); break;
    case 25: golden_live_tap(stage, 50); break;
    case 27: golden_note(stage, tp_emitter_rate(stage->world, stage->emitters[0], 90, 7)); break;
    default: break;
    }
}

/* ---- groups: births of a tap have its word, and are pushed, turned and removed together ---- */

static void golden_group_tap(golden_stage *stage, uint32_t word)
{
    tp_emitter_def tap = tp_emitter_default();
    tap.shape = TP_EMITTER_BOX;
    tap.size = golden_vector(0.3f, 0.05f, 0.0f);
    tap.rate_numerator = 120;
    tap.velocity = golden_vector(0.5f, -1.0f, 0.0f);
    tap.word = word;
    golden_note(stage, tp_emitter_set(stage->world, stage->emitters[0], &tap));
}

static void golden_change_group_2d(golden_stage *stage, uint64_t frame)
{
    static const tp_group first = {0xffu, 3u}, second = {0x100u, 0x100u};
    tp_pose quarter = {{0.1f, 0.2f, 0.0f}, {0.70710678f, 0.0f, 0.0f, 0.70710678f}};
    tp_world *world = stage->world;
    switch (frame) {
    case 2: golden_group_tap(stage, 3u); break;
    case 10: golden_group_tap(stage, 0x104u); break;
    case 16:
        golden_note(stage, tp_group_impulse(world, first, golden_vector(9.0f, 20.0f, 0.0f), NULL));
        break;
    case 20:
        golden_note(stage,
                    tp_group_move(world, second, golden_vector(0.0f, 0.3f, 0.0f), quarter, NULL));
        break;
    case 26: golden_note(stage, tp_group_remove(world, first, NULL)); break;
    default: break;
    }
}

/* Bits of a float, for sums that do not depend on the order of a view. */
static uint32_t golden_bits(float value)
{
    union {
        float number;
        uint32_t bits;
    } word = {value};
    return word.bits;
}

/* Adds positions between the last two frames, ages and a curve over them, by id. */
static uint64_t golden_look_each(golden_stage *stage, uint64_t hash)
{
    static const tp_curve curve = {3, {0.0f, 0.4f, 1.0f}, {1.0f, 3.0f, -2.0f}};
    static float x[GOLDEN_SMALL], y[GOLDEN_SMALL], age[GOLDEN_SMALL], size[GOLDEN_SMALL];
    static uint32_t left[GOLDEN_SMALL];
    tp_view view = tp_world_view(stage->world);
    golden_note(stage, tp_world_between(stage->world, 0.375f, 0, view.count, x, y, NULL));
    golden_note(stage, tp_world_lives(stage->world, 0, view.count, left, age));
    golden_note(stage, tp_world_curve(stage->world, &curve, 1, 0, view.count, size));
    for (uint32_t i = 0; i < view.count; i++) {
        hash += (view.id[i] + 1u) * ((uint64_t)golden_bits(x[i]) << 32 | golden_bits(y[i]));
        hash += (view.id[i] + 3u) * ((uint64_t)golden_bits(age[i]) << 32 | golden_bits(size[i]));
        hash += (view.id[i] + 5u) * (uint64_t)left[i];
    }
    return hash;
}

/* Adds the ids by depth, those that are found of some, a group, and a collider between frames. */
static uint64_t golden_look_all(golden_stage *stage, uint64_t hash)
{
    static uint32_t order[GOLDEN_SMALL], scratch[2 * GOLDEN_SMALL];
    static const tp_group tap = {0xffu, 3u};
    const uint32_t wanted[4] = {1, 2, 30, 50000};
    uint32_t found[4], missing = 0;
    tp_view view = tp_world_view(stage->world);
    tp_group_report group;
    tp_pose pose;
    golden_note(stage, tp_view_sort_depth(&view, golden_vector(0.6f, 0.8f, 0.0f), order, scratch));
    for (uint32_t i = 0; i < view.count; i++) hash = golden_fold(hash, &view.id[order[i]], 1);
    golden_note(stage, tp_particles_find(stage->world, wanted, 4, found, &missing));
    hash = golden_fold(hash, &missing, 1);
    golden_note(stage, tp_group_measure(stage->world, tap, &group));
    hash = golden_fold(hash, &group, (uint32_t)(sizeof group / sizeof(uint32_t)));
    golden_note(stage, tp_collider_between(stage->world, stage->colliders[1], 0.375f, &pose));
    return golden_fold(hash, &pose, (uint32_t)(sizeof pose / sizeof(uint32_t)));
}

static uint64_t golden_look_live_2d(golden_stage *stage, uint64_t hash)
{
    return golden_look_all(stage, golden_look_each(stage, hash));
}

#endif
