/* SPDX-License-Identifier: MIT
   tests/fluids/curves.c - every formulation of the fluid beside experiment and theory: front of a
           dam break, pressure of a column, a standing wave, rest after a splash.
   reads   nothing      writes  FOLDER/fluid_*.svg; rows of a table on the standard output
   memory  worlds of up to 4000 particles      cost  40 s
   after   Martin and Moyce 1952; Koshizuka and Oka 1996; linear theory of waves (Lamb 1932, 227) */
#include "tidepool.h"
#include "plot.h"
#include <stdlib.h>
#include <string.h>

#define MOST      4000u
#define GRAVITY   9.81
#define WAVE_MOST 700

typedef struct fluid {
    const char *name;
    uint32_t dimensions;
    tp_sph_formulation formulation;
} fluid;

static const fluid fluids[] = {
    {"incompressible", 2, TP_SPH_INCOMPRESSIBLE},
    {"incompressible, 3D", 3, TP_SPH_INCOMPRESSIBLE},
    {"double density", 2, TP_SPH_DOUBLE_DENSITY},
    {"ideal gas", 2, TP_SPH_IDEAL_GAS},
    {"weakly compressible", 2, TP_SPH_WEAKLY_COMPRESSIBLE},
};
#define FLUIDS (sizeof fluids / sizeof fluids[0])

static void need(bool good, const char *what)
{
    if (good) return;
    fprintf(stderr, "curves: %s\n", what);
    exit(1);
}

/* ---- worlds ---- */

typedef struct pool {
    tp_world *world;
    void *block;
    double spacing, width, depth; /* m */
    double lattice;               /* density of the lattice over that at rest */
} pool;

/* A world for `particles` of a fluid that are `spacing` apart at rest, by the call of the guide. */
static tp_world_def fluid_def(const fluid *f, uint32_t particles, double spacing, double depth)
{
    tp_world_def def = tp_world_default(f->dimensions);
    def.solver = TP_SOLVER_SPH;
    def.particles_max = particles;
    def.slice_units = 65536;
    def.sph.neighbours_max = 64;
    switch (f->formulation) {
    case TP_SPH_INCOMPRESSIBLE: tp_sph_incompressible(&def, (float)spacing); break;
    case TP_SPH_IDEAL_GAS: tp_sph_ideal_gas(&def, (float)spacing, (float)depth); break;
    case TP_SPH_WEAKLY_COMPRESSIBLE:
        tp_sph_weakly_compressible(&def, (float)spacing, (float)depth);
        break;
    default: tp_sph_double_density(&def, (float)spacing);
    }
    if (f->formulation == TP_SPH_INCOMPRESSIBLE) def.substeps.count = 4;
    return def;
}

static void pool_wall(tp_world *world, double x, double y, double z, tp_quaternion turn)
{
    tp_collider wall;
    tp_collider_def def = tp_collider_default(TP_COLLIDER_PLANE);
    def.pose.position = (tp_vector){(float)x, (float)y, (float)z};
    def.pose.rotation = turn;
    def.friction = 0;
    need(tp_collider_add(world, &def, &wall) == TP_OK, "no room for a wall");
}

static pool pool_make(const tp_world_def *def, double spacing, double width, double depth)
{
    const float h = 0.70710678f;
    pool p = {NULL, NULL, spacing, width, depth, 1};
    tp_field field;
    tp_field_def fall = tp_field_default(TP_FIELD_GRAVITY);
    size_t size = 0;
    if (def->sph.formulation == TP_SPH_INCOMPRESSIBLE) p.lattice = depth > 0 ? 1 : 0.984;
    if (tp_world_check(def)) need(false, tp_world_check(def));
    need(tp_world_memory(def, &size) == TP_OK, "no size");
    p.block = malloc(size);
    need(p.block && tp_world_create(def, p.block, size, &p.world) == TP_OK, "no world");
    need(tp_field_add(p.world, &fall, &field) == TP_OK, "no room for gravity");
    pool_wall(p.world, 0, 0, 0, (tp_quaternion){1, 0, 0, 0});
    pool_wall(p.world, 0, 0, 0, (tp_quaternion){h, 0, 0, -h});
    pool_wall(p.world, width, 0, 0, (tp_quaternion){h, 0, 0, h});
    if (def->dimensions == 2) return p;
    pool_wall(p.world, 0, 0, 0, (tp_quaternion){h, h, 0, 0});
    pool_wall(p.world, 0, 0, depth, (tp_quaternion){h, -h, 0, 0});
    return p;
}

