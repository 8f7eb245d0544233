/* SPDX-License-Identifier: MIT
   tests/unit/test_scene.c - scene files: parsed values; every mistake is reported once, with its
           line.
   reads   texts below, the shipped scenes      writes  files in a temporary folder
   memory  small      cost    milliseconds, and one block for each shipped scene
   after   own design */
#include "common/loop.h"
#include "common/scene.h"
#include "common/words.h"
#include "files_help.h"
#include "scene_help.h"
#include "world_help.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORLD "world\n dimensions = 2\n"
#define OILS  WORLD " solver = sph\nspecies oil\nspecies water\n mass = 1\n"

/* ---- mistakes */

static void mistakes_in_headings_name_their_line(void)
{
    scene_refuses("", "tidepool: test.scene: has no section");
    scene_refuses("# only a comment\n", "has no section");
    scene_refuses("wrld\n", "test.scene:1: unknown section 'wrld'; did you mean 'world'?");
    scene_refuses("zzzzzz\n", "test.scene:1: unknown section 'zzzzzz'; allowed: world");
    scene_refuses("zzzzzz\n", "emitter, body, sheet, ring, sink, field");
    scene_refuses("sph\n", "test.scene:1: section 'sph' comes before 'world'");
    scene_refuses("dimensions = 2\n",
                  "test.scene:1: field 'dimensions': stands before any section");
    scene_refuses(WORLD "emitter left\nemitter right\nemitter left\n",
                  "test.scene:5: section 'emitter left' appears twice; the first is at line 3");
    scene_refuses(WORLD "collider c\n shape = plane\ncollider c\n shape = plane\n",
                  "test.scene:5: section 'collider c' appears twice; the first is at line 3");
    scene_refuses(WORLD "sink s\nsink s\n",
                  "test.scene:4: section 'sink s' appears twice; the first is at line 3");
    scene_refuses(WORLD "field f\n kind = gravity\nfield f\n",
                  "test.scene:5: section 'field f' appears twice; the first is at line 3");
    scene_refuses(
        WORLD "emitter c\ncollider c\n shape = sphere\nmotion c\n",
        "test.scene:6: motion 'c': both a collider (line 4) and an emitter (line 3) have that "
        "name");
    scene_refuses(WORLD "world\n",
                  "test.scene:3: section 'world' appears twice; the first is at line 1");
    scene_refuses(WORLD "emitter\n", "test.scene:3: section 'emitter' needs a name");
    scene_refuses(WORLD "sph water\n", "test.scene:3: section 'sph' takes no name");
    scene_refuses("world\n title = x\nsph\n",
                  "test.scene:1: field 'dimensions': is missing; allowed: 2 or 3");
    scene_refuses("world\n", "test.scene:1: field 'dimensions': is missing");
}

static void mistakes_in_fields_name_line_and_field(void)
{
    scene_refuses(
        WORLD " particels = 5\n",
        "test.scene:3: field 'particels': 'world' has no such field; did you mean 'particles'?");
    scene_refuses(WORLD " qqqqqqqq = 5\n", "has no such field; allowed: title, dimensions");
    scene_refuses(WORLD " particles = 0\n",
                  "test.scene:3: field 'particles': '0' is out of range; allowed: 1 to 16777215");
    scene_refuses(WORLD " particles = 2.5\n", "field 'particles': '2.5' is not a whole number");
    scene_refuses(WORLD " particles = many\n", "field 'particles': 'many' is not one number");
    scene_refuses(WORLD " particles = 5 6\n", "field 'particles': '5 6' is not one number");
    scene_refuses(WORLD " particles =\n", "test.scene:3: field 'particles': has no value");
    scene_refuses(WORLD " seed = 1\n seed = 2\n",
                  "test.scene:4: field 'seed': is given twice; the first is at line 3");
    scene_refuses(WORLD " solver = shp\n",
                  "field 'solver': 'shp' is not an allowed word; allowed: none, "
                  "sph, pair, cloth, vortex; did you mean 'sph'?");
    scene_refuses(WORLD " births = maybe\n",
                  "field 'births': 'maybe' is not an allowed word; allowed: yes or no");
    scene_refuses(WORLD " fps = 0\n", "field 'fps': '0' is not a frame rate; allowed: 0.1 to 1000");
    scene_refuses(WORLD "species a\nfield f\n kind = drag\n acceleration = 0 -9 m/s2\n",
                  "field 'acceleration': is not of this kind of field: remove it");
    scene_refuses(WORLD "species a\nfield f\n kind = drag\n half = -1 1\n",
                  "field 'half': of a drag must be the half sides of its box");
    scene_refuses(WORLD " fps = 1e3\n", "field 'fps'");
    scene_refuses(WORLD " fps = 5000\n", "test.scene:3: field 'fps': must be 0.1 to 1000");
    scene_refuses("world\n dimensions = 4\n",
                  "test.scene:2: field 'dimensions': '4' is out of range; allowed: 2 to 3");
    scene_refuses(WORLD "sph\n stiffness = nan\n",
                  "test.scene:4: field 'stiffness': 'nan' is not one number");
    scene_refuses(WORLD "sph\n smoothing_radius = 3 kg\n",
                  "field 'smoothing_radius': '3 kg' is not one number; "
                  "allowed: numbers with or without a unit (m, cm, mm)");
    scene_refuses(WORLD "sph\n arrangement = tidy\n",
                  "field 'arrangement': 'tidy' is not an allowed word; allowed: stored, compact");
    scene_refuses(WORLD "camera\n size = 800\n",
                  "field 'size': '800' is not the size of a picture; allowed: WIDTHxHEIGHT");
    scene_refuses(WORLD "camera\n view = up\n", "field 'view': 'up' is no view");
    scene_refuses(WORLD "camera\n background = #b8c6c\n",
                  "field 'background': '#b8c6c' is not a colour; allowed: #rrggbb");
}

