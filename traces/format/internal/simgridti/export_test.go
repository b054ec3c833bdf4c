package simgridti

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spoor/traces/format/internal/formattest"
	"spoor/traces/internal/format"
	"spoor/traces/trace"
)

// tiRandom is a trace that the format can carry, with messages between procs ranks.
func tiRandom(r *rand.Rand, procs, steps int) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Procs: procs, WorkUnit: trace.WorkFlop}, RefsOf: make([]trace.Refs, procs)}
	requests, open := make([]int32, procs), make([][]trace.Event, procs)
	for p := range procs {
		m.EventsOf = append(m.EventsOf, trace.Events{Proc: trace.Proc(p)})
	}
	do := func(p int, e trace.Event) { m.EventsOf[p].Rows = append(m.EventsOf[p].Rows, e) }
	start := func(p int, e trace.Event) {
		e.Request = requests[p]
		requests[p]++
		do(p, e)
		open[p] = append(open[p], e)
	}
	wait := func(p, i int) { // the oldest request like request i
		like := open[p][i]
		i = slices.IndexFunc(open[p], func(e trace.Event) bool { return e.Kind == like.Kind && e.Peer == like.Peer && e.Tag == like.Tag })
		e := trace.NewEvent(trace.Wait)
		e.Request = open[p][i].Request
		open[p] = slices.Delete(open[p], i, i+1)
		do(p, e)
	}
	kinds := []trace.Kind{trace.Barrier, trace.Bcast, trace.Reduce, trace.AllReduce, trace.Scan, trace.Gather, trace.Scatter, trace.AllGather, trace.AllToAll}
	for range steps {
		switch p := r.IntN(procs); r.IntN(6) {
		case 0:
			e := trace.NewEvent(trace.Compute)
			e.Work = 1 + r.Int64N(1<<r.IntN(62))
			do(p, e)
		case 1, 2:
			tiRandomMessage(r, p, procs, do, start)
		case 3:
			if n := len(open[p]); n > 0 && r.IntN(3) == 0 {
				e := trace.NewEvent(trace.Test)
				e.Request = open[p][0].Request
				do(p, e)
			} else if n > 0 {
				wait(p, r.IntN(n))
			}
		case 4:
			e := trace.NewEvent(kinds[r.IntN(len(kinds))])
			tiRandomCollective(r, e, procs, do)
		}
	}
	for p := range procs {
		for len(open[p]) > 0 {
			wait(p, 0)
		}
	}
	return m
}

// tiRandomMessage is one send and its receive, some from any source with any tag. To
// itself a rank sends with isend and receives with recv: a wait could not tell the
// requests of both apart.
func tiRandomMessage(r *rand.Rand, from, procs int, do, start func(int, trace.Event)) {
	to := (from + 1 + r.IntN(max(1, procs-1))) % procs
	send, recv := trace.NewEvent(trace.Send), trace.NewEvent(trace.Recv)
	send.Peer, recv.Peer = int32(to), int32(from)
	send.Tag = r.Int32N(3)
	recv.Tag = send.Tag
	send.Bytes = r.Int64N(1 << 20)
	recv.Bytes = send.Bytes
	if r.IntN(2) == 0 || from == to {
		send.Kind = trace.Isend
		start(from, send)
	} else {
		do(from, send)
	}
	if r.IntN(10) == 0 {
		recv.Peer, recv.Tag = trace.None, trace.None
	}
	if r.IntN(2) == 0 && from != to {
		recv.Kind = trace.Irecv
		start(to, recv)
	} else {
		do(to, recv)
	}
}

