/* SPDX-License-Identifier: MIT
   tests/unit/test_commands.c - the program as a user runs it: exit codes, messages, files left,
           reports.
   reads   build/tidepool      writes  a temporary folder
   memory  small      cost    some seconds: short runs
   after   own design */
#include "commands/run.h"
#include "files_help.h"
#include "test.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROGRAM "build/tidepool"

static char output[65536]; /* output of the last program run: both streams */

/* Runs a shell command line; returns its exit code. */
static int run(const char *format, const char *argument)
{
    char line[1024];
    int length = snprintf(line, sizeof line, format, argument);
    size_t used = 0, got;
    output[0] = 0;
    if (length < 0 || (size_t)length >= sizeof line) return -1;
    test_note("%s", line);
    FILE *stream = popen(line, "r");
    if (!stream) return -1;
    while ((got = fread(output + used, 1, sizeof output - 1 - used, stream)) > 0) used += got;
    output[used] = 0;
    int status = pclose(stream);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The program exits with `code` and prints one line that begins with its name and contains
   `text`. */
static void fails(const char *arguments, int code, const char *text)
{
    int got = run(PROGRAM " %s 2>&1 </dev/null", arguments);
    test_note("tidepool %s\n    wanted %d: %s\n    got %d: %.300s", arguments, code, text, got,
              output);
    CHECK(got == code);
    CHECK(strncmp(output, "tidepool: ", 10) == 0);
    CHECK(strstr(output, text) != NULL);
    const char *end = strchr(output, '\n');
    CHECK(end && end[1] == 0);
}

/* The number after "name": in the output; -1 if it is missing. */
static double field(const char *name)
{
    char wanted[80];
    snprintf(wanted, sizeof wanted, "\"%s\": ", name);
    const char *at = strstr(output, wanted);
    return at ? strtod(at + strlen(wanted), NULL) : -1;
}

static void copy_hash(char to[17])
{
    const char *at = strstr(output, "\"state_hash\": \"");
    memset(to, 0, 17);
    if (at) memcpy(to, at + 15, 16);
}

/* ---- usage */

static void wrong_usage_is_told_with_exit_code_2(void)
{
    fails("rnu", 2, "unknown command 'rnu'; did you mean 'tidepool run'?");
    fails("xyzzy", 2, "unknown command 'xyzzy'; see tidepool help");
    fails("verify", 2, "expected PATH; see tidepool verify --help");
    fails("activity", 2, "expected PATH; see tidepool activity --help");
    fails("activity x.csv --regions 17", 2, "--regions 17: allowed: 1 to 16");
    fails("run", 2, "needs a scene");
    fails("run dam_break --frames 0", 2, "--frames 0: allowed: 1 to 1048576");
    fails("run dam_break --frames x", 2, "--frames x");
    fails("run dam_break --work -5", 2, "--work -5");
    fails("run dam_break --slice 63", 2, "--slice 63: allowed: 64 to 65536");
    fails("run dam_break --slice 65537", 2, "--slice 65537: allowed: 64 to 65536");
    fails("run dam_break --threads 0", 2, "--threads 0: allowed: 1 to 16");
    fails("run dam_break --threads 17", 2, "--threads 17: allowed: 1 to 16");
    fails("run dam_break --sed 1", 2, "unknown option --sed; did you mean --seed?");
    fails("run dam_break --framse=9", 2, "unknown option --framse=9; did you mean --frames?");
    fails("run dam_break --zzzzzz", 2, "unknown option --zzzzzz; see tidepool run --help");
    fails("run dam_break --frames -5 --frames 2", 2, "--frames is given twice; give it once");
    fails("run dam_break --frames=2 --frames 2", 2, "--frames is given twice; give it once");
    fails("run dam_break --quiet --json --quiet", 2, "--quiet is given twice; give it once");
    fails("run dam_break stir", 2, "one argument too many: stir");
    fails("run dam_break --csv", 2, "--csv needs --out");
    fails("run dam_break --steps-csv -", 2, "both go to standard output");
    fails("run dam_break --steps-csv - --quiet --json", 2, "both go to standard output");
    fails("bench sph4d", 2, "no benchmark 'sph4d'");
    fails("bench sph2d --neighbours 20", 2, "--neighbours 20: allowed: 13 or 26");
    fails("bench sph2d --fluid x", 2, "--fluid x: allowed: double_density or incompressible");
    fails("bench lj --fluid incompressible", 2, "--fluid is for sph2d and sph3d");
    fails("bench sph2d --fluid incompressible --neighbours 13", 2, "--neighbours is of");
    fails("bench grid --dimensions 4", 2, "--dimensions 4: allowed: 2 to 3");
    fails("bench sph2d --threads 0", 2, "--threads 0: allowed: 1 to 16");
    fails("bench bphys --scaling build/x.svg", 2, "bphys has no --scaling");
    fails("bench --scaling build/x.svg --particles 999", 2, "--particles 1000 or more");
    fails("render x", 2, "needs --out");
    fails("render x --out y.bmp", 2, "--out y.bmp: allowed");
    fails("render x --out y.gif --size 5", 2, "--size 5");
    fails("render x --out y.gif --style foam", 2, "--style foam: allowed: beads, fluid");
    fails("render x --out y.png --samples 4", 2, "need --light FILE");
    fails("render x --out y.png --light z --samples 0", 2, "--samples 0: allowed: 1 to 4096");
    fails("render x --out y.png --light z --noise n.png", 2, "--noise n.png: allowed");
    fails("render x --out y.png --light z --style fluid", 2, "leave out --style");
    fails("render x --out y.png --light z --style smoke", 2, "leave out --style");
    fails("run dam_break --out build/x --style smoke", 2, "needs a scene of three dimensions");
    fails("run dam_break --style beads", 2, "--style needs --out DIR");
    fails("run dam_break --out build/x --style foam", 2, "--style foam: allowed: fluid, beads");
    fails("level", 2, "needs a level");
    fails("level x", 2, "needs --out DIR");
    fails("level x --out build --scale 0", 2, "--scale 0: allowed: 1e-6 to 9");
    fails("level x --out build --name a/b", 2, "--name 'a/b': allowed");
    fails("level no_such.lvl --out build", 4, "no_such.lvl");
    fails("level Makefile --out build", 3, "Makefile:0: expected a level of version 0x20");
    fails("light", 2, "needs a mesh");
    fails("light x.obj", 2, "needs --out FILE.tpl");
    fails("light x.obj --out x.tpl --links 5", 2, "--links 5: allowed: 16 to 1024");
    fails("light x.obj --out x.tpl --theta nan", 2, "--theta nan: allowed: 0 to 1");
    fails("light no_such.obj --out build/x.tpl", 4, "no_such.obj");
    fails("size", 2, "needs a scene");
    fails("help rnu", 2, "unknown command 'rnu'");
}

static void bad_scenes_and_missing_files_are_told(void)
{
    fails("run dam_brake", 3, "dam_brake: no such scene or file; did you mean 'dam_break'?");
    fails("run no/such/file", 3,
          "no such scene or file; shipped scenes: article, boat, candle, cape, cup, ");
    fails("hash zzz --frames 1", 3, "no such scene or file");
    fails("size zzz", 3, "no such scene or file");
    fails("render build/no_such_sequence --out build/x.png", 4, "no_such_sequence");
    fails("render host_tools/scenes/stir.scene --out build/x.png", 3,
          "expected frames, found a scene: run it first, as in tidepool run "
          "host_tools/scenes/stir.scene");
    fails("render host_tools/scenes/stir.scene", 3,
          "expected frames, found a scene: run it first, as in tidepool run "
          "host_tools/scenes/stir.scene");
    fails("render dam_break", 3,
          "expected frames, found a scene: run it first, as in tidepool run dam_break");
    fails("render tests/fixtures/blender/newton_s1/none", 2, "needs --out FILE.png, .gif or .y4m");
    fails("render tests/fixtures/blender/newton_s1/none --out build/x.png --frame 300", 2,
          "newton_s1/none has no frame 300; its frames are 1 to 40");
    fails("render tests/fixtures/blender/newton_s1/none --out build/x.png --frame 0.5", 2,
          "has no frame 0.5; its frames are 1 to 40");
    fails("render tests/fixtures/blender/newton_s1/none --out build/x.gif --frames 41-50", 2,
          "has no frame in 41-50; its frames are 1 to 40");
    fails("render dam_break --out build/x.png", 3, "found a scene: run it first");
    fails("info host_tools/scenes/stir.scene", 3, "found a scene: run it first");
}

static void help_exists_for_every_command(void)
{
    static const char *const names[] = {"run",  "bake",   "info",     "convert", "verify",
                                        "diff", "sample", "activity", "render",  "size",
                                        "hash", "bench",  "help",     "light",   "level"};
    CHECK(run(PROGRAM " help 2>&1%s", "") == 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        static char overview[sizeof output];
        CHECK(run(PROGRAM " help %s 2>&1", names[i]) == 0);
        CHECK(strstr(output, "usage: tidepool ") != NULL);
        CHECK(strstr(output, "example: tidepool ") != NULL);
        snprintf(overview, sizeof overview, "%s", output);
        CHECK(run(PROGRAM " %s --help 2>&1", names[i]) == 0);
        CHECK(strcmp(overview, output) == 0);
    }
    CHECK(run(PROGRAM " --version%s", "") == 0);
    CHECK(strstr(output, "vectors of ") != NULL &&
          strstr(output, " numbers on this machine") != NULL);
    CHECK(run(PROGRAM " 2>&1%s", "") == 2);
}

/* If requested output cannot be printed, that is a write error. */
/* If an output file got the number of a closed descriptor, notes or printed text would go into
   it. */
static void closed_descriptors_put_no_text_into_outputs(void)
{
    static const char *const closed[] = {"2>&-", "2>&- >&- <&-", "2>&- <&-"};
    static const char *const endings[] = {"csv", "xyz", "lammpstrj"};
    const char *in = "tests/fixtures/blender/samples/F_fluid_springs.bphys";
    char *folder = test_folder_make();
    for (uint32_t i = 0; i < 9; i++) {
        char *open = host_text("%s/open.%s", folder, endings[i / 3]);
        char *shut = host_text("%s/shut.%s", folder, endings[i / 3]);
        test_note("%s %s", endings[i / 3], closed[i % 3]);
        CHECK(run("%s", test_text(PROGRAM " convert %s %s >/dev/null 2>&1", in, open)) == 0);
        int code = run("%s", test_text(PROGRAM " convert %s %s %s", in, shut, closed[i % 3]));
        CHECK_EQ(code, i % 3 == 1 ? 4 : 0);
        CHECK(test_files_equal(open, shut));
        free(open);
        free(shut);
    }
    test_folder_remove(folder);
}

static void help_to_a_full_device_is_an_error(void)
{
    static const char *const asked[] = {"--help", "-h",       "--version",
                                        "help",   "help run", "run --help"};
    if (access("/dev/full", W_OK) != 0) return; /* exists on Linux */
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        CHECK(run(PROGRAM " %s 2>&1 >/dev/full", asked[i]) == 4);
        CHECK(strcmp(output, "tidepool: standard output: cannot write\n") == 0);
    }
}

