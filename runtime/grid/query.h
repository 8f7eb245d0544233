/* SPDX-License-Identifier: MIT
   runtime/grid/query.h - an index of particles for queries: a copy of a complete step, and a
           spatial hash.
   reads   the front set of a world      writes  the query's block, the caller's arrays
   memory  see query_layout              cost    2.25 units per particle to build; 1 per candidate
   after   spatial hash of Teschner et al. 2003 with a counting sort. The hash maps cells, and each
           candidate is tested for its cell, so that cells that share a bucket visit no particle
           twice */
#ifndef TPI_QUERY_H
#define TPI_QUERY_H
#include "../world/block.h"
#include "../world/box.h"
#include "../base/prime.h"

#define TPI_COOKIE_QUERY 0x54505131u /* "TPQ1" */
#define TPI_STAMP_QUERY  (0x544d0000u + (uint32_t)sizeof(tp_query_def))

#define TPI_QUERY_CELL_LAST 8388607 /* largest cell coordinate, 2^23 - 1: an exact float */
/* Share of the coordinates by which ranges of cells are wider than a region: covers rounding, whose
   share is at most 2^-22. */
#define TPI_QUERY_MARGIN 9.5367432e-7f    /* 2^-20 */
#define TPI_QUERY_SCALE  274877906944.0f  /* 2^38: counts of a term of 1; 2^24 of them fit */
#define TPI_QUERY_PER    3.637978807e-12f /* 2^-38 */

/* Phases of a build. */
enum {
    TPI_QUERY_IDLE,
    TPI_QUERY_COPY,
    TPI_QUERY_EMPTY,
    TPI_QUERY_COUNT,
    TPI_QUERY_SUM,
    TPI_QUERY_SORT
};

/* The particles of one complete step. */
typedef struct tpi_query_index {
    uint32_t x[3], v[3]; /* offsets: float, in the storage order of the world */
    uint32_t id, meta;   /* offsets: u32 */
    uint32_t order;      /* offset: u32, indices sorted by bucket */
    uint32_t start;      /* offset: u32, first entry of each bucket in `order`, and the end */
    uint32_t count;
    bool is_ready;
    tpi_box box; /* cells of about the query's radius along periodic axes */
    uint64_t frame;
    uint32_t tick;
    float mass_most;             /* kg: of a species */
    float share[TP_SPECIES_MAX]; /* mass over mass_most */
    float speed_most;            /* m/s: largest component of a velocity, at least 1e-30 */
    float low[3], high[3];       /* m: bounds of all particles */
} tpi_query_index;

struct tp_query {
    uint32_t cookie;
    uint32_t layout_stamp;
    uint64_t bytes;
    tp_query_def def;
    uint32_t bucket_count, bucket_magic;
    float cell_inverse;       /* cells per m, along open axes */
    tpi_query_index index[2]; /* with is_double; else both have the same arrays */
    uint32_t front;           /* the index that answers */
    uint32_t serial;          /* changes when the answers do */
    /* the build in progress, of the other index */
    uint32_t phase;
    uint32_t at;      /* cursor of the phase */
    uint32_t changes; /* of the world when the copy began */
    uint32_t units;   /* of the last call */
    uint64_t build_units, restarts;
};

TPI_INLINE void *tpi_query_at(const tp_query *query, uint32_t offset)
{
    return (void *)((uintptr_t)query + offset);
}
TPI_INLINE float *tpi_query_floats(const tp_query *query, uint32_t offset)
{
    return (float *)tpi_query_at(query, offset);
}
TPI_INLINE uint32_t *tpi_query_words(const tp_query *query, uint32_t offset)
{
    return (uint32_t *)tpi_query_at(query, offset);
}

/* ---- cells ---- */

/* The cell of a coordinate: along periodic axes 0 .. cells - 1. */
TPI_INLINE int32_t tpi_query_cell(const tp_query *query, const tpi_query_index *index,
                                  uint32_t axis, float x)
{
    const float last = (float)TPI_QUERY_CELL_LAST;
    if (index->box.cells[axis]) return (int32_t)(tpi_box_cell(&index->box, axis, x) - 65536u);
    return tpi_floor(tpi_clamp(x * query->cell_inverse, -last, last));
}
TPI_INLINE uint32_t tpi_query_bucket(const tp_query *query, const int32_t cell[3])
{
    uint32_t hash = tpi_prime_hash(cell[0], cell[1], cell[2]);
    hash = (hash ^ hash >> 15) * 0x2c1b3c6du;
    return tpi_prime_reduce(hash ^ hash >> 12, query->bucket_count, query->bucket_magic);
}

/* ---- the progress of a call ---- */

/* The state in a cursor. All zero: the call begins. */
typedef struct tpi_query_state {
    uint32_t phase;
    uint32_t item;    /* point, node or piece; or end of the heap that is sorted */
    int32_t cell[3];  /* the next cell; along periodic axes it may lie beyond a side */
    int32_t owner[3]; /* the cell of the entries at .. end - 1 of `order` */
    uint32_t at, end;
    uint32_t found, kept; /* particles in the region, and of those in the caller's array */
    float reach;          /* m: radius of the sphere that is searched */
    float time;           /* ray: of the earliest hit in the piece; 2: none */
    uint32_t hit;         /* the particle hit: its index */
    bool is_weighing;     /* a point, see tpi_query_weigh */
    uint32_t neighbours;  /* particles within the radius of a point */
    int64_t weight, velocity[3], gradient[3];
} tpi_query_state;

