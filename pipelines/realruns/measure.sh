#!/bin/sh
# Runs each program alternately as it is and recorded, and simulates each recording on the machine of this host.
#
#   sh measure.sh FOLDER MACHINE REPEAT STEPS PROGRAM...     # writes FOLDER/times.tsv: times in seconds
#
# The folder has the programs' inputs. Columns: native and recorded are the slowest rank's time between MPI_Init and
# MPI_Finalize; native_command and recorded_command the times of the whole commands.
set -eu
folder=$1 machine=$(realpath "$2") repeat=$3 steps=$4
shift 4
. "$(dirname "$0")/programs.sh"
case $repeat in '' | 0* | *[!0-9]*) echo "realruns: REPEAT=$repeat is not a number of runs from 1 on" >&2; exit 2 ;; esac
cd "$folder"

# launch NAME COMMAND...: the times of the ranks and of the command, in seconds.
launch() {
	name=$1
	shift
	rm -f "clock.$name".*
	begun=$(date +%s.%N)
	CLOCK=clock.$name ranks -x CLOCK -x LD_PRELOAD="$PWD/clock.so" "$@" >"$name.out" 2>"$name.err" || { cat "$name.err" >&2; exit 1; }
	ended=$(date +%s.%N)
	cat "clock.$name.0" "clock.$name.1" | awk -v begun="$begun" -v ended="$ended" \
		'$1 > time { time = $1 } END { printf "%.4f %.4f", time, ended - begun }'
}

printf 'program\trepeat\tnative\tnative_command\trecorded\trecorded_command\tpredicted\n' >times.new
for program; do
	there "$program" || continue
	line=$(command_of "$program" "$steps")
	# The first of each kind is not measured: it fills the caches of the host, and compiles the recorder.
	for k in $(seq 0 "$repeat"); do
		# shellcheck disable=SC2086 # words
		native=$(launch "$program.native" $line)
		# shellcheck disable=SC2086
		recorded=$(launch "$program.recorded" tracegen run --fast -o "$program" -- $line)
		predicted=$(predict_time "$program" "$machine")
		[ "$k" = 0 ] || echo "$program $k $native $recorded $predicted" | tr ' ' '\t' | tee -a times.new
	done
done
mv times.new times.tsv
