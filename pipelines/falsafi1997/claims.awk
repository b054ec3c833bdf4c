# Rows of the claims of sections 4 and 6 from tables of predict windtunnel --format csv: program, prices and model are given.
BEGIN { FS = ","; OFS = "," }
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
{
	n = $(at["targets"]); k = $(at["per_host"]); kind = $(at["host"]); time = $(at["time"]); cp = $(at["cost_performance"])
	if (kind == "uni") {
		single[n] = cp
		if (n == 32 && (prices == "sgi1993" || model == "paper"))
			print program, kind, model ": overhead share of one host %", 100 * (1 - $(at["processing"]) / time)
	} else {
		if (!((kind, n) in least) || cp < least[kind, n]) { least[kind, n] = cp; best[kind, n] = k }
	}
	if (n == 32 && kind != "bus" && prices == "sgi1993")
		print program, kind, model ": interference share with " k " targets a host %", 100 * $(at["interference"]) / time
}
END {
	for (i = split("bus mpp", kinds, " "); i >= 1; i--) {
		kind = kinds[i]
		even = 0
		for (j = split("128 64 32 16 8", sizes, " "); j >= 1; j--) {
			n = sizes[j]
			if (!((kind, n) in least)) continue
			print program, kind, prices ": best targets per host of " n, best[kind, n]
			if (!even && least[kind, n] < single[n]) even = n
		}
		print program, kind, prices ": break-even [targets] (0: above 128)", even
	}
}
