/* SPDX-License-Identifier: MIT
   ports/bindings/godot/engine.h - what an extension of Godot 4.2 or later and its engine share.
   reads   nothing      writes  nothing: declarations
   memory  none         cost    none
   after   own declarations of those functions of the engine's C interface (GDExtension) that the
           sample uses, which the engine looks up by name */
#ifndef TIDEPOOL_GODOT_ENGINE_H
#define TIDEPOOL_GODOT_ENGINE_H
#include <stdint.h>

enum { GODOT_LEVEL_SCENE = 2, GODOT_TYPE_INT = 2, GODOT_METHOD_NORMAL = 1 };
enum { GODOT_CALL_OK, GODOT_CALL_TOO_MANY = 3, GODOT_CALL_TOO_FEW = 4, GODOT_CALL_NO_OBJECT = 5 };

/* A String or a StringName: one pointer, of the engine. */
typedef struct godot_text {
    void *data;
} godot_text;

/* A value of any type; its size is the engine's. */
typedef struct godot_variant godot_variant;

typedef struct godot_property {
    int type;
    godot_text *name, *class_name;
    uint32_t hint;
    godot_text *hint_text;
    uint32_t usage;
} godot_property;

typedef void (*godot_unused)(void);

/* As version 2 of the interface: those that stay null are not supplied. */
typedef struct godot_class {
    uint8_t is_virtual, is_abstract, is_exposed;
    godot_unused set, get, property_list, free_property_list, can_revert, revert, validate, notify,
        to_string, reference, unreference;
    void *(*create)(void *userdata); /* an object of the engine */
    void (*free)(void *userdata, void *instance);
    godot_unused recreate, virtual_of, virtual_data, call_virtual, rid;
    void *userdata;
} godot_class;

typedef struct godot_call_error {
    int error;
    int32_t argument, expected;
} godot_call_error;

typedef struct godot_method {
    godot_text *name;
    void *userdata;
    void (*call)(void *userdata, void *instance, const godot_variant *const *arguments,
                 int64_t count, godot_variant *result, godot_call_error *error);
    void (*call_typed)(void *userdata, void *instance, const void *const *arguments, void *result);
    uint32_t flags;
    uint8_t has_result;
    godot_property *result;
    int result_detail;
    uint32_t argument_count;
    godot_property *arguments;
    int *argument_details;
    uint32_t default_count;
    godot_variant **defaults;
} godot_method;

/* Filled in by the extension's entry function. */
typedef struct godot_start {
    int level_min;
    void *userdata;
    void (*begin)(void *userdata, int level);
    void (*end)(void *userdata, int level);
} godot_start;

typedef godot_unused (*godot_function_of)(const char *name);
typedef void (*godot_convert)(void *to, void *from);

/* The functions, by their names in the interface. */
typedef void (*godot_string_name_new_with_latin1_chars)(godot_text *, const char *,
                                                        uint8_t is_static);
typedef void (*godot_string_new_with_latin1_chars)(godot_text *, const char *);
typedef void (*godot_classdb_register_extension_class2)(void *library, const godot_text *name,
                                                        const godot_text *parent,
                                                        const godot_class *);
typedef void (*godot_classdb_register_extension_class_method)(void *library, const godot_text *name,
                                                              const godot_method *);
typedef void (*godot_classdb_register_extension_class_integer_constant)(
    void *library, const godot_text *name, const godot_text *list, const godot_text *constant,
    int64_t value, uint8_t is_bits);
typedef void (*godot_classdb_unregister_extension_class)(void *library, const godot_text *name);
typedef void *(*godot_classdb_construct_object)(const godot_text *name);
typedef void (*godot_object_set_instance)(void *object, const godot_text *name, void *instance);
typedef godot_convert (*godot_get_variant_from_type_constructor)(int type);
typedef godot_convert (*godot_get_variant_to_type_constructor)(int type);

#endif
