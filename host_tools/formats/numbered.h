/* SPDX-License-Identifier: MIT
   host_tools/formats/numbered.h - formats without a sequence of their own: numbered files of one frame, and text files
           of several frames one after the other.
   reads   files named by a number at the end, before the ending    writes  the same, all or none of them
   memory  a name a file and 40 bytes a frame; the bytes of one frame    cost    O(bytes) to open, O(bytes of a frame) to load
   after   own design */
#ifndef TIDEPOOL_NUMBERED_H
#define TIDEPOOL_NUMBERED_H
#include "formats.h"

/* The bytes of one frame, for a format's read_piece. One zero byte follows them (not counted). */
struct host_piece {
    const char *path; /* for messages */
    const uint8_t *bytes;
    size_t size;
    uint64_t offset;       /* of the first byte in its file */
    uint64_t line;         /* number of the first line, for text */
    host_sequence *teller; /* decides over notes and doubts; NULL: they were told before */
    bool
        has_number; /* set by read_piece when the frame tells its number or step; else the file's name does */
    int64_t number;
};

/* Where the number of a file stands: NAME.0001.ply, NAME_1.ply, NAME0001.ply, 0001.ply, dump.100. */
typedef struct numbered_name {
    size_t before; /* length of what stands before the digits */
    size_t digits;
    int64_t number;
} numbered_name;
/* False when no digit stands before the ending (`ending`, else what follows the last dot), or more than 18. */
bool numbered_parse(const char *file_name, const char *ending, numbered_name *parsed);

/* The naming rule of numbered files: context is the ending that they must have. Hidden files fit no rule. */
bool numbered_rule(const char *file_name, const void *ending, names_parts *parts);

/* The files of a sequence, in order of their numbers. */
typedef struct numbered_files {
    char *folder;
    char *name;       /* what they have in common, without the separator before the number */
    names_list files; /* one of them without a number, or all alike */
    size_t given;     /* which of them the path names; SIZE_MAX: all alike */
} numbered_files;
/* What `path` names: a file, which stands for all that differ from it by the number only; DIR/NAME.*.ply; DIR/NAME.ply for
   the numbered files of that name, where no file has it; a folder with one sequence. HOST_DONE, or the error printed. */
int numbered_find(numbered_files *found, const char *path, const char *ending);
/* True when numbered_find would find something. */
bool numbered_exists(const char *path, const char *ending);
void numbered_files_free(numbered_files *found);

/* How the files of a sequence to be written are named: DIR/NAME.ply, DIR/NAME.0007.ply or DIR/NAME.*.ply: NAME.0001.ply and
   so on; DIR/NAME_*.ply: NAME_0001.ply; DIR/NAME7.ply: NAME7.0001.ply; a folder: options.name. */
typedef struct numbered_place {
    char *folder, *before, *after;
    char *file;  /* of a sequence that is one file */
    char *plain; /* its name, with the format's ending and no number: it goes when others come; or NULL */
    int width;
    bool has_star, has_files;
    int64_t first, last; /* the frames that new files take the place of */
} numbered_place;
bool numbered_place_parse(numbered_place *place, const char *path, const char *ending, const char *name);
/* New files take the place of all frames, or of those of a share. */
void numbered_place_limit(numbered_place *place, const host_sink_options *options);
void numbered_place_free(numbered_place *place);
/* A number as it is written here: with zeros up to the width, and none beyond it. */
bool numbered_has_width(const char *digits, size_t count, size_t width);
/* True for every file of the sequence at the place whose number is written as it is here, and for the file that OUT names: a
   host_staging_old. */
bool numbered_is_at(const char *file_name, const void *place);
/* HOST_IO with the error printed where a file is there that would be read as one of the sequence, but is not written as such,
   NAME.7.ply beside NAME.0007.ply, or beside a share a NAME.ply. `check` NULL: by numbered_is_at's rules. O(files) */
int numbered_check_place(numbered_place *place, names_visitor *check, void *context);
/* HOST_IO with the error printed, of such a file. */
int numbered_stranger(const char *folder, const char *file_name, const char *meaning);
/* HOST_USAGE with the error printed where OUT is no place for several files. */
int numbered_check_device(const numbered_place *place, const char *format);
/* Notes that a file of one frame stands beside numbered ones, ahead of which it is found. O(files) */
void numbered_note_others(numbered_place *place);

/* ---- calls of rows of the registry's table */
int numbered_open(host_sequence *sequence, const char *path);
int numbered_load(host_sequence *sequence, size_t position, host_frame *frame);
void numbered_close(host_sequence *sequence);
/* One file where the path has no star and the format holds several frames a file or the input has one; else numbered. */
int numbered_create(host_sink *sink, const char *path);
int numbered_write(host_sink *sink, const host_frame *frame);
int numbered_finish(host_sink *sink);
void numbered_abandon(host_sink *sink);

/* ---- for read_piece */
/* True when a host_doubt about the piece is to be told. */
static inline bool piece_doubts(const host_piece *piece)
{
    return piece->teller && host_sequence_doubts(piece->teller);
}
/* A host_note of what is left out of the piece, once a sequence for each text. */
void piece_note(const host_piece *piece, uint64_t at, const char *format, ...);
/* The error at the byte `at` of the piece; HOST_NO_OFFSET: none. */
int piece_error(const host_piece *piece, uint64_t at, const char *format, ...);
/* The same of text, with the number of its line: at a word of piece->bytes, and where one of its lines, counted from 0,
   begins. O(bytes) */
int piece_error_at(const host_piece *piece, const void *at, const char *format, ...);
int piece_error_line(const host_piece *piece, uint64_t line, const char *format, ...);
/* Room for `count` points with the streams of the mask, indices 0, 1, 2, ... */
int piece_frame(const host_piece *piece, host_frame *frame, uint64_t count, uint32_t streams);
/* Points in ascending order; an index that comes twice is an error. */
int piece_order(const host_piece *piece, host_frame *frame);

#endif
