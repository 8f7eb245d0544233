/* SPDX-License-Identifier: MIT
   tests/unit/test_emit.c - emitters and sinks: counts, positions, times, totals, restarts.
   reads   runtime/emit      writes  nothing
   memory  small worlds      cost    about a second
   after   own design: rational accumulators */
#include "test.h"
#include "emit_help.h"
#include "solve/solve.h"
#include "step/step.h"
#include <math.h>
#include <string.h>

static uint64_t born_of(const test_world *made, tp_emitter emitter)
{
    uint64_t born = 0;
    CHECK(tp_emitter_count(made->world, emitter, &born, NULL) == TP_OK);
    return born;
}

/* ---- counts ---- */

static void a_rate_gives_exactly_its_count_at_any_frame_rate(void)
{
    static const uint32_t rates[5][2] = {{30, 1}, {60, 1}, {144, 1}, {24000, 1001}, {1, 2}};
    for (uint32_t r = 0; r < 5; r++) {
        for (uint32_t substeps = 1; substeps <= 7; substeps += 3) {
            tp_world_def def = emit_scene(2, 1000);
            def.frames_per_second_numerator = rates[r][0];
            def.frames_per_second_denominator = rates[r][1];
            def.substeps.count = substeps;
            test_world made = test_world_make(&def);
            tp_emitter_def jet = tp_emitter_default();
            jet.rate_numerator = 75;
            jet.rate_denominator = 2;
            tp_emitter emitter = emit_add(&made, &jet);
            uint32_t frames = 8u * rates[r][0] / rates[r][1];
            for (uint32_t f = 1; f <= frames; f++) {
                test_world_frames(made.world, 1);
                uint64_t expected = 75ull * f * rates[r][1] / (2ull * rates[r][0]);
                CHECK_EQ(born_of(&made, emitter), expected);
            }
            if (r < 3) CHECK_EQ(tp_world_view(made.world).count, 300);
            test_world_free(&made);
        }
    }
}

static void a_lifetime_holds_the_population_steady(void)
{
    for (uint32_t rate = 7; rate < 1000; rate = rate * 3 + 1) {
        tp_world_def def = emit_scene(2, 2000);
        def.substeps.count = 1 + rate % 3;
        test_world made = test_world_make(&def);
        tp_emitter_def jet = tp_emitter_default();
        jet.rate_numerator = rate;
        jet.lifetime_ticks = 45u * TP_TICKS_PER_FRAME; /* 0.75 s */
        emit_add(&made, &jet);
        test_world_frames(made.world, 60);
        for (uint32_t f = 0; f < 60; f++) {
            test_world_frames(made.world, 1);
            CHECK_NEAR(tp_world_view(made.world).count, rate * 0.75, 1.0);
        }
        test_world_free(&made);
    }
}

static void bursts_totals_starts_and_stops_are_kept(void)
{
    test_world made = emit_world(3, 1000);
    tp_emitter_def jet = tp_emitter_default();
    jet.rate_numerator = 60;
    jet.burst_count = 10;
    jet.start_frame = 3;
    jet.stop_frame = 20;
    tp_emitter windowed = emit_add(&made, &jet);
    jet.start_frame = jet.stop_frame = 0;
    jet.total_max = 25;
    tp_emitter limited = emit_add(&made, &jet);
    jet.total_max = 4; /* less than the burst */
    tp_emitter tiny = emit_add(&made, &jet);
    for (uint32_t f = 1; f <= 40; f++) {
        test_world_frames(made.world, 1);
        CHECK_EQ(born_of(&made, windowed), f <= 3 ? 0 : f <= 20 ? 10 + f - 3 : 27);
        CHECK_EQ(born_of(&made, limited), f < 15 ? 10 + f : 25);
        CHECK_EQ(born_of(&made, tiny), 4);
    }
    test_world_free(&made);
}

static void births_without_room_are_refused_and_counted(void)
{
    for (uint32_t room = 1; room <= 12; room += 11) {
        test_world made = emit_world(2, room);
        tp_emitter_def jet = tp_emitter_default();
        jet.rate_numerator = 120;
        jet.burst_count = 11;
        tp_emitter emitter = emit_add(&made, &jet);
        uint64_t born = 0, refused = 0;
        test_world_frames(made.world, 10);
        CHECK(tp_emitter_count(made.world, emitter, &born, &refused) == TP_OK);
        CHECK(born == room && born + refused == 31);
        CHECK_EQ(tp_world_report(made.world).pools[TP_POOL_PARTICLES].refused, refused);
        test_world_free(&made);
    }
}

/* ---- times and positions ---- */

