/* SPDX-License-Identifier: MIT
   tests/physics/test_transitions.c - every event in every state of a cache, for each kind of cache.
   reads   cache_states.h, cache_rows.h, cache_differences.h, runtime/tidepool.h
   writes  blocks of its own
   memory  malloc      cost    a few seconds
   after   runtime/guide/physics.md: a request has one answer in each state, however frames are
           stored */
#include "../harness/cache_help.h"
#include "../harness/test.h"
#include "cache_rows.h"
#include "cache_states.h"
#include "cache_differences.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACE_BOUND    1e-3f
#define VELOCITY_BOUND 1e-2f

#define ROWS        (sizeof rows / sizeof rows[0])
#define STATES      (sizeof states / sizeof states[0])
#define DIFFERENCES (sizeof differences / sizeof differences[0])

/* ---- a running row ---- */

typedef struct row_run {
    cache_fixture f;
    cache_kind kind;
    uint32_t group;
    bool has_story; /* there were inputs or edits: frames differ from the plain run */
} row_run;

/* False if a cache of so few frames cannot have groups of this length; that must be refused. */
static bool run_open(row_run *run, const row *r, cache_kind kind, uint32_t group)
{
    cache_fixture *f = &run->f;
    uint32_t start, end;
    char policy[8];
    *run = (row_run){.kind = kind, .group = group};
    fixture_open(f, 20, 2);
    if (kind == CACHE_BOUNDED_GROUPS) {
        f->source.schema.streams[SWARM_POSITION].error_bound = PLACE_BOUND;
        f->source.schema.streams[SWARM_VELOCITY].error_bound = VELOCITY_BOUND;
        f->def = tp_cache_default(&f->source);
    }
    CHECK_EQ(sscanf(r->cache, "%u %u %u %u %7s %u", &start, &end, &f->def.step, &f->def.frames_max,
                    policy, &f->def.catchup_max),
             6);
    f->def.start_frame = start;
    f->def.end_frame = end;
    f->def.policy = strcmp(policy, "stop") == 0 ? TP_CACHE_STOP : TP_CACHE_EVICT;
    f->def.is_quick = strcmp(policy, "quick") == 0 ? 1 : 0;
    f->def.input_bytes = 256;
    f->def.group_frames = group;
    const char *wrong = tp_cache_check(&f->def);
    if (!wrong) fixture_create(f);
    if (wrong) CHECK(f->def.frames_max < 3u * group && strncmp(wrong, "frames_max:", 11) == 0);
    return !wrong;
}

/* ---- events ---- */

/* Damages bytes of one frame, or of its group, which is encoded first. */
static void damage_frame(cache_fixture *f, uint32_t frame)
{
    uint8_t *ring = (uint8_t *)f->cache + ring_offset(&f->def);
    uint64_t place = 0;
    uint32_t bytes, frames = 1, left = 0;
    tp_cache_frame info;
    CHECK_EQ(tp_cache_flush(f->cache, NULL), TP_OK);
    for (uint32_t i = 0; tp_cache_frame_at(f->cache, i, &info) == TP_OK; i++) {
        if (left == 0) CHECK_EQ(tp_cache_packet(f->cache, i, NULL, 0, &bytes, &frames), TP_OK);
        if (left == 0) left = frames;
        if (info.frame == frame) break;
        if (--left == 0) place += info.bytes;
    }
    ring[(place + 70u) % f->def.ring_bytes] ^= 0x10u; /* no frame has been evicted in these rows */
}

static tp_result rewind_all(cache_fixture *f, uint32_t frame, bool drops)
{
    tp_result result;
    while ((result = tp_cache_rewind(f->cache, &f->source, frame, drops, NULL)) == TP_MORE)
        continue;
    return result;
}

static tp_result advance_until(void *context, const tp_budget *budget, uint64_t *units)
{
    swarm *source = (swarm *)context;
    return source->now.frame == source->pause_frame ? TP_MORE
                                                    : swarm_advance(context, budget, units);
}

