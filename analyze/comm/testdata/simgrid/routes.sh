#!/bin/sh
# Writes routes.txt with SimGrid 3.32 (Debian: apt-get install libsimgrid-dev). Each platform is a line
# "TOPOLOGY PARAMETERS HOSTS", followed by the lines of routes.cpp.
set -e
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
g++ -std=c++17 -o "$work/routes" "$here/routes.cpp" -lsimgrid
while read -r topology parameters hosts; do
	echo "$topology $parameters $hosts"
	cat >"$work/platform.xml" <<-XML
	<?xml version='1.0'?>
	<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
	<platform version="4.1">
	<cluster id="c" prefix="h" radical="0-$((hosts - 1))" suffix="" speed="1Gf" bw="1GBps" lat="1us"
	 sharing_policy="SPLITDUPLEX" topology="$topology" topo_parameters="$parameters"/>
	</platform>
	XML
	"$work/routes" "$work/platform.xml" --log=root.thres:critical
done >"$here/routes.txt" <<-LIST
	FAT_TREE 2;4,4;1,4;1,1 16
	FAT_TREE 2;6,4;1,3;1,1 24
	FAT_TREE 3;2,3,2;1,2,3;1,1,1 12
	FAT_TREE 2;4,3;2,2;1,1 12
	FAT_TREE 2;4,3;1,2;1,2 12
	DRAGONFLY 4,1;1,1;4,1;2 32
	DRAGONFLY 3,1;2,1;3,1;2 36
	DRAGONFLY 2,1;3,1;2,1;1 12
	TORUS 7 7
	TORUS 3,4,2 24
	TORUS 2,3,2,3 36
LIST
