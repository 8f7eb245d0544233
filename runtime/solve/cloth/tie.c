/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/tie.c - ties of nodes to each other and to colliders: the calls, the step.
   reads   definitions, front positions, poses, momenta of bodies
   writes  ties, kicked velocities, loads, events
   memory  48 bytes per tie, of 32
   cost    8 units per tie and sub-step
   after   distance constraints with compliance (XPBD, Macklin et al. 2016) with the inverse mass of
           a rigid body at a point (Mueller et al. 2020). A body gets its impulses at the end of the
           step: own prediction, so that light bodies are stable, see tie_pull */
#include "split.h"
#include "../../world/momentum.h"
#include "../../world/event.h"

/* ---- definition ---- */

tp_cloth_tie_def tp_cloth_tie_default(void)
{
    tp_cloth_tie_def def;
    tpi_memset(&def, 0, sizeof def);
    def.stamp = TPI_STAMP_TIE;
    def.other = TP_ID_NONE;
    return def;
}

/* The index of a node of sheets, or TPI_CLOTH_NO_NODE. */
static uint32_t tie_index(const tp_world *world, uint32_t id)
{
    uint32_t nodes = tpi_cloth_nodes(world),
             index = tpi_id_search(tpi_words(world, world->arrays.id), nodes, id);
    return index == nodes ? TPI_CLOTH_NO_NODE : index;
}

const char *tp_cloth_tie_check(const tp_world *world, const tp_cloth_tie_def *definition)
{
    uint32_t slot;
    if (tpi_world_check_block(world) != TP_OK)
        return TPI_TEXT("the world is null or no world: create it first");
    if (!definition)
        return TPI_TEXT("the definition is null: pass one made by tp_cloth_tie_default");
    if (definition->stamp != TPI_STAMP_TIE) return tp_result_text(TP_ERROR_STAMP);
    if (world->def.solver != TP_SOLVER_CLOTH)
        return TPI_TEXT("a tie needs a world with TP_SOLVER_CLOTH");
    if (tie_index(world, definition->node) == TPI_CLOTH_NO_NODE)
        return TPI_TEXT("node must be the id of a node: add its sheet first");
    if (definition->other == definition->node)
        return TPI_TEXT("other must not be the same node as node");
    if (definition->other != TP_ID_NONE && tie_index(world, definition->other) == TPI_CLOTH_NO_NODE)
        return TPI_TEXT("other must be the id of a node, or TP_ID_NONE for a collider");
    if (definition->other == TP_ID_NONE &&
        tpi_item_find(world, TP_POOL_COLLIDERS, definition->collider.id, &slot) != TP_OK)
        return TPI_TEXT("collider must be one of this world: add it first");
    if (!tpi_is_vector_within(tpi_flat(world, definition->point), 1e6f))
        return TPI_TEXT("point must be within 1e6");
    if (!tpi_is_within(definition->length, 0.0f, 1e4f)) return TPI_TEXT("length must be 0 to 1e4");
    if (!tpi_is_within(definition->compliance, 0.0f, 1e12f))
        return TPI_TEXT("compliance must be 0 to 1e12");
    if (!tpi_is_within(definition->strength, 0.0f, 1e30f))
        return TPI_TEXT("strength must be 0 to 1e30");
    return NULL;
}

/* ---- adding and removing ---- */

static uint64_t tie_hash(const tp_world *world, uint32_t number)
{
    const tpi_cloth_tie *tie = tpi_cloth_ties(world) + number;
    const uint32_t node = tpi_cloth_name(world, tie->node),
                   other = tie->other == TPI_CLOTH_NO_NODE ? TP_ID_NONE
                                                           : tpi_cloth_name(world, tie->other);
    uint64_t hash = tpi_mix_word((uint64_t)node << 32 | other, number);
    hash = tpi_mix_word(hash, (uint64_t)tpi_bits(tie->point.x) << 32 | tpi_bits(tie->point.y));
    hash = tpi_mix_word(hash, (uint64_t)tpi_bits(tie->point.z) << 32 | tpi_bits(tie->length));
    return tpi_mix_word(hash, (uint64_t)tpi_bits(tie->compliance) << 32 | tpi_bits(tie->strength));
}

/* The ties that sheets have; they end with them. */
static uint32_t tie_end(const tp_world *world)
{
    return tpi_cloth_nodes(world) ? tpi_cloth_ties_end(world) : 0u;
}

static bool tie_is_used(const tp_world *world, uint32_t number)
{
    return number < tie_end(world) && tpi_cloth_ties(world)[number].node != TPI_CLOTH_NO_NODE;
}