static void the_gaps_of_a_stream_are_all_equal(void)
{
    for (uint32_t rate = 5; rate <= 3000; rate = rate * 4 + 3) {
        tp_world_def def = emit_scene(2, 4000);
        def.frames_per_second_numerator = 30;
        def.integrator = TP_INTEGRATOR_KDK;
        test_world made = test_world_make(&def);
        tp_emitter_def jet = tp_emitter_default();
        jet.rate_numerator = rate;
        jet.velocity = (tp_vector){2.0f, 0, 0};
        emit_add(&made, &jet);
        test_world_frames(made.world, 30);
        tp_view view = tp_world_view(made.world);
        CHECK_EQ(view.count, rate);
        for (uint32_t i = 1; i < view.count; i++)
            CHECK_NEAR(view.x[i - 1] - view.x[i], 2.0 / rate, 2e-6);
        test_world_free(&made);
    }
}

static void a_moving_emitter_leaves_a_trail_without_clumps(void)
{
    test_world made = emit_world(3, 1000);
    tp_emitter_def jet = tp_emitter_default();
    jet.rate_numerator = 600;
    tp_emitter emitter = emit_add(&made, &jet);
    for (uint32_t f = 1; f <= 20; f++) {
        tp_pose pose = {{0.1f * (float)f, 0, 0}, {1, 0, 0, 0}};
        CHECK(tp_emitter_move(made.world, emitter, pose) == TP_OK);
        test_world_frames(made.world, 1);
    }
    tp_view view = tp_world_view(made.world);
    CHECK_EQ(view.count, 200);
    for (uint32_t i = 0; i < view.count; i++) {
        CHECK_NEAR(view.x[i], 0.01 * (i + 1), 2e-6);
        CHECK(view.vx[i] == 0.0f);
    }
    test_world_free(&made);
}

/* Normalised linear interpolation (nlerp) does not rotate at constant speed. A birth inherits the
   angular velocity at its own time. */
static void check_inherited_velocity(float sign)
{
    test_world made = emit_world(2, 1000);
    tp_emitter_def jet = tp_emitter_default();
    jet.shape = TP_EMITTER_SEGMENT; /* along local x */
    jet.size.x = 1.0f;
    jet.rate_numerator = 3600;
    jet.inherit = 1.0f;
    tp_emitter emitter = emit_add(&made, &jet);
    const double turn = 0.8; /* radians in a frame of 1/60 s */
    tp_pose pose = {{0.05f, 0, 0},
                    {sign * (float)cos(turn / 2), 0, 0, sign * (float)sin(turn / 2)}};
    CHECK(tp_emitter_move(made.world, emitter, pose) == TP_OK);
    tpi_step_begin(made.world, TP_TICKS_PER_FRAME);
    for (uint32_t n = 1; n <= 60; n++) {
        tpi_birth birth;
        if (!CHECK(tpi_emit_next(made.world, &birth))) break;
        double f = n / 60.0, half = atan2(f * sin(turn / 2), 1.0 - f + f * cos(turn / 2)), h = 1e-4;
        double after = atan2((f + h) * sin(turn / 2), 1.0 - f - h + (f + h) * cos(turn / 2));
        double rate = (after - half) / h * 2.0 * 60.0; /* radians per second */
        double arm_x = (double)birth.position.x - 0.05 * f, arm_y = (double)birth.position.y;
        CHECK_NEAR(birth.fraction, f, 1e-6);
        CHECK_NEAR(arm_y * cos(2 * half) - arm_x * sin(2 * half), 0.0, 1e-6);
        CHECK_NEAR(birth.velocity.x, 0.05 * 60 - rate * arm_y, 0.02);
        CHECK_NEAR(birth.velocity.y, rate * arm_x, 0.02);
    }
    test_world_free(&made);
}

static void births_inherit_the_velocity_of_a_moving_turning_emitter(void)
{
    check_inherited_velocity(1.0f);
    check_inherited_velocity(-1.0f); /* the same rotation by the opposite quaternion */
}

static void a_lattice_fills_its_box_from_the_lowest_corner_x_first(void)
{
    test_world made = emit_world(3, 2000);
    tp_emitter_def block = tp_emitter_default();
    block.shape = TP_EMITTER_BOX;
    block.pose.position = (tp_vector){1, 2, 3};
    block.size = (tp_vector){0.15f, 0.3f, 0.1f}; /* 0.3f / 0.1f is a little below 3 */
    block.lattice_spacing = 0.1f;
    block.burst_count = 4 * 7 * 3 + 1;
    CHECK(tp_emitter_check(made.world, &block) != NULL);
    block.burst_count--;
    emit_add(&made, &block);
    test_world_frames(made.world, 1);
    tp_view view = tp_world_view(made.world);
    CHECK_EQ(view.count, 84);
    for (uint32_t i = 0; i < view.count; i++) {
        CHECK_NEAR(view.x[i], 0.85 + 0.1 * (i % 4), 1e-6);
        CHECK_NEAR(view.y[i], 1.7 + 0.1 * (i / 4 % 7), 1e-6);
        CHECK_NEAR(view.z[i], 2.9 + 0.1 * (i / 28), 1e-6);
    }
    test_world_free(&made);
}

