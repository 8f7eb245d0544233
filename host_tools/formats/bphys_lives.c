/* SPDX-License-Identifier: MIT
   host_tools/formats/bphys_lives.c - estimates births and deaths of a Blender cache without an info
           file.
   reads   every file of the sequence      writes  the times of host_sequence
   memory  76 bytes per point, two frames    cost    O(bytes of all files)
   after   own design; rule found in caches of Blender 3.4: with cache step S, the file of frame F
           has the points with birth < F + S + 1 and death >= F - S + 1; a point moves only from
           birth to death */
#include "bphys_private.h"
#include "verify.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    EARLIEST = 250 /* an emission may have begun this many frames before the first file */
};
static const double hit_error = 2e-3; /* frames: error of a death computed across a collision */
/* frames: error of a birth computed from the distance moved */
static const double measure_error = 0.02;

/* What the files show of one point. "Position" is an index into the list of readable files. */
typedef struct life {
    float location[3], velocity[3];  /* values in its latest record */
    float from[3], from_velocity[3]; /* location and velocity before its last motion */
    /* Positions of the first and last file with the point; first -1: none */
    int32_t first, last;
    /* Position from which it first moved, and position up to which it last moved; -1: never. */
    int32_t start, end;
    /* Durations of the first and the last motion in frames, from displacement and velocities; -1:
       not known. */
    float start_span, end_span;
    /* The record at `start` has a velocity, but its location did not change from the record
       before */
    bool start_rests;
    bool start_replaced; /* that record was replaced by that of the whole frame after the birth */
    float replaced_span; /* then: duration of the motion up to that record */
    bool start_moves;    /* that record has a velocity */
} life;

typedef struct lives {
    host_sequence *sequence;
    life *points;
    uint32_t count;
    int32_t *numbers; /* frame numbers of the readable files */
    size_t files;
    int32_t step;
    /* Dead points stay longer than the step explains: Blender's option "show dead" */
    bool keeps_dead;
    bool has_holes; /* a point vanishes and returns, which Blender never writes */
    /* Points that move from their first record on, and points that first rest, at least for a part
       of the time to the next record. */
    size_t at_once, at_rest;
    size_t acceleration_count;
    double noise; /* largest error, in frames, of measured whole spans */
    /* For motions inside a life: spans measured as the whole frame interval, and all spans. */
    size_t whole, spans;
    /* Sums over the whole spans: acceleration, and its square. */
    double acceleration[3], acceleration_square;
    /* Times stored in the frames themselves; birth NAN: none for this point; NULL: none at all. */
    float *stored;
    float first_birth, last_birth;
    bool is_even;       /* births are evenly spaced from first_birth to last_birth */
    double birth_doubt; /* uncertainty of the least certain birth, in frames */
    double death_doubt; /* the same for deaths */
} lives;

/* low <= time < high, in frames. */
typedef struct bounds {
    double low, high;
} bounds;

int32_t bphys_presence_step(const int32_t *numbers, size_t count)
{
    int32_t step = host_common_step(numbers, count);
    return step > 1 && numbers[1] - numbers[0] > step ? numbers[1] - numbers[0] : step;
}

bool bphys_is_present(const float times[3], double number, int32_t step)
{
    return (double)times[0] < number + step + 1 && (double)times[1] >= number - step + 1;
}

/* ---- one pass over the files */

static double frames_to(const lives *all, int32_t position)
{
    return (double)all->numbers[position] - (double)all->numbers[position - 1];
}

static void note_acceleration(lives *all, const life *point, const float *velocity, double frames)
{
    for (int k = 0; k < 3; k++) {
        double acceleration =
            ((double)velocity[k] - (double)point->velocity[k]) / (frames * BPHYS_SECONDS_A_FRAME);
        all->acceleration[k] += acceleration;
        all->acceleration_square += acceleration * acceleration;
    }
    all->acceleration_count++;
}

/* Records that the point moved between the files position - 1 and position. */
static void note_motion(lives *all, life *point, int32_t position, float span)
{
    bool is_under_way = point->end > point->start + 1 && point->end_span >= 0;
    if (is_under_way) {
        double frames = frames_to(all, point->end), before = (double)point->end_span;
        all->spans++;
        all->whole += bphys_is_whole(before, frames);
        if (bphys_is_whole(before, frames)) all->noise = fmax(all->noise, fabs(before - frames));
    }
    if (point->start < 0) {
        point->start = position - 1;
        point->start_span = span;
        point->start_moves = bphys_is_moving(point->velocity);
        point->start_rests = point->start_moves && point->start > point->first;
    }
    point->end = position;
    point->end_span = span;
    memcpy(point->from, point->location, sizeof point->from);
    memcpy(point->from_velocity, point->velocity, sizeof point->from_velocity);
}

