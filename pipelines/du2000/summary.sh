#!/bin/sh
# Prints how many blocks nodes fetch from each other, as they are counted in traces, and as simulated.
#
#   sh summary.sh OUT [TRACE...]
#
# Blocks are those of Radix and EDGE on 8 processors, if no traces are named.
set -eu
out=$1
shift
[ $# -gt 0 ] || set -- 'radix.*.procs-8' 'edge.*.procs-8'
rows() { traces head -n 1000000000 --format csv "$1"; }

echo "blocks that nodes fetch: with a constant delay, in instructions, and as simulated"
for trace in $(for t; do printf '%s\n' "$out"/$t.refs.arrow; done); do
	[ -e "$trace" ] || continue # at other sizes
	trace=${trace%.refs.arrow}
	name=$(basename "$trace")
	rows "$trace.analysis/traffic.arrow" | awk -F , -v name="$name" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["kind"] == "fetch" { n[sprintf("%d processors a node, %-12s %6d", $at["per_node"], $at["placement"], $at["delay"])] += $at["count"] }
		END { for (k in n) printf "%-26s %-46s %7d\n", name, k, n[k] }' | LC_ALL=C sort
	rows "$trace.simulation.arrow" | awk -F , -v name="$name" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["machine"] !~ /-smp-/ { printf "%-26s %-46s %7d\n", name, $at["machine"], $at["remote_fetches"] }'
done
