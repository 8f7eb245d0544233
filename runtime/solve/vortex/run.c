/* SPDX-License-Identifier: MIT
   runtime/solve/vortex/run.c - the stage FORCE of vortices: two sums over all vortons, and the back
           set.
   reads   front positions and strengths      writes  kicked velocities, the back set
   memory  back positions hold the places of the second sum
   cost    units: per particle 5, 2 per field (8 for noise) and 2 per vorton; per vorton 3, and 2
           per vorton, 4 with viscosity; see grid_lanes.h for those of a grid
   after   midpoint steps: velocities and changes of strengths of the front set move all particles
           for half a step; those at that place and time move them for the whole step */
#include "vortex_lanes.h"
#include "grid_lanes.h"
#include "../../grid/grid_lanes.h"

/* False for what a forged cache may restore. */
static bool vortex_is_good(const tp_world *world, tp_vector strength)
{
    return tpi_is_vector_within(strength, 1.001f * world->def.vortex.strength_max);
}

/* True for vortons, on a grid if there is one. */
static bool vortex_acts(const tp_world *world, uint32_t i)
{
    if (!vortex_is_vorton(world, i)) return false;
    return !tpi_vortex_has_grid(&world->def) || vortex_is_inside(world, tpi_vortex_at(world, i));
}

/* A step may begin in a block from outside, in the midst of another one. */
static void vortex_begin(const tp_world *world)
{
    bool has_grid = tpi_vortex_has_grid(&world->def);
    tpi_memset(tpi_vortex_count(world), 0, (has_grid ? TPI_VORTEX_HEAD_WORDS : 1u) * 4u);
}

static void vortex_add_bound(const tp_world *world, float strength)
{
    uint32_t *bound = tpi_vortex_count(world) + TPI_VORTEX_BOUND;
    if (tpi_vortex_has_grid(&world->def)) *bound = tpi_bits(tpi_from_bits(*bound) + strength);
}

/* Without a grid a vorton is fast by itself: the vorticity in its core, of the kernels above. */
static void vortex_count_row(tp_world *world, tp_vector strength)
{
    const float square = tpi_vortex_of(world)->square, core = world->def.vortex.core,
                volume = tpi_dimensions(world) == 2 ? 3.14159265f * square
                                                    : 4.18879020f * (square * core);
    world->step.strengths++;
    if (tpi_vortex_has_grid(&world->def)) return;
    world->step.vortices_fast += tpi_length(strength) * world->step.timestep > 0.5f * volume;
}

/* The vortons among particles begin .. end - 1. Those beyond the capacity act as particles without
   a strength, and are counted. */
static void vortex_pack(tp_world *world, uint32_t begin, uint32_t end)
{
    uint32_t *count = tpi_vortex_count(world), *index = tpi_vortex_index(world);
    for (uint32_t i = begin; i < end; i++) {
        tp_vector strength = tpi_vortex_strength(world, i);
        if (!vortex_acts(world, i)) continue;
        if (*count == world->def.vortex.vortons_max || !vortex_is_good(world, strength)) {
            world->step.strengths_limited++;
            continue;
        }
        float *row = tpi_vortex_rows(world) + (size_t)*count * TPI_VORTEX_ROW;
        for (uint32_t axis = 0; axis < 3; axis++) {
            row[axis] = tpi_component(tpi_vortex_at(world, i), axis);
            row[3u + axis] = tpi_component(strength, axis);
        }
        vortex_add_bound(world, tpi_largest(strength));
        vortex_count_row(world, strength);
        index[(*count)++] = i;
    }
}

/* ---- sums ---- */

