# The programs of this study, for measure.sh and references.sh.

export OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# command_of PROGRAM STEPS: its command; STEPS is for heat, and the others have theirs in their inputs.
command_of() {
	case $1 in
	lammps) echo lmp -in melt.in -log none ;;
	cp2k) echo cp2k -i water.inp ;;
	espresso) echo pw.x -in pw.in ;;
	hpcc) echo hpcc ;;
	heat) echo ./heat "$2" ;;
	*) echo "realruns: there is no program $1, but lammps, cp2k, espresso, hpcc and heat" >&2; exit 2 ;;
	esac
}

# there PROGRAM: whether it is installed.
there() {
	line=$(command_of "$1" 1) || exit 2
	command -v "${line%% *}" >/dev/null || { echo "realruns: $1 is left out: it is not installed" >&2; return 1; }
}

# ranks COMMAND...: two ranks.
ranks() { mpirun.openmpi -np 2 --oversubscribe -x OMP_NUM_THREADS "$@" </dev/null; }

# predict_time PREFIX MACHINE [FLAG...]: the time of the simulation, in seconds.
predict_time() {
	prefix=$1 on=$2
	shift 2
	predict --quiet replay "$prefix" --machine "$on" --format csv "$@" >replay.csv
	awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "time") c = i } NR == 2 { print $c }' replay.csv
}
