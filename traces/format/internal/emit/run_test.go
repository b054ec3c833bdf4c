package emit

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"spoor/traces/trace"
)

// recorder is a sink that keeps all references and events.
type recorder struct {
	refs   trace.Refs
	events []trace.Event
}

func (r *recorder) Refs(b *trace.Refs) error {
	for i := range b.Addr {
		r.refs.Append(b.Instr[i], b.Addr[i], b.Size[i], b.Op[i])
	}
	return nil
}

func (r *recorder) Events(b *trace.Events) error {
	r.events = append(r.events, b.Rows...)
	return nil
}

// TestAppendIsNaive compares Append with its definition. Between the runs are events, and numbers of instructions that are near
// the limits of their columns.
func TestAppendIsNaive(t *testing.T) {
	for _, test := range []struct {
		name   string
		before []uint64 // instructions before each run
	}{
		{"few instructions", []uint64{0, 1, 5}},
		{"as many as fit in a column", []uint64{math.MaxUint32 - 300, math.MaxUint32, 0}},
		{"more than fit in a column", []uint64{math.MaxUint32 + 1, 3, 1 << 40}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got, want recorder
			fast, naive := NewStream(&got, 0), NewStream(&want, 0)
			random := rand.New(rand.NewPCG(1, 2))
			var run Run
			for i := range 600 {
				before := test.before[random.IntN(len(test.before))]
				fast.Execute(before)
				naive.Execute(before)
				for range random.IntN(RunRows + 1) {
					instr, addr := random.Uint32N(3), random.Uint64()
					run.Add(instr, addr, 4, trace.Load)
					naive.Execute(uint64(instr))
					naive.Ref(addr, 4, trace.Load)
				}
				fast.Append(&run)
				if i%7 == 0 {
					fast.Mark(trace.NewEvent(trace.Marker))
					naive.Mark(trace.NewEvent(trace.Marker))
				}
			}
			if err := fast.Finish(); err != nil {
				t.Fatal(err)
			}
			if err := naive.Finish(); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%d references and %d events differ from the expected %d and %d", got.refs.Len(), len(got.events), want.refs.Len(), len(want.events))
			}
		})
	}
}
