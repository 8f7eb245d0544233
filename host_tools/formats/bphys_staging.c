/* SPDX-License-Identifier: MIT
   host_tools/formats/bphys_staging.c - files of one sequence that appear together or not at all.
   reads   bytes of frames                 writes  FOLDER/NAME_FFFFFF_00.bphys, by way of a hidden folder beside them
   memory  4 bytes a file                  cost    one write and one rename a file
   after   own design; the hidden folder is on the same file system, so that a rename moves no bytes */
#include "bphys.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct bphys_staging {
    char *folder, *name, *suffix;
    char *hidden; /* new files while they are written */
    char *old;    /* replaced files until the new ones are in place */
    bool made_folder, is_guarded;
    int32_t *numbers; /* of the new files */
    size_t count, room;
};

static void free_staging(bphys_staging *staging)
{
    if (staging->is_guarded) host_guard_end();
    free(staging->folder);
    free(staging->name);
    free(staging->suffix);
    free(staging->hidden);
    free(staging->old);
    free(staging->numbers);
    free(staging);
}

static int make_folders(bphys_staging *staging)
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

bphys_staging *bphys_staging_open(const char *folder, const char *name, const char *suffix, int *code)
{
    bphys_staging *staging = host_allocate(1, sizeof *staging);
    *code = HOST_NO_ROOM;
    if (staging) {
        staging->folder = host_text("%s", folder);
        staging->name = host_text("%s", name);
        staging->suffix = host_text("%s", suffix);
        staging->hidden = host_text("%s/.%s%s.%ld.partial", folder, name, suffix, (long)getpid());
        staging->old = staging->hidden ? host_text("%s/old", staging->hidden) : NULL;
    }
    if (!staging || !staging->folder || !staging->name || !staging->suffix || !staging->old)
        host_no_room("a sequence");
    else
        *code = make_folders(staging);
    if (*code == HOST_DONE) return staging;
    if (staging) free_staging(staging);
    return NULL;
}

int bphys_staging_write(bphys_staging *staging, int32_t frame, const uint8_t *bytes, size_t size)
{
    if (staging->count == staging->room) {
        size_t room = staging->room ? staging->room * 2 : 64;
        int32_t *larger = realloc(staging->numbers, room * sizeof *larger);
        if (!larger) return host_no_room("the frames of a sequence");
        staging->numbers = larger;
        staging->room = room;
    }
    char *path = bphys_path(staging->hidden, staging->name, frame, staging->suffix);
    int code = path ? host_guard_check(staging->folder) : host_no_room("a path");
    if (!code) code = host_write_file(path, bytes, size);
    free(path);
    if (!code) staging->numbers[staging->count++] = frame;
    return code;
}

/* ---- moving files between the folders */

static bool move_file(const bphys_staging *staging, const char *from_folder, const char *to_folder,
                      int32_t frame)
{
    char *from = bphys_path(from_folder, staging->name, frame, staging->suffix);
    char *to = bphys_path(to_folder, staging->name, frame, staging->suffix);
    bool moved = from && to && rename(from, to) == 0;
    free(from);
    free(to);
    return moved;
}

static void remove_file(const bphys_staging *staging, const char *folder, int32_t frame)
{
    char *path = bphys_path(folder, staging->name, frame, staging->suffix);
    if (path) remove(path);
    free(path);
}

static void remove_folders(const bphys_staging *staging)
{
    rmdir(staging->old);
    rmdir(staging->hidden);
}

void bphys_staging_abandon(bphys_staging *staging)
{
    for (size_t i = 0; i < staging->count; i++) remove_file(staging, staging->hidden, staging->numbers[i]);
    remove_folders(staging);
    if (staging->made_folder) rmdir(staging->folder);
    free_staging(staging);
}

/* The files that new ones replace: all of the sequence, so that no frame of an older one stays among them. */
static int list_old(const char *folder, const char *name, const char *suffix, int32_t **numbers,
                    size_t *count)
{
    bphys_entry *entries;
    size_t entry_count;
    *numbers = NULL;
    *count = 0;
    int code = bphys_scan(folder, &entries, &entry_count);
    if (code) return code;
    *numbers = host_allocate(entry_count, sizeof **numbers);
    if (!*numbers) code = host_no_room("the frames of a sequence");
    for (size_t i = 0; !code && i < entry_count; i++) {
        if (strcmp(entries[i].name, name) != 0 || strcmp(entries[i].suffix, suffix) != 0) continue;
        char *path = bphys_path(folder, name, entries[i].frame, suffix);
        code = path ? host_check_target(path) : host_no_room("a path");
        free(path);
        (*numbers)[(*count)++] = entries[i].frame;
    }
    bphys_scan_free(entries, entry_count);
    return code;
}

int bphys_check_targets(const char *folder, const char *name, const char *suffix)
{
    int32_t *numbers;
    size_t count;
    int code = list_old(folder, name, suffix, &numbers, &count);
    free(numbers);
    return code;
}

/* Moves files one by one; when one fails, those moved so far go back. */
static bool move_all(const bphys_staging *staging, const char *from, const char *to, const int32_t *numbers,
                     size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (move_file(staging, from, to, numbers[i])) continue;
        int error = errno;
        while (i-- > 0) move_file(staging, to, from, numbers[i]);
        errno = error;
        return false;
    }
    return true;
}

int bphys_staging_commit(bphys_staging *staging)
{
    int32_t *old_numbers;
    size_t old_count;
    int code = list_old(staging->folder, staging->name, staging->suffix, &old_numbers, &old_count);
    bool moved = !code && move_all(staging, staging->folder, staging->old, old_numbers, old_count);
    if (moved && !move_all(staging, staging->hidden, staging->folder, staging->numbers, staging->count)) {
        int error = errno;
        move_all(staging, staging->old, staging->folder, old_numbers, old_count);
        errno = error;
        moved = false;
    }
    if (!code && !moved)
        code = host_error(HOST_IO, staging->folder, HOST_NO_OFFSET, "cannot put the files in place: %s",
                          strerror(errno));
    for (size_t i = 0; !code && i < old_count; i++) remove_file(staging, staging->old, old_numbers[i]);
    free(old_numbers);
    if (code) {
        bphys_staging_abandon(staging);
        return code;
    }
    remove_folders(staging);
    free_staging(staging);
    return HOST_DONE;
}
