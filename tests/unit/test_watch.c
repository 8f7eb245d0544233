/* SPDX-License-Identifier: MIT
   tests/unit/test_watch.c - `watch`: frames that are there, that come, that are missing or damaged.
   reads   tests/fixtures/blender      writes  a temporary folder
   memory  malloc                      cost    a second
   after   own design; POSIX: another process writes files meanwhile */
#include "../../host_tools/formats/bphys.h"
#include "../harness/files_help.h"
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int command_watch(int argc, char **argv);

/* Writes frame `number` of a cache with one point, or only its first `bytes` bytes. */
static void write_frame(const char *folder, int number, size_t bytes)
{
    uint8_t file[36] = "BPHYSICS\1\0\0\0\1\0\0\0\3\0\0";
    test_file_write(test_text("%s/a_%06d_00.bphys", folder, number), file, bytes);
}

static void expect_watch(const char *arguments, int code, const char *said)
{
    test_output output = test_command(command_watch, test_text("watch %s", arguments));
    test_note("%s: %s%s", arguments, output.standard, output.errors);
    CHECK_EQ(output.code, code);
    CHECK(strstr(output.standard, said) != NULL || strstr(output.errors, said) != NULL);
    test_output_free(&output);
}

static void missing_and_damaged_frames_are_listed(void)
{
    char *folder = test_folder_make();
    for (int number = 1; number <= 9; number += number == 3 ? 3 : 1)
        write_frame(folder, number, number == 7 ? 30 : 36);
    expect_watch(test_text("%s --frames 1-12 --patience 0", folder), HOST_DIFFERENT,
                 "6 of 12 frames, 6 points; missing or damaged: 4-5 7 10-12\n");
    expect_watch(test_text("%s --frames 1-3 --patience 0", folder), HOST_DONE,
                 "frame 3: 1 point, 3 of 3 frames\nall 3 frames, 3 points");
    expect_watch(test_text("%s --frames 2-8 --step 2 --patience 0", folder), HOST_DIFFERENT,
                 "3 of 4 frames, 3 points; missing or damaged: 4\n");
    expect_watch(test_text("%s/none --frames 1-2 --patience 0", folder), HOST_DIFFERENT,
                 "0 of 2 frames, 0 points; missing or damaged: 1-2\n");
    test_folder_remove(folder);
}

/* A frame that is written in two parts counts when it is complete. */
static void frames_are_waited_for(void)
{
    char *folder = test_folder_make();
    write_frame(folder, 1, 36);
    write_frame(folder, 2, 25);
    pid_t child = fork();
    if (child == 0) {
        nanosleep(&(struct timespec){0, 200000000}, NULL);
        write_frame(folder, 3, 36);
        nanosleep(&(struct timespec){0, 200000000}, NULL);
        write_frame(folder, 2, 36);
        _exit(0);
    }
    if (!CHECK(child > 0)) return;
    expect_watch(test_text("%s --frames 1-3 --every 0.05 --patience 20", folder), HOST_DONE,
                 "frame 1: 1 point, 1 of 3 frames\nframe 3: 1 point, 2 of 3 frames\n"
                 "frame 2: 1 point, 3 of 3 frames\nall 3 frames");
    waitpid(child, NULL, 0);
    test_folder_remove(folder);
}

static void watch_names_what_it_needs(void)
{
    expect_watch("x", HOST_USAGE, "expected --frames A-B");
    expect_watch("x --frames 5-1", HOST_USAGE, "A not above B");
    expect_watch("x --frames 1-5 --step 0", HOST_USAGE, "--step");
    expect_watch("x --frames 1-5 --every 0", HOST_USAGE, "--every");
    expect_watch("x --frames 1-99999999", HOST_USAGE, "16777216");
}

static const test_case cases[] = {
    TEST_CASE(missing_and_damaged_frames_are_listed),
    TEST_CASE(frames_are_waited_for),
    TEST_CASE(watch_names_what_it_needs),
};
TEST_SUITE(watch, cases);
