/* SPDX-License-Identifier: MIT
   host_tools/formats/bphys_sequence.c - finds the files of a .bphys sequence and loads them frame
           by frame.
   reads   folders, files                  writes  host_sequence, host_frame
   memory  20 bytes per file while opening, one file while loading   cost   O(files), then O(bytes
           of a file)
   after   own design; frame 0 of particles is the info file, with birth and death of every point */
#include "bphys_private.h"
#include "../common/scene.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool bphys_recognises(const uint8_t *start, size_t size)
{
    return size >= 8 && memcmp(start, "BPHYSICS", 8) == 0;
}

/* ---- choosing the sequence */

/* At most five sequences of the list as text: "fire_*_00.bphys, fire_*_01.bphys, ...". */
static char *list_sequences(const names_list *list, const char *name)
{
    char *text = host_text("%s", "");
    int shown = 0;
    for (size_t i = 0; text && i < list->count && shown < 6; i = names_end(list, i)) {
        const names_entry *entry = &list->entries[i];
        if (name && !bphys_name_fits(entry->before, name)) continue;
        char *longer = shown == 5 ? host_text("%s, ...", text)
                                  : host_text("%s%s%s_*%s.bphys", text, shown ? ", " : "",
                                              entry->before, entry->after);
        free(text);
        text = longer;
        shown++;
    }
    return text;
}

bool bphys_fits(const names_entry *entry, const bphys_pattern *pattern, bool by_object)
{
    bool named = !pattern->name || (by_object ? bphys_name_fits(entry->before, pattern->name)
                                              : strcmp(entry->before, pattern->name) == 0);
    return named && (!pattern->suffix || strcmp(entry->after, pattern->suffix) == 0);
}

static int see_bake(void *context, const char *name)
{
    bool *has_bake = context;
    *has_bake = *has_bake || strncmp(name, "blendcache_", 11) == 0;
    return HOST_DONE;
}

static bool has_bakes(const char *path)
{
    struct stat status;
    bool found = false;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        names_each(path, path, see_bake, &found);
    return found;
}

int bphys_not_found(const char *path, const names_list *list)
{
    int code = scene_run_first(path);
    if (code) return code;
    char *text = list_sequences(list, NULL);
    code =
        host_error(HOST_IO, path, HOST_NO_OFFSET, "no such file or sequence; the folder has %s%s",
                   !list->count ? "no .bphys file of the form NAME_000001_00.bphys"
                   : text       ? text
                                : "other .bphys files",
                   has_bakes(path) ? "; name one of its folders blendcache_*" : "");
    free(text);
    return code;
}

static size_t find_fitting(const bphys_pattern *pattern, const names_list *list, bool by_object,
                           size_t *first)
{
    size_t sequences = 0;
    for (size_t i = 0; i < list->count; i = names_end(list, i))
        if (bphys_fits(&list->entries[i], pattern, by_object) && !sequences++) *first = i;
    return sequences;
}

/* The first entry of the only sequence that matches; an error when none or several match. */
static int choose_sequence(const char *path, const bphys_pattern *pattern, const names_list *list,
                           size_t *first)
{
    size_t sequences = find_fitting(pattern, list, false, first);
    if (!sequences && pattern->name) sequences = find_fitting(pattern, list, true, first);
    if (sequences == 1) return HOST_DONE;
    if (!sequences) return bphys_not_found(path, list);
    char *text = list_sequences(list, pattern->name);
    int code = host_error(HOST_USAGE, path, HOST_NO_OFFSET,
                          "several sequences fit: %s; name one of them", text ? text : "");
    free(text);
    return code;
}

static int take_names(host_sequence *sequence, const names_entry *entries, size_t count)
{
    sequence->name = host_text("%s", entries[0].before);
    sequence->suffix = host_text("%s", entries[0].after);
    sequence->numbers = host_allocate(count, sizeof *sequence->numbers);
    if (!sequence->name || !sequence->suffix || !sequence->numbers)
        return host_out_of_memory("the frames of a sequence");
    for (size_t i = 0; i < count; i++) sequence->numbers[i] = (int32_t)entries[i].number;
    sequence->frame_count = count;
    return HOST_DONE;
}

