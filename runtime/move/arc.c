/* SPDX-License-Identifier: MIT
   runtime/move/arc.c - the segment of a path in the frame of a collider that moves: a line, or an
           arc that is tested in pieces.
   reads   the path, the collider's poses      writes  the line and distances of the path's cast
   memory  the path's record                   cost    O(1): two poses, of a piece two more
   after   own design: a path is straight in the frame of a collider that it goes along with. Of an
           arc that goes past a collider, the secants of the part near it are tested */
#include "collide.h"

/* pieces of an arc, times the root of the turn in them: at most 12 */
#define ARC_PIECES 10.0f

/* Sets the distances of the cast. */
void tpi_path_distances(tpi_path *path, const tpi_collider_item *item)
{
    tpi_cast *cast = &path->cast;
    float skin = tpi_max(path->skin, item->scale * TPI_SKIN_SHARE);
    float radius = path->radius + (item->def.is_two_sided ? item->def.thickness : 0.0f);
    cast->clearance = radius + skin;
    cast->contact = radius + 0.5f * skin;
    cast->inside = radius - 0.25f * skin;
}

/* The sphere's centre at a fraction of the segment, in the frame that the collider has then. */
static tp_vector arc_seen(const tpi_path *path, const tpi_collider_item *item, float share)
{
    float moment = tpi_path_moment(path, path->begin + (1.0f - path->begin) * share);
    tp_vector at = tpi_add_scaled(path->from, tpi_sub(path->to, path->from), share);
    return tpi_to_local(tpi_collider_pose(item, moment), at);
}

/* The poses of a collider at the ends of the segment. */
typedef struct arc_ends {
    tp_pose begin, end;
} arc_ends;

static arc_ends arc_ends_of(const tpi_path *path, const tpi_collider_item *item)
{
    arc_ends ends;
    ends.begin = ends.end = tpi_collider_pose(item, tpi_path_moment(path, path->begin));
    if (item->is_moving && !path->cast.is_jump) ends.end = tpi_collider_pose(item, path->step_end);
    return ends;
}

/* Sets the line of the cast to the segment in the frame of the collider. */
static void arc_transform(tpi_path *path, const arc_ends *ends)
{
    path->cast.from = tpi_to_local(ends->begin, path->from);
    path->cast.move = tpi_sub(tpi_to_local(ends->end, path->to), path->cast.from);
}

/* The part of a segment near a collider that turns and goes far, in pieces. */
typedef struct arc_pieces {
    float first, size; /* where it begins, and a piece: shares of the segment */
    uint32_t count;    /* 0: it is never near */
} arc_pieces;

/* True if the segment is tested in pieces: from a collider that turns and goes far it looks like an
   arc, of which the part inside the sphere around the collider counts. The secant of a piece is at
   most about 1/100 of the radius of that sphere from the arc. */
static bool arc_divide(const tpi_path *path, const tpi_collider_item *item, const arc_ends *ends,
                       arc_pieces *pieces)
{
    if (!item->is_turning || path->cast.is_jump || tpi_collider_is_endless(&item->def))
        return false;
    tp_vector start = tpi_sub(path->from, ends->begin.position),
              move = tpi_sub(tpi_sub(path->to, ends->end.position), start);
    float wide = tpi_bounds_reach(item) + path->cast.clearance, square = tpi_dot(move, move);
    if (!(square > wide * wide)) return false;
    float nearest = -tpi_dot(start, move) / square, half = 0.0f;
    tp_vector at = tpi_add_scaled(start, move, nearest);
    float rest = wide * wide - tpi_dot(at, at);
    if (rest > 0.0f) half = tpi_sqrt(rest / square);
    float first = tpi_max(nearest - half, 0.0f), near = tpi_min(nearest + half, 1.0f) - first;
    if (near >= 1.0f) return false; /* it goes along with the collider */
    *pieces = (arc_pieces){first, 1.0f, 0};
    if (!(near > 1e-6f)) return true;
    const tp_quaternion *a = &ends->begin.rotation, *b = &ends->end.rotation;
    float turn = 2.0f - 2.0f * tpi_abs(a->w * b->w + a->x * b->x + a->y * b->y + a->z * b->z);
    turn = tpi_sqrt(tpi_max(turn, 0.0f)); /* about half the angle */
    pieces->count = 1u + (uint32_t)(ARC_PIECES * tpi_sqrt(turn * near));
    pieces->size = near / (float)pieces->count;
    return true;
}

/* The latest hit that a piece may have, as a share of it. */
static float arc_piece_limit(const tpi_path *path, const arc_pieces *pieces, float begin)
{
    if (path->before > 1.0f) return path->before;
    return tpi_clamp((path->before - begin) / pieces->size, 0.0f, 1.0f);
}

static float arc_piece_begin(const arc_pieces *pieces, uint32_t piece)
{
    return pieces->first + pieces->size * (float)piece;
}

/* Sets the line of the cast to the secant of a piece. */
static void arc_secant(tpi_path *path, const tpi_collider_item *item, const arc_pieces *pieces,
                       float begin)
{
    tpi_cast *cast = &path->cast;
    cast->from = arc_seen(path, item, begin);
    cast->move = tpi_sub(arc_seen(path, item, begin + pieces->size), cast->from);
}

/* Begins a piece: times of hits are shares of it until it ends. False: it meets nothing. */
static bool arc_piece(tpi_path *path, const tpi_collider_item *item, const arc_pieces *pieces)
{
    float begin = arc_piece_begin(pieces, path->piece);
    path->before = path->cast.time;
    path->pieces = (uint8_t)pieces->count;
    if (path->piece >= pieces->count || path->before <= begin) {
        path->piece = path->pieces = 0;
        return false;
    }
    path->cast.time = arc_piece_limit(path, pieces, begin);
    arc_secant(path, item, pieces, begin);
    return true;
}

void tpi_path_next_piece(tpi_path *path, const tpi_collider_item *item)
{
    tpi_cast *cast = &path->cast;
    arc_pieces pieces;
    arc_ends ends = arc_ends_of(path, item);
    if (arc_divide(path, item, &ends, &pieces)) {
        float begin = arc_piece_begin(&pieces, path->piece);
        bool is_hit = cast->time < arc_piece_limit(path, &pieces, begin);
        cast->time = is_hit ? tpi_min(begin + cast->time * pieces.size, 1.0f) : path->before;
    }
    if (++path->piece < path->pieces) return;
    path->piece = path->pieces = 0;
    cast->collider++;
}

tp_vector tpi_path_centre(tpi_path *path, const tpi_collider_item *item, float time)
{
    arc_pieces pieces;
    arc_ends ends = arc_ends_of(path, item);
    tpi_path_distances(path, item);
    if (!arc_divide(path, item, &ends, &pieces) || pieces.count == 0) {
        arc_transform(path, &ends);
    } else {
        float share = tpi_max(time - pieces.first, 0.0f) / pieces.size;
        float begin = arc_piece_begin(&pieces, tpi_min_u32((uint32_t)share, pieces.count - 1u));
        arc_secant(path, item, &pieces, begin);
        time = (time - begin) / pieces.size;
    }
    return tpi_add_scaled(path->cast.from, path->cast.move, time);
}

bool tpi_path_localise(tpi_path *path, const tpi_collider_item *item)
{
    arc_pieces pieces;
    arc_ends ends = arc_ends_of(path, item);
    tpi_path_distances(path, item);
    if (arc_divide(path, item, &ends, &pieces)) return arc_piece(path, item, &pieces);
    arc_transform(path, &ends);
    return true;
}

#undef ARC_PIECES
