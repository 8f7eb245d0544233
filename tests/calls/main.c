/* SPDX-License-Identifier: MIT
   tests/calls/main.c - runs sequences of calls: calls FIRST COUNT [CLIP]; the output is equal at
           every width.
   reads   a clip      writes  one line per sequence: its seed and a hash of all results
   memory  thirteen rooms of 1 MiB between guard pages      cost    two runs per sequence
   after   own design; `calls -v SEED 1 [CLIP]` prints every call, so that two widths can be
           compared line by line */
#define _DEFAULT_SOURCE
#if !defined(CALLS_LINKED)
#define TIDEPOOL_IMPLEMENTATION
#endif
#include "calls.h"
#include <setjmp.h>
#include <sys/mman.h>
#include <time.h>
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#endif
#endif

#define CALLS_STEPS 60u

static calls_sequence sequence;
static uint64_t marks[CALLS_STEPS];
static uint32_t stop_at;
static unsigned char clip[1u << 16];
static size_t clip_size;
static jmp_buf broken; /* jumps to the next sequence after a fault */

void calls_promise(const calls_sequence *s, bool kept, const char *text)
{
    if (kept) return;
    printf("broken promise in call %u: %s\n", s->step, text);
    longjmp(broken, 1);
}

void calls_fold_word(calls_sequence *s, uint64_t word)
{
    s->fold = (s->fold ^ word) * 0x9e3779b97f4a7c15u;
    s->fold ^= s->fold >> 29;
}

void calls_fold(calls_sequence *s, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    uint64_t word = 0;
    for (; size >= 8; size -= 8, from += 8) {
        memcpy(&word, from, 8);
        calls_fold_word(s, word);
    }
    word = size;
    memcpy(&word, from, size < 7 ? size : 7);
    calls_fold_word(s, word);
}

tp_result calls_note(calls_sequence *s, const char *name, tp_result result)
{
    calls_fold_word(s, (uint64_t)(uint32_t)result);
    if (s->is_verbose)
        printf("%3u %-18s %4d  %016llx\n", s->step, name, (int)result, (unsigned long long)s->fold);
    return result;
}

/* ---- memory ---- */

static void room_open(calls_room *room)
{
    size_t page = 4096;
    unsigned char *all = mmap(NULL, CALLS_BLOCK_BYTES + 2u * page, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || mprotect(all, page, PROT_NONE) != 0 ||
        mprotect(all + page + CALLS_BLOCK_BYTES, page, PROT_NONE) != 0)
        exit(2);
    room->end = all + page + CALLS_BLOCK_BYTES;
}

unsigned char *calls_take(calls_room *room, size_t bytes)
{
    size_t whole = (bytes + 15u) / 16u * 16u;
    room->block = room->end - whole;
    room->bytes = bytes;
    memset(room->block, sequence.is_backwards ? 0xff : 0, whole);
    return room->block;
}

unsigned char *calls_move(calls_room room[2], uint32_t *in_use)
{
    const calls_room *from = &room[*in_use];
    unsigned char *copy = calls_take(&room[1u - *in_use], from->bytes);
    memcpy(copy, from->block, from->bytes);
    memset(from->block, 0x5a, from->bytes);
    *in_use = 1u - *in_use;
    return copy;
}

calls_bad_block calls_bad(calls_sequence *s, const calls_room *room)
{
    static _Alignas(16) unsigned char noise[65536];
    uint32_t bytes = (uint32_t)room->bytes;
    switch (calls_below(s, 4)) {
    case 0: return (calls_bad_block){NULL, calls_hostile_word(s)};
    case 1: return (calls_bad_block){room->block, calls_below(s, bytes)};
    case 2: return (calls_bad_block){room->block + 1u + calls_below(s, 15), bytes};
    default: memset(noise, (int)calls_below(s, 256), sizeof noise);
    }
    return (calls_bad_block){noise, sizeof noise};
}

/* ---- a sequence ---- */

/* Leaves other contents on the stack before the second run. */
static __attribute__((noinline)) void scribble(int byte)
{
    volatile unsigned char stack[73728];
    memset((void *)(uintptr_t)stack, byte, sizeof stack);
}

typedef struct calls_object {
    const char *name;
    const unsigned char *bytes;
    size_t size;
} calls_object;

