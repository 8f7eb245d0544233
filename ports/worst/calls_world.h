/* SPDX-License-Identifier: MIT
   ports/worst/calls_world.h - the calls of a world, its particles, items and tables, with full
           pools and during steps.
   reads   nothing      writes  calls_world_block
   memory  some arrays of CALLS_MOST items      cost    some million instructions per room
   after   own design; part of calls.c */
#ifndef TIDEPOOL_WORST_CALLS_WORLD_H
#define TIDEPOOL_WORST_CALLS_WORLD_H

#define CALLS_BODIES     8u
#define CALLS_ITEMS_MOST 24u /* a world may have this many sinks and fields */

static struct {
    tp_emitter emitters[CALLS_MOST];
    tp_sink sinks[CALLS_MOST];
    tp_field fields[CALLS_MOST];
    tp_collider colliders[CALLS_MOST];
    tp_link links[CALLS_MOST];
    tp_vector vertices[CALLS_MOST + 2u];
    uint32_t indices[3u * CALLS_MOST];
    float samples[CALLS_MOST + 1u];
    int16_t rooms[1u + 13u * CALLS_MOST / 4u];
    tp_memory_part parts[TP_MEMORY_PARTS_MAX];
} calls_items;

static uint32_t calls_least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static uint32_t calls_few(const calls_room *room) { return calls_least(room->n, CALLS_ITEMS_MOST); }

static tp_world_def calls_world_def(const calls_room *room)
{
    tp_world_def def = tp_world_default(room->dimensions);
    def.solver = room->solver;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.integrator = room->solver == TP_SOLVER_PAIR ? TP_INTEGRATOR_KDK : TP_INTEGRATOR_EULER;
    def.particles_max = room->n;
    def.emitters_max = def.colliders_max = room->n;
    def.sinks_max = def.fields_max = calls_few(room);
    def.geometry_bytes_max = 1024u * room->n + 4096u;
    def.slice_units = 64;
    def.measures_loads = def.takes_changes = def.keeps_words = def.keeps_last_frame = true;
    def.keeps_curves = true;
    def.events_max = room->n;
    def.event_kinds = TP_EVENTS_ALL;
    def.bodies_max = CALLS_BODIES;
    if (room->solver != TP_SOLVER_PAIR) return def;
    def.links_max = room->n;
    def.pair.potential = TP_POTENTIAL_TABLE;
    def.pair.table_max = room->n;
    def.pair.neighbours_max = 64;
    def.species_count = TP_SPECIES_MAX;
    for (uint32_t s = 1; s < TP_SPECIES_MAX; s++) {
        def.species[s] = def.species[0];
        def.species[s].sigma = 1.0f / (float)(1u << (s & 3u)); /* four interaction ranges */
    }
    for (uint32_t first = 0; first < TP_SPECIES_MAX; first++)
        for (uint32_t second = first + 1u; second < TP_SPECIES_MAX; second++) {
            tp_pair_mix mix = {(uint16_t)first, (uint16_t)second, 1.0f, 1.0f};
            def.pair.mix[def.pair.mix_count++] = mix;
        }
    return def;
}

/* Checks the definition, asks for its memory, and creates the world. */
static void calls_world_create(calls_room *room)
{
    tp_world_def def = tp_world_default(room->dimensions), wrong;
    WORST_MEASURE(tp_world_default, WORST_SLICE_LEAST, def = tp_world_default(room->dimensions));
    def = calls_world_def(room);
    wrong = def;
    wrong.box_size.z = -1.0f; /* the last field that the check reads */
    wrong.periodic_axes = room->solver == TP_SOLVER_PAIR ? 0u : TP_AXIS_Z;
    CALLS_CHECK(room, tp_world_check, &def);
    WORST_MEASURE(tp_world_check, WORST_SLICE_LEAST, (void)tp_world_check(&wrong));
    WORST_MEASURE(tp_sph_incompressible, WORST_SLICE_LEAST, tp_sph_incompressible(&wrong, 0.1f));
    WORST_MEASURE(tp_sph_double_density, WORST_SLICE_LEAST, tp_sph_double_density(&wrong, 0.1f));
    WORST_MEASURE(tp_sph_ideal_gas, WORST_SLICE_LEAST, tp_sph_ideal_gas(&wrong, 0.1f, 2.0f));
    WORST_MEASURE(tp_sph_weakly_compressible, WORST_SLICE_LEAST,
                  tp_sph_weakly_compressible(&wrong, 0.1f, 2.0f));
    WORST_MEASURE(tp_sph_timestep_limit, WORST_SLICE_LEAST, (void)tp_sph_timestep_limit(&def));
    CALLS_CREATE(room, world, &def, calls_world_block, room->world);
}

