/* SPDX-License-Identifier: MIT
   host_tools/formats/start.c - loads the particles with which a scene starts.
   reads   a frame of a sequence; all of its files where births and deaths must be found
   writes  the start of a scene
   memory  malloc: 36 bytes per particle, 16 per spring      cost    O(particles + springs); that of
           host_sequence_find_times
   after   own design */
#include "start.h"
#include "bphys.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const host_needs start_needs = {POINT_BIT(POINT_LOCATION) | POINT_BIT(POINT_VELOCITY),
                                       false};

/* ---- one frame of a sequence, in the units of the scene */

/* A path that names one file of a .bphys sequence names its frame. */
static bool names_frame(const host_sequence *sequence, uint32_t *frame)
{
    const char *slash = strrchr(sequence->path, '/');
    bphys_name parsed;
    if (!bphys_parse_name(slash ? slash + 1 : sequence->path, &parsed) || parsed.frame < 1)
        return false;
    *frame = (uint32_t)parsed.frame;
    return true;
}

static int choose_frame(scene *target, const host_sequence *sequence, size_t *position)
{
    scene_start *start = &target->start;
    if (start->takes_last) start->takes_last = !names_frame(sequence, &start->frame);
    const int32_t *numbers = sequence->numbers;
    if (sequence->frame_count == 0)
        return host_error(HOST_BAD_INPUT, sequence->path, HOST_NO_OFFSET,
                          "has no frame from which to start");
    const int32_t first = numbers[0], last = numbers[sequence->frame_count - 1];
    *position = sequence->frame_count - 1;
    if (start->takes_last)
        start->frame = last < 0 ? UINT32_MAX : (uint32_t)last;
    else if (!host_sequence_find(sequence, (int32_t)start->frame, position))
        return host_error(HOST_BAD_INPUT, sequence->path, HOST_NO_OFFSET,
                          "has no frame %u, from which the scene starts; it has %zu from %d to %d",
                          start->frame, sequence->frame_count, (int)first, (int)last);
    if (start->frame <= 1048576) return HOST_DONE;
    return host_error(HOST_BAD_INPUT, sequence->path, HOST_NO_OFFSET,
                      "its last frame is %d; a scene starts from one of 0 to 1048576", (int)last);
}

static int load_frame(host_sequence *sequence, size_t position, host_frame *frame)
{
    int code = host_sequence_load(sequence, position, frame);
    if (code) return code;
    code = host_frame_need(frame, sequence->type, &start_needs, sequence->path, "a start");
    if (!code) code = host_sequence_keep_alive(sequence, frame);
    if (code) host_frame_free(frame);
    return code;
}

static bool is_mesh(const host_sequence *sequence)
{
    return sequence->type == POINT_CLOTH || sequence->type == POINT_SOFTBODY;
}

/* Files with Blender's units have z up, others where they state it. Velocities of Blender's are
   those of particles, whose frames last 0.04 s, or of the vertices of a mesh, per frame. */
static int convert_units(scene *target, const host_sequence *sequence, host_frame *frame)
{
    int exponent;
    double fps = 1 / scene_frame_seconds(target);
    bool is_bphys = sequence->format->speaks_bphys_units;
    if (!host_sequence_is_z_up(sequence)) return HOST_DONE;
    double factor = !is_bphys ? 1 : is_mesh(sequence) ? fps : fps * BPHYS_SECONDS_A_FRAME;
    const point_units units = {
        .scale = 1, .velocity_factor = (float)factor, .axis = POINT_AXIS_Z_TO_Y_UP};
    target->start.is_rounded =
        is_bphys && !is_mesh(sequence) && frexpf(units.velocity_factor, &exponent) != 0.5f;
    return host_frame_in_range(frame, sequence->path,
                               host_frame_convert(frame, &units, sequence->type),
                               "lower the scene's fps");
}

/* ---- checks */

static int wrong_point(const host_sequence *sequence, const host_frame *frame, uint32_t i,
                       const char *text, double value)
{
    return host_error(HOST_BAD_INPUT, sequence->path, HOST_NO_OFFSET,
                      "frame %.10g: the point with index %u has %s %g", frame->number,
                      ((const uint32_t *)frame->data[POINT_INDEX])[i], text, value);
}