/* Sums of `count` targets from index i on, of vortons begin .. end - 1 of all. */
static void vortex_sum_velocities(const tp_world *world, const vortex_targets *targets, uint32_t i,
                                  uint32_t count, uint32_t begin, uint32_t end)
{
    const uint32_t dimensions = tpi_dimensions(world);
    bool is_last = end == *tpi_vortex_count(world);
    float square = tpi_vortex_of(world)->square,
          part = dimensions == 2 ? VORTEX_SHARE_FLAT : VORTEX_SHARE;
    for (uint32_t k = i; k < i + count; k += TPI_LANES) {
        tpi_lanes x[3], sum[3], share = tpi_lanes_of(is_last ? part : 1.0f);
        for (uint32_t axis = 0; axis < dimensions; axis++) {
            x[axis] = tpi_lanes_load(targets->x[axis] + k);
            sum[axis] = begin ? tpi_lanes_load(targets->to[axis] + k) : tpi_lanes_of(0.0f);
        }
        if (dimensions == 2)
            vortex_induce_flat(tpi_vortex_rows(world), begin, end, square, x, sum);
        else
            vortex_induce(tpi_vortex_rows(world), begin, end, square, x, sum);
        for (uint32_t axis = 0; axis < dimensions; axis++)
            tpi_lanes_store_first(targets->to[axis] + k, sum[axis] * share,
                                  tpi_min_u32(i + count - k, TPI_LANES));
    }
}

/* The same for the changes of the strengths of `count` vortons from number i on: none in two
   dimensions, where nothing stretches. */
static void vortex_sum_changes(const tp_world *world, const vortex_targets *targets, uint32_t i,
                               uint32_t count, uint32_t begin, uint32_t end)
{
    bool is_last = end == *tpi_vortex_count(world);
    const float *rows = tpi_vortex_rows(world);
    for (uint32_t k = i; k < i + count; k += TPI_LANES) {
        tpi_lanes x[3], own[3], sum[3], share = tpi_lanes_of(is_last ? VORTEX_SHARE : 1.0f);
        uint32_t here = tpi_min_u32(i + count - k, TPI_LANES);
        vortex_load_rows(rows, k, here, x, own);
        for (uint32_t axis = 0; axis < 3; axis++)
            sum[axis] = begin ? tpi_lanes_load(targets->to[axis] + k) : tpi_lanes_of(0.0f);
        if (tpi_dimensions(world) == 3)
            vortex_tilt(rows, begin, end, tpi_vortex_of(world)->square, x, own, sum);
        for (uint32_t axis = 0; axis < 3; axis++)
            tpi_lanes_store_first(targets->to[axis] + k, sum[axis] * share, here);
    }
}

/* First how near all vortons are to each of `count` from number i on; from this, the limits of
   their exchange: no crowd gives or takes more than half of its strengths in a step. */
static void vortex_sum_nearness(const tp_world *world, uint32_t i, uint32_t count, uint32_t begin,
                                uint32_t end)
{
    const tpi_vortex_constants *of = tpi_vortex_of(world);
    float *kept = tpi_vortex_gain(world, 0), *rows = tpi_vortex_rows(world);
    float most = 0.5f / (of->exchange * VORTEX_SHARE * world->step.timestep);
    for (uint32_t k = i; k < i + count; k += TPI_LANES) {
        uint32_t here = tpi_min_u32(i + count - k, TPI_LANES);
        tpi_lanes x[3], own[3], sum = begin ? tpi_lanes_load(kept + k) : tpi_lanes_of(0.0f);
        vortex_load_rows(rows, k, here, x, own);
        vortex_add_nearness(rows, begin, end, of->square, x, &sum);
        tpi_lanes_store_first(kept + k, sum, here);
    }
    for (uint32_t k = i; k < i + count && end == *tpi_vortex_count(world); k++)
        rows[(size_t)k * TPI_VORTEX_ROW + TPI_VORTEX_LIMIT] = tpi_min(1.0f, most / kept[k]);
}

static void vortex_sum_exchange(const tp_world *world, uint32_t i, uint32_t count, uint32_t begin,
                                uint32_t end)
{
    const tpi_vortex_constants *of = tpi_vortex_of(world);
    const float *rows = tpi_vortex_rows(world);
    bool is_last = end == *tpi_vortex_count(world);
    tpi_lanes share = tpi_lanes_of(is_last ? of->exchange * VORTEX_SHARE : 1.0f);
    for (uint32_t k = i; k < i + count; k += TPI_LANES) {
        uint32_t here = tpi_min_u32(i + count - k, TPI_LANES);
        tpi_lanes x[3], own[3], sum[3], limit = tpi_lanes_of(0.0f);
        vortex_load_rows(rows, k, here, x, own);
        for (uint32_t lane = 0; lane < here; lane++)
            TPI_LANE(limit, lane) = rows[(size_t)(k + lane) * TPI_VORTEX_ROW + TPI_VORTEX_LIMIT];
        for (uint32_t axis = 0; axis < 3; axis++)
            sum[axis] =
                begin ? tpi_lanes_load(tpi_vortex_gain(world, axis) + k) : tpi_lanes_of(0.0f);
        vortex_exchange(rows, begin, end, of->square, x, own, limit, sum);
        for (uint32_t axis = 0; axis < 3; axis++)
            tpi_lanes_store_first(tpi_vortex_gain(world, axis) + k, sum[axis] * share, here);
    }
}

