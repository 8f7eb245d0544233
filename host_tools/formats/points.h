/* SPDX-License-Identifier: MIT
   host_tools/formats/points.h - one frame of points in memory, in one layout for all file formats.
   reads   -                               writes  host_frame
   memory  malloc, freed by host_frame_free    cost    O(points) a call unless stated
   after   own design; the first eight streams are those of the .bphys format, in its order */
#ifndef TIDEPOOL_POINTS_H
#define TIDEPOOL_POINTS_H
#include "../common/host.h"

/* Streams. The first eight are numbered like the bits of a .bphys header. */
enum {
    POINT_INDEX,    /* u32: identity of the point in its system */
    POINT_LOCATION, /* f32 x, y, z */
    POINT_VELOCITY, /* f32 x, y, z; unit: see host_frame */
    POINT_ROTATION, /* f32 w, x, y, z */
    /* f32 x, y, z. Of a particle: angular velocity, in radians per time unit of the velocity. Of a
       cloth vertex: target position of a pinned vertex. */
    POINT_ANGULAR,
    POINT_SIZE, /* f32 */
    /* f32 birth, death, lifetime in frames; the point lives for birth <= frame < death */
    POINT_TIMES,
    POINT_BOIDS, /* 20 bytes: f32 health, f32[3] acceleration, i16 state, i16 mode */
    /* Streams of painted surfaces, whose points have no location: */
    /* 24 bytes: f32 red, green, blue, alpha, wetness; i16 state (-1 no point, 0 dry, 1 wet, 2 new);
       2 unused bytes */
    POINT_WET,
    POINT_PAINT,    /* f32 red, green, blue, alpha of the dry paint */
    POINT_DISPLACE, /* f32 */
    POINT_WEIGHT,   /* f32 */
    /* 16 bytes: f32 height, velocity, brush; i16 state (0 neutral, 1 obstacle, 2 reflecting); 2
       unused bytes */
    POINT_WAVE,
    POINT_STREAMS
};
#define POINT_BIT(stream) (1u << (stream))
#define POINT_ALL         0xffu /* streams of points in .bphys records */
/* streams of painted surfaces */
#define POINT_SURFACES (POINT_BIT(POINT_STREAMS) - 1u - POINT_ALL)
#define POINT_EVERY    (POINT_ALL | POINT_SURFACES)

typedef struct point_stream {
    const char *name;
    const char *other_name; /* name in a cloth cache; NULL: the same */
    uint32_t bytes;         /* size of one element */
    uint32_t floats;        /* number of leading f32 in an element; 0 for the index */
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
/* "particles", "cloth", ...; "unknown" for other numbers. */
const char *point_type_name(uint32_t type);
/* False when `text` is not the name of a type. */
bool point_type_parse(const char *text, uint32_t *type);
/* Parses "location,velocity,..." into a mask; the word "extra" becomes POINT_EXTRA. False for an
   unknown word, which is copied to `unknown` (at most unknown_size bytes). */
#define POINT_EXTRA 0x10000u
bool point_streams_parse(const char *text, uint32_t *mask, char *unknown, size_t unknown_size);
/* Prints the names of the streams in a mask, as "index,location". `type` selects the names of
   cloth. */
#define POINT_NAMES_MAX 160u
void point_streams_print(char *text, size_t size, uint32_t type, uint32_t streams);

/* Extra data of a frame. Type 1: springs of a fluid (f32 rest length, u32[2] points, u32 deleted).
   Type 2: average acceleration of a cloth (f32[3]). */
enum { EXTRA_SPRINGS = 1, EXTRA_ACCELERATION = 2, EXTRA_TYPES = 3 };
typedef struct host_extra {
    uint32_t count;
    uint8_t *bytes; /* 32-bit words in the machine's byte order; NULL: no record of this type */
} host_extra;
extern const uint32_t extra_bytes[EXTRA_TYPES]; /* size of one element, by type */

/* A frame: arrays of `count` elements in ascending order of index, each index once.
   data[POINT_INDEX] is always allocated; when the file has no indices, the points are 0, 1, 2, ...
   The other arrays are NULL unless their bit is set in `streams`.
   Velocity has the unit of the .bphys format. For particles: distance per second of particle time,
   where a frame lasts 0.04 s. For soft body and cloth: distance per frame. */
typedef struct host_frame {
    double number; /* whole for a stored frame; may be fractional for an interpolated one */
    uint32_t count;
    uint32_t streams; /* POINT_BIT mask of the streams in the file */
    uint16_t depth;   /* meaning of POINT_DISPLACE: 0 displacement, 1 depth */
    void *data[POINT_STREAMS];
    host_extra extra[EXTRA_TYPES];
} host_frame;

/* Allocates zeroed arrays for `count` points. False when memory is short; then the frame is empty.
   Does not free the old content. */
bool host_frame_allocate(host_frame *frame, uint32_t count, uint32_t streams);
void host_frame_free(host_frame *frame);
bool host_frame_copy(host_frame *to, const host_frame *from);
/* Finds the array position of a point by its index; false: no such point. O(log points); O(1) where
   the indices have no gaps. */
bool host_frame_find(const host_frame *frame, uint32_t index, uint32_t *position);
/* Sorts the points by index. Of several points with one index the last is kept. False when memory
   is short. O(points) when already in order, else O(points log points). */
bool host_frame_order(host_frame *frame);
/* The number of points in a system whose highest index is `index`: index + 1, saturated at
   UINT32_MAX. */
static inline uint32_t host_index_end(uint32_t index)
{
    return index < UINT32_MAX ? index + 1 : UINT32_MAX;
}
/* Removes the points whose flag is false, in place. */
void host_frame_keep(host_frame *frame, const bool *keep);
/* Frees all streams that are not in `mask`, except the index. Frees the extra data unless `mask`
   has POINT_EXTRA. */
void host_frame_select(host_frame *frame, uint32_t mask);

/* A conversion of units. The identity is scale 1, velocity_factor 1, axis POINT_AXIS_SAME,
   time_shift 0; it changes no bit of any value. */
typedef enum point_axis {
    POINT_AXIS_SAME,
    POINT_AXIS_Y_TO_Z_UP, /* (x, y, z) -> (x, -z, y) */
    POINT_AXIS_Z_TO_Y_UP  /* (x, y, z) -> (x, z, -y) */
} point_axis;
typedef struct point_units {
    float scale; /* factor of lengths: output per input */
    /* factor of velocities, on top of the scale, and of angular velocities */
    float velocity_factor;
    point_axis axis;
    float time_shift; /* frames added to birth and death */
} point_units;
/* Adds `shift` frames to birth and death of a point; BPHYS_NEVER does not change. */
void point_times_shift(float times[3], float shift);
/* Converts every stream and the extra data. `type` says what POINT_ANGULAR holds. An axis change
   also changes the basis of rotations, for the world and for the particle. Returns a mask
   (POINT_BIT, POINT_EXTRA) of the streams in which a finite value became infinite or NaN. */
uint32_t host_frame_convert(host_frame *frame, const point_units *units, uint32_t type);
/* True if a word of 4 bytes has the exponent of NaN and infinity. Records with words that are no
   floats may seem to have such values. */
bool point_may_be_infinite(const uint8_t *words, size_t bytes);
/* Checks the mask that host_frame_convert returned: HOST_DONE for 0, else an error that names the
   first stream of the mask. `change` says in the message what the user must change. */
int host_frame_in_range(const host_frame *frame, const char *path, uint32_t left,
                        const char *change);

#endif
