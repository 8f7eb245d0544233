/* SPDX-License-Identifier: MIT
   runtime/world/items.h - items of the pools in a block: emitters, sinks, fields, colliders, links,
           bodies; springs.
   reads   nothing      writes  nothing: declarations
   memory  an item per slot      cost    none
   after   own design: the definition as it was given, and what follows from it */
#ifndef TPI_ITEMS_H
#define TPI_ITEMS_H
#include "../memory/memory.h"
#include "../base/lanes.h"

typedef struct tpi_mesh {
    uint32_t vertices, vertex_count; /* offsets into the geometry pool, in bytes */
    uint32_t indices, triangle_count;
    /* emitter: prefix sums of triangle areas; collider: bounding-volume tree over the triangles */
    uint32_t extra, extra_count;
} tpi_mesh;

/* The first fields of tp_emitter_def: the mesh is in the geometry pool. */
typedef struct tpi_emitter_settings {
    uint32_t stamp;
    tp_emitter_shape shape;
    tp_pose pose;
    tp_vector size;
    uint32_t species, rate_numerator, rate_denominator, burst_count;
    float lattice_spacing;
    uint32_t start_frame, stop_frame, total_max;
    tp_vector velocity;
    float velocity_jitter, position_jitter, inherit;
    uint32_t lifetime_ticks;
    float lifetime_jitter, temperature;
    uint32_t word;
    float strength;
} tpi_emitter_settings;
_Static_assert(sizeof(tpi_emitter_settings) == offsetof(tp_emitter_def, feed_kinds),
               "the first fields of tp_emitter_def");

/* Those fields of it that worlds with feeds_max have. */
typedef struct tpi_feed_settings {
    uint32_t feed_kinds, feed_species, feed_deaths;
    float feed_speed;
    uint32_t feed_ticks, feed_births, feed_births_max;
    float feed_distance;
} tpi_feed_settings;
_Static_assert(offsetof(tp_emitter_def, feed_kinds) + offsetof(tpi_feed_settings, feed_distance) ==
                   offsetof(tp_emitter_def, feed_distance),
               "the fields from feed_kinds to feed_distance");

/* Lifetimes of an emitter that was removed, and whose slot another one has taken. */
typedef struct tpi_emitter_before {
    uint64_t end;              /* tick at which the last one ends */
    uint32_t first_id, end_id; /* its particles: first_id .. end_id - 1 */
    uint32_t lifetime_ticks;   /* 0: there are none */
    float lifetime_jitter;
    uint32_t handle, unused;
} tpi_emitter_before;

typedef struct tpi_emitter_item {
    tpi_emitter_settings def;
    tpi_mesh mesh;
    tp_pose pose_from, pose_to; /* at the start and end of the current frame */
    tp_pose pose_next;          /* target pose, copied to pose_to when the next frame starts */
    /* pose_from of the previous frame; the state hash uses it until the first step of a frame is
       complete */
    tp_pose pose_past;
    uint32_t handle;
    /* births owed, times rate_scale; below rate_scale between steps */
    uint64_t owed;
    uint64_t rate_per_tick, rate_scale; /* births per tick = rate_per_tick / rate_scale */
    uint64_t born, refused; /* of a removed one `born` is when its last particle dies: emit.h */
    uint32_t burst_done;    /* births of the burst so far, including refused ones */
    uint32_t first_id;      /* clock.next_id when the emitter was added */
    /* counters of the step in progress; its commit adds them to the totals */
    uint32_t step_births, step_refused;
    tpi_emitter_before before;
    tpi_feed_settings feed; /* only in worlds with feeds_max: see world_item_bytes */
} tpi_emitter_item;
_Static_assert(offsetof(tpi_emitter_item, feed) % 8u == 0, "items without feed are aligned to 8");

typedef struct tpi_sink_item {
    tp_sink_def def; /* 2D: center.z is 0 and half.z positive */
} tpi_sink_item;

/* The fields of tp_field_def before its curve. */
typedef struct tpi_field_settings {
    uint32_t stamp;
    tp_field_kind kind;
    uint32_t species_mask;
    tp_vector vector, center;
    float linear, quadratic, strength, core, axial, inflow;
    bool is_rankine;
} tpi_field_settings;
_Static_assert(sizeof(tpi_field_settings) == offsetof(tp_field_def, over_age),
               "the fields of tp_field_def before over_age");

typedef struct tpi_field_item {
    /* 2D: center.z and vector.z are 0, except that the axis of a vortex is 0 0 1 */
    tpi_field_settings def;
    tpi_field_settings next; /* set during a step, used from the next step on */
    uint64_t noise_key;      /* wind: selects the noise pattern */
    bool has_next;
    /* of both; only in worlds with keeps_curves: see world_item_bytes */
    tp_curve curve, next_curve;
} tpi_field_item;

