/* SPDX-License-Identifier: MIT
   tests/physics/test_cloth_split.c - nodes that become two where sheets tear: pieces, triangles,
           spare nodes, the same bits, rewinds.
   reads   runtime/solve/cloth      writes  nothing
   memory  worlds of up to 800 nodes      cost    about one second
   after   own: pieces are counted by union and find over triangles */
#include "cloth_same.h"
#include "cloth_sheets.h"
#include "cloth_splits.h"
#include "test.h"
#include "world_help.h"
#include "solve/cloth/cloth.h"
#include "step/step.h"
#include "jobs_posix/jobs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- pieces ---- */

static uint32_t piece_of(uint32_t *to, uint32_t i)
{
    while (to[i] != i) i = to[i] = to[to[i]];
    return i;
}

typedef struct split_pieces {
    uint32_t triangles, pieces;
    float longest; /* m: an edge of a triangle */
} split_pieces;

/* Ids are indices here. */
static split_pieces split_find(const tp_world *world)
{
    split_pieces found = {0};
    uint32_t corner[3 * SPLIT_TRIANGLES], to[SPLIT_NODES + SPLIT_SPARE];
    const tp_view view = tp_world_view(world);
    CHECK_EQ(tp_cloth_triangles(world, corner, SPLIT_TRIANGLES, &found.triangles), TP_OK);
    for (uint32_t i = 0; i < view.count; i++) to[i] = i;
    for (uint32_t k = 0; k < 3 * found.triangles; k++) {
        const uint32_t a = corner[k], b = corner[k % 3 == 2 ? k - 2 : k + 1];
        CHECK(a < view.count && b < view.count && a != b);
        to[piece_of(to, a)] = piece_of(to, b);
        const tp_vector edge = {view.x[a] - view.x[b], view.y[a] - view.y[b],
                                view.z[a] - view.z[b]};
        found.longest = tpi_max(found.longest, tpi_length(edge));
    }
    for (uint32_t i = 0; i < view.count; i++) found.pieces += piece_of(to, i) == i;
    return found;
}

/* A sheet that is pulled apart becomes pieces, and keeps all triangles: of none an edge is much
   longer than at rest, 0.088 m across a cell. */
static void a_torn_sheet_keeps_its_triangles(void)
{
    for (uint32_t k = 0; k < 2; k++) {
        const tp_world_def def = split_def(SPLIT_SPARE);
        test_world made = split_story(&def, k == 1);
        CHECK_EQ(split_find(made.world).pieces, 1);
        test_world_frames(made.world, 120);
        const split_pieces found = split_find(made.world);
        const tp_cloth_report report = split_report(made.world);
        test_note("%s: %u splits, %u of %u triangles, %u pieces, edges up to %g m, %u broken, "
                  "%u torn",
                  k ? "mesh" : "grid", report.splits, found.triangles, SPLIT_TRIANGLES,
                  found.pieces, (double)found.longest, report.broken,
                  (uint32_t)tp_world_report(made.world).links_broken);
        CHECK_EQ(found.triangles, SPLIT_TRIANGLES);
        CHECK(found.pieces >= 2 && report.splits >= SPLIT_SIDE - 2);
        CHECK(found.longest < 0.12f);
        CHECK_EQ(tp_world_view(made.world).count, SPLIT_NODES + report.splits);
        CHECK_EQ(report.splits_refused, 0);
        test_world_free(&made);
    }
}

/* Each triangle has a constraint along each edge, between its own nodes, as before it tore. */
static void edges_of_torn_meshes_hold_on_both_sides(void)
{
    const tp_world_def def = split_def(SPLIT_SPARE);
    test_world made = split_story(&def, true);
    test_world_frames(made.world, 120);
    const uint32_t *own = made.world->arrays.own,
                   *corner = tpi_words(made.world, own[TPI_CLOTH_TRIANGLE]),
                   *edge = tpi_words(made.world, own[TPI_CLOTH_EDGE]),
                   *first = tpi_words(made.world, own[TPI_CLOTH_FIRST]),
                   *second = tpi_words(made.world, own[TPI_CLOTH_SECOND]);
    CHECK(split_report(made.world).splits > 10);
    for (uint32_t k = 0; k < 3 * SPLIT_TRIANGLES; k++) {
        const uint32_t a = corner[k], b = corner[k % 3 == 2 ? k - 2 : k + 1];
        if (!CHECK(edge[k] != TPI_CLOTH_NO_EDGE)) break;
        CHECK_EQ(first[edge[k]], a < b ? a : b);
        CHECK_EQ(second[edge[k]], a < b ? b : a);
        const float rest = tpi_cloth_made(made.world)[edge[k]];
        CHECK(rest > 0.06f && rest < 0.09f);
    }
    test_world_free(&made);
}

