/* SPDX-License-Identifier: MIT
   tests/peers/treensearch.cpp - lists of random points by TreeNSearch, for `tidepool bench`.
   reads   arguments: PARTICLES STEPS SETTLING
   writes  lines of a word and a number: see runtime/guide/measuring.md
   memory  TreeNSearch's            cost  SETTLING + 2 + STEPS runs
   after   own program; TreeNSearch is not part of this tree. Its sort along a curve is not timed */
#include <TreeNSearch>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <omp.h>
#include <vector>

static double random_share()
{
    static std::uint64_t state = 1;
    std::uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

/* Finds all lists and reads them once; returns the number of their items. */
static std::uint64_t search(tns::TreeNSearch &tree, int id, int points, std::uint64_t *sum)
{
    std::uint64_t found = 0;
    tree.run();
    for (int i = 0; i < points; i++) {
        auto list = tree.get_neighborlist(id, id, i);
        int size = list.size();
        found += static_cast<std::uint64_t>(size);
        for (int k = 0; k < size; k++) *sum += static_cast<std::uint32_t>(list[k]);
    }
    return found;
}

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    int points = std::atoi(argv[1]), steps = std::atoi(argv[2]), settling = std::atoi(argv[3]);
    double side = std::cbrt(points * 4.18879020478639 / 30.0); /* 30 neighbours within 1 */
    std::vector<float> at(3 * static_cast<std::size_t>(points));
    for (float &x : at) x = static_cast<float>(random_share() * side);
    omp_set_num_threads(1);
    tns::TreeNSearch tree;
    tree.set_search_radius(1.0f);
    tree.set_n_threads(1);
    tree.set_n_points_for_parallel_octree(2000000000); /* else the tree gets a thread of its own */
    int id = tree.add_point_set(at.data(), points);
    tree.set_active_search(id, id, true);
    tree.run();
    tree.prepare_zsort();
    tree.apply_zsort(id, at.data(), 3);
    std::uint64_t sum = 0, found = 0;
    for (int i = -1; i < settling; i++) search(tree, id, points, &sum);
    std::clock_t begin = std::clock();
    for (int i = 0; i < steps; i++) found += search(tree, id, points, &sum);
    double ns = 1e9 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    std::printf("ns_per_particle_step %.3f\nneighbours %.3f\nparticles %d\nsum %llu\n",
                ns / steps / points, static_cast<double>(found) / steps / points, points,
                static_cast<unsigned long long>(sum));
}