/* Simulates part of a frame, so that the next call happens during a step. */
static void calls_part_of_a_frame(calls_room *room)
{
    tp_budget budget = {.units = 200};
    const tp_world_def *def = tp_world_definition(room->world);
    uint32_t cap =
        room->solver == TP_SOLVER_SPH ? def->sph.neighbours_max : def->pair.neighbours_max;
    uint32_t begun = TP_UNITS_OVERRUN(cap, def->fields_max, def->colliders_max, def->emitters_max);
    tp_result result;
    WORST_MEASURE(tp_frame, budget.units + def->slice_units + begun,
                  result = tp_frame(room->world, &budget, NULL));
    CALLS_EXPECT(room, result >= TP_OK, result);
}

/* ---- particles ---- */

static tp_vector calls_position(const calls_room *room, uint32_t i)
{
    tp_vector at = {calls_wave(i, 251), calls_wave(i, 241), calls_wave(i, 239)};
    if (room->dimensions == 2) at.z = 0.0f;
    return at;
}

static void calls_particles(calls_room *room)
{
    tp_vector velocity = {0.1f, 0.2f, 0.0f};
    uint32_t id;
    for (uint32_t i = 0; i < room->n; i++) {
        calls_part_of_a_frame(room);
        CALLS_MAKE(room, tp_particle_add, room->world, calls_position(room, i), velocity, 0, &id);
    }
    CALLS_END(room, tp_particle_add, TP_ERROR_FULL, room->world, velocity, velocity, 0, &id);
    calls_part_of_a_frame(room);
    for (uint32_t i = 0; i < room->n; i++)
        CALLS_MAKE(room, tp_particle_set, room->world, i, calls_position(room, i), velocity);
}

/* ---- items with geometry ---- */

/* n triangles in a strip with varying heights. */
static void calls_strip(const calls_room *room)
{
    for (uint32_t i = 0; i < room->n + 2u; i++) {
        tp_vector at = {(float)i * 0.1f, calls_wave(i, 13), (float)(i & 1u)};
        calls_items.vertices[i] = at;
    }
    for (uint32_t i = 0; i < room->n; i++)
        for (uint32_t c = 0; c < 3; c++)
            calls_items.indices[3u * i + c] = c == 0 ? i : (i + c) & 1u ? i + 1u : i + 2u;
    for (uint32_t i = 0; i <= CALLS_MOST; i++) calls_items.samples[i] = calls_wave(i, 17);
}

static tp_emitter_def calls_emitter_def(const calls_room *room, uint32_t i)
{
    tp_emitter_def def;
    WORST_MEASURE(tp_emitter_default, WORST_SLICE_LEAST, def = tp_emitter_default());
    def.shape = TP_EMITTER_BOX;
    def.size = (tp_vector){0.1f, 0.1f, room->dimensions == 3 ? 0.1f : 0.0f};
    def.rate_numerator = 1;
    def.start_frame = 100000; /* so that emitters add no particles: only calls fill the pool */
    if (i > 1 || room->dimensions == 2) return def;
    def.shape = TP_EMITTER_MESH;
    def.vertices = calls_items.vertices;
    def.vertex_count = room->n + 2u;
    def.indices = calls_items.indices;
    def.triangle_count = room->n;
    return def;
}

