package reusetime

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
		return errors.New("stored times are of another processor or of other line sizes")
	}
	for i, t := range read.Sizes {
		t.Line = s.Sizes[i].Line
	}
	*s = Shard(read)
	return nil
}

// storedBin is the index of a bin, its count and its excess.
type storedBin [3]uint64

// MarshalJSON encodes the bins that are not empty.
func (h Histogram) MarshalJSON() ([]byte, error) {
	stored := []storedBin{}
	for i, b := range h.bins {
		if b.count > 0 {
			stored = append(stored, storedBin{uint64(i), b.count, b.excess})
		}
	}
	return json.Marshal(stored)
}

// UnmarshalJSON decodes them.
func (h *Histogram) UnmarshalJSON(text []byte) error {
	var stored []storedBin
	if err := json.Unmarshal(text, &stored); err != nil {
		return err
	}
	h.bins = nil
	for _, k := range stored {
		if err := h.append(int(min(k[0], maxBins)), k[1], k[2]); err != nil {
			return err
		}
	}
	return nil
}
