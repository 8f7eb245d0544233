/* SPDX-License-Identifier: MIT
   runtime/world/box.c - computes the periodic box of a definition and its cells.
   reads   tp_world_def      writes  a box
   memory  none              cost    O(1)
   after   own design: an axis has at least 3 cells, see box.h */
#include "box.h"

tpi_box tpi_box_of(const tp_world_def *def, float radius)
{
    const float low[3] = {def->box_low.x, def->box_low.y, def->box_low.z};
    const float size[3] = {def->box_size.x, def->box_size.y, def->box_size.z};
    tpi_box box;
    tpi_memset(&box, 0, sizeof box);
    box.is_periodic = def->periodic_axes != 0;
    for (uint32_t axis = 0; axis < 3; axis++) {
        box.half[axis] = FLT_MAX;
        if (!(def->periodic_axes >> axis & 1u)) continue;
        float cells =
            tpi_clamp(size[axis] / (radius * TPI_CELL_MARGIN), 3.0f, (float)TPI_CELL_LIMIT);
        box.low[axis] = tpi_flush(low[axis]);
        box.high[axis] = box.low[axis] + size[axis];
        /* flushing subnormals makes no position in the box 0 */
        if (box.high[axis] == 0.0f) box.high[axis] = -TPI_FLUSH_BELOW;
        box.size[axis] = size[axis];
        box.half[axis] = 0.5f * size[axis];
        box.cells[axis] = (uint32_t)cells;
        box.cell_inverse[axis] = (float)box.cells[axis] / size[axis];
    }
    return box;
}
