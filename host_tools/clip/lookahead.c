/* SPDX-License-Identifier: MIT
   host_tools/clip/lookahead.c - beam search for the residuals of one point.
   reads   the lattice coordinates within the bound      writes  residuals
   memory  of the caller                                 cost    see lookahead.h
   after   own design: beams are ranked by coded bits plus a penalty if the prediction leaves the
           bound soon; coordinates are tested with the decoder's arithmetic, so that decoded values
           keep the bound */
#include "lookahead.h"
#include <math.h>

static double lattice_value(const tpi_lattice *lattice, float step, int32_t coordinate)
{
    return (double)(lattice->origin + step * (float)coordinate);
}

bool host_search_coordinates(host_search *search, const float *values, uint32_t frames,
                             const tpi_lattice *lattice, uint32_t fineness, double bound)
{
    float step = tpi_lattice_step(lattice, fineness);
    double inverse = 1.0 / (double)step;
    for (uint32_t f = 0; f < frames; f++) {
        double value = (double)values[f];
        double low = (value - bound - (double)lattice->origin) * inverse,
               high = (value + bound - (double)lattice->origin) * inverse;
        if (!(low > -1e9 && high < 1e9)) return false;
        int32_t first = (int32_t)low - 1, last = (int32_t)high + 1;
        while (first <= last && fabs(lattice_value(lattice, step, first) - value) > bound) first++;
        while (first <= last && fabs(lattice_value(lattice, step, last) - value) > bound) last--;
        if (first > last) return false;
        search->low[f] = first, search->high[f] = last;
    }
    return true;
}

/* ---- costs of residuals ---- */

#define NEAR_RESIDUALS 8

void host_search_begin(host_search *search)
{
    for (uint32_t s = 0; s < TPI_CODEC_STATES; s++)
        for (int32_t residual = -NEAR_RESIDUALS; residual <= NEAR_RESIDUALS; residual++) {
            uint16_t state = tpi_codec_states[s];
            uint32_t cost = tpi_residual_cost(&state, residual),
                     at = s * TPI_CODEC_ROW + (uint32_t)(residual + NEAR_RESIDUALS);
            search->costs[at] = cost | (uint32_t)state << 16;
        }
}

/* Same as tpi_residual_cost, with a table for small residuals. */
TPI_INLINE uint32_t search_cost(const host_search *search, uint16_t *state, int32_t residual)
{
    uint32_t near = (uint32_t)residual + NEAR_RESIDUALS;
    if (TPI_UNLIKELY(near > 2u * NEAR_RESIDUALS)) return tpi_residual_cost(state, residual);
    uint32_t word = search->costs[TPI_STATE_ROW(*state) + near];
    *state = (uint16_t)(word >> 16);
    return word & 0xffffu;
}

/* Estimated cost of a first velocity: half of its bits, because it is coded as a difference to its
   neighbour's. */
static uint32_t velocity_cost(int32_t velocity)
{
    uint32_t cost = 0;
    for (uint32_t size = (uint32_t)(velocity < 0 ? -velocity : velocity); size; size >>= 1)
        cost += 8u;
    return cost;
}

/* ---- lookahead ---- */

/* Beams are extrapolated SOON and LATER frames ahead without residuals. If the result is outside
   the bound, TURN_RANK (sixteenths of a bit) is added to the rank, because such a beam will need a
   residual. */
#define SOON      2u
#define LATER     8u
#define TURN_RANK 24u

/* The bound `ahead` frames after f, minus the displacement that the leader's residuals cause until
   then. */
static host_span span_ahead(const host_search *search, const tpi_predictor *how, uint32_t f,
                            uint32_t ahead, uint32_t frames)
{
    int64_t moved = 0;
    if (f + ahead >= frames) return (host_span){INT32_MIN, UINT32_MAX};
    for (uint32_t k = 1; search->has_leader && k <= ahead; k++)
        moved += (int64_t)search->led[f + k] * (16 + how->velocity_gain * (ahead - k));
    uint32_t low = (uint32_t)search->low[f + ahead];
    return (host_span){(int32_t)(low - (uint32_t)(moved / 16)),
                       (uint32_t)search->high[f + ahead] - low};
}

