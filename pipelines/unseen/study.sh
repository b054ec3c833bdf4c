#!/bin/sh
# One step of this study for one trace.
#
#   sh study.sh STEP OUT TRACE
#
# STEP is record, random, simulate, predict or compare. TRACE is PROGRAM.procs-N, random-SEED or messages-SEED. The environment
# has SCALE; MACHINES, which may be empty for all; and FLAGS of predict cluster.
set -eu
step=$1 out=$2 trace=$3

# column NAME: the cell of the program's row in programs.tsv.
column() { awk -F '\t' -v program="${trace%%.*}" -v name="$1" '/^#/ { next } !n { for (n = 1; $n != name; n++); next } $1 == program { print $n }' programs.tsv; }

# processors: how many the trace has.
processors() {
	case $trace in
	*.procs-*) echo "${trace##*-}" ;;
	*) traces info --format json "$out/$trace" | tr -d ' ,"' | awk -F : '$1 == "procs" { print $2; exit }' ;;
	esac
}

# passes: whether the program passes messages.
passes() {
	case $trace in
	messages-*) return 0 ;;
	*.*) [ "$(column messages)" = yes ] ;;
	*) return 1 ;;
	esac
}

# machines: a line for each machine of the trace, with its name and its file.
machines() {
	kinds='smp overlap cluster fast'
	! passes || kinds='cluster fast messages'
	awk -F '\t' -v chosen=" ${MACHINES-} " -v kinds=" $kinds " -v procs="$(processors)" '
		/^#/ || $1 == "machine" || $3 < procs || !index(kinds, " " $2 " ") || chosen ~ /[^ ]/ && !index(chosen, " " $1 " ") { next }
		{ file = "machine/" $1 ".toml"; if ((getline line <file) < 0) file = $1; print $1, file }' machines.tsv
}

# quietly COMMAND...: runs it, and shows what it says only if it fails.
quietly() { "$@" >"$out/$trace.log" 2>&1 </dev/null || { cat "$out/$trace.log" >&2; exit 1; }; }

record() {
	program=${trace%%.*} procs=${trace##*-} threads=
	arguments=$(column "$([ "$SCALE" = smoke ] && echo smoke || echo arguments)")
	[ "$(column language)" = mpi ] || threads=$procs
	# shellcheck disable=SC2086 # words
	case $(column language) in
	go) quietly tracegen run --quiet --go "./go/$program" --procs "$procs" -o "$out/$trace" -- $threads $arguments ;;
	mpi) quietly mpirun.openmpi -np "$procs" --oversubscribe tracegen run --quiet -o "$out/$trace" -- "$out/bin/$program" $arguments ;;
	*) quietly tracegen run --quiet -o "$out/$trace" -- "$out/bin/$program" $threads $arguments ;;
	esac
	quietly traces check "$out/$trace"
}

random() {
	set -- --seed "${trace##*-}" -o "$out/$trace"
	[ "$SCALE" != smoke ] || set -- "$@" --references 4000
	case $trace in messages-*) set -- "$@" --messages ;; esac
	quietly "$out/random" "$@"
}

simulate() {
	set -- replay --quiet "$out/$trace" --workers 1 --references -o "$out/$trace.simulation.arrow"
	for file in $(machines | cut -d ' ' -f 2); do set -- "$@" --machine "$file"; done
	case "$*" in
	*--machine*) quietly predict "$@" ;;
	*) echo "unseen: no machine for $trace" && : >"$out/$trace.simulation.arrow" ;;
	esac
}

# predict_ writes a line to TRACE.missing for each model that does not apply to a machine. Counts of another build are not used.
predict_() {
	rm -rf "$out/$trace.predictions" "$out/$trace.counts"
	mkdir -p "$out/$trace.predictions"
	: >"$out/$trace.missing"
	machines >"$out/$trace.machines"
	while read -r name file; do
		# shellcheck disable=SC2086 # words
		predict cluster "$out/$trace" --machine "$file" ${FLAGS-} -o "$out/$trace.predictions/$name.arrow" >"$out/$trace.log" 2>&1 ||
			grep -q 'no model applies' "$out/$trace.log" || { cat "$out/$trace.log" >&2; exit 1; }
		sed -n "s|.*note: no prediction by \([a-z]*\): |by \1 on $name: |; /^by /p" "$out/$trace.log" >>"$out/$trace.missing"
	done <"$out/$trace.machines"
	rm -rf "$out/$trace.counts"
}

compare() {
	set -- "$out/$trace.predictions"/*.arrow
	[ -e "$1" ] || { : >"$out/$trace.csv"; return; }
	predict compare --quiet --format csv "$@" "$out/$trace.simulation.arrow" >"$out/$trace.csv.new"
	mv "$out/$trace.csv.new" "$out/$trace.csv"
}

case $step in
record | random | simulate | compare) "$step" ;;
predict) predict_ ;;
*) echo "unseen: there is no step $step" >&2; exit 2 ;;
esac
