/* SPDX-License-Identifier: MIT
   tests/unit/test_csv.c - tables of points, and the commands that convert them to .bphys files and
           back.
   reads   tables written here             writes  a temporary folder
   memory  malloc                          cost    under a second
   after   own design */
#include "../../host_tools/formats/bphys.h"
#include "../harness/formats_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int command_convert(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_info(int argc, char **argv);
int command_sample(int argc, char **argv);

/* Writes a table in a new folder; `path` points to a static buffer. */
static char *make_table(const char **path, const char *text)
{
    char *folder = test_folder_make();
    *path = test_text("%s/table.csv", folder);
    test_file_write(*path, text, strlen(text));
    return folder;
}

/* Checks that the table `text` is refused with `message`, and that the conversion leaves no
   file. */
static void expect_refusal(const char *text, const char *message)
{
    test_format_refused("table.csv", text, strlen(text), message);
}

static bool open_table(host_sequence *sequence, const char *text)
{
    const char *path;
    char *folder = make_table(&path, text);
    host_quiet(true);
    int code = host_sequence_open(sequence, path, NULL);
    host_quiet(false);
    test_folder_remove(folder);
    test_note("%s", text);
    return CHECK_EQ(code, HOST_DONE);
}

/* Loads the only point of the only frame of a table. */
static bool load_point(const char *text, host_frame *frame)
{
    host_sequence sequence;
    if (!open_table(&sequence, text)) return false;
    bool good = CHECK_EQ(sequence.frame_count, 1) &&
                CHECK_EQ(host_sequence_load(&sequence, 0, frame), HOST_DONE);
    host_sequence_close(&sequence);
    return good && CHECK_EQ(frame->count, 1);
}

static void line_ends_blanks_quotes_and_a_byte_order_mark_do_not_matter(void)
{
    static const char *const texts[] = {
        "frame,index,x,y,z\n3,4,1.5,-2,3e-1\n",
        "frame,index,x,y,z\r\n3,4,1.5,-2,3e-1\r\n",
        "frame,index,x,y,z\n3,4,1.5,-2,3e-1",
        "\357\273\277frame,index,x,y,z\n3,4,1.5,-2,3e-1\n",
        " frame , index\t,x,y,z \n\n  3 , 4 , 1.5 ,\t-2 , 0.3 \n\n",
        "\"frame\",\"index\",\"x\",\"y\",\"z\"\n\"3\",\"4\",\"1.5\",\"-2\",\"0.3\"\n",
        "z,y,x,index,frame\n0.3,-2,1.5,4,3\n",
        "frame,index,x,colour,y,z\n3,4,1.5,red,-2,0.3\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        host_frame frame;
        if (!load_point(texts[i], &frame)) continue;
        const float *location = frame.data[POINT_LOCATION];
        CHECK(frame.number == 3 && ((uint32_t *)frame.data[POINT_INDEX])[0] == 4);
        CHECK(location[0] == 1.5f && location[1] == -2.0f && location[2] == 0.3f);
        host_frame_free(&frame);
    }
}

static void rows_may_come_in_any_order(void)
{
    host_sequence sequence;
    host_frame frame;
    if (!open_table(&sequence, "frame,index,x,y,z\n2,1,5,0,0\n1,9,4,0,0\n2,0,3,0,0\n1,2,2,0,0\n"))
        return;
    CHECK(sequence.frame_count == 2 && sequence.numbers[0] == 1 && sequence.numbers[1] == 2 &&
          sequence.point_count == 10);
    if (CHECK_EQ(host_sequence_load(&sequence, 1, &frame), HOST_DONE)) {
        const float *location = frame.data[POINT_LOCATION];
        CHECK(frame.count == 2 && location[0] == 3 && location[3] == 5);
        host_frame_free(&frame);
    }
    host_sequence_close(&sequence);
}

