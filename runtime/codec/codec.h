/* SPDX-License-Identifier: MIT
   runtime/codec/codec.h - a tile: up to 128 points over up to 255 frames of one stream, in as few bytes as its error allows.
   reads   nothing      writes  nothing: declarations
   memory  tpi_tile_reader 9 KiB; tpi_tile_plan and residuals see below      cost  a point, frame and component: at most
           TPI_CODEC_ESCAPES + 1 symbols of one table look-up and one multiplication, and 31 plain bits
   after   own design: order-2 prediction on an integer lattice, residuals in states of adaptive size, range asymmetric
           numeral systems (Duda 2013) in 32 interleaved coders over fixed tables of 256 shares

   A component of a point is a whole number that moves on a lattice: a prediction from its last places, and a residual. The
   recorder chooses the lattice finer than the error bound asks, so that it may choose residuals too: most are 0 as long
   as the prediction stays within the bound, and a tile's bytes are those of the changes.

   A tile in bytes (numbers little-endian):

       1     points - 1
       1     frames - 1
       1     components, 1 to 4; + 16: lives follow; + 32 times how often the coders are halved: 32, 16, 8 or 4
       3     bytes of plain bits
       for each component
       4     mode 2 bits, predictor 3, fineness 2, along 2, states 3 times 7 (places, velocities, residuals), exact 1,
             follows 1
       1-5   base, zigzag, 7 bits a byte, the last below 128
       1     where it follows: the distance to the leader, 1 to 127; not where lives follow
       for lives: points times first frame, then points times frame behind the last
       for each frame and component of mode RAW: points times 4 bytes
       2 each  the coders' states; of fewer points one a point; none where all components are RAW
       ...   plain bits, from the lowest of each byte
       ...   the coders' stream, in the order of reading, to the end

   Frame by frame, component by component, point by point; point p belongs to coder p & (coders - 1). In a frame where all points have
   told their first places and velocities: first a symbol of each, then another of those with an escape, until there is none;
   and plain bits come after all symbols. So vectors of coders take a step at once, and one vector's does not wait for
   another's. From a point's third frame on a component that follows tells a residual less that of its leader, the point
   so far before it, if there is one: points of cloth, soft bodies and strands move alike. A coder ends where it began, at TPI_CODER_LOW: this, and that no byte is left over, tells damage. */
#ifndef TPI_CODEC_H
#define TPI_CODEC_H
#include "../base/bytes.h"
#include "../base/lanes.h"

#define TPI_CODEC_STATES 92u
#define TPI_CODEC_TABLES 25u
/* residuals -8 .. 8 of their unit, and the escape to a greater unit */
#define TPI_CODEC_SYMBOLS 18u
#define TPI_CODEC_ROW     18u /* words of a state */
#define TPI_CODEC_ESCAPE  17u
#define TPI_CODEC_ZERO    8u
#define TPI_CODEC_ESCAPES 5u     /* from any state to the one whose unit spans all 32 bits */
#define TPI_CODER_LOW     0x100u /* a coder is at least this and has 16 bits */
/* at most: small tiles have fewer, as each of them takes 12 bits more than it tells */
#define TPI_CODERS        32u
#define TPI_CODERS_HALVED 3u /* so often at most */

#define TPI_TILE_POINTS       128u
#define TPI_TILE_FRAMES_MAX   255u
#define TPI_TILE_COMPONENTS   4u
#define TPI_TILE_HEADER_BYTES 6u
#define TPI_PREDICTORS        8u

typedef enum tpi_tile_mode {
    TPI_TILE_CONSTANT, /* a point stays where it appeared: no symbols after its first */
    TPI_TILE_CODED,
    TPI_TILE_RAW, /* 4 bytes a value; lives are not asked */
} tpi_tile_mode;

/* What a tile's header says of a component. */
typedef struct tpi_tile_component {
    uint8_t mode;
    uint8_t predictor; /* row of tpi_predictors */
    /* 0 .. 3: the lattice's step is 8, 6, 4 or 2 eighths of twice the error bound */
    uint8_t fineness;
    /* bit 0: a point's first place is told from that of the point before, not from the base; bit
       1: its first velocity likewise, not from 0 */
    uint8_t along;
    /* states of first places, of first velocities, and of a point's residuals after them */
    uint8_t start[3];
    /* a residual is told less that of its leader, the point so many before it; 0: as it is */
    uint8_t follows;
    /* places are the values' bits in order (tpi_ordered_bits), not places of the lattice */
    bool is_exact;
    int32_t base;
} tpi_tile_component;

