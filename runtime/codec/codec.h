/* SPDX-License-Identifier: MIT
   runtime/codec/codec.h - codec of tiles: up to 128 points over up to 255 frames of one stream.
   reads   nothing      writes  nothing: declarations
   memory  tpi_tile_reader 9 KiB; for tpi_tile_plan and residuals see below
   cost    per point, frame and component at most TPI_CODEC_ESCAPES + 1 symbols, each with one table
           look-up and one multiplication, and 31 raw bits
   after   own design: second-order prediction of positions quantised to an integer lattice,
           adaptive context states, 32 interleaved range asymmetric numeral system (rANS) coders
           (Duda 2013) with static tables; the frequencies of a table sum to 256

   A component of a point is an integer lattice coordinate: a prediction from the frames before,
   plus a residual. The lattice is finer than the error bound requires, so that an encoder can
   choose among several coordinates: most residuals are 0 while the prediction stays within the
   bound.

   Words: a state is an adaptive context. It selects a frequency table and a unit of 2^k. A
   residual is coded as symbols in its state: the quotient by the unit, or an escape code to a state
   with a larger unit. The k low bits follow as raw bits. A step is an entry of the state machine's
   table.

   A tile in bytes. Numbers are little-endian.

       1     points - 1
       1     frames - 1
       1     components, 1 to 4; + 16 if lifetimes are stored; + 32 times the number of halvings h:
             there are 32 >> h coders, h = 0 to 3
       3     bytes of raw bits
       for each component:
       4     mode 2 bits, predictor 3, fineness 2, along 2, initial states 3 times 7 (positions,
             velocities, residuals), exact 1, follows 1
       1-5   base: zig-zag, LEB128 (7 bits per byte, the last byte is below 128)
       2-7   of a ballistic predictor (mode 3; predictor 0 or 1 stands for 8 or 9): acceleration in
             65536ths of a lattice spacing per frame and frame, drag in 65536ths per frame, 0 to
             4095; both like the base
       1-2   if it follows: the distance to the leader, 1 to 127, + 128 if that to a second one is
             next. Not allowed with lifetimes
       if lifetimes are stored: for each point its first frame, then for each point the frame after
             its last
       for each frame and each component of mode RAW: 4 bytes per point
       2     for each coder: its initial state. One coder per point if there are fewer points than
             coders; none if all components are RAW
       ...   raw bits, lowest bit of each byte first
       ...   the byte stream of the coders in the order of decoding, to the end of the tile

   Order of the symbols: frame by frame, component by component, point by point. Point p uses coder
   p & (coders - 1).

   From the third frame on in a tile without lifetimes, the order is different: one symbol of every
   point, then the next symbol of every point with an escape, until no escape is left; raw bits
   follow after all symbols. A vector of coders then decodes in parallel, without dependencies
   between vectors.

   A component that follows stores, from a point's third frame on, its residual minus that of its
   leader: the point a fixed distance before it, if there is one. Neighbouring points of cloth, soft
   bodies and strands move alike. Of two leaders, as in the rows and columns of a cloth, the mean is
   subtracted, rounded down: it has less of the noise that the lattice adds.

   Damage is detected at the end: every coder must return to its state at the begin of encoding,
   TPI_CODER_LOW, and no byte may be left over. */
#ifndef TPI_CODEC_H
#define TPI_CODEC_H
#include "../base/bytes.h"
#include "../base/lanes.h"

#define TPI_CODEC_STATES 92u
#define TPI_CODEC_TABLES 25u
/* quotients -8 .. 8 of a residual by the state's unit, and the escape to a larger unit */
#define TPI_CODEC_SYMBOLS 18u
#define TPI_CODEC_ROW     18u /* words of a state */
#define TPI_CODEC_ESCAPE  17u
#define TPI_CODEC_ZERO    8u
#define TPI_CODEC_ESCAPES 5u     /* at most, from any state to one that holds 32-bit residuals */
#define TPI_CODER_LOW     0x100u /* lower bound of a coder's 16-bit state */
/* at most: small tiles use fewer, because each coder costs about 12 bits of overhead */
#define TPI_CODERS        32u
#define TPI_CODERS_HALVED 3u /* largest number of halvings */

