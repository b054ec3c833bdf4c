#!/bin/sh
# native.sh OUT MACHINE PRICES PROCS RUNS TRACE...: measured run times of the simulator on this host, and those that the model predicts from a
# run on one worker. A row has the shortest of RUNS runs, a program on so many targets and one or two workers, with K targets a worker.
set -eu
out=$1 machine=$2 prices=$3 procs=$4 runs=$5
shift 5
mkdir -p "$out/native"
value() { awk -v want="[$2]" '/^\[/ { name = $1 } name == want && $1 == "value" { print $3 }' "$1"; }
times() { # PREFIX WORKERS: the file of the shortest run
	for run in $(seq "$runs"); do
		predict replay "$1" --machine "$machine" --workers "$2" --host-times "$out/native/new.toml" --quiet >/dev/null
		if [ "$run" = 1 ] || awk "BEGIN { exit !($(value "$out/native/new.toml" elapsed) < $(value "$out/native/best.toml" elapsed)) }"; then
			mv "$out/native/new.toml" "$out/native/best.toml"
		fi
	done
	mv "$out/native/best.toml" "$out/native/$(basename "$1").workers-$2.toml"
}
echo program,targets,workers,per_worker,measured_s,predicted_s,error,speedup,predicted_speedup
for trace; do
	for n in $procs; do
		prefix=$out/$trace.procs-$n
		test -f "$prefix.refs.arrow" || tracegen ${trace%%.*} --procs "$n" $(echo "$trace" | tr . '\n' | sed -n '2,$s/\([^-]*\)-/--set \1=/p') -o "$prefix" >/dev/null 2>&1
		times "$prefix" 1
		test "$n" = 1 || times "$prefix" 2
		one=$out/native/$trace.procs-$n.workers-1.toml
		hosts=1
		test "$n" = 1 || hosts=1,2
		test "$n" = 1 || predict windtunnel --params "$one" --prices "$prices" --hosts "$hosts" --quiet --format csv >"$out/native/model.csv"
		test "$n" = 1 && continue
		awk -F , -v trace="$trace" -v n="$n" -v quanta="$(value "$one" quanta)" -v m1="$(value "$one" elapsed)" \
			-v m2="$(value "$out/native/$trace.procs-$n.workers-2.toml" elapsed)" '
			NR > 1 && !($2 in time) { time[$2] = $5 * quanta / 1e9 }
			END { for (w = 1; w <= 2; w++) { m = w == 1 ? m1 : m2; printf "%s,%d,%d,%d,%.3f,%.3f,%.1f,%.2f,%.2f\n", trace, n, w, n / w, m, time[w], 100 * (time[w] / m - 1), m1 / m, time[1] / time[w] } }' "$out/native/model.csv"
	done
done
