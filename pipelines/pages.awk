# Holds one page to what its commands print: see pages.sh. Variables: page, its folder, write, and new, the file to write.
{ line[NR] = $0 }
!/<!-- (text|table): / { flat = flat " " $0 }

END {
	gsub(/[ \t]+/, " ", flat)
	for (n = 1; n <= NR; n++) {
		out[++lines] = line[n]
		if (match(line[n], /<!-- table: .* -->$/)) table(said(12))
		else if (match(line[n], /<!-- text: .* -->$/)) text(said(11))
	}
	if (commands && !write) print "pages: " page ": " commands " commands, " (bad ? bad " differ" : "all as the page has it")
	if (write && changed) {
		for (i = 1; i <= lines; i++) print out[i] >new
		print "pages: " page ": " changed " tables are new"
	}
	exit bad > 0
}

# said runs the command of the comment that was matched, which begins after so many signs, and has the number of lines that it
# prints, in printed; 0 if it fails.
function said(words,   command, k) {
	command = "cd '" folder "' && { " substr(line[n], RSTART + words, RLENGTH - words - 4) "; } 2>&1 || echo 'this failed'"
	commands++
	k = 0
	while ((command | getline printed[k + 1]) > 0) k++
	close(command)
	if (k && printed[k] != "this failed") return k
	complain("the command " (k ? "fails: " : "prints nothing") (k > 1 ? printed[1] : ""))
	return 0
}

# table compares the lines that follow, or puts those that were printed in their place.
function table(k,   i, fence, same, indent) {
	if (!k) return
	match(line[n], /^ */)
	indent = substr(line[n], 1, RLENGTH)
	fence = line[n + 1] ~ /^ *```/
	if (fence) out[++lines] = line[++n]
	same = 1
	for (i = 1; n + 1 <= NR && (fence ? line[n + 1] !~ /^ *```/ : line[n + 1] !~ /^ *$/); i++) {
		n++
		if (i > k || line[n] != indent printed[i]) {
			if (same && !write) complain("the page has\n\t" line[n] "\nand its command prints\n\t" (i > k ? "no such line" : printed[i]))
			same = 0
		}
	}
	if (i <= k) {
		if (same && !write) complain("the page lacks the line\n\t" printed[i])
		same = 0
	}
	for (i = 1; i <= k; i++) out[++lines] = indent printed[i]
	changed += !same
}

function text(k,   i) {
	for (i = 1; i <= k; i++) if (!index(flat, printed[i])) complain("nowhere is there\n\t" printed[i])
}

function complain(what) { bad++; print "pages: " page ":" n ": " what }
