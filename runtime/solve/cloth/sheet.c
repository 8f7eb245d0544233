/* SPDX-License-Identifier: MIT
   runtime/solve/cloth/sheet.c - the public calls of cloth: add a sheet, pin a node, measure.
   reads   definitions, the front set      writes  nodes, constraints, tethers
   memory  16 bytes per constraint, 8 per node, see solver.c
   cost    O(constraints), O(nodes)
   after   graph colouring of a grid in closed form: twelve colours, each a regular pattern, whose
           constraints are in the order of their nodes; of a mesh: see mesh.c */
#include "graze.h"

/* ---- patterns: one per colour ---- */

/* Constraints between node (column + from[0], row + from[1]) and (column + to[0], row + to[1]) of
   all columns and rows where both exist, and bit `shift` of the column (or row, `by_row`) is that
   of the colour. */
typedef struct cloth_pattern {
    uint8_t from[2], to[2], by_row, shift, kind;
} cloth_pattern;

#define CLOTH_PATTERNS 12u /* each pattern below has two, of either parity */

/* Patterns 2 k and 2 k + 1, in the order in which a step visits them. */
static cloth_pattern cloth_pattern_of(uint32_t pattern)
{
    static const cloth_pattern patterns[CLOTH_PATTERNS / 2u] = {
        {{0, 0}, {2, 0}, 0, 1, TP_CLOTH_BEND},    {{0, 0}, {0, 2}, 1, 1, TP_CLOTH_BEND},
        {{0, 0}, {1, 1}, 1, 0, TP_CLOTH_SHEAR},   {{1, 0}, {0, 1}, 1, 0, TP_CLOTH_SHEAR},
        {{0, 0}, {1, 0}, 0, 0, TP_CLOTH_STRETCH}, {{0, 0}, {0, 1}, 1, 0, TP_CLOTH_STRETCH},
    };
    return patterns[pattern / 2u];
}

/* The last colours of their half. */
static uint32_t cloth_colour_of(uint32_t pattern)
{
    return pattern < 8u ? TPI_CLOTH_STRETCHES - 8u + pattern : TPI_CLOTH_COLOURS - 12u + pattern;
}

/* Columns, or rows, in which such constraints begin. */
static uint32_t cloth_span(uint32_t count, uint32_t from, uint32_t to)
{
    uint32_t wide = tpi_max_u32(from, to);
    return count > wide ? count - wide : 0u;
}

/* Numbers below `count` whose bit `shift` is `parity`. */
static uint32_t cloth_count_parity(uint32_t count, uint32_t shift, uint32_t parity)
{
    uint32_t run = 1u << shift, rest = count & (2u * run - 1u);
    uint32_t over = parity ? (rest > run ? rest - run : 0u) : tpi_min_u32(rest, run);
    return count / (2u * run) * run + over;
}

/* Constraints of a pattern in a grid. */
static uint32_t cloth_count(const tp_cloth_def *def, uint32_t pattern)
{
    cloth_pattern p = cloth_pattern_of(pattern);
    uint32_t columns = cloth_span(def->columns, p.from[0], p.to[0]),
             rows = cloth_span(def->rows, p.from[1], p.to[1]);
    if (!(def->kinds & p.kind)) return 0;
    if (p.by_row) return columns * cloth_count_parity(rows, p.shift, pattern & 1u);
    return rows * cloth_count_parity(columns, p.shift, pattern & 1u);
}

/* ---- definition ---- */

tp_cloth_def tp_cloth_default(void)
{
    tp_cloth_def def;
    tpi_memset(&def, 0, sizeof def);
    def.stamp = TPI_STAMP_CLOTH;
    def.columns = def.rows = 16;
    def.layers = 1;
    def.deep.z = 0.0625f;
    def.kinds = TP_CLOTH_STRETCH | TP_CLOTH_SHEAR | TP_CLOTH_BEND;
    def.along.x = 0.0625f;
    def.across.y = -0.0625f;
    def.bend = 0.01f;
    def.fold = 1000.0f;
    def.tether = 1.0f;
    def.tear = def.yield = def.yield_max = -1.0f;
    return def;
}

