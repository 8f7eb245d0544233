/* SPDX-License-Identifier: MIT
   runtime/field/curl.c - the curl of a vector field on a dense grid; interpolation at points.
   reads   three arrays of components      writes  rows of four numbers, one per node
   memory  the caller's                    cost    six differences per node
   after   central differences of fourth order; of second order beside the faces, and three points
           on them. Where all differences are of fourth order, the divergence of the curl, with the
           same differences, is 0 up to rounding */
#include "dense_lanes.h"

#define CURL_SIXTH 0.16666667f

/* Two nodes on both sides: the difference is of fourth order. */
TPI_INLINE bool curl_is_wide(uint32_t place, uint32_t size)
{
    return place > 1u && place + 2u < size;
}

/* How a derivative is taken at a place of an axis: from the first node of five or three, by how
   much its neighbours are apart in an array. */
typedef struct curl_line {
    uint32_t apart;
    bool is_first, is_last, is_wide;
} curl_line;
static curl_line curl_line_of(uint32_t apart, uint32_t place, uint32_t size)
{
    return (curl_line){apart, place == 0, place + 1u == size, curl_is_wide(place, size)};
}

/* Twice the spacing times the derivative at TPI_LANES nodes, across rows. */
TPI_INLINE tpi_lanes curl_across(const curl_line *line, const float *at)
{
    const size_t apart = line->apart;
    if (TPI_LIKELY(line->is_wide)) {
        tpi_lanes near = tpi_lanes_load(at + apart) - tpi_lanes_load(at - apart);
        tpi_lanes far = tpi_lanes_load(at + 2u * apart) - tpi_lanes_load(at - 2u * apart);
        return near + (near * 2.0f - far) * CURL_SIXTH;
    }
    if (line->is_first)
        return (tpi_lanes_load(at + apart) * 4.0f - tpi_lanes_load(at + 2u * apart)) -
               tpi_lanes_load(at) * 3.0f;
    if (line->is_last)
        return tpi_lanes_load(at) * 3.0f -
               (tpi_lanes_load(at - apart) * 4.0f - tpi_lanes_load(at - 2u * apart));
    return tpi_lanes_load(at + apart) - tpi_lanes_load(at - apart);
}

/* The same at one node. */
static float curl_across_one(const curl_line *line, const float *at)
{
    const size_t apart = line->apart;
    if (line->is_first) return (at[apart] * 4.0f - at[2u * apart]) - at[0] * 3.0f;
    if (line->is_last) return at[0] * 3.0f - ((at - apart)[0] * 4.0f - (at - 2u * apart)[0]);
    float near = at[apart] - (at - apart)[0];
    if (!line->is_wide) return near;
    return near + (near * 2.0f - (at[2u * apart] - (at - 2u * apart)[0])) * CURL_SIXTH;
}

/* A row of nodes. */
typedef struct curl_row {
    const float *component[3];
    curl_line y, z;
    uint32_t size, first; /* first: number of its first node */
    float half;           /* 1/m: of the inverse spacing */
} curl_row;

/* Along the row, of values whose even nodes come first, at node i. */
static float curl_along_one(const float *row, uint32_t size, uint32_t i)
{
    const float *mine = row + (i & 1u ? size / 2u + 1u : 0u) + i / 2u,
                *next = row + (i & 1u ? 0u : size / 2u + 1u) + (i + 1u) / 2u;
    if (i == 0) return (next[0] * 4.0f - mine[1]) - mine[0] * 3.0f;
    const float *before = next - 1;
    if (i + 1u == size) return mine[0] * 3.0f - (before[0] * 4.0f - (mine - 1)[0]);
    float near = next[0] - before[0];
    if (!curl_is_wide(i, size)) return near;
    return near + (near * 2.0f - (mine[1] - (mine - 1)[0])) * CURL_SIXTH;
}

/* One node, anywhere. */
static void curl_node(const curl_row *row, float *rows, uint32_t i)
{
    const uint32_t place = i / 2u + (i & 1u ? row->size / 2u + 1u : 0u);
    const float *const *of = row->component;
    float *to = rows + 4u * (size_t)(row->first + i);
    to[0] = (curl_across_one(&row->y, of[2] + place) - curl_across_one(&row->z, of[1] + place)) *
            row->half;
    to[1] =
        (curl_across_one(&row->z, of[0] + place) - curl_along_one(of[2], row->size, i)) * row->half;
    to[2] =
        (curl_along_one(of[1], row->size, i) - curl_across_one(&row->y, of[0] + place)) * row->half;
    to[3] = 0.0f;
}

