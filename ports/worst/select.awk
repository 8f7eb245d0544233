# SPDX-License-Identifier: MIT
# ports/worst/select.awk - keeps the worst scene of every kind, also of vortices on a grid: the selection step of a round of ports/worst/search.
#   reads   children, their measurements, the worst known scenes      writes  lines `kind figure SCENE`
#   memory  the children      cost  O(lines)
#   after   own design

function line_of(from,    line, i)
{
    line = $from
    for (i = from + 1; i <= NF; i++) line = line " " $i
    return line
}

function consider(kind, value, scene)
{
    if (value <= figure[kind] + 0) return
    if (is_measured && figure[kind] != "" && round != "")
        printf "round %d: %s %.1f, before %.1f\n", round, kind, value, figure[kind] >"/dev/stderr"
    figure[kind] = value
    best[kind] = scene
}

# Of a scene: vortices (second number) on a grid (last number).
function has_grid(scene,    number, count)
{
    count = split(scene, number, " ")
    return number[2] == 7 && number[count] > 0
}

FILENAME == ARGV[1] { scene[children++ + 0] = line_of(2) }
FILENAME == ARGV[2] {
    measured[++lines] = $0
}
FILENAME == ARGV[3] {
    figure[$1] = $2
    best[$1] = line_of(3)
}
END {
    is_measured = 1
    for (i = 1; i <= lines; i++) {
        $0 = measured[i]
        if ($2 == "empty") continue
        units = $7 < 64 ? 64 : $7
        has_budget = $2 !~ /^tp_/ || $2 ~ /^tp_(frame|query_update|query_region|query_nearest|query_sample|query_grid|query_ray|world_ray)$/
        consider($2, has_budget ? $6 / units : $8, scene[$1])
        if ($2 !~ /^tp_/ && has_grid(scene[$1])) consider("vortex_" $2, $6 / units, scene[$1])
    }
    for (kind in best) print kind, figure[kind], best[kind]
}
