package trace_test

import (
	"fmt"

	"spoor/traces/trace"
)

// A trace is made, checked and read, a batch at a time.
func Example() {
	refs := trace.Refs{Proc: 0}
	refs.Append(3, 0x1000, 8, trace.Load) // the third instruction loads
	refs.Append(1, 0x1008, 8, trace.Store)
	barrier := trace.NewEvent(trace.Barrier)
	barrier.Instr, barrier.Refs = 5, 2 // at instruction 5, after both references
	m := &trace.Memory{
		Head:     trace.Header{Program: "copy", Procs: 1},
		RefsOf:   []trace.Refs{refs},
		EventsOf: []trace.Events{{Rows: []trace.Event{barrier}}},
	}
	if err := trace.Check(m); err != nil {
		panic(err)
	}
	position := uint64(0)
	for b, err := range m.Refs() {
		if err != nil {
			panic(err)
		}
		for i, addr := range b.Addr {
			position += uint64(b.Instr[i])
			fmt.Printf("%d %s %#x\n", position, b.Op[i], addr)
		}
	}
	m.EventsOf[0].Rows[0].Instr = 3
	fmt.Println(trace.Check(m))
	// Output:
	// 3 load 0x1000
	// 4 store 0x1008
	// processor 0, event 0 (barrier): at instruction 3, before reference 1 at instruction 4, which precedes it
}