static void mistakes_in_items_name_line_and_field(void)
{
    scene_refuses(WORLD "species a\nspecies a\n",
                  "test.scene:4: section 'species a' appears twice; the first is at line 3");
    scene_refuses(WORLD "species a\n colour = red\n",
                  "field 'colour': 'red' is not a colour; allowed: #rrggbb");
    scene_refuses(WORLD "species a\n rest_density = thick\n",
                  "field 'rest_density': 'thick' is not a density");
    scene_refuses(WORLD "species a\n mass = -1\n", "field 'mass': '-1' is out of range");
    scene_refuses(
        WORLD "emitter e\n species = oil\n",
        "test.scene:4: field 'species': 'oil' is not defined in this scene; allowed: particles");
    scene_refuses(WORLD "emitter e\n rate = fast\n", "field 'rate': 'fast' is not a rate");
    scene_refuses(WORLD "emitter e\n rate = 1/70000\n", "field 'rate': '1/70000' is not a rate");
    scene_refuses(WORLD "emitter e\n burst = fill\n",
                  "field 'burst': 'fill' needs 'shape = box' and a 'lattice'");
    scene_refuses(WORLD "emitter e\n position = 1\n", "field 'position': '1' is not two numbers");
    scene_refuses(WORLD "emitter e\n lifetime = 1000\n",
                  "field 'lifetime': is too long at this frame rate");
    scene_refuses(WORLD "emitter e\n shape = mesh\n mesh = missing.obj\n",
                  "test.scene:5: field 'mesh': 'missing.obj' cannot be read");
    scene_refuses(WORLD "field f\n acceleration = 0 1\n",
                  "test.scene:4: field 'acceleration': comes before 'kind'");
    scene_refuses("world\n dimensions = 3\ncollider c\n shape = mesh\n",
                  "test.scene:3: field 'mesh': is missing");
    scene_refuses(WORLD "collider c\n shape = plane\n normal = 0 0\n",
                  "field 'normal': '0 0' is not a direction");
    scene_refuses(WORLD "collider c\n shape = plane\n restitution = 1.5\n",
                  "field 'restitution': '1.5' is out of range; allowed: 0 to 1");
    scene_refuses(WORLD "collider c\n shape = heightfield\n columns = 4\n",
                  "field 'heights': is missing");
    scene_refuses(WORLD "collider c\n shape = heightfield\n columns = 4\n heights = 1 2 3\n",
                  "test.scene:6: field 'heights': has 3 numbers; columns 4 times rows 1 need 4");
    scene_refuses(WORLD "collider c\n shape = heightfield\n heights = 1 x\n",
                  "field 'heights': '1 x' is not a row of heights");
    scene_refuses(WORLD "motion m\n circle = 1\n",
                  "test.scene:3: motion 'm': no collider or emitter has that name");
    scene_refuses(WORLD "collider c\n shape = sphere\n radius = 1\nmotion c\nmotion c\n",
                  "test.scene:7: section 'motion c' appears twice; the first is at line 6");
    scene_refuses(WORLD "emitter e\nmotion e\n pose = 1 0\n",
                  "field 'pose': '1 0' is not a key pose; allowed: FRAME X Y [DEG]");
    scene_refuses(WORLD "emitter e\nmotion e\n pose = 5 0 0\n pose = 5 1 1\n",
                  "test.scene:6: field 'pose': '5 1 1' does not come later");
}

static void a_third_number_is_refused_in_two_dimensions(void)
{
    scene_refuses(WORLD "field g\n kind = gravity\n acceleration = 0 -9.8 4\n",
                  "test.scene:5: field 'acceleration': '0 -9.8 4' is not two numbers");
    scene_refuses(WORLD "emitter e\n position = 0 1 2 m\n",
                  "test.scene:4: field 'position': '0 1 2 m' is not two numbers");
    scene_refuses(WORLD "emitter e\n velocity = 0 1 0\n",
                  "test.scene:4: field 'velocity': '0 1 0' is not two");
    scene_refuses(WORLD "camera\n low = 0 0 0\n",
                  "test.scene:4: field 'low': '0 0 0' is not two numbers");
    scene_refuses(WORLD "emitter e\nmotion e\n swing = 1 0 0\n",
                  "test.scene:5: field 'swing': '1 0 0' is not two numbers");
    scene_refuses(
        WORLD "collider c\n shape = plane\n normal = 0 1 0\n",
        "test.scene:5: field 'normal': '0 1 0' is not a direction; allowed: two numbers, not "
        "both 0");
    scene_refuses(
        WORLD "sink s\n shape = plane\n normal = 0 1 0\n",
        "test.scene:5: field 'normal': '0 1 0' is not a direction; allowed: two numbers, not "
        "both 0");
    scene_refuses(WORLD "field v\n kind = vortex\n axis = 0 0 1\n",
                  "test.scene:5: field 'axis': is not needed in two dimensions");
    scene_refuses("world\n dimensions = 3\nfield g\n kind = gravity\n acceleration = 0 -9.8\n",
                  "test.scene:5: field 'acceleration': '0 -9.8' is not three numbers");
}