/* With steps above 1, Blender replaces the latest record before a birth by that of the whole frame
   after it. So a point was born after a record if its motion up to that record takes at most one
   frame, and its next motion is shorter than the whole interval. */
static void note_replaced(lives *all, life *point, int32_t position, float span)
{
    bool is_second = all->step > 1 && !point->start_replaced && point->start >= 0 &&
                     point->start == position - 2;
    bool is_short = point->start_span >= 0 && (double)point->start_span <= 1 + measure_error;
    if (!is_second || !is_short || bphys_is_whole((double)span, frames_to(all, position))) return;
    point->replaced_span = point->start_span;
    point->start = position - 1;
    point->start_span = span;
    point->start_rests = point->start_replaced = true;
}

static void note_record(lives *all, life *point, int32_t position, const float *location,
                        const float *velocity)
{
    static const float nothing[3] = {0, 0, 0};
    const float *known = velocity ? velocity : nothing;
    if (point->first < 0)
        point->first = position;
    else if (point->last != position - 1)
        all->has_holes = true;
    else {
        bool rests = memcmp(point->location, location, 12) == 0;
        float span = rests ? 0
                           : bphys_motion_span(point->location, point->velocity, location, known,
                                               frames_to(all, position));
        if (!rests || bphys_is_moving(point->velocity)) note_replaced(all, point, position, span);
        if (!rests) note_motion(all, point, position, span);
        if (!rests && bphys_is_whole((double)span, frames_to(all, position)))
            note_acceleration(all, point, known, frames_to(all, position));
    }
    point->last = position;
    memcpy(point->location, location, 12);
    memcpy(point->velocity, known, 12);
}

static int note_stored(lives *all, const host_frame *frame)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    const float *times = frame->data[POINT_TIMES];
    if (!times) return HOST_DONE;
    if (!all->stored) {
        all->stored = host_allocate(all->count, 3 * sizeof *all->stored);
        if (!all->stored) return host_out_of_memory("birth and death");
        for (size_t i = 0; i < all->count; i++) all->stored[i * 3] = NAN;
    }
    for (uint32_t i = 0; i < frame->count; i++)
        if (indices[i] < all->count)
            memcpy(all->stored + (size_t)indices[i] * 3, times + (size_t)i * 3, 3 * sizeof *times);
    return HOST_DONE;
}

static int note_frame(lives *all, const host_frame *frame, int32_t position)
{
    const uint32_t *indices = frame->data[POINT_INDEX];
    const float *locations = frame->data[POINT_LOCATION], *velocities = frame->data[POINT_VELOCITY];
    for (uint32_t i = 0; locations && i < frame->count; i++)
        if (indices[i] < all->count)
            note_record(all, &all->points[indices[i]], position, locations + (size_t)i * 3,
                        velocities ? velocities + (size_t)i * 3 : NULL);
    return note_stored(all, frame);
}

/* An unreadable file counts as missing; loading its frame reports the error. */
static int note_files(lives *all)
{
    const host_sequence *sequence = all->sequence;
    for (size_t f = 0; f < sequence->frame_count; f++) {
        host_frame frame;
        uint8_t *bytes;
        size_t size;
        char *path = bphys_frame_path(sequence, sequence->numbers[f]);
        if (!path) return host_out_of_memory("a path");
        int code = host_read_file(path, &bytes, &size);
        free(path);
        if (code) return code;
        code = bphys_read(NULL, bytes, size, &frame, NULL);
        free(bytes);
        if (code == HOST_BAD_INPUT) continue;
        if (code) return host_out_of_memory("a frame");
        all->numbers[all->files] = sequence->numbers[f];
        code = note_frame(all, &frame, (int32_t)all->files++);
        host_frame_free(&frame);
        if (code) return code;
    }
    return HOST_DONE;
}

/* ---- bounds of one birth */

static bool is_trusted(const lives *all)
{
    return all->spans && all->whole * 20 >= all->spans * 19;
}
static double number_at(const lives *all, int32_t position)
{
    return (double)all->numbers[position];
}

