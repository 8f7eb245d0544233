/* SPDX-License-Identifier: MIT
   tests/unit/test_lives.c - births and deaths of point caches without an info file.
   reads   -                      writes  a temporary folder
   memory  malloc                 cost    below a second
   after   own design; the files hold the points that Blender writes: from one step before the birth
           to one step after the death, at rest before and after. Real files are tested in
           tests/interop/test_blender_files.c */
#include "../../host_tools/formats/bphys.h"
#include "../harness/files_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int command_convert(int argc, char **argv);
int command_sample(int argc, char **argv);

enum { COUNT = 90, LAST = 41 };

/* Points in free fall, 0.04 s per frame. */
typedef struct fall {
    double (*birth)(uint32_t i);
    double (*death)(uint32_t i);
    int32_t step;
    bool keeps_dead;    /* as with Blender's "show dead": dead points stay in the files, and unborn
                           ones are written a frame later */
    bool only_alive;    /* only living points are written, as other programs do */
    bool without_speed; /* the files have no velocities */
    bool turns_speed;   /* velocities are turned, as in another program's axes */
    bool tells;         /* each frame has the stream of times */
    int32_t without;    /* a frame in which point 0 is missing */
} fall;

static double chance(uint32_t i) { return fmod((double)i * 0.6180339887498949, 1); }
/* Rounded to 32 bits, as in a cache. */
static double even_birth(uint32_t i) { return (double)(1.0f + 12.0f * ((float)i / (float)COUNT)); }
static double sparse_birth(uint32_t i)
{
    return 1.0 + i / 3 + (i % 30 == 29 ? 0.005 : i % 30 ? 0.2 + 0.3 * (i % 3) : 0);
}
static double endless_birth(uint32_t i) { return 1 + 0.437 * i; }
static double odd_birth(uint32_t i) { return i ? 1 + 17 * sqrt((double)i / COUNT) : 1; }
static double early_birth(uint32_t i)
{
    return (double)(-20.0f + 30.0f * ((float)i / (float)COUNT));
}
static double at_once(uint32_t i) { return 1 + 0.0 * i; }
/* All points are in all files of step 1. */
static double soon_birth(uint32_t i) { return (double)(1.0f + 1.0f * ((float)i / (float)COUNT)); }
static double sooner_birth(uint32_t i) { return i < COUNT / 2 ? 1 : 1.5; }
static double last_death(uint32_t i) { return i % 7 ? 1e6 : 38.3; }
static double random_death(uint32_t i) { return even_birth(i) + 8.13 + 30 * chance(i); }
static double odd_death(uint32_t i) { return odd_birth(i) + 8.13 + 10 * chance(i); }
static double common_death(uint32_t i) { return (double)((float)even_birth(i) + 20.0f); }
static double brief_death(uint32_t i) { return even_birth(i) + 0.7 + 9 * chance(i); }
static double no_death(uint32_t i) { return 1e6 + 0.0 * i; }

static bool is_written(const fall *world, uint32_t i, int32_t frame)
{
    float times[3] = {(float)world->birth(i), (float)world->death(i), 0};
    if (i == 0 && frame == world->without) return false;
    if (world->only_alive) return world->birth(i) <= frame && frame < world->death(i);
    if (world->keeps_dead) return world->birth(i) <= (double)frame + world->step;
    return bphys_is_present(times, frame, world->step);
}

static void put_point(const fall *world, host_frame *frame, uint32_t at, uint32_t i)
{
    double from = world->birth(i), until = fmin(fmax(frame->number, from), world->death(i));
    double t = (until - from) * BPHYS_SECONDS_A_FRAME;
    ((uint32_t *)frame->data[POINT_INDEX])[at] = i;
    for (uint32_t k = 0; k < 3; k++) {
        double start = chance(7 * i + k), speed = 2 * chance(5 * i + k) - 1,
               pull = k == 2 ? -9.81 : 0;
        ((float *)frame->data[POINT_LOCATION])[at * 3 + k] =
            (float)(start + speed * t + pull * t * t / 2);
        if (frame->data[POINT_VELOCITY])
            ((float *)frame->data[POINT_VELOCITY])[at * 3 + (k + world->turns_speed) % 3u] =
                (float)(speed + pull * t);
    }
    if (!frame->data[POINT_TIMES]) return;
    float times[3] = {(float)from, (float)world->death(i), (float)(world->death(i) - from)};
    memcpy((float *)frame->data[POINT_TIMES] + (size_t)at * 3, times, sizeof times);
}

