/* SPDX-License-Identifier: MIT
   host_tools/formats/names.h - groups the files of a folder into sequences whose names differ in a
           number.
   reads   names of a folder               writes  names_list
   memory  malloc                          cost    one pass over the folder, sorting
   after   own design */
#ifndef TIDEPOOL_NAMES_H
#define TIDEPOOL_NAMES_H
#include "../common/host.h"

/* Calls `visit` for every entry of a folder except . and .. Stops at the first code other than
   HOST_DONE and returns it. HOST_IO when the folder cannot be opened; the printed error names
   `path`. */
typedef int names_visitor(void *context, const char *file_name);
int names_each(const char *folder, const char *path, names_visitor *visit, void *context);

bool names_end_in(const char *file_name, const char *ending);

/* A file name split into prefix, number and suffix: length of the prefix, offset and length of the
   suffix. All files of a sequence have the same prefix and suffix. */
typedef struct names_parts {
    size_t before, after, after_length;
    int64_t number;
} names_parts;
#define NAMES_NO_NUMBER INT64_MIN
/* A naming rule: splits a name. False for a file that belongs to no sequence. */
typedef bool names_rule(const char *file_name, const void *context, names_parts *parts);

typedef struct names_entry {
    char *file, *before, *after; /* whole name, prefix, suffix */
    int64_t number;
} names_entry;
/* names_scan sorts it by prefix, suffix, number. */
typedef struct names_list {
    names_entry *entries;
    size_t count, capacity;
} names_list;
/* Lists the files of a folder that fit `rule`, which gets `context` as its second argument.
   HOST_DONE, or an error printed that names `path`; then the list is empty. Free it with
   names_free. */
int names_scan(names_list *list, const char *folder, const char *path, names_rule *rule,
               const void *context);
/* Appends an entry. */
int names_add(names_list *list, const char *file_name, const names_parts *parts);
void names_remove(names_list *list, size_t position);
void names_free(names_list *list);
/* True when both belong to one sequence. A file without a number is a sequence of its own. */
bool names_alike(const names_entry *a, const names_entry *b);
/* Position after the last entry of the sequence that begins at `first`. */
size_t names_end(const names_list *list, size_t first);

#endif
