/* SPDX-License-Identifier: MIT
   host_tools/commands/bench.c - `tidepool bench`: times of the runtime and of a reference program;
           published times.
   reads   -      writes  standard output
   memory  one world at a time      cost    some seconds
   after   own design; figures of other programs state the machine that they were measured on */
#include "bench.h"
#include "../common/loop.h"
#include "../common/threads.h"
#include "../common/words.h"
#include "commands.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char help_bench[] =
    "usage: tidepool bench [NAME [PATH...]] [--particles N] [--steps N] [--neighbours 13|26] "
    "[--compact]\n"
    "                      [--dimensions 2|3] [--threads N] [--lanes 4|8|16] [--seed N] [--json]\n"
    "                      [--settling N] [--repeats N] [--scaling FILE.svg] [--compare "
    "NAME=PROGRAM]...\n"
    "                      [--rounds N] [--time-limit SECONDS] [--fluid F] [--slice UNITS]\n"
    "                      [--frame-steps N[-M]] [--dam]\n"
    "\n"
    "Measures nanoseconds per particle and step. Without NAME all benchmarks run.\n"
    "\n"
    "  NAME    measures\n"
    "  grid    building the grid and finding all pairs within a radius: random points, 30 "
    "neighbours\n"
    "  sph2d   a fluid (double-density relaxation) that settles in a tank, 2D\n"
    "  sph3d   the same in 3D\n"
    "  lj      a Lennard-Jones melt in a periodic box\n"
    "  cloth   a square sheet that swings from a side; also in plain scalar C, with "
    "self-collision,\n"
    "          and at rest in folds on a floor, where it settles for 3000 steps or more\n"
    "  vortex  a thick vortex ring of 4096 vortons with smoke, by a grid of 33 x 33 x 33; and by "
    "sums\n"
    "          over 256 vortons, also in plain scalar C\n"
    "  bphys   codecs and conversions of point caches\n"
    "  cache   clips with errors of 1e-3 and 1e-4 of the box: bytes, time to read, time to "
    "encode.\n"
    "          Compares with plain compression: rounded, second differences, byte planes, zstd.\n"
    "          PATHs are sequences (see convert). Without PATH: bouncing points, a sloshing "
    "fluid,\n"
    "          and all shipped scenes.\n"
    "\n"
    "  --particles N      Particles (default: sph2d 3000, sph3d 20000, lj 32000, cloth 10000,\n"
    "                     vortex 54096, grid and bphys 100000).\n"
    "                     cache: largest number of points of each sequence (default 2000).\n"
    "  --steps N          Steps to measure (default: as many as a benchmark has, at least 60 of a\n"
    "                     large world). grid: rounds, at most 64. bphys: frames.\n"
    "  --settling N       Steps that run before (default: half as many as are measured).\n"
    "  --repeats N        Measure the same steps N times, 1 to 64, from copies of one state, and "
    "take\n"
    "                     the least times (default 1). Not for grid, bphys and cache.\n"
    "  --neighbours N     2D kernel for 13 or 26 neighbours (default 26). 13: as some other "
    "programs.\n"
    "  --fluid F          sph2d and sph3d: double_density, one step per frame (default), or\n"
    "                     incompressible, the default of the runtime.\n"
    "  --frame-steps N[-M] incompressible: 5 cm apart, frames of 1/60 s of N sub-steps, "
    "up\n"
    "                     to M where the flow needs them. --steps and --settling count frames.\n"
    "  --dam              sph2d, sph3d: the block breaks into a tank 1.5 times as wide.\n"
    "  --compact          Find neighbours again in each pass instead of storing them.\n"
    "  --dimensions D     grid only: 2 or 3 (default 3).\n"
    "  --threads N        Threads for the stages that visit pairs, 1 to 16 (default 1).\n"
    "  --lanes N          Vectors of at most N numbers: 4 (SSE2), 8 (AVX2) or 16 (AVX-512).\n"
    "                     Default: the widest of this machine. No result depends on it.\n"
    "  --slice UNITS      Largest slice, 64 to 65536 (default 2048). Long ones take fewer "
    "instructions.\n"
    "  --seed N           Seed of all random numbers (default 1).\n"
    "  --scaling FILE.svg Table and curve of 1000 to 1000000 (or --particles N) particles: "
    "minutes.\n"
    "  --compare NAME=PROGRAM\n"
    "                     Run another program and the benchmark in turn, and print the ratio of "
    "times.\n"
    "                     NAME is lammps (with lj; `--compare lammps` runs lmp), liquidfun or "
    "article\n"
    "                     (sph2d), treensearch (grid), bullet (cloth), or any name after a "
    "benchmark.\n"
    "                     PROGRAM is called with PARTICLES STEPS SETTLING, and prints\n"
    "                     ns_per_particle_step VALUE; see\n"
    "                     runtime/guide/measuring.md. May be repeated, 8 times at most.\n"
    "  --rounds N         Rounds of --compare, 1 to 64 (default 5).\n"
    "  --time-limit S     Seconds that one run of another program may last (default 600).\n"
    "  --json             Print one JSON object per benchmark or comparison.\n"
    "\n"
    "example: tidepool bench sph2d --particles 10000 --steps 200\n";

