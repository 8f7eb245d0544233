/* SPDX-License-Identifier: MIT
   tests/interop/test_blender_files.c - compares files that Blender wrote with the points that it
           shows.
   reads   tests/fixtures/blender          writes  a temporary folder
   memory  malloc                          cost    a few seconds
   after   own design; tests/fixtures/blender/README.md describes the recorded truth */
#include "../../host_tools/formats/bphys.h"
#include "../harness/files_help.h"
#include "../harness/world_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int command_convert(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_info(int argc, char **argv);
int command_sample(int argc, char **argv);

typedef struct fixture {
    const char *name;
    const char *file; /* base name of its files */
    uint32_t type;
    double tolerance; /* error of the truth: Blender shows meshes through an object's matrix */
    int first, last;
} fixture;

static const fixture fixtures[] = {
    {"newton_s1", "456D6974746572", POINT_PARTICLES, 0, 1, 40},
    {"newton_s5", "456D6974746572", POINT_PARTICLES, 0, 1, 40},
    {"newton_s5_mem", "456D6974746572", POINT_PARTICLES, 0, 1, 40},
    {"rotation", "456D6974746572", POINT_PARTICLES, 0, 1, 30},
    {"boids", "456D6974746572", POINT_PARTICLES, 0, 1, 30},
    {"sph_adaptive", "456D6974746572", POINT_PARTICLES, 0, 1, 14},
    {"softbody", "4A656C6C79", POINT_SOFTBODY, 2.4e-7, 1, 24},
    {"cloth_pinned", "5368656574", POINT_CLOTH, 6e-8, 1, 24},
    {"hair", "5363616C70", POINT_CLOTH, 2.4e-7, 1, 20},
};
enum { FIXTURES = sizeof fixtures / sizeof fixtures[0], PARTICLE_BYTES = 80, MESH_BYTES = 32 };

/* ---- the truth */

typedef struct truth {
    uint8_t *bytes;
    size_t count, stride;
} truth;

typedef struct truth_point {
    int32_t frame;
    uint32_t index;
    float location[3]; /* world coordinates */
    float velocity[3], rotation[4], angular[3], birth, lifetime, death;
} truth_point;

static float f32_at(const uint8_t *at)
{
    float value;
    uint32_t word = bphys_load_u32(at, false);
    memcpy(&value, &word, sizeof value);
    return value;
}

static void floats_at(float *to, const uint8_t *at, int count)
{
    for (int i = 0; i < count; i++) to[i] = f32_at(at + 4 * i);
}

static bool load_truth(truth *all, const fixture *case_of)
{
    size_t size;
    all->stride = case_of->type == POINT_PARTICLES ? PARTICLE_BYTES : MESH_BYTES;
    const char *path = test_text("tests/fixtures/blender/%s/truth.bin", case_of->name);
    if (!CHECK_EQ(host_read_file(path, &all->bytes, &size), HOST_DONE)) return false;
    all->count = size / all->stride;
    return CHECK(size % all->stride == 0 && all->count > 0);
}

static truth_point truth_at(const truth *all, size_t i)
{
    truth_point point;
    const uint8_t *at = all->bytes + i * all->stride;
    memset(&point, 0, sizeof point);
    point.frame = (int32_t)bphys_load_u32(at, false);
    point.index = bphys_load_u32(at + 4, false);
    if (all->stride == MESH_BYTES) {
        floats_at(point.location, at + 20, 3);
        return point;
    }
    floats_at(point.location, at + 12, 3);
    floats_at(point.velocity, at + 24, 3);
    floats_at(point.rotation, at + 36, 4);
    floats_at(point.angular, at + 52, 3);
    point.birth = f32_at(at + 68);
    point.lifetime = f32_at(at + 72);
    point.death = f32_at(at + 76);
    return point;
}

static double distance(const float *a, const float *b, int count)
{
    double worst = 0;
    for (int k = 0; k < count; k++) worst = fmax(worst, fabs((double)a[k] - (double)b[k]));
    return worst;
}

static const char *const encodings[] = {"none", "light", "heavy"};
enum { ENCODINGS = sizeof encodings / sizeof encodings[0] };

static const char *folder_of(const fixture *case_of, const char *encoding)
{
    return test_text("tests/fixtures/blender/%s/%s", case_of->name, encoding);
}

static bool open_fixture(host_sequence *sequence, const fixture *case_of)
{
    return CHECK_EQ(host_sequence_open(sequence, folder_of(case_of, "none"), NULL), HOST_DONE);
}

