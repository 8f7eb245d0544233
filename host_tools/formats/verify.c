/* SPDX-License-Identifier: MIT
   host_tools/formats/verify.c - verifies files of points: reports every fault; checks that all
           formats share.
   reads   sequences, frames               writes  faults to a report
   memory  one frame                       cost    O(bytes)
   after   own design */
#include "verify.h"
#include "../common/text.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void host_fault(host_report *report, const char *file, uint64_t offset, const char *effect,
                const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    report->take(report, file, offset, text_make_readable(text), effect);
}

void host_report_out_of_memory(host_report *report, const char *file, uint64_t offset,
                               const char *text)
{
    report->code = host_error(HOST_OUT_OF_MEMORY, file, offset, "%s", text);
}

static bool is_missing(const char *file)
{
    return file && access(file, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

static void take_error(host_listener *listener, host_kind kind, const char *file, uint64_t offset,
                       const char *text)
{
    host_fault_listener *faults = (host_fault_listener *)listener;
    if (kind == HOST_KIND_NOTE) return;
    faults->heard++;
    if (kind == HOST_KIND_OUT_OF_MEMORY) {
        host_report_out_of_memory(faults->report, file, offset, text);
        return;
    }
    if (kind == HOST_KIND_IO && is_missing(file)) {
        faults->missed = true;
        faults->report->code = host_error(HOST_IO, file, offset, "%s", text);
        return;
    }
    faults->report->take(faults->report, file ? file : "", offset, text,
                         kind == HOST_KIND_DOUBT ? "convert goes on with the rest"
                                                 : faults->effect);
}

void host_faults_begin(host_fault_listener *listener, host_report *report, const char *effect)
{
    listener->listener.take = take_error;
    listener->report = report;
    listener->effect = effect;
    listener->heard = 0;
    listener->missed = false;
    host_listen_begin(&listener->listener);
}

/* ---- values */

static uint64_t offset_of(const host_layout *layout, uint32_t stream, uint32_t i)
{
    if (!layout || !layout->first[stream]) return HOST_NO_OFFSET;
    return layout->first[stream] + (uint64_t)i * layout->stride[stream];
}

static bool is_bad_number(const host_frame *frame, uint32_t stream, uint32_t i, float *value)
{
    float values[5];
    uint32_t floats = point_streams[stream].floats;
    memcpy(values, (const uint8_t *)frame->data[stream] + (size_t)i * point_streams[stream].bytes,
           floats * sizeof *values);
    for (uint32_t k = 0; k < floats; k++) {
        *value = values[k];
        if (!isfinite(*value)) return true;
    }
    return false;
}

/* Birth, death, lifetime. */
static bool is_bad_life(const host_frame *frame, uint32_t stream, uint32_t i, float *value)
{
    const float *times = (const float *)frame->data[stream] + (size_t)i * 3;
    *value = times[1] < times[0] ? times[1] - times[0] : times[2];
    return times[1] < times[0] || times[2] < 0;
}

/* Modes 0 to 4: in air, on land, climbing, falling, taking off. */
static bool is_bad_mode(const host_frame *frame, uint32_t stream, uint32_t i, float *value)
{
    int16_t mode;
    memcpy(&mode, (const uint8_t *)frame->data[stream] + (size_t)i * 20 + 18, sizeof mode);
    *value = mode;
    return mode < 0 || mode > 4;
}

typedef struct value_rule {
    bool (*is_bad)(const host_frame *frame, uint32_t stream, uint32_t i, float *value);
    uint32_t first, last; /* streams that the rule checks */
    uint32_t offset;      /* of the value in an element, if it is fixed; else 0 */
    const char *what, *effect;
} value_rule;
static const value_rule rules[] = {
    {is_bad_number, POINT_LOCATION, POINT_BOIDS, 0, "is not finite",
     "Blender shows the point nowhere"},
    {is_bad_life, POINT_TIMES, POINT_TIMES, 4, "end before they begin",
     "Blender never shows the point"},
    {is_bad_mode, POINT_BOIDS, POINT_BOIDS, 18, "has a mode beyond 0 to 4",
     "Blender does not know how the boid moves on"},
};

static void check_rule(host_report *report, const char *file, const host_frame *frame,
                       const host_layout *layout, bool is_blenders, const value_rule *rule,
                       uint32_t stream)
{
    uint32_t count = 0, worst = 0;
    float value = 0, found = 0;
    for (uint32_t i = 0; i < frame->count; i++) {
        if (!rule->is_bad(frame, stream, i, &value)) continue;
        if (!count++) worst = i, found = value;
    }
    if (!count) return;
    uint64_t offset = offset_of(layout, stream, worst);
    if (offset != HOST_NO_OFFSET && layout->stride[stream]) offset += rule->offset;
    const char *effect = is_blenders ? rule->effect
                         : rule->is_bad == is_bad_number
                             ? "convert does not write it into .bphys files"
                             : rule->effect;
    host_fault(report, file, offset, effect, "frame %.10g: %s of point %u %s (%g)%s", frame->number,
               point_streams[stream].name, ((const uint32_t *)frame->data[POINT_INDEX])[worst],
               rule->what, (double)found, count > 1 ? "; and other points" : "");
}

void host_verify_values(host_report *report, const char *file, const host_frame *frame,
                        const host_layout *layout, bool is_blenders)
{
    for (size_t r = 0; r < sizeof rules / sizeof rules[0]; r++)
        for (uint32_t s = rules[r].first; s <= rules[r].last; s++)
            if (frame->data[s]) check_rule(report, file, frame, layout, is_blenders, &rules[r], s);
}

/* ---- gaps between frames */

static int compare_gaps(const void *a, const void *b)
{
    int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;
    return (left > right) - (left < right);
}

int32_t host_common_step(const int32_t *numbers, size_t count)
{
    int32_t step = 1;
    size_t most = 0, run = 0;
    if (count < 2) return 1;
    int32_t *gaps = host_allocate(count - 1, sizeof *gaps);
    if (!gaps) return host_out_of_memory("the list of frames"), 0;
    for (size_t i = 1; i < count; i++) gaps[i - 1] = numbers[i] - numbers[i - 1];
    qsort(gaps, count - 1, sizeof *gaps, compare_gaps);
    for (size_t i = 0; i + 1 < count; i++) {
        run = i && gaps[i] == gaps[i - 1] ? run + 1 : 1;
        if (run > most) most = run, step = gaps[i];
    }
    free(gaps);
    return step;
}

bool host_is_hole(const int32_t *numbers, size_t at, int32_t step)
{
    return at > 0 && numbers[at] - numbers[at - 1] > step && (at > 1 || step == 1);
}

/* ---- formats without a `verify` of their own */

static void check_indices(host_report *report, const host_sequence *sequence,
                          const host_frame *frame)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    for (uint32_t i = 1; i < frame->count; i++) {
        if (indices[i] > indices[i - 1]) continue;
        host_fault(report, sequence->path, HOST_NO_OFFSET, "points are confused with each other",
                   "frame %.10g: index %u comes after %u, expected ascending indices",
                   frame->number, indices[i], indices[i - 1]);
        return;
    }
}

/* Reports missing frames. Damaged frames count as present: their damage was reported. */
static void check_holes(host_report *report, const host_sequence *sequence)
{
    size_t count = sequence->frame_count + sequence->lost_count;
    int32_t *numbers = host_allocate(count, sizeof *numbers);
    if (!numbers) {
        report->code = host_out_of_memory("the list of frames");
        return;
    }
    if (sequence->frame_count)
        memcpy(numbers, sequence->numbers, sequence->frame_count * sizeof *numbers);
    if (sequence->lost_count)
        memcpy(numbers + sequence->frame_count, sequence->lost,
               sequence->lost_count * sizeof *numbers);
    if (count) qsort(numbers, count, sizeof *numbers, compare_gaps);
    int32_t step = host_common_step(numbers, count);
    if (!step) report->code = HOST_OUT_OF_MEMORY;
    for (size_t f = 0; step && f < count; f++)
        if (host_is_hole(numbers, f, step))
            host_fault(report, sequence->path, HOST_NO_OFFSET,
                       "frames between them are interpolated",
                       "after frame %d comes frame %d; the usual step is %d", (int)numbers[f - 1],
                       (int)numbers[f], (int)step);
    free(numbers);
}

static void check_frames(host_report *report, host_sequence *sequence)
{
    check_holes(report, sequence);
    for (size_t f = 0; f < sequence->frame_count; f++) {
        host_frame frame;
        host_fault_listener listener;
        host_faults_begin(&listener, report, "convert refuses it");
        int code = host_sequence_load(sequence, f, &frame);
        host_listen_end();
        if (code == HOST_IO || code == HOST_OUT_OF_MEMORY) report->code = code;
        if (code) continue;
        report->frames++;
        report->points += frame.count;
        check_indices(report, sequence, &frame);
        host_verify_values(report, sequence->path, &frame, NULL, false);
        host_frame_free(&frame);
    }
}

static void verify_by_loading(host_report *report, const char *path, const host_format *format)
{
    host_sequence sequence;
    host_fault_listener listener;
    host_faults_begin(&listener, report, "convert refuses it");
    int code = host_sequence_open_sound(&sequence, path, format);
    host_listen_end();
    if (code && listener.missed) return; /* nothing was checked */
    report->sequences++;
    report->files += code || !sequence.file_count ? 1 : sequence.file_count;
    if (code == HOST_IO || code == HOST_OUT_OF_MEMORY) report->code = code;
    if (code) return;
    check_frames(report, &sequence);
    host_sequence_close(&sequence);
}

int host_verify(host_report *report, const char *path, const host_format *format)
{
    int code = HOST_DONE;
    if (!format) format = host_format_of(path, &code);
    if (code) return code;
    if (format->verify) return format->verify(report, path);
    verify_by_loading(report, path, format);
    return HOST_DONE;
}
