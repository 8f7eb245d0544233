/* SPDX-License-Identifier: MIT
   tests/unit/test_tpc_streams.c - clips with streams that no frame uses: each damage is reported
           once.
   reads   clips written here             writes  a temporary folder
   memory  malloc                         cost    under a second
   after   own design: every piece, directory word and lattice of a clip is damaged in turn */
#include "../../host_tools/formats/tpc.h"
#include "../harness/files_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int command_activity(int argc, char **argv);
int command_convert(int argc, char **argv);
int command_verify(int argc, char **argv);

enum {
    ID,
    LOCATION,
    LIFE,
    TIDEMARK,
    SECOND,
    ONCE,
    BLOB,
    STREAMS,
    POINTS = 5,
    FRAMES = 2,
    BLOCK = 512,
    BLOB_BYTES = 1300,
    BLOB_LETTER = 0xab
};

/* The damage in a clip, for a group and a stream. */
typedef enum spoiled { NOTHING, TILE, LIVES, LONGER, WORD, LATTICE } spoiled;
typedef struct fault {
    spoiled what;
    uint8_t kind;
    uint32_t stream;
} fault;

static const fault none = {NOTHING, TPI_CLIP_FRAMES, 0};
static uint32_t point_count = POINTS; /* the number that the header states */
static const char *second_name = "second";
static FILE *disk;
static uint8_t blocks[2][BLOCK];

static uint32_t read_disk(void *context, uint64_t offset, void *bytes, uint32_t size)
{
    (void)context;
    return fseek(disk, (long)offset, SEEK_SET) ? 0 : (uint32_t)fread(bytes, 1, size, disk);
}

static bool write_disk(void *context, uint64_t offset, const void *bytes, uint32_t size)
{
    (void)context;
    return !fseek(disk, (long)offset, SEEK_SET) && fwrite(bytes, 1, size, disk) == size;
}

static const tpi_clip_storage storage = {
    NULL, read_disk, write_disk, {blocks[0], blocks[1]}, BLOCK};

static tpi_clip_schema make_schema(void)
{
    tpi_clip_schema schema = {.block_bits = 9,
                              .point_count = point_count,
                              .fps = 24,
                              .seconds_per_frame = 0.04f,
                              .simulation = POINT_PARTICLES,
                              .key_interval = 8,
                              .stream_count = STREAMS};
    schema.stream[ID] = (tpi_clip_stream){"id", TPI_CLIP_U32, 1, true, 0};
    schema.stream[LOCATION] = (tpi_clip_stream){"location", TPI_CLIP_F32, 3, false, 0};
    schema.stream[LIFE] = (tpi_clip_stream){TPC_TIMES, TPI_CLIP_F32, 3, true, 0};
    schema.stream[TIDEMARK] = (tpi_clip_stream){"tidemark", TPI_CLIP_F32, 2, false, 0.01f};
    schema.stream[SECOND] = (tpi_clip_stream){"", TPI_CLIP_F32, 3, false, 0};
    memcpy(schema.stream[SECOND].name, second_name, strlen(second_name));
    schema.stream[ONCE] = (tpi_clip_stream){"once", TPI_CLIP_F32, 2, true, 0};
    schema.stream[BLOB] = (tpi_clip_stream){"blob", TPI_CLIP_BYTES, 0, false, 0};
    return schema;
}

/* A tile of raw components with all values 1: the words of their header, the lives of the points,
   the values. */
static uint32_t make_tile(uint8_t *bytes, const tpi_clip_stream *stream, uint32_t frames,
                          spoiled what)
{
    static const float one = 1;
    uint32_t at = TPI_TILE_HEADER_BYTES, components = stream->components;
    memset(bytes, 0, BLOB_BYTES);
    bytes[0] = POINTS - 1;
    bytes[1] = (uint8_t)(frames - 1);
    bytes[2] = (uint8_t)(components | (what == LIVES ? 16u : 0u));
    for (uint32_t c = 0; c < components; c++, at += 5) bytes[at] = TPI_TILE_RAW;
    if (what == LIVES) {
        memset(bytes + at + POINTS, 1, POINTS); /* absent in the second frame */
        at += 2 * POINTS;
    }
    for (uint32_t i = 0; i < components * frames * POINTS; i++, at += 4)
        memcpy(bytes + at, &one, 4);
    if (what == TILE) memset(bytes, 0xff, 8);
    return what == LONGER ? at + 1 : at;
}