static void calls_emitters(calls_room *room)
{
    tp_pose pose = {{0.1f, 0.2f, 0.0f}, {1.0f, 0.0f, 0.0f, 0.0f}};
    uint64_t born, refused;
    CALLS_FILL(room, emitter, room->n, calls_emitter_def, calls_items.emitters);
    CALLS_RENEW(room, emitter, calls_emitter_def, calls_items.emitters);
    for (uint32_t i = 0; i < room->n; i++) {
        CALLS_MAKE(room, tp_emitter_move, room->world, calls_items.emitters[i], pose);
        CALLS_MAKE(room, tp_emitter_count, room->world, calls_items.emitters[i], &born, &refused);
    }
}

/* A room of one sector per four triangles, all at one place: each has the list of all. */
static const int16_t *calls_room_words(const calls_room *room)
{
    const uint32_t count = room->n / 4u;
    calls_items.rooms[0] = (int16_t)count;
    for (uint32_t k = 0; k < count; k++) {
        int16_t *place = calls_items.rooms + 1u + 4u * k,
                *sector = calls_items.rooms + 1u + 4u * count + 9u * k;
        place[0] = place[1] = 0;
        place[2] = place[3] = 1;
        for (uint32_t w = 0; w < 9; w++) sector[w] = w < 3u ? -1 : 0;
        sector[6] = 400;
    }
    return calls_items.rooms;
}

/* All shapes that the dimensions allow, those with geometry first. */
static tp_collider_def calls_collider_def(const calls_room *room, uint32_t i)
{
    static const tp_collider_shape shapes[4] = {TP_COLLIDER_GRID, TP_COLLIDER_HEIGHTFIELD,
                                                TP_COLLIDER_MESH, TP_COLLIDER_MESH};
    tp_collider_shape shape = i < 4u ? shapes[i] : TP_COLLIDER_BOX;
    tp_collider_def def;
    if (room->dimensions == 2 && shape == TP_COLLIDER_MESH) shape = TP_COLLIDER_CAPSULE;
    WORST_MEASURE(tp_collider_default, WORST_SLICE_LEAST, def = tp_collider_default(shape));
    def.half = (tp_vector){0.2f, 0.2f, 0.2f};
    def.radius = 0.1f;
    def.spacing = 0.3f;
    def.pose.position = (tp_vector){10.0f, -20.0f, 0.0f};
    def.samples = calls_items.samples;
    def.columns = room->n / 4u;
    def.rows = room->dimensions == 2 && def.shape == TP_COLLIDER_HEIGHTFIELD ? 1u
               : room->dimensions == 2                                       ? 4u
                                                                             : 2u;
    def.layers = room->dimensions == 3 && def.shape == TP_COLLIDER_GRID ? 2u : 1u;
    def.vertices = calls_items.vertices;
    def.vertex_count = room->n + 2u;
    def.indices = calls_items.indices;
    def.triangle_count = room->n;
    if (i != 3u || def.shape != TP_COLLIDER_MESH) return def;
    def.rooms = calls_room_words(room);
    def.room_words = 1u + 13u * room->n / 4u;
    return def;
}

static void calls_colliders(calls_room *room)
{
    tp_pose pose = {{10.0f, -20.1f, 0.0f}, {1.0f, 0.0f, 0.0f, 0.0f}};
    CALLS_FILL(room, collider, room->n, calls_collider_def, calls_items.colliders);
    CALLS_RENEW(room, collider, calls_collider_def, calls_items.colliders);
    for (uint32_t i = 0; i < room->n; i++) {
        tp_load load;
        CALLS_MAKE(room, tp_collider_place, room->world, calls_items.colliders[i], pose);
        CALLS_MAKE(room, tp_collider_move, room->world, calls_items.colliders[i], pose);
        CALLS_MAKE(room, tp_collider_load, room->world, calls_items.colliders[i], &load);
    }
    if (room->dimensions == 2) return;
    const tp_collider_def def = calls_collider_def(room, 3);
    int32_t number;
    CALLS_ASK(room, tp_collider_bytes, uint64_t, answer > 0, 3, &def);
    CALLS_MAKE(room, tp_collider_room, room->world, calls_items.colliders[3], pose.position,
               &number);
}

