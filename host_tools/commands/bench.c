/* SPDX-License-Identifier: MIT
   host_tools/commands/bench.c - `tidepool bench`: our times, a yardstick in the same run, and published ones beside them.
   reads   -      writes  standard output
   memory  one world at a time      cost    some seconds
   after   own design; figures of other programs are labelled with the machine that they were measured on */
#include "bench.h"
#include "../common/words.h"
#include "commands.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char help_bench[] =
    "usage: tidepool bench [grid|sph2d|sph3d|lj] [--particles N] [--steps N] [--neighbours 13|26] "
    "[--compact]\n"
    "                      [--seed N] [--json]\n"
    "\n"
    "Times steps of a fluid that settles in a tank, in nanoseconds a particle and step; without a name all "
    "of them.\n"
    "  grid    finding all neighbours: the stages grid and pairs of sph2d\n"
    "  sph2d   double-density fluid in 2D      sph3d   the same in 3D\n"
    "  lj      melt of Lennard-Jones particles in a periodic box; LAMMPS in turn with it, where installed\n"
    "\n"
    "  --particles N      default 3000 (2D), 20000 (3D), 32000 (lj)     --steps N   measured, after half as "
    "many to "
    "settle\n"
    "  --neighbours 13    a smaller kernel in 2D, for programs that find as few (default 26)\n"
    "  --compact          neighbours are found again instead of stored\n"
    "  --json             one object a benchmark\n"
    "\n"
    "example: tidepool bench sph2d --particles 10000 --steps 200\n";

enum {
    BENCH_PARTICLES,
    BENCH_STEPS,
    BENCH_NEIGHBOURS,
    BENCH_COMPACT,
    BENCH_SEED,
    BENCH_JSON,
    BENCH_QUIET,
    BENCH_OPTIONS
};

static const char *const present[] = {"grid", "sph2d", "sph3d", "lj"};
#define PRESENT (sizeof present / sizeof present[0])
static const char *const later[] = {"cloth", "vortex", "cache", "bphys"};

static bool is_in(const char *word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, list[i]) == 0) return true;
    return false;
}

