/* SPDX-License-Identifier: MIT
   tests/physics/test_energy.c - no definition of a fluid that is accepted makes energy: a search
           over all formulations, walls, materials, forces and time steps.
   reads   the solver through tidepool.h      writes  nothing
   memory  worlds of up to 125 particles
   cost    a second; TIDEPOOL_LONG=1: 2000 random definitions, a minute
   after   own design: kinetic energy and that of weight, beside what was stored at the start */
#include "test.h"
#include "world_help.h"
#include "solve/sph/sph.h"
#include <math.h>
#include <string.h>

/* ---- a definition and its start, from a seed ---- */

/* spacings: no particle begins within the support radius of a wall */
#define ENERGY_MARGIN 3.0f

typedef struct energy_case {
    tp_world_def def;
    float spacing, gravity; /* m, m/s^2 */
    float gap, jitter;      /* spacings */
    float speed, above;     /* m/s towards the floor, m over it */
    uint32_t side, seed;
} energy_case;

static float energy_log(uint32_t *state, float low, float high)
{
    return low * powf(high / low, test_random(state));
}
static bool energy_chance(uint32_t *state, float share) { return test_random(state) < share; }

static void energy_formulation(tp_world_def *def, tp_sph_formulation kind, float spacing,
                               uint32_t *state)
{
    const float depth = energy_log(state, 0.5f, 3.0f);
    if (kind == TP_SPH_INCOMPRESSIBLE) tp_sph_incompressible(def, spacing);
    if (kind == TP_SPH_DOUBLE_DENSITY) tp_sph_double_density(def, spacing);
    if (kind == TP_SPH_IDEAL_GAS) tp_sph_ideal_gas(def, spacing, depth);
    if (kind == TP_SPH_WEAKLY_COMPRESSIBLE) tp_sph_weakly_compressible(def, spacing, depth);
    def->sph.density_iterations = 1u + (uint32_t)(4.0f * test_random(state));
    def->sph.divergence_iterations = (uint32_t)(3.0f * test_random(state));
    def->sph.smoothing = 0.5f * test_random(state);
    def->sph.viscosity_linear *= energy_log(state, 0.1f, 4.0f);
    def->sph.viscosity_quadratic *= energy_log(state, 0.1f, 4.0f);
    def->sph.stores_neighbours = energy_chance(state, 0.7f);
}

/* Species and forces of pairs. */
static void energy_matter(tp_world_def *def, float spacing, uint32_t *state)
{
    const float cell = powf(spacing, (float)def->dimensions - 1.0f);
    const float ratio = energy_log(state, 1.0f, 8.0f), mass = def->species[0].mass;
    const bool has_two = energy_chance(state, 0.4f);
    if (has_two) {
        def->species_count = 2;
        def->species[1].mass *= ratio;
        if (def->sph.formulation >= TP_SPH_IDEAL_GAS) def->species[1].rest_density *= ratio;
    }
    if (energy_chance(state, 0.4f))
        def->sph.cohesion = energy_log(state, 0.03f, 3.0f) * mass / cell;
    if (energy_chance(state, 0.3f) && !has_two)
        def->sph.viscosity = energy_log(state, 1e-3f, 10.0f);
    if (energy_chance(state, 0.3f)) def->sph.viscosity_iterations = 1;
    for (uint32_t s = 0; s < def->species_count && energy_chance(state, 0.3f); s++) {
        def->species[s].viscosity = test_random(state);
        def->species[s].cohesion = test_random(state);
        def->species[s].stickiness = 0.3f * test_random(state) * mass / cell;
        def->species[s].friction = 2.0f * test_random(state);
    }
}

/* Springs that are born at rest. Those of the published law, born where their force is 0, gain
   stiffness as they flow. */
static void energy_springs(tp_world_def *def, uint32_t seed)
{
    uint32_t state = seed * 2246822519u + 7u;
    if (def->sph.formulation == TP_SPH_INCOMPRESSIBLE || !energy_chance(&state, 0.3f)) return;
    def->sph.springs_max = 12;
    def->sph.springs_at_rest = true;
    def->sph.spring_stiffness = energy_log(&state, 10.0f, 1e5f);
    def->sph.spring_plasticity = energy_chance(&state, 0.5f) ? 30.0f * test_random(&state) : 0.0f;
    def->sph.spring_yield = test_random(&state);
}

static void energy_steps(tp_world_def *def, uint32_t *state)
{
    def->frames_per_second_numerator = 20u + (uint32_t)(test_random(state) * 130.0f);
    def->sph.timestep_max *= energy_log(state, 0.3f, 4.0f);
    def->substeps.count = 1u + (uint32_t)(test_random(state) * 5.0f);
    def->substeps.count_max = def->substeps.count + (uint32_t)(test_random(state) * 30.0f);
    def->substeps.is_adaptive = energy_chance(state, 0.3f);
}

