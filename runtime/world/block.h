/* SPDX-License-Identifier: MIT
   runtime/world/block.h - what lies in a world's block: plain data, offsets only. Every module works on this.
   reads   nothing      writes  nothing: declarations
   memory  see tpi_world_layout in world.c; the drawing below      cost  none
   after   two sets of particles: the front one is the last complete step, the back one is being computed; a step
           ends by exchanging them, so that a reader never sees half a step

   A step, and where its data lie (N particles, D dimensions, words of 4 bytes):

       front   x v (2D)   id meta [birth]          what the game sees
       move    force <- kicked v    key            in the order of the front set
       grid    start[] counts -> ends; order[]     canonical: by table entry, level, cell, id
       gather  back x v <- front x + v dt
       pairs   density, flow, counts, distances    integer sums: any order of pairs gives the same bits
               row[] pair[]                        neighbour lists, only where neighbours are stored
       force   force (integer impulses)            antisymmetric to the last bit
       links   link force (integers)               before move, of the front set, and behind force, of the back one
       collide back x v <- final                   swept from front x
       emit    births behind the survivors          their meta, birth, id already where commit puts the others'
       commit  meta, birth -> next meta, next birth; order -> id; then front <-> back */
#ifndef TPI_BLOCK_H
#define TPI_BLOCK_H
#include "../memory/memory.h"
#include "../base/lanes.h"

#define TPI_COOKIE_WORLD 0x54505731u                             /* "TPW1" */
#define TPI_LAYOUT_STAMP ((uint32_t)sizeof(tp_world) + TPI_WIDE) /* of this version's structures */
/* A particle beyond either limit, along any axis, is killed like one that is not a number. With
   them every square and product of a step stays below 1e28, far from overflow: a frame is at
   most 10 s long. */
#define TPI_POSITION_MAX 1e9f /* m */
#define TPI_SPEED_MAX    1e9f /* m/s */
/* places behind an array's end that a vector may read, without using them */
#define TPI_LANES_MAX 16u
/* cells are 1/128 wider than the radius: see tpi_cell_coordinate */
#define TPI_CELL_MARGIN 1.0078125f
/* cells from the origin; everything beyond shares the rim cell */
#define TPI_CELL_LIMIT 65535

/* ---- pool items ---- */
typedef struct tpi_mesh {
    uint32_t vertices, vertex_count; /* offsets into the geometry pool, in bytes */
    uint32_t indices, triangle_count;
    /* emitter: prefix sums of area; collider: the tree over the triangles */
    uint32_t extra, extra_count;
} tpi_mesh;

typedef struct tpi_emitter_item {
    tp_emitter_def def; /* its pointers are null; the mesh is in the pool */
    tpi_mesh mesh;
    tp_pose pose_from, pose_to; /* at the start and end of the current frame */
    tp_pose pose_next;          /* target latched when the next frame starts */
    /* pose_from of the frame before: the hash shows it until the first step is complete */
    tp_pose pose_past;
    uint32_t handle;
    /* births owed times rate_scale; always below it between steps */
    uint64_t owed;
    uint64_t rate_per_tick, rate_scale; /* births a tick = rate_per_tick / rate_scale */
    uint64_t born, refused;
    uint32_t burst_done; /* births of the burst so far, refused ones included */
    uint32_t first_id;   /* the next particle's id when the emitter was added */
    /* of the step in progress; only its commit adds them to the others */
    uint32_t step_births, step_refused;
} tpi_emitter_item;

typedef struct tpi_sink_item {
    tp_sink_def def; /* 2D: center.z is 0 and half.z positive */
} tpi_sink_item;

typedef struct tpi_field_item {
    tp_field_def def;  /* 2D: center.z and vector.z are 0, but a vortex's axis is 0 0 1 */
    tp_field_def next; /* set during a step, in force from the next one on */
    bool has_next;
    uint64_t noise_key; /* wind: which noise */
} tpi_field_item;

typedef struct tpi_collider_item {
    tp_collider_def def; /* its pointers are null */
    /* one range of the geometry pool, from `vertices` on */
    tpi_mesh mesh;
    /* heightfield, grid: offset into the geometry pool */
    uint32_t samples, sample_count;
    tp_pose pose_from, pose_to, pose_next, pose_past; /* as an emitter's */
    tp_vector bounds_low, bounds_high;                /* local, without the particle's radius */
    /* the same in the world, during the whole frame */
    tp_vector reach_low, reach_high;
    tp_vector normal; /* plane that does not move: in the world */
    float offset;     /* m: normal . position */
    /* m: largest coordinate that takes part, for the rounding that the skin covers */
    float scale;
    float lipschitz;            /* grid: largest gradient of the interpolant, >= 1 */
    bool is_moving, is_turning; /* during this frame */
} tpi_collider_item;