/* Largest error of location, and of velocity, rotation and angular velocity if the frame has
   them. */
static void check_point(const fixture *case_of, const host_frame *frame, const truth_point *point,
                        double tolerance)
{
    uint32_t i;
    /* The first of a hair's six points is inside its root and not shown: Blender numbers five
       points per hair. */
    uint32_t index =
        strcmp(case_of->name, "hair") == 0 ? point->index + point->index / 5 + 1 : point->index;
    test_note("%s frame %d point %u", case_of->name, (int)point->frame, index);
    if (!CHECK(host_frame_find(frame, index, &i))) return;
    CHECK_NEAR(distance((float *)frame->data[POINT_LOCATION] + (size_t)i * 3, point->location, 3),
               0, tolerance);
    if (case_of->type != POINT_PARTICLES || tolerance > 0) return;
    CHECK_NEAR(distance((float *)frame->data[POINT_VELOCITY] + (size_t)i * 3, point->velocity, 3),
               0, 0);
    if (frame->data[POINT_ROTATION])
        CHECK_NEAR(
            distance((float *)frame->data[POINT_ROTATION] + (size_t)i * 4, point->rotation, 4), 0,
            0);
    if (frame->data[POINT_ANGULAR])
        CHECK_NEAR(distance((float *)frame->data[POINT_ANGULAR] + (size_t)i * 3, point->angular, 3),
                   0, 0);
}

/* Compares every record of the truth with the table or the files of `sequence`; `tolerance` is for
   frames without a file. */
static size_t compare_with_truth(const fixture *case_of, host_sequence *sequence, const truth *all,
                                 double tolerance)
{
    host_frame frame;
    size_t compared = 0, position;
    int32_t loaded = -1;
    for (size_t i = 0; i < all->count; i++) {
        truth_point point = truth_at(all, i);
        if (point.frame != loaded) {
            if (loaded >= 0) host_frame_free(&frame);
            if (!CHECK_EQ(host_sequence_sample(sequence, point.frame, &frame), HOST_DONE))
                return compared;
            loaded = point.frame;
        }
        bool stored = host_sequence_find(sequence, point.frame, &position);
        check_point(case_of, &frame, &point, stored ? case_of->tolerance : tolerance);
        compared++;
    }
    if (loaded >= 0) host_frame_free(&frame);
    return compared;
}

/* ---- cases */

/* The truth of these two cases covers only the frames without a file. */
static bool is_sparse(const fixture *case_of) { return strstr(case_of->name, "_s5") != NULL; }

/* Compares one folder of files with the truth, which also gives the number of points. */
static void check_folder(const fixture *f, const char *folder, const char *compression)
{
    host_sequence sequence;
    truth all;
    test_note("%s", folder);
    if (!CHECK_EQ(host_sequence_open(&sequence, folder, NULL), HOST_DONE)) return;
    CHECK_EQ(sequence.type, f->type);
    CHECK(strcmp(sequence.name, f->file) == 0 && strcmp(sequence.compression, compression) == 0);
    CHECK(sequence.numbers[0] == f->first && sequence.numbers[sequence.frame_count - 1] == f->last);
    if (!is_sparse(f) && load_truth(&all, f)) {
        CHECK_EQ(compare_with_truth(f, &sequence, &all, 0), all.count);
        free(all.bytes);
    }
    host_sequence_close(&sequence);
}

static void files_decode_to_what_blender_shows(void)
{
    int folders = 0;
    for (int c = 0; c < FIXTURES; c++) {
        for (int e = 0; e < ENCODINGS; e++) {
            const char *folder = folder_of(&fixtures[c], encodings[e]);
            if (!test_file_exists(folder)) continue;
            check_folder(&fixtures[c], folder, encodings[e]);
            folders++;
        }
    }
    CHECK_EQ(folders, FIXTURES + 8);
}

/* Compares points, streams and extra data bit by bit. */
static bool same_frames(const host_frame *a, const host_frame *b)
{
    bool same = a->count == b->count && a->streams == b->streams;
    for (uint32_t s = 0; same && s < POINT_STREAMS; s++)
        same = !a->data[s] == !b->data[s] &&
               (!a->data[s] ||
                memcmp(a->data[s], b->data[s], (size_t)a->count * point_streams[s].bytes) == 0);
    for (uint32_t t = 0; same && t < EXTRA_TYPES; t++)
        same = a->extra[t].count == b->extra[t].count &&
               (!a->extra[t].count || memcmp(a->extra[t].bytes, b->extra[t].bytes,
                                             (size_t)a->extra[t].count * extra_bytes[t]) == 0);
    return same;
}