/* ---- bodies: of the boxes ---- */

static tp_body_def calls_body_def(uint32_t i)
{
    tp_body_def def;
    WORST_MEASURE(tp_body_default, WORST_SLICE_LEAST, def = tp_body_default());
    def.collider = calls_items.colliders[4u + i];
    def.velocity = (tp_vector){0.1f, 0.2f, 0.0f};
    def.angular_velocity = (tp_vector){0.0f, 0.0f, 0.3f};
    return def;
}

static void calls_bodies(calls_room *room)
{
    const tp_pose pose = {{10.0f, -20.2f, 0.0f}, {1.0f, 0.0f, 0.0f, 0.0f}};
    const tp_vector push = {0.5f, 1.0f, 0.0f};
    tp_body bodies[CALLS_BODIES], none;
    tp_body_def def;
    for (uint32_t i = 0; i < CALLS_BODIES; i++) {
        def = calls_body_def(i);
        CALLS_CHECK(room, tp_body_check, room->world, &def);
        calls_part_of_a_frame(room);
        CALLS_MAKE(room, tp_body_add, room->world, &def, &bodies[i]);
    }
    def = calls_body_def(CALLS_BODIES);
    CALLS_END(room, tp_body_add, TP_ERROR_FULL, room->world, &def, &none);
    for (uint32_t i = 0; i < CALLS_BODIES; i++) {
        tp_body_state state;
        calls_part_of_a_frame(room);
        CALLS_MAKE(room, tp_body_set, room->world, bodies[i], pose, push, push);
        CALLS_MAKE(room, tp_body_impulse, room->world, bodies[i], push, pose.position);
        CALLS_MAKE(room, tp_body_get, room->world, bodies[i], &state);
    }
    for (uint32_t i = 0; i < CALLS_BODIES; i++) {
        calls_part_of_a_frame(room);
        CALLS_MAKE(room, tp_body_remove, room->world, bodies[i]);
    }
}

/* ---- sinks and fields ---- */

static tp_sink_def calls_sink_def(const calls_room *room, uint32_t i)
{
    tp_sink_def def;
    (void)room, (void)i;
    WORST_MEASURE(tp_sink_default, WORST_SLICE_LEAST, def = tp_sink_default());
    def.shape = TP_SINK_PLANE;
    def.normal = (tp_vector){0.0f, 1.0f, 0.0f};
    def.offset = -1e3f;
    return def;
}

static tp_field_def calls_field_def(const calls_room *room, uint32_t i)
{
    tp_field_def def;
    (void)room;
    WORST_MEASURE(tp_field_default, WORST_SLICE_LEAST,
                  def = tp_field_default((tp_field_kind)(4u - i % 5u)));
    if (def.kind == TP_FIELD_VORTEX) def.vector = (tp_vector){0.0f, 0.0f, 1.0f};
    def.core = 0.1f;
    return def;
}

static void calls_fields(calls_room *room)
{
    CALLS_FILL(room, field, calls_few(room), calls_field_def, calls_items.fields);
    for (uint32_t i = 0; i < calls_few(room); i++) {
        tp_field_def def = calls_field_def(room, i);
        calls_part_of_a_frame(room);
        CALLS_MAKE(room, tp_field_set, room->world, calls_items.fields[i], &def);
    }
}

/* ---- pairs: tables, links, measures ---- */

