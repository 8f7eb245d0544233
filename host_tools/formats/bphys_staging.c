/* SPDX-License-Identifier: MIT
   host_tools/formats/bphys_staging.c - files of one .bphys sequence that appear together or not at
           all.
   reads   bytes of frames                 writes  FOLDER/NAME_FFFFFF_00.bphys, through staging.c
   memory  the names of the files          cost    one write and one rename per file
   after   own design */
#include "bphys.h"
#include "staging.h"
#include <stdlib.h>
#include <string.h>

const bphys_range bphys_whole = {INT32_MIN, INT32_MAX, true};

struct bphys_staging {
    host_staging *files;
    char *name, *suffix;
    bphys_range range; /* frames that are replaced */
};

/* Selects the files of a sequence within a range of frames. */
typedef struct owner {
    const char *name, *suffix;
    const bphys_range *range;
} owner;

static bool is_of_sequence(const char *file_name, const void *context)
{
    const owner *of = context;
    bphys_name parsed;
    if (!bphys_parse_name(file_name, &parsed)) return false;
    bool in_range = parsed.frame == 0
                        ? of->range->info
                        : parsed.frame >= of->range->first && parsed.frame <= of->range->last;
    return in_range && strlen(of->name) == parsed.name_length &&
           memcmp(file_name, of->name, parsed.name_length) == 0 &&
           strcmp(parsed.suffix, of->suffix) == 0;
}

static void free_staging(bphys_staging *staging)
{
    free(staging->name);
    free(staging->suffix);
    free(staging);
}

bphys_staging *bphys_staging_open(const char *folder, const char *name, const char *suffix,
                                  const bphys_range *range, int *code)
{
    bphys_staging *staging = host_allocate(1, sizeof *staging);
    char *label = host_text("%s%s", name, suffix);
    *code = HOST_OUT_OF_MEMORY;
    if (staging) {
        staging->name = host_text("%s", name);
        staging->suffix = host_text("%s", suffix);
        staging->range = *range;
    }
    if (!staging || !label || !staging->name || !staging->suffix)
        host_out_of_memory("a sequence");
    else
        staging->files = host_staging_open(folder, label, code);
    free(label);
    if (staging && staging->files) return staging;
    if (staging) free_staging(staging);
    return NULL;
}

int bphys_staging_write(bphys_staging *staging, int32_t frame, const uint8_t *bytes, size_t size)
{
    char *file_name = bphys_file_name(staging->name, frame, staging->suffix);
    int code = file_name ? host_staging_write(staging->files, file_name, bytes, size)
                         : host_out_of_memory("a path");
    free(file_name);
    return code;
}

int bphys_staging_commit(bphys_staging *staging)
{
    owner of = {staging->name, staging->suffix, &staging->range};
    int code = host_staging_commit(staging->files, is_of_sequence, &of);
    free_staging(staging);
    return code;
}

void bphys_staging_abandon(bphys_staging *staging)
{
    host_staging_abandon(staging->files);
    free_staging(staging);
}

int bphys_check_targets(const char *folder, const char *name, const char *suffix)
{
    owner of = {name, suffix, &bphys_whole};
    return host_staging_check(folder, is_of_sequence, &of);
}
