/* SPDX-License-Identifier: MIT
   host_tools/light/links.c - the links of patches and probes, and the file that holds them.
   reads   patches      writes  the bytes of a .tpl file (FORMAT.md)
   memory  the file, a tree      cost    a ray for each link to a patch, four to a cluster
   after   a cluster counts as a whole if it is far and its normals are within 60 degrees; at the
           cap of links the row is made again, coarser */
#include "patches.h"
#include "../common/host.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI         3.14159265358979323846
#define CONE       0.5  /* cosine of 60 degrees */
#define LEAST      1e-7 /* weights below are left out */
#define COARSER    1.25
#define SHARES_MAX 65534.0

light_options light_default_options(void) { return (light_options){.theta = .4, .links_max = 256}; }

/* ---- form factors */

bool light_patch_measure(light_patch *patch)
{
    const light_point *c = patch->corner;
    light_point side = light_minus(&c[1], &c[0]), other = light_minus(&c[2], &c[0]);
    if (patch->corners == 4) {
        side = light_minus(&c[2], &c[0]);
        other = light_minus(&c[3], &c[1]);
    }
    light_point normal = light_cross(&side, &other);
    double length = sqrt(light_dot(&normal, &normal));
    patch->area = length / 2;
    for (uint32_t k = 0; k < 3; k++) {
        double sum = 0;
        for (uint32_t i = 0; i < patch->corners; i++) sum += c[i].of[k];
        patch->position.of[k] = sum / patch->corners;
        patch->normal.of[k] = length > 0 ? normal.of[k] / length : 0;
    }
    return patch->area >= 1e-12 && patch->area <= 1e17;
}

double light_factor(const light_patch *from, const light_patch *to, bool is_raw)
{
    light_point way = light_minus(&to->position, &from->position);
    double square = light_dot(&way, &way);
    double near = light_dot(&way, &from->normal), far = -light_dot(&way, &to->normal);
    if (!(near > 0) || !(far > 0)) return 0;
    double spread = PI * square + (is_raw ? 0 : to->area);
    return near * far / square / spread * to->area;
}

/* ---- a row */

typedef struct row_link {
    uint32_t node;
    double weight;
} row_link;

typedef struct row_maker {
    const light_tree *tree;
    const light_options *options;
    light_point point;
    const light_point *normal; /* NULL: a probe */
    uint32_t patch;            /* its own; none for a probe */
    double theta, cone;
    row_link *links;
    uint32_t count, room;
} row_maker;

/* A probe's weight is a share of the whole sphere. */
static double node_weight(const row_maker *maker, const light_node *node)
{
    light_point way = light_minus(&node->position, &maker->point);
    double square = light_dot(&way, &way), length = sqrt(square);
    double far = -light_dot(&way, &node->projected);
    double near = maker->normal ? light_dot(&way, maker->normal) : length / 4;
    if (!(near > 0) || !(far > 0)) return 0;
    double spread = PI * square + (maker->options->is_raw ? 0 : (double)node->area);
    return near * far / square / spread;
}

/* The share of a node that is seen, by one ray for each patch, at most four. */
static double node_seen(const row_maker *maker, const light_node *node)
{
    const light_tree *tree = maker->tree;
    uint32_t rays = node->count < 4 ? node->count : 4, seen = 0;
    for (uint32_t k = 0; k < rays; k++) {
        uint32_t place = node->first + (uint32_t)((uint64_t)node->count * (2 * k + 1) / (2 * rays));
        uint32_t patch = tree->order[place];
        seen += light_tree_sees(tree, &maker->point, &tree->patches[patch].position, maker->patch,
                                patch);
    }
    return (double)seen / rays;
}

static bool is_whole(const row_maker *maker, uint32_t at)
{
    const light_node *node = &maker->tree->nodes[at];
    if (at < maker->tree->count) return true;
    light_point way = light_minus(&node->position, &maker->point);
    return node->cone >= maker->cone && node->radius < maker->theta * sqrt(light_dot(&way, &way));
}

/* False: more links than there is room for. */
static bool collect(row_maker *maker)
{
    uint32_t stack[64], depth = 0;
    const light_tree *tree = maker->tree;
    stack[depth++] = tree->node_count - 1;
    maker->count = 0;
    while (depth) {
        uint32_t at = stack[--depth];
        const light_node *node = &tree->nodes[at];
        if (!is_whole(maker, at)) {
            stack[depth++] = node->part[1];
            stack[depth++] = node->part[0];
            continue;
        }
        if (at == maker->patch) continue;
        double weight = node_weight(maker, node);
        if (weight >= LEAST) weight *= node_seen(maker, node);
        if (weight < LEAST) continue;
        if (maker->count == maker->room) return false;
        maker->links[maker->count++] = (row_link){at, weight};
    }
    return true;
}

static int compare_links(const void *left, const void *right)
{
    const row_link *a = left, *b = right;
    return a->node < b->node ? -1 : a->node > b->node;
}

