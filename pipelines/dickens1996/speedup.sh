#!/bin/sh
# speedup.sh OUT MACHINE: host times of predict direct with one and two workers, as in Tables 5 and 6. All simulations take turns in
# ROUNDS rounds, and the shortest of each counts.
set -eu
out=$1 machine=$2
: "${ROUNDS:=3}" "${RANKS:=16 64}"
mkdir -p "$out" && rm -f "$out"/speedup.csv
column() { awk -F , -v want="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at[want] }'; }
direct() { predict direct "$@" --machine "$machine" --native --format csv --quiet; }
for round in $(seq "$ROUNDS"); do
	while read -r program; do
		for n in $RANKS; do
			for engine in 'sequential 1' 'quantum 2' 'whoa 2'; do
				took=$(direct $program --procs "$n" --engine ${engine% *} --workers ${engine#* } | column simulated_in)
				echo "$program,$n,$engine,$took" >>"$out/speedup.csv"
			done
		done
	done <<EOF
sor --set g=250 --set iterations=100
bps --set g=256
apucs --set f=1 --set time=500
apucs --set f=64 --set time=500
pgl --set triangles=500 --set frames=10
EOF
done
echo program,ranks,engine,workers,shortest_s,speedup
tr ' ' ';' <"$out/speedup.csv" | awk -F , '{ k = $1 "," $2 "," $3; if (!(k in t)) { order[++n] = k; t[k] = $4 } if ($4 < t[k]) t[k] = $4 }
	END { for (i = 1; i <= n; i++) { split(order[i], p, ","); one = t[p[1] "," p[2] ",sequential;1"]; split(p[3], e, ";"); gsub(";", " ", p[1])
		printf "%s,%s,%s,%s,%.3f,%.2f\n", p[1], p[2], e[1], e[2], t[order[i]], one / t[order[i]] } }'
