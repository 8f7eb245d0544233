/* SPDX-License-Identifier: MIT
   host_tools/clip/pack.c - packed clips: schema, groups and pieces of a clip in one stream of mixed
           bits.
   reads   a clip or a packed clip         writes  the other
   memory  see pack.h                      cost    see pack.h
   after   own design; unpacking writes the clip again with runtime/codec/clip_write.c, so that its
           blocks are the same */
#include "pack.h"
#include "compact.h"
#include <stdlib.h>
#include <string.h>

enum { PACK_DONE, PACK_REFUSED, PACK_NO_MEMORY };
enum { PIECE_EMPTY, PIECE_BYTES, PIECE_TILE };
/* slots of numbers, see host_pack_value; parameters of tiles have 16 to 255 */
enum {
    SLOT_FIXED = 256, /* numbers of the header */
    SLOT_NAME = 320,
    SLOT_STREAM = 321, /* 4 for each stream */
    SLOT_GROUP = 416,
    SLOT_MORE = 430,
    SLOT_LATTICE = 432,
    SLOT_PIECE = 448,
    SLOT_SIZE = 480,
    SLOT_BYTE = 512 /* 256 */
};

/* Both directions use one code: a number is coded from, or decoded to, its variable. */
typedef struct clip_packer {
    host_tile_packer tile;
    tpi_clip clip;
    tpi_clip_storage storage;
    tpi_clip_memory memory;
    tpi_clip_writer writer; /* when unpacking */
    tpi_lattice lattices[TPI_CLIP_STREAMS * TPI_TILE_COMPONENTS];
    uint32_t *ends;
    uint8_t *piece; /* bytes of one piece */
    uint32_t piece_max;
    bool unpacks;
    uint8_t again[TPI_TILE_FRAMES_MAX * TPI_TILE_POINTS * 16u + 512u]; /* a tile, put together */
} clip_packer;

static void code_word(clip_packer *packer, uint32_t slot, uint32_t *word)
{
    *word = (uint32_t)host_pack_value(&packer->tile, slot, (int32_t)*word);
}

static void code_float(clip_packer *packer, uint32_t slot, float *value)
{
    uint32_t word = tpi_bits(*value);
    code_word(packer, slot, &word);
    *value = tpi_from_bits(word);
}

static void code_byte(clip_packer *packer, uint32_t slot, uint8_t *byte)
{
    uint32_t word = *byte;
    code_word(packer, slot, &word);
    *byte = (uint8_t)word;
}

/* ---- the schema */

/* The usual streams, in the usual order; other names are coded letter by letter. */
static const char *const usual_names[TPI_CLIP_STREAMS] = {
    "id", "location", "velocity", "springs", "accel", "life", "rotation", "size"};

static void code_name(clip_packer *packer, char *name)
{
    uint32_t number = 0;
    while (number < 8u && strncmp(usual_names[number], name, TPI_CLIP_NAME_BYTES) != 0) number++;
    code_word(packer, SLOT_NAME, &number);
    if (number < 8u && packer->unpacks) {
        memset(name, 0, TPI_CLIP_NAME_BYTES);
        memcpy(name, usual_names[number], strlen(usual_names[number]));
    }
    for (uint32_t k = 0; k < TPI_CLIP_NAME_BYTES && number >= 8u; k++) {
        uint8_t letter = (uint8_t)name[k];
        code_byte(packer, SLOT_BYTE, &letter);
        name[k] = (char)letter;
    }
}

static void code_stream(clip_packer *packer, tpi_clip_stream *stream)
{
    uint32_t kind =
        stream->type | (uint32_t)stream->components << 2 | (uint32_t)stream->is_once << 5;
    code_name(packer, stream->name);
    code_word(packer, SLOT_STREAM, &kind);
    stream->type = kind & 3u;
    stream->components = kind >> 2 & 7u;
    stream->is_once = kind >> 5 & 1u;
    code_float(packer, SLOT_STREAM + 1u, &stream->error);
}

