package store

import (
	"math/rand/v2"
	"path/filepath"
	"testing"
)

// TestColumnsOfZeros writes events whose wide columns have values in no rows, in the first rows, or in the last ones.
func TestColumnsOfZeros(t *testing.T) {
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
			want := memory(rand.New(rand.NewPCG(1, 2)), header(3), 0, 500)
			for p := range want.EventsOf {
				for i := range want.EventsOf[p].Rows {
					e := &want.EventsOf[p].Rows[i]
					if !test.has(i * (p + 1)) { // the processors differ
						e.Bytes, e.Addr, e.Count, e.Block, e.Stride, e.Work = 0, 0, 0, 0, 0, 0
					}
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
