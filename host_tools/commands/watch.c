/* SPDX-License-Identifier: MIT
   host_tools/commands/watch.c - `tidepool watch`: follows a sequence while a farm writes it.
   reads   a sequence whose frames are files of their own      writes  standard output
   memory  a frame, 4 bytes per frame number      cost    each frame is read once; each look lists
           the folder
   after   own design */
#include "../common/text.h"
#include "../formats/formats.h"
#include "output.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

int command_watch(int argc, char **argv);
extern const char help_watch[];
const char help_watch[] =
    "usage: tidepool watch PATH --frames A-B [options]\n"
    "\n"
    "Follows a sequence while other programs write it, one file per frame. Prints each frame as "
    "it\n"
    "comes, once it can be read. Ends when all frames of A-B are there: exit code 0. Ends when no\n"
    "frame has come for some time: lists the missing and the damaged ones, exit code 1.\n"
    "\n"
    "  --frames A-B   The frames to wait for.\n"
    "  --step N       Only every Nth of them (default 1).\n"
    "  --every S      Seconds between two looks (default 2).\n"
    "  --patience S   Seconds without a new frame after which it ends (default 600); 0: one look.\n"
    "  --from F       Format of PATH, if its ending does not say it (see convert).\n"
    "\n"
    "example: tidepool watch cache/fire --frames 1-250\n";

enum { COUNT = 5 };

typedef struct watch_job {
    const char *path;
    const host_format *format;
    int32_t first, last;
    uint32_t step;
    double every, patience;
    uint32_t wanted, come; /* frames */
    uint8_t *has;          /* for each wanted frame */
    uint64_t points;       /* of the frames that came */
} watch_job;

/* Index of a wanted frame; UINT32_MAX: it is not wanted. */
static uint32_t index_of(const watch_job *job, int32_t number)
{
    int64_t distance = (int64_t)number - job->first;
    if (number < job->first || number > job->last || distance % job->step) return UINT32_MAX;
    return (uint32_t)(distance / job->step);
}

/* Reads a frame silently: a file may not be complete yet. */
static void look_at_frame(watch_job *job, host_sequence *sequence, size_t position)
{
    host_frame frame;
    host_listener deaf;
    uint32_t index = index_of(job, sequence->numbers[position]);
    if (index == UINT32_MAX || job->has[index]) return;
    host_listen_to_nothing(&deaf);
    int code = host_sequence_load(sequence, position, &frame);
    host_listen_end();
    if (code) return;
    job->has[index] = 1;
    job->come++;
    job->points += frame.count;
    printf("frame %d: %u point%s, %u of %u frames\n", (int)sequence->numbers[position], frame.count,
           frame.count == 1 ? "" : "s", job->come, job->wanted);
    fflush(stdout);
    host_frame_free(&frame);
}

/* A sequence that does not exist yet is one without frames. */
static int look(watch_job *job)
{
    host_sequence sequence;
    host_listener deaf;
    host_listen_to_nothing(&deaf);
    int code = host_sequence_open_sound(&sequence, job->path, job->format);
    host_listen_end();
    if (code == HOST_OUT_OF_MEMORY) return host_out_of_memory(job->path);
    if (code) return HOST_DONE;
    for (size_t f = 0; f < sequence.frame_count; f++) look_at_frame(job, &sequence, f);
    host_sequence_close(&sequence);
    return HOST_DONE;
}

static void rest(double seconds)
{
    time_t whole = (time_t)seconds;
    struct timespec left = {whole, (long)(1e9 * (seconds - (double)whole))};
    nanosleep(&left, NULL);
}

/* Prints the frames that have not come, as ranges. */
static int tell_missing(const watch_job *job)
{
    printf("%u of %u frames, %llu points; missing or damaged:", job->come, job->wanted,
           (unsigned long long)job->points);
    for (uint32_t k = 0; k < job->wanted; k++) {
        uint32_t end = k;
        if (job->has[k]) continue;
        while (end + 1u < job->wanted && !job->has[end + 1u]) end++;
        printf(" %lld", (long long)job->first + (long long)k * job->step);
        if (end > k) printf("-%lld", (long long)job->first + (long long)end * job->step);
        k = end;
    }
    putchar('\n');
    return HOST_DIFFERENT;
}

static int watch(watch_job *job)
{
    double waited = 0;
    for (;;) {
        uint32_t before = job->come;
        int code = look(job);
        if (code) return code;
        if (job->come == job->wanted) break;
        if (job->come > before) waited = 0;
        if (waited >= job->patience) return tell_missing(job);
        rest(job->every);
        waited += job->every;
    }
    printf("all %u frames, %llu points: %s\n", job->wanted, (unsigned long long)job->points,
           text_shown(job->path));
    return HOST_DONE;
}

static int read_seconds(const char *name, const char *text, double least, double *seconds)
{
    if (!text || (host_parse_f64(text, seconds) && *seconds >= least && *seconds <= 1e6))
        return HOST_DONE;
    return output_bad_option("watch", name, text, "seconds, at most 1e6");
}

static int read_options(watch_job *job, const host_option *options)
{
    const char *frames = options[0].value, *step = options[1].value;
    job->step = 1, job->every = 2, job->patience = 600;
    if (!frames)
        return host_error(HOST_USAGE, "watch", HOST_NO_OFFSET,
                          "expected --frames A-B, the frames to wait for");
    if (!host_parse_range(frames, &job->first, &job->last))
        return output_bad_option("watch", "frames", frames,
                                 "A-B with A not above B, for example 1-100");
    if (step && (!host_parse_u32(step, &job->step) || !job->step))
        return output_bad_option("watch", "step", step, "a whole number from 1");
    int64_t wanted = ((int64_t)job->last - job->first) / job->step + 1;
    if (wanted > 1 << 24)
        return output_bad_option("watch", "frames", frames, "at most 16777216 frames");
    job->wanted = (uint32_t)wanted;
    int code = read_seconds("every", options[2].value, 0.01, &job->every);
    return code ? code : read_seconds("patience", options[3].value, 0, &job->patience);
}

int command_watch(int argc, char **argv)
{
    host_option options[COUNT] = {{"frames", false, NULL},
                                  {"step", false, NULL},
                                  {"every", false, NULL},
                                  {"patience", false, NULL},
                                  {"from", false, NULL}};
    size_t path_count;
    watch_job job;
    memset(&job, 0, sizeof job);
    if (host_help(argc, argv, help_watch)) return HOST_DONE;
    int code = host_parse("watch", argc, argv, options, COUNT, &job.path, 1, &path_count);
    if (!code && !path_count)
        code = host_error(HOST_USAGE, "watch", HOST_NO_OFFSET,
                          "expected PATH; see tidepool watch --help");
    if (!code) code = read_options(&job, options);
    if (!code) code = host_format_option("watch", "from", options[4].value, &job.format);
    if (code) return code;
    job.has = host_allocate(job.wanted, 1);
    if (!job.has) return host_out_of_memory("the list of frames");
    code = watch(&job);
    free(job.has);
    return code;
}
