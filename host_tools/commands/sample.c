/* SPDX-License-Identifier: MIT
   host_tools/commands/sample.c - `tidepool sample`: the points at any, also fractional, frame.
   reads   any format of formats.c         writes  standard output
   memory  three frames                    cost    O(bytes of two files)
   after   own design */
#include "../formats/csv.h"
#include <string.h>

int command_sample(int argc, char **argv);
extern const char help_sample[];
const char help_sample[] = "usage: tidepool sample PATH --frame F [--csv] [--from F]\n"
                           "\n"
                           "Prints the points at frame F, which may be fractional. A frame without a file is "
                           "interpolated between its\n"
                           "neighbours (cubic Hermite); after the last frame the last one stays. Points that "
                           "are not born or dead at F are\n"
                           "left out when their times are known.\n"
                           "\n"
                           "  --frame F   the frame, for example 10.5\n"
                           "  --csv       rows as in a csv: frame,index,x,y,z,...\n"
                           "  --from F    format of PATH, where the ending does not tell it: bphys, csv\n"
                           "\n"
                           "example: tidepool sample out/dam_break --frame 10.5 --csv\n";

static void print_table(const host_frame *frame)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    const float *location = frame->data[POINT_LOCATION], *velocity = frame->data[POINT_VELOCITY];
    printf("frame %.9g: %u points\n%8s %14s %14s %14s", frame->number, frame->count, "index", "x", "y", "z");
    if (velocity) printf(" %14s %14s %14s", "vx", "vy", "vz");
    putchar('\n');
    for (uint32_t i = 0; i < frame->count; i++) {
        printf("%8u", indices[i]);
        for (size_t k = 0; location && k < 3; k++) printf(" %14.6g", (double)location[i * 3 + k]);
        for (size_t k = 0; velocity && k < 3; k++) printf(" %14.6g", (double)velocity[i * 3 + k]);
        putchar('\n');
    }
}

static int sample(const char *path, const host_format *format, double number, bool csv)
{
    host_sequence sequence;
    host_frame frame;
    int code = host_sequence_open(&sequence, path, format);
    if (code) return code;
    code = host_sequence_need_points(&sequence, true);
    if (!code && !sequence.frame_count)
        code = host_error(HOST_BAD_INPUT, path, HOST_NO_OFFSET, "there is no frame to sample");
    if (!code) code = host_sequence_sample(&sequence, number, &frame);
    if (!code) {
        code = host_sequence_keep_alive(&sequence, &frame);
        bool has_place = frame.data[POINT_LOCATION] != NULL;
        if (csv || !has_place) csv_print_header(stdout, frame.streams);
        if (csv || !has_place)
            csv_print_frame(stdout, &frame, frame.streams);
        else
            print_table(&frame);
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
    host_option options[COUNT] = {{"frame", false, NULL}, {"csv", true, NULL}, {"from", false, NULL}};
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
        return host_error(HOST_USAGE, "sample", HOST_NO_OFFSET, "--frame is \"%s\", expected a number",
                          frame);
    code = host_format_option("sample", "from", from, &format);
    if (code) return code;
    return sample(path, format, number, host_option_value(options, COUNT, "csv") != NULL);
}
