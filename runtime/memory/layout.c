/* SPDX-License-Identifier: MIT
   runtime/memory/layout.c - allocates the parts of a block, or only sums up their sizes.
   reads   counts and sizes      writes  offsets, the list of parts
   memory  none                  cost    O(1) per part
   after   two-pass arena: the same code computes the size and the layout */
#include "memory.h"

uint32_t tpi_layout_take(tpi_layout *layout, const char *name, uint64_t count, uint64_t item_bytes)
{
    uint64_t offset = layout->bytes;
    uint64_t bytes = (count * item_bytes + 15u) & ~(uint64_t)15u;
    layout->bytes = offset + bytes;
    if (layout->parts && layout->part_count < TP_MEMORY_PARTS_MAX && bytes) {
        layout->parts[layout->part_count] =
            (tp_memory_part){name, (uint32_t)bytes, (uint32_t)count};
    }
    if (bytes && layout->part_count < TP_MEMORY_PARTS_MAX) layout->part_count++;
    return (uint32_t)offset;
}
