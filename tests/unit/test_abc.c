/* SPDX-License-Identifier: MIT
   tests/unit/test_abc.c - Alembic archives: round trips, bytes by hand, the reference library's
           files, cuts, faults.
   reads   tests/fixtures/alembic, files written here    writes  a temporary folder
   memory  malloc                          cost    some seconds
   after   the Ogawa container and the AbcGeom schemas */
#include "../../host_tools/formats/abc.h"
#include "../../host_tools/formats/bytes.h"
#include "../harness/formats_help.h"
#include <stdlib.h>
#include <string.h>

int command_convert(int argc, char **argv);
int command_info(int argc, char **argv);
int command_verify(int argc, char **argv);

/* ---- a file by hand: test_format_points at 25 frames per second */
enum { FILE_MAX = 2048 };
/* Parts of the file whose offsets the tests need. */
enum {
    BOX,
    POSITIONS,
    IDS,
    VELOCITIES,
    POSITIONS_GROUP,
    HEADERS,
    GEOM,
    SHAPE_HASHES,
    SHAPE,
    XFORM_HASHES,
    XFORM,
    TOP_HASHES,
    TOP,
    VERSION,
    TIMES,
    METAS,
    ROOT,
    PARTS
};
typedef struct made_file {
    uint8_t bytes[FILE_MAX];
    size_t size, at[PARTS];
} made_file;

static void put(made_file *file, uint32_t size, uint64_t value)
{
    bytes_store(file->bytes + file->size, size, false, value);
    file->size += size;
}

static void put_text(made_file *file, const char *text)
{
    memcpy(file->bytes + file->size, text, strlen(text));
    file->size += strlen(text);
}

static size_t mark(made_file *file, uint32_t part) { return file->at[part] = file->size; }

static void put_group(made_file *file, uint32_t count, const uint64_t *entries)
{
    put(file, 8, count);
    for (uint32_t i = 0; i < count; i++) put(file, 8, entries[i]);
}

/* The reference library wrote these keys before the same numbers. */
static const uint8_t keys[VELOCITIES + 1][ABC_KEY_BYTES] = {
    [BOX] = {0x26, 0x02, 0xca, 0xd3, 0x1c, 0xad, 0x91, 0xa7, 0xdd, 0x27, 0xb7, 0xf4, 0xa3, 0x3b,
             0xf5, 0x7b},
    [POSITIONS] = {0x13, 0x32, 0x71, 0x4e, 0x98, 0x5d, 0xaa, 0xf2, 0x66, 0x3a, 0xf0, 0xfd, 0xa9,
                   0x2d, 0x89, 0x5d},
    [IDS] = {0x84, 0x8a, 0x5d, 0xb8, 0x87, 0x7f, 0x1e, 0xb9, 0xbe, 0x8d, 0xba, 0xbd, 0x28, 0x50,
             0x03, 0x1f},
    [VELOCITIES] = {0xd0, 0x88, 0x6e, 0x12, 0xb8, 0xfd, 0x5e, 0x2f, 0xd6, 0xef, 0xf2, 0x38, 0x03,
                    0x96, 0xb4, 0x4a}};

static void put_sample(made_file *file, uint32_t part, uint32_t size)
{
    mark(file, part);
    put(file, 8, ABC_KEY_BYTES + size);
    memcpy(file->bytes + file->size, keys[part], ABC_KEY_BYTES);
    file->size += ABC_KEY_BYTES;
}

static void put_f64(made_file *file, double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    put(file, 8, word);
}

static void put_samples(made_file *file)
{
    static const float places[6] = {1, -2, 0.5f, 0.1f, 1e-40f, 3e38f},
                       speeds[6] = {0, -0.0f, 1, 4, 5, 6};
    static const uint32_t box[6] = {3, 1, 2, 0, 4, 5};
    put_sample(file, BOX, 48);
    for (uint32_t k = 0; k < 6; k++) put_f64(file, (double)places[box[k]]);
    put_sample(file, POSITIONS, 24);
    for (uint32_t k = 0; k < 6; k++) put(file, 4, 0);
    for (uint32_t k = 0; k < 6; k++)
        bytes_store_f32(file->bytes + file->size - 24 + (size_t)4 * k, false, places[k]);
    put_sample(file, IDS, 16);
    put(file, 8, 0);
    put(file, 8, 3);
    put_sample(file, VELOCITIES, 24);
    for (uint32_t k = 0; k < 6; k++) put(file, 4, 0);
    for (uint32_t k = 0; k < 6; k++)
        bytes_store_f32(file->bytes + file->size - 24 + (size_t)4 * k, false, speeds[k]);
}