/* Wind and vortex fields move all particles along. */
static void vortex_add_medium(const tp_world *world, const vortex_targets *targets, uint32_t i,
                              uint32_t count)
{
    const uint32_t *meta = tpi_words(world, world->arrays.meta), dimensions = tpi_dimensions(world);
    for (uint32_t k = i; k < i + count; k++) {
        tp_vector x = tpi_vector(targets->x[0][k], targets->x[1][k],
                                 dimensions == 3 ? targets->x[2][k] : 0.0f);
        tp_vector medium = tpi_field_medium(world, x, TP_META_SPECIES(meta[k]));
        for (uint32_t axis = 0; axis < dimensions; axis++)
            targets->to[axis][k] = targets->to[axis][k] + tpi_component(medium, axis);
    }
}

static vortex_targets vortex_targets_of(const tp_world *world, uint32_t phase)
{
    vortex_targets targets;
    bool is_sum = phase == TPI_VORTEX_SUM || phase == TPI_VORTEX_SUM_AGAIN;
    for (uint32_t axis = 0; axis < 3; axis++) {
        targets.x[axis] =
            phase == TPI_VORTEX_SUM ? tpi_front_x(world, axis) : tpi_back_x(world, axis);
        targets.to[axis] = is_sum ? tpi_kicked(world, axis) : tpi_vortex_change(world, axis);
    }
    return targets;
}

/* The targets i .. i + count - 1 and sources begin .. end - 1 of a phase of sums. */
static void vortex_sum_part(const tp_world *world, const vortex_targets *targets, uint32_t i,
                            uint32_t count, uint32_t begin, uint32_t end)
{
    bool is_viscous = world->def.vortex.viscosity > 0.0f;
    switch (world->step.cursor.phase) {
    case TPI_VORTEX_SUM:
    case TPI_VORTEX_SUM_AGAIN: vortex_sum_velocities(world, targets, i, count, begin, end); break;
    case TPI_VORTEX_TILT:
        vortex_sum_changes(world, targets, i, count, begin, end);
        if (is_viscous) vortex_sum_nearness(world, i, count, begin, end);
        break;
    default:
        vortex_sum_changes(world, targets, i, count, begin, end);
        if (is_viscous) vortex_sum_exchange(world, i, count, begin, end);
        break;
    }
}

/* The same from the grid. */
static void vortex_sample_part(const tp_world *world, const vortex_targets *targets, uint32_t i,
                               uint32_t count)
{
    uint32_t phase = world->step.cursor.phase;
    if (phase == TPI_VORTEX_SUM || phase == TPI_VORTEX_SUM_AGAIN) {
        vortex_sample_velocities(world, targets, i, count);
        return;
    }
    vortex_sample_changes(world, targets, i, count);
    if (phase == TPI_VORTEX_TILT_AGAIN && tpi_vortex_has_gain(&world->def))
        vortex_sample_gains(world, i, count);
}

static bool vortex_is_sampled(const tp_world *world) { return tpi_vortex_has_grid(&world->def); }

static bool vortex_is_tilt(const tp_world *world)
{
    uint32_t phase = world->step.cursor.phase;
    return phase == TPI_VORTEX_TILT || phase == TPI_VORTEX_TILT_AGAIN;
}

