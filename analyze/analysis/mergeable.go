package analysis

import (
	"encoding/json"

	"spoor/traces/trace"
)

// A MergeableShard is a Shard of a program order that can be saved after it has ended. Later, even
// on another machine, it can be merged with those of other processors. A new shard for the same
// order that reads the JSON is equivalent to the shard that wrote it.
type MergeableShard interface {
	Shard
	json.Marshaler
	json.Unmarshaler
}

// ShardFunc is called with one shard after the other, by processor and then in the order of the
// analyses. The name is the first analysis that has the shard, and the number of its part:
// "reuse/0". The same analyses always give the same names. The shard is nil if it is not a
// MergeableShard.
type ShardFunc func(name string, p trace.Proc, s MergeableShard) error

func (each ShardFunc) call(orders []order) error {
	for _, o := range orders {
		for i, s := range o.shards {
			kept, _ := s.(MergeableShard)
			if err := each(o.names[i], o.proc, kept); err != nil {
				return err
			}
		}
	}
	return nil
}

// Join returns the results that [Run] would compute for the program orders of procs. It takes the
// contents of the shards from read. For skip, see [Options.OnSkip].
func Join(h trace.Header, procs []trace.Proc, read ShardFunc, skip func(error), analyses ...Analysis) ([]Result, error) {
	orders, shards := plan(h, procs, analyses)
	if err := read.call(orders); err != nil {
		return nil, err
	}
	return merge(analyses, shards, skip)
}
