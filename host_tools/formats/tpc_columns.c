/* SPDX-License-Identifier: MIT
   host_tools/formats/tpc_columns.c - streams of points as columns of a clip: up to four 32-bit
           words each.
   reads   elements                        writes  the same
   memory  -                               cost    O(1)
   after   own design */
#include "tpc.h"
#include <string.h>

const tpc_column tpc_columns[TPC_COLUMNS] = {
    {"location", NULL, POINT_LOCATION, 0, 3, true},
    {"velocity", NULL, POINT_VELOCITY, 0, 3, true},
    {"rotation", NULL, POINT_ROTATION, 0, 4, true},
    {"avelocity", "xconst", POINT_ANGULAR, 0, 3, true},
    {"size", NULL, POINT_SIZE, 0, 1, true},
    {"times", NULL, POINT_TIMES, 0, 3, true},
    {"boids", NULL, POINT_BOIDS, 0, 4, true},
    {"boids_state", NULL, POINT_BOIDS, 4, 1, false},
    {"wet", NULL, POINT_WET, 0, 4, true},
    {"wetness", NULL, POINT_WET, 4, 1, true},
    {"wet_state", NULL, POINT_WET, 5, 1, false},
    {"paint", NULL, POINT_PAINT, 0, 4, true},
    {"displace", NULL, POINT_DISPLACE, 0, 1, true},
    {"weight", NULL, POINT_WEIGHT, 0, 1, true},
    {"wave", NULL, POINT_WAVE, 0, 3, true},
    {"wave_state", NULL, POINT_WAVE, 3, 1, false},
};
uint32_t tpc_column_of(uint32_t stream)
{
    uint32_t column = 0;
    while (column + 1u < TPC_COLUMNS && (uint32_t)tpc_columns[column].stream != stream) column++;
    return column;
}

const char *const tpc_extra_names[EXTRA_TYPES] = {NULL, "springs", "accel"};

const char *tpc_column_name(const tpc_column *column, uint32_t type)
{
    return type == POINT_CLOTH && column->cloth_name ? column->cloth_name : column->name;
}

uint32_t tpc_load_word(const tpc_column *column, uint32_t c, const uint8_t *from)
{
    uint32_t word;
    uint16_t half[2];
    from += 4u * (column->word + c);
    if (column->is_float) {
        memcpy(&word, from, sizeof word);
        return word;
    }
    memcpy(half, from, sizeof half);
    return half[0] | (uint32_t)half[1] << 16;
}

void tpc_store_word(const tpc_column *column, uint32_t c, uint8_t *to, uint32_t word)
{
    uint16_t half[2] = {(uint16_t)word, (uint16_t)(word >> 16)};
    to += 4u * (column->word + c);
    if (column->is_float)
        memcpy(to, &word, sizeof word);
    else
        memcpy(to, half, sizeof half);
}

uint32_t tpc_count_times(const host_sink_options *options, uint32_t points)
{
    uint32_t count = options->point_count;
    if (points > count || count > TPC_SAME_LIVES_MAX) return count; /* some points may have none */
    while (count > 1u &&
           memcmp(options->times + 3u * (size_t)(count - 1u),
                  options->times + 3u * (size_t)(count - 2u), 3u * sizeof *options->times) == 0)
        count--;
    return count;
}

uint32_t *tpc_arrange_times(const host_sink_options *options, uint32_t count)
{
    uint32_t tiles = count / TPI_TILE_POINTS + 1u;
    uint32_t *words = host_allocate((size_t)tiles * 3u * TPI_TILE_POINTS, sizeof *words);
    for (uint32_t i = 0; words && i < count; i++)
        for (uint32_t c = 0; c < 3; c++)
            memcpy(&words[((size_t)(i / TPI_TILE_POINTS) * 3u + c) * TPI_TILE_POINTS +
                          i % TPI_TILE_POINTS],
                   &options->times[(size_t)i * 3 + c], sizeof *words);
    return words;
}
