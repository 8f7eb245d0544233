/* SPDX-License-Identifier: MIT
   host_tools/formats/csv_read.c - CSV tables of points, line by line: header and rows.
   reads   text of a file through a window    writes  csv_header, csv_row
   memory  a window of 64 KiB, more for longer lines, at most 1 MiB    cost    O(bytes)
   after   own design; unknown columns are ignored with a note */
#include "csv_private.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 1 << 16 };

/* ---- errors */

static int fail_at(const csv_reader *reader, const char *at, const char *format, va_list arguments)
{
    char text[400];
    vsnprintf(text, sizeof text, format, arguments);
    return host_error(HOST_BAD_INPUT, reader->path,
                      reader->line_start + (uint64_t)(at - reader->text), "line %llu: %s",
                      (unsigned long long)reader->line, text);
}

int csv_bad_line(const csv_reader *reader, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int code = fail_at(reader, reader->text, format, arguments);
    va_end(arguments);
    return code;
}

static int bad_word(const csv_reader *reader, const char *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int code = fail_at(reader, at, format, arguments);
    va_end(arguments);
    return code;
}

int csv_long_line(const char *path, uint64_t offset, uint64_t line)
{
    return host_error(HOST_BAD_INPUT, path, offset,
                      "line %llu has more than %d bytes; is this a table?",
                      (unsigned long long)line, CSV_LINE_MAX);
}

/* ---- lines */

bool csv_reader_begin(csv_reader *reader, host_source *source, uint64_t offset, uint64_t end,
                      uint64_t line)
{
    memset(reader, 0, sizeof *reader);
    reader->path = source->path;
    reader->source = source;
    reader->offset = reader->line_start = offset;
    reader->end = end;
    reader->line = line;
    reader->capacity = end - offset < WINDOW ? (size_t)(end - offset) : WINDOW;
    reader->window = malloc(reader->capacity + 1);
    reader->text = reader->window;
    return reader->window != NULL;
}

void csv_reader_end(csv_reader *reader)
{
    free(reader->window);
    reader->window = NULL;
}

uint64_t csv_reader_offset(const csv_reader *reader)
{
    return reader->offset - (reader->filled - reader->at);
}

/* Moves the unread bytes to the front of the window and reads more of the file after them. */
static int fill(csv_reader *reader)
{
    size_t left = reader->filled - reader->at;
    memmove(reader->window, reader->window + reader->at, left);
    reader->at = 0;
    reader->filled = left;
    if (left == reader->capacity) {
        if (left >= CSV_LINE_MAX)
            return csv_long_line(reader->path, reader->offset - left, reader->line + 1);
        char *larger = realloc(reader->window, reader->capacity * 2 + 1);
        if (!larger) return host_out_of_memory("a table");
        reader->window = larger;
        reader->capacity *= 2;
    }
    uint64_t wanted = reader->end - reader->offset;
    if (wanted > reader->capacity - left) wanted = reader->capacity - left;
    size_t got;
    int code = host_source_read(reader->source, reader->offset, reader->window + left,
                                (size_t)wanted, &got);
    if (code) return code;
    if (got == 0 && reader->end != UINT64_MAX)
        return host_error(HOST_IO, reader->path, reader->offset,
                          "the file became shorter while it was read");
    if (got == 0) reader->end = reader->offset;
    reader->offset += got;
    reader->filled += got;
    reader->window[reader->filled] = 0;
    return HOST_DONE;
}

/* The next line, including its line end if it has one. */
static int take_line(csv_reader *reader, text_word *line, bool *found)
{
    const char *stop;
    for (;;) {
        const char *start = reader->window + reader->at;
        stop = memchr(start, '\n', reader->filled - reader->at);
        if (stop || reader->offset == reader->end) break;
        int code = fill(reader);
        if (code) return code;
    }
    size_t end = stop ? (size_t)(stop - reader->window) + 1 : reader->filled;
    *found = reader->at < end;
    *line = (text_word){reader->window + reader->at, end - reader->at};
    reader->line += *found;
    reader->is_cut = *found && !stop;
    reader->line_start = csv_reader_offset(reader);
    reader->text = line->text;
    reader->at = end;
    return HOST_DONE;
}

/* Removes surrounding blanks and quotes. */
static text_word trim(const char *start, const char *end)
{
    while (start < end && (*start == ' ' || *start == '\t')) start++;
    while (end > start && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) end--;
    if (end - start >= 2 && *start == '"' && end[-1] == '"') start++, end--;
    return (text_word){start, (size_t)(end - start)};
}

