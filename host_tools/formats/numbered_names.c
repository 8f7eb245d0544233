/* SPDX-License-Identifier: MIT
   host_tools/formats/numbered_names.c - finds the files of a numbered sequence, and names new ones.
   reads   paths, folders                  writes  names
   memory  a name per file                 cost    one pass over a folder, sorting
   after   own design; at least four digits, as most programs write */
#include "numbered.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DIGITS_MAX = 18, DIGITS_WRITTEN = 4 };

/* Length of the name without its ending. A number after the last dot is no ending: dump.100 */
static size_t stem_length(const char *file_name, const char *ending)
{
    size_t length = strlen(file_name), stem = host_format_stem(file_name, ending);
    const char *dot = strrchr(file_name, '.');
    if (stem != SIZE_MAX) return stem;
    if (!dot || strspn(dot + 1, "0123456789") == strlen(dot + 1)) return length;
    return (size_t)(dot - file_name);
}

bool numbered_parse(const char *file_name, const char *ending, numbered_name *parsed)
{
    size_t end = stem_length(file_name, ending);
    parsed->before = end;
    parsed->number = 0;
    while (parsed->before > 0 && host_is_digit(file_name[parsed->before - 1])) parsed->before--;
    parsed->digits = end - parsed->before;
    if (parsed->digits == 0 || parsed->digits > DIGITS_MAX) return false;
    for (size_t i = parsed->before; i < end; i++)
        parsed->number = parsed->number * 10 + (file_name[i] - '0');
    return true;
}

bool numbered_rule(const char *file_name, const void *ending, names_parts *parts)
{
    numbered_name parsed;
    if (*file_name == '.' || host_format_stem(file_name, ending) == SIZE_MAX) return false;
    bool has_number = numbered_parse(file_name, ending, &parsed);
    if (!has_number) parsed = (numbered_name){strlen(file_name), 0, NAMES_NO_NUMBER};
    size_t after = parsed.before + parsed.digits;
    *parts = (names_parts){parsed.before, after, strlen(file_name) - after, parsed.number};
    return true;
}

/* ---- matching names */

/* The names of a sequence: prefix and suffix around the number. */
typedef struct name_pattern {
    char *before, *after;
} name_pattern;

static void free_pattern(name_pattern *pattern)
{
    free(pattern->before);
    free(pattern->after);
    memset(pattern, 0, sizeof *pattern);
}

/* A names_rule. */
static bool pattern_fits(const char *file_name, const void *context, names_parts *parts)
{
    const name_pattern *pattern = context;
    size_t length = strlen(file_name), head = strlen(pattern->before),
           tail = strlen(pattern->after);
    if (length <= head + tail || length - head - tail > DIGITS_MAX) return false;
    if (strncmp(file_name, pattern->before, head) != 0 || !names_end_in(file_name, pattern->after))
        return false;
    *parts = (names_parts){head, length - tail, tail, 0};
    for (size_t i = head; i < length - tail; i++) {
        if (!host_is_digit(file_name[i])) return false;
        parts->number = parts->number * 10 + (file_name[i] - '0');
    }
    return true;
}

bool numbered_has_width(const char *digits, size_t count, size_t width)
{
    return count == width || (count > width && *digits != '0');
}

/* True when only a part of the frames is replaced; other shares write the other frames. */
static bool is_share(const numbered_pattern *pattern) { return pattern->first != INT64_MIN; }

bool numbered_is_at(const char *file_name, const void *context)
{
    names_parts parts;
    const numbered_pattern *at = context;
    name_pattern pattern = {at->before, at->after};
    if (at->plain && strcmp(file_name, at->plain) == 0) return !is_share(at);
    return pattern_fits(file_name, &pattern, &parts) && parts.number >= at->first &&
           parts.number <= at->last &&
           numbered_has_width(file_name + parts.before, parts.after - parts.before,
                              (size_t)at->width);
}

