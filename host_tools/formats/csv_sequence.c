/* SPDX-License-Identifier: MIT
   host_tools/formats/csv_sequence.c - CSV tables of points, frame by frame; rows and columns in any
           order.
   reads   text, "-" is standard input     writes  host_sequence, host_frame
   memory  40 bytes per run of rows of one frame, 24 per row of the longest frame; 4 MiB each for
           at most 32 packed files of a pattern
   cost    O(bytes) to open, O(bytes of a frame) to load; one disk read per run
   after   own design; opening reads every row, so that a bad table is refused before any output is
           written */
#include "csv_private.h"
#include "numbered.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* One file of the table: usually the only one; several files of a pattern NAME_*.csv. */
typedef struct csv_part {
    host_source source; /* not open: one of a pattern, see csv_kept */
    char *path;
    csv_header header;
} csv_part;

/* Consecutive rows of one frame; count 0: a row that says that the frame has no points. */
typedef struct csv_run {
    /* File offsets of the first byte and after the last one, and the number of lines before the
       run. */
    uint64_t offset, end, line;
    size_t part;
    int32_t frame;
    uint32_t count, streams;
} csv_run;

typedef struct csv_frame {
    size_t first_run;
    uint32_t count, streams;
} csv_frame;

/* A file of a pattern that stays open after a run of it was read: a packed one that is opened anew
   is unpacked from its start. */
typedef struct csv_kept {
    host_source source;
    size_t part;
    uint32_t users;     /* threads that read it now */
    uint64_t last_used; /* number of the run */
} csv_kept;
/* There may be more files than a process may open. */
enum { KEPT_MAX = 32 };

typedef struct csv_table {
    csv_part *parts;
    size_t part_count;
    csv_kept kept[KEPT_MAX];
    uint64_t uses;        /* runs that were read */
    pthread_mutex_t lock; /* of the two above */
    csv_run *runs;        /* sorted by frame */
    size_t run_count, run_capacity;
    csv_frame *frames; /* one more than there are frames: its first_run is run_count */
} csv_table;

/* Index and position in the file of a row of the current frame. */
typedef struct csv_entry {
    uint32_t index;
    uint64_t line, offset;
} csv_entry;

typedef struct csv_entries {
    csv_entry *entries;
    size_t count, capacity;
    uint32_t streams; /* of the first row */
} csv_entries;

/* ---- the file */

/* What was copied of a stream: its bytes, lines, and the offset of the current line. */
typedef struct csv_copy {
    uint64_t bytes, lines, line_start;
    bool is_packed; /* no text */
} csv_copy;

/* Refuses bytes that are no table, because a device such as /dev/zero never ends. */
static int check_copied(const csv_part *part, csv_copy *copy, const char *text, size_t size)
{
    const char *zero = memchr(text, 0, size), *stop = zero ? zero : text + size;
    if (!copy->bytes) copy->is_packed = packing_recognises((const uint8_t *)text, size);
    copy->bytes += copy->is_packed ? size : 0;
    if (copy->is_packed) return HOST_DONE;
    for (const char *at = text; (at = memchr(at, '\n', (size_t)(stop - at))) != NULL; at++) {
        copy->lines++;
        copy->line_start = copy->bytes + (uint64_t)(at + 1 - text);
    }
    if (zero)
        return host_error(HOST_BAD_INPUT, part->path, copy->bytes + (uint64_t)(zero - text),
                          "line %llu: expected text, found a zero byte; is this a table?",
                          (unsigned long long)copy->lines + 1);
    copy->bytes += size;
    if (copy->bytes - copy->line_start <= CSV_LINE_MAX) return HOST_DONE;
    return csv_long_line(part->path, copy->line_start, copy->lines + 1);
}

