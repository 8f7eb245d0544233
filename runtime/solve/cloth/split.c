/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/split.c - tears along edges: a node becomes two, and no triangle is lost.
   reads   front positions and velocities, triangles      writes  ends of constraints, triangles
   memory  lists of what meets at each node, 24 bytes per split and 16 more to restore one
   cost    per edge that tears O(what meets at its ends); 8 splits per step at most
   after   O'Brien and Hodgins 1999: the material parts in the plane across the largest tension, at
           a node. Own: a split is a record of what its node took from the lists of its parent, so
           that records make and undo each other's topology; colours stay, since a node takes
           constraints of different colours from one node */
#include "split.h"
#include "../../base/bytes.h"

#define SPLIT_MOST 32u /* constraints, and triangles, of a node that becomes two */

/* ---- memory ---- */

tpi_cloth_tears *tpi_cloth_tears_of(const tp_world *world)
{
    const uint32_t edges = (world->def.cloth.triangles_max * 12u + 15u) & ~15u;
    return (tpi_cloth_tears *)tpi_at(world, world->arrays.own[TPI_CLOTH_EDGE] + edges);
}

uint64_t tpi_cloth_split_bytes(const tp_world_def *def)
{
    const uint64_t splits = def->cloth.splits_max;
    if (!tpi_cloth_can_split(def)) return 0;
    return sizeof(tpi_cloth_tears) + splits * (sizeof(tpi_cloth_split) + 4u * TPI_SPLIT_WORDS) +
           8u * (uint64_t)def->particles_max + 8u * (uint64_t)def->cloth.constraints_max +
           12u * (uint64_t)def->cloth.triangles_max;
}

/* ---- lists ---- */

static void split_add_end(const tp_world *world, uint32_t node, uint32_t k)
{
    uint32_t *at = tpi_split_ends(world) + node;
    while (*at < k) at = tpi_split_after(world, *at, node);
    *tpi_split_after(world, k, node) = *at;
    *at = k;
}
static void split_remove_end(const tp_world *world, uint32_t node, uint32_t k)
{
    uint32_t *at = tpi_split_ends(world) + node;
    while (*at < k) at = tpi_split_after(world, *at, node);
    if (*at == k) *at = *tpi_split_after(world, k, node);
}
static void split_add_corner(const tp_world *world, uint32_t node, uint32_t corner)
{
    uint32_t *next = tpi_split_next_corner(world), *at = tpi_split_corners(world) + node;
    while (*at < corner) at = next + *at;
    next[corner] = *at;
    *at = corner;
    tpi_split_triangles(world)[corner] = node;
}

/* Gives an end of constraint k, which is in the list of `from` no more, to the node `to`. */
static void split_give_end(const tp_world *world, uint32_t k, uint32_t from, uint32_t to)
{
    uint32_t *next = tpi_split_next_ends(world) + 2u * (size_t)k;
    const uint32_t other = tpi_split_other(world, k, from),
                   kept = *tpi_split_after(world, k, other);
    tpi_split_firsts(world)[k] = tpi_min_u32(other, to);
    tpi_split_seconds(world)[k] = tpi_max_u32(other, to);
    next[other < to ? 0 : 1] = kept;
    split_add_end(world, to, k);
}

static void split_link(const tp_world *world)
{
    const tpi_cloth_head *head = tpi_cloth_head_of(world);
    for (uint32_t i = 0; i < world->def.particles_max; i++)
        tpi_split_ends(world)[i] = tpi_split_corners(world)[i] = TPI_SPLIT_NONE;
    for (uint32_t k = head->begin[TPI_CLOTH_COLOURS]; k-- > 0;) {
        if (tpi_split_is_spare(world, k)) continue;
        split_add_end(world, tpi_split_firsts(world)[k], k);
        split_add_end(world, tpi_split_seconds(world)[k], k);
    }
    for (uint32_t c = 3u * head->triangles; c-- > 0;)
        split_add_corner(world, tpi_split_triangles(world)[c], c);
}