/* No two constraints of a colour share a node. */
static void colours_stay_colours(void)
{
    const tp_world_def def = split_def(SPLIT_SPARE);
    for (uint32_t is_mesh = 0; is_mesh < 2; is_mesh++) {
        test_world made = split_story(&def, is_mesh);
        test_world_frames(made.world, 120);
        const tpi_cloth_head *head = tpi_cloth_head_of(made.world);
        const uint32_t *own = made.world->arrays.own;
        for (uint32_t colour = 0; colour < TPI_CLOTH_COLOURS; colour++) {
            bool is_taken[SPLIT_NODES + SPLIT_SPARE] = {false};
            if (tpi_cloth_is_uncoloured(colour)) continue;
            for (uint32_t k = head->begin[colour]; k < head->begin[colour + 1]; k++) {
                const uint32_t a = tpi_words(made.world, own[TPI_CLOTH_FIRST])[k],
                               b = tpi_words(made.world, own[TPI_CLOTH_SECOND])[k];
                CHECK(!is_taken[a] && !is_taken[b] && a < b && b < made.world->count);
                is_taken[a] = is_taken[b] = true;
            }
        }
        test_world_free(&made);
    }
}

/* Spare nodes that run out: edges break as without them, and are counted. */
static void without_spare_nodes_edges_break(void)
{
    tp_world_def def = split_def(5);
    test_world made = split_story(&def, false);
    test_world_frames(made.world, 120);
    const tp_cloth_report report = split_report(made.world);
    const split_pieces found = split_find(made.world);
    test_note("%u splits, %u refused, %u triangles", report.splits, (uint32_t)report.splits_refused,
              found.triangles);
    CHECK_EQ(report.splits, 5);
    CHECK(report.splits_refused > 5 && report.broken >= report.splits_refused);
    CHECK(found.triangles < SPLIT_TRIANGLES - 5);
    test_world_free(&made);
    def = split_def(50); /* the pool of particles is full */
    def.particles_max = SPLIT_NODES + 7;
    made = split_story(&def, false);
    test_world_frames(made.world, 120);
    CHECK_EQ(split_report(made.world).splits, 7);
    CHECK(split_report(made.world).splits_refused > 0);
    test_world_free(&made);
    def = split_def(50); /* a particle is behind the nodes */
    made = split_story(&def, false);
    CHECK_EQ(tp_particle_add(made.world, (tp_vector){0, 9, 0}, (tp_vector){0}, 0, NULL), TP_OK);
    test_world_frames(made.world, 120);
    CHECK_EQ(split_report(made.world).splits, 0);
    CHECK(split_report(made.world).splits_refused > 0);
    test_world_free(&made);
    def = split_def(50); /* three ids are left */
    made = split_story(&def, false);
    made.world->clock.next_id += tpi_ids_left(made.world) - 3;
    test_world_frames(made.world, 120);
    const tp_cloth_report last = split_report(made.world);
    CHECK_EQ(last.splits, 3);
    CHECK(last.splits_refused > 0);
    CHECK_EQ(tp_world_report(made.world).links_broken, last.splits + last.broken);
    test_world_free(&made);
}

/* Spare seams are no springs, and none of them is softened. */
static void spare_seams_are_not_softened(void)
{
    uint32_t softened[2];
    for (uint32_t k = 0; k < 2; k++) {
        tp_world_def def = split_def(k * SPLIT_SPARE);
        def.cloth.integrator = TP_CLOTH_EXPLICIT;
        def.cloth.tear = 100;
        def.substeps.count_max = 1;
        test_world made = split_story(&def, false);
        test_world_frames(made.world, 2);
        softened[k] = split_report(made.world).softened;
        test_world_free(&made);
    }
    CHECK(softened[0] > 0);
    CHECK_EQ(softened[1], softened[0]);
}

/* A fan: node 0 is the hub, and the others fly away from it at a speed, from 1.5 times their
   distance at rest. */
