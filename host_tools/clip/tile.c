/* SPDX-License-Identifier: MIT
   host_tools/clip/tile.c - chooses lattice spacing, predictor and leaders for each component of a
           tile, and encodes it.
   reads   samples      writes  a tile's bytes
   memory  the encoder, of the caller      cost    about 1.8 searches per sample: see lookahead.h
   after   own design: spacing and predictor are chosen together on a few points; leaders are tested
           on some more */
#include "tile.h"
#include "../../runtime/codec/clip.h"
#include "exact.h"
#include "flight.h"
#include "leaders.h"
#include <math.h>
#include <string.h>

#define FINENESSES 4u
#define CANDIDATES HOST_COMBINATIONS
#define HABITS     4u /* combinations of other tiles that are tried */
#define LED_SELDOM \
    16u /* if fewer than 1 / LED_SELDOM of the tiles have leaders, none are looked for */
#define FINALISTS   4u  /* combinations of spacing and predictor that are tried on more points */
#define LED_SLACK   16u /* after a few points, candidates with leaders may cost 1 / LED_SLACK more */
#define FLIES_SHARE 264u /* of 256: decoding takes longer, so these must save 3 % */
#define LED_MARGIN  32u  /* in the end they must save 1 / LED_MARGIN */
#define THOROUGH    8u   /* combinations that are searched with all points of a short clip */
#define LED_FEW     8u   /* points of the first trials with leaders */
#define LED_POINTS  24u  /* about this many points are tried to decide on leaders */
#define TWO_POINTS  32u  /* fewer have one leader: a second one saves too little */
#define TWO_MARGIN  96u  /* two leaders must save more than 1 / TWO_MARGIN of these */

/* ---- lattices ---- */

bool host_lattice(double low, double high, double error, tpi_lattice *lattice)
{
    double largest = fmax(fabs(low), fabs(high)),
           slack = largest * 1.2e-7; /* two float roundings at that magnitude */
    *lattice = (tpi_lattice){(float)(0.5 * (low + high)), (float)((error - slack) * 0.25)};
    return error > 4.0 * slack && high - low < error * 1e7 && lattice->quarter > 0.0f;
}

uint32_t host_tile_bytes_max(uint32_t points, uint32_t frames, uint32_t components)
{
    return TPI_TILE_HEADER_BYTES + 18u * components + 2u * points +
           4u * points * frames * components + 2u * TPI_CODERS;
}

/* ---- samples ---- */

typedef struct tile_choice {
    host_tile_encoder *encoder;
    const host_tile_samples *samples;
    const host_tile_kind *kind;
    tpi_tile_plan plan;
    host_flight flight[TPI_TILE_COMPONENTS]; /* for ballistic predictors */
} tile_choice;

static uint32_t life_frames(const tpi_tile_plan *plan, uint32_t p)
{
    return (uint32_t)plan->end[p] - plan->first[p];
}

static void copy_values(const tile_choice *choice, uint32_t c, uint32_t p, float *values)
{
    for (uint32_t f = choice->plan.first[p]; f < choice->plan.end[p]; f++) {
        uint32_t word = host_sample_word(choice->samples, f, c, p);
        memcpy(values++, &word, sizeof word);
    }
}

/* ---- with an error: a beam search for each point ---- */

typedef struct lattice_candidate {
    uint32_t fineness, predictor, start, beams, follows, second;
    uint64_t cost; /* sixteenths of a bit, for the points tried */
} lattice_candidate;

/* Tracks that are searched together, all with the same number of beams. */
typedef struct track_batch {
    host_track tracks[HOST_TRACKS * TPI_PREDICTORS_ALL];
    uint32_t count;
    /* of each point */
    int32_t low[HOST_TRACKS][TPI_TILE_FRAMES_MAX], high[HOST_TRACKS][TPI_TILE_FRAMES_MAX],
        led[HOST_TRACKS][TPI_TILE_FRAMES_MAX];
} track_batch;

/* Finds the allowed lattice coordinates of a point at one spacing, for row `at` of the batch.
   False: it does not fit the lattice. */
static bool find_coordinates(const tile_choice *choice, uint32_t c, uint32_t p, uint32_t fineness,
                             track_batch *batch, uint32_t at)
{
    float values[TPI_TILE_FRAMES_MAX];
    copy_values(choice, c, p, values);
    return host_search_coordinates(values, life_frames(&choice->plan, p), &choice->kind->lattice[c],
                                   fineness, choice->kind->error, batch->low[at], batch->high[at]);
}

