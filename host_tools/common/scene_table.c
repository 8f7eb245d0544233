/* SPDX-License-Identifier: MIT
   host_tools/common/scene_table.c - tables of all sections of a scene and all their fields, one row
           each.
   reads   -      writes  -
   memory  constant tables      cost    -
   after   own design; described for users in host_tools/scenes/FORMAT.md */
#include "scene_private.h"
#include <string.h>

static const char *const solvers[] = {"none", "sph", "pair", "cloth", "vortex", NULL};
static const char *const formulations[] = {"double_density", "incompressible", "ideal_gas",
                                           "weakly_compressible", NULL};
static const char *const potentials[] = {"lj", "hard_sphere", "table", "lj_force_shift", NULL};
static const char *const integrators[] = {"euler", "kdk", NULL};
static const char *const cloth_integrators[] = {"xpbd", "explicit", "implicit", NULL};
static const char *const overloads[] = {"carry", "coarsen", "drop", NULL};
static const char *const pool_policies[] = {"refuse", "recycle", NULL};
static const char *const emitter_shapes[] = {"point", "segment", "disc", "sphere",
                                             "box",   "mesh",    NULL};
static const char *const sink_shapes[] = {"age", "plane", "box", "sphere", NULL};
static const char *const field_kinds[] = {"gravity",   "drag", "wind", "vortex",
                                          "attractor", "heat", NULL};
static const char *const collider_shapes[] = {"plane", "sphere",      "capsule", "box",
                                              "mesh",  "heightfield", "grid",    NULL};
static const char *const planes[] = {"xy", "xz", "yz", NULL};
static const char *const cache_policies[] = {"evict", "stop", NULL};
static const char *const cache_streams[] = {"all", "motion", "places", NULL};
static const char *const up_axes[] = {"y", "z", NULL};
static const char *const styles[] = {"fluid", "beads", "smoke", NULL};
static const char *const colourings[] = {"species", "speed", "species_and_speed", "temperature",
                                         NULL};

/* Rows: name in the scene, name in the runtime (NULL: the same), field, unit or choices, minimum,
   maximum. */
#define AT(type, field) (uint32_t) offsetof(type, field)
#define NUMBER(name, alias, at, unit, low, high)                          \
    {                                                                     \
        name, alias, SCENE_NUMBER, unit, at, low, high, NULL, NULL, false \
    }
#define REAL(name, at, unit, low, high)                                \
    {                                                                  \
        name, NULL, SCENE_REAL, unit, at, low, high, NULL, NULL, false \
    }
#define COUNT(name, alias, at, low, high)                                       \
    {                                                                           \
        name, alias, SCENE_COUNT, WORDS_PLAIN, at, low, high, NULL, NULL, false \
    }
#define YES(name, alias, at)                                             \
    {                                                                    \
        name, alias, SCENE_YES, WORDS_PLAIN, at, 0, 0, NULL, NULL, false \
    }
#define CHOICE(name, at, list)                                             \
    {                                                                      \
        name, NULL, SCENE_CHOICE, WORDS_PLAIN, at, 0, 0, list, NULL, false \
    }
#define VECTOR(name, alias, at, unit)                                \
    {                                                                \
        name, alias, SCENE_VECTOR, unit, at, 0, 0, NULL, NULL, false \
    }
#define REALS(name, at, unit)                                      \
    {                                                              \
        name, NULL, SCENE_REALS, unit, at, 0, 0, NULL, NULL, false \
    }
#define TEXT(name, alias, at)                                             \
    {                                                                     \
        name, alias, SCENE_TEXT, WORDS_PLAIN, at, 0, 0, NULL, NULL, false \
    }
#define OWN(name, alias, function)                                          \
    {                                                                       \
        name, alias, SCENE_OWN, WORDS_PLAIN, 0, 0, 0, NULL, function, false \
    }
#define REPEAT(name, function)                                            \
    {                                                                     \
        name, NULL, SCENE_OWN, WORDS_PLAIN, 0, 0, 0, NULL, function, true \
    }

static const scene_key world_keys[] = {
    TEXT("title", NULL, AT(scene, title)),
    COUNT("dimensions", NULL, AT(scene, world.dimensions), 2, 3),
    COUNT("particles", "particles_max", AT(scene, world.particles_max), 1, 16777215),
    CHOICE("solver", AT(scene, world.solver), solvers),
    CHOICE("integrator", AT(scene, world.integrator), integrators),
    CHOICE("overload", AT(scene, world.overload), overloads),
    CHOICE("pool_policy", AT(scene, world.pool_policy), pool_policies),
    YES("births", "keeps_births", AT(scene, world.keeps_births)),
    OWN("fps", "frames_per_second", scene_read_fps),
    COUNT("seed", NULL, AT(scene, world.seed), 0, 4294967295.0),
    COUNT("slice", "slice_units", AT(scene, world.slice_units), 64, 65536),
    COUNT("lag_frames", "lag_frames_max", AT(scene, world.lag_frames_max), 1, 64),
    NUMBER("speed_max", NULL, AT(scene, world.speed_max), WORDS_SPEED, 0, 1e6),
    NUMBER("event_speed", NULL, AT(scene, world.event_speed), WORDS_SPEED, 0, 1e6),
    COUNT("feeds", "feeds_max", AT(scene, world.feeds_max), 0, 16384),
    OWN("periodic", "periodic_axes", scene_read_periodic),
    VECTOR("box_low", NULL, AT(scene, world.box_low), WORDS_LENGTH),
    VECTOR("box_size", NULL, AT(scene, world.box_size), WORDS_LENGTH),
};

