/* SPDX-License-Identifier: MIT
   tests/calls/world.c - calls that create a world and edit it.
   reads   the sequence      writes  its worlds
   memory  none             cost    that of the calls
   after   own design; a call must accept exactly the definitions in which its check finds no
           fault */
#include "calls.h"

static calls_world *any_world(calls_sequence *s)
{
    return &s->worlds[calls_below(s, CALLS_WORLDS)];
}

/* Mostly a valid handle, else an old or an invented one. */
static uint32_t any_handle(calls_sequence *s, const uint32_t handles[CALLS_HANDLES])
{
    if (calls_one_in(s, 10)) return calls_hostile_word(s);
    return handles[calls_below(s, CALLS_HANDLES)];
}

static void keep(calls_sequence *s, uint32_t handles[CALLS_HANDLES], tp_result result, uint32_t id)
{
    if (result == TP_OK) handles[calls_below(s, CALLS_HANDLES)] = id;
    calls_fold_word(s, id);
}

void calls_agree(const calls_sequence *s, const char *problem, tp_result result, const char *text)
{
    bool refused = result == TP_ERROR_DEFINITION || result == TP_ERROR_STAMP ||
                   result == TP_ERROR_COLLIDER_COST;
    if (result != TP_ERROR_BLOCK && result != TP_ERROR_NULL && result != TP_ERROR_FULL)
        calls_promise(s, (problem != NULL) == refused, text);
}

/* Visible values must be finite for any arguments. */
static void look(calls_sequence *s, const calls_world *w)
{
    tp_view view = tp_world_view(w->world);
    for (uint32_t i = 0; i < view.count; i++) {
        bool is_finite = view.x[i] - view.x[i] == 0.0f && view.y[i] - view.y[i] == 0.0f;
        is_finite = is_finite && view.vx[i] - view.vx[i] == 0.0f && view.vy[i] - view.vy[i] == 0.0f;
        if (view.z)
            is_finite =
                is_finite && view.z[i] - view.z[i] == 0.0f && view.vz[i] - view.vz[i] == 0.0f;
        calls_promise(s, is_finite, "what the game reads is finite");
    }
    calls_fold_word(s, view.count);
    calls_fold_word(s, tp_world_hash(w->world));
}

/* A world can be made again from its definition. */
static void define_again(calls_sequence *s, const calls_world *w)
{
    const tp_world_def *def = tp_world_definition(w->world);
    size_t bytes = 0;
    calls_promise(s, def && tp_world_check(def) == NULL, "the definition of a world is good");
    tp_result result = calls_note(s, "world_definition", tp_world_memory(def, &bytes));
    calls_promise(s, result == TP_OK && bytes == w->room[w->in_use].bytes,
                  "the definition of a world gives the bytes of its block");
    calls_fold_word(s, def->particles_max + ((uint64_t)def->seed << 32));
}

static void make(calls_sequence *s, calls_world *w)
{
    tp_memory_part parts[TP_MEMORY_PARTS_MAX];
    size_t bytes = 0, sum = 0;
    uint32_t count = 0;
    tp_world_def def;
    calls_world_definition(s, &def);
    const char *problem = tp_world_check(&def);
    tp_result result = calls_note(s, "world_memory", tp_world_memory(&def, &bytes));
    calls_promise(s, (problem == NULL) == (result == TP_OK),
                  "tp_world_check and tp_world_memory agree");
    float limit = tp_sph_timestep_limit(&def);
    /* compat has none, and an extreme stiffness may make it 0 there */
    bool has_limit = !problem && def.solver == TP_SOLVER_SPH && !def.sph.compat;
    calls_promise(s, limit >= 0.0f && (!has_limit || limit > 0.0f),
                  "a good fluid has a step limit");
    if (result != TP_OK || bytes > CALLS_BLOCK_BYTES) return;
    if (tp_world_memory_parts(&def, parts, &count) == TP_OK)
        for (uint32_t k = 0; k < count; k++) sum += parts[k].bytes;
    calls_promise(s, sum == bytes, "the parts of a block add up to its bytes");
    w->def = def;
    w->in_use = 0;
    w->event_next = 0;
    w->has_jobs = false;
    unsigned char *block = calls_take(&w->room[0], bytes);
    calls_promise(s, tp_world_create(&w->def, block, bytes - 1u, &w->world) == TP_ERROR_MEMORY,
                  "a block that is one byte short is refused");
    result = calls_note(s, "world_create", tp_world_create(&w->def, block, bytes, &w->world));
    calls_promise(s, result == TP_OK, "the bytes of the size query are enough");
    if (s->cache.source.context == w->world) s->cache.source = tp_world_source(w->world);
}