enum {
    BENCH_PARTICLES,
    BENCH_STEPS,
    BENCH_SETTLING,
    BENCH_REPEATS,
    BENCH_NEIGHBOURS,
    BENCH_COMPACT,
    BENCH_FLUID,
    BENCH_FRAME_STEPS,
    BENCH_DAM,
    BENCH_DIMENSIONS,
    BENCH_THREADS,
    BENCH_SCALING,
    BENCH_SEED,
    BENCH_LANES,
    BENCH_SLICE,
    BENCH_ROUNDS,
    BENCH_LIMIT,
    BENCH_JSON,
    BENCH_QUIET,
    BENCH_COMPARE, /* BENCH_PEERS_MAX rows: may be repeated */
    BENCH_OPTIONS = BENCH_COMPARE + (int)BENCH_PEERS_MAX
};

#define BENCH_PATHS 64u

const char *const bench_names[BENCH_NAMES] = {"grid", "sph2d", "sph3d", "lj", "cloth", "vortex"};

static bool is_in(const char *word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, list[i]) == 0) return true;
    return false;
}

/* Benchmarks of files have no worlds, so no stages and no scaling. */
static bool is_files(const char *name)
{
    return strcmp(name, "bphys") == 0 || strcmp(name, "cache") == 0;
}

static int check_name(const char *name)
{
    if (!name || is_in(name, bench_names, BENCH_NAMES) || is_files(name)) return HOST_DONE;
    const char *nearest = words_nearest(name, bench_names, BENCH_NAMES);
    return host_error(
        HOST_USAGE, "bench", HOST_NO_OFFSET,
        "no benchmark '%s'; allowed: grid, sph2d, sph3d, lj, cloth, vortex, bphys, cache%s%s%s",
        name, nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static int read_count(const host_option *option, uint32_t low, uint32_t high, uint32_t *value)
{
    if (!option->value) return HOST_DONE;
    if (host_parse_u32(option->value, value) && *value >= low && *value <= high) return HOST_DONE;
    return host_error(HOST_USAGE, "bench", HOST_NO_OFFSET, "--%s %s: allowed: %u to %u",
                      option->name, option->value, low, high);
}

static int read_fluid(const host_option *options, bench_plan *plan)
{
    const char *fluid = options[BENCH_FLUID].value;
    plan->is_incompressible = fluid && strcmp(fluid, "incompressible") == 0;
    if (fluid && !plan->is_incompressible && strcmp(fluid, "double_density") != 0)
        return host_error(HOST_USAGE, "bench", HOST_NO_OFFSET,
                          "--fluid %s: allowed: double_density or incompressible", fluid);
    if (plan->is_incompressible && options[BENCH_NEIGHBOURS].value)
        return host_error(HOST_USAGE, "bench", HOST_NO_OFFSET,
                          "--neighbours is of double_density: omit it, or --fluid incompressible");
    return HOST_DONE;
}

/* N or N-M. */
static int read_frame_steps(const host_option *options, bench_plan *plan)
{
    const char *text = options[BENCH_FRAME_STEPS].value;
    char first[8] = "";
    if (!text) return HOST_DONE;
    size_t length = strcspn(text, "-");
    memcpy(first, text, length < sizeof first ? length : sizeof first - 1);
    bool is_good = host_parse_u32(first, &plan->frame_steps);
    plan->frame_steps_most = plan->frame_steps;
    if (text[length])
        is_good = is_good && host_parse_u32(text + length + 1, &plan->frame_steps_most);
    if (!is_good || plan->frame_steps < 1 || plan->frame_steps_most < plan->frame_steps ||
        plan->frame_steps_most > 100)
        return host_error(HOST_USAGE, "bench", HOST_NO_OFFSET,
                          "--frame-steps %s: allowed: N or N-M, 1 to 100", text);
    if (!plan->is_incompressible)
        return host_error(HOST_USAGE, "bench", HOST_NO_OFFSET,
                          "--frame-steps needs --fluid incompressible");
    return HOST_DONE;
}

static int read_plan(const host_option *options, bench_plan *plan)
{
    const char *neighbours = options[BENCH_NEIGHBOURS].value;
    plan->seed = 1;
    plan->is_compact = options[BENCH_COMPACT].value != NULL;
    plan->is_dam = options[BENCH_DAM].value != NULL;
    int code = read_count(&options[BENCH_PARTICLES], 16, 16777215, &plan->particles);
    if (!code) code = read_count(&options[BENCH_STEPS], 1, 1000000, &plan->steps);
    if (!code) code = read_count(&options[BENCH_SETTLING], 1, 1000000, &plan->settling);
    if (!code) code = read_count(&options[BENCH_REPEATS], 1, BENCH_ROUNDS_MAX, &plan->repeats);
    if (!code) code = read_count(&options[BENCH_SEED], 0, UINT32_MAX, &plan->seed);
    if (!code) code = read_count(&options[BENCH_DIMENSIONS], 2, 3, &plan->dimensions);
    if (!code) code = read_count(&options[BENCH_NEIGHBOURS], 13, 26, &plan->neighbours);
    if (!code && neighbours && plan->neighbours != 13 && plan->neighbours != 26)
        code = host_error(HOST_USAGE, "bench", HOST_NO_OFFSET, "--neighbours %s: allowed: 13 or 26",
                          neighbours);
    if (!code) code = read_fluid(options, plan);
    if (!code) code = read_frame_steps(options, plan);
    if (!code) code = read_count(&options[BENCH_SLICE], 64, 65536, &plan->slice);
    if (!code) code = read_count(&options[BENCH_LANES], 4, 16, &plan->lanes);
    if (!code && plan->lanes & (plan->lanes - 1))
        code = host_error(HOST_USAGE, "bench", HOST_NO_OFFSET, "--lanes %s: allowed: 4, 8 or 16",
                          options[BENCH_LANES].value);
    return code;
}

/* ---- one benchmark */

static uint32_t or_default(uint32_t wanted, uint32_t otherwise)
{
    return wanted ? wanted : otherwise;
}

/* Large worlds take fewer steps, so that a run takes seconds, and a tall tank does not give way
   under its own weight while it is measured. */
static uint32_t usual_steps(uint32_t steps, uint32_t particles)
{
    uint32_t fit = BENCH_PARTICLE_STEPS / particles;
    if (fit < BENCH_STEPS_LEAST) fit = BENCH_STEPS_LEAST;
    return steps < fit ? steps : fit;
}

bench_plan bench_plan_of(const char *name, const bench_plan *wanted)
{
    static const struct {
        uint32_t dimensions, particles, steps;
    } defaults[BENCH_NAMES] = {{3, 100000, 9},  {2, 3000, 400},  {3, 20000, 60},
                               {3, 32000, 100}, {3, 10000, 300}, {3, 54096, 100}};
    uint32_t at = 0;
    bench_plan plan = *wanted;
    while (strcmp(bench_names[at], name) != 0) at++;
    plan.name = bench_names[at];
    plan.dimensions = at ? defaults[at].dimensions : or_default(wanted->dimensions, 3);
    plan.particles = or_default(wanted->particles, defaults[at].particles);
    plan.steps = or_default(wanted->steps, usual_steps(defaults[at].steps, plan.particles));
    if (!at && plan.steps > BENCH_ROUNDS_MAX) plan.steps = BENCH_ROUNDS_MAX;
    plan.neighbours = or_default(wanted->neighbours, 26);
    plan.vortons = or_default(wanted->vortons, 4096);
    if (!wanted->settling) plan.settling = plan.is_dam ? 0 : plan.steps / 2;
    return plan;
}

uint32_t bench_lanes(const bench_plan *plan) { return stage_lanes(plan->lanes); }

static void result_of_search(const bench_plan *plan, const bench_search *search,
                             bench_result *result)
{
    *result = (bench_result){.particles = plan->particles,
                             .steps = plan->steps,
                             .lanes = bench_lanes(plan),
                             .has_hash = true};
    result->seconds = search->total_ns * 1e-9 * plan->particles * plan->steps;
    result->ns_per_particle_step = result->median_ns = search->total_ns;
    result->worst_ns = search->worst_ns;
    result->neighbours = search->neighbours;
    result->memory_bytes = search->memory_bytes;
    result->state_hash = search->state_hash;
    for (int s = 0; s < 2; s++) {
        result->stage_ns[TP_STAGE_GRID + s] = search->stage_ns[s];
        result->stage_bytes[TP_STAGE_GRID + s] = search->stage_bytes[TP_STAGE_GRID + s];
    }
}

static bool is_grid(const bench_plan *plan) { return strcmp(plan->name, "grid") == 0; }

int bench_run(const char *name, const bench_plan *wanted, bench_plan *plan, bench_result *result)
{
    bench_search search;
    *plan = bench_plan_of(name, wanted);
    if (strcmp(plan->name, "lj") == 0) return bench_melt(plan, result);
    if (strcmp(plan->name, "cloth") == 0) return bench_cloth(plan, result);
    if (strcmp(plan->name, "vortex") == 0) return bench_vortex(plan, result);
    if (!is_grid(plan)) return bench_world(plan, result);
    int code = bench_grid(plan, &search, 1);
    if (!code) result_of_search(plan, &search, result);
    return code;
}

/* Rates of a step, and its memory traffic. */
typedef struct bench_rates {
    double pairs, bytes, bytes_a_second; /* bytes: per particle and step */
} bench_rates;

static bench_rates rates_of(const bench_result *result)
{
    bench_rates rates = {0};
    /* particle-steps per second */
    double ns = result->ns_per_particle_step, steps = ns > 0 ? 1e9 / ns : 0;
    for (int s = 0; s < TP_WORLD_STAGES; s++) rates.bytes += result->stage_bytes[s];
    rates.pairs = steps * result->neighbours / 2;
    rates.bytes_a_second = steps * rates.bytes;
    return rates;
}

static void print_json_stages(const bench_result *result)
{
    bool is_first = true;
    fputs(", \"stage_ns\": {", stdout);
    for (int s = 0; s < TP_WORLD_STAGES; s++) {
        if (!(result->stage_ns[s] > 0)) continue;
        printf("%s\"%s\": %.3f", is_first ? "" : ", ", tp_stage_name((tp_stage)s),
               result->stage_ns[s]);
        is_first = false;
    }
    fputs("}", stdout);
}

static void print_json_cases(const bench_search *rows)
{
    fputs(", \"cases\": [", stdout);
    for (int r = 0; r < BENCH_SEARCHES; r++)
        printf("%s{\"name\": \"%s\", \"ns_per_particle_step\": %.3f, \"build_ns\": %.3f, "
               "\"ns_per_pair\": "
               "%.3f, \"neighbours\": %.2f, \"left_out\": %" PRIu64
               ", \"bytes_per_particle\": %.1f, \"search_bytes_per_particle\": %.1f}",
               r ? ", " : "", rows[r].name, rows[r].total_ns, rows[r].build_ns, rows[r].pair_ns,
               rows[r].neighbours, rows[r].crowded, rows[r].memory_a_point, rows[r].search_a_point);
    fputs("]", stdout);
}

static void print_json(const bench_plan *plan, const bench_result *result,
                       const bench_bandwidth *machine, const bench_search *rows)
{
    bench_rates rates = rates_of(result);
    printf("{\"name\": \"%s\", \"particles\": %u, \"steps\": %u, \"seconds\": %.6f, "
           "\"ns_per_particle_step\": %.3f, "
           "\"median_ns\": %.3f, \"worst_ns\": %.3f, \"state_hash\": ",
           plan->name, result->particles, result->steps, result->seconds,
           result->ns_per_particle_step, result->median_ns, result->worst_ns);
    if (result->has_hash)
        printf("\"%016" PRIx64 "\"", result->state_hash);
    else
        fputs("null", stdout);
    printf(", \"neighbours\": %.2f, \"memory_bytes\": %zu", result->neighbours,
           result->memory_bytes);
    printf(", \"threads\": %u, \"lanes\": %u, \"pairs_per_second\": %.0f, \"bytes_touched\": %.1f, "
           "\"gb_per_second\": %.3f",
           plan->jobs ? plan->jobs->workers : 1u, result->lanes, rates.pairs, rates.bytes,
           rates.bytes_a_second * 1e-9);
    printf(", \"triad_gb_per_second\": %.3f, \"copy_gb_per_second\": %.3f", machine->triad * 1e-9,
           machine->copy * 1e-9);
    if (plan->frame_steps)
        printf(", \"frame_ms\": %.4f, \"worst_frame_ms\": %.4f", result->frame_ms,
               result->worst_frame_ms);
    if (result->strain > 0)
        printf(", \"strain\": %.6f, \"strain_largest\": %.6f", result->strain,
               result->strain_largest);
    print_json_stages(result);
    if (rows) print_json_cases(rows);
    puts("}");
}

static void print_head(void)
{
    printf("%-24s %9s %7s %10s %10s %10s %9s %9s %8s\n", "ns per particle and step", "particles",
           "steps", "mean", "median", "worst", "neighb.", "B/part.", "vectors");
}

static void print_row(const char *name, const bench_result *result)
{
    printf("%-24s %9u %7u %10.1f %10.1f %10.1f %9.1f %9.0f", name, result->particles, result->steps,
           result->ns_per_particle_step, result->median_ns, result->worst_ns, result->neighbours,
           (double)result->memory_bytes / result->particles);
    if (result->lanes)
        printf(" %8u\n", result->lanes);
    else
        printf(" %8s\n", "-");
}

/* Time and bytes per stage, and the total compared with the bandwidth of the machine. */
static void print_stages(const bench_result *result, const bench_bandwidth *machine)
{
    bench_rates rates = rates_of(result);
    double whole = 0;
    for (int s = 0; s < TP_WORLD_STAGES; s++) whole += result->stage_ns[s];
    const bool has_bytes = rates.bytes > 0;
    printf("    %-10s %8s %7s", "stage", "ns", "share");
    puts(has_bytes ? "    bytes    GB/s" : "");
    for (int s = 0; s < TP_WORLD_STAGES; s++) {
        double ns = result->stage_ns[s], bytes = result->stage_bytes[s];
        if (ns < 0.05) continue;
        printf("    %-10s %8.1f %5.1f %%", tp_stage_name((tp_stage)s), ns, 100 * ns / whole);
        if (has_bytes) printf(" %8.0f %7.2f", bytes, bytes / ns);
        puts("");
    }
    if (!has_bytes) return;
    fputs("    ", stdout);
    if (rates.pairs > 0) printf("%.1f million pairs per second; ", rates.pairs * 1e-6);
    printf("%.0f bytes touched: %.2f GB/s, %.0f %% of the triad\n", rates.bytes,
           rates.bytes_a_second * 1e-9,
           machine->triad > 0 ? 100 * rates.bytes_a_second / machine->triad : 0);
}

static void print_searches(const bench_plan *plan, const bench_search *rows)
{
    printf("%-25s %9s %7s %10s %10s %10s %9s %9s %9s\n", "ns per point", "points", "rounds",
           "total", "build", "ns/pair", "neighb.", "B/point", "search B");
    for (int r = 0; r < BENCH_SEARCHES; r++) {
        printf("grid %uD %-17s %9u %7u %10.1f %10.1f %10.2f %9.1f %9.0f %9.0f", plan->dimensions,
               rows[r].name, plan->particles, plan->steps, rows[r].total_ns, rows[r].build_ns,
               rows[r].pair_ns, rows[r].neighbours, rows[r].memory_a_point, rows[r].search_a_point);
        if (rows[r].crowded)
            printf("  %" PRIu64 " points ignored because of cell_max", rows[r].crowded);
        puts("");
    }
}

static void print_machine(const bench_plan *wanted, const bench_bandwidth *machine)
{
    printf("\nthis machine, one thread, arrays of 32 MiB: triad %.1f GB/s, copy %.1f GB/s; steps "
           "run on %u "
           "thread%s, with vectors of %u numbers\n",
           machine->triad * 1e-9, machine->copy * 1e-9, wanted->jobs ? wanted->jobs->workers : 1u,
           wanted->jobs ? "s" : "", bench_lanes(wanted));
    puts(wanted->jobs ? "times: wall clock; other programs on the machine count"
                      : "times: processor time; other programs on the machine count only through "
                        "shared caches");
    puts("bytes: each array counts once per pass that reads it and once per pass that writes it. "
         "Reads of\n"
         "neighbours' values do not count: they hit a processor cache. A list counts 4 bytes per "
         "pair.\n"
         "search B: bytes per point of the table, the order, the counts and the list");
}

/* ---- comparison with other programs */

typedef struct bench_peer {
    const char *program, *scene, *figure;
} bench_peer;

static const bench_peer peers[] = {
    {"published 2D program", "3 000 particles, 26.5 neighbours", "1140"},
    {"LiquidFun (2D)", "2 000 to 20 066 particles, 6 to 7.5 contacts", "335-362"},
    {"SPlisHSPlasH, WCSPH (3D)", "91 125 particles, AVX2", "3660"},
    {"SPlisHSPlasH, DFSPH (3D)", "91 125 particles, AVX2", "4670"},
    {"SPlisHSPlasH, PBF (3D)", "91 125 particles, AVX2", "8570"},
};

static void print_peers(void)
{
    puts("\nmeasured on another machine: 2-core Xeon Cascade Lake, 2.5 GHz, gcc 12.2 -O3 "
         "-march=native, one\n"
         "thread. Absolute figures depend on the machine; compare ratios, such as yardstick / ours "
         "of sph2d");
    printf("%-26s %-46s %10s\n", "program", "scene", "ns/p/step");
    for (size_t i = 0; i < sizeof peers / sizeof peers[0]; i++)
        printf("%-26s %-46s %10s\n", peers[i].program, peers[i].scene, peers[i].figure);
}

/* The runtime runs a second time, directly before the yardstick, which continues from the same
   settled state. The smaller of both medians is used: it is least affected if the machine changes
   its speed. */
static int print_yardstick(const bench_plan *wanted, const bench_result *before)
{
    bench_result article, after;
    bench_plan plan = *wanted;
    plan.state = host_allocate(plan.particles, 4 * sizeof *plan.state);
    if (!plan.state) return host_out_of_memory("a benchmark");
    int code = bench_world(&plan, &after);
    if (!code) code = bench_article(&plan, &article);
    free(plan.state);
    if (code) return code;
    print_row("  yardstick, same start", &article);
    double ours = before->median_ns < after.median_ns ? before->median_ns : after.median_ns;
    if (!(ours > 0) || !(article.neighbours > 0)) return HOST_DONE;
    printf("    yardstick / ours, medians of this run: %.2f per particle and step, %.2f per "
           "neighbour\n",
           article.median_ns / ours,
           article.median_ns / ours * after.neighbours / article.neighbours);
    return HOST_DONE;
}

static void print_strains(const bench_result *result)
{
    printf("    strain of edges: mean %.5f, largest %.4f\n", result->strain,
           result->strain_largest);
}

static int print_plain_cloth(const bench_plan *plan, const bench_result *ours)
{
    bench_result plain;
    int code = bench_plain_cloth(plan, &plain);
    if (code) return code;
    print_row("  plain scalar C", &plain);
    print_strains(&plain);
    if (ours->median_ns > 0)
        printf("    plain / ours, medians of this run: %.2f per node and step\n",
               plain.median_ns / ours->median_ns);
    return HOST_DONE;
}

/* Rows of other sheets, which compare self-collision and integrators. */
static int print_sheets(const bench_plan *swinging)
{
    static const struct {
        const char *name;
        bool is_thick, is_folded, is_implicit;
    } rows[] = {{"  with self-collision", true, false, false},
                {"  in folds", false, true, false},
                {"  in folds, with it", true, true, false},
                {"  implicit, 60 Hz", false, false, true}};
    int code = HOST_DONE;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0] && !code; r++) {
        bench_result result;
        bench_plan plan = *swinging;
        plan.is_thick = rows[r].is_thick, plan.is_folded = rows[r].is_folded;
        plan.is_implicit = rows[r].is_implicit;
        code = bench_cloth(&plan, &result);
        if (!code) print_row(rows[r].name, &result);
    }
    return code;
}

