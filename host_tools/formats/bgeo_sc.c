/* SPDX-License-Identifier: MIT
   host_tools/formats/bgeo_sc.c - points of Houdini in its seekable compressed container (.bgeo.sc).
   reads   bytes of one file               writes  bytes of one file
   memory  the unpacked file, at most 512 MiB    cost    O(bytes)
   after   the layout that HouIO and other readers document: "scf1", metadata after their length,
           chunks of Blosc, an index of their offsets, its length, "1fcs"; numbers of 8 bytes,
           big-endian */
#include "../compress/blosc.h"
#include "bytes.h"
#include "hgeo.h"
#include <stdlib.h>
#include <string.h>

enum { MAGIC_BYTES = 4, HEAD_BYTES = 12, FOOT_BYTES = 12, INDEX_LEAST = 16 };
enum { CHUNK_BYTES = 1 << 20 };
#define UNPACKED_MAX ((UINT64_C(1) << 29) - (UINT64_C(1) << 20))

bool bgeo_sc_recognises(const uint8_t *start, size_t size)
{
    return size >= MAGIC_BYTES && memcmp(start, "scf1", MAGIC_BYTES) == 0;
}

/* ---- reading */

typedef struct container {
    const host_piece *piece;
    size_t first, end; /* of the chunks */
    size_t size;       /* of their contents */
    size_t work;       /* bytes of memory to decode any of them */
} container;

static int read_ends(container *file)
{
    const host_piece *piece = file->piece;
    const uint8_t *bytes = piece->bytes;
    if (!bgeo_sc_recognises(bytes, piece->size))
        return piece_error(piece, 0, "magic is not scf1, that of Houdini's packed files");
    if (piece->size < HEAD_BYTES + FOOT_BYTES ||
        memcmp(bytes + piece->size - MAGIC_BYTES, "1fcs", MAGIC_BYTES) != 0)
        return piece_error(piece, piece->size, "the file does not end with 1fcs; it is incomplete");
    uint64_t inside = piece->size - HEAD_BYTES - FOOT_BYTES;
    uint64_t metadata = bytes_load(bytes + MAGIC_BYTES, 8, true);
    uint64_t index = bytes_load(bytes + piece->size - FOOT_BYTES, 8, true);
    if (metadata > inside)
        return piece_error(piece, MAGIC_BYTES, "the metadata are longer than the file");
    if (index < INDEX_LEAST || index > inside - metadata)
        return piece_error(piece, piece->size - FOOT_BYTES,
                           "the index of chunks has %llu bytes, expected 16 to %llu",
                           (unsigned long long)index, (unsigned long long)(inside - metadata));
    file->first = HEAD_BYTES + (size_t)metadata;
    file->end = piece->size - FOOT_BYTES - (size_t)index;
    return HOST_DONE;
}

static int chunk_error(const container *file, size_t at, const compress_fault *fault)
{
    return piece_error(file->piece, at + fault->at, "%s", fault->why);
}

/* Sums the sizes of all chunks, so that no memory is allocated for one that is damaged. */
static int measure(container *file)
{
    compress_fault fault;
    blosc_head head;
    uint64_t size = 0;
    for (size_t at = file->first; at < file->end; at += head.packed) {
        if (!blosc_read_head(file->piece->bytes + at, file->end - at, &head, &fault))
            return chunk_error(file, at, &fault);
        size += head.size;
        if (size > UNPACKED_MAX)
            return piece_error(file->piece, at,
                               "the file unpacks to more than %llu bytes; save it as .bgeo",
                               (unsigned long long)UNPACKED_MAX);
        size_t work = blosc_decoder_bytes(&head);
        if (work > file->work) file->work = work;
    }
    file->size = (size_t)size;
    return HOST_DONE;
}

