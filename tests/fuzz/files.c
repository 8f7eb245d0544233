/* SPDX-License-Identifier: MIT
   tests/fuzz/files.c - fuzz targets for .bphys and .scene files: they are read or refused.
   reads   any bytes      writes  one file below build/fuzz, for readers that need a path
   memory  malloc         cost    O(bytes)
   after   own design */
#include "fuzz.h"
#include "common/scene.h"
#include "formats/bphys.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const fuzz_target fuzz_targets[] = {
    {"world", fuzz_world},
    {"bphys", fuzz_bphys},
    {"bphys_changes", fuzz_bphys_changes},
    {"verify", fuzz_verify},
    {"csv", fuzz_csv},
    {"csv_changes", fuzz_csv_changes},
    {"scene", fuzz_scene},
    {"lzo1x", fuzz_lzo1x},
    {"lzo1x_changes", fuzz_lzo1x_changes},
    {"lzma1", fuzz_lzma1},
    {"lzma1_changes", fuzz_lzma1_changes},
    {"zstd", fuzz_zstd},
    {"zstd_changes", fuzz_zstd_changes},
    {"gzip", fuzz_gzip},
    {"zst", fuzz_zst},
    {"gzip_changes", fuzz_gzip_changes},
    {"ply", fuzz_ply},
    {"vtk", fuzz_vtk},
    {"vtu", fuzz_vtu},
    {"vtp", fuzz_vtp},
    {"pvd", fuzz_pvd},
    {"npy", fuzz_npy},
    {"npz", fuzz_npz},
    {"npz_changes", fuzz_npz_changes},
    {"lammps", fuzz_lammps},
    {"xyz", fuzz_xyz},
    {"pieces_changes", fuzz_pieces_changes},
    {"npy_changes", fuzz_npy_changes},
    {"inflate", fuzz_inflate},
    {"inflate_changes", fuzz_inflate_changes},
    {"pc2", fuzz_pc2},
    {"mdd", fuzz_mdd},
    {"pc2_changes", fuzz_pc2_changes},
    {"mdd_changes", fuzz_mdd_changes},
    {"dcd", fuzz_dcd},
    {"dcd_changes", fuzz_dcd_changes},
    {"xtc", fuzz_xtc},
    {"xtc_changes", fuzz_xtc_changes},
    {"gsd", fuzz_gsd},
    {"gsd_changes", fuzz_gsd_changes},
    {"abc", fuzz_abc},
    {"abc_changes", fuzz_abc_changes},
    {"usda", fuzz_usda},
    {"usda_changes", fuzz_usda_changes},
    {"usdc", fuzz_usdc},
    {"usdc_changes", fuzz_usdc_changes},
    {"prt", fuzz_prt},
    {"bgeo", fuzz_bgeo},
    {"bgeo_sc", fuzz_bgeo_sc},
    {"geo", fuzz_geo},
    {"tpc", fuzz_tpc},
    {"tpc_flips", fuzz_tpc_flips},
    {"pack", fuzz_pack},
    {"player", fuzz_player},
    {"packet", fuzz_packet},
    {"sequence", fuzz_sequence},
    {"faces", fuzz_faces},
    {"obj", fuzz_obj},
    {"mesh", fuzz_mesh},
    {"level", fuzz_level},
    {"rooms", fuzz_rooms},
    {"patches", fuzz_patches},
};
const size_t fuzz_target_count = sizeof fuzz_targets / sizeof fuzz_targets[0];

/* A copy of exactly `size` bytes, so that a sanitizer reports a read beyond the end. */
static uint8_t *exact_copy(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (copy) memcpy(copy, bytes, size);
    return copy;
}

/* Reads the points of the bytes from a copy of exact size; true if they are valid. */
static bool read_bphys(const uint8_t *bytes, size_t size, host_frame *frame)
{
    size_t end = 0;
    uint8_t *copy = exact_copy(bytes, size);
    if (!copy) abort();
    memset(frame, 0, sizeof *frame);
    bool good = bphys_read("fuzz.bphys", copy, size, frame, &end) == HOST_DONE;
    if (good && end > size) abort(); /* claims to have used more bytes than there are */
    free(copy);
    return good;
}

/* Points that were read and written are read again unchanged. */
static void write_again(const host_frame *frame, uint32_t type, host_compression compression)
{
    host_frame again;
    size_t size = 0;
    uint8_t *bytes = bphys_encode(frame, type, compression, &size);
    if (!bytes || !read_bphys(bytes, size, &again)) abort();
    if (again.count != frame->count || again.streams != (frame->streams & again.streams)) abort();
    for (uint32_t s = 0; s < POINT_STREAMS && frame->count; s++)
        if (again.data[s] &&
            memcmp(again.data[s], frame->data[s], (size_t)frame->count * point_streams[s].bytes))
            abort();
    host_frame_free(&again);
    free(bytes);
}

void fuzz_bphys(const uint8_t *bytes, size_t size)
{
    host_frame frame;
    bphys_header header;
    if (!read_bphys(bytes, size, &frame)) return;
    if (bphys_read_header("fuzz.bphys", bytes, size, &header) != HOST_DONE) abort();
    bool is_smoke = header.type == POINT_SMOKE || header.type == POINT_SMOKE_HIGHRES;
    if (!is_smoke && frame.count <= 4096)
        write_again(&frame, header.type, (host_compression)(size % 4));
    if (is_smoke) free(bphys_describe_smoke(bytes, size));
    host_frame_free(&frame);
}

void fuzz_bphys_changes(const uint8_t *bytes, size_t size)
{
    host_frame frame;
    uint8_t *changed = exact_copy(bytes, size);
    if (!changed) abort();
    for (size_t cut = 0; cut < size; cut++)
        if (read_bphys(bytes, cut, &frame)) host_frame_free(&frame);
    for (size_t at = 0; at < size; at++)
        for (uint32_t change = fuzz_change_first(at); change < 256; change += fuzz_change_step()) {
            changed[at] = (uint8_t)(bytes[at] ^ change);
            if (read_bphys(changed, size, &frame)) host_frame_free(&frame);
            changed[at] = bytes[at];
        }
    free(changed);
}

void fuzz_leave(FILE **stream, const char *path, const uint8_t *bytes, size_t size)
{
    if (!*stream) *stream = fopen(path, "wb");
    if (!*stream) abort();
    rewind(*stream);
    if (fwrite(bytes, 1, size, *stream) != size || fflush(*stream) != 0) abort();
    if (ftruncate(fileno(*stream), (off_t)size) != 0) abort();
}

/* Also builds the world if it is small: a scene that parses must not make the runtime fail. */
void fuzz_scene(const uint8_t *bytes, size_t size)
{
    scene parsed;
    size_t needed = 0;
    char *text = calloc(size + 1, 1);
    if (!text) return;
    memcpy(text, bytes, size);
    if (scene_parse(&parsed, "fuzz.scene", "build/fuzz", text) == HOST_DONE) {
        if (scene_memory(&parsed, &needed) == HOST_DONE && needed <= 4u << 20) {
            void *block = aligned_alloc(16, (needed + 15u) / 16u * 16u);
            tp_world *world = NULL;
            tp_budget budget = {.units = 20000};
            if (block && scene_create_world(&parsed, block, needed, &world) == HOST_DONE) {
                scene_move(&parsed, world, 1);
                if (tp_frame(world, &budget, NULL) < TP_OK) abort();
            }
            free(block);
        }
        scene_free(&parsed);
    }
    free(text);
}
