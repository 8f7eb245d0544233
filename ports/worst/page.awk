# SPDX-License-Identifier: MIT
# ports/worst/page.awk - prints the table rows and phrases that runtime/guide/worst.md must contain for the current records.
#   reads   ports/worst/cortex-m4, ports/worst/x86-64-linux, ports/worst/calls_cortex-m4      writes  one row per stage and per call,
#           one phrase per other figure      memory  one figure per kind      cost  O(lines)
#   after   own design; bounds are in terms of the definition's capacities

function spaced(number,    text)
{
    text = sprintf("%d", number + 0.5)
    while (match(text, /[0-9][0-9][0-9][0-9]/)) sub(/[0-9][0-9][0-9]($| )/, " &", text)
    return text
}
FNR == 1 { file++ }
/^#/ { next }
function of_vortices(stage,    kind)
{
    kind = "vortex_" stage
    return (kind in on_m4 ? spaced(on_m4[kind]) : "-") " |"
}
file == 1 { on_m4[$1] = $2 }
file == 2 {
    if ($1 !~ /^tp_/ && $1 != "budget") print "| " $1 " | " spaced(on_m4[$1]) " | " spaced($2) " | " of_vortices($1)
    if ($1 == "budget") print "at most " spaced(on_m4[$1]) " instructions for a unit on the Cortex-M4F and " spaced($2) " on x86-64"
    if ($1 == "budget") print spaced(on_m4["vortex_budget"]) " with vortices on a grid"
}
file == 3 {
    bound = $6
    for (i = 7; i <= NF; i++) bound = bound " " $i
    print "| `" $1 "` | " bound " | " spaced($3) " | " spaced($4) " | " spaced($5) ($2 == "unit" ? " per unit |" : " |")
}
END {
    split("tp_field_set tp_particle_add tp_particle_set tp_world_ray", calls, " ")
    for (i = 1; i in calls; i++) print "`" calls[i] "` " spaced(on_m4[calls[i]])
    print "Those of the demo's size: " spaced(on_m4["demo"]) " instructions per unit"
}
