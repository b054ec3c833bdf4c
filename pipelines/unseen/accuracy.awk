# Converts comparisons of predict compare to rows of predict/internal/accuracy.
#
#   awk -f accuracy.awk programs.tsv machines.tsv OUT/*.csv
BEGIN { FS = "\t" }
/^#/ { next }
FILENAME == "programs.tsv" { messages[$1] = $4; next }
FILENAME == "machines.tsv" { kind[$1] = $2; suffix[$1] = $4 == "none" ? "" : "-" $4; next }
/^program,/ { n = split($0, heads, ","); for (i = 1; i <= n; i++) at[heads[i]] = i; next }
{
	split($0, cell, ",")
	name = cell[at["program"]]
	passes = name ~ / messages=yes/ || messages[substr(name, 1, index(name " ", " ") - 1)] == "yes"
	sub(/^random seed=/, passes ? "messages" : "random", name)
	sub(/ .*/, "", name)
	m = cell[at["machine"]]
	model = cell[at["model"]]
	if (name ~ /^random/ && model != "mva") next # no program that somebody wrote is like them, and these models are sensitive to that
	of = passes ? (kind[m] == "messages" ? "-messages" : "-interleaved-messages") : suffix[m]
	timed = model == "mva" && of != "-messages" && (cell[at["processors"]] > 1 || suffix[m] != "") ? "-timed" : ""
	beyond = cell[at["beyond"]] + 0
	if (beyond < 1e-6 && beyond > -1e-6) beyond = 0 # rounding
	printf "%s,%s%s%s,%s,%.4g\n", name, cell[at["target"]], of, timed, model, beyond
}
