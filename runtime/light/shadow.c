/* SPDX-License-Identifier: MIT
   runtime/light/shadow.c - the shadow of a world's particles: how much light of each lamp gets
           through to the nodes of a grid.
   reads   the front set of a world, lights      writes  the caller's arrays
   memory  the caller's      cost    see tp_shadow_update
   after   cloud in cell (Hockney and Eastwood 1981) for the density; short characteristics (Kunasz
           and Auer 1988) for the depth along the way to a light: one step to the next plane of
           nodes that is nearer to it, where the depth is interpolated. The order of nodes, by the
           largest of the distances along the axes, is own design */
#include "light.h"
#include "../world/block.h"

#define SHADOW_PER_NODE 8u       /* nodes of a unit, to clear them */
#define SHADOW_PARTICLE 4u       /* units of a particle */
#define SHADOW_MASS     65536.0f /* counts of the heaviest particle on one node */
#define SHADOW_FAR      65536.0f /* nodes: lights farther away count as that far */
#define SHADOW_DARK     80.0f    /* largest depth */

enum { SHADOW_IDLE, SHADOW_CLEAR, SHADOW_DEPOSIT, SHADOW_TRACE, SHADOW_FADE };

/* ---- shape ---- */

static uint32_t shadow_nodes(const tp_shadow *shadow)
{
    return shadow->columns * shadow->rows * shadow->layers;
}

static bool shadow_is_side(uint32_t nodes) { return nodes >= 1u && nodes <= 1024u; }

tp_result tpi_shadow_check(const tp_shadow *shadow, uint32_t light_count)
{
    if (!shadow->mass || (light_count && !shadow->through)) return TP_ERROR_NULL;
    bool is_good =
        tpi_is_vector_within(shadow->low, 1e9f) && tpi_is_within(shadow->spacing, 1e-4f, 1e6f) &&
        tpi_is_within(shadow->extinction, 0.0f, 1e9f) && shadow_is_side(shadow->columns) &&
        shadow_is_side(shadow->rows) && shadow_is_side(shadow->layers) &&
        light_count <= shadow->lights_max && shadow->lights_max <= TP_LIGHTS_MAX;
    if (!is_good) return TP_ERROR_QUERY;
    return shadow_nodes(shadow) > 0x1000000u ? TP_ERROR_QUERY : TP_OK;
}

/* ---- density ---- */

static void shadow_clear(tp_shadow *shadow, uint32_t units)
{
    uint32_t nodes = shadow_nodes(shadow);
    uint32_t count = tpi_min_u32(units * SHADOW_PER_NODE, nodes - shadow->at);
    tpi_memset(shadow->mass + shadow->at, 0, count * sizeof *shadow->mass);
    shadow->at += count;
    if (shadow->at < nodes) return;
    shadow->phase = SHADOW_DEPOSIT;
    shadow->at = 0;
}

static void shadow_add(uint32_t *mass, float share)
{
    uint32_t count = (uint32_t)(share * SHADOW_MASS + 0.5f);
    *mass += tpi_min_u32(count, UINT32_MAX - *mass);
}

/* Splits a coordinate in nodes. False: it is outside of the grid and the cell around it. */
static bool shadow_split(float x, uint32_t nodes, int32_t *cell, float share[2])
{
    if (!tpi_is_between(x, -1.0f, (float)nodes)) return false;
    *cell = tpi_floor(x);
    share[1] = x - (float)*cell;
    share[0] = 1.0f - share[1];
    return true;
}

static bool shadow_is_inside(const tp_shadow *shadow, int32_t x, int32_t y, int32_t z)
{
    return x >= 0 && x < (int32_t)shadow->columns && y >= 0 && y < (int32_t)shadow->rows &&
           z >= 0 && z < (int32_t)shadow->layers;
}

