package comm

import (
	"encoding/json"
	"fmt"

	"spoor/analyze/analysis"
	"spoor/traces/trace"
)

var _ analysis.MergeableShard = (*shard)(nil)

// kept is the JSON form of a shard.
type kept struct {
	Pairs            []keptPair
	Sizes            []keptSize
	Calls            []keptCall
	Events, Receives uint64
	Instr, Work      uint64
	Graph            bool
}

type keptPair struct {
	To              trace.Proc
	Kind            trace.Kind
	Messages, Bytes uint64
	Least, Most     int64
}

type keptSize struct {
	Kind            trace.Kind
	Class           int
	Messages, Bytes uint64
}

type keptCall struct {
	Group        int32
	Kind         trace.Kind
	Root         int32
	Calls, Bytes uint64
}

// MarshalJSON writes the counts, sorted.
func (s *shard) MarshalJSON() ([]byte, error) {
	k := kept{Events: s.events, Receives: s.receives, Instr: s.instr, Work: s.work, Graph: s.graph}
	for _, e := range s.matrix.sorted() {
		k.Pairs = append(k.Pairs, keptPair{e.Key.to, e.Key.kind, e.Value.messages, e.Value.bytes, e.Value.least, e.Value.most})
	}
	for _, size := range s.matrix.sortedSizes() {
		k.Sizes = append(k.Sizes, keptSize{size.Key.kind, int(size.Key.class), size.Value.messages, size.Value.bytes})
	}
	for _, c := range s.calls.Sort(collective.compare) {
		k.Calls = append(k.Calls, keptCall{c.Key.group, c.Key.kind, c.Key.root, c.Value.calls, c.Value.bytes})
	}
	return json.Marshal(k)
}

// UnmarshalJSON reads the counts.
func (s *shard) UnmarshalJSON(text []byte) error {
	var k kept
	if err := json.Unmarshal(text, &k); err != nil {
		return err
	}
	s.events, s.receives, s.instr, s.work, s.graph = k.Events, k.Receives, k.Instr, k.Work, k.Graph
	for _, p := range k.Pairs {
		if p.To < 0 || int(p.To) >= s.procs {
			return fmt.Errorf("messages to processor %d: the trace has %d", p.To, s.procs)
		}
		c := cell{p.Messages, p.Bytes, p.Least, p.Most}
		s.matrix.pairs.Of(pair{s.proc, p.To, p.Kind}).join(&c)
		s.matrix.total.join(&c)
	}
	for _, size := range k.Sizes {
		if size.Class < 0 || size.Class >= classes {
			return fmt.Errorf("no class %d of sizes", size.Class)
		}
		*s.matrix.sizes.Of(sizeClass{size.Kind, uint8(size.Class)}) = amount{size.Messages, size.Bytes}
	}
	for _, c := range k.Calls {
		*s.calls.Of(collective{c.Group, c.Kind, c.Root}) = tally{members: 1, calls: c.Calls, bytes: c.Bytes}
	}
	return nil
}
