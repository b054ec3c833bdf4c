package reuse

import (
	"encoding/json"
	"errors"
	"slices"

	"spoor/analyze/analysis"
)

var _ analysis.MergeableShard = (*Shard)(nil)

// found is a shard without its methods. What a shard has found is in its exported fields.
type found Shard

// MarshalJSON keeps what the shard has found.
func (s *Shard) MarshalJSON() ([]byte, error) { return json.Marshal((*found)(s)) }

// UnmarshalJSON reads it back.
func (s *Shard) UnmarshalJSON(text []byte) error {
	var read found
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	if read.Proc != s.Proc || len(read.Sizes) != len(s.Sizes) || slices.Contains(read.Sizes, nil) {
		return errors.New("not the same processor and line sizes")
	}
	for i, d := range read.Sizes {
		d.Line = s.Sizes[i].Line
	}
	*s = Shard(read)
	return nil
}
