#!/bin/sh
# Holds predicted times to native runs on this host, and counts what predicting costs. As in the paper, the time of an
# instruction of each program and size is that of a shorter native run on one processor, sec. 4.1: c = U/I. What messages cost
# is measured by tracegen/delayed, between ranks that compute as those of programs do.
#
#   sh native.sh FOLDER
set -eu
out=$1
repeat=${REPEAT:-15}
mkdir -p "$out"

# Programs of the paper, how the run differs whose instructions are timed, and its processors: bps has nothing to iterate on one.
programs() {
	cat <<-P
		sor g=25,digits=15,iterations=2000 iterations=1000 1
		sor g=50,digits=15,iterations=1000 iterations=500 1
		sor g=250,digits=15,iterations=100 iterations=50 1
		bps g=64 iterations=5 2
		bps g=256 iterations=5 2
		apucs f=64,time=1000 time=500 1
		apucs f=1,time=1000 time=500 1
		pgl triangles=500,frames=20 frames=10 1
		pgl triangles=1000,frames=20 frames=10 1
	P
}

# direct PROGRAM SETTINGS FLAG...: runs it under the simulator and natively, several times; row gets the run
# that was natively the fastest, as what the host does besides makes times longer.
row=$out/row.csv
direct() (
	kernel=$1 settings=$2
	shift 2
	for s in $(echo "$settings" | tr , ' '); do set -- "$@" --set "$s"; done
	: >"$row.all"
	for _ in $(seq "$repeat"); do predict --quiet direct "$kernel" "$@" --native --format csv >>"$row.all"; done
	grep -v '^program,' "$row.all" | sort -t , -k 14g | head -n 1 >"$row"
)

# of FORMAT, EXPRESSIONS: what awk finds in the row. Error is in %.
of() { awk -F , "{ processors = \$4; predicted = \$5; compute = \$6; native = \$14; error = 100 * \$15; slowdown = \$17; printf $1 }" "$row"; }

# shorter SETTINGS SETTING: with the setting in the place of one of the same name.
shorter() { echo "$1,$2" | tr , '\n' | awk -F = '{ v[$1] = $2 } END { for (k in v) print k "=" v[k] }' | paste -s -d , -; }

# machine NAME CPI: with the network that was measured, and an instruction of so many nanoseconds.
machine() {
	cat - "$out/network.toml" >"$out/$1.toml" <<-M
		name = "$1"
		[processor]
		clock = "1 GHz"
		cpi = $2
		[[cache]]
		size = "32 KiB"
		line = "64 B"
		ways = 8
		latency = "0 cycles"
		[memory]
		size = "1 GiB"
		latency = "100 ns"
		occupancy = "5 ns"
		invalidate = "5 ns"
		[system]
		target = "cow"
		processors = 1
		nodes = 4096
	M
}

delayed -repeat "$repeat" >"$out/network.toml"
echo "messages:" $(tr -d ' "' <"$out/network.toml")
machine counting 1

# EP sends next to nothing: what two processors do of it is what the host has. Programs whose ranks wait for each other often
# have less, as ranks sleep while they wait, and it takes the operating system time to wake them.
alone() { tracegen --quiet ep --native --procs "$1" --repeat "$repeat" --set numbers=1048576 --format csv | sed 1d | cut -d, -f4 | sort -g | head -n 1; }
echo "$(alone 1) $(alone 2)" | awk '{ printf "two processors of this host do %.2f times the work of one (EP)", $1 / $2; print $1 / $2 < 1.8 ? ": what follows about two is too long by as much" : "" }'

echo
echo "times in seconds, error of the predicted one in %, and slowdown on one host core"
printf '%-37s %8s | %9s %9s %6s | %9s %9s %6s | %6s %6s %6s\n' program ns/instr native,1 predicted error native,2 predicted error P=2 P=4 P=16
programs >"$out/programs"
while read -r kernel settings few ranks; do
	GOMAXPROCS=1 direct "$kernel" "$(shorter "$settings" "$few")" --procs "$ranks" --machine "$out/counting.toml"
	cpi=$(of '"%.6g", native / processors / compute')
	m=$(echo "$kernel.$settings" | tr ,= .-)
	machine "$m" "$cpi"
	printf '%-37s %8.3g' "$kernel $settings" "$cpi"
	for procs in 1 2; do
		direct "$kernel" "$settings" --procs $procs --machine "$out/$m.toml"
		of '" | %9.4g %9.4g %+6.1f", native, predicted, error'
	done
	printf ' |'
	for procs in 2 4 16; do
		GOMAXPROCS=1 direct "$kernel" "$settings" --procs $procs --machine "$out/$m.toml"
		of '" %6.1f", slowdown'
	done
	echo
done <"$out/programs"

echo
echo "slowdown of apucs on 8 processors, one host core, against F"
for f in 64 1; do
	printf 'f=%-3s' $f
	for ahead in 2 4 8 16 24 32 40; do
		GOMAXPROCS=1 direct apucs "f=$f,time=1000" --procs 8 --ahead $ahead --machine "$out/apucs.f-$f.time-1000.toml"
		of "\"  $ahead: %.2f\", slowdown"
	done
	echo
done
