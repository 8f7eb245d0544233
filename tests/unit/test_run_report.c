/* SPDX-License-Identifier: MIT
   tests/unit/test_run_report.c - the report of a run has every counter and every limit that was
           hit.
   reads   runtime/tidepool.h, build/tidepool      writes  reports
   memory  malloc                                  cost    two short runs
   after   own design: the names of the counters are read from the header */
#include "../../host_tools/commands/run.h"
#include "../harness/files_help.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int command_run(int argc, char **argv);

/* Calls `visit` for each uint64_t member of a struct of the header; arrays are skipped. */
static void each_counter(const char *name, void (*visit)(const char *field, const void *context),
                         const void *context)
{
    char line[512];
    const char *begin = test_text("typedef struct %s {", name);
    FILE *header = fopen("runtime/tidepool.h", "r");
    bool is_inside = false;
    int found = 0;
    while (header && fgets(line, sizeof line, header)) {
        char *comment = strstr(line, "/*"), *at = strstr(line, "uint64_t ");
        if (strncmp(line, begin, strlen(begin)) == 0) is_inside = true;
        if (is_inside && line[0] == '}') break;
        if (!is_inside) continue;
        if (strcmp(line, "    uint64_t\n") == 0) at = fgets(line, sizeof line, header);
        if (at && comment && comment > at) *comment = 0;
        if (!at || (comment && comment < at) || strchr(at, '[')) continue;
        if (strncmp(at, "uint64_t ", 9) == 0) at += 9;
        if (strstr(at, "/*")) *strstr(at, "/*") = 0;
        for (char *word = strtok(at, " ,;\n"); word; word = strtok(NULL, " ,;\n"), found++)
            visit(word, context);
    }
    CHECK(found > 15);
    if (header) fclose(header);
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}
#define IS_ONE_OF(name, names) is_one_of(name, names, sizeof(names) / sizeof(names)[0])

typedef struct report_texts {
    char *json, *text;
} report_texts;

/* Counters of the last call, or with another name in the JSON. */
static const char *const not_in_json[] = {"units", "slice_units_longest_ever"};

static void has_json(const char *field, const void *context)
{
    if (IS_ONE_OF(field, not_in_json)) return;
    test_note("%s", field);
    CHECK(strstr(((const report_texts *)context)->json, test_text("\"%s\": ", field)) != NULL);
}

/* Counters that stay 0 when a run only records, because nothing is requested. */
static const char *const not_of_a_run[] = {
    "frame_first",        "frame_last",       "requests_exact",  "requests_interpolated",
    "requests_simulated", "requests_outside", "inputs_replayed", "frames_simulated",
    "restores",           "restarts"};

static void has_json_of_cache(const char *field, const void *context)
{
    if (IS_ONE_OF(field, not_of_a_run)) return;
    test_note("%s", field);
    CHECK(strstr(((const report_texts *)context)->json, test_text("\"cache_%s\": ", field)) !=
          NULL);
}

/* Counters that do not concern a limit. */
static const char *const events[] = {"units",          "slice_units_longest_ever",
                                     "game_frames",    "frames",
                                     "steps",          "lag_ticks",
                                     "born",           "died",
                                     "pairs",          "contacts",
                                     "collisions",     "lists_built",
                                     "links_broken",   "lagged_frames",
                                     "springs",        "springs_removed",
                                     "events",         "neighbours_dropped_frame",
                                     "room_hops",      "rooms_exceeded",
                                     "vortons_merged", "vortons_split"};

static void has_line(const char *field, const void *context)
{
    const report_texts *texts = context;
    if (IS_ONE_OF(field, events)) return;
    const char *at = strstr(texts->json, test_text("\"%s\": ", field));
    test_note("%s", field);
    if (!CHECK(at != NULL)) return;
    at += strlen(field) + 4;
    CHECK(strstr(texts->text, test_text(" %.*s ", (int)strspn(at, "0123456789"), at)) != NULL);
}

