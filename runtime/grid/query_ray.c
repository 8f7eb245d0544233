/* SPDX-License-Identifier: MIT
   runtime/grid/query_ray.c - a ray or a moving sphere against the surface of the particles.
   reads   the index of a query      writes  the caller's hit
   memory  registers                 cost    see tp_query_ray
   after   first intersection of a line and balls (Ericson 2005, 5.3.2), by pieces of some cells, so
           that a piece with a hit ends the search. Times are within a piece, which keeps them exact
           however long the ray is */
#include "query.h"

#define PROBE_PIECES_MAX  16777216.0f /* 2^24 */
#define PROBE_UNITS_PIECE 2u

enum { PROBE_BEGIN, PROBE_PIECE, PROBE_NORMAL };

/* The part of the ray that may meet a particle, in equal pieces. */
typedef struct probe_plan {
    tp_vector from, span; /* m: begin and length of all pieces */
    float enter, share;   /* of the whole ray: where the pieces begin, and their length */
    float reach;          /* m: distance of the centers at contact */
    uint32_t pieces;      /* 0: it meets none */
} probe_plan;

/* ---- the plan ---- */

static float probe_axis(tp_vector a, uint32_t axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

/* Clips [*enter, *leave] to the part between two planes; false if it is empty. */
static bool probe_clip(float from, float move, float low, float high, float *enter, float *leave)
{
    if (tpi_abs(move) < 1e-20f) return from >= low && from <= high;
    float a = (low - from) / move, b = (high - from) / move;
    *enter = tpi_max(*enter, tpi_min(a, b));
    *leave = tpi_min(*leave, tpi_max(a, b));
    return *enter <= *leave;
}

/* Clips the ray to the bounds of the particles along open axes. */
static bool probe_enters(const tpi_query_call *call, const tp_ray *ray, probe_plan *plan)
{
    const tpi_query_index *index = call->index;
    float leave = 1.0f;
    plan->enter = 0.0f;
    if (!index->count) return false;
    for (uint32_t axis = 0; axis < call->dimensions; axis++) {
        float low = index->low[axis], high = index->high[axis], from = probe_axis(ray->from, axis);
        float scale = tpi_abs(from) + tpi_abs(probe_axis(ray->move, axis)) + tpi_abs(low) +
                      tpi_abs(high) + plan->reach;
        float wide = plan->reach + scale * TPI_QUERY_MARGIN;
        if (!index->box.cells[axis] && !probe_clip(from, probe_axis(ray->move, axis), low - wide,
                                                   high + wide, &plan->enter, &leave))
            return false;
    }
    plan->share = leave - plan->enter;
    return true;
}

/* The longest piece, m: as long as what is beside it is wide; in a box so short that nearest images
   are the right ones. */
static float probe_piece_most(const tpi_query_call *call, float reach)
{
    const tpi_box *box = &call->index->box;
    float most = 2.0f * tpi_max(call->query->def.radius, reach);
    for (uint32_t axis = 0; axis < call->dimensions; axis++)
        if (box->cells[axis]) most = tpi_min(most, 0.25f * box->size[axis]);
    return most;
}

/* Cells in the bounds of one piece, about. */
static float probe_cells(const tpi_query_call *call, const probe_plan *plan, float pieces)
{
    float cells = 1.0f, side = call->query->def.radius;
    for (uint32_t axis = 0; axis < call->dimensions; axis++)
        cells *=
            (tpi_abs(probe_axis(plan->span, axis)) / pieces + 2.0f * plan->reach) / side + 2.0f;
    return cells;
}

/* One piece if the cells of all pieces would be more than the particles: then all of these are
   tested. */
static tp_result probe_plan_of(const tpi_query_call *call, const tp_ray *ray, probe_plan *plan)
{
    const tpi_box *box = &call->index->box;
    tpi_memset(plan, 0, sizeof *plan);
    plan->reach = ray->radius + call->query->def.surface_radius;
    for (uint32_t axis = 0; axis < call->dimensions; axis++)
        if (box->cells[axis] && plan->reach > 0.25f * box->size[axis]) return TP_ERROR_QUERY;
    if (!probe_enters(call, ray, plan)) return TP_OK;
    plan->from = tpi_add_scaled(ray->from, ray->move, plan->enter);
    plan->span = tpi_scale(ray->move, plan->share);
    float pieces = tpi_max(tpi_length(plan->span) / probe_piece_most(call, plan->reach), 1.0f);
    if (box->is_periodic && !(pieces < PROBE_PIECES_MAX)) return TP_ERROR_QUERY;
    pieces = (float)(uint32_t)tpi_min(pieces + 0.999f, PROBE_PIECES_MAX);
    if (!box->is_periodic && pieces * probe_cells(call, plan, pieces) > (float)call->index->count)
        pieces = 1.0f;
    plan->pieces = (uint32_t)pieces;
    return TP_OK;
}

/* ---- one piece ---- */

/* How much longer than its part of the ray a piece is: covers the rounding of where it begins. */
static float probe_longer(const probe_plan *plan)
{
    return 1.0f + (float)plan->pieces * 9.5367432e-7f; /* 2^-20 */
}

static tp_vector probe_piece_move(const probe_plan *plan)
{
    return tpi_scale(plan->span, probe_longer(plan) / (float)plan->pieces);
}

/* Where the middle of a piece is; not wrapped. */
static tp_vector probe_middle(const probe_plan *plan, uint32_t piece)
{
    float share = ((float)piece + 0.5f) / (float)plan->pieces;
    return tpi_add_scaled(plan->from, plan->span, share);
}

/* From the sphere's center, at a time of the piece, to the particle. */
static tp_vector probe_toward(const tpi_query_call *call, const probe_plan *plan, uint32_t i,
                              float time)
{
    tp_vector middle = tpi_query_point(call, probe_middle(plan, call->state.item));
    tp_vector d = tpi_query_offset(call, middle, i);
    return tpi_add_scaled(d, probe_piece_move(plan), 0.5f - time);
}

/* The first time within the piece at which the particle is at the distance of contact; 2: never. */
static float probe_time(tp_vector toward, tp_vector move, float reach)
{
    float square = tpi_dot(move, move);
    if (tpi_dot(toward, toward) < reach * reach) return 0.0f;
    if (square < 1e-30f) return 2.0f;
    float nearest = tpi_dot(toward, move) / square;
    tp_vector at = tpi_add_scaled(toward, move, -nearest);
    float rest = reach * reach - tpi_dot(at, at);
    if (rest < 0.0f || nearest < 0.0f) return 2.0f;
    return tpi_max(nearest - tpi_sqrt(rest / square), 0.0f);
}

static void probe_test(tpi_query_call *call, const probe_plan *plan, uint32_t i)
{
    tpi_query_state *state = &call->state;
    const uint32_t *id = tpi_query_words(call->query, call->index->id);
    float time = probe_time(probe_toward(call, plan, i, 0.0f), probe_piece_move(plan), plan->reach);
    if (time > 1.0f || time > state->time) return;
    if (time == state->time && id[i] > id[state->hit]) return;
    state->time = time;
    state->hit = i;
}

/* True when all candidates of the piece were tested. */
static bool probe_walk(tpi_query_call *call, const probe_plan *plan, bool begins)
{
    tp_vector move = probe_piece_move(plan);
    tp_vector middle = tpi_query_point(call, probe_middle(plan, call->state.item));
    const float center[3] = {middle.x, middle.y, middle.z};
    const float extent[3] = {0.5f * tpi_abs(move.x) + plan->reach,
                             0.5f * tpi_abs(move.y) + plan->reach,
                             0.5f * tpi_abs(move.z) + plan->reach};
    uint32_t i;
    if (begins) {
        call->state.time = 2.0f;
        tpi_query_spend(call, PROBE_UNITS_PIECE);
    }
    tpi_query_walk(call, center, extent, begins);
    while (tpi_query_next(call, &i)) probe_test(call, plan, i);
    return call->is_over;
}

/* Goes on to the first piece with a hit. True when it is found, or there is none. */
static bool probe_search(tpi_query_call *call, const probe_plan *plan)
{
    tpi_query_state *state = &call->state;
    while (state->phase != PROBE_NORMAL) {
        bool begins = state->phase == PROBE_BEGIN;
        if (begins && state->item >= plan->pieces) return true;
        if (!tpi_query_has_units(call)) return false;
        state->phase = PROBE_PIECE;
        if (!probe_walk(call, plan, begins)) return false;
        if (state->time <= 1.0f) {
            state->phase = PROBE_NORMAL;
        } else {
            state->phase = PROBE_BEGIN;
            state->item++;
        }
    }
    return true;
}

/* ---- the hit ---- */

/* All but the normal, which is that of the ball. */
static void probe_describe(const tpi_query_call *call, const probe_plan *plan, const tp_ray *ray,
                           tp_ray_hit *hit)
{
    const tpi_query_state *state = &call->state;
    float ahead = (state->time - 0.5f) * probe_longer(plan) + 0.5f;
    float share = ((float)state->item + ahead) / (float)plan->pieces;
    tp_vector toward = probe_toward(call, plan, state->hit, state->time);
    tp_vector back = tpi_normalise(tpi_scale(ray->move, -1.0f), tpi_vector(0.0f, 1.0f, 0.0f));
    hit->is_hit = true;
    hit->time = tpi_clamp(plan->enter + plan->share * share, 0.0f, 1.0f);
    hit->is_inside = hit->time == 0.0f && tpi_dot(toward, toward) < plan->reach * plan->reach;
    hit->center = tpi_add_scaled(ray->from, ray->move, hit->time);
    hit->normal = tpi_normalise(tpi_scale(toward, -1.0f), back);
    tp_vector particle = call->index->box.is_periodic
                             ? tpi_add(hit->center, toward)
                             : tpi_query_vector(call, call->index->x, state->hit);
    hit->point = tpi_add_scaled(particle, hit->normal, call->query->def.surface_radius);
    hit->particle = tpi_query_words(call->query, call->index->id)[state->hit];
}

static tp_result probe_check(const tp_ray *ray)
{
    bool is_good = tpi_query_is_point(ray->from) && tpi_query_is_point(ray->move) &&
                   tpi_query_is_length(ray->radius);
    return is_good ? TP_OK : TP_ERROR_QUERY;
}

static uint64_t probe_job(const tp_ray *ray)
{
    uint64_t job = tpi_query_job_vector(0x524159u, ray->from);
    return tpi_query_job(tpi_query_job_vector(job, ray->move), tpi_bits(ray->radius));
}

tp_result tp_query_ray(const tp_query *query, const tp_ray *ray, uint32_t units,
                       tp_query_cursor *cursor, tp_ray_hit *hit)
{
    tpi_query_call call;
    probe_plan plan;
    tp_ray_hit found;
    if (!ray || !hit) return TP_ERROR_NULL;
    tp_result result = tpi_query_look(query, cursor, units, &call);
    if (result != TP_OK) return result;
    tp_ray flat = *ray;
    flat.from = tpi_query_flat(&call, ray->from);
    flat.move = tpi_query_flat(&call, ray->move);
    result = probe_check(&flat);
    if (result == TP_OK) result = probe_plan_of(&call, &flat, &plan);
    if (result != TP_OK) return result;
    tpi_query_begin(&call, probe_job(&flat), ray->species_mask);
    tpi_memset(&found, 0, sizeof found);
    if (!probe_search(&call, &plan)) return tpi_query_end(&call, false, TP_OK);
    if (call.state.phase == PROBE_NORMAL) {
        probe_describe(&call, &plan, &flat, &found);
        if (!tpi_query_weigh(&call, tpi_query_point(&call, found.point), true))
            return tpi_query_end(&call, false, TP_OK);
        found.normal = tpi_query_normal(&call, found.normal);
    }
    *hit = found;
    return tpi_query_end(&call, true, TP_OK);
}
#undef PROBE_PIECES_MAX
#undef PROBE_UNITS_PIECE
