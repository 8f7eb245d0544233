/* SPDX-License-Identifier: MIT
   host_tools/formats/formats.h - sequences of frames in any known file format: open, read, sample, write.
   reads   .bphys, .csv and what else has a row in formats.c    writes  the same, whole sequences or nothing
   memory  malloc; one frame at a time    cost    stated at each call
   after   own design; interpolation as Blender's point caches do it */
#ifndef TIDEPOOL_FORMATS_H
#define TIDEPOOL_FORMATS_H
#include "names.h"
#include "points.h"

typedef struct host_format host_format;
typedef struct host_report host_report; /* verify.h */
typedef struct activity activity;       /* activity.h */

/* ---- reading: a sequence knows which frames exist and loads each when asked. */
typedef struct host_sequence {
    const host_format *format;
    char *path;       /* as given, for messages */
    char *folder;     /* "." when none was given */
    char *name;       /* base name: without frame number, cache index and ending */
    char *suffix;     /* "_00", or "" for files without a cache index */
    uint32_t type;    /* POINT_PARTICLES, ... */
    uint32_t streams; /* all that any frame has */
    int32_t *numbers; /* of the frames that exist, ascending */
    size_t frame_count;
    bool leaves_out;      /* frames that cannot be read, told, instead of refusing all */
    size_t file_count;    /* 0: 1 */
    size_t extra_count;   /* frames with extra data: springs of a fluid, mean acceleration of a cloth */
    uint32_t point_count; /* of the whole system: from the info file, else highest index seen + 1 */
    bool has_info;        /* a frame-0 info file exists */
    float *times;         /* birth, death, lifetime of each point; NULL: not known */
    host_extra info_extra[EXTRA_TYPES]; /* of the info file */
    uint64_t byte_count;                /* of all files */
    uint64_t record_count;        /* of points that all files promise and have bytes for; 0: not known */
    const char *compression;      /* none, stored, light, heavy, zstd or mixed */
    double errors[POINT_STREAMS]; /* the most that a component is off, as the file states; 0: not at all */
    char *detail;                 /* what else `info` can say of it; NULL: nothing */
    char *json;                   /* the same as members of an object, each behind a comma and a blank */
    float velocity_factor;        /* applied to velocities when a frame is loaded; 1 after opening */
    uint32_t stride;              /* time steps a frame, for files that count those; 0: what they are apart */
    _Atomic bool has_doubt;       /* one was told: see host_sequence_doubts */
    uint64_t *notes;              /* hashes of those that were told: see host_sequence_notes */
    size_t note_count, note_room;
    int32_t *lost; /* frames left out by host_sequence_open_sound, whose damage was told */
    size_t lost_count, lost_room;
    void *state; /* the format's own */
} host_sequence;

/* Opens what `path` names; `format` NULL: found from the path. Errors are printed; then `sequence` is empty and need
   not be closed. O(files) for .bphys (20 bytes of each), O(bytes) for .csv. */
int host_sequence_open(host_sequence *sequence, const char *path, const host_format *format);
/* The same for whoever checks: frames and files that cannot be read are told and left out, where each stands alone. */
int host_sequence_open_sound(host_sequence *sequence, const char *path, const host_format *format);
/* The same as host_sequence_open with a stride. */
int host_sequence_open_steps(host_sequence *sequence, const char *path, const host_format *format,
                             uint32_t stride);
/* True when a host_doubt is to be told: the first of a sequence, of which damaged files mostly have one each, or with
   host_sequence_open_sound every one. */
bool host_sequence_doubts(host_sequence *sequence);
/* True when a note of this text was not told yet, while a format opens the sequence. */
bool host_sequence_notes(host_sequence *sequence, const char *text);
/* While a format opens it: this frame is left out. HOST_DONE or HOST_NO_ROOM. */
int host_sequence_lose(host_sequence *sequence, int64_t number);
void host_sequence_close(host_sequence *sequence);
/* While a format opens it: the system has as many points as the highest index of this frame tells. */
void host_sequence_note_points(host_sequence *sequence, const host_frame *frame);
/* The same, of one file that holds all frames, or - for standard input: its folder, its name without the ending. */
int host_sequence_take_names(host_sequence *sequence, const char *path);
/* The same, and opens it: a regular file, whose bytes are the sequence's. HOST_DONE or the error printed. */
int host_sequence_open_file(host_sequence *sequence, const char *path, FILE **stream);
/* Counts the frames of a format that tells times in seconds anew, at so many a second; others keep theirs. O(frames) */
int host_sequence_retime(host_sequence *sequence, double fps);
/* Births and deaths that opening does not tell but the frames do, into `times`, which stay NULL where a point is alive as
   long as it is present. For whoever interpolates, hides what is not alive, or writes births. O(bytes of all files) when
   they are not known yet. */
