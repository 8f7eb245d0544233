/* SPDX-License-Identifier: MIT
   tests/unit/test_trouble.c - errors of the machine during a conversion are not reported as damaged
           files.
   reads   files written here              writes  a temporary folder
   memory  malloc                          cost    below a second
   after   own design; a write fails once because it exceeds the file size limit */
#include "../../host_tools/formats/npy.h"
#include "../../host_tools/formats/verify.h"
#include "../harness/bphys_help.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

int command_convert(int argc, char **argv);
int command_sample(int argc, char **argv);
int command_verify(int argc, char **argv);

static void convert_to(const char *folder, const char *table, const char *output)
{
    test_file_write(test_text("%s/t.csv", folder), table, strlen(table));
    test_expect(command_convert,
                test_text("convert %s/t.csv %s/%s --quiet", folder, folder, output), HOST_DONE,
                NULL);
}

/* ---- arrays */

static const char two_frames[] = "frame,index,x,y,z,vx,vy,vz\n1,0,1,2,3,4,5,6\n2,0,1,2,3,4,5,6\n";

typedef struct load_job {
    host_sequence *sequence;
    size_t position;
    int code;
} load_job;

static void load(void *context)
{
    load_job *job = context;
    host_frame frame = {0};
    job->code = host_sequence_load(job->sequence, job->position, &frame);
    host_frame_free(&frame);
}

/* `name` is the array that is removed. */
static void lose_array(const char *output, const char *input, const char *name)
{
    host_sequence sequence;
    char *folder = test_folder_make();
    convert_to(folder, two_frames, output);
    if (!CHECK_EQ(host_sequence_open(&sequence, test_text("%s/%s", folder, input), NULL),
                  HOST_DONE))
        return;
    CHECK(unlink(test_text("%s/%s", folder, name)) == 0);
    load_job job = {&sequence, 1, HOST_DONE};
    char *errors = test_errors_of(load, &job);
    test_note("%s", errors);
    CHECK_EQ(job.code, HOST_IO);
    CHECK(strstr(errors, name) != NULL && strstr(errors, "cannot open") != NULL);
    free(errors);
    host_sequence_close(&sequence);
    test_folder_remove(folder);
}

static void an_array_that_goes_away_is_missed(void)
{
    lose_array("a.npy", "a.npy", "a_velocity.npy");
    lose_array("a.*.npy", "a_location.0001.npy", "a_velocity.0002.npy");
}

/* Arrays that exist for some frames only. */
static void frames_may_have_arrays_of_their_own(void)
{
    char *folder = test_folder_make();
    convert_to(folder, two_frames, "a.*.npy");
    CHECK(unlink(test_text("%s/a_velocity.0001.npy", folder)) == 0);
    host_sequence sequence;
    if (!CHECK_EQ(host_sequence_open(&sequence, test_text("%s/a.*.npy", folder), NULL), HOST_DONE))
        return;
    for (size_t f = 0; f < 2; f++) {
        host_frame frame;
        CHECK_EQ(host_sequence_load(&sequence, f, &frame), HOST_DONE);
        CHECK((frame.data[POINT_VELOCITY] != NULL) == (f == 1));
        host_frame_free(&frame);
    }
    host_sequence_close(&sequence);
    test_folder_remove(folder);
}

static struct rlimit no_limit;

/* Lifts the limit, so that the next write succeeds. */
static void lift_limit(int number)
{
    (void)number;
    setrlimit(RLIMIT_FSIZE, &no_limit);
}

/* The buffered write fails. A later write at the start of the file succeeds, but the error is
   kept. */
static void a_write_that_fails_once_is_not_forgotten(void)
{
    enum { POINTS = 40, LIMIT = NPY_HEAD_BYTES + 64 };
    char table[64 + POINTS * 16] = "frame,index,x,y,z\n";
    struct rlimit limit;
    char *folder = test_folder_make();
    for (int i = 0; i < POINTS; i++) sprintf(table + strlen(table), "1,%d,1,2,3\n", i);
    test_file_write(test_text("%s/t.csv", folder), table, strlen(table));
    CHECK(mkdir(test_text("%s/o", folder), 0777) == 0);
    CHECK(getrlimit(RLIMIT_FSIZE, &no_limit) == 0);
    limit = no_limit;
    limit.rlim_cur = LIMIT;
    void (*former)(int) = signal(SIGXFSZ, lift_limit);
    const char *line = test_text("convert %s/t.csv %s/o/a.npy --quiet", folder, folder);
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    test_output output = test_command(command_convert, line);
    CHECK(setrlimit(RLIMIT_FSIZE, &no_limit) == 0);
    signal(SIGXFSZ, former);
    test_note("%d: %s", output.code, output.errors);
    CHECK_EQ(output.code, HOST_IO);
    CHECK(strstr(output.errors, "cannot write") != NULL);
    CHECK_EQ(test_folder_count(test_text("%s/o", folder)), 0);
    test_output_free(&output);
    test_folder_remove(folder);
}

