/* SPDX-License-Identifier: MIT
   host_tools/common/scene_ring.c - vortex rings of a scene: vortons along a circle, and tracers in
           the tube around it.
   reads   a scene      writes  capacities of the scene, a world
   memory  none         cost    O(vortons^2 + tracers)
   after   own design: a vorton's strength is the circulation times its part of the circle; tracers
           have random places in the tube, the same in every run */
#include "../../runtime/base/base.h"
#include "scene_private.h"
#include <math.h>

#define PI 3.14159265358979323846
typedef struct ring_frame {
    double axis[3], along[3], across[3];
} ring_frame;

static ring_frame frame_of(const scene_ring *ring)
{
    ring_frame frame = {{(double)ring->normal.x, (double)ring->normal.y, (double)ring->normal.z},
                        {0, 0, 0},
                        {0, 0, 0}};
    double *a = frame.axis, *u = frame.along, *v = frame.across;
    double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int k = 0; k < 3; k++) a[k] /= length;
    int least = fabs(a[0]) <= fabs(a[1]) && fabs(a[0]) <= fabs(a[2]) ? 0
                : fabs(a[1]) <= fabs(a[2])                           ? 1
                                                                     : 2;
    for (int k = 0; k < 3; k++) u[k] = (k == least) - a[least] * a[k];
    length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (int k = 0; k < 3; k++) u[k] /= length;
    for (int k = 0; k < 3; k++)
        v[k] = a[(k + 1) % 3] * u[(k + 2) % 3] - a[(k + 2) % 3] * u[(k + 1) % 3];
    return frame;
}

/* A point at an angle, in turns: `scale` away from the axis, `lift` along it. */
static tp_vector direction(const ring_frame *frame, double turns, double scale, double lift)
{
    double c = scene_sine(turns + 0.25) * scale, s = scene_sine(turns) * scale, to[3];
    for (int k = 0; k < 3; k++)
        to[k] = frame->along[k] * c + frame->across[k] * s + frame->axis[k] * lift;
    return (tp_vector){(float)to[0], (float)to[1], (float)to[2]};
}

static tp_vector sum(tp_vector a, tp_vector b)
{
    return (tp_vector){a.x + b.x, a.y + b.y, a.z + b.z};
}

/* True if the capacity is that of the section vortex: its vortons are not only those of rings. */
static bool has_other_vortons(const scene *target)
{
    for (size_t i = 0; i < target->emitter_count; i++)
        if (target->emitters[i].def.strength != 0) return true;
    return target->world.vortex.vorton_species != 0;
}

int scene_resolve_rings(scene *target)
{
    uint64_t vortons = 0, all = 0;
    if (target->ring_count && target->world.solver != TP_SOLVER_VORTEX)
        return scene_problem(target, target->rings[0].mark.line, NULL, "needs 'solver = vortex'");
    if (target->ring_count && target->world.dimensions != 3)
        return scene_problem(target, target->rings[0].mark.line, NULL,
                             "needs 'dimensions = 3': rings have three dimensions");
    for (size_t i = 0; i < target->ring_count; i++) {
        const scene_ring *ring = &target->rings[i];
        tp_vector n = ring->normal;
        if (!(n.x * n.x + n.y * n.y + n.z * n.z > 0))
            return scene_problem(target, scene_line_of(&ring->mark, SCENE_RING, "axis"), "axis",
                                 "is 0; allowed: any direction");
        vortons += ring->vortons;
        all += ring->vortons + (uint64_t)ring->tracers;
    }
    if (vortons > 4096)
        return scene_problem(target, target->rings[0].mark.line, "vortons",
                             "of all rings are %llu; allowed: up to 4096",
                             (unsigned long long)vortons);
    if (all > target->world.particles_max)
        return scene_problem(target, target->rings[0].mark.line, NULL,
                             "the rings need %llu particles; the world has a capacity of %u",
                             (unsigned long long)all, target->world.particles_max);
    if (target->world.solver == TP_SOLVER_VORTEX && !has_other_vortons(target))
        target->world.vortex.vortons_max = (uint32_t)vortons;
    return HOST_DONE;
}

static tp_result add_vortons(const scene_ring *ring, const ring_frame *frame, tp_world *world)
{
    tp_result result = TP_OK;
    double length = 2 * PI * ring->radius / ring->vortons * ring->circulation;
    for (uint32_t k = 0; k < ring->vortons && result >= TP_OK; k++) {
        double angle = (double)k / ring->vortons;
        double wave = ring->waviness * scene_sine(ring->waves * angle);
        double radius = ring->radius * (1 + wave);
        uint32_t index = tp_world_view(world).count;
        result = tp_particle_add(world, sum(ring->position, direction(frame, angle, radius, 0)),
                                 (tp_vector){0, 0, 0}, ring->vorton_place, NULL);
        if (result >= TP_OK)
            result = tp_particle_strength(world, index, direction(frame, angle + 0.25, length, 0));
    }
    return result;
}

/* Uniform in 0..1, a function of the ring, the tracer and the axis. */
static double random_of(const scene_ring *ring, uint32_t tracer, uint32_t axis)
{
    uint64_t key = (uint64_t)ring->mark.line << 34 | (uint64_t)tracer << 2 | axis;
    return (double)(tpi_mix(key) >> 11) / 9007199254740992.0;
}

static tp_result add_tracers(const scene_ring *ring, const ring_frame *frame, tp_world *world)
{
    tp_result result = TP_OK;
    for (uint32_t k = 0; k < ring->tracers && result >= TP_OK; k++) {
        double angle = random_of(ring, k, 0), turn = random_of(ring, k, 1);
        double tube = ring->tube * sqrt(random_of(ring, k, 2));
        tp_vector at = direction(frame, angle, ring->radius + tube * scene_sine(turn + 0.25),
                                 tube * scene_sine(turn));
        result = tp_particle_add(world, sum(ring->position, at), (tp_vector){0, 0, 0},
                                 ring->tracer_place, NULL);
    }
    return result;
}

int scene_add_rings(const scene *source, tp_world *world)
{
    for (size_t i = 0; i < source->ring_count; i++) {
        const scene_ring *ring = &source->rings[i];
        ring_frame frame = frame_of(ring);
        tp_result result = add_vortons(ring, &frame, world);
        if (result >= TP_OK) result = add_tracers(ring, &frame, world);
        if (result < TP_OK)
            return scene_problem(source, ring->mark.line, NULL, "'%s': %s", ring->mark.name,
                                 tp_result_text(result));
    }
    return HOST_DONE;
}
