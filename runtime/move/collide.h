/* SPDX-License-Identifier: MIT
   runtime/move/collide.h - continuous collision detection with swept spheres, and contact response.
   reads   a segment, the colliders
   writes  the sphere's final position, its velocity, the step's counters
   memory  the path's record in the block; geometry in its pool      cost    see tpi_path_advance
   after   runtime/guide/physics.md, colliders; the distances below are from a surface to the
           sphere's centre

     clearance  radius + skin        the centre after a resting contact or a push
     contact    radius + skin / 2    a sweep stops here; a sphere at `clearance` does not hit again
     inside     radius - skin / 4    a sphere that starts closer began inside and is pushed out

   The skin covers the rounding errors of positions and distances: 1/1000 of the radius, but at
   least 20 um and 2^-19 of the largest coordinate. No sphere crosses the skin, so it stays on its
   side even of a surface without thickness. */
#ifndef TPI_COLLIDE_H
#define TPI_COLLIDE_H
#include "../world/block.h"
#include "../world/wall.h"

#define TPI_CONTACT_UNITS 4u    /* units of a contact: a moving collider needs up to ten poses */
#define TPI_SKIN_LEAST    2e-5f /* m */
#define TPI_SKIN_SHARE    1.9073486e-6f /* 2^-19 */

/* ---- for the step (collide.c, collider.c) ---- */

/* Starts a frame: colliders move during it to the poses set by tp_collider_move. O(colliders) */
TPI_FUNC void tpi_colliders_begin_frame(tp_world *world);
/* Sets the poses between which a collider moves now, and what follows from them. O(1) */
TPI_FUNC void tpi_collider_sweep(tpi_collider_item *item, tp_pose from, tp_pose to);
/* Null if a collider may have the pose, else a sentence. O(1) */
TPI_FUNC const char *tpi_collider_check_pose(const tp_world *world, tp_pose pose);
/* Begins a path. The caller has set its step_begin, step_end, timestep, whole_begin and
   whole_timestep. `velocity` is the integrator's velocity after the whole step. O(1) */
TPI_FUNC void tpi_path_begin(const tp_world *world, tpi_path *path, tp_vector from, tp_vector to,
                             tp_vector velocity, float radius, uint32_t species);
/* Continues a path for at most `units` (>= 1) units, except that a contact may exceed them by a
   few; returns the units used. Any slicing gives the same bits. Units: 1 per collider, triangle,
   tree node, height cell or trace step tested, and 1 per field when a fast bounce needs gravity. A
   path has at most 17 searches: one, and a jump and a search after each of at most 8 contacts. A
   search costs the colliders and the parts near the segment: at most 24 trace steps in a distance
   grid, the cells beside a heightfield's segment, the nodes of a mesh; of a collider that turns and
   goes far in each of at most 12 pieces. */
TPI_FUNC uint32_t tpi_path_advance(tp_world *world, tpi_path *path, uint32_t units, bool *done);

/* ---- the segment in the frame of a collider (arc.c) ---- */

/* The fraction of the frame at a share of the path's interval. */
TPI_INLINE float tpi_path_moment(const tpi_path *path, float share)
{
    if (share >= 1.0f) return path->step_end;
    return path->step_begin + (path->step_end - path->step_begin) * share;
}
/* Sets the distances of the cast. O(1) */
TPI_FUNC void tpi_path_distances(tpi_path *path, const tpi_collider_item *item);
/* Sets the cast's line in the collider's frame, or a piece of it, and its distances. Times of hits
   are shares of the piece until tpi_path_next. False: the line meets nothing. O(1) */
TPI_FUNC bool tpi_path_localise(tpi_path *path, const tpi_collider_item *item);
/* Ends the test of a piece: goes on to the next piece, or collider. O(1) */
TPI_FUNC void tpi_path_next_piece(tpi_path *path, const tpi_collider_item *item);
/* Ends the test of a collider, or of a piece. O(1) */
TPI_INLINE void tpi_path_next(tpi_path *path, const tpi_collider_item *item)
{
    if (TPI_UNLIKELY(path->pieces))
        tpi_path_next_piece(path, item);
    else
        path->cast.collider++;
}
/* The centre at a time of the segment, in the frame of a moving collider: on the line that was
   tested. O(1) */