/* Copies standard input or a pipe, which can be read only once, to an unnamed temporary file. */
static int keep_stream(const csv_part *part, FILE *from, FILE **kept)
{
    static const size_t capacity = 1u << 16;
    size_t got;
    csv_copy copy = {0, 0, 0, false};
    char *buffer = malloc(capacity);
    int code = buffer ? HOST_DONE : host_out_of_memory("a table");
    *kept = tmpfile();
    if (!code && !*kept)
        code = host_error(HOST_IO, part->path, HOST_NO_OFFSET, "cannot create a temporary file: %s",
                          strerror(errno));
    while (!code && (got = fread(buffer, 1, capacity, from)) > 0) {
        code = check_copied(part, &copy, buffer, got);
        if (!code && fwrite(buffer, 1, got, *kept) != got)
            code = host_error(HOST_IO, part->path, HOST_NO_OFFSET,
                              "cannot copy it to a temporary file: %s", strerror(errno));
    }
    if (!code && ferror(from))
        code = host_error(HOST_IO, part->path, HOST_NO_OFFSET, "cannot read: %s", strerror(errno));
    if (!code && fflush(*kept) != 0)
        code = host_error(HOST_IO, part->path, HOST_NO_OFFSET,
                          "cannot copy it to a temporary file: %s", strerror(errno));
    free(buffer);
    return code;
}

static int open_stream(csv_part *part, const char *path)
{
    bool is_standard = strcmp(path, "-") == 0;
    FILE *kept = NULL, *file = is_standard ? stdin : fopen(path, "rb");
    if (!file) return host_error(HOST_IO, path, HOST_NO_OFFSET, "cannot open: %s", strerror(errno));
    int code = keep_stream(part, file, &kept);
    if (!is_standard) fclose(file);
    if (!code) return host_source_take(&part->source, kept, part->path);
    if (kept) fclose(kept);
    return code;
}

static int open_file(csv_part *part, const char *path)
{
    struct stat status;
    bool is_standard = strcmp(path, "-") == 0;
    part->path = host_text("%s", is_standard ? "standard input" : path);
    if (!part->path) return host_out_of_memory("a path");
    bool is_file = !is_standard && (stat(path, &status) != 0 || S_ISREG(status.st_mode));
    return is_file ? host_source_open(&part->source, path) : open_stream(part, path);
}

/* ---- rows of one frame */

static int compare_entries(const void *a, const void *b)
{
    const csv_entry *left = a, *right = b;
    if (left->index != right->index) return left->index < right->index ? -1 : 1;
    return (left->line > right->line) - (left->line < right->line);
}

static int add_entry(csv_entries *rows, const csv_reader *reader, const csv_row *row)
{
    csv_entry *entries =
        host_lengthen(rows->entries, rows->count, &rows->capacity, sizeof *entries);
    if (!entries) return host_out_of_memory("the rows of a frame");
    rows->entries = entries;
    if (!rows->count) rows->streams = row->streams;
    if (row->streams != rows->streams)
        return csv_bad_line(reader,
                            "the row has empty fields where line %llu of the same frame has "
                            "numbers, or the reverse",
                            (unsigned long long)rows->entries[0].line);
    rows->entries[rows->count++] = (csv_entry){row->index, reader->line, reader->line_start};
    return HOST_DONE;
}

/* Refuses an index that occurs twice in a frame. */
static int check_entries(const csv_part *part, int32_t frame, csv_entries *rows)
{
    bool ascends = true;
    for (size_t i = 1; i < rows->count; i++)
        ascends = ascends && rows->entries[i - 1].index < rows->entries[i].index;
    if (ascends) return HOST_DONE;
    qsort(rows->entries, rows->count, sizeof *rows->entries, compare_entries);
    for (size_t i = 1; i < rows->count; i++) {
        const csv_entry *before = &rows->entries[i - 1], *row = &rows->entries[i];
        if (before->index != row->index) continue;
        return host_error(
            HOST_BAD_INPUT, part->path, row->offset,
            "line %llu: frame %d has index %u a second time; the first is in line %llu",
            (unsigned long long)row->line, (int)frame, row->index,
            (unsigned long long)before->line);
    }
    return HOST_DONE;
}

