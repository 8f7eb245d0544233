/* SPDX-License-Identifier: MIT
   tests/harness/corridor_help.c - levels of rooms of one sector of 1 m.
   reads   nothing      writes  what is passed in
   memory  a world      cost    that of the runtime's calls
   after   own design */
#include "corridor_help.h"
#include "test.h"
#include <string.h>

int16_t *corridor_sector(corridor *of, uint32_t number, uint32_t column, uint32_t row)
{
    return of->words + 1u + 4u * of->count + 9u * (9u * number + 3u * column + row);
}

corridor corridor_make(uint32_t count, bool is_shaft)
{
    corridor of = {.count = count, .high = {1, 1, 1}, .radius = .01f};
    of.words[0] = (int16_t)count;
    for (uint32_t number = 0; number < count; number++) {
        const int16_t place[4] = {is_shaft ? -1 : (int16_t)((int32_t)number - 1), -1, 3, 3};
        memcpy(of.words + 1u + 4u * number, place, sizeof place);
        int16_t before = (int16_t)((int32_t)number - 1),
                after = (int16_t)(number + 1 < count ? (int32_t)number + 1 : -1);
        for (uint32_t k = 0; k < 9; k++) {
            int16_t *sector = corridor_sector(&of, number, k / 3, k % 3);
            memset(sector, 0, 9 * sizeof *sector);
            sector[0] = -2;
            sector[1] = sector[2] = -1;
        }
        int16_t *open = corridor_sector(&of, number, 1, 1);
        open[0] = -1;
        open[1] = is_shaft ? before : -1;
        open[2] = is_shaft ? after : -1;
        open[3] = is_shaft ? (int16_t)(4 * number) : 0;
        open[6] = (int16_t)(open[3] + 4);
        if (is_shaft) continue;
        if (before >= 0) *corridor_sector(&of, number, 0, 1) = before;
        if (after >= 0) *corridor_sector(&of, number, 2, 1) = after;
    }
    if (is_shaft)
        of.high.y = (float)count;
    else
        of.high.x = (float)count;
    return of;
}

test_world corridor_world(const corridor *of, float restitution, tp_collider *collider)
{
    static const uint8_t faces[6][4] = {{0, 4, 5, 1}, {2, 3, 7, 6}, {0, 2, 6, 4},
                                        {1, 5, 7, 3}, {0, 1, 3, 2}, {4, 6, 7, 5}};
    tp_vector vertices[8];
    uint32_t indices[36], count = 0;
    for (uint32_t k = 0; k < 8; k++)
        vertices[k] = (tp_vector){k & 1u ? of->high.x : of->low.x, k & 2u ? of->high.y : of->low.y,
                                  k & 4u ? of->high.z : of->low.z};
    for (uint32_t face = 0; face < 6; face++)
        for (uint32_t k = 1; k < 3; k++) {
            indices[count++] = faces[face][0];
            indices[count++] = faces[face][k];
            indices[count++] = faces[face][k + 1];
        }
    tp_collider_def mesh = collide_mesh(vertices, 8, indices, 12);
    mesh.is_two_sided = false;
    mesh.restitution = restitution;
    mesh.rooms = of->words;
    mesh.room_words = 1u + 85u * of->count;
    mesh.pose.position = of->place;
    tp_world_def def = collide_scene(3, of->radius);
    def.speed_max = 4000;
    def.takes_changes = true;
    test_world made = test_world_make(&def);
    *collider = collide_add(made.world, &mesh);
    return made;
}

corridor_end corridor_run(const corridor *of, tp_vector from, tp_vector move, float restitution,
                          uint32_t frames)
{
    tp_collider collider;
    corridor_end end = {.room = -2};
    test_world made = corridor_world(of, restitution, &collider);
    collide_particle(made.world, from, (tp_vector){60 * move.x, 60 * move.y, 60 * move.z});
    test_world_frames(made.world, frames);
    tp_view view = tp_world_view(made.world);
    tp_report report = tp_world_report(made.world);
    CHECK_EQ(report.steps, frames);
    CHECK_EQ(report.rooms_missed, 0);
    end.at[0] = (double)view.x[0];
    end.at[1] = (double)view.y[0];
    end.at[2] = (double)view.z[0];
    end.speed = (double)(view.vx[0] + view.vy[0]) / 60;
    end.hops = report.room_hops;
    end.limited = report.rooms_limited;
    CHECK(tp_collider_room(made.world, collider, (tp_vector){view.x[0], view.y[0], view.z[0]},
                           &end.room) == TP_OK);
    test_world_free(&made);
    return end;
}
