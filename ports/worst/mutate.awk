# SPDX-License-Identifier: MIT
# ports/worst/mutate.awk - genetic search: makes the children of the worst known scenes, for one round of ports/worst/search.
#   reads   ports/worst/fields, then lines `kind figure SCENE`      writes  lines `name SCENE`
#   memory  the parents      cost  O(children)
#   after   own design; random numbers are from a linear congruential generator, so that every awk gives the same

function chance(most)
{
    state = (state * 1103515245 + 12345) % 2147483648
    return int(state / 65536) % most
}

# A random value of a field: uniform over its range, or a power of two, or one of its ends.
function drawn(field,    low, high, way, value)
{
    low = least[field]
    high = most[field]
    way = chance(4)
    if (way == 0) return chance(2) ? low : high
    if (way == 1) {
        value = 1
        while (value < high && chance(5)) value *= 2
        return value < low ? low : (value > high ? high : value)
    }
    return low + (chance(32768) * 32768 + chance(32768)) % (high - low + 1)
}

# Vortices have vortons, and most have a grid, in 3D and within 1000 km.
function give_air()
{
    if (!child[at["vortons"]]) child[at["vortons"]] = 1 + chance(most[at["vortons"]])
    if (!child[at["air_grid"]] && chance(4)) child[at["air_grid"]] = 1 + chance(most[at["air_grid"]])
    if (!child[at["air_grid"]]) return
    child[at["dimensions"]] = 3
    if (child[at["far"]] == 3) child[at["far"]] = chance(3)
}

# Most cloth is in 3D and near the origin, where nodes find each other. A sheet that may split is in 3D and tears.
function give_cloth(splits,    f)
{
    for (f = at["tear"]; f <= at["sheet_more"]; f++) if (chance(3)) child[f] = drawn(f)
    if (splits || chance(8)) child[at["dimensions"]] = 3
    if (chance(4)) child[at["far"]] = 0
    child[at["tear"]] = splits ? 1 + chance(most[at["tear"]]) : 0
    if (splits) child[at["splits"]] = 1 + chance(most[at["splits"]])
    if (child[at["particles"]] < 16) child[at["particles"]] = 16 + chance(40)
}

# A child: a copy of a parent with some numbers drawn at random, changed slightly, or taken from another parent;
# its solver becomes that one, unless it is 0. Cloth may split or not.
function child_of(parent, solver, splits,    f, change, changes, value, line)
{
    for (f = 1; f <= fields; f++) child[f] = parents && chance(10) ? number[parent, f] : drawn(f)
    if (parents && chance(10)) {
        for (f = 1; f <= fields; f++) child[f] = number[parent, f]
        changes = 1 + chance(4)
        for (change = 0; change < changes; change++) {
            f = 1 + chance(fields)
            value = drawn(f)
            if (chance(3) == 0) value = number[1 + chance(parents), f]
            if (chance(4) == 0) value = child[f] + int(child[f] / 8 * (chance(3) - 1)) + chance(3) - 1
            child[f] = value < least[f] ? least[f] : (value > most[f] ? most[f] : value)
        }
    }
    if (solver) child[at["solver"]] = solver
    if (child[at["solver"]] == vortices) give_air()
    if (solver == cloth) give_cloth(splits)
    line = child[1]
    for (f = 2; f <= fields; f++) line = line " " child[f]
    return line
}

BEGIN {
    cloth = 6
    vortices = 7
    state = seed * 7919 + round * 104729 + 1
    for (i = 0; i < 8; i++) chance(2)
}
FNR == 1 { file++ }
file == 1 && !/^#/ && NF >= 3 {
    at[$1] = ++fields
    least[fields] = $2
    most[fields] = $3
}
file == 2 && !/^#/ && NF >= 3 {
    parents++
    for (i = 3; i <= NF; i++) number[parents, i - 2] = $i
}
# Two of eight are vortices, and two are cloth: with small worlds one as it is, and one with all that a game does around it.
END {
    solver[0] = solver[6] = cloth
    solver[2] = solver[4] = vortices
    for (i = 0; i < 32; i++) print "child" i, child_of(1 + (parents ? chance(parents) : 0), solver[i % 8] + 0, i % 8 == 6)
}
