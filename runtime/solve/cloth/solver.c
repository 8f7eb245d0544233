/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/solver.c - the solver of cloth: its definition, arrays, and order of stages.
   reads   tp_world_def, the block      writes  constants, the next stage
   memory  see tpi_cloth_layout         cost    O(species) to create, O(1) per stage
   after   see cloth.h */
#include "graze.h"
#include "split.h"
#include "../../world/check.h"

/* ---- definition ---- */

void tpi_cloth_default(tp_world_def *def)
{
    def->cloth = (tp_cloth){.sheets_max = 1,
                            .timestep_max = 0.00167f,
                            .damping = 0.0001f,
                            .friction = 0.5f,
                            .yield_max = 0.5f,
                            .limit_passes = 4,
                            .iterations = 20};
}

uint32_t tpi_cloth_traits(const tp_world_def *def)
{
    const uint32_t splits = tpi_cloth_can_split(def) ? TPI_SOLVER_SPLITS : 0u;
    return (tpi_def_has_touch(def) ? TPI_SOLVER_NEIGHBOURS : TPI_SOLVER_STAGES) | TPI_SOLVER_HOLDS |
           splits;
}

const char *tpi_cloth_check_ranges(const tp_world_def *def)
{
    static const tpi_integer_row integers[] = {
        TPI_ROW(cloth.sheets_max, 0, 1024),          TPI_ROW(cloth.constraints_max, 0, 100000000),
        TPI_ROW(cloth.triangles_max, 0, 100000000),  TPI_ROW(cloth.limit_passes, 1, 16),
        TPI_ROW(cloth.tetrahedra_max, 0, 100000000), TPI_ROW(cloth.iterations, 1, 100),
        TPI_ROW(cloth.ties_max, 0, 65536),           TPI_ROW(cloth.folds_max, 0, 100000000),
        TPI_ROW(cloth.splits_max, 0, 65536),
    };
    static const tpi_number_row numbers[] = {
        TPI_NUMBER_ROW(cloth.timestep_max, 0.00001, 1),
        TPI_NUMBER_ROW(cloth.damping, 0, 1),
        TPI_NUMBER_ROW(cloth.air, 0, 10000),
        TPI_NUMBER_ROW(cloth.friction, 0, 10),
        TPI_NUMBER_ROW(cloth.tear, 0, 100),
        TPI_NUMBER_ROW(cloth.limit, 0, 10),
        TPI_NUMBER_ROW(cloth.yield, 0, 0.9),
        TPI_NUMBER_ROW(cloth.yield_max, 0, 10),
    };
    return TPI_CHECK_ROWS(def, integers, numbers);
}

