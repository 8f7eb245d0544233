/* SPDX-License-Identifier: MIT
   tests/unit/test_collider.c - colliders as objects: invalid definitions are refused, full pools,
           edits.
   reads   runtime/move/collider.c      writes  nothing
   memory  small worlds                 cost    milliseconds
   after   the promises of the colliders' part of tidepool.h */
#include "test.h"
#include "collide_help.h"
#include <math.h>
#include <string.h>

enum { SOUP = 30, SIDE = 12 };
static tp_vector soup_vertices[SOUP * 3];
static uint32_t soup_indices[SOUP * 3];
static float hills[SIDE * SIDE], ball[SIDE * SIDE * SIDE];

static void make_geometry(void)
{
    uint32_t noise = 7;
    for (uint32_t k = 0; k < SOUP * 3; k++) {
        float x = test_random(&noise), y = test_random(&noise), z = test_random(&noise);
        soup_vertices[k] = tpi_vector(x, y, z);
        soup_indices[k] = k;
    }
    for (uint32_t k = 0; k < SIDE * SIDE; k++) hills[k] = test_random(&noise);
    for (uint32_t k = 0; k < SIDE * SIDE * SIDE; k++) ball[k] = test_random(&noise);
}

static tp_collider_def soup(void)
{
    return collide_mesh(soup_vertices, SOUP * 3, soup_indices, SOUP);
}
static tp_collider_def ground(uint32_t rows) { return collide_ground(hills, SIDE, rows, 1.0f); }
static tp_collider_def distances(uint32_t layers) { return collide_grid(ball, SIDE, layers, 1.0f); }

/* ---- definitions ---- */

typedef struct wrong_field {
    const char *name; /* must occur in the refusal's text */
    tp_collider_shape shape;
    size_t offset;
    float value;
} wrong_field;

static void every_wrong_number_is_named(void)
{
    static const wrong_field wrong[] = {
        {"restitution", TP_COLLIDER_PLANE, offsetof(tp_collider_def, restitution), 1.5f},
        {"restitution", TP_COLLIDER_PLANE, offsetof(tp_collider_def, restitution), NAN},
        {"friction", TP_COLLIDER_PLANE, offsetof(tp_collider_def, friction), -0.1f},
        {"rest_speed", TP_COLLIDER_PLANE, offsetof(tp_collider_def, rest_speed), INFINITY},
        {"thickness", TP_COLLIDER_PLANE, offsetof(tp_collider_def, thickness), -1.0f},
        {"pose.position", TP_COLLIDER_PLANE, offsetof(tp_collider_def, pose.position.y), NAN},
        {"pose.position", TP_COLLIDER_PLANE, offsetof(tp_collider_def, pose.position.y), 2e9f},
        {"pose.rotation", TP_COLLIDER_PLANE, offsetof(tp_collider_def, pose.rotation.w), 0.5f},
        {"radius", TP_COLLIDER_SPHERE, offsetof(tp_collider_def, radius), 0.0f},
        {"radius", TP_COLLIDER_CAPSULE, offsetof(tp_collider_def, radius), NAN},
        {"half.y", TP_COLLIDER_CAPSULE, offsetof(tp_collider_def, half.y), -1.0f},
        {"half.x", TP_COLLIDER_BOX, offsetof(tp_collider_def, half.x), 0.0f},
        {"half.y", TP_COLLIDER_BOX, offsetof(tp_collider_def, half.y), 0.0f},
        {"half.z", TP_COLLIDER_BOX, offsetof(tp_collider_def, half.z), NAN},
        {"spacing", TP_COLLIDER_HEIGHTFIELD, offsetof(tp_collider_def, spacing), 0.0f},
        {"spacing", TP_COLLIDER_GRID, offsetof(tp_collider_def, spacing), NAN},
    };
    test_world made = collide_world(3, 0.05f);
    make_geometry();
    for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; w++) {
        tp_collider collider;
        tp_collider_def shape = tp_collider_default(wrong[w].shape);
        if (wrong[w].shape == TP_COLLIDER_HEIGHTFIELD) shape = ground(SIDE);
        if (wrong[w].shape == TP_COLLIDER_GRID) shape = distances(SIDE);
        CHECK(tp_collider_check(made.world, &shape) == NULL);
        memcpy((char *)&shape + wrong[w].offset, &wrong[w].value, sizeof wrong[w].value);
        const char *text = tp_collider_check(made.world, &shape);
        test_note("%s: %s", wrong[w].name, text ? text : "accepted");
        CHECK(text && strstr(text, wrong[w].name) == text);
        CHECK(tp_collider_add(made.world, &shape, &collider) == TP_ERROR_DEFINITION);
    }
    test_world_free(&made);
}

