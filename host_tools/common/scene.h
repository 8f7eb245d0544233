/* SPDX-License-Identifier: MIT
   host_tools/common/scene.h - scenes: text files that describe a world, its motions, and its
           pictures.
   reads   .scene files (host_tools/scenes/FORMAT.md), .obj and .ply meshes, levels (level.h), the
           scenes inside the program
   writes  definitions of the runtime, worlds in the caller's block
   memory  malloc, freed by scene_free; no allocation during simulation      cost    one pass over
           the text
   after   own design: one table row per field; every error is reported with its line */
#ifndef TIDEPOOL_SCENE_H
#define TIDEPOOL_SCENE_H
#include "host.h"
#include "level.h"
#include "tidepool.h"

#define SCENE_KEYS_MAX 41u

/* Lines of a section and its fields in the text, for messages. */
typedef struct scene_mark {
    char *name;    /* name of the section, or "" */
    uint32_t line; /* line of its heading; 0: the scene has no such section */
    /* line of each field, by its row in the section table; 0: not given */
    uint32_t lines[SCENE_KEYS_MAX];
} scene_mark;

/* One key pose of a motion. */
typedef struct scene_pose {
    uint32_t frame;
    double position[3];
    double turn[3]; /* degrees about x, then y, then z */
} scene_pose;

typedef enum scene_plane { SCENE_PLANE_XY, SCENE_PLANE_XZ, SCENE_PLANE_YZ } scene_plane;

/* Motion of a collider or an emitter. It is added to the pose given in the section of its
   target. */
typedef struct scene_motion {
    scene_mark mark;
    double swing[3]; /* m: amplitude of a sine, sin(2 pi t / period) */
    double circle;   /* m: radius of a circle around the position */
    scene_plane plane;
    double period;     /* s */
    double phase;      /* degrees */
    double spin;       /* degrees per second */
    double rock;       /* degrees: amplitude of a sine, as swing */
    double axis[3];    /* unit axis of spin and rock */
    double ramp;       /* s until full speed */
    double start;      /* s */
    double stop;       /* s; 0: never */
    scene_pose *poses; /* key poses; they replace the pose of the target */
    size_t pose_count;
    bool moves_emitter;
    size_t target; /* index in the emitters or colliders */
} scene_motion;

typedef struct scene_species {
    scene_mark mark;
    tp_species def;
    uint32_t colour; /* 0xRRGGBBAA; 0: from the palette, by index */
    /* m: rest density is that of a lattice with this spacing; 0: rest density as given */
    double lattice;
} scene_species;

typedef struct scene_emitter {
    scene_mark mark;
    tp_emitter_def def;
    char *species;   /* name, resolved after all sections are read */
    double lifetime; /* s */
    char *feed_species;
    double feed_time; /* s; 0: a frame */
    tp_vector *vertices;
    uint32_t *indices;
    tp_emitter handle;
} scene_emitter;

/* Shares of two species' viscosity and cohesion; the names are resolved after all sections. */
typedef struct scene_mix {
    char *first, *second;
    uint32_t line;
} scene_mix;

/* Which particles of a body pins hold. */
typedef enum scene_pinned {
    SCENE_PINNED_NONE,
    SCENE_PINNED_CORNERS,
    SCENE_PINNED_RIM
} scene_pinned;

/* A lattice of particles with links (springs) between neighbours. */
typedef struct scene_body {
    scene_mark mark;
    tp_vector position, size, velocity; /* m: centre; m: half sides; m/s */
    double lattice;                     /* m */
    /* largest length of a link in spacings, at most 3; 0: no links */
    double reach;
    float stiffness, damping; /* N/m, N s/m */
    /* a link breaks at this multiple of its rest length; 0: never */
    double breaks;
    char *species; /* name */
    uint32_t species_place;
    scene_pinned pinned;
} scene_body;

/* A vortex ring: vortons along a circle, tracers in the tube around it. */
typedef struct scene_ring {
    scene_mark mark;
    tp_vector position,
        normal;          /* m: centre; the side to which it moves if circulation is above 0 */
    double radius, tube; /* m */
    double circulation;  /* m^2/s */
    double waviness;     /* of the radius, along `waves` waves */
    uint32_t waves, vortons, tracers;
    char *species, *smoke; /* names, of the vortons and of the tracers */
    uint32_t vorton_place, tracer_place;
} scene_ring;