/* A header with one sample at the second of the times. */
static void put_header(made_file *file, uint32_t word, const char *name)
{
    put(file, 4, word);
    put(file, 1, 1);
    put(file, 1, 1);
    put(file, 1, strlen(name));
    put_text(file, name);
}

/* Returns the offset of the group of the properties. */
static size_t put_geom(made_file *file)
{
    uint64_t groups[5];
    for (uint32_t part = BOX; part <= VELOCITIES; part++) {
        if (part == POSITIONS) mark(file, POSITIONS_GROUP);
        groups[part] = file->size;
        put_group(file, part == BOX ? 1 : 2,
                  (const uint64_t[]){file->at[part] | ABC_IS_DATA, ABC_IS_DATA});
    }
    groups[4] = mark(file, HEADERS) | ABC_IS_DATA;
    put(file, 8, 58);
    /* the words that the library writes, and that all samples have one size */
    put_header(file, 0x00106db1u, ".selfBnds");
    put_header(file, 0x002039a2u | ABC_IS_EVEN, "P");
    put_header(file, 0x00301d72u, ".pointIds");
    put_header(file, 0x004039a2u | ABC_IS_EVEN, ".velocities");
    mark(file, GEOM);
    put_group(file, 5, groups);
    const uint64_t child = file->size;
    put(file, 8, 10);
    put(file, 4, 5u << ABC_META_SHIFT);
    put(file, 1, 5);
    put_text(file, ".geom");
    const size_t at = file->size;
    put_group(file, 2, (const uint64_t[]){file->at[GEOM], child | ABC_IS_DATA});
    return at;
}

/* The headers of the children, and room for the hashes, which the tests leave out. */
static void put_object(made_file *file, uint32_t part, const char *name, uint32_t meta)
{
    const size_t at = file->size;
    put(file, 8, 0);
    if (name) {
        put(file, 4, strlen(name));
        put_text(file, name);
        put(file, 1, meta);
    }
    mark(file, part);
    file->size += ABC_HASHES_BYTES;
    bytes_store(file->bytes + at, 8, false, file->size - at - 8);
}

static void put_objects(made_file *file)
{
    const uint64_t geom = put_geom(file);
    uint64_t headers = file->size;
    put_object(file, SHAPE_HASHES, NULL, 0);
    mark(file, SHAPE);
    put_group(file, 2, (const uint64_t[]){geom, headers | ABC_IS_DATA});
    const uint64_t name = file->size;
    put(file, 8, 11);
    put(file, 4, 7u << ABC_META_SHIFT);
    put(file, 1, 6);
    put_text(file, ".xform");
    const uint64_t moves = file->size;
    put_group(file, 2, (const uint64_t[]){0, name | ABC_IS_DATA});
    headers = file->size;
    put_object(file, XFORM_HASHES, "pointsShape", 6);
    mark(file, XFORM);
    put_group(file, 3, (const uint64_t[]){moves, file->at[SHAPE], headers | ABC_IS_DATA});
    headers = file->size;
    put_object(file, TOP_HASHES, "points", 8);
    mark(file, TOP);
    put_group(file, 3, (const uint64_t[]){0, file->at[XFORM], headers | ABC_IS_DATA});
}