static const scene_key sph_keys[] = {
    CHOICE("formulation", AT(scene, world.sph.formulation), formulations),
    NUMBER("smoothing_radius", "sph.smoothing_radius", AT(scene, world.sph.smoothing_radius),
           WORDS_LENGTH, 1e-4, 1e4),
    NUMBER("stiffness", "sph.stiffness", AT(scene, world.sph.stiffness), WORDS_PLAIN, 0, 1e6),
    NUMBER("near_stiffness", "sph.near_stiffness", AT(scene, world.sph.near_stiffness), WORDS_PLAIN,
           0, 1e6),
    NUMBER("surface_tension", "sph.surface_tension", AT(scene, world.sph.surface_tension),
           WORDS_PLAIN, 0, 1e3),
    NUMBER("viscosity_linear", "sph.viscosity_linear", AT(scene, world.sph.viscosity_linear),
           WORDS_PLAIN, 0, 1e4),
    NUMBER("viscosity_quadratic", "sph.viscosity_quadratic",
           AT(scene, world.sph.viscosity_quadratic), WORDS_PLAIN, 0, 1e4),
    NUMBER("timestep_max", "sph.timestep_max", AT(scene, world.sph.timestep_max), WORDS_TIME, 1e-5,
           1),
    COUNT("neighbours_max", "sph.neighbours_max", AT(scene, world.sph.neighbours_max), 4, 255),
    COUNT("cell_max", "sph.cell_max", AT(scene, world.sph.cell_max), 4, 64),
    COUNT("density_iterations", "sph.density_iterations", AT(scene, world.sph.density_iterations),
          1, 16),
    COUNT("divergence_iterations", "sph.divergence_iterations",
          AT(scene, world.sph.divergence_iterations), 0, 16),
    NUMBER("smoothing", "sph.smoothing", AT(scene, world.sph.smoothing), WORDS_PLAIN, 0, 0.5),
    OWN("arrangement", "sph.stores_neighbours", scene_read_arrangement),
    YES("compat", "sph.compat", AT(scene, world.sph.compat)),
    NUMBER("sound_speed", "sph.sound_speed", AT(scene, world.sph.sound_speed), WORDS_SPEED, 1e-4,
           1e4),
    NUMBER("cohesion", "sph.cohesion", AT(scene, world.sph.cohesion), WORDS_PLAIN, 0, 1e6),
    NUMBER("viscosity", "sph.viscosity", AT(scene, world.sph.viscosity), WORDS_PLAIN, 0, 1e4),
    COUNT("viscosity_iterations", "sph.viscosity_iterations",
          AT(scene, world.sph.viscosity_iterations), 1, 32),
    YES("tension", "sph.allows_tension", AT(scene, world.sph.allows_tension)),
    COUNT("springs_max", "sph.springs_max", AT(scene, world.sph.springs_max), 0, 64),
    COUNT("spring_frames", "sph.spring_frames", AT(scene, world.sph.spring_frames), 0,
          4294967295.0),
    NUMBER("spring_stiffness", "sph.spring_stiffness", AT(scene, world.sph.spring_stiffness),
           WORDS_PLAIN, 0, 1e6),
    NUMBER("spring_plasticity", "sph.spring_plasticity", AT(scene, world.sph.spring_plasticity),
           WORDS_PLAIN, 0, 1e4),
    NUMBER("spring_yield", "sph.spring_yield", AT(scene, world.sph.spring_yield), WORDS_PLAIN, 0,
           1),
    YES("springs_at_rest", "sph.springs_at_rest", AT(scene, world.sph.springs_at_rest)),
    REPEAT("mix", scene_read_mix),
};

static const scene_key heat_keys[] = {
    NUMBER("range", "heat.range", AT(scene, world.heat.range), WORDS_PLAIN, 0, 1e6),
    NUMBER("diffusivity", "heat.diffusivity", AT(scene, world.heat.diffusivity), WORDS_PLAIN, 0,
           1e4),
};