/* Both lists in step: the shorter one has all that they share. */
uint32_t tpi_cloth_find_end(const tp_world *world, uint32_t a, uint32_t b)
{
    uint32_t from_a = TPI_CLOTH_NO_EDGE, from_b = TPI_CLOTH_NO_EDGE, k = tpi_split_ends(world)[a],
             m = tpi_split_ends(world)[b];
    while (k != TPI_SPLIT_NONE && m != TPI_SPLIT_NONE) {
        if (tpi_split_other(world, k, a) == b) from_a = k;
        if (tpi_split_other(world, m, b) == a) from_b = m;
        k = *tpi_split_after(world, k, a);
        m = *tpi_split_after(world, m, b);
    }
    return k == TPI_SPLIT_NONE ? from_a : from_b;
}

/* ---- spare constraints ---- */

uint32_t tpi_cloth_most_seams(const tp_world_def *def)
{
    return tpi_cloth_can_split(def) ? 2u * def->cloth.splits_max : 0u;
}

static void split_spare(const tp_world *world, uint32_t k)
{
    tpi_split_firsts(world)[k] = 0;
    tpi_split_seconds(world)[k] = 1;
    tpi_floats(world, world->arrays.own[TPI_CLOTH_COMPLIANCE])[k] = 0.0f;
    tpi_cloth_made(world)[k] = TPI_CLOTH_BROKEN;
}

/* Spare seams rest at no length, in either set. */
static void split_break_spare(const tp_world *world)
{
    const tpi_cloth_tears *tears = tpi_cloth_tears_of(world);
    const uint32_t begin = tpi_cloth_head_of(world)->begin[TPI_CLOTH_STRETCHES];
    for (uint32_t k = begin + tears->seams; k < begin + tears->seams_max; k++)
        tpi_cloth_lengths(world, 0)[k] = tpi_cloth_lengths(world, 1)[k] = TPI_CLOTH_BROKEN;
}

void tpi_cloth_put_seams(const tp_world *world)
{
    tpi_cloth_head *head = tpi_cloth_head_of(world);
    tpi_cloth_tears *tears = tpi_cloth_tears_of(world);
    const uint32_t count = tpi_cloth_most_seams(&world->def),
                   begin = head->begin[TPI_CLOTH_COLOURS];
    if (tears->seams_max || world->count < 2u) return;
    for (uint32_t k = begin; k < begin + count; k++)
        tpi_cloth_append(world, k, TPI_CLOTH_STRETCHES, 0, 1, 0.0f);
    (void)tpi_cloth_fold(world, begin + count);
    tears->seams_max = count;
    for (uint32_t k = 0; k < count; k++) split_spare(world, head->begin[TPI_CLOTH_STRETCHES] + k);
    split_break_spare(world);
}

/* A second constraint along an edge that two nodes had in common: for the node that went. */
static uint32_t split_seam(const tp_world *world, uint32_t from, uint32_t node, uint32_t other)
{
    tpi_cloth_tears *tears = tpi_cloth_tears_of(world);
    float *compliances = tpi_floats(world, world->arrays.own[TPI_CLOTH_COMPLIANCE]);
    if (from == TPI_CLOTH_NO_EDGE || tears->seams == tears->seams_max) return TPI_CLOTH_NO_EDGE;
    const uint32_t k = tpi_cloth_head_of(world)->begin[TPI_CLOTH_STRETCHES] + tears->seams++;
    tpi_split_firsts(world)[k] = tpi_min_u32(node, other);
    tpi_split_seconds(world)[k] = tpi_max_u32(node, other);
    compliances[k] = compliances[from];
    tpi_cloth_made(world)[k] = tpi_cloth_made(world)[from];
    split_add_end(world, node, k);
    split_add_end(world, other, k);
    return k;
}

/* ---- a split ---- */

