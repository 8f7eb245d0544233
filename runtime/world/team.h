/* SPDX-License-Identifier: MIT
   runtime/world/team.h - a parallel for over a range of particles; each thread writes only to its
           own part.
   reads   the budget's jobs      writes  through the work function; a tally
   memory  one tally per part on the stack
   cost    that of the work, and one call of the jobs' run
   after   own design: the runtime has no threads, it gives parts to the platform's threads. The
           sums of a tally do not depend on how the range was split */
#ifndef TPI_TEAM_H
#define TPI_TEAM_H
#include "block.h"

/* Freestanding builds have no threads. */
#if !defined(TIDEPOOL_JOBS)
#define TIDEPOOL_JOBS __STDC_HOSTED__
#endif
#define TPI_PARTS_MAX 32u
/* particles in a part at least; fewer cost more to hand over than they gain */
#define TPI_PART_LEAST  512u
#define TPI_SHARE_LEAST 8192u /* half units of a sweep below which it is not shared */
/* units of the smallest slice that may save some for the next one, and how many at most: see
   tpi_meter_pays */
#define TPI_SAVES_FROM 1024u
#define TPI_SAVES_MOST 1024u

/* The results of one part. */
typedef struct tpi_tally {
    int64_t cost; /* in units that the caller chooses */
    uint64_t crowded, clamped, guarded, ends_dropped, overlaps;
    uint32_t walls_limited; /* see tpi_step */
    /* bits of the largest Courant number, and of the largest strain: see tpi_step */
    uint32_t courant_bits, strain_bits;
    uint32_t compression_max; /* see tpi_step */
    uint64_t compression, squeeze;
    uint32_t killed, died, recycled, contacts;
    bool is_stale;      /* forces or lists are no longer those of the positions */
    uint32_t peak_bits; /* bits of the largest of numbers that the caller chooses */
} tpi_tally;

/* Works on particles begin .. end - 1; the tally has zeros before. */
typedef void (*tpi_team_work)(tp_world *world, const void *context, uint32_t begin, uint32_t end,
                              tpi_tally *tally);

/* True if there is more than one worker and enough particles for two parts. */
TPI_INLINE bool tpi_team_is_worth(const tp_jobs *jobs, uint32_t count)
{
    return TIDEPOOL_JOBS && jobs && jobs->workers > 1u && count >= 2u * TPI_PART_LEAST;
}

/* Calls `work` for particles begin .. end - 1, split into parts if that is worth it; returns the
   sum of the tallies. `jobs` may be null. */
TPI_FUNC tpi_tally tpi_team_run(const tp_jobs *jobs, tp_world *world, tpi_team_work work,
                                const void *context, uint32_t begin, uint32_t end);

/* A pass of a stage over its particles, which may be near walls. */
typedef struct tpi_team_pass {
    tpi_team_work work; /* its cost: walls that are near */
    const void *context;
    uint32_t each, walls; /* units of a particle; walls that each may be near */
} tpi_team_pass;

/* A slice of a pass, from cursor.i on: as many particles as `units` are enough for with all walls
   near each, one at least. Adds the tally to the step. Returns the units: `each` per particle, and
   4 per wall that is near one. */
TPI_FUNC uint32_t tpi_team_slice(tp_world *world, const tp_jobs *jobs, uint32_t units,
                                 const tpi_team_pass *pass, bool *done);

#endif
