/* SPDX-License-Identifier: MIT
   host_tools/formats/tpc_packed.c - packed clips in files.
   reads   .tpc, packed or not             writes  the other
   memory  the clip and the packed clip    cost    see host_tools/clip/pack.h
   after   host_tools/clip/pack.h */
#include "tpc.h"
#include "../clip/compact.h"
#include "../clip/pack.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Reads a whole file, in malloc memory, from its begin. */
static int read_all(FILE *stream, const char *name, uint8_t **bytes, size_t *size)
{
    *bytes = NULL;
    bool good = fseeko(stream, 0, SEEK_END) == 0;
    off_t end = good ? ftello(stream) : -1;
    good = end >= 0 && fseeko(stream, 0, SEEK_SET) == 0;
    if (good && (uint64_t)end > SIZE_MAX / 2u) return host_out_of_memory(name);
    *size = good ? (size_t)end : 0;
    if (good && !(*bytes = malloc(*size + 1u))) return host_out_of_memory(name);
    if (good && fread(*bytes, 1, *size, stream) == *size) return HOST_DONE;
    free(*bytes);
    *bytes = NULL;
    return host_error(HOST_IO, name, HOST_NO_OFFSET, "cannot read: %s", strerror(errno));
}

static int unpack(const char *name, const uint8_t *packed, size_t packed_size, uint8_t **clip,
                  size_t *size)
{
    size_t at;
    int code = host_unpack(packed, packed_size, clip, size, &at);
    if (code == 2) return host_out_of_memory(name);
    if (!code) return HOST_DONE;
    return host_error(HOST_BAD_INPUT, name, at,
                      "the clip is damaged: expected a packed clip with a correct checksum");
}

int tpc_open_packed(const host_sequence *sequence, tpc_clip *state)
{
    uint8_t start[4], *packed, *clip = NULL;
    size_t packed_size, size = 0;
    bool is_packed = fread(start, 1, sizeof start, state->stream) == sizeof start &&
                     host_pack_recognises(start, sizeof start);
    if (!is_packed) return HOST_DONE;
    int code = read_all(state->stream, sequence->path, &packed, &packed_size);
    if (code) return code;
    code = unpack(sequence->path, packed, packed_size, &clip, &size);
    free(packed);
    if (code) return code;
    FILE *plain = tmpfile();
    if (!plain || fwrite(clip, 1, size, plain) != size || fflush(plain) != 0)
        code = host_error(HOST_IO, sequence->path, HOST_NO_OFFSET,
                          "cannot write the clip to a temporary file: %s", strerror(errno));
    free(clip);
    if (code && plain) fclose(plain);
    if (code) return code;
    fclose(state->stream);
    state->stream = plain;
    state->packed_size = packed_size;
    state->size = size;
    return HOST_DONE;
}

static int put_all(FILE *to, const char *name, const uint8_t *bytes, size_t size)
{
    if (fwrite(bytes, 1, size, to) == size) return HOST_DONE;
    return host_not_written(name);
}

/* Replaces a clip in memory by its compact form, if it has one. */
static int make_compact(const char *name, uint8_t **clip, size_t *size)
{
    uint8_t *compact;
    size_t compact_size;
    int result = host_compact(*clip, *size, &compact, &compact_size);
    if (result == 2) return host_out_of_memory(name);
    if (result) return HOST_DONE;
    free(*clip);
    *clip = compact, *size = compact_size;
    return HOST_DONE;
}

int tpc_write_packed(FILE *plain, bool is_compact, FILE *to, const char *name)
{
    uint8_t *clip, *packed = NULL;
    size_t size, packed_size = 0;
    int code = read_all(plain, name, &clip, &size);
    if (!code && is_compact) code = make_compact(name, &clip, &size);
    if (code) return code;
    int result = host_pack(clip, size, &packed, &packed_size);
    if (result == 2) code = host_out_of_memory(name);
    if (result == 1)
        host_note(name, HOST_NO_OFFSET,
                  "written as a plain clip: one that was appended to, not closed, or has more than "
                  "1 GiB cannot be packed");
    if (!code) code = put_all(to, name, packed ? packed : clip, packed ? packed_size : size);
    free(packed);
    free(clip);
    return code;
}

int tpc_write_compact(FILE *plain, FILE *to, const char *name)
{
    uint8_t *clip;
    size_t size;
    int code = read_all(plain, name, &clip, &size);
    if (code) return code;
    code = make_compact(name, &clip, &size);
    if (!code) code = put_all(to, name, clip, size);
    free(clip);
    return code;
}

static int write_plain(const char *from, const uint8_t *bytes, size_t size, FILE *to)
{
    uint8_t *clip = NULL;
    size_t clip_size = size;
    bool is_packed = host_pack_recognises(bytes, size);
    int code = is_packed ? unpack(from, bytes, size, &clip, &clip_size) : HOST_DONE;
    if (!code) code = put_all(to, from, clip ? clip : bytes, clip_size);
    free(clip);
    return code;
}

int tpc_repack(const char *from, const char *to, bool packs)
{
    uint8_t *bytes;
    size_t size;
    host_output output;
    int code = host_read_file(from, &bytes, &size);
    if (code) return code;
    code = host_output_open(&output, to);
    if (!code) {
        FILE *plain = packs ? tmpfile() : output.stream;
        if (!plain)
            code = host_error(HOST_IO, to, HOST_NO_OFFSET, "cannot make a temporary file: %s",
                              strerror(errno));
        if (!code) code = write_plain(from, bytes, size, plain);
        if (!code && packs) code = tpc_write_packed(plain, false, output.stream, output.name);
        if (packs && plain) fclose(plain);
        int closed = host_output_close(&output, !code);
        if (!code) code = closed;
    }
    free(bytes);
    return code;
}
