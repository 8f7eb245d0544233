/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/mesh.c - sheets of triangles: constraints from edges, colours, tethers.
   reads   definitions, the front set      writes  constraints, tethers
   memory  3 constraints per triangle; one word per node in the memory of next births
   cost    O(triangles log triangles)
   after   half-edges sorted by their ends: those with the same ends belong to one edge; greedy
           colouring; shortest paths along edges by relaxation (Bellman 1958) */
#include "cloth.h"

#define MESH_MAX 16777216u /* of vertices and of triangles */

/* The height of a triangle is at least this share of its longest side. */
#define MESH_FLAT 1e-4f

static bool mesh_is_line(const tp_world *world, const tp_cloth_def *def, uint32_t triangle)
{
    const uint32_t *corner = def->indices + (size_t)triangle * 3u;
    tp_vector a = tpi_flat(world, def->vertices[corner[0]]),
              ab = tpi_sub(tpi_flat(world, def->vertices[corner[1]]), a),
              ac = tpi_sub(tpi_flat(world, def->vertices[corner[2]]), a), bc = tpi_sub(ac, ab);
    float longest = tpi_max(tpi_max(tpi_dot(ab, ab), tpi_dot(ac, ac)), tpi_dot(bc, bc));
    return !(tpi_length(tpi_cross(ab, ac)) >= MESH_FLAT * longest);
}

const char *tpi_cloth_check_mesh(const tp_world *world, const tp_cloth_def *def)
{
    if (!def->indices) return TPI_TEXT("indices must not be null for a mesh");
    if (def->vertex_count < 3 || def->vertex_count > MESH_MAX)
        return TPI_TEXT("vertex_count must be 3 to 16777216");
    if (def->triangle_count < 1 || def->triangle_count > MESH_MAX)
        return TPI_TEXT("triangle_count must be 1 to 16777216");
    for (uint32_t v = 0; v < def->vertex_count; v++) {
        tp_vector at = tpi_add(def->origin, tpi_flat(world, def->vertices[v]));
        if (!tpi_is_vector_within(at, TPI_POSITION_MAX))
            return TPI_TEXT("origin and vertices must be finite, and all nodes within 1e9 m");
    }
    for (uint32_t k = 0; k < def->triangle_count * 3u; k++)
        if (def->indices[k] >= def->vertex_count)
            return TPI_TEXT("indices must be below vertex_count");
    for (uint32_t k = 0; k < def->triangle_count * 3u; k++) {
        uint32_t next = k % 3u == 2u ? k - 2u : k + 1u;
        tp_vector a = tpi_flat(world, def->vertices[def->indices[k]]),
                  b = tpi_flat(world, def->vertices[def->indices[next]]);
        if (!tpi_cloth_is_length(tpi_sub(b, a)))
            return TPI_TEXT("the vertices of each triangle must be 1e-4 to 1e4 m apart");
    }
    for (uint32_t t = 0; t < def->triangle_count; t++)
        if (mesh_is_line(world, def, t))
            return TPI_TEXT("the vertices of each triangle must not lie on a line: its height must "
                            "be at least 1e-4 of its longest side");
    return NULL;
}

/* ---- constraints ---- */

uint32_t *tpi_cloth_opposites(const tp_world *world)
{
    return (uint32_t *)(void *)tpi_cloth_lengths(world, world->front);
}

void tpi_cloth_put_halves(const tp_world *world, const tp_cloth_def *def, uint32_t first,
                          uint32_t k)
{
    const uint32_t *own = world->arrays.own, begin = k;
    uint32_t *opposites = tpi_cloth_opposites(world);
    for (uint32_t t = 0; t < def->triangle_count; t++)
        for (uint32_t side = 0; side < 3; side++, k++) {
            const uint32_t *corner = def->indices + (size_t)t * 3u;
            uint32_t a = first + corner[side], b = first + corner[(side + 1u) % 3u];
            tpi_words(world, own[TPI_CLOTH_FIRST])[k] = tpi_min_u32(a, b);
            tpi_words(world, own[TPI_CLOTH_SECOND])[k] = tpi_max_u32(a, b);
            opposites[k] = first + corner[(side + 2u) % 3u];
            tpi_words(world, own[TPI_CLOTH_COMPLIANCE])[k] = 0;
        }
    tpi_cloth_sort(world, begin, k);
}