TPI_FUNC tp_vector tpi_path_centre(tpi_path *path, const tpi_collider_item *item, float time);

/* ---- one sphere against one shape, in the shape's frame ---- */

/* Keeps the hit if it is the earliest. `distance` is the distance of the centre at that time. */
TPI_FUNC void tpi_cast_hit(tpi_cast *cast, float time, tp_vector normal, float distance);
/* Tests the start of the segment against a convex shape, `distance` away along `normal`. True if
   the cast is decided: the start is too close for a sweep. */
TPI_FUNC bool tpi_cast_start(tpi_cast *cast, float distance, tp_vector normal);

/* First time at which a centre that moves by `move` is `target` from the origin, if it starts
   farther away; 2: never. Computed from the closest approach, whose error is that of the
   coordinates, not of their squares. */
TPI_INLINE float tpi_cast_ball_time(tp_vector start, tp_vector move, float target)
{
    float square = tpi_dot(move, move);
    if (square < 1e-30f) return 2.0f;
    float nearest = -tpi_dot(start, move) / square;
    tp_vector at = tpi_add_scaled(start, move, nearest);
    float rest = target * target - tpi_dot(at, at);
    if (rest < 0.0f || nearest < 0.0f) return 2.0f;
    return tpi_max(nearest - tpi_sqrt(rest / square), 0.0f);
}
TPI_FUNC void tpi_cast_plane(tpi_cast *cast);
/* A box of half sides `half` rounded (offset) by `radius`; a sphere or capsule is a degenerate
   box. */
TPI_FUNC void tpi_cast_box(tpi_cast *cast, tp_vector half, float radius);
/* A box seen from inside. */
TPI_FUNC void tpi_cast_hollow_box(tpi_cast *cast, tp_vector half);

typedef struct tpi_triangle {
    tp_vector a, b, c;
    bool is_one_sided; /* the back side is not solid */
    bool is_ground;    /* a sphere that overlaps it is pushed out even if it moves away */
} tpi_triangle;
TPI_FUNC void tpi_cast_triangle(tpi_cast *cast, const tpi_triangle *triangle);
/* The point of the triangle closest to `point`. O(1) */
TPI_FUNC tp_vector tpi_triangle_closest(const tpi_triangle *triangle, tp_vector point);

/* An edge of a mesh in 2D. Its normal points to the right of its direction, out of the solid. The
   ghost vertices are the other ends of the neighbouring edges: without a neighbour `before` is a,
   and `after` is b. */
typedef struct tpi_edge {
    tp_vector a, b;
    tp_vector before, after;
    bool is_one_sided; /* the back side is not solid */
} tpi_edge;
TPI_FUNC void tpi_cast_edge(tpi_cast *cast, const tpi_edge *edge);
/* The normal of an edge times its length. O(1) */
TPI_INLINE tp_vector tpi_edge_area(tp_vector a, tp_vector b)
{
    return tpi_vector(b.y - a.y, a.x - b.x, 0.0f);
}

/* Walks over the parts of a shape; *done after the last one. They return the units used. */
TPI_FUNC uint32_t tpi_cast_mesh(const tp_world *world, const tpi_collider_item *item,
                                tpi_cast *cast, uint32_t units, bool *done);
TPI_FUNC uint32_t tpi_cast_heightfield(const tp_world *world, const tpi_collider_item *item,
                                       tpi_cast *cast, uint32_t units, bool *done);
TPI_FUNC uint32_t tpi_cast_grid(const tp_world *world, const tpi_collider_item *item,
                                tpi_cast *cast, uint32_t units, bool *done);

/* A shape without parts; false if it has parts. */
TPI_FUNC bool tpi_cast_shape(const tpi_collider_item *item, tpi_cast *cast);
/* Walks over the parts of any shape that has them. */
TPI_FUNC uint32_t tpi_cast_parts(const tp_world *world, const tpi_collider_item *item,
                                 tpi_cast *cast, uint32_t units, bool *done);

