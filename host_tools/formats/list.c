/* SPDX-License-Identifier: MIT
   host_tools/formats/list.c - which sequences a path names.
   reads   names of a folder               writes  paths
   memory  malloc                          cost    one pass over the folder a format
   after   own design */
#include "formats.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void host_list_free(char **paths, size_t count)
{
    for (size_t i = 0; i < count; i++) free(paths[i]);
    free(paths);
}

int host_list_add(char ***paths, size_t *count, char *path)
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

static bool ends_in(const char *name, const char *ending)
{
    size_t length = strlen(name), part = strlen(ending);
    return length > part && name[0] != '.' && strcmp(name + length - part, ending) == 0;
}

static int list_by_ending(const char *folder, const char *ending, char ***paths, size_t *count)
{
    int code = HOST_DONE;
    struct dirent *item;
    DIR *directory = opendir(folder);
    if (!directory)
        return host_error(HOST_IO, folder, HOST_NO_OFFSET, "cannot open the folder: %s", strerror(errno));
    while (!code && (item = readdir(directory)) != NULL)
        if (ends_in(item->d_name, ending))
            code = host_list_add(paths, count, host_text("%s/%s", folder, item->d_name));
    closedir(directory);
    return code;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* True when the paths differ by the digits before the ending alone. */
static bool same_but_number(const char *a, const char *b, const char *ending)
{
    size_t left = strlen(a) - strlen(ending), right = strlen(b) - strlen(ending);
    while (left && a[left - 1] >= '0' && a[left - 1] <= '9') left--;
    while (right && b[right - 1] >= '0' && b[right - 1] <= '9') right--;
    return left == right && strncmp(a, b, left) == 0;
}

/* One of the numbered files of a sequence stands for all. */
static void keep_first_numbers(char **paths, size_t *count, const char *ending)
{
    size_t kept = 1;
    for (size_t i = 1; i < *count; i++) {
        if (same_but_number(paths[i], paths[kept - 1], ending))
            free(paths[i]);
        else
            paths[kept++] = paths[i];
    }
    *count = kept;
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
        code = host_formats[f]->list ? host_formats[f]->list(folder, paths, count)
                                     : list_by_ending(folder, host_formats[f]->ending, paths, count);
        if (*count > 1) qsort(*paths, *count, sizeof **paths, compare_paths);
        if (*count > 1 && host_formats[f]->read_piece)
            keep_first_numbers(*paths, count, host_formats[f]->ending);
    }
    if (!code && *count == 0) code = host_list_add(paths, count, host_text("%s", path));
    if (code) host_list_free(*paths, *count);
    free(folder);
    return code;
}
