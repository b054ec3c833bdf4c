#!/bin/sh
# Prints mean and worst error of E(Instr) of model paper, in %, for each law and kind of machine: as published, with remote
# accesses raised by 12.4 %, and both without the barrier term. The factor is the geometric mean of how many times E(Instr) is too
# large or too small: an error in % is at most 100 if it is too small.
#
#   sh laws.sh OUT SIMULATED KERNEL...
# SIMULATED is a comparison of predict compare; parameters are those of one processor. Only the paper's programs have law table3.
set -eu
out=$1 simulated=$2
shift 2
paper=../../data/paper/du2000
machines() { # of so many processors
	case $1 in 2) set -- smp-2-* cow-2-* ;; 4) set -- smp-[0-9][0-9]* cow-4-* clump-2x2-* ;; *) set -- cow-8-* clump-2x4-* clump-4x2-* ;; esac
	for m; do for f in ../../data/machine/du2000-$m.toml; do printf ' --machine %s' "$f"; done; done
}
for kernel; do
	for law in least-squares likelihood log table3; do
		file=$law
		[ $law != table3 ] || file=$paper/table3-${kernel%%.*}.params.toml
		[ $law != table3 ] || [ -f "$file" ] || continue
		for n in 2 4 8; do
			for more in '' '--raise-remote 12.4%' '--without-barriers' '--without-barriers --raise-remote 12.4%'; do
				# shellcheck disable=SC2086 # lists of words
				predict --quiet cluster --model paper --law "$file" --params "$out/$kernel.procs-1.analysis" --processors $n $more $(machines $n) --format csv |
					awk -F , -v law=$law -v more="$more" -v n=$n 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
						$at["processors"] == n { m = law; if (more ~ /barriers/) m = m " without barriers"; if (more ~ /raise/) m = m " +12.4%"
							print $at["program"] "," $at["machine"] "," n "," m "," $at["e_instr"] }'
			done
		done
	done
done | awk -F , '
	FILENAME != "-" { if (/^program/) { for (i = 1; i <= NF; i++) at[$i] = i; next }
		if ($at["model"] == "mva") { name = $at["machine"]; sub(/-first-touch$/, "", name)
			key = $1 "," name "," $at["processors"]; s[key, ++k[key]] = $at["simulated"]; target[key] = $at["target"] }; next }
	{ key = $1 "," $2 "," $3
		for (j = 1; j <= k[key]; j++) { e = 100 * ($5 / s[key, j] - 1); if (e < 0) e = -e; times = log($5 / s[key, j])
			row = $1 "," target[key] "," $4; if (!(row in count)) order[++rows] = row
			count[row]++; sum[row] += e; logs[row] += times < 0 ? -times : times; if (e > worst[row]) worst[row] = e } }
	END { print "program,machine,model,rows,mean_error,worst_error,factor"
		for (i = 1; i <= rows; i++) { r = order[i]; printf "%s,%d,%.4f,%.4f,%.6f\n", r, count[r], sum[r] / count[r], worst[r], exp(logs[r] / count[r]) } }' "$simulated" -