static void add_particles(calls_sequence *s, calls_world *w)
{
    uint32_t count = calls_one_in(s, 2) ? 1u : calls_below(s, 120);
    float size = calls_one_in(s, 5) ? 0.01f : 1.0f;
    for (uint32_t k = 0; k < count; k++) {
        tp_vector position = calls_vector(s, size, 200), velocity = calls_vector(s, 1.0f, 200);
        uint32_t id = 0,
                 species = calls_below(s, w->def.species_count + (calls_one_in(s, 40) ? 1u : 0u));
        tp_result result = tp_particle_add(w->world, position, velocity, species, &id);
        calls_fold_word(s, (uint64_t)(uint32_t)result << 32 | id);
    }
    (void)calls_note(s, "particle_add", TP_OK);
}

static void set_particle(calls_sequence *s, calls_world *w)
{
    uint32_t count = tp_world_view(w->world).count, index = calls_below(s, count + 1u);
    tp_vector position = calls_vector(s, 1.0f, 20), velocity = calls_vector(s, 1.0f, 20);
    (void)calls_note(s, "particle_set", tp_particle_set(w->world, index, position, velocity));
    (void)calls_note(s, "particle_heat", tp_particle_heat(w->world, index, calls_float(s, 20)));
    tp_vector strength = calls_one_in(s, 8) ? (tp_vector){0, 0, 0} : calls_vector(s, 1.0f, 20);
    (void)calls_note(s, "particle_strength", tp_particle_strength(w->world, index, strength));
    (void)calls_note(s, "vortex_air", tp_vortex_air(w->world, &position, 1, &velocity));
}

static void on_emitter(calls_sequence *s, calls_world *w)
{
    tp_emitter_def def;
    tp_emitter emitter = {any_handle(s, w->handles[0])};
    uint64_t born = 0, refused = 0;
    tp_result result;
    switch (calls_below(s, 5)) {
    case 0:
        result =
            calls_note(s, "emitter_move", tp_emitter_move(w->world, emitter, calls_pose(s, 20)));
        break;
    case 1: result = calls_note(s, "emitter_remove", tp_emitter_remove(w->world, emitter)); break;
    case 2:
        result =
            calls_note(s, "emitter_count", tp_emitter_count(w->world, emitter, &born, &refused));
        calls_fold_word(s, born + (refused << 32));
        break;
    default:
        calls_emitter_definition(s, &def);
        const char *problem = tp_emitter_check(w->world, &def);
        result = calls_note(s, "emitter_add", tp_emitter_add(w->world, &def, &emitter));
        calls_agree(s, problem, result, "tp_emitter_check and tp_emitter_add agree");
        keep(s, w->handles[0], result, emitter.id);
    }
}

static void on_sink(calls_sequence *s, calls_world *w)
{
    tp_sink_def def;
    tp_sink sink = {any_handle(s, w->handles[1])};
    if (calls_one_in(s, 3)) {
        (void)calls_note(s, "sink_remove", tp_sink_remove(w->world, sink));
        return;
    }
    calls_sink_definition(s, &def);
    const char *problem = tp_sink_check(w->world, &def);
    tp_result result = calls_note(s, "sink_add", tp_sink_add(w->world, &def, &sink));
    calls_agree(s, problem, result, "tp_sink_check and tp_sink_add agree");
    keep(s, w->handles[1], result, sink.id);
}

