/* SPDX-License-Identifier: MIT
   host_tools/common/host.c - shared by all commands: messages, options, whole files, safe output
           files, the progress bar.
   reads   command lines, whole files      writes  files under their name only when complete
   memory  malloc, freed by the caller     cost    one pass over the bytes
   after   own design; POSIX for the clock, the terminal test and the process number */
#include "host.h"
#include "source.h"
#include "text.h"
#include "words.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool is_quiet;
static _Thread_local host_listener *listening;

void host_quiet(bool quiet) { is_quiet = quiet; }

void host_listen_begin(host_listener *listener)
{
    listener->outer = listening;
    listening = listener;
}

static void take_nothing(host_listener *listener, host_kind kind, const char *file, uint64_t offset,
                         const char *text)
{
    (void)listener;
    (void)kind;
    (void)file;
    (void)offset;
    (void)text;
}

void host_listen_to_nothing(host_listener *listener)
{
    listener->take = take_nothing;
    host_listen_begin(listener);
}

void host_listen_end(void) { listening = listening->outer; }

static void print_place(const char *file, uint64_t offset)
{
    fputs("tidepool: ", stderr);
    if (file) fprintf(stderr, "%s:", text_shown(file));
    if (file && offset != HOST_NO_OFFSET) fprintf(stderr, "%llu:", (unsigned long long)offset);
    if (file) fputc(' ', stderr);
}

static void print_line(const char *file, uint64_t offset, host_kind kind, const char *text)
{
    bool is_error = kind <= HOST_KIND_OUT_OF_MEMORY;
    if (!is_error && is_quiet) return;
    fflush(stdout); /* so that both streams appear in order on a terminal */
    print_place(file, offset);
    if (!is_error) fputs("note: ", stderr);
    fprintf(stderr, "%s\n", text);
}

/* Calls the listener with the outer one active, so that its own messages do not return to it. */
static void tell_listener(const char *file, uint64_t offset, host_kind kind, const char *text)
{
    host_listener *listener = listening;
    listening = listener->outer;
    listener->take(listener, kind, file, offset, text);
    listening = listener;
}

/* Without enough memory only the first 500 bytes are printed. */
static void tell(const char *file, uint64_t offset, host_kind kind, const char *format,
                 va_list arguments)
{
    char shorter[500];
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(shorter, sizeof shorter, format, again);
    va_end(again);
    char *longer = length >= (int)sizeof shorter ? malloc((size_t)length + 1) : NULL;
    if (longer) vsnprintf(longer, (size_t)length + 1, format, arguments);
    const char *text = text_make_readable(longer ? longer : shorter);
    if (listening)
        tell_listener(file, offset, kind, text);
    else
        print_line(file, offset, kind, text);
    free(longer);
}

int host_error(int code, const char *file, uint64_t offset, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(file, offset,
         code == HOST_OUT_OF_MEMORY ? HOST_KIND_OUT_OF_MEMORY
         : code == HOST_IO          ? HOST_KIND_IO
                                    : HOST_KIND_ERROR,
         format, arguments);
    va_end(arguments);
    return code;
}

void host_doubt(const char *file, uint64_t offset, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(file, offset, HOST_KIND_DOUBT, format, arguments);
    va_end(arguments);
}

void host_note(const char *file, uint64_t offset, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(file, offset, HOST_KIND_NOTE, format, arguments);
    va_end(arguments);
}

void *host_allocate(size_t count, size_t item_size)
{
    if (item_size && count > SIZE_MAX / item_size) return NULL;
    return calloc(count ? count : 1, item_size ? item_size : 1);
}

void *host_lengthen(void *array, size_t count, size_t *room, size_t item_size)
{
    size_t most = *room ? *room * 2 : 64;
    if (count < *room) return array;
    void *longer = most <= SIZE_MAX / 2 / item_size ? realloc(array, most * item_size) : NULL;
    if (longer) *room = most;
    return longer;
}

int host_out_of_memory(const char *what)
{
    return host_error(HOST_OUT_OF_MEMORY, NULL, HOST_NO_OFFSET, "not enough memory for %s", what);
}

int host_not_written(const char *name)
{
    return host_error(HOST_IO, name, HOST_NO_OFFSET, "cannot write: %s", strerror(errno));
}

