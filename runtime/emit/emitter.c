/* SPDX-License-Identifier: MIT
   runtime/emit/emitter.c - emitters: time, position and velocity of births.
   reads   emitters, the clock, the step
   writes  births; the emitters themselves only when a step commits
   memory  the pool's items
   cost    O(1) per birth (log triangles on a mesh), O(emitters_max) per step
   after   rational accumulators in whole ticks; each birth has its own time within the step */
#include "emit.h"
#include "../world/change.h"
#include "../world/solver.h"

#define TPI_BURST_MAX       16777215u /* limit of a pool of particles */
#define TPI_FRAME_BIRTHS    65536u
#define TPI_RATE_LIMIT      ((uint64_t)1 << 43) /* times the ticks of a frame it stays below 2^63 */
#define TPI_CHANNEL_EMITTER 0x454d4954u
#define TPI_EVENT_POSITION  8u
#define TPI_EVENT_VELOCITY  16u

/* ---- definition ---- */

tp_emitter_def tp_emitter_default(void)
{
    tp_emitter_def def;
    tpi_memset(&def, 0, sizeof def);
    def.stamp = TPI_STAMP_EMITTER;
    def.pose.rotation.w = 1.0f;
    def.rate_denominator = 1;
    tpi_feed_default(&def);
    return def;
}

/* Births per frame are numerator * fps_denominator / (denominator * fps_numerator). */
static const char *emitter_check_rate(const tp_world *world, const tp_emitter_def *def)
{
    if (def->rate_denominator < 1 || def->rate_denominator > 65535u)
        return TPI_TEXT("rate_denominator must be 1 to 65535");
    uint64_t births = (uint64_t)def->rate_numerator * world->def.frames_per_second_denominator;
    uint64_t frames = (uint64_t)def->rate_denominator * world->def.frames_per_second_numerator;
    if (births > TPI_FRAME_BIRTHS * frames)
        return TPI_TEXT("rate_numerator / rate_denominator must be at most 65536 births a frame");
    if (births >= TPI_RATE_LIMIT)
        return TPI_TEXT("rate_numerator times frames_per_second_denominator must be below 2^43: "
                        "shorten the fractions");
    if (def->burst_count > TPI_BURST_MAX) return TPI_TEXT("burst_count must be 0 to 16777215");
    if (def->stop_frame != 0 && def->stop_frame <= def->start_frame)
        return TPI_TEXT("stop_frame must be 0 or above start_frame");
    return NULL;
}

static const char *emitter_check_motion(const tp_world *world, const tp_emitter_def *def)
{
    if (!tpi_pose_is_good(def->pose) || !tpi_is_vector_within(def->pose.position, TPI_POSITION_MAX))
        return TPI_TEXT("pose must have a position of -1e9 to 1e9 along each axis and a rotation "
                        "of unit length");
    if (!tpi_is_vector_within(def->velocity, 1e6f))
        return TPI_TEXT("velocity must be -1e6 to 1e6 along each axis");
    if (!tpi_is_within(def->velocity_jitter, 0.0f, 1e6f))
        return TPI_TEXT("velocity_jitter must be 0 to 1e6");
    if (!tpi_is_within(def->position_jitter, 0.0f, 1e6f))
        return TPI_TEXT("position_jitter must be 0 to 1e6");
    if (!tpi_is_within(def->inherit, 0.0f, 1.0f)) return TPI_TEXT("inherit must be 0 to 1");
    if (!tpi_is_within(def->lifetime_jitter, 0.0f, 1.0f))
        return TPI_TEXT("lifetime_jitter must be 0 to 1");
    if (def->lifetime_ticks > TPI_AGE_MAX)
        return TPI_TEXT("lifetime_ticks must be 0 to 4293525855");
    if (!tpi_is_within(def->temperature, -1e6f, 1e6f))
        return TPI_TEXT("temperature must be -1e6 to 1e6");
    if (!tpi_is_within(def->strength, -1e6f, 1e6f)) return TPI_TEXT("strength must be -1e6 to 1e6");
    if (def->strength != 0.0f && !tpi_has_strengths(world))
        return TPI_TEXT("strength must be 0 in a world whose particles have no strengths");
    if (def->lifetime_ticks && !world->def.keeps_births)
        return TPI_TEXT("lifetime_ticks needs a world with keeps_births");
    return NULL;
}

