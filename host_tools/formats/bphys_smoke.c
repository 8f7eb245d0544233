/* SPDX-License-Identifier: MIT
   host_tools/formats/bphys_smoke.c - smoke domains of Blender before 2.82: measured and skipped,
           not decoded.
   reads   bytes of a file                 writes  bphys_smoke
   memory  none                            cost    O(blocks)
   after   the custom streams of Blender's smoke: version 1.04 from Blender 2.65 on, none before */
#include "bphys_private.h"
#include <string.h>

enum {
    LOW = 0x02,
    HIGH = 0x04,
    FIRE = 2,
    HEAT = 1,
    COLORS = 4,
    NEW_HEAD = 24,
    NEW_TAIL = 180,
    FACTOR_MAX = 30
};
#define CELLS_MAX (1u << 31)

typedef struct grid {
    const char *name;
    uint32_t field;     /* stored only with this field; 0: always stored */
    uint32_t cell_size; /* in bytes */
} grid;

static const grid old_low[] = {{"shadow", 0, 4}, {"density", 0, 4},  {"density_old", 0, 4},
                               {"heat", 0, 4},   {"heat_old", 0, 4}, {"vx", 0, 4},
                               {"vy", 0, 4},     {"vz", 0, 4},       {"vx_old", 0, 4},
                               {"vy_old", 0, 4}, {"vz_old", 0, 4},   {"obstacles", 0, 1}};
static const grid new_low[] = {{"shadow", 0, 4},      {"density", 0, 4},  {"heat", HEAT, 4},
                               {"heat_old", HEAT, 4}, {"flame", FIRE, 4}, {"fuel", FIRE, 4},
                               {"react", FIRE, 4},    {"red", COLORS, 4}, {"green", COLORS, 4},
                               {"blue", COLORS, 4},   {"vx", 0, 4},       {"vy", 0, 4},
                               {"vz", 0, 4},          {"obstacles", 0, 1}};
static const grid old_high[] = {{"density", 0, 4}, {"density_old", 0, 4}};
static const grid new_high[] = {{"density", 0, 4},  {"flame", FIRE, 4}, {"fuel", FIRE, 4},
                                {"react", FIRE, 4}, {"red", COLORS, 4}, {"green", COLORS, 4},
                                {"blue", COLORS, 4}};
static const grid texture[] = {{"tcu", 0, 4}, {"tcv", 0, 4}, {"tcw", 0, 4}};
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* Skips the grids of a table. `cells` 0: their number is not known, and an uncompressed grid is
   HOST_DIFFERENT. */
static int pass_grids(bphys_reader *r, bphys_smoke *smoke, const grid *grids, size_t count,
                      uint32_t cells)
{
    for (size_t i = 0; i < count; i++) {
        bphys_block block;
        if (grids[i].field && !(smoke->fields & grids[i].field)) continue;
        if (r->at < r->size && r->bytes[r->at] > BPHYS_LZMA)
            return bphys_refuse(
                r, r->at,
                "compression code of %s is %u, expected 0, 1 or 2 in smoke; the file is damaged",
                grids[i].name, r->bytes[r->at]);
        int code = cells ? bphys_take_block(r, grids[i].name, cells, grids[i].cell_size, &block)
                         : bphys_pass_block(r, grids[i].name);
        if (code) return code;
        smoke->grids++;
    }
    return HOST_DONE;
}

static int pass_bytes(bphys_reader *r, const char *what, size_t bytes)
{
    if (r->size - r->at < bytes)
        return bphys_refuse(r, r->size, "the file ends before or inside %s; it is incomplete",
                            what);
    r->at += bytes;
    return HOST_DONE;
}

/* ---- the fine grids, whose size is not stored in the file */

static int pass_high(bphys_reader *r, bphys_smoke *smoke, uint32_t fine_cells)
{
    int code = smoke->has_version ? pass_grids(r, smoke, new_high, COUNT(new_high), fine_cells)
                                  : pass_grids(r, smoke, old_high, COUNT(old_high), fine_cells);
    return code ? code : pass_grids(r, smoke, texture, COUNT(texture), smoke->cells);
}

/* If a fine grid is stored uncompressed, its size must be guessed: the first whole factor of
   resolution with which all grids end exactly at the end of the file. */
