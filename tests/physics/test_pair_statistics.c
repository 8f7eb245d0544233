/* SPDX-License-Identifier: MIT
   tests/physics/test_pair_statistics.c - melts and gases: energy, momentum, Maxwell's speeds,
           states, virial.
   reads   runtime/solve/pair      writes  nothing
   memory  worlds of up to 1372 particles
   cost    six seconds; TIDEPOOL_LONG=1: the published runs, minutes
   after   runtime/guide/physics.md, pair forces; NIST's reference simulations of Lennard-Jones */
#include "test.h"
#include "pair_help.h"
#include <math.h>
#include <stdlib.h>

#define PI     3.14159265358979323846
#define BLOCKS 20u

/* Time steps of exactly this length, one per frame; longer ones than the default limit are allowed,
   too. */
static tp_world_def melt_def(uint32_t milliseconds)
{
    tp_world_def def = pair_def(3, 1, 1e-3);
    def.frames_per_second_denominator = milliseconds;
    def.pair.timestep_max = fmaxf(def.pair.timestep_max, 1.001e-3f * (float)milliseconds);
    return def;
}

/* A mean and its standard error, by block averages. */
typedef struct block_mean {
    double blocks[BLOCKS], mean, error;
} block_mean;

static void block_add(block_mean *of, uint32_t sample, uint32_t count, double value)
{
    of->blocks[(uint64_t)sample * BLOCKS / count] += value * BLOCKS / count;
}

/* `count` must be a multiple of BLOCKS. */
static void block_end(block_mean *of)
{
    double square = 0;
    of->mean = 0;
    for (uint32_t k = 0; k < BLOCKS; k++) of->mean += of->blocks[k] / BLOCKS;
    for (uint32_t k = 0; k < BLOCKS; k++)
        square += (of->blocks[k] - of->mean) * (of->blocks[k] - of->mean);
    of->error = sqrt(square / (BLOCKS - 1) / BLOCKS);
}

/* ---- energy and momentum ---- */

typedef struct energy_run {
    double rms, drift, energy, momentum, temperature;
    double wobble; /* rms about the best straight line: drift has a limit of its own */
} energy_run;

/* Runs `steps` steps: rms of the energy per particle about its mean, its drift, and the largest
   momentum. */
static energy_run energy_of(uint32_t milliseconds, double settling, uint32_t steps)
{
    tp_world_def def = melt_def(milliseconds);
    test_world made = pair_crystal(&def, 5, 0.8442, 1.44);
    double sum = 0, square = 0, slope = 0, ends[2] = {0, 0}, n = def.particles_max;
    uint32_t every = 10, count = steps / every, part = count / 10;
    energy_run run = {0};
    test_world_frames(made.world, (uint32_t)(1000 * settling) / milliseconds);
    for (uint32_t k = 0; k < count; k++) {
        test_world_frames(made.world, every);
        tp_pair_report report = pair_measure(made.world);
        double energy = ((double)report.kinetic + (double)report.potential) / n;
        if (k == 0) run.energy = energy;
        sum += energy - run.energy;
        square += (energy - run.energy) * (energy - run.energy);
        slope += (energy - run.energy) * (k - 0.5 * (count - 1));
        if (k < part) ends[0] += energy / part;
        if (k >= count - part) ends[1] += energy / part;
        double p = sqrt((double)tpi_dot(report.momentum, report.momentum));
        run.momentum = fmax(run.momentum, p);
        run.temperature += (double)report.temperature / count;
    }
    CHECK_EQ(made.world->report.overlaps_guarded, 0);
    CHECK_EQ(made.world->report.neighbours_dropped, 0);
    run.rms = sqrt(fmax(square / count - sum / count * (sum / count), 0));
    run.drift = ends[1] - ends[0];
    double spread = (double)count * ((double)count * count - 1) / 12; /* sum of (k - mean)^2 */
    run.wobble = sqrt(fmax(run.rms * run.rms - slope * slope / spread / count, 0));
    test_world_free(&made);
    return run;
}

