# SPDX-License-Identifier: MIT
# tests/style/claims.sh - what the test scripts share: claims that are counted, and the closing line.
#   reads   nothing      writes  a line a claim: `ok NAME`, `FAILED NAME` with the last lines of its output, `skipped NAME: why`
#   memory  files below $claims_folder      cost  that of the claims
#   after   own design; source it with claims_folder set, then call `claim NAME COMMAND...` and at the end `claims_end`
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

# The command's output is shown only when the claim is false.
claim() # NAME COMMAND...
{
    claim_name=$1
    shift
    if "$@" >"$claims_folder/$claim_name.log" 2>&1; then
        claim_good "$claim_name"
    else
        claim_bad "$claim_name"
        tail -20 "$claims_folder/$claim_name.log" | sed 's/^/    /'
    fi
}

has() { command -v "$1" >/dev/null 2>&1; }

# True when the flags make a program that runs here.
can_run() # COMPILER FLAGS...
{
    printf 'int main(void) { return 0; }\n' >"$claims_folder/probe.c"
    "$@" "$claims_folder/probe.c" -o "$claims_folder/probe" >/dev/null 2>&1 && "$claims_folder/probe" >/dev/null 2>&1
}

claims_end()
{
    echo "$claims_passed passed, $claims_failed failed"
    [ $claims_failed -eq 0 ]
}
