/* SPDX-License-Identifier: MIT
   host_tools/common/host.h - what every subcommand shares: exit codes, error lines, options, safe output files.
   reads   command lines, whole files      writes  files under their name only when complete
   memory  malloc, freed by the caller     cost    one pass over the bytes
   after   own design */
#ifndef TIDEPOOL_HOST_H
#define TIDEPOOL_HOST_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Exit codes of the program (part of its contract with scripts). */
enum {
    HOST_DONE = 0,      /* diff: equal within tolerance */
    HOST_DIFFERENT = 1, /* different, or verification found faults */
    HOST_USAGE = 2,
    HOST_BAD_INPUT = 3,
    HOST_IO = 4,
    HOST_NO_ROOM = 5 /* does not fit the given memory */
};

#define HOST_NO_OFFSET UINT64_MAX

/* Prints `tidepool: FILE:OFFSET: what is wrong` to standard error (OFFSET, the byte, is left out for HOST_NO_OFFSET; for
   scenes it is the line) and returns `code`, so that a caller can `return host_error(...)`. */
int host_error(int code, const char *file, uint64_t offset, const char *format, ...);
/* The same line for news that is no error; nothing after host_quiet(true). */
void host_note(const char *file, uint64_t offset, const char *format, ...);
/* A note of what no whole file has, such as bytes behind its end: a conversion goes on, a verification reports a fault. */
void host_doubt(const char *file, uint64_t offset, const char *format, ...);
void host_quiet(bool quiet);

/* While a thread listens, its errors, doubts and notes go to `take` instead of standard error, also after host_quiet: to be
   counted, or to be told in another order. The innermost listener hears them; `text` lasts as long as the call. */
typedef enum host_kind {
    HOST_KIND_ERROR,
    HOST_KIND_NO_ROOM, /* an error of the machine, not of a file: memory is short */
    HOST_KIND_DOUBT,
    HOST_KIND_NOTE
} host_kind;
typedef struct host_listener {
    void (*take)(struct host_listener *listener, host_kind kind, const char *file, uint64_t offset,
                 const char *text);
    struct host_listener *outer; /* set by host_listen_begin */
} host_listener;
void host_listen_begin(host_listener *listener);
void host_listen_end(void);
/* Begins to drop what is said, until host_listen_end. */
void host_listen_to_nothing(host_listener *listener);

/* calloc whose product is checked; NULL when it is too large or memory is short, never NULL for 0 items. */
void *host_allocate(size_t count, size_t item_size);
/* Room for one item more behind `count` of an array in malloc memory: the array itself, or a longer one in its place, of
   twice as many. NULL when memory is short; the array is still there then. */
void *host_lengthen(void *array, size_t count, size_t *room, size_t item_size);
/* Prints that memory is short for `what` and returns HOST_NO_ROOM. */
int host_no_room(const char *what);
/* Formatted text in malloc memory; NULL when memory is short. */
char *host_text(const char *format, ...);
/* Text as a JSON string with its quotes. */
void host_json_text(FILE *stream, const char *text);
/* True, with the usage on standard output, when --help is among the arguments of a command. */
bool host_help(int argc, char **argv, const char *usage);

/* Whole file into memory with malloc, one zero byte after its end (not counted); "-" is standard input. Returns
   HOST_DONE or an error already printed. */
int host_read_file(const char *path, uint8_t **bytes, size_t *size);

/* An output file that appears under its name only when complete: written beside it, renamed by host_output_close.
   Closing with keep = false, or never, leaves no file and overwrites none. "-" is standard output. */
typedef struct host_output {
    FILE *stream;
    char *path;
    char *name; /* for messages */
    char *partial_path;
} host_output;
/* "-" for the other names of standard output, which must not be replaced; else the path itself. */
const char *host_output_path(const char *path);
/* How many bytes of a name a temporary one may begin with, so that it is short enough for any file system: whole letters. */
int host_name_start(const char *name);
/* Devices, pipes and other things that are no regular files are written in place. */
int host_output_open(host_output *output, const char *path);
/* A log that is written on in place: what it holds stays, and closing never removes it. Made when it does not exist. */
int host_output_open_log(host_output *output, const char *path);
/* A file that will be moved to another place, of which messages speak. */
int host_output_open_as(host_output *output, const char *path, const char *name);
int host_output_close(host_output *output, bool keep);
/* HOST_IO with the error printed when something that no file can replace has that name. */
int host_check_target(const char *path);
/* One call for bytes that are ready. */
int host_write_file(const char *path, const void *bytes, size_t size);

/* Between begin and end SIGINT, SIGTERM and SIGHUP wait until what was begun is removed: every loop that writes asks
   check, which prints that it was interrupted and returns HOST_IO once a signal has come; the outermost end lets the
   signal have its effect. Guards nest. Output files under a partial name have one of their own. */
void host_guard_begin(void);
int host_guard_check(const char *file);
void host_guard_end(void);

/* One long option of a command: `--name VALUE` or `--name` (value NULL when is_flag). */
typedef struct host_option {
    const char *name; /* without the dashes */
    bool is_flag;
    const char *value; /* set by host_parse: last value given; "" for a given flag; NULL when absent */
} host_option;
/* Fills options and collects the other arguments (at most positional_max); unknown options, missing values and
   surplus arguments are usage errors that name the argument. */
int host_parse(const char *command, int argc, char **argv, host_option *options, size_t option_count,
               const char **positional, size_t positional_max, size_t *positional_count);
const char *host_option_value(const host_option *options, size_t option_count, const char *name);
/* Whole-string numbers; false when text is not one or is out of range. */
bool host_parse_u32(const char *text, uint32_t *value);
bool host_parse_i32(const char *text, int32_t *value);
bool host_parse_f64(const char *text, double *value);
/* "5-20", "-10--2", or "7" for 7-7; false when the first is above the last. */
bool host_parse_range(const char *text, int32_t *first, int32_t *last);

/* Progress on standard error, drawn only on a terminal and not with quiet; honours NO_COLOR. */
typedef struct host_progress {
    const char *label;
    uint64_t total;
    double started; /* s */
    double drawn;   /* s, of the last redraw */
    bool shown;
} host_progress;
void host_progress_start(host_progress *progress, const char *label, uint64_t total, bool quiet);
void host_progress_update(host_progress *progress, uint64_t done);
void host_progress_end(host_progress *progress);

/* Monotonic seconds, for bars and for what several threads do. */
double host_seconds(void);
/* Seconds of the processor that the calling thread has had: other programs on the machine do not count. */
double host_thread_seconds(void);

/* ---- letters and numbers */
static inline bool host_is_digit(char letter) { return letter >= '0' && letter <= '9'; }
/* Of 0 and a it is a. O(log) */
uint64_t host_greatest_divisor(uint64_t a, uint64_t b);

#endif
