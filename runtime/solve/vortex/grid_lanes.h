/* SPDX-License-Identifier: MIT
   runtime/solve/vortex/grid_lanes.h - velocities from the curl of a vector potential on a grid,
           and what vortons gain by lift and viscosity there.
   reads   rows of vortons, front particles      writes  arrays of the grid, velocities, changes
   memory  the block's, see tpi_vortex_layout
   cost    per vorton three deposits, per node six solutions by multigrid; faces_lanes.h for faces
   after   vortex-in-cell (Christiansen 1973; Couet, Buneman and Leonard 1981 in three dimensions);
           own design: the gain of a node is shared by its vortons, so that sums are kept, too */
#ifndef TPI_VORTEX_GRID_LANES_H
#define TPI_VORTEX_GRID_LANES_H
#include "faces_lanes.h"

#define VORTEX_CYCLES       2u
#define VORTEX_CYCLES_AGAIN 1u /* half a step later, from the solution before */

/* True for particles with a strength or of a species of vortons. */
static bool vortex_is_vorton(const tp_world *world, uint32_t i)
{
    uint32_t species = TP_META_SPECIES(tpi_words(world, world->arrays.meta)[i]);
    return tpi_largest(tpi_vortex_strength(world, i)) != 0.0f ||
           (world->def.vortex.vorton_species >> species & 1u);
}

static uint32_t vortex_stride(const tp_world *world)
{
    return tpi_dense_floats(world->def.vortex.grid_nodes);
}
static float *vortex_source(const tp_world *world)
{
    return tpi_floats(world, world->arrays.own[TPI_VORTEX_SOURCE]);
}
static float *vortex_potential(const tp_world *world)
{
    return tpi_floats(world, world->arrays.own[TPI_VORTEX_POTENTIAL]);
}
/* Sums of vortons at nodes; the memory of multigrid at another time. */
static float *vortex_crowd(const tp_world *world)
{
    return tpi_floats(world, world->arrays.own[TPI_VORTEX_WORK]);
}
static float *vortex_flow(const tp_world *world)
{
    return tpi_floats(world, world->arrays.own[TPI_VORTEX_FLOW]);
}
static float *vortex_gain_rows(const tp_world *world)
{
    return tpi_floats(world, world->arrays.own[TPI_VORTEX_GAIN_ROWS]);
}

/* ---- items of the phases ---- */

static uint32_t vortex_rows_of_nodes(const tp_world *world)
{
    return world->def.vortex.grid_nodes[1] * world->def.vortex.grid_nodes[2];
}

static uint32_t vortex_fire_items(const tp_world *world, uint32_t phase)
{
    if (!tpi_has_fire(&world->def)) return 0;
    if (phase == TPI_VORTEX_FIRE_CLEAR) return vortex_stride(world);
    bool is_idle = phase == TPI_VORTEX_FIRE_BURN && !world->def.vortex.fuel_species;
    return is_idle ? 0u : world->step.front_count;
}

static uint32_t vortex_grid_items(const tp_world *world, uint32_t phase)
{
    const uint32_t *size = world->def.vortex.grid_nodes;
    bool has_gain = tpi_vortex_has_gain(&world->def);
    if (!tpi_vortex_has_grid(&world->def)) return 0;
    if (phase == TPI_VORTEX_GATHER && world->def.vortex.grid_closed) return 0;
    if (phase == TPI_VORTEX_FACES && world->def.vortex.grid_closed) return 0;
    if (phase >= TPI_VORTEX_LIFT_CLEAR && phase <= TPI_VORTEX_LIFT_CURL && !has_gain) return 0;
    if (phase >= TPI_VORTEX_FIRE_CLEAR && phase <= TPI_VORTEX_FIRE_BURN)
        return vortex_fire_items(world, phase);
    if (phase >= TPI_VORTEX_MERGE_CLEAR && phase <= TPI_VORTEX_MERGE &&
        !(world->def.vortex.merge > 0.0f))
        return 0;
    switch (phase) {
    case TPI_VORTEX_CLEAR:
    case TPI_VORTEX_CLEAR_AGAIN:
    case TPI_VORTEX_MERGE_CLEAR:
    case TPI_VORTEX_LIFT_CLEAR: return vortex_stride(world);
    case TPI_VORTEX_DEPOSIT:
    case TPI_VORTEX_DEPOSIT_AGAIN:
    case TPI_VORTEX_MERGE_ENDS:
    case TPI_VORTEX_MERGE:
    case TPI_VORTEX_CROWD: return *tpi_vortex_count(world);
    case TPI_VORTEX_GATHER: return faces_cells(world);
    case TPI_VORTEX_FACES: return vortex_faces(size);
    case TPI_VORTEX_FOLLOW: return world->def.vortex.grid_follows ? world->step.front_count : 0u;
    case TPI_VORTEX_SOLVE:
    case TPI_VORTEX_SOLVE_AGAIN: return 3;
    case TPI_VORTEX_GRIPS:
        return world->def.vortex.grip > 0.0f && tpi_colliders_end(world)
                   ? vortex_rows_of_nodes(world)
                   : 0u;
    case TPI_VORTEX_LIFT: return tpi_vortex_has_lift(&world->def) ? world->step.front_count : 0u;
    default: return vortex_rows_of_nodes(world);
    }
}

