#!/bin/sh
# Holds simulation to the computer itself: programs that share memory, run natively on it, and replayed on its description.
#
# Native runs repeat in one process, so that caches have what the run before left: so has the simulation, with --warm.
#
# The description has one time of an instruction for all programs. A second prediction has the program's own, which a
# smaller run on one processor gives: what of its native time is not waiting for memory, over its instructions, as
# [dickens1996, sec. 4.1] has it, and 0.1 cycles at least. So the second column of errors is of larger data and of more
# processors, not of instructions.
#
#   sh hardware.sh FOLDER MACHINE        # REPEAT=15 native runs each, of which the least time counts
set -eu
out=$1 machine=$2
repeat=${REPEAT:-15}
mkdir -p "$out"

# Programs, their data, and data about a quarter as large.
programs() {
	cat <<-P
		fft points=65536 points=16384
		lu n=384 n=192
		radix keys=524288 keys=131072
		edge size=64 size=32
		ep numbers=1048576 numbers=262144
		is keys=262144 keys=65536
		fftblocked points=65536 points=16384
		cg n=1400,nonzeros=78148 n=700,nonzeros=30000
		cholesky rings=15,spokes=42 rings=8,spokes=42
		appbt iterations=4 iterations=1
		barnes bodies=1024,steps=4 bodies=512,steps=2
		sparse n=256 n=128
		tomcatv size=256,iterations=4 size=128,iterations=4
		water molecules=128,steps=4 molecules=64,steps=4
	P
}

sets() { echo "$1" | sed 's/^/--set /; s/,/ --set /g'; }

# column FILE NAME: of its first row.
column() { awk -F , -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } NR == 2 { print $c }' "$1"; }

# native PROGRAM DATA PROCESSORS: least time, in seconds.
native() {
	# shellcheck disable=SC2046 # words
	tracegen --quiet "$1" --native --repeat "$repeat" --procs "$3" $(sets "$2") --format csv >"$out/native.csv"
	sed 1d "$out/native.csv" | cut -d , -f 4 | sort -g | head -n 1
}

# record PROGRAM DATA PROCESSORS: once.
record() {
	trace=$out/$1.$(echo "$2" | tr =, -.).procs-$3
	# shellcheck disable=SC2046
	[ -s "$trace.events.arrow" ] || tracegen --quiet "$1" --procs "$3" $(sets "$2") -o "$trace" >/dev/null
}

# simulate MACHINE: the trace that was recorded last.
simulate() { predict --quiet replay "$trace" --machine "$1" --warm --format csv >"$out/simulation.csv"; }

clock=$(sed -n 's/^clock = "\([0-9.]*\) MHz".*/\1e6/p' "$machine")
[ -n "$clock" ] || { echo "hardware: $machine: the clock is not in MHz, as calibrate memory writes it" >&2; exit 1; }

echo "times in seconds; error of the predicted one in %, with the machine's time of an instruction, and with the program's own"
printf '%-34s %6s | %9s %9s %6s %6s | %9s %9s %6s %6s | %7s %7s\n' program cpi native,1 predicted error own native,2 predicted error own faster as-predicted
programs >"$out/programs"
while read -r program data small; do
	record "$program" "$small" 1
	simulate "$machine"
	# Instructions and what they wait for, of the smaller run.
	cpi=$(awk -v native="$(native "$program" "$small" 1)" -v ideal="$(column "$out/simulation.csv" ideal)" -v time="$(column "$out/simulation.csv" time)" \
		-v n="$(column "$out/simulation.csv" instructions)" -v clock="$clock" \
		'BEGIN { c = (native - (time - ideal)) / n * clock; if (c < 0.1) c = 0.1; printf "%.4g\n", c }')
	sed "s/^cpi = .*/cpi = $cpi/" "$machine" >"$out/own.machine.toml"
	printf '%-34s %6s' "$program $data" "$cpi"
	for procs in 1 2; do
		record "$program" "$data" $procs
		simulate "$machine" && all=$(column "$out/simulation.csv" time)
		simulate "$out/own.machine.toml" && own=$(column "$out/simulation.csv" time)
		measured=$(native "$program" "$data" $procs)
		echo "$measured $all $own" >"$out/times.$procs"
		awk '{ printf " | %9.4g %9.4g %+6.1f %+6.1f", $1, $3, 100 * ($2 / $1 - 1), 100 * ($3 / $1 - 1) }' "$out/times.$procs"
	done
	cat "$out/times.1" "$out/times.2" | awk 'NR == 1 { n = $1; p = $3 } NR == 2 { printf " | %7.2f %7.2f\n", n / $1, p / $3 }'
done <"$out/programs"
