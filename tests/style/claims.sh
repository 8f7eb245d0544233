# SPDX-License-Identifier: MIT
# tests/style/claims.sh - shared by the test scripts: counts claims and prints the closing line.
#   reads   nothing
#   writes  one line per claim: `ok NAME`, `FAILED NAME` with the end of its output, `skipped NAME: why`
#   memory  files below $claims_folder      cost  that of the claims
#   after   own design; source it with claims_folder set, then call `claim NAME COMMAND...` and at the end
#           `claims_end`
mkdir -p "$claims_folder" || exit 1
claims_passed=0 claims_failed=0

claim_good()
{
    claims_passed=$((claims_passed + 1))
    echo "ok $*"
}

claim_bad()
{
    claims_failed=$((claims_failed + 1))
    echo "FAILED $*"
}

skipped() { echo "skipped $*"; }

# Sets claims_seconds to the processor time that this shell's commands have used so far. Not in a subshell,
# which would see only its own time.
claims_look()
{
    times >"$claims_folder/times"
    claims_seconds=$(sed -n '2s/[ms]/ /gp' "$claims_folder/times" | awk '{ printf "%.1f", 60 * ($1 + $3) + $2 + $4 }')
}

# The command's output is shown only if the claim fails. TIDEPOOL_TIMES=1 prints the processor time of each
# claim.
claim() # NAME COMMAND...
{
    claim_name=$1
    shift
    [ -z "$TIDEPOOL_TIMES" ] || { claims_look; claim_from=$claims_seconds; }
    if "$@" >"$claims_folder/$claim_name.log" 2>&1; then
        claim_good "$claim_name"
    else
        claim_bad "$claim_name"
        tail -20 "$claims_folder/$claim_name.log" | sed 's/^/    /'
    fi
    [ -z "$TIDEPOOL_TIMES" ] || { claims_look; echo "    $claim_from to $claims_seconds s of a processor"; }
}

# The runtime's object files as make built them, one per existing source: objects of deleted sources are left
# out.
# And those of the passes, where there are any (runtime/base/pass.h).
runtime_objects()
{
    find runtime -name '*.c' | LC_ALL=C sort | sed 's|^|build/objects/|; s|\.c$|.o|' | tr '\n' ' '
    ls build/objects/pass*.o 2>/dev/null | tr '\n' ' '
}
# What a file is compiled with that includes private headers and is linked to those objects.
runtime_flags() { [ ! -e build/objects/pass8.o ] || echo -DTIDEPOOL_DISPATCH=1; }

# gcc compares the columns of lines for the warning of misleading indentation. In the single header it searches for each
# of them from the first line on: 5 s of every compile. The files of the tree are compiled with that warning.
whole_header=-Wno-misleading-indentation

has() { command -v "$1" >/dev/null 2>&1; }

# True if a program compiled with these flags runs on this machine. Scripts that run at the same time may share the folder.
can_run() # COMPILER FLAGS...
{
    probe=$claims_folder/probe_$$
    printf 'int main(void) { return 0; }\n' >"$probe.c"
    "$@" "$probe.c" -o "$probe" >/dev/null 2>&1 && "$probe" >/dev/null 2>&1
    can_run_code=$?
    rm -f "$probe"*
    return $can_run_code
}

# The sanitizers of the tests, and the first compiler that has their libraries: clang compiles with them in a fifth
# of gcc's time.
sanitise="-fsanitize=address,undefined -fno-sanitize-recover=all"
# Checks of memory as calls instead of code at each access: clang compiles in two thirds of the time, and what it makes
# runs for half as long again.
sanitise_by_calls() # COMPILER
{
    flag="-mllvm -asan-instrumentation-with-call-threshold=0"
    echo | "$1" -fsanitize=address $flag -fsyntax-only -x c - 2>/dev/null && echo "$flag"
}
# Inline functions as calls: the sanitizers' code is then made once per function and not once per call. clang compiles
# the runtime in half the time, and what it makes runs as fast at -O0.
sanitise_once=-Dalways_inline=unused
sanitising_compiler()
{
    for compiler in clang gcc "${CC:-cc}"; do
        can_run $compiler $sanitise && echo $compiler && return
    done
    return 1
}

claims_end()
{
    echo "$claims_passed passed, $claims_failed failed"
    [ $claims_failed -eq 0 ]
}
