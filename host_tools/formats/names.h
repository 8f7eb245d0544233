/* SPDX-License-Identifier: MIT
   host_tools/formats/names.h - the files of a folder as sequences: alike in name but for a number, by any rule of naming.
   reads   names of a folder               writes  names_list
   memory  malloc                          cost    one pass over the folder, sorting
   after   own design */
#ifndef TIDEPOOL_NAMES_H
#define TIDEPOOL_NAMES_H
#include "../common/host.h"

/* Calls `visit` for every entry of a folder but . and .. until it returns another code than HOST_DONE, and returns that;
   HOST_IO with the error printed, of `path`, when the folder cannot be opened. */
typedef int names_visitor(void *context, const char *file_name);
int names_each(const char *folder, const char *path, names_visitor *visit, void *context);

bool names_end_in(const char *file_name, const char *ending);

/* A name taken apart: lengths of what stands before the number and of what tells sequences apart behind it, and where
   that begins. */
typedef struct names_parts {
    size_t before, after, after_length;
    int64_t number;
} names_parts;
#define NAMES_NO_NUMBER INT64_MIN
/* False for a file that belongs to no sequence. */
typedef bool names_rule(const char *file_name, const void *context, names_parts *parts);

typedef struct names_entry {
    char *file, *before, *after;
    int64_t number;
} names_entry;
/* Ascending by what stands before and behind, then by number. */
typedef struct names_list {
    names_entry *entries;
    size_t count, room;
} names_list;
/* HOST_DONE, or an error printed, of `path`; then the list is empty. names_free frees it. */
int names_scan(names_list *list, const char *folder, const char *path, names_rule *rule, const void *context);
/* One entry more, at the end. */
int names_add(names_list *list, const char *file_name, const names_parts *parts);
void names_remove(names_list *list, size_t position);
void names_free(names_list *list);
/* True when both are of one sequence: files without a number are one each. */
bool names_alike(const names_entry *a, const names_entry *b);
/* Behind the last entry of the sequence that begins at `first`. */
size_t names_end(const names_list *list, size_t first);

#endif