static size_t count_same_frames(const char *left_path, const char *right_path)
{
    host_sequence left, right;
    size_t same = 0;
    if (!CHECK_EQ(host_sequence_open(&left, left_path, NULL), HOST_DONE)) return 0;
    if (CHECK_EQ(host_sequence_open(&right, right_path, NULL), HOST_DONE)) {
        CHECK(left.frame_count == right.frame_count && left.point_count == right.point_count);
        for (size_t i = 0; i < left.frame_count && i < right.frame_count; i++) {
            host_frame a, b;
            if (!CHECK_EQ(host_sequence_load(&left, i, &a), HOST_DONE)) continue;
            if (CHECK_EQ(host_sequence_load(&right, i, &b), HOST_DONE)) {
                same += left.numbers[i] == right.numbers[i] && same_frames(&a, &b);
                host_frame_free(&b);
            }
            host_frame_free(&a);
        }
        CHECK_EQ(same, left.frame_count);
        host_sequence_close(&right);
    }
    host_sequence_close(&left);
    return same;
}

/* Files that Blender compressed hold the same bits as its uncompressed files. */
static void blenders_encodings_hold_the_same_bits(void)
{
    for (int c = 0; c < FIXTURES; c++) {
        const fixture *f = &fixtures[c];
        for (int e = 1; e < ENCODINGS; e++)
            if (test_file_exists(folder_of(f, encodings[e])))
                CHECK(count_same_frames(folder_of(f, "none"), folder_of(f, encodings[e])) > 5);
    }
}

/* Converts into every compression, on to the next one, and back: the files equal those that Blender
   wrote. */
static void every_compression_keeps_every_bit(void)
{
    static const char *const steps[] = {"light", "heavy", "zstd", "zstd", "none"};
    for (int c = 0; c < FIXTURES; c++) {
        const fixture *f = &fixtures[c];
        char *folder = test_folder_make();
        const char *from = folder_of(f, "none");
        for (int i = 0; i < 5; i++) {
            const char *to = test_text("%s/%d/%s", folder, i, f->file);
            test_expect(command_convert,
                        test_text("convert %s %s --compression %s --quiet", from, to, steps[i]), 0,
                        NULL);
            CHECK(count_same_frames(folder_of(f, "none"), to) > 5);
            from = to;
        }
        for (int frame = f->first; frame <= f->last; frame++) {
            const char *original = test_fixture(test_text("%s/none", f->name), f->file, frame);
            if (!test_file_exists(original)) continue;
            test_note("%s", original);
            CHECK(test_files_equal(original,
                                   test_text("%s/4/%s_%06d_00.bphys", folder, f->file, frame)));
        }
        test_folder_remove(folder);
    }
}

/* Our files exceed Blender's by a few percent at most, file by file: the LZO and LZMA encoders
   differ. */
static void our_blocks_are_as_small_as_blenders(void)
{
    static const int packed[][2] = {{0, 1}, {0, 2}, {3, 1}, {5, 1}, {5, 2}, {6, 1}, {7, 2}};
    for (size_t i = 0; i < sizeof packed / sizeof packed[0]; i++) {
        const fixture *f = &fixtures[packed[i][0]];
        const char *encoding = encodings[packed[i][1]];
        char *folder = test_folder_make();
        host_sequence theirs, ours;
        test_expect(command_convert,
                    test_text("convert %s %s/%s --compression %s --quiet", folder_of(f, encoding),
                              folder, f->file, encoding),
                    0, NULL);
        if (CHECK_EQ(host_sequence_open(&theirs, folder_of(f, encoding), NULL), HOST_DONE)) {
            if (CHECK_EQ(host_sequence_open(&ours, folder, NULL), HOST_DONE)) {
                const char *info = test_text("%s/%s_000000_00.bphys", folder, f->file);
                uint8_t *bytes = NULL;
                size_t size = 0;
                if (test_file_exists(info))
                    CHECK_EQ(host_read_file(info, &bytes, &size), HOST_DONE);
                free(bytes);
                test_note("%s %s: Blender's files have %llu bytes, ours %llu", f->name, encoding,
                          (unsigned long long)theirs.byte_count,
                          (unsigned long long)(ours.byte_count - size));
                CHECK((double)(ours.byte_count - size) <= 1.03 * (double)theirs.byte_count);
                host_sequence_close(&ours);
            }
            host_sequence_close(&theirs);
        }
        test_folder_remove(folder);
    }
}