/* The component that a candidate describes. */
static tpi_tile_component component_of(const tile_choice *choice, uint32_t c,
                                       const lattice_candidate *candidate)
{
    tpi_tile_component component = {.mode = TPI_TILE_CODED,
                                    .predictor = (uint8_t)candidate->predictor,
                                    .fineness = (uint8_t)candidate->fineness,
                                    .follows = (uint8_t)candidate->follows,
                                    .second = (uint8_t)candidate->second};
    if (!tpi_is_ballistic(&component)) return component;
    double step = (double)tpi_lattice_step(&choice->kind->lattice[c], candidate->fineness),
           acceleration = 65536.0 * choice->flight[c].acceleration / step;
    if (fabs(acceleration) < 1e9) component.acceleration = (int32_t)lround(acceleration);
    component.drag = (uint16_t)lround(65536.0 * choice->flight[c].drag);
    return component;
}

/* Appends a track of point p, whose coordinates are in row `at`. */
static host_track *add_track(const tile_choice *choice, uint32_t c, uint32_t p,
                             const lattice_candidate *candidate, track_batch *batch, uint32_t at)
{
    host_track *track = &batch->tracks[batch->count++];
    tpi_tile_component component = component_of(choice, c, candidate);
    *track = (host_track){.frames = life_frames(&choice->plan, p),
                          .low = batch->low[at],
                          .high = batch->high[at],
                          .predictor = candidate->predictor,
                          .first = choice->plan.first[p],
                          .acceleration = component.acceleration,
                          .drag = component.drag,
                          .start = candidate->start};
    return track;
}

static void search_batch(tile_choice *choice, uint32_t beams, track_batch *batch)
{
    if (batch->count)
        host_search_tracks(&choice->encoder->search, beams, batch->tracks, batch->count);
    batch->count = 0;
}

/* Trials use fewer beams than the final search. On a finer lattice, with more coordinates to choose
   from, this costs more, so the cost of a trial is scaled by share / 256 (measured on all shipped
   scenes, small bakes, and bouncing and sloshing points). */
typedef struct tile_trial {
    uint32_t points;
    uint8_t beams[FINENESSES];
    uint16_t share[FINENESSES];
} tile_trial;
static const tile_trial first_trial = {4, {1, 1, 2, 2}, {256, 245, 248, 236}};
static const tile_trial final_trial = {16, {1, 3, 4, 4}, {256, 255, 254, 252}};

/* extra cost of the first coordinate and velocity */
static const uint8_t finer_coordinates[FINENESSES] = {0, 13, 32, 64};

/* The points of a trial between two halvings. */
typedef struct trial_points {
    uint32_t count, point[HOST_TRACKS];
} trial_points;

/* Tries the combinations of one spacing on some points. False: a point does not fit. */
static bool try_spacing(tile_choice *choice, uint32_t c, const trial_points *points,
                        uint32_t fineness, const tile_trial *trial, lattice_candidate *candidates,
                        uint32_t count)
{
    lattice_candidate *tried[TPI_PREDICTORS_ALL];
    uint32_t some = 0;
    track_batch batch;
    batch.count = 0;
    for (uint32_t k = 0; k < count; k++)
        if (candidates[k].fineness == fineness) tried[some++] = &candidates[k];
    for (uint32_t i = 0; some && i < points->count; i++) {
        if (!find_coordinates(choice, c, points->point[i], fineness, &batch, i)) return false;
        for (uint32_t k = 0; k < some; k++)
            (void)add_track(choice, c, points->point[i], tried[k], &batch, i);
    }
    search_batch(choice, trial->beams[fineness], &batch);
    for (uint32_t k = 0; k < some * points->count; k++) {
        lattice_candidate *of = tried[k % some];
        bool flies = of->predictor >= TPI_BALLISTIC;
        bool learns = !flies && tpi_predictors[of->predictor].velocity_gain;
        uint32_t share = learns ? trial->share[fineness] : flies ? FLIES_SHARE : 256u;
        of->cost += batch.tracks[k].cost * share / 256u + finer_coordinates[fineness];
    }
    return true;
}

static bool try_points(tile_choice *choice, uint32_t c, trial_points *points,
                       const tile_trial *trial, lattice_candidate *candidates, uint32_t count)
{
    for (uint32_t fineness = 0; fineness < FINENESSES; fineness++)
        if (!try_spacing(choice, c, points, fineness, trial, candidates, count)) return false;
    points->count = 0;
    return true;
}

/* Stable insertion sort, cheapest first. */
static void sort_candidates(lattice_candidate *candidates, uint32_t count)
{
    for (uint32_t k = 1; k < count; k++) {
        lattice_candidate candidate = candidates[k];
        uint32_t at = k;
        for (; at > 0 && candidates[at - 1].cost > candidate.cost; at--)
            candidates[at] = candidates[at - 1];
        candidates[at] = candidate;
    }
}