/* ---- runs */

static const char *const json_fields[] = {"scene",
                                          "frames",
                                          "steps",
                                          "particles",
                                          "seed",
                                          "state_hash",
                                          "memory_bytes",
                                          "heap_allocations_during_run",
                                          "budget_units",
                                          "max_frame_units",
                                          "budget_us",
                                          "max_frame_us",
                                          "median_frame_us",
                                          "frames_over_budget",
                                          "frames_over_budget_us",
                                          "game_frames",
                                          "max_slice_units",
                                          "lagged_frames",
                                          "neighbours_dropped",
                                          "neighbours_dropped_frame",
                                          "neighbours_dropped_share",
                                          "killed_particles",
                                          "steps_restarted",
                                          "cache_bytes",
                                          "cache_frames"};

static void a_run_reports_every_field_and_allocates_nothing(void)
{
    if (!CHECK(run(PROGRAM " run dam_break --frames 30 --json%s", "") == 0)) return;
    for (size_t i = 0; i < sizeof json_fields / sizeof json_fields[0]; i++) {
        test_note("field %s of %.400s", json_fields[i], output);
        CHECK(strstr(output, test_text("\"%s\": ", json_fields[i])) != NULL);
    }
    CHECK(field("frames") == 30);
    CHECK(field("particles") == 3000);
    if (!strstr(output, "\"heap_allocations_during_run\": null"))
        CHECK(field("heap_allocations_during_run") == 0);
    CHECK(field("frames_over_budget") == 0);
    CHECK(field("max_frame_units") <= field("budget_units") + field("slice_units"));
    CHECK(field("max_slice_units") <= field("slice_units") + 1);
    CHECK(field("killed_particles") == 0);
    CHECK(field("cache_frames") == 30);
    CHECK(field("memory_bytes") > 100000);
}

