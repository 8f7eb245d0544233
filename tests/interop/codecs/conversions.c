/* SPDX-License-Identifier: MIT
   tests/interop/codecs/conversions.c - benchmark, not a test: conversions of 100 000 particles,
           copies.
   reads   build/tidepool
   writes  caches and their conversions below the folder given as argument; two tables
   memory  one frame      cost  some minutes
   after   own design; seconds of processor time of the programs, kernel included; ratios within a
           round in which the programs take turns. The files were just written, so they are in the
           page cache */
#include "common/host.h"
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define POINTS       100000u
#define SIDE         47u /* side of the lattice: 47^3 > POINTS */
#define FRAMES       10u
#define HEAVY_FRAMES 2u /* LZMA takes a second per frame */
#define HEADER_BYTES 20u
#define RECORD_BYTES 28u
#define ROUNDS       3
#define COPY_ROUNDS  15

static const char *folder;

/* ---- points on a jittered lattice that rotate around their centre */

static void store_u32(uint8_t *to, uint32_t value)
{
    for (uint32_t k = 0; k < 4; k++) to[k] = (uint8_t)(value >> 8 * k);
}

static void store_floats(uint8_t *to, const float values[3])
{
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t bits;
        memcpy(&bits, &values[k], sizeof bits);
        store_u32(to + 4 * k, bits);
    }
}

/* uniform in -size .. size */
static float noise(uint32_t *state, float size)
{
    *state = *state * 1664525u + 1013904223u; /* Knuth, Lewis */
    return size * ((float)(*state >> 8) * 1.1920929e-7f - 1.0f);
}

static void make_frame(uint8_t *bytes, uint32_t number)
{
    uint32_t state = 1;
    memcpy(bytes, "BPHYSICS", 8);
    store_u32(bytes + 8, 1); /* type: particles */
    store_u32(bytes + 12, POINTS);
    store_u32(bytes + 16, 7); /* streams: index, location, velocity */
    for (uint32_t i = 0; i < POINTS; i++) {
        uint8_t *record = bytes + HEADER_BYTES + (size_t)i * RECORD_BYTES;
        float place[3] = {0.1f * (float)(i % SIDE) - 2.3f, 0.1f * (float)(i / SIDE % SIDE) - 2.3f,
                          0.1f * (float)(i / SIDE / SIDE)};
        float velocity[3] = {-place[1], place[0], -0.1f * place[2]};
        for (uint32_t k = 0; k < 3; k++) {
            velocity[k] += noise(&state, 0.05f);
            place[k] += noise(&state, 0.03f) + 0.04f * (float)number * velocity[k];
        }
        store_u32(record, i);
        store_floats(record + 4, place);
        store_floats(record + 16, velocity);
    }
}

static void must(bool is_good, const char *what)
{
    if (is_good) return;
    fprintf(stderr, "conversions: %s failed\n", what);
    exit(HOST_IO);
}

static char *below_folder(const char *name)
{
    char *path = host_text("%s/%s", folder, name);
    must(path != NULL, "memory");
    return path;
}

static void make_points(void)
{
    size_t size = HEADER_BYTES + (size_t)POINTS * RECORD_BYTES;
    uint8_t *bytes = malloc(size);
    must(bytes != NULL, "memory");
    for (uint32_t number = 1; number <= FRAMES; number++) {
        char *path = host_text("%s/points_%06u_00.bphys", folder, (unsigned)number);
        FILE *stream = path ? fopen(path, "wb") : NULL;
        make_frame(bytes, number);
        must(stream && fwrite(bytes, 1, size, stream) == size && fclose(stream) == 0,
             "writing points");
        free(path);
    }
    free(bytes);
}

/* ---- programs */

typedef struct cost {
    double processor, wall; /* s */
} cost;

static double children_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static double wall_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static cost run(char *const arguments[])
{
    double processor = children_seconds(), wall = wall_seconds();
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        execvp(arguments[0], arguments);
        _exit(127);
    }
    must(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
             WEXITSTATUS(status) == 0,
         arguments[0]);
    return (cost){children_seconds() - processor, wall_seconds() - wall};
}

static void clear(const char *name)
{
    char *path = below_folder(name);
    char *arguments[] = {"rm", "-rf", path, NULL};
    run(arguments);
    free(path);
}

/* Converts into a folder of its own, which is emptied first. */
static cost convert(const char *from, const char *to, const char *format, const char *compression,
                    uint32_t frames)
{
    char range[24], *in = below_folder(from), *out = below_folder(to), *into = below_folder("made");
    char *arguments[] = {"build/tidepool",
                         "convert",
                         in,
                         out,
                         "--to",
                         (char *)(uintptr_t)format,
                         "--compression",
                         (char *)(uintptr_t)compression,
                         "--frames",
                         range,
                         "--quiet",
                         NULL};
    snprintf(range, sizeof range, "1-%u", (unsigned)frames);
    clear("made");
    must(mkdir(into, 0777) == 0, "a folder");
    cost taken = run(arguments);
    free(in);
    free(out);
    free(into);
    return taken;
}

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof values[0], ascending);
    return values[count / 2];
}