static void shadow_deposit_one(const tp_shadow *shadow, tp_vector at, float weight)
{
    int32_t cell[3];
    float x[2], y[2], z[2];
    if (!shadow_split((at.x - shadow->low.x) / shadow->spacing, shadow->columns, &cell[0], x) ||
        !shadow_split((at.y - shadow->low.y) / shadow->spacing, shadow->rows, &cell[1], y) ||
        !shadow_split((at.z - shadow->low.z) / shadow->spacing, shadow->layers, &cell[2], z))
        return;
    for (int32_t k = 0; k < 8; k++) {
        int32_t i = k & 1, j = k >> 1 & 1, m = k >> 2;
        int32_t column = cell[0] + i, row = cell[1] + j, layer = cell[2] + m;
        if (!shadow_is_inside(shadow, column, row, layer)) continue;
        uint32_t node =
            (uint32_t)column + shadow->columns * ((uint32_t)row + shadow->rows * (uint32_t)layer);
        shadow_add(&shadow->mass[node], x[i] * y[j] * z[m] * weight);
    }
}

static float shadow_heaviest(const tp_world *world)
{
    float most = 0.0f;
    for (uint32_t s = 0; s < world->def.species_count; s++)
        most = tpi_max(most, world->def.species[s].mass);
    return most;
}

static void shadow_deposit(tp_shadow *shadow, const tp_world *world, uint32_t count)
{
    uint32_t end = shadow->at + count;
    const uint32_t *meta = tpi_words(world, world->arrays.meta);
    bool is_flat = world->def.dimensions == 2;
    float most = shadow_heaviest(world);
    for (uint32_t i = shadow->at; i < end; i++) {
        uint32_t species = TP_META_SPECIES(meta[i]);
        if (!(shadow->species_mask >> species & 1u)) continue;
        tp_vector at = {tpi_front_x(world, 0)[i], tpi_front_x(world, 1)[i],
                        is_flat ? shadow->low.z : tpi_front_x(world, 2)[i]};
        shadow_deposit_one(shadow, at, world->def.species[species].mass / most);
    }
    shadow->at = end;
    if (end < world->count) return;
    float volume = shadow->spacing * shadow->spacing * (is_flat ? 1.0f : shadow->spacing);
    shadow->scale = tpi_min(shadow->extinction * most / (SHADOW_MASS * volume), 1e20f);
    shadow->phase = shadow->light_count ? SHADOW_TRACE : SHADOW_IDLE;
    shadow->at = shadow->shell = shadow->face = shadow->row = 0;
    shadow->is_ready = !shadow->light_count;
}

/* ---- depth along the way to a light ---- */

/* A light in nodes, and the six faces of the shells around it. Face 2 * axis has the nodes at or
   below the light along that axis, the next one those above. Nodes of a face in shell k are at the
   distance k + part along its axis, and at most that along the others. */
typedef struct shadow_aim {
    float at[3], part[6];
    int32_t base[3], count[3];
    uint32_t stride[3];
    uint32_t face[6]; /* in ascending order of parts */
    int32_t first, last;
} shadow_aim;

static void shadow_order(shadow_aim *aim)
{
    for (uint32_t f = 0; f < 6; f++) {
        uint32_t k = f;
        for (; k > 0 && aim->part[aim->face[k - 1u]] > aim->part[f]; k--)
            aim->face[k] = aim->face[k - 1u];
        aim->face[k] = f;
    }
}

static void shadow_aim_at(const tp_shadow *shadow, tp_vector position, bool is_flat,
                          shadow_aim *aim)
{
    tp_vector at = tpi_scale(tpi_sub(position, shadow->low), 1.0f / shadow->spacing);
    const uint32_t counts[3] = {shadow->columns, shadow->rows, shadow->layers};
    if (is_flat) at.z = 0.0f;
    float size = tpi_largest(at);
    if (size > SHADOW_FAR) at = tpi_scale(at, SHADOW_FAR / size);
    uint32_t stride = 1;
    aim->first = aim->last = 0;
    for (uint32_t axis = 0; axis < 3; axis++) {
        float x = tpi_component(at, axis);
        int32_t base = tpi_floor(x), end = (int32_t)counts[axis] - 1;
        aim->at[axis] = x;
        aim->base[axis] = base;
        aim->count[axis] = (int32_t)counts[axis];
        aim->stride[axis] = stride;
        stride *= counts[axis];
        aim->part[2u * axis] = x - (float)base;
        aim->part[2u * axis + 1u] = 1.0f - (x - (float)base);
        int32_t nearest = base < 0 ? -1 - base : base > end ? base - end : 0;
        int32_t below = base, above = end - base - 1; /* shells to the first and last node */
        aim->first = nearest > aim->first ? nearest : aim->first;
        aim->last = below > aim->last ? below : aim->last;
        aim->last = above > aim->last ? above : aim->last;
    }
    shadow_order(aim);
}

