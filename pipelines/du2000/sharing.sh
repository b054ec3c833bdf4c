#!/bin/sh
# Prints the share of uses of lines that several processors use, of FFT [section 4.3.2], and how many of all uses miss because
# another processor stored.
#
#   sh sharing.sh OUT KERNEL...
set -eu
out=$1
shift
echo program,processors,shared,moved
for kernel; do
	case $kernel in fft.*) ;; *) continue ;; esac
	for p in 2 4 8; do
		analyze --quiet --run sharing --line 64B --format csv -o "$out/$kernel.procs-$p.sharing" "$out/$kernel.procs-$p" | awk -F , -v p=$p '
			NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			{ uses += $at["loads"] + $at["stores"]; shared += $at["shared"]; moved += $at["true_sharing"] + $at["false_sharing"] + $at["upgrades"] }
			END { printf "fft,%d,%.4f,%.4f\n", p, 100 * shared / uses, 100 * moved / uses }'
	done
done