const char *tpi_cloth_check(const tp_world_def *def)
{
    if (def->integrator != TP_INTEGRATOR_EULER)
        return TPI_TEXT("integrator must be TP_INTEGRATOR_EULER with TP_SOLVER_CLOTH");
    if (def->pool_policy != TP_POOL_REFUSE)
        return TPI_TEXT(
            "pool_policy must be TP_POOL_REFUSE with TP_SOLVER_CLOTH: births replace no nodes");
    if (def->cloth.air > 0.0f && def->dimensions == 2)
        return TPI_TEXT("cloth.air must be 0 in 2D: sheets are lines there");
    if (def->cloth.triangles_max && def->dimensions == 2)
        return TPI_TEXT("cloth.triangles_max must be 0 in 2D: sheets are lines there");
    if (def->cloth.tetrahedra_max && def->dimensions == 2)
        return TPI_TEXT("cloth.tetrahedra_max must be 0 in 2D: blocks have depth");
    if (def->cloth.tetrahedra_max && tpi_cloth_wears(def))
        return TPI_TEXT(
            "cloth.tear and cloth.yield must be 0 with cloth.tetrahedra_max: blocks do not "
            "break");
    if (def->cloth.folds_max && def->dimensions == 2)
        return TPI_TEXT("cloth.folds_max must be 0 in 2D: sheets are lines there");
    if (def->cloth.folds_max && (tpi_cloth_has_springs(def) || tpi_cloth_wears(def)))
        return TPI_TEXT("cloth.folds_max must be 0 with cloth.tear, cloth.yield, TP_CLOTH_EXPLICIT "
                        "and TP_CLOTH_IMPLICIT");
    if (def->cloth.splits_max && def->cloth.tear <= 0.0f)
        return TPI_TEXT("cloth.splits_max needs cloth.tear: nodes split where edges tear");
    if (def->cloth.splits_max && def->cloth.triangles_max == 0)
        return TPI_TEXT(
            "cloth.splits_max needs cloth.triangles_max: nodes split between triangles");
    if (def->cloth.air > 0.0f && def->cloth.triangles_max == 0)
        return TPI_TEXT("cloth.air needs cloth.triangles_max: what it acts on");
    if ((uint32_t)def->cloth.integrator > TP_CLOTH_IMPLICIT)
        return TPI_TEXT("cloth.integrator must be a TP_CLOTH_ value: XPBD, EXPLICIT or IMPLICIT");
    if (def->cloth.tetrahedra_max && tpi_cloth_has_springs(def))
        return TPI_TEXT("cloth.tetrahedra_max must be 0 with TP_CLOTH_EXPLICIT and "
                        "TP_CLOTH_IMPLICIT: blocks need TP_CLOTH_XPBD");
    if (def->cloth.thickness != 0.0f && !tpi_is_within(def->cloth.thickness, 1e-4f, 1e4f))
        return TPI_TEXT("cloth.thickness must be 0, or 1e-4 to 1e4");
    if (def->cloth.edge_max != 0.0f) {
        const char *text = tpi_graze_check(def);
        if (text) return text;
    }
    for (uint32_t s = 0; s < def->species_count; s++)
        if (def->species[s].is_tracer)
            return TPI_TEXT("species.is_tracer needs TP_SOLVER_NONE: a tracer feels no force");
    if (tpi_frame_seconds(def) <= 101.0f * def->cloth.timestep_max) return NULL;
    return TPI_TEXT("frames_per_second must be high enough for 101 sub-steps of "
                    "cloth.timestep_max to cover a frame");
}

const char *tpi_cloth_oversize(const tp_world_def *def)
{
    (void)def;
    return TPI_TEXT("particles_max, cloth.constraints_max, cloth.triangles_max, "
                    "cloth.folds_max and cloth.tetrahedra_max ask for a block of more than 4 GiB: "
                    "lower one of them");
}

float tpi_cloth_timestep_max(const tp_world_def *def) { return def->cloth.timestep_max; }

/* Without a thickness no particle is found by its position. Lists are full long before a cell
   exceeds its limit, so that both depend on the state alone. */
tpi_neighbour_needs tpi_cloth_needs(const tp_world_def *def)
{
    if (!tpi_def_has_touch(def)) return (tpi_neighbour_needs){0};
    return (tpi_neighbour_needs){.neighbours_max = TPI_CLOTH_NEAR_MAX,
                                 .cell_max = 1024,
                                 .saves_memory = true,
                                 .is_still = true,
                                 .is_sparse = true};
}

bool tpi_cloth_cells(const tp_world_def *def, tpi_levels *levels, tpi_box *box)
{
    (void)def, (void)levels, (void)box;
    return false;
}

/* ---- block ---- */

/* 8 bytes per node, 16 per constraint, 12 per triangle; with wear 8 and 12 more per constraint and
   triangle, of springs 8 more per node, of implicit ones also 12 per node and axis, and 4 per
   constraint. */
