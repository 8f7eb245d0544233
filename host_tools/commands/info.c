/* SPDX-License-Identifier: MIT
   host_tools/commands/info.c - `tidepool info`: what files of points hold.
   reads   any format of formats.c         writes  standard output
   memory  headers; a .csv whole           cost    O(files), a .csv O(bytes)
   after   own design */
#include "../formats/formats.h"
#include <stdlib.h>
#include <string.h>

int command_info(int argc, char **argv);
extern const char help_info[];
const char help_info[] = "usage: tidepool info PATH... [--json] [--from F]\n"
                         "\n"
                         "Says what each PATH holds: type, streams, frames, points, size, compression. PATH "
                         "names a .bphys sequence by\n"
                         "DIR/NAME, 'DIR/NAME_*_00.bphys', any one file of it, or a folder with one "
                         "sequence; a table by its file.\n"
                         "\n"
                         "  --json      one object, or for several paths an array of them: format, type, "
                         "frames, first_frame, last_frame,\n"
                         "              points, streams, compression, bytes\n"
                         "  --from F    format of PATH, where the ending does not tell it: bphys, csv\n"
                         "\n"
                         "example: tidepool info out/dam_break --json\n";

/* The names of the streams that the sequence has, each between two `quote`s. */
static void print_streams(const host_sequence *sequence, const char *quote)
{
    const char *comma = "";
    for (uint32_t s = 0; s < POINT_STREAMS; s++) {
        bool cloth = s == POINT_ANGULAR && sequence->type == POINT_CLOTH;
        if (!(sequence->streams & POINT_BIT(s))) continue;
        printf("%s%s%s%s", comma, quote, cloth ? point_streams[s].other_name : point_streams[s].name, quote);
        comma = ", ";
    }
}

static void print_json(const host_sequence *sequence)
{
    bool any = sequence->frame_count != 0;
    printf("{\"format\": \"%s\", \"type\": \"%s\", \"frames\": %zu, ", sequence->format->name,
           point_type_name(sequence->type), sequence->frame_count);
    if (any)
        printf("\"first_frame\": %d, \"last_frame\": %d, ", (int)sequence->numbers[0],
               (int)sequence->numbers[sequence->frame_count - 1]);
    else
        printf("\"first_frame\": null, \"last_frame\": null, ");
    printf("\"points\": %u, \"streams\": [", sequence->point_count);
    print_streams(sequence, "\"");
    printf("], \"compression\": \"%s\", \"bytes\": %llu}", sequence->compression,
           (unsigned long long)sequence->byte_count);
}

static size_t count_gaps(const host_sequence *sequence)
{
    int64_t span = (int64_t)sequence->numbers[sequence->frame_count - 1] - sequence->numbers[0] + 1;
    return (size_t)span - sequence->frame_count;
}

static void print_text(const host_sequence *sequence)
{
    printf("%s\n  format       %s, %s\n", sequence->path, sequence->format->name, sequence->format->summary);
    if (sequence->detail) printf("  detail       %s\n", sequence->detail);
    printf("  type         %s\n  points       %u%s\n", point_type_name(sequence->type), sequence->point_count,
           sequence->has_info ? " (from the info file)" : "");
    printf("  frames       %zu", sequence->frame_count);
    if (sequence->frame_count)
        printf(", from %d to %d", (int)sequence->numbers[0],
               (int)sequence->numbers[sequence->frame_count - 1]);
    if (sequence->frame_count && count_gaps(sequence))
        printf(" (%zu in between can be interpolated)", count_gaps(sequence));
    printf("\n  streams      ");
    print_streams(sequence, "");
    printf("\n  birth, death %s\n  compression  %s\n  bytes        %llu\n",
           sequence->times || sequence->streams & POINT_BIT(POINT_TIMES) ? "known" : "not known",
           sequence->compression, (unsigned long long)sequence->byte_count);
}

/* A pattern that the shell has expanded names every file of a sequence: it is shown once. */
static bool already_shown(const host_sequence *shown, size_t count, const host_sequence *sequence)
{
    for (size_t i = 0; i < count; i++)
        if (sequence->format == shown[i].format && strcmp(sequence->folder, shown[i].folder) == 0 &&
            strcmp(sequence->name, shown[i].name) == 0 && strcmp(sequence->suffix, shown[i].suffix) == 0)
            return true;
    return false;
}

/* Opens every path; on an error those opened so far are closed. */
static int open_all(const char **paths, size_t path_count, const host_format *format,
                    host_sequence *sequences, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < path_count; i++) {
        int code = host_sequence_open(&sequences[*count], paths[i], format);
        if (code) return code;
        if (already_shown(sequences, *count, &sequences[*count]))
            host_sequence_close(&sequences[*count]);
        else
            ++*count;
    }
    return HOST_DONE;
}

static void print_all(const host_sequence *sequences, size_t count, bool json)
{
    if (json && count > 1) putchar('[');
    for (size_t i = 0; i < count; i++) {
        if (i) fputs(json ? ",\n " : "\n", stdout);
        if (json)
            print_json(&sequences[i]);
        else
            print_text(&sequences[i]);
    }
    if (json) fputs(count > 1 ? "]\n" : "\n", stdout);
}

int command_info(int argc, char **argv)
{
    enum { COUNT = 2 };
    host_option options[COUNT] = {{"json", true, NULL}, {"from", false, NULL}};
    size_t path_count, count = 0;
    if (host_help(argc, argv, help_info)) return HOST_DONE;
    const char **paths = host_allocate((size_t)argc, sizeof *paths);
    host_sequence *sequences = host_allocate((size_t)argc, sizeof *sequences);
    int code = paths && sequences ? HOST_DONE : host_no_room("the arguments");
    if (!code) code = host_parse("info", argc, argv, options, COUNT, paths, (size_t)argc, &path_count);
    const char *from = host_option_value(options, COUNT, "from");
    const host_format *format = NULL;
    if (!code) code = host_format_option("info", "from", from, &format);
    if (!code && !path_count)
        code = host_error(HOST_USAGE, "info", HOST_NO_OFFSET, "expected PATH; see tidepool info --help");
    if (!code) code = open_all(paths, path_count, format, sequences, &count);
    if (!code) print_all(sequences, count, host_option_value(options, COUNT, "json") != NULL);
    for (size_t i = 0; i < count; i++) host_sequence_close(&sequences[i]);
    free(paths);
    free(sequences);
    return code;
}
