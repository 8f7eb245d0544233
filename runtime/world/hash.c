/* SPDX-License-Identifier: MIT
   runtime/world/hash.c - the state hash: 64 bits over all the state that steps change.
   reads   the front set, clocks, pools      writes  nothing
   memory  none
   cost    O(particles + pools): about 6 mixes per particle
   after   own design: the sum of one hash per particle, which includes its id, does not depend on
           storage order. Values are hashed, not bytes, so the hash does not depend on byte order */
#include "block.h"

/* All NaNs hash alike, because machines produce different ones. */
static uint32_t hash_bits(float value)
{
    uint32_t bits = tpi_bits(value);
    return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : bits;
}

/* Apart, so that small builds have it once. */
static uint64_t hash_word(uint64_t hash, uint64_t word) { return tpi_mix_word(hash, word); }

static uint64_t hash_float(uint64_t hash, float value) { return hash_word(hash, hash_bits(value)); }

static uint64_t hash_particle(const tp_world *world, uint32_t i)
{
    uint64_t hash =
        hash_word(tpi_words(world, world->arrays.id)[i], tpi_words(world, world->arrays.meta)[i]);
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        hash = hash_word(hash, (uint64_t)hash_bits(tpi_front_x(world, axis)[i]) << 32 |
                                   hash_bits(tpi_front_v(world, axis)[i]));
    if (world->def.keeps_births) hash = hash_word(hash, tpi_words(world, world->arrays.birth)[i]);
    if (tpi_def_keeps_words(&world->def))
        hash = hash_word(hash, tpi_carried(world, world->front, 0)[i]);
    if (tpi_def_keeps_contacts(&world->def))
        hash = hash_word(hash, tpi_contacts(world, world->front)[i]);
    for (uint32_t k = 0; k < TPI_KEPT_USED; k++)
        if (tpi_front_kept(world, k)) hash = hash_float(hash, tpi_front_kept(world, k)[i]);
    const uint32_t springs_max = tpi_has_springs(world) ? world->def.sph.springs_max : 0;
    const tpi_spring *springs = springs_max ? tpi_spring_row(world, world->front, i) : NULL;
    for (uint32_t k = 0; k < springs_max && springs[k].partner != TPI_SPRING_NONE; k++)
        hash =
            hash_word(hash, (uint64_t)tpi_words(world, world->arrays.id)[springs[k].partner] << 32 |
                                hash_bits(springs[k].rest_length));
    return hash;
}

static uint64_t hash_pose(uint64_t hash, tp_pose pose)
{
    const float values[7] = {pose.position.x, pose.position.y, pose.position.z, pose.rotation.w,
                             pose.rotation.x, pose.rotation.y, pose.rotation.z};
    for (uint32_t k = 0; k < 7; k++) hash = hash_float(hash, values[k]);
    return hash;
}

/* Hashes three poses: current, target and requested. A frame that has begun but has no complete
   step has already shifted them, so the older three are hashed. */
static uint64_t hash_poses(const tp_world *world, uint64_t hash, const tp_pose poses[4])
{
    uint32_t first = world->clock.frame_begun && world->clock.tick == 0 ? 0u : 1u;
    for (uint32_t k = first; k < first + 3u; k++) hash = hash_pose(hash, poses[k]);
    return hash;
}

/* The leaps that the hashed poses of a collider make. */
static uint32_t hash_leaps(const tp_world *world, const tpi_collider_item *item)
{
    if (world->clock.tick != 0) return tpi_leaps(item, TPI_LEAP_NOW | TPI_LEAP_NEXT);
    return world->clock.frame_begun ? tpi_leaps(item, TPI_LEAP_NOW) / TPI_LEAP_NOW
                                    : tpi_leaps(item, TPI_LEAP_NEXT);
}

static uint64_t hash_momentum(uint64_t hash, const tpi_momentum *momentum)
{
    for (uint32_t axis = 0; axis < 3; axis++)
        hash = hash_word(hash_word(hash, momentum->linear[axis]), momentum->angular[axis]);
    return hash;
}

static uint64_t hash_body(uint64_t hash, const tpi_body_item *body)
{
    hash = hash_momentum(hash_pose(hash, body->pose), &body->now);
    hash = hash_momentum(hash, &body->asked);
    for (uint32_t k = 0; k < body->held_count; k++) {
        const tpi_body_held *held = &body->held[k];
        hash = hash_word(hash, (uint64_t)held->collider << 32 | held->feature);
        hash = hash_float(hash_float(hash, held->size), held->slide.x);
        hash = hash_float(hash_float(hash, held->slide.y), held->slide.z);
    }
    return hash;
}

static uint64_t hash_pools(const tp_world *world, uint64_t hash)
{
    const uint32_t *emitters = tpi_words(world, world->emitters.slots);
    const uint32_t *colliders = tpi_words(world, world->colliders.slots);
    for (uint32_t slot = 0; slot < tpi_emitters_end(world); slot++) {
        const tpi_emitter_item *item = tpi_emitter_at(world, slot);
        if (!tpi_pool_is_alive(emitters, slot)) continue;
        hash = hash_word(hash_word(hash_word(hash, slot), item->owed), item->born);
        const tp_pose poses[4] = {item->pose_past, item->pose_from, item->pose_to, item->pose_next};
        hash = hash_word(hash_poses(world, hash, poses), item->burst_done);
    }
    for (uint32_t slot = 0; slot < tpi_colliders_end(world); slot++) {
        const tpi_collider_item *item = tpi_collider_at(world, slot);
        if (!tpi_pool_is_alive(colliders, slot)) continue;
        const tp_pose poses[4] = {item->pose_past, item->pose_from, item->pose_to, item->pose_next};
        hash = hash_word(hash, slot);
        if (!TPI_HAS_BODIES || !item->body) hash = hash_poses(world, hash, poses);
        if (hash_leaps(world, item)) hash = hash_word(hash, hash_leaps(world, item));
    }
    for (uint32_t slot = 0; slot < tpi_bodies_end(world); slot++)
        if (tpi_pool_is_alive(tpi_words(world, world->bodies.slots), slot))
            hash = hash_body(hash_word(hash, slot), tpi_body_at(world, slot));
    for (uint32_t slot = 0; slot < tpi_links_end(world); slot++) {
        const tpi_link_item *link = tpi_link_at(world, slot);
        if (!tpi_pool_is_alive(tpi_words(world, world->links.slots), slot) ||
            tpi_link_is_gone(world, link))
            continue;
        hash = hash_word(hash_word(hash, slot), (uint64_t)link->first << 32 | link->second);
    }
    return hash;
}

uint64_t tp_world_hash(const tp_world *world)
{
    uint64_t hash = 0;
    if (tpi_world_check_block(world) != TP_OK) return 0;
    for (uint32_t i = 0; i < world->count; i++) hash += hash_particle(world, i);
    hash = hash_word(hash, world->count);
    hash = hash_word(hash_word(hash, world->clock.frame), world->clock.tick);
    hash = hash_word(hash_word(hash, world->clock.step_of_frame), world->clock.next_id);
    hash = hash_word(hash_float(hash, world->clock.step_fraction), world->def.seed);
    /* always 1 in worlds without a fluid */
    if (world->clock.stable_fraction != 1.0f) hash = hash_float(hash, world->clock.stable_fraction);
    if (world->kept_hash) hash = hash_word(hash, world->kept_hash);
    if (TPI_HAS_EVENTS && world->events)
        hash = hash_word(hash_word(hash, world->report.events), world->events_hash);
    return hash_pools(world, hash_word(hash, world->def.world_id));
}
