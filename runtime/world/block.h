/* SPDX-License-Identifier: MIT
   runtime/world/block.h - the data in a world's block: plain structures and byte offsets, no
           pointers.
   reads   nothing      writes  nothing: declarations
   memory  see world_layout in world.c, and the table below      cost  none
   after   double buffering: the front set holds the last complete step, the back set the step in
           progress. A step ends by exchanging the two, so a reader never sees half a step

   The stages of a step and the arrays that they write (D dimensions, words of 4 bytes):

       front   x v (2D words) id meta [birth]    the set that the game reads
       move    force <- kicked v; key            in the order of the front set
       grid    start[] counts -> ends; order[]   canonical: by table entry, level, cell, id
       gather  back x v <- front x + v dt
       pairs   density, flow, counts, distances  integer sums: same bits in any order of pairs
               row[] pair[]                      neighbour lists, if neighbours are stored
       force   force (integer impulses)          antisymmetric to the last bit
       links   link force (integers)             before move: front set; after force: back set
       collide back x v <- final                 swept from front x
       emit    births after the survivors        their meta, birth, id go to the next arrays
       commit  meta, birth -> next meta, next birth; order -> id; then front <-> back */
#ifndef TPI_BLOCK_H
#define TPI_BLOCK_H
#include "../memory/memory.h"
#include "../base/lanes.h"
#include "items.h"

#define TPI_COOKIE_WORLD 0x54505731u /* "TPW1" */
/* Changes with the structures of a version. */
#define TPI_LAYOUT_STAMP ((uint32_t)(sizeof(tp_world) + (sizeof(tp_world_def) << 16)))
/* A step kills a particle whose position or velocity exceeds its limit along any axis, or is not a
   number. The limits keep every square and product of a step below 1e28, far from overflow: a frame
   is at most 10 s long. */
#define TPI_POSITION_MAX 1e9f /* m */
#define TPI_SPEED_MAX    1e9f /* m/s */
/* elements after an array's end that a vector load may read; their values are not used */
#define TPI_LANES_MAX         16u
#define TPI_COMPRESSION_SCALE 4194304.0f /* 2^22 */
/* Strain is a time step divided by the longest stable one. A step with a larger strain than this
   begins again, shorter, at most so many times. */
#define TPI_STRAIN_MAX      1.05f
#define TPI_STRAIN_RESTARTS 4u
/* cells are 1/128 wider than the cutoff: see tpi_cell_coordinate */
#define TPI_CELL_MARGIN 1.0078125f
/* largest cell coordinate, counted from the origin; positions beyond it share the outermost cell */
#define TPI_CELL_LIMIT 65535

/* ---- clocks ---- */
typedef struct tpi_clock {
    uint64_t frame;         /* simulated frames completed */
    uint32_t tick;          /* in the current frame: 0 .. TP_TICKS_PER_FRAME - 1 */
    uint32_t step_of_frame; /* steps completed in the current frame */
    /* adaptive: wanted length of a step as a fraction of a frame (solve/substep.c) */
    float step_fraction;
    uint32_t next_id; /* id of the next particle */
    /* frames: the longest stable step of the last state, 1 at most; grows slowly (substep.c) */
    float stable_fraction;
    /* adaptive: a step of this frame needed to be shorter than 1 / count_max of it */
    bool was_capped;
    bool frame_begun; /* the poses of this frame were copied (latched) */
} tpi_clock;

/* ---- constants, computed from the definition once ---- */
/* The periodic box: positions are wrapped into it along each periodic axis. */
typedef struct tpi_box {
    float low[3], high[3], size[3], half[3]; /* m */
    float cell_inverse[3];                   /* cells per m */
    /* along each axis, at least 3; 0: the axis is open (not periodic) */
    uint32_t cells[3];
    bool is_periodic; /* some axis is periodic */
    /* the nearest image is a position, rounded before it is subtracted: see tpi_box_offset */
    bool moves_points;
} tpi_box;

/* A grid hierarchy: cells of several sizes, so that a cell sized for large spheres does not fill up
   with small ones. Level 0 has the finest cells and covers every position. A cell of a higher level
   consists of `width` finest cells along each axis. */
#define TPI_LEVELS_MAX 4u
typedef struct tpi_levels {
    uint32_t count; /* 1: all species use the same cell size */
    uint32_t of_species[TP_SPECIES_MAX];
    uint32_t width[TPI_LEVELS_MAX][3]; /* finest cells per cell along each axis */
    /* cells along each periodic axis, at least 3, the last may be wider; 0: the axis is open */
    uint32_t cells[TPI_LEVELS_MAX][3];
    /* [level][level]: largest distance between two partners along an axis, in finest cells */
    uint32_t apart[TPI_LEVELS_MAX][TPI_LEVELS_MAX];
    /* m^2: cutoff plus skin of the neighbour lists */
    float list_squared[TPI_LEVELS_MAX][TPI_LEVELS_MAX];
    float cutoff_squared[TPI_LEVELS_MAX][TPI_LEVELS_MAX]; /* m^2: largest cutoff */
} tpi_levels;

/* How many neighbours a solver visits and stores; all 0: the solver has no pairs. */
typedef struct tpi_neighbour_needs {
    /* neighbour limit: only the nearest so many neighbours of a particle count */
    uint32_t neighbours_max;
    uint32_t cell_max;      /* limit of the candidates in one cell */
    uint32_t list_capacity; /* words per particle in the neighbour lists; 0: there are no lists */
    /* of the numbers in these lists. 2: they are offsets of rows of four numbers */
    uint32_t list_shift;
    /* with lists: the table of cells has two entries per particle, not four; and counts of
       neighbours, which are needed until forces are computed, are in the array of next births */
    bool saves_memory;
    bool keeps_lists; /* lists are kept for several steps (Verlet lists with a skin) */
    bool is_still;    /* the solver meets particles where the step begins, and moves them itself */
    bool is_sparse;   /* few particles in a cell: the table has four entries per particle */
} tpi_neighbour_needs;

