/* SPDX-License-Identifier: MIT
   tests/peers/bullet.cpp - a sheet that swings from a side, in Bullet, for `tidepool bench`.
   reads   arguments: PARTICLES STEPS SETTLING; environment: BULLET_ITERATIONS, BULLET_RATE
   writes  lines of a word and a number: see runtime/guide/measuring.md
   memory  Bullet's              cost  SETTLING + STEPS steps of 1/600 s, whatever BULLET_RATE is
   after   own program; Bullet's headers and libraries are not part of this tree */
#include <BulletCollision/CollisionDispatch/btDefaultCollisionConfiguration.h>
#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

static int number_of(const char *name, int otherwise)
{
    const char *text = std::getenv(name);
    return text ? std::atoi(text) : otherwise;
}

/* 1 m x 1 m and 0.2 kg, level, held along a side; neighbours, diagonals, and the next but one. */
static btSoftBody *hang(btSoftBodyWorldInfo &info, int side, int iterations)
{
    btSoftBody *sheet = btSoftBodyHelpers::CreatePatch(info, btVector3(0, 0, 0), btVector3(1, 0, 0),
                                                       btVector3(0, 0, 1), btVector3(1, 0, 1), side,
                                                       side, 1 + 2, false);
    btSoftBody::Material *bend = sheet->appendMaterial();
    bend->m_kLST = 0.1f;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) { /* one diagonal of each cell is there */
            if (x + 1 < side && y + 1 < side) {
                sheet->appendLink(y * side + x, (y + 1) * side + x + 1, nullptr, true);
                sheet->appendLink(y * side + x + 1, (y + 1) * side + x, nullptr, true);
            }
            if (x + 2 < side) sheet->appendLink(y * side + x, y * side + x + 2, bend);
            if (y + 2 < side) sheet->appendLink(y * side + x, (y + 2) * side + x, bend);
        }
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) sheet->setMass(y * side + x, 0.2f / (side * side));
    for (int x = 0; x < side; x++) sheet->setMass(x, 0);
    sheet->m_materials[0]->m_kLST = 1;
    sheet->m_cfg.piterations = iterations;
    sheet->m_cfg.viterations = sheet->m_cfg.diterations = 0;
    sheet->m_cfg.collisions = 0;
    sheet->m_cfg.kDP = sheet->m_cfg.kLF = sheet->m_cfg.kDG = 0;
    return sheet;
}

/* Of the links between neighbours: the mean of |length / length at rest - 1|, and the largest. */
static void print_strains(const btSoftBody *sheet, int side)
{
    double sum = 0, most = 0, links = 0;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            for (int turn = 0; turn < 2; turn++) {
                if ((turn ? y : x) + 1 == side) continue;
                const btVector3 &a = sheet->m_nodes[y * side + x].m_x,
                                &b = sheet->m_nodes[y * side + x + (turn ? side : 1)].m_x;
                double strain = std::fabs((b - a).length() * (side - 1) - 1);
                sum += strain;
                most = std::fmax(most, strain);
                links++;
            }
    std::printf("strain %.6f\nstrain_largest %.6f\n", sum / links, most);
}

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    int side = static_cast<int>(std::sqrt(std::atof(argv[1])) + 0.5);
    int rate = number_of("BULLET_RATE", 600), each = 600 / rate;
    int steps = std::atoi(argv[2]) / each, settling = std::atoi(argv[3]) / each;
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btSoftRigidDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
    world.getWorldInfo().m_gravity = btVector3(0, -9.81f, 0);
    world.getWorldInfo().m_sparsesdf.Initialize();
    btSoftBody *sheet = hang(world.getWorldInfo(), side, number_of("BULLET_ITERATIONS", 20));
    world.addSoftBody(sheet);
    for (int i = 0; i < settling; i++) world.stepSimulation(1.0f / rate, 0);
    std::clock_t begin = std::clock();
    for (int i = 0; i < steps; i++) world.stepSimulation(1.0f / rate, 0);
    double ns = 1e9 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    std::printf("ns_per_particle_step %.3f\nparticles %d\nlinks %d\n",
                ns / (steps * each) / sheet->m_nodes.size(), sheet->m_nodes.size(),
                sheet->m_links.size());
    print_strains(sheet, side);
}