#define TPI_TILE_POINTS       128u
#define TPI_TILE_FRAMES_MAX   255u
#define TPI_TILE_COMPONENTS   4u
#define TPI_TILE_HEADER_BYTES 6u
#define TPI_PREDICTORS        8u /* alpha-beta-gamma filters */
#define TPI_BALLISTIC         8u /* predictor: see tpi_ballistic */
#define TPI_TELEPORTING       9u /* the same, but jumps keep the velocity */
#define TPI_PREDICTORS_ALL    10u
#define TPI_TILE_BALLISTIC    3u /* mode in a tile's header: CODED, with predictor 8 or 9 */
#define TPI_DRAG_MAX          4095u

typedef enum tpi_tile_mode {
    TPI_TILE_CONSTANT, /* a point never moves: no symbols after its first position */
    TPI_TILE_CODED,
    TPI_TILE_RAW, /* 4 bytes per value, also outside a point's lifetime */
} tpi_tile_mode;

/* A component in a tile's header. */
typedef struct tpi_tile_component {
    uint8_t mode;
    uint8_t predictor; /* row of tpi_predictors, TPI_BALLISTIC or TPI_TELEPORTING */
    /* 0 .. 3: the lattice spacing is 8, 6, 4 or 2 eighths of twice the error bound */
    uint8_t fineness;
    /* bit 0: first positions are deltas to the point before, not to the base; bit 1: first
       velocities are deltas to the point before, not to 0 */
    uint8_t along;
    /* initial states of first positions, of first velocities, and of each point's residuals */
    uint8_t start[3];
    /* distance to the leader, whose residual is subtracted; 0: none */
    uint8_t follows;
    uint8_t second; /* distance to a second leader; 0: none */
    /* coordinates are integers, or the ordered bits of floats (tpi_ordered_bits): lossless */
    bool is_exact;
    int32_t base;
    /* of a ballistic predictor, in 65536ths: lattice spacings per frame and frame; share of the
       velocity that is lost per frame */
    int32_t acceleration;
    uint16_t drag;
} tpi_tile_component;

/* Gains of the predictor, an alpha-beta-gamma filter with alpha = 1. In 16ths. */
typedef struct tpi_predictor {
    uint8_t velocity_gain;     /* 16: the whole residual */
    uint8_t acceleration_gain; /* of the clamped residual */
    uint8_t clamp;             /* so that a collision does not count as an acceleration */
    bool is_moving;            /* false: predicts the last position */
} tpi_predictor;

/* Literals, so that a loop compiled for one of them has its gains as constants. */
#define TPI_PREDICTOR_0 \
    {                   \
        16, 0, 0, true  \
    }
#define TPI_PREDICTOR_1 \
    {                   \
        16, 4, 2, true  \
    }
#define TPI_PREDICTOR_2 \
    {                   \
        16, 8, 2, true  \
    }
#define TPI_PREDICTOR_3 \
    {                   \
        0, 0, 0, true   \
    }
#define TPI_PREDICTOR_4 \
    {                   \
        8, 0, 0, true   \
    }
#define TPI_PREDICTOR_5 \
    {                   \
        12, 1, 32, true \
    }
#define TPI_PREDICTOR_6 \
    {                   \
        16, 8, 8, true  \
    }
#define TPI_PREDICTOR_7 \
    {                   \
        0, 0, 0, false  \
    }
TPI_FUNC const tpi_predictor tpi_predictors[TPI_PREDICTORS];
/* A state: offset of its row in tpi_codec_steps, and index of its frequency table << 11. */
TPI_FUNC const uint16_t tpi_codec_states[TPI_CODEC_STATES];
#define TPI_STATE_ROW(state)   ((state)&2047u)
#define TPI_STATE_TABLE(state) ((uint32_t)(state) >> 11)
/* Step of a symbol in a state: frequency of 256; number of raw bits << 8 (the unit is 2 to that
   power); next state << 16. After an escape the next symbol is coded in that state. 0: the state
   does not have the symbol. */
