/* SPDX-License-Identifier: MIT
   runtime/move/body_meet.c - contacts of a body with a collider or another body: corners and edges
           of one against the surface of the other.
   reads   poses at the begin of the step, next momenta      writes  the contacts of bodies
   memory  about 900 bytes of stack
   cost    O(1): at most 8 corners or 4 edges per side, and their mean; of a mesh one or two
           searches of its tree
   after   own design. A corner may come as near in a step as it is away (speculative contacts). An
           edge of the body has a contact between its ends where it is nearest to a surface: where
           the slope of the distance changes its sign, or where a mesh has an edge across. A mesh
           has a side per corner: it meets the planes near it (facet.c). Before them, the points of
           the mesh nearest to the body's middle meet the body's surface */
#include "body.h"

#define MEET_CORNER_UNITS 4u    /* a corner at a side, and again if it gets an impulse */
#define MEET_VISITS       128u  /* of the tree of a mesh, per corner */
#define MEET_EDGE_VISITS  96u   /* of it, per edge */
#define MEET_RIDGE_VISITS 36u   /* of it, per crossing of edges */
#define MEET_PIECES       6u    /* of an edge at a surface that is not convex */
#define MEET_SEARCH       5u    /* looks for the nearest point of an edge */
#define MEET_FLAT         1e-4f /* slope: the edge is parallel to the surface */
#define MEET_BESIDE       1e-2f /* share of the reach beside a face that belongs to it; a cosine */
#define MEET_ABOVE        2e-2f /* share of the reach above a crossing where faces are looked for */
#define MEET_DEEP         4.1f  /* times that: faces below the point count, see facet.c */
#define MEET_PUSH         0.2f  /* share of a depth that a step removes */
#define MEET_SLOP         2e-3f /* depth over the body's reach that is left */

/* Points of one shape near the surface of the other. */
typedef struct meet_points {
    tp_vector points[TPI_BODY_CORNERS]; /* in the frame of their shape */
    uint32_t count;
    float radius;
    /* `is_back`: the points are the other's, and the surface is the body's */
    bool is_back;
    uint32_t face; /* of the surface: of a hollow box, or of a solid one the side that they are
                      nearest to */
} meet_points;

/* ---- distances of a point in the frame of a shape ---- */

/* A solid box for points beyond side `face` of it, or beside that by no more than `beside`: the
   plane of the side. All points of a shape share it: the side nearest to each one would be another
   where edges lie upon each other. */
static void meet_box(tp_vector point, tp_vector half, uint32_t face, float beside, tpi_wall *wall)
{
    const float out[3] = {tpi_abs(point.x) - half.x, tpi_abs(point.y) - half.y,
                          tpi_abs(point.z) - half.z};
    bool is_before = true;
    for (uint32_t axis = 0; axis < 3; axis++)
        is_before = is_before && (axis == face >> 1 || out[axis] <= beside);
    if (!is_before) {
        wall->distance = tpi_box_distance(point, half, 0.0f, &wall->normal);
        return;
    }
    tpi_wall_hollow(point, half, face, wall);
    wall->distance = -wall->distance;
    wall->normal = tpi_scale(wall->normal, -1.0f);
}

/* False: the shape has no surface for bodies. */
static bool meet_distance(const tp_world *world, const tpi_collider_item *item, uint32_t face,
                          tp_vector point, tpi_wall *wall)
{
    const tp_collider_def *def = &item->def;
    switch (def->shape) {
    case TP_COLLIDER_PLANE:
        wall->normal = tpi_vector(0.0f, 1.0f, 0.0f);
        wall->distance = point.y;
        return true;
    case TP_COLLIDER_SPHERE:
    case TP_COLLIDER_CAPSULE: {
        float half = def->shape == TP_COLLIDER_CAPSULE ? def->half.y : 0.0f;
        wall->distance =
            tpi_box_distance(point, tpi_vector(0.0f, half, 0.0f), def->radius, &wall->normal);
        return true;
    }
    case TP_COLLIDER_BOX:
        if (def->is_hollow)
            tpi_wall_hollow(point, def->half, face, wall);
        else
            wall->distance = tpi_box_distance(point, def->half, 0.0f, &wall->normal);
        return true;
    case TP_COLLIDER_HEIGHTFIELD: tpi_heightfield_distance(world, item, point, wall); return true;
    case TP_COLLIDER_GRID: tpi_grid_distance(world, item, point, wall); return true;
    default: return false;
    }
}

