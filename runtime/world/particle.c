/* SPDX-License-Identifier: MIT
   runtime/world/particle.c - edits of particles that are named by their ids, or by their words.
   reads   the front set      writes  the front set
   memory  none               cost    O(particles * log(ids)): one pass, which looks each id up
   after   own design: ascending ids name each particle once, so an edit does not depend on the
           order of the storage, and needs no memory to sort; nor does a group, whose particles
           all change alike */
#include "block.h"

static tp_result particle_check(const tp_world *world, const uint32_t *ids, const uint32_t *values,
                                uint32_t count)
{
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (count > 0 && (!ids || !values)) return TP_ERROR_NULL;
    for (uint32_t k = 1; k < count; k++)
        if (ids[k] <= ids[k - 1u]) return TP_ERROR_DEFINITION;
    return TP_OK;
}

uint32_t tpi_id_search(const uint32_t *ids, uint32_t count, uint32_t id)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2u;
        if (ids[middle] < id)
            low = middle + 1u;
        else
            high = middle;
    }
    return low < count && ids[low] == id ? low : count;
}

/* Lets the word at `root` of a heap sink until no child has a larger id. */
static void particle_sift(uint32_t *heap, const uint32_t *ids, uint32_t root, uint32_t count)
{
    uint32_t moved = heap[root];
    for (uint32_t child; (child = 2u * root + 1u) < count; root = child) {
        if (child + 1u < count && ids[heap[child + 1u]] > ids[heap[child]]) child++;
        if (ids[heap[child]] <= ids[moved]) break;
        heap[root] = heap[child];
    }
    heap[root] = moved;
}

void tpi_id_sort(uint32_t *indices, const uint32_t *ids, uint32_t count)
{
    for (uint32_t i = count / 2u; i-- > 0;) particle_sift(indices, ids, i, count);
    for (uint32_t end = count; end-- > 1u;) {
        uint32_t largest = indices[0];
        indices[0] = indices[end];
        indices[end] = largest;
        particle_sift(indices, ids, 0, end);
    }
}

/* The particles of an edit. */
typedef struct particle_choice {
    const uint32_t *ids; /* null: a group */
    uint32_t count;
    tp_group group;
} particle_choice;

static bool particle_is_chosen(const tp_world *world, const particle_choice *choice, uint32_t i)
{
    if (!choice->ids)
        return (tpi_carried(world, world->front, 0)[i] & choice->group.mask) == choice->group.word;
    return tpi_id_search(choice->ids, choice->count, tpi_words(world, world->arrays.id)[i]) <
           choice->count;
}

static uint32_t particle_chosen(const tp_world *world, const particle_choice *choice)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < world->count; i++) found += particle_is_chosen(world, choice, i);
    return found;
}

/* Counts the particles that are named; writes the number of the other ids. */
static uint32_t particle_count(const tp_world *world, const uint32_t *ids, uint32_t count,
                               uint32_t *missing)
{
    const particle_choice choice = {.ids = ids, .count = count};
    uint32_t found = count ? particle_chosen(world, &choice) : 0;
    if (missing) *missing = count - found;
    return found;
}

tp_result tp_particles_find(const tp_world *world, const uint32_t *ids, uint32_t count,
                            uint32_t *indices, uint32_t *missing)
{
    tp_result result = particle_check(world, ids, indices, count);
    if (result != TP_OK) return result;
    const uint32_t *id = tpi_words(world, world->arrays.id);
    uint32_t found = 0;
    for (uint32_t k = 0; k < count; k++) indices[k] = TP_INDEX_NONE;
    for (uint32_t i = 0; i < world->count; i++) {
        uint32_t k = tpi_id_search(ids, count, id[i]);
        if (k == count) continue;
        indices[k] = i;
        found++;
    }
    if (missing) *missing = count - found;
    return TP_OK;
}

tp_result tp_particle_find(const tp_world *world, uint32_t id, uint32_t *index)
{
    if (!index) return TP_ERROR_NULL;
    tp_result result = tp_particles_find(world, &id, 1, index, NULL);
    return result == TP_OK && *index == TP_INDEX_NONE ? TP_ERROR_HANDLE : result;
}

