/* SPDX-License-Identifier: MIT
   host_tools/common/zst.c - packs files as Zstandard frames, and unpacks them at any offset.
   reads   .zst streams                    writes  .zst streams
   memory  a window; the unpacked bytes lie in a temporary file
   cost    O(bytes)
   after   see zst.h; a file is unpacked as far as it is read, and once */
#include "zst.h"
#include "../compress/zstd.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INPUT_BYTES = 1 << 19 };

bool zst_is_name(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".zst") == 0;
}

bool zst_recognises(const uint8_t *start, size_t size)
{
    return size >= 4 && (memcmp(start, "\x28\xb5\x2f\xfd", 4) == 0 ||
                         (start[0] >> 4 == 5 && memcmp(start + 1, "\x2a\x4d\x18", 3) == 0));
}

/* ---- packing */

typedef struct zst_packer {
    uint8_t *plain, *packed;
    void *work;
    zstd_sum sum;
} zst_packer;

static int pack_pieces(zst_packer *packer, FILE *from, FILE *to, const char *path, uint64_t size)
{
    uint64_t done = 0;
    zstd_sum_start(&packer->sum);
    size_t used = zstd_begin_frame(size, packer->packed, packer->work);
    fwrite(packer->packed, 1, used, to);
    do {
        size_t wanted = size - done < ZSTD_PIECE_MAX ? (size_t)(size - done) : ZSTD_PIECE_MAX;
        int code = host_guard_check(path);
        if (code) return code;
        if (fread(packer->plain, 1, wanted, from) != wanted) return host_not_written(path);
        done += wanted;
        zstd_sum_add(&packer->sum, packer->plain, wanted);
        used = zstd_encode_piece(packer->plain, wanted, done == size, packer->packed, packer->work);
        if (fwrite(packer->packed, 1, used, to) != used) return host_not_written(path);
    } while (done < size);
    uint64_t sum = zstd_sum_end(&packer->sum);
    uint8_t bytes[4];
    for (uint32_t k = 0; k < 4; k++) bytes[k] = (uint8_t)(sum >> 8 * k);
    return fwrite(bytes, 1, 4, to) == 4 ? HOST_DONE : host_not_written(path);
}

int zst_pack(FILE *from, FILE *to, const char *path)
{
    zst_packer packer = {malloc(ZSTD_PIECE_MAX),
                         malloc(zstd_bound(ZSTD_PIECE_MAX)),
                         malloc(zstd_encoder_bytes(0)),
                         {.size = 0}};
    bool has_memory = packer.plain && packer.packed && packer.work;
    int code = has_memory ? HOST_DONE : host_out_of_memory(path);
    off_t size = fseeko(from, 0, SEEK_END) == 0 ? ftello(from) : -1;
    if (!code && (size < 0 || fseeko(from, 0, SEEK_SET) != 0)) code = host_not_written(path);
    if (!code) code = pack_pieces(&packer, from, to, path, (uint64_t)size);
    free(packer.plain);
    free(packer.packed);
    free(packer.work);
    return code;
}

/* ---- unpacking */

struct zst_reader {
    pthread_mutex_t lock;
    int file;
    const char *path;
    FILE *spool;             /* the bytes that are unpacked */
    uint64_t spooled, in;    /* their number; offset in the file of the input */
    size_t start, filled;    /* of the input */
    bool has_all, has_ended; /* the input has the rest of the file; all is unpacked */
    zstd_stream stream;
    uint8_t input[INPUT_BYTES];
};

int zst_open(zst_reader **reader, int file, const char *path)
{
    zst_reader *made = host_allocate(1, sizeof *made);
    *reader = NULL;
    if (!made || pthread_mutex_init(&made->lock, NULL) != 0) {
        free(made);
        return host_out_of_memory(path);
    }
    made->file = file;
    made->path = path;
    made->spool = tmpfile();
    made->stream.work = malloc(zstd_decoder_bytes());
    *reader = made;
    if (made->spool && made->stream.work) return HOST_DONE;
    int code = made->spool ? host_out_of_memory(path)
                           : host_error(HOST_IO, path, HOST_NO_OFFSET,
                                        "cannot create a temporary file: %s", strerror(errno));
    zst_close(made);
    *reader = NULL;
    return code;
}

