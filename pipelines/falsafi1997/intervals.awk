# Prints for each model how many measured speedups lie within its intervals, and for how many programs all do; mean and worst error; and programs
# in which one is more than 10 % off. Reads what predict windtunnel --measured --halves --format csv has of all programs.
BEGIN { FS = "," }
FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
$at["lo"] != "" {
	program = $at["program"]; sub(/\..*/, "", program)
	k = sprintf("%-18s %-8s", $at["program"] ~ /dir1sw$/ ? "simulated time" : "time of the trace", $at["model"])
	rows[k]++
	held = $at["lo"] <= $at["measured"] && $at["measured"] <= $at["hi"]
	inside[k] += held
	if (!((k, program) in seen)) { seen[k, program]; programs[k]++ }
	if (!held && !((k, program) in out)) { out[k, program]; missed[k]++ }
	error = $at["error"] < 0 ? -$at["error"] : +$at["error"]
	sum[k] += error
	if (error > worst[k]) worst[k] = error
	if (error > 10 && !((k, program) in off)) { off[k, program]; far[k] = far[k] " " program }
	width[k] += ($at["hi"] - $at["lo"]) / $at["predicted"]
}
END {
	printf "%-27s %5s %8s %9s %8s %7s %7s  %s\n", "", "rows", "inside %", "programs", "width %", "error %", "worst %", "worst over 10 %"
	for (k in rows)
		printf "%s %5d %8.1f %4d of %2d %8.1f %7.1f %7.1f %s\n", k, rows[k], 100 * inside[k] / rows[k], programs[k] - missed[k], programs[k],
			100 * width[k] / rows[k], sum[k] / rows[k], worst[k], far[k] | "LC_ALL=C sort"
}
