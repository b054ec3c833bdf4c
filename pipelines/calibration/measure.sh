#!/bin/sh
# Measures one dataset: all files of it are in FOLDER when it has been accepted. Samples of one that is refused, if
# there are some, go to FOLDER/refused.
#
#   sh measure.sh FOLDER NAME DATASET COMMAND...
set -eu
folder=$1 name=$2 dataset=$3
shift 3
new=$folder/.new
rm -rf "$new"
mkdir -p "$new"
trap 'rm -rf "$new"' EXIT
trap 'exit 1' HUP INT TERM

echo "$* -o $folder/$name"
status=0
"$@" -o "$new/$name" >"$new/$name.$dataset.txt" || status=$?
[ $status != 2 ] || exit 2 # wrong usage, which has nothing to do with noise
if [ $status = 0 ] && [ -s "$new/$name.$dataset.arrow" ]; then
	mv "$new/$name.$dataset.arrow" "$new/last"
	for f in "$new/$name".*; do mv "$f" "$folder"; done
	mv "$new/last" "$folder/$name.$dataset.arrow"
	exit
fi
echo "calibration: there is no dataset $dataset" >&2
if [ -s "$new/$name.$dataset.arrow" ]; then
	mkdir -p "$folder/refused"
	mv "$new/$name.$dataset.arrow" "$folder/refused"
	echo "calibration: what was measured of it is in $folder/refused/$name.$dataset.arrow" >&2
fi
# Once for each make, whose number this is.
if [ "$(cat "$folder/.advised" 2>/dev/null)" != $PPID ]; then
	echo $PPID >"$folder/.advised"
	cat >&2 <<-ADVICE

		If this host was too noisy, stop what else runs, also on the same computer beside this virtual machine, or take priority
		(nice -n -10, as root), and type make again: only what is missing is measured. Or
		    MEASURE='--max-stolen 0.5'       accepts more noise before it begins
		    DATASETS='ring marshalling'      leaves out the others
		    MACHINE=FILE                     describes this host for instructions, where memory gives nothing
		    SCALE=smoke                      shows what there is, not to be relied on

	ADVICE
fi
exit 1
