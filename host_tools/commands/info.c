/* SPDX-License-Identifier: MIT
   host_tools/commands/info.c - `tidepool info`: shows the contents of files of points.
   reads   any format of formats.c         writes  standard output
   memory  headers; whole .csv files       cost    O(files); .csv O(bytes)
   after   own design */
#include "../formats/bphys.h"
#include "../common/text.h"
#include "../formats/verify.h"
#include <stdlib.h>
#include <string.h>

int command_info(int argc, char **argv);
extern const char help_info[];
const char help_info[] =
    "usage: tidepool info PATH... [--json] [--from F]\n"
    "\n"
    "Shows what each PATH holds: type, streams, frames, points, size, compression.\n"
    "\n"
    "  PATH   a file; or for .bphys files DIR/NAME, 'DIR/NAME_*_00.bphys', any one file of the\n"
    "         sequence, or the name of the Blender object; or a folder: all sequences in it\n"
    "\n"
    "A Blender cache without a name is called after its object, in hexadecimal digits. info also "
    "shows\n"
    "the object's name as text. Only headers of .bphys files are read: verify checks the rest. A "
    "file\n"
    "that ends inside its points is an error (exit code 3), which names the byte.\n"
    "\n"
    "  --json      Print one JSON object, or an array of them for several sequences: format, "
    "type,\n"
    "              frames, first_frame, last_frame, points, streams, compression, bytes,\n"
    "              extra_frames, path, name, object, index, info_file, step, odd (true: frame "
    "numbers\n"
    "              are uneven), holes (first and last missing frame of each; at most 100),\n"
    "              up_axis (y or z, if the format fixes it or the file states it).\n"
    "  --from F    Format of PATH, if its ending does not say it (see convert).\n"
    "\n"
    "example: tidepool info out/dam_break --json\n";

enum { HOLES_SHOWN = 100 };

/* Prints the names of the streams, each between two `quote`s. */
static void print_streams(const host_sequence *sequence, const char *quote)
{
    const char *comma = "";
    for (uint32_t s = 0; s < POINT_STREAMS; s++) {
        bool cloth = s == POINT_ANGULAR && sequence->type == POINT_CLOTH;
        if (!(sequence->streams & POINT_BIT(s))) continue;
        printf("%s%s%s%s", comma, quote,
               cloth ? point_streams[s].other_name : point_streams[s].name, quote);
        comma = ", ";
    }
}

static size_t count_gaps(const host_sequence *sequence)
{
    int64_t span = (int64_t)sequence->numbers[sequence->frame_count - 1] - sequence->numbers[0] + 1;
    return (size_t)span - sequence->frame_count;
}

/* True if frames are unevenly spaced. Not counted: holes, which are listed; a shorter last gap,
   because Blender always writes the last frame. */
static bool is_odd(const host_sequence *sequence, int32_t step)
{
    const int32_t *numbers = sequence->numbers;
    for (size_t i = 1; i < sequence->frame_count; i++) {
        int32_t gap = numbers[i] - numbers[i - 1];
        bool is_last = gap < step && i + 1 == sequence->frame_count;
        if (gap != step && !is_last && !host_is_hole(numbers, i, step)) return true;
    }
    return false;
}

/* "7" of "_07". */
static const char *index_digits(const char *suffix)
{
    const char *digits = suffix + 1;
    while (digits[0] == '0' && digits[1]) digits++;
    return digits;
}

static void print_names(const host_sequence *sequence)
{
    char *object = bphys_object_name(sequence->name);
    fputs(", \"path\": ", stdout);
    host_json_text(stdout, sequence->path);
    fputs(", \"name\": ", stdout);
    host_json_text(stdout, sequence->name);
    fputs(", \"object\": ", stdout);
    if (object)
        host_json_text(stdout, object);
    else
        fputs("null", stdout);
    printf(", \"index\": %s, \"info_file\": %s",
           *sequence->suffix ? index_digits(sequence->suffix) : "null",
           sequence->has_info ? "true" : "false");
    free(object);
}

