# Holds tables to expected.tsv, line by line:
#
#   awk -f golden.awk expected.tsv actual.tsv
#
# Lines of expected.tsv such as "# tolerance 0.1%: simulated predicted" and "# tolerance 0.1: error"
# say how far numbers in columns of these names may be off, relatively or absolutely. All else must be the same.

BEGIN { FS = "\t" }

FNR == 1 { files++ }

files == 1 && /^# tolerance / {
	split($0, part, ": ")
	split(part[1], words, " ")
	for (n = split(part[2], columns, " "); n > 0; n--) tolerance[columns[n]] = words[3]
}
files == 1 && !/^#/ { want[++rows] = $0 }
files == 1 { next }

{
	if (want[FNR] == $0) { heads(); next }
	n = split(want[FNR], expected, "\t")
	if (n != NF) { complain("\"" $0 "\" where \"" want[FNR] "\" is expected"); next }
	for (i = 1; i <= NF; i++) if (off($i, expected[i], tolerance[name[i]]))
		complain($1 ", " $2 ", " $3 ", " $4 ": " name[i] " is " $i ", and " expected[i] " is expected" (name[i] in tolerance ? ", within " tolerance[name[i]] : ""))
}

# heads takes a line without a digit for the heads of the rows that follow.
function heads(   i) { if ($0 !~ /[0-9]/) for (i = 1; i <= NF; i++) name[i] = $i }

function off(got, want, limit,   d) {
	if (got == want) return 0
	if (limit == "" || got !~ /^[-+]?[0-9.]/ || want !~ /^[-+]?[0-9.]/) return 1
	d = got > want ? got - want : want - got
	if (limit ~ /%$/) return d > (want < 0 ? -want : want) * limit / 100
	return d > limit + 0
}

function complain(what) { if (++complaints <= 20) print "golden: " what }

END {
	if (FNR < rows) complain(rows - FNR " rows are missing, from \"" want[FNR + 1] "\" on")
	if (complaints) print "golden: " complaints " differences to expected.tsv; if they are right, review and keep them with make accept"
	else print "golden: " rows " rows as expected"
	exit complaints > 0
}
