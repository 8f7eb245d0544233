/* SPDX-License-Identifier: MIT
   ports/bindings/godot/tidepool.c - an extension of Godot: the class Tidepool, whose method
           dam_break(frames) returns the hash of that scene. Its constants are those of tidepool.h.
   reads   tidepool.h, build/bindings/godot.inc      writes  one world per object
   memory  a block of a few hundred KB per object      cost  as the scene: some ms per frame
   after   host_tools/scenes/dam_break.scene; linked with libtidepool */
#include "engine.h"
#include "tidepool.h"
#include <stdlib.h>

static const struct constant {
    const char *list, *name;
    int64_t value;
} constants[] = {
#include "godot.inc"
};

#define FUNCTIONS(ITEM)                                     \
    ITEM(string_name_new_with_latin1_chars)                 \
    ITEM(string_new_with_latin1_chars)                      \
    ITEM(classdb_register_extension_class2)                 \
    ITEM(classdb_register_extension_class_method)           \
    ITEM(classdb_register_extension_class_integer_constant) \
    ITEM(classdb_unregister_extension_class)                \
    ITEM(classdb_construct_object)                          \
    ITEM(object_set_instance)                               \
    ITEM(get_variant_from_type_constructor)                 \
    ITEM(get_variant_to_type_constructor)
#define FUNCTION_MEMBER(name) godot_##name name;

static struct engine {
    void *library;
    FUNCTIONS(FUNCTION_MEMBER)
    godot_text class_name, parent_name, empty_name, empty_text;
    godot_convert int_of_variant, variant_of_int;
} engine;

static godot_text name_of(const char *name)
{
    godot_text made = {NULL};
    engine.string_name_new_with_latin1_chars(&made, name, 1);
    return made;
}

/* ---- the scene ---- */

static tp_result add_block(tp_world *world, uint32_t species, tp_vector at, tp_vector size,
                           uint32_t burst)
{
    tp_emitter_def def = tp_emitter_default();
    tp_emitter added;
    def.shape = TP_EMITTER_BOX;
    def.species = species;
    def.burst_count = burst;
    def.lattice_spacing = 0.11f;
    def.pose.position = at;
    def.size = size;
    return tp_emitter_add(world, &def, &added);
}

static tp_result add_plane(tp_world *world, tp_vector at, float w, float z, float friction)
{
    tp_collider_def def = tp_collider_default(TP_COLLIDER_PLANE);
    tp_collider added;
    def.friction = friction;
    def.pose.position = at;
    def.pose.rotation.w = w;
    def.pose.rotation.z = z;
    return tp_collider_add(world, &def, &added);
}

static tp_result fill(tp_world *world)
{
    const float half = 0.70710678f; /* the sine of an eighth of a turn */
    const tp_vector low = {0, 0, 0}, right = {10, 0, 0}, top = {0, 7.5f, 0};
    tp_field_def gravity = tp_field_default(TP_FIELD_GRAVITY);
    tp_field added;
    tp_result result =
        add_block(world, 0, (tp_vector){1.65f, 3.3f, 0}, (tp_vector){1.595f, 3.245f, 0}, 1800);
    if (result == TP_OK)
        result =
            add_block(world, 1, (tp_vector){8.68f, 2.75f, 0}, (tp_vector){1.265f, 2.695f, 0}, 1200);
    gravity.vector = (tp_vector){0, -9.8f, 0};
    if (result == TP_OK) result = tp_field_add(world, &gravity, &added);
    if (result == TP_OK)
        result = add_plane(world, low, 1, -0.0f, 0.05f); /* a hash counts its sign */
    if (result == TP_OK) result = add_plane(world, low, half, -half, 0);
    if (result == TP_OK) result = add_plane(world, right, half, half, 0);
    if (result == TP_OK) result = add_plane(world, top, 0, 1, 0);
    return result;
}

static tp_world_def definition(void)
{
    tp_world_def def = tp_world_default(2);
    def.particles_max = 3000;
    def.emitters_max = 2;
    def.sinks_max = 0;
    def.fields_max = 1;
    def.colliders_max = 4;
    def.solver = TP_SOLVER_SPH;
    def.seed = 1;
    def.sph.formulation = TP_SPH_INCOMPRESSIBLE;
    def.sph.smoothing_radius = 0.275f;
    def.sph.timestep_max = 0.0066f;
    def.substeps.is_adaptive = true;
    def.substeps.count = 3;
    def.substeps.count_max = 16;
    def.substeps.courant = 0.2f;
    def.species_count = 2;
    def.species[0].radius = 0.0495f;
    def.species[1] = def.species[0];
    def.species[1].mass = 1.4f;
    return def;
}