/* The direction in which an extrapolated track must turn to reach the bound; 0: it is within the
   bound. */
#define TURN_UP   1u
#define TURN_DOWN 2u
TPI_INLINE uint32_t find_turn(host_span span, const tpi_track *track, uint32_t ahead)
{
    uint32_t moved = ahead * (uint32_t)track->velocity +
                     ahead * ahead / 2u * (uint32_t)track->acceleration + 8u,
             coordinate = (uint32_t)track->position + (uint32_t)tpi_shift_down((int32_t)moved, 4),
             over = coordinate - (uint32_t)span.low;
    return (uint32_t)(over > span.size)
           << (1u - (over >> 31)); /* branchless: branches would be mispredicted */
}

/* ---- the best beams ---- */

#define RESTING_STATES 17u /* the first states: runs of zeros */

/* Treats all states after runs of zeros as equal. */
TPI_INLINE uint32_t alike_state(uint32_t state)
{
    return TPI_STATE_ROW(state) < RESTING_STATES * TPI_CODEC_ROW ? 0 : state;
}

/* The rank of a beam and its index in the frame, in one word. */
#define RANK_BITS             5u
#define RANK_WORD(rank, beam) ((int32_t)((rank) << RANK_BITS | (beam)))
#define RANK_OF(word)         ((uint32_t)(word) >> RANK_BITS)
#define RANKED_BEAM(word)     ((uint32_t)(word) & ((1u << RANK_BITS) - 1u))
#define RANKS_APART           120u /* beams with a rank this much above the best one are dropped */
#define RANK_NONE             (0x7fffffffu >> RANK_BITS) /* rank of an unused beam */
#define COORDINATE_NONE       INT32_MIN
_Static_assert(HOST_BEAMS_MAX <= 1u << RANK_BITS, "the number of a beam has to fit below its rank");

/* The beams of one frame; lists are padded for vector loads. */
typedef struct search_frame {
    tpi_predictor how;
    int32_t led;
    host_span soon, later;
    host_beam *beams;
    /* beam width; list length, padded to vectors */
    uint32_t most, listed;
    /* a beam is kept only if its rank is below this */
    uint32_t limit;
    int32_t by_rank[1u + HOST_BEAMS_MAX + TPI_LANES]; /* ascending, after a sentinel */
    /* by beam */
    int32_t coordinate[HOST_BEAMS_MAX + TPI_LANES], velocity[HOST_BEAMS_MAX + TPI_LANES];
} search_frame;

static void clear_frame(search_frame *frame, host_beam *beams, uint32_t most)
{
    frame->beams = beams;
    frame->most = most;
    frame->listed = (most + TPI_LANES - 1u) / TPI_LANES * TPI_LANES;
    frame->limit = RANK_NONE;
    frame->by_rank[0] = -1;
    for (uint32_t k = 0; k < frame->listed; k++) {
        frame->by_rank[1u + k] = RANK_WORD(RANK_NONE, k & (HOST_BEAMS_MAX - 1u));
        frame->coordinate[k] = COORDINATE_NONE;
    }
}

/* Searches for a beam with the same coordinate and velocity, from index `k` on. True: *k is its
   index. */
TPI_INLINE bool find_motion(const search_frame *frame, const tpi_track *track, uint32_t *k)
{
    tpi_lane_ints coordinate = tpi_lane_ints_of(track->position),
                  velocity = tpi_lane_ints_of(track->velocity);
    for (uint32_t at = 0; at < frame->listed; at += TPI_LANES) {
        tpi_lane_mask same = tpi_lanes_and(
            tpi_lane_ints_equal(tpi_lane_ints_load(frame->coordinate + at), coordinate),
            tpi_lane_ints_equal(tpi_lane_ints_load(frame->velocity + at), velocity));
        if (TPI_UNLIKELY(tpi_lanes_any(same)))
            for (uint32_t bits = tpi_lanes_bits(same), beam = at; bits; bits >>= 1, beam++)
                if (bits & 1u && beam >= *k) return *k = beam, true;
    }
    return false;
}