uint32_t tpi_cloth_layout(tpi_arrays *arrays, tpi_layout *layout, const tp_world_def *def)
{
    static const char names[4][20] = {"first ends", "second ends", "rest lengths", "compliances"};
    uint32_t *own = arrays->own;
    own[TPI_CLOTH_HEAD] = tpi_layout_take(layout, "cloth", 1, sizeof(tpi_cloth_head));
    own[TPI_CLOTH_SHEETS] =
        tpi_layout_take(layout, "sheets", def->cloth.sheets_max, sizeof(tpi_cloth_sheet));
    if (def->cloth.ties_max)
        (void)tpi_layout_take(layout, "ties", 1,
                              sizeof(tpi_cloth_knot) +
                                  (uint64_t)def->cloth.ties_max * sizeof(tpi_cloth_tie));
    for (uint32_t k = 0; k < 4; k++)
        own[TPI_CLOTH_FIRST + k] = tpi_layout_take(layout, names[k], def->cloth.constraints_max, 4);
    own[TPI_CLOTH_ANCHOR] = tpi_layout_take(layout, "anchors", def->particles_max, 4);
    own[TPI_CLOTH_REACH] = tpi_layout_take(layout, "tethers", def->particles_max, 4);
    own[TPI_CLOTH_TRIANGLE] = tpi_layout_take(layout, "triangles", def->cloth.triangles_max, 12);
    tpi_cloth_layout_touch(arrays, layout, def);
    own[TPI_CLOTH_TETRA] =
        tpi_layout_take(layout, "tetrahedra",
                        tpi_cloth_pool_words(tpi_cloth_cells_max(def), TPI_CLOTH_CELL_COLOURS,
                                             TPI_CLOTH_CELL_WORDS),
                        4);
    (void)tpi_layout_take(
        layout, "folds",
        tpi_cloth_pool_words(def->cloth.folds_max, TPI_CLOTH_FOLD_COLOURS, TPI_CLOTH_FOLD_WORDS),
        4);
    if (tpi_cloth_has_springs(def))
        own[TPI_CLOTH_BOUND] = tpi_layout_take(layout, "row sums", 1, tpi_cloth_bound_bytes(def));
    if (tpi_cloth_is_implicit(def))
        (void)tpi_layout_take(layout, "conjugate gradients", 1,
                              sizeof(tpi_cloth_cg) +
                                  (uint64_t)tpi_cloth_stride(def) * tpi_def_dimensions(def) * 12u +
                                  (uint64_t)def->cloth.constraints_max * 4u);
    own[TPI_CLOTH_LENGTH_NEXT] = own[TPI_CLOTH_LENGTH];
    if (!tpi_cloth_wears(def)) return (uint32_t)sizeof(tpi_cloth_constants);
    own[TPI_CLOTH_LENGTH_NEXT] =
        tpi_layout_take(layout, "worn lengths",
                        2u * (uint64_t)def->cloth.constraints_max + 3u * def->cloth.sheets_max, 4);
    own[TPI_CLOTH_EDGE] = tpi_layout_take(layout, "edges", def->cloth.triangles_max, 12);
    if (tpi_cloth_can_split(def))
        (void)tpi_layout_take(layout, "splits", 1, tpi_cloth_split_bytes(def));
    return (uint32_t)sizeof(tpi_cloth_constants);
}

void tpi_cloth_prepare(tp_world *world, const tp_world_def *def) { (void)world, (void)def; }

void tpi_cloth_derive(tp_world *world)
{
    for (uint32_t s = 0; s < TP_SPECIES_MAX; s++)
        tpi_cloth_of(world)->inverse_mass[s] = 1.0f / world->def.species[s].mass;
    tpi_cloth_derive_touch(world);
    tpi_cloth_forget_bound(world);
}

