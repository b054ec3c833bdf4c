package replay

import (
	"context"
	"testing"

	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// wildTrace has rows that are legal one by one, for the most part, but need not
// make sense together: its instructions, barriers and locks do not match.
func wildTrace(c *choices) *trace.Memory {
	var bs []*builder
	for range 1 + c.below(3) {
		b := &builder{}
		for range c.below(12) {
			addr := uint64(c.below(256)) << (c.below(8) * 8)
			instr := []uint32{0, 1, 5, 1<<32 - 1}[c.below(4)]
			b.refs.Append(instr, addr, uint16(1+c.below(255)*257), trace.Op(1+c.below(5)+c.below(256)/255))
		}
		last := uint64(0)
		for range c.below(6) {
			e := trace.NewEvent([]trace.Kind{trace.Barrier, trace.Lock, trace.Unlock, trace.Compute, trace.Marker}[c.below(5)])
			if c.below(16) == 15 {
				e.Kind = trace.Kind(c.below(32))
			}
			last += uint64(c.below(4))
			e.Instr, e.Refs = []uint32{0, 3, 40, 1<<32 - 1}[c.below(4)], last
			e.Peer, e.Group = int32(c.below(2)), int32(c.below(256)/250)
			e.Work = int64(c.below(256)) << (c.below(32) / 24 * 40)
			b.events.Rows = append(b.events.Rows, e)
		}
		bs = append(bs, b)
	}
	m := source(bs...)
	m.Head.WorkUnit = []trace.WorkUnit{trace.WorkInstr, trace.WorkPicos}[c.below(2)]
	return m.InBatches(c.below(4))
}

// checkWild replays anything: it ends, in an error or in a result that adds up.
func checkWild(t *testing.T, c *choices) {
	t.Helper()
	cfg := randomConfig(c, 3)
	m := wildTrace(c)
	cfg.Processors = m.Head.Procs
	res, err := Run(context.Background(), m, newSMP(t, cfg), randomClock(t, c), Options{Phases: true})
	if err == nil {
		checkSums(t, res)
	}
}

func TestAnyTraceEnds(t *testing.T) {
	for seed := range testsize.Cases[uint64](6000, 500) {
		checkWild(t, randomChoices(seed, 200))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func FuzzAnyTraceEnds(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(randomChoices(seed, 100).data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkWild(t, &choices{data: data}) })
}
