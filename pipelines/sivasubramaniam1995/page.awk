# Prints the two tables and a sentence of the study's page. Input: predict compare --baseline --format csv, expected.tsv or full.tsv.
# Table 1: mean differences between abstractions and machines on 2 processors or more. Table 2: each program on 32 processors.
FNR == 1 { FS = FILENAME ~ /\.tsv$/ ? "\t" : ","; $0 = $0 }
/^#/ { next }
$1 == "program" { for (i = 1; i <= NF; i++) at[$i] = i; next }
$at["processors"] == 1 { next }
{
	program = $1; sub(/ .*/, "", program)
	network = $at["machine"]; sub(/spasm-/, "", network)
	k = network SUBSEP $at["abstraction"]
	if (!(program in known)) { known[program]; programs[++n] = program }
	if (!(k in rows)) order[++m] = k
	rows[k]++
	error[k] += size($at["error"])
	latency[k] += size($at["abstract_latency"] - $at["latency"])
	contention[k] += size($at["abstract_contention"] - $at["contention"])
	missed[k, program] += size($at["abstract_contention"] - $at["contention"])
	if ($at["processors"] != 32) next
	own = network SUBSEP "machine" SUBSEP program
	k = k SUBSEP program
	T[own] = $at["e_instr"]; L[own] = $at["latency"]; C[own] = $at["contention"]
	T[k] = $at["abstract_e_instr"]; L[k] = $at["abstract_latency"]; C[k] = $at["abstract_contention"]
}
function size(x) { return x < 0 ? -x : x + 0 }
function short(x) { return sprintf(size(x) < 99.5 ? "%.2g" : "%.0f", x) }
# beside prints the ratio of two machines for each program.
function beside(label, of, one, other,   p) {
	printf "| %s |", label
	for (p = 1; p <= n; p++) printf " %.2f |", of[place(one) SUBSEP programs[p]] / of[place(other) SUBSEP programs[p]]
	print ""
}
function place(name) { sub(/ /, SUBSEP, name); return name }
function values(label, of, one, format,   p) {
	printf "| %s |", label
	for (p = 1; p <= n; p++) printf " " format " |", of[place(one) SUBSEP programs[p]]
	print ""
}
# total returns the sum of the errors of contention of all programs except one.
function total(name, but,   p, sum) {
	for (p = 1; p <= n; p++) if (programs[p] != but) sum += missed[place(name) SUBSEP programs[p]]
	return sum
}
END {
	print "| network | abstraction | time [%] | latency [ns] | contention [ns] |\n|---|---|---|---|---|"
	for (i = 1; i <= m; i++) {
		k = order[i]; split(k, name, SUBSEP)
		printf "| %s | %s | %s | %s | %s |\n", name[1], name[2], short(error[k] / rows[k]), short(latency[k] / rows[k]), short(contention[k] / rows[k])
	}
	print ""
	printf "| on 32 processors |"; rule = "|---|"
	for (p = 1; p <= n; p++) { printf " %s |", programs[p]; rule = rule "---|" }
	print "\n" rule
	beside("latency, full: clogp / machine", L, "full clogp", "full machine")
	beside("latency, full: logp / machine", L, "full logp", "full machine")
	beside("latency, full: logp / clogp", L, "full logp", "full clogp")
	beside("time, cube: logp / machine", T, "cube logp", "cube machine")
	beside("time, mesh: logp / machine", T, "mesh logp", "mesh machine")
	beside("time, mesh: clogp-traffic / machine", T, "mesh clogp-traffic", "mesh machine")
	values("contention, cube [ns]: machine", C, "cube machine", "%.3f")
	values("contention, cube [ns]: clogp", C, "cube clogp", "%.3f")
	values("contention, cube [ns]: clogp-same", C, "cube clogp-same", "%.3f")
	values("contention, mesh [ns]: machine", C, "mesh machine", "%.3f")
	values("contention, mesh [ns]: clogp", C, "mesh clogp", "%.3f")
	values("contention, mesh [ns]: clogp-traffic", C, "mesh clogp-traffic", "%.3f")
	beside("error of contention on 2 to 32 processors, mesh: clogp / clogp-traffic", missed, "mesh clogp", "mesh clogp-traffic")
	printf "\nOver all programs together, the error of `clogp` on the mesh is %.1f times that of `clogp-traffic`; without IS it is %.0f times.\n", \
		total("mesh clogp") / total("mesh clogp-traffic"), total("mesh clogp", "is") / total("mesh clogp-traffic", "is")
}