/* Units of an item of a phase that is no sum. */
static uint32_t vortex_grid_weight(const tp_world *world, uint32_t phase)
{
    switch (phase) {
    case TPI_VORTEX_DEPOSIT:
    case TPI_VORTEX_DEPOSIT_AGAIN: return 16;
    case TPI_VORTEX_GATHER: return 8;
    case TPI_VORTEX_CROWD:
    case TPI_VORTEX_FIRE_GIVE:
    case TPI_VORTEX_FIRE_BURN:
    case TPI_VORTEX_LIFT: return 4;
    case TPI_VORTEX_MERGE: return 8;
    case TPI_VORTEX_FIRE_TAKE: return 6u + tpi_field_heat_units(world);
    case TPI_VORTEX_SCALE:
    case TPI_VORTEX_CURL:
    case TPI_VORTEX_SCALE_AGAIN:
    case TPI_VORTEX_CURL_AGAIN:
    case TPI_VORTEX_LIFT_SCALE:
    case TPI_VORTEX_LIFT_CURL: return world->def.vortex.grid_nodes[0];
    default: return 1;
    }
}

/* ---- where the grid is ---- */

/* Rounded down: a grid that follows moves by whole cells with what it follows. */
static int32_t vortex_cell(float place)
{
    int32_t cell = (int32_t)place;
    return (float)cell > place ? cell - 1 : cell;
}
static int32_t vortex_divide(int64_t sum, int64_t count)
{
    int64_t whole = sum / count;
    return (int32_t)(whole * count > sum ? whole - 1 : whole);
}

/* Adds the places of vortons among particles begin .. end - 1 to bounds and sums. */
static void vortex_follow(const tp_world *world, uint32_t begin, uint32_t end)
{
    const float h = world->def.vortex.grid_spacing;
    uint32_t *head = tpi_vortex_count(world);
    int32_t *low = (int32_t *)head + TPI_VORTEX_LOW, *high = (int32_t *)head + TPI_VORTEX_HIGH;
    for (uint32_t i = begin; i < end; i++) {
        if (!vortex_is_vorton(world, i)) continue;
        tp_vector from = tpi_sub(tpi_vortex_at(world, i), world->def.vortex.grid_low);
        bool is_first = head[TPI_VORTEX_FOLLOWED]++ == 0;
        for (uint32_t axis = 0; axis < 3; axis++) {
            float cells = tpi_component(from, axis) / h;
            int32_t cell = vortex_cell(tpi_clamp(cells, -TPI_VORTEX_FAR, TPI_VORTEX_FAR));
            uint32_t *sum = head + TPI_VORTEX_SUM_LOW + axis, old = *sum;
            *sum = old + (uint32_t)cell;
            sum[3] = sum[3] + (cell < 0 ? UINT32_MAX : 0u) + (*sum < old ? 1u : 0u);
            if (is_first || cell < low[axis]) low[axis] = cell;
            if (is_first || cell > high[axis]) high[axis] = cell;
        }
    }
}

/* After the last vorton: the middle of their bounds, or if these exceed the grid their mean, is the
   middle of the grid. */
