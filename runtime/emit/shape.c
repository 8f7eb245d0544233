/* SPDX-License-Identifier: MIT
   runtime/emit/shape.c - positions of births: point, segment, disc, sphere, box, lattice, mesh.
   reads   an emitter's definition, random numbers
   writes  positions; the geometry pool when a mesh is added
   memory  a mesh: 12 bytes per vertex, 16 per triangle
   cost    O(1) per position, O(log triangles) on a mesh
   after   area-weighted sampling by prefix sums and binary search; the sums are integers, so they
           never decrease and rounding does not stop them from growing */
#include "emit.h"

#define TPI_LATTICE_SIDE_MAX 16384.0f
/* tolerance in spacings, 2^-10: larger than the rounding error of the quotient */
#define TPI_LATTICE_SLACK 0.0009765625f
/* limit of vertices and of triangles: their bytes stay below 2^32 */
#define TPI_MESH_MAX   16777215u
#define TPI_AREA_WHOLE 2147483648.0f /* 2^31: the weight of the whole surface */

/* Events of a birth's random numbers; a ball uses three in a row. The jitter of emitter.c begins at
   8. */
#define TPI_EVENT_POINT    0u
#define TPI_EVENT_TRIANGLE 3u

/* ---- lattice ---- */

/* Points along a side. The tolerance keeps a quotient slightly below 3 from counting as 2. */
static uint32_t emitter_lattice_side(float half, float spacing)
{
    float edges = 2.0f * half / spacing;
    if (!(edges < TPI_LATTICE_SIDE_MAX)) return 0;
    return (uint32_t)(edges + TPI_LATTICE_SLACK) + 1u;
}

void tpi_emitter_lattice(const tp_world *world, tp_vector size, float spacing, uint32_t counts[3])
{
    counts[0] = emitter_lattice_side(size.x, spacing);
    counts[1] = emitter_lattice_side(size.y, spacing);
    counts[2] = tpi_dimensions(world) == 3 ? emitter_lattice_side(size.z, spacing) : 1u;
}

tp_vector tpi_emitter_lattice_position(const tp_world *world, tp_vector size, float spacing,
                                       uint32_t burst)
{
    uint32_t counts[3];
    tpi_emitter_lattice(world, size, spacing, counts);
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): the definition was refused with sides of 0 */
    uint32_t row = burst / counts[0], layer = row / counts[1];
    float x = (float)(burst - row * counts[0]), y = (float)(row - layer * counts[1]),
          z = (float)layer;
    return tpi_vector(x * spacing - size.x, y * spacing - size.y, z * spacing - size.z);
}

/* ---- mesh ---- */

/* Twice the area of a triangle, m^2; below 1e-15 it counts as 0, so that no subnormal number
   occurs. */
static float emitter_triangle_area(const tp_world *world, const tp_emitter_def *def,
                                   uint32_t triangle)
{
    const uint32_t *corner = def->indices + (size_t)triangle * 3u;
    tp_vector a = tpi_flat(world, def->vertices[corner[0]]);
    tp_vector b = tpi_sub(tpi_flat(world, def->vertices[corner[1]]), a);
    tp_vector c = tpi_sub(tpi_flat(world, def->vertices[corner[2]]), a);
    tp_vector normal = tpi_cross(b, c);
    float square = tpi_dot(normal, normal);
    return square < 1e-30f ? 0.0f : tpi_sqrt(square);
}

/* Sum of areas with compensated summation (Kahan 1965): a small triangle late in a large mesh
   counts. */
static float emitter_mesh_area(const tp_world *world, const tp_emitter_def *def)
{
    float sum = 0.0f, carry = 0.0f;
    for (uint32_t t = 0; t < def->triangle_count; t++) {
        float term = emitter_triangle_area(world, def, t) - carry, next = sum + term;
        carry = (next - sum) - term;
        sum = next;
    }
    return sum;
}

static const char *emitter_check_mesh(const tp_world *world, const tp_emitter_def *def)
{
    if (!def->vertices || !def->indices)
        return TPI_TEXT("vertices and indices must not be null with TP_EMITTER_MESH");
    if (!world->def.geometry_bytes_max)
        return TPI_TEXT(
            "shape needs a world with geometry_bytes_max above 0: its geometry is kept there");
    if (def->vertex_count < 3 || def->vertex_count > TPI_MESH_MAX)
        return TPI_TEXT("vertex_count must be 3 to 16777215");
    if (def->triangle_count < 1 || def->triangle_count > TPI_MESH_MAX)
        return TPI_TEXT("triangle_count must be 1 to 16777215");
    for (uint32_t v = 0; v < def->vertex_count; v++)
        if (!tpi_is_vector_within(tpi_flat(world, def->vertices[v]), 1e6f))
            return TPI_TEXT("vertices must be finite, each axis -1e6 to 1e6");
    for (uint32_t i = 0; i < def->triangle_count * 3u; i++)
        if (def->indices[i] >= def->vertex_count)
            return TPI_TEXT("indices must be below vertex_count");
    if (!(emitter_mesh_area(world, def) > 0.0f))
        return TPI_TEXT("indices must make at least one triangle that has an area");
    return NULL;
}