static void write_frame(const fall *world, host_sink *sink, int32_t number)
{
    host_frame frame;
    uint32_t count = 0;
    for (uint32_t i = 0; i < COUNT; i++) count += is_written(world, i, number);
    if (!CHECK(host_frame_allocate(&frame, count, sink->options.streams))) exit(2);
    frame.number = number;
    count = 0;
    for (uint32_t i = 0; i < COUNT; i++)
        if (is_written(world, i, number)) put_point(world, &frame, count++, i);
    CHECK_EQ(host_sink_write(sink, &frame), HOST_DONE);
    host_frame_free(&frame);
}

/* Writes all frames except the info file, by converting a share. */
static void write_fall(const fall *world, const char *folder)
{
    host_sink sink;
    host_sink_options options = {.type = POINT_PARTICLES, .is_share = true, .share_first = 1};
    options.share_last = LAST;
    options.keep_times = true;
    options.streams = POINT_BIT(POINT_INDEX) | POINT_BIT(POINT_LOCATION);
    if (!world->without_speed) options.streams |= POINT_BIT(POINT_VELOCITY);
    if (world->tells) options.streams |= POINT_BIT(POINT_TIMES);
    if (!CHECK_EQ(host_sink_open(&sink, test_text("%s/fall", folder), host_format_named("bphys"),
                                 &options),
                  HOST_DONE))
        return;
    for (int32_t number = 1; number <= LAST; number += world->step)
        write_frame(world, &sink, number);
    CHECK_EQ(host_sink_finish(&sink), HOST_DONE);
}

static bool open_fall(const fall *world, host_sequence *sequence)
{
    char *folder = test_folder_make();
    write_fall(world, folder);
    bool good = CHECK_EQ(host_sequence_open(sequence, folder, NULL), HOST_DONE) &&
                CHECK_EQ(host_sequence_find_times(sequence), HOST_DONE);
    test_folder_remove(folder);
    return good;
}

static bool is_alive(double birth, double death, int32_t frame)
{
    return birth <= frame && frame < death;
}

/* Every point in the files is born and dies within these errors in frames. With `states`, whether
   it lives at each whole frame must be right. */
static void check_fall(const fall *world, double birth_error, double death_error, bool states)
{
    host_sequence sequence;
    if (!open_fall(world, &sequence)) return;
    host_quiet(false);
    CHECK(sequence.times != NULL);
    /* the files do not show what happens after the last frame */
    int32_t last = sequence.numbers[sequence.frame_count - 1];
    for (uint32_t i = 0; sequence.times && i < sequence.point_count; i++) {
        const float *times = sequence.times + (size_t)i * 3;
        double death = world->death(i);
        test_note("point %u: %.9g to %.9g, found %.9g to %.9g", i, world->birth(i), death,
                  (double)times[0], (double)times[1]);
        CHECK_NEAR(times[0], world->birth(i), birth_error);
        if (times[1] < BPHYS_NEVER) CHECK_NEAR(times[1], death, death_error);
        for (int32_t f = 1; f <= last && states; f++)
            CHECK(is_alive(world->birth(i), death, f) ==
                  is_alive((double)times[0], (double)times[1], f));
    }
    host_sequence_close(&sequence);
}

static void even_births_are_found_to_the_bit(void)
{
    static const int32_t steps[] = {1, 2, 5};
    host_quiet(true);
    for (int s = 0; s < 3; s++) {
        const fall world = {.birth = even_birth, .death = random_death, .step = steps[s]};
        check_fall(&world, 0, steps[s] == 1 ? 0.5 : 1, true);
        host_quiet(true);
    }
    const fall brief = {.birth = even_birth, .death = brief_death, .step = 1};
    check_fall(&brief, 0, 0.5, true);
    host_quiet(true);
    const fall early = {.birth = early_birth, .death = no_death, .step = 1};
    check_fall(&early, 30, 0, true);
}