static const scene_key pair_keys[] = {
    CHOICE("potential", AT(scene, world.pair.potential), potentials),
    NUMBER("cutoff", "pair.cutoff", AT(scene, world.pair.cutoff), WORDS_PLAIN, 1, 8),
    NUMBER("overlap", "pair.overlap", AT(scene, world.pair.overlap), WORDS_PLAIN, 0.5, 1),
    NUMBER("skin", "pair.skin", AT(scene, world.pair.skin), WORDS_PLAIN, 0, 2),
    NUMBER("timestep_max", "pair.timestep_max", AT(scene, world.pair.timestep_max), WORDS_TIME,
           1e-6, 1),
    NUMBER("temperature", "pair.temperature", AT(scene, world.pair.temperature), WORDS_PLAIN, 0,
           1e6),
    NUMBER("friction", "pair.friction", AT(scene, world.pair.friction), WORDS_PLAIN, 0, 1e4),
    NUMBER("restitution", "pair.restitution", AT(scene, world.pair.restitution), WORDS_PLAIN, 0, 1),
    COUNT("contact_iterations", "pair.contact_iterations", AT(scene, world.pair.contact_iterations),
          1, 64),
    COUNT("neighbours_max", "pair.neighbours_max", AT(scene, world.pair.neighbours_max), 4, 255),
    COUNT("cell_max", "pair.cell_max", AT(scene, world.pair.cell_max), 4, 255),
    OWN("arrangement", "pair.stores_neighbours", scene_read_pair_arrangement),
};

static const scene_key cloth_keys[] = {
    CHOICE("integrator", AT(scene, world.cloth.integrator), cloth_integrators),
    NUMBER("timestep_max", "cloth.timestep_max", AT(scene, world.cloth.timestep_max), WORDS_TIME,
           1e-5, 1),
    NUMBER("damping", "cloth.damping", AT(scene, world.cloth.damping), WORDS_TIME, 0, 1),
    NUMBER("air", "cloth.air", AT(scene, world.cloth.air), WORDS_PLAIN, 0, 10000),
    NUMBER("tear", "cloth.tear", AT(scene, world.cloth.tear), WORDS_PLAIN, 0, 100),
    COUNT("splits", "cloth.splits_max", AT(scene, world.cloth.splits_max), 0, 65536),
    NUMBER("limit", "cloth.limit", AT(scene, world.cloth.limit), WORDS_PLAIN, 0, 10),
    COUNT("limit_passes", "cloth.limit_passes", AT(scene, world.cloth.limit_passes), 1, 16),
    COUNT("iterations", "cloth.iterations", AT(scene, world.cloth.iterations), 1, 100),
    NUMBER("yield", "cloth.yield", AT(scene, world.cloth.yield), WORDS_PLAIN, 0, 0.9),
    NUMBER("yield_max", "cloth.yield_max", AT(scene, world.cloth.yield_max), WORDS_PLAIN, 0, 10),
    NUMBER("thickness", "cloth.thickness", AT(scene, world.cloth.thickness), WORDS_LENGTH, 0, 1e4),
    NUMBER("edge_max", "cloth.edge_max", AT(scene, world.cloth.edge_max), WORDS_LENGTH, 0, 1e4),
    NUMBER("friction", "cloth.friction", AT(scene, world.cloth.friction), WORDS_PLAIN, 0, 10),
};

