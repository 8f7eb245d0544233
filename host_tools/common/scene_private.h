/* SPDX-License-Identifier: MIT
   host_tools/common/scene_private.h - what the files of the scene parser share: tables of fields, and the reader.
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
    SCENE_CHOICE, /* uint32_t or an enum: place in `choices` */
    SCENE_VECTOR, /* tp_vector */
    SCENE_REALS,  /* double[3] */
    SCENE_TEXT,   /* char * */
    SCENE_OWN     /* `own` reads it */
} scene_value;

typedef struct scene_reader scene_reader;

/* One field of a section. */
typedef struct scene_key {
    const char *name;
    const char *alias; /* what the runtime calls it, where that differs */
    scene_value value;
    words_kind unit;
    uint32_t offset;            /* in the section's item */
    double low, high;           /* of every number, inclusive; both 0: whatever the runtime allows */
    const char *const *choices; /* NULL behind the last */
    const char *(*own)(scene_reader *reader, void *item, const char *text); /* NULL, or what is wrong */
    bool repeats;
} scene_key;

/* One kind of section. */
typedef struct scene_section {
    const char *name, *alias;
    const scene_key *keys;
    size_t key_count;
    bool is_named;       /* the heading has a name, and there may be several */
    const char *allowed; /* an example of a field, for messages */
} scene_section;

typedef enum scene_section_kind {
    SCENE_WORLD,
    SCENE_SPH,
    SCENE_PAIR,
    SCENE_SUBSTEPS,
    SCENE_SPECIES,
    SCENE_EMITTER,
    SCENE_BODY,
    SCENE_SINK,
    SCENE_FIELD,
    SCENE_COLLIDER,
    SCENE_MOTION,
    SCENE_CACHE,
    SCENE_CAMERA,
    SCENE_RUN,
    SCENE_SECTIONS
} scene_section_kind;

extern const scene_section scene_sections[SCENE_SECTIONS];

struct scene_reader {
    scene *target;
    uint32_t line;
    scene_section_kind kind; /* of the open section; SCENE_SECTIONS before the first */
    void *item;              /* that its fields go to */
    scene_place *place;
    char problem[200]; /* text of a message, for readers of fields that make one */
};

/* Fields that need more than a row in the table. */
const char *scene_read_fps(scene_reader *reader, void *item, const char *text);
const char *scene_read_arrangement(scene_reader *reader, void *item, const char *text);
const char *scene_read_pair_arrangement(scene_reader *reader, void *item, const char *text);
const char *scene_read_periodic(scene_reader *reader, void *item, const char *text);
const char *scene_read_rest_density(scene_reader *reader, void *item, const char *text);
const char *scene_read_colour(scene_reader *reader, void *item, const char *text);
const char *scene_read_body_size(scene_reader *reader, void *item, const char *text);
const char *scene_read_rate(scene_reader *reader, void *item, const char *text);
const char *scene_read_burst(scene_reader *reader, void *item, const char *text);
const char *scene_read_emitter_mesh(scene_reader *reader, void *item, const char *text);
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
const char *scene_read_axis(scene_reader *reader, void *item, const char *text);
const char *scene_read_pose(scene_reader *reader, void *item, const char *text);
const char *scene_read_picture_size(scene_reader *reader, void *item, const char *text);
const char *scene_read_view(scene_reader *reader, void *item, const char *text);

/* Row of the field in the section's table, by its name or what the runtime calls it; key_count when there is none. */
size_t scene_find_key(const scene_section *section, const char *name, size_t length);
/* `tidepool: FILE:LINE: field 'KEY': TEXT`; without a key the field is left out. Returns HOST_BAD_INPUT. */
int scene_problem(const scene *source, uint32_t line, const char *key, const char *format, ...);
/* The same with a sentence of a tp_*_check, which begins with the field's name there, in the words
   of the scene's file and with the line of the field here. */
int scene_refused(const scene *source, scene_section_kind kind, const scene_place *place,
                  const char *sentence);
/* Notes what is allowed, and probably not meant. */
void scene_warn(const scene *source);
/* Appends the numbers of a line to a collider's samples; NULL, or `wrong` with the text in it. */
const char *scene_read_samples(scene_reader *reader, scene_collider *collider, const char *text,
                               const char *wrong);
/* Line of a field of a section, or of its heading when it is not given. */
uint32_t scene_line_of(const scene_place *place, scene_section_kind kind, const char *key);
/* A grid's counts and samples from what its section says. */
int scene_resolve_grid(scene *target, scene_collider *collider);
/* Room for the links of all bodies. */
int scene_resolve_bodies(scene *target);
/* Their particles and links, now. */
int scene_add_bodies(const scene *source, tp_world *world);
/* What is between the sections: names that refer to one another, ticks, capacities, generated heights. */
int scene_resolve(scene *target);

#endif