/* A point may be born and die between two files: its first motion ends before the file after it.
   The next motion may be short because of its death, although the record before was not
   replaced. */
static void short_lives_do_not_contradict_even_births(void)
{
    static const int32_t steps[] = {2, 5, 10};
    for (int s = 0; s < 3; s++) {
        const fall world = {.birth = even_birth, .death = brief_death, .step = steps[s]};
        host_quiet(true);
        check_fall(&world, 0, steps[s], false);
    }
}

static void a_common_lifetime_is_found_to_the_bit(void)
{
    const fall world = {.birth = even_birth, .death = common_death, .step = 1};
    const fall sparse = {.birth = even_birth, .death = common_death, .step = 5};
    host_quiet(true);
    check_fall(&world, 0, 0, true);
    host_quiet(true);
    check_fall(&sparse, 0, 0, true);
}

static void births_that_are_not_even_are_measured(void)
{
    const fall odd = {.birth = odd_birth, .death = odd_death, .step = 1};
    const fall endless = {.birth = endless_birth, .death = no_death, .step = 1};
    host_quiet(true);
    check_fall(&odd, 2e-3, 0.5, true);
    host_quiet(true);
    check_fall(&endless, 2e-3, 0, true);
}

/* Without velocities nothing can be measured: only the presence in frames is known. */
static void presence_alone_tells_the_frame(void)
{
    const fall world = {
        .birth = even_birth, .death = random_death, .step = 1, .without_speed = true};
    host_quiet(true);
    check_fall(&world, 0, 0.5, true);
}

static void dead_points_that_stay_are_dead(void)
{
    const fall world = {.birth = even_birth, .death = random_death, .step = 1, .keeps_dead = true};
    const fall brief = {.birth = even_birth, .death = brief_death, .step = 2, .keeps_dead = true};
    /* few are born soon after a file, and then move at once */
    const fall sparse = {.birth = sparse_birth, .death = no_death, .step = 1, .keeps_dead = true};
    host_quiet(true);
    check_fall(&world, 0, 2e-3, true);
    host_quiet(true);
    check_fall(&brief, 0, 1, false);
    host_quiet(true);
    check_fall(&sparse, 2e-3, 2e-3, false);
}

static void times_in_the_frames_are_believed(void)
{
    const fall world = {.birth = odd_birth, .death = odd_death, .step = 1, .tells = true};
    host_quiet(true);
    check_fall(&world, 1e-6, 1e-5, true);
}

static void files_of_others_leave_presence_as_it_is(void)
{
    const fall others[] = {
        {.birth = even_birth, .death = random_death, .step = 1, .only_alive = true},
        {.birth = even_birth, .death = random_death, .step = 5, .only_alive = true},
        {.birth = even_birth, .death = no_death, .step = 1, .without = 12},
    };
    for (int i = 0; i < 3; i++) {
        host_sequence sequence;
        if (!open_fall(&others[i], &sequence)) continue;
        CHECK(sequence.times == NULL);
        host_sequence_close(&sequence);
    }
}

static void points_that_all_live_through_are_born_with_the_first_file(void)
{
    const fall world = {.birth = at_once, .death = no_death, .step = 1};
    const fall turned = {.birth = at_once, .death = no_death, .step = 1, .turns_speed = true};
    check_fall(&world, 0, 0, true); /* without any note: there is no uncertainty */
    check_fall(&turned, 0, 0, true);
}

/* Points of all files may still be born after the first one, or die before the last one. */
static void points_of_all_files_may_be_born_late_or_die(void)
{
    const fall soon = {.birth = soon_birth, .death = no_death, .step = 1};
    const fall sooner = {.birth = sooner_birth, .death = no_death, .step = 1};
    const fall dead = {.birth = at_once, .death = random_death, .step = 1, .keeps_dead = true};
    const fall last = {.birth = at_once, .death = last_death, .step = 5};
    host_quiet(true);
    check_fall(&soon, 0, 0, true);
    host_quiet(true);
    check_fall(&sooner, 2e-3, 0, true);
    host_quiet(true);
    check_fall(&dead, 0, 2e-3, true);
    host_quiet(true);
    check_fall(&last, 0, 2e-3, true);
}