static void code_schema(clip_packer *packer, tpi_clip_schema *schema, uint32_t *epoch)
{
    code_word(packer, SLOT_FIXED, epoch);
    code_word(packer, SLOT_FIXED + 1u, &schema->block_bits);
    uint32_t features = schema->features | (uint32_t)schema->required << 24;
    code_word(packer, SLOT_FIXED + 2u, &features);
    schema->features = features & 0xffffffu, schema->required = (uint8_t)(features >> 24);
    code_word(packer, SLOT_FIXED + 3u, &schema->point_count);
    code_float(packer, SLOT_FIXED + 4u, &schema->fps);
    code_float(packer, SLOT_FIXED + 5u, &schema->seconds_per_frame);
    code_byte(packer, SLOT_FIXED + 6u, &schema->simulation);
    code_byte(packer, SLOT_FIXED + 7u, &schema->key_interval);
    code_byte(packer, SLOT_FIXED + 8u, &schema->stream_count);
    for (uint32_t s = 0; s < schema->stream_count && s < TPI_CLIP_STREAMS; s++)
        code_stream(packer, &schema->stream[s]);
}

/* ---- pieces */

static bool reserve_piece(clip_packer *packer, uint32_t size)
{
    if (size <= packer->piece_max) return true;
    uint8_t *longer = realloc(packer->piece, size);
    if (!longer) return false;
    packer->piece = longer, packer->piece_max = size;
    return true;
}

static bool code_bytes(clip_packer *packer, uint32_t stream, uint32_t *size)
{
    uint8_t before = 0;
    code_word(packer, SLOT_SIZE + stream, size);
    if (*size > packer->memory.size_max || !reserve_piece(packer, *size)) return false;
    for (uint32_t k = 0; k < *size && !packer->tile.mix.is_bad; k++) {
        code_byte(packer, SLOT_BYTE + before, packer->piece + k);
        before = packer->piece[k];
    }
    return !packer->tile.mix.is_bad;
}

/* Sets up the plan of a tile of the group. */
static void plan_tile(clip_packer *packer, const tpi_clip_group *group, uint32_t stream,
                      uint32_t tile)
{
    const tpi_clip_stream *of = &packer->clip.schema.stream[stream];
    tpi_tile_plan *plan = &packer->tile.plan;
    plan->points = tpi_min_u32(group->slots - tile * TPI_TILE_POINTS, TPI_TILE_POINTS);
    plan->frames = of->is_once ? 1u : group->frames;
    plan->components = of->components;
    plan->residuals = packer->tile.residuals;
}

/* True if the piece is a tile that its plan gives back, byte by byte. */
static bool is_plain_tile(clip_packer *packer, const tpi_clip_group *group, uint32_t stream,
                          uint32_t tile, uint32_t size)
{
    host_tile_packer *one = &packer->tile;
    if (!host_tile_take(one, packer->piece, size)) return false;
    uint32_t points = one->plan.points, frames = one->plan.frames, width = one->plan.components;
    plan_tile(packer, group, stream, tile);
    if (points != one->plan.points || frames != one->plan.frames || width != one->plan.components)
        return false;
    return host_tile_put(one, packer->again, sizeof packer->again) == size &&
           memcmp(packer->again, packer->piece, size) == 0;
}

static bool code_tile(clip_packer *packer, const tpi_clip_group *group, uint32_t stream,
                      uint32_t tile, uint32_t *size)
{
    packer->tile.stream = stream, packer->tile.tile = tile;
    plan_tile(packer, group, stream, tile);
    if (packer->unpacks)
        memset(packer->tile.residuals, 0,
               sizeof(int32_t) * TPI_TILE_POINTS * packer->tile.plan.frames *
                   packer->tile.plan.components);
    if (!host_tile_code(&packer->tile)) return false;
    if (!packer->unpacks) return true;
    uint32_t most = packer->tile.plan.frames * TPI_TILE_POINTS * 16u + 512u;
    if (!reserve_piece(packer, most)) return false;
    *size = host_tile_put(&packer->tile, packer->piece, most);
    return *size != 0;
}