/* The index of a beam with equal motion and equivalent state: only one of the two needs to be kept.
   `most`: none exists. */
TPI_INLINE uint32_t find_same_beam(const search_frame *frame, const host_beam *beam)
{
    for (uint32_t k = 0; find_motion(frame, &beam->track, &k); k++)
        if (frame->beams[k].track.acceleration == beam->track.acceleration &&
            alike_state(frame->beams[k].state) == alike_state(beam->state))
            return k;
    return frame->most;
}

/* Inserts a word into the list sorted by rank; the last one is dropped. */
TPI_INLINE void list_rank(search_frame *frame, int32_t word)
{
    tpi_lane_ints words = tpi_lane_ints_of(word);
    for (uint32_t at = frame->listed; at > 0; at -= TPI_LANES) {
        int32_t *list = frame->by_rank + 1u + at - TPI_LANES;
        tpi_lane_ints is = tpi_lane_ints_load(list), before = tpi_lane_ints_load(list - 1);
        before = tpi_lane_ints_select(tpi_lane_ints_less(before, words), words, before);
        tpi_lane_ints_store(list, tpi_lane_ints_select(tpi_lane_ints_less(before, is), before, is));
    }
}

/* Lowers the rank of a beam that is in the list. */
static void list_better_rank(search_frame *frame, int32_t word)
{
    int32_t *at = frame->by_rank + 1;
    while (RANKED_BEAM(*at) != RANKED_BEAM(word)) at++;
    for (; at[-1] > word; at--) *at = at[-1];
    *at = word;
}

static uint32_t beam_rank(const search_frame *frame, uint32_t beam)
{
    uint32_t at = 1;
    while (RANKED_BEAM(frame->by_rank[at]) != beam) at++;
    return RANK_OF(frame->by_rank[at]);
}

/* Stores a beam whose rank is below the limit. Of beams with equal motion only the best one is
   kept. */
TPI_INLINE void keep_beam(search_frame *frame, const host_beam *beam, uint32_t rank)
{
    uint32_t which = find_same_beam(frame, beam);
    if (which < frame->most) {
        if (beam_rank(frame, which) <= rank) return;
        list_better_rank(frame, RANK_WORD(rank, which));
    } else {
        which = RANKED_BEAM(frame->by_rank[frame->most]);
        list_rank(frame, RANK_WORD(rank, which));
    }
    frame->coordinate[which] = beam->track.position;
    frame->velocity[which] = beam->track.velocity;
    frame->beams[which] = *beam;
    frame->limit = RANK_OF(frame->by_rank[frame->most]);
}

/* Ranks a beam by cost and lookahead, and stores it if it is good enough. Returns the directions in
   which it must turn. */
TPI_INLINE uint32_t offer_beam(search_frame *frame, const host_beam *beam)
{
    uint32_t soon = find_turn(frame->soon, &beam->track, SOON),
             later = find_turn(frame->later, &beam->track, LATER),
             rank = beam->cost + TURN_RANK * ((soon + 1u) / 2u + (later + 1u) / 2u);
    if (rank < frame->limit) keep_beam(frame, beam, rank);
    return soon | later;
}

/* Extends `beam`, number k of the previous frame, by a residual. Returns the directions in which
   the new beam must turn; 0 if it costs too much. */
TPI_INLINE uint32_t extend_beam(const host_search *search, search_frame *frame,
                                const host_beam *beam, uint32_t k, int32_t residual)
{
    host_beam next = {beam->track, residual, beam->cost, beam->state, (uint8_t)k};
    next.cost += search_cost(search, &next.state, residual);
    if (next.cost >= frame->limit) return 0;
    next.residual = (int32_t)((uint32_t)residual + (uint32_t)frame->led);
    tpi_track_move(&next.track, &frame->how, next.residual);
    return offer_beam(frame, &next);
}

/* Extends one beam to the predicted coordinate, or the nearest one within the bound, and to the
   neighbours of that in the directions in which it must turn. */