static uint32_t make_piece(uint8_t *bytes, const tpi_clip_group *group, uint32_t s, spoiled what)
{
    tpi_clip_schema schema = make_schema();
    if (s == ID && what == NOTHING) return 0;
    if (schema.stream[s].type == TPI_CLIP_BYTES) {
        memset(bytes, BLOB_LETTER, BLOB_BYTES);
        return BLOB_BYTES;
    }
    return make_tile(bytes, &schema.stream[s], schema.stream[s].is_once ? 1 : group->frames, what);
}

static void write_group(tpi_clip_writer *writer, uint8_t kind, uint32_t streams,
                        const fault with[2])
{
    static uint8_t bytes[BLOB_BYTES];
    uint32_t ends[64], piece = 0;
    tpi_lattice lattices[STREAMS * TPI_TILE_COMPONENTS] = {{0, 0}};
    bool is_about = kind == TPI_CLIP_ABOUT;
    for (uint32_t i = 0; i < STREAMS * TPI_TILE_COMPONENTS; i++)
        lattices[i] = (tpi_lattice){1, 0.01f};
    writer->group = (tpi_clip_group){.kind = kind,
                                     .step = 1,
                                     .frames = is_about ? 1 : FRAMES,
                                     .slots = POINTS,
                                     .streams = streams,
                                     .first_frame = is_about ? 0 : 1};
    CHECK_EQ(tpi_clip_group_begin(writer), TPI_CLIP_OK);
    for (uint32_t s = 0; s < STREAMS; s++) {
        spoiled what = NOTHING;
        for (int i = 0; i < 2; i++)
            if (with[i].what && with[i].kind == kind && with[i].stream == s) what = with[i].what;
        for (uint32_t p = 0; p < tpi_clip_pieces(&writer->clip, &writer->group, s); p++, piece++) {
            uint32_t size = make_piece(bytes, &writer->group, s, what);
            CHECK_EQ(tpi_clip_put(writer, &storage, ends, bytes, size), TPI_CLIP_OK);
            if (what == WORD) ends[piece] = 0xffffff00u;
        }
        if (what == LATTICE) lattices[s * TPI_TILE_COMPONENTS].quarter = NAN;
    }
    CHECK_EQ(tpi_clip_group_end(writer, &storage, ends, lattices), TPI_CLIP_OK);
}

/* `frames` and `about` are masks of streams: those in the group of frames, and those that describe
   all points once. */
static void write_clip(const char *path, uint32_t frames, uint32_t about, fault first, fault second)
{
    tpi_clip_writer writer;
    tpi_clip_schema schema = make_schema();
    const fault with[2] = {first, second};
    disk = fopen(path, "w+b");
    if (!CHECK(disk && tpi_clip_create(&writer, &storage, &schema, 77) == TPI_CLIP_OK)) return;
    write_group(&writer, TPI_CLIP_FRAMES, frames, with);
    if (about) write_group(&writer, TPI_CLIP_ABOUT, about, with);
    CHECK_EQ(tpi_clip_close(&writer, &storage), TPI_CLIP_OK);
    CHECK(fclose(disk) == 0);
}

#define BIT(stream) (1u << (stream))
static const uint32_t all_of_frames = BIT(ID) | BIT(LOCATION) | BIT(LIFE) | BIT(TIDEMARK) |
                                      BIT(SECOND) | BIT(ONCE) | BIT(BLOB),
                      all_of_about =
                          BIT(ID) | BIT(LOCATION) | BIT(LIFE) | BIT(TIDEMARK) | BIT(ONCE);

/* ---- the tests */

static void good_clips_have_no_faults(void)
{
    char *folder = test_folder_make();
    char *path = host_text("%s/a.tpc", folder);
    /* every set of streams in addition to the first two */
    for (uint32_t more = 0; more < BIT(STREAMS); more += 4) {
        write_clip(path, BIT(ID) | BIT(LOCATION) | more,
                   more % 3 ? BIT(ID) | (more & all_of_about) : 0, none, none);
        test_expect(command_verify, test_text("verify %s", path), HOST_DONE, NULL);
        test_expect(command_activity, test_text("activity %s --quiet", path), HOST_DONE, NULL);
    }
    free(path);
    test_folder_remove(folder);
}

