/* SPDX-License-Identifier: MIT
   host_tools/clip/tables/count.c - counts symbols of residuals by coder state, and prints
           runtime/codec/tables.c.
   reads   arguments: names of shipped scenes and paths of sequences; without arguments it prints
           the initial tables
   writes  standard output; one line per set to standard error
   memory  one set at a time      cost    the simulations, and 12 tiles of each set at four errors
   after   own design: tiles are encoded with the tables that the program is built with, then
           decoded; the symbols of each state are counted and normalised to frequencies (shares of
           256). tables/run repeats this */
#include "commands/tracks.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- states: adaptive contexts. A state is the quantised mean size of the last residuals; below
   level 8 also a zero run */

#define LEVELS   65u  /* two per octave */
#define ZEROS    21u  /* zero runs of 0 to 20, at level 0 */
#define WEIGHT   0.55 /* weight of the last residual in the mean */
#define SMALLEST 0.12 /* mean from which levels grow by octaves */

/* A shock is a residual too large for the symbols of a state up to SHOCK_LEVEL, for example a
   collision. Special states with increasing units code it. It is not used as the mean of later
   residuals: one more state follows, from which both rest and another shock are cheap. */
#define SHOCKS      5u
#define SHOCK_LEVEL 12u
#define SHOCK       8.0 /* smaller residuals are not shocks */
#define AFTER_SHOCK 2.0 /* added to the mean in that state */
#define SHOCK_FIRST (LEVELS * ZEROS)
#define AFTER_INDEX (SHOCK_FIRST + SHOCKS)
#define STATES      (AFTER_INDEX + 1u)

typedef struct state {
    uint32_t level, zeros, bits, table;
    /* indices in `states`; of the escape: the state that codes it */
    uint32_t next[TPI_CODEC_SYMBOLS];
    bool is_reached;
    uint32_t number; /* index among the reached states */
} state;

static state states[STATES];

static uint32_t zeros_max(uint32_t level) { return level == 0 ? ZEROS - 1u : level < 8u ? 3u : 0u; }
static uint32_t index_of(uint32_t level, uint32_t zeros) { return level * ZEROS + zeros; }
static double mean_of(uint32_t level) { return SMALLEST * (exp2(level / 2.0) - 1.0); }

static uint32_t level_of(double mean)
{
    double level = floor(2.0 * log2(mean / SMALLEST + 1.0) + 0.5);
    return level >= LEVELS ? LEVELS - 1u : (uint32_t)level;
}

/* The size of a residual that a symbol implies: the middle of its interval. */
static double size_of(const state *from, int32_t units)
{
    double unit = exp2(from->bits);
    if (!from->bits) return abs(units);
    return units ? fabs(units + 0.5) * unit : 0.25 * unit;
}

static uint32_t state_after(const state *from, int32_t units)
{
    double mean = mean_of(from->level), size = size_of(from, units);
    uint32_t level = level_of(mean + WEIGHT * (size - mean)), zeros = 0;
    if (units == 0 && level == from->level && level > 0 && size < mean)
        level--; /* so that rest is reached eventually */
    if (units == 0 && !from->bits) zeros = from->zeros + 1u;
    return index_of(level, zeros < zeros_max(level) ? zeros : zeros_max(level));
}

static uint32_t state_after_escape(uint32_t level)
{
    if (level <= SHOCK_LEVEL) return SHOCK_FIRST + (level > 8u ? 1u : 0u);
    return index_of(level < 20u ? 20u : level < 40u ? 40u : LEVELS - 1u, 0);
}

static uint32_t state_after_shock(const state *from, int32_t units)
{
    double size = size_of(from, units);
    return size < SHOCK ? index_of(level_of(WEIGHT * fmax(size, 1.0)), 0) : AFTER_INDEX;
}

static void make_shocks(void)
{
    static const uint8_t bits[SHOCKS] = {0, 3, 6, 10, 28};
    state *after = &states[AFTER_INDEX];
    for (uint32_t k = 0; k < SHOCKS; k++) {
        state *shock = &states[SHOCK_FIRST + k];
        shock->bits = bits[k];
        for (uint32_t y = 0; y < TPI_CODEC_ESCAPE; y++)
            shock->next[y] = state_after_shock(shock, (int32_t)y - (int32_t)TPI_CODEC_ZERO);
        shock->next[TPI_CODEC_ESCAPE] = SHOCK_FIRST + tpi_min_u32(k + 1u, SHOCKS - 1u);
    }
    for (uint32_t y = 0; y < TPI_CODEC_ESCAPE; y++)
        after->next[y] = index_of(
            level_of(WEIGHT * size_of(after, (int32_t)y - (int32_t)TPI_CODEC_ZERO) + AFTER_SHOCK),
            0);
    after->next[TPI_CODEC_ESCAPE] = SHOCK_FIRST + 1u;
}