/* A call in progress: its arguments and the state of its cursor. */
typedef struct tpi_query_call {
    const tp_query *query;
    const tpi_query_index *index;
    tp_query_cursor *cursor;
    tpi_query_state state;
    uint32_t dimensions;
    uint32_t species_mask;
    bool is_limited;
    bool ignores_mass; /* sums count particles, whatever their mass */
    int64_t units;     /* left; below 0: the overrun */
    uint32_t used;
    /* the walk over candidates: cells low .. high, or all particles */
    int32_t low[3], high[3];
    bool is_all;
    bool is_over; /* there are no more candidates */
} tpi_query_call;

/* The first checks of a call: NULL, BLOCK, EMPTY. Writes nothing but `call`. */
TPI_FUNC tp_result tpi_query_look(const tp_query *query, tp_query_cursor *cursor, uint32_t units,
                                  tpi_query_call *call);
/* Reads the cursor. The call begins again if the arguments, whose hash is `job`, are not those of
   the last one. */
TPI_FUNC void tpi_query_begin(tpi_query_call *call, uint64_t job, uint32_t species_mask);
/* Writes the cursor. TP_MORE, or `result` when the call is done: then the cursor is zero again. */
TPI_FUNC tp_result tpi_query_end(tpi_query_call *call, bool is_done, tp_result result);
/* Adds a value to the hash of arguments. */
TPI_INLINE uint64_t tpi_query_job(uint64_t job, uint32_t word)
{
    return tpi_mix(job ^ word) + 0x9e3779b97f4a7c15u;
}
TPI_INLINE uint64_t tpi_query_job_vector(uint64_t job, tp_vector a)
{
    return tpi_query_job(tpi_query_job(tpi_query_job(job, tpi_bits(a.x)), tpi_bits(a.y)),
                         tpi_bits(a.z));
}
TPI_INLINE bool tpi_query_has_units(const tpi_query_call *call)
{
    return !call->is_limited || call->units > 0;
}
TPI_INLINE void tpi_query_spend(tpi_query_call *call, uint32_t units)
{
    call->units -= units;
    call->used += units;
}

/* Sets the cells within `extent` of a point. Call this in each slice. With `begins` the walk
   starts; else it continues from the state. */
TPI_FUNC void tpi_query_walk(tpi_query_call *call, const float center[3], const float extent[3],
                             bool begins);
/* The next candidate; false when the budget ended, or the walk (is_over). One unit per cell and
   per candidate. O(1) per unit */
TPI_FUNC bool tpi_query_next(tpi_query_call *call, uint32_t *index);

/* Position and velocity of a particle of the index; z is 0 in 2D. */
TPI_INLINE tp_vector tpi_query_vector(const tpi_query_call *call, const uint32_t arrays[3],
                                      uint32_t i)
{
    return tpi_vector(tpi_query_floats(call->query, arrays[0])[i],
                      tpi_query_floats(call->query, arrays[1])[i],
                      call->dimensions == 3 ? tpi_query_floats(call->query, arrays[2])[i] : 0.0f);
}
/* The minimum image of the particle's position less a point. */
TPI_INLINE tp_vector tpi_query_offset(const tpi_query_call *call, tp_vector from, uint32_t i)
{
    const tpi_box *box = &call->index->box;
    tp_vector d = tpi_sub(tpi_query_vector(call, call->index->x, i), from);
    if (!box->is_periodic) return d;
    return tpi_vector(tpi_box_image(box, 0, d.x), tpi_box_image(box, 1, d.y),
                      tpi_box_image(box, 2, d.z));
}

/* A vector of the caller, without z in 2D. */
TPI_INLINE tp_vector tpi_query_flat(const tpi_query_call *call, tp_vector a)
{
    if (call->dimensions == 2) a.z = 0.0f;
    return a;
}
/* A good point of the caller: without z in 2D, inside the box along periodic axes. */
TPI_INLINE tp_vector tpi_query_point(const tpi_query_call *call, tp_vector point)
{
    return tpi_box_wrap_vector(&call->index->box, tpi_query_flat(call, point));
}
TPI_INLINE bool tpi_query_is_point(tp_vector a)
{
    return tpi_is_vector_within(a, TPI_POSITION_MAX);
}
TPI_INLINE bool tpi_query_is_length(float a) { return tpi_is_within(a, 0.0f, TPI_POSITION_MAX); }

/* Adds up what the particles weigh at a point (query_sample.c), which is continued until it is
   done. */
TPI_FUNC bool tpi_query_weigh(tpi_query_call *call, tp_vector point, bool has_vectors);
TPI_FUNC float tpi_query_density(const tpi_query_call *call);
/* Unit length, towards lower density; `otherwise` where that is even. */
TPI_FUNC tp_vector tpi_query_normal(const tpi_query_call *call, tp_vector otherwise);

#endif