/* Pinned nodes of a sheet. */
typedef enum scene_pin_kind { SCENE_PIN_VERTEX, SCENE_PIN_ROW, SCENE_PIN_COLUMN } scene_pin_kind;
typedef struct scene_pin {
    scene_pin_kind kind;
    uint32_t number;
} scene_pin;

/* A node of a sheet that is tied to one of another sheet, or to where it is on a collider. */
typedef struct scene_tie {
    uint32_t node, other, line; /* nodes count from the first one of their sheet */
    bool has_other;
    char *name;    /* of the sheet or collider */
    size_t target; /* that one */
} scene_tie;

/* A sheet of cloth, a rope, or a mesh. Sheets get the first ids of a scene. */
typedef struct scene_sheet {
    scene_mark mark;
    tp_cloth_def def;
    char *species;   /* name */
    char *leader;    /* name of a collider that takes the pinned nodes along; NULL: none */
    size_t collider; /* that one */
    uint32_t first;  /* id of its first node */
    scene_pin *pins;
    size_t pin_count;
    scene_tie *ties;
    size_t tie_count;
    float tie_compliance, tie_strength;
    float fold; /* above 0: folds instead of bend */
    tp_vector *vertices;
    uint32_t *indices;
    uint32_t up; /* axis of the mesh that points up: 0 y, 1 z */
} scene_sheet;

typedef struct scene_sink {
    scene_mark mark;
    tp_sink_def def;
    char *species; /* names */
    double age;    /* s */
    tp_sink handle;
} scene_sink;

typedef struct scene_field {
    scene_mark mark;
    tp_field_def def;
    char *species;
    tp_field handle;
} scene_field;

typedef enum scene_solid { SCENE_SPHERE, SCENE_BOX, SCENE_TORUS, SCENE_SOLIDS } scene_solid;

/* One solid of a distance grid, relative to the centre of the grid. */
typedef struct scene_distance {
    scene_solid solid;
    bool is_cut; /* subtracted from the solids before it, instead of added */
    /* m: sphere: radius; box: half sides; torus: radius of the ring and of the tube */
    double size[3];
    double center[3];
} scene_distance;

typedef struct scene_collider {
    scene_mark mark;
    tp_collider_def def;
    char *species, *event_species;
    bool is_hidden; /* not drawn */
    float *samples;
    size_t sample_count;
    double wave_height, wave_length; /* m: generated heights */
    double slope;                    /* m per m along local x, added to generated heights */
    bool has_waves;
    scene_distance *distances;
    size_t distance_count;
    /* 2D: a level; edges until all fields are read */
    level edges;
    char *rows, *tiles, *drawing; /* rows of tiles, one a line; paths of files */
    double tile_size, tolerance;  /* m */
    double units_per_metre;       /* of the drawing */
    bool flips;                   /* the other side of the edges is solid */
    tp_vector *vertices;
    uint32_t *indices;
    int16_t *rooms; /* words */
    size_t room_count;
    tp_collider handle;
    tp_body_def body_def; /* mass 0: it does not float */
    tp_body body;
} scene_collider;

typedef enum scene_colouring {
    SCENE_BY_SPECIES,
    SCENE_BY_SPEED,
    SCENE_BY_SPECIES_AND_SPEED,
    SCENE_BY_TEMPERATURE
} scene_colouring;

/* How particles are drawn. SCENE_FLUID: those of solver sph but tracers as fluids, those of solver
   vortex as smoke, all others as beads. */
typedef enum scene_style { SCENE_FLUID, SCENE_BEADS, SCENE_SMOKE } scene_style;

/* A particle that the cache says dies, of no emitter of the scene. */
typedef struct scene_death {
    uint32_t frame; /* the first one without it */
    uint32_t id;
} scene_death;

