/* SPDX-License-Identifier: MIT
   tests/fuzz/clips.c - fuzz target for clips: accepted frames must be consistent; every block is
           read.
   reads   any bytes      writes  one file below build/fuzz
   memory  malloc         cost    O(bytes), and the decoded size that the tiles of the input state
   after   own design */
#include "fuzz.h"
#include "clip/pack.h"
#include "formats/activity.h"
#include "formats/tpc.h"
#include "formats/verify.h"
#include <stdlib.h>
#include <string.h>

static const char path[] = "build/fuzz/input.tpc";

static void check_frame(const host_frame *frame)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    for (uint32_t i = 1; i < frame->count; i++)
        if (indices[i] <= indices[i - 1]) abort();
    for (uint32_t s = POINT_LOCATION; s < POINT_STREAMS; s++)
        if ((frame->streams & POINT_BIT(s)) && !frame->data[s]) abort();
}

static void count_fault(host_report *report, const char *file, uint64_t offset, const char *text,
                        const char *effect)
{
    if (!report || !file || !*text || !*effect || !offset) return;
}

/* The frames of a group have no more bytes in total than their groups. A frame has at most as many
   keys as points: points that are stored but not alive are counted in neither. */
static void measure(host_sequence *sequence)
{
    activity result;
    host_progress progress = {0};
    uint64_t bits = 0, bytes = 0;
    if (sequence->frame_count > 80 ||
        activity_measure(&result, sequence, 3, &progress) != HOST_DONE)
        return;
    for (size_t f = 0; f < result.frame_count; f++) {
        bits += result.frames[f].bits;
        if (result.frames[f].keys > result.frames[f].points) abort();
    }
    for (size_t g = 0; g < result.group_count; g++) bytes += result.groups[g].bytes;
    if (bits > 8 * bytes) abort();
    activity_free(&result);
}

static void read_clip(const uint8_t *bytes, size_t size)
{
    static FILE *input;
    host_sequence sequence;
    host_frame frame;
    host_report report = {.take = count_fault};
    fuzz_leave(&input, path, bytes, size);
    if (host_sequence_open(&sequence, path, NULL) == HOST_DONE) {
        for (size_t i = 0; i < sequence.frame_count && i < 80; i += 3) {
            if (host_sequence_load(&sequence, i, &frame) != HOST_DONE) continue;
            check_frame(&frame);
            host_frame_free(&frame);
        }
        measure(&sequence);
        if (tpc_describe(&sequence) == HOST_DONE && !sequence.detail) abort();
        host_sequence_close(&sequence);
    }
    if (host_verify(&report, path, NULL) != HOST_DONE) abort();
}

/* Corrects the checksums of a compact clip: of its header, and of the blocks that this names. */
static void seal_compact(uint8_t *bytes, size_t size)
{
    static uint8_t blocks[2][1u << TPI_CLIP_BLOCK_HIGHEST];
    tpi_clip_memory memory = {bytes, size, size};
    tpi_clip_storage storage = {
        &memory, tpi_clip_memory_read, NULL, {blocks[0], blocks[1]}, 1u << TPI_CLIP_BLOCK_HIGHEST};
    tpi_clip clip;
    uint32_t header = size > 10u ? bytes[8] | (uint32_t)bytes[9] << 8 : 0;
    if (header <= TPI_CLIP_COMPACT_BYTES || header > size) return;
    tpi_store_u32(bytes + 12, tpi_crc32c(tpi_crc32c(0, bytes, 12), bytes + TPI_CLIP_COMPACT_BYTES,
                                         header - TPI_CLIP_COMPACT_BYTES));
    if (tpi_clip_open_headers(&clip, &storage) || !clip.compact) return;
    for (uint32_t number = TPI_CLIP_FIRST_BLOCK;
         number < clip.end && tpi_clip_block_end(&clip, number) <= size; number++) {
        uint8_t *block = bytes + tpi_clip_block_at(&clip, number), start[TPI_CLIP_HEAD_CRC];
        tpi_clip_head head;
        tpi_clip_head_of(&clip, block, number, &head);
        tpi_clip_put_head(start, &head);
        tpi_store_u32(block + TPI_CLIP_HEAD_CRC,
                      tpi_crc32c(tpi_crc32c(0, start, sizeof start), block + TPI_CLIP_HEAD_BYTES,
                                 head.payload));
    }
}

void fuzz_seal(uint8_t *bytes, size_t size)
{
    if (size > 4u && memcmp(bytes, "TPCS", 4) == 0) {
        seal_compact(bytes, size);
        return;
    }
    uint32_t bits = size > 32 ? bytes[TPI_CLIP_HEAD_BYTES + 2u] : 0;
    if (bits < TPI_CLIP_BLOCK_LOWEST || bits > TPI_CLIP_BLOCK_HIGHEST) bits = TPI_CLIP_BLOCK_LOWEST;
    for (size_t at = 0; at + (1u << bits) <= size; at += 1u << bits) {
        tpi_clip_head head;
        tpi_clip_read_head(bytes + at, &head);
        if (memcmp(bytes + at, "TPC", 3) == 0) tpi_clip_seal(bytes + at, 1u << bits, &head);
    }
}

void fuzz_tpc(const uint8_t *bytes, size_t size)
{
    uint8_t *sealed = malloc(size ? size : 1);
    if (!sealed) abort();
    memcpy(sealed, bytes, size);
    read_clip(bytes, size);
    fuzz_seal(sealed, size);
    read_clip(sealed, size);
    free(sealed);
}

void fuzz_tpc_flips(const uint8_t *bytes, size_t size)
{
    uint8_t *changed = malloc(size ? size : 1);
    if (!changed) abort();
    memcpy(changed, bytes, size);
    for (size_t cut = 0; cut < size; cut++) fuzz_tpc(bytes, cut);
    for (size_t bit = 0; bit < 8 * size; bit += fuzz_change_step()) {
        changed[bit / 8] ^= (uint8_t)(1u << bit % 8);
        fuzz_tpc(changed, size);
        changed[bit / 8] = bytes[bit / 8];
    }
    free(changed);
}

/* A clip that comes out of a packed one must be whole: it can be packed again. */
static void unpack(const uint8_t *bytes, size_t size)
{
    uint8_t *clip, *packed;
    size_t clip_size, packed_size, at;
    if (host_unpack(bytes, size, &clip, &clip_size, &at)) {
        if (clip) abort();
        return;
    }
    int code = host_pack(clip, clip_size, &packed, &packed_size);
    if (code == 0) free(packed);
    free(clip);
}

void fuzz_pack(const uint8_t *bytes, size_t size)
{
    uint8_t *sealed = malloc(size ? size : 1);
    if (!sealed) abort();
    memcpy(sealed, bytes, size);
    unpack(bytes, size);
    if (size >= HOST_PACK_HEAD_BYTES) {
        uint32_t left = (uint32_t)(size - HOST_PACK_HEAD_BYTES);
        uint32_t crc = tpi_crc32c(tpi_crc32c(0, sealed, 8), sealed + HOST_PACK_HEAD_BYTES, left);
        tpi_store_u32(sealed + 8, crc);
        unpack(sealed, size);
    }
    free(sealed);
}