typedef struct tpi_constants {
    tpi_box box;
    tpi_levels levels;
    /* copies of tpi_neighbour_needs */
    uint32_t neighbours_max, cell_max, list_capacity, list_shift;
    bool keeps_lists, is_still;
    bool is_idle; /* no two particles interact: kept lists need no rebuilding */
    /* a particle between these fractions of its finest cell stays in that cell while a list is
       kept */
    float stray_low[3], stray_high[3];
    float seconds_per_tick;
    uint64_t frames_per_second_scaled;
    float smoothing_radius, radius_squared; /* m: the solver's cutoff; m^2: cutoff of the lists */
    float cell_inverse;                     /* cells per m, along open axes */
    /* m/s^2: sum of the magnitudes of all gravity fields, for rest speeds */
    float gravity_length;
} tpi_constants;

/* ---- the resumable state of a step ---- */
typedef struct tpi_cursor {
    uint32_t i, j, k; /* meaning by stage, for example: particle, run, index in the run */
    uint32_t end;
    uint32_t row;   /* row of cells */
    uint32_t phase; /* sub-pass of the stage */
} tpi_cursor;

/* A segment of a path in the frame of one collider, and the earliest hit of all colliders so far
   (move/). */
typedef struct tpi_cast {
    tp_vector from, move; /* m */
    /* m: distances of the sphere's centre from the surface, see collide.h */
    float contact, clearance, inside;
    /* the segment takes no time (a jump); a sphere that starts inside a solid may only leave it */
    bool is_jump;
    bool began_inside; /* the hit: the centre started inside the solid and is pushed out */
    bool is_pause;     /* the hit is no contact but the end of the traced part of the segment */
    float time;        /* of the hit, 0..1 of the segment; 2: no hit */
    /* of the hit, local; `push` moves the centre to the distance `clearance` */
    tp_vector normal, push;
    uint32_t collider, hit_collider;
    /* cursor of a walk over parts (triangles, height cells, grid cells; rooms: move/room.h) */
    uint32_t part, subpart, row, row_end;
    /* fraction of the segment that was traced through a distance grid */
    float traced;
} tpi_cast;

/* The path of one sphere through the colliders (move/collide.c). */
typedef struct tpi_path {
    tp_vector from, to; /* m: remaining segment; at the end `to` is the final position */
    tp_vector velocity; /* m/s: the velocity after the step, at the integrator's time */
    tp_vector drift;    /* m/s: velocity along the remaining segment */
    float radius;       /* m */
    float skin;         /* m */
    /* start of the remaining segment, as a fraction of the path's interval */
    float begin;
    /* the path's interval as fractions of the frame, for moving colliders */
    float step_begin, step_end;
    float timestep; /* s, of the path's interval; 0 for a birth at the end of a step */
    float before;   /* cast.time before the piece that is tested now, see move/arc.c */
    /* fraction of the frame at which the world's step begins; the path of a birth begins later */
    float whole_begin;
    float whole_timestep; /* s, of the world's step */
    uint32_t hits;
    uint32_t phase;      /* see collide.c */
    uint32_t skip;       /* jump: the collider that is left and not tested */
    uint32_t field;      /* cursor of the sum over gravity fields */
    tp_vector gravity;   /* m/s^2, summed at the first bounce */
    tp_vector low, high; /* m: box around the swept sphere */
    /* previous contact, for creases: normal in the collider's frame, point in world coordinates */
    tp_vector last_normal, last_point;
    uint32_t last_collider;
    float last_moment; /* fraction of the step */
    tpi_cast cast;
    /* the last collider with rooms that was searched; the walk through them: move/room.h */
    uint32_t rooms, room_sector;
    float room_time;
    uint8_t room_hops, species;
    /* of the segment near a collider that turns and goes far: the tested one, of how many or 0 */
    uint8_t piece, pieces;
    bool touched, killed;
    /* the contact limit was reached: only surfaces that move into the sphere still move it */
    bool is_evading;
    bool last_rested, has_gravity;
} tpi_path;

/* A range of particles that a sweep has not finished: i continues at cursor values j, k and row,
   i + 1 .. end - 1 have not begun. */
typedef struct tpi_stretch {
    uint32_t i, end, k; /* all 0: empty */
    uint16_t j, row;
} tpi_stretch;
#define TPI_STRETCHES_MAX 16u /* 256 bytes, not larger than a path */