static const char *emitter_check_lattice(const tp_world *world, const tp_emitter_def *def)
{
    uint32_t counts[3];
    if (!tpi_is_within(def->lattice_spacing, 1e-6f, 1e6f))
        return TPI_TEXT("lattice_spacing must be 0, or 1e-6 to 1e6");
    if (def->shape != TP_EMITTER_BOX) return TPI_TEXT("lattice_spacing needs shape TP_EMITTER_BOX");
    tpi_emitter_lattice(world, def->size, def->lattice_spacing, counts);
    uint64_t layer = (uint64_t)counts[0] * counts[1];
    if (layer == 0 || counts[2] == 0)
        return TPI_TEXT("lattice_spacing must be above 1 / 8192 of each side of size");
    if (def->rate_numerator && layer * counts[2] > 16777216u)
        return TPI_TEXT("lattice_spacing must leave at most 16777216 points for births by rate");
    if (layer >= def->burst_count) return NULL;
    if (layer * counts[2] < def->burst_count)
        return TPI_TEXT("burst_count must be at most the points of the lattice, 2 size / "
                        "lattice_spacing + 1 along "
                        "each axis");
    return NULL;
}

const char *tpi_emitter_check_shape(const tp_world *world, const tp_emitter_def *def)
{
    if ((uint32_t)def->shape > TP_EMITTER_MESH)
        return TPI_TEXT("shape must be a TP_EMITTER_ value");
    if (!tpi_is_within(def->size.x, 0.0f, 1e6f) || !tpi_is_within(def->size.y, 0.0f, 1e6f) ||
        !tpi_is_within(def->size.z, 0.0f, 1e6f))
        return TPI_TEXT("size must be 0 to 1e6 along each axis");
    if (def->lattice_spacing != 0.0f) {
        const char *text = emitter_check_lattice(world, def);
        if (text) return text;
    }
    return def->shape == TP_EMITTER_MESH ? emitter_check_mesh(world, def) : NULL;
}

/* Prefix sums of areas in units of 2^-31 of the whole: entry t is the end of triangle t. Shares are
   truncated to whole numbers and the total area is accurate to 2^-22, so the last entry stays below
   2^32. In a mesh of many slivers all shares may be 0: then all triangles have equal weight. */
void tpi_emitter_sum_areas(const tp_world *world, const tp_emitter_def *def, uint32_t *sums)
{
    float scale = TPI_AREA_WHOLE / emitter_mesh_area(world, def);
    uint32_t sum = 0;
    for (uint32_t t = 0; t < def->triangle_count; t++) {
        sum += (uint32_t)(emitter_triangle_area(world, def, t) * scale);
        sums[t] = sum;
    }
    for (uint32_t t = 0; sum == 0 && t < def->triangle_count; t++) sums[t] = t + 1u;
}

uint64_t tpi_emitter_geometry_bytes(const tpi_mesh *mesh)
{
    return (uint64_t)mesh->vertex_count * 12u + (uint64_t)mesh->triangle_count * 16u;
}

tpi_mesh tpi_emitter_mesh_at(const tp_emitter_def *def, uint32_t offset)
{
    tpi_mesh mesh = {0};
    if (def->shape != TP_EMITTER_MESH) return mesh;
    mesh.vertices = offset;
    mesh.vertex_count = def->vertex_count;
    mesh.indices = offset + def->vertex_count * 12u;
    mesh.triangle_count = mesh.extra_count = def->triangle_count;
    mesh.extra = mesh.indices + def->triangle_count * 12u;
    return mesh;
}

tp_emitter_def tpi_emitter_def_of(const tp_world *world, const tpi_emitter_item *item)
{
    tp_emitter_def def;
    tpi_memset(&def, 0, sizeof def);
    tpi_memcpy(&def, &item->def, sizeof item->def);
    tpi_feed_default(&def);
    if (tpi_has_feeds(world)) tpi_memcpy(&def.feed_kinds, &item->feed, sizeof item->feed);
    if (def.shape != TP_EMITTER_MESH) return def;
    def.vertices = (const tp_vector *)tpi_at(world, world->geometry + item->mesh.vertices);
    def.vertex_count = item->mesh.vertex_count;
    def.indices = tpi_words(world, world->geometry + item->mesh.indices);
    def.triangle_count = item->mesh.triangle_count;
    return def;
}

