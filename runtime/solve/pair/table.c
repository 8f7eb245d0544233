/* SPDX-License-Identifier: MIT
   runtime/solve/pair/table.c - turns a potential given as samples into rows of polynomials.
   reads   a tp_pair_table      writes  rows of the block, the scale of forces
   memory  16 bytes per sample  cost    O(samples), when it is set
   after   cubic Hermite interpolation of the energy in r^2; its derivative gives the force over the
           distance. Without given forces, slopes are five-point differences (Abramowitz and Stegun
           1964, 25.3.6) */
#include "pair.h"

#define TABLE_COUNT_MIN  5u
#define TABLE_ENERGY_MAX 1e12f /* epsilons */
#define TABLE_FORCE_MAX  1e9f  /* epsilons / sigma */

tp_pair_table tp_pair_table_default(void)
{
    tp_pair_table table = {0};
    table.stamp = TPI_STAMP_TABLE;
    return table;
}

/* Spacing of the samples, sigma^2. */
static float table_step(const tp_world *world, uint32_t count)
{
    const tp_pair *pair = &world->def.pair;
    return (pair->cutoff * pair->cutoff - pair->overlap * pair->overlap) / (float)(count - 1u);
}

float tp_pair_table_distance(const tp_world *world, uint32_t count, uint32_t sample)
{
    if (tpi_world_check_block(world) != TP_OK) return 0.0f;
    if (count < 2u || sample + 1u >= count) return world->def.pair.cutoff;
    if (sample == 0) return world->def.pair.overlap;
    float floor_squared = world->def.pair.overlap * world->def.pair.overlap;
    return tpi_sqrt(floor_squared + (float)sample * table_step(world, count));
}

/* The derivative of the energy by the squared distance, times the spacing: from the five nearest
   samples. */
static float table_slope(const tp_pair_table *table, uint32_t sample)
{
    static const float shares[5][5] = {{-25.0f, 48.0f, -36.0f, 16.0f, -3.0f},
                                       {-3.0f, -10.0f, 18.0f, -6.0f, 1.0f},
                                       {1.0f, -8.0f, 0.0f, 8.0f, -1.0f},
                                       {-1.0f, 6.0f, -18.0f, 10.0f, 3.0f},
                                       {3.0f, -16.0f, 36.0f, -48.0f, 25.0f}};
    uint32_t first = sample < 2u ? 0u : tpi_min_u32(sample - 2u, table->count - TABLE_COUNT_MIN);
    float sum = 0.0f;
    for (uint32_t k = 0; k < TABLE_COUNT_MIN;
         k++) /* differences to the sample: a constant energy has a slope of 0 */
        sum = sum +
              shares[sample - first][k] * (table->energies[first + k] - table->energies[sample]);
    return sum * (1.0f / 12.0f);
}

/* Force over distance at a sample. */
static float table_at(const tp_world *world, const tp_pair_table *table, uint32_t sample)
{
    if (!table->forces) return -2.0f * table_slope(table, sample) / table_step(world, table->count);
    return table->forces[sample] / tp_pair_table_distance(world, table->count, sample);
}

static tpi_table_row table_row(const tp_world *world, const tp_pair_table *table, uint32_t sample)
{
    tpi_table_row row = {{table_at(world, table, sample), 0.0f, 0.0f}, 0.0f};
    if (sample + 1u == table->count) return row;
    float next = table_at(world, table, sample + 1u);
    float rise = 12.0f * (table->energies[sample + 1u] - table->energies[sample]) /
                 table_step(world, table->count);
    row.c[1] = -rise - 4.0f * row.c[0] - 2.0f * next;
    row.c[2] = rise + 3.0f * (row.c[0] + next);
    row.energy = table->energies[sample] - table->energies[table->count - 1u];
    return row;
}

/* The largest force of the row, epsilons / sigma: at its ends or at the extremum of its
   parabola. */
static float table_row_force(const tpi_table_row *row, float distance)
{
    float largest = tpi_max(tpi_abs(row->c[0]), tpi_abs(row->c[0] + row->c[1] + row->c[2]));
    float turn = row->c[2] != 0.0f ? -0.5f * row->c[1] / row->c[2] : 0.0f;
    if (turn > 0.0f && turn < 1.0f)
        largest = tpi_max(largest, tpi_abs(row->c[0] + 0.5f * turn * row->c[1]));
    return largest * distance;
}

static float table_force(const tp_world *world, const tp_pair_table *table)
{
    float largest = 0.0f;
    for (uint32_t k = 0; k + 1u < table->count; k++) {
        tpi_table_row row = table_row(world, table, k);
        largest = tpi_max(
            largest, table_row_force(&row, tp_pair_table_distance(world, table->count, k + 1u)));
    }
    return largest;
}

