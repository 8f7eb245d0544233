/* SPDX-License-Identifier: MIT
   runtime/emit/feed.c - emitters that events feed: births where particles die, hit or fly.
   reads   the feed, emitters      writes  births; the feed with events of trails
   memory  the block's part "events of emitters"
   cost    O(1) per birth, per event and emitter, and per trailing particle and emitter
   after   own design: the feed is sorted by events, not by emitters or storage, and holds nothing
           between steps, so that slices, widths, workers and rewinds change no birth */
#include "emit.h"
#include "../world/event.h"

#define TPI_FEED_BIRTHS   1024u
#define TPI_FEED_LIMIT    65536u
#define TPI_TRAIL_MOST    16u /* events of a particle in one step */
#define TPI_CHANNEL_TRAIL 0x5452414cu
#define TPI_FEED_KINDS                                                           \
    (TP_EVENT_BIT(TP_EVENT_LINK_BROKEN) | TP_EVENT_BIT(TP_EVENT_SPRING_BROKEN) | \
     TP_EVENT_BIT(TP_EVENT_DEATH) | TP_EVENT_BIT(TP_EVENT_CONTACT_BEGUN) |       \
     TP_EVENT_BIT(TP_EVENT_TRAIL))
#define TPI_FEED_DEATHS                                                        \
    (1u << TP_DEATH_SINK | 1u << TP_DEATH_LIFETIME | 1u << TP_DEATH_COLLIDER | \
     1u << TP_DEATH_RECYCLED)

/* ---- definition ---- */

void tpi_feed_default(tp_emitter_def *def)
{
    def->feed_species = 0xffffffffu;
    def->feed_deaths = TPI_FEED_DEATHS & ~(1u << TP_DEATH_RECYCLED);
    def->feed_ticks = TP_TICKS_PER_FRAME;
    def->feed_births = 1;
    def->feed_births_max = TPI_FEED_BIRTHS;
}

static const char *feed_check_needs(const tp_world *world, const tp_emitter_def *def)
{
    const bool has_trail = (def->feed_kinds & TP_EVENT_BIT(TP_EVENT_TRAIL)) != 0;
    if (!TPI_HAS_FEEDS) return TPI_TEXT("feed_kinds must be 0: left out by TP_WITHOUT_EVENTS");
    if (!world->def.feeds_max)
        return TPI_TEXT(
            "feed_kinds needs a world with feeds_max above 0: the events are kept there");
    if (has_trail && !world->def.keeps_births)
        return TPI_TEXT("feed_kinds with trails needs a world with keeps_births");
    if (def->rate_numerator) return TPI_TEXT("rate_numerator must be 0 with feed_kinds");
    if (def->burst_count) return TPI_TEXT("burst_count must be 0 with feed_kinds");
    if (def->lattice_spacing != 0.0f) return TPI_TEXT("lattice_spacing must be 0 with feed_kinds");
    return NULL;
}

const char *tpi_feed_check(const tp_world *world, const tp_emitter_def *def)
{
    if (def->feed_kinds & ~TPI_FEED_KINDS)
        return TPI_TEXT("feed_kinds must have bits of deaths, contacts begun, trails, broken links "
                        "and springs only");
    if (def->feed_deaths & ~TPI_FEED_DEATHS)
        return TPI_TEXT("feed_deaths must have bits of TP_DEATH_SINK, _LIFETIME, _COLLIDER and "
                        "_RECYCLED only");
    if (!tpi_is_within(def->feed_speed, 0.0f, 1e6f)) return TPI_TEXT("feed_speed must be 0 to 1e6");
    if (def->feed_ticks < 1u || def->feed_ticks > TPI_AGE_MAX)
        return TPI_TEXT("feed_ticks must be 1 to 4293525855");
    if (def->feed_births < 1u || def->feed_births > TPI_FEED_BIRTHS)
        return TPI_TEXT("feed_births must be 1 to 1024");
    if (def->feed_births_max < 1u || def->feed_births_max > TPI_FEED_LIMIT)
        return TPI_TEXT("feed_births_max must be 1 to 65536");
    if (def->feed_distance != 0.0f && !tpi_is_within(def->feed_distance, 1e-6f, 1e6f))
        return TPI_TEXT("feed_distance must be 0, or 1e-6 to 1e6");
    return def->feed_kinds ? feed_check_needs(world, def) : NULL;
}

/* ---- which events ---- */

