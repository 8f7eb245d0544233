/* SPDX-License-Identifier: MIT
   host_tools/render/fluid2.c - 2D fluids as filled bodies with a lighter outline.
   reads   a render_scene      writes  the canvas
   memory  a grid over the fluid: 12 bytes per node, 4 per node and species, 4 with speeds
   cost    about 2000 sums per particle, four at once; 50 instructions per pixel of the fluid
   after   the surface of Zhu and Bridson 2005: a point is inside if it is nearer than the radius to
           the weighted mean of the positions around it. Limited by a sum of short kernels (Blinn
           1982), so that nothing appears between two distant drops */
#include "render_private.h"
#include <stdlib.h>
#include <string.h>

/* Lengths in spacings of the particles. */
#define WIDE_SUPPORT  2.25f /* of the mean position: longer is smoother */
#define NEAR_SUPPORT  1.45f /* of the sum of kernels, and of species */
#define RADIUS        0.65f /* a flat surface lies 0.5 spacings outside its last particles */
#define NEAR_LIMIT    0.72f /* sum on the surface of a drop of one particle, which has its area */
#define NEAR_SLOPE    0.9f  /* by how much that sum changes over a spacing there */
#define SPACING_LEAST 1.5f  /* in pixels */

#define VECTOR      4     /* numbers that are added at once */
#define PHASES      4     /* positions of a particle within a node, per axis, that have tables */
#define SUPPORT_MAX 16.0f /* nodes; larger kernels have nodes several pixels apart */
#define LEVELS      255   /* of speed in the table of colours */
#define FAR_OUT     (-4.0f)
#define RIM         0.28f /* width of the lighter rim in spacings */
#define RIM_MOST    0.4f  /* the same in pictures with a pixel or two for each particle */
#define RIM_LIGHT   0.42f

/* Sums over particles: w, w (x - node), w (y - node), w speed with the wide kernel; w of each
   species with the near one. */
typedef enum fluid_plane { PLANE_WEIGHT, PLANE_X, PLANE_Y, PLANE_SPEED, PLANE_SPECIES } fluid_plane;
#define PLANES (PLANE_SPECIES + RENDER_SPECIES)

#define ROWS_MAX 48 /* of a kernel: 2 * (SUPPORT_MAX + 1) + 1, rounded up */

/* Kernel at PHASES x PHASES positions of a particle: squares of side x side nodes. */
typedef struct fluid_kernel {
    int32_t reach, side;
    float *weight, *x, *y; /* x, y: NULL for the near kernel */
    /* of each row the columns that are not 0, in multiples of VECTOR */
    int32_t first[ROWS_MAX], end[ROWS_MAX];
} fluid_kernel;

/* A node of the surface: distance to the outline in pixels (positive inside), and the colour. */
typedef struct fluid_node {
    float inside, red, green, blue;
} fluid_node;

typedef struct fluid_frame {
    const render_scene *scene;
    canvas *target;
    const view2 *view;
    int32_t step;  /* pixels between nodes */
    float spacing; /* nodes */
    fluid_kernel wide, near;
    int32_t left, top, width, height; /* of the grid: nodes */
    float *planes[PLANES];            /* NULL: not needed */
    float *memory;
    fluid_node *rows[2];
    float colours[RENDER_SPECIES][LEVELS + 1][3];
    float speed_scale;
} fluid_frame;

/* ---- kernels */

static void fill_square(fluid_kernel *kernel, size_t table, float support, float across, float down)
{
    bool is_wide = kernel->x != NULL;
    for (int32_t row = 0; row < kernel->side; row++) {
        for (int32_t column = 0; column < kernel->side; column++) {
            float x = across - (float)(column - kernel->reach),
                  y = down - (float)(row - kernel->reach);
            float inner = 1 - (x * x + y * y) / (support * support);
            size_t at = (table * (size_t)kernel->side + (size_t)row) * (size_t)kernel->side +
                        (size_t)column;
            float weight = inner > 0 ? inner * inner * (is_wide ? inner : 1) : 0;
            kernel->weight[at] = weight;
            if (weight > 0 && column < kernel->first[row])
                kernel->first[row] = column / VECTOR * VECTOR;
            if (weight > 0 && column >= kernel->end[row])
                kernel->end[row] = (column / VECTOR + 1) * VECTOR;
            if (is_wide) {
                kernel->x[at] = weight * x;
                kernel->y[at] = weight * y;
            }
        }
    }
}

