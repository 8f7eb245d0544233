/* SPDX-License-Identifier: MIT
   host_tools/formats/bphys_staging.c - files of one sequence that appear together or not at all.
   reads   bytes of frames                 writes  FOLDER/NAME_FFFFFF_00.bphys, by way of a hidden folder beside them
   memory  4 bytes a file                  cost    one write and one rename a file, one link a file that is replaced
   after   own design; the hidden folder is on the same file system, so that a rename moves no bytes and takes the place of
           an older file at once: killed at any moment, the program leaves under each name the old file or the new one */
#include "bphys.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const bphys_range bphys_whole = {INT32_MIN, INT32_MAX, true};

struct bphys_staging {
    char *folder, *name, *suffix;
    char *hidden; /* new files while they are written */
    char *old;    /* second names of replaced files until all new ones are in place */
    bool made_folder, is_guarded;
    bphys_range range; /* of the frames that are replaced */
    int32_t *numbers;  /* of the new files */
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

/* A hidden folder that nobody has: another machine may write its share of the frames to the same folder under the same
   process number, and a killed program may have left one. */
static bool make_hidden(bphys_staging *staging)
{
    for (int attempt = 0; attempt < 1000; attempt++) {
        free(staging->hidden);
        staging->hidden = host_text("%s/.%s%s.%ld-%d.partial", staging->folder, staging->name,
                                    staging->suffix, (long)getpid(), attempt);
        if (!staging->hidden) return false;
        if (mkdir(staging->hidden, 0777) == 0) return true;
        if (errno == ENOENT && mkdir(staging->folder, 0777) == 0)
            staging->made_folder = true; /* another share that failed has just removed it */
        else if (errno != EEXIST && errno != ENOENT)
            return false;
    }
    return false;
}

static int make_folders(bphys_staging *staging)
{
    host_guard_begin();
    staging->is_guarded = true;
    staging->made_folder = mkdir(staging->folder, 0777) == 0;
    if (!staging->made_folder && errno != EEXIST)
        return host_error(HOST_IO, staging->folder, HOST_NO_OFFSET, "cannot make the folder: %s",
                          strerror(errno));
    if (make_hidden(staging)) {
        staging->old = host_text("%s/old", staging->hidden);
        if (staging->old && mkdir(staging->old, 0777) == 0) return HOST_DONE;
        rmdir(staging->hidden);
    }
    int code = host_error(HOST_IO, staging->folder, HOST_NO_OFFSET, "cannot make a folder in it: %s",
                          strerror(errno));
    if (staging->made_folder) rmdir(staging->folder);
    return code;
}

bphys_staging *bphys_staging_open(const char *folder, const char *name, const char *suffix,
                                  const bphys_range *range, int *code)
{
    bphys_staging *staging = host_allocate(1, sizeof *staging);
    *code = HOST_NO_ROOM;
    if (staging) {
        staging->folder = host_text("%s", folder);
        staging->name = host_text("%s", name);
        staging->suffix = host_text("%s", suffix);
        staging->range = *range;
    }
    if (!staging || !staging->folder || !staging->name || !staging->suffix)
        host_no_room("a sequence");
    else
        *code = make_folders(staging);
    if (*code == HOST_DONE) return staging;
    if (staging) free_staging(staging);
    return NULL;
}

/* The hidden folder is nobody else's and does not outlive an error: the file needs no partial name of its own. */
static int write_file(const bphys_staging *staging, const char *path, int32_t frame, const uint8_t *bytes,
                      size_t size)
{
    FILE *stream = fopen(path, "wb");
    bool good = stream && fwrite(bytes, 1, size, stream) == size;
    int error = errno;
    if (stream && fclose(stream) != 0 && good) good = false, error = errno;
    if (good) return HOST_DONE;
    char *name = bphys_path(staging->folder, staging->name, frame, staging->suffix);
    int code = host_error(HOST_IO, name ? name : staging->folder, HOST_NO_OFFSET, "cannot write: %s",
                          strerror(error));
    free(name);
    return code;
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
    if (!code) code = write_file(staging, path, frame, bytes, size);
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

/* Whatever is in a folder of ours, which holds files only. */
static void remove_folder(const char *folder)
{
    struct dirent *item;
    DIR *directory = opendir(folder);
    while (directory && (item = readdir(directory)) != NULL) {
        char *path = host_text("%s/%s", folder, item->d_name);
        if (path && item->d_name[0] != '.') remove(path);
        free(path);
    }
    if (directory) closedir(directory);
    rmdir(folder);
}

static void remove_folders(const bphys_staging *staging)
{
    remove_folder(staging->old);
    remove_folder(staging->hidden);
}

void bphys_staging_abandon(bphys_staging *staging)
{
    remove_folders(staging);
    if (staging->made_folder) rmdir(staging->folder);
    free_staging(staging);
}

/* The files that new ones replace: all of the range, so that no frame of an older sequence stays among them. */
static int list_old(const char *folder, const char *name, const char *suffix, const bphys_range *range,
                    int32_t **numbers, size_t *count)
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
        int32_t frame = entries[i].frame;
        bool in_range = frame == 0 ? range->info : frame >= range->first && frame <= range->last;
        if (!in_range || strcmp(entries[i].name, name) != 0 || strcmp(entries[i].suffix, suffix) != 0)
            continue;
        char *path = bphys_path(folder, name, frame, suffix);
        code = path ? host_check_target(path) : host_no_room("a path");
        free(path);
        (*numbers)[(*count)++] = frame;
    }
    bphys_scan_free(entries, entry_count);
    return code;
}