/* How a point goes on: 16ths of a step. */
typedef struct tpi_predictor {
    uint8_t velocity_gain;     /* 16: the whole residual */
    uint8_t acceleration_gain; /* of the residual, clamped */
    uint8_t clamp;             /* so that a collision is not taken for an acceleration */
    bool is_moving;            /* false: nothing but the last place */
} tpi_predictor;

TPI_FUNC const tpi_predictor tpi_predictors[TPI_PREDICTORS];
/* A state is where its row of steps begins, and the table of its shares << 11, so that both are
   at hand at once. */
TPI_FUNC const uint16_t tpi_codec_states[TPI_CODEC_STATES];
#define TPI_STATE_ROW(state)   ((state)&2047u)
#define TPI_STATE_TABLE(state) ((uint32_t)(state) >> 11)
/* The step of a symbol: its share of 256; how many plain bits follow (the unit is 2 to that), <<
   8; the state after it, << 16. After an escape its state reads on. 0: the state has no such
   symbol. */
TPI_FUNC const uint32_t tpi_codec_steps[TPI_CODEC_STATES * TPI_CODEC_ROW];
#define TPI_STEP_SHARE(step) ((step)&255u)
#define TPI_STEP_BITS(step)  ((step) >> 8 & 31u)
#define TPI_STEP_STATE(step) ((uint16_t)((step) >> 16))
/* Of each 256th of a table two bytes: how far it lies in the share of its symbol, and that
   symbol. */
TPI_FUNC const uint8_t tpi_codec_slots[TPI_CODEC_TABLES * 512u + 2u];
TPI_FUNC const uint8_t
    tpi_codec_begins[TPI_CODEC_TABLES * TPI_CODEC_ROW]; /* of the symbols' shares */
TPI_FUNC const uint8_t
    tpi_codec_costs[256]; /* sixteenths of a bit that a symbol of this share costs */

/* A point's component on its lattice; velocity and acceleration in 16ths of a step a frame. Sums
   wrap around. */
typedef struct tpi_track {
    int32_t place, velocity, acceleration;
} tpi_track;

/* Shifts a negative number like a positive one: rounds down. (What every compiler we know makes
   of >>; tested.) */
TPI_INLINE int32_t tpi_shift_down(int32_t value, uint32_t bits) { return value >> bits; }

TPI_INLINE int32_t tpi_track_predict(const tpi_track *track)
{
    uint32_t velocity =
        (uint32_t)track->velocity + (uint32_t)tpi_shift_down(track->acceleration, 1) + 8u;
    return (int32_t)((uint32_t)track->place + (uint32_t)tpi_shift_down((int32_t)velocity, 4));
}

TPI_INLINE int32_t tpi_clamp_residual(int32_t residual, int32_t most)
{
    return residual > most ? most : residual < -most ? -most : residual;
}

/* The place becomes the prediction plus the residual. */
TPI_INLINE void tpi_track_move(tpi_track *track, const tpi_predictor *predictor, int32_t residual)
{
    uint32_t gained =
        predictor->acceleration_gain * (uint32_t)tpi_clamp_residual(residual, predictor->clamp);
    track->place = (int32_t)((uint32_t)tpi_track_predict(track) + (uint32_t)residual);
    track->velocity = (int32_t)((uint32_t)track->velocity + (uint32_t)track->acceleration +
                                predictor->velocity_gain * (uint32_t)residual);
    track->acceleration = (int32_t)((uint32_t)track->acceleration + gained);
}

/* The symbol of a residual in a state: of its whole units, or the escape where the state has
   none for them. */
TPI_INLINE uint32_t tpi_residual_symbol(uint32_t state, int32_t residual)
{
    const uint32_t *steps = tpi_codec_steps + TPI_STATE_ROW(state);
    int32_t units = tpi_shift_down(residual, TPI_STEP_BITS(steps[TPI_CODEC_ZERO]));
    if (units < -8 || units > 8) return TPI_CODEC_ESCAPE;
    uint32_t symbol = (uint32_t)(units + 8);
    return steps[symbol] ? symbol : TPI_CODEC_ESCAPE;
}

