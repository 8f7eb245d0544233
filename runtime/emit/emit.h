/* SPDX-License-Identifier: MIT
   runtime/emit/emit.h - births and deaths: emitters, their shapes, events that feed them,
           sinks.
   reads   emitters, sinks, the clock, the step
   writes  births one at a time; emitters only when a step commits
   memory  the pools' items, the geometry pool
   cost    O(log triangles) per birth, O(sinks) per particle
   after   rational accumulators: after T seconds exactly floor(rate T) births at any frame rate */
#ifndef TPI_EMIT_H
#define TPI_EMIT_H
#include "../world/block.h"

/* A particle to be born. */
typedef struct tpi_birth {
    tp_vector position, velocity; /* m, m/s: at the moment of birth */
    tp_vector strength;           /* of a vorton, see tp_vortex */
    /* time of birth as a fraction of the step: 0 for a burst, else in (0, 1] */
    float fraction;
    uint32_t species, emitter_slot;
} tpi_birth;

/* What feeds an emitter: a point, with its velocity, at a fraction of the step. */
typedef struct tpi_feed_source {
    tp_vector point, velocity;
    float fraction;
} tpi_feed_source;

/* Largest age limit in ticks. Ages wrap at 2^32 ticks, a sink acts once per step, and a step is at
   most a frame. The two frames of margin kill an old particle before its age wraps. */
#define TPI_AGE_MAX (0xffffffffu - 2u * TP_TICKS_PER_FRAME)

/* ---- emitters (emitter.c) ---- */
/* Starts a frame: each emitter moves from its current pose to the requested one. O(emitters_max) */
TPI_FUNC void tpi_emitters_begin_frame(tp_world *world);
/* Starts a step, also after a cancelled one: resets the counters of the step. O(emitters_max) */
TPI_FUNC void tpi_emit_begin(tp_world *world);
/* Number of births wanted in the step of step.ticks ticks that begins at the clock; changes
   nothing. O(emitters_max) */
TPI_FUNC uint32_t tpi_emit_plan(const tp_world *world);
/* The next birth of the step; false if there is none. step.emitter and the emitter's step_births
   are the cursor, so that a slice may end between any two births. O(log triangles), and
   O(emitters_max) per step */
TPI_FUNC bool tpi_emit_next(tp_world *world, tpi_birth *birth);
/* Counts the last birth of tpi_emit_next as refused: the particle pool or the ids are used up.
   Returns 1. O(1) */
TPI_FUNC uint32_t tpi_emit_refused(tp_world *world, uint32_t emitter_slot);
/* Commits a step, before the clock advances: accumulators and counters change only here.
   O(emitters_max) */
TPI_FUNC void tpi_emit_end(tp_world *world);
/* True if the particle was born by the emitter that is now in the slot, not by an earlier one. */
TPI_INLINE bool tpi_emitter_owns(const tp_world *world, const tpi_emitter_item *item, uint32_t id)
{
    return id - item->first_id < world->clock.next_id - item->first_id;
}

/* True for a slot in use whose emitter was removed: its particles, or those of the emitter before
   it, have lifetimes, of which the last ends at the tick `born`. O(1) */
TPI_FUNC bool tpi_emitter_lingers(const tp_world *world, uint32_t slot);
/* The first fault of an emitter in an untrusted block, or null. Its range of the geometry pool was
   checked before. O(mesh) */
TPI_FUNC const char *tpi_emitter_audit(const tp_world *world, uint32_t slot);
/* Recomputes the values derived from its definition. O(mesh) */
TPI_FUNC void tpi_emitter_derive(tp_world *world, uint32_t slot);

/* Changes the settings of an emitter between two frames, to a definition that was checked. O(1) */
TPI_FUNC void tpi_emitter_change(tp_world *world, uint32_t slot, const tp_emitter_def *def);
/* The first fault of settings that wait in an untrusted block, or null. O(mesh) */
TPI_FUNC const char *tpi_emitter_audit_change(const tp_world *world, uint32_t slot,
                                              const tp_emitter_def *def);

/* True if the frame is one in which it emits. O(1) */
TPI_FUNC bool tpi_emitter_is_active(const tp_world *world, const tpi_emitter_item *item);
/* Time, position and velocity of its next birth: where `source` is, or if that is null where the
   emitter is. O(log triangles) */
TPI_FUNC void tpi_emitter_birth(const tp_world *world, const tpi_emitter_item *item,
                                const tpi_feed_source *source, tpi_birth *birth);

/* ---- emitters that events feed (feed.c) ---- */
/* Defaults; the first fault of these fields, or null. O(1) */
TPI_FUNC void tpi_feed_default(tp_emitter_def *def);
TPI_FUNC const char *tpi_feed_check(const tp_world *world, const tp_emitter_def *def);
/* Starts a step: which events feed an emitter. O(emitters_max) */
TPI_FUNC void tpi_feeds_begin(tp_world *world);
/* Adds the event of the trail of a survivor of the step to the feed, if it is due: the particle at
   an index of the front set, `at` its position and `velocity` after the step. Returns its units.
   O(emitters_max) */
