/* SPDX-License-Identifier: MIT
   host_tools/commands/run_place.c - moves the files of a run into its folder: all or none.
   reads   the folder of a run      writes  a hidden folder in it; at the end all files except the
           sequence
   memory  paths      cost    two renames per file
   after   own design; replaced files are kept in the hidden folder until all new files are in
           place */
#include "run.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const endings[] = {".png", ".gif", "_budget.svg", ".json", ".tpc", ".csv"};
enum { ENDINGS = sizeof endings / sizeof endings[0] };

typedef enum place { IN_FOLDER, HIDDEN, OLD } place;

/* NULL: not enough memory. */
static char *path_of(const run_output *output, place where, size_t ending)
{
    return host_text("%s/%s%s%s", where == IN_FOLDER ? output->folder : output->hidden,
                     where == OLD ? "old." : "", output->name, endings[ending]);
}

/* ---- before anything is simulated */

/* The parent folder of `folder`: "." for "out". */
static char *parent_of(const char *folder)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') length--;
    while (length && folder[length - 1] != '/') length--;
    while (length > 1 && folder[length - 1] == '/') length--;
    return length ? host_text("%.*s", (int)length, folder) : host_text(".");
}

static int check_parent(const char *folder)
{
    char *parent = parent_of(folder);
    int code = parent ? HOST_DONE : host_out_of_memory("a path");
    if (parent && access(parent, W_OK | X_OK) != 0)
        code = host_error(HOST_IO, folder, HOST_NO_OFFSET, "cannot make the folder: %s",
                          strerror(errno));
    free(parent);
    return code;
}

int run_check_targets(const run_output *output)
{
    struct stat status;
    if (stat(output->folder, &status) != 0 && errno == ENOENT) return check_parent(output->folder);
    if (stat(output->folder, &status) != 0)
        return host_error(HOST_IO, output->folder, HOST_NO_OFFSET, "cannot make the folder: %s",
                          strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return host_error(HOST_IO, output->folder, HOST_NO_OFFSET,
                          "cannot write into it: it is not a folder");
    if (access(output->folder, W_OK | X_OK) != 0)
        return host_error(HOST_IO, output->folder, HOST_NO_OFFSET,
                          "cannot write into the folder: %s", strerror(errno));
    int code = HOST_DONE;
    for (size_t i = 0; i < ENDINGS && !code; i++) {
        char *path = path_of(output, IN_FOLDER, i);
        code = path ? host_check_target(path) : host_out_of_memory("a path");
        free(path);
    }
    bphys_writer_options sequence = {output->folder, output->name, 1, true, false};
    return code ? code : bphys_writer_check(&sequence);
}

/* ---- the hidden folder */

int run_make_folders(run_output *output)
{
    output->hidden = host_text("%s/.%.*s.%ld", output->folder, host_name_start(output->name),
                               output->name, (long)getpid());
    if (!output->hidden) return host_out_of_memory("a path");
    output->made_folder = mkdir(output->folder, 0777) == 0;
    if (!output->made_folder && errno != EEXIST)
        return host_error(HOST_IO, output->folder, HOST_NO_OFFSET, "cannot make the folder: %s",
                          strerror(errno));
    if (mkdir(output->hidden, 0777) == 0) return HOST_DONE;
    int code = host_error(HOST_IO, output->folder, HOST_NO_OFFSET,
                          "cannot write into the folder: %s", strerror(errno));
    if (output->made_folder) rmdir(output->folder);
    free(output->hidden); /* it was not created here, so it must not be emptied */
    output->hidden = NULL;
    output->made_folder = false;
    return code;
}

void run_remove_folders(run_output *output, bool is_kept)
{
    for (size_t i = 0; output->hidden && i < ENDINGS; i++) {
        char *fresh = path_of(output, HIDDEN, i), *old = path_of(output, OLD, i);
        if (fresh) remove(fresh);
        /* after an error, keep an old file that could not be restored */
        if (old && is_kept) remove(old);
        free(fresh);
        free(old);
    }
    if (output->hidden) rmdir(output->hidden);
    if (!is_kept && output->made_folder) rmdir(output->folder);
    free(output->hidden);
    output->hidden = NULL;
}

/* ---- into place, and back */

static bool move(const run_output *output, place from, place to, size_t ending)
{
    char *source = path_of(output, from, ending), *target = path_of(output, to, ending);
    bool moved = source && target && rename(source, target) == 0;
    free(source);
    free(target);
    return moved;
}

/* Checks again: a folder that appeared under this name since the first check must not be moved
   away. */
static int place_file(run_output *output, size_t ending)
{
    char *path = path_of(output, IN_FOLDER, ending);
    int code = path ? host_check_target(path) : host_out_of_memory("a path");
    if (!code && !move(output, IN_FOLDER, OLD, ending) && errno != ENOENT)
        code = host_error(HOST_IO, path, HOST_NO_OFFSET, "cannot replace it: %s", strerror(errno));
    if (!code && !move(output, HIDDEN, IN_FOLDER, ending)) {
        code = host_error(HOST_IO, path, HOST_NO_OFFSET, "cannot put the file in place: %s",
                          strerror(errno));
        move(output, OLD, IN_FOLDER, ending);
    }
    free(path);
    if (!code) output->placed |= 1u << ending;
    return code;
}

int run_place_files(run_output *output)
{
    int code = HOST_DONE;
    for (size_t i = 0; i < ENDINGS && !code; i++) {
        char *fresh = path_of(output, HIDDEN, i);
        if (!fresh) code = host_out_of_memory("a path");
        if (fresh && access(fresh, F_OK) == 0) code = place_file(output, i);
        free(fresh);
    }
    if (code) run_restore_files(output);
    return code;
}

void run_restore_files(run_output *output)
{
    for (size_t i = 0; i < ENDINGS; i++) {
        if (!(output->placed & 1u << i)) continue;
        move(output, IN_FOLDER, HIDDEN, i);
        move(output, OLD, IN_FOLDER, i);
    }
    output->placed = 0;
}