uint32_t tpi_body_corners(const tp_world *world, const tpi_collider_item *item,
                          tp_vector corners[TPI_BODY_CORNERS], float *radius)
{
    const tp_collider_def *def = &item->def;
    const tp_vector low = item->bounds_low, high = item->bounds_high;
    const bool is_ball = def->shape == TP_COLLIDER_SPHERE;
    *radius = 0.0f;
    if (is_ball || def->shape == TP_COLLIDER_CAPSULE) {
        *radius = def->radius;
        corners[0] = tpi_vector(0.0f, is_ball ? 0.0f : def->half.y, 0.0f);
        corners[1] = tpi_scale(corners[0], -1.0f);
        return is_ball ? 1u : 2u;
    }
    uint32_t count = tpi_dimensions(world) == 2 ? 4u : 8u;
    for (uint32_t k = 0; k < count; k++)
        corners[k] =
            tpi_vector(k & 1u ? high.x : low.x, k & 2u ? high.y : low.y, k & 4u ? high.z : low.z);
    return count;
}

/* ---- sides ---- */

static bool meet_is_convex(const tpi_collider_item *item)
{
    tp_collider_shape shape = item->def.shape;
    return !item->def.is_hollow && (shape == TP_COLLIDER_SPHERE || shape == TP_COLLIDER_CAPSULE ||
                                    shape == TP_COLLIDER_BOX);
}

static bool meet_is_solid_box(const tpi_collider_item *item)
{
    return item->def.shape == TP_COLLIDER_BOX && !item->def.is_hollow;
}

/* The shape whose surface the points meet, and its pose. */
static const tpi_collider_item *meet_surface(const tpi_body_pair *pair, bool is_back, tp_pose *pose)
{
    *pose = is_back ? pair->pose : pair->begin;
    return is_back ? pair->shape : pair->other;
}

/* The side of a solid box that is farthest from the points, seen along its axes; ties go to the
   first one. */
static uint32_t meet_face(const tpi_body_pair *pair, const meet_points *from)
{
    float low[3] = {FLT_MAX, FLT_MAX, FLT_MAX}, high[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX},
          most = -FLT_MAX;
    uint32_t best = 0;
    tp_pose pose;
    const tpi_collider_item *surface = meet_surface(pair, from->is_back, &pose);
    for (uint32_t k = 0; k < from->count; k++) {
        tp_vector at = tpi_to_world(from->is_back ? pair->begin : pair->pose, from->points[k]);
        at = tpi_to_local(pose, at);
        const float p[3] = {at.x, at.y, at.z};
        for (uint32_t axis = 0; axis < 3; axis++) {
            low[axis] = tpi_min(low[axis], p[axis]);
            high[axis] = tpi_max(high[axis], p[axis]);
        }
    }
    const float half[3] = {surface->def.half.x, surface->def.half.y, surface->def.half.z};
    for (uint32_t face = 0; face < 2u * tpi_dimensions(pair->world); face++) {
        uint32_t axis = face >> 1;
        float gap = (face & 1u ? low[axis] : -high[axis]) - half[axis];
        if (!(gap > most)) continue;
        most = gap;
        best = face;
    }
    return best;
}

static meet_points meet_points_of(const tpi_body_pair *pair, uint32_t face, bool is_back)
{
    meet_points from = {.is_back = is_back, .face = face};
    tp_pose pose;
    from.count = tpi_body_corners(pair->world, is_back ? pair->other : pair->shape, from.points,
                                  &from.radius);
    if (meet_is_solid_box(meet_surface(pair, is_back, &pose))) from.face = meet_face(pair, &from);
    return from;
}

