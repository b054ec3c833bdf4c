# Prints what predict compare has below its rows, from the rows that make golden holds (expected.tsv, rounded as there).
BEGIN { FS = "\t" }
/^#/ { next }
$1 == "program" { for (i = 1; i <= NF; i++) at[$i] = i; next }
{
	m = $at["model"]; e = $at["error"] < 0 ? -$at["error"] : $at["error"] + 0
	if (!(m in rows)) models[++n] = m
	rows[m]++; sum[m] += e; near[m] += e <= 5
	if (e > worst[m]) {
		worst[m] = e; name = $at["program"]; sub(/ line=64$/, "", name)
		where[m] = name ", " $at["processors"] " processors, " $at["machine"]
	}
}
END {
	# With -v sentences=1: what the project's page says of paper and mva.
	if (sentences) {
		for (i = 1; i <= n; i++) {
			m = models[i]
			if (m != "curve") printf "mean %.1f %%, worst %.1f %% (%d predictions)\n", sum[m] / rows[m], worst[m], rows[m]
		}
		exit
	}
	printf "%-5s  %-14s  %-15s  %-10s  %s\n", "model", "mean error [%]", "worst error [%]", "within 5 %", "worst row"
	for (i = 1; i <= n; i++) {
		m = models[i]
		printf "%-5s  %-14.1f  %-15.1f  %-10s  %s\n", m, sum[m] / rows[m], worst[m], near[m] " of " rows[m], where[m]
	}
}