/* The separator that a line has most of: a comma, a semicolon, a tab, else blanks. */
static char find_separator(text_word line)
{
    static const char separators[] = ",;\t";
    size_t best = 0;
    char found = ' ';
    for (const char *separator = separators; *separator; separator++) {
        size_t count = 0;
        for (size_t i = 0; i < line.length; i++) count += line.text[i] == *separator;
        if (count > best) best = count, found = *separator;
    }
    return found;
}

/* The end of the field that begins at `start`. Several blanks are one separator. */
static const char *field_end(const char *start, const char *stop, char separator)
{
    const char *end = memchr(start, separator, (size_t)(stop - start));
    while (separator == ' ' && end && end + 1 < stop && end[1] == ' ') end++;
    return end ? end : stop;
}

/* Tables with semicolons have numbers with commas: 2,5. */
static void put_points(csv_reader *reader, text_word line)
{
    char *at = reader->window + (line.text - reader->window), *end = at + line.length;
    while ((at = memchr(at, ',', (size_t)(end - at))) != NULL) *at = '.';
}

/* Splits at the separators. Fields beyond CSV_FIELDS_MAX are counted but not stored. */
static void split(csv_reader *reader, text_word line, char separator)
{
    const char *start = line.text, *stop = start + line.length;
    reader->field_count = 0;
    for (const char *end; start <= stop; start = end + 1) {
        end = field_end(start, stop, separator);
        if (reader->field_count < CSV_FIELDS_MAX)
            reader->fields[reader->field_count] = trim(start, end);
        reader->field_count++;
    }
}

/* Splits the next non-empty line. */
static int next_line(csv_reader *reader, bool *found)
{
    text_word line;
    do {
        int code = take_line(reader, &line, found);
        if (code || !*found) return code;
        if (line.text[line.length - 1] == '\n') line.length--;
    } while (!trim(line.text, line.text + line.length).length);
    if (!reader->separator) reader->separator = find_separator(line);
    if (reader->is_in_rows && reader->separator == ';') put_points(reader, line);
    if (reader->separator == ' ') { /* no field is before the first blank */
        const char *end = line.text + line.length;
        while (*line.text == ' ') line.text++;
        while (end[-1] == ' ' || end[-1] == '\r') end--;
        line.length = (size_t)(end - line.text);
    }
    split(reader, line, reader->separator);
    return HOST_DONE;
}

static int shown(text_word word) { return (int)(word.length < 40 ? word.length : 40); }

/* ---- the header line */

/* A painted surface stores values only; its mesh has the locations. Drops the other columns. */
static void drop_motion(const csv_reader *reader, csv_header *header)
{
    uint32_t kept = POINT_SURFACES | POINT_BIT(POINT_INDEX), dropped = header->streams & ~kept;
    for (size_t f = 0; f < header->field_count; f++) {
        int c = header->column_of[f];
        if (c >= 0 && csv_columns[c].stream >= 0 && !(kept & POINT_BIT(csv_columns[c].stream)))
            header->column_of[f] = -1;
    }
    if (dropped)
        host_note(reader->path, reader->line_start,
                  "columns of location and motion are ignored: a painted surface has none");
    header->streams &= kept;
}

/* A painted surface has one kind of values: paint, displace, weight or wave. */
static int check_surface(const csv_reader *reader, const csv_header *header)
{
    uint32_t found = header->streams & POINT_SURFACES,
             paint = POINT_BIT(POINT_WET) | POINT_BIT(POINT_PAINT);
    if (found == 0 || found == paint || (!(found & (found - 1)) && !(found & paint)))
        return HOST_DONE;
    return csv_bad_line(reader, "expected the columns of one kind of painted surface: wet_r to a "
                                "(paint), displace, weight, or "
                                "wave_height to wave_state; found several kinds, or a part of one");
}

