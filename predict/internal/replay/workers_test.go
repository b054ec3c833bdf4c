package replay

import (
	"reflect"
	"testing"

	"spoor/predict/internal/engine"
	"spoor/predict/internal/engine/outcome"
	"spoor/traces/trace"
)

// exchange is a ring of n processors that pass messages to both sides and agree, again and again.
func exchange(n, rounds int) *trace.Memory {
	all := make([][]trace.Event, n)
	for p := range all {
		next, last := int32((p+1)%n), int32((p+n-1)%n)
		for k := range rounds {
			all[p] = append(all[p],
				an(trace.Irecv, after(uint32(7*p+k)), with(last), request(0)),
				an(trace.Isend, with(next), of(int64(1+100*(k%3))), request(1)),
				an(trace.Wait, request(0)), an(trace.Wait, request(1)))
			if k%4 == 3 {
				all[p] = append(all[p], an(trace.AllReduce, after(uint32(p)), of(8)))
			}
		}
	}
	return messageTrace(all...)
}

// Workers read the trace at the same time, each its processors, and find what one does.
func TestMessagesOnWorkers(t *testing.T) {
	cases := append(messageCases(), messageCase{name: "a ring", trace: exchange(8, 200)})
	together := 0
	for _, c := range cases {
		one, err := replayMessages(c.trace, messageMachine(t, c.net), c.opt)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, protocol := range []outcome.Protocol{outcome.Quantum, outcome.Whoa} {
			opt := c.opt
			opt.Engine = engine.Options{Protocol: protocol, Workers: 3}
			several, err := replayMessages(c.trace, messageMachine(t, c.net), opt)
			if err != nil {
				t.Errorf("%s: %s: %v", c.name, protocol, err)
				continue
			}
			if !reflect.DeepEqual(several.Ranks, one.Ranks) {
				t.Errorf("%s: %s: got %v, want %v", c.name, protocol, ends(several), ends(one))
			}
			if several.Engine.Workers > 1 {
				together++
			}
		}
	}
	if together < len(cases) {
		t.Errorf("of %d runs on several workers %d were: do they simulate?", 2*len(cases), together)
	}
}
