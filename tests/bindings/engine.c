/* SPDX-License-Identifier: MIT
   tests/bindings/engine.c LIBRARY FRAMES - a stand-in for Godot: loads the extension, sees its
           class, calls its method through the registered pointers, and prints the hash.
   reads   LIBRARY      writes  what is wrong; last the hash
   memory  some KB and the extension's      cost  twice the scene
   after   own design; values and texts are those of this program, as an engine's are its own */
#include "../../ports/bindings/godot/engine.h"
#include "tidepool.h"
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct godot_variant {
    uint64_t words[3];
};

static struct seen {
    char name[32], parent[32], method[32];
    godot_class made;
    godot_method method_made;
    uint32_t constants, matches, classes;
    void *instance;
    const char *missing; /* a function that this engine does not have */
} seen;

static char library, object;

static void need(bool is_good, const char *what)
{
    if (is_good) return;
    printf("the extension is wrong: %s\n", what);
    exit(1);
}

static const char *text_of(const godot_text *text) { return text->data; }

static void copy(char *to, const godot_text *text) { snprintf(to, 32, "%s", text_of(text)); }

/* The extension says that its texts stay. */
static void new_name(godot_text *to, const char *text, uint8_t is_static)
{
    need(is_static == 1, "a name that does not stay");
    memcpy(&to->data, &text, sizeof text);
}

static void new_text(godot_text *to, const char *text) { memcpy(&to->data, &text, sizeof text); }

static void register_class(void *from, const godot_text *name, const godot_text *parent,
                           const godot_class *made)
{
    need(from == &library, "another library registers a class");
    copy(seen.name, name);
    copy(seen.parent, parent);
    seen.made = *made;
    seen.classes++;
}

static void register_method(void *from, const godot_text *name, const godot_method *made)
{
    need(from == &library && strcmp(text_of(name), seen.name) == 0, "a method of another class");
    copy(seen.method, made->name);
    seen.method_made = *made;
    need(made->has_result && made->result->type == GODOT_TYPE_INT, "the result is no int");
    need(made->argument_count == 1 && made->arguments[0].type == GODOT_TYPE_INT, "the argument");
    need(strcmp(text_of(made->arguments[0].name), "frames") == 0, "the argument's name");
    need(*text_of(made->result->hint_text) == 0 && *text_of(made->result->class_name) == 0,
         "a hint");
}

static void register_constant(void *from, const godot_text *name, const godot_text *list,
                              const godot_text *constant, int64_t value, uint8_t is_bits)
{
    need(from == &library && strcmp(text_of(name), seen.name) == 0 && !is_bits, "a constant");
    seen.constants++;
    if (strcmp(text_of(constant), "TP_SOLVER_SPH") == 0)
        seen.matches += value == TP_SOLVER_SPH && strcmp(text_of(list), "tp_solver") == 0;
    if (strcmp(text_of(constant), "TP_ERROR_MEMORY") == 0) seen.matches += value == TP_ERROR_MEMORY;
}

static void unregister_class(void *from, const godot_text *name)
{
    need(from == &library && strcmp(text_of(name), seen.name) == 0, "the class that ends");
    seen.classes--;
}

static void *construct(const godot_text *name)
{
    need(strcmp(text_of(name), seen.parent) == 0, "an object of another class");
    return &object;
}

static void set_instance(void *to, const godot_text *name, void *instance)
{
    need(to == &object && strcmp(text_of(name), seen.name) == 0, "an instance of another class");
    seen.instance = instance;
}

/* A variant here: its type and its value. */
static void int_of_variant(void *to, void *from)
{
    const godot_variant *variant = from;
    need(variant->words[0] == GODOT_TYPE_INT, "a variant that is no int");
    memcpy(to, &variant->words[1], 8);
}

static void variant_of_int(void *to, void *from)
{
    godot_variant *variant = to;
    variant->words[0] = GODOT_TYPE_INT;
    memcpy(&variant->words[1], from, 8);
}

