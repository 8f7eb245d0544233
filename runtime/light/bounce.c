/* SPDX-License-Identifier: MIT
   runtime/light/bounce.c - light that patches of a surface reflect to one another and to probes.
   reads   a file .tpl (host_tools/light/FORMAT.md), lights      writes  the caller's vectors
   memory  none      cost    see tp_patches_update
   after   radiosity with clusters (Hanrahan, Salzman and Aupperle 1991), whose links are made
           before: a row of weights for each receiver */
#include "light.h"
#include "../base/bytes.h"
#include "../base/rows.h"

#define BOUNCE_HEAD    64u
#define BOUNCE_NODE    16u /* position, area */
#define BOUNCE_LEAF    36u /* normal, albedo, emission */
#define BOUNCE_CLUSTER 4u  /* two nodes */
#define BOUNCE_ROW     8u  /* end of its links, scale */
#define BOUNCE_LINK    4u  /* node, share */

/* ---- the file ---- */

/* Where the parts of a file begin, and its end. */
typedef struct bounce_parts {
    uint64_t leaves, clusters, rows, links, end;
} bounce_parts;

static bounce_parts bounce_parts_of(uint32_t count, uint32_t nodes, uint32_t probes, uint32_t links)
{
    bounce_parts parts;
    parts.leaves = BOUNCE_HEAD + (uint64_t)BOUNCE_NODE * nodes;
    parts.clusters = parts.leaves + (uint64_t)BOUNCE_LEAF * count;
    parts.rows = parts.clusters + (uint64_t)BOUNCE_CLUSTER * (nodes - count);
    parts.links = parts.rows + (uint64_t)BOUNCE_ROW * ((uint64_t)count + probes);
    parts.end = parts.links + (uint64_t)BOUNCE_LINK * links;
    return parts;
}

static float bounce_float(const uint8_t *at) { return tpi_from_bits(tpi_load_u32(at)); }

static tp_vector bounce_vector(const uint8_t *at)
{
    return tpi_vector(bounce_float(at), bounce_float(at + 4), bounce_float(at + 8));
}

/* FNV-1a over words: any change of one word changes it. */
static uint32_t bounce_sum(const uint8_t *file, uint32_t bytes)
{
    uint32_t sum = 2166136261u;
    for (uint32_t at = 12; at < bytes; at += 4) sum = (sum ^ tpi_load_u32(file + at)) * 16777619u;
    return sum;
}

typedef struct bounce_reader {
    const uint8_t *file;
    uint32_t bytes, count, nodes, probes, links;
    bounce_parts parts;
    uint32_t byte; /* of the fault */
} bounce_reader;

static const char *bounce_check_grid(bounce_reader *reader)
{
    const uint8_t *file = reader->file;
    uint32_t columns = tpi_load_u32(file + 44), rows = tpi_load_u32(file + 48),
             layers = tpi_load_u32(file + 52);
    reader->byte = 44;
    if (columns > 1024u || rows > 1024u || layers > 1024u ||
        (uint64_t)columns * rows * layers != reader->probes)
        return TPI_TEXT("columns, rows and layers must be as many as the probes");
    reader->byte = 28;
    if (!tpi_is_vector_within(bounce_vector(file + 28), 1e9f))
        return TPI_TEXT("the first probe must be within 1e9 m");
    reader->byte = 40;
    if (reader->probes && !tpi_is_within(bounce_float(file + 40), 1e-4f, 1e6f))
        return TPI_TEXT("the spacing of probes must be 1e-4 to 1e6");
    reader->byte = 56;
    return tpi_load_u32(file + 56) || tpi_load_u32(file + 60) ? TPI_TEXT("must be 0") : NULL;
}