typedef struct tpi_link_item {
    uint32_t first, second; /* ids */
    float rest_length, stiffness, damping, break_length;
    /* which step found an end dead or the link broken (tpi_link_mark); 0: it holds */
    uint32_t dropped;
    /* [set][end]: where its ends are; of the front set only while links_placed */
    uint32_t place[2][2];
} tpi_link_item;

/* ---- clocks ---- */
typedef struct tpi_clock {
    uint64_t frame;         /* simulated frames completed */
    uint32_t tick;          /* of the current frame, 0 .. TP_TICKS_PER_FRAME - 1 */
    uint32_t step_of_frame; /* steps done in the current frame */
    float step_fraction;    /* adaptive: stored fraction of a frame (solve/substep.c) */
    uint32_t next_id;       /* of the next particle */
    bool was_capped;        /* adaptive: the cap held the step in this frame */
    bool frame_begun;       /* poses of this frame are latched */
} tpi_clock;

/* ---- constants derived from the definition once ---- */
/* The box that positions are wrapped into, axis by axis. */
typedef struct tpi_box {
    float low[3], high[3], size[3], half[3]; /* m */
    float cell_inverse[3];                   /* cells per m */
    uint32_t cells[3];                       /* along each axis, at least 3; 0: the axis is open */
    bool is_periodic;                        /* any axis */
} tpi_box;

/* Cells of several sizes, so that a few large spheres crowd no cell of small ones: level 0 has
   the finest cells, which every position is in; those of another level are made of so many of
   them along each axis. */
#define TPI_LEVELS_MAX 4u
typedef struct tpi_levels {
    uint32_t count; /* 1: all species share cells */
    uint32_t of_species[TP_SPECIES_MAX];
    uint32_t width[TPI_LEVELS_MAX][3]; /* finest cells of a cell along each axis */
    /* along each axis of a box, at least 3, the last may be wider; 0: it is open */
    uint32_t cells[TPI_LEVELS_MAX][3];
    /* of pairs of one level with another */
    /* finest cells between them along an axis, at most */
    uint32_t apart[TPI_LEVELS_MAX][TPI_LEVELS_MAX];
    float list_squared[TPI_LEVELS_MAX][TPI_LEVELS_MAX];  /* m^2: reach of lists */
    float reach_squared[TPI_LEVELS_MAX][TPI_LEVELS_MAX]; /* m^2: largest cutoff */
} tpi_levels;

/* What a solver stores of neighbours; all 0: it has none. */
typedef struct tpi_neighbour_needs {
    uint32_t neighbours_max; /* the nearest so many count */
    uint32_t cell_max;       /* candidates of a cell */
    uint32_t list_room;      /* words a particle in lists; 0: there are no lists */
    bool keeps_lists;        /* for more than a step */
    bool both_ends;          /* lists hold a pair at both of its particles */
} tpi_neighbour_needs;

typedef struct tpi_constants {
    tpi_box box;
    tpi_levels levels;
    /* as tpi_neighbour_needs has them, and the next two */
    uint32_t neighbours_max, cell_max, list_room;
    bool keeps_lists, both_ends;
    bool is_idle; /* no two particles act on each other: lists need no keeping */
    float stray_low[3],
        /* between them, in cells, a kept list's particles stay in their finest cells */
        stray_high[3];
    float seconds_per_tick;
    uint64_t frames_per_second_scaled;
    float smoothing_radius, radius_squared; /* m, m^2: of the solver's support; of lists */
    float cell_inverse;                     /* cells per m, along open axes */
    float gravity_length;                   /* m/s^2, of all gravity fields, for rest speeds */
} tpi_constants;

/* ---- what a step remembers between slices ---- */
typedef struct tpi_cursor {
    uint32_t i, j, k; /* meaning by stage: particle, run, place in the run */
    uint32_t end;
    uint32_t row;   /* of cells */
    uint32_t phase; /* sub-pass of the stage */
} tpi_cursor;

/* A path's segment as one collider sees it, in the collider's frame, and the earliest hit so far
   (move/). */