static void on_field(calls_sequence *s, calls_world *w)
{
    tp_field_def def;
    tp_field field = {any_handle(s, w->handles[2])};
    calls_field_definition(s, &def);
    if (calls_one_in(s, 4)) {
        (void)calls_note(s, "field_set", tp_field_set(w->world, field, &def));
        return;
    }
    if (calls_one_in(s, 4)) {
        (void)calls_note(s, "field_remove", tp_field_remove(w->world, field));
        return;
    }
    const char *problem = tp_field_check(w->world, &def);
    tp_result result = calls_note(s, "field_add", tp_field_add(w->world, &def, &field));
    calls_agree(s, problem, result, "tp_field_check and tp_field_add agree");
    keep(s, w->handles[2], result, field.id);
}

static void on_collider(calls_sequence *s, calls_world *w)
{
    tp_collider_def def;
    tp_collider collider = {any_handle(s, w->handles[3])};
    if (calls_one_in(s, 3)) {
        (void)calls_note(s, "collider_move",
                         tp_collider_move(w->world, collider, calls_pose(s, 20)));
        return;
    }
    if (calls_one_in(s, 6)) {
        (void)calls_note(s, "collider_place",
                         tp_collider_place(w->world, collider, calls_pose(s, 20)));
        return;
    }
    if (calls_one_in(s, 4)) {
        tp_load load;
        (void)calls_note(s, "collider_load", tp_collider_load(w->world, collider, &load));
        calls_fold(s, &load, sizeof load);
        return;
    }
    if (calls_one_in(s, 5)) {
        int32_t room = 0;
        const tp_vector at = calls_pose(s, 20).position;
        (void)calls_note(s, "collider_room", tp_collider_room(w->world, collider, at, &room));
        calls_fold_word(s, (uint32_t)room);
        return;
    }
    if (calls_one_in(s, 5)) {
        (void)calls_note(s, "collider_remove", tp_collider_remove(w->world, collider));
        return;
    }
    calls_collider_definition(s, &def);
    calls_fold_word(s, tp_collider_bytes(2u + calls_below(s, 2), &def));
    const char *problem = tp_collider_check(w->world, &def);
    tp_result result = calls_note(s, "collider_add", tp_collider_add(w->world, &def, &collider));
    calls_agree(s, problem, result, "tp_collider_check and tp_collider_add agree");
    keep(s, w->handles[3], result, collider.id);
}

static void on_body(calls_sequence *s, calls_world *w)
{
    tp_body body = {any_handle(s, w->bodies)};
    tp_body_state state;
    tp_vector push = {calls_float(s, 60), calls_float(s, 60), calls_float(s, 60)};
    switch (calls_below(s, 6)) {
    case 0:
        (void)calls_note(s, "body_get", tp_body_get(w->world, body, &state));
        calls_fold(s, &state, sizeof state);
        return;
    case 1:
        (void)calls_note(s, "body_set", tp_body_set(w->world, body, calls_pose(s, 20), push, push));
        return;
    case 2:
        (void)calls_note(s, "body_impulse",
                         tp_body_impulse(w->world, body, push, calls_pose(s, 20).position));
        return;
    case 3: (void)calls_note(s, "body_remove", tp_body_remove(w->world, body)); return;
    default: break;
    }
    tp_body_def def = tp_body_default();
    def.collider.id = any_handle(s, w->handles[3]);
    def.velocity = push;
    def.mass = 1.0f + (float)calls_below(s, 40);
    if (calls_one_in(s, 2)) def.inertia = (tp_vector){0.5f, 1.0f, 2.0f};
    if (calls_one_in(s, 4)) def.center = (tp_vector){0.1f, 0.05f, 0.02f};
    calls_change(s, &def, sizeof def, 5);
    const char *problem = tp_body_check(w->world, &def);
    tp_result result = calls_note(s, "body_add", tp_body_add(w->world, &def, &body));
    calls_agree(s, problem, result, "tp_body_check and tp_body_add agree");
    keep(s, w->bodies, result, body.id);
}

