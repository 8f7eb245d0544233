# SPDX-License-Identifier: MIT
# ports/worst/page.awk - the rows of host_tools/guide/worst.md that tell what is recorded.
#   reads   ports/worst/cortex-m4, ports/worst/calls_cortex-m4      writes  the begin of a row a stage, a row a call
#   memory  none      cost  O(lines)
#   after   own design; a bound is in the capacities of the definition

function spaced(number,    text)
{
    text = sprintf("%d", number + 0.5)
    while (match(text, /[0-9][0-9][0-9][0-9]/)) sub(/[0-9][0-9][0-9]($| )/, " &", text)
    return text
}
/^#/ { next }
FILENAME == ARGV[1] {
    if ($1 !~ /^tp_/ && $1 != "budget") print "| " $1 " | " spaced($2) " |"
    next
}
{
    bound = $6
    for (i = 7; i <= NF; i++) bound = bound " " $i
    print "| `" $1 "` | " bound " | " spaced($3) " | " spaced($4) " | " spaced($5) ($2 == "unit" ? " a unit |" : " |")
}