static void mark_reached(uint32_t index)
{
    static uint32_t waiting[STATES];
    uint32_t count = 0;
    waiting[count++] = index;
    while (count) {
        state *from = &states[waiting[--count]];
        if (from->is_reached) continue;
        from->is_reached = true;
        for (uint32_t y = 0; y < TPI_CODEC_SYMBOLS; y++)
            if (!states[from->next[y]].is_reached) waiting[count++] = from->next[y];
    }
}

/* States with similar statistics share a table: ranges of zero runs at level 0, levels above 8 (odd
   and even, as they look alike in their units), and the largest shocks. */
static uint32_t table_key(const state *of)
{
    static const uint8_t runs[ZEROS] = {0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2,
                                        3, 3, 3, 3, 4, 4, 4, 4, 4, 5};
    uint32_t index = (uint32_t)(of - states);
    if (index >= SHOCK_FIRST)
        return 2000u + (index == AFTER_INDEX ? SHOCKS : tpi_min_u32(index - SHOCK_FIRST, 3u));
    if (of->level == 0) return runs[of->zeros];
    return of->level > 8u ? 1000u + (of->level & 1u ? 0u : 1u) : 10u * of->level + of->zeros;
}

static void make_states(void)
{
    uint32_t keys[TPI_CODEC_TABLES], tables = 0, count = 0;
    for (uint32_t level = 0; level < LEVELS; level++)
        for (uint32_t zeros = 0; zeros <= zeros_max(level); zeros++) {
            state *made = &states[index_of(level, zeros)];
            made->level = level, made->zeros = zeros;
            made->bits = level > 8u ? (level - 7u) / 2u : 0u;
            for (uint32_t y = 0; y < TPI_CODEC_ESCAPE; y++)
                made->next[y] = state_after(made, (int32_t)y - (int32_t)TPI_CODEC_ZERO);
            made->next[TPI_CODEC_ESCAPE] = state_after_escape(level);
        }
    make_shocks();
    mark_reached(index_of(0, ZEROS - 1u));
    for (uint32_t index = 0; index < STATES; index++) {
        uint32_t table = 0;
        if (!states[index].is_reached) continue;
        while (table < tables && keys[table] != table_key(&states[index])) table++;
        if (table == tables && tables < TPI_CODEC_TABLES)
            keys[tables++] = table_key(&states[index]);
        states[index].table = table;
        states[index].number = count++;
    }
    if (count == TPI_CODEC_STATES && tables == TPI_CODEC_TABLES) return;
    fprintf(stderr, "%u states and %u tables: codec.h has other numbers of them\n", count, tables);
    exit(1);
}

/* ---- counting */

typedef double counts[TPI_CODEC_TABLES][TPI_CODEC_SYMBOLS];

/* A residual counts as its own symbol even if the current tables code it by an escape; otherwise a
   symbol with frequency 0 could never get another one. */
static void count_residual(counts seen, uint16_t *at, int32_t residual)
{
    uint32_t symbol;
    do {
        const uint32_t *steps = tpi_codec_steps + TPI_STATE_ROW(*at);
        int32_t units = tpi_shift_down(residual, TPI_STEP_BITS(steps[TPI_CODEC_ZERO]));
        symbol = tpi_residual_symbol(*at, residual);
        bool is_near = units >= -8 && units <= 8;
        seen[TPI_STATE_TABLE(*at)][is_near ? (uint32_t)(units + 8) : TPI_CODEC_ESCAPE] += 1.0;
        *at = TPI_STEP_STATE(steps[symbol]);
    } while (symbol == TPI_CODEC_ESCAPE);
}

