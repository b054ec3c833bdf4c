# Prints the two tables of the study's page from expected.tsv, or from measured.csv of programs and bought.csv. One is for quanta of
# the trace, the other for quanta of the simulated target. Rows: for each model the worst error in % of the speedup on 2 to 32 hosts;
# the speedup itself on 32 hosts, on the critical path; what is best to buy.
FNR == 1 { FS = FILENAME ~ /\.tsv$/ ? "\t" : ","; $0 = $0 }
/^#/ { next }
$1 == "program" { delete at; for (i = 1; i <= NF; i++) at[$i] = i; next }
{
	time = $1 ~ /dir1sw$/ ? "simulated" : "trace"
	program = $1; sub(/\..*/, "", program)
	if (!(program in seen)) { seen[program]; programs[++n] = program }
	k = time SUBSEP program
	if ("break_even" in at) { best[$at["host"] SUBSEP k] = $at["best_per_host"]; even[$at["host"] SUBSEP k] = $at["break_even"]; next }
	if ($at["hosts"] == 32) { alone[k] = $at["processing_measured"]; whole[k] = $at["measured"] }
	models[$at["model"]]
	k = time SUBSEP $at["model"] SUBSEP $at["placement"] SUBSEP program
	if ($at["error"] != "" && size($at["error"]) > size(worst[k])) worst[k] = $at["error"]
}
function size(x) { return x < 0 ? -x : x + 0 }
function short(x) { return sprintf(size(x) < 9.95 ? "%.1f" : "%.0f", x) }
function errors(label, model, placement,   p, k) {
	if (!(model in models)) return
	printf "| %s |", label
	for (p = 1; p <= n; p++) {
		k = time SUBSEP model SUBSEP placement SUBSEP programs[p]
		printf " %s |", k in worst ? short(worst[k]) : "no speedup"
	}
	print ""
}
function speedups(label, of,   p) {
	printf "| %s |", label
	for (p = 1; p <= n; p++) printf " %.1f |", of[time SUBSEP programs[p]]
	print ""
}
function bought(label, of, host,   p) {
	printf "| %s |", label
	for (p = 1; p <= n; p++) printf " %d |", of[host SUBSEP time SUBSEP programs[p]]
	print ""
}
function table(   p, rule) {
	printf "| |"; rule = "|---|"
	for (p = 1; p <= n; p++) { printf " %s |", programs[p]; rule = rule "---|" }
	print "\n" rule
	errors("`paper`", "paper", "block")
	errors("`bounded`", "bounded", "block")
	errors("`kinds`", "kinds", "block")
	errors("`placed`", "placed", "block")
	errors("`bounded`, cyclic placement", "bounded", "cyclic")
	errors("`kinds`, cyclic placement", "kinds", "cyclic")
	errors("`placed`, cyclic placement", "placed", "cyclic")
	speedups("speedup of processing alone, on 32 hosts", alone)
	speedups("speedup with overhead, on 32 hosts", whole)
	bought("break-even of a bus [targets]", even, "bus")
	bought("break-even of a supercomputer [targets]", even, "mpp")
	bought("best targets per host of a supercomputer", best, "mpp")
}
END {
	time = "trace"; table()
	print ""
	time = "simulated"; table()
}
