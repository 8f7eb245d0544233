/* SPDX-License-Identifier: MIT
   host_tools/commands/bench_compare.c - `tidepool bench --compare`: a benchmark and another program
           in alternating rounds.
   reads   what the other program prints      writes  standard output
   memory  that of the benchmark      cost    rounds times both programs
   after   own design: a machine that changes its speed changes both figures of a round, so the
           ratio is taken by round, and the median of the ratios is the result */
#include "bench.h"
#include "../common/child.h"
#include <stdlib.h>
#include <string.h>

#define OURS_MAX 2u /* figures of one run of ours */

/* A program to compare with. */
typedef struct peer {
    const char *name, *program;
    const char *bench;   /* the benchmark that it is compared with */
    bool is_lammps;      /* the script is ours; else the program has the protocol of the guide */
    uint32_t particles;  /* its usual case; 0: that of the benchmark */
    uint32_t neighbours; /* the same */
    char own_name[40];   /* where `name` points, if the program is not in the table */
} peer;

static const peer known[] = {
    {"lammps", "lmp", "lj", true, 0, 0, ""},
    {"liquidfun", NULL, "sph2d", false, 5000, 13, ""},
    {"article", NULL, "sph2d", false, 3000, 26, ""},
    {"treensearch", NULL, "grid", false, 1000000, 0, ""},
    {"bullet", NULL, "cloth", false, 10000, 0, ""},
};

typedef struct contest {
    const peer *other;
    bench_plan plan;
    const bench_rounds *rounds;
    uint32_t ours_count, theirs_count;
    const char *variants[OURS_MAX]; /* names of our figures; NULL: there is only one */
    bench_figure theirs[BENCH_FIGURES_MAX];
    uint32_t particles, lanes;
    double neighbours[OURS_MAX];
    double strain; /* of cloth, else 0 */
    double ours_ns[OURS_MAX][BENCH_ROUNDS_MAX], medians_ns[OURS_MAX][BENCH_ROUNDS_MAX];
    double theirs_ns[BENCH_FIGURES_MAX][BENCH_ROUNDS_MAX];
} contest;

/* ---- the option */

static int wrong_peer(const char *text, const char *what)
{
    return host_error(HOST_USAGE, "bench", HOST_NO_OFFSET,
                      "--compare %s: %s; see tidepool bench --help", text, what);
}

/* `text`: NAME=PROGRAM, or lammps alone. `bench`: the benchmark on the command line, or NULL. */
static int read_peer(const char *text, const char *bench, peer *to)
{
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    memset(to, 0, sizeof *to);
    if (!length || length >= sizeof to->own_name || (equals && !equals[1]))
        return wrong_peer(text, "expected NAME=PROGRAM, with a name of 1 to 39 letters");
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strlen(known[i].name) == length && strncmp(known[i].name, text, length) == 0)
            *to = known[i];
    if (equals) to->program = equals + 1;
    if (!to->program) return wrong_peer(text, "expected NAME=PROGRAM");
    memcpy(to->own_name, text, length);
    to->own_name[length] = 0;
    if (!to->bench) to->bench = bench;
    if (!to->bench) return wrong_peer(text, "name a benchmark to compare with, as in bench sph3d");
    if (!bench || strcmp(bench, to->bench) == 0) return HOST_DONE;
    return host_error(HOST_USAGE, "bench", HOST_NO_OFFSET,
                      "--compare %s: %s is compared with the benchmark %s", text, to->own_name,
                      to->bench);
}

/* ---- the protocol: a line `ns_per_particle_step VALUE`, and optional ones */

static const char *const protocol[] = {"ns_per_particle_step", "particles", "neighbours", "strain"};
#define PROTOCOL_WORDS 4u

/* The index of the protocol's word that begins the line, and the text after it. PROTOCOL_WORDS:
   none. */
static size_t protocol_word(char *line, char **value)
{
    size_t word = 0, length;
    for (; word < PROTOCOL_WORDS; word++) {
        length = strlen(protocol[word]);
        if (strncmp(line, protocol[word], length) == 0 &&
            (line[length] == ' ' || line[length] == '\t' || !line[length]))
            break;
    }
    if (word == PROTOCOL_WORDS) return word;
    *value = line + length + strspn(line + length, " \t");
    (*value)[strcspn(*value, "\r")] = 0;
    return word;
}

/* Reads the value of a line; each word may be printed once. */
static int protocol_value(const char *program, uint64_t number, size_t word, const char *text,
                          double *value)
{
    double found;
    if (*value > 0)
        return host_error(HOST_BAD_INPUT, program, number, "prints %s twice; expected one line",
                          protocol[word]);
    if (!host_parse_f64(text, &found) || !(found > 0) || found > 1e15)
        return host_error(HOST_BAD_INPUT, program, number,
                          "expected a number above 0 after %s, found '%.60s'", protocol[word],
                          text);
    *value = found;
    return HOST_DONE;
}

