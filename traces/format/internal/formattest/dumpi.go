package formattest

import (
	"fmt"
	"strings"
)

// DumpiText writes calls as dumpi2ascii does: "MPI_Send count=3 datatype=9 ...",
// each 1 us long and 1 us after the one before, from 10 s on. A line that does not
// begin with MPI_ and a name is written as it is.
func DumpiText(calls string) string {
	var b strings.Builder
	now := int64(10e9)
	for line := range strings.Lines(calls) {
		line = strings.TrimSpace(line)
		name, args, _ := strings.Cut(line, " ")
		if name == "" {
			continue
		}
		if !strings.HasPrefix(line, "MPI_") || strings.Contains(line, " called ") {
			fmt.Fprintln(&b, line)
			continue
		}
		stamp := func(what string) {
			fmt.Fprintf(&b, "%s %s at walltime %d.%09d, cputime 0.1 seconds in thread 0.\n", name, what, now/1e9, now%1e9)
			now += 1000
		}
		stamp("entering")
		for _, arg := range strings.Split(args, ";") {
			if arg = strings.TrimSpace(arg); arg != "" {
				kind := "int "
				for prefix, k := range map[string]string{"comm": "MPI_Comm ", "oldcomm": "MPI_Comm ", "newcomm": "MPI_Comm ", "request": "MPI_Request "} {
					if strings.HasPrefix(arg, prefix+"=") {
						kind = k
					}
				}
				b.WriteString(kind + arg + "\n")
			}
		}
		stamp("returning")
	}
	return b.String()
}
