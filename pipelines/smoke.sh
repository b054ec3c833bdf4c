#!/bin/sh
# Runs the small variant of every study, and holds the quickstart to what
# rules.mk promises for all: a second make does nothing, a touched input rebuilds only
# what follows from it, and the bytes do not depend on -j or on the run.
#
#   sh pipelines/smoke.sh [MAKE]
set -eu
make=${1:-make}
cd "$(dirname "$0")/quickstart"
out=out/smoke
log=out/smoke.log
trap 'rm -rf "$log" out/smoke.first' EXIT

run() { $make --no-print-directory SCALE=smoke "$@"; }

# Commands in the log, the build of the binaries left out.
steps() { grep '^step ' "$log" || true; }

fail() {
	echo "smoke: $1:" >&2
	cat "$log" >&2
	exit 1
}

run clean >/dev/null
mkdir -p out

# With -n nothing runs, not even scripts that are handed make.
case $(timeout 60 $make --no-print-directory -C ../.. -n torture | tail -n 1) in
*'sh pipelines/torture.sh') ;;
*) : >"$log"; fail "make -n torture runs it" ;;
esac

run -j1 >"$log" 2>&1 || fail "the pipeline failed"
[ -s $out/report.html ] || fail "there is no report"

run >"$log" 2>&1 || fail "the second make failed"
[ -z "$(steps)" ] || fail "a second make does something"

touch $out/matmul.events.arrow
run >"$log" 2>&1 || fail "make failed after a touch"
[ "$(steps | grep -c matmul)" -ge 3 ] || fail "a touched trace is not analysed, predicted and simulated again"
[ -z "$(steps | grep -v -e matmul -e ': predict report ' || true)" ] || fail "a touched trace rebuilds more than what follows"

mv $out out/smoke.first
run -j2 >"$log" 2>&1 || fail "make -j2 failed"
diff -r out/smoke.first $out >"$log" 2>&1 || fail "two runs differ"

run comparison

# The other studies need only to run.
for study in ../*/Makefile; do
	study=$(dirname "$study")
	case $study in ../quickstart | ../external | ../calibration) continue ;; esac
	$make --no-print-directory -C "$study" SCALE=smoke clean >/dev/null
	$make --no-print-directory -C "$study" SCALE=smoke -j2 report comparison >"$log" 2>&1 || fail "$study failed"
	echo "smoke: $(basename "$study") runs"
done

# A host may be too noisy to be measured, which has to be said. What was measured can be fitted on any.
calibration() { $make --no-print-directory -C ../calibration SCALE=smoke "$@" >"$log" 2>&1; }
calibration clean
if calibration DATASETS='ring instructions' MACHINE=../../data/machine/example-desktop.toml report refit; then
	tail -n 1 "$log" | grep -q '^calibration: [1-9][0-9]* files are the same to the byte' || fail "datasets do not give their parameters"
	echo "smoke: calibration runs"
elif grep -q 'too noisy' "$log" && grep -q '^calibration: there is no dataset' "$log"; then
	echo "smoke: note: calibration refuses this host, which does other things"
else
	fail "calibration failed"
fi
calibration golden || fail "stored datasets do not give the parameters that they always gave"

# A trace of references, then another of the same name, from another folder.
external() { (cd ../../data/sample && $make --no-print-directory -C ../../pipelines/external NAME=smoke "$@") >"$log" 2>&1; }
page=../external/out/smoke/report.html
for trace in matmul.log.zst ring.goal; do
	external TRACE=$trace || fail "external failed with $trace"
	[ -s $page ] || fail "external made no report of $trace"
done
for trace in '' missing.log README.md "it's"; do
	! external TRACE="$trace" || fail "external took TRACE=$trace"
done
rm -rf ../external/out/smoke
echo "smoke: external runs"
echo "smoke: passed; $(run | sed -n 's/^report: /report: /p')"