/* Sources of a phase of sums, and units of a pair. */
static uint32_t vortex_sources(const tp_world *world)
{
    bool is_idle = vortex_is_tilt(world) && tpi_dimensions(world) == 2 &&
                   !(world->def.vortex.viscosity > 0.0f);
    return vortex_is_sampled(world) || is_idle ? 0u : *tpi_vortex_count(world);
}
static uint32_t vortex_pair_units(const tp_world *world)
{
    return vortex_is_tilt(world) && world->def.vortex.viscosity > 0.0f ? 2u : 1u;
}

/* Units of the fields at a target. */
static uint32_t vortex_medium_units(const tp_world *world)
{
    uint32_t phase = world->step.cursor.phase;
    bool is_sum = phase == TPI_VORTEX_SUM || phase == TPI_VORTEX_SUM_AGAIN;
    return is_sum ? tpi_field_medium_units(world) : 0u;
}

/* Fields are added when all sources were: `medium` units. Returns the units of a target. */
static uint32_t vortex_finish(const tp_world *world, const vortex_targets *targets, uint32_t i,
                              uint32_t count, uint32_t medium)
{
    uint32_t units = 1;
    if (vortex_is_sampled(world)) {
        vortex_sample_part(world, targets, i, count);
        units = TPI_VORTEX_SAMPLE;
    }
    if (medium > 0) vortex_add_medium(world, targets, i, count);
    return units + medium;
}

/* A slice of a phase of sums: blocks of targets, each over a range of the sources. Returns the
   units: one per pair, one per target and field, more for noise. A block is smaller where many
   fields would make it exceed TP_UNITS_OVERRUN. */
static uint32_t vortex_sum(tp_world *world, uint32_t end, uint32_t units)
{
    tpi_cursor *cursor = &world->step.cursor;
    const uint32_t sources = vortex_sources(world), pair = vortex_pair_units(world),
                   medium = vortex_medium_units(world),
                   block = tpi_max_u32(tpi_min_u32(TPI_VORTEX_BLOCK, 128u / (1u + medium)), 1u);
    vortex_targets targets = vortex_targets_of(world, cursor->phase);
    uint32_t used = 0;
    while (cursor->i < end && used < units) {
        uint32_t count = tpi_min_u32(end - cursor->i, block);
        uint32_t most = tpi_max_u32((units - used) / (count * pair), 1u);
        uint32_t to = cursor->j + tpi_min_u32(sources - cursor->j, most);
        if (!vortex_is_sampled(world))
            vortex_sum_part(world, &targets, cursor->i, count, cursor->j, to);
        used += count * pair * (to - cursor->j);
        cursor->j = to;
        if (to < sources) break;
        used += count * vortex_finish(world, &targets, cursor->i, count, medium);
        cursor->i += count;
        cursor->j = 0;
    }
    return used;
}

/* ---- moves ---- */

static void vortex_half(const tp_world *world, uint32_t begin, uint32_t end)
{
    tpi_lanes half = tpi_lanes_of(0.5f * world->step.timestep);
    for (uint32_t i = begin; i < end; i += TPI_LANES)
        for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
            tpi_lanes x = tpi_lanes_load(tpi_front_x(world, axis) + i);
            tpi_lanes v = tpi_lanes_load(tpi_kicked(world, axis) + i);
            tpi_lanes_store_first(tpi_back_x(world, axis) + i, x + v * half,
                                  tpi_min_u32(end - i, TPI_LANES));
        }
}

/* The strength that a vorton adds to nodes half a step later. */
static void vortex_bound_row(const tp_world *world, uint32_t v, float *row)
{
    tp_vector now = tpi_vector(row[3], row[4], row[5]);
    if (!vortex_is_good(world, now)) now = tpi_vortex_strength(world, tpi_vortex_index(world)[v]);
    for (uint32_t axis = 0; axis < 3; axis++) row[3u + axis] = tpi_component(now, axis);
    vortex_add_bound(world, tpi_largest(now));
}

