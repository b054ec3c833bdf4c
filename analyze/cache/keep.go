package cache

import (
	"encoding/json"
	"fmt"

	"spoor/analyze/analysis"
)

var _ analysis.MergeableShard = (*shard)(nil)

// MarshalJSON writes the counts by description, level and instance.
func (s *shard) MarshalJSON() ([]byte, error) { return json.Marshal(s.counts()) }

// UnmarshalJSON reads the counts.
func (s *shard) UnmarshalJSON(text []byte) error {
	var read []Counts
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	counts := s.counts()
	if len(read) != len(counts) {
		return fmt.Errorf("%d levels, want %d", len(read), len(counts))
	}
	for i, c := range counts {
		*c = read[i]
	}
	return nil
}

// counts returns pointers to the counts of all levels.
func (s *shard) counts() (all []*Counts) {
	for _, h := range s.hierarchies {
		for _, instances := range h.of {
			for _, l := range instances {
				all = append(all, &l.Counts)
			}
		}
	}
	return all
}
