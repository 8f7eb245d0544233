/* SPDX-License-Identifier: MIT
   ports/wasm/play_smoke.c - a plume of smoke, stirred by a ball that follows the pointer.
   reads   the pointer, see play.h      writes  its world, and the picture
   memory  three sums for each 2 x 2 pixels, and a column of light for each cell
   cost    the picture O(pixels + particles * cells of a kernel)
   after   own design; the world is that of host_tools/scenes/plume.scene, smaller, with the ball of
           jet.scene. Light from above is dimmed by the smoke over a particle (Beer and Lambert) */
#include "play.h"

#define SMOKE_TRACERS   9000u
#define SMOKE_VORTONS   2200u
#define SMOKE_SPACING   0.1f /* m, of the grid */
#define SMOKE_BALL      0.2f /* m, radius */
#define SMOKE_SPEED     2.5f /* m/s, of the ball at most */
#define SMOKE_HALF      (PLAY_SIDE / 2)
#define SMOKE_KERNEL    7.0f  /* cells of 2 x 2 pixels: radius of a particle's kernel */
#define SMOKE_THICKNESS 0.16f /* optical depth of a particle at its middle */
#define SMOKE_SHADOW    0.03f /* optical depth of a particle in its cell of the light */
#define SMOKE_CELLS     24    /* of the light, along each axis, 1 / 8 m each */

/* Behind and in front of the ball: optical depth, and the light that it sends on. */
static float smoke_depth[2][SMOKE_HALF * SMOKE_HALF], smoke_light[2][SMOKE_HALF * SMOKE_HALF];
static float smoke_shade[SMOKE_CELLS][SMOKE_CELLS][SMOKE_CELLS]; /* y, z, x: smoke above */

/* ---- the world */

static tp_world_def smoke_define(void)
{
    tp_world_def def = tp_world_default(3);
    def.particles_max = SMOKE_TRACERS + SMOKE_VORTONS;
    def.emitters_max = 2;
    def.colliders_max = 1;
    def.sinks_max = def.fields_max = 0;
    def.solver = TP_SOLVER_VORTEX;
    def.species_count = 2; /* smoke, and the vortons between smoke and air */
    def.overload = TP_OVERLOAD_DROP;
    tp_vortex *vortex = &def.vortex;
    vortex->grid_nodes[0] = vortex->grid_nodes[1] = 33;
    vortex->grid_nodes[2] = 17;
    vortex->grid_spacing = SMOKE_SPACING;
    vortex->grid_low = (tp_vector){-16 * SMOKE_SPACING, -1 * SMOKE_SPACING, -8 * SMOKE_SPACING};
    vortex->vortons_max = SMOKE_VORTONS;
    vortex->vorton_species = 2;
    vortex->lift = (tp_vector){0, 0.0009f, 0};
    vortex->lift_species = 1;
    vortex->cooling = 0.25f;
    vortex->viscosity = 0.01f;
    vortex->grip = 60;
    vortex->growth_max = 1.5f;
    vortex->strength_max = 0.01f;
    return def;
}

static tp_result smoke_emitter(tp_world *world, float height, float radius, uint32_t rate,
                               uint32_t species)
{
    tp_emitter_def def = tp_emitter_default();
    tp_emitter emitter;
    def.shape = TP_EMITTER_SPHERE;
    def.pose.position.y = height;
    def.size.x = radius;
    def.rate_numerator = rate;
    def.species = species;
    def.lifetime_ticks = 5 * 60 * TP_TICKS_PER_FRAME;
    def.lifetime_jitter = 0.3f;
    return tp_emitter_add(world, &def, &emitter);
}

static tp_result smoke_fill(tp_world *world)
{
    tp_collider_def ball = tp_collider_default(TP_COLLIDER_SPHERE);
    ball.pose.position = play_now.at = play_now.wanted = (tp_vector){0.9f, 1.1f, 0};
    ball.radius = SMOKE_BALL;
    tp_result result = tp_collider_add(world, &ball, &play_now.collider);
    if (result == TP_OK) result = smoke_emitter(world, 0.3f, 0.2f, 1900, 0);
    if (result == TP_OK) result = smoke_emitter(world, 0.33f, 0.33f, 440, 1);
    return result;
}

static tp_result smoke_move(tp_world *world) { return play_follow(world, SMOKE_SPEED); }

static tp_result smoke_hold(tp_world *world, bool is_held)
{
    (void)world, (void)is_held;
    return TP_OK;
}

