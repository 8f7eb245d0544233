/* SPDX-License-Identifier: MIT
   host_tools/formats/names.c - groups the files of a folder into sequences whose names differ in a
           number.
   reads   names of a folder               writes  names_list
   memory  malloc                          cost    one pass over the folder, sorting
   after   own design */
#include "names.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int names_each(const char *folder, const char *path, names_visitor *visit, void *context)
{
    struct dirent *item;
    int code = HOST_DONE;
    DIR *directory = opendir(folder);
    if (!directory)
        return host_error(HOST_IO, path, HOST_NO_OFFSET, "cannot open the folder: %s",
                          strerror(errno));
    while (!code && (errno = 0, item = readdir(directory)) != NULL)
        if (strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0)
            code = visit(context, item->d_name);
    if (!code && errno) /* readdir sets errno on an error, not at the end */
        code = host_error(HOST_IO, path, HOST_NO_OFFSET, "cannot list the folder: %s",
                          strerror(errno));
    closedir(directory);
    return code;
}

bool names_end_in(const char *file_name, const char *ending)
{
    size_t length = strlen(file_name), tail = strlen(ending);
    return length >= tail && strcmp(file_name + length - tail, ending) == 0;
}

static void free_entry(names_entry *entry)
{
    free(entry->file);
    free(entry->before);
    free(entry->after);
}

void names_remove(names_list *list, size_t position)
{
    names_entry *entry = &list->entries[position];
    free_entry(entry);
    list->count--;
    memmove(entry, entry + 1, (list->count - position) * sizeof *entry);
}

void names_free(names_list *list)
{
    for (size_t i = 0; i < list->count; i++) free_entry(&list->entries[i]);
    free(list->entries);
    memset(list, 0, sizeof *list);
}

int names_add(names_list *list, const char *file_name, const names_parts *parts)
{
    names_entry *entries =
        host_lengthen(list->entries, list->count, &list->capacity, sizeof *entries);
    if (!entries) return host_out_of_memory("the names of a folder");
    list->entries = entries;
    names_entry entry = {
        host_text("%s", file_name), host_text("%.*s", (int)parts->before, file_name),
        host_text("%.*s", (int)parts->after_length, file_name + parts->after), parts->number};
    if (entry.file && entry.before && entry.after) {
        list->entries[list->count++] = entry;
        return HOST_DONE;
    }
    free_entry(&entry);
    return host_out_of_memory("the names of a folder");
}

static int compare_entries(const void *a, const void *b)
{
    const names_entry *left = a, *right = b;
    int order = strcmp(left->before, right->before);
    if (!order) order = strcmp(left->after, right->after);
    if (!order) order = (left->number > right->number) - (left->number < right->number);
    return order ? order : strcmp(left->file, right->file);
}

typedef struct scan {
    names_list *list;
    names_rule *rule;
    const void *context;
} scan;

static int scan_name(void *context, const char *file_name)
{
    scan *of = context;
    names_parts parts;
    if (!of->rule(file_name, of->context, &parts)) return HOST_DONE;
    return names_add(of->list, file_name, &parts);
}

int names_scan(names_list *list, const char *folder, const char *path, names_rule *rule,
               const void *context)
{
    scan of = {list, rule, context};
    memset(list, 0, sizeof *list);
    int code = names_each(folder, path, scan_name, &of);
    if (code) names_free(list);
    if (list->count > 1) qsort(list->entries, list->count, sizeof *list->entries, compare_entries);
    return code;
}

bool names_alike(const names_entry *a, const names_entry *b)
{
    return a->number != NAMES_NO_NUMBER && b->number != NAMES_NO_NUMBER &&
           strcmp(a->before, b->before) == 0 && strcmp(a->after, b->after) == 0;
}

size_t names_end(const names_list *list, size_t first)
{
    size_t end = first + 1;
    while (end < list->count && names_alike(&list->entries[first], &list->entries[end])) end++;
    return end;
}