/* A decoded component of a tile: lattice coordinates [frame][point]. */
typedef struct read_values {
    uint32_t points, frames;
    tpi_tile_component how;
    int32_t values[TPI_TILE_FRAMES_MAX][TPI_TILE_POINTS],
        residuals[TPI_TILE_FRAMES_MAX][TPI_TILE_POINTS];
} read_values;

/* Counts first coordinates (age 0) or first velocities (age 1), coded from point to point. */
static void count_starts(counts seen, const read_values *read, uint32_t age)
{
    bool is_along = read->how.along >> age & 1u;
    uint16_t at = tpi_codec_states[read->how.start[age]];
    int32_t before = age ? 0 : read->how.base;
    for (uint32_t p = 0; p < read->points; p++) {
        int32_t value = read->values[age][p] - (age ? read->values[0][p] : 0);
        count_residual(seen, &at, value - before);
        if (is_along) before = value;
    }
}

static void count_point(counts seen, read_values *read, uint32_t p)
{
    const tpi_predictor *how = &tpi_predictors[read->how.predictor];
    uint16_t at = tpi_codec_states[read->how.start[2]];
    int32_t velocity = read->values[1][p] - read->values[0][p];
    tpi_track track = {read->values[1][p], how->is_moving ? 16 * velocity : 0, 0};
    for (uint32_t f = 2; f < read->frames; f++) {
        int32_t residual = read->values[f][p] - tpi_track_predict(&track);
        read->residuals[f][p] = residual;
        tpi_track_move(&track, how, residual);
        if (read->how.follows && p >= read->how.follows)
            residual -= read->residuals[f][p - read->how.follows];
        count_residual(seen, &at, residual);
    }
}

static void count_component(counts seen, read_values *read)
{
    if (read->how.mode == TPI_TILE_RAW || read->how.is_exact) return;
    count_starts(seen, read, 0);
    if (read->how.mode == TPI_TILE_CONSTANT) return;
    count_starts(seen, read, 1);
    for (uint32_t p = 0; p < read->points; p++) count_point(seen, read, p);
}

typedef struct workspace {
    host_tile_encoder encoder;
    tpi_tile_reader reader;
    uint32_t words[64u * 3u * TPI_TILE_POINTS];
    uint8_t bytes[64u * 3u * TPI_TILE_POINTS * 4u + 1024u];
    read_values read;
} workspace;

static void count_tile(counts seen, workspace *work, const host_tile_samples *samples,
                       uint32_t size)
{
    for (uint32_t c = 0; c < 3; c++) {
        if (!tpi_tile_open(&work->reader, work->bytes, size)) exit(1);
        work->read.how = work->reader.header.component[c];
        work->read.points = samples->points, work->read.frames = samples->frames;
        for (uint32_t f = 0; f < samples->frames; f++) {
            if (!tpi_tile_read(&work->reader, work->bytes)) exit(1);
            memcpy(work->read.values[f], work->reader.position[c], sizeof work->read.values[f]);
        }
        if (samples->frames > 2u) count_component(seen, &work->read);
    }
}

#define TILES 12u /* limit of tiles per set, evenly spaced */

/* Returns bytes per point and frame at one error. Counts are scaled as if each set had 1000 values,
   less for small sets. */
static double count_set(counts seen, workspace *work, const host_tracks *tracks, double error)
{
    host_tile_kind kind;
    counts here = {{0}};
    uint64_t values = 0, bytes = 0;
    uint32_t tiles = (tracks->points + TPI_TILE_POINTS - 1u) / TPI_TILE_POINTS,
             apart = 1u + tiles / TILES;
    if (!host_tracks_kind(tracks, error, &kind)) return 0;
    for (uint32_t t = 0; t < tiles; t += apart)
        for (uint32_t f = 0; f < tracks->frames; f += 64u) {
            host_tile_samples samples =
                host_tracks_tile(tracks, t * TPI_TILE_POINTS, f, 64, work->words);
            uint32_t size = host_tile_encode(&work->encoder, &samples, &kind, work->bytes);
            count_tile(here, work, &samples, size);
            bytes += size;
            values += (uint64_t)samples.points * samples.frames;
        }
    double weight = 1000.0 / ((double)values + 2000.0);
    for (uint32_t t = 0; t < TPI_CODEC_TABLES; t++)
        for (uint32_t y = 0; y < TPI_CODEC_SYMBOLS; y++) seen[t][y] += weight * here[t][y];
    return (double)bytes / (double)values;
}

