/* SPDX-License-Identifier: MIT
   host_tools/clip/lookahead_lanes.c - beam search for the residuals of points, a point per lane.
   reads   the lattice coordinates within the bound      writes  residuals
   memory  of the caller, 64 KiB of stack                cost    see lookahead.h
   after   own design: beams are ranked by coded bits plus a penalty if the prediction leaves the
           bound soon. Compiled once per width of vectors: see lookahead_8.c */
#include "lookahead.h"
#include <stddef.h>

/* A beam of each lane: a choice of the residuals up to a frame. */
typedef struct beam_lanes {
    tpi_lane_ints position, velocity, acceleration; /* of the track */
    tpi_lane_ints coder; /* cost in sixteenths of a bit << STATE_BITS | row in the table of costs */
} beam_lanes;
#define BEAM_WORDS (sizeof(beam_lanes) / sizeof(int32_t))
#define STATE_BITS 13u
#define STATE_MASK ((1 << STATE_BITS) - 1)
_Static_assert(TPI_CODEC_STATES *HOST_NEAR_ROW <= 1u << STATE_BITS, "a state has to fit");

/* A rank and the index of a candidate in one word. */
#define INDEX_BITS      7u /* of HOST_CANDIDATES */
#define CANDIDATES_MAX  HOST_CANDIDATES
#define RANK_NONE       (INT32_MAX >> INDEX_BITS) /* rank of an unused beam */
#define WORD_NONE       INT32_MAX
#define RANKS_APART     120 /* beams with a rank this much above the best one are dropped */
#define BALLISTIC_APART 100 /* the same with ballistic predictors, whose residuals are rare */

/* Beams are extrapolated SOON and LATER frames ahead without residuals. If the result is outside
   the bound, TURN_RANK (sixteenths of a bit) is added to the rank, because such a beam will need a
   residual. */
#define SOON      2u
#define LATER     8u
#define TURN_RANK 24

#define RESTING_STATES 17u /* the first states: runs of zeros; for a beam they are alike */

/* The bound some frames ahead. */
typedef struct span_lanes {
    tpi_lane_ints low, size;
    tpi_lane_mask is_there; /* false: the track ends before */
} span_lanes;

/* Directions in which an extrapolated track must turn to reach the bound. */
typedef struct turn_lanes {
    tpi_lane_mask up, down;
} turn_lanes;

typedef struct lanes_search {
    host_search *search;
    host_track **tracks;
    uint32_t count, beams; /* tracks of the batch, beam width */
    bool is_ballistic, has_drag;
    int32_t apart;             /* of ranks */
    uint32_t shortest, frames; /* of the shortest and the longest track */
    bool has_leaders, accelerates;
    tpi_lane_ints frames_of; /* of each track */
    /* the predictor */
    tpi_lane_ints velocity_gain, acceleration_gain, clamp;
    tpi_lane_mask is_moving;
    /* of ballistic predictors: tpi_ballistic in this frame, and what it follows from */
    tpi_lane_ints gained, drag, stopped, begun, constant, first, start;
    tpi_lane_mask teleports;
    /* of this frame */
    tpi_lane_ints low, size, led;
    span_lanes soon, later;
    /* the beams of the frame before, best first, and their ranks */
    beam_lanes beam[HOST_BEAMS_MAX];
    tpi_lane_ints rank[HOST_BEAMS_MAX];
    /* candidates of this frame: the best ones so far by word, in order, and a number for the motion
       of each */
    uint32_t offered;
    int32_t *residual, *from; /* of the candidates: in the search */
    tpi_lane_ints word[HOST_BEAMS_MAX], motion[HOST_BEAMS_MAX];
    beam_lanes offer[CANDIDATES_MAX + 1u];
} lanes_search;

/* ---- arithmetic that may wrap ---- */

TPI_INLINE tpi_lane_ints lanes_minus(tpi_lane_ints a, tpi_lane_ints b)
{
    return (tpi_lane_ints)((tpi_lane_words)a - (tpi_lane_words)b);
}

TPI_INLINE tpi_lane_ints lanes_times(tpi_lane_ints a, tpi_lane_ints b)
{
    return (tpi_lane_ints)((tpi_lane_words)a * (tpi_lane_words)b);
}

TPI_INLINE tpi_lane_ints lanes_shifted(tpi_lane_ints a, uint32_t bits)
{
    return (tpi_lane_ints)((tpi_lane_words)a << bits);
}

/* A blend is one instruction; what base/lanes.h makes of its masks is three. */
TPI_INLINE tpi_lane_ints lanes_select(tpi_lane_mask mask, tpi_lane_ints yes, tpi_lane_ints no)
{
#if defined(TPI_LANES_AVX2)
    return (tpi_lane_ints)_mm256_blendv_epi8((__m256i)no, (__m256i)yes, (__m256i)mask);
#else
    return tpi_lane_ints_select(mask, yes, no);
#endif
}

TPI_INLINE tpi_lane_ints lanes_min(tpi_lane_ints a, tpi_lane_ints b)
{
#if defined(TPI_LANES_AVX512)
    return (tpi_lane_ints)_mm512_min_epi32((__m512i)a, (__m512i)b);
#elif defined(TPI_LANES_AVX2)
    return (tpi_lane_ints)_mm256_min_epi32((__m256i)a, (__m256i)b);
#else
    return tpi_lane_ints_select(tpi_lane_ints_less(a, b), a, b);
#endif
}