/* Tries combinations on trial->points points, evenly spaced. Successive halving: from half of these
   points on, after a power of two of points, only the better half of the combinations is kept, but
   at least `least`. The best one becomes the first. False: a point does not fit. */
static bool try_candidates(tile_choice *choice, uint32_t c, const tile_trial *trial,
                           lattice_candidate *candidates, uint32_t count, uint32_t least)
{
    uint32_t points = trial->points;
    trial_points some = {.count = 0};
    for (uint32_t k = 0; k < count; k++) candidates[k].cost = 0;
    uint32_t apart = choice->plan.points <= points ? 1u : choice->plan.points / points, tried = 0;
    for (uint32_t p = apart / 2u; p < choice->plan.points; p += apart) {
        if (!life_frames(&choice->plan, p)) continue;
        some.point[some.count++] = p;
        tried++;
        bool halves = tried >= points / 2u && !(tried & (tried - 1u));
        if (!halves && some.count < HOST_TRACKS) continue;
        if (!try_points(choice, c, &some, trial, candidates, count)) return false;
        if (!halves) continue;
        sort_candidates(candidates, count);
        if (count / 2u >= least) count /= 2u;
    }
    if (!try_points(choice, c, &some, trial, candidates, count)) return false;
    sort_candidates(candidates, count);
    return true;
}

/* Sorts the combinations by their cost for a few points; those that were tried on more points come
   first. */
static bool find_candidates(tile_choice *choice, uint32_t c, lattice_candidate *candidates)
{
    for (uint32_t k = 0; k < CANDIDATES; k++)
        candidates[k] = (lattice_candidate){.fineness = k / TPI_PREDICTORS_ALL,
                                            .predictor = k % TPI_PREDICTORS_ALL};
    if (!try_candidates(choice, c, &first_trial, candidates, CANDIDATES, FINALISTS)) return false;
    return try_candidates(choice, c, &final_trial, candidates, FINALISTS, 2);
}

/* Lists the most frequent combinations, at most HABITS. Returns their number. */
static uint32_t list_habits(const uint32_t *tiles, lattice_candidate *candidates)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < CANDIDATES; k++)
        if (tiles[k])
            candidates[count++] = (lattice_candidate){.fineness = k / TPI_PREDICTORS_ALL,
                                                      .predictor = k % TPI_PREDICTORS_ALL,
                                                      .cost = UINT32_MAX - tiles[k]};
    sort_candidates(candidates, count);
    return tpi_min_u32(count, HABITS);
}

static const host_habits *habits_of(const tile_choice *choice, uint32_t c)
{
    return choice->encoder->habits ? &choice->encoder->habits[c] : NULL;
}

/* True if a combination with a ballistic predictor is tried. */
static bool may_fly(const tile_choice *choice, uint32_t c)
{
    const host_habits *habits = habits_of(choice, c);
    for (uint32_t k = 0; habits && k < CANDIDATES; k++)
        if (k % TPI_PREDICTORS_ALL >= TPI_BALLISTIC && habits->alone[k]) return true;
    return !habits;
}

static void find_flight(tile_choice *choice, uint32_t c)
{
    if (may_fly(choice, c))
        choice->flight[c] = host_flight_of(choice->samples, &choice->plan, c, choice->kind->error);
}

/* The best combination without leaders becomes the first candidate: of all, or of the habits.
   False: a point does not fit. */
static bool find_alone(tile_choice *choice, uint32_t c, lattice_candidate *candidates)
{
    const host_habits *habits = habits_of(choice, c);
    uint32_t count = habits ? list_habits(habits->alone, candidates) : 0;
    if (!count) return find_candidates(choice, c, candidates);
    return count == 1u || try_candidates(choice, c, &final_trial, candidates, count, 2);
}

void host_habits_add(host_habits *to, const host_habits *more)
{
    to->tiles += more->tiles, to->led_tiles += more->led_tiles;
    for (uint32_t k = 0; k < HOST_COMBINATIONS; k++)
        to->alone[k] += more->alone[k], to->led[k] += more->led[k];
}

/* Adds how a component was encoded to the habits. */
static void learn_habit(host_habits *habits, const lattice_candidate *alone,
                        const lattice_candidate *chosen)
{
    habits->tiles++;
    habits->alone[alone->fineness * TPI_PREDICTORS_ALL + alone->predictor]++;
    if (!chosen->follows) return;
    habits->led_tiles++;
    habits->led[chosen->fineness * TPI_PREDICTORS_ALL + chosen->predictor]++;
}

