package reusetime

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
	for i, t := range read.Sizes {
		t.Line = s.Sizes[i].Line
	}
	*s = Shard(read)
	return nil
}

// keptBin is the index of a bin, its count, and the excess of its times.
type keptBin [3]uint64

// MarshalJSON keeps the bins that are not empty.
func (h Histogram) MarshalJSON() ([]byte, error) {
	kept := []keptBin{}
	for i, b := range h.bins {
		if b.count > 0 {
			kept = append(kept, keptBin{uint64(i), b.count, b.excess})
		}
	}
	return json.Marshal(kept)
}

// UnmarshalJSON reads them back.
func (h *Histogram) UnmarshalJSON(text []byte) error {
	var kept []keptBin
	if err := json.Unmarshal(text, &kept); err != nil {
		return err
	}
	h.bins = nil
	for _, k := range kept {
		if err := h.put(int(min(k[0], maxBins)), k[1], k[2]); err != nil {
			return err
		}
	}
	return nil
}
