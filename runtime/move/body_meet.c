/* SPDX-License-Identifier: MIT
   runtime/move/body_meet.c - contacts of a body with a collider or another body: corners of one
           against the surface of the other.
   reads   poses at the begin of the step, next momenta      writes  next momenta
   memory  about 700 bytes of stack
   cost    O(1): at most 8 corners per side, and their mean; of a mesh one search of its tree
   after   sequential impulses (Catto 2005) with speculative margins: a corner may come as near in
           a step as it is away. Deviation: no impulses are kept; each side first gets one at the
           mean of its corners, so that a box lands flat. A mesh has a side per corner: the corner
           meets the planes near it (facet.c). Before them, the points of the mesh nearest to the
           body's middle meet the body's surface, so that a box lands flat there, too */
#include "body.h"

#define MEET_CORNER_UNITS 4u    /* a corner at a side, and again if it gets an impulse */
#define MEET_VISITS       128u  /* of the tree of a mesh, per corner */
#define MEET_PUSH         0.2f  /* share of a depth that a step removes */
#define MEET_SLOP         2e-3f /* depth over the body's reach that is left */

/* A body and what it meets. Motions are those of the next momenta. */
typedef struct meet_pair {
    tp_world *world;
    tpi_body_item *a, *b; /* b null: a collider that no body moves */
    const tpi_collider_item *shape, *other;
    tp_pose pose;       /* of the body */
    tp_pose begin, end; /* of the other */
    tpi_body_motion motion_a, motion_b;
    float friction, restitution, rest_speed, timestep;
    float between; /* m: the distance that is kept */
    bool has_met;
} meet_pair;

/* A corner near a surface: its normal points to body a. */
typedef struct meet_contact {
    tp_vector point, normal;
    float gap;
} meet_contact;

/* ---- distances of a point in the frame of a shape ---- */

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

/* ---- velocities and impulses ---- */

/* m/s: of what is at the point: the body, or the collider in this step. */
static tp_vector meet_speed(const meet_pair *pair, const tpi_body_motion *motion, tp_vector point)
{
    if (motion)
        return tpi_add(motion->velocity,
                       tpi_cross(motion->angular_velocity, tpi_sub(point, motion->center)));
    if (!pair->other->is_moving) return tpi_vector(0.0f, 0.0f, 0.0f);
    tp_vector there = tpi_to_world(pair->end, tpi_to_local(pair->begin, point));
    return tpi_scale(tpi_sub(there, point), 1.0f / pair->timestep);
}

static tp_vector meet_approach(const meet_pair *pair, tp_vector point)
{
    return tpi_sub(meet_speed(pair, &pair->motion_a, point),
                   meet_speed(pair, pair->b ? &pair->motion_b : NULL, point));
}

/* 1/kg: how much an impulse at a point along a unit vector changes the velocity there. */
static float meet_give(const tpi_body_motion *motion, tp_vector point, tp_vector along)
{
    tp_vector arm = tpi_sub(point, motion->center), turn = tpi_cross(arm, along);
    return motion->inverse_mass + tpi_dot(turn, tpi_body_ease(motion, turn));
}

static float meet_gives(const meet_pair *pair, tp_vector point, tp_vector along)
{
    float give = meet_give(&pair->motion_a, point, along);
    return pair->b ? give + meet_give(&pair->motion_b, point, along) : give;
}

/* Both bodies get the same counts. */
static void meet_push(meet_pair *pair, tp_vector point, tp_vector impulse)
{
    tpi_momentum given = {{0, 0, 0}, {0, 0, 0}}, back = given;
    impulse = tpi_flat(pair->world, impulse);
    tpi_momentum_add(pair->world, &given, impulse,
                     tpi_cross(tpi_sub(point, pair->motion_a.center), impulse));
    tpi_momentum_join(&pair->a->next, &given);
    pair->motion_a = tpi_body_motion_of(pair->world, pair->a, &pair->a->next);
    pair->has_met = true;
    if (!pair->b) return;
    tpi_momentum_add(pair->world, &back, impulse,
                     tpi_cross(tpi_sub(point, pair->motion_b.center), impulse));
    tpi_momentum_leave(&pair->b->next, &back);
    pair->motion_b = tpi_body_motion_of(pair->world, pair->b, &pair->b->next);
}

/* m/s: the speed along the normal that is missing at a contact. */
static float meet_missing(const meet_pair *pair, const meet_contact *contact)
{
    float speed = tpi_dot(meet_approach(pair, contact->point), contact->normal),
          target = -tpi_max(contact->gap, 0.0f) / pair->timestep;
    bool hits = -speed * pair->timestep > contact->gap && -speed > pair->rest_speed;
    if (hits) target = tpi_max(target, -speed * pair->restitution);
    return target - speed;
}