/* The scene of the first page keeps its volume and its particles. */
static void the_shipped_dam_is_incompressible(void)
{
    const uint32_t frames = test_is_long() ? 300 : 30;
    if (!CHECK(run(test_text(PROGRAM " run dam_break --frames %u --json%%s", frames), "") == 0))
        return;
    double compression = field("frame_compression_max");
    test_note("mean compression of the worst of %u frames: %g", frames, compression);
    CHECK(compression > 1e-5 && compression <= 0.02);
    CHECK(field("particles") == 3000);
    CHECK(field("killed_particles") == 0);
    CHECK(field("neighbours_dropped") == 0);
    CHECK(field("speeds_clamped") == 0);
}

/* So is the one in 3D; no step is in slow motion, and no frame exceeds its budget. */
static void the_shipped_dam_in_3d_is_incompressible(void)
{
    const uint32_t frames = test_is_long() ? 180 : 3;
    if (!CHECK(run(test_text(PROGRAM " run dam_break_3d --frames %u --json%%s", frames), "") == 0))
        return;
    double compression = field("frame_compression_max"),
           particle = field("particle_compression_max");
    test_note("worst of %u frames: %g, worst particle %g", frames, compression, particle);
    CHECK(compression > 1e-6 && compression <= 0.01);
    CHECK(particle <= 0.1);
    CHECK(field("particles") == 20000);
    CHECK(field("frames_over_budget") == 0);
    CHECK(field("killed_particles") == 0);
    CHECK(field("neighbours_dropped") == 0);
    CHECK(field("speeds_clamped") == 0);
    CHECK(field("steps_strained") == 0);
}