typedef struct tpi_cast {
    tp_vector from, move;             /* m */
    float contact, clearance, inside; /* m: distances of the centre, see collide.h */
    /* no time passes: what begins inside something may only leave it */
    bool is_jump;
    bool began_inside; /* the hit: the centre began inside and is pushed out */
    bool is_pause;     /* the hit: no contact, but the end of what was traced */
    float time;        /* of the hit, 0..1 of the segment; 2: none */
    /* of the hit, local; the push takes the centre to `clearance` */
    tp_vector normal, push;
    uint32_t collider, hit_collider;
    uint32_t part, subpart, place, place_end; /* where a walk over parts goes on */
    float traced;                             /* of the segment, by a distance grid */
} tpi_cast;

/* A sphere on its way through the colliders (move/collide.c). */
typedef struct tpi_path {
    tp_vector from, to;         /* m: remaining segment; in the end `to` is where the sphere is */
    tp_vector velocity;         /* m/s: of the whole step, as the integrator means it */
    tp_vector drift;            /* m/s: along the remaining segment */
    float radius;               /* m */
    float skin;                 /* m */
    float begin;                /* of the remaining segment, as a fraction of the path's interval */
    float step_begin, step_end; /* of the frame: the path's interval, for moving colliders */
    float timestep;             /* s, of the path's interval; 0 for a birth at the end of a step */
    /* of the frame: where the world's step begins; a birth's path begins later */
    float whole_begin;
    float whole_timestep; /* s, of the world's step */
    uint32_t species;
    uint32_t hits;
    uint32_t phase;                    /* see collide.c */
    uint32_t skip;                     /* a jump: the collider that it clears */
    uint32_t field;                    /* where the sum of gravity goes on */
    tp_vector gravity;                 /* m/s^2, summed when first needed */
    tp_vector low, high;               /* m: box around the swept sphere */
    tp_vector last_normal, last_point; /* the contact before, for creases: local, in the world */
    uint32_t last_collider;
    float last_moment; /* fraction of the step */
    tpi_cast cast;
    bool touched, killed;
    bool is_evading; /* the cap is reached: only what moves into the sphere still moves it */
    bool last_rested, has_gravity;
} tpi_path;

/* Particles that a sweep has left to be gone on with: from i, of which j and k are as in the
   cursor, to end - 1. */
typedef struct tpi_stretch {
    uint32_t i, end, j, k; /* all 0: none */
} tpi_stretch;
#define TPI_STRETCHES_MAX 16u /* 256 bytes, no more than a path */

typedef struct tpi_step {
    bool active;
    uint32_t stage; /* tp_stage */
    uint32_t ticks;
    float timestep; /* s */
    /* m^2: of the pairs of levels that the stage wants */
    float radius_squared[TPI_LEVELS_MAX][TPI_LEVELS_MAX];
    uint32_t front_count;    /* particles at the start */
    uint32_t count;          /* of the back set: survivors, then births */
    uint32_t survivor_count; /* once births begin */
    uint32_t birth_count;    /* births of this step so far */
    tpi_cursor cursor;
    /* of work that is done and not charged: the next slices are, before they do any */
    uint32_t half_units_ahead;
    bool is_paying; /* the stage has nothing left to do but that */
    union {
        tpi_path path;
        /* of a sweep that a team shares; no particle is on a path then */
        tpi_stretch stretches[TPI_STRETCHES_MAX];
    };
    bool by_clusters;  /* pairs are met cluster by cluster: grid/cluster.h */
    bool is_priming;   /* no time passes: only the forces of the front set are computed */
    bool forces_stale; /* a place changed after its forces were computed */
    bool ids_ascend;   /* with places of the front set */
    bool list_broken;  /* a particle moved too far, or died, for the kept list */
    /* a cell has more than cell_max, or may have while a list is kept */
    bool may_crowd;
    bool list_overflowed; /* the list has not room for all pairs */
    bool list_built;      /* in this step */
    /* the neighbour cap is hit: the pair pass runs again with the nearest only */
    bool capped;
    uint32_t recycle_threshold; /* ids up to this die to make room */
    uint32_t recycle_count;
    uint32_t emitter;                 /* cursor of the emit stage */
    uint32_t birth_meta, birth_ticks; /* of the birth on its way */
    bool path_begun;
    bool recycles;
    bool has_links;    /* any, when the step began */
    bool closes_links; /* their second half, behind the forces of pairs */
    bool has_damping;  /* any link */
    /* places by id: 0 as they are stored, 1 and 2 in the next positions x and y */
    uint32_t link_order;
    uint32_t courant_bits; /* largest so far: bits of a non-negative float order like integers */
    uint32_t neighbours_largest;
    uint64_t pairs;
    uint64_t contacts;
    uint32_t pair_count;  /* of the half list */
    uint64_t crowded;     /* particles left out of pairs by cell_max, of the pass */
    uint64_t pairs_found; /* of the first pass; kept by the second */
    uint64_t ends_cut;    /* ends of pairs that the cap has dropped so far */
    uint64_t overlaps;    /* pairs of hard spheres to be parted, found by this round */
    uint64_t impulse_sum; /* of impulses times distances, in virial units */
    /* counters of this step, added to the report when it commits (a cancelled step counts
       nothing) */
    uint32_t died, killed, recycled, births_refused;
    uint64_t neighbours_dropped, cells_crowded, displacements_clamped, speeds_clamped,
        contacts_capped, pushed_out, overlaps_guarded, collisions, overlaps_left, links_dropped,
        links_broken, links_guarded, links_cut;
} tpi_step;