TPI_INLINE tpi_lane_ints lanes_max(tpi_lane_ints a, tpi_lane_ints b)
{
#if defined(TPI_LANES_AVX512)
    return (tpi_lane_ints)_mm512_max_epi32((__m512i)a, (__m512i)b);
#elif defined(TPI_LANES_AVX2)
    return (tpi_lane_ints)_mm256_max_epi32((__m256i)a, (__m256i)b);
#else
    return tpi_lane_ints_select(tpi_lane_ints_less(a, b), b, a);
#endif
}

TPI_INLINE tpi_lane_ints lanes_where(tpi_lane_mask mask, int32_t value)
{
    return lanes_select(mask, tpi_lane_ints_of(value), tpi_lane_ints_of(0));
}

/* ---- costs ---- */

/* Costs of residuals that the tables do not have. */
static void huge_costs(uint32_t lanes, const int32_t *residual, const int32_t *state, int32_t *word)
{
    for (uint32_t k = 0; k < TPI_LANES; k++)
        if (lanes >> k & 1u)
            word[k] = (int32_t)host_cost_word((uint32_t)state[k] / HOST_NEAR_ROW, residual[k]);
}

/* Words of residuals that the first table does not have, in the lanes of the mask. */
static tpi_lane_ints far_words(const host_search *search, tpi_lane_ints state,
                               tpi_lane_ints residual, tpi_lane_mask mask, tpi_lane_ints word)
{
    const tpi_lane_ints most = tpi_lane_ints_of(HOST_NEAR), least = tpi_lane_ints_of(-HOST_NEAR);
    for (uint32_t k = 1; k < HOST_COST_TABLES; k++) {
        tpi_lane_ints units = residual >> 2u * k, near = lanes_min(lanes_max(units, least), most);
        tpi_lane_mask is_in = tpi_lanes_and(mask, tpi_lane_ints_equal(near, units));
        if (!tpi_lanes_any(is_in)) continue;
        tpi_lane_ints here =
            tpi_lane_ints_gather(search->costs + k * HOST_COSTS, state + near + most);
        word = lanes_select(is_in, here, word);
        mask = tpi_lanes_and(mask, tpi_lanes_not(is_in));
        if (!tpi_lanes_any(mask)) return word;
    }
    int32_t huge[3][TPI_LANES];
    tpi_lane_ints_store(huge[0], residual), tpi_lane_ints_store(huge[1], state);
    tpi_lane_ints_store(huge[2], word);
    huge_costs(tpi_lanes_bits(mask), huge[0], huge[1], huge[2]);
    return tpi_lane_ints_load(huge[2]);
}

/* Cost of a residual in a state; sets the next state. */
TPI_INLINE tpi_lane_ints residual_costs(const host_search *search, tpi_lane_ints state,
                                        tpi_lane_ints residual, tpi_lane_mask mask,
                                        tpi_lane_ints *next)
{
    const tpi_lane_ints most = tpi_lane_ints_of(HOST_NEAR), least = tpi_lane_ints_of(-HOST_NEAR);
    tpi_lane_ints near = lanes_min(lanes_max(residual, least), most),
                  word = tpi_lane_ints_gather(search->costs, state + near + most);
    tpi_lane_mask is_far = tpi_lanes_and(mask, tpi_lanes_not(tpi_lane_ints_equal(near, residual)));
    if (TPI_UNLIKELY(tpi_lanes_any(is_far)))
        word = far_words(search, state, residual, is_far, word);
    *next = (tpi_lane_ints)((tpi_lane_words)word >> 16);
    return word & tpi_lane_ints_of(0xffff);
}

/* Estimated cost of a first velocity: half of its bits, because it is coded as a difference to its
   neighbour's. The bits are those of the float, which has rounded. */
TPI_INLINE tpi_lane_ints velocity_costs(tpi_lane_ints velocity)
{
    tpi_lanes value = tpi_lanes_from_ints(velocity);
    tpi_lane_ints bits;
    tpi_memcpy(&bits, &value, sizeof bits);
    bits = (bits >> 23 & tpi_lane_ints_of(255)) - tpi_lane_ints_of(126);
    return lanes_times(lanes_max(bits, tpi_lane_ints_of(0)), tpi_lane_ints_of(8));
}

/* ---- lookahead ---- */

/* The bound `ahead` frames after f, minus the displacement that the leader's residuals cause until
   then. */
static span_lanes span_ahead(const lanes_search *lanes, uint32_t f, uint32_t ahead)
{
    const host_search *search = lanes->search;
    uint32_t at = tpi_min_u32(f + ahead, lanes->frames - 1u) * TPI_LANES;
    span_lanes span = {
        tpi_lane_ints_load(search->low + at), tpi_lane_ints_load(search->size + at),
        tpi_lane_ints_less(tpi_lane_ints_of((int32_t)(f + ahead)), lanes->frames_of)};
    if (!lanes->has_leaders) return span;
    tpi_lane_ints moved = tpi_lane_ints_of(0);
    for (uint32_t k = 1; k <= ahead && f + k < lanes->frames; k++) {
        tpi_lane_ints led = tpi_lane_ints_load(search->led + (f + k) * TPI_LANES),
                      gain = lanes->velocity_gain * tpi_lane_ints_of((int32_t)(ahead - k));
        moved = tpi_lane_ints_add(moved, lanes_times(led, tpi_lane_ints_of(16) + gain));
    }
    span.low = lanes_minus(span.low, moved >> 4);
    return span;
}