static void calls_table(calls_room *room)
{
    static float energies[CALLS_MOST];
    tp_pair_table table;
    WORST_MEASURE(tp_pair_table_default, WORST_SLICE_LEAST, table = tp_pair_table_default());
    for (uint32_t i = 0; i < room->n; i++) {
        float distance = 0.0f;
        WORST_MEASURE(tp_pair_table_distance, WORST_SLICE_LEAST,
                      distance = tp_pair_table_distance(room->world, room->n, i));
        energies[i] = 0.01f / distance;
    }
    table.count = room->n;
    table.energies = energies;
    CALLS_CHECK(room, tp_pair_table_check, room->world, &table);
    calls_part_of_a_frame(room);
    CALLS_MAKE(room, tp_pair_table_set, room->world, &table);
    table.forces = energies;
    CALLS_MAKE(room, tp_pair_table_set, room->world, &table);
}

static tp_link_def calls_link_def(const calls_room *room, uint32_t i)
{
    const uint32_t *id = tp_world_view(room->world).id;
    tp_link_def def;
    WORST_MEASURE(tp_link_default, WORST_SLICE_LEAST, def = tp_link_default());
    def.first = id[i % room->n];
    def.second = id[(i + 1u) % room->n];
    def.rest_length = 0.5f;
    def.stiffness = 1.0f;
    def.damping = 0.1f;
    def.break_length = 1e6f;
    return def;
}

static void calls_links(calls_room *room)
{
    tp_link_def def;
    CALLS_FILL(room, link, room->n, calls_link_def, calls_items.links);
    for (uint32_t i = 0; i < room->n; i++) {
        calls_part_of_a_frame(room);
        CALLS_MAKE(room, tp_link_get, room->world, calls_items.links[i], &def);
        CALLS_MAKE(room, tp_link_set, room->world, calls_items.links[i], &def);
    }
    CALLS_RENEW(room, link, calls_link_def, calls_items.links);
    def.first = 0; /* all particles: their pairs are counted, and are too many for the pool */
    def.second = tp_world_view(room->world).id[0];
    for (uint32_t i = 0; i < room->n; i++) {
        uint32_t id = tp_world_view(room->world).id[i];
        def.second = id > def.second ? id : def.second;
    }
    def.rest_length = def.break_length = 1e6f;
    CALLS_END(room, tp_links_add, TP_ERROR_FULL, room->world, &def, NULL, 0, NULL);
}

static void calls_pairs(calls_room *room)
{
    tp_pair_report pairs;
    calls_table(room);
    calls_links(room);
    calls_part_of_a_frame(room);
    CALLS_MAKE(room, tp_pair_measure, room->world, &pairs);
    for (uint32_t i = 0; i < room->n; i++)
        CALLS_MAKE(room, tp_link_remove, room->world, calls_items.links[i]);
}

/* ---- all calls of a world ---- */

/* Removes items from the first on, so that each removal moves the most geometry. */
static void calls_remove(calls_room *room)
{
    for (uint32_t i = 0; i < room->n; i++) {
        calls_part_of_a_frame(room);
        CALLS_MAKE(room, tp_emitter_remove, room->world, calls_items.emitters[i]);
        CALLS_MAKE(room, tp_collider_remove, room->world, calls_items.colliders[i]);
    }
    for (uint32_t i = 0; i < calls_few(room); i++) {
        calls_part_of_a_frame(room);
        CALLS_MAKE(room, tp_sink_remove, room->world, calls_items.sinks[i]);
        CALLS_MAKE(room, tp_field_remove, room->world, calls_items.fields[i]);
    }
    calls_part_of_a_frame(room);
    CALLS_MAKE(room, tp_particles_clear, room->world);
}

/* A full ring, all of which is copied; then one event by one. */
static void calls_events(calls_room *room)
{
    static tp_event events[CALLS_MOST];
    tp_event_cursor cursor = {0, 0};
    uint32_t count = 0;
    CALLS_MAKE(room, tp_world_events, room->world, &cursor, events, room->n, &count);
    CALLS_EXPECT(room, count == room->n, TP_ERROR_FULL);
    cursor.next = 0;
    for (tp_result result = TP_MORE; result == TP_MORE && !room->line;)
        WORST_MEASURE(tp_world_events, WORST_SLICE_LEAST,
                      result = tp_world_events(room->world, &cursor, events, 1, &count));
}