/* Steps in ms and the published rms: in single precision if available, else in double. Above 4 ms
   the energy drifts, and the rms includes that. At 1 ms rounding makes it drift as far as it
   oscillates, so the drift has a limit of its own. */
static void energy_is_kept_to_second_order(void)
{
    static const struct {
        uint32_t milliseconds;
        double rms;
    } rows[] = {{4, 1.05e-4}, {2, 2.1e-5}, {8, 2.2e-4}, {12, 5.7e-4}, {16, 1.2e-3}, {1, 6.4e-6}};
    double wobbles[2] = {0};
    for (size_t k = 0; k < (test_is_long() ? 6 : 2); k++) {
        uint32_t steps = test_is_long() ? 20000 : k == 1 ? 3000 : 1500;
        energy_run run = energy_of(rows[k].milliseconds, test_is_long() ? 16 : 2, steps);
        test_note("step of %u ms: rms %.3g wobble %.3g drift %.3g momentum %.3g T %.3f",
                  rows[k].milliseconds, run.rms, run.wobble, run.drift, run.momentum,
                  run.temperature);
        CHECK((rows[k].milliseconds > 1 ? run.rms : run.wobble) < 1.5 * rows[k].rms);
        if (rows[k].milliseconds <= 4) CHECK(fabs(run.drift) < 2.4e-4);
        CHECK(run.momentum < 1e-3 * sqrt(500));
        if (k < 2) wobbles[k] = run.wobble;
    }
    test_note("wobbles %.3g and %.3g", wobbles[0], wobbles[1]);
    CHECK(wobbles[0] / wobbles[1] > 3 && wobbles[0] / wobbles[1] < 5);
}

/* ---- speeds ---- */

#define BINS 24u

/* Share of particles slower than `speed` in Maxwell's distribution. */
static double maxwell_share(double speed, double temperature)
{
    double x = speed / sqrt(temperature);
    return erf(x / sqrt(2)) - sqrt(2 / PI) * x * exp(-0.5 * x * x);
}

typedef struct speed_run {
    double temperature, kurtosis[3], speed, square, chi_square;
} speed_run;

/* Takes `count` samples, `every` steps apart so that the speeds are uncorrelated. Bins hold equal
   shares at the measured temperature. */
static speed_run speeds_of(test_world *made, uint32_t settling, uint32_t every, uint32_t count)
{
    speed_run run = {0};
    double second[3] = {0}, fourth[3] = {0},
           samples = (double)count * made->world->def.particles_max;
    float *speeds = malloc((size_t)samples * sizeof *speeds), *next = speeds;
    uint32_t bins[BINS] = {0};
    test_world_frames(made->world, settling);
    for (uint32_t k = 0; k < count; k++) {
        test_world_frames(made->world, every);
        tp_pair_report report = pair_measure(made->world);
        tp_view view = tp_world_view(made->world);
        run.temperature += 2 * (double)report.kinetic / (3.0 * report.particles) / count;
        for (uint32_t i = 0; i < view.count; i++) {
            double v[3] = {(double)view.vx[i], (double)view.vy[i], (double)view.vz[i]}, square = 0;
            for (int a = 0; a < 3; a++) {
                second[a] += v[a] * v[a] / samples;
                fourth[a] += v[a] * v[a] * v[a] * v[a] / samples;
                square += v[a] * v[a];
            }
            run.square += square / samples;
            run.speed += sqrt(square) / samples;
            *next++ = (float)sqrt(square);
        }
    }
    for (const float *speed = speeds; speed < next; speed++) {
        double bin = BINS * maxwell_share((double)*speed, run.temperature);
        bins[bin < BINS - 1 ? (uint32_t)bin : BINS - 1]++;
    }
    for (uint32_t k = 0; k < BINS; k++)
        run.chi_square += pow(bins[k] - samples / BINS, 2) / (samples / BINS);
    for (int a = 0; a < 3; a++) run.kurtosis[a] = fourth[a] / (second[a] * second[a]);
    free(speeds);
    test_world_free(made);
    return run;
}

