#!/bin/sh
# Writes every table PREFIX.*.arrow as text beside it, as calibrate fit reads it: facts, names with units, rows.
# Prints a line for each file of PREFIX: rows, columns, digest.
#
#   sh contents.sh PREFIX
set -eu
for table in "$1".*.arrow; do
	text=${table%.arrow}.csv
	traces info --format csv "$table" | awk '
		{ key = $0; sub(/,.*/, "", key); value = substr($0, length(key) + 2); gsub(/^"|"$/, "", value) }
		sub(/^column /, "", key) { split(value, type, " "); heads = heads sep key (2 in type ? " [" type[2] "]" : ""); sep = ","; next }
		key != "what" && key != "kind" && key != "rows" { print "# " key " = " value }
		END { print heads }' >"$text.new"
	traces head -n 1000000000 --format csv "$table" | sed 1d >>"$text.new"
	mv "$text.new" "$text"
done
printf 'file\trows\tcolumns\tsha256\n'
for file in "$1".*; do
	case $file in
	*.csv) size=$(awk -F , '/^# / { next } !columns { columns = NF; next } { rows++ } END { print rows + 0 "\t" columns }' "$file") ;;
	*) size=$(printf -- '-\t-') ;;
	esac
	printf '%s\t%s\t%s\n' "$(basename "$file")" "$size" "$(sha256sum "$file" | cut -d ' ' -f 1)"
done