/* Displacement of a beam some frames ahead. */
TPI_INLINE tpi_lane_ints lanes_ahead(const beam_lanes *beam, uint32_t ahead)
{
    tpi_lane_ints velocity = lanes_times(beam->velocity, tpi_lane_ints_of((int32_t)ahead)),
                  gained = lanes_times(beam->acceleration,
                                       tpi_lane_ints_of((int32_t)(ahead * ahead / 2u)));
    return tpi_lane_ints_add(tpi_lane_ints_add(velocity, gained), tpi_lane_ints_of(8)) >> 4;
}

/* ---- ballistic predictors: the words of a beam are those of tpi_track */

/* Velocity that is gained in a frame: of the acceleration and by drag. */
TPI_INLINE tpi_lane_ints lanes_gained(const lanes_search *lanes, tpi_lane_ints velocity)
{
    if (!lanes->has_drag) return lanes->gained;
    tpi_lane_ints lost = lanes_times(velocity, lanes->drag);
    return lanes_minus(lanes->gained, tpi_lane_ints_add(lost, tpi_lane_ints_of(32768)) >> 16);
}

TPI_INLINE tpi_lane_ints lanes_since(tpi_lane_ints acceleration)
{
    return acceleration >> 8 & tpi_lane_ints_of(15);
}

TPI_INLINE tpi_lane_mask lanes_rest(tpi_lane_ints acceleration)
{
    return tpi_lane_ints_equal(lanes_since(acceleration), tpi_lane_ints_of(0));
}

TPI_INLINE tpi_lane_ints ballistic_ahead(const lanes_search *lanes, const beam_lanes *beam,
                                         uint32_t ahead)
{
    tpi_lane_ints zero = tpi_lane_ints_of(0), fraction = beam->acceleration & tpi_lane_ints_of(255),
                  gained = lanes_select(lanes_rest(beam->acceleration), zero,
                                        lanes_gained(lanes, beam->velocity)),
                  velocity = lanes_times(beam->velocity, tpi_lane_ints_of((int32_t)ahead));
    gained = lanes_times(gained, tpi_lane_ints_of((int32_t)(ahead * (ahead + 1u) / 2u)));
    return tpi_lane_ints_add(tpi_lane_ints_add(velocity, gained), fraction) >> 8;
}

/* The beam's velocity in this frame, before its residual. */
TPI_INLINE tpi_lane_ints ballistic_velocity(const lanes_search *lanes, const beam_lanes *beam)
{
    tpi_lane_ints velocity = tpi_lane_ints_add(beam->velocity, lanes_gained(lanes, beam->velocity));
    return lanes_select(lanes_rest(beam->acceleration), tpi_lane_ints_of(0), velocity);
}

TPI_INLINE tpi_lane_mask lanes_shock(tpi_lane_ints residual)
{
    return tpi_lanes_or(tpi_lane_ints_less(tpi_lane_ints_of(2), residual),
                        tpi_lane_ints_less(residual, tpi_lane_ints_of(-2)));
}

/* tpi_ballistic_calms: the state after a residual. */
TPI_INLINE tpi_lane_ints ballistic_state(const lanes_search *lanes, const beam_lanes *beam,
                                         tpi_lane_ints residual, tpi_lane_ints state)
{
    const tpi_lane_ints most = tpi_lane_ints_of((int32_t)TPI_BALLISTIC_TOLD - 1);
    tpi_lane_mask calms =
        tpi_lanes_or(tpi_lanes_and(tpi_lane_ints_equal(residual, tpi_lane_ints_of(0)),
                                   tpi_lane_ints_less(most, beam->acceleration)),
                     tpi_lanes_and(lanes->teleports, lanes_shock(residual)));
    return lanes_select(calms, lanes->start, state);
}

/* tpi_ballistic_move: sets the motion of `next`, whose position is set. */
TPI_INLINE void ballistic_move(const lanes_search *lanes, const beam_lanes *beam,
                               tpi_lane_ints residual, beam_lanes *next)
{
    const tpi_lane_ints zero = tpi_lane_ints_of(0), one = tpi_lane_ints_of(1);
    tpi_lane_ints velocity = ballistic_velocity(lanes, beam),
                  since = lanes_since(beam->acceleration),
                  fraction =
                      tpi_lane_ints_add(velocity, beam->acceleration) & tpi_lane_ints_of(255);
    tpi_lane_mask is_zero = tpi_lane_ints_equal(residual, zero), is_shock = lanes_shock(residual),
                  jumps = tpi_lanes_and(tpi_lanes_and(is_shock, lanes->teleports),
                                        tpi_lane_ints_less(one, since)),
                  stops = tpi_lanes_and(tpi_lanes_not(is_zero),
                                        tpi_lane_ints_equal(next->position, beam->position)),
                  counts = tpi_lanes_and(tpi_lane_ints_less(zero, since),
                                         tpi_lane_ints_less(since, tpi_lane_ints_of(15)));
    tpi_lane_ints gain = lanes_select(is_shock, tpi_lane_ints_of(256),
                                      tpi_lane_ints_gather(lanes->search->gains, since)),
                  later = lanes_select(counts, tpi_lane_ints_add(since, one), since),
                  told = lanes_select(is_zero, zero, tpi_lane_ints_of((int32_t)TPI_BALLISTIC_TOLD));
    later = lanes_select(jumps, since >> 1, lanes_select(is_zero, later, one));
    velocity = tpi_lane_ints_add(velocity, lanes_select(jumps, zero, lanes_times(gain, residual)));
    next->velocity = lanes_select(stops, zero, velocity);
    next->acceleration =
        lanes_select(stops, lanes->stopped, lanes_shifted(later, 8) | fraction | told);
}

/* ---- turns */