/* The contact of a point with the surface. False: none. */
static bool meet_contact_of(const tpi_body_pair *pair, const meet_points *from, uint32_t k,
                            tpi_body_contact *contact)
{
    tpi_wall wall = {{0.0f, 1.0f, 0.0f}, FLT_MAX, 0.0f};
    tp_pose pose;
    const tpi_collider_item *surface = meet_surface(pair, from->is_back, &pose);
    tp_vector at = tpi_to_world(from->is_back ? pair->begin : pair->pose, from->points[k]),
              place = tpi_to_local(pose, at);
    if (meet_is_solid_box(surface))
        meet_box(place, surface->def.half, from->face, MEET_BESIDE * pair->a->reach, &wall);
    else if (!meet_distance(pair->world, surface, from->face, place, &wall))
        return false;
    if (!(wall.distance < 1e9f)) return false;
    tp_vector normal = tpi_flat(pair->world, tpi_rotate(pose.rotation, wall.normal));
    contact->gap = wall.distance - from->radius - pair->between;
    contact->point = tpi_add_scaled(at, normal, -from->radius);
    contact->normal = from->is_back ? tpi_scale(normal, -1.0f) : normal;
    return true;
}

/* The contacts of all corners of one shape with a side of the other. Returns their number. */
static uint32_t meet_corners(const tpi_body_pair *pair, uint32_t face, bool is_back,
                             tpi_body_contact contacts[TPI_BODY_CORNERS], uint32_t *units)
{
    const meet_points from = meet_points_of(pair, face, is_back);
    uint32_t count = 0;
    for (uint32_t k = 0; k < from.count; k++) {
        contacts[count].feature = from.face << 4 | k;
        if (meet_contact_of(pair, &from, k, &contacts[count])) count++;
    }
    *units += from.count * MEET_CORNER_UNITS;
    return count;
}

/* m: as far as the body's surface comes in this step, and a margin. */
static float meet_margin(const tpi_body_pair *pair)
{
    float speed = tpi_length(pair->motion_a.velocity) +
                  tpi_length(pair->motion_a.angular_velocity) * pair->a->reach;
    if (pair->b)
        speed = speed + tpi_length(pair->motion_b.velocity) +
                tpi_length(pair->motion_b.angular_velocity) * pair->b->reach;
    return pair->a->reach * 1.01f + speed * pair->timestep + pair->between;
}

/* A plane or the side of a hollow box may be near; other shapes are near if their bounds are. */
static bool meet_is_near(const tpi_body_pair *pair, uint32_t face, float margin)
{
    const tpi_collider_item *other = pair->other;
    tp_vector center = pair->motion_a.center, wide = {margin, margin, margin};
    tpi_wall wall;
    if (pair->b) {
        tp_vector apart = tpi_sub(center, pair->motion_b.center);
        float most = margin + pair->b->reach;
        return tpi_dot(apart, apart) < most * most;
    }
    if (other->def.shape != TP_COLLIDER_PLANE && !other->def.is_hollow)
        return !tpi_collider_misses(other, tpi_sub(center, wide), tpi_add(center, wide));
    (void)meet_distance(pair->world, other, face, tpi_to_local(pair->begin, center), &wall);
    float away = wall.distance;
    (void)meet_distance(pair->world, other, face, tpi_to_local(pair->end, center), &wall);
    return tpi_min(away, wall.distance) < margin;
}

/* ---- edges ---- */

/* Directions of the edges of a shape, and edges of each: of a box as many as half its corners. */
static uint32_t meet_directions(const tp_world *world, const tpi_collider_item *shape)
{
    if (shape->def.shape == TP_COLLIDER_SPHERE) return 0;
    return shape->def.shape == TP_COLLIDER_CAPSULE ? 1u : tpi_dimensions(world);
}

