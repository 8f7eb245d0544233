/* SPDX-License-Identifier: MIT
   tests/unit/test_verify.c - every kind of fault of a point cache is reported at its byte, and no
           other.
   reads   tests/fixtures/blender          writes  a temporary folder
   memory  malloc                          cost    under a second
   after   own design: a valid sequence is damaged in one way at a time */
#include "../../host_tools/formats/verify.h"
#include "../harness/bphys_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int command_convert(int argc, char **argv);
int command_verify(int argc, char **argv);

/* ---- a valid sequence, byte by byte */

static void set(file_bytes *file, size_t at, uint32_t word)
{
    size_t size = file->size;
    file->size = at;
    file_add_u32(file, word);
    file->size = size;
}

static void set_float(file_bytes *file, size_t at, float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    set(file, at, word);
}

enum { PARTICLE = 28, FIRST = 20 };

/* Points 0, 1, 3: index, location, velocity. */
static file_bytes particles(int frame)
{
    static const uint32_t indices[3] = {0, 1, 3};
    file_bytes file = file_header(POINT_PARTICLES, 3, 0x07, false);
    for (int i = 0; i < 3; i++) {
        file_add_u32(&file, indices[i]);
        for (int k = 0; k < 6; k++) file_add_f32(&file, (float)(frame + i + k + 1));
    }
    return file;
}

/* The same as stored blocks: code, then the bytes. */
static file_bytes blocks(int frame)
{
    file_bytes flat = particles(frame),
               file = file_header(POINT_PARTICLES | 0x10000u, 3, 0x07, false);
    static const size_t offsets[3] = {0, 4, 16}, sizes[3] = {4, 12, 12};
    for (int s = 0; s < 3; s++) {
        file.bytes[file.size++] = 0;
        for (int i = 0; i < 3; i++, file.size += sizes[s])
            memcpy(file.bytes + file.size, flat.bytes + FIRST + i * PARTICLE + offsets[s],
                   sizes[s]);
    }
    return file;
}

static file_bytes info(void)
{
    file_bytes file = file_header(POINT_PARTICLES, 4, 0x40, false);
    for (int i = 0; i < 4; i++) {
        file_add_f32(&file, 1);
        file_add_f32(&file, 51);
        file_add_f32(&file, 50);
    }
    return file;
}

static file_bytes cloth(int frame)
{
    file_bytes file = file_header(POINT_CLOTH, 2, 0x16, false);
    for (int i = 0; i < 18; i++) file_add_f32(&file, (float)(i * frame + 1));
    return file;
}

static file_bytes with_extra(file_bytes file, uint32_t type, uint32_t count)
{
    set(&file, 8, (uint32_t)file.bytes[8] | 0x20000u);
    file_add_u32(&file, type);
    file_add_u32(&file, count);
    return file;
}

static file_bytes with_springs(int frame)
{
    /* at 104: type, count, then 16 bytes each */
    file_bytes file = with_extra(particles(frame), EXTRA_SPRINGS, 2);
    for (uint32_t i = 0; i < 2; i++) {
        file_add_f32(&file, 0.25f);
        file_add_u32(&file, i);
        file_add_u32(&file, 3);
        file_add_u32(&file, 0);
    }
    return file;
}

static file_bytes paint(void)
{
    file_bytes file = file_header(POINT_DYNAMIC_PAINT, 2, 3, false);
    memcpy(file.bytes + file.size, "1.01", 4);
    file.size += 4;
    file_add_u32(&file, 1);
    file.bytes[file.size++] = 0;
    file_add_u32(&file, 0);
    file_add_u32(&file, 0);
    return file;
}

/* ---- damage */

static char *folder;

static void put(const char *name, int frame, const file_bytes *file)
{
    test_file_write(test_text("%s/%s_%06d_00.bphys", folder, name, frame), file->bytes, file->size);
}

static void put_all(file_bytes (*make)(int frame))
{
    for (int frame = 1; frame <= 5; frame++) {
        file_bytes file = make(frame);
        put("a", frame, &file);
    }
}

