/* SPDX-License-Identifier: MIT
   tests/fluids/channel.c - a viscous flow between two walls, from rest, beside theory.
   reads   nothing      writes  FOLDER/fluid_channel.svg
   memory  worlds of up to 1920 particles      cost  10 s
   after   the start of Poiseuille's flow: Morris, Fox and Zhu 1997 */
#include "tidepool.h"
#include "plot.h"
#include <stdlib.h>

#define SPACING   0.05
#define ROWS      20
#define ALONG     12
#define LAYERS    8
#define PUSH      1.0 /* m/s^2 */
#define VISCOSITY 0.1 /* m^2/s */
#define HEIGHT    (ROWS * SPACING)

static void need(bool good, const char *what)
{
    if (good) return;
    fprintf(stderr, "channel: %s\n", what);
    exit(1);
}

/* Speed at height y, t after the start. */
static double theory_at(double y, double t)
{
    const double pi = 3.14159265358979;
    double u = PUSH / (2 * VISCOSITY) * y * (HEIGHT - y);
    for (int n = 0; n < 30; n++) {
        const double odd = 2 * n + 1, k = odd * pi / HEIGHT;
        u -= 4 * PUSH * HEIGHT * HEIGHT / (VISCOSITY * pow(pi * odd, 3)) * sin(k * y) *
             exp(-k * k * VISCOSITY * t);
    }
    return u;
}

static void channel_walls(tp_world *world)
{
    tp_field_def push = tp_field_default(TP_FIELD_GRAVITY);
    tp_field field;
    push.vector = (tp_vector){(float)PUSH, 0, 0};
    need(tp_field_add(world, &push, &field) == TP_OK, "no field");
    for (int side = 0; side < 2; side++) {
        tp_collider_def plane = tp_collider_default(TP_COLLIDER_PLANE);
        tp_collider collider;
        plane.pose.position.y = side ? (float)HEIGHT : 0;
        if (side) plane.pose.rotation = (tp_quaternion){0, 0, 0, 1}; /* down */
        need(tp_collider_add(world, &plane, &collider) == TP_OK, "no wall");
    }
}

static void channel_fill(tp_world *world, int layers)
{
    for (int n = 0; n < ALONG * ROWS * layers; n++) {
        const tp_vector x = {(float)((n % ALONG + 0.5) * SPACING),
                             (float)((n / ALONG % ROWS + 0.5) * SPACING),
                             layers > 1 ? (float)((n / ALONG / ROWS + 0.5) * SPACING) : 0};
        need(tp_particle_add(world, x, (tp_vector){0, 0, 0}, 0, NULL) == TP_OK,
             "no room for a particle");
    }
}

static tp_world *channel_make(uint32_t dimensions, void **block)
{
    const int layers = dimensions == 3 ? LAYERS : 1;
    tp_world_def def = tp_world_default(dimensions);
    tp_world *world = NULL;
    size_t size = 0;
    def.solver = TP_SOLVER_SPH;
    def.particles_max = (uint32_t)(ALONG * ROWS * layers);
    def.slice_units = 65536;
    def.sph.neighbours_max = dimensions == 2 ? 64 : 100;
    def.species[0].mass = (float)(1000 * pow(SPACING, dimensions));
    tp_sph_incompressible(&def, (float)SPACING);
    def.substeps.count = 4;
    def.sph.viscosity = (float)VISCOSITY;
    def.periodic_axes = dimensions == 3 ? TP_AXIS_X | TP_AXIS_Z : TP_AXIS_X;
    def.box_low = (tp_vector){0, 0, 0};
    def.box_size = (tp_vector){(float)(ALONG * SPACING), (float)HEIGHT, (float)(layers * SPACING)};
    if (tp_world_check(&def)) need(false, tp_world_check(&def));
    need(tp_world_memory(&def, &size) == TP_OK, "no size");
    *block = malloc(size);
    need(*block && tp_world_create(&def, *block, size, &world) == TP_OK, "no world");
    channel_walls(world);
    channel_fill(world, layers);
    return world;
}

/* Mean heights and speeds of the particles of each row: a channel loses its rows, so by height. */
static void channel_rows(const tp_world *world, double height[ROWS], double speed[ROWS])
{
    tp_view view = tp_world_view(world);
    double count[ROWS] = {0};
    for (int row = 0; row < ROWS; row++) height[row] = speed[row] = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        int row = (int)((double)view.y[i] / SPACING);
        row = row < 0 ? 0 : row >= ROWS ? ROWS - 1 : row;
        height[row] += (double)view.y[i];
        speed[row] += (double)view.vx[i];
        count[row]++;
    }
    for (int row = 0; row < ROWS; row++) {
        need(count[row] > 0, "a row is empty");
        height[row] /= count[row] * HEIGHT;
        speed[row] /= count[row];
    }
}

static void channel_run(plot *chart, const char *name, uint32_t dimensions,
                        const uint32_t frames[4])
{
    void *block;
    tp_world *world = channel_make(dimensions, &block);
    double height[4 * ROWS], speed[4 * ROWS];
    uint32_t done = 0;
    for (int k = 0; k < 4; k++) {
        for (; done < frames[k]; done++) {
            tp_budget budget = {0};
            budget.units = UINT32_MAX;
            need(tp_frame(world, &budget, NULL) == TP_OK, "a frame was not complete");
        }
        channel_rows(world, height + k * ROWS, speed + k * ROWS);
    }
    plot_points(chart, name, speed, height, 4 * ROWS);
    free(block);
}

int main(int count, char **words)
{
    const uint32_t frames[4] = {15, 30, 60, 240};
    const char *const names[4] = {"theory, 0.25 s", "0.5 s", "1 s", "4 s"};
    char path[512];
    need(count == 2, "usage: channel FOLDER");
    snprintf(path, sizeof path, "%s/fluid_channel.svg", words[1]);
    plot chart = plot_begin(path, (plot_axis){"speed, m/s", 0, 1.4, 0.2, false},
                            (plot_axis){"height / distance of the walls", 0, 1, 0.1, false});
    channel_run(&chart, "2D", 2, frames);
    channel_run(&chart, "3D", 3, frames);
    for (int k = 0; k < 4; k++) {
        double height[41], speed[41];
        for (int i = 0; i <= 40; i++) {
            height[i] = i / 40.0;
            speed[i] = theory_at(height[i] * HEIGHT, frames[k] / 60.0);
        }
        plot_line(&chart, names[k], speed, height, 41);
    }
    need(plot_end(&chart), "the chart could not be written");
    return 0;
}