/* Size and spacing as decimal numbers: their quotient in floats is often slightly below the whole
   number. */
static void r_14_a_quotient_just_below_a_whole_number_is_not_cut(void)
{
    test_world made = emit_world(2, 4);
    tp_emitter_def block = tp_emitter_default();
    uint32_t below = 0;
    for (uint32_t s = 1; s < 100; s++) {
        for (uint32_t k = 1; k < 100; k++) {
            uint32_t counts[3];
            block.lattice_spacing = (float)(s / 100.0);
            block.size.x = block.size.y = (float)(s * k / 200.0);
            below += 2.0f * block.size.x / block.lattice_spacing < (float)k;
            tpi_emitter_lattice(made.world, block.size, block.lattice_spacing, counts);
            CHECK(counts[0] == k + 1 && counts[1] == k + 1 && counts[2] == 1);
        }
    }
    CHECK(below > 100);
    test_world_free(&made);
}

static void no_two_births_are_alike(void)
{
    test_world made = emit_world(3, 200);
    tp_emitter_def jet = tp_emitter_default();
    jet.shape = TP_EMITTER_BOX;
    jet.size = (tp_vector){1, 1, 1};
    jet.rate_numerator = 120;
    tp_emitter emitter = emit_add(&made, &jet);
    test_world_frames(made.world, 40);
    CHECK(tp_emitter_remove(made.world, emitter) == TP_OK);
    emit_add(&made, &jet); /* gets the same slot */
    test_world_frames(made.world, 40);
    tp_view view = tp_world_view(made.world);
    CHECK_EQ(view.count, 160);
    for (uint32_t i = 0; i < view.count; i++)
        for (uint32_t j = 0; j < i; j++) CHECK(view.x[i] != view.x[j] || view.y[i] != view.y[j]);
    test_world_free(&made);
}

static void lattices_of_any_size_stay_in_the_box(void)
{
    uint32_t state = 8;
    for (uint32_t n = 0; n < 2000; n++) {
        tp_world_def def = emit_scene(2 + n % 2, 1);
        test_world made = test_world_make(&def);
        tp_emitter_def block = tp_emitter_default();
        block.shape = TP_EMITTER_BOX;
        block.size = (tp_vector){test_random(&state), test_random(&state), test_random(&state)};
        block.lattice_spacing = 0.01f + test_random(&state);
        uint32_t counts[3];
        tpi_emitter_lattice(made.world, block.size, block.lattice_spacing, counts);
        uint32_t last = counts[0] * counts[1] * counts[2] - 1u;
        tp_vector high =
            tpi_emitter_lattice_position(made.world, block.size, block.lattice_spacing, last);
        float slack = 0.002f * block.lattice_spacing;
        CHECK(high.x <= block.size.x + slack && high.y <= block.size.y + slack);
        CHECK(high.x + block.lattice_spacing > block.size.x - slack &&
              high.y + block.lattice_spacing > block.size.y - slack);
        if (def.dimensions == 3)
            CHECK(high.z <= block.size.z + slack);
        else
            CHECK_EQ(counts[2], 1);
        test_world_free(&made);
    }
}

static bool shape_holds(tp_emitter_shape shape, tp_vector p, uint32_t dimensions)
{
    const float slack = 1e-6f;
    switch (shape) {
    case TP_EMITTER_POINT: return tpi_dot(p, p) == 0.0f;
    case TP_EMITTER_SEGMENT: return tpi_abs(p.x) <= 0.5f && p.y == 0.0f && p.z == 0.0f;
    case TP_EMITTER_DISC:
        return p.y == 0.0f && tpi_length(p) <= 0.5f + slack && (dimensions == 3 || p.z == 0.0f);
    case TP_EMITTER_SPHERE: return tpi_length(p) <= 0.5f + slack;
    case TP_EMITTER_BOX:
        return tpi_abs(p.x) <= 0.5f && tpi_abs(p.y) <= 1.0f && tpi_abs(p.z) <= 2.0f;
    case TP_EMITTER_MESH:
        return p.x >= 0.0f && p.x <= 2.0f && p.y >= 0.0f && p.y <= 1.0f && p.z >= 0.0f &&
               p.z <= 3.0f;
    }
    return false;
}

