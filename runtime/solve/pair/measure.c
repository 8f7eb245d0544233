/* SPDX-License-Identifier: MIT
   runtime/solve/pair/measure.c - measures energy, virial and momentum of the back set with exact
           sums.
   reads   back positions and velocities, species, table      writes  a report
   memory  a stencil on the stack
   cost    one visit per candidate of the grid, not sliced
   after   Allen and Tildesley 1987, 2.4. Terms are floats; a long accumulator (Kulisch 1981) sums
           them exactly, so that results do not depend on the order */
#include "pair.h"

/* A sum of floats without rounding (Kulisch accumulator): word w counts multiples of 2^(32 w -
   149). A term adds less than 2^32 to each of two words, so the sum of 2^31 terms cannot
   overflow. */
#define MEASURE_WORDS 10
typedef struct measure_sum {
    int64_t words[MEASURE_WORDS];
} measure_sum;

typedef struct measure_sums {
    measure_sum potential, virial, kinetic, links;
    uint32_t pairs, link_count;
} measure_sums;

/* An infinite term counts as one just above the largest float. */
static void measure_add(measure_sum *sum, float term)
{
    uint32_t bits = tpi_bits(term), exponent = bits >> 23 & 255u,
             shift = exponent ? exponent - 1u : 0u;
    uint64_t mantissa = (bits & 0x7fffffu) | (exponent ? 0x800000u : 0u);
    uint64_t wide = mantissa << (shift & 31u);
    int64_t low = (int64_t)(wide & 0xffffffffu), high = (int64_t)(wide >> 32);
    int64_t *words = sum->words + (shift >> 5);
    words[0] += bits >> 31 ? -low : low;
    words[1] += bits >> 31 ? -high : high;
}

/* Propagates carries so that all words are 0 .. 2^32 - 1. Returns -1 if the sum is negative; `to`
   then holds its negation. */
static int measure_carry(const measure_sum *sum, uint32_t to[MEASURE_WORDS])
{
    for (int sign = 1;; sign = -1) {
        int64_t carry = 0;
        for (uint32_t w = 0; w < MEASURE_WORDS; w++) {
            int64_t word = sign * sum->words[w] + carry;
            to[w] = (uint32_t)((uint64_t)word & 0xffffffffu);
            carry = (word - (int64_t)to[w]) / 4294967296;
        }
        if (carry >= 0) return sign;
    }
}

/* The sum as a float, from its 33 to 64 highest bits. */
static float measure_value(const measure_sum *sum)
{
    uint32_t words[MEASURE_WORDS], w = MEASURE_WORDS - 1u;
    int sign = measure_carry(sum, words);
    while (w > 1u && words[w] == 0) w--;
    float value = (float)((uint64_t)words[w] << 32 | words[w - 1u]);
    /* times 2^-149, as two factors that are normal floats */
    value = value * 2.6469779601696886e-23f * 5.293955920339377e-23f;
    for (; w > 1u; w--) value = value * 4294967296.0f;
    return sign < 0 ? -value : value;
}

/* As measure_pair, from a table. */
static void measure_table(const tp_world *world, float square, float *potential, float *virial)
{
    const tpi_pair_constants *pair = tpi_pair_of(world);
    const tpi_table_row *rows =
        (const tpi_table_row *)tpi_at(world, world->arrays.own[TPI_PAIR_TABLE]);
    float nearest = tpi_max(square, pair->floor_squared);
    float position =
        tpi_min((nearest - pair->floor_squared) * pair->table_inverse, pair->table_last);
    const tpi_table_row *row = &rows[(uint32_t)position];
    float t = position - (float)(uint32_t)position,
          force = row->c[0] + t * (row->c[1] + t * row->c[2]);
    float mean = row->c[0] + t * (0.5f * row->c[1] + t * (1.0f / 3.0f) * row->c[2]);
    *virial = force * square;
    *potential = row->energy + 0.5f * (nearest - square) * force;
    if (pair->table_last > 0.0f) *potential -= 0.5f * t * mean / pair->table_inverse;
}

/* Potential energy of a pair in its epsilon, at squared distance `square` in sigma^2, and its
   virial r . F. Inside the overlap distance the force is a spring: f / r is constant. */
static void measure_pair(const tpi_pair_constants *pair, float square, float *potential,
                         float *virial)
{
    float nearest = tpi_max(square, pair->floor_squared), u = 1.0f / nearest, s = u * u * u;
    float force = 48.0f * ((u * s) * (s - 0.5f) - tpi_sqrt(u) * pair->shift);
    *virial = force * square;
    *potential = 4.0f * s * (s - 1.0f) - pair->energy_shift + 0.5f * (nearest - square) * force;
    if (pair->shift != 0.0f)
        *potential =
            *potential + 48.0f * pair->shift * (tpi_sqrt(nearest) - tpi_sqrt(pair->cutoff_squared));
}