char *host_text(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (!text) return NULL;
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

void host_json_text(FILE *stream, const char *text)
{
    fputc('"', stream);
    while (*text) {
        size_t bytes = text_letter_bytes(text);
        unsigned char letter = (unsigned char)*text;
        if (!bytes)
            fputs("\\ufffd", stream); /* the replacement character, for invalid UTF-8 */
        else if (letter == '"' || letter == '\\')
            fprintf(stream, "\\%c", letter);
        else if (!text_readable_bytes(text) && bytes < 3) /* below U+00A0 */
            fprintf(stream, "\\u%04x", bytes == 2 ? (unsigned char)text[1] : letter);
        else
            fwrite(text, 1, bytes, stream);
        text += bytes ? bytes : 1;
    }
    fputc('"', stream);
}

bool host_help(int argc, char **argv, const char *usage)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") != 0) continue;
        fputs(usage, stdout);
        return true;
    }
    return false;
}

/* ---- whole files */

/* The largest size of an input. `what` NULL: it limits devices and pipes only. */
typedef struct read_limit {
    const char *what;
    size_t most;
} read_limit;

static bool is_regular(FILE *stream, struct stat *status)
{
    return fstat(fileno(stream), status) == 0 && S_ISREG(status->st_mode);
}

/* Initial buffer size: a regular file and two bytes to detect its end. For pipes and growing files
   the buffer is doubled. */
static size_t first_room(FILE *stream, size_t most)
{
    struct stat status;
    bool is_known =
        is_regular(stream, &status) && status.st_size > 0 && (uint64_t)status.st_size <= most;
    return is_known ? (size_t)status.st_size + 2 : 1u << 16;
}

static int refuse_size(const char *path, const read_limit *limit)
{
    if (limit->what)
        return host_error(HOST_BAD_INPUT, path, HOST_NO_OFFSET,
                          "expected %s of at most %zu bytes, found more; name the file of %s",
                          limit->what, limit->most, limit->what);
    return host_error(
        HOST_IO, path, HOST_NO_OFFSET,
        "expected at most %zu bytes from a device or a pipe, found more; copy them to a file first",
        limit->most);
}

/* A packed file: at most `most` bytes are unpacked. */
static int read_packed(const char *path, const read_limit *limit, uint8_t **bytes, size_t *size)
{
    host_source source;
    int code = host_source_open(&source, path);
    if (code) return code;
    size_t room = 0, got = 0, used = 0;
    uint8_t *buffer = NULL;
    do {
        uint8_t *larger = host_lengthen(buffer, used + 1, &room, 1);
        code = larger ? HOST_DONE : host_out_of_memory(path);
        if (larger) buffer = larger;
        if (!code) code = host_source_read(&source, used, buffer + used, room - 1 - used, &got);
        used += got;
    } while (!code && used == room - 1 && used <= limit->most);
    host_source_close(&source);
    if (!code && used > limit->most) code = refuse_size(path, limit);
    if (code) {
        free(buffer);
        return code;
    }
    buffer[used] = 0;
    *bytes = buffer;
    *size = used;
    return HOST_DONE;
}

static int read_stream(FILE *stream, const char *path, const read_limit *limit, uint8_t **bytes,
                       size_t *size)
{
    struct stat status;
    size_t most = !limit->what && is_regular(stream, &status) ? SIZE_MAX / 2 - 2 : limit->most;
    size_t room = first_room(stream, most), used = 0;
    uint8_t *buffer = malloc(room);
    while (buffer) {
        used += fread(buffer + used, 1, room - 1 - used, stream);
        if (used < room - 1 || used > most) break;
        room = room < most / 2 ? room * 2 : most + 2;
        uint8_t *larger = realloc(buffer, room);
        if (!larger) free(buffer);
        buffer = larger;
    }
    if (!buffer) return host_out_of_memory(path);
    if (ferror(stream) || used > most) {
        int code = ferror(stream)
                       ? host_error(HOST_IO, path, used, "cannot read: %s", strerror(errno))
                       : refuse_size(path, limit);
        free(buffer);
        return code;
    }
    buffer[used] = 0;
    *bytes = buffer;
    *size = used;
    return HOST_DONE;
}