TPI_INLINE turn_lanes find_turns(const lanes_search *lanes, bool flies, const span_lanes *span,
                                 const beam_lanes *beam, uint32_t ahead)
{
    tpi_lane_ints moved = flies ? ballistic_ahead(lanes, beam, ahead) : lanes_ahead(beam, ahead),
                  over = lanes_minus(tpi_lane_ints_add(beam->position, moved), span->low);
    return (turn_lanes){
        tpi_lanes_and(span->is_there, tpi_lane_ints_less(over, tpi_lane_ints_of(0))),
        tpi_lanes_and(span->is_there, tpi_lane_ints_less(span->size, over))};
}

/* ---- the best candidates ---- */

/* A number of a beam's motion and state. Two beams with the same number continue alike, so that
   only the better one is kept. Different beams rarely have the same one; then a beam is lost. */
TPI_INLINE tpi_lane_ints motion_of(bool flies, const beam_lanes *beam, tpi_lane_ints state)
{
    const tpi_lane_ints resting = tpi_lane_ints_of((int32_t)(RESTING_STATES * HOST_NEAR_ROW));
    tpi_lane_ints alike =
        lanes_select(tpi_lane_ints_less(state, resting), tpi_lane_ints_of(0), state);
    if (flies)
        return beam->position ^ lanes_shifted(beam->velocity, 5) ^
               lanes_shifted(beam->acceleration, 20) ^ lanes_shifted(alike, 17) ^
               lanes_shifted(alike, 3);
    return beam->position ^ lanes_shifted(beam->velocity, 7) ^
           lanes_shifted(beam->acceleration, 17) ^ lanes_shifted(alike, 19) ^
           lanes_shifted(alike, 3);
}

/* Inserts a word into the list, unless its motion is there with a better one; removes a worse one
   of its motion, and drops the last word. */
TPI_INLINE void list_word(lanes_search *lanes, tpi_lane_ints word, tpi_lane_ints motion)
{
    const tpi_lane_ints none = tpi_lane_ints_of(WORD_NONE), new_word = word, new_motion = motion;
    for (uint32_t k = 0; k < lanes->beams; k++) {
        tpi_lane_ints other = lanes->word[k], other_motion = lanes->motion[k];
        tpi_lane_mask is_same = tpi_lane_ints_equal(other_motion, new_motion),
                      is_better = tpi_lane_ints_less(other, new_word),
                      is_beaten = tpi_lanes_and(is_same, tpi_lanes_not(is_better));
        word = lanes_select(tpi_lanes_and(is_same, is_better), none, word);
        other = lanes_select(is_beaten, none, other);
        tpi_lane_mask is_less = tpi_lane_ints_less(word, other);
        lanes->word[k] = lanes_min(word, other);
        lanes->motion[k] = lanes_select(is_less, motion, other_motion);
        word = lanes_max(word, other);
        motion = lanes_select(is_less, other_motion, motion);
    }
}

/* Candidates of this rank or above are not listed: the list is full, or the frame after would drop
   them. */
TPI_INLINE tpi_lane_ints rank_limit(const lanes_search *lanes)
{
    return lanes_min(lanes->word[lanes->beams - 1u] >> INDEX_BITS,
                     (lanes->word[0] >> INDEX_BITS) + tpi_lane_ints_of(lanes->apart));
}

/* Ranks the next candidate by cost and lookahead, and lists it in the lanes of the mask where it is
   good enough. Returns the directions in which it must turn. */
TPI_INLINE turn_lanes offer_beam(lanes_search *lanes, bool flies, tpi_lane_ints cost,
                                 tpi_lane_ints state, tpi_lane_ints residual, uint32_t from,
                                 tpi_lane_mask mask)
{
    beam_lanes *beam = &lanes->offer[lanes->offered];
    turn_lanes soon = find_turns(lanes, flies, &lanes->soon, beam, SOON),
               later = find_turns(lanes, flies, &lanes->later, beam, LATER);
    tpi_lane_ints rank = cost + lanes_where(tpi_lanes_or(soon.up, soon.down), TURN_RANK) +
                         lanes_where(tpi_lanes_or(later.up, later.down), TURN_RANK);
    tpi_lane_mask is_good = tpi_lanes_and(mask, tpi_lane_ints_less(rank, rank_limit(lanes)));
    if (tpi_lanes_any(is_good)) {
        tpi_lane_ints word =
            lanes_shifted(rank, INDEX_BITS) | tpi_lane_ints_of((int32_t)lanes->offered);
        list_word(lanes, lanes_select(is_good, word, tpi_lane_ints_of(WORD_NONE)),
                  motion_of(flies, beam, state));
        beam->coder = lanes_shifted(cost, STATE_BITS) | state;
        tpi_lane_ints_store(lanes->residual + lanes->offered * TPI_LANES, residual);
        tpi_lane_ints_store(lanes->from + lanes->offered * TPI_LANES,
                            tpi_lane_ints_of((int32_t)from));
        lanes->offered++;
    }
    return (turn_lanes){tpi_lanes_and(mask, tpi_lanes_or(soon.up, later.up)),
                        tpi_lanes_and(mask, tpi_lanes_or(soon.down, later.down))};
}

/* Extends beam k, whose prediction is `from`, by a residual in the lanes of the mask. Returns the
   directions in which the new beam must turn; none if it costs too much. */
