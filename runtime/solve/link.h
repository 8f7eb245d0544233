/* SPDX-License-Identifier: MIT
   runtime/solve/link.h - links: damped springs between two particles, of pair forces and of fluids.
   reads   either set of particles      writes  integer forces of links, the indices of their ends
   memory  8 bytes per particle and axis, 1 KiB; per link an item of the pool
   cost    2 units per link and pass, see TP_STAGE_LINKS
   after   own design: one pool and one pass serve every solver with links. Forces of links are
           integers that are added to both ends, so that momentum is exact. A solver with kicks
           computes them twice in a step, as velocity Verlet asks. A fluid computes them once, where
           the step begins, as symplectic Euler does: there their stiffness shortens the step */
#ifndef TPI_LINK_H
#define TPI_LINK_H
#include "../world/block.h"

TPI_INLINE bool tpi_has_links(const tp_world *world)
{
    return TPI_HAS_LINKS && world->step.has_links;
}

/* Sums over the links of each particle, in counts of force. */
TPI_INLINE int64_t *tpi_link_sums(const tp_world *world, uint32_t axis)
{
    return (int64_t *)tpi_at(world, world->link_sums) + (size_t)axis * world->def.particles_max;
}
/* After the sums: u32 x 256, histogram of the radix sort by id. */
TPI_INLINE uint32_t *tpi_link_histogram(const tp_world *world)
{
    return (uint32_t *)(void *)tpi_link_sums(world, tpi_dimensions(world));
}
/* Counts per newton. 2^46: the sum of 65536 forces stays below 2^63. */
TPI_INLINE float tpi_link_scale(const tp_world_def *def)
{
    return 70368744177664.0f / def->pair.link_force_max;
}
TPI_INLINE bool tpi_link_is_pin(const tpi_link_item *link) { return link->second == TP_ID_NONE; }
/* m: of a pin, in the words of a length, damping and break length, which a pin has none of. */
TPI_INLINE tp_vector tpi_link_place(const tpi_link_item *link)
{
    return tpi_vector(link->rest_length, link->damping, link->break_length);
}
TPI_INLINE float tpi_link_rest(const tpi_link_item *link)
{
    return tpi_link_is_pin(link) ? 0.0f : link->rest_length;
}
/* For each particle of the front set its index in the back set, in the memory of next meta. */
TPI_INLINE uint32_t *tpi_back_indices(const tp_world *world)
{
    return tpi_words(world, world->arrays.next_meta);
}

/* A slice of the stage LINKS: first the forces of the front set before it moves, then, after the
   forces of the solver, those of the back set. Only the indices of ends are kept between steps.
   While forces are primed, and in the second half of a fluid's step, only these are computed. */
TPI_FUNC uint32_t tpi_links(tp_world *world, uint32_t units, bool *done);
/* Inverts `order`: sets the back index of each front index. Entries of dead particles are
   undefined. */
TPI_FUNC uint32_t tpi_back_indices_find(tp_world *world, uint32_t units, bool *done);
/* True if a link is intact and both ends are in the back set; then *length is its length there,
   m. */
TPI_FUNC bool tpi_link_measure(const tp_world *world, uint32_t slot, float *length);
/* The first fault of a link in an untrusted block, or null. O(1) */
TPI_FUNC const char *tpi_link_audit(const tp_world *world, uint32_t slot);

#endif
