/* SPDX-License-Identifier: MIT
   host_tools/formats/numbered.h - sequences of numbered files, and of frames one after the other in
           a file.
   reads   files with a number before the ending    writes  the same, all or none
   memory  names, 40 bytes per frame, one frame    cost    O(bytes) to open, O(bytes of a frame) to
           load
   after   own design */
#ifndef TIDEPOOL_NUMBERED_H
#define TIDEPOOL_NUMBERED_H
#include "formats.h"
#include "staging.h"

/* The bytes of one frame, for a format's read_piece. One zero byte follows them (not counted). */
struct host_piece {
    const char *path; /* for messages */
    const uint8_t *bytes;
    size_t size;
    uint64_t offset; /* of the first byte in its file */
    uint64_t line;   /* line number of the first byte, for text */
    /* prints notes and doubts once per sequence; NULL: they were printed before */
    host_sequence *teller;
    /* read_piece sets it when the frame stores its number or time step, and sets `number`.
       Otherwise the number comes from the file's name. */
    bool has_number;
    int64_t number;
    /* The same for a frame that stores both its time step and its frame number; 0: it does not. */
    int64_t frame_number;
};

/* The number in a file name: NAME.0001.ply, NAME_1.ply, NAME0001.ply, 0001.ply, dump.100. */
typedef struct numbered_name {
    size_t before; /* length of the prefix before the digits */
    size_t digits; /* number of digits */
    int64_t number;
} numbered_name;
/* Splits a name at the digits before its ending: `ending`, else the part after the last dot. False
   when there are no digits or more than 18. */
bool numbered_parse(const char *file_name, const char *ending, numbered_name *parsed);

/* The naming rule of numbered files, which must end in `ending`. Hidden files fit no rule. */
bool numbered_rule(const char *file_name, const void *ending, names_parts *parts);

/* The files of a sequence, sorted by number. */
struct numbered_files {
    char *folder;
    char *name;       /* their common prefix, without the separator before the number */
    names_list files; /* a single file without a number, or all numbered files */
    /* position of the file that the path names; SIZE_MAX: the path names no single file */
    size_t given;
};
/* Finds the files that `path` names:
   - a file: all files that differ from it in the number only;
   - DIR/NAME.*.ply: all files with a number in the place of the *;
   - DIR/NAME.ply, if there is no such file: the numbered files of that name;
   - a folder: its only sequence.
   HOST_DONE, or the error printed. */
int numbered_find(numbered_files *found, const char *path, const char *ending);
/* True when numbered_find would find a file. */
bool numbered_exists(const char *path, const char *ending);
void numbered_files_free(numbered_files *found);

/* Names of the files of a sequence that is written, by the path OUT:
     DIR/NAME.ply, DIR/NAME.0007.ply, DIR/NAME.*.ply    NAME.0001.ply, NAME.0002.ply, ...
     DIR/NAME_*.ply                                     NAME_0001.ply, ...
     DIR/NAME7.ply                                      NAME7.0001.ply, ...
     a folder                                           as NAME.ply, with options.name as the
     name */
typedef struct numbered_pattern {
    /* of the files; prefix and suffix of their names around the number */
    char *folder, *before, *after;
    char *file; /* path when the sequence is one file */
    /* file name without a number; numbered files replace this file. NULL: none */
    char *plain;
    int width;                /* digits of a number, at least */
    bool has_star, has_files; /* OUT has a *; numbered files exist */
    int64_t first, last;      /* the frames that are replaced */
} numbered_pattern;
bool numbered_pattern_parse(numbered_pattern *pattern, const char *path, const char *ending,
                            const char *name);
/* Sets the frames that are replaced: all, or those of a share. */
void numbered_pattern_limit(numbered_pattern *pattern, const host_sink_options *options);
void numbered_pattern_free(numbered_pattern *pattern);
/* True for a number as numbered_write writes it: leading zeros up to `width`, none in longer
   numbers. */
bool numbered_has_width(const char *digits, size_t count, size_t width);
/* A host_staging_old. True for every file of the sequence whose number is formatted as
   numbered_write does, and for the file `plain`. */
bool numbered_is_at(const char *file_name, const void *context);
/* HOST_IO with the error printed when the folder has a file that would be read as part of the new
   sequence but is not replaced by it: NAME.7.ply beside NAME.0007.ply, or NAME.ply beside a share.
   `check` is called for every file; NULL: by the rules of numbered_is_at. O(files) */