TPI_INLINE turn_lanes extend_beam(lanes_search *lanes, bool flies, uint32_t k, tpi_lane_ints from,
                                  tpi_lane_ints residual, tpi_lane_mask mask)
{
    const beam_lanes *beam = &lanes->beam[k];
    beam_lanes *next = &lanes->offer[lanes->offered];
    tpi_lane_ints state = beam->coder & tpi_lane_ints_of(STATE_MASK),
                  cost = (tpi_lane_ints)((tpi_lane_words)beam->coder >> STATE_BITS) +
                         residual_costs(lanes->search, state, residual, mask, &state);
    mask = tpi_lanes_and(mask, tpi_lane_ints_less(cost, rank_limit(lanes)));
    if (!tpi_lanes_any(mask)) return (turn_lanes){mask, mask};
    tpi_lane_ints all = tpi_lane_ints_add(residual, lanes->led), zero = tpi_lane_ints_of(0),
                  clamped = lanes_max(lanes_min(all, lanes->clamp), zero - lanes->clamp);
    next->position = tpi_lane_ints_add(from, residual);
    if (flies) {
        ballistic_move(lanes, beam, all, next);
        state = ballistic_state(lanes, beam, all, state);
        return offer_beam(lanes, flies, cost, state, all, k, mask);
    }
    next->velocity = tpi_lane_ints_add(tpi_lane_ints_add(beam->velocity, beam->acceleration),
                                       lanes_times(lanes->velocity_gain, all));
    next->acceleration =
        tpi_lane_ints_add(beam->acceleration, lanes_times(lanes->acceleration_gain, clamped));
    return offer_beam(lanes, flies, cost, state, all, k, mask);
}

/* Displacement that the beam's predictor adds in a frame. */
TPI_INLINE tpi_lane_ints lanes_predict(const lanes_search *lanes, bool flies,
                                       const beam_lanes *beam)
{
    if (flies)
        return tpi_lane_ints_add(ballistic_velocity(lanes, beam),
                                 beam->acceleration & tpi_lane_ints_of(255)) >>
               8;
    return tpi_lane_ints_add(tpi_lane_ints_add(beam->velocity, beam->acceleration >> 1),
                             tpi_lane_ints_of(8)) >>
           4;
}

/* Extends a moving beam to where it was, if that is within the bound and not offered yet: it
   stops. */
TPI_INLINE void stop_beam(lanes_search *lanes, uint32_t k, tpi_lane_ints from, tpi_lane_ints near,
                          tpi_lane_mask mask)
{
    const beam_lanes *beam = &lanes->beam[k];
    tpi_lane_ints residual = lanes_minus(beam->position, from),
                  over = lanes_minus(beam->position, lanes->low);
    tpi_lane_mask is_out = tpi_lanes_or(tpi_lane_ints_less(over, tpi_lane_ints_of(0)),
                                        tpi_lane_ints_less(lanes->size, over));
    is_out = tpi_lanes_or(is_out, tpi_lane_ints_equal(residual, near));
    mask = tpi_lanes_and(mask, tpi_lanes_not(is_out));
    if (tpi_lanes_any(mask)) (void)extend_beam(lanes, true, k, from, residual, mask);
}

/* Extends a beam to the predicted coordinate, or the nearest one within the bound, and to the
   neighbours of that in the directions in which it must turn. */
TPI_INLINE void search_beam(lanes_search *lanes, bool flies, uint32_t k, tpi_lane_mask mask)
{
    const beam_lanes *beam = &lanes->beam[k];
    const tpi_lane_ints zero = tpi_lane_ints_of(0), one = tpi_lane_ints_of(1);
    tpi_lane_ints moved = lanes_predict(lanes, flies, beam),
                  from = tpi_lane_ints_add(tpi_lane_ints_add(beam->position, moved), lanes->led),
                  low = lanes_minus(lanes->low, from), high = tpi_lane_ints_add(low, lanes->size),
                  near = lanes_min(lanes_max(zero, low), high);
    turn_lanes turn = extend_beam(lanes, flies, k, from, near, mask);
    tpi_lane_mask is_off = tpi_lanes_not(tpi_lane_ints_equal(near, zero)),
                  down =
                      tpi_lanes_and(tpi_lanes_or(turn.down, is_off), tpi_lane_ints_less(low, near)),
                  up = tpi_lanes_and(tpi_lanes_or(turn.up, is_off), tpi_lane_ints_less(near, high));
    down = tpi_lanes_and(down, mask), up = tpi_lanes_and(up, mask);
    if (tpi_lanes_any(down)) (void)extend_beam(lanes, flies, k, from, lanes_minus(near, one), down);
    if (tpi_lanes_any(up))
        (void)extend_beam(lanes, flies, k, from, tpi_lane_ints_add(near, one), up);
    if (flies) stop_beam(lanes, k, from, near, mask);
}

/* ---- frames ---- */

static void frame_begin(lanes_search *lanes, uint32_t f)
{
    const host_search *search = lanes->search;
    if (lanes->is_ballistic) {
        tpi_lane_ints at = tpi_lane_ints_add(lanes->first, tpi_lane_ints_of((int32_t)f)),
                      before = lanes_times(lanes->constant, at),
                      after = tpi_lane_ints_add(before, lanes->constant);
        lanes->gained = lanes_minus(after >> 8, before >> 8);
    }
    lanes->low = tpi_lane_ints_load(search->low + f * TPI_LANES);
    lanes->size = tpi_lane_ints_load(search->size + f * TPI_LANES);
    lanes->led = tpi_lane_ints_load(search->led + f * TPI_LANES);
    lanes->soon = span_ahead(lanes, f, SOON);
    lanes->later = span_ahead(lanes, f, LATER);
    lanes->offered = 0;
    lanes->residual = lanes->search->residual + f * CANDIDATES_MAX * TPI_LANES;
    lanes->from = lanes->search->from + f * CANDIDATES_MAX * TPI_LANES;
    for (uint32_t k = 0; k < lanes->beams; k++)
        lanes->word[k] = tpi_lane_ints_of(WORD_NONE), lanes->motion[k] = tpi_lane_ints_of(0);
}

