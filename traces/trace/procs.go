package trace

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseProcs reads a list of numbers and ranges such as "0-3,6". The trace has have
// processors. The result is ascending. An empty text selects all processors.
func ParseProcs(text string, have int) (procs []Proc, err error) {
	if text == "" {
		text = "0-" + strconv.Itoa(have-1)
	}
	wanted := make([]bool, have)
	for _, part := range strings.Split(text, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, err1 := strconv.Atoi(strings.TrimSpace(from))
		last, err2 := strconv.Atoi(strings.TrimSpace(to))
		if err1 != nil || err2 != nil || first > last {
			return nil, fmt.Errorf("%q is not a processor or a range such as 0-3", part)
		}
		if last >= have {
			return nil, fmt.Errorf("no processor %d: the trace has %d, from 0", last, have)
		}
		for p := first; p <= last; p++ {
			wanted[p] = true
		}
	}
	for p, w := range wanted {
		if w {
			procs = append(procs, Proc(p))
		}
	}
	return procs, nil
}

// FormatProcs returns ascending processors in the syntax of [ParseProcs]: "0-3,6".
func FormatProcs(procs []Proc) string {
	var out []string
	for i := 0; i < len(procs); {
		from := i
		for i++; i < len(procs) && procs[i] == procs[i-1]+1; i++ {
		}
		text := strconv.Itoa(int(procs[from]))
		if last := procs[i-1]; last > procs[from] {
			text += "-" + strconv.Itoa(int(last))
		}
		out = append(out, text)
	}
	return strings.Join(out, ",")
}
