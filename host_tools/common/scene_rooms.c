/* SPDX-License-Identifier: MIT
   host_tools/common/scene_rooms.c - the rooms of a mesh: a file of numbers.
   reads   .rooms files (host_tools/rooms/FORMAT.md)      writes  words of a collider
   memory  malloc, freed by scene_free      cost    O(text)
   after   own design; the runtime checks what the numbers mean */
#include "scene_private.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Largest file in bytes. */
#define ROOMS_BYTES_MAX (1u << 28)

/* Appends a word. */
static bool add_word(scene_collider *to, size_t *capacity, long word)
{
    if (to->room_count == *capacity) {
        size_t larger = *capacity ? 2 * *capacity : 1024;
        int16_t *rooms = realloc(to->rooms, larger * sizeof *rooms);
        if (!rooms) return false;
        to->rooms = rooms;
        *capacity = larger;
    }
    to->rooms[to->room_count++] = (int16_t)word;
    return true;
}

/* Whole numbers of 16 bits between blanks; from '#' to the end of a line is a comment. The bytes
   end in a zero byte. */
static const char *read_words(scene_reader *reader, const char *name, scene_collider *to,
                              const char *text)
{
    size_t capacity = 0;
    uint32_t line = 1;
    for (const char *at = text; *at;) {
        if (*at == '#') {
            at += strcspn(at, "\n");
            continue;
        }
        if (*at == '\n' || *at == ' ' || *at == '\t' || *at == '\r') {
            line += *at++ == '\n';
            continue;
        }
        char *end;
        long word = strtol(at, &end, 10);
        if (end == at || word < INT16_MIN || word > INT16_MAX || !strchr(" \t\r\n#", *end)) {
            snprintf(reader->problem, sizeof reader->problem,
                     "'%.80s', line %u: expected whole numbers, -32768 to 32767", name, line);
            return reader->problem;
        }
        if (!add_word(to, &capacity, word)) return "does not fit into memory";
        at = end;
    }
    return to->room_count > 0 && to->room_count <= UINT32_MAX ? NULL : "holds no number";
}

const char *scene_read_rooms(scene_reader *reader, void *item, const char *text)
{
    scene_collider *collider = item;
    uint8_t *bytes = NULL;
    size_t size;
    const char *wrong = NULL;
    char *path =
        text[0] == '/' ? host_text("%s", text) : host_text("%s/%s", reader->target->folder, text);
    if (!path) return "not enough memory";
    if (access(path, R_OK) != 0)
        wrong = "cannot be read; allowed: the path of a .rooms file, relative to the scene";
    else if (host_read_limited(path, "a .rooms file", ROOMS_BYTES_MAX, &bytes, &size))
        wrong = "cannot be read";
    else if (memchr(bytes, 0, size))
        wrong = "is not text: it holds a zero byte";
    else
        wrong = read_words(reader, text, collider, (const char *)bytes);
    free(bytes);
    free(path);
    if (!wrong || wrong == reader->problem) return wrong;
    snprintf(reader->problem, sizeof reader->problem, "'%.80s' %.110s", text, wrong);
    return reader->problem;
}
