/* SPDX-License-Identifier: MIT
   tests/fuzz/neighbours.c - hostile files of other programs' formats, read as a conversion would read them.
   reads   any bytes      writes  one file a format below build/fuzz
   memory  malloc         cost    O(bytes), some frames of each
   after   own design */
#include "fuzz.h"
#include "formats/formats.h"

#define FRAMES_MAX 8u

/* The frames at both ends, and one between frames. */
static void read_file(const char *path)
{
    host_frame frame;
    host_sequence sequence;
    if (host_sequence_open(&sequence, path, NULL) != HOST_DONE) return;
    for (size_t i = 0; i < sequence.frame_count; i++) {
        if (i >= FRAMES_MAX && i + FRAMES_MAX < sequence.frame_count) continue;
        if (host_sequence_load(&sequence, i, &frame) == HOST_DONE) host_frame_free(&frame);
    }
    if (sequence.frame_count &&
        host_sequence_sample(&sequence, sequence.numbers[0] + 0.5, &frame) == HOST_DONE)
        host_frame_free(&frame);
    if (host_sequence_retime(&sequence, 25) == HOST_DONE && sequence.frame_count > 1 &&
        host_sequence_load(&sequence, 1, &frame) == HOST_DONE)
        host_frame_free(&frame);
    host_sequence_close(&sequence);
}

void fuzz_pc2(const uint8_t *bytes, size_t size)
{
    static FILE *input;
    fuzz_leave(&input, "build/fuzz/input.pc2", bytes, size);
    read_file("build/fuzz/input.pc2");
}

void fuzz_mdd(const uint8_t *bytes, size_t size)
{
    static FILE *input;
    fuzz_leave(&input, "build/fuzz/input.mdd", bytes, size);
    read_file("build/fuzz/input.mdd");
}

void fuzz_prt(const uint8_t *bytes, size_t size)
{
    static FILE *input;
    fuzz_leave(&input, "build/fuzz/input.prt", bytes, size);
    read_file("build/fuzz/input.prt");
}

void fuzz_bgeo(const uint8_t *bytes, size_t size)
{
    static FILE *input;
    fuzz_leave(&input, "build/fuzz/input.bgeo", bytes, size);
    read_file("build/fuzz/input.bgeo");
}

void fuzz_geo(const uint8_t *bytes, size_t size)
{
    static FILE *input;
    fuzz_leave(&input, "build/fuzz/input.geo", bytes, size);
    read_file("build/fuzz/input.geo");
}