static void vortex_place_grid(const tp_world *world)
{
    uint32_t *head = tpi_vortex_count(world);
    const int32_t *low = (const int32_t *)head + TPI_VORTEX_LOW,
                  *high = (const int32_t *)head + TPI_VORTEX_HIGH;
    int32_t *shift = (int32_t *)head + TPI_VORTEX_SHIFT;
    for (uint32_t axis = 0; axis < 3 && head[TPI_VORTEX_FOLLOWED]; axis++) {
        int32_t cells = (int32_t)world->def.vortex.grid_nodes[axis] - 1;
        uint64_t sum =
            (uint64_t)head[TPI_VORTEX_SUM_HIGH + axis] << 32 | head[TPI_VORTEX_SUM_LOW + axis];
        int32_t middle = vortex_divide((int64_t)low[axis] + high[axis], 2);
        if (high[axis] - low[axis] > cells - 4)
            middle = vortex_divide((int64_t)sum, (int64_t)head[TPI_VORTEX_FOLLOWED]);
        if (world->def.vortex.grid_follows >> axis & 1u) shift[axis] = (int32_t)middle - cells / 2;
    }
}

/* ---- vorticity at nodes ---- */

/* Before a deposit: of strengths, for which the second solution begins with the potential of the
   first one; or of lift and vortons. */
static void vortex_clear(const tp_world *world, uint32_t begin, uint32_t end)
{
    const uint32_t phase = world->step.cursor.phase;
    size_t bytes = (size_t)(end - begin) * sizeof(float);
    for (uint32_t c = 0; c < 3; c++) {
        uint32_t at = c * vortex_stride(world) + begin;
        if (phase != TPI_VORTEX_CLEAR_AGAIN) tpi_memset(vortex_potential(world) + at, 0, bytes);
        if (phase != TPI_VORTEX_LIFT_CLEAR) tpi_memset(vortex_source(world) + at, 0, bytes);
    }
    if (phase == TPI_VORTEX_LIFT_CLEAR) tpi_memset(vortex_crowd(world) + begin, 0, bytes);
}

static float vortex_scale(const tp_world *world)
{
    return tpi_dense_scale(tpi_from_bits(tpi_vortex_count(world)[TPI_VORTEX_BOUND]));
}

static void vortex_deposit(const tp_world *world, uint32_t begin, uint32_t end)
{
    const tpi_dense dense = tpi_vortex_dense(world);
    const float scale = vortex_scale(world);
    int32_t *sums = tpi_integers(world, world->arrays.own[TPI_VORTEX_SOURCE]);
    for (uint32_t v = begin; v < end; v++) {
        const float *row = tpi_vortex_rows(world) + (size_t)v * TPI_VORTEX_ROW;
        int32_t counts[3];
        for (uint32_t c = 0; c < 3; c++) counts[c] = tpi_dense_counts(row[3u + c], scale);
        tpi_dense_deposit(&dense, tpi_vector(row[0], row[1], row[2]), counts, sums,
                          vortex_stride(world));
    }
}

/* Sums of a row of nodes become numbers, each times `factor`. */
static void vortex_rescale(const tp_world *world, uint32_t array, uint32_t at, float factor)
{
    const int32_t *sums = tpi_integers(world, world->arrays.own[array]) + at;
    float *to = tpi_floats(world, world->arrays.own[array]) + at;
    for (uint32_t i = 0; i < world->def.vortex.grid_nodes[0]; i++) to[i] = (float)sums[i] * factor;
}

/* Nodes of a row whose air turns by more than half a radian, twice that of a vorticity, in a
   step. */
static uint32_t vortex_fast_nodes(const tp_world *world, uint32_t row)
{
    const uint32_t width = world->def.vortex.grid_nodes[0], stride = vortex_stride(world);
    const float *source = vortex_source(world) + row * width, most = 0.5f / world->step.timestep;
    uint32_t count = 0;
    for (uint32_t i = 0; i < width; i++) {
        float x = source[i], y = source[stride + i], z = source[2u * (size_t)stride + i];
        count += (x * x + y * y) + z * z > most * most;
    }
    return count;
}

