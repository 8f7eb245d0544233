/* SPDX-License-Identifier: MIT
   host_tools/commands/level.c - `tidepool level FILE`: a level of rooms as a scene, with its mesh
           and a picture.
   reads   a level file (rooms/FORMAT.md)      writes  NAME.obj, .mtl, .rooms, .scene, .light, .png
   memory  the file and its surface      cost    O(sectors), and the picture
   after   own design */
#include "commands.h"
#include "../common/host.h"
#include "../render/lit.h"
#include "../common/words.h"
#include "../rooms/rooms.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char help_level[] =
    "usage: tidepool level FILE --out DIR [--name NAME] [--scale S] [--flipped] [--size WxH]\n"
    "                      [--json] [--quiet]\n"
    "\n"
    "Reads a level of the classic format of rooms over squares (host_tools/rooms/FORMAT.md) and\n"
    "writes it as a world to fall through: DIR/NAME.scene with the closed surface of all rooms as\n"
    "a collider, DIR/NAME.obj and .mtl, its rooms, NAME.rooms, DIR/NAME.light for tidepool "
    "render,\n"
    "a picture, NAME.png, and, if floors kill, NAME_deadly.obj.\n"
    "\n"
    "  --out DIR    Folder of the files; made if there is none.\n"
    "  --name NAME  Their name (default: level).\n"
    "  --scale S    Metres per unit (default 0.001953125, 1/512: a sector has 2 m).\n"
    "  --flipped    The other state of the level: rooms are replaced by their alternates.\n"
    "  --size WxH   Width and height of the picture in pixels (default 640x480).\n"
    "  --json       Print one JSON object: rooms, hidden_rooms, water_rooms, water_fields,\n"
    "               dry_sectors (in boxes of water), portals, portal_pairs, portal_hops (most "
    "rooms\n"
    "               that portals lead through), capped_portals (they are walls), columns,\n"
    "               closed_columns, overlaps, points, triangles.\n"
    "  --quiet      Print only errors.\n"
    "\n"
    "example: tidepool level house.lvl --out out --name house && tidepool run out/house.scene\n";

enum {
    OPTION_OUT,
    OPTION_NAME,
    OPTION_SCALE,
    OPTION_FLIPPED,
    OPTION_SIZE,
    OPTION_JSON,
    OPTION_QUIET,
    OPTIONS
};

#define FILE_MAX   (1u << 28)
#define FIELDS_MAX 24u /* of a world */

typedef struct level_plan {
    const char *out, *name;
    double scale;
    bool is_flipped, is_json, is_quiet;
    uint32_t width, height;
    rooms_box *water;
    size_t water_count, water_fields;
    int16_t *words; /* of the rooms */
    size_t word_count;
    uint32_t dry;  /* sectors without water in boxes of water */
    size_t deadly; /* triangles of floors that kill */
} level_plan;

static const char *const materials[ROOMS_KINDS] = {"floor", "ceiling", "wall", "deadly"};

/* ---- files */

static char *path_of(const level_plan *plan, const char *ending)
{
    return host_text("%s/%s%s", plan->out, plan->name, ending);
}

typedef void write_part(FILE *to, const level_plan *plan, const rooms_shell *shell);

static int write_file(const level_plan *plan, const rooms_shell *shell, const char *ending,
                      write_part *part)
{
    host_output output;
    char *path = path_of(plan, ending);
    if (!path) return host_out_of_memory("a path");
    int code = host_output_open(&output, path);
    if (!code) {
        part(output.stream, plan, shell);
        code = host_output_close(&output, true);
    }
    free(path);
    return code;
}

static void write_mesh(FILE *to, const level_plan *plan, const rooms_shell *shell)
{
    fprintf(to, "mtllib %s.mtl\n", plan->name);
    for (size_t i = 0; i < shell->point_count; i++)
        fprintf(to, "v %.9g %.9g %.9g\n", (double)shell->points[i][0], (double)shell->points[i][1],
                (double)shell->points[i][2]);
    for (uint32_t kind = 0; kind < ROOMS_KINDS; kind++) {
        fprintf(to, "usemtl %s\n", materials[kind]);
        for (size_t i = 0; i < shell->triangle_count; i++) {
            const uint32_t *corner = shell->corners + 3 * i;
            if (shell->kinds[i] == kind)
                fprintf(to, "f %u %u %u\n", corner[0] + 1, corner[1] + 1, corner[2] + 1);
        }
    }
}

