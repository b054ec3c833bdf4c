//go:build oracle

package oracle

import (
	"context"
	"testing"
	"unsafe"

	"spoor/tracegen/kernel"
	"spoor/tracegen/spmd"
	"spoor/tracegen/tape"
	"spoor/traces/trace"
)

//go:linkname current spoor/tracegen/tape.current
var current unsafe.Pointer

//go:linkname spoorCurrent runtime.spoorCurrent
var spoorCurrent *unsafe.Pointer

//go:linkname spoorDrain runtime.spoorDrain
var spoorDrain func(unsafe.Pointer)

type memory struct{ trace.Memory }

func (m *memory) Refs(b *trace.Refs) error {
	for i := range b.Len() {
		m.RefsOf[b.Proc].Append(b.Instr[i], b.Addr[i], b.Size[i], b.Op[i])
	}
	return nil
}
func (m *memory) Events(b *trace.Events) error { return nil }

func TestX(t *testing.T) {
	spoorDrain = func(p unsafe.Pointer) { (*tape.Tape)(p).Drain() }
	spoorCurrent = &current
	for _, k := range kernel.All {
		v, _ := k.Values(k.Small)
		inst, err := k.New(v, 4, 1)
		if err != nil {
			t.Fatal(err)
		}
		m := &memory{trace.Memory{Head: trace.Header{Procs: 4}, RefsOf: make([]trace.Refs, 4), EventsOf: make([]trace.Events, 4)}}
		if _, err := spmd.Record(context.Background(), spmd.Options{Procs: 4}, inst.Program, m); err != nil {
			t.Fatal(err)
		}
		want := inst.Counts().Refs
		for p := range 4 {
			t.Log(k.Name, p, m.RefsOf[p].Len(), want[p])
		}
	}
}
