/* SPDX-License-Identifier: MIT
   runtime/world/box_lanes.h - periodic axes, for vectors: the same bits as box.h in each lane.
   reads   the box      writes  its results
   memory  none         cost    about six operations of vectors
   after   minimum image convention: see box.h */
#ifndef TPI_BOX_LANES_H
#define TPI_BOX_LANES_H
#include "box.h"
#include "../base/lanes.h"

/* tpi_box_image of each lane. */
TPI_INLINE tpi_lanes tpi_box_image_lanes(const tpi_box *box, uint32_t axis, tpi_lanes d)
{
    tpi_lanes size = tpi_lanes_of(box->size[axis]), half = tpi_lanes_of(box->half[axis]);
    tpi_lanes image = tpi_lanes_select(tpi_lanes_less(half, d), d - size, d);
    return tpi_lanes_select(tpi_lanes_less(d, -half), d + size, image);
}

/* Wraps the first `count` lanes along an axis, which may be open. Few positions lie outside, so
   these are wrapped one by one. */
TPI_INLINE tpi_lanes tpi_box_wrap_lanes(const tpi_box *box, uint32_t axis, uint32_t count,
                                        tpi_lanes x)
{
    tpi_lanes low = tpi_lanes_of(box->low[axis]), high = tpi_lanes_of(box->high[axis]);
    tpi_lane_mask is_out =
        tpi_lanes_or(tpi_lanes_less(x, low), tpi_lanes_not(tpi_lanes_less(x, high)));
    if (TPI_LIKELY(!box->cells[axis] || !tpi_lanes_any(is_out))) return x;
    for (uint32_t k = 0; k < count; k++) TPI_LANE(x, k) = tpi_box_wrap(box, axis, TPI_LANE(x, k));
    return x;
}

#endif