static int count_source(counts seen, workspace *work, const char *source)
{
    static const double errors[] = {1e-2, 1e-3, 1e-4, 1e-5};
    host_tracks tracks;
    work->encoder.beams = 12;
    work->encoder.one_leader = true; /* as when the tables of the runtime were made */
    bool is_path = strchr(source, '/') != NULL;
    int code = is_path ? host_tracks_of_path(&tracks, source, 0)
                       : host_tracks_of_scene(&tracks, source, 0);
    if (code || !tracks.points) return code;
    fprintf(stderr, "%-40s %6u points, %3u frames:", source, tracks.points, tracks.frames);
    for (uint32_t e = 0; e < 4; e++) {
        double error = errors[e] * host_tracks_side(&tracks);
        fprintf(stderr, " %.4f", count_set(seen, work, &tracks, error));
    }
    fputc('\n', stderr);
    host_tracks_free(&tracks);
    return HOST_DONE;
}

/* ---- shares: frequencies that sum to 256 */

/* Initial shares, from an earlier count. Residual search and counts adapt to each other, so the
   iterations converge near their start: from uniform shares they end with 1 % more bytes. */
static const uint8_t first_shares[TPI_CODEC_TABLES][TPI_CODEC_SYMBOLS] = {
    {0, 0, 0, 0, 0, 0, 1, 18, 217, 18, 1, 0, 0, 0, 0, 0, 0, 1},
    {0, 0, 0, 0, 0, 0, 1, 25, 203, 25, 1, 0, 0, 0, 0, 0, 0, 1},
    {0, 0, 0, 0, 0, 0, 0, 8, 239, 8, 0, 0, 0, 0, 0, 0, 0, 1},
    {0, 0, 0, 0, 1, 1, 1, 15, 218, 15, 1, 1, 1, 0, 0, 0, 0, 2},
    {0, 0, 0, 0, 0, 0, 0, 4, 247, 4, 0, 0, 0, 0, 0, 0, 0, 1},
    {0, 0, 0, 0, 0, 0, 1, 28, 197, 28, 1, 0, 0, 0, 0, 0, 0, 1},
    {0, 0, 0, 0, 0, 0, 1, 54, 145, 54, 1, 0, 0, 0, 0, 0, 0, 1},
    {0, 0, 0, 1, 1, 3, 9, 38, 147, 38, 9, 3, 1, 1, 0, 0, 0, 5},
    {0, 0, 0, 0, 0, 0, 1, 25, 203, 25, 1, 0, 0, 0, 0, 0, 0, 1},
    {0, 0, 0, 1, 1, 5, 14, 48, 114, 48, 14, 5, 1, 1, 0, 0, 0, 4},
    {0, 0, 0, 0, 1, 1, 6, 63, 112, 63, 6, 1, 1, 0, 0, 0, 0, 2},
    {0, 1, 2, 1, 2, 5, 16, 40, 107, 41, 16, 5, 2, 1, 2, 1, 0, 14},
    {0, 0, 0, 0, 1, 1, 4, 23, 194, 23, 4, 1, 1, 0, 0, 0, 0, 4},
    {0, 0, 1, 1, 2, 6, 18, 55, 87, 55, 18, 6, 2, 1, 1, 0, 0, 3},
    {0, 0, 0, 1, 1, 3, 11, 55, 111, 55, 11, 3, 1, 1, 0, 0, 0, 3},
    {0, 1, 1, 2, 3, 8, 19, 45, 95, 45, 19, 8, 3, 2, 1, 1, 0, 3},
    {1, 1, 1, 2, 4, 10, 23, 50, 69, 50, 23, 10, 4, 2, 1, 1, 1, 3},
    {1, 1, 2, 4, 7, 14, 25, 42, 58, 42, 25, 14, 7, 4, 2, 1, 1, 6},
    {1, 1, 1, 2, 5, 12, 35, 59, 68, 41, 16, 6, 3, 1, 1, 1, 1, 2},
    {1, 2, 2, 5, 10, 20, 32, 46, 55, 35, 21, 11, 5, 3, 2, 1, 1, 4},
    {5, 6, 7, 5, 4, 6, 3, 0, 0, 0, 3, 6, 4, 5, 7, 6, 5, 184},
    {3, 6, 4, 8, 15, 24, 34, 1, 1, 32, 23, 13, 9, 6, 8, 4, 4, 61},
    {6, 6, 4, 9, 12, 13, 36, 1, 1, 45, 17, 10, 11, 8, 6, 5, 4, 62},
    {1, 1, 1, 13, 1, 1, 22, 98, 81, 17, 1, 1, 13, 1, 1, 1, 1, 1},
    {3, 5, 5, 4, 4, 6, 6, 10, 16, 10, 6, 6, 4, 4, 5, 5, 3, 154},
};