static void budgets_and_slices_do_not_change_the_state(void)
{
    static const char *const budgets[] = {"--work 0",
                                          "--slice 64",
                                          "--slice 65536",
                                          "--work 20000",
                                          "--work 200000 --slice 64",
                                          "--threads 3",
                                          "--threads 2 --work 200000",
                                          "--work 3000 --slice 1000"};
    char first[17], other[17];
    if (!CHECK(run(PROGRAM " run dam_break --frames 20 --json%s", "") == 0)) return;
    copy_hash(first);
    CHECK(strlen(first) == 16);
    for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++) {
        CHECK(run(PROGRAM " run dam_break --frames 20 --json %s", budgets[i]) == 0);
        copy_hash(other);
        test_note("dam_break, seed 1, frame 20, %s: %s, without: %s", budgets[i], other, first);
        CHECK(strcmp(first, other) == 0);
        CHECK(field("frames") == 20);
        CHECK(field("cache_frames") == 20);
        CHECK(field("frames_over_budget") == 0);
        if (field("budget_units") > 0)
            CHECK(field("max_frame_units") <= field("budget_units") + field("slice_units"));
    }
    CHECK(run(PROGRAM " hash dam_break --frames 20%s", "") == 0);
    CHECK(strncmp(first, output, 16) == 0);
}

/* Whole tiles of the cache cost more than the smallest slice: the excess is reserved in the
   budget. */
static void a_frame_exceeds_its_budget_by_less_than_the_slice_asked_for(void)
{
    static const char *const works[] = {"5000", "20000", "60000"};
    for (size_t i = 0; i < sizeof works / sizeof works[0]; i++) {
        CHECK(run(PROGRAM " run dam_break --frames 10 --slice 64 --json --work %s", works[i]) == 0);
        test_note("--work %s: at most %g units per frame", works[i], field("max_frame_units"));
        CHECK(field("max_frame_units") < field("budget_units") + 64.0);
        CHECK(field("frames_over_budget") == 0);
        CHECK(field("cache_frames") == 10);
    }
}

static void a_starved_run_takes_more_game_frames(void)
{
    CHECK(run(PROGRAM " run dam_break --frames 5 --work 30000 --json%s", "") == 0);
    CHECK(field("game_frames") > 20);
    CHECK(field("lagged_frames") > 15);
    CHECK(field("frames") == 5);
}

static void seeds_change_what_is_random(void)
{
    char first[17];
    CHECK(run(PROGRAM " run fountain --frames 10 --json%s", "") == 0);
    copy_hash(first);
    CHECK(run(PROGRAM " run fountain --frames 10 --seed 7 --json%s", "") == 0);
    char other[17];
    copy_hash(other);
    CHECK(strcmp(first, other) != 0);
    CHECK(field("seed") == 7);
}

/* ---- files */

