/* SPDX-License-Identifier: MIT
   host_tools/render/render.h - pictures of particles: canvas, scene, contact sheet, PNG, GIF, Y4M,
           SVG charts.
   reads   positions, velocities, species      writes  files, which get their name only when
           complete
   memory  malloc, freed by the matching call  cost    stated at each call; one thread
   after   own design; the sources of the file formats are named in the files that write them */
#ifndef TIDEPOOL_RENDER_H
#define TIDEPOOL_RENDER_H
#include "../common/host.h"

/* 0xRRGGBBAA: sRGB with straight (not premultiplied) alpha. */
typedef uint32_t render_colour;

render_colour render_rgb(uint32_t red, uint32_t green, uint32_t blue);
/* The colour with another opacity, 0..255. */
render_colour render_fade(render_colour colour, uint32_t alpha);
/* Linear interpolation between two colours; amount is clamped to 0..1. */
render_colour render_mix(render_colour from, render_colour to, float amount);
/* Colour map for magnitudes, from blue to pale yellow with linear lightness; amount is clamped to
   0..1. */
render_colour render_heat(float amount);
/* Default colours of species, distinguishable also by colour-blind viewers; repeats after
   RENDER_SPECIES. */
#define RENDER_SPECIES 8
render_colour render_species_colour(uint32_t species);

/* ---- canvas: rows from the top, 4 bytes per pixel (red, green, blue, alpha); x right, y down,
   pixel centres at +0.5. Every drawing call clips to the canvas. A NaN coordinate draws nothing. */
#define CANVAS_SIDE_MAX 16384
typedef struct canvas {
    int32_t width, height;
    uint8_t *pixels;
} canvas;
typedef struct canvas_point {
    float x, y;
} canvas_point;
typedef struct canvas_box {
    float left, top, right, bottom;
} canvas_box;

/* Creates a black, opaque canvas; NULL if a side is outside 1..CANVAS_SIDE_MAX or memory is
   insufficient. */
canvas *canvas_create(int32_t width, int32_t height);
void canvas_free(canvas *target);
void canvas_fill(canvas *target, render_colour colour);
/* Vertical gradient over the whole canvas. */
void canvas_gradient(canvas *target, render_colour top, render_colour bottom);
/* Copies `source` with its upper left corner at (x, y). */
void canvas_copy(canvas *target, int32_t x, int32_t y, const canvas *source);
/* Filled shapes with antialiased edges. Cost: the pixels covered. */
void canvas_rectangle(canvas *target, canvas_box box, render_colour colour);
void canvas_disc(canvas *target, float x, float y, float radius, render_colour colour);
/* A disc shaded like a glossy ball lit from the upper left. */
void canvas_bead(canvas *target, float x, float y, float radius, render_colour colour);
/* A round splat whose opacity falls smoothly to zero at the radius. */
void canvas_glow(canvas *target, float x, float y, float radius, render_colour colour);
/* Fills a convex polygon, in either winding, with at most 16 corners. Cost: its bounding box. */
void canvas_convex(canvas *target, const canvas_point *corners, size_t count, render_colour colour);
/* Strokes with round ends; `width` in pixels. */
void canvas_line(canvas *target, canvas_point from, canvas_point to, float width,
                 render_colour colour);
void canvas_ring(canvas *target, canvas_point centre, float radius, float width,
                 render_colour colour);
/* Text in the built-in font, ASCII 32..126 (other bytes show as a box); `at` is the upper left
   corner of the first cell. At scale 1 a cell has CANVAS_CELL_WIDTH x CANVAS_CELL_HEIGHT pixels;
   larger scales are smoothed. */
#define CANVAS_CELL_WIDTH  6
#define CANVAS_CELL_HEIGHT 10
void canvas_text(canvas *target, canvas_point at, int32_t scale, render_colour colour,
                 const char *text);
int32_t canvas_text_width(const char *text, int32_t scale);

/* ---- one frame of particles */
typedef enum render_colour_by {
    RENDER_BY_SPECIES,          /* flat colour of the species */
    RENDER_BY_SPEED,            /* colour map over speed / speed_max */
    RENDER_BY_VALUE,            /* colour map over values, from value_low to value_high */
    RENDER_BY_SPECIES_AND_SPEED /* the species' colour, paler at high speed, like foam */
} render_colour_by;

typedef enum render_shape_kind {
    RENDER_PLANE,   /* a: a point of it, b: normal, towards the particles */
    RENDER_SPHERE,  /* a: centre, radius */
    RENDER_CAPSULE, /* a, b: ends of the axis, radius */
    RENDER_BOX,     /* a: centre, b: half extents, rotation */
    RENDER_POLYLINE /* points: x, y, z each */
} render_shape_kind;

