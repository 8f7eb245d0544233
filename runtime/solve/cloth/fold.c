/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/fold.c - folds of grids and meshes: which triangles meet, shares, colours.
   reads   definitions, front positions      writes  folds
   memory  36 bytes per fold; a word per node in the memory of next births
   cost    O(mesh log mesh)
   after   shares are cotangents of the angles at the ends of the edge (Bergou et al. 2006, equation
           for K), by the root of the area of both triangles. With this scale (theirs is the root of
           3 times as large) a cylinder has the energy D c^2 / 2 per area, exact on equilateral
           triangles and along the axes of square grids; along their diagonals it is 1.5 times as
           large. Greedy colouring, computed twice: to count, then to put each fold
           where its colour lies */
#include "cloth.h"

/* Where the folds of a sheet are found. */
typedef struct fold_source {
    const tp_world *world;
    const tp_cloth_def *def;
    uint32_t first;       /* node */
    uint32_t halves, end; /* of a mesh: its sorted half-edges */
} fold_source;

uint64_t tpi_cloth_most_folds(const tp_cloth_def *def)
{
    const uint64_t c = def->columns, r = def->rows;
    if (!(def->kinds & TP_CLOTH_FOLD) || def->layers > 1u) return 0;
    if (def->vertices) return (uint64_t)def->triangle_count * 3u / 2u;
    if (c < 2u || r < 2u) return 0;
    return (c - 1u) * (r - 1u) + (c - 1u) * (r - 2u) + (c - 2u) * (r - 1u);
}

void tpi_cloth_clear_folds(const tp_world *world)
{
    if (!world->def.cloth.folds_max) return;
    tpi_memset(tpi_cloth_fold_pool(world).begin, 0, 4u * (TPI_CLOTH_FOLD_COLOURS + 1u));
}

/* ---- which triangles meet ---- */

/* Three edges begin at each node of a grid: across its cell, along its row, along its column. Cells
   are cut along either diagonal in turn, so that no direction of a bend is before the other. */
static bool fold_of_grid(const fold_source *source, uint32_t k, uint32_t node[4])
{
    const uint32_t width = source->def->columns, height = source->def->rows;
    const uint32_t column = k / 3u % width, row = k / 3u / width, a = source->first + k / 3u,
                   b = a + width, odd = (column + row) & 1u, beside = odd ? b : a;
    const uint32_t edges[3][4] = {{a + 1u - odd, b + odd, a + odd, b + 1u - odd},
                                  {a, a + 1u, b + odd, a + odd - width},
                                  {a, b, beside + 1u, beside - 1u}};
    const bool has[3] = {column + 1u < width && row + 1u < height,
                         column + 1u < width && row > 0 && row + 1u < height,
                         row + 1u < height && column > 0 && column + 1u < width};
    for (uint32_t n = 0; n < 4; n++) node[n] = edges[k % 3u][n];
    return has[k % 3u];
}

static bool fold_is_edge(const fold_source *source, uint32_t a, uint32_t b)
{
    const tp_world *world = source->world;
    const uint32_t *firsts = tpi_words(world, world->arrays.own[TPI_CLOTH_FIRST]),
                   *seconds = tpi_words(world, world->arrays.own[TPI_CLOTH_SECOND]);
    if (a < source->halves || b >= source->end) return false;
    return firsts[a] == firsts[b] && seconds[a] == seconds[b];
}

/* The first two half-edges of an edge of a mesh. */
static bool fold_of_mesh(const fold_source *source, uint32_t k, uint32_t node[4])
{
    const tp_world *world = source->world;
    const uint32_t *opposites = tpi_cloth_opposites(world), half = source->halves + k;
    if (!fold_is_edge(source, half, half + 1u)) return false;
    if (half > source->halves && fold_is_edge(source, half - 1u, half)) return false;
    node[0] = tpi_words(world, world->arrays.own[TPI_CLOTH_FIRST])[half];
    node[1] = tpi_words(world, world->arrays.own[TPI_CLOTH_SECOND])[half];
    node[2] = opposites[half];
    node[3] = opposites[half + 1u];
    return node[2] != node[3];
}

static bool fold_at(const fold_source *source, uint32_t k, uint32_t node[4])
{
    return source->def->vertices ? fold_of_mesh(source, k, node) : fold_of_grid(source, k, node);
}

/* ---- shares ---- */

/* Of the angle between two vectors; *area is half their cross product. */
static float fold_cotangent(tp_vector a, tp_vector b, float *area)
{
    float across = tpi_length(tpi_cross(a, b));
    *area = 0.5f * across;
    return tpi_dot(a, b) / tpi_max(across, 1e-30f);
}

