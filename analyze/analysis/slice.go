package analysis

import (
	"cmp"
	"slices"

	"spoor/traces/trace"
)

// A SliceShard is a MergeableShard that can see a slice of its order only: consecutive rows, with the events among them. A
// new shard of the same order that joins the slices in order is equivalent to one that sees the whole order.
type SliceShard interface {
	MergeableShard
	// Slice is called before the first chunk, perhaps more than once. The slice starts at this row of the processor's
	// references. An error is about flags.
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

// CheckSlices returns the names of the analyses whose shards of a processor are no SliceShards. If there are none, it
// returns the first error of a shard that cannot see slices.
func CheckSlices(h trace.Header, p trace.Proc, analyses ...Analysis) (unable []string, err error) {
	for _, a := range analyses {
		orders, _ := plan(h, []trace.Proc{p}, []Analysis{a})
		for _, o := range orders {
			if slices.ContainsFunc(o.shards, func(s Shard) bool { _, can := s.(SliceShard); return !can }) {
				unable = append(unable, a.Name())
				continue
			}
			first := Options{FirstRow: func(trace.Proc) uint64 { return 0 }}
			err = cmp.Or(err, first.slice([]order{o}))
		}
	}
	return unable, err
}