int numbered_stranger(const char *folder, const char *file_name, const char *meaning)
{
    char *path = host_text("%s/%s", folder, file_name);
    int code = host_error(
        HOST_IO, path ? path : file_name, HOST_NO_OFFSET,
        "would be read %s of the new sequence; move it away, or give OUT another name", meaning);
    free(path);
    return code;
}

static int check_stranger(void *context, const char *file_name)
{
    names_parts parts;
    const numbered_pattern *at = context;
    name_pattern pattern = {at->before, at->after};
    if (at->plain && is_share(at) && strcmp(file_name, at->plain) == 0)
        return numbered_stranger(at->folder, file_name, "instead");
    if (!pattern_fits(file_name, &pattern, &parts) ||
        numbered_has_width(file_name + parts.before, parts.after - parts.before, (size_t)at->width))
        return HOST_DONE;
    return numbered_stranger(at->folder, file_name, "as a frame");
}

int numbered_check_device(const numbered_pattern *pattern, const char *format)
{
    struct stat status;
    bool is_device =
        stat(pattern->file, &status) == 0 && !S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode);
    if (!is_device) return HOST_DONE;
    return host_error(HOST_USAGE, pattern->file, HOST_NO_OFFSET,
                      "is a device or a pipe, but %s is several files", format);
}

int numbered_check_pattern(numbered_pattern *pattern, names_visitor *check, void *context)
{
    struct stat status;
    if (stat(pattern->folder, &status) != 0) return HOST_DONE; /* it will be created */
    return names_each(pattern->folder, pattern->folder, check ? check : check_stranger,
                      check ? context : pattern);
}

static int see_numbered(void *context, const char *file_name)
{
    names_parts parts;
    numbered_pattern *at = context;
    name_pattern pattern = {at->before, at->after};
    at->has_files = at->has_files || pattern_fits(file_name, &pattern, &parts);
    return HOST_DONE;
}

void numbered_note_others(numbered_pattern *pattern)
{
    struct stat status;
    if (pattern->plain && stat(pattern->folder, &status) == 0)
        names_each(pattern->folder, pattern->folder, see_numbered, pattern);
    if (pattern->has_files)
        host_note(
            pattern->file, HOST_NO_OFFSET,
            "the name now stands for this one frame; the older numbered files beside it are kept");
}

static int add_single(numbered_files *found, const char *file_name)
{
    names_parts parts = {strlen(file_name), strlen(file_name), 0, NAMES_NO_NUMBER};
    return names_add(&found->files, file_name, &parts);
}

static int scan_pattern(numbered_files *found, const name_pattern *pattern)
{
    return names_scan(&found->files, found->folder, found->folder, pattern_fits, pattern);
}

static bool set_pattern(name_pattern *pattern, const char *file, size_t before, const char *after)
{
    free_pattern(pattern);
    pattern->before = host_text("%.*s", (int)before, file);
    pattern->after = host_text("%s", after);
    return pattern->before && pattern->after;
}

/* Numbered files of a name, by the first separator that finds any. No separator comes last: the 2
   of particles2.ply may belong to the name. */
static int scan_for_name(numbered_files *found, name_pattern *pattern, const char *file,
                         const char *ending)
{
    static const char *const separators[] = {".", "_", "-", ""};
    int code = HOST_DONE;
    size_t stem = stem_length(file, ending);
    for (int i = 0; i < 4 && !code && !found->files.count; i++) {
        free_pattern(pattern);
        pattern->before = host_text("%.*s%s", (int)stem, file, separators[i]);
        pattern->after = host_text("%s", file[stem] ? file + stem : ending);
        code = pattern->before && pattern->after ? scan_pattern(found, pattern)
                                                 : host_out_of_memory("a path");
    }
    return code;
}