/* Bounding box of a sphere of radius `wide` that moves from a to b. */
TPI_INLINE void tpi_sweep_bounds(tp_vector a, tp_vector b, float wide, tp_vector *low,
                                 tp_vector *high)
{
    *low = tpi_vector(tpi_min(a.x, b.x) - wide, tpi_min(a.y, b.y) - wide, tpi_min(a.z, b.z) - wide);
    *high =
        tpi_vector(tpi_max(a.x, b.x) + wide, tpi_max(a.y, b.y) + wide, tpi_max(a.z, b.z) + wide);
}

/* True for planes and hollow boxes: no sphere contains them. */
TPI_INLINE bool tpi_collider_is_endless(const tp_collider_def *def)
{
    return def->shape == TP_COLLIDER_PLANE || (def->shape == TP_COLLIDER_BOX && def->is_hollow);
}
/* m: radius of a sphere around the position of a collider that contains it. */
TPI_INLINE float tpi_bounds_reach(const tpi_collider_item *item)
{
    const tp_collider_shape shape = item->def.shape;
    tp_vector low = item->bounds_low, high = item->bounds_high;
    if (shape == TP_COLLIDER_SPHERE || shape == TP_COLLIDER_CAPSULE) return high.y;
    return tpi_length(
        tpi_vector(tpi_max(-low.x, high.x), tpi_max(-low.y, high.y), tpi_max(-low.z, high.z)));
}

/* True if a bounding box is apart from a collider during the whole frame. */
TPI_INLINE bool tpi_collider_misses(const tpi_collider_item *item, tp_vector low, tp_vector high)
{
    return low.x > item->swept_high.x || high.x < item->swept_low.x || low.y > item->swept_high.y ||
           high.y < item->swept_low.y || low.z > item->swept_high.z || high.z < item->swept_low.z;
}

/* ---- distances of a point ---- */

/* The pose at the last complete step. O(1) */
TPI_FUNC tp_pose tpi_collider_now(const tp_world *world, const tpi_collider_item *item);
/* Signed distance from a box of half sides `half` rounded by `radius`. O(1) */
TPI_FUNC float tpi_box_distance(tp_vector point, tp_vector half, float radius, tp_vector *normal);
/* The interpolated distance of a grid, along its gradient; FLT_MAX where that is 0. O(1) */
TPI_FUNC void tpi_grid_distance(const tp_world *world, const tpi_collider_item *item,
                                tp_vector point, tpi_wall *wall);
/* Distance from the plane of the triangle above or below the point; FLT_MAX beside the field.
   O(1) */
TPI_FUNC void tpi_heightfield_distance(const tp_world *world, const tpi_collider_item *item,
                                       tp_vector point, tpi_wall *wall);

/* ---- the planes that stand for a surface of triangles near a point, see facet.c ---- */

typedef struct tpi_facet {
    tp_vector foot; /* the nearest point of a triangle */
    tp_vector out;  /* from there to the point, unit length; behind a face: its normal */
    float distance; /* m: of the plane, negative behind the face */
    float novelty;  /* 0..1: change of that distance with the distance from the foot */
} tpi_facet;

/* A search has a pass over the surface per plane. */
typedef struct tpi_facets {
    tp_vector point; /* in the frame of the collider */
    float within;    /* m: support radius */
    float reach;     /* m: of the best plane of this pass */
    float height;    /* m: of the point above that triangle's plane, without sign */
    tpi_facet best;
    tpi_facet found[TPI_WALL_PLANES];
    uint32_t count, visits, visits_max;
    uint32_t shares;  /* triangles that share the nearest point */
    float deep;       /* m: distance of the nearest one too far behind to be found */
    bool has_borders; /* the surface may be open; `shares` and `deep` tell */
    bool is_in_front; /* no face counts from behind */
    /* faces are turned to the side of the point, or to that of `from` if they are between both */
    bool is_two_sided;
    tp_vector from;
} tpi_facets;

/* After point, within and visits_max are set. O(1) */
TPI_FUNC void tpi_facets_begin(tpi_facets *facets);
/* Squared distance of the point from a box. O(1) */
TPI_FUNC float tpi_facets_square(const tpi_facets *facets, tp_vector low, tp_vector high);
/* Counts a visit. True if no triangle in a box can be better than the best one. O(1) */
TPI_FUNC bool tpi_facets_skip(tpi_facets *facets, tp_vector low, tp_vector high);
/* Counts a visit, and keeps the triangle if it is the best one so far. O(1) */
TPI_FUNC void tpi_facets_offer(tpi_facets *facets, const tpi_triangle *triangle);
/* The same for an edge in 2D; a chain may begin or end there. O(1) */
TPI_FUNC void tpi_facets_offer_edge(tpi_facets *facets, tp_vector a, tp_vector b, bool is_begin,
                                    bool is_end);
