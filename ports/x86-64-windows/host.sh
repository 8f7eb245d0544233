# SPDX-License-Identifier: MIT
# ports/x86-64-windows/host.sh - tests the host program where Windows differs: line ends, paths, open files, large files, threads.
#   reads   the files written by hosts_exchange_files      writes  more files in that folder
#   memory  some MB, and a sparse file of 4.8 GB      cost  some seconds
#   after   own design; sourced by the target's file, with ours, theirs and $folder of ports/one

# Standard output and input are binary: no \r is added. Input from a pipe is buffered in a hidden temporary file.
streams_are_bytes() # FOLDER
{
    for side in ours theirs; do
        $side convert "$1/ours/exact.tpc" - --to csv --quiet >"$1/$side.csv" &&
            $side convert - "$1/$side.tpc" --from csv --exact --quiet <"$1/ours/lossy.csv" || return 1
    done
    cmp "$1/ours.csv" "$1/theirs.csv" && cmp "$1/ours.tpc" "$1/theirs.tpc"
}

# An existing file and an existing sequence are replaced, and no other file is left in the folder.
files_are_replaced() # FOLDER
{
    rm -rf "$1/replaced"
    mkdir "$1/replaced"
    echo old >"$1/replaced/clip.tpc"
    for attempt in 1 2; do
        theirs convert "$1/ours/exact.tpc" "$1/replaced/clip.tpc" --exact --quiet &&
            theirs convert "$1/ours/exact.tpc" "$1/replaced/bake" --to bphys --jobs 3 --quiet || return 1
    done
    cmp "$1/ours/exact.tpc" "$1/replaced/clip.tpc" || return 1
    [ "$(ls -A "$1/replaced" | wc -l)" = "$(ls -A "$1/ours" | grep -c -e '^bake' -e '^exact')" ]
}

# Backslashes in paths work, and the start code does not expand a pattern.
paths_are_theirs() # FOLDER
{
    for slash in / '\\'; do
        theirs convert "$(echo "$1/replaced/bake_*_00.bphys" | tr / "$slash")" "$1/pattern.csv" --quiet &&
            ours convert "$1/replaced/bake_*_00.bphys" "$1/pattern_ours.csv" --quiet &&
            cmp "$1/pattern_ours.csv" "$1/pattern.csv" || return 1
    done
}

# A file with 4000 samples of 100 000 vertices, all zero except the first vertex of the last sample, at 4.8 GB.
offsets_have_64_bits() # FOLDER
{
    rm -f "$1/large.pc2"
    printf 'POINTCACHE2\0\1\0\0\0\240\206\1\0\0\0\200\77\0\0\200\77\240\17\0\0' >"$1/large.pc2"
    printf '\0\0\140\100' | dd of="$1/large.pc2" bs=4 seek=$((8 + 3 * 100000 * 3999)) conv=notrunc 2>/dev/null &&
        printf '\0' | dd of="$1/large.pc2" bs=1 seek=$((31 + 12 * 100000 * 4000)) conv=notrunc 2>/dev/null || return 1
    for side in ours theirs; do
        $side sample "$1/large.pc2" --frame 4000 --csv >"$1/large.$side" || return 1
    done
    rm "$1/large.pc2"
    grep -q '^4000,0,3.5,0,0' "$1/large.theirs" && cmp "$1/large.ours" "$1/large.theirs"
}

# A frame loop that records and draws with several threads: same state, same cache, same pictures.
runs_are_equal() # FOLDER
{
    ours run dam_break --frames 12 --threads 1 --out "$1/run_ours" --csv --json --quiet >"$1/run_ours.json" &&
        theirs run dam_break --frames 12 --threads 3 --out "$1/run_theirs" --csv --json --quiet >"$1/run_theirs.json" || return 1
    grep '"state_hash"' "$1/run_ours.json" >"$1/run_hash" && grep '"state_hash"' "$1/run_theirs.json" | cmp - "$1/run_hash" || return 1
    # the report and the chart contain measured times
    diff -r -x '*.json' -x dam_break.png "$1/run_ours" "$1/run_theirs"
}

host_is_as_elsewhere() # FOLDER
{
    for same in streams_are_bytes files_are_replaced paths_are_theirs offsets_have_64_bits runs_are_equal; do
        "$same" "$1" || { echo "not so: $same"; return 1; }
    done
}
