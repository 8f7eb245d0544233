/* SPDX-License-Identifier: MIT
   ports/edges/edges.c - edge cases where machines differ: subnormals, NaN and infinities, blocks at
           odd addresses.
   reads   nothing      writes  one line per case, the same on every machine; ends with 1 if one is
           wrong
   memory  one static block of EDGES_BYTES      cost  well below a second on a desktop
   after   IEEE 754: some float units flush subnormals or produce another NaN; own design,
           freestanding */
#ifndef PORT_LINKED /* defined if the runtime is an object of its own */
#define TIDEPOOL_IMPLEMENTATION
#endif
#include "tidepool.h"
#include "../golden/print.h"

#define EDGES_PARTICLES  60u
#define EDGES_NEIGHBOURS 16u
#define EDGES_BYTES      TP_WORLD_BYTES(2, EDGES_PARTICLES, EDGES_NEIGHBOURS, 4, 0)

static _Alignas(16) unsigned char edges_block[EDGES_BYTES + 16u];
static uint32_t edges_wrong;

static void edges_expect(const char *claim, bool is_true)
{
    port_puts(claim);
    port_puts(is_true ? ": true\n" : ": FALSE\n");
    if (!is_true) edges_wrong++;
}

static float edges_from_bits(uint32_t bits)
{
    union {
        uint32_t bits;
        float value;
    } word = {bits};
    return word.value;
}

static uint32_t edges_bits(float value)
{
    union {
        float value;
        uint32_t bits;
    } word = {value};
    return word.bits;
}

static tp_world_def edges_definition(void)
{
    tp_world_def def = tp_world_default(2);
    def.particles_max = EDGES_PARTICLES;
    def.emitters_max = def.fields_max = def.colliders_max = 1;
    def.sinks_max = 0;
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.substeps.count = 3;
    def.sph.neighbours_max = EDGES_NEIGHBOURS;
    return def;
}

/* Creates a world with a square of particles and no gravity; null if the runtime refuses. */
static tp_world *edges_puddle(tp_solver solver)
{
    tp_world_def def = edges_definition();
    tp_world *world = NULL;
    def.solver = solver;
    tp_result result = tp_world_create(&def, edges_block, EDGES_BYTES, &world);
    tp_emitter_def burst = tp_emitter_default();
    tp_emitter emitter;
    burst.shape = TP_EMITTER_BOX;
    burst.size = (tp_vector){0.4f, 0.4f, 0.0f};
    burst.burst_count = EDGES_PARTICLES;
    burst.lattice_spacing = 0.1f;
    if (result == TP_OK) result = tp_emitter_add(world, &burst, &emitter);
    if (result == TP_OK) result = tp_frame(world, NULL, NULL);
    if (result == TP_OK) return world;
    port_puts(tp_result_text(result));
    return NULL;
}

static bool edges_is_plain(float value)
{
    uint32_t bits = edges_bits(value), exponent = bits >> 23 & 255u;
    return exponent != 255u && (exponent != 0 || (bits & 0x7fffffu) == 0);
}

/* True if no position or velocity is subnormal, infinite or NaN. */
static bool edges_are_plain(const tp_world *world)
{
    tp_view view = tp_world_view(world);
    bool plain = view.count > 0;
    for (uint32_t i = 0; i < view.count; i++)
        plain = plain && edges_is_plain(view.x[i]) && edges_is_plain(view.y[i]) &&
                edges_is_plain(view.vx[i]) && edges_is_plain(view.vy[i]);
    return plain;
}

static void edges_simulate(tp_world *world, uint32_t frames)
{
    tp_report report;
    tp_result result = TP_OK;
    for (uint32_t f = 0; f < frames && result == TP_OK; f++)
        result = tp_frame(world, NULL, &report);
    edges_expect("  every frame is simulated", result == TP_OK);
    edges_expect("  the state holds neither subnormals nor infinities nor NaN",
                 edges_are_plain(world));
    report = tp_world_report(world);
    port_put_number("  particles ", report.particles);
    port_put_number(", killed ", report.killed_particles);
    port_put_hash(", hash ", tp_world_hash(world));
    port_puts("\n");
}

/* Sets positions and velocities to the smallest normal number and to subnormals of both signs. In a
   fluid they change soon; without a solver they would remain after one frame. */
static void edges_subnormals(const char *name, tp_solver solver, uint32_t frames)
{
    tp_world *world = edges_puddle(solver);
    port_puts(name);
    if (!world) {
        edges_wrong++;
        return;
    }
    for (uint32_t i = 0; i < 24; i++) {
        float tiny = edges_from_bits((0x00800000u >> i) | (i & 1u ? 0x80000000u : 0u));
        tp_vector position = {tiny, (float)i * 0.02f, 0.0f},
                  velocity = {(float)i * 0.01f, tiny, 0.0f};
        edges_expect("  a particle is placed",
                     tp_particle_set(world, i, position, velocity) == TP_OK);
    }
    edges_expect("  none of them came into the state", edges_are_plain(world));
    edges_simulate(world, frames);
}

/* Quiet and signalling NaN of both signs, and infinities: the bits of a NaN depend on the machine,
   so none may enter the hash. The last two words are the largest float, and the largest coordinate
   allowed. */
static void edges_no_numbers(void)
{
    static const uint32_t words[] = {0x7fc00000u, 0xffc00000u, 0x7fbfffffu,
                                     0x7fffffffu, 0x7f800001u, 0x7f800000u,
                                     0xff800000u, 0x7f7fffffu, 0x4e6e6b28u};
    tp_world *world = edges_puddle(TP_SOLVER_SPH);
    port_puts("no numbers\n");
    if (!world) {
        edges_wrong++;
        return;
    }
    for (uint32_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        tp_vector wild = {edges_from_bits(words[i]), 0.25f, 0.0f}, calm = {0.1f, 0.2f, 0.0f};
        tp_result placed = tp_particle_set(world, 2u * i, wild, calm);
        tp_result moved = tp_particle_set(world, 2u * i + 1u, calm, wild);
        tp_result expected = words[i] == 0x4e6e6b28u ? TP_OK : TP_ERROR_DEFINITION;
        edges_expect("  what is no number, too far or too fast is refused",
                     placed == expected && moved == expected);
    }
    edges_simulate(world, 10);
}

/* A processor may fault on an unaligned word, so the runtime must refuse an unaligned block. */
static void edges_odd_blocks(void)
{
    tp_world_def def = edges_definition();
    uint32_t refused = 0;
    port_puts("blocks at odd addresses\n");
    for (uint32_t offset = 1; offset < 16; offset++) {
        tp_world *world = NULL;
        refused +=
            tp_world_create(&def, edges_block + offset, EDGES_BYTES, &world) == TP_ERROR_ALIGNMENT;
    }
    port_put_number("  refused ", refused);
    port_puts("\n");
    edges_expect("  all of them", refused == 15);
}

int port_main(void)
{
    edges_subnormals("subnormals in a fluid\n", TP_SOLVER_SPH, 30);
    edges_subnormals("subnormals alone\n", TP_SOLVER_NONE, 1);
    edges_no_numbers();
    edges_odd_blocks();
    return edges_wrong != 0;
}
