/* SPDX-License-Identifier: MIT
   tests/harness/scene_help.c - scenes from texts, for tests.
   reads   texts      writes  a scene and its world
   memory  see scene_help.h      cost    see scene_help.h
   after   own design */
#include "scene_help.h"
#include "common/loop.h"
#include "files_help.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void scene_try(void *attempt)
{
    scene_attempt *this = attempt;
    size_t bytes = 0;
    this->memory = NULL;
    this->code = scene_parse(&this->result, "test.scene", this->folder, this->text);
    if (this->code) return;
    this->code = scene_memory(&this->result, &bytes);
    void *block = this->code ? NULL : stage_block(bytes, &this->memory);
    if (block) this->code = scene_create_world(&this->result, block, bytes, &this->world);
    if (this->code) scene_drop(this);
}

void scene_drop(scene_attempt *attempt)
{
    scene_free(&attempt->result);
    free(attempt->memory);
    attempt->memory = NULL;
}

bool scene_takes(scene_attempt *attempt, const char *text, const char *folder)
{
    *attempt = (scene_attempt){.text = text, .folder = folder};
    char *errors = test_errors_of(scene_try, attempt);
    test_note("scene: %s\n    got: %s", text, errors);
    bool is_good = CHECK(attempt->code == HOST_DONE) && CHECK(errors[0] == 0);
    if (!is_good && !attempt->code) scene_drop(attempt);
    free(errors);
    return is_good;
}

size_t test_count_lines(const char *text)
{
    size_t count = 0;
    for (; *text; text++) count += *text == '\n';
    return count;
}

/* True if the text contains a constant of the header, or a number with the suffix of a float. */
static bool speaks_c(const char *text)
{
    for (const char *at = text; *at; at++)
        if (*at == 'f' && at > text && isdigit((unsigned char)at[-1]) &&
            !isalnum((unsigned char)at[1]))
            return true;
    return strstr(text, "TP_") || strstr(text, "_ticks") || strstr(text, "_numerator");
}

void scene_refuses(const char *text, const char *wanted)
{
    scene_attempt this = {.text = text, .folder = "."};
    char *errors = test_errors_of(scene_try, &this);
    test_note("scene: %s\n    wanted: %s\n    got: %s", text, wanted, errors);
    CHECK(this.code == HOST_BAD_INPUT);
    CHECK(strstr(errors, wanted) != NULL);
    CHECK(test_count_lines(errors) == 1);
    CHECK(!speaks_c(errors));
    if (!this.code) scene_drop(&this);
    free(errors);
}