TPI_FUNC uint32_t tpi_feed_trail(tp_world *world, uint32_t index, tp_vector at, tp_vector velocity);
/* The next birth by the sorted feed; false if *used has come to `units`, or none is left: then
   *done is true. step.feed, step.emitter and step.feed_births are the cursor. O(units) */
TPI_FUNC bool tpi_feed_next(tp_world *world, uint32_t units, uint32_t *used, tpi_birth *birth,
                            bool *done);
/* Counts the last birth of tpi_feed_next as refused, and with it the remaining ones of its event
   and emitter. Returns their number. O(1) */
TPI_FUNC uint32_t tpi_feed_refused(tp_world *world);

/* ---- shapes (shape.c) ---- */
/* The first fault of the shape, its lattice or its mesh, or null. O(mesh) */
TPI_FUNC const char *tpi_emitter_check_shape(const tp_world *world, const tp_emitter_def *def);
/* Copies the mesh and prefix sums of its areas into the geometry pool; false (counted) if it does
   not fit. O(mesh) */
TPI_FUNC bool tpi_emitter_take_mesh(tp_world *world, const tp_emitter_def *def, tpi_mesh *mesh);
TPI_FUNC void tpi_emitter_free_mesh(tp_world *world, tpi_mesh *mesh);
/* Bytes of the geometry pool for a mesh. O(1) */
TPI_FUNC uint64_t tpi_emitter_geometry_bytes(const tpi_mesh *mesh);
/* tpi_emitter_mesh_at: the layout of a mesh whose bytes begin at `offset`. tpi_emitter_def_of: the
   definition, with pointers to its mesh in the pool; without feeds_max the fields of feeds have
   their defaults. O(1) */
TPI_FUNC tpi_mesh tpi_emitter_mesh_at(const tp_emitter_def *def, uint32_t offset);
TPI_FUNC tp_emitter_def tpi_emitter_def_of(const tp_world *world, const tpi_emitter_item *item);
/* Computes the prefix sums of the areas of stored triangles. O(mesh) */
TPI_FUNC void tpi_emitter_sum_areas(const tp_world *world, const tp_emitter_def *def,
                                    uint32_t *sums);
/* Position of a birth in the emitter's frame: a random one, or the lattice point number `burst`. */
TPI_FUNC tp_vector tpi_emitter_position(const tp_world *world, const tpi_emitter_item *item,
                                        tpi_random_key key);
TPI_FUNC tp_vector tpi_emitter_lattice_position(const tp_world *world, tp_vector size,
                                                float spacing, uint32_t burst);
/* Points of the lattice along each axis, from the lowest corner of the box to the last point inside
   it: 1 + the number of spacings, with a tolerance of 2^-10 for rounding. 0 if there would be more
   than 16384. */
TPI_FUNC void tpi_emitter_lattice(const tp_world *world, tp_vector size, float spacing,
                                  uint32_t counts[3]);

/* ---- sinks (sink.c) ---- */
/* Normalises a definition as an item stores it: in two dimensions without z. O(1) */
TPI_FUNC void tpi_sink_settle(const tp_world *world, tp_sink_def *def);
/* Changes the settings of a sink between two frames, to a definition that was checked. O(1) */
TPI_FUNC void tpi_sink_change(tp_world *world, uint32_t slot, const tp_sink_def *def);
/* What kills the particle in this step: a sink, or the lifetime of its emitter, whose handle it
   sets; or nothing, TP_DEATH_NONE. Uses the age at the end of the step and the position at its
   start. O(sinks_max) */
TPI_FUNC tp_death tpi_sinks_take(const tp_world *world, tp_vector position, uint32_t meta,
                                 uint32_t birth_ticks, uint32_t id, uint32_t *handle);
/* Age in ticks, at least 1, at which sinks by age or the lifetime of its emitter kill the particle;
   TP_TICKS_NONE: they do not. O(sinks_max) */
TPI_FUNC uint32_t tpi_sinks_lifetime(const tp_world *world, uint32_t meta, uint32_t id);
/* Age of a particle of the front set when the step begins, as a share of its lifetime: 0 to 1.
   O(sinks_max) */
TPI_FUNC float tpi_life_share(const tp_world *world, uint32_t index);
/* The value of a curve that was checked. O(1) */
TPI_FUNC float tpi_curve_at(const tp_curve *curve, float age);
/* Ticks: the least age at which a lifetime of the emitter in a slot ends, the one before
   tp_emitter_set included; TP_TICKS_NONE: none does. O(1) */
TPI_FUNC uint32_t tpi_emitter_shortest(const tp_world *world, uint32_t slot);
/* Units of tpi_sinks_take per particle. O(1) */
TPI_FUNC uint32_t tpi_sinks_units(const tp_world *world);

#endif