static void births_lie_on_their_shape_and_in_the_plane_in_2d(void)
{
    for (uint32_t n = 0; n < 12; n++) {
        tp_world_def def = emit_scene(2 + n % 2, 500);
        def.geometry_bytes_max = 1024;
        test_world made = test_world_make(&def);
        tp_emitter_def jet = n / 2 == TP_EMITTER_MESH ? emit_mesh() : tp_emitter_default();
        jet.shape = (tp_emitter_shape)(n / 2);
        jet.size = (tp_vector){0.5f, 1.0f, 2.0f};
        jet.burst_count = 500;
        emit_add(&made, &jet);
        tpi_step_begin(made.world, TP_TICKS_PER_FRAME);
        tpi_birth birth;
        uint32_t births = 0;
        float farthest = 0.0f;
        while (tpi_emit_next(made.world, &birth)) {
            test_note("shape %u in %u dimensions", n / 2, def.dimensions);
            CHECK(shape_holds(jet.shape, birth.position, def.dimensions));
            if (def.dimensions == 2) CHECK(birth.position.z == 0.0f && birth.velocity.z == 0.0f);
            CHECK(birth.fraction == 0.0f);
            farthest = tpi_max(farthest, tpi_length(birth.position));
            births++;
        }
        CHECK_EQ(births, 500);
        if (jet.shape != TP_EMITTER_POINT) CHECK(farthest > 0.45f);
        test_world_free(&made);
    }
}

/* Areas 1, 1, 0 and 1.5: each share is within 4 sigma; the mean over the rectangle is its
   centre. */
static void a_mesh_is_covered_by_area(void)
{
    enum { COUNT = 40000 };
    tp_world_def def = emit_scene(3, 1);
    def.geometry_bytes_max = 1024;
    test_world made = test_world_make(&def);
    tp_emitter_def jet = emit_mesh();
    jet.burst_count = COUNT;
    emit_add(&made, &jet);
    tpi_step_begin(made.world, TP_TICKS_PER_FRAME);
    tpi_birth birth;
    uint32_t upper = 0, side = 0;
    double x = 0.0, y = 0.0;
    while (tpi_emit_next(made.world, &birth)) {
        if (birth.position.x == 0.0f && birth.position.z > 0.0f)
            side++;
        else {
            upper += birth.position.y > 0.5f * birth.position.x;
            x += (double)birth.position.x;
            y += (double)birth.position.y;
        }
    }
    double flat = COUNT - (double)side;
    CHECK_NEAR(side, COUNT * 1.5 / 3.5, 4.0 * sqrt(COUNT * 0.25));
    CHECK_NEAR(upper, flat / 2.0, 4.0 * sqrt(flat / 4.0));
    CHECK_NEAR(x / flat, 1.0, 4.0 * sqrt(4.0 / 12.0 / flat));
    CHECK_NEAR(y / flat, 0.5, 4.0 * sqrt(1.0 / 12.0 / flat));
    test_world_free(&made);
}

static void meshes_share_the_geometry_pool_and_give_it_back(void)
{
    tp_world_def def = emit_scene(3, 64);
    tp_emitter_def jet = emit_mesh();
    const uint32_t bytes = 5 * 12 + 4 * 16;
    def.geometry_bytes_max = 2 * bytes;
    test_world made = test_world_make(&def);
    jet.burst_count = 8;
    tp_emitter a = emit_add(&made, &jet), b = emit_add(&made, &jet), c = {5};
    CHECK(tp_emitter_add(made.world, &jet, &c) == TP_ERROR_FULL && c.id == 0);
    CHECK_EQ(tp_world_report(made.world).pools[TP_POOL_GEOMETRY].refused, 1);
    CHECK(tp_emitter_remove(made.world, a) == TP_OK); /* b's mesh moves to a lower offset */
    CHECK_EQ(made.world->geometry_used, bytes);
    test_world_frames(made.world, 1);
    CHECK_EQ(born_of(&made, b), 8);
    tp_view view = tp_world_view(made.world);
    for (uint32_t i = 0; i < view.count; i++)
        CHECK(shape_holds(TP_EMITTER_MESH, (tp_vector){view.x[i], view.y[i], view.z[i]}, 3));
    c = emit_add(&made, &jet);
    CHECK(tp_emitter_remove(made.world, b) == TP_OK && tp_emitter_remove(made.world, c) == TP_OK);
    CHECK_EQ(made.world->geometry_used, 0);
    def.geometry_bytes_max = 2 * bytes;
    def.emitters_max = 1;
    test_world narrow = test_world_make(&def);
    emit_add(&narrow, &jet);
    CHECK(tp_emitter_add(narrow.world, &jet, &c) == TP_ERROR_FULL);
    CHECK_EQ(narrow.world->geometry_used, bytes); /* the refused add uses no geometry memory */
    test_world_free(&narrow);
    test_world_free(&made);
}