/* A file without a frame number in its name is frame 1 of a sequence of its own. */
static int take_single_file(host_sequence *sequence, const char *path, const bphys_pattern *pattern)
{
    sequence->state = host_text("%s", path);
    sequence->name = host_text("%s", pattern->name);
    sequence->suffix = host_text("%s", "");
    sequence->numbers = host_allocate(1, sizeof *sequence->numbers);
    if (!sequence->state || !sequence->name || !sequence->suffix || !sequence->numbers)
        return host_out_of_memory("the frames of a sequence");
    sequence->numbers[0] = 1;
    sequence->frame_count = 1;
    return HOST_DONE;
}

static int find_files(host_sequence *sequence, const char *path, bphys_pattern *pattern)
{
    names_list list;
    size_t first;
    int code = names_scan(&list, sequence->folder, sequence->folder, bphys_rule, NULL);
    if (!code) code = choose_sequence(path, pattern, &list, &first);
    if (!code) code = take_names(sequence, list.entries + first, names_end(&list, first) - first);
    names_free(&list);
    return code;
}

int bphys_find_sequence(host_sequence *sequence, const char *path)
{
    struct stat status;
    bphys_pattern pattern;
    bphys_name parsed;
    bool exists = stat(path, &status) == 0;
    if (!bphys_pattern_parse(path, &pattern)) return host_out_of_memory("a path");
    const char *slash = strrchr(path, '/');
    bool is_folder = exists && S_ISDIR(status.st_mode);
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    sequence->folder =
        is_folder ? host_text("%.*s", (int)length, path) : host_text("%s", pattern.folder);
    if (is_folder) bphys_pattern_free(&pattern); /* match any sequence */
    int code = sequence->folder ? HOST_DONE : host_out_of_memory("a path");
    if (!code && exists && !is_folder && !bphys_parse_name(slash ? slash + 1 : path, &parsed))
        code = take_single_file(sequence, path, &pattern);
    else if (!code)
        code = find_files(sequence, path, &pattern);
    bphys_pattern_free(&pattern);
    return code;
}

/* ---- headers of the files */

char *bphys_frame_path(const host_sequence *sequence, int32_t number)
{
    if (sequence->state) return host_text("%s", (const char *)sequence->state);
    return bphys_path(sequence->folder, sequence->name, number, sequence->suffix);
}