static int read_protocol(const char *program, char *output, bench_figure *figure)
{
    double values[PROTOCOL_WORDS] = {0, 0, 0, 0};
    uint64_t number = 0;
    int code = HOST_DONE;
    for (char *line = output, *next; line && *line && !code; line = next) {
        char *value, *end = strchr(line, '\n');
        next = end ? end + 1 : NULL;
        if (end) *end = 0;
        number++;
        size_t word = protocol_word(line, &value);
        if (word < PROTOCOL_WORDS)
            code = protocol_value(program, number, word, value, &values[word]);
    }
    if (!code && !(values[0] > 0))
        return host_error(HOST_BAD_INPUT, program, HOST_NO_OFFSET,
                          "expected a line 'ns_per_particle_step VALUE', found none in %llu lines",
                          (unsigned long long)number);
    if (!code && values[1] > 0) figure->particles = (uint32_t)values[1];
    figure->ns = values[0];
    figure->neighbours = values[2];
    figure->strain = values[3];
    return code;
}

/* Runs PROGRAM PARTICLES STEPS SETTLING. */
static int run_protocol(const char *program, const bench_plan *plan, double seconds,
                        bench_figure *figure)
{
    char words[3][16], *output;
    const char *const arguments[] = {program, words[0], words[1], words[2], NULL};
    snprintf(words[0], sizeof words[0], "%u", plan->particles);
    snprintf(words[1], sizeof words[1], "%u", plan->steps);
    snprintf(words[2], sizeof words[2], "%u", plan->settling);
    figure->particles = plan->particles;
    int code = child_run(arguments, "", seconds, &output);
    if (!code) code = read_protocol(program, output, figure);
    free(output);
    return code;
}

/* ---- rounds */

static int run_ours(contest *c, uint32_t round)
{
    bench_result result;
    bench_search rows[2];
    bool is_grid = c->ours_count == 2;
    int code = is_grid ? bench_grid(&c->plan, rows, 2)
                       : bench_run(c->plan.name, &c->plan, &c->plan, &result);
    if (code) return code;
    c->particles = is_grid ? c->plan.particles : result.particles;
    c->strain = is_grid ? 0 : result.strain;
    for (uint32_t v = 0; v < c->ours_count; v++) {
        c->neighbours[v] = is_grid ? rows[v].neighbours : result.neighbours;
        c->ours_ns[v][round] = is_grid ? rows[v].total_ns : result.ns_per_particle_step;
        c->medians_ns[v][round] = is_grid ? rows[v].total_ns : result.median_ns;
    }
    return HOST_DONE;
}

static int run_theirs(contest *c, uint32_t figure)
{
    const peer *other = c->other;
    double seconds = c->rounds->seconds;
    return other->is_lammps
               ? bench_lammps(other->program, &c->plan, figure, seconds, &c->theirs[figure])
               : run_protocol(other->program, &c->plan, seconds, &c->theirs[figure]);
}

static int run_rounds(contest *c)
{
    int code = HOST_DONE;
    uint32_t done = 0, runs = 1 + c->theirs_count;
    host_progress progress;
    host_progress_start(&progress, c->other->own_name, (uint64_t)c->rounds->count * runs,
                        c->rounds->is_quiet);
    for (uint32_t round = 0; round < c->rounds->count && !code; round++) {
        code = run_ours(c, round);
        host_progress_update(&progress, ++done);
        for (uint32_t figure = 0; figure < c->theirs_count && !code; figure++) {
            code = run_theirs(c, figure);
            c->theirs_ns[figure][round] = c->theirs[figure].ns;
            host_progress_update(&progress, ++done);
        }
    }
    host_progress_end(&progress);
    return code;
}

/* ---- results */

/* Of the rounds: medians, and the smallest and largest ratio. */
typedef struct summary {
    double ours_ns, median_ns, theirs_ns, ratio, ratio_least, ratio_most;
} summary;

static double median_of(const double *values, uint32_t count)
{
    double sorted[BENCH_ROUNDS_MAX];
    memcpy(sorted, values, count * sizeof *values);
    return bench_median(sorted, count);
}

static summary summary_of(const contest *c, uint32_t variant, uint32_t figure)
{
    uint32_t count = c->rounds->count;
    double ratios[BENCH_ROUNDS_MAX];
    summary s = {.ours_ns = median_of(c->ours_ns[variant], count),
                 .median_ns = median_of(c->medians_ns[variant], count),
                 .theirs_ns = median_of(c->theirs_ns[figure], count)};
    for (uint32_t round = 0; round < count; round++)
        ratios[round] = c->theirs_ns[figure][round] / c->ours_ns[variant][round];
    s.ratio = bench_median(ratios, count); /* sorts them */
    s.ratio_least = ratios[0];
    s.ratio_most = ratios[count - 1];
    return s;
}