static const char *cloth_audit_head(const tp_world *world, uint64_t *offset)
{
    const tpi_cloth_head *head = tpi_cloth_head_of(world);
    const tp_world_def *def = &world->def;
    *offset = world->arrays.own[TPI_CLOTH_HEAD];
    bool is_good = head->sheets <= def->cloth.sheets_max && head->nodes <= def->particles_max &&
                   head->pinned <= head->nodes && head->triangles <= def->cloth.triangles_max &&
                   head->cells <= tpi_cloth_cells_max(def) && head->begin[0] == 0 &&
                   head->begin[TPI_CLOTH_COLOURS] <= def->cloth.constraints_max;
    for (uint32_t k = 0; k < TPI_CLOTH_COLOURS; k++)
        is_good = is_good && head->begin[k] <= head->begin[k + 1u];
    if (!is_good)
        return TPI_TEXT("sheets, nodes, constraints and triangles within their capacities");
    const tpi_cloth_sheet *sheets = tpi_cloth_sheets(world);
    for (uint32_t s = 0, end = 0; s < head->sheets; s++) {
        *offset = world->arrays.own[TPI_CLOTH_SHEETS] + (uint64_t)s * sizeof(tpi_cloth_sheet);
        bool is_grid = sheets[s].rows > 0;
        if (sheets[s].columns == 0 || sheets[s].first < end ||
            (is_grid && sheets[s].columns > TPI_CLOTH_SIDE_MAX) ||
            sheets[s].rows > TPI_CLOTH_SIDE_MAX || sheets[s].first > head->nodes ||
            tpi_cloth_sheet_nodes(&sheets[s]) > head->nodes - sheets[s].first ||
            !tpi_is_vector_within(sheets[s].along, 1e4f) ||
            !tpi_is_vector_within(sheets[s].across, 1e4f) ||
            !tpi_is_within(sheets[s].tether, 0.0f, 10.0f))
            return TPI_TEXT("a sheet of nodes, at most 1e4 m apart, behind the sheets before it");
        end = sheets[s].first + tpi_cloth_sheet_nodes(&sheets[s]);
    }
    for (uint32_t s = 0; tpi_cloth_wears(def) && s < head->sheets; s++) {
        const tpi_cloth_strength *strength = tpi_cloth_strengths(world) + s;
        *offset = (uint64_t)((const char *)strength - (const char *)world);
        if (!tpi_cloth_is_strength(strength))
            return TPI_TEXT("tear, yield and yield_max of a sheet in their ranges, or -1");
    }
    return NULL;
}

/* Rest lengths of both sets, and before wear. */
static bool cloth_audit_length(const tp_world *world, uint32_t k)
{
    const float made = tpi_cloth_made(world)[k];
    bool is_good = tpi_is_within(made, 0.0f, 1e9f) ||
                   (made == TPI_CLOTH_BROKEN && tpi_cloth_can_split(&world->def));
    for (uint32_t set = 0; set < 2; set++) {
        float length = tpi_cloth_lengths(world, set)[k];
        bool is_broken = length == TPI_CLOTH_BROKEN && tpi_cloth_wears(&world->def);
        is_good = is_good && (is_broken || tpi_is_within(length, 0.0f, TPI_CLOTH_LENGTH_MAX));
    }
    return is_good;
}

/* A word of a cell: a node, or the bits of a volume or compliance. */
static bool cloth_is_cell_word(const tp_world *world, uint32_t k, uint32_t word)
{
    if (k < TPI_CLOTH_VOLUME) return word < tpi_cloth_head_of(world)->nodes;
    if (k < TPI_CLOTH_SOFTNESS) return tpi_is_within(tpi_from_bits(word), -1e13f, 1e13f);
    return tpi_is_within(tpi_from_bits(word), 0.0f, 1e12f);
}

static const char *cloth_audit_cells(const tp_world *world, uint64_t *offset)
{
    const uint32_t count = tpi_cloth_head_of(world)->cells;
    const tpi_cloth_pool cells = tpi_cloth_cell_pool(world);
    if (count == 0) return NULL;
    *offset = world->arrays.own[TPI_CLOTH_TETRA];
    const char *text = tpi_cloth_audit_pool(&cells);
    if (text) return text;
    if (cells.begin[TPI_CLOTH_CELL_COLOURS] != count) return TPI_TEXT("the cells of all colours");
    for (uint32_t k = 0; k < TPI_CLOTH_CELL_WORDS; k++)
        for (uint32_t cell = 0; cell < count; cell++) {
            const uint32_t *word = tpi_cloth_pool_array(&cells, k) + cell;
            if (cloth_is_cell_word(world, k, *word)) continue;
            *offset += (uint64_t)(word - cells.begin) * 4u;
            return TPI_TEXT("a cell of eight nodes, with volumes and a compliance");
        }
    return NULL;
}