int host_sequence_find_times(host_sequence *sequence);
/* Loads the frame at `position` of `numbers` into `frame`, which host_frame_free frees. O(bytes of the file). */
int host_sequence_load(host_sequence *sequence, size_t position, host_frame *frame);
/* The points at any, also fractional, frame: the stored frame if there is one, else interpolated between its
   neighbours, else the last one before; before the first frame no points (particles) or the first frame (others).
   O(bytes of two files). */
int host_sequence_sample(host_sequence *sequence, double number, host_frame *frame);
/* Drops the points that are not yet born or already dead at the frame's number, where the times are known. */
int host_sequence_keep_alive(const host_sequence *sequence, host_frame *frame);
/* Birth and death of a point: of the frame's own TIMES, else of the sequence; false when neither knows. */
bool host_sequence_times(const host_sequence *sequence, const host_frame *frame, uint32_t position,
                         float times[3]);
/* What the points of a frame must have to be of use: to a format that is written, or to a command.
   */
typedef struct host_needs {
    uint32_t streams;    /* POINT_BIT mask; 0: any */
    bool takes_surfaces; /* of a painted surface any value will do: it has no location */
} host_needs;
/* Location, or else painted surfaces: what all files of points hold. */
extern const host_needs host_needs_location;
/* The needed streams that points with these streams lack; 0: none. */
uint32_t host_needs_lacks(const host_needs *needs, uint32_t type, uint32_t streams);
/* HOST_BAD_INPUT with the error printed for a sequence whose points lack what is needed, and for
   smoke, which has no points. `user` says in the message what needs it: ".ply files". */
int host_sequence_need(const host_sequence *sequence, const host_needs *needs, const char *user);
/* The same of one frame of the file `path`, also of one without points: its columns are needed. */
int host_frame_need(const host_frame *frame, uint32_t type, const host_needs *needs, const char *path,
                    const char *user);
/* True when this frame number has a frame of its own, with its position. O(log frames) */
bool host_sequence_find(const host_sequence *sequence, int32_t number, size_t *position);
/* Moves the points of `frame` on to `number`, between it and the later frame `after`; a point that `after` lacks stays as
   it is. O(points) */
void host_interpolate(const host_sequence *sequence, host_frame *frame, const host_frame *after,
                      double number);
/* The sequences that a path names: all of one format in a folder, else the path itself; `format` NULL: of the first
   format in the table that has any there. The paths are malloc'd one by one. HOST_DONE or an error already printed. */
int host_list(const char *path, const host_format *format, char ***paths, size_t *count);
void host_list_free(char **paths, size_t count);
/* Notes when the folder `path`, of which host_list found `found`, holds files of another format too. */
void host_list_note_others(const char *path, const char *found);
/* Of a folder that holds no .bphys, or of the named format when that does not open folders itself: its one sequence, in malloc
   memory, and its format; else *only is NULL. HOST_USAGE with the error printed when there are several, or other formats. */
int host_list_only(const char *path, const host_format **format, char **only);

/* How .bphys files are compressed, by the numbers of their blocks' codes. */
typedef enum host_compression {
    HOST_COMPRESSION_NONE,  /* any Blender reads it */
    HOST_COMPRESSION_LIGHT, /* LZO; up to Blender 4.5 */
    HOST_COMPRESSION_HEAVY, /* LZMA; up to Blender 4.5 */
    HOST_COMPRESSION_ZSTD,  /* from Blender 5.0 on */
    HOST_COMPRESSIONS
} host_compression;
/* "none", "light", "heavy", "zstd"; false for another text. */
bool host_compression_parse(const char *text, host_compression *compression);