typedef struct tpi_step {
    bool active;
    uint32_t stage; /* tp_stage */
    uint32_t ticks;
    float timestep; /* s */
    /* m^2, [level][level]: cutoff that the current stage uses */
    float radius_squared[TPI_LEVELS_MAX][TPI_LEVELS_MAX];
    uint32_t front_count;    /* particles at the start */
    uint32_t count;          /* particles of the back set: survivors, then births */
    uint32_t survivor_count; /* set when births begin */
    uint32_t birth_count;    /* births of this step so far */
    tpi_cursor cursor;
    /* the overrun: half units of work done but not yet charged; later slices pay them before they
       work. Saved ones are charged, but not yet worked: see tpi_meter_pays */
    uint32_t half_units_ahead, half_units_saved;
    bool is_paying; /* the stage is complete except for paying its overrun */
    union {
        tpi_path path;
        /* for a sweep that is shared among threads; no path exists then */
        tpi_stretch stretches[TPI_STRETCHES_MAX];
    };
    bool by_parts;     /* threads share the pairs: grid/patch.h */
    uint8_t colour;    /* with by_parts: of the blocks whose pairs are visited now */
    bool is_divided;   /* a slice may have left parts for other threads */
    bool by_vectors;   /* a build with vectors began it: its lists of pairs are others */
    uint32_t workers;  /* that may share the pairs of the pair solver: each has sums of its own */
    bool is_priming;   /* the step takes no time and computes only the forces of the front set */
    bool forces_stale; /* a position changed after its forces were computed */
    bool ids_ascend;   /* ids increase with the index in the front set */
    bool list_broken;  /* a particle moved too far or died, so the kept list is invalid */
    /* a cell has more than cell_max particles, or may have while a list is kept */
    bool may_crowd;
    bool list_overflowed; /* the list is too small for all pairs */
    bool list_built;      /* during this step */
    /* a particle exceeds the neighbour limit: the pair pass runs again with the nearest only */
    bool capped;
    uint32_t recycle_threshold; /* particles with ids up to this die to free space for births */
    uint32_t recycle_count;
    uint32_t emitter;                 /* cursor of the emit stage */
    uint32_t birth_meta, birth_ticks; /* of the birth whose path is in progress */
    tp_vector birth_strength;         /* the same, of a vorton */
    bool path_begun;
    bool has_placed; /* the bodies have their poses at the end of the step */
    bool recycles;
    bool has_links;    /* there were links when the step began */
    bool closes_links; /* the second half of the links' work, after the pair forces */
    bool has_damping;  /* some link has damping */
    /* fluids and cloth of springs: some link or spring is stiffer than the step bears */
    bool softens_links;
    bool at_springs; /* fluids: after the links' work that of springs */
    /* radix sort of indices by id: 0 not sorted yet; 1, 2: the sorted indices are in next position
       x, y */
    uint32_t link_order;
    /* largest Courant number so far, as bits: non-negative floats order like integers */
    uint32_t courant_bits;
    /* the largest strain so far, as bits: the time step divided by the longest stable one */
    uint32_t strain_bits;
    /* largest compression of a particle; the sum of all, and what the step adds: times 2^22 */
    uint32_t compression_max;
    uint64_t compression, squeeze;
    uint32_t restarts; /* times that the step began again, shorter */
    uint32_t neighbours_largest;
    uint64_t pairs;
    uint64_t contacts;
    /* particles that used up their tests of triangles as walls */
    uint32_t walls_limited;
    uint32_t pair_count;   /* pairs in the half list */
    uint64_t crowded;      /* particles that cell_max excluded from pairs in this pass */
    uint64_t pairs_found;  /* found by the first pass; the second pass keeps the number */
    uint64_t ends_found;   /* pair ends before the neighbour limit, if it was exceeded */
    uint64_t ends_dropped; /* pair ends dropped by the neighbour limit so far */
    uint64_t overlaps;     /* overlapping pairs of hard spheres found by this round */
    uint64_t impulse_sum;  /* sum of impulse times distance, in virial units */
    /* counters of this step; commit adds them to the report, a cancelled step counts nothing */
    uint32_t died, killed, recycled, births_refused;
    uint64_t neighbours_dropped, particles_skipped, displacements_clamped, speeds_clamped,
        contacts_limited, pushed_out, room_hops, rooms_limited, rooms_missed, rooms_exceeded,
        overlaps_guarded, collisions, overlaps_unresolved, links_dropped, links_broken,
        links_guarded, link_forces_clamped, springs_removed, springs_dropped, strengths_limited,
        vortons_merged, vortons_split, vortices_fast;
    uint32_t springs, strengths; /* alive in the back set: springs; particles with a strength */
    /* events of this step, see event.h: all, those kept, and those of them that are sorted */
    uint32_t events_found, events_kept, events_sorted;
    uint64_t events_hash;
    /* what feeds emitters: bits of kinds, deaths, and species for each kind; then as for events;
       then the cursor of fed births: the event, and births of the emitter by it */
    uint32_t feed_kinds, feed_deaths;
    float feed_speed; /* m/s: the lowest of a contact */
    uint8_t feed_species[8];
    uint32_t feeds_found, feeds_kept, feeds_sorted;
    uint32_t feed, feed_births;
    uint64_t feed_births_limited;
} tpi_step;

#define TPI_OWN_MAX   15u
#define TPI_KEPT_MAX  5u
#define TPI_KEPT_USED (TPI_HAS_FIRE ? TPI_KEPT_MAX : 3u) /* in this build */
/* Arrays by role: byte offsets into the block. A commit exchanges the offsets of some roles. */
typedef struct tpi_arrays {
    uint32_t x[2][3], v[2][3]; /* [front or back][axis], float */
    uint32_t id, meta, birth;  /* u32, front set; the offset of birth is 0 if births are not kept */
    /* [front or back][number], float: what the solver keeps of a particle between steps: two
       pressures and a temperature; or a strength, a temperature and fuel (heat.h). 0: none */
    uint32_t kept[2][TPI_KEPT_MAX];
    /* [front or back], tpi_spring: a row of sph.springs_max per particle. Offset 0: no springs */
    uint32_t springs[2];
    /* u32 per back index: front index (24 bits), species (3), TPI_ORDER_* flags; for a birth its
       id. Commit turns it into the id array */
    uint32_t order;
    /* i32: forces or impulses; shares memory, see tpi_keys */
    uint32_t force[3];
    /* u32: become meta and birth at commit; share memory before, see tpi_keys */
    uint32_t next_meta, next_birth;
    uint32_t neighbours; /* u32: count of neighbours; 0: see tpi_neighbour_counts */
    /* float, u32: distance squared and id of the farthest neighbour kept by the neighbour limit */
    uint32_t limit_distance, limit_id;
    uint32_t start; /* u32, table entries + 1 */
    /* u64 per bucket: packed coordinates of the block that owns it */
    uint32_t owner;
    uint32_t row, pair; /* u32: neighbour lists, see grid/sweep.h */
    uint32_t listed[3]; /* float: positions when the list was built */
    uint32_t solver;    /* the solver's constants */
    /* arrays private to the solver, numbered in its folder; 0: none */
    uint32_t own[TPI_OWN_MAX];
    /* (float, u32) x neighbours_max: heap of the nearest neighbours of one particle */
    uint32_t nearest;
} tpi_arrays;