static void put_metas(made_file *file)
{
    static const char *const metas[] = {
        "interpretation=box",
        "geoScope=var;interpretation=point",
        "geoScope=var",
        "interpretation=vector",
        "schema=AbcGeom_Points_v1;schemaBaseType=AbcGeom_GeomBase_v1",
        "schema=AbcGeom_Points_v1;schemaBaseType=AbcGeom_GeomBase_v1;schemaObjTitle=AbcGeom_Points_"
        "v1:.geom",
        "schema=AbcGeom_Xform_v3",
        "schema=AbcGeom_Xform_v3;schemaObjTitle=AbcGeom_Xform_v3:.xform",
        "arrayExtent=1;geoScope=var;isGeomParam=true;podExtent=1;podName=float32_t",
        "arrayExtent=1;geoScope=var;interpretation=quat;isGeomParam=true;podExtent=4;podName="
        "float32_t",
        "arrayExtent=1;geoScope=var;interpretation=vector;isGeomParam=true;podExtent=3;podName="
        "float32_t"};
    const size_t at = mark(file, METAS);
    put(file, 8, 0);
    for (size_t i = 0; i < sizeof metas / sizeof metas[0]; i++) {
        put(file, 1, strlen(metas[i]));
        put_text(file, metas[i]);
    }
    bytes_store(file->bytes + at, 8, false, file->size - at - 8);
}

static made_file make_file(void)
{
    made_file file = {.size = ABC_HEAD_BYTES};
    uint64_t root[ABC_ROOT_ENTRIES];
    memcpy(file.bytes, "Ogawa\xff\0\1", 8);
    put_samples(&file);
    put_objects(&file);
    root[ABC_ROOT_TOP] = file.at[TOP];
    root[ABC_ROOT_VERSION] = mark(&file, VERSION) | ABC_IS_DATA;
    put(&file, 8, 4);
    put(&file, 4, 0);
    root[ABC_ROOT_LIBRARY] = file.size | ABC_IS_DATA;
    put(&file, 8, 4);
    put(&file, 4, 10800);
    root[ABC_ROOT_METADATA] = file.size | ABC_IS_DATA;
    put(&file, 8, 39);
    put_text(&file, "_ai_Application=Tidepool;_ai_DCC_FPS=25");
    root[ABC_ROOT_TIMES] = mark(&file, TIMES) | ABC_IS_DATA;
    put(&file, 8, 48);
    for (uint32_t i = 0; i < 2; i++) {
        put(&file, 4, i);
        put_f64(&file, i ? 1 / 25.0 : 1);
        put(&file, 4, 1);
        put_f64(&file, i ? 7 / 25.0 : 0);
    }
    put_metas(&file);
    root[ABC_ROOT_INDEXED] = file.at[METAS] | ABC_IS_DATA;
    bytes_store(file.bytes + ABC_AT_ROOT, 8, false, mark(&file, ROOT));
    put_group(&file, ABC_ROOT_ENTRIES, root);
    return file;
}

/* ---- writing */

static void clear_hashes(const made_file *file, uint8_t *bytes)
{
    static const uint32_t parts[] = {SHAPE_HASHES, XFORM_HASHES, TOP_HASHES};
    for (size_t i = 0; i < 3; i++) memset(bytes + file->at[parts[i]], 0, ABC_HASHES_BYTES);
}

static void written_bytes_are_those_by_hand(void)
{
    host_sink sink;
    host_frame frame;
    uint8_t *bytes = NULL;
    size_t size = 0;
    const made_file file = make_file();
    char *folder = test_folder_make();
    const char *path = test_text("%s/a.abc", folder);
    test_format_points(&frame);
    host_sink_options options = {.type = POINT_PARTICLES, .streams = frame.streams};
    if (CHECK_EQ(host_sink_open(&sink, path, host_format_by_ending(path), &options), HOST_DONE)) {
        CHECK_EQ(host_sink_write(&sink, &frame), HOST_DONE);
        CHECK_EQ(host_sink_finish(&sink), HOST_DONE);
        if (CHECK_EQ(host_read_file(path, &bytes, &size), HOST_DONE) && CHECK_EQ(size, file.size)) {
            clear_hashes(&file, bytes);
            for (size_t i = 0; i < size; i++)
                if (!CHECK_EQ(bytes[i], file.bytes[i])) {
                    test_note("byte %zu", i);
                    break;
                }
        }
    }
    free(bytes);
    host_frame_free(&frame);
    test_folder_remove(folder);
}

