#!/bin/sh
# Kills make, with all it started, at random moments, and lets it run onto a full disk (where one may be
# mounted): the next make completes what was begun, and the files are those of an undisturbed run.
#
#   sh pipelines/torture.sh [STUDY [KILLS [SEED]]]     # papers (all studies of papers) 20 1; SCALE=smoke
#
# A make that was killed is started and killed again on its way to the end, on average ten times. So 20 kills and
# three full disks take the time of four or five undisturbed runs, and every file that comes out is compared.
set -eu
study=${1:-papers}
kills=${2:-20}
seed=${3:-1}
cd "$(dirname "$0")/.."
case $study in papers) goals="papers" ;; *) goals="-C pipelines/$study report comparison" ;; esac
dir=$(mktemp -d)
out=$dir/disk/out # all runs in one place: reports name it
log=$dir/log
trap 'umount "$dir/disk" 2>/dev/null; rm -rf "$dir"' EXIT
group=
trap 'test -z "$group" || { kill -KILL "-$group"; wait "$group"; } 2>/dev/null; exit 1' INT TERM
export GOALS='report comparison'
command="${MAKE:-make} --no-print-directory -j2 SCALE=${SCALE:-smoke} OUT=$out $goals"
run() { $command >"$log" 2>&1; }

fail() {
	echo "torture: $study: $1:" >&2
	tail -n 30 "$log" >&2
	exit 1
}

same() {
	diff -r "$dir/undisturbed" "$out" >"$log" 2>&1 || fail "after $1, the files differ"
	echo "torture: $study: after $1, all $(find "$out" -type f | wc -l) files are the same$2"
}

${MAKE:-make} --no-print-directory build >"$log" 2>&1 || fail "nothing can be built"
mkdir "$dir/disk"
start=$(date +%s%N)
run || fail "make fails undisturbed"
length=$((($(date +%s%N) - start) / 1000000))
mv "$out" "$dir/undisturbed"
echo "torture: $study: an undisturbed make takes $length ms"

killed=0
there= # how many files there were at each kill
n=0
while [ $killed -lt "$kills" ]; do
	n=$((n + 1))
	# As long as there is between two of many events at random, ten of them in an undisturbed run.
	pause=$(awk -v n=$n -v seed="$seed" -v ms=$length 'BEGIN { srand(seed * 1000 + n); rand(); printf "%.3f\n", -log(1 - rand()) * ms / 10000 }')
	setsid $command >"$log" 2>&1 &
	group=$!
	sleep "$pause"
	if kill -KILL "-$group" 2>/dev/null; then
		wait $group 2>/dev/null || true
		killed=$((killed + 1))
		there="$there $(find "$out" -type f 2>/dev/null | wc -l)"
		continue
	fi
	wait $group || fail "make fails after $killed kills"
	same "$killed kills" ", kills came with$there of them"
	there=
	rm -rf "$out"
done
run || fail "make fails after the last of $killed kills"
same "$killed kills" ", kills came with$there of them"

rm -rf "$out"
size=$(du -sk "$dir/undisturbed" | cut -f1)
mount -t tmpfs -o size=$((size / 5))k spoor "$dir/disk" 2>"$log" || { echo "note: no tmpfs can be mounted here, so no disk is full"; exit 0; }
for share in 20 50 80; do
	mount -o remount,size=$((size * share / 100))k "$dir/disk"
	if run; then fail "make completes on a disk of $share % of the size of its files"; fi
	grep -qi 'no space left on device' "$log" || fail "no error says that the disk is full"
done
mount -o remount,size=$((size * 4))k "$dir/disk"
run || fail "make fails after there is space again"
same "three full disks" ""