static void check_named(const tp_world *world, const tp_collider_def *def, const char *name)
{
    const char *text = tp_collider_check(world, def);
    test_note("%s: %s", name, text ? text : "accepted");
    CHECK(text && strstr(text, name) != NULL);
}

static void every_wrong_geometry_is_named(void)
{
    tp_world_def def = collide_scene(3, 0.05f), flat_def = collide_scene(2, 0.05f);
    test_world made = test_world_make(&def), flat = test_world_make(&flat_def);
    make_geometry();
    tp_collider_def shape = soup();
    CHECK(tp_collider_check(flat.world, &shape) == NULL); /* edges */
    shape.vertex_count = 1;
    check_named(flat.world, &shape, "vertex_count");
    shape.vertices = NULL;
    check_named(made.world, &shape, "vertices");
    shape = soup();
    shape.vertex_count = 2;
    check_named(made.world, &shape, "vertex_count");
    shape = soup();
    shape.triangle_count = 0;
    check_named(made.world, &shape, "triangle_count");
    shape = soup();
    shape.vertex_count = SOUP * 3 - 1;
    check_named(made.world, &shape, "indices");
    soup_vertices[5].y = NAN;
    shape = soup();
    check_named(made.world, &shape, "vertices");
    shape = ground(1);
    check_named(made.world, &shape, "rows");
    CHECK(tp_collider_check(flat.world, &shape) == NULL);
    shape = ground(SIDE);
    check_named(flat.world, &shape, "rows");
    shape.columns = 1;
    check_named(made.world, &shape, "columns");
    shape.columns = 1u << 20;
    shape.rows = 1u << 20;
    check_named(made.world, &shape, "columns * rows");
    shape = distances(1);
    check_named(made.world, &shape, "layers");
    CHECK(tp_collider_check(flat.world, &shape) == NULL);
    shape.samples = NULL;
    check_named(flat.world, &shape, "samples");
    hills[3] = INFINITY;
    shape = ground(SIDE);
    check_named(made.world, &shape, "samples");
    shape = tp_collider_default(TP_COLLIDER_BOX);
    shape.pose.rotation = (tp_quaternion){0.8f, 0.6f, 0.0f, 0.0f};
    check_named(flat.world, &shape, "pose.rotation");
    shape.shape = (tp_collider_shape)77;
    check_named(made.world, &shape, "shape");
    check_named(made.world, NULL, "null");
    shape.stamp = 0;
    CHECK(tp_collider_check(made.world, &shape) != NULL);
    test_world_free(&made);
    test_world_free(&flat);
}

static void misuse_has_its_own_result(void)
{
    test_world made = collide_world(3, 0.05f);
    tp_collider collider = {99}, gone;
    tp_collider_def box = tp_collider_default(TP_COLLIDER_BOX);
    tp_pose pose = box.pose;
    CHECK(tp_collider_add(NULL, &box, &collider) == TP_ERROR_NULL);
    CHECK(tp_collider_add(made.world, NULL, &collider) == TP_ERROR_NULL);
    CHECK(tp_collider_add(made.world, &box, NULL) == TP_ERROR_NULL);
    box.stamp++;
    CHECK(tp_collider_add(made.world, &box, &collider) == TP_ERROR_STAMP);
    CHECK(collider.id == 0);
    box.stamp--;
    CHECK(tp_collider_move(made.world, (tp_collider){0}, pose) == TP_ERROR_HANDLE);
    gone = collide_add(made.world, &box);
    pose.rotation.w = 2.0f;
    CHECK(tp_collider_move(made.world, gone, pose) == TP_ERROR_DEFINITION);
    CHECK(tp_collider_remove(made.world, gone) == TP_OK);
    CHECK(tp_collider_remove(made.world, gone) == TP_ERROR_HANDLE);
    CHECK(tp_collider_move(made.world, gone, box.pose) == TP_ERROR_HANDLE);
    test_world_free(&made);
}

/* ---- pools ---- */