TPI_FUNC const uint32_t tpi_codec_steps[TPI_CODEC_STATES * TPI_CODEC_ROW];
#define TPI_STEP_SHARE(step) ((step)&255u)
#define TPI_STEP_BITS(step)  ((step) >> 8 & 31u)
#define TPI_STEP_STATE(step) ((uint16_t)((step) >> 16))
/* Decoding tables of 256 slots each. A slot has two bytes: its offset in the symbol's interval, and
   the symbol. */
TPI_FUNC const uint8_t tpi_codec_slots[TPI_CODEC_TABLES * 512u + 2u];
/* cumulative frequencies: the first slot of each symbol */
TPI_FUNC const uint8_t tpi_codec_begins[TPI_CODEC_TABLES * TPI_CODEC_ROW];
/* cost of a symbol by its frequency, in sixteenths of a bit */
TPI_FUNC const uint8_t tpi_codec_costs[256];

/* Predictor state of a point's component: lattice coordinate; velocity and acceleration in 16ths of
   a lattice spacing per frame. Sums wrap around. */
typedef struct tpi_track {
    int32_t position, velocity, acceleration;
} tpi_track;

/* Arithmetic right shift: rounds down. C leaves >> of negative numbers to the implementation; a
   test checks it. */
TPI_INLINE int32_t tpi_shift_down(int32_t value, uint32_t bits) { return value >> bits; }

TPI_INLINE int32_t tpi_track_predict(const tpi_track *track)
{
    uint32_t velocity =
        (uint32_t)track->velocity + (uint32_t)tpi_shift_down(track->acceleration, 1) + 8u;
    return (int32_t)((uint32_t)track->position + (uint32_t)tpi_shift_down((int32_t)velocity, 4));
}

TPI_INLINE int32_t tpi_clamp_residual(int32_t residual, int32_t most)
{
    return residual > most ? most : residual < -most ? -most : residual;
}

/* Advances a frame: the new position is the prediction plus the residual. */
TPI_INLINE void tpi_track_move(tpi_track *track, const tpi_predictor *predictor, int32_t residual)
{
    uint32_t gained =
        predictor->acceleration_gain * (uint32_t)tpi_clamp_residual(residual, predictor->clamp);
    track->position = (int32_t)((uint32_t)tpi_track_predict(track) + (uint32_t)residual);
    track->velocity = (int32_t)((uint32_t)track->velocity + (uint32_t)track->acceleration +
                                predictor->velocity_gain * (uint32_t)residual);
    track->acceleration = (int32_t)((uint32_t)track->acceleration + gained);
}

/* ---- ballistic predictors: dead reckoning with an acceleration and a drag that all points share

   The velocity is in 256ths of a lattice spacing per frame, and the position has 8 more bits, so
   that a flight keeps within a bound for long without residuals.

   - A residual of 1 or 2 is a drift. The velocity is corrected by the residual divided by the
     frames since the last one, at most 15.
   - A larger residual is a shock, and added to the velocity. If points teleport, it is not, unless
     the last residual was in the frame before; and of the frames since the last one half count.
   - A residual that leaves the point where it was stops it. If there is an acceleration, a stopped
     point rests until its next residual.
   - After a 0 that follows another residual, and after a shock of points that teleport, the coder's
     state is that of a new point.

   No point follows another one. In tpi_track the acceleration is made of these bits: */
#define TPI_BALLISTIC_PLACE 255 /* 256ths of the position */
#define TPI_BALLISTIC_HALF  128
#define TPI_BALLISTIC_SINCE 256  /* times the frames since the last residual; 0: the point rests */
#define TPI_BALLISTIC_TOLD  4096 /* the last residual was not 0 */
#define TPI_BALLISTIC_BITS  13u

typedef struct tpi_ballistic {
    int32_t gained; /* velocity in this frame, in 256ths of a spacing */
    int32_t drag;
    bool teleports;
    int32_t stopped; /* acceleration of a point that was stopped */
} tpi_ballistic;
/* 256 divided by the frames, minus 1; of a point that rests the same as after one frame */
TPI_FUNC const uint8_t tpi_ballistic_gains[16];

