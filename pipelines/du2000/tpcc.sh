#!/bin/sh
# Prints section 5 of the paper: TPC-C-like transactions on the 4-way Pentium Pro, by each model and by simulation. E(Tran) and
# transactions of all kinds per minute are for the paper's 625,000 instructions in each transaction.
#
#   sh tpcc.sh OUT
set -eu
out=$1/tpcc
machine=../../data/machine/du2000-pentium-pro-4.toml
mkdir -p "$out"
for p in 1 4; do
	tracegen --quiet tpcc --procs $p --set transactions=300 -o "$out/tpcc.$p"
	analyze --quiet --run reuse,locality,phases --line 32B --sets 128,8192 --per-node $p --node-miss 20 -o "$out/tpcc.$p.analysis" "$out/tpcc.$p" >/dev/null
done
predict --quiet replay "$out/tpcc.4" --machine $machine --format csv >"$out/simulation.csv"
{
	awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { cpi = $at["e_instr"] * 4 * 0.2
		printf "simulated,CPI,%.6f\nsimulated,E(Tran),%.8f\nsimulated,tpm,%.2f\n", cpi, cpi * 625000 / 200e6, 4 * 60 * 200e6 / (cpi * 625000) }' "$out/simulation.csv"
	for options in '--model curve' '--model mva' '--law least-squares' '--law likelihood' '--law log' '--law ../../data/paper/du2000/table3-tpcc.params.toml'; do
		case $options in --law*) more='--model paper' ;; *) more= ;; esac
		# shellcheck disable=SC2086 # lists of words
		predict --quiet cluster --params "$out/tpcc.1.analysis" --params "$out/tpcc.4.analysis" --processors 4 --machine $machine $more $options --terms --transaction 625000 --format csv |
			awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["model"] "," $at["term"] "," $at["value"] }'
	done
} | awk -F , '
	BEGIN { print "program,machine,model,cpi,milliseconds,tpm,off" }
	$2 == "CPI" { cpi = $3; if ($1 == "simulated") simulated = cpi }
	$2 == "E(Tran)" { tran = 1e3 * $3 }
	$2 == "tpm" { printf "tpcc,du2000-pentium-pro-4,%s,%.4f,%.4f,%.1f,%.4f\n", $1, cpi, tran, $3, 100 * (cpi / simulated - 1) }'