static bool code_piece(clip_packer *packer, const tpi_clip_group *group, uint32_t stream,
                       uint32_t piece, uint32_t *size)
{
    const tpi_clip_stream *of = &packer->clip.schema.stream[stream];
    bool may_be_tile = of->type != TPI_CLIP_BYTES;
    uint32_t kind = !*size ? PIECE_EMPTY : PIECE_BYTES;
    if (!packer->unpacks && *size && may_be_tile &&
        is_plain_tile(packer, group, stream, piece, *size))
        kind = PIECE_TILE;
    code_word(packer, SLOT_PIECE + stream, &kind);
    if (kind == PIECE_TILE) return may_be_tile && code_tile(packer, group, stream, piece, size);
    if (kind == PIECE_BYTES) return code_bytes(packer, stream, size);
    *size = 0;
    return kind == PIECE_EMPTY;
}

/* Reads a piece into packer->piece, or writes it from there. */
static bool move_piece(clip_packer *packer, const tpi_clip_group *group, uint32_t stream,
                       uint32_t piece)
{
    const uint8_t *bytes;
    uint32_t size = 0;
    if (!packer->unpacks) {
        if (!reserve_piece(packer, group->piece_max + 1u)) return false;
        if (tpi_clip_piece(&packer->clip, &packer->storage, group, stream, piece, packer->piece,
                           packer->piece_max, &bytes, &size))
            return false;
        if (size && bytes != packer->piece) memcpy(packer->piece, bytes, size);
    }
    if (!code_piece(packer, group, stream, piece, &size)) return false;
    return !packer->unpacks || tpi_clip_put(&packer->writer, &packer->storage, packer->ends,
                                            packer->piece, size) == TPI_CLIP_OK;
}

/* ---- groups */

static void code_group(clip_packer *packer, tpi_clip_group *group, int32_t *next)
{
    int32_t first = (int32_t)((uint32_t)group->first_frame - (uint32_t)*next);
    first = host_pack_value(&packer->tile, SLOT_GROUP, first);
    group->first_frame = (int32_t)((uint32_t)*next + (uint32_t)first);
    code_byte(packer, SLOT_GROUP + 1u, &group->kind);
    code_byte(packer, SLOT_GROUP + 2u, &group->variant);
    code_word(packer, SLOT_GROUP + 3u, &group->step);
    code_word(packer, SLOT_GROUP + 4u, &group->frames);
    code_word(packer, SLOT_GROUP + 5u, &group->slots);
    code_word(packer, SLOT_GROUP + 6u, &group->streams);
    *next = (int32_t)((uint32_t)group->first_frame + group->step * group->frames);
}

/* Lattices relative to those of the group before; a quarter first of all to that of the component
   before. */
static bool code_lattices(clip_packer *packer, const tpi_clip_group *group, uint32_t stream)
{
    tpi_lattice now[TPI_TILE_COMPONENTS], *old = packer->lattices + stream * TPI_TILE_COMPONENTS;
    const tpi_clip_stream *of = &packer->clip.schema.stream[stream];
    if (!tpi_clip_has_lattice(of) || !(group->streams >> stream & 1u)) return true;
    if (!packer->unpacks &&
        tpi_clip_lattice(&packer->clip, &packer->storage, group, stream, now) != TPI_CLIP_OK)
        return false;
    for (uint32_t c = 0; c < of->components; c++) {
        uint32_t origin = tpi_bits(old[c].origin), quarter = tpi_bits(old[c].quarter);
        if (!quarter && c) quarter = tpi_bits(old[c - 1u].quarter);
        uint32_t words[2] = {packer->unpacks ? 0 : tpi_bits(now[c].origin) ^ origin,
                             packer->unpacks ? 0 : tpi_bits(now[c].quarter) ^ quarter};
        code_word(packer, SLOT_LATTICE, &words[0]);
        code_word(packer, SLOT_LATTICE + 1u, &words[1]);
        old[c] = (tpi_lattice){tpi_from_bits(words[0] ^ origin), tpi_from_bits(words[1] ^ quarter)};
    }
    return true;
}