/* The first corner of edge `k` of a direction: the corners differ in that bit. */
static uint32_t meet_edge_corner(uint32_t direction, uint32_t k)
{
    uint32_t low = k & ((1u << direction) - 1u);
    return low | (k - low) << 1;
}

/* A line in world coordinates. */
typedef struct meet_line {
    tp_vector begin, along; /* m; unit vector */
    float length, radius;
} meet_line;

/* Where a line is above a surface. */
typedef struct meet_look {
    float at, distance, slope; /* m along the line; m; change of the distance with it */
    tp_vector normal;
} meet_look;

static meet_line meet_line_of(const tpi_body_pair *pair, uint32_t direction, uint32_t k)
{
    tp_vector corners[TPI_BODY_CORNERS];
    meet_line line;
    (void)tpi_body_corners(pair->world, pair->shape, corners, &line.radius);
    uint32_t corner = meet_edge_corner(direction, k);
    line.begin = tpi_to_world(pair->pose, corners[corner]);
    tp_vector whole =
        tpi_sub(tpi_to_world(pair->pose, corners[corner | 1u << direction]), line.begin);
    line.length = tpi_length(whole);
    line.along = tpi_normalise(whole, tpi_vector(1.0f, 0.0f, 0.0f));
    return line;
}

static bool meet_look_at(const tpi_body_pair *pair, const meet_line *line, float at,
                         meet_look *look)
{
    tpi_wall wall;
    tp_vector place = tpi_to_local(pair->begin, tpi_add_scaled(line->begin, line->along, at));
    look->at = at;
    if (!meet_distance(pair->world, pair->other, 0, place, &wall) || !(wall.distance < 1e9f))
        return false;
    look->distance = wall.distance;
    look->normal = tpi_flat(pair->world, tpi_rotate(pair->begin.rotation, wall.normal));
    look->slope = tpi_dot(look->normal, line->along);
    return true;
}

/* True if the distance has its least value between; there the tangents meet: at *at, and not below
   *least. */
static bool meet_lowest(const meet_look *left, const meet_look *right, float *at, float *least)
{
    if (!(left->slope < -MEET_FLAT) || !(right->slope > MEET_FLAT)) return false;
    float run = (right->distance - left->distance - right->slope * (right->at - left->at)) /
                (left->slope - right->slope);
    run = tpi_clamp(run, 0.0f, right->at - left->at);
    *at = left->at + run;
    *least = left->distance + left->slope * run;
    return true;
}

/* The part of the line with the lowest valley: convex shapes have one at most, others are looked at
   in pieces. */
static bool meet_valley(const tpi_body_pair *pair, const meet_line *line, meet_look *left,
                        meet_look *right, uint32_t *units)
{
    const uint32_t pieces = meet_is_convex(pair->other) ? 1u : MEET_PIECES;
    meet_look from, to;
    float at, least, lowest = FLT_MAX;
    bool has_from = meet_look_at(pair, line, 0.0f, &from);
    for (uint32_t k = 1; k <= pieces; k++) {
        bool has_to = meet_look_at(pair, line, line->length * (float)k / (float)pieces, &to);
        if (has_from && has_to && meet_lowest(&from, &to, &at, &least) && least < lowest) {
            lowest = least;
            *left = from;
            *right = to;
        }
        from = to;
        has_from = has_to;
    }
    *units += pieces + 1u;
    return lowest < FLT_MAX;
}

/* The contact of an edge of the body between its ends: where it is nearest to the surface. Its
   normal is that mean of the normals on both sides which is perpendicular to the edge, so at an
   edge of the surface it is perpendicular to both. False: the ends are nearer. */