/* The frame of a cache from which the particles start. start_load fills the arrays. */
typedef struct scene_start {
    char *cache;   /* path; NULL: the scene starts empty */
    char *species; /* name; NULL: as the emitters of the scene made them */
    uint32_t species_place;
    uint32_t frame;
    bool takes_last; /* the last frame of the cache, which start_load finds out */
    bool is_loaded;
    bool is_noted;                     /* what the cache lacks was printed */
    bool is_rounded;                   /* velocities have other bits than those simulated */
    uint32_t count;                    /* particles that are alive in that frame */
    uint32_t *ids;                     /* ascending */
    tp_vector *positions, *velocities; /* m, m/s */
    float *lives;                      /* of each birth and death in frames; NULL: not known */
    tp_spring *springs;
    uint32_t spring_count;
    scene_death *deaths; /* ascending frames */
    uint32_t death_count;
} scene_start;

/* A whole scene. */
typedef struct scene {
    char *path;   /* as given, for messages */
    char *name;   /* base name of output files */
    char *folder; /* paths in the scene are relative to this folder */
    scene_mark world_mark, sph_mark, heat_mark, pair_mark, cloth_mark, vortex_mark, substeps_mark,
        cache_mark, camera_mark, run_mark, start_mark;
    char *title;
    tp_world_def world;
    char *lift_species, *vorton_species, *fuel_species; /* names, of `vortex` */
    scene_species species[TP_SPECIES_MAX];
    scene_mix mixes[TP_SPH_MIX_MAX]; /* world.sph.mix_count of them */
    scene_emitter *emitters;
    scene_body *bodies;
    scene_ring *rings;
    scene_sheet *sheets;
    scene_sink *sinks;
    scene_field *fields;
    scene_collider *colliders;
    scene_motion *motions;
    size_t species_count, emitter_count, body_count, ring_count, sheet_count, sink_count,
        field_count, collider_count, motion_count;
    scene_start start;
    tp_pose *float_poses; /* [frame][collider], of colliders that float */
    uint32_t float_frames;
    /* cache */
    uint32_t cache_frames; /* 0: all frames of the run */
    uint32_t cache_bytes;  /* 0: as many as those frames need */
    uint32_t cache_step;
    uint32_t cache_policy;   /* 0: evict the oldest frames, 1: stop */
    uint32_t cache_group;    /* frames per group; 1: no groups, every frame exact */
    float cache_error;       /* m: error bound of positions in groups; 0: exact */
    float cache_speed_error; /* m/s: error bound of velocities in groups; 0: exact */
    uint32_t cache_streams;  /* 0: all, 1: positions and velocities, 2: positions; ids always */
    /* camera */
    tp_vector view_low, view_high;
    bool view_is_chosen; /* not given: all that the scene holds */
    uint32_t width, height;
    char *view; /* "fit" or "yaw,pitch,distance" */
    scene_colouring colouring;
    scene_style style;
    float speed_max; /* m/s at the end of the colour map; 0: the maximum of each frame */
    float warmth_low, warmth_high; /* K at both ends of the colour map; equal: -range..range */
    float glow;                    /* K at which smoke is as bright as the lamp; 0: it is dark */
    float drawn_radius;            /* m; 0: radius of the species */
    uint32_t background;           /* 0xrrggbbaa; 0: the default, which is dark */
    /* run */
    uint32_t frames;
    uint32_t work;      /* units per frame; 0: no limit */
    uint32_t budget_us; /* 0: no limit */
    uint32_t pictures;  /* on the contact sheet */
} scene;

/* Reads a scene file, standard input ("-"), or a shipped scene by name. HOST_DONE, or an error was
   printed and the scene is empty. */
int scene_load(scene *target, const char *path);
/* For commands that expect frames: HOST_BAD_INPUT, and an error was printed, if the path is a
   scene. */
int scene_run_first(const char *path);
/* As scene_load, from text in memory; paths in it are relative to `folder`. */
int scene_parse(scene *target, const char *path, const char *folder, const char *text);
void scene_free(scene *target);

/* Reads the name of a style; for other text returns false and leaves the style unchanged. */
bool scene_style_parse(const char *text, scene_style *style);

/* Names of the shipped scenes; NULL after the last. */
const char *scene_shipped_name(size_t index);
/* Text of a shipped scene in malloc memory. NULL: no such scene, or not enough memory. */
char *scene_shipped_text(const char *name);

