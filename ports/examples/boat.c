/* SPDX-License-Identifier: MIT
   ports/examples/boat.c - a boat that floats: its motion is the game's, its load the runtime's.
   reads   nothing      writes  standard output
   memory  one static block      cost  about 300 000 units per frame
   after   own design; linked with tidepool.c. A rigid-body engine takes the place of boat_step */
#include "pool.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static _Alignas(16) unsigned char block[POOL_BYTES(2)];

/* A rigid body in 2D. */
typedef struct boat {
    tp_vector half; /* m */
    float mass, inertia;
    tp_pose pose;
    tp_vector velocity;
    float spin;            /* 1/s */
    tp_vector impulse;     /* N s: received and not yet applied */
    float angular_impulse; /* N m s, likewise */
} boat;

/* 12 x 4 places of particles, half as dense as water: its mass is that of 24 particles. */
static boat boat_make(float x, float y)
{
    boat made = {.half = {6 * POOL_SPACING, 2 * POOL_SPACING, 0}, .mass = 24};
    made.inertia =
        made.mass * (made.half.x * made.half.x + made.half.y * made.half.y) * (1.0f / 3.0f);
    made.pose.position = (tp_vector){x, y, 0};
    made.pose.rotation = (tp_quaternion){0.9689124f, 0, 0, 0.2474040f}; /* 0.5 rad */
    return made;
}

/* Water that a body moves has a mass, too, and answers a frame later. If a body takes each impulse
   at once, a light one swings more with every frame: this one flies off if it takes 0.3 of what it
   is owed, and rests with 0.2. Nothing is lost: the remainder follows. */
static void boat_step(boat *b, const tp_load *load, float seconds)
{
    const float share = 0.2f;
    b->impulse.x += load->impulse.x;
    b->impulse.y += load->impulse.y;
    b->angular_impulse += load->torque.z * seconds;
    b->velocity.x += share * b->impulse.x / b->mass;
    b->velocity.y += share * b->impulse.y / b->mass - 9.81f * seconds;
    b->spin += share * b->angular_impulse / b->inertia;
    b->impulse.x *= 1 - share;
    b->impulse.y *= 1 - share;
    b->angular_impulse *= 1 - share;

    b->pose.position.x += b->velocity.x * seconds;
    b->pose.position.y += b->velocity.y * seconds;
    tp_quaternion q = b->pose.rotation;
    float half_angle = 0.5f * b->spin * seconds;
    float w = q.w - half_angle * q.z, z = q.z + half_angle * q.w;
    float length = sqrtf(w * w + z * z);
    b->pose.rotation = (tp_quaternion){w / length, 0, 0, z / length};
}

static tp_result add_hull(tp_world *world, const boat *b, tp_collider *hull)
{
    tp_collider_def solid = tp_collider_default(TP_COLLIDER_BOX);
    solid.half = b->half;
    solid.pose = b->pose;
    return tp_collider_add(world, &solid, hull);
}

int main(void)
{
    tp_world_def def = pool_definition(2);
    boat b = boat_make(POOL_COLUMNS * POOL_SPACING / 2, POOL_ROWS * POOL_SPACING + 0.2f);
    tp_world *world;
    tp_collider hull;
    tp_result result = tp_world_create(&def, block, sizeof block, &world);
    if (result == TP_OK) result = pool_fill(world);
    if (result == TP_OK) result = add_hull(world, &b, &hull);
    for (uint32_t frame = 1; frame <= 20 * POOL_SECOND && result >= TP_OK; frame++) {
        tp_load load;
        result = tp_collider_move(world, hull, b.pose);
        if (result == TP_OK) result = tp_frame(world, NULL, NULL);
        if (result == TP_OK) result = tp_collider_load(world, hull, &load);
        if (result == TP_OK) boat_step(&b, &load, 1.0f / POOL_SECOND);
        if (frame % (5 * POOL_SECOND) == 0)
            printf("%2u s: %.2f m high, tilted by %.2f rad\n", (unsigned)(frame / POOL_SECOND),
                   (double)b.pose.position.y, 2 * asin((double)b.pose.rotation.z));
    }
    if (result < TP_OK) return puts(tp_result_text(result)), 1;
    printf("hash %016" PRIx64 "\n", tp_world_hash(world));
    return 0;
}