int bphys_check_targets(const char *folder, const char *name, const char *suffix)
{
    int32_t *numbers;
    size_t count;
    int code = list_old(folder, name, suffix, &bphys_whole, &numbers, &count);
    free(numbers);
    return code;
}

/* A second name for an old file, in the folder for them; where the file system has no links, a copy. */
static bool keep_old(const bphys_staging *staging, int32_t frame)
{
    char *from = bphys_path(staging->folder, staging->name, frame, staging->suffix);
    char *to = bphys_path(staging->old, staging->name, frame, staging->suffix);
    bool kept = from && to && link(from, to) == 0;
    if (from && to && !kept) {
        uint8_t *bytes;
        size_t size;
        kept = host_read_file(from, &bytes, &size) == HOST_DONE;
        kept = kept && write_file(staging, to, frame, bytes, size) == HOST_DONE;
        free(bytes);
    }
    free(from);
    free(to);
    return kept;
}

static void remove_frame(const bphys_staging *staging, int32_t frame)
{
    char *path = bphys_path(staging->folder, staging->name, frame, staging->suffix);
    if (path) remove(path);
    free(path);
}

/* Back to what was there before: `placed` new files are in place, `kept` old ones have a second name. */
static void undo(const bphys_staging *staging, size_t placed, const int32_t *old_numbers, size_t kept)
{
    for (size_t i = 0; i < placed; i++) {
        bool had_old = false;
        for (size_t j = 0; j < kept && !had_old; j++) had_old = old_numbers[j] == staging->numbers[i];
        if (!had_old) remove_frame(staging, staging->numbers[i]);
    }
    for (size_t j = 0; j < kept; j++) move_file(staging, staging->old, staging->folder, old_numbers[j]);
}

/* Frames are ascending in the old ones, and in the new ones but for the info file. */
static bool is_new(const bphys_staging *staging, int32_t frame)
{
    size_t low = 0, high = staging->count;
    if (staging->count && staging->numbers[high - 1] == frame) return true;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (staging->numbers[middle] == frame) return true;
        if (staging->numbers[middle] < frame && staging->numbers[middle] != 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static bool place_all(const bphys_staging *staging, const int32_t *old_numbers, size_t old_count)
{
    size_t kept = 0, placed = 0;
    while (kept < old_count && keep_old(staging, old_numbers[kept])) kept++;
    bool good = kept == old_count;
    while (good && placed < staging->count)
        if ((good = move_file(staging, staging->hidden, staging->folder, staging->numbers[placed]))) placed++;
    if (!good) {
        int error = errno;
        undo(staging, placed, old_numbers, kept);
        errno = error;
        return false;
    }
    for (size_t i = 0; i < old_count; i++)
        if (!is_new(staging, old_numbers[i])) remove_frame(staging, old_numbers[i]);
    return true;
}

int bphys_staging_commit(bphys_staging *staging)
{
    int32_t *old_numbers;
    size_t old_count;
    int code =
        list_old(staging->folder, staging->name, staging->suffix, &staging->range, &old_numbers, &old_count);
    if (!code && !place_all(staging, old_numbers, old_count))
        code = host_error(HOST_IO, staging->folder, HOST_NO_OFFSET, "cannot put the files in place: %s",
                          strerror(errno));
    free(old_numbers);
    if (code) {
        bphys_staging_abandon(staging);
        return code;
    }
    remove_folders(staging);
    free_staging(staging);
    return HOST_DONE;
}