static void jitter_stays_within_its_length(void)
{
    test_world made = emit_world(3, 1);
    tp_emitter_def jet = tp_emitter_default();
    jet.burst_count = 3000;
    jet.velocity = (tp_vector){1, 2, 3};
    jet.velocity_jitter = 0.5f;
    jet.position_jitter = 0.25f;
    emit_add(&made, &jet);
    tpi_step_begin(made.world, TP_TICKS_PER_FRAME);
    tpi_birth birth;
    float place = 0.0f, speed = 0.0f;
    while (tpi_emit_next(made.world, &birth)) {
        place = tpi_max(place, tpi_length(birth.position));
        speed = tpi_max(speed, tpi_length(tpi_sub(birth.velocity, jet.velocity)));
    }
    CHECK(place <= 0.25001f && place > 0.24f && speed <= 0.50001f && speed > 0.48f);
    test_world_free(&made);
}

/* ---- independence and restarts ---- */

static void another_emitter_changes_nothing_in_the_first(void)
{
    tp_world_def def = emit_scene(3, 1000);
    test_world alone = test_world_make(&def), both = test_world_make(&def);
    tp_emitter_def a = emit_lively(0), b = emit_lively(5);
    emit_add(&alone, &a);
    emit_add(&both, &a);
    b.rate_numerator = 1234;
    emit_add(&both, &b);
    test_world_frames(alone.world, 30);
    test_world_frames(both.world, 30);
    tp_view one = tp_world_view(alone.world), two = tp_world_view(both.world);
    uint32_t matched = 0;
    for (uint32_t i = 0; i < two.count; i++) {
        if (TP_META_EMITTER(two.meta[i]) != 1) continue;
        if (!CHECK(matched < one.count)) break;
        CHECK(one.x[matched] == two.x[i] && one.y[matched] == two.y[i] &&
              one.z[matched] == two.z[i]);
        CHECK(one.vx[matched] == two.vx[i] && one.birth[matched] == two.birth[i]);
        matched++;
    }
    CHECK_EQ(matched, one.count);
    CHECK(two.count > one.count);
    test_world_free(&alone);
    test_world_free(&both);
}

static test_world lively_world(uint32_t particles, uint32_t slice)
{
    tp_world_def def = emit_scene(2, particles);
    def.slice_units = slice;
    def.substeps.count = 2;
    test_world made = test_world_make(&def);
    tp_emitter_def a = emit_lively(0), b = emit_lively(2);
    b.lifetime_ticks = 10u * TP_TICKS_PER_FRAME;
    b.lifetime_jitter = 0.7f;
    b.total_max = 90;
    emit_add(&made, &a);
    emit_add(&made, &b);
    return made;
}

/* A step is cancelled after every possible number of slices, and started again. */
static void a_cancelled_step_leaves_no_trace(void)
{
    /* with and without refused births */
    for (uint32_t particles = 60; particles <= 400; particles += 340) {
        test_world straight = lively_world(particles, 2048), torn = lively_world(particles, 64);
        uint32_t cuts = 0;
        for (uint32_t frame = 0; frame < 30; frame++) {
            test_world_frames(straight.world, 1);
            for (uint32_t cut = 0; cut < 12; cut++) {
                uint32_t used;
                tp_stage stage;
                bool done = false;
                if (!torn.world->step.active)
                    tpi_step_begin(torn.world, tpi_substep_ticks(torn.world));
                for (uint32_t slice = 0; slice < cut && !done; slice++)
                    done = tpi_step_advance(torn.world, NULL, 7, &used, &stage);
                if (done) continue;
                tpi_step_cancel(torn.world);
                cuts++;
            }
            while (torn.world->clock.frame < straight.world->clock.frame) {
                uint32_t used;
                tp_stage stage;
                tpi_step_begin(torn.world, tpi_substep_ticks(torn.world));
                while (!tpi_step_advance(torn.world, NULL, 7, &used, &stage)) {}
            }
            CHECK_EQ(tp_world_hash(torn.world), tp_world_hash(straight.world));
            for (uint32_t slot = 0; slot < 2; slot++) {
                const tpi_emitter_item *s = tpi_emitter_at(straight.world, slot),
                                       *t = tpi_emitter_at(torn.world, slot);
                CHECK(s->born == t->born && s->refused == t->refused && s->owed == t->owed);
            }
        }
        CHECK(cuts > 100);
        test_world_free(&straight);
        test_world_free(&torn);
    }
}

static void the_plan_is_what_happens(void)
{
    test_world made = lively_world(4000, 2048);
    for (uint32_t step = 0; step < 100; step++) {
        uint32_t births = 0;
        tpi_birth birth;
        tpi_step_begin(made.world, 1u + 7000u * step);
        uint32_t plan = tpi_emit_plan(made.world);
        while (tpi_emit_next(made.world, &birth)) births++;
        CHECK_EQ(births, plan);
        tpi_emit_end(made.world);
        made.world->clock.tick = (made.world->clock.tick + 1u + 7000u * step) % TP_TICKS_PER_FRAME;
    }
    test_world_free(&made);
}

