/* SPDX-License-Identifier: MIT
   tests/unit/test_dcd.c - DCD trajectories: bytes by hand, round trips, cuts, faults.
   reads   files written here              writes  a temporary folder
   memory  malloc                          cost    under a second
   after   the DCD format as CHARMM and NAMD write it */
#include "../../host_tools/formats/bytes.h"
#include "../harness/formats_help.h"
#include <stdlib.h>
#include <string.h>

int command_convert(int argc, char **argv);
int command_info(int argc, char **argv);

enum { HEAD = 92 + 8 + 84 + 12, FRAME = 3 * (8 + 8), CELL = 56, FILE_MAX = 1024 };

typedef struct made_file {
    uint8_t bytes[FILE_MAX];
    size_t size;
    bool big;
} made_file;

static void put(made_file *file, uint32_t word)
{
    bytes_store(file->bytes + file->size, 4, file->big, word);
    file->size += 4;
}

static void put_record(made_file *file, const float *values, uint32_t count)
{
    put(file, count * 4);
    for (uint32_t i = 0; i < count; i++) {
        bytes_store_f32(file->bytes + file->size, file->big, values[i]);
        file->size += 4;
    }
    put(file, count * 4);
}

/* A file of another program: one title, two points, steps from 100 on, 50 apart. */
static made_file make_file(uint32_t frames, bool big, bool has_cell)
{
    static const float x[] = {1, 0.1f}, y[] = {-2, 1e-40f}, z[] = {0.5f, 3e38f}, cell[12] = {0};
    made_file file = {{0}, 0, big};
    put(&file, 84);
    memcpy(file.bytes + file.size, "CORD", 4);
    file.size += 4;
    for (uint32_t n = 0; n < 20; n++)
        put(&file, n == 0    ? frames
                   : n == 1  ? 100
                   : n == 2  ? 50
                   : n == 10 ? has_cell
                   : n == 19 ? 24
                             : 0);
    put(&file, 84);
    put(&file, 84);
    put(&file, 1);
    file.size += 80;
    put(&file, 84);
    put(&file, 4);
    put(&file, 2);
    put(&file, 4);
    for (uint32_t f = 0; f < frames; f++) {
        if (has_cell) put_record(&file, cell, 12);
        put_record(&file, x, 2);
        put_record(&file, y, 2);
        put_record(&file, z, 2);
    }
    return file;
}

static void files_by_hand_are_read(void)
{
    for (int form = 0; form < 4; form++) {
        host_frame frame;
        made_file file = make_file(2, form & 1, form & 2);
        test_note("form %d", form);
        if (!test_format_load("a.dcd", file.bytes, file.size, 1, &frame)) continue;
        const float *location = frame.data[POINT_LOCATION];
        CHECK(frame.count == 2 && frame.number == 4); /* step 150 */
        CHECK(location[0] == 1 && location[1] == -2 && location[2] == 0.5f && location[5] == 3e38f);
        host_frame_free(&frame);
    }
}

static void any_float_survives(void)
{
    static const char even[] = "frame,index,x,y,z\n3,0,1,-2,0.5\n3,1,1e-40,3e38,-0\n"
                               "5,0,0.1,0.2,0.3\n5,1,4,5,6\n7,0,7,8,9\n7,1,1,2,3\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), even, sizeof even - 1);
    test_expect(command_convert, test_text("convert %s/t.csv %s/w.csv --quiet", folder, folder),
                HOST_DONE, NULL);
    test_expect(command_convert, test_text("convert %s/t.csv %s/a.dcd --quiet", folder, folder),
                HOST_DONE, NULL);
    test_expect(command_convert,
                test_text("convert %s/a.dcd %s/b.csv --stride 1 --quiet", folder, folder),
                HOST_DONE, NULL);
    CHECK(test_files_equal(test_text("%s/w.csv", folder), test_text("%s/b.csv", folder)));
    test_folder_remove(folder);
}

static void every_cut_is_told(void)
{
    made_file file = make_file(2, false, true);
    for (size_t cut = 1; cut < file.size; cut += 3)
        if (cut != HEAD && cut != HEAD + FRAME + CELL)
            test_format_refused("a.dcd", file.bytes, cut, "a.dcd:");
}

static void faults_are_named(void)
{
    made_file file = make_file(2, false, false);
    file.bytes[4] = 'X';
    test_format_refused("a.dcd", file.bytes, file.size, ":0: expected a record of 84 bytes");
    file.bytes[4] = 'C';
    file.bytes[88] = 85;
    test_format_refused("a.dcd", file.bytes, file.size, ":88: the length of a record is 85");
    file.bytes[88] = 84;
    file.bytes[8 + 4 * 8] = 1;
    test_format_refused("a.dcd", file.bytes, file.size, "the file has fixed atoms");
    file.bytes[8 + 4 * 8] = 0;
    file.bytes[HEAD - 8] = 0;
    test_format_refused("a.dcd", file.bytes, file.size, "the number of atoms is 0");
    file.bytes[HEAD - 8] = 2;
    file.bytes[HEAD + 12] = 9;
    test_format_refused("a.dcd", file.bytes, file.size,
                        test_text(":%d: the length of a record is 9, expected 8", HEAD + 12));
}

/* Every length of a record in a frame, before and after it: of the cell, three coordinates and the
   fourth ones. */
