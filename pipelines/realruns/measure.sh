#!/bin/sh
# Runs each program alternately as it is and recorded, and simulates each recording on the machine of this host.
#
#   sh measure.sh FOLDER MACHINE REPEAT PROGRAM...     # writes FOLDER/times.tsv: times in seconds
#
# The folder has the programs' inputs. Columns: native and recorded are the slowest rank's time between MPI_Init and
# MPI_Finalize; native_command and recorded_command the times of the whole commands.
set -eu
folder=$1 machine=$(realpath "$2") repeat=$3
shift 3
cd "$folder"
export OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

command_of() {
	case $1 in
	lammps) echo lmp -in melt.in -log none ;;
	cp2k) echo cp2k -i water.inp ;;
	espresso) echo pw.x -in pw.in ;;
	hpcc) echo hpcc ;;
	heat) echo ./heat "$HEAT" ;;
	esac
}

# launch NAME COMMAND...: the times of the ranks and of the command, in seconds.
launch() {
	name=$1
	shift
	rm -f "clock.$name".*
	begun=$(date +%s.%N)
	CLOCK=clock.$name mpirun.openmpi -np 2 --oversubscribe -x OMP_NUM_THREADS -x CLOCK -x LD_PRELOAD="$PWD/clock.so" "$@" \
		>"$name.out" 2>"$name.err" </dev/null || { cat "$name.err" >&2; exit 1; }
	ended=$(date +%s.%N)
	cat "clock.$name.0" "clock.$name.1" | awk -v begun="$begun" -v ended="$ended" \
		'$1 > time { time = $1 } END { printf "%.4f %.4f", time, ended - begun }'
}

printf 'program\trepeat\tnative\tnative_command\trecorded\trecorded_command\tpredicted\n' >times.new
for program; do
	line=$(command_of "$program")
	command -v "${line%% *}" >/dev/null || { echo "realruns: $program is left out: it is not installed" >&2; continue; }
	for k in $(seq "$repeat"); do
		# shellcheck disable=SC2086 # words
		native=$(launch "$program.native" $line)
		# shellcheck disable=SC2086
		recorded=$(launch "$program.recorded" tracegen run --fast -o "$program" -- $line)
		predicted=$(predict --quiet replay "$program" --machine "$machine" --format csv | awk -F , \
			'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "time") c = i } NR == 2 { print $c }')
		echo "$program $k $native $recorded $predicted" | tr ' ' '\t' | tee -a times.new
	done
done
mv times.new times.tsv
