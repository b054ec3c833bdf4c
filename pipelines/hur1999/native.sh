#!/bin/sh
# Measures transfers, array statements and convolutions natively on two processors of this host, fits the models to the first two
# and has them predict the third. Each time is the least of several: what the host does besides makes times longer.
#
#   sh native.sh FOLDER
#
# IMAGES are the sizes of images, ARRAYS those of the arrays of transfers and statements.
set -eu
out=$1
mkdir -p "$out"
images=${IMAGES:-100 300 1000}
arrays=${ARRAYS:-50 100 200 400 800 1600}

# least KERNEL PROCS REPEAT SETTING...: the least time of so many runs, in seconds.
least() {
	kernel=$1 procs=$2 repeat=$3
	shift 3
	for s; do set -- "$@" --set "$s"; shift; done
	tracegen --quiet "$kernel" --native --procs "$procs" --repeat "$repeat" "$@" --format csv | awk -F , 'NR > 1 && (NR == 2 || $4 < t) { t = $4 } END { print t }'
}

echo "experiment,rows,cols,item [B],stride [B],base [B],blocks,bytes [B],accesses,ops,time [s]" >"$out/times.csv"
for l in $arrays; do
	for d in 1 4 16; do
		t=$(least transfer 2 15 rows=$l cols=$l d=$d shape=0 repetitions=20)
		echo "$d $l $l $t" | awk '{ printf "transfer,%d,%d,4,%d,0,1,%d,0,0,%.9g\n", $1, $2, 4*$3, 4*$1*$2, $4/40 }'
		t=$(least transfer 2 15 rows=$l cols=$l d=$d shape=1 repetitions=20)
		echo "$l $d $l $t" | awk '{ printf "transfer,%d,%d,4,%d,0,1,%d,0,0,%.9g\n", $1, $2, 4*$3, 4*$1*$2, $4/40 }'
	done >>"$out/times.csv"
	# statement, arrays touched, loads and stores, operations
	while read -r s blocks accesses ops; do
		t=$(least array 1 15 l=$l statement=$s repetitions=5)
		echo "$l $blocks $accesses $ops $t" | awk '{ n = $1*$1; printf "array,%d,%d,4,%d,0,%d,%d,%d,%d,%.9g\n", $1, $1, 4*$1, $2, 4*n, $3*n, $4*n, $5/5 }'
	done >>"$out/times.csv" <<-S
		0 1 1 0
		1 2 2 0
		2 2 2 1
		4 3 3 1
		6 2 3 1
	S
done
calibrate fit "$out/times.csv" -o "$out/host"

echo "l,b,convshift,convscan" >"$out/convolutions.csv"
for l in $images; do
	for b in 1 2 3 4 5 6 7 8 9 10; do
		echo "$l,$b,$(least convshift 2 15 l=$l b=$b meshrows=1),$(least convscan 2 15 l=$l b=$b meshrows=1)"
	done
done >>"$out/convolutions.csv"

echo
echo "measured: least box from which on a convolution by scans is faster, and the ratio of times by shifts and by scans there; - if none to 10"
awk -F , 'NR > 1 { ratio[$1, $2] = $3 / $4; if (!($1 in seen)) { seen[$1]; order[++n] = $1 } }
	END { for (i = 1; i <= n; i++) { l = order[i]; x = "-"; for (b = 10; b >= 1 && ratio[l, b] > 1; b--) x = b
		printf "%dx%d\t%s\t%.2f\n", l, l, x, ratio[l, x == "-" ? 10 : x] } }' "$out/convolutions.csv"
echo
echo "predicted:"
predict message crossover --params "$out/host.params.toml" --size "$(for l in $images; do echo "${l}x$l"; done | paste -sd, -)" --mesh 1x2