static uint32_t objects_of(const calls_sequence *s, calls_object objects[6])
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < CALLS_WORLDS; k++) {
        const calls_world *w = &s->worlds[k];
        const calls_room *room = &w->room[w->in_use];
        if (w->world) objects[count++] = (calls_object){"world", room->block, room->bytes};
    }
    const calls_clip *c = &s->clip;
    const calls_room *rooms[3] = {&s->cache.room[s->cache.in_use],
                                  &c->player_room[c->player_in_use],
                                  &c->timeline_room[c->timeline_in_use]};
    if (s->cache.cache)
        objects[count++] = (calls_object){"cache", rooms[0]->block, rooms[0]->bytes};
    if (c->player) objects[count++] = (calls_object){"player", rooms[1]->block, rooms[1]->bytes};
    if (c->timeline)
        objects[count++] = (calls_object){"timeline", rooms[2]->block, rooms[2]->bytes};
    const calls_room *room = &s->query.room[s->query.in_use];
    if (s->query.query) objects[count++] = (calls_object){"query", room->block, room->bytes};
    return count;
}

/* A hash of all bytes of all blocks. */
static uint64_t mark_of(const calls_sequence *s)
{
    calls_object objects[6];
    calls_sequence sum = {0};
    for (uint32_t k = objects_of(s, objects); k > 0; k--)
        calls_fold(&sum, objects[k - 1u].bytes, objects[k - 1u].size);
    return sum.fold;
}

static void run_step(calls_sequence *s)
{
    scribble(s->is_backwards ? 0xa5 : 0);
    switch (calls_below(s, 13)) {
    case 0:
    case 1: calls_on_cache(s); break;
    case 2: calls_on_clip(s); break;
    case 3:
    case 4:
    case 5: calls_on_frames(s); break;
    case 6:
    case 7: calls_on_query(s); break;
    case 8: calls_on_light(s); break;
    default: calls_on_world(s);
    }
}

static void sequence_begin(calls_sequence *s, uint64_t seed, bool is_second)
{
    s->random = seed;
    s->step = 0;
    s->fold = s->clock = 0;
    s->is_backwards = is_second;
    for (uint32_t k = 0; k < CALLS_WORLDS; k++) {
        calls_world *w = &s->worlds[k];
        w->world = NULL;
        w->in_use = 0;
        memset(w->handles, 0, sizeof w->handles);
        memset(w->links, 0, sizeof w->links);
        memset(w->bodies, 0, sizeof w->bodies);
    }
    s->cache.cache = NULL;
    memset(&s->cache.source, 0, sizeof s->cache.source);
    s->clip.player = NULL;
    s->clip.timeline = NULL;
    s->query.query = NULL;
    memset(&s->query.cursor, 0, sizeof s->query.cursor);
    memset(s->query.found, 0, sizeof s->query.found);
    memset(&s->query.region, 0, sizeof s->query.region);
    memset(&s->query.ray, 0, sizeof s->query.ray);
    s->query.capacity = s->query.in_use = 0;
    s->query.is_nearest = false;
    s->light.is_begun = s->light.has_patches = false;
    memset(&s->light.patches, 0, sizeof s->light.patches);
    memset(s->light.patch_memory, 0, sizeof s->light.patch_memory);
    memset(&s->light.shadow, 0, sizeof s->light.shadow);
    memset(s->light.lights, 0, sizeof s->light.lights);
    memset(&s->clip.storage, 0, sizeof s->clip.storage);
    calls_clip_open(s, clip_size ? clip : NULL, clip_size);
}

/* Under MemorySanitizer: no byte of a block comes from uninitialised memory. */
static void check_initialised(const calls_sequence *s)
{
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
    calls_object objects[6];
    for (uint32_t k = objects_of(s, objects); k > 0; k--)
        __msan_check_mem_is_initialized(objects[k - 1u].bytes, objects[k - 1u].size);
#endif
#endif
    (void)s;
}

/* Runs a sequence up to call `stop_at`. The second run uses other memory and is compared with the
   first. Returns the first call after which the blocks differ. */
static uint32_t run(uint64_t seed, bool is_second)
{
    sequence_begin(&sequence, seed, is_second);
    for (sequence.step = 0; sequence.step < stop_at; sequence.step++) {
        run_step(&sequence);
        check_initialised(&sequence);
        uint64_t mark = mark_of(&sequence);
        if (!is_second) marks[sequence.step] = mark;
        if (marks[sequence.step] != mark) return sequence.step;
    }
    return CALLS_STEPS;
}