func tiRandomCollective(r *rand.Rand, e trace.Event, procs int, do func(int, trace.Event)) {
	switch e.Kind {
	case trace.Bcast, trace.Reduce, trace.Gather, trace.Scatter:
		e.Peer = r.Int32N(int32(procs))
	}
	if e.Kind == trace.Reduce || e.Kind == trace.AllReduce || e.Kind == trace.Scan {
		e.Work = r.Int64N(1000)
	}
	if e.Kind != trace.Barrier {
		e.Bytes = r.Int64N(1000)
	}
	each := r.IntN(2) == 0
	for p := range procs {
		switch e.Kind {
		case trace.Gather, trace.Scatter, trace.AllGather, trace.AllToAll:
			if each {
				e.Bytes = r.Int64N(1000)
			}
		}
		do(p, e)
	}
}

func tiExport(t *testing.T, src trace.Source, set map[string]string) (string, []string) {
	t.Helper()
	var out bytes.Buffer
	notes, err := SimGridTI{}.Export(src, format.ExportOptions{Set: set}, &out)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), notes
}

// What is written is read as it was.
func TestTIRoundTrip(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 12))
		want := tiRandom(r, 1+r.IntN(9), 1+r.IntN(400))
		if err := trace.Check(want); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		text, _ := tiExport(t, want, nil)
		got, _ := TiMust(t, text, format.Options{})
		SameEvents(t, fmt.Sprintf("seed %d", seed), got, want)
		again, _ := tiExport(t, got, nil)
		if again != text {
			t.Fatalf("seed %d: written again, it is another text", seed)
		}
	}
}

// tiTrace is a trace of one rank for each list of events.
func tiTrace(unit trace.WorkUnit, ranks ...[]trace.Event) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Procs: len(ranks), WorkUnit: unit}, RefsOf: make([]trace.Refs, len(ranks))}
	for p, rows := range ranks {
		m.EventsOf = append(m.EventsOf, trace.Events{Proc: trace.Proc(p), Rows: rows})
	}
	return m
}

