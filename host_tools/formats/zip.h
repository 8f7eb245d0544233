/* SPDX-License-Identifier: MIT
   host_tools/formats/zip.h - archives of the ZIP format: finds, checks and writes members.
   reads   a file                          writes  a file, in one pass
   memory  the directory                   cost    O(members) to open, O(bytes) to check
   after   PKWARE's APPNOTE 6.3.10: stored and deflated members, ZIP64; no encryption, one disk */
#ifndef TIDEPOOL_ZIP_H
#define TIDEPOOL_ZIP_H
#include "../common/source.h"

typedef struct zip_member {
    char *name;
    bool is_deflated;
    uint32_t sum;                 /* CRC-32 of its bytes */
    uint64_t start, packed, size; /* first byte in the file, bytes in the file, bytes */
} zip_member;

/* ---- reading */
typedef struct zip_archive {
    host_source *source;
    zip_member *members;
    size_t count, capacity;
} zip_archive;
bool zip_recognises(const uint8_t *start, size_t size);
/* Reads the directory; the source stays open as long as the archive. HOST_DONE, or the error
   printed and nothing to close. */
int zip_open(zip_archive *archive, host_source *source);
void zip_close(zip_archive *archive);
/* Begins to unpack a deflated member. HOST_DONE, or the error printed. */
int zip_unpack(const zip_archive *archive, const zip_member *member, gzip_reader **reader);
/* Reads at an offset of the member; `reader` NULL: a stored one. As host_source_read. */
int zip_read(const zip_archive *archive, const zip_member *member, gzip_reader *reader,
             uint64_t offset, void *bytes, size_t size, size_t *got);
/* Reads the whole member: size and sum must be those of the directory. HOST_DONE, or the error
   printed. */
int zip_check(const zip_archive *archive, const zip_member *member, gzip_reader *reader);

/* ---- writing */
typedef struct zip_writer {
    FILE *stream;
    const char *path;        /* for messages */
    uint64_t written, limit; /* sizes and offsets from `limit` on are written as ZIP64 */
    zip_member *members;
    size_t count, capacity;
} zip_writer;
void zip_begin(zip_writer *writer, FILE *stream, const char *path);
/* Adds a member with all bytes of `from`. `deflates` not NULL: an empty file for the packed bytes.
   HOST_DONE, or the error printed. */
int zip_add(zip_writer *writer, const char *name, FILE *from, FILE *deflates);
/* Writes the directory. */
int zip_end(zip_writer *writer);
void zip_free(zip_writer *writer);

#endif