static const scene_key vortex_keys[] = {
    NUMBER("core", "vortex.core", AT(scene, world.vortex.core), WORDS_LENGTH, 1e-4, 1e4),
    NUMBER("strength_max", "vortex.strength_max", AT(scene, world.vortex.strength_max), WORDS_PLAIN,
           1e-6, 1e6),
    NUMBER("growth_max", "vortex.growth_max", AT(scene, world.vortex.growth_max), WORDS_PLAIN, 0,
           1000),
    NUMBER("timestep_max", "vortex.timestep_max", AT(scene, world.vortex.timestep_max), WORDS_TIME,
           1e-5, 1),
    NUMBER("viscosity", "vortex.viscosity", AT(scene, world.vortex.viscosity), WORDS_PLAIN, 0,
           1000),
    NUMBER("volume", "vortex.volume", AT(scene, world.vortex.volume), WORDS_PLAIN, 1e-12, 1e9),
    COUNT("nodes_x", "vortex.grid_nodes[0]", AT(scene, world.vortex.grid_nodes[0]), 0, 65),
    COUNT("nodes_y", "vortex.grid_nodes[1]", AT(scene, world.vortex.grid_nodes[1]), 0, 65),
    COUNT("nodes_z", "vortex.grid_nodes[2]", AT(scene, world.vortex.grid_nodes[2]), 0, 65),
    NUMBER("spacing", "vortex.grid_spacing", AT(scene, world.vortex.grid_spacing), WORDS_LENGTH,
           1e-4, 1e4),
    VECTOR("low", "vortex.grid_low", AT(scene, world.vortex.grid_low), WORDS_LENGTH),
    OWN("follow", "vortex.grid_follows", scene_read_follow),
    COUNT("closed", "vortex.grid_closed", AT(scene, world.vortex.grid_closed), 0, 1),
    VECTOR("lift", "vortex.lift", AT(scene, world.vortex.lift), WORDS_PLAIN),
    NUMBER("cooling", "vortex.cooling", AT(scene, world.vortex.cooling), WORDS_PLAIN, 0, 1000),
    TEXT("lift_species", "vortex.lift_species", AT(scene, lift_species)),
    TEXT("vorton_species", "vortex.vorton_species", AT(scene, vorton_species)),
    TEXT("fuel_species", "vortex.fuel_species", AT(scene, fuel_species)),
    NUMBER("ignition", "vortex.ignition", AT(scene, world.vortex.ignition), WORDS_PLAIN, 0, 1e6),
    NUMBER("burning", "vortex.burning", AT(scene, world.vortex.burning), WORDS_PLAIN, 0, 1e6),
    NUMBER("air", "vortex.air", AT(scene, world.vortex.air), WORDS_PLAIN, 0, 1e6),
    NUMBER("flame", "vortex.flame", AT(scene, world.vortex.flame), WORDS_PLAIN, 0, 1e6),
    NUMBER("radiation", "vortex.radiation", AT(scene, world.vortex.radiation), WORDS_PLAIN, 0, 1e6),
    NUMBER("merge", "vortex.merge", AT(scene, world.vortex.merge), WORDS_LENGTH, 0, 1e4),
    NUMBER("split", "vortex.split", AT(scene, world.vortex.split), WORDS_PLAIN, 0, 1e6),
    NUMBER("grip", "vortex.grip", AT(scene, world.vortex.grip), WORDS_PLAIN, 0, 1000),
    NUMBER("density", "vortex.density", AT(scene, world.vortex.density), WORDS_PLAIN, 1e-6, 1e6),
    COUNT("vortons", "vortex.vortons_max", AT(scene, world.vortex.vortons_max), 0, 4096),
};

static const scene_key substeps_keys[] = {
    COUNT("count", "substeps.count", AT(scene, world.substeps.count), 1, 100),
    COUNT("count_max", "substeps.count_max", AT(scene, world.substeps.count_max), 1, 101),
    YES("adaptive", "substeps.is_adaptive", AT(scene, world.substeps.is_adaptive)),
    NUMBER("courant", "substeps.courant", AT(scene, world.substeps.courant), WORDS_PLAIN, 0.001,
           10),
    YES("compat", "substeps.compat", AT(scene, world.substeps.compat)),
};

static const scene_key species_keys[] = {
    NUMBER("mass", "species.mass", AT(scene_species, def.mass), WORDS_MASS, 1e-6, 1e6),
    NUMBER("radius", "species.radius", AT(scene_species, def.radius), WORDS_LENGTH, 0, 1e4),
    OWN("rest_density", "species.rest_density", scene_read_rest_density),
    NUMBER("epsilon", "species.epsilon", AT(scene_species, def.epsilon), WORDS_PLAIN, 0, 1e6),
    NUMBER("sigma", "species.sigma", AT(scene_species, def.sigma), WORDS_LENGTH, 1e-4, 1e4),
    YES("tracer", "species.is_tracer", AT(scene_species, def.is_tracer)),
    NUMBER("expansion", "species.expansion", AT(scene_species, def.expansion), WORDS_PLAIN, -1e3,
           1e3),
    NUMBER("buoyancy", "species.buoyancy", AT(scene_species, def.buoyancy), WORDS_PLAIN, 0, 1e3),
    NUMBER("viscosity", "species.viscosity", AT(scene_species, def.viscosity), WORDS_PLAIN, 0, 1),
    NUMBER("cohesion", "species.cohesion", AT(scene_species, def.cohesion), WORDS_PLAIN, 0, 1),
    NUMBER("stickiness", "species.stickiness", AT(scene_species, def.stickiness), WORDS_PLAIN, 0,
           1e6),
    NUMBER("friction", "species.friction", AT(scene_species, def.friction), WORDS_PLAIN, 0, 1e3),
    OWN("colour", NULL, scene_read_colour),
};