/* ---- remove ---- */

/* Moves a particle of the front set to a lower index; springs are moved afterwards. */
static void particle_move(const tp_world *world, uint32_t from, uint32_t to)
{
    uint32_t *const words[3] = {
        tpi_words(world, world->arrays.id), tpi_words(world, world->arrays.meta),
        world->def.keeps_births ? tpi_words(world, world->arrays.birth) : NULL};
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++) {
        tpi_front_x(world, axis)[to] = tpi_front_x(world, axis)[from];
        tpi_front_v(world, axis)[to] = tpi_front_v(world, axis)[from];
    }
    for (uint32_t k = 0; k < 3; k++)
        if (words[k]) words[k][to] = words[k][from];
    for (uint32_t k = 0; k < TPI_KEPT_USED; k++)
        if (tpi_front_kept(world, k)) tpi_front_kept(world, k)[to] = tpi_front_kept(world, k)[from];
    for (uint32_t k = 0; k < tpi_def_carried(&world->def); k++)
        tpi_carried(world, world->front, k)[to] = tpi_carried(world, world->front, k)[from];
}

/* The array `order` is free between steps: it takes the new index of each particle. */
static void particle_compact(tp_world *world, const particle_choice *choice)
{
    const uint32_t before = world->count;
    uint32_t *moves = tpi_words(world, world->arrays.order), kept = 0;
    for (uint32_t i = 0; i < before; i++) {
        bool dies = particle_is_chosen(world, choice, i);
        moves[i] = dies ? TPI_SPRING_NONE : kept;
        if (dies) continue;
        if (kept != i) particle_move(world, i, kept);
        kept++;
    }
    world->count = kept;
    if (tpi_has_springs(world)) tpi_springs_remove(world, moves, before);
}

/* `found` of them: not 0. */
static void particle_remove(tp_world *world, const particle_choice *choice, uint32_t found)
{
    tpi_step_cancel(world);
    particle_compact(world, choice);
    world->links_placed = false;
    world->report.died += found;
}

tp_result tp_particles_remove(tp_world *world, const uint32_t *ids, uint32_t count,
                              uint32_t *missing)
{
    tp_result result = particle_check(world, ids, ids, count);
    if (result != TP_OK) return result;
    uint32_t found = particle_count(world, ids, count, missing);
    const particle_choice choice = {.ids = ids, .count = count};
    if (found) particle_remove(world, &choice, found);
    return TP_OK;
}

tp_result tp_particle_remove(tp_world *world, uint32_t id)
{
    uint32_t missing = 0;
    tp_result result = tp_particles_remove(world, &id, 1, &missing);
    return result == TP_OK && missing ? TP_ERROR_HANDLE : result;
}

/* ---- words and species ---- */

/* Writes values[k] into the bits of `mask` of the word of the particle ids[k]. */
static tp_result particle_words(tp_world *world, uint32_t *words, uint32_t mask,
                                const uint32_t *ids, const uint32_t *values, uint32_t count)
{
    const uint32_t *id = tpi_words(world, world->arrays.id);
    tpi_step_cancel(world);
    for (uint32_t i = 0; i < world->count; i++) {
        uint32_t k = tpi_id_search(ids, count, id[i]);
        if (k < count) words[i] = (words[i] & ~mask) | values[k];
    }
    return TP_OK;
}

tp_result tp_particles_word(tp_world *world, const uint32_t *ids, const uint32_t *words,
                            uint32_t count, uint32_t *missing)
{
    tp_result result = particle_check(world, ids, words, count);
    if (result != TP_OK) return result;
    if (!tpi_def_keeps_words(&world->def)) return TP_ERROR_DEFINITION;
    if (particle_count(world, ids, count, missing) == 0) return TP_OK;
    return particle_words(world, tpi_carried(world, world->front, 0), 0xffffffffu, ids, words,
                          count);
}

tp_result tp_particles_species(tp_world *world, const uint32_t *ids, const uint32_t *species,
                               uint32_t count, uint32_t *missing)
{
    tp_result result = particle_check(world, ids, species, count);
    if (result != TP_OK) return result;
    for (uint32_t k = 0; k < count; k++)
        if (species[k] >= world->def.species_count) return TP_ERROR_DEFINITION;
    if (particle_count(world, ids, count, missing) == 0) return TP_OK;
    return particle_words(world, tpi_words(world, world->arrays.meta), TP_META_SPECIES(0xffffffffu),
                          ids, species, count);
}

