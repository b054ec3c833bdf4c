package comm

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

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
		k.Pairs = append(k.Pairs, keptPair{e.to, e.kind, e.messages, e.bytes, e.least, e.most})
	}
	for _, kind := range slices.Sorted(maps.Keys(s.matrix.sizes)) {
		for i, class := range s.matrix.sizes[kind] {
			if class.messages > 0 {
				k.Sizes = append(k.Sizes, keptSize{kind, i, class.messages, class.bytes})
			}
		}
	}
	for _, c := range sortedCalls(s.calls) {
		k.Calls = append(k.Calls, keptCall{c.group, c.kind, c.root, s.calls[c].calls, s.calls[c].bytes})
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
		c := cell{p.Messages, p.Bytes, p.Least, p.Most}
		s.matrix.of(pair{s.proc, p.To, p.Kind}).join(&c)
		s.matrix.total.join(&c)
	}
	for _, size := range k.Sizes {
		if size.Class < 0 || size.Class >= len(sizes{}) {
			return fmt.Errorf("no class %d of sizes", size.Class)
		}
		class := &s.matrix.classes(size.Kind)[size.Class]
		class.messages, class.bytes = size.Messages, size.Bytes
	}
	for _, c := range k.Calls {
		s.calls[collective{c.Group, c.Kind, c.Root}] = &tally{members: 1, calls: c.Calls, bytes: c.Bytes}
	}
	return nil
}
