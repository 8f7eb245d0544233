/* SPDX-License-Identifier: MIT
   tests/unit/test_compare.c - `tidepool bench --compare`: programs to compare with, and what is
           wrong with them; `--lanes`.
   reads   host_tools/commands      writes  shell scripts in a temporary folder
   memory  small worlds      cost    some seconds, one of which is a time limit
   after   own design: each program is a shell script of some lines; no check depends on measured
           times */
#include "../../host_tools/commands/bench.h"
#include "../../host_tools/commands/commands.h"
#include "../../host_tools/common/host.h"
#include "files_help.h"
#include "tidepool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* A script of the name in the folder; returns its path. */
static const char *script_make(const char *folder, const char *name, const char *text)
{
    const char *path = test_text("%s/%s", folder, name),
               *whole = test_text("#!/bin/sh\n%s\n", text);
    test_file_write(path, whole, strlen(whole));
    CHECK(chmod(path, 0700) == 0);
    return path;
}

static char *text_read(const char *path)
{
    uint8_t *bytes = NULL;
    size_t size;
    if (!CHECK(host_read_file(path, &bytes, &size) == HOST_DONE)) return calloc(1, 1);
    return (char *)bytes;
}

/* The number after "name": in the text from `at` on; -1: there is none. */
static double field(const char *at, const char *name)
{
    at = strstr(at, test_text("\"%s\": ", name));
    return at ? strtod(strchr(at, ':') + 1, NULL) : -1;
}

static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;
    for (; (text = strstr(text, word)) != NULL; text++) count++;
    return count;
}

#define QUICK "bench sph2d --particles 200 --steps 4 "

/* The name of the script would do something else in a shell. */
static void a_program_is_called_with_the_case_and_its_figures_are_read(void)
{
    char *folder = test_folder_make();
    const char *path = script_make(folder, "a;b&$(exit)'",
                                   "echo $# $* >>$(dirname \"$0\")/calls\necho chatter\n"
                                   "printf 'neighbours 12.5\\r\\n'\n"
                                   "echo ns_per_particle_step_squared 9\n"
                                   "echo ns_per_particle_step \"  \" 1e2; echo particles 210");
    test_output output = test_command(
        command_bench, test_text(QUICK "--compare fake=%s --rounds 3 --json --lanes 4", path));
    test_note("%d: %s%s", output.code, output.standard, output.errors);
    CHECK_EQ(output.code, HOST_DONE);
    CHECK(!*output.errors);
    CHECK(strstr(output.standard, "{\"name\": \"sph2d\", ") == output.standard);
    CHECK(strstr(output.standard, "\"peer\": \"fake\", ") != NULL);
    CHECK_NEAR(field(output.standard, "particles"), 200, 0);
    CHECK_NEAR(field(output.standard, "lanes"), tp_lanes() < 4 ? 1 : 4, 0);
    CHECK_NEAR(field(output.standard, "peer_particles"), 210, 0);
    CHECK_NEAR(field(output.standard, "peer_neighbours"), 12.5, 0);
    CHECK_NEAR(field(output.standard, "peer_ns_per_particle_step"), 100, 0);
    CHECK_NEAR(field(output.standard, "rounds"), 3, 0);
    double ratio = field(output.standard, "ratio");
    CHECK_NEAR(ratio * field(output.standard, "ns_per_particle_step"), 100, 0.1);
    CHECK(field(output.standard, "ratio_least") <= ratio);
    CHECK(field(output.standard, "ratio_most") >= ratio);
    test_output_free(&output);
    char *calls = text_read(test_text("%s/calls", folder));
    CHECK(strcmp(calls, "3 200 4 2\n3 200 4 2\n3 200 4 2\n") == 0);
    free(calls);
    test_folder_remove(folder);
}