static void what_the_runtime_refuses_names_the_line_too(void)
{
    scene_refuses(
        WORLD " solver = sph\n integrator = kdk\n",
        "test.scene:4: field 'integrator': must be euler with solver = sph: the relaxation");
    scene_refuses(WORLD " solver = pair\n",
                  "test.scene:1: field 'integrator': must be kdk with solver = pair: its energy");
    scene_refuses(WORLD " solver = sph\nsubsteps\n count = 5\n count_max = 3\n",
                  "test.scene:6: field 'count_max': must be at least");
    scene_refuses(
        WORLD " solver = sph\nspecies a\n tracer = yes\n",
        "test.scene:5: field 'tracer': needs solver = none (world): a tracer feels no pressure");
    scene_refuses(WORLD "collider c\n shape = sphere\n radius = 0\n", "field 'radius': ");
    scene_refuses(WORLD "emitter e\n lattice = 0.1\n",
                  "test.scene:4: field 'lattice': needs shape = box");
    scene_refuses(WORLD "emitter e\n rate = 4000000000\n",
                  "test.scene:4: field 'rate': must be at most 65536 births a frame");
    scene_refuses(WORLD " births = no\nsink s\n shape = age\n age = 1 s\n",
                  "test.scene:5: field 'shape': age needs a world with births = yes (world)");
    scene_refuses(WORLD " births = no\nemitter e\n lifetime = 1 s\n",
                  "test.scene:5: field 'lifetime': needs a world with births = yes (world)");
    scene_refuses(
        WORLD " births = no\nemitter e\n feed = trails\n",
        "test.scene:5: field 'feed': with trails needs a world with births = yes (world)");
    scene_refuses(WORLD "emitter e\n feed = deaths\n rate = 5 /s\n",
                  "test.scene:5: field 'rate': ");
    scene_refuses(
        WORLD "emitter e\n feed = deaths, birth\n",
        "test.scene:4: field 'feed': 'deaths, birth' names no events; allowed: some of deaths");
    scene_refuses(WORLD "emitter e\n feed = deaths\n feed_species = x\n",
                  "test.scene:5: field 'feed_species': 'x' is not defined in this scene");
    scene_refuses(WORLD "emitter e\n feed = deaths\n feed_births = 0\n",
                  "field 'feed_births': '0' is");
    scene_refuses(WORLD "emitter e\n word = -1\n",
                  "test.scene:4: field 'word': '-1' is out of range");
    scene_refuses(OILS "sph\n mix = oil 0.5 0.2\n",
                  "test.scene:8: field 'mix': 'oil 0.5 0.2' is no mix");
    scene_refuses(OILS "sph\n mix = oil water 0.5 2\n", "field 'mix': 'oil water 0.5 2' is no mix");
    scene_refuses(
        OILS "sph\n viscosity = 1\n mix = oil tar 0.5 0\n",
        "test.scene:9: field 'mix': 'tar' is not defined in this scene; allowed: oil, water");
    scene_refuses(OILS "sph\n mix = oil oil 0.5 0\n", "test.scene:8: field 'mix': 'oil' twice");
    scene_refuses(WORLD "field f\n kind = drag\n over_age = 0 1, 1\n",
                  "test.scene:5: field 'over_age': '0 1, 1' is not a curve");
    scene_refuses(WORLD "field f\n kind = drag\n over_age = 0 1, 0 2\n",
                  "test.scene:5: field 'over_age': must have");
    scene_refuses(WORLD "field f\n kind = wind\n over_age = 0 1\n",
                  "test.scene:5: field 'over_age': ");
    scene_refuses(WORLD "emitter e\n lifetime = 99331 s\n",
                  "field 'lifetime': is too long at this frame rate");
    scene_refuses(WORLD "emitter e\n shape = mesh\n", "test.scene:3: field 'mesh': is missing");
    scene_refuses(WORLD "emitter e\n start = 9\n stop = 9\n",
                  "test.scene:5: field 'stop': must be 0 or above start");
    scene_refuses(WORLD "collider c\n shape = mesh\n mesh = tests/unit/no.obj\n", "field 'mesh'");
    scene_refuses(WORLD "collider c\n shape = box\n half = 1 -1\n",
                  "test.scene:5: field 'half': y must be above 0");
    scene_refuses(WORLD "sink s\n shape = plane\n inverted = yes\n",
                  "test.scene:5: field 'inverted': needs shape = box or shape = sphere");
    scene_refuses(WORLD " solver = pair\n integrator = kdk\npair\n cutoff = 1\n overlap = 0.98\n",
                  "test.scene:6: field 'cutoff': must be 0.05 or more above overlap");
    scene_refuses(
        WORLD " periodic = x\n",
        "test.scene:3: field 'periodic': needs solver = pair or solver = sph: other solvers have "
        "open worlds");
    scene_refuses(WORLD " solver = sph\n fps = 1\n",
                  "sub-steps of timestep_max (sph) must cover a "
                  "frame, count_max (substeps) of them when adaptive");
    scene_refuses(
        WORLD " solver = sph\nsph\n formulation = double_density\n timestep_max = 20 ms\n",
        "test.scene:6: field 'timestep_max': must be at most 8.6 ms, the limit of this fluid");
    scene_refuses("world\n dimensions = 3\n solver = sph\nsph\n compat = yes\n",
                  "test.scene:5: field 'compat': needs dimensions 2 and solver = sph (world)");
    scene_refuses(WORLD " solver = sph\n particles = 16777215\nsph\n neighbours_max = 127\n",
                  "test.scene:4: field 'particles': times neighbours_max (sph) asks for a block");
    scene_refuses(WORLD "field f\n kind = gravity\n acceleration = 0 -1e7\n",
                  "test.scene:5: field 'acceleration': must be");
}

/* ---- allowed, but probably a mistake */

static void try_load(void *context)
{
    scene_attempt *this = context;
    this->code = scene_load(&this->result, this->text);
    if (!this->code) scene_free(&this->result);
}

