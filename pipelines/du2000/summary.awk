# Prints mean and worst error of each model by kind of machine and placement of pages, in %, and how many rows of mva are
# within 5 %, with its mean error for each program. Reads what predict compare --format csv has.
BEGIN { FS = ","; split("paper curve mva", models, " ") }
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
{
	machine = $at["machine"]; model = $at["model"]; program = $at["program"]; error = $at["error"]
	sub(/ .*/, "", program)
	if (error < 0) error = -error
	kind = machine ~ /-smp-/ ? "SMPs" : (machine ~ /-cow-/ ? "workstations" : "clusters of SMPs") (machine ~ /-first-touch$/ ? ", first touch" : ", pages in turn")
	if (!(kind in seen)) { seen[kind]; kinds[++n] = kind }
	if (!(program in known)) { known[program]; programs[++m] = program }
	sum[kind, model] += error; rows[kind, model]++
	if (error > worst[kind, model]) worst[kind, model] = error
	if (model == "mva") { near[kind] += error <= 5; of[kind, program] += error; times[kind, program]++ }
}
END {
	printf "%-32s %4s", "machines", "rows"
	for (k = 1; k <= 3; k++) printf " %13s", models[k]
	printf " %8s", "within 5"
	for (p = 1; p <= m; p++) printf " %6s", programs[p]
	print ""
	for (i = 1; i <= n; i++) {
		kind = kinds[i]
		printf "%-32s %4d", kind, rows[kind, "mva"]
		for (k = 1; k <= 3; k++) printf " %5.1f / %5.1f", sum[kind, models[k]] / rows[kind, models[k]], worst[kind, models[k]]
		printf " %8d", near[kind]
		for (p = 1; p <= m; p++) printf " %6.1f", times[kind, programs[p]] ? of[kind, programs[p]] / times[kind, programs[p]] : 0
		print ""
	}
}
