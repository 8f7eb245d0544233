/* SPDX-License-Identifier: MIT
   host_tools/formats/formats.h - sequences of frames in any known file format: open, load, sample,
           write.
   reads   all formats in the table of formats.c    writes  the same: whole sequences or nothing
   memory  malloc; one frame at a time    cost    stated at each call
   after   own design; interpolation as in Blender's point caches */
#ifndef TIDEPOOL_FORMATS_H
#define TIDEPOOL_FORMATS_H
#include "names.h"
#include "points.h"

typedef struct host_format host_format;
typedef struct host_faces host_faces;   /* faces.h */
typedef struct host_report host_report; /* verify.h */
typedef struct activity activity;       /* activity.h */

/* ---- reading: opening finds the frame numbers; each frame is loaded on demand */
typedef struct host_sequence {
    const host_format *format;
    char *path;       /* as given to open, for messages */
    char *folder;     /* "." when the path has none */
    char *name;       /* base name, without frame number, cache index and file ending */
    char *suffix;     /* "_00", or "" for files without a cache index */
    uint32_t type;    /* POINT_PARTICLES, ... */
    uint32_t streams; /* union of the streams of all frames */
    int32_t *numbers; /* numbers of the existing frames, ascending */
    size_t frame_count;
    /* True: unreadable frames are reported and skipped. False: the first one makes opening fail. */
    bool leaves_out;
    size_t file_count; /* files on disk; 0 means 1 */
    /* Number of frames with extra data (springs of a fluid, mean acceleration of a cloth). */
    size_t extra_count;
    /* points in the whole system: from the info file, else highest index + 1 */
    uint32_t point_count;
    bool has_info; /* a frame-0 info file exists */
    float *times;  /* birth, death and lifetime of each point; NULL: not known */
    host_extra info_extra[EXTRA_TYPES]; /* extra data of the info file */
    uint64_t byte_count;                /* size of all files together */
    /* Size of all files unpacked, of formats that may be packed with gzip; else 0. */
    uint64_t text_bytes;
    /* Point records in all files: the headers' counts, limited to what the files' sizes allow. 0:
       not known. */
    uint64_t record_count;
    /* "none", "stored", "light", "heavy", "zstd", "mixed", "zlib" or "gzip" */
    const char *compression;
    /* Largest error of each component, as stated in the file. 0: exact. */
    double errors[POINT_STREAMS];
    char *detail; /* extra text for `info`; NULL: none */
    /* The same as JSON members, each preceded by ", ". */
    char *json;
    float velocity_factor; /* multiplies velocities when a frame is loaded; 1 after opening */
    /* Time steps per frame, for files numbered by time step. 0: the common interval of the steps in
       the files. */
    uint32_t stride;
    /* Names of the columns of a table without a header line; NULL: it has one. */
    const char *columns;
    /* The object of an archive of several: its path, or its name if only one has it. NULL: the only
       one. */
    const char *object;
    /* Only the frames around this one are wanted: what describes all files may describe those. */
    const double *near;
    _Atomic bool has_doubt; /* a doubt was reported: see host_sequence_doubts */
    uint64_t *notes;        /* hashes of the notes already printed: see host_sequence_notes */
    size_t note_count, note_capacity;
    int32_t *lost; /* frames skipped by host_sequence_open_sound; their damage was reported */
    size_t lost_count, lost_room;
    double fps;     /* frames per second, of files whose velocities are per second; 0: not known */
    char up_axis;   /* 'y' or 'z', of files that state it; 0: not stated */
    bool has_faces; /* the points are the vertices of a mesh, whose faces are not read */
    void *state;    /* private data of the format */
} host_sequence;

/* Opens the sequence that `path` names. `format` NULL: the format is found from the path. On an
   error, which is printed, `sequence` is empty and need not be closed. O(files) for .bphys (20
   bytes of each), O(bytes) for .csv. */
int host_sequence_open(host_sequence *sequence, const char *path, const host_format *format);
/* The same for verification: damaged frames and files are reported and skipped, and opening
   succeeds. Only frames that can be skipped alone are. */