/* The source of Poisson's equation is the opposite of the vorticity. */
static void vortex_scale_rows(tp_world *world, uint32_t begin, uint32_t end)
{
    float h = world->def.vortex.grid_spacing;
    float factor = -1.0f / (vortex_scale(world) * (h * h * h));
    for (uint32_t row = begin; row < end; row++) {
        for (uint32_t c = 0; c < 3; c++)
            vortex_rescale(world, TPI_VORTEX_SOURCE,
                           c * vortex_stride(world) + row * world->def.vortex.grid_nodes[0],
                           factor);
        if (world->step.cursor.phase == TPI_VORTEX_SCALE)
            world->step.vortices_fast += vortex_fast_nodes(world, row);
    }
}

/* ---- potential and velocity ---- */

/* The potential of component cursor.i. Returns the units. */
static uint32_t vortex_solve(const tp_world *world, uint32_t units, bool *done)
{
    const tp_vortex *vortex = &world->def.vortex;
    uint32_t *kept = tpi_vortex_count(world) + TPI_VORTEX_SOLVE_AT;
    uint32_t first = world->step.cursor.i * vortex_stride(world);
    tpi_multigrid grid = {
        .size = {vortex->grid_nodes[0], vortex->grid_nodes[1], vortex->grid_nodes[2]},
        .mirrors = vortex->grid_closed << world->step.cursor.i,
        .before = 2,
        .after = 2,
        .cycles =
            world->step.cursor.phase == TPI_VORTEX_SOLVE ? VORTEX_CYCLES : VORTEX_CYCLES_AGAIN,
        .spacing = vortex->grid_spacing,
        .values = vortex_potential(world) + first,
        .source = vortex_source(world) + first,
        .work = vortex_crowd(world)};
    tpi_multigrid_cursor at = {kept[0], kept[1], kept[2], kept[3]};
    uint32_t used = tpi_multigrid_run(&grid, &at, units, done);
    if (*done) at = (tpi_multigrid_cursor){0, 0, 0, 0};
    kept[0] = at.cycle;
    kept[1] = at.level;
    kept[2] = at.pass;
    kept[3] = at.row;
    return used;
}

static void vortex_curl(const tp_world *world, uint32_t begin, uint32_t end, float *rows)
{
    tpi_curl curl = {tpi_vortex_dense(world), vortex_potential(world), vortex_stride(world), rows};
    for (uint32_t row = begin; row < end; row++) tpi_curl_row(&curl, row);
}

/* ---- what vortons gain ---- */

/* The lift of a particle of the front set, as a share of that at birth, or at the largest
   temperature. */
static float vortex_warmth(const tp_world *world, uint32_t i)
{
    if (tpi_has_fire(&world->def)) {
        float part = tpi_front_kept(world, TPI_KEPT_WARMTH)[i] / world->def.heat.range;
        return tpi_is_within(part, -1.0f, 1.0f) ? part : 0.0f;
    }
    if (!(world->def.vortex.cooling > 0.0f)) return 1.0f;
    uint32_t age = (uint32_t)tpi_now(world) - tpi_words(world, world->arrays.birth)[i];
    return tpi_exp(-world->def.vortex.cooling * ((float)age * tpi_vortex_of(world)->tick));
}

static bool vortex_is_inside(const tp_world *world, tp_vector x)
{
    const tpi_dense dense = tpi_vortex_dense(world);
    for (uint32_t axis = 0; axis < 3; axis++) {
        float place = (tpi_component(x, axis) - tpi_component(dense.origin, axis)) / dense.spacing;
        if (!(place >= 1.0f && place <= (float)(dense.size[axis] - 2u))) return false;
    }
    return true;
}

/* Counts per unit of lift: the sum of all does not overflow. */
static float vortex_lift_scale(const tp_world *world)
{
    return tpi_dense_scale(tpi_largest(world->def.vortex.lift) * (float)world->step.front_count);
}

static void vortex_lift(const tp_world *world, uint32_t begin, uint32_t end)
{
    const tpi_dense dense = tpi_vortex_dense(world);
    const float scale = vortex_lift_scale(world);
    const uint32_t *meta = tpi_words(world, world->arrays.meta);
    int32_t *sums = tpi_integers(world, world->arrays.own[TPI_VORTEX_POTENTIAL]);
    for (uint32_t i = begin; i < end; i++) {
        tp_vector x =
            tpi_vector(tpi_back_x(world, 0)[i], tpi_back_x(world, 1)[i], tpi_back_x(world, 2)[i]);
        if (!(world->def.vortex.lift_species >> TP_META_SPECIES(meta[i]) & 1u) ||
            !vortex_is_inside(world, x))
            continue;
        float warmth = vortex_warmth(world, i);
        int32_t counts[3];
        for (uint32_t c = 0; c < 3; c++)
            counts[c] = tpi_dense_counts(tpi_component(world->def.vortex.lift, c) * warmth, scale);
        tpi_dense_deposit(&dense, x, counts, sums, vortex_stride(world));
    }
}