static void calls_look(calls_room *room)
{
    calls_part_of_a_frame(room);
    CALLS_ASK(room, tp_world_view, tp_view, answer.count, room->world);
    CALLS_ASK(room, tp_world_report, tp_report, answer.particles, room->world);
    CALLS_ASK(room, tp_world_hash, uint64_t, answer, room->world);
    WORST_MEASURE(tp_result_text, WORST_SLICE_LEAST, (void)tp_result_text(TP_ERROR_CLIP_LIMIT));
    WORST_MEASURE(tp_stage_name, WORST_SLICE_LEAST, (void)tp_stage_name(TP_STAGE_COMMIT));
    volatile float angle = 4000.0f;
    volatile tp_pose pose; /* volatile: else the compiler leaves out what nothing reads */
    volatile tp_vector point;
    WORST_MEASURE(tp_pose_make, WORST_SLICE_LEAST, pose = tp_pose_make(1.0f, 2.0f, angle));
    WORST_MEASURE(tp_pose_turn, WORST_SLICE_LEAST, pose = tp_pose_turn(pose, angle));
    WORST_MEASURE(tp_pose_point, WORST_SLICE_LEAST, point = tp_pose_point(pose, pose.position));
    (void)point;
}

/* Verifies a block as after loading it, with all pools and the geometry full. */
static void calls_verify(calls_room *room)
{
    tp_world *found = NULL;
    size_t bytes = 0;
    tp_result result = TP_OK;
    tp_world_def def = calls_world_def(room);
    CALLS_EXPECT(room, tp_world_memory(&def, &bytes) == TP_OK, TP_ERROR_MEMORY);
    WORST_MEASURE(tp_world_verify, WORST_SLICE_LEAST,
                  result = tp_world_verify(room->world, bytes, NULL, &found));
    CALLS_EXPECT(room, result == TP_OK && found == room->world, result);
}

static void calls_of_queries(calls_room *room); /* calls_query.h */
static void calls_of_light(calls_room *room);   /* calls_light.h */
/* calls_change.h */
static void calls_change_items(calls_room *room);
static void calls_change_world(calls_room *room);
static void calls_look_between(calls_room *room);
static void calls_ids(calls_room *room);

static void calls_of_a_world(calls_room *room)
{
    calls_strip(room);
    calls_world_create(room);
    if (room->line) return;
    calls_emitters(room);
    calls_colliders(room);
    calls_bodies(room);
    CALLS_FILL(room, sink, calls_few(room), calls_sink_def, calls_items.sinks);
    calls_fields(room);
    calls_particles(room);
    if (room->solver == TP_SOLVER_PAIR && !room->line) calls_pairs(room);
    calls_look(room);
    calls_change_items(room);
    calls_change_world(room);
    calls_events(room);
    calls_verify(room);
    calls_look_between(room);
    calls_of_queries(room);
    calls_of_light(room);
    calls_ids(room);
    calls_remove(room);
}

/* ---- a fluid with heat and springs ---- */

