package store

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"spoor/traces/trace"
)

// TestColumnsOfUsualValues writes events whose columns have other values in no rows, in the first rows, or in the last ones.
func TestColumnsOfUsualValues(t *testing.T) {
	for _, test := range []struct {
		name string
		has  func(row int) bool
	}{
		{"never", func(int) bool { return false }},
		{"first", func(row int) bool { return row < 50 }},
		{"last", func(row int) bool { return row > 450 }},
		{"seldom", func(row int) bool { return row%200 == 199 }},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := memory(rand.New(rand.NewPCG(1, 2)), header(3), 500, 500)
			for p := range want.EventsOf {
				refs := uint64(0) // never falls
				for i := range want.EventsOf[p].Rows {
					e := &want.EventsOf[p].Rows[i]
					if !test.has(i * (p + 1)) { // the processors differ
						*e = trace.NewEvent(e.Kind)
						e.Refs = refs
					}
					refs = e.Refs
				}
			}
			for _, rows := range []int{64, batchRows} { // several batches, or one that joins those of all processors
				prefix := filepath.Join(t.TempDir(), "x")
				saveBatches(t, prefix, want, 7, rows)
				s, err := Open(prefix)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				same(t, s, want)
			}
		})
	}
}
