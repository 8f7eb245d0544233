/* SPDX-License-Identifier: MIT
   tests/fuzz/tables.c - fuzz targets for formats of other programs: files are read or refused.
   reads   any bytes      writes  files below build/fuzz, for readers that need a path
   memory  malloc         cost    O(bytes); for all single-byte changes: O(256 * bytes) reads
   after   own design */
#include "fuzz.h"
#include "common/packing.h"
#include "formats/faces.h"
#include "formats/numbered.h"
#include <stdlib.h>
#include <string.h>

/* A frame that was accepted must be consistent. */
static void check_frame(const host_frame *frame)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    if (!indices) abort();
    for (uint32_t i = 1; i < frame->count; i++)
        if (indices[i] <= indices[i - 1]) abort();
    for (uint32_t s = POINT_LOCATION; s < POINT_STREAMS; s++)
        if ((frame->streams & POINT_BIT(s)) && !frame->data[s]) abort();
}

/* Opens a whole file by its path; its frames are found, read once, and some are read again. */
static void open_file(FILE **input, const char *path, const uint8_t *bytes, size_t size)
{
    host_sequence sequence;
    host_frame frame;
    fuzz_leave(input, path, bytes, size);
    if (host_sequence_open(&sequence, path, NULL) != HOST_DONE) return;
    for (size_t i = 0; i < sequence.frame_count && i < 4; i++) {
        if (host_sequence_load(&sequence, i, &frame) != HOST_DONE) continue;
        check_frame(&frame);
        host_frame_free(&frame);
    }
    if (host_sequence_sample(&sequence, 1.5, &frame) == HOST_DONE) host_frame_free(&frame);
    if (host_sequence_retime(&sequence, 25) == HOST_DONE && sequence.frame_count > 1 &&
        host_sequence_load(&sequence, 1, &frame) == HOST_DONE)
        host_frame_free(&frame);
    host_sequence_close(&sequence);
}

/* Each 16th input also packed with gzip: such a file is read or refused as the plain one is. */
static void open_packed(FILE **input, const char *path, const char *packed, const uint8_t *bytes,
                        size_t size)
{
#ifdef TIDEPOOL_ZLIB
    uint32_t sum = 0;
    size_t frames[2];
    host_sequence sequence;
    const host_format *format = host_format_by_ending(path);
    for (size_t i = 0; i < size; i++) sum = sum * 31 + bytes[i];
    bool is_plain = !packing_tail(path) && !packing_recognises(bytes, size);
    if (sum % 16 != 0 || !format->takes_gzip || !is_plain) return;
    fuzz_leave(input, packed, bytes, 0);
    FILE *from = fopen(path, "rb");
    if (!from || gzip_pack(from, *input, path) != HOST_DONE || fflush(*input) != 0) abort();
    fclose(from);
    for (int i = 0; i < 2; i++) {
        frames[i] = SIZE_MAX;
        if (host_sequence_open(&sequence, i ? packed : path, format) != HOST_DONE) continue;
        frames[i] = sequence.frame_count;
        host_sequence_close(&sequence);
    }
    if (frames[0] != frames[1]) abort();
#else
    (void)input, (void)path, (void)packed, (void)bytes, (void)size;
#endif
}

#define OPEN_FILE(word, ending)                                                                  \
    void fuzz_##word(const uint8_t *bytes, size_t size)                                          \
    {                                                                                            \
        static FILE *input, *packed;                                                             \
        open_file(&input, "build/fuzz/input" ending, bytes, size);                               \
        open_packed(&packed, "build/fuzz/input" ending, "build/fuzz/packed" ending ".gz", bytes, \
                    size);                                                                       \
    }

/* Bytes of a packed file: the text in it may be any. */
OPEN_FILE(gzip, ".csv.gz")
OPEN_FILE(zst, ".csv.zst")
OPEN_FILE(csv, ".csv")
OPEN_FILE(ply, ".ply")
OPEN_FILE(vtk, ".vtk")
OPEN_FILE(vtu, ".vtu")
OPEN_FILE(vtp, ".vtp")
OPEN_FILE(pvd, ".pvd")
OPEN_FILE(npy, ".npy")
OPEN_FILE(npz, ".npz")
OPEN_FILE(lammps, ".lammpstrj")
OPEN_FILE(xyz, ".xyz")
OPEN_FILE(prt, ".prt")
OPEN_FILE(bgeo, ".bgeo")
OPEN_FILE(bgeo_sc, ".bgeo.sc")
OPEN_FILE(geo, ".geo")
OPEN_FILE(pc2, ".pc2")
OPEN_FILE(mdd, ".mdd")
OPEN_FILE(dcd, ".dcd")
OPEN_FILE(gsd, ".gsd")
OPEN_FILE(abc, ".abc")
OPEN_FILE(usda, ".usda")
OPEN_FILE(usdc, ".usdc")
OPEN_FILE(xtc, ".xtc")