static void any_float_survives(void)
{
    const uint32_t streams =
        POINT_ALL & ~POINT_BIT(POINT_BOIDS) & ~POINT_BIT(POINT_SIZE) & ~POINT_BIT(POINT_INDEX);
    test_format_round_trip("a.abc", ENCODING_DEFAULT, streams, false);
    test_format_round_trip("a.abc", ENCODING_DEFAULT, streams, true);
    test_format_round_trip("a.abc", ENCODING_DEFAULT, POINT_BIT(POINT_LOCATION), true);
}

static void converts(const char *folder, const char *in, const char *out, const char *options,
                     int code, const char *text)
{
    test_expect(command_convert,
                test_text("convert %s/%s %s/%s%s", folder, in, folder, out, options), code, text);
}

static char *make_table(const char *table)
{
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), table, strlen(table));
    return folder;
}

/* Converts the table to an archive and back. */
static void comes_back(const char *table, const char *options)
{
    char *folder = make_table(table);
    converts(folder, "t.csv", "a.abc", options, HOST_DONE, NULL);
    converts(folder, "a.abc", "b.csv", " --quiet", HOST_DONE, NULL);
    CHECK(test_files_equal(test_text("%s/t.csv", folder), test_text("%s/b.csv", folder)));
    test_folder_remove(folder);
}

static void sizes_are_half_of_widths(void)
{
    comes_back("frame,index,x,y,z,size\n1,4,1,2,3,0.100000001\n1,7,1,2,3,1.70141173e+38\n"
               "2,4,1,2,3,1.40129846e-45\n2,7,1,2,3,-5\n",
               " --quiet");
    char *folder = make_table("frame,index,x,y,z,size\n1,0,1,2,3,1.8e38\n");
    converts(folder, "t.csv", "a.abc", "", HOST_BAD_INPUT,
             "has the size 1.79999996e+38, but .abc holds widths up to 3.4e38");
    CHECK_EQ(test_folder_count(folder), 1); /* no a.abc */
    test_folder_remove(folder);
}

/* What stays at the begin, within, and at the end of a sequence is not stored again. */
static void samples_that_stay_are_kept_once(void)
{
    char table[4096] = "frame,index,x,y,z\n";
    for (uint32_t f = 1; f < 60; f++) {
        size_t used = strlen(table);
        snprintf(table + used, sizeof table - used, "%u,3,%u,0,0\n%u,5,1,2,3\n", f,
                 f < 20 || f > 40 ? 1u
                 : f == 30        ? 2u
                                  : 3u,
                 f);
    }
    comes_back(table, " --quiet");
    char *folder = make_table(table);
    host_sequence sequence;
    converts(folder, "t.csv", "a.abc", " --quiet", HOST_DONE, NULL);
    if (CHECK_EQ(host_sequence_open(&sequence, test_text("%s/a.abc", folder), NULL), HOST_DONE)) {
        /* three samples of positions with 40 bytes each, 22 entries with 16; 4 KB as 59 samples */
        CHECK(sequence.byte_count < 3200);
        host_sequence_close(&sequence);
    }
    test_folder_remove(folder);
}

static void frames_may_lack_a_stream(void) { test_format_lacks("a.abc"); }

/* Headers have numbers of 1, 2 or 4 bytes. */
static void many_frames_are_counted(void)
{
    static const uint32_t counts[] = {255, 256, 65535, 65536};
    for (size_t i = 0; i < (test_is_long() ? 4 : 2); i++) {
        char *folder = test_folder_make();
        FILE *table = fopen(test_text("%s/t.csv", folder), "w");
        if (!CHECK(table != NULL)) return;
        fputs("frame,index,x,y,z\n", table);
        for (uint32_t f = 1; f <= counts[i]; f++) fprintf(table, "%u,0,%u,0,0\n", f, f < 4 ? 4 : f);
        fclose(table);
        test_note("%u frames", counts[i]);
        converts(folder, "t.csv", "a.abc", " --quiet", HOST_DONE, NULL);
        converts(folder, "a.abc", "b.csv", " --quiet", HOST_DONE, NULL);
        CHECK(test_files_equal(test_text("%s/t.csv", folder), test_text("%s/b.csv", folder)));
        test_folder_remove(folder);
    }
}

