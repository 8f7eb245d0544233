/* SPDX-License-Identifier: MIT
   tests/unit/test_streaming.c - files of many frames are read in the memory of a few, for any order
           of rows.
   reads   files written here              writes  a temporary folder
   memory  malloc; the readers have 8 MiB more than the test program uses    cost    a second or two
   after   own design */
#include "../../host_tools/formats/formats.h"
#include "../harness/files_help.h"
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int command_convert(int argc, char **argv);

/* 200 000 rows: 12 MB of text, 34 MB if every value were stored */
enum { FRAMES = 200, COUNT = 1000 };

static void write_row(FILE *table, int frame, int i)
{
    fprintf(table, "%d,%d,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", frame, i, i * 0.123456789,
            frame * 1.23456789, (i + frame) * 0.0123456789, 1.5 * i, 0.123456789 * frame, -1.0);
}

static void write_table(const char *path)
{
    FILE *table = fopen(path, "w");
    if (!CHECK(table != NULL)) return;
    fputs("frame,index,x,y,z,vx,vy,vz\n", table);
    for (int frame = 1; frame <= FRAMES; frame++)
        for (int i = 0; i < COUNT; i++) write_row(table, frame, i);
    fclose(table);
}

/* Bytes of address space of this process; 0: unknown on this system. */
static uint64_t address_space(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%lu", &pages) != 1) pages = 0;
    fclose(file);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static int read_all(const char *path)
{
    host_sequence sequence;
    int code = host_sequence_open(&sequence, path, NULL);
    if (code) return code;
    if (sequence.frame_count != FRAMES) code = 90;
    for (size_t f = 0; !code && f < sequence.frame_count; f++) {
        host_frame frame;
        code = host_sequence_load(&sequence, f, &frame);
        if (!code && frame.count != COUNT) code = 91;
        if (!code) host_frame_free(&frame);
    }
    host_sequence_close(&sequence);
    return code;
}

/* Reads all frames in a process that may use `more` bytes of memory; returns the exit code. */
static int read_with(uint64_t more, const char *path)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        uint64_t most = address_space() + more;
        struct rlimit limit = {(rlim_t)most, (rlim_t)most};
        if (most > more && setrlimit(RLIMIT_AS, &limit) != 0) _exit(92);
        _exit(read_all(path));
    }
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
}

static void files_of_many_frames_are_read_in_the_memory_of_some(void)
{
    static const char *const names[] = {"t.csv", "t.xyz", "t.lammpstrj", "t.npy", "t.pc2", "t.mdd"};
    char *folder = test_folder_make();
    write_table(test_text("%s/t.csv", folder));
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        const char *path = test_text("%s/%s", folder, names[n]);
        if (n)
            test_expect(command_convert, test_text("convert %s/t.csv %s --quiet", folder, path),
                        HOST_DONE, NULL);
        test_note("%s", names[n]);
        CHECK_EQ(read_with(8u << 20, path), HOST_DONE);
    }
    test_folder_remove(folder);
}

/* ---- the order of rows */

static void expect_same(host_sequence *left, host_sequence *right)
{
    CHECK(left->frame_count == right->frame_count && left->point_count == right->point_count);
    for (size_t f = 0; f < left->frame_count; f++) {
        host_frame one, other;
        if (!CHECK(host_sequence_load(left, f, &one) == HOST_DONE &&
                   host_sequence_load(right, f, &other) == HOST_DONE))
            return;
        CHECK(one.number == other.number && one.count == other.count &&
              one.streams == other.streams);
        for (uint32_t s = 0; s < POINT_STREAMS; s++)
            CHECK(!one.data[s] || memcmp(one.data[s], other.data[s],
                                         (size_t)one.count * point_streams[s].bytes) == 0);
        host_frame_free(&one);
        host_frame_free(&other);
    }
}

/* Point by point, backwards, and three frames in turn, with blank lines in between. */
static void rows_of_one_frame_may_be_anywhere(void)
{
    enum { SOME = 7, POINTS = 30 };
    char *folder = test_folder_make();
    const char *paths[4];
    for (int order = 0; order < 4; order++) {
        paths[order] = test_text("%s/%d.csv", folder, order);
        FILE *table = fopen(paths[order], "w");
        if (!CHECK(table != NULL)) return;
        fputs("frame,index,x,y,z,vx,vy,vz\n", table);
        for (int k = 0; k < SOME * POINTS; k++) {
            int row = order == 2   ? SOME * POINTS - 1 - k
                      : order == 3 ? k * 11 % (SOME * POINTS)
                                   : k;
            int by_point = order == 1;
            write_row(table, by_point ? row % SOME : row / POINTS,
                      by_point ? row / SOME : row % POINTS);
            if (k % 5 == 0) fputc('\n', table);
        }
        fclose(table);
    }
    host_sequence sorted, other;
    if (CHECK_EQ(host_sequence_open(&sorted, paths[0], NULL), HOST_DONE)) {
        for (int order = 1; order < 4; order++) {
            test_note("order %d", order);
            if (!CHECK_EQ(host_sequence_open(&other, paths[order], NULL), HOST_DONE)) continue;
            expect_same(&sorted, &other);
            host_sequence_close(&other);
        }
        host_sequence_close(&sorted);
    }
    test_folder_remove(folder);
}

