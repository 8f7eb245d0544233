/* SPDX-License-Identifier: MIT
   host_tools/formats/staging.h - creates or replaces files of one folder, all or none.
   reads   names of a folder               writes  files, first into a hidden folder beside them
   memory  the names of the files          cost    a write and a rename per file, a link per
           replaced file
   after   own design; the hidden folder is on the same file system, so that a rename is atomic: a
           killed program leaves under each name either the old file or the new one */
#ifndef TIDEPOOL_STAGING_H
#define TIDEPOOL_STAGING_H
#include "../common/host.h"

typedef struct host_staging host_staging;
/* True for a file of the folder that the new files replace: all files of an older sequence, so that
   none of its frames remains among the new ones. Files with the name of a new file are always
   replaced. */
typedef bool host_staging_old(const char *file_name, const void *context);

/* NULL with the error printed. Creates `folder` if its parent exists. The name of the hidden folder
   contains `label`. Several processes may write different files to one folder at the same time. */
host_staging *host_staging_open(const char *folder, const char *label, int *code);
/* Adds a file with these bytes. */
int host_staging_write(host_staging *staging, const char *file_name, const void *bytes,
                       size_t size);
/* Adds a file that the caller writes through `output` and closes with host_output_close before the
   commit. */
int host_staging_begin(host_staging *staging, const char *file_name, host_output *output);
/* Opens a file added before, which is complete, to overwrite some of its bytes. The caller closes
   the stream. NULL with the error printed. */
FILE *host_staging_reopen(const host_staging *staging, const char *file_name);
/* Moves all files to the folder by renames and removes replaced ones; on an error the old files are
   restored. Files whose names end in .gz or .zst are packed first. `is_old` NULL: only files of the
   same names are replaced. Frees the staging. */
int host_staging_commit(host_staging *staging, host_staging_old *is_old, const void *context);
void host_staging_abandon(host_staging *staging);
/* HOST_IO with the error printed when `is_old` is true for an entry of the existing folder that a
   file cannot replace, such as a folder. */
int host_staging_check(const char *folder, host_staging_old *is_old, const void *context);

#endif
