#!/bin/sh
# Holds predicted times to native runs on this host, and counts what predicting costs. As in the paper, the time of an
# instruction of each program and size comes from shorter native runs, on as many ranks as are to be predicted, or on all
# processors of the host if those are fewer: U is what ranks compute, without what they do about messages, sec. 5.2. Runs of
# three lengths give the line U = a + c I that has the least squares, for I instructions; a is what it takes to start. What
# messages cost is measured by tracegen/delayed, between ranks that compute as those of programs do. All of
# these take turns, in processes of their own, and of each the least counts, as what the host does besides makes times
# longer; with BY=median it is the median. A last table takes a and c from the first size of each program, on one rank or on two,
# for all its sizes on one rank and on two.
#
#   sh native.sh FOLDER
set -eu
out=$1
repeat=${REPEAT:-15}
by=${BY:-least}
slowdown=${SLOWDOWN-2 4 16}
mkdir -p "$out"

# Programs of the paper, long enough to be timed, and which runs have their instructions timed: a quarter, a half and three
# quarters as long as the one that is predicted, on as many ranks. sor does not test for convergence, which would end it on two
# ranks after 190 and 430 iterations; bps solves several systems.
# With SIZES=others it is sizes that the paper does not have; PROGRAMS is a pattern of those to measure, SLOWDOWN the ranks to
# simulate on one host core, none if it is empty.
programs() { "${SIZES:-paper}" | grep -E -e "${PROGRAMS:-.}"; }
paper() {
	cat <<-P
		sor g=25,check=0,iterations=4000 iterations=1000,2000,3000
		sor g=50,check=0,iterations=1000 iterations=250,500,750
		sor g=250,digits=15,iterations=100 iterations=25,50,75
		bps g=64,systems=100 systems=25,50,75
		bps g=256,systems=8 systems=2,4,6
		apucs f=64,time=1000 time=250,500,750
		apucs f=1,time=1000 time=250,500,750
		pgl triangles=500,frames=20 frames=5,10,15
		pgl triangles=1000,frames=20 frames=5,10,15
	P
}
others() {
	cat <<-P
		sor g=100,digits=15,iterations=400 iterations=100,200,300
		bps g=128,systems=32 systems=8,16,24
		apucs f=16,time=1000 time=250,500,750
		apucs f=4,time=1000 time=250,500,750
		pgl triangles=2000,frames=20 frames=5,10,15
		pgl triangles=1000,frames=20,size=256 frames=5,10,15
	P
}

# direct PROGRAM SETTINGS FLAG...: of its run under the simulator, the time, the time of instructions alone and, with --native, native
# time, that of computation alone, and slowdown.
direct() (
	kernel=$1 settings=$2
	shift 2
	for s in $(echo "$settings" | tr , ' '); do set -- "$@" --set "$s"; done
	predict --quiet direct "$kernel" "$@" --references=false --format csv | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR > 1 { print $at["time"] "," $at["ideal"] (at["native"] ? "," $at["native"] "," $at["native_compute"] "," $at["slowdown"] : "") }'
)

# median: the line in the middle, of two the later one.
median() { awk '{ v[NR] = $0 } END { print v[int(NR / 2) + 1] }'; }

# least: the first line.
least() { head -n 1; }

# chosen COLUMN FILE: of several rows of direct.
chosen() {
	case $1 in time) set -- 1 "$2" ;; ideal) set -- 2 "$2" ;; native) set -- 3 "$2" ;; native_compute) set -- 4 "$2" ;; slowdown) set -- 5 "$2" ;; esac
	cut -d , -f "$1" "$2" | sort -g | "$by"
}

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

# total FILE: nanoseconds of a message of 8 bytes.
total() { tr -d '"' <"$1" | awk '/^(L|o_s|o_r) / && !n[$1]++ { sum += $3 } END { print sum, name }' name="$1"; }

# lengths SHORTER: of KEY=LENGTH,LENGTH... the lengths.
lengths() { echo "${1#*=}" | tr , ' '; }

# runs PROGRAM SETTINGS SHORTER: leaves rows in short.1.LENGTH, short.2.LENGTH, whole.1 and whole.2, and the network of the turn
# whose messages took the least time (or the median). Each row is the medians of three runs after a first one in the process, which touches fresh memory.
runs() {
	rm -f "$out"/short.* "$out"/whole.* "$out"/turn.*
	for turn in $(seq "$repeat"); do
		delayed -repeat 3 >"$out/turn.$turn"
		for procs in 1 2; do
			for length in $(lengths "$3"); do
				direct "$1" "$(shorter "$2" "${3%%=*}=$length")" --procs $procs --machine "$out/unit.toml" --native --repeat 3 >>"$out/short.$procs.$length"
			done
			direct "$1" "$2" --procs $procs --machine "$out/unit.toml" --native --repeat 3 >>"$out/whole.$procs"
		done
	done
	cp "$(for turn in "$out"/turn.*; do total "$turn"; done | sort -g | "$by" | cut -d ' ' -f 2-)" "$out/network.toml"
}

# line FILE...: a and c, of the rows of runs of several lengths [ns, ns].
line() {
	for file; do echo "$(chosen ideal "$file") $(chosen native_compute "$file")"; done | awk '
		{ i[NR] = $1; u[NR] = $2 }
		END {
			for (k = 1; k <= NR; k++) { mi += i[k] / NR; mu += u[k] / NR }
			for (k = 1; k <= NR; k++) { ii += (i[k] - mi) ^ 2; iu += (i[k] - mi) * (u[k] - mu) }
			printf "%.9g %.9g\n", mu - iu / ii * mi, iu / ii
		}'
}

