/* SPDX-License-Identifier: MIT
   runtime/move/heightfield.c - heightfields: solid below a grid of heights, with vertical walls at
           the rim.
   reads   heights, a cast      writes  the cast's earliest hit
   memory  4 bytes per sample   cost    the cells beside the segment, up to the first hit
   after   digital differential analyser (DDA) over cells: columns along the longer axis of the
           segment, in each the rows that the sphere can touch. A cell is two triangles, split from
           its (0,0) to its (1,1) corner

   A sphere that starts below the surface is pushed straight up, not along the normal, because
   only up always leads out of ground of any shape. In 2D the single row of samples stands for a
   strip as wide as a cell. */
#include "collide.h"

#define TPI_WALK_BEGIN  0u /* values of cast->subpart: the state of the walk */
#define TPI_WALK_COLUMN 1u
#define TPI_WALK_CELLS  2u

typedef struct height_view {
    const float *y;
    uint32_t columns;
    uint32_t cells_x, cells_z;
    float spacing, width, depth; /* m: spacing of the samples; size along x and z */
    bool is_strip;               /* 2D */
} height_view;

static height_view height_view_of(const tp_world *world, const tpi_collider_item *item)
{
    const tp_collider_def *def = &item->def;
    height_view view = {tpi_floats(world, world->geometry + item->samples),
                        def->columns,
                        def->columns - 1u,
                        def->rows - 1u,
                        def->spacing,
                        0.0f,
                        0.0f,
                        def->rows == 1u};
    if (view.is_strip) view.cells_z = 1u;
    view.width = (float)view.cells_x * view.spacing;
    view.depth = (float)view.cells_z * view.spacing;
    return view;
}

static float height_sample(const height_view *view, uint32_t i, uint32_t j)
{
    return view->y[i + view->columns * (view->is_strip ? 0u : j)];
}

/* Cell index of a coordinate, 0 .. cells - 1; coordinates outside belong to the outermost cell. */
static uint32_t height_cell(const height_view *view, float coordinate, uint32_t cells)
{
    return (uint32_t)tpi_clamp(coordinate / view->spacing, 0.0f, (float)(cells - 1u));
}

/* Height and normal of the surface at a point (x, z). */
static float height_at(const height_view *view, float x, float z, tp_vector *normal)
{
    uint32_t i = height_cell(view, x, view->cells_x),
             j = view->is_strip ? 0 : height_cell(view, z, view->cells_z);
    float along_x = tpi_clamp(x / view->spacing - (float)i, 0.0f, 1.0f);
    float along_z = view->is_strip ? 0.0f : tpi_clamp(z / view->spacing - (float)j, 0.0f, 1.0f);
    float y00 = height_sample(view, i, j), y11 = height_sample(view, i + 1u, j + 1u);
    float y10 = height_sample(view, i + 1u, j), y01 = height_sample(view, i, j + 1u);
    bool is_lower = along_x >= along_z;
    float rise_x = is_lower ? y10 - y00 : y11 - y01, rise_z = is_lower ? y11 - y10 : y01 - y00;
    tp_vector up = {-rise_x, view->spacing, -rise_z};
    *normal = tpi_scale(up, 1.0f / tpi_length(up));
    return y00 + rise_x * along_x + rise_z * along_z;
}

static bool height_has(const height_view *view, float x, float z)
{
    return x >= 0.0f && x <= view->width && (view->is_strip || (z >= 0.0f && z <= view->depth));
}

void tpi_heightfield_distance(const tp_world *world, const tpi_collider_item *item, tp_vector point,
                              tpi_wall *wall)
{
    height_view view = height_view_of(world, item);
    wall->normal = tpi_vector(0.0f, 1.0f, 0.0f);
    wall->distance = FLT_MAX;
    if (!height_has(&view, point.x, point.z)) return;
    float above = point.y - height_at(&view, point.x, point.z, &wall->normal);
    wall->distance = above * wall->normal.y;
}

/* ---- the start of the segment, and the rim ---- */

/* Tests the start of the segment. True if the centre starts below the surface. */
static bool height_start(const height_view *view, tpi_cast *cast)
{
    tp_vector normal;
    if (!height_has(view, cast->from.x, cast->from.z)) return false;
    float below = height_at(view, cast->from.x, cast->from.z, &normal) - cast->from.y;
    if (below <= 0.0f) return false;
    if (cast->is_jump) return tpi_cast_start(cast, -below * normal.y, normal);
    if (!(cast->time > 0.0f)) return true;
    tpi_cast_hit(cast, 0.0f, normal, -below * normal.y);
    cast->push = tpi_vector(0.0f, below + cast->clearance / normal.y, 0.0f);
    cast->began_inside = true;
    return true;
}