/* An impulse along the normal, and friction up to Coulomb's limit. */
static void meet_solve(meet_pair *pair, const meet_contact *contact)
{
    float missing = meet_missing(pair, contact);
    if (!(missing > 0.0f)) return;
    float size = missing / meet_gives(pair, contact->point, contact->normal);
    tp_vector impulse = tpi_scale(contact->normal, size);
    tp_vector approach = meet_approach(pair, contact->point);
    approach = tpi_add_scaled(approach, contact->normal, -tpi_dot(approach, contact->normal));
    float slide = tpi_length(approach);
    if (pair->friction > 0.0f && slide > 1e-9f) {
        tp_vector along = tpi_scale(approach, 1.0f / slide);
        float hold = slide / meet_gives(pair, contact->point, along);
        impulse = tpi_add_scaled(impulse, along, -tpi_min(hold, pair->friction * size));
    }
    meet_push(pair, contact->point, impulse);
}

/* ---- sides ---- */

/* The contact of a corner with a side. `is_back`: the corner is one of the other's, and the surface
   is the body's. False: none. */
static bool meet_contact_of(const meet_pair *pair, uint32_t face, tp_vector corner, float radius,
                            bool is_back, meet_contact *contact)
{
    tpi_wall wall;
    tp_pose pose = is_back ? pair->pose : pair->begin;
    tp_vector at = tpi_to_world(is_back ? pair->begin : pair->pose, corner);
    if (!meet_distance(pair->world, is_back ? pair->shape : pair->other, face,
                       tpi_to_local(pose, at), &wall) ||
        !(wall.distance < 1e9f))
        return false;
    tp_vector normal = tpi_flat(pair->world, tpi_rotate(pose.rotation, wall.normal));
    contact->gap = wall.distance - radius - pair->between;
    contact->point = tpi_add_scaled(at, normal, -radius);
    contact->normal = is_back ? tpi_scale(normal, -1.0f) : normal;
    return true;
}

/* The mean of the contacts that miss some speed, weighted by it; then each. Returns units. */
static uint32_t meet_side(meet_pair *pair, uint32_t face, const tp_vector *corners, uint32_t count,
                          float radius, bool is_back)
{
    meet_contact one, mean = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}, 0.0f};
    float sum = 0.0f;
    uint32_t missing = 0, units = count * MEET_CORNER_UNITS;
    for (uint32_t k = 0; k < count; k++) {
        if (!meet_contact_of(pair, face, corners[k], radius, is_back, &one)) continue;
        float weight = meet_missing(pair, &one);
        if (!(weight > 0.0f)) continue;
        missing |= 1u << k;
        sum = sum + weight;
        mean.point = tpi_add_scaled(mean.point, one.point, weight);
        mean.normal = tpi_add_scaled(mean.normal, one.normal, weight);
        mean.gap = mean.gap + one.gap * weight;
    }
    if (!(sum > 0.0f)) return units;
    mean.point = tpi_scale(mean.point, 1.0f / sum);
    mean.normal = tpi_normalise(mean.normal, tpi_vector(0.0f, 1.0f, 0.0f));
    mean.gap = mean.gap / sum;
    meet_solve(pair, &mean);
    for (uint32_t k = 0; k < count; k++) {
        if (!(missing >> k & 1u)) continue;
        units += MEET_CORNER_UNITS;
        if (!meet_contact_of(pair, face, corners[k], radius, is_back, &one)) continue;
        meet_solve(pair, &one);
    }
    return units;
}

/* m: as far as the body's surface comes in this step, and a margin. */
static float meet_margin(const meet_pair *pair)
{
    float speed = tpi_length(pair->motion_a.velocity) +
                  tpi_length(pair->motion_a.angular_velocity) * pair->a->reach;
    if (pair->b)
        speed = speed + tpi_length(pair->motion_b.velocity) +
                tpi_length(pair->motion_b.angular_velocity) * pair->b->reach;
    return pair->a->reach * 1.01f + speed * pair->timestep + pair->between;
}

/* A plane or the side of a hollow box may be near; other shapes are near if their bounds are. */
static bool meet_is_near(const meet_pair *pair, uint32_t face, float margin)
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

/* ---- meshes ---- */

/* True for meshes that have an inside. */
static bool meet_is_mesh(const tpi_collider_item *other)
{
    return other->def.shape == TP_COLLIDER_MESH && !other->def.is_two_sided;
}