static int find_high(bphys_reader *r, bphys_smoke *smoke)
{
    bphys_reader start = *r;
    bphys_smoke low = *smoke;
    int code = pass_high(r, smoke, 0);
    if (code != HOST_DIFFERENT) return code;
    size_t stored_at = r->at;
    for (uint32_t factor = 1; factor <= FACTOR_MAX; factor++) {
        uint64_t cells = (uint64_t)smoke->cells * factor * factor * factor;
        bphys_reader quiet = start;
        bphys_smoke tried = low;
        quiet.file = NULL;
        if (cells > CELLS_MAX || pass_high(&quiet, &tried, (uint32_t)cells) ||
            quiet.at != quiet.size)
            continue;
        r->at = quiet.at;
        *smoke = tried;
        smoke->factor = factor;
        return HOST_DONE;
    }
    return bphys_refuse(
        r, stored_at,
        "expected the fine grids to end where the file ends, but they do not with any factor of "
        "resolution; the file is damaged or incomplete");
}

/* ---- files with and without a version */

static int read_new(bphys_reader *r, bphys_smoke *smoke)
{
    uint64_t cells = 1;
    r->at += 4;
    size_t head = r->at;
    int code = pass_bytes(r, "the head of the domain", NEW_HEAD);
    if (code) return code;
    smoke->has_version = true;
    smoke->fields = bphys_load_u32(r->bytes + head, r->header.big_endian);
    for (size_t k = 0; k < 3; k++) {
        smoke->resolution[k] = bphys_load_u32(r->bytes + head + 8 + 4 * k, r->header.big_endian);
        cells = cells > CELLS_MAX ? cells : cells * smoke->resolution[k];
    }
    if (cells < 1 || cells > CELLS_MAX)
        return bphys_refuse(
            r, head + 8,
            "resolution is %u x %u x %u, expected 1 to 2^31 cells; the file is damaged",
            smoke->resolution[0], smoke->resolution[1], smoke->resolution[2]);
    smoke->cells = (uint32_t)cells;
    if (!(r->header.streams & LOW)) return HOST_DONE;
    code = pass_grids(r, smoke, new_low, COUNT(new_low), smoke->cells);
    return code ? code : pass_bytes(r, "the 180 bytes after the grids", NEW_TAIL);
}

static int read_old(bphys_reader *r, bphys_smoke *smoke)
{
    smoke->cells = r->header.count;
    if (r->header.type == POINT_SMOKE_HIGHRES || !(r->header.streams & LOW)) return HOST_DONE;
    if (!smoke->cells) return bphys_refuse(r, 12, "totpoint is 0, expected the number of cells");
    int code = pass_grids(r, smoke, old_low, COUNT(old_low), smoke->cells);
    return code ? code : pass_bytes(r, "the time and the time step", 8);
}

int bphys_read_smoke(bphys_reader *r, bphys_smoke *smoke)
{
    bool has_version = r->size - r->at >= 4 && memcmp(r->bytes + r->at, "1.04", 4) == 0;
    memset(smoke, 0, sizeof *smoke);
    int code = has_version ? read_new(r, smoke) : read_old(r, smoke);
    smoke->has_fine = r->header.type == POINT_SMOKE_HIGHRES || r->header.streams & HIGH;
    if (code || !smoke->has_fine) return code;
    return find_high(r, smoke);
}

char *bphys_describe_smoke(const uint8_t *bytes, size_t size)
{
    char size_text[64];
    bphys_smoke smoke;
    bphys_reader r = {.bytes = bytes, .size = size, .at = BPHYS_HEADER_BYTES};
    if (bphys_read_header("", bytes, size, &r.header) != HOST_DONE) return host_text("%s", "");
    if (bphys_read_smoke(&r, &smoke) != HOST_DONE)
        return host_text("%s", "grids that are damaged or unknown");
    if (smoke.has_version)
        snprintf(size_text, sizeof size_text, "%u x %u x %u", smoke.resolution[0],
                 smoke.resolution[1], smoke.resolution[2]);
    else
        snprintf(size_text, sizeof size_text, "%u", smoke.cells);
    return host_text("%s cells, %u grids%s%s%s%s", size_text, smoke.grids,
                     smoke.has_fine ? ", fine ones too" : "", smoke.fields & HEAT ? ", heat" : "",
                     smoke.fields & FIRE ? ", fire" : "", smoke.fields & COLORS ? ", colors" : "");
}