/* Bakes until this frame is recorded. */
static tp_result bake_until(cache_fixture *f, uint32_t frame)
{
    f->swarm->pause_frame = frame;
    f->source.advance = advance_until;
    tp_result result = tp_cache_bake(f->cache, &f->source, NULL);
    f->source.advance = swarm_advance;
    return result;
}

static tp_result act(row_run *run)
{
    static const uint8_t data[3] = {1, 2, 3};
    tp_result result = tp_cache_input(run->f.cache, &run->f.source, data, sizeof data);
    if (result != TP_OK) return result;
    run->has_story = true;
    return swarm_input(run->f.swarm, data, sizeof data);
}

static tp_result edit_first(row_run *run, uint32_t frame)
{
    tp_cache_edit edit = {
        .frame = frame, .identity = 10, .stream = SWARM_POSITION, .fits_rates = true};
    tp_result result = tp_cache_edit_particle(run->f.cache, &edit);
    run->has_story |= result == TP_OK;
    return result;
}

/* Takes the last packet of another cache of this kind that has recorded up to a frame. */
static tp_result take_packet(row_run *run, uint32_t frame)
{
    static uint8_t packet[65536];
    cache_fixture *f = &run->f;
    size_t block_bytes;
    tp_cache *other = cache_make(&f->def, &block_bytes);
    swarm *source_of = swarm_make(20, 2);
    tp_source source = f->source;
    uint32_t bytes = 0, frames;
    tp_cache_frame info;
    source.context = source_of;
    for (;; swarm_step(source_of)) {
        let(tp_cache_record(other, &source, NULL));
        if (source_of->now.frame == frame) break;
    }
    CHECK_EQ(tp_cache_flush(other, NULL), TP_OK);
    for (uint32_t i = 0; tp_cache_frame_at(other, i, &info) == TP_OK; i++)
        CHECK_EQ(tp_cache_packet(other, i, packet, sizeof packet, &bytes, &frames), TP_OK);
    free(other);
    free(source_of);
    return tp_cache_take_packet(f->cache, packet, bytes);
}

static tp_result event_request(row_run *run, uint64_t time, bool is_last)
{
    if (!is_last) return request_all(&run->f, time);
    return tp_cache_request(run->f.cache, &run->f.source, time, NULL, &run->f.view);
}

/* Changes to the source or to the ring that are not calls of the cache. */
static tp_result event_outside(row_run *run, char event, uint32_t frame)
{
    cache_fixture *f = &run->f;
    uint64_t units = 0;
    switch (event) {
    case 's':
        for (uint32_t i = 0; i < frame; i++) swarm_step(f->swarm);
        return TP_OK;
    case 'j': return swarm_advance(f->swarm, &(tp_budget){.units = 1}, &units);
    case '?': return TP_OK; /* no event */
    case 'z': damage_frame(f, frame); return TP_OK;
    case 'm': f->source.restore_begin = NULL; return TP_OK;
    case 'n': f->source.restart = NULL; return TP_OK;
    case 'q': f->source.jump = swarm_jump; return TP_OK;
    case 'l': f->source.advance = NULL; return TP_OK;
    default: CHECK_NEVER("an event of the table"); return TP_ERROR_NULL;
    }
}