static bool make_kernel(fluid_kernel *kernel, float support, bool is_wide)
{
    kernel->reach = (int32_t)support + 1;
    kernel->side = (2 * kernel->reach + VECTOR) / VECTOR * VECTOR;
    for (int32_t row = 0; row < kernel->side; row++) {
        kernel->first[row] = kernel->side;
        kernel->end[row] = 0;
    }
    size_t size = (size_t)kernel->side * (size_t)kernel->side * PHASES * PHASES;
    kernel->weight = malloc(size * (is_wide ? 3 : 1) * sizeof *kernel->weight);
    if (!kernel->weight) return false;
    kernel->x = is_wide ? kernel->weight + size : NULL;
    kernel->y = is_wide ? kernel->weight + 2 * size : NULL;
    for (size_t table = 0; table < PHASES * PHASES; table++)
        fill_square(kernel, table, support, ((float)(table % PHASES) + 0.5f) / PHASES,
                    ((float)(table / PHASES) + 0.5f) / PHASES);
    return true;
}

/* ---- the grid */

/* A particle in nodes: its node, and the index of the tables for its position within that node. */
typedef struct fluid_place {
    int32_t x, y;
    size_t table;
} fluid_place;

static bool place_of(const fluid_frame *frame, size_t particle, fluid_place *place)
{
    const float *position = frame->scene->positions + particle * 3;
    float step = (float)frame->step, margin = (float)frame->wide.reach;
    float x = (frame->view->left + position[0] * frame->view->scale) / step - 0.5f,
          y = (frame->view->bottom - position[1] * frame->view->scale) / step - 0.5f;
    if (!(x > -margin && x < (float)frame->target->width / step + margin)) return false;
    if (!(y > -margin && y < (float)frame->target->height / step + margin)) return false;
    place->x = (int32_t)floorf(x);
    place->y = (int32_t)floorf(y);
    size_t column = (size_t)((x - (float)place->x) * PHASES),
           row = (size_t)((y - (float)place->y) * PHASES);
    place->table = row * PHASES + column;
    return true;
}

/* Finds the nodes that particles of the fluid reach; false if there are none. */
static bool find_grid(fluid_frame *frame, bool has_species[RENDER_SPECIES])
{
    int32_t left = INT32_MAX, right = INT32_MIN, top = INT32_MAX, bottom = INT32_MIN;
    fluid_place place;
    for (size_t i = 0; i < frame->scene->particle_count; i++) {
        if (!scene_is_fluid(frame->scene, i) || !place_of(frame, i, &place)) continue;
        left = place.x < left ? place.x : left;
        right = place.x > right ? place.x : right;
        top = place.y < top ? place.y : top;
        bottom = place.y > bottom ? place.y : bottom;
        has_species[scene_species(frame->scene, i)] = true;
    }
    if (left > right) return false;
    frame->left = left - frame->wide.reach;
    frame->top = top - frame->wide.reach;
    frame->width = right - left + 1 + frame->wide.side;
    frame->height = bottom - top + 1 + frame->wide.side;
    return true;
}

