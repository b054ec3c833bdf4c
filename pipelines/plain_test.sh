#!/bin/sh
# Holds the study of any trace to this: names that a user gives never run, and never lead out of the study's folder.
#
#   sh pipelines/plain_test.sh [MAKE]
set -eu
make=${1:-make}
external=$(cd "$(dirname "$0")/external" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
printf 'num_ranks 1\nrank 0 {\nl1: calc 5\n}\n' >ok.goal
for name in 'x$(shell touch P).goal' 'x`touch P`.goal' 'x;touch P;.goal' "x'touch P'.goal"; do cp ok.goal "$name"; done
newline='
'

# refused VARIABLE VALUE: make refuses the value in one line, and runs nothing.
refused() {
	if said=$($make -n --no-print-directory -C "$external" TRACE="$work/ok.goal" "$1=$2" 2>&1); then
		echo "plain: $1='$2' is not refused" >&2
		exit 1
	fi
	case $said in
	*"*** $1 "*) ;;
	*) echo "plain: $1='$2': $said" >&2; exit 1 ;;
	esac
	if [ -e P ] || [ -e "$external/P" ] || [ -e "$external/../x" ]; then
		echo "plain: $1='$2' was run" >&2
		exit 1
	fi
}

for v in TRACE NAME FORMAT FLAGS MACHINES SETS KIND COUNT OUT JOBS; do
	refused $v 'x$(shell touch P).goal'
	refused $v 'x`touch P`'
	refused $v 'x;touch${IFS}P'
	refused $v "x'"
	refused $v 'x"y'
	refused $v "x${newline}	touch P"
done
for name in ../../x .. . a/b 'a b' -x; do refused NAME "$name"; done
$make -n --no-print-directory -C "$external" TRACE="$work/ok.goal" NAME=a-b_1.2 FLAGS='--set unit=1ns,x --unmatched note' clean >/dev/null
echo "plain: names are not run"