static godot_convert from_type(int type) { return type == GODOT_TYPE_INT ? variant_of_int : NULL; }
static godot_convert to_type(int type) { return type == GODOT_TYPE_INT ? int_of_variant : NULL; }

static godot_unused function_of(const char *name)
{
    static const struct {
        const char *name;
        godot_unused function;
    } functions[] = {
        {"string_name_new_with_latin1_chars", (godot_unused)new_name},
        {"string_new_with_latin1_chars", (godot_unused)new_text},
        {"classdb_register_extension_class2", (godot_unused)register_class},
        {"classdb_register_extension_class_method", (godot_unused)register_method},
        {"classdb_register_extension_class_integer_constant", (godot_unused)register_constant},
        {"classdb_unregister_extension_class", (godot_unused)unregister_class},
        {"classdb_construct_object", (godot_unused)construct},
        {"object_set_instance", (godot_unused)set_instance},
        {"get_variant_from_type_constructor", (godot_unused)from_type},
        {"get_variant_to_type_constructor", (godot_unused)to_type}};
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        if (strcmp(functions[k].name, name) == 0 && (!seen.missing || strcmp(seen.missing, name)))
            return functions[k].function;
    return NULL;
}

/* Called with variants, as from a script, and with typed pointers; both with one argument only. */
static int64_t call(int64_t frames)
{
    godot_variant argument = {{GODOT_TYPE_INT, 0, 0}}, result = {{0}};
    const godot_variant *arguments[2] = {&argument, &argument};
    const void *typed[1] = {&frames};
    godot_call_error error = {-1, 0, 0};
    int64_t hash = 0, again = 0;
    memcpy(&argument.words[1], &frames, 8);
    seen.method_made.call(NULL, seen.instance, arguments, 2, &result, &error);
    need(error.error == GODOT_CALL_TOO_MANY && error.expected == 1, "two arguments are called");
    seen.method_made.call(NULL, seen.instance, arguments, 0, &result, &error);
    need(error.error == GODOT_CALL_TOO_FEW && result.words[0] == 0, "no argument is called");
    seen.method_made.call(NULL, seen.instance, arguments, 1, &result, &error);
    need(error.error == GODOT_CALL_OK, "a call");
    int_of_variant(&hash, &result);
    seen.method_made.call_typed(NULL, seen.instance, typed, &again);
    need(hash == again, "a typed call has another result");
    return hash;
}

int main(int count, char **arguments)
{
    uint8_t (*entry)(godot_function_of, void *, godot_start *) = NULL;
    godot_start start = {0};
    void *opened = count == 3 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    void *symbol = opened ? dlsym(opened, "tidepool_godot") : NULL;
    need(symbol != NULL, "no library with the entry symbol");
    memcpy(&entry, &symbol, sizeof entry);
    seen.missing = "classdb_register_extension_class2";
    need(entry(function_of, &library, &start) == 0, "an engine before 4.2 is taken");
    seen.missing = NULL;
    need(entry(function_of, &library, &start) == 1, "it does not start");
    for (int level = 0; level < 4; level++) {
        start.begin(start.userdata, level);
        need((seen.classes == 1) == (level >= start.level_min), "the level of the class");
    }
    need(!strcmp(seen.name, "Tidepool") && !strcmp(seen.parent, "RefCounted"), "the class");
    need(!strcmp(seen.method, "dam_break") && seen.made.is_exposed, "the method");
    need(seen.constants > 150 && seen.matches == 2, "the constants");
    need(seen.made.create(seen.made.userdata) == &object && seen.instance, "the object");
    int64_t hash = call(atoll(arguments[2]));
    seen.made.free(seen.made.userdata, seen.instance);
    for (int level = 3; level >= 0; level--) start.end(start.userdata, level);
    need(seen.classes == 0, "the class stays");
    printf("%016" PRIx64 "\n", (uint64_t)hash);
    return dlclose(opened) == 0 ? 0 : 1;
}