/* A block in the corner of the pool. `crest`: m, amplitude of half a wave on its surface. */
static void pool_fill(const pool *p, uint32_t columns, uint32_t rows, double crest)
{
    uint32_t layers = p->depth > 0 ? (uint32_t)lround(p->depth / p->spacing) : 1u;
    double height = rows * p->spacing, wave = 3.14159265358979 / p->width;
    for (uint32_t i = 0; i < columns * rows * layers; i++) {
        double x = (i % columns + 0.5) * p->spacing,
               z = p->depth > 0 ? (i / columns % layers + 0.5) * p->spacing : 0,
               y = (i / (columns * layers) + 0.5) * p->spacing;
        /* each column is narrower where it is higher */
        y *= 1 + crest / height * cos(wave * x);
        x -= crest / height * sin(wave * x) / wave;
        need(tp_particle_add(p->world, (tp_vector){(float)x, (float)y, (float)z},
                             (tp_vector){0, 0, 0}, 0, NULL) == TP_OK,
             "no room for a particle");
    }
}

static void pool_frame(const pool *p)
{
    tp_budget budget = {0};
    budget.units = UINT32_MAX;
    need(tp_frame(p->world, &budget, NULL) == TP_OK, "a frame was not complete");
}

/* ---- measures ---- */

/* J/kg */
static double energy_of(const pool *p)
{
    tp_view v = tp_world_view(p->world);
    double sum = 0;
    for (uint32_t i = 0; i < v.count; i++)
        sum += 0.5 * (pow((double)v.vx[i], 2) + pow((double)v.vy[i], 2) +
                      (v.vz ? pow((double)v.vz[i], 2) : 0));
    return sum / v.count;
}

static double height_of(const pool *p)
{
    tp_view v = tp_world_view(p->world);
    double sum = 0;
    for (uint32_t i = 0; i < v.count; i++) sum += (double)v.y[i];
    return sum / v.count;
}

/* Sums over all pairs in double precision, with the kernel (1 - r/h)^3 of 2.5 spacings (3D: 2). */
typedef struct sums {
    double density;  /* over that of the lattice at rest */
    double gradient; /* of an even pressure of slope 1, if the lattice has the density 1 */
} sums;

static void pair_add(sums *s, double r, double h, uint32_t dimensions)
{
    double share = fmax(1 - r / h, 0);
    s->density += pow(share, 3);
    s->gradient += 3 / h * share * share * r / dimensions;
}

static sums sums_at(const tp_view *v, uint32_t i, double spacing)
{
    uint32_t dimensions = v->z ? 3 : 2;
    double h = (v->z ? 2.0 : 2.5) * spacing;
    int deep = v->z ? 2 : 0;
    sums here = {0, 0}, lattice = {0, 0};
    for (uint32_t j = 0; j < v->count; j++) {
        double x = (double)v->x[i] - (double)v->x[j], y = (double)v->y[i] - (double)v->y[j],
               z = v->z ? (double)v->z[i] - (double)v->z[j] : 0;
        pair_add(&here, sqrt(x * x + y * y + z * z), h, dimensions);
    }
    for (int z = -deep; z <= deep; z++)
        for (int y = -2; y <= 2; y++)
            for (int x = -2; x <= 2; x++)
                pair_add(&lattice, spacing * sqrt(x * x + y * y + z * z), h, dimensions);
    return (sums){here.density / lattice.density, here.gradient / lattice.density};
}

/* Mean compression of the particles that are too far from walls to miss their share; %. */
static double compression_of(const pool *p)
{
    tp_view v = tp_world_view(p->world);
    double sum = 0, h = 2.5 * p->spacing;
    uint32_t count = 0;
    for (uint32_t i = 0; i < v.count; i++) {
        double x = (double)v.x[i], z = v.z ? (double)v.z[i] : h;
        if (x < h || x > p->width - h || (double)v.y[i] < h) continue;
        if (v.z && (z < 2 * p->spacing || z > p->depth - 2 * p->spacing)) continue;
        sum += fmax(sums_at(&v, i, p->spacing).density * p->lattice - 1, 0);
        count++;
    }
    return count ? 100 * sum / count : 0;
}

