# Holds tables to those in expected.tsv:
#
#   awk -v study=NAME -f golden.awk expected.tsv actual.tsv
#
# Lines of expected.tsv say how:
#
#   # key: program machine processors         columns that name a row; each table has some of them
#   # tolerance 0.1%: simulated predicted     how far numbers in columns of these names may be off,
#   # tolerance 0.1: error                    relatively or absolutely
#
# All else must be the same. Rows are found by their key, so that one that is missing says nothing of the others.
# Tables with the same columns in their keys are one.

BEGIN { FS = "\t" }

FNR == 1 { file++ }

file == 1 && /^#/ {
	if (split($0, part, ": ") > 1) for (n = split(part[2], words, " "); n > 0; n--) {
		if (/^# key: /) isKey[words[n]]
		if (/^# tolerance /) { limit = part[1]; sub(/.* /, "", limit); tolerance[words[n]] = limit }
	}
	next
}

# A line without a digit that begins with a name of a key is the heads of the rows that follow.
$1 in isKey && !/[0-9]/ { heads(); next }
{ row() }

function heads(   i) {
	delete name
	table = ""
	for (i = 1; i <= NF; i++) {
		name[i] = $i
		if ($i in isKey) table = table " " $i
	}
	if (file == 2) { changed(); return }
	columns[table] = NF
	for (i = 1; i <= NF; i++) { column[table, i] = $i; wanted[table, $i] }
}

# changed tells of columns that are expected and not there, or the other way round, once for a table.
function changed(   i, there) {
	if (told[table]++ || !(table in columns)) return
	for (i in name) there[name[i]]
	for (i = 1; i <= columns[table]; i++) if (!(column[table, i] in there)) complain("column " column[table, i] " is missing")
	for (i = 1; i <= NF; i++) if (!((table, name[i]) in wanted)) complain("column " name[i] " is not expected")
}

function row(   i, key, again) {
	for (i = 1; i <= NF; i++) if (name[i] in isKey) key = key (key == "" ? "" : ", ") name[i] " " $i
	again = ++seen[file, table, key]
	if (again > 1) key = key " (row " again " of that name)"
	if (file == 1) {
		expected[++rows] = table SUBSEP key
		for (i = 1; i <= NF; i++) cell[table, key, name[i]] = $i
		known[table, key]
		return
	}
	actual[++found] = table SUBSEP key
	have[table, key]
	if (!((table, key) in known)) { complain(key ": this row is not expected"); return }
	for (i = 1; i <= NF; i++) if ((table, name[i]) in wanted) compare(key, name[i], $i, cell[table, key, name[i]])
}

function compare(key, column, got, want,   limit) {
	limit = column in tolerance ? tolerance[column] : ""
	if (off(got, want, limit)) {
		complain(key ": " column " is " got ", and " want " is expected" (limit == "" ? "" : ", within " limit))
		differ[column]++
	}
}

function off(got, want, limit,   d) {
	if (got == want) return 0
	if (limit == "" || got !~ /^[-+]?[0-9.]/ || want !~ /^[-+]?[0-9.]/) return 1
	d = got > want ? got - want : want - got
	if (limit ~ /%$/) return d > (want < 0 ? -want : want) * limit / 100
	return d > limit + 0
}

function complain(what) { if (++complaints <= 20) print "golden: " study ": " what }

# order compares the rows that both have, and tells of the first that is elsewhere.
function order(   i, j) {
	for (i = j = 1; i <= rows && j <= found; ) {
		if (!(expected[i] in have)) i++
		else if (!(actual[j] in known)) j++
		else if (expected[i] == actual[j]) { i++; j++ }
		else { complain("rows are in another order: " named(actual[j]) " stands where " named(expected[i]) " is expected"); return }
	}
}

function named(id) { return substr(id, index(id, SUBSEP) + 1) }

END {
	for (i = 1; i <= rows; i++) if (!(expected[i] in have)) complain(named(expected[i]) ": this row is missing")
	order()
	if (complaints > 20) {
		print "golden: " study ": and " complaints - 20 " more"
		for (c in differ) print "golden: " study ": " c " differs in " differ[c] " rows of " rows | "sort"
		close("sort")
	}
	if (complaints) print "golden: " study ": " complaints " differences to expected.tsv; if they are right, review and keep them with make accept"
	else print "golden: " study ": " rows " rows as expected"
	exit complaints > 0
}