/* Ends a pass; true if there is another one. O(1) */
TPI_FUNC bool tpi_facets_next(tpi_facets *facets);
/* Finds the planes: at most visits_max visits. */
TPI_FUNC void tpi_mesh_facets(const tp_world *world, const tpi_collider_item *item,
                              tpi_facets *facets);
/* The edge of a mesh that is nearest to a line between its ends; in 2D the vertex. */
typedef struct tpi_crossing {
    tp_vector a, b; /* the line, in the frame of the collider */
    float within;   /* m */
    uint32_t visits, visits_max;
    bool is_found;
    float share;           /* of the line, 0..1: there its point is nearest */
    tp_vector point, foot; /* the points of the line and of the mesh */
    tp_vector along;       /* of the edge of the mesh; 2D: 0 */
} tpi_crossing;
/* After a, b, within and visits_max are set: at most visits_max visits, of nodes and edges. */
TPI_FUNC void tpi_mesh_crossing(const tp_world *world, const tpi_collider_item *item,
                                tpi_crossing *crossing);
TPI_FUNC void tpi_heightfield_facets(const tp_world *world, const tpi_collider_item *item,
                                     tpi_facets *facets);

/* ---- geometry, when a collider is added ---- */

/* Corners of a part of a mesh: a triangle, in 2D an edge. O(1) */
TPI_INLINE uint32_t tpi_mesh_corners(const tp_world *world)
{
    return TPI_HAS_EDGES && tpi_dimensions(world) == 2 ? 2u : 3u;
}
/* Bytes of a mesh of triangles (3 corners) or edges (2) in the geometry pool. O(1) */
TPI_FUNC uint64_t tpi_mesh_bytes(uint32_t corners, uint32_t vertex_count, uint32_t part_count);
/* The layout of a mesh whose bytes begin at `offset`. O(1) */
TPI_FUNC tpi_mesh tpi_mesh_at(const tp_world *world, const tp_collider_def *def, uint32_t offset);
/* Copies the mesh into the geometry pool at `item->mesh` and orders its parts for the
   tree. O(n log^2 n) */
TPI_FUNC void tpi_mesh_store(const tp_world *world, tpi_collider_item *item,
                             const tp_collider_def *definition);
/* Computes the bounds of a mesh, the ghost vertices of its edges, and the bounding-volume tree over
   its sorted parts. O(n log n) */
TPI_FUNC void tpi_mesh_derive(const tp_world *world, tpi_collider_item *item);
/* Where the bytes of a mesh end in the geometry pool. O(1) */
TPI_FUNC uint32_t tpi_mesh_end(const tpi_collider_item *item);
/* Bytes of the geometry pool for a definition; UINT64_MAX if its counts exceed their limits.
   O(1) */
TPI_FUNC uint64_t tpi_collider_geometry_bytes(uint32_t corners, const tp_collider_def *def,
                                              uint32_t room_entries);
/* The first fault of a collider in an untrusted block, or null. Its range of the geometry pool was
   checked before. O(geometry) */
TPI_FUNC const char *tpi_collider_audit(const tp_world *world, uint32_t slot);
/* Changes the settings of a collider between two frames, to a definition that was checked. O(1) */
TPI_FUNC void tpi_collider_change(tp_world *world, uint32_t slot, const tp_collider_def *def);
/* The first fault of settings that wait in an untrusted block, or null. O(geometry) */
TPI_FUNC const char *tpi_collider_audit_change(const tp_world *world, uint32_t slot,
                                               const tp_collider_def *def);
/* Recomputes the values derived from definition, geometry and poses. O(geometry) */
TPI_FUNC void tpi_collider_derive(tp_world *world, uint32_t slot);
/* Largest gradient of the interpolated distance grid, at least 1. O(samples) */
TPI_FUNC float tpi_grid_lipschitz(const float *samples, const tp_collider_def *definition);

#endif