#define TPI_OWN_MAX 12u
/* Arrays by role: byte offsets into the block; roles exchange their arrays at a commit. */
typedef struct tpi_arrays {
    uint32_t x[2][3], v[2][3]; /* [front or back][axis], float */
    uint32_t id, meta, birth;  /* of the front set, u32; birth 0 when not kept */
    /* back place -> front place (24 bits), species (3), TPI_ORDER_*; becomes id; a birth's is
       its id */
    uint32_t order;
    /* i32: forces or impulses; see the arrays that share memory below */
    uint32_t force[3];
    uint32_t next_meta, next_birth; /* of the back set, from commit on */
    uint32_t neighbours;            /* u32: count of neighbours */
    uint32_t cut_distance, cut_id;  /* float, u32: farthest neighbour kept, where the cap is hit */
    uint32_t start;                 /* u32, table entries + 1 */
    uint32_t owner;                 /* u32 pairs, one a block bucket: packed block coordinates */
    uint32_t row, pair;             /* u32: neighbour lists, see grid/sweep.h */
    uint32_t listed[3];             /* float: where particles were when the list was built */
    uint32_t solver;                /* the solver's constants */
    /* arrays that only the solver knows, numbered in its folder; 0: none */
    uint32_t own[TPI_OWN_MAX];
    /* (float, u32) x neighbours_max: heap of the nearest of one particle */
    uint32_t nearest;
} tpi_arrays;

/* The table of cells (grid/). A box small enough is one block, in a table of one bucket: every
   cell has its entry. */
typedef struct tpi_grid {
    uint32_t bucket_count; /* prime number of blocks' buckets, or 1 */
    uint32_t bucket_magic; /* floor(2^32 / bucket_count) of a prime */
    uint32_t entry_count;
    /* an entry's bucket: log2 of the cells of a block; 31 where there is one bucket */
    uint32_t cells_shift;
    /* a cell's block: log2 of its cells along each axis, 8 x 2 in 2D and 8 x 4 x 2 in 3D; or 16 */
    uint32_t shift[3];
    uint32_t stride[3]; /* entries from a cell to the next along each axis, inside a block */
    /* where there is one bucket: the first entry of each level; else 0 */
    uint32_t level_entry[TPI_LEVELS_MAX];
} tpi_grid;

struct tp_world {
    uint32_t cookie;
    uint32_t layout_stamp; /* of this version's structures */
    uint64_t bytes;
    tp_world_def def;
    tpi_constants constants;
    tpi_arrays arrays;
    tpi_grid grid;
    uint32_t front; /* which of the two sets is the front: 0 or 1 */
    uint32_t count; /* particles of the front set */
    uint32_t count_peak;
    uint64_t births_refused;
    tpi_pool emitters, sinks, fields, colliders, links;
    uint32_t geometry, geometry_used, geometry_peak;
    uint64_t geometry_refused;
    uint32_t recycle_histogram; /* 256 u32, only with TP_POOL_RECYCLE */
    tpi_clock clock;
    tpi_step step;
    uint32_t slice_microseconds_worst; /* measured, fading */
    /* calls of tp_frame_worlds in a row that had no slice for this world, which owed time */
    uint32_t calls_waited;
    bool forces_fresh;        /* arrays.force holds the integer forces of the front set */
    bool list_valid;          /* rows and pairs hold the list of the front set */
    bool links_placed;        /* links know the places of their ends in the front set */
    uint64_t target_frame;    /* simulated frames the game has asked for and not dropped */
    uint64_t step_units;      /* of the step so far */
    uint64_t step_units_last; /* of the last complete step */
    /* hard spheres: of impulses times distances since the last measurement, virial units */
    uint64_t impulse_sum;
    uint64_t impulse_ticks; /* since then */
    tp_report report;
    tp_pool_report pairs_pool;
};

