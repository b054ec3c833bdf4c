package reuse

import (
	"encoding/json"
	"errors"
	"slices"

	"spoor/analyze/analysis"
)

var _ analysis.MergeableShard = (*Shard)(nil)

// shardFields is a Shard without its methods. The exported fields are the results.
type shardFields Shard

// MarshalJSON encodes the results of the shard.
func (s *Shard) MarshalJSON() ([]byte, error) { return json.Marshal((*shardFields)(s)) }

// UnmarshalJSON decodes them. It returns an error if they are of another processor or of other line sizes.
func (s *Shard) UnmarshalJSON(text []byte) error {
	var read shardFields
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	if read.Proc != s.Proc || len(read.Sizes) != len(s.Sizes) || slices.Contains(read.Sizes, nil) {
		return errors.New("stored distances are of another processor or of other line sizes")
	}
	for i, d := range read.Sizes {
		d.Line = s.Sizes[i].Line
	}
	*s = Shard(read)
	return nil
}