/* NULL: no message. */
static void notes(const char *text, const char *wanted)
{
    char *folder = test_folder_make();
    scene_attempt this = {.text = test_text("%s/a.scene", folder), .folder = "."};
    test_file_write(this.text, text, strlen(text));
    char *errors = test_errors_of(try_load, &this);
    test_note("scene: %s\n    wanted: %s\n    got: %s", text, wanted ? wanted : "nothing", errors);
    CHECK(this.code == HOST_DONE);
    CHECK(wanted ? strstr(errors, wanted) != NULL : errors[0] == 0);
    CHECK(test_count_lines(errors) == (wanted ? 1 : 0));
    free(errors);
    test_folder_remove(folder);
}

#define TANK                                                                 \
    WORLD "collider floor\n shape = plane\n normal = 0 1\n"                  \
          "collider wall\n shape = plane\n position = 5 0\n normal = -1 0\n" \
          "collider ball\n shape = sphere\n position = 2 2\n radius = 1\n"
#define SPOUT "emitter e\n rate = 9 /s\n"

static void emitters_outside_the_tank_or_inside_a_solid_are_told(void)
{
    notes(TANK SPOUT " position = 4 1\n", NULL);
    notes(TANK SPOUT " position = 5.5 1\n",
          "a.scene:16: note: emitter 'e' lies outside the tank or inside a solid");
    notes(TANK SPOUT " position = 1 -0.5\n", "a.scene:16: note: emitter 'e' lies outside");
    notes(TANK SPOUT " position = 2.2 2.2\n", "a.scene:16: note: emitter 'e' lies outside");
    /* the ends of the emitter are outside the solid */
    notes(TANK SPOUT " shape = box\n size = 3 0.5\n position = 2 2\n", NULL);
    notes(TANK SPOUT " shape = box\n size = 0.5 0.5\n position = 2 2\n",
          "a.scene:18: note: emitter 'e' lies");
    notes(WORLD "collider h\n shape = heightfield\n columns = 9\n spacing = 1\n heights = 2 2 2 2 "
                "2 2 2 2 2\n" SPOUT " position = 4 1\n",
          "emitter 'e' lies outside");
    notes(WORLD "collider b\n shape = box\n half = 3 3\n hollow = yes\n" SPOUT " position = 4 1\n",
          "emitter 'e' lies outside");
    notes(TANK "emitter e\n position = 5.5 1\nemitter f\n rate = 1 /s\n position = 1 1\n", NULL);
}

static void a_camera_whose_high_is_below_its_low_is_told(void)
{
    notes(WORLD SPOUT "camera\n low = 0 0\n high = 2 1\n", NULL);
    notes(WORLD SPOUT "camera\n size = 80x60\n", NULL);
    notes(WORLD SPOUT "camera\n low = 0 0\n high = 2 -1\n",
          "a.scene:7: note: the camera's 'high' is not above its 'low' along each axis");
    notes(WORLD SPOUT "camera\n low = 3 0\n", "a.scene:6: note: the camera's 'high' is not above");
}

static void shipped_scenes_are_not_warned_of(void)
{
    for (size_t i = 0; scene_shipped_name(i); i++) {
        char *text = scene_shipped_text(scene_shipped_name(i));
        if (CHECK(text != NULL)) notes(text, NULL);
        free(text);
    }
}

#define LEVEL WORLD "collider c\n shape = mesh\n"

static void mistakes_in_levels_name_their_line(void)
{
    char *folder = test_folder_make();
    scene_attempt this = {.text = LEVEL " svg = a.svg\n", .folder = folder};
    scene_refuses(LEVEL, "test.scene:3: field 'chain': is missing, or has too few points");
    scene_refuses(LEVEL " chain = 1 2\n",
                  "test.scene:3: field 'chain': is missing, or has too few");
    scene_refuses(LEVEL " chain = 1 2 3\n",
                  "test.scene:5: field 'chain': '1 2 3' is not a list of");
    scene_refuses(LEVEL " chain = 1 2 3 1e7\n", "each up to 1e6 m");
    scene_refuses(LEVEL " points = 1 2\n", "field 'points': has no chain or polygon before it");
    scene_refuses(LEVEL " mesh = a.obj\n", "test.scene:5: field 'mesh': is for three dimensions");
    scene_refuses(LEVEL " row = ..\n row = X\xc3\xa4\n", "field 'row': row 2: has a character");
    scene_refuses(LEVEL " tiles = none.txt\n", "field 'tiles': 'none.txt' cannot be read");
    scene_refuses(LEVEL " svg = none.svg\n",
                  "test.scene:5: field 'svg': 'none.svg' cannot be read");
    scene_refuses(WORLD "collider c\n shape = box\n chain = 1 2 3 4\n", "is for 'shape = mesh'");
    scene_refuses(WORLD "collider c\n shape = box\n svg = a.svg\n", "'tiles' and 'svg' are for");
    scene_refuses("world\n dimensions = 3\ncollider c\n shape = mesh\n polygon = 1 2 3\n",
                  "field 'polygon': is for two dimensions");
    test_file_write(test_text("%s/a.svg", folder), "<svg><circle/></svg>", 20);
    char *errors = test_errors_of(scene_try, &this);
    CHECK(strstr(errors, "test.scene:5: field 'svg': 'a.svg', byte 6: element 'circle'") != NULL);
    free(errors);
    this.text = LEVEL " tiles = a.svg\n tile_size = 1e4\n";
    test_file_write(test_text("%s/a.svg", folder), "##\n#\1\n", 6);
    errors = test_errors_of(scene_try, &this);
    CHECK(strstr(errors, "test.scene:5: field 'tiles': 'a.svg', line 2: has a char") != NULL);
    free(errors);
    test_folder_remove(folder);
}