static void split_open_node(const tp_world *world, const tpi_cloth_split *split)
{
    const uint32_t *own = world->arrays.own, node = split->node;
    tpi_words(world, own[TPI_CLOTH_ANCHOR])[node] = node;
    tpi_floats(world, own[TPI_CLOTH_REACH])[node] = FLT_MAX;
    tpi_cloth_copy_rest(world, split->parent, node);
    tpi_split_ends(world)[node] = tpi_split_corners(world)[node] = TPI_SPLIT_NONE;
}

/* What the bits of a list name goes to the new node. */
static void split_give(const tp_world *world, const tpi_cloth_split *split)
{
    uint32_t *at = tpi_split_ends(world) + split->parent, *next = tpi_split_next_corner(world);
    for (uint32_t bit = 0; *at != TPI_SPLIT_NONE; bit++) {
        const uint32_t k = *at;
        uint32_t *after = tpi_split_after(world, k, split->parent);
        bool goes = bit < SPLIT_MOST && (split->ends >> bit & 1u);
        if (!goes) at = after;
        if (!goes) continue;
        *at = *after;
        split_give_end(world, k, split->parent, split->node);
    }
    at = tpi_split_corners(world) + split->parent;
    for (uint32_t bit = 0; *at != TPI_SPLIT_NONE; bit++) {
        const uint32_t corner = *at;
        bool goes = bit < SPLIT_MOST && (split->corners >> bit & 1u);
        if (!goes) at = next + corner;
        if (!goes) continue;
        *at = next[corner];
        split_add_corner(world, split->node, corner);
    }
}

/* The edges of a triangle at one of its corners. An edge that stayed with the parent becomes two,
   if `parent` is not TPI_SPLIT_NONE. */
static void split_find_edges(const tp_world *world, uint32_t corner, uint32_t parent)
{
    const uint32_t base = corner - corner % 3u, node = tpi_split_triangles(world)[corner];
    for (uint32_t turn = 1; turn < 3; turn++) {
        const uint32_t other = tpi_split_triangles(world)[base + (corner % 3u + turn) % 3u],
                       side = turn == 1u ? corner % 3u : (corner % 3u + 2u) % 3u;
        uint32_t edge = tpi_cloth_find_end(world, node, other);
        if (edge == TPI_CLOTH_NO_EDGE && parent != TPI_SPLIT_NONE)
            edge = split_seam(world, tpi_cloth_find_end(world, parent, other), node, other);
        tpi_split_edges(world)[base + side] = edge;
    }
}

static uint64_t split_hash(const tpi_cloth_split *split)
{
    uint64_t hash = tpi_mix_word((uint64_t)split->node << 32 | split->parent, split->ends);
    return tpi_mix_word(hash, split->corners);
}

uint32_t tpi_cloth_root(const tp_world *world, uint32_t node)
{
    return tpi_cloth_can_split(&world->def) ? tpi_split_root(world, node) : node;
}

/* Adds a split at the end of the log. */
static void split_make(const tp_world *world, const tpi_cloth_split *split)
{
    tpi_cloth_tears *tears = tpi_cloth_tears_of(world);
    tpi_cloth_split *made = tpi_split_log(world) + tears->used;
    *made = *split;
    made->root = tpi_split_root(world, split->parent);
    made->seams = tears->seams;
    tears->used++;
    tears->sum += split_hash(made);
    split_open_node(world, made);
    split_give(world, made);
    for (uint32_t c = tpi_split_corners(world)[made->node]; c != TPI_SPLIT_NONE;
         c = tpi_split_next_corner(world)[c])
        split_find_edges(world, c, made->parent);
}

/* A pin ends with its node. */
static void split_unpin(tp_world *world, uint32_t node)
{
    float *reach = tpi_floats(world, world->arrays.own[TPI_CLOTH_REACH]) + node;
    if (*reach != 0.0f) return;
    *reach = FLT_MAX;
    world->kept_hash -= tpi_mix(tpi_cloth_name(world, node));
    tpi_cloth_head_of(world)->pinned--;
}