static void print_frame(const bench_result *result)
{
    printf("    %.2f ms a frame, worst %.2f\n", result->median_ns * result->particles * 1e-6,
           result->worst_ns * result->particles * 1e-6);
}

/* The ring of a published program's figure, and sums beside plain ones. */
static int print_rings(const bench_plan *first, const bench_result *of_first)
{
    bench_result result, plain;
    bench_plan plan = *first;
    print_frame(of_first);
    plan.vortons = 1248, plan.particles = 1248 + 55296;
    int code = bench_vortex(&plan, &result);
    if (code) return code;
    print_row("  1248 vortons", &result);
    print_frame(&result);
    plan.vortons = 256, plan.particles = 256 + 2000, plan.is_summed = true;
    code = bench_vortex(&plan, &result);
    if (!code) print_row("  sums over 256 vortons", &result);
    if (code || plan.jobs) return code;
    code = bench_plain_vortex(&plan, &plain);
    if (code) return code;
    print_row("  plain scalar C", &plain);
    if (result.median_ns > 0)
        printf("    plain / ours, medians of this run: %.2f per particle and step\n",
               plain.median_ns / result.median_ns);
    return HOST_DONE;
}

static int run_grid(const bench_plan *wanted, const bench_bandwidth *machine, bool is_json)
{
    bench_search rows[BENCH_SEARCHES];
    bench_result result;
    bench_plan plan = bench_plan_of("grid", wanted);
    int code = bench_grid(&plan, rows, BENCH_SEARCHES);
    if (code) return code;
    result_of_search(&plan, &rows[0], &result);
    if (is_json) {
        print_json(&plan, &result, machine, rows);
        return HOST_DONE;
    }
    print_searches(&plan, rows);
    print_stages(&result, machine);
    return HOST_DONE;
}