/* ---- a row of the table ---- */

typedef struct outcome {
    double steps, units;       /* per frame; per particle and frame */
    double compression;        /* %: worst of the frames of the dam */
    double lead;               /* front of the dam before the experiment, mean in T */
    double wave;               /* %: error of the period */
    double slope;              /* %: error of the rise of the pressure; not of the double density */
    double rest[2], shrinkage; /* J/kg after 20 and 60 s; % of height lost between them */
} outcome;

/* ---- the dam ---- */

/* Martin and Moyce: a column a wide and 2 a high; T = t sqrt(2 g / a), Z = front / a. */
static const double martin_time[] = {0.832, 1.219, 1.997, 2.547, 3.345, 4.034, 4.418},
                    martin_front[] = {1.217, 1.474, 2.292, 2.995, 4.134, 4.944, 5.881};
static const double small_time[] = {0.849, 1.212, 1.602, 2.283, 2.950, 3.598, 3.905},
                    small_front[] = {1.245, 1.443, 1.884, 2.689, 3.728, 4.528, 4.999};
static const double koshizuka_time[] = {0.381, 0.769, 1.153, 1.537, 1.935, 2.323, 2.719, 3.096},
                    koshizuka_front[] = {1.111, 1.252, 1.505, 1.892, 2.241, 2.615, 3.003, 3.624};

/* y at x between samples. */
static double between(const double *xs, const double *ys, unsigned count, double x)
{
    unsigned k = 0;
    while (k + 2 < count && x > xs[k + 1]) k++;
    return ys[k] + (x - xs[k]) / (xs[k + 1] - xs[k]) * (ys[k + 1] - ys[k]);
}

