/* SPDX-License-Identifier: MIT
   runtime/field/curl.c - the curl of a vector field on a dense grid; interpolation at points.
   reads   three arrays of components      writes  rows of four numbers, one per node
   memory  the caller's                    cost    six differences per node
   after   central differences of fourth order; of second order beside the faces, and three points
           on them. Where all differences are of fourth order, the divergence of the curl, with the
           same differences, is 0 up to rounding */
#include "dense_lanes.h"

/* The nodes of one axis: how far apart their values are, and the place of one of them. */
typedef struct curl_line {
    uint32_t apart, place, size;
} curl_line;

#define CURL_SIXTH 0.16666667f

/* Two nodes on both sides: the difference is of fourth order. */
TPI_INLINE bool curl_is_wide(uint32_t place, uint32_t size)
{
    return place > 1u && place + 2u < size;
}

/* Twice the spacing times the derivative. */
static float curl_difference(const curl_line *line, const float *at)
{
    uint32_t apart = line->apart;
    if (line->place == 0) return (at[apart] * 4.0f - at[2u * apart]) - at[0] * 3.0f;
    if (line->place + 1u == line->size)
        return at[0] * 3.0f - (at[-(ptrdiff_t)apart] * 4.0f - at[-2 * (ptrdiff_t)apart]);
    float near = at[apart] - at[-(ptrdiff_t)apart];
    if (!curl_is_wide(line->place, line->size)) return near;
    return near + (near * 2.0f - (at[2u * apart] - at[-2 * (ptrdiff_t)apart])) * CURL_SIXTH;
}

/* One node, anywhere. */
static void curl_node(const tpi_curl *curl, uint32_t i, uint32_t j, uint32_t k)
{
    const uint32_t *size = curl->dense.size, place[3] = {i, j, k};
    uint32_t node = tpi_dense_node(size, i, j, k);
    float half = 0.5f / curl->dense.spacing, *to = curl->rows + 4u * (size_t)node;
    for (uint32_t c = 0; c < 3; c++) {
        uint32_t next = c == 2u ? 0u : c + 1u, last = 3u - c - next;
        curl_line along = {1, place[next], size[next]}, beside = {1, place[last], size[last]};
        for (uint32_t axis = 0; axis < next; axis++) along.apart *= size[axis];
        for (uint32_t axis = 0; axis < last; axis++) beside.apart *= size[axis];
        const float *far = curl->potential + (size_t)last * curl->stride + node;
        const float *near = curl->potential + (size_t)next * curl->stride + node;
        to[c] = (curl_difference(&along, far) - curl_difference(&beside, near)) * half;
    }
    to[3] = 0.0f;
}

#if TPI_LANES > 1
TPI_INLINE tpi_lanes curl_central(const float *at, uint32_t apart, bool is_wide)
{
    tpi_lanes near = tpi_lanes_load(at + apart) - tpi_lanes_load(at - apart);
    if (!is_wide) return near;
    tpi_lanes far = tpi_lanes_load(at + 2u * apart) - tpi_lanes_load(at - 2u * apart);
    return near + (near * tpi_lanes_of(2.0f) - far) * tpi_lanes_of(CURL_SIXTH);
}

/* TPI_LANES nodes of row j, k that have two nodes on both sides along x, and one along y and z. */
static void curl_lanes(const tpi_curl *curl, uint32_t i, uint32_t j, uint32_t k)
{
    const uint32_t *size = curl->dense.size;
    uint32_t y = size[0], z = y * size[1], node = tpi_dense_node(size, i, j, k);
    bool wide_y = curl_is_wide(j, size[1]), wide_z = curl_is_wide(k, size[2]);
    const float *a = curl->potential + node, *b = a + curl->stride, *c = b + curl->stride;
    tpi_lanes half = tpi_lanes_of(0.5f / curl->dense.spacing);
    tpi_rows_store_four(curl->rows + 4u * (size_t)node,
                        (curl_central(c, y, wide_y) - curl_central(b, z, wide_z)) * half,
                        (curl_central(a, z, wide_z) - curl_central(c, 1, true)) * half,
                        (curl_central(b, 1, true) - curl_central(a, y, wide_y)) * half,
                        tpi_lanes_of(0.0f));
}

/* The nodes of a row that have two nodes on both sides, from node 2 on; the last vector repeats
   nodes. Returns the first node that is left. */
static uint32_t curl_inside(const tpi_curl *curl, uint32_t j, uint32_t k)
{
    uint32_t i = 2, last = curl->dense.size[0] - 2u;
    for (; i + TPI_LANES <= last; i += TPI_LANES) curl_lanes(curl, i, j, k);
    if (i >= last || last < 2u + TPI_LANES) return i;
    curl_lanes(curl, last - TPI_LANES, j, k);
    return last;
}
#endif

void tpi_curl_row(const tpi_curl *curl, uint32_t row)
{
    const uint32_t *size = curl->dense.size;
    uint32_t j = row % size[1], k = row / size[1], i = 2;
    curl_node(curl, 0, j, k);
    curl_node(curl, 1, j, k);
#if TPI_LANES > 1
    if (j > 0 && j + 1u < size[1] && k > 0 && k + 1u < size[2]) i = curl_inside(curl, j, k);
#endif
    for (; i < size[0]; i++) curl_node(curl, i, j, k);
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
