/* SPDX-License-Identifier: MIT
   tests/fuzz/fuzz.h - the readers of foreign bytes, each as a function that must survive anything.
   reads   any bytes      writes  nothing that stays
   memory  malloc         cost    bounded by the size of the input and by FUZZ_UNITS
   after   the entry point that libFuzzer and AFL++ agree on */
#ifndef TIDEPOOL_FUZZ_H
#define TIDEPOOL_FUZZ_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define FUZZ_INPUT_MAX 65536u

typedef struct fuzz_target {
    const char *name; /* also the folder of its corpus */
    void (*run)(const uint8_t *bytes, size_t size);
} fuzz_target;

extern const fuzz_target fuzz_targets[];
extern const size_t fuzz_target_count;

/* The file of that name holds these bytes and no others; *stream, NULL at first, stays open. Thousands of files that are
   cut to nothing, written and closed would each wait for the disk. */
void fuzz_leave(FILE **stream, const char *path, const uint8_t *bytes, size_t size);

/* Records of six bytes: which word of a definition, and its new value. Aborts when a promise of the header breaks. */
void fuzz_world(const uint8_t *bytes, size_t size);
void fuzz_bphys(const uint8_t *bytes, size_t size);
/* The checks of a .bphys file; what they find nothing wrong with must be readable. */
void fuzz_verify(const uint8_t *bytes, size_t size);
/* Targets named *_changes and *_flips try every truncation, and one of this many changes of each byte: the environment's
   FUZZ_CHANGES, 1 to 255, default 1 (every change). */
uint32_t fuzz_change_step(void);
/* The first change to try; differs from byte to byte, so that all changes are tried somewhere. */
uint32_t fuzz_change_first(size_t byte);
/* Every truncation and every change of one byte; for files of some hundred bytes. */
void fuzz_bphys_changes(const uint8_t *bytes, size_t size);
/* Tables, and files of other programs, each under the ending of its format. */
void fuzz_csv(const uint8_t *bytes, size_t size);
void fuzz_csv_changes(const uint8_t *bytes, size_t size);
void fuzz_pc2(const uint8_t *bytes, size_t size);
void fuzz_mdd(const uint8_t *bytes, size_t size);
void fuzz_pc2_changes(const uint8_t *bytes, size_t size);
void fuzz_mdd_changes(const uint8_t *bytes, size_t size);
void fuzz_prt(const uint8_t *bytes, size_t size);
void fuzz_bgeo(const uint8_t *bytes, size_t size);
void fuzz_geo(const uint8_t *bytes, size_t size);
/* As it is, and then with all checksums of its blocks put right, so that what they protect is looked at, too. */
void fuzz_tpc(const uint8_t *bytes, size_t size);
/* Every truncation and every change of one bit, each in both ways. */
void fuzz_tpc_flips(const uint8_t *bytes, size_t size);
/* The same bytes in a player, mapped and through a call that answers late. */
void fuzz_player(const uint8_t *bytes, size_t size);
/* A byte that says what kind of cache; then changes of a packet of that kind: place (2), how, value. */
void fuzz_packet(const uint8_t *bytes, size_t size);
/* A byte: of which kind, and whether there is an info file; then files of a .bphys sequence, each behind its length (2). */
void fuzz_sequence(const uint8_t *bytes, size_t size);
void fuzz_obj(const uint8_t *bytes, size_t size);
/* Puts the checksums right, of blocks as large as the first header says, or the smallest. */
void fuzz_seal(uint8_t *bytes, size_t size);
void fuzz_scene(const uint8_t *bytes, size_t size);
void fuzz_ply(const uint8_t *bytes, size_t size);
void fuzz_vtk(const uint8_t *bytes, size_t size);
void fuzz_npy(const uint8_t *bytes, size_t size);
void fuzz_lammps(const uint8_t *bytes, size_t size);
void fuzz_xyz(const uint8_t *bytes, size_t size);
/* All truncations and all values of all bytes; of a frame in any format that reads pieces (formats/numbered.h). */
void fuzz_pieces_changes(const uint8_t *bytes, size_t size);
void fuzz_npy_changes(const uint8_t *bytes, size_t size);
/* Two bytes, little-endian: how many bytes the stream should hold; then the stream. The others try all its truncations
   and all values of all its bytes. */
void fuzz_lzo1x(const uint8_t *bytes, size_t size);
void fuzz_lzo1x_changes(const uint8_t *bytes, size_t size);
/* The same, with the byte of LZMA's properties in between. */
void fuzz_lzma1(const uint8_t *bytes, size_t size);
void fuzz_lzma1_changes(const uint8_t *bytes, size_t size);
/* The same for zlib's streams. */
void fuzz_inflate(const uint8_t *bytes, size_t size);
void fuzz_inflate_changes(const uint8_t *bytes, size_t size);
void fuzz_zstd(const uint8_t *bytes, size_t size);
/* Every truncation and every change of one byte; for inputs of some hundred bytes. */
void fuzz_zstd_changes(const uint8_t *bytes, size_t size);

#endif