/* Coarser up to theta 1e3 and any cone, where at most the root is divided. */
static void make_row(row_maker *maker)
{
    maker->theta = maker->options->theta;
    maker->cone = CONE;
    while (!collect(maker) && maker->theta < 1e3) {
        maker->theta *= COARSER;
        if (maker->theta > 1) maker->cone -= .1;
    }
    qsort(maker->links, maker->count, sizeof *maker->links, compare_links);
    double sum = 0;
    for (uint32_t k = 0; k < maker->count; k++) sum += maker->links[k].weight;
    bool scales = sum > 1 || (maker->options->is_closed && sum > 0);
    for (uint32_t k = 0; scales && k < maker->count; k++) maker->links[k].weight /= sum;
}

/* ---- the file */

typedef struct file_bytes {
    uint8_t *bytes;
    size_t size, room;
    bool is_full; /* memory was insufficient */
} file_bytes;

static void put_word(file_bytes *file, uint32_t word)
{
    uint8_t *bytes = host_lengthen(file->bytes, file->size + 4, &file->room, 1);
    if (!bytes) {
        file->is_full = true;
        return;
    }
    file->bytes = bytes;
    for (uint32_t k = 0; k < 4; k++) bytes[file->size++] = (uint8_t)(word >> (8 * k));
}

static void set_word(file_bytes *file, size_t at, uint32_t word)
{
    for (uint32_t k = 0; k < 4; k++) file->bytes[at + k] = (uint8_t)(word >> (8 * k));
}

static void put_float(file_bytes *file, double value)
{
    float number = (float)value;
    uint32_t word;
    memcpy(&word, &number, sizeof word);
    put_word(file, word);
}

static void put_point(file_bytes *file, const light_point *point)
{
    for (uint32_t k = 0; k < 3; k++) put_float(file, point->of[k]);
}

/* Shares are steps of the sum of weights so far, rounded down: the row's sum is kept, and never
   exceeded. */
static uint32_t put_row(file_bytes *rows, file_bytes *links, const row_maker *maker,
                        uint32_t link_count)
{
    double most = 0, sum = 0, last = 0;
    for (uint32_t k = 0; k < maker->count; k++) most = fmax(most, maker->links[k].weight);
    float scale = (float)(most / SHARES_MAX);
    for (uint32_t k = 0; k < maker->count && scale > 0; k++) {
        sum += maker->links[k].weight;
        double next = floor(sum / (double)scale);
        uint32_t share = (uint32_t)(next - last);
        last = next;
        if (!share) continue;
        put_word(links, maker->links[k].node | share << 16);
        link_count++;
    }
    put_word(rows, link_count);
    put_float(rows, (double)scale);
    return link_count;
}

static void put_nodes(file_bytes *file, const light_tree *tree)
{
    for (uint32_t i = 0; i < tree->node_count; i++) {
        put_point(file, &tree->nodes[i].position);
        put_float(file, (double)tree->nodes[i].area);
    }
    for (uint32_t i = 0; i < tree->count; i++) {
        const light_patch *patch = &tree->patches[i];
        put_point(file, &patch->normal);
        for (uint32_t k = 0; k < 3; k++) put_float(file, (double)patch->albedo[k]);
        for (uint32_t k = 0; k < 3; k++) put_float(file, (double)patch->emission[k]);
    }
    for (uint32_t i = tree->count; i < tree->node_count; i++)
        put_word(file, tree->nodes[i].part[0] | tree->nodes[i].part[1] << 16);
}

/* ---- all rows */

typedef struct light_grid {
    light_point low;
    double spacing;
    uint32_t size[3], count;
} light_grid;

/* Probes half a spacing within the box of all patches. */
static int make_grid(const light_tree *tree, double spacing, light_grid *grid)
{
    const light_node *all = &tree->nodes[tree->node_count - 1];
    double count = 1;
    *grid = (light_grid){.spacing = spacing};
    if (!(spacing > 0)) return HOST_DONE;
    for (uint32_t k = 0; k < 3; k++) {
        double side = all->high.of[k] - all->low.of[k], cells = floor(side / spacing + 1e-9);
        cells = fmin(fmax(cells, 1), 1e6);
        count *= cells;
        grid->size[k] = (uint32_t)cells;
        grid->low.of[k] = all->low.of[k] + (side - (cells - 1) * spacing) / 2;
    }
    if (count > TP_PROBES_MAX || fmax(grid->size[0], fmax(grid->size[1], grid->size[2])) > 1024)
        return host_error(HOST_USAGE, "light", HOST_NO_OFFSET,
                          "--probes %g makes too many: at most 65536, and 1024 in a row", spacing);
    grid->count = (uint32_t)count;
    return HOST_DONE;
}

