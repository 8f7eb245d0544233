/* SPDX-License-Identifier: MIT
   ports/examples/float.c - a boat and a stone that the runtime moves, for games without an engine
           for rigid bodies.
   reads   nothing      writes  standard output; a picture, if its name is given
   memory  two static blocks and a picture      cost  about 300 000 units per frame
   after   own design; linked with tidepool.c. boat.c is the same for a game that has an engine */
#define PAINT_FILES
#include "paint.h"
#include "pool.h"
#include <inttypes.h>
#include <math.h>

static _Alignas(16) unsigned char block[POOL_BYTES(3)];

/* A box of width x height places of particles. */
static tp_result add_box(tp_world *world, tp_vector at, float width, float height, float density,
                         tp_body *body)
{
    tp_collider_def shape = tp_collider_default(TP_COLLIDER_BOX);
    tp_body_def def = tp_body_default();
    shape.half = (tp_vector){0.5f * width * POOL_SPACING, 0.5f * height * POOL_SPACING, 0};
    shape.pose = tp_pose_make(at.x, at.y, 0.5f);
    tp_result result = tp_collider_add(world, &shape, &def.collider);
    def.mass = density * width * height; /* a particle is 1 kg */
    return result == TP_OK ? tp_body_add(world, &def, body) : result;
}

static void draw_box(const paint *to, const tp_body_state *body, float half_x, float half_y,
                     uint32_t colour)
{
    for (int k = -1; k <= 1; k++) { /* three lines cover a box */
        float y = (float)k * 0.5f * half_y;
        float x = half_x - 0.5f * half_y;
        tp_vector left = tp_pose_point(body->pose, (tp_vector){-x, y, 0});
        tp_vector right = tp_pose_point(body->pose, (tp_vector){x, y, 0});
        paint_line(to, left, right, 0.5f * half_y, 0.5f * half_y, colour);
    }
}

/* The water as the surface of a query, and the two boxes. */
static bool draw(const tp_world *world, const tp_body_state *boat, const tp_body_state *stone,
                 const char *name)
{
    enum { WIDTH = 720, HEIGHT = 480 };
    static uint32_t pixels[WIDTH * HEIGHT];
    const paint picture = {pixels, WIDTH, HEIGHT, WIDTH / (POOL_COLUMNS * POOL_SPACING)};
    paint_sky(&picture, 0xff6fb7d8, 0xffffe9c9);
    if (paint_water(&picture, world, POOL_SPACING, 0xff3aa6d0, 0xff12507f) != TP_OK) return false;
    draw_box(&picture, boat, 6 * POOL_SPACING, 2 * POOL_SPACING, 0xffc8553d);
    draw_box(&picture, stone, 2 * POOL_SPACING, 1.5f * POOL_SPACING, 0xff6d6875);
    return paint_save(&picture, name);
}

int main(int count, char **arguments)
{
    tp_world_def def = pool_definition(3);
    tp_body_state b = {0}, s = {0};
    def.bodies_max = 2;
    tp_world *world;
    tp_body boat, stone;
    const tp_vector left = {0.6f, 0.95f, 0}, right = {1.4f, 0.9f, 0};
    tp_result result = tp_world_create(&def, block, sizeof block, &world);
    if (result == TP_OK) result = pool_fill(world);
    if (result == TP_OK) result = add_box(world, left, 12, 4, 0.5f, &boat);
    if (result == TP_OK) result = add_box(world, right, 4, 3, 2.5f, &stone);
    for (uint32_t frame = 1; frame <= 20 * POOL_SECOND && result >= TP_OK; frame++) {
        result = tp_frame(world, NULL, NULL);
        if (result == TP_OK) result = tp_body_get(world, boat, &b);
        if (result == TP_OK) result = tp_body_get(world, stone, &s);
        if (result == TP_OK && frame % (5 * POOL_SECOND) == 0)
            printf("%2u s: boat %.2f m high, tilted by %.2f rad; stone %.2f m\n",
                   (unsigned)(frame / POOL_SECOND), (double)b.center.y,
                   2 * asin((double)b.pose.rotation.z), (double)s.center.y);
    }
    if (result < TP_OK) return puts(tp_result_text(result)), 1;
    if (count > 1 && !draw(world, &b, &s, arguments[1])) return perror(arguments[1]), 1;
    printf("hash %016" PRIx64 "\n", tp_world_hash(world));
    return 0;
}