/* Normalises a definition as it waits for the next frame: without pointers, and in two dimensions
   without z. */
static void emitter_settle(const tp_world *world, tp_emitter_def *def)
{
    TPI_CLEAR_GAP(def, tp_emitter_def, feed_distance, vertices);
    TPI_CLEAR_GAP(def, tp_emitter_def, vertex_count, indices);
    TPI_CLEAR_TAIL(def, tp_emitter_def, triangle_count);
    def->vertices = NULL;
    def->indices = NULL;
    def->pose = tpi_flat_pose(world, def->pose);
    def->size = tpi_flat(world, def->size);
    def->velocity = tpi_flat(world, def->velocity);
}

const char *tp_emitter_check(const tp_world *world, const tp_emitter_def *definition)
{
    if (tpi_world_check_block(world) != TP_OK)
        return TPI_TEXT("the world is null or no world: create it first");
    if (!definition) return TPI_TEXT("the definition is null: pass one made by tp_emitter_default");
    if (definition->stamp != TPI_STAMP_EMITTER) return tp_result_text(TP_ERROR_STAMP);
    if (definition->species >= world->def.species_count)
        return TPI_TEXT("species must be below the world's species_count");
    if (definition->word && !tpi_def_keeps_words(&world->def))
        return TPI_TEXT("word must be 0 in a world without keeps_words");
    tp_emitter_def def = *definition;
    emitter_settle(world, &def);
    def.vertices = definition->vertices;
    def.indices = definition->indices;
    const char *text = emitter_check_rate(world, &def);
    if (!text) text = emitter_check_motion(world, &def);
    if (!text) text = tpi_feed_check(world, &def);
    if (!text) text = tpi_emitter_check_shape(world, &def);
    return text;
}

/* ---- the pool ---- */

static void emitter_rate(const tp_world *world, tpi_emitter_item *item)
{
    item->rate_per_tick =
        (uint64_t)item->def.rate_numerator * world->def.frames_per_second_denominator;
    item->rate_scale = (uint64_t)item->def.rate_denominator *
                       world->def.frames_per_second_numerator * TP_TICKS_PER_FRAME;
}

/* Stores a definition, without its mesh; in two dimensions without z. */
static void emitter_store(const tp_world *world, tpi_emitter_item *item, const tp_emitter_def *def)
{
    tpi_memcpy(&item->def, def, sizeof item->def);
    item->def.pose = tpi_flat_pose(world, def->pose);
    item->def.size = tpi_flat(world, def->size);
    item->def.velocity = tpi_flat(world, def->velocity);
    if (tpi_has_feeds(world)) tpi_memcpy(&item->feed, &def->feed_kinds, sizeof item->feed);
    emitter_rate(world, item);
}

/* ---- emitters that were removed, but whose particles have lifetimes ---- */

bool tpi_emitter_lingers(const tp_world *world, uint32_t slot)
{
    const uint32_t *slots = tpi_words(world, world->emitters.slots);
    return tpi_emitter_at(world, slot)->handle != tpi_pool_handle(slots, slot);
}

/* Keeps of an emitter what its particles need; its handle names nothing from now on. False: the
   particles have no lifetimes, or the slot no more generations. */
static bool emitter_linger(tp_world *world, uint32_t slot)
{
    tpi_emitter_item *item = tpi_emitter_at(world, slot);
    tp_emitter_def def = tp_emitter_default();
    const bool has_own = item->def.lifetime_ticks != 0 && item->born != 0;
    if ((!has_own && item->before.lifetime_ticks == 0) ||
        !tpi_pool_rename(tpi_words(world, world->emitters.slots), slot))
        return false;
    tpi_step_cancel(world);
    tpi_change_clear(world, TP_POOL_EMITTERS, slot);
    def.species = item->def.species;
    def.rate_numerator = 0;
    def.lifetime_ticks = has_own ? item->def.lifetime_ticks : 0;
    def.lifetime_jitter = item->def.lifetime_jitter;
    emitter_store(world, item, &def);
    tpi_memset(&item->mesh, 0, sizeof item->mesh);
    item->owed = item->burst_done = 0;
    item->born = has_own ? tpi_now(world) + def.lifetime_ticks : 0;
    if (item->before.lifetime_ticks && item->before.end > item->born) item->born = item->before.end;
    return true;
}