static void every_fault_of_a_program_is_told(void)
{
    static const struct {
        const char *script;
        int code;
        const char *text;
    } faults[] = {
        {"echo 1; echo 2", HOST_BAD_INPUT,
         "expected a line 'ns_per_particle_step VALUE', found none in 2 lines"},
        {":", HOST_BAD_INPUT, "found none in 0 lines"},
        {"echo; echo ns_per_particle_step fast", HOST_BAD_INPUT,
         ":2: expected a number above 0 after ns_per_particle_step, found 'fast'"},
        {"echo ns_per_particle_step", HOST_BAD_INPUT, "found ''"},
        {"echo ns_per_particle_step -1", HOST_BAD_INPUT, "found '-1'"},
        {"echo ns_per_particle_step 0", HOST_BAD_INPUT, "found '0'"},
        {"echo ns_per_particle_step nan", HOST_BAD_INPUT, "found 'nan'"},
        {"echo ns_per_particle_step 12 ns", HOST_BAD_INPUT, "found '12 ns'"},
        {"echo ns_per_particle_step 1; echo neighbours many", HOST_BAD_INPUT,
         ":2: expected a number above 0 after neighbours, found 'many'"},
        {"echo ns_per_particle_step 1; echo ns_per_particle_step 2", HOST_BAD_INPUT,
         ":2: prints ns_per_particle_step twice; expected one line"},
        {"echo first; echo no licence found; exit 7", HOST_BAD_INPUT,
         "ended with exit code 7; its last line is 'no licence found'"},
        {"exit 1", HOST_BAD_INPUT, "ended with exit code 1; its last line is ''"},
        {"kill -9 $$", HOST_BAD_INPUT, "was ended by signal 9"},
        {"exec yes", HOST_BAD_INPUT, "prints more than 16777216 bytes"},
    };
    char *folder = test_folder_make();
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        const char *path = script_make(folder, "peer", faults[i].script);
        test_note("%s", faults[i].script);
        test_expect(command_bench, test_text(QUICK "--compare fake=%s --rounds 1", path),
                    faults[i].code, faults[i].text);
    }
    test_expect(command_bench, test_text(QUICK "--compare fake=%s/none", folder), HOST_IO,
                "/none: cannot start it: No such file or directory");
    test_expect(command_bench, QUICK "--compare fake=no_program_of_this_name", HOST_IO,
                "; a name without / is searched for in PATH");
    test_expect(command_bench, test_text(QUICK "--compare fake=%s", folder), HOST_IO,
                "cannot start it: Permission denied");
    test_folder_remove(folder);
}

/* Ended, even if the process that inherited it has not collected it. */
static bool has_ended(int process)
{
    char line[256] = "";
    FILE *state = fopen(test_text("/proc/%d/stat", process), "r");
    if (state && !fgets(line, sizeof line, state)) line[0] = 0;
    if (state) fclose(state);
    return !state || strstr(line, ") Z ");
}

/* The program and what it started are ended. */
static void a_program_has_a_time_limit(void)
{
    char *folder = test_folder_make();
    const char *path = script_make(folder, "peer",
                                   "sleep 100 & echo $! >$(dirname \"$0\")/started\n"
                                   "sleep 100");
    test_expect(command_bench, test_text(QUICK "--compare fake=%s --rounds 1 --time-limit 1", path),
                HOST_IO, "has not ended after 1 s, and was stopped");
    char *started = text_read(test_text("%s/started", folder));
    int process = atoi(started), looks = 0;
    for (; process > 0 && looks < 100 && !has_ended(process); looks++)
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    CHECK(process > 0 && looks < 100);
    free(started);
    test_folder_remove(folder);
}