static tp_result event_run(row_run *run, const char *text, bool is_last)
{
    static const tp_budget least = {.units = 1};
    cache_fixture *f = &run->f;
    uint32_t frame = (uint32_t)strtoul(text + 1, NULL, 10);
    switch (text[0]) {
    case 'r': return event_request(run, TP_TIME(frame), is_last);
    case 'h': return event_request(run, TP_TIME(frame) + TP_TICKS_PER_FRAME / 2u, true);
    case 'o': return tp_cache_record(f->cache, &f->source, NULL);
    case 'O': return tp_cache_record(f->cache, &f->source, &least);
    case 'w': return rewind_all(f, frame, true);
    case 'k': return rewind_all(f, frame, false);
    case 'K': return tp_cache_rewind(f->cache, &f->source, frame, false, &least);
    case 'v': return tp_cache_resume(f->cache, &f->source, frame, false, NULL);
    case 'V': return tp_cache_resume(f->cache, &f->source, frame, true, NULL);
    case 'i': return act(run);
    case 'b': return tp_cache_bake(f->cache, &f->source, NULL);
    case 'g': return bake_until(f, frame);
    case 'p': return tp_cache_protect(f->cache, false);
    case 'x': return tp_cache_protect(f->cache, true);
    case 'u': return tp_cache_unprotect(f->cache);
    case 'C': return tp_cache_clear(f->cache);
    case 'a': return tp_cache_clear_after(f->cache, frame);
    case 'B': return tp_cache_clear_before(f->cache, frame);
    case 'f': return tp_cache_clear_frame(f->cache, frame);
    case 'e': return edit_first(run, frame);
    case 'F': return tp_cache_flush(f->cache, NULL);
    case 't': return take_packet(run, frame);
    case 'c': return tp_cache_changed(f->cache, frame);
    case 'd': return tp_cache_detach(f->cache);
    default: return event_outside(run, text[0], frame);
    }
}

static void events_run(row_run *run, const char *text)
{
    for (; *text; text += strcspn(text, " "), text += strspn(text, " "))
        let(event_run(run, text, false));
}

/* ---- results ---- */

static const char *name_of_result(tp_result result)
{
    switch (result) {
    case TP_OK: return "ok";
    case TP_MORE: return "more";
    case TP_ERROR_FRAME: return "frame";
    case TP_ERROR_FULL: return "full";
    case TP_ERROR_PROTECTED: return "protected";
    case TP_ERROR_SOURCE: return "source";
    case TP_ERROR_DEFINITION: return "definition";
    default: return tp_result_text(result);
    }
}

/* Writes the first, last and number of frames, and the flags. */
static size_t describe_state(char *text, size_t size, const row_run *run)
{
    tp_cache_counters report = tp_cache_report(run->f.cache);
    int length = snprintf(
        text, size, "%u %u %u %s%s%s%s%s%s%s", (uint32_t)report.frame_first,
        (uint32_t)report.frame_last, report.frames, report.flags ? "" : "-",
        report.flags & TP_CACHE_BAKED ? "b" : "", report.flags & TP_CACHE_EXTERNAL ? "x" : "",
        report.flags & TP_CACHE_OUTDATED ? "o" : "", report.flags & TP_CACHE_BAKING ? "g" : "",
        report.flags & TP_CACHE_EDITED ? "e" : "", report.flags & TP_CACHE_QUICK ? "q" : "");
    return (size_t)length;
}

/* Compares the view with the requested frame if that frame belongs to a run without changed
   settings. */
static void check_view(const row_run *run, const char *event, tp_result result)
{
    const tp_frame_view *view = &run->f.view;
    bool is_quick = tp_cache_report(run->f.cache).flags & TP_CACHE_QUICK;
    bool is_a_frame = view->status == TP_CACHE_EXACT || view->status == TP_CACHE_SIMULATED;
    bool is_bounded = run->kind == CACHE_BOUNDED_GROUPS;
    if (result != TP_OK || event[0] != 'r' || !is_a_frame || is_quick || run->has_story) return;
    swarm_state *expected = swarm_at(20, 2, strtoul(event + 1, NULL, 10));
    CHECK(view_is_within(view, expected, is_bounded ? PLACE_BOUND : 0.0f,
                         is_bounded ? VELOCITY_BOUND : 0.0f));
    free(expected);
}