int host_sequence_open_sound(host_sequence *sequence, const char *path, const host_format *format);
/* What a user says about a sequence; see the members of host_sequence. */
typedef struct host_hints {
    uint32_t stride;
    const char *columns, *object;
    const double *near; /* only the frames around this one are wanted; NULL: all */
} host_hints;
/* host_sequence_open with hints. */
int host_sequence_open_hinted(host_sequence *sequence, const char *path, const host_format *format,
                              const host_hints *hints);
/* True when a host_doubt may be printed: only the first of a sequence, because damaged files
   usually have one each; after host_sequence_open_sound every one. */
bool host_sequence_doubts(host_sequence *sequence);
/* For a format's open: true when no note with this text was printed yet for this sequence. */
bool host_sequence_notes(host_sequence *sequence, const char *text);
/* For a format's open: records that frame `number` is skipped. HOST_DONE or HOST_OUT_OF_MEMORY. */
int host_sequence_lose(host_sequence *sequence, int64_t number);
void host_sequence_close(host_sequence *sequence);
/* For a format's open: raises point_count to the highest index of this frame + 1. */
void host_sequence_note_points(host_sequence *sequence, const host_frame *frame);
/* For a format's open: numbers frame_count frames by their time steps, as in dumps of LAMMPS:
   frame 1 is step 0, and the following frames are a stride of steps apart: sequence->stride,
   `apart`, or if both are 0 the common interval of the steps. If steps do not ascend, frames count
   from 1, with a note. HOST_DONE, or the error printed. O(frames) */
int host_sequence_number_steps(host_sequence *sequence, const int64_t *steps, int64_t apart);
/* For a format's open: sets folder, name and suffix from the path of a file that holds all frames,
   or from "-" (standard input). */
int host_sequence_take_names(host_sequence *sequence, const char *path);
/* The same, and opens the file, which must be a regular one; sets byte_count. HOST_DONE or the
   error printed. */
int host_sequence_open_file(host_sequence *sequence, const char *path, FILE **stream);
/* Recomputes frame numbers at `fps` frames per second, for formats that store times in seconds;
   others are unchanged. O(frames) */
int host_sequence_retime(host_sequence *sequence, double fps);
/* Fills `times` from the frames where opening did not find births and deaths. They stay NULL when
   every point is alive exactly in the frames that contain it. Needed to interpolate, to hide points
   that are not alive, and to write births. O(bytes of all files) when they are not known yet. */
int host_sequence_find_times(host_sequence *sequence);
/* Loads the frame at index `position` of `numbers`; free it with host_frame_free. O(bytes of the
   file) */
int host_sequence_load(host_sequence *sequence, size_t position, host_frame *frame);
/* The points at any frame number, also a fractional one:
   - the stored frame, if there is one;
   - between two stored frames: interpolated (for painted surfaces the later frame);
   - after the last frame: the last frame;
   - before the first frame: no points (particles) or the first frame (other types).
   O(bytes of two files) */
int host_sequence_sample(host_sequence *sequence, double number, host_frame *frame);
/* Removes the points that are not yet born or already dead at the frame's number, where the times
   are known. */
int host_sequence_keep_alive(const host_sequence *sequence, host_frame *frame);
/* Birth, death and lifetime of the point at `position`: from the frame's own TIMES, else from the
   sequence. False when neither has them. */
bool host_sequence_times(const host_sequence *sequence, const host_frame *frame, uint32_t position,
                         float times[3]);
/* The streams that a format or a command requires of each frame. */
typedef struct host_needs {
    uint32_t streams; /* POINT_BIT mask; 0: any */
    /* Points of a painted surface, which have no location, need any one surface stream */
    bool takes_surfaces;
} host_needs;
/* A location; for painted surfaces any surface stream. Every file of points has this. */
extern const host_needs host_needs_location;
/* Mask of the required streams that are missing; 0: none. */
uint32_t host_needs_lacks(const host_needs *needs, uint32_t type, uint32_t streams);
/* HOST_BAD_INPUT with the error printed when the sequence lacks a required stream, and for smoke,
   which has no points. `user` names in the message what needs it: ".ply files". */