/* Within four standard deviations: sqrt(24 / samples) for the kurtosis of normal numbers, 0.67
   sqrt(T / samples) for the mean of |v|. */
static void check_speeds(const speed_run *run, double samples)
{
    test_note("T %.4f kurtosis %.4f %.4f %.4f speed %.4f chi^2 %.1f", run->temperature,
              run->kurtosis[0], run->kurtosis[1], run->kurtosis[2], run->speed, run->chi_square);
    for (int a = 0; a < 3; a++) CHECK_NEAR(run->kurtosis[a], 3, 4 * sqrt(24 / samples));
    CHECK_NEAR(run->square / (3 * run->temperature), 1, 1e-6);
    CHECK_NEAR(run->speed, sqrt(8 * run->temperature / PI),
               4 * 0.67 * sqrt(run->temperature / samples));
    CHECK(run->chi_square < BINS - 2 + 4 * sqrt(2.0 * (BINS - 2)));
}

static void velocities_are_maxwells(void)
{
    tp_world_def def = melt_def(5);
    uint32_t count = test_is_long() ? 200 : 20;
    def.pair.temperature = 1.2f;
    def.pair.friction = 1;
    test_world made = pair_crystal(&def, 5, 0.4, 1.8);
    speed_run run = speeds_of(&made, 600, 200, count);
    check_speeds(&run, 500.0 * count);
    CHECK_NEAR(run.temperature, 1.2, 4 * 1.2 * sqrt(2 / (1500.0 * count)));
}

/* All particles have the same speed at first; collisions alone make the distribution Maxwell's. */
static void collisions_alone_make_velocities_maxwells(void)
{
    tp_world_def def = melt_def(4);
    uint32_t count = test_is_long() ? 200 : 20, state = 5;
    test_world made = pair_crystal(&def, 5, 0.8442, 0);
    tp_view view = tp_world_view(made.world);
    for (uint32_t i = 0; i < view.count; i += 2) {
        tp_vector v = test_random_position(&state, 1);
        for (uint32_t k = 0; k < 2; k++) { /* two with opposite velocities: zero total momentum */
            tp_vector at = {view.x[i + k], view.y[i + k], view.z[i + k]};
            v = tpi_scale(v, k ? -1 : 2.1f / tpi_length(v));
            CHECK(tp_particle_set(made.world, i + k, at, v) == TP_OK);
        }
    }
    speed_run run = speeds_of(&made, 500, 200, count);
    check_speeds(&run, 500.0 * count);
}

/* ---- states ---- */

typedef struct state_run {
    block_mean temperature, energy, pressure; /* energy per particle, of the truncated potential */
    /* with the long-range corrections at the mean density */
    double full_energy, full_pressure;
    /* Z - 1: the part of the pressure that comes from forces, relative to rho T */
    block_mean excess;
} state_run;

/* Melts at a high temperature, cools with the thermostat for `settling` steps, then measures for
   `steps` steps with the thermostat on. */
static state_run state_of(tp_world_def *def, uint32_t cells, double density, double temperature,
                          uint32_t settling, uint32_t steps)
{
    def->pair.temperature = (float)temperature;
    def->pair.friction = 1;
    test_world made = pair_crystal(def, cells, density, temperature + 2);
    state_run run = {0};
    uint32_t every = 10, count = steps / every;
    double n = def->particles_max, pairs = 0;
    test_world_frames(made.world, settling);
    for (uint32_t k = 0; k < count; k++) {
        test_world_frames(made.world, every);
        tp_pair_report report = pair_measure(made.world);
        block_add(&run.temperature, k, count, 2 * (double)report.kinetic / (3 * n));
        block_add(&run.energy, k, count, (double)report.potential / n);
        block_add(&run.pressure, k, count, (double)report.pressure);
        block_add(&run.excess, k, count, (double)report.virial / (3 * n * temperature));
        pairs += (double)report.pairs / n / count;
    }
    block_end(&run.temperature);
    block_end(&run.energy);
    block_end(&run.pressure);
    block_end(&run.excess);
    double far = pow((double)def->pair.cutoff, -3);
    run.full_energy = run.energy.mean + pairs * 4 * (pow(far, 4) - far * far) +
                      8 * PI / 3 * density * (pow(far, 3) / 3 - far);
    run.full_pressure =
        run.pressure.mean + 16 * PI / 3 * density * density * (2 * pow(far, 3) / 3 - far);
    test_world_free(&made);
    return run;
}