/* The contact of a point of the body, `radius` within its surface, with a plane of the mesh. */
static void meet_plane(const meet_pair *pair, const tpi_facet *plane, tp_vector at, float radius,
                       meet_contact *contact)
{
    contact->normal = tpi_flat(pair->world, tpi_rotate(pair->begin.rotation, plane->out));
    tp_vector point = tpi_to_local(pair->begin, at);
    contact->gap = tpi_dot(tpi_sub(point, plane->foot), plane->out) - radius - pair->between;
    contact->point = tpi_add_scaled(at, contact->normal, -radius);
}

/* The contact of a point of the mesh with the body's surface. */
static bool meet_foot(const meet_pair *pair, const tpi_facet *plane, meet_contact *contact)
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

/* True if a body moves by more than a quarter of its size in this step. */
static bool meet_is_fast(const meet_pair *pair)
{
    return meet_margin(pair) - pair->between > 1.26f * pair->a->reach;
}

/* Share of a fast body's way at which a pass looks for planes: those where it begins may be others
   than the one that it meets. 0 if the body has moved. */
static float meet_share(const meet_pair *pair)
{
    static const float shares[8] = {0.0f, 0.0f, 1.0f, 0.5f, 0.25f, 0.75f, 0.0f, 0.0f};
    uint32_t pass = pair->world->step.cursor.phase;
    return pass < 7u && meet_is_fast(pair) ? shares[pass] : 0.0f;
}

/* The contacts of a side of a mesh: side 0 is the body's middle, then come its corners. Returns
   their number. */
static TPI_APART uint32_t meet_mesh(const meet_pair *pair, uint32_t side,
                                    meet_contact contacts[TPI_WALL_PLANES], uint32_t *units)
{
    tp_vector corners[TPI_BODY_CORNERS], at = pair->pose.position;
    tpi_facets facets;
    float radius;
    uint32_t count = 0;
    (void)tpi_body_corners(pair->world, pair->shape, corners, &radius);
    if (side > 0) at = tpi_to_world(pair->pose, corners[side - 1u]);
    tp_vector ahead =
        tpi_add_scaled(at, meet_approach(pair, at), pair->timestep * meet_share(pair));
    facets.point = tpi_to_local(pair->begin, ahead);
    facets.within = meet_margin(pair);
    facets.visits_max = MEET_VISITS;
    tpi_facets_begin(&facets);
    tpi_mesh_facets(pair->world, pair->other, &facets);
    for (uint32_t k = 0; k < facets.count; k++) {
        if (side > 0) meet_plane(pair, &facets.found[k], at, radius, &contacts[count]);
        if (side > 0 || meet_foot(pair, &facets.found[k], &contacts[count])) count++;
    }
    *units += (2u + count) * MEET_CORNER_UNITS + facets.visits;
    return count;
}

/* Where a collider that no body moves is, so many ticks after the step in progress has begun. */
static tp_pose meet_pose(const tp_world *world, const tpi_collider_item *item, uint32_t ticks)
{
    return tpi_collider_pose(item, (float)(world->clock.tick + ticks) / (float)TP_TICKS_PER_FRAME);
}

/* m: a diameter of a particle and a quarter. One that is between two solids is not crushed: fluids
   would answer with any force. With one diameter a body on the floor hopped now and then. */
static float meet_between(const tp_world *world)
{
    float radius = 0.0f;
    for (uint32_t s = 0; s < world->def.species_count; s++)
        radius = tpi_max(radius, world->def.species[s].radius);
    return 2.5f * radius;
}

static meet_pair meet_pair_of(tp_world *world, uint32_t slot, uint32_t collider)
{
    meet_pair pair = {.world = world, .a = tpi_body_at(world, slot)};
    pair.other = tpi_collider_at(world, collider);
    pair.shape = tpi_collider_at(world, pair.a->collider);
    pair.pose = pair.a->pose;
    pair.between = meet_between(world);
    pair.b = pair.other->body ? tpi_body_at(world, pair.other->body - 1u) : NULL;
    pair.begin = pair.end = pair.b ? pair.b->pose : pair.other->pose_to;
    if (!pair.b && pair.other->is_moving) {
        pair.begin = meet_pose(world, pair.other, 0);
        pair.end = meet_pose(world, pair.other, world->step.ticks);
    }
    pair.motion_a = tpi_body_motion_of(world, pair.a, &pair.a->next);
    if (pair.b) pair.motion_b = tpi_body_motion_of(world, pair.b, &pair.b->next);
    pair.timestep = world->step.timestep;
    pair.friction = tpi_sqrt(pair.shape->def.friction * pair.other->def.friction);
    pair.restitution = tpi_max(pair.shape->def.restitution, pair.other->def.restitution);
    pair.rest_speed = 2.0f * world->constants.gravity_length * pair.timestep;
    return pair;
}