static int read_path(const char *path, const read_limit *limit, uint8_t **bytes, size_t *size)
{
    *bytes = NULL;
    *size = 0;
    if (strcmp(path, "-") == 0) return read_stream(stdin, "standard input", limit, bytes, size);
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return host_error(HOST_IO, path, HOST_NO_OFFSET, "cannot open: %s", strerror(errno));
    int code = read_stream(stream, path, limit, bytes, size);
    fclose(stream);
    return code;
}

int host_read_file(const char *path, uint8_t **bytes, size_t *size)
{
    return read_path(path, &(read_limit){NULL, HOST_STREAM_MAX}, bytes, size);
}

int host_read_limited(const char *path, const char *what, size_t most, uint8_t **bytes,
                      size_t *size)
{
    *bytes = NULL;
    *size = 0;
    if (packing_tail(path)) return read_packed(path, &(read_limit){what, most}, bytes, size);
    return read_path(path, &(read_limit){what, most}, bytes, size);
}

/* ---- safe outputs */

static bool is_dry;

void host_output_dry(bool dry) { is_dry = dry; }
bool host_output_is_dry(void) { return is_dry; }

/* Number of the descriptor if the path names one of this process (such as /dev/fd/3), otherwise -1.
   Such a file belongs to the program that opened it. */
static int descriptor_of(const char *path)
{
    static const char *const names[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    uint32_t number;
    for (int i = 0; i < 3; i++)
        if (strcmp(path, names[i]) == 0) return i;
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(folders[i]);
        if (strncmp(path, folders[i], length) == 0 && host_parse_u32(path + length, &number) &&
            number <= INT_MAX)
            return (int)number;
    }
    return -1;
}

const char *host_output_path(const char *path)
{
    return descriptor_of(path) == STDOUT_FILENO ? "-" : path;
}

int host_name_start(const char *name)
{
    enum { NAME_START = 200 };
    size_t length = strlen(name);
    if (length <= NAME_START) return (int)length;
    for (length = NAME_START;
         length > NAME_START - 4 && ((unsigned char)name[length] & 0xc0) == 0x80;)
        length--;
    return (int)length;
}

/* A device such as /dev/null must not be replaced by a file. True also for a name that is too long
   and for a ring of links: opening those fails now, not at the end. */
static bool written_in_place(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) return errno == ENAMETOOLONG || errno == ELOOP;
    return !S_ISREG(status.st_mode);
}

/* Creates a file under an unused temporary name: another machine may use the same folder and
   process number, and a killed program may have left a file. */
static FILE *create_partial(host_output *output, const char *path)
{
    struct stat status;
    bool is_new = stat(path, &status) != 0; /* an existing file keeps its access rights */
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    for (int attempt = 0; attempt < 1000; attempt++) {
        free(output->partial_path);
        output->partial_path = host_text("%.*s%.*s.%ld-%d.partial", (int)(file - path), path,
                                         host_name_start(file), file, (long)getpid(), attempt);
        if (!output->partial_path) return NULL;
        int descriptor =
            open(output->partial_path, O_WRONLY | O_CREAT | O_EXCL, is_new ? 0666 : 0600);
        if (descriptor >= 0 && !is_new) chmod(output->partial_path, status.st_mode & 0777);
        FILE *stream = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
        if (stream) return stream;
        if (descriptor >= 0) {
            close(descriptor);
            remove(output->partial_path);
            break;
        }
        if (errno != EEXIST) break;
    }
    int error = errno;
    free(output->partial_path); /* not created here, so it must not be removed */
    output->partial_path = NULL;
    errno = error;
    return NULL;
}

/* Follows links to the file that will be replaced, which need not exist, or to a descriptor. In
   malloc memory; NULL: not enough memory. */
static char *target_of(const char *path)
{
    enum { LINKS_MAX = 40, TARGET_BYTES = 4096 };
    char to[TARGET_BYTES];
    char *target = host_text("%s", path);
    for (int i = 0; i < LINKS_MAX && target && descriptor_of(target) < 0; i++) {
        ssize_t length = readlink(target, to, sizeof to);
        if (length <= 0 || length == (ssize_t)sizeof to) break; /* not a link */
        const char *slash = to[0] == '/' ? NULL : strrchr(target, '/');
        char *next =
            host_text("%.*s%.*s", slash ? (int)(slash + 1 - target) : 0, target, (int)length, to);
        free(target);
        target = next;
    }
    return target;
}

