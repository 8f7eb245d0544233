/* SPDX-License-Identifier: MIT
   tests/unit/test_pool.c - fixed pools with capacities none, one, full, one more; handles; slots
           that retire.
   reads   runtime/memory/pool.c, pools of worlds      writes  nothing
   memory  small worlds                                cost    below a second
   after   runtime/guide/design.md, memory */
#include "test.h"
#include "world_help.h"
#include <string.h>

enum { CAPACITY = 5 };

typedef struct pool_fixture {
    tpi_pool pool;
    uint32_t slots[CAPACITY];
} pool_fixture;

static pool_fixture pool_of(uint32_t capacity)
{
    pool_fixture made;
    memset(&made, 0, sizeof made);
    made.pool.capacity = capacity;
    return made;
}

static void a_pool_of_none_refuses_and_counts(void)
{
    pool_fixture f = pool_of(0);
    uint32_t handle = 0;
    CHECK_EQ(tpi_pool_take(&f.pool, f.slots, &handle), TPI_NO_SLOT);
    CHECK_EQ(f.pool.refused, 1);
    CHECK_EQ(tpi_pool_find(&f.pool, f.slots, 0x00010000u), TPI_NO_SLOT);
}

static void a_full_pool_refuses_one_more_and_keeps_the_rest(void)
{
    pool_fixture f = pool_of(CAPACITY);
    uint32_t handles[CAPACITY], none = 0;
    for (uint32_t k = 0; k < CAPACITY; k++)
        CHECK_EQ(tpi_pool_take(&f.pool, f.slots, &handles[k]), k);
    CHECK_EQ(tpi_pool_take(&f.pool, f.slots, &none), TPI_NO_SLOT);
    tp_pool_report report = tpi_pool_report_of(&f.pool);
    CHECK(report.capacity == CAPACITY && report.used == CAPACITY && report.peak == CAPACITY &&
          report.refused == 1);
    for (uint32_t k = 0; k < CAPACITY; k++)
        CHECK_EQ(tpi_pool_find(&f.pool, f.slots, handles[k]), k);
}

static void the_lowest_free_slot_is_taken_with_a_new_handle(void)
{
    pool_fixture f = pool_of(CAPACITY);
    uint32_t handles[CAPACITY], again = 0;
    for (uint32_t k = 0; k < CAPACITY; k++) tpi_pool_take(&f.pool, f.slots, &handles[k]);
    tpi_pool_free(&f.pool, f.slots, 3);
    tpi_pool_free(&f.pool, f.slots, 1);
    CHECK_EQ(tpi_pool_take(&f.pool, f.slots, &again), 1);
    CHECK(again != handles[1]);
    CHECK_EQ(tpi_pool_find(&f.pool, f.slots, handles[1]), TPI_NO_SLOT);
    CHECK_EQ(tpi_pool_find(&f.pool, f.slots, again), 1);
    CHECK_EQ(f.pool.used, CAPACITY - 1);
    CHECK_EQ(f.pool.peak, CAPACITY);
}

static void the_end_is_one_past_the_highest_alive_slot(void)
{
    pool_fixture f = pool_of(CAPACITY);
    uint32_t handle;
    for (uint32_t k = 0; k < CAPACITY; k++) tpi_pool_take(&f.pool, f.slots, &handle);
    tpi_pool_free(&f.pool, f.slots, 3);
    CHECK_EQ(f.pool.end, 5);
    tpi_pool_free(&f.pool, f.slots, 4);
    CHECK_EQ(f.pool.end, 3);
    for (uint32_t k = 0; k < 3; k++) tpi_pool_free(&f.pool, f.slots, k);
    CHECK_EQ(f.pool.end, 0);
    CHECK_EQ(f.pool.used, 0);
}

static void a_slot_whose_generations_are_used_up_retires(void)
{
    pool_fixture f = pool_of(1);
    uint32_t handle = 0, last = 0, lives = 0;
    while (tpi_pool_take(&f.pool, f.slots, &handle) == 0) {
        CHECK(handle != 0 && handle != last);
        last = handle;
        lives++;
        tpi_pool_free(&f.pool, f.slots, 0);
    }
    CHECK_EQ(lives, 65535);
    CHECK_EQ(f.pool.retired, 1);
    CHECK_EQ(f.pool.refused, 1);
    CHECK_EQ(tpi_pool_find(&f.pool, f.slots, last), TPI_NO_SLOT);
}