/* Makes the counts of opposite residuals equal if the unit is 1 (with larger units, rounding down
   makes them differ), and adds a small prior count. */
static void smooth(double *seen, bool is_even)
{
    double sum = 0;
    for (uint32_t n = 1; n <= TPI_CODEC_ZERO && is_even; n++)
        seen[TPI_CODEC_ZERO + n] = seen[TPI_CODEC_ZERO - n] =
            0.5 * (seen[TPI_CODEC_ZERO + n] + seen[TPI_CODEC_ZERO - n]);
    for (uint32_t y = 0; y < TPI_CODEC_SYMBOLS; y++) sum += seen[y];
    for (uint32_t y = 0; y < TPI_CODEC_SYMBOLS; y++)
        seen[y] += (2e-4 * sum + 1e-3) / (1.0 + fabs((double)y - TPI_CODEC_ZERO));
    if (!is_even) return;
    for (uint32_t y = 0; y < TPI_CODEC_ESCAPE; y++) /* too rare for a share: coded by the escape */
        if (seen[y] / sum * 256.0 < 0.35) seen[TPI_CODEC_ESCAPE] += seen[y], seen[y] = 0;
}

/* The change of the coded size if a share changes by `by`. */
static double change(double seen, uint32_t share, int32_t by)
{
    return fabs(seen * (log2(share) - log2((double)share + by)));
}

/* Normalises counts to shares that sum to 256 with least coded size; a symbol with count 0 gets
   none. */
static void divide(const double *seen, uint32_t *shares)
{
    double sum = 0;
    uint32_t total = 0;
    for (uint32_t y = 0; y < TPI_CODEC_SYMBOLS; y++) sum += seen[y];
    for (uint32_t y = 0; y < TPI_CODEC_SYMBOLS; y++) {
        shares[y] = (uint32_t)(seen[y] / sum * 256.0 + 0.5);
        if (!shares[y] && (seen[y] > 0 || y == TPI_CODEC_ESCAPE)) shares[y] = 1;
        total += shares[y];
    }
    while (total != 256u) {
        int32_t by = total > 256u ? -1 : 1;
        uint32_t best = TPI_CODEC_SYMBOLS;
        for (uint32_t y = 0; y < TPI_CODEC_SYMBOLS; y++) {
            if (!shares[y] || (by < 0 && shares[y] < 2u)) continue;
            if (best == TPI_CODEC_SYMBOLS ||
                (change(seen[y], shares[y], by) < change(seen[best], shares[best], by)) == (by < 0))
                best = y;
        }
        shares[best] = (uint32_t)((int32_t)shares[best] + by);
        total = (uint32_t)((int32_t)total + by);
    }
}

/* True if all states of the table have unit 1. */
static bool is_table_of_ones(uint32_t table)
{
    for (uint32_t index = 0; index < STATES; index++)
        if (states[index].is_reached && states[index].table == table && states[index].bits)
            return false;
    return true;
}

/* ---- the file */

static uint16_t word_of(const state *of)
{
    return (uint16_t)(of->number * TPI_CODEC_ROW | of->table << 11);
}

static uint32_t step_of(const state *of, const uint32_t *shares, uint32_t symbol)
{
    uint32_t bits = symbol == TPI_CODEC_ESCAPE ? 0u : of->bits;
    if (!shares[symbol]) return 0;
    return shares[symbol] | bits << 8 | (uint32_t)word_of(&states[of->next[symbol]]) << 16;
}

static void print_steps(uint32_t shares[TPI_CODEC_TABLES][TPI_CODEC_SYMBOLS])
{
    puts("TPI_DATA const uint32_t tpi_codec_steps[TPI_CODEC_STATES * TPI_CODEC_ROW] = {");
    for (uint32_t index = 0; index < STATES; index++)
        for (uint32_t y = 0; states[index].is_reached && y < TPI_CODEC_SYMBOLS; y++)
            printf("%s0x%08x,%s", y % 9u ? " " : "    ",
                   (unsigned)step_of(&states[index], shares[states[index].table], y),
                   y % 9u == 8u ? "\n" : "");
    puts("};\n");
}