TPI_INLINE bool tpi_is_ballistic(const tpi_tile_component *component)
{
    return component->predictor >= TPI_BALLISTIC;
}

/* A component's predictor for frame `frame` of the tile. The sum of what is gained over the frames
   has an error below one 256th. */
TPI_INLINE tpi_ballistic tpi_ballistic_of(const tpi_tile_component *component, uint32_t frame)
{
    uint32_t before = (uint32_t)component->acceleration * frame,
             after = before + (uint32_t)component->acceleration;
    uint32_t gained =
        (uint32_t)tpi_shift_down((int32_t)after, 8) - (uint32_t)tpi_shift_down((int32_t)before, 8);
    uint32_t since = component->acceleration ? 0 : TPI_BALLISTIC_SINCE;
    return (tpi_ballistic){(int32_t)gained, component->drag,
                           component->predictor == TPI_TELEPORTING,
                           (int32_t)(since | TPI_BALLISTIC_HALF | TPI_BALLISTIC_TOLD)};
}

/* State of a point after its first velocity. */
TPI_INLINE tpi_track tpi_ballistic_begin(const tpi_tile_component *component, int32_t position,
                                         int32_t velocity)
{
    uint32_t since = velocity == 0 && component->acceleration != 0 ? 0 : TPI_BALLISTIC_SINCE;
    return (tpi_track){position, (int32_t)((uint32_t)velocity << 8),
                       (int32_t)(since | TPI_BALLISTIC_HALF)};
}

TPI_INLINE uint32_t tpi_ballistic_gain(uint32_t since) { return tpi_ballistic_gains[since] + 1u; }

TPI_INLINE bool tpi_is_shock(int32_t residual) { return residual > 2 || residual < -2; }

/* The velocity in this frame, before its residual. */
TPI_INLINE int32_t tpi_ballistic_velocity(const tpi_track *track, const tpi_ballistic *by)
{
    uint32_t product = (uint32_t)track->velocity * (uint32_t)by->drag + 32768u,
             lost = (uint32_t)tpi_shift_down((int32_t)product, 16),
             velocity = (uint32_t)track->velocity + (uint32_t)by->gained - lost;
    return (uint32_t)track->acceleration / TPI_BALLISTIC_SINCE % 16u ? (int32_t)velocity : 0;
}

TPI_INLINE int32_t tpi_ballistic_predict(const tpi_track *track, const tpi_ballistic *by)
{
    uint32_t sum = ((uint32_t)track->acceleration & TPI_BALLISTIC_PLACE) +
                   (uint32_t)tpi_ballistic_velocity(track, by);
    return (int32_t)((uint32_t)track->position + (uint32_t)tpi_shift_down((int32_t)sum, 8));
}

/* Advances a frame, as tpi_track_move. */
TPI_INLINE void tpi_ballistic_move(tpi_track *track, const tpi_ballistic *by, int32_t residual)
{
    uint32_t velocity = (uint32_t)tpi_ballistic_velocity(track, by),
             sum = ((uint32_t)track->acceleration & TPI_BALLISTIC_PLACE) + velocity,
             moved = (uint32_t)tpi_shift_down((int32_t)sum, 8) + (uint32_t)residual,
             since = (uint32_t)track->acceleration / TPI_BALLISTIC_SINCE % 16u,
             later = since + (since > 0 && since < 15u), told = 0;
    track->position = (int32_t)((uint32_t)track->position + moved);
    if (TPI_UNLIKELY(residual != 0)) {
        bool is_shock = tpi_is_shock(residual), jumps = is_shock && by->teleports && since > 1u;
        uint32_t gain = is_shock ? 256u : tpi_ballistic_gain(since);
        if (!jumps) velocity += gain * (uint32_t)residual;
        later = jumps ? since / 2u : 1u, told = TPI_BALLISTIC_TOLD;
    }
    track->velocity = (int32_t)velocity;
    track->acceleration =
        (int32_t)(told | later * TPI_BALLISTIC_SINCE | (sum & TPI_BALLISTIC_PLACE));
    if (TPI_UNLIKELY(told && moved == 0)) track->velocity = 0, track->acceleration = by->stopped;
}