/* Takes back the last split. Rest lengths stay: those of the frame that comes are there already. */
static void split_undo(tp_world *world)
{
    tpi_cloth_tears *tears = tpi_cloth_tears_of(world);
    const tpi_cloth_split split = tpi_split_log(world)[--tears->used];
    const uint32_t seam = tpi_cloth_head_of(world)->begin[TPI_CLOTH_STRETCHES];
    tears->sum -= split_hash(&split);
    split_unpin(world, split.node);
    for (; tears->seams > split.seams; tears->seams--) {
        const uint32_t k = seam + tears->seams - 1u;
        split_remove_end(world, tpi_split_firsts(world)[k], k);
        split_remove_end(world, tpi_split_seconds(world)[k], k);
        split_spare(world, k);
    }
    for (uint32_t k; (k = tpi_split_ends(world)[split.node]) != TPI_SPLIT_NONE;) {
        tpi_split_ends(world)[split.node] = *tpi_split_after(world, k, split.node);
        split_give_end(world, k, split.node, split.parent);
    }
    for (uint32_t c; (c = tpi_split_corners(world)[split.node]) != TPI_SPLIT_NONE;) {
        tpi_split_corners(world)[split.node] = tpi_split_next_corner(world)[c];
        split_add_corner(world, split.parent, c);
    }
    for (uint32_t c = tpi_split_corners(world)[split.parent]; c != TPI_SPLIT_NONE;
         c = tpi_split_next_corner(world)[c])
        split_find_edges(world, c, TPI_SPLIT_NONE);
}

/* The log becomes a part of the hash. */
static void split_tell(tp_world *world)
{
    tpi_cloth_tears *tears = tpi_cloth_tears_of(world);
    const uint64_t told = tears->sum + (tears->last ? tpi_mix_word(tears->used, tears->last) : 0u);
    world->kept_hash += told - tears->told;
    tears->told = told;
}

/* ---- an edge that tears ---- */

static uint32_t split_all(uint32_t count) { return TPI_SPLIT_NONE >> (SPLIT_MOST - count); }

/* The triangles of a node on the side towards which it is torn; 0: not on both sides. A pin may
   lose all of them. */
static uint32_t split_plan_corners(const tp_world *world, uint32_t node, uint32_t other,
                                   uint32_t *count)
{
    const tp_vector at = tpi_cloth_front_place(world, node),
                    to = tpi_sub(tpi_cloth_front_place(world, other), at);
    uint32_t bits = 0, c = tpi_split_corners(world)[node];
    for (*count = 0; c != TPI_SPLIT_NONE; c = tpi_split_next_corner(world)[c], ++*count) {
        const uint32_t *corner = tpi_split_triangles(world) + (c - c % 3u), side = c % 3u,
                       a = corner[(side + 1u) % 3u], b = corner[(side + 2u) % 3u];
        tp_vector middle = tpi_add(tpi_sub(tpi_cloth_front_place(world, a), at),
                                   tpi_sub(tpi_cloth_front_place(world, b), at));
        bool goes = a == other || b == other || tpi_dot(middle, to) > 0.0f;
        bits |= (goes ? 1u : 0u) << *count;
    }
    const bool is_pin = tpi_floats(world, world->arrays.own[TPI_CLOTH_REACH])[node] == 0.0f;
    return *count && (is_pin || bits != split_all(*count)) ? bits : 0u;
}

static bool split_has(const tp_world *world, uint32_t corner, uint32_t node)
{
    const uint32_t *corners = tpi_split_triangles(world) + (corner - corner % 3u);
    return corners[0] == node || corners[1] == node || corners[2] == node;
}

/* Triangles of a node that have another one, too: of those that go, and of those that stay. */
static void split_count(const tp_world *world, const tpi_cloth_split *split, uint32_t other,
                        uint32_t *goes, uint32_t *stays)
{
    uint32_t c = tpi_split_corners(world)[split->parent];
    *goes = *stays = 0;
    for (uint32_t bit = 0; c != TPI_SPLIT_NONE; c = tpi_split_next_corner(world)[c], bit++) {
        if (!split_has(world, c, other)) continue;
        if (split->corners >> bit & 1u)
            ++*goes;
        else
            ++*stays;
    }
}