# instruction "A C" I: what each of I instructions takes on average [ns], and how much of it is to start [%].
instruction() { echo "$1 $2" | awk '{ whole = $1 + $2 * $3; printf "%.6g %.0f\n", whole / $3, 100 * $1 / whole }'; }

# off NATIVE PREDICTED: in %.
off() { echo "$1 $2" | awk '{ printf "%+.1f\n", 100 * ($2 - $1) / $1 }'; }

# smallest: predicts each program of the list of measured ones by the lines of its first size.
smallest() {
	echo
	echo "errors in % of times predicted by a and c of a program's first size, on one rank and on two"
	printf '%-37s | %14s %14s | %14s %14s\n' program "1 rank by 1" "1 rank by 2" "2 ranks by 1" "2 ranks by 2"
	while read -r kernel settings _; do
		m=$(echo "$kernel.$settings" | tr ,= .-)
		printf '%-37s' "$kernel $settings"
		for procs in 1 2; do
			printf ' |'
			for first in 1 2; do
				read -r native instr <"$out/$m.$procs.whole"
				c=$(instruction "$(cat "$out/$kernel.first.$first")" "$instr")
				sed "s/^cpi = .*/cpi = ${c% *}/" "$out/$m.$procs.toml" >"$out/first.toml"
				direct "$kernel" "$settings" --procs $procs --machine "$out/first.toml" >"$out/row.csv"
				printf ' %14s' "$(off "$native" "$(chosen time "$out/row.csv")")"
			done
		done
		echo
	done
}

# EP sends next to nothing: what two processors do of it is what the host has. Programs whose ranks wait for each other often
# have less, as ranks sleep while they wait, and it takes the operating system time to wake them.
alone() { tracegen --quiet ep --native --procs "$1" --repeat "$repeat" --set numbers=1048576 --format csv | sed 1d | cut -d, -f4 | sort -g | "$by"; }
echo "$(alone 1) $(alone 2)" | awk '{ printf "two processors of this host do %.2f times the work of one (EP)", $1 / $2; print $1 / $2 < 1.8 ? ": it did other things, too" : "" }'

delayed -repeat 1 >"$out/network.toml" # of a program that does not poll, instructions are the same on any
machine unit 1

echo
echo "ns of an instruction, % of it to start, ns of a message of 8 bytes (o_s, o_r, L); times in seconds, error of the predicted one in %${slowdown:+, and slowdown on one host core of $slowdown ranks}"
printf '%-37s %7s %5s %7s %5s %17s | %9s %9s %6s | %9s %9s %6s |\n' program instr,1 start instr,2 start message native,1 predicted error native,2 predicted error
programs >"$out/programs"
rm -f "$out"/*.first.*
while read -r kernel settings few; do
	runs "$kernel" "$settings" "$few"
	m=$(echo "$kernel.$settings" | tr ,= .-)
	printf '%-37s' "$kernel $settings"
	for procs in 1 2; do
		line $(lengths "$few" | tr ' ' '\n' | sed "s|^|$out/short.$procs.|") >"$out/line"
		[ -f "$out/$kernel.first.$procs" ] || cp "$out/line" "$out/$kernel.first.$procs"
		echo "$(chosen native "$out/whole.$procs") $(chosen ideal "$out/whole.$procs")" >"$out/$m.$procs.whole"
		c=$(instruction "$(cat "$out/line")" "$(chosen ideal "$out/whole.$procs")")
		machine "$m.$procs" "${c% *}"
		printf ' %7.3g %5s' $c
	done
	tr -d '"' <"$out/network.toml" | awk '/^L / { l = $3 } /^o_s/ && !s { s = $3 } /^o_r/ && !r { r = $3 } END { printf " %17s", s " " r " " l }'
	for procs in 1 2; do
		direct "$kernel" "$settings" --procs $procs --machine "$out/$m.$procs.toml" >"$out/row.csv"
		echo "$(chosen native "$out/whole.$procs") $(chosen time "$out/row.csv")" | awk '{ printf " | %9.4g %9.4g %+6.1f", $1, $2, 100 * ($2 - $1) / $1 }'
	done
	printf ' |'
	for procs in $slowdown; do
		GOMAXPROCS=1 direct "$kernel" "$settings" --procs $procs --machine "$out/$m.2.toml" --native --repeat "$repeat" >"$out/row.csv"
		printf ' %6.1f' "$(chosen slowdown "$out/row.csv")"
	done
	echo
done <"$out/programs"
smallest <"$out/programs"

[ -n "$slowdown" ] && grep -q ^apucs "$out/programs" || exit 0
echo
echo "slowdown of apucs on 8 processors, one host core, against F"
for f in 64 1; do
	m=apucs.f-$f.time-1000.2
	[ -f "$out/$m.toml" ] || continue
	printf 'f=%-3s' $f
	for ahead in 2 4 8 16 24 32 40; do
		GOMAXPROCS=1 direct apucs "f=$f,time=1000" --procs 8 --ahead $ahead --machine "$out/$m.toml" --native --repeat "$repeat" >"$out/row.csv"
		printf '  %s: %.2f' $ahead "$(chosen slowdown "$out/row.csv")"
	done
	echo
done