static void a_run_leaves_its_files_and_no_others(void)
{
    char *folder = test_folder_make();
    CHECK(run(PROGRAM " run dam_break --frames 6 --out %s/new", folder) == 0);
    CHECK(strstr(output, "in Blender") != NULL);
    static const char *const files[] = {"_000000_00.bphys",
                                        "_000001_00.bphys",
                                        "_000006_00.bphys",
                                        ".png",
                                        ".gif",
                                        "_budget.svg",
                                        ".json",
                                        ".tpc"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        CHECK(test_file_exists(test_text("%s/new/dam_break%s", folder, files[i])));
    CHECK_EQ(test_folder_count(test_text("%s/new", folder)), 7 + 5);
    CHECK(run(PROGRAM " verify %s/new/dam_break.tpc", folder) == 0);
    CHECK(run(test_text(PROGRAM " diff %s/new/dam_break %%s/new/dam_break.tpc --tolerance 0.02",
                        folder),
              folder) == 0);
    CHECK(
        run(PROGRAM
            " render %s/new/dam_break --out build/test_commands.png --frame 3 --size 64x48 --quiet",
            folder) == 0);
    CHECK(test_file_exists("build/test_commands.png"));
    remove("build/test_commands.png");
    test_file_write(test_text("%s/a.light", folder), "sky\n above = 1 1 1\n", 19);
    CHECK(run(test_text(PROGRAM " render %s/new/dam_break --out %%s/lit.png --noise %s/noise.png "
                                "--light %s/a.light --frame 3 --size 32x24 --samples 1 --quiet",
                        folder, folder, folder),
              folder) == 0);
    CHECK(test_file_exists(test_text("%s/lit.png", folder)));
    CHECK(test_file_exists(test_text("%s/noise.png", folder)));
    test_folder_remove(folder);
}

static void an_error_leaves_no_file(void)
{
    char *folder = test_folder_make();
    test_file_write(test_text("%s/bad.scene", folder), "world\n dimensions = 2\n particles = 0\n",
                    37);
    test_file_write(test_text("%s/file", folder), "x", 1);
    CHECK(run(test_text(PROGRAM " run %s/bad.scene --out %%s/out 2>&1", folder), folder) == 3);
    CHECK(strstr(output, "bad.scene:3: field 'particles'") != NULL);
    CHECK(run(PROGRAM " run dam_break --frames 2 --out %s/file/out 2>&1", folder) == 4);
    CHECK(run(PROGRAM " run dam_break --frames 2 --out %s/no/such 2>&1", folder) == 4);
    CHECK_EQ(test_folder_count(folder), 2);
    test_folder_remove(folder);
}

/* A picture of an earlier run, and a folder where a file must go. */
static void what_is_in_the_way_is_told_and_nothing_is_overwritten(void)
{
    static const char *const blocked[] = {
        ".png", ".gif", "_budget.svg", ".json", ".tpc", "_000003_00.bphys", "_000000_00.bphys"};
    for (size_t i = 0; i < sizeof blocked / sizeof blocked[0]; i++) {
        char *folder = test_folder_make(), bytes[4] = "";
        const char *kept = test_text("%s/dam_break%s", folder, i ? ".png" : ".gif");
        CHECK(run(test_text("mkdir %%s/dam_break%s", blocked[i]), folder) == 0);
        test_file_write(kept, "OLD", 3);
        CHECK(run(PROGRAM " run dam_break --frames 5 --out %s --quiet 2>&1", folder) == 4);
        CHECK(strstr(output, "cannot replace it: not a regular file") != NULL);
        CHECK_EQ(test_folder_count(folder), 2);
        FILE *stream = fopen(kept, "rb");
        CHECK(stream && fread(bytes, 1, 4, stream) == 3 && memcmp(bytes, "OLD", 3) == 0);
        if (stream) fclose(stream);
        test_folder_remove(folder);
    }
}

static void place_files(void *context)
{
    run_output *files = context;
    CHECK(run_place_files(files) == HOST_IO);
}

/* The same for files that appear between the check and the end of the run. */
static void files_that_were_replaced_come_back_after_an_error(void)
{
    char *folder = test_folder_make(), old[4] = "";
    run_output files = {.folder = folder, .name = "a"};
    CHECK(run_check_targets(&files) == HOST_DONE && run_make_folders(&files) == HOST_DONE);
    test_file_write(test_text("%s/a.png", folder), "OLD", 3);
    test_file_write(test_text("%s/a.png", files.hidden), "new", 3);
    test_file_write(test_text("%s/a.gif", files.hidden), "new", 3);
    test_file_write(test_text("%s/a.json", files.hidden), "new", 3);
    CHECK(run("mkdir %s/a.json", folder) == 0);
    char *errors = test_errors_of(place_files, &files);
    CHECK(strstr(errors, "a.json: cannot replace it") != NULL);
    run_remove_folders(&files, false);
    CHECK_EQ(test_folder_count(folder), 2);
    FILE *stream = fopen(test_text("%s/a.png", folder), "rb");
    CHECK(stream && fread(old, 1, 4, stream) == 3 && memcmp(old, "OLD", 3) == 0);
    if (stream) fclose(stream);
    free(errors);
    test_folder_remove(folder);
}

/* Starts the program and sends it the signal as soon as the folder has an entry; returns its wait
   status. */
static int interrupt(const char *const *words, const char *folder, int number)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        signal(number, SIG_DFL); /* a shell may have started the tests with this signal ignored */
        if (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout)) _exit(3);
        char *arguments[12] = {NULL};
        for (size_t i = 0; words[i] && i < 11; i++) arguments[i] = host_text("%s", words[i]);
        execv(PROGRAM, arguments);
        _exit(3);
    }
    if (child < 0) return -1;
    while (test_folder_count(folder) == 0 && waitpid(child, &status, WNOHANG) == 0) {
        struct timespec pause = {0, 1000000};
        nanosleep(&pause, NULL);
    }
    kill(child, number);
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* On a busy machine a run may end before the signal is sent; then it is repeated. */
static void an_interrupted_run_leaves_nothing(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < 3; i++) {
        int ended_by = 0;
        for (int attempt = 0; attempt < 20 && !ended_by; attempt++) {
            char *folder = test_folder_make();
            const char *const words[] = {"tidepool", "run",   "dam_break_3d", "--frames", "12",
                                         "--quiet",  "--out", folder,         NULL};
            ended_by = interrupt(words, folder, numbers[i]);
            test_note("signal %d, attempt %d: ended by %d", numbers[i], attempt, ended_by);
            if (ended_by) CHECK_EQ(test_folder_count(folder), 0);
            test_folder_remove(folder);
        }
        CHECK_EQ(ended_by, numbers[i]);
    }
}