FILE *host_contents(const char *path)
{
    if (is_dry) return fopen("/dev/null", "w+b");
    for (int attempt = 0; attempt < 1000; attempt++) {
        const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
        char *name = host_text("%.*s%.*s.%ld-%d.contents", (int)(file - path), path,
                               host_name_start(file), file, (long)getpid(), attempt);
        int descriptor = name ? open(name, O_RDWR | O_CREAT | O_EXCL, 0600) : -1;
        FILE *stream = descriptor >= 0 ? fdopen(descriptor, "w+b") : NULL;
        bool is_taken = descriptor < 0 && errno == EEXIST;
        if (descriptor >= 0) remove(name);
        if (descriptor >= 0 && !stream) close(descriptor);
        free(name);
        if (!is_taken) return stream;
    }
    return NULL;
}

bool host_contents_empty(FILE *contents)
{
    if (fseeko(contents, 0, SEEK_SET) != 0) return false;
    return is_dry || ftruncate(fileno(contents), 0) == 0;
}

int host_output_open(host_output *output, const char *path)
{
    bool packs = packing_tail(path) > 0;
    int code = packing_check(path);
    memset(output, 0, sizeof *output);
    if (!code) code = host_output_open_as(output, path, path);
    if (code || !packs) return code;
    output->packed = output->stream;
    /* beside the file; not in the folder of a device or a pipe */
    output->stream = output->partial_path || is_dry ? host_contents(output->path) : tmpfile();
    if (output->stream) return HOST_DONE;
    code = host_error(HOST_IO, path, HOST_NO_OFFSET, "cannot create a temporary file: %s",
                      strerror(errno));
    host_output_close(output, false);
    return code;
}

int host_output_goes_back(const host_output *output)
{
    if (fseeko(output->stream, 0, SEEK_SET) == 0) return HOST_DONE;
    return host_error(HOST_IO, output->name, HOST_NO_OFFSET,
                      "cannot go back in it, but the header is written last; write a regular file");
}

static void open_stream(host_output *output)
{
    int descriptor = descriptor_of(output->path), copy = descriptor < 0 ? -1 : dup(descriptor);
    if (descriptor >= 0) {
        output->stream = copy < 0 ? NULL : fdopen(copy, "wb");
    } else if (written_in_place(output->path)) {
        output->stream = fopen(output->path, "wb");
    } else {
        host_guard_begin();
        output->stream = create_partial(output, output->path);
        if (!output->partial_path) host_guard_end(); /* no partial file: nothing to remove */
    }
}

int host_output_open_as(host_output *output, const char *path, const char *name)
{
    memset(output, 0, sizeof *output);
    bool is_standard = strcmp(path, "-") == 0;
    output->path = is_standard ? host_text("-") : target_of(path);
    is_standard = is_standard || (output->path && descriptor_of(output->path) == STDOUT_FILENO);
    output->name = host_text("%s", is_standard ? "standard output" : name);
    if (!output->name || !output->path) {
        host_output_close(output, false);
        return host_out_of_memory("a path");
    }
    if (is_dry)
        output->stream = fopen("/dev/null", "wb");
    else if (is_standard)
        output->stream = stdout;
    else
        open_stream(output);
    if (output->stream) return HOST_DONE;
    int code = host_error(HOST_IO, name, HOST_NO_OFFSET, "cannot create: %s", strerror(errno));
    host_output_close(output, false);
    return code;
}

int host_output_open_log(host_output *output, const char *path)
{
    memset(output, 0, sizeof *output);
    output->name = host_text("%s", path);
    output->path = host_text("%s", path);
    int code =
        output->name && output->path ? host_check_target(path) : host_out_of_memory("a path");
    if (!code) {
        output->stream = fopen(path, "r+b");
        if (!output->stream && errno == ENOENT) output->stream = fopen(path, "w+b");
        if (!output->stream) code = host_not_written(path);
    }
    if (code) host_output_close(output, false);
    return code;
}

/* Flushes and closes. False: a byte was lost. Standard output stays open. */
static bool finish_stream(host_output *output)
{
    if (!output->stream) return true;
    bool good = fflush(output->stream) == 0 && !ferror(output->stream);
    if (output->stream != stdout && fclose(output->stream) != 0) good = false;
    output->stream = NULL;
    return good;
}