static int falling(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

/* m: few particles are ahead of it. */
static double front_of(const pool *p)
{
    static float x[MOST];
    tp_view v = tp_world_view(p->world);
    memcpy(x, v.x, v.count * sizeof *x);
    qsort(x, v.count, sizeof *x, falling);
    return (double)x[v.z ? 15 : 4] + 0.5 * p->spacing;
}

static void dam_run(const fluid *f, plot *chart, outcome *o)
{
    double spacing = f->formulation == TP_SPH_DOUBLE_DENSITY ? 0.1 : 0.05, a = 20 * spacing,
           depth = f->dimensions == 3 ? 4 * spacing : 0, time[120], front[120], rate = 0;
    uint32_t particles = f->dimensions == 3 ? 3200 : 800, frames = 0;
    tp_world_def def = fluid_def(f, particles, spacing, 2 * a);
    pool p = pool_make(&def, spacing, 10 * a, depth);

    pool_fill(&p, 20, 40, 0);
    for (; frames < 120 && (frames == 0 || front[frames - 1] < 5.5); frames++) {
        pool_frame(&p);
        tp_report report = tp_world_report(p.world);
        o->units += report.units;
        o->steps += report.steps_in_frame;
        time[frames] = (frames + 1) / 60.0 * sqrt(2 * GRAVITY / a);
        front[frames] = front_of(&p) / a;
        if (depth > 0) /* no particle is far from walls */
            o->compression = fmax(o->compression, 100 * (double)report.compression);
        else if (frames % 4 == 3)
            o->compression = fmax(o->compression, compression_of(&p));
    }
    plot_line(chart, f->name, time, front, frames);
    for (double z = 1.5; z <= 4.5; z += 0.5)
        rate += between(martin_front, martin_time, 7, z) - between(front, time, frames, z);
    o->lead = rate / 7;
    o->steps /= frames;
    o->units /= (double)frames * particles;
    free(p.block);
}

/* ---- a column ---- */

/* Slope of the pressure over depth, over density times gravity, far from walls: particles at a wall
   have neighbours on one side only. Pressures of an incompressible fluid are over its density
   already. */
static double slope_of(const pool *p, const tp_world_def *def, plot *chart, const char *name)
{
    static double depth[MOST], pressure[MOST];
    tp_view v = tp_world_view(p->world);
    double top = 0, n = 0, y = 0, q = 0, yy = 0, yq = 0, c = (double)def->sph.sound_speed, at[20],
           mean[20];
    uint32_t bins[20] = {0};
    memset(mean, 0, sizeof mean);
    for (uint32_t i = 0; i < v.count; i++) top = fmax(top, (double)v.y[i]);
    top += 0.5 * p->spacing;
    for (uint32_t i = 0; i < v.count; i++) {
        double x = (double)v.x[i], rho;
        sums s = sums_at(&v, i, p->spacing);
        rho = s.density;
        depth[i] = top - (double)v.y[i];
        pressure[i] =
            def->sph.formulation == TP_SPH_INCOMPRESSIBLE
                ? (double)tpi_front_kept(p->world, TPI_DFSPH_MEAN)[i] * s.gradient * p->lattice
            : def->sph.formulation == TP_SPH_IDEAL_GAS ? c * c * (rho - 1)
                                                       : c * c / 7 * (pow(rho, 7) - 1);
        double h = 2.5 * p->spacing;
        if (x < h || x > p->width - h || depth[i] < 2 * h || depth[i] > top - h) continue;
        if (v.z && ((double)v.z[i] < h || (double)v.z[i] > p->depth - h)) continue;
        n++, y += depth[i], q += pressure[i], yy += depth[i] * depth[i],
            yq += depth[i] * pressure[i];
        uint32_t bin = (uint32_t)fmin(19, depth[i] / top * 20);
        mean[bin] += pressure[i];
        bins[bin]++;
    }
    uint32_t used = 0;
    for (uint32_t k = 0; k < 20; k++)
        if (bins[k]) at[used] = (k + 0.5) / 20, mean[used++] = mean[k] / bins[k] / GRAVITY / top;
    plot_line(chart, name, at, mean, used);
    return (n * yq - y * q) / (n * yy - y * y) / GRAVITY;
}

static void column_run(const fluid *f, plot *chart, outcome *o)
{
    double spacing = 0.05;
    if (f->formulation == TP_SPH_DOUBLE_DENSITY) {
        plot_skip(chart);
        return;
    }
    tp_world_def def = fluid_def(f, f->dimensions == 3 ? 4000 : 400, spacing, 2);
    pool p = pool_make(&def, spacing, 10 * spacing, f->dimensions == 3 ? 10 * spacing : 0);
    pool_fill(&p, 10, 40, 0);
    for (uint32_t frame = 0; frame < 20 * 60; frame++) pool_frame(&p);
    o->slope = 100 * (slope_of(&p, &def, chart, f->name) - 1);
    free(p.block);
}

/* ---- a standing wave ---- */

/* Half a wave in a tank of 1 m (double density: 8 m), half as deep; the period is that of linear
   theory, 2 pi / sqrt(g k tanh(k H)). The amplitude is that of the first mode of the density. */
static void wave_run(const fluid *f, plot *chart, outcome *o)
{
    uint32_t across = f->dimensions == 3 ? 40 : 80, frames = 0;
    double spacing = f->formulation == TP_SPH_DOUBLE_DENSITY ? 0.1 : 1.0 / across,
           length = across * spacing, k = 3.14159265358979 / length, time[WAVE_MOST],
           height[WAVE_MOST], last = -1, first = -1;
    tp_world_def def = fluid_def(f, 3200, spacing, length / 2);
    double period = 2 * 3.14159265358979 / sqrt(GRAVITY * k * tanh(k * length / 2));
    pool p = pool_make(&def, spacing, length, f->dimensions == 3 ? 4 * spacing : 0);
    uint32_t layers = f->dimensions == 3 ? 4 : 1, halves = 0;
    pool_fill(&p, across, across / 2, 0.02 * length);
    for (; frames < WAVE_MOST && frames / 60.0 < 3.2 * period; frames++) {
        pool_frame(&p);
        tp_view v = tp_world_view(p.world);
        double sum = 0;
        for (uint32_t i = 0; i < v.count; i++) sum += cos(k * (double)v.x[i]);
        time[frames] = (frames + 1) / 60.0 / period;
        height[frames] = 2 * sum * spacing * spacing / length / layers / (0.02 * length);
        if (frames && (height[frames] < 0) != (height[frames - 1] < 0)) {
            double back = height[frames] / (height[frames] - height[frames - 1]) / 60.0 / period;
            last = time[frames] - back;
            if (first < 0)
                first = last;
            else
                halves++;
        }
    }
    o->wave = halves ? 100 * (2 * (last - first) / halves - 1) : 0;
    plot_line(chart, f->name, time, height, frames);
    free(p.block);
}

/* ---- rest ---- */

static void rest_run(const fluid *f, plot *chart, outcome *o)
{
    double spacing = f->formulation == TP_SPH_DOUBLE_DENSITY ? 0.1 : 0.05, time[61], energy[61],
           before = 0;
    uint32_t particles = f->dimensions == 3 ? 1200 : 800;
    tp_world_def def = fluid_def(f, particles, spacing, 40 * spacing);
    pool p = pool_make(&def, spacing, (f->dimensions == 3 ? 20 : 60) * spacing,
                       f->dimensions == 3 ? 6 * spacing : 0);
    if (f->dimensions == 3)
        pool_fill(&p, 10, 20, 0);
    else
        pool_fill(&p, 20, 40, 0);
    for (uint32_t second = 0; second <= 60; second++) {
        time[second] = second;
        energy[second] = fmax(energy_of(&p), 1e-12);
        if (second == 20) before = height_of(&p);
        for (uint32_t frame = 0; second < 60 && frame < 60; frame++) pool_frame(&p);
    }
    o->rest[0] = energy[20];
    o->rest[1] = energy[60];
    o->shrinkage = 100 * (1 - height_of(&p) / before);
    plot_line(chart, f->name, time, energy, 61);
    free(p.block);
}

/* ---- all ---- */

static plot chart_begin(const char *folder, const char *name, plot_axis x, plot_axis y)
{
    char path[512];
    snprintf(path, sizeof path, "%s/fluid_%s.svg", folder, name);
    return plot_begin(path, x, y);
}

static void row_print(const fluid *f, const outcome *o)
{
    char slope[32] = "-";
    if (f->formulation != TP_SPH_DOUBLE_DENSITY)
        snprintf(slope, sizeof slope, "%+.1f %%", o->slope);
    printf("| %s | %.1f | %.0f | %.2f %% | %.2f | %s | %+.1f %% | %.0e | %.0e | %.2f %% |\n",
           f->name, o->steps, o->units, o->compression, o->lead, slope, o->wave, o->rest[0],
           o->rest[1], o->shrinkage);
}

int main(int count, char **words)
{
    static outcome outcomes[FLUIDS];
    need(count == 2, "usage: curves FOLDER");
    plot dam = chart_begin(words[1], "dam", (plot_axis){"T = t sqrt(2 g / a)", 0, 4, 0.5, false},
                           (plot_axis){"Z = front / a", 1, 5.5, 0.5, false}),
         column = chart_begin(words[1], "column", (plot_axis){"depth / H", 0, 1, 0.1, false},
                              (plot_axis){"pressure / (density g H)", 0, 1, 0.1, false}),
         wave = chart_begin(words[1], "wave", (plot_axis){"time / period", 0, 3, 0.5, false},
                            (plot_axis){"amplitude", -1.25, 1.25, 0.25, false}),
         rest = chart_begin(words[1], "rest", (plot_axis){"time, s", 0, 60, 10, false},
                            (plot_axis){"kinetic energy, J/kg", 1e-10, 100, 10, true});
    for (unsigned i = 0; i < FLUIDS; i++) {
        dam_run(&fluids[i], &dam, &outcomes[i]);
        column_run(&fluids[i], &column, &outcomes[i]);
        wave_run(&fluids[i], &wave, &outcomes[i]);
        rest_run(&fluids[i], &rest, &outcomes[i]);
        row_print(&fluids[i], &outcomes[i]);
        fflush(stdout);
    }
    plot_points(&dam, "Martin, Moyce, a = 57 mm", martin_time, martin_front, 7);
    plot_points(&dam, "the same, a = 29 mm", small_time, small_front, 7);
    plot_points(&dam, "Koshizuka, Oka", koshizuka_time, koshizuka_front, 8);
    double theory[121], period[121];
    for (int i = 0; i <= 120; i++)
        period[i] = i / 40.0, theory[i] = cos(2 * 3.14159265358979 * period[i]);
    plot_line(&wave, "linear theory", period, theory, 121);
    const double ends[2] = {0, 1};
    plot_line(&column, "theory", ends, ends, 2);
    need(plot_end(&dam) && plot_end(&column) && plot_end(&wave) && plot_end(&rest),
         "a chart could not be written");
    return 0;
}
