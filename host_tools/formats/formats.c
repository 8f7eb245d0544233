/* SPDX-License-Identifier: MIT
   host_tools/formats/formats.c - the table of file formats: a new one is a row here and a file beside this.
   reads   paths, first bytes of a file    writes  -
   memory  -                               cost    O(formats)
   after   own design */
#include "bphys.h"
#include "csv.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* A format's calls bear its name, which is its ending too. */
#define FORMAT_CALLS(word) FORMAT_CALLS_BUT_WRITE(word), .write = word##_write
/* For those that make the bytes of a frame apart from writing them. */
#define FORMAT_CALLS_BUT_WRITE(word)                                                              \
    .name = #word, .ending = "." #word, .recognises = word##_recognises, .open = word##_open,     \
    .load = word##_load, .close = word##_close, .create = word##_create, .finish = word##_finish, \
    .abandon = word##_abandon

static const host_format bphys_row = {
    FORMAT_CALLS_BUT_WRITE(bphys),
    .summary = "Blender point cache, one file a frame",
    .speaks_bphys_units = true,
    .has_files = true,
    .loads_in_parallel = true,
    .encode = bphys_encode_frame,
    .put = bphys_put,
    .pass = bphys_pass,
    .verify = bphys_verify,
    .list = bphys_list,
};

static const host_format csv_row = {
    FORMAT_CALLS_BUT_WRITE(csv), .summary = "table, one row a point and frame",
    .takes_stream = true,        .loads_in_parallel = true,
    .encode = csv_encode,        .put = csv_put,
};

const host_format *const host_formats[] = {&bphys_row, &csv_row};
const size_t host_format_count = sizeof host_formats / sizeof host_formats[0];

const host_format *host_format_named(const char *name)
{
    for (size_t i = 0; i < host_format_count; i++)
        if (strcmp(host_formats[i]->name, name) == 0) return host_formats[i];
    return NULL;
}

const host_format *host_format_by_ending(const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < host_format_count; i++) {
        size_t ending = strlen(host_formats[i]->ending);
        if (length > ending && strcmp(path + length - ending, host_formats[i]->ending) == 0)
            return host_formats[i];
    }
    return NULL;
}

/* Written once; every call writes the same bytes. */
const char *host_format_list(void)
{
    static char list[128];
    size_t used = 0;
    for (size_t i = 0; i < host_format_count && used < sizeof list; i++)
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", host_formats[i]->name);
    return list;
}

int host_format_option(const char *command, const char *option, const char *name, const host_format **format)
{
    *format = name ? host_format_named(name) : NULL;
    if (!name || *format) return HOST_DONE;
    return host_error(HOST_USAGE, command, HOST_NO_OFFSET, "--%s is \"%s\", expected %s", option, name,
                      host_format_list());
}

static const host_format *format_by_content(const char *path, int *code)
{
    uint8_t start[256];
    FILE *stream = fopen(path, "rb");
    if (!stream) {
        *code = host_error(HOST_IO, path, HOST_NO_OFFSET, "cannot open: %s", strerror(errno));
        return NULL;
    }
    size_t size = fread(start, 1, sizeof start, stream);
    fclose(stream);
    for (size_t i = 0; i < host_format_count; i++)
        if (host_formats[i]->recognises(start, size)) return host_formats[i];
    *code = host_error(HOST_BAD_INPUT, path, 0, "neither ending nor content is that of a known format (%s)",
                       host_format_list());
    return NULL;
}

const host_format *host_format_of(const char *path, int *code)
{
    struct stat status;
    *code = HOST_DONE;
    for (size_t i = 0; i < host_format_count; i++)
        if (strcmp(path, "-") == 0 && host_formats[i]->takes_stream) return host_formats[i];
    const host_format *format = host_format_by_ending(path);
    bool is_file = stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
    if (!format && is_file) return format_by_content(path, code);
    return format ? format : &bphys_row;
}