/* ---- find the runs */

/* The file that is being read while the runs are found. */
static csv_part *last_part(const csv_table *table) { return &table->parts[table->part_count - 1]; }

static int add_run(csv_table *table, const csv_reader *reader, const csv_row *row)
{
    csv_run *runs =
        host_lengthen(table->runs, table->run_count, &table->run_capacity, sizeof *runs);
    if (!runs) return host_out_of_memory("the frames of a table");
    table->runs = runs;
    table->runs[table->run_count++] =
        (csv_run){reader->line_start, 0, reader->line - 1, table->part_count - 1,
                  row->frame,         0, row->streams};
    return HOST_DONE;
}

static int take_row(host_sequence *sequence, csv_table *table, const csv_reader *reader,
                    const csv_row *row, csv_entries *rows)
{
    int code = HOST_DONE;
    csv_run *run = table->run_count ? &table->runs[table->run_count - 1] : NULL;
    if (run && run->part != table->part_count - 1) run = NULL; /* of the file before */
    if (!run || run->frame != row->frame || run->count == UINT32_MAX || row->is_empty ||
        !run->count) {
        if (run) code = check_entries(last_part(table), run->frame, rows);
        rows->count = 0;
        if (!code) code = add_run(table, reader, row);
        if (code) return code;
        run = &table->runs[table->run_count - 1];
    }
    run->end = csv_reader_offset(reader);
    sequence->streams |= row->streams;
    if (row->is_empty) return HOST_DONE;
    run->count++;
    if (row->index >= sequence->point_count) sequence->point_count = host_index_end(row->index);
    return add_entry(rows, reader, row);
}

/* Finds the runs of the last file. `number`: the frame of rows that have none. */
static int find_runs(host_sequence *sequence, csv_table *table, csv_reader *reader, int32_t number)
{
    csv_row row;
    csv_entries rows = {NULL, 0, 0, 0};
    csv_part *part = last_part(table);
    size_t first = table->run_count;
    bool found = true;
    reader->teller = sequence;
    int code = csv_read_header(reader, sequence->columns, &part->header);
    bool is_cut = !code && !sequence->columns && reader->is_cut;
    part->header.frame = number;
    while (!code) {
        code = csv_read_row(reader, &part->header, &row, &found);
        if (code || !found) break;
        is_cut = reader->is_cut;
        code = take_row(sequence, table, reader, &row, &rows);
    }
    if (!code && is_cut)
        host_doubt(part->path, csv_reader_offset(reader),
                   "the last line has no end, as if the file were cut there, perhaps inside its "
                   "last number");
    if (!code && table->run_count > first)
        code = check_entries(part, table->runs[table->run_count - 1].frame, &rows);
    part->header.separator = reader->separator;
    free(rows.entries);
    return code;
}

/* ---- from runs to frames */

static int compare_runs(const void *a, const void *b)
{
    const csv_run *left = a, *right = b;
    if (left->frame != right->frame) return left->frame < right->frame ? -1 : 1;
    if (left->part != right->part) return left->part < right->part ? -1 : 1;
    return (left->offset > right->offset) - (left->offset < right->offset);
}

