# SPDX-License-Identifier: MIT
# ports/worst/calls.awk - what the rooms of ports/worst/calls.c cost, as a line a call.
#   reads   `room call times units instructions worst_instructions worst_units most` a line
#   writes  `call unit|call FIGURE...`, a figure a room: of calls with a budget the most instructions a unit, else the most
#   memory  a figure a call and room      cost  O(lines)
#   after   own design; a call without a budget tells no more than 64 units

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