int host_sequence_need(const host_sequence *sequence, const host_needs *needs, const char *user);
/* The same for one frame of the file `path`. A frame without points must have the streams too. */
int host_frame_need(const host_frame *frame, uint32_t type, const host_needs *needs,
                    const char *path, const char *user);
/* True when the z axis of the points points up: Blender's units, or a file that states it. In other
   formats the y axis does. */
bool host_sequence_is_z_up(const host_sequence *sequence);
/* True when a frame with this number is stored; sets its index in `numbers`. O(log frames) */
bool host_sequence_find(const host_sequence *sequence, int32_t number, size_t *position);
/* Advances the points of `frame` to `number`, which lies between it and the later frame `after`.
   Points missing from `after` do not change. O(points) */
void host_interpolate(const host_sequence *sequence, host_frame *frame, const host_frame *after,
                      double number);
/* Lists the sequences that a path names: in a folder all sequences of one format, else the path
   itself. `format` NULL: the first format of the table with files in the folder. Free with
   host_list_free. HOST_DONE or the error printed. */
int host_list(const char *path, const host_format *format, char ***paths, size_t *count);
void host_list_free(char **paths, size_t count);
/* The folder blendcache_NAME in which Blender keeps a bake: in the folder `path`, if that holds no
   sequence itself and one such folder. *found is in malloc memory, or NULL. HOST_DONE, or the error
   printed. */
int host_list_bake(const char *path, char **found);
/* Prints a note when the folder `path`, in which host_list found `found`, also holds files of
   another format. */
void host_list_note_others(const char *path, const char *found);
/* Finds the only sequence of a folder, for formats that do not open folders themselves. Sets *only
   to its path, in malloc memory, and *format; *only is NULL when `path` is no folder or the format
   opens folders (.bphys does). HOST_USAGE with the error printed when the folder has several
   sequences or files of several formats. */
int host_list_only(const char *path, const host_format **format, char **only);

/* Compression of .bphys files; the values are the codes of their blocks. */
typedef enum host_compression {
    HOST_COMPRESSION_NONE,  /* every Blender version reads it */
    HOST_COMPRESSION_LIGHT, /* LZO; up to Blender 4.5 */
    HOST_COMPRESSION_HEAVY, /* LZMA; up to Blender 4.5 */
    HOST_COMPRESSION_ZSTD,  /* from Blender 5.0 on */
    HOST_COMPRESSIONS,
    HOST_COMPRESSION_DEFLATE = HOST_COMPRESSIONS /* of formats with takes_deflate */
} host_compression;
/* Parses "none", "light", "heavy" or "zstd"; false for any other text. */
bool host_compression_parse(const char *text, host_compression *compression);

/* ---- writing: frames in ascending order, then finish. If a call fails, no file is created or
   changed. */