static void put_info(void)
{
    file_bytes file = info();
    put("a", 0, &file);
}

/* True when each line is the note on a missing info file, which is no fault. */
static bool has_info_notes_only(const char *errors)
{
    for (const char *end; *errors; errors = end + 1) {
        const char *note = strstr(errors, ": note: no info file (frame 0): ");
        end = strchr(errors, '\n');
        if (!end || !note || note > end) return false;
    }
    return true;
}

/* Checks the exit code of `verify`, and that `lines` lines contain `text`, which begins after the
   folder's name. */
static void expect(const char *path, int code, const char *text, size_t lines)
{
    size_t found = 0, all = 0;
    test_output output = test_command(command_verify, test_text("verify %s/%s", folder, path));
    test_note("verify %s: %d\n%s%swanted %s", path, output.code, output.standard, output.errors,
              text);
    CHECK_EQ(output.code, code);
    for (const char *at = output.standard; (at = strchr(at, '\n')) != NULL; at++) all++;
    for (const char *at = output.standard; (at = strstr(at, text)) != NULL; at++) found++;
    CHECK_EQ(found, lines);
    CHECK_EQ(all, code == HOST_DIFFERENT ? lines + 1 : 1);
    CHECK(has_info_notes_only(output.errors));
    test_output_free(&output);
}

typedef struct damage {
    file_bytes (*make)(int frame); /* makes each of the five frames */
    bool has_info;
    int frame; /* the damaged frame; 0: the info file */
    size_t at; /* offset of the word to change; 0: none */
    uint32_t word;
    size_t size;      /* truncate or extend to this size; 0: unchanged */
    const char *text; /* expected message, with the byte */
    const char *effect;
} damage;

#define NAN_BITS 0x7fc00000u
#define INF_BITS 0x7f800000u
static const char *const again = "; Blender shows the frame before again\n",
                         *const anywhere =
                             "; Blender up to 4.5 shows the points at the origin or anywhere";

static void expect_damage(const damage *d)
{
    file_bytes file = d->frame ? d->make(d->frame) : info();
    folder = test_folder_make();
    put_all(d->make);
    if (d->has_info) put_info();
    expect("a", HOST_DONE, "no faults", 1);
    if (d->at) set(&file, d->at, d->word);
    if (d->size > file.size) memset(file.bytes + file.size, 7, d->size - file.size);
    if (d->size) file.size = d->size;
    if (d->size == 1) file.size = 0;
    put("a", d->frame, &file);
    char place[64];
    snprintf(place, sizeof place, "/a_%06d_00.bphys:%s", d->frame, d->text);
    expect("a", HOST_DIFFERENT, place, 1);
    expect("a", HOST_DIFFERENT, d->effect, 1);
    test_folder_remove(folder);
}

