/* SPDX-License-Identifier: MIT
   runtime/world/box.c - checks the periodic box of a definition; computes it and its cells.
   reads   tp_world_def      writes  a box
   memory  none              cost    O(1)
   after   own design: an axis has at least 3 cells, see box.h */
#include "box.h"
#include "check.h"

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

const char *tpi_box_check(const tp_world_def *def, float least, const char *too_small)
{
    const float low[3] = {def->box_low.x, def->box_low.y, def->box_low.z};
    const float size[3] = {def->box_size.x, def->box_size.y, def->box_size.z};
    if (def->dimensions == 2 && (def->periodic_axes & TP_AXIS_Z))
        return TPI_TEXT("periodic_axes must not name z in 2 dimensions");
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (!(def->periodic_axes >> axis & 1u)) continue;
        if (!tpi_is_within(low[axis], -1e6f, 1e6f)) return TPI_TEXT("box_low must be -1e6 to 1e6");
        if (!tpi_is_within(size[axis], least, 1e6f)) return too_small;
        if (size[axis] < 1e-6f * tpi_abs(low[axis])) /* then at least 8 floats lie in the box */
            return TPI_TEXT(
                "box_size must be at least a millionth of the distance of box_low from 0");
    }
    return NULL;
}
