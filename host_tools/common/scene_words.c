/* SPDX-License-Identifier: MIT
   host_tools/common/scene_words.c - translates error sentences of the runtime to the field names of
           the scene file.
   reads   a sentence of a tp_*_check      writes  the message with the line of the field
   memory  none      cost    O(length * fields)
   after   own design: the tables of fields and choices serve as dictionary */
#include "scene_private.h"
#include <ctype.h>
#include <string.h>

/* Runtime fields that a scene writes in other units or under several names, or that are no field of
   a scene. */
static const struct {
    const char *there, *here;
    bool is_phrase; /* not a field: a phrase for messages */
} other_names[] = {{"rate_numerator", "rate", false},
                   {"lifetime_ticks", "lifetime", false},
                   {"age_ticks", "age", false},
                   {"feed_ticks", "feed_time", false},
                   {"pose", "position", false},
                   {"vector", "acceleration", false},
                   {"vector", "velocity", false},
                   {"vector", "axis", false},
                   {"vector", "half", false},
                   {"sample_count", "heights", false},
                   {"samples", "distance", false},
                   {"indices", "mesh", false},
                   {"vertex_count", "mesh", false},
                   {"triangle_count", "mesh", false},
                   {"room_words", "rooms", false},
                   {"rest_length", "the lattice", true},
                   {"break_length", "break", false},
                   {"links_max", "a body with links", true},
                   {"species_count", "number of species", true},
                   {"pair.table_max", "table", true},
                   {"sph.mix_count", "the number of mixes", true},
                   {"slice_units", "the world's slice", true},
                   {"geometry_bytes_max", "the memory of meshes, heights and grids", true}};
enum { OTHER_NAMES = sizeof other_names / sizeof other_names[0] };

/* Sentences about two fields, shortened to the first field. */
static const char *const shorter[][2] = {
    {"rate_numerator / rate_denominator ", "rate_numerator "},
    {"rate_numerator times frames_per_second_denominator must be below 2^43: shorten the fractions",
     "rate_numerator is too long a fraction with this frame rate: give fewer digits"},
};

/* Row of the scene field for a runtime name; prefers a field that is given in the scene. key_count:
   none. */
static size_t key_of(const scene_section *section, const scene_mark *mark, const char *word,
                     size_t length)
{
    size_t best = scene_find_key(section, word, length);
    if (best < section->key_count && (!mark || mark->lines[best])) return best;
    for (size_t i = 0; i < OTHER_NAMES; i++) {
        const char *there = other_names[i].there, *here = other_names[i].here;
        if (other_names[i].is_phrase || strlen(there) != length ||
            strncmp(there, word, length) != 0)
            continue;
        size_t k = scene_find_key(section, here, strlen(here));
        if (k < section->key_count && mark && mark->lines[k]) return k;
        if (best == section->key_count) best = k;
    }
    return best;
}

/* ---- translates a sentence word by word */

typedef struct scene_sentence {
    char text[400];
    size_t used;
    scene_section_kind kind; /* section that the sentence is about */
    const char *key;         /* the field that the sentence begins with; NULL: none */
    const char *last;        /* the field named by the previous word; NULL: none */
} scene_sentence;

static void add(scene_sentence *to, const char *text, size_t length)
{
    size_t room = sizeof to->text - 1 - to->used;
    if (length > room) length = room;
    memcpy(to->text + to->used, text, length);
    to->used += length;
    to->text[to->used] = 0;
}

static void add_text(scene_sentence *to, const char *text) { add(to, text, strlen(text)); }

static void add_section(scene_sentence *to, size_t section)
{
    if (section == (size_t)to->kind) return;
    add_text(to, " (");
    add_text(to, scene_sections[section].name);
    add_text(to, ")");
}

static bool same_letters(const char *word, const char *capitals, size_t length)
{
    size_t i = 0;
    while (i < length && word[i] && toupper((unsigned char)word[i]) == capitals[i]) i++;
    return i == length && !word[i];
}

/* Translates enum names such as TP_SOLVER_SPH to a choice: of the own section if possible,
   otherwise of the first section that has it. */
