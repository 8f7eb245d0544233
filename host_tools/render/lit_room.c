/* SPDX-License-Identifier: MIT
   host_tools/render/lit_room.c - the light that patches of a surface give one another in a picture.
   reads   a light_setup      writes  a lit_room
   memory  malloc, freed by lit_close      cost    64 rays per patch, lamp and sky; the bounces
   after   direct light hidden by the surface, then tp_patches_update; the light of a corner is the
           mean of the patches around it that face the same way */
#include "lit_private.h"
#include <stdlib.h>
#include <string.h>

#define DIRECT_SAMPLES 64u
#define STEPS          65536.0 /* lattice positions along the longest side: equal corners */

static vec3 of_point(const light_point *at)
{
    return vec3_of((float)at->of[0], (float)at->of[1], (float)at->of[2]);
}

/* ---- triangles */

static void add_corner(lit_room *room, size_t at, const light_point *corner)
{
    vec3 place = of_point(corner);
    room->corners[at] = place;
    room->low = vec3_of(fminf(room->low.x, place.x), fminf(room->low.y, place.y),
                        fminf(room->low.z, place.z));
    room->high = vec3_of(fmaxf(room->high.x, place.x), fmaxf(room->high.y, place.y),
                         fmaxf(room->high.z, place.z));
}

static void add_patches(lit_room *room)
{
    const light_setup *setup = room->setup;
    room->low = vec3_of(INFINITY, INFINITY, INFINITY);
    room->high = vec3_of(-INFINITY, -INFINITY, -INFINITY);
    for (uint32_t i = 0; i < setup->surface_count; i++) {
        const light_patch *patch = &setup->surface[i];
        for (uint32_t k = 2; k < patch->corners; k++) {
            size_t at = 3 * (size_t)room->triangle_count;
            add_corner(room, at, &patch->corner[0]);
            add_corner(room, at + 1, &patch->corner[k - 1]);
            add_corner(room, at + 2, &patch->corner[k]);
            room->patch[room->triangle_count++] = i;
        }
    }
}

/* ---- light of the patches */

static void find_direct(const lit_room *room, tp_patches *patches)
{
    const light_setup *setup = room->setup;
    float lift =
        1e-5f * sqrtf(vec3_dot(vec3_sub(room->high, room->low), vec3_sub(room->high, room->low)));
    for (uint32_t i = 0; i < setup->surface_count; i++) {
        vec3 normal = of_point(&setup->surface[i].normal), sum = {0, 0, 0};
        lit_point point = {of_point(&setup->surface[i].position), &normal, RAYS_NO_ITEM, lift};
        for (uint32_t k = 0; k < DIRECT_SAMPLES; k++) {
            uint32_t dice[4];
            for (uint32_t d = 0; d < 4; d++) dice[d] = rays_mix(rays_mix(i, k), d);
            sum = vec3_add(sum, lit_sample(setup, &room->tree, &point, dice));
        }
        sum = vec3_scale(sum, 1.0f / DIRECT_SAMPLES);
        patches->direct[i] = (tp_vector){sum.x, sum.y, sum.z};
    }
}

/* ---- from patches to corners */

typedef struct corner_key {
    int32_t at[3], normal[3];
    uint32_t corner;
} corner_key;

static int compare_corners(const void *left, const void *right)
{
    const corner_key *a = left, *b = right;
    for (int k = 0; k < 3; k++)
        if (a->at[k] != b->at[k]) return a->at[k] < b->at[k] ? -1 : 1;
    for (int k = 0; k < 3; k++)
        if (a->normal[k] != b->normal[k]) return a->normal[k] < b->normal[k] ? -1 : 1;
    return 0;
}

static corner_key key_of(const lit_room *room, uint32_t corner, double scale)
{
    const light_patch *patch = &room->setup->surface[room->patch[corner / 3]];
    vec3 at = vec3_sub(room->corners[corner], room->low);
    const double places[3] = {(double)at.x, (double)at.y, (double)at.z};
    corner_key key = {.corner = corner};
    for (int k = 0; k < 3; k++) {
        key.at[k] = (int32_t)(places[k] * scale + 0.5);
        key.normal[k] = (int32_t)floor(patch->normal.of[k] * 4 + 0.5);
    }
    return key;
}

static tp_vector light_of(const lit_room *room, uint32_t corner)
{
    return room->setup->patches.bounced[room->patch[corner / 3]];
}

static void share(lit_room *room, const corner_key *keys, uint32_t count)
{
    tp_vector sum = {0, 0, 0};
    for (uint32_t k = 0; k < count; k++) {
        tp_vector light = light_of(room, keys[k].corner);
        sum.x += light.x / (float)count;
        sum.y += light.y / (float)count;
        sum.z += light.z / (float)count;
    }
    for (uint32_t k = 0; k < count; k++) room->bounced[keys[k].corner] = sum;
}

static int smooth_corners(lit_room *room)
{
    uint32_t count = 3 * room->triangle_count;
    vec3 size = vec3_sub(room->high, room->low);
    float side = fmaxf(size.x, fmaxf(size.y, size.z));
    corner_key *keys = host_allocate(count, sizeof *keys);
    if (!keys) return host_out_of_memory("the patches");
    for (uint32_t i = 0; i < count; i++) keys[i] = key_of(room, i, STEPS / (double)side);
    qsort(keys, count, sizeof *keys, compare_corners);
    for (uint32_t first = 0, end; first < count; first = end) {
        end = first + 1;
        while (end < count && compare_corners(&keys[first], &keys[end]) == 0) end++;
        share(room, keys + first, end - first);
    }
    free(keys);
    return HOST_DONE;
}

static int bounce(lit_room *room, light_setup *setup)
{
    tp_patches *patches = &setup->patches;
    if (!patches->count) return HOST_DONE;
    find_direct(room, patches);
    for (uint32_t k = 0; k < setup->bounces; k++) {
        patches->is_endless = setup->bounces > 1;
        if (tp_patches_update(patches, NULL, 1, 0) != TP_OK)
            return host_error(HOST_BAD_INPUT, "patches", HOST_NO_OFFSET, "cannot be updated");
    }
    return smooth_corners(room);
}

int lit_open(lit_room **made, light_setup *setup)
{
    uint32_t most = 2 * setup->surface_count;
    lit_room *room = *made = host_allocate(1, sizeof *room);
    if (!room) return host_out_of_memory("the surface");
    room->setup = setup;
    room->corners = host_allocate(3 * (size_t)most, sizeof *room->corners);
    room->patch = host_allocate(most, sizeof *room->patch);
    room->bounced = host_allocate(3 * (size_t)most, sizeof *room->bounced);
    int code = room->corners && room->patch && room->bounced ? HOST_DONE
                                                             : host_out_of_memory("the surface");
    if (code) return code;
    add_patches(room);
    ray_items items = {
        .opacity = 1, .corners = room->corners, .triangle_count = room->triangle_count};
    code = rays_build(&room->tree, &items);
    return code ? code : bounce(room, setup);
}

void lit_close(lit_room *room)
{
    if (!room) return;
    rays_free(&room->tree);
    free(room->corners);
    free(room->patch);
    free(room->bounced);
    free(room);
}

bool lit_bounds(const lit_room *room, float low[3], float high[3])
{
    if (!room->triangle_count) return false;
    low[0] = room->low.x, low[1] = room->low.y, low[2] = room->low.z;
    high[0] = room->high.x, high[1] = room->high.y, high[2] = room->high.z;
    return true;
}
