/* SPDX-License-Identifier: MIT
   host_tools/commands/output.c - reads the path and the options that describe the output of a
           command.
   reads   options                         writes  -
   memory  none                            cost    O(formats)
   after   own design */
#include "output.h"
#include "../common/ordered.h"
#include "../formats/bphys.h"
#include <string.h>
#include <sys/stat.h>

bool output_has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

int output_bad_option(const char *command, const char *name, const char *value,
                      const char *expected)
{
    return host_error(HOST_USAGE, command, HOST_NO_OFFSET, "--%s is \"%s\", expected %s", name,
                      value, expected);
}

/* A .bphys sequence cannot be written to a device or pipe; bphys may also be only the default
   format. */
static int check_device(const char *command, const char *path, const char *to,
                        const host_format *format)
{
    struct stat status;
    if (format != host_format_named("bphys")) return HOST_DONE;
    bool is_device =
        stat(path, &status) == 0 && !S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode);
    if (!is_device) return HOST_DONE;
    if (!to && !host_format_by_ending(path))
        return host_error(HOST_USAGE, command, HOST_NO_OFFSET,
                          "%s is a device or a pipe; name the format with --to", path);
    return host_error(HOST_USAGE, command, HOST_NO_OFFSET,
                      "%s is a device or a pipe, but %s is several files in a folder", path,
                      format->name);
}

/* A name such as x.bphys looks like one file. */
static void note_names(const char *path, const host_format *format)
{
    bphys_name parsed;
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    size_t length = strlen(file);
    if (format != host_format_named("bphys") || length < 6 || strchr(file, '*')) return;
    if (strcmp(file + length - 6, ".bphys") != 0 || bphys_parse_name(file, &parsed)) return;
    host_note(path, HOST_NO_OFFSET, "a cache is several files: %.*s_FFFFFF_00.bphys, F the frame",
              (int)length - 6, file);
}

int output_format(const char *command, const char *path, const char *to, const host_format **format)
{
    int code = host_format_option(command, "to", to, format);
    if (code) return code;
    if (!*format) *format = host_format_by_ending(path);
    if (!*format && strcmp(path, "-") == 0) *format = host_format_named("csv");
    const char *slash = strrchr(path, '/');
    if (!*format && strchr(slash ? slash : path, '.'))
        return host_error(HOST_USAGE, command, HOST_NO_OFFSET,
                          "the ending of %s is not known; name the format with --to (%s)", path,
                          host_format_list(true));
    if (!*format) *format = host_format_named("bphys");
    code = check_device(command, path, to, *format);
    if (!code) note_names(path, *format);
    return code;
}

int output_compression(const char *command, const char *text, const host_format *format,
                       host_compression *compression)
{
    if (!text) return HOST_DONE;
    bool deflates = strcmp(text, "deflate") == 0;
    if (deflates) *compression = HOST_COMPRESSION_DEFLATE;
    if (deflates && format->takes_deflate) return HOST_DONE;
    if (deflates)
        return host_error(
            HOST_USAGE, command, HOST_NO_OFFSET,
            "--compression deflate is for .npz, .vtu and .vtp; %s has none, leave it out",
            format->name);
    if (!host_compression_parse(text, compression))
        return output_bad_option(command, "compression", text,
                                 "none, light, heavy, zstd or deflate");
    if (format->takes_blocks || *compression == HOST_COMPRESSION_NONE) return HOST_DONE;
    return host_error(HOST_USAGE, command, HOST_NO_OFFSET,
                      "--compression %s is for .bphys; %s has none, leave it out", text,
                      format->name);
}

int output_jobs(const char *command, const char *text, uint32_t *jobs)
{
    *jobs = 1;
    if (text && (!host_parse_u32(text, jobs) || !*jobs || *jobs > ORDERED_THREADS_MAX))
        return output_bad_option(command, "jobs", text, "a whole number from 1 to 256");
    return HOST_DONE;
}