void tpi_feeds_begin(tp_world *world)
{
    tpi_step *step = &world->step;
    const uint32_t *slots = tpi_words(world, world->emitters.slots);
    step->feed_speed = TPI_SPEED_MAX;
    for (uint32_t slot = 0; slot < tpi_emitters_end(world); slot++) {
        const tpi_feed_settings *def = &tpi_emitter_at(world, slot)->feed;
        if (!def->feed_kinds || !tpi_pool_is_alive(slots, slot)) continue;
        if (def->feed_kinds & TP_EVENT_BIT(TP_EVENT_DEATH)) step->feed_deaths |= def->feed_deaths;
        if (def->feed_kinds & TP_EVENT_BIT(TP_EVENT_CONTACT_BEGUN))
            step->feed_speed = tpi_min(step->feed_speed, def->feed_speed);
        step->feed_kinds |= def->feed_kinds;
        for (uint32_t kind = 0; kind <= TP_EVENT_TRAIL; kind++)
            if (def->feed_kinds >> kind & 1u)
                step->feed_species[kind] |= (uint8_t)def->feed_species;
    }
}

/* Events of a particle that flies on at `velocity`: its way in the step over feed_distance, and a
   fraction that decides on one more. Nothing is stored between steps: the fractions of the steps
   of a particle are a Kronecker sequence, k / golden ratio + a number of its own, so that the
   events of any way are those of feed_distance within a few. */
static uint32_t feed_along(const tp_world *world, const tpi_feed_settings *def, uint32_t id,
                           tp_vector velocity)
{
    const tpi_random_key key = {world->def.seed, world->def.world_id, id, TPI_CHANNEL_TRAIL};
    uint32_t k = (uint32_t)tpi_now(world) / world->step.ticks,
             bits = tpi_random_bits(key, 0) + k * 0x9e3779b9u;
    float way = tpi_length(velocity) * world->step.timestep / def->feed_distance,
          sum = way + (float)(bits >> 8) * (1.0f / 16777216.0f);
    return (uint32_t)tpi_min(sum, (float)TPI_TRAIL_MOST);
}

/* Events of a particle's trail in the step: multiples of feed_ticks that its age has passed, or
   those along its way. */
static uint32_t feed_passed(const tp_world *world, const tpi_feed_settings *def, uint32_t age,
                            uint32_t id, tp_vector velocity)
{
    if (def->feed_distance > 0.0f) return feed_along(world, def, id, velocity);
    uint32_t before = age - tpi_min_u32(world->step.ticks, age);
    return tpi_min_u32(age / def->feed_ticks - before / def->feed_ticks, TPI_TRAIL_MOST);
}

/* True if the emitter takes events of a kind and species in this step. */
static bool feed_takes(const tp_world *world, uint32_t slot, uint32_t kind, uint32_t species)
{
    const tpi_emitter_item *item = tpi_emitter_at(world, slot);
    return (item->feed.feed_kinds >> kind & 1u) && (item->feed.feed_species >> species & 1u) &&
           tpi_pool_is_alive(tpi_words(world, world->emitters.slots), slot) &&
           tpi_emitter_is_active(world, item);
}

uint32_t tpi_feed_trail(tp_world *world, uint32_t index, tp_vector at, tp_vector velocity)
{
    uint32_t meta = tpi_words(world, world->arrays.meta)[index], species = TP_META_SPECIES(meta);
    uint32_t now = (uint32_t)tpi_now(world) + world->step.ticks;
    uint32_t age = now - tpi_words(world, world->arrays.birth)[index],
             id = tpi_words(world, world->arrays.id)[index];
    for (uint32_t slot = 0; slot < tpi_emitters_end(world); slot++) {
        if (!feed_takes(world, slot, TP_EVENT_TRAIL, species) ||
            feed_passed(world, &tpi_emitter_at(world, slot)->feed, age, id, velocity) == 0)
            continue;
        tp_event event = tpi_event_of(TP_EVENT_TRAIL, id, meta);
        event.point = at;
        event.velocity = velocity;
        event.handle = age;
        return tpi_event_feed(world, &event);
    }
    return 0;
}

/* ---- births ---- */

/* Births that an event makes an emitter want. */
static uint32_t feed_wanted(const tp_world *world, uint32_t slot, const tp_event *event)
{
    const tpi_feed_settings *def = &tpi_emitter_at(world, slot)->feed;
    if (!feed_takes(world, slot, event->kind, TP_META_SPECIES(event->meta))) return 0;
    switch (event->kind) {
    case TP_EVENT_DEATH: return def->feed_deaths >> event->cause & 1u ? def->feed_births : 0u;
    case TP_EVENT_CONTACT_BEGUN: return event->speed >= def->feed_speed ? def->feed_births : 0u;
    case TP_EVENT_TRAIL:
        return def->feed_births *
               feed_passed(world, def, event->handle, event->id, event->velocity);
    default: return def->feed_births;
    }
}

