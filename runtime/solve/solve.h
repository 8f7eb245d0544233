/* SPDX-License-Identifier: MIT
   runtime/solve/solve.h - what acts on one particle, and how long a step is.
   reads   fields, the definition, the clock      writes  the clock, when a step is complete
   memory  a plan of 176 bytes on the stack       cost    O(fields) a particle; O(1) for gravity alone
   after   exact drag about a moving medium (Strang 1968 splitting); sub-steps by Courant number */
#ifndef TPI_SOLVE_H
#define TPI_SOLVE_H
#include "../world/solver.h"

/* ---- fields (field.c) ---- */

/* The fields of a slice, added up as far as they do not depend on the place. Made anew for every
   slice. */
struct tpi_field_plan {
    tp_vector gravity[TP_SPECIES_MAX]; /* m/s^2 */
    float linear[TP_SPECIES_MAX];      /* 1/s: b / m */
    float quadratic[TP_SPECIES_MAX];   /* 1/m: k / m */
    /* units of work for one particle: of the move stage, a birth, and the second kick of a pair
       world, where gravity alone is part of the particle's own */
    uint32_t units, birth_units, kick_units;
    bool has_drag, has_medium, has_attractor;
};

/* A step begins: definitions that were set since the last one began come into force.
   O(fields_max) */
TPI_FUNC void tpi_fields_begin_step(tp_world *world);
/* What of a foreign item could not be, or null. O(1) */
TPI_FUNC const char *tpi_field_audit(const tp_world *world, uint32_t slot);
/* Computes anew what follows from the definitions of all fields. O(fields_max) */
TPI_FUNC void tpi_fields_derive(tp_world *world);
TPI_FUNC tpi_field_plan tpi_field_prepare(const tp_world *world);
/* Velocity after dt seconds in which the place does not change: half the drag, all forces, half
   the drag. */
TPI_FUNC tp_vector tpi_field_kick(const tp_world *world, const tpi_field_plan *plan, tp_vector x,
                                  tp_vector v, uint32_t species, float dt);
/* m/s^2: gravity and attractors at x. */
TPI_FUNC tp_vector tpi_field_acceleration(const tp_world *world, const tpi_field_plan *plan,
                                          tp_vector x, uint32_t species);
/* m/s: wind and vortices at x. */
TPI_FUNC tp_vector tpi_field_medium(const tp_world *world, tp_vector x, uint32_t species);
/* Velocity after dt seconds of drag alone, exact for both kinds together. */
TPI_FUNC tp_vector tpi_field_drag(const tp_world *world, const tpi_field_plan *plan, tp_vector x,
                                  tp_vector v, uint32_t species, float dt);

/* ---- sub-steps (substep.c) ---- */

/* How a world cuts its frames; a pure function of its definition. */
typedef struct tpi_substep_rule {
    /* equal sub-steps a frame, or the smallest number of adaptive ones; stable */
    uint32_t count;
    uint32_t count_max;   /* adaptive: cap M */
    uint32_t limit_ticks; /* longest stable step */
    float courant;        /* target */
    bool is_adaptive, compat;
} tpi_substep_rule;

TPI_FUNC tpi_substep_rule tpi_substep_rule_of(const tp_world_def *def);
/* Ticks of the step that begins at `tick` of the frame, with the stored fraction of a frame. */
TPI_FUNC uint32_t tpi_substep_next(const tpi_substep_rule *rule, uint32_t tick, float stored);
/* The fraction to store after a step of `taken` frames with Courant number `courant`; *capped
   becomes true when the cap M held the step above the target. */
TPI_FUNC float tpi_substep_adapt(const tpi_substep_rule *rule, float stored, float taken,
                                 float courant, bool *capped);

/* Ticks of the next step of a world. O(1) */
TPI_FUNC uint32_t tpi_substep_ticks(const tp_world *world);
/* The same, but longer where the rest of the frame would need more than `steps_affordable`,
   within the stability limit. O(1) */
TPI_FUNC uint32_t tpi_substep_ticks_coarse(const tp_world *world, uint32_t steps_affordable);
/* A step is complete: moves the clock on, over the end of the frame too, and adapts the stored
   fraction. O(1) */
TPI_FUNC void tpi_substep_end(tp_world *world, float courant);

#endif
