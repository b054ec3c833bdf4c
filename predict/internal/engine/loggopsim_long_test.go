package engine

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/program"
	"spoor/traces/unit"
)

// blocking is what LogGOPSim does with programs whose operations wait for each other, in its own words: one queue of events in order of time,
// those at a time in the order in which they were first put in. It knows no ranks, lookahead or agendas.
type blocking struct {
	cost.Model
	ops                  [][]program.Op
	at                   []int // the operation of each rank
	free, sends, takesUp []unit.Picos
	queue                []blockingEvent
	put                  int
	here, posted         [][]blockingMessage
}

type blockingEvent struct {
	t    unit.Picos
	nth  int
	rank int32
	op   *program.Op      // or
	m    *blockingMessage // which comes
}

type blockingMessage struct {
	from, tag int32
	bytes     int64
}

func newBlocking(m cost.Model, ops [][]program.Op) *blocking {
	n := len(ops)
	b := &blocking{Model: m, ops: ops, at: make([]int, n), free: make([]unit.Picos, n), sends: make([]unit.Picos, n), takesUp: make([]unit.Picos, n),
		here: make([][]blockingMessage, n), posted: make([][]blockingMessage, n)}
	for r := range ops {
		b.schedule(int32(r))
	}
	return b
}

// schedule puts in what a rank does next.
func (b *blocking) schedule(r int32) {
	if i := b.at[r]; i < len(b.ops[r]) {
		e := blockingEvent{t: b.free[r], rank: r, op: &b.ops[r][i]}
		if e.op.Kind == program.Send {
			e.t = max(e.t, b.sends[r])
		}
		b.insert(e)
	}
}

func (b *blocking) insert(e blockingEvent) {
	e.nth = b.put
	b.put++
	b.queue = append(b.queue, e)
}

// run is when each rank ends.
func (b *blocking) run() []unit.Picos {
	for len(b.queue) > 0 {
		first := slices.MinFunc(b.queue, func(a, c blockingEvent) int {
			if a.t != c.t {
				return int(a.t - c.t)
			}
			return a.nth - c.nth
		})
		b.queue = slices.DeleteFunc(b.queue, func(e blockingEvent) bool { return e.nth == first.nth })
		if ready := b.ready(&first); ready > first.t {
			first.t = ready
			b.queue = append(b.queue, first)
			continue
		}
		over := b.does(&first)
		slices.Sort(over)
		for _, r := range over {
			b.at[r]++
			b.schedule(r)
		}
	}
	return b.free
}

// ready is when an event has what it needs.
func (b *blocking) ready(e *blockingEvent) unit.Picos {
	switch {
	case e.m != nil:
		return max(b.free[e.rank], b.takesUp[e.rank])
	case e.op.Kind == program.Send:
		return max(b.free[e.rank], b.sends[e.rank])
	case e.op.Kind == program.Compute:
		return b.free[e.rank]
	}
	return 0
}

// does has an event happen. It is whose operations are over then.
func (b *blocking) does(e *blockingEvent) []int32 {
	r := e.rank
	switch {
	case e.m != nil:
		b.free[r], b.takesUp[r] = e.t+b.Receive+b.BytesTime(e.m.bytes), e.t+b.Gap+b.BytesTime(e.m.bytes)
		if i := find(b.posted[r], e.m.from, e.m.tag); i >= 0 {
			b.posted[r] = slices.Delete(b.posted[r], i, i+1)
			return b.meets(r, e.m, e.t)
		}
		b.here[r] = append(b.here[r], *e.m)
	case e.op.Kind == program.Compute:
		b.free[r] = e.t + e.op.Work
		return []int32{r}
	case e.op.Kind == program.Send:
		b.free[r], b.sends[r] = e.t+b.Send, e.t+b.Gap+b.BytesTime(e.op.Bytes)
		b.insert(blockingEvent{t: e.t + b.Send + b.Latency, rank: e.op.Peer, m: &blockingMessage{r, e.op.Tag, e.op.Bytes}})
		if !b.IsRendezvous(e.op.Bytes) {
			return []int32{r}
		}
	default:
		if i := find(b.here[r], e.op.Peer, e.op.Tag); i >= 0 {
			m := b.here[r][i]
			b.here[r] = slices.Delete(b.here[r], i, i+1)
			return b.meets(r, &m, e.t)
		}
		b.posted[r] = append(b.posted[r], blockingMessage{from: e.op.Peer, tag: e.op.Tag})
	}
	return nil
}

// meets is who goes on when a message has its receive, at a time: the sender of a long one, too, from then on.
func (b *blocking) meets(r int32, m *blockingMessage, t unit.Picos) []int32 {
	if !b.IsRendezvous(m.bytes) {
		return []int32{r}
	}
	b.free[m.from], b.sends[m.from] = max(b.free[m.from], t), max(b.sends[m.from], t)
	return []int32{r, m.from}
}

func find(all []blockingMessage, from, tag int32) int {
	return slices.IndexFunc(all, func(m blockingMessage) bool { return m.from == from && m.tag == tag })
}

// blockingProgram is a random program of some ranks, each of which works, sends and receives one thing after the other.
func blockingProgram(rng *rand.Rand) [][]program.Op {
	ops := make([][]program.Op, 2+rng.IntN(4))
	for tag := range int32(3 + rng.IntN(23)) {
		from := rng.IntN(len(ops))
		to := (from + 1 + rng.IntN(len(ops)-1)) % len(ops)
		for _, r := range []int{from, to} {
			if rng.IntN(5) < 3 {
				ops[r] = append(ops[r], work(unit.Picos(1+rng.IntN(20_000))*1000))
			}
		}
		bytes := 1 + rng.Int64N(499)
		if rng.IntN(2) == 0 {
			bytes = 501 + rng.Int64N(2500)
		}
		ops[from] = append(ops[from], program.Op{Kind: program.Send, Peer: int32(to), Tag: tag, Bytes: bytes, Request: program.None, Group: program.None})
		ops[to] = append(ops[to], program.Op{Kind: program.Recv, Peer: int32(from), Tag: tag, Request: program.None, Group: program.None})
	}
	return ops
}

// Ranks whose long messages wait for their receivers end when they do in LogGOPSim, but for the picosecond that a sender goes on later, in all
// random programs but those few where ranks schedule something at the same time.
func TestLogGOPSimOfLongMessages(t *testing.T) {
	const all = 600
	differ := 0
	for seed := range uint64(all) {
		rng := rand.New(rand.NewPCG(seed, 23))
		m := cost.Model{Send: 1_500_000, Receive: 1_500_000, Latency: 2_500_000, Gap: 1_000_000, PerByte: 6000, EagerLimit: 500, LogGOPSim: true}
		ops := blockingProgram(rng)
		res, err := Run(context.Background(), programs(ops, 0), Options{Model: m})
		if err != nil {
			t.Fatal(err)
		}
		for r, want := range newBlocking(m, ops).run() {
			if got := res.Ranks[r].Time; got < want-500 || got > want+500 {
				differ++
				break
			}
		}
	}
	if t.Logf("%d of %d programs have other times", differ, all); differ > all/50 {
		t.Errorf("%d of %d programs have other times", differ, all)
	}
}
