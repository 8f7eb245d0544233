/* SPDX-License-Identifier: MIT
   tests/consumers/consumer.c - a user's program, as C and as C++: particles that fall into a box.
   reads   nothing      writes  a hash
   memory  a static block      cost  some ms
   after   own design */
#include <stdalign.h>
#include <stdio.h>
#include <tidepool.h>

alignas(16) static unsigned char block[TP_WORLD_BYTES(2, 100, 40, 20, 0) +
                                       TP_INCOMPRESSIBLE_BYTES(2, 100)];

int main(void)
{
    tp_world_def def = tp_world_default(2);
    tp_world *world;
    tp_collider tank;
    tp_field gravity;
    tp_collider_def walls = tp_collider_default(TP_COLLIDER_BOX);
    tp_field_def fall = tp_field_default(TP_FIELD_GRAVITY);
    def.particles_max = 100;
    def.solver = TP_SOLVER_SPH;
    walls.is_hollow = true;
    if (tp_world_create(&def, block, sizeof block, &world) != TP_OK)
        return puts(tp_world_check(&def)), 1;
    if (tp_collider_add(world, &walls, &tank) != TP_OK ||
        tp_field_add(world, &fall, &gravity) != TP_OK)
        return 1;
    for (uint32_t i = 0; i < 100; i++) {
        tp_vector at = {-0.54f + 0.12f * (float)(i % 10u), -0.54f + 0.12f * (float)(i / 10u), 0};
        tp_vector still = {0, 0, 0};
        if (tp_particle_add(world, at, still, 0, NULL) != TP_OK) return 1;
    }
    for (int frame = 0; frame < 30; frame++)
        if (tp_frame(world, NULL, NULL) < TP_OK) return 1;
    printf("%016llx\n", (unsigned long long)tp_world_hash(world));
    return 0;
}
