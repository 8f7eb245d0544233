/* SPDX-License-Identifier: MIT
   tests/fuzz/sequences.c - fuzz target for frame sequences: births, deaths and interpolation
           between frames.
   reads   a byte: the kind; then files, each after its length in two bytes
   writes  build/fuzz/sequence/
   memory  malloc         cost    O(bytes)
   after   own design; a single file has neither neighbours nor births and deaths */
#include "fuzz.h"
#include "formats/formats.h"
#include "formats/verify.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SEQUENCE_FILES 4u

/* The first is the info file, which stores births and deaths, or a frame like the rest; the frame
   before the last is missing. */
static const char *const paths[] = {
    "build/fuzz/sequence/x_000000_00.bphys", "build/fuzz/sequence/x_000001_00.bphys",
    "build/fuzz/sequence/x_000002_00.bphys", "build/fuzz/sequence/x_000004_00.bphys"};

static void count_fault(host_report *report, const char *file, uint64_t offset, const char *text,
                        const char *effect)
{
    if (!report || !file || !*text || !*effect) abort();
    (void)offset;
}

static void check_frame(const host_sequence *sequence, const host_frame *frame)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    float times[3];
    for (uint32_t i = 0; indices && i < frame->count; i++) {
        if (i && indices[i] <= indices[i - 1]) abort();
        (void)host_sequence_times(sequence, frame, i, times);
    }
    for (uint32_t s = POINT_LOCATION; s < POINT_STREAMS; s++)
        if ((frame->streams & POINT_BIT(s)) && frame->count && !frame->data[s]) abort();
}

static void look(host_sequence *sequence)
{
    static const double numbers[] = {0, 1, 1.5, 3, 4, 9};
    host_frame frame;
    if (host_sequence_need(sequence, &(host_needs){0, true}, "the fuzzer") != HOST_DONE) return;
    (void)host_sequence_find_times(sequence);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (host_sequence_sample(sequence, numbers[i], &frame) != HOST_DONE) continue;
        check_frame(sequence, &frame);
        if (host_sequence_keep_alive(sequence, &frame) == HOST_DONE) check_frame(sequence, &frame);
        host_frame_free(&frame);
    }
}

/* Writes files from path `first` on until the bytes are used up; removes the remaining files. */
static void leave_files(const uint8_t *bytes, size_t size, uint32_t first)
{
    static FILE *files[SEQUENCE_FILES];
    for (uint32_t f = 0; f < SEQUENCE_FILES; f++) {
        if (f >= first && size >= 2) {
            size_t length = (size_t)(bytes[0] | bytes[1] << 8);
            if (length > size - 2) length = size - 2;
            fuzz_leave(&files[f], paths[f], bytes + 2, length);
            bytes += 2 + length;
            size -= 2 + length;
            continue;
        }
        if (files[f]) fclose(files[f]);
        files[f] = NULL;
        remove(paths[f]);
    }
}

void fuzz_sequence(const uint8_t *bytes, size_t size)
{
    static const char *const kinds[] = {NULL, "headerless-particles", "headerless-softbody",
                                        "headerless-cloth"};
    uint32_t kind = size ? bytes[0] : 0;
    const char *name = kinds[kind & 3u];
    host_sequence sequence;
    host_report report = {.take = count_fault};
    if (!size) return;
    mkdir("build/fuzz/sequence", 0777);
    leave_files(bytes + 1, size - 1, kind >> 2 & 1u);
    const host_format *format = name ? host_format_named(name) : NULL;
    if (host_sequence_open(&sequence, paths[1], format) == HOST_DONE) {
        look(&sequence);
        host_sequence_close(&sequence);
    }
    if (!name && size > 2 && host_verify(&report, "build/fuzz/sequence", NULL) != HOST_DONE)
        abort();
}