/* Opening a folder succeeds, reading it fails. */
static void read_folder(void *context)
{
    int *code = context;
    npy_input input;
    *code = npy_input_open(&input, "/");
}

static void a_head_that_cannot_be_read_is_not_damaged(void)
{
    int code = HOST_DONE;
    char *errors = test_errors_of(read_folder, &code);
    CHECK_EQ(code, HOST_IO);
    CHECK(strstr(errors, "/:0: cannot read: ") != NULL);
    free(errors);
}

/* ---- memory */

typedef struct room_job {
    host_report report;
    uint64_t faults;
} room_job;

static void count_fault(host_report *report, const char *file, uint64_t offset, const char *text,
                        const char *effect)
{
    (void)file, (void)offset, (void)text, (void)effect;
    ((room_job *)report)->faults++;
}

static void fail_twice(void *context)
{
    room_job *job = context;
    host_fault_listener listener;
    host_faults_begin(&listener, &job->report, "Blender does not find it");
    host_out_of_memory("a frame");
    CHECK_EQ(job->faults, 0);
    host_error(HOST_BAD_INPUT, "a.bphys", 7, "a fault");
    host_listen_end();
    CHECK_EQ(listener.heard, 2);
}

static void short_memory_is_no_fault_of_a_file(void)
{
    room_job job = {.report = {.take = count_fault}};
    char *errors = test_errors_of(fail_twice, &job);
    CHECK_EQ(job.faults, 1);
    CHECK_EQ(job.report.code, HOST_OUT_OF_MEMORY);
    CHECK(strcmp(errors, "tidepool: not enough memory for a frame\n") == 0);
    free(errors);
}

/* ---- indices that are used again */

/* Point 0 lives twice; a lifetime that was predicted too long is one life. */
static const char twice[] =
    "frame,index,x,y,z,birth,die,life\n"
    "1,0,1,0,0,1,3,2\n1,1,0,0,1,1,90,89\n2,0,2,0,0,1,3,2\n2,1,0,0,2,1,90,89\n"
    "3,0,3,0,0,3,5,2\n3,1,0,0,3,1,8,7\n4,0,4,0,0,3,5,2\n4,1,0,0,4,1,8,7\n";

static void births_that_no_info_file_holds_are_told_or_kept(void)
{
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), twice, sizeof twice - 1);
    const char *line = test_text("convert %s/t.csv %s/a --to bphys", folder, folder);
    test_expect(command_convert, line, HOST_DONE,
                "birth and death of 1 point change from frame to frame, and the info file has the "
                "last of each: "
                "Blender does not show point 0 in frame 1; give --streams with times");
    line = test_text("convert %s/t.csv %s/b --to bphys --streams location,times", folder, folder);
    test_expect(command_convert, line, HOST_DONE, NULL);
    test_output output = test_command(command_verify, test_text("verify %s/b", folder));
    test_note("%s", output.standard);
    CHECK(strstr(output.standard, "info file") == NULL);
    test_output_free(&output);
    line = test_text("convert %s/b %s/b.csv --quiet", folder, folder);
    test_expect(command_convert, line, HOST_DONE, NULL);
    CHECK(test_files_equal(test_text("%s/t.csv", folder), test_text("%s/b.csv", folder)));
    output = test_command(command_sample, test_text("sample %s/b --frame 2 --csv", folder));
    CHECK(strstr(output.standard, "\n2,0,2,0,0,1,3,2\n") != NULL);
    test_output_free(&output);
    test_folder_remove(folder);
}

/* Three records, two of them of point 1. */
static void records_that_are_left_out_are_told(void)
{
    char *folder = test_folder_make();
    file_bytes file = file_header(POINT_PARTICLES, 3, 0x03, false);
    for (uint32_t i = 0; i < 3; i++) {
        file_add_u32(&file, i ? 1 : 0);
        for (int k = 0; k < 3; k++) file_add_f32(&file, (float)i);
    }
    test_file_write(test_text("%s/a_000001_00.bphys", folder), file.bytes, file.size);
    test_file_write(test_text("%s/a_000002_00.bphys", folder), file.bytes, file.size);
    test_output output =
        test_command(command_convert, test_text("convert %s/a %s/a.csv", folder, folder));
    const char *first =
        strstr(output.errors, "a_000001_00.bphys:12: note: of 3 records 1 is ignored");
    CHECK_EQ(output.code, HOST_DONE);
    CHECK(first != NULL && strstr(first + 20, ".bphys:12") == NULL);
    test_output_free(&output);
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(an_array_that_goes_away_is_missed),
    TEST_CASE(frames_may_have_arrays_of_their_own),
    TEST_CASE(a_write_that_fails_once_is_not_forgotten),
    TEST_CASE(a_head_that_cannot_be_read_is_not_damaged),
    TEST_CASE(short_memory_is_no_fault_of_a_file),
    TEST_CASE(records_that_are_left_out_are_told),
    TEST_CASE(births_that_no_info_file_holds_are_told_or_kept),
};
TEST_SUITE(trouble, cases);