/* Packs the contents into the file, which takes their place. */
static int pack_contents(host_output *output, bool keep)
{
    int code = HOST_DONE;
    FILE *contents = output->stream;
    if (keep && (fflush(contents) != 0 || ferror(contents))) code = host_not_written(output->name);
    if (keep && !code) code = packing_pack(contents, output->packed, output->name);
    if (contents) fclose(contents);
    output->stream = output->packed;
    return code;
}

int host_output_close(host_output *output, bool keep)
{
    const char *name = output->name;
    int code = output->packed ? pack_contents(output, keep) : HOST_DONE;
    keep = keep && !code;
    bool complete = finish_stream(output);
    if (keep && !complete) code = host_not_written(name);
    if (output->partial_path) {
        if (keep && complete) code = host_guard_check(name);
        bool renamed = keep && complete && !code && rename(output->partial_path, output->path) == 0;
        if (keep && complete && !code && !renamed)
            code = host_error(HOST_IO, name, HOST_NO_OFFSET, "cannot put the file in place: %s",
                              strerror(errno));
        if (!renamed) remove(output->partial_path);
        host_guard_end();
    }
    free(output->path);
    free(output->name);
    free(output->partial_path);
    memset(output, 0, sizeof *output);
    return code;
}

int host_check_target(const char *path)
{
    if (!written_in_place(path)) return HOST_DONE;
    return host_error(HOST_IO, path, HOST_NO_OFFSET, "cannot replace it: not a regular file");
}

int host_write_file(const char *path, const void *bytes, size_t size)
{
    host_output output;
    int code = host_output_open(&output, path);
    if (code) return code;
    if (size) fwrite(bytes, 1, size, output.stream);
    return host_output_close(&output, true);
}

/* ---- options */

/* The first row of the name without a value; else the last row. *rows: the number of its rows. */
static host_option *find_option(host_option *options, size_t count, const char *name, size_t length,
                                size_t *rows)
{
    host_option *found = NULL;
    *rows = 0;
    for (size_t i = 0; i < count; i++) {
        if (strlen(options[i].name) != length || strncmp(options[i].name, name, length) != 0)
            continue;
        if (!found || found->value) found = &options[i];
        ++*rows;
    }
    return found;
}

static int unknown_option(const char *command, const char *argument, size_t length,
                          const host_option *options, size_t count)
{
    enum { SHOWN_MAX = 64 };
    const char *names[SHOWN_MAX];
    char name[40];
    size_t shown = count < SHOWN_MAX ? count : SHOWN_MAX;
    for (size_t i = 0; i < shown; i++) names[i] = options[i].name;
    snprintf(name, sizeof name, "%.*s", (int)(length < 39 ? length : 39), argument + 2);
    const char *nearest = words_nearest(name, names, shown);
    if (!nearest)
        return host_error(HOST_USAGE, command, HOST_NO_OFFSET,
                          "unknown option %s; see tidepool %s --help", argument, command);
    return host_error(HOST_USAGE, command, HOST_NO_OFFSET,
                      "unknown option %s; did you mean --%s? See tidepool %s --help", argument,
                      nearest, command);
}

/* Parses `--name`, `--name VALUE` or `--name=VALUE` at argv[*at]; sets *at to the last argument
   that was used. */
static int parse_option(const char *command, int argc, char **argv, int *at, host_option *options,
                        size_t option_count)
{
    const char *argument = argv[*at], *name = argument + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    size_t rows;
    host_option *option = find_option(options, option_count, name, length, &rows);
    if (!option) return unknown_option(command, argument, length, options, option_count);
    if (option->value && rows > 1)
        return host_error(HOST_USAGE, command, HOST_NO_OFFSET, "--%s is given more than %zu times",
                          option->name, rows);
    if (option->value)
        return host_error(HOST_USAGE, command, HOST_NO_OFFSET, "--%s is given twice; give it once",
                          option->name);
    if (option->is_flag && equals)
        return host_error(HOST_USAGE, command, HOST_NO_OFFSET, "--%s takes no value", option->name);
    if (option->is_flag) {
        option->value = "";
    } else if (equals) {
        option->value = equals + 1;
    } else if (*at + 1 < argc && strncmp(argv[*at + 1], "--", 2) != 0) {
        option->value = argv[++*at];
    } else {
        return host_error(HOST_USAGE, command, HOST_NO_OFFSET,
                          "--%s needs a value; see tidepool %s --help", option->name, command);
    }
    return HOST_DONE;
}