static void emitter_forget(tp_world *world, uint32_t slot)
{
    tpi_memset(tpi_emitter_at(world, slot), 0, world->emitters.item_bytes);
    tpi_pool_free(&world->emitters, tpi_words(world, world->emitters.slots), slot);
}

/* What an emitter that takes the slot of a lingering one has to know of it. Of earlier ones that
   this one knows the particles get its lifetimes: a slot holds those of one. */
static tpi_emitter_before emitter_before(const tp_world *world, const tpi_emitter_item *item)
{
    tpi_emitter_before before = item->before;
    if (item->def.lifetime_ticks == 0) return before;
    if (before.lifetime_ticks == 0) before.first_id = item->first_id;
    before.end_id = world->clock.next_id;
    before.lifetime_ticks = item->def.lifetime_ticks;
    before.lifetime_jitter = item->def.lifetime_jitter;
    before.handle = item->handle;
    before.end = item->born;
    return before;
}

/* Makes room in a full pool, if an emitter lingers: the one that ends first. */
static void emitter_make_room(tp_world *world, tpi_emitter_before *before)
{
    const tpi_pool *pool = &world->emitters;
    uint32_t first = TPI_NO_SLOT;
    if (pool->used + pool->retired < pool->capacity) return;
    for (uint32_t slot = 0; slot < tpi_emitters_end(world); slot++)
        if (tpi_pool_is_alive(tpi_words(world, pool->slots), slot) &&
            tpi_emitter_lingers(world, slot) &&
            (first == TPI_NO_SLOT ||
             tpi_emitter_at(world, slot)->born < tpi_emitter_at(world, first)->born))
            first = slot;
    if (first == TPI_NO_SLOT) return;
    tpi_step_cancel(world);
    *before = emitter_before(world, tpi_emitter_at(world, first));
    emitter_forget(world, first);
}

tp_result tp_emitter_add(tp_world *world, const tp_emitter_def *definition, tp_emitter *emitter)
{
    tp_result result =
        tpi_item_check(world, definition, TPI_STAMP_EMITTER, emitter ? &emitter->id : NULL);
    if (result != TP_OK) return result;
    if (tp_emitter_check(world, definition)) return TP_ERROR_DEFINITION;
    tpi_mesh mesh;
    if (!tpi_emitter_take_mesh(world, definition, &mesh)) return TP_ERROR_FULL;
    tpi_emitter_before before;
    tpi_memset(&before, 0, sizeof before);
    emitter_make_room(world, &before);
    uint32_t slot =
        tpi_pool_take(&world->emitters, tpi_words(world, world->emitters.slots), &emitter->id);
    if (slot == TPI_NO_SLOT) {
        tpi_emitter_free_mesh(world, &mesh);
        return TP_ERROR_FULL;
    }
    tpi_step_cancel(world);
    tpi_emitter_item *item = tpi_emitter_at(world, slot);
    tpi_memset(item, 0, world->emitters.item_bytes);
    emitter_store(world, item, definition);
    item->mesh = mesh;
    item->pose_past = item->pose_from = item->pose_to = item->pose_next = item->def.pose;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): tpi_item_check refuses a null handle */
    item->handle = emitter->id;
    item->first_id = world->clock.next_id;
    item->before = before;
    return TP_OK;
}

/* A step in progress continues: the pose is used when the next frame begins. */
tp_result tp_emitter_move(tp_world *world, tp_emitter emitter, tp_pose pose)
{
    uint32_t slot;
    tp_result result = tpi_item_find(world, TP_POOL_EMITTERS, emitter.id, &slot);
    if (result != TP_OK) return result;
    pose = tpi_flat_pose(world, pose);
    if (!tpi_pose_is_good(pose) || !tpi_is_vector_within(pose.position, TPI_POSITION_MAX))
        return TP_ERROR_DEFINITION;
    tpi_emitter_at(world, slot)->pose_next = pose;
    return TP_OK;
}