/* 0: no memory, or an error. */
static int64_t dam_break(int64_t frames)
{
    const tp_world_def def = definition();
    size_t bytes = 0;
    tp_world *world = NULL;
    tp_result result = tp_world_memory(&def, &bytes);
    void *block = result == TP_OK ? aligned_alloc(64, (bytes + 63) / 64 * 64) : NULL;
    if (!block) return 0;
    result = tp_world_create(&def, block, bytes, &world);
    if (result == TP_OK) result = fill(world);
    for (int64_t frame = 0; frame < frames && result == TP_OK; frame++)
        result = tp_frame(world, NULL, NULL);
    const int64_t hash = result == TP_OK ? (int64_t)tp_world_hash(world) : 0;
    free(block);
    return hash;
}

/* ---- the class ---- */

/* An instance needs no memory of its own: its address says only that there is one. */
static void *create(void *userdata)
{
    void *object = engine.classdb_construct_object(&engine.parent_name);
    (void)userdata;
    engine.object_set_instance(object, &engine.class_name, &engine);
    return object;
}

static void destroy(void *userdata, void *instance) { (void)userdata, (void)instance; }

static void call(void *userdata, void *instance, const godot_variant *const *arguments,
                 int64_t count, godot_variant *result, godot_call_error *error)
{
    int64_t frames = 0, hash;
    (void)userdata, (void)instance;
    error->error = count < 1 ? GODOT_CALL_TOO_FEW : count > 1 ? GODOT_CALL_TOO_MANY : GODOT_CALL_OK;
    error->expected = 1;
    if (count != 1) return;
    engine.int_of_variant(&frames, (void *)arguments[0]);
    hash = dam_break(frames);
    engine.variant_of_int(result, &hash);
}

static void call_typed(void *userdata, void *instance, const void *const *arguments, void *result)
{
    (void)userdata, (void)instance;
    *(int64_t *)result = dam_break(*(const int64_t *)arguments[0]);
}

static void register_method(void)
{
    godot_text name = name_of("dam_break"), argument = name_of("frames");
    godot_property result = {GODOT_TYPE_INT,     &engine.empty_name,
                             &engine.empty_name, 0,
                             &engine.empty_text, 6 /* stored, in the editor */};
    godot_property frames = result;
    int detail = 0;
    frames.name = &argument;
    godot_method method = {.name = &name,
                           .call = call,
                           .call_typed = call_typed,
                           .flags = GODOT_METHOD_NORMAL,
                           .has_result = 1,
                           .result = &result,
                           .argument_count = 1,
                           .arguments = &frames,
                           .argument_details = &detail};
    engine.classdb_register_extension_class_method(engine.library, &engine.class_name, &method);
}

static void begin(void *userdata, int level)
{
    const godot_class made = {.is_exposed = 1, .create = create, .free = destroy};
    (void)userdata;
    if (level != GODOT_LEVEL_SCENE) return;
    engine.class_name = name_of("Tidepool");
    engine.parent_name = name_of("RefCounted");
    engine.empty_name = name_of("");
    engine.string_new_with_latin1_chars(&engine.empty_text, "");
    engine.int_of_variant = engine.get_variant_to_type_constructor(GODOT_TYPE_INT);
    engine.variant_of_int = engine.get_variant_from_type_constructor(GODOT_TYPE_INT);
    engine.classdb_register_extension_class2(engine.library, &engine.class_name,
                                             &engine.parent_name, &made);
    register_method();
    for (size_t k = 0; k < sizeof constants / sizeof *constants; k++) {
        godot_text list = name_of(constants[k].list), name = name_of(constants[k].name);
        engine.classdb_register_extension_class_integer_constant(
            engine.library, &engine.class_name, &list, &name, constants[k].value, 0);
    }
}

static void end(void *userdata, int level)
{
    (void)userdata;
    if (level == GODOT_LEVEL_SCENE)
        engine.classdb_unregister_extension_class(engine.library, &engine.class_name);
}

/* The engine calls it first. 0: a function is missing, as in an engine before 4.2. */
uint8_t tidepool_godot(godot_function_of function_of, void *library, godot_start *start);
uint8_t tidepool_godot(godot_function_of function_of, void *library, godot_start *start)
{
    engine.library = library;
#define FUNCTION_LOAD(name) \
    if (!(engine.name = (godot_##name)function_of(#name))) return 0;
    FUNCTIONS(FUNCTION_LOAD)
    *start = (godot_start){GODOT_LEVEL_SCENE, NULL, begin, end};
    return 1;
}