static const scene_key emitter_keys[] = {
    CHOICE("shape", AT(scene_emitter, def.shape), emitter_shapes),
    VECTOR("position", "pose.position", AT(scene_emitter, def.pose.position), WORDS_LENGTH),
    OWN("turn", "pose.rotation", scene_read_emitter_turn),
    OWN("size", NULL, scene_read_emitter_size),
    TEXT("species", NULL, AT(scene_emitter, species)),
    OWN("rate", "rate_denominator", scene_read_rate),
    OWN("burst", "burst_count", scene_read_burst),
    NUMBER("lattice", "lattice_spacing", AT(scene_emitter, def.lattice_spacing), WORDS_LENGTH, 0,
           1e4),
    COUNT("start", "start_frame", AT(scene_emitter, def.start_frame), 0, 4294967295.0),
    COUNT("stop", "stop_frame", AT(scene_emitter, def.stop_frame), 0, 4294967295.0),
    COUNT("total", "total_max", AT(scene_emitter, def.total_max), 0, 4294967295.0),
    VECTOR("velocity", NULL, AT(scene_emitter, def.velocity), WORDS_SPEED),
    NUMBER("velocity_jitter", NULL, AT(scene_emitter, def.velocity_jitter), WORDS_SPEED, 0, 1e6),
    NUMBER("position_jitter", NULL, AT(scene_emitter, def.position_jitter), WORDS_LENGTH, 0, 1e6),
    NUMBER("inherit", NULL, AT(scene_emitter, def.inherit), WORDS_PLAIN, 0, 1),
    REAL("lifetime", AT(scene_emitter, lifetime), WORDS_TIME, 0, 1e6),
    NUMBER("lifetime_jitter", NULL, AT(scene_emitter, def.lifetime_jitter), WORDS_PLAIN, 0, 1),
    NUMBER("temperature", NULL, AT(scene_emitter, def.temperature), WORDS_PLAIN, -1e6, 1e6),
    NUMBER("strength", NULL, AT(scene_emitter, def.strength), WORDS_PLAIN, -1e6, 1e6),
    COUNT("word", NULL, AT(scene_emitter, def.word), 0, 4294967295.0),
    OWN("mesh", "vertices", scene_read_emitter_mesh),
    OWN("feed", "feed_kinds", scene_read_feed),
    TEXT("feed_species", NULL, AT(scene_emitter, feed_species)),
    NUMBER("feed_speed", NULL, AT(scene_emitter, def.feed_speed), WORDS_SPEED, 0, 1e6),
    REAL("feed_time", AT(scene_emitter, feed_time), WORDS_TIME, 1e-6, 1e6),
    NUMBER("feed_distance", NULL, AT(scene_emitter, def.feed_distance), WORDS_LENGTH, 1e-6, 1e6),
    COUNT("feed_births", NULL, AT(scene_emitter, def.feed_births), 1, 1024),
    COUNT("feed_births_max", NULL, AT(scene_emitter, def.feed_births_max), 1, 65536),
};

static const scene_key body_keys[] = {
    VECTOR("position", NULL, AT(scene_body, position), WORDS_LENGTH),
    OWN("size", NULL, scene_read_body_size),
    REAL("lattice", AT(scene_body, lattice), WORDS_LENGTH, 1e-4, 1e4),
    REAL("reach", AT(scene_body, reach), WORDS_PLAIN, 0, 3),
    NUMBER("stiffness", NULL, AT(scene_body, stiffness), WORDS_PLAIN, 0, 1e12),
    NUMBER("damping", NULL, AT(scene_body, damping), WORDS_PLAIN, 0, 1e12),
    REAL("break", AT(scene_body, breaks), WORDS_PLAIN, 0, 1e3),
    OWN("pin", NULL, scene_read_body_pin),
    VECTOR("velocity", NULL, AT(scene_body, velocity), WORDS_SPEED),
    TEXT("species", NULL, AT(scene_body, species)),
};

static const scene_key ring_keys[] = {
    VECTOR("position", NULL, AT(scene_ring, position), WORDS_LENGTH),
    VECTOR("axis", NULL, AT(scene_ring, normal), WORDS_PLAIN),
    REAL("radius", AT(scene_ring, radius), WORDS_LENGTH, 1e-4, 1e4),
    REAL("circulation", AT(scene_ring, circulation), WORDS_PLAIN, -1e6, 1e6),
    COUNT("vortons", NULL, AT(scene_ring, vortons), 3, 4096),
    REAL("waviness", AT(scene_ring, waviness), WORDS_PLAIN, 0, 0.5),
    COUNT("waves", NULL, AT(scene_ring, waves), 0, 64),
    COUNT("tracers", NULL, AT(scene_ring, tracers), 0, 16777215),
    REAL("tube", AT(scene_ring, tube), WORDS_LENGTH, 0, 1e4),
    TEXT("species", NULL, AT(scene_ring, species)),
    TEXT("smoke", NULL, AT(scene_ring, smoke)),
};