int host_parse(const char *command, int argc, char **argv, host_option *options,
               size_t option_count, const char **positional, size_t positional_max,
               size_t *positional_count)
{
    bool options_end = false;
    *positional_count = 0;
    for (int i = 1; i < argc; i++) {
        if (!options_end && strcmp(argv[i], "--") == 0) {
            options_end = true;
        } else if (!options_end && argv[i][0] == '-' && argv[i][1] != 0) {
            if (argv[i][1] != '-')
                return host_error(
                    HOST_USAGE, command, HOST_NO_OFFSET,
                    "unknown option %s; options have two dashes (put -- before a name with a dash)",
                    argv[i]);
            int code = parse_option(command, argc, argv, &i, options, option_count);
            if (code) return code;
        } else if (*positional_count == positional_max) {
            return host_error(
                HOST_USAGE, command, HOST_NO_OFFSET,
                "one argument too many: %s (quote a pattern with *; see tidepool %s --help)",
                argv[i], command);
        } else {
            positional[(*positional_count)++] = argv[i];
        }
    }
    return HOST_DONE;
}

const char *host_option_value(const host_option *options, size_t option_count, const char *name)
{
    for (size_t i = 0; i < option_count; i++)
        if (strcmp(options[i].name, name) == 0) return options[i].value;
    return NULL;
}

/* Decimal digits only: no blanks, no sign, no base prefix. */
static text_word whole(const char *text) { return (text_word){text, strlen(text)}; }

bool host_parse_u32(const char *text, uint32_t *value)
{
    return host_is_digit(*text) && text_parse_u32(whole(text), value);
}

bool host_parse_i32(const char *text, int32_t *value) { return text_parse_i32(whole(text), value); }

bool host_parse_range(const char *text, int32_t *first, int32_t *last)
{
    char head[16];
    const char *dash = *text ? strchr(text + 1, '-') : NULL;
    size_t length = dash ? (size_t)(dash - text) : strlen(text);
    if (length >= sizeof head) return false;
    memcpy(head, text, length);
    head[length] = 0;
    if (!host_parse_i32(head, first)) return false;
    *last = *first;
    return (!dash || host_parse_i32(dash + 1, last)) && *first <= *last;
}

bool host_parse_f64(const char *text, double *value)
{
    double number;
    if (!text_parse_f64(whole(text), &number) || !isfinite(number)) return false;
    *value = number;
    return true;
}

/* ---- progress and clock */

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double host_seconds(void) { return seconds_of(CLOCK_MONOTONIC); }

double host_thread_seconds(void) { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

void host_progress_start(host_progress *progress, const char *label, uint64_t total, bool quiet)
{
    memset(progress, 0, sizeof *progress);
    progress->label = label;
    progress->total = total ? total : 1;
    progress->started = host_seconds();
    progress->shown = !quiet && isatty(STDERR_FILENO);
}

void host_progress_update(host_progress *progress, uint64_t done)
{
    enum { WIDTH = 32 };
    static const char full[WIDTH + 1] = "################################";
    static const char empty[WIDTH + 1] = "................................";
    if (!progress->shown) return;
    double now = host_seconds();
    /* at most ten redraws per second */
    if (now - progress->drawn < 0.1 && done < progress->total) return;
    progress->drawn = now;
    double part = done < progress->total ? (double)done / (double)progress->total : 1.0;
    int filled = (int)(part * WIDTH);
    bool plain = getenv("NO_COLOR") && *getenv("NO_COLOR");
    fprintf(stderr, "\r%s [%s%.*s%s%.*s] %3d%%  %.1f s ", text_shown(progress->label),
            plain ? "" : "\033[36m", filled, full, plain ? "" : "\033[0m", WIDTH - filled, empty,
            (int)(part * 100), now - progress->started);
    fflush(stderr);
}

void host_progress_end(host_progress *progress)
{
    if (!progress->shown) return;
    fputs("\r\033[K", stderr); /* erases the bar before results are printed */
    fflush(stderr);
    progress->shown = false;
}

uint64_t host_greatest_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
