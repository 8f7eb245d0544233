/* SPDX-License-Identifier: MIT
   host_tools/formats/list.c - lists the sequences that a path names.
   reads   names of a folder               writes  paths
   memory  malloc                          cost    one pass over the folder per format
   after   own design */
#include "numbered.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void host_list_free(char **paths, size_t count)
{
    for (size_t i = 0; i < count; i++) free(paths[i]);
    free(paths);
}

static int add_path(char ***paths, size_t *count, char *path)
{
    char **longer = path ? realloc(*paths, (*count + 1) * sizeof *longer) : NULL;
    if (!longer) {
        free(path);
        return host_out_of_memory("the names of a folder");
    }
    *paths = longer;
    longer[(*count)++] = path;
    return HOST_DONE;
}

static bool is_folder_in(const char *folder, const char *name)
{
    struct stat status;
    char *path = host_text("%s/%s", folder, name);
    bool is_folder = path && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    free(path);
    return is_folder;
}

/* Lists the first file of each sequence, or without a naming rule every file with the ending. */
static int list_format(const char *folder, const host_format *format, char ***paths, size_t *count)
{
    names_list list;
    int code = names_scan(&list, folder, folder, format->rule ? format->rule : numbered_rule,
                          format->ending);
    for (size_t i = 0, end; !code && i < list.count; i = end) {
        end = format->rule ? names_end(&list, i) : i + 1;
        while (i < end && is_folder_in(folder, list.entries[i].file)) i++;
        if (i < end)
            code = add_path(paths, count, host_text("%s/%s", folder, list.entries[i].file));
    }
    names_free(&list);
    return code;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

typedef struct bake_folders {
    const char *folder;
    char *found; /* the first */
    size_t count;
} bake_folders;

static int see_folder(void *context, const char *name)
{
    bake_folders *bakes = context;
    if (strncmp(name, "blendcache_", 11) != 0 || !is_folder_in(bakes->folder, name))
        return HOST_DONE;
    if (!bakes->count++) bakes->found = host_text("%s/%s", bakes->folder, name);
    return bakes->found ? HOST_DONE : host_out_of_memory("a path");
}

int host_list_bake(const char *path, char **found)
{
    struct stat status;
    names_list list = {0};
    bake_folders bakes = {path, NULL, 0};
    *found = NULL;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) return HOST_DONE;
    int code = names_each(path, path, see_folder, &bakes);
    bool holds_files = false;
    for (size_t f = 0; !code && bakes.count == 1 && !holds_files && f < host_format_count; f++) {
        const host_format *format = host_formats[f];
        code = names_scan(&list, path, path, format->rule ? format->rule : numbered_rule,
                          format->ending);
        holds_files = list.count > 0;
        names_free(&list);
    }
    if (!code && bakes.count == 1 && !holds_files)
        *found = bakes.found;
    else
        free(bakes.found);
    return code;
}

int host_list(const char *named, const host_format *format, char ***paths, size_t *count)
{
    struct stat status;
    char *bake = NULL;
    int code = host_list_bake(named, &bake);
    const char *path = bake ? bake : named;
    size_t length = strlen(path);
    *paths = NULL;
    *count = 0;
    while (length > 1 && path[length - 1] == '/') length--;
    char *folder = host_text("%.*s", (int)length, path);
    if (!folder && !code) code = host_out_of_memory("a path");
    bool is_folder = !code && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    for (size_t f = 0; is_folder && !code && !*count && f < host_format_count; f++) {
        if (format && host_formats[f] != format) continue;
        code = list_format(folder, host_formats[f], paths, count);
        if (*count > 1) qsort(*paths, *count, sizeof **paths, compare_paths);
    }
    if (!code && *count == 0) code = add_path(paths, count, host_text("%s", path));
    if (code) host_list_free(*paths, *count);
    free(folder);
    free(bake);
    return code;
}

/* Searches a folder for files of another format than `own`. */
typedef struct other_files {
    const char *folder;
    const host_format *own, *other;
} other_files;

static int see_file(void *context, const char *name)
{
    other_files *files = context;
    const host_format *format = name[0] == '.' || files->other ? NULL : host_format_by_ending(name);
    if (format && format->find) return HOST_DONE; /* a list of files beside it */
    if (format && strcmp(format->ending, files->own->ending) != 0 &&
        !is_folder_in(files->folder, name))
        files->other = format;
    return HOST_DONE;
}

static const host_format *find_other(const char *folder, const host_format *own)
{
    other_files files = {folder, own, NULL};
    names_each(folder, folder, see_file, &files);
    return files.other;
}

void host_list_note_others(const char *path, const char *found)
{
    const host_format *own = strcmp(path, found) == 0 ? NULL : host_format_by_ending(found);
    const host_format *other = own ? find_other(path, own) : NULL;
    if (other)
        host_note(path, HOST_NO_OFFSET,
                  "the folder also holds %s files, which are ignored; name them, or give --from %s",
                  other->ending, other->name);
}

/* Requires that the folder holds exactly one sequence. */
static int take_only(const char *path, char *const *found, size_t count, const host_format **format,
                     char **only)
{
    const host_format *own = *format ? *format : host_format_by_ending(found[0]);
    const host_format *other = *format ? NULL : find_other(path, own);
    if (other)
        return host_error(
            HOST_USAGE, path, HOST_NO_OFFSET,
            "the folder holds %s and %s files; name one, for example %s, or give --from %s",
            own->ending, other->ending, found[0], own->name);
    if (count > 1)
        return host_error(HOST_USAGE, path, HOST_NO_OFFSET,
                          "the folder holds %zu sequences of %s files; name one, for example %s",
                          count, own->ending, found[0]);
    *format = own;
    *only = host_text("%s", found[0]);
    return *only ? HOST_DONE : host_out_of_memory("a path");
}

int host_list_only(const char *path, const host_format **format, char **only)
{
    struct stat status;
    char **found = NULL;
    size_t count = 0;
    *only = NULL;
    bool opens_folders =
        *format && (*format)->rule && ((*format)->has_files || (*format)->has_files_by_star);
    if (opens_folders || stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) return HOST_DONE;
    int code = host_list(path, *format, &found, &count);
    if (code) return code;
    bool is_found = strcmp(found[0], path) != 0;
    /* .bphys opens the folder itself */
    if (is_found && names_end_in(found[0], ".bphys"))
        *format = *format ? *format : host_format_named("bphys");
    else if (is_found)
        code = take_only(path, found, count, format, only);
    host_list_free(found, count);
    return code;
}