static const scene_key sheet_keys[] = {
    VECTOR("position", "origin", AT(scene_sheet, def.origin), WORDS_LENGTH),
    COUNT("columns", NULL, AT(scene_sheet, def.columns), 1, 4096),
    COUNT("rows", NULL, AT(scene_sheet, def.rows), 1, 4096),
    VECTOR("along", NULL, AT(scene_sheet, def.along), WORDS_LENGTH),
    VECTOR("across", NULL, AT(scene_sheet, def.across), WORDS_LENGTH),
    COUNT("layers", NULL, AT(scene_sheet, def.layers), 1, 4096),
    VECTOR("deep", NULL, AT(scene_sheet, def.deep), WORDS_LENGTH),
    NUMBER("volume", NULL, AT(scene_sheet, def.volume), WORDS_PLAIN, 0, 1e12),
    OWN("mesh", "vertices", scene_read_sheet_mesh),
    CHOICE("up", AT(scene_sheet, up), up_axes),
    VECTOR("velocity", NULL, AT(scene_sheet, def.velocity), WORDS_SPEED),
    NUMBER("stretch", NULL, AT(scene_sheet, def.stretch), WORDS_PLAIN, 0, 1e12),
    NUMBER("shear", NULL, AT(scene_sheet, def.shear), WORDS_PLAIN, 0, 1e12),
    NUMBER("bend", NULL, AT(scene_sheet, def.bend), WORDS_PLAIN, 0, 1e12),
    NUMBER("tether", NULL, AT(scene_sheet, def.tether), WORDS_PLAIN, 0, 10),
    NUMBER("tear", NULL, AT(scene_sheet, def.tear), WORDS_PLAIN, 0, 100),
    NUMBER("yield", NULL, AT(scene_sheet, def.yield), WORDS_PLAIN, 0, 0.9),
    NUMBER("yield_max", NULL, AT(scene_sheet, def.yield_max), WORDS_PLAIN, 0, 10),
    TEXT("species", NULL, AT(scene_sheet, species)),
    REPEAT("pin", scene_read_pin),
    NUMBER("fold", NULL, AT(scene_sheet, fold), WORDS_PLAIN, 0, 1e12),
    REPEAT("tie", scene_read_tie),
    NUMBER("tie_compliance", NULL, AT(scene_sheet, tie_compliance), WORDS_PLAIN, 0, 1e12),
    NUMBER("tie_strength", NULL, AT(scene_sheet, tie_strength), WORDS_PLAIN, 0, 1e30),
    TEXT("moves_with", NULL, AT(scene_sheet, leader)),
};

static const scene_key sink_keys[] = {
    CHOICE("shape", AT(scene_sink, def.shape), sink_shapes),
    YES("inverted", "is_inverted", AT(scene_sink, def.is_inverted)),
    TEXT("species", "species_mask", AT(scene_sink, species)),
    REAL("age", AT(scene_sink, age), WORDS_TIME, 0, 1e6),
    VECTOR("center", NULL, AT(scene_sink, def.center), WORDS_LENGTH),
    VECTOR("half", NULL, AT(scene_sink, def.half), WORDS_LENGTH),
    NUMBER("radius", NULL, AT(scene_sink, def.radius), WORDS_LENGTH, 0, 1e6),
    OWN("normal", NULL, scene_read_sink_normal),
    NUMBER("offset", NULL, AT(scene_sink, def.offset), WORDS_LENGTH, -1e6, 1e6),
    NUMBER("rate", NULL, AT(scene_sink, def.rate), WORDS_RATE, 0, 1e9),
};

static const scene_key field_keys[] = {
    CHOICE("kind", AT(scene_field, def.kind), field_kinds),
    TEXT("species", "species_mask", AT(scene_field, species)),
    VECTOR("acceleration", NULL, AT(scene_field, def.vector), WORDS_ACCELERATION),
    VECTOR("velocity", "vector", AT(scene_field, def.vector), WORDS_SPEED),
    OWN("axis", NULL, scene_read_field_axis),
    VECTOR("center", NULL, AT(scene_field, def.center), WORDS_LENGTH),
    VECTOR("half", "vector", AT(scene_field, def.vector), WORDS_LENGTH),
    NUMBER("linear", NULL, AT(scene_field, def.linear), WORDS_PLAIN, 0, 1e6),
    NUMBER("quadratic", NULL, AT(scene_field, def.quadratic), WORDS_PLAIN, 0, 1e6),
    NUMBER("strength", NULL, AT(scene_field, def.strength), WORDS_PLAIN, -1e9, 1e9),
    NUMBER("core", NULL, AT(scene_field, def.core), WORDS_LENGTH, 0, 1e6),
    NUMBER("axial", NULL, AT(scene_field, def.axial), WORDS_SPEED, -1e6, 1e6),
    NUMBER("inflow", NULL, AT(scene_field, def.inflow), WORDS_SPEED, -1e6, 1e6),
    YES("rankine", "is_rankine", AT(scene_field, def.is_rankine)),
    OWN("over_age", NULL, scene_read_over_age),
};