static void narrow(bounds *to, double low, double high)
{
    bounds both = {fmax(to->low, low), fmin(to->high, high)};
    if (both.low < both.high) *to = both;
}

static bounds birth_bounds(const lives *all, const life *point)
{
    double step = all->step, replaced = step > 1 ? 1 : 0, span = (double)point->start_span;
    bounds birth = {-INFINITY, number_at(all, point->first) + step + 1};
    if (point->first > 0) /* with "show dead", points are written a frame later */
        birth.low = number_at(all, point->first - 1) + step + !all->keeps_dead;
    if (point->start < 0) return birth;
    double from = number_at(all, point->start), to = number_at(all, point->start + 1);
    /* The motion may end with the death, before `to`. Then its duration gives the latest birth
       only, and its record `from` may be the point's own. */
    bool may_die = point->end <= point->start + 1;
    double rest = from - replaced;
    if (may_die && point->start_replaced)
        rest = point->end <= point->start
                   ? -INFINITY
                   : fmin(rest, from - (double)point->replaced_span - replaced - measure_error);
    if (point->start_rests) narrow(&birth, rest, INFINITY);
    if (!is_trusted(all) || span < 0 || !point->start_moves) return birth;
    /* born at `from` or earlier */
    bool is_early = bphys_is_whole(span, to - from) && !point->start_rests;
    narrow(&birth, is_early || may_die ? -INFINITY : to - span - replaced - measure_error,
           to - span + measure_error);
    return birth;
}

/* Birth from the point's own motion; at cache step 1 Blender's births can be measured. */
static double own_birth(const lives *all, const life *point, const bounds *birth)
{
    double first = number_at(all, 0), span = (double)point->start_span;
    if (birth->low == -INFINITY) return fmin(first, birth->high);
    if (all->step > 1 || point->start < 0 || span < 0 || !point->start_moves || !is_trusted(all))
        return (birth->low + birth->high) / 2;
    double measured = number_at(all, point->start + 1) - span, whole = floor(measured + 0.5);
    return fabs(measured - whole) < 1e-3 ? whole : measured;
}

/* ---- a collision between two records: free fall, a jump of the velocity, free fall again */

/* Distance left unexplained when the point falls for t[0] seconds before the collision and t[1]
   seconds after it; `left` is the vector. */
static double residual(const life *point, const double acceleration[3], const double t[2],
                       double left[3])
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double before = (double)point->from_velocity[k] * t[0] + acceleration[k] * t[0] * t[0] / 2;
        double behind = (double)point->velocity[k] * t[1] - acceleration[k] * t[1] * t[1] / 2;
        left[k] = (double)point->location[k] - (double)point->from[k] - before - behind;
        square += left[k] * left[k];
    }
    return sqrt(square);
}

/* Gauss-Newton iteration for three equations in two unknowns; false when it does not converge. */
static bool solve_hit(const life *point, const double acceleration[3], double t[2], double *error)
{
    double left[3];
    *error = residual(point, acceleration, t, left);
    for (int round = 0; round < 30; round++) {
        double aa = 0, ab = 0, bb = 0, ra = 0, rb = 0;
        for (int k = 0; k < 3; k++) {
            double a = (double)point->from_velocity[k] + acceleration[k] * t[0],
                   b = (double)point->velocity[k] - acceleration[k] * t[1];
            aa += a * a, ab += a * b, bb += b * b, ra += a * left[k], rb += b * left[k];
        }
        double scale = aa * bb - ab * ab;
        if (!(scale > 1e-12 * aa * bb)) return false;
        double step[2] = {(ra * bb - rb * ab) / scale, (rb * aa - ra * ab) / scale};
        t[0] += step[0];
        t[1] += step[1];
        *error = residual(point, acceleration, t, left);
        if (fabs(step[0]) + fabs(step[1]) < 1e-10) return true;
    }
    return false;
}

/* True when all points have the same acceleration; `acceleration` is in length units per second
   squared. */
static bool find_acceleration(const lives *all, double acceleration[3])
{
    double mean_square = 0, count = (double)all->acceleration_count;
    if (!all->acceleration_count) return false;
    for (int k = 0; k < 3; k++) {
        acceleration[k] = all->acceleration[k] / count;
        mean_square += acceleration[k] * acceleration[k];
    }
    return all->acceleration_square / count - mean_square <= 1e-4 * mean_square;
}