/* A line per room, then one per sector. */
static void write_rooms(FILE *to, const level_plan *plan, const rooms_shell *shell)
{
    (void)shell;
    const size_t count = (size_t)plan->words[0];
    fprintf(to, "# Rooms of a level, by tidepool level: host_tools/rooms/FORMAT.md.\n%zu\n", count);
    for (size_t k = 1; k < plan->word_count; k++) {
        bool is_room = k < 1 + count * ROOMS_ROOM_WORDS;
        size_t of = is_room ? k - 1 : k - 1 - count * ROOMS_ROOM_WORDS,
               length = is_room ? ROOMS_ROOM_WORDS : ROOMS_SECTOR_WORDS;
        fprintf(to, "%d%c", plan->words[k], of % length + 1 < length ? ' ' : '\n');
    }
}

/* Floors that kill, a unit higher: particles touch them before the floors of the rooms. */
static void write_deadly(FILE *to, const level_plan *plan, const rooms_shell *shell)
{
    for (size_t i = 0; i < shell->triangle_count; i++)
        for (size_t k = 0; k < 3 && shell->kinds[i] == ROOMS_DEADLY; k++) {
            const float *point = shell->points[shell->corners[3 * i + k]];
            fprintf(to, "v %.9g %.9g %.9g\n", (double)point[0], (double)point[1] + plan->scale,
                    (double)point[2]);
        }
    for (size_t i = 0; i < plan->deadly; i++)
        fprintf(to, "f %zu %zu %zu\n", 3 * i + 1, 3 * i + 2, 3 * i + 3);
}

static void write_materials(FILE *to, const level_plan *plan, const rooms_shell *shell)
{
    static const char *const colors[ROOMS_KINDS] = {".46 .42 .36", ".5 .5 .5", ".58 .52 .44",
                                                    ".8 .25 .05"};
    (void)plan, (void)shell;
    for (uint32_t kind = 0; kind < ROOMS_KINDS; kind++)
        fprintf(to, "newmtl %s\nKd %s\n", materials[kind], colors[kind]);
}

static void write_lights(FILE *to, const level_plan *plan, const rooms_shell *shell)
{
    (void)shell;
    fprintf(to,
            "# Light for tidepool render --light. Walls and ceilings let it pass from outside.\n"
            "sky\n    above = 0.75 0.8 0.9\n    below = 0.5 0.45 0.4\n"
            "surface\n    mesh = %s.obj\n    hides = front\n",
            plan->name);
}

/* Drag of 1 g that sinks at 1 m/s: k = m g / v^2. */
static void write_water(FILE *to, const level_plan *plan)
{
    for (size_t i = 0; i < plan->water_fields; i++) {
        const rooms_box *box = &plan->water[i];
        fprintf(to, "%sfield water_%zu\n    kind = drag\n    quadratic = 0.00981\n",
                i ? "" : "# In rooms with water a spark sinks at 1 m/s.\n", i + 1);
        fprintf(to, "    center = %.9g %.9g %.9g\n    half = %.9g %.9g %.9g\n\n",
                (box->low[0] + box->high[0]) / 2, (box->low[1] + box->high[1]) / 2,
                (box->low[2] + box->high[2]) / 2, (box->high[0] - box->low[0]) / 2,
                (box->high[1] - box->low[1]) / 2, (box->high[2] - box->low[2]) / 2);
    }
}

static void write_scene(FILE *to, const level_plan *plan, const rooms_shell *shell)
{
    fprintf(to,
            "# Sparks in a level of rooms.\n"
            "world\n    title = %s\n    dimensions = 3\n    particles = 3000\n"
            "    solver = none\n    fps = 60\n\n"
            "species spark\n    radius = 6 cm\n    mass = 1 g\n    colour = #ffb05c\n\n"
            "emitter source\n    shape = sphere\n    position = %.9g %.9g %.9g\n"
            "    size = 0.2 m\n    rate = 300 /s\n    velocity = 0 2 0\n"
            "    velocity_jitter = 4 m/s\n    species = spark\n\n"
            "field gravity\n    kind = gravity\n    acceleration = 0 -9.81 0\n\n",
            plan->name, (double)shell->start[0], (double)shell->start[1], (double)shell->start[2]);
    write_water(to, plan);
    if (plan->deadly)
        fprintf(to,
                "collider deadly\n    shape = mesh\n    mesh = %s_deadly.obj\n"
                "    kills = yes\n    hidden = yes\n\n",
                plan->name);
    fprintf(to,
            "collider rooms\n    shape = mesh\n    mesh = %s.obj\n    rooms = %s.rooms\n"
            "    spacing = %.9g m\n    restitution = 0.5\n    friction = 0.1\n\n"
            "sink old\n    shape = age\n    age = 10 s\n\n"
            "run\n    frames = 240\n",
            plan->name, plan->name, ROOMS_SIDE * plan->scale);
}