static void print_object(const contest *c, uint32_t variant, uint32_t figure)
{
    summary s = summary_of(c, variant, figure);
    const bench_figure *theirs = &c->theirs[figure];
    printf("{\"name\": \"%s\", \"case\": \"%s\", \"particles\": %u, \"steps\": %u, \"lanes\": %u, "
           "\"neighbours\": %.2f, \"ns_per_particle_step\": %.3f, \"median_ns\": %.3f, \"peer\": ",
           c->plan.name, c->variants[variant] ? c->variants[variant] : "", c->particles,
           c->plan.steps, c->lanes, c->neighbours[variant], s.ours_ns, s.median_ns);
    host_json_text(stdout, c->other->own_name);
    fputs(", \"peer_program\": ", stdout);
    host_json_text(stdout, c->other->program);
    printf(", \"peer_style\": \"%s\", \"peer_particles\": %u, \"peer_neighbours\": ",
           theirs->style ? theirs->style : "", theirs->particles);
    if (theirs->neighbours > 0)
        printf("%.2f", theirs->neighbours);
    else
        fputs("null", stdout);
    if (c->strain > 0 && theirs->strain > 0)
        printf(", \"strain\": %.6f, \"peer_strain\": %.6f", c->strain, theirs->strain);
    printf(", \"peer_ns_per_particle_step\": %.3f, \"rounds\": %u, \"ratio\": %.4f, "
           "\"ratio_least\": %.4f, \"ratio_most\": %.4f}\n",
           s.theirs_ns, c->rounds->count, s.ratio, s.ratio_least, s.ratio_most);
}

static void print_line(const char *name, uint32_t particles, double neighbours, const char *lanes,
                       double ns)
{
    char count[16] = "-";
    if (neighbours > 0) snprintf(count, sizeof count, "%.1f", neighbours);
    printf("  %-34s %9u %9s %7s %10.1f", name, particles, count, lanes, ns);
}

static void print_table(const contest *c)
{
    char name[80], lanes[16];
    printf("%-36s %9s %9s %7s %10s %8s   %s\n", "ns per particle and step", "particles", "neighb.",
           "vectors", "mean", "ratio", "of single rounds");
    snprintf(lanes, sizeof lanes, "%u", c->lanes);
    for (uint32_t v = 0; v < c->ours_count; v++) {
        const char *variant = c->variants[v];
        snprintf(name, sizeof name, "%s%s%s", c->plan.name, variant ? ", " : "",
                 variant ? variant : "");
        print_line(name, c->particles, c->neighbours[v], lanes,
                   median_of(c->ours_ns[v], c->rounds->count));
        puts("");
        for (uint32_t figure = 0; figure < c->theirs_count; figure++) {
            const bench_figure *theirs = &c->theirs[figure];
            summary s = summary_of(c, v, figure);
            snprintf(name, sizeof name, "%s%s%s", c->other->own_name, theirs->style ? " " : "",
                     theirs->style ? theirs->style : "");
            print_line(name, theirs->particles, theirs->neighbours, "-", s.theirs_ns);
            printf(" %8.2f   %.2f to %.2f\n", s.ratio, s.ratio_least, s.ratio_most);
            if (c->strain > 0 && theirs->strain > 0)
                printf("  mean strain of edges: %s %.5f, %s %.5f\n", c->plan.name, c->strain, name,
                       theirs->strain);
        }
    }
}

/* ---- one program */

static int compare_with(const peer *other, const bench_plan *wanted, const bench_rounds *rounds)
{
    contest *c = host_allocate(1, sizeof *c);
    if (!c) return host_out_of_memory("a comparison");
    bench_plan asked = *wanted;
    if (!asked.particles) asked.particles = other->particles;
    if (!asked.neighbours) asked.neighbours = other->neighbours;
    c->other = other;
    c->plan = bench_plan_of(other->bench, &asked);
    c->rounds = rounds;
    c->lanes = bench_lanes(&c->plan);
    c->theirs_count = other->is_lammps ? BENCH_FIGURES_MAX : 1;
    c->ours_count = strcmp(other->bench, "grid") == 0 ? 2 : 1;
    if (c->ours_count == 2) {
        c->variants[0] = "random order";
        c->variants[1] = "the world's order";
    }
    int code = run_rounds(c);
    for (uint32_t v = 0; v < c->ours_count && !code && rounds->is_json; v++)
        for (uint32_t figure = 0; figure < c->theirs_count; figure++) print_object(c, v, figure);
    if (!code && !rounds->is_json) print_table(c);
    free(c);
    return code;
}

int bench_compare(const char *name, const bench_plan *wanted, const char *const *texts,
                  uint32_t count, const bench_rounds *rounds)
{
    peer others[BENCH_PEERS_MAX];
    int code = HOST_DONE;
    for (uint32_t i = 0; i < count && !code; i++) code = read_peer(texts[i], name, &others[i]);
    for (uint32_t i = 0; i < count && !code; i++) {
        if (i && !rounds->is_json) puts("");
        code = compare_with(&others[i], wanted, rounds);
    }
    if (code || rounds->is_json) return code;
    printf(
        "\nmean: of the steps of a run, median of %u rounds in turn. ratio: theirs / ours, median "
        "of the\nrounds' ratios. Processor time of one thread, if the other program measures "
        "that too.\n",
        rounds->count);
    return HOST_DONE;
}