static int find_frames(host_sequence *sequence, csv_table *table)
{
    size_t frames = 0;
    const csv_run *runs = table->runs;
    if (table->run_count > 1) qsort(table->runs, table->run_count, sizeof *runs, compare_runs);
    for (size_t i = 0; i < table->run_count; i++)
        frames += !i || runs[i].frame != runs[i - 1].frame;
    table->frames = host_allocate(frames + 1, sizeof *table->frames);
    sequence->numbers = host_allocate(frames + 1, sizeof *sequence->numbers);
    if (!table->frames || !sequence->numbers) return host_out_of_memory("the frames of a table");
    for (size_t i = 0; i < table->run_count; i++) {
        if (!i || runs[i].frame != runs[i - 1].frame) {
            table->frames[sequence->frame_count] = (csv_frame){i, 0, runs[i].streams};
            sequence->numbers[sequence->frame_count++] = runs[i].frame;
        }
        csv_frame *frame = &table->frames[sequence->frame_count - 1];
        bool is_second = i > frame->first_run;
        if (is_second && (!runs[i].count || !runs[i - 1].count))
            return host_error(HOST_BAD_INPUT, table->parts[runs[i].part].path, runs[i].offset,
                              "line %llu: frame %d has a row without a point, and another row",
                              (unsigned long long)runs[i].line + 1, (int)runs[i].frame);
        if (runs[i].count > UINT32_MAX - frame->count)
            return host_error(HOST_BAD_INPUT, table->parts[runs[i].part].path, runs[i].offset,
                              "frame %d has more than 4294967295 rows", (int)runs[i].frame);
        frame->count += runs[i].count;
    }
    table->frames[frames].first_run = table->run_count;
    return HOST_DONE;
}

/* Callback for each row of a frame. */
typedef struct csv_visitor {
    int (*take)(struct csv_visitor *visitor, const csv_reader *reader, const csv_row *row);
    csv_entries *rows;
    host_frame *frame;
    uint32_t count;
} csv_visitor;

static int visit_part(const csv_part *part, host_source *source, const csv_run *run, csv_row *row,
                      csv_visitor *visitor)
{
    csv_reader reader;
    bool found;
    int code = HOST_DONE;
    if (!csv_reader_begin(&reader, source, run->offset, run->end, run->line))
        code = host_out_of_memory("a table");
    reader.separator = part->header.separator;
    reader.is_in_rows = true;
    for (uint32_t i = 0; !code && i < run->count; i++) {
        code = csv_read_row(&reader, &part->header, row, &found);
        if (!code && (!found || row->frame != run->frame))
            code = host_error(HOST_IO, part->path, reader.line_start,
                              "the file changed while it was read");
        if (!code) code = visitor->take(visitor, &reader, row);
    }
    csv_reader_end(&reader);
    return code;
}

/* The place of a file that is open, else the place that was not used for longest. NULL: other
   threads read them all. */
static csv_kept *find_kept(csv_table *table, size_t part)
{
    csv_kept *found = NULL;
    for (size_t k = 0; k < KEPT_MAX; k++) {
        csv_kept *one = &table->kept[k];
        if (one->source.file && one->part == part) return one;
        if (!one->users && (!found || one->last_used < found->last_used)) found = one;
    }
    return found;
}

static int take_kept(csv_table *table, size_t part, csv_kept **kept)
{
    int code = HOST_DONE;
    pthread_mutex_lock(&table->lock);
    csv_kept *found = find_kept(table, part);
    if (found && (!found->source.file || found->part != part)) {
        host_source_close(&found->source);
        found->part = part;
        code = host_source_open(&found->source, table->parts[part].path);
    }
    if (found && !code) {
        found->users++;
        found->last_used = ++table->uses;
    }
    pthread_mutex_unlock(&table->lock);
    *kept = found;
    return code;
}

static void return_kept(csv_table *table, csv_kept *kept)
{
    pthread_mutex_lock(&table->lock);
    kept->users--;
    pthread_mutex_unlock(&table->lock);
}

static int visit_run(csv_table *table, const csv_run *run, csv_row *row, csv_visitor *visitor)
{
    host_source own;
    csv_kept *kept;
    csv_part *part = &table->parts[run->part];
    if (part->source.file) return visit_part(part, &part->source, run, row, visitor);
    int code = take_kept(table, run->part, &kept);
    if (!code && !kept) code = host_source_open(&own, part->path);
    if (code) return code;
    code = visit_part(part, kept ? &kept->source : &own, run, row, visitor);
    if (kept)
        return_kept(table, kept);
    else
        host_source_close(&own);
    return code;
}