static int32_t *point_residuals(tile_choice *choice, uint32_t c, uint32_t p)
{
    return tpi_plan_row(&choice->plan, choice->plan.first[p], c) + p;
}

/* Appends point p, with the residuals of its leader, if it has one, from the plan. False: it does
   not fit the lattice. */
static bool add_point(tile_choice *choice, uint32_t c, uint32_t p,
                      const lattice_candidate *candidate, track_batch *batch)
{
    uint32_t at = batch->count, follows = candidate->follows;
    if (!find_coordinates(choice, c, p, candidate->fineness, batch, at)) return false;
    host_track *track = add_track(choice, c, p, candidate, batch, at);
    if (!follows || p < follows) return true;
    track->led = batch->led[at];
    for (uint32_t f = 0; f < choice->plan.frames; f++)
        batch->led[at][f] =
            tpi_led_residual(tpi_plan_row(&choice->plan, f, c), p, follows, candidate->second);
    return true;
}

/* The track's residuals are those of point p in the plan. */
static void track_to_plan(tile_choice *choice, uint32_t c, uint32_t p, host_track *track)
{
    track->residuals = point_residuals(choice, c, p);
    track->stride = choice->plan.components * TPI_TILE_POINTS;
}

/* Finds the residuals of every 16th point, without leaders. False: a point does not fit the
   lattice. */
static bool search_some_points(tile_choice *choice, uint32_t c, const lattice_candidate *candidate)
{
    track_batch batch;
    batch.count = 0;
    for (uint32_t p = 0; p < choice->plan.points; p += 16u) {
        if (!life_frames(&choice->plan, p)) continue;
        if (!add_point(choice, c, p, candidate, &batch)) return false;
        track_to_plan(choice, c, p, &batch.tracks[batch.count - 1u]);
    }
    search_batch(choice, candidate->beams, &batch);
    return true;
}

/* What is found for a component of a tile, and how far its points have been searched. */
typedef struct component_search {
    tile_choice *choice;
    uint32_t c;
    lattice_candidate candidate;
    uint32_t next; /* point */
    bool fits;     /* the lattice */
} component_search;

/* The distance to the closer leader; 0: there is none. */
static uint32_t nearest_leader(const lattice_candidate *candidate)
{
    bool is_second = candidate->second && candidate->second < candidate->follows;
    return is_second ? candidate->second : candidate->follows;
}

/* Appends the next points of a component. A point and its leader are never in one batch. */
static void add_points(component_search *of, track_batch *batch)
{
    tile_choice *choice = of->choice;
    uint32_t follows = nearest_leader(&of->candidate), points = choice->plan.points,
             end = follows ? tpi_min_u32(of->next + follows, points) : points;
    for (; of->next < end && batch->count < HOST_TRACKS; of->next++) {
        if (!life_frames(&choice->plan, of->next)) continue;
        if (!add_point(choice, of->c, of->next, &of->candidate, batch)) {
            of->fits = false, of->next = points;
            return;
        }
        track_to_plan(choice, of->c, of->next, &batch->tracks[batch->count - 1u]);
    }
}

/* Finds all residuals of the components with `beams` beams. In one batch are points of all of them,
   because those with close leaders could not fill it. */
static void search_together(component_search *of, uint32_t count, uint32_t beams)
{
    track_batch batch;
    batch.count = 0;
    do {
        search_batch(of->choice, beams, &batch);
        for (uint32_t pass = 0; pass < 2u; pass++)
            for (uint32_t k = 0; k < count; k++) {
                uint32_t follows = nearest_leader(&of[k].candidate);
                bool is_close = follows && follows < HOST_TRACKS;
                if (of[k].fits && of[k].candidate.beams == beams && is_close == (pass == 0))
                    add_points(&of[k], &batch);
            }
    } while (batch.count);
}

/* The beam width for a spacing: with few coordinates within the bound fewer beams are useful. */
static uint32_t beams_of(const tile_choice *choice, const lattice_candidate *candidate)
{
    static const uint8_t sixths[FINENESSES] = {2, 5, 6, 6};
    bool flies = candidate->predictor >= TPI_BALLISTIC; /* rarely more than one way to go on */
    uint32_t share = tpi_min_u32(sixths[candidate->fineness], flies ? 5u : 6u);
    return (choice->encoder->beams * share + 5u) / 6u;
}

/* ---- leaders: prediction from another point that moves alike, as in cloth, soft bodies and
   strands */