static char *text_of(void (*print)(FILE *, const stage *, const loop *), const stage *staged,
                     const loop *frames)
{
    FILE *file = tmpfile();
    char *text = calloc(1, 65536);
    if (!file || !text) exit(2);
    print(file, staged, frames);
    rewind(file);
    CHECK(fread(text, 1, 65535, file) > 0);
    fclose(file);
    return text;
}

/* A report in which every counter has a different value. */
static void make_texts(report_texts *texts)
{
    static stage staged;
    static loop frames;
    uint64_t words[sizeof(tp_report) / 8];
    for (size_t i = 0; i < sizeof words / 8; i++)
        words[i] = (1000003u + 17u * i) | (uint64_t)i << 40;
    memcpy(&frames.report.world, words, sizeof words);
    for (int p = 0; p < TP_POOL_COUNT; p++)
        frames.report.world.pools[p].refused = 900000u + (uint32_t)p;
    staged.scene.name = "made";
    staged.scene.world = tp_world_default(2);
    frames.report.frames = 1;
    texts->json = text_of(run_print_json, &staged, &frames);
    texts->text = text_of(run_print_report, &staged, &frames);
}

static void every_counter_of_the_runtime_is_in_the_json(void)
{
    report_texts texts;
    make_texts(&texts);
    each_counter("tp_report", has_json, &texts);
    each_counter("tp_cache_counters", has_json_of_cache, &texts);
    for (uint32_t p = 0; p < TP_POOL_COUNT; p++)
        CHECK(strstr(texts.json, test_text("\"refused\": %u", 900000u + p)) != NULL);
    free(texts.json);
    free(texts.text);
}

static void every_limit_that_was_hit_is_in_the_text(void)
{
    report_texts texts;
    make_texts(&texts);
    each_counter("tp_report", has_line, &texts);
    for (uint32_t p = 0; p < TP_POOL_PAIRS;
         p++) /* refused pairs are reported as dropped neighbours */
        CHECK(strstr(texts.text, test_text(" %u ", 900000u + p)) != NULL);
    CHECK(strstr(texts.text, "limits hit  900000 births refused (world: particles)\n") != NULL);
    free(texts.json);
    free(texts.text);
}

static const char scene_text[] =
    "world\n    dimensions = 2\n    particles = 10\n    solver = none\n    fps = 60\n"
    "emitter spout\n    shape = box\n    position = 0 0\n    size = 1 1\n"
    "    rate = 600 /s\n"
    "cache\n    frames = 3\n"
    "run\n    frames = 6\n";

static void refused_births_and_evicted_frames_are_told(void)
{
    char *folder = test_folder_make();
    const char *path = test_text("%s/full.scene", folder);
    test_file_write(path, scene_text, sizeof scene_text - 1);
    test_output run = test_command(command_run, test_text("run %s", path));
    CHECK_EQ(run.code, HOST_DONE);
    CHECK(strstr(run.standard, "limits hit  50 births refused (world: particles)\n") != NULL);
    CHECK(strstr(run.standard,
                 "\n            3 frames evicted from the cache (cache: bytes, frames)\n") != NULL);
    test_output_free(&run);
    run = test_command(command_run, test_text("run %s --json", path));
    CHECK(strstr(run.standard, "\"births_refused\": 50,") != NULL);
    CHECK(strstr(run.standard, "\"cache_frames_evicted\": 3,") != NULL);
    test_output_free(&run);
    run = test_command(command_run, test_text("run %s --frames 1", path));
    CHECK(strstr(run.standard, "\nlimits hit  none\n") != NULL);
    test_output_free(&run);
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(every_counter_of_the_runtime_is_in_the_json),
    TEST_CASE(every_limit_that_was_hit_is_in_the_text),
    TEST_CASE(refused_births_and_evicted_frames_are_told),
};
TEST_SUITE(run_report, cases);