/* Other bodies' corners meet this one in their own turn. */
static bool meet_has_back(const meet_pair *pair)
{
    tp_collider_shape shape = pair->other->def.shape;
    return !pair->b && !pair->other->def.is_hollow &&
           (shape == TP_COLLIDER_SPHERE || shape == TP_COLLIDER_CAPSULE ||
            shape == TP_COLLIDER_BOX);
}

uint32_t tpi_body_sides(tp_world *world, uint32_t slot, uint32_t collider)
{
    const tpi_collider_item *other = tpi_collider_at(world, collider);
    if (!meet_is_mesh(other)) return tpi_wall_faces(world, other);
    meet_pair pair = meet_pair_of(world, slot, collider);
    tp_vector corners[TPI_BODY_CORNERS];
    float radius;
    if (!meet_is_near(&pair, 0, meet_margin(&pair))) return 1;
    return 1u + tpi_body_corners(world, pair.shape, corners, &radius);
}

bool tpi_body_meet(tp_world *world, uint32_t slot, uint32_t collider, uint32_t face,
                   uint32_t *units)
{
    meet_pair pair = meet_pair_of(world, slot, collider);
    tp_vector corners[TPI_BODY_CORNERS];
    float radius;
    if (!meet_is_near(&pair, face, meet_margin(&pair))) return false;
    if (meet_is_mesh(pair.other)) {
        meet_contact contacts[TPI_WALL_PLANES];
        uint32_t planes = meet_mesh(&pair, face, contacts, units);
        for (uint32_t k = 0; k < planes; k++) meet_solve(&pair, &contacts[k]);
        return pair.has_met || meet_is_fast(&pair);
    }
    uint32_t count = tpi_body_corners(world, pair.shape, corners, &radius);
    *units += meet_side(&pair, face, corners, count, radius, false);
    if (meet_has_back(&pair)) {
        count = tpi_body_corners(world, pair.other, corners, &radius);
        *units += meet_side(&pair, face, corners, count, radius, true);
    }
    return pair.has_met;
}

static void meet_deeper(const meet_contact *one, meet_contact *deepest)
{
    if (one->gap < deepest->gap) *deepest = *one;
}

/* The deepest corner of a side, of one body or collider or the other. Returns units. */
static uint32_t meet_deepest(const meet_pair *pair, uint32_t face, bool is_back,
                             meet_contact *deepest)
{
    tp_vector corners[TPI_BODY_CORNERS];
    meet_contact one;
    float radius;
    uint32_t count =
        tpi_body_corners(pair->world, is_back ? pair->other : pair->shape, corners, &radius);
    for (uint32_t k = 0; k < count; k++)
        if (meet_contact_of(pair, face, corners[k], radius, is_back, &one))
            meet_deeper(&one, deepest);
    return count * MEET_CORNER_UNITS;
}

void tpi_body_keep(tp_world *world, uint32_t slot, uint32_t collider, uint32_t face, tp_pose *pose,
                   uint32_t *units)
{
    meet_pair pair = meet_pair_of(world, slot, collider);
    meet_contact deepest = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}, 0.0f};
    float margin = meet_margin(&pair);
    pair.begin = pair.end;
    if (!meet_is_near(&pair, face, margin)) return;
    pair.pose = *pose;
    if (meet_is_mesh(pair.other)) {
        meet_contact contacts[TPI_WALL_PLANES];
        uint32_t planes = meet_mesh(&pair, face, contacts, units);
        for (uint32_t k = 0; k < planes; k++) meet_deeper(&contacts[k], &deepest);
    } else {
        *units += meet_deepest(&pair, face, false, &deepest);
    }
    if (meet_has_back(&pair)) *units += meet_deepest(&pair, face, true, &deepest);
    float depth = -deepest.gap, out = (depth - MEET_SLOP * pair.a->reach) * MEET_PUSH;
    if (tpi_body_is_endless(world, collider)) out = tpi_max(out, depth - pair.between);
    if (out > 0.0f) pose->position = tpi_add_scaled(pose->position, deepest.normal, out);
}

#undef MEET_CORNER_UNITS
#undef MEET_VISITS
#undef MEET_PUSH
#undef MEET_SLOP
