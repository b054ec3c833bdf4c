#!/bin/sh
# Prints what the study's page has besides the comparison: errors of models by kind of machine, blocks that nodes fetch
# from each other, and coherence on the bus.
#
#   sh summary.sh OUT [TRACE...]
#
# Blocks are those of Radix and EDGE on 8 processors, if no traces are named.
set -eu
out=$1
shift
[ $# -gt 0 ] || set -- 'radix.*.procs-8' 'edge.*.procs-8'
rows() { traces head -n 1000000000 --format csv "$1"; }

awk -f summary.awk "$out/comparison.csv"

echo
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

echo
echo "coherence on the bus of du2000-smp-256k with 4 processors, in % of its uses, and misses alone"
for table in "$out"/*.procs-4.simulation.arrow; do
	rows "$table" | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["machine"] == "du2000-smp-256k" {
			uses = $at["misses"] + $at["upgrades"] + $at["writebacks"]
			printf "%-44s %5.1f %5.1f\n", $at["program"], 100 * $at["coherence_share"], 100 * $at["coherence_misses"] / uses }'
done