/* The simulation does not depend on the cache step: where both have a file, the truth of step 1
   holds for step 5. */
static void sparse_files_hold_the_points_of_dense_ones(void)
{
    truth all;
    if (!load_truth(&all, &fixtures[0])) return;
    for (int c = 1; c <= 2; c++) {
        host_sequence sequence;
        size_t compared = 0;
        if (!open_fixture(&sequence, &fixtures[c])) continue;
        for (size_t frame = 0; frame < sequence.frame_count; frame++) {
            host_frame stored;
            if (!CHECK_EQ(host_sequence_load(&sequence, frame, &stored), HOST_DONE)) break;
            for (size_t i = 0; i < all.count; i++) {
                truth_point point = truth_at(&all, i);
                if (point.frame != sequence.numbers[frame]) continue;
                check_point(&fixtures[c], &stored, &point, 0);
                compared++;
            }
            host_frame_free(&stored);
        }
        CHECK(compared > 700);
        host_sequence_close(&sequence);
    }
    free(all.bytes);
}

/* ---- births and deaths, which Blender's files do not store */

/* All births are found exactly. A death is found to 5e-4 frames if a later file shows how far the
   point went (a collision in between costs that accuracy), else to the frame. A point that is in
   the last file has no death. */
static void check_times(const host_sequence *sequence, const truth_point *point, int32_t last_file)
{
    const float *times = sequence->times + (size_t)point->index * 3;
    test_note("%s point %u: %.9g to %.9g, found %.9g to %.9g", sequence->path, point->index,
              (double)point->birth, (double)point->death, (double)times[0], (double)times[1]);
    CHECK_EQ(times[0] == point->birth, 1);
    if (times[1] >= BPHYS_NEVER)
        CHECK(point->death > (float)last_file);
    else
        CHECK_NEAR(times[1], point->death, 0.51);
    CHECK(times[0] <= (float)point->frame && (float)point->frame < times[1]);
}

static size_t count_alive(const host_sequence *sequence, int32_t frame)
{
    size_t alive = 0;
    for (uint32_t i = 0; i < sequence->point_count; i++)
        alive += (double)sequence->times[(size_t)i * 3] <= frame &&
                 (double)sequence->times[(size_t)i * 3 + 1] > frame;
    return alive;
}

/* The truth has exactly the points that Blender shows alive; for sparse caches only at frames
   without a file. */
static void lives_are_found_as_blender_knows_them(void)
{
    for (int c = 0; c < FIXTURES; c++) {
        host_sequence sequence;
        truth all;
        size_t shown[64] = {0};
        if (fixtures[c].type != POINT_PARTICLES || !load_truth(&all, &fixtures[c])) continue;
        host_quiet(true);
        if (open_fixture(&sequence, &fixtures[c]) &&
            CHECK_EQ(host_sequence_find_times(&sequence), HOST_DONE) &&
            CHECK(sequence.times != NULL)) {
            for (size_t i = 0; i < all.count; i++) {
                truth_point point = truth_at(&all, i);
                check_times(&sequence, &point, fixtures[c].last);
                if (CHECK(point.frame < 64)) shown[point.frame]++;
            }
            for (int32_t f = 1; f <= fixtures[c].last; f++)
                if (shown[f] && CHECK_EQ(count_alive(&sequence, f), shown[f])) shown[0]++;
            CHECK(shown[0] > 13);
            host_sequence_close(&sequence);
        }
        host_quiet(false);
        free(all.bytes);
    }
}

/* The position error that an error in the time of death causes: a point moves less than 0.35 units
   per frame, and both ends of its path are in the files. */
static void check_samples(const fixture *f, host_sequence *sequence, const truth *all)
{
    host_frame frame;
    int32_t loaded = -1;
    for (size_t i = 0; i < all->count; i++) {
        truth_point point = truth_at(all, i);
        if (point.frame != loaded) {
            if (loaded >= 0) host_frame_free(&frame);
            if (!CHECK_EQ(host_sequence_sample(sequence, point.frame, &frame), HOST_DONE)) return;
            loaded = point.frame;
        }
        double found = (double)sequence->times[(size_t)point.index * 3 + 1];
        double off = found < (double)BPHYS_NEVER ? fabs(found - (double)point.death) : 0;
        check_point(f, &frame, &point, 1e-6 + fmin(0.35 * off, 1e-4));
    }
    if (loaded >= 0) host_frame_free(&frame);
}