/* The hash table of cells (grid/). A small periodic box is one block in a table of one bucket, so
   every cell has its own entry. */
typedef struct tpi_grid {
    uint32_t bucket_count; /* number of buckets, one per block: a prime, or 1 */
    uint32_t entry_count;
    /* log2 of the cells of a block: bucket = entry >> cells_shift; 31 if there is one bucket */
    uint32_t cells_shift;
    /* log2 of the cells of a block along each axis: blocks are 16 x 2 in 2D and 8 x 4 x 2 in 3D; or
       16 */
    uint32_t shift[3];
    uint32_t stride[3]; /* entries between neighbouring cells along each axis, inside a block */
    /* log2 of the blocks of a district along each axis: see tpi_grid_bucket; the last one is 0 */
    uint8_t district[4];
    /* first entry of each level if there is one bucket, else 0 */
    uint32_t level_entry[TPI_LEVELS_MAX];
} tpi_grid;

struct tp_world {
    uint32_t cookie;
    uint32_t layout_stamp; /* see TPI_LAYOUT_STAMP */
    uint64_t bytes;
    tp_world_def def;
    tpi_constants constants;
    tpi_arrays arrays;
    tpi_grid grid;
    uint32_t front; /* index of the front set: 0 or 1 */
    uint32_t count; /* particles in the front set */
    uint32_t count_peak;
    uint64_t births_refused;
    tpi_pool emitters, sinks, fields, colliders, links, bodies;
    uint32_t geometry, geometry_used, geometry_peak;
    uint32_t recycle_histogram; /* 256 u32, only with TP_POOL_RECYCLE */
    uint64_t geometry_refused;
    uint32_t loads; /* tpi_load_item per collider; 0: loads are not measured */
    /* two rings of events_max events, see event.h: the slot after the last one, and how many can be
       read; 0: there are no events */
    uint32_t events, events_head, events_count;
    uint64_t events_hash; /* sum of the hashes of all events */
    uint32_t feeds;       /* events of a step that feed emitters; 0: there are none */
    uint32_t link_sums;   /* forces of links, see solve/link.h; 0: there are none */
    tpi_clock clock;
    tpi_step step;
    uint32_t slice_microseconds_worst; /* measured; decays with every slice */
    /* consecutive calls of tp_frame_worlds in which this world owed time and got no slice */
    uint32_t calls_waited;
    bool forces_fresh; /* arrays.force holds the integer forces of the front set */
    bool list_valid;   /* rows and pairs hold the neighbour list of the front set */
    bool links_placed; /* links hold the indices of their ends in the front set */
    uint32_t changes;  /* times that the front set or the colliders may have changed */
    /* simulated frames that the game has requested and that were not dropped */
    uint64_t target_frame;
    uint64_t step_units;      /* charged in the step in progress */
    uint64_t step_units_last; /* charged in the last complete step */
    /* hard spheres: sum of impulse times distance since the last measurement, in virial units */
    uint64_t impulse_sum;
    uint64_t impulse_ticks; /* ticks since the last measurement */
    tp_report report;
    tp_pool_report pairs_pool;
    uint32_t changed; /* settings that wait for the next frame, see change.h; 0: there are none */
    uint32_t carried; /* numbers that particles carry, see tpi_carried; 0: none */
    /* hash of what the solver keeps besides particles, as part of the state hash; 0: nothing */
    uint64_t kept_hash;
};

/* ---- parts that a build may leave out (base/features.h): the answer is then a constant, and the
   compiler removes the code ---- */
TPI_INLINE uint32_t tpi_def_dimensions(const tp_world_def *def)
{
    return TPI_HAS_3D ? def->dimensions : 2u;
}
TPI_INLINE uint32_t tpi_dimensions(const tp_world *world)
{
    return tpi_def_dimensions(&world->def);
}
/* End of the used slots of a pool, and the number of its live items. */
#define TPI_POOL_OF(pool, is_built)                              \
    TPI_INLINE uint32_t tpi_##pool##_end(const tp_world *world)  \
    {                                                            \
        return is_built ? world->pool.end : 0u;                  \
    }                                                            \
    TPI_INLINE uint32_t tpi_##pool##_used(const tp_world *world) \
    {                                                            \
        return is_built ? world->pool.used : 0u;                 \
    }
TPI_POOL_OF(emitters, TPI_HAS_EMITTERS)
TPI_POOL_OF(sinks, TPI_HAS_EMITTERS)
TPI_POOL_OF(fields, TPI_HAS_FIELDS)
TPI_POOL_OF(colliders, TPI_HAS_COLLIDERS)
TPI_POOL_OF(links, TPI_HAS_LINKS)
TPI_POOL_OF(bodies, TPI_HAS_BODIES)
#undef TPI_POOL_OF

