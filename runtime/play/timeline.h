/* SPDX-License-Identifier: MIT
   runtime/play/timeline.h - a timeline's block: strips, and two frames to blend.
   reads   nothing      writes  nothing: declarations
   memory  56 bytes per strip, 8 * (1 + words) per point; activity: 8 more per point, 8 per region
   cost    none
   after   own design */
#ifndef TPI_TIMELINE_H
#define TPI_TIMELINE_H
#include "play.h"

#define TPI_COOKIE_TIMELINE 0x54505431u /* "TPT1" */
#define TPI_STAMP_TIMELINE  (0x544c0000u + (uint32_t)sizeof(tp_timeline_def))

enum { TPI_TIMELINE_FIRST, TPI_TIMELINE_SECOND, TPI_TIMELINE_BLEND };

struct tp_timeline {
    uint32_t cookie;
    uint32_t layout_stamp;
    uint64_t bytes;
    tp_timeline_def def;
    uint32_t words;    /* per point: all streams with the identity; keys if they are counted */
    uint32_t identity; /* stream */
    /* first plane of a stream in a frame; a plane has points_max words */
    uint32_t first_word[TP_STREAMS_MAX];
    uint32_t strips, frames[2], activity; /* offsets */
    uint32_t strip_count;
    /* the unfinished request */
    bool active;
    uint8_t phase;
    int64_t time;
    uint32_t job, job_next;
    tp_timeline_moment moment;
    tp_frame_view view[2]; /* without pointers */
    uint32_t at[2];        /* index of the next point to blend */
};

TPI_INLINE tp_strip *tpi_timeline_strip(const tp_timeline *timeline, uint32_t strip)
{
    return (tp_strip *)((uintptr_t)timeline + timeline->strips) + strip;
}
/* A stream of frame `side`: points_max words for each component. */
TPI_INLINE uint32_t *tpi_timeline_words(const tp_timeline *timeline, uint32_t side, uint32_t stream)
{
    return (uint32_t *)((uintptr_t)timeline + timeline->frames[side]) +
           (size_t)timeline->first_word[stream] * timeline->def.points_max;
}
/* The keys of frame `side`, after its streams; only if activity is counted. */
TPI_INLINE float *tpi_timeline_keys(const tp_timeline *timeline, uint32_t side)
{
    return (float *)((uintptr_t)timeline + timeline->frames[side]) +
           (size_t)(timeline->words - 1u) * timeline->def.points_max;
}
TPI_INLINE tpi_play_activity *tpi_timeline_activity_of(const tp_timeline *timeline)
{
    return (tpi_play_activity *)((uintptr_t)timeline + timeline->activity);
}
/* NULL, BLOCK or OK. */
TPI_FUNC tp_result tpi_timeline_check_block(const tp_timeline *timeline);

#endif
