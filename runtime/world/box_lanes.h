/* SPDX-License-Identifier: MIT
   runtime/world/box_lanes.h - periodic axes, for vectors: the same bits as box.h in each lane.
   reads   the box      writes  its results
   memory  none         cost    about six operations of vectors
   after   minimum image convention: see box.h */
#ifndef TPI_BOX_LANES_H
#define TPI_BOX_LANES_H
#include "box.h"
#include "../base/lanes.h"

/* tpi_box_image of each lane: subtracts the size, with the sign of d, from distances beyond half
   the size, and +0 from others, which keeps their bits. */
TPI_INLINE tpi_lanes tpi_box_image_lanes(const tpi_box *box, uint32_t axis, tpi_lanes d)
{
#if TPI_LANES == 1
    return tpi_box_image(box, axis, d);
#else
    const tpi_lane_words sign = TPI_LANES_EACH(0x80000000u);
    tpi_lanes size = tpi_lanes_of(box->size[axis]), half = tpi_lanes_of(box->half[axis]);
    tpi_lanes shift = (tpi_lanes)(((tpi_lane_words)d & sign) | (tpi_lane_words)size);
    tpi_lane_mask is_far = tpi_lanes_less(half, (tpi_lanes)((tpi_lane_words)d & ~sign));
    return d - tpi_lanes_select(is_far, shift, tpi_lanes_of(0.0f));
#endif
}

/* Wraps the first `count` lanes along an axis, which may be open. Few positions lie outside, so
   these are wrapped one by one. */
TPI_INLINE tpi_lanes tpi_box_wrap_lanes(const tpi_box *box, uint32_t axis, uint32_t count,
                                        tpi_lanes x)
{
    if (TPI_LANES == 1 && !box->cells[axis]) return x;
    tpi_lanes low = tpi_lanes_of(box->low[axis]), high = tpi_lanes_of(box->high[axis]);
    tpi_lane_mask is_out =
        tpi_lanes_or(tpi_lanes_less(x, low), tpi_lanes_not(tpi_lanes_less(x, high)));
    if (TPI_LIKELY(!box->cells[axis] || !tpi_lanes_any(is_out))) return x;
    for (uint32_t k = 0; k < count; k++) TPI_LANE(x, k) = tpi_box_wrap(box, axis, TPI_LANE(x, k));
    return x;
}

#endif