/* ---- what a build may leave out (base/features.h): then the answer is known, and the code
   behind it goes ---- */
TPI_INLINE uint32_t tpi_def_dimensions(const tp_world_def *def)
{
    return TPI_HAS_3D ? def->dimensions : 2u;
}
TPI_INLINE uint32_t tpi_dimensions(const tp_world *world)
{
    return tpi_def_dimensions(&world->def);
}
/* Slots of a pool that were ever used, and its items. */
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
TPI_POOL_OF(links, TPI_HAS_PAIR)
#undef TPI_POOL_OF

/* Vectors are wide. */
#define TPI_WIDE (TPI_LANES >= 8)

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
/* Arrays that share memory: each holds what its name says from the first to the last stage that stands there.
       next meta    keys (MOVE, GRID)             then the solver's (PAIRS to COLLIDE)      next meta (EMIT, COMMIT)
       next birth                                      the solver's (PAIRS to COLLIDE)      next birth (EMIT, COMMIT)
       force x y z  kicked velocities (MOVE, GRID)     the solver's sums (PAIRS to COLLIDE) */
TPI_INLINE uint32_t *tpi_keys(const tp_world *world)
{
    return tpi_words(world, world->arrays.next_meta);
}
TPI_INLINE float *tpi_kicked(const tp_world *world, uint32_t axis)
{
    return tpi_floats(world, world->arrays.force[axis]);
}
TPI_INLINE tpi_emitter_item *tpi_emitter_at(const tp_world *world, uint32_t slot)
{
    return (tpi_emitter_item *)tpi_at(world, world->emitters.items) + slot;
}
TPI_INLINE tpi_sink_item *tpi_sink_at(const tp_world *world, uint32_t slot)
{
    return (tpi_sink_item *)tpi_at(world, world->sinks.items) + slot;
}
TPI_INLINE tpi_field_item *tpi_field_at(const tp_world *world, uint32_t slot)
{
    return (tpi_field_item *)tpi_at(world, world->fields.items) + slot;
}
TPI_INLINE tpi_collider_item *tpi_collider_at(const tp_world *world, uint32_t slot)
{
    return (tpi_collider_item *)tpi_at(world, world->colliders.items) + slot;
}
TPI_INLINE tpi_link_item *tpi_link_at(const tp_world *world, uint32_t slot)
{
    return (tpi_link_item *)tpi_at(world, world->links.items) + slot;
}
#define TPI_LINK_GONE 2u /* no step's mark */
/* What a step writes into the links that it drops; odd. A link is gone when the step that
   dropped it is complete, and the next step frees its slot: no mark is there still when, 2^31
   steps later, it comes again. */
TPI_INLINE uint32_t tpi_link_mark(const tp_world *world)
{
    return (uint32_t)world->report.steps << 1 | 1u;
}
TPI_INLINE bool tpi_link_is_gone(const tp_world *world, const tpi_link_item *link)
{
    return link->dropped != 0 && link->dropped != tpi_link_mark(world);
}
/* The bytes of an item of any of the pools. */
TPI_INLINE void *tpi_item_at(const tp_world *world, const tpi_pool *pool, uint32_t slot)
{
    return (char *)tpi_at(world, pool->items) + (size_t)slot * pool->item_bytes;
}
#define TPI_ORDER_PLACE(word)   ((word)&0xffffffu)
#define TPI_ORDER_SPECIES(word) (((word) >> 24) & 7u)
#define TPI_ORDER_CONTACT       0x80000000u
#define TPI_ORDER_DEAD          0x40000000u
/* Ids that are left for births after the last complete step. */
TPI_INLINE uint32_t tpi_ids_left(const tp_world *world)
{
    return TP_ID_LAST + 1u - world->clock.next_id;
}
/* Ticks since the world began, at the start of the current step. */
TPI_INLINE uint64_t tpi_now(const tp_world *world)
{
    return world->clock.frame * TP_TICKS_PER_FRAME + world->clock.tick;
}

/* Everything that the layout of a block decides; copied into the world when it is created. */
typedef struct tpi_world_plan {
    tpi_arrays arrays; /* of a world whose front set is 0; see tpi_arrays_exchange */
    tpi_grid grid;
    tpi_pool pools[5]; /* emitters, sinks, fields, colliders, links */
    uint32_t geometry, recycle_histogram;
    uint32_t pairs; /* room in the list */
} tpi_world_plan;