static void a_world_without_a_source_of_particles_is_told(void)
{
    static const char *const idle[] = {"", "emitter e\\n", "emitter e\\n lifetime = 1 s\\n"};
    static const char *const busy[] = {"emitter e\\n rate = 5 /s\\n", "emitter e\\n burst = 5\\n",
                                       "emitter a\\nemitter b\\n burst = 1\\n"};
    const char *line =
        "printf 'world\\n dimensions = 2\\n particles = 5\\n%s' | " PROGRAM " %%s --frames 1 2>&1";
    for (size_t i = 0; i < 3; i++) {
        CHECK(run(test_text(line, idle[i]), "hash -") == 0);
        CHECK(strstr(output, "standard input:1: note: the world has no source of particles") !=
              NULL);
        CHECK(run(test_text(line, idle[i]), "run - --quiet") == 0);
        CHECK(!*output);
        CHECK(run(test_text(line, busy[i]), "hash -") == 0);
        CHECK(strstr(output, "note:") == NULL);
    }
}

static void scenes_come_from_standard_input_and_from_any_folder(void)
{
    CHECK(run("printf 'world\\n dimensions = 2\\n particles = 5\\nemitter e\\n burst = 1\\n' "
              "| " PROGRAM " hash - --frames 1%s",
              "") == 0);
    CHECK(strlen(output) == 17);
    char *folder = test_folder_make();
    CHECK(run("cd %s && \"$OLDPWD/" PROGRAM "\" hash stir --frames 1", folder) == 0);
    test_folder_remove(folder);
}

/* Sum of the parts' bytes in the object `name` of the output. */
static double parts_sum(const char *name)
{
    double sum = 0;
    const char *at = strstr(output, test_text("\"%s\": {", name)), *end;
    at = at ? strstr(at, "\"parts\"") : NULL;
    end = at ? strstr(at, "]}") : NULL;
    for (; at && (at = strstr(at, "\"bytes\": ")) && at < end; at++) sum += strtod(at + 9, NULL);
    return sum;
}

static void sizes_add_up(void)
{
    static const char *const scenes[] = {"dam_break", "lj_melt", "rain"};
    for (size_t i = 0; i < 3; i++) {
        CHECK(run(PROGRAM " size %s --json", scenes[i]) == 0);
        double whole = field("bytes");
        CHECK(whole > 0);
        CHECK_NEAR(parts_sum("stored"), whole, 0);
        CHECK(i == 2 ? parts_sum("compact") <= whole : parts_sum("compact") < 0.6 * whole);
        CHECK(run(PROGRAM " run %s --frames 1 --json", scenes[i]) == 0);
        CHECK(field("memory_bytes") == whole);
    }
}

static void sizes_tell_of_the_lists_of_pair_forces(void)
{
    CHECK(run(PROGRAM " size lj_melt%s", "") == 0);
    CHECK(strstr(output, "the scene uses: stored") != NULL);
    CHECK(strstr(output, "cutoff 2.5 and skin 0.3 sigmas, kept") != NULL);
    CHECK(strstr(output, "listed x             step: pairs") != NULL);
    CHECK(
        run("sed 's/skin = 0.3/skin = 0\\n arrangement = compact/' host_tools/scenes/lj_melt.scene "
            "| " PROGRAM " size -%s",
            "") == 0);
    CHECK(strstr(output, "the scene uses: compact") != NULL);
    CHECK(strstr(output, "skin 0 sigmas, rebuilt in every step") != NULL);
}

static void a_benchmark_reports_its_fields(void)
{
    static const char *const fields[] = {
        "name",      "particles", "steps",     "seconds", "ns_per_particle_step",
        "median_ns", "worst_ns",  "state_hash"};
    CHECK(run(PROGRAM " bench sph2d --particles 500 --steps 10 --json%s", "") == 0);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        CHECK(strstr(output, test_text("\"%s\": ", fields[i])) != NULL);
    CHECK(field("particles") == 500);
    CHECK(field("median_ns") <= field("worst_ns"));
    CHECK(field("bytes_touched") > 200);
    CHECK(field("pairs_per_second") > 0 && field("gb_per_second") > 0);
    CHECK(field("triad_gb_per_second") > 0 && field("copy_gb_per_second") > 0);
}

