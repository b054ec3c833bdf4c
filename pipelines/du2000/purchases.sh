#!/bin/sh
# Prints what each model buys in the three cases of the paper's section 6, whether that is of the kind in the paper's text, and
# in how many of 100 price lists it would be, if prices differ by up to 10 and 25 %.
#
#   sh purchases.sh OUT PRICES KERNEL...
# Parameters are those of one processor, as in the paper.
set -eu
out=$1 prices=$2
shift 2
have=../../data/machine/du2000-cow-4-256k-100m.toml
echo program,parameter,model,bought,agrees,prices_10,prices_25
for kernel; do
	name=${kernel%%.*}
	two=
	case $name in fft | radix) two=--power-of-two ;; esac
	for c in case1 case2 case3; do
		for model in curve paper-least-squares paper-likelihood paper-log paper-table3; do
			case $c in
			case1) command="budget --budget \$5000" ;;
			case2) command="budget --budget \$20000" ;;
			*) command="upgrade --have $have --budget \$5000" ;;
			esac
			law=${model#paper-}
			[ "$law" != table3 ] || law=../../data/paper/du2000/table3-$name.params.toml
			options="--model curve"
			[ "$model" = curve ] || options="--model paper --law $law"
			decide() { # shellcheck disable=SC2086 # lists of words
				predict --quiet $command $two $options --prices "$prices" --params "$out/$kernel.procs-1.analysis" --format csv "$@" | awk -F , -v c=$c -v name="$name" '
				NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
				{ n = $at["nodes"]; each = $at["each"]; net = $at["network"]
					if (c == "case1") ok = each == 1 && (name ~ /fft|radix/ ? n == 2 && net == "atm-155m" : n == 3 && net == "ethernet-100m")
					else if (c == "case2") ok = n > 1 && (name == "edge" ? each == 1 : each > 1)
					else ok = n == 8 && each == 1 && net == "ethernet-100m" && $at["cache"] == "256KiB" && $at["memory"] == "64MiB"
					if ("draws" in at) draws += ok * $at["draws"]
					else printf "%d x %d %s/%s %s,%d", n, each, $at["cache"], $at["memory"], net, ok }
				END { if ("draws" in at) printf "%d", draws }'
			}
			printf '%s,%s,%s,%s,%s,%s\n' "$name" $c "$model" "$(decide --top 1)" "$(decide --price-spread 10%)" "$(decide --price-spread 25%)"
		done
	done
done