/* ---- sinks ---- */

static uint32_t taken(const tp_sink_def *def, uint32_t dimensions, tp_vector place,
                      uint32_t species)
{
    tp_world_def settings = emit_scene(dimensions, 4);
    settings.species_count = 2;
    test_world made = test_world_make(&settings);
    tp_sink sink;
    const char *text = tp_sink_check(made.world, def);
    test_note("%s", text ? text : "");
    CHECK(tp_sink_add(made.world, def, &sink) == TP_OK);
    CHECK(tp_particle_add(made.world, place, (tp_vector){0, 0, 0}, species, NULL) == TP_OK);
    test_world_frames(made.world, 1);
    uint32_t died = 1u - tp_world_view(made.world).count;
    CHECK_EQ(tp_world_report(made.world).died, died);
    test_world_free(&made);
    return died;
}

static void sinks_take_what_lies_in_them_and_of_their_species(void)
{
    tp_sink_def plane = tp_sink_default(), box = plane, ball = plane;
    plane.normal = (tp_vector){0, 0.6f, 0.8f};
    plane.offset = 1.0f;
    CHECK_EQ(taken(&plane, 3, (tp_vector){5, 1, 0}, 0), 1);
    CHECK_EQ(taken(&plane, 3, (tp_vector){5, 1, 0.6f}, 0), 0);
    plane.species_mask = 2;
    CHECK_EQ(taken(&plane, 3, (tp_vector){5, 1, 0}, 0), 0);
    CHECK_EQ(taken(&plane, 3, (tp_vector){5, 1, 0}, 1), 1);
    box.shape = TP_SINK_BOX;
    box.center = (tp_vector){1, 1, 50};
    box.half = (tp_vector){0.5f, 0.25f, 0.0f};
    for (uint32_t inverted = 0; inverted < 2; inverted++) {
        box.is_inverted = ball.is_inverted = inverted == 1;
        CHECK_EQ(taken(&box, 2, (tp_vector){1.4f, 1.2f, 0}, 0), !inverted);
        CHECK_EQ(taken(&box, 2, (tp_vector){1.4f, 1.3f, 0}, 0), inverted);
        CHECK_EQ(taken(&box, 3, (tp_vector){1.4f, 1.2f, 0}, 0), inverted);
        ball.shape = TP_SINK_SPHERE;
        ball.radius = 2.0f;
        CHECK_EQ(taken(&ball, 3, (tp_vector){1, 1, 1}, 0), !inverted);
        CHECK_EQ(taken(&ball, 3, (tp_vector){1.2f, 1.2f, 1.2f}, 0), inverted);
    }
}

/* Of n particles n exp(-rate t) are left after t, to four standard deviations; at any number of
   steps, and where the rate is that of a step. */
static void a_sink_with_a_rate_takes_a_share_per_second(void)
{
    static const float rates[6] = {0.0f, 0.3f, 2.0f, 40.0f, TP_SINK_AT_ONCE, 60.0f};
    for (uint32_t k = 0; k < 12; k++) {
        const float rate = rates[k % 6u];
        const uint32_t frames = k % 6u == 5u ? 1 : 60;
        tp_world_def def = emit_scene(2, 4000);
        tp_sink_def ball = tp_sink_default();
        tp_sink sink;
        uint32_t inside = 0;
        def.substeps.count = 1 + 3 * (k / 6u);
        test_world made = test_world_make(&def);
        ball.shape = TP_SINK_SPHERE;
        ball.rate = rate;
        CHECK(tp_sink_add(made.world, &ball, &sink) == TP_OK);
        for (uint32_t i = 0; i < 4000; i++) { /* every other one is outside */
            tp_vector at = {0.001f * (float)(i % 700) + (i & 1u ? 0.0f : 2.0f), 0, 0};
            CHECK(tp_particle_add(made.world, at, (tp_vector){0}, 0, NULL) == TP_OK);
        }
        test_world_frames(made.world, frames);
        tp_view view = tp_world_view(made.world);
        for (uint32_t i = 0; i < view.count; i++) inside += view.x[i] < 1.0f;
        double left = exp(-(double)rate * frames / 60), wanted = 2000 * left;
        CHECK_EQ(view.count - inside, 2000);
        CHECK(fabs(inside - wanted) <= 4 * sqrt(wanted * (1 - left)));
        CHECK_EQ(tp_world_report(made.world).died, 2000 - inside);
        test_world_free(&made);
    }
}