static void on_link(calls_sequence *s, calls_world *w)
{
    tp_link_def def = tp_link_default();
    tp_link link = {any_handle(s, w->links)};
    uint32_t count = tp_world_view(w->world).count;
    if (calls_one_in(s, 4)) {
        (void)calls_note(s, "link_remove", tp_link_remove(w->world, link));
        return;
    }
    if (calls_one_in(s, 4)) {
        (void)calls_note(s, "link_get", tp_link_get(w->world, link, &def));
        calls_fold(s, &def, sizeof def);
        return;
    }
    if (count > 1) {
        def.first = tp_world_view(w->world).id[calls_below(s, count)];
        def.second = tp_world_view(w->world).id[calls_below(s, count)];
    }
    def.rest_length = 0.3f;
    def.stiffness = 50.0f;
    def.damping = calls_one_in(s, 2) ? 1.0f : 0.0f;
    def.break_length = calls_one_in(s, 3) ? 1.0f : 0.0f;
    calls_change(s, &def, sizeof def, 5);
    if (calls_one_in(s, 4)) {
        tp_link links[8];
        uint32_t added = 0, capacity = calls_below(s, 9);
        tp_result many =
            tp_links_add(w->world, &def, calls_one_in(s, 2) ? links : NULL, capacity, &added);
        (void)calls_note(s, "links_add", many);
        calls_fold(s, &added, sizeof added);
        return;
    }
    if (calls_one_in(s, 4)) {
        (void)calls_note(s, "link_set", tp_link_set(w->world, link, &def));
        return;
    }
    const char *problem = tp_link_check(w->world, &def);
    tp_result result = calls_note(s, "link_add", tp_link_add(w->world, &def, &link));
    calls_agree(s, problem, result, "tp_link_check and tp_link_add agree");
    keep(s, w->links, result, link.id);
}

static void on_table(calls_sequence *s, calls_world *w)
{
    float energies[40], forces[40];
    tp_pair_table table = tp_pair_table_default();
    uint32_t rarity = calls_one_in(s, 3) ? 20u : 0u;
    table.count = calls_one_in(s, 8) ? calls_below(s, 41) : 33u;
    for (uint32_t k = 0; k < 40; k++) {
        float distance = tp_pair_table_distance(w->world, table.count, k);
        energies[k] = 1.0f - distance * 0.3f + calls_float(s, rarity) * 0.01f;
        forces[k] = 0.3f + calls_float(s, rarity) * 0.01f;
    }
    table.energies = calls_one_in(s, 20) ? NULL : energies;
    table.forces = calls_one_in(s, 2) ? NULL : forces;
    const char *problem = tp_pair_table_check(w->world, &table);
    tp_result result = calls_note(s, "pair_table_set", tp_pair_table_set(w->world, &table));
    if (result != TP_ERROR_NULL)
        calls_agree(s, problem, result, "tp_pair_table_check and tp_pair_table_set agree");
}