void zst_close(zst_reader *reader)
{
    if (!reader) return;
    if (reader->spool) fclose(reader->spool);
    free(reader->stream.work);
    free(reader->stream.space);
    pthread_mutex_destroy(&reader->lock);
    free(reader);
}

/* Moves the rest of the input to the front and reads more of the file. */
static int fill_input(zst_reader *reader)
{
    memmove(reader->input, reader->input + reader->start, reader->filled - reader->start);
    reader->filled -= reader->start;
    reader->start = 0;
    while (reader->filled < INPUT_BYTES && !reader->has_all) {
        ssize_t got = pread(reader->file, reader->input + reader->filled,
                            INPUT_BYTES - reader->filled, (off_t)(reader->in + reader->filled));
        if (got < 0)
            return host_error(HOST_IO, reader->path, reader->in + reader->filled, "cannot read: %s",
                              strerror(errno));
        reader->has_all = got == 0;
        reader->filled += (size_t)got;
    }
    return HOST_DONE;
}

static int give_space(zst_reader *reader)
{
    free(reader->stream.space);
    reader->stream.space = malloc(reader->stream.wanted);
    reader->stream.space_bytes = reader->stream.space ? reader->stream.wanted : 0;
    return reader->stream.space ? HOST_DONE : host_out_of_memory(reader->path);
}

static int keep(zst_reader *reader, const uint8_t *bytes, size_t size)
{
    while (size) {
        ssize_t put = pwrite(fileno(reader->spool), bytes, size, (off_t)reader->spooled);
        if (put <= 0)
            return host_error(HOST_IO, reader->path, HOST_NO_OFFSET,
                              "cannot write its contents to a temporary file: %s", strerror(errno));
        bytes += put;
        size -= (size_t)put;
        reader->spooled += (uint64_t)put;
    }
    return HOST_DONE;
}

static int unpack_some(zst_reader *reader)
{
    compress_fault fault;
    const uint8_t *out;
    size_t used, size, left = reader->filled - reader->start;
    if (!left && reader->has_all && !reader->stream.is_inside && !reader->stream.skip) {
        reader->has_ended = true;
        return HOST_DONE;
    }
    zstd_step_result result = zstd_stream_step(&reader->stream, reader->input + reader->start, left,
                                               reader->has_all, &used, &out, &size, &fault);
    if (result == ZSTD_FAULT)
        return host_error(HOST_BAD_INPUT, reader->path, reader->in + fault.at,
                          "the packed data are damaged or incomplete: %s", fault.why);
    if (result == ZSTD_SPACE) return give_space(reader);
    if (result == ZSTD_MORE) return fill_input(reader);
    reader->start += used;
    reader->in += used;
    return keep(reader, out, size);
}

static int read_locked(zst_reader *reader, uint64_t offset, void *bytes, size_t size, size_t *got)
{
    int code = HOST_DONE;
    *got = 0;
    while (!code && !reader->has_ended && reader->spooled < offset + size)
        code = unpack_some(reader);
    while (!code && *got < size && offset + *got < reader->spooled) {
        ssize_t some = pread(fileno(reader->spool), (uint8_t *)bytes + *got, size - *got,
                             (off_t)(offset + *got));
        if (some <= 0)
            code = host_error(HOST_IO, reader->path, HOST_NO_OFFSET, "cannot read: %s",
                              strerror(errno));
        else
            *got += (size_t)some;
    }
    return code;
}

int zst_read(zst_reader *reader, uint64_t offset, void *bytes, size_t size, size_t *got)
{
    pthread_mutex_lock(&reader->lock);
    int code = read_locked(reader, offset, bytes, size, got);
    pthread_mutex_unlock(&reader->lock);
    return code;
}