/* The world as a cache source, with the error bounds of the scene. */
tp_source scene_source(const scene *source, tp_world *world);
/* The definition of the cache of the scene, for a run of `frames` frames. */
tp_cache_def scene_cache(const scene *source, const tp_source *world, uint32_t frames);
/* Creates the world in `block` and fills it. HOST_DONE, or an error was printed with its line. */
int scene_create_world(scene *source, void *block, size_t bytes, tp_world **world);
/* Bytes of the block for scene_create_world. */
int scene_memory(const scene *source, size_t *bytes);
/* Gives emitters and colliders their target poses for the end of simulated frame `frame` (1 is the
   first), and removes the particles of a start that die by then. Call it before that frame begins.
   Allocates nothing. */
void scene_move(const scene *source, tp_world *world, uint64_t frame);
/* Writes the triangles of all sheets, three ids each, to `triangles` unless it is NULL. Returns
   their number. */
size_t scene_sheet_triangles(const scene *source, uint32_t *triangles);
/* Nodes of all sheets, which have the first ids. */
uint32_t scene_sheet_nodes(const scene *source);
/* True if all particles are nodes of sheets, and nothing in the scene adds or removes one. */
bool scene_is_cloth(const scene *source);
/* Where Blender's cloth holds nodes, `count` from the id `first` on, at these positions: a pinned
   one where it is, others where they are at rest. x, y, z each. */
void scene_sheet_targets(const scene *source, uint32_t first, uint32_t count,
                         const float *positions, float *targets);
/* Ids from *first to *end - 1: the nodes of the sheet of that name, or of all sheets if it is null.
   False: no sheet has the name. */
bool scene_sheet_range(const scene *source, const char *name, uint32_t *first, uint32_t *end);
/* Colliders that float. */
uint32_t scene_float_count(const scene *source);
/* Makes a body of a collider with a mass. HOST_DONE, or an error was printed with its line. */
int scene_float_add(scene *source, tp_world *world, size_t collider);
/* Room for the poses of frames 0 .. frames. HOST_DONE, or an error was printed. */
int scene_float_open(scene *target, uint32_t frames);
/* Notes where they are after a frame; frames without room are left out. Allocates nothing. */
void scene_float_note(const scene *source, const tp_world *world, uint32_t frame);
/* False: the collider does not float, or its pose at that time was not noted. */
bool scene_float_pose(const scene *source, size_t collider, double seconds, tp_pose *pose);
/* Seconds per frame. */
double scene_frame_seconds(const scene *source);
/* Pose of the target of a motion at a time in seconds. */
tp_pose scene_motion_pose(const scene *source, const scene_motion *motion, double seconds);
/* Pose of a collider at that time, moved or not, as the runtime expects it. For a grid: the pose of
   its first sample. */
tp_pose scene_collider_pose(const scene *source, size_t collider, double seconds);

/* ---- shared by the files of the parser */

/* Prints an error in a field of the section `start`. Returns HOST_BAD_INPUT. */
int scene_start_problem(const scene *source, const char *key, const char *format, ...);
/* Pinned nodes of a start that no collider takes along get the velocity of their sheet. */
void scene_start_pins(scene *target);
/* Reads triangles from a Wavefront .obj file; `path` is relative to the folder of the scene. NULL,
   or the text of the error. */
const char *scene_read_obj(const char *path, tp_vector **vertices, uint32_t *vertex_count,
                           uint32_t **indices, uint32_t *triangle_count);
/* The same from a .ply file with faces, whose errors are printed too. */
const char *scene_read_ply(const char *path, tp_vector **vertices, uint32_t *vertex_count,
                           uint32_t **indices, uint32_t *triangle_count);
/* Rotation by degrees about x, then y, then z. Uses scene_sine: the same bits with every C
   library. */
tp_quaternion scene_turn(const double degrees[3]);
/* The rotation from local +y to a direction; the identity for a zero direction. */
tp_quaternion scene_turn_to(const double direction[3]);
double scene_sine(double turns); /* sin(2 pi turns) */
/* Rest density at which a square or cubic lattice of this spacing and particles of mass 1 is in
   equilibrium: near-pressure repulsion and attraction from the density deficit balance (the sum of
   force times distance over the neighbours is 0). */
double scene_balanced_density(const tp_world_def *def, double spacing);
/* Number of lattice points inside a box with these half sides. */
uint32_t scene_lattice_count(uint32_t dimensions, const tp_vector *half, double spacing);

#endif