static test_world split_fan(uint32_t count, float speed)
{
    tp_world_def def = split_def(20);
    tp_cloth_def sheet = tp_cloth_default();
    tp_vector at[SPLIT_NODES] = {{0, 0, 0}};
    uint32_t corner[3 * SPLIT_NODES];
    uint32_t id = 0;
    for (uint32_t k = 0; k < count; k++) {
        const float angle = 6.2831853f * (float)k / (float)count;
        const uint32_t of[3] = {0, 1 + k, 1 + (k + 1) % count};
        at[1 + k] = (tp_vector){cosf(angle), sinf(angle), 0};
        memcpy(corner + 3 * k, of, sizeof of);
    }
    test_world made = test_world_make(&def);
    sheet.vertices = at;
    sheet.vertex_count = count + 1;
    sheet.indices = corner;
    sheet.triangle_count = count;
    sheet.kinds = TP_CLOTH_STRETCH;
    sheet.stretch = 1000;
    sheet.tether = 0;
    CHECK_EQ(tp_cloth_mesh(made.world, &sheet, &id), TP_OK);
    for (uint32_t k = 1; k <= count; k++)
        CHECK_EQ(tp_particle_set(made.world, id + k, (tp_vector){1.5f * at[k].x, 1.5f * at[k].y, 0},
                                 (tp_vector){speed * at[k].x, speed * at[k].y, 0}),
                 TP_OK);
    return made;
}

/* At a node with more than 32 edges nothing becomes two: edges to it, and around it, break. All
   that exceed tear are paid for, also those that wait. */
static void edges_at_hubs_break(void)
{
    test_world few = split_fan(16, 1.0f), many = split_fan(200, 1.0f);
    test_world_frames(few.world, 2);
    test_world_frames(many.world, 2);
    test_note("16: %u splits, %u broken; 200: %u splits, %u broken", split_report(few.world).splits,
              split_report(few.world).broken, split_report(many.world).splits,
              split_report(many.world).broken);
    CHECK(split_report(few.world).splits > 0);
    CHECK_EQ(split_report(many.world).splits, 0);
    CHECK_EQ(split_report(many.world).broken, 400);
    test_world_free(&few);
    test_world_free(&many);
    test_world still = split_fan(200, 0.0f), back = split_fan(200, -1.0f);
    tpi_cloth_strengths(still.world)[0].tear = 10;
    test_world_frames(still.world, 1);
    test_world_frames(back.world, 1);
    CHECK_EQ(split_report(back.world).broken, 0);
    CHECK(tp_world_report(back.world).units >= tp_world_report(still.world).units + 400 * 8);
    test_world_free(&still);
    test_world_free(&back);
}

/* ---- state ---- */

static void slices_widths_and_threads_change_no_split(void)
{
    platform_jobs threads;
    same_told told = {0};
    if (!CHECK(platform_jobs_start(&threads, 2))) return;
    for (uint32_t way = 0; way < SAME_WAYS; way++) {
        tp_world_def def = split_def(SPLIT_SPARE);
        def.slice_units = same_slice(way);
        def.cloth.thickness = 0.02f;
        test_world made = split_story(&def, false);
        same_run(made.world, way, &threads.jobs, 60, &told);
        CHECK(split_report(made.world).splits > 10);
        test_world_free(&made);
    }
    platform_jobs_stop(&threads);
}

typedef struct split_cache {
    void *block;
    tp_cache *cache;
} split_cache;

static split_cache split_cache_make(const tp_source *source)
{
    tp_cache_def def = tp_cache_default(source);
    split_cache made = {NULL, NULL};
    size_t bytes = 0;
    def.frames_max = 64;
    def.ring_bytes = 4 << 20;
    CHECK_EQ(tp_cache_memory(&def, &bytes), TP_OK);
    made.block = aligned_alloc(64, (bytes + 63) / 64 * 64);
    CHECK_EQ(tp_cache_create(&def, made.block, bytes, &made.cache), TP_OK);
    return made;
}

/* Frames before, while and after a sheet tears, in any order: each one is as it was recorded, and
   what follows is the same. */
