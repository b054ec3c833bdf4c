package marshal

import (
	"encoding/json"
	"errors"

	"spoor/analyze/analysis"
	"spoor/traces/trace"
)

var _ analysis.MergeableShard = (*shard)(nil)

// kept is the JSON form of a shard.
type kept struct {
	Refs    bool
	Classes []keptClass
}

type keptClass struct {
	Kind                  trace.Kind
	Size, Count, Block    int64
	Stride, Offset        int64
	Messages, Bytes       uint64
	Placed, Measured      uint64
	Packed, Touched, Used []uint64 // by line size
	Expected              []float64
}

// MarshalJSON writes the classes, sorted.
func (s *shard) MarshalJSON() ([]byte, error) {
	k := kept{Refs: s.refs}
	for _, r := range s.tallies.Sort(class.compare) {
		c, t := r.Key, r.Value
		one := keptClass{Kind: c.kind, Size: c.bytes, Count: c.count, Block: c.block, Stride: c.stride, Offset: c.offset,
			Messages: t.messages, Bytes: t.bytes, Placed: t.placed, Measured: t.measured}
		for _, l := range t.sizes {
			one.Packed, one.Touched, one.Used = append(one.Packed, l.packed), append(one.Touched, l.touched), append(one.Used, l.used)
			one.Expected = append(one.Expected, l.expected)
		}
		k.Classes = append(k.Classes, one)
	}
	return json.Marshal(k)
}

// UnmarshalJSON reads the classes.
func (s *shard) UnmarshalJSON(text []byte) error {
	var k kept
	if err := json.Unmarshal(text, &k); err != nil {
		return err
	}
	s.refs = k.Refs
	for _, one := range k.Classes {
		if n := len(s.lines); n != len(one.Packed) || n != len(one.Touched) || n != len(one.Used) || n != len(one.Expected) {
			return errors.New("a class has not as many sums as there are line sizes")
		}
		c := class{kind: one.Kind, bytes: one.Size, count: one.Count, block: one.Block, stride: one.Stride, offset: one.Offset}
		t := &tally{messages: one.Messages, bytes: one.Bytes, placed: one.Placed, measured: one.Measured}
		for i := range s.lines {
			t.sizes = append(t.sizes, lineSum{packed: one.Packed[i], expected: one.Expected[i], touched: one.Touched[i], used: one.Used[i]})
		}
		*s.tallies.Of(c) = t
	}
	return nil
}