/* Adds a sheet, or pins a node. */
static void on_ties(calls_sequence *s, calls_world *w)
{
    tp_cloth_tie_def def = tp_cloth_tie_default();
    uint32_t tie = calls_below(s, 7);
    float pull = 0;
    if (calls_note(s, "cloth_pull", tp_cloth_pull(w->world, tie, &pull)) == TP_OK)
        calls_fold(s, &pull, sizeof pull);
    if (calls_one_in(s, 4)) {
        (void)calls_note(s, "cloth_untie", tp_cloth_untie(w->world, tie));
        return;
    }
    def.node = calls_below(s, w->def.particles_max + 1u);
    if (calls_one_in(s, 2)) def.other = calls_below(s, w->def.particles_max + 1u);
    def.collider.id = any_handle(s, w->handles[3]);
    def.point = calls_vector(s, 0.5f, 40);
    def.strength = calls_one_in(s, 3) ? 2.0f : 0.0f;
    def.length = calls_one_in(s, 3) ? 0.1f : 0.0f;
    const char *problem = tp_cloth_tie_check(w->world, &def);
    tp_result result = calls_note(s, "cloth_tie", tp_cloth_tie(w->world, &def, &tie));
    calls_agree(s, problem, result, "tp_cloth_tie_check and tp_cloth_tie agree");
    calls_fold_word(s, tie);
}

static void on_cloth(calls_sequence *s, calls_world *w)
{
    tp_cloth_def def;
    tp_cloth_report report;
    uint32_t id = calls_below(s, w->def.particles_max + 1u);
    if (calls_one_in(s, 3)) {
        on_ties(s, w);
        return;
    }
    if (!calls_one_in(s, 3)) {
        (void)calls_note(s, "cloth_pin", tp_cloth_pin(w->world, id, !calls_one_in(s, 3)));
        if (calls_note(s, "cloth_measure", tp_cloth_measure(w->world, &report)) == TP_OK)
            calls_fold(s, &report, sizeof report);
        uint32_t ids[3 * 16], count = 0;
        if (calls_note(s, "cloth_triangles", tp_cloth_triangles(w->world, ids, 16, &count)) >=
            TP_OK)
            calls_fold(s, ids, 12 * count);
        return;
    }
    calls_cloth_definition(s, &def);
    const char *problem = tp_cloth_check(w->world, &def);
    tp_result result =
        def.vertices      ? calls_note(s, "cloth_mesh", tp_cloth_mesh(w->world, &def, &id))
        : def.layers > 1u ? calls_note(s, "cloth_block", tp_cloth_block(w->world, &def, &id))
                          : calls_note(s, "cloth_grid", tp_cloth_grid(w->world, &def, &id));
    calls_agree(s, problem, result, "tp_cloth_check and the call that adds a sheet agree");
    calls_fold_word(s, id);
}

static void measure(calls_sequence *s, calls_world *w)
{
    tp_pair_report report;
    uint64_t before = tp_world_hash(w->world);
    if (calls_note(s, "pair_measure", tp_pair_measure(w->world, &report)) != TP_OK) return;
    calls_fold(s, &report, sizeof report);
    calls_promise(s, tp_world_hash(w->world) == before, "measuring changes no bit of the state");
}

/* Calls without an object, or on bytes that are not an object. */
static void on_nothing(calls_sequence *s)
{
    static _Alignas(16) unsigned char noise[8192]; /* longer than the head of a block */
    tp_world_def def = tp_world_default(calls_below(s, 6));
    tp_world *none = NULL;
    size_t bytes = 0;
    memset(noise, (int)calls_below(s, 256), sizeof noise);
    calls_fold_word(s, tp_world_check(&def) != NULL);
    calls_promise(s, !tp_world_at(noise, sizeof noise) && !tp_world_at(NULL, sizeof noise),
                  "a block without a world is refused");
    calls_promise(s, !tp_world_definition(NULL) && !tp_world_definition((const tp_world *)noise),
                  "no world has no definition");
    (void)calls_note(s, "null frame", tp_frame(NULL, NULL, NULL));
    (void)calls_note(s, "null add",
                     tp_particle_add(NULL, (tp_vector){0, 0, 0}, (tp_vector){0, 0, 0}, 0, NULL));
    (void)calls_note(s, "null clear", tp_particles_clear(NULL));
    (void)calls_note(s, "null create", tp_world_create(NULL, NULL, 0, &none));
    (void)calls_note(s, "null memory", tp_world_memory(NULL, &bytes));
    (void)calls_note(s, "null worlds", tp_frame_worlds(NULL, calls_below(s, 3), NULL));
    calls_fold_word(s, tp_world_view(NULL).count + tp_world_hash(NULL));
    calls_fold_word(s, strlen(tp_result_text((tp_result)calls_hostile_word(s))));
    calls_fold_word(s, strlen(tp_stage_name((tp_stage)calls_below(s, 40))));
    tp_pose pose = tp_pose_make(calls_float(s, 20), calls_float(s, 20), calls_float(s, 20));
    tp_vector point = tp_pose_point(tp_pose_turn(pose, calls_float(s, 20)), calls_vector(s, 1, 20));
    calls_fold_word(s, tp_world_view(NULL).count + (point.x == point.x));
}

