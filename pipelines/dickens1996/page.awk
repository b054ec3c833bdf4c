# Prints the two tables of the study's page from expected.tsv, or from times.csv and ahead.csv.
# Table 1: times on 16 processors (-v on=64: on 64). Table 2: events in windows for each F, the lookahead of the engine.
FNR == 1 { FS = FILENAME ~ /\.tsv$/ ? "\t" : ","; $0 = $0 }
/^#/ { next }
$1 == "program" { delete at; for (i = 1; i <= NF; i++) at[$i] = i; next }
"ahead" in at {
	f = $at["ahead"]; name = $1; sub(/ stations=[0-9]*/, "", name); sub(/ time=.*/, "", name)
	if (!(f in seen)) { seen[f]; fs[++n] = f }
	if (!(name in seen)) { seen[name]; names[++m] = name }
	events[name, f] = $at["events_window_processor"]; appointments[name, f] = $at["appointments"]
	next
}
$at["processors"] == (on ? on : 16) {
	name = $1; sub(/ check=.*/, "", name); sub(/ stations=[0-9]*/, "", name); sub(/ window=.*/, "", name); sub(/ size=.*/, "", name)
	if (!times++) print "| on " $at["processors"] " processors | time [ms] | share of computation [%] |\n|---|---|---|"
	printf "| %s | %.3g | %.0f |\n", name, 1e3 * $at["time"], 100 * $at["compute"] / $at["time"]
}
END {
	printf "\n| F |"; rule = "|---|"
	for (i = 1; i <= n; i++) { printf " %s |", fs[i]; rule = rule "---|" }
	print "\n" rule
	for (j = 1; j <= m; j++) {
		printf "| %s, events per window and processor |", names[j]
		for (i = 1; i <= n; i++) printf " %.1f |", events[names[j], fs[i]]
		printf "\n| %s, appointments |", names[j]
		for (i = 1; i <= n; i++) printf " %d |", appointments[names[j], fs[i]]
		print ""
	}
}