static const damage damages[] = {
    /* header */
    {particles, false, 3, 0, 0, 1, "0: the file is empty", NULL},
    {particles, false, 3, 0, 0, 12, "12: the file ends inside its header", NULL},
    {particles, false, 3, 4, 0x41414141, 0, "0: magic is not BPHYSICS", NULL},
    {particles, false, 3, 8, 9, 0, "8: simulation type is 9", NULL},
    {particles, false, 3, 8, 0x00100001, 0, "8: flags are 0x00100000", NULL},
    {particles, false, 3, 16, 0x107, 0, "16: data_types is 0x00000107", NULL},
    /* body */
    {particles, false, 3, 0, 0, 103,
     "103: totpoint promises 3 records of 28 bytes, which is 84 bytes, but 83", NULL},
    {particles, false, 3, 12, 4, 0,
     "104: totpoint promises 4 records of 28 bytes, which is 112 bytes, but 84", NULL},
    {particles, false, 3, 12, 0xffffffff, 0, "104: totpoint promises 4294967295 records", NULL},
    {particles, false, 3, 0, 0, 107, "104: 3 bytes left over", "; Blender ignores it"},
    {cloth, false, 3, 12, 1, 56, "12: totpoint is 1, that of frame 1 is 2",
     "; Blender moves only as many points"},
    {cloth, false, 3, 16, 0x06, 68, "16: data_types is 0x06, that of frame 1 is 0x16",
     "; Blender keeps the old"},
    {cloth, false, 3, 8, 0, 0, "8: type is softbody, that of frame 1 is cloth",
     "; Blender refuses the file"},
    /* points */
    {particles, false, 2, 76, 1, 0, "76: index 1 appears twice",
     "; one of the two records is lost"},
    {particles, false, 2, 48, 7, 0, "76: index 3 comes after 7", "; Blender does not find some"},
    {particles, false, 2, 76, 0x80000000, 0, "76: index 2147483648 is too high", "and may crash"},
    {particles, true, 2, 76, 4, 0, "76: index 4, but the info file has 4 points",
     "; Blender ignores the point"},
    {particles, false, 2, 56, NAN_BITS, 0, "52: frame 2: location of point 1 is not finite (nan)",
     "; Blender shows the point nowhere"},
    {particles, false, 2, 64, INF_BITS, 0, "64: frame 2: velocity of point 1 is not finite (inf)",
     "; Blender shows the point nowhere"},
    /* info file */
    {particles, true, 0, 36, 0, 0, "36: frame 0: times of point 1 end before they begin (-1)",
     "; Blender never shows the point"},
    {particles, true, 0, 64, NAN_BITS, 0, "56: frame 0: times of point 3 is not finite (nan)",
     "nowhere"},
    {particles, true, 0, 16, 0x10, 0, "16: data_types of the info file is 0x10, which has no times",
     "gets no births"},
    {particles, true, 0, 0, 0, 67,
     "67: totpoint promises 4 records of 12 bytes, which is 48 bytes, but 47", NULL},
    {particles, true, 0, 0, 0, 70, "68: 2 bytes left over", "; Blender ignores it"},
    /* blocks */
    {blocks, false, 4, 0, 0, 20, "20: the file ends before the block of index", NULL},
    {blocks, false, 4, 0, 0, 100, "71: velocity needs 36 bytes, the file has 29 left", NULL},
    {blocks, false, 4, 0, 0, 109, "107: 2 bytes left over", "; Blender ignores it"},
    {blocks, false, 4, 20, 0x000000f0, 0, "20: compression code of index is 240", NULL},
    {blocks, false, 4, 20, 0xffffff01, 0, "21: the block of index promises ", NULL},
    {blocks, false, 4, 20, 1, 0, "25: index needs 12 bytes, but its block of 0 bytes can hold 0",
     NULL},
    {blocks, false, 4, 20, 2 | 4 << 8, 0, "29: the LZMA settings of index have ", NULL},
    /* extra data */
    {with_springs, false, 2, 104, 5, 0, "104: extra data has type 5, expected 1", "and may crash"},
    {with_springs, false, 2, 0, 0, 106, "104: the flags promise extra data",
     "; Blender reads no extra data"},
    {with_springs, false, 2, 108, 3, 0,
     "108: extra data of type 1 promises 3 elements, which is 48 bytes, but 32",
     "; Blender ignores the extra data"},
    {with_springs, false, 2, 0, 0, 110, "110: the file ends before the count of extra data",
     "; Blender ignores the extra"},
    {with_springs, false, 2, 0, 0, 104, "104: the flags promise extra data",
     "; Blender reads no extra data"},
    {with_springs, false, 2, 116, 4, 0,
     "116: spring 0 ends at point 4, but there are points 0 to 3", "and may crash"},
    {with_springs, false, 2, 136, 0x7fffffff, 0, "136: spring 1 ends at point 2147483647",
     "and may crash"},
    {with_springs, false, 2, 112, 0xbf800000, 0, "112: spring 0 has rest length -1",
     "; Blender tears"},
    {with_springs, false, 2, 124, 2, 0, "124: spring 0 has the deletion flag 2",
     "; Blender deletes"},
};

static void every_kind_of_damage_is_told_at_its_byte(void)
{
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        damage d = damages[i];
        if (!d.effect) d.effect = d.make == blocks ? anywhere : again;
        expect_damage(&d);
    }
}