/* With an info file, a sample opens only the files around its frame: a damaged one elsewhere, here
   the last but one, is not looked at. */
static void a_sample_opens_the_files_around_its_frame(void)
{
    const fall world = {.birth = at_once, .death = no_death, .step = 5};
    static const char *const frames[] = {"1", "7.5", "11", "12", "60"};
    char *folder = test_folder_make();
    write_fall(&world, folder);
    test_expect(command_convert, test_text("convert %s %s/to/fall --quiet", folder, folder),
                HOST_DONE, NULL);
    test_output before[5];
    for (uint32_t k = 0; k < 5; k++)
        before[k] =
            test_command(command_sample, test_text("sample %s/to --frame %s", folder, frames[k]));
    test_file_write(test_text("%s/to/fall_%06d_00.bphys", folder, LAST / 5 * 5 - 4), "no", 2);
    for (uint32_t k = 0; k < 5; k++) {
        test_output after =
            test_command(command_sample, test_text("sample %s/to --frame %s", folder, frames[k]));
        test_note("frame %s: %s", frames[k], after.errors);
        CHECK_EQ(before[k].code, HOST_DONE);
        CHECK_EQ(after.code, HOST_DONE);
        CHECK(strcmp(before[k].standard, after.standard) == 0);
        test_output_free(&before[k]);
        test_output_free(&after);
    }
    test_expect(command_convert, test_text("convert %s/to %s/x.csv", folder, folder),
                HOST_BAD_INPUT, "magic is not BPHYSICS");
    test_folder_remove(folder);
}

static void what_is_known_and_what_not_is_told(void)
{
    const fall even = {.birth = even_birth, .death = random_death, .step = 1};
    const fall odd = {.birth = odd_birth, .death = odd_death, .step = 1, .without_speed = true};
    char *folder = test_folder_make();
    write_fall(&even, folder);
    test_expect(command_convert, test_text("convert %s %s/x", folder, folder), HOST_DONE,
                "births are known (evenly from frame 1 to 13) and deaths known to 1 frame\n");
    test_folder_remove(folder);
    folder = test_folder_make();
    write_fall(&odd, folder);
    test_expect(command_convert, test_text("convert %s %s/x", folder, folder), HOST_DONE,
                "births are known to 1 frame and deaths known to 1 frame\n");
    test_folder_remove(folder);
}

/* A damaged file is reported when its frame is needed, not before. */
static void a_damaged_file_spoils_only_its_frame(void)
{
    const fall world = {.birth = even_birth, .death = random_death, .step = 1};
    char *folder = test_folder_make();
    write_fall(&world, folder);
    test_file_write(test_text("%s/fall_000020_00.bphys", folder),
                    "BPHYSICS\1\0\0\0\7\0\0\0\7\0\0\0", 20);
    const char *line = test_text("sample %s --frame 12 --csv", folder);
    test_output output = test_command(command_sample, line);
    CHECK_EQ(output.code, HOST_DONE);
    CHECK(strstr(output.errors, "births are known (evenly from frame 1 to 13)") != NULL);
    CHECK(strstr(output.errors, "000020") == NULL);
    test_output_free(&output);
    test_expect(command_sample, test_text("sample %s --frame 20", folder), HOST_BAD_INPUT,
                "fall_000020_00");
    test_folder_remove(folder);
}

static size_t size_of(const char *path)
{
    uint8_t *bytes;
    size_t size;
    if (!CHECK_EQ(host_read_file(path, &bytes, &size), HOST_DONE)) return 0;
    free(bytes);
    return size;
}