/* The word of each lane's candidate at an offset in beam_lanes. */
TPI_INLINE tpi_lane_ints take_word(const lanes_search *lanes, tpi_lane_ints index, size_t offset)
{
    return tpi_lane_ints_gather((const char *)lanes->offer + offset, index);
}

/* The listed candidates become the beams. */
TPI_INLINE void frame_end(lanes_search *lanes, uint32_t f)
{
    const tpi_lane_ints first = tpi_lane_ints_counted(0), zero = tpi_lane_ints_of(0);
    for (uint32_t k = 0; k < lanes->beams; k++) {
        tpi_lane_ints rank = lanes->word[k] >> INDEX_BITS,
                      which = lanes_select(tpi_lane_ints_equal(rank, tpi_lane_ints_of(RANK_NONE)),
                                           zero, lanes->word[k] & tpi_lane_ints_of(CANDIDATES_MAX)),
                      at = which * tpi_lane_ints_of((int32_t)BEAM_WORDS) + first;
        beam_lanes *beam = &lanes->beam[k];
        beam->position = take_word(lanes, at, offsetof(beam_lanes, position));
        beam->velocity = take_word(lanes, at, offsetof(beam_lanes, velocity));
        beam->acceleration =
            lanes->accelerates ? take_word(lanes, at, offsetof(beam_lanes, acceleration)) : zero;
        beam->coder = take_word(lanes, at, offsetof(beam_lanes, coder));
        lanes->rank[k] = rank;
        tpi_lane_ints_store(lanes->search->chosen + (f * lanes->beams + k) * TPI_LANES, which);
    }
}

/* Starts beams at the middle coordinates of the first frame's bound. */
static void search_first(lanes_search *lanes, const tpi_lane_ints start)
{
    frame_begin(lanes, 0);
    const tpi_lane_ints zero = tpi_lane_ints_of(0);
    tpi_lane_ints available = lanes->size + tpi_lane_ints_of(1),
                  count = lanes_min(available, tpi_lane_ints_of((int32_t)lanes->beams)),
                  begin = tpi_lane_ints_add(lanes->low, (available - count) >> 1);
    for (uint32_t k = 0; k < lanes->beams; k++) {
        tpi_lane_ints index = tpi_lane_ints_of((int32_t)k),
                      position = tpi_lane_ints_add(begin, index);
        lanes->offer[k] = (beam_lanes){position, zero, zero, start};
        tpi_lane_ints_store(lanes->residual + k * TPI_LANES, position);
        tpi_lane_ints_store(lanes->from + k * TPI_LANES, zero);
        lanes->word[k] =
            lanes_select(tpi_lane_ints_less(index, count), index, tpi_lane_ints_of(WORD_NONE));
    }
    frame_end(lanes, 0);
}

/* Extends one first coordinate to all coordinates of the second frame. */
static void search_second(lanes_search *lanes, bool flies, uint32_t k, tpi_lane_mask mask)
{
    const beam_lanes *beam = &lanes->beam[k];
    for (int32_t above = 0; lanes->offered < CANDIDATES_MAX; above++) {
        tpi_lane_mask is_in = tpi_lanes_and(
            mask, tpi_lanes_not(tpi_lane_ints_less(lanes->size, tpi_lane_ints_of(above))));
        if (!tpi_lanes_any(is_in)) break;
        tpi_lane_ints position = tpi_lane_ints_add(lanes->low, tpi_lane_ints_of(above)),
                      velocity = lanes_minus(position, beam->position),
                      sixteenths = lanes_shifted(velocity, 4), zero = tpi_lane_ints_of(0);
        beam_lanes *next = &lanes->offer[lanes->offered];
        next->position = position;
        next->velocity = lanes_select(lanes->is_moving, sixteenths, zero);
        next->acceleration = zero;
        if (flies) {
            next->velocity = lanes_shifted(velocity, 8);
            next->acceleration =
                lanes_select(tpi_lane_ints_equal(velocity, zero), lanes->begun,
                             tpi_lane_ints_of((int32_t)(TPI_BALLISTIC_SINCE | TPI_BALLISTIC_HALF)));
        }
        (void)offer_beam(lanes, flies, velocity_costs(velocity),
                         beam->coder & tpi_lane_ints_of(STATE_MASK), velocity, k, is_in);
    }
}

TPI_INLINE uint32_t cost_of(const lanes_search *lanes, uint32_t beam, uint32_t lane)
{
    return (uint32_t)TPI_LANE(lanes->beam[beam].coder, lane) >> STATE_BITS;
}

/* Traces the cheapest beam of a track's last frame back, and stores its residuals. */
static void track_end(const lanes_search *lanes, uint32_t lane)
{
    const host_search *search = lanes->search;
    host_track *track = lanes->tracks[lane];
    uint32_t best = 0;
    for (uint32_t k = 1; k < lanes->beams; k++)
        if (TPI_LANE(lanes->rank[k], lane) != RANK_NONE &&
            cost_of(lanes, k, lane) < cost_of(lanes, best, lane))
            best = k;
    track->cost = cost_of(lanes, best, lane);
    for (uint32_t f = track->frames; track->residuals && f-- > 0;) {
        uint32_t which = (uint32_t)search->chosen[(f * lanes->beams + best) * TPI_LANES + lane],
                 at = (f * CANDIDATES_MAX + which) * TPI_LANES + lane;
        track->residuals[f * track->stride] = search->residual[at];
        best = (uint32_t)search->from[at];
    }
}