/* The fraction of the step at which the age of a particle passes a multiple of feed_ticks; events
   along its way are evenly spread. */
static float feed_fraction(const tp_world *world, const tpi_feed_settings *def,
                           const tp_event *event, uint32_t passed)
{
    uint32_t age = event->handle;
    if (def->feed_distance > 0.0f)
        return ((float)passed + 0.5f) /
               (float)feed_passed(world, def, age, event->id, event->velocity);
    uint32_t ticks = world->step.ticks, before = age - tpi_min_u32(ticks, age);
    uint32_t rest = (before / def->feed_ticks + 1u + passed) * def->feed_ticks - before;
    return tpi_min((float)rest / (float)ticks, 1.0f);
}

/* Deaths before the particle moves, and what breaks, are at the start of the step. Hits are at its
   end: when they happened is not known. */
static tpi_feed_source feed_source(const tp_world *world, const tpi_emitter_item *item,
                                   const tp_event *event)
{
    tpi_feed_source source = {event->point, event->velocity, 0.0f};
    if (event->kind == TP_EVENT_CONTACT_BEGUN) {
        source.point = tpi_add_scaled(event->point, event->normal,
                                      world->def.species[item->def.species].radius);
        source.fraction = 1.0f;
    } else if (event->kind == TP_EVENT_DEATH && event->cause == TP_DEATH_COLLIDER) {
        source.fraction = 1.0f;
    } else if (event->kind == TP_EVENT_TRAIL) {
        source.fraction = feed_fraction(world, &item->feed, event,
                                        world->step.feed_births / item->feed.feed_births);
        source.point = tpi_add_scaled(event->point, event->velocity,
                                      world->step.timestep * (source.fraction - 1.0f));
    }
    return source;
}

/* Counts births as refused: also in the number of births, on which random numbers depend. */
static void feed_refuse(tp_world *world, uint32_t count)
{
    tpi_emitter_item *item = tpi_emitter_at(world, world->step.emitter);
    item->step_births += count;
    item->step_refused += count;
}

/* How many of the births that the event wants the emitter may have; more than the step's limit are
   refused, but none beyond its total. */
static uint32_t feed_allowed(tp_world *world, uint32_t wanted)
{
    tpi_step *step = &world->step;
    const tpi_emitter_item *item = tpi_emitter_at(world, step->emitter);
    uint32_t now = item->step_births - item->step_refused, limit = item->feed.feed_births_max;
    uint64_t born = item->born + now, total = item->def.total_max;
    uint32_t left = wanted - step->feed_births;
    if (total && born >= total) return 0;
    if (now < limit) return left;
    feed_refuse(world, left);
    step->feed_births_limited += left;
    return 0;
}

static void feed_step_on(tpi_step *step, uint32_t emitters)
{
    step->feed_births = 0;
    if (++step->emitter < emitters) return;
    step->emitter = 0;
    step->feed++;
}

bool tpi_feed_next(tp_world *world, uint32_t units, uint32_t *used, tpi_birth *birth, bool *done)
{
    tpi_step *step = &world->step;
    for (; step->feed < step->feeds_kept; feed_step_on(step, tpi_emitters_end(world))) {
        if (*used >= units) return false;
        const tp_event *event = tpi_feed_at(world, step->feed);
        uint32_t wanted = feed_wanted(world, step->emitter, event);
        if (step->feed_births == 0) *used += 1u;
        if (step->feed_births >= wanted || feed_allowed(world, wanted) == 0) continue;
        tpi_emitter_item *item = tpi_emitter_at(world, step->emitter);
        tpi_feed_source source = feed_source(world, item, event);
        tpi_emitter_birth(world, item, &source, birth);
        birth->emitter_slot = step->emitter;
        item->step_births++;
        step->feed_births++;
        return true;
    }
    *done = true;
    return false;
}

uint32_t tpi_feed_refused(tp_world *world)
{
    tpi_step *step = &world->step;
    const tp_event *event = tpi_feed_at(world, step->feed);
    uint32_t left = feed_wanted(world, step->emitter, event) - step->feed_births;
    tpi_emitter_at(world, step->emitter)->step_refused++;
    feed_refuse(world, left);
    step->feed_births += left;
    return left + 1u;
}

#undef TPI_FEED_BIRTHS
#undef TPI_FEED_LIMIT
#undef TPI_TRAIL_MOST
#undef TPI_CHANNEL_TRAIL
#undef TPI_FEED_KINDS
#undef TPI_FEED_DEATHS