/* ---- times and velocities */

static const char steps[] = "frame,index,x,y,z,vx,vy,vz\n2,0,1,2,3,0,25,50\n4,0,1,2,4,0,25,50\n"
                            "6,0,1,2,5,0,25,50\n7,0,1,2,6,0,25,50\n";

/* True when the file has these eight bytes: a float, as it is stored. */
static bool has_word(const char *path, uint64_t word)
{
    uint8_t *bytes = NULL, wanted[8];
    size_t size = 0;
    bool found = false;
    bytes_store(wanted, 8, false, word);
    if (!CHECK_EQ(host_read_file(path, &bytes, &size), HOST_DONE)) return false;
    for (size_t at = 0; at + 8 <= size; at++) found = found || memcmp(bytes + at, wanted, 8) == 0;
    free(bytes);
    return found;
}

/* Frames that are not evenly spaced have a list of times, without a cycle. */
static void uneven_frames_have_no_cycle(void)
{
    for (uint32_t uneven = 0; uneven < 2; uneven++) {
        char *folder = make_table(uneven ? steps : "frame,index,x,y,z\n2,0,1,2,3\n4,0,1,2,4\n");
        converts(folder, "t.csv", "a.abc", " --quiet", HOST_DONE, NULL);
        CHECK_EQ(has_word(test_text("%s/a.abc", folder), 0x7f9fffffffffffffu), uneven);
        CHECK_EQ(has_word(test_text("%s/a.abc", folder), 0x3fb47ae147ae147bu), 1); /* 2 / 25 */
        test_folder_remove(folder);
    }
}

static void frames_keep_their_times(void)
{
    comes_back(steps, " --quiet"); /* of uneven frames */
    comes_back("frame,index,x,y,z\n-4,0,1,2,3\n-1,0,1,2,4\n2,0,1,2,5\n", " --quiet");
    char *folder = make_table(steps);
    converts(folder, "t.csv", "a.abc", " --fps 50 --quiet", HOST_DONE, NULL);
    converts(folder, "a.abc", "b.csv", " --quiet", HOST_DONE, NULL);
    CHECK(test_files_equal(test_text("%s/t.csv", folder), test_text("%s/b.csv", folder)));
    converts(folder, "a.abc", "c.csv", " --fps 25", HOST_DONE,
             "1 of 4 samples lie between whole frames and are skipped");
    test_expect(command_info, test_text("info %s/c.csv", folder), HOST_DONE, NULL);
    converts(folder, "a.abc", "d.csv", " --fps 5", HOST_DONE,
             "are not those of whole frames: frames count from 1");
    test_folder_remove(folder);
}

/* Without a rate in the file, 24 frames per second or that of the closest samples. */
static void rates_that_are_not_stated_are_found(void)
{
    static const struct {
        const char *options, *message;
    } rates[] = {{" --fps 24", "read at 24 frames per second; --fps N sets another rate"},
                 {" --fps 30", "read at 30 frames per second"},
                 {" --fps 12", "read at 24 frames per second"}};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        uint8_t *bytes = NULL;
        size_t size = 0;
        char *folder = make_table(steps);
        converts(folder, "t.csv", "a.abc", test_text("%s --quiet", rates[i].options), HOST_DONE,
                 NULL);
        const char *path = test_text("%s/a.abc", folder);
        if (CHECK_EQ(host_read_file(path, &bytes, &size), HOST_DONE)) {
            for (size_t at = 0; at + 11 < size; at++)
                if (memcmp(bytes + at, "_ai_DCC_FPS", 11) == 0) bytes[at] = 'x';
            test_file_write(path, bytes, size);
        }
        free(bytes);
        converts(folder, "a.abc", "b.csv", "", HOST_DONE, rates[i].message);
        test_folder_remove(folder);
    }
}

/* Velocities of archives are per second: of particles in .bphys files too, if a frame lasts 0.04 s;
   of cloth there they are per frame. */