/* State points: T, density, cutoff; U/N and P of the truncated and shifted potential, then with
   long-range corrections; tolerances. The last row is NIST's. */
static void states_have_their_energy_and_pressure(void)
{
    static const double points[][9] = {
        {1.20, 0.10, 2.5, -0.6962, 0.0891, -0.8080, 0.0784, 0.01, 0.01},
        {2.00, 0.80, 2.5, -3.9061, 5.965, -4.7565, 5.281, 0.02, 0.06},
        {0.722, 0.8442, 2.5, -5.1939, 0.892, -6.0929, 0.130, 0.02, 0.06},
        {1.00, 0.70, 2.5, -4.1498, 0.522, -4.8962, -0.002, 0.02, 0.06},
        {0.85, 0.776, 3.0, -5.0356, 0.375, -5.5130, 0.002, 0.02, 0.06},
        {0.85, 0.82, 3.0, -5.2911, 0.958, -5.7962, 0.541, 0.02, 0.06},
        {0.85, 0.86, 3.0, NAN, NAN, -6.0305, 1.2660, 0.02, 0.06}};
    for (size_t k = 0; k < (test_is_long() ? sizeof points / sizeof points[0] : 2); k++) {
        const double *p = points[k];
        tp_world_def def = melt_def(4);
        def.pair.cutoff = (float)p[2];
        /* a gas stays correlated for longer */
        uint32_t steps = test_is_long() ? 30000 : k ? 3000 : 6000;
        state_run run = state_of(&def, test_is_long() ? 6 : 4, p[1], p[0],
                                 test_is_long() ? 6000 : steps / 2, steps);
        double wider = test_is_long() ? 1 : 3; /* these runs have a tenth of the steps */
        test_note("T %.3f rho %.4f: T %.4f+-%.4f U %.4f+-%.4f P %.4f+-%.4f full U %.4f P %.4f",
                  p[0], p[1], run.temperature.mean, run.temperature.error, run.energy.mean,
                  run.energy.error, run.pressure.mean, run.pressure.error, run.full_energy,
                  run.full_pressure);
        CHECK_NEAR(run.temperature.mean, p[0],
                   test_is_long() ? 0.003 * p[0] + 4 * run.temperature.error : 0.04 * p[0]);
        if (!isnan(p[3])) CHECK_NEAR(run.energy.mean, p[3], wider * p[7]);
        if (!isnan(p[4])) CHECK_NEAR(run.pressure.mean, p[4], wider * p[8]);
        CHECK_NEAR(run.full_energy, p[5], wider * p[7]);
        CHECK_NEAR(run.full_pressure, p[6], wider * p[8]);
    }
}

/* ---- second virial coefficients ---- */

/* -2 pi times the integral of (exp(-V / T) - 1) r^2, with the energies that the runtime computes
   for two particles. `is_full` adds the part beyond the cutoff, where exp(-V / T) - 1 is about -V /
   T. */
static double second_virial(const float *energies, uint32_t count, double step, double temperature,
                            bool is_full)
{
    double sum = 0, far = pow(count * step, -3),
           shift = is_full ? 4 * (pow(far, 4) - far * far) : 0;
    for (uint32_t k = 0; k < count; k++) {
        double r = (k + 0.5) * step;
        sum += (exp(-((double)energies[k] + shift) / temperature) - 1) * r * r * step;
    }
    if (is_full) sum -= 4 / temperature * (pow(far, 3) / 9 - far / 3);
    return -2 * PI * sum;
}

