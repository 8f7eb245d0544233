/* SPDX-License-Identifier: MIT
   tests/interop/codecs/million.c - benchmark, not a test: a million points in 24 frames through
           `tidepool`, beside cp, zstd, xz and numpy.
   reads   build/tidepool
   writes  600 MB below the folder given as argument; a table
   memory  a frame      cost    some minutes
   after   own design; processor time of the programs, kernel included, and their peak memory; the
           best of ROUNDS, in turn. Files were just written, so they are in the page cache */
#define _DEFAULT_SOURCE /* wait4 */
#include "common/host.h"
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define POINTS    1000000u
#define FRAMES    24u
#define SUB_STEPS 8u
#define ROUNDS    3
#define COPIES    3u /* rows that copy: three times a round, as other programs disturb them */
#define MEGABYTE  1e6

static void must(bool is_good, const char *what)
{
    if (is_good) return;
    fprintf(stderr, "million: %s failed\n", what);
    exit(HOST_IO);
}

/* ---- bouncing points in a box */

static float noise(uint32_t *state, float size)
{
    *state = *state * 1664525u + 1013904223u; /* Knuth, Lewis */
    return size * ((float)(*state >> 8) * 1.1920929e-7f - 1.0f);
}

static void start(float *place, float *velocity)
{
    uint32_t state = 1;
    for (size_t i = 0; i < POINTS; i++)
        for (uint32_t k = 0; k < 3; k++) {
            place[3 * i + k] = noise(&state, k < 2 ? 5.0f : 2.0f) + (k < 2 ? 0.0f : 3.0f);
            velocity[3 * i + k] = noise(&state, 2.5f);
        }
}

static void advance(float *place, float *velocity, float step)
{
    for (size_t i = 0; i < (size_t)POINTS * 3u; i++) {
        bool is_up = i % 3u == 2u;
        float low = is_up ? 0.0f : -6.0f, loss = is_up ? -0.7f : -0.8f;
        if (is_up) velocity[i] -= 9.81f * step;
        place[i] += step * velocity[i];
        bool is_below = place[i] < low && velocity[i]<0, is_above = place[i]> 6.0f;
        if (is_below || (is_above && velocity[i] > 0 && !is_up)) velocity[i] *= loss;
        if (is_below) place[i] = 2.0f * low - place[i];
    }
}

static void write_points(const char *folder)
{
    char head[128], *path = host_text("%s/points.npy", folder);
    float *place = malloc(POINTS * 12u), *velocity = malloc(POINTS * 12u);
    FILE *stream = path ? fopen(path, "wb") : NULL;
    must(place && velocity && stream, "making points");
    memcpy(head, "\x93NUMPY\1\0v\0", 10);
    int used =
        snprintf(head + 10, 118, "{'descr': '<f4', 'fortran_order': False, 'shape': (%u, %u, 3)}",
                 FRAMES, POINTS);
    memset(head + 10 + used, ' ', (size_t)(117 - used));
    head[127] = '\n';
    bool is_good = fwrite(head, 1, 128, stream) == 128;
    start(place, velocity);
    for (uint32_t f = 0; f < FRAMES && is_good; f++) {
        is_good = fwrite(place, 12, POINTS, stream) == POINTS;
        for (uint32_t k = 0; k < SUB_STEPS; k++)
            advance(place, velocity, 1.0f / 24.0f / (float)SUB_STEPS);
    }
    must(fclose(stream) == 0 && is_good, "writing points");
    free(place), free(velocity), free(path);
}

/* ---- programs, run by the shell in the folder */

typedef struct row {
    const char *what, *command, *result; /* result: file whose size is shown; null: none */
    double megabytes;                    /* of values */
    double seconds, peak;                /* best of the rounds, s and MiB */
    bool is_there;
    long long bytes; /* of the result */
} row;