/* More meets at the node than the bits of a split can name. */
static bool split_is_crowded(const tp_world *world, uint32_t node)
{
    uint32_t k = tpi_split_ends(world)[node], c = tpi_split_corners(world)[node];
    for (uint32_t count = 0; count < SPLIT_MOST; count++) {
        if (k != TPI_SPLIT_NONE) k = *tpi_split_after(world, k, node);
        if (c != TPI_SPLIT_NONE) c = tpi_split_next_corner(world)[c];
    }
    return k != TPI_SPLIT_NONE || c != TPI_SPLIT_NONE;
}

/* How the node becomes two if it is torn towards another. Returns 0 if it cannot, 2 at the border
   of a sheet or the tip of a tear, else 1. A crowded node never does, nor one with an edge to a
   crowded one that would become two: the seam is added to the list of either end. */
static uint32_t split_plan(const tp_world *world, uint32_t node, uint32_t other,
                           tpi_cloth_split *split, bool *is_crowded)
{
    const tp_vector at = tpi_cloth_front_place(world, node),
                    to = tpi_sub(tpi_cloth_front_place(world, other), at);
    uint32_t count, rank = 1, k = tpi_split_ends(world)[node], bit = 0;
    *split = (tpi_cloth_split){.node = TPI_SPLIT_NONE, .parent = node};
    *is_crowded = split_is_crowded(world, node);
    if (*is_crowded) return 0;
    split->corners = split_plan_corners(world, node, other, &count);
    if (split->corners == 0) return 0;
    for (; k != TPI_SPLIT_NONE; k = *tpi_split_after(world, k, node), bit++) {
        const uint32_t end = tpi_split_other(world, k, node);
        uint32_t goes, stays;
        split_count(world, split, end, &goes, &stays);
        *is_crowded = goes > 0 && stays > 0 && split_is_crowded(world, end);
        if (*is_crowded) return 0;
        if (goes + stays == 1u) rank = 2;
        bool is_there = tpi_dot(tpi_sub(tpi_cloth_front_place(world, end), at), to) > 0.0f;
        if (goes + stays ? stays == 0 : is_there || split->corners == split_all(count))
            split->ends |= 1u << bit;
    }
    return rank;
}

/* True if a triangle has both nodes, of which one is not crowded. */
static bool split_is_edge(const tp_world *world, uint32_t a, uint32_t b)
{
    const uint32_t *next = tpi_split_next_corner(world);
    uint32_t c = tpi_split_corners(world)[a], d = tpi_split_corners(world)[b];
    for (uint32_t k = 0; k < SPLIT_MOST && c != TPI_SPLIT_NONE && d != TPI_SPLIT_NONE; k++) {
        if (split_has(world, c, b) || split_has(world, d, a)) return true;
        c = next[c];
        d = next[d];
    }
    return false;
}

/* Nodes of an edge that split in the last step have not yet moved apart. */
static bool split_is_fresh(const tp_world *world, uint32_t a, uint32_t b)
{
    const tpi_cloth_tears *tears = tpi_cloth_tears_of(world);
    for (uint32_t s = tears->used - tears->last; s < tears->used; s++) {
        const tpi_cloth_split *split = tpi_split_log(world) + s;
        if (split->node == a || split->node == b || split->parent == a || split->parent == b)
            return true;
    }
    return false;
}

/* True if the ends of an edge move apart. */
static bool split_grows(const tp_world *world, uint32_t a, uint32_t b)
{
    float sum = 0.0f;
    for (uint32_t axis = 0; axis < 3; axis++)
        sum += (tpi_front_x(world, axis)[a] - tpi_front_x(world, axis)[b]) *
               (tpi_front_v(world, axis)[a] - tpi_front_v(world, axis)[b]);
    return sum > 0.0f;
}