tp_result tp_emitter_count(const tp_world *world, tp_emitter emitter, uint64_t *born,
                           uint64_t *refused)
{
    uint32_t slot;
    tp_result result = tpi_item_find(world, TP_POOL_EMITTERS, emitter.id, &slot);
    if (result != TP_OK) return result;
    const tpi_emitter_item *item = tpi_emitter_at(world, slot);
    if (born) *born = item->born;
    if (refused) *refused = item->refused;
    return TP_OK;
}

tp_result tp_emitter_remove(tp_world *world, tp_emitter emitter)
{
    uint32_t slot;
    tp_result result = tpi_item_find(world, TP_POOL_EMITTERS, emitter.id, &slot);
    if (result != TP_OK) return result;
    tpi_mesh mesh = tpi_emitter_at(world, slot)->mesh;
    if (!emitter_linger(world, slot)) tpi_item_remove(world, TP_POOL_EMITTERS, slot);
    tpi_emitter_free_mesh(world, &mesh);
    return TP_OK;
}

/* ---- changes ---- */

/* Births owed times the scale of the new rate: the same fraction of a birth, rounded down. Long
   division by 16 bits at a time: small devices have no 64-bit division. */
static uint64_t emitter_rescale(uint64_t owed, uint32_t from, uint32_t to)
{
    uint64_t whole = 0;
    uint32_t rest = 0;
    for (uint32_t shift = 64; shift > 0; shift -= 16) {
        uint32_t digit = rest << 16 | (uint32_t)(owed >> (shift - 16u) & 0xffffu);
        whole = whole << 16 | digit / from;
        rest = digit % from;
    }
    return whole * to + rest * to / from; /* below 2^32: both have 16 bits */
}

/* Completes a definition for an emitter: its pose and its mesh stay. Null, or the first fault. */
static const char *emitter_complete(const tp_world *world, uint32_t slot, tp_emitter_def *def)
{
    const tpi_emitter_item *item = tpi_emitter_at(world, slot);
    tp_emitter_def old = tpi_emitter_def_of(world, item);
    if ((old.shape == TP_EMITTER_MESH) != (def->shape == TP_EMITTER_MESH))
        return TPI_TEXT("shape may not change from or to TP_EMITTER_MESH: add another emitter");
    def->pose = old.pose;
    def->vertices = old.vertices;
    def->vertex_count = old.vertex_count;
    def->indices = old.indices;
    def->triangle_count = old.triangle_count;
    const char *text = tp_emitter_check(world, def);
    emitter_settle(world, def);
    return text;
}

const char *tp_emitter_set_check(const tp_world *world, tp_emitter emitter,
                                 const tp_emitter_def *definition)
{
    uint32_t slot;
    tp_result result =
        tpi_change_check(world, TP_POOL_EMITTERS, emitter.id, definition, TPI_STAMP_EMITTER, &slot);
    const char *text = tpi_change_fault(world, result);
    if (text) return text;
    tp_emitter_def def = *definition;
    return emitter_complete(world, slot, &def);
}

tp_result tp_emitter_set(tp_world *world, tp_emitter emitter, const tp_emitter_def *definition)
{
    uint32_t slot;
    tp_result result =
        tpi_change_check(world, TP_POOL_EMITTERS, emitter.id, definition, TPI_STAMP_EMITTER, &slot);
    if (result != TP_OK) return result;
    tp_emitter_def def = *definition;
    if (!tpi_takes_changes(world) || emitter_complete(world, slot, &def))
        return TP_ERROR_DEFINITION;
    if (tpi_is_in_frame(world))
        tpi_change_put(world, TP_POOL_EMITTERS, slot, &def);
    else
        tpi_emitter_change(world, slot, &def);
    return TP_OK;
}

tp_result tp_emitter_rate(tp_world *world, tp_emitter emitter, uint32_t numerator,
                          uint32_t denominator)
{
    uint32_t slot;
    tp_result result = tpi_item_find(world, TP_POOL_EMITTERS, emitter.id, &slot);
    if (result != TP_OK) return result;
    const void *waits = tpi_change_of(world, TP_POOL_EMITTERS, slot);
    tp_emitter_def def = waits ? *(const tp_emitter_def *)waits
                               : tpi_emitter_def_of(world, tpi_emitter_at(world, slot));
    def.rate_numerator = numerator;
    def.rate_denominator = denominator;
    return tp_emitter_set(world, emitter, &def);
}