static void full_pools_refuse_and_count(void)
{
    tp_world_def def = collide_scene(3, 0.05f);
    def.colliders_max = 2;
    make_geometry();
    tp_collider_def mesh = soup(), box = tp_collider_default(TP_COLLIDER_BOX);
    def.geometry_bytes_max = (uint32_t)tpi_mesh_bytes(3, mesh.vertex_count, mesh.triangle_count);
    test_world made = test_world_make(&def);
    tp_collider collider, first = collide_add(made.world, &mesh);
    CHECK(tp_collider_add(made.world, &mesh, &collider) == TP_ERROR_FULL);
    CHECK(collider.id == 0);
    (void)collide_add(made.world, &box);
    CHECK(tp_collider_add(made.world, &box, &collider) == TP_ERROR_FULL);
    CHECK(tp_collider_remove(made.world, first) == TP_OK);
    CHECK_EQ(tp_world_report(made.world).pools[TP_POOL_GEOMETRY].used, 0);
    (void)collide_add(made.world, &box);
    CHECK(tp_collider_add(made.world, &mesh, &collider) ==
          TP_ERROR_FULL); /* no free slot: the geometry memory is given back */
    tp_report report = tp_world_report(made.world);
    CHECK_EQ(report.pools[TP_POOL_GEOMETRY].used, 0);
    CHECK_EQ(report.pools[TP_POOL_GEOMETRY].peak, def.geometry_bytes_max);
    CHECK_EQ(report.pools[TP_POOL_GEOMETRY].refused, 1);
    CHECK_EQ(report.pools[TP_POOL_COLLIDERS].used, 2);
    CHECK_EQ(report.pools[TP_POOL_COLLIDERS].refused, 2);
    test_world_free(&made);

    def.geometry_bytes_max--;
    made = test_world_make(&def);
    CHECK(tp_collider_add(made.world, &mesh, &collider) == TP_ERROR_FULL);
    CHECK_EQ(tp_world_report(made.world).pools[TP_POOL_GEOMETRY].refused, 1);
    test_world_free(&made);
}

static void a_world_without_geometry_names_the_field_that_gives_it(void)
{
    static const float heights[4] = {0, 1, 0, 1};
    tp_world_def def = collide_scene(2, 0.05f);
    def.geometry_bytes_max = 0;
    test_world made = test_world_make(&def);
    tp_collider_def ground = tp_collider_default(TP_COLLIDER_HEIGHTFIELD);
    tp_collider collider;
    ground.columns = 4;
    ground.spacing = 1.0f;
    ground.samples = heights;
    const char *text = tp_collider_check(made.world, &ground);
    CHECK(text && strstr(text, "geometry_bytes_max"));
    CHECK(tp_collider_add(made.world, &ground, &collider) == TP_ERROR_DEFINITION);
    CHECK(strstr(tp_result_text(TP_ERROR_FULL), "the report's pools say which") != NULL);
    test_world_free(&made);
}

static void edits_restart_the_step_and_moves_do_not(void)
{
    test_world made = collide_world(3, 0.05f);
    tp_collider_def box = tp_collider_default(TP_COLLIDER_BOX);
    tp_collider collider = collide_add(made.world, &box);
    made.world->step.active = true;
    tp_pose pose = {tpi_vector(1, 2, 3), {1, 0, 0, 0}};
    CHECK(tp_collider_move(made.world, collider, pose) == TP_OK);
    CHECK(made.world->step.active);
    const tpi_collider_item *item = tpi_collider_at(made.world, 0);
    CHECK(item->pose_to.position.x == 0.0f && !item->is_moving);
    tpi_colliders_begin_frame(made.world);
    CHECK(item->pose_from.position.x == 0.0f && item->pose_to.position.x == 1.0f &&
          item->is_moving);
    tpi_colliders_begin_frame(made.world);
    CHECK(item->pose_from.position.x == 1.0f && !item->is_moving && !item->is_turning);
    CHECK(tp_collider_remove(made.world, collider) == TP_OK);
    CHECK(!made.world->step.active);
    made.world->step.active = true;
    (void)collide_add(made.world, &box);
    CHECK(!made.world->step.active);
    test_world_free(&made);
}

/* Particles without gravity on the way of a sphere and where it goes; returns the number of those
   that were moved. */