/* Each stream has all its columns or none. */
static int check_columns(const csv_reader *reader, const bool present[CSV_COLUMNS],
                         csv_header *header)
{
    for (int c = 0; c < CSV_COLUMNS; c++)
        if (present[c] && csv_columns[c].stream >= 0)
            header->streams |= POINT_BIT(csv_columns[c].stream);
    header->streams |= csv_needed_streams(header->streams);
    if (header->streams & POINT_SURFACES) drop_motion(reader, header);
    for (int c = 0; c < CSV_COLUMNS; c++) {
        bool is_wanted = c > CSV_INDEX && header->streams & POINT_BIT(csv_columns[c].stream);
        if (present[c] || !is_wanted) continue;
        return csv_bad_line(reader,
                            "column %s is missing; the header needs x,y,z, and of each "
                            "group vx,vy,vz / "
                            "rw,rx,ry,rz / ax,ay,az / birth,die,life all columns or none",
                            csv_columns[c].name);
    }
    return check_surface(reader, header);
}

/* Removes a UTF-8 byte order mark from the first name. */
static void skip_mark(csv_reader *reader)
{
    text_word *first = &reader->fields[0];
    if (first->length < 3 || memcmp(first->text, "\xef\xbb\xbf", 3) != 0) return;
    *first = trim(first->text + 3, first->text + first->length);
}

/* NumPy begins a header line with "# ". */
static void skip_hash(csv_reader *reader)
{
    text_word *first = &reader->fields[0];
    if (!first->length || *first->text != '#') return;
    *first = trim(first->text + 1, first->text + first->length);
    if (first->length || reader->field_count < 2) return;
    reader->field_count--;
    memmove(first, first + 1, reader->field_count * sizeof *first);
}

static bool are_numbers(const csv_reader *reader)
{
    float value;
    for (size_t f = 0; f < reader->field_count && f < CSV_FIELDS_MAX; f++)
        if (text_read_f32(reader->fields[f], &value)) return false;
    return true;
}

/* The fields of the header: the first line, or the names given for a table without one. */
static int take_names(csv_reader *reader, const char *columns)
{
    bool found = true;
    int code = HOST_DONE;
    if (columns)
        split(reader, (text_word){columns, strlen(columns)}, ',');
    else
        code = next_line(reader, &found);
    if (code) return code;
    if (!found)
        return host_error(HOST_BAD_INPUT, reader->path, reader->line_start,
                          "the table is empty, expected a header line: frame,index,x,y,z,...");
    if (reader->field_count > CSV_FIELDS_MAX)
        return csv_bad_line(reader, "%zu columns, expected at most %d", reader->field_count,
                            CSV_FIELDS_MAX);
    if (columns) return HOST_DONE;
    skip_mark(reader);
    skip_hash(reader);
    return are_numbers(reader) ? csv_bad_line(reader, "expected names of columns, found numbers; "
                                                      "name them with convert --columns x,y,z")
                               : HOST_DONE;
}

/* Names of other programs, for columns that the table does not have by their own name. */
static void find_meant(csv_reader *reader, bool present[CSV_COLUMNS], csv_header *header)
{
    for (size_t f = 0; f < reader->field_count; f++) {
        int c = header->column_of[f] < 0 ? csv_column_meant(reader->fields[f]) : -1;
        if (c < 0 || present[c]) continue;
        header->column_of[f] = c;
        present[c] = true;
    }
}

/* Each name once for all files of a pattern. */
static void note_unknown(const csv_reader *reader, const csv_header *header, const char *columns)
{
    for (size_t f = 0; f < reader->field_count; f++) {
        text_word field = reader->fields[f];
        char text[80];
        if (header->column_of[f] >= 0) continue;
        snprintf(text, sizeof text, "column \"%.*s\" is unknown and ignored", shown(field),
                 field.text);
        uint64_t at = reader->line_start + (uint64_t)(field.text - reader->text);
        if (host_sequence_notes(reader->teller, text))
            host_note(reader->path, columns ? HOST_NO_OFFSET : at, "%s", text);
    }
}

int csv_read_header(csv_reader *reader, const char *columns, csv_header *header)
{
    bool present[CSV_COLUMNS] = {false};
    memset(header, 0, sizeof *header);
    int code = take_names(reader, columns);
    if (code) return code;
    header->field_count = reader->field_count;
    for (size_t f = 0; f < reader->field_count; f++) {
        text_word field = reader->fields[f];
        int c = header->column_of[f] = csv_column_named(field);
        if (c >= 0 && present[c])
            return bad_word(reader, columns ? reader->text : field.text, "column %s appears twice",
                            csv_columns[c].name);
        if (c >= 0) present[c] = true;
    }
    find_meant(reader, present, header);
    note_unknown(reader, header, columns);
    header->has_frame = present[CSV_FRAME];
    header->has_index = present[CSV_INDEX];
    header->frame = 1;
    reader->is_in_rows = true;
    return check_columns(reader, present, header);
}