/* A collider to draw. Solid ones are filled (2D) or shaded (3D: sphere, capsule, box). Inner ones,
   which contain the particles, are drawn as outlines. */
typedef struct render_shape {
    render_shape_kind kind;
    bool inner;
    float a[3], b[3];
    float radius;
    float rotation[4]; /* quaternion w, x, y, z; all zero means none */
    const float *points;
    size_t point_count;
} render_shape;

typedef struct render_camera {
    float yaw, pitch; /* degrees; yaw 0 looks along -z (z-up: +y), pitch > 0 from above */
    float distance;   /* world units from the centre of the bounds; 0: fits the bounds */
} render_camera;
/* Parses "fit" or "yaw,pitch,distance"; for other text returns false and leaves the camera
   unchanged. */
bool render_camera_parse(const char *text, render_camera *camera);

typedef struct render_scene {
    int32_t dimensions;                 /* 2: x right, y up, orthographic; 3: perspective */
    int32_t up_axis;                    /* 3D: 1 y-up, 2 z-up */
    float bounds_min[3], bounds_max[3]; /* visible region; the floor in 3D is at its lower end */
    render_camera camera;               /* 3D only */
    const float *positions;             /* x, y, z each */
    const float *velocities;            /* x, y, z each; NULL: at rest */
    const uint8_t *species;             /* NULL: all 0 */
    size_t particle_count;
    float radius; /* radius of the drawn balls, world units */
    /* 3D: surfaces, such as cloth: indices of three particles each, which are not drawn as balls */
    const uint32_t *triangles;
    size_t triangle_count;
    /* species that are drawn as fluids, a bit each; 0: all particles are balls */
    uint32_t fluids;
    uint32_t smokes; /* 3D: species that are drawn as clouds of smoke, a bit each */
    uint32_t hidden; /* species that are not drawn */
    float spacing;   /* distance of neighbouring particles of a fluid; 0: radius / 0.6 */
    render_colour_by colour_by;
    /* world units/s at the end of the colour map; 0: largest speed of this frame */
    float speed_max;
    const float *values; /* one per particle, for example temperatures; NULL: all are value_low */
    float value_low, value_high;
    /* K: smoke whose value is so many kelvins above 293 K is as bright as the lamp; 0: dark */
    float glow;
    const char *value_name; /* in the legend of values; NULL: not shown */
    render_colour species_colours[RENDER_SPECIES];
    render_colour background_top, background_bottom;
    const render_shape *shapes;
    size_t shape_count;
    const char *title; /* upper left; NULL: none */
    const char *label; /* upper right, for example "t 1.25 s  frame 75"; NULL: none */
    /* legend, unless coloured by speed; NULL: not shown */
    const char *species_names[RENDER_SPECIES];
    int32_t text_scale; /* 0: chosen from the canvas */
    /* 2D: a canvas from render_backdrop, which is copied instead of drawn again */
    const canvas *backdrop;
} render_scene;

/* Dark background, default colours, 2D, no particles. */
render_scene render_default_scene(void);
/* Draws the parts of a 2D scene that are equal in all of its frames: background, shapes, title and
   legend. */
void render_backdrop(const render_scene *scene, canvas *target);
/* Draws the frame over the whole canvas. Returns HOST_DONE, or HOST_OUT_OF_MEMORY if memory is
   insufficient (3D, fluids). Cost 2D: pixels of the discs or kernels. 3D: O(n) for n particles, and
   about 600 ns and 33 bytes per pixel. */
int render_draw(const render_scene *scene, canvas *target);

/* ---- contact sheet: frames in a grid, captions below */
typedef struct sheet_plan {
    int32_t columns, count;          /* grid columns; number of cells */
    int32_t cell_width, cell_height; /* pixels of one frame */
    const char *title, *subtitle;    /* NULL: none */
    render_colour background;        /* 0: the default scene's */
} sheet_plan;
/* Creates an empty sheet with its title; NULL as for canvas_create. */
canvas *sheet_create(const sheet_plan *plan);
/* Draws frame `index` (0..count-1) and its caption, for example "1.25 s", into its cell. */
void sheet_add(canvas *sheet, const sheet_plan *plan, int32_t index, const canvas *frame,
               const char *caption);

/* ---- compression: a zlib stream (RFC 1950) of `bytes` in malloc memory.
   Uses the compressor of this folder, or zlib if built with TIDEPOOL_ZLIB. HOST_OUT_OF_MEMORY if
   memory is insufficient. */
