/* SPDX-License-Identifier: MIT
   host_tools/formats/bphys.h - Blender point-cache files: header, bytes, names; inside of this folder and of verify.
   reads   bytes of one file, file names    writes  host_frame, bytes of one file
   memory  malloc                           cost    O(bytes)
   after   the layout that Blender's point caches have on disk */
#ifndef TIDEPOOL_BPHYS_H
#define TIDEPOOL_BPHYS_H
#include "formats.h"

#define BPHYS_HEADER_BYTES    20u
#define BPHYS_STREAMS         8u /* that records of points can have: the first ones of points.h */
#define BPHYS_FLAG_COMPRESS   0x00010000u
#define BPHYS_FLAG_EXTRA      0x00020000u
#define BPHYS_SECONDS_A_FRAME 0.04       /* of particle time, whatever the frame rate of the scene */
#define BPHYS_NEVER           1048574.0f /* Blender's last frame: the death of a point that outlives the sequence */
#define BPHYS_FRAME_MAX       999999     /* Blender reads six characters of a name */
#define BPHYS_POINTS_MAX      (1u << 26) /* of a system that we write: 768 MiB of info file */

typedef struct bphys_header {
    uint32_t type;    /* POINT_PARTICLES, ... */
    uint32_t flags;   /* BPHYS_FLAG_... */
    uint32_t count;   /* point records of this file */
    uint32_t streams; /* POINT_BIT mask */
    bool big_endian;
} bphys_header;

/* Checks the 20 bytes; `file` is for messages. HOST_DONE or HOST_BAD_INPUT with the error printed. */
int bphys_read_header(const char *file, const uint8_t *bytes, size_t size, bphys_header *header);
/* A whole file into points in ascending order, in whatever compression; a smoke file is measured and gives no points. `end`, unless NULL, gets the offset behind the last byte used (bytes
   beyond it mean nothing to Blender). */
int bphys_read(const char *file, const uint8_t *bytes, size_t size, host_frame *frame, size_t *end);
/* The same with the records as they are: neither put in order nor rid of padding. */
int bphys_read_records(const char *file, const uint8_t *bytes, size_t size, host_frame *frame, size_t *end);
/* How many all-zero records after the first one end a frame: Blender 3 and newer can write them as padding. */
uint32_t bphys_padding(const host_frame *frame);
/* The streams of a surface (type 5) from the first 28 bytes of its file; 0 when they do not tell. */
uint32_t bphys_surface_streams(const uint8_t *bytes, size_t size, bool big_endian);
/* What a smoke file holds, in words, in malloc memory. */
char *bphys_describe_smoke(const uint8_t *bytes, size_t size);
uint32_t bphys_load_u32(const uint8_t *at, bool big_endian);
/* Raises *index_end to the highest index + 1 of a compressed file, of which only the first block need be there. What is
   wrong is left for bphys_read to tell. */
void bphys_peek_index_end(const uint8_t *bytes, size_t size, const bphys_header *header, uint32_t *index_end);
/* The streams of the frame's mask in malloc memory; NULL when memory is short. Uncompressed it is the most portable form:
   no flags but extra data, records point by point. */
uint8_t *bphys_encode(const host_frame *frame, uint32_t type, host_compression compression, size_t *size);

/* <name>_<frame>[_<cache index>].bphys; the lengths are of the file name without its folder. */
typedef struct bphys_name {
    size_t name_length; /* of the base name, which may be empty */
    int32_t frame;
    char suffix[8]; /* "_00" or "" */
} bphys_name;
/* False for what Blender's naming rule does not make. */
bool bphys_parse_name(const char *file_name, bphys_name *parsed);
/* True when the base name is `wanted`, or what Blender makes of an object of that name: two upper-case hexadecimal digits a
   byte; of a byte from 128 on some versions make eight digits (FFFFFFC3), others only FF. */
bool bphys_name_fits(const char *name, const char *wanted);
/* The object's name from such a base name, in malloc memory, with ? for each byte that is lost; NULL when it is none. */
char *bphys_object_name(const char *name);
/* Where a sequence is or goes: "DIR/NAME", "DIR/NAME_*_00.bphys", "DIR/NAME_000001_00.bphys", "DIR/NAME.bphys". False
   when memory is short. The strings are malloc'd; `suffix` is NULL when the path does not tell it. */
typedef struct bphys_place {
    char *folder, *name, *suffix;
} bphys_place;
bool bphys_place_parse(const char *path, bphys_place *place);
void bphys_place_free(bphys_place *place);
/* "NAME_000012_00.bphys" in malloc memory; NULL when memory is short. */
char *bphys_file_name(const char *name, int32_t frame, const char *suffix);
/* "FOLDER/NAME_000012_00.bphys" in malloc memory; NULL when memory is short. */
char *bphys_path(const char *folder, const char *name, int32_t frame, const char *suffix);