/* Duration in frames of the last motion, with one collision in it; -1 when no collision explains
   the motion or several do. */
static double hit_span(const lives *all, const life *point, double frames)
{
    enum { SEEDS = 5 };
    double acceleration[3], left[3], error, nothing[2] = {0, 0};
    double span = -1, seconds = frames * BPHYS_SECONDS_A_FRAME;
    if (!find_acceleration(all, acceleration)) return -1;
    double enough = 1e-5 * residual(point, acceleration, nothing, left);
    for (int seed = 0; seed < SEEDS * SEEDS; seed++) {
        double t[2] = {seconds * (seed % SEEDS) / (SEEDS - 1),
                       seconds * (seed / SEEDS) / (SEEDS - 1)};
        if (!solve_hit(point, acceleration, t, &error) || error > enough) continue;
        double found = (t[0] + t[1]) / BPHYS_SECONDS_A_FRAME;
        if (t[0] < -1e-5 || t[1] < -1e-5 || found > 1.001 * frames) continue;
        if (span >= 0 && fabs(found - span) > measure_error) return -1;
        span = found;
    }
    return span;
}

/* ---- bounds of one death */

/* A point that moved and then rests with a velocity is dead. */
static bool is_at_rest(const life *point)
{
    return point->end >= 0 && point->end < point->last && bphys_is_moving(point->velocity);
}

static void find_kept_dead(lives *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        const life *point = &all->points[i];
        if (point->first < 0 || !is_at_rest(point)) continue;
        all->keeps_dead |= number_at(all, point->end) < number_at(all, point->last) - all->step + 1;
    }
}

/* Time of the record at `start` of a point that is born after it. If it is not known whether the
   record was replaced, the later time, so that no particle dies too early. */
static double time_of_start(const lives *all, const life *point, double birth)
{
    double from = number_at(all, point->start), whole = floor(birth);
    if (birth <= from) return from;
    bool is_birth =
        all->step == 1 || (point->start_rests && !point->start_replaced) || whole <= from;
    return is_birth ? birth : whole + 1;
}

/* The death according to the motion between the point's last two different records. */
static void death_from_motion(const lives *all, const life *point, double birth, bounds *death,
                              double *measured)
{
    double from = number_at(all, point->end - 1), to = number_at(all, point->end);
    double span = (double)point->end_span, error = fmax(1e-4, 2 * all->noise);
    if (is_at_rest(point)) *death = (bounds){from, to + 1e-3};
    if (!is_trusted(all)) return;
    if (point->end - 1 == point->start) from = time_of_start(all, point, birth);
    if (span < 0) {
        span = hit_span(all, point, to - from);
        error = hit_error;
    }
    bool goes_on = span >= to - from - error && death->high > to && !is_at_rest(point);
    if (span >= 0 && goes_on)
        narrow(death, to, INFINITY);
    else if (span >= 0 && from + span >= death->low && from + span < death->high)
        *measured = from + span;
}

/* A point that vanishes died before; a point present in the last file has not died yet. */
static bounds death_bounds(const lives *all, const life *point, double birth, double *measured)
{
    double step = all->step;
    bool is_last = (size_t)point->last == all->files - 1;
    bounds death = {all->keeps_dead ? 0 : number_at(all, point->last) - step + 1, INFINITY};
    *measured = NAN;
    if (!is_last) death.high = number_at(all, point->last + 1) - step + 1;
    if (point->end >= 0) death_from_motion(all, point, birth, &death, measured);
    return death;
}

/* ---- all births: Blender spaces them evenly in index order */

static float even_birth(const lives *all, float first, float last, uint32_t i)
{
    return first + (last - first) * ((float)i / (float)all->count);
}

static bool are_even(const lives *all, float first, float last)
{
    for (uint32_t i = 0; i < all->count; i++) {
        if (all->points[i].first < 0) continue;
        bounds birth = birth_bounds(all, &all->points[i]);
        double at = (double)even_birth(all, first, last, i);
        if (at < birth.low || at >= birth.high) return false;
    }
    return true;
}

/* The range of frames between two births that satisfies all bounds when point 0 is born at `first`;
   false when none does. */