typedef enum host_encoding {
    ENCODING_DEFAULT, /* the encoding that most readers of the format support */
    ENCODING_ASCII,
    ENCODING_LITTLE, /* binary, least significant byte first */
    ENCODING_BIG,
    ENCODING_CLASSIC, /* geometry of Houdini 11 and earlier */
    ENCODING_JSON,    /* that of Houdini 12 and later */
    ENCODING_COUNT
} host_encoding;
#define ENCODING_BIT(encoding) (1u << (encoding))
/* By number, as --encoding names them; the first is "default". */
extern const char *const host_encoding_names[ENCODING_COUNT];
typedef struct host_sink_options {
    uint32_t type;                /* POINT_PARTICLES, ... */
    uint32_t streams;             /* union of the streams of all frames; the columns of a table */
    bool keep_times;              /* .bphys: keep TIMES in each frame, not in the info file only */
    bool keep_empty;              /* .bphys: write a file also for a frame without points */
    host_compression compression; /* .bphys; formats with takes_deflate: none or deflate */
    const char *name;             /* base name when the path is a folder; NULL: "cache" */
    host_encoding encoding;
    uint32_t stride; /* time steps per frame, for files numbered by time step; 0: 1 */
    /* Greatest common divisor of the distances between the frames; 0: not known, or one frame. */
    uint32_t frame_step;
    /* Formats with takes_errors: error bound of each component. 0: exact. */
    double errors[POINT_STREAMS];
    uint32_t key_interval; /* same formats: frames per restart group, at most 255; 0: default */
    uint32_t block_bytes;  /* same formats: size of a clip's blocks, a power of two; 0: default */
    uint32_t jobs;         /* same formats: encoder threads; 0: 1 */
    bool is_packed;        /* same formats: packed at the end, for storage */
    /* Formats with is_log: append to the existing file, in place; frames that it already has are
       not written again. */
    bool goes_on;
    /* Frames of the whole input. With 1, a format of one file per frame writes it without a number
       in its name. */
    size_t frame_count;
    size_t write_count;   /* frames that will be written; 0: not known */
    double fps;           /* for formats that store times in seconds; 0: the format's default */
    bool is_y_up;         /* the y axis of the points points up, for formats that state it */
    uint32_t point_count; /* points in the whole system; 0: highest index written + 1 */
    /* Size of the input, which limits the memory kept per index. 0: no limit. */
    uint64_t source_bytes;
    const host_faces *faces; /* formats with takes_faces: the points are its vertices; NULL: none */
    const host_extra *info_extra; /* .bphys: EXTRA_TYPES entries for the info file; NULL: none */
    /* Birth, death and lifetime of each of the point_count points. NULL: derived from the frames
       that contain a point. */
    const float *times;
    /* Formats of one file per frame: only the frames share_first to share_last are replaced. */
    bool is_share;
    /* of a share: it also writes the info file, which belongs to the whole sequence */
    bool has_info;
    int32_t share_first, share_last;
} host_sink_options;
typedef struct host_sink {
    const host_format *format;
    const char *path; /* as given to open, for messages; owned by the caller */
    host_sink_options options;
    void *state;
    char *made_folder; /* of the path; NULL: it was there */
} host_sink;
/* A folder that is missing is made if its parent exists, and removed when a call fails.
   HOST_BAD_INPUT with the error printed, and nothing created, when options->streams lack a stream
   that the format needs. */
int host_sink_open(host_sink *sink, const char *path, const host_format *format,
                   const host_sink_options *options);
int host_sink_write(host_sink *sink, const host_frame *frame);
/* host_sink_write in two parts. Encode checks the frame against the format's needs and makes its
   bytes, in malloc memory; several threads may encode at a time. Put writes them, in frame order.
   *bytes is NULL for formats that make no bytes per frame. */
int host_sink_encode(const host_sink *sink, const host_frame *frame, uint8_t **bytes, size_t *size);
int host_sink_put(host_sink *sink, const host_frame *frame, const uint8_t *bytes, size_t size);
/* Instead of writing: a frame that another share writes. Only the lifetimes of its points are
   used. */
int host_sink_pass(host_sink *sink, const host_frame *frame);
/* For formats that cannot hold 0 frames: HOST_BAD_INPUT with the error printed if there are so
   many. `name`: of the file, for the message. */
int host_sink_check_frames(const char *name, uint64_t frames);
/* Moves the complete files to their final names; on an error none. Frees the sink in both cases. */
int host_sink_finish(host_sink *sink);
/* Removes everything written so far. */
void host_sink_abandon(host_sink *sink);