static void run(row *of, const char *folder)
{
    struct rusage usage;
    int status = 0;
    char *remove = host_text("rm -rf %s/a %s/b %s/h", folder, folder, folder);
    must(remove && system(remove) == 0, "rm");
    free(remove);
    pid_t child = fork();
    must(child >= 0, "fork");
    if (!child) {
        if (chdir(folder) != 0) _exit(127);
        execl("/bin/sh", "sh", "-c", of->command, (char *)NULL);
        _exit(127);
    }
    must(wait4(child, &status, 0, &usage) == child, "wait");
    double seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                     1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    bool is_good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    of->peak = (double)usage.ru_maxrss / 1024.0;
    if (is_good && (!of->is_there || seconds < of->seconds)) of->seconds = seconds;
    of->is_there |= is_good;
    char *path = of->result ? host_text("%s/%s", folder, of->result) : NULL;
    struct stat about;
    if (path && stat(path, &about) == 0) of->bytes = (long long)about.st_size;
    free(path);
}

static void print_row(const row *of)
{
    if (!of->is_there) {
        printf("%-44s not there\n", of->what);
        return;
    }
    printf("%-44s %8.2f %8.1f %8.0f", of->what, of->seconds, of->megabytes / of->seconds, of->peak);
    if (of->bytes) printf(" %11lld", of->bytes);
    printf("\n");
}

#define ALL (POINTS * 12.0 * FRAMES / MEGABYTE)
#define ONE (POINTS * 12.0 / MEGABYTE)

static row rows[] = {
    {"cp of the cache", "exec cp -r cache a", NULL, ALL, 0, 0, false, 0},
    {"convert, none to none", "exec $T convert cache/p b/p --quiet", NULL, ALL, 0, 0, false, 0},
    {"numpy, load and save",
     "exec /usr/bin/python3 -c 'import numpy as n; n.save(\"n.npy\", n.load(\"points.npy\"))'",
     NULL, ALL, 0, 0, false, 0},
    {"convert, .npy to clip at 1e-3", "exec $T convert points.npy a.tpc --error 1e-3 --quiet",
     "a.tpc", ALL, 0, 0, false, 0},
    {"the same at 1e-4", "exec $T convert points.npy b.tpc --error 1e-4 --quiet", "b.tpc", ALL, 0,
     0, false, 0},
    {"convert, none to clip at 1e-3", "exec $T convert cache/p c.tpc --error 1e-3 --quiet", "c.tpc",
     ALL, 0, 0, false, 0},
    {"the same with two threads", "exec $T convert cache/p c.tpc --error 1e-3 --quiet --jobs 2",
     "c.tpc", ALL, 0, 0, false, 0},
    {"zstd -3 of the values, without loss",
     "exec zstd -3 -q -f --single-thread points.npy -o p.zst", "p.zst", ALL, 0, 0, false, 0},
    {"convert, a frame to heavy",
     "exec $T convert cache/p h/p --frames 3-3 --compression heavy --quiet", "h/p_000003_00.bphys",
     ONE, 0, 0, false, 0},
    {"xz (liblzma) -9 of that frame",
     "exec xz -9 --format=lzma -k -c cache/p_000003_00.bphys > h.lzma", "h.lzma", ONE, 0, 0, false,
     0},
};

int main(int count, char **words)
{
    must(count == 3, "usage: million FOLDER TIDEPOOL:");
    setenv("T", words[2], 1);
    write_points(words[1]);
    row cache = {"cache", "exec $T convert points.npy cache/p --quiet", NULL, 1, 0, 0, false, 0};
    run(&cache, words[1]);
    must(cache.is_there, "writing a cache");
    for (int round = 0; round < ROUNDS; round++)
        for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
            for (int turn = 0; turn < (k < COPIES ? 3 : 1); turn++) run(&rows[k], words[1]);
    printf("%-44s %8s %8s %8s %11s\n", "a million points, 24 frames of 12 MB", "s", "MB/s", "MiB",
           "bytes");
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) print_row(&rows[k]);
    printf("s of processor time, best of %d rounds in turn; MB of values a second; peak memory, of "
           "which a group has 275\n",
           ROUNDS);
    return 0;
}