/* ---- writing: frames in ascending order, then finish; anything else leaves no file and changes none. */
typedef enum host_encoding {
    ENCODING_DEFAULT, /* what the format's readers like best */
    ENCODING_ASCII,
    ENCODING_LITTLE, /* binary, least significant byte first */
    ENCODING_BIG
} host_encoding;
#define ENCODING_BIT(encoding) (1u << (encoding))
typedef struct host_sink_options {
    uint32_t type;                /* POINT_PARTICLES, ... */
    uint32_t streams;             /* all that any frame will have: the columns of a table */
    bool keep_times;              /* .bphys: keep TIMES in each frame, not only in the info file */
    bool keep_empty;              /* .bphys: a file for a frame without points too */
    host_compression compression; /* .bphys */
    const char *name;             /* base name when the path is a folder; NULL: "cache" */
    host_encoding encoding;
    uint32_t stride; /* time steps a frame, for files that count those; 0: 1 */
    double
        errors[POINT_STREAMS]; /* formats that take errors: bound of each component; 0: every bit is kept */
    uint32_t key_interval;     /* the same: frames from one restart to the next, at most 255; 0: the usual */
    uint32_t block_bytes;      /* the same: of a clip's blocks, a power of two; 0: the usual */
    uint32_t jobs;             /* the same: threads that encode; 0: 1 */
    bool
        goes_on; /* formats that are logs: in place, behind the frames that the file has, which are not written again */
    size_t frame_count;   /* of the whole input: a format of one file a frame writes 1 under its plain name */
    size_t write_count;   /* of those that will be written; 0: not known */
    double fps;           /* for times that a file tells in seconds; 0: the format's own */
    uint32_t point_count; /* of the whole system; 0: highest index seen + 1 */
    /* Of the input: bounds what is kept for every index. 0: no limit */
    uint64_t source_bytes;
    const host_extra *info_extra; /* .bphys: EXTRA_TYPES of them for the info file; NULL: none */
    const float *
        times; /* birth, death, lifetime of each of point_count points; NULL: from where points are present */
    bool
        is_share; /* formats of one file a frame: only the frames from share_first to share_last are replaced */
    bool has_info; /* of a share: it writes what belongs to the whole sequence, the info file */
    int32_t share_first, share_last;
} host_sink_options;
typedef struct host_sink {
    const host_format *format;
    const char *path; /* as opened, for messages; lent */
    host_sink_options options;
    void *state;
} host_sink;
/* HOST_BAD_INPUT with the error printed, and nothing begun, where options->streams lack what the
   format needs. */
int host_sink_open(host_sink *sink, const char *path, const host_format *format,
                   const host_sink_options *options);
int host_sink_write(host_sink *sink, const host_frame *frame);
/* The same in two parts: the frame is checked against what the format needs, and its bytes, in
   malloc memory, are made, on several threads at a time; then they are put in order. A format
   without bytes of its own for a frame gives NULL. */
int host_sink_encode(const host_sink *sink, const host_frame *frame, uint8_t **bytes, size_t *size);
int host_sink_put(host_sink *sink, const host_frame *frame, const uint8_t *bytes, size_t size);
/* Instead of writing it: a frame that another share writes, of which only the lives of its points count here. */
int host_sink_pass(host_sink *sink, const host_frame *frame);
/* Puts everything in place; on an error nothing. Frees the sink either way. */
int host_sink_finish(host_sink *sink);
/* Removes what was written so far. */
void host_sink_abandon(host_sink *sink);