/* The runtime takes what is finite and within 1e9, and in a periodic box what is inside. */
static int check_point(const scene *target, const host_sequence *sequence, const host_frame *frame,
                       uint32_t i)
{
    const tp_world_def *def = &target->world;
    const float *x = (const float *)frame->data[POINT_LOCATION] + 3 * (size_t)i,
                *v = (const float *)frame->data[POINT_VELOCITY] + 3 * (size_t)i;
    const float low[3] = {def->box_low.x, def->box_low.y, def->box_low.z},
                size[3] = {def->box_size.x, def->box_size.y, def->box_size.z};
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (!(fabsf(x[axis]) <= 1e9f))
            return wrong_point(sequence, frame, i, "a location beyond 1e9:", (double)x[axis]);
        if (!(fabsf(v[axis]) <= 1e9f))
            return wrong_point(sequence, frame, i, "a velocity beyond 1e9:", (double)v[axis]);
        if (axis >= def->dimensions && x[axis] != 0.0f)
            return wrong_point(sequence, frame, i,
                               "a location off the plane of this scene, which has 2 dimensions, by",
                               (double)x[axis]);
        if (def->periodic_axes >> axis & 1u &&
            !(x[axis] >= low[axis] && x[axis] < low[axis] + size[axis]))
            return wrong_point(sequence, frame, i,
                               "a location outside of the periodic box:", (double)x[axis]);
    }
    return HOST_DONE;
}

/* Every node of the sheets is there by its index, and of a mesh nothing else. */
static int check_nodes(const scene *target, const host_sequence *sequence, const host_frame *frame)
{
    const uint32_t nodes = scene_sheet_nodes(target), *ids = frame->data[POINT_INDEX];
    uint32_t found = 0;
    while (found < frame->count && ids[found] < nodes) found++;
    if (found == nodes && (!is_mesh(sequence) || frame->count == nodes)) return HOST_DONE;
    return scene_start_problem(target, "cache",
                               "frame %u has %u points, %u of them with the indices of nodes; the "
                               "sheets of the scene have %u nodes: a mesh and its cache have the "
                               "same vertices",
                               target->start.frame, frame->count, found, nodes);
}

static int check_frame(const scene *target, const host_sequence *sequence, const host_frame *frame)
{
    int code = target->sheet_count ? check_nodes(target, sequence, frame) : HOST_DONE;
    if (code) return code;
    if (frame->count > target->world.particles_max)
        return scene_start_problem(target, "cache",
                                   "frame %u has %u particles; the world has a capacity of %u",
                                   target->start.frame, frame->count, target->world.particles_max);
    for (uint32_t i = 0; i < frame->count && !code; i++)
        code = check_point(target, sequence, frame, i);
    return code;
}

/* ---- the start of the scene */

static int take_points(scene *target, const host_sequence *sequence, const host_frame *frame)
{
    scene_start *start = &target->start;
    const float *x = frame->data[POINT_LOCATION], *v = frame->data[POINT_VELOCITY];
    float times[3];
    bool has_lives = frame->count && host_sequence_times(sequence, frame, 0, times);
    start->count = frame->count;
    start->ids = host_allocate(frame->count, sizeof *start->ids);
    start->positions = host_allocate(frame->count, sizeof *start->positions);
    start->velocities = host_allocate(frame->count, sizeof *start->velocities);
    if (has_lives) start->lives = host_allocate(frame->count, 2 * sizeof *start->lives);
    if (!start->ids || !start->positions || !start->velocities || (has_lives && !start->lives))
        return host_out_of_memory("the start of a scene");
    if (frame->count) memcpy(start->ids, frame->data[POINT_INDEX], frame->count * sizeof(uint32_t));
    for (size_t i = 0; i < frame->count; i++, x += 3, v += 3) {
        start->positions[i] = (tp_vector){x[0], x[1], x[2]};
        start->velocities[i] = (tp_vector){v[0], v[1], v[2]};
        if (has_lives && host_sequence_times(sequence, frame, (uint32_t)i, times))
            memcpy(start->lives + 2 * i, times, 2 * sizeof *times);
    }
    return HOST_DONE;
}