static void frames_without_a_file_are_interpolated_as_blender_does(void)
{
    for (int c = 1; c <= 2; c++) {
        host_sequence sequence;
        truth all;
        if (!load_truth(&all, &fixtures[c])) continue;
        for (int e = 0; e < ENCODINGS; e++) {
            char *folder = test_folder_make();
            test_expect(command_convert,
                        test_text("convert %s %s/%s --compression %s --quiet",
                                  folder_of(&fixtures[c], "none"), folder, fixtures[c].file,
                                  encodings[e]),
                        0, NULL);
            if (CHECK_EQ(host_sequence_open(&sequence, folder, NULL), HOST_DONE)) {
                check_samples(&fixtures[c], &sequence, &all);
                host_sequence_close(&sequence);
            }
            test_folder_remove(folder);
        }
        free(all.bytes);
    }
}

/* A cache baked with step 5 and written with step 1 has the files of a bake with step 1: the same
   points in each. */
static void another_step_writes_the_points_that_blender_would(void)
{
    host_sequence wanted;
    if (!open_fixture(&wanted, &fixtures[0])) return;
    for (int c = 1; c <= 2; c++) {
        host_sequence sequence;
        char *folder = test_folder_make();
        test_expect(
            command_convert,
            test_text("convert %s %s/x --step 1 --quiet", folder_of(&fixtures[c], "none"), folder),
            0, NULL);
        if (CHECK_EQ(host_sequence_open(&sequence, folder, NULL), HOST_DONE) &&
            CHECK_EQ(sequence.frame_count, wanted.frame_count)) {
            for (size_t i = 0; i < wanted.frame_count; i++) {
                host_frame ours, theirs;
                if (!CHECK_EQ(host_sequence_load(&sequence, i, &ours), HOST_DONE)) break;
                if (!CHECK_EQ(host_sequence_load(&wanted, i, &theirs), HOST_DONE)) break;
                test_note("%s frame %d", fixtures[c].name, (int)wanted.numbers[i]);
                CHECK(ours.count == theirs.count &&
                      memcmp(ours.data[POINT_INDEX], theirs.data[POINT_INDEX], ours.count * 4) ==
                          0);
                host_frame_free(&ours);
                host_frame_free(&theirs);
            }
            host_sequence_close(&sequence);
        }
        test_folder_remove(folder);
    }
    host_sequence_close(&wanted);
}

/* Converts files to a table and back: each file has the same bytes as before. Boids and springs
   have no columns. */
static void a_table_gives_back_the_same_files(void)
{
    for (int c = 0; c < FIXTURES; c++) {
        const fixture *f = &fixtures[c];
        bool has_more = strcmp(f->name, "boids") == 0 || strcmp(f->name, "sph_adaptive") == 0;
        char *folder = test_folder_make();
        int compared = 0;
        if (!has_more) {
            test_expect(command_convert,
                        test_text("convert tests/fixtures/blender/%s/none %s/t.csv --quiet",
                                  f->name, folder),
                        0, NULL);
            test_expect(command_convert,
                        test_text("convert %s/t.csv %s/%s --quiet --type %s", folder, folder,
                                  f->file, point_type_name(f->type)),
                        0, NULL);
            for (int frame = 1; frame <= 40; frame++) {
                const char *original = test_fixture(test_text("%s/none", f->name), f->file, frame);
                if (!test_file_exists(original)) continue;
                test_note("%s frame %d", f->name, frame);
                CHECK(test_files_equal(original,
                                       test_text("%s/%s_%06d_00.bphys", folder, f->file, frame)));
                compared++;
            }
            CHECK(compared > 8);
            CHECK(test_file_exists(test_text("%s/%s_000000_00.bphys", folder, f->file)) ==
                  (f->type == POINT_PARTICLES));
        }
        test_folder_remove(folder);
    }
}

