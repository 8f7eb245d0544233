/* SPDX-License-Identifier: MIT
   host_tools/formats/verify.h - what is wrong with files of points: reported fault by fault, checked alike in all formats.
   reads   sequences, frames               writes  faults to a report
   memory  two frames                      cost    O(bytes)
   after   own design */
#ifndef TIDEPOOL_VERIFY_H
#define TIDEPOOL_VERIFY_H
#include "formats.h"

/* The receiver of the faults. `effect` is what Blender, or for formats that it does not know `convert`, does with them. */
struct host_report {
    void (*take)(host_report *report, const char *file, uint64_t offset, const char *text,
                 const char *effect);
    uint64_t sequences, files, frames, points; /* looked at so far */
    int code; /* HOST_IO once a file could not be read, HOST_NO_ROOM once memory was short: no fault of its format */
};
void host_fault(host_report *report, const char *file, uint64_t offset, const char *effect,
                const char *format, ...);
/* That memory is short is told as the error that it is, and is no fault of a file. */
void host_report_no_room(host_report *report, const char *file, uint64_t offset, const char *text);
/* For what calls print: until host_listen_end the errors of this thread become faults with that effect, doubts faults that
   convert goes on after; notes are dropped. */
typedef struct host_fault_listener {
    host_listener listener;
    host_report *report;
    const char *effect;
    uint64_t heard;
} host_fault_listener;
void host_faults_begin(host_fault_listener *listener, host_report *report, const char *effect);

/* Where the elements of a frame are in its file: first[stream] + position * stride[stream]; 0 and 0: not known. */
typedef struct host_layout {
    uint64_t first[POINT_STREAMS];
    uint32_t stride[POINT_STREAMS];
} host_layout;
/* Values of one frame: finite, lives that begin before they end, states of boids. Per stream one fault, with a count. */
void host_verify_values(host_report *report, const char *file, const host_frame *frame,
                        const host_layout *layout, bool is_blenders);

/* The gap that most neighbours among `numbers` have; 1 for less than two, 0 after telling that
   memory is short. */
int32_t host_common_step(const int32_t *numbers, size_t count);
/* True when `numbers[at]` comes later after the one before than is usual: not for the first gap of a step above 1, which
   Blender makes longer itself. */
bool host_is_hole(const int32_t *numbers, size_t at, int32_t step);

/* All of what `path` names, by the format's own `verify` or, without one, by loading every frame. HOST_DONE also when
   faults were reported; HOST_USAGE for a wrong option. */
int host_verify(host_report *report, const char *path, const host_format *format);

#endif