static void calls_of_a_warm_fluid(calls_room *room)
{
    static tp_spring springs[CALLS_MOST * 4u];
    tp_world_def def = tp_world_default(2);
    uint32_t count = room->n * 4u, id;
    def.solver = room->solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = room->n;
    def.emitters_max = def.sinks_max = def.colliders_max = def.fields_max = 1;
    def.slice_units = 64;
    def.heat.range = 100.0f;
    def.sph.springs_max = 4;
    CALLS_CREATE(room, world, &def, calls_world_block, room->world);
    for (uint32_t i = 0; i < room->n && !room->line; i++) {
        tp_vector rest = {0.0f, 0.0f, 0.0f};
        tp_result result = tp_particle_add(room->world, calls_position(room, i), rest, 0, &id);
        CALLS_EXPECT(room, result == TP_OK, result);
    }
    for (uint32_t i = 0; i < room->n; i++)
        CALLS_MAKE(room, tp_particle_heat, room->world, i, (float)i);
    for (uint32_t i = 0; i < count; i++) {
        tp_spring spring = {0.1f, i % room->n, (i + 1u + i / room->n) % room->n, 0};
        springs[i] = spring;
    }
    CALLS_MAKE(room, tp_springs_set, room->world, springs, room->n);
    CALLS_MAKE(room, tp_springs_get, room->world, springs, &count);
}

/* ---- vortices ---- */

/* All particles become vortons, and one after the other is given another strength; then the air at
   a point. */
static void calls_of_vortices(calls_room *room)
{
    tp_world_def def = tp_world_default(3);
    uint32_t id;
    def.solver = room->solver = TP_SOLVER_VORTEX;
    def.particles_max = def.vortex.vortons_max = room->n;
    def.emitters_max = def.sinks_max = def.colliders_max = def.fields_max = 1;
    def.slice_units = 64;
    CALLS_CREATE(room, world, &def, calls_world_block, room->world);
    for (uint32_t i = 0; i < room->n && !room->line; i++) {
        tp_vector rest = {0.0f, 0.0f, 0.0f};
        tp_result result = tp_particle_add(room->world, calls_position(room, i), rest, 0, &id);
        CALLS_EXPECT(room, result == TP_OK, result);
    }
    for (uint32_t i = 0; i < 2u * room->n; i++) {
        tp_vector strength = {0.0f, 1.0f, (float)i};
        CALLS_MAKE(room, tp_particle_strength, room->world, i % room->n, strength);
    }
    tp_vector point = {0.5f, 0.0f, 0.0f}, air;
    CALLS_MAKE(room, tp_vortex_air, room->world, &point, 1, &air);
}

/* ---- cloth ---- */

/* All ties, each from a node to the next one; the last is read and removed. */
static void calls_of_ties(calls_room *room, uint32_t id)
{
    tp_cloth_tie_def tie;
    uint32_t number = 0;
    float pull;
    WORST_MEASURE(tp_cloth_tie_default, WORST_SLICE_LEAST, tie = tp_cloth_tie_default());
    for (uint32_t i = 0; i < room->n / 2u; i++) {
        tie.node = id + i;
        tie.other = id + i + 1u;
        CALLS_CHECK(room, tp_cloth_tie_check, room->world, &tie);
        CALLS_MAKE(room, tp_cloth_tie, room->world, &tie, &number);
    }
    CALLS_MAKE(room, tp_cloth_pull, room->world, number, &pull);
    CALLS_MAKE(room, tp_cloth_untie, room->world, number);
}

/* A mesh in place of the grid. */
static void calls_of_a_cloth_mesh(calls_room *room)
{
    tp_cloth_def mesh = tp_cloth_default();
    uint32_t id = 0;
    mesh.vertices = calls_items.vertices;
    mesh.vertex_count = room->n;
    mesh.indices = calls_items.indices;
    mesh.triangle_count = room->n - 2u;
    if (!room->line && tp_particles_clear(room->world) != TP_OK) room->line = __LINE__;
    CALLS_CHECK(room, tp_cloth_check, room->world, &mesh);
    CALLS_MAKE(room, tp_cloth_mesh, room->world, &mesh, &id);
    for (uint32_t pins = 1; pins < 2; pins--) {
        calls_part_of_a_frame(room);
        CALLS_MAKE(room, tp_cloth_pin, room->world, id, pins == 1u);
    }
}