/* False: the definition is refused. */
static bool energy_draw(uint32_t seed, energy_case *c)
{
    const tp_sph_formulation kind = (tp_sph_formulation)(seed % 4u);
    const uint32_t dimensions = seed / 4u % 3u ? 2 : 3;
    uint32_t state = seed * 2654435761u + 1u;
    memset(c, 0, sizeof *c);
    c->seed = seed;
    c->spacing = energy_log(&state, 0.03f, 0.3f);
    c->gravity = 15.0f * test_random(&state);
    c->side = dimensions == 2 ? 10 : 5;
    c->gap = 1.0f + 0.1f * test_random(&state);
    c->jitter = 0.2f * test_random(&state);
    c->speed = energy_chance(&state, 0.5f) ? 4.0f * test_random(&state) : 0.0f;
    c->above = 6.0f * c->spacing * test_random(&state);
    c->def = tp_world_default(dimensions);
    c->def.solver = TP_SOLVER_SPH;
    c->def.particles_max = dimensions == 2 ? 100 : 125;
    c->def.slice_units = 65536;
    c->def.sph.neighbours_max = 127;
    energy_formulation(&c->def, kind, c->spacing, &state);
    energy_matter(&c->def, c->spacing, &state);
    energy_springs(&c->def, seed);
    energy_steps(&c->def, &state);
    return tp_world_check(&c->def) == NULL;
}

/* ---- the world ---- */

static void energy_solid(tp_world *world, const energy_case *c, float wide, uint32_t *state)
{
    static const tp_collider_shape solids[3] = {TP_COLLIDER_SPHERE, TP_COLLIDER_CAPSULE,
                                                TP_COLLIDER_BOX};
    tp_collider_def solid = tp_collider_default(solids[(uint32_t)(2.99f * test_random(state))]);
    const float bulge = c->spacing * (1.0f + 2.0f * test_random(state));
    tp_collider added;
    solid.radius = bulge;
    solid.friction = test_random(state);
    solid.half = (tp_vector){bulge, solid.shape == TP_COLLIDER_BOX ? bulge : 0, bulge};
    solid.pose.position = (tp_vector){wide / 2, 0, c->def.dimensions == 3 ? wide / 2 : 0};
    CHECK(tp_collider_add(world, &solid, &added) == TP_OK);
}

static void energy_walls(tp_world *world, const energy_case *c, uint32_t *state)
{
    const float wide = c->spacing * (c->gap * (float)c->side + 2 * ENERGY_MARGIN);
    const float deep = c->def.dimensions == 3 ? wide : 0, high = 200 * c->spacing;
    tp_collider_def room = tp_collider_default(TP_COLLIDER_BOX);
    tp_collider added;
    room.is_hollow = true;
    room.half = room.pose.position = (tp_vector){wide / 2, high / 2, deep / 2};
    if (deep <= 0) room.half.z = 1;
    room.friction = test_random(state);
    if (energy_chance(state, 0.5f))
        test_world_tank(world, (tp_vector){wide, high, deep});
    else
        CHECK(tp_collider_add(world, &room, &added) == TP_OK);
    if (energy_chance(state, 0.5f)) energy_solid(world, c, wide, state);
}

static test_world energy_make(const energy_case *c)
{
    test_world made = test_world_make(&c->def);
    uint32_t state = c->seed * 747796405u + 3u;
    const float apart = c->spacing * c->gap;
    if (c->gravity > 0) test_world_gravity(made.world, c->gravity);
    energy_walls(made.world, c, &state);
    for (uint32_t i = 0; i < c->def.particles_max; i++) {
        const uint32_t at[3] = {i % c->side, i / c->side % c->side, i / (c->side * c->side)};
        float x[3];
        for (uint32_t axis = 0; axis < 3; axis++)
            x[axis] = apart * ((float)at[axis] + 0.5f + c->jitter * (test_random(&state) - 0.5f));
        const float margin = ENERGY_MARGIN * c->spacing;
        tp_vector point = {x[0] + margin, x[1] + margin + c->above,
                           c->def.dimensions == 3 ? x[2] + margin : 0};
        uint16_t species = (uint16_t)(energy_chance(&state, 0.5f) ? c->def.species_count - 1u : 0u);
        CHECK(tp_particle_add(made.world, point, (tp_vector){0, -c->speed, 0}, species, NULL) ==
              TP_OK);
    }
    return made;
}