/* ---- the registry: one row of `host_formats` a format */
typedef struct host_piece host_piece; /* numbered.h */
struct host_format {
    const char *name;        /* for --from and --to, and in reports */
    const char *ending;      /* ".csv" */
    const char *summary;     /* one line of help */
    bool speaks_bphys_units; /* velocities are stored in the unit of host_frame and the z axis points up */
    bool takes_stream;       /* "-" stands for standard input and output */
    bool has_files;          /* one file a frame: a share of the frames can be written beside others */
    bool has_files_by_star;  /* the same where the path has a * */
    bool loads_in_parallel;  /* `load` may run on several threads at a time */
    host_needs needs;        /* of each frame that is written; checked before the file is begun */
    bool takes_errors;       /* can keep values within an error bound, in groups of frames */
    bool is_log; /* what was written is whole at any time: a file that was cut can be gone on with */
    bool (*recognises)(const uint8_t *start, size_t size); /* from the first bytes of a file; never NULL */
    names_rule *
        rule; /* which files of a folder are one sequence, for an ending; NULL: each with the ending is one */
    int (*open)(host_sequence *sequence, const char *path);
    int (*load)(host_sequence *sequence, size_t position, host_frame *frame);
    void (*close)(host_sequence *sequence);
    int (*retime)(host_sequence *sequence, double fps); /* NULL unless a file tells times in seconds */
    int (*find_times)(host_sequence *sequence);         /* NULL: a point is alive where it is present */
    int (*create)(host_sink *sink, const char *path);   /* NULL: the format is only read */
    /* Either `write`, or `encode`, which only reads the sink, and `put`. */
    int (*write)(host_sink *sink, const host_frame *frame);
    int (*encode)(const host_sink *sink, const host_frame *frame, uint8_t **bytes, size_t *size);
    int (*put)(host_sink *sink, const host_frame *frame, const uint8_t *bytes, size_t size);
    int (*pass)(host_sink *sink, const host_frame *frame); /* NULL: nothing to remember of other shares */
    int (*finish)(host_sink *sink);
    void (*abandon)(host_sink *sink);
    /* Reports every rule that the files of `path` break; NULL: they are opened and loaded, and what that says is reported,
       with the values. HOST_DONE also with faults. */
    int (*verify)(host_report *report, const char *path);
    /* For `info`: fills in what opening does not find out, and `detail`. NULL: nothing. */
    int (*describe)(host_sequence *sequence);
    /* For `activity`: bits and keys of each frame, groups. NULL: its files do not tell what a frame had to store. */
    int (*count_keys)(host_sequence *sequence, activity *result);
    uint32_t streams;    /* that its files can hold; 0: all */
    const char *packing; /* how its files are packed, all of them; NULL: they are not, or opening tells */
    uint32_t encodings;  /* ENCODING_BIT mask of those it can be written in; 0: it has but one */
    /* The rest is for formats whose other calls are those of numbered.h, and may be NULL for others. */
    int (*read_piece)(host_piece *piece, host_frame *frame);
    int (*write_piece)(FILE *stream, const host_sink *sink, const host_frame *frame);
    /* Called for every line of a file, of which it sees the first bytes; *state, 0 at first, is its own. NULL: a file is
       one frame. */
    bool (*starts_piece)(const char *line, uint64_t *state);
    bool counts_steps; /* the numbers in its files are time steps, many to a frame */
};
extern const host_format *const host_formats[];
extern const size_t host_format_count;
/* NULL for a name or ending that no format has. */
const host_format *host_format_named(const char *name);
const host_format *host_format_by_ending(const char *path);
/* The format that the option --`option` of a command names; NULL when `name` is. HOST_DONE, or HOST_USAGE with the error
   printed. */
int host_format_option(const char *command, const char *option, const char *name, const host_format **format);
/* "bphys, csv": for messages and help; all, or those that are written. */
const char *host_format_list(bool to_write);
/* What an existing file holds, from its ending, else from its first bytes; a folder or a base name is .bphys.
   NULL with the error printed. */
const host_format *host_format_of(const char *path, int *code);

/* ---- a .bphys sequence fed by a running simulation */
typedef struct bphys_writer bphys_writer;
typedef struct bphys_writer_options {
    const char *folder; /* made when it does not exist, its parent must */
    const char *name;   /* base name: files are NAME_FFFFFF_00.bphys */
    double fps; /* frames per second of the world that is recorded: the files store velocity / (fps * 0.04) */
    bool y_up;  /* the world's y axis points up: (x, y, z) is stored as (x, -z, y), as Blender wants it */
} bphys_writer_options;
/* HOST_IO with the error printed when the folder, which must be there, holds something that the sequence cannot
   replace: to be told before hours of simulation. */
int bphys_writer_check(const bphys_writer_options *options);
/* NULL with the error printed and its exit code in *code. */
bphys_writer *bphys_writer_open(const bphys_writer_options *options, int *code);
/* The points of a recorded frame in the units and the order of a sequence, in malloc memory; arguments as below. HOST_DONE,
   or an error printed and nothing to free. O(count log count) */
int bphys_points(host_frame *points, const bphys_writer_options *options, int32_t frame, uint32_t count,
                 const uint32_t *ids, const float *positions, const float *velocities);
/* `frame` ascends from 1; `positions` and `velocities` (NULL: none) hold x, y, z each, velocities in units per second;
   `ids` below 2^26, in any order, no two alike. Without points no file is made. O(count log count) */
int bphys_writer_frame(bphys_writer *writer, int32_t frame, uint32_t count, const uint32_t *ids,
                       const float *positions, const float *velocities);
/* Writes the info file and puts the sequence in place, instead of an older one of that name. births_and_deaths: two
   frame numbers for each id below id_count; NULL: from where the ids were present. On an error nothing is left or
   changed. Frees the writer. */
int bphys_writer_close(bphys_writer *writer, const float *births_and_deaths, uint32_t id_count);
/* Removes what was written and frees the writer. */
void bphys_writer_abandon(bphys_writer *writer);

#endif