/* The naming rule of .bphys files, without a context: base name, frame, cache index. */
bool bphys_rule(const char *file_name, const void *none, names_parts *parts);

/* ---- files of one folder that appear together or not at all (bphys_staging.c) */
typedef struct bphys_staging bphys_staging;
/* The frames of a sequence that new files take the place of, and whether its info file is among them. */
typedef struct bphys_range {
    int32_t first, last;
    bool info;
} bphys_range;
extern const bphys_range bphys_whole;
/* NULL with the error printed. The folder is made when only its last part is missing. Several may write to one sequence
   at the same time, each its own range. */
bphys_staging *bphys_staging_open(const char *folder, const char *name, const char *suffix,
                                  const bphys_range *range, int *code);
int bphys_staging_write(bphys_staging *staging, int32_t frame, const uint8_t *bytes, size_t size);
/* Replaces every file of the range by the staged ones, each at once; on an error the old files stay. Frees the staging. */
int bphys_staging_commit(bphys_staging *staging);
void bphys_staging_abandon(bphys_staging *staging);
/* A share of a sequence that others may have written to the same place. */
typedef struct bphys_share {
    char *folder, *name, *suffix;
    uint32_t type;
    bphys_range range;
    uint32_t points; /* of the mesh, or of the system; 0: not known yet */
    bool is_exact;   /* else the system may have more of them */
} bphys_share;
/* HOST_USAGE with the error printed when the files that are there and stay are of another type or number of points. */
int bphys_check_share(const bphys_share *share);
/* HOST_IO with the error printed when the folder, which must be there, holds something under the name of a frame of the
   sequence that no file can replace. */
int bphys_check_targets(const char *folder, const char *name, const char *suffix);

#define BPHYS_NOT_SEEN INT32_MIN /* the first frame of a point that is in none */
/* Birth, death and lifetime of a point that is in frames `first` (BPHYS_NOT_SEEN: in none) to `last` of a sequence that ends with
   `last_frame`: alive for birth <= frame < death. A point of the last frame outlives the sequence; one that is in no
   frame is never born. */
void bphys_times_from_presence(int32_t first, int32_t last, int32_t last_frame, float times[3]);

/* The step of the cache, as it rules which points Blender writes: the usual one, or the first where that is longer than
   usual steps above 1 (a cache baked straight to disk). */
int32_t bphys_presence_step(const int32_t *numbers, size_t count);
/* True when Blender's file of that frame, in a cache of that step, has a point with such times. */
bool bphys_is_present(const float times[3], double number, int32_t step);

/* ---- the rows of the registry's table (bphys_sequence.c, bphys_sink.c) */
bool bphys_recognises(const uint8_t *start, size_t size);
/* Finds the files that `path` names, without a look into them: folder, name, suffix and numbers of the sequence. */
int bphys_find_sequence(host_sequence *sequence, const char *path);
/* True when a file is of a sequence that the place names; by_object: the name of an object stands for what Blender makes of
   it, where no cache has that name itself. */
bool bphys_fits(const names_entry *entry, const bphys_place *place, bool by_object);
/* HOST_IO with the error printed: what the folder has instead. */
int bphys_not_found(const char *path, const names_list *list);
/* The path of one of its frames in malloc memory; NULL when memory is short. */
char *bphys_frame_path(const host_sequence *sequence, int32_t number);
/* Formats to read, never found but by --from: what their files hold cannot be told from the bytes. */
#define BPHYS_HEADERLESS_ROWS 3
extern const host_format bphys_headerless_rows[BPHYS_HEADERLESS_ROWS];
int bphys_open(host_sequence *sequence, const char *path);
/* host_format.find_times, where no info file tells them (bphys_lives.c). */
int bphys_find_times(host_sequence *sequence);
int bphys_load(host_sequence *sequence, size_t position, host_frame *frame);
void bphys_close(host_sequence *sequence);
int bphys_create(host_sink *sink, const char *path);
int bphys_create_at(host_sink *sink, const char *folder, const char *name, const char *suffix);
int bphys_encode_frame(const host_sink *sink, const host_frame *frame, uint8_t **bytes, size_t *size);
int bphys_put(host_sink *sink, const host_frame *frame, const uint8_t *bytes, size_t size);
int bphys_pass(host_sink *sink, const host_frame *frame);
int bphys_finish(host_sink *sink);
void bphys_abandon(host_sink *sink);
int bphys_verify(host_report *report, const char *path);
#endif