/* ---- faults that need more than one changed word */

static void begin(file_bytes (*make)(int frame))
{
    folder = test_folder_make();
    put_all(make);
}

static void zero_records_at_the_end_are_told(void)
{
    begin(particles);
    file_bytes file = particles(2);
    memset(file.bytes + file.size, 0, 2 * PARTICLE);
    file.size += 2 * PARTICLE;
    set(&file, 12, 5);
    put("a", 2, &file);
    expect("a", HOST_DIFFERENT,
           "a_000002_00.bphys:104: the last 2 records are all zero; Blender moves point 0", 1);
    test_folder_remove(folder);
}

static void big_endian_files_are_told(void)
{
    begin(particles);
    file_bytes file = particles(2), swapped = file;
    for (size_t i = 8; i < file.size; i++) swapped.bytes[i] = file.bytes[i ^ 3];
    put("a", 2, &swapped);
    expect("a", HOST_DIFFERENT, "a_000002_00.bphys:8: the file is big-endian", 1);
    test_folder_remove(folder);
}

static void extra_data_where_it_does_not_belong_is_told(void)
{
    begin(cloth);
    file_bytes file = with_extra(cloth(2), EXTRA_ACCELERATION, 2);
    for (int i = 0; i < 6; i++) file_add_f32(&file, 1);
    put("a", 2, &file);
    expect("a", HOST_DIFFERENT, "a_000002_00.bphys: 2 average accelerations, expected one", 1);
    file = with_extra(cloth(2), EXTRA_ACCELERATION, 0);
    put("a", 2, &file);
    expect("a", HOST_DIFFERENT, "a_000002_00.bphys:96: extra data with 0 elements", 1);
    file = with_extra(cloth(2), EXTRA_SPRINGS, 1);
    file_add_f32(&file, 1);
    for (int i = 0; i < 3; i++) file_add_u32(&file, 0);
    put("a", 2, &file);
    expect("a", HOST_DIFFERENT, "a_000002_00.bphys: a cloth has springs, which only particles have",
           1);
    file = with_extra(cloth(2), EXTRA_ACCELERATION, 1);
    for (int i = 0; i < 3; i++) file_add_f32(&file, 1);
    file_add_u32(&file, EXTRA_ACCELERATION);
    file_add_u32(&file, 1);
    for (int i = 0; i < 3; i++) file_add_f32(&file, 1);
    put("a", 2, &file);
    expect("a", HOST_DIFFERENT, "a_000002_00.bphys:112: extra data of type 2 occurs a second time",
           1);
    test_folder_remove(folder);
}

static void boids_in_an_unknown_mode_are_told(void)
{
    folder = test_folder_make();
    for (int frame = 1; frame <= 2; frame++) {
        file_bytes file = file_header(POINT_PARTICLES, 1, 0x83, false);
        for (int i = 0; i < 8; i++) file_add_u32(&file, 0);
        file_add_u32(&file, frame == 1 ? 4u << 16 : 5u << 16);
        put("a", frame, &file);
    }
    expect("a", HOST_DIFFERENT,
           "a_000002_00.bphys:54: frame 2: boids of point 0 has a mode beyond 0 to 4 (5)", 1);
    test_folder_remove(folder);
}

static void points_before_their_birth_are_told(void)
{
    begin(particles);
    file_bytes file = info();
    /* point 1 is already in frame 1; frame 3 is less than a step before */
    set_float(&file, 20 + 12, 4.5f);
    put("a", 0, &file);
    expect("a", HOST_DIFFERENT,
           "but the info file has its birth at 4.5; Blender does not show the point here", 2);
    test_folder_remove(folder);
}

