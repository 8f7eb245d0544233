/* SPDX-License-Identifier: MIT
   tests/peers/vortegrid.cpp - times VorteGrid, the program of the articles "Fluid Simulation for
           Video Games", and its error against the sum over its vortons.
   reads   arguments: FACTOR of its number of cells (1: as it is), FILE      writes  one line; FILE
           gets its vortons and tracers, for vortices.c
   memory  its own      cost  12 steps
   after   own design. VorteGrid is not part of this tree: github.com/mijagourlay/VorteGrid, folder
           Samples/MjgIntelFluidDemo_Part06. It is of 32-bit Windows: remove the assembler functions
           at the end of Core/Math/math.h, use its `#if 0` branch "Original code" in
           UniformGridGeometry::IndicesOfPosition, make `long` an int in math.h, declare NestedGrid
           before UniformGrid, and define FACTOR's place: in VortonSim::FindBoundingBox give
           DefineShape `grid_factor * mVortons.Size()`. VELOCITY_TECHNIQUE in vorton.h and
           USE_MULTI_GRID in vortonSim.h choose its solver. In that folder:
               g++ -O3 -march=native -ffast-math -fno-strict-aliasing -w -fpermissive -I.
                   -include cstring -include cfloat -o vortegrid vortegrid.cpp
                   Sim/Vorton/vortonSim.cpp Sim/Vorton/vorticityDistribution.cpp
                   Sim/Vorton/vortonGrid.cpp Space/uniformGridMath.cpp */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>
#define private public /* its grid of velocities */
#include "Sim/Vorton/vorticityDistribution.h"
#include "Sim/Vorton/vortonSim.h"

#define TRACERS 55296u

unsigned grid_factor = 1;

static double milliseconds()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* The numbers of vortons and tracers, the radius; six numbers per vorton, three per tracer. */
static bool write_particles(VortonSim &sim, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    const float radius = sim.mVortonRadius, volume = FourPiOver3 * radius * radius * radius;
    const float head[3] = {(float)sim.mVortons.size(), (float)sim.mTracers.size(), radius};
    bool is_good = fwrite(head, sizeof head, 1, file) == 1;
    for (const Vorton &v : sim.mVortons) {
        const float row[6] = {v.mPosition.x,           v.mPosition.y,
                              v.mPosition.z,           v.mVorticity.x * volume,
                              v.mVorticity.y * volume, v.mVorticity.z * volume};
        is_good = fwrite(row, sizeof row, 1, file) == 1 && is_good;
    }
    for (const Particle &t : sim.mTracers) {
        const float row[3] = {t.mPosition.x, t.mPosition.y, t.mPosition.z};
        is_good = fwrite(row, sizeof row, 1, file) == 1 && is_good;
    }
    return fclose(file) == 0 && is_good;
}

/* Of the velocities of every 16th tracer, before it moves: rms over rms. */
static double error_of(VortonSim &sim)
{
    double error = 0, all = 0;
    sim.Update(0, 0);
    for (size_t i = 0; i < sim.mTracers.size(); i += 16) {
        Vec3 found, expected = sim.ComputeVelocityDirect(sim.mTracers[i].mPosition);
        sim.mVelGrid.Interpolate(found, sim.mTracers[i].mPosition);
        error += (found - expected).Mag2();
        all += expected.Mag2();
    }
    return sqrt(error / all);
}

int main(int count, char **arguments)
{
    VortonSim sim(0, 1);
    if (count > 1) grid_factor = (unsigned)atoi(arguments[1]);
    srand(1);
    AssignVorticity(sim.GetVortons(), 100, 4096, VortexRing(1, 1, Vec3(1, 0, 0)));
    sim.Initialize(5);
    const size_t all = sim.mTracers.size();
    for (size_t i = 0; i < TRACERS && all > TRACERS; i++)
        sim.mTracers[i] = sim.mTracers[i * all / TRACERS];
    if (all > TRACERS) sim.mTracers.resize(TRACERS);
    if (count > 2 && !write_particles(sim, arguments[2])) return puts("cannot write"), 1;
    const double error = error_of(sim);
    double least = 1e9;
    for (unsigned step = 1; step <= 12; step++) {
        const double begun = milliseconds();
        sim.Update(0.002f, step);
        least = std::min(least, milliseconds() - begun);
    }
    printf("%zu vortons, %zu tracers, %u x %u x %u nodes: error %.1f %%, %.2f ms a step\n",
           sim.mVortons.size(), sim.mTracers.size(), sim.mVelGrid.GetNumPoints(0),
           sim.mVelGrid.GetNumPoints(1), sim.mVelGrid.GetNumPoints(2), 100 * error, least);
    return 0;
}