static void velocities_are_per_second(void)
{
    static const struct {
        const char *to_bphys, *to_abc, *speed; /* vy, vz */
    } ways[] = {{"", "", ",0,25,50\n"},
                {"", " --fps 50", ",0,50,100\n"},
                {" --type cloth", "", ",0,625,1250\n"},
                {" --type cloth", " --fps 4", ",0,100,200\n"}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        uint8_t *bytes = NULL;
        size_t size = 0;
        char *folder = make_table(steps);
        test_note("way %zu", i);
        converts(folder, "t.csv", "c.bphys", test_text(" --quiet%s", ways[i].to_bphys), HOST_DONE,
                 NULL);
        test_expect(command_convert,
                    test_text("convert %s/c %s/a.abc --quiet%s", folder, folder, ways[i].to_abc),
                    HOST_DONE, NULL);
        converts(folder, "a.abc", "b.csv", " --quiet --streams location,velocity", HOST_DONE, NULL);
        if (CHECK_EQ(host_read_file(test_text("%s/b.csv", folder), &bytes, &size), HOST_DONE))
            CHECK(strstr((const char *)bytes, ways[i].speed) != NULL);
        free(bytes);
        converts(folder, "a.abc", "d.bphys", " --quiet", HOST_DONE, NULL);
        test_expect(
            command_convert,
            test_text("convert %s/d %s/e.csv --quiet --streams location,velocity", folder, folder),
            HOST_DONE, NULL);
        if (CHECK_EQ(host_read_file(test_text("%s/e.csv", folder), &bytes, &size), HOST_DONE) &&
            !ways[i].to_bphys[0]) /* the archive has particles */
            CHECK(strstr((const char *)bytes, ",0,25,50\n") != NULL);
        free(bytes);
        test_folder_remove(folder);
    }
}

/* ---- archives of the reference library */

static void reads_as_the_library_does(void)
{
    static const char *const names[] = {"births", "indexed", "uneven", "cyclic", "moved"};
    char *folder = test_folder_make();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *wanted = test_text("tests/fixtures/alembic/%s.csv", names[i]);
        test_note("%s", names[i]);
        test_expect(command_convert,
                    test_text("convert tests/fixtures/alembic/%s.abc %s/%s.csv --quiet", names[i],
                              folder, names[i]),
                    HOST_DONE, NULL);
        CHECK(test_files_equal(wanted, test_text("%s/%s.csv", folder, names[i])));
    }
    test_folder_remove(folder);
}

static void one_object_is_expected(void)
{
    static const struct {
        const char *name;
        int code;
        const char *message;
    } files[] = {
        {"several", HOST_BAD_INPUT,
         "holds 2 objects with points, such as /parent/second and /parent/inner/mesh, expected "
         "one; name it with --object"},
        {"beside", HOST_DONE, "note: 1 mesh beside the points skipped"},
        {"camera", HOST_BAD_INPUT, "holds no points and no mesh in 2 objects"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char *folder = test_folder_make();
        test_expect(
            command_convert,
            test_text("convert tests/fixtures/alembic/%s.abc %s/a.csv", files[i].name, folder),
            files[i].code, files[i].message);
        CHECK_EQ(test_folder_count(folder), files[i].code ? 0 : 1);
        test_folder_remove(folder);
    }
}

static void an_object_is_chosen_by_path_or_name(void)
{
    static const struct {
        const char *object;
        int code;
        const char *message;
    } cases[] = {
        {"/parent/second", HOST_DONE, NULL},
        {"second", HOST_DONE, NULL},
        {"/parent/inner/mesh", HOST_DONE, NULL},
        {"/parent", HOST_BAD_INPUT, "expected an object of points or a mesh \"/parent\""},
        {"third", HOST_BAD_INPUT, "found none of that path or name"},
    };
    char *folder = test_folder_make();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        test_expect(command_convert,
                    test_text("convert tests/fixtures/alembic/several.abc %s/%zu.csv --quiet "
                              "--object %s",
                              folder, i, cases[i].object),
                    cases[i].code, cases[i].message);
    CHECK(test_files_equal(test_text("%s/0.csv", folder), test_text("%s/1.csv", folder)));
    CHECK(!test_files_equal(test_text("%s/0.csv", folder), test_text("%s/2.csv", folder)));
    test_expect(command_convert,
                test_text("convert %s/0.csv %s/a.ply --object second", folder, folder), HOST_USAGE,
                "--object has no meaning here: csv is no archive of objects");
    test_folder_remove(folder);
}

/* ---- damage */

static void every_cut_is_told(void)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    made_file file = make_file();
    test_format_cuts("a.abc", file.bytes, file.size, file.size);
    if (CHECK_EQ(host_read_file("tests/fixtures/alembic/indexed.abc", &bytes, &size), HOST_DONE))
        test_format_cuts("a.abc", bytes, size, size);
    free(bytes);
}