static void a_cache_goes_back_and_forth_over_splits(void)
{
    static const uint32_t order[7] = {30, 0, 60, 15, 45, 60, 0};
    tp_world_def def = split_def(SPLIT_SPARE);
    def.cloth.thickness = 0.02f;
    test_world made = split_story(&def, true);
    tp_source source = tp_world_source(made.world);
    split_cache kept = split_cache_make(&source);
    tp_cache *cache = kept.cache;
    uint64_t hash[61];
    uint32_t splits[61];
    for (uint32_t frame = 0; frame <= 60; frame++) {
        CHECK(tp_cache_record(cache, &source, NULL) >= TP_OK);
        hash[frame] = tp_world_hash(made.world);
        splits[frame] = split_report(made.world).splits;
        test_world_frames(made.world, 1);
    }
    CHECK(splits[15] < splits[60] && splits[60] > 10);
    for (uint32_t k = 0; k < 7; k++) {
        tp_block_fault fault;
        tp_world *other = NULL;
        uint32_t frame = order[k];
        CHECK_EQ(tp_cache_rewind(cache, &source, frame, false, NULL), TP_OK);
        test_note("frame %u", frame);
        CHECK_EQ(tp_world_hash(made.world), hash[frame]);
        CHECK_EQ(split_report(made.world).splits, splits[frame]);
        CHECK_EQ(split_report(made.world).nodes, SPLIT_NODES + splits[frame]);
        CHECK_EQ(tp_world_verify(made.block, made.bytes, &fault, &other), TP_OK);
        test_note("%s", fault.expected ? fault.expected : "");
        if (frame > 50) continue;
        test_world_frames(made.world, 10);
        CHECK_EQ(tp_world_hash(made.world), hash[frame + 10]);
    }
    free(kept.block);
    test_world_free(&made);
}

/* A world that tears below first, and one that tears above first: a frame of the former, restored
   in the latter, brings its seams and all its rest lengths. */
static void a_frame_replaces_other_splits(void)
{
    const tp_world_def def = split_def(SPLIT_SPARE);
    test_world from = split_story(&def, false), to = split_story(&def, false);
    for (uint32_t k = 0; k < SPLIT_SIDE; k++)
        CHECK_EQ(tp_particle_set(to.world, k * SPLIT_SIDE + SPLIT_SIDE - 1u,
                                 (tp_vector){0.0625f * (SPLIT_SIDE - 1u), 0.0625f * (float)k, 0},
                                 (tp_vector){0.2f + 0.1f * (float)(SPLIT_SIDE - 1u - k), 0, 0}),
                 TP_OK);
    test_world_frames(from.world, 40);
    test_world_frames(to.world, 40);
    CHECK(split_report(from.world).splits > 5 && split_report(to.world).splits > 5);
    tp_source source = tp_world_source(from.world), target = tp_world_source(to.world);
    split_cache kept = split_cache_make(&source);
    CHECK(tp_cache_record(kept.cache, &source, NULL) >= TP_OK);
    CHECK(tp_world_hash(to.world) != tp_world_hash(from.world));
    CHECK_EQ(tp_cache_rewind(kept.cache, &target, 40, false, NULL), TP_OK);
    CHECK_EQ(tp_world_hash(to.world), tp_world_hash(from.world));
    CHECK_EQ(split_report(to.world).broken, split_report(from.world).broken);
    test_world_frames(from.world, 20);
    test_world_frames(to.world, 20);
    CHECK_EQ(tp_world_hash(to.world), tp_world_hash(from.world));
    free(kept.block);
    test_world_free(&from);
    test_world_free(&to);
}

/* Each step is begun, cancelled after the births of its second nodes, and made again. */
static void a_cancelled_step_splits_nothing(void)
{
    const tp_world_def def = split_def(SPLIT_SPARE);
    test_world straight = split_story(&def, false), torn = split_story(&def, false);
    tp_world *world = torn.world;
    uint32_t used, born = 0;
    tp_stage stage;
    test_world_frames(straight.world, 40);
    while (world->clock.frame < 40) {
        tpi_step_begin(world, tpi_substep_ticks(world));
        while (world->step.stage != TP_STAGE_COMMIT)
            (void)tpi_step_advance(world, NULL, 1000, &used, &stage);
        born += world->step.birth_count;
        tpi_step_cancel(world);
        tpi_step_begin(world, tpi_substep_ticks(world));
        while (!tpi_step_advance(world, NULL, 1000, &used, &stage)) {}
    }
    CHECK(born > 10);
    CHECK_EQ(split_report(world).splits, born);
    CHECK_EQ(tp_world_hash(world), tp_world_hash(straight.world));
    test_world_free(&straight);
    test_world_free(&torn);
}

