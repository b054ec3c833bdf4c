# Prints which targets execute at the same time: the correlation of times within quanta between targets that are so many apart.
# Reads rows of a quanta table as CSV.
BEGIN { FS = "," }
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
{ time[$at["quantum"], $at["proc"]] = $at["time"]; quanta[$at["quantum"]]; if ($at["proc"] >= procs) procs = $at["proc"] + 1 }
END {
	for (q in quanta) {
		mean = 0
		for (p = 0; p < procs; p++) mean += time[q, p] / procs
		for (p = 0; p < procs; p++) {
			all += (time[q, p] - mean) ^ 2
			for (s = 1; s < procs; s *= 2) with[s] += (time[q, p] - mean) * (time[q, (p + s) % procs] - mean)
		}
	}
	for (s = 1; s < procs; s *= 2) printf "%2d apart: %5.2f\n", s, with[s] / all
}