/* Memory for the directory and the lifetimes. The slots of a group need at least a bit each, so
   that a small file cannot ask for much. */
static bool begin_group(clip_packer *packer, const tpi_clip_group *group)
{
    uint32_t pieces = packer->unpacks ? packer->writer.group.pieces : group->pieces;
    if (pieces > packer->memory.size_max / 4u + TPI_CLIP_STREAMS) return false;
    free(packer->ends);
    free(packer->tile.lives);
    packer->ends = calloc(pieces + 1u, sizeof *packer->ends);
    packer->tile.lives = calloc(tpi_clip_tiles(group) + 1u, sizeof *packer->tile.lives);
    return packer->ends && packer->tile.lives;
}

static bool move_group(clip_packer *packer, tpi_clip_group *group, int32_t *next)
{
    code_group(packer, group, next);
    if (packer->tile.mix.is_bad || !group->frames || group->frames > TPI_TILE_FRAMES_MAX)
        return false;
    if (packer->unpacks) {
        packer->writer.group = *group;
        if (tpi_clip_group_begin(&packer->writer)) return false;
    }
    if (!begin_group(packer, group)) return false;
    packer->tile.has_lives = false;
    for (uint32_t s = 0; s < packer->clip.schema.stream_count; s++) {
        if (!code_lattices(packer, group, s)) return false;
        uint32_t pieces = tpi_clip_pieces(&packer->clip, group, s);
        for (uint32_t p = 0; p < pieces; p++)
            if (!move_piece(packer, group, s, p)) return false;
        const tpi_clip_stream *of = &packer->clip.schema.stream[s];
        packer->tile.has_lives |= pieces && of->type != TPI_CLIP_BYTES && !of->is_once;
    }
    return !packer->unpacks || tpi_clip_group_end(&packer->writer, &packer->storage, packer->ends,
                                                  packer->lattices) == TPI_CLIP_OK;
}

/* ---- whole clips */

static clip_packer *allocate_packer(const uint8_t *clip, size_t size, bool unpacks)
{
    clip_packer *packer = calloc(1, sizeof *packer);
    uint8_t *blocks = malloc(2u << TPI_CLIP_BLOCK_HIGHEST);
    if (!packer || !blocks) {
        free(packer);
        free(blocks);
        return NULL;
    }
    packer->unpacks = unpacks;
    /* when packing the clip is only read */
    packer->memory = (tpi_clip_memory){(uint8_t *)(uintptr_t)clip, unpacks ? 0 : size, size};
    packer->storage = (tpi_clip_storage){&packer->memory,
                                         tpi_clip_memory_read,
                                         tpi_clip_memory_write,
                                         {blocks, blocks + (1u << TPI_CLIP_BLOCK_HIGHEST)},
                                         1u << TPI_CLIP_BLOCK_HIGHEST};
    return packer;
}

static void free_packer(clip_packer *packer)
{
    free(packer->storage.block[0]);
    free(packer->ends);
    free(packer->tile.lives);
    free(packer->piece);
    free(packer);
}

/* The first blocks of the groups, ascending: in malloc memory, `count` of them. */
static uint32_t *list_groups(clip_packer *packer, uint32_t *count)
{
    tpi_clip_group group;
    uint32_t *ends = malloc((packer->clip.groups + 2u) * sizeof *ends),
             most = packer->clip.groups + 1u;
    *count = 0;
    for (uint32_t end = packer->clip.end; ends && end > TPI_CLIP_FIRST_BLOCK;
         end = group.first_block) {
        if (*count >= most || tpi_clip_group_before(&packer->clip, &packer->storage, end, &group)) {
            *count = UINT32_MAX;
            return ends;
        }
        ends[(*count)++] = end;
    }
    for (uint32_t k = 0; ends && k < *count / 2u; k++) {
        uint32_t end = ends[k];
        ends[k] = ends[*count - 1u - k], ends[*count - 1u - k] = end;
    }
    return ends;
}

