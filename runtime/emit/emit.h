/* SPDX-License-Identifier: MIT
   runtime/emit/emit.h - births and deaths: emitters, their shapes, sinks.
   reads   emitters, sinks, the clock, the step      writes  births one at a time; emitters only when a step commits
   memory  the pools' items, the geometry pool       cost    O(log triangles) a birth, O(sinks) a particle
   after   rational accumulators: after T seconds exactly floor(rate T) births, whatever the frame rate */
#ifndef TPI_EMIT_H
#define TPI_EMIT_H
#include "../world/block.h"

/* One particle about to be born. */
typedef struct tpi_birth {
    tp_vector position, velocity; /* m, m/s: at the moment of birth */
    float fraction;               /* of the step, when it is born: 0 for a burst, else in (0, 1] */
    uint32_t species, emitter_slot;
} tpi_birth;

/* Oldest age that a rule may ask for: a rule acts once a step, a step is at most a frame, and
   ages are modulo 2^32 ticks; the two frames in between keep an old particle from looking young
   again before it dies. */
#define TPI_AGE_MAX (0xffffffffu - 2u * TP_TICKS_PER_FRAME)

/* ---- emitters (emitter.c) ---- */
/* A frame begins: every emitter goes on from where it is to where it was asked to be.
   O(emitters_max) */
TPI_FUNC void tpi_emitters_begin_frame(tp_world *world);
/* A step begins, perhaps once more after a cancelled one: forgets what that one counted.
   O(emitters_max) */
TPI_FUNC void tpi_emit_begin(tp_world *world);
/* Births wanted in the step of step.ticks ticks that begins at the clock; changes nothing.
   O(emitters_max) */
TPI_FUNC uint32_t tpi_emit_plan(const tp_world *world);
/* The next birth of the step; false when there is none. The place is kept in step.emitter and in
   the emitter's step_births, so that a slice may end between any two births. O(log triangles),
   O(emitters_max) a step */
TPI_FUNC bool tpi_emit_next(tp_world *world, tpi_birth *birth);
/* The birth that tpi_emit_next gave last found no room. O(1) */
TPI_FUNC void tpi_emit_refused(tp_world *world, uint32_t emitter_slot);
/* The step commits, before the clock moves on: accumulators and counters change here and nowhere
   else. O(emitters_max) */
TPI_FUNC void tpi_emit_end(tp_world *world);
/* True when the particle was born by the emitter that is alive in `slot` now, not by one that
   had the slot before. */
TPI_INLINE bool tpi_emitter_owns(const tp_world *world, const tpi_emitter_item *item, uint32_t id)
{
    return id - item->first_id < world->clock.next_id - item->first_id;
}

/* What of a foreign item could not be, or null; its range of the geometry pool is checked
   before. O(mesh) */
TPI_FUNC const char *tpi_emitter_audit(const tp_world *world, uint32_t slot);
/* Computes anew what follows from its definition. O(mesh) */
TPI_FUNC void tpi_emitter_derive(tp_world *world, uint32_t slot);

/* ---- shapes (shape.c) ---- */
/* What is wrong with the shape, its lattice or its mesh, or null. O(mesh) */
TPI_FUNC const char *tpi_emitter_check_shape(const tp_world *world, const tp_emitter_def *def);
/* Copies the mesh into the geometry pool, with prefix sums of area; false (counted) when it does
   not fit. O(mesh) */
TPI_FUNC bool tpi_emitter_take_mesh(tp_world *world, const tp_emitter_def *def, tpi_mesh *mesh);
TPI_FUNC void tpi_emitter_free_mesh(tp_world *world, tpi_mesh *mesh);
/* Bytes of the geometry pool for a definition's mesh. O(1) */
TPI_FUNC uint64_t tpi_emitter_geometry_bytes(const tp_emitter_def *def);
/* The mesh of a definition whose bytes begin at `offset`; and the definition with its mesh where
   it lies. O(1) */
TPI_FUNC tpi_mesh tpi_emitter_mesh_at(const tp_emitter_def *def, uint32_t offset);
TPI_FUNC tp_emitter_def tpi_emitter_def_of(const tp_world *world, const tpi_emitter_item *item);
/* The prefix sums of its areas, of triangles that are there already. O(mesh) */
TPI_FUNC void tpi_emitter_sum_areas(const tp_world *world, const tp_emitter_def *def,
                                    uint32_t *sums);
/* Where birth number `burst` of the burst lies (a lattice), or where chance puts it: in the
   emitter's own frame. */
TPI_FUNC tp_vector tpi_emitter_place(const tp_world *world, const tpi_emitter_item *item,
                                     tpi_random_key key);
TPI_FUNC tp_vector tpi_emitter_lattice_place(const tp_world *world, const tp_emitter_def *def,
                                             uint32_t burst);
/* Points of the lattice along each axis, from the lowest corner of the box to the last that
   still lies in it: 1 + the spacings that fit, rounded (to 2^-10) rather than cut. 0 where there
   would be above 16384. */
TPI_FUNC void tpi_emitter_lattice(const tp_world *world, const tp_emitter_def *def,
                                  uint32_t counts[3]);

/* ---- sinks (sink.c) ---- */
/* Makes a definition what an item keeps: in two dimensions without z. O(1) */
TPI_FUNC void tpi_sink_settle(const tp_world *world, tp_sink_def *def);
/* True when a sink, or the lifetime of its emitter, takes the particle in this step. Ages are
   those at the end of the step, places those at its start. O(sinks_max) */
TPI_FUNC bool tpi_sinks_take(const tp_world *world, tp_vector position, uint32_t meta,
                             uint32_t birth_ticks, uint32_t id);
/* Units of that for one particle. O(1) */
TPI_FUNC uint32_t tpi_sinks_units(const tp_world *world);

#endif