static const char *bounce_check_head(bounce_reader *reader)
{
    const uint8_t *file = reader->file;
    reader->byte = reader->bytes < BOUNCE_HEAD ? reader->bytes : 0u;
    if (reader->bytes < BOUNCE_HEAD) return TPI_TEXT("the file ends within its head");
    if (tpi_load_u32(file) != 0x014c5054u) /* "TPL", version 1 */
        return TPI_TEXT("this is no .tpl file of version 1");
    reader->byte = 8;
    if (reader->bytes % 4u || tpi_load_u32(file + 8) != bounce_sum(file, reader->bytes))
        return TPI_TEXT("the checksum differs: the file is damaged or truncated");
    reader->count = tpi_load_u32(file + 12);
    reader->nodes = tpi_load_u32(file + 16);
    reader->probes = tpi_load_u32(file + 20);
    reader->links = tpi_load_u32(file + 24);
    reader->byte = 12;
    if (!reader->count || reader->count > TP_PATCHES_MAX)
        return TPI_TEXT("a file has 1 to TP_PATCHES_MAX patches");
    reader->byte = 16;
    if (reader->nodes < reader->count || reader->nodes >= 2u * reader->count)
        return TPI_TEXT("a tree has fewer clusters than patches");
    reader->byte = 20;
    if (reader->probes > TP_PROBES_MAX) return TPI_TEXT("a file has at most TP_PROBES_MAX probes");
    reader->parts = bounce_parts_of(reader->count, reader->nodes, reader->probes, reader->links);
    reader->byte = 4;
    if (reader->parts.end != reader->bytes || tpi_load_u32(file + 4) != reader->bytes)
        return TPI_TEXT("the size is not that of the parts");
    return bounce_check_grid(reader);
}

static bool bounce_is_color(tp_vector a, float most)
{
    return tpi_is_within(a.x, 0.0f, most) && tpi_is_within(a.y, 0.0f, most) &&
           tpi_is_within(a.z, 0.0f, most);
}

static const char *bounce_check_leaves(bounce_reader *reader)
{
    for (uint32_t i = 0; i < reader->count; i++) {
        reader->byte = (uint32_t)reader->parts.leaves + BOUNCE_LEAF * i;
        const uint8_t *leaf = reader->file + reader->byte;
        tp_vector normal = bounce_vector(leaf);
        if (!tpi_is_vector_within(normal, 1.01f) ||
            !tpi_is_within(tpi_dot(normal, normal), 0.99f, 1.01f))
            return TPI_TEXT("a normal must have length 1");
        reader->byte += 12u;
        if (!bounce_is_color(bounce_vector(leaf + 12), 1.0f))
            return TPI_TEXT("an albedo must be 0 to 1");
        reader->byte += 12u;
        if (!bounce_is_color(bounce_vector(leaf + 24), 1e9f))
            return TPI_TEXT("an emission must be 0 to 1e9");
    }
    return NULL;
}

/* A cluster comes after its two parts, and its area is their sum. */
static const char *bounce_check_nodes(bounce_reader *reader)
{
    for (uint32_t i = 0; i < reader->nodes; i++) {
        reader->byte = BOUNCE_HEAD + BOUNCE_NODE * i;
        const uint8_t *nodes = reader->file + BOUNCE_HEAD, *node = nodes + BOUNCE_NODE * i;
        float area = bounce_float(node + 12);
        if (!tpi_is_vector_within(bounce_vector(node), 1e9f))
            return TPI_TEXT("a position must be within 1e9 m");
        reader->byte += 12u;
        if (!tpi_is_within(area, 1e-12f, 1e18f)) return TPI_TEXT("an area must be 1e-12 to 1e18");
        if (i < reader->count) continue;
        reader->byte = (uint32_t)reader->parts.clusters + BOUNCE_CLUSTER * (i - reader->count);
        uint32_t both = tpi_load_u32(reader->file + reader->byte);
        uint32_t a = both & 0xffffu, b = both >> 16;
        if (a >= i || b >= i) return TPI_TEXT("a cluster's parts must come before it");
        if (area !=
            bounce_float(nodes + BOUNCE_NODE * a + 12) + bounce_float(nodes + BOUNCE_NODE * b + 12))
            return TPI_TEXT("a cluster's area must be the sum of its parts");
    }
    return NULL;
}

/* Rows do not gain energy: shares times the scale are at most 1. */
static const char *bounce_check_rows(bounce_reader *reader)
{
    const uint8_t *links = reader->file + reader->parts.links;
    uint32_t at = 0;
    for (uint32_t i = 0; i < reader->count + reader->probes; i++) {
        uint32_t byte = (uint32_t)reader->parts.rows + BOUNCE_ROW * i, sum = 0;
        uint32_t end = tpi_load_u32(reader->file + byte);
        float scale = bounce_float(reader->file + byte + 4);
        reader->byte = byte;
        if (end < at || end > reader->links || end - at > TP_PATCH_LINKS_MAX)
            return TPI_TEXT("a row must end after the one before it, within TP_PATCH_LINKS_MAX");
        for (; at < end; at++) {
            uint32_t link = tpi_load_u32(links + BOUNCE_LINK * at);
            reader->byte = (uint32_t)reader->parts.links + BOUNCE_LINK * at;
            if ((link & 0xffffu) >= reader->nodes) return TPI_TEXT("a link must name a node");
            sum += link >> 16;
        }
        reader->byte = byte + 4u;
        if (!tpi_is_within(scale, 0.0f, 1.0f) || !((float)sum * scale <= 1.000001f))
            return TPI_TEXT("a row's weights must be 0 to 1 in all");
    }
    reader->byte = 24;
    return at == reader->links ? NULL : TPI_TEXT("there are links after the last row");
}