/* ---- the registry: one row of `host_formats` per format */
typedef struct host_piece host_piece;         /* numbered.h */
typedef struct numbered_files numbered_files; /* numbered.h */
struct host_format {
    const char *name;    /* for --from and --to, and in reports */
    const char *ending;  /* ".csv" */
    const char *summary; /* one line of help */
    /* velocities are in the unit of host_frame, and the z axis points up */
    bool speaks_bphys_units;
    bool takes_stream; /* "-" means standard input or output */
    /* one file per frame: a share of the frames can replace the files of its own frames only */
    bool has_files;
    bool has_files_by_star; /* the same when the path contains a * */
    bool has_file_per_stream;
    bool loads_in_parallel; /* `load` may run on several threads at a time */
    /* Streams required of each written frame; checked before the file is created */
    host_needs needs;
    double fps; /* velocities are per second: frames per second where --fps is not given; 0: no */
    bool takes_blocks; /* its blocks may be compressed: HOST_COMPRESSION_LIGHT and the like */
    bool takes_errors; /* can store values within an error bound, in groups of frames */
    /* The file is valid after every written frame, so that a conversion that stopped can be
       continued. */
    bool is_log;
    /* Recognises a file by its first bytes; never NULL. */
    bool (*recognises)(const uint8_t *start, size_t size);
    /* True for other first bytes that it reads where it is named; NULL: there are none. */
    bool (*reads_too)(const uint8_t *start, size_t size);
    /* Naming rule that groups the files of a folder into sequences. NULL: each file with the ending
       is a sequence. */
    names_rule *rule;
    int (*open)(host_sequence *sequence, const char *path);
    int (*load)(host_sequence *sequence, size_t position, host_frame *frame);
    void (*close)(host_sequence *sequence);
    int (*retime)(host_sequence *sequence, double fps); /* NULL: files store no times in seconds */
    /* NULL: a point is alive where it is present */
    int (*find_times)(host_sequence *sequence);
    int (*create)(host_sink *sink, const char *path); /* NULL: the format is read-only */
    /* Either `write`, or both `encode`, which only reads the sink, and `put`. */
    int (*write)(host_sink *sink, const host_frame *frame);
    int (*encode)(const host_sink *sink, const host_frame *frame, uint8_t **bytes, size_t *size);
    int (*put)(host_sink *sink, const host_frame *frame, const uint8_t *bytes, size_t size);
    /* NULL: nothing is needed from the frames of other shares. */
    int (*pass)(host_sink *sink, const host_frame *frame);
    int (*finish)(host_sink *sink);
    void (*abandon)(host_sink *sink);
    /* Reports every rule of the format that the files of `path` break. HOST_DONE also when faults
       were found. NULL: the files are opened and loaded, and the errors and the values are
       reported. */
    int (*verify)(host_report *report, const char *path);
    /* For `info`: fills in the members that opening leaves unset, and `detail`. NULL: nothing to
       add. */
    int (*describe)(host_sequence *sequence);
    /* For `info`: prints an error for each file that ends inside its points. HOST_BAD_INPUT if one
       does. NULL: opening finds them. O(files) */
    int (*check_sizes)(host_sequence *sequence);
    /* For `activity`: bits and keys of each frame, groups. NULL: the files do not tell which keys a
       frame stores. */
    int (*count_keys)(host_sequence *sequence, activity *result);
    uint32_t streams; /* streams that the files can hold; 0: all */
    /* Compression of all files of the format. NULL: none, or set by `open`. */
    const char *packing;
    bool takes_faces;   /* the points may be written as the vertices of a mesh */
    bool takes_deflate; /* `create` can deflate the arrays of a file */
    bool takes_gzip;    /* files may be packed with gzip or Zstandard: NAME.csv.gz */
    /* ENCODING_BIT mask of the encodings that can be written; 0: only one exists */
    uint32_t encodings;
    /* The rest is for formats based on numbered.h, and NULL for others. */
    int (*read_piece)(host_piece *piece, host_frame *frame);
    int (*write_piece)(FILE *stream, const host_sink *sink, const host_frame *frame);
    /* True when a line begins a new frame. Called for every line of a file, with its first bytes;
       *state begins as 0 and belongs to the callee. NULL: each file is one frame. */
    bool (*starts_piece)(const char *line, uint64_t *state);
    bool counts_steps; /* files are numbered by time step, with several time steps per frame */
    /* The numbered files of a sequence are listed with their times in NAME + list_ending, as
       ParaView reads it. */
    const char *list_ending;
    int (*write_list)(const char *path, const names_list *files);
    /* A format of such lists: finds their files, and sets `name`. */
    int (*find)(numbered_files *found, const char *path);
};
extern const host_format *const host_formats[];
extern const size_t host_format_count;
/* Length of a path without its ending `ending`, one of the table, and without .gz or .zst after the
   ending of a format with takes_gzip. SIZE_MAX: it ends otherwise. */