void tpi_emitter_change(tp_world *world, uint32_t slot, const tp_emitter_def *def)
{
    tpi_emitter_item *item = tpi_emitter_at(world, slot);
    item->owed = emitter_rescale(item->owed, item->def.rate_denominator, def->rate_denominator);
    item->burst_done = tpi_min_u32(item->burst_done, def->burst_count);
    if (def->feed_kinds) item->owed = 0;
    emitter_store(world, item, def);
}

const char *tpi_emitter_audit_change(const tp_world *world, uint32_t slot,
                                     const tp_emitter_def *def)
{
    tp_emitter_def copy = *def;
    if (copy.stamp != TPI_STAMP_EMITTER) return tp_result_text(TP_ERROR_STAMP);
    return emitter_complete(world, slot, &copy);
}

/* ---- how many ---- */

bool tpi_emitter_is_active(const tp_world *world, const tpi_emitter_item *item)
{
    const tpi_emitter_settings *def = &item->def;
    return world->clock.frame >= def->start_frame &&
           (def->stop_frame == 0 || world->clock.frame < def->stop_frame);
}

/* The accumulator at the end of the step, before births are subtracted: below 2^52 + 2^63. */
static uint64_t emitter_owed_at_end(const tp_world *world, const tpi_emitter_item *item)
{
    return item->owed + item->rate_per_tick * world->step.ticks;
}

/* Whole births in `owed`, at most 65536, by binary long division: small devices have no 64-bit
   division. */
static uint32_t emitter_whole(uint64_t owed, uint64_t scale)
{
    uint32_t births = 0;
    for (uint32_t bit = 17; bit-- > 0;) {
        if ((owed >> bit) < scale) continue;
        owed -= scale << bit;
        births += 1u << bit;
    }
    return births;
}

static uint32_t emitter_burst_left(const tpi_emitter_item *item)
{
    return item->def.burst_count - item->burst_done;
}

uint32_t tpi_emit_plan(const tp_world *world)
{
    const uint32_t *slots = tpi_words(world, world->emitters.slots);
    uint64_t wanted = 0;
    for (uint32_t slot = 0; slot < tpi_emitters_end(world); slot++) {
        const tpi_emitter_item *item = tpi_emitter_at(world, slot);
        if (!tpi_pool_is_alive(slots, slot) || !tpi_emitter_is_active(world, item)) continue;
        uint64_t births = emitter_whole(emitter_owed_at_end(world, item), item->rate_scale);
        births += emitter_burst_left(item);
        uint64_t total = item->def.total_max; /* a change may lower it below the births so far */
        uint64_t allowed = !total ? births : total > item->born ? total - item->born : 0;
        wanted += births < allowed ? births : allowed;
    }
    return wanted < 0xffffffffu ? (uint32_t)wanted : 0xffffffffu;
}

/* The accumulator crosses a whole number once for each birth of the step. Refused births do not
   count towards total_max. */
static bool emitter_has_next(const tp_world *world, const tpi_emitter_item *item)
{
    if (!tpi_emitter_is_active(world, item) || tpi_feed_kinds(world, item)) return false;
    uint64_t born = item->born + item->step_births - item->step_refused;
    if (item->def.total_max && born >= item->def.total_max) return false;
    uint32_t burst = emitter_burst_left(item);
    if (item->step_births < burst) return true;
    return (item->step_births - burst + 1u) * item->rate_scale <= emitter_owed_at_end(world, item);
}

/* ---- time, position, velocity ---- */

/* numerator / denominator <= 1, both shortened to the 24 bits of a float's mantissa: accurate to
   2^-22. */
static float emitter_ratio(uint64_t numerator, uint64_t denominator)
{
    while (denominator >> 24) {
        denominator >>= 1;
        numerator >>= 1;
    }
    float ratio = (float)(uint32_t)numerator / (float)(uint32_t)denominator;
    return tpi_min(ratio, 1.0f);
}