static const char *bounce_check(bounce_reader *reader)
{
    const char *fault = bounce_check_head(reader);
    if (!fault) fault = bounce_check_nodes(reader);
    if (!fault) fault = bounce_check_leaves(reader);
    return fault ? fault : bounce_check_rows(reader);
}

const char *tp_patches_check(const void *file, uint32_t bytes, uint32_t *byte)
{
    bounce_reader reader = {.file = (const uint8_t *)file, .bytes = bytes};
    const char *fault = file ? bounce_check(&reader) : TPI_TEXT("the file is null");
    if (byte) *byte = reader.byte;
    return fault;
}

/* ---- opening ---- */

static void bounce_divide(tp_patches *patches, const bounce_reader *reader, tp_vector *memory)
{
    uint32_t count = reader->count;
    patches->albedo = memory;
    patches->emission = memory + count;
    patches->direct = memory + 2u * count;
    patches->bounced = memory + 3u * count;
    patches->sources = memory + 4u * count;
    patches->probes = (tp_sh *)(void *)(patches->sources + reader->nodes);
}

tp_result tp_patches_open(tp_patches *patches, const void *file, uint32_t bytes, tp_vector *memory,
                          uint32_t vectors)
{
    const tp_vector none = {0.0f, 0.0f, 0.0f};
    bounce_reader reader = {.file = (const uint8_t *)file, .bytes = bytes};
    if (!patches || !file) return TP_ERROR_NULL;
    if (bounce_check(&reader)) return TP_ERROR_DEFINITION;
    *patches = (tp_patches){.count = reader.count,
                            .node_count = reader.nodes,
                            .probe_count = reader.probes,
                            .link_count = reader.links,
                            .file = reader.file};
    patches->vectors = 4u * reader.count + reader.nodes + TP_SH_COUNT * reader.probes;
    if (!memory || vectors < patches->vectors) return TP_ERROR_FULL;
    for (uint32_t i = 0; i < patches->vectors; i++) memory[i] = none;
    bounce_divide(patches, &reader, memory);
    for (uint32_t i = 0; i < reader.count; i++) {
        const uint8_t *leaf = reader.file + reader.parts.leaves + BOUNCE_LEAF * i;
        patches->albedo[i] = bounce_vector(leaf + 12);
        patches->emission[i] = bounce_vector(leaf + 24);
    }
    return TP_OK;
}

/* ---- a round ---- */

/* What one call works on: a part of the patches and of the probes, or all clusters. */
typedef struct bounce_round {
    tp_patches *of;
    const tp_lighting *lighting;
    bounce_parts parts;
    uint32_t part_count, units;
} bounce_round;

enum { BOUNCE_DIRECT, BOUNCE_CLUSTERS, BOUNCE_ROWS, BOUNCE_PROBES, BOUNCE_PHASES };

static uint32_t bounce_begin_of(const bounce_round *round, uint32_t phase, uint32_t part)
{
    const tp_patches *p = round->of;
    uint64_t count = phase == BOUNCE_PROBES ? p->probe_count : p->count;
    if (phase == BOUNCE_CLUSTERS) return part > p->part ? p->node_count - p->count : 0u;
    return (uint32_t)(count * part / round->part_count);
}

/* The caller's numbers, made good: 0 to `most`, and 0 if they are none. */
static float bounce_good(float a, float most) { return a > 0.0f ? tpi_min(a, most) : 0.0f; }

static float bounce_source(float albedo, float emission, float irradiance)
{
    float light = bounce_good(albedo, 1.0f) * bounce_good(irradiance, 1e12f);
    return tpi_flush(bounce_good(emission, 1e9f) + light);
}