static void print_steps(const host_sequence *sequence)
{
    const int32_t *numbers = sequence->numbers;
    int32_t step = host_common_step(numbers, sequence->frame_count);
    size_t shown = 0;
    printf(", \"step\": %d, \"odd\": %s, \"holes\": [", (int)step,
           is_odd(sequence, step) ? "true" : "false");
    for (size_t i = 1; i < sequence->frame_count && shown < HOLES_SHOWN; i++)
        if (host_is_hole(numbers, i, step))
            printf("%s[%d, %d]", shown++ ? ", " : "", (int)numbers[i - 1] + 1, (int)numbers[i] - 1);
    putchar(']');
}

static void print_axis(const host_sequence *sequence)
{
    char axis = sequence->format->speaks_bphys_units ? 'z' : sequence->up_axis;
    if (axis)
        printf(", \"up_axis\": \"%c\"", axis);
    else
        fputs(", \"up_axis\": null", stdout);
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
    printf("], \"compression\": \"%s\", \"bytes\": %llu, \"extra_frames\": %zu",
           sequence->compression, (unsigned long long)sequence->byte_count, sequence->extra_count);
    print_names(sequence);
    print_steps(sequence);
    print_axis(sequence);
    if (sequence->json) fputs(sequence->json, stdout);
    putchar('}');
}

/* Prints missing frames, as in "7-9, 13". */
static void print_holes(const host_sequence *sequence, int32_t step)
{
    size_t shown = 0;
    const int32_t *numbers = sequence->numbers;
    for (size_t i = 1; i < sequence->frame_count; i++) {
        if (!host_is_hole(numbers, i, step)) continue;
        if (shown == HOLES_SHOWN) fputs(", ...", stdout);
        if (shown++ >= HOLES_SHOWN) return;
        fputs(shown == 1 ? "\n  holes        " : ", ", stdout);
        if (numbers[i] - numbers[i - 1] == 2)
            printf("%d", (int)numbers[i] - 1);
        else
            printf("%d-%d", (int)numbers[i - 1] + 1, (int)numbers[i] - 1);
    }
}

static void print_frames(const host_sequence *sequence)
{
    size_t count = sequence->frame_count;
    int32_t step = host_common_step(sequence->numbers, count);
    printf("  frames       %zu", count);
    if (!count) return;
    printf(", from %d to %d", (int)sequence->numbers[0], (int)sequence->numbers[count - 1]);
    if (is_odd(sequence, step))
        printf(", mostly in steps of %d (uneven)", (int)step);
    else if (step > 1)
        printf(" in steps of %d", (int)step);
    if (count_gaps(sequence)) printf(" (%zu in between can be interpolated)", count_gaps(sequence));
    print_holes(sequence, step);
}

static void print_text(const host_sequence *sequence)
{
    char *object = bphys_object_name(sequence->name);
    bool is_hidden =
        sequence->type == POINT_PARTICLES && sequence->format->find_times && !sequence->has_info;
    bool is_cache = sequence->format->verify && sequence->format->has_files;
    printf("%s\n  format       %s, %s\n", text_shown(sequence->path), sequence->format->name,
           sequence->format->summary);
    if (is_cache) printf("  name         %s", text_shown(sequence->name));
    if (is_cache && object) printf(" (object %s)", object);
    if (is_cache) puts(*sequence->suffix ? "" : ", without a cache index");
    if (sequence->detail && !(is_cache && object)) printf("  detail       %s\n", sequence->detail);
    printf("  type         %s\n  points       %u%s\n", point_type_name(sequence->type),
           sequence->point_count, sequence->has_info ? " (from the info file)" : "");
    print_frames(sequence);
    printf("\n  streams      ");
    print_streams(sequence, "");
    if (sequence->extra_count)
        printf("\n  extra data   in %zu frame%s", sequence->extra_count,
               sequence->extra_count == 1 ? "" : "s");
    printf("\n  birth, death %s\n  compression  %s\n  bytes        %llu\n",
           sequence->times || sequence->streams & POINT_BIT(POINT_TIMES) ? "known"
           : is_hidden ? "found from the points when needed"
                       : "not known",
           sequence->compression, (unsigned long long)sequence->byte_count);
    free(object);
}