static void vortex_half_rows(const tp_world *world, uint32_t begin, uint32_t end)
{
    const bool has_grid = tpi_vortex_has_grid(&world->def);
    float half = 0.5f * world->step.timestep;
    if (has_grid && begin == 0) tpi_vortex_count(world)[TPI_VORTEX_BOUND] = 0;
    for (uint32_t v = begin; v < end; v++) {
        float *row = tpi_vortex_rows(world) + (size_t)v * TPI_VORTEX_ROW;
        uint32_t i = tpi_vortex_index(world)[v];
        for (uint32_t axis = 0; axis < 3; axis++) {
            if (axis < tpi_dimensions(world)) row[axis] = tpi_back_x(world, axis)[i];
            row[3u + axis] = row[3u + axis] + tpi_vortex_change(world, axis)[v] * half;
        }
        if (has_grid) vortex_bound_row(world, v, row);
    }
}

static tp_vector vortex_change_of(const tp_world *world, uint32_t v)
{
    return tpi_vector(tpi_vortex_change(world, 0)[v], tpi_vortex_change(world, 1)[v],
                      tpi_vortex_change(world, 2)[v]);
}

static tp_vector vortex_gain_of(const tp_world *world, uint32_t v)
{
    return tpi_vector(tpi_vortex_gain(world, 0)[v], tpi_vortex_gain(world, 1)[v],
                      tpi_vortex_gain(world, 2)[v]);
}

/* A strength of at most `most`, or the old one instead of none that is a number; counted. */
static tp_vector vortex_limit(tp_world *world, tp_vector now, float most, tp_vector old)
{
    float length = tpi_length(now);
    if (length <= most) return now;
    world->step.strengths_limited++;
    return tpi_is_finite(length) ? tpi_scale(now, most / length) : old;
}

/* Strengths at the end of the step, instead of their changes. Only stretching has the limit of
   growth: it alone multiplies. */
static void vortex_turn(tp_world *world, uint32_t begin, uint32_t end)
{
    const tp_vortex *vortex = &world->def.vortex;
    const float dt = world->step.timestep, growth = tpi_exp(vortex->growth_max * dt);
    const bool has_gain = tpi_vortex_has_gain(&world->def);
    for (uint32_t v = begin; v < end; v++) {
        tp_vector old = tpi_vortex_strength(world, tpi_vortex_index(world)[v]);
        tp_vector now = tpi_add_scaled(old, vortex_change_of(world, v), dt);
        float most = tpi_min(tpi_length(old) * growth, vortex->strength_max);
        now = vortex_limit(world, now, most, old);
        if (has_gain) {
            now = tpi_add_scaled(now, vortex_gain_of(world, v), dt);
            now = vortex_limit(world, now, vortex->strength_max, old);
        }
        for (uint32_t axis = 0; axis < 3; axis++)
            tpi_vortex_change(world, axis)[v] = tpi_component(now, axis);
    }
}

/* Places of vortons at the end of the step, for those that merge. */
static void vortex_merge_ends(const tp_world *world, uint32_t begin, uint32_t end)
{
    for (uint32_t v = begin; v < end; v++) {
        const uint32_t i = tpi_vortex_index(world)[v];
        float *row = tpi_vortex_rows(world) + (size_t)v * TPI_VORTEX_ROW;
        for (uint32_t axis = 0; axis < 3; axis++)
            row[axis] =
                tpi_front_x(world, axis)[i] + tpi_kicked(world, axis)[i] * world->step.timestep;
    }
}

/* True for a vector of particles from i on without a change of strength, fire or death. */
static bool vortex_is_plain(const tp_world *world, uint32_t i)
{
    const uint32_t *key = tpi_keys(world), vorton = world->step.cursor.k;
    const tpi_lanes most = tpi_lanes_of(1.001f * world->def.vortex.strength_max);
    if (tpi_has_fire(&world->def) || tpi_dimensions(world) != 3 ||
        (vorton < *tpi_vortex_count(world) && tpi_vortex_index(world)[vorton] < i + TPI_LANES))
        return false;
    tpi_lane_ints dead = tpi_lane_ints_of((int32_t)TPI_KEY_DEAD);
    uint32_t bad = tpi_lanes_bits(tpi_lane_ints_equal(tpi_lane_ints_load(key + i), dead));
    for (uint32_t axis = 0; axis < 3; axis++) {
        tpi_lanes strength = tpi_lanes_load(tpi_front_kept(world, axis) + i);
        tpi_lane_mask good = tpi_lanes_at_most(tpi_lanes_magnitude(strength), most);
        bad |= ~tpi_lanes_bits(good) & TPI_LANES_ALL;
    }
    return bad == 0;
}

