/* SPDX-License-Identifier: MIT
   host_tools/common/scene.h - scenes: the text that describes a world, what moves in it, and how to show it.
   reads   .scene files (host_tools/scenes/FORMAT.md), .obj meshes, the scenes inside the program
   writes  definitions of the runtime, worlds in the caller's block
   memory  malloc, freed by scene_free; none while a world is simulated      cost    one pass over the text
   after   own design: one table row per field; every mistake is reported with its line */
#ifndef TIDEPOOL_SCENE_H
#define TIDEPOOL_SCENE_H
#include "host.h"
#include "tidepool.h"

#define SCENE_KEYS_MAX 40u

/* Where something stands in the text: for messages. */
typedef struct scene_place {
    char *name;                     /* of the section; "" when it has none */
    uint32_t line;                  /* of its heading; 0: the scene has no such section */
    uint32_t lines[SCENE_KEYS_MAX]; /* of each field by its row in the table of the section; 0: not given */
} scene_place;

/* One key pose of a motion. */
typedef struct scene_pose {
    uint32_t frame;
    double position[3];
    double turn[3]; /* degrees about x, then y, then z */
} scene_pose;

typedef enum scene_plane { SCENE_PLANE_XY, SCENE_PLANE_XZ, SCENE_PLANE_YZ } scene_plane;

/* How a collider or an emitter moves. Everything is added to the pose in its own section. */
typedef struct scene_motion {
    scene_place place;
    double swing[3]; /* m: there and back, sin(2 pi t / period) */
    double circle;   /* m: radius of a circle around the place */
    scene_plane plane;
    double period;     /* s */
    double phase;      /* degrees */
    double spin;       /* degrees a second */
    double rock;       /* degrees, as swing */
    double axis[3];    /* of spin and rock, unit */
    double ramp;       /* s until full speed */
    double start;      /* s */
    double stop;       /* s; 0: never */
    scene_pose *poses; /* replace the pose of the target */
    size_t pose_count;
    bool moves_emitter;
    size_t target; /* place in the emitters or colliders */
} scene_motion;

typedef struct scene_species {
    scene_place place;
    tp_species def;
    uint32_t colour; /* 0xRRGGBBAA, 0: by number */
    double lattice;  /* m: at rest with this spacing; 0: rest density as given */
} scene_species;

typedef struct scene_emitter {
    scene_place place;
    tp_emitter_def def;
    char *species;   /* name, resolved when all sections are read */
    double lifetime; /* s */
    tp_vector *vertices;
    uint32_t *indices;
    tp_emitter handle;
} scene_emitter;

/* A lattice of particles, each linked to those within reach of it. */
typedef struct scene_body {
    scene_place place;
    tp_vector position, size, velocity; /* of its middle; half sides; m, m/s */
    double lattice;                     /* m */
    double reach;                       /* spacings, at most 3; 0: no links */
    float stiffness, damping;           /* N/m, N s/m */
    double breaks;                      /* of the length at rest; 0: never */
    char *species;                      /* name */
    uint32_t species_place;
} scene_body;

typedef struct scene_sink {
    scene_place place;
    tp_sink_def def;
    char *species; /* names */
    double age;    /* s */
    tp_sink handle;
} scene_sink;

typedef struct scene_field {
    scene_place place;
    tp_field_def def;
    char *species;
    tp_field handle;
} scene_field;

typedef enum scene_solid { SCENE_SPHERE, SCENE_BOX, SCENE_TORUS, SCENE_SOLIDS } scene_solid;

/* What a distance grid is made of, from its middle. */
typedef struct scene_distance {
    scene_solid solid;
    bool is_cut;    /* taken away from what is there so far, instead of added to it */
    double size[3]; /* m: radius; half sides; radius of the ring, and of its tube */
    double center[3];
} scene_distance;

typedef struct scene_collider {
    scene_place place;
    tp_collider_def def;
    char *species;
    bool is_hidden; /* not drawn */
    float *samples;
    size_t sample_count;
    double wave_height, wave_length; /* m: generated heights */
    double slope;                    /* m a m along local x, added to generated heights */
    bool has_waves;
    scene_distance *distances;
    size_t distance_count;
    tp_vector *vertices;
    uint32_t *indices;
    tp_collider handle;
} scene_collider;

typedef enum scene_colouring { SCENE_BY_SPECIES, SCENE_BY_SPEED, SCENE_BY_SPECIES_AND_SPEED } scene_colouring;

