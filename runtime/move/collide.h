/* SPDX-License-Identifier: MIT
   runtime/move/collide.h - colliders: swept spheres against shapes, and what a contact does.
   reads   a segment, the colliders      writes  where the sphere gets to, its velocity, the step's counters
   memory  the path's record in the block; geometry in its pool      cost    see tpi_path_advance
   after   runtime/guide/physics.md, colliders; distances below are those of the sphere's centre from a surface

     clearance  radius + skin        where a contact that rests or a push leaves the centre
     contact    radius + skin / 2    where a sweep stops: nothing that keeps `clearance` hits again by rounding
     inside     radius - skin / 4    nearer at the start: the sphere began inside and is pushed out

   The skin covers the rounding of everything above it: 1/1000 of the radius, but at least 20 um and 2^-19 of the
   largest coordinate. It is never moved through, so a surface without thickness keeps its sides. */
#ifndef TPI_COLLIDE_H
#define TPI_COLLIDE_H
#include "../world/block.h"

#define TPI_SKIN_LEAST 2e-5f         /* m */
#define TPI_SKIN_SHARE 1.9073486e-6f /* 2^-19 */

/* ---- for the step (collide.c, collider.c) ---- */

/* A frame begins: what tp_collider_move asked for happens during it. O(colliders) */
TPI_FUNC void tpi_colliders_begin_frame(tp_world *world);
/* Sets a path out. Its step_begin, step_end, timestep, whole_begin and
   whole_timestep are set before. `velocity` is the integrator's, after the
   whole step. O(1) */
TPI_FUNC void tpi_path_begin(const tp_world *world, tpi_path *path, tp_vector from, tp_vector to,
                             tp_vector velocity, float radius, uint32_t species);
/* Goes on for at most `units` (>= 1) and returns those used; any cut into slices gives the same
   bits. A unit is one collider, triangle, tree node, height cell or trace step looked at, or one
   field once a fast bounce needs gravity. At most 17 searches: one, and a jump and a search
   after each of at most 8 contacts. A search costs the colliders and what is in the segment's
   way: 24 trace steps a grid, the cells beside a heightfield's segment, nodes of a mesh. */
TPI_FUNC uint32_t tpi_path_advance(tp_world *world, tpi_path *path, uint32_t units, bool *done);

/* ---- one sphere against one shape, in the shape's frame ---- */

/* Keeps the hit if it is the earliest. `distance` is the centre's there. */
TPI_FUNC void tpi_cast_hit(tpi_cast *cast, float time, tp_vector normal, float distance);
/* For anything convex: the start at `distance` along `normal`. True when that settles the
   matter: too near to sweep. */
TPI_FUNC bool tpi_cast_start(tpi_cast *cast, float distance, tp_vector normal);

/* First time at which a centre that moves by `move` is `reach` from the origin, where it starts
   beyond; 2: never. By the nearest approach, whose error is that of the coordinates, not of
   their squares. */
TPI_INLINE float tpi_cast_ball_time(tp_vector start, tp_vector move, float reach)
{
    float square = tpi_dot(move, move);
    if (square < 1e-30f) return 2.0f;
    float nearest = -tpi_dot(start, move) / square;
    tp_vector at = tpi_add_scaled(start, move, nearest);
    float rest = reach * reach - tpi_dot(at, at);
    if (rest < 0.0f || nearest < 0.0f) return 2.0f;
    return tpi_max(nearest - tpi_sqrt(rest / square), 0.0f);
}
TPI_FUNC void tpi_cast_plane(tpi_cast *cast);
/* The box of half sides `half` blown up by `radius`: sphere and capsule are such boxes too. */
TPI_FUNC void tpi_cast_box(tpi_cast *cast, tp_vector half, float radius);
/* From within. */
TPI_FUNC void tpi_cast_hollow_box(tpi_cast *cast, tp_vector half);

typedef struct tpi_triangle {
    tp_vector a, b, c;
    bool is_one_sided; /* behind it is nothing */
    bool is_ground;    /* what overlaps it is pushed out even on its way out */
} tpi_triangle;
TPI_FUNC void tpi_cast_triangle(tpi_cast *cast, const tpi_triangle *triangle);

/* Walks over the parts of a shape: `done` when the last one has been looked at. They return the
   units used. */
TPI_FUNC uint32_t tpi_cast_mesh(const tp_world *world, const tpi_collider_item *item,
                                tpi_cast *cast, uint32_t units, bool *done);
TPI_FUNC uint32_t tpi_cast_heightfield(const tp_world *world, const tpi_collider_item *item,
                                       tpi_cast *cast, uint32_t units, bool *done);
TPI_FUNC uint32_t tpi_cast_grid(const tp_world *world, const tpi_collider_item *item,
                                tpi_cast *cast, uint32_t units, bool *done);

/* ---- geometry, when a collider is added ---- */

/* Bytes in the geometry pool. */
TPI_FUNC uint64_t tpi_mesh_bytes(uint32_t vertex_count, uint32_t triangle_count);
/* The mesh of a definition whose bytes begin at `offset`. O(1) */
TPI_FUNC tpi_mesh tpi_mesh_at(const tp_collider_def *def, uint32_t offset);
/* Copies the mesh to the pool at `item->mesh` and sorts its triangles. O(n log n) */
TPI_FUNC void tpi_mesh_store(const tp_world *world, tpi_collider_item *item,
                             const tp_collider_def *definition);
/* Its bounds, and the tree over its sorted triangles. O(n log n) */
TPI_FUNC void tpi_mesh_derive(const tp_world *world, tpi_collider_item *item);
/* Bytes of the geometry pool for a definition; the largest number where there is no such mesh or
   field. O(1) */
TPI_FUNC uint64_t tpi_collider_geometry_bytes(const tp_collider_def *def);
/* What of a foreign item could not be, or null; its range of the geometry pool is checked
   before. O(geometry) */
TPI_FUNC const char *tpi_collider_audit(const tp_world *world, uint32_t slot);
/* Computes anew what follows from its definition, geometry and poses. O(geometry) */
TPI_FUNC void tpi_collider_derive(tp_world *world, uint32_t slot);
/* Largest gradient that the interpolant of a distance grid can have, at least 1. O(samples) */
TPI_FUNC float tpi_grid_lipschitz(const float *samples, const tp_collider_def *definition);

#endif