static void frames_that_are_missing_are_told_and_steps_are_not(void)
{
    begin(particles);
    CHECK(remove(test_text("%s/a_000003_00.bphys", folder)) == 0);
    expect("a", HOST_DIFFERENT,
           "a_000004_00.bphys: frame 4 follows frame 2, and the usual step is 1: files are "
           "missing; Blender "
           "interpolates",
           1);
    CHECK(remove(test_text("%s/a_000001_00.bphys", folder)) == 0);
    CHECK(remove(test_text("%s/a_000002_00.bphys", folder)) == 0);
    expect("a", HOST_DONE, "no faults", 1);
    /* a gap without living particles, then a step of 6 */
    for (int frame = 12; frame <= 36; frame += 6) {
        file_bytes file = particles(frame);
        for (size_t i = 0; i < 3; i++) set(&file, FIRST + i * PARTICLE, (uint32_t)(5 + i));
        put("a", frame, &file);
    }
    expect("a", HOST_DONE, "no faults", 1);
    test_folder_remove(folder);
}

static void numbers_that_blender_does_not_look_for_are_told(void)
{
    begin(cloth);
    file_bytes file = cloth(1);
    put("a", 0, &file);
    expect("a", HOST_DIFFERENT, "a_000000_00.bphys: frame 0 of a cloth; only particles have one",
           1);
    CHECK(remove(test_text("%s/a_000000_00.bphys", folder)) == 0);
    put("b", 1000000, &file);
    expect("b", HOST_DIFFERENT,
           "b_1000000_00.bphys: frame 1000000; frames are numbered from 1 to 999999", 1);
    put("c", -1, &file);
    expect("c", HOST_DIFFERENT, "c_-00001_00.bphys: frame -1; frames are numbered", 1);
    file = particles(1);
    put("d", 0, &file);
    expect("d", HOST_DIFFERENT,
           "d_000000_00.bphys:16: frame 0 is the info file, which has times alone", 1);
    test_folder_remove(folder);
}

static void wrong_names_are_told(void)
{
    static const char *const bad[] = {"a_12_00.bphys", "a_0000012_00.bphys", "a_000012_0.bphys",
                                      "a.bphys", "a_00012x_00.bphys"};
    file_bytes file = particles(1);
    begin(particles);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *path = test_text("%s/%s", folder, bad[i]);
        test_file_write(path, file.bytes, file.size);
        expect("", HOST_DIFFERENT, test_text("/%s: the name is not NAME_FFFFFF_II.bphys", bad[i]),
               1);
        CHECK(remove(test_text("%s/%s", folder, bad[i])) == 0);
    }
    test_file_write(test_text("%s/a_000009_00.bphys.bak", folder), file.bytes, file.size);
    expect("a", HOST_DIFFERENT, "a_000009_00.bphys.bak: the name continues after .bphys", 1);
    test_folder_remove(folder);
}

static void what_a_killed_conversion_left_is_noted(void)
{
    begin(particles);
    CHECK(mkdir(test_text("%s/.a_00.77-0.partial", folder), 0777) == 0);
    test_expect(command_verify, test_text("verify %s", folder), HOST_DONE,
                "note: .a_00.77-0.partial belongs to a conversion that is running or was killed");
    test_folder_remove(folder);
}

static void files_of_old_and_new_blenders_do_not_go_together(void)
{
    begin(blocks);
    file_bytes file = blocks(1);
    file.bytes[20] = 1; /* both are truncated after the code, which is enough to identify them */
    set(&file, 21, 12);
    put("a", 1, &file);
    file = blocks(2);
    file.bytes[20] = 3;
    set(&file, 21, 12);
    put("a", 2, &file);
    test_output output = test_command(command_verify, test_text("verify %s/a", folder));
    test_note("%s", output.standard);
    CHECK_EQ(output.code, HOST_DIFFERENT);
    CHECK(strstr(output.standard,
                 "of zstd (from 5.0 on) in one sequence; no Blender version reads all of them") !=
          NULL);
    test_output_free(&output);
    test_folder_remove(folder);
}

static void surfaces_are_checked_without_points(void)
{
    folder = test_folder_make();
    file_bytes file = paint();
    put("a", 1, &file);
    expect("a", HOST_DONE, "1 file, 1 frame, 2 points: no faults", 1);
    file.bytes[20] = '2';
    put("a", 1, &file);
    expect("a", HOST_DIFFERENT, "a_000001_00.bphys:20: version of the surface is not 1.01", 1);
    file = paint();
    file.bytes[24] = 4;
    put("a", 1, &file);
    expect("a", HOST_DIFFERENT, "a_000001_00.bphys:24: type of the surface is 4, expected 0", 1);
    file = paint();
    file.size -= 3;
    put("a", 1, &file);
    expect("a", HOST_DIFFERENT,
           "a_000001_00.bphys:29: the surface needs 8 bytes, the file has 5 left", 1);
    test_folder_remove(folder);
}

