// Package plainmachine has the machine that tests begin with.
package plainmachine

import (
	"strings"
	"testing"

	"spoor/calibrate/machine"
)

const text = `name = "m"
[processor]
clock = "1 GHz"
cpi = 1
[[cache]]
size = "16 KiB"
line = "64 B"
ways = 2
latency = "1 cycle"
[memory]
size = "64 MiB"
latency = "50 cycles"
occupancy = "50 cycles"
invalidate = "10 cycles"
[system]
target = "smp"
processors = 4
`

// Text returns a description of the machine, an SMP of four processors. changes are pairs: a text in it, and what
// replaces it.
func Text(t testing.TB, changes ...string) string {
	t.Helper()
	changed := text
	for i := 0; i < len(changes); i += 2 {
		if !strings.Contains(changed, changes[i]) {
			t.Fatalf("%q is not in the machine", changes[i])
		}
		changed = strings.ReplaceAll(changed, changes[i], changes[i+1])
	}
	return changed
}

// New returns the machine with changes, see [Text].
func New(t testing.TB, changes ...string) *machine.Machine {
	t.Helper()
	m, err := machine.Parse("m.toml", []byte(Text(t, changes...)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}