static void find_differences(const tile_choice *choice, uint32_t c, host_differences *differences)
{
    uint32_t apart = 1u + (choice->plan.frames - 2u) / HOST_DIFFERENCES;
    differences->frames = 0, differences->points = choice->plan.points;
    for (uint32_t f = 2; f < choice->plan.frames && differences->frames < HOST_DIFFERENCES;
         f += apart, differences->frames++)
        for (uint32_t p = 0; p < differences->points; p++) {
            float value[3];
            for (uint32_t k = 0; k < 3; k++) {
                uint32_t word = host_sample_word(choice->samples, f - k, c, p);
                memcpy(&value[k], &word, sizeof word);
            }
            double difference = (double)value[0] - 2.0 * (double)value[1] + (double)value[2];
            differences->of[differences->frames][p] = (float)(difference / choice->kind->error);
        }
}

/* Adds the cost of the residuals of points p, p + apart and so on, at most LED_FEW. */
static bool add_costs(tile_choice *choice, uint32_t c, uint32_t p, uint32_t apart,
                      lattice_candidate *candidate)
{
    track_batch batch;
    batch.count = 0;
    for (; p < choice->plan.points && batch.count < LED_FEW; p += apart)
        if (!add_point(choice, c, p, candidate, &batch)) return false;
    uint32_t tracks = batch.count;
    search_batch(choice, candidate->beams, &batch);
    for (uint32_t k = 0; k < tracks; k++) candidate->cost += batch.tracks[k].cost;
    return true;
}

/* Finds the residuals of the points `follows` before the points p, p + apart and so on, at most
   LED_FEW. */
static bool search_leaders(tile_choice *choice, uint32_t c, uint32_t p, uint32_t apart,
                           const lattice_candidate *alone, uint32_t follows)
{
    track_batch batch;
    batch.count = 0;
    for (; p < choice->plan.points && batch.count < LED_FEW; p += apart) {
        if (p < follows) continue;
        if (!add_point(choice, c, p - follows, alone, &batch)) return false;
        track_to_plan(choice, c, p - follows, &batch.tracks[batch.count - 1u]);
    }
    search_batch(choice, alone->beams, &batch);
    return true;
}

/* The points that leaders are tried with: from the first that has them on, evenly spaced. */
typedef struct led_points {
    uint32_t first, apart;
} led_points;

static led_points led_points_of(const tile_choice *choice, uint32_t follows, uint32_t count)
{
    uint32_t apart = 1u + (choice->plan.points - follows) / count;
    return (led_points){follows + apart / 2u, apart};
}

/* Sets candidate->cost to that of some points, led as the candidate says. False: one does not fit
   the lattice. */
static bool try_led(tile_choice *choice, uint32_t c, led_points points,
                    lattice_candidate *candidate)
{
    const uint32_t leaders[] = {candidate->follows, candidate->second};
    lattice_candidate alone = *candidate;
    alone.follows = alone.second = 0, candidate->cost = 0;
    for (uint32_t p = points.first; p < choice->plan.points; p += points.apart * LED_FEW) {
        for (uint32_t k = 0; k < 2u; k++)
            if (leaders[k] && !search_leaders(choice, c, p, points.apart, &alone, leaders[k]))
                return false;
        if (!add_costs(choice, c, p, points.apart, candidate)) return false;
        candidate->cost += LED_FEW * finer_coordinates[candidate->fineness];
    }
    return true;
}

/* Tries one combination with LED_FEW points and the leaders of `led`. */
static bool try_combination(tile_choice *choice, uint32_t c, const lattice_candidate *led,
                            uint32_t predictor, uint32_t fineness, lattice_candidate *candidate)
{
    *candidate = *led;
    candidate->fineness = fineness, candidate->predictor = predictor;
    candidate->beams = first_trial.beams[fineness];
    led_points points = led_points_of(choice, led->follows, LED_FEW);
    if (!try_led(choice, c, points, candidate)) return false;
    candidate->beams = final_trial.beams[fineness];
    return true;
}

/* Sorts the combinations of a few predictors by their cost for LED_FEW points with these
   leaders. Predictors that do not learn from residuals are not among them: with leaders they may be
   cheap, but every frame would have keys. False: a point does not fit the lattice. */
static bool rank_led(tile_choice *choice, uint32_t c, const lattice_candidate *led,
                     lattice_candidate *candidates)
{
    static const uint8_t predictors[] = {0, 1, 2, 4, 6};
    uint32_t count = choice->encoder->is_thorough ? 5u : 3u;
    for (uint32_t k = 0; k < count * FINENESSES; k++)
        if (!try_combination(choice, c, led, predictors[k % count], k / count, &candidates[k]))
            return false;
    sort_candidates(candidates, count * FINENESSES);
    return true;
}

