# Prints the table of the study's page from expected.tsv or gains.csv: how many times less error than S1 each model has.
FNR == 1 { FS = FILENAME ~ /\.tsv$/ ? "\t" : ","; $0 = $0 }
/^#/ { next }
$1 == "experiment" { gains = 1; for (i = 1; i <= NF; i++) at[$i] = i; next }
$1 == "operation" { gains = 0 }
!gains { next }
{
	model = $at["model"]
	if (!(model in known)) { known[model]; models[++n] = model }
	gain[model, $at["method"]] = $at["gain"]
	noise[$at["method"]] = $at["error_ratio"] / $at["noise"] * $at["gain"]
}
END {
	printf "| error of S1 / error of the model |"; rule = "|---|"
	for (i = 1; i <= n; i++) { printf " %s |", models[i]; rule = rule "---|" }
	print " no error but noise |\n" rule "---|"
	for (j = 1; j <= 2; j++) {
		method = j == 1 ? "least squares" : "relative non-negative"
		printf "| %s |", method
		for (i = 1; i <= n; i++) printf " %.1f |", gain[models[i], method]
		printf " %.0f |\n", noise[method]
	}
}