/* Of a definition for this world: z is 0 in 2D. */
static tp_cloth_def cloth_flat(const tp_world *world, const tp_cloth_def *definition)
{
    tp_cloth_def def = *definition;
    def.origin = tpi_flat(world, def.origin);
    def.along = tpi_flat(world, def.along);
    def.across = tpi_flat(world, def.across);
    def.deep = tpi_flat(world, def.deep);
    def.velocity = tpi_flat(world, def.velocity);
    return def;
}

static tp_vector cloth_position(const tp_cloth_def *def, uint32_t column, uint32_t row)
{
    return tpi_add_scaled(tpi_add_scaled(def->origin, def->along, (float)column), def->across,
                          (float)row);
}

bool tpi_cloth_is_length(tp_vector a)
{
    return tpi_is_vector_within(a, 1e4f) && tpi_is_within(tpi_length(a), 1e-4f, 1e4f);
}

/* Of a block: it has cells that are not flat, and its far corner is near. */
static const char *cloth_check_block(const tp_world *world, const tp_cloth_def *def)
{
    if (tpi_dimensions(world) == 2) return TPI_TEXT("layers must be 1 in 2D");
    if (def->layers > TPI_CLOTH_SIDE_MAX || def->columns < 2 || def->rows < 2)
        return TPI_TEXT("layers must be 1 to 4096, and of a block columns and rows 2 at least");
    if ((uint64_t)def->columns * def->rows * def->layers > 16777216u)
        return TPI_TEXT("layers must make at most 16777216 nodes");
    if (!tpi_cloth_is_length(def->deep)) return TPI_TEXT("deep must be 1e-4 to 1e4 long");
    tp_vector normal = tpi_cross(def->along, def->across);
    float volume = tpi_abs(tpi_dot(normal, def->deep));
    if (!(volume >= 0.01f * tpi_length(normal) * tpi_length(def->deep)))
        return TPI_TEXT(
            "deep must not lie in the plane of along and across: 0.01 rad off at least");
    tp_vector far = tpi_add_scaled(def->origin, def->deep, (float)def->layers - 1.0f);
    for (uint32_t k = 0; k < 4; k++) {
        tp_vector at = tpi_add_scaled(far, def->along, k & 1u ? (float)def->columns - 1.0f : 0.0f);
        at = tpi_add_scaled(at, def->across, k & 2u ? (float)def->rows - 1.0f : 0.0f);
        if (!tpi_is_vector_within(at, TPI_POSITION_MAX))
            return TPI_TEXT("deep must leave all nodes within 1e9 m");
    }
    return NULL;
}

/* Neighbours must be apart, also along the diagonals. */
static const char *cloth_check_grid(const tp_cloth_def *def)
{
    if (def->columns - 1u >= TPI_CLOTH_SIDE_MAX) return TPI_TEXT("columns must be 1 to 4096");
    if (def->rows - 1u >= TPI_CLOTH_SIDE_MAX) return TPI_TEXT("rows must be 1 to 4096");
    if (!tpi_cloth_is_length(def->along)) return TPI_TEXT("along must be 1e-4 to 1e4 long");
    if (!tpi_cloth_is_length(def->across) && def->rows > 1)
        return TPI_TEXT("across must be 1e-4 to 1e4 long");
    tp_vector normal = tpi_cross(def->along, def->across);
    float limit = 0.01f * tpi_length(def->along) * tpi_length(def->across);
    if (def->rows > 1 && def->columns > 1 && !(tpi_length(normal) >= limit))
        return TPI_TEXT("across must not be parallel to along: 0.01 rad apart at least");
    bool is_near = tpi_is_vector_within(def->origin, TPI_POSITION_MAX);
    for (uint32_t k = 1; k < 4; k++)
        is_near =
            is_near && tpi_is_vector_within(cloth_position(def, k & 1u ? def->columns - 1u : 0u,
                                                           k & 2u ? def->rows - 1u : 0u),
                                            TPI_POSITION_MAX);
    return is_near ? NULL : TPI_TEXT("origin must be finite, and all nodes within 1e9 m");
}