/* Gets some springs and gives them back, changed. */
static void on_springs(calls_sequence *s, calls_world *w)
{
    tp_spring springs[40];
    uint32_t count = 40;
    memset(springs, 0, sizeof springs);
    tp_result result = tp_springs_get(w->world, springs, &count);
    (void)calls_note(s, "springs_get", result);
    if (count > 40) count = 40;
    if (calls_one_in(s, 2)) springs[0].rest_length = calls_float(s, 3);
    (void)calls_note(s, "springs_set", tp_springs_set(w->world, springs, count));
}

/* Reads some events. Their numbers ascend, and no other one is finite. */
static void on_events(calls_sequence *s, calls_world *w)
{
    tp_event events[16];
    uint32_t count = 0, capacity = calls_below(s, 17);
    tp_event_cursor cursor = {calls_one_in(s, 8) ? calls_hostile_word(s) : w->event_next, 0};
    uint64_t next = cursor.next;
    tp_result result = tp_world_events(w->world, &cursor, events, capacity, &count);
    (void)calls_note(s, "world_events", result);
    if (result < TP_OK) return;
    calls_promise(s, count <= capacity && (result == TP_OK || count == capacity),
                  "a reader gets as many events as it has place for");
    for (uint32_t k = 0; k < count; k++) {
        calls_promise(s, events[k].number >= next && events[k].number < cursor.next,
                      "numbers of events ascend");
        calls_promise(s, events[k].speed - events[k].speed == 0.0f, "events are finite");
        next = events[k].number + 1u;
    }
    calls_fold(s, events, count * sizeof events[0]);
    calls_fold_word(s, cursor.next + (cursor.missed << 32));
    w->event_next = (uint32_t)cursor.next;
}

void calls_on_world(calls_sequence *s)
{
    calls_world *w = any_world(s);
    if (!w->world || calls_one_in(s, 60)) {
        make(s, w);
        return;
    }
    switch (calls_below(s, 20)) {
    case 0:
    case 1:
    case 2: add_particles(s, w); break;
    case 3: set_particle(s, w); break;
    case 4:
    case 5: on_emitter(s, w); break;
    case 6: on_sink(s, w); break;
    case 7:
    case 8: on_field(s, w); break;
    case 9:
    case 10:
    case 11: calls_one_in(s, 3) ? on_body(s, w) : on_collider(s, w); break;
    case 12: w->def.solver == TP_SOLVER_CLOTH ? on_cloth(s, w) : on_link(s, w); break;
    case 13: calls_one_in(s, 4) ? on_cloth(s, w) : on_table(s, w); break;
    case 14: measure(s, w); break;
    case 15:
    case 16: calls_on_changes(s, w); break;
    case 17: calls_on_ids(s, w); break;
    case 18: calls_look_between(s, w); break;
    default:
        if (calls_one_in(s, 8))
            (void)calls_note(s, "particles_clear", tp_particles_clear(w->world));
        else if (calls_one_in(s, 4))
            on_springs(s, w);
        else if (calls_one_in(s, 3))
            on_events(s, w);
        else if (calls_one_in(s, 4))
            on_nothing(s);
        else if (calls_one_in(s, 4))
            define_again(s, w);
        else
            look(s, w);
    }
}
