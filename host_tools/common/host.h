/* SPDX-License-Identifier: MIT
   host_tools/common/host.h - shared by all commands: exit codes, messages, options, output files
           that appear only when complete.
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
    HOST_DONE = 0,      /* success; diff: equal within the tolerance */
    HOST_DIFFERENT = 1, /* different, or verification found faults */
    HOST_USAGE = 2,
    HOST_BAD_INPUT = 3,
    HOST_IO = 4,
    HOST_OUT_OF_MEMORY = 5 /* not enough memory */
};

#define HOST_NO_OFFSET UINT64_MAX

/* Prints `tidepool: FILE:OFFSET: what is wrong` to standard error. OFFSET is a byte, for scenes a
   line; omitted for HOST_NO_OFFSET. Returns `code`, so that a caller can `return
   host_error(...)`. */
int host_error(int code, const char *file, uint64_t offset, const char *format, ...);
/* Prints a note in the same form; prints nothing after host_quiet(true). */
void host_note(const char *file, uint64_t offset, const char *format, ...);
/* A note about a defect that does not prevent reading, such as bytes after the end: convert
   continues, verify reports a fault. */
void host_doubt(const char *file, uint64_t offset, const char *format, ...);
void host_quiet(bool quiet);

/* A listener receives the errors, doubts and notes of its thread through `take`, instead of
   standard error, also after host_quiet: to count them, or to print them in another order.
   Listeners nest; the innermost one receives. `text` is valid during the call only. */
typedef enum host_kind {
    HOST_KIND_ERROR,
    HOST_KIND_IO,            /* an error: reading or writing failed */
    HOST_KIND_OUT_OF_MEMORY, /* an error: not enough memory */
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
/* Discards all messages until host_listen_end. */
void host_listen_to_nothing(host_listener *listener);

/* calloc with overflow check. NULL: too large, or not enough memory; never NULL for 0 items. */
void *host_allocate(size_t count, size_t item_size);
/* Makes sure that an array in malloc memory has a capacity above `count`; doubles *room if
   necessary. Returns the array, which may have moved. NULL: not enough memory; the old array
   remains valid. */
void *host_lengthen(void *array, size_t count, size_t *room, size_t item_size);
/* Prints "not enough memory for WHAT"; returns HOST_OUT_OF_MEMORY. */
int host_out_of_memory(const char *what);
/* Prints "NAME: cannot write" with the reason in errno; returns HOST_IO. */
int host_not_written(const char *name);
/* Formatted text in malloc memory; NULL: not enough memory. */
char *host_text(const char *format, ...);
/* Text as a JSON string with its quotes. */
void host_json_text(FILE *stream, const char *text);
/* If --help is among the arguments, prints the usage to standard output and returns true. */
bool host_help(int argc, char **argv, const char *usage);

/* Devices and pipes may never end: host_read_file refuses one with more bytes. */
#define HOST_STREAM_MAX (1u << 28)
/* Reads a whole file into malloc memory, with a zero byte after its end (not counted in *size); "-"
   is standard input. HOST_DONE, or an error was printed. */
int host_read_file(const char *path, uint8_t **bytes, size_t *size);
/* The same for an input that has a largest size, and may be packed with gzip. With more than `most`
   bytes: HOST_BAD_INPUT. `what` names it in that message: "a scene". */
int host_read_limited(const char *path, const char *what, size_t most, uint8_t **bytes,
                      size_t *size);

/* An output file that appears under its name only when complete: written under a temporary name in
   the same folder, renamed by host_output_close. Closing with keep = false, or never, leaves no
   file and overwrites none. "-": standard output. */
typedef struct host_output {
    FILE *stream;
    /* Of a file that is packed with gzip: the file itself. `stream` is its contents then, a file
       without a name, so that a writer can return to what it wrote. */
    FILE *packed;
    char *path;
    char *name; /* for messages */
    char *partial_path;
} host_output;
/* While true, what is opened for writing goes nowhere: no file, folder or standard output is
   written, so that writers only check what they are given. Outputs opened then are closed with
   keep = false, also those of a staging. */
void host_output_dry(bool dry);
bool host_output_is_dry(void);
/* "-" for other names of standard output such as /dev/stdout, which must not be replaced; otherwise
   the path itself. */
const char *host_output_path(const char *path);
/* How many bytes of a name may begin a temporary name, so that it is short enough for any file
   system; never splits a UTF-8 character. */
int host_name_start(const char *name);
/* Devices, pipes and other files that are not regular are written in place. A file whose name ends
   in .gz is packed when it is closed. */
int host_output_open(host_output *output, const char *path);
/* Opens a log to append in place: keeps its content, and closing never removes it. Created if it
   does not exist. */
int host_output_open_log(host_output *output, const char *path);
/* A temporary file beside `path`, to write and read, whose name is removed at once: even a killed
   program leaves nothing. NULL with errno set. */
FILE *host_contents(const char *path);
/* Makes it empty again. False with errno set. */
bool host_contents_empty(FILE *contents);
/* A file that will be moved to `name` later, and that is not packed; messages show `name`. */
int host_output_open_as(host_output *output, const char *path, const char *name);
/* HOST_DONE, or HOST_IO with the error printed, for a format that writes its header last: no file
   that cannot seek will do. */
int host_output_goes_back(const host_output *output);
int host_output_close(host_output *output, bool keep);
/* HOST_IO, and an error was printed, if something with this name cannot be replaced by a file. */
int host_check_target(const char *path);
/* Opens, writes and closes in one call. */
int host_write_file(const char *path, const void *bytes, size_t size);

/* Between begin and end SIGINT, SIGTERM and SIGHUP are delayed, so that partial files are removed
   first. Every loop that writes calls host_guard_check: after a signal it prints that the program
   was interrupted and returns HOST_IO. The outermost end delivers the signal. Guards nest. Each
   output file with a partial name has its own guard. */
void host_guard_begin(void);
int host_guard_check(const char *file);
void host_guard_end(void);

/* One long option of a command: `--name VALUE` or `--name` (value NULL when is_flag). Several rows
   with one name: the option may be repeated so often, and fills them in order. */
typedef struct host_option {
    const char *name; /* without the dashes */
    bool is_flag;
    const char *value; /* set by host_parse; "" for a flag that is given; NULL: not given */
} host_option;
/* Sets the values of options, NULL before the call, and collects the other arguments, at most
   positional_max. Unknown and repeated options, missing values and surplus arguments are usage
   errors that name the argument. */
int host_parse(const char *command, int argc, char **argv, host_option *options,
               size_t option_count, const char **positional, size_t positional_max,
               size_t *positional_count);
const char *host_option_value(const host_option *options, size_t option_count, const char *name);
/* Parse the whole text as a number. False: not a number, or out of range. */
bool host_parse_u32(const char *text, uint32_t *value);
bool host_parse_i32(const char *text, int32_t *value);
bool host_parse_f64(const char *text, double *value);
/* "5-20", "-10--2", or "7" for 7-7. False also if the first is above the last. */
bool host_parse_range(const char *text, int32_t *first, int32_t *last);

/* A progress bar on standard error: only on a terminal, not with quiet; honours NO_COLOR. */
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

/* Seconds of the monotonic clock. */
double host_seconds(void);
/* Processor time of the calling thread, seconds. */
double host_thread_seconds(void);

/* ---- letters and numbers */
static inline bool host_is_digit(char letter) { return letter >= '0' && letter <= '9'; }
/* The greatest common divisor; of 0 and a it is a. O(log) */
uint64_t host_greatest_divisor(uint64_t a, uint64_t b);

#endif
