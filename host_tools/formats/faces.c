/* SPDX-License-Identifier: MIT
   host_tools/formats/faces.c - reads the faces of .obj meshes.
   reads   .obj                            writes  -
   memory  4 bytes per face and per corner    cost    O(bytes)
   after   see faces.h; of the lines v and f only */
#include "faces.h"
#include "../common/text.h"
#include <stdlib.h>

enum { DIGITS = 10 };

static int line_error(const char *path, const text_reader *reader, const char *what)
{
    return host_error(HOST_BAD_INPUT, path, HOST_NO_OFFSET, "line %llu: %s",
                      (unsigned long long)reader->line, what);
}

static int add_number(uint32_t **list, uint32_t *count, size_t *room, uint32_t value)
{
    uint32_t *longer = host_lengthen(*list, *count, room, sizeof *longer);
    if (!longer || *count == UINT32_MAX) return host_out_of_memory("the faces of a mesh");
    *list = longer;
    longer[(*count)++] = value;
    return HOST_DONE;
}

/* The vertex of a corner: "7", "7/2", "7//3"; from 1, or from the last one on backwards. */
static bool read_corner(text_word word, uint32_t vertices, uint32_t *vertex)
{
    bool is_back = word.length && word.text[0] == '-';
    size_t at = is_back, first = at;
    uint64_t number = 0;
    for (; at < word.length && word.text[at] >= '0' && word.text[at] <= '9'; at++)
        if (at - first < DIGITS) number = number * 10 + (uint64_t)(word.text[at] - '0');
    if (at == first || at - first > DIGITS || (at < word.length && word.text[at] != '/'))
        return false;
    if (!number || number > (is_back ? vertices : UINT32_MAX)) return false;
    *vertex = is_back ? vertices - (uint32_t)number : (uint32_t)number - 1;
    return true;
}

typedef struct rooms {
    size_t counts, corners;
} rooms;

static int read_face(host_faces *faces, rooms *room, const text_reader *reader, text_word line)
{
    text_word word;
    uint32_t vertex, count = 0;
    int code = HOST_DONE;
    while (!code && text_take_word(&line, &word)) {
        if (!read_corner(word, faces->vertex_count, &vertex))
            return line_error(faces->path, reader, "expected the numbers of vertices");
        code = add_number(&faces->corners, &faces->corner_count, &room->corners, vertex);
        count++;
    }
    if (!code && count < 3)
        return line_error(faces->path, reader, "a face has fewer than three corners");
    return code ? code : add_number(&faces->counts, &faces->face_count, &room->counts, count);
}

static int read_lines(host_faces *faces, const char *text, size_t size)
{
    text_reader reader = {text, text + size, 0};
    rooms room = {0, 0};
    text_word line, word;
    int code = HOST_DONE;
    while (!code && text_take_line(&reader, &line)) {
        if (!text_take_word(&line, &word)) continue;
        if (text_is(word, "v")) faces->vertex_count++;
        if (text_is(word, "f")) code = read_face(faces, &room, &reader, line);
    }
    for (uint32_t i = 0; i < faces->corner_count && !code; i++)
        if (faces->corners[i] >= faces->vertex_count)
            code = host_error(HOST_BAD_INPUT, faces->path, HOST_NO_OFFSET,
                              "a face has vertex %u, but there are %u", faces->corners[i] + 1,
                              faces->vertex_count);
    if (!code && !faces->face_count)
        code = host_error(HOST_BAD_INPUT, faces->path, HOST_NO_OFFSET, "the mesh has no faces");
    return code;
}

int host_faces_option(host_faces *faces, const char *path, const host_format *format)
{
    uint8_t *bytes;
    size_t size;
    *faces = (host_faces){.path = path};
    if (!path) return HOST_DONE;
    if (!format->takes_faces)
        return host_error(HOST_USAGE, "convert", HOST_NO_OFFSET,
                          "--mesh: format %s has no faces; abc, usda and usdc have", format->name);
    int code = host_read_file(path, &bytes, &size);
    if (code) return code;
    code = read_lines(faces, (const char *)bytes, size);
    free(bytes);
    return code;
}

void host_faces_note(const host_faces *faces, const host_sequence *input, const host_format *to)
{
    if (!input->has_faces || faces->path) return;
    host_note(input->path, HOST_NO_OFFSET, "the faces of the mesh are skipped: %s",
              to->takes_faces ? "its vertices are written as points; --mesh FILE.obj writes a mesh"
                              : "only its vertices are written");
}

void host_faces_free(host_faces *faces)
{
    free(faces->counts);
    free(faces->corners);
    *faces = (host_faces){.path = NULL};
}

int host_faces_check(const host_sink *sink, const host_frame *frame)
{
    const host_faces *faces = sink->options.faces;
    const uint32_t *indices = frame->data[POINT_INDEX];
    bool is_whole = frame->count == faces->vertex_count &&
                    (!frame->count || indices[frame->count - 1] == frame->count - 1);
    if (is_whole) return HOST_DONE;
    return host_error(HOST_BAD_INPUT, sink->path, HOST_NO_OFFSET,
                      "frame %.10g has %u points, but %s has %u vertices; expected the points 0 to "
                      "%u in each frame",
                      frame->number, frame->count, faces->path, faces->vertex_count,
                      faces->vertex_count - 1);
}