static const scene_key collider_keys[] = {
    CHOICE("shape", AT(scene_collider, def.shape), collider_shapes),
    VECTOR("position", "pose.position", AT(scene_collider, def.pose.position), WORDS_LENGTH),
    OWN("turn", "pose.rotation", scene_read_collider_turn),
    OWN("normal", NULL, scene_read_collider_normal),
    OWN("half", NULL, scene_read_collider_half),
    NUMBER("radius", NULL, AT(scene_collider, def.radius), WORDS_LENGTH, 0, 1e6),
    NUMBER("restitution", NULL, AT(scene_collider, def.restitution), WORDS_PLAIN, 0, 1),
    NUMBER("friction", NULL, AT(scene_collider, def.friction), WORDS_PLAIN, 0, 1e3),
    NUMBER("rest_speed", NULL, AT(scene_collider, def.rest_speed), WORDS_SPEED, -1, 1e6),
    NUMBER("thickness", NULL, AT(scene_collider, def.thickness), WORDS_LENGTH, 0, 1e3),
    NUMBER("temperature", NULL, AT(scene_collider, def.temperature), WORDS_PLAIN, -1e6, 1e6),
    YES("conducts", NULL, AT(scene_collider, def.conducts)),
    YES("hollow", "is_hollow", AT(scene_collider, def.is_hollow)),
    YES("two_sided", "is_two_sided", AT(scene_collider, def.is_two_sided)),
    YES("kills", NULL, AT(scene_collider, def.kills)),
    TEXT("species", "species_mask", AT(scene_collider, species)),
    TEXT("event_species", NULL, AT(scene_collider, event_species)),
    YES("hidden", NULL, AT(scene_collider, is_hidden)),
    NUMBER("mass", NULL, AT(scene_collider, body_def.mass), WORDS_MASS, 0, 1e12),
    VECTOR("inertia", NULL, AT(scene_collider, body_def.inertia), WORDS_PLAIN),
    VECTOR("center", NULL, AT(scene_collider, body_def.center), WORDS_LENGTH),
    VECTOR("velocity", NULL, AT(scene_collider, body_def.velocity), WORDS_SPEED),
    NUMBER("rolling", NULL, AT(scene_collider, body_def.rolling), WORDS_PLAIN, 0, 1),
    COUNT("columns", NULL, AT(scene_collider, def.columns), 2, 4096),
    COUNT("rows", NULL, AT(scene_collider, def.rows), 1, 4096),
    NUMBER("spacing", NULL, AT(scene_collider, def.spacing), WORDS_LENGTH, 1e-6, 1e6),
    COUNT("layers", NULL, AT(scene_collider, def.layers), 1, 4096),
    REPEAT("heights", scene_read_heights),
    REPEAT("distance", scene_read_distance),
    OWN("mesh", "vertices", scene_read_collider_mesh),
    OWN("rooms", "rooms", scene_read_rooms),
    REPEAT("chain", scene_read_chain),
    REPEAT("polygon", scene_read_polygon),
    REPEAT("points", scene_read_points),
    REPEAT("row", scene_read_row),
    TEXT("tiles", NULL, AT(scene_collider, tiles)),
    REAL("tile_size", AT(scene_collider, tile_size), WORDS_LENGTH, 1e-4, 1e4),
    TEXT("svg", NULL, AT(scene_collider, drawing)),
    REAL("units_per_metre", AT(scene_collider, units_per_metre), WORDS_PLAIN, 1e-6, 1e6),
    REAL("tolerance", AT(scene_collider, tolerance), WORDS_LENGTH, 1e-6, 1e3),
    YES("flip", NULL, AT(scene_collider, flips)),
};

static const scene_key motion_keys[] = {
    REALS("swing", AT(scene_motion, swing), WORDS_LENGTH),
    REAL("circle", AT(scene_motion, circle), WORDS_LENGTH, 0, 1e6),
    CHOICE("plane", AT(scene_motion, plane), planes),
    REAL("period", AT(scene_motion, period), WORDS_TIME, 1e-3, 1e6),
    REAL("phase", AT(scene_motion, phase), WORDS_ANGLE, -36000, 36000),
    REAL("spin", AT(scene_motion, spin), WORDS_TURNING, -36000, 36000),
    REAL("rock", AT(scene_motion, rock), WORDS_ANGLE, -360, 360),
    OWN("axis", NULL, scene_read_axis),
    REAL("ramp", AT(scene_motion, ramp), WORDS_TIME, 0, 1e6),
    REAL("start", AT(scene_motion, start), WORDS_TIME, 0, 1e6),
    REAL("stop", AT(scene_motion, stop), WORDS_TIME, 0, 1e6),
    REPEAT("pose", scene_read_pose),
};

static const scene_key cache_keys[] = {
    COUNT("frames", "frames_max", AT(scene, cache_frames), 0, 1048576),
    {"bytes", "ring_bytes", SCENE_COUNT, WORDS_BYTES, AT(scene, cache_bytes), 0, 2147483648.0, NULL,
     NULL, false},
    COUNT("step", NULL, AT(scene, cache_step), 1, 65535),
    CHOICE("policy", AT(scene, cache_policy), cache_policies),
    COUNT("group", "group_frames", AT(scene, cache_group), 1, TP_GROUP_FRAMES_MAX),
    NUMBER("error", NULL, AT(scene, cache_error), WORDS_LENGTH, 0, 1e6),
    NUMBER("speed_error", NULL, AT(scene, cache_speed_error), WORDS_SPEED, 0, 1e6),
    CHOICE("streams", AT(scene, cache_streams), cache_streams),
};

