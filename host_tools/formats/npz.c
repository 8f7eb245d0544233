/* SPDX-License-Identifier: MIT
   host_tools/formats/npz.c - finds the arrays of an .npz archive.
   reads   a ZIP archive                   writes  npz_file
   memory  the directory of the archive    cost    O(bytes) to check
   after   own design: location.npy, velocity.npy, ..., and frame.npy with the frame numbers */
#include "npz.h"
#include "columns.h"
#include <stdlib.h>
#include <string.h>

bool npz_recognises(const uint8_t *start, size_t size) { return zip_recognises(start, size); }

const char *npy_array_name(uint32_t array)
{
    return array == NPY_FRAME_NUMBERS ? "frame" : point_streams[array].name;
}

/* Length of a member's name without .npy; 0: it is no array. */
static size_t array_length(const zip_member *member)
{
    size_t length = strlen(member->name);
    return names_end_in(member->name, ".npy") ? length - 4 : 0;
}

static void find_arrays(npz_file *file)
{
    for (size_t m = 0; m < file->archive.count; m++) {
        const zip_member *member = &file->archive.members[m];
        size_t length = array_length(member);
        uint32_t stream = POINT_STREAMS;
        if (!length) continue;
        for (uint32_t a = 0; a < NPY_ARRAYS; a++)
            if (strlen(npy_array_name(a)) == length &&
                memcmp(npy_array_name(a), member->name, length) == 0)
                file->members[a] = member; /* its own name wins over a synonym */
        if (point_stream_named(member->name, length, &stream) && stream < POINT_BOIDS &&
            !file->members[stream])
            file->members[stream] = member;
    }
}

/* A single array may have any name: arr_0, as numpy.savez names it. */
static void take_single(npz_file *file)
{
    const zip_member *only = NULL;
    for (size_t m = 0; m < file->archive.count; m++) {
        if (!array_length(&file->archive.members[m])) continue;
        if (only) return;
        only = &file->archive.members[m];
    }
    if (!file->members[POINT_LOCATION]) file->members[POINT_LOCATION] = only;
}

/* The first of them by name, the others by their number. */
static void note_unknown(const npz_file *file, host_sequence *teller)
{
    enum { NAMED_MAX = 8 };
    size_t unknown = 0;
    char text[120];
    for (size_t m = 0; m < file->archive.count; m++) {
        bool is_known = false;
        const zip_member *member = &file->archive.members[m];
        for (uint32_t a = 0; a < NPY_ARRAYS; a++) is_known |= file->members[a] == member;
        unknown += !is_known;
        if (is_known || unknown > NAMED_MAX) continue;
        snprintf(text, sizeof text, "array \"%.40s\" is unknown and ignored", member->name);
        if (host_sequence_notes(teller, text))
            host_note(file->source.path, HOST_NO_OFFSET, "%s", text);
    }
    if (unknown <= NAMED_MAX) return;
    snprintf(text, sizeof text, "unknown and ignored arrays besides these: %zu",
             unknown - NAMED_MAX);
    if (host_sequence_notes(teller, text)) host_note(file->source.path, HOST_NO_OFFSET, "%s", text);
}

static int open_members(npz_file *file, bool checks)
{
    int code = HOST_DONE;
    for (uint32_t a = 0; a < NPY_ARRAYS && !code; a++) {
        const zip_member *member = file->members[a];
        if (!member) continue;
        if (member->is_deflated) code = zip_unpack(&file->archive, member, &file->readers[a]);
        file->is_deflated |= member->is_deflated;
        if (!code && checks) code = zip_check(&file->archive, member, file->readers[a]);
    }
    return code;
}

int npz_file_open(npz_file *file, const char *path, host_sequence *teller)
{
    memset(file, 0, sizeof *file);
    int code = host_source_open_plain(&file->source, path);
    if (code) return code;
    code = zip_open(&file->archive, &file->source);
    if (!code) {
        find_arrays(file);
        take_single(file);
        if (!file->members[POINT_LOCATION])
            code = host_error(HOST_BAD_INPUT, path, HOST_NO_OFFSET,
                              "the archive has no array location");
    }
    if (!code) code = open_members(file, teller != NULL);
    if (!code && teller) note_unknown(file, teller);
    file->is_open = true;
    if (code) npz_file_close(file);
    return code;
}

void npz_file_close(npz_file *file)
{
    for (uint32_t a = 0; a < NPY_ARRAYS; a++) gzip_close(file->readers[a]);
    zip_close(&file->archive);
    host_source_close(&file->source);
    memset(file, 0, sizeof *file);
}

int npz_file_input(npz_file *file, uint32_t array, npy_input *input)
{
    const zip_member *member = file->members[array];
    *input = (npy_input){.archive = &file->archive,
                         .member = member,
                         .reader = file->readers[array],
                         .path = host_text("%s/%s", file->source.path, member->name),
                         .size = member->size};
    int code = input->path ? npy_input_begin(input) : host_out_of_memory("a path");
    if (code) npy_input_close(input);
    return code;
}
