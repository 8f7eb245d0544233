/* SPDX-License-Identifier: MIT
   host_tools/formats/staging.h - files of one folder that appear together or not at all.
   reads   names of a folder               writes  files, by way of a hidden folder beside them
   memory  the names of the files          cost    one write and one rename a file, one link a file that is replaced
   after   own design; the hidden folder is on the same file system, so that a rename moves no bytes and takes the place of
           an older file at once: killed at any moment, the program leaves under each name the old file or the new one */
#ifndef TIDEPOOL_STAGING_H
#define TIDEPOOL_STAGING_H
#include "../common/host.h"

typedef struct host_staging host_staging;
/* Which files of the folder make room for the new ones: all of an older sequence, so that none of its frames stays among
   them. Files with the name of a new one do so anyway. */
typedef bool host_staging_old(const char *file_name, const void *context);

/* NULL with the error printed. The folder is made when only its last part is missing; `label` names the hidden one.
   Several may write to one folder at the same time, each its own files. */
host_staging *host_staging_open(const char *folder, const char *label, int *code);
/* One file whose bytes are ready. */
int host_staging_write(host_staging *staging, const char *file_name, const void *bytes, size_t size);
/* One file to be written through `output`, which host_output_close closes before the commit. */
int host_staging_begin(host_staging *staging, const char *file_name, host_output *output);
/* Puts all in place, each in one step; on an error the old files stay. `is_old` NULL: none but those of the same names. Frees the staging. */
int host_staging_commit(host_staging *staging, host_staging_old *is_old, const void *context);
void host_staging_abandon(host_staging *staging);
/* HOST_IO with the error printed when the folder, which must be there, holds something for which `is_old` is true that
   no file can replace. */
int host_staging_check(const char *folder, host_staging_old *is_old, const void *context);

#endif