/* True if the centre is below the top of the rim at a time of the segment. */
static bool height_is_under(const height_view *view, const tpi_cast *cast, float time)
{
    tp_vector normal, point = tpi_add_scaled(cast->from, cast->move, time);
    float x = tpi_clamp(point.x, 0.0f, view->width), z = tpi_clamp(point.z, 0.0f, view->depth);
    return point.y < height_at(view, x, z, &normal);
}

/* One wall. The centre starts `distance` in front of it and approaches by `nearing`. Along the wall
   its coordinate goes from `position` by `slide`; the wall extends from 0 to `length`. The line of
   the centre is tested too, so that it never gets inside. */
static void height_wall(const height_view *view, tpi_cast *cast, float distance, float nearing,
                        float position, float slide, float length, tp_vector normal)
{
    if (distance < 0.0f) return;
    bool is_before = view->is_strip || (position >= 0.0f && position <= length);
    if (distance < cast->contact && is_before && height_is_under(view, cast, 0.0f) &&
        tpi_cast_start(cast, distance, normal))
        return;
    if (!(nearing > 0.0f) || distance > nearing + cast->contact) return;
    const float times[2] = {(distance - cast->contact) / nearing, distance / nearing};
    for (uint32_t k = 0; k < 2; k++) {
        float at = position + slide * times[k];
        bool is_wall = view->is_strip || (at >= 0.0f && at <= length);
        if (times[k] < 0.0f || times[k] > 1.0f || !is_wall ||
            !height_is_under(view, cast, times[k]))
            continue;
        tpi_cast_hit(cast, tpi_max(times[0], 0.0f), normal, tpi_min(distance, cast->contact));
        return;
    }
}

/* A vertical edge where two walls meet. */
static void height_post(const height_view *view, tpi_cast *cast, float x, float z)
{
    float from_x = cast->from.x - x, from_z = cast->from.z - z, move_x = cast->move.x,
          move_z = cast->move.z;
    float square = move_x * move_x + move_z * move_z;
    if (square < 1e-30f) return;
    float nearest = -(from_x * move_x + from_z * move_z) / square;
    float at_x = from_x + move_x * nearest, at_z = from_z + move_z * nearest;
    float rest = cast->contact * cast->contact - (at_x * at_x + at_z * at_z);
    if (nearest < 0.0f || rest < 0.0f) return;
    float time = tpi_max(nearest - tpi_sqrt(rest / square), 0.0f);
    if (time > 1.0f || !height_is_under(view, cast, time)) return;
    tp_vector out = {from_x + move_x * time, 0.0f, from_z + move_z * time};
    float distance = tpi_length(out);
    if (distance > 1e-12f) tpi_cast_hit(cast, time, tpi_scale(out, 1.0f / distance), distance);
}

static void height_rim(const height_view *view, tpi_cast *cast)
{
    tp_vector p = cast->from, m = cast->move;
    height_wall(view, cast, -p.x, m.x, p.z, m.z, view->depth, tpi_vector(-1.0f, 0.0f, 0.0f));
    height_wall(view, cast, p.x - view->width, -m.x, p.z, m.z, view->depth,
                tpi_vector(1.0f, 0.0f, 0.0f));
    if (view->is_strip) return;
    height_wall(view, cast, -p.z, m.z, p.x, m.x, view->width, tpi_vector(0.0f, 0.0f, -1.0f));
    height_wall(view, cast, p.z - view->depth, -m.z, p.x, m.x, view->width,
                tpi_vector(0.0f, 0.0f, 1.0f));
    height_post(view, cast, 0.0f, 0.0f);
    height_post(view, cast, view->width, 0.0f);
    height_post(view, cast, 0.0f, view->depth);
    height_post(view, cast, view->width, view->depth);
}

/* ---- the walk over cells ---- */

/* The axes of the walk: u is the axis of the longer movement, w the other. */
typedef struct height_walk {
    float u, move_u, w, move_w;
    uint32_t cells_u, cells_w;
    bool is_x;             /* u is x */
    uint32_t first, count; /* columns that the sphere can touch, lowest first */
} height_walk;

/* Cells first .. end - 1 that touch [low, high]. */
static void height_range(const height_view *view, float low, float high, uint32_t cells,
                         uint32_t *first, uint32_t *end)
{
    float last = (float)cells;
    *first = (uint32_t)tpi_clamp(low / view->spacing, 0.0f, last);
    *end = (uint32_t)tpi_clamp(high / view->spacing + 1.0f, 0.0f, last);
}

