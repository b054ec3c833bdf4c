#!/bin/sh
# native.sh OUT MACHINE PRICES PROCS ROUNDS TRACE...: measured run times of the simulator on this host, and those that the model predicts from a
# run on one worker. A row has the shortest run of a program on so many targets and one or two workers, with K targets a worker. Each
# worker has a processor. All programs run in each of ROUNDS rounds, because the speed of a shared host changes within minutes.
set -eu
out=$1 machine=$2 prices=$3 procs=$4 rounds=$5
shift 5
mkdir -p "$out/native"
value() { awk -v want="[$2]" '/^\[/ { name = $1 } name == want && $1 == "value" { print $3 }' "$1"; }
run() { # PREFIX WORKERS: keeps the file of the shortest run
	best=$out/native/$(basename "$1").workers-$2.toml
	GOMAXPROCS=$2 predict replay "$1" --machine "$machine" --workers "$2" --host-times "$out/native/new.toml" --quiet >/dev/null
	if ! test -f "$best" || awk "BEGIN { exit !($(value "$out/native/new.toml" elapsed) < $(value "$best" elapsed)) }"; then
		mv "$out/native/new.toml" "$best"
	fi
}
rm -f "$out"/native/*.toml
for round in $(seq "$rounds"); do
	for trace; do
		for n in $procs; do
			prefix=$out/$trace.procs-$n
			test -f "$prefix.refs.arrow" || tracegen ${trace%%.*} --procs "$n" $(echo "$trace" | tr . '\n' | sed -n '2,$s/\([^-]*\)-/--set \1=/p') -o "$prefix" >/dev/null 2>&1
			run "$prefix" 1
			run "$prefix" 2
		done
	done
done
echo program,targets,workers,per_worker,measured_s,predicted_s,error,speedup,predicted_speedup
for trace; do
	for n in $procs; do
		one=$out/native/$trace.procs-$n.workers-1.toml two=$out/native/$trace.procs-$n.workers-2.toml
		# One worker waits for no other. Two do, for as long as at the time of their run.
		for w in 1 2; do
			wait=0
			test $w = 1 || wait=$(value "$two" t_quantum_overhead)
			sed "/t_quantum_overhead/,/value/s/^value = .*/value = $wait/" "$one" >"$out/native/host.toml"
			predict windtunnel --params "$out/native/host.toml" --prices "$prices" --hosts 1,2 --quiet --format csv | awk -F , -v w=$w '$2 == w'
		done |
			awk -F , -v trace="$trace" -v n="$n" -v quanta="$(value "$one" quanta)" -v m1="$(value "$one" elapsed)" -v m2="$(value "$two" elapsed)" '
			$1 ~ /^[0-9]/ && !($2 in time) { time[$2] = $5 * quanta / 1e9 }
			END { for (w = 1; w <= 2; w++) { m = w == 1 ? m1 : m2; printf "%s,%d,%d,%d,%.3f,%.3f,%.1f,%.2f,%.2f\n", trace, n, w, n / w, m, time[w], 100 * (time[w] / m - 1), m1 / m, time[1] / time[w] } }'
	done
done
