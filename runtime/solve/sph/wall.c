/* SPDX-License-Identifier: MIT
   runtime/solve/sph/wall.c - walls as the continuation of the fluid: what they add to densities,
           and the force that follows.
   reads   density sums, the walls near a particle      writes  nothing: results
   memory  two tables of 33 rows      cost    one walk over the walls per particle near one, and one
           more for its force
   after   the share of a kernel beyond a plane as a table of the distance (Koschier and Bender
           2017). Deviation: the wall is as dense as the fluid, so a particle's sums are divided by
           what the walls leave; forces are the gradient of the energy of these sums */
#include "sph.h"

/* At a distance of k / 32 support radii from a plane: the shares of the kernels (1 - q)^3 and
   (1 - q)^4 beyond it, of their integrals over all space. */
#define TPI_WALL_ROWS 32u
static const float wall_rows_2d[TPI_WALL_ROWS + 1u][2] = {
    {0.5000000f, 0.5000000f}, {0.4506037f, 0.4409315f}, {0.4027060f, 0.3844774f},
    {0.3570862f, 0.3318314f}, {0.3142108f, 0.2835902f}, {0.2743604f, 0.2400139f},
    {0.2376867f, 0.2011437f}, {0.2042462f, 0.1668724f}, {0.1740234f, 0.1369912f},
    {0.1469470f, 0.1112230f}, {0.1229029f, 0.0892470f}, {0.1017446f, 0.0707182f},
    {0.0833011f, 0.0552810f}, {0.0673840f, 0.0425809f}, {0.0537934f, 0.0322730f},
    {0.0423224f, 0.0240284f}, {0.0327620f, 0.0175390f}, {0.0249042f, 0.0125208f},
    {0.0185455f, 0.0087165f}, {0.0134894f, 0.0058962f}, {0.0095487f, 0.0038582f},
    {0.0065477f, 0.0024285f}, {0.0043235f, 0.0014596f}, {0.0027276f, 0.0008298f},
    {0.0016266f, 0.0004403f}, {0.0009033f, 0.0002142f}, {0.0004571f, 0.0000930f},
    {0.0002037f, 0.0000346f}, {0.0000755f, 0.0000103f}, {0.0000209f, 0.0000021f},
    {0.0000034f, 0.0000002f}, {0.0000002f, 0.0000000f}, {0.0000000f, 0.0000000f}};
static const float wall_rows_3d[TPI_WALL_ROWS + 1u][2] = {
    {0.5000000f, 0.5000000f}, {0.4532706f, 0.4455633f}, {0.4073605f, 0.3925088f},
    {0.3629474f, 0.3419048f}, {0.3205681f, 0.2945219f}, {0.2806327f, 0.2508781f},
    {0.2434387f, 0.2112799f}, {0.2091838f, 0.1758593f}, {0.1779785f, 0.1446076f},
    {0.1498578f, 0.1174042f}, {0.1247920f, 0.0940440f}, {0.1026976f, 0.0742597f},
    {0.0834465f, 0.0577420f}, {0.0668754f, 0.0441572f}, {0.0527939f, 0.0331612f},
    {0.0409927f, 0.0244117f}, {0.0312500f, 0.0175781f}, {0.0233384f, 0.0123488f},
    {0.0170302f, 0.0084368f}, {0.0121028f, 0.0055840f}, {0.0083427f, 0.0035630f},
    {0.0055496f, 0.0021784f}, {0.0035390f, 0.0012660f}, {0.0021448f, 0.0006921f},
    {0.0012207f, 0.0003510f}, {0.0006418f, 0.0001618f}, {0.0003042f, 0.0000659f},
    {0.0001251f, 0.0000226f}, {0.0000420f, 0.0000061f}, {0.0000102f, 0.0000011f},
    {0.0000014f, 0.0000001f}, {0.0000000f, 0.0000000f}, {0.0000000f, 0.0000000f}};

/* A wall covers the share `covered` of a kernel; what that changes by with the distance, over the
   support radius, and with the sum over the neighbours. */
typedef struct wall_cover {
    float covered, by_distance, by_sum;
} wall_cover;