/* Sixteenths of bits that a residual costs in a state, which becomes the next. */
TPI_INLINE uint32_t tpi_residual_cost(uint16_t *state, int32_t residual)
{
    uint32_t cost = 0, step, symbol;
    do {
        symbol = tpi_residual_symbol(*state, residual);
        step = tpi_codec_steps[TPI_STATE_ROW(*state) + symbol];
        cost += tpi_codec_costs[TPI_STEP_SHARE(step)];
        *state = TPI_STEP_STATE(step);
    } while (symbol == TPI_CODEC_ESCAPE);
    return cost + 16u * TPI_STEP_BITS(step);
}

/* First places and first velocities of a tile's points are told one after the other: of the
   point before. */
typedef struct tpi_tile_chain {
    int32_t place, velocity;
    uint16_t place_state, velocity_state;
} tpi_tile_chain;

typedef struct tpi_tile_header {
    uint32_t points, frames, components, halvings, coders;
    bool has_lives;
    uint32_t lives_at, raw_at, bits_at, stream_at; /* offsets in the tile */
    uint32_t raw_components;
    tpi_tile_component component[TPI_TILE_COMPONENTS];
} tpi_tile_header;

/* A tile of fewer points than coders has one a point; where every component is raw, there is
   none. */
TPI_INLINE uint32_t tpi_tile_coders(uint32_t points, uint32_t halvings, bool is_raw)
{
    return is_raw ? 0u : tpi_min_u32(points, TPI_CODERS >> halvings);
}

/* A tile being read, frame by frame; holds no pointer, so that it may lie in a block. */
typedef struct tpi_tile_reader {
    tpi_tile_header header;
    uint32_t size;  /* of the tile */
    uint32_t frame; /* read so far */
    uint32_t at;    /* next byte of the coders' stream */
    uint32_t bit;   /* next plain bit, from the tile's begin */
    uint16_t coder[TPI_CODERS];
    bool is_damaged;
    tpi_tile_chain chain[TPI_TILE_COMPONENTS];
    /* frames of the tile in which the point lives */
    uint8_t first[TPI_TILE_POINTS], end[TPI_TILE_POINTS];
    uint16_t state[TPI_TILE_COMPONENTS][TPI_TILE_POINTS];
    /* of the frame read last; of raw components the bits */
    int32_t place[TPI_TILE_COMPONENTS][TPI_TILE_POINTS];
    int32_t velocity[TPI_TILE_COMPONENTS][TPI_TILE_POINTS];
    int32_t acceleration[TPI_TILE_COMPONENTS][TPI_TILE_POINTS];
    /* of the row being read; here, because a device's stack is small */
    uint32_t step[TPI_TILE_POINTS];
    int32_t residual[TPI_TILE_POINTS];
} tpi_tile_reader;

/* Begins to read a tile of `size` bytes. False: its header cannot be one. Cost O(points). */
TPI_FUNC bool tpi_tile_open(tpi_tile_reader *reader, const uint8_t *tile, uint32_t size);

/* Reads the next frame into reader->place; no byte outside of the tile is looked at. False:
   there is none, or the tile is damaged. `keys`, where it is not null, takes a byte a point: 1
   where the point has a key in this frame, 0 elsewhere. Cost: points * components of
   TPI_CODEC_ESCAPES + 1 symbols at most; keys: a comparison a point and component more. A key: a
   point that lives in its third frame of the tile or a later one, and in some component that is
   coded on the lattice did not go on as predicted, by more than the error bound; or has a
   component that is kept exactly or raw, of which nothing tells how near the prediction was.
   What is stored is within the bound, so that a residual of more than twice the bound was beyond
   it; a smaller one may be no more than the choice of a cheaper place. A point that follows
   takes on the choices of its leaders: of it three times as much is asked. */
TPI_FUNC bool tpi_tile_read_keys(tpi_tile_reader *reader, const uint8_t *tile, uint8_t *keys);
TPI_INLINE bool tpi_tile_read(tpi_tile_reader *reader, const uint8_t *tile)
{
    return tpi_tile_read_keys(reader, tile, NULL);
}

/* After the last frame: whether everything fitted, to the last bit. */
TPI_FUNC bool tpi_tile_is_whole(const tpi_tile_reader *reader);