/* The leaders that second differences propose: led[0] one, led[1] two. Returns their number. */
static uint32_t propose_leaders(tile_choice *choice, uint32_t c, lattice_candidate *led)
{
    host_differences differences;
    bool is_close;
    uint32_t count = 0;
    if (choice->plan.has_lives || choice->plan.frames < 3u) return 0;
    find_differences(choice, c, &differences);
    lattice_candidate one = {.follows = host_leader_find(&differences, &is_close)}, two = {0};
    if (one.follows) led[count++] = one;
    if (is_close && !choice->encoder->one_leader && choice->plan.points >= TWO_POINTS &&
        host_leaders_find(&differences, &two.follows, &two.second))
        led[count++] = two;
    return count;
}

/* True if leaders seem worth more trials: with one of two combinations they cost hardly more for a
   few points than the candidate without. */
static bool may_follow(tile_choice *choice, uint32_t c, const lattice_candidate *alone,
                       const lattice_candidate *led)
{
    lattice_candidate few = *alone, with[2];
    few.beams = first_trial.beams[few.fineness];
    led_points points = led_points_of(choice, led->follows, LED_FEW);
    uint32_t predictor = alone->predictor < TPI_BALLISTIC ? alone->predictor : 0;
    if (!try_led(choice, c, points, &few) ||
        !try_combination(choice, c, led, predictor, alone->fineness, &with[0]) ||
        !try_combination(choice, c, led, 0, alone->fineness, &with[1]))
        return false;
    uint64_t least = with[0].cost < with[1].cost ? with[0].cost : with[1].cost;
    return least <= few.cost + few.cost / LED_SLACK;
}

/* Tries a candidate with leaders; it becomes the best one if it is cheaper. False: a point does not
   fit the lattice. */
static bool keep_better(tile_choice *choice, uint32_t c, led_points points, lattice_candidate with,
                        lattice_candidate *best)
{
    if (!try_led(choice, c, points, &with)) return false;
    if (with.second) with.cost += with.cost / TWO_MARGIN;
    if (with.cost < best->cost) *best = with;
    return true;
}

/* rank_led with the habits of other tiles. Returns the number of combinations; 0: a point does not
   fit the lattice. */
static uint32_t rank_habits(tile_choice *choice, uint32_t c, const lattice_candidate *led,
                            lattice_candidate *candidates)
{
    lattice_candidate habit[CANDIDATES];
    uint32_t count = list_habits(habits_of(choice, c)->led, habit);
    for (uint32_t k = 0; k < count; k++)
        if (!try_combination(choice, c, led, habit[k].predictor, habit[k].fineness, &candidates[k]))
            return 0;
    sort_candidates(candidates, count);
    return tpi_min_u32(count, 2u);
}

/* Lists combinations with these leaders that are worth trying with more points. Returns their
   number; 0: none is, or a point does not fit the lattice. */
static uint32_t find_led(tile_choice *choice, uint32_t c, const lattice_candidate *alone,
                         const lattice_candidate *led, lattice_candidate *ranked)
{
    const host_habits *habits = habits_of(choice, c);
    bool is_usual = habits && habits->led_tiles * 2u > habits->tiles;
    if (!is_usual && !may_follow(choice, c, alone, led)) return 0;
    if (habits) return rank_habits(choice, c, led, ranked);
    if (!rank_led(choice, c, led, ranked)) return 0;
    /* the candidate itself, and two more */
    if (alone->predictor >= TPI_BALLISTIC) return 2;
    ranked[2] = *alone, ranked[2].follows = led->follows, ranked[2].second = led->second;
    return 3;
}

/* Chooses between a candidate without leaders and the best ones with one and two, by the cost of
   some points. */
static bool choose_leaders(tile_choice *choice, uint32_t c, lattice_candidate *candidate)
{
    lattice_candidate led[2], ranked[CANDIDATES], best = *candidate;
    const host_habits *habits = habits_of(choice, c);
    if (habits && habits->led_tiles * LED_SELDOM < habits->tiles) return true;
    uint32_t count = propose_leaders(choice, c, led);
    led[0].start = candidate->start;
    uint32_t some = count ? find_led(choice, c, candidate, &led[0], ranked) : 0;
    if (!some) return true;
    led_points points = led_points_of(choice, led[0].follows, LED_POINTS);
    if (!try_led(choice, c, points, &best)) return false;
    best.cost -= best.cost / LED_MARGIN;
    for (uint32_t n = 0; n < some; n++)
        if (!keep_better(choice, c, points, ranked[n], &best)) return false;
    /* with two leaders the best one of these */
    lattice_candidate two = best.follows ? best : ranked[0];
    two.follows = led[1].follows, two.second = led[1].second;
    if (count > 1u && !keep_better(choice, c, points, two, &best)) return false;
    *candidate = best;
    return true;
}