/* The last colour of the half from `lowest` on that neither end has; `lowest` if there is none. */
static uint32_t mesh_colour(const tp_world *world, uint32_t a, uint32_t b, uint32_t lowest)
{
    uint32_t *taken = tpi_words(world, world->arrays.next_birth);
    uint32_t colour = lowest + TPI_CLOTH_STRETCHES - 1u;
    while (colour > lowest && ((taken[a] | taken[b]) >> colour & 1u)) colour--;
    if (colour == lowest) return lowest;
    taken[a] |= 1u << colour;
    taken[b] |= 1u << colour;
    return colour;
}

/* A half-edge makes at most one constraint, so that those that are read are not yet written over:
   the first of an edge resists stretch, the others bending. */
uint32_t tpi_cloth_put_mesh(const tp_world *world, const tp_cloth_def *def, uint32_t first,
                            uint32_t k)
{
    const uint32_t *firsts = tpi_words(world, world->arrays.own[TPI_CLOTH_FIRST]),
                   *seconds = tpi_words(world, world->arrays.own[TPI_CLOTH_SECOND]),
                   *opposites = tpi_cloth_opposites(world);
    const uint32_t begin = k, end = k + def->triangle_count * 3u;
    uint32_t last_a = first, last_b = first, last = first;
    tpi_cloth_put_halves(world, def, first, begin);
    tpi_memset(tpi_words(world, world->arrays.next_birth) + first, 0,
               (size_t)(world->count - first) * 4u);
    for (uint32_t i = begin; i < end; i++) {
        uint32_t a = firsts[i], b = seconds[i], opposite = opposites[i];
        bool is_other = a != last_a || b != last_b;
        if (is_other && (def->kinds & TP_CLOTH_STRETCH))
            tpi_cloth_append(world, k++, mesh_colour(world, a, b, TPI_CLOTH_STRETCHES), a, b,
                             def->stretch);
        if (!is_other && opposite != last && (def->kinds & TP_CLOTH_BEND))
            tpi_cloth_append(world, k++, mesh_colour(world, last, opposite, 0), last, opposite,
                             def->bend);
        last_a = a, last_b = b, last = opposite;
    }
    return k;
}

/* ---- tethers ---- */

/* Shortens the tether of node b if that of its neighbour a, and the edge, are shorter. */
static bool mesh_relax(const tp_world *world, uint32_t a, uint32_t b, float length)
{
    uint32_t *anchors = tpi_words(world, world->arrays.own[TPI_CLOTH_ANCHOR]);
    float *reaches = tpi_floats(world, world->arrays.own[TPI_CLOTH_REACH]);
    if (!(reaches[a] + length < reaches[b])) return false;
    anchors[b] = anchors[a];
    reaches[b] = reaches[a] + length;
    return true;
}

void tpi_cloth_tether_mesh(const tp_world *world, const tpi_cloth_sheet *sheet, uint32_t pin)
{
    const tpi_cloth_head *head = tpi_cloth_head_of(world);
    const uint32_t *own = world->arrays.own;
    const float factor = 1.00001f * sheet->tether; /* a little more than the rounding of a path */
    bool is_shorter = sheet->tether > 0.0f;
    tpi_words(world, own[TPI_CLOTH_ANCHOR])[pin] = pin;
    tpi_floats(world, own[TPI_CLOTH_REACH])[pin] = 0.0f;
    while (is_shorter) {
        is_shorter = false;
        for (uint32_t k = head->begin[TPI_CLOTH_STRETCHES]; k < head->begin[TPI_CLOTH_COLOURS];
             k++) {
            uint32_t a = tpi_words(world, own[TPI_CLOTH_FIRST])[k],
                     b = tpi_words(world, own[TPI_CLOTH_SECOND])[k];
            float length = factor * tpi_cloth_lengths(world, world->front)[k];
            if (length < 0.0f || a < sheet->first) continue; /* broken, or a spare one */
            if (a - sheet->first >= tpi_cloth_sheet_nodes(sheet)) continue;
            bool is_one = mesh_relax(world, a, b, length), is_two = mesh_relax(world, b, a, length);
            is_shorter = is_shorter || is_one || is_two;
        }
    }
}

#undef MESH_MAX
#undef MESH_FLAT
