#!/bin/sh
# A random purchase: predict budget chooses from a random price list for a random program, and predict replay simulates all candidates.
#
#   sh purchase.sh OUT SEED
#
# It writes OUT/purchase-SEED.tsv: the seed, the number of candidates, the least simulated time and that of the choice in seconds, how much
# longer the choice takes in percent, and the names of both.
set -eu
base=$1 seed=$2
out=$base/purchase-$seed
mkdir -p "$out"
trap 'rm -rf "$out"' EXIT
traces=
for procs in 2 4 8; do
	"$base/random" --seed "$seed" --procs "$procs" --references 20000 -o "$out/$procs"
	traces="$traces $out/$procs"
done
"$base/random" --seed "$seed" --prices "$out/prices.toml"
# shellcheck disable=SC2086 # words
predict budget $traces --prices "$out/prices.toml" --budget "\$$((8000 + seed % 10 * 2000))" --model mva --beaten --top 1000 --machines "$out/machines" --quiet >"$out/log" 2>&1 </dev/null || { cat "$out/log" >&2; exit 1; }
for procs in 2 4 8; do
	set --
	for m in "$out"/machines/*.toml; do
		n=$(awk -F ' *= *' '/^\[/ { in_system = $0 == "[system]" } in_system && $1 == "processors" { p = $2 } in_system && $1 == "nodes" { n = $2 } END { print p * (n ? n : 1) }' "$m")
		[ "$n" != "$procs" ] || set -- "$@" --machine "$m"
	done
	[ $# = 0 ] || predict replay --quiet "$out/$procs" "$@" --references --workers 1 --format csv | tail -n +2 >>"$out/times"
done
set -- "$out"/machines/*.toml # by rank
chosen=$(sed -n 's/^name *= *"\(.*\)"/\1/p; /^name/q' "$1")
awk -F , -v OFS='\t' -v seed="$seed" -v chosen="$chosen" '
	!n++ || $5 < least { least = $5; best = $3 }
	$3 == chosen { time = $5 }
	END { if (!time) exit 1; printf "%s\t%d\t%.6g\t%.6g\t%.4f\t%s\t%s\n", seed, n, least, time, 100 * (time / least - 1), best, chosen }' "$out/times" >"$base/purchase-$seed.tsv.new"
mv "$base/purchase-$seed.tsv.new" "$base/purchase-$seed.tsv"