static int run_steps(const char *name, const bench_plan *wanted, const bench_bandwidth *machine,
                     bool is_json)
{
    bench_plan plan;
    bench_result result;
    int code = bench_run(name, wanted, &plan, &result);
    if (code) return code;
    if (is_json) {
        print_json(&plan, &result, machine, NULL);
        return HOST_DONE;
    }
    print_head();
    print_row(name, &result);
    print_stages(&result, machine);
    if (plan.frame_steps && strncmp(name, "sph", 3) == 0)
        printf("    %.2f ms a frame, worst %.2f; %.2f steps\n", result.frame_ms,
               result.worst_frame_ms, (double)result.steps / plan.steps);
    if (strcmp(name, "cloth") == 0) print_strains(&result);
    if (strcmp(name, "cloth") == 0) code = print_sheets(&plan);
    if (strcmp(name, "vortex") == 0) return print_rings(&plan, &result);
    if (code || wanted->jobs) return code; /* the other programs run with one thread */
    if (strcmp(name, "sph2d") == 0 && !plan.is_incompressible && !plan.is_dam)
        return print_yardstick(&plan, &result);
    if (strcmp(name, "cloth") == 0) return print_plain_cloth(&plan, &result);
    return HOST_DONE;
}

static int run_all(const char *name, const bench_plan *wanted, bool is_json)
{
    int code = HOST_DONE;
    bench_bandwidth machine = bench_measure_bandwidth();
    for (size_t i = 0; i < BENCH_NAMES && !code; i++) {
        if (name && strcmp(name, bench_names[i]) != 0) continue;
        if (!is_json && i && !name) puts("");
        code = i ? run_steps(bench_names[i], wanted, &machine, is_json)
                 : run_grid(wanted, &machine, is_json);
    }
    if (!is_json && !name && !code) puts("");
    if (!name && !code) code = bench_bphys(wanted, is_json);
    if (!is_json && !name && !code) puts("");
    if (!name && !code) code = bench_cache(wanted, NULL, 0, is_json);
    if (is_json || code) return code;
    print_machine(wanted, &machine);
    if (!name || strncmp(name, "sph", 3) == 0) print_peers();
    return HOST_DONE;
}