static bool find_spacing(const lives *all, double first, bounds *spacing)
{
    *spacing = (bounds){0, INFINITY};
    for (uint32_t i = 0; i < all->count; i++) {
        if (all->points[i].first < 0) continue;
        bounds birth = birth_bounds(all, &all->points[i]);
        if (!i && (first < birth.low || first >= birth.high)) return false;
        if (!i) continue;
        spacing->low = fmax(spacing->low, (birth.low - first) / i);
        spacing->high = fmin(spacing->high, (birth.high - first) / i);
        if (spacing->low >= spacing->high) return false;
    }
    return true;
}

/* An emission begins and ends with a whole frame, unless the user typed a fraction. The first file
   is of the first frame of the emission, or of frame 1. If several ends fit, the middle one is
   used. */
static bool find_whole_ends(lives *all, double first)
{
    bounds spacing;
    if (!find_spacing(all, first, &spacing) || spacing.high == INFINITY) return false;
    double low = ceil(first + spacing.low * all->count),
           high = floor(first + spacing.high * all->count);
    /* Points born later were not seen */
    double past = number_at(all, (int32_t)all->files - 1) + all->step + 1;
    while (low <= high && !are_even(all, (float)first, (float)low)) low++;
    while (low <= high && !are_even(all, (float)first, (float)high)) high--;
    if (low > high || low >= past) return false;
    double last = low == first ? low : floor((low + fmin(high, past)) / 2);
    if (!are_even(all, (float)first, (float)last)) return false;
    all->first_birth = (float)first;
    all->last_birth = (float)last;
    all->birth_doubt = fmax(last - low, high - last);
    return all->is_even = true;
}

static void find_even_births(lives *all)
{
    double first = number_at(all, 0);
    for (int early = 0; early <= (first == 1 ? EARLIEST : 0); early++)
        if (find_whole_ends(all, first - early)) return;
}

static void estimate_births(lives *all, float *times)
{
    find_even_births(all);
    for (uint32_t i = 0; i < all->count; i++) {
        const life *point = &all->points[i];
        float *to = times + (size_t)i * 3;
        to[0] = BPHYS_NEVER;
        if (point->first < 0) continue;
        bounds birth = birth_bounds(all, point);
        to[0] = all->is_even ? even_birth(all, all->first_birth, all->last_birth, i)
                             : (float)own_birth(all, point, &birth);
        if (!all->is_even && birth.low > -INFINITY)
            all->birth_doubt = fmax(all->birth_doubt, birth.high - birth.low);
    }
}

/* ---- all deaths: at a common age, or individually */

/* The only whole lifetime that fits all points; 0 when there is none or no point has died. */
static double find_lifetime(const lives *all, const float *times)
{
    bounds age = {1, INFINITY};
    for (uint32_t i = 0; i < all->count; i++) {
        double birth = (double)times[(size_t)i * 3], measured;
        if (all->points[i].first < 0) continue;
        bounds death = death_bounds(all, &all->points[i], birth, &measured);
        if (!isnan(measured)) death = (bounds){measured - measure_error, measured + measure_error};
        age.low = fmax(age.low, death.low - birth);
        age.high = fmin(age.high, death.high - birth);
    }
    double whole = ceil(age.low);
    return age.high < INFINITY && whole < age.high ? whole : 0;
}

static void estimate_deaths(lives *all, float *times)
{
    double lifetime = find_lifetime(all, times), measured;
    for (uint32_t i = 0; i < all->count; i++) {
        float *to = times + (size_t)i * 3;
        to[1] = BPHYS_NEVER;
        if (all->points[i].first >= 0) {
            bounds death = death_bounds(all, &all->points[i], (double)to[0], &measured);
            bool has_died = death.high < INFINITY;
            double at =
                has_died ? (fmax(death.low, (double)to[0]) + death.high) / 2 : (double)BPHYS_NEVER;
            if (lifetime > 0)
                to[1] = to[0] + (float)lifetime;
            else
                to[1] = (float)(isnan(measured) ? at : measured);
            if (!(lifetime > 0) && isnan(measured) && has_died)
                all->death_doubt = fmax(all->death_doubt, death.high - death.low);
        }
        to[2] = to[1] - to[0];
    }
}

/* ---- whether Blender wrote the files */

