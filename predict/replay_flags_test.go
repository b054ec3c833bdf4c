package main

import (
	"strings"
	"testing"
)

// Flags of messages for a trace without them, and of memory for one with them, are noted.
func TestReplayNotesFlagsWithoutEffect(t *testing.T) {
	memory, m := writeTrace(t, "memory", 2, nil), writeMachine(t, "m")
	pair := writeMessages(t)
	for _, c := range [][]string{
		{memory, "--matrix"}, {memory, "--engine", "whoa"}, {memory, "--semantics", "loggopsim"}, {memory, "--collectives", "ring"},
		{pair, "--barrier", "5ns"}, {pair, "--quanta-length", "50"},
	} {
		t.Run(caseOf(c...), func(t *testing.T) {
			machine := m
			if c[0] == pair {
				machine = "../data/machine/loggp-example.toml"
			}
			status, _, errs := predict(append([]string{"replay", "--machine", machine}, c...)...)
			if status != 0 || !strings.Contains(errs, c[1]+" has no effect: ") {
				t.Errorf("%v: status %d, %s", c, status, errs)
			}
		})
	}
}
