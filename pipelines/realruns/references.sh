#!/bin/sh
# Records small runs of the programs with their memory references, under QEMU, checks the traces, and simulates them with their
# caches and messages.
#
#   sh references.sh FOLDER MACHINE PROGRAM...     # writes FOLDER/references.tsv
#
# Columns: bytes is the size of the file of references. Times are those of whole commands, in seconds; predicted is the time of
# the program on the machine.
set -eu
folder=$1 machine=$(realpath "$2")
shift 2
. "$(dirname "$0")/programs.sh"
mkdir -p "$folder/small"
cp "$folder/heat" "$folder/small"
[ ! -e "$folder/Si.UPF" ] || cp "$folder/Si.UPF" "$folder/small"
[ ! -e "$folder/hpccinf.txt" ] || sed 's/^2000 Ns/100 Ns/' "$folder/hpccinf.txt" >"$folder/small/hpccinf.txt"
sed 's/^run 2000/run 20/; s/0 24 0 12 0 12/0 8 0 8 0 8/' "$folder/melt.in" >"$folder/small/melt.in"
sed 's/ecutwfc=30.0/ecutwfc=12.0/; s/^ 3 3 3/ 1 1 1/' "$folder/pw.in" >"$folder/small/pw.in"
# One molecule instead of eight.
awk '/^ +[OH] / && ++atoms > 3 { next } { print }' "$folder/water.inp" | sed 's/RUN_TYPE MD/RUN_TYPE ENERGY/; s/EPS_SCF 1.0E-6/MAX_SCF 2/
	s/CUTOFF 200/CUTOFF 100/; s/ABC 6.2 6.2 6.2/ABC 4.0 4.0 4.0/' >"$folder/small/water.inp"
cd "$folder/small"

# seconds COMMAND...: how long it takes.
seconds() {
	begun=$(date +%s.%N)
	"$@" >out.txt 2>err.txt || { cat err.txt >&2; exit 1; }
	ended=$(date +%s.%N)
	awk -v begun="$begun" -v ended="$ended" 'BEGIN { printf "%.2f", ended - begun }'
}

# fact NAME: of the trace, by its name in JSON.
fact() { tr -d ' ,"' <info.json | awk -F : -v name="$1" '$1 == name { print $2; exit }'; }

printf 'program\tinstructions\treferences\tbytes\tnative_command\trecorded_command\tpredicted\n' >../references.new
for program; do
	there "$program" || continue
	line=$(command_of "$program" 3)
	# shellcheck disable=SC2086 # words
	native=$(seconds ranks $line)
	# shellcheck disable=SC2086
	recorded=$(seconds ranks tracegen run -o "$program" -- $line)
	traces check "$program" >check.txt || { cat check.txt >&2; exit 1; }
	traces info --format json "$program" >info.json
	predicted=$(predict_time "$program" "$machine" --references)
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%.4g\n' "$program" "$(fact instructions)" $(($(fact load) + $(fact store))) \
		"$(wc -c <"$program.refs.arrow")" "$native" "$recorded" "$predicted" | tee -a ../references.new
done
mv ../references.new ../references.tsv
