package formattest

import (
	"math/rand/v2"
	"slices"
	"spoor/traces/trace"
)

// RandomGraph is a trace of graphs that the format can carry whole.
func RandomGraph(rng *rand.Rand) *trace.Memory {
	procs := 1 + rng.IntN(4)
	ranks := make([][]trace.Event, procs)
	for range rng.IntN(30) {
		from, to, tag, bytes := rng.IntN(procs), rng.IntN(procs), rng.Int32N(3), rng.Int64N(1e6)
		ranks[from] = append(ranks[from], Message(trace.Send, int32(to), tag, bytes))
		ranks[to] = append(ranks[to], Message(trace.Recv, int32(from), tag, bytes))
		ranks[to] = append(ranks[to], None(trace.Compute, Working(1000*rng.Int64N(5))))
	}
	for p, rows := range ranks {
		order := rng.Perm(len(rows)) // a row may need a later one, though not in a circle
		for i := range rows {
			rows[i].Needs = []int64{}
			for j := range rows {
				if order[j] < order[i] && rng.IntN(4) == 0 {
					rows[i].Needs = append(rows[i].Needs, int64(j))
				}
			}
		}
		ranks[p] = WithMarkers(rng, rows)
	}
	return Tell(trace.WorkPicos, ranks...)
}

// Tell is a trace of the given events, a list for each rank.
func Tell(work trace.WorkUnit, ranks ...[]trace.Event) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Procs: len(ranks), WorkUnit: work}}
	for p, rows := range ranks {
		m.EventsOf = append(m.EventsOf, trace.Events{Proc: trace.Proc(p), Rows: rows})
	}
	return m
}

func Message(kind trace.Kind, peer, tag int32, bytes int64, set ...func(*trace.Event)) trace.Event {
	e := trace.NewEvent(kind)
	e.Peer, e.Tag, e.Bytes = peer, tag, bytes
	for _, f := range set {
		f(&e)
	}
	return e
}

func Working(work int64) func(*trace.Event) { return func(e *trace.Event) { e.Work = work } }

func None(kind trace.Kind, set ...func(*trace.Event)) trace.Event {
	return Message(kind, trace.None, trace.None, 0, set...)
}

// WithMarkers gives some rows a marker for their start, which the row after it and
// others need.
func WithMarkers(rng *rand.Rand, rows []trace.Event) (out []trace.Event) {
	moved := make([]int64, len(rows))
	marked := make([]bool, len(rows))
	next := int64(0)
	for i := range rows {
		for _, e := range rows { // only where somebody needs it
			marked[i] = marked[i] || slices.Contains(e.Needs, int64(i)) && rng.IntN(6) == 0
		}
		if marked[i] {
			next++
		}
		moved[i] = next
		next++
	}
	started := make([]bool, len(rows))
	for i, e := range rows {
		var ends, starts []int64
		for _, n := range e.Needs {
			if marked[n] && (!started[n] || rng.IntN(2) == 0) {
				started[n] = true
				starts = append(starts, moved[n]-1)
			} else {
				ends = append(ends, moved[n])
			}
		}
		e.Needs = append(append([]int64{}, ends...), starts...)
		if marked[i] {
			out = append(out, None(trace.Marker, Needing(e.Needs...)))
			e.Needs = []int64{moved[i] - 1}
		}
		out = append(out, e)
	}
	return out
}

const GoalExample = `/* every
construct */ num_ranks 3 // of them

rank 0 {
  l1: calc 100 cpu 0
	l3 irequires l2
l2 : send 1024 b to 1 tag 5 cpu 0 nic 0
l2 requires l1 /* before */
/**/ l3: recv 8b from -1 tag -1
calc 7
l3 requires l1
}

rank 1 { a: recv 1024b from 0 tag 5 cpu 1 nic 2
b: calc 200 cpu 3
b requires a
c: send 8b to 0
c requires b
} rank 2 {
}
`