static void faults_among_rows_that_are_apart_are_told(void)
{
    static const char *const faults[][2] = {
        {"frame,index,x,y,z\n1,5,0,0,0\n2,5,0,0,0\n1,5,1,1,1\n",
         ":38: line 4: frame 1 has index 5 a second time; the first is in line 2"},
        {"frame,index,x,y,z,size\n1,0,0,0,0,1\n2,0,0,0,0,1\n1,1,0,0,0,\n",
         ":47: line 4: the row has empty fields where line 2"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        char *folder = test_folder_make();
        const char *path = test_text("%s/t.csv", folder);
        test_file_write(path, faults[i][0], strlen(faults[i][0]));
        test_expect(command_convert, test_text("convert %s %s/a --quiet", path, folder),
                    HOST_BAD_INPUT, faults[i][1]);
        CHECK_EQ(test_folder_count(folder), 1);
        test_folder_remove(folder);
    }
}

/* ---- lines and their offsets */

static void a_line_without_an_end_is_refused_soon(void)
{
    size_t size = 3u << 20;
    char *folder = test_folder_make(), *text = malloc(size);
    const char *path = test_text("%s/t.csv", folder);
    if (!CHECK(text != NULL)) return;
    memset(text, '1', size);
    memcpy(text, "frame,index,x,y,z\n", 18);
    test_file_write(path, text, size);
    test_expect(command_convert, test_text("convert %s %s/a --quiet", path, folder), HOST_BAD_INPUT,
                "t.csv:18: line 2 has more than 1048576 bytes");
    text[18 + 100000] = '\n'; /* longer than the initial window; the fields are wrong as well */
    text[18 + 100001] = '\n';
    test_file_write(path, text, 18 + 100002);
    test_expect(command_convert, test_text("convert %s %s/a --quiet", path, folder), HOST_BAD_INPUT,
                "t.csv:18: line 2: the row has 1 fields");
    free(text);
    test_folder_remove(folder);
}

/* Rows are split by the end of the window at every byte. */
static void rows_across_the_window_are_read_as_others(void)
{
    char *folder = test_folder_make();
    const char *path = test_text("%s/t.csv", folder);
    for (int shift = 0; shift < 40; shift++) {
        host_sequence sequence;
        host_frame frame;
        FILE *table = fopen(path, "w");
        if (!CHECK(table != NULL)) break;
        fputs("frame,index,x,y,z\n", table);
        for (int i = 0; i < 3000; i++)
            fprintf(table, "%*s1,%d,%d,%d,0.12345678\n", i ? 0 : shift, "", i, 2 * i, -i);
        fclose(table);
        if (!CHECK_EQ(host_sequence_open(&sequence, path, NULL), HOST_DONE)) break;
        bool good = CHECK_EQ(host_sequence_load(&sequence, 0, &frame), HOST_DONE);
        for (uint32_t i = 0; good && i < 3000; i++) {
            const float *place = (const float *)frame.data[POINT_LOCATION] + (size_t)i * 3;
            good = CHECK(place[0] == (float)(2 * i) && place[1] == -(float)i &&
                         place[2] == 0.12345678f);
        }
        if (frame.count) host_frame_free(&frame);
        host_sequence_close(&sequence);
    }
    test_folder_remove(folder);
}

static void a_pipe_is_read_as_a_file_is(void)
{
    int status = 0, ends[2];
    static const char text[] = "frame,index,x,y,z\n2,0,1,2,3\n1,0,1,2,3\n2,1,4,5,6\n",
                      sorted[] = "frame,index,x,y,z\n1,0,1,2,3\n2,0,1,2,3\n2,1,4,5,6\n";
    char *folder = test_folder_make();
    const char *path = test_text("%s/t.csv", folder), *wanted = test_text("%s/wanted.csv", folder);
    test_file_write(wanted, sorted, sizeof sorted - 1);
    if (!CHECK(pipe(ends) == 0)) return;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        char *words[] = {(char *)"convert", (char *)"-", host_text("%s", path), (char *)"--quiet",
                         NULL};
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        _exit(command_convert(4, words));
    }
    close(ends[0]);
    CHECK(write(ends[1], text, sizeof text - 1) == (ssize_t)sizeof text - 1);
    close(ends[1]);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) &&
          WEXITSTATUS(status) == HOST_DONE);
    CHECK(test_files_equal(path, wanted));
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(files_of_many_frames_are_read_in_the_memory_of_some),
    TEST_CASE(rows_of_one_frame_may_be_anywhere),
    TEST_CASE(faults_among_rows_that_are_apart_are_told),
    TEST_CASE(a_line_without_an_end_is_refused_soon),
    TEST_CASE(rows_across_the_window_are_read_as_others),
    TEST_CASE(a_pipe_is_read_as_a_file_is),
};
TEST_SUITE(streaming, cases);
