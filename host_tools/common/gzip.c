/* SPDX-License-Identifier: MIT
   host_tools/common/gzip.c - packs files with gzip, and unpacks deflated bytes at any offset.
   reads   gzip and raw deflate streams    writes  gzip streams
   memory  40 KiB per access point, at most 64, and per cursor, at most 8
   cost    O(bytes) in order; going back costs at most 1/32 of the stream
   after   RFC 1951 and 1952, through zlib; access points as in Adler's zran.c: copies of the whole
           state, twice as far apart each time that the table is full */
#include "gzip.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool gzip_is_name(const char *path)
{
    size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

bool gzip_recognises(const uint8_t *start, size_t size)
{
    return size >= 2 && start[0] == 0x1f && start[1] == 0x8b;
}

#ifndef TIDEPOOL_ZLIB

int gzip_check(const char *path)
{
    return host_error(HOST_USAGE, path, HOST_NO_OFFSET,
                      "cannot be written: this program was built without zlib; leave .gz out and "
                      "pack the file with gzip, or install zlib's header files and build again");
}

int gzip_pack(FILE *from, FILE *to, const char *path)
{
    (void)from;
    (void)to;
    return gzip_check(path);
}

int gzip_deflate(FILE *from, FILE *to, const char *path) { return gzip_pack(from, to, path); }
bool gzip_is_built(void) { return false; }

int gzip_open(gzip_reader **reader, int file, const char *path, const gzip_range *range)
{
    (void)file;
    *reader = NULL;
    return host_error(HOST_BAD_INPUT, path, range->start,
                      "is packed, and this program was built without zlib; unpack it with %s, or "
                      "install zlib's header files and build again",
                      range->is_raw ? "unzip" : "gunzip");
}

int gzip_read(gzip_reader *reader, uint64_t offset, void *bytes, size_t size, size_t *got)
{
    (void)reader;
    (void)offset;
    (void)bytes;
    (void)size;
    *got = 0;
    return HOST_IO;
}

void gzip_close(gzip_reader *reader) { (void)reader; }

#else

#define ZLIB_CONST
#include <pthread.h>
#include <unistd.h>
#include <zlib.h>

enum { BUFFER_BYTES = 1 << 16, CURSORS = 8, POINTS_MAX = 64, LEVEL = 6, MEMORY_LEVEL = 8 };
enum { WINDOW_RAW = -15, WINDOW_GZIP = 31 }; /* zlib's codes of the container */
#define SPACING_FIRST (UINT64_C(1) << 20) /* bytes between the first access points */

int gzip_check(const char *path)
{
    (void)path;
    return HOST_DONE;
}

/* ---- packing */

/* Writes what the packer gives for its input; `flush`: Z_FINISH with the last bytes. */
static int put_packed(z_stream *stream, int flush, uint8_t *packed, FILE *to, const char *path)
{
    do {
        stream->next_out = packed;
        stream->avail_out = BUFFER_BYTES;
        deflate(stream, flush);
        size_t size = BUFFER_BYTES - stream->avail_out;
        if (fwrite(packed, 1, size, to) != size) return host_not_written(path);
    } while (stream->avail_out == 0);
    return HOST_DONE;
}

static int pack_all(z_stream *stream, FILE *from, FILE *to, const char *path, uint8_t *bytes)
{
    int code = fseeko(from, 0, SEEK_SET) == 0 ? HOST_DONE : host_not_written(path);
    for (bool is_end = false; !code && !is_end;) {
        size_t got = fread(bytes, 1, BUFFER_BYTES, from);
        code = ferror(from) ? host_not_written(path) : host_guard_check(path);
        is_end = got < BUFFER_BYTES;
        stream->next_in = bytes;
        stream->avail_in = (uInt)got;
        if (!code)
            code =
                put_packed(stream, is_end ? Z_FINISH : Z_NO_FLUSH, bytes + BUFFER_BYTES, to, path);
    }
    return code;
}

static int pack_as(FILE *from, FILE *to, const char *path, int window)
{
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    uint8_t *bytes = malloc(2 * BUFFER_BYTES);
    bool good = bytes && deflateInit2(&stream, LEVEL, Z_DEFLATED, window, MEMORY_LEVEL,
                                      Z_DEFAULT_STRATEGY) == Z_OK;
    int code = good ? pack_all(&stream, from, to, path, bytes) : host_out_of_memory(path);
    if (good) deflateEnd(&stream);
    free(bytes);
    return code;
}

int gzip_pack(FILE *from, FILE *to, const char *path)
{
    return pack_as(from, to, path, WINDOW_GZIP);
}

int gzip_deflate(FILE *from, FILE *to, const char *path)
{
    return pack_as(from, to, path, WINDOW_RAW);
}

bool gzip_is_built(void) { return true; }

/* ---- unpacking */

/* The state of an unpacker at one offset. */
typedef struct cursor {
    z_stream stream;
    uint64_t in, out; /* next byte of the file; bytes that are unpacked */
    uint64_t used;    /* time of the last use */
    bool is_live, has_ended;
} cursor;

struct gzip_reader {
    pthread_mutex_t lock;
    int file;
    const char *path;
    gzip_range range;
    uint64_t time, spacing, next_point; /* next_point: where the next access point is made */
    cursor cursors[CURSORS], points[POINTS_MAX];
    size_t point_count;
    uint64_t buffered; /* offset in the file of the bytes in `buffer` */
    size_t filled;
    uint8_t buffer[BUFFER_BYTES], skipped[BUFFER_BYTES];
};

int gzip_open(gzip_reader **reader, int file, const char *path, const gzip_range *range)
{
    gzip_reader *made = host_allocate(1, sizeof *made);
    *reader = made;
    if (!made || pthread_mutex_init(&made->lock, NULL) != 0) {
        free(made);
        *reader = NULL;
        return host_out_of_memory(path);
    }
    made->file = file;
    made->path = path;
    made->range = *range;
    made->spacing = made->next_point = SPACING_FIRST;
    return HOST_DONE;
}

static void end_cursor(cursor *at)
{
    if (at->is_live) inflateEnd(&at->stream);
    memset(at, 0, sizeof *at);
}

void gzip_close(gzip_reader *reader)
{
    if (!reader) return;
    for (size_t i = 0; i < CURSORS; i++) end_cursor(&reader->cursors[i]);
    for (size_t i = 0; i < reader->point_count; i++) end_cursor(&reader->points[i]);
    pthread_mutex_destroy(&reader->lock);
    free(reader);
}

/* Makes `to` a copy of `from`; NULL: the start of the stream. */
static bool copy_cursor(const gzip_reader *reader, cursor *to, cursor *from)
{
    end_cursor(to);
    to->in = reader->range.start;
    int code = from ? inflateCopy(&to->stream, &from->stream)
                    : inflateInit2(&to->stream, reader->range.is_raw ? WINDOW_RAW : WINDOW_GZIP);
    if (code != Z_OK) return false;
    if (from) to->in = from->in, to->out = from->out, to->has_ended = from->has_ended;
    return to->is_live = true;
}

/* Keeps every second access point. */
static void thin_points(gzip_reader *reader)
{
    size_t kept = 0;
    for (size_t i = 0; i < reader->point_count; i++) {
        if (i % 2 == 0) {
            end_cursor(&reader->points[i]);
            continue;
        }
        if (kept != i) copy_cursor(reader, &reader->points[kept], &reader->points[i]);
        if (kept != i) end_cursor(&reader->points[i]);
        kept++;
    }
    reader->point_count = kept;
    reader->spacing *= 2;
}

/* Without memory there is one access point fewer. */
static void add_point(gzip_reader *reader, cursor *at)
{
    if (reader->point_count == POINTS_MAX) thin_points(reader);
    reader->next_point = at->out + reader->spacing;
    if (copy_cursor(reader, &reader->points[reader->point_count], at))
        reader->point_count++;
    else
        memset(&reader->points[reader->point_count], 0, sizeof *reader->points);
}

/* The nearest state before `offset`. */
static void find_nearest(cursor *states, size_t count, uint64_t offset, cursor **best)
{
    for (size_t i = 0; i < count; i++) {
        cursor *at = &states[i];
        if (at->is_live && at->out <= offset && (!*best || at->out > (*best)->out)) *best = at;
    }
}

/* The cursor that comes to `offset` first: one before it, or the oldest one, moved to an access
   point. NULL: not enough memory. */
static cursor *take_cursor(gzip_reader *reader, uint64_t offset)
{
    cursor *point = NULL, *own = NULL, *oldest = &reader->cursors[0];
    find_nearest(reader->cursors, CURSORS, offset, &own);
    find_nearest(reader->points, reader->point_count, offset, &point);
    for (size_t i = 1; i < CURSORS; i++)
        if (reader->cursors[i].used < oldest->used) oldest = &reader->cursors[i];
    if (!own || (point && point->out > own->out)) {
        own = oldest;
        if (!copy_cursor(reader, own, point)) {
            memset(own, 0, sizeof *own);
            return NULL;
        }
    }
    own->used = ++reader->time;
    return own;
}

/* Gives the cursor the next bytes of the file. */
static int give_input(gzip_reader *reader, cursor *at)
{
    uint64_t left = reader->range.end - at->in;
    if (at->in < reader->buffered || at->in >= reader->buffered + reader->filled) {
        size_t wanted = left < BUFFER_BYTES ? (size_t)left : BUFFER_BYTES;
        ssize_t got = pread(reader->file, reader->buffer, wanted, (off_t)at->in);
        if (got < 0)
            return host_error(HOST_IO, reader->path, at->in, "cannot read: %s", strerror(errno));
        reader->buffered = at->in;
        reader->filled = (size_t)got;
    }
    size_t skip = (size_t)(at->in - reader->buffered), have = reader->filled - skip;
    at->stream.next_in = reader->buffer + skip;
    at->stream.avail_in = (uInt)(have < left ? have : left);
    return HOST_DONE;
}

/* A gzip file may consist of several streams, one after the other. */
static int end_stream(gzip_reader *reader, cursor *at)
{
    if (reader->range.is_raw || at->in == reader->range.end) {
        at->has_ended = true;
        return HOST_DONE;
    }
    int code = give_input(reader, at);
    if (!code && at->stream.avail_in && *at->stream.next_in != 0x1f)
        code = host_error(HOST_BAD_INPUT, reader->path, at->in,
                          "expected the end of the file or another gzip stream, found other bytes");
    if (!code && inflateReset(&at->stream) != Z_OK) code = host_out_of_memory(reader->path);
    return code;
}

static int refuse(const gzip_reader *reader, const cursor *at, int result)
{
    if (result == Z_MEM_ERROR) return host_out_of_memory(reader->path);
    if (result == Z_BUF_ERROR || result == Z_OK)
        return host_error(HOST_BAD_INPUT, reader->path, at->in,
                          "the packed data end too early; the file is incomplete");
    return host_error(HOST_BAD_INPUT, reader->path, at->in, "the packed data are damaged: %s",
                      at->stream.msg ? at->stream.msg : "an unknown code");
}

/* Unpacks up to `size` bytes at the cursor. */
static int advance(gzip_reader *reader, cursor *at, uint8_t *bytes, size_t size, size_t *got)
{
    *got = 0;
    while (*got < size && !at->has_ended) {
        int code = give_input(reader, at);
        if (code) return code;
        uInt given = at->stream.avail_in,
             some = size - *got < BUFFER_BYTES ? (uInt)(size - *got) : (uInt)BUFFER_BYTES;
        at->stream.next_out = bytes + *got;
        at->stream.avail_out = some;
        int result = inflate(&at->stream, Z_NO_FLUSH);
        at->in += given - at->stream.avail_in;
        *got += some - at->stream.avail_out;
        at->out += some - at->stream.avail_out;
        if (result == Z_STREAM_END)
            code = end_stream(reader, at);
        else if (result != Z_OK || (!given && at->stream.avail_out == some))
            code = refuse(reader, at, result);
        if (code) return code;
        if (at->out >= reader->next_point && !at->has_ended) add_point(reader, at);
    }
    return HOST_DONE;
}

static int read_locked(gzip_reader *reader, uint64_t offset, void *bytes, size_t size, size_t *got)
{
    cursor *at = take_cursor(reader, offset);
    int code = at ? HOST_DONE : host_out_of_memory(reader->path);
    *got = 0;
    while (!code && at->out < offset && !at->has_ended) {
        uint64_t left = offset - at->out;
        code = advance(reader, at, reader->skipped,
                       left < BUFFER_BYTES ? (size_t)left : BUFFER_BYTES, got);
    }
    *got = 0;
    if (!code && at->out == offset) code = advance(reader, at, bytes, size, got);
    if (code && at) end_cursor(at); /* its state is undefined */
    return code;
}

int gzip_read(gzip_reader *reader, uint64_t offset, void *bytes, size_t size, size_t *got)
{
    pthread_mutex_lock(&reader->lock);
    int code = read_locked(reader, offset, bytes, size, got);
    pthread_mutex_unlock(&reader->lock);
    return code;
}

#endif
