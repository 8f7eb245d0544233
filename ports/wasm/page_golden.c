/* SPDX-License-Identifier: MIT
   ports/wasm/page_golden.c - runs one scene of the golden table in the page.
   reads   tests/golden/golden.h, scenes.h      writes  one static block
   memory  GOLDEN_BLOCK_BYTES      cost    forty frames of 240 particles, some milliseconds
   after   own design; separate from page.c, so that the run does not change the tank */
#include "page.h"
#include "../../tests/golden/golden.h"
#include "../../tests/golden/scenes.h"

/* Selected by index, not by name: the linker then drops the other scenes, 140 KB of the page. */
#define PAGE_GOLDEN_ROW   fluid_2d
#define PAGE_GOLDEN_SCENE (&golden_scenes[0])

/* The hashes as struct members named after their scenes, so that a removed row is a compile
   error. */
#define PAGE_GOLDEN_FIELD(name, hash) uint64_t name;
#define PAGE_GOLDEN_VALUE(name, hash) hash,
static const struct page_golden_table {
    GOLDEN_TABLE(PAGE_GOLDEN_FIELD)
} page_golden_table = {GOLDEN_TABLE(PAGE_GOLDEN_VALUE)};
#undef PAGE_GOLDEN_FIELD
#undef PAGE_GOLDEN_VALUE

#define PAGE_GOLDEN_TEXT(name)   PAGE_GOLDEN_QUOTED(name)
#define PAGE_GOLDEN_QUOTED(name) #name

static _Alignas(16) unsigned char page_golden_block[GOLDEN_BLOCK_BYTES];

static bool page_golden_equal(const char *a, const char *b)
{
    while (*a && *a == *b) a++, b++;
    return *a == *b;
}

/* True if the index has the expected name, and the scene has no callbacks and no budget, which this
   runner lacks. */
static bool page_golden_is_right(const golden_scene *scene)
{
    return page_golden_equal(scene->name, page_golden_name()) && scene->units == 0 &&
           !scene->before_frame && !scene->after_frame && !scene->after_run;
}

uint64_t page_golden(void)
{
    const golden_scene *scene = PAGE_GOLDEN_SCENE;
    golden_stage stage = {0};
    if (!page_golden_is_right(scene)) return 0;
    tp_world_def def;
    scene->define(&def);
    golden_note(&stage,
                tp_world_create(&def, page_golden_block, sizeof page_golden_block, &stage.world));
    if (stage.result == TP_OK) scene->fill(&stage);
    tp_budget budget = {.frames_max = 1};
    for (uint32_t frame = 0; frame < scene->frames && stage.result == TP_OK; frame++)
        golden_note(&stage, tp_frame(stage.world, &budget, NULL));
    return stage.result == TP_OK ? tp_world_hash(stage.world) : 0;
}

uint64_t page_golden_hash(void) { return page_golden_table.PAGE_GOLDEN_ROW; }

const char *page_golden_name(void) { return PAGE_GOLDEN_TEXT(PAGE_GOLDEN_ROW); }
