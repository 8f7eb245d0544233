# SPDX-License-Identifier: MIT
# ports/table.awk - the tables of ports/guide/targets.md, from what ports/one measured.
#   reads   the tables as the page has them, the names of those that ran, their facts, tests/golden/golden.h
#   writes  the table between its two comments      memory  the table      cost  O(lines)
#   after   own design; a target that did not run keeps its rows

function known(name, key) { return (name, key) in facts ? facts[name, key] : "-" }

# 1234567 as 1 234 567: numbers are compared by eye.
function spaced(number,    text)
{
    if (number == "-") return number
    text = number
    while (match(text, /^[0-9][0-9][0-9][0-9]+/)) text = substr(text, 1, RLENGTH - 3) " " substr(text, RLENGTH - 2)
    return text
}

# Of a count a frame, in thousands.
function thousands(number) { return number == "-" ? "-" : sprintf("%d", number / 1000 + 0.5) }

function size_row(name,    equal)
{
    equal = known(name, "golden")
    return "| " name " | " known(name, "label") " | " (equal == "-" ? "-" : equal == scenes ? "equal" : "DIFFERENT") " | " \
        spaced(known(name, equal == "-" ? "program-text" : "text-O2")) " | " known(name, "data-O2") " | " spaced(known(name, "ram")) " | " \
        spaced(known(name, "stack-O2")) " |"
}

# Of instructions or ticks, whatever was told.
function stage_row(name, kind,    row, i)
{
    if (known(name, kind "-total") == "-") return ""
    row = "| " name " | " spaced(known(name, kind "-total")) " |"
    for (i = 1; i <= stage_count; i++)
        if (kind == "count" || stages[i] != "frame") row = row " " thousands(known(name, kind "-" stages[i])) " |"
    return kind == "count" ? row : row sprintf(" %.1f |", 1000 * known(name, kind "-total") / known(name, "ticks-rate"))
}

function print_stages(kind, rows, last,    i, line, rule)
{
    line = "| target | all |"
    rule = "|---|---|"
    for (i = 1; i <= stage_count; i++) {
        if (kind == "ticks" && stages[i] == "frame") continue
        line = line " " stages[i] " |"
        rule = rule "---|"
    }
    print line (last == "" ? "" : " " last " |")
    print rule (last == "" ? "" : "---|")
    for (i = 1; i <= count; i++) if (rows[order[i]] != "") print rows[order[i]]
}

# The hashes are others than those of the tables as the page has them: nobody knows what the target would print now.
function not_run_since(row)
{
    sub(/\| equal \|/, "| not run since |", row)
    return row
}

# One number for all hashes, below 2^30 so that a product with 16 is exact in a double.
function folded(sum, text,    i)
{
    for (i = 1; i <= length(text); i++) sum = (sum * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1) % 999999937
    return sum
}

BEGIN { stage_count = split("move grid pairs nearest pressure force collide emit commit frame", stages, " ") }
FILENAME ~ /table_before/ {
    if (/^All [0-9]+ scenes /) {
        scenes_before = $2
        split($0, quoted, "`")
        hash_before = quoted[6]
        sum_before = quoted[7] ~ /the sum of all/ ? quoted[8] : ""
    }
    if (/^Ticks /) in_ticks = 1
    if ($0 !~ /^\| [a-z][a-z0-9-]* \|/ || $0 ~ /^\| target /) next
    row_name = $2
    if (split($0, cells, "|") == 9) size_rows[row_name] = $0
    else if (in_ticks) tick_rows[row_name] = $0
    else count_rows[row_name] = $0
    names[row_name]
    next
}
FILENAME ~ /ran.txt$/ { names[$1]; ran[$1]; next }
FILENAME ~ /facts$/ {
    split(FILENAME, path, "/")
    key = $1
    sub(/^[^ ]* /, "")
    facts[path[3], key] = $0
    next
}
/ITEM\(/ && !/define/ {
    scenes++
    match($0, /0x[0-9a-f]+/)
    if (/ITEM\(fluid_2d,/) hash = substr($0, RSTART + 2, RLENGTH - 2)
    sum = folded(sum, substr($0, RSTART + 2, RLENGTH - 2))
}
END {
    if (scenes_before != scenes || hash_before != hash || sum_before != "" && sum_before + 0 != sum)
        for (name in size_rows) size_rows[name] = not_run_since(size_rows[name])
    for (name in ran) {
        size_rows[name] = size_row(name)
        count_rows[name] = stage_row(name, "count")
        tick_rows[name] = stage_row(name, "ticks")
    }
    for (name in names) order[++count] = name
    for (i = 2; i <= count; i++)
        for (j = i; j > 1 && order[j] < order[j - 1]; j--) { kept = order[j]; order[j] = order[j - 1]; order[j - 1] = kept }
    print "<!-- targets: written by make test-targets -->"
    print "All " scenes " scenes of `tests/golden` have the same hash on each that runs them; `fluid_2d` is `" hash "`, the sum of all `" sum "`."
    print "Where golden is `-`, the scenes do not fit the RAM; such a machine runs a program of its own, and text is that program\047s. Bytes at -O2:"
    print "text with constants and data of the whole runtime; the RAM that the demo takes, with its world and the stack that it used (small machines:"
    print "their own program; consoles: with code that lies in RAM; with an operating system: its world and the worst stack); and the worst"
    print "stack of any public call, on Cortex-M and GBA with the software floats that it calls."
    print ""
    print "| target | what it is | golden | text | data | RAM | stack |"
    print "|---|---|---|---|---|---|---|"
    for (i = 1; i <= count; i++) if (size_rows[order[i]] != "") print size_rows[order[i]]
    print ""
    print "Instructions that the demo executes a frame (200 particles of fluid, 30 000 units), by stage in thousands; the same in every run."
    print ""
    print_stages("count", count_rows, "")
    print ""
    print "Ticks of a console's own timer in the same frame, by stage in thousands, as its emulator counts them; the same in every run."
    print ""
    print_stages("ticks", tick_rows, "ms")
    print "<!-- end of targets -->"
}
