package analysis

import (
	"context"
	"testing"

	"spoor/traces/trace"
)

// tallier returns the same shards for an order every time, joined or alone.
type tallier struct {
	shards []Shard
	joint  bool
}

type tallyShard struct{ chunks, ends int }

func (s *tallyShard) Add(*Chunk) error { s.chunks++; return nil }
func (s *tallyShard) End() error       { s.ends++; return nil }

func (tallier) Name() string     { return "tally" }
func (tallier) Effects() Effects { return Effects{} }

func (t tallier) NewShard(h trace.Header, p trace.Proc) Shard {
	switch {
	case p == trace.Interleaved:
		return nil
	case t.joint:
		return &ShardGroup{t.shards}
	}
	return t.shards[0]
}
func (t tallier) Merge(shards []Shard) (Result, error) { return Result{}, nil }

// A shard that is a part of several is fed once.
func TestPartsAreFedOnce(t *testing.T) {
	m := &trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: make([]trace.Refs, 1)}
	m.RefsOf[0].Append(1, 64, 8, trace.Load)
	a, b := new(tallyShard), new(tallyShard)
	both := []Shard{a, b}
	if _, err := Run(context.Background(), m, Options{}, tallier{both, false}, tallier{both, true}, tallier{both, true}); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*tallyShard{a, b} {
		if s.chunks != 1 || s.ends != 1 {
			t.Errorf("%d chunks and %d ends, want one each", s.chunks, s.ends)
		}
	}
	alone := &ShardGroup{both}
	if err := alone.Add(nil); err != nil || alone.End() != nil || a.chunks != 2 || b.ends != 2 {
		t.Errorf("fed by hand: %v, %+v, %+v", err, a, b)
	}
}
