# SPDX-License-Identifier: MIT
# tests/style/named_tests.awk - checks that the tests which a page names exist.
#   reads   lines of FILE:LINE, a tab, the name of a test; then suites.h, test files, and scripts with claims
#   writes  one line per test that does not exist; exit 1 if there is one
#   memory  the names     cost  O(bytes of the files + tests * claims)
#   after   own design; a test is SUITE.CASE, or SCRIPT: CLAIM. Where a script inserts a variable into the
#           name of a claim, the text at that position must be a word of the script or the name of a folder
#           below ports

FNR == NR {
    at = index($0, "\t")
    line[++count] = substr($0, 1, at - 1)
    test[count] = substr($0, at + 1)
    next
}
FILENAME ~ /suites\.h$/ {
    if (match($0, /^SUITE\([a-z0-9_]+\)/)) has_suite[substr($0, 7, RLENGTH - 7)] = 1
    next
}
FILENAME ~ /\.c$/ {
    rest = $0
    while (match(rest, /TEST_(CASE|LONG)\([a-z0-9_]+\)/)) {
        cases[FILENAME] = cases[FILENAME] " " substr(rest, RSTART + 10, RLENGTH - 11)
        rest = substr(rest, RSTART + RLENGTH)
    }
    if (match($0, /TEST_SUITE\([a-z0-9_]+,/)) suite[FILENAME] = substr($0, RSTART + 11, RLENGTH - 12)
    next
}
{
    text[FILENAME] = text[FILENAME] $0 "\n"
    rest = $0
    while (match(rest, /claim(_good)?[ (]["'`]?/)) {
        mark = substr(rest, RSTART + RLENGTH - 1, 1)
        rest = substr(rest, RSTART + RLENGTH)
        claims[FILENAME] = claims[FILENAME] name_at(rest, mark) "\n"
    }
}

# The name of a claim as the script writes it: `rest` begins after the opening quote or blank `mark`. Each
# shell variable is replaced by a tab. Text after a colon is not part of the name.
function name_at(rest, mark,    name)
{
    name = substr(rest, 1, index(rest mark, mark) - 1)
    if (mark == " ") sub(/[;)].*/, "", name)
    sub(/:.*/, "", name)
    gsub(/\$\{[^}]*\}|\$[A-Za-z0-9_]+/, "\t", name)
    return name
}

# Whether the text inserted for a variable is a word of the script or the name of a target.
function is_word(part, script,    file, first, is_target)
{
    if (part == "") return 0
    if (index(text[script], part)) return 1
    file = "ports/" part "/target"
    is_target = (getline first <file) > 0
    close(file)
    return is_target
}

# Whether a claim of the script has this name.
function is_claim(name, script,    names, parts, total, pieces, i, k, rest, at, is_good)
{
    total = split(claims[script], names, "\n")
    for (i = 1; i < total; i++) {
        pieces = split(names[i], parts, "\t")
        rest = name
        is_good = index(rest, parts[1]) == 1
        rest = substr(rest, length(parts[1]) + 1)
        for (k = 2; is_good && k <= pieces; k++) {
            at = parts[k] == "" ? length(rest) + 1 : index(rest, parts[k])
            is_good = at > 1 && is_word(substr(rest, 1, at - 1), script)
            rest = substr(rest, at + length(parts[k]))
        }
        if (is_good && rest == "") return 1
    }
    return 0
}

END {
    for (file in suite) {
        total = split(cases[file], names, " ")
        for (i = 1; i <= total; i++) if (suite[file] in has_suite) exists[suite[file] "." names[i]] = 1
    }
    for (i = 1; i <= count; i++) {
        at = index(test[i], ": ")
        if (at ? is_claim(substr(test[i], at + 2), substr(test[i], 1, at - 1)) : test[i] in exists) continue
        print line[i] ": there is no test " test[i]
        faults++
    }
    exit faults > 0
}