static void any_handle_of_a_stranger_is_looked_up_in_vain(void)
{
    pool_fixture f = pool_of(2);
    uint32_t handle = 0, state = 1, found = 0;
    tpi_pool_take(&f.pool, f.slots, &handle);
    for (uint32_t n = 0; n < 100000; n++) {
        state = state * 1664525u + 1013904223u;
        found += state != handle && tpi_pool_find(&f.pool, f.slots, state) != TPI_NO_SLOT;
    }
    for (uint32_t slot = 0; slot < 0x10000u; slot++)
        found += slot != 0 && tpi_pool_find(&f.pool, f.slots, 0x10000u + slot) != TPI_NO_SLOT;
    CHECK_EQ(found, 0);
    CHECK_EQ(tpi_pool_find(&f.pool, f.slots, 0), TPI_NO_SLOT);
    CHECK_EQ(tpi_pool_find(&f.pool, f.slots, 1), TPI_NO_SLOT); /* no slot ever had generation 0 */
}

/* The same through the public calls, with capacities none, one, full and one more. */
static void the_pools_of_a_world_refuse_when_full(void)
{
    for (uint32_t capacity = 0; capacity <= 3; capacity++) {
        tp_world_def def = tp_world_default(3);
        def.emitters_max = def.sinks_max = def.fields_max = capacity;
        test_world made = test_world_make(&def);
        tp_emitter_def emitter = tp_emitter_default();
        tp_sink_def sink = tp_sink_default();
        tp_field_def field = tp_field_default(TP_FIELD_GRAVITY);
        for (uint32_t k = 0; k <= capacity; k++) {
            tp_emitter e = {77};
            tp_sink s = {77};
            tp_field f = {77};
            tp_result expected = k < capacity ? TP_OK : TP_ERROR_FULL;
            CHECK(tp_emitter_add(made.world, &emitter, &e) == expected &&
                  (e.id != 0) == (expected == TP_OK));
            CHECK(tp_sink_add(made.world, &sink, &s) == expected &&
                  (s.id != 0) == (expected == TP_OK));
            CHECK(tp_field_add(made.world, &field, &f) == expected &&
                  (f.id != 0) == (expected == TP_OK));
        }
        tp_report report = tp_world_report(made.world);
        for (uint32_t pool = TP_POOL_EMITTERS; pool <= TP_POOL_FIELDS; pool++)
            CHECK(report.pools[pool].used == capacity && report.pools[pool].refused == 1);
        test_world_frames(made.world, 2);
        test_world_free(&made);
    }
}

static void removed_handles_name_nothing(void)
{
    tp_world_def def = tp_world_default(2);
    test_world made = test_world_make(&def);
    tp_emitter_def emitter = tp_emitter_default();
    tp_sink_def sink = tp_sink_default();
    tp_field_def field = tp_field_default(TP_FIELD_DRAG);
    tp_emitter e = {0};
    tp_sink s = {0};
    tp_field f = {0};
    CHECK(tp_emitter_add(made.world, &emitter, &e) == TP_OK &&
          tp_sink_add(made.world, &sink, &s) == TP_OK &&
          tp_field_add(made.world, &field, &f) == TP_OK);
    CHECK(tp_emitter_remove(made.world, e) == TP_OK && tp_sink_remove(made.world, s) == TP_OK &&
          tp_field_remove(made.world, f) == TP_OK);
    CHECK(tp_emitter_remove(made.world, e) == TP_ERROR_HANDLE &&
          tp_sink_remove(made.world, s) == TP_ERROR_HANDLE &&
          tp_field_remove(made.world, f) == TP_ERROR_HANDLE);
    CHECK(tp_emitter_move(made.world, e, emitter.pose) == TP_ERROR_HANDLE);
    CHECK(tp_emitter_count(made.world, e, NULL, NULL) == TP_ERROR_HANDLE);
    CHECK(tp_field_set(made.world, f, &field) == TP_ERROR_HANDLE);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(a_pool_of_none_refuses_and_counts),
    TEST_CASE(a_full_pool_refuses_one_more_and_keeps_the_rest),
    TEST_CASE(the_lowest_free_slot_is_taken_with_a_new_handle),
    TEST_CASE(the_end_is_one_past_the_highest_alive_slot),
    TEST_CASE(a_slot_whose_generations_are_used_up_retires),
    TEST_CASE(any_handle_of_a_stranger_is_looked_up_in_vain),
    TEST_CASE(the_pools_of_a_world_refuse_when_full),
    TEST_CASE(removed_handles_name_nothing),
};
TEST_SUITE(pool, cases);