static bool reserve_grid(fluid_frame *frame, const bool has_species[RENDER_SPECIES])
{
    size_t count = 3, size = (size_t)frame->width * (size_t)frame->height;
    bool has_speeds = frame->scene->colour_by != RENDER_BY_SPECIES && frame->speed_scale > 0;
    for (int s = 0; s < RENDER_SPECIES; s++) count += has_species[s];
    if (has_speeds) count++;
    frame->memory = calloc(size * count, sizeof *frame->memory);
    for (int r = 0; r < 2; r++)
        frame->rows[r] = malloc((size_t)frame->width * sizeof *frame->rows[r]);
    if (!frame->memory || !frame->rows[0] || !frame->rows[1]) return false;
    float *next = frame->memory;
    for (int plane = 0; plane < PLANES; plane++) {
        bool is_needed = plane < PLANE_SPEED    ? true
                         : plane == PLANE_SPEED ? has_speeds
                                                : has_species[plane - PLANE_SPECIES];
        if (!is_needed) continue;
        frame->planes[plane] = next;
        next += size;
    }
    return true;
}

/* ---- splats */

/* Where the square of a kernel starts in its table and in the planes. */
typedef struct fluid_square {
    size_t from, to;
} fluid_square;

static fluid_square square_of(const fluid_frame *frame, const fluid_kernel *kernel,
                              const fluid_place *place)
{
    return (fluid_square){place->table * (size_t)kernel->side * (size_t)kernel->side,
                          (size_t)(place->y - kernel->reach - frame->top) * (size_t)frame->width +
                              (size_t)(place->x - kernel->reach - frame->left)};
}

/* sums[i] += terms[i] * scale, for a multiple of VECTOR numbers. */
static inline void add_row(float *restrict sums, const float *restrict terms, int32_t count,
                           float scale)
{
    for (int32_t i = 0; i < count; i += VECTOR)
        for (int32_t k = 0; k < VECTOR; k++) sums[i + k] += terms[i + k] * scale;
}

static void add_wide(const fluid_frame *frame, const fluid_place *place, float speed)
{
    const fluid_kernel *kernel = &frame->wide;
    fluid_square at = square_of(frame, kernel, place);
    for (int32_t row = 0; row < kernel->side; row++) {
        int32_t first = kernel->first[row], count = kernel->end[row] - first;
        size_t from = at.from + (size_t)first, to = at.to + (size_t)first;
        add_row(frame->planes[PLANE_WEIGHT] + to, kernel->weight + from, count, 1);
        add_row(frame->planes[PLANE_X] + to, kernel->x + from, count, 1);
        add_row(frame->planes[PLANE_Y] + to, kernel->y + from, count, 1);
        if (speed > 0)
            add_row(frame->planes[PLANE_SPEED] + to, kernel->weight + from, count, speed);
        at.from += (size_t)kernel->side;
        at.to += (size_t)frame->width;
    }
}

static void add_near(const fluid_frame *frame, const fluid_place *place, uint32_t species)
{
    const fluid_kernel *kernel = &frame->near;
    fluid_square at = square_of(frame, kernel, place);
    for (int32_t row = 0; row < kernel->side; row++) {
        int32_t first = kernel->first[row], count = kernel->end[row] - first;
        add_row(frame->planes[PLANE_SPECIES + species] + at.to + first,
                kernel->weight + at.from + first, count, 1);
        at.from += (size_t)kernel->side;
        at.to += (size_t)frame->width;
    }
}

static void add_particles(const fluid_frame *frame)
{
    fluid_place place;
    for (size_t i = 0; i < frame->scene->particle_count; i++) {
        if (!scene_is_fluid(frame->scene, i) || !place_of(frame, i, &place)) continue;
        float speed = frame->planes[PLANE_SPEED]
                          ? clamp01(scene_particle_speed(frame->scene, i) * frame->speed_scale)
                          : 0;
        add_wide(frame, &place, speed);
        add_near(frame, &place, scene_species(frame->scene, i));
    }
}

/* ---- nodes */

static void fill_colours(fluid_frame *frame)
{
    for (uint32_t species = 0; species < RENDER_SPECIES; species++) {
        for (int level = 0; level <= LEVELS; level++) {
            render_colour colour =
                scene_colour(frame->scene, species, (float)level / (float)LEVELS);
            float *to = frame->colours[species][level];
            to[0] = (float)colour_red(colour);
            to[1] = (float)colour_green(colour);
            to[2] = (float)colour_blue(colour);
        }
    }
}