static void vortex_add_crowd(const tp_world *world, uint32_t begin, uint32_t end)
{
    const tpi_dense dense = tpi_vortex_dense(world);
    const float scale = tpi_dense_scale((float)*tpi_vortex_count(world));
    const int32_t counts[3] = {tpi_dense_counts(1.0f, scale), 0, 0};
    int32_t *sums = tpi_integers(world, world->arrays.own[TPI_VORTEX_WORK]);
    for (uint32_t v = begin; v < end; v++) {
        const float *row = tpi_vortex_rows(world) + (size_t)v * TPI_VORTEX_ROW;
        tpi_dense_deposit(&dense, tpi_vector(row[0], row[1], row[2]), counts, sums, 0);
    }
}

static void vortex_lift_rows(const tp_world *world, uint32_t begin, uint32_t end)
{
    const uint32_t width = world->def.vortex.grid_nodes[0];
    const float lift = 1.0f / vortex_lift_scale(world);
    const float crowd = 1.0f / tpi_dense_scale((float)*tpi_vortex_count(world));
    for (uint32_t row = begin; row < end; row++) {
        for (uint32_t c = 0; c < 3; c++)
            vortex_rescale(world, TPI_VORTEX_POTENTIAL, c * vortex_stride(world) + row * width,
                           lift);
        vortex_rescale(world, TPI_VORTEX_WORK, row * width, crowd);
    }
}

/* The curl of the lift is shared by the vortons of a node, and they exchange strengths there. */
static void vortex_gain_of_node(const tp_world *world, uint32_t i, uint32_t row)
{
    const float dt = world->step.timestep, rate = tpi_vortex_of(world)->exchange;
    const float h = world->def.vortex.grid_spacing, volume = -(h * h * h);
    const uint32_t *size = world->def.vortex.grid_nodes, place = tpi_dense_place(size, i, row, 0);
    float *to = vortex_gain_rows(world) + 4u * (size_t)tpi_dense_node(size, i, row, 0),
          crowd = vortex_crowd(world)[place];
    float part = crowd > 0.0f ? 1.0f / crowd : 0.0f;
    float most = 0.5f / dt * part, share = tpi_min(rate, most);
    for (uint32_t c = 0; c < 3; c++) {
        float strength = vortex_source(world)[c * vortex_stride(world) + place] * volume;
        to[c] = to[c] * part + strength * share;
    }
    to[3] = crowd * share;
}

/* A slice of the rows at colliders; cursor.k is the next node of a row, 0: none has begun. Returns
   the units. */
static uint32_t vortex_grips(tp_world *world, uint32_t end, uint32_t units)
{
    tpi_cursor *cursor = &world->step.cursor;
    uint32_t used = 0;
    while (cursor->i < end && used < units) {
        used += tpi_vortex_grip(world, cursor->i, cursor->j, &cursor->k);
        if (cursor->k || ++cursor->j < tpi_colliders_end(world)) continue;
        cursor->i++;
        cursor->j = 0;
    }
    return used;
}

static void vortex_lift_curl(const tp_world *world, uint32_t begin, uint32_t end)
{
    vortex_curl(world, begin, end, vortex_gain_rows(world));
    for (uint32_t row = begin; row < end; row++)
        for (uint32_t i = 0; i < world->def.vortex.grid_nodes[0]; i++)
            vortex_gain_of_node(world, i, row);
}

/* ---- samples ---- */

