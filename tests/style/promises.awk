# SPDX-License-Identifier: MIT
# tests/style/promises.awk - compares the page of promises with the sentences that it must quote.
#   reads   the output of sentences.awk, then the page
#   writes  -v wanted=sentences: sentences without a row; quotes: rows whose quote does not occur in exactly
#           one sentence; tests: FILE:LINE, a tab and the test's name, for each test that the page names
#   memory  the sentences     cost  O(sentences * rows)
#   after   own design; a row is `| quote | header or README | tests in backticks |`
FNR == NR {
    at = index($0, "\t")
    place[++count] = substr($0, 1, at - 1)
    sentence[count] = substr($0, at + 1)
    next
}
!/^\| / || /^\| (sentence|error) / { next }
{
    split($0, cells, " *[|] *")
    quote = cells[2]
    file = cells[3] == "README" ? "README.md:" : "runtime/tidepool.h:"
    found = 0
    for (i = 1; i <= count; i++)
        if (index(place[i], file) == 1 && index(sentence[i], quote)) {
            found++
            has_row[i] = 1
        }
    if (wanted == "quotes" && (found != 1 || cells[3] !~ /^(header|README)$/))
        print FILENAME ":" FNR ": found in " found " sentences of " cells[3] ", expected in 1: " quote
    named = split(cells[4], tests, "`")
    if (wanted == "quotes" && named < 3) print FILENAME ":" FNR ": names no test: " quote
    if (wanted == "tests")
        for (i = 2; i <= named; i += 2) print FILENAME ":" FNR "\t" tests[i]
}
END {
    if (wanted == "sentences")
        for (i = 1; i <= count; i++)
            if (!has_row[i]) print place[i] ": no row of the page quotes this: " sentence[i]
}