TPI_INLINE void tracks_end(const lanes_search *lanes, uint32_t f)
{
    if (f + 1u < lanes->shortest) return;
    for (uint32_t k = 0; k < lanes->count; k++)
        if (lanes->tracks[k]->frames == f + 1u) track_end(lanes, k);
}

/* ---- a batch ---- */

/* Copies the bounds and leaders of a track to its lane. Unused lanes repeat the last track. */
static void copy_track(lanes_search *lanes, uint32_t lane)
{
    host_search *search = lanes->search;
    const host_track *track = lanes->tracks[tpi_min_u32(lane, lanes->count - 1u)];
    for (uint32_t f = 0; f < lanes->frames; f++) {
        uint32_t of = tpi_min_u32(f, track->frames - 1u), at = f * TPI_LANES + lane;
        search->low[at] = track->low[of];
        search->size[at] = track->high[of] - track->low[of];
        search->led[at] = track->led && f >= 2u ? track->led[of] : 0;
    }
}

static void batch_ballistic(lanes_search *lanes)
{
    int32_t is[5][TPI_LANES];
    lanes->is_ballistic = lanes->tracks[0]->predictor >= TPI_BALLISTIC;
    lanes->has_drag = false;
    lanes->apart = lanes->is_ballistic ? BALLISTIC_APART : RANKS_APART;
    if (!lanes->is_ballistic) return;
    for (uint32_t k = 0; k < TPI_LANES; k++) {
        const host_track *track = lanes->tracks[tpi_min_u32(k, lanes->count - 1u)];
        lanes->has_drag |= track->drag != 0;
        is[0][k] = track->acceleration, is[1][k] = (int32_t)track->drag;
        is[2][k] = track->predictor == TPI_TELEPORTING, is[4][k] = (int32_t)track->first;
        is[3][k] = (int32_t)((track->acceleration ? 0 : TPI_BALLISTIC_SINCE) | TPI_BALLISTIC_HALF);
    }
    lanes->constant = tpi_lane_ints_load(is[0]), lanes->drag = tpi_lane_ints_load(is[1]);
    lanes->teleports = tpi_lane_ints_equal(tpi_lane_ints_load(is[2]), tpi_lane_ints_of(1));
    lanes->begun = tpi_lane_ints_load(is[3]), lanes->first = tpi_lane_ints_load(is[4]);
    lanes->stopped = lanes->begun | tpi_lane_ints_of((int32_t)TPI_BALLISTIC_TOLD);
}

static tpi_lane_ints batch_begin(lanes_search *lanes)
{
    int32_t is[6][TPI_LANES];
    batch_ballistic(lanes);
    lanes->shortest = UINT32_MAX, lanes->frames = 0;
    lanes->has_leaders = false, lanes->accelerates = lanes->is_ballistic;
    for (uint32_t k = 0; k < lanes->count; k++) {
        lanes->frames = tpi_max_u32(lanes->frames, lanes->tracks[k]->frames);
        lanes->shortest = tpi_min_u32(lanes->shortest, lanes->tracks[k]->frames);
        lanes->has_leaders |= lanes->tracks[k]->led != NULL;
    }
    for (uint32_t k = 0; k < TPI_LANES; k++) {
        const host_track *track = lanes->tracks[tpi_min_u32(k, lanes->count - 1u)];
        const tpi_predictor *how = &tpi_predictors[lanes->is_ballistic ? 0u : track->predictor];
        copy_track(lanes, k);
        lanes->accelerates |= how->acceleration_gain != 0;
        is[0][k] = how->velocity_gain, is[1][k] = how->acceleration_gain, is[2][k] = how->clamp;
        is[3][k] = how->is_moving, is[4][k] = (int32_t)track->frames;
        is[5][k] = (int32_t)(track->start * HOST_NEAR_ROW);
    }
    lanes->velocity_gain = tpi_lane_ints_load(is[0]);
    lanes->acceleration_gain = tpi_lane_ints_load(is[1]);
    lanes->clamp = tpi_lane_ints_load(is[2]);
    lanes->is_moving = tpi_lane_ints_equal(tpi_lane_ints_load(is[3]), tpi_lane_ints_of(1));
    lanes->frames_of = tpi_lane_ints_load(is[4]);
    return lanes->start = tpi_lane_ints_load(is[5]);
}

/* All frames but the first. `flies`: the predictors are ballistic. Compiled for each value. */
TPI_INLINE void search_frames(lanes_search *lanes, bool flies)
{
    for (uint32_t f = 1; f < lanes->frames; f++) {
        tpi_lane_ints most = lanes->rank[0] + tpi_lane_ints_of(lanes->apart);
        frame_begin(lanes, f);
        for (uint32_t k = 0; k < lanes->beams; k++) {
            tpi_lane_mask mask = tpi_lane_ints_less(lanes->rank[k], most);
            if (!tpi_lanes_any(mask)) break;
            if (f == 1u)
                search_second(lanes, flies, k, mask);
            else
                search_beam(lanes, flies, k, mask);
        }
        frame_end(lanes, f);
        tracks_end(lanes, f);
    }
}