/* Runs the event; writes its result, status, frames simulated and recorded, and the state. */
static size_t describe_event(char *text, size_t size, row_run *run, const char *event)
{
    static const char *const statuses[] = {"missing",   "exact",   "between",
                                           "simulated", "partial", "outside"};
    cache_fixture *f = &run->f;
    bool is_request = event[0] == 'r' || event[0] == 'h';
    uint64_t written = tp_cache_report(f->cache).frames_written;
    f->swarm->advances = f->swarm->log_count = 0;
    tp_result result = event_run(run, event, true);
    uint32_t frames = (uint32_t)(tp_cache_report(f->cache).frames_written - written);
    size_t length =
        (size_t)snprintf(text, size, "%s %s %u %u ", name_of_result(result),
                         is_request ? statuses[f->view.status] : "-", f->swarm->advances, frames);
    check_view(run, event, result);
    bool is_quick = tp_cache_report(f->cache).flags & TP_CACHE_QUICK;
    for (uint32_t i = 1; i < f->swarm->log_count && !is_quick; i++)
        CHECK(f->swarm->log[i] == f->swarm->log[i - 1u] + 1u);
    return length + describe_state(text + length, size - length, run);
}

/* ---- rows in each kind of cache ---- */

static uint32_t rows_run[CACHE_KINDS], rows_impossible[CACHE_KINDS];

/* The expected result for a kind of cache: that of single frames, unless cache_differences.h has
   another one. */
static const char *expected_of(const row *r, cache_kind kind, bool *differs)
{
    const char *expected = r->expected;
    *differs = false;
    for (size_t d = 0; d < DIFFERENCES && kind != CACHE_SINGLE; d++) {
        bool is_of_kind = differences[d].kind == kind || differences[d].kind == CACHE_KINDS;
        if (!is_of_kind || strcmp(differences[d].name, r->name) != 0) continue;
        CHECK(!*differs && differences[d].why && strcmp(differences[d].expected, r->expected) != 0);
        *differs = true;
        expected = differences[d].expected;
    }
    return expected;
}

/* `then`: an event after the last one, or null. False if there is no such cache. */
static bool run_row(const row *r, const char *then, cache_kind kind, uint32_t group)
{
    row_run run;
    char found[192] = "";
    bool differs, is_possible = run_open(&run, r, kind, group);
    if (is_possible) {
        const char *expected = expected_of(r, kind, &differs);
        test_note("%s", r->name);
        events_run(&run, r->before);
        size_t length = describe_event(found, sizeof found, &run, r->last);
        if (then) {
            length += (size_t)snprintf(found + length, sizeof found - length, ", ");
            (void)describe_event(found + length, sizeof found - length, &run, then);
        }
        test_note("%s, %s of %u\n  expected %s\n  found    %s", r->name, kind_names[kind], group,
                  expected, found);
        CHECK(strcmp(found, expected) == 0);
    }
    fixture_close(&run.f);
    return is_possible;
}

/* Groups of 3, or of as many frames as the ring has entries for. If nothing differs, also groups of
   2 and
   4. */
static void run_kinds(const row *r, const char *then)
{
    uint32_t frames_max = 0;
    CHECK_EQ(sscanf(r->cache, "%*u %*u %*u %u", &frames_max), 1);
    for (cache_kind kind = CACHE_SINGLE; kind < CACHE_KINDS; kind++) {
        uint32_t group = kind == CACHE_SINGLE ? 1u : frames_max < 9u ? 2u : 3u;
        bool differs;
        if (run_row(r, then, kind, group))
            rows_run[kind]++;
        else
            rows_impossible[kind]++;
        (void)expected_of(r, kind, &differs);
        if (group != 3u || frames_max < 12u || differs) continue;
        CHECK(run_row(r, then, kind, 2) && run_row(r, then, kind, 4));
    }
}

