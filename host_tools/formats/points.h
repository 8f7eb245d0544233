/* SPDX-License-Identifier: MIT
   host_tools/formats/points.h - one frame of points in memory, the same for every file format.
   reads   -                               writes  host_frame
   memory  malloc, freed by host_frame_free    cost    O(points) a call unless stated
   after   own design; the eight streams are those of the .bphys format, in its order */
#ifndef TIDEPOOL_POINTS_H
#define TIDEPOOL_POINTS_H
#include "../common/host.h"

/* Streams; the first eight in the order of the bits of a .bphys header. */
enum {
    POINT_INDEX,    /* u32: number of the point in its system */
    POINT_LOCATION, /* f32 x, y, z */
    POINT_VELOCITY, /* f32 x, y, z; unit: see host_frame */
    POINT_ROTATION, /* f32 w, x, y, z */
    POINT_ANGULAR, /* f32 x, y, z: angular velocity of a particle, radians in the velocity's time; pinned target position
                      of a cloth vertex */
    POINT_SIZE,  /* f32 */
    POINT_TIMES, /* f32 birth, death, lifetime in frames; alive for birth <= frame < death */
    POINT_BOIDS, /* 20 bytes: f32 health, f32[3] acceleration, i16 state, i16 mode */
    /* Of the points of a painted surface, which have no location: */
    POINT_WET, /* 24 bytes: f32 red, green, blue, alpha, wetness; i16 state (-1 no point, 0 dry, 1 wet, 2 new) and
                       2 bytes without meaning */
    POINT_PAINT,    /* f32 red, green, blue, alpha of what has dried */
    POINT_DISPLACE, /* f32 */
    POINT_WEIGHT,   /* f32 */
    POINT_WAVE, /* 16 bytes: f32 height, velocity, of the brush; i16 state (0 neutral, 1 obstacle, 2 reflecting) and
                       2 bytes without meaning */
    POINT_STREAMS
};
#define POINT_BIT(stream) (1u << (stream))
#define POINT_ALL         0xffu /* the streams of points, as records of .bphys have them */
#define POINT_SURFACES    (POINT_BIT(POINT_STREAMS) - 1u - POINT_ALL) /* those of painted surfaces */
#define POINT_EVERY       (POINT_ALL | POINT_SURFACES)

typedef struct point_stream {
    const char *name;
    const char *other_name; /* the word for it in cloth; NULL: none */
    uint32_t bytes;         /* of one element */
    uint32_t floats;        /* leading f32 of an element; 0 for the index */
} point_stream;
extern const point_stream point_streams[POINT_STREAMS];

/* Simulation types, numbered as in a .bphys header. */
enum {
    POINT_SOFTBODY,
    POINT_PARTICLES,
    POINT_CLOTH,
    POINT_SMOKE,
    POINT_SMOKE_HIGHRES,
    POINT_DYNAMIC_PAINT,
    POINT_RIGIDBODY,
    POINT_TYPES
};
/* "particles", "cloth", ...; "unknown" beyond the last. */
const char *point_type_name(uint32_t type);
/* False when text names no type. */
bool point_type_parse(const char *text, uint32_t *type);
/* Parses "location,velocity,..." into a mask, with POINT_EXTRA for the word "extra"; false with the offending word
   copied to `unknown` (at most unknown_size bytes). */
#define POINT_EXTRA 0x10000u
bool point_streams_parse(const char *text, uint32_t *mask, char *unknown, size_t unknown_size);
/* The names of a mask as one text, "index,location", in the words of the type. */
#define POINT_NAMES_MAX 160u
void point_streams_print(char *text, size_t size, uint32_t type, uint32_t streams);

/* Extra data: type 1 fluid springs (f32 rest length, u32[2] points, u32 deleted), type 2 average acceleration of a
   cloth (f32[3]). */
enum { EXTRA_SPRINGS = 1, EXTRA_ACCELERATION = 2, EXTRA_TYPES = 3 };
typedef struct host_extra {
    uint32_t count;
    uint8_t *bytes; /* 32-bit words in the machine's byte order; NULL: no record of this type */
} host_extra;
extern const uint32_t extra_bytes[EXTRA_TYPES]; /* of one element, by type */

/* A frame: arrays of `count` elements, ascending in index without repeats. data[POINT_INDEX] is always there, also
   when the file has none and the points are 0, 1, 2, ...; the others are NULL unless their bit is in `streams`.
   Velocity is in the unit of the .bphys format: for particles distance per second of particle time, where a frame
   lasts 0.04 s; for soft body and cloth distance per frame. */
typedef struct host_frame {
    double number; /* whole for a stored frame, fractional for an interpolated one */
    uint32_t count;
    uint32_t streams; /* POINT_BIT mask of what the file has */
    uint16_t depth;   /* of a displaced surface: 0 displacement, 1 depth */
    void *data[POINT_STREAMS];
    host_extra extra[EXTRA_TYPES];
} host_frame;

/* Zeroed arrays for `count` points; false when memory is short, with the frame empty. The old content is not freed. */
bool host_frame_allocate(host_frame *frame, uint32_t count, uint32_t streams);
void host_frame_free(host_frame *frame);
bool host_frame_copy(host_frame *to, const host_frame *from);
/* True with the position in the arrays. O(log points), O(1) where no index is left out. */
bool host_frame_find(const host_frame *frame, uint32_t index, uint32_t *position);
/* Puts points into ascending order; of repeated indices the last record stays. False when memory is short.
   O(points) when already in order, else O(points log points). */
bool host_frame_order(host_frame *frame);
/* How many points there are up to this index; up to the last that 32 bits hold, one less. */
static inline uint32_t host_index_end(uint32_t index) { return index < UINT32_MAX ? index + 1 : UINT32_MAX; }
/* Keeps the points whose flag is set, in place. */
void host_frame_keep(host_frame *frame, const bool *keep);
/* Frees all streams outside `mask` (index stays) and, without POINT_EXTRA, the extra data. */
void host_frame_select(host_frame *frame, uint32_t mask);

/* The change from one set of units to another. Identity: scale 1, velocity_factor 1, axis POINT_AXIS_SAME; then no
   value is touched, so that its bits stay. */
typedef enum point_axis {
    POINT_AXIS_SAME,
    POINT_AXIS_Y_TO_Z_UP, /* (x, y, z) -> (x, -z, y) */
    POINT_AXIS_Z_TO_Y_UP  /* (x, y, z) -> (x, z, -y) */
} point_axis;
typedef struct point_units {
    float scale;           /* of lengths: output per input */
    float velocity_factor; /* of velocities, on top of the scale, and of angular velocities */
    point_axis axis;
    float time_shift; /* frames added to birth and death */
} point_units;
/* Birth and death of a point, some frames later; BPHYS_NEVER stays. */
void point_times_shift(float times[3], float shift);
/* Converts every stream and the extra data; `type` tells what POINT_ANGULAR holds. Rotations are turned with the
   axes of the world and of the particle alike. Returns the streams (POINT_BIT, POINT_EXTRA) with a value that was
   finite and is none any more. */
uint32_t host_frame_convert(host_frame *frame, const point_units *units, uint32_t type);
/* Of what that returned: HOST_DONE for 0, else an error that names the first of them and what is to be changed. */
int host_frame_in_range(const host_frame *frame, const char *path, uint32_t left, const char *change);

#endif
