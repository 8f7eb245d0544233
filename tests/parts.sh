# SPDX-License-Identifier: MIT
# tests/parts.sh - shared by scripts that run several test programs: a log each, and the sum of their results.
#   reads   nothing
#   writes  $parts_log/NAME.txt and .code (output and exit code of each part), then `N passed, M failed`
#   memory  files below $parts_log      cost  that of the parts
#   after   own design; a part is a program whose last line is `N passed, M failed`. Source this file with
#           parts_log set. Call `part NAME COMMAND...` for each part, in the background if parts may run
#           together. Then call `parts_end NAME...`
mkdir -p "$parts_log" || exit 1
parts_passed=0 parts_failed=0

part() # NAME COMMAND...
{
    part_name=$1
    shift
    "$@" >"$parts_log/$part_name.txt" 2>&1
    echo $? >"$parts_log/$part_name.code"
}

# Adds the numbers of a part's closing line to the sums. A part fails if it has no closing line or ran no
# test.
part_add() # NAME
{
    echo "---- $1"
    cat "$parts_log/$1.txt"
    closing=$(tail -1 "$parts_log/$1.txt" | grep -E '^[1-9][0-9]* passed, [0-9]+ failed$|^0 passed, [1-9][0-9]* failed$')
    if [ -z "$closing" ]; then
        echo "FAILED $1 ended with exit code $(cat "$parts_log/$1.code") and no closing line"
        closing="0 passed, 1 failed"
    fi
    parts_passed=$((parts_passed + $(echo "$closing" | cut -d' ' -f1)))
    parts_failed=$((parts_failed + $(echo "$closing" | cut -d' ' -f3)))
}

parts_end() # NAME...
{
    for part_name; do part_add "$part_name"; done
    echo "$parts_passed passed, $parts_failed failed"
    [ $parts_failed -eq 0 ]
}