/* Slices of 256 units that a step takes. */
static uint32_t split_slices(uint32_t spare)
{
    tp_world_def def = split_def(spare);
    def.cloth.tear = 50;
    test_world made = split_story(&def, false);
    uint32_t slices = 1, used;
    tp_stage stage;
    tpi_step_begin(made.world, tpi_substep_ticks(made.world));
    while (!tpi_step_advance(made.world, NULL, 256, &used, &stage)) slices++;
    test_world_free(&made);
    return slices;
}

/* Constraints that do not tear take a unit each, and a slice visits many of them. */
static void wear_fills_its_slices(void)
{
    const uint32_t plain = split_slices(0), spare = split_slices(SPLIT_SPARE);
    test_note("%u slices, %u with spare nodes", plain, spare);
    CHECK(spare < 2 * plain);
}

static void a_copy_goes_on_as_the_world(void)
{
    tp_world_def def = split_def(SPLIT_SPARE);
    def.slice_units = 64;
    test_world made = split_story(&def, false);
    const tp_budget budget = {.units = 2500};
    while (split_report(made.world).splits < 5 && made.world->clock.frame < 100)
        CHECK(tp_frame(made.world, &budget, NULL) >= TP_OK);
    if (!made.world->step.active) CHECK(tp_frame(made.world, &budget, NULL) >= TP_OK);
    same_after_a_copy(&made, 20);
    test_world_free(&made);
}

/* ---- edits ---- */

/* Nodes from splits can be pinned. */
static void split_nodes_can_be_pinned(void)
{
    tp_world_def def = split_def(SPLIT_SPARE);
    test_world made = split_story(&def, false);
    test_world_frames(made.world, 60);
    uint32_t splits = split_report(made.world).splits, last = SPLIT_NODES + splits - 1u;
    const uint32_t pinned = split_report(made.world).pinned;
    if (!CHECK(splits > 10)) return;
    CHECK_EQ(tp_cloth_pin(made.world, last, true), TP_OK);
    CHECK_EQ(split_report(made.world).pinned, pinned + 1);
    tp_view view = tp_world_view(made.world);
    const tp_vector at = {view.x[last], view.y[last], view.z[last]};
    CHECK_EQ(tp_particle_set(made.world, last, at, (tp_vector){0, 0, 0}), TP_OK);
    test_world_frames(made.world, 5);
    view = tp_world_view(made.world);
    CHECK(view.x[last] == at.x && view.y[last] == at.y);
    CHECK_EQ(tp_cloth_pin(made.world, last, false), TP_OK);
    CHECK_EQ(split_report(made.world).pinned, pinned);
    test_world_frames(made.world, 5);
    CHECK(tp_world_view(made.world).x[last] != at.x);
    test_world_free(&made);
}

/* Where a restored frame takes a node away its pin and ties end, and those of sheets stay: later
   frames are as if the node had never had them. */