static int check_spring(const scene *target, const host_sequence *sequence, uint32_t k,
                        const tp_spring *spring)
{
    const double most = (double)target->world.sph.smoothing_radius;
    if (spring->rest_length >= 0.0f && (double)spring->rest_length <= most) return HOST_DONE;
    return host_error(
        HOST_BAD_INPUT, sequence->path, HOST_NO_OFFSET,
        "frame %u: spring %u, of points %u and %u, has a rest length of %g m; allowed: "
        "0 to the scene's smoothing_radius, %g m",
        target->start.frame, k, spring->first, spring->second, (double)spring->rest_length, most);
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

/* Springs that the fullest row needs. Of two particles the row is that of the lower id if the ids
   differ in their lowest bit, else that of the higher one; the same pair again takes no more. */
static int count_row(const scene_start *start, uint32_t *most)
{
    uint64_t *keys = host_allocate(start->spring_count, sizeof *keys);
    uint32_t row = 0;
    *most = 0;
    if (!keys) return host_out_of_memory("the springs of a start");
    for (uint32_t k = 0; k < start->spring_count; k++) {
        const uint32_t a = start->springs[k].first, b = start->springs[k].second;
        bool is_first = (a < b) == (((a ^ b) & 1u) != 0);
        keys[k] = (uint64_t)(is_first ? a : b) << 32 | (is_first ? b : a);
    }
    qsort(keys, start->spring_count, sizeof *keys, compare_keys);
    for (uint32_t k = 0; k < start->spring_count; k++) {
        if (k && keys[k] == keys[k - 1]) continue;
        row = k && keys[k] >> 32 == keys[k - 1] >> 32 ? row + 1 : 1;
        if (row > *most) *most = row;
    }
    free(keys);
    return HOST_DONE;
}

static int check_rows(const scene *target)
{
    uint32_t most, allowed = target->world.sph.springs_max;
    int code = count_row(&target->start, &most);
    if (code || most <= allowed) return code;
    return scene_start_problem(target, "cache",
                               "a particle of frame %u keeps %u springs; the scene's 'springs_max' "
                               "allows %u",
                               target->start.frame, most, allowed);
}

/* Springs of points that are not alive end, as those that Blender marks as deleted. */
static int take_springs(scene *target, const host_sequence *sequence, const host_frame *frame)
{
    const host_extra *springs = &frame->extra[EXTRA_SPRINGS];
    scene_start *start = &target->start;
    uint32_t position, lost = 0;
    int code = HOST_DONE;
    if (springs->count && target->world.sph.springs_max == 0)
        host_note(sequence->path, HOST_NO_OFFSET,
                  "%u springs are ignored: section sph of the scene has no springs_max",
                  springs->count);
    if (!springs->count || target->world.sph.springs_max == 0) return HOST_DONE;
    start->springs = host_allocate(springs->count, sizeof *start->springs);
    if (!start->springs) return host_out_of_memory("the springs of a start");
    for (uint32_t k = 0; k < springs->count && !code; k++) {
        tp_spring spring;
        memcpy(&spring, springs->bytes + (size_t)k * sizeof spring, sizeof spring);
        if (spring.is_deleted) continue;
        bool is_alive = host_frame_find(frame, spring.first, &position) &&
                        host_frame_find(frame, spring.second, &position) &&
                        spring.first != spring.second;
        lost += !is_alive;
        if (!is_alive) continue;
        code = check_spring(target, sequence, k, &spring);
        start->springs[start->spring_count++] = spring;
    }
    if (lost && !code)
        host_note(sequence->path, HOST_NO_OFFSET,
                  "%u springs are ignored: an end of each is not alive in frame %u", lost,
                  start->frame);
    return code ? code : check_rows(target);
}

static int take_frame(scene *target, host_sequence *sequence, size_t position)
{
    host_frame frame;
    int code = load_frame(sequence, position, &frame);
    if (code) return code;
    code = convert_units(target, sequence, &frame);
    if (!code) code = check_frame(target, sequence, &frame);
    if (!code) code = take_points(target, sequence, &frame);
    if (!code) scene_start_pins(target);
    if (!code) code = take_springs(target, sequence, &frame);
    host_frame_free(&frame);
    return code;
}

static int take_sequence(scene *target, host_sequence *sequence)
{
    size_t position;
    const bool has_sheets = target->sheet_count > 0;
    if (sequence->type != POINT_PARTICLES && !(is_mesh(sequence) && has_sheets))
        return host_error(HOST_BAD_INPUT, sequence->path, HOST_NO_OFFSET,
                          "expected particles from which to start, found a cache of %s%s",
                          point_type_name(sequence->type),
                          is_mesh(sequence) ? ", from which sheets can start" : "");
    int code = host_sequence_retime(sequence, 1 / scene_frame_seconds(target));
    if (!code) code = choose_frame(target, sequence, &position);
    if (!code) code = host_sequence_find_times(sequence);
    if (!code) code = take_frame(target, sequence, position);
    target->start.is_loaded = !code;
    return code;
}

int start_load(scene *target)
{
    host_sequence sequence;
    const char *name = target->start.cache;
    if (!name) return HOST_DONE;
    char *path = name[0] == '/' ? host_text("%s", name) : host_text("%s/%s", target->folder, name);
    int code = path ? host_sequence_open(&sequence, path, NULL)
                    : host_out_of_memory("the start of a scene");
    if (!code) {
        code = take_sequence(target, &sequence);
        host_sequence_close(&sequence);
    }
    free(path);
    return code;
}