static void the_benchmark_of_tiles_takes_paths(void)
{
    CHECK(run(PROGRAM " bench cache %s --json", "tests/fixtures/blender/hair/none") == 0);
    CHECK(
        strstr(output,
               "\"name\": \"cache\", \"sets\": [{\"name\": \"tests/fixtures/blender/hair/none\"") !=
        NULL);
    CHECK(field("points") == 72 && field("frames") == 20);
    CHECK(field("bytes_per_point_frame") > 0.1);
    CHECK(field("bytes_per_point_frame") < field("plain_bytes_per_point_frame"));
    CHECK(field("median_ns") <= field("worst_ns"));
    fails("bench grid build/x", 2, "one argument too many: build/x");
    fails("bench cache build/nothing", 4, "build/nothing");
}

static void threads_change_no_benchmark_s_hash(void)
{
    static const char *const names[] = {"sph2d --steps 10", "sph3d --steps 4", "lj --steps 4",
                                        "grid --steps 2"};
    char first[17], other[17];
    for (size_t i = 0; i < 4; i++) {
        CHECK(run(PROGRAM " bench %s --particles 4000 --json", names[i]) == 0);
        copy_hash(first);
        CHECK(field("threads") == 1 && strlen(first) == 16);
        CHECK(run(PROGRAM " bench %s --particles 4000 --threads 3 --json", names[i]) == 0);
        copy_hash(other);
        CHECK(field("threads") == 3 && strcmp(first, other) == 0);
    }
}

static void the_search_for_pairs_has_a_row_a_case(void)
{
    static const char *const rows[] = {"random order",    "the world's order", "periodic box",
                                       "one far outlier", "clustered",         "block of fluid"};
    CHECK(run(PROGRAM " bench grid --particles 1000 --steps 1 --dimensions 2%s", "") == 0);
    for (size_t i = 0; i < 6; i++) CHECK(strstr(output, rows[i]) != NULL);
    CHECK(run(PROGRAM " bench grid --particles 1000 --steps 1 --json%s", "") == 0);
    for (size_t i = 0; i < 6; i++)
        CHECK(strstr(output, test_text("{\"name\": \"%s\"", rows[i])) != NULL);
    CHECK(field("left_out") == 0);
}

