/* SPDX-License-Identifier: MIT
   ports/examples/game/draw.c - pictures of the game, drawn by the processor into an array.
   reads   the game      writes  pixels
   memory  two grids of the water      cost  O(pixels), some milliseconds
   after   own design; the water is a metaball surface: tp_query_grid, cut at half a particle */
#include "game.h"

#define COLUMNS 109u /* nodes of the grid, a particle apart */
#define ROWS    62u
#define EDGE    0.55f /* weight at the surface of the water */
#if defined(__wasm__)
#define RGB(hex) ((hex) >> 16 | ((hex)&0xff00u) | ((hex)&0xffu) << 16)
#else
#define RGB(hex) (hex)
#endif

static struct picture {
    uint32_t *pixels;
    int width, height;
    float scale; /* pixels per m */
} to;
static float body[COLUMNS * ROWS], foam[COLUMNS * ROWS];

static float clamp(float value, float low, float high)
{
    return value < low ? low : value > high ? high : value;
}

/* From colour a to b by a share 0..256. */
static uint32_t mix(uint32_t a, uint32_t b, uint32_t share)
{
    uint32_t odd = (a >> 8 & 0xff00ffu) * (256u - share) + (b >> 8 & 0xff00ffu) * share;
    uint32_t even = (a & 0xff00ffu) * (256u - share) + (b & 0xff00ffu) * share;
    return 0xff000000u | (odd & 0xff00ff00u) | (even >> 8 & 0xff00ffu);
}

/* Blends a colour into the pixels of a box, 0xAARRGGBB: where `inside` is positive, in pixels. */
typedef struct shape {
    const tp_vector *points; /* convex, counter-clockwise; of a line two */
    uint32_t count;
    float radius; /* of a line */
} shape;

static float inside_line(const shape *s, float x, float y)
{
    tp_vector a = s->points[0], b = s->points[1];
    float dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    float t = square > 0 ? clamp(((x - a.x) * dx + (y - a.y) * dy) / square, 0, 1) : 0;
    float ox = x - a.x - t * dx, oy = y - a.y - t * dy;
    return s->radius - __builtin_sqrtf(ox * ox + oy * oy);
}

static float inside_polygon(const shape *s, float x, float y)
{
    float least = 1e9f;
    for (uint32_t i = 0; i < s->count; i++) {
        tp_vector a = s->points[i], b = s->points[(i + 1) % s->count];
        float dx = b.x - a.x, dy = b.y - a.y, length = __builtin_sqrtf(dx * dx + dy * dy);
        float depth = (dx * (y - a.y) - dy * (x - a.x)) / (length > 0 ? length : 1);
        least = depth < least ? depth : least;
    }
    return least;
}

static void fill(shape s, uint32_t colour)
{
    float low_x = 1e9f, low_y = 1e9f, high_x = -1e9f, high_y = -1e9f, alpha = (float)(colour >> 24);
    for (uint32_t i = 0; i < s.count; i++) {
        low_x = s.points[i].x < low_x ? s.points[i].x : low_x;
        low_y = s.points[i].y < low_y ? s.points[i].y : low_y;
        high_x = s.points[i].x > high_x ? s.points[i].x : high_x;
        high_y = s.points[i].y > high_y ? s.points[i].y : high_y;
    }
    int left = (int)clamp((low_x - s.radius) * to.scale - 1, 0, (float)to.width);
    int right = (int)clamp((high_x + s.radius) * to.scale + 2, 0, (float)to.width);
    int top = (int)clamp((GAME_HEIGHT - high_y - s.radius) * to.scale - 1, 0, (float)to.height);
    int bottom = (int)clamp((GAME_HEIGHT - low_y + s.radius) * to.scale + 2, 0, (float)to.height);
    for (int row = top; row < bottom; row++)
        for (int column = left; column < right; column++) {
            float x = ((float)column + 0.5f) / to.scale,
                  y = GAME_HEIGHT - ((float)row + 0.5f) / to.scale;
            float depth = s.count == 2 ? inside_line(&s, x, y) : inside_polygon(&s, x, y);
            float share = clamp(depth * to.scale + 0.5f, 0, 1) * alpha * (256.0f / 255);
            uint32_t *pixel = &to.pixels[row * to.width + column];
            if (share > 0) *pixel = mix(*pixel, RGB(colour & 0xffffffu), (uint32_t)share);
        }
}