bool tpi_emitter_take_mesh(tp_world *world, const tp_emitter_def *def, tpi_mesh *mesh)
{
    uint32_t offset = 0;
    *mesh = tpi_emitter_mesh_at(def, 0);
    if (def->shape != TP_EMITTER_MESH) return true;
    if (!tpi_geometry_take(world, (uint32_t)tpi_emitter_geometry_bytes(mesh), &offset))
        return false;
    *mesh = tpi_emitter_mesh_at(def, offset);
    tp_vector *vertices = (tp_vector *)tpi_at(world, world->geometry + mesh->vertices);
    for (uint32_t v = 0; v < def->vertex_count; v++)
        vertices[v] = tpi_flat(world, def->vertices[v]);
    tpi_memcpy(tpi_words(world, world->geometry + mesh->indices), def->indices,
               def->triangle_count * 12u);
    tpi_emitter_sum_areas(world, def, tpi_words(world, world->geometry + mesh->extra));
    return true;
}

void tpi_emitter_free_mesh(tp_world *world, tpi_mesh *mesh)
{
    uint32_t offset = mesh->vertices;
    uint32_t bytes = (uint32_t)tpi_emitter_geometry_bytes(mesh);
    tpi_memset(mesh, 0, sizeof *mesh);
    tpi_geometry_free(world, offset, bytes);
}

/* Binary search for the triangle whose interval contains `share`: at most 24 halvings. */
static uint32_t emitter_find_triangle(const uint32_t *sums, uint32_t count, uint32_t share)
{
    uint32_t low = 0, high = count - 1u;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2u;
        if (sums[middle] > share)
            high = middle;
        else
            low = middle + 1u;
    }
    return low;
}

static tp_vector emitter_corner(const tp_world *world, const tpi_mesh *mesh, uint32_t corner)
{
    uint32_t index = tpi_words(world, world->geometry + mesh->indices)[corner];
    const float *vertex = tpi_floats(world, world->geometry + mesh->vertices) + (size_t)index * 3u;
    return tpi_vector(vertex[0], vertex[1], vertex[2]);
}

/* A uniform point of the parallelogram; its far half is folded back onto the triangle. */
static tp_vector emitter_place_mesh(const tp_world *world, const tpi_mesh *mesh, tpi_random_key key)
{
    const uint32_t *sums = tpi_words(world, world->geometry + mesh->extra);
    uint64_t whole = sums[mesh->triangle_count - 1u];
    uint32_t share = (uint32_t)((tpi_random_bits(key, TPI_EVENT_TRIANGLE) * whole) >> 32);
    uint32_t triangle = emitter_find_triangle(sums, mesh->triangle_count, share);
    tp_vector a = emitter_corner(world, mesh, triangle * 3u);
    tp_vector b = tpi_sub(emitter_corner(world, mesh, triangle * 3u + 1u), a);
    tp_vector c = tpi_sub(emitter_corner(world, mesh, triangle * 3u + 2u), a);
    float u = tpi_random_unit(key, TPI_EVENT_POINT), v = tpi_random_unit(key, TPI_EVENT_POINT + 1u);
    if (u + v > 1.0f) {
        u = 1.0f - u;
        v = 1.0f - v;
    }
    return tpi_add_scaled(tpi_add_scaled(a, b, u), c, v);
}

/* ---- all shapes ---- */

tp_vector tpi_emitter_position(const tp_world *world, const tpi_emitter_item *item,
                               tpi_random_key key)
{
    tp_vector size = item->def.size, position = {0.0f, 0.0f, 0.0f};
    uint32_t dimensions = tpi_dimensions(world);
    float side[3];
    for (uint32_t axis = 0; axis < 3; axis++)
        side[axis] = 2.0f * tpi_random_unit(key, TPI_EVENT_POINT + axis) - 1.0f;
    switch (item->def.shape) {
    case TP_EMITTER_POINT: break;
    case TP_EMITTER_DISC:
        if (dimensions == 3) {
            tp_vector disc = tpi_scale(tpi_random_ball(key, TPI_EVENT_POINT, 2), size.x);
            return tpi_vector(disc.x, 0.0f, disc.y);
        }
        position.x = side[0] * size.x;
        break;
    case TP_EMITTER_SEGMENT: position.x = side[0] * size.x; break;
    case TP_EMITTER_SPHERE:
        return tpi_scale(tpi_random_ball(key, TPI_EVENT_POINT, dimensions), size.x);
    case TP_EMITTER_BOX: return tpi_vector(side[0] * size.x, side[1] * size.y, side[2] * size.z);
    case TP_EMITTER_MESH: return emitter_place_mesh(world, &item->mesh, key);
    }
    return position;
}

#undef TPI_LATTICE_SIDE_MAX
#undef TPI_LATTICE_SLACK
#undef TPI_MESH_MAX
#undef TPI_AREA_WHOLE
#undef TPI_EVENT_POINT
#undef TPI_EVENT_TRIANGLE