static height_walk height_walk_of(const height_view *view, const tpi_cast *cast)
{
    bool is_x = view->is_strip || tpi_abs(cast->move.x) >= tpi_abs(cast->move.z);
    height_walk walk = {cast->from.x,
                        cast->move.x,
                        cast->from.z,
                        cast->move.z,
                        view->cells_x,
                        view->cells_z,
                        is_x,
                        0,
                        0};
    uint32_t end;
    if (!is_x)
        walk = (height_walk){cast->from.z,
                             cast->move.z,
                             cast->from.x,
                             cast->move.x,
                             view->cells_z,
                             view->cells_x,
                             is_x,
                             0,
                             0};
    float to = walk.u + walk.move_u, wide = cast->clearance;
    height_range(view, tpi_min(walk.u, to) - wide, tpi_max(walk.u, to) + wide, walk.cells_u,
                 &walk.first, &end);
    walk.count = end > walk.first ? end - walk.first : 0;
    return walk;
}

static uint32_t height_column(const height_walk *walk, uint32_t part)
{
    return walk->move_u < 0.0f ? walk->first + walk->count - 1u - part : walk->first + part;
}

/* The time interval [times[0], times[1]] of the segment in which the sphere can touch a column. */
static void height_column_times(const height_view *view, const height_walk *walk,
                                const tpi_cast *cast, uint32_t column, float times[2])
{
    float low = (float)column * view->spacing - cast->clearance;
    float high = (float)(column + 1u) * view->spacing + cast->clearance;
    times[0] = 0.0f;
    times[1] = 1.0f;
    if (tpi_abs(walk->move_u) < 1e-20f) return;
    float a = (low - walk->u) / walk->move_u, b = (high - walk->u) / walk->move_u;
    times[0] = tpi_clamp(tpi_min(a, b), 0.0f, 1.0f);
    times[1] = tpi_clamp(tpi_max(a, b), 0.0f, 1.0f);
}

/* Finds the rows of the next column; false if the sphere reaches the column after its earliest
   hit. */
static bool height_column_begin(const height_view *view, const height_walk *walk, tpi_cast *cast)
{
    float times[2], wide = cast->clearance;
    height_column_times(view, walk, cast, height_column(walk, cast->part), times);
    if (times[0] > cast->time) return false;
    float a = walk->w + walk->move_w * times[0], b = walk->w + walk->move_w * times[1];
    height_range(view, tpi_min(a, b) - wide, tpi_max(a, b) + wide, walk->cells_w, &cast->row,
                 &cast->row_end);
    if (view->is_strip) {
        cast->row = 0;
        cast->row_end = 1;
    }
    return true;
}

/* Tests the two triangles of a cell, unless the sphere stays above its highest corner. */
static void height_cell_cast(const height_view *view, tpi_cast *cast, uint32_t i, uint32_t j,
                             float lowest)
{
    float y00 = height_sample(view, i, j), y10 = height_sample(view, i + 1u, j);
    float y01 = height_sample(view, i, j + 1u), y11 = height_sample(view, i + 1u, j + 1u);
    if (tpi_max(tpi_max(y00, y10), tpi_max(y01, y11)) < lowest) return;
    float x0 = (float)i * view->spacing, x1 = (float)(i + 1u) * view->spacing;
    float z0 = (float)j * view->spacing, z1 = (float)(j + 1u) * view->spacing;
    if (view->is_strip) z0 = -view->spacing;
    tp_vector a = {x0, y00, z0}, b = {x1, y10, z0}, c = {x1, y11, z1}, d = {x0, y01, z1};
    tpi_triangle lower = {a, c, b, true, true}, upper = {a, d, c, true, true};
    tpi_cast_triangle(cast, &lower);
    tpi_cast_triangle(cast, &upper);
}

static uint32_t height_cells(const height_view *view, const height_walk *walk, tpi_cast *cast,
                             uint32_t units)
{
    float times[2];
    uint32_t column = height_column(walk, cast->part), used = 0;
    height_column_times(view, walk, cast, column, times);
    float lowest =
        tpi_min(cast->from.y + cast->move.y * times[0], cast->from.y + cast->move.y * times[1]);
    for (; used < units && cast->row < cast->row_end; used++, cast->row++)
        height_cell_cast(view, cast, walk->is_x ? column : cast->row,
                         walk->is_x ? cast->row : column, lowest - cast->clearance);
    if (cast->row >= cast->row_end) {
        cast->part++;
        cast->subpart = TPI_WALK_COLUMN;
    }
    return used;
}