static void a_sink_by_age_takes_at_that_age(void)
{
    test_world made = emit_world(2, 4);
    tp_sink_def age = tp_sink_default();
    tp_sink sink;
    age.shape = TP_SINK_AGE;
    age.age_ticks = 5u * TP_TICKS_PER_FRAME;
    CHECK(tp_sink_add(made.world, &age, &sink) == TP_OK);
    for (uint32_t k = 0; k < 2; k++)
        CHECK(tp_particle_add(made.world, (tp_vector){0, 0, 0}, (tp_vector){0, 0, 0}, 0, NULL) ==
              TP_OK);
    test_world_frames(made.world, 5);
    CHECK_EQ(tp_world_view(made.world).count, 2); /* exactly at the limit of age, not above */
    test_world_frames(made.world, 1);
    CHECK_EQ(tp_world_view(made.world).count, 0);
    test_world_free(&made);
}

/* Without any sink, for a solver with pairs as well. */
static void a_lifetime_ends_in_a_fluid(void)
{
    tp_world_def def = emit_scene(2, 400);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    test_world made = test_world_make(&def);
    tp_emitter_def jet = tp_emitter_default();
    jet.rate_numerator = 60;
    jet.lifetime_ticks = 10u * TP_TICKS_PER_FRAME;
    tp_emitter emitter = emit_add(&made, &jet);
    test_world_frames(made.world, 40);
    CHECK_EQ(born_of(&made, emitter), 40);
    CHECK(tp_world_view(made.world).count <= 11);
    test_world_free(&made);
}

/* Ages wrap after 2^32 ticks, which are 5959.27 frames. */
static void ages_survive_the_wrap_of_the_tick_counter(void)
{
    test_world made = emit_world(2, 400);
    tp_emitter_def jet = tp_emitter_default();
    jet.rate_numerator = 60;
    jet.lifetime_ticks = 100u * TP_TICKS_PER_FRAME;
    emit_add(&made, &jet);
    made.world->clock.frame = made.world->target_frame = 5859;
    for (uint32_t f = 0; f < 300; f++) {
        test_world_frames(made.world, 1);
        CHECK_EQ(tp_world_view(made.world).count, f < 99 ? f + 1 : 100);
    }
    test_world_free(&made);
}

/* 2^32 ticks are 5959.27 frames. */
static void an_age_above_2_to_the_32_ticks_counts_from_0_again(void)
{
    test_world made = emit_world(2, 1);
    tp_sink sink;
    tp_sink_def old = tp_sink_default();
    old.shape = TP_SINK_AGE;
    old.age_ticks = 10u * TP_TICKS_PER_FRAME;
    CHECK(tp_particle_add(made.world, (tp_vector){0, 0, 0}, (tp_vector){0, 0, 0}, 0, NULL) ==
          TP_OK);
    test_world_frames(made.world, 5965); /* its age is then 5.7 frames */
    CHECK(tp_sink_add(made.world, &old, &sink) == TP_OK);
    test_world_frames(made.world, 4);
    CHECK_EQ(tp_world_view(made.world).count, 1);
    test_world_frames(made.world, 2);
    CHECK_EQ(tp_world_view(made.world).count, 0);
    test_world_free(&made);
}

static void lifetimes_are_shortened_evenly_up_to_the_jitter(void)
{
    enum { COUNT = 2000 };
    test_world made = emit_world(2, COUNT);
    tp_emitter_def jet = tp_emitter_default();
    jet.burst_count = COUNT;
    jet.lifetime_ticks = 100u * TP_TICKS_PER_FRAME;
    jet.lifetime_jitter = 0.5f;
    emit_add(&made, &jet);
    for (uint32_t f = 1; f <= 100; f++) {
        test_world_frames(made.world, 1);
        double expected = f <= 50 ? COUNT : COUNT * (100.0 - f) / 50.0;
        CHECK_NEAR(tp_world_view(made.world).count, expected,
                   f < 50 || f == 100 ? 0.0 : 4.0 * sqrt(COUNT / 4.0));
    }
    test_world_free(&made);
}

static void a_lifetime_rules_only_the_births_of_its_own_emitter(void)
{
    test_world made = emit_world(2, 100);
    tp_emitter_def jet = tp_emitter_default();
    jet.burst_count = 10;
    tp_emitter old = emit_add(&made, &jet);
    test_world_frames(made.world, 1);
    CHECK(tp_emitter_remove(made.world, old) == TP_OK);
    jet.lifetime_ticks = TP_TICKS_PER_FRAME;
    tp_emitter young = emit_add(&made, &jet);
    CHECK_EQ(young.id & 0xffffu, old.id & 0xffffu); /* the same slot */
    test_world_frames(made.world, 1);
    CHECK_EQ(tp_world_view(made.world).count, 20);
    test_world_frames(made.world, 3);
    CHECK_EQ(tp_world_view(made.world).count, 10);
    test_world_free(&made);
}

