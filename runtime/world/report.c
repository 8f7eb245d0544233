/* SPDX-License-Identifier: MIT
   runtime/world/report.c - fills in the report: the counters that the game reads.
   reads   the world      writes  nothing
   memory  none           cost    O(1)
   after   own design: every pool has a capacity, a use count, a peak and a refusal counter, always
           on */
#include "block.h"

void tpi_report_write(const tp_world *world, tp_report *report)
{
    *report = world->report;
    report->frames = world->clock.frame;
    report->particles = world->count;
    report->pools[TP_POOL_PARTICLES] = (tp_pool_report){
        world->def.particles_max, world->count, world->count_peak, 0, world->births_refused};
    report->pools[TP_POOL_EMITTERS] = tpi_pool_report_of(&world->emitters);
    report->pools[TP_POOL_SINKS] = tpi_pool_report_of(&world->sinks);
    report->pools[TP_POOL_FIELDS] = tpi_pool_report_of(&world->fields);
    report->pools[TP_POOL_COLLIDERS] = tpi_pool_report_of(&world->colliders);
    report->pools[TP_POOL_LINKS] = tpi_pool_report_of(&world->links);
    report->pools[TP_POOL_BODIES] = tpi_pool_report_of(&world->bodies);
    report->pools[TP_POOL_GEOMETRY] =
        (tp_pool_report){world->def.geometry_bytes_max, world->geometry_used, world->geometry_peak,
                         0, world->geometry_refused};
    report->pools[TP_POOL_PAIRS] = world->pairs_pool;
}

tp_report tp_world_report(const tp_world *world)
{
    tp_report report;
    tpi_memset(&report, 0, sizeof report);
    if (tpi_world_check_block(world) == TP_OK) tpi_report_write(world, &report);
    return report;
}