/* Two splits of a step share no triangle: neither changes the lists of the other. */
static bool split_is_free(const tp_world *world, uint32_t node)
{
    const tpi_cloth_tears *tears = tpi_cloth_tears_of(world);
    for (uint32_t q = 0; q < tears->queued; q++) {
        const uint32_t parent = tears->queue[q].parent;
        if (parent == node || split_is_edge(world, parent, node)) return false;
    }
    return true;
}

static bool split_has_spare(const tp_world *world)
{
    const tpi_cloth_tears *tears = tpi_cloth_tears_of(world);
    const uint32_t queued = tears->queued;
    return queued < world->def.cloth.splits_max - tears->used &&
           queued < world->def.particles_max - world->count && queued < tpi_ids_left(world) &&
           world->count == tpi_cloth_head_of(world)->nodes;
}

/* In the order of nodes, as their second ones are born. */
static void split_enqueue(const tp_world *world, const tpi_cloth_split *split)
{
    tpi_cloth_tears *tears = tpi_cloth_tears_of(world);
    uint32_t q = tears->queued++;
    for (; q > 0 && tears->queue[q - 1u].parent > split->parent; q--)
        tears->queue[q] = tears->queue[q - 1u];
    tears->queue[q] = *split;
}

void tpi_cloth_begin_tears(const tp_world *world)
{
    tpi_cloth_tears *tears = tpi_cloth_tears_of(world);
    tears->queued = tears->refused_next = tears->wanted = 0;
}

tpi_cloth_tear tpi_cloth_tear_edge(const tp_world *world, uint32_t a, uint32_t b, uint32_t *used)
{
    tpi_cloth_tears *tears = tpi_cloth_tears_of(world);
    tpi_cloth_split split, second;
    uint32_t rank, other;
    bool is_crowded, is_other_crowded;
    *used += TPI_CLOTH_EDGE_UNITS;
    if (!split_is_edge(world, a, b)) return TPI_CLOTH_TEAR_BREAK;
    if (!split_grows(world, a, b) || split_is_fresh(world, a, b)) return TPI_CLOTH_TEAR_WAIT;
    if (!split_has_spare(world)) {
        tears->refused_next++;
        return TPI_CLOTH_TEAR_BREAK;
    }
    if (tears->queued == TPI_CLOTH_QUEUE) return TPI_CLOTH_TEAR_WAIT;
    *used += TPI_CLOTH_LOOK_UNITS;
    rank = split_plan(world, a, b, &split, &is_crowded);
    other = split_plan(world, b, a, &second, &is_other_crowded);
    if (rank + other == 0)
        return is_crowded || is_other_crowded ? TPI_CLOTH_TEAR_BREAK : TPI_CLOTH_TEAR_WAIT;
    if (other > rank) split = second;
    if (!split_is_free(world, split.parent)) return TPI_CLOTH_TEAR_WAIT;
    *used += TPI_CLOTH_SPLIT_UNITS;
    split_enqueue(world, &split);
    return TPI_CLOTH_TEAR_SPLIT;
}

/* ---- the step ---- */

/* True for a node of the queue, whose second one is born behind all nodes. */
bool tpi_cloth_splits(tp_world *world, uint32_t index, tp_vector x, tp_vector *aside)
{
    tpi_cloth_tears *tears = tpi_cloth_tears_of(world);
    const tpi_step *step = &world->step;
    uint32_t q = 0, born = 0;
    (void)x;
    if (!tpi_cloth_can_split(&world->def)) return false;
    for (; q < tears->queued && tears->queue[q].parent < index; q++)
        born += tears->queue[q].node != TPI_SPLIT_NONE;
    if (q == tears->queued || tears->queue[q].parent != index) return false;
    if (step->killed + step->died > 0 || step->count != tpi_cloth_head_of(world)->nodes + born)
        return false;
    tears->queue[q].node = step->count;
    *aside = tpi_vector(0.0f, 0.0f, 0.0f);
    return true;
}

