/* SPDX-License-Identifier: MIT
   tests/fuzz/fuzz.h - fuzz targets: each reader of untrusted bytes as a function that must survive
           any input.
   reads   any bytes      writes  nothing that stays
   memory  malloc         cost    bounded by the size of the input and by FUZZ_UNITS
   after   the entry point of libFuzzer, which AFL++ also supports */
#ifndef TIDEPOOL_FUZZ_H
#define TIDEPOOL_FUZZ_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define FUZZ_INPUT_MAX 65536u

typedef struct fuzz_target {
    const char *name; /* also the name of its corpus folder */
    void (*run)(const uint8_t *bytes, size_t size);
} fuzz_target;

extern const fuzz_target fuzz_targets[];
extern const size_t fuzz_target_count;

/* Replaces the contents of the file of that name. *stream, NULL at first, stays open: creating
   thousands of files would wait for the disk each time. */
void fuzz_leave(FILE **stream, const char *path, const uint8_t *bytes, size_t size);

/* Records of six bytes: the word of a definition to change, and its new value. Aborts if a promise
   of the header is broken. */
void fuzz_world(const uint8_t *bytes, size_t size);
void fuzz_bphys(const uint8_t *bytes, size_t size);
/* Verifies a .bphys file; a file in which no fault is found must be readable. */
void fuzz_verify(const uint8_t *bytes, size_t size);
/* Targets named *_changes and *_flips try every truncation, and every n-th change of each byte.
   Returns n: the environment variable FUZZ_CHANGES, 1 to 255, default 1 (every change). */
uint32_t fuzz_change_step(void);
/* The first change to try at a byte. It differs from byte to byte, so that each change is tried at
   some bytes. */
uint32_t fuzz_change_first(size_t byte);
/* Every truncation and every change of one byte; for files of some hundred bytes. */
void fuzz_bphys_changes(const uint8_t *bytes, size_t size);
/* Tables and files of other programs, each with the file name suffix of its format. */
void fuzz_csv(const uint8_t *bytes, size_t size);
void fuzz_csv_changes(const uint8_t *bytes, size_t size);
/* A table packed with gzip. Without zlib every input is refused. */
void fuzz_gzip(const uint8_t *bytes, size_t size);
void fuzz_zst(const uint8_t *bytes, size_t size);
void fuzz_gzip_changes(const uint8_t *bytes, size_t size);
void fuzz_pc2(const uint8_t *bytes, size_t size);
void fuzz_mdd(const uint8_t *bytes, size_t size);
void fuzz_pc2_changes(const uint8_t *bytes, size_t size);
void fuzz_mdd_changes(const uint8_t *bytes, size_t size);
void fuzz_dcd(const uint8_t *bytes, size_t size);
void fuzz_dcd_changes(const uint8_t *bytes, size_t size);
void fuzz_xtc(const uint8_t *bytes, size_t size);
void fuzz_xtc_changes(const uint8_t *bytes, size_t size);
void fuzz_gsd(const uint8_t *bytes, size_t size);
void fuzz_gsd_changes(const uint8_t *bytes, size_t size);
void fuzz_abc(const uint8_t *bytes, size_t size);
void fuzz_abc_changes(const uint8_t *bytes, size_t size);
void fuzz_usda(const uint8_t *bytes, size_t size);
void fuzz_usda_changes(const uint8_t *bytes, size_t size);
void fuzz_usdc(const uint8_t *bytes, size_t size);
void fuzz_usdc_changes(const uint8_t *bytes, size_t size);
void fuzz_prt(const uint8_t *bytes, size_t size);
void fuzz_bgeo(const uint8_t *bytes, size_t size);
void fuzz_bgeo_sc(const uint8_t *bytes, size_t size);
void fuzz_geo(const uint8_t *bytes, size_t size);
/* Reads the input unchanged, then with the checksums of all blocks corrected, so that the data
   behind them is tested, too. */
void fuzz_tpc(const uint8_t *bytes, size_t size);
/* Every truncation and every flip of one bit, each with and without corrected checksums. */
void fuzz_tpc_flips(const uint8_t *bytes, size_t size);
/* A packed clip, unchanged and with a correct checksum. */
void fuzz_pack(const uint8_t *bytes, size_t size);
/* The same bytes in a player, from mapped memory and through a read call that answers late. */
void fuzz_player(const uint8_t *bytes, size_t size);
/* One byte for the kind of cache; then changes of a packet of that kind: offset (2 bytes),
   operation, value. */
void fuzz_packet(const uint8_t *bytes, size_t size);
/* One byte for the kind, and whether there is an info file; then the files of a .bphys sequence,
   each after its length (2 bytes). */
void fuzz_sequence(const uint8_t *bytes, size_t size);
void fuzz_faces(const uint8_t *bytes, size_t size);
void fuzz_obj(const uint8_t *bytes, size_t size);
/* The same with the faces of a .ply file. */
void fuzz_mesh(const uint8_t *bytes, size_t size);
/* Levels in 2D: a drawing, or rows of tiles. */
void fuzz_level(const uint8_t *bytes, size_t size);
/* Levels of rooms, in both states. */
void fuzz_rooms(const uint8_t *bytes, size_t size);
/* Patches: the bytes unchanged, then with a good head and checksum. */
void fuzz_patches(const uint8_t *bytes, size_t size);
/* Corrects the checksums of all blocks. The block size is that of the first header, or the smallest
   if it is invalid. */
void fuzz_seal(uint8_t *bytes, size_t size);
void fuzz_scene(const uint8_t *bytes, size_t size);
void fuzz_ply(const uint8_t *bytes, size_t size);
void fuzz_vtk(const uint8_t *bytes, size_t size);
void fuzz_vtu(const uint8_t *bytes, size_t size);
void fuzz_vtp(const uint8_t *bytes, size_t size);
void fuzz_pvd(const uint8_t *bytes, size_t size);
void fuzz_npy(const uint8_t *bytes, size_t size);
void fuzz_lammps(const uint8_t *bytes, size_t size);
void fuzz_xyz(const uint8_t *bytes, size_t size);
/* Every truncation and every value of every byte, for a frame in any format that reads from memory
   (formats/numbered.h). */
void fuzz_pieces_changes(const uint8_t *bytes, size_t size);
void fuzz_npy_changes(const uint8_t *bytes, size_t size);
void fuzz_npz(const uint8_t *bytes, size_t size);
void fuzz_npz_changes(const uint8_t *bytes, size_t size);
/* Two bytes, little-endian: the decoded size; then the stream. The `_changes` targets try every
   truncation and every value of every byte. */
void fuzz_lzo1x(const uint8_t *bytes, size_t size);
void fuzz_lzo1x_changes(const uint8_t *bytes, size_t size);
/* The same, with the LZMA property byte after the size. */
void fuzz_lzma1(const uint8_t *bytes, size_t size);
void fuzz_lzma1_changes(const uint8_t *bytes, size_t size);
/* The same for zlib streams. */
void fuzz_inflate(const uint8_t *bytes, size_t size);
void fuzz_inflate_changes(const uint8_t *bytes, size_t size);
void fuzz_zstd(const uint8_t *bytes, size_t size);
/* Every truncation and every change of one byte; for inputs of some hundred bytes. */
void fuzz_zstd_changes(const uint8_t *bytes, size_t size);

#endif