/* Energies of two particles at the midpoints of intervals up to the cutoff. */
static void energies_of_two(float cutoff, uint32_t count, float *energies)
{
    tp_world_def def = melt_def(1);
    def.particles_max = 2;
    def.pair.cutoff = cutoff;
    test_world made = test_world_make(&def);
    pair_add(made.world, 0, 0, 0);
    pair_add(made.world, 1, 0, 0);
    for (uint32_t k = 0; k < count; k++) {
        tp_vector at = {((float)k + 0.5f) * cutoff / (float)count, 0, 0}, still = {0, 0, 0};
        uint32_t second = tp_world_view(made.world).id[1] == 1 ? 1 : 0;
        CHECK(tp_particle_set(made.world, second, at, still) == TP_OK);
        energies[k] = pair_measure(made.world).potential;
    }
    test_world_free(&made);
}

static void two_particles_have_the_virial_coefficients(void)
{
    static const double table[][3] = {{0.7, -9.8642, -8.1332}, {1, -5.3154, -4.1719},
                                      {1.2, -3.8449, -2.9101}, {1.5, -2.5149, -1.7801},
                                      {2, NAN, -0.7720},       {3, -0.2412, 0.1151},
                                      {3.418, 0, NAN}};
    static float cut[2000], full[4000];
    energies_of_two(2.5f, 2000, cut);
    energies_of_two(8, 4000, full);
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        double near_by = second_virial(cut, 2000, 2.5 / 2000, table[k][0], false);
        double whole = second_virial(full, 4000, 8.0 / 4000, table[k][0], true);
        test_note("T %.3f: cut %.5f, full %.5f", table[k][0], near_by, whole);
        if (!isnan(table[k][1])) CHECK_NEAR(whole, table[k][1], 1e-3);
        if (!isnan(table[k][2])) CHECK_NEAR(near_by, table[k][2], 1e-3);
    }
}

/* Dilute gases: P = rho T (1 + B2 rho), with B2 of the truncated and shifted potential. At T = 0.7
   bound pairs form more slowly than the run lasts; there only the integral above is tested. */
static void thin_gases_have_their_virial_coefficients(void)
{
    static const double table[][3] = {{2, 0.01, -0.7720},
                                      {1, 0.01, -4.1719},
                                      {1.2, 0.01, -2.9101},
                                      {1.5, 0.01, -1.7801},
                                      {3, 0.01, 0.1151}};
    for (size_t k = 0; k < (test_is_long() ? 5 : 1); k++) {
        const double *row = table[k];
        tp_world_def def = melt_def(5);
        state_run run = state_of(&def, test_is_long() ? 7 : 5, row[1], row[0],
                                 test_is_long() ? 2000 : 1000, test_is_long() ? 20000 : 4000);
        double found = run.excess.mean / row[1], error = run.excess.error / row[1];
        test_note("T %.1f rho %.3f: T %.4f P %.6f B2 %.4f+-%.4f", row[0], row[1],
                  run.temperature.mean, run.pressure.mean, found, error);
        CHECK_NEAR(found, row[2], 4 * error);
        CHECK(error < (test_is_long() ? 0.05 + 0.025 * fabs(row[2]) : 0.3));
    }
}

static const test_case cases[] = {
    TEST_CASE(energy_is_kept_to_second_order),
    TEST_CASE(velocities_are_maxwells),
    TEST_CASE(collisions_alone_make_velocities_maxwells),
    TEST_CASE(states_have_their_energy_and_pressure),
    TEST_CASE(two_particles_have_the_virial_coefficients),
    TEST_CASE(thin_gases_have_their_virial_coefficients),
};
TEST_SUITE(pair_statistics, cases);