/* Whether a point lives in the frame read last. */
TPI_INLINE bool tpi_tile_lives(const tpi_tile_reader *reader, uint32_t point)
{
    return reader->frame > reader->first[point] && reader->frame <= reader->end[point];
}

/* Where a component lies: origin + step * place, in two roundings. */
typedef struct tpi_lattice {
    float origin;
    float quarter; /* of the error bound: an eighth of the step at fineness 0 */
} tpi_lattice;

TPI_INLINE float tpi_lattice_step(const tpi_lattice *lattice, uint32_t fineness)
{
    return lattice->quarter * (float)(8u - 2u * fineness);
}

/* Bits of a float in the order of its value, so that near values are near numbers; its own
   inverse. */
TPI_INLINE int32_t tpi_ordered_bits(int32_t bits)
{
    return bits ^ (tpi_shift_down(bits, 31) & 0x7fffffff);
}

/* The words of a component in the frame read last, one a point: floats on `lattice`, or what was
   kept exactly, which were floats or integers. Cost O(points), in vectors where there are such. */
TPI_FUNC void tpi_tile_words(const tpi_tile_reader *reader, uint32_t component,
                             const tpi_lattice *lattice, bool is_float, uint32_t *words);

/* What a tile is made of: its header, lives, and a residual for every frame, component and
   point. */
typedef struct tpi_tile_plan {
    uint32_t points, frames, components;
    bool has_lives;
    uint8_t first[TPI_TILE_POINTS], end[TPI_TILE_POINTS];
    tpi_tile_component component[TPI_TILE_COMPONENTS];
    /* [frame][component][TPI_TILE_POINTS]; first places from 0 and first velocities, both told
       whole, then residuals; of a RAW component the bits */
    int32_t *residuals;
} tpi_tile_plan;

TPI_INLINE int32_t *tpi_plan_row(const tpi_tile_plan *plan, uint32_t frame, uint32_t component)
{
    return plan->residuals + (frame * plan->components + component) * TPI_TILE_POINTS;
}

/* The places that stand in a component's rows become first places, first velocities and
   residuals, by its predictor. False: all but the first places are 0. What lies outside of a
   point's life is not looked at, and may change; so may rows behind the last point, up to a
   multiple of TPI_PLAN_TOGETHER. Cost O(points * frames). */
TPI_FUNC bool tpi_plan_tracks(tpi_tile_plan *plan, uint32_t component);

/* The bits that a predictor's residuals come to, which are the most of what they cost: of
   TPI_PLAN_TOGETHER points whose places stand in rows [frame][point], point k over its first
   lives[k] frames. Cost O(frames). */
#define TPI_PLAN_TOGETHER 8u
TPI_FUNC uint32_t tpi_plan_try(const int32_t *places, const uint32_t *lives, uint32_t frames,
                               uint32_t predictor);

/* A component's residuals, whole so far, become what is told of them where it follows. Cost
   O(points * frames). */
TPI_FUNC void tpi_plan_follow(tpi_tile_plan *plan, uint32_t component);

/* Chooses bases, chains and states of a component's first places and velocities, and the state
   of its residuals, so that they cost least. Cost O(candidates * points * frames). */
TPI_FUNC void tpi_plan_starts(tpi_tile_plan *plan, uint32_t component);

/* The state in which a component's residuals cost least to start, judged by every `apart`th
   point. */
TPI_FUNC uint8_t tpi_plan_residual_start(const tpi_tile_plan *plan, uint32_t component,
                                         uint32_t apart);

/* Sixteenths of bits that all of a component's residuals come to. Cost O(points * frames). */
TPI_FUNC uint64_t tpi_plan_cost(const tpi_tile_plan *plan, uint32_t component);

/* Writes a plan as a tile. `scratch` is aligned to 8; TPI_WRITER_WORDS, points * frames *
   components and a half of that more are enough for all but noise. Returns the tile's bytes, 0
   when they are more than bytes_max or the scratch is full. */
#define TPI_WRITER_WORDS 480u
TPI_FUNC uint32_t tpi_tile_write(const tpi_tile_plan *plan, uint32_t *scratch,
                                 uint32_t scratch_words, uint8_t *bytes, uint32_t bytes_max);

#endif
