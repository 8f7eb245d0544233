/* SPDX-License-Identifier: MIT
   host_tools/formats/bphys_names.c - naming rule of the files of a .bphys sequence.
   reads   paths                           writes  names
   memory  malloc                          cost    O(length)
   after   NAME_FFFFFF_II.bphys: "%06d" of the frame, "_%02u" of the cache index, which may be
           missing */
#include "../common/text.h"
#include "bphys.h"
#include <stdlib.h>
#include <string.h>

static const char ending[] = ".bphys";
enum { ENDING_LENGTH = sizeof ending - 1 };

/* Length of `text` up to its last `_`; `length` when it has no `_`. */
static size_t before_last_part(const char *text, size_t length)
{
    for (size_t i = length; i > 0; i--)
        if (text[i - 1] == '_') return i - 1;
    return length;
}

/* "_00" to "_999", in the form that "%02u" prints. */
static bool is_cache_index(const char *part, size_t length)
{
    if (length != 3 && length != 4) return false;
    for (size_t i = 1; i < length; i++)
        if (!host_is_digit(part[i])) return false;
    return part[0] == '_' && (length == 3 || part[1] != '0');
}

/* "_000012", "_1234567", "_-00005": exactly the form that "%06d" prints, so that each frame has one
   name. */
static bool parse_frame(const char *part, size_t length, int32_t *frame)
{
    char text[16], again[16];
    if (length < 7 || length > 8 || part[0] != '_') return false;
    memcpy(text, part + 1, length - 1);
    text[length - 1] = 0;
    if (!(host_is_digit(text[0]) || text[0] == '-') || !host_parse_i32(text, frame)) return false;
    snprintf(again, sizeof again, "%06d", (int)*frame);
    return strcmp(text, again) == 0;
}

bool bphys_parse_name(const char *file_name, bphys_name *parsed)
{
    size_t length = strlen(file_name);
    if (length < ENDING_LENGTH || strcmp(file_name + length - ENDING_LENGTH, ending) != 0)
        return false;
    length -= ENDING_LENGTH;
    size_t at = before_last_part(file_name, length);
    parsed->suffix[0] = 0;
    if (is_cache_index(file_name + at, length - at)) {
        memcpy(parsed->suffix, file_name + at, length - at);
        parsed->suffix[length - at] = 0;
        length = at;
        at = before_last_part(file_name, length);
    }
    parsed->name_length = at;
    return at < length && parse_frame(file_name + at, length - at, &parsed->frame);
}

char *bphys_file_name(const char *name, int32_t frame, const char *suffix)
{
    return host_text("%s_%06d%s%s", name, (int)frame, suffix, ending);
}

char *bphys_path(const char *folder, const char *name, int32_t frame, const char *suffix)
{
    return host_text("%s/%s_%06d%s%s", folder, name, (int)frame, suffix, ending);
}

/* ---- hexadecimal names of objects */

/* Spellings of a byte from 128 on: two digits (C3), with the sign extended (FFFFFFC3), or cut to
   FF. */
enum { PLAIN, EXTENDED, CUT, SPELLINGS };

static bool is_spelling(const char *name, const char *object, int spelling)
{
    static const char digits[] = "0123456789ABCDEF";
    for (; *object; object++) {
        uint8_t byte = (uint8_t)*object;
        bool has_sign = byte >= 0x80 && spelling != PLAIN;
        if (has_sign && spelling == EXTENDED) {
            if (strncmp(name, "FFFFFF", 6) != 0) return false;
            name += 6;
        }
        if (has_sign && spelling == CUT) byte = 0xff;
        if (name[0] != digits[byte >> 4] || name[1] != digits[byte & 15u]) return false;
        name += 2;
    }
    return !*name;
}

bool bphys_name_fits(const char *name, const char *wanted)
{
    bool fits = strcmp(name, wanted) == 0;
    for (int spelling = PLAIN; !fits && spelling < SPELLINGS && *wanted; spelling++)
        fits = is_spelling(name, wanted, spelling);
    return fits;
}

