/* SPDX-License-Identifier: MIT
   host_tools/commands/convert_implied.c - compares births and deaths with the presence of points.
   reads   the first and last frames of a sequence      writes  nothing
   memory  8 bytes per point, a frame      cost    O(bytes) of one or two frames, usually
   after   own design */
#include "convert_implied.h"
#include "../formats/bphys.h"
#include <stdlib.h>
#include <string.h>

/* First and last frame of every point, or BPHYS_NOT_SEEN. */
typedef struct convert_presence {
    int32_t *first, *last;
    uint32_t unseen; /* points that this pass has not seen yet */
    bool same;       /* true as long as presence and times of the input agree */
} convert_presence;

static void see_births(const host_sequence *input, convert_presence *seen, uint32_t i,
                       int32_t number)
{
    seen->last[i] = number;
    if (seen->first[i] != BPHYS_NOT_SEEN) return;
    seen->first[i] = number;
    seen->unseen--;
    seen->same = seen->same && input->times[(size_t)i * 3] == (float)number;
}

/* Called for frames after `passed`, from the last one backwards. */
static void see_deaths(const host_sequence *input, convert_presence *seen, uint32_t i,
                       int32_t number, int32_t passed)
{
    float times[3];
    if (seen->last[i] > passed) return;
    seen->last[i] = number;
    seen->unseen--;
    bphys_times_from_presence(seen->first[i], number, input->numbers[input->frame_count - 1],
                              times);
    seen->same = seen->same && memcmp(times, input->times + (size_t)i * 3, sizeof times) == 0;
}

/* Loads frames until every point was seen, or until the times of one differ from its presence;
   usually one or two frames. passed == NULL: from the first frame on. Otherwise: from the last
   frame back to the one
   after *passed. */
static int see_frames(host_sequence *input, convert_presence *seen, const int32_t *passed)
{
    seen->unseen = input->point_count;
    for (size_t k = 0; k < input->frame_count && seen->unseen && seen->same; k++) {
        host_frame frame;
        size_t f = passed ? input->frame_count - 1 - k : k;
        if (passed && input->numbers[f] <= *passed) break;
        int code = host_sequence_load(input, f, &frame);
        if (code) return code;
        const uint32_t *indices = frame.data[POINT_INDEX];
        for (uint32_t i = 0; i < frame.count; i++) {
            if (indices[i] >= input->point_count) continue;
            if (passed)
                see_deaths(input, seen, indices[i], input->numbers[f], *passed);
            else
                see_births(input, seen, indices[i], input->numbers[f]);
        }
        host_frame_free(&frame);
    }
    return HOST_DONE;
}

/* Sets *same to false if the info file and the presence of a point disagree about its life. */
static int compare_presence(host_sequence *input, convert_presence *seen, bool *same)
{
    int32_t passed = INT32_MIN;
    seen->same = input->frame_count != 0;
    int code = see_frames(input, seen, NULL);
    for (uint32_t i = 0; i < input->point_count; i++)
        if (seen->last[i] > passed) passed = seen->last[i];
    if (!code) code = see_frames(input, seen, &passed);
    for (uint32_t i = 0; i < input->point_count && seen->same; i++) {
        float times[3];
        bphys_times_from_presence(seen->first[i], seen->last[i],
                                  input->numbers[input->frame_count - 1], times);
        seen->same = memcmp(times, input->times + (size_t)i * 3, sizeof times) == 0;
    }
    *same = seen->same;
    return code;
}

int convert_implied(host_sequence *input, bool *same)
{
    convert_presence seen = {.first = host_allocate(input->point_count, sizeof *seen.first),
                             .last = host_allocate(input->point_count, sizeof *seen.last)};
    for (uint32_t i = 0; seen.first && seen.last && i < input->point_count; i++)
        seen.first[i] = seen.last[i] = BPHYS_NOT_SEEN;
    int code = seen.first && seen.last ? compare_presence(input, &seen, same)
                                       : host_out_of_memory("birth and death");
    free(seen.first);
    free(seen.last);
    return code;
}
