/* SPDX-License-Identifier: MIT
   runtime/world/box.h - periodic axes: wrapping into the box, minimum-image distances, cells of
           positions.
   reads   the box      writes  its results
   memory  none         cost    O(1) each: about six operations
   after   minimum image convention. Opposite differences give exactly opposite images, because the
           side of the box is added or subtracted after the subtraction of positions. An axis has at
           least 3 cells. With exactly 3, each cell is a neighbour of both others however narrow
           they are, so a box of any size visits each pair once */
#ifndef TPI_BOX_H
#define TPI_BOX_H
#include "block.h"

/* The minimum image of a difference of two positions inside the box. Open axes have an infinite
   half size. */
TPI_INLINE float tpi_box_image(const tpi_box *box, uint32_t axis, float d)
{
    float size = box->size[axis], half = box->half[axis];
    return d > half ? d - size : d < -half ? d + size : d;
}

/* The difference of two positions inside the box, to - from, of nearest images. Patches of slots
   (grid/patch.h) hold images of positions, which are rounded: with moves_points this one is rounded
   in the same way. */
TPI_INLINE float tpi_box_offset(const tpi_box *box, uint32_t axis, float from, float to)
{
    float d = to - from, size = box->size[axis];
    if (TPI_LIKELY(!(tpi_abs(d) > box->half[axis]))) return d;
    if (!box->moves_points) return tpi_box_image(box, axis, d);
    return (d > 0.0f ? to - size : to + size) - from;
}

/* The image of a finite position with low <= x < high. A position already in the box keeps its
   bits. */
TPI_INLINE float tpi_box_wrap(const tpi_box *box, uint32_t axis, float x)
{
    float low = box->low[axis], high = box->high[axis], size = box->size[axis];
    if (TPI_LIKELY(x >= low && x < high)) return x;
    float turns = tpi_clamp((x - low) / size, -1e6f, 1e6f);
    x = x - (float)tpi_floor(turns) * size;
    return x >= low && x < high ? x : low;
}

TPI_INLINE tp_vector tpi_box_wrap_vector(const tpi_box *box, tp_vector x)
{
    if (!box->is_periodic) return x;
    return tpi_vector(box->cells[0] ? tpi_box_wrap(box, 0, x.x) : x.x,
                      box->cells[1] ? tpi_box_wrap(box, 1, x.y) : x.y,
                      box->cells[2] ? tpi_box_wrap(box, 2, x.z) : x.z);
}

/* The cell of a wrapped position. */
TPI_INLINE uint32_t tpi_box_cell(const tpi_box *box, uint32_t axis, float x)
{
    float position = (x - box->low[axis]) * box->cell_inverse[axis];
    return 65536u + (uint32_t)tpi_clamp(position, 0.0f, (float)(box->cells[axis] - 1u));
}

/* Wraps a cell coordinate that lies beyond a side of the box by less than `cells`, the number of
   cells along the axis; 0: the axis is open. */
TPI_INLINE uint32_t tpi_box_wrap_cell(uint32_t cells, uint32_t at)
{
    if (cells == 0) return at;
    return at < 65536u ? at + cells : at >= 65536u + cells ? at - cells : at;
}

#endif