/* Births of a burst are first, at the start of the step. The others happen when the accumulator
   crosses a whole number, so they are evenly spaced, also across steps. */
static float emitter_birth_fraction(const tp_world *world, const tpi_emitter_item *item)
{
    uint32_t burst = emitter_burst_left(item);
    if (item->step_births < burst) return 0.0f;
    uint64_t needed = (item->step_births - burst + 1u) * item->rate_scale - item->owed;
    return emitter_ratio(needed, item->rate_per_tick * world->step.ticks);
}

/* Velocity in m/s of the point `arm` (world axes, from the pose's position) while the pose moves
   from pose_from to pose_to. Normalised linear interpolation between two unit quaternions a and b
   turns at 2 sin(h) / |q|^2 radians per frame, where h is half the angle between them and q the
   interpolated quaternion before it is normalised. */
static tp_vector emitter_velocity(const tp_world *world, const tpi_emitter_item *item, float share,
                                  tp_vector arm)
{
    tp_quaternion a = item->pose_from.rotation, b = item->pose_to.rotation;
    float frames_per_second = (float)world->def.frames_per_second_numerator /
                              (float)world->def.frames_per_second_denominator;
    float cosine = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    tp_vector from = {a.x, a.y, a.z}, to = {b.x, b.y, b.z};
    /* The vector part of b conjugate(a): the axis times sin(h). */
    tp_vector axis =
        tpi_sub(tpi_sub(tpi_scale(to, a.w), tpi_scale(from, b.w)), tpi_cross(to, from));
    if (cosine < 0.0f) { /* the shorter arc leads to -b */
        cosine = -cosine;
        axis = tpi_scale(axis, -1.0f);
    }
    float rest = 1.0f - share;
    float square = rest * rest + 2.0f * rest * share * cosine + share * share;
    tp_vector turn = tpi_scale(axis, 2.0f / square);
    tp_vector velocity =
        tpi_add(tpi_sub(item->pose_to.position, item->pose_from.position), tpi_cross(turn, arm));
    return tpi_scale(velocity, frames_per_second);
}

/* Random numbers depend on the emitter and the number of the birth, not on the particle's id, so
   other emitters do not change them. */
static tpi_random_key emitter_key(const tp_world *world, const tpi_emitter_item *item)
{
    uint32_t number = (uint32_t)(item->born + item->refused) + item->step_births;
    return (tpi_random_key){world->def.seed, world->def.world_id, number,
                            item->handle ^ TPI_CHANNEL_EMITTER};
}

/* The lattice point of a birth: those of a burst in order, then those by rate in turn. */
static uint32_t emitter_lattice_number(const tp_world *world, const tpi_emitter_item *item)
{
    uint32_t counts[3], births = (uint32_t)(item->born + item->refused) + item->step_births;
    if (item->step_births < emitter_burst_left(item)) return item->burst_done + item->step_births;
    tpi_emitter_lattice(world, item->def.size, item->def.lattice_spacing, counts);
    return (births - item->def.burst_count) % (counts[0] * counts[1] * counts[2]);
}

/* Births by rate lie where they were if all points of their turn had been born with the first one:
   rows are straight, and each follows the last at one distance. */
static tp_vector emitter_lattice_advance(const tp_world *world, const tpi_emitter_item *item,
                                         tp_vector arm, tp_vector velocity)
{
    const tpi_emitter_settings *def = &item->def;
    if (item->step_births < emitter_burst_left(item)) return arm;
    float late = (float)emitter_lattice_number(world, item) * (float)def->rate_denominator /
                 (float)def->rate_numerator;
    return tpi_add_scaled(arm, velocity, late);
}