static void a_mesh_file_is_checked_before_anything_is_made(void)
{
    char *folder = test_folder_make();
    const char *path = test_text("%s/cut.obj", folder);
    scene_attempt this = {
        .text = "world\n dimensions = 3\ncollider c\n shape = mesh\n mesh = cut.obj\n",
        .folder = folder};
    test_file_write(path, "v 0 0 0\nv 1 0 0\nv 0 1\n", 22);
    char *errors = test_errors_of(scene_try, &this);
    CHECK(this.code == HOST_BAD_INPUT);
    CHECK(strstr(errors,
                 "test.scene:5: field 'mesh': 'cut.obj' has a vertex without three numbers") !=
          NULL);
    free(errors);
    test_file_write(path, "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 4\n", 32);
    errors = test_errors_of(scene_try, &this);
    CHECK(strstr(errors, "has a face with a corner that is no vertex") != NULL);
    free(errors);
    test_file_write(path, "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n\0f 1 2 4\n", 41);
    errors = test_errors_of(scene_try, &this);
    CHECK(strstr(errors, "is not text: it holds a zero byte") != NULL);
    free(errors);
    test_file_write(path, "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nf 1/1 2/2 4/4 -2\n", 49);
    errors = test_errors_of(scene_try, &this);
    if (CHECK(this.code == HOST_DONE)) {
        CHECK_EQ(this.result.colliders[0].def.triangle_count, 2);
        scene_drop(&this);
    }
    free(errors);
    test_folder_remove(folder);
}

/* ---- parsed values */

static void numbers_take_units(void)
{
    scene_attempt this;
    if (!scene_takes(
            &this,
            WORLD
            "sph\n smoothing_radius = 30 cm\n timestep_max = 8ms\nemitter e\n position = 10, 20 "
            "cm\n lifetime = 1.5 s\n"
            " rate = 37.5 /s\nspecies s\n mass = 500 g\n",
            "."))
        return;
    CHECK_NEAR(this.result.world.sph.smoothing_radius, 0.3f, 1e-7);
    CHECK_NEAR(this.result.world.sph.timestep_max, 0.008f, 1e-7);
    CHECK_NEAR(this.result.emitters[0].def.pose.position.x, 0.1f, 1e-7);
    CHECK_NEAR(this.result.emitters[0].def.pose.position.y, 0.2f, 1e-7);
    CHECK_EQ(this.result.emitters[0].def.lifetime_ticks, 90u * TP_TICKS_PER_FRAME);
    CHECK_EQ(this.result.emitters[0].def.rate_numerator, 75);
    CHECK_EQ(this.result.emitters[0].def.rate_denominator, 2);
    CHECK_NEAR(this.result.world.species[0].mass, 0.5f, 1e-7);
    scene_drop(&this);
}

static void rates_become_exact_fractions(void)
{
    uint32_t a, b;
    CHECK(words_fraction("37.5", &a, &b) && a == 75 && b == 2);
    CHECK(words_fraction("0.1", &a, &b) && a == 1 && b == 10);
    CHECK(words_fraction("30000/1001", &a, &b) && a == 30000 && b == 1001);
    CHECK(words_fraction("1.5/4.5", &a, &b) && a == 1 && b == 3);
    CHECK(words_fraction("0", &a, &b) && a == 0 && b == 1);
    CHECK(words_fraction("0.00002", &a, &b) && a == 1 && b == 50000);
    CHECK(!words_fraction("0.000001", &a, &b));
    CHECK(!words_fraction("-1", &a, &b));
    CHECK(!words_fraction("1/0", &a, &b));
    CHECK(!words_fraction("", &a, &b));
    CHECK(!words_fraction("12x", &a, &b));
    CHECK(!words_fraction("5000000000", &a, &b));
}

static void mixes_name_species_and_emitters_give_words(void)
{
    scene_attempt it;
    if (!scene_takes(&it,
                     OILS "sph\n mix = water, oil 0.5 0.25\nemitter e\n burst = 2\n"
                          " word = 7\n",
                     "."))
        return;
    const tp_sph *sph = &it.result.world.sph;
    CHECK(sph->mix_count == 1 && sph->mix[0].first == 1 && sph->mix[0].second == 0);
    CHECK(sph->mix[0].viscosity == 0.5f && sph->mix[0].cohesion == 0.25f);
    CHECK(it.result.world.keeps_words && it.result.emitters[0].def.word == 7);
    scene_drop(&it);
    if (!scene_takes(&it, WORLD " particles = 10\nemitter e\n burst = 2\n", ".")) return;
    CHECK(!it.result.world.keeps_words);
    scene_drop(&it);
}

static void comments_and_blanks_do_not_matter(void)
{
    scene_attempt this;
    if (!scene_takes(
            &this,
            "\n# hello = x\n  world   # the first\r\n\tdimensions=2 # two\n species s\n colour "
            "= #102030 "
            "# dark\n",
            "."))
        return;
    CHECK_EQ(this.result.species[0].colour, 0x102030ffu);
    CHECK_EQ(this.result.species[0].mark.line, 5);
    scene_drop(&this);
}

/* Published values of this solver: with stiffness 0.08, near stiffness 0.1 and h = 0.3, a square
   lattice of
   0.11638 is in balance at rest density 82. */
static void a_balanced_lattice_is_the_published_one(void)
{
    tp_world_def def = tp_world_default(2);
    CHECK_NEAR(scene_balanced_density(&def, 0.11638), 82.0, 0.05);
    CHECK_EQ(scene_lattice_count(2, &(tp_vector){0.5f, 0.3f, 0}, 0.1), 11 * 7);
    CHECK_EQ(scene_lattice_count(3, &(tp_vector){0.1f, 0.1f, 0.1f}, 0.1), 27);
}

static void own_sine_is_close_to_the_real_one(void)
{
    double worst = 0;
    for (int i = -4000; i <= 4000; i++)
        worst = fmax(worst, fabs(scene_sine(i / 777.0) - sin(6.283185307179586 * (i / 777.0))));
    CHECK(worst < 1e-10);
}