static void every_row_holds_in_every_kind_of_cache(void)
{
    memset(rows_run, 0, sizeof rows_run), memset(rows_impossible, 0, sizeof rows_impossible);
    for (size_t i = 0; i < ROWS; i++) run_kinds(&rows[i], NULL);
    for (cache_kind kind = CACHE_SINGLE; kind < CACHE_KINDS; kind++) {
        CHECK_EQ(rows_run[kind] + rows_impossible[kind], ROWS);
        /* rings of one frame and of none */
        CHECK_EQ(rows_impossible[kind], kind == CACHE_SINGLE ? 0 : 2);
    }
}

/* After each event, a request beyond the end shows the parts of the state that are not visible
   otherwise. */
static void every_event_in_every_state_holds_in_every_kind_of_cache(void)
{
    char name[64];
    memset(rows_run, 0, sizeof rows_run);
    for (size_t s = 0; s < STATES; s++) {
        const cache_state *state = &states[s];
        run_kinds(&(row){state->name, state->cache, state->before, "?", state->found}, NULL);
        for (size_t e = 0; e < EVENTS; e++) {
            const char *expected = state->cells[e];
            if (!CHECK(expected != NULL)) expected = "";
            snprintf(name, sizeof name, "%s, %s", state->name, events[e].text);
            run_kinds(&(row){name, state->cache, state->before, events[e].text, expected}, "r13");
        }
    }
    for (cache_kind kind = CACHE_SINGLE; kind < CACHE_KINDS; kind++)
        CHECK_EQ(rows_run[kind], STATES * (EVENTS + 1u));
}

/* ---- completeness ---- */

static bool row_is_named(const char *name)
{
    char cell[64];
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].name, name) == 0) return true;
    for (size_t s = 0; s < STATES; s++) {
        if (strcmp(states[s].name, name) == 0) return true;
        for (size_t e = 0; e < EVENTS; e++) {
            snprintf(cell, sizeof cell, "%s, %s", states[s].name, events[e].text);
            if (strcmp(cell, name) == 0) return true;
        }
    }
    return false;
}

static void every_difference_is_of_a_row(void)
{
    for (size_t d = 0; d < DIFFERENCES; d++) {
        test_note("%s", differences[d].name);
        CHECK(row_is_named(differences[d].name));
        CHECK(differences[d].kind != CACHE_SINGLE);
    }
}

static void rows_have_names_of_their_own(void)
{
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < i; j++) CHECK(strcmp(rows[i].name, rows[j].name) != 0);
}

/* The table has an event for each function of the header that changes a cache, and no other
   events. */
static void every_call_that_changes_a_cache_is_an_event(void)
{
    static const char declared[] = "tp_result tp_cache_", changes[] = "(tp_cache *";
    char line[512];
    bool is_met[EVENTS] = {false};
    FILE *header = fopen("runtime/tidepool.h", "r");
    if (!CHECK(header != NULL)) return;
    while (fgets(line, sizeof line, header)) {
        const char *name = strstr(line, declared);
        if (!name) continue;
        name += sizeof declared - 1u;
        size_t length = strcspn(name, "(");
        bool is_event = strncmp(name + length, changes, sizeof changes - 1u) != 0;
        for (size_t e = 0; e < EVENTS && strncmp(name + length, changes, sizeof changes - 1u) == 0;
             e++) {
            bool is_this =
                strlen(events[e].call) == length && strncmp(events[e].call, name, length) == 0;
            is_event |= is_this;
            is_met[e] |= is_this;
        }
        test_note("%.*s", (int)length, name);
        CHECK(is_event);
    }
    fclose(header);
    for (size_t e = 0; e < EVENTS; e++) CHECK(is_met[e]);
}

static const test_case cases[] = {
    TEST_CASE(every_row_holds_in_every_kind_of_cache),
    TEST_CASE(every_event_in_every_state_holds_in_every_kind_of_cache),
    TEST_CASE(every_difference_is_of_a_row),
    TEST_CASE(rows_have_names_of_their_own),
    TEST_CASE(every_call_that_changes_a_cache_is_an_event),
};
TEST_SUITE(transitions, cases);
