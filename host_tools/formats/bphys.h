/* SPDX-License-Identifier: MIT
   host_tools/formats/bphys.h - Blender point-cache files: header, bytes, names; used in this folder
           only.
   reads   bytes of one file, file names    writes  host_frame, bytes of one file
   memory  malloc                           cost    O(bytes)
   after   the layout of Blender's point caches on disk */
#ifndef TIDEPOOL_BPHYS_H
#define TIDEPOOL_BPHYS_H
#include "formats.h"

#define BPHYS_HEADER_BYTES 20u
/* Streams that a point record can have: the first ones of points.h. */
#define BPHYS_STREAMS       8u
#define BPHYS_FLAG_COMPRESS 0x00010000u
#define BPHYS_FLAG_EXTRA    0x00020000u
/* One frame is 0.04 s of particle time at any frame rate of the scene */
#define BPHYS_SECONDS_A_FRAME 0.04
/* Blender's last frame: the death of a point that outlives the sequence */
#define BPHYS_NEVER     1048574.0f
#define BPHYS_FRAME_MAX 999999 /* Blender reads six digits of a file name */
#define BPHYS_POINTS_MAX \
    (1u << 26) /* written systems have at most this many: 768 MiB of info file */

typedef struct bphys_header {
    uint32_t type;    /* POINT_PARTICLES, ... */
    uint32_t flags;   /* BPHYS_FLAG_... */
    uint32_t count;   /* number of point records in this file */
    uint32_t streams; /* POINT_BIT mask */
    bool big_endian;
} bphys_header;

/* Checks the 20 bytes; `file` is for messages. HOST_DONE, or HOST_BAD_INPUT with the error
   printed. */
int bphys_read_header(const char *file, const uint8_t *bytes, size_t size, bphys_header *header);
/* Reads a whole file, with any compression, into points sorted by index. Smoke files are measured
   only and give no points. *end (NULL: not wanted) becomes the offset after the last byte used;
   Blender ignores the bytes after it. */
int bphys_read(const char *file, const uint8_t *bytes, size_t size, host_frame *frame, size_t *end);
/* The same for an info file: `backing` is the number of bytes of the whole sequence, which limits
   the points that a compressed file may claim. 0: the bytes of this file. */
int bphys_read_backed(const char *file, const uint8_t *bytes, size_t size, uint64_t backing,
                      host_frame *frame, size_t *end);
/* The same with the records as stored: not sorted, padding not removed. */
int bphys_read_records(const char *file, const uint8_t *bytes, size_t size, host_frame *frame,
                       size_t *end);
/* Number of all-zero records at the end of a frame, the first record not counted. Blender 3 and
   newer can write them as padding. */
uint32_t bphys_padding(const host_frame *frame);
/* The streams of a painted surface (type 5) from the first 28 bytes of its file; 0 when these do
   not tell. */
uint32_t bphys_surface_streams(const uint8_t *bytes, size_t size, bool big_endian);
/* Describes a smoke file in words, in malloc memory. */
char *bphys_describe_smoke(const uint8_t *bytes, size_t size);
uint32_t bphys_load_u32(const uint8_t *at, bool big_endian);
/* Raises *index_end to the highest index + 1 of a compressed file; needs the bytes of the first
   block only. Errors are left for bphys_read to report. */
void bphys_peek_index_end(const uint8_t *bytes, size_t size, const bphys_header *header,
                          uint32_t *index_end);
/* Encodes the streams in the frame's mask, in malloc memory; NULL when memory is short. Without
   compression the file has the most portable form: no flag except extra data, one record per
   point. */
uint8_t *bphys_encode(const host_frame *frame, uint32_t type, host_compression compression,
                      size_t *size);

/* <name>_<frame>[_<cache index>].bphys; lengths refer to the file name without its folder. */
typedef struct bphys_name {
    size_t name_length; /* of the base name, may be 0 */
    int32_t frame;
    char suffix[8]; /* "_00" or "" */
} bphys_name;
/* False for a name that does not follow Blender's naming rule. */
bool bphys_parse_name(const char *file_name, bphys_name *parsed);
/* True when the base name is `wanted`, or Blender's name for an object called `wanted`: two
   upper-case hexadecimal digits per byte. For bytes from 128 on, some versions write eight digits
   (FFFFFFC3), others only FF. */
bool bphys_name_fits(const char *name, const char *wanted);
/* Decodes such a base name to the object's name, in malloc memory, with ? for each lost byte. NULL
   when the name is not of that form. */
char *bphys_object_name(const char *name);
/* A path to read or write a sequence: "DIR/NAME", "DIR/NAME_*_00.bphys", "DIR/NAME_000001_00.bphys"
   or "DIR/NAME.bphys". False when memory is short. The strings are malloc'd; `suffix` is NULL when
   the path has none. */
typedef struct bphys_pattern {
    char *folder, *name, *suffix;
} bphys_pattern;
bool bphys_pattern_parse(const char *path, bphys_pattern *pattern);
void bphys_pattern_free(bphys_pattern *pattern);
/* "NAME_000012_00.bphys" in malloc memory; NULL when memory is short. */
char *bphys_file_name(const char *name, int32_t frame, const char *suffix);
/* Size of a file; 0 when it is not there. */
uint64_t bphys_path_bytes(const char *path);
/* "FOLDER/NAME_000012_00.bphys" in malloc memory; NULL when memory is short. */
char *bphys_path(const char *folder, const char *name, int32_t frame, const char *suffix);