/* ---- groups ---- */

/* Counts a group; *found is 0 after an error. */
static tp_result particle_group(const tp_world *world, tp_group group, particle_choice *choice,
                                uint32_t *found)
{
    tp_result result = tpi_world_check_block(world);
    *found = 0;
    if (result != TP_OK) return result;
    if (!tpi_def_keeps_words(&world->def) || (group.word & ~group.mask) != 0)
        return TP_ERROR_DEFINITION;
    *choice = (particle_choice){.group = group};
    *found = particle_chosen(world, choice);
    return TP_OK;
}

/* kg: of a group. Sums of integers, which do not depend on the order of the storage. */
static float particle_group_mass(const tp_world *world, const particle_choice *choice)
{
    const uint32_t *meta = tpi_words(world, world->arrays.meta);
    uint32_t counts[TP_SPECIES_MAX] = {0};
    float mass = 0.0f;
    for (uint32_t i = 0; i < world->count; i++)
        if (particle_is_chosen(world, choice, i)) counts[TP_META_SPECIES(meta[i])]++;
    for (uint32_t s = 0; s < world->def.species_count; s++)
        mass = mass + (float)counts[s] * world->def.species[s].mass;
    return mass;
}

/* The range of a component over a group that has particles. */
static void particle_group_range(const tp_world *world, const particle_choice *choice,
                                 const float *values, float *low, float *high)
{
    *low = FLT_MAX;
    *high = -FLT_MAX;
    for (uint32_t i = 0; i < world->count; i++) {
        if (!particle_is_chosen(world, choice, i)) continue;
        *low = tpi_min(*low, values[i]);
        *high = tpi_max(*high, values[i]);
    }
}

/* Its mean, weighted by mass; `mass` is that of the group. Sums of integers, 30 bits each, from the
   low end of its range. */
static float particle_group_mean(const tp_world *world, const particle_choice *choice,
                                 const float *values, float low, float high, float mass)
{
    const uint32_t *meta = tpi_words(world, world->arrays.meta);
    int64_t sums[TP_SPECIES_MAX] = {0};
    float mean = 0.0f;
    if (!(high - low > 1e-20f)) return low;
    const float scale = 1073741824.0f / (high - low);
    for (uint32_t i = 0; i < world->count; i++)
        if (particle_is_chosen(world, choice, i))
            sums[TP_META_SPECIES(meta[i])] += (int64_t)((values[i] - low) * scale);
    for (uint32_t s = 0; s < world->def.species_count; s++)
        mean = mean + (float)sums[s] / scale * (world->def.species[s].mass / mass);
    return tpi_flush(low + mean);
}

static void particle_component(tp_vector *vector, uint32_t axis, float value)
{
    if (axis == 0) vector->x = value;
    if (axis == 1) vector->y = value;
    if (axis == 2) vector->z = value;
}

/* Measures one component. */
static void particle_group_axis(const tp_world *world, const particle_choice *choice, uint32_t axis,
                                tp_group_report *report)
{
    const float *x = tpi_front_x(world, axis), *v = tpi_front_v(world, axis);
    float low, high, least, most;
    particle_group_range(world, choice, x, &low, &high);
    particle_group_range(world, choice, v, &least, &most);
    particle_component(&report->low, axis, low);
    particle_component(&report->high, axis, high);
    particle_component(&report->center, axis,
                       particle_group_mean(world, choice, x, low, high, report->mass));
    particle_component(&report->velocity, axis,
                       particle_group_mean(world, choice, v, least, most, report->mass));
}

tp_result tp_group_measure(const tp_world *world, tp_group group, tp_group_report *report)
{
    particle_choice choice;
    if (!report) return TP_ERROR_NULL;
    tpi_memset(report, 0, sizeof *report);
    tp_result result = particle_group(world, group, &choice, &report->count);
    if (result != TP_OK || report->count == 0) return result;
    report->mass = particle_group_mass(world, &choice);
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        particle_group_axis(world, &choice, axis, report);
    return TP_OK;
}