static void bounce_reflect(tp_patches *p, uint32_t i)
{
    tp_vector albedo = p->albedo[i], emission = p->emission[i], light = p->direct[i];
    if (p->is_endless) light = tpi_add(light, p->bounced[i]);
    p->sources[i] = tpi_vector(bounce_source(albedo.x, emission.x, light.x),
                               bounce_source(albedo.y, emission.y, light.y),
                               bounce_source(albedo.z, emission.z, light.z));
}

/* Positions, or normals, of `count` patches. */
static tpi_light_rows bounce_gather(const uint8_t *at, uint32_t stride, uint32_t count)
{
    tpi_light_rows rows;
    for (uint32_t k = 0; k < TPI_LANES; k++) {
        tp_vector a = bounce_vector(at + (size_t)stride * tpi_min_u32(k, count - 1u));
        TPI_LANE(rows.x, k) = a.x;
        TPI_LANE(rows.y, k) = a.y;
        TPI_LANE(rows.z, k) = a.z;
    }
    return rows;
}

/* Direct light of `count` patches, at most TPI_LANES, and what they send out. */
static void bounce_direct(const bounce_round *round, uint32_t from, uint32_t count)
{
    tp_patches *p = round->of;
    if (round->lighting) {
        const uint8_t *nodes = p->file + BOUNCE_HEAD, *leaves = p->file + round->parts.leaves;
        tpi_light_rows points =
            bounce_gather(nodes + (size_t)BOUNCE_NODE * from, BOUNCE_NODE, count);
        tpi_light_rows normals =
            bounce_gather(leaves + (size_t)BOUNCE_LEAF * from, BOUNCE_LEAF, count);
        tpi_light_rows light = tpi_light_at(round->lighting, &points, &normals);
        for (uint32_t k = 0; k < count; k++) p->direct[from + k] = tpi_light_lane(&light, k);
    }
    for (uint32_t k = 0; k < count; k++) bounce_reflect(p, from + k);
}

static void bounce_cluster(const bounce_round *round, uint32_t cluster)
{
    tp_patches *p = round->of;
    const uint8_t *nodes = p->file + BOUNCE_HEAD;
    uint32_t both = tpi_load_u32(p->file + round->parts.clusters + BOUNCE_CLUSTER * cluster);
    uint32_t a = both & 0xffffu, b = both >> 16, to = p->count + cluster;
    float area = bounce_float(nodes + BOUNCE_NODE * a + 12);
    float share = area / bounce_float(nodes + BOUNCE_NODE * to + 12), rest = 1.0f - share;
    tp_vector left = p->sources[a], right = p->sources[b];
    p->sources[to] = tpi_vector(tpi_flush(left.x * share + right.x * rest),
                                tpi_flush(left.y * share + right.y * rest),
                                tpi_flush(left.z * share + right.z * rest));
}

/* The first link of a row, the one after its last, and its scale. */
static uint32_t bounce_row(const tp_patches *p, const bounce_parts *parts, uint32_t row,
                           uint32_t *end, float *scale)
{
    const uint8_t *at = p->file + parts->rows + (size_t)BOUNCE_ROW * row;
    *end = tpi_load_u32(at);
    *scale = bounce_float(at + 4);
    return row ? tpi_load_u32(at - BOUNCE_ROW) : 0u;
}

/* Adds links, in their order, times what their nodes send out. */
static void bounce_add(const tp_patches *p, const uint8_t *links, uint32_t count, tp_vector *sum)
{
    float x = sum->x, y = sum->y, z = sum->z;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t link = tpi_load_u32(links + (size_t)BOUNCE_LINK * k);
        const tp_vector *source = &p->sources[link & 0xffffu];
        float share = (float)(link >> 16);
        x += source->x * share;
        y += source->y * share;
        z += source->z * share;
    }
    *sum = tpi_vector(x, y, z);
}

#if defined(TPI_ROWS)
typedef float bounce_four __attribute__((vector_size(16)));
typedef int32_t bounce_ints __attribute__((vector_size(16)));

/* The same for a multiple of four links, whose shares become floats together. A source is loaded
   with the number before it, which is in the caller's memory too, and does not count. */