/* ---- access ---- */
TPI_INLINE void *tpi_at(const tp_world *world, uint32_t offset)
{
    return (void *)((uintptr_t)world + offset);
}
TPI_INLINE float *tpi_floats(const tp_world *world, uint32_t offset)
{
    return (float *)tpi_at(world, offset);
}
TPI_INLINE uint32_t *tpi_words(const tp_world *world, uint32_t offset)
{
    return (uint32_t *)tpi_at(world, offset);
}
TPI_INLINE int32_t *tpi_integers(const tp_world *world, uint32_t offset)
{
    return (int32_t *)tpi_at(world, offset);
}
TPI_INLINE float *tpi_front_x(const tp_world *world, uint32_t axis)
{
    return tpi_floats(world, world->arrays.x[world->front][axis]);
}
TPI_INLINE float *tpi_front_v(const tp_world *world, uint32_t axis)
{
    return tpi_floats(world, world->arrays.v[world->front][axis]);
}
TPI_INLINE float *tpi_back_x(const tp_world *world, uint32_t axis)
{
    return tpi_floats(world, world->arrays.x[world->front ^ 1u][axis]);
}
TPI_INLINE float *tpi_back_v(const tp_world *world, uint32_t axis)
{
    return tpi_floats(world, world->arrays.v[world->front ^ 1u][axis]);
}
/* The kept numbers of the front (or back) set; null: there are none. */
TPI_INLINE float *tpi_kept_of(const tp_world *world, uint32_t set, uint32_t number)
{
    bool is_built = TPI_HAS_VORTEX || (number < 2u ? TPI_HAS_DFSPH : TPI_HAS_HEAT);
    uint32_t offset = is_built ? world->arrays.kept[set][number] : 0u;
    return offset ? tpi_floats(world, offset) : NULL;
}
TPI_INLINE float *tpi_front_kept(const tp_world *world, uint32_t number)
{
    return tpi_kept_of(world, world->front, number);
}
TPI_INLINE float *tpi_back_kept(const tp_world *world, uint32_t number)
{
    return tpi_kept_of(world, world->front ^ 1u, number);
}
/* Numbers of 4 bytes that a particle carries from step to step and that no stage uses: the word of
   the application, then its position when the last frame began; last, its contacts: event.h. */
#define TPI_CARRIED_MAX 5u
TPI_INLINE bool tpi_def_keeps_words(const tp_world_def *def)
{
    return TPI_HAS_CHANGES && def->keeps_words;
}
TPI_INLINE bool tpi_def_keeps_last(const tp_world_def *def)
{
    return TPI_HAS_DRAW && def->keeps_last_frame;
}
/* True if contacts may be events: a change may have it so, and emitters that are added. */
TPI_INLINE bool tpi_def_keeps_contacts(const tp_world_def *def)
{
    const uint32_t kinds =
        TP_EVENT_BIT(TP_EVENT_CONTACT_BEGUN) | TP_EVENT_BIT(TP_EVENT_CONTACT_ENDED);
    bool has_kinds = def->events_max > 0 && ((def->event_kinds & kinds) || def->takes_changes);
    return TPI_HAS_EVENTS && TPI_HAS_COLLIDERS && def->colliders_max > 0 &&
           (has_kinds || def->feeds_max > 0);
}
TPI_INLINE uint32_t tpi_def_carried(const tp_world_def *def)
{
    return (tpi_def_keeps_words(def) ? 1u : 0u) +
           (tpi_def_keeps_last(def) ? tpi_def_dimensions(def) : 0u) +
           (tpi_def_keeps_contacts(def) ? 1u : 0u);
}
/* Bytes of an array of one of them. */
TPI_INLINE uint32_t tpi_carried_bytes(const tp_world_def *def)
{
    return (def->particles_max * 4u + 15u) & ~15u;
}
TPI_INLINE uint32_t *tpi_carried(const tp_world *world, uint32_t set, uint32_t number)
{
    uint32_t array = set * tpi_def_carried(&world->def) + number;
    return tpi_words(world, world->carried + array * tpi_carried_bytes(&world->def));
}
/* The contacts of particles that are events, in a set; null: the world keeps none. */
TPI_INLINE uint32_t *tpi_contacts(const tp_world *world, uint32_t set)
{
    if (!tpi_def_keeps_contacts(&world->def)) return NULL;
    return tpi_carried(world, set, tpi_def_carried(&world->def) - 1u);
}
/* Positions when the last frame began, of the front set. */
TPI_INLINE float *tpi_last_x(const tp_world *world, uint32_t axis)
{
    return (float *)(void *)tpi_carried(world, world->front,
                                        (tpi_def_keeps_words(&world->def) ? 1u : 0u) + axis);
}
/* The row of springs of a particle. */
TPI_INLINE bool tpi_has_springs(const tp_world *world)
{
    return TPI_HAS_SPRINGS && world->arrays.springs[0] != 0;
}
TPI_INLINE tpi_spring *tpi_spring_row(const tp_world *world, uint32_t set, uint32_t index)
{
    tpi_spring *rows = (tpi_spring *)tpi_at(world, world->arrays.springs[set]);
    return rows + (size_t)index * world->def.sph.springs_max;
}
/* Arrays that share memory, with the stages during which they hold each content:
       array        MOVE, GRID         PAIRS to COLLIDE  EMIT, COMMIT
       next meta    keys               solver's arrays   next meta
       next birth                      solver's arrays   next birth; pair forces: first counts
       force x y z  kicked velocities  solver's sums */
