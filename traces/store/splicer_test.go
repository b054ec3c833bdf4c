package store

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"spoor/traces/trace"
)

// Needs name the same events as before.
func TestNeedsAreRenumbered(t *testing.T) {
	s := Splicer{stops: []int64{0, 2, 2, 5}}
	if got, want := s.renumbered([]int64{0, 1, 2, 4, 5, 9}), []int64{1, 2, 5, 7, 9, 13}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if s.renumbered(nil) != nil {
		t.Error("no needs became some")
	}
}

// Gaps that no Instr holds get stops, none of which is before the references that it follows.
func TestStops(t *testing.T) {
	const far = math.MaxUint32
	for name, refs := range map[string][]uint64{
		"references that lead":        {4e9, 8e9, 12e9},
		"a first reference far away":  {3 * far},
		"gaps at the limit":           {far, 2 * far, 3*far + 1, 3*far + 1},
		"a gap above it among others": {1, 2, 2 + far + 1, 2 + far + 2},
	} {
		t.Run(name, func(t *testing.T) {
			prefix := filepath.Join(t.TempDir(), "x")
			h := trace.Header{Program: "x", Format: "test", Procs: 1}
			w, err := Create(prefix, h)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Abort()
			s, end := NewSplicer(w, h, 0), refs[len(refs)-1]+5*far
			for _, at := range refs {
				if err := s.Ref(at, at, 8, trace.Load, 0); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Finish(end); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(h); err != nil {
				t.Fatal(err)
			}
			src, err := Open(prefix)
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			if err := trace.Check(src); err != nil {
				t.Errorf("%v", err)
			}
			if got := uint64(src.Totals(0).Instr); got != end {
				t.Errorf("%d instructions, want %d", got, end)
			}
		})
	}
}
