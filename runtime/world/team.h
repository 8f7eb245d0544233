/* SPDX-License-Identifier: MIT
   runtime/world/team.h - a stretch of particles worked on by several threads, where each writes only to its own.
   reads   the budget's jobs      writes  through the work; a tally
   memory  one tally a part on the stack      cost    that of the work, and one call of the jobs' run
   after   own design: the runtime has no threads, it hands parts to the platform's. Sums of a tally do not depend on
           how the stretch was cut */
#ifndef TPI_TEAM_H
#define TPI_TEAM_H
#include "block.h"

/* Where there is no operating system there are no threads. */
#if !defined(TIDEPOOL_JOBS)
#define TIDEPOOL_JOBS __STDC_HOSTED__
#endif
#define TPI_PARTS_MAX   32u
#define TPI_PART_LEAST  512u  /* particles: fewer are not worth a hand-over */
#define TPI_SHARE_LEAST 8192u /* half units of a sweep: fewer are not worth one either */

/* What came of a part. */
typedef struct tpi_tally {
    int64_t cost; /* in the caller's measure */
    uint64_t crowded, clamped, guarded, ends_cut, overlaps;
    uint32_t courant_bits; /* the largest */
    uint32_t killed, died, recycled;
} tpi_tally;

typedef void (*tpi_team_work)(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                              tpi_tally *tally);

/* More than one worker, and enough particles for them. */
TPI_INLINE bool tpi_team_is_worth(const tp_jobs *jobs, uint32_t count)
{
    return TIDEPOOL_JOBS && jobs && jobs->workers > 1u && count >= 2u * TPI_PART_LEAST;
}

/* Works on particles begin .. end - 1, in parts where that is worth it; returns what all came
   to. `jobs` may be null. */
TPI_FUNC tpi_tally tpi_team_run(const tp_jobs *jobs, tp_world *world, tpi_team_work work,
                                const void *context, uint32_t begin, uint32_t end);

#endif