/* Of motion and of weight, J per kg. */
static double energy_now(const tp_world *world, double gravity)
{
    tp_view view = tp_world_view(world);
    const tp_world_def *def = tp_world_definition(world);
    double energy = 0, mass = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        double m = (double)def->species[TP_META_SPECIES(view.meta[i])].mass,
               vx = (double)view.vx[i], vy = (double)view.vy[i],
               vz = view.vz ? (double)view.vz[i] : 0;
        energy += m * (0.5 * (vx * vx + vy * vy + vz * vz) + gravity * (double)view.y[i]);
        mass += m;
    }
    return energy / mass;
}

/* ---- what is stored at the start ---- */

/* J per kg of a pair of densities: of the double density h k (rho - rho0)^2 / 12 and
   h k_n rho_n^2 / 16; of an equation of state the integral of p / rho^2. Below the rest density an
   equation of state stores nothing, or under tension. */
static double energy_of_density(const tp_sph *sph, double density, double near_density, double rest)
{
    const double h = (double)sph->smoothing_radius, r = density / rest,
                 square = (double)sph->sound_speed * (double)sph->sound_speed;
    const bool is_pressed = r > 1 || sph->allows_tension;
    switch (sph->formulation) {
    case TP_SPH_DOUBLE_DENSITY:
        return h / 12 * (double)sph->stiffness * (density - rest) * (density - rest) +
               h / 16 * (double)sph->near_stiffness * near_density * near_density;
    case TP_SPH_IDEAL_GAS: return is_pressed ? square * (log(r) + 1 / r - 1) : 0;
    case TP_SPH_WEAKLY_COMPRESSIBLE:
        return is_pressed ? square / 7 * ((pow(r, 6) - 1) / 6 + 1 / r - 1) : 0;
    default: return 0;
    }
}

static double energy_mass(const tp_world_def *def, tp_view view, uint32_t i)
{
    return (double)def->species[TP_META_SPECIES(view.meta[i])].mass;
}

/* By the double density a light particle between heavy ones is pressed. */
static double energy_stored(const tp_world *world, const tp_world_def *def)
{
    tp_view view = tp_world_view(world);
    const tpi_sph_constants *k = tpi_sph_of(world);
    const bool has_law = def->sph.formulation >= TP_SPH_IDEAL_GAS;
    double sum = 0, mass = 0;
    for (uint32_t i = 0; i < view.count; i++) {
        const double own = energy_mass(def, view, i);
        double cubes = has_law ? own : 0, fourths = 0;
        for (uint32_t j = 0; j < view.count; j++) {
            double x = (double)(view.x[j] - view.x[i]), y = (double)(view.y[j] - view.y[i]),
                   z = view.z ? (double)(view.z[j] - view.z[i]) : 0,
                   a = fmax(0, 1 - sqrt(x * x + y * y + z * z) / (double)def->sph.smoothing_radius),
                   share = (has_law ? own : energy_mass(def, view, j)) * a * a * a;
            if (j != i) cubes += share, fourths += share * a;
        }
        double rest = (double)def->species[TP_META_SPECIES(view.meta[i])].rest_density;
        sum += (has_law ? own : 1) * energy_of_density(&def->sph, (double)k->norm * cubes,
                                                       (double)k->near_norm * fourths,
                                                       has_law ? rest : own * rest);
        mass += own;
    }
    return sum / mass;
}

/* J per kg that surface tension and walls to which the fluid sticks can give: a face of each
   particle. */
static double energy_faces(const energy_case *c)
{
    double most = (double)c->def.sph.cohesion;
    for (uint32_t s = 0; s < c->def.species_count; s++)
        most += (double)c->def.species[s].stickiness;
    return most * pow((double)c->spacing, (double)c->def.dimensions - 1) /
           (double)c->def.species[0].mass;
}

/* ---- cases ---- */

/* Frames of a run. Returns false if energy was made. */
static bool energy_run(const energy_case *c, uint32_t frames)
{
    static const char *const names[4] = {"double density", "incompressible", "ideal gas", "Tait"};
    test_world made = energy_make(c);
    const double gravity = (double)c->gravity, start = energy_now(made.world, gravity),
                 stored = energy_stored(made.world, &c->def), faces = energy_faces(c),
                 unit = gravity * (double)c->spacing, fall = start,
                 bound = start + stored + faces + 0.02 * fall + 0.5 * unit + 1e-4;
    double highest = start;
    for (uint32_t frame = 0; frame < frames; frame++) {
        test_world_frames(made.world, 1);
        highest = fmax(highest, energy_now(made.world, gravity));
    }
    bool is_good = highest <= bound && tp_world_view(made.world).count == c->def.particles_max;
    if (!is_good) {
        test_note("seed %u, %uD, %s: energy %.4g J/kg at first, %.4g stored, %.4g of faces; at "
                  "most %.4g; cohesion %g, viscosity %g, "
                  "species %u, step %.2f ms, limit %.2f ms, spacing %g",
                  c->seed, c->def.dimensions, names[c->def.sph.formulation], start, stored, faces,
                  highest, (double)c->def.sph.cohesion, (double)c->def.sph.viscosity,
                  c->def.species_count, 1e3 * (double)c->def.sph.timestep_max,
                  1e3 * (double)tp_sph_timestep_limit(&c->def), (double)c->spacing);
    }
    test_world_free(&made);
    return is_good;
}