/* Exactly one line is printed, and it says whether convert or a player refuses the clip. */
static void damage_is_told_once(void)
{
    static const char player[] = "; a player refuses it, convert skips it\n",
                      skipped[] = "; convert skips it\n", refused[] = "; convert refuses it\n";
    static const struct {
        fault with;
        const char *text, *effect;
    } runs[] = {
        {{WORD, TPI_CLIP_FRAMES, LOCATION}, "expected a directory with all pieces", refused},
        {{TILE, TPI_CLIP_FRAMES, LOCATION},
         "location of points 0 to 127: no tile begins here",
         refused},
        {{TILE, TPI_CLIP_FRAMES, LIFE}, "life of points 0 to 127: the tile is damaged", skipped},
        {{WORD, TPI_CLIP_FRAMES, LIFE}, "expected a directory with all pieces", skipped},
        {{LONGER, TPI_CLIP_FRAMES, LIFE}, "life of points 0 to 127: the tile is damaged", skipped},
        {{TILE, TPI_CLIP_FRAMES, TIDEMARK},
         "tidemark of points 0 to 127: the tile is damaged",
         player},
        {{LIVES, TPI_CLIP_FRAMES, TIDEMARK},
         "tidemark of points 0 to 127: the tile is damaged",
         player},
        {{LONGER, TPI_CLIP_FRAMES, TIDEMARK},
         "tidemark of points 0 to 127: the tile is damaged",
         player},
        {{LATTICE, TPI_CLIP_FRAMES, TIDEMARK}, "expected a lattice of finite numbers", player},
        {{WORD, TPI_CLIP_FRAMES, TIDEMARK}, "expected a directory with all pieces", player},
        {{TILE, TPI_CLIP_FRAMES, SECOND}, "second of points 0 to 127: the tile is damaged", player},
        {{TILE, TPI_CLIP_FRAMES, ONCE}, "once of points 0 to 127: the tile is damaged", skipped},
        {{WORD, TPI_CLIP_FRAMES, BLOB}, "expected a directory with all pieces", skipped},
        {{TILE, TPI_CLIP_ABOUT, ID}, "id of points 0 to 127: the tile is damaged", skipped},
        {{TILE, TPI_CLIP_ABOUT, LOCATION},
         "location of points 0 to 127: the tile is damaged",
         skipped},
        {{WORD, TPI_CLIP_ABOUT, TIDEMARK}, "expected a directory with all pieces", skipped},
        {{TILE, TPI_CLIP_ABOUT, LIFE}, "life of points 0 to 127: no tile begins here", refused},
        {{LATTICE, TPI_CLIP_ABOUT, TIDEMARK}, "expected a lattice of finite numbers", skipped},
        {{TILE, TPI_CLIP_ABOUT, ONCE}, "once of points 0 to 127: the tile is damaged", skipped},
    };
    char *folder = test_folder_make();
    char *path = host_text("%s/a.tpc", folder);
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        write_clip(path, all_of_frames, all_of_about, runs[i].with, none);
        test_output output = test_command(command_verify, test_text("verify %s", path));
        const char *end = strchr(output.standard, '\n');
        test_note("%zu: %s", i, output.standard);
        CHECK_EQ(output.code, HOST_DIFFERENT);
        CHECK(strstr(output.standard, runs[i].text) &&
              strstr(output.standard, ": 1 fault in 1 file\n"));
        size_t length = strlen(runs[i].effect);
        CHECK(end && end + 1 >= output.standard + length &&
              memcmp(end + 1 - length, runs[i].effect, length) == 0);
        test_output_free(&output);
    }
    free(path);
    test_folder_remove(folder);
}

/* Checks how often a text occurs in the output of verify, and the number of faults. */
static void expect_faults(const char *path, const char *text, int times, int faults)
{
    test_output output = test_command(command_verify, test_text("verify %s", path));
    const char *at = output.standard;
    test_note("expected %d times %s and %d faults in: %s", times, text, faults, at);
    for (; (at = strstr(at, text)) != NULL; at++) times--;
    CHECK_EQ(times, 0);
    CHECK(strstr(output.standard,
                 test_text(": %d fault%s in 1 file\n", faults, faults == 1 ? "" : "s")));
    test_output_free(&output);
}

static void damage_hides_no_other(void)
{
    char *folder = test_folder_make(), *path = host_text("%s/a.tpc", folder);
    write_clip(path, all_of_frames, all_of_about, (fault){TILE, TPI_CLIP_ABOUT, LIFE},
               (fault){TILE, TPI_CLIP_FRAMES, LOCATION});
    expect_faults(path, "location of points", 1, 2);
    write_clip(path, all_of_frames, all_of_about, (fault){TILE, TPI_CLIP_ABOUT, LIFE},
               (fault){TILE, TPI_CLIP_FRAMES, SECOND});
    expect_faults(path, "second of points", 1, 2);
    free(path);
    test_folder_remove(folder);
}