/* ---- the picture: from above, through ceilings, which show their backs */

static void set_view(render_scene *scene, const lit_room *surface)
{
    scene->dimensions = 3;
    scene->up_axis = 1;
    scene->camera = (render_camera){30, 52, 0};
    lit_bounds(surface, scene->bounds_min, scene->bounds_max);
}

static int draw(const level_plan *plan)
{
    light_setup setup = {0};
    lit_room *surface = NULL;
    render_scene scene = render_default_scene();
    lit_options options = {lit_plan(8, plan->width * plan->height, false), plan->is_quiet};
    canvas *target = canvas_create((int32_t)plan->width, (int32_t)plan->height);
    char *lights = path_of(plan, ".light"), *picture = path_of(plan, ".png");
    int code = target && lights && picture ? HOST_DONE : host_out_of_memory("a picture");
    if (!code) code = light_setup_load(&setup, lights);
    if (!code) code = lit_open(&surface, &setup);
    if (!code) {
        scene.title = plan->name;
        set_view(&scene, surface);
        code = lit_draw(surface, &scene, &options, target, NULL);
    }
    if (!code) code = png_write(picture, target);
    canvas_free(target);
    lit_close(surface);
    light_setup_free(&setup);
    free(lights);
    free(picture);
    return code;
}

/* ---- the command */

static void report(const level_plan *plan, const rooms *level, const rooms_shell *shell)
{
    uint32_t hidden = 0, water = 0;
    for (uint32_t r = 0; r < level->count; r++) {
        hidden += level->is_hidden[r];
        water += level->room[r].is_water && !level->is_hidden[r];
    }
    if (plan->is_json)
        printf("{\"rooms\": %u, \"hidden_rooms\": %u, \"water_rooms\": %u, "
               "\"water_fields\": %zu, \"dry_sectors\": %u, \"portals\": %u, "
               "\"portal_pairs\": %u, \"portal_hops\": %u, \"capped_portals\": %u, "
               "\"columns\": %u, \"closed_columns\": %u, \"overlaps\": %u, "
               "\"points\": %zu, "
               "\"triangles\": %zu}\n",
               level->count, hidden, water, plan->water_fields, plan->dry, level->portal_count,
               level->portal_pairs, shell->portal_hops, shell->capped_portals, shell->open,
               shell->closed, shell->overlaps, shell->point_count, shell->triangle_count);
    else if (!plan->is_quiet)
        printf("%u rooms, %u hidden, %u with water; %u of %u portals meet one back; %u open "
               "columns, %zu triangles\n",
               level->count, hidden, water, level->portal_pairs, level->portal_count, shell->open,
               shell->triangle_count);
}

/* Boxes of water as fields of drag, the largest first. */
static int find_water(const rooms *level, const char *path, level_plan *plan)
{
    const size_t most = FIELDS_MAX - 1; /* and gravity */
    int code = rooms_water(level, plan->scale, most, &plan->water, &plan->water_count, &plan->dry);
    plan->water_fields = plan->water_count < most ? plan->water_count : most;
    if (plan->water_count > most)
        host_note(path, HOST_NO_OFFSET,
                  "%zu boxes of water have no drag: a scene has at most %u fields, and the largest "
                  "boxes have them",
                  plan->water_count - plan->water_fields, FIELDS_MAX);
    if (plan->dry)
        host_note(path, HOST_NO_OFFSET,
                  "%u sectors without water are in boxes of water: what is there is slowed, too. "
                  "Edit the fields water_1 and on in the scene",
                  plan->dry);
    return code;
}

/* What differs from the level. */
static void tell(const rooms_shell *shell, const char *path)
{
    if (shell->overlaps)
        host_note(path, HOST_NO_OFFSET,
                  "%u columns are within others, because rooms stand at one place: particles there "
                  "meet the walls of both",
                  shell->overlaps);
    if (shell->capped_portals)
        host_note(path, shell->capped_byte,
                  "%u sectors are portals that lead through more than %u rooms to no space, here "
                  "is the first: they are walls",
                  shell->capped_portals, ROOMS_HOPS);
}

