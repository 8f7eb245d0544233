/* SPDX-License-Identifier: MIT
   host_tools/formats/zip.c - reads archives of the ZIP format.
   reads   a file                          writes  -
   memory  the directory, at most 16 MiB   cost    O(members) to open, O(bytes) to check
   after   PKWARE's APPNOTE 6.3.10 */
#include "zip.h"
#include "../common/crc32.h"
#include "bytes.h"
#include <stdlib.h>
#include <string.h>

enum {
    END_BYTES = 22,      /* end of the directory */
    END64_BYTES = 56,    /* the same of ZIP64 */
    LOCATOR_BYTES = 20,  /* tells where that is */
    ENTRY_BYTES = 46,    /* of the directory, before its name */
    HEAD_BYTES = 30,     /* of a member, before its name */
    COMMENT_MAX = 65535, /* after the end */
    DIRECTORY_MAX = 1 << 24,
    BLOCK_BYTES = 1 << 16
};
#define END_MARK     0x06054b50u
#define END64_MARK   0x06064b50u
#define LOCATOR_MARK 0x07064b50u
#define ENTRY_MARK   0x02014b50u
#define HEAD_MARK    0x04034b50u
#define SEE_EXTRA    0xffffffffu /* the value is in the extra field of ZIP64 */

bool zip_recognises(const uint8_t *start, size_t size)
{
    return size >= 4 &&
           (bytes_load(start, 4, false) == HEAD_MARK || bytes_load(start, 4, false) == END_MARK);
}

static int refuse(const zip_archive *archive, uint64_t at, const char *what)
{
    return host_error(HOST_BAD_INPUT, archive->source->path, at, "%s", what);
}

/* Reads exactly `size` bytes. */
static int read_exactly(const zip_archive *archive, uint64_t at, void *bytes, size_t size)
{
    size_t got;
    int code = host_source_read(archive->source, at, bytes, size, &got);
    if (code || got == size) return code;
    uint64_t end = archive->source->file_bytes; /* a damaged place may lie beyond it */
    return refuse(archive, at + got < end ? at + got : end,
                  "the archive ends early; it is incomplete");
}

/* ---- the directory */

typedef struct zip_directory {
    uint64_t start, size, count;
} zip_directory;

/* Finds the end of the directory: the last one, before a comment. *at: its offset. */
static int find_end(const zip_archive *archive, uint8_t end[END_BYTES], uint64_t *at)
{
    uint64_t file = archive->source->file_bytes;
    size_t size = file < END_BYTES + COMMENT_MAX ? (size_t)file : (size_t)END_BYTES + COMMENT_MAX;
    uint8_t *tail = malloc(size + 1);
    int code = tail ? read_exactly(archive, file - size, tail, size) : host_out_of_memory("a file");
    bool found = false;
    for (size_t i = size < END_BYTES ? 0 : size - END_BYTES + 1; !code && !found && i > 0; i--) {
        const uint8_t *here = tail + i - 1;
        found = bytes_load(here, 4, false) == END_MARK &&
                bytes_load(here + 20, 2, false) == size - END_BYTES - (i - 1);
        if (!found) continue;
        memcpy(end, here, END_BYTES);
        *at = file - size + (i - 1);
    }
    free(tail);
    if (code || found) return code;
    return refuse(archive, file, "the end of the archive is missing; the file is incomplete");
}

static int find_directory(const zip_archive *archive, zip_directory *directory)
{
    uint64_t at = 0;
    uint8_t end[END_BYTES], more[END64_BYTES];
    int code = find_end(archive, end, &at);
    if (code) return code;
    *directory = (zip_directory){bytes_load(end + 16, 4, false), bytes_load(end + 12, 4, false),
                                 bytes_load(end + 10, 2, false)};
    bool must_be_wide = directory->start == SEE_EXTRA || directory->size == SEE_EXTRA,
         is_wide = (must_be_wide || directory->count == 0xffff) && at >= LOCATOR_BYTES;
    if (is_wide) {
        code = read_exactly(archive, at - LOCATOR_BYTES, more, LOCATOR_BYTES);
        if (code) return code;
        is_wide = bytes_load(more, 4, false) == LOCATOR_MARK;
        if (!is_wide && must_be_wide)
            return refuse(archive, at - LOCATOR_BYTES, "expected the locator of ZIP64");
    }
    if (is_wide) {
        uint64_t wide = bytes_load(more + 8, 8, false);
        code = read_exactly(archive, wide, more, END64_BYTES);
        if (code) return code;
        if (bytes_load(more, 4, false) != END64_MARK)
            return refuse(archive, wide, "expected the end of the directory of ZIP64");
        *directory =
            (zip_directory){bytes_load(more + 48, 8, false), bytes_load(more + 40, 8, false),
                            bytes_load(more + 32, 8, false)};
    }
    if (directory->size <= DIRECTORY_MAX && directory->start <= at &&
        directory->size <= at - directory->start)
        return HOST_DONE;
    return refuse(archive, at, "the directory of the archive lies outside of the file");
}

/* Replaces values by those of the extra field of ZIP64, in their order. */
static bool take_extra(const uint8_t *extra, size_t size, uint64_t *values[3])
{
    bool needs = *values[0] == SEE_EXTRA || *values[1] == SEE_EXTRA || *values[2] == SEE_EXTRA;
    for (size_t at = 0, length; at + 4 <= size; at += 4 + length) {
        length = (size_t)bytes_load(extra + at + 2, 2, false);
        if (length > size - at - 4) return !needs;
        size_t used = 0;
        for (int v = 0; v < 3 && bytes_load(extra + at, 2, false) == 1; v++) {
            if (*values[v] != SEE_EXTRA) continue;
            if (length - used < 8) return false;
            *values[v] = bytes_load(extra + at + 4 + used, 8, false);
            used += 8;
        }
        if (bytes_load(extra + at, 2, false) == 1) return true;
    }
    return !needs;
}