/* In files of other programs, points are present exactly while alive and move at once. */
static bool is_from_blender(lives *all)
{
    if (all->files < 2 || all->step > BPHYS_STEP_MAX || all->has_holes) return false;
    for (uint32_t i = 0; i < all->count; i++) {
        const life *point = &all->points[i];
        if (point->first <= 0 || point->start < 0) continue;
        bool is_measured = point->start == point->first && point->start_span >= 0;
        bool is_early = is_measured &&
                        bphys_is_whole((double)point->start_span, frames_to(all, point->start + 1));
        all->at_once += is_early;
        all->at_rest += point->start > point->first || (is_measured && !is_early);
    }
    return all->at_once <= all->at_rest;
}

static void use_presence(const lives *all, float *times)
{
    for (uint32_t i = 0; i < all->count; i++) {
        const life *point = &all->points[i];
        bool seen = point->first >= 0;
        bphys_times_from_presence(seen ? all->numbers[point->first] : BPHYS_NOT_SEEN,
                                  seen ? all->numbers[point->last] : 0,
                                  all->numbers[all->files - 1], times + (size_t)i * 3);
    }
}

static void use_stored(const lives *all, float *times)
{
    for (size_t i = 0; all->stored && i < all->count; i++)
        if (!isnan(all->stored[i * 3]))
            memcpy(times + i * 3, all->stored + i * 3, 3 * sizeof *times);
}

static void print_doubt(char *text, size_t size, double frames)
{
    if (frames > 0)
        snprintf(text, size, "known to %.2g frame%s", frames, frames > 1 ? "s" : "");
    else
        snprintf(text, size, "known");
}

static void print_estimate(const lives *all, const float *times)
{
    char births[64], deaths[64], ends[96] = "";
    bool has_any = false;
    for (uint32_t i = 0; i < all->count && !has_any; i++)
        has_any =
            times[(size_t)i * 3] > (float)all->numbers[0] || times[(size_t)i * 3 + 1] < BPHYS_NEVER;
    if (!has_any) return;
    print_doubt(births, sizeof births, all->birth_doubt);
    print_doubt(deaths, sizeof deaths, all->death_doubt);
    if (all->is_even)
        snprintf(ends, sizeof ends, " (evenly from frame %.9g to %.9g)", (double)all->first_birth,
                 (double)all->last_birth);
    host_note(all->sequence->path, HOST_NO_OFFSET,
              "no file has births and deaths; as estimated from the motion of the points, births "
              "are %s%s "
              "and deaths %s",
              births, ends, deaths);
}

static int find_times(lives *all)
{
    int code = note_files(all);
    if (code) return code;
    if (!all->files) return HOST_DONE;
    bool by_presence = all->sequence->has_info || !is_from_blender(all);
    /* the default: a point is alive where it is present */
    if (by_presence && !all->stored) return HOST_DONE;
    float *times = host_allocate(all->count, 3 * sizeof *times);
    if (!times) return host_out_of_memory("birth and death");
    if (by_presence)
        use_presence(all, times);
    else {
        find_kept_dead(all);
        estimate_births(all, times);
        estimate_deaths(all, times);
        if (!all->stored) print_estimate(all, times);
    }
    use_stored(all, times);
    all->sequence->times = times;
    return HOST_DONE;
}

int bphys_find_times(host_sequence *sequence)
{
    lives all = {.sequence = sequence, .count = sequence->point_count};
    all.step = bphys_presence_step(sequence->numbers, sequence->frame_count);
    if (!all.step) return HOST_OUT_OF_MEMORY;
    if (sequence->has_info && !(sequence->streams & POINT_BIT(POINT_TIMES))) return HOST_DONE;
    if (all.count > sequence->record_count || all.count > BPHYS_POINTS_MAX) {
        host_note(sequence->path, HOST_NO_OFFSET,
                  "births and deaths are not estimated: index %u is too high for %llu records",
                  all.count - 1, (unsigned long long)sequence->record_count);
        return HOST_DONE;
    }
    bool lasts = false;
    int lasting = bphys_find_lasting(sequence, all.step, &lasts);
    if (lasting || lasts) return lasting;
    all.points = host_allocate(all.count, sizeof *all.points);
    all.numbers = host_allocate(sequence->frame_count, sizeof *all.numbers);
    int code = all.points && all.numbers ? HOST_DONE : host_out_of_memory("birth and death");
    for (uint32_t i = 0; !code && i < all.count; i++)
        all.points[i].first = all.points[i].start = all.points[i].end = -1;
    if (!code) code = find_times(&all);
    free(all.points);
    free(all.numbers);
    free(all.stored);
    return code;
}