static void search_batch(lanes_search *lanes)
{
    search_first(lanes, batch_begin(lanes));
    tracks_end(lanes, 0);
    if (lanes->is_ballistic)
        search_frames(lanes, true);
    else
        search_frames(lanes, false);
}

void host_search_lanes(host_search *search, uint32_t beams, host_track **tracks, uint32_t count)
{
    lanes_search lanes;
    lanes.search = search;
    lanes.beams = beams;
    for (uint32_t k = 0; k < count; k += TPI_LANES) {
        lanes.tracks = tracks + k;
        lanes.count = tpi_min_u32(count - k, TPI_LANES);
        search_batch(&lanes);
    }
}

/* ---- coordinates within the bound */

/* FEW frames at once. Compilers vectorise no loop for other vectors than their flags have. */
#if TPI_LANES == 1
#define FEW 1u
typedef double few_doubles;
typedef float few_floats;
typedef int32_t few_ints;
#define FEW_CONVERT(value, type) ((type)(value))
#else
#define FEW                      (TPI_LANES / 2u)
typedef double few_doubles __attribute__((vector_size(8u * FEW)));
typedef int64_t few_longs __attribute__((vector_size(8u * FEW)));
typedef float few_floats __attribute__((vector_size(4u * FEW)));
typedef int32_t few_ints __attribute__((vector_size(4u * FEW)));
#define FEW_CONVERT(value, type) __builtin_convertvector(value, type)
#endif

/* What coordinates are searched with; all elements of a vector are alike. */
typedef struct few_lattice {
    few_floats origin, step;
    few_doubles bound, inverse, from;
} few_lattice;

/* -1 if the value of a coordinate is beyond the bound, else 0. */
TPI_INLINE few_ints are_beyond(const few_lattice *lattice, few_ints coordinate, few_doubles value)
{
    few_floats decoded = lattice->origin + lattice->step * FEW_CONVERT(coordinate, few_floats);
    few_doubles error = FEW_CONVERT(decoded, few_doubles) - value;
#if TPI_LANES == 1
    return -(int32_t)((error > lattice->bound) | (error < -lattice->bound));
#else
    few_longs is_beyond = (error > lattice->bound) | (error < -lattice->bound);
    return FEW_CONVERT(is_beyond, few_ints);
#endif
}

TPI_INLINE few_doubles few_between(few_doubles value, few_doubles most)
{
#if TPI_LANES == 1
    value = value > -most ? value : -most;
    return value < most ? value : most;
#else
    few_longs is_in = value > -most; /* false for NaN */
    value = (few_doubles)(((few_longs)value & is_in) | ((few_longs)-most & ~is_in));
    is_in = value < most;
    return (few_doubles)(((few_longs)value & is_in) | ((few_longs)most & ~is_in));
#endif
}

/* Without branches: at each end two coordinates may be beyond the bound, because of rounding.
   Returns words that are not 0 if that is not enough. */
TPI_INLINE few_ints few_coordinates(const few_lattice *lattice, few_floats values, few_ints *low,
                                    few_ints *high)
{
    const few_doubles most = (few_doubles){0} + 1e9;
    few_doubles value = FEW_CONVERT(values, few_doubles),
                from = (value - lattice->bound - lattice->from) * lattice->inverse,
                to = (value + lattice->bound - lattice->from) * lattice->inverse;
    few_ints first = FEW_CONVERT(few_between(from, most), few_ints) - 1,
             last = FEW_CONVERT(few_between(to, most), few_ints) + 1,
             up = are_beyond(lattice, first, value), down = are_beyond(lattice, last, value);
    first -= up + (up & are_beyond(lattice, first + 1, value));
    last += down + (down & are_beyond(lattice, last - 1, value));
    *low = first, *high = last;
    return are_beyond(lattice, first, value) | are_beyond(lattice, last, value) | (first > last) |
           (first < -999999990) | (last > 999999990);
}

/* The coordinates of FEW frames. Returns words that are not 0 if they are not found. */
TPI_INLINE few_ints find_few(const few_lattice *lattice, const float *values, int32_t *lows,
                             int32_t *highs)
{
    few_floats of;
    few_ints low, high;
    tpi_memcpy(&of, values, sizeof of);
    few_ints bad = few_coordinates(lattice, of, &low, &high);
    tpi_memcpy(lows, &low, sizeof low), tpi_memcpy(highs, &high, sizeof high);
    return bad;
}

bool host_coordinates_lanes(const float *values, uint32_t frames, float origin, float step,
                            double bound, int32_t *lows, int32_t *highs)
{
    const few_floats no_floats = {0};
    const few_doubles none = {0};
    const few_lattice lattice = {no_floats + origin, no_floats + step, none + bound,
                                 none + 1.0 / (double)step, none + (double)origin};
    few_ints bad = {0};
    float some[FEW];
    int32_t words[FEW], low[FEW], high[FEW], any = 0;
    uint32_t f = 0;
    for (; f + FEW <= frames; f += FEW) bad |= find_few(&lattice, values + f, lows + f, highs + f);
    if (f < frames && f) { /* the last ones, some of them again */
        f = frames - FEW;
        bad |= find_few(&lattice, values + f, lows + f, highs + f);
    } else if (f < frames) {
        for (uint32_t k = 0; k < FEW; k++) some[k] = values[tpi_min_u32(k, frames - 1u)];
        bad |= find_few(&lattice, some, low, high);
        for (uint32_t k = 0; k < frames; k++) lows[k] = low[k], highs[k] = high[k];
    }
    tpi_memcpy(words, &bad, sizeof words);
    for (uint32_t k = 0; k < FEW; k++) any |= words[k];
    return !any;
}