static void pins_and_ties_end_with_second_nodes(void)
{
    tp_world_def def = split_def(SPLIT_SPARE);
    tp_cloth_tie_def tie = tp_cloth_tie_default();
    tp_block_fault fault;
    tp_world *other = NULL;
    uint32_t number[3];
    def.cloth.ties_max = 4;
    test_world made = split_story(&def, false);
    tp_source source = tp_world_source(made.world);
    split_cache kept = split_cache_make(&source);
    for (uint32_t frame = 0; frame <= 45; frame++) {
        CHECK(tp_cache_record(kept.cache, &source, NULL) >= TP_OK);
        if (frame < 45) test_world_frames(made.world, 1);
    }
    const uint32_t pinned = split_report(made.world).pinned;
    CHECK(split_report(made.world).splits > 5);
    tie.node = 8 * SPLIT_SIDE + 6;
    tie.other = 8 * SPLIT_SIDE + 4;
    tie.length = 0.1f;
    CHECK_EQ(tp_cloth_tie(made.world, &tie, &number[0]), TP_OK);
    CHECK_EQ(tp_cache_rewind(kept.cache, &source, 45, false, NULL), TP_OK);
    const uint64_t hash = tp_world_hash(made.world);
    tie.node = SPLIT_NODES + 3;
    CHECK_EQ(tp_cloth_tie(made.world, &tie, &number[1]), TP_OK);
    tie.node = 8 * SPLIT_SIDE + 4;
    tie.other = SPLIT_NODES + 3;
    CHECK_EQ(tp_cloth_tie(made.world, &tie, &number[2]), TP_OK);
    CHECK_EQ(tp_cloth_pin(made.world, SPLIT_NODES + 4, true), TP_OK);
    CHECK(tp_world_hash(made.world) != hash);
    CHECK_EQ(split_report(made.world).pinned, pinned + 1);
    CHECK_EQ(tp_cache_rewind(kept.cache, &source, 2, false, NULL), TP_OK);
    CHECK_EQ(tp_world_verify(made.block, made.bytes, &fault, &other), TP_OK);
    test_note("%s", fault.expected ? fault.expected : "");
    CHECK_EQ(split_report(made.world).ties, 1);
    CHECK_EQ(split_report(made.world).pinned, pinned);
    CHECK_EQ(tp_cloth_untie(made.world, number[1]), TP_ERROR_HANDLE);
    CHECK_EQ(tp_cache_rewind(kept.cache, &source, 45, false, NULL), TP_OK);
    CHECK_EQ(tp_world_hash(made.world), hash);
    CHECK_EQ(split_report(made.world).pinned, pinned);
    CHECK_EQ(tp_cloth_pin(made.world, SPLIT_NODES + 4, true), TP_OK);
    CHECK_EQ(tp_cloth_pin(made.world, SPLIT_NODES + 4, false), TP_OK);
    CHECK_EQ(tp_world_hash(made.world), hash);
    free(kept.block);
    test_world_free(&made);
}

/* A sheet that is added when another one is torn finds its edges, and so does that one again: both
   tear on as if nothing had happened to their lists. */
static void a_sheet_behind_splits_tears_too(void)
{
    tp_world_def def = split_def(SPLIT_SPARE);
    tp_cloth_def sheet = tp_cloth_default();
    tp_block_fault fault;
    tp_world *other = NULL;
    def.particles_max += 64;
    def.cloth.constraints_max += 6 * 64;
    def.cloth.triangles_max += 2 * 49;
    test_world made = split_story(&def, false);
    while (split_report(made.world).splits < 5 && made.world->clock.frame < 60)
        test_world_frames(made.world, 1);
    const uint32_t splits = split_report(made.world).splits;
    CHECK(splits >= 5 && splits < 30);
    sheet.columns = sheet.rows = 8;
    sheet.origin = (tp_vector){0, 5, 0};
    sheet.stretch = 0.001f;
    sheet.tether = 0;
    const uint32_t id = sheet_add(made.world, &sheet);
    for (uint32_t k = 0; k < 64; k++) {
        const tp_vector at = {0.0625f * (float)(k % 8), 5 - 0.0625f * (float)(k / 8), 0};
        const tp_vector speed = {at.x > 0.2f ? 40 : -40, 0, 0};
        CHECK_EQ(tp_particle_set(made.world, id + k, at, speed), TP_OK);
    }
    test_world_frames(made.world, 60);
    CHECK_EQ(tp_world_verify(made.block, made.bytes, &fault, &other), TP_OK);
    test_note("%s", fault.expected ? fault.expected : "");
    const tpi_cloth_tears *tears = tpi_cloth_tears_of(made.world);
    const tpi_cloth_split *log = (const tpi_cloth_split *)(const void *)(tears + 1);
    uint32_t own = 0, later = 0;
    for (uint32_t s = splits; s < tears->used; s++) {
        own += log[s].root < SPLIT_NODES;
        later += log[s].root >= id && log[s].root < id + 64;
    }
    test_note("%u of the first, %u of the second", own, later);
    CHECK(own > 5 && later > 3 && own + later == tears->used - splits);
    test_world_free(&made);
}

/* A sheet of one node has no seams: the next one brings them, if there is room. */
static void seams_come_with_the_second_node(void)
{
    tp_world_def def = split_def(SPLIT_SPARE);
    tp_cloth_def sheet = tp_cloth_default();
    tp_block_fault fault;
    tp_world *other = NULL;
    def.cloth.constraints_max = 2 * SPLIT_SPARE + 50;
    test_world made = test_world_make(&def);
    sheet.tether = 0;
    sheet.columns = sheet.rows = 1;
    CHECK_EQ(tp_cloth_grid(made.world, &sheet, NULL), TP_OK);
    sheet.columns = sheet.rows = 4; /* 58 constraints */
    CHECK_EQ(tp_cloth_grid(made.world, &sheet, NULL), TP_ERROR_FULL);
    sheet.columns = sheet.rows = 3; /* 26 */
    CHECK_EQ(tp_cloth_grid(made.world, &sheet, NULL), TP_OK);
    CHECK_EQ(split_report(made.world).constraints, 26);
    CHECK_EQ(tp_world_verify(made.block, made.bytes, &fault, &other), TP_OK);
    test_world_free(&made);
}