tp_result tp_cloth_tie(tp_world *world, const tp_cloth_tie_def *definition, uint32_t *tie)
{
    uint32_t number = 0;
    tp_result result = tpi_item_check(world, definition, TPI_STAMP_TIE, tie);
    if (result != TP_OK) return result;
    if (tp_cloth_tie_check(world, definition)) return TP_ERROR_DEFINITION;
    while (tie_is_used(world, number)) number++;
    if (number >= world->def.cloth.ties_max) return TP_ERROR_FULL;
    tpi_step_cancel(world);
    tpi_cloth_tie *item = tpi_cloth_ties(world) + number;
    *item = (tpi_cloth_tie){.node = tie_index(world, definition->node),
                            .other = TPI_CLOTH_NO_NODE,
                            .collider = definition->collider.id,
                            .point = tpi_flat(world, definition->point),
                            .length = definition->length,
                            .compliance = definition->compliance,
                            .strength = definition->strength};
    if (definition->other != TP_ID_NONE) item->other = tie_index(world, definition->other);
    tpi_cloth_knot_of(world)->end = tpi_max_u32(tie_end(world), number + 1u);
    world->kept_hash += tie_hash(world, number);
    *tie = number;
    return TP_OK;
}

static void tie_remove(tp_world *world, uint32_t number)
{
    tpi_cloth_knot *knot = tpi_cloth_knot_of(world);
    tpi_cloth_tie *ties = tpi_cloth_ties(world);
    world->kept_hash -= tie_hash(world, number);
    ties[number] = (tpi_cloth_tie){.node = TPI_CLOTH_NO_NODE};
    while (knot->end > 0 && ties[knot->end - 1u].node == TPI_CLOTH_NO_NODE) knot->end--;
}

void tpi_cloth_end_ties(tp_world *world, const tpi_cloth_split *splits, uint32_t count)
{
    const tpi_cloth_tie *ties = tpi_cloth_ties(world);
    for (uint32_t number = 0; count > 0 && number < tpi_cloth_ties_end(world); number++)
        if (ties[number].node != TPI_CLOTH_NO_NODE &&
            (tpi_split_find(&splits->node, TPI_SPLIT_LOGGED, count, ties[number].node) < count ||
             tpi_split_find(&splits->node, TPI_SPLIT_LOGGED, count, ties[number].other) < count))
            tie_remove(world, number);
}

tp_result tp_cloth_untie(tp_world *world, uint32_t tie)
{
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (world->def.solver != TP_SOLVER_CLOTH || !tie_is_used(world, tie)) return TP_ERROR_HANDLE;
    tpi_step_cancel(world);
    tie_remove(world, tie);
    tpi_cloth_count_broken(world);
    return TP_OK;
}

tp_result tp_cloth_pull(const tp_world *world, uint32_t tie, float *pull)
{
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (!pull) return TP_ERROR_NULL;
    if (world->def.solver != TP_SOLVER_CLOTH || !tie_is_used(world, tie)) return TP_ERROR_HANDLE;
    *pull = tpi_cloth_ties(world)[tie].pull[world->front];
    return TP_OK;
}

void tpi_cloth_clear_ties(const tp_world *world)
{
    if (world->def.cloth.ties_max) *tpi_cloth_knot_of(world) = (tpi_cloth_knot){0};
}

void tpi_cloth_measure_ties(const tp_world *world, tp_cloth_report *report)
{
    for (uint32_t tie = 0; tie < tie_end(world); tie++) {
        if (!tie_is_used(world, tie)) continue;
        report->ties++;
        report->ties_broken += tpi_cloth_is_parted(world, tie);
    }
}

/* ---- which are broken ---- */

bool tpi_cloth_is_parted(const tp_world *world, uint32_t tie)
{
    return tie_is_used(world, tie) &&
           tpi_cloth_ties(world)[tie].pull[world->front] == TP_CLOTH_BROKEN;
}

void tpi_cloth_part_tie(const tp_world *world, uint32_t tie, bool is_broken)
{
    tpi_cloth_ties(world)[tie].pull[world->front ^ 1u] = is_broken ? TP_CLOTH_BROKEN : 0.0f;
}

static uint64_t tie_broken_hash(uint32_t number) { return tpi_mix_word(number, TPI_STAMP_TIE); }

void tpi_cloth_count_broken(tp_world *world)
{
    if (!world->def.cloth.ties_max) return;
    tpi_cloth_knot *knot = tpi_cloth_knot_of(world);
    world->kept_hash -= knot->broken;
    knot->broken = 0;
    for (uint32_t tie = 0; tie < tie_end(world); tie++)
        if (tpi_cloth_is_parted(world, tie)) knot->broken += tie_broken_hash(tie);
    world->kept_hash += knot->broken;
}

void tpi_cloth_tie_exchange(tp_world *world)
{
    if (tpi_cloth_ties_end(world) == 0) return;
    tpi_cloth_knot *knot = tpi_cloth_knot_of(world);
    world->kept_hash += knot->broken_next - knot->broken;
    knot->broken = knot->broken_next;
}

