/* SPDX-License-Identifier: MIT
   runtime/move/mesh.c - meshes as colliders, of triangles or in 2D of edges: a bounding-volume
           hierarchy (BVH), and its traversal.
   reads   vertices, indices
   writes  the geometry pool when a mesh is added; the cast's earliest hit
   memory  12 bytes per vertex, 12 per triangle, 16 per edge, 28 per node (at most one per part)
   cost    O(n log^2 n) to sort, O(n log n) to build, at most nodes + parts units per traversal
   after   parts are halved by count across the axis with the least surface area heuristic (SAH,
           MacDonald and Booth 1990). Nodes are in depth-first order, each with a link to the next
           node if its box is missed, so that a traversal needs no stack */
#include "room.h"

#define TPI_LEAF_PARTS  4u
#define TPI_NODE_LEAF   0x80000000u
#define TPI_WAY_SHORT   32.0f /* clearances of a movement whose bounds decide */
#define TPI_BUILD_DEPTH 32u   /* enough for a tree halved by count over at most 2^29 parts */
/* Ghost vertices while they are searched: none yet, more than one. */
#define TPI_GHOST_NONE 0u
#define TPI_GHOST_MANY 0xffffffffu

/* link: of an inner node, the node after its subtree; of a leaf, its first part * 4 + count - 1. */
typedef struct mesh_node {
    tp_vector low, high;
    uint32_t link;
} mesh_node;

typedef struct mesh_view {
    tp_vector *vertices;
    uint32_t *indices; /* `corners` per part */
    uint32_t *ghosts;  /* 2D: the vertices before and after each edge */
    mesh_node *nodes;
    uint32_t corners, vertex_count, part_count, node_count;
} mesh_view;

/* Number of nodes of a tree over `count` parts. The parts of one level have only two sizes,
   `size` and `size` + 1. */
static uint32_t mesh_node_count(uint32_t count)
{
    uint64_t small = 1, large = 0, total = 0;
    uint32_t size = count;
    while (size > TPI_LEAF_PARTS || (large && size == TPI_LEAF_PARTS)) {
        total += small + large;
        if (size == TPI_LEAF_PARTS) { /* only parts of 5 are halved, to 2 and 3 */
            total += 2u * large;
            return (uint32_t)total;
        }
        if (size & 1u) {
            large = small + 2u * large;
        } else {
            small = 2u * small + large;
        }
        size /= 2u;
    }
    return (uint32_t)(total + small + large);
}

/* Words per part: the indices of its corners, and of an edge's ghost vertices. */
static uint32_t mesh_words(uint32_t corners) { return TPI_HAS_EDGES && corners == 2 ? 4u : 3u; }

uint64_t tpi_mesh_bytes(uint32_t corners, uint32_t vertex_count, uint32_t part_count)
{
    return (uint64_t)vertex_count * sizeof(tp_vector) +
           (uint64_t)part_count * mesh_words(corners) * sizeof(uint32_t) +
           (uint64_t)mesh_node_count(part_count) * sizeof(mesh_node);
}

uint32_t tpi_mesh_end(const tpi_collider_item *item)
{
    return item->mesh.extra + item->mesh.extra_count * (uint32_t)sizeof(mesh_node);
}

static mesh_view mesh_view_of(const tp_world *world, const tpi_collider_item *item)
{
    const tpi_mesh *mesh = &item->mesh;
    uint32_t corners = tpi_mesh_corners(world), *indices = NULL;
    indices = tpi_words(world, world->geometry + mesh->indices);
    return (mesh_view){(tp_vector *)tpi_at(world, world->geometry + mesh->vertices),
                       indices,
                       indices + (size_t)mesh->triangle_count * corners,
                       (mesh_node *)tpi_at(world, world->geometry + mesh->extra),
                       corners,
                       mesh->vertex_count,
                       mesh->triangle_count,
                       mesh->extra_count};
}

static const uint32_t *mesh_corners(const mesh_view *view, uint32_t part)
{
    return view->indices + (size_t)part * view->corners;
}