/* Writes them to the back set. */
static void vortex_place_plain(tp_world *world, uint32_t i)
{
    const uint32_t index = world->step.count;
    const tpi_lanes dt = tpi_lanes_of(world->step.timestep);
    tpi_lane_ints meta = tpi_lane_ints_load(tpi_words(world, world->arrays.meta) + i);
    tpi_lane_ints source = (meta & tpi_lane_ints_of(7)) << 24;
    tpi_lane_ints_store(tpi_words(world, world->arrays.order) + index,
                        source | tpi_lane_ints_counted((int32_t)i));
    for (uint32_t axis = 0; axis < 3; axis++) {
        tpi_lanes v = tpi_lanes_load(tpi_kicked(world, axis) + i);
        tpi_lanes_store(tpi_back_x(world, axis) + index,
                        tpi_lanes_load(tpi_front_x(world, axis) + i) + v * dt);
        tpi_lanes_store(tpi_back_v(world, axis) + index, v);
        tpi_lanes_store(tpi_back_kept(world, axis) + index,
                        tpi_lanes_load(tpi_front_kept(world, axis) + i));
    }
    world->step.count += TPI_LANES;
}

/* Writes the particles begin .. end - 1 that live to the back set; cursor.k is the number of the
   next vorton. */
static void vortex_place(tp_world *world, uint32_t begin, uint32_t end)
{
    tpi_cursor *cursor = &world->step.cursor;
    const uint32_t *meta = tpi_words(world, world->arrays.meta), *key = tpi_keys(world);
    uint32_t *order = tpi_words(world, world->arrays.order), dimensions = tpi_dimensions(world);
    const bool merges = world->def.vortex.merge > 0.0f;
    for (uint32_t i = begin; i < end; i++) {
        while (i + TPI_LANES <= end && vortex_is_plain(world, i)) {
            vortex_place_plain(world, i);
            i += TPI_LANES;
        }
        if (i == end) return;
        bool is_vorton =
            cursor->k < *tpi_vortex_count(world) && tpi_vortex_index(world)[cursor->k] == i;
        uint32_t vorton = cursor->k;
        if (is_vorton) cursor->k++;
        if (key[i] == TPI_KEY_DEAD) continue;
        uint32_t index = world->step.count++;
        tp_vector strength = tpi_vortex_strength(world, i);
        if (!vortex_is_good(world, strength)) strength = tpi_vector(0.0f, 0.0f, 0.0f);
        if (is_vorton) strength = vortex_change_of(world, vorton);
        order[index] = i | (meta[i] & 7u) << 24;
        for (uint32_t axis = 0; axis < 3; axis++) {
            float v = axis < dimensions ? tpi_kicked(world, axis)[i] : 0.0f;
            if (axis < dimensions) {
                float x = tpi_front_x(world, axis)[i];
                tpi_back_x(world, axis)[index] =
                    is_vorton && merges
                        ? tpi_vortex_rows(world)[(size_t)vorton * TPI_VORTEX_ROW + axis]
                        : x + v * world->step.timestep;
                tpi_back_v(world, axis)[index] = v;
            }
            tpi_back_kept(world, axis)[index] = tpi_component(strength, axis);
        }
        for (uint32_t k = TPI_KEPT_WARMTH; tpi_has_fire(&world->def) && k <= TPI_KEPT_FUEL; k++)
            tpi_back_kept(world, k)[index] = tpi_back_kept(world, k)[i];
    }
}

/* ---- the stage ---- */

static void vortex_do(tp_world *world, uint32_t begin, uint32_t end)
{
    switch (world->step.cursor.phase) {
    case TPI_VORTEX_PACK: vortex_pack(world, begin, end); break;
    case TPI_VORTEX_HALF: vortex_half(world, begin, end); break;
    case TPI_VORTEX_HALF_ROWS: vortex_half_rows(world, begin, end); break;
    case TPI_VORTEX_TURN: vortex_turn(world, begin, end); break;
    case TPI_VORTEX_MERGE_ENDS: vortex_merge_ends(world, begin, end); break;
    case TPI_VORTEX_PLACE: vortex_place(world, begin, end); break;
    default: vortex_grid_do(world, begin, end); break;
    }
}