/* ---- the tables */

enum { COMPRESSIONS = 4, HEAVY = 2 };
static const char *const compressions[COMPRESSIONS] = {"none", "light", "heavy", "zstd"};

static const struct {
    const char *name, *format, *out, *compression;
} targets[] = {{"none", "bphys", "made/x", "none"},
               {"light", "bphys", "made/x", "light"},
               {"heavy", "bphys", "made/x", "heavy"},
               {"zstd", "bphys", "made/x", "zstd"},
               {"npy", "npy", "made/x.npy", "none"},
               {"ply", "ply", "made/x.ply", "none"},
               {"vtk", "vtk", "made/x.vtk", "none"},
               {"prt", "prt", "made/x.prt", "none"},
               {"bgeo", "bgeo", "made/x.bgeo", "none"},
               {"geo", "geo", "made/x.geo", "none"},
               {"pc2", "pc2", "made/x.pc2", "none"},
               {"mdd", "mdd", "made/x.mdd", "none"},
               {"lammps", "lammps", "made/x.lammpstrj", "none"},
               {"xyz", "xyz", "made/x.xyz", "none"}};
#define TARGETS (sizeof targets / sizeof targets[0])

static void print_conversions(void)
{
    printf("\nframes per second from");
    for (int c = 0; c < COMPRESSIONS; c++) printf(" %8s", compressions[c]);
    puts("");
    for (size_t t = 0; t < TARGETS; t++) {
        printf("          to %11s", targets[t].name);
        for (int c = 0; c < COMPRESSIONS; c++) {
            double seconds[ROUNDS];
            bool is_heavy = c == HEAVY || (int)t == HEAVY;
            uint32_t frames = is_heavy ? HEAVY_FRAMES : FRAMES;
            int rounds = (int)t == HEAVY ? 1 : ROUNDS;
            for (int i = 0; i < rounds; i++)
                seconds[i] = convert(compressions[c], targets[t].out, targets[t].format,
                                     targets[t].compression, frames)
                                 .processor;
            printf(" %8.1f", frames / (median(seconds, (size_t)rounds) + 1e-9));
            fflush(stdout);
        }
        puts("");
    }
    printf("%u frames of %u points, %u bytes each as none; from and to heavy: %u frames; medians "
           "of %d "
           "rounds, to "
           "heavy one;\nof the processor's time, start of the program included\n",
           FRAMES, POINTS, POINTS * RECORD_BYTES + HEADER_BYTES, HEAVY_FRAMES, ROUNDS);
}

/* Copies the same files with cp, the info file too, into a folder of its own. */
static cost copy(void)
{
    char *arguments[FRAMES + 4] = {"cp"}, *into = below_folder("made");
    clear("made");
    must(mkdir(into, 0777) == 0, "a folder");
    for (uint32_t number = 0; number <= FRAMES; number++) {
        arguments[1 + number] = host_text("%s/none_%06u_00.bphys", folder, (unsigned)number);
        must(arguments[1 + number] != NULL, "memory");
    }
    arguments[2 + FRAMES] = into;
    cost taken = run(arguments);
    for (uint32_t number = 0; number <= FRAMES; number++) free(arguments[1 + number]);
    free(into);
    return taken;
}

static void print_copies(void)
{
    double ours[COPY_ROUNDS], theirs[COPY_ROUNDS], processor[COPY_ROUNDS], wall[COPY_ROUNDS];
    for (int i = 0; i < COPY_ROUNDS; i++) {
        cost a = convert("none", "made/x", "bphys", "none", FRAMES), b = copy();
        ours[i] = a.wall / FRAMES;
        theirs[i] = b.wall / FRAMES;
        processor[i] = b.processor / a.processor;
        wall[i] = b.wall / a.wall;
    }
    printf("\nnone to none beside cp of the same files: %.1f and %.1f ms a frame by the clock; "
           "cp's time to "
           "ours, median of\n%d rounds in turn: %.2f by the clock, %.2f of the processor's time\n",
           median(ours, COPY_ROUNDS) * 1e3, median(theirs, COPY_ROUNDS) * 1e3, COPY_ROUNDS,
           median(wall, COPY_ROUNDS), median(processor, COPY_ROUNDS));
}

/* `points` has no info file, like many caches of other programs. `none` has one, so that
   conversions of it need not find births and deaths. */
static void make_caches(void)
{
    mkdir(folder, 0777);
    make_points();
    convert("points", "none", "bphys", "none", FRAMES);
    for (int c = 1; c < COMPRESSIONS; c++)
        convert("none", compressions[c], "bphys", compressions[c],
                c == HEAVY ? HEAVY_FRAMES : FRAMES);
}

int main(int argc, char **argv)
{
    if (argc != 2) return HOST_USAGE;
    folder = argv[1];
    make_caches();
    print_copies();
    print_conversions();
    return HOST_DONE;
}
