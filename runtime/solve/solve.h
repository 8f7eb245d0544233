/* SPDX-License-Identifier: MIT
   runtime/solve/solve.h - fields that act on single particles, and the length of time steps.
   reads   fields, the definition, the clock      writes  the clock, when a step is complete
   memory  a plan of 176 bytes on the stack
   cost    O(fields) per particle; O(1) for gravity alone
   after   exact drag relative to a moving medium, split as in Strang 1968; adaptive sub-steps by
           Courant number */
#ifndef TPI_SOLVE_H
#define TPI_SOLVE_H
#include "../world/solver.h"

/* ---- fields (field.c) ---- */

/* Sums over all fields of the parts that do not depend on the position. Recomputed for every
   slice. */
struct tpi_field_plan {
    tp_vector gravity[TP_SPECIES_MAX]; /* m/s^2 */
    float linear[TP_SPECIES_MAX];      /* 1/s: b / m */
    float quadratic[TP_SPECIES_MAX];   /* 1/m: k / m */
    /* units per particle: in the move stage, for a birth, and for the second half kick of a solver
       with kicks, where gravity costs nothing extra */
    uint32_t units, birth_units, kick_units;
    bool has_drag, has_medium, has_attractor;
    bool has_ages;  /* some fields have curves over age: their sums are not among these */
    bool has_boxes; /* some drag has a box: nor is it */
};
/* The sums for one particle: with those of fields with curves over its age. */
typedef struct tpi_field_sums {
    tp_vector gravity;
    float linear, quadratic;
} tpi_field_sums;

/* Called when a step begins: field definitions set since the last begin take effect.
   O(fields_max) */
TPI_FUNC void tpi_fields_begin_step(tp_world *world);
/* The first fault of a field in an untrusted block, or null. O(1) */
TPI_FUNC const char *tpi_field_audit(const tp_world *world, uint32_t slot);
/* Recomputes the values derived from the definitions of all fields. O(fields_max) */
TPI_FUNC void tpi_fields_derive(tp_world *world);
TPI_FUNC tpi_field_plan tpi_field_prepare(const tp_world *world);
/* The factor of a speed after dt of linear drag; seconds that quadratic drag acts as if without it.
   O(1) */
TPI_FUNC float tpi_field_decline(const tpi_field_sums *sums, float dt, float *seconds);
/* With curves over age. O(fields_max + sinks_max) */
TPI_FUNC tpi_field_sums tpi_field_sums_aged(const tp_world *world, const tpi_field_plan *plan,
                                            uint32_t species, uint32_t index);
/* The sums for the particle at an index of the front set, or TPI_NO_SLOT: for a birth. As above
   with curves, else O(1) */
TPI_INLINE tpi_field_sums tpi_field_sums_of(const tp_world *world, const tpi_field_plan *plan,
                                            uint32_t species, uint32_t index)
{
    if (TPI_HAS_AGES && TPI_UNLIKELY(plan->has_ages))
        return tpi_field_sums_aged(world, plan, species, index);
    return (tpi_field_sums){plan->gravity[species], plan->linear[species],
                            plan->quadratic[species]};
}
/* Velocity after dt seconds at a fixed position: half the drag, all forces, half the drag (Strang
   splitting). */
TPI_FUNC tp_vector tpi_field_kick(const tp_world *world, const tpi_field_plan *plan,
                                  const tpi_field_sums *sums, tp_vector x, tp_vector v,
                                  uint32_t species, float dt);
/* m/s^2: gravity and attractors at x. */
TPI_FUNC tp_vector tpi_field_acceleration(const tp_world *world, const tpi_field_plan *plan,
                                          const tpi_field_sums *sums, tp_vector x,
                                          uint32_t species);