TPI_INLINE uint32_t *tpi_keys(const tp_world *world)
{
    return tpi_words(world, world->arrays.next_meta);
}
TPI_INLINE float *tpi_kicked(const tp_world *world, uint32_t axis)
{
    return tpi_floats(world, world->arrays.force[axis]);
}
/* The item of a pool of any kind. */
TPI_INLINE void *tpi_item_at(const tp_world *world, const tpi_pool *pool, uint32_t slot)
{
    return (char *)tpi_at(world, pool->items) + (size_t)slot * pool->item_bytes;
}
/* Items of emitters and fields end with settings that not all worlds have. */
TPI_INLINE tpi_emitter_item *tpi_emitter_at(const tp_world *world, uint32_t slot)
{
    return (tpi_emitter_item *)tpi_item_at(world, &world->emitters, slot);
}
TPI_INLINE bool tpi_has_feeds(const tp_world *world) { return TPI_HAS_FEEDS && world->feeds != 0; }
/* The kinds of events that feed an emitter. */
TPI_INLINE uint32_t tpi_feed_kinds(const tp_world *world, const tpi_emitter_item *item)
{
    return tpi_has_feeds(world) ? item->feed.feed_kinds : 0u;
}
TPI_INLINE tpi_sink_item *tpi_sink_at(const tp_world *world, uint32_t slot)
{
    return (tpi_sink_item *)tpi_at(world, world->sinks.items) + slot;
}
TPI_INLINE tpi_field_item *tpi_field_at(const tp_world *world, uint32_t slot)
{
    return (tpi_field_item *)tpi_item_at(world, &world->fields, slot);
}
TPI_INLINE bool tpi_def_keeps_curves(const tp_world_def *def)
{
    return TPI_HAS_AGES && def->keeps_curves;
}
/* The factor of a field over age; null: it has none. */
TPI_INLINE const tp_curve *tpi_field_curve(const tp_world *world, const tpi_field_item *item)
{
    return tpi_def_keeps_curves(&world->def) && item->curve.count ? &item->curve : NULL;
}
TPI_INLINE tpi_collider_item *tpi_collider_at(const tp_world *world, uint32_t slot)
{
    return (tpi_collider_item *)tpi_at(world, world->colliders.items) + slot;
}
/* Those of these TPI_LEAP_... bits that are set. */
TPI_INLINE uint32_t tpi_leaps(const tpi_collider_item *item, uint32_t bits)
{
    return TPI_HAS_CHANGES ? item->leaps & bits : 0u;
}
TPI_INLINE tpi_link_item *tpi_link_at(const tp_world *world, uint32_t slot)
{
    return (tpi_link_item *)tpi_at(world, world->links.items) + slot;
}
TPI_INLINE tpi_body_item *tpi_body_at(const tp_world *world, uint32_t slot)
{
    return (tpi_body_item *)tpi_at(world, world->bodies.items) + slot;
}
#define TPI_LINK_GONE 2u /* even: not the mark of any step */
/* The mark that a step writes into links it drops; always odd. A link is gone when the step that
   dropped it is complete, and the next step frees its slot. So no mark is left when the same value
   comes again after 2^31 steps. */
TPI_INLINE uint32_t tpi_link_mark(const tp_world *world)
{
    return (uint32_t)world->report.steps << 1 | 1u;
}
TPI_INLINE bool tpi_link_is_gone(const tp_world *world, const tpi_link_item *link)
{
    return link->dropped != 0 && link->dropped != tpi_link_mark(world);
}
/* The number of neighbours of each particle. */
TPI_INLINE uint32_t *tpi_neighbour_counts(const tp_world *world)
{
    uint32_t offset = world->arrays.neighbours;
    return tpi_words(world, offset ? offset : world->arrays.next_birth);
}
#define TPI_ORDER_INDEX(word)   ((word)&0xffffffu)
#define TPI_ORDER_SPECIES(word) (((word) >> 24) & 7u)
#define TPI_ORDER_CONTACT       0x80000000u
#define TPI_ORDER_DEAD          0x40000000u
#define TPI_ORDER_WAITS         0x20000000u /* for its path, in COLLIDE: see step/collide.c */
#define TPI_ORDER_BEGUN         0x10000000u /* its contacts of this step are written: event.h */
#define TPI_ORDER_KILLED        0x08000000u /* by a collider: its death is an event */
#define TPI_META_BEGUN          0x02000000u /* a contact that it is in was an event */
#define TPI_META_GONE           0x04000000u /* the collider of such a contact was removed */
#define TPI_META_CONTACTS       (TP_META_CONTACT | TPI_META_BEGUN | TPI_META_GONE)
/* Ids left for births after the last complete step. */
TPI_INLINE uint32_t tpi_ids_left(const tp_world *world)
{
    return TP_ID_LAST + 1u - world->clock.next_id;
}
/* Ticks since the world began, at the start of the current step. */
TPI_INLINE uint64_t tpi_now(const tp_world *world)
{
    return world->clock.frame * TP_TICKS_PER_FRAME + world->clock.tick;
}

/* s: the time for which the grid lets particles move before the solver meets them. */
TPI_INLINE float tpi_drift(const tp_world *world)
{
    return world->constants.is_still ? 0.0f : world->step.timestep;
}

/* Pools of items. */
#define TPI_POOLS (TP_POOL_BODIES - TP_POOL_EMITTERS + 1u)

