/* SPDX-License-Identifier: MIT
   host_tools/formats/zip_write.c - writes archives of the ZIP format in one pass.
   reads   the files of the members        writes  a file
   memory  64 KiB, and the directory       cost    O(bytes), twice
   after   PKWARE's APPNOTE 6.3.10; ZIP64 only where a number needs it, because simple readers of
           .npz files do not know it */
#include "../common/crc32.h"
#include "bytes.h"
#include "zip.h"
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 16, HEAD_MAX = 46 + 28, VERSION = 20, VERSION64 = 45 };
#define DATE_1980 0x21u /* the first of January, so that the same input gives the same bytes */

void zip_begin(zip_writer *writer, FILE *stream, const char *path)
{
    *writer = (zip_writer){.stream = stream, .path = path, .limit = 0xffffffffu};
}

void zip_free(zip_writer *writer)
{
    for (size_t i = 0; i < writer->count; i++) free(writer->members[i].name);
    free(writer->members);
    memset(writer, 0, sizeof *writer);
}

/* Numbers of a record, one after the other. */
typedef struct record {
    uint8_t bytes[HEAD_MAX];
    size_t size;
} record;

static void put(record *to, uint32_t bytes, uint64_t value)
{
    bytes_store(to->bytes + to->size, bytes, false, value);
    to->size += bytes;
}

static int write_bytes(zip_writer *writer, const void *bytes, size_t size)
{
    if (size && fwrite(bytes, 1, size, writer->stream) != size)
        return host_not_written(writer->path);
    writer->written += size;
    return HOST_DONE;
}

/* The number, or the mark that it is in the extra field. */
static uint64_t narrow(const zip_writer *writer, uint64_t value)
{
    return value >= writer->limit ? 0xffffffffu : value;
}

/* The head of a member and its entry in the directory differ in little. `head`: offset of the
   head. */
static int write_head(zip_writer *writer, const zip_member *member, bool is_entry, uint64_t head)
{
    bool is_wide = member->size >= writer->limit || member->packed >= writer->limit ||
                   (is_entry && head >= writer->limit);
    uint64_t wide[3] = {member->size, member->packed, head};
    size_t name = strlen(member->name), numbers = 0;
    record fixed = {{0}, 0}, extra = {{0}, 0};
    for (int i = 0; i < 2 + is_entry && is_wide; i++) numbers += wide[i] >= writer->limit;
    if (is_wide) put(&extra, 2, 1), put(&extra, 2, numbers * 8);
    for (int i = 0; i < 2 + is_entry && is_wide; i++)
        if (wide[i] >= writer->limit) put(&extra, 8, wide[i]);
    put(&fixed, 4, is_entry ? 0x02014b50u : 0x04034b50u);
    if (is_entry) put(&fixed, 2, is_wide ? VERSION64 : VERSION);
    put(&fixed, 2, is_wide ? VERSION64 : VERSION);
    put(&fixed, 2, 0); /* flags */
    put(&fixed, 2, member->is_deflated ? 8 : 0);
    put(&fixed, 4, DATE_1980 << 16);
    put(&fixed, 4, member->sum);
    put(&fixed, 4, narrow(writer, member->packed));
    put(&fixed, 4, narrow(writer, member->size));
    put(&fixed, 2, name);
    put(&fixed, 2, extra.size);
    if (is_entry) put(&fixed, 6, 0), put(&fixed, 4, 0); /* comment, disk, attributes */
    if (is_entry) put(&fixed, 4, narrow(writer, head));
    int code = write_bytes(writer, fixed.bytes, fixed.size);
    if (!code) code = write_bytes(writer, member->name, name);
    return code ? code : write_bytes(writer, extra.bytes, extra.size);
}

/* Reads all bytes of a file; writes them too, or only sums them. */
static int pass_over(zip_writer *writer, FILE *from, bool writes, uint64_t *size, uint32_t *sum)
{
    uint8_t *block = malloc(BLOCK_BYTES);
    int code = block ? HOST_DONE : host_out_of_memory("a file");
    if (!code && fseeko(from, 0, SEEK_SET) != 0) code = host_not_written(writer->path);
    *size = *sum = 0;
    for (size_t got = BLOCK_BYTES; !code && got == BLOCK_BYTES;) {
        got = fread(block, 1, BLOCK_BYTES, from);
        code = ferror(from) ? host_not_written(writer->path) : host_guard_check(writer->path);
        if (!code && writes) code = write_bytes(writer, block, got);
        *sum = crc32_add(*sum, block, got);
        *size += got;
    }
    free(block);
    return code;
}

int zip_add(zip_writer *writer, const char *name, FILE *from, FILE *deflates)
{
    uint32_t sum;
    zip_member member = {
        .name = host_text("%s", name), .is_deflated = deflates != NULL, .start = writer->written};
    zip_member *members =
        host_lengthen(writer->members, writer->count, &writer->capacity, sizeof *members);
    if (members) writer->members = members;
    if (!members || !member.name) {
        free(member.name);
        return host_out_of_memory("the members of an archive");
    }
    int code = pass_over(writer, from, false, &member.size, &member.sum);
    member.packed = member.size;
    if (!code && deflates) code = gzip_deflate(from, deflates, writer->path);
    if (!code && deflates) code = pass_over(writer, deflates, false, &member.packed, &sum);
    writer->members[writer->count++] = member; /* `start` is the offset of its head */
    if (!code) code = write_head(writer, &member, false, 0);
    uint64_t written;
    return code ? code : pass_over(writer, deflates ? deflates : from, true, &written, &sum);
}

/* The end of ZIP64 and its locator, where the end has no place for a number. */
static int write_wide_end(zip_writer *writer, uint64_t start, uint64_t size)
{
    record end = {{0}, 0}, locator = {{0}, 0};
    uint64_t at = writer->written;
    put(&end, 4, 0x06064b50u);
    put(&end, 8, 44); /* bytes that follow */
    put(&end, 2, VERSION64);
    put(&end, 2, VERSION64);
    put(&end, 8, 0); /* disks */
    put(&end, 8, writer->count);
    put(&end, 8, writer->count);
    put(&end, 8, size);
    put(&end, 8, start);
    put(&locator, 4, 0x07064b50u);
    put(&locator, 4, 0);
    put(&locator, 8, at);
    put(&locator, 4, 1);
    int code = write_bytes(writer, end.bytes, end.size);
    return code ? code : write_bytes(writer, locator.bytes, locator.size);
}

int zip_end(zip_writer *writer)
{
    int code = HOST_DONE;
    uint64_t start = writer->written;
    for (size_t m = 0; m < writer->count && !code; m++)
        code = write_head(writer, &writer->members[m], true, writer->members[m].start);
    uint64_t size = writer->written - start;
    bool is_wide = start >= writer->limit || size >= writer->limit;
    if (!code && is_wide) code = write_wide_end(writer, start, size);
    record end = {{0}, 0};
    put(&end, 4, 0x06054b50u);
    put(&end, 4, 0); /* disks */
    put(&end, 2, writer->count);
    put(&end, 2, writer->count);
    put(&end, 4, narrow(writer, size));
    put(&end, 4, narrow(writer, start));
    put(&end, 2, 0); /* comment */
    return code ? code : write_bytes(writer, end.bytes, end.size);
}