/* The two species with the largest sums at a node. */
typedef struct fluid_mix {
    int first, second;
    float first_sum, second_sum, sum;
} fluid_mix;

static fluid_mix mix_at(const fluid_frame *frame, size_t at)
{
    fluid_mix mix = {0, 0, 0, 0, 0};
    for (int s = 0; s < RENDER_SPECIES; s++) {
        if (!frame->planes[PLANE_SPECIES + s]) continue;
        float value = frame->planes[PLANE_SPECIES + s][at];
        mix.sum += value;
        if (value > mix.first_sum) {
            mix.second = mix.first;
            mix.second_sum = mix.first_sum;
            mix.first = s;
            mix.first_sum = value;
        } else if (value > mix.second_sum) {
            mix.second = s;
            mix.second_sum = value;
        }
    }
    return mix;
}

/* Colour of a node: of the species with the largest sum, blended over one node at an interface. */
static void colour_node(const fluid_frame *frame, size_t at, const fluid_mix *mix, fluid_node *node)
{
    float speed = frame->planes[PLANE_SPEED]
                      ? clamp01(frame->planes[PLANE_SPEED][at] / frame->planes[PLANE_WEIGHT][at])
                      : 0;
    int level = (int)(speed * LEVELS + 0.5f);
    const float *first = frame->colours[mix->first][level],
                *second = frame->colours[mix->second][level];
    /* the difference of the sums changes by 2 over about a spacing */
    float lead = (mix->first_sum - mix->second_sum) / mix->sum * frame->spacing * 0.5f;
    float share = 1 - clamp01(0.5f + lead);
    node->red = first[0] + (second[0] - first[0]) * share;
    node->green = first[1] + (second[1] - first[1]) * share;
    node->blue = first[2] + (second[2] - first[2]) * share;
}

static void resolve_row(const fluid_frame *frame, int32_t row, fluid_node *nodes)
{
    size_t at = (size_t)(row - frame->top) * (size_t)frame->width;
    float step = (float)frame->step, radius = RADIUS * frame->spacing,
          slope = frame->spacing / NEAR_SLOPE;
    for (int32_t i = 0; i < frame->width; i++, at++) {
        fluid_node *node = &nodes[i];
        *node = (fluid_node){FAR_OUT * step, 0, 0, 0};
        float weight = frame->planes[PLANE_WEIGHT][at];
        if (!(weight > 0)) continue;
        fluid_mix mix = mix_at(frame, at);
        if (!(mix.sum > 0)) continue;
        float x = frame->planes[PLANE_X][at], y = frame->planes[PLANE_Y][at];
        float inside = radius - sqrtf(x * x + y * y) / weight,
              limit = (mix.sum - NEAR_LIMIT) * slope;
        node->inside = fmaxf(inside < limit ? inside : limit, FAR_OUT) * step;
        colour_node(frame, at, &mix, node);
    }
}

/* ---- pixels */

static void paint(uint8_t *pixel, const fluid_node *node, float rim)
{
    float cover = node->inside + 0.5f, colour[3] = {node->red, node->green, node->blue};
    if (!(cover > 0)) return;
    if (cover > 1) cover = 1;
    float light = RIM_LIGHT * clamp01(1 - node->inside / rim);
    for (int channel = 0; channel < 3; channel++) {
        float level = colour[channel] + (255 - colour[channel]) * light,
              below = (float)pixel[channel];
        pixel[channel] = (uint8_t)(below + (level - below) * cover + 0.5f);
    }
}

static fluid_node between(const fluid_node *a, const fluid_node *b, float share)
{
    return (fluid_node){
        a->inside + (b->inside - a->inside) * share, a->red + (b->red - a->red) * share,
        a->green + (b->green - a->green) * share, a->blue + (b->blue - a->blue) * share};
}