/* True if the coder's state is that of a new point after this residual; `told`: the one before was
   not 0. */
TPI_INLINE bool tpi_ballistic_calms(bool teleports, bool told, int32_t residual)
{
    return (residual == 0 && told) || (teleports && tpi_is_shock(residual));
}

/* ---- any predictor; `frame` of the tile, the point's third one or later */

TPI_INLINE tpi_track tpi_predictor_begin(const tpi_tile_component *component, int32_t position,
                                         int32_t velocity)
{
    if (tpi_is_ballistic(component)) return tpi_ballistic_begin(component, position, velocity);
    bool is_moving = tpi_predictors[component->predictor].is_moving;
    return (tpi_track){position, is_moving ? (int32_t)(16u * (uint32_t)velocity) : 0, 0};
}

TPI_INLINE int32_t tpi_predictor_predict(const tpi_tile_component *component, uint32_t frame,
                                         const tpi_track *track)
{
    if (!tpi_is_ballistic(component)) return tpi_track_predict(track);
    tpi_ballistic by = tpi_ballistic_of(component, frame);
    return tpi_ballistic_predict(track, &by);
}

TPI_INLINE void tpi_predictor_move(const tpi_tile_component *component, uint32_t frame,
                                   tpi_track *track, int32_t residual)
{
    if (!tpi_is_ballistic(component)) {
        tpi_track_move(track, &tpi_predictors[component->predictor], residual);
        return;
    }
    tpi_ballistic by = tpi_ballistic_of(component, frame);
    tpi_ballistic_move(track, &by, residual);
}

/* What is subtracted from the residual of a point: its leader's, or the mean of two. */
TPI_INLINE int32_t tpi_led_residual(const int32_t *residuals, uint32_t point, uint32_t follows,
                                    uint32_t second)
{
    if (!follows || point < follows) return 0;
    int32_t one = residuals[point - follows];
    if (!second || point < second) return one;
    int32_t other = residuals[point - second];
    return (one & other) + tpi_shift_down(one ^ other, 1); /* without overflow */
}

/* Symbol of a residual in a state: its quotient by the unit, rounded down, or the escape if the
   state has no such symbol. */
TPI_INLINE uint32_t tpi_residual_symbol(uint32_t state, int32_t residual)
{
    const uint32_t *steps = tpi_codec_steps + TPI_STATE_ROW(state);
    int32_t units = tpi_shift_down(residual, TPI_STEP_BITS(steps[TPI_CODEC_ZERO]));
    if (units < -8 || units > 8) return TPI_CODEC_ESCAPE;
    uint32_t symbol = (uint32_t)(units + 8);
    return steps[symbol] ? symbol : TPI_CODEC_ESCAPE;
}

/* Cost of a residual in sixteenths of a bit; advances *state. */
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

/* Delta coding of first positions and first velocities along the points: values of the point
   before, and the states. */
typedef struct tpi_tile_chain {
    int32_t position, velocity;
    uint16_t position_state, velocity_state;
} tpi_tile_chain;

typedef struct tpi_tile_header {
    uint32_t points, frames, components, halvings, coders;
    bool has_lives;
    uint32_t lives_at, raw_at, bits_at, stream_at; /* offsets in the tile */
    uint32_t raw_components;
    tpi_tile_component component[TPI_TILE_COMPONENTS];
} tpi_tile_header;

/* Number of coders stored in a tile: at most one per point; 0 if every component is raw. */
TPI_INLINE uint32_t tpi_tile_coders(uint32_t points, uint32_t halvings, bool is_raw)
{
    return is_raw ? 0u : tpi_min_u32(points, TPI_CODERS >> halvings);
}