TPI_INLINE void search_beam(const host_search *search, search_frame *frame, uint32_t f, uint32_t k)
{
    const host_beam *beam = &search->beam[f - 1u][k];
    uint32_t from = (uint32_t)tpi_track_predict(&beam->track) + (uint32_t)frame->led;
    int32_t low = (int32_t)((uint32_t)search->low[f] - from),
            high = (int32_t)((uint32_t)search->high[f] - from),
            near = low > 0    ? low
                   : high < 0 ? high
                              : 0;
    uint32_t turn = extend_beam(search, frame, beam, k, near);
    if (near != 0) turn = TURN_UP | TURN_DOWN;
    if (turn & TURN_DOWN && near > low) (void)extend_beam(search, frame, beam, k, near - 1);
    if (turn & TURN_UP && near < high) (void)extend_beam(search, frame, beam, k, near + 1);
}

static void frame_begin(host_search *search, search_frame *frame, uint32_t f, uint32_t frames)
{
    frame->led = search->led[f];
    frame->soon = span_ahead(search, &frame->how, f, SOON, frames);
    frame->later = span_ahead(search, &frame->how, f, LATER, frames);
    clear_frame(frame, search->beam[f], search->beams);
}

/* Starts beams at the middle coordinates of the first frame's bound. */
static void search_first(host_search *search, search_frame *frame, uint32_t start)
{
    uint32_t available = (uint32_t)(search->high[0] - search->low[0]) + 1u,
             count = tpi_min_u32(available, search->beams);
    clear_frame(frame, search->beam[0], search->beams);
    for (uint32_t k = 0; k < count; k++) {
        int32_t coordinate = search->low[0] + (int32_t)((available - count) / 2u + k);
        search->beam[0][k] =
            (host_beam){{coordinate, 0, 0}, coordinate, 0, tpi_codec_states[start], 0};
        frame->by_rank[1u + k] = RANK_WORD(0u, k);
    }
}

/* Extends one first coordinate to all coordinates of the second frame. */
static void search_second(host_search *search, search_frame *frame, uint32_t k)
{
    const host_beam *beam = &search->beam[0][k];
    for (int32_t coordinate = search->low[1]; coordinate <= search->high[1]; coordinate++) {
        int32_t velocity = coordinate - beam->track.position;
        host_beam next = {{coordinate, frame->how.is_moving ? 16 * velocity : 0, 0},
                          velocity,
                          0,
                          beam->state,
                          (uint8_t)k};
        next.cost = velocity_cost(velocity);
        (void)offer_beam(frame, &next);
    }
}

/* Traces the cheapest beam of the last frame back, and stores its residuals. */
static uint32_t search_end(const host_search *search, const search_frame *last, uint32_t frames,
                           int32_t *residuals, uint32_t stride)
{
    uint32_t best = RANKED_BEAM(last->by_rank[1]);
    for (uint32_t k = 1; k < last->most && RANK_OF(last->by_rank[1u + k]) != RANK_NONE; k++) {
        uint32_t beam = RANKED_BEAM(last->by_rank[1u + k]);
        if (last->beams[beam].cost < last->beams[best].cost) best = beam;
    }
    uint32_t cost = last->beams[best].cost;
    for (uint32_t f = frames; f-- > 0; best = search->beam[f][best].from)
        residuals[f * stride] = search->beam[f][best].residual;
    return cost;
}

uint32_t host_search_track(host_search *search, uint32_t frames, uint32_t predictor, uint32_t start,
                           int32_t *residuals, uint32_t stride)
{
    search_frame frame = {.how = tpi_predictors[predictor]};
    search_first(search, &frame, start);
    for (uint32_t f = 1; f < frames; f++) {
        int32_t before[HOST_BEAMS_MAX];
        for (uint32_t k = 0; k < search->beams; k++) before[k] = frame.by_rank[1u + k];
        frame_begin(search, &frame, f, frames);
        for (uint32_t k = 0;
             k < search->beams && RANK_OF(before[k]) < RANK_OF(before[0]) + RANKS_APART; k++)
            if (f == 1u) /* best beams first, so that more of the others exceed the limit */
                search_second(search, &frame, RANKED_BEAM(before[k]));
            else
                search_beam(search, &frame, f, RANKED_BEAM(before[k]));
    }
    return search_end(search, &frame, frames, residuals, stride);
}
