/* SPDX-License-Identifier: MIT
   tests/solver/main.c - a solver that is added to the built runtime is sliced, hashed, copied and
           cached.
   reads   nothing      writes  one line per claim, then `N passed, M failed`
   memory  two blocks of a world and one of a cache, from the heap      cost  some ms
   after   own design: a step is compared with a sum over all pairs in double precision */
#include "toy.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT  300u
#define FRAMES 40u

static unsigned passed, failed;
static void claim(bool is_good, const char *name)
{
    printf("%s %s\n", is_good ? "ok" : "FAILED", name);
    passed += is_good;
    failed += !is_good;
}

typedef struct toy_world {
    tp_world *world;
    size_t bytes;
} toy_world;

static tp_world_def definition(void)
{
    tp_world_def def = tp_world_default(2);
    def.solver = TOY_SOLVER;
    def.particles_max = COUNT;
    def.species_count = 2;
    def.sph.smoothing_radius = 0.5f;
    return def;
}

/* Random particles in a square of side 3, of two species by turns; the sequence is fixed. */
static toy_world begin(void)
{
    tp_world_def def = definition();
    toy_world made = {NULL, 0};
    uint32_t state = 7;
    if (tp_world_memory(&def, &made.bytes) != TP_OK) return made;
    void *block = aligned_alloc(16, (made.bytes + 15u) / 16u * 16u);
    if (!block || tp_world_create(&def, block, made.bytes, &made.world) != TP_OK) return made;
    for (uint32_t i = 0; i < COUNT; i++) {
        float at[2];
        for (uint32_t axis = 0; axis < 2; axis++) {
            state = state * 1664525u + 1013904223u;
            at[axis] = (float)(state >> 8) / 16777216.0f * 3.0f;
        }
        if (tp_particle_add(made.world, (tp_vector){at[0], at[1], 0}, (tp_vector){0, 0, 0}, i % 2u,
                            NULL) != TP_OK)
            made.world = NULL;
    }
    return made;
}

/* Simulates `count` more frames with `units` per call; 0: without a limit. */
static void frames(tp_world *world, uint32_t count, uint32_t units)
{
    tp_budget budget = {.units = units, .frames_max = 1};
    uint64_t end = tp_world_report(world).frames + count;
    tp_result result = TP_OK;
    while (result >= TP_OK && tp_world_report(world).frames < end)
        result = tp_frame(world, &budget, NULL);
}

static uint64_t hash_after(uint32_t units)
{
    toy_world made = begin();
    frames(made.world, FRAMES, units);
    uint64_t hash = tp_world_hash(made.world);
    free(made.world);
    return hash;
}

/* The impulse of particle i in the first step, summed directly over all other particles. */
static void expected(const tp_view *view, double timestep, uint32_t i, double impulse[2])
{
    impulse[0] = impulse[1] = 0;
    for (uint32_t j = 0; j < view->count; j++) {
        double x = (double)view->x[j] - (double)view->x[i],
               y = (double)view->y[j] - (double)view->y[i];
        double distance = sqrt(x * x + y * y), share = 1 - distance / 0.5;
        if (j == i || share <= 0) continue;
        impulse[0] -= x / distance * share * (double)TOY_SPEED * timestep;
        impulse[1] -= y / distance * share * (double)TOY_SPEED * timestep;
    }
}

static void step_equals_the_sum_over_all_pairs(void)
{
    toy_world before = begin(), after = begin();
    double worst = 0, momentum[2] = {0, 0}, largest = 0;
    tp_report report;
    tp_budget budget = {.frames_max = 1};
    bool is_done = tp_frame(after.world, &budget, &report) == TP_OK;
    double steps = report.steps_in_frame, timestep = 1 / 60.0 / steps;
    tp_view view = tp_world_view(before.world), now = tp_world_view(after.world);
    for (uint32_t i = 0; i < view.count; i++) {
        double impulse[2];
        uint32_t k = 0;
        while (k < now.count && now.id[k] != view.id[i]) k++;
        expected(&view, timestep, i, impulse);
        worst = fmax(worst, fabs((double)now.vx[k] / steps - impulse[0]));
        largest = fmax(largest, fabs(impulse[0]));
        momentum[0] += (double)now.vx[k];
        momentum[1] += (double)now.vy[k];
    }
    printf("   %g steps, worst %.3g of %.3g, momentum %.3g %.3g\n", steps, worst, largest,
           momentum[0], momentum[1]);
    claim(is_done && largest > 0.01 && worst < 0.01 * largest,
          "a_step_equals_the_sum_over_all_pairs");
    claim(fabs(momentum[0]) < 1e-4 && fabs(momentum[1]) < 1e-4, "impulses_are_equal_and_opposite");
    free(before.world), free(after.world);
}