/* Decoder of one tile, frame by frame. Holds no pointers, so that it may be part of a block. */
typedef struct tpi_tile_reader {
    tpi_tile_header header;
    uint32_t size;  /* of the tile */
    uint32_t frame; /* frames decoded so far */
    uint32_t at;    /* offset of the coders' next byte */
    uint32_t bit;   /* offset of the next raw bit in the tile */
    uint16_t coder[TPI_CODERS];
    bool is_damaged;
    tpi_tile_chain chain[TPI_TILE_COMPONENTS];
    /* lifetimes: frames first to end - 1 of the tile */
    uint8_t first[TPI_TILE_POINTS], end[TPI_TILE_POINTS];
    uint16_t state[TPI_TILE_COMPONENTS][TPI_TILE_POINTS];
    /* of the last decoded frame; in raw components the words */
    int32_t position[TPI_TILE_COMPONENTS][TPI_TILE_POINTS];
    int32_t velocity[TPI_TILE_COMPONENTS][TPI_TILE_POINTS];
    int32_t acceleration[TPI_TILE_COMPONENTS][TPI_TILE_POINTS];
    /* of the row being decoded; here and not on the stack, which is small on devices */
    uint32_t step[TPI_TILE_POINTS];
    int32_t residual[TPI_TILE_POINTS];
} tpi_tile_reader;

/* Begins to decode a tile of `size` bytes. False: the header is invalid. Cost O(points). */
TPI_FUNC bool tpi_tile_open(tpi_tile_reader *reader, const uint8_t *tile, uint32_t size);

/* Decodes the next frame into reader->position. Reads no byte outside the tile. False: no frame is
   left, or the tile is damaged. Cost: at most TPI_CODEC_ESCAPES + 1 symbols per point and
   component; with keys one more comparison.

   `keys`, if not null, receives one byte per point: 1 if the point has a key in this frame, else 0.
   A point has a key if it is in its third frame of the tile or later and one of these holds:

       a lattice component missed its prediction by more than the error bound
       a component is exact or raw: its distance from the prediction is not known

   Stored values are within the bound of the source's. Hence a residual above twice the bound is
   beyond it; a smaller one may be the choice of a cheaper coordinate. A following point inherits
   its leader's rounding, so its threshold is three times larger. */
TPI_FUNC bool tpi_tile_read_keys(tpi_tile_reader *reader, const uint8_t *tile, uint8_t *keys);
TPI_INLINE bool tpi_tile_read(tpi_tile_reader *reader, const uint8_t *tile)
{
    return tpi_tile_read_keys(reader, tile, NULL);
}

/* tpi_tile_read_keys with the vectors of the compiler's flags; then with vectors of 8 and 16
   numbers, see base/pass.h. */
TPI_FUNC bool tpi_tile_frame(tpi_tile_reader *reader, const uint8_t *tile, uint8_t *keys);
#if TIDEPOOL_DISPATCH && !defined(__AVX2__)
TPI_FUNC bool tpi_tile_frame_8(tpi_tile_reader *reader, const uint8_t *tile, uint8_t *keys);
#endif
#if TIDEPOOL_DISPATCH && TP_LANES_MAX >= 16
TPI_FUNC bool tpi_tile_frame_16(tpi_tile_reader *reader, const uint8_t *tile, uint8_t *keys);
#endif

/* After the last frame: true if all data was used up exactly, to the last bit. */
TPI_FUNC bool tpi_tile_is_whole(const tpi_tile_reader *reader);

/* True if a point is alive in the last decoded frame. */
TPI_INLINE bool tpi_tile_lives(const tpi_tile_reader *reader, uint32_t point)
{
    return reader->frame > reader->first[point] && reader->frame <= reader->end[point];
}

/* Dequantisation: value = origin + spacing * coordinate, with two roundings. */
typedef struct tpi_lattice {
    float origin;
    float quarter; /* of the error bound: an eighth of the spacing at fineness 0 */
} tpi_lattice;

TPI_INLINE float tpi_lattice_step(const tpi_lattice *lattice, uint32_t fineness)
{
    return lattice->quarter * (float)(8u - 2u * fineness);
}

/* Maps the bits of a float to an integer of the same order, so that close values give close
   integers. Its own inverse. */