/* A sheet of two rows; all nodes are pinned, then freed, so that each call ties the most. */
static void calls_of_cloth(calls_room *room)
{
    tp_world_def def = tp_world_default(3);
    tp_cloth_report report;
    tp_cloth_def sheet;
    uint32_t id = 0, whole = 0;
    def.solver = room->solver = TP_SOLVER_CLOTH;
    def.particles_max = room->n;
    def.emitters_max = def.sinks_max = def.colliders_max = def.fields_max = 1;
    def.slice_units = 64;
    def.cloth.constraints_max = 6u * room->n;
    def.cloth.triangles_max = room->n - 2u;
    def.cloth.tetrahedra_max = 2u * room->n;
    def.cloth.ties_max = room->n / 2u;
    CALLS_CREATE(room, world, &def, calls_world_block, room->world);
    if (room->line) return;
    WORST_MEASURE(tp_cloth_default, WORST_SLICE_LEAST, sheet = tp_cloth_default());
    sheet.columns = room->n / 2u;
    sheet.rows = 2;
    CALLS_CHECK(room, tp_cloth_check, room->world, &sheet);
    CALLS_MAKE(room, tp_cloth_grid, room->world, &sheet, &id);
    for (uint32_t i = 0; i < room->n / 2u * 2u; i++) {
        calls_part_of_a_frame(room);
        CALLS_MAKE(room, tp_cloth_pin, room->world, id + i, true);
    }
    CALLS_MAKE(room, tp_cloth_measure, room->world, &report);
    CALLS_MAKE(room, tp_cloth_triangles, room->world, calls_items.indices, room->n - 2u, &whole);
    for (uint32_t i = 0; i < room->n / 2u * 2u; i++) {
        calls_part_of_a_frame(room);
        CALLS_MAKE(room, tp_cloth_pin, room->world, id + i, false);
    }
    calls_of_ties(room, id);
    calls_of_a_cloth_mesh(room);
    if (!room->line && tp_particles_clear(room->world) != TP_OK) room->line = __LINE__;
    sheet.columns = room->n / 4u;
    sheet.layers = 2;
    CALLS_MAKE(room, tp_cloth_block, room->world, &sheet, &id);
}

/* ---- several worlds ---- */

/* Budgets from one slice for all worlds together to one or more slices per world. */
static void calls_of_worlds(calls_room *room)
{
    static tp_share shares[64];
    uint32_t count = calls_least(room->n, 64u), used = 0;
    tp_world_def def = tp_world_default(2);
    size_t bytes = 0;
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.particles_max = 16;
    def.emitters_max = def.sinks_max = def.colliders_max = 0;
    def.fields_max = 1;
    def.slice_units = 64;
    CALLS_EXPECT(room, tp_world_memory(&def, &bytes) == TP_OK, TP_ERROR_MEMORY);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id;
        tp_vector rest = {0.0f, 0.0f, 0.0f};
        tp_result result = tp_world_create(&def, calls_world_block + used, bytes, &shares[i].world);
        used += ((uint32_t)bytes + 15u) & ~15u;
        for (uint32_t p = 0; p < 16u && result == TP_OK; p++)
            result = tp_particle_add(shares[i].world, calls_position(room, p), rest, 0, &id);
        CALLS_EXPECT(room, result == TP_OK, result);
        shares[i].priority = i % 3u;
        shares[i].guaranteed_units = 0;
    }
    for (uint32_t call = 0; call < 64u && !room->line; call++) {
        tp_budget budget = {.units = 64u << call % 8u};
        tp_result result;
        for (uint32_t i = 0; i < count; i++)
            shares[i].guaranteed_units = call & 8u ? budget.units / count & ~63u : 0;
        WORST_MEASURE(tp_frame_worlds, budget.units + 64u,
                      result = tp_frame_worlds(shares, count, &budget));
        CALLS_EXPECT(room, result >= TP_OK, result);
        WORST_MEASURE(tp_frame_together, budget.units + 64u,
                      result = tp_frame_together(shares, count, &budget));
        CALLS_EXPECT(room, result >= TP_OK, result);
    }
}

#endif