func TestTIExport(t *testing.T) {
	inGroup := func(k trace.Kind, peer, tag, group int32) trace.Event {
		return formattest.Event(k, func(e *trace.Event) { e.Peer, e.Tag, e.Group, e.Bytes = peer, tag, group, 8 })
	}
	computed := func(unit trace.WorkUnit, instr uint32, work int64) *trace.Memory {
		return tiTrace(unit, []trace.Event{formattest.Event(trace.Compute, func(e *trace.Event) { e.Work = work }),
			formattest.Event(trace.Barrier, func(e *trace.Event) { e.Instr = instr })})
	}
	meet := func(object int32) trace.Event {
		return formattest.Event(trace.Barrier, func(e *trace.Event) { e.Peer = object })
	}
	for _, c := range []struct {
		what string
		src  *trace.Memory
		set  map[string]string
		want string
		note string
	}{
		{"instructions", computed(trace.WorkInstr, 7, 5), nil, formattest.TiOf("compute 5; compute 7; barrier"), "a list whose only line is the name of this file"},
		{"2 flop per instruction", computed(trace.WorkInstr, 7, 5), map[string]string{"flops_per_instruction": "2.5"}, formattest.TiOf("compute 12.5; compute 17.5; barrier"), "list"},
		{"time", computed(trace.WorkPicos, 0, 3000), map[string]string{"flops": "2Gf"}, formattest.TiOf("compute 6; barrier"), "list"},
		{"flop", computed(trace.WorkFlop, 0, math.MaxInt64), nil, formattest.TiOf("compute 9223372036854775807; barrier"), "list"},
		{"groups", tiTrace(trace.WorkFlop,
			[]trace.Event{inGroup(trace.Send, 1, 3, 5), inGroup(trace.Send, 1, 9, -1), inGroup(trace.Send, 1, 3, 6)},
			[]trace.Event{inGroup(trace.Recv, 0, 3, 5), inGroup(trace.Recv, 0, 9, -1), inGroup(trace.Recv, 0, 3, 6)}), nil,
			formattest.TiOf("send 1 10 8 6; send 1 9 8 6; send 1 11 8 6", "recv 0 10 8 6; recv 0 9 8 6; recv 0 11 8 6"), "4 messages in groups written in the world"},
		{"wildcards", tiTrace(trace.WorkFlop,
			[]trace.Event{inGroup(trace.Send, 1, 3, -1)}, []trace.Event{inGroup(trace.Recv, -1, -1, -1)}), nil,
			formattest.TiOf("send 1 3 8 6", "recv -555 -444 8 6"), "1 receive from any source (-555)"},
		{"a test that succeeds", tiTrace(trace.WorkFlop, []trace.Event{
			formattest.Event(trace.Isend, func(e *trace.Event) { e.Peer, e.Tag, e.Request = 0, 1, 0 }), formattest.Event(trace.Recv, func(e *trace.Event) { e.Peer, e.Tag = 0, 1 }),
			formattest.Event(trace.Test, func(e *trace.Event) { e.Request, e.Count = 0, 1 })}), nil,
			formattest.TiOf("isend 0 1 0 6; recv 0 1 0 6; wait 0 0 1"), "1 test that succeeded written as a wait"},
		{"a collective that does not block", tiTrace(trace.WorkFlop, []trace.Event{
			formattest.Event(trace.AllReduce, func(e *trace.Event) { e.Request = 4 }), formattest.Event(trace.Wait, func(e *trace.Event) { e.Request = 4 })}), nil,
			formattest.TiOf("allreduce 0 0 6"), "1 collective without blocking"},
		{"what there is no action for", tiTrace(trace.WorkFlop, []trace.Event{trace.NewEvent(trace.Lock), trace.NewEvent(trace.Marker), meet(3)}, nil), nil,
			formattest.TiOf("", ""), "3 events omitted, of kinds that simgrid-ti lacks (barrier, lock, marker)"},
		{"barriers of all in memory", tiTrace(trace.WorkFlop, []trace.Event{meet(3), meet(0)}, []trace.Event{meet(3), meet(0)}), nil,
			formattest.TiOf("barrier; barrier", "barrier; barrier"), "4 barriers of shared memory with all processors"},
		{"other barriers in memory", tiTrace(trace.WorkFlop, []trace.Event{meet(3), meet(0)}, []trace.Event{meet(0), meet(3)}), nil,
			formattest.TiOf("", ""), "4 events omitted, of kinds that simgrid-ti lacks (barrier)"},
		{"a test after a test", tiTrace(trace.WorkFlop, []trace.Event{
			formattest.Event(trace.Isend, func(e *trace.Event) { e.Peer, e.Tag, e.Request = 0, 1, 0 }), formattest.Event(trace.Recv, func(e *trace.Event) { e.Peer, e.Tag = 0, 1 }),
			formattest.Event(trace.Test, func(e *trace.Event) { e.Request = 0 }), formattest.Event(trace.Test, func(e *trace.Event) { e.Request = 0 }),
			formattest.Event(trace.Wait, func(e *trace.Event) { e.Request = 0 })}), nil,
			formattest.TiOf("isend 0 1 0 6; recv 0 1 0 6; test 0 0 1; test 0 0 1; wait 0 0 1"), "1 test of a request that was already tested"},
		{"waits in another order", tiTrace(trace.WorkFlop, []trace.Event{inGroup(trace.Send, 1, 3, -1), inGroup(trace.Send, 1, 3, -1)}, []trace.Event{
			formattest.Event(trace.Irecv, func(e *trace.Event) { e.Peer, e.Tag, e.Bytes, e.Request = 0, 3, 8, 0 }), formattest.Event(trace.Irecv, func(e *trace.Event) { e.Peer, e.Tag, e.Bytes, e.Request = 0, 3, 8, 1 }),
			formattest.Event(trace.Wait, func(e *trace.Event) { e.Request = 1 }), formattest.Event(trace.Wait, func(e *trace.Event) { e.Request = 0 })}), nil,
			formattest.TiOf("send 1 3 8 6; send 1 3 8 6", "irecv 0 3 8 6; irecv 0 3 8 6; wait 0 1 3; wait 0 1 3"), "2 waits for a request that is not the oldest"},
		{"needs", tiTrace(trace.WorkFlop, []trace.Event{computed(trace.WorkFlop, 0, 1).EventsOf[0].Rows[0],
			formattest.Event(trace.Barrier, func(e *trace.Event) { e.Needs = []int64{} })}), nil, formattest.TiOf("compute 1; barrier"), "1 event with dependencies other than the previous event"},
	} {
		t.Run(c.what, func(t *testing.T) {
			got, notes := tiExport(t, c.src, c.set)
			if got != c.want {
				t.Errorf("written as\n%swant\n%s", got, c.want)
			}
			if !strings.Contains(strings.Join(notes, "\n"), c.note) {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
		})
	}
}

func TestTIExportErrors(t *testing.T) {
	of := func(k trace.Kind, group int32) *trace.Memory {
		return tiTrace(trace.WorkPicos, []trace.Event{formattest.Event(k, func(e *trace.Event) { e.Group, e.Work, e.Peer = group, 1, 0 })})
	}
	big := tiTrace(trace.WorkFlop, []trace.Event{formattest.Event(trace.Send, func(e *trace.Event) { e.Peer, e.Tag = 0, math.MaxInt32 }),
		formattest.Event(trace.Send, func(e *trace.Event) { e.Peer, e.Tag, e.Group = 0, 0, 1 })})
	wild := tiTrace(trace.WorkFlop, []trace.Event{formattest.Event(trace.Recv, func(e *trace.Event) { e.Peer = 0 }),
		formattest.Event(trace.Send, func(e *trace.Event) { e.Peer, e.Tag, e.Group = 0, 0, 1 })})
	for _, c := range []struct {
		what string
		src  *trace.Memory
		o    format.ExportOptions
		want string
	}{
		{"no processors", tiTrace(trace.WorkFlop), format.ExportOptions{}, "no processors"},
		{"some processors", tiTrace(trace.WorkFlop, nil, nil), format.ExportOptions{Procs: []trace.Proc{1}}, "--proc"},
		{"time without a speed", of(trace.Compute, -1), format.ExportOptions{}, "processor 0, event 0 (compute): its work is in ps"},
		{"a group", of(trace.Bcast, 3), format.ExportOptions{Set: map[string]string{"flops": "1Gf"}}, "collective of group 3, but simgrid-ti has only collectives"},
		{"any tag in a group", of(trace.Recv, 3), format.ExportOptions{Set: map[string]string{"flops": "1Gf"}}, "any tag in group 3"},
		{"any tag besides groups", wild, format.ExportOptions{}, "which could receive messages of groups"},
		{"no tags left", big, format.ExportOptions{}, "no tags are left"},
		{"a rate", of(trace.Compute, -1), format.ExportOptions{Set: map[string]string{"flops_per_instruction": "-1"}}, "not a number above 0"},
		{"a wait", tiTrace(trace.WorkFlop, []trace.Event{formattest.Event(trace.Wait, func(e *trace.Event) { e.Request = 4 })}), format.ExportOptions{}, "request 4 is not open"},
		{"a missing gather", tiTrace(trace.WorkFlop, of(trace.AllGather, -1).EventsOf[0].Rows, nil), format.ExportOptions{}, "processor 1 has 0 of the 1"},
		{"another gather", tiTrace(trace.WorkFlop, of(trace.AllGather, -1).EventsOf[0].Rows, of(trace.AllToAll, -1).EventsOf[0].Rows), format.ExportOptions{}, "another collective"},
	} {
		t.Run(c.what, func(t *testing.T) {
			_, err := SimGridTI{}.Export(c.src, c.o, new(bytes.Buffer))
			tiWantError(t, c.what, err, c.want)
		})
	}
}
