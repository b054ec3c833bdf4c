#!/bin/sh
# Runs the quickstart's small variant on a Slurm cluster of one node that it starts for itself, loses a
# job on the way, and compares the files with those of a run without Slurm.
#
#   sh pipelines/slurm/test.sh [MAKE]
set -eu
make=${1:-make}
cd "$(dirname "$0")"
for tool in slurmctld slurmd srun munged; do
	command -v $tool >/dev/null || { echo "note: no $tool, so nothing runs on Slurm; apt-get install slurm-wlm munge"; exit 0; }
done
[ "$(id -u)" = 0 ] || { echo "note: only root can start slurmd, so nothing runs on Slurm"; exit 0; }

dir=$(mktemp -d)
chmod 755 "$dir"
log=$dir/make.log
stop() {
	daemons=$(cat "$dir/slurmd.pid" "$dir/slurmctld.pid" "$dir/munged.pid" 2>/dev/null || true)
	[ -s "$dir/slurmctld.pid" ] && scontrol shutdown 2>/dev/null || true
	waited=0
	for daemon in $daemons; do
		kill "$daemon" 2>/dev/null || true
		while [ $waited -lt 100 ] && kill -0 "$daemon" 2>/dev/null; do # as long as it writes, its folder is not empty
			waited=$((waited + 1))
			sleep 0.1
		done
		kill -KILL "$daemon" 2>/dev/null || true
	done
	rm -rf "$dir" 2>/dev/null || { sleep 1 && rm -rf "$dir"; } || echo "note: $dir is left"
}
trap stop EXIT
trap 'exit 1' INT TERM

fail() {
	echo "slurm: $1:" >&2
	tail -n 50 "$log" "$dir"/*.log >&2 || true
	exit 1
}

# port N is a free port, looked for from N on.
port() {
	p=$1
	while grep -qi ":$(printf %04x "$p") " /proc/net/tcp /proc/net/tcp6 2>/dev/null; do p=$((p + 1)); done
	echo "$p"
}

# unable says why there is no cluster here, which is not the study's fault.
unable() {
	echo "note: $1 here, so nothing runs on Slurm; its last words:"
	tail -n 5 "$log" "$dir"/*.log || true
	exit 0
}

start() {
	mkdir -m 700 "$dir/munge" "$dir/state" "$dir/spool"
	head -c 1024 /dev/urandom >"$dir/munge/key"
	chmod 400 "$dir/munge/key"
	munged --force --key-file="$dir/munge/key" --socket="$dir/munge/socket" --pid-file="$dir/munged.pid" \
		--log-file="$dir/munged.log" --seed-file="$dir/munge/seed" >"$log" 2>&1 || unable "munged does not start"
	host=$(hostname -s)
	cat >"$dir/slurm.conf" <<EOF
ClusterName=spoor
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
SlurmctldPort=$(port 16817)
SlurmdPort=$(port 16918)
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
TaskProlog=$dir/prolog
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
KillWait=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=64 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
EOF
	# The first job that analyses LU waits to be killed. It ignores the signal that Slurm sends a second before, or its command could
	# begin when that has ended the wait, and be done before it is killed.
	cat >"$dir/prolog" <<EOF
#!/bin/sh
case \$SLURM_JOB_NAME in *lu*analysis*)
	mkdir $dir/victim 2>/dev/null || exit 0
	trap '' TERM
	echo \$SLURM_JOB_ID >$dir/victim/job
	while :; do sleep 600; done ;;
esac
exit 0
EOF
	chmod 755 "$dir/prolog"
	export SLURM_CONF="$dir/slurm.conf"
	slurmctld >>"$log" 2>&1 || unable "slurmctld does not start"
	slurmd >>"$log" 2>&1 || unable "slurmd does not start"
	waited=0
	until sinfo -h -o %T 2>>"$log" | grep -q idle; do
		waited=$((waited + 1))
		[ $waited -lt 150 ] || unable "the node does not come up"
		sleep 0.2
	done
}

# lose kills the job that waits for it.
lose() {
	until [ -s "$dir/victim/job" ]; do
		[ -d "$dir" ] || return 0 # the test is over, and nothing waited
		sleep 0.1
	done
	scancel "$(cat "$dir/victim/job")"
}

start
out=../quickstart/out/smoke
run() { $make --no-print-directory -C ../quickstart SCALE=smoke "$@" >"$log" 2>&1; }
run clean
run report || fail "the study fails without Slurm"
mv $out "$dir/local"
lose &
run report ENGINE=slurm || fail "the study fails on Slurm"
grep -q 'was lost .* submitted again' "$log" || fail "no job was lost"
rm -r $out/slurm
diff -r "$dir/local" $out >"$log" 2>&1 || fail "the files of a run on Slurm differ from those of one without"

# A command's own error is not a loss.
if SLURM_TRIES=1 sh ./run "$dir/jobs/wrong.log" 'echo wrong >&2; exit 2' >"$log" 2>&1 || [ $? -ne 2 ] || ! grep -qx wrong "$log"; then
	fail "the status of a command that fails is not its own"
fi

# A command that was killed sooner than the shell that notes its status is one.
sh ./run "$dir/jobs/killed.log" "mkdir $dir/first || exit 0; kill -TERM \$(exec sh -c 'echo \$PPID')" >"$log" 2>&1 || fail "a command that was killed is not run again"
grep -q 'was lost .* submitted again' "$log" || fail "a command that was killed does not count as lost"
echo "slurm: passed: a job was lost, and the files are the same"
