/* SPDX-License-Identifier: MIT
   tests/unit/test_scene_fluids.c - shipped scenes of fluids do what their titles say.
   reads   the shipped scenes      writes  nothing
   memory  a block for each scene      cost    seconds; more in make test-long
   after   own design */
#include "common/loop.h"
#include "common/scene.h"
#include "test.h"
#include "world_help.h"
#include <math.h>
#include <string.h>

/* A block falls into a pool of incompressible fluid: nothing is lost, clamped or slowed down, and
   its volume stays: the mean height is that of the fluid at rest, 1 m, once the waves are low. */
static void the_splash_keeps_its_volume(void)
{
    stage opened;
    memset(&opened, 0, sizeof opened);
    if (!CHECK(scene_load(&opened.scene, "splash") == HOST_DONE)) return;
    CHECK(opened.scene.world.sph.formulation == TP_SPH_INCOMPRESSIBLE);
    if (CHECK(stage_open(&opened, 0) == HOST_DONE)) {
        double sum = 0;
        for (uint32_t frame = 0; frame < 300; frame++) {
            test_world_frames(opened.world, 1);
            tp_view view = tp_world_view(opened.world);
            if (frame < 240) continue;
            for (uint32_t i = 0; i < view.count; i++) sum += (double)view.y[i] / view.count / 60;
        }
        tp_report report = tp_world_report(opened.world);
        test_note("mean height %g m", sum);
        CHECK_EQ(report.particles, 2000);
        CHECK_EQ(report.speeds_clamped + report.displacements_clamped, 0);
        CHECK_EQ(report.neighbours_dropped + report.steps_strained, 0);
        CHECK_NEAR(sum, 1, 0.15);
    }
    stage_close(&opened);
}

#define KETTLE_STEAM 1u /* species */

/* K: how much warmer the water between 0.4 and 1 m is above the plate than at the sides. */
static double plume_of(const tp_view *view)
{
    double sums[2] = {0}, counts[2] = {0};
    for (uint32_t i = 0; i < view->count; i++) {
        if (TP_META_SPECIES(view->meta[i]) == KETTLE_STEAM) continue;
        bool is_middle = fabsf(view->x[i] - 1.5f)<0.15f, is_side = fabsf(view->x[i] - 1.5f)> 0.9f;
        if (view->y[i] < 0.4f || view->y[i] > 1.0f || !(is_middle || is_side)) continue;
        sums[is_side] += (double)view->temperature[i];
        counts[is_side]++;
    }
    return sums[0] / counts[0] - sums[1] / counts[1];
}

/* The plate heats the water above it, and after some seconds (`make test-long`) a plume carries
   heat up through the middle. */
static void the_kettle_heats_its_water(void)
{
    stage opened;
    memset(&opened, 0, sizeof opened);
    if (!CHECK(scene_load(&opened.scene, "kettle") == HOST_DONE)) return;
    if (CHECK(stage_open(&opened, 0) == HOST_DONE)) {
        test_world_frames(opened.world, test_is_long() ? 900 : 45);
        tp_view view = tp_world_view(opened.world);
        double hottest = 0, warm = 0, plume = plume_of(&view);
        for (uint32_t i = 0; i < view.count; i++) {
            if (TP_META_SPECIES(view.meta[i]) == KETTLE_STEAM) continue;
            if ((double)view.temperature[i] > hottest) hottest = (double)view.temperature[i];
            warm += view.temperature[i] >= 25;
        }
        tp_report report = tp_world_report(opened.world);
        test_note("hottest %g K, %g particles warmed, plume %g K", hottest, warm, plume);
        CHECK_EQ(report.particles, 1440);
        CHECK_EQ(report.speeds_clamped + report.neighbours_dropped + report.steps_strained, 0);
        CHECK(hottest > 30 && hottest <= 95 && warm >= 20);
        if (test_is_long())
            CHECK(plume > 2.5);
        else
            CHECK(fabs(plume) < 1);
    }
    stage_close(&opened);
}