/* The words behind the nodes. Flat triangles have a fold without effect. */
static void fold_measure(const fold_source *source, const uint32_t node[4],
                         float words[TPI_CLOTH_FOLD_WORDS])
{
    tp_vector x[4], sum;
    float left, right;
    for (uint32_t n = 0; n < 4; n++) x[n] = tpi_cloth_front_place(source->world, node[n]);
    const tp_vector edge = tpi_sub(x[1], x[0]), back = tpi_sub(x[0], x[1]);
    const float c1 = fold_cotangent(edge, tpi_sub(x[2], x[0]), &left),
                c2 = fold_cotangent(edge, tpi_sub(x[3], x[0]), &right),
                c3 = fold_cotangent(back, tpi_sub(x[2], x[1]), &left),
                c4 = fold_cotangent(back, tpi_sub(x[3], x[1]), &right);
    const float least = 1e-6f * tpi_dot(edge, edge);
    const float scale = left > least && right > least ? 1.0f / tpi_sqrt(left + right) : 0.0f;
    const float shares[3] = {(c1 + c2) * scale, (0.0f - c1 - c3) * scale, (0.0f - c2 - c4) * scale};
    sum = tpi_vector(0.0f, 0.0f, 0.0f);
    for (uint32_t n = 0; n < 3; n++) {
        words[TPI_CLOTH_SHARE + n] = scale > 0.0f ? shares[n] : 0.0f;
        sum = tpi_add_scaled(sum, tpi_sub(x[n + 1u], x[0]), words[TPI_CLOTH_SHARE + n]);
    }
    const float angle = tpi_length(sum); /* below this it is rounding */
    words[TPI_CLOTH_ANGLE] = angle > 1e-3f ? tpi_min(angle, 1e9f) : 0.0f;
    words[TPI_CLOTH_SOFTER] = source->def->fold;
}

/* ---- colours ---- */

/* The last colour that none of the nodes has; 0 if there is none. */
static uint32_t fold_colour(const tp_world *world, const uint32_t node[4])
{
    uint32_t *taken = tpi_words(world, world->arrays.next_birth), colour = 31u;
    const uint32_t all = taken[node[0]] | taken[node[1]] | taken[node[2]] | taken[node[3]];
    while (colour > 0 && (all >> colour & 1u)) colour--;
    for (uint32_t n = 0; n < 4 && colour > 0; n++) taken[node[n]] |= 1u << colour;
    return colour;
}

static void fold_forget_colours(const fold_source *source)
{
    tpi_memset(tpi_words(source->world, source->world->arrays.next_birth) + source->first, 0,
               (size_t)(source->world->count - source->first) * 4u);
}

/* Writes a fold. Returns its hash. */
static uint64_t fold_write(const fold_source *source, const uint32_t node[4], uint32_t at)
{
    const tpi_cloth_pool folds = tpi_cloth_fold_pool(source->world);
    const uint32_t *ids = tpi_words(source->world, source->world->arrays.id);
    float words[TPI_CLOTH_FOLD_WORDS];
    uint64_t hash = 0;
    fold_measure(source, node, words);
    for (uint32_t k = 0; k < TPI_CLOTH_FOLD_WORDS; k++) {
        tpi_cloth_pool_array(&folds, k)[at] = k < TPI_CLOTH_SHARE ? node[k] : tpi_bits(words[k]);
        hash = tpi_mix_word(hash, k < TPI_CLOTH_SHARE ? ids[node[k]] : tpi_bits(words[k]));
    }
    return hash;
}

uint64_t tpi_cloth_put_folds(const tp_world *world, const tp_cloth_def *def, uint32_t first,
                             uint32_t k)
{
    const tpi_cloth_pool folds = tpi_cloth_fold_pool(world);
    const uint32_t halves = def->triangle_count * 3u,
                   count = def->vertices ? halves : 3u * def->columns * def->rows;
    const fold_source source = {world, def, first, k, k + halves};
    uint32_t node[4], at[TPI_CLOTH_FOLD_COLOURS] = {0};
    uint64_t hash = 0;
    if (def->vertices) tpi_cloth_put_halves(world, def, first, k);
    fold_forget_colours(&source);
    for (uint32_t i = 0; i < count; i++)
        if (fold_at(&source, i, node)) at[fold_colour(world, node)]++;
    for (uint32_t colour = 0; colour < TPI_CLOTH_FOLD_COLOURS; colour++)
        at[colour] = tpi_cloth_open_pool(&folds, colour, at[colour]);
    fold_forget_colours(&source);
    for (uint32_t i = 0; i < count; i++)
        if (fold_at(&source, i, node))
            hash += fold_write(&source, node, at[fold_colour(world, node)]++);
    return hash;
}

/* ---- untrusted blocks ---- */

static bool fold_is_word(const tp_world *world, uint32_t k, uint32_t word)
{
    if (k < TPI_CLOTH_SHARE) return word < tpi_cloth_head_of(world)->nodes;
    if (k < TPI_CLOTH_ANGLE) return tpi_is_within(tpi_from_bits(word), -1e30f, 1e30f);
    return tpi_is_within(tpi_from_bits(word), 0.0f, 1e12f);
}

const char *tpi_cloth_audit_folds(const tp_world *world, uint64_t *offset)
{
    if (!world->def.cloth.folds_max) return NULL;
    const tpi_cloth_pool folds = tpi_cloth_fold_pool(world);
    const char *text = tpi_cloth_audit_pool(&folds);
    *offset = (uint64_t)((const char *)folds.begin - (const char *)world);
    if (text) return text;
    for (uint32_t k = 0; k < TPI_CLOTH_FOLD_WORDS; k++)
        for (uint32_t fold = 0; fold < folds.begin[TPI_CLOTH_FOLD_COLOURS]; fold++) {
            if (fold_is_word(world, k, tpi_cloth_pool_array(&folds, k)[fold])) continue;
            return TPI_TEXT("a fold of four nodes, with shares and a compliance");
        }
    return NULL;
}