static uint32_t vortex_items(const tp_world *world, uint32_t phase)
{
    switch (phase) {
    case TPI_VORTEX_PACK:
    case TPI_VORTEX_SUM:
    case TPI_VORTEX_HALF:
    case TPI_VORTEX_SUM_AGAIN:
    case TPI_VORTEX_PLACE: return world->step.front_count;
    case TPI_VORTEX_TILT:
    case TPI_VORTEX_HALF_ROWS:
    case TPI_VORTEX_TILT_AGAIN:
    case TPI_VORTEX_TURN: return *tpi_vortex_count(world);
    default: return vortex_grid_items(world, phase);
    }
}

/* A slice of a phase with `end` items. Returns the units. */
static uint32_t vortex_slice(tp_world *world, uint32_t end, uint32_t units)
{
    tpi_cursor *cursor = &world->step.cursor;
    bool done = false;
    uint32_t used, weight;
    switch (cursor->phase) {
    case TPI_VORTEX_FACES: return vortex_sum_faces(world, end, units);
    case TPI_VORTEX_SUM:
    case TPI_VORTEX_TILT:
    case TPI_VORTEX_SUM_AGAIN:
    case TPI_VORTEX_TILT_AGAIN: return vortex_sum(world, end, units);
    case TPI_VORTEX_GRIPS: return vortex_grips(world, end, units);
    case TPI_VORTEX_SOLVE:
    case TPI_VORTEX_SOLVE_AGAIN:
        used = vortex_solve(world, units, &done);
        if (done) cursor->i++;
        return used;
    default: break;
    }
    weight = vortex_grid_weight(world, cursor->phase);
    uint32_t items = tpi_min_u32(end - cursor->i, (units + weight - 1u) / weight);
    vortex_do(world, cursor->i, cursor->i + items);
    cursor->i += items;
    return items * weight;
}

static TPI_APART uint32_t vortex_force(tp_world *world, uint32_t units, bool *done)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t used = 0;
    while (cursor->phase < TPI_VORTEX_END) {
        uint32_t end = vortex_items(world, cursor->phase);
        if (cursor->phase == TPI_VORTEX_FOLLOW && cursor->i == 0) vortex_begin(world);
        while (cursor->i < end && used < units) used += vortex_slice(world, end, units - used);
        if (cursor->i < end) break;
        if (cursor->phase == TPI_VORTEX_FOLLOW && end > 0) vortex_place_grid(world);
        cursor->phase++;
        cursor->i = cursor->j = 0;
    }
    *done = cursor->phase == TPI_VORTEX_END;
    return used;
}

uint32_t tpi_vortex_run(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done)
{
    (void)jobs;
    if (world->step.stage != TP_STAGE_FORCE) return tpi_solver_wrong_stage(done);
    return vortex_force(world, units, done);
}

/* ---- particles ---- */

/* The sums give the velocities: nothing is kicked. */
void tpi_vortex_open(const tp_world *world, const tpi_field_plan *plan, uint32_t i, uint32_t bits,
                     const tpi_lanes x[3], tpi_lanes velocity[3])
{
    (void)world, (void)plan, (void)i, (void)bits, (void)x, (void)velocity;
}

bool tpi_vortex_place(tp_world *world, uint32_t i, uint32_t count, const tpi_lanes x[3],
                      const tpi_lanes velocity[3])
{
    (void)world, (void)i, (void)count, (void)x, (void)velocity;
    return true;
}

void tpi_vortex_close(const tp_world *world, const tpi_field_plan *plan, uint32_t first,
                      uint32_t count, tpi_lanes from[3], tpi_lanes to[3], tpi_lanes velocity[3])
{
    (void)world, (void)plan, (void)first, (void)count, (void)from, (void)to, (void)velocity;
}

uint32_t tpi_vortex_holds(const tp_world *world, uint32_t first, uint32_t count)
{
    (void)world, (void)first, (void)count;
    return 0;
}
#undef VORTEX_SHARE_FLAT
#undef VORTEX_SHARE