/* All that the layout of a block determines; copied into the world when it is created. */
typedef struct tpi_world_plan {
    tpi_arrays arrays; /* for a world whose front set is 0; see tpi_arrays_exchange */
    tpi_grid grid;
    tpi_pool pools[TPI_POOLS]; /* emitters, sinks, fields, colliders, links, bodies */
    uint32_t geometry, recycle_histogram, loads, changed, carried, events, feeds, link_sums;
    uint32_t pairs; /* capacity of the pair pool */
} tpi_world_plan;

/* Exchanges the arrays that change roles when front and back are exchanged. */
TPI_INLINE void tpi_arrays_exchange(tpi_arrays *arrays, bool keeps_births)
{
    uint32_t id = arrays->id, meta = arrays->meta, birth = arrays->birth;
    arrays->id = arrays->order;
    arrays->order = id;
    arrays->meta = arrays->next_meta;
    arrays->next_meta = meta;
    if (!keeps_births) return;
    arrays->birth = arrays->next_birth;
    arrays->next_birth = birth;
}

/* ---- functions of world/ (world.c, item.c, check.c, report.c, hash.c) ---- */
#define TPI_STAMP_WORLD    (0x54500000u + (uint32_t)sizeof(tp_world_def))
#define TPI_STAMP_EMITTER  (0x54510000u + (uint32_t)sizeof(tp_emitter_def))
#define TPI_STAMP_SINK     (0x54520000u + (uint32_t)sizeof(tp_sink_def))
#define TPI_STAMP_FIELD    (0x54530000u + (uint32_t)sizeof(tp_field_def))
#define TPI_STAMP_COLLIDER (0x54540000u + (uint32_t)sizeof(tp_collider_def))
#define TPI_STAMP_LINK     (0x54560000u + (uint32_t)sizeof(tp_link_def))
#define TPI_STAMP_BODY     (0x54570000u + (uint32_t)sizeof(tp_body_def))
#define TPI_STAMP_TABLE    (0x54550000u + (uint32_t)sizeof(tp_pair_table))

/* Writes the report into the caller's structure; 0.5 KB is too much to return by value on a small
   stack. */
TPI_FUNC void tpi_report_write(const tp_world *world, tp_report *report);
/* The first fault of a definition's fields, regardless of the total size, or null. O(fields) */
TPI_FUNC const char *tpi_world_check_fields(const tp_world_def *def);
/* Bytes of the block, for a definition whose fields are valid. No block larger than TPI_LAYOUT_MAX
   can be created. O(1) */
TPI_FUNC uint64_t tpi_world_bytes(const tp_world_def *def);
/* Fills in the layout of the block and returns its bytes. O(1) */
TPI_FUNC uint64_t tpi_world_plan_of(const tp_world_def *def, tpi_world_plan *plan);
/* Clears padding and makes each bool 0 or 1: the bytes of a definition from outside may be neither,
   and some bools select loops. */
TPI_FUNC void tpi_world_settle(tp_world_def *def);
/* Computes all constants from the definition; fields and pair tables add theirs. O(species^2) */
TPI_FUNC void tpi_world_derive(tp_world *world);
/* Returns TP_ERROR_NULL, TP_ERROR_BLOCK or TP_OK. */
TPI_FUNC tp_result tpi_world_check_block(const tp_world *world);
/* The periodic box of a definition, with cells for pairs within `radius`. O(1) */
TPI_FUNC tpi_box tpi_box_of(const tp_world_def *def, float radius);
/* Null if the periodic axes of a definition are good, else a sentence. `least`: the smallest size,
   m; `too_small` says so. O(1) */
TPI_FUNC const char *tpi_box_check(const tp_world_def *def, float least, const char *too_small);
/* Index of an id among ascending ids; `count` if it is none of them. O(log count) */
TPI_FUNC uint32_t tpi_id_search(const uint32_t *ids, uint32_t count, uint32_t id);
/* Sorts indices of particles by their ids. O(count * log count) */
TPI_FUNC void tpi_id_sort(uint32_t *indices, const uint32_t *ids, uint32_t count);
/* TP_ERROR_DEFINITION beyond the limits of a step, which kills such a particle. O(1) */
TPI_FUNC tp_result tpi_particle_check(tp_vector position, tp_vector velocity);
/* Writes a particle as a step would leave it: wrapped into the box, subnormals flushed. O(1) */
TPI_FUNC void tpi_particle_put(tp_world *world, uint32_t index, tp_vector position,
                               tp_vector velocity);
/* Cancels the step in progress, if any, and counts it. The front set is unchanged, so the step
   starts again. O(1) */
TPI_FUNC void tpi_step_cancel(tp_world *world);
/* The pool of a kind from TP_POOL_EMITTERS to TP_POOL_BODIES. O(1) */
TPI_FUNC tpi_pool *tpi_item_pool(const tp_world *world, tp_pool kind);
/* The first check of every ..._add: returns TP_OK, or TP_ERROR_NULL, TP_ERROR_BLOCK or
   TP_ERROR_STAMP. The first word of the definition is its stamp. Sets *handle to 0 if `handle` is
   not null. O(1) */
TPI_FUNC tp_result tpi_item_check(const tp_world *world, const void *definition, uint32_t stamp,
                                  uint32_t *handle);
/* Finds the slot of a live item; otherwise returns TP_ERROR_NULL, TP_ERROR_BLOCK or TP_ERROR_HANDLE
   and sets *slot to TPI_NO_SLOT. O(1) */
TPI_FUNC tp_result tpi_item_find(const tp_world *world, tp_pool kind, uint32_t handle,
                                 uint32_t *slot);
/* Removes a live item and cancels the step in progress. The caller frees the item's geometry.
   O(capacity) */
