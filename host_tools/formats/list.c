/* SPDX-License-Identifier: MIT
   host_tools/formats/list.c - which sequences a path names.
   reads   names of a folder               writes  paths
   memory  malloc                          cost    one pass over the folder a format
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
        return host_no_room("the names of a folder");
    }
    *paths = longer;
    longer[(*count)++] = path;
    return HOST_DONE;
}

/* Every file with the ending, or the first one of each sequence. */
static int list_format(const char *folder, const host_format *format, char ***paths, size_t *count)
{
    names_list list;
    int code = names_scan(&list, folder, folder, format->rule ? format->rule : numbered_rule, format->ending);
    for (size_t i = 0; !code && i < list.count; i = format->rule ? names_end(&list, i) : i + 1)
        code = add_path(paths, count, host_text("%s/%s", folder, list.entries[i].file));
    names_free(&list);
    return code;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int host_list(const char *path, const host_format *format, char ***paths, size_t *count)
{
    struct stat status;
    int code = HOST_DONE;
    size_t length = strlen(path);
    *paths = NULL;
    *count = 0;
    while (length > 1 && path[length - 1] == '/') length--;
    char *folder = host_text("%.*s", (int)length, path);
    if (!folder) return host_no_room("a path");
    bool is_folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    for (size_t f = 0; is_folder && !code && !*count && f < host_format_count; f++) {
        if (format && host_formats[f] != format) continue;
        code = list_format(folder, host_formats[f], paths, count);
        if (*count > 1) qsort(*paths, *count, sizeof **paths, compare_paths);
    }
    if (!code && *count == 0) code = add_path(paths, count, host_text("%s", path));
    if (code) host_list_free(*paths, *count);
    free(folder);
    return code;
}

int host_list_only(const char *path, const host_format **format, char **only)
{
    struct stat status;
    char **found = NULL;
    size_t count = 0;
    *only = NULL;
    bool opens_folders = *format && ((*format)->has_files || (*format)->has_files_by_star);
    if (opens_folders || stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) return HOST_DONE;
    int code = host_list(path, *format, &found, &count);
    if (code) return code;
    const host_format *own = *format ? *format : host_format_by_ending(found[0]);
    bool is_ours = strcmp(found[0], path) != 0 && own && strcmp(own->ending, ".bphys") != 0;
    if (is_ours && count > 1)
        code = host_error(HOST_USAGE, path, HOST_NO_OFFSET,
                          "the folder holds %zu sequences of %s files; name one, for example %s", count,
                          own->ending, found[0]);
    if (is_ours && !code && !(*only = host_text("%s", found[0]))) code = host_no_room("a path");
    if (*only) *format = own;
    host_list_free(found, count);
    return code;
}