static uint32_t leap_over(bool is_placed, uint64_t *pushed_out)
{
    test_world made = collide_world(2, 0.05f);
    tp_collider_def sphere = tp_collider_default(TP_COLLIDER_SPHERE);
    tp_collider collider = collide_add(made.world, &sphere);
    const tp_pose far = tp_pose_make(20.0f, 0.0f, 0.0f);
    uint32_t moved = 0;
    for (uint32_t k = 1; k < 20; k++)
        collide_particle(made.world, tpi_vector((float)k, 0.2f, 0), tpi_vector(0, 0, 0));
    collide_particle(made.world, tpi_vector(20.3f, 0.0f, 0), tpi_vector(0, 0, 0));
    CHECK((is_placed ? tp_collider_place(made.world, collider, far)
                     : tp_collider_move(made.world, collider, far)) == TP_OK);
    test_world_frames(made.world, 2);
    tp_view view = tp_world_view(made.world);
    for (uint32_t k = 0; k < view.count; k++) {
        float x = view.x[k] - 20.0f;
        moved += view.x[k] != (float)(view.id[k] + 1u) || view.y[k] != 0.2f;
        CHECK(x * x + view.y[k] * view.y[k] > 0.54f * 0.54f);
        if (is_placed) CHECK(view.vx[k] == 0.0f && view.vy[k] == 0.0f);
    }
    *pushed_out = tp_world_report(made.world).pushed_out;
    test_world_free(&made);
    return moved;
}

static void a_placed_collider_touches_nothing_on_its_way(void)
{
    uint64_t pushed_out;
    CHECK_EQ(leap_over(true, &pushed_out), 1);
    CHECK_EQ(pushed_out, 1);
    uint32_t moved = leap_over(false, &pushed_out);
    test_note("%u moved", moved);
    CHECK(moved > 15);
}

/* A leap waits for the next frame; what is asked last counts; the hash knows what waits, and does
   not change while a step is in progress. */
static void the_newest_of_moves_and_places_counts(void)
{
    test_world made = collide_world(2, 0.05f);
    tp_collider_def sphere = tp_collider_default(TP_COLLIDER_SPHERE);
    tp_collider collider = collide_add(made.world, &sphere);
    const tpi_collider_item *item = tpi_collider_at(made.world, 0);
    collide_particle(made.world, tpi_vector(9, 9, 0), tpi_vector(0, 0, 0));
    CHECK(tp_collider_place(made.world, (tp_collider){0}, sphere.pose) == TP_ERROR_HANDLE);
    for (uint32_t k = 0; k < 4; k++) {
        const tp_pose a = tp_pose_make((float)k, 2, 0.5f), b = tp_pose_make(-3, (float)k, 0);
        CHECK(tp_collider_move(made.world, collider, a) == TP_OK);
        uint64_t moves = tp_world_hash(made.world);
        if (k & 1u) CHECK(tp_collider_place(made.world, collider, a) == TP_OK);
        uint64_t waits = tp_world_hash(made.world);
        CHECK((waits != moves) == (k & 1u));
        tpi_colliders_begin_frame(made.world);
        made.world->clock.frame_begun = true;
        CHECK_EQ(tp_world_hash(made.world), waits);
        CHECK(item->is_moving == !(k & 1u));
        CHECK(tp_collider_place(made.world, collider, b) == TP_OK);
        CHECK(item->is_moving == !(k & 1u));
        made.world->clock.frame_begun = false;
        CHECK(tp_collider_move(made.world, collider, b) == TP_OK);
        tpi_colliders_begin_frame(made.world);
        CHECK(item->is_moving && !(item->leaps & TPI_LEAP_NOW));
    }
    test_world_free(&made);
}

/* ---- far moves that turn ---- */

/* The distance of a particle that flies from the surface of a collider that moves and turns, least
   of many moments, in double precision. */
static double least_distance(const tpi_collider_item *item, tp_vector from, tp_vector velocity,
                             uint32_t moments)
{
    double least = 1e9;
    const bool is_ball = item->def.shape == TP_COLLIDER_SPHERE;
    const tp_vector h = is_ball ? (tp_vector){0, 0, 0} : item->def.half; /* that of a cube */
    for (uint32_t k = 0; k < moments; k++) {
        const float t = (float)k / 2000.0f;
        double local[3];
        collide_local(tpi_collider_pose(item, t), tpi_add_scaled(from, velocity, t), local);
        double x = fmax(fabs(local[0]) - (double)h.x, 0), y = fmax(fabs(local[1]) - (double)h.y, 0),
               z = fmax(fabs(local[2]) - (double)h.z, 0);
        least = fmin(least, sqrt(x * x + y * y + z * z));
    }
    return is_ball ? least - (double)item->def.radius : least;
}

/* Random particles near the way of a collider that goes from -far to far and turns by `angle`.
   `slack`, m: how near a hit and a miss may be mistaken. Returns the share of those that the
   collider meets and that are not hit; *wrong counts those that are hit but not met. */
