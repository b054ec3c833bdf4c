# Joins comparisons of predict compare with programs.tsv and machines.tsv: a row for each program, machine, number of processors and model.
#
#   awk -f rows.awk programs.tsv machines.tsv OUT/*.csv
BEGIN { FS = OFS = "\t"; print "program", "set", "machine", "kind", "processors", "model", "simulated", "predicted", "error", "lo", "hi", "inside" }
/^#/ { next }
FILENAME == "programs.tsv" { set[$1] = $6; messages[$1] = $4; next }
FILENAME == "machines.tsv" { kind[$1] = $2; next }
/^program,/ { n = split($0, heads, ","); for (i = 1; i <= n; i++) at[heads[i]] = i; next }
{
	split($0, cell, ",")
	name = cell[at["program"]]
	seed = name ~ /^random seed=/
	passes = seed && name ~ / messages=yes/ || messages[substr(name, 1, index(name " ", " ") - 1)] == "yes"
	if (seed) { sub(/^random seed=/, "random-", name); sub(/^random/, passes ? "messages" : "random", name) }
	sub(/ .*/, "", name)
	m = cell[at["machine"]]
	printf "%s\t%s\t%s\t%s\t%s\t%s", name, seed ? "random" : set[name], m, passes ? (kind[m] == "messages" ? "message programs" : "message programs, memory in blocks") : kind[m], cell[at["processors"]], cell[at["model"]]
	printf "\t%.5g\t%.5g\t%.2f", cell[at["simulated"]], cell[at["predicted"]], cell[at["error"]]
	if (cell[at["lo"]] == "") print "\t\t\t"
	else printf "\t%.5g\t%.5g\t%s\n", cell[at["lo"]], cell[at["hi"]], cell[at["inside"]]
}