static void vortex_sample_velocities(const tp_world *world, const vortex_targets *targets,
                                     uint32_t i, uint32_t count)
{
    const tpi_dense dense = tpi_vortex_dense(world);
    for (uint32_t k = i; k < i + count; k += TPI_LANES) {
        tpi_lanes x[3], value[3];
        for (uint32_t axis = 0; axis < 3; axis++) x[axis] = tpi_lanes_load(targets->x[axis] + k);
        tpi_dense_sample(&dense, vortex_flow(world), x, value);
        for (uint32_t axis = 0; axis < 3; axis++)
            tpi_lanes_store_first(targets->to[axis] + k, value[axis],
                                  tpi_min_u32(i + count - k, TPI_LANES));
    }
}

/* The transposed gradient of the velocity times the strength, for `count` vortons. */
static void vortex_sample_changes(const tp_world *world, const vortex_targets *targets, uint32_t v,
                                  uint32_t count)
{
    const tpi_dense dense = tpi_vortex_dense(world);
    for (uint32_t k = v; k < v + count; k += TPI_LANES) {
        tpi_lanes x[3], own[3], value[3], gradient[3][3];
        uint32_t here = tpi_min_u32(v + count - k, TPI_LANES);
        vortex_load_rows(tpi_vortex_rows(world), k, here, x, own);
        tpi_dense_sample_gradient(&dense, vortex_flow(world), x, value, gradient);
        for (uint32_t axis = 0; axis < 3; axis++)
            tpi_lanes_store_first(targets->to[axis] + k,
                                  (own[0] * gradient[axis][0] + own[1] * gradient[axis][1]) +
                                      own[2] * gradient[axis][2],
                                  here);
    }
}

static void vortex_sample_gains(const tp_world *world, uint32_t v, uint32_t count)
{
    const tpi_dense dense = tpi_vortex_dense(world);
    for (uint32_t k = v; k < v + count; k += TPI_LANES) {
        tpi_lanes x[3], own[3], gain[4];
        uint32_t here = tpi_min_u32(v + count - k, TPI_LANES);
        vortex_load_rows(tpi_vortex_rows(world), k, here, x, own);
        tpi_dense_sample_four(&dense, vortex_gain_rows(world), x, gain);
        for (uint32_t axis = 0; axis < 3; axis++)
            tpi_lanes_store_first(tpi_vortex_gain(world, axis) + k,
                                  gain[axis] - own[axis] * gain[3], here);
    }
}

static void vortex_grid_do(tp_world *world, uint32_t begin, uint32_t end)
{
    uint32_t phase = world->step.cursor.phase;
    switch (phase) {
    case TPI_VORTEX_FOLLOW: vortex_follow(world, begin, end); break;
    case TPI_VORTEX_CLEAR:
    case TPI_VORTEX_CLEAR_AGAIN:
    case TPI_VORTEX_LIFT_CLEAR: vortex_clear(world, begin, end); break;
    case TPI_VORTEX_DEPOSIT:
    case TPI_VORTEX_DEPOSIT_AGAIN: vortex_deposit(world, begin, end); break;
    case TPI_VORTEX_SCALE:
    case TPI_VORTEX_SCALE_AGAIN: vortex_scale_rows(world, begin, end); break;
    case TPI_VORTEX_GATHER: vortex_gather(world, begin, end); break;
    case TPI_VORTEX_CURL:
    case TPI_VORTEX_CURL_AGAIN: vortex_curl(world, begin, end, vortex_flow(world)); break;
    case TPI_VORTEX_LIFT: vortex_lift(world, begin, end); break;
    case TPI_VORTEX_CROWD: vortex_add_crowd(world, begin, end); break;
    case TPI_VORTEX_LIFT_SCALE: vortex_lift_rows(world, begin, end); break;
    case TPI_VORTEX_FIRE_CLEAR: tpi_vortex_fire_clear(world, begin, end); break;
    case TPI_VORTEX_FIRE_GIVE: tpi_vortex_fire_give(world, begin, end); break;
    case TPI_VORTEX_FIRE_TAKE: tpi_vortex_fire_take(world, begin, end); break;
    case TPI_VORTEX_FIRE_BURN: tpi_vortex_fire_burn(world, begin, end); break;
    case TPI_VORTEX_MERGE_CLEAR: tpi_vortex_merge_clear(world, begin, end); break;
    case TPI_VORTEX_MERGE: tpi_vortex_merge(world, begin, end); break;
    default: vortex_lift_curl(world, begin, end); break;
    }
}
#undef VORTEX_CYCLES
#undef VORTEX_CYCLES_AGAIN
#endif
