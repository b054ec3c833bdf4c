# Medians of the runs in times.tsv, by program. Errors and costs are medians of the ratios of runs that follow each other, in
# percent, so that a host that becomes slower counts little. cost_least compares the least times of the commands, which other work on the
# host disturbs least.
function median(list, a, n, i, j, t) {
	n = split(list, a, " ")
	for (i = 2; i <= n; i++) for (j = i; j > 1 && a[j] + 0 < a[j-1] + 0; j--) { t = a[j]; a[j] = a[j-1]; a[j-1] = t }
	return (a[int((n + 1) / 2)] + a[int(n / 2) + 1]) / 2
}
BEGIN { FS = OFS = "\t" }
NR > 1 {
	if (!($1 in native)) order[++programs] = $1
	runs[$1]++
	native[$1] = native[$1] " " $3
	recorded[$1] = recorded[$1] " " $5
	predicted[$1] = predicted[$1] " " $7
	error[$1] = error[$1] " " 100 * ($7 / $3 - 1)
	if (!($1 in least) || $4 < least[$1]) least[$1] = $4
	if (!($1 in leastRecorded) || $6 < leastRecorded[$1]) leastRecorded[$1] = $6
	cost[$1] = cost[$1] " " 100 * ($6 / $4 - 1)
	same[$1] = same[$1] " " 100 * ($7 / $5 - 1)
}
END {
	print "program", "runs", "native", "recorded", "predicted", "error", "error_same_run", "cost", "cost_least"
	for (i = 1; i <= programs; i++) {
		p = order[i]
		printf "%s\t%d\t%.4g\t%.4g\t%.4g\t", p, runs[p], median(native[p]), median(recorded[p]), median(predicted[p])
		printf "%.1f\t%.1f\t%.1f\t%.1f\n", median(error[p]), median(same[p]), median(cost[p]), 100 * (leastRecorded[p] / least[p] - 1)
	}
}