static void line(tp_vector from, tp_vector to_point, float radius, uint32_t colour)
{
    tp_vector points[2] = {from, to_point};
    fill((shape){points, 2, radius}, colour);
}

static void box(float x, float y, float half_x, float half_y, uint32_t colour)
{
    tp_vector points[4] = {{x - half_x, y - half_y, 0},
                           {x + half_x, y - half_y, 0},
                           {x + half_x, y + half_y, 0},
                           {x - half_x, y + half_y, 0}};
    fill((shape){points, 4, 0}, colour);
}

static void draw_sky(void)
{
    for (int row = 0; row < to.height; row++) {
        uint32_t share = (uint32_t)(row * 256 / to.height);
        uint32_t colour = mix(RGB(0x6fb7d8u), RGB(0xffe9c9u), share);
        for (int column = 0; column < to.width; column++)
            to.pixels[row * to.width + column] = colour;
    }
    tp_vector sun = {8.7f, 4.9f, 0},
              hills[3] = {{2.2f, -2.2f, 0}, {6.6f, -3.6f, 0}, {10.4f, -2.6f, 0}};
    line(sun, sun, 0.62f, 0x50fff6d8u);
    line(sun, sun, 0.45f, 0xfffff3c4u);
    for (uint32_t k = 0; k < 3; k++)
        line(hills[k], hills[k], 5.4f, k % 2 ? 0xffa9cfa0u : 0xff8fc0a5u);
}

/* The weights of particles at the nodes, and white where the water is fast. */
static void sample_water(void)
{
    const game *g = game_look();
    tp_view view = tp_world_view(g->water);
    tp_sample_grid grid = {TP_GRID_WEIGHT, ~0u, {0, 0, 0}, GAME_SPACING, COLUMNS, ROWS, 1};
    if (tp_query_update(g->query, g->water, 0) != TP_OK) return;
    if (tp_query_grid(g->query, &grid, 0, NULL, body, COLUMNS * ROWS) != TP_OK) return;
    for (uint32_t node = 0; node < COLUMNS * ROWS; node++) foam[node] = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        float speed = view.vx[i] * view.vx[i] + view.vy[i] * view.vy[i];
        uint32_t column = (uint32_t)(view.x[i] / GAME_SPACING + 0.5f),
                 row = (uint32_t)(view.y[i] / GAME_SPACING + 0.5f);
        if (speed > 6 && column < COLUMNS && row < ROWS)
            foam[row * COLUMNS + column] += speed < 20 ? 0.02f * speed : 0.4f;
    }
    /* No particles are behind the walls: the water does not get thinner there. */
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t k = 0; k < 2; k++) {
            float *left = &body[row * COLUMNS + k], *right = &body[(row + 1) * COLUMNS - 1 - k];
            *left = body[row * COLUMNS + 2] > *left ? body[row * COLUMNS + 2] : *left;
            *right =
                body[(row + 1) * COLUMNS - 3] > *right ? body[(row + 1) * COLUMNS - 3] : *right;
        }
    for (uint32_t k = 0; k < 2 * COLUMNS; k++)
        body[k] =
            body[2 * COLUMNS + k % COLUMNS] > body[k] ? body[2 * COLUMNS + k % COLUMNS] : body[k];
}

static float between(const float *grid, uint32_t node, float x, float y)
{
    float low = grid[node] + x * (grid[node + 1] - grid[node]);
    float high = grid[node + COLUMNS] + x * (grid[node + COLUMNS + 1] - grid[node + COLUMNS]);
    return low + y * (high - low);
}

static void draw_water(void)
{
    for (int row = 0; row < to.height; row++) {
        float y = (GAME_HEIGHT - ((float)row + 0.5f) / to.scale) / GAME_SPACING;
        uint32_t low = (uint32_t)clamp(y, 0, ROWS - 2), deep = (uint32_t)clamp(256 - y * 9, 0, 256);
        uint32_t blue = mix(RGB(0x3aa6d0u), RGB(0x12507fu), deep);
        for (int column = 0; column < to.width; column++) {
            float x = ((float)column + 0.5f) / to.scale / GAME_SPACING;
            uint32_t left = (uint32_t)clamp(x, 0, COLUMNS - 2), node = low * COLUMNS + left;
            float weight = between(body, node, x - (float)left, y - (float)low);
            if (weight < EDGE) continue;
            float white = between(foam, node, x - (float)left, y - (float)low);
            float rim = clamp(1 - (weight - EDGE) * 0.45f, 0, 1);
            uint32_t *pixel = &to.pixels[row * to.width + column];
            uint32_t colour = mix(blue, RGB(0xbfe8f2u), (uint32_t)(rim * rim * 150));
            colour = mix(colour, RGB(0xffffffu), (uint32_t)(clamp(white * 0.5f, 0, 0.75f) * 256));
            *pixel = mix(*pixel, colour, (uint32_t)(clamp((weight - EDGE) * 4, 0, 0.86f) * 256));
        }
    }
}