static const char *cloth_audit_edges(const tp_world *world, uint64_t *offset)
{
    const tpi_cloth_head *head = tpi_cloth_head_of(world);
    const uint32_t *own = world->arrays.own, count = head->begin[TPI_CLOTH_COLOURS];
    for (uint32_t k = 0; tpi_cloth_wears(&world->def) && k < 3u * head->triangles; k++) {
        uint32_t edge = tpi_words(world, own[TPI_CLOTH_EDGE])[k];
        *offset = own[TPI_CLOTH_EDGE] + (uint64_t)k * 4u;
        if (edge >= count && edge != TPI_CLOTH_NO_EDGE)
            return TPI_TEXT("a constraint along an edge of a triangle, or none");
    }
    return NULL;
}

/* Row sums, where they are known. */
static const char *cloth_audit_bound(const tp_world *world, uint64_t *offset)
{
    const uint32_t nodes = tpi_cloth_head_of(world)->nodes;
    if (!tpi_cloth_has_springs(&world->def) || !tpi_cloth_bound_of(world)->is_known) return NULL;
    *offset = world->arrays.own[TPI_CLOTH_BOUND];
    bool is_good = tpi_is_within(tpi_cloth_bound_of(world)->rate, 0.0f, FLT_MAX);
    for (uint32_t i = 0; i < nodes; i++)
        is_good = is_good && tpi_is_within(tpi_cloth_rates(world)[i], 0.0f, FLT_MAX) &&
                  tpi_is_within(tpi_cloth_ends(world)[i], 0.0f, 1e9f);
    return is_good ? NULL : TPI_TEXT("row sums of springs of at least 0");
}

/* Lists that ascend end, and have what is in them once. */
static bool cloth_audit_lists(const tp_world *world, uint32_t node, uint32_t *sum)
{
    const tpi_cloth_head *head = tpi_cloth_head_of(world);
    uint32_t k = tpi_split_ends(world)[node], c = tpi_split_corners(world)[node];
    for (uint32_t next; k != TPI_SPLIT_NONE; k = next, ++*sum) {
        if (k >= head->begin[TPI_CLOTH_COLOURS] ||
            (tpi_split_firsts(world)[k] != node && tpi_split_seconds(world)[k] != node))
            return false;
        next = *tpi_split_after(world, k, node);
        if (next <= k) return false;
    }
    for (uint32_t next; c != TPI_SPLIT_NONE; c = next, ++*sum) {
        if (c >= 3u * head->triangles || tpi_split_triangles(world)[c] != node) return false;
        next = tpi_split_next_corner(world)[c];
        if (next <= c) return false;
    }
    return true;
}

static bool cloth_audit_split_log(const tp_world *world)
{
    const tpi_cloth_tears *tears = tpi_cloth_tears_of(world);
    const tpi_cloth_split *log = tpi_split_log(world);
    bool is_good = tpi_split_are_sound(world, &log->node, TPI_SPLIT_LOGGED, tears->used);
    for (uint32_t s = 0; is_good && s < tears->used; s++)
        is_good = log[s].node < tpi_cloth_head_of(world)->nodes &&
                  log[s].root == tpi_split_root(world, log[s].parent) &&
                  log[s].seams <= tears->seams && (s == 0 || log[s].seams >= log[s - 1u].seams);
    return is_good;
}

/* The splits of the step in progress are of nodes in order; those that were born follow the others.
   Records that are being restored are sound. */