/* The rows of a face in a shell. */
typedef struct shadow_face {
    uint32_t axis, inner, outer; /* axes */
    int32_t index, toward;       /* along the axis; the step to the light */
    float distance;
    int32_t low[2], high[2]; /* nodes along the inner and the outer axis */
} shadow_face;

/* A little wider than the face, so that rounding leaves out no node where faces meet. */
static void shadow_range(const shadow_aim *aim, uint32_t axis, float distance, int32_t *low,
                         int32_t *high)
{
    distance += distance * 1e-6f + 1e-5f;
    *low = -tpi_floor(distance - aim->at[axis]);
    *high = tpi_floor(aim->at[axis] + distance);
    if (*low < 0) *low = 0;
    if (*high > aim->count[axis] - 1) *high = aim->count[axis] - 1;
}

/* False: no node of the grid is on this face. */
static bool shadow_face_of(const shadow_aim *aim, uint32_t face, int32_t shell, shadow_face *of)
{
    bool is_above = face & 1u;
    of->axis = face >> 1;
    of->inner = of->axis == 0 ? 1u : 0u;
    of->outer = of->axis == 2 ? 1u : 2u;
    of->index = is_above ? aim->base[of->axis] + 1 + shell : aim->base[of->axis] - shell;
    of->toward = is_above ? -1 : 1;
    of->distance = tpi_max((float)shell + aim->part[face], 1e-6f);
    if (of->index < 0 || of->index >= aim->count[of->axis]) return false;
    shadow_range(aim, of->inner, of->distance, &of->low[0], &of->high[0]);
    shadow_range(aim, of->outer, of->distance, &of->low[1], &of->high[1]);
    return of->low[0] <= of->high[0] && of->low[1] <= of->high[1];
}

/* Depth and density where the way to the light meets the next plane: a mean of four nodes. Nodes
   outside of the grid are clear. */
static void shadow_beyond(const tp_shadow *shadow, const shadow_aim *aim, const shadow_face *face,
                          const float *depth, const float place[2], float *behind, float *dense)
{
    int32_t low[2] = {tpi_floor(place[0]), tpi_floor(place[1])};
    float share[2] = {place[0] - (float)low[0], place[1] - (float)low[1]};
    uint32_t plane = (uint32_t)(face->index + face->toward) * aim->stride[face->axis];
    *behind = *dense = 0.0f;
    for (int32_t k = 0; k < 4; k++) {
        int32_t b = low[0] + (k & 1), c = low[1] + (k >> 1);
        if (b < 0 || b >= aim->count[face->inner] || c < 0 || c >= aim->count[face->outer])
            continue;
        float weight = (k & 1 ? share[0] : 1.0f - share[0]) * (k >> 1 ? share[1] : 1.0f - share[1]);
        if (weight == 0.0f) continue; /* that node may come later */
        uint32_t node =
            plane + (uint32_t)b * aim->stride[face->inner] + (uint32_t)c * aim->stride[face->outer];
        *behind += weight * depth[(size_t)node * shadow->light_count];
        *dense += weight * ((float)shadow->mass[node] * shadow->scale);
    }
}

/* How far the way leans along an axis at a node, per step along that of the face. */
static float shadow_lean(const shadow_aim *aim, const shadow_face *face, uint32_t axis,
                         int32_t node)
{
    return tpi_clamp((aim->at[axis] - (float)node) / face->distance, -1.0f, 1.0f);
}