TPI_INLINE int32_t tpi_ordered_bits(int32_t bits)
{
    return bits ^ (tpi_shift_down(bits, 31) & 0x7fffffff);
}

/* Writes a component of the last decoded frame, one word per point: dequantised floats, or the
   exact floats or integers. Cost O(points), vectorised. */
TPI_FUNC void tpi_tile_words(const tpi_tile_reader *reader, uint32_t component,
                             const tpi_lattice *lattice, bool is_float, uint32_t *words);

/* Input of the encoder: header, lifetimes, and a residual for every frame, component and point. */
typedef struct tpi_tile_plan {
    uint32_t points, frames, components;
    bool has_lives;
    uint8_t first[TPI_TILE_POINTS], end[TPI_TILE_POINTS];
    tpi_tile_component component[TPI_TILE_COMPONENTS];
    /* [frame][component][TPI_TILE_POINTS]: a point's first position, its first velocity, then
       residuals; positions and velocities without deltas along the points. In a RAW component the
       words */
    int32_t *residuals;
} tpi_tile_plan;

TPI_INLINE int32_t *tpi_plan_row(const tpi_tile_plan *plan, uint32_t frame, uint32_t component)
{
    return plan->residuals + (frame * plan->components + component) * TPI_TILE_POINTS;
}

/* True if the coder's state is that of a new point after a point's residual in this frame, its
   third one or later. */
TPI_INLINE bool tpi_plan_calms(const tpi_tile_plan *plan, uint32_t frame, uint32_t component,
                               uint32_t point)
{
    const tpi_tile_component *how = &plan->component[component];
    if (!tpi_is_ballistic(how)) return false;
    bool told =
        frame > plan->first[point] + 2u && tpi_plan_row(plan, frame - 1u, component)[point] != 0;
    return tpi_ballistic_calms(how->predictor == TPI_TELEPORTING, told,
                               tpi_plan_row(plan, frame, component)[point]);
}

/* Converts the lattice coordinates in a component's rows to first positions, first velocities and
   residuals of its predictor, in place. False: all but the first positions are 0. Values outside a
   point's lifetime are ignored and may change; so may the row entries after the last point, up to a
   multiple of TPI_PLAN_TOGETHER. Cost O(points * frames). */
TPI_FUNC bool tpi_plan_tracks(tpi_tile_plan *plan, uint32_t component);

/* Estimates the cost of a predictor: the sum of the bit lengths of its residuals. Input:
   coordinates [frame][point] of TPI_PLAN_TOGETHER points, point k over its first lives[k] frames.
   Cost O(frames). */
#define TPI_PLAN_TOGETHER 8u
TPI_FUNC uint32_t tpi_plan_try(const int32_t *places, const uint32_t *lives, uint32_t frames,
                               uint32_t predictor);

/* If the component follows: subtracts the leaders' residuals. Cost O(points * frames). */
TPI_FUNC void tpi_plan_follow(tpi_tile_plan *plan, uint32_t component);

/* Chooses base, delta coding and initial states of a component for the lowest cost. Cost
   O(candidates * points * frames). */
TPI_FUNC void tpi_plan_starts(tpi_tile_plan *plan, uint32_t component);

/* The cheapest initial state of a component's residuals, estimated from every `apart`th point. */
TPI_FUNC uint8_t tpi_plan_residual_start(const tpi_tile_plan *plan, uint32_t component,
                                         uint32_t apart);

/* Cost of a component's residuals in sixteenths of a bit. Cost O(points * frames). */
TPI_FUNC uint64_t tpi_plan_cost(const tpi_tile_plan *plan, uint32_t component);

/* Encodes a plan as a tile. `scratch` is aligned to 8 bytes; TPI_WRITER_WORDS + 1.5 * points *
   frames * components words are enough except for noise. Returns the tile's bytes; 0 if they exceed
   bytes_max or the scratch is full. */
#define TPI_WRITER_WORDS 480u
TPI_FUNC uint32_t tpi_tile_write(const tpi_tile_plan *plan, uint32_t *scratch,
                                 uint32_t scratch_words, uint8_t *bytes, uint32_t bytes_max);

#endif
