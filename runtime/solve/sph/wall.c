/* SPDX-License-Identifier: MIT
   runtime/solve/sph/wall.c - shares of the kernels beyond a plane.
   reads   nothing      writes  nothing
   memory  two tables of 33 rows      cost    none
   after   the share of a kernel beyond a plane as a table of the distance (Koschier and Bender
           2017): see wall_lanes.h */
#include "sph.h"

/* At a distance of k / 32 support radii from a plane: the shares of the kernels (1 - q)^3, then
   (1 - q)^4, beyond it, of their integrals over all space. */
static const float wall_rows_2d[2][TPI_SPH_WALL_ROWS + 1u] = {
    {0.5000000f, 0.4506037f, 0.4027060f, 0.3570862f, 0.3142108f, 0.2743604f, 0.2376867f,
     0.2042462f, 0.1740234f, 0.1469470f, 0.1229029f, 0.1017446f, 0.0833011f, 0.0673840f,
     0.0537934f, 0.0423224f, 0.0327620f, 0.0249042f, 0.0185455f, 0.0134894f, 0.0095487f,
     0.0065477f, 0.0043235f, 0.0027276f, 0.0016266f, 0.0009033f, 0.0004571f, 0.0002037f,
     0.0000755f, 0.0000209f, 0.0000034f, 0.0000002f, 0.0000000f},
    {0.5000000f, 0.4409315f, 0.3844774f, 0.3318314f, 0.2835902f, 0.2400139f, 0.2011437f,
     0.1668724f, 0.1369912f, 0.1112230f, 0.0892470f, 0.0707182f, 0.0552810f, 0.0425809f,
     0.0322730f, 0.0240284f, 0.0175390f, 0.0125208f, 0.0087165f, 0.0058962f, 0.0038582f,
     0.0024285f, 0.0014596f, 0.0008298f, 0.0004403f, 0.0002142f, 0.0000930f, 0.0000346f,
     0.0000103f, 0.0000021f, 0.0000002f, 0.0000000f, 0.0000000f}};
static const float wall_rows_3d[2][TPI_SPH_WALL_ROWS + 1u] = {
    {0.5000000f, 0.4532706f, 0.4073605f, 0.3629474f, 0.3205681f, 0.2806327f, 0.2434387f,
     0.2091838f, 0.1779785f, 0.1498578f, 0.1247920f, 0.1026976f, 0.0834465f, 0.0668754f,
     0.0527939f, 0.0409927f, 0.0312500f, 0.0233384f, 0.0170302f, 0.0121028f, 0.0083427f,
     0.0055496f, 0.0035390f, 0.0021448f, 0.0012207f, 0.0006418f, 0.0003042f, 0.0001251f,
     0.0000420f, 0.0000102f, 0.0000014f, 0.0000000f, 0.0000000f},
    {0.5000000f, 0.4455633f, 0.3925088f, 0.3419048f, 0.2945219f, 0.2508781f, 0.2112799f,
     0.1758593f, 0.1446076f, 0.1174042f, 0.0940440f, 0.0742597f, 0.0577420f, 0.0441572f,
     0.0331612f, 0.0244117f, 0.0175781f, 0.0123488f, 0.0084368f, 0.0055840f, 0.0035630f,
     0.0021784f, 0.0012660f, 0.0006921f, 0.0003510f, 0.0001618f, 0.0000659f, 0.0000226f,
     0.0000061f, 0.0000011f, 0.0000001f, 0.0000000f, 0.0000000f}};

const float *tpi_sph_wall_rows(uint32_t dimensions, uint32_t column)
{
    return dimensions == 2 ? wall_rows_2d[column] : wall_rows_3d[column];
}