/* The nodes up to the last one of sheets and splits. */
static void split_count_nodes(const tp_world *world, bool is_same)
{
    tpi_cloth_head *head = tpi_cloth_head_of(world);
    const tpi_cloth_tears *tears = tpi_cloth_tears_of(world);
    const tpi_cloth_sheet *sheet = tpi_cloth_sheets(world) + head->sheets - 1u;
    uint32_t nodes = sheet->first + tpi_cloth_sheet_nodes(sheet);
    is_same = is_same && world->count >= nodes &&
              tpi_words(world, world->arrays.id)[nodes - 1u] == tears->sheet_id;
    if (tears->used) nodes = tpi_max_u32(nodes, tpi_split_log(world)[tears->used - 1u].node + 1u);
    head->nodes = nodes;
    is_same = is_same && world->count >= nodes;
    head->last_id = is_same ? tpi_words(world, world->arrays.id)[nodes - 1u] : TPI_SPLIT_NONE;
}

/* Seams of the step begin as the edges from which they came are. */
static void split_wear_seam(tp_world *world, uint32_t seam, uint32_t from)
{
    tpi_cloth_head *head = tpi_cloth_head_of(world);
    float *lengths = tpi_cloth_lengths(world, world->front);
    lengths[seam] = lengths[from];
    const uint64_t hash = tpi_cloth_wear_hash(world, lengths, seam);
    head->worn += hash;
    world->kept_hash += hash;
}

static void split_make_worn(tp_world *world, const tpi_cloth_split *split)
{
    const tpi_cloth_tears *tears = tpi_cloth_tears_of(world);
    const uint32_t before = tears->seams,
                   begin = tpi_cloth_head_of(world)->begin[TPI_CLOTH_STRETCHES];
    split_make(world, split);
    for (uint32_t s = before; s < tears->seams; s++)
        split_wear_seam(world, begin + s,
                        tpi_cloth_find_end(world, split->parent,
                                           tpi_split_other(world, begin + s, split->node)));
}

bool tpi_cloth_split_exchange(tp_world *world)
{
    tpi_cloth_tears *tears = tpi_cloth_tears_of(world);
    const uint32_t before = tears->used, last = tears->last;
    if (tpi_cloth_head_of(world)->begin[TPI_CLOTH_COLOURS] == 0) return false;
    for (uint32_t q = 0; q < tears->queued; q++)
        if (tears->queue[q].node != TPI_SPLIT_NONE) split_make_worn(world, tears->queue + q);
    tears->refused += tears->refused_next;
    tears->last = tears->used - before;
    tpi_cloth_begin_tears(world);
    if (tears->last + last == 0) return false;
    split_tell(world);
    if (tears->last == 0) return false;
    split_count_nodes(world, true);
    tpi_cloth_forget_bound(world);
    return true;
}

void tpi_cloth_clear_tears(tp_world *world)
{
    if (tpi_cloth_can_split(&world->def))
        tpi_memset(tpi_cloth_tears_of(world), 0, sizeof(tpi_cloth_tears));
}

void tpi_cloth_link_sheet(tp_world *world)
{
    if (!tpi_cloth_can_split(&world->def)) return;
    tpi_cloth_begin_tears(world);
    tpi_cloth_tears_of(world)->sheet_id = tpi_words(world, world->arrays.id)[world->count - 1u];
    split_link(world);
}

/* ---- caches ---- */

uint32_t tpi_cloth_record_splits(const tp_world *world, uint8_t *to)
{
    const tpi_cloth_tears *tears = tpi_cloth_tears_of(world);
    const uint32_t bytes = 4u * (2u + TPI_SPLIT_WORDS * tears->used);
    if (!to) return bytes;
    tpi_store_u32(to, tears->used);
    tpi_store_u32(to + 4, tears->last);
    for (uint32_t s = 0; s < tears->used; s++) {
        const tpi_cloth_split *split = tpi_split_log(world) + s;
        to += 4u * TPI_SPLIT_WORDS;
        tpi_store_u32(to - 8, split->node);
        tpi_store_u32(to - 4, split->parent);
        tpi_store_u32(to, split->ends);
        tpi_store_u32(to + 4, split->corners);
    }
    return bytes;
}

