/* SPDX-License-Identifier: MIT
   tests/interop/codecs/compare.c - each codec and its library read each other's streams; sizes keep to the gates.
   reads   uncompressed .bphys files given as arguments, bytes made here
   writes  a table of sizes, what failed, then `N passed, M failed`
   memory  malloc, some 100 MiB      cost  half a minute
   after   own design */
#include "common/host.h"
#include "contents.h"
#include "peers.h"
#include <stdlib.h>
#include <string.h>

#define MADE_BYTES 700000u /* several blocks of Zstandard, and more than the distances of LZO1X */

static int passed, failed;

static void judge(bool is_good, const peer *p, const char *content, const char *what, int setting)
{
    if (!is_good) printf("FAILED %s, %s: %s, setting %d\n", p->ours->name, content, what, setting);
    passed += is_good;
    failed += !is_good;
}

/* Our decoder on their stream of one part; the size of the stream, 0 when it is not understood. */
static size_t read_theirs(const peer *p, int setting, const uint8_t *bytes, size_t size)
{
    uint8_t properties[CODEC_PROPERTIES_MAX] = {0};
    size_t room = peers_bound(p, size);
    uint8_t *stream = contents_memory(room), *out = contents_memory(size);
    compress_fault fault = {0, NULL};
    p->properties(setting, properties);
    void *work = contents_memory(p->ours->decoder_bytes(properties));
    size_t made = p->encode(setting, bytes, size, stream, room);
    stream = realloc(stream, made ? made : 1); /* exactly, so that a checked build sees a byte too many */
    bool is_good = made > 0 && p->ours->decode(properties, stream, made, out, size, work, &fault) &&
                   (size == 0 || memcmp(out, bytes, size) == 0);
    if (fault.why) printf("%s: byte %zu of %zu: %s\n", p->ours->name, fault.at, made, fault.why);
    free(work);
    free(out);
    free(stream);
    return is_good ? made : 0;
}

/* Their decoder on our stream of one part. */
static size_t read_ours(const peer *p, const uint8_t *bytes, size_t size)
{
    size_t room = p->ours->bound(size);
    uint8_t *stream = contents_memory(room), *out = contents_memory(size);
    void *work = contents_memory(p->ours->encoder_bytes(size));
    size_t made = p->ours->encode(bytes, size, stream, room, work);
    bool is_good =
        made > 0 && p->decode(stream, made, out, size) && (size == 0 || memcmp(out, bytes, size) == 0);
    free(work);
    free(out);
    free(stream);
    return is_good ? made : 0;
}

static void compare(const peer *p, const contents *all)
{
    size_t ours = 0, theirs[16] = {0};
    bool is_good = true;
    for (size_t k = 0; k < all->count; k++) {
        size_t made = read_ours(p, all->bytes + all->starts[k], all->sizes[k]);
        is_good = is_good && made > 0;
        ours += made;
    }
    judge(is_good, p, all->name, "the library does not read our stream", 0);
    for (int setting = 0; setting < p->setting_count; setting++) {
        is_good = true;
        for (size_t k = 0; k < all->count; k++) {
            size_t made = read_theirs(p, setting, all->bytes + all->starts[k], all->sizes[k]);
            is_good = is_good && made > 0;
            theirs[setting] += made;
        }
        judge(is_good, p, all->name, "we do not read the library's stream", setting);
    }
    double ratio = theirs[0] ? (double)ours / (double)theirs[0] : 0;
    printf("%-6s %-16s %9zu %9zu %9zu %7.3f\n", p->ours->name, all->name, all->total, ours, theirs[0], ratio);
    if (all->is_cache) judge(ratio <= p->size_ratio_max, p, all->name, "our streams are too long", 0);
}

int main(int argc, char **argv)
{
    if (!peers_start()) return HOST_NO_ROOM;
    printf("%-6s %-16s %9s %9s %9s %7s\n", "codec", "content", "bytes", "ours", "theirs", "ratio");
    for (int i = 0; i < PEERS; i++) {
        contents plain = contents_of_caches("caches", argv + 1, argc - 1, false);
        contents filtered = contents_of_caches("caches filtered", argv + 1, argc - 1, true);
        compare(&peers[i], &plain);
        compare(&peers[i], &filtered);
        for (int which = 0; which < CONTENTS_MADE; which++) {
            contents made = contents_made(which, MADE_BYTES);
            compare(&peers[i], &made);
            contents_free(&made);
        }
        contents_free(&plain);
        contents_free(&filtered);
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 ? HOST_DONE : HOST_DIFFERENT;
}