/* Removed emitters have no handle and no births, but their particles die when they would have; then
   their slots are free. A full pool gives the slot of the one that ends first. */
static void particles_of_a_removed_emitter_keep_their_lifetimes(void)
{
    tp_world_def def = emit_scene(2, 100);
    def.emitters_max = 2;
    test_world made = test_world_make(&def), kept = test_world_make(&def);
    tp_emitter_def jet = tp_emitter_default();
    jet.rate_numerator = 60;
    jet.lifetime_ticks = 10 * TP_TICKS_PER_FRAME;
    jet.lifetime_jitter = 0.5f;
    tp_emitter old = emit_add(&made, &jet), other = emit_add(&kept, &jet), next;
    CHECK(old.id == other.id);
    test_world_frames(made.world, 20);
    test_world_frames(kept.world, 20);
    CHECK(tp_emitter_remove(made.world, old) == TP_OK);
    CHECK(tp_emitter_remove(made.world, old) == TP_ERROR_HANDLE);
    for (uint32_t frame = 0; frame < 10; frame++) {
        tp_block_fault fault = {0, NULL};
        tp_view view = tp_world_view(made.world), same = tp_world_view(kept.world);
        uint32_t alive = 0;
        for (uint32_t i = 0; i < same.count; i++) alive += same.id[i] < 20;
        test_note("frame %u", frame);
        CHECK_EQ(view.count, alive);
        CHECK_EQ(made.world->emitters.used, 1);
        CHECK(tp_world_verify(made.world, made.bytes, &fault, &made.world) == TP_OK);
        test_world_frames(made.world, 1);
        test_world_frames(kept.world, 1);
    }
    CHECK_EQ(tp_world_view(made.world).count, 0);
    CHECK_EQ(made.world->emitters.used, 0);
    jet = tp_emitter_default();
    jet.burst_count = 3;
    jet.lifetime_ticks = 10 * TP_TICKS_PER_FRAME;
    for (uint32_t k = 0; k < 4; k++) {
        test_note("emitter %u", k);
        next = emit_add(&made, &jet);
        test_world_frames(made.world, 1);
        CHECK(tp_emitter_remove(made.world, next) == TP_OK);
    }
    test_world_frames(made.world, 12);
    CHECK_EQ(tp_world_view(made.world).count, 0); /* also of the two whose slots were taken */
    CHECK_EQ(made.world->emitters.used, 0);
    test_world_free(&made);
    test_world_free(&kept);
}

static const test_case cases[] = {
    TEST_CASE(particles_of_a_removed_emitter_keep_their_lifetimes),
    TEST_CASE(a_rate_gives_exactly_its_count_at_any_frame_rate),
    TEST_CASE(a_lifetime_holds_the_population_steady),
    TEST_CASE(bursts_totals_starts_and_stops_are_kept),
    TEST_CASE(births_without_room_are_refused_and_counted),
    TEST_CASE(the_gaps_of_a_stream_are_all_equal),
    TEST_CASE(a_moving_emitter_leaves_a_trail_without_clumps),
    TEST_CASE(births_inherit_the_velocity_of_a_moving_turning_emitter),
    TEST_CASE(a_lattice_fills_its_box_from_the_lowest_corner_x_first),
    TEST_CASE(r_14_a_quotient_just_below_a_whole_number_is_not_cut),
    TEST_CASE(no_two_births_are_alike),
    TEST_CASE(lattices_of_any_size_stay_in_the_box),
    TEST_CASE(births_lie_on_their_shape_and_in_the_plane_in_2d),
    TEST_CASE(a_mesh_is_covered_by_area),
    TEST_CASE(meshes_share_the_geometry_pool_and_give_it_back),
    TEST_CASE(jitter_stays_within_its_length),
    TEST_CASE(another_emitter_changes_nothing_in_the_first),
    TEST_CASE(a_cancelled_step_leaves_no_trace),
    TEST_CASE(the_plan_is_what_happens),
    TEST_CASE(sinks_take_what_lies_in_them_and_of_their_species),
    TEST_CASE(a_sink_with_a_rate_takes_a_share_per_second),
    TEST_CASE(a_sink_by_age_takes_at_that_age),
    TEST_CASE(a_lifetime_ends_in_a_fluid),
    TEST_CASE(ages_survive_the_wrap_of_the_tick_counter),
    TEST_CASE(an_age_above_2_to_the_32_ticks_counts_from_0_again),
    TEST_CASE(lifetimes_are_shortened_evenly_up_to_the_jitter),
    TEST_CASE(a_lifetime_rules_only_the_births_of_its_own_emitter),
};
TEST_SUITE(emit, cases);