/* The largest rise in a frame, in parts of the energy at the start and that of faces. */
static double energy_rise(const energy_case *c, uint32_t frames)
{
    test_world made = energy_make(c);
    const double gravity = (double)c->gravity, start = energy_now(made.world, gravity);
    double last = start, rise = 0;
    for (uint32_t frame = 0; frame < frames; frame++) {
        test_world_frames(made.world, 1);
        const double now = energy_now(made.world, gravity);
        rise = fmax(rise, (now - last) / (start + energy_faces(c)));
        last = now;
    }
    test_note("seed %u: a frame adds up to %.3f of the energy", c->seed, rise);
    test_world_free(&made);
    return rise;
}

static void random_definitions_make_no_energy(void)
{
    const uint32_t wanted = test_is_long() ? 2000 : 40;
    uint32_t runs = 0, seed = 0, bad = 0;
    for (; runs < wanted && seed < 20 * wanted; seed++) {
        energy_case c;
        if (!energy_draw(seed, &c)) continue;
        bad += !energy_run(&c, test_is_long() ? 30 : 20);
        runs++;
    }
    test_note("%u of %u definitions accepted, %u made energy", runs, seed, bad);
    CHECK(runs == wanted && bad == 0);
}

/* Definitions in whose impacts a step is a tenth as long as the next one. With the pressures of the
   short step the next one made up to 46 % of the energy. */
static void a_long_step_after_a_short_one_makes_no_energy(void)
{
    static const uint32_t seeds[] = {41, 1113, 1493, 1989, 2609, 2673};
    for (size_t k = 0; k < sizeof seeds / sizeof seeds[0]; k++) {
        energy_case c;
        if (CHECK(energy_draw(seeds[k], &c))) CHECK(energy_rise(&c, 30) < 0.05);
    }
}

/* Particles that start displaced by up to a tenth of a spacing, in steps a fortieth as long
   as the fluid needs. What they gain at most, in spacings times g. */
static double overlap_gain(uint32_t dimensions, float spacing, float ratio, uint32_t frames)
{
    energy_case c = {.spacing = spacing, .gravity = 9.81f, .gap = 1, .jitter = 0.2f, .side = 6};
    c.seed = 1;
    c.def = tp_world_default(dimensions);
    c.def.solver = TP_SOLVER_SPH;
    c.def.particles_max = dimensions == 2 ? 36 : 216;
    c.def.frames_per_second_numerator = 240;
    c.def.substeps.count = 4;
    c.def.substeps.count_max = 16;
    if (ratio > 1) c.def.species_count = 2, c.def.species[1].mass *= ratio;
    tp_sph_incompressible(&c.def, spacing);
    test_world made = energy_make(&c);
    const double start = energy_now(made.world, 9.81);
    double most = 0;
    for (uint32_t frame = 0; frame < frames; frame++) {
        test_world_frames(made.world, 1);
        most = fmax(most, energy_now(made.world, 9.81) - start);
    }
    test_note("%uD, %.2f m, ratio %.0f: %.3f spacings times g", dimensions, (double)spacing,
              (double)ratio, most / 9.81 / (double)spacing);
    test_world_free(&made);
    return most / 9.81 / (double)spacing;
}

static void overlaps_gain_little_in_short_steps(void)
{
    for (uint32_t dimensions = 2; dimensions <= 3; dimensions++) {
        CHECK(overlap_gain(dimensions, 5, 1, 120) < 0.25);
        CHECK(overlap_gain(dimensions, 5, 8, 120) < 1);
        CHECK(overlap_gain(dimensions, 5, 2, 120) < 1);
    }
}

static const test_case cases[] = {TEST_CASE(random_definitions_make_no_energy),
                                  TEST_CASE(overlaps_gain_little_in_short_steps),
                                  TEST_CASE(a_long_step_after_a_short_one_makes_no_energy)};
TEST_SUITE(energy, cases);
