# SPDX-License-Identifier: MIT
# ports/worst/small.awk - gives scenes small worlds and budgets. By turns: as they are; the demo's fluid; with all that a game does
#           around it, a fluid of any formulation or the scene's own solver.
#   reads   ports/worst/fields, then lines `name SCENE`; -v round=ROUND      writes  such lines
#   memory  one index per field      cost  O(lines)
#   after   own design; amounts are from the scene's seed

function set(name, value) { $(at[name]) = value }
function value_of(name) { return $(at[name]) }

# A random number from low to high.
function amount(low, high)
{
    state = (state * 1103515245 + 12345) % 2147483648
    return low + int(state / 65536) % (high - low + 1)
}

function demo_fluid(    name)
{
    set("dimensions", 2); set("solver", 1); set("neighbours", 32); set("cell_max", 64); set("stores", 1)
    set("substeps", 2); set("adaptive", 0); set("cutoff", 15)
    for (name in at) if (at[name] >= at["formulation"]) set(name, 0)
}

# Of a fluid: formulation, springs, heat, viscosity, cohesion, materials.
function any_fluid(seed)
{
    set("solver", 1)
    set("formulation", int(FNR / 4) % 4)
    set("springs", seed % 2 ? 1 + seed * 7 % 64 : 0)
    set("heat", seed % 3)
    set("viscosity", seed % 5 > 2 ? seed * 11 % 41 : 0)
    set("cohesion", seed % 7 > 3 ? seed * 13 % 41 : 0)
    set("shares", seed % 11 > 5 ? seed * 17 % 101 : 0)
    set("sticks", seed % 13 > 7 ? seed * 19 % 41 : 0)
    set("mixes", seed % 9)
}

# Each name with its least value; its greatest value is that of the field.
function everything_on(    list, count, i)
{
    count = split("colliders 4 emitters 2 rate 1 sinks 2 fields 2 species 2 links 4 bodies 1 events 1 feeds 1 changes 1 curves 1 " \
                  "feed_kind 0 feed_way 0 kills 0 pins 1 jelly 1 breaks 0 sink_rate 1 edges 1 wraps 0 places 0 slow_events 0 " \
                  "emitter_mesh 1 births 1 moves 1 loads 1 body_events 1 batches 15 words 1 last_frame 1 queries 63 lattice 1", list, " ")
    for (i = 1; i < count; i += 2) set(list[i], amount(list[i + 1], most[list[i]]))
    set("collider_kind", 7); set("emitter_kind", 5); set("field_kind", 5)
}

# A node that dies ends its sheet, and cloth tears after some whole steps: little of it meets what removes particles, or changes
# that begin every step again.
function cloth_lasts()
{
    set("sinks", 0); set("kills", 0); set("batches", value_of("batches") % 4 + 8 * int(value_of("batches") / 8))
    set("changes", 0); set("places", 0); set("budget", 6 * value_of("budget"))
}

FNR == 1 { file++ }
file == 1 {
    if (/^#/ || NF < 3) next
    at[$1] = ++fields + 1
    most[$1] = $3
    next
}
{
    set("particles", value_of("particles") % 61)
    set("slice", 64 + value_of("slice") % 449)
    set("budget", 64 + value_of("budget") % 1437)
    state = value_of("seed") + 101 * round
    if (FNR % 4 == 0) demo_fluid()
    if (FNR % 4 == 2) any_fluid(state)
    if (FNR % 4 >= 2) everything_on()
    if (value_of("solver") == 6 && amount(0, 3)) cloth_lasts()
    print
}