/* ---- rows */

static int bad_field(const csv_reader *reader, const csv_header *header, size_t field,
                     const char *expected)
{
    text_word found = reader->fields[field];
    return bad_word(reader, found.text, "column %s is \"%.*s\", expected %s",
                    csv_columns[header->column_of[field]].name, shown(found), found.text, expected);
}

static int parse_whole(const csv_reader *reader, const csv_header *header, size_t field,
                       csv_row *row)
{
    text_word word = reader->fields[field];
    if (header->column_of[field] == CSV_FRAME)
        return text_parse_i32(word, &row->frame)
                   ? HOST_DONE
                   : bad_field(reader, header, field, "a whole number");
    return text_parse_u32(word, &row->index)
               ? HOST_DONE
               : bad_field(reader, header, field, "a whole number from 0 to 4294967295");
}

static int parse_value(const csv_reader *reader, const csv_header *header, size_t field,
                       float *value)
{
    text_word word = reader->fields[field];
    bool is_state = csv_columns[header->column_of[field]].component == CSV_STATE;
    const char *expected = text_read_f32(word, value);
    if (expected) return bad_field(reader, header, field, expected);
    if (is_state && !(*value >= INT16_MIN && *value <= INT16_MAX && *value == floorf(*value)))
        return bad_field(reader, header, field, "a whole number from -32768 to 32767");
    return HOST_DONE;
}

/* The fields of a stream must be all empty (the frame lacks the stream) or all filled. */
static int check_empty(const csv_reader *reader, const csv_header *header, uint32_t streams)
{
    for (size_t f = 0; f < reader->field_count; f++) {
        int c = header->column_of[f];
        if (c > CSV_INDEX && !reader->fields[f].length &&
            streams & POINT_BIT(csv_columns[c].stream))
            return bad_field(reader, header, f, "a number, as in the other columns of its stream");
    }
    return HOST_DONE;
}

static int read_fields(const csv_reader *reader, const csv_header *header, csv_row *row)
{
    uint32_t empty = 0, needed = csv_needed_streams(header->streams);
    row->streams = 0;
    for (size_t f = 0; f < reader->field_count; f++) {
        int c = header->column_of[f];
        if (c < 0) continue;
        uint32_t bit = c == CSV_FRAME ? 0 : POINT_BIT(csv_columns[c].stream);
        if (!reader->fields[f].length && bit & ~needed) {
            empty |= bit;
            continue;
        }
        int code = c <= CSV_INDEX ? parse_whole(reader, header, f, row)
                                  : parse_value(reader, header, f, &row->values[c]);
        if (code) return code;
        row->streams |= bit;
    }
    return empty & row->streams ? check_empty(reader, header, row->streams) : HOST_DONE;
}

/* True for a row with its frame number alone. Such a frame has the streams of the table. */
static bool is_frame_alone(const csv_reader *reader, const csv_header *header)
{
    for (size_t f = 0; f < reader->field_count; f++)
        if (reader->fields[f].length && header->column_of[f] != CSV_FRAME) return false;
    return true;
}

static int read_frame_alone(const csv_reader *reader, const csv_header *header, csv_row *row)
{
    row->streams = header->streams;
    for (size_t f = 0; f < reader->field_count; f++)
        if (header->column_of[f] == CSV_FRAME) return parse_whole(reader, header, f, row);
    return HOST_DONE;
}

int csv_read_row(csv_reader *reader, const csv_header *header, csv_row *row, bool *found)
{
    int code = next_line(reader, found);
    if (code || !*found) return code;
    if (reader->field_count != header->field_count)
        return csv_bad_line(reader, "the row has %zu fields, expected %zu as in the header",
                            reader->field_count, header->field_count);
    row->frame = header->frame;
    row->is_empty = header->has_frame && is_frame_alone(reader, header);
    code = row->is_empty ? read_frame_alone(reader, header, row) : read_fields(reader, header, row);
    if (code || header->has_index || row->is_empty) return code;
    if (row->frame != reader->row_frame) reader->next_index = 0;
    reader->row_frame = row->frame;
    row->index = reader->next_index++;
    row->streams |= POINT_BIT(POINT_INDEX);
    return HOST_DONE;
}
