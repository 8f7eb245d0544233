/* SPDX-License-Identifier: MIT
   runtime/world/change.h - settings that wait for the next frame: of the world, emitters, sinks
           and colliders.
   reads   definitions      writes  the block's part "changes"
   memory  a definition and 8 bytes per item, and those of the world      cost  O(1) each
   after   own design: between two frames a change takes effect at once. So no change waits there,
           and a recorded frame needs none */
#ifndef TPI_CHANGE_H
#define TPI_CHANGE_H
#include "block.h"

#define TPI_POOL_WORLD TP_POOL_PARTICLES /* the kind of a change of the world itself */

/* One change; the definition follows. */
typedef struct tpi_change {
    uint32_t waits;  /* 0: none */
    uint32_t unused; /* 0; the definition needs 8 bytes of alignment */
} tpi_change;

TPI_INLINE bool tpi_def_takes_changes(const tp_world_def *def)
{
    return TPI_HAS_CHANGES && def->takes_changes;
}
TPI_INLINE bool tpi_takes_changes(const tp_world *world)
{
    return TPI_HAS_CHANGES && world->changed != 0;
}
/* True inside of a frame, whose steps go on with the old settings. */
TPI_INLINE bool tpi_is_in_frame(const tp_world *world)
{
    return world->clock.frame_begun || world->clock.tick != 0;
}
/* Bytes of the part of the block. O(1) */
TPI_FUNC uint32_t tpi_changes_bytes(const tp_world_def *def);
/* The change of an item, or of the world (slot 0). O(1) */
TPI_FUNC tpi_change *tpi_change_at(const tp_world *world, tp_pool kind, uint32_t slot);
/* The definition that waits, or null. O(1) */
TPI_FUNC void *tpi_change_of(const tp_world *world, tp_pool kind, uint32_t slot);
/* Lets a definition wait. O(1) */
TPI_FUNC void tpi_change_put(const tp_world *world, tp_pool kind, uint32_t slot,
                             const void *definition);
/* Forgets all changes, or that of an item that is removed. O(items) */
TPI_FUNC void tpi_changes_clear(const tp_world *world);
TPI_FUNC void tpi_change_clear(const tp_world *world, tp_pool kind, uint32_t slot);
/* The first check of every ..._set: TP_OK, or TP_ERROR_NULL, TP_ERROR_BLOCK, TP_ERROR_STAMP or
   TP_ERROR_HANDLE. O(1) */
TPI_FUNC tp_result tpi_change_check(const tp_world *world, tp_pool kind, uint32_t handle,
                                    const void *definition, uint32_t stamp, uint32_t *slot);
/* Why a change is refused: `result` of tpi_change_check, or the world takes none; or null. O(1) */
TPI_FUNC const char *tpi_change_fault(const tp_world *world, tp_result result);

#endif