static int pack_groups(clip_packer *packer)
{
    uint32_t count, more = 1;
    uint32_t *ends = list_groups(packer, &count);
    int32_t next = 0;
    if (!ends) return PACK_NO_MEMORY;
    bool good = count != UINT32_MAX;
    for (uint32_t g = 0; g < count && good; g++) {
        tpi_clip_group group;
        code_word(packer, SLOT_MORE, &more);
        good = tpi_clip_group_before(&packer->clip, &packer->storage, ends[g], &group) ==
                   TPI_CLIP_OK &&
               move_group(packer, &group, &next);
    }
    more = 0;
    code_word(packer, SLOT_MORE, &more);
    free(ends);
    return good && !packer->tile.mix.is_bad ? PACK_DONE : PACK_REFUSED;
}

static int unpack_groups(clip_packer *packer)
{
    uint32_t epoch = 0, more = 1;
    int32_t next = 0;
    code_schema(packer, &packer->clip.schema, &epoch);
    if (packer->tile.mix.is_bad || packer->clip.schema.stream_count > TPI_CLIP_STREAMS ||
        tpi_clip_create(&packer->writer, &packer->storage, &packer->clip.schema, epoch))
        return PACK_REFUSED;
    for (code_word(packer, SLOT_MORE, &more); more == 1u && !packer->tile.mix.is_bad;
         code_word(packer, SLOT_MORE, &more)) {
        tpi_clip_group group = {0};
        if (!move_group(packer, &group, &next)) return PACK_REFUSED;
    }
    if (packer->tile.mix.is_bad || more) return PACK_REFUSED;
    if (tpi_clip_close(&packer->writer, &packer->storage)) return PACK_REFUSED;
    return packer->memory.size == packer->memory.size_max ? PACK_DONE : PACK_REFUSED;
}

/* The largest clip that a packed one may claim to hold: a small file cannot ask for much memory. */
static uint64_t claim_max(size_t packed_size) { return (1u << 20) + 1024u * (uint64_t)packed_size; }

/* The fourth byte: 3, or 4 of a compact clip, which is packed with blocks of equal size. 1 and 2
   were those of a model without the nearest points. */
bool host_pack_recognises(const uint8_t *start, size_t size)
{
    return size >= 4u && memcmp(start, "TPP", 3) == 0 && (start[3] == 3u || start[3] == 4u);
}

static int unpack_plain(const uint8_t *packed, size_t packed_size, uint8_t **clip, size_t *size,
                        size_t *at)
{
    *clip = NULL, *at = 4;
    if (packed_size < HOST_PACK_HEAD_BYTES || !host_pack_recognises(packed, packed_size))
        return PACK_REFUSED;
    *size = tpi_load_u32(packed + 4);
    if (*size > HOST_PACK_SIZE_MAX || *size > claim_max(packed_size)) return PACK_REFUSED;
    *at = 8;
    uint32_t left = (uint32_t)(packed_size - HOST_PACK_HEAD_BYTES);
    uint32_t crc = tpi_crc32c(tpi_crc32c(0, packed, 8), packed + HOST_PACK_HEAD_BYTES, left);
    if (crc != tpi_load_u32(packed + 8)) return PACK_REFUSED;
    *clip = calloc(*size + 1u, 1);
    clip_packer *packer = *clip ? allocate_packer(*clip, *size, true) : NULL;
    int code = packer ? PACK_DONE : PACK_NO_MEMORY;
    if (packer) {
        host_mix_begin(&packer->tile.mix, (uint8_t *)(uintptr_t)packed + HOST_PACK_HEAD_BYTES, left,
                       true);
        code = unpack_groups(packer);
        *at = HOST_PACK_HEAD_BYTES + packer->tile.mix.at;
        free_packer(packer);
    }
    if (!code) return code;
    free(*clip);
    *clip = NULL;
    return code;
}