const char *tp_pair_table_check(const tp_world *world, const tp_pair_table *table)
{
    if (tpi_world_check_block(world) != TP_OK)
        return TPI_TEXT("the world is null or no world: create it first");
    if (!table) return TPI_TEXT("the table is null: pass one made by tp_pair_table_default");
    if (table->stamp != TPI_STAMP_TABLE) return tp_result_text(TP_ERROR_STAMP);
    if (!tpi_is_pair(world) || !world->arrays.own[TPI_PAIR_TABLE])
        return TPI_TEXT("pair.potential of the world must be TP_POTENTIAL_TABLE");
    if (table->count < TABLE_COUNT_MIN || table->count > world->def.pair.table_max)
        return TPI_TEXT("count must be 5 to pair.table_max of the world");
    if (!table->energies) return TPI_TEXT("energies must be given: as many as count says");
    for (uint32_t k = 0; k < table->count; k++) {
        if (!tpi_is_within(table->energies[k], -TABLE_ENERGY_MAX, TABLE_ENERGY_MAX))
            return TPI_TEXT("energies must be -1e12 to 1e12");
        if (table->forces && !tpi_is_within(table->forces[k], -TABLE_FORCE_MAX, TABLE_FORCE_MAX))
            return TPI_TEXT("forces must be -1e9 to 1e9");
    }
    if (!(table_force(world, table) <= TABLE_FORCE_MAX))
        return TPI_TEXT(
            "energies must not rise or fall by more than a force of 1e9 between two samples");
    return NULL;
}

static void table_scale(tp_world *world, uint32_t count, float largest)
{
    tpi_pair_of(world)->table_inverse = 1.0f / table_step(world, count);
    tpi_pair_of(world)->table_last = (float)(count - 1u);
    tpi_pair_scale(tpi_pair_of(world), &world->def, largest > 0.0f ? largest : 1.0f);
}

tp_result tp_pair_table_set(tp_world *world, const tp_pair_table *table)
{
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (!table) return TP_ERROR_NULL;
    if (table->stamp != TPI_STAMP_TABLE) return TP_ERROR_STAMP;
    if (tp_pair_table_check(world, table)) return TP_ERROR_DEFINITION;
    tpi_step_cancel(world);
    tpi_table_row *rows = (tpi_table_row *)tpi_at(world, world->arrays.own[TPI_PAIR_TABLE]);
    for (uint32_t k = 0; k < table->count; k++) rows[k] = table_row(world, table, k);
    table_scale(world, table->count, table_force(world, table));
    return TP_OK;
}

/* The largest force of the stored rows, epsilons / sigma; FLT_MAX if a value is NaN or infinite. */
static float table_rows_force(const tp_world *world, uint32_t count)
{
    const tpi_table_row *rows =
        (const tpi_table_row *)tpi_at(world, world->arrays.own[TPI_PAIR_TABLE]);
    float largest = 0.0f;
    for (uint32_t k = 0; k < count; k++) {
        const tpi_table_row *row = &rows[k];
        bool is_finite = tpi_is_finite(row->c[0]) && tpi_is_finite(row->c[1]) &&
                         tpi_is_finite(row->c[2]) && tpi_is_finite(row->energy);
        float force = table_row_force(row, tp_pair_table_distance(world, count, k + 1u));
        if (!is_finite || !tpi_is_finite(force)) return FLT_MAX;
        if (k + 1u < count) largest = tpi_max(largest, force);
    }
    return largest;
}

const char *tpi_pair_table_audit(const tp_world *world, uint64_t *offset)
{
    const tpi_pair_constants *pair = tpi_pair_of(world);
    float last = pair->table_last, cutoff = world->def.pair.cutoff,
          overlap = world->def.pair.overlap;
    *offset = world->arrays.solver;
    if (last == 0.0f) return NULL;
    if (pair->cutoff_squared != cutoff * cutoff || pair->floor_squared != overlap * overlap)
        return TPI_TEXT("constants that follow from the definition");
    bool is_good =
        tpi_is_within(last, (float)(TABLE_COUNT_MIN - 1u), (float)(world->def.pair.table_max - 1u));
    if (!is_good || last != (float)(uint32_t)last)
        return TPI_TEXT("as many samples of a table as pair.table_max allows");
    *offset = world->arrays.own[TPI_PAIR_TABLE];
    if (table_rows_force(world, (uint32_t)last + 1u) <= TABLE_FORCE_MAX) return NULL;
    return TPI_TEXT("rows of a table without a force above 1e9");
}

void tpi_pair_table_derive(tp_world *world, float last)
{
    if (last == 0.0f) return;
    uint32_t count = (uint32_t)last + 1u;
    float largest = table_rows_force(world, count);
    table_scale(world, count, largest);
}

#undef TABLE_COUNT_MIN
#undef TABLE_ENERGY_MAX
#undef TABLE_FORCE_MAX