static void copies_go_on_to_the_same_bits(uint64_t hash)
{
    toy_world made = begin();
    tp_budget budget = {.units = 700};
    tp_block_fault fault;
    tp_world *copy = NULL;
    frames(made.world, FRAMES / 2u, 0);
    bool is_begun = tp_frame(made.world, &budget, NULL) == TP_MORE && made.world->step.active;
    claim(is_begun, "a_budget_ends_in_the_midst_of_a_step");
    void *block = aligned_alloc(16, (made.bytes + 15u) / 16u * 16u);
    if (!block) return;
    memcpy(block, made.world, made.bytes);
    frames(tp_world_at(block, made.bytes), FRAMES / 2u, 0);
    claim(tp_world_hash(tp_world_at(block, made.bytes)) == hash, "a_copy_goes_on_to_the_same_bits");
    memcpy(block, made.world, made.bytes);
    claim(tp_world_verify(block, made.bytes, &fault, &copy) == TP_OK, "a_snapshot_is_verified");
    frames(copy, FRAMES / 2u, 0);
    claim(tp_world_hash(copy) == hash, "a_verified_snapshot_goes_on_to_the_same_bits");
    memcpy(block, made.world, made.bytes);
    float wrong = -1.0f;
    memcpy((char *)block + ((tp_world *)block)->arrays.solver, &wrong, sizeof wrong);
    bool is_refused = tp_world_verify(block, made.bytes, &fault, &copy) == TP_ERROR_BLOCK;
    claim(is_refused && strstr(fault.expected, "radius above 0"),
          "the_solver_names_a_fault_in_its_constants");
    free(made.world), free(block);
}

static void caches_rewind_to_the_same_bits(uint64_t hash)
{
    toy_world made = begin();
    tp_source source = tp_world_source(made.world);
    tp_cache_def def = tp_cache_default(&source);
    tp_cache *cache = NULL;
    size_t bytes = 0;
    bool is_good = tp_cache_memory(&def, &bytes) == TP_OK;
    void *block = aligned_alloc(16, (bytes + 15u) / 16u * 16u);
    is_good = is_good && block && tp_cache_create(&def, block, bytes, &cache) == TP_OK;
    for (uint32_t f = 0; f < FRAMES && is_good; f++) {
        is_good = tp_cache_record(cache, &source, NULL) == TP_OK;
        frames(made.world, 1, 0);
    }
    claim(is_good && tp_world_hash(made.world) == hash, "recording_changes_no_bit");
    is_good = is_good && tp_cache_rewind(cache, &source, FRAMES / 4u, false, NULL) == TP_OK;
    claim(is_good && tp_world_hash(made.world) != hash, "a_cache_rewinds");
    frames(made.world, FRAMES - FRAMES / 4u, 0);
    claim(tp_world_hash(made.world) == hash, "a_rewound_world_goes_on_to_the_same_bits");
    free(made.world), free(block);
}

static void definitions_are_checked_by_the_row(void)
{
    tp_world_def def = definition();
    claim(tp_world_check(&def) == NULL, "its_definition_is_good");
    def.dimensions = 3;
    const char *text = tp_world_check(&def);
    claim(text && strstr(text, "dimensions must be 2 with the toy"), "its_own_check_is_asked");
    def = definition();
    def.links_max = 4;
    text = tp_world_check(&def);
    claim(text && strstr(text, "links_max"), "what_it_has_not_is_refused");
    def = definition();
    def.solver = (tp_solver)9;
    text = tp_world_check(&def);
    claim(text && strstr(text, "solver must be"), "a_solver_without_a_row_is_refused");
}

int main(void)
{
    uint64_t hash = hash_after(0);
    step_equals_the_sum_over_all_pairs();
    claim(hash_after(300) == hash && hash_after(4096) == hash, "slices_change_no_bit");
    copies_go_on_to_the_same_bits(hash);
    caches_rewind_to_the_same_bits(hash);
    definitions_are_checked_by_the_row();
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
