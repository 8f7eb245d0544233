/* SPDX-License-Identifier: MIT
   tests/fuzz/verify.c - fuzz target for the verification of .bphys files: a file without faults can
           be read.
   reads   any bytes      writes  one file below build/fuzz/verify
   memory  malloc         cost    O(bytes)
   after   own design; verification itself must survive any input */
#include "fuzz.h"
#include "formats/bphys.h"
#include "formats/verify.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static uint64_t faults;

static void count_fault(host_report *report, const char *file, uint64_t offset, const char *text,
                        const char *effect)
{
    if (!report || !file || !*text || !*effect) abort();
    if (offset != HOST_NO_OFFSET && offset > FUZZ_INPUT_MAX + 64) abort(); /* outside the file */
    faults++;
}

static bool holds_points(const uint8_t *bytes, size_t size)
{
    bphys_header header;
    return bphys_read_header("fuzz.bphys", bytes, size, &header) == HOST_DONE &&
           header.type != POINT_SMOKE && header.type != POINT_SMOKE_HIGHRES &&
           header.type != POINT_DYNAMIC_PAINT;
}

void fuzz_verify(const uint8_t *bytes, size_t size)
{
    static const char path[] = "build/fuzz/verify/x_000001_00.bphys";
    static FILE *input;
    host_frame frame;
    host_report report = {.take = count_fault};
    mkdir("build/fuzz/verify", 0777);
    faults = 0;
    fuzz_leave(&input, path, bytes, size);
    if (host_verify(&report, path, NULL) != HOST_DONE || report.files != 1) abort();
    if (faults || !holds_points(bytes, size)) return;
    if (bphys_read("fuzz.bphys", bytes, size, &frame, NULL) != HOST_DONE) abort();
    host_frame_free(&frame);
}
