#!/bin/sh
# Holds golden.awk to what it has to say of rows that differ, are missing, are not expected, or are elsewhere.
set -eu
cd "$(dirname "$0")"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# In these tables blanks are tabs. Two have one key, the third another.
tabs() { tr ' ' '\t'; }
{
	printf '# key: program n place\n# tolerance 1%%: time\n# tolerance 0.1: error\n'
	tabs <<-T
		program n time error events
		lu 1 100 0.5 7
		lu 2 50 -0.5 7
		fft 1 20 NaN 3
		program n time error events
		fft 2 10 0 3
		program place time
		lu here 1e-3
		lu here 2e-3
	T
} >"$dir/expected.tsv"

# golden SCRIPT: what is said of tables that sed's SCRIPT has changed.
golden() {
	grep -v '^#' "$dir/expected.tsv" | tr '\t' ' ' | sed "$1" | tabs >"$dir/actual.tsv"
	status=0
	awk -v study=s -f golden.awk "$dir/expected.tsv" "$dir/actual.tsv" >"$dir/said" || status=$?
}

# says SCRIPT STATUS reads what has to be said, but for the last line.
says() {
	golden "$1"
	sed 's/^/golden: s: /' >"$dir/wanted"
	if [ "$status" != "$2" ] || ! sed '$d' "$dir/said" | diff "$dir/wanted" - >"$dir/diff"; then
		echo "golden: of $1: status $status" >&2
		cat "$dir/diff" "$dir/said" >&2
		exit 1
	fi
}

says '' 0 </dev/null
says 's/lu 1 100 0.5/lu 1 100.9 0.41/; s/1e-3/0.001009/' 0 </dev/null
says 's/lu 1 100 0.5 7/lu 1 102 0.61 8/; s/NaN/1/; s/2e-3/-/' 1 <<-S
	program lu, n 1: time is 102, and 100 is expected, within 1%
	program lu, n 1: error is 0.61, and 0.5 is expected, within 0.1
	program lu, n 1: events is 8, and 7 is expected
	program fft, n 1: error is 1, and NaN is expected, within 0.1
	program lu, place here (row 2 of that name): time is -, and 2e-3 is expected, within 1%
S
# One row less, or more, leaves the others as they are.
says '/lu 1 /d' 1 <<-S
	program lu, n 1: this row is missing
S
says '/fft 1 /p; s/fft 2 /fft 3 /' 1 <<-S
	program fft, n 1 (row 2 of that name): this row is not expected
	program fft, n 3: this row is not expected
	program fft, n 2: this row is missing
S
says '/lu 1 /{h;d}; /fft 1 /G' 1 <<-S
	rows are in another order: program lu, n 2 stands where program lu, n 1 is expected
S
says 's/error events/error happened/; /place/,$d' 1 <<-S
	column events is missing
	column happened is not expected
	program lu, place here: this row is missing
	program lu, place here (row 2 of that name): this row is missing
S
says '1,$d' 1 <<-S
	program lu, n 1: this row is missing
	program lu, n 2: this row is missing
	program fft, n 1: this row is missing
	program fft, n 2: this row is missing
	program lu, place here: this row is missing
	program lu, place here (row 2 of that name): this row is missing
S
echo "golden: says what differs"