const char *tp_cloth_check(const tp_world *world, const tp_cloth_def *definition)
{
    if (tpi_world_check_block(world) != TP_OK)
        return TPI_TEXT("the world is null or no world: create it first");
    if (!definition) return TPI_TEXT("the definition is null: pass one made by tp_cloth_default");
    if (definition->stamp != TPI_STAMP_CLOTH) return tp_result_text(TP_ERROR_STAMP);
    if (world->def.solver != TP_SOLVER_CLOTH)
        return TPI_TEXT("a sheet needs a world with TP_SOLVER_CLOTH");
    if (definition->species >= world->def.species_count)
        return TPI_TEXT("species must be below species_count");
    if (definition->kinds > (TP_CLOTH_STRETCH | TP_CLOTH_SHEAR | TP_CLOTH_BEND | TP_CLOTH_FOLD))
        return TPI_TEXT("kinds must be TP_CLOTH_ bits");
    if (!tpi_is_within(definition->stretch, 0.0f, 1e12f))
        return TPI_TEXT("stretch must be 0 to 1e12");
    if (!tpi_is_within(definition->shear, 0.0f, 1e12f)) return TPI_TEXT("shear must be 0 to 1e12");
    if (!tpi_is_within(definition->bend, 0.0f, 1e12f)) return TPI_TEXT("bend must be 0 to 1e12");
    if (!tpi_is_within(definition->fold, 0.0f, 1e12f)) return TPI_TEXT("fold must be 0 to 1e12");
    if (tpi_dimensions(world) == 2 && (definition->kinds & TP_CLOTH_FOLD))
        return TPI_TEXT("kinds must be without TP_CLOTH_FOLD in 2D");
    if (definition->tether != 0.0f && !tpi_is_within(definition->tether, 1.0f, 10.0f))
        return TPI_TEXT("tether must be 0, or 1 to 10");
    if (!tpi_is_vector_within(definition->velocity, TPI_SPEED_MAX))
        return TPI_TEXT("velocity must be finite and at most 1e9 m/s");
    tp_cloth_def def = cloth_flat(world, definition);
    if (!tpi_is_within(def.volume, 0.0f, 1e12f)) return TPI_TEXT("volume must be 0 to 1e12");
    if (def.layers == 0 || (def.vertices && def.layers != 1))
        return TPI_TEXT("layers must be 1 to 4096, and 1 for a mesh");
    const char *text = tpi_cloth_check_wear(&world->def, &def);
    if (text) return text;
    text = def.vertices ? tpi_cloth_check_mesh(world, &def) : cloth_check_grid(&def);
    if (!text) text = tpi_graze_check_sheet(world, &def);
    return text || def.layers == 1 ? text : cloth_check_block(world, &def);
}

/* ---- adding a sheet ---- */

/* Constraints that a sheet may have. */
static uint64_t cloth_most(const tp_cloth_def *def)
{
    if (def->layers > 1u) return tpi_cloth_block_constraints(def);
    uint64_t most = def->vertices ? (uint64_t)def->triangle_count * 3u : 0u;
    for (uint32_t k = 0; k < CLOTH_PATTERNS && !def->vertices; k++) most += cloth_count(def, k);
    return most;
}

static uint32_t cloth_nodes_of(const tp_cloth_def *def)
{
    return def->vertices ? def->vertex_count : def->columns * def->rows * def->layers;
}

/* Spare constraints that the next sheet brings: all, unless the sheets before it did. */
static uint32_t cloth_new_seams(const tp_world *world)
{
    const bool has_seams = tpi_cloth_can_split(&world->def) && tpi_cloth_nodes(world) > 0 &&
                           tpi_cloth_tears_of(world)->seams_max > 0;
    return has_seams ? 0u : tpi_cloth_most_seams(&world->def);
}