/* ---- the command */

static void a_folder_stands_for_all_its_sequences_and_lines_are_bounded(void)
{
    folder = test_folder_make();
    for (int frame = 1; frame <= 3; frame++) {
        file_bytes file = particles(frame), other = cloth(frame);
        for (uint32_t stream = 0; stream < 6; stream++) set(&file, 24 + 4 * stream, NAN_BITS);
        put("a", frame, &file);
        if (frame < 3) put("ab", frame, &other);
    }
    file_bytes all = with_extra(file_header(POINT_PARTICLES, 2, 0xff, false), EXTRA_SPRINGS, 1);
    all.size -= 8;
    for (int i = 0; i < 46; i++)
        file_add_u32(&all, NAN_BITS); /* every stream, the order and the springs have faults */
    file_add_u32(&all, EXTRA_SPRINGS);
    file_add_u32(&all, 1);
    for (int i = 0; i < 4; i++) file_add_u32(&all, NAN_BITS);
    put("c", 1, &all);
    test_output output = test_command(command_verify, test_text("verify %s", folder));
    test_note("%s", output.standard);
    CHECK_EQ(output.code, HOST_DIFFERENT);
    CHECK(strstr(output.standard, "\n6 files, 6 frames, ") != NULL);
    CHECK(strstr(output.standard, "c_000001_00.bphys: and 3 more\n") != NULL);
    CHECK(strstr(output.standard, "17 faults in 4 files\n") != NULL);
    test_output_free(&output);
    output = test_command(command_verify,
                          test_text("verify %s/ab %s/ab_000002_00.bphys", folder, folder));
    CHECK_EQ(output.code, HOST_DONE);
    test_output_free(&output);
    output = test_command(
        command_verify,
        test_text("verify %s/a_000001_00.bphys %s/a_000002_00.bphys --quiet", folder, folder));
    CHECK_EQ(output.code, HOST_DIFFERENT);
    CHECK(!*output.standard && !*output.errors);
    test_output_free(&output);
    output = test_command(command_verify, test_text("verify %s/a --json", folder));
    test_note("%s", output.standard);
    CHECK(strstr(output.standard, "{\"faults\": [\n  {\"file\": \"") == output.standard);
    CHECK(strstr(output.standard,
                 "\"offset\": 24, \"fault\": \"frame 1: location of point 0 is not finite "
                 "(nan)\", \"effect\": \"Blender shows the point nowhere\"},\n") != NULL);
    CHECK(strstr(output.standard,
                 "], \"fault_count\": 6, \"files\": 3, \"sequences\": 1, \"frames\": 3, "
                 "\"points\": 9}\n") != NULL);
    test_output_free(&output);
    test_folder_remove(folder);
}

static void what_is_not_there_is_an_error_of_reading(void)
{
    folder = test_folder_make();
    test_expect(command_verify, test_text("verify %s/none", folder), HOST_IO,
                "no such file or sequence");
    test_expect(command_verify, test_text("verify %s/no/folder", folder), HOST_IO,
                "cannot open the folder");
    begin(particles);
    CHECK(remove(test_text("%s/a_000002_00.bphys", folder)) == 0);
    CHECK(mkdir(test_text("%s/a_000002_00.bphys", folder), 0777) == 0);
    test_output output = test_command(command_verify, test_text("verify %s/a", folder));
    CHECK_EQ(output.code, HOST_IO);
    CHECK(strstr(output.standard, "a_000002_00.bphys:0: cannot read: ") != NULL);
    test_output_free(&output);
    test_folder_remove(folder);
}

