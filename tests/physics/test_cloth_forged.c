/* SPDX-License-Identifier: MIT
   tests/physics/test_cloth_forged.c - damaged records of splits, and blocks with forged ones.
   reads   runtime/solve/cloth      writes  nothing
   memory  worlds of 456 nodes      cost    about 0.1 s
   after   own: each fault would give a list no end, or a write beyond the log */
#include "cloth_splits.h"
#include "base/bytes.h"
#include "step/step.h"

static void a_forged_list_or_split_is_found(void)
{
    const tp_world_def def = split_def(SPLIT_SPARE);
    test_world made = split_story(&def, false);
    tp_block_fault fault;
    tp_world *world = NULL;
    test_world_frames(made.world, 60);
    tpi_cloth_tears *tears = tpi_cloth_tears_of(made.world);
    tpi_cloth_split *log = (tpi_cloth_split *)(void *)(tears + 1);
    uint32_t *ends = (uint32_t *)(void *)(log + SPLIT_SPARE) + 4u * SPLIT_SPARE;
    uint32_t *const words[9] = {&tears->used, &tears->last,  &tears->seams,
                                &log[2].node, &log[2].root,  &log[2].parent,
                                ends + 20,    &log[1].seams, &tears->wanted};
    for (uint32_t k = 0; k < 9; k++) {
        const uint32_t was = *words[k];
        *words[k] = 0x7fffffffu;
        test_note("word %u", k);
        CHECK_EQ(tp_world_verify(made.block, made.bytes, &fault, &world), TP_ERROR_BLOCK);
        CHECK(fault.expected && strstr(fault.expected, "splits"));
        *words[k] = was;
    }
    CHECK_EQ(tp_world_verify(made.block, made.bytes, &fault, &world), TP_OK);
    test_world_free(&made);
}

/* The last split comes from another node that meets its second one, and what it took leads back to
   its own end: to undo it would make a constraint of one node. */
static void a_forged_parent_is_found(void)
{
    const tp_world_def def = split_def(SPLIT_SPARE);
    test_world made = split_story(&def, false);
    tp_block_fault fault;
    tp_world *world = NULL;
    test_world_frames(made.world, 60);
    const tpi_cloth_tears *tears = tpi_cloth_tears_of(made.world);
    tpi_cloth_split *log = (tpi_cloth_split *)(void *)(tpi_cloth_tears_of(made.world) + 1),
                    *last = log + tears->used - 1u;
    const uint32_t *own = made.world->arrays.own,
                   *first = tpi_words(made.world, own[TPI_CLOTH_FIRST]),
                   *second = tpi_words(made.world, own[TPI_CLOTH_SECOND]);
    const tpi_cloth_split was = *last;
    uint32_t met = 0;
    for (uint32_t k = 0; k < tpi_cloth_head_of(made.world)->begin[TPI_CLOTH_COLOURS]; k++) {
        if (second[k] != last->node || first[k] >= SPLIT_NODES) continue;
        for (uint32_t with_root = 0; with_root < 2; with_root++) {
            last->parent = first[k];
            if (with_root) last->root = first[k];
            met++;
            CHECK_EQ(tp_world_verify(made.block, made.bytes, &fault, &world), TP_ERROR_BLOCK);
            *last = was;
        }
    }
    CHECK(met > 2);
    CHECK_EQ(tp_world_verify(made.block, made.bytes, &fault, &world), TP_OK);
    test_world_free(&made);
}

/* Splits of a step in progress: more than are spare, or a second node that is a node already. */
static void a_forged_queue_is_found(void)
{
    const tp_world_def def = split_def(4);
    test_world made = split_story(&def, false);
    tp_world *world = made.world;
    tp_block_fault fault;
    uint32_t used;
    tp_stage stage;
    tpi_cloth_tears *tears = tpi_cloth_tears_of(world);
    test_world_frames(world, 2);
    tpi_step_begin(world, tpi_substep_ticks(world));
    while (world->step.stage != TP_STAGE_COMMIT)
        (void)tpi_step_advance(world, NULL, 1000, &used, &stage);
    CHECK_EQ(tears->used, 0);
    for (uint32_t count = 1; count <= 8; count++) {
        for (uint32_t q = 0; q < count; q++)
            tears->queue[q] = (tpi_cloth_split){.node = SPLIT_NODES + q, .parent = 20 + q * 16};
        tears->queued = count;
        CHECK_EQ(tp_world_verify(made.block, made.bytes, &fault, &world),
                 count > 4 ? TP_ERROR_BLOCK : TP_OK);
    }
    tears->queued = 2;
    tears->queue[1].node = 40;
    CHECK_EQ(tp_world_verify(made.block, made.bytes, &fault, &world), TP_ERROR_BLOCK);
    tears->queue[1].node = SPLIT_NODES + 1;
    tears->queue[1].parent = 20;
    CHECK_EQ(tp_world_verify(made.block, made.bytes, &fault, &world), TP_ERROR_BLOCK);
    test_world_free(&made);
}

/* A record of splits that names nodes of sheets as new ones, or parents that are none, is refused;
   and a restore without a record wants none of the one before. */
static void a_damaged_record_is_refused(void)
{
    const tp_world_def def = split_def(SPLIT_SPARE);
    test_world made = split_story(&def, false);
    static uint8_t record[4 * (2 + 4 * SPLIT_SPARE)];
    uint64_t frame = 0;
    test_world_frames(made.world, 60);
    tp_source source = tp_world_source(made.world);
    const uint32_t bytes = source.extra_read(source.context, 1, record),
                   count = source.count(source.context), splits = tpi_load_u32(record);
    CHECK(source.frame(source.context, &frame) && splits > 10);
    const uint32_t wrong[5][3] = {/* a word, and what the two from it on become */
                                  {2, 40, 39},
                                  {6, tpi_load_u32(record + 8), 39},
                                  {2, SPLIT_NODES, SPLIT_NODES},
                                  {2, SPLIT_NODES + 190, 39},
                                  {6, SPLIT_NODES + 1, 999}};
    for (uint32_t k = 0; k < 5; k++) {
        uint8_t *word = record + 4 * wrong[k][0], was[8];
        memcpy(was, word, 8);
        tpi_store_u32(word, wrong[k][1]);
        tpi_store_u32(word + 4, wrong[k][2]);
        CHECK_EQ(source.restore_begin(source.context, frame, count), TP_OK);
        test_note("record %u", k);
        CHECK_EQ(source.extra_write(source.context, 1, record, bytes), TP_ERROR_SOURCE);
        memcpy(word, was, 8);
    }
    CHECK_EQ(source.restore_begin(source.context, frame, count), TP_OK);
    CHECK_EQ(source.extra_write(source.context, 1, record, bytes), TP_OK);
    CHECK_EQ(tpi_cloth_tears_of(made.world)->wanted, splits + 1);
    CHECK_EQ(source.restore_begin(source.context, frame, count), TP_OK);
    CHECK_EQ(tpi_cloth_tears_of(made.world)->wanted, 0);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(a_forged_list_or_split_is_found),
    TEST_CASE(a_forged_parent_is_found),
    TEST_CASE(a_forged_queue_is_found),
    TEST_CASE(a_damaged_record_is_refused),
};
TEST_SUITE(cloth_forged, cases);
