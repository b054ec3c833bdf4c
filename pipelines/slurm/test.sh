#!/bin/sh
# Runs a study of 209 steps on a Slurm cluster of one node that it starts for itself. The shell that submits is killed when it has
# submitted, and 5 % of the jobs are killed at random. The files must be those of a run without Slurm.
#
#   sh pipelines/slurm/test.sh [MAKE]
set -eu
make=${1:-make}
cd "$(dirname "$0")"
. ./cluster.sh

fail() {
	echo "slurm: $1:" >&2
	tail -n 50 "$log" "$dir"/*.log out/slurm/errors.log >&2 || true
	exit 1
}
run() { $make --no-print-directory -f study.mk "$@" >"$log" 2>&1; }

# finish waits until there is no job, for at most $1 seconds.
finish() {
	waited=0
	while squeue -h 2>/dev/null | grep -q .; do
		waited=$((waited + 1))
		[ $waited -lt $((2 * $1)) ] || fail "jobs do not end: $(squeue)"
		sleep 0.5
	done
}

# kill_some kills $1 jobs at random, that wait or run: half of them by Slurm, and half of them their processes.
kill_some() {
	killed=0
	while [ $killed -lt "$1" ] && squeue -h | grep -q .; do
		if [ $((killed % 2)) = 0 ]; then
			job=$(squeue -h -r -o %i | shuf -n 1)
			scancel "$job" 2>/dev/null && killed=$((killed + 1))
		else
			process=$(pgrep -f "pipelines slurm [s]tep $PWD/out/slurm" | shuf -n 1)
			[ -n "$process" ] && kill -KILL "$process" 2>/dev/null && killed=$((killed + 1))
		fi
		sleep 0.4
	done
}

# Without Slurm, and with analyses that are not split.
run clean
run -j2 SHARDS=1 report || fail "the study fails without Slurm"
rm -rf "$dir/local"
mv out "$dir/local"

# The node is drained as the study is submitted: what runs now runs on the login node.
scontrol update "nodename=$host" state=drain reason=test
setsid sh -c "$make --no-print-directory -f study.mk ENGINE=slurm report; sleep 600" >"$log" 2>&1 &
shell=$!
waited=0
until grep -q '^slurm: submitted' "$log"; do
	waited=$((waited + 1))
	[ $waited -lt 600 ] && kill -0 $shell || fail "the study is not submitted"
	sleep 0.1
done
kill -KILL "-$shell"
grep -q '^slurm: 209 steps' "$log" || fail "the study has not 209 steps"
find out -name '*.arrow' -o -name '*.html' | grep . && fail "the login node runs a step"
run ENGINE=slurm report && fail "a study that waits is submitted again"
scontrol update "nodename=$host" state=resume

kill_some 11
finish 400
run ENGINE=slurm status || fail "the study fails on Slurm"
grep -q '^slurm: all steps are done' "$log" || fail "not all steps are done"
rounds=$(sed -n 's/.*rounds of jobs: //p' "$log")
[ "$rounds" -gt 1 ] || fail "no job was lost"
rm -r out/slurm out/*.shard-*
diff -r "$dir/local" out >"$log" 2>&1 || fail "the files of a run on Slurm differ from those of one without"
run SHARDS=1 report
grep '^step' "$log" && fail "a run without Slurm does not take the files for up to date"

# A step that fails stops what depends on it, and one that is always killed is given up.
run clean
run ENGINE=slurm SLURM_TRIES=2 KERNELS='fft.points-256 lu.n-64.block-7' PROCS=1 report killed || fail "a study with a wrong step is not submitted"
finish 200
run ENGINE=slurm status && fail "a study that failed has status 0"
for line in 'done  *4$' 'failed  *1$' 'given up  *1$' 'stopped  *4$' '.*lu.n-64.block-7.procs-1.refs.arrow failed with status 2:' 'killed was lost 2 times'; do
	grep -q "^ *$line" "$log" || fail "the status of a study that failed does not say: $line"
done
echo "slurm: passed: the shell that submitted and $killed jobs were killed, $rounds rounds, and the files are the same"
