/* SPDX-License-Identifier: MIT
   tests/interop/codecs/speeds.c - speeds and sizes of our codecs beside those of the libraries; no test.
   reads   uncompressed .bphys files given as arguments, bytes made here      writes  a table
   memory  malloc, some copies of the files      cost  some seconds a line
   after   own design; seconds of the processor, medians over rounds in which ours and theirs take turns */
#include "common/host.h"
#include "contents.h"
#include "peers.h"
#include <stdlib.h>
#include <string.h>

#define ROUNDS      7
#define ROUND_LONG  0.3  /* s; from there on fewer rounds do */
#define ROUND_LEAST 0.02 /* s; short contents are coded many times in a round */

/* Streams of all parts, and what coding them needs. */
typedef struct bench {
    const peer *p;
    const contents *all;
    uint8_t *streams, *out;
    size_t *starts, *sizes, room;
    void *decoder, *encoder;
    bool is_ours;
} bench;

static void encode_parts(bench *b)
{
    size_t at = 0;
    for (size_t k = 0; k < b->all->count; k++) {
        const uint8_t *bytes = b->all->bytes + b->all->starts[k];
        size_t size = b->all->sizes[k], room = peers_bound(b->p, size);
        b->starts[k] = at;
        b->sizes[k] = b->is_ours ? b->p->ours->encode(bytes, size, b->streams + at, room, b->encoder)
                                 : b->p->encode(0, bytes, size, b->streams + at, room);
        at += b->sizes[k];
    }
}

static void decode_parts(bench *b)
{
    for (size_t k = 0; k < b->all->count; k++) {
        const uint8_t *stream = b->streams + b->starts[k];
        compress_fault fault;
        bool is_good = b->is_ours ? b->p->ours->decode(b->p->ours->properties, stream, b->sizes[k], b->out,
                                                       b->all->sizes[k], b->decoder, &fault)
                                  : b->p->decode(stream, b->sizes[k], b->out, b->all->sizes[k]);
        if (!is_good) exit(HOST_DIFFERENT);
    }
}

static double seconds(void (*work)(bench *b), bench *b, int repeats)
{
    double start = host_thread_seconds();
    for (int i = 0; i < repeats; i++) work(b);
    return (host_thread_seconds() - start) / repeats;
}

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof values[0], ascending);
    return values[count / 2];
}

/* MB/s of ours and of theirs, and ours to theirs. */
static void race(void (*work)(bench *b), bench *ours, bench *theirs)
{
    double our_rates[ROUNDS], their_rates[ROUNDS], ratios[ROUNDS], once = seconds(work, theirs, 1);
    int repeats = once > ROUND_LEAST ? 1 : (int)(ROUND_LEAST / (once + 1e-9)) + 1;
    int rounds = once > ROUND_LONG ? 3 : ROUNDS;
    for (int i = 0; i < rounds; i++) {
        double a = seconds(work, ours, repeats), b = seconds(work, theirs, repeats);
        our_rates[i] = (double)ours->all->total / (a + 1e-12) * 1e-6;
        their_rates[i] = (double)ours->all->total / (b + 1e-12) * 1e-6;
        ratios[i] = b / (a + 1e-12);
    }
    double our_rate = median(our_rates, rounds), their_rate = median(their_rates, rounds);
    int digits = our_rate < 100 && their_rate < 100 ? 1 : 0;
    printf(" %8.*f %8.*f %6.2f", digits, our_rate, digits, their_rate, median(ratios, rounds));
}

static size_t sum(const size_t *sizes, size_t count)
{
    size_t total = 0;
    for (size_t k = 0; k < count; k++) total += sizes[k];
    return total;
}