/* No memory is allocated for points that a file cannot hold. */
static void an_index_beyond_all_records_is_told(void)
{
    static const uint8_t tiny[] =
        "BPHYSICS\1\0\0\0\1\0\0\0\3\0\0\0\0\0\0\177\0\0\0\0\0\0\0\0\0\0\0";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/a_000001_00.bphys", folder), tiny, 36);
    test_file_write(test_text("%s/a_000002_00.bphys", folder), tiny, 36);
    test_output output =
        test_command(command_sample, test_text("sample %s --frame 1.5 --csv", folder));
    CHECK_EQ(output.code, HOST_DONE);
    CHECK(strstr(output.errors, "index 2130706432 is too high for 2 records") != NULL);
    CHECK(strstr(output.standard, "1.5,2130706432,0,0,0") != NULL);
    test_output_free(&output);
    test_folder_remove(folder);
}

/* A high index in a small file: 2.4 KB must not allocate 800 MB for births and deaths. */
static void lives_follow_the_size_of_the_input(void)
{
    static const char *const options[] = {"", "--compression heavy", "--frames 1-1"};
    char *folder = test_folder_make();
    for (uint32_t k = 0; k < 4; k++) {
        FILE *table = fopen(test_text("%s/a.csv", folder), "w");
        if (!CHECK(table != NULL)) return;
        fprintf(table, "frame,index,x,y,z\n1,0,0,0,0\n1,%u,1,1,1\n", k < 3 ? 67108862u : 1000000u);
        fclose(table);
        test_expect(
            command_convert,
            test_text("convert %s/a.csv %s/out/x %s", folder, folder, k < 3 ? options[k] : ""),
            k < 3 ? HOST_BAD_INPUT : HOST_DONE,
            k < 3 ? "index 67108862 is too high for 2 points of an input of " : NULL);
        CHECK(test_file_exists(test_text("%s/out/x_000000_00.bphys", folder)) == (k == 3));
    }
    test_folder_remove(folder);
}

/* The same for points that a header states but the file has no bytes for, compressed or not, and
   for points without streams. */
static void records_that_no_file_can_hold_are_told(void)
{
    static const uint8_t heads[2][16] = {"BPHYSICS\1\0\0\0\377\377\377",
                                         "BPHYSICS\1\0\1\0\377\377\377"};
    static const char *const texts[4] = {
        "index 67108862 is too high for ", "expected at most 4500000 points in 60 ",
        "expected points with location", "expected points with location"};
    for (uint32_t kind = 0; kind < 4; kind++) {
        uint8_t file[60] = {0}, packed = kind & 1u;
        char *folder = test_folder_make();
        memcpy(file, heads[packed], 16);
        file[15] = 3;                /* 2^26 - 1 */
        file[16] = kind < 2 ? 3 : 0; /* index and location, or no streams */
        if (packed) file[20] = 2, file[21] = 4, file[29] = 5;
        test_file_write(test_text("%s/a_000001_00.bphys", folder), file, sizeof file);
        test_file_write(test_text("%s/a_000002_00.bphys", folder), file, sizeof file);
        test_output output =
            test_command(command_sample, test_text("sample %s --frame 1.5 --csv", folder));
        CHECK_EQ(output.code, HOST_BAD_INPUT);
        test_note("%u: %s", kind, output.errors);
        CHECK(strstr(output.errors, texts[kind]) != NULL);
        test_output_free(&output);
        test_folder_remove(folder);
    }
}

/* A sequence converted to another step has the points that Blender would write with that step. */
static void another_step_has_other_points(void)
{
    const fall dense = {.birth = even_birth, .death = common_death, .step = 1};
    const fall sparse = {.birth = even_birth, .death = common_death, .step = 5};
    char *folder = test_folder_make(), *wanted = test_folder_make();
    write_fall(&sparse, folder);
    write_fall(&dense, wanted);
    test_expect(command_convert,
                test_text("convert %s/fall %s/again/dense --step 1 --quiet", folder, folder),
                HOST_DONE, NULL);
    CHECK_EQ(test_folder_count(wanted), 32);
    for (int32_t number = 1; number <= 32; number++) {
        test_note("frame %d", (int)number);
        CHECK_EQ(size_of(test_text("%s/again/dense_%06d_00.bphys", folder, (int)number)),
                 size_of(test_text("%s/fall_%06d_00.bphys", wanted, (int)number)));
    }
    test_folder_remove(folder);
    test_folder_remove(wanted);
}