static void every_length_in_a_frame_is_checked(void)
{
    static const float fourth[] = {0, 0};
    enum { MARKS = 10, FOURTH = 16 };
    for (uint32_t mark = 0; mark < MARKS; mark++) {
        made_file file = make_file(1, false, true);
        put_record(&file, fourth, 2);
        bytes_store(file.bytes + 8 + 4 * 11, 4, false, 1);
        size_t at =
            mark < 2 ? HEAD + 52 * mark : HEAD + CELL + FOURTH * (mark / 2 - 1) + 12 * (mark % 2);
        file.bytes[at] ^= 1;
        test_format_refused("a.dcd", file.bytes, file.size,
                            test_text(":%zu: the length of a record is %d, expected %d", at,
                                      mark < 2 ? 49 : 9, mark < 2 ? 48 : 8));
    }
}

/* Of a program that was stopped: the header does not know the last frames. */
static void frames_are_counted_by_the_size_of_the_file(void)
{
    made_file file = make_file(3, false, false);
    char *folder = test_folder_make();
    file.bytes[8] = 1;
    test_file_write(test_text("%s/a.dcd", folder), file.bytes, file.size);
    test_expect(command_convert, test_text("convert %s/a.dcd %s/b.csv", folder, folder), HOST_DONE,
                "a.dcd:8: note: the number of frames in the header is 1, expected 3 by the size");
    test_output output = test_command(command_info, test_text("info %s/a.dcd", folder));
    CHECK(strstr(output.standard, "frames       3, from 3 to 5") != NULL);
    test_output_free(&output);
    test_folder_remove(folder);
}

static void uneven_frames_are_refused(void)
{
    static const char uneven[] = "frame,index,x,y,z\n1,0,1,2,3\n2,0,1,2,3\n4,0,1,2,3\n";
    static const char gaps[] = "frame,index,x,y,z\n1,1,1,2,3\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/u.csv", folder), uneven, sizeof uneven - 1);
    test_file_write(test_text("%s/g.csv", folder), gaps, sizeof gaps - 1);
    test_expect(command_convert, test_text("convert %s/u.csv %s/a.dcd", folder, folder),
                HOST_BAD_INPUT, "the frames of a .dcd are evenly spaced");
    test_expect(command_convert, test_text("convert %s/g.csv %s/a.dcd", folder, folder),
                HOST_BAD_INPUT, "numbered from 0 without a gap");
    CHECK_EQ(test_folder_count(folder), 2);
    test_folder_remove(folder);
}

/* Numbers of the header are signed and have 32 bits. */
static void steps_that_the_header_cannot_hold_are_refused(void)
{
    static const char table[] = "frame,index,x,y,z\n0,0,1,2,3\n2,0,1,2,3\n4,0,1,2,3\n";
    static const char *const faults[][2] = {
        {"", "frame 0 would be time step -1, but .dcd holds 0 to 2147483647; the first frame is 1 "
             "(see --shift)"},
        {" --shift 1 --stride 1073741824",
         "2147483648 time steps between two frames, but .dcd holds at most 2147483647; lower "
         "--stride"},
        {" --shift 3 --stride 1073741824",
         "frame 3 would be time step 2147483648, but .dcd holds 0 to 2147483647; lower --stride"},
    };
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    for (size_t k = 0; k < sizeof faults / sizeof faults[0]; k++)
        test_expect(command_convert,
                    test_text("convert %s/t.csv %s/a.dcd%s", folder, folder, faults[k][0]),
                    HOST_BAD_INPUT, faults[k][1]);
    CHECK_EQ(test_folder_count(folder), 1);
    test_folder_remove(folder);
}

/* Each frame has a number of its own, also if the steps of a long run went beyond 32 bits. */
static void steps_below_zero_are_rounded_down(void)
{
    static const int32_t wanted[2][3] = {{0, 1, 2}, {0, 2, 4}};
    made_file file = make_file(3, false, false);
    char *folder = test_folder_make();
    const char *path = test_text("%s/a.dcd", folder);
    bytes_store(file.bytes + 12, 4, false, UINT32_MAX);
    bytes_store(file.bytes + 16, 4, false, 2);
    test_file_write(path, file.bytes, file.size);
    for (uint32_t k = 0; k < 2; k++) {
        host_sequence sequence;
        host_quiet(true);
        int code = host_sequence_open_hinted(&sequence, path, NULL, &(host_hints){.stride = k});
        host_quiet(false);
        if (!CHECK_EQ(code, HOST_DONE)) continue;
        for (size_t i = 0; i < 3; i++) CHECK_EQ(sequence.numbers[i], wanted[k][i]);
        host_sequence_close(&sequence);
    }
    test_output output = test_command(command_info, test_text("info %s", path));
    CHECK(strstr(output.errors, "the steps are 2 apart: frame 1 is step 1") != NULL);
    test_output_free(&output);
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(files_by_hand_are_read),
    TEST_CASE(any_float_survives),
    TEST_CASE(every_cut_is_told),
    TEST_CASE(faults_are_named),
    TEST_CASE(every_length_in_a_frame_is_checked),
    TEST_CASE(frames_are_counted_by_the_size_of_the_file),
    TEST_CASE(uneven_frames_are_refused),
    TEST_CASE(steps_that_the_header_cannot_hold_are_refused),
    TEST_CASE(steps_below_zero_are_rounded_down),
};
TEST_SUITE(dcd, cases);