/* ---- the command */

static int refused(const char *what)
{
    return host_error(HOST_USAGE, "bench", HOST_NO_OFFSET, "%s", what);
}

/* Options that do not go together. */
static int check_options(const char *name, const host_option *options)
{
    bool compares = options[BENCH_COMPARE].value, has_files = name && is_files(name);
    if (!compares && options[BENCH_ROUNDS].value) return refused("--rounds needs --compare");
    if (options[BENCH_REPEATS].value && (compares || options[BENCH_SCALING].value))
        return refused(
            "--repeats does not go with --compare or --scaling, which repeat on their own");
    if (options[BENCH_REPEATS].value && (has_files || (name && strcmp(name, "grid") == 0)))
        return refused("grid, bphys and cache have no --repeats");
    if (!compares && options[BENCH_LIMIT].value) return refused("--time-limit needs --compare");
    if (options[BENCH_FLUID].value && name && strncmp(name, "sph", 3) != 0)
        return refused("--fluid is for sph2d and sph3d");
    if (options[BENCH_DAM].value && (!name || strncmp(name, "sph", 3) != 0))
        return refused("--dam is for sph2d and sph3d");
    if ((options[BENCH_DAM].value || options[BENCH_FRAME_STEPS].value) &&
        (compares || options[BENCH_SCALING].value))
        return refused("--dam and --frame-steps do not go with --compare or --scaling");
    if (has_files && options[BENCH_LANES].value) return refused("bphys and cache have no --lanes");
    if (has_files && options[BENCH_SLICE].value) return refused("bphys and cache have no --slice");
    if (!compares) return HOST_DONE;
    if (has_files) return refused("bphys and cache have no --compare");
    if (options[BENCH_SCALING].value) return refused("--compare and --scaling: give one of them");
    if (options[BENCH_THREADS].value && strcmp(options[BENCH_THREADS].value, "1") != 0)
        return refused("--compare measures one thread: omit --threads");
    return HOST_DONE;
}

