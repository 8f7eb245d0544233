# SPDX-License-Identifier: MIT
# ports/count/thumb_calls.awk - call graph and stack use of a linked Thumb program, from its disassembly.
#   reads   the output of objdump -d      writes  `calls FUNCTION CALLEE` and `takes FUNCTION BYTES`; exit 1 if a stack has no bound
#   memory  one function's calls         cost    O(instructions)
#   after   own design; gcc's call graph lacks library functions and calls of software arithmetic. The result is an upper bound:
#           all pushes of a function are summed, and a jump into another function counts as a call. `known`, if given, is
#           gcc's call graph: it already bounds its functions, so only their calls are needed

# The number of registers in a list such as `{r4-r7, lr}`.
function registers(list,    parts, count, n, i, ends)
{
    gsub(/[{} ]/, "", list)
    gsub(/sl/, "r10", list); gsub(/fp/, "r11", list); gsub(/ip/, "r12", list); gsub(/sp/, "r13", list)
    gsub(/lr/, "r14", list); gsub(/pc/, "r15", list); gsub(/sb/, "r9", list)
    n = split(list, parts, ",")
    for (i = 1; i <= n; i++) {
        if (split(parts[i], ends, "-") == 2) count += substr(ends[2], 2) - substr(ends[1], 2) + 1
        else count++
    }
    return count
}

function number_behind(text, mark) { return substr(text, index(text, mark) + length(mark)) + 0 }

# The address of a Thumb function; in pointers to it the lowest bit is set.
function even(address,    last)
{
    last = index("0123456789abcdef", substr(address, length(address))) - 1
    return substr(address, 1, length(address) - 1) substr("0022446688aaccee", last + 1, 1)
}

function no_bound(why)
{
    if (name in bounded) return
    print "the stack of " name " has no bound: " why
    failed = 1
}

function end_function(next_name)
{
    if (name == "") return
    print "takes", name, bytes
    if (!is_ended && next_name != "") print "calls", name, next_name
}

known != "" && FILENAME == known {
    if (/^node:.*[0-9] bytes/) {
        title = $0
        sub(/^[^"]*"/, "", title)
        sub(/".*/, "", title)
        sub(/^.*:/, "", title)
        bounded[title]
    }
    next
}
/^[0-9a-f]+ <.*>:$/ {
    next_name = $2
    gsub(/[<>:]/, "", next_name)
    named[$1] = next_name
    end_function(next_name)
    name = next_name
    bytes = 0
    is_ended = 0
    next
}
/^ *[0-9a-f]+:\t/ {
    split($0, cells, "\t")
    operation = cells[3]
    operands = cells[4]
    sub(/[ \t]*[;@].*/, "", operands)
    if (operation == ".word" && name ~ /_from_arm$/) leads[name] = even(substr(operands, 3))
    if (operation ~ /^\.(word|short|byte)/) next
    if (operation == "nop" || operation == "nop.w") next
    is_ended = operation ~ /^(b|b\.n|b\.w|bx|udf)$/ || ((operation ~ /^(pop|ldm)/ || operation ~ /^(ldr|mov)/ && operands ~ /^pc/) && operands ~ /pc/)
    if (operation ~ /^push/) bytes += 4 * registers(operands)
    else if (operation ~ /^stm(db|fd)/ && operands ~ /^sp!/) { sub(/^sp!, /, "", operands); bytes += 4 * registers(operands) }
    else if (operation ~ /^vpush/) bytes += (operands ~ /d/ ? 8 : 4) * registers(operands)
    else if (operation ~ /^str/ && operands ~ /\[sp, #-[0-9]+\]!/) bytes += number_behind(operands, "[sp, #-")
    else if (operation ~ /^sub/ && operands ~ /^sp, .*#/) bytes += number_behind(operands, "#")
    else if (operation ~ /^(sub|add|mov)/ && operands ~ /^sp, (sp, )?r/) no_bound("`" operation " " operands "`")
    else if ((operation ~ /^blx/ && operands ~ /^(r[0-9]+|ip|sl|fp)$/) || (operation == "bx" && operands == "ip" && name !~ /_from_arm$/))
        no_bound("it calls through a pointer")
    if (operation ~ /^(b|cb)/ && match(operands, /<[^>]*>/)) {
        callee = substr(operands, RSTART + 1, RLENGTH - 2)
        sub(/\+0x[0-9a-f]+$/, "", callee)
        if (callee != name && !((name, callee) in seen)) { seen[name, callee]; print "calls", name, callee }
    }
}
END {
    end_function("")
    for (name in leads) {
        if (leads[name] in named) print "calls", name, named[leads[name]]
        else no_bound("it leads to no function")
    }
    exit failed
}