static void turns_take_up_to_where_they_say(void)
{
    const double right[3] = {1, 0, 0}, down[3] = {0, -2, 0}, quarter[3] = {0, 0, 90};
    tp_quaternion q = scene_turn_to(right);
    CHECK_NEAR(q.w, 0.70710678, 1e-6);
    CHECK_NEAR(q.z, -0.70710678, 1e-6);
    CHECK_NEAR(scene_turn_to(down).z, 1, 1e-6);
    CHECK_NEAR(scene_turn(quarter).z, 0.70710678, 1e-6);
}

static void motions_begin_where_the_section_says(void)
{
    scene_attempt this;
    if (!scene_takes(
            &this,
            WORLD
            "collider c\n shape = sphere\n radius = 1\n position = 3 4\nmotion c\n circle = 2\n "
            "period = 4 s\n start = 1 s\n"
            "emitter e\nmotion e\n pose = 10 0 0\n pose = 20 10 5 90\n",
            "."))
        return;
    const scene *source = &this.result;
    tp_pose pose = scene_collider_pose(source, 0, 0.5);
    CHECK_NEAR(pose.position.x, 3, 1e-6);
    CHECK_NEAR(pose.position.y, 4, 1e-6);
    pose = scene_collider_pose(source, 0, 3.0); /* half a turn */
    CHECK_NEAR(pose.position.x, -1, 1e-5);
    CHECK_NEAR(pose.position.y, 4, 1e-5);
    pose = scene_motion_pose(source, &source->motions[1], 15.0 / 60);
    CHECK_NEAR(pose.position.x, 5, 1e-5);
    CHECK_NEAR(pose.position.y, 2.5, 1e-5);
    CHECK_NEAR(pose.rotation.z, sin(3.14159265 / 8), 1e-5);
    CHECK_NEAR(scene_motion_pose(source, &source->motions[1], 9).position.x, 10, 1e-5);
    scene_drop(&this);
}

#define PAIRS                                                                                 \
    WORLD " particles = 40\n solver = pair\n integrator = kdk\nspecies bead\n sigma = 0.1\n " \
          "epsilon = 0\n"

static void bodies_are_lattices_with_links(void)
{
    scene_attempt this;
    size_t bytes;
    void *memory;
    tp_world *world = NULL;
    if (!scene_takes(&this,
                     PAIRS
                     "body block\n size = 1 0.5 m\n lattice = 0.5 m\n reach = 1.5\n stiffness = "
                     "7\n break = 2\n"
                     "body chain\n position = 3 0\n size = 1 0\n lattice = 0.5\n reach = 1\n "
                     "velocity = 1 2\n",
                     "."))
        return;
    CHECK_EQ(this.result.world.links_max, 12 + 10 + 16 + 4);
    CHECK(scene_memory(&this.result, &bytes) == HOST_DONE);
    void *block = stage_block(bytes, &memory);
    CHECK(scene_create_world(&this.result, block, bytes, &world) == HOST_DONE);
    tp_report report = tp_world_report(world);
    tp_view view = tp_world_view(world);
    CHECK_EQ(report.pools[TP_POOL_LINKS].used, 42);
    CHECK_EQ(view.count, 15 + 5);
    CHECK(view.x[0] == -1.0f && view.y[0] == -0.5f && view.x[1] == -0.5f && view.y[14] == 0.5f);
    CHECK(view.x[15] == 2.0f && view.x[19] == 4.0f && view.vx[19] == 1.0f && view.vy[19] == 2.0f);
    tp_link first = {0x10000u};
    tp_link_def link;
    CHECK(tp_link_get(world, first, &link) == TP_OK);
    CHECK(link.stiffness == 7.0f && link.break_length == 2 * link.rest_length);
    free(memory);
    scene_drop(&this);
}

/* A block of 3 x 5 has 4 corners and 12 particles on its rim, a chain 2 ends. */
static void pins_hold_corners_or_the_rim(void)
{
    static const char *const bodies[3] = {
        "body block\n size = 0.5 1\n lattice = 0.5\n reach = 0\n pin = corners\n",
        "body block\n size = 0.5 1\n lattice = 0.5\n reach = 0\n pin = rim\n",
        "body chain\n size = 1 0\n lattice = 0.5\n reach = 0\n pin = corners\n"};
    static const uint32_t pins[3] = {4, 12, 2};
    for (uint32_t k = 0; k < 3; k++) {
        scene_attempt this;
        size_t bytes;
        void *memory;
        tp_world *world = NULL;
        char text[400];
        (void)snprintf(text, sizeof text, PAIRS "%s stiffness = 7\n", bodies[k]);
        if (!scene_takes(&this, text, ".")) return;
        CHECK_EQ(this.result.world.links_max, pins[k]);
        CHECK(scene_memory(&this.result, &bytes) == HOST_DONE);
        void *block = stage_block(bytes, &memory);
        CHECK(scene_create_world(&this.result, block, bytes, &world) == HOST_DONE);
        CHECK_EQ(tp_world_report(world).pools[TP_POOL_LINKS].used, pins[k]);
        tp_link first = {0x10000u};
        tp_link_def link;
        CHECK(tp_link_get(world, first, &link) == TP_OK);
        CHECK(link.second == TP_ID_NONE && link.stiffness == 7.0f);
        CHECK(link.point.x == tp_world_view(world).x[0]);
        free(memory);
        scene_drop(&this);
    }
}