static void shadow_row(const tp_shadow *shadow, const shadow_aim *aim, const shadow_face *face,
                       int32_t row, float *depth)
{
    float slope = shadow_lean(aim, face, face->outer, row);
    int32_t next = face->index + face->toward;
    bool is_last = face->distance < 1.0f, is_open = next < 0 || next >= aim->count[face->axis];
    uint32_t plane =
        (uint32_t)face->index * aim->stride[face->axis] + (uint32_t)row * aim->stride[face->outer];
    for (int32_t b = face->low[0]; b <= face->high[0]; b++) {
        float lean = shadow_lean(aim, face, face->inner, b);
        float way = shadow->spacing * tpi_sqrt(1.0f + lean * lean + slope * slope);
        uint32_t node = plane + (uint32_t)b * aim->stride[face->inner];
        float here = (float)shadow->mass[node] * shadow->scale, behind = 0.0f, dense = 0.0f;
        const float place[2] = {(float)b + lean, (float)row + slope};
        if (is_last) {
            way *= face->distance;
            dense = here;
        } else if (!is_open)
            shadow_beyond(shadow, aim, face, depth, place, &behind, &dense);
        depth[(size_t)node * shadow->light_count] =
            tpi_min(behind + 0.5f * (here + dense) * way, SHADOW_DARK);
    }
}

/* Goes on with a light for about `units`; returns those used. A row is not divided. */
static uint32_t shadow_trace(tp_shadow *shadow, const tp_light *lights, bool is_flat,
                             uint32_t units)
{
    shadow_aim aim;
    shadow_face face;
    uint32_t used = 0;
    float *depth = shadow->through + shadow->at; /* of this light at the first node */
    shadow_aim_at(shadow, lights[shadow->at].position, is_flat, &aim);
    while (used < units && aim.first + (int32_t)shadow->shell <= aim.last) {
        int32_t shell = aim.first + (int32_t)shadow->shell;
        bool is_there = shadow_face_of(&aim, aim.face[shadow->face], shell, &face);
        if (is_there && face.low[1] + (int32_t)shadow->row <= face.high[1]) {
            shadow_row(shadow, &aim, &face, face.low[1] + (int32_t)shadow->row, depth);
            used += (uint32_t)(face.high[0] - face.low[0] + 1);
            shadow->row++;
            continue;
        }
        used++;
        shadow->row = 0;
        shadow->face = (shadow->face + 1u) % 6u;
        shadow->shell += shadow->face == 0;
    }
    if (aim.first + (int32_t)shadow->shell <= aim.last) return used;
    shadow->shell = shadow->face = shadow->row = 0;
    if (++shadow->at < shadow->light_count) return used;
    shadow->phase = SHADOW_FADE;
    shadow->at = 0;
    return used;
}

/* ---- what gets through ---- */

static void shadow_fade(tp_shadow *shadow, uint32_t units)
{
    uint32_t all = shadow_nodes(shadow) * shadow->light_count;
    uint32_t end = shadow->at + tpi_min_u32(units, all - shadow->at);
    for (uint32_t i = shadow->at; i < end; i++) shadow->through[i] = tpi_exp(-shadow->through[i]);
    shadow->at = end;
    if (end < all) return;
    shadow->phase = SHADOW_IDLE;
    shadow->is_ready = true;
}

/* One slice of the phase in progress; returns the units used. */
static uint32_t shadow_work(tp_shadow *shadow, const tp_world *world, const tp_light *lights,
                            uint32_t units)
{
    uint32_t before = shadow->at;
    switch (shadow->phase) {
    case SHADOW_CLEAR:
        units = tpi_min_u32(units, (shadow_nodes(shadow) - before + SHADOW_PER_NODE - 1u) /
                                       SHADOW_PER_NODE);
        shadow_clear(shadow, units);
        return units;
    case SHADOW_DEPOSIT:
        units = tpi_min_u32(tpi_max_u32(units / SHADOW_PARTICLE, 1u), world->count - before);
        shadow_deposit(shadow, world, units);
        return units * SHADOW_PARTICLE;
    case SHADOW_TRACE: return shadow_trace(shadow, lights, world->def.dimensions == 2, units);
    default:
        units = tpi_min_u32(units, shadow_nodes(shadow) * shadow->light_count - before);
        shadow_fade(shadow, units);
        return units;
    }
}

