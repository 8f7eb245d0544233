/* SPDX-License-Identifier: MIT
   tests/unit/test_edge.c - no access beyond the end of the block: the page after it is not
           readable.
   reads   runtime      writes  nothing
   memory  one page after each block      cost    one process per definition, milliseconds each
   after   own design: vector loads read past an array's end, and these bytes must belong to the
           block */
#include "test.h"
#include "world_help.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Memory that ends at an unreadable page; null if the system cannot provide it. */
static void *edge_map(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (bytes + page - 1u) / page * page;
    int zeros = open("/dev/zero", O_RDWR);
    if (zeros < 0) return NULL;
    unsigned char *pages = mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE, zeros, 0);
    close(zeros);
    if (pages == MAP_FAILED || mprotect(pages + whole, page, PROT_NONE) != 0) return NULL;
    return pages + whole - bytes;
}

/* Runs in a child process; returns 0 if all calls succeed. */
static int edge_run(const tp_world_def *def)
{
    tp_world *world;
    size_t bytes;
    if (tp_world_memory(def, &bytes) != TP_OK) return 2;
    void *block = edge_map(bytes);
    if (!block || tp_world_create(def, block, bytes, &world) != TP_OK) return 3;
    for (uint32_t i = 0; i < def->particles_max; i++) {
        tp_vector at = {0.05f + 0.1f * (float)i, 0.3f, 0.0f}, velocity = {0.1f, -1.0f, 0.0f};
        if (tp_particle_add(world, at, velocity, 0, NULL) != TP_OK) return 4;
    }
    for (uint32_t frame = 0; frame < 3; frame++)
        if (tp_frame(world, NULL, NULL) < TP_OK) return 5;
    return tp_world_hash(world) ? 0 : 6;
}

static int edge_run_apart(const tp_world_def *def)
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) _exit(edge_run(def));
    if (child < 0 || waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void nothing_is_read_behind_the_block(void)
{
    static const tp_solver solvers[] = {TP_SOLVER_NONE, TP_SOLVER_SPH, TP_SOLVER_PAIR,
                                        TP_SOLVER_PAIR};
    for (uint32_t kind = 0; kind < 32; kind++)
        for (uint32_t particles = 1; particles <= 19; particles += 1u + particles / 5u) {
            tp_world_def def = tp_world_default(kind & 1u ? 3 : 2);
            def.solver = solvers[kind / 8u];
            def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
            def.particles_max = particles;
            def.keeps_births = kind & 2u;
            def.sph.stores_neighbours = def.pair.stores_neighbours = kind & 4u;
            def.frames_per_second_numerator = 200;
            if (kind / 8u == 3u) def.pair.potential = TP_POTENTIAL_HARD_SPHERE;
            if (def.solver == TP_SOLVER_PAIR) def.integrator = TP_INTEGRATOR_KDK;
            int ended = edge_run_apart(&def);
            test_note("solver %d, %u dimensions, %u particles, births %d, stored %d: ended with %d",
                      (int)def.solver, def.dimensions, particles, def.keeps_births,
                      (kind & 4u) != 0, ended);
            CHECK_EQ(ended, 0);
        }
}

static const test_case cases[] = {TEST_CASE(nothing_is_read_behind_the_block)};
TEST_SUITE(edge, cases);