typedef struct tpi_collider_item {
    tp_collider_def def; /* pointers are null */
    /* vertices, indices and tree share one range of the geometry pool that begins at `vertices` */
    tpi_mesh mesh;
    /* heightfield, grid: offset into the geometry pool */
    uint32_t samples, sample_count;
    uint32_t room_entries; /* of the lists of all sectors of its rooms: move/room.h */
    tp_pose pose_from, pose_to, pose_next, pose_past; /* as in tpi_emitter_item */
    /* local frame, without the particle's radius */
    tp_vector bounds_low, bounds_high;
    /* bounds in world coordinates over the whole frame */
    tp_vector swept_low, swept_high;
    union {
        /* plane at rest: normal in world coordinates; m: dot product of normal and position */
        struct {
            tp_vector normal;
            float offset;
        };
        /* of a body's: fractions of the frame */
        struct {
            float span_begin, span_end;
        };
    };
    /* m: largest coordinate in the collision test; the skin must cover its rounding error */
    float scale;
    /* grid: largest gradient of the interpolated distance, at least 1 */
    float lipschitz;
    bool is_moving, is_turning; /* during this frame */
    /* TPI_LEAP_... bits: it is at the end of a frame all the time */
    uint8_t leaps;
    /* 0, or slot + 1 of the body that it is the shape of: then pose_from and pose_to are those of
       the step in progress, which span_begin and span_end bound, and pose_past is where the last
       frame began */
    uint8_t body;
} tpi_collider_item;
/* The pose at a fraction of the frame; exact at both ends. O(1) */
TPI_FUNC tp_pose tpi_collider_pose(const tpi_collider_item *item, float moment);
#define TPI_LEAP_NEXT 1u /* the next frame */
#define TPI_LEAP_NOW  2u /* the frame in progress, or the last one */
/* for pictures only: the frame before that; the frame after which the world was restored */
#define TPI_LEAP_PAST  4u
#define TPI_LEAP_STILL 8u

typedef struct tpi_link_item {
    uint32_t first, second; /* particle ids; TP_ID_NONE: a pin, see tpi_link_place */
    float rest_length, stiffness, damping, break_length;
    /* mark of the step that found an end dead or broke the link (tpi_link_mark); 0: the link is
       intact */
    uint32_t dropped;
    /* [set][end]: particle index of each end; valid for the front set only while links_placed */
    uint32_t index[2][2];
} tpi_link_item;

/* Momentum, and angular momentum about a center of mass, in the quanta of loads (load.h): signed
   numbers, which wrap. */
typedef struct tpi_momentum {
    uint64_t linear[3], angular[3];
} tpi_momentum;

/* A point of a body near a surface; for the step in progress. */
typedef struct tpi_body_contact {
    tp_vector point, normal; /* m; out of the surface */
    float gap;               /* m */
    float speed;             /* m/s: at which the body came to the surface when it was looked at */
    float target;            /* m/s: the speed along the normal that is wanted */
    float bounce;            /* 0..1: restitution of a hit that has not bounced yet */
    float size, least;       /* N s: what it has given in this step, along the normal; kept of it */
    tp_vector slide, turn;   /* N s, N m s: by friction and by resistance to rolling */
    uint32_t collider;       /* slot */
    uint32_t feature;        /* which corner, edge or plane of which side: where it was found */
} tpi_body_contact;

/* What a contact gave in the last step, with which that of the same collider and feature begins. */
typedef struct tpi_body_held {
    uint32_t collider, feature; /* TPI_NO_SLOT: it was removed */
    float size;                 /* N, > 0; of a contact that is told 0 or more */
    tp_vector slide;            /* N */
} tpi_body_held;

#define TPI_BODY_CONTACTS 16u
#define TPI_BODY_TOLD     0x80000000u /* in a feature: that the contact has begun is an event */

typedef struct tpi_body_item {
    float mass;        /* kg */
    tp_vector inertia; /* kg m^2, > 0; 2D: x and y are 0 */
    tp_vector center;  /* m: center of mass in the frame of the collider */
    uint32_t collider; /* slot */
    tp_pose pose;      /* of the collider, at the last complete step */
    float reach;       /* m, derived: from the center to the farthest corner */
    float rolling;     /* 0..1: of a contact's lever */
    /* at the last complete step; impulses from the game, for the next step */
    tpi_momentum now, asked;
    uint32_t held_count; /* of the last complete step */
    tpi_body_held held[TPI_BODY_CONTACTS];
    tpi_momentum next, taken; /* of both, for the step in progress; 0 between steps */
    uint32_t contact_count;   /* 0 between steps */
    tpi_body_contact contacts[TPI_BODY_CONTACTS];
} tpi_body_item;

/* A spring of a viscoelastic fluid, in the row of the one of its two particles that keeps it. */
typedef struct tpi_spring {
    uint32_t partner;  /* index in the same set; TPI_SPRING_NONE ends a row that is not full */
    float rest_length; /* m, up to the support radius */
} tpi_spring;
#define TPI_SPRING_NONE 0xffffffffu

#endif
