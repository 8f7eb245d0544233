/* SPDX-License-Identifier: MIT
   host_tools/formats/verify.h - verifies files of points: reports every fault; checks that all
           formats share.
   reads   sequences, frames               writes  faults to a report
   memory  two frames                      cost    O(bytes)
   after   own design */
#ifndef TIDEPOOL_VERIFY_H
#define TIDEPOOL_VERIFY_H
#include "formats.h"

/* Receives the faults. `effect` says what Blender does with the fault, or `convert` for formats
   that Blender does not read. */
struct host_report {
    void (*take)(host_report *report, const char *file, uint64_t offset, const char *text,
                 const char *effect);
    uint64_t sequences, files, frames, points; /* checked so far */
    /* HOST_IO after a file could not be read, HOST_OUT_OF_MEMORY after memory was short: no
       faults. */
    int code;
    bool notes_info; /* print a note on a cache of particles without an info file */
};
void host_fault(host_report *report, const char *file, uint64_t offset, const char *effect,
                const char *format, ...);
/* Prints that memory is short as an error, not as a fault of the file, and sets `code`. */
void host_report_out_of_memory(host_report *report, const char *file, uint64_t offset,
                               const char *text);
/* Turns messages into faults: from host_faults_begin to host_listen_end an error of this thread
   becomes a fault with the given effect, and a doubt a fault after which convert continues. Notes
   are dropped. */
typedef struct host_fault_listener {
    host_listener listener;
    host_report *report;
    const char *effect;
    uint64_t heard; /* errors and doubts so far */
    bool missed;    /* a file was not there: an error, because faults are those of files */
} host_fault_listener;
void host_faults_begin(host_fault_listener *listener, host_report *report, const char *effect);

/* File offset of an element of a frame: first[stream] + position * stride[stream]. Both 0: not
   known. */
typedef struct host_layout {
    uint64_t first[POINT_STREAMS];
    uint32_t stride[POINT_STREAMS];
} host_layout;
/* Checks the values of a frame: finite numbers, birth not after death, modes of boids. One fault
   per stream and rule, for the first bad point. `is_blenders`: the effect is what Blender does. */
void host_verify_values(host_report *report, const char *file, const host_frame *frame,
                        const host_layout *layout, bool is_blenders);

/* The most frequent difference between consecutive `numbers`; 1 for fewer than two. 0 when memory
   is short, with the error printed. */
int32_t host_common_step(const int32_t *numbers, size_t count);
/* True when the difference from the number before numbers[at] is larger than `step`. With a step
   above 1 the first difference does not count: Blender itself makes it longer. */
bool host_is_hole(const int32_t *numbers, size_t at, int32_t step);

/* Verifies all that `path` names, by the format's `verify` or, if it has none, by loading every
   frame. HOST_DONE also when faults were reported; HOST_USAGE for a wrong option. */
int host_verify(host_report *report, const char *path, const host_format *format);

#endif
