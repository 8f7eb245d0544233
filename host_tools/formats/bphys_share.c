/* SPDX-License-Identifier: MIT
   host_tools/formats/bphys_share.c - checks that a share of a .bphys sequence fits the existing
           files.
   reads   names of a folder, headers of three files    writes  -
   memory  the names of the files          cost    one pass over the folder
   after   own design: compares type and number of points with the neighbouring files and the info
           file */
#include "bphys.h"
#include <stdlib.h>
#include <string.h>

typedef struct neighbour {
    bool is_there;
    char *path;
    bphys_header header;
} neighbour;

/* Reads the header of a neighbouring file. A damaged file is ignored; verify reports it. */
static void look_at(neighbour *found, const char *folder, const names_entry *entry)
{
    uint8_t bytes[BPHYS_HEADER_BYTES];
    host_listener deaf;
    free(found->path);
    found->path = host_text("%s/%s", folder, entry->file);
    FILE *stream = found->path ? fopen(found->path, "rb") : NULL;
    if (!stream) return;
    size_t size = fread(bytes, 1, sizeof bytes, stream);
    fclose(stream);
    host_listen_to_nothing(&deaf);
    found->is_there = bphys_read_header(found->path, bytes, size, &found->header) == HOST_DONE;
    host_listen_end();
}

/* The frames before and after the share, which stay, and the info file. */
enum { BEFORE, BEHIND, INFO, NEIGHBOURS };

static void look_around(neighbour found[NEIGHBOURS], const bphys_share *share,
                        const names_list *list)
{
    bool has_behind = false;
    const names_entry *before = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const names_entry *entry = &list->entries[i];
        if (strcmp(entry->before, share->name) != 0 || strcmp(entry->after, share->suffix) != 0)
            continue;
        if (entry->number == 0) look_at(&found[INFO], share->folder, entry);
        if (entry->number != 0 && entry->number < share->range.first) before = entry;
        if (entry->number == 0 || entry->number <= share->range.last || has_behind) continue;
        look_at(&found[BEHIND], share->folder, entry);
        has_behind = true;
    }
    if (before) look_at(&found[BEFORE], share->folder, before);
}

static int refuse(const neighbour *other, uint64_t at, const char *what, const char *theirs,
                  const char *ours)
{
    return host_error(HOST_USAGE, other->path, at,
                      "%s of the existing frames is %s, of this share %s: they are of different "
                      "simulations; write to another folder or name, or remove them",
                      what, theirs, ours);
}

static int check_count(const neighbour *other, const bphys_share *share)
{
    char theirs[16], ours[32];
    uint32_t count = other->header.count;
    if (!share->points || count == share->points || (!share->is_exact && count > share->points))
        return HOST_DONE;
    snprintf(theirs, sizeof theirs, "%u", count);
    snprintf(ours, sizeof ours, "%s%u", share->is_exact ? "" : "at least ", share->points);
    return refuse(other, 12, "the number of points", theirs, ours);
}

static int check_type(const neighbour *other, const bphys_share *share)
{
    uint32_t type = other->header.type;
    if (type == share->type) return HOST_DONE;
    return refuse(other, 8, "the type", point_type_name(type), point_type_name(share->type));
}

static int check_neighbours(const neighbour found[NEIGHBOURS], const bphys_share *share)
{
    bool is_alone = !found[BEFORE].is_there && !found[BEHIND].is_there;
    for (int n = 0; n < NEIGHBOURS; n++) {
        bool is_replaced = n == INFO && share->range.info && is_alone;
        if (!found[n].is_there || is_replaced) continue;
        int code = check_type(&found[n], share);
        bool tells_count = share->type == POINT_PARTICLES ? n == INFO : n != INFO;
        if (!code && tells_count) code = check_count(&found[n], share);
        if (code) return code;
    }
    return HOST_DONE;
}

int bphys_check_share(const bphys_share *share)
{
    names_list list;
    neighbour found[NEIGHBOURS];
    memset(found, 0, sizeof found);
    int code = names_scan(&list, share->folder, share->folder, bphys_rule, NULL);
    if (code) return code;
    look_around(found, share, &list);
    code = check_neighbours(found, share);
    for (int n = 0; n < NEIGHBOURS; n++) free(found[n].path);
    names_free(&list);
    return code;
}