/* 0 to 255; -1 for anything other than two upper-case hexadecimal digits. */
static int hex_pair(const char *text)
{
    int value = 0;
    for (int i = 0; i < 2; i++) {
        bool is_letter = text[i] >= 'A' && text[i] <= 'F';
        if (!host_is_digit(text[i]) && !is_letter) return -1;
        value = value * 16 + (is_letter ? text[i] - 'A' + 10 : text[i] - '0');
    }
    return value;
}

/* True for text without control characters: a user's own base name may consist of hexadecimal
   digits by chance. */
static bool is_readable(const char *text)
{
    for (size_t bytes; *text; text += bytes) {
        bytes = text_readable_bytes(text);
        if (!bytes) return false;
    }
    return true;
}

char *bphys_object_name(const char *name)
{
    size_t length = 0;
    char *object = *name ? host_allocate(strlen(name) + 1, 1) : NULL;
    while (object && *name) {
        if (strncmp(name, "FFFFFF", 6) == 0 && hex_pair(name + 6) >= 0x80) name += 6;
        int byte = hex_pair(name);
        if (byte < ' ') {
            free(object);
            return NULL;
        }
        object[length++] = byte == 0xff ? '?' : (char)byte; /* UTF-8 never contains the byte FF */
        name += 2;
    }
    if (!object || is_readable(object)) return object;
    free(object);
    return NULL;
}

/* ---- paths of sequences */

void bphys_pattern_free(bphys_pattern *pattern)
{
    free(pattern->folder);
    free(pattern->name);
    free(pattern->suffix);
    memset(pattern, 0, sizeof *pattern);
}

/* NAME_*_00.bphys, NAME_*.bphys, NAME*: the base name is the part before the star. */
static void parse_pattern(const char *file, const char *star, bphys_pattern *pattern)
{
    size_t length = (size_t)(star - file), rest = strlen(star + 1);
    bool ends = rest >= ENDING_LENGTH && strcmp(star + 1 + rest - ENDING_LENGTH, ending) == 0;
    if (ends) rest -= ENDING_LENGTH;
    if (length && file[length - 1] == '_') length--;
    pattern->name = host_text("%.*s", (int)length, file);
    if (ends && is_cache_index(star + 1, rest))
        pattern->suffix = host_text("%.*s", (int)rest, star + 1);
}

bool bphys_pattern_parse(const char *path, bphys_pattern *pattern)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path,
               *star = strchr(file, '*');
    size_t folder_length = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
    size_t length = strlen(file);
    bphys_name parsed;
    memset(pattern, 0, sizeof *pattern);
    pattern->folder = folder_length ? host_text("%.*s", (int)folder_length, path) : host_text(".");
    if (star) {
        parse_pattern(file, star, pattern);
    } else if (bphys_parse_name(file, &parsed)) {
        pattern->name = host_text("%.*s", (int)parsed.name_length, file);
        pattern->suffix = host_text("%s", parsed.suffix);
    } else {
        bool ends = length > ENDING_LENGTH && strcmp(file + length - ENDING_LENGTH, ending) == 0;
        pattern->name = host_text("%.*s", (int)(ends ? length - ENDING_LENGTH : length), file);
    }
    if (pattern->folder && pattern->name) return true;
    bphys_pattern_free(pattern);
    return false;
}

/* ---- grouping of the files of a folder into sequences */

bool bphys_rule(const char *file_name, const void *none, names_parts *parts)
{
    bphys_name parsed;
    (void)none;
    if (!bphys_parse_name(file_name, &parsed)) return false;
    size_t length = strlen(parsed.suffix);
    *parts = (names_parts){parsed.name_length, strlen(file_name) - ENDING_LENGTH - length, length,
                           parsed.frame};
    return true;
}