uint64_t bphys_path_bytes(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

/* The header of a file, and what the first bytes of its body tell. */
typedef struct file_head {
    bphys_header header;
    uint64_t size, backing; /* bytes of the file; bytes that bphys_check_claim compares with */
    uint32_t streams;       /* POINT_BIT mask */
    /* Highest index + 1, as far as known without reading the whole file. */
    uint32_t index_end;
    uint32_t records; /* the header's count, limited to what the file's size allows */
    uint64_t end;     /* of the points, as the heads of the blocks tell; 0: not known */
    const char *compression;
} file_head;

/* Bytes of the whole sequence, or of so many files that an info file's points are believed. */
static uint64_t sequence_bytes(const host_sequence *sequence, const file_head *info)
{
    uint64_t bytes = 0;
    bool has_extra = info->header.flags & BPHYS_FLAG_EXTRA;
    for (size_t i = 0; i < sequence->frame_count; i++) {
        char *path = bphys_frame_path(sequence, sequence->numbers[i]);
        if (path) bytes += bphys_path_bytes(path);
        free(path);
        if (!has_extra && bphys_claim_max(bytes) >= info->header.count) break;
    }
    return bytes;
}

static bool is_smoke(const file_head *head)
{
    return head->header.type == POINT_SMOKE || head->header.type == POINT_SMOKE_HIGHRES;
}

/* Reads `size` bytes at offset `at`; false when the file is too short. */
static bool read_at(FILE *stream, uint64_t at, uint8_t *bytes, size_t size)
{
    return at <= LONG_MAX && fseek(stream, (long)at, SEEK_SET) == 0 &&
           fread(bytes, 1, size, stream) == size;
}

/* Indices ascend, so the last record has the highest one. */
static void find_last_index(FILE *stream, file_head *head)
{
    uint8_t word[4];
    const bphys_header *header = &head->header;
    uint32_t stride = bphys_record_bytes(header->streams);
    if (!read_at(stream, BPHYS_HEADER_BYTES + (uint64_t)(header->count - 1) * stride, word,
                 sizeof word))
        return;
    uint32_t index = bphys_load_u32(word, header->big_endian);
    if (index >= head->index_end) head->index_end = host_index_end(index);
}

/* Reads the first block, which holds the indices. Damage is reported later, when the frame is
   loaded. */
static void find_packed_index(FILE *stream, file_head *head)
{
    uint8_t block[5];
    uint64_t size = BPHYS_HEADER_BYTES + 1 + (uint64_t)head->header.count * 4;
    if (!read_at(stream, BPHYS_HEADER_BYTES, block, sizeof block)) return;
    if (block[0] != BPHYS_STORED)
        size = BPHYS_HEADER_BYTES + 5 + 9 +
               (uint64_t)bphys_load_u32(block + 1, head->header.big_endian);
    if (size > head->size) size = head->size;
    uint8_t *bytes = size <= SIZE_MAX ? malloc((size_t)size) : NULL;
    if (bytes && read_at(stream, 0, bytes, (size_t)size))
        bphys_peek_index_end(bytes, (size_t)size, &head->header, &head->index_end);
    free(bytes);
}

static void find_index_end(FILE *stream, file_head *head)
{
    const bphys_header *header = &head->header;
    head->index_end = header->count;
    if (!(header->streams & POINT_BIT(POINT_INDEX)) || !header->count) return;
    if (header->flags & BPHYS_FLAG_COMPRESS)
        find_packed_index(stream, head);
    else
        find_last_index(stream, head);
}

static void limit_records(file_head *head, uint64_t bytes, uint32_t record_bytes)
{
    uint64_t most = record_bytes ? bytes / record_bytes : 0;
    if (head->records > most) head->records = (uint32_t)most;
}

/* Limits the records to what a block with this code and payload size can decode to. */
static void limit_packed(file_head *head, uint8_t code, uint64_t bytes, uint32_t record_bytes)
{
    const codec *method = bphys_code_name(code) ? bphys_codec(code) : NULL;
    limit_records(head, method ? method->decoded_max((size_t)bytes) : 0, record_bytes);
}

/* Finds the compression and the possible number of records from the heads of the blocks alone. The
   body may be damaged, and bphys_take_body would need all bytes of the sequence. A stored block
   does not count next to a compressed one: with every setting Blender stores blocks that do not
   shrink. */
static void find_blocks(FILE *stream, file_head *head)
{
    const bphys_header *header = &head->header;
    uint64_t at = BPHYS_HEADER_BYTES;
    uint8_t word[5];
    head->compression = "none";
    /* Records of 0 bytes: their count means nothing */
    if (!bphys_record_bytes(header->streams)) head->records = 0;
    if (!(header->flags & BPHYS_FLAG_COMPRESS)) {
        limit_records(head, head->size - BPHYS_HEADER_BYTES, bphys_record_bytes(header->streams));
        head->end = at + (uint64_t)header->count * bphys_record_bytes(header->streams);
        return;
    }
    head->compression = "stored";
    for (uint32_t s = 0; s < BPHYS_STREAMS; s++) {
        if (!(header->streams & POINT_BIT(s))) continue;
        uint64_t left = at < head->size ? head->size - at : 0;
        head->end = at + 1;
        if (left < 5) head->records = 0; /* a block of one record or more is never shorter */
        if (left < 1 || !read_at(stream, at, word, 1)) return;
        const char *name = bphys_code_name(word[0]);
        if (strcmp(head->compression, "stored") == 0)
            head->compression = name ? name : "mixed";
        else if (!name || (word[0] != BPHYS_STORED && strcmp(name, head->compression) != 0))
            head->compression = "mixed";
        if (word[0] == BPHYS_STORED) {
            limit_records(head, left - 1, point_streams[s].bytes);
            head->end = at += 1 + (uint64_t)header->count * point_streams[s].bytes;
            continue;
        }
        head->end = at + 5;
        if (left < 5 || !read_at(stream, at, word, 5)) return;
        uint64_t payload = bphys_load_u32(word + 1, header->big_endian);
        limit_packed(head, word[0], payload < left - 5 ? payload : left - 5,
                     point_streams[s].bytes);
        at += 5 + payload;
        if (bphys_has_settings(word[0], payload) && read_at(stream, at, word, 4))
            at += 4 + (uint64_t)bphys_load_u32(word, header->big_endian);
        head->end = at;
    }
}

/* The streams and the compression of a painted surface follow its header. */
static void find_surface(FILE *stream, file_head *head)
{
    uint8_t start[BPHYS_HEADER_BYTES + 9];
    head->compression = "stored";
    if (!read_at(stream, 0, start, sizeof start)) return;
    head->streams = bphys_surface_streams(start, sizeof start, head->header.big_endian);
    const char *name = bphys_code_name(start[sizeof start - 1]);
    head->compression = name ? name : "mixed";
}

/* Reads what the type needs after the header. */
static void find_rest(FILE *stream, bool wants_index, file_head *head)
{
    head->streams = 0;
    head->end = 0;
    head->index_end = head->records = head->header.count;
    head->compression = "none";
    if (head->header.type == POINT_DYNAMIC_PAINT)
        find_surface(stream, head);
    else if (!is_smoke(head)) {
        head->streams = head->header.streams;
        if (wants_index) find_index_end(stream, head);
        find_blocks(stream, head);
    }
}

/* Soft body, cloth and rigid body have no info file; particles whose frame range begins before 1
   may have a real frame 0. A file without a frame number in its name is an info file when TIMES is
   its only stream. */
static bool is_info(const host_sequence *sequence, const file_head *head, int32_t number)
{
    if (head->header.type != POINT_PARTICLES || head->header.streams & POINT_BIT(POINT_LOCATION))
        return false;
    return number == 0 || (sequence->state && head->header.streams == POINT_BIT(POINT_TIMES));
}

/* Refuses a count that bphys_take_body would refuse, so that every command that opens the file says
   so. */
static int check_claim(const char *path, const file_head *head)
{
    bool is_surface = head->header.type == POINT_DYNAMIC_PAINT;
    bool is_packed =
        head->header.flags & BPHYS_FLAG_COMPRESS && head->header.streams && !is_smoke(head);
    bphys_reader r = {.file = path, .backing = head->backing};
    /* size of a file without elements */
    uint64_t no_points = BPHYS_HEADER_BYTES + (is_surface ? 8 : 0);
    if (head->size <= no_points || (!is_packed && !is_surface)) return HOST_DONE;
    return bphys_check_claim(&r, 12, "points", head->header.count);
}

static int read_head(const host_sequence *sequence, const char *path, int32_t number,
                     file_head *head)
{
    uint8_t bytes[BPHYS_HEADER_BYTES];
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return host_error(HOST_IO, path, HOST_NO_OFFSET, "cannot open: %s", strerror(errno));
    size_t size = fread(bytes, 1, sizeof bytes, stream);
    int code = ferror(stream)
                   ? host_error(HOST_IO, path, HOST_NO_OFFSET, "cannot read: %s", strerror(errno))
                   : bphys_read_header(path, bytes, size, &head->header);
    if (!code) {
        head->size = bphys_path_bytes(path);
        head->backing =
            is_info(sequence, head, number) ? sequence_bytes(sequence, head) : head->size;
        code = check_claim(path, head);
    }
    if (!code) find_rest(stream, !sequence->has_info, head);
    fclose(stream);
    return code;
}

/* Blender ignores bytes after the last record, but they may be a remainder of damage. Reported once
   per sequence, because in a damaged sequence most files have some. */
static void note_surplus(host_sequence *sequence, const char *path, size_t used, size_t size)
{
    if (used >= size || !host_sequence_doubts(sequence)) return;
    host_doubt(path, used, "%zu byte%s after the last record mean%s nothing and %s ignored",
               size - used, size - used == 1 ? "" : "s", size - used == 1 ? "s" : "",
               size - used == 1 ? "is" : "are");
}

/* Zero records at the end are a fault of Blender; repeated indices come from other programs. Also
   reported once. */
static void note_left_out(host_sequence *sequence, const char *path, const uint8_t *bytes,
                          size_t size, const host_frame *frame)
{
    bphys_header header;
    if (!frame->data[POINT_LOCATION] || bphys_read_header(path, bytes, size, &header)) return;
    if (header.count <= frame->count || !host_sequence_doubts(sequence)) return;
    host_doubt(path, 12,
               "of %u records %u %s ignored: all zero at the end, or with an index that occurs "
               "again, of which the "
               "last record is used",
               header.count, header.count - frame->count,
               header.count - frame->count == 1 ? "is" : "are");
}

/* Reads birth and death by index. Points without a record never die. A file that is only a header
   gives the number of points. */
static int load_info(host_sequence *sequence, const char *path, const file_head *head)
{
    uint8_t *bytes;
    size_t size;
    host_frame frame;
    sequence->has_info = true;
    sequence->point_count = head->header.count;
    if (head->size == BPHYS_HEADER_BYTES || !(head->header.streams & POINT_BIT(POINT_TIMES)))
        return HOST_DONE;
    int code = host_read_file(path, &bytes, &size);
    if (code) return code;
    size_t used = 0;
    code = bphys_read_backed(path, bytes, size, head->backing, &frame, &used);
    free(bytes);
    if (code) return code;
    note_surplus(sequence, path, used, size);
    sequence->times = host_allocate(sequence->point_count, 3 * sizeof(float));
    const uint32_t *indices = frame.data[POINT_INDEX];
    const float *times = frame.data[POINT_TIMES];
    for (uint32_t i = 0; sequence->times && i < sequence->point_count; i++)
        sequence->times[(size_t)i * 3 + 1] = sequence->times[(size_t)i * 3 + 2] = BPHYS_NEVER;
    for (uint32_t i = 0; sequence->times && i < frame.count; i++)
        if (indices[i] < sequence->point_count)
            memcpy(&sequence->times[(size_t)indices[i] * 3], times + (size_t)i * 3,
                   3 * sizeof(float));
    memcpy(sequence->info_extra, frame.extra, sizeof frame.extra);
    memset(frame.extra, 0, sizeof frame.extra);
    host_frame_free(&frame);
    return sequence->times ? HOST_DONE : host_out_of_memory(path);
}

static int describe_smoke(host_sequence *sequence, const char *path)
{
    uint8_t *bytes;
    size_t size;
    int code = host_read_file(path, &bytes, &size);
    if (code) return code;
    sequence->detail = bphys_describe_smoke(bytes, size);
    free(bytes);
    return sequence->detail ? HOST_DONE : host_out_of_memory(path);
}

static int take_head(host_sequence *sequence, const char *path, const file_head *head,
                     int32_t number, bool first)
{
    if (first) sequence->type = head->header.type;
    if (head->header.type != sequence->type)
        return host_error(HOST_BAD_INPUT, path, 8,
                          "type is %s, but that of the frames before it is %s",
                          point_type_name(head->header.type), point_type_name(sequence->type));
    sequence->byte_count += head->size;
    int code = first && is_smoke(head) ? describe_smoke(sequence, path) : HOST_DONE;
    if (code) return code;
    if (is_info(sequence, head, number)) return load_info(sequence, path, head);
    sequence->record_count += head->records;
    sequence->streams |= head->streams;
    if (head->streams && head->header.flags & BPHYS_FLAG_EXTRA) sequence->extra_count++;
    const char *before = sequence->compression;
    if (!before || strcmp(before, "stored") == 0)
        sequence->compression = head->compression;
    else if (strcmp(head->compression, "stored") != 0 && strcmp(before, head->compression) != 0)
        sequence->compression = "mixed";
    if (!sequence->has_info && head->index_end > sequence->point_count)
        sequence->point_count = head->index_end;
    return HOST_DONE;
}

/* The first file at or after the frame that is wanted. */
static size_t find_near(const host_sequence *sequence)
{
    size_t low = 0, high = sequence->frame_count;
    while (sequence->near && low < high) {
        size_t middle = low + (high - low) / 2u;
        if ((double)sequence->numbers[middle] < *sequence->near)
            low = middle + 1u;
        else
            high = middle;
    }
    return low;
}

/* True if file `i`, of which some before were read, may stay unread: only the frames around `near`
   are wanted, and no others are needed to find births. */
static bool may_skip(const host_sequence *sequence, size_t i, size_t near)
{
    if (!sequence->near || i <= sequence->has_info) return false;
    bool knows_births = sequence->has_info || sequence->type != POINT_PARTICLES;
    return knows_births && i + 1u != sequence->frame_count && i != near && i + 1u != near;
}

static int read_heads(host_sequence *sequence)
{
    size_t kept = 0, near = find_near(sequence);
    for (size_t i = 0; i < sequence->frame_count; i++) {
        if (may_skip(sequence, i, near)) {
            sequence->numbers[kept++] = sequence->numbers[i];
            continue;
        }
        file_head head;
        bool had_info = sequence->has_info;
        int32_t number = sequence->numbers[i];
        char *path = bphys_frame_path(sequence, number);
        int code = path ? read_head(sequence, path, number, &head) : host_out_of_memory("a path");
        if (!code) code = take_head(sequence, path, &head, number, i == 0);
        free(path);
        if (code) return code;
        if (had_info == sequence->has_info)
            sequence->numbers[kept++] = number; /* the info file is not a frame */
    }
    sequence->frame_count = kept;
    return HOST_DONE;
}

/* Reads a file whose points end beyond its size, which prints the error with its byte. */
static int check_size(host_sequence *sequence, const char *path, int32_t number)
{
    file_head head;
    uint8_t *bytes;
    size_t size, used;
    host_frame frame;
    int code = read_head(sequence, path, number, &head);
    if (code || head.end <= head.size) return code;
    code = host_read_file(path, &bytes, &size);
    if (code) return code;
    code = bphys_read(path, bytes, size, &frame, &used);
    if (!code) host_frame_free(&frame);
    free(bytes);
    return code;
}

int bphys_check_sizes(host_sequence *sequence)
{
    int worst = HOST_DONE;
    for (size_t i = 0; i < sequence->frame_count; i++) {
        char *path = bphys_frame_path(sequence, sequence->numbers[i]);
        int code =
            path ? check_size(sequence, path, sequence->numbers[i]) : host_out_of_memory("a path");
        free(path);
        if (code > worst) worst = code;
    }
    return worst;
}

static int describe_object(host_sequence *sequence)
{
    char *object = bphys_object_name(sequence->name);
    if (!object) return HOST_DONE;
    sequence->detail = host_text("of the object %s", object);
    free(object);
    return sequence->detail ? HOST_DONE : host_out_of_memory(sequence->path);
}

int bphys_open(host_sequence *sequence, const char *path)
{
    int code = bphys_find_sequence(sequence, path);
    if (!code) code = read_heads(sequence);
    if (!code && !sequence->detail) code = describe_object(sequence);
    return code;
}

int bphys_load(host_sequence *sequence, size_t position, host_frame *frame)
{
    uint8_t *bytes = NULL;
    size_t size, used = 0;
    char *path = bphys_frame_path(sequence, sequence->numbers[position]);
    int code = path ? host_read_file(path, &bytes, &size) : host_out_of_memory("a path");
    if (!code) code = bphys_read(path, bytes, size, frame, &used);
    if (!code) note_surplus(sequence, path, used, size);
    if (!code) note_left_out(sequence, path, bytes, size, frame);
    if (!code) frame->number = sequence->numbers[position];
    free(bytes);
    free(path);
    return code;
}

void bphys_close(host_sequence *sequence)
{
    free(sequence->state);
    sequence->state = NULL;
}