/* If the header does not state the number of points, opening the clip also reads the identities. */
static void damaged_identities_are_told_once(void)
{
    char *folder = test_folder_make(), *path = host_text("%s/a.tpc", folder);
    point_count = 0;
    write_clip(path, all_of_frames, 0, (fault){TILE, TPI_CLIP_FRAMES, ID}, none);
    expect_faults(path, "id of points 0 to 127: no tile begins here; convert refuses it\n", 1, 1);
    test_expect(command_convert, test_text("convert %s %s/a.csv --quiet", path, folder),
                HOST_BAD_INPUT, "id of points 0 to 127: no tile begins here");
    write_clip(path, all_of_frames, 0, (fault){WORD, TPI_CLIP_FRAMES, ID}, none);
    expect_faults(path, "expected a directory", 1, 1);
    point_count = POINTS;
    free(path);
    test_folder_remove(folder);
}

/* Blocks with nothing but ignored data. */
static void the_effect_of_a_damaged_block_is_true(void)
{
    char *folder = test_folder_make(), *path = host_text("%s/a.tpc", folder);
    for (int is_about = 0; is_about < 2; is_about++) {
        uint8_t *bytes;
        size_t size, at = 0;
        write_clip(path, BIT(ID) | BIT(LOCATION) | (is_about ? 0 : BIT(BLOB)),
                   is_about ? BIT(ID) | BIT(BLOB) : 0, none, none);
        if (!CHECK_EQ(host_read_file(path, &bytes, &size), HOST_DONE)) return;
        while (bytes[at] != BLOB_LETTER || bytes[at + 700] != BLOB_LETTER) at++;
        bytes[at + 600] ^= 1;
        test_file_write(path, bytes, size);
        expect_faults(
            path,
            is_about
                ? "of the data of all points is damaged: expected a block with a correct "
                  "checksum; convert skips the data in it\n"
                : "of the group of frame 1 is damaged: expected a block with a correct checksum; "
                  "convert skips the data in it\n",
            1, 1);
        expect_faults(path, "1 file, 2 frames, 10 points", 1, 1);
        test_expect(command_convert, test_text("convert %s %s/a.csv --quiet", path, folder),
                    HOST_DONE, NULL);
        free(bytes);
    }
    free(path);
    test_folder_remove(folder);
}

/* As players read them. */
static void the_first_stream_of_a_name_is_read(void)
{
    char *folder = test_folder_make(), *path = host_text("%s/a.tpc", folder);
    second_name = "location";
    write_clip(path, BIT(ID) | BIT(LOCATION) | BIT(SECOND), 0, none,
               (fault){LONGER, TPI_CLIP_FRAMES, SECOND});
    expect_faults(
        path,
        "location of points 0 to 127: the tile is damaged; a player refuses it, convert skips", 1,
        1);
    test_expect(command_convert, test_text("convert %s %s/a.csv", path, folder), HOST_DONE,
                "note: stream \"location\" is unknown and ignored");
    second_name = "second";
    free(path);
    test_folder_remove(folder);
}

static double frame_bytes(const char *path)
{
    test_output output = test_command(command_activity, test_text("activity %s --json", path));
    const char *at = strstr(output.standard, "\"bytes\": ");
    double bytes = CHECK(output.code == HOST_DONE && at) ? strtod(at + 9, NULL) : -1;
    test_output_free(&output);
    return bytes;
}

static void activity_counts_whole_tiles_or_none(void)
{
    static const spoiled kinds[] = {TILE, LIVES, LONGER, WORD};
    char *folder = test_folder_make();
    char *path = host_text("%s/a.tpc", folder);
    uint32_t streams = BIT(ID) | BIT(LOCATION) | BIT(TIDEMARK);
    fault with = {NOTHING, TPI_CLIP_FRAMES, TIDEMARK};
    write_clip(path, streams, 0, with, none);
    CHECK(frame_bytes(path) == POINTS * (3 + 2) * 4);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        with.what = kinds[i];
        write_clip(path, streams, 0, with, none);
        test_expect(command_activity, test_text("activity %s", path), HOST_BAD_INPUT,
                    kinds[i] == WORD ? "expected a directory"
                                     : "tidemark of points 0 to 127: the tile is");
        test_expect(command_convert, test_text("convert %s %s/a.csv --quiet", path, folder),
                    HOST_DONE, NULL);
    }
    free(path);
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(good_clips_have_no_faults),
    TEST_CASE(damage_is_told_once),
    TEST_CASE(damage_hides_no_other),
    TEST_CASE(damaged_identities_are_told_once),
    TEST_CASE(the_effect_of_a_damaged_block_is_true),
    TEST_CASE(the_first_stream_of_a_name_is_read),
    TEST_CASE(activity_counts_whole_tiles_or_none),
};
TEST_SUITE(tpc_streams, cases);