int deflate_zlib(const uint8_t *bytes, size_t size, uint8_t **packed, size_t *packed_size);

/* ---- PNG: 24 bits per pixel, or 32 if a pixel is not opaque. */
int png_write(const char *path, const canvas *picture);

/* ---- animated GIF, streamed: memory for two frames and 5 MB for the palette, independent of the
   length. */
typedef struct gif_options {
    int32_t width, height;
    /* delays are rounded to 1/100 s without drift; browsers slow down above 50 */
    double frames_per_second;
    /* 1/100 s: extra duration of the last frame before the loop restarts */
    uint32_t hold;
    uint32_t colours; /* 2..255; 0: 255 */
    bool dither;      /* ordered dithering, 4 x 4 */
} gif_options;
typedef struct gif_writer gif_writer;
int gif_open(gif_writer **writer, const char *path, const gif_options *options);
/* Counts a picture's colours for the palette. Call it for some frames spread over the animation
   before the first gif_add; otherwise only the colours of the first frame are counted. */
int gif_learn(gif_writer *writer, const canvas *picture);
int gif_add(gif_writer *writer, const canvas *picture);
/* Palette index of a colour without dithering, and the palette (3 bytes per entry). */
uint32_t gif_index_of(gif_writer *writer, const uint8_t *rgb);
const uint8_t *gif_palette(const gif_writer *writer, uint32_t *count);
/* Frees the writer. With keep = false, or after an error, no file remains. */
int gif_close(gif_writer *writer, bool keep);

/* ---- Y4M, uncompressed video for any encoder: BT.601, limited range. */
typedef struct y4m_options {
    int32_t width, height;
    uint32_t rate_numerator, rate_denominator; /* frames per second */
    /* false: C444; true: C420jpeg, chroma at half resolution */
    bool subsampled;
} y4m_options;
typedef struct y4m_writer {
    host_output output;
    y4m_options options;
    uint8_t *planes;
    bool failed;
} y4m_writer;
int y4m_open(y4m_writer *writer, const char *path, const y4m_options *options);
int y4m_add(y4m_writer *writer, const canvas *picture);
int y4m_close(y4m_writer *writer, bool keep);

/* ---- SVG chart: panels stacked over one x axis. */
typedef enum chart_style { CHART_LINE, CHART_AREA, CHART_STEP } chart_style;
#define CHART_SERIES_MAX 8
typedef struct chart_series {
    const char *name;     /* legend */
    const double *values; /* one per x; values that are not finite leave a gap */
    size_t count;
    chart_style style;
    render_colour colour; /* 0: default by index */
} chart_series;
/* Heat map: rows of cells over the x axis, the first at the bottom; the largest value is the
   darkest. */
typedef struct chart_strips {
    const double *values; /* [row][column], not negative */
    size_t rows, columns;
    double x_step;            /* width of a column */
    const char *const *names; /* of rows; NULL: none */
} chart_strips;
typedef struct chart_panel {
    const char *title; /* "work" */
    const char *unit;  /* "units / frame"; NULL: none */
    chart_series series[CHART_SERIES_MAX];
    size_t series_count;
    bool has_reference; /* dashed horizontal line */
    double reference;
    const char *reference_name; /* "budget"; NULL: its value */
    bool from_zero;             /* the axis includes 0 */
    int32_t height;             /* pixels; 0: 150 */
    const chart_strips *strips; /* instead of series; NULL: none */
} chart_panel;
/* 2D heat map, below the panels, with its own axes, drawn to scale. */
typedef struct chart_map {
    const char *title, *unit; /* NULL: none */
    const double *values;     /* [row][column], the first row at the bottom; not negative */
    size_t rows, columns;
    const char *const *names; /* names of cells, and their shares as text; NULL: none */
    const char *const *texts;
    const char *x_name, *y_name;
    double low[2], high[2]; /* ends of the axes */
} chart_map;
typedef struct chart {
    const char *title, *subtitle; /* NULL: none */
    const char *x_name;           /* "frame" */
    double x_first, x_step;       /* x of value i is x_first + i * x_step; step 0 means 1 */
    const chart_panel *panels;
    size_t panel_count;
    int32_t width;        /* pixels; 0: 900 */
    bool x_is_exponent;   /* x is an exponent of ten: ticks at integers, labelled with the power */
    const chart_map *map; /* NULL: none */
} chart;
/* Cost: O(values); the file has at most about 2 points of 30 bytes per pixel column and series. */
int chart_write(const char *path, const chart *plan);

#endif
