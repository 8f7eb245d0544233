/* SPDX-License-Identifier: MIT
   host_tools/formats/staging.c - files of one folder that appear together or not at all.
   reads   names of a folder               writes  files, by way of a hidden folder beside them
   memory  the names of the files          cost    one write and one rename a file
   after   own design; the hidden folder is on the same file system, so that a rename moves no bytes */
#include "staging.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct name_list {
    char **names;
    size_t count, room;
} name_list;

struct host_staging {
    char *folder;
    char *hidden; /* new files while they are written */
    char *old;    /* replaced files until the new ones are in place */
    bool made_folder, is_guarded;
    name_list files; /* the new ones */
};

static void free_list(name_list *list)
{
    for (size_t i = 0; i < list->count; i++) free(list->names[i]);
    free(list->names);
}

static int add_name(name_list *list, const char *name)
{
    if (list->count == list->room) {
        size_t room = list->room ? list->room * 2 : 64;
        char **larger = realloc(list->names, room * sizeof *larger);
        if (!larger) return host_no_room("the names of files");
        list->names = larger;
        list->room = room;
    }
    char *copy = host_text("%s", name);
    if (!copy) return host_no_room("the names of files");
    list->names[list->count++] = copy;
    return HOST_DONE;
}

static void free_staging(host_staging *staging)
{
    if (staging->is_guarded) host_guard_end();
    free(staging->folder);
    free(staging->hidden);
    free(staging->old);
    free_list(&staging->files);
    free(staging);
}

static int make_folders(host_staging *staging)
{
    host_guard_begin();
    staging->is_guarded = true;
    staging->made_folder = mkdir(staging->folder, 0777) == 0;
    if (!staging->made_folder && errno != EEXIST)
        return host_error(HOST_IO, staging->folder, HOST_NO_OFFSET, "cannot make the folder: %s",
                          strerror(errno));
    if (mkdir(staging->hidden, 0777) == 0) {
        if (mkdir(staging->old, 0777) == 0) return HOST_DONE;
        rmdir(staging->hidden);
    }
    int code =
        host_error(HOST_IO, staging->hidden, HOST_NO_OFFSET, "cannot make the folder: %s", strerror(errno));
    if (staging->made_folder) rmdir(staging->folder);
    return code;
}

host_staging *host_staging_open(const char *folder, const char *label, int *code)
{
    host_staging *staging = host_allocate(1, sizeof *staging);
    *code = HOST_NO_ROOM;
    if (staging) {
        staging->folder = host_text("%s", folder);
        staging->hidden = host_text("%s/.%s.%ld.partial", folder, label, (long)getpid());
        staging->old = staging->hidden ? host_text("%s/old", staging->hidden) : NULL;
    }
    if (!staging || !staging->folder || !staging->old)
        host_no_room("a sequence");
    else
        *code = make_folders(staging);
    if (*code == HOST_DONE) return staging;
    if (staging) free_staging(staging);
    return NULL;
}

int host_staging_begin(host_staging *staging, const char *file_name, host_output *output)
{
    char *path = host_text("%s/%s", staging->hidden, file_name);
    int code = path ? host_guard_check(staging->folder) : host_no_room("a path");
    if (!code) code = add_name(&staging->files, file_name);
    if (!code) code = host_output_open(output, path);
    free(path);
    return code;
}

int host_staging_write(host_staging *staging, const char *file_name, const void *bytes, size_t size)
{
    host_output output;
    int code = host_staging_begin(staging, file_name, &output);
    if (code) return code;
    if (size) fwrite(bytes, 1, size, output.stream);
    return host_output_close(&output, true);
}

/* ---- moving files between the folders */

static bool move_file(const char *from_folder, const char *to_folder, const char *name)
{
    char *from = host_text("%s/%s", from_folder, name);
    char *to = host_text("%s/%s", to_folder, name);
    bool moved = from && to && rename(from, to) == 0;
    free(from);
    free(to);
    return moved;
}

static void remove_file(const char *folder, const char *name)
{
    char *path = host_text("%s/%s", folder, name);
    if (path) remove(path);
    free(path);
}

static void remove_folders(const host_staging *staging)
{
    rmdir(staging->old);
    rmdir(staging->hidden);
}

void host_staging_abandon(host_staging *staging)
{
    for (size_t i = 0; i < staging->files.count; i++) remove_file(staging->hidden, staging->files.names[i]);
    remove_folders(staging);
    if (staging->made_folder) rmdir(staging->folder);
    free_staging(staging);
}

static bool exists(const char *folder, const char *name)
{
    struct stat status;
    char *path = host_text("%s/%s", folder, name);
    bool found = path && lstat(path, &status) == 0;
    free(path);
    return found;
}

static int list_one(const char *folder, const char *name, name_list *list)
{
    char *path = host_text("%s/%s", folder, name);
    int code = path ? host_check_target(path) : host_no_room("a path");
    free(path);
    return code ? code : add_name(list, name);
}

/* The files that new ones replace; `hidden` NULL: there are no new ones yet. */
static int list_old(const char *folder, const char *hidden, host_staging_old *is_old, const void *context,
                    name_list *list)
{
    struct dirent *item;
    int code = HOST_DONE;
    memset(list, 0, sizeof *list);
    DIR *directory = opendir(folder);
    if (!directory)
        return host_error(HOST_IO, folder, HOST_NO_OFFSET, "cannot open the folder: %s", strerror(errno));
    while (!code && (item = readdir(directory)) != NULL) {
        const char *name = item->d_name;
        if (name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]))) continue;
        if ((is_old && is_old(name, context)) || (hidden && exists(hidden, name)))
            code = list_one(folder, name, list);
    }
    closedir(directory);
    return code;
}

int host_staging_check(const char *folder, host_staging_old *is_old, const void *context)
{
    name_list list;
    int code = list_old(folder, NULL, is_old, context, &list);
    free_list(&list);
    return code;
}

/* Moves files one by one; when one fails, those moved so far go back. */
static bool move_all(const char *from, const char *to, const name_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (move_file(from, to, list->names[i])) continue;
        int error = errno;
        while (i-- > 0) move_file(to, from, list->names[i]);
        errno = error;
        return false;
    }
    return true;
}

int host_staging_commit(host_staging *staging, host_staging_old *is_old, const void *context)
{
    name_list old;
    int code = list_old(staging->folder, staging->hidden, is_old, context, &old);
    bool moved = !code && move_all(staging->folder, staging->old, &old);
    if (moved && !move_all(staging->hidden, staging->folder, &staging->files)) {
        int error = errno;
        move_all(staging->old, staging->folder, &old);
        errno = error;
        moved = false;
    }
    if (!code && !moved)
        code = host_error(HOST_IO, staging->folder, HOST_NO_OFFSET, "cannot put the files in place: %s",
                          strerror(errno));
    for (size_t i = 0; !code && i < old.count; i++) remove_file(staging->old, old.names[i]);
    free_list(&old);
    if (code) {
        host_staging_abandon(staging);
        return code;
    }
    remove_folders(staging);
    free_staging(staging);
    return HOST_DONE;
}