static bool cloth_has_capacity(const tp_world *world, const tp_cloth_def *def)
{
    const tpi_cloth_head *head = tpi_cloth_head_of(world);
    bool is_kept = tpi_cloth_nodes(world) > 0;
    uint32_t nodes = cloth_nodes_of(def);
    uint32_t sheets = is_kept ? head->sheets : 0u,
             used = is_kept ? head->begin[TPI_CLOTH_COLOURS] : 0u,
             triangles = is_kept ? head->triangles : 0u, cells = is_kept ? head->cells : 0u;
    if (def->layers > 1u && tpi_cloth_block_cells(def) > tpi_cloth_cells_max(&world->def) - cells)
        return false;
    return nodes <= world->def.particles_max - world->count && nodes <= tpi_ids_left(world) &&
           sheets < world->def.cloth.sheets_max &&
           cloth_most(def) + cloth_new_seams(world) <= world->def.cloth.constraints_max - used &&
           tpi_cloth_most_folds(def) <=
               world->def.cloth.folds_max - (is_kept ? tpi_cloth_folds_end(world) : 0u) &&
           tpi_cloth_triangles(world, def) <= world->def.cloth.triangles_max - triangles;
}

/* Appends the constraints of a pattern from index k on; returns the end. */
static uint32_t cloth_put_pattern(const tp_world *world, const tp_cloth_def *def, uint32_t pattern,
                                  uint32_t first, uint32_t k)
{
    cloth_pattern p = cloth_pattern_of(pattern);
    uint32_t columns = cloth_span(def->columns, p.from[0], p.to[0]),
             rows = cloth_span(def->rows, p.from[1], p.to[1]), width = def->columns;
    float value = p.kind == TP_CLOTH_STRETCH ? def->stretch
                  : p.kind == TP_CLOTH_SHEAR ? def->shear
                                             : def->bend;
    if (!(def->kinds & p.kind)) return k;
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t column = 0; column < columns; column++) {
            if (((p.by_row ? row : column) >> p.shift & 1u) != (pattern & 1u)) continue;
            uint32_t a = first + (row + p.from[1]) * width + column + p.from[0],
                     b = first + (row + p.to[1]) * width + column + p.to[0];
            tpi_cloth_append(world, k++, cloth_colour_of(pattern), a, b, value);
        }
    return k;
}

/* Nodes without tethers: each is its own anchor. */
static void cloth_untether(const tp_world *world, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++) {
        tpi_words(world, world->arrays.own[TPI_CLOTH_ANCHOR])[i] = i;
        tpi_floats(world, world->arrays.own[TPI_CLOTH_REACH])[i] = FLT_MAX;
    }
}

tp_vector tpi_cloth_node_at(const tp_world *world, const tp_cloth_def *def, tp_vector origin,
                            uint32_t k)
{
    if (def->vertices) return tpi_add(origin, tpi_flat(world, def->vertices[k]));
    uint32_t row = k / def->columns;
    tp_vector at = tpi_add_scaled(tpi_add_scaled(origin, def->along, (float)(k % def->columns)),
                                  def->across, (float)(row % def->rows));
    if (row < def->rows) return at;
    return tpi_add_scaled(at, def->deep, (float)(row / def->rows));
}

/* The particles of a sheet; the capacity was checked. */
static tp_result cloth_add_nodes(tp_world *world, const tp_cloth_def *def)
{
    const uint32_t nodes = cloth_nodes_of(def);
    tp_result result = TP_OK;
    for (uint32_t k = 0; k < nodes && result == TP_OK; k++)
        result = tp_particle_add(world, tpi_cloth_node_at(world, def, def->origin, k),
                                 def->velocity, def->species, NULL);
    return result;
}

