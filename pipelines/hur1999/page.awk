# Prints the table of the study's page from expected.tsv or gains.csv: errors of S1 divided by those of each model.
FNR == 1 { FS = FILENAME ~ /\.tsv$/ ? "\t" : ","; $0 = $0 }
/^#/ { next }
$1 == "experiment" { gains = 1; for (i = 1; i <= NF; i++) at[$i] = i; next }
$1 == "operation" { gains = 0 }
!gains { next }
{
	model = $at["model"]; method = $at["method"]
	if (!(model in known)) { known[model]; models[++n] = model }
	gain[model, method] = $at["gain"]
	median[model, method] = $at["median"]
	p90[model, method] = $at["percentile"]
	noise[method] = $at["error_ratio"] / $at["noise"] * $at["gain"]
}
# row prints one ratio of all models, and the largest that noise allows.
function row(kind,   i, r) {
	printf "| %s, %s |", method, kind
	for (i = 1; i <= n; i++) {
		r = gain[models[i], method]
		if (kind == "RMS") r = sqrt(r)
		if (kind == "median") r = median["S1", method] / median[models[i], method]
		if (kind == "90th percentile") r = p90["S1", method] / p90[models[i], method]
		printf " %.1f |", r
	}
	if (kind == "squared") printf " %.0f |\n", noise[method]
	else if (kind == "RMS") printf " %.1f |\n", sqrt(noise[method])
	else print " |"
}
END {
	printf "| error of S1 / error of the model |"; rule = "|---|"
	for (i = 1; i <= n; i++) { printf " %s |", models[i]; rule = rule "---|" }
	print " no error but noise |\n" rule "---|"
	for (j = 1; j <= 2; j++) {
		method = j == 1 ? "least squares" : "relative non-negative"
		row("squared"); row("RMS"); row("median"); row("90th percentile")
	}
}