/* How the particles of a group change. */
typedef struct particle_motion {
    tp_vector center, push; /* m, m/s */
    tp_pose move;
    bool is_push; /* positions stay */
} particle_motion;

/* The particle at an index after the motion. */
static void particle_after(const tp_world *world, const particle_motion *motion, uint32_t i,
                           tp_vector *position, tp_vector *velocity)
{
    const bool is_flat = tpi_dimensions(world) == 2;
    tp_vector x = {tpi_front_x(world, 0)[i], tpi_front_x(world, 1)[i],
                   is_flat ? 0.0f : tpi_front_x(world, 2)[i]},
              v = {tpi_front_v(world, 0)[i], tpi_front_v(world, 1)[i],
                   is_flat ? 0.0f : tpi_front_v(world, 2)[i]};
    *position = x;
    *velocity = tpi_add(v, motion->push);
    if (motion->is_push) return;
    x = tpi_rotate(motion->move.rotation, tpi_sub(x, motion->center));
    *position = tpi_add(tpi_add(x, motion->center), motion->move.position);
    *velocity = tpi_rotate(motion->move.rotation, v);
}

/* First all are checked, then all are changed. */
static tp_result particle_set_in_motion(tp_world *world, const particle_choice *choice,
                                        const particle_motion *motion)
{
    tp_vector position, velocity;
    for (uint32_t i = 0; i < world->count; i++) {
        if (!particle_is_chosen(world, choice, i)) continue;
        particle_after(world, motion, i, &position, &velocity);
        tp_result result = tpi_particle_check(position, velocity);
        if (result != TP_OK) return result;
    }
    tpi_step_cancel(world);
    for (uint32_t i = 0; i < world->count; i++) {
        if (!particle_is_chosen(world, choice, i)) continue;
        particle_after(world, motion, i, &position, &velocity);
        if (!motion->is_push) {
            tpi_particle_put(world, i, position, velocity);
            continue;
        }
        const float v[3] = {velocity.x, velocity.y, velocity.z};
        for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
            tpi_front_v(world, axis)[i] = tpi_flush(v[axis]);
    }
    return TP_OK;
}

tp_result tp_group_impulse(tp_world *world, tp_group group, tp_vector impulse, uint32_t *count)
{
    particle_choice choice;
    uint32_t found;
    tp_result result = particle_group(world, group, &choice, &found);
    if (result != TP_OK) return result;
    impulse = tpi_flat(world, impulse);
    if (!tpi_is_finite_vector(impulse)) return TP_ERROR_DEFINITION;
    particle_motion motion = {.is_push = true};
    if (found) {
        motion.push = tpi_scale(impulse, 1.0f / particle_group_mass(world, &choice));
        result = particle_set_in_motion(world, &choice, &motion);
    }
    if (result == TP_OK && count) *count = found;
    return result;
}

tp_result tp_group_move(tp_world *world, tp_group group, tp_vector center, tp_pose move,
                        uint32_t *count)
{
    particle_choice choice;
    uint32_t found;
    tp_result result = particle_group(world, group, &choice, &found);
    if (result != TP_OK) return result;
    const bool is_flat = tpi_dimensions(world) == 2;
    const particle_motion motion = {.center = tpi_flat(world, center),
                                    .move = tpi_flat_pose(world, move)};
    if (!tpi_pose_is_good(motion.move) || !tpi_is_finite_vector(motion.center) ||
        (is_flat && (move.rotation.x != 0.0f || move.rotation.y != 0.0f)))
        return TP_ERROR_DEFINITION;
    if (found) result = particle_set_in_motion(world, &choice, &motion);
    if (result == TP_OK && count) *count = found;
    return result;
}

tp_result tp_group_remove(tp_world *world, tp_group group, uint32_t *count)
{
    particle_choice choice;
    uint32_t found;
    tp_result result = particle_group(world, group, &choice, &found);
    if (result != TP_OK) return result;
    if (found) particle_remove(world, &choice, found);
    if (count) *count = found;
    return TP_OK;
}