static void every_change_is_read_or_refused(void)
{
    const made_file file = make_file();
    test_format_changes("a.abc", file.bytes, file.size);
}

/* A change of the numbers or of their key is a fault for verify, and a note for convert. */
static void changed_numbers_are_told(void)
{
    char *folder = test_folder_make();
    made_file file = make_file();
    for (uint32_t part = POSITIONS; part <= VELOCITIES; part++)
        for (size_t at = file.at[part] + 8;
             at < (size_t)file.bytes[file.at[part]] + 8 + file.at[part]; at++) {
            const char *path = test_text("%s/a.abc", folder);
            file.bytes[at] ^= 1;
            test_file_write(path, file.bytes, file.size);
            file.bytes[at] ^= 1;
            test_note("byte %zu", at);
            test_output output = test_command(command_verify, test_text("verify %s", path));
            CHECK_EQ(output.code, HOST_DIFFERENT);
            CHECK(strstr(output.standard, "do not have the sum that the file states") != NULL);
            test_output_free(&output);
        }
    test_folder_remove(folder);
}

/* Part, offset from it, size and value of a change, and the message. */
typedef struct fault {
    uint32_t part; /* PARTS: the header of the file */
    size_t at;
    uint32_t size;
    uint64_t value;
    const char *message;
} fault;

static const fault faults[] = {
    {PARTS, 0, 1, 'X', ":0: expected the word Ogawa with which an .abc file begins"},
    {PARTS, 0, 8, 0x0a1a0a0d46444889, ":0: is an Alembic archive in the old container HDF5"},
    {PARTS, ABC_AT_COMPLETE, 1, 0, ":5: the program that wrote the file did not finish it"},
    {PARTS, ABC_AT_VERSION, 2, 0x0200, ":6: the container has version 2, expected 1"},
    {PARTS, ABC_AT_ROOT, 8, FILE_MAX, ":8: a group begins at byte 2048, but the file has"},
    {PARTS, ABC_AT_ROOT, 8, ABC_IS_DATA | 16,
     ":8: expected the offset of a group, found that of data"},
    {ROOT, 0, 8, 5, "a group has 5 entries, expected at least 6"},
    {ROOT, 0, 8, UINT64_MAX / 8, "2305843009213693951 entries of a group do not fit the file"},
    {ROOT, 8, 8, 16, "expected the offset of data, found that of a group"},
    {ROOT, 8, 8, ABC_IS_DATA | FILE_MAX, "data begins at byte 2048, but the file has"},
    {VERSION, 0, 8, UINT64_MAX, "18446744073709551615 bytes of data do not fit the file"},
    {VERSION, 8, 4, 1, "the version of the archive is not 0, the only one that is known"},
    {TIMES, 12, 8, 0, "a time or the time between two samples is no usable number"},
    {TIMES, 24, 8, 0x7ff0000000000000u, "a time or the time between two samples is no usable"},
    {TIMES, 20, 4, 0, "a header of 48 bytes ends inside its parts"},
    {TIMES, 20, 4, 9, "a header of 48 bytes ends inside its parts"},
    {METAS, 8, 1, 250, "the metadata of an object lie outside of the table of the file"},
    {HEADERS, 8, 4, 0x00106dfdu, "ends inside its parts"},
    {HEADERS, 24 + 6, 1, 200, "ends inside its parts"},
    {HEADERS, 8 + 16, 4, 0x002039f2u, "the type of \"P\" is 15, expected 0 to 13"},
    {HEADERS, 8 + 16, 4, 0x002019a2u, "\"P\" is no array of 3 floats per point"},
    {HEADERS, 8 + 16 + 5, 1, 7, "\"P\" has the times 7, but the file has 2"},
    {HEADERS, 8 + 16 + 7, 1, 'Q', "has no positions \"P\""},
    {HEADERS, 8 + 16, 4, 0x002031a2u, NULL}, /* changes, but has one sample */
    {POSITIONS_GROUP, 0, 8, 1, "the group of \"P\" has 1 entries, expected 2"},
    {POSITIONS, 0, 8, 28, "\".pointIds\" of sample 0 has 2 numbers, which do not fit 1 points"},
    {POSITIONS, 0, 8, 39, "a sample of \"P\" has 39 bytes, expected 16 and items of 12"},
    {IDS, 24 + 8 + 4, 1, 1, "the number of a point is 4294967299, expected 0 to 4294967295"},
    {IDS, 24 + 8, 1, 0, "1 of 2 points repeat the number of another point"},
    {XFORM, 16, 8, 0, "the object \"pointsShape\" has no positions \"P\""},
    {TOP_HASHES, SIZE_MAX, 1, 77, "the metadata of an object lie outside of the table of the file"},
};