/* An integral counts the core of the kernel, where the fluid has no second particle. So a sum s
   over neighbours in front of a wall with the share f has s / (s + c (1 - f)) of it. The constant
   c is that of square and cubic lattices; with it the first row at a wall has the sum of the bulk,
   to 1 % for support radii of 2 to 4 spacings. */
static wall_cover wall_cover_of(float share, float slope, float sum, float core)
{
    float rest = sum + core * (1.0f - share);
    if (!(rest > 0.0f)) return (wall_cover){0.0f, 0.0f, 0.0f};
    float part = sum / rest;
    return (wall_cover){.covered = share * part,
                        .by_distance = slope * part * ((sum + core) / rest),
                        .by_sum = share * core * (1.0f - share) / (rest * rest)};
}

/* What a wall at this distance covers of the kernel of a column: 0 density, 1 near density. */
static wall_cover wall_cover_at(const tp_world *world, float distance, uint32_t column, float sum)
{
    static const float cores[2][2] = {{0.28f, 0.30f}, {0.53f, 0.55f}};
    bool is_2d = tpi_dimensions(world) == 2;
    const float(*rows)[2] = is_2d ? wall_rows_2d : wall_rows_3d;
    float q = tpi_clamp(distance * tpi_sph_of(world)->inverse_radius, 0.0f, 1.0f);
    float at = q * (float)TPI_WALL_ROWS;
    uint32_t k = tpi_min_u32((uint32_t)at, TPI_WALL_ROWS - 1u);
    float share = rows[k][column], change = rows[k + 1u][column] - share;
    return wall_cover_of(share + change * (at - (float)k), change * (float)TPI_WALL_ROWS, sum,
                         cores[!is_2d][column]);
}

static tpi_wall_walk wall_walk_of(const tp_world *world, const tpi_sph_site *site)
{
    return (tpi_wall_walk){.point = site->point,
                           .within = world->constants.smoothing_radius,
                           .species = site->species};
}

bool tpi_sph_walls_meet(const tp_world *world, tpi_sph_site *site)
{
    tpi_wall_walk walk = wall_walk_of(world, site);
    tpi_wall wall;
    float changes[2] = {0.0f, 0.0f};
    site->free[0] = site->free[1] = 1.0f;
    for (site->wall_count = 0; tpi_wall_next(world, &walk, &wall); site->wall_count++) {
        if (site->wall_count < TPI_SPH_WALLS) site->walls[site->wall_count] = wall;
        for (uint32_t column = 0; column < 2; column++) {
            wall_cover cover = wall_cover_at(world, wall.distance, column, site->sum[column]);
            site->free[column] *= 1.0f - cover.covered;
            changes[column] += cover.by_sum / (1.0f - cover.covered);
        }
    }
    if (!site->wall_count) return false;
    for (uint32_t column = 0; column < 2; column++)
        site->gain[column] =
            (1.0f + (site->sum[column] + 1.0f) * changes[column]) / site->free[column];
    return true;
}

tp_vector tpi_sph_walls_push(const tp_world *world, const tpi_sph_site *site, float pressure,
                             float near_pressure)
{
    tpi_wall_walk walk = wall_walk_of(world, site);
    const bool is_kept = site->wall_count <= TPI_SPH_WALLS;
    tp_vector sum = {0.0f, 0.0f, 0.0f};
    const float weight[2] = {pressure * (-1.0f / 3.0f) * (site->sum[0] + 1.0f) / site->free[0],
                             near_pressure * (-1.0f / 4.0f) * (site->sum[1] + 1.0f) /
                                 site->free[1]};
    for (uint32_t w = 0; w < site->wall_count; w++) {
        tpi_wall wall;
        float push = 0.0f;
        if (is_kept)
            wall = site->walls[w];
        else
            (void)tpi_wall_next(world, &walk, &wall);
        for (uint32_t column = 0; column < 2; column++) {
            wall_cover cover = wall_cover_at(world, wall.distance, column, site->sum[column]);
            push += weight[column] * (cover.by_distance / (1.0f - cover.covered));
        }
        sum = tpi_add_scaled(sum, wall.normal, push);
    }
    return sum;
}

#undef TPI_WALL_ROWS