static void the_script_of_lammps_is_the_melt_of_ours(void)
{
    char *folder = test_folder_make();
    const char *path = script_make(folder, "lmp",
                                   "cat >>$(dirname \"$0\")/input\n"
                                   "echo 'Loop time of 9 on 1 procs for 2 steps with 500 atoms'\n"
                                   "echo '99.0% CPU use with 1 MPI tasks x no OpenMP threads'\n"
                                   "echo 'Loop time of 0.5 on 1 procs for 4 steps with 500 atoms'\n"
                                   "echo '50.0% CPU use with 1 MPI tasks x no OpenMP threads'\n"
                                   "echo 'Ave neighs/atom = 37.5'");
    test_output output = test_command(
        command_bench,
        test_text("bench --particles 500 --steps 4 --rounds 2 --compare lammps=%s --json", path));
    test_note("%s%s", output.standard, output.errors);
    CHECK_EQ(output.code, HOST_DONE);
    CHECK_EQ(count_of(output.standard, "{\"name\": \"lj\", "), 2);
    CHECK(strstr(output.standard, "\"peer_style\": \"lj/cut\"") != NULL);
    CHECK(strstr(output.standard, "\"peer_style\": \"lj/cut/opt\"") != NULL);
    CHECK_NEAR(field(output.standard, "particles"), 500, 0);
    CHECK_NEAR(field(output.standard, "peer_neighbours"), 75, 0);
    CHECK_NEAR(field(output.standard, "peer_ns_per_particle_step"), 125000, 0.001);
    test_output_free(&output);
    char *input = text_read(test_text("%s/input", folder));
    test_note("%s", input);
    CHECK_EQ(count_of(input, "lattice fcc 0.8442\nregion box block 0 5 0 5 0 5\n"), 4);
    CHECK_EQ(count_of(input, "velocity all create 1.44 "), 4);
    CHECK_EQ(count_of(input, "pair_style lj/cut 2.5\n"), 2);
    CHECK_EQ(count_of(input, "pair_style lj/cut/opt 2.5\n"), 2);
    CHECK_EQ(count_of(input, "neighbor 0.3 bin\n"), 4);
    CHECK_EQ(count_of(input, "timestep 0.005\nthermo 100000\nrun 2\nrun 4\n"), 4);
    free(input);
    path = script_make(folder, "lmp", "echo LAMMPS");
    test_expect(command_bench, test_text("bench lj --particles 500 --compare lammps=%s", path),
                HOST_BAD_INPUT, "/lmp: expected the lines 'Loop time of ");
    test_folder_remove(folder);
}

static void several_programs_are_compared_one_after_another(void)
{
    char *folder = test_folder_make();
    const char *path = script_make(folder, "peer", "echo ns_per_particle_step 5");
    test_output output = test_command(
        command_bench, test_text("bench --particles 1000 --steps 1 --rounds 1 --compare "
                                 "treensearch=%s --compare liquidfun=%s",
                                 path, path));
    test_note("%s%s", output.standard, output.errors);
    CHECK_EQ(output.code, HOST_DONE);
    CHECK_EQ(count_of(output.standard, "\n  treensearch  "), 2);
    CHECK_EQ(count_of(output.standard, "\n  liquidfun  "), 1);
    CHECK(strstr(output.standard, "\n  grid, random order  ") != NULL);
    CHECK(strstr(output.standard, "\n  grid, the world's order  ") != NULL);
    CHECK(strstr(output.standard, "\n  sph2d  ") != NULL);
    test_output_free(&output);
    test_folder_remove(folder);
}

static void strains_of_cloth_are_compared(void)
{
    char *folder = test_folder_make();
    const char *path =
        script_make(folder, "peer", "echo ns_per_particle_step 5; echo strain 0.0125");
    const char *line = test_text("bench cloth --particles 100 --steps 2 --rounds 1 --compare "
                                 "bullet=%s",
                                 path);
    test_output output = test_command(command_bench, line);
    test_note("%s%s", output.standard, output.errors);
    CHECK_EQ(output.code, HOST_DONE);
    CHECK(strstr(output.standard, "  mean strain of edges: cloth 0.0") != NULL);
    CHECK(strstr(output.standard, ", bullet 0.01250\n") != NULL);
    test_output_free(&output);
    output = test_command(command_bench, test_text("%s --json", line));
    CHECK(strstr(output.standard, "\"peer_strain\": 0.012500, ") != NULL);
    test_output_free(&output);
    test_folder_remove(folder);
}