static tp_vector at(const tp_pose *pose, float x, float y)
{
    float c = 1 - 2 * pose->rotation.z * pose->rotation.z,
          s = 2 * pose->rotation.w * pose->rotation.z;
    return (tp_vector){pose->position.x + c * x - s * y, pose->position.y + s * x + c * y, 0};
}

static void draw_boat(uint32_t boat, const tp_pose *p)
{
    static const uint32_t hulls[GAME_BOATS] = {0xffc8553du, 0xff588b8bu, 0xff8c4a6cu};
    static const uint32_t sails[GAME_BOATS] = {0xfffff8e7u, 0xffffd5a0u, 0xfff28f3bu};
    float x = game_halves[boat].x, y = game_halves[boat].y, mast = 1.7f * x;
    tp_vector hull[4] = {at(p, -0.8f * x, -y), at(p, 0.8f * x, -y), at(p, x, y), at(p, -x, y)};
    tp_vector strip[4] = {at(p, -0.96f * x, 0.55f * y), at(p, 0.96f * x, 0.55f * y), at(p, x, y),
                          at(p, -x, y)};
    tp_vector sail[3] = {at(p, 0.05f * x, y * 1.3f), at(p, 0.85f * x, y * 1.3f),
                         at(p, 0.05f * x, y + mast)};
    tp_vector jib[3] = {at(p, -0.7f * x, y * 1.3f), at(p, -0.07f * x, y * 1.3f),
                        at(p, -0.07f * x, y + 0.75f * mast)};
    line(at(p, 0, y), at(p, 0, y + 1.05f * mast), 0.02f, 0xff5b4636u);
    fill((shape){sail, 3, 0}, sails[boat]);
    fill((shape){jib, 3, 0}, sails[boat] - 0x00101010u);
    line(at(p, 0, -y), at(p, 0, -2.3f * y), 0.025f, 0xff5b4636u);
    line(at(p, -0.14f, -2.3f * y), at(p, 0.14f, -2.3f * y), 0.05f, 0xff3d405bu);
    fill((shape){hull, 4, 0}, hulls[boat]);
    fill((shape){strip, 4, 0}, 0xffffffffu);
}

/* The links as thick lines, first darker and wider. */
static void draw_jellies(void)
{
    static tp_vector beads[GAME_JELLIES * GAME_BEADS];
    const game *g = game_look();
    tp_view view = tp_world_view(g->soft);
    for (uint32_t i = 0; i < view.count; i++)
        beads[view.id[i]] = (tp_vector){view.x[i], view.y[i], 0};
    for (uint32_t k = 0; k < 2 * GAME_JELLIES * GAME_LINKS; k++) {
        uint32_t link = k % GAME_LINKS, jelly = k / GAME_LINKS / 2;
        bool is_rim = k / GAME_LINKS % 2 == 0;
        uint32_t colour = jelly    ? is_rim ? 0xff2f9e68u : 0xff6fd49au
                          : is_rim ? 0xffc23a73u
                                   : 0xfff481adu;
        const tp_vector *own = &beads[jelly * GAME_BEADS];
        line(own[g->links[link][0]], own[g->links[link][1]], is_rim ? 0.12f : 0.085f, colour);
    }
    for (uint32_t jelly = 0; jelly < GAME_JELLIES; jelly++)
        for (int eye = -1; eye <= 1; eye += 2) {
            tp_vector p = beads[jelly * GAME_BEADS + (GAME_BEADS - 1) / 2];
            p.x += 0.12f * (float)eye, p.y += 0.08f;
            line(p, p, 0.075f, 0xffffffffu);
            p.x += 0.01f * (float)eye, p.y -= 0.015f;
            line(p, p, 0.038f, 0xff2b2d42u);
        }
}