static int run_compare(const char *name, const bench_plan *plan, const host_option *options)
{
    const char *texts[BENCH_PEERS_MAX];
    uint32_t count = 0, limit = 600;
    bench_rounds rounds = {.count = 5, .is_json = options[BENCH_JSON].value != NULL};
    rounds.is_quiet = rounds.is_json || options[BENCH_QUIET].value;
    int code = read_count(&options[BENCH_ROUNDS], 1, BENCH_ROUNDS_MAX, &rounds.count);
    if (!code) code = read_count(&options[BENCH_LIMIT], 1, 86400, &limit);
    if (code) return code;
    rounds.seconds = limit;
    for (; count < BENCH_PEERS_MAX && options[BENCH_COMPARE + count].value; count++)
        texts[count] = options[BENCH_COMPARE + count].value;
    return bench_compare(name, plan, texts, count, &rounds);
}

/* `names`: the benchmark, followed by paths. */
static int run_command(const char *const *names, size_t count, bench_plan *plan,
                       const host_option *options)
{
    const char *name = count ? names[0] : NULL;
    threads lent;
    bool is_json = options[BENCH_JSON].value != NULL;
    const char *curve = options[BENCH_SCALING].value;
    int code = check_options(name, options);
    if (!code && options[BENCH_COMPARE].value) return run_compare(name, plan, options);
    if (!code) code = threads_open(&lent, "bench", options[BENCH_THREADS].value);
    if (code) return code;
    plan->jobs = threads_jobs(&lent);
    if (name && is_files(name))
        code = curve ? host_error(HOST_USAGE, "bench", HOST_NO_OFFSET, "%s has no --scaling", name)
               : strcmp(name, "cache") == 0 ? bench_cache(plan, names + 1, count - 1, is_json)
                                            : bench_bphys(plan, is_json);
    else
        code = curve ? bench_scaling(name, plan, curve, is_json) : run_all(name, plan, is_json);
    threads_close(&lent);
    return code;
}

