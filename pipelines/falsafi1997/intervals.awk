# Prints how many measured speedups lie within the intervals of each model, as printed, and when these are widened by how far
# the other programs' speedups were beyond theirs. Reads what predict windtunnel --measured --format csv has of all programs.
BEGIN { FS = "," }
FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
$at["lo"] != "NaN" {
	program = $at["program"]; sub(/\..*/, "", program); programs[program]
	k = sprintf("%-18s %-8s", $at["program"] ~ /dir1sw$/ ? "simulated time" : "time of the trace", $at["model"])
	n = ++rows[k]; of[k, n] = program; lo[k, n] = $at["lo"]; hi[k, n] = $at["hi"]; measured[k, n] = $at["measured"]
	off = $at["measured"] < $at["lo"] ? $at["measured"] / $at["lo"] - 1 : $at["measured"] > $at["hi"] ? $at["measured"] / $at["hi"] - 1 : 0
	inside[k] += off == 0
	if (off < below[k, program]) below[k, program] = off
	if (off > above[k, program]) above[k, program] = off
}
END {
	printf "%-27s %5s %7s %8s\n", "", "rows", "inside", "widened"
	for (k in rows) {
		widened = 0
		for (i = 1; i <= rows[k]; i++) {
			least = most = 0
			for (p in programs) if (p != of[k, i]) {
				if (below[k, p] < least) least = below[k, p]
				if (above[k, p] > most) most = above[k, p]
			}
			widened += lo[k, i] * (1 + least) <= measured[k, i] && measured[k, i] <= hi[k, i] * (1 + most)
		}
		printf "%s %5d %7d %8d\n", k, rows[k], inside[k], widened | "LC_ALL=C sort"
	}
}