/* The sheet of the nodes from index `first` to the last one. */
static void cloth_add_sheet(tp_world *world, const tp_cloth_def *def, uint32_t first)
{
    tpi_cloth_head *head = tpi_cloth_head_of(world);
    const uint32_t *ids = tpi_words(world, world->arrays.id);
    if (tpi_cloth_can_split(&world->def)) tpi_cloth_put_seams(world);
    uint32_t k = head->begin[TPI_CLOTH_COLOURS];
    tpi_cloth_sheet sheet = {first, def->columns, def->rows, def->along, def->across, def->tether};
    const uint32_t nodes = world->count - first;
    const bool is_grid = !def->vertices && def->layers == 1u;
    cloth_untether(world, head->nodes, world->count);
    world->kept_hash += tpi_cloth_rest(world, def, head->nodes, first);
    if (tpi_cloth_most_folds(def)) world->kept_hash += tpi_cloth_put_folds(world, def, first, k);
    if (def->vertices) {
        sheet = (tpi_cloth_sheet){.first = first, .columns = def->vertex_count};
        sheet.tether = def->tether;
        k = tpi_cloth_put_mesh(world, def, first, k);
    }
    if (def->layers > 1u) {
        sheet = (tpi_cloth_sheet){.first = first, .columns = nodes};
        sheet.tether = def->tether;
        k = tpi_cloth_put_block(world, def, first, k);
        world->kept_hash += tpi_cloth_put_cells(world, def, first);
    }
    for (uint32_t pattern = 0; pattern < CLOTH_PATTERNS && is_grid; pattern++)
        k = cloth_put_pattern(world, def, pattern, first, k);
    world->kept_hash += tpi_cloth_fold(world, k) + tpi_cloth_put_triangles(world, def, first);
    if (tpi_cloth_wears(&world->def)) {
        world->kept_hash += tpi_cloth_put_strength(world, def, first);
        tpi_cloth_link_sheet(world);
        tpi_cloth_find_edges(world);
        tpi_cloth_count_worn(world);
    }
    if (tpi_def_grazes(&world->def)) tpi_graze_fans(world);
    tpi_cloth_forget_bound(world);
    tpi_cloth_sheets(world)[head->sheets++] = sheet;
    head->nodes = world->count;
    head->first_id = ids[0];
    head->last_id = ids[world->count - 1u];
}

static tp_result cloth_add(tp_world *world, const tp_cloth_def *definition, uint32_t *first_id,
                           bool is_mesh, bool is_block)
{
    uint32_t first = 0, next = 0;
    tp_result result =
        tpi_item_check(world, definition, TPI_STAMP_CLOTH, first_id ? first_id : &next);
    if (result != TP_OK) return result;
    if (is_mesh != (definition->vertices != NULL) || is_block != (definition->layers > 1u) ||
        tp_cloth_check(world, definition))
        return TP_ERROR_DEFINITION;
    tp_cloth_def def = cloth_flat(world, definition);
    if (!cloth_has_capacity(world, &def)) return TP_ERROR_FULL;
    tpi_step_cancel(world);
    if (tpi_cloth_nodes(world) == 0) {
        tpi_memset(tpi_cloth_head_of(world), 0, sizeof(tpi_cloth_head));
        tpi_cloth_clear_ties(world);
        tpi_cloth_clear_folds(world);
        tpi_cloth_clear_tears(world);
        world->kept_hash = 0;
    }
    first = world->count;
    if (first_id) *first_id = world->clock.next_id;
    result = cloth_add_nodes(world, &def);
    if (result == TP_OK) cloth_add_sheet(world, &def, first);
    return result;
}

tp_result tp_cloth_grid(tp_world *world, const tp_cloth_def *definition, uint32_t *first_id)
{
    return cloth_add(world, definition, first_id, false, false);
}

tp_result tp_cloth_mesh(tp_world *world, const tp_cloth_def *definition, uint32_t *first_id)
{
    return cloth_add(world, definition, first_id, true, false);
}

tp_result tp_cloth_block(tp_world *world, const tp_cloth_def *definition, uint32_t *first_id)
{
    return cloth_add(world, definition, first_id, false, true);
}

/* ---- pins ---- */