/* The faces of a mesh: each corner is a vertex, and the faces use all corners. */
void fuzz_faces(const uint8_t *bytes, size_t size)
{
    static FILE *input;
    const char *path = "build/fuzz/faces.obj";
    host_faces faces;
    fuzz_leave(&input, path, bytes, size);
    if (host_faces_option(&faces, path, host_format_named("abc")) == HOST_DONE) {
        uint64_t corners = 0;
        for (uint32_t f = 0; f < faces.face_count; f++) corners += faces.counts[f];
        if (corners != faces.corner_count || !faces.face_count) abort();
        for (uint32_t i = 0; i < faces.corner_count; i++)
            if (faces.corners[i] >= faces.vertex_count) abort();
    }
    host_faces_free(&faces);
}

/* Reads one frame from memory: a copy of exact size with the zero byte that the format may rely on.
   */
static void read_piece(const host_format *format, const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    host_frame frame;
    host_sequence teller = {.has_doubt = false}; /* receives notes and warnings */
    host_piece piece = {.path = "fuzz", .bytes = copy, .size = size, .line = 1, .teller = &teller};
    if (!copy) abort();
    memcpy(copy, bytes, size);
    copy[size] = 0;
    memset(&frame, 0, sizeof frame);
    if (format->read_piece(&piece, &frame) == HOST_DONE && piece_order(&piece, &frame) == HOST_DONE)
        check_frame(&frame);
    host_frame_free(&frame);
    free(teller.notes);
    free(copy);
}

/* Every truncation, and every value of every byte. */
void fuzz_pieces_changes(const uint8_t *bytes, size_t size)
{
    uint8_t *changed = malloc(size + 1);
    if (!changed) abort();
    for (size_t f = 0; f < host_format_count; f++) {
        const host_format *format = host_formats[f];
        if (!format->read_piece || !format->recognises(bytes, size)) continue;
        memcpy(changed, bytes, size);
        for (size_t cut = 0; cut <= size; cut++) read_piece(format, bytes, cut);
        for (size_t at = 0; at < size; at++) {
            for (uint32_t value = fuzz_change_first(at); value < 256; value += fuzz_change_step()) {
                changed[at] = (uint8_t)value;
                read_piece(format, changed, size);
            }
            changed[at] = bytes[at];
        }
    }
    free(changed);
}

static void file_changes(void (*run)(const uint8_t *, size_t), const uint8_t *bytes, size_t size)
{
    uint8_t *changed = malloc(size + 1);
    if (!changed) abort();
    memcpy(changed, bytes, size);
    for (size_t cut = 0; cut <= size; cut++) run(bytes, cut);
    for (size_t at = 0; at < size; at++) {
        for (uint32_t value = fuzz_change_first(at); value < 256; value += fuzz_change_step()) {
            changed[at] = (uint8_t)value;
            run(changed, size);
        }
        changed[at] = bytes[at];
    }
    free(changed);
}

void fuzz_gzip_changes(const uint8_t *bytes, size_t size) { file_changes(fuzz_gzip, bytes, size); }
void fuzz_csv_changes(const uint8_t *bytes, size_t size) { file_changes(fuzz_csv, bytes, size); }
void fuzz_npy_changes(const uint8_t *bytes, size_t size) { file_changes(fuzz_npy, bytes, size); }
void fuzz_npz_changes(const uint8_t *bytes, size_t size) { file_changes(fuzz_npz, bytes, size); }
void fuzz_pc2_changes(const uint8_t *bytes, size_t size) { file_changes(fuzz_pc2, bytes, size); }
void fuzz_dcd_changes(const uint8_t *bytes, size_t size) { file_changes(fuzz_dcd, bytes, size); }
void fuzz_gsd_changes(const uint8_t *bytes, size_t size) { file_changes(fuzz_gsd, bytes, size); }
void fuzz_abc_changes(const uint8_t *bytes, size_t size) { file_changes(fuzz_abc, bytes, size); }
void fuzz_usda_changes(const uint8_t *bytes, size_t size) { file_changes(fuzz_usda, bytes, size); }
void fuzz_usdc_changes(const uint8_t *bytes, size_t size) { file_changes(fuzz_usdc, bytes, size); }
void fuzz_xtc_changes(const uint8_t *bytes, size_t size) { file_changes(fuzz_xtc, bytes, size); }
void fuzz_mdd_changes(const uint8_t *bytes, size_t size) { file_changes(fuzz_mdd, bytes, size); }