static void a_table_is_read_and_its_values_are_checked(void)
{
    static const char good[] =
        "frame,index,x,y,z,birth,die,life\n1,0,1,2,3,1,9,8\n2,0,1,2,3,1,9,8\n";
    static const char *const bad[][2] = {
        {"frame,index,x,y,z\n1,0,1,2,x\n",
         "t.csv:26: line 2: column z is \"x\", expected a number; convert refuses it"},
        {"frame,index,x,y,z\n1,0,1,2,3\n1,1,1,2,nan\n",
         "t.csv: frame 1: location of point 1 is not finite (nan); convert does not write it into "
         ".bphys"},
        {"frame,index,x,y,z\n1,0,1,2,3\n1,0,1,2,3\n",
         "t.csv:28: line 3: frame 1 has index 0 a second time"},
        {"frame,index,x,y,z\n1,0,1,2,3\n2,0,1,2,3\n3,0,1,2,3\n5,0,1,2,3\n",
         "t.csv: after frame 3 comes frame 5; the usual step is 1; frames between them are "
         "interpolated"},
        {"frame,index,x,y,z,birth,die,life\n1,0,1,2,3,5,4,-1\n",
         "t.csv: frame 1: times of point 0 end before they begin (-1)"},
        {"frame,index,x,y,z\n1,0,1,2,3", "t.csv:27: the last line has no end, as if the file were "
                                         "cut there, perhaps inside its last number; "
                                         "convert goes on with the rest"},
    };
    folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), good, sizeof good - 1);
    expect("t.csv", HOST_DONE, "1 file, 2 frames, 2 points: no faults", 1);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        test_file_write(test_text("%s/t.csv", folder), bad[i][0], strlen(bad[i][0]));
        expect("t.csv", HOST_DIFFERENT, bad[i][1], 1);
    }
    test_folder_remove(folder);
}

static void what_blender_and_convert_wrote_has_no_faults(void)
{
    static const char *const names[] = {
        "boids",     "cloth_pinned",  "dynpaint_displace", "hair",     "newton_s1",
        "newton_s5", "newton_s5_mem", "rotation",          "softbody", "sph_adaptive"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        test_output output = test_command(
            command_verify, test_text("verify tests/fixtures/blender/%s/none", names[i]));
        CHECK(output.code == HOST_DONE && has_info_notes_only(output.errors));
        test_output_free(&output);
        if (i == 2) continue;
        folder = test_folder_make();
        test_expect(command_convert,
                    test_text("convert tests/fixtures/blender/%s/none %s/x --step 1 --quiet",
                              names[i], folder),
                    HOST_DONE, NULL);
        test_expect(command_verify, test_text("verify %s", folder), HOST_DONE, NULL);
        test_folder_remove(folder);
    }
}

/* An external cache takes births and deaths from its info file. A bake in the folder of its .blend
   file takes them from the emitter. */
static void a_cache_without_an_info_file_is_noted(void)
{
    static const char note[] =
        "/a_000001_00.bphys: note: no info file (frame 0): as an external cache, Blender takes "
        "births and deaths from its emitter; convert writes one\n";
    begin(particles);
    test_expect(command_verify, test_text("verify %s", folder), HOST_DONE, note);
    test_expect(command_verify, test_text("verify %s --quiet", folder), HOST_DONE, NULL);
    host_quiet(false);
    put_info();
    test_expect(command_verify, test_text("verify %s", folder), HOST_DONE, NULL);
    test_folder_remove(folder);
    begin(cloth);
    test_expect(command_verify, test_text("verify %s", folder), HOST_DONE, NULL);
    test_folder_remove(folder);
    begin(particles);
    char *whole = folder;
    folder = host_text("%s/blendcache_scene", whole);
    CHECK(mkdir(folder, 0777) == 0);
    put_all(particles);
    test_expect(command_verify, test_text("verify %s", folder), HOST_DONE, NULL);
    free(folder);
    test_folder_remove(whole);
}

