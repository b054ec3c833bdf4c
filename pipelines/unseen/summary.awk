# Sums up rows.tsv in two tables: by set, kind of machine and model; and of model mva by program and kind. mean and worst are absolute
# errors in percent. none counts predictions without an interval, inside those whose interval has the simulation. width is the median of
# hi / lo.
function median(list, a, n, i, j, t) {
	n = split(list, a, " ")
	if (!n) return ""
	for (i = 2; i <= n; i++) for (j = i; j > 1 && a[j] + 0 < a[j-1] + 0; j--) { t = a[j]; a[j] = a[j-1]; a[j-1] = t }
	return sprintf("%.3g", (a[int((n + 1) / 2)] + a[int(n / 2) + 1]) / 2)
}
function add(key, e) {
	e = $9 < 0 ? -$9 : $9
	if (!(key in rows)) order[++keys] = key
	rows[key]++
	sum[key] += e
	if (e > worst[key]) worst[key] = e
	if ($10 == "") none[key]++
	else { inside[key] += $12; if ($10 > 0) widths[key] = widths[key] " " $11 / $10 }
}
BEGIN { FS = OFS = "\t" }
$1 != "program" { add($2 OFS $4 OFS $6); add($2 OFS "all" OFS $6); if ($6 == "mva") { add($1 OFS $4); add($1 OFS "all") } }
END {
	print "quantity", "kind", "model", "rows", "mean", "worst", "none", "inside", "width"
	for (i = 1; i <= keys; i++) if (split(order[i], k, OFS) == 3) print_(order[i])
	print "program", "kind", "rows", "mean", "worst", "none", "inside", "width"
	for (i = 1; i <= keys; i++) if (split(order[i], k, OFS) == 2 && order[i] !~ /^(random|messages)-/) print_(order[i])
}
function print_(key) { printf "%s\t%d\t%.1f\t%.1f\t%d\t%d\t%s\n", key, rows[key], sum[key] / rows[key], worst[key], none[key], inside[key], median(widths[key]) }