/* ---- the picture */

/* A place of a particle among the eight cells of the light around it: the first of them, and the
   shares of the second ones, along y, z and x. */
typedef struct smoke_place {
    float *first, share[3];
} smoke_place;

static smoke_place smoke_place_of(const tp_view *view, uint32_t i)
{
    const float half = 0.5f * PLAY_EXTENT, scale = SMOKE_CELLS / PLAY_EXTENT;
    const float x[3] = {view->y[i], view->z[i] + half, view->x[i] + half};
    smoke_place place;
    int cells[3];
    for (int axis = 0; axis < 3; axis++) {
        const float cell = play_bound(x[axis] * scale - 0.5f, 0, SMOKE_CELLS - 1.001f);
        cells[axis] = (int)cell;
        place.share[axis] = cell - (float)cells[axis];
    }
    place.first = &smoke_shade[cells[0]][cells[1]][cells[2]];
    return place;
}

/* The smoke above the middle of each cell. */
static void smoke_dim(const tp_view *view)
{
    float *flat = &smoke_shade[0][0][0];
    const int layer = SMOKE_CELLS * SMOKE_CELLS;
    for (int i = 0; i < SMOKE_CELLS * layer; i++) flat[i] = 0;
    for (uint32_t i = 0; i < view->count; i++) {
        if (TP_META_SPECIES(view->meta[i]) != 0) continue;
        const smoke_place at = smoke_place_of(view, i);
        for (int k = 0; k < 8; k++) {
            const int offset = (k & 1 ? layer : 0) + (k & 2 ? SMOKE_CELLS : 0) + (k >> 2);
            const float y = k & 1 ? at.share[0] : 1 - at.share[0],
                        z = k & 2 ? at.share[1] : 1 - at.share[1],
                        x = k & 4 ? at.share[2] : 1 - at.share[2];
            at.first[offset] += SMOKE_SHADOW * x * y * z;
        }
    }
    for (int i = (SMOKE_CELLS - 1) * layer - 1; i >= 0; i--) flat[i] += flat[i + layer];
}

/* Between the middles of cells. */
static float smoke_above(const tp_view *view, uint32_t i)
{
    const smoke_place at = smoke_place_of(view, i);
    float planes[2];
    for (int plane = 0; plane < 2; plane++) {
        const float *cell = at.first + plane * SMOKE_CELLS * SMOKE_CELLS,
                    *next = cell + SMOKE_CELLS;
        const float near = cell[0] + (cell[1] - cell[0]) * at.share[2];
        const float far = next[0] + (next[1] - next[0]) * at.share[2];
        planes[plane] = near + (far - near) * at.share[1];
    }
    return planes[0] + (planes[1] - planes[0]) * at.share[0];
}

/* exp(-x) for x >= 0, within 3 %. */
static float smoke_fade(float x)
{
    const float part = 1 + 0.125f * x, square = part * part, fourth = square * square;
    return 1 / (fourth * fourth);
}

static void smoke_add(int side, float x, float y, float light)
{
    const int left = (int)play_bound(x - SMOKE_KERNEL, 0, SMOKE_HALF);
    const int right = (int)play_bound(x + SMOKE_KERNEL + 1, 0, SMOKE_HALF);
    const int top = (int)play_bound(y - SMOKE_KERNEL, 0, SMOKE_HALF);
    const int bottom = (int)play_bound(y + SMOKE_KERNEL + 1, 0, SMOKE_HALF);
    for (int row = top; row < bottom; row++) {
        const float up = (float)row + 0.5f - y, scale = 1 / (SMOKE_KERNEL * SMOKE_KERNEL);
        float *depth = &smoke_depth[side][row * SMOKE_HALF],
              *lights = &smoke_light[side][row * SMOKE_HALF];
        for (int column = left; column < right; column++) {
            const float across = (float)column + 0.5f - x;
            float share = 1 - (up * up + across * across) * scale;
            share = share > 0 ? SMOKE_THICKNESS * share * share : 0;
            depth[column] += share;
            lights[column] += share * light;
        }
    }
}