static bench bench_start(const peer *p, const contents *all, bool is_ours)
{
    bench b = {.p = p, .all = all, .is_ours = is_ours};
    size_t room = 0, largest = 0;
    for (size_t k = 0; k < all->count; k++) {
        room += peers_bound(p, all->sizes[k]);
        if (all->sizes[k] > largest) largest = all->sizes[k];
    }
    b.streams = contents_memory(room);
    b.out = contents_memory(largest);
    b.starts = contents_memory(all->count * sizeof *b.starts);
    b.sizes = contents_memory(all->count * sizeof *b.sizes);
    b.decoder = contents_memory(p->ours->decoder_bytes(p->ours->properties));
    b.encoder = contents_memory(p->ours->encoder_bytes(largest));
    encode_parts(&b);
    return b;
}

static void bench_free(bench *b)
{
    free(b->streams);
    free(b->out);
    free(b->starts);
    free(b->sizes);
    free(b->decoder);
    free(b->encoder);
}

static void measure(const peer *p, const contents *all)
{
    bench ours = bench_start(p, all, true), theirs = bench_start(p, all, false);
    size_t our_size = sum(ours.sizes, all->count), their_size = sum(theirs.sizes, all->count);
    printf("%-6s %-20s %9zu %6zu %9zu %9zu %6.3f", p->ours->name, all->name, all->total, all->count, our_size,
           their_size, (double)our_size / (double)their_size);
    race(encode_parts, &ours, &theirs);
    encode_parts(&theirs);
    memcpy(ours.streams, theirs.streams, their_size); /* both decode the library's streams */
    memcpy(ours.starts, theirs.starts, all->count * sizeof *ours.starts);
    memcpy(ours.sizes, theirs.sizes, all->count * sizeof *ours.sizes);
    race(decode_parts, &ours, &theirs);
    puts("");
    fflush(stdout);
    bench_free(&ours);
    bench_free(&theirs);
}

static void measure_caches(const peer *p, char **paths, int path_count, bool is_filtered)
{
    contents parts =
        contents_of_caches(is_filtered ? "streams, filtered" : "streams", paths, path_count, is_filtered);
    contents joined = contents_joined(is_filtered ? "joined, filtered" : "joined", &parts);
    measure(p, &parts);
    measure(p, &joined);
    contents_free(&joined);
    contents_free(&parts);
}

static void measure_made(const peer *p)
{
    for (int which = 0; which < CONTENTS_MADE; which++) {
        contents made = contents_made(which, 4u << 20);
        measure(p, &made);
        contents_free(&made);
    }
}

/* The caches as their streams stand, as one, and bytes of one kind; arguments: [--codec NAME] [--caches] FILE... */
int main(int argc, char **argv)
{
    const char *name = NULL;
    bool only_caches = false;
    char **paths = argv + 1, **end = argv + argc;
    if (end - paths > 1 && strcmp(paths[0], "--codec") == 0) {
        name = paths[1];
        paths += 2;
    }
    if (paths < end && strcmp(paths[0], "--caches") == 0) {
        only_caches = true;
        paths++;
    }
    if (!peers_start()) return HOST_NO_ROOM;
    printf(
        "%-6s %-20s %9s %6s %9s %9s %6s %24s %24s\n%-6s %-20s %9s %6s %9s %9s %6s %8s %8s %6s %8s %8s %6s\n",
        "", "", "", "", "bytes", "bytes", "", "encode, MB/s", "decode, MB/s", "codec", "content", "bytes",
        "parts", "ours", "theirs", "ratio", "ours", "theirs", "ratio", "ours", "theirs", "ratio");
    for (int i = 0; i < PEERS; i++) {
        if (name && strcmp(name, peers[i].ours->name) != 0) continue;
        measure_caches(&peers[i], paths, (int)(end - paths), false);
        measure_caches(&peers[i], paths, (int)(end - paths), true);
        if (!only_caches) measure_made(&peers[i]);
    }
    puts("MB/s of content by one thread; theirs: liblzo2, liblzma, libzstd at Blender's setting; ratio of "
         "speeds: ours "
         "to theirs");
    return HOST_DONE;
}