static bool cloth_audit_split_next(const tp_world *world)
{
    const tpi_cloth_tears *tears = tpi_cloth_tears_of(world);
    const uint32_t most = world->def.cloth.splits_max;
    uint32_t next = tpi_cloth_head_of(world)->nodes;
    bool is_good = tears->queued <= tpi_min_u32(TPI_CLOTH_QUEUE, most - tears->used) &&
                   tears->wanted <= most + 1u && tears->wanted_last <= TPI_CLOTH_QUEUE;
    for (uint32_t q = 0; is_good && q < tears->queued; q++) {
        const tpi_cloth_split *split = tears->queue + q;
        const bool is_none = split->node == TPI_SPLIT_NONE;
        is_good = (q == 0 || split->parent > split[-1].parent) &&
                  tpi_split_is_node(world, &tpi_split_log(world)->node, TPI_SPLIT_LOGGED,
                                    tears->used, split->parent) &&
                  (is_none || (split->node == next && next < world->def.particles_max));
        next += !is_none;
    }
    return is_good &&
           (tears->wanted == 0 || tpi_split_are_sound(world, tpi_split_wanted(world),
                                                      TPI_SPLIT_WORDS, tears->wanted - 1u));
}

/* The ends of constraints, and the corners of triangles, have different roots. */
static bool cloth_audit_split_roots(const tp_world *world)
{
    const tpi_cloth_head *head = tpi_cloth_head_of(world);
    bool is_good = true;
    for (uint32_t k = 0; is_good && k < head->begin[TPI_CLOTH_COLOURS]; k++)
        is_good =
            tpi_split_is_spare(world, k) || tpi_split_root(world, tpi_split_firsts(world)[k]) !=
                                                tpi_split_root(world, tpi_split_seconds(world)[k]);
    for (uint32_t t = 0; is_good && t < head->triangles; t++) {
        const uint32_t *corner = tpi_split_triangles(world) + 3u * (size_t)t,
                       a = tpi_split_root(world, corner[0]), b = tpi_split_root(world, corner[1]),
                       c = tpi_split_root(world, corner[2]);
        is_good = a != b && b != c && c != a;
    }
    return is_good;
}

static const char *cloth_audit_splits(const tp_world *world, uint64_t *offset)
{
    const tpi_cloth_head *head = tpi_cloth_head_of(world);
    const tpi_cloth_tears *tears = tpi_cloth_tears_of(world);
    const uint32_t seams = head->begin[TPI_CLOTH_STRETCHES];
    uint32_t sum = 0, want = 2u * head->begin[TPI_CLOTH_COLOURS] + 3u * head->triangles;
    if (!tpi_cloth_can_split(&world->def) || head->sheets == 0) return NULL;
    *offset = (uint64_t)((const char *)tears - (const char *)world);
    bool is_good = tears->used <= world->def.cloth.splits_max &&
                   tears->last <= tpi_min_u32(tears->used, TPI_CLOTH_QUEUE) &&
                   tears->seams <= tears->seams_max &&
                   tears->seams_max <= head->begin[TPI_CLOTH_STRETCHES + 1u] - seams &&
                   cloth_audit_split_log(world) && cloth_audit_split_next(world) &&
                   cloth_audit_split_roots(world);
    for (uint32_t i = 0; is_good && i < head->nodes; i++)
        is_good = cloth_audit_lists(world, i, &sum);
    for (uint32_t k = 0; is_good && k < head->begin[TPI_CLOTH_COLOURS]; k++)
        if (tpi_split_is_spare(world, k)) {
            is_good = k >= seams + tears->seams && k < seams + tears->seams_max;
            want -= 2u;
        }
    return is_good && sum == want ? NULL : TPI_TEXT("splits of nodes, and lists of all ends");
}