/* Prints where the blocks of both runs differ after call `step`. */
static void print_difference(uint64_t seed, uint32_t step)
{
    calls_object first[6], second[6];
    stop_at = step + 1u;
    uint64_t mark = marks[step];
    (void)run(seed, false);
    if (mark != marks[step])
        printf("seed %llu, call %u: a third run differs from the first\n", (unsigned long long)seed,
               step);
    uint32_t count = objects_of(&sequence, first);
    for (uint32_t k = 0; k < count; k++) {
        unsigned char *copy = malloc(first[k].size);
        if (!copy) return;
        memcpy(copy, first[k].bytes, first[k].size);
        first[k].bytes = copy;
    }
    (void)run(seed, true);
    if (objects_of(&sequence, second) != count) return;
    for (uint32_t k = 0; k < count; k++)
        for (size_t at = 0; at < first[k].size && at < second[k].size; at++)
            if (first[k].bytes[at] != second[k].bytes[at]) {
                printf("seed %llu, call %u: equal calls leave other bytes in a %s, the first at "
                       "%zu of %zu\n",
                       (unsigned long long)seed, step, first[k].name, at, first[k].size);
                break;
            }
}

static bool run_twice(uint64_t seed)
{
    stop_at = CALLS_STEPS;
    if (setjmp(broken)) {
        printf("seed %llu: broken\n", (unsigned long long)seed);
        return false;
    }
    (void)run(seed, false);
    uint64_t fold = sequence.fold;
    printf("%llu %016llx\n", (unsigned long long)seed, (unsigned long long)fold);
    fflush(stdout);
    uint32_t step = run(seed, true);
    if (step == CALLS_STEPS && fold == sequence.fold) return true;
    print_difference(seed, step < CALLS_STEPS ? step : CALLS_STEPS - 1u);
    printf("seed %llu: equal calls had other results or blocks\n", (unsigned long long)seed);
    return false;
}

static void open_all(void)
{
    for (uint32_t k = 0; k < CALLS_WORLDS; k++)
        for (uint32_t r = 0; r < 2; r++) room_open(&sequence.worlds[k].room[r]);
    for (uint32_t r = 0; r < 2; r++) {
        room_open(&sequence.cache.room[r]);
        room_open(&sequence.clip.player_room[r]);
        room_open(&sequence.clip.timeline_room[r]);
        room_open(&sequence.query.room[r]);
    }
    room_open(&sequence.light.room);
    sequence.values = malloc((size_t)TP_STREAMS_MAX * CALLS_PARTICLES * 4u * sizeof(float));
    sequence.clip.bytes = malloc(sizeof clip);
    if (!sequence.values || !sequence.clip.bytes) exit(2);
}

/* Worlds that share a budget. Jobs run their parts last to first. */
static bool run_shares(uint64_t seed, bool has_jobs)
{
    if (setjmp(broken)) {
        printf("seed %llu: broken\n", (unsigned long long)seed);
        return false;
    }
    sequence_begin(&sequence, seed, true);
    calls_on_shares(&sequence, has_jobs);
    printf("%llu %016llx\n", (unsigned long long)seed, (unsigned long long)sequence.fold);
    return true;
}

int main(int count, char **words)
{
    uint32_t at = 1, bad = 0;
    double limit = 1e9; /* s of processor time */
    bool has_shares = false, has_jobs = false;
    if (count == 3 && (strcmp(words[1], "-w") == 0 || strcmp(words[1], "-r") == 0))
        return !calls_move_blocks(words[2], words[1][1] == 'w');
    for (; at < (uint32_t)count && words[at][0] == '-'; at++) {
        if (strcmp(words[at], "-v") == 0) sequence.is_verbose = true;
        if (strcmp(words[at], "-s") == 0) has_shares = true;
        if (strcmp(words[at], "-j") == 0) has_shares = has_jobs = true;
        if (strcmp(words[at], "-t") == 0 && at + 1u < (uint32_t)count) limit = atof(words[++at]);
    }
    if ((uint32_t)count < at + 2u) {
        fputs("usage: calls [-v] [-s | -j] [-t SECONDS] FIRST COUNT [CLIP]\n"
              "  -s  sets of large worlds that share budgets    -j  the same with jobs\n"
              "  -w FILE  writes blocks in the middle of steps    -r FILE  goes on with them\n",
              stderr);
        return 2;
    }
    if ((uint32_t)count > at + 2u) {
        FILE *file = fopen(words[at + 2u], "rb");
        if (!file) return 2;
        clip_size = fread(clip, 1, sizeof clip, file);
        fclose(file);
    }
    open_all();
    uint64_t first = strtoull(words[at], NULL, 10), sequences = strtoull(words[at + 1u], NULL, 10);
    for (uint64_t k = 0; k < sequences && (double)clock() < limit * CLOCKS_PER_SEC; k++)
        bad += has_shares ? !run_shares(first + k, has_jobs) : !run_twice(first + k);
    return bad ? 1 : 0;
}