/* The bytes of a member begin after its own head, whose name and extra field may differ. */
static int find_start(const zip_archive *archive, zip_member *member, uint64_t head)
{
    uint8_t bytes[HEAD_BYTES];
    int code = read_exactly(archive, head, bytes, HEAD_BYTES);
    if (code) return code;
    if (bytes_load(bytes, 4, false) != HEAD_MARK)
        return refuse(archive, head, "expected the head of a member of the archive");
    member->start =
        head + HEAD_BYTES + bytes_load(bytes + 26, 2, false) + bytes_load(bytes + 28, 2, false);
    uint64_t file = archive->source->file_bytes;
    if (member->start <= file && member->packed <= file - member->start) return HOST_DONE;
    return refuse(archive, file, "the file ends inside a member; it is incomplete");
}

static int add_member(zip_archive *archive, const uint8_t *entry, size_t size, uint64_t offset,
                      size_t *used)
{
    size_t name = (size_t)bytes_load(entry + 28, 2, false),
           extra = (size_t)bytes_load(entry + 30, 2, false);
    *used = ENTRY_BYTES + name + extra + (size_t)bytes_load(entry + 32, 2, false);
    uint64_t method = bytes_load(entry + 10, 2, false), head = bytes_load(entry + 42, 4, false);
    zip_member made = {.is_deflated = method == 8,
                       .sum = (uint32_t)bytes_load(entry + 16, 4, false),
                       .packed = bytes_load(entry + 20, 4, false),
                       .size = bytes_load(entry + 24, 4, false)};
    if (*used > size) return refuse(archive, offset, "the directory of the archive is cut off");
    if (bytes_load(entry + 8, 2, false) & 1)
        return refuse(archive, offset, "the archive is encrypted, which is not supported");
    if (method != 0 && method != 8)
        return refuse(archive, offset, "a member is neither stored nor deflated");
    uint64_t *values[3] = {&made.size, &made.packed, &head};
    if (!take_extra(entry + ENTRY_BYTES + name, extra, values))
        return refuse(archive, offset, "the sizes of ZIP64 are missing");
    if (!made.is_deflated && made.size != made.packed)
        return refuse(archive, offset, "the two sizes of a stored member differ");
    int code = find_start(archive, &made, head);
    if (code) return code;
    zip_member *members =
        host_lengthen(archive->members, archive->count, &archive->capacity, sizeof *members);
    if (members) archive->members = members;
    made.name = members ? host_text("%.*s", (int)name, (const char *)entry + ENTRY_BYTES) : NULL;
    if (!made.name) return host_out_of_memory("the members of an archive");
    archive->members[archive->count++] = made;
    return HOST_DONE;
}

static int read_directory(zip_archive *archive, const zip_directory *directory)
{
    size_t size = (size_t)directory->size, at = 0, used = 0;
    uint8_t *bytes = malloc(size + 1);
    int code = bytes ? read_exactly(archive, directory->start, bytes, size)
                     : host_out_of_memory("the members of an archive");
    for (uint64_t m = 0; !code && m < directory->count; m++, at += used) {
        uint64_t offset = directory->start + at;
        if (size - at < ENTRY_BYTES || bytes_load(bytes + at, 4, false) != ENTRY_MARK)
            code = refuse(archive, offset, "expected a member in the directory of the archive");
        else
            code = add_member(archive, bytes + at, size - at, offset, &used);
    }
    free(bytes);
    return code;
}

int zip_open(zip_archive *archive, host_source *source)
{
    zip_directory directory;
    *archive = (zip_archive){.source = source};
    int code = find_directory(archive, &directory);
    if (!code) code = read_directory(archive, &directory);
    if (code) zip_close(archive);
    return code;
}

void zip_close(zip_archive *archive)
{
    for (size_t i = 0; i < archive->count; i++) free(archive->members[i].name);
    free(archive->members);
    memset(archive, 0, sizeof *archive);
}

/* ---- members */

int zip_unpack(const zip_archive *archive, const zip_member *member, gzip_reader **reader)
{
    return gzip_open(reader, fileno(archive->source->file), archive->source->path,
                     &(gzip_range){member->start, member->start + member->packed, true});
}

int zip_read(const zip_archive *archive, const zip_member *member, gzip_reader *reader,
             uint64_t offset, void *bytes, size_t size, size_t *got)
{
    *got = 0;
    if (reader) return gzip_read(reader, offset, bytes, size, got);
    uint64_t left = offset < member->size ? member->size - offset : 0;
    if (size > left) size = (size_t)left;
    return host_source_read(archive->source, member->start + offset, bytes, size, got);
}

int zip_check(const zip_archive *archive, const zip_member *member, gzip_reader *reader)
{
    size_t got = BLOCK_BYTES;
    uint64_t done = 0;
    uint32_t sum = 0;
    uint8_t *block = malloc(BLOCK_BYTES);
    int code = block ? HOST_DONE : host_out_of_memory("a file");
    while (!code && got == BLOCK_BYTES && done <= member->size) {
        code = zip_read(archive, member, reader, done, block, BLOCK_BYTES, &got);
        sum = crc32_add(sum, block, got);
        done += got;
    }
    free(block);
    if (code || (done == member->size && sum == member->sum)) return code;
    return host_error(HOST_BAD_INPUT, archive->source->path, member->start,
                      "the member %s is damaged: its %s is not that of the directory", member->name,
                      done == member->size ? "sum" : "size");
}