uint32_t tpi_cast_heightfield(const tp_world *world, const tpi_collider_item *item, tpi_cast *cast,
                              uint32_t units, bool *done)
{
    height_view view = height_view_of(world, item);
    height_walk walk = height_walk_of(&view, cast);
    uint32_t used = 0;
    *done = false;
    while (used < units && !*done) {
        if (cast->subpart == TPI_WALK_BEGIN) {
            *done = height_start(&view, cast);
            if (!height_has(&view, cast->from.x, cast->from.z)) height_rim(&view, cast);
            cast->subpart = TPI_WALK_COLUMN;
            used++;
        } else if (cast->subpart == TPI_WALK_COLUMN) {
            *done = cast->part >= walk.count || !height_column_begin(&view, &walk, cast);
            cast->subpart = TPI_WALK_CELLS;
            used++;
        } else {
            used += height_cells(&view, &walk, cast, units - used);
        }
    }
    return used;
}

/* ---- the planes near a point ---- */

static void height_offer_cell(const height_view *view, uint32_t i, uint32_t j, tpi_facets *facets)
{
    float y00 = height_sample(view, i, j), y10 = height_sample(view, i + 1u, j);
    float y01 = height_sample(view, i, j + 1u), y11 = height_sample(view, i + 1u, j + 1u);
    float x0 = (float)i * view->spacing, x1 = (float)(i + 1u) * view->spacing;
    float z0 = (float)j * view->spacing, z1 = (float)(j + 1u) * view->spacing;
    if (view->is_strip) z0 = -view->spacing;
    tp_vector low = {x0, tpi_min(tpi_min(y00, y10), tpi_min(y01, y11)), z0};
    tp_vector high = {x1, tpi_max(tpi_max(y00, y10), tpi_max(y01, y11)), z1};
    if (tpi_facets_skip(facets, low, high)) return;
    tp_vector a = {x0, y00, z0}, b = {x1, y10, z0}, c = {x1, y11, z1}, d = {x0, y01, z1};
    tpi_triangle lower = {a, c, b, true, true}, upper = {a, d, c, true, true};
    tpi_facets_offer(facets, &lower);
    tpi_facets_offer(facets, &upper);
}

/* A row of the ring: its ends only, unless it is the first or last one. */
static void height_offer_row(const height_view *view, uint32_t i, uint32_t j, uint32_t ring,
                             bool is_whole, tpi_facets *facets)
{
    uint32_t end = tpi_min_u32(i + ring + 1u, view->cells_x), first = i < ring ? 0u : i - ring;
    for (uint32_t k = first; k < end && facets->visits < facets->visits_max; k++)
        if (is_whole || k + ring == i || k == i + ring) height_offer_cell(view, k, j, facets);
}

/* One pass: rings of cells around that of the point, up to the reach. */
static void height_find_facet(const height_view *view, tpi_facets *facets)
{
    uint32_t i = height_cell(view, facets->point.x, view->cells_x),
             j = view->is_strip ? 0u : height_cell(view, facets->point.z, view->cells_z);
    for (uint32_t ring = 0; facets->visits < facets->visits_max; ring++) {
        if (ring > 1u && (float)(ring - 1u) * view->spacing >= facets->reach) return;
        uint32_t rows = view->is_strip ? 0u : ring, first = j < rows ? 0u : j - rows,
                 end = tpi_min_u32(j + rows + 1u, view->cells_z);
        for (uint32_t k = first; k < end; k++)
            height_offer_row(view, i, k, ring, !ring || k + rows == j || k == j + rows, facets);
        facets->visits++;
    }
}

/* Behind the surface the plane is that of the triangle above. */
static bool height_is_behind(const height_view *view, tpi_facets *facets)
{
    tpi_facet *facet = &facets->best;
    float above = facets->point.y - height_at(view, facets->point.x, facets->point.z, &facet->out);
    if (above >= 0.0f) return false;
    facet->distance = above * facet->out.y;
    facet->foot = tpi_add_scaled(facets->point, facet->out, -facet->distance);
    facet->novelty = 1.0f;
    facets->reach = -facet->distance;
    return true;
}

void tpi_heightfield_facets(const tp_world *world, const tpi_collider_item *item,
                            tpi_facets *facets)
{
    height_view view = height_view_of(world, item);
    facets->is_in_front = true;
    facets->visits++;
    if (!height_has(&view, facets->point.x, facets->point.z)) return;
    if (height_is_behind(&view, facets) &&
        (facets->reach >= facets->within || !tpi_facets_next(facets)))
        return;
    do height_find_facet(&view, facets);
    while (tpi_facets_next(facets));
}

#undef TPI_WALK_BEGIN
#undef TPI_WALK_COLUMN
#undef TPI_WALK_CELLS
