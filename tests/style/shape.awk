# SPDX-License-Identifier: MIT
# tests/style/shape.awk - checks the size of files and functions, and the five lines at the top of a file.
#   reads   C files, scripts and the like; -v headers=1: the five lines are required
#   writes  one line per violation; exit 1 if there is one
#   memory  none     cost  O(lines)
#   after   own design; a function's body opens with a brace alone in the first column. The public header may
#           be longer: it must be a single file, and half of it is comments

function fault(line, text)
{
    print file ":" line ": " text
    faults++
}

function finish()
{
    if (file == "") return
    most = file == "runtime/tidepool.h" ? 3712 : 799
    if (lines > most) fault(lines, "has " lines " lines, and " most " are the most")
    if (!headers) return
    if (top !~ /SPDX-License-Identifier: MIT/) fault(1, "the first line must name the licence")
    if (index(top, " " file " ") == 0 || index(top, " - ") == 0) fault(2, "the second line must be its path, a dash, and what it is for")
    for (word = 1; word <= 5; word++)
        if (top !~ ("(^|[ \n])" words[word] " ")) fault(3, "the header does not say what it " words[word])
}

BEGIN { split("reads writes memory cost after", words, " ") }
FNR == 1 {
    finish()
    file = FILENAME
    top = ""
    opened = in_comment = 0
}
FNR <= 12 { top = top $0 "\n" }
{ lines = FNR }
FILENAME ~ /\.(c|h|cpp)$/ {
    if (!in_comment && $0 ~ /^ *\/\*/) in_comment = 1
    if (in_comment && length($0) > 100 && $0 !~ /\\$/) fault(FNR, "a comment has " length($0) " columns, and 100 are the most")
    if (index($0, "*/")) in_comment = 0
}
/^\{$/ { opened = FNR - 1 }
/^\}/ {
    if (opened && FNR - opened + 1 > 80) fault(opened, "a function of " FNR - opened + 1 " lines, and 80 are the most")
    opened = 0
}
END {
    finish()
    exit faults > 0
}