static int unpack(const container *file, uint8_t *out)
{
    compress_fault fault;
    blosc_head head;
    void *work = malloc(file->work ? file->work : 1);
    int code = work ? HOST_DONE : host_out_of_memory(file->piece->path);
    for (size_t at = file->first; at < file->end && !code; at += head.packed) {
        const uint8_t *bytes = file->piece->bytes + at;
        bool good = blosc_read_head(bytes, file->end - at, &head, &fault) &&
                    blosc_decode(bytes, &head, out, work, &fault);
        if (!good) code = chunk_error(file, at, &fault);
        out += head.size;
    }
    free(work);
    return code;
}

int bgeo_sc_read(host_piece *piece, host_frame *frame)
{
    container file = {.piece = piece};
    int code = read_ends(&file);
    if (!code) code = measure(&file);
    if (code) return code;
    uint8_t *unpacked = malloc(file.size + 1);
    if (!unpacked) return host_out_of_memory(piece->path);
    unpacked[file.size] = 0;
    code = unpack(&file, unpacked);
    host_piece inner = *piece;
    inner.bytes = unpacked;
    inner.size = file.size;
    if (!code) code = bgeo_read(&inner, frame);
    free(unpacked);
    return code;
}

/* ---- writing */

static void put_number(FILE *stream, uint64_t value)
{
    uint8_t bytes[8];
    bytes_store(bytes, 8, true, value);
    fwrite(bytes, 1, sizeof bytes, stream);
}

typedef struct sc_packer {
    uint8_t *plain, *packed;
    void *work;
    uint64_t offsets[UNPACKED_MAX / CHUNK_BYTES]; /* of the chunks after the first */
} sc_packer;

static void free_packer(sc_packer *made)
{
    free(made->plain);
    free(made->packed);
    free(made->work);
    free(made);
}

static sc_packer *make_packer(void)
{
    sc_packer *made = host_allocate(1, sizeof *made);
    if (!made) return NULL;
    made->plain = malloc(CHUNK_BYTES);
    made->packed = malloc(blosc_bound(CHUNK_BYTES));
    made->work = malloc(blosc_encoder_bytes());
    if (made->plain && made->packed && made->work) return made;
    free_packer(made);
    return NULL;
}

/* Packs all bytes of `from`, from its beginning. */
static int pack(sc_packer *packer, FILE *from, FILE *to, const char *path)
{
    size_t chunks = 0, got = CHUNK_BYTES, last = 0;
    uint64_t offset = 0;
    fwrite("scf1", 1, MAGIC_BYTES, to);
    put_number(to, 0); /* no metadata */
    if (fseeko(from, 0, SEEK_SET) != 0) return host_not_written(path);
    while (got == CHUNK_BYTES) {
        got = fread(packer->plain, 1, CHUNK_BYTES, from);
        if (ferror(from)) return host_not_written(path);
        if (!got) break;
        if (chunks >= sizeof packer->offsets / sizeof packer->offsets[0])
            return host_error(HOST_BAD_INPUT, path, HOST_NO_OFFSET,
                              "the frame has more than %llu bytes; write it as .bgeo",
                              (unsigned long long)UNPACKED_MAX);
        packer->offsets[chunks++] = offset;
        size_t size = blosc_encode(packer->plain, got, packer->packed, packer->work);
        fwrite(packer->packed, 1, size, to);
        offset += size;
        last = got;
    }
    for (size_t c = 1; c < chunks; c++) put_number(to, packer->offsets[c]);
    put_number(to, CHUNK_BYTES);
    put_number(to, last);
    put_number(to, (chunks + 1) * 8);
    fwrite("1fcs", 1, MAGIC_BYTES, to);
    return HOST_DONE;
}

int bgeo_sc_write(FILE *stream, const host_sink *sink, const host_frame *frame)
{
    int code = houdini_check_frame(frame, sink->path);
    if (code) return code;
    sc_packer *packer = make_packer();
    FILE *plain = tmpfile();
    if (!packer || !plain) code = host_out_of_memory("a packed frame");
    if (!code) code = hgeo_write(plain, frame, false);
    if (!code && fflush(plain) != 0) code = host_not_written(sink->path);
    if (!code) code = pack(packer, plain, stream, sink->path);
    if (plain) fclose(plain);
    if (packer) free_packer(packer);
    return code;
}