/* Sheets ascend by their first nodes. */
const tpi_cloth_sheet *tpi_cloth_sheet_of(const tp_world *world, uint32_t index)
{
    const tpi_cloth_sheet *sheets = tpi_cloth_sheets(world);
    uint32_t low = 0;
    for (uint32_t high = tpi_cloth_head_of(world)->sheets; low < high;) {
        uint32_t middle = low + (high - low) / 2u;
        if (sheets[middle].first <= index)
            low = middle + 1u;
        else
            high = middle;
    }
    if (low-- == 0) return NULL;
    return index - sheets[low].first < tpi_cloth_sheet_nodes(&sheets[low]) ? &sheets[low] : NULL;
}

uint32_t tpi_cloth_name(const tp_world *world, uint32_t index)
{
    const bool has_id = !tpi_cloth_can_split(&world->def) || tpi_cloth_sheet_of(world, index);
    return has_id ? tpi_words(world, world->arrays.id)[index] : ~index;
}

/* m: length of the tether between two nodes, and a little more than its rounding. */
static float cloth_apart(const tpi_cloth_sheet *sheet, uint32_t a, uint32_t b)
{
    uint32_t i = a - sheet->first, j = b - sheet->first, width = sheet->columns;
    float columns = (float)(i % width) - (float)(j % width),
          rows = (float)(i / width) - (float)(j / width);
    tp_vector offset = tpi_add_scaled(tpi_scale(sheet->along, columns), sheet->across, rows);
    return 1.00001f * sheet->tether * tpi_length(offset);
}

/* Ties the nodes of a grid to a pinned one that is nearer than their anchors. */
static void cloth_tether_grid(const tp_world *world, const tpi_cloth_sheet *sheet, uint32_t pin)
{
    uint32_t *anchors = tpi_words(world, world->arrays.own[TPI_CLOTH_ANCHOR]);
    float *reaches = tpi_floats(world, world->arrays.own[TPI_CLOTH_REACH]);
    for (uint32_t k = 0; k < sheet->columns * sheet->rows; k++) {
        uint32_t i = sheet->first + k;
        float apart = cloth_apart(sheet, i, pin);
        if (apart >= reaches[i] || (sheet->tether == 0.0f && i != pin)) continue;
        anchors[i] = pin;
        reaches[i] = apart;
    }
}

/* Nodes from a split are in sheets without tethers. */
static void cloth_tether(const tp_world *world, const tpi_cloth_sheet *sheet, uint32_t pin)
{
    if (sheet->tether == 0.0f) {
        tpi_words(world, world->arrays.own[TPI_CLOTH_ANCHOR])[pin] = pin;
        tpi_floats(world, world->arrays.own[TPI_CLOTH_REACH])[pin] = 0.0f;
    } else if (sheet->rows)
        cloth_tether_grid(world, sheet, pin);
    else
        tpi_cloth_tether_mesh(world, sheet, pin);
}

/* Frees a node: those that it held are tied anew. */
static void cloth_free(const tp_world *world, const tpi_cloth_sheet *sheet, uint32_t pin)
{
    const float *reaches = tpi_floats(world, world->arrays.own[TPI_CLOTH_REACH]);
    const uint32_t end = sheet->first + tpi_cloth_sheet_nodes(sheet);
    uint32_t *anchors = tpi_words(world, world->arrays.own[TPI_CLOTH_ANCHOR]);
    cloth_untether(world, pin, pin + 1u);
    for (uint32_t i = sheet->first; i < end; i++)
        if (anchors[i] == pin) cloth_untether(world, i, i + 1u);
    for (uint32_t i = sheet->first; i < end; i++)
        if (reaches[i] == 0.0f) cloth_tether(world, sheet, i);
}