static void draw_parts(void)
{
    const game *g = game_look();
    for (uint32_t w = 0; w < GAME_WHEELS; w++) {
        for (uint32_t b = 0; b < GAME_BLADES; b++) {
            line(g->hubs[w], g->blades[w][b][1], 0.025f, 0xff7a5a3cu);
            line(g->blades[w][b][0], g->blades[w][b][1], 0.05f, 0xffa9794au);
        }
        line(g->hubs[w], g->hubs[w], w ? 0.08f : 0.16f, 0xff5b4636u);
    }
    box(1.61f, 3.3f, 1.61f, 0.1f, 0xff6d6875u);
    box(1.61f, 3.38f, 1.61f, 0.02f, 0xff8f8a99u);
    box(0.7f, 5.95f, 0.33f, 0.14f, 0xff4a4e69u);
    box(0.12f, 0.2f, 0.12f, 0.2f, 0xc04a4e69u);
    tp_vector low = g->state.paddle, high = g->state.paddle;
    low.y -= 0.4f, high.y += 0.4f;
    line(low, high, 0.1f, 0xff33415cu);
    line(low, high, 0.06f, 0xfffcbf49u);
    for (uint32_t lamp = 0; lamp < 12; lamp++) { /* 60 J each */
        tp_vector p = {4.3f + 0.35f * (float)lamp, 5.83f, 0};
        bool is_lit = g->state.energy > 60.0f * (float)(lamp + 1);
        if (is_lit) line(p, p, 0.17f, 0x60fff3b0u);
        line(p, p, 0.08f, is_lit ? 0xffffd60au : 0x80495057u);
    }
}

/* The work of the last picture by stages, the limit at the right end, a square for each frame
   that is owed, and arrows while time runs backwards. */
static void draw_bar(uint32_t budget_units)
{
    static const struct {
        tp_stage first, last;
        uint32_t colour;
    } parts[5] = {{TP_STAGE_RECYCLE, TP_STAGE_GRID, 0xffadb5bdu},
                  {TP_STAGE_PAIRS, TP_STAGE_NEAREST, 0xff4cc9f0u},
                  {TP_STAGE_PRESSURE, TP_STAGE_FORCE, 0xff4361eeu},
                  {TP_STAGE_COLLIDE, TP_STAGE_COMMIT, 0xfff8961eu},
                  {TP_STAGE_CACHE_WRITE, TP_STAGE_CACHE_READ, 0xffb5179eu}};
    const game *g = game_look();
    float x = 7.35f, length = 3.2f / (float)(budget_units ? budget_units : 1u);
    box(8.95f, 5.52f, 1.65f, 0.09f, 0x9022223bu);
    for (uint32_t k = 0; k <= 5; k++) {
        uint64_t units = k == 5 ? g->soft_units : 0;
        for (uint32_t s = k < 5 ? parts[k].first : 1; s <= (k < 5 ? (uint32_t)parts[k].last : 0);
             s++)
            units += g->stage_units[s];
        float half = 0.5f * length * (float)units;
        half = x + 2 * half > 10.55f ? 0.5f * (10.55f - x) : half;
        box(x + half, 5.52f, half, 0.05f, k < 5 ? parts[k].colour : 0xfff72585u);
        x += 2 * half;
    }
    for (uint32_t k = 0; k < g->owed; k++)
        box(7.4f + 0.16f * (float)k, 5.34f, 0.05f, 0.05f, 0xfff94144u);
    for (uint32_t k = 0; k < 2 && g->is_rewinding; k++) {
        tp_vector arrow[3] = {{5.0f + 0.5f * (float)k, 3.6f, 0},
                              {5.5f + 0.5f * (float)k, 3.3f, 0},
                              {5.5f + 0.5f * (float)k, 3.9f, 0}};
        fill((shape){arrow, 3, 0}, 0xc0ffffffu);
    }
}

void game_draw(uint32_t *pixels, uint32_t width, uint32_t height, uint32_t budget_units)
{
    const game *g = game_look();
    to = (struct picture){pixels, (int)width, (int)height, (float)width / GAME_WIDTH};
    draw_sky();
    sample_water();
    draw_parts();
    draw_water();
    for (uint32_t b = 0; b < GAME_BOATS; b++) {
        tp_body_state boat;
        if (tp_body_get(g->water, g->bodies[b], &boat) == TP_OK) draw_boat(b, &boat.pose);
    }
    draw_jellies();
    box(3.16f, 4.15f + g->state.lift, 0.06f, 0.75f, 0xff4a4e69u);
    draw_bar(budget_units);
}
