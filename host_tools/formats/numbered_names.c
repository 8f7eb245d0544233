/* SPDX-License-Identifier: MIT
   host_tools/formats/numbered_names.c - finds the files of a numbered sequence, and names those of a new one.
   reads   paths, folders                  writes  names
   memory  a name a file                   cost    one pass over a folder, sorting
   after   own design; four digits at least, as most programs write them */
#include "numbered.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DIGITS_MAX = 18, DIGITS_WRITTEN = 4 };

static bool ends_in(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

/* Length of the name without its ending. A number behind the last dot is none: dump.100 */
static size_t stem_length(const char *file_name, const char *ending)
{
    size_t length = strlen(file_name);
    const char *dot = strrchr(file_name, '.');
    if (ends_in(file_name, ending)) return length - strlen(ending);
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
    for (size_t i = parsed->before; i < end; i++) parsed->number = parsed->number * 10 + (file_name[i] - '0');
    return true;
}

/* ---- which files */

/* A name of a sequence: what stands before the number and behind it. */
typedef struct name_pattern {
    char *before, *after;
} name_pattern;

static void free_pattern(name_pattern *pattern)
{
    free(pattern->before);
    free(pattern->after);
    memset(pattern, 0, sizeof *pattern);
}

static bool pattern_fits(const char *file_name, const char *before, const char *after, int64_t *number)
{
    size_t length = strlen(file_name), head = strlen(before), tail = strlen(after);
    if (length <= head + tail || length - head - tail > DIGITS_MAX) return false;
    if (strncmp(file_name, before, head) != 0 || strcmp(file_name + length - tail, after) != 0) return false;
    *number = 0;
    for (size_t i = head; i < length - tail; i++) {
        if (!host_is_digit(file_name[i])) return false;
        *number = *number * 10 + (file_name[i] - '0');
    }
    return true;
}

bool numbered_is_at(const char *file_name, const void *place)
{
    int64_t number;
    const numbered_place *at = place;
    return pattern_fits(file_name, at->before, at->after, &number) && number >= at->first &&
           number <= at->last;
}

static int add_file(numbered_files *found, const char *name, int64_t number)
{
    if (found->count == found->room) {
        size_t room = found->room ? found->room * 2 : 64;
        numbered_file *larger = realloc(found->files, room * sizeof *larger);
        if (!larger) return host_no_room("the names of files");
        found->files = larger;
        found->room = room;
    }
    char *copy = host_text("%s", name);
    if (!copy) return host_no_room("the names of files");
    found->files[found->count++] = (numbered_file){copy, number};
    return HOST_DONE;
}

static int compare_files(const void *a, const void *b)
{
    const numbered_file *left = a, *right = b;
    if (left->number != right->number) return left->number < right->number ? -1 : 1;
    return strcmp(left->name, right->name);
}

/* The files of a folder that fit, ascending. */
static int scan_pattern(numbered_files *found, const name_pattern *pattern)
{
    struct dirent *item;
    int64_t number;
    int code = HOST_DONE;
    DIR *directory = opendir(found->folder);
    if (!directory)
        return host_error(HOST_IO, found->folder, HOST_NO_OFFSET, "cannot open the folder: %s",
                          strerror(errno));
    while (!code && (item = readdir(directory)) != NULL)
        if (pattern_fits(item->d_name, pattern->before, pattern->after, &number))
            code = add_file(found, item->d_name, number);
    closedir(directory);
    if (!code && found->count > 1) qsort(found->files, found->count, sizeof *found->files, compare_files);
    return code;
}

static bool set_pattern(name_pattern *pattern, const char *file, size_t before, const char *after)
{
    free_pattern(pattern);
    pattern->before = host_text("%.*s", (int)before, file);
    pattern->after = host_text("%s", after);
    return pattern->before && pattern->after;
}

/* A number behind no separator belongs to the name: particles.ply next to particles2.ply. */
static int scan_for_name(numbered_files *found, name_pattern *pattern, const char *file, const char *ending)
{
    static const char *const separators[] = {".", "_", "-", ""};
    int code = HOST_DONE;
    size_t stem = stem_length(file, ending);
    for (int i = 0; i < 4 && !code && !found->count; i++) {
        free_pattern(pattern);
        pattern->before = host_text("%.*s%s", (int)stem, file, separators[i]);
        pattern->after = host_text("%s", file[stem] ? file + stem : ending);
        code = pattern->before && pattern->after ? scan_pattern(found, pattern) : host_no_room("a path");
    }
    return code;
}

/* One file that exists, with its neighbours when its name has a number. */
static int take_file(numbered_files *found, name_pattern *pattern, const char *file, const char *ending)
{
    numbered_name parsed;
    if (!numbered_parse(file, ending, &parsed)) return add_file(found, file, -1);
    if (!set_pattern(pattern, file, parsed.before, file + parsed.before + parsed.digits))
        return host_no_room("a path");
    int code = scan_pattern(found, pattern);
    for (size_t i = 0; i < found->count; i++)
        if (strcmp(found->files[i].name, file) == 0) found->given = i;
    return code;
}

/* A name that no file has: those with a number behind it, else those with another number in it. */
static int take_missing(numbered_files *found, name_pattern *pattern, const char *file, const char *ending)
{
    numbered_name parsed;
    int code = scan_for_name(found, pattern, file, ending);
    if (code || found->count || !numbered_parse(file, ending, &parsed)) return code;
    if (!set_pattern(pattern, file, parsed.before, file + parsed.before + parsed.digits))
        return host_no_room("a path");
    return scan_pattern(found, pattern);
}

/* ---- a folder with one sequence */

/* Keeps the pattern of the first file with the ending; *several when another has another one. */
static int learn_pattern(numbered_files *found, name_pattern *pattern, const char *file, const char *ending,
                         bool *several)
{
    numbered_name parsed;
    int64_t number;
    if (pattern->before && pattern_fits(file, pattern->before, pattern->after, &number)) return HOST_DONE;
    *several = pattern->before || found->count;
    if (*several) return HOST_DONE;
    if (!numbered_parse(file, ending, &parsed)) return add_file(found, file, -1);
    return set_pattern(pattern, file, parsed.before, file + parsed.before + parsed.digits)
               ? HOST_DONE
               : host_no_room("a path");
}

static int take_folder(numbered_files *found, name_pattern *pattern, const char *path, const char *ending)
{
    struct dirent *item;
    bool several = false;
    int code = HOST_DONE;
    DIR *directory = opendir(found->folder);
    if (!directory)
        return host_error(HOST_IO, path, HOST_NO_OFFSET, "cannot open the folder: %s", strerror(errno));
    while (!code && !several && (item = readdir(directory)) != NULL)
        if (item->d_name[0] != '.' && ends_in(item->d_name, ending))
            code = learn_pattern(found, pattern, item->d_name, ending, &several);
    closedir(directory);
    if (!code && several)
        return host_error(HOST_USAGE, path, HOST_NO_OFFSET,
                          "the folder holds several sequences of %s files; name one: '%s/NAME*%s'", ending,
                          path, ending);
    if (!code && !found->count && pattern->before) code = scan_pattern(found, pattern);
    return code;
}

/* ---- what a path names */

static int check_numbers(const numbered_files *found, const char *path)
{
    for (size_t i = 1; i < found->count; i++)
        if (found->files[i].number == found->files[i - 1].number)
            return host_error(HOST_BAD_INPUT, path, HOST_NO_OFFSET, "%s and %s have the same number",
                              found->files[i - 1].name, found->files[i].name);
    return HOST_DONE;
}

static char *common_name(const numbered_files *found, const char *ending)
{
    numbered_name parsed;
    const char *file = found->files[0].name;
    size_t length = stem_length(file, ending);
    if (found->files[0].number >= 0 && numbered_parse(file, ending, &parsed)) length = parsed.before;
    while (length > 1 && strchr("._-", file[length - 1])) length--;
    return host_text("%.*s", (int)length, file);
}

static int find_files(numbered_files *found, name_pattern *pattern, const char *path, const char *ending)
{
    struct stat status;
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path, *star = strchr(file, '*');
    bool exists = stat(path, &status) == 0;
    bool is_folder = exists && S_ISDIR(status.st_mode);
    size_t folder_length = is_folder ? strlen(path) : slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
    while (is_folder && folder_length > 1 && path[folder_length - 1] == '/') folder_length--;
    found->folder = folder_length ? host_text("%.*s", (int)folder_length, path) : host_text(".");
    if (!found->folder) return host_no_room("a path");
    if (is_folder) return take_folder(found, pattern, path, ending);
    if (exists) return take_file(found, pattern, file, ending);
    if (!star) return take_missing(found, pattern, file, ending);
    if (!set_pattern(pattern, file, (size_t)(star - file), star + 1)) return host_no_room("a path");
    return scan_pattern(found, pattern);
}

int numbered_find(numbered_files *found, const char *path, const char *ending)
{
    name_pattern pattern = {NULL, NULL};
    memset(found, 0, sizeof *found);
    found->given = SIZE_MAX;
    int code = find_files(found, &pattern, path, ending);
    free_pattern(&pattern);
    if (!code && !found->count)
        code = host_error(HOST_IO, path, HOST_NO_OFFSET, "there is no such file and no numbered ones: %s",
                          strerror(ENOENT));
    if (!code) code = check_numbers(found, path);
    if (!code) found->name = common_name(found, ending);
    if (!code && !found->name) code = host_no_room("a path");
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
    exists = exists && find_files(&found, &pattern, path, ending) == HOST_DONE && found.count;
    free_pattern(&pattern);
    numbered_files_free(&found);
    free(folder);
    return exists;
}

void numbered_files_free(numbered_files *found)
{
    for (size_t i = 0; i < found->count; i++) free(found->files[i].name);
    free(found->files);
    free(found->folder);
    free(found->name);
    memset(found, 0, sizeof *found);
}

/* ---- where a sequence goes */

void numbered_place_free(numbered_place *place)
{
    free(place->folder);
    free(place->before);
    free(place->after);
    free(place->file);
    memset(place, 0, sizeof *place);
}

static void parse_file(numbered_place *place, const char *file, const char *ending)
{
    numbered_name parsed;
    const char *star = strchr(file, '*');
    size_t stem = stem_length(file, ending);
    place->width = DIGITS_WRITTEN;
    place->has_star = star != NULL;
    if (star) {
        place->before = host_text("%.*s", (int)(star - file), file);
        place->after = host_text("%s", star + 1);
    } else if (numbered_parse(file, ending, &parsed)) {
        place->before = host_text("%.*s", (int)parsed.before, file);
        place->after = host_text("%s", file + parsed.before + parsed.digits);
        place->width = (int)parsed.digits;
    } else {
        place->before = host_text("%.*s.", (int)stem, file);
        place->after = host_text("%s", file[stem] ? file + stem : ending);
    }
}

bool numbered_place_parse(numbered_place *place, const char *path, const char *ending, const char *name)
{
    struct stat status;
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    size_t length = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
    memset(place, 0, sizeof *place);
    if (!*file || (stat(path, &status) == 0 && S_ISDIR(status.st_mode))) {
        length = strlen(path);
        while (length > 1 && path[length - 1] == '/') length--;
        place->before = host_text("%s.", name && *name ? name : "cache");
        place->after = host_text("%s", ending);
        place->file = host_text("%.*s/%s%s", (int)length, path, name && *name ? name : "cache", ending);
        place->width = DIGITS_WRITTEN;
    } else {
        parse_file(place, file, ending);
        place->file = host_text("%s", path);
    }
    place->folder = length ? host_text("%.*s", (int)length, path) : host_text(".");
    if (place->folder && place->before && place->after && place->file) return true;
    numbered_place_free(place);
    return false;
}

void numbered_place_limit(numbered_place *place, const host_sink_options *options)
{
    place->first = options->is_share ? options->share_first : INT64_MIN;
    place->last = options->is_share ? options->share_last : INT64_MAX;
}