static void measure_one(const tp_world *world, const tpi_points *points, uint32_t i, uint32_t j,
                        measure_sums *sums)
{
    const tpi_pair_constants *pair = tpi_pair_of(world);
    const uint32_t *order = tpi_words(world, world->arrays.order);
    uint32_t kind = TPI_ORDER_SPECIES(order[i]) * TP_SPECIES_MAX + TPI_ORDER_SPECIES(order[j]);
    float square = tpi_distance_squared(*points, i, j, tpi_dimensions(world)) *
                   pair->inverse_sigma_squared[kind];
    float potential, virial;
    if (!(square < (tpi_is_hard(world) ? 1.0f : pair->cutoff_squared))) return;
    sums->pairs++;
    if (tpi_is_hard(world)) return;
    if (world->arrays.own[TPI_PAIR_TABLE])
        measure_table(world, square, &potential, &virial);
    else
        measure_pair(pair, square, &potential, &virial);
    measure_add(&sums->potential, potential * pair->epsilon[kind]);
    measure_add(&sums->virial, virial * pair->epsilon[kind]);
}

/* Measures the pairs of the particles from `index` to the end of their cell; returns the end of the
   cell. */
static uint32_t measure_cell(const tp_world *world, uint32_t index, tpi_stencil *stencil,
                             measure_sums *sums)
{
    tpi_points points = tpi_points_of(world);
    tpi_stencil_half(world, index, stencil);
    do {
        for (uint32_t i = index; i < stencil->own_end; i++)
            for (uint32_t r = 0; r < stencil->run_count; r++) {
                bool is_own = r == 0 && stencil->part == 0;
                for (uint32_t j = is_own ? i + 1u : stencil->runs[r].begin;
                     j < stencil->runs[r].end; j++)
                    measure_one(world, &points, i, j, sums);
            }
    } while (tpi_stencil_part(world, index, stencil->part + 1u, stencil));
    return stencil->cell_end;
}

static void measure_links(const tp_world *world, measure_sums *sums)
{
    float length;
    for (uint32_t slot = 0; slot < tpi_links_end(world); slot++) {
        const tpi_link_item *link = tpi_link_at(world, slot);
        if (!tpi_link_measure(world, slot, &length)) continue;
        float stretch = length - tpi_link_rest(link);
        measure_add(&sums->links, 0.5f * link->stiffness * stretch * stretch);
        measure_add(&sums->virial, -(link->stiffness * stretch * length));
        sums->link_count++;
    }
}

static void measure_motion(const tp_world *world, measure_sums *sums, tp_pair_report *report)
{
    const uint32_t *order = tpi_words(world, world->arrays.order);
    measure_sum momentum[3] = {{{0}}};
    for (uint32_t i = 0; i < world->step.count; i++) {
        float mass = world->def.species[TPI_ORDER_SPECIES(order[i])].mass;
        for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
            float v = tpi_back_v(world, axis)[i];
            measure_add(&momentum[axis], mass * v);
            measure_add(&sums->kinetic, 0.5f * mass * v * v);
        }
    }
    report->momentum = tpi_vector(measure_value(&momentum[0]), measure_value(&momentum[1]),
                                  measure_value(&momentum[2]));
}

static float measure_volume(const tp_world *world)
{
    const tpi_box *box = &world->constants.box;
    float volume = 1.0f;
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) volume = volume * box->size[axis];
    return volume;
}

/* Virial of hard spheres: impulse times distance, averaged over the time since the last
   measurement. */
static float measure_impulses(const tp_world *world)
{
    if (world->impulse_ticks == 0) return 0.0f;
    float time = (float)world->impulse_ticks * world->constants.seconds_per_tick;
    return (float)world->impulse_sum * tpi_pair_of(world)->virial_unit / time;
}

void tpi_pair_measure_back(const tp_world *world, tp_pair_report *report)
{
    measure_sums sums = {.pairs = 0};
    tpi_stencil stencil;
    float dimensions = (float)tpi_dimensions(world), volume = measure_volume(world);
    stencil.is_known = false;
    if (!tpi_pair_of(world)->is_off)
        for (uint32_t i = 0; i < world->step.count;) i = measure_cell(world, i, &stencil, &sums);
    measure_links(world, &sums);
    measure_motion(world, &sums, report);
    report->links = sums.link_count;
    report->link_energy = measure_value(&sums.links);
    report->particles = world->step.count;
    report->pairs = sums.pairs;
    report->kinetic = measure_value(&sums.kinetic);
    report->potential = measure_value(&sums.potential);
    report->virial = tpi_is_hard(world) ? measure_impulses(world) : measure_value(&sums.virial);
    if (world->step.count > 1u)
        report->temperature =
            2.0f * report->kinetic / (dimensions * (float)(world->step.count - 1u));
    if (volume > 0.0f)
        report->pressure = (2.0f * report->kinetic + report->virial) / (dimensions * volume);
}

#undef MEASURE_WORDS