TPI_FUNC void tpi_item_remove(tp_world *world, tp_pool kind, uint32_t slot);
/* Allocates bytes from the geometry pool, aligned to 4; false (counted) if it is full. O(1) */
TPI_FUNC bool tpi_geometry_take(tp_world *world, uint32_t bytes, uint32_t *offset);
/* Frees a range of the geometry pool and closes the gap: the offsets of all items after it are
   moved. O(pool) */
TPI_FUNC void tpi_geometry_free(tp_world *world, uint32_t offset, uint32_t bytes);
/* The bools of a definition, without those of its species. */
#define TPI_DEF_BOOLS(def)                                                                     \
    &(def)->keeps_births, &(def)->keeps_words, &(def)->keeps_last_frame, &(def)->keeps_curves, \
        &(def)->measures_loads, &(def)->takes_changes, &(def)->sph.stores_neighbours,          \
        &(def)->sph.compat, &(def)->sph.allows_tension, &(def)->sph.springs_at_rest,           \
        &(def)->substeps.is_adaptive, &(def)->substeps.compat, &(def)->pair.stores_neighbours
/* Checks of a block from an untrusted source: its head, slots or particles. They return the
   expected condition that is violated, or null; *offset is the byte of the fault. They use only
   values that were already checked. O(particles + pools) */
TPI_FUNC bool tpi_audit_bools(const tp_world_def *def);
/* True if the block has the layout that follows from the definition. O(pools) */
TPI_FUNC bool tpi_world_has_layout(const tp_world *world, const tp_world_def *def);
TPI_FUNC const char *tpi_audit_head(const tp_world *world, uint64_t *offset);
TPI_FUNC const char *tpi_audit_slots(const tp_world *world, uint64_t *offset);
TPI_FUNC const char *tpi_audit_particles(const tp_world *world, uint64_t *offset);
/* The last positions of all particles, or of one, become their present ones. O(particles) */
TPI_FUNC void tpi_last_reset(const tp_world *world, uint32_t begin, uint32_t end);
/* ---- springs, in worlds that have them (spring.c) ---- */
/* One of the two particles of a pair keeps its spring: chosen so that each keeps about half of its
   own. The arguments are ids. */
TPI_INLINE bool tpi_spring_is_mine(uint32_t id, uint32_t partner)
{
    return (id < partner) == (((id ^ partner) & 1u) != 0);
}
/* Number of springs in a row. O(springs_max) */
TPI_INLINE uint32_t tpi_springs_in(const tpi_spring *row, uint32_t capacity)
{
    uint32_t count = 0;
    while (count < capacity && row[count].partner != TPI_SPRING_NONE) count++;
    return count;
}
TPI_INLINE void tpi_springs_end(tpi_spring *row, uint32_t count, uint32_t capacity)
{
    if (count < capacity) row[count] = (tpi_spring){TPI_SPRING_NONE, 0.0f};
}
/* Empties the rows of a range of particles. O(particles) */
TPI_FUNC void tpi_springs_clear(const tp_world *world, uint32_t set, uint32_t begin, uint32_t end);
/* While the back set is compacted: moves the rows of `count` particles; notes the death of one. */
TPI_FUNC void tpi_springs_move(const tp_world *world, uint32_t from, uint32_t to, uint32_t count);
TPI_FUNC void tpi_springs_lose(const tp_world *world, uint32_t from);
/* Removes particles of the front set: `moves` has the new index of each, or TPI_SPRING_NONE.
   Between steps only. O(springs) */
TPI_FUNC void tpi_springs_remove(tp_world *world, const uint32_t *moves, uint32_t count);
/* Then turns the partners in all rows into indices of the compacted set. O(springs) */
TPI_FUNC uint32_t tpi_springs_settle(tp_world *world, uint32_t units, bool *done);
/* True if the row of a particle of the front set is one that a complete step leaves. */
TPI_FUNC bool tpi_springs_audit(const tp_world *world, uint32_t index);
/* The particles with these ids in the order of the ids, in arrays.force[0]; between steps only.
   O(particles * log particles) */
TPI_FUNC const uint32_t *tpi_springs_sort(const tp_world *world, const uint32_t *ids,
                                          uint32_t particles);
/* Empties the rows of a set and prepares for tpi_spring_add: sorts the particles by id, in
   arrays.force[0]. O(particles * log particles) */
TPI_FUNC void tpi_springs_begin(const tp_world *world, uint32_t set, const uint32_t *ids,
                                uint32_t particles);
/* Adds a spring to the set, or replaces that of its pair. False: a particle does not exist, the
   length is out of range, or the row is full. O(log particles + springs_max) */
TPI_FUNC bool tpi_spring_add(const tp_world *world, uint32_t set, const uint32_t *ids,
                             uint32_t particles, const tp_spring *spring);
/* The springs of the front set, row by row; `write` is null to count them. O(springs) */
TPI_FUNC uint32_t tpi_springs_copy(const tp_world *world, tp_spring *springs, uint32_t capacity);
/* Sets z of a vector from the game to 0 in a two-dimensional world. */
TPI_INLINE tp_vector tpi_flat(const tp_world *world, tp_vector a)
{
    if (tpi_dimensions(world) == 2) a.z = 0.0f;
    return a;
}
TPI_INLINE tp_pose tpi_flat_pose(const tp_world *world, tp_pose pose)
{
    pose.position = tpi_flat(world, pose.position);
    return pose;
}
/* True if the rotation is a unit quaternion and the position is finite. */
TPI_FUNC bool tpi_pose_is_good(tp_pose pose);

#endif