static void bad_bodies_are_told(void)
{
    scene_refuses(PAIRS "body block\n size = 1 1\n", "field 'lattice': is missing");
    scene_refuses(PAIRS "body block\n size = 9 1\n lattice = 0.1\n", "field 'size': needs");
    scene_refuses(PAIRS "body block\n size = -1 1\n lattice = 0.1\n",
                  "field 'size': has a side below 0");
    scene_refuses(PAIRS "body block\n lattice = 0.1\n reach = 4\n", "field 'reach'");
    scene_refuses(PAIRS "body block\n lattice = 0.1\n pin = top\n",
                  "field 'pin': 'top' names no particles; allowed: corners, rim");
    scene_refuses(PAIRS "body block\n lattice = 0.1\n species = mint\n", "field 'species': 'mint'");
    scene_refuses(
        WORLD " particles = 9\nbody block\n size = 1 1\n lattice = 1\n",
        "a body with links needs solver = pair or solver = sph: other solvers have no links");
}

#define VORTICES "world\n dimensions = 3\n particles = 40\n solver = vortex\n"

/* A ring around x of circulation -2 whose tracers have another species. */
static void rings_are_circles_of_vortons_and_tracers(void)
{
    scene_attempt this;
    size_t bytes;
    void *memory;
    tp_world *world = NULL;
    double sum[3] = {0, 0, 0}, impulse = 0;
    if (!scene_takes(&this,
                     VORTICES "vortex\n core = 0.3 m\nspecies a\nspecies b\nring r\n axis = 4 0 0\n"
                              " position = 1 2 3\n radius = 2\n circulation = -2\n vortons = 24\n"
                              " tracers = 16\n tube = 0.25\n smoke = b\n",
                     "."))
        return;
    CHECK_EQ(this.result.world.vortex.vortons_max, 24);
    CHECK(this.result.world.vortex.core == 0.3f);
    CHECK(scene_memory(&this.result, &bytes) == HOST_DONE);
    void *block = stage_block(bytes, &memory);
    CHECK(scene_create_world(&this.result, block, bytes, &world) == HOST_DONE);
    tp_view view = tp_world_view(world);
    CHECK_EQ(view.count, 40);
    for (uint32_t i = 0; i < view.count; i++) {
        double y = (double)view.y[i] - 2, z = (double)view.z[i] - 3, radius = sqrt(y * y + z * z);
        CHECK_EQ(TP_META_SPECIES(view.meta[i]), i < 24 ? 0 : 1);
        CHECK(hypot(radius - 2, (double)view.x[i] - 1) < (i < 24 ? 1e-5 : 0.251));
        sum[0] += (double)view.strength_x[i];
        sum[1] += (double)view.strength_y[i];
        sum[2] += (double)view.strength_z[i];
        impulse += 0.5 * (y * (double)view.strength_z[i] - z * (double)view.strength_y[i]);
        if (i >= 24) CHECK(view.strength_y[i] == 0 && view.strength_z[i] == 0);
    }
    for (uint32_t axis = 0; axis < 3; axis++) CHECK_NEAR(sum[axis], 0, 1e-5);
    CHECK_NEAR(impulse, -2 * 3.14159265 * 4, 1e-3); /* circulation times area, along the axis */
    free(memory);
    scene_drop(&this);
}

static void bad_rings_are_told(void)
{
    scene_refuses(VORTICES "ring r\n axis = 0 0 0\n", "field 'axis': is 0");
    scene_refuses(VORTICES "ring r\n vortons = 2\n", "field 'vortons'");
    scene_refuses(VORTICES "ring r\n vortons = 3000\nring s\n vortons = 2000\n",
                  "field 'vortons': of all rings are 5000");
    scene_refuses(VORTICES "ring r\n tracers = 9\n", "the rings need 73 particles");
    scene_refuses(VORTICES "ring r\n smoke = mint\n", "field 'smoke': 'mint'");
    scene_refuses("world\n dimensions = 3\nring r\n", "needs 'solver = vortex'");
    scene_refuses("world\n dimensions = 2\n solver = vortex\nring r\n",
                  "rings have three dimensions");
    scene_refuses("world\n dimensions = 2\n solver = vortex\nvortex\n nodes_x = 9\n nodes_y = 9\n"
                  " nodes_z = 9\n",
                  "vortex.grid_nodes must be 0 in two dimensions");
    scene_refuses(VORTICES "vortex\n follow = yw\n", "names no axes; allowed: some of x y z");
    scene_refuses(VORTICES "vortex\n follow = xz\n", "follow (vortex) needs vortex.grid_nodes");
}

static void shipped_scenes_are_good(void)
{
    size_t count = 0;
    for (; scene_shipped_name(count); count++) {
        scene_attempt this;
        char *text = scene_shipped_text(scene_shipped_name(count));
        test_note("scene %s", scene_shipped_name(count));
        if (CHECK(text != NULL) && scene_takes(&this, text, ".")) scene_drop(&this);
        free(text);
    }
    CHECK(count >= 5);
}

/* Jets from (0.05 W, 0.8 H) and (0.05 W, 0.9 H) of a view of 10 x 7.5 m: 3 particles every third
   sub-step of 1/140 s, across 0.2 m, at 5 m/s along (4, 1), 1500 each; the heavy one 6 s later. */
static void the_article_has_its_two_jets(void)
{
    stage opened;
    memset(&opened, 0, sizeof opened);
    if (!CHECK(scene_load(&opened.scene, "article") == HOST_DONE)) return;
    CHECK_EQ(opened.scene.emitter_count, 6);
    for (size_t e = 0; e < opened.scene.emitter_count; e++) {
        const tp_emitter_def *def = &opened.scene.emitters[e].def;
        bool is_heavy = e >= 3;
        double across = ((double)(e % 3) - 1) * 0.1, length = sqrt(17.0);
        test_note("emitter %zu", e);
        CHECK_NEAR((double)def->pose.position.x, 0.5 - across / length, 1e-4);
        CHECK_NEAR((double)def->pose.position.y, (is_heavy ? 6.75 : 6) + across * 4 / length, 1e-4);
        CHECK_NEAR((double)def->velocity.x, 5 * 4 / length, 1e-4);
        CHECK_NEAR((double)def->velocity.y, 5 / length, 1e-4);
        CHECK_NEAR((double)def->velocity_jitter, 0.5, 1e-6);
        CHECK(def->rate_numerator == 140 && def->rate_denominator == 3 && def->total_max == 500);
        CHECK(def->start_frame == (is_heavy ? 360u : 0u) && def->species == (is_heavy ? 1u : 0u));
    }
    if (CHECK(stage_open(&opened, 0) == HOST_DONE)) {
        test_world_frames(opened.world, 60);
        CHECK_EQ(tp_world_view(opened.world).count, 3 * (140 / 3));
    }
    stage_close(&opened);
}