/* The naming rule of .bphys files: base name, frame, cache index. Needs no context. */
bool bphys_rule(const char *file_name, const void *none, names_parts *parts);

/* ---- staging: the files of a sequence appear together or not at all (bphys_staging.c) */
typedef struct bphys_staging bphys_staging;
/* The frames of a sequence that new files replace, and whether they replace its info file. */
typedef struct bphys_range {
    int32_t first, last;
    bool info;
} bphys_range;
extern const bphys_range bphys_whole;
/* NULL with the error printed. Creates the folder when only its last component is missing. Several
   processes may write to one sequence at a time, each its own range. */
bphys_staging *bphys_staging_open(const char *folder, const char *name, const char *suffix,
                                  const bphys_range *range, int *code);
int bphys_staging_write(bphys_staging *staging, int32_t frame, const uint8_t *bytes, size_t size);
/* Replaces the files of the range by the staged ones, each atomically; on an error the old files
   stay. Frees the staging. */
int bphys_staging_commit(bphys_staging *staging);
void bphys_staging_abandon(bphys_staging *staging);
/* A share (range of frames) of a sequence; other shares may already be in the same folder. */
typedef struct bphys_share {
    char *folder, *name, *suffix;
    uint32_t type;
    bphys_range range;
    uint32_t points; /* points of the mesh or of the system; 0: not known yet */
    bool is_exact;   /* false: the system may have more points */
} bphys_share;
/* HOST_USAGE with the error printed when the existing files that stay have another type or number
   of points. */
int bphys_check_share(const bphys_share *share);
/* HOST_IO with the error printed when an entry of the folder, which must exist, has the name of a
   frame of the sequence and cannot be replaced by a file. */
int bphys_check_targets(const char *folder, const char *name, const char *suffix);

#define BPHYS_NOT_SEEN INT32_MIN /* first frame of a point that is in no frame */
/* Birth, death and lifetime of a point that is in the frames `first` to `last` of a sequence that
   ends with `last_frame`: alive for birth <= frame < death. A point of the last frame outlives the
   sequence. A point in no frame (first is BPHYS_NOT_SEEN) is never born. */
void bphys_times_from_presence(int32_t first, int32_t last, int32_t last_frame, float times[3]);

/* The cache step that decides which points Blender writes. It is the most common frame interval, or
   the first interval when the common one exceeds 1 and the first is longer (a cache baked straight
   to disk). */
int32_t bphys_presence_step(const int32_t *numbers, size_t count);
/* True when Blender's file of frame `number`, in a cache of that step, contains a point with these
   times. */
bool bphys_is_present(const float times[3], double number, int32_t step);

/* ---- functions of the format's row in formats.c (bphys_sequence.c, bphys_sink.c) */
bool bphys_recognises(const uint8_t *start, size_t size);
/* Finds the files that `path` names without opening them: sets folder, name, suffix and numbers of
   the sequence. */
int bphys_find_sequence(host_sequence *sequence, const char *path);
/* True when a file belongs to a sequence that `pattern` names. by_object: its name is an object
   name, to be used when no cache has that name itself. */
bool bphys_fits(const names_entry *entry, const bphys_pattern *pattern, bool by_object);
/* HOST_IO with the error printed, which lists the sequences that the folder has. */
int bphys_not_found(const char *path, const names_list *list);
/* The path of the file of a frame, in malloc memory; NULL when memory is short. */
char *bphys_frame_path(const host_sequence *sequence, int32_t number);
/* Read-only formats, used only when named by --from, because the bytes of their files do not tell
   what they hold. */
#define BPHYS_HEADERLESS_ROWS 3
extern const host_format bphys_headerless_rows[BPHYS_HEADERLESS_ROWS];
int bphys_open(host_sequence *sequence, const char *path);
/* host_format.find_times: estimates the times from the frames when no info file has them
   (bphys_lives.c). */
int bphys_find_times(host_sequence *sequence);
int bphys_load(host_sequence *sequence, size_t position, host_frame *frame);
/* The bytes of a file that a conversion to .bphys without compression would not change, and of its
   frame the number, the streams, and the indices only. HOST_DIFFERENT, with nothing to free: it
   would change, or holds values that are not finite. HOST_DONE, or the error printed. O(bytes) */
int bphys_copy(const host_sequence *sequence, size_t position, host_frame *frame, uint8_t **bytes,
               size_t *size);
void bphys_close(host_sequence *sequence);
int bphys_create(host_sink *sink, const char *path);
int bphys_create_at(host_sink *sink, const char *folder, const char *name, const char *suffix);
int bphys_encode_frame(const host_sink *sink, const host_frame *frame, uint8_t **bytes,
                       size_t *size);
int bphys_put(host_sink *sink, const host_frame *frame, const uint8_t *bytes, size_t size);
int bphys_pass(host_sink *sink, const host_frame *frame);
int bphys_finish(host_sink *sink);
void bphys_abandon(host_sink *sink);
int bphys_verify(host_report *report, const char *path);
int bphys_check_sizes(host_sequence *sequence);
#endif
