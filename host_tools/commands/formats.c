/* SPDX-License-Identifier: MIT
   host_tools/commands/formats.c - `tidepool formats`: all file formats, and what each can hold.
   reads   the table of formats      writes  standard output
   memory  none      cost    constant
   after   own design: every cell is computed from the row that the readers and writers use */
#include "commands.h"
#include "../common/host.h"
#include "../formats/formats.h"
#include <string.h>

const char help_formats[] =
    "usage: tidepool formats [--markdown|--json]\n"
    "\n"
    "Prints the file formats: ending, files, and the data that each can hold. A + means that the\n"
    "format holds it; convert names what it skips.\n"
    "\n"
    "  files    1: all frames in one file. 1 or *: one per frame if the name has a *.\n"
    "  painted  Values of painted surfaces.  extra: springs of fluids and the like.\n"
    "  packed   By itself, with --compression, with gzip (NAME.csv.gz) or Zstandard (.zst).\n"
    "\n"
    "  --markdown   As a table for documents.\n"
    "  --json       As an array of objects.\n"
    "\n"
    "example: tidepool formats\n";

/* Columns of data: the streams, then what no stream is. */
enum { HOLDS_PAINTED = POINT_BOIDS + 1, HOLDS_EXTRA, HOLDS };

static const char *hold_name(uint32_t hold)
{
    return hold == HOLDS_PAINTED ? "painted"
           : hold == HOLDS_EXTRA ? "extra"
                                 : point_streams[hold].name;
}

static bool holds(const host_format *format, uint32_t hold)
{
    uint32_t mask = hold == HOLDS_PAINTED ? POINT_SURFACES
                    : hold == HOLDS_EXTRA ? POINT_EXTRA
                                          : POINT_BIT(hold);
    return host_format_holds(format) & mask;
}

static const char *mark_of(const host_format *format)
{
    return format->create ? "" : " (read only)";
}

static const char *files_of(const host_format *format)
{
    if (format->has_files) return "1 per frame";
    if (format->has_file_per_stream) return "1 per stream, or *";
    return format->has_files_by_star ? "1 or *" : "1";
}

/* Appends a word, with a blank before it if it is not the first. */
static void add_word(char *text, size_t size, const char *word)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used ? " " : "", word);
}

static void name_encodings(const host_format *format, char *text, size_t size)
{
    text[0] = 0;
    for (int e = ENCODING_ASCII; e < ENCODING_COUNT; e++)
        if (format->encodings & ENCODING_BIT(e)) add_word(text, size, host_encoding_names[e]);
}

static void name_packing(const host_format *format, char *text, size_t size)
{
    text[0] = 0;
    if (format->takes_blocks) add_word(text, size, "light heavy zstd");
    if (format->takes_errors) add_word(text, size, "within an error");
    if (format->packing) add_word(text, size, format->packing);
    if (format->takes_deflate) add_word(text, size, "deflate");
    if (format->takes_gzip) add_word(text, size, "gzip zst");
}

enum { NAME_WIDTH = 33 }; /* "headerless-particles (read only) " */

typedef enum table_style { TABLE_PLAIN, TABLE_MARKDOWN } table_style;

static void print_row(table_style style, const char *const fixed[5], const char *const marks[HOLDS])
{
    static const int widths[5] = {NAME_WIDTH, 12, 20, 18, 0};
    bool is_plain = style == TABLE_PLAIN;
    for (int c = 0; c < 3; c++)
        is_plain ? printf("%-*s", widths[c], fixed[c]) : printf("%s%s", c ? " | " : "| ", fixed[c]);
    for (uint32_t h = 0; h < HOLDS; h++)
        is_plain ? printf("%-*s", (int)strlen(hold_name(h)) + 1, marks[h])
                 : printf(" | %s", marks[h]);
    for (int c = 3; c < 5; c++)
        is_plain ? printf("%-*s", fixed[4][0] ? widths[c] : 0, fixed[c])
                 : printf(" | %s", fixed[c]);
    puts(is_plain ? "" : " |");
}

static void print_format(const host_format *format, table_style style)
{
    char name[60], ending[40], encodings[40], packing[60];
    const char *marks[HOLDS];
    bool is_plain = style == TABLE_PLAIN;
    for (uint32_t h = 0; h < HOLDS; h++) marks[h] = holds(format, h) ? "+" : "";
    name_encodings(format, encodings, sizeof encodings);
    name_packing(format, packing, sizeof packing);
    snprintf(name, sizeof name, is_plain ? "%s%s" : "`%s`%s", format->name, mark_of(format));
    snprintf(ending, sizeof ending, is_plain ? "%s" : "`%s`", format->ending);
    print_row(style, (const char *const[]){name, ending, files_of(format), encodings, packing},
              marks);
}

static void print_table(table_style style)
{
    const char *names[HOLDS];
    for (uint32_t h = 0; h < HOLDS; h++) names[h] = hold_name(h);
    print_row(style, (const char *const[]){"format", "ending", "files", "encodings", "packed"},
              names);
    if (style == TABLE_MARKDOWN) {
        for (int c = 0; c < HOLDS + 5; c++) fputs("|---", stdout);
        puts("|");
    }
    for (size_t f = 0; f < host_format_count; f++) print_format(host_formats[f], style);
}

static void print_json(void)
{
    for (size_t f = 0; f < host_format_count; f++) {
        char encodings[40], packing[60];
        const host_format *format = host_formats[f];
        const char *comma = "";
        name_encodings(format, encodings, sizeof encodings);
        name_packing(format, packing, sizeof packing);
        printf("%s {\"format\": \"%s\", \"ending\": \"%s\", \"summary\": ", f ? ",\n" : "[\n",
               format->name, format->ending);
        host_json_text(stdout, format->summary);
        printf(", \"files\": \"%s\", \"written\": %s, \"stream\": %s, \"holds\": [",
               files_of(format), format->create ? "true" : "false",
               format->takes_stream ? "true" : "false");
        for (uint32_t h = 0; h < HOLDS; h++) {
            if (!holds(format, h)) continue;
            printf("%s\"%s\"", comma, hold_name(h));
            comma = ", ";
        }
        printf("], \"encodings\": \"%s\", \"packed\": \"%s\"}", encodings, packing);
    }
    puts("\n]");
}

static void print_plain(void)
{
    for (size_t f = 0; f < host_format_count; f++)
        printf("%s%-*s%s\n", host_formats[f]->name, NAME_WIDTH - (int)strlen(host_formats[f]->name),
               mark_of(host_formats[f]), host_formats[f]->summary);
    puts("");
    print_table(TABLE_PLAIN);
}

int command_formats(int argc, char **argv)
{
    host_option options[] = {{"markdown", true, NULL}, {"json", true, NULL}};
    size_t count;
    if (host_help(argc, argv, help_formats)) return HOST_DONE;
    int code = host_parse("formats", argc, argv, options, 2, NULL, 0, &count);
    if (code) return code;
    if (options[0].value && options[1].value)
        return host_error(HOST_USAGE, "formats", HOST_NO_OFFSET,
                          "--markdown and --json exclude each other; give one");
    if (options[1].value)
        print_json();
    else if (options[0].value)
        print_table(TABLE_MARKDOWN);
    else
        print_plain();
    return HOST_DONE;
}
