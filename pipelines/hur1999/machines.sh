#!/bin/sh
# Measures transfers, scans and array statements of this host over several transports, in Go (ring, tcp, unix) and in C (cunix, Open
# MPI, MPICH), and prints the errors of the models of each: in every state of the host, of what is taken of the launches.
#
#   sh machines.sh FOLDER
#
# TRANSPORTS are the transports, FLAGS more flags of calibrate marshalling. A transport that is not here is said and left out.
set -eu
out=$1
mkdir -p "$out"
{
	echo experiment,transport,take,model,noise,error_ratio,gain,median,percentile
	for t in ${TRANSPORTS:-ring tcp unix cunix openmpi mpich}; do
		calibrate --quiet marshalling --transport "$t" ${FLAGS:-} -o "$out/$t" >/dev/null 2>"$out/$t.log" || true
		if [ ! -s "$out/$t.marshalling.arrow" ]; then
			echo "machines: $t is left out: $(tail -n 1 "$out/$t.log")" >&2
			continue
		fi
		for k in mean median minimum; do
			calibrate fit --quiet --max-noise 0.1 --take $k "$out/$t.marshalling.arrow" -o "$out/$t" --format csv 2>>"$out/$t.log" |
				awk -F , -v OFS=, -v t="$t" -v k=$k 'FNR > 1 && $4 == "least squares" && $3 ~ /^[SM][123]$/ && (k == "mean" || $1 == "transfer") {
					print $1, t ($2 == "" ? "" : " " $2), k, $3, $7, $8, $9, $12, $13 }'
		done
	done
} >"$out/machines.csv"
pipelines tables hur1999.machines "$out/machines.csv"