/* The shell may expand a pattern to every file of a sequence; the sequence is shown once. */
static bool already_shown(const host_sequence *shown, size_t count, const host_sequence *sequence)
{
    for (size_t i = 0; i < count; i++)
        if (sequence->format == shown[i].format && strcmp(sequence->folder, shown[i].folder) == 0 &&
            strcmp(sequence->name, shown[i].name) == 0 &&
            strcmp(sequence->suffix, shown[i].suffix) == 0)
            return true;
    return false;
}

/* All opened sequences. The caller closes them, also after an error. */
typedef struct open_list {
    host_sequence *sequences;
    size_t count;
} open_list;

static int open_one(open_list *list, const char *path, const host_format *format)
{
    host_sequence *longer = realloc(list->sequences, (list->count + 1) * sizeof *longer);
    if (!longer) return host_out_of_memory("the arguments");
    list->sequences = longer;
    int code = host_sequence_open(&longer[list->count], path, format);
    if (!code && longer[list->count].format->describe) {
        code = longer[list->count].format->describe(&longer[list->count]);
        if (code) host_sequence_close(&longer[list->count]);
    }
    if (code) return code;
    if (already_shown(longer, list->count, &longer[list->count]))
        host_sequence_close(&longer[list->count]);
    else
        list->count++;
    return HOST_DONE;
}

/* A folder with one sequence is shown under the name of the folder. */
static int open_all(open_list *list, const char **paths, size_t path_count,
                    const host_format *format)
{
    int code = HOST_DONE;
    for (size_t i = 0; i < path_count && !code; i++) {
        char **found;
        size_t count;
        code = host_list(paths[i], format, &found, &count);
        if (code) return code;
        if (!format) host_list_note_others(paths[i], found[0]);
        const host_format *only = count == 1 ? host_format_by_ending(found[0]) : NULL;
        if (only && !only->rule) only = NULL;
        for (size_t k = 0; k < count && !code; k++)
            code = open_one(list, only ? paths[i] : found[k], only && !format ? only : format);
        host_list_free(found, count);
    }
    return code;
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

/* What the headers promise is shown; a file that is cut is an error all the same. */
static int check_all(host_sequence *sequences, size_t count)
{
    int worst = HOST_DONE;
    for (size_t i = 0; i < count; i++) {
        const host_format *format = sequences[i].format;
        int code = format->check_sizes ? format->check_sizes(&sequences[i]) : HOST_DONE;
        if (code > worst) worst = code;
    }
    return worst;
}

int command_info(int argc, char **argv)
{
    enum { COUNT = 2 };
    host_option options[COUNT] = {{"json", true, NULL}, {"from", false, NULL}};
    size_t path_count;
    open_list list = {NULL, 0};
    if (host_help(argc, argv, help_info)) return HOST_DONE;
    const char **paths = host_allocate((size_t)argc, sizeof *paths);
    int code = paths ? HOST_DONE : host_out_of_memory("the arguments");
    if (!code)
        code = host_parse("info", argc, argv, options, COUNT, paths, (size_t)argc, &path_count);
    const char *from = host_option_value(options, COUNT, "from");
    const host_format *format = NULL;
    if (!code) code = host_format_option("info", "from", from, &format);
    if (!code && !path_count)
        code = host_error(HOST_USAGE, "info", HOST_NO_OFFSET,
                          "expected PATH; see tidepool info --help");
    if (!code) code = open_all(&list, paths, path_count, format);
    if (!code) {
        print_all(list.sequences, list.count, host_option_value(options, COUNT, "json") != NULL);
        code = check_all(list.sequences, list.count);
    }
    for (size_t i = 0; i < list.count; i++) host_sequence_close(&list.sequences[i]);
    free(list.sequences);
    free(paths);
    return code;
}