/* Colours of a node outside the fluid are none: the other node's is taken. */
static fluid_node join(const fluid_node *a, const fluid_node *b, float share)
{
    fluid_node joined = between(a, b, share);
    float out = FAR_OUT * 0.999f;
    const fluid_node *only = !(a->red + a->green + a->blue > 0) && a->inside < out   ? b
                             : !(b->red + b->green + b->blue > 0) && b->inside < out ? a
                                                                                     : NULL;
    if (!only) return joined;
    return (fluid_node){joined.inside, only->red, only->green, only->blue};
}

static void paint_row(const fluid_frame *frame, int32_t y, float down, float rim)
{
    float step = (float)frame->step;
    int32_t first = (frame->left + 1) * frame->step,
            last = (frame->left + frame->width - 2) * frame->step;
    first = first < 0 ? 0 : first;
    last = last > frame->target->width ? frame->target->width : last;
    const fluid_node *upper = frame->rows[0], *lower = frame->rows[1];
    for (int32_t x = first; x < last; x++) {
        uint8_t *pixel = canvas_at(frame->target, x, y);
        if (frame->step == 1) {
            paint(pixel, &upper[x - frame->left], rim);
            continue;
        }
        float across = ((float)x + 0.5f) / step - 0.5f;
        int32_t column = (int32_t)floorf(across);
        float share = across - (float)column;
        const fluid_node *a = upper + (column - frame->left), *b = lower + (column - frame->left);
        fluid_node top = join(&a[0], &a[1], share), bottom = join(&b[0], &b[1], share);
        fluid_node node = join(&top, &bottom, down);
        paint(pixel, &node, rim);
    }
}

/* Resolves the rows of nodes one after the other, and paints the pixels between two. */
static void paint_all(fluid_frame *frame)
{
    float step = (float)frame->step, rim = frame->spacing * step;
    rim = fminf(fmaxf(1.5f, RIM * rim), RIM_MOST * rim);
    int32_t first = (frame->top + 1) * frame->step,
            last = (frame->top + frame->height - 2) * frame->step, resolved = INT32_MIN;
    first = first < 0 ? 0 : first;
    last = last > frame->target->height ? frame->target->height : last;
    for (int32_t y = first; y < last; y++) {
        float down = ((float)y + 0.5f) / step - 0.5f;
        int32_t row = (int32_t)floorf(down);
        if (row != resolved) {
            fluid_node *free_row = frame->rows[0];
            frame->rows[0] = frame->rows[1];
            frame->rows[1] = free_row;
            if (row - 1 != resolved || frame->step == 1) resolve_row(frame, row, frame->rows[0]);
            if (frame->step > 1) resolve_row(frame, row + 1, frame->rows[1]);
            resolved = row;
        }
        paint_row(frame, y, down - (float)row, rim);
    }
}

/* ---- the frame */

int fluid2_draw(const render_scene *scene, const view2 *view, canvas *target)
{
    fluid_frame frame = {.scene = scene, .target = target, .view = view};
    bool has_species[RENDER_SPECIES] = {false};
    float spacing = fmaxf(scene_spacing(scene) * view->scale, SPACING_LEAST);
    if (!isfinite(spacing) || spacing > CANVAS_SIDE_MAX) spacing = CANVAS_SIDE_MAX;
    frame.step = (int32_t)ceilf(spacing * WIDE_SUPPORT / SUPPORT_MAX);
    frame.spacing = spacing / (float)frame.step;
    frame.speed_scale = scene_speed_scale(scene);
    bool is_ready = make_kernel(&frame.wide, WIDE_SUPPORT * frame.spacing, true) &&
                    make_kernel(&frame.near, NEAR_SUPPORT * frame.spacing, false);
    if (is_ready && find_grid(&frame, has_species)) {
        is_ready = reserve_grid(&frame, has_species);
        if (is_ready) {
            fill_colours(&frame);
            add_particles(&frame);
            paint_all(&frame);
        }
    }
    free(frame.wide.weight);
    free(frame.near.weight);
    free(frame.memory);
    free(frame.rows[0]);
    free(frame.rows[1]);
    return is_ready ? HOST_DONE : HOST_OUT_OF_MEMORY;
}