size_t host_format_stem(const char *path, const char *ending);
/* NULL when no format has this name or ending. */
const host_format *host_format_named(const char *name);
const host_format *host_format_by_ending(const char *path);
/* Looks up the value `name` of the option --`option`; *format is NULL when `name` is. HOST_DONE, or
   HOST_USAGE with the error printed. */
int host_format_option(const char *command, const char *option, const char *name,
                       const host_format **format);
/* What the files can hold: POINT_BIT of streams, POINT_SURFACES, POINT_EXTRA. */
uint32_t host_format_holds(const host_format *format);
/* "bphys, csv", for messages and help: all formats, or those that can be written. */
const char *host_format_list(bool to_write);
/* The format of an existing file: by its ending, else by its first bytes. A folder or a base name
   is .bphys. NULL with the error printed. */
const host_format *host_format_of(const char *path, int *code);

/* ---- writing a .bphys sequence from a running simulation */
typedef struct bphys_writer bphys_writer;
typedef struct bphys_writer_options {
    const char *folder; /* created when missing; its parent must exist */
    const char *name;   /* base name: files are NAME_FFFFFF_00.bphys */
    /* Frames per second of the recorded world: the files store velocity / (fps * 0.04), of the
       vertices of a mesh velocity / fps. */
    double fps;
    /* The world's y axis points up: (x, y, z) is stored as (x, -z, y), Blender's z up. */
    bool y_up;
    bool is_mesh; /* the points are vertices of a cloth, of bphys_points also of a soft body */
} bphys_writer_options;
/* HOST_IO with the error printed when the folder, which must exist, holds an entry that the
   sequence cannot replace. Call it before a long simulation. */
int bphys_writer_check(const bphys_writer_options *options);
/* NULL with the error printed and its exit code in *code. */
bphys_writer *bphys_writer_open(const bphys_writer_options *options, int *code);
/* Converts a recorded frame to the units and the order of a sequence, in malloc memory. Arguments:
   see bphys_writer_frame. HOST_DONE, or the error printed and nothing to free. O(count log
   count) */
int bphys_points(host_frame *points, const bphys_writer_options *options, int32_t frame,
                 uint32_t count, const uint32_t *ids, const float *positions,
                 const float *velocities);
/* Adds the stream XCONST of a cloth: x, y, z per point, where a pinned one is held and others are
   at rest. HOST_DONE, or the error printed and the frame freed. */
int bphys_points_targets(host_frame *points, const bphys_writer_options *options,
                         const float *targets);
/* Adds the springs of a fluid, `count` elements of 16 bytes as tp_spring has them, as extra data in
   the order of their ends. HOST_DONE, or the error printed and the frame freed. */
int bphys_points_springs(host_frame *points, const void *springs, uint32_t count);
/* `frame` ascends from 1. `positions` and `velocities` (NULL: none) hold x, y, z each, velocities
   in units per second. `ids` are below 2^26, distinct, in any order. A frame without points makes
   no file. O(count log count) */
int bphys_writer_frame(bphys_writer *writer, int32_t frame, uint32_t count, const uint32_t *ids,
                       const float *positions, const float *velocities);
/* The same for a frame of bphys_points, which may have extra data. */
int bphys_writer_points(bphys_writer *writer, const host_frame *points);
/* Writes the info file and moves the sequence to its final names, replacing an older one of that
   name. `births_and_deaths`: two frame numbers for each id below id_count; NULL: derived from the
   frames that contain the ids. On an error no file is left or changed. Frees the writer. */
int bphys_writer_close(bphys_writer *writer, const float *births_and_deaths, uint32_t id_count);
/* Removes what was written and frees the writer. */
void bphys_writer_abandon(bphys_writer *writer);

#endif