static int check_name(const char *name)
{
    if (!name || is_in(name, present, PRESENT)) return HOST_DONE;
    if (is_in(name, later, 4))
        return host_error(HOST_USAGE, "bench", HOST_NO_OFFSET,
                          "'%s' is not in this version; there are: grid, sph2d, sph3d, lj", name);
    const char *nearest = words_nearest(name, present, PRESENT);
    return host_error(HOST_USAGE, "bench", HOST_NO_OFFSET,
                      "no benchmark '%s'; there are: grid, sph2d, sph3d, lj%s%s%s", name,
                      nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static int read_count(const host_option *option, uint32_t low, uint32_t high, uint32_t *value)
{
    if (!option->value) return HOST_DONE;
    if (host_parse_u32(option->value, value) && *value >= low && *value <= high) return HOST_DONE;
    return host_error(HOST_USAGE, "bench", HOST_NO_OFFSET, "--%s %s: allowed: %u to %u", option->name,
                      option->value, low, high);
}

static int read_plan(const host_option *options, bench_plan *plan)
{
    const char *neighbours = options[BENCH_NEIGHBOURS].value;
    plan->neighbours = 26;
    plan->seed = 1;
    plan->is_compact = options[BENCH_COMPACT].value != NULL;
    int code = read_count(&options[BENCH_PARTICLES], 16, 16777215, &plan->particles);
    if (!code) code = read_count(&options[BENCH_STEPS], 1, 1000000, &plan->steps);
    if (!code) code = read_count(&options[BENCH_SEED], 0, UINT32_MAX, &plan->seed);
    if (!code) code = read_count(&options[BENCH_NEIGHBOURS], 13, 26, &plan->neighbours);
    if (!code && neighbours && plan->neighbours != 13 && plan->neighbours != 26)
        code =
            host_error(HOST_USAGE, "bench", HOST_NO_OFFSET, "--neighbours %s: allowed: 13 or 26", neighbours);
    return code;
}

/* ---- one benchmark */

/* Of `grid` only the stages that find neighbours count. */
static void keep_grid(bench_result *result)
{
    double whole = 0, part = result->stage_ns[TP_STAGE_GRID] + result->stage_ns[TP_STAGE_PAIRS];
    for (int s = 0; s < TP_WORLD_STAGES; s++) whole += result->stage_ns[s];
    double share = whole > 0 ? part / whole : 0;
    result->seconds *= share;
    result->ns_per_particle_step *= share;
    result->median_ns *= share;
    result->worst_ns *= share;
}

static int run_one(const char *name, const bench_plan *wanted, bench_plan *plan, bench_result *result)
{
    bool is_melt = strcmp(name, "lj") == 0, is_solid = is_melt || strcmp(name, "sph3d") == 0;
    *plan = *wanted;
    plan->name = name;
    plan->dimensions = is_solid ? 3 : 2;
    if (!plan->particles) plan->particles = is_melt ? 32000 : is_solid ? 20000 : 3000;
    if (!plan->steps) plan->steps = is_melt ? 100 : is_solid ? 60 : 400;
    plan->settling = plan->steps / 2;
    int code = is_melt ? bench_melt(plan, result) : bench_world(plan, result);
    if (!code && strcmp(name, "grid") == 0) keep_grid(result);
    return code;
}

static void print_json(const char *name, const bench_result *result)
{
    printf("{\"name\": \"%s\", \"particles\": %u, \"steps\": %u, \"seconds\": %.6f, "
           "\"ns_per_particle_step\": %.3f, "
           "\"median_ns\": %.3f, \"worst_ns\": %.3f, \"state_hash\": ",
           name, result->particles, result->steps, result->seconds, result->ns_per_particle_step,
           result->median_ns, result->worst_ns);
    if (result->has_hash)
        printf("\"%016" PRIx64 "\"", result->state_hash);
    else
        fputs("null", stdout);
    printf(", \"neighbours\": %.2f, \"memory_bytes\": %zu}\n", result->neighbours, result->memory_bytes);
}

static void print_row(const char *name, const bench_result *result)
{
    printf("%-24s %9u %7u %10.1f %10.1f %10.1f %9.1f %9.0f\n", name, result->particles, result->steps,
           result->ns_per_particle_step, result->median_ns, result->worst_ns, result->neighbours,
           (double)result->memory_bytes / result->particles);
}

static void print_stages(const bench_result *result)
{
    fputs("    by stage:", stdout);
    for (int s = 0; s < TP_WORLD_STAGES; s++)
        if (result->stage_ns[s] >= 0.05) printf("  %s %.1f", tp_stage_name((tp_stage)s), result->stage_ns[s]);
    fputs("\n", stdout);
}

/* ---- beside others */

typedef struct bench_peer {
    const char *program, *scene, *figure;
} bench_peer;

static const bench_peer peers[] = {
    {"the article's 2D program", "3 000 particles, 26.5 neighbours", "1140"},
    {"LiquidFun (2D)", "2 000 to 20 066 particles, 6 to 7.5 contacts", "335-362"},
    {"SPlisHSPlasH, WCSPH (3D)", "91 125 particles, AVX2", "3660"},
    {"SPlisHSPlasH, DFSPH (3D)", "91 125 particles, AVX2", "4670"},
    {"SPlisHSPlasH, PBF (3D)", "91 125 particles, AVX2", "8570"},
};

static void print_peers(void)
{
    puts("\nmeasured elsewhere: on a 2-core Xeon Cascade Lake at 2.5 GHz, gcc 12.2 -O3 -march=native, one "
         "thread;\n"
         "absolute figures move with the machine, so compare with the yardstick's ratio above");
    printf("%-26s %-46s %10s\n", "program", "scene", "ns/p/step");
    for (size_t i = 0; i < sizeof peers / sizeof peers[0]; i++)
        printf("%-26s %-46s %10s\n", peers[i].program, peers[i].scene, peers[i].figure);
}

/* Ours runs again before the yardstick, which goes on from the same settled state; a machine that changes its speed
   meanwhile changes the smaller of our two medians least. */
static int print_yardstick(const bench_plan *wanted, const bench_result *before)
{
    bench_result article, after;
    bench_plan plan = *wanted;
    plan.state = host_allocate(plan.particles, 4 * sizeof *plan.state);
    if (!plan.state) return host_no_room("a benchmark");
    int code = bench_world(&plan, &after);
    if (!code) code = bench_article(&plan, &article);
    free(plan.state);
    if (code) return code;
    print_row("  yardstick, same start", &article);
    double ours = before->median_ns < after.median_ns ? before->median_ns : after.median_ns;
    if (!(ours > 0) || !(article.neighbours > 0)) return HOST_DONE;
    printf("    yardstick / ours, medians of this run: %.2f a particle and step, %.2f a neighbour\n",
           article.median_ns / ours, article.median_ns / ours * after.neighbours / article.neighbours);
    return HOST_DONE;
}

/* In turn, three rounds; the median of the rounds' ratios. */
static int print_lammps(const bench_plan *plan, bench_result *ours)
{
    double ratios[3], kept;
    for (int round = 0; round < 3; round++) {
        double theirs = bench_lammps(plan);
        if (!(theirs > 0)) return HOST_DONE;
        ratios[round] = theirs / ours->ns_per_particle_step;
        printf("  LAMMPS lj/cut/opt, round %d: %.1f ns an atom and step; ours %.1f\n", round + 1, theirs,
               ours->ns_per_particle_step);
        int code = round < 2 ? bench_melt(plan, ours) : HOST_DONE;
        if (code) return code;
    }
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2 - a; b++)
            if (ratios[b] > ratios[b + 1]) {
                kept = ratios[b];
                ratios[b] = ratios[b + 1];
                ratios[b + 1] = kept;
            }
    printf("    LAMMPS / ours, median of three rounds in turn: %.2f\n", ratios[1]);
    return HOST_DONE;
}

static int run_all(const char *name, const bench_plan *wanted, bool is_json)
{
    int code = HOST_DONE;
    if (!is_json)
        printf("%-24s %9s %7s %10s %10s %10s %9s %9s\n", "ns a particle and step", "particles", "steps",
               "mean", "median", "worst", "neighb.", "B/part.");
    for (size_t i = 0; i < PRESENT && !code; i++) {
        bench_plan plan;
        bench_result result;
        if (name && strcmp(name, present[i]) != 0) continue;
        code = run_one(present[i], wanted, &plan, &result);
        if (code) return code;
        if (is_json) {
            print_json(present[i], &result);
            continue;
        }
        print_row(present[i], &result);
        if (strcmp(present[i], "grid") != 0) print_stages(&result);
        if (strcmp(present[i], "lj") == 0) code = print_lammps(&plan, &result);
        if (strcmp(present[i], "sph2d") == 0) code = print_yardstick(&plan, &result);
    }
    if (!is_json && !code) print_peers();
    return code;
}

int command_bench(int argc, char **argv)
{
    host_option options[BENCH_OPTIONS] = {
        [BENCH_PARTICLES] = {"particles", false, NULL},
        [BENCH_STEPS] = {"steps", false, NULL},
        [BENCH_NEIGHBOURS] = {"neighbours", false, NULL},
        [BENCH_COMPACT] = {"compact", true, NULL},
        [BENCH_SEED] = {"seed", false, NULL},
        [BENCH_JSON] = {"json", true, NULL},
        [BENCH_QUIET] = {"quiet", true, NULL},
    };
    const char *name = NULL;
    size_t count;
    bench_plan plan = {0};
    if (host_help(argc, argv, help_bench)) return HOST_DONE;
    int code = host_parse("bench", argc, argv, options, BENCH_OPTIONS, &name, 1, &count);
    if (!code) code = check_name(name);
    if (!code) code = read_plan(options, &plan);
    return code ? code : run_all(name, &plan, options[BENCH_JSON].value != NULL);
}