static void faults_are_named(void)
{
    for (size_t f = 0; f < sizeof faults / sizeof faults[0]; f++) {
        made_file file = make_file();
        size_t at = (faults[f].part < PARTS ? file.at[faults[f].part] : 0) + faults[f].at;
        bytes_store(file.bytes + at, faults[f].size, false, faults[f].value);
        test_note("fault %zu", f);
        if (faults[f].message)
            test_format_refused("a.abc", file.bytes, file.size, faults[f].message);
        else
            test_format_has_points("a.abc", file.bytes, file.size);
    }
}

/* The indices of the widths of the second sample are 2, 1, 0. */
static void indices_stay_below_the_number_of_values(void)
{
    static const uint8_t indices[12] = {2, 0, 0, 0, 1};
    uint8_t *bytes = NULL;
    size_t size = 0, found = 0;
    if (!CHECK_EQ(host_read_file("tests/fixtures/alembic/indexed.abc", &bytes, &size), HOST_DONE))
        return;
    for (size_t at = 0; at + 12 <= size && !found; at++)
        if (memcmp(bytes + at, indices, 12) == 0) found = at;
    bytes[found + 4] = 3;
    test_format_refused(
        "a.abc", bytes, size,
        test_text(":%zu: the index of a value is 3, expected less than 3", found + 4));
    free(bytes);
}

/* Offsets of groups may point anywhere, also to themselves. */
static void loops_end(void)
{
    made_file file = make_file();
    bytes_store(file.bytes + file.at[XFORM] + 16, 8, false, file.at[XFORM]);
    test_format_refused("a.abc", file.bytes, file.size, "an object is among its own parts");
}

static const test_case cases[] = {
    TEST_CASE(written_bytes_are_those_by_hand),
    TEST_CASE(any_float_survives),
    TEST_CASE(sizes_are_half_of_widths),
    TEST_CASE(samples_that_stay_are_kept_once),
    TEST_CASE(frames_may_lack_a_stream),
    TEST_CASE(many_frames_are_counted),
    TEST_CASE(uneven_frames_have_no_cycle),
    TEST_CASE(frames_keep_their_times),
    TEST_CASE(rates_that_are_not_stated_are_found),
    TEST_CASE(velocities_are_per_second),
    TEST_CASE(reads_as_the_library_does),
    TEST_CASE(one_object_is_expected),
    TEST_CASE(an_object_is_chosen_by_path_or_name),
    TEST_CASE(every_cut_is_told),
    TEST_CASE(every_change_is_read_or_refused),
    TEST_CASE(changed_numbers_are_told),
    TEST_CASE(faults_are_named),
    TEST_CASE(indices_stay_below_the_number_of_values),
    TEST_CASE(loops_end),
};
TEST_SUITE(abc, cases);