static void wrong_comparisons_are_told(void)
{
    test_expect(command_bench, "bench --compare lamps", HOST_USAGE,
                "--compare lamps: expected NAME=PROGRAM");
    test_expect(command_bench, "bench --compare =x", HOST_USAGE, "expected NAME=PROGRAM");
    test_expect(command_bench, "bench --compare x=", HOST_USAGE, "expected NAME=PROGRAM");
    test_expect(command_bench, "bench --compare x=y", HOST_USAGE, "name a benchmark to compare");
    test_expect(command_bench, "bench sph2d --compare lammps", HOST_USAGE,
                "lammps is compared with the benchmark lj");
    test_expect(command_bench, "bench sph2d --compare a=b --rounds 0", HOST_USAGE,
                "--rounds 0: allowed: 1 to 64");
    test_expect(command_bench, "bench sph2d --compare a=b --time-limit 0", HOST_USAGE,
                "--time-limit 0: allowed: 1 to 86400");
    test_expect(command_bench, "bench sph2d --compare a=b --threads 2", HOST_USAGE,
                "omit --threads");
    test_expect(command_bench, "bench sph2d --compare a=b --scaling x.svg", HOST_USAGE,
                "give one of them");
    test_expect(command_bench, "bench cache --compare a=b", HOST_USAGE, "have no --compare");
    test_expect(command_bench, "bench sph2d --rounds 2", HOST_USAGE, "--rounds needs --compare");
    test_expect(command_bench, "bench sph2d --time-limit 2", HOST_USAGE,
                "--time-limit needs --compare");
    test_expect(command_bench,
                "bench sph2d --compare a=b --compare a=b --compare a=b --compare a=b --compare a=b "
                "--compare a=b --compare a=b --compare a=b --compare a=b",
                HOST_USAGE, "--compare is given more than 8 times");
}

static void the_width_of_vectors_is_limited_and_reported(void)
{
    static const char *const widths[] = {" --lanes 4", " --lanes 8", " --lanes 16", ""};
    char hash[4][40];
    test_expect(command_bench, "bench lj --lanes 3", HOST_USAGE, "--lanes 3: allowed: 4");
    test_expect(command_bench, "bench lj --lanes 12", HOST_USAGE,
                "--lanes 12: allowed: 4, 8 or 16");
    test_expect(command_bench, "bench cache --lanes 4", HOST_USAGE, "have no --lanes");
    CHECK_EQ(bench_budget(&(bench_plan){.lanes = 8}).lanes_max, 8);
    for (size_t i = 0; i < 4; i++) {
        test_output output = test_command(
            command_bench, test_text("bench sph2d --particles 500 --steps 4 --json%s", widths[i]));
        double lanes = field(output.standard, "lanes");
        test_note("%s: %s", widths[i], output.standard);
        CHECK_EQ(output.code, HOST_DONE);
        CHECK(lanes >= 1 && lanes <= tp_lanes());
        CHECK(i == 3 || lanes <= 4 << i);
        CHECK(i < 2 || lanes >= tp_lanes());
        const char *at = strstr(output.standard, "\"state_hash\": ");
        snprintf(hash[i], sizeof hash[i], "%.32s", at ? at : widths[i]);
        CHECK(strcmp(hash[i], hash[0]) == 0);
        test_output_free(&output);
    }
    test_output run = test_command(command_run, "run stir --frames 2 --json");
    CHECK_NEAR(field(run.standard, "lanes"), tp_lanes(), 0);
    test_output_free(&run);
    run = test_command(command_run, "run stir --frames 2");
    CHECK(strstr(run.standard, test_text(" s in total, vectors of %u\n", tp_lanes())) != NULL);
    test_output_free(&run);
}

static const test_case cases[] = {
    TEST_CASE(a_program_is_called_with_the_case_and_its_figures_are_read),
    TEST_CASE(every_fault_of_a_program_is_told),
    TEST_CASE(a_program_has_a_time_limit),
    TEST_CASE(the_script_of_lammps_is_the_melt_of_ours),
    TEST_CASE(several_programs_are_compared_one_after_another),
    TEST_CASE(strains_of_cloth_are_compared),
    TEST_CASE(wrong_comparisons_are_told),
    TEST_CASE(the_width_of_vectors_is_limited_and_reported),
};
TEST_SUITE(compare, cases);
