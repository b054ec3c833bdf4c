# How many measured times are inside the intervals that the errors of all other times give: 95 % of them, as predict message has it.
# Input: CSV of the table that calibrate fit leaves.
BEGIN { FS = "," }
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
$at["predicted"] > 0 {
	k = sprintf("%-6s %s", $at["model"], $at["method"])
	if (!(k in n)) order[++kinds] = k
	e[k, n[k]++] = $at["measured"] / $at["predicted"] - 1
}
END {
	for (m = 1; m <= kinds; m++) {
		k = order[m]
		inside = 0
		for (i = 0; i < n[k]; i++) {
			below = above = 0
			for (j = 0; j < n[k]; j++) {
				below += e[k, j] < e[k, i]
				above += e[k, j] > e[k, i]
			}
			# The interval is from the value of rank floor(0.025 (n-1)) of the others to that of rank ceil(0.975 (n-1)) - 1.
			last = n[k] - 1
			cut = int(0.025 * last)
			top = 0.975 * last
			top = top == int(top) ? top : int(top) + 1
			inside += below > cut && above > last - top
		}
		printf "%-32s %d of %d inside\n", k, inside, n[k]
		all += n[k]
		hold += inside
	}
	printf "%-32s %d of %d inside, %.1f %%\n", "all", hold, all, 100 * hold / all
}
