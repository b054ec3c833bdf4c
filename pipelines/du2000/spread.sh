#!/bin/sh
# Prints how far simulations of a trace move when the machine changes by 1 to 3 %: its clock, its memories, or its network.
#
#   sh spread.sh OUT TRACE MACHINE...
set -eu
out=$1 trace=$2
shift 2
mkdir -p "$out/spread"
for machine; do
	name=$(basename "$machine" .toml)
	bandwidth=$(sed -n 's/^bandwidth = "\([0-9]*\) .*/\1/p' "$machine")
	vary() { sed "s|^name = .*|name = \"$name-$1\"|; $2" "$machine" >"$out/spread/$name-$1.toml"; }
	rm -f "$out/spread/$name"-*.toml
	vary same ''
	for percent in 97 98 99 101 102 103; do
		vary "network-$percent" "s|^bandwidth = \"[0-9]*|bandwidth = \"$(awk "BEGIN { print $bandwidth * $percent / 100 }")|"
		vary "cpi-$percent" "s|^cpi = 1 |cpi = $(awk "BEGIN { print $percent / 100 }") |"
	done
	for cycles in 49 51; do
		vary "memory-$cycles" "s|\"50 cycles\"|\"$cycles cycles\"|"
	done
	set --
	for f in "$out/spread/$name"-*.toml; do set -- "$@" --machine "$f"; done
	predict --quiet replay "$trace" "$@" -o "$out/spread/simulation.arrow" >/dev/null
	traces head -n 1000 --format csv "$out/spread/simulation.arrow" | awk -F , -v name="$name" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ e = $at["e_instr"]; if (!n || e < lo) lo = e; if (!n || e > hi) hi = e; n++; program = $1 }
		$at["machine"] == name "-same" { same = e }
		END { printf "%-34s %-26s %8.4g ns, of %d machines within 3 %% of it %+.1f to %+.1f %%\n", program, name, same, n - 1, 100 * (lo / same - 1), 100 * (hi / same - 1) }'
done
