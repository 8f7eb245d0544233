/* SPDX-License-Identifier: MIT
   host_tools/common/scene_body.c - bodies of a scene: lattices of particles with links (springs)
           between neighbours.
   reads   a scene      writes  capacities of the scene, a world
   memory  none         cost    O(particles + links)
   after   own design: a chain is a body that is one particle wide */
#include "scene_private.h"
#include <math.h>
#include <string.h>

#define REACH_MAX 3
#define LINKS_MAX 16384 /* limit of the runtime */

/* Particles along an axis, counted as in the lattice of an emitter. */
static uint32_t body_side(const scene *source, const scene_body *body, int axis)
{
    const float half[3] = {body->size.x, body->size.y, body->size.z};
    if (axis >= (int)source->world.dimensions) return 1;
    return (uint32_t)(floor(2 * (double)half[axis] / body->lattice + 1.0 / 1024) + 1);
}

/* Advances `offset` to the next neighbour within the link length. Only half of all offsets are
   visited: each pair once. */
static bool next_offset(const scene_body *body, int offset[3])
{
    for (;;) {
        int axis = 0;
        while (axis < 3 && ++offset[axis] > REACH_MAX) offset[axis++] = -REACH_MAX;
        if (axis == 3) return false;
        double square = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2];
        bool is_front = offset[2] > 0 ||
                        (offset[2] == 0 && (offset[1] > 0 || (offset[1] == 0 && offset[0] > 0)));
        if (is_front && sqrt(square) <= body->reach + 1e-9) return true;
    }
}

/* Calls `meet` for every link, with the lattice indices of its ends and its length. False as soon
   as a call returns false. */
static bool each_link(const scene *source, const scene_body *body,
                      bool (*meet)(void *context, uint32_t first, uint32_t second, double length),
                      void *context)
{
    int side[3], offset[3] = {-REACH_MAX, -REACH_MAX, -REACH_MAX};
    for (int axis = 0; axis < 3; axis++) side[axis] = (int)body_side(source, body, axis);
    while (next_offset(body, offset)) {
        double length = body->lattice *
                        sqrt(offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2]);
        for (int i = 0; i < side[0] * side[1] * side[2]; i++) {
            int to[3] = {i % side[0] + offset[0], i / side[0] % side[1] + offset[1],
                         i / side[0] / side[1] + offset[2]};
            bool is_inside = true;
            for (int axis = 0; axis < 3; axis++)
                is_inside = is_inside && to[axis] >= 0 && to[axis] < side[axis];
            if (is_inside && !meet(context, (uint32_t)i,
                                   (uint32_t)((to[2] * side[1] + to[1]) * side[0] + to[0]), length))
                return false;
        }
    }
    return true;
}

static bool count_link(void *context, uint32_t first, uint32_t second, double length)
{
    uint32_t *count = context;
    (void)first;
    (void)second;
    (void)length;
    return ++*count <= LINKS_MAX;
}

/* ---- pins ---- */

const char *scene_read_body_pin(scene_reader *reader, void *item, const char *text)
{
    scene_body *body = item;
    body->pinned = strcmp(text, "corners") == 0 ? SCENE_PINNED_CORNERS
                   : strcmp(text, "rim") == 0   ? SCENE_PINNED_RIM
                                                : SCENE_PINNED_NONE;
    if (body->pinned != SCENE_PINNED_NONE) return NULL;
    snprintf(reader->problem, sizeof reader->problem,
             "'%s' names no particles; allowed: corners, rim", text);
    return reader->problem;
}

/* A corner is at an end of each axis along which the body is longer than a particle, the rim at one
   of them. */
static bool is_held(const scene_body *body, const uint32_t side[3], const uint32_t at[3])
{
    uint32_t ends = 0, axes = 0;
    for (int axis = 0; axis < 3; axis++) {
        if (side[axis] == 1) continue;
        axes++;
        ends += at[axis] == 0 || at[axis] + 1 == side[axis];
    }
    return body->pinned == SCENE_PINNED_CORNERS ? ends == axes
                                                : body->pinned == SCENE_PINNED_RIM && ends > 0;
}

static void place_of(const uint32_t side[3], uint32_t i, uint32_t at[3])
{
    at[0] = i % side[0], at[1] = i / side[0] % side[1], at[2] = i / side[0] / side[1];
}

