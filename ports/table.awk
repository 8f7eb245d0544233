# SPDX-License-Identifier: MIT
# ports/table.awk - makes the tables of ports/guide/targets.md from the measurements of ports/one.
#   reads   the current tables of the page, the names of the targets that ran, their facts, tests/golden/golden.h
#   writes  the tables, with the two comments around them      memory  the tables      cost  O(lines)
#   after   own design; a target that did not run keeps its rows

function known(name, key) { return (name, key) in facts ? facts[name, key] : "-" }

# Groups digits, 1234567 as 1 234 567.
function spaced(number,    text)
{
    if (number == "-") return number
    text = number
    while (match(text, /^[0-9][0-9][0-9][0-9]+/)) text = substr(text, 1, RLENGTH - 3) " " substr(text, RLENGTH - 2)
    return text
}

# A count per frame, rounded to thousands.
function thousands(number) { return number == "-" ? "-" : sprintf("%d", number / 1000 + 0.5) }

function size_row(name,    equal)
{
    equal = known(name, "golden")
    return "| " name " | " known(name, "label") " | " (equal == "-" ? "-" : equal == scenes ? "equal" : \
        known(name, "every") != "-" && equal >= int(scenes / known(name, "every")) ? "equal: " equal " scenes" : "DIFFERENT") " | " \
        spaced(known(name, equal == "-" ? "program-text" : "text-O2")) " | " known(name, "data-O2") " | " spaced(known(name, "ram")) " | " \
        spaced(known(name, "stack-O2")) " |"
}

# The row of a target in the table of instructions (`count`) or of ticks (`ticks`); empty if it was not measured.
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

# The hashes have changed since the page was written, so the row of a target that did not run is out of date.
function not_run_since(row)
{
    sub(/\| equal \|/, "| not run since |", row)
    return row
}

# Folds all hashes into one number, below 2^30 so that a product with 16 is exact in a double.
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
    print "All " scenes " scenes of `tests/golden` have the same hash on every target whose row says equal; `fluid_2d` is `" hash "`, the sum of all `" sum "`."
    print "Sizes are bytes at -O2. `text` is the code and constants of the whole runtime. `RAM` is the memory of the demo with its world, plus the"
    print "stack that it used; on consoles it includes code that resides in RAM, and with an operating system it is the world plus the worst stack."
    print "Where `golden` is `-` the scenes do not fit the RAM: such a machine runs a smaller program, and `text` and `RAM` are those of that program."
    print "`stack` is the worst stack of any public call, on Cortex-M and GBA including the software float routines."
    print ""
    print "| target | what it is | golden | text | data | RAM | stack |"
    print "|---|---|---|---|---|---|---|"
    for (i = 1; i <= count; i++) if (size_rows[order[i]] != "") print size_rows[order[i]]
    print ""
    print "Instructions per frame of the demo (200 fluid particles, 30 000 units): the total, then thousands by stage. Every run gives the same counts."
    print "Rows of targets that the first table calls not run since are of an earlier tree, and not to be compared with others."
    print ""
    print_stages("count", count_rows, "")
    print ""
    print "Ticks of the console\047s hardware timer for the same frame, as the emulator counts them: the total, then thousands by stage. Every run gives"
    print "the same counts, and rows of targets that have not run since are of an earlier tree, too."
    print ""
    print_stages("ticks", tick_rows, "ms")
    print "<!-- end of targets -->"
}