const char *tpi_cloth_audit_ties(const tp_world *world, uint64_t *offset)
{
    const uint32_t nodes = tpi_cloth_head_of(world)->nodes, end = tpi_cloth_ties_end(world);
    *offset = world->arrays.own[TPI_CLOTH_SHEETS];
    if (end > world->def.cloth.ties_max) return TPI_TEXT("ties within their capacity");
    for (uint32_t k = 0; k < end; k++) {
        const tpi_cloth_tie *tie = tpi_cloth_ties(world) + k;
        bool is_good = tie->node < nodes && (tie->other < nodes || tie->other == TPI_CLOTH_NO_NODE);
        *offset = (uint64_t)((const char *)tie - (const char *)world);
        is_good = is_good && tpi_is_vector_within(tie->point, 1e6f) &&
                  tpi_is_within(tie->length, 0.0f, 1e4f) &&
                  tpi_is_within(tie->compliance, 0.0f, 1e12f) &&
                  tpi_is_within(tie->strength, 0.0f, 1e30f) &&
                  tpi_is_within(tie->pull[0], -FLT_MAX, FLT_MAX) &&
                  tpi_is_within(tie->pull[1], -FLT_MAX, FLT_MAX);
        if (!is_good && tie->node != TPI_CLOTH_NO_NODE)
            return TPI_TEXT("a tie of a node, with a length, compliance and strength of at least "
                            "0");
    }
    return NULL;
}

/* ---- the step ---- */

/* An end of a tie in the step in progress. */
typedef struct tie_side {
    tp_vector at;       /* m: at the end of the step */
    tp_vector velocity; /* m/s: with what ties gave it so far */
    tp_vector arm;      /* m: of a body, from its center */
    float weight;       /* 1/kg: for a push through the center */
    uint32_t node;      /* or TPI_CLOTH_NO_NODE: a collider */
    uint32_t slot;
    tpi_body_motion motion; /* of a body */
    bool is_body;
} tie_side;

static tp_vector tie_read(const tp_world *world, bool is_velocity, uint32_t node)
{
    float value[3] = {0.0f, 0.0f, 0.0f};
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        value[axis] = (is_velocity ? tpi_kicked(world, axis) : tpi_front_x(world, axis))[node];
    return tpi_vector(value[0], value[1], value[2]);
}

static tie_side tie_node(const tp_world *world, uint32_t node)
{
    tie_side side = {.node = node, .velocity = tie_read(world, true, node)};
    side.weight = tpi_floats(world, world->arrays.next_birth)[node];
    side.at = tpi_add_scaled(tie_read(world, false, node), side.velocity, world->step.timestep);
    return side;
}

static void tie_open_body(const tp_world *world, tie_side *side, tp_pose pose)
{
    const tpi_body_item *body = tpi_body_at(world, tpi_collider_at(world, side->slot)->body - 1u);
    tpi_momentum momentum = body->next, received = tpi_body_received(world, body);
    tpi_momentum_join(&momentum, &received);
    side->is_body = true;
    side->motion = tpi_body_motion_of(world, body, &momentum);
    side->weight = side->motion.inverse_mass;
    side->arm = tpi_sub(side->at, tpi_to_world(pose, body->center));
    side->velocity =
        tpi_add(side->motion.velocity, tpi_cross(side->motion.angular_velocity, side->arm));
}

static tie_side tie_point(const tp_world *world, const tpi_cloth_tie *tie, uint32_t slot)
{
    const tpi_collider_item *item = tpi_collider_at(world, slot);
    const float tick = (float)world->clock.tick, frame = (float)TP_TICKS_PER_FRAME;
    tie_side side = {.node = TPI_CLOTH_NO_NODE, .slot = slot};
    tp_pose from = tpi_collider_pose(item, tick / frame),
            to = tpi_collider_pose(item, (tick + (float)world->step.ticks) / frame);
    side.at = tpi_to_world(to, tie->point);
    if (TPI_HAS_BODIES && item->body) {
        tie_open_body(world, &side, to);
        return side;
    }
    side.velocity =
        tpi_scale(tpi_sub(side.at, tpi_to_world(from, tie->point)), 1.0f / world->step.timestep);
    return side;
}

/* 1/kg: for a push along a unit vector. */
static float tie_weight(const tie_side *side, tp_vector along)
{
    if (!TPI_HAS_BODIES || !side->is_body) return side->weight;
    tp_vector turn = tpi_cross(side->arm, along);
    return side->weight + tpi_dot(turn, tpi_body_ease(&side->motion, turn));
}

