/* SPDX-License-Identifier: MIT
   tests/harness/main.c - runs every suite, or the cases whose `suite.case` contains the first
           argument; `suite.` with a point at its end is one suite.
   reads   the suites of suites.h
   writes  failures, then the line `N passed, M failed`; TIDEPOOL_TIMES=1: seconds per case
   memory  static buffers only         cost    that of the cases
   after   own design */
#include "test.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef TEST_SUITES /* tests/widths/run sets a shorter list, of the suites that it links */
#define TEST_SUITES "suites.h"
#endif

#define SUITE(name) extern const test_suite suite_##name;
#include TEST_SUITES
#undef SUITE

static const test_suite *const all_suites[] = {
#define SUITE(name) &suite_##name,
#include TEST_SUITES
#undef SUITE
};

static char running[256];
static char note[512];
static int failures_of_case;

static void failed(const char *file, int line)
{
    if (failures_of_case++ == 0) {
        printf("FAILED %s\n    rerun: %sbuild/tests %s\n", running,
               test_is_long() ? "TIDEPOOL_LONG=1 " : "", running);
        if (note[0]) printf("    %s\n", note);
    }
    printf("    %s:%d: ", file, line);
}

bool test_check(bool condition, const char *text, const char *file, int line)
{
    if (!condition && failures_of_case < 10) {
        failed(file, line);
        printf("%s\n", text);
    } else if (!condition) {
        failures_of_case++;
    }
    return condition;
}

bool test_check_near(double value, double expected, double tolerance, const char *text,
                     const char *file, int line)
{
    bool near_enough = fabs(value - expected) <= tolerance; /* false for NaN */
    if (!near_enough && failures_of_case < 10) {
        failed(file, line);
        printf("%s is %.9g, expected %.9g within %.3g\n", text, value, expected, tolerance);
    } else if (!near_enough) {
        failures_of_case++;
    }
    return near_enough;
}

bool test_check_u64(uint64_t value, uint64_t expected, const char *text, const char *file, int line)
{
    if (value != expected && failures_of_case < 10) {
        failed(file, line);
        printf("%s: %llu (%016llx), expected %llu (%016llx)\n", text, (unsigned long long)value,
               (unsigned long long)value, (unsigned long long)expected,
               (unsigned long long)expected);
    } else if (value != expected) {
        failures_of_case++;
    }
    return value == expected;
}

bool test_is_long(void) { return getenv("TIDEPOOL_LONG") != NULL; }

bool test_runs(uint32_t index, uint32_t every) { return index % every == 0 || test_is_long(); }

void test_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(note, sizeof note, format, arguments);
    va_end(arguments);
}

/* True if it passed. */
static bool run_case(void (*run)(void), bool is_timed)
{
    clock_t start = clock();
    failures_of_case = 0;
    note[0] = 0;
    run();
    if (is_timed) printf("%8.3f s %s\n", (double)(clock() - start) / CLOCKS_PER_SEC, running);
    return failures_of_case == 0;
}

/* Whether the case `running` is asked for. */
static bool is_wanted(const char *filter, const test_suite *suite, const test_case *wanted)
{
    size_t length = strlen(filter);
    if (wanted->is_long && !test_is_long()) return false;
    if (length && filter[length - 1] == '.')
        return strlen(suite->name) == length - 1 && !strncmp(filter, suite->name, length - 1);
    return strstr(running, filter) != NULL;
}

/* Share `index` of `count`, as in "1/2"; without a text all cases. */
typedef struct test_share {
    unsigned index, count;
} test_share;

static test_share share_of(const char *text)
{
    test_share share = {1, 1};
    if (text && (sscanf(text, "%u/%u", &share.index, &share.count) != 2 || share.index < 1 ||
                 share.index > share.count)) {
        fprintf(stderr, "usage: tests [FILTER [INDEX/COUNT]], with INDEX from 1 to COUNT\n");
        exit(2);
    }
    return share;
}

int main(int argc, char **argv)
{
    const char *filter = argc > 1 ? argv[1] : "";
    test_share share = share_of(argc > 2 ? argv[2] : NULL);
    unsigned found = 0;
    bool is_timed = getenv("TIDEPOOL_TIMES") != NULL;
    int passed = 0, lost = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t s = 0; s < sizeof all_suites / sizeof all_suites[0]; s++) {
        for (size_t c = 0; c < all_suites[s]->count; c++) {
            snprintf(running, sizeof running, "%s.%s", all_suites[s]->name,
                     all_suites[s]->cases[c].name);
            if (!is_wanted(filter, all_suites[s], &all_suites[s]->cases[c])) continue;
            if (found++ % share.count != share.index - 1) continue;
            if (run_case(all_suites[s]->cases[c].run, is_timed))
                passed++;
            else
                lost++;
        }
    }
    printf("%d passed, %d failed\n", passed, lost);
    return lost != 0;
}
