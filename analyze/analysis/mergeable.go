package analysis

import (
	"encoding/json"

	"spoor/traces/trace"
)

// A MergeableShard is a Shard of a program order that can be kept when it has ended, and joined with
// those of other processors later, on another machine: a new shard for the same order that reads
// the JSON is as good as the one that wrote it.
type MergeableShard interface {
	Shard
	json.Marshaler
	json.Unmarshaler
}

// ShardFunc is called with shards one after the other, each with a name and its order: by
// processor, and as analyses were given. The name is that of the first analysis that has the shard, and
// the number of the part that it is: "reuse/0". The same analyses give the same names. The shard is nil if it is no MergeableShard.
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

// Join is what [Run] would make of the program orders of procs, had it found what read
// puts into their shards.
func Join(h trace.Header, procs []trace.Proc, read ShardFunc, analyses ...Analysis) ([]Result, error) {
	orders, shards := plan(h, procs, analyses)
	if err := read.call(orders); err != nil {
		return nil, err
	}
	return merge(analyses, shards)
}
