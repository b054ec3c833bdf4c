#!/bin/sh
# Measure the cases with SimGrid 3.32 (Debian package libsimgrid-dev 3.32-2), and write times.txt: the case, the platform, and the
# time at which the last rank ends. Machine files are made from the platforms: calibrate import NAME.xml -o NAME.toml
cd "$(dirname "$0")" || exit 1
python3 make.py
tmp=$(mktemp -d)
while read -r case platform hosts; do
	ranks=$(tail -1 "$case.ti" | cut -d' ' -f1)
	echo "$PWD/$case.ti" >"$tmp/list"
	rank=0
	while [ $rank -le "$ranks" ]; do echo "n-$((rank / hosts))"; rank=$((rank + 1)); done >"$tmp/hosts"
	echo "$case $platform $(smpirun -platform "$platform.xml" -hostfile "$tmp/hosts" -np $((ranks + 1)) -replay "$tmp/list" 2>&1 |
		sed -n 's/.*Simulation time //p')"
done <cases.txt >times.txt