static void bounce_add_fours(const tp_patches *p, const uint8_t *links, uint32_t count,
                             tp_vector *sum)
{
    bounce_four all = {0.0f, sum->x, sum->y, sum->z};
    const float *before = &p->sources[0].x - 1;
    for (uint32_t k = 0; k < count; k += 4u, links += 4u * BOUNCE_LINK) {
        tpi_quad words = (tpi_quad)tpi_four_load(links);
        bounce_four shares = __builtin_convertvector((bounce_ints)(words >> 16), bounce_four);
        for (uint32_t i = 0; i < 4u; i++) {
            uint32_t node = tpi_load_u32(links + (size_t)BOUNCE_LINK * i) & 0xffffu;
            bounce_four source = (bounce_four)tpi_four_load(before + 3u * (size_t)node);
            bounce_four share = {shares[i], shares[i], shares[i], shares[i]};
            all += source * share;
        }
    }
    *sum = tpi_vector(all[1], all[2], all[3]);
}
#endif

/* The sum over a row of weights times what its nodes send out. Returns its units. */
static uint32_t bounce_receive(const bounce_round *round, uint32_t i)
{
    tp_patches *p = round->of;
    const uint8_t *links = p->file + round->parts.links;
    tp_vector sum = {0.0f, 0.0f, 0.0f};
    uint32_t end, fours = 0;
    float scale;
    uint32_t from = bounce_row(p, &round->parts, i, &end, &scale);
    links += (size_t)BOUNCE_LINK * from;
#if defined(TPI_ROWS)
    fours = (end - from) & ~3u;
    bounce_add_fours(p, links, fours, &sum);
#endif
    bounce_add(p, links + (size_t)BOUNCE_LINK * fours, end - from - fours, &sum);
    p->bounced[i] =
        tpi_vector(tpi_flush(sum.x * scale), tpi_flush(sum.y * scale), tpi_flush(sum.z * scale));
    return 1u + (end - from);
}

static tp_vector bounce_probe_place(const tp_patches *p, uint32_t probe)
{
    uint32_t columns = tpi_load_u32(p->file + 44), rows = tpi_load_u32(p->file + 48);
    tp_vector low = bounce_vector(p->file + 28);
    float spacing = bounce_float(p->file + 40);
    uint32_t column = probe % columns, row = probe / columns % rows, layer = probe / columns / rows;
    return tpi_vector(low.x + (float)column * spacing, low.y + (float)row * spacing,
                      low.z + (float)layer * spacing);
}

/* A weight of a probe is a share of the whole sphere: 4 pi, and radiance is what is sent out over
   pi. */
static uint32_t bounce_probe(const bounce_round *round, uint32_t probe)
{
    tp_patches *p = round->of;
    const uint8_t *links = p->file + round->parts.links;
    const float each[3] = {1.0f, 1.0f, 1.0f};
    tp_sh sum = {{{0.0f, 0.0f, 0.0f}}};
    tp_vector place = bounce_probe_place(p, probe);
    uint32_t end;
    float scale;
    uint32_t from = bounce_row(p, &round->parts, p->count + probe, &end, &scale);
    for (uint32_t k = from; k < end; k++) {
        uint32_t link = tpi_load_u32(links + (size_t)BOUNCE_LINK * k), node = link & 0xffffu;
        tp_vector at = bounce_vector(p->file + BOUNCE_HEAD + (size_t)BOUNCE_NODE * node);
        float weight = 4.0f * scale * (float)(link >> 16);
        tpi_sh_add_orders(&sum, tpi_normalise(tpi_sub(at, place), tpi_vector(0.0f, 1.0f, 0.0f)),
                          tpi_scale(p->sources[node], weight), each);
    }
    p->probes[probe] = sum;
    return 1u + TP_PROBE_LINK_UNITS * (end - from);
}

/* Does the next item, or as many patches as there are units for. Returns their units. */
static uint32_t bounce_next(const bounce_round *round, uint32_t left, uint32_t end)
{
    tp_patches *p = round->of;
    uint32_t from = p->at, per = 1u + TP_LIGHT_UNITS(0), count;
    if (round->lighting) per += round->lighting->light_count;
    switch (p->phase) {
    case BOUNCE_DIRECT:
        count = tpi_min_u32(tpi_max_u32(left / per, 1u), end - from);
        p->at = from + count;
        for (uint32_t i = from; i < p->at; i += TPI_LANES)
            bounce_direct(round, i, tpi_min_u32(TPI_LANES, p->at - i));
        return per * count;
    case BOUNCE_CLUSTERS: bounce_cluster(round, p->at++); return 1u;
    case BOUNCE_ROWS: return bounce_receive(round, p->at++);
    default: return bounce_probe(round, p->at++);
    }
}

