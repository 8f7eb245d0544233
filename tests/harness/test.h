/* SPDX-License-Identifier: MIT
   tests/harness/test.h - the test harness: named cases, and checks that print what failed.
   reads   the suites listed in suites.h      writes  one line per failure, and the count at the end
   memory  libc only, none kept               cost    that of the cases
   after   own design; a case continues after a failed check, so that one run shows every fault */
#ifndef TIDEPOOL_TEST_H
#define TIDEPOOL_TEST_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct test_case {
    const char *name; /* states what holds: grid_order_does_not_depend_on_history */
    void (*run)(void);
    bool is_long; /* only `make test-long` runs it */
} test_case;

typedef struct test_suite {
    const char *name; /* the module: grid, bphys */
    const test_case *cases;
    size_t count;
} test_suite;

/* Defines the suite `suite_NAME` from a table of cases. */
#define TEST_SUITE(suite_name, table) \
    const test_suite suite_##suite_name = {#suite_name, table, sizeof(table) / sizeof((table)[0])}
#define TEST_CASE(function)                  \
    {                                        \
        .name = #function, .run = (function) \
    }
/* A case that only `make test-long` runs; `make test` samples what it tests in another one. */
#define TEST_LONG(function)                                   \
    {                                                         \
        .name = #function, .run = (function), .is_long = true \
    }

/* Records a failure of the running case with file and line; returns the condition. */
bool test_check(bool condition, const char *text, const char *file, int line);
bool test_check_near(double value, double expected, double tolerance, const char *text,
                     const char *file, int line);
bool test_check_u64(uint64_t value, uint64_t expected, const char *text, const char *file,
                    int line);
/* A note that is printed only if the running case fails: scene, seed, frame, the command that
   repeats it. */
void test_note(const char *format, ...);
/* True under `make test-long`: run the full length of a case that `make test` samples. */
bool test_is_long(void);
/* True for every `index` under `make test-long`, and for one in `every` under `make test`. */
bool test_runs(uint32_t index, uint32_t every);

#define CHECK(condition) test_check((condition), #condition, __FILE__, __LINE__)
/* Always fails: for code that must not be reached. */
#define CHECK_NEVER(text) test_check(false, text, __FILE__, __LINE__)
#define CHECK_NEAR(value, expected, tolerance)                                                  \
    test_check_near((double)(value), (double)(expected), (double)(tolerance), #value, __FILE__, \
                    __LINE__)
#define CHECK_EQ(value, expected)                                                              \
    test_check_u64((uint64_t)(value), (uint64_t)(expected), #value " == " #expected, __FILE__, \
                   __LINE__)

#endif