static void a_copy_keeps_boids_and_springs(void)
{
    static const int with_more[] = {4, 5};
    for (int c = 0; c < 2; c++) {
        const fixture *f = &fixtures[with_more[c]];
        char *folder = test_folder_make();
        test_expect(
            command_convert,
            test_text("convert tests/fixtures/blender/%s/none %s/copy --quiet", f->name, folder), 0,
            NULL);
        for (int frame = f->first; frame <= f->last; frame++) {
            test_note("%s frame %d", f->name, frame);
            CHECK(test_files_equal(test_fixture(test_text("%s/none", f->name), f->file, frame),
                                   test_text("%s/copy_%06d_00.bphys", folder, frame)));
        }
        test_folder_remove(folder);
    }
}

/* Blender's particles and springs at a frame; Blender has several springs of one pair. */
static test_world world_of_frame(const host_frame *frame, uint32_t *pairs)
{
    tp_world_def def = tp_world_default(3);
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = frame->count;
    def.sph.smoothing_radius = 0.2f;
    def.sph.springs_max = 64;
    test_world made = test_world_make(&def);
    const float *x = frame->data[POINT_LOCATION], *v = frame->data[POINT_VELOCITY];
    for (uint32_t i = 0; i < frame->count; i++) {
        tp_vector at = {x[3 * i], x[3 * i + 1], x[3 * i + 2]},
                  velocity = {v[3 * i], v[3 * i + 1], v[3 * i + 2]};
        CHECK(tp_particle_add(made.world, at, velocity, 0, NULL) == TP_OK);
        CHECK_EQ(((const uint32_t *)frame->data[POINT_INDEX])[i], i);
    }
    const host_extra *extra = &frame->extra[EXTRA_SPRINGS];
    *pairs = 0;
    CHECK(tp_springs_set(made.world, (const tp_spring *)(const void *)extra->bytes, extra->count) ==
          TP_OK);
    CHECK(tp_springs_get(made.world, NULL, pairs) == TP_OK);
    return made;
}

static void a_fluid_goes_on_with_blenders_springs(void)
{
    host_sequence sequence;
    host_frame frame;
    uint32_t pairs;
    if (!CHECK_EQ(host_sequence_open(&sequence, "tests/fixtures/blender/sph_adaptive/none", NULL),
                  HOST_DONE))
        return;
    if (CHECK_EQ(host_sequence_load(&sequence, 9, &frame), HOST_DONE)) {
        CHECK_EQ(frame.extra[EXTRA_SPRINGS].count, 4663);
        test_world made = world_of_frame(&frame, &pairs);
        CHECK_EQ(pairs, 1511);
        test_world_frames(made.world, 1);
        CHECK(tp_world_report(made.world).springs + tp_world_report(made.world).springs_removed >=
              1511);
        test_world_frames(made.world, 60);
        CHECK_EQ(tp_world_view(made.world).count, 64);
        CHECK_EQ(tp_world_report(made.world).displacements_clamped, 0);
        CHECK(tp_world_report(made.world).springs > 500);
        test_world_free(&made);
        host_frame_free(&frame);
    }
    host_sequence_close(&sequence);
}

static void a_table_of_blenders_files_equals_the_truth(void)
{
    for (int c = 0; c < FIXTURES; c++) {
        host_sequence sequence;
        truth all;
        if (is_sparse(&fixtures[c]) || !load_truth(&all, &fixtures[c])) continue;
        char *folder = test_folder_make();
        const char *table = test_text("%s/t.csv", folder);
        test_expect(
            command_convert,
            test_text("convert tests/fixtures/blender/%s/none %s --quiet", fixtures[c].name, table),
            0, NULL);
        if (CHECK_EQ(host_sequence_open(&sequence, table, NULL), HOST_DONE)) {
            CHECK_EQ(compare_with_truth(&fixtures[c], &sequence, &all, 0), all.count);
            host_sequence_close(&sequence);
        }
        free(all.bytes);
        test_folder_remove(folder);
    }
}

static void diff_finds_a_sequence_equal_to_its_table_and_its_copy(void)
{
    char *folder = test_folder_make();
    const char *none = "tests/fixtures/blender/rotation/none";
    test_expect(command_convert, test_text("convert %s %s/t.csv --quiet", none, folder), HOST_DONE,
                NULL);
    test_expect(command_convert, test_text("convert %s %s/moved --scale 1.5 --quiet", none, folder),
                HOST_DONE, NULL);
    test_output same =
        test_command(command_diff, test_text("diff %s %s/t.csv --json", none, folder));
    CHECK_EQ(same.code, HOST_DONE);
    CHECK(strstr(same.standard, "\"frames\": 30, \"max_position_error\": 0, "
                                "\"max_velocity_error\": 0, \"missing\": 0") != NULL);
    test_output other = test_command(command_diff, test_text("diff %s %s/moved", none, folder));
    CHECK_EQ(other.code, HOST_DIFFERENT);
    CHECK(strstr(other.standard, "position   differs by at most ") != NULL &&
          strstr(other.standard, "rotation   equal") != NULL);
    test_output_free(&same);
    test_output_free(&other);
    test_folder_remove(folder);
}

