/* SPDX-License-Identifier: MIT
   ports/examples/float.c - a boat and a stone that the runtime moves, for games without an engine
           for rigid bodies.
   reads   nothing      writes  standard output
   memory  one static block      cost  about 300 000 units per frame
   after   own design; linked with tidepool.c. boat.c is the same for a game that has an engine */
#include "pool.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static _Alignas(16) unsigned char block[(POOL_BYTES(3) + TP_BODY_BYTES(2) + 15u) / 16u * 16u];

/* A box of width x height places of particles. */
static tp_result add_box(tp_world *world, tp_vector at, float width, float height, float density,
                         tp_body *body)
{
    tp_collider_def shape = tp_collider_default(TP_COLLIDER_BOX);
    tp_body_def def = tp_body_default();
    shape.half = (tp_vector){0.5f * width * POOL_SPACING, 0.5f * height * POOL_SPACING, 0};
    shape.pose.position = at;
    shape.pose.rotation = (tp_quaternion){0.9689124f, 0, 0, 0.2474040f}; /* 0.5 rad */
    tp_result result = tp_collider_add(world, &shape, &def.collider);
    def.mass = density * width * height; /* a particle is 1 kg */
    return result == TP_OK ? tp_body_add(world, &def, body) : result;
}

int main(void)
{
    tp_world_def def = pool_definition(3);
    def.bodies_max = 2;
    tp_world *world;
    tp_body boat, stone;
    const tp_vector left = {0.6f, 0.95f, 0}, right = {1.4f, 0.9f, 0};
    tp_result result = tp_world_create(&def, block, sizeof block, &world);
    if (result == TP_OK) result = pool_fill(world);
    if (result == TP_OK) result = add_box(world, left, 12, 4, 0.5f, &boat);
    if (result == TP_OK) result = add_box(world, right, 4, 3, 2.5f, &stone);
    for (uint32_t frame = 1; frame <= 20 * POOL_SECOND && result >= TP_OK; frame++) {
        tp_body_state b, s;
        result = tp_frame(world, NULL, NULL);
        if (result == TP_OK) result = tp_body_get(world, boat, &b);
        if (result == TP_OK) result = tp_body_get(world, stone, &s);
        if (result == TP_OK && frame % (5 * POOL_SECOND) == 0)
            printf("%2u s: boat %.2f m high, tilted by %.2f rad; stone %.2f m\n",
                   (unsigned)(frame / POOL_SECOND), (double)b.center.y,
                   2 * asin((double)b.pose.rotation.z), (double)s.center.y);
    }
    if (result < TP_OK) return puts(tp_result_text(result)), 1;
    printf("hash %016" PRIx64 "\n", tp_world_hash(world));
    return 0;
}
