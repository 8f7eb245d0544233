/* SPDX-License-Identifier: MIT
   tests/peers/liquidfun.cpp - a dam break in LiquidFun, for `tidepool bench`.
   reads   arguments: PARTICLES STEPS SETTLING
   writes  lines of a word and a number: see runtime/guide/measuring.md
   memory  LiquidFun's              cost  SETTLING + STEPS steps
   after   own program; LiquidFun's headers and library are not part of this tree */
#include <Box2D/Box2D.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

static const float radius = 0.025f, spacing = 0.75f * 2 * radius; /* m; that of a new group */

/* A block at the left side of a basin that is 1.5 times as wide. */
static b2ParticleSystem *fill(b2World &world, int particles)
{
    float side = std::sqrt(static_cast<float>(particles)) * spacing, wide = 1.5f * side;
    b2ParticleSystemDef def;
    def.radius = radius;
    b2ParticleSystem *system = world.CreateParticleSystem(&def);
    system->SetDamping(0.2f);
    b2BodyDef ground;
    b2Vec2 corners[4] = {{0, 0}, {wide, 0}, {wide, 4 * side}, {0, 4 * side}};
    b2ChainShape basin;
    basin.CreateLoop(corners, 4);
    world.CreateBody(&ground)->CreateFixture(&basin, 0);
    b2PolygonShape block;
    block.SetAsBox(side / 2, side / 2, b2Vec2(side / 2 + 2 * radius, side / 2 + 2 * radius), 0);
    b2ParticleGroupDef group;
    group.shape = &block;
    system->CreateParticleGroup(group);
    return system;
}

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    int particles = std::atoi(argv[1]), steps = std::atoi(argv[2]), settling = std::atoi(argv[3]);
    b2World world(b2Vec2(0, -10));
    b2ParticleSystem *system = fill(world, particles);
    for (int i = 0; i < settling; i++) world.Step(1 / 60.0f, 8, 3, 1);
    double contacts = 0;
    std::clock_t begin = std::clock();
    for (int i = 0; i < steps; i++) {
        world.Step(1 / 60.0f, 8, 3, 1);
        contacts += system->GetContactCount();
    }
    double ns = 1e9 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    int count = system->GetParticleCount();
    std::printf("ns_per_particle_step %.3f\nneighbours %.3f\nparticles %d\n", ns / steps / count,
                2 * contacts / steps / count, count);
}