static void print_slots(uint32_t shares[TPI_CODEC_TABLES][TPI_CODEC_SYMBOLS])
{
    uint32_t count = 0;
    puts("TPI_DATA const uint8_t tpi_codec_slots[TPI_CODEC_TABLES * 512u + 2u] = {");
    for (uint32_t t = 0; t < TPI_CODEC_TABLES; t++)
        for (uint32_t y = 0; y < TPI_CODEC_SYMBOLS; y++)
            for (uint32_t k = 0; k < shares[t][y]; k++, count++)
                printf("%s%u, %u,%s", count % 16u ? " " : "    ", (unsigned)k, (unsigned)y,
                       count % 16u == 15u ? "\n" : "");
    puts("    0, 0,\n};\n");
    puts("TPI_DATA const uint8_t tpi_codec_begins[TPI_CODEC_TABLES * TPI_CODEC_ROW] = {");
    for (uint32_t t = 0; t < TPI_CODEC_TABLES; t++)
        for (uint32_t y = 0, at = 0; y < TPI_CODEC_SYMBOLS; at += shares[t][y++])
            printf("%s%u,%s", y ? " " : "    ", shares[t][y] ? (unsigned)at : 0u,
                   y == TPI_CODEC_SYMBOLS - 1u ? "\n" : "");
    puts("};\n");
}

static void print_tables(uint32_t shares[TPI_CODEC_TABLES][TPI_CODEC_SYMBOLS])
{
    puts(
        "/* SPDX-License-Identifier: MIT\n"
        "   runtime/codec/tables.c - the static model of residuals: states and symbol "
        "frequencies.\n"
        "   reads   nothing      writes  nothing: constants\n"
        "   memory  20316 bytes of ROM      cost  none\n"
        "   after   own state machine: a state is a running mean of the sizes of residuals "
        "(weight\n"
        "           0.55 for the newest) in levels of half an octave, and for small means also "
        "the\n"
        "           run length of zeros. Shocks have states of their own. Frequencies: counted by\n"
        "           host_tools/clip/tables/run in simulations of this tree and small Blender "
        "bakes,\n"
        "           at error bounds of 1e-2 to 1e-5 of the bounding box */\n"
        "#include \"codec.h\"\n\n"
        "/* clang-format off */\n"
        "TPI_DATA const uint16_t tpi_codec_states[TPI_CODEC_STATES] = {");
    for (uint32_t index = 0, k = 0; index < STATES; index++) {
        if (!states[index].is_reached) continue;
        printf("%s0x%04x,%s", k % 12u ? " " : "    ", (unsigned)word_of(&states[index]),
               k % 12u == 11u || k == TPI_CODEC_STATES - 1u ? "\n" : "");
        k++;
    }
    puts("};\n");
    print_steps(shares);
    print_slots(shares);
    puts("TPI_DATA const uint8_t tpi_codec_costs[256] = {");
    for (uint32_t share = 0; share < 256u; share++)
        printf("%s%u,%s", share % 16u ? " " : "    ",
               share ? (unsigned)floor(-16.0 * log2(share / 256.0) + 0.5) : 255u,
               share % 16u == 15u ? "\n" : "");
    puts("};");
}

int main(int argc, char **argv)
{
    static counts seen;
    static uint32_t shares[TPI_CODEC_TABLES][TPI_CODEC_SYMBOLS];
    workspace *work = calloc(1, sizeof *work);
    if (!work) return HOST_OUT_OF_MEMORY;
    make_states();
    for (int k = 1; k < argc; k++) {
        int code = count_source(seen, work, argv[k]);
        if (code) return code;
    }
    for (uint32_t t = 0; t < TPI_CODEC_TABLES; t++) {
        smooth(seen[t], is_table_of_ones(t));
        divide(seen[t], shares[t]);
        for (uint32_t y = 0; argc < 2 && y < TPI_CODEC_SYMBOLS; y++)
            shares[t][y] = first_shares[t][y];
    }
    print_tables(shares);
    free(work);
    return HOST_DONE;
}
