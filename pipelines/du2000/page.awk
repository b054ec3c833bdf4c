# Prints the tables and sentences of the study's page. Input: data/paper/du2000/published.tsv, if given, and expected.tsv; or what
# predict compare --format csv and coherence.awk print. Output: errors of the models by kind of machine; mva on all clusters as a
# sentence; its errors on clusters of unequal nodes; coherence on the bus. -v others=1: errors of mva for each other program.
# -v deep=1: errors of mva on machines with more levels of caches.
FNR == 1 { FS = FILENAME ~ /\.tsv$/ ? "\t" : ","; $0 = $0 }
/^#/ { next }
$1 == "quantity" { next }
$1 == "coherence_share" { published[$3] = $6; next }
$1 == "program" { delete at; for (i = 1; i <= NF; i++) at[$i] = i; next }
{ program = $1; sub(/ .*/, "", program); column(program) }
"coherence_share" in at { share[program] = $at["coherence_share"]; missed[program] = $at["coherence_misses"]; next }
{
	machine = $at["machine"]; model = $at["model"]
	sub(/^du2000-/, "", machine)
	simulated[machine, program] = $at["simulated"]
	if (deep) {
		if (!(machine in seen)) { seen[machine]; kinds[++n] = machine }
		add(machine)
		if (abs($at["error"]) >= largest[machine]) { largest[machine] = abs($at["error"]); hardest[machine] = program }
		next
	}
	if (machine ~ /-(slow|fast|more)$/) {
		add("unequal" SUBSEP half(machine) SUBSEP program)
		add("unequal")
		next
	}
	kind = machine ~ /^smp-/ ? "SMPs" : (machine ~ /^cow-/ ? "workstations" : "clusters of SMPs") (machine ~ /-first-touch$/ ? ", first touch" : ", interleaved pages")
	if (!(kind in seen)) { seen[kind]; kinds[++n] = kind }
	add(kind SUBSEP model)
	if (model != "mva") next
	add(kind SUBSEP program)
	if (machine ~ /^smp-/) next
	sub(/.*, /, "", kind)
	add("clusters, " kind)
	if (program == "radix") next
	add("without Radix, " kind)
	add("without Radix")
}

function column(program) { if (!(program in known)) { known[program]; programs[++m] = program } }
function half(machine) {
	sub(/.*-/, "", machine)
	return machine == "slow" ? "half the clock" : machine == "fast" ? "twice the clock" : "twice the cache"
}
function abs(x) { return x < 0 ? -x : x + 0 }
function add(k,   e) {
	e = abs($at["error"])
	rows[k]++; sum[k] += e; near[k] += e <= 5
	if (e > worst[k]) worst[k] = e
}
function short(x) { return sprintf(x < 9.95 ? "%.1f" : "%.0f", x) }
function mean(k) { return k in rows ? short(sum[k] / rows[k]) : "-" }
function both(k) { return k in rows ? mean(k) " / " short(worst[k]) : "-" }
function heads(first, rest, names, count,   i, rule) {
	rule = rest; gsub(/[^|]+/, "---", rule)
	printf "| %s |%s", first, rest
	for (i = 1; i <= count; i++) printf " %s |", names[i]
	printf "\n|---|%s", rule
	for (i = 1; i <= count; i++) printf "---|"
	print ""
}
function errors(   i, p, k) {
	heads("machines", " rows | paper | curve | mva | within 5 % |", programs, m)
	for (i = 1; i <= n; i++) {
		k = kinds[i] SUBSEP
		printf "| %s | %d | %s | %s | %s | %d |", kinds[i], rows[k "mva"], both(k "paper"), both(k "curve"), both(k "mva"), near[k "mva"]
		for (p = 1; p <= m; p++) printf " %s |", mean(k programs[p])
		print ""
	}
}
function sentence(   turn, first) {
	turn = ", interleaved pages"; first = ", first touch"
	printf "\nOn all clusters the mean error of `mva` is %s %% with interleaved pages and %s %% with first touch. Without Radix it is %s and %s %%. ", \
		mean("clusters" turn), mean("clusters" first), mean("without Radix" turn), mean("without Radix" first)
	printf "The worst of the %d rows without Radix is %s %%.\n", rows["without Radix"], short(worst["without Radix"])
}
function unequal(   i, p, name, four) {
	four = "cow-4-256k-100m"
	split("half the clock|twice the clock|twice the cache", name, "|")
	print ""
	heads("half of the nodes", "", programs, m)
	for (i = 1; i <= 3; i++) {
		printf "| %s |", name[i]
		for (p = 1; p <= m; p++) printf " %s |", both("unequal" SUBSEP name[i] SUBSEP programs[p])
		print ""
	}
	for (i = 1; i <= 2; i++) {
		printf "| four workstations, %s: simulated time / that of equal nodes |", name[i]
		for (p = 1; p <= m; p++) printf " %.2f |", simulated[four (i == 1 ? "-slow" : "-fast"), programs[p]] / simulated[four, programs[p]]
		print ""
	}
	printf "\nThe mean error of `mva` on these %d rows is %s %%, the worst %s %%, and %d rows are within 5 %%.\n", rows["unequal"], \
		mean("unequal"), short(worst["unequal"]), near["unequal"]
}
function coherence(   p) {
	print ""
	heads("uses of the bus, in %", "", programs, m)
	if ("fft" in published) {
		printf "| paper, sec. 4.3.1 |"
		for (p = 1; p <= m; p++) printf " %.1f |", published[programs[p]]
		print ""
	}
	printf "| `coherence_share` |"
	for (p = 1; p <= m; p++) printf " %.1f |", share[programs[p]]
	printf "\n| of these, misses |"
	for (p = 1; p <= m; p++) printf " %.1f |", missed[programs[p]]
	print ""
}
function other(   i, p) {
	heads("", "", kinds, n)
	for (p = 1; p <= m; p++) {
		printf "| %s |", programs[p]
		for (i = 1; i <= n; i++) printf " %s |", both(kinds[i] SUBSEP programs[p])
		print ""
	}
}
function levels(   i) {
	heads("machine", " mean | worst | worst program | within 5 %, of 14 |")
	for (i = 1; i <= n; i++) printf "| `%s` | %s | %s | %s | %d |\n", kinds[i], mean(kinds[i]), short(worst[kinds[i]]), hardest[kinds[i]], near[kinds[i]]
}
END {
	if (deep) { levels(); exit }
	if (others) { other(); exit }
	errors()
	sentence()
	if ("unequal" in rows) unequal()
	for (p in share) { coherence(); exit }
}