/* True: the part is complete. */
static bool bounce_go(const bounce_round *round)
{
    tp_patches *p = round->of;
    for (; p->phase < BOUNCE_PHASES; p->phase++) {
        uint32_t end = bounce_begin_of(round, p->phase, p->part + 1u);
        p->at = tpi_max_u32(p->at, bounce_begin_of(round, p->phase, p->part));
        while (p->at < end) {
            if (round->units && p->units >= round->units) return false;
            uint32_t left = round->units ? round->units - p->units : 0xffffffffu;
            p->units += bounce_next(round, left, end);
        }
        p->at = 0;
    }
    return true;
}

tp_result tp_patches_update(tp_patches *patches, const tp_lighting *lighting, uint32_t parts,
                            uint32_t units)
{
    if (!patches || !patches->file || !patches->sources) return TP_ERROR_NULL;
    tp_result result = TP_OK;
    if (lighting) result = tpi_light_check_all(lighting);
    if (result == TP_OK && (!parts || parts > TP_PATCHES_MAX)) result = TP_ERROR_QUERY;
    if (result != TP_OK) return result;
    bounce_round round = {patches, lighting,
                          bounce_parts_of(patches->count, patches->node_count, patches->probe_count,
                                          patches->link_count),
                          parts, units};
    patches->units = 0;
    if (patches->part >= parts) patches->part = patches->phase = patches->at = 0;
    if (!bounce_go(&round)) return TP_MORE;
    patches->phase = 0;
    patches->part = (patches->part + 1u) % parts;
    return TP_OK;
}

/* ---- probes ---- */

static void bounce_split(float at, uint32_t count, uint32_t *cell, float *share)
{
    at = tpi_max(tpi_min(at, (float)(count - 1u)), 0.0f);
    *cell = tpi_min_u32((uint32_t)at, count > 1u ? count - 2u : 0u);
    *share = at - (float)*cell;
}

/* A probe without links is within a wall. */
static float bounce_add_probe(const tp_patches *p, const bounce_parts *parts, uint32_t probe,
                              float weight, tp_sh *sum)
{
    uint32_t end;
    float scale;
    if (!(weight > 0.0f)) return 0.0f;
    if (bounce_row(p, parts, p->count + probe, &end, &scale) == end) return 0.0f;
    for (uint32_t k = 0; k < TP_SH_COUNT; k++)
        sum->of[k] = tpi_add_scaled(sum->of[k], p->probes[probe].of[k], weight);
    return weight;
}

/* Mean of the eight probes around a point. */
static void bounce_interpolate(const tp_patches *p, const bounce_parts *parts, tp_vector point,
                               tp_sh *sh)
{
    uint32_t size[3], cell[3];
    float share[3], sum = 0.0f, spacing = bounce_float(p->file + 40);
    tp_vector way = tpi_sub(point, bounce_vector(p->file + 28));
    for (uint32_t k = 0; k < 3; k++) {
        size[k] = tpi_load_u32(p->file + 44 + 4u * k);
        bounce_split(tpi_component(way, k) / spacing, size[k], &cell[k], &share[k]);
    }
    for (uint32_t corner = 0; corner < 8; corner++) {
        uint32_t at[3];
        float weight = 1.0f;
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t high = corner >> k & 1u;
            at[k] = tpi_min_u32(cell[k] + high, size[k] - 1u);
            weight *= high ? share[k] : 1.0f - share[k];
        }
        uint32_t probe = at[0] + size[0] * (at[1] + size[1] * at[2]);
        sum += bounce_add_probe(p, parts, probe, weight, sh);
    }
    for (uint32_t k = 0; k < TP_SH_COUNT && sum > 0.0f; k++) {
        tp_vector a = tpi_scale(sh->of[k], 1.0f / sum);
        sh->of[k] = tpi_vector(tpi_flush(a.x), tpi_flush(a.y), tpi_flush(a.z));
    }
}

tp_result tp_patches_sh(const tp_patches *patches, tp_vector point, tp_sh *sh)
{
    if (!patches || !patches->file || !patches->sources || !sh) return TP_ERROR_NULL;
    if (!tpi_is_vector_within(point, 1e9f)) return TP_ERROR_QUERY;
    *sh = (tp_sh){{{0.0f, 0.0f, 0.0f}}};
    const bounce_parts parts = bounce_parts_of(patches->count, patches->node_count,
                                               patches->probe_count, patches->link_count);
    if (patches->probe_count) bounce_interpolate(patches, &parts, point, sh);
    return TP_OK;
}