int numbered_check_pattern(numbered_pattern *pattern, names_visitor *check, void *context);
/* A numbered_check_pattern by these rules, then begins the files: NULL and the error printed. */
host_staging *numbered_begin_files(numbered_pattern *pattern, int *code);
/* Begins the file of a frame. HOST_DONE, or the error printed. */
int numbered_begin_file(host_staging *staging, const numbered_pattern *pattern,
                        const host_sink *sink, const host_frame *frame, host_output *output);
/* Prints the error about such a file and returns HOST_IO. */
int numbered_stranger(const char *folder, const char *file_name, const char *meaning);
/* HOST_USAGE with the error printed when OUT is a device or pipe, which cannot hold several
   files. */
int numbered_check_device(const numbered_pattern *pattern, const char *format);
/* Prints a note when numbered files exist beside the one file that is written: readers now find
   that file first. O(files) */
void numbered_note_others(numbered_pattern *pattern);

/* Writes the list of all files of the sequence, with the frame number as time. Call it when the new
   files are in place: the files of other shares are in the list, too. HOST_DONE, or the error
   printed. O(files) */
int numbered_write_list(const numbered_pattern *pattern, const host_format *format);
/* The list NAME.vtk.series. */
int series_write(const char *path, const names_list *files);

/* The box around the points of all frames that a sink writes, and the offsets of the places that
   hold it. */
typedef struct numbered_box_place {
    int64_t frame, offset;
} numbered_box_place;
typedef struct numbered_boxes {
    float low[3], high[3]; /* low above high: no point yet */
    numbered_box_place *places;
    size_t count, capacity;
    bool has_one; /* false for a device or a pipe, which cannot be written again */
} numbered_boxes;
void numbered_boxes_start(numbered_boxes *boxes, bool has_one);
/* For write_piece: writes three lines "LOW HIGH" of fixed width, the box around this frame's
   points. numbered_finish replaces them by the box of all frames. */
int numbered_write_box(const host_sink *sink, FILE *stream, const host_frame *frame);
/* numbered_write_box without the sink. */
int numbered_boxes_add(numbered_boxes *boxes, FILE *stream, const host_frame *frame);
/* Writes the box of all frames at the place `i`. False: the stream cannot be positioned. */
bool numbered_boxes_put(const numbered_boxes *boxes, FILE *stream, size_t i);

/* ---- functions for the table in formats.c */
int numbered_open(host_sequence *sequence, const char *path);
int numbered_load(host_sequence *sequence, size_t position, host_frame *frame);
void numbered_close(host_sequence *sequence);
/* Writes one file when the path has no * and either the format holds several frames per file or the
   input has one frame. Otherwise writes numbered files. */
int numbered_create(host_sink *sink, const char *path);
int numbered_write(host_sink *sink, const host_frame *frame);
int numbered_finish(host_sink *sink);
void numbered_abandon(host_sink *sink);

/* ---- for read_piece */
/* True when a host_doubt about the piece may be printed. */
static inline bool piece_doubts(const host_piece *piece)
{
    return piece->teller && host_sequence_doubts(piece->teller);
}
/* So many bytes of a packed file tell whether it is of its format, before memory is taken. */
enum { RECOGNISED_MAX = 4096 };

/* A host_note about data of the piece that is skipped. Each text is printed once per sequence. */
void piece_note(const host_piece *piece, uint64_t at, const char *format, ...);
/* Prints an error at byte `at` of the piece; HOST_NO_OFFSET: without a position. Returns
   HOST_BAD_INPUT. */
int piece_error(const host_piece *piece, uint64_t at, const char *format, ...);
/* The same for text, with the line number: at a word in piece->bytes, or at the start of line
   `line`, counted from 0 within the piece. O(bytes) */
int piece_error_at(const host_piece *piece, const void *at, const char *format, ...);
int piece_error_line(const host_piece *piece, uint64_t line, const char *format, ...);
/* Allocates a frame of `count` points with the streams of the mask and the indices 0, 1, 2, ... */
int piece_frame(const host_piece *piece, host_frame *frame, uint64_t count, uint32_t streams);
/* Sorts the points by index; an index that occurs twice is an error. */
int piece_order(const host_piece *piece, host_frame *frame);

#endif
