package replay

import (
	"strings"
	"testing"

	"spoor/predict/internal/engine/observe"
	"spoor/traces/trace"
)

const arrivalKeys = "interrupt = \"500 ns\"\nbuffer_copy = \"0.5 ns/B\"\n"

const loggpKeys = "model = \"loggp\"\nL = \"100 ns\"\no = \"10 ns\"\ng = \"20 ns\"\nG = \"2 ns/B\"\n"

// Of 101 bytes, the first comes at 110 ns, and the last 200 ns later. Processor 1 computes 1000 ns, until 1700 with an interrupt of 500 + 200 ns.
// It then receives for 10 ns, and copies for 50.5.
func TestMessagesInterruptAndAreCopied(t *testing.T) {
	src := messageTrace(rows(an(trace.Send, with(1), of(101))), rows(an(trace.Recv, after(1000), with(0), of(101))))
	for keys, want := range map[string][2]float64{"": {1010, 10}, "interrupt = \"500 ns\"\n": {1710, 710}, "buffer_copy = \"0.5 ns/B\"\n": {1060.5, 60.5}, arrivalKeys: {1760.5, 760.5}} {
		res, err := replayMessages(src, messageMachine(t, loggpKeys+keys), Options{})
		if err != nil {
			t.Fatal(err)
		}
		end, busy := float64(res.Time)/1000, float64(res.Ranks[1].Parts[observe.Overhead])/1000
		if end != want[0] || busy != want[1] {
			t.Errorf("%q: ends at %v ns with %v of overhead, want %v", keys, end, busy, want)
		}
	}
}

// What cannot use the keys refuses them.
func TestArrivalKeysAreRefused(t *testing.T) {
	src := messageTrace(rows(an(trace.Send, with(1), of(101))), rows(an(trace.Recv, after(1000), with(0), of(101))))
	for key, text := range map[string]string{"network.interrupt": "interrupt = \"500 ns\"\n", "network.buffer_copy": "buffer_copy = \"0.5 ns/B\"\n"} {
		for _, s := range []Semantics{LogGOPSim, SMPI} {
			_, err := replayMessages(src, messageMachine(t, loggpKeys+text), Options{Semantics: s})
			if want := "--semantics " + string(s) + " cannot use " + key; err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
		err := CheckBoth(messageMachine(t, loggpKeys+text))
		if refused := err != nil; refused != (key == "network.interrupt") {
			t.Errorf("%s with references: %v", key, err)
		}
	}
}