/* Finds the initial coder state of a candidate by a few points. False: one does not fit the
   lattice. */
static bool find_start(tile_choice *choice, uint32_t c, lattice_candidate *candidate)
{
    candidate->beams = final_trial.beams[candidate->fineness];
    choice->plan.component[c] = component_of(choice, c, candidate);
    choice->plan.component[c].follows = choice->plan.component[c].second = 0;
    if (!search_some_points(choice, c, candidate)) return false;
    candidate->start = tpi_plan_residual_start(&choice->plan, c, 16u);
    return true;
}

/* Chooses everything about a component but its residuals. False: a point does not fit the lattice.
 */
static bool choose_component(tile_choice *choice, uint32_t c, lattice_candidate *candidate)
{
    lattice_candidate candidates[CANDIDATES];
    find_flight(choice, c);
    if (!find_alone(choice, c, candidates)) return false;
    *candidate = candidates[0];
    if (!find_start(choice, c, candidate) || !choose_leaders(choice, c, candidate)) return false;
    if (choice->encoder->learns)
        learn_habit(&choice->encoder->learns[c], &candidates[0], candidate);
    choice->plan.component[c] = component_of(choice, c, candidate);
    candidate->beams = beams_of(choice, candidate);
    return true;
}

/* ---- thorough: of a short clip, every finalist is searched with all points */

/* Finds all residuals of component c with a candidate; sets candidate->cost to those of the tile.
   False: a point does not fit the lattice. */
static bool search_whole(tile_choice *choice, uint32_t c, lattice_candidate *candidate)
{
    candidate->beams = beams_of(choice, candidate);
    component_search of = {choice, c, *candidate, 0, true};
    choice->plan.component[c] = component_of(choice, c, candidate);
    search_together(&of, 1, candidate->beams);
    if (!of.fits) return false;
    tpi_plan_follow(&choice->plan, c);
    tpi_plan_starts(&choice->plan, c);
    candidate->cost = tpi_plan_cost(&choice->plan, c);
    return true;
}

/* Searches a candidate, and again from the initial state that its residuals have. Keeps the
   cheaper one in *best. False: a point does not fit the lattice. */
static bool search_finalist(tile_choice *choice, uint32_t c, lattice_candidate candidate,
                            lattice_candidate *best)
{
    for (uint32_t turn = 0; turn < 2u; turn++) {
        if (!search_whole(choice, c, &candidate)) return false;
        if (candidate.cost < best->cost) *best = candidate;
        uint32_t start = choice->plan.component[c].start[2];
        if (start == candidate.start) return true;
        candidate.start = start;
    }
    return true;
}

static bool search_finalists(tile_choice *choice, uint32_t c, const lattice_candidate *candidates,
                             lattice_candidate *best)
{
    for (uint32_t k = 0; k < THOROUGH; k++) {
        lattice_candidate candidate = candidates[k];
        if (!find_start(choice, c, &candidate) || !search_finalist(choice, c, candidate, best))
            return false;
    }
    return true;
}

/* As choose_component and the search after it, for a short clip. */
static bool search_thoroughly(tile_choice *choice, uint32_t c)
{
    lattice_candidate candidates[CANDIDATES], led[2], best = {.cost = UINT64_MAX};
    find_flight(choice, c);
    if (!find_candidates(choice, c, candidates)) return false;
    if (!search_finalists(choice, c, candidates, &best)) return false;
    uint32_t count = propose_leaders(choice, c, led);
    for (uint32_t k = 0; k < count; k++) {
        led[k].start = best.start;
        if (!rank_led(choice, c, &led[k], candidates)) return false;
        if (!search_finalists(choice, c, candidates, &best)) return false;
    }
    return search_whole(choice, c, &best);
}

/* Finds the residuals of all components of some tiles. fits[t][c] is false: component c of tile t
   does not fit its lattice. */