static tp_vector mesh_min(tp_vector a, tp_vector b)
{
    return tpi_vector(tpi_min(a.x, b.x), tpi_min(a.y, b.y), tpi_min(a.z, b.z));
}

static tp_vector mesh_max(tp_vector a, tp_vector b)
{
    return tpi_vector(tpi_max(a.x, b.x), tpi_max(a.y, b.y), tpi_max(a.z, b.z));
}

/* ---- building ---- */

static void mesh_bound(const mesh_view *view, uint32_t first, uint32_t count, mesh_node *node)
{
    const uint32_t *corner = mesh_corners(view, first);
    node->low = node->high = view->vertices[corner[0]];
    for (uint32_t k = 1; k < count * view->corners; k++) {
        node->low = mesh_min(node->low, view->vertices[corner[k]]);
        node->high = mesh_max(node->high, view->vertices[corner[k]]);
    }
}

static float mesh_along(tp_vector v, uint32_t axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/* Twice the middle of a part along an axis, as an integer of the same order. */
static uint32_t mesh_key(const mesh_view *view, uint32_t part, uint32_t axis)
{
    const uint32_t *corner = mesh_corners(view, part);
    float low = mesh_along(view->vertices[corner[0]], axis), high = low;
    for (uint32_t k = 1; k < view->corners; k++) {
        float at = mesh_along(view->vertices[corner[k]], axis);
        low = tpi_min(low, at);
        high = tpi_max(high, at);
    }
    uint32_t bits = tpi_bits(tpi_flush(low + high));
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

/* A side of a box. Smaller ones count as 0: products of two have no subnormal numbers. */
static float mesh_side(float low, float high) { return high - low < 1e-15f ? 0.0f : high - low; }

/* The surface of the box of some parts, in 2D its perimeter, times their number: what a random line
   costs that meets it (surface area heuristic). */
static float mesh_cost(const mesh_view *view, uint32_t first, uint32_t count)
{
    mesh_node box;
    mesh_bound(view, first, count, &box);
    float x = mesh_side(box.low.x, box.high.x), y = mesh_side(box.low.y, box.high.y),
          z = mesh_side(box.low.z, box.high.z);
    return (view->corners == 2 ? x + y : x * y + y * z + z * x) * (float)count;
}

static void mesh_exchange(const mesh_view *view, uint32_t *keys, uint32_t a, uint32_t b)
{
    uint32_t key = keys[a], corners = view->corners;
    uint32_t *at_a = view->indices + (size_t)a * corners,
             *at_b = view->indices + (size_t)b * corners;
    keys[a] = keys[b];
    keys[b] = key;
    for (uint32_t k = 0; k < corners; k++) {
        uint32_t corner = at_a[k];
        at_a[k] = at_b[k];
        at_b[k] = corner;
    }
}

static void mesh_sift(const mesh_view *view, uint32_t *keys, uint32_t parent, uint32_t count)
{
    for (uint32_t child = 2u * parent + 1u; child < count; child = 2u * parent + 1u) {
        if (child + 1u < count && keys[child + 1u] > keys[child]) child++;
        if (keys[child] <= keys[parent]) return;
        mesh_exchange(view, keys, parent, child);
        parent = child;
    }
}

/* Puts the parts that are lower along an axis into the first half: a heap of that half, in which
   each lower part of the second one replaces the highest. The keys are stored in the memory of the
   nodes, which is larger. O(n log n) */
static void mesh_halve(const mesh_view *whole, uint32_t first, uint32_t count, uint32_t axis)
{
    uint32_t *keys = (uint32_t *)(void *)whole->nodes, half = count / 2u;
    mesh_view view = *whole;
    view.indices += (size_t)first * view.corners;
    for (uint32_t k = 0; k < count; k++) keys[k] = mesh_key(&view, k, axis);
    for (uint32_t parent = half / 2u; parent-- > 0;) mesh_sift(&view, keys, parent, half);
    for (uint32_t k = half; k < count; k++) {
        if (keys[k] >= keys[0]) continue;
        mesh_exchange(&view, keys, 0, k);
        mesh_sift(&view, keys, 0, half);
    }
}

/* Halves parts along the axis that makes traversals of the two boxes cheapest. */
static void mesh_divide(const mesh_view *view, uint32_t first, uint32_t count)
{
    uint32_t axes = view->corners == 2 ? 2u : 3u, best = 0, half = count / 2u;
    float least = FLT_MAX;
    for (uint32_t axis = 0; axis < axes; axis++) {
        mesh_halve(view, first, count, axis);
        float cost = mesh_cost(view, first, half) + mesh_cost(view, first + half, count - half);
        if (!(cost < least)) continue;
        least = cost;
        best = axis;
    }
    if (best + 1u < axes) mesh_halve(view, first, count, best);
}

/* Orders the parts as the tree has them: halves, their halves, and so on. */
static void mesh_sort(const mesh_view *view)
{
    uint32_t first[TPI_BUILD_DEPTH], count[TPI_BUILD_DEPTH], depth = 1;
    first[0] = 0;
    count[0] = view->part_count;
    while (depth > 0) {
        uint32_t begin = first[--depth], size = count[depth];
        if (size <= TPI_LEAF_PARTS) continue;
        mesh_divide(view, begin, size);
        first[depth] = begin + size / 2u;
        count[depth++] = size - size / 2u;
        first[depth] = begin;
        count[depth++] = size / 2u;
    }
}

/* Builds the nodes depth first; the stack holds the right halves that are still to be built. */
static void mesh_build_nodes(mesh_view *view)
{
    uint32_t first[TPI_BUILD_DEPTH], count[TPI_BUILD_DEPTH], depth = 1, index = 0;
    first[0] = 0;
    count[0] = view->part_count;
    while (depth > 0) {
        uint32_t begin = first[--depth], size = count[depth];
        mesh_node *node = &view->nodes[index];
        mesh_bound(view, begin, size, node);
        if (size <= TPI_LEAF_PARTS) {
            node->link = TPI_NODE_LEAF | begin * 4u | (size - 1u);
        } else {
            node->link = index + mesh_node_count(size);
            first[depth] = begin + size / 2u;
            count[depth++] = size - size / 2u;
            first[depth] = begin;
            count[depth++] = size / 2u;
        }
        index++;
    }
}

/* ---- ghost vertices ---- */

/* While it is built, a mesh in 2D keeps a vertex index in the unused z of each vertex. */
static uint32_t mesh_kept(const mesh_view *view, uint32_t vertex)
{
    uint32_t kept;
    tpi_memcpy(&kept, &view->vertices[vertex].z, sizeof kept);
    return kept;
}

static void mesh_keep(const mesh_view *view, uint32_t vertex, uint32_t kept)
{
    tpi_memcpy(&view->vertices[vertex].z, &kept, sizeof kept);
}

static void mesh_flatten(const mesh_view *view)
{
    for (uint32_t v = 0; v < view->vertex_count; v++) view->vertices[v].z = 0.0f;
}

/* The ghost vertices beyond the ends 1 - `end` (0: begin, 1: end): the other end of the edge that
   has that vertex at its `end`. A vertex with several such edges joins none of them. */
static void mesh_find_ghosts(const mesh_view *view, uint32_t end)
{
    mesh_flatten(view);
    for (uint32_t k = 0; k < view->part_count; k++) {
        const uint32_t *edge = mesh_corners(view, k);
        bool is_first = mesh_kept(view, edge[end]) == TPI_GHOST_NONE;
        mesh_keep(view, edge[end], is_first ? edge[1u - end] + 1u : TPI_GHOST_MANY);
    }
    for (uint32_t k = 0; k < view->part_count; k++) {
        uint32_t vertex = mesh_corners(view, k)[1u - end], kept = mesh_kept(view, vertex);
        bool is_found = kept != TPI_GHOST_NONE && kept != TPI_GHOST_MANY;
        view->ghosts[2u * k + 1u - end] = is_found ? kept - 1u : vertex;
    }
    mesh_flatten(view);
}

tpi_mesh tpi_mesh_at(const tp_world *world, const tp_collider_def *def, uint32_t offset)
{
    tpi_mesh mesh = {0};
    if (def->shape != TP_COLLIDER_MESH) return mesh;
    mesh.vertices = offset;
    mesh.vertex_count = def->vertex_count;
    mesh.triangle_count = def->triangle_count;
    mesh.indices = offset + mesh.vertex_count * (uint32_t)sizeof(tp_vector);
    mesh.extra = mesh.indices + mesh.triangle_count * mesh_words(tpi_mesh_corners(world)) *
                                    (uint32_t)sizeof(uint32_t);
    mesh.extra_count = mesh_node_count(mesh.triangle_count);
    return mesh;
}

void tpi_mesh_derive(const tp_world *world, tpi_collider_item *item)
{
    mesh_view view = mesh_view_of(world, item);
    mesh_node whole;
    if (TPI_HAS_EDGES && view.corners == 2) {
        mesh_find_ghosts(&view, 0);
        mesh_find_ghosts(&view, 1);
    }
    mesh_bound(&view, 0, view.part_count, &whole);
    item->bounds_low = whole.low;
    item->bounds_high = whole.high;
    mesh_build_nodes(&view);
}

void tpi_mesh_store(const tp_world *world, tpi_collider_item *item,
                    const tp_collider_def *definition)
{
    const tpi_mesh *mesh = &item->mesh;
    mesh_view view = mesh_view_of(world, item);
    tpi_memcpy(view.vertices, definition->vertices, mesh->vertex_count * sizeof(tp_vector));
    tpi_memcpy(view.indices, definition->indices,
               mesh->triangle_count * view.corners * sizeof(uint32_t));
    if (TPI_HAS_EDGES && view.corners == 2) mesh_flatten(&view);
    mesh_sort(&view);
}

/* ---- traversal ---- */

/* Clips [*enter, *leave] to the part between two planes. */
static bool mesh_clip(float low, float high, float from, float inverse, float *enter, float *leave)
{
    float a = (low - from) * inverse, b = (high - from) * inverse;
    *enter = tpi_max(*enter, tpi_min(a, b));
    *leave = tpi_min(*leave, tpi_max(a, b));
    return *enter <= *leave;
}

static float mesh_inverse(float move) { return tpi_abs(move) < 1e-20f ? 1e20f : 1.0f / move; }

/* What the tests of nodes have in common: the inverse of the movement, and the bounds of the swept
   sphere. */
typedef struct mesh_way {
    tp_vector inverse, low, high;
    bool is_short; /* its bounds decide: hardly more nodes meet them than meet the sphere */
} mesh_way;

static mesh_way mesh_way_of(const tpi_cast *cast)
{
    mesh_way way;
    way.inverse = tpi_vector(mesh_inverse(cast->move.x), mesh_inverse(cast->move.y),
                             mesh_inverse(cast->move.z));
    tpi_sweep_bounds(cast->from, tpi_add(cast->from, cast->move), cast->clearance, &way.low,
                     &way.high);
    way.is_short = tpi_dot(cast->move, cast->move) <
                   TPI_WAY_SHORT * TPI_WAY_SHORT * (cast->clearance * cast->clearance);
    return way;
}

TPI_INLINE bool mesh_is_beside(const mesh_node *node, tp_vector low, tp_vector high)
{
    return node->low.x > high.x || node->high.x < low.x || node->low.y > high.y ||
           node->high.y < low.y || node->low.z > high.z || node->high.z < low.z;
}

/* Slab test: true if the swept sphere meets the box before its earliest hit. A coordinate that
   hardly moves gets a huge inverse: inside the box its two limits have opposite signs, outside the
   same sign. */
TPI_INLINE bool mesh_meets(const tpi_cast *cast, const mesh_node *node, const mesh_way *way)
{
    const tp_vector inverse = way->inverse;
    if (mesh_is_beside(node, way->low, way->high)) return false;
    if (way->is_short) return true;
    float wide = cast->clearance, enter = 0.0f, leave = tpi_min(cast->time, 1.0f);
    return mesh_clip(node->low.x - wide, node->high.x + wide, cast->from.x, inverse.x, &enter,
                     &leave) &&
           mesh_clip(node->low.y - wide, node->high.y + wide, cast->from.y, inverse.y, &enter,
                     &leave) &&
           mesh_clip(node->low.z - wide, node->high.z + wide, cast->from.z, inverse.z, &enter,
                     &leave);
}

/* A function of its own: its edge is not on the stack of a triangle. */
static TPI_APART void mesh_cast_edge(const mesh_view *view, bool is_one_sided, tpi_cast *cast,
                                     uint32_t part)
{
    const uint32_t *corner = mesh_corners(view, part), *ghost = view->ghosts + (size_t)part * 2u;
    tpi_edge edge = {view->vertices[corner[0]], view->vertices[corner[1]], view->vertices[ghost[0]],
                     view->vertices[ghost[1]], is_one_sided};
    tpi_cast_edge(cast, &edge);
}

static void mesh_cast_part(const mesh_view *view, const tpi_collider_item *item, tpi_cast *cast,
                           uint32_t part)
{
    const uint32_t *corner = mesh_corners(view, part);
    if (TPI_HAS_EDGES && view->corners == 2) {
        mesh_cast_edge(view, !item->def.is_two_sided, cast, part);
        return;
    }
    tpi_triangle t = {view->vertices[corner[0]], view->vertices[corner[1]],
                      view->vertices[corner[2]], !item->def.is_two_sided, false};
    tpi_cast_triangle(cast, &t);
}

TPI_INLINE bool mesh_may_meet(const tpi_room_list *list, const tpi_room_entry *entry,
                              const mesh_way *way)
{
    return (entry->part & list->x) && (entry->part & list->z) && entry->low <= way->high.y &&
           entry->high >= way->low.y;
}

/* Skips triangles of the only list that do not meet the bounds; returns their number. */
static uint32_t mesh_skip(tpi_room_list *list, const mesh_way *way, uint32_t most)
{
    const tpi_room_entry *at = list->at, *end = list->end;
    if ((size_t)(end - at) > most) end = at + most;
    while (at < end && !mesh_may_meet(list, at, way)) at++;
    uint32_t skipped = (uint32_t)(at - list->at);
    list->at = at;
    return skipped;
}

/* Takes the next triangle of the lists; UINT32_MAX: none. *meets: it may meet the bounds. */
static uint32_t mesh_next(tpi_room_lists *lists, const mesh_way *way, bool *meets)
{
    uint32_t part = UINT32_MAX;
    *meets = false;
    for (uint32_t k = 0; k < lists->count; k++)
        if (lists->list[k].at < lists->list[k].end)
            part = tpi_min_u32(part, lists->list[k].at->part & TPI_ROOM_PART);
    for (uint32_t k = 0; k < lists->count; k++) {
        tpi_room_list *list = &lists->list[k];
        if (list->at == list->end || (list->at->part & TPI_ROOM_PART) != part) continue;
        const tpi_room_entry *entry = list->at++;
        *meets = *meets || mesh_may_meet(list, entry, way);
    }
    return part;
}

/* The parts in the lists of the sectors that the path touches, in the order of the tree. The test
   of each decides as that of the tree, and no other one can hit. */
static TPI_APART uint32_t mesh_cast_rooms(const tp_world *world, const tpi_collider_item *item,
                                          const mesh_view *view, const mesh_way *way,
                                          tpi_cast *cast, uint32_t units, bool *done)
{
    tpi_room_lists lists;
    mesh_node box;
    bool meets;
    uint32_t used = tpi_rooms_lists(world, item, cast, way->low, way->high, &lists);
    *done = false;
    while (used < units && cast->row_end == TPI_ROOM_LISTS && !*done) {
        if (lists.count == 1) used += mesh_skip(lists.list, way, units - used - 1u);
        uint32_t part = mesh_next(&lists, way, &meets);
        used++;
        *done = part == UINT32_MAX;
        if (*done) break;
        cast->part = part + 1u;
        if (!meets) continue;
        mesh_bound(view, part, 1, &box);
        if (!mesh_meets(cast, &box, way)) continue;
        mesh_cast_part(view, item, cast, part);
        used++;
        *done = !(cast->time > 0.0f); /* no hit can be earlier than the start */
    }
    return used;
}

uint32_t tpi_cast_mesh(const tp_world *world, const tpi_collider_item *item, tpi_cast *cast,
                       uint32_t units, bool *done)
{
    mesh_view view = mesh_view_of(world, item);
    const mesh_way way = mesh_way_of(cast);
    uint32_t used = 0;
    if (tpi_has_rooms(item) && cast->row_end != TPI_ROOM_TREE) {
        used = mesh_cast_rooms(world, item, &view, &way, cast, units, done);
        if (cast->row_end != TPI_ROOM_TREE) return used;
    }
    for (; used < units && cast->part < view.node_count && cast->time > 0.0f; used++) {
        const mesh_node *node = &view.nodes[cast->part];
        bool is_leaf = (node->link & TPI_NODE_LEAF) != 0;
        if (cast->subpart == 0 && !mesh_meets(cast, node, &way)) {
            cast->part = is_leaf ? cast->part + 1u : node->link;
        } else if (!is_leaf) {
            cast->part++;
        } else if (cast->subpart == 0) {
            cast->subpart = 1;
        } else {
            mesh_cast_part(&view, item, cast,
                           ((node->link & ~TPI_NODE_LEAF) >> 2) + cast->subpart - 1u);
            bool is_last = cast->subpart == (node->link & 3u) + 1u;
            cast->subpart = is_last ? 0 : cast->subpart + 1u;
            cast->part += is_last;
        }
    }
    *done = cast->part >= view.node_count ||
            !(cast->time > 0.0f); /* no hit can be earlier than the start */
    return used;
}

/* ---- the planes near a point ---- */

/* The second child of an inner node, after its first, which is the next node. */
static uint32_t mesh_second(const mesh_view *view, uint32_t first)
{
    uint32_t link = view->nodes[first].link;
    return link & TPI_NODE_LEAF ? first + 1u : link;
}

static void mesh_offer_leaf(const mesh_view *view, uint32_t link, tpi_facets *facets)
{
    uint32_t first = (link & ~TPI_NODE_LEAF) >> 2, count = (link & 3u) + 1u;
    for (uint32_t k = 0; k < count && facets->visits < facets->visits_max; k++) {
        const uint32_t *corner = mesh_corners(view, first + k);
        tp_vector a = view->vertices[corner[0]], b = view->vertices[corner[1]];
        if (TPI_HAS_EDGES && view->corners == 2) {
            const uint32_t *ghost = view->ghosts + (size_t)(first + k) * 2u;
            tpi_facets_offer_edge(facets, a, b, ghost[0] == corner[0], ghost[1] == corner[1]);
            continue;
        }
        tpi_triangle t = {a, b, view->vertices[corner[2]], true, false};
        tpi_facets_offer(facets, &t);
    }
}

/* One pass, from the root: the nearer child first. */
static void mesh_find_facet(const mesh_view *view, tpi_facets *facets)
{
    uint32_t stack[TPI_BUILD_DEPTH], depth = 1;
    stack[0] = 0;
    while (depth > 0 && facets->visits < facets->visits_max) {
        uint32_t index = stack[--depth];
        const mesh_node *node = &view->nodes[index];
        if (tpi_facets_skip(facets, node->low, node->high)) continue;
        if (node->link & TPI_NODE_LEAF) {
            mesh_offer_leaf(view, node->link, facets);
            continue;
        }
        uint32_t a = index + 1u, b = mesh_second(view, a);
        bool is_a_near = tpi_facets_square(facets, view->nodes[a].low, view->nodes[a].high) <=
                         tpi_facets_square(facets, view->nodes[b].low, view->nodes[b].high);
        stack[depth++] = is_a_near ? b : a;
        stack[depth++] = is_a_near ? a : b;
    }
}

void tpi_mesh_facets(const tp_world *world, const tpi_collider_item *item, tpi_facets *facets)
{
    mesh_view view = mesh_view_of(world, item);
    facets->has_borders = view.corners == 3 && !facets->is_two_sided;
    do mesh_find_facet(&view, facets);
    while (tpi_facets_next(facets));
}

/* ---- edges across a line ---- */

/* The point of the segment p, q nearest to the line, if it is nearest to that between its ends. */
static void mesh_cross_edge(tpi_crossing *c, tp_vector p, tp_vector q, float *reach)
{
    tp_vector line = tpi_sub(c->b, c->a), edge = tpi_sub(q, p), r = tpi_sub(c->a, p);
    float ll = tpi_dot(line, line), ee = tpi_dot(edge, edge), le = tpi_dot(line, edge),
          lr = tpi_dot(line, r), er = tpi_dot(edge, r), room = ll * ee - le * le, t = 0.0f,
          s = 0.5f;
    c->visits++;
    if (!(ll > 0.0f)) return;
    if (room > 1e-6f * ll * ee) s = tpi_clamp((le * er - lr * ee) / room, 0.0f, 1.0f);
    if (ee > 0.0f) t = tpi_clamp((le * s + er) / ee, 0.0f, 1.0f);
    s = (le * t - lr) / ll;
    if (!(s > 1e-3f) || !(s < 1.0f - 1e-3f)) return;
    tp_vector point = tpi_add_scaled(c->a, line, s), foot = tpi_add_scaled(p, edge, t);
    float distance = tpi_length(tpi_sub(point, foot));
    if (!(distance < *reach)) return;
    *reach = distance;
    c->is_found = true;
    c->share = s;
    c->point = point;
    c->foot = foot;
    c->along = edge;
}

static void mesh_cross_leaf(const mesh_view *view, uint32_t link, tpi_crossing *c, float *reach)
{
    uint32_t first = (link & ~TPI_NODE_LEAF) >> 2, count = (link & 3u) + 1u;
    for (uint32_t k = 0; k < count && c->visits < c->visits_max; k++) {
        const uint32_t *corner = mesh_corners(view, first + k);
        for (uint32_t end = 0; end < view->corners; end++) {
            uint32_t next = view->corners == 2 ? end : (end + 1u) % 3u;
            mesh_cross_edge(c, view->vertices[corner[end]], view->vertices[corner[next]], reach);
        }
    }
}

static bool mesh_crosses(const tpi_crossing *c, const mesh_node *node, float reach)
{
    tp_vector low = mesh_max(node->low, mesh_min(c->a, c->b)),
              high = mesh_min(node->high, mesh_max(c->a, c->b)),
              gap = {tpi_max(low.x - high.x, 0.0f), tpi_max(low.y - high.y, 0.0f),
                     tpi_max(low.z - high.z, 0.0f)};
    return tpi_dot(gap, gap) < reach * reach;
}

void tpi_mesh_crossing(const tp_world *world, const tpi_collider_item *item, tpi_crossing *crossing)
{
    mesh_view view = mesh_view_of(world, item);
    float reach = crossing->within;
    crossing->visits = 0;
    crossing->is_found = false;
    for (uint32_t k = 0; k < view.node_count && crossing->visits < crossing->visits_max;) {
        const mesh_node *node = &view.nodes[k];
        bool is_leaf = (node->link & TPI_NODE_LEAF) != 0,
             is_near = mesh_crosses(crossing, node, reach);
        crossing->visits++;
        if (is_near && is_leaf) mesh_cross_leaf(&view, node->link, crossing, &reach);
        k = is_near || is_leaf ? k + 1u : node->link;
    }
}

#undef TPI_LEAF_PARTS
#undef TPI_GHOST_NONE
#undef TPI_GHOST_MANY
#undef TPI_NODE_LEAF
#undef TPI_BUILD_DEPTH
#undef TPI_WAY_SHORT
