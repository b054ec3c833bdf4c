#!/bin/sh
# Prints numbers of the paper's sections 6 and 7 by model curve and by model paper with each law, from the locality of one processor:
#
#   equal_clock  clock [MHz] at which one workstation has the time of the paper's best cluster for $5000 (D7 or D3)
#   larger       time of one workstation with 512 KiB and 128 MiB over that of this cluster: above 1, it cannot reach the cluster
#   d19          speed of D19 over that of 4 workstations with 64 MiB on 100 Mb/s: 5 with 128 MiB on ATM
#   nodes, capacity, network  speed of the 4 after one change: 8 workstations; 512 KiB and 128 MiB; ATM
#
#   sh singles.sh OUT KERNEL...
set -eu
out=$1
shift
base=../../data/machine/du2000-cow-4-256k-100m.toml
mkdir -p "$out/singles"
make_() { # NAME CHANGE: the base, changed
	sed "s/^name = .*/name = \"$1\"/; $2" $base >"$out/singles/$1.toml"
}
atm='s/^model = "bus"/model = "switch"/; s/^bandwidth = "100 Mb.s"/bandwidth = "155 Mb\/s"\nefficiency = "48\/53"/'
large='s/^size = "256 KiB"/size = "512 KiB"/; s/^size = "64 MiB"/size = "128 MiB"/'
one='/^\[network\]/,/^$/d; s/^target = .*/target = "smp"/; s/^nodes = .*//; s/^block = .*//; s/^placement = .*//'
make_ d7 "s/^nodes = 4/nodes = 2/; $atm"
make_ d3 's/^nodes = 4/nodes = 3/'
make_ d19 "s/^nodes = 4/nodes = 5/; $atm; s/^size = \"64 MiB\"/size = \"128 MiB\"/"
make_ original ''
make_ nodes 's/^nodes = 4/nodes = 8/'
make_ capacity "$large"
make_ network "$atm"
make_ one "$one"
make_ one-large "$one; $large"
echo program,parameter,model,value
for kernel; do
	name=${kernel%%.*}
	best=d3
	case $name in fft | radix) best=d7 ;; esac
	for model in curve least-squares likelihood log table3; do
		options="--model paper --law $model"
		case $model in
		curve) options="--model curve" ;;
		table3) options="--model paper --law ../../data/paper/du2000/table3-$name.params.toml" ;;
		esac
		# shellcheck disable=SC2086 # lists of words
		cluster() { predict --quiet cluster $options --params "$out/$kernel.procs-1.analysis" --format csv "$@"; }
		column() { awk -F , -v of="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at[of] }'; }
		e() { cluster --machine "$out/singles/$1.toml" --processors "$2" | column e_instr; }
		clock=$(cluster --machine "$out/singles/one.toml" --equal-clock "$out/singles/$best.toml" | column clock)
		n=3
		[ $best = d3 ] || n=2
		echo "$clock $(e one-large 1) $(e $best $n) $(e original 4) $(e d19 5) $(e nodes 8) $(e capacity 4) $(e network 4)" | awk -v p="$name" -v m="$model" '
			function line(what, v) { printf "%s,%s,%s,%.4f\n", p, what, m, v }
			{ line("equal_clock", $1); line("larger", $2 / $3); line("d19", $4 / $5); line("nodes", $4 / $6); line("capacity", $4 / $7); line("network", $4 / $8) }'
	done
done