static void shadow_begin(tp_shadow *shadow, const tp_world *world, uint32_t light_count)
{
    shadow->phase = SHADOW_CLEAR;
    shadow->at = 0;
    shadow->is_ready = false;
    shadow->light_count = light_count;
    shadow->changes = world->changes;
    shadow->count = world->count;
}

tp_result tp_shadow_update(tp_shadow *shadow, const tp_world *world, const tp_light *lights,
                           uint32_t light_count, uint32_t units)
{
    const tp_lighting lighting = {lights, light_count, NULL, NULL};
    if (!shadow) return TP_ERROR_NULL;
    tp_result result = tpi_world_check_block(world);
    if (result == TP_OK) result = tpi_light_check_all(&lighting);
    if (result == TP_OK) result = tpi_shadow_check(shadow, light_count);
    if (result != TP_OK) return result;
    if (world->def.dimensions == 2 && shadow->layers != 1u) return TP_ERROR_QUERY;
    /* a game that rolled back may have come to as many changes with other particles */
    bool has_changed = shadow->phase <= SHADOW_DEPOSIT &&
                       (shadow->changes != world->changes || shadow->count != world->count);
    if (shadow->phase == SHADOW_IDLE || shadow->phase > SHADOW_FADE || has_changed ||
        shadow->light_count != light_count)
        shadow_begin(shadow, world, light_count);
    uint32_t limit = units ? units : UINT32_MAX, used = 0;
    while (shadow->phase != SHADOW_IDLE && used < limit)
        used += shadow_work(shadow, world, lights, limit - used);
    shadow->units = used;
    return shadow->phase == SHADOW_IDLE ? TP_OK : TP_MORE;
}

/* ---- look-up ---- */

/* Cell and share along an axis, clamped to the grid. */
static tpi_lane_ints shadow_cell(tpi_lanes x, float low, float spacing, uint32_t nodes,
                                 tpi_lanes *share)
{
    float last = nodes > 1u ? (float)(nodes - 2u) : 0.0f, end = (float)(nodes - 1u);
    tpi_lanes place = tpi_lanes_clamp((x - low) / spacing, 0.0f, end);
    tpi_lane_ints cell = tpi_lanes_truncate(tpi_lanes_min(place, tpi_lanes_of(last)));
    *share = place - tpi_lanes_from_ints(cell);
    return cell;
}

void tpi_shadow_place(const tp_shadow *shadow, const tpi_light_rows *points, tpi_shadow_spot *spot)
{
    tpi_lanes share[3];
    uint32_t line = shadow->columns, sheet = shadow->columns * shadow->rows;
    tpi_lane_ints first =
        shadow_cell(points->x, shadow->low.x, shadow->spacing, shadow->columns, &share[0]);
    first += shadow_cell(points->y, shadow->low.y, shadow->spacing, shadow->rows, &share[1]) *
             (int32_t)line;
    first += shadow_cell(points->z, shadow->low.z, shadow->spacing, shadow->layers, &share[2]) *
             (int32_t)sheet;
    for (uint32_t k = 0; k < 8; k++) {
        uint32_t x = k & 1u, y = k >> 1 & 1u, z = k >> 2;
        uint32_t step = (shadow->columns > 1u ? x : 0u) + (shadow->rows > 1u ? y * line : 0u) +
                        (shadow->layers > 1u ? z * sheet : 0u);
        spot->node[k] = (first + (int32_t)step) * (int32_t)shadow->light_count;
        spot->weight[k] = (x ? share[0] : 1.0f - share[0]) * (y ? share[1] : 1.0f - share[1]) *
                          (z ? share[2] : 1.0f - share[2]);
    }
}

tpi_lanes tpi_shadow_through(const tp_shadow *shadow, uint32_t light, const tpi_shadow_spot *spot)
{
    const float *through = shadow->through + light;
    tpi_lanes sum = tpi_lanes_of(0.0f);
    for (uint32_t k = 0; k < 8; k++)
        sum = sum + spot->weight[k] * tpi_lanes_gather(through, spot->node[k]);
    return sum;
}
#undef SHADOW_PER_NODE
#undef SHADOW_PARTICLE
#undef SHADOW_MASS
#undef SHADOW_FAR
#undef SHADOW_DARK
