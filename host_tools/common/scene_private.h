/* SPDX-License-Identifier: MIT
   host_tools/common/scene_private.h - shared by the files of the scene parser: tables of fields,
           and the reader.
   reads   -      writes  -
   memory  malloc      cost    -
   after   own design */
#ifndef TIDEPOOL_SCENE_PRIVATE_H
#define TIDEPOOL_SCENE_PRIVATE_H
#include "scene.h"
#include "words.h"

typedef enum scene_value {
    SCENE_NUMBER, /* float */
    SCENE_REAL,   /* double */
    SCENE_COUNT,  /* uint32_t */
    SCENE_YES,    /* bool: yes or no */
    SCENE_CHOICE, /* uint32_t or an enum: index in `choices` */
    SCENE_VECTOR, /* tp_vector */
    SCENE_REALS,  /* double[3] */
    SCENE_TEXT,   /* char * */
    SCENE_OWN     /* read by the function `own` */
} scene_value;

typedef struct scene_reader scene_reader;

/* One field of a section. */
typedef struct scene_key {
    const char *name;
    const char *alias; /* name in the runtime, if different */
    scene_value value;
    words_kind unit;
    uint32_t offset; /* offset in the item of the section */
    /* inclusive limits of every number; both 0: checked by the runtime only */
    double low, high;
    const char *const *choices; /* ends with NULL */
    const char *(*own)(scene_reader *reader, void *item,
                       const char *text); /* returns NULL, or the text of the error */
    bool repeats;
} scene_key;

/* One kind of section. */
typedef struct scene_section {
    const char *name, *alias;
    const scene_key *keys;
    size_t key_count;
    bool is_named;       /* the heading has a name; there may be several sections of this kind */
    const char *allowed; /* an example of a field, for messages */
} scene_section;

typedef enum scene_section_kind {
    SCENE_WORLD,
    SCENE_SPH,
    SCENE_HEAT,
    SCENE_PAIR,
    SCENE_CLOTH,
    SCENE_VORTEX,
    SCENE_SUBSTEPS,
    SCENE_SPECIES,
    SCENE_EMITTER,
    SCENE_BODY,
    SCENE_SHEET,
    SCENE_RING,
    SCENE_SINK,
    SCENE_FIELD,
    SCENE_COLLIDER,
    SCENE_MOTION,
    SCENE_CACHE,
    SCENE_CAMERA,
    SCENE_RUN,
    SCENE_START,
    SCENE_SECTIONS
} scene_section_kind;

extern const scene_section scene_sections[SCENE_SECTIONS];

struct scene_reader {
    scene *target;
    uint32_t line;
    scene_section_kind kind; /* kind of the open section; SCENE_SECTIONS before the first */
    void *item;              /* item that its fields are stored in */
    scene_mark *mark;
    char problem[200]; /* buffer for the error text of a field reader */
};

/* Readers of fields that need more than a row in the table. Each returns NULL, or the text of the
   error. */
const char *scene_read_fps(scene_reader *reader, void *item, const char *text);
const char *scene_read_arrangement(scene_reader *reader, void *item, const char *text);
const char *scene_read_pair_arrangement(scene_reader *reader, void *item, const char *text);
const char *scene_read_periodic(scene_reader *reader, void *item, const char *text);
const char *scene_read_follow(scene_reader *reader, void *item, const char *text);
const char *scene_read_mix(scene_reader *reader, void *item, const char *text);
const char *scene_read_rest_density(scene_reader *reader, void *item, const char *text);
const char *scene_read_colour(scene_reader *reader, void *item, const char *text);
const char *scene_read_background(scene_reader *reader, void *item, const char *text);
const char *scene_read_body_size(scene_reader *reader, void *item, const char *text);
const char *scene_read_body_pin(scene_reader *reader, void *item, const char *text);
const char *scene_read_rate(scene_reader *reader, void *item, const char *text);
const char *scene_read_burst(scene_reader *reader, void *item, const char *text);
const char *scene_read_feed(scene_reader *reader, void *item, const char *text);
const char *scene_read_over_age(scene_reader *reader, void *item, const char *text);
const char *scene_read_emitter_mesh(scene_reader *reader, void *item, const char *text);
const char *scene_read_sheet_mesh(scene_reader *reader, void *item, const char *text);
const char *scene_read_pin(scene_reader *reader, void *item, const char *text);
const char *scene_read_tie(scene_reader *reader, void *item, const char *text);
const char *scene_read_emitter_turn(scene_reader *reader, void *item, const char *text);
const char *scene_read_emitter_size(scene_reader *reader, void *item, const char *text);
const char *scene_read_sink_normal(scene_reader *reader, void *item, const char *text);
const char *scene_read_field_axis(scene_reader *reader, void *item, const char *text);
const char *scene_read_collider_turn(scene_reader *reader, void *item, const char *text);
const char *scene_read_collider_normal(scene_reader *reader, void *item, const char *text);
const char *scene_read_collider_half(scene_reader *reader, void *item, const char *text);
const char *scene_read_heights(scene_reader *reader, void *item, const char *text);
const char *scene_read_distance(scene_reader *reader, void *item, const char *text);
const char *scene_read_collider_mesh(scene_reader *reader, void *item, const char *text);
const char *scene_read_rooms(scene_reader *reader, void *item, const char *text);
const char *scene_read_chain(scene_reader *reader, void *item, const char *text);
const char *scene_read_polygon(scene_reader *reader, void *item, const char *text);
const char *scene_read_points(scene_reader *reader, void *item, const char *text);
const char *scene_read_row(scene_reader *reader, void *item, const char *text);
const char *scene_read_axis(scene_reader *reader, void *item, const char *text);
const char *scene_read_pose(scene_reader *reader, void *item, const char *text);
const char *scene_read_picture_size(scene_reader *reader, void *item, const char *text);
const char *scene_read_view(scene_reader *reader, void *item, const char *text);