/* Mean speed upwards, m/s, and temperature of the steam that is between two heights. */
typedef struct kettle_steam {
    double rise, temperature, count;
} kettle_steam;

static kettle_steam steam_of(const tp_view *view, double low, double high)
{
    kettle_steam steam = {0, 0, 0};
    for (uint32_t i = 0; i < view->count; i++) {
        if (TP_META_SPECIES(view->meta[i]) != KETTLE_STEAM || (double)view->y[i] < low ||
            (double)view->y[i] >= high)
            continue;
        steam.count++;
        steam.rise += (double)view->vy[i];
        steam.temperature += (double)view->temperature[i];
    }
    steam.rise /= steam.count;
    steam.temperature /= steam.count;
    return steam;
}

/* Water at the plate becomes steam, which rises through the water as bubbles and then through the
   air, cools, and falls back as drops: the number of particles stays. A kilogram of steam at the
   temperature of the room is lighter than air, too. */
static void steam_rises_from_the_kettle(void)
{
    stage opened;
    memset(&opened, 0, sizeof opened);
    if (!CHECK(scene_load(&opened.scene, "kettle") == HOST_DONE)) return;
    if (CHECK(stage_open(&opened, 0) == HOST_DONE)) {
        test_world_frames(opened.world, test_is_long() ? 900 : 75);
        tp_view view = tp_world_view(opened.world);
        kettle_steam bubbles = steam_of(&view, 0, 1), cloud = steam_of(&view, 1.5, 20);
        test_note("%g bubbles at %g K rise at %g m/s; cloud of %g at %g K, %g m/s", bubbles.count,
                  bubbles.temperature, bubbles.rise, cloud.count, cloud.temperature, cloud.rise);
        CHECK_EQ(view.count, 1440);
        CHECK(bubbles.count > 20 && bubbles.temperature > 40);
        CHECK(bubbles.rise > 0);
        if (test_is_long()) CHECK(cloud.count > 20 && cloud.temperature < 20);
    }
    stage_close(&opened);
}

/* The light cube is at the surface, the heavy block on its way to the floor (`make test-long`: on
   it), and no link is softened. */
static void jelly_floats_and_sinks_in_the_pool(void)
{
    stage opened;
    memset(&opened, 0, sizeof opened);
    if (!CHECK(scene_load(&opened.scene, "jelly_pool") == HOST_DONE)) return;
    if (CHECK(stage_open(&opened, 0) == HOST_DONE)) {
        double heights[4] = {0}, counts[4] = {0};
        test_world_frames(opened.world, test_is_long() ? 480 : 70);
        tp_view view = tp_world_view(opened.world);
        for (uint32_t i = 0; i < view.count; i++) {
            heights[TP_META_SPECIES(view.meta[i])] += (double)view.y[i];
            counts[TP_META_SPECIES(view.meta[i])]++;
        }
        tp_report report = tp_world_report(opened.world);
        test_note("cube at %g m, block at %g m", heights[1] / counts[1], heights[2] / counts[2]);
        CHECK(counts[1] == 100 && counts[2] == 96 && counts[3] == 25);
        CHECK_EQ(report.pools[TP_POOL_LINKS].used, report.pools[TP_POOL_LINKS].capacity);
        CHECK_EQ(report.links_broken + report.links_dropped + report.steps_strained, 0);
        CHECK_NEAR(heights[1] / counts[1], 1.15, 0.15);
        CHECK(heights[2] / counts[2] < (test_is_long() ? 0.25 : 0.6));
    }
    stage_close(&opened);
}

static const test_case cases[] = {
    TEST_CASE(the_splash_keeps_its_volume),
    TEST_CASE(the_kettle_heats_its_water),
    TEST_CASE(steam_rises_from_the_kettle),
    TEST_CASE(jelly_floats_and_sinks_in_the_pool),
};
TEST_SUITE(scene_fluids, cases);