/* Constraints of one colour that share a node do no harm but to equal bits at all widths. */
const char *tpi_cloth_audit(const tp_world *world, uint64_t *offset)
{
    const uint32_t *own = world->arrays.own;
    const char *text = cloth_audit_head(world, offset);
    if (text) return text;
    const tpi_cloth_head *head = tpi_cloth_head_of(world);
    for (uint32_t k = 0; k < head->begin[TPI_CLOTH_COLOURS]; k++) {
        *offset = own[TPI_CLOTH_FIRST] + (uint64_t)k * 4u;
        uint32_t second = tpi_words(world, own[TPI_CLOTH_SECOND])[k];
        if (tpi_words(world, own[TPI_CLOTH_FIRST])[k] >= second || second >= head->nodes ||
            !cloth_audit_length(world, k) ||
            !tpi_is_within(tpi_floats(world, own[TPI_CLOTH_COMPLIANCE])[k], 0.0f, 1e12f))
            return TPI_TEXT("a constraint between two nodes in order, with a length and compliance "
                            "of at least 0");
    }
    for (uint32_t i = 0; i < head->nodes; i++) {
        *offset = own[TPI_CLOTH_ANCHOR] + (uint64_t)i * 4u;
        if (tpi_words(world, own[TPI_CLOTH_ANCHOR])[i] >= head->nodes ||
            !tpi_is_within(tpi_floats(world, own[TPI_CLOTH_REACH])[i], 0.0f, FLT_MAX))
            return TPI_TEXT("a tether of at least 0 to a node");
    }
    for (uint32_t k = 0; k < 3u * head->triangles; k++) {
        *offset = own[TPI_CLOTH_TRIANGLE] + (uint64_t)k * 4u;
        if (tpi_words(world, own[TPI_CLOTH_TRIANGLE])[k] >= head->nodes)
            return TPI_TEXT("a triangle of three nodes");
    }
    text = cloth_audit_cells(world, offset);
    if (!text) text = cloth_audit_edges(world, offset);
    if (!text) text = cloth_audit_bound(world, offset);
    if (!text) text = cloth_audit_splits(world, offset);
    if (!text) text = tpi_cloth_audit_ties(world, offset);
    if (!text) text = tpi_cloth_audit_folds(world, offset);
    return text ? text : tpi_cloth_audit_touch(world, offset);
}

/* ---- step ---- */

bool tpi_cloth_must_prime(const tp_world *world)
{
    (void)world;
    return false;
}

/* A step in which a particle dies is the last one of all sheets: it needs no list. */
static tp_stage cloth_after_move(tp_world *world)
{
    const tpi_step *step = &world->step;
    bool has_died = step->killed + step->died > 0 || tpi_cloth_nodes(world) == 0;
    world->list_valid = world->list_valid && !step->list_broken && !has_died;
    if (!tpi_def_has_touch(&world->def)) return TP_STAGE_FORCE;
    tpi_cloth_touch_of(world)->is_listed = world->list_valid;
    return world->list_valid || has_died ? TP_STAGE_FORCE : TP_STAGE_GRID;
}

tp_stage tpi_cloth_next(tp_world *world)
{
    switch ((tp_stage)world->step.stage) {
    case TP_STAGE_MOVE:
        if (tpi_cloth_has_springs(&world->def)) return TP_STAGE_PRESSURE;
        return cloth_after_move(world);
    case TP_STAGE_PRESSURE: return cloth_after_move(world);
    case TP_STAGE_GRID: return TP_STAGE_PAIRS;
    case TP_STAGE_PAIRS: return TP_STAGE_FORCE;
    default: return TP_STAGE_COLLIDE;
    }
}

/* One thread lists the nodes that are near, and adds up row sums. */
bool tpi_cloth_is_shared(const tp_world *world)
{
    return world->step.stage != TP_STAGE_PAIRS && world->step.stage != TP_STAGE_PRESSURE;
}

/* A list that left out a pair which counts, or a cell that left out a particle, is for one step. */
void tpi_cloth_exchange(tp_world *world, bool is_whole)
{
    tpi_cloth_wear_exchange(world);
    tpi_cloth_tie_exchange(world);
    if (tpi_def_has_touch(&world->def) && tpi_cloth_touch_of(world)->is_listed)
        tpi_cloth_drift(world);
    if (tpi_cloth_can_split(&world->def) && tpi_cloth_split_exchange(world)) is_whole = false;
    if (!tpi_def_has_touch(&world->def)) return;
    const tpi_cloth_touch *touch = tpi_cloth_touch_of(world);
    world->list_valid =
        is_whole && touch->is_listed && touch->skin > 0.0f && !world->step.may_crowd;
}

uint32_t tpi_cloth_kick_units(const tp_world *world)
{
    (void)world;
    return 0;
}