/* Seven frames of six points, each present in a range of frames, some with a gap. `odd` selects a
   point whose birth (even) or death (odd) is half a frame later than the presence shows. */
static void write_presence(const char *path, uint32_t seed, uint32_t odd)
{
    FILE *stream = fopen(path, "w");
    if (!CHECK(stream != NULL)) return;
    fputs("frame,index,x,y,z,birth,die,life\n", stream);
    for (int32_t frame = 1; frame <= 7; frame++)
        for (uint32_t i = 0; i < 6; i++) {
            int32_t first = i ? 1 + (int32_t)(4 * chance(seed + 3 * i)) : 1;
            int32_t last = i ? first + (int32_t)((double)(8 - first) * chance(2 * seed + i)) : 7;
            bool is_hole =
                frame > first && frame < last && chance(5 * seed + i + (uint32_t)frame) < 0.2;
            float times[3];
            bphys_times_from_presence(first, last, 7, times);
            if (odd / 2 == i) times[odd % 2] += 0.5f;
            if (odd / 2 == i && times[1] >= BPHYS_NEVER) times[odd % 2] = odd % 2 ? 6.5f : times[0];
            times[2] = times[1] - times[0];
            if (frame < first || frame > last || is_hole) continue;
            fprintf(stream, "%d,%u,1,2,3,%.9g,%.9g,%.9g\n", (int)frame, i, (double)times[0],
                    (double)times[1], (double)times[2]);
        }
    CHECK(fclose(stream) == 0);
}

/* An info file that agrees with the presence in frames adds no columns to a table; any other info
   file does. */
static void times_that_presence_tells_have_no_columns(void)
{
    char *folder = test_folder_make(), line[80];
    for (uint32_t seed = 0; seed < 12; seed++)
        for (uint32_t odd = 0; odd <= 12; odd++) {
            write_presence(test_text("%s/in.csv", folder), seed, odd);
            test_expect(command_convert,
                        test_text("convert %s/in.csv %s/x --quiet", folder, folder), HOST_DONE,
                        NULL);
            test_expect(command_convert,
                        test_text("convert %s/x %s/out.csv --quiet", folder, folder), HOST_DONE,
                        NULL);
            FILE *stream = fopen(test_text("%s/out.csv", folder), "r");
            if (!CHECK(stream != NULL)) continue;
            test_note("seed %u, odd %u", (unsigned)seed, (unsigned)odd);
            CHECK(fgets(line, sizeof line, stream) != NULL);
            CHECK((strcmp(line, "frame,index,x,y,z\n") == 0) == (odd == 12));
            CHECK((strstr(line, ",birth,die,life\n") != NULL) == (odd != 12));
            fclose(stream);
        }
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(even_births_are_found_to_the_bit),
    TEST_CASE(short_lives_do_not_contradict_even_births),
    TEST_CASE(a_common_lifetime_is_found_to_the_bit),
    TEST_CASE(births_that_are_not_even_are_measured),
    TEST_CASE(presence_alone_tells_the_frame),
    TEST_CASE(dead_points_that_stay_are_dead),
    TEST_CASE(times_in_the_frames_are_believed),
    TEST_CASE(files_of_others_leave_presence_as_it_is),
    TEST_CASE(points_that_all_live_through_are_born_with_the_first_file),
    TEST_CASE(points_of_all_files_may_be_born_late_or_die),
    TEST_CASE(a_sample_opens_the_files_around_its_frame),
    TEST_CASE(what_is_known_and_what_not_is_told),
    TEST_CASE(a_damaged_file_spoils_only_its_frame),
    TEST_CASE(an_index_beyond_all_records_is_told),
    TEST_CASE(lives_follow_the_size_of_the_input),
    TEST_CASE(records_that_no_file_can_hold_are_told),
    TEST_CASE(another_step_has_other_points),
    TEST_CASE(times_that_presence_tells_have_no_columns),
};
TEST_SUITE(lives, cases);