static void search_tiles(tile_choice *choices, uint32_t count, bool fits[][TPI_TILE_COMPONENTS])
{
    component_search of[HOST_TILES * TPI_TILE_COMPONENTS];
    uint32_t some = 0;
    for (uint32_t t = 0; t < count; t++)
        for (uint32_t c = 0; c < choices[t].plan.components; c++) {
            if (choices[t].encoder->is_thorough) {
                fits[t][c] = search_thoroughly(&choices[t], c);
                continue;
            }
            of[some] = (component_search){.choice = &choices[t], .c = c};
            of[some].fits = choose_component(&choices[t], c, &of[some].candidate);
            some++;
        }
    for (uint32_t beams = 1; some && beams <= HOST_BEAMS_MAX; beams++)
        search_together(of, some, beams);
    for (uint32_t k = 0; k < some; k++) {
        fits[of[k].choice - choices][of[k].c] = of[k].fits;
        if (of[k].fits) tpi_plan_follow(&of[k].choice->plan, of[k].c);
    }
}

/* ---- the tile ---- */

static void begin_choice(tile_choice *choice, int32_t *residuals)
{
    const host_tile_samples *samples = choice->samples;
    choice->plan = (tpi_tile_plan){.points = samples->points,
                                   .frames = samples->frames,
                                   .components = samples->components,
                                   .has_lives = samples->first != NULL,
                                   .residuals = residuals};
    for (uint32_t p = 0; p < samples->points; p++) {
        choice->plan.first[p] = samples->first ? samples->first[p] : 0;
        choice->plan.end[p] = samples->first ? samples->end[p] : (uint8_t)samples->frames;
    }
}

/* True if all residuals after the first frame are 0: later frames need no symbols. */
static bool is_constant(const tpi_tile_plan *plan, uint32_t c)
{
    for (uint32_t p = 0; p < plan->points; p++)
        for (uint32_t f = plan->first[p] + 1u; f < plan->end[p]; f++)
            if (tpi_plan_row(plan, f, c)[p]) return false;
    return true;
}

/* Writes a tile whose residuals are found. Returns its size. */
static uint32_t write_tile(tile_choice *choice, const bool *fits, uint8_t *bytes)
{
    host_tile_encoder *encoder = choice->encoder;
    tpi_tile_plan *plan = &choice->plan;
    for (uint32_t c = 0; c < plan->components; c++) {
        if (!fits[c]) host_plan_exact(plan, choice->samples, choice->kind->is_float, c);
        tpi_tile_component *component = &plan->component[c];
        if (component->mode == TPI_TILE_CODED && is_constant(plan, c))
            component->mode = TPI_TILE_CONSTANT, component->follows = component->second = 0;
        if (component->mode != TPI_TILE_RAW) tpi_plan_starts(plan, c);
    }
    uint32_t words = sizeof encoder->scratch / sizeof encoder->scratch[0],
             bytes_max = host_tile_bytes_max(plan->points, plan->frames, plan->components),
             size = tpi_tile_write(plan, encoder->scratch, words, bytes, bytes_max);
    for (uint32_t c = 0; c < plan->components && size; c++)
        encoder->required |= (plan->component[c].second ? TPI_CLIP_TWO_LEADERS : 0u) |
                             (tpi_is_ballistic(&plan->component[c]) ? TPI_CLIP_BALLISTIC : 0u);
    if (size) return size;
    for (uint32_t c = 0; c < plan->components; c++) host_plan_raw(plan, choice->samples, c);
    return tpi_tile_write(plan, encoder->scratch, words, bytes, bytes_max);
}

void host_tiles_encode(host_tile_encoder *encoder, const host_tile_samples *samples,
                       const host_tile_kind *kind, uint32_t count, uint8_t *const *bytes,
                       uint32_t *sizes)
{
    tile_choice choices[HOST_TILES];
    bool fits[HOST_TILES][TPI_TILE_COMPONENTS] = {{false}};
    for (uint32_t t = 0; t < count; t++) {
        choices[t] = (tile_choice){.encoder = encoder, .samples = &samples[t], .kind = kind};
        begin_choice(&choices[t], encoder->residuals[t]);
    }
    if (kind->error != 0.0 && kind->is_float) {
        host_search_begin(&encoder->search);
        search_tiles(choices, count, fits);
    }
    encoder->required = 0;
    for (uint32_t t = 0; t < count; t++) sizes[t] = write_tile(&choices[t], fits[t], bytes[t]);
}

uint32_t host_tile_encode(host_tile_encoder *encoder, const host_tile_samples *samples,
                          const host_tile_kind *kind, uint8_t *bytes)
{
    uint32_t size;
    host_tiles_encode(encoder, samples, kind, 1, &bytes, &size);
    return size;
}

void host_tile_words(const tpi_tile_reader *reader, const host_tile_kind *kind, uint32_t c,
                     uint32_t *words)
{
    tpi_tile_words(reader, c, &kind->lattice[c], kind->is_float, words);
}