static bool meet_edge(const tpi_body_pair *pair, const meet_line *line, tpi_body_contact *contact,
                      uint32_t *units)
{
    /* zeros: where all is inlined, gcc does not see that a valley sets the ends and one look */
    meet_look left = {0.0f, 0.0f, 0.0f, {0.0f, 0.0f, 0.0f}}, right = left, look = left;
    float at = 0.0f, least = 0.0f;
    if (!meet_valley(pair, line, &left, &right, units)) return false;
    for (uint32_t k = 0; k < MEET_SEARCH && meet_lowest(&left, &right, &at, &least); k++) {
        float part = 0.1f * (right.at - left.at);
        *units += 1u;
        if (!meet_look_at(pair, line, tpi_clamp(at, left.at + part, right.at - part), &look))
            return false;
        if (look.slope < 0.0f)
            left = look;
        else
            right = look;
    }
    if (!meet_lowest(&left, &right, &at, &least)) at = look.at, least = look.distance;
    float share = right.slope / tpi_max(right.slope - left.slope, 1e-9f);
    tp_vector normal = tpi_add_scaled(tpi_scale(left.normal, share), right.normal, 1.0f - share);
    float size = tpi_length(normal);
    if (!(size > 0.5f)) return false; /* through a thin solid: no way out */
    contact->normal = tpi_scale(normal, 1.0f / size);
    contact->gap = least / size - line->radius - pair->between;
    contact->point = tpi_add_scaled(tpi_add_scaled(line->begin, line->along, at), contact->normal,
                                    -line->radius);
    return true;
}

/* In 2D corners of a convex shape meet the body's surface. */
static bool meet_has_edges(const tpi_body_pair *pair)
{
    return !tpi_collider_is_endless(&pair->other->def) &&
           (tpi_dimensions(pair->world) == 3 || !meet_is_convex(pair->other));
}

/* The contacts of the edges of a direction. */
static TPI_APART uint32_t meet_edges(const tpi_body_pair *pair, uint32_t direction,
                                     tpi_body_contact contacts[TPI_BODY_CORNERS], uint32_t *units)
{
    tp_vector corners[TPI_BODY_CORNERS];
    float radius;
    uint32_t count = 0, edges = tpi_body_corners(pair->world, pair->shape, corners, &radius) / 2u;
    for (uint32_t k = 0; k < edges; k++) {
        meet_line line = meet_line_of(pair, direction, k);
        contacts[count].feature = k;
        if (meet_edge(pair, &line, &contacts[count], units)) count++;
    }
    return count;
}

/* ---- meshes ---- */

static bool meet_is_mesh(const tpi_collider_item *other)
{
    return other->def.shape == TP_COLLIDER_MESH;
}

/* Begins a search for planes near a point; those without a back are turned to its side, or if they
   are between it and the body's middle to that one's. */
static tpi_facets meet_facets(const tpi_body_pair *pair, tp_vector point, float within,
                              uint32_t visits)
{
    tpi_facets facets;
    facets.point = point;
    facets.within = within;
    facets.visits_max = visits;
    tpi_facets_begin(&facets);
    facets.is_two_sided = pair->other->def.is_two_sided;
    facets.from = tpi_to_local(pair->begin, pair->pose.position);
    return facets;
}

/* The contact of a point of the body, `radius` within its surface, with a plane of the mesh. */
static void meet_plane(const tpi_body_pair *pair, const tpi_facet *plane, tp_vector at,
                       float radius, tpi_body_contact *contact)
{
    contact->normal = tpi_flat(pair->world, tpi_rotate(pair->begin.rotation, plane->out));
    tp_vector point = tpi_to_local(pair->begin, at);
    contact->gap = tpi_dot(tpi_sub(point, plane->foot), plane->out) - radius - pair->between;
    contact->point = tpi_add_scaled(at, contact->normal, -radius);
}

/* The contact of a point of the mesh with the body's surface. */
static bool meet_foot(const tpi_body_pair *pair, const tpi_facet *plane, tpi_body_contact *contact)
{
    tpi_wall wall;
    contact->point = tpi_to_world(pair->begin, plane->foot);
    if (!(plane->distance > 0.0f) ||
        !meet_distance(pair->world, pair->shape, 0, tpi_to_local(pair->pose, contact->point),
                       &wall) ||
        !(wall.distance < 1e9f))
        return false;
    contact->normal =
        tpi_flat(pair->world, tpi_rotate(pair->pose.rotation, tpi_scale(wall.normal, -1.0f)));
    contact->gap = wall.distance - pair->between;
    return true;
}