static const scene_key camera_keys[] = {
    VECTOR("low", NULL, AT(scene, view_low), WORDS_LENGTH),
    VECTOR("high", NULL, AT(scene, view_high), WORDS_LENGTH),
    OWN("size", NULL, scene_read_picture_size),
    OWN("view", NULL, scene_read_view),
    CHOICE("colour", AT(scene, colouring), colourings),
    OWN("background", NULL, scene_read_background),
    CHOICE("style", AT(scene, style), styles),
    NUMBER("speed_max", NULL, AT(scene, speed_max), WORDS_SPEED, 0, 1e6),
    NUMBER("temperature_low", NULL, AT(scene, warmth_low), WORDS_PLAIN, -1e6, 1e6),
    NUMBER("temperature_high", NULL, AT(scene, warmth_high), WORDS_PLAIN, -1e6, 1e6),
    NUMBER("glow", NULL, AT(scene, glow), WORDS_PLAIN, 0, 1e6),
    NUMBER("radius", NULL, AT(scene, drawn_radius), WORDS_LENGTH, 0, 1e6),
};

static const scene_key run_keys[] = {
    COUNT("frames", NULL, AT(scene, frames), 1, 1048576),
    COUNT("work", "units", AT(scene, work), 0, 4294967295.0),
    COUNT("budget_us", NULL, AT(scene, budget_us), 0, 4294967295.0),
    COUNT("pictures", NULL, AT(scene, pictures), 1, 64),
};

static const scene_key start_keys[] = {
    TEXT("cache", NULL, AT(scene, start.cache)),
    COUNT("frame", NULL, AT(scene, start.frame), 0, 1048576),
    TEXT("species", NULL, AT(scene, start.species)),
};

#define SECTION(name, alias, keys, is_named, example)                          \
    {                                                                          \
        name, alias, keys, sizeof(keys) / sizeof((keys)[0]), is_named, example \
    }
_Static_assert(sizeof collider_keys / sizeof collider_keys[0] <= SCENE_KEYS_MAX,
               "raise SCENE_KEYS_MAX");
_Static_assert(sizeof emitter_keys / sizeof emitter_keys[0] <= SCENE_KEYS_MAX,
               "raise SCENE_KEYS_MAX");

const scene_section scene_sections[SCENE_SECTIONS] = {
    SECTION("world", NULL, world_keys, false, "dimensions = 2"),
    SECTION("sph", NULL, sph_keys, false, "smoothing_radius = 0.3 m"),
    SECTION("heat", NULL, heat_keys, false, "range = 100"),
    SECTION("pair", NULL, pair_keys, false, "cutoff = 2.5"),
    SECTION("cloth", NULL, cloth_keys, false, "damping = 1 ms"),
    SECTION("vortex", NULL, vortex_keys, false, "core = 0.1 m"),
    SECTION("substeps", NULL, substeps_keys, false, "count = 4"),
    SECTION("species", "fluid", species_keys, true, "mass = 1 kg"),
    SECTION("emitter", NULL, emitter_keys, true, "rate = 100 /s"),
    SECTION("body", NULL, body_keys, true, "lattice = 0.1 m"),
    SECTION("sheet", NULL, sheet_keys, true, "columns = 16"),
    SECTION("ring", NULL, ring_keys, true, "radius = 1 m"),
    SECTION("sink", NULL, sink_keys, true, "shape = age"),
    SECTION("field", NULL, field_keys, true, "kind = gravity"),
    SECTION("collider", NULL, collider_keys, true, "shape = plane"),
    SECTION("motion", NULL, motion_keys, true, "circle = 1 m"),
    SECTION("cache", NULL, cache_keys, false, "frames = 240"),
    SECTION("camera", NULL, camera_keys, false, "size = 800x600"),
    SECTION("run", NULL, run_keys, false, "frames = 240"),
    SECTION("start", NULL, start_keys, false, "cache = out/dam_break"),
};

bool scene_style_parse(const char *text, scene_style *style)
{
    for (uint32_t s = 0; styles[s]; s++) {
        if (strcmp(text, styles[s]) != 0) continue;
        *style = (scene_style)s;
        return true;
    }
    return false;
}

size_t scene_find_key(const scene_section *section, const char *name, size_t length)
{
    size_t k = 0;
    for (; k < section->key_count; k++) {
        const scene_key *key = &section->keys[k];
        if (strlen(key->name) == length && strncmp(key->name, name, length) == 0) break;
        if (key->alias && strlen(key->alias) == length && strncmp(key->alias, name, length) == 0)
            break;
    }
    return k;
}