tp_result tp_cloth_pin(tp_world *world, uint32_t id, bool is_pinned)
{
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (world->def.solver != TP_SOLVER_CLOTH) return TP_ERROR_HANDLE;
    uint32_t count = tpi_cloth_nodes(world),
             index = tpi_id_search(tpi_words(world, world->arrays.id), count, id);
    const tpi_cloth_sheet *sheet =
        index == count ? NULL : tpi_cloth_sheet_of(world, tpi_cloth_root(world, index));
    if (!sheet) return TP_ERROR_HANDLE;
    bool was_pinned = tpi_floats(world, world->arrays.own[TPI_CLOTH_REACH])[index] == 0.0f;
    if (was_pinned == is_pinned) return TP_OK;
    tpi_step_cancel(world);
    tpi_cloth_forget_bound(world);
    uint64_t hash = tpi_mix(tpi_cloth_name(world, index));
    world->kept_hash += is_pinned ? hash : 0u - hash;
    tpi_cloth_head_of(world)->pinned += is_pinned ? 1u : 0u - 1u;
    if (is_pinned)
        cloth_tether(world, sheet, index);
    else
        cloth_free(world, sheet, index);
    return TP_OK;
}

/* ---- measuring ---- */

static void cloth_measure_stretch(const tp_world *world, tp_cloth_report *report)
{
    const tpi_cloth_head *head = tpi_cloth_head_of(world);
    const uint32_t *own = world->arrays.own;
    const float *lengths = tpi_cloth_lengths(world, world->front);
    uint32_t held = 0;
    float sum = 0.0f;
    const uint32_t begin = head->begin[TPI_CLOTH_STRETCHES], end = head->begin[TPI_CLOTH_COLOURS];
    for (uint32_t k = begin; k < end; k++) {
        float length = lengths[k];
        float now = tpi_cloth_distance(world, tpi_words(world, own[TPI_CLOTH_FIRST])[k],
                                       tpi_words(world, own[TPI_CLOTH_SECOND])[k]);
        float stretch = now / length - 1.0f;
        if (length < 0.0f) continue;
        if (held++ == 0 || stretch > report->stretch_max) report->stretch_max = stretch;
        sum += stretch;
    }
    if (held) report->stretch = sum / (float)held;
}

/* Spare constraints are none. */
static void cloth_measure_splits(const tp_world *world, tp_cloth_report *report)
{
    if (!tpi_cloth_can_split(&world->def)) return;
    const tpi_cloth_tears *tears = tpi_cloth_tears_of(world);
    report->constraints -= tears->seams_max - tears->seams;
    report->uncoloured -= tears->seams_max - tears->seams;
    report->splits = tears->used;
    report->splits_refused = tears->refused;
}

tp_result tp_cloth_measure(const tp_world *world, tp_cloth_report *report)
{
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (!report) return TP_ERROR_NULL;
    tpi_memset(report, 0, sizeof *report);
    if (world->def.solver != TP_SOLVER_CLOTH) return TP_ERROR_DEFINITION;
    const tpi_cloth_head *head = tpi_cloth_head_of(world);
    if (tpi_cloth_nodes(world) == 0) return TP_OK;
    report->sheets = head->sheets;
    report->nodes = head->nodes;
    report->pinned = head->pinned;
    report->constraints = head->begin[TPI_CLOTH_COLOURS];
    report->triangles = head->triangles;
    report->tetrahedra = TPI_CLOTH_TETRAS * head->cells;
    for (uint32_t k = 0; k < TPI_CLOTH_COLOURS; k++) {
        uint32_t count = head->begin[k + 1u] - head->begin[k];
        if (tpi_cloth_is_uncoloured(k))
            report->uncoloured += count;
        else
            report->colours += count > 0;
    }
    report->folds = tpi_cloth_folds_end(world);
    if (report->folds) report->uncoloured += tpi_cloth_fold_pool(world).begin[1];
    for (uint32_t k = 0; k < report->constraints; k++)
        report->broken +=
            tpi_cloth_lengths(world, world->front)[k] < 0.0f && tpi_cloth_made(world)[k] >= 0.0f;
    cloth_measure_splits(world, report);
    cloth_measure_stretch(world, report);
    tpi_cloth_measure_ties(world, report);
    if (!tpi_cloth_has_springs(&world->def) || !tpi_cloth_bound_of(world)->is_known) return TP_OK;
    report->timestep_stable = tpi_cloth_stable(world);
    report->softened = tpi_cloth_softened(world, world->report.timestep);
    return TP_OK;
}

#undef CLOTH_PATTERNS