static void smoke_sum(const tp_view *view)
{
    const float scale = SMOKE_HALF / PLAY_EXTENT;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < SMOKE_HALF * SMOKE_HALF; i++)
            smoke_depth[side][i] = smoke_light[side][i] = 0;
    smoke_dim(view);
    for (uint32_t i = 0; i < view->count; i++) {
        if (TP_META_SPECIES(view->meta[i]) != 0) continue;
        smoke_add(view->z[i] > play_now.at.z, (view->x[i] + 0.5f * PLAY_EXTENT) * scale,
                  SMOKE_HALF - view->y[i] * scale, smoke_fade(smoke_above(view, i)));
    }
}

/* The ball's light at a pixel, or -1 beside it. */
static float smoke_ball(float x, float y)
{
    const float scale = PLAY_SIDE / PLAY_EXTENT, radius = SMOKE_BALL * scale;
    const float across = (x - (play_now.at.x + 0.5f * PLAY_EXTENT) * scale) / radius;
    const float up = (PLAY_SIDE - play_now.at.y * scale - y) / radius;
    const float square = across * across + up * up;
    if (square >= 1) return -1;
    return 0.2f +
           0.8f * play_bound(0.75f * up - 0.3f * across + 0.58f * play_root(1 - square), 0, 1);
}

/* A row of sums at the pixels, each between the middles of four cells. */
static void smoke_row(const float *sums, int y, float row[PLAY_SIDE])
{
    static float half[SMOKE_HALF + 2];
    const int top = y > 0 ? (y - 1) / 2 : 0, below = top + 1 < SMOKE_HALF ? top + 1 : top;
    const float *upper = sums + top * SMOKE_HALF, *lower = sums + below * SMOKE_HALF;
    const float share = y % 2 ? 0.25f : 0.75f;
    for (int i = 0; i < SMOKE_HALF; i++) half[i + 1] = upper[i] + (lower[i] - upper[i]) * share;
    half[0] = half[1], half[SMOKE_HALF + 1] = half[SMOKE_HALF];
    for (int i = 0; i < SMOKE_HALF; i++) {
        row[2 * i] = 0.25f * half[i] + 0.75f * half[i + 1];
        row[2 * i + 1] = 0.75f * half[i + 1] + 0.25f * half[i + 2];
    }
}

/* Smoke over a row of colours: its own light is a little warmer than that of the sky. */
static void smoke_over(float colours[3][PLAY_SIDE], int side, int y)
{
    static const float white[3] = {244, 238, 230}, grey[3] = {70, 76, 90};
    static float depth[PLAY_SIDE], light[PLAY_SIDE], through[PLAY_SIDE];
    smoke_row(smoke_depth[side], y, depth);
    smoke_row(smoke_light[side], y, light);
    for (int x = 0; x < PLAY_SIDE; x++) {
        through[x] = smoke_fade(depth[x]);
        light[x] /= depth[x] + 1e-9f;
    }
    for (int i = 0; i < 3; i++)
        for (int x = 0; x < PLAY_SIDE; x++) {
            const float own = grey[i] + (white[i] - grey[i]) * light[x];
            colours[i][x] = own + (colours[i][x] - own) * through[x];
        }
}

static void smoke_ball_row(float colours[3][PLAY_SIDE], int y)
{
    static const float ball[3] = {236, 96, 62};
    for (int x = 0; x < PLAY_SIDE; x++) {
        const float light = smoke_ball((float)x + 0.5f, (float)y + 0.5f);
        for (int i = 0; i < 3 && light >= 0; i++) colours[i][x] = ball[i] * light;
    }
}

static void smoke_draw(const tp_world *world, uint32_t *pixels)
{
    static float colours[3][PLAY_SIDE];
    const tp_view view = tp_world_view(world);
    const float scale = PLAY_SIDE / PLAY_EXTENT, radius = SMOKE_BALL * scale;
    smoke_sum(&view);
    for (int y = 0; y < PLAY_SIDE; y++) {
        const float off = PLAY_SIDE - play_now.at.y * scale - (float)y;
        for (int i = 0; i < 3; i++)
            for (int x = 0; x < PLAY_SIDE; x++) colours[i][x] = play_sky(i, y);
        smoke_over(colours, 0, y);
        if (off * off < (radius + 1) * (radius + 1)) smoke_ball_row(colours, y);
        smoke_over(colours, 1, y);
        for (int x = 0; x < PLAY_SIDE; x++)
            pixels[y * PLAY_SIDE + x] = play_pixel(colours[0][x], colours[1][x], colours[2][x]);
    }
}

const play_kind play_smoke = {smoke_define, smoke_fill, smoke_move, smoke_hold, smoke_draw};