uint32_t tpi_cloth_splits_record_bytes(const tp_world_def *def)
{
    return 4u * (2u + TPI_SPLIT_WORDS * def->cloth.splits_max);
}

/* Second nodes ascend, are in no sheet, and come from nodes of sheets or of splits before. All that
   meets at a node then has other roots, and no list has an item twice. */
bool tpi_split_are_sound(const tp_world *world, const uint32_t *splits, uint32_t words,
                         uint32_t count)
{
    for (uint32_t s = 0; s < count; s++) {
        const uint32_t *split = splits + (size_t)s * words;
        if ((s > 0 && split[0] <= splits[(size_t)(s - 1u) * words]) || split[1] >= split[0] ||
            tpi_cloth_sheet_of(world, split[0]) ||
            !tpi_split_is_node(world, splits, words, s, split[1]))
            return false;
    }
    return true;
}

/* A record of another world, or a damaged one, has other nodes. */
bool tpi_cloth_restore_splits(const tp_world *world, const uint8_t *from, uint32_t bytes)
{
    tpi_cloth_tears *tears = tpi_cloth_tears_of(world);
    uint32_t *to = tpi_split_wanted(world);
    const uint32_t used = bytes < 8u ? 0u : tpi_load_u32(from);
    if (used > world->def.cloth.splits_max || bytes != 4u * (2u + TPI_SPLIT_WORDS * used))
        return false;
    if (tpi_load_u32(from + 4) > tpi_min_u32(used, TPI_CLOTH_QUEUE)) return false;
    for (uint32_t k = 0; k < TPI_SPLIT_WORDS * used; k++) to[k] = tpi_load_u32(from + 8u + 4u * k);
    if (!tpi_split_are_sound(world, to, TPI_SPLIT_WORDS, used)) return false;
    if (used > 0 && to[TPI_SPLIT_WORDS * (used - 1u)] >= world->step.cursor.j) return false;
    tears->wanted = used + 1u;
    tears->wanted_last = tpi_load_u32(from + 4);
    return true;
}

static bool split_is_wanted(const tp_world *world, uint32_t s)
{
    const tpi_cloth_split *split = tpi_split_log(world) + s;
    const uint32_t *want = tpi_split_wanted(world) + TPI_SPLIT_WORDS * (size_t)s;
    return split->node == want[0] && split->parent == want[1] && split->ends == want[2] &&
           split->corners == want[3];
}

/* Splits that the record does not have are undone, the last one first; then the others are made. */
void tpi_cloth_restore_splits_end(tp_world *world)
{
    tpi_cloth_tears *tears = tpi_cloth_tears_of(world);
    uint32_t same = 0, wanted = tears->wanted;
    const uint32_t before = tears->used;
    if (tpi_cloth_head_of(world)->sheets == 0) return;
    for (; wanted && same < tears->used && same + 1u < wanted; same++)
        if (!split_is_wanted(world, same)) break;
    while (wanted && tears->used > same) split_undo(world);
    tpi_cloth_end_ties(world, tpi_split_log(world) + tears->used, before - tears->used);
    for (; same + 1u < wanted; same++) {
        const uint32_t *want = tpi_split_wanted(world) + TPI_SPLIT_WORDS * (size_t)same;
        const tpi_cloth_split split = {
            .node = want[0], .parent = want[1], .ends = want[2], .corners = want[3]};
        split_make(world, &split);
    }
    split_break_spare(world);
    tears->last = wanted ? tears->wanted_last : 0u;
    tpi_cloth_begin_tears(world);
    tpi_cloth_forget_bound(world);
    split_count_nodes(world, true);
    split_tell(world);
}

#undef SPLIT_MOST