/* An existing file; when its name has a number, all files that differ in the number. */
static int take_file(numbered_files *found, name_pattern *pattern, const char *file,
                     const char *ending)
{
    numbered_name parsed;
    if (!numbered_parse(file, ending, &parsed)) return add_single(found, file);
    if (!set_pattern(pattern, file, parsed.before, file + parsed.before + parsed.digits))
        return host_out_of_memory("a path");
    int code = scan_pattern(found, pattern);
    for (size_t i = 0; i < found->files.count; i++)
        if (strcmp(found->files.entries[i].file, file) == 0) found->given = i;
    return code;
}

/* True for a name that numbered_write would make. In shot2.ply and run_2025.ply the digits are part
   of the name: files with other digits may be other simulations. */
static bool is_frame_of_ours(const char *file, const char *ending, numbered_name *parsed)
{
    return numbered_parse(file, ending, parsed) && parsed->digits >= DIGITS_WRITTEN &&
           parsed->before > 1 && file[parsed->before - 1] == '.';
}

/* A name without a file: the numbered files of that name; else, if the name has the form that
   numbered_write makes, the files that differ from it in the number. */
static int take_missing(numbered_files *found, name_pattern *pattern, const char *file,
                        const char *ending)
{
    numbered_name parsed;
    int code = scan_for_name(found, pattern, file, ending);
    if (code || found->files.count || !is_frame_of_ours(file, ending, &parsed)) return code;
    if (!set_pattern(pattern, file, parsed.before, file + parsed.before + parsed.digits))
        return host_out_of_memory("a path");
    return scan_pattern(found, pattern);
}

/* A folder, which must hold one sequence only. */
static int take_folder(numbered_files *found, const char *path, const char *ending)
{
    int code = names_scan(&found->files, found->folder, path, numbered_rule, ending);
    if (code || !found->files.count || names_end(&found->files, 0) == found->files.count)
        return code;
    return host_error(HOST_USAGE, path, HOST_NO_OFFSET,
                      "the folder holds several sequences of %s files; name one: '%s/NAME*%s'",
                      ending, path, ending);
}

/* ---- finding the files of a path */

static int check_numbers(const numbered_files *found, const char *path)
{
    for (size_t i = 1; i < found->files.count; i++) {
        const names_entry *file = &found->files.entries[i];
        if (file->number == file[-1].number)
            return host_error(HOST_BAD_INPUT, path, HOST_NO_OFFSET,
                              "%s and %s have the same number", file[-1].file, file->file);
    }
    return HOST_DONE;
}

static char *common_name(const numbered_files *found, const char *ending)
{
    numbered_name parsed;
    const names_entry *first = &found->files.entries[0];
    const char *file = first->file;
    size_t length = stem_length(file, ending);
    if (first->number != NAMES_NO_NUMBER && numbered_parse(file, ending, &parsed))
        length = parsed.before;
    while (length > 1 && strchr("._-", file[length - 1])) length--;
    return host_text("%.*s", (int)length, file);
}

static int find_files(numbered_files *found, name_pattern *pattern, const char *path,
                      const char *ending)
{
    struct stat status;
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path,
               *star = strchr(file, '*');
    bool exists = stat(path, &status) == 0;
    bool is_folder = exists && S_ISDIR(status.st_mode);
    size_t folder_length = is_folder       ? strlen(path)
                           : slash == path ? 1
                           : slash         ? (size_t)(slash - path)
                                           : 0;
    while (is_folder && folder_length > 1 && path[folder_length - 1] == '/') folder_length--;
    found->folder = folder_length ? host_text("%.*s", (int)folder_length, path) : host_text(".");
    if (!found->folder) return host_out_of_memory("a path");
    if (is_folder) return take_folder(found, path, ending);
    if (exists) return take_file(found, pattern, file, ending);
    if (!star) return take_missing(found, pattern, file, ending);
    if (!set_pattern(pattern, file, (size_t)(star - file), star + 1))
        return host_out_of_memory("a path");
    return scan_pattern(found, pattern);
}