/* Row of the field in the table of the section, by its name or its name in the runtime; key_count:
   none. */
size_t scene_find_key(const scene_section *section, const char *name, size_t length);
/* Prints `tidepool: FILE:LINE: field 'KEY': TEXT`, without the field if key is NULL. Returns
   HOST_BAD_INPUT. */
int scene_problem(const scene *source, uint32_t line, const char *key, const char *format, ...);
/* The same for a sentence of a tp_*_check function, which begins with the name of a runtime field:
   translates it to the names of the scene file, and finds the line of the field. */
int scene_refused(const scene *source, scene_section_kind kind, const scene_mark *mark,
                  const char *sentence);
/* Prints notes about a scene that is valid but probably not intended. */
void scene_warn(const scene *source);
/* Appends the numbers of a line to the samples of a collider. NULL, or the error: `wrong` formatted
   with the text. */
const char *scene_read_samples(scene_reader *reader, scene_collider *collider, const char *text,
                               const char *wrong);
/* Line of a field of a section; line of the heading if the field is not given. */
uint32_t scene_line_of(const scene_mark *mark, scene_section_kind kind, const char *key);
/* Computes the sample counts and samples of a distance grid. */
int scene_resolve_grid(scene *target, scene_collider *collider);
/* Joins the edges of a mesh in 2D, and reads its files. */
int scene_resolve_level(scene *target, scene_collider *collider);
/* Sets the capacity for the links of all bodies. */
int scene_resolve_bodies(scene *target);
/* Adds the particles and links of all bodies to the world. */
int scene_add_bodies(const scene *source, tp_world *world);
/* Sets the capacity for the vortons of all rings. */
int scene_resolve_rings(scene *target);
/* Adds the vortons and tracers of all rings to the world. */
int scene_add_rings(const scene *source, tp_world *world);
/* Checks the pins of all sheets, and sets the capacities for them. */
int scene_resolve_sheets(scene *target);
/* Adds all sheets to an empty world, and pins their nodes. */
int scene_add_sheets(const scene *source, tp_world *world);
uint64_t scene_nodes_of(const scene_sheet *sheet);
/* Position at rest of a node. */
tp_vector scene_node_place(const scene_sheet *sheet, uint32_t node);
int scene_resolve_ties(scene *target);
/* After the sheets and colliders. */
int scene_add_ties(const scene *source, tp_world *world);
void scene_free_ties(scene_sheet *sheet);
/* Pinned nodes that move with a collider get their velocities until that time. */
void scene_move_sheets(const scene *source, tp_world *world, double seconds);
void scene_free_sheets(scene *target);
/* Puts the particles of the start into the world, whose clock is then at that frame. */
int scene_start_world(scene *source, tp_world *world);
/* Removes the particles whose death is due before a frame begins. */
void scene_start_move(const scene *source, tp_world *world, uint64_t frame);
void scene_free_start(scene *target);
/* Where a point is that moves with a body from one pose to another one. */
tp_vector scene_carry(tp_pose start, tp_pose end, tp_vector point);
/* After parsing: resolves names between sections, converts times to ticks, computes capacities and
   generated heights. */
int scene_resolve(scene *target);
/* Extends a box to the nodes of all sheets, and to where they can hang. */
void scene_sheet_bounds(const scene *source, float low[3], float high[3]);
void scene_choose_view(scene *target);

#endif
