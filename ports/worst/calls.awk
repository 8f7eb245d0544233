# SPDX-License-Identifier: MIT
# ports/worst/calls.awk - worst cost of each public call, from the output of ports/worst/calls.c; one line per call.
#   reads   lines `room call times units instructions worst_instructions worst_units most`; a room is a set of capacities
#   writes  lines `call unit|call FIGURE...`, one figure per room: most instructions per unit for calls with a budget, else per call
#   memory  one figure per call and room      cost  O(lines)
#   after   own design; a call without a budget reports at most 64 units

$2 !~ /^tp_/ { next }
{
    if ($7 > 64) has_budget[$2] = 1
    each[$2, $1] = $6 / ($7 < 64 ? 64 : $7)
    most[$2, $1] = $8
    names[$2] = 1
    if ($1 > last) last = $1
}
END {
    for (name in names) {
        line = name (name in has_budget ? " unit" : " call")
        for (room = 0; room <= last; room++)
            line = line " " (!((name, room) in most) ? "-" : name in has_budget ? sprintf("%.1f", each[name, room]) : most[name, room])
        print line
    }
}