#if TPI_LANES > 1
/* Along the row, of fourth order: `mine` are the values of nodes of one parity, `before` those of
   the nodes before them. */
TPI_INLINE tpi_lanes curl_along(const float *mine, const float *before)
{
    tpi_lanes near = tpi_lanes_load(before + 1) - tpi_lanes_load(before);
    tpi_lanes far = tpi_lanes_load(mine + 1) - tpi_lanes_load(mine - 1);
    return near + (near * 2.0f - far) * CURL_SIXTH;
}

/* `count` nodes i, i + 2, ... that have two nodes on both sides along the row, at most a vector. */
TPI_INLINE void curl_lanes(const curl_row *row, float *rows, uint32_t i, uint32_t count)
{
    const uint32_t odd = row->size / 2u + 1u, place = i / 2u + (i & 1u ? odd : 0u),
                   before = (i - 1u) / 2u + (i & 1u ? 0u : odd);
    const float *a = row->component[0], *b = row->component[1], *c = row->component[2];
    const tpi_lanes half = tpi_lanes_of(row->half);
    tpi_quad of[TPI_LANES];
    tpi_rows_of((curl_across(&row->y, c + place) - curl_across(&row->z, b + place)) * half,
                (curl_across(&row->z, a + place) - curl_along(c + place, c + before)) * half,
                (curl_along(b + place, b + before) - curl_across(&row->y, a + place)) * half,
                tpi_lanes_of(0.0f), of);
    float *to = rows + 4u * (size_t)(row->first + i);
    for (uint32_t lane = 0; lane < count; lane++)
        tpi_memcpy(to + 8u * (size_t)lane, &of[lane], 4u * sizeof(float));
}

/* The nodes of one parity that have two nodes on both sides; the last of several vectors repeats
   nodes. */
static void curl_half(const curl_row *row, float *rows, uint32_t i)
{
    const uint32_t count = (row->size - 1u - i) / 2u;
    if (count < TPI_LANES)
        curl_lanes(row, rows, i, count);
    else
        for (uint32_t e = 0; e < count; e += TPI_LANES)
            curl_lanes(row, rows, i + 2u * tpi_min_u32(e, count - TPI_LANES), TPI_LANES);
}
#endif

void tpi_curl_row(const tpi_curl *curl, uint32_t number)
{
    const uint32_t *size = curl->dense.size;
    curl_row row = {.y = curl_line_of(size[0], number % size[1], size[1]),
                    .z = curl_line_of(size[0] * size[1], number / size[1], size[2]),
                    .size = size[0],
                    .first = number * size[0],
                    .half = 0.5f / curl->dense.spacing};
    for (uint32_t c = 0; c < 3; c++)
        row.component[c] = curl->potential + (size_t)c * curl->stride + row.first;
    for (uint32_t i = 0; i < size[0]; i++) {
#if TPI_LANES > 1
        if (i == 2 && size[0] > 4u) {
            curl_half(&row, curl->rows, 2);
            curl_half(&row, curl->rows, 3);
            i = size[0] - 2u;
        }
#endif
        curl_node(&row, curl->rows, i);
    }
}

void tpi_dense_sample_points(const tpi_dense *dense, const float *rows, const tp_vector *points,
                             uint32_t count, tp_vector *values)
{
    for (uint32_t i = 0; i < count; i += TPI_LANES) {
        uint32_t here = tpi_min_u32(count - i, TPI_LANES);
        tpi_lanes x[3] = {tpi_lanes_of(0.0f), tpi_lanes_of(0.0f), tpi_lanes_of(0.0f)}, value[3];
        for (uint32_t k = 0; k < here; k++) {
            TPI_LANE(x[0], k) = points[i + k].x;
            TPI_LANE(x[1], k) = points[i + k].y;
            TPI_LANE(x[2], k) = points[i + k].z;
        }
        tpi_dense_sample(dense, rows, x, value);
        for (uint32_t k = 0; k < here; k++)
            values[i + k] =
                tpi_vector(TPI_LANE(value[0], k), TPI_LANE(value[1], k), TPI_LANE(value[2], k));
    }
}

#undef CURL_SIXTH