static light_point probe_at(const light_grid *grid, uint32_t probe)
{
    uint32_t at[3] = {probe % grid->size[0], probe / grid->size[0] % grid->size[1],
                      probe / grid->size[0] / grid->size[1]};
    light_point point;
    for (uint32_t k = 0; k < 3; k++) point.of[k] = grid->low.of[k] + at[k] * grid->spacing;
    return point;
}

/* A probe is in a wall if most of what it could see shows its back. */
static bool is_in_wall(const light_tree *tree, const light_point *point)
{
    double front = 0, back = 0;
    for (uint32_t i = 0; i < tree->count; i++) {
        const light_patch *patch = &tree->patches[i];
        light_point way = light_minus(&patch->position, point);
        double square = light_dot(&way, &way) + patch->area;
        double facing = -light_dot(&way, &patch->normal) * patch->area / (square * sqrt(square));
        if (!light_tree_sees(tree, point, &patch->position, i, i)) continue;
        if (facing > 0)
            front += facing;
        else
            back -= facing;
    }
    return back > front;
}

static int put_rows(file_bytes *rows, file_bytes *links, row_maker *maker, const light_grid *grid,
                    uint32_t *link_count)
{
    const light_tree *tree = maker->tree;
    host_progress progress;
    uint32_t all = tree->count + grid->count;
    int code = HOST_DONE;
    host_progress_start(&progress, "linking", all, maker->options->is_quiet);
    for (uint32_t i = 0; i < all && !code; i++) {
        bool is_probe = i >= tree->count, is_buried = false;
        maker->patch = is_probe ? UINT32_MAX : i;
        maker->normal = is_probe ? NULL : &tree->patches[i].normal;
        maker->point = is_probe ? probe_at(grid, i - tree->count) : tree->patches[i].position;
        if (is_probe) is_buried = is_in_wall(tree, &maker->point);
        maker->count = 0;
        if (!is_buried) make_row(maker);
        *link_count = put_row(rows, links, maker, *link_count);
        if (rows->is_full || links->is_full) code = host_out_of_memory("the links");
        host_progress_update(&progress, i + 1);
    }
    host_progress_end(&progress);
    return code;
}

static void put_head(file_bytes *file, const light_tree *tree, const light_grid *grid)
{
    put_word(file, 0x014c5054u);
    for (uint32_t k = 0; k < 2; k++) put_word(file, 0); /* size and checksum, at the end */
    put_word(file, tree->count);
    put_word(file, tree->node_count);
    put_word(file, grid->count);
    put_word(file, 0); /* links, at the end */
    put_point(file, &grid->low);
    put_float(file, grid->spacing);
    for (uint32_t k = 0; k < 3; k++) put_word(file, grid->size[k]);
    for (uint32_t k = 0; k < 2; k++) put_word(file, 0);
}

static void put_all(file_bytes *file, const file_bytes *part)
{
    for (size_t at = 0; at < part->size; at += 4)
        put_word(file, (uint32_t)part->bytes[at] | (uint32_t)part->bytes[at + 1] << 8 |
                           (uint32_t)part->bytes[at + 2] << 16 |
                           (uint32_t)part->bytes[at + 3] << 24);
}

static void finish(file_bytes *file, uint32_t link_count)
{
    uint32_t sum = 2166136261u;
    set_word(file, 4, (uint32_t)file->size);
    set_word(file, 24, link_count);
    for (size_t at = 12; at < file->size; at += 4)
        sum = (sum ^ ((uint32_t)file->bytes[at] | (uint32_t)file->bytes[at + 1] << 8 |
                      (uint32_t)file->bytes[at + 2] << 16 | (uint32_t)file->bytes[at + 3] << 24)) *
              16777619u;
    set_word(file, 8, sum);
}

int light_build(const light_patch *patches, uint32_t count, const light_options *options,
                uint8_t **bytes, size_t *size)
{
    light_tree tree;
    light_grid grid = {0};
    file_bytes file = {0}, rows = {0}, links = {0};
    row_maker maker = {.tree = &tree, .options = options, .room = options->links_max};
    uint32_t link_count = 0;
    int code = light_tree_build(&tree, patches, count);
    maker.links = host_allocate(maker.room, sizeof *maker.links);
    if (!code && !maker.links) code = host_out_of_memory("the links");
    if (!code) code = make_grid(&tree, options->probes, &grid);
    if (!code) code = put_rows(&rows, &links, &maker, &grid, &link_count);
    if (!code) {
        put_head(&file, &tree, &grid);
        put_nodes(&file, &tree);
        put_all(&file, &rows);
        put_all(&file, &links);
        if (file.is_full) code = host_out_of_memory("the file");
    }
    if (!code) finish(&file, link_count);
    free(maker.links);
    free(rows.bytes);
    free(links.bytes);
    light_tree_free(&tree);
    if (code) free(file.bytes);
    *bytes = code ? NULL : file.bytes;
    *size = file.size;
    return code;
}