static int visit_rows(csv_table *table, size_t position, csv_visitor *visitor)
{
    csv_row row;
    int code = HOST_DONE;
    for (size_t r = table->frames[position].first_run;
         !code && r < table->frames[position + 1].first_run; r++)
        code = visit_run(table, &table->runs[r], &row, visitor);
    return code;
}

static int visit_entry(csv_visitor *visitor, const csv_reader *reader, const csv_row *row)
{
    return add_entry(visitor->rows, reader, row);
}

/* Checks the frames that consist of several runs for repeated indices; find_runs checked single
   runs only. */
static int check_frames(const host_sequence *sequence, csv_table *table, csv_entries *rows)
{
    csv_visitor visitor = {visit_entry, rows, NULL, 0};
    for (size_t f = 0; f < sequence->frame_count; f++) {
        rows->count = 0;
        if (table->frames[f + 1].first_run - table->frames[f].first_run < 2) continue;
        int code = visit_rows(table, f, &visitor);
        const csv_run *run = &table->runs[table->frames[f + 1].first_run - 1];
        if (!code) code = check_entries(&table->parts[run->part], sequence->numbers[f], rows);
        if (code) return code;
    }
    return HOST_DONE;
}

/* ---- functions of the format's row in formats.c */

bool csv_recognises(const uint8_t *start, size_t size)
{
    const char *text = (const char *)start;
    if (size >= 3 && memcmp(start, "\xef\xbb\xbf", 3) == 0) text += 3, size -= 3;
    return size >= 6 && memcmp(text, "frame,", 6) == 0;
}

static int read_part(host_sequence *sequence, csv_table *table, int32_t number)
{
    csv_part *part = last_part(table);
    csv_reader *reader = host_allocate(1, sizeof *reader);
    int code = reader ? HOST_DONE : host_out_of_memory("a table");
    if (!code && !csv_reader_begin(reader, &part->source, 0, UINT64_MAX, 0))
        code = host_out_of_memory("a table");
    if (!code) code = find_runs(sequence, table, reader, number);
    if (!code) sequence->text_bytes += csv_reader_offset(reader);
    if (reader) csv_reader_end(reader);
    free(reader);
    return code;
}

/* A file of a pattern is closed after it was read: there may be more than a process may open. */
static int add_part(host_sequence *sequence, csv_table *table, const char *path, int64_t number)
{
    csv_part *part = &table->parts[table->part_count++];
    bool is_alone = number == NAMES_NO_NUMBER;
    int code = open_file(part, path);
    if (!code && !is_alone && number > INT32_MAX)
        code = host_error(HOST_BAD_INPUT, path, HOST_NO_OFFSET,
                          "frame %lld is too high, at most %d", (long long)number, INT32_MAX);
    if (!code) code = read_part(sequence, table, is_alone ? 1 : (int32_t)number);
    if (!code && is_alone && !part->header.has_frame)
        host_note(part->path, HOST_NO_OFFSET, "no column frame: all rows are of frame 1");
    sequence->byte_count += part->source.file_bytes;
    if (part->source.packing) sequence->compression = part->source.packing;
    sequence->file_count++;
    if (!is_alone) host_source_close(&part->source);
    return code;
}

/* All files of a pattern NAME_*.csv. */
static int add_parts(host_sequence *sequence, csv_table *table, const char *path)
{
    numbered_files found;
    int code = numbered_find(&found, path, ".csv");
    if (code) return code;
    table->parts = host_allocate(found.files.count, sizeof *table->parts);
    free(sequence->name);
    sequence->name = host_text("%s", found.name);
    if (!table->parts || !sequence->name) code = host_out_of_memory("a table");
    for (size_t i = 0; i < found.files.count && !code; i++) {
        char *name = host_text("%s/%s", found.folder, found.files.entries[i].file);
        code = name ? add_part(sequence, table, name, found.files.entries[i].number)
                    : host_out_of_memory("a path");
        free(name);
    }
    numbered_files_free(&found);
    return code;
}

