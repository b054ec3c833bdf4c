package analysis

import (
	"spoor/traces/trace"
)

// A SliceShard is a MergeableShard that can see a slice of its order only: consecutive rows, with the events among them. A
// new shard of the same order that joins the slices in order is equivalent to one that sees the whole order.
type SliceShard interface {
	MergeableShard
	// Slice is called before the first chunk. The slice starts at this row of the processor's references.
	Slice(row uint64) error
	// Append joins the next slice. The JSON is that of the shard that has seen it. End is called after the last
	// slice.
	Append(slice []byte) error
}

// slice tells all shards that they see slices.
func (o *Options) slice(orders []order) error {
	for _, order := range orders {
		for _, s := range order.shards {
			if err := s.(SliceShard).Slice(o.FirstRow(order.proc)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Unsliceable returns the names of the analyses that cannot see slices of the order of a processor.
func Unsliceable(h trace.Header, p trace.Proc, analyses ...Analysis) (names []string) {
	for _, a := range analyses {
		orders, _ := plan(h, []trace.Proc{p}, []Analysis{a})
		for _, o := range orders {
			for _, s := range o.shards {
				if _, can := s.(SliceShard); !can {
					names = append(names, a.Name())
					break
				}
			}
		}
	}
	return names
}