/* A scene truncated at any byte is refused with one message. If it ends with a whole line, it may
   be accepted. */
static void a_scene_cut_within_a_line_is_refused(void)
{
    char *text = scene_shipped_text("stir");
    if (!CHECK(text != NULL)) return;
    for (size_t length = strlen(text) - 1; length > 0; length--) {
        scene_attempt this = {.text = text, .folder = "."};
        bool is_within = text[length - 1] != '\n';
        if (!is_within && length % 3) continue; /* creating worlds takes longer than refusals */
        text[length] = 0;
        char *errors = test_errors_of(scene_try, &this);
        test_note("stir.scene cut after %zu bytes: %s", length, errors);
        CHECK(this.code == HOST_BAD_INPUT || (this.code == HOST_DONE && !is_within));
        CHECK(test_count_lines(errors) == (this.code ? 1 : 0));
        if (is_within) CHECK(strstr(errors, "the file ends within this line") != NULL);
        if (!this.code) scene_drop(&this);
        free(errors);
    }
    free(text);
}

static void a_scene_without_its_last_line_end_is_refused(void)
{
    scene_refuses(
        "world\n dimensions = 2\nrun\n frames = 30",
        "test.scene:4: the file ends within this line; is it complete? End the last line with "
        "a new line");
    scene_refuses("world\n dimensions = 2\n ", "test.scene:3: the file ends within this line");
    scene_refuses("world", "test.scene:1: the file ends within this line");
}

static void nearest_words_are_near(void)
{
    const char *const list[] = {"particles", "seed", "solver"};
    CHECK(words_nearest("partciles", list, 3) == list[0]);
    CHECK(words_nearest("sed", list, 3) == list[1]);
    CHECK(words_nearest("solv", list, 3) == list[2]);
    CHECK(words_nearest("zebra", list, 3) == NULL);
}

/* Steps are those of the definition while the fluid falls freely, more when it hits the bowl, and
   the same again once it is calm. */
static void the_steps_of_tube_and_bowl_follow_its_courant_number(void)
{
    stage opened;
    memset(&opened, 0, sizeof opened);
    if (!CHECK(scene_load(&opened.scene, "tube_and_bowl") == HOST_DONE)) return;
    if (CHECK(stage_open(&opened, 0) == HOST_DONE)) {
        uint32_t most[3] = {0, 0, 0};
        for (uint32_t frame = 0; frame < 480; frame++) {
            test_world_frames(opened.world, 1);
            tp_report report = tp_world_report(opened.world);
            uint32_t part = frame < 20 ? 0 : frame < 120 ? 1 : frame >= 420 ? 2 : 3;
            if (part < 3 && report.steps_in_frame > most[part]) most[part] = report.steps_in_frame;
        }
        test_note("most steps of a frame: falling %u, impact %u, calm %u", most[0], most[1],
                  most[2]);
        CHECK(most[0] <= 4 && most[1] >= 6 && most[2] <= 4);
        CHECK_EQ(tp_world_report(opened.world).particles, 400);
    }
    stage_close(&opened);
}

static const test_case cases[] = {
    TEST_CASE(mistakes_in_headings_name_their_line),
    TEST_CASE(mistakes_in_fields_name_line_and_field),
    TEST_CASE(mistakes_in_items_name_line_and_field),
    TEST_CASE(a_third_number_is_refused_in_two_dimensions),
    TEST_CASE(what_the_runtime_refuses_names_the_line_too),
    TEST_CASE(emitters_outside_the_tank_or_inside_a_solid_are_told),
    TEST_CASE(a_camera_whose_high_is_below_its_low_is_told),
    TEST_CASE(shipped_scenes_are_not_warned_of),
    TEST_CASE(mistakes_in_levels_name_their_line),
    TEST_CASE(a_mesh_file_is_checked_before_anything_is_made),
    TEST_CASE(numbers_take_units),
    TEST_CASE(rates_become_exact_fractions),
    TEST_CASE(mixes_name_species_and_emitters_give_words),
    TEST_CASE(comments_and_blanks_do_not_matter),
    TEST_CASE(a_balanced_lattice_is_the_published_one),
    TEST_CASE(own_sine_is_close_to_the_real_one),
    TEST_CASE(turns_take_up_to_where_they_say),
    TEST_CASE(motions_begin_where_the_section_says),
    TEST_CASE(bodies_are_lattices_with_links),
    TEST_CASE(pins_hold_corners_or_the_rim),
    TEST_CASE(bad_bodies_are_told),
    TEST_CASE(rings_are_circles_of_vortons_and_tracers),
    TEST_CASE(bad_rings_are_told),
    TEST_CASE(shipped_scenes_are_good),
    TEST_CASE(the_article_has_its_two_jets),
    TEST_CASE(the_steps_of_tube_and_bowl_follow_its_courant_number),
    TEST_CASE(a_scene_cut_within_a_line_is_refused),
    TEST_CASE(a_scene_without_its_last_line_end_is_refused),
    TEST_CASE(nearest_words_are_near),
};
TEST_SUITE(scene, cases);
