# SPDX-License-Identifier: MIT
# ports/worst/calls_check.awk - checks that every public call is measured, and that none costs more than recorded.
#   reads   the header; records, then measurements, as lines `call unit|call FIGURE...`; -v slack=PERCENT
#   writes  one line per missing call, and per call and room that costs more; then the number of calls; exit 1 on a failure
#   memory  the records      cost  O(lines)
#   after   own design

FNR == 1 { file++ }
file == 1 {
    if (!/^(TP_|const |tp_|uint64_t|bool)[^#=;]*[ *]tp_[a-z_]+\(/) next
    name = $0
    sub(/\(.*/, "", name)
    sub(/.*[ *]/, "", name)
    public[name] = 1
    next
}
/^#/ { next }
file == 2 { record[$1] = $0; next }
{ measured[$1] = $0 }
END {
    for (name in public) {
        count++
        if (!(name in record) || !(name in measured)) {
            print name ": " (name in measured ? "has no record" : "was not measured")
            failed = 1
            continue
        }
        split(record[name], limit, " ")
        split(measured[name], figure, " ")
        for (room = 3; room <= 5; room++)
            if (!(figure[room] + 0 > 0 && figure[room] <= limit[room] * (1 + slack / 100))) {
                print name ": " figure[room] " in room " room - 2 ", recorded " limit[room] "; if what it is for is worth it, write that there"
                failed = 1
            }
    }
    for (name in measured)
        if (!(name in public)) {
            print name ": is no public call"
            failed = 1
        }
    print count + 0, "public calls"
    exit failed || count < 90
}
