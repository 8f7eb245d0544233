/* SPDX-License-Identifier: MIT
   runtime/emit/life.c - how long particles live, and curves over their age.
   reads   emitters, sinks, births, curves      writes  arrays of the caller
   memory  none                                 cost    O(sinks) per particle, O(1) per curve
   after   own design: lifetimes are computed from ids, as sinks do, and nothing is stored */
#include "emit.h"

/* Age of the front set's particle now, and at its death; TP_TICKS_NONE: it has no limit. */
static uint32_t life_of(const tp_world *world, uint32_t i, uint32_t *age)
{
    uint32_t meta = tpi_words(world, world->arrays.meta)[i];
    *age = (uint32_t)tpi_now(world) - tpi_words(world, world->arrays.birth)[i];
    return tpi_sinks_lifetime(world, meta, tpi_words(world, world->arrays.id)[i]);
}

static float life_share(uint32_t age, uint32_t life)
{
    if (life == TP_TICKS_NONE) return 0.0f;
    return age < life ? (float)age / (float)life : 1.0f;
}

float tpi_life_share(const tp_world *world, uint32_t index)
{
    uint32_t age, life = life_of(world, index, &age);
    return life_share(age, life);
}

static tp_result life_check(const tp_world *world, uint32_t first, uint32_t count)
{
    tp_result result = tpi_world_check_block(world);
    if (result != TP_OK) return result;
    if (!world->def.keeps_births) return TP_ERROR_DEFINITION;
    return first > world->count || count > world->count - first ? TP_ERROR_HANDLE : TP_OK;
}

tp_result tp_world_lives(const tp_world *world, uint32_t first, uint32_t count,
                         uint32_t *left_ticks, float *ages)
{
    tp_result result = life_check(world, first, count);
    if (result != TP_OK) return result;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t age, life = life_of(world, first + k, &age);
        if (left_ticks) left_ticks[k] = life == TP_TICKS_NONE ? life : life > age ? life - age : 0u;
        if (ages) ages[k] = life_share(age, life);
    }
    return TP_OK;
}

/* ---- curves ---- */

const char *tp_curve_check(const tp_curve *curve)
{
    if (!curve) return TPI_TEXT("the curve is null");
    if (curve->count < 1u || curve->count > TP_CURVE_MAX) return TPI_TEXT("count must be 1 to 8");
    for (uint32_t k = 0; k < curve->count; k++) {
        if (!tpi_is_within(curve->age[k], 0.0f, 1.0f)) return TPI_TEXT("age must be 0 to 1");
        if (k > 0 && !(curve->age[k] > curve->age[k - 1u]))
            return TPI_TEXT("age must increase from point to point");
        if (!tpi_is_within(curve->value[k], -1e9f, 1e9f))
            return TPI_TEXT("value must be -1e9 to 1e9");
    }
    return NULL;
}

float tpi_curve_at(const tp_curve *curve, float age)
{
    uint32_t next = 0, last = curve->count - 1u;
    while (next < last && !(age < curve->age[next])) next++;
    if (next == 0 || !(age < curve->age[next])) return curve->value[next];
    float from = curve->age[next - 1u], share = (age - from) / (curve->age[next] - from);
    return curve->value[next - 1u] + (curve->value[next] - curve->value[next - 1u]) * share;
}

tp_result tp_world_curve(const tp_world *world, const tp_curve *curves, uint32_t curve_count,
                         uint32_t first, uint32_t count, float *values)
{
    tp_result result = life_check(world, first, count);
    if (result != TP_OK) return result;
    if (!curves || !values) return TP_ERROR_NULL;
    if (curve_count != 1u && curve_count != world->def.species_count) return TP_ERROR_DEFINITION;
    for (uint32_t c = 0; c < curve_count; c++)
        if (tp_curve_check(&curves[c])) return TP_ERROR_DEFINITION;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t age, life = life_of(world, first + k, &age),
                      species = TP_META_SPECIES(tpi_words(world, world->arrays.meta)[first + k]);
        values[k] = tpi_curve_at(&curves[curve_count > 1u ? species : 0u], life_share(age, life));
    }
    return TP_OK;
}