void tpi_emitter_birth(const tp_world *world, const tpi_emitter_item *item,
                       const tpi_feed_source *source, tpi_birth *birth)
{
    const tpi_emitter_settings *def = &item->def;
    uint32_t dimensions = tpi_dimensions(world);
    tpi_random_key key = emitter_key(world, item);
    tp_vector local = def->lattice_spacing > 0.0f
                          ? tpi_emitter_lattice_position(world, def->size, def->lattice_spacing,
                                                         emitter_lattice_number(world, item))
                          : tpi_emitter_position(world, item, key);
    birth->fraction = source ? source->fraction : emitter_birth_fraction(world, item);
    float tick = (float)world->clock.tick + (float)world->step.ticks * birth->fraction;
    float share = tpi_min(tick * (1.0f / (float)TP_TICKS_PER_FRAME), 1.0f);
    tp_pose pose = tpi_pose_lerp(item->pose_from, item->pose_to, share);
    tp_vector arm = tpi_rotate(pose.rotation, local),
              velocity = tpi_rotate(pose.rotation, def->velocity);
    if (def->lattice_spacing > 0.0f) arm = emitter_lattice_advance(world, item, arm, velocity);
    if (def->position_jitter > 0.0f)
        arm = tpi_add_scaled(arm, tpi_random_ball(key, TPI_EVENT_POSITION, dimensions),
                             def->position_jitter);
    if (def->velocity_jitter > 0.0f)
        velocity = tpi_add_scaled(velocity, tpi_random_ball(key, TPI_EVENT_VELOCITY, dimensions),
                                  def->velocity_jitter);
    if (def->inherit > 0.0f)
        velocity = tpi_add_scaled(
            velocity, source ? source->velocity : emitter_velocity(world, item, share, arm),
            def->inherit);
    birth->strength = tpi_scale(
        tpi_cross(tpi_rotate(pose.rotation, tpi_vector(0.0f, 1.0f, 0.0f)), arm), def->strength);
    birth->position = tpi_add(arm, pose.position);
    if (source) birth->position = tpi_add(birth->position, source->point);
    birth->velocity = velocity;
    if (dimensions == 2) birth->position.z = birth->velocity.z = 0.0f;
    birth->species = def->species;
}

/* ---- the step's calls ---- */

void tpi_emitters_begin_frame(tp_world *world)
{
    const uint32_t *slots = tpi_words(world, world->emitters.slots);
    for (uint32_t slot = 0; slot < tpi_emitters_end(world); slot++) {
        tpi_emitter_item *item = tpi_emitter_at(world, slot);
        if (!tpi_pool_is_alive(slots, slot)) continue;
        item->pose_past = item->pose_from;
        item->pose_from = item->pose_to;
        item->pose_to = item->pose_next;
    }
}

void tpi_emit_begin(tp_world *world)
{
    for (uint32_t slot = 0; slot < tpi_emitters_end(world); slot++) {
        tpi_emitter_item *item = tpi_emitter_at(world, slot);
        item->step_births = item->step_refused = 0;
    }
    if (tpi_has_feeds(world)) tpi_feeds_begin(world);
}

bool tpi_emit_next(tp_world *world, tpi_birth *birth)
{
    const uint32_t *slots = tpi_words(world, world->emitters.slots);
    tpi_step *step = &world->step;
    for (; step->emitter < tpi_emitters_end(world); step->emitter++) {
        tpi_emitter_item *item = tpi_emitter_at(world, step->emitter);
        if (!tpi_pool_is_alive(slots, step->emitter) || !emitter_has_next(world, item)) continue;
        tpi_emitter_birth(world, item, NULL, birth);
        birth->emitter_slot = step->emitter;
        item->step_births++;
        return true;
    }
    return false;
}

uint32_t tpi_emit_refused(tp_world *world, uint32_t emitter_slot)
{
    tpi_emitter_at(world, emitter_slot)->step_refused++;
    return 1;
}

/* Commits an emitter, or frees the slot at the end of its last lifetime. If it has reached
   total_max it never emits again, so it owes nothing; one that events feed never does. */
static void emitter_commit(tp_world *world, uint32_t slot)
{
    tpi_emitter_item *item = tpi_emitter_at(world, slot);
    if (tpi_emitter_lingers(world, slot)) {
        if (tpi_now(world) + world->step.ticks >= item->born) emitter_forget(world, slot);
        return;
    }
    uint32_t burst = tpi_min_u32(emitter_burst_left(item), item->step_births);
    uint64_t owed =
        emitter_owed_at_end(world, item) - (item->step_births - burst) * item->rate_scale;
    item->owed = owed < item->rate_scale && !tpi_feed_kinds(world, item) ? owed : 0;
    item->burst_done += burst;
    item->born += item->step_births - item->step_refused;
    item->refused += item->step_refused;
    item->step_births = item->step_refused = 0;
}

