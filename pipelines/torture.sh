#!/bin/sh
# Kills a study's make, with all it started, at random moments, and lets it run onto a full disk (where it
# may mount one): each time the next make completes it, and the files are those of an undisturbed run.
#
#   sh pipelines/torture.sh [STUDY [KILLS [SEED]]]     # quickstart 20 1; SCALE=smoke
set -eu
study=${1:-quickstart}
kills=${2:-20}
seed=${3:-1}
cd "$(dirname "$0")/$study"
dir=$(mktemp -d)
out=$dir/study/out # all runs in one place: reports name it
log=$dir/log
trap 'umount "$dir/study" 2>/dev/null; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
run() { ${MAKE:-make} --no-print-directory -j2 SCALE="${SCALE:-smoke}" OUT="$out" report >"$log" 2>&1; }

fail() {
	echo "torture: $1:" >&2
	tail -n 30 "$log" >&2
	exit 1
}

same() { diff -r "$dir/undisturbed" "$out" >"$log" 2>&1 || fail "$1, the files differ"; }

mkdir "$dir/study"
run || fail "the study fails undisturbed"
mv "$out" "$dir/undisturbed"
start=$(date +%s%N)
run || fail "the study fails undisturbed" # again, when the binaries are there
length=$((($(date +%s%N) - start) / 1000000))
rm -rf "$out"

# A study that was killed once is killed again on its way to the end, if it has not come there before.
killed=0
n=0
while [ $killed -lt "$kills" ]; do
	n=$((n + 1))
	moment=$(awk -v n=$n -v seed="$seed" -v ms=$length 'BEGIN { srand(seed * 1000 + n); rand(); printf "%.3f\n", rand() * ms / 1000 }')
	setsid ${MAKE:-make} -j2 SCALE="${SCALE:-smoke}" OUT="$out" report >"$log" 2>&1 &
	sleep "$moment"
	if kill -KILL "-$!" 2>/dev/null; then
		killed=$((killed + 1))
		wait $! 2>/dev/null || true
		[ $((killed % 2)) -eq 0 ] || continue
	fi
	wait $! 2>/dev/null || true
	run || fail "make fails after it was killed, the last time at $moment s"
	same "after a kill at $moment s"
	rm -rf "$out"
done
run || fail "make fails after the last kill"
same "after the last kill"
echo "torture: $study: killed $killed times within ${length} ms, and the files are the same"

rm -rf "$out"
for share in 20 50 80; do
	size=$(du -sk "$dir/undisturbed" | awk -v p=$share '{ print int($1 * p / 100) }')
	mount -t tmpfs -o size="${size}k" spoor "$dir/study" 2>"$log" || { echo "note: no tmpfs can be mounted here, so no disk is full"; exit 0; }
	if run; then fail "the study completes on $size KiB"; fi
	grep -q 'no space left on device' "$log" || fail "no error says that the disk is full"
	mount -o remount,size=1g "$dir/study"
	run || fail "make fails after there is space again"
	same "after a full disk"
	umount "$dir/study"
done
echo "torture: $study: completed after a full disk, and the files are the same"