/* The arrays that change roles with the front set. */
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

/* ---- the world's own services (world.c, item.c, check.c, report.c, hash.c) ---- */
#define TPI_STAMP_WORLD    (0x54500000u + (uint32_t)sizeof(tp_world_def))
#define TPI_STAMP_EMITTER  (0x54510000u + (uint32_t)sizeof(tp_emitter_def))
#define TPI_STAMP_SINK     (0x54520000u + (uint32_t)sizeof(tp_sink_def))
#define TPI_STAMP_FIELD    (0x54530000u + (uint32_t)sizeof(tp_field_def))
#define TPI_STAMP_COLLIDER (0x54540000u + (uint32_t)sizeof(tp_collider_def))
#define TPI_STAMP_LINK     (0x54560000u + (uint32_t)sizeof(tp_link_def))
#define TPI_STAMP_TABLE    (0x54550000u + (uint32_t)sizeof(tp_pair_table))

/* The whole report, into the caller's; 0.5 KB, too much to pass by value on a small stack. */
TPI_FUNC void tpi_report_write(const tp_world *world, tp_report *report);
/* What is wrong with a definition whatever it adds up to, or null. O(fields) */
TPI_FUNC const char *tpi_world_check_fields(const tp_world_def *def);
/* Bytes of the block of a definition whose fields are good; above TPI_LAYOUT_MAX there can be
   none. O(1) */
TPI_FUNC uint64_t tpi_world_bytes(const tp_world_def *def);
/* The layout of its block, and the block's bytes. O(1) */
TPI_FUNC uint64_t tpi_world_plan_of(const tp_world_def *def, tpi_world_plan *plan);
/* All constants, from the definition; fields and tables add theirs. O(species^2) */
TPI_FUNC void tpi_world_derive(tp_world *world);
/* NULL, BLOCK or OK. */
TPI_FUNC tp_result tpi_world_check_block(const tp_world *world);
/* The box of a definition, with cells for pairs within `radius`. O(1) */
TPI_FUNC tpi_box tpi_box_of(const tp_world_def *def, float radius);
/* Throws away the step in progress, if there is one; counted. The front set is untouched, so the
   step starts again. O(1) */
TPI_FUNC void tpi_step_cancel(tp_world *world);
/* The pool of a kind from TP_POOL_EMITTERS to TP_POOL_LINKS. O(1) */
TPI_FUNC tpi_pool *tpi_item_pool(const tp_world *world, tp_pool kind);
/* What every ..._add asks first: NULL, BLOCK or STAMP otherwise. The first word of the
   definition is its stamp; *handle, null where the caller's is, becomes 0. O(1) */
TPI_FUNC tp_result tpi_item_check(const tp_world *world, const void *definition, uint32_t stamp,
                                  uint32_t *handle);
/* The slot of a live item; otherwise NULL, BLOCK or HANDLE, and TPI_NO_SLOT. O(1) */
TPI_FUNC tp_result tpi_item_find(const tp_world *world, tp_pool kind, uint32_t handle,
                                 uint32_t *slot);
/* Takes out a live item and cancels the step in progress; its geometry is the caller's to free.
   O(capacity) */
TPI_FUNC void tpi_item_remove(tp_world *world, tp_pool kind, uint32_t slot);
/* Bytes from the geometry pool, aligned to 4; false (counted) when it is full. O(1) */
TPI_FUNC bool tpi_geometry_take(tp_world *world, uint32_t bytes, uint32_t *offset);
/* Gives back a range of the pool and closes the gap: every item whose range lies behind it
   moves. O(pool) */
TPI_FUNC void tpi_geometry_free(tp_world *world, uint32_t offset, uint32_t bytes);
/* What of a foreign block's head, slots or particles cannot be, or null; *offset is its byte.
   Trusts only what it has looked at. O(particles + pools) */
TPI_FUNC const char *tpi_audit_head(const tp_world *world, uint64_t *offset);
TPI_FUNC const char *tpi_audit_slots(const tp_world *world, uint64_t *offset);
TPI_FUNC const char *tpi_audit_particles(const tp_world *world, uint64_t *offset);
/* What a call takes from the game: in two dimensions without z, whatever that is. */
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
/* A pose whose rotation is a unit quaternion and whose numbers are finite. */
TPI_FUNC bool tpi_pose_is_good(tp_pose pose);

#endif
