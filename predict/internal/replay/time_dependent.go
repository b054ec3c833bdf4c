package replay

import (
	"fmt"
	"strings"

	"spoor/traces/trace"
)

// timeWarning returns the warning about recorded results that depend on time, with the command that simulates them; or
// nil if there are none. A simulator of a running program gives new results instead [dickens1996, sec. 3].
func (s *EventStats) timeWarning(head trace.Header) error {
	var counts []string
	for _, k := range []trace.Kind{trace.Test, trace.Probe, trace.Iprobe, trace.Clock} {
		if n := s.timeDependent[k]; n > 0 {
			counts = append(counts, fmt.Sprintf("%v: %d", k, n))
		}
	}
	if len(counts) == 0 {
		return nil
	}
	return fmt.Errorf("results that depend on time are replayed as recorded (%s); for the times of this machine run %s",
		strings.Join(counts, ", "), directCommand(head))
}

// directCommand returns the command that runs the program of a trace under the simulator.
func directCommand(h trace.Header) string {
	own := len(h.Args) == 0 || h.Args[0].Key == "args" // kernels have parameters, own programs have arguments
	if own || !strings.HasPrefix(h.Tool, "tracegen ") || strings.ContainsAny(h.Program, " /") {
		return "the program with predict direct"
	}
	text := fmt.Sprintf("predict direct %s --procs %d", h.Program, h.Procs)
	if h.Seed != 1 {
		text += fmt.Sprintf(" --seed %d", h.Seed)
	}
	for _, a := range h.Args {
		text += fmt.Sprintf(" --set %s=%s", a.Key, a.Value)
	}
	return text
}