static bool meet_is_fast(const tpi_body_pair *pair)
{
    return meet_margin(pair) - pair->between > 1.26f * pair->a->reach;
}

/* Share of a fast body's way at which a round looks for planes: those where it begins may be others
   than the one that it meets. 0 if the body has moved. */
static float meet_share(const tpi_body_pair *pair)
{
    static const float shares[TPI_BODY_ROUNDS] = {0.0f, 1.0f, 0.5f, 0.25f, 0.75f};
    uint32_t round = pair->world->step.cursor.end;
    return round < TPI_BODY_ROUNDS && meet_is_fast(pair) ? shares[round] : 0.0f;
}

/* Points of a mesh, or of the body, that meet planes: side 0 is the body's middle, then come its
   corners. Returns the number of contacts. */
static TPI_APART uint32_t meet_mesh_planes(const tpi_body_pair *pair, uint32_t side,
                                           tpi_body_contact contacts[TPI_WALL_PLANES],
                                           uint32_t *units)
{
    tp_vector corners[TPI_BODY_CORNERS], at = pair->pose.position;
    float radius;
    uint32_t count = 0;
    (void)tpi_body_corners(pair->world, pair->shape, corners, &radius);
    if (side > 0) at = tpi_to_world(pair->pose, corners[side - 1u]);
    tp_vector ahead =
        tpi_add_scaled(at, tpi_body_approach(pair, at), pair->timestep * meet_share(pair));
    tpi_facets facets =
        meet_facets(pair, tpi_to_local(pair->begin, ahead), meet_margin(pair), MEET_VISITS);
    tpi_mesh_facets(pair->world, pair->other, &facets);
    for (uint32_t k = 0; k < facets.count; k++) {
        contacts[count].feature = k;
        if (side > 0) meet_plane(pair, &facets.found[k], at, radius, &contacts[count]);
        if (side > 0 || meet_foot(pair, &facets.found[k], &contacts[count])) count++;
    }
    *units += (2u + count) * MEET_CORNER_UNITS + facets.visits;
    return count;
}

/* True if a normal points out of both faces of a box that end at an edge, seen from inside the
   box. */
static bool meet_is_out(const tpi_body_pair *pair, uint32_t direction, uint32_t corner,
                        tp_vector normal)
{
    tp_vector local = tpi_rotate_back(pair->pose.rotation, normal);
    const float n[3] = {local.x, local.y, local.z};
    for (uint32_t axis = 0; axis < tpi_dimensions(pair->world); axis++)
        if (axis != direction && (corner >> axis & 1u ? n[axis] : -n[axis]) > MEET_BESIDE)
            return false;
    return true;
}

/* The normal of a crossing, in the frame of the mesh: perpendicular to both edges, and into the
   body. 0: none. */
static tp_vector meet_across(const tpi_body_pair *pair, const meet_line *line,
                             const tpi_crossing *crossing)
{
    tp_vector along = tpi_rotate_back(pair->begin.rotation, line->along), none = {0.0f, 0.0f, 0.0f},
              middle = tpi_to_local(pair->begin, pair->pose.position),
              inward = tpi_sub(middle, crossing->point), offset = inward;
    if (line->radius > 0.0f) offset = tpi_sub(crossing->point, crossing->foot);
    tp_vector normal = tpi_dimensions(pair->world) == 2
                           ? tpi_vector(-along.y, along.x, 0.0f)
                           : tpi_cross(tpi_normalise(crossing->along, none), along);
    float size = tpi_length(normal);
    if (!(size > 0.1f)) return none;
    return tpi_scale(normal, (tpi_dot(normal, offset) < 0.0f ? -1.0f : 1.0f) / size);
}

