/* SPDX-License-Identifier: MIT
   host_tools/commands/sample.c - `tidepool sample`: prints the points at any frame, also between
           two frames.
   reads   any format of formats.c         writes  standard output
   memory  two frames                    cost    O(bytes of two files); of all files, if births must
           be found
   after   own design */
#include "../formats/csv.h"
#include <string.h>

int command_sample(int argc, char **argv);
extern const char help_sample[];
const char help_sample[] =
    "usage: tidepool sample PATH --frame F [--csv] [--from F]\n"
    "\n"
    "Prints the points at one frame. A frame without a file is interpolated between the frames "
    "before\n"
    "and after it (cubic Hermite). After the last frame the points stay where they are. If the "
    "times of\n"
    "birth and death are known, only points that are alive are printed.\n"
    "\n"
    "  --frame F   The frame, also a fraction such as 10.5.\n"
    "  --csv       Print rows of a .csv file: frame,index,x,y,z,...\n"
    "  --from F    Format of PATH, if its ending does not say it (see convert).\n"
    "\n"
    "example: tidepool sample out/dam_break --frame 10.5 --csv\n";

/* Prints how the frame was made, if it is not stored. */
static void print_source(const host_sequence *sequence, double number)
{
    size_t next = 0;
    while (next < sequence->frame_count && sequence->numbers[next] < number) next++;
    bool is_stored = next < sequence->frame_count && sequence->numbers[next] == number;
    if (is_stored) return;
    if (next == 0)
        printf(", before the first frame, %d", (int)sequence->numbers[0]);
    else if (next == sequence->frame_count)
        printf(", held from the last frame, %d", (int)sequence->numbers[next - 1]);
    else
        printf(", interpolated between frames %d and %d", (int)sequence->numbers[next - 1],
               (int)sequence->numbers[next]);
}

static void print_head(const host_frame *frame)
{
    static const char *const axes[2][5] = {{" x", " y", " z", "", ""},
                                           {" w", " x", " y", " z", ""}};
    printf("\n%8s", "index");
    for (uint32_t s = POINT_LOCATION; s <= POINT_TIMES; s++) {
        static const char *const times[3] = {"birth", "death", "lifetime"};
        uint32_t floats = point_streams[s].floats;
        for (uint32_t k = 0; frame->data[s] && k < floats; k++) {
            char word[32];
            snprintf(word, sizeof word, "%s%s", point_streams[s].name,
                     floats > 1 ? axes[floats == 4][k] : "");
            printf(" %14s", s == POINT_TIMES ? times[k] : word);
        }
    }
    putchar('\n');
}

static void print_table(const host_sequence *sequence, const host_frame *frame)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    printf("frame %.10g: %u points", frame->number, frame->count);
    print_source(sequence, frame->number);
    print_head(frame);
    for (uint32_t i = 0; i < frame->count; i++) {
        printf("%8u", indices[i]);
        for (uint32_t s = POINT_LOCATION; s <= POINT_TIMES; s++) {
            const float *values = frame->data[s];
            uint32_t floats = point_streams[s].floats;
            for (uint32_t k = 0; values && k < floats; k++)
                printf(" %14.6g", (double)values[(size_t)i * floats + k]);
        }
        putchar('\n');
    }
}

static int sample(const char *path, const host_format *format, double number, bool csv)
{
    host_sequence sequence;
    host_frame frame;
    int code = host_sequence_open_hinted(&sequence, path, format, &(host_hints){.near = &number});
    if (code) return code;
    code = host_sequence_need(&sequence, &(host_needs){POINT_BIT(POINT_LOCATION), true}, "sample");
    if (!code && !sequence.frame_count)
        code = host_error(HOST_BAD_INPUT, path, HOST_NO_OFFSET,
                          "expected at least one frame, found none");
    if (!code) code = host_sequence_find_times(&sequence);
    if (!code) code = host_sequence_sample(&sequence, number, &frame);
    if (!code) {
        code = host_sequence_keep_alive(&sequence, &frame);
        bool has_place = frame.data[POINT_LOCATION] != NULL;
        if (csv || !has_place) csv_print_header(stdout, frame.streams);
        if (csv || !has_place)
            csv_print_frame(stdout, &frame, frame.streams);
        else
            print_table(&sequence, &frame);
        host_frame_free(&frame);
    }
    host_sequence_close(&sequence);
    if (!code && (fflush(stdout) != 0 || ferror(stdout)))
        code = host_error(HOST_IO, "standard output", HOST_NO_OFFSET, "cannot write");
    return code;
}

int command_sample(int argc, char **argv)
{
    enum { COUNT = 3 };
    host_option options[COUNT] = {
        {"frame", false, NULL}, {"csv", true, NULL}, {"from", false, NULL}};
    const char *path;
    size_t path_count;
    double number = 0;
    if (host_help(argc, argv, help_sample)) return HOST_DONE;
    int code = host_parse("sample", argc, argv, options, COUNT, &path, 1, &path_count);
    if (code) return code;
    const char *frame = host_option_value(options, COUNT, "frame"),
               *from = host_option_value(options, COUNT, "from");
    const host_format *format;
    if (!path_count || !frame)
        return host_error(HOST_USAGE, "sample", HOST_NO_OFFSET,
                          "expected PATH and --frame F; see tidepool sample --help");
    if (!host_parse_f64(frame, &number))
        return host_error(HOST_USAGE, "sample", HOST_NO_OFFSET,
                          "--frame is \"%s\", expected a number", frame);
    code = host_format_option("sample", "from", from, &format);
    if (code) return code;
    return sample(path, format, number, host_option_value(options, COUNT, "csv") != NULL);
}