int numbered_find(numbered_files *found, const char *path, const char *ending)
{
    name_pattern pattern = {NULL, NULL};
    memset(found, 0, sizeof *found);
    found->given = SIZE_MAX;
    int code = find_files(found, &pattern, path, ending);
    free_pattern(&pattern);
    if (!code && !found->files.count)
        code = host_error(HOST_IO, path, HOST_NO_OFFSET,
                          "there is no such file, and no numbered files of this name: %s",
                          strerror(ENOENT));
    if (!code) code = check_numbers(found, path);
    if (!code) found->name = common_name(found, ending);
    if (!code && !found->name) code = host_out_of_memory("a path");
    if (code) numbered_files_free(found);
    return code;
}

bool numbered_exists(const char *path, const char *ending)
{
    name_pattern pattern = {NULL, NULL};
    numbered_files found;
    struct stat status;
    const char *slash = strrchr(path, '/');
    char *folder = slash ? host_text("%.*s", (int)(slash - path + 1), path) : host_text(".");
    bool exists = folder && stat(folder, &status) == 0 && S_ISDIR(status.st_mode);
    memset(&found, 0, sizeof found);
    exists = exists && find_files(&found, &pattern, path, ending) == HOST_DONE && found.files.count;
    free_pattern(&pattern);
    numbered_files_free(&found);
    free(folder);
    return exists;
}

void numbered_files_free(numbered_files *found)
{
    names_free(&found->files);
    free(found->folder);
    free(found->name);
    memset(found, 0, sizeof *found);
}

/* ---- names of a new sequence */

void numbered_pattern_free(numbered_pattern *pattern)
{
    free(pattern->folder);
    free(pattern->before);
    free(pattern->after);
    free(pattern->file);
    free(pattern->plain);
    memset(pattern, 0, sizeof *pattern);
}

static void parse_file(numbered_pattern *pattern, const char *file, const char *ending)
{
    numbered_name parsed;
    const char *star = strchr(file, '*');
    size_t stem = stem_length(file, ending);
    pattern->width = DIGITS_WRITTEN;
    pattern->has_star = star != NULL;
    if (star) {
        pattern->before = host_text("%.*s", (int)(star - file), file);
        pattern->after = host_text("%s", star + 1);
    } else if (is_frame_of_ours(file, ending, &parsed)) {
        pattern->before = host_text("%.*s", (int)parsed.before, file);
        pattern->after = host_text("%s", file + parsed.before + parsed.digits);
        pattern->width = (int)parsed.digits;
    } else {
        pattern->before = host_text("%.*s.", (int)stem, file);
        pattern->after = host_text("%s", file[stem] ? file + stem : ending);
        if (host_format_stem(file, ending) != SIZE_MAX) pattern->plain = host_text("%s", file);
    }
}

bool numbered_pattern_parse(numbered_pattern *pattern, const char *path, const char *ending,
                            const char *name)
{
    struct stat status;
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    size_t length = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
    memset(pattern, 0, sizeof *pattern);
    if (!*file || (stat(path, &status) == 0 && S_ISDIR(status.st_mode))) {
        length = strlen(path);
        while (length > 1 && path[length - 1] == '/') length--;
        pattern->before = host_text("%s.", name && *name ? name : "cache");
        pattern->after = host_text("%s", ending);
        pattern->file =
            host_text("%.*s/%s%s", (int)length, path, name && *name ? name : "cache", ending);
        pattern->width = DIGITS_WRITTEN;
    } else {
        parse_file(pattern, file, ending);
        pattern->file = host_text("%s", path);
    }
    pattern->folder = length ? host_text("%.*s", (int)length, path) : host_text(".");
    if (pattern->folder && pattern->before && pattern->after && pattern->file) return true;
    numbered_pattern_free(pattern);
    return false;
}

void numbered_pattern_limit(numbered_pattern *pattern, const host_sink_options *options)
{
    pattern->first = options->is_share ? options->share_first : INT64_MIN;
    pattern->last = options->is_share ? options->share_last : INT64_MAX;
}