static void faults_are_named_by_line_and_column(void)
{
    static const char *const faults[][2] = {
        {"", ":0: the table is empty"},
        {"\n\n", ":2: the table is empty"},
        {"frame,index,x,y\n", ":0: line 1: column z is missing"},
        {"frame,x,y,z\n1,1,2,3\n2,1,2,3\n1,1,2,4\n",
         ":28: line 4: frame 1 has index 0 a second time; the first is in line 2"},
        {"1,2,3\n", ":0: line 1: expected names of columns, found numbers"},
        {"frame,index,x,y,z,vx,vz\n", ":0: line 1: column vy is missing"},
        {"frame,index,x,y,z,birth\n", ":0: line 1: column die is missing"},
        {"frame,index,x,y,z,x\n", ":18: line 1: column x appears twice"},
        {"frame,index,x,y,z\n1,0,1,2\n",
         ":18: line 2: the row has 4 fields, expected 5 as in the header"},
        {"frame,index,x,y,z\n1,0,1,2,3,4\n",
         ":18: line 2: the row has 6 fields, expected 5 as in the header"},
        {"frame,index,x,y,z\n1,0,1,2,3\n1,1,1,2,\n",
         ":36: line 3: column z is \"\", expected a number"},
        {"frame,index,x,y,z\n1,0,1,two,3\n", ":24: line 2: column y is \"two\", expected a number"},
        {"frame,index,x,y,z\n1,0,1,2.0.0,3\n", ":24: line 2: column y is \"2.0.0\""},
        {"frame,index,x,y,z\n1,0,1e39,2,3\n",
         ":22: line 2: column x is \"1e39\", expected a number that fits in 32 bits"},
        {"frame,index,x,y,z\n1.5,0,1,2,3\n",
         ":18: line 2: column frame is \"1.5\", expected a whole number"},
        {"frame,index,x,y,z\n1,-1,1,2,3\n",
         ":20: line 2: column index is \"-1\", expected a whole number from 0"},
        {"frame,index,x,y,z\n1,4294967296,1,2,3\n", ":20: line 2: column index is \"4294967296\""},
        {"frame,index,x,y,z\n1,99999999999999999999999,1,2,3\n", ":20: line 2: column index is"},
        {"frame,index,x,y,z\n1,5,0,0,0\n\n1,4,0,0,0\n1,5,1,1,1\n",
         ":39: line 5: frame 1 has index 5 a second time; the first is in line 2"},
        {"frame,index,x,y,z,vx,vy,vz\n1,0,0,0,0,1,,1\n",
         ":39: line 2: column vy is \"\", expected a number, as in the other columns"},
        {"frame,index,x,y,z,size\n1,0,0,0,0,1\n1,1,0,0,0,\n",
         ":35: line 3: the row has empty fields where line 2"},
        {"frame,index,x,y,z\n", "expected at least one frame, found none"},
        {"frame,index,x,y,z\n0,0,1,2,3\n",
         "frame 0 cannot be a .bphys frame, expected 1 to 999999"},
        {"frame,index,x,y,z\n1000000,0,1,2,3\n", "frame 1000000 cannot be a .bphys frame"},
        {"frame,index,x,y,z\n1,67108864,1,2,3\n", "index 67108864 is too high"},
        {"frame,index,x,y,z\n1,4294967295,1,2,3\n",
         "index 4294967295 is too high, at most 67108863"},
        {"frame,index,x,y,z\n1,4294967294,1,2,3\n",
         "index 4294967294 is too high, at most 67108863"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        expect_refusal(faults[i][0], faults[i][1]);
}

static void not_a_number_and_infinity_are_read_but_do_not_become_bphys(void)
{
    host_frame frame;
    if (!load_point("frame,index,x,y,z\n1,0,nan,-inf,NaN\n", &frame)) return;
    const float *location = frame.data[POINT_LOCATION];
    CHECK(isnan(location[0]) && isinf(location[1]) && location[1] < 0 && isnan(location[2]));
    host_frame_free(&frame);
    expect_refusal(
        "frame,index,x,y,z\n1,0,1,2,3\n2,1,1,2,3\n2,7,1,nan,3\n",
        "table.csv: frame 2 index 7: location is nan; .bphys files hold finite numbers only");
    expect_refusal("frame,index,x,y,z,vx,vy,vz\n1,0,1,2,3,0,-inf,0\n",
                   "table.csv: frame 1 index 0: velocity is -inf;");
    expect_refusal("frame,index,x,y,z,birth,die,life\n1,0,1,2,3,0,inf,0\n",
                   "table.csv: frame 1 index 0: times is inf;");
}

/* xorshift32; the seed is any number except 0. */
static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static float random_float(uint32_t *state)
{
    float value;
    do {
        uint32_t word = next_random(state);
        memcpy(&value, &word, sizeof value);
    } while (!isfinite(value));
    return value;
}

/* 2000 points with floats of any finite bits: subnormals, huge, tiny, both zeros. */
static char *write_random_sequence(uint32_t seed)
{
    char *folder = test_folder_make();
    host_sink sink;
    host_frame frame;
    uint32_t streams = POINT_ALL & ~POINT_BIT(POINT_BOIDS) & ~POINT_BIT(POINT_TIMES);
    host_sink_options options = {.type = POINT_PARTICLES, .streams = streams};
    if (!CHECK_EQ(
            host_sink_open(&sink, test_text("%s/a", folder), host_format_named("bphys"), &options),
            HOST_DONE))
        exit(2);
    for (int number = 1; number <= 4; number++) {
        if (!host_frame_allocate(&frame, 500, streams)) exit(2);
        frame.number = number * 3;
        for (uint32_t i = 0; i < frame.count; i++) {
            ((uint32_t *)frame.data[POINT_INDEX])[i] = i * 7 + (uint32_t)number;
            for (uint32_t s = POINT_LOCATION; s <= POINT_SIZE; s++)
                for (uint32_t k = 0; k < point_streams[s].floats; k++)
                    ((float *)frame.data[s])[i * point_streams[s].floats + k] = random_float(&seed);
        }
        ((float *)frame.data[POINT_LOCATION])[0] = -0.0f;
        CHECK_EQ(host_sink_write(&sink, &frame), HOST_DONE);
        host_frame_free(&frame);
    }
    CHECK_EQ(host_sink_finish(&sink), HOST_DONE);
    return folder;
}

static void any_float_survives_the_way_through_a_table(void)
{
    for (uint32_t seed = 1; seed <= 3; seed++) {
        char *folder = write_random_sequence(seed);
        test_expect(command_convert, test_text("convert %s %s/t.csv --quiet", folder, folder),
                    HOST_DONE, NULL);
        test_expect(command_convert, test_text("convert %s/t.csv %s/b --quiet", folder, folder),
                    HOST_DONE, NULL);
        test_expect(command_convert, test_text("convert %s/b %s/u.csv --quiet", folder, folder),
                    HOST_DONE, NULL);
        test_note("seed %u", seed);
        CHECK(test_files_equal(test_text("%s/t.csv", folder), test_text("%s/u.csv", folder)));
        for (int frame = 0; frame <= 12; frame += 3)
            CHECK(test_files_equal(test_text("%s/a_%06d_00.bphys", folder, frame),
                                   test_text("%s/b_%06d_00.bphys", folder, frame)));
        test_folder_remove(folder);
    }
}

/* ---- units */

/* Converts a table of one point with a velocity, and compares the row that comes back. */
static void expect_row(const char *options_in, const char *options_out, const char *row)
{
    const char *path;
    char *folder = make_table(&path, "frame,index,x,y,z,vx,vy,vz\n1,0,1,2,3,50,100,150\n");
    test_expect(command_convert, test_text("convert %s %s/a %s --quiet", path, folder, options_in),
                HOST_DONE, NULL);
    test_output output = test_command(
        command_convert,
        test_text("convert %s/a - %s --streams location,velocity --quiet", folder, options_out));
    test_note("%s | %s: %s", options_in, options_out, output.standard);
    CHECK_EQ(output.code, HOST_DONE);
    CHECK(strcmp(output.standard, test_text("frame,index,x,y,z,vx,vy,vz\n%s\n", row)) == 0);
    test_output_free(&output);
    test_folder_remove(folder);
}

static void scale_axis_and_frame_rate_change_what_they_say(void)
{
    expect_row("--fps 25", "--fps 25", "1,0,1,2,3,50,100,150");
    expect_row("--fps 50", "--fps 25", "1,0,1,2,3,25,50,75");
    expect_row("--fps 60", "--fps 60", "1,0,1,2,3,50,100,150");
    expect_row("--scale 2", "--scale 1", "1,0,2,4,6,100,200,300");
    expect_row("--axis y-up", "--axis z-up", "1,0,1,-3,2,50,-150,100");
    expect_row("--axis z-up", "--axis y-up", "1,0,1,3,-2,50,150,-100");
    expect_row("--axis y-up --scale 0.5 --fps 50", "--axis y-up --scale 2 --fps 50",
               "1,0,1,2,3,50,100,150");
    expect_row("--shift 9", "--shift -2", "8,0,1,2,3,50,100,150");
}

/* ---- options */

static void contradicting_options_are_usage_errors(void)
{
    static const char *const cases[][2] = {
        {"convert", "expected IN and OUT"},
        {"convert a", "expected IN and OUT"},
        {"convert a b c", "one argument too many: c"},
        {"convert a b --frobnicate", "unknown option --frobnicate"},
        {"convert a b -f", "unknown option -f"},
        {"convert a b --frames", "--frames needs a value"},
        {"convert a b --frames 9-1", "--frames is \"9-1\""},
        {"convert a b --frames x", "--frames is \"x\""},
        {"convert a b --step 0", "--step is \"0\""},
        {"convert a b --scale 0", "--scale is \"0\""},
        {"convert a b --scale -1", "--scale is \"-1\""},
        {"convert a b --fps 0", "--fps is \"0\""},
        {"convert a b --fps nan", "--fps is \"nan\""},
        {"convert a b --axis x-up", "--axis is \"x-up\", expected y-up or z-up"},
        {"convert a b --from obj", "--from is \"obj\", expected bphys, csv"},
        {"convert a b --to obj", "--to is \"obj\", expected bphys, csv"},
        {"convert a b.obj", "the ending of b.obj is not known"},
        {"convert - - --from bphys", "bphys cannot be read from standard input"},
        {"convert a b --compression brotli",
         "--compression is \"brotli\", expected none, light, heavy, zstd or deflate"},
        {"convert a b.csv --compression zstd", "--compression zstd is for .bphys; csv has none"},
        {"convert a b --error 1e-3r", "--error has no meaning here"},
        {"convert a b --key-interval 8", "--key-interval has no meaning here"},
        {"convert a b --jobs 0", "--jobs is \"0\", expected a whole number from 1 to 256"},
        {"convert a b --exact=1", "--exact takes no value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        test_expect(command_convert, cases[i][0], HOST_USAGE, cases[i][1]);
    test_expect(command_sample, "sample a", HOST_USAGE, "expected PATH and --frame F");
    test_expect(command_sample, "sample a --frame x", HOST_USAGE, "--frame is \"x\"");
    test_expect(command_diff, "diff a", HOST_USAGE, "expected A and B");
    test_expect(command_diff, "diff a b --tolerance -1", HOST_USAGE, "--tolerance is \"-1\"");
    test_expect(command_info, "info", HOST_USAGE, "expected PATH");
    test_expect(command_info, "info /no/such/folder/a", HOST_IO, "cannot open the folder");
}

static void options_that_need_another_input_are_usage_errors(void)
{
    const char *path;
    char *folder = make_table(&path, "frame,index,x,y,z\n1,0,1,2,3\n");
    test_expect(command_convert, test_text("convert %s %s/b.csv --fps 60", path, folder),
                HOST_USAGE, "here both sides are csv");
    test_expect(command_convert, test_text("convert %s %s/b --streams location,spin", path, folder),
                HOST_USAGE, "no stream \"spin\"");
    test_expect(command_convert,
                test_text("convert %s %s/b --streams location,velocity", path, folder), HOST_USAGE,
                "asks for velocity");
    test_expect(command_convert, test_text("convert %s %s/b --streams index", path, folder),
                HOST_USAGE, "--streams must include location");
    test_expect(command_convert, test_text("convert %s %s/b --frames 5-9", path, folder),
                HOST_USAGE, "has no frame in 5-9; its frames are 1 to 1");
    test_expect(command_convert, test_text("convert %s %s/b --type smoke", path, folder),
                HOST_USAGE, "--type is \"smoke\"");
    CHECK_EQ(test_folder_count(folder), 1);
    test_folder_remove(folder);
}

static void help_shows_the_usage_with_an_example(void)
{
    static int (*const commands[])(int, char **) = {command_convert, command_diff, command_info,
                                                    command_sample};
    static const char *const names[] = {"convert", "diff", "info", "sample"};
    for (int i = 0; i < 4; i++) {
        test_output output = test_command(commands[i], test_text("%s --help", names[i]));
        CHECK_EQ(output.code, HOST_DONE);
        CHECK(strstr(output.standard, test_text("usage: tidepool %s ", names[i])) ==
              output.standard);
        CHECK(strstr(output.standard, "\nexample: tidepool ") != NULL);
        test_output_free(&output);
    }
}

/* ---- mesh types, times, diff and sample on tables */

static void mesh_types_need_all_points_in_each_frame(void)
{
    const char *path;
    char *folder = make_table(&path, "frame,index,x,y,z\n1,0,1,2,3\n1,2,1,2,3\n");
    test_expect(command_convert, test_text("convert %s %s/b --type cloth --quiet", path, folder),
                HOST_BAD_INPUT, "frame 1 lacks points");
    CHECK_EQ(test_folder_count(folder), 1);
    test_expect(command_convert, test_text("convert %s %s/b --quiet", path, folder), HOST_DONE,
                NULL);
    CHECK_EQ(test_folder_count(folder), 3);
    test_folder_remove(folder);
}

static void times_of_a_table_go_into_the_info_file_and_come_back(void)
{
    const char *path;
    char *folder = make_table(
        &path,
        "frame,index,x,y,z,birth,die,life\n1,0,1,2,3,0.5,9.25,8.75\n2,0,1,2,3,0.5,9.25,8.75\n");
    test_expect(command_convert, test_text("convert %s %s/b --quiet", path, folder), HOST_DONE,
                NULL);
    test_expect(command_convert, test_text("convert %s/b %s/back.csv --quiet", folder, folder),
                HOST_DONE, NULL);
    CHECK(test_files_equal(path, test_text("%s/back.csv", folder)));
    test_folder_remove(folder);
}

static void a_table_comes_back_from_files_as_it_was(void)
{
    const char *path;
    char *folder = make_table(&path, "frame,index,x,y,z,size\n1,0,1,2,3,1\n1,4,1,2,3,1\n2,0,1.5,2,"
                                     "3,1\n5,0,2,2,3,1\n5,9,0,0,0.25,1\n");
    test_expect(command_convert, test_text("convert %s %s/b --quiet", path, folder), HOST_DONE,
                NULL);
    CHECK(test_file_exists(test_text("%s/b_000000_00.bphys", folder)));
    test_expect(command_convert, test_text("convert %s/b %s/back.csv --quiet", folder, folder),
                HOST_DONE, NULL);
    CHECK(test_files_equal(path, test_text("%s/back.csv", folder)));
    test_output output = test_command(
        command_convert,
        test_text("convert %s/b - --streams location,times --frames 5 --quiet", folder));
    CHECK(strcmp(output.standard,
                 "frame,index,x,y,z,birth,die,life\n5,0,2,2,3,1,1048574,1048573\n5,9,0,0,0."
                 "25,5,1048574,1048569\n") == 0);
    test_output_free(&output);
    test_folder_remove(folder);
}

static void expect_diff(const char *other, const char *options, int code, const char *json)
{
    const char *path;
    char *folder = make_table(&path, "frame,index,x,y,z\n1,0,0,0,0\n1,1,1,0,0\n2,0,0,0,0\n");
    const char *second = test_text("%s/other.csv", folder);
    test_file_write(second, other, strlen(other));
    test_output output =
        test_command(command_diff, test_text("diff %s %s --json %s", path, second, options));
    test_note("%s: %s", other, output.standard);
    CHECK_EQ(output.code, code);
    const char *wanted = test_text("{%s", json);
    CHECK(strncmp(output.standard, wanted, strlen(wanted)) == 0);
    test_output_free(&output);
    test_folder_remove(folder);
}

static void diff_counts_points_and_finds_the_worst(void)
{
    expect_diff(
        "frame,index,x,y,z\n1,0,0,0,0\n1,1,1,0,0\n2,0,0,0,0\n", "--tolerance 0", HOST_DONE,
        "\"points\": 3, \"frames\": 2, \"max_position_error\": 0, \"max_velocity_error\": null, "
        "\"missing\": 0, "
        "\"extra\": 0, \"max_other_error\": 0");
    expect_diff(
        "frame,index,x,y,z\n1,0,0,3,4\n1,2,1,0,0\n3,0,0,0,0\n3,1,0,0,0\n", "--tolerance 9",
        HOST_DIFFERENT,
        "\"points\": 1, \"frames\": 1, \"max_position_error\": 5, \"max_velocity_error\": null, "
        "\"missing\": 2, "
        "\"extra\": 3, \"max_other_error\": 0, \"position_frame\": 1, \"position_point\": 0, "
        "\"velocity_frame\": null, \"velocity_point\": null, \"extra_data_differs\": 0, "
        "\"extra_data_not_compared\": 0, "
        "\"max_rotation_angle\": null, \"bound_holds\": null, \"streams\": [{\"name\": "
        "\"location\", "
        "\"distance\": 5, "
        "\"component\": 4, \"bound\": 0, \"holds\": false}], \"frames_missing\": 1, "
        "\"frames_extra\": 1}\n");
    expect_diff(
        "frame,index,x,y,z\n1,0,0,0.25,0\n1,1,1,0,0\n2,0,0,0,0\n", "--tolerance 0.25", HOST_DONE,
        "\"points\": 3, \"frames\": 2, \"max_position_error\": 0.25, \"max_velocity_error\": null, "
        "\"missing\": 0, "
        "\"extra\": 0, \"max_other_error\": 0");
    expect_diff("frame,index,x,y,z\n1,0,nan,0,0\n1,1,1,0,0\n2,0,0,0,0\n", "--tolerance 1e30",
                HOST_DIFFERENT,
                "\"points\": 3, \"frames\": 2, \"max_position_error\": 1.79769313e+308, "
                "\"max_velocity_error\": null, "
                "\"missing\": 0, \"extra\": 0, \"max_other_error\": 0");
}

static void expect_sample(const char *frame, const char *rows)
{
    const char *path;
    char *folder = make_table(
        &path,
        "frame,index,x,y,z,vx,vy,vz\n10,0,0,0,0,5,0,0\n20,0,4,0,0,15,0,0\n20,1,7,7,7,0,0,0\n");
    test_output output =
        test_command(command_sample, test_text("sample %s --frame %s --csv", path, frame));
    test_note("frame %s: %s", frame, output.standard);
    CHECK_EQ(output.code, HOST_DONE);
    CHECK(strcmp(output.standard, test_text("frame,index,x,y,z,vx,vy,vz\n%s", rows)) == 0);
    test_output_free(&output);
    test_folder_remove(folder);
}

static void sample_interpolates_holds_and_shows_nothing_too_early(void)
{
    expect_sample("10", "10,0,0,0,0,5,0,0\n");
    expect_sample("15", "15,0,1.5,0,0,10,0,0\n");
    expect_sample("9.5", "");
    expect_sample("25.5", "25.5,0,4,0,0,15,0,0\n25.5,1,7,7,7,0,0,0\n");
}

/* Checks the table that a conversion with these options gives. */
static void expect_converted(const char *text, const char *options, const char *expected)
{
    const char *path;
    char *folder = make_table(&path, text);
    test_output output =
        test_command(command_convert, test_text("convert %s - --quiet %s", path, options));
    CHECK_EQ(output.code, HOST_DONE);
    CHECK(strcmp(output.standard, expected) == 0);
    test_output_free(&output);
    test_folder_remove(folder);
}

static void steps_fill_the_frames_between(void)
{
    expect_converted("frame,index,x,y,z\n10,0,0,0,0\n20,0,4,0,0\n", "--frames 5-99 --step 5",
                     "frame,index,x,y,z\n10,0,0,0,0\n15,0,2,0,0\n20,0,4,0,0\n");
}

/* A short table with frames far apart must not allocate a list of all frames between them. */
static void steps_that_make_too_many_frames_are_refused(void)
{
    static const char far[] = "frame,index,x,y,z\n1,0,0,0,0\n268435457,0,268435456,0,0\n";
    const char *path;
    char *folder = make_table(&path, far);
    test_expect(command_convert, test_text("convert %s - --step 1", path), HOST_USAGE,
                "--step 1 makes 268435457 frames of");
    test_folder_remove(folder);
    expect_converted(far, "--step 1 --frames 5-6", "frame,index,x,y,z\n5,0,4,0,0\n6,0,5,0,0\n");
}

static void a_share_out_of_step_with_the_whole_is_told(void)
{
    static const struct {
        const char *frames;
        int from; /* 0: no message */
    } runs[] = {{"12-16", 12}, {"14-16", 0}, {"8-16", 8}, {"6-16", 0}, {"10-11", 0}};
    const char *path;
    char *folder = make_table(&path, "frame,index,x,y,z\n10,0,0,0,0\n20,0,4,0,0\n");
    for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++) {
        test_output output =
            test_command(command_convert, test_text("convert %s %s/a --frames %s --step 4", path,
                                                    folder, runs[k].frames));
        test_note("%s: %s", runs[k].frames, output.errors);
        CHECK_EQ(output.code, HOST_DONE);
        const char *told =
            "--step counts from frame %d in this share, but from frame 10 in the whole sequence";
        CHECK(runs[k].from ? strstr(output.errors, test_text(told, runs[k].from)) != NULL
                           : !strstr(output.errors, "in this share"));
        test_output_free(&output);
    }
    test_output output = test_command(
        command_convert, test_text("convert %s %s/b --frames 31-40 --step 4", path, folder));
    CHECK(output.code == HOST_USAGE && !strstr(output.errors, "in this share"));
    test_output_free(&output);
    test_folder_remove(folder);
    expect_converted("frame,index,x,y,z\n10,0,0,0,0\n20,0,4,0,0\n", "--frames 12-16 --step 4",
                     "frame,index,x,y,z\n12,0,0.800000012,0,0\n16,0,2.4000001,0,0\n");
}

static void frames_have_all_their_digits(void)
{
    static const char table[] =
        "frame,index,x,y,z\n-1234567892,0,1,0,0\n-1234567891,0,2,0,0\n2147483647,0,3,0,0\n";
    expect_converted(table, "", table);
}

static void numbers_that_a_shift_makes_too_large_are_refused(void)
{
    const char *path;
    char *folder = make_table(&path, "frame,index,x,y,z\n1,0,1,0,0\n2147483647,0,3,0,0\n");
    test_expect(
        command_convert, test_text("convert %s %s/b.csv --shift 1", path, folder), HOST_USAGE,
        "--shift 1 gives the number 2147483648 to frame 2147483647; frame numbers have 32 bits");
    CHECK_EQ(test_folder_count(folder), 1);
    test_expect(command_convert, test_text("convert %s %s/b.csv --shift -1 --quiet", path, folder),
                HOST_DONE, NULL);
    test_folder_remove(folder);
}

/* A point that outlives the sequence still does when all frames are shifted. */
static void a_shift_moves_no_death_that_never_comes(void)
{
    const char *path;
    char *folder =
        make_table(&path, "frame,index,x,y,z\n1,0,1,0,0\n1,1,1,0,0\n2,0,2,0,0\n3,0,3,0,0\n");
    test_expect(command_convert,
                test_text("convert %s %s/a --to bphys --shift 100 --quiet", path, folder),
                HOST_DONE, NULL);
    test_expect(command_convert,
                test_text("convert %s/a %s/b --to bphys --shift -100 --quiet", folder, folder),
                HOST_DONE, NULL);
    test_expect(command_convert, test_text("convert %s/b %s/b.csv --quiet", folder, folder),
                HOST_DONE, NULL);
    CHECK(test_files_equal(path, test_text("%s/b.csv", folder)));
    test_folder_remove(folder);
}

/* Frames outside a share are read, but need not fit the limits of the output format. */
static void a_share_does_not_mind_numbers_of_others(void)
{
    const char *path;
    char *folder;
    for (int first = -3; first <= 0; first += 3) {
        host_sequence sequence;
        folder = make_table(
            &path, test_text("frame,index,x,y,z\n%d,0,1,0,0\n%d,1,1,0,0\n4,0,3,0,0\n5,0,3,0,0\n",
                             first, first));
        test_expect(command_convert,
                    test_text("convert %s %s/b --to bphys --frames 4-5 --info", path, folder),
                    HOST_DONE, NULL);
        CHECK_EQ(test_folder_count(folder), 1 + 3);
        if (CHECK_EQ(host_sequence_open(&sequence, test_text("%s/b", folder), NULL), HOST_DONE)) {
            const float *times = sequence.times;
            CHECK(times && times[0] == (float)first && times[1] == 1048574.0f &&
                  times[3] == (float)first && times[4] == (float)first + 1);
            host_sequence_close(&sequence);
        }
        if (first < 0) test_folder_remove(folder);
    }
    test_expect(command_convert, test_text("convert %s %s/b --to bphys --frames 0-5", path, folder),
                HOST_BAD_INPUT, "frame 0 cannot be a .bphys frame");
    test_folder_remove(folder);
}

/* The option is at fault, not the table, and no infinity is written. */
static void factors_that_leave_the_floats_are_refused(void)
{
    static const struct {
        const char *options, *message;
    } runs[] = {
        {"o.ply --scale 1e20",
         "frame 1: location becomes more than a float holds, 3.4e38; give a smaller --scale"},
        {"o --scale 1e20",
         "frame 1: location becomes more than a float holds, 3.4e38; give a smaller --scale"},
        {"o --fps 1e-20",
         "frame 1: velocity becomes more than a float holds, 3.4e38; give a larger --fps"},
        {"o --scale 1e38", "--scale is \"1e38\", expected a number from 1e-37 to 1e37"},
        {"o --fps 0", "--fps is \"0\", expected a number from 1e-30 to 1e30"},
    };
    const char *path;
    char *folder = make_table(&path, "frame,index,x,y,z,vx,vy,vz\n1,0,1,2,-3e30,0,0,1e30\n");
    for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++)
        test_expect(command_convert, test_text("convert %s %s/%s", path, folder, runs[k].options),
                    HOST_USAGE, runs[k].message);
    CHECK(access(test_text("%s/o", folder), F_OK) && access(test_text("%s/o.ply", folder), F_OK));
    test_folder_remove(folder);
}

static void a_table_that_may_be_cut_is_told(void)
{
    const char *path;
    char *folder = make_table(&path, "frame,index,x,y,z\n1,0,1,2,3.5\n1,1,4,5,16.2");
    test_output output = test_command(command_convert, test_text("convert %s -", path));
    CHECK_EQ(output.code, HOST_DONE);
    CHECK(strstr(output.errors, ":42: note: the last line has no end") != NULL);
    test_output_free(&output);
    test_folder_remove(folder);
}

static void a_large_info_file_for_few_points_is_told(void)
{
    static const char *const notes[] = {
        "info file takes 18000032 bytes for 1500001 points, of which 1 is in frames", ""};
    for (uint32_t k = 0; k < 2; k++) {
        const char *path;
        char *folder =
            make_table(&path, test_text("frame,index,x,y,z\n1,%u,1,2,3\n", k ? 100000 : 1500000));
        test_output output =
            test_command(command_convert, test_text("convert %s %s/a", path, folder));
        test_note("%s", output.errors);
        CHECK_EQ(output.code, HOST_DONE);
        CHECK(strstr(output.errors, notes[k]) && (!k || !*output.errors));
        test_output_free(&output);
        test_folder_remove(folder);
    }
}

static const test_case cases[] = {
    TEST_CASE(line_ends_blanks_quotes_and_a_byte_order_mark_do_not_matter),
    TEST_CASE(rows_may_come_in_any_order),
    TEST_CASE(faults_are_named_by_line_and_column),
    TEST_CASE(not_a_number_and_infinity_are_read_but_do_not_become_bphys),
    TEST_CASE(any_float_survives_the_way_through_a_table),
    TEST_CASE(scale_axis_and_frame_rate_change_what_they_say),
    TEST_CASE(contradicting_options_are_usage_errors),
    TEST_CASE(options_that_need_another_input_are_usage_errors),
    TEST_CASE(help_shows_the_usage_with_an_example),
    TEST_CASE(mesh_types_need_all_points_in_each_frame),
    TEST_CASE(times_of_a_table_go_into_the_info_file_and_come_back),
    TEST_CASE(a_table_comes_back_from_files_as_it_was),
    TEST_CASE(diff_counts_points_and_finds_the_worst),
    TEST_CASE(sample_interpolates_holds_and_shows_nothing_too_early),
    TEST_CASE(steps_fill_the_frames_between),
    TEST_CASE(steps_that_make_too_many_frames_are_refused),
    TEST_CASE(a_share_out_of_step_with_the_whole_is_told),
    TEST_CASE(numbers_that_a_shift_makes_too_large_are_refused),
    TEST_CASE(a_shift_moves_no_death_that_never_comes),
    TEST_CASE(a_share_does_not_mind_numbers_of_others),
    TEST_CASE(frames_have_all_their_digits),
    TEST_CASE(factors_that_leave_the_floats_are_refused),
    TEST_CASE(a_table_that_may_be_cut_is_told),
    TEST_CASE(a_large_info_file_for_few_points_is_told),
};
TEST_SUITE(csv, cases);