/* A whole scene. */
typedef struct scene {
    char *path;   /* as given, for messages */
    char *name;   /* base name: of output files */
    char *folder; /* that paths in it are relative to */
    scene_place world_place, sph_place, pair_place, substeps_place, cache_place, camera_place, run_place;
    char *title;
    tp_world_def world;
    scene_species species[TP_SPECIES_MAX];
    scene_emitter *emitters;
    scene_body *bodies;
    scene_sink *sinks;
    scene_field *fields;
    scene_collider *colliders;
    scene_motion *motions;
    size_t species_count, emitter_count, body_count, sink_count, field_count, collider_count, motion_count;
    /* cache */
    uint32_t cache_frames; /* 0: all frames of the run */
    uint32_t cache_bytes;  /* 0: what those frames need */
    uint32_t cache_step;
    uint32_t cache_policy;   /* 0: evict the oldest frames, 1: stop */
    uint32_t cache_group;    /* frames that are packed together; 1: each for itself, in every bit */
    float cache_error;       /* m, of positions in groups; 0: in every bit */
    float cache_speed_error; /* m/s, likewise of velocities */
    uint32_t cache_streams;  /* 0: all, 1: positions and velocities, 2: positions alone; ids always */
    /* camera */
    tp_vector view_low, view_high;
    bool view_is_chosen; /* from the walls and emitters, not given */
    uint32_t width, height;
    char *view; /* "fit" or "yaw,pitch,distance" */
    scene_colouring colouring;
    float speed_max;    /* m/s at the end of the colour map; 0: by the frame */
    float drawn_radius; /* m; 0: the species' */
    /* run */
    uint32_t frames;
    uint32_t work;      /* units per frame; 0: no limit */
    uint32_t budget_us; /* 0: no limit */
    uint32_t pictures;  /* on the contact sheet */
} scene;

/* Reads a file, "-", or a scene shipped with the program by its name. HOST_DONE, or an error already printed; then the
   scene is empty. */
int scene_load(scene *target, const char *path);
/* HOST_BAD_INPUT with the error printed when the path is a scene's, where a sequence of frames is
   expected. */
int scene_run_first(const char *path);
/* The same as scene_load from text in memory; `folder` is what paths in it are relative to. */
int scene_parse(scene *target, const char *path, const char *folder, const char *text);
void scene_free(scene *target);

/* Names of the shipped scenes, and their text; NULL behind the last. */
const char *scene_shipped_name(size_t index);
/* In malloc memory; NULL when no scene has that name or memory is short. */
char *scene_shipped_text(const char *name);

/* The world as a source for the scene's cache: with its error bounds. */
tp_source scene_source(const scene *source, tp_world *world);
/* The definition of that cache, for a run of so many frames. */
tp_cache_def scene_cache(const scene *source, const tp_source *world, uint32_t frames);
/* Creates the world in `block` and fills it. HOST_DONE, or an error already printed with the line it comes from. */
int scene_create_world(scene *source, void *block, size_t bytes, tp_world **world);
/* Bytes of that block. */
int scene_memory(const scene *source, size_t *bytes);
/* Sets emitters and colliders on their way to where they are at the end of simulated frame `frame` (1 is the first).
   To be called before that frame is begun. Allocates nothing. */
void scene_move(const scene *source, tp_world *world, uint64_t frame);
/* Seconds of a frame. */
double scene_frame_seconds(const scene *source);
/* Where the target of a motion is at a time in seconds. */
tp_pose scene_motion_pose(const scene *source, const scene_motion *motion, double seconds);
/* The pose of a collider at that time, moved or not, as the runtime takes it: of a grid that of its first sample. */
tp_pose scene_collider_pose(const scene *source, size_t collider, double seconds);

/* ---- parts that the files of the parser share */

/* Reads triangles from a Wavefront .obj file; `path` is relative to the scene's folder. NULL, or what is wrong. */
const char *scene_read_obj(const char *path, tp_vector **vertices, uint32_t *vertex_count, uint32_t **indices,
                           uint32_t *triangle_count);
/* Degrees about x, then y, then z. Own sine: the same bits with every C library. */
tp_quaternion scene_turn(const double degrees[3]);
/* The turn from local +y to a direction; the identity for a zero one. */
tp_quaternion scene_turn_to(const double direction[3]);
double scene_sine(double turns); /* of 2 pi turns */
/* Rest density for a particle of mass 1 with which a square or cubic lattice of this spacing is at rest: the solver's
   pressures, which push, and its shortfall of density, which pulls, balance there (the sum of force times distance over
   the neighbours is zero). */
double scene_balanced_density(const tp_world_def *def, double spacing);
/* Points of a lattice that lie inside a box of these half sides. */
uint32_t scene_lattice_count(uint32_t dimensions, const tp_vector *half, double spacing);

#endif
