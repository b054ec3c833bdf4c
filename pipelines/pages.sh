#!/bin/sh
# Holds what the pages say to what commands print, or writes it into them:
#
#   sh pipelines/pages.sh [--write] [PAGE...]        # every page, if none is given
#
# Comments of a page, each on a line of its own, name commands that run in the page's folder:
#
#   <!-- table: COMMAND -->     the lines that follow, to an empty one or between two of ```, are what it prints
#   <!-- text: COMMAND -->      each line that it prints stands in the page, wherever lines of the page end
#
# Commands read what is committed (expected.tsv, tables of accuracy, datasets), so that this takes seconds.
set -eu
write=0
[ "${1:-}" != --write ] || { write=1; shift; }
root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || {
	cd "$root"
	# shellcheck disable=SC2046 # no folder of the project has a blank in its name
	set -- $(find . -name "*.md" ! -path '*/out/*' ! -path '*/node_modules/*' | LC_ALL=C sort)
}
status=0
for page; do
	awk -v page="$page" -v folder="$(cd "$(dirname "$page")" && pwd)" -v write=$write -v new="$page.new" -f "$root/pipelines/pages.awk" "$page" || status=1
	[ ! -e "$page.new" ] || mv "$page.new" "$page"
done
exit $status