int host_unpack(const uint8_t *packed, size_t packed_size, uint8_t **clip, size_t *size, size_t *at)
{
    uint8_t *compact;
    size_t compact_size;
    int code = unpack_plain(packed, packed_size, clip, size, at);
    if (code || packed[3] == 3u) return code;
    code = host_compact(*clip, *size, &compact, &compact_size);
    free(*clip);
    *clip = compact, *size = compact_size, *at = 3;
    return code;
}

/* Packs into `packed`, which has room for `most` bytes. */
static int pack_clip(clip_packer *packer, uint8_t *packed, size_t most, size_t *packed_size)
{
    uint32_t epoch;
    if (tpi_clip_open(&packer->clip, &packer->storage) || !packer->clip.is_closed)
        return PACK_REFUSED;
    host_mix_begin(&packer->tile.mix, packed + HOST_PACK_HEAD_BYTES, most - HOST_PACK_HEAD_BYTES,
                   false);
    epoch = packer->clip.epoch;
    code_schema(packer, &packer->clip.schema, &epoch);
    int code = pack_groups(packer);
    size_t size = host_mix_end(&packer->tile.mix);
    if (code) return code;
    if (!size) return PACK_REFUSED;
    memcpy(packed, "TPP\3", 4);
    tpi_store_u32(packed + 4, (uint32_t)packer->memory.size);
    tpi_store_u32(packed + 8, tpi_crc32c(tpi_crc32c(0, packed, 8), packed + HOST_PACK_HEAD_BYTES,
                                         (uint32_t)size));
    *packed_size = HOST_PACK_HEAD_BYTES + size;
    return PACK_DONE;
}

static int pack_plain(const uint8_t *clip, size_t size, uint8_t **packed, size_t *packed_size)
{
    *packed = NULL;
    if (size > HOST_PACK_SIZE_MAX) return PACK_REFUSED;
    *packed = malloc(size + HOST_PACK_HEAD_BYTES);
    clip_packer *packer = *packed ? allocate_packer(clip, size, false) : NULL;
    int code = packer ? pack_clip(packer, *packed, size + HOST_PACK_HEAD_BYTES, packed_size)
                      : PACK_NO_MEMORY;
    if (packer) free_packer(packer);
    return code;
}

/* Marks a packed clip as compact when it is unpacked. */
static void mark_compact(uint8_t *packed, size_t size)
{
    packed[3] = 4;
    tpi_store_u32(packed + 8, tpi_crc32c(tpi_crc32c(0, packed, 8), packed + HOST_PACK_HEAD_BYTES,
                                         (uint32_t)(size - HOST_PACK_HEAD_BYTES)));
}

int host_pack(const uint8_t *clip, size_t size, uint8_t **packed, size_t *packed_size)
{
    uint8_t *again, *plain = NULL;
    size_t again_size, at, plain_size = size;
    bool is_compact = host_compact_recognises(clip, size);
    int code = is_compact ? host_compact_undo(clip, size, &plain, &plain_size, &at) : PACK_DONE;
    *packed = NULL;
    if (!code) code = pack_plain(plain ? plain : clip, plain_size, packed, packed_size);
    free(plain);
    if (!code && is_compact) mark_compact(*packed, *packed_size);
    if (!code) code = host_unpack(*packed, *packed_size, &again, &again_size, &at);
    if (!code) {
        if (again_size != size || memcmp(again, clip, size) != 0) code = PACK_REFUSED;
        free(again);
    }
    if (!code) return code;
    free(*packed);
    *packed = NULL;
    return code;
}
