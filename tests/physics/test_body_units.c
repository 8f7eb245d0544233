/* SPDX-License-Identifier: MIT
   tests/physics/test_body_units.c - the work of the contacts of bodies that no unit is counted for.
   reads   runtime/move/body_solve.c, of which it has a copy that counts      writes  nothing
   memory  worlds without particles      cost    none
   after   own design: the momenta that are turned into motions are counted */
#include "test.h"
#include "collide_help.h"
#include <string.h>

#define tpi_body_motion_of    counted_motion_of
#define tpi_body_pair_of      copied_pair_of
#define tpi_body_approach     copied_approach
#define tpi_body_keep_contact copied_keep_contact
#define tpi_body_look_again   copied_look_again
#define tpi_body_solve        copied_solve
#define tpi_body_bounce       copied_bounce
#define tpi_body_resume       copied_resume
#define tpi_body_hold         copied_hold
#include "move/body_solve.c"
#undef tpi_body_motion_of
tpi_body_motion tpi_body_motion_of(const tp_world *world, const tpi_body_item *body,
                                   const tpi_momentum *momentum);

static uint32_t motions;

tpi_body_motion counted_motion_of(const tp_world *world, const tpi_body_item *body,
                                  const tpi_momentum *momentum)
{
    motions++;
    return tpi_body_motion_of(world, body, momentum);
}

/* A body at its most contacts, all of them with the same collider. */
static tpi_body_item *full_body(tp_world *world)
{
    tpi_body_item *body = tpi_body_at(world, 0);
    body->contact_count = TPI_BODY_CONTACTS;
    for (uint32_t k = 0; k < TPI_BODY_CONTACTS; k++) {
        memset(&body->contacts[k], 0, sizeof body->contacts[k]);
        body->contacts[k].gap = 0.05f;
        body->contacts[k].point.x = 0.01f * (float)k;
        body->contacts[k].normal.y = 1;
    }
    return body;
}

/* A side has at most 8 contacts, and 4 units per corner. */
static void a_side_of_a_full_body_is_no_more_work_than_its_units(void)
{
    tp_world_def def = collide_scene(3, 0.0f);
    def.bodies_max = 1;
    test_world made = test_world_make(&def);
    tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
    (void)collide_add(made.world, &plane);
    (void)collide_body(made.world, TP_COLLIDER_BOX, tp_pose_make(0, 0.5f, 0),
                       (tp_vector){0.5f, 0.5f, 0.5f}, 0.5f);
    made.world->step.timestep = 1.0f / 60;
    tpi_body_item *body = full_body(made.world);
    tpi_body_pair pair = copied_pair_of(made.world, 0, 0);
    motions = 0;
    for (uint32_t k = 0; k < 8; k++) {
        tpi_body_contact contact = {.point = {0, 0, 1 + 0.1f * (float)k}, .normal = {0, 1, 0}};
        contact.gap = 0.04f - 0.001f * (float)k;
        copied_keep_contact(&pair, &contact);
    }
    test_note("%u momenta turned into motions", motions);
    CHECK(motions <= 8);
    uint32_t near = 0, units = 0;
    for (uint32_t k = 0; k < TPI_BODY_CONTACTS; k++) near += body->contacts[k].gap < 0.045f;
    CHECK_EQ(near, 8);
    motions = 0;
    copied_look_again(made.world, 0, &units);
    test_note("%u units to look again, %u motions", units, motions);
    CHECK(units == 4 * TPI_BODY_CONTACTS && motions <= units / 4);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(a_side_of_a_full_body_is_no_more_work_than_its_units),
};
TEST_SUITE(body_units, cases);