static uint32_t body_pins(const scene *source, const scene_body *body)
{
    uint32_t side[3], at[3], pins = 0;
    for (int axis = 0; axis < 3; axis++) side[axis] = body_side(source, body, axis);
    for (uint32_t i = 0; i < side[0] * side[1] * side[2]; i++) {
        place_of(side, i, at);
        pins += is_held(body, side, at);
    }
    return pins;
}

static tp_result add_pin(tp_world *world, const scene_body *body, uint32_t id, tp_vector at)
{
    tp_link link;
    tp_link_def def = tp_link_default();
    def.first = id;
    def.second = TP_ID_NONE;
    def.stiffness = body->stiffness;
    def.point = at;
    return tp_link_add(world, &def, &link);
}

int scene_resolve_bodies(scene *target)
{
    uint32_t links = 0;
    for (size_t i = 0; i < target->body_count; i++) {
        scene_body *body = &target->bodies[i];
        double particles = 1;
        if (!(body->lattice > 0))
            return scene_problem(target, body->mark.line, "lattice",
                                 "is missing; needed: the spacing of the body");
        for (int axis = 0; axis < (int)target->world.dimensions; axis++) {
            const float half[3] = {body->size.x, body->size.y, body->size.z};
            if (!(half[axis] >= 0))
                return scene_problem(target, scene_line_of(&body->mark, SCENE_BODY, "size"), "size",
                                     "has a side below 0; allowed: 0 or more along each axis");
            particles *= 2 * (double)half[axis] / body->lattice + 1;
        }
        if (particles > target->world.particles_max)
            return scene_problem(target, scene_line_of(&body->mark, SCENE_BODY, "size"), "size",
                                 "needs %.0f particles; the world has a capacity of %u", particles,
                                 target->world.particles_max);
        if (!each_link(target, body, count_link, &links) ||
            (links += body_pins(target, body)) > LINKS_MAX)
            return scene_problem(target, body->mark.line, NULL,
                                 "too many links; at most %d are allowed", LINKS_MAX);
    }
    target->world.links_max = links;
    return HOST_DONE;
}

typedef struct body_links {
    tp_world *world;
    const scene_body *body;
    uint32_t first; /* id of the first particle */
    tp_result result;
} body_links;

static bool add_link(void *context, uint32_t first, uint32_t second, double length)
{
    body_links *links = context;
    tp_link link;
    tp_link_def def = tp_link_default();
    def.first = links->first + first;
    def.second = links->first + second;
    def.rest_length = (float)length;
    def.stiffness = links->body->stiffness;
    def.damping = links->body->damping;
    def.break_length = (float)(length * links->body->breaks);
    links->result = tp_link_add(links->world, &def, &link);
    return links->result >= TP_OK;
}

int scene_add_bodies(const scene *source, tp_world *world)
{
    for (size_t b = 0; b < source->body_count; b++) {
        const scene_body *body = &source->bodies[b];
        uint32_t side[3], id = 0;
        body_links links = {world, body, 0, TP_OK};
        for (int axis = 0; axis < 3; axis++) side[axis] = body_side(source, body, axis);
        for (uint32_t i = 0; i < side[0] * side[1] * side[2] && links.result >= TP_OK; i++) {
            uint32_t at[3];
            place_of(side, i, at);
            const float from[3] = {body->position.x, body->position.y, body->position.z};
            float x[3];
            for (int axis = 0; axis < 3; axis++)
                x[axis] = (float)((double)from[axis] +
                                  (at[axis] - 0.5 * (side[axis] - 1)) * body->lattice);
            links.result = tp_particle_add(world, (tp_vector){x[0], x[1], x[2]}, body->velocity,
                                           body->species_place, &id);
            if (i == 0) links.first = id;
            if (links.result >= TP_OK && is_held(body, side, at))
                links.result = add_pin(world, body, id, (tp_vector){x[0], x[1], x[2]});
        }
        if (links.result < TP_OK || !each_link(source, body, add_link, &links))
            return scene_problem(source, body->mark.line, NULL, "'%s': %s", body->mark.name,
                                 tp_result_text(links.result));
    }
    return HOST_DONE;
}