static void the_usual_step_is_that_of_most_frames(void)
{
    static const int32_t odd[] = {1, 6, 8, 10, 12, 14, 40}, few[] = {3}, even[] = {1, 4, 7, 9};
    CHECK_EQ(host_common_step(odd, 7), 2);
    CHECK_EQ(host_common_step(few, 1), 1);
    CHECK_EQ(host_common_step(even, 4), 3);
    for (size_t i = 0; i < 7; i++)
        CHECK(host_is_hole(odd, i, 2) == (i == 6)); /* Blender's first gap is longer */
    for (size_t i = 0; i < 4; i++) CHECK(!host_is_hole(even, i, 3));
}

static void grids_of_smoke_are_measured(void)
{
    static const uint32_t words[] = {3, 0, 2, 0, 0, 200000, 200000, 200000, 0};
    file_bytes file = particles(1);
    file.size = 20 + 4 + 24 + 10;
    memset(file.bytes + 8, 0, file.size - 8);
    memcpy(file.bytes + 20, "1.04", 4);
    for (size_t w = 0; w < 9; w++) set(&file, w < 3 ? 8 + 4 * w : 12 + 4 * w, words[w]);
    folder = test_folder_make();
    put("a", 1, &file);
    expect("a", HOST_DIFFERENT, "a_000001_00.bphys:32: resolution is 200000 x 200000 x 200000", 1);
    test_folder_remove(folder);
}

/* Formats that do not search folders themselves. */
static void a_folder_of_another_format_is_checked(void)
{
    folder = test_folder_make();
    test_expect(
        command_convert,
        test_text("convert tests/fixtures/blender/cloth_pinned/none %s/a.ply --quiet", folder),
        HOST_DONE, NULL);
    expect("", HOST_DONE, "24 files, 24 frames, 2904 points: no faults", 1);
    test_file_write(test_text("%s/b.ply", folder), (const uint8_t *)"ply\n", 4);
    test_output output = test_command(command_verify, test_text("verify %s", folder));
    CHECK_EQ(output.code, HOST_DIFFERENT);
    CHECK(strstr(output.standard, "/b.ply:") != NULL);
    CHECK(strstr(output.standard, "25 files, 24 frames") != NULL);
    test_output_free(&output);
    for (int frame = 3; frame <= 9; frame += 6) /* both are reported */
        CHECK(truncate(test_text("%s/a.%04d.ply", folder, frame), 700) == 0);
    output = test_command(command_verify, test_text("verify %s/a.ply", folder));
    CHECK_EQ(output.code, HOST_DIFFERENT);
    CHECK(strstr(output.standard, "/a.0003.ply:") != NULL &&
          strstr(output.standard, "/a.0009.ply:") != NULL);
    CHECK(strstr(output.standard, "24 files, 22 frames") != NULL);
    test_output_free(&output);
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(every_kind_of_damage_is_told_at_its_byte),
    TEST_CASE(a_cache_without_an_info_file_is_noted),
    TEST_CASE(zero_records_at_the_end_are_told),
    TEST_CASE(big_endian_files_are_told),
    TEST_CASE(extra_data_where_it_does_not_belong_is_told),
    TEST_CASE(boids_in_an_unknown_mode_are_told),
    TEST_CASE(points_before_their_birth_are_told),
    TEST_CASE(frames_that_are_missing_are_told_and_steps_are_not),
    TEST_CASE(numbers_that_blender_does_not_look_for_are_told),
    TEST_CASE(wrong_names_are_told),
    TEST_CASE(what_a_killed_conversion_left_is_noted),
    TEST_CASE(files_of_old_and_new_blenders_do_not_go_together),
    TEST_CASE(surfaces_are_checked_without_points),
    TEST_CASE(a_folder_stands_for_all_its_sequences_and_lines_are_bounded),
    TEST_CASE(grids_of_smoke_are_measured),
    TEST_CASE(a_folder_of_another_format_is_checked),
    TEST_CASE(what_is_not_there_is_an_error_of_reading),
    TEST_CASE(a_table_is_read_and_its_values_are_checked),
    TEST_CASE(what_blender_and_convert_wrote_has_no_faults),
    TEST_CASE(the_usual_step_is_that_of_most_frames),
};
TEST_SUITE(verify, cases);