/* True if the surface is nowhere nearer to a point above an edge of the mesh than that edge. */
static bool meet_is_ridge(const tpi_body_pair *pair, const tpi_crossing *crossing, tp_vector normal,
                          uint32_t *units)
{
    const float above = MEET_ABOVE * pair->a->reach;
    tpi_facets facets = meet_facets(pair, tpi_add_scaled(crossing->foot, normal, above),
                                    MEET_DEEP * above, MEET_RIDGE_VISITS);
    facets.from = facets.point;
    tpi_mesh_facets(pair->world, pair->other, &facets);
    *units += facets.visits;
    return facets.count > 0 && facets.found[0].distance > 0.9f * above;
}

/* The contact of an edge of the body with an edge of the mesh that it crosses; in 2D with a vertex.
   Returns their number. */
static TPI_APART uint32_t meet_mesh_edge(const tpi_body_pair *pair, uint32_t edge,
                                         tpi_body_contact *contact, uint32_t *units)
{
    tp_vector corners[TPI_BODY_CORNERS];
    tpi_crossing crossing = {.share = 0.0f};
    float radius;
    uint32_t edges = tpi_body_corners(pair->world, pair->shape, corners, &radius) / 2u,
             direction = edge / edges, k = edge % edges;
    meet_line line = meet_line_of(pair, direction, k);
    tp_vector end = tpi_add_scaled(line.begin, line.along, line.length),
              ahead =
                  tpi_scale(tpi_body_approach(pair, line.begin), pair->timestep * meet_share(pair));
    crossing.a = tpi_to_local(pair->begin, tpi_add(line.begin, ahead));
    crossing.b = tpi_to_local(pair->begin, tpi_add(end, ahead));
    crossing.within = meet_margin(pair) - pair->a->reach + radius;
    crossing.visits_max = MEET_EDGE_VISITS;
    tpi_mesh_crossing(pair->world, pair->other, &crossing);
    *units += 2u * MEET_CORNER_UNITS + crossing.visits;
    if (!crossing.is_found) return 0;
    tp_vector normal = meet_across(pair, &line, &crossing);
    bool is_box = !(radius > 0.0f);
    contact->normal = tpi_flat(pair->world, tpi_rotate(pair->begin.rotation, normal));
    if (!(tpi_length(normal) > 0.5f) ||
        (is_box &&
         !meet_is_out(pair, direction, meet_edge_corner(direction, k), contact->normal)) ||
        !meet_is_ridge(pair, &crossing, normal, units))
        return 0;
    tp_vector at = tpi_add_scaled(line.begin, line.along, line.length * crossing.share),
              foot = tpi_to_world(pair->begin, crossing.foot);
    contact->gap = tpi_dot(tpi_sub(at, foot), contact->normal) - radius - pair->between;
    contact->point = tpi_add_scaled(at, contact->normal, -radius);
    contact->feature = 0;
    return 1;
}

/* The contacts of a side of a mesh: the middle, corners, then edges. Returns their number. */
static TPI_APART uint32_t meet_mesh(const tpi_body_pair *pair, uint32_t side,
                                    tpi_body_contact contacts[TPI_BODY_CORNERS], uint32_t *units)
{
    tp_vector corners[TPI_BODY_CORNERS];
    float radius;
    uint32_t count = tpi_body_corners(pair->world, pair->shape, corners, &radius);
    if (side <= count) return meet_mesh_planes(pair, side, contacts, units);
    return meet_mesh_edge(pair, side - count - 1u, contacts, units);
}

/* Other bodies' corners meet this one in their own turn. */
static bool meet_has_back(const tpi_body_pair *pair)
{
    return !pair->b && meet_is_convex(pair->other);
}