static void caches_have_a_row_a_codec_and_a_conversion(void)
{
    static const char *const rows[] = {"\nlzo1x ", "\nlzma1 ", "\nfilter ", "\nzstd ",
                                       "\nnone ",  "\nlight ", "\nheavy ",  "\nplain copy "};
    CHECK(run(PROGRAM " bench bphys --particles 300 --steps 3%s", "") == 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK(strstr(output, rows[i]) != NULL);
    CHECK(run(PROGRAM " bench bphys --particles 300 --steps 1 --json%s", "") == 0);
    CHECK(field("particles") == 300 && field("steps") == 1 && field("bytes") == 8400);
    CHECK(field("ns_per_particle_step") > 0 && field("frames_per_second_into") > 0);
    CHECK(run("TMPDIR=build/no_such_folder " PROGRAM " bench bphys%s 2>&1", "") == 4);
}

static void scaling_leaves_a_curve(void)
{
    const char *path = "build/test_commands_scaling.svg";
    remove(path);
    CHECK(run(PROGRAM " bench --scaling %s --particles 3200 --steps 1", path) == 0);
    CHECK(strstr(output, "\n3162 ") != NULL && strstr(output, "\n10000 ") == NULL);
    CHECK(strstr(output, "growth") != NULL);
    CHECK(run("cat %s", path) == 0);
    CHECK(strstr(output, "<svg") && strstr(output, ">1000<") && strstr(output, "</svg>"));
    CHECK(run(PROGRAM " bench lj --json --scaling %s --particles 1000 --steps 1", path) == 0);
    CHECK(strncmp(output, "{\"name\": \"lj\"", 13) == 0 && field("particles") == 864);
    CHECK(run(PROGRAM " bench lj --scaling %s/no/such.svg --particles 1000 --steps 1 2>&1",
              "build") == 4);
    remove(path);
}

/* The size that the README states for a window of ten seconds to rewind. */
static void ten_seconds_of_3000_particles_rewind_in_two_megabytes(void)
{
    CHECK(run(PROGRAM " run %s --json", "rewind") == 0);
    CHECK(field("frames") == 600 && field("cache_frames") == 600 &&
          field("cache_frames_evicted") == 0);
    CHECK(field("cache_bytes") > 0 && field("cache_bytes") <= 2e6);
    CHECK(field("particles") == 3000);
    CHECK(run(PROGRAM " size %s --step 16 --json | grep cache", "rewind") == 0);
    CHECK(field("bytes") > 0 && field("bytes") <= 12e6);
}

/* The cache of that scene records positions only; the files also hold speeds and species. */
static void a_run_whose_cache_keeps_some_streams_leaves_its_files(void)
{
    char *folder = test_folder_make();
    double bytes[2], frames[2];
    char hash[2][17];
    for (int k = 0; k < 2; k++) {
        const char *options = k ? test_text("--json --csv --out %s", folder) : "--json";
        CHECK(run(PROGRAM " run rewind --frames 40 %s", options) == 0);
        bytes[k] = field("cache_bytes");
        frames[k] = field("cache_frames");
        copy_hash(hash[k]);
    }
    CHECK(bytes[0] == bytes[1] && frames[0] == 40 && frames[1] == 40 &&
          strcmp(hash[0], hash[1]) == 0);
    CHECK_EQ(test_folder_count(folder), 41 + 6);
    CHECK(run("awk -F, 'NR > 1 && $6 * $6 > 1 { n++ } END { print (n > 1000), NR }' %s/rewind.csv",
              folder) == 0);
    CHECK(strcmp(output, "1 120001\n") == 0);
    test_folder_remove(folder);
}

/* A row per step: the times add up, and budgets change neither rows nor the hash. */
static void a_table_of_steps_has_each_step_of_a_run(void)
{
    char *folder = test_folder_make(), hash[2][17];
    static const char *const budgets[2] = {"--work 0", "--work 1500 --slice 64"};
    for (int k = 0; k < 2; k++) {
        const char *path = test_text("%s/%d.csv", folder, k);
        CHECK(run(PROGRAM " run tube_and_bowl --frames 90 --json %s",
                  test_text("%s --steps-csv %s", budgets[k], path)) == 0);
        copy_hash(hash[k]);
    }
    double steps = field("steps");
    CHECK(strcmp(hash[0], hash[1]) == 0);
    CHECK(run("cd %s && cmp 0.csv 1.csv", folder) == 0);
    /* names, rows in order, the end of the last step, the last frame, different lengths */
    CHECK(run("awk -F, 'NR == 1 { print $0 } NR > 1 { if ($1 != NR - 1 || $2 < frame) bad++; "
              "frame = $2; sum += $4; if (NR == 2 || $4 < least) least = $4; if ($5 > most) most = "
              "$5 } END { print NR - 1, bad + 0, frame, (sum - $3 < 1e-5 && $3 - sum < 1e-5), "
              "($3 > 1.49 && $3 < 1.51), (least < 0.003), (most > 0.15) }' %s/0.csv",
              folder) == 0);
    CHECK(
        strcmp(output, test_text("step,frame,time,timestep,courant,particles\n%.0f 0 90 1 1 1 1\n",
                                 steps)) == 0);
    fails(test_text("run tube_and_bowl --frames 2 --steps-csv %s/none/x.csv", folder), 4,
          "none/x.csv");
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(a_table_of_steps_has_each_step_of_a_run),
    TEST_CASE(wrong_usage_is_told_with_exit_code_2),
    TEST_CASE(bad_scenes_and_missing_files_are_told),
    TEST_CASE(help_exists_for_every_command),
    TEST_CASE(closed_descriptors_put_no_text_into_outputs),
    TEST_CASE(help_to_a_full_device_is_an_error),
    TEST_CASE(a_run_reports_every_field_and_allocates_nothing),
    TEST_CASE(the_shipped_dam_is_incompressible),
    TEST_CASE(the_shipped_dam_in_3d_is_incompressible),
    TEST_CASE(budgets_and_slices_do_not_change_the_state),
    TEST_CASE(a_frame_exceeds_its_budget_by_less_than_the_slice_asked_for),
    TEST_CASE(a_starved_run_takes_more_game_frames),
    TEST_CASE(seeds_change_what_is_random),
    TEST_CASE(a_run_leaves_its_files_and_no_others),
    TEST_CASE(an_error_leaves_no_file),
    TEST_CASE(what_is_in_the_way_is_told_and_nothing_is_overwritten),
    TEST_CASE(files_that_were_replaced_come_back_after_an_error),
    TEST_CASE(an_interrupted_run_leaves_nothing),
    TEST_CASE(a_world_without_a_source_of_particles_is_told),
    TEST_CASE(scenes_come_from_standard_input_and_from_any_folder),
    TEST_CASE(sizes_add_up),
    TEST_CASE(sizes_tell_of_the_lists_of_pair_forces),
    TEST_CASE(a_benchmark_reports_its_fields),
    TEST_CASE(the_benchmark_of_tiles_takes_paths),
    TEST_CASE(threads_change_no_benchmark_s_hash),
    TEST_CASE(the_search_for_pairs_has_a_row_a_case),
    TEST_CASE(caches_have_a_row_a_codec_and_a_conversion),
    TEST_CASE(scaling_leaves_a_curve),
    TEST_CASE(ten_seconds_of_3000_particles_rewind_in_two_megabytes),
    TEST_CASE(a_run_whose_cache_keeps_some_streams_leaves_its_files),
};
TEST_SUITE(commands, cases);