static double far_misses(tp_collider_shape shape, float far, float angle, double slack,
                         uint32_t *wrong)
{
    test_world made = collide_world(3, 0.05f);
    const bool is_mesh = shape == TP_COLLIDER_MESH;
    tp_collider_def def = is_mesh ? collide_cube(false) : tp_collider_default(shape);
    if (!is_mesh) def.half = tpi_vector(0.5f, 0.35f, 0.25f);
    def.pose.position.x = -far;
    tp_collider collider = collide_add(made.world, &def);
    uint32_t noise = 11, met = 0, missed = 0;
    const tp_pose to = {{far, 0.3f, 0}, collide_about_z(angle)};
    CHECK(tp_collider_move(made.world, collider, to) == TP_OK);
    tpi_colliders_begin_frame(made.world);
    for (uint32_t k = 0; k < 300; k++) {
        tp_vector from = test_random_position(&noise, 1.0f), velocity = from;
        from.x *= 0.8f * far;
        velocity = test_random_position(&noise, 0.5f);
        const tpi_collider_item *item = tpi_collider_at(made.world, 0);
        if (least_distance(item, from, velocity, 1) < 0.06) continue;
        double away = least_distance(item, from, velocity, 2001) - 0.05;
        tpi_path path = collide_sweep(made.world, from, tpi_scale(velocity, 60.0f), 0.05f);
        if (away < -slack) missed += !path.touched;
        if (away < -slack) met++;
        if (away > slack) *wrong += path.touched;
    }
    test_note("%u met, %u of them missed, %u wrong", met, missed, *wrong);
    CHECK(met > 20);
    test_world_free(&made);
    return (double)missed / met;
}

/* A ball that turns is a ball: it meets all particles on its way. So do boxes and meshes, but for
   particles that their corners touch by less than a hundredth of their size. */
static void a_far_move_that_turns_meets_what_is_on_its_way(void)
{
    const float distances[] = {1, 2, 5, 50}, angles[] = {0.1f, 1, 2, 3.1f};
    for (uint32_t k = 0; k < 16; k++) {
        if (!test_runs(k, 5)) continue; /* each distance with another angle */
        const float far = distances[k / 4], angle = angles[k % 4];
        uint32_t wrong = 0;
        test_note("%.0f m, %.1f rad", (double)far, (double)angle);
        CHECK(far_misses(TP_COLLIDER_SPHERE, far, angle, 1e-3, &wrong) == 0.0);
        CHECK_EQ(wrong, 0);
        CHECK(far_misses(TP_COLLIDER_BOX, far, angle, 7e-3, &wrong) == 0.0);
        CHECK(far_misses(TP_COLLIDER_MESH, far, angle, 9e-3, &wrong) == 0.0);
        CHECK_EQ(wrong, 0);
    }
}

/* An angle that is no number, or too large, gives a rotation that no call takes, instead of one
   that has nothing to do with it. */
static void poses_of_wrong_angles_are_refused(void)
{
    const float wrong[] = {NAN, INFINITY, -INFINITY, 8193.0f, -1e6f};
    test_world made = collide_world(2, 0.05f);
    tp_collider_def def = tp_collider_default(TP_COLLIDER_BOX);
    tp_collider box = collide_add(made.world, &def);
    for (uint32_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        test_note("angle %g", (double)wrong[k]);
        tp_pose pose = tp_pose_make(1, 2, wrong[k]);
        CHECK(tp_collider_move(made.world, box, pose) == TP_ERROR_DEFINITION);
        pose = tp_pose_turn(tp_pose_make(1, 2, 0.5f), wrong[k]);
        CHECK(tp_collider_move(made.world, box, pose) == TP_ERROR_DEFINITION);
    }
    CHECK(tp_collider_move(made.world, box, tp_pose_make(1, 2, -8192.0f)) == TP_OK);
    test_world_free(&made);
}

static const test_case cases[] = {
    TEST_CASE(every_wrong_number_is_named),
    TEST_CASE(every_wrong_geometry_is_named),
    TEST_CASE(misuse_has_its_own_result),
    TEST_CASE(full_pools_refuse_and_count),
    TEST_CASE(a_world_without_geometry_names_the_field_that_gives_it),
    TEST_CASE(edits_restart_the_step_and_moves_do_not),
    TEST_CASE(poses_of_wrong_angles_are_refused),
    TEST_CASE(a_placed_collider_touches_nothing_on_its_way),
    TEST_CASE(the_newest_of_moves_and_places_counts),
    TEST_CASE(a_far_move_that_turns_meets_what_is_on_its_way),
};
TEST_SUITE(collider, cases);