uint32_t tpi_body_sides(tp_world *world, uint32_t slot, uint32_t collider)
{
    const tpi_collider_item *other = tpi_collider_at(world, collider);
    uint32_t faces = tpi_wall_faces(world, other);
    if (tpi_body_is_endless(world, collider)) return faces;
    tpi_body_pair pair = tpi_body_pair_of(world, slot, collider);
    tp_vector corners[TPI_BODY_CORNERS];
    float radius;
    if (!meet_is_near(&pair, 0, meet_margin(&pair))) return faces;
    if (!meet_has_edges(&pair)) return faces + 1u;
    uint32_t count = tpi_body_corners(world, pair.shape, corners, &radius),
             directions = meet_directions(world, pair.shape);
    return meet_is_mesh(other) ? 1u + count + directions * (count / 2u) : faces + 1u + directions;
}

/* The contacts of a side: of the body's corners, then the other's, then the body's edges. Returns
   their number. */
static uint32_t meet_contacts(const tpi_body_pair *pair, uint32_t side,
                              tpi_body_contact contacts[TPI_BODY_CORNERS], uint32_t *units)
{
    uint32_t faces = tpi_wall_faces(pair->world, pair->other);
    if (meet_is_mesh(pair->other)) return meet_mesh(pair, side, contacts, units);
    if (side > faces) return meet_edges(pair, side - faces - 1u, contacts, units);
    if (side == faces && !meet_has_back(pair)) return 0;
    if (side == faces) return meet_corners(pair, 0, true, contacts, units);
    return meet_corners(pair, side, false, contacts, units);
}

void tpi_body_gather(tp_world *world, uint32_t slot, uint32_t collider, uint32_t side,
                     uint32_t *units)
{
    tpi_body_pair pair = tpi_body_pair_of(world, slot, collider);
    tpi_body_contact contacts[TPI_BODY_CORNERS];
    float margin = meet_margin(&pair);
    if (!meet_is_near(&pair, side, margin)) return;
    uint32_t count = meet_contacts(&pair, side, contacts, units);
    for (uint32_t k = 0; k < count; k++) {
        contacts[k].collider = collider;
        contacts[k].feature |= side << 8;
        tpi_body_keep_contact(&pair, &contacts[k]);
    }
    *units += count;
}

/* The deepest of some contacts and one. */
static void meet_deepest(const tpi_body_contact *contacts, uint32_t count,
                         tpi_body_contact *deepest)
{
    for (uint32_t k = 0; k < count; k++)
        if (contacts[k].gap < deepest->gap) *deepest = contacts[k];
}

void tpi_body_keep(tp_world *world, uint32_t slot, uint32_t collider, uint32_t side, tp_pose *pose,
                   uint32_t *units)
{
    tpi_body_pair pair = tpi_body_pair_of(world, slot, collider);
    tpi_body_contact deepest = {.gap = 0.0f}, contacts[TPI_BODY_CORNERS];
    float margin = meet_margin(&pair), share = 1.0f;
    pair.begin = pair.end;
    if (!meet_is_near(&pair, side, margin)) return;
    pair.pose = *pose;
    meet_deepest(contacts, meet_contacts(&pair, side, contacts, units), &deepest);
    if (pair.b)
        share =
            pair.motion_a.inverse_mass / (pair.motion_a.inverse_mass + pair.motion_b.inverse_mass);
    float depth = -deepest.gap, out = (depth - MEET_SLOP * pair.a->reach) * MEET_PUSH * share;
    if (tpi_body_is_endless(world, collider)) out = tpi_max(out, depth - pair.between);
    if (out > 0.0f) pose->position = tpi_add_scaled(pose->position, deepest.normal, out);
}

#undef MEET_CORNER_UNITS
#undef MEET_VISITS
#undef MEET_EDGE_VISITS
#undef MEET_RIDGE_VISITS
#undef MEET_PUSH
#undef MEET_SLOP
#undef MEET_BESIDE
#undef MEET_FLAT
#undef MEET_PIECES
#undef MEET_SEARCH
#undef MEET_ABOVE
#undef MEET_DEEP