int command_bench(int argc, char **argv)
{
    host_option options[BENCH_OPTIONS] = {
        [BENCH_PARTICLES] = {"particles", false, NULL},
        [BENCH_STEPS] = {"steps", false, NULL},
        [BENCH_SETTLING] = {"settling", false, NULL},
        [BENCH_REPEATS] = {"repeats", false, NULL},
        [BENCH_NEIGHBOURS] = {"neighbours", false, NULL},
        [BENCH_COMPACT] = {"compact", true, NULL},
        [BENCH_FLUID] = {"fluid", false, NULL},
        [BENCH_FRAME_STEPS] = {"frame-steps", false, NULL},
        [BENCH_DAM] = {"dam", true, NULL},
        [BENCH_DIMENSIONS] = {"dimensions", false, NULL},
        [BENCH_THREADS] = {"threads", false, NULL},
        [BENCH_SCALING] = {"scaling", false, NULL},
        [BENCH_SEED] = {"seed", false, NULL},
        [BENCH_JSON] = {"json", true, NULL},
        [BENCH_QUIET] = {"quiet", true, NULL},
        [BENCH_LANES] = {"lanes", false, NULL},
        [BENCH_SLICE] = {"slice", false, NULL},
        [BENCH_ROUNDS] = {"rounds", false, NULL},
        [BENCH_LIMIT] = {"time-limit", false, NULL},
    };
    for (uint32_t i = 0; i < BENCH_PEERS_MAX; i++)
        options[BENCH_COMPARE + i] = (host_option){"compare", false, NULL};
    const char *names[BENCH_PATHS + 1] = {NULL};
    size_t count;
    bench_plan plan = {0};
    if (host_help(argc, argv, help_bench)) return HOST_DONE;
    int code =
        host_parse("bench", argc, argv, options, BENCH_OPTIONS, names, BENCH_PATHS + 1, &count);
    if (!code) code = check_name(names[0]);
    if (!code && count > 1 && strcmp(names[0], "cache") != 0)
        code = host_error(HOST_USAGE, "bench", HOST_NO_OFFSET,
                          "one argument too many: %s (see tidepool bench --help)", names[1]);
    if (!code) code = read_plan(options, &plan);
    return code ? code : run_command(names, count, &plan, options);
}