static int read_table(host_sequence *sequence, csv_table *table, const char *path)
{
    struct stat status;
    csv_entries rows = {NULL, 0, 0, 0};
    bool is_pattern = strchr(path, '*') && stat(path, &status) != 0;
    int code = HOST_DONE;
    if (is_pattern) {
        code = add_parts(sequence, table, path);
    } else {
        table->parts = host_allocate(1, sizeof *table->parts);
        code = table->parts ? add_part(sequence, table, path, NAMES_NO_NUMBER)
                            : host_out_of_memory("a table");
    }
    if (!code) code = find_frames(sequence, table);
    if (!code) code = check_frames(sequence, table, &rows);
    free(rows.entries);
    return code;
}

int csv_open(host_sequence *sequence, const char *path)
{
    csv_table *table = host_allocate(1, sizeof *table);
    uint32_t streams = 0;
    if (table && pthread_mutex_init(&table->lock, NULL) != 0) {
        free(table);
        table = NULL;
    }
    sequence->state = table;
    sequence->type = POINT_PARTICLES;
    int code = table ? host_sequence_take_names(sequence, path) : host_out_of_memory("a table");
    if (!code) code = read_table(sequence, table, path);
    if (code) return code;
    for (size_t i = 0; i < table->part_count; i++) streams |= table->parts[i].header.streams;
    if (streams & POINT_SURFACES) sequence->type = POINT_DYNAMIC_PAINT;
    if (!sequence->frame_count) sequence->streams = streams;
    return HOST_DONE;
}

static int visit_values(csv_visitor *visitor, const csv_reader *reader, const csv_row *row)
{
    host_frame *frame = visitor->frame;
    uint32_t i = visitor->count++;
    if (row->streams != frame->streams)
        return host_error(HOST_IO, reader->path, reader->line_start,
                          "the file changed while it was read");
    ((uint32_t *)frame->data[POINT_INDEX])[i] = row->index;
    for (int c = CSV_INDEX + 1; c < CSV_COLUMNS; c++) {
        uint8_t *to = frame->data[csv_columns[c].stream];
        if (!to) continue;
        int16_t state = csv_columns[c].component == CSV_STATE ? (int16_t)row->values[c] : 0;
        if (csv_columns[c].component == CSV_STATE)
            memcpy(to + csv_value_at(&csv_columns[c], i), &state, sizeof state);
        else
            memcpy(to + csv_value_at(&csv_columns[c], i), &row->values[c], sizeof row->values[c]);
    }
    return HOST_DONE;
}

int csv_load(host_sequence *sequence, size_t position, host_frame *frame)
{
    csv_table *table = sequence->state;
    const csv_frame *wanted = &table->frames[position];
    csv_visitor visitor = {visit_values, NULL, frame, 0};
    if (!host_frame_allocate(frame, wanted->count, wanted->streams))
        return host_out_of_memory("a frame");
    int code = visit_rows(table, position, &visitor);
    if (!code && !host_frame_order(frame)) code = host_out_of_memory("a frame");
    if (!code && frame->count != wanted->count)
        code = host_error(HOST_IO, sequence->path, HOST_NO_OFFSET,
                          "the file changed while it was read");
    if (code) host_frame_free(frame);
    frame->number = sequence->numbers[position];
    return code;
}

void csv_close(host_sequence *sequence)
{
    csv_table *table = sequence->state;
    if (!table) return;
    for (size_t i = 0; i < table->part_count; i++) {
        host_source_close(&table->parts[i].source);
        free(table->parts[i].path);
    }
    for (size_t k = 0; k < KEPT_MAX; k++) host_source_close(&table->kept[k].source);
    pthread_mutex_destroy(&table->lock);
    free(table->parts);
    free(table->runs);
    free(table->frames);
    free(table);
    sequence->state = NULL;
}