static bool add_choice(scene_sentence *to, size_t section, const char *word, size_t length)
{
    const char *tail = memchr(word + 3, '_', length - 3);
    if (!tail) return false;
    tail++;
    bool is_shape = same_letters(scene_sections[section].name, word + 3, (size_t)(tail - word) - 4);
    for (size_t k = 0; k < scene_sections[section].key_count; k++) {
        const scene_key *key = &scene_sections[section].keys[k];
        bool is_key = is_shape || same_letters(key->name, word + 3, (size_t)(tail - word) - 4);
        for (size_t c = 0; is_key && key->choices && key->choices[c]; c++) {
            if (!same_letters(key->choices[c], tail, length - (size_t)(tail - word))) continue;
            bool is_known = to->last && strcmp(to->last, key->name) == 0;
            if (to->key && strcmp(to->key, key->name) == 0) is_known = true;
            if (!is_known) add_text(to, key->name), add_text(to, " = ");
            if (is_known && to->last) add_text(to, "= ");
            add_text(to, key->choices[c]);
            if (!is_known) add_section(to, section);
            return true;
        }
    }
    return false;
}

static bool add_key(scene_sentence *to, size_t section, const char *word, size_t length)
{
    size_t k = key_of(&scene_sections[section], NULL, word, length);
    if (k == scene_sections[section].key_count) return false;
    const scene_key *key = &scene_sections[section].keys[k];
    add_text(to, key->name);
    if (key->value == SCENE_YES) add_text(to, " = yes");
    add_section(to, section);
    to->last = key->name;
    return true;
}

static bool add_phrase(scene_sentence *to, const char *word, size_t length)
{
    for (size_t i = 0; i < OTHER_NAMES; i++) {
        if (strlen(other_names[i].there) != length ||
            strncmp(other_names[i].there, word, length) != 0)
            continue;
        if (other_names[i].is_phrase) add_text(to, other_names[i].here);
        if (other_names[i].is_phrase) return true;
    }
    return false;
}

/* A word is a runtime name if it has an upper-case prefix, an underscore or a point; all other
   words are plain English. */
static void add_word(scene_sentence *to, const char *word, size_t length)
{
    bool is_choice = length > 3 && strncmp(word, "TP_", 3) == 0, is_done = false;
    bool is_name = !is_choice && isalpha((unsigned char)word[0]) &&
                   (memchr(word, '_', length) || memchr(word, '.', length));
    if (is_choice) is_done = add_choice(to, to->kind, word, length);
    if (is_name) is_done = add_phrase(to, word, length) || add_key(to, to->kind, word, length);
    for (size_t s = 0; (is_choice || is_name) && !is_done && s < SCENE_SECTIONS; s++)
        is_done = is_choice ? add_choice(to, s, word, length) : add_key(to, s, word, length);
    if (is_done) return;
    add(to, word, length);
    const scene_section *own = &scene_sections[to->kind];
    size_t k = scene_find_key(own, word, length);
    to->last = k < own->key_count ? own->keys[k].name : NULL;
}

static void add_sentence(scene_sentence *to, const char *from)
{
    while (*from) {
        size_t length = 0;
        while (isalnum((unsigned char)from[length]) || from[length] == '_' ||
               (from[length] == '.' && isalnum((unsigned char)from[length + 1])))
            length++;
        if (length) add_word(to, from, length);
        if (!length) add(to, from, 1);
        from += length ? length : 1;
    }
}

/* ---- messages */

static const char *shortened(const char *sentence, char *text, size_t size)
{
    for (size_t i = 0; i < sizeof shorter / sizeof shorter[0]; i++) {
        size_t length = strlen(shorter[i][0]);
        if (strncmp(sentence, shorter[i][0], length) != 0) continue;
        snprintf(text, size, "%s%s", shorter[i][1], sentence + length);
        return text;
    }
    return sentence;
}

int scene_refused(const scene *source, scene_section_kind kind, const scene_mark *mark,
                  const char *sentence)
{
    char text[400];
    scene_sentence told = {.kind = kind};
    const scene_section *section = &scene_sections[kind];
    sentence = shortened(sentence, text, sizeof text);
    size_t length = strcspn(sentence, " :");
    size_t k = key_of(section, mark, sentence, length);
    size_t whole = (size_t)(strchr(sentence, '.') ? strchr(sentence, '.') - sentence : 0);
    if (k == section->key_count && whole && whole < length) {
        k = key_of(section, mark, sentence, whole); /* half.y */
        length = k < section->key_count ? whole + 1 : length;
    }
    bool has_key = k < section->key_count;
    if (has_key) told.key = section->keys[k].name;
    if (has_key) sentence += length;
    while (*sentence == ' ' || (has_key && *sentence == ':')) sentence++;
    add_sentence(&told, sentence);
    uint32_t line = has_key && mark->lines[k] ? mark->lines[k] : mark->line;
    return scene_problem(source, line, told.key, "%s", told.text);
}
