/* SPDX-License-Identifier: MIT
   host_tools/formats/staging.c - creates or replaces files of one folder, all or none.
   reads   names of a folder               writes  files, first into a hidden folder beside them
   memory  the names of the files          cost    a write and a rename per file, a link per
           replaced file
   after   own design; the hidden folder is on the same file system, so that a rename is atomic */
#include "staging.h"
#include "names.h"
#include "../common/packing.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct name_list {
    char **names;
    size_t count, capacity;
} name_list;

struct host_staging {
    char *folder;
    char *hidden; /* new files while they are written */
    char *old;    /* folder of hard links to replaced files, until all new files are in place */
    bool made_folder, is_guarded;
    bool is_dry;     /* see host_output_dry: there is no hidden folder */
    name_list files; /* names of the new files */
};

static void free_list(name_list *list)
{
    for (size_t i = 0; i < list->count; i++) free(list->names[i]);
    free(list->names);
}

static int add_name(name_list *list, const char *name)
{
    char **names = host_lengthen(list->names, list->count, &list->capacity, sizeof *names);
    if (!names) return host_out_of_memory("the names of files");
    list->names = names;
    char *copy = host_text("%s", name);
    if (!copy) return host_out_of_memory("the names of files");
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

/* Creates a hidden folder with an unused name: another machine may write its share of the frames to
   the same folder with the same process id, and a killed program may have left one. */
static bool make_hidden(host_staging *staging, const char *label)
{
    for (int attempt = 0; attempt < 1000; attempt++) {
        free(staging->hidden);
        staging->hidden = host_text("%s/.%.*s.%ld-%d.partial", staging->folder,
                                    host_name_start(label), label, (long)getpid(), attempt);
        if (!staging->hidden) return false;
        if (mkdir(staging->hidden, 0777) == 0) return true;
        if (errno == ENOENT && mkdir(staging->folder, 0777) == 0)
            staging->made_folder = true; /* the process of another share failed and removed it */
        else if (errno != EEXIST && errno != ENOENT)
            return false;
    }
    return false;
}

static int make_folders(host_staging *staging, const char *label)
{
    staging->is_dry = host_output_is_dry();
    if (staging->is_dry) return HOST_DONE;
    host_guard_begin();
    staging->is_guarded = true;
    staging->made_folder = mkdir(staging->folder, 0777) == 0;
    if (!staging->made_folder && errno != EEXIST)
        return host_error(HOST_IO, staging->folder, HOST_NO_OFFSET, "cannot make the folder: %s",
                          strerror(errno));
    if (make_hidden(staging, label)) {
        staging->old = host_text("%s/.old", staging->hidden); /* no new file has such a name */
        if (staging->old && mkdir(staging->old, 0777) == 0) return HOST_DONE;
        rmdir(staging->hidden);
    }
    int code = host_error(HOST_IO, staging->folder, HOST_NO_OFFSET,
                          "cannot make a folder in it: %s", strerror(errno));
    if (staging->made_folder) rmdir(staging->folder);
    return code;
}

host_staging *host_staging_open(const char *folder, const char *label, int *code)
{
    host_staging *staging = host_allocate(1, sizeof *staging);
    *code = HOST_OUT_OF_MEMORY;
    if (staging) staging->folder = host_text("%s", folder);
    if (!staging || !staging->folder)
        host_out_of_memory("a sequence");
    else
        *code = make_folders(staging, label);
    if (*code == HOST_DONE) return staging;
    if (staging) free_staging(staging);
    return NULL;
}

int host_staging_begin(host_staging *staging, const char *file_name, host_output *output)
{
    char *path = host_text("%s/%s", staging->is_dry ? staging->folder : staging->hidden, file_name);
    char *name = host_text("%s/%s", staging->folder, file_name);
    int code = path && name ? host_guard_check(staging->folder) : host_out_of_memory("a path");
    if (!code) code = add_name(&staging->files, file_name);
    if (!code) code = host_output_open_as(output, path, name);
    free(path);
    free(name);
    return code;
}

FILE *host_staging_reopen(const host_staging *staging, const char *file_name)
{
    char *path = host_text("%s/%s", staging->hidden, file_name);
    FILE *stream = path ? fopen(path, "r+b") : NULL;
    if (!path) host_out_of_memory("a path");
    if (path && !stream)
        host_error(HOST_IO, path, HOST_NO_OFFSET, "cannot open: %s", strerror(errno));
    free(path);
    return stream;
}

/* Writes a file directly: the hidden folder belongs to this process and is removed on an error, so
   a partly written file needs no name of its own. */
static int write_file(const host_staging *staging, const char *path, const char *file_name,
                      const void *bytes, size_t size)
{
    FILE *stream = fopen(path, "wb");
    bool good = stream && fwrite(bytes, 1, size, stream) == size;
    int error = errno;
    if (stream && fclose(stream) != 0 && good) good = false, error = errno;
    if (good) return HOST_DONE;
    char *name = host_text("%s/%s", staging->folder, file_name);
    int code = host_error(HOST_IO, name ? name : staging->folder, HOST_NO_OFFSET,
                          "cannot write: %s", strerror(error));
    free(name);
    return code;
}

int host_staging_write(host_staging *staging, const char *file_name, const void *bytes, size_t size)
{
    if (staging->is_dry) return HOST_DONE;
    char *path = host_text("%s/%s", staging->hidden, file_name);
    int code = path ? host_guard_check(staging->folder) : host_out_of_memory("a path");
    if (!code) code = add_name(&staging->files, file_name);
    if (!code) code = write_file(staging, path, file_name, bytes, size);
    free(path);
    return code;
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

/* The new file has the access rights of the old one. */
static void keep_rights(const host_staging *staging, const char *name)
{
    struct stat status;
    char *old = host_text("%s/%s", staging->folder, name),
         *made = host_text("%s/%s", staging->hidden, name);
    if (old && made && stat(old, &status) == 0) chmod(made, status.st_mode & 0777);
    free(old);
    free(made);
}

static void remove_file(const char *folder, const char *name)
{
    char *path = host_text("%s/%s", folder, name);
    if (path) remove(path);
    free(path);
}

static int remove_entry(void *folder, const char *name)
{
    if (name[0] != '.') remove_file(folder, name);
    return HOST_DONE;
}

/* Removes a folder that this process made, and the files in it. */
static void remove_folder(char *folder)
{
    names_each(folder, folder, remove_entry, folder);
    rmdir(folder);
}

static void remove_folders(const host_staging *staging)
{
    remove_folder(staging->old);
    remove_folder(staging->hidden);
}

void host_staging_abandon(host_staging *staging)
{
    if (!staging->is_dry) remove_folders(staging);
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

/* The search for replaced files; `hidden` NULL: there are no new files yet. */
typedef struct old_files {
    const char *folder, *hidden;
    host_staging_old *is_old;
    const void *context;
    name_list *list;
} old_files;

static int list_one(void *context, const char *name)
{
    const old_files *old = context;
    bool is_old = (old->is_old && old->is_old(name, old->context)) ||
                  (old->hidden && exists(old->hidden, name));
    char *path = is_old ? host_text("%s/%s", old->folder, name) : NULL;
    int code = !is_old ? HOST_DONE : path ? host_check_target(path) : host_out_of_memory("a path");
    free(path);
    return code || !is_old ? code : add_name(old->list, name);
}

/* Lists the files that the new ones replace; an error when one of them cannot be replaced. */
static int list_old(const char *folder, const char *hidden, host_staging_old *is_old,
                    const void *context, name_list *list)
{
    old_files old = {folder, hidden, is_old, context, list};
    memset(list, 0, sizeof *list);
    return names_each(folder, folder, list_one, &old);
}

int host_staging_check(const char *folder, host_staging_old *is_old, const void *context)
{
    name_list list;
    int code = list_old(folder, NULL, is_old, context, &list);
    free_list(&list);
    return code;
}

/* Keeps an old file as a hard link in the folder `old`; as a copy where the file system has no
   links. */
static bool keep_old(const host_staging *staging, const char *name)
{
    char *from = host_text("%s/%s", staging->folder, name),
         *to = host_text("%s/%s", staging->old, name);
    bool kept = from && to && link(from, to) == 0;
    if (from && to && !kept && errno == ENOENT && !exists(staging->folder, name)) {
        kept = true; /* another process has removed it */
    } else if (from && to && !kept) {
        uint8_t *bytes;
        size_t size;
        kept = host_read_file(from, &bytes, &size) == HOST_DONE;
        kept = kept && write_file(staging, to, name, bytes, size) == HOST_DONE;
        free(bytes);
    }
    free(from);
    free(to);
    return kept;
}

/* Restores the folder. The first `placed` new files are in place and are removed; the first `kept`
   old files are renamed back from the folder `old`. */
static void undo(const host_staging *staging, size_t placed, const name_list *old, size_t kept)
{
    for (size_t i = 0; i < placed; i++)
        if (!exists(staging->old, staging->files.names[i]))
            remove_file(staging->folder, staging->files.names[i]);
    for (size_t i = 0; i < kept; i++) move_file(staging->old, staging->folder, old->names[i]);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Removes the old files without a new file of the same name, with a note. */
static void remove_rest(const host_staging *staging, const name_list *old)
{
    const name_list *files = &staging->files;
    const char *first = NULL;
    size_t count = 0;
    if (files->count) qsort(files->names, files->count, sizeof *files->names, compare_names);
    for (size_t i = 0; i < old->count; i++) {
        if (files->count && bsearch(&old->names[i], files->names, files->count,
                                    sizeof *files->names, compare_names))
            continue;
        remove_file(staging->folder, old->names[i]);
        if (!first || strcmp(old->names[i], first) < 0) first = old->names[i];
        count++;
    }
    if (count)
        host_note(staging->folder, HOST_NO_OFFSET,
                  "%zu file%s of the older sequence, %s%s, %s no new version and %s removed", count,
                  count == 1 ? "" : "s", count == 1 ? "" : "from ", first,
                  count == 1 ? "has" : "have", count == 1 ? "is" : "are");
}

static bool place_all(const host_staging *staging, const name_list *old)
{
    size_t kept = 0, placed = 0;
    while (kept < old->count && keep_old(staging, old->names[kept])) kept++;
    bool good = kept == old->count;
    while (good && placed < staging->files.count) {
        if (old->count) keep_rights(staging, staging->files.names[placed]);
        good = move_file(staging->hidden, staging->folder, staging->files.names[placed]);
        placed += good;
    }
    if (!good) {
        int error = errno;
        undo(staging, placed, old, kept);
        errno = error;
        return false;
    }
    remove_rest(staging, old);
    return true;
}

/* Packs a new file whose name ends in .gz or .zst. */
static int pack_file(const host_staging *staging, const char *name)
{
    char *plain = host_text("%s/%s", staging->hidden, name),
         *packed = host_text("%s/%s.packed", staging->hidden, name),
         *shown = host_text("%s/%s", staging->folder, name);
    bool has_names = plain && packed && shown;
    FILE *from = has_names ? fopen(plain, "rb") : NULL, *to = from ? fopen(packed, "wb") : NULL;
    int code = has_names ? HOST_DONE : host_out_of_memory("a path");
    if (to) code = packing_pack(from, to, shown);
    bool good = to && fflush(to) == 0;
    if (from) fclose(from);
    if (to && fclose(to) != 0) good = false;
    good = good && !code && rename(packed, plain) == 0;
    if (!code && !good) code = host_not_written(shown);
    free(plain);
    free(packed);
    free(shown);
    return code;
}

/* Now, because a format may return to a file that it wrote. */
static int pack_files(const host_staging *staging)
{
    int code = HOST_DONE;
    for (size_t i = 0; i < staging->files.count && !code; i++)
        if (packing_tail(staging->files.names[i]))
            code = pack_file(staging, staging->files.names[i]);
    return code;
}

int host_staging_commit(host_staging *staging, host_staging_old *is_old, const void *context)
{
    name_list old = {NULL, 0, 0};
    int code = pack_files(staging);
    if (!code) code = list_old(staging->folder, staging->hidden, is_old, context, &old);
    if (!code && !place_all(staging, &old))
        code = host_error(HOST_IO, staging->folder, HOST_NO_OFFSET,
                          "cannot put the files in place: %s", strerror(errno));
    free_list(&old);
    if (code) {
        host_staging_abandon(staging);
        return code;
    }
    remove_folders(staging);
    free_staging(staging);
    return HOST_DONE;
}