/* m/s: wind and vortices at x. */
TPI_FUNC tp_vector tpi_field_medium(const tp_world *world, tp_vector x, uint32_t species);
/* Units of that: one per field, and for noise one per dimension. O(fields) */
TPI_FUNC uint32_t tpi_field_medium_units(const tp_world *world);
/* Adds what fields that heat do to a particle at x: it approaches gain / rate, K, at `rate`, 1/s.
   O(fields) */
TPI_FUNC void tpi_field_heat(const tp_world *world, tp_vector x, uint32_t species, float *rate,
                             float *gain);
/* Their number. O(fields) */
TPI_FUNC uint32_t tpi_field_heat_units(const tp_world *world);
/* Velocity after dt seconds of drag alone; exact for linear and quadratic drag together. */
TPI_FUNC tp_vector tpi_field_drag(const tp_world *world, const tpi_field_plan *plan,
                                  const tpi_field_sums *sums, tp_vector x, tp_vector v,
                                  uint32_t species, float dt);

/* ---- sub-steps (substep.c) ---- */

/* How a world divides its frames into steps. */
typedef struct tpi_substep_rule {
    /* sub-steps per frame: the number of equal ones, or the smallest number of adaptive ones;
       stable */
    uint32_t count;
    uint32_t count_max;   /* adaptive: the largest number M */
    uint32_t limit_ticks; /* longest stable time step */
    float courant;        /* target Courant number */
    bool is_adaptive, compat;
} tpi_substep_rule;

/* The rule of a definition alone, and the rule of a state whose longest stable step is the fraction
   `stable` of a frame: more and shorter steps, count_max of them at most. */
TPI_FUNC tpi_substep_rule tpi_substep_rule_of(const tp_world_def *def);
TPI_FUNC tpi_substep_rule tpi_substep_rule_within(const tp_world_def *def, float stable);
/* Ticks of the step that begins now. */
TPI_FUNC uint32_t tpi_substep_next(const tpi_substep_rule *rule, const tpi_clock *clock);
/* The fraction to store after a step of length `taken` (in frames) with Courant number `courant`.
   *capped becomes true if the limit M kept the step longer than the target allows. */
TPI_FUNC float tpi_substep_adapt(const tpi_substep_rule *rule, float stored, float taken,
                                 float courant, bool *capped);

/* Ticks of the next step of a world. O(1) */
TPI_FUNC uint32_t tpi_substep_ticks(const tp_world *world);
/* The same, but longer if the rest of the frame would need more than `steps_affordable` steps;
   never above the stability limit. O(1) */
TPI_FUNC uint32_t tpi_substep_ticks_coarse(const tp_world *world, uint32_t steps_affordable);
/* s: the time that a step of `ticks` ticks simulates. Less than they last if `stable`, the longest
   stable step as a fraction of a frame, is shorter: slow motion. O(1) */
TPI_FUNC float tpi_substep_seconds(const tp_world *world, uint32_t ticks, float stable);
/* The step with which the one in progress must begin again, because its strain is too large; 0
   ticks if it may go on. O(1) */
typedef struct tpi_substep_restart {
    uint32_t ticks;
    float timestep; /* s */
} tpi_substep_restart;
TPI_FUNC tpi_substep_restart tpi_substep_shorter(const tp_world *world);
/* True if a complete step was longer than the longest stable one, or simulated less time than its
   ticks last. O(1) */
TPI_FUNC bool tpi_substep_is_strained(const tp_world *world);
/* Called when a step is complete: advances the clock, into the next frame if this one is over, and
   adapts the stored fractions to the step's Courant number and its strain. O(1) */
TPI_FUNC void tpi_substep_end(tp_world *world, float courant);

/* ---- changes (change.c) ---- */
/* Null if a world may change to this definition, else the first fault. O(species^2) */
TPI_FUNC const char *tpi_world_change_fault(const tp_world *world, const tp_world_def *def);
/* Gives a world between two frames a definition that was checked. O(species^2) */
TPI_FUNC void tpi_world_become(tp_world *world, const tp_world_def *def);

#endif