static int make_level(const char *path, level_plan *plan)
{
    uint8_t *bytes = NULL;
    size_t size;
    rooms level = {0};
    rooms_shell shell = {0};
    int code = host_read_limited(path, "a level", FILE_MAX, &bytes, &size);
    if (!code) code = rooms_read(&level, path, bytes, size, plan->is_flipped);
    free(bytes);
    if (!code) code = rooms_surround(&level, path, plan->scale, &shell);
    if (!code) code = find_water(&level, path, plan);
    if (!code) code = rooms_table(&level, &plan->words, &plan->word_count);
    /* if this fails, so does the first file */
    bool made_folder = !code && mkdir(plan->out, 0777) == 0;
    if (!code) code = write_file(plan, &shell, ".obj", write_mesh);
    if (!code) code = write_file(plan, &shell, ".mtl", write_materials);
    for (size_t i = 0; i < shell.triangle_count; i++)
        plan->deadly += shell.kinds[i] == ROOMS_DEADLY;
    if (!code && plan->deadly) code = write_file(plan, &shell, "_deadly.obj", write_deadly);
    if (!code) code = write_file(plan, &shell, ".rooms", write_rooms);
    if (!code) code = write_file(plan, &shell, ".light", write_lights);
    if (!code) code = write_file(plan, &shell, ".scene", write_scene);
    if (!code) code = draw(plan);
    if (code && made_folder) rmdir(plan->out); /* if it is empty */
    if (!code) report(plan, &level, &shell);
    if (!code) tell(&shell, path);
    free(plan->water);
    free(plan->words);
    rooms_shell_free(&shell);
    rooms_free(&level);
    return code;
}

static int read_options(const host_option *options, level_plan *plan)
{
    const char *scale = options[OPTION_SCALE].value, *size = options[OPTION_SIZE].value;
    *plan = (level_plan){.out = options[OPTION_OUT].value,
                         .name = options[OPTION_NAME].value ? options[OPTION_NAME].value : "level",
                         .scale = 1.0 / 512,
                         .is_flipped = options[OPTION_FLIPPED].value != NULL,
                         .is_json = options[OPTION_JSON].value != NULL,
                         .is_quiet = options[OPTION_QUIET].value != NULL,
                         .width = 640,
                         .height = 480};
    if (!plan->out) return host_error(HOST_USAGE, "level", HOST_NO_OFFSET, "needs --out DIR");
    if (scale &&
        (!host_parse_f64(scale, &plan->scale) || !(plan->scale >= 1e-6) || !(plan->scale <= 9)))
        return host_error(HOST_USAGE, "level", HOST_NO_OFFSET, "--scale %s: allowed: 1e-6 to 9",
                          scale);
    if (size && !words_size(size, &plan->width, &plan->height))
        return host_error(HOST_USAGE, "level", HOST_NO_OFFSET,
                          "--size %s: allowed: WIDTHxHEIGHT, each 1 to 16384", size);
    if (!*plan->name || strpbrk(plan->name, "/ \t#="))
        return host_error(HOST_USAGE, "level", HOST_NO_OFFSET,
                          "--name '%s': allowed: letters without blanks, '/', '#' and '='",
                          plan->name);
    return HOST_DONE;
}

int command_level(int argc, char **argv)
{
    host_option options[OPTIONS] = {
        [OPTION_OUT] = {"out", false, NULL},     [OPTION_NAME] = {"name", false, NULL},
        [OPTION_SCALE] = {"scale", false, NULL}, [OPTION_FLIPPED] = {"flipped", true, NULL},
        [OPTION_SIZE] = {"size", false, NULL},   [OPTION_JSON] = {"json", true, NULL},
        [OPTION_QUIET] = {"quiet", true, NULL},
    };
    const char *path = NULL;
    size_t count;
    level_plan plan;
    if (host_help(argc, argv, help_level)) return HOST_DONE;
    int code = host_parse("level", argc, argv, options, OPTIONS, &path, 1, &count);
    if (!code && !path)
        code = host_error(HOST_USAGE, "level", HOST_NO_OFFSET,
                          "needs a level; see tidepool level --help");
    if (!code) code = read_options(options, &plan);
    if (code) return code;
    host_quiet(plan.is_quiet);
    return make_level(path, &plan);
}