/* Tethers of a mesh that does not wear follow its edges, and no spare seams. */
static void tethers_follow_no_spare_seams(void)
{
    const tp_world_def def = split_def(SPLIT_SPARE);
    tp_cloth_def sheet = tp_cloth_default();
    const tp_vector at[4] = {{0, 0, 0}, {0.1f, 0, 0}, {0, 0.1f, 0}, {0.1f, 0.1f, 0}};
    const uint32_t corner[6] = {0, 1, 2, 1, 3, 2};
    test_world made = test_world_make(&def);
    uint32_t id = 0;
    sheet.vertices = at;
    sheet.vertex_count = 4;
    sheet.indices = corner;
    sheet.triangle_count = 2;
    sheet.tear = sheet.yield = 0;
    sheet.tether = 1;
    CHECK_EQ(tp_cloth_mesh(made.world, &sheet, &id), TP_OK);
    CHECK_EQ(tp_cloth_pin(made.world, id + 3, true), TP_OK);
    const float *reach = tpi_floats(made.world, made.world->arrays.own[TPI_CLOTH_REACH]);
    CHECK_NEAR(reach[0], 0.2, 1e-4);
    CHECK_NEAR(reach[1], 0.1, 1e-4);
    test_world_free(&made);
}

static void splits_have_their_limits_and_bytes(void)
{
    tp_world_def bad = split_def(10);
    bad.cloth.tear = 0;
    bad.cloth.yield = 0.1f;
    CHECK(tp_world_check(&bad) && strstr(tp_world_check(&bad), "cloth.splits_max"));
    bad = split_def(65537);
    CHECK(tp_world_check(&bad) && strstr(tp_world_check(&bad), "cloth.splits_max"));
    tp_world_def def = split_def(SPLIT_SPARE), plain = split_def(0);
    size_t bytes = 0, fewer = 0;
    CHECK_EQ(tp_world_memory(&def, &bytes), TP_OK);
    CHECK_EQ(tp_world_memory(&plain, &fewer), TP_OK);
    CHECK(bytes > fewer &&
          bytes - fewer <= TP_SPLIT_BYTES(def.particles_max, def.cloth.constraints_max,
                                          def.cloth.triangles_max, SPLIT_SPARE));
    tp_cloth_def sheet = tp_cloth_default();
    def.cloth.constraints_max = 6u * SPLIT_NODES; /* none for seams */
    test_world made = test_world_make(&def);
    sheet.columns = sheet.rows = SPLIT_SIDE;
    sheet.tether = 0;
    CHECK_EQ(tp_cloth_grid(made.world, &sheet, NULL), TP_ERROR_FULL);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(a_torn_sheet_keeps_its_triangles),
    TEST_CASE(edges_of_torn_meshes_hold_on_both_sides),
    TEST_CASE(colours_stay_colours),
    TEST_CASE(without_spare_nodes_edges_break),
    TEST_CASE(spare_seams_are_not_softened),
    TEST_CASE(edges_at_hubs_break),
    TEST_CASE(slices_widths_and_threads_change_no_split),
    TEST_CASE(a_cache_goes_back_and_forth_over_splits),
    TEST_CASE(a_frame_replaces_other_splits),
    TEST_CASE(a_cancelled_step_splits_nothing),
    TEST_CASE(wear_fills_its_slices),
    TEST_CASE(a_copy_goes_on_as_the_world),
    TEST_CASE(split_nodes_can_be_pinned),
    TEST_CASE(pins_and_ties_end_with_second_nodes),
    TEST_CASE(a_sheet_behind_splits_tears_too),
    TEST_CASE(seams_come_with_the_second_node),
    TEST_CASE(tethers_follow_no_spare_seams),
    TEST_CASE(splits_have_their_limits_and_bytes),
};
TEST_SUITE(cloth_split, cases);