static void info_describes_what_blender_wrote(void)
{
    static const char *const facts[][2] = {
        {"newton_s5/none",
         "{\"format\": \"bphys\", \"type\": \"particles\", \"frames\": 19, \"first_frame\": 1, "
         "\"last_frame\": 40, "
         "\"points\": 150, \"streams\": [\"index\", \"location\", \"velocity\"], \"compression\": "
         "\"none\", "
         "\"bytes\": 65256, "},
        {"cloth_pinned/none/5368656574_000003_00.bphys",
         "{\"format\": \"bphys\", \"type\": \"cloth\", \"frames\": 24, \"first_frame\": 1, "
         "\"last_frame\": "
         "24, \"points\": 121, "
         "\"streams\": [\"location\", \"velocity\", \"xconst\"], \"compression\": \"none\", "
         "\"bytes\": "
         "105024, "},
        {"cloth_pinned/heavy",
         "{\"format\": \"bphys\", \"type\": \"cloth\", \"frames\": 24, \"first_frame\": 1, "
         "\"last_frame\": "
         "24, "
         "\"points\": 121, \"streams\": [\"location\", \"velocity\", \"xconst\"], \"compression\": "
         "\"heavy\", "
         "\"bytes\": 58512, "},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        test_output output = test_command(
            command_info, test_text("info tests/fixtures/blender/%s --json", facts[i][0]));
        test_note("%s: %s", facts[i][0], output.standard);
        CHECK_EQ(output.code, HOST_DONE);
        CHECK(strncmp(output.standard, facts[i][1], strlen(facts[i][1])) == 0);
        test_output_free(&output);
    }
}

static void what_cannot_be_read_says_why_and_where(void)
{
    static const char *const cases[][2] = {
        {"samples/B_info.bphys", "expected at least one frame, found none"},
    };
    char *folder = test_folder_make();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        test_expect(command_convert,
                    test_text("convert tests/fixtures/blender/%s %s/t.csv", cases[i][0], folder),
                    HOST_BAD_INPUT, cases[i][1]);
    CHECK_EQ(test_folder_count(folder), 0);
    test_folder_remove(folder);
}

static void sample_shows_a_frame_between_two_files(void)
{
    test_output output = test_command(
        command_sample, "sample tests/fixtures/blender/softbody/none --frame 7.5 --csv");
    CHECK_EQ(output.code, HOST_DONE);
    CHECK(strstr(output.standard, "frame,index,x,y,z,vx,vy,vz\n7.5,0,") == output.standard);
    CHECK(strstr(output.standard, "\n7.5,26,") != NULL &&
          strstr(output.standard, "\n7.5,27,") == NULL);
    test_output_free(&output);
}

static const test_case cases[] = {
    TEST_CASE(files_decode_to_what_blender_shows),
    TEST_CASE(blenders_encodings_hold_the_same_bits),
    TEST_CASE(every_compression_keeps_every_bit),
    TEST_CASE(our_blocks_are_as_small_as_blenders),
    TEST_CASE(sparse_files_hold_the_points_of_dense_ones),
    TEST_CASE(lives_are_found_as_blender_knows_them),
    TEST_CASE(frames_without_a_file_are_interpolated_as_blender_does),
    TEST_CASE(another_step_writes_the_points_that_blender_would),
    TEST_CASE(a_table_gives_back_the_same_files),
    TEST_CASE(a_copy_keeps_boids_and_springs),
    TEST_CASE(a_fluid_goes_on_with_blenders_springs),
    TEST_CASE(a_table_of_blenders_files_equals_the_truth),
    TEST_CASE(diff_finds_a_sequence_equal_to_its_table_and_its_copy),
    TEST_CASE(info_describes_what_blender_wrote),
    TEST_CASE(what_cannot_be_read_says_why_and_where),
    TEST_CASE(sample_shows_a_frame_between_two_files),
};
TEST_SUITE(blender_files, cases);