void tpi_emit_end(tp_world *world)
{
    const uint32_t *slots = tpi_words(world, world->emitters.slots);
    for (uint32_t slot = 0; slot < tpi_emitters_end(world); slot++) {
        tpi_emitter_item *item = tpi_emitter_at(world, slot);
        if (!tpi_pool_is_alive(slots, slot)) continue;
        if (item->before.lifetime_ticks && tpi_now(world) + world->step.ticks >= item->before.end)
            tpi_memset(&item->before, 0, sizeof item->before);
        if (tpi_emitter_is_active(world, item)) emitter_commit(world, slot);
    }
}

/* ---- an item of an untrusted block ---- */

static bool emitter_poses_are_good(const tpi_emitter_item *item)
{
    const tp_pose *const poses[4] = {&item->pose_past, &item->pose_from, &item->pose_to,
                                     &item->pose_next};
    bool is_good = true;
    for (uint32_t k = 0; k < 4; k++)
        is_good = is_good && tpi_pose_is_good(*poses[k]) &&
                  tpi_is_vector_within(poses[k]->position, TPI_POSITION_MAX);
    return is_good;
}

static bool emitter_before_is_good(const tp_world *world, const tpi_emitter_item *item)
{
    const tpi_emitter_before *before = &item->before;
    return before->lifetime_ticks == 0 ||
           (world->def.keeps_births && before->lifetime_ticks <= TPI_AGE_MAX &&
            tpi_is_within(before->lifetime_jitter, 0.0f, 1.0f));
}

const char *tpi_emitter_audit(const tp_world *world, uint32_t slot)
{
    const tpi_emitter_item *item = tpi_emitter_at(world, slot);
    tp_emitter_def def = tpi_emitter_def_of(world, item);
    tpi_mesh mesh = tpi_emitter_mesh_at(&def, item->mesh.vertices);
    if (!tpi_is_same(&mesh, &item->mesh, sizeof mesh))
        return TPI_TEXT("a mesh of an emitter that has one, with its parts in their order");
    const char *text = tp_emitter_check(world, &def);
    if (text) return text;
    if (!emitter_poses_are_good(item))
        return TPI_TEXT("poses of an emitter: finite, of unit rotation");
    if (!emitter_before_is_good(world, item))
        return TPI_TEXT("lifetimes of a removed emitter that an emitter may have");
    uint64_t scale = (uint64_t)def.rate_denominator * world->def.frames_per_second_numerator *
                     TP_TICKS_PER_FRAME;
    bool is_over = !tpi_takes_changes(world) && def.total_max && item->born > def.total_max;
    if (item->owed >= scale || item->burst_done > def.burst_count || is_over)
        return TPI_TEXT(
            "an emitter that owes less than a birth, and has had no more than its burst and total");
    return NULL;
}

void tpi_emitter_derive(tp_world *world, uint32_t slot)
{
    tpi_emitter_item *item = tpi_emitter_at(world, slot);
    tp_emitter_def def = tpi_emitter_def_of(world, item);
    emitter_store(world, item, &def);
    item->pose_past = tpi_flat_pose(world, item->pose_past);
    item->pose_from = tpi_flat_pose(world, item->pose_from);
    item->pose_to = tpi_flat_pose(world, item->pose_to);
    item->pose_next = tpi_flat_pose(world, item->pose_next);
    item->step_births = item->step_refused = 0;
    const uint32_t *slots = tpi_words(world, world->emitters.slots);
    if (item->handle != tpi_pool_handle_before(slots, slot)) /* else it lingers */
        item->handle = tpi_pool_handle(slots, slot);
    if (def.shape == TP_EMITTER_MESH)
        tpi_emitter_sum_areas(world, &def, tpi_words(world, world->geometry + item->mesh.extra));
}

#undef TPI_BURST_MAX
#undef TPI_FRAME_BIRTHS
#undef TPI_RATE_LIMIT
#undef TPI_CHANNEL_EMITTER
#undef TPI_EVENT_POSITION
#undef TPI_EVENT_VELOCITY
