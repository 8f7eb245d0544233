/* SPDX-License-Identifier: MIT
   host_tools/common/source.c - a regular file that is read at any offset, packed or not.
   reads   files                           writes  -
   memory  none; of a packed file that of gzip.h or zst.h    cost    O(bytes)
   after   own design */
#include "source.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int host_source_open(host_source *source, const char *path)
{
    struct stat status;
    memset(source, 0, sizeof *source);
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &status) != 0) {
        int code = host_error(HOST_IO, path, HOST_NO_OFFSET, "cannot open: %s", strerror(errno));
        if (file) fclose(file);
        return code;
    }
    /* a folder fails when read */
    if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))
        return host_source_take(source, file, path);
    fclose(file);
    return host_error(HOST_IO, path, HOST_NO_OFFSET,
                      "expected a regular file, found a device or a pipe; copy it to a file first");
}

int host_source_open_plain(host_source *source, const char *path)
{
    int code = host_source_open(source, path);
    if (code || !source->packing) return code;
    const char *tool = source->gzip ? "gunzip" : "unzstd", *packing = source->packing;
    host_source_close(source);
    return host_error(HOST_BAD_INPUT, path, 0,
                      "is packed with %s, which this format does not take; unpack it with %s",
                      packing, tool);
}

/* Looks at the first bytes. */
static int find_packing(host_source *source)
{
    uint8_t start[4];
    int file = fileno(source->file);
    const char *path = source->path;
    ssize_t got = pread(file, start, sizeof start, 0);
    if (got < 0) return host_error(HOST_IO, path, 0, "cannot read: %s", strerror(errno));
    if (gzip_recognises(start, (size_t)got)) {
        source->packing = "gzip";
        return gzip_open(&source->gzip, file, path, &(gzip_range){0, source->file_bytes, false});
    }
    if (zst_recognises(start, (size_t)got)) {
        source->packing = "zstd";
        return zst_open(&source->zst, file, path);
    }
    if (!packing_tail(path)) return HOST_DONE;
    const char *found = got < 2 ? "an empty or incomplete file" : "other bytes";
    bool is_gzip = gzip_is_name(path);
    return host_error(HOST_BAD_INPUT, path, 0,
                      "expected a %s stream, as the name says, found %s%s%s",
                      is_gzip ? "gzip" : "Zstandard", found, got < 2 ? "" : "; leave ",
                      got < 2   ? ""
                      : is_gzip ? ".gz out of it"
                                : ".zst out of it");
}

int host_source_take(host_source *source, FILE *file, const char *path)
{
    struct stat status;
    *source = (host_source){.file = file, .path = host_text("%s", path)};
    int code = source->path ? HOST_DONE : host_out_of_memory("a path");
    if (!code && fstat(fileno(file), &status) != 0)
        code = host_error(HOST_IO, path, HOST_NO_OFFSET, "cannot read: %s", strerror(errno));
    if (!code) {
        source->file_bytes = (uint64_t)status.st_size;
        code = find_packing(source);
    }
    if (code) host_source_close(source);
    return code;
}

void host_source_close(host_source *source)
{
    gzip_close(source->gzip);
    zst_close(source->zst);
    if (source->file) fclose(source->file);
    free(source->path);
    memset(source, 0, sizeof *source);
}

int host_source_read(host_source *source, uint64_t offset, void *bytes, size_t size, size_t *got)
{
    uint8_t *to = bytes;
    *got = 0;
    if (source->gzip) return gzip_read(source->gzip, offset, bytes, size, got);
    if (source->zst) return zst_read(source->zst, offset, bytes, size, got);
    while (*got < size) {
        ssize_t some = pread(fileno(source->file), to + *got, size - *got, (off_t)(offset + *got));
        if (some < 0)
            return host_error(HOST_IO, source->path, offset + *got, "cannot read: %s",
                              strerror(errno));
        if (some == 0) break;
        *got += (size_t)some;
    }
    return HOST_DONE;
}

int host_source_read_all(host_source *source, uint64_t offset, void *bytes, size_t size,
                         const char *what)
{
    size_t got;
    int code = host_source_read(source, offset, bytes, size, &got);
    if (code || got == size) return code;
    if (!source->packing && offset > source->file_bytes)
        return host_error(
            HOST_BAD_INPUT, source->path, source->file_bytes,
            "the file ends before %s, at byte %llu; that place is damaged, or the file is "
            "incomplete",
            what, (unsigned long long)offset);
    return host_error(HOST_BAD_INPUT, source->path, offset + got,
                      "the file ends inside %s; it is incomplete", what);
}

int host_source_size(host_source *source, uint64_t most, uint64_t *size)
{
    enum { BLOCK_BYTES = 1 << 16 };
    size_t got = BLOCK_BYTES;
    *size = source->file_bytes;
    if (!source->packing) return HOST_DONE;
    uint8_t *block = malloc(BLOCK_BYTES);
    int code = block ? HOST_DONE : host_out_of_memory(source->path);
    for (*size = 0; !code && got == BLOCK_BYTES && *size <= most; *size += got)
        code = host_source_read(source, *size, block, BLOCK_BYTES, &got);
    free(block);
    return code;
}
