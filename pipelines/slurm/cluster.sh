# Starts a Slurm cluster of one node for the rest of a script, which sources this. The cluster ends with the script.
#
#   . ./cluster.sh      # $dir is a scratch folder, $log a file in it

for tool in slurmctld slurmd sbatch munged; do
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

mkdir -m 700 "$dir/munge" "$dir/state" "$dir/spool"
head -c 1024 /dev/urandom >"$dir/munge/key"
chmod 400 "$dir/munge/key"
munged --force --key-file="$dir/munge/key" --socket="$dir/munge/socket" --pid-file="$dir/munged.pid" \
	--log-file="$dir/munged.log" --seed-file="$dir/munge/seed" >"$log" 2>&1 || unable "munged does not start"
host=$(hostname -s)
cat >"$dir/slurm.conf" <<CONF
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
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0,bf_interval=1
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
KillWait=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=8 RealMemory=1000000 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF="$dir/slurm.conf"
slurmctld >>"$log" 2>&1 || unable "slurmctld does not start"
slurmd >>"$log" 2>&1 || unable "slurmd does not start"
waited=0
until sinfo -h -o %T 2>>"$log" | grep -q idle; do
	waited=$((waited + 1))
	[ $waited -lt 150 ] || unable "the node does not come up"
	sleep 0.2
done