/* An impulse on a side; `at`: where, for the loads of a collider. */
static void tie_push(tp_world *world, const tie_side *side, tp_vector at, tp_vector along,
                     float impulse)
{
    const float push[3] = {along.x * impulse, along.y * impulse, along.z * impulse};
    if (side->node == TPI_CLOTH_NO_NODE) {
        const tpi_load_push load = {side->slot, at, along, tpi_scale(along, impulse)};
        if (tpi_has_loads(world)) tpi_loads_add(world, &load);
        return;
    }
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        tpi_kicked(world, axis)[side->node] += side->weight * push[axis];
}

/* Returns the pull in N. A body moves by its impulses in the next step only. `late` is its share of
   the inverse mass: the offset is predicted for this share of the next step, too. The error then
   falls by at least half in each step for any masses; with 0 it would fall by the root of `late`
   only, and a body at a pinned node would swing forever. An impulse acts where the node is when the
   step begins, at both sides: so angular momentum is exact. */
static float tie_pull(tp_world *world, const tpi_cloth_tie *tie, const tie_side *a,
                      const tie_side *b)
{
    const float dt = world->step.timestep, damping = world->def.cloth.damping / dt;
    const float late = b->is_body ? b->weight / (a->weight + b->weight) : 0.0f;
    tp_vector apart = tpi_scale(tpi_sub(a->velocity, b->velocity), dt),
              offset = tpi_add_scaled(tpi_sub(a->at, b->at), apart, late);
    float square = tpi_dot(offset, offset);
    if (!(square > 1e-24f && square < 1e24f)) return 0.0f;
    float length = tpi_sqrt(square);
    tp_vector along = tpi_scale(offset, 1.0f / length);
    float weight = a->weight * (1.0f + late) + tie_weight(b, along),
          longer = length - tie->length + damping * tpi_dot(apart, along);
    if (!(weight > 0.0f)) return 0.0f;
    float pull = longer / (weight * (1.0f + damping) * dt * dt + tie->compliance),
          most = tie->strength > 0.0f ? tie->strength : FLT_MAX;
    tp_vector at = tie_read(world, false, a->node);
    float impulse = tpi_min(pull, most) * dt;
    tie_push(world, a, at, along, -impulse);
    tie_push(world, b, at, along, impulse);
    return tpi_clamp(pull, -1e37f, 1e37f);
}

/* A tie that breaks is an event of its node. */
static TPI_APART uint32_t tie_note(tp_world *world, uint32_t number, const tie_side *a,
                                   const tie_side *b)
{
    tp_event event = tpi_event_front(world, TP_EVENT_LINK_BROKEN, a->node);
    tp_vector offset = tpi_sub(a->at, b->at);
    event.handle = number + 1u;
    if (b->node != TPI_CLOTH_NO_NODE) event.partner = tpi_words(world, world->arrays.id)[b->node];
    event.normal = tpi_scale(offset, 1.0f / tpi_max(tpi_length(offset), 1e-12f));
    event.speed = tpi_dot(tpi_sub(a->velocity, b->velocity), event.normal);
    return tpi_event_add(world, &event);
}

/* The pull of a tie in the step; *used grows by the units of an event. */
static float tie_hold(tp_world *world, uint32_t number, uint32_t *used)
{
    const tpi_cloth_tie *tie = tpi_cloth_ties(world) + number;
    uint32_t slot = 0;
    if (tie->pull[world->front] == TP_CLOTH_BROKEN) return TP_CLOTH_BROKEN;
    bool is_node = tie->other != TPI_CLOTH_NO_NODE;
    if (!is_node && tpi_item_find(world, TP_POOL_COLLIDERS, tie->collider, &slot) != TP_OK)
        return 0.0f;
    tie_side a = tie_node(world, tie->node),
             b = is_node ? tie_node(world, tie->other) : tie_point(world, tie, slot);
    float pull = tie_pull(world, tie, &a, &b);
    if (tie->strength == 0.0f || pull <= tie->strength) return pull;
    world->step.links_broken++;
    if (tpi_has_events(world, TP_EVENT_BIT(TP_EVENT_LINK_BROKEN)))
        *used += tie_note(world, number, &a, &b);
    return TP_CLOTH_BROKEN;
}

TPI_APART uint32_t tpi_cloth_hold(tp_world *world, uint32_t begin, uint32_t end)
{
    tpi_cloth_knot *knot = tpi_cloth_knot_of(world);
    uint32_t used = 0;
    if (begin == 0) knot->broken_next = 0;
    for (uint32_t number = begin; number < end; number++) {
        tpi_cloth_tie *tie = tpi_cloth_ties(world) + number;
        float pull = tie->pull[world->front];
        if (tie_is_used(world, number)) pull = tie_hold(world, number, &used);
        tie->pull[world->front ^ 1u] = pull;
        if (pull == TP_CLOTH_BROKEN && tie_is_used(world, number))
            knot->broken_next += tie_broken_hash(number);
    }
    return used;
}
