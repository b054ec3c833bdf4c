// Package slicing reads parts of long traces, so that several hosts can analyze one trace.
package slicing

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	"spoor/traces/store"
	"spoor/traces/trace"
)

// Slice is one of several equal parts of the references of each processor. The zero Slice is the whole.
type Slice struct{ Index, Of int }

// maxSlices is the maximum number of parts.
const maxSlices = 1 << 16

// Parse reads a slice such as 3/16, the third of sixteen.
func Parse(text string) (s Slice, err error) {
	index, of, found := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(of)
	if !found || err1 != nil || err2 != nil || n < 1 || n > maxSlices || i < 1 || i > n {
		return s, fmt.Errorf("%q is not a part such as 3/16, from 1/16 to 16/16; at most %d parts", text, maxSlices)
	}
	return Slice{i, n}, nil
}

// String returns the slice as Parse reads it.
func (s Slice) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Of) }

// IsWhole reports whether the slice is the zero Slice.
func (s Slice) IsWhole() bool { return s == Slice{} }

// Rows returns the references of the slice, of a processor that has n: from the first to before the last one.
func (s Slice) Rows(n uint64) (from, to uint64) {
	if s.IsWhole() {
		return 0, n
	}
	return n/uint64(s.Of)*uint64(s.Index-1) + min(n%uint64(s.Of), uint64(s.Index-1)), n/uint64(s.Of)*uint64(s.Index) + min(n%uint64(s.Of), uint64(s.Index))
}

// Source is a slice of a trace. It reads only the batches of references that have rows of the slice. An event belongs to
// the slice of the next reference, or to the last slice.
type Source struct {
	*store.Trace
	Slice Slice
}

var _ trace.CheckedSource = Source{}

// FirstRow returns the number of references of a processor before the slice.
func (s Source) FirstRow(p trace.Proc) uint64 {
	from, _ := s.Slice.Rows(s.Totals(p).Refs)
	return from
}

// Refs yields the references of procs, or of all processors, one processor after the other.
func (s Source) Refs(procs ...trace.Proc) iter.Seq2[*trace.Refs, error] {
	if s.Slice.IsWhole() {
		return s.Trace.Refs(procs...)
	}
	return func(yield func(*trace.Refs, error) bool) {
		for _, p := range s.selected(procs) {
			if !s.refsOf(p, yield) {
				return
			}
		}
	}
}

// refsOf yields the references of a processor, and reports whether to continue.
func (s Source) refsOf(p trace.Proc, yield func(*trace.Refs, error) bool) bool {
	batches, err := s.Batches(p)
	if err != nil {
		yield(nil, err)
		return false
	}
	from, to := s.Slice.Rows(s.Totals(p).Refs)
	var chosen []int
	for i, b := range batches {
		if b.Row < to && b.Row+b.Rows > from {
			chosen = append(chosen, i)
		}
	}
	at := 0
	for refs, err := range s.ReadBatches(p, chosen) {
		if err != nil {
			yield(nil, err)
			return false
		}
		b := batches[chosen[at]]
		part := refs.Slice(int(max(from, b.Row)-b.Row), int(min(to, b.Row+b.Rows)-b.Row))
		if at++; !yield(&part, nil) {
			return false
		}
	}
	return true
}

// Events yields the events of procs, or of all processors. They count the references of the slice only.
func (s Source) Events(procs ...trace.Proc) iter.Seq2[*trace.Events, error] {
	if s.Slice.IsWhole() {
		return s.Trace.Events(procs...)
	}
	return func(yield func(*trace.Events, error) bool) {
		for _, p := range s.selected(procs) {
			if !s.eventsOf(p, yield) {
				return
			}
		}
	}
}

// eventsOf yields the events of a processor, and reports whether to continue.
func (s Source) eventsOf(p trace.Proc, yield func(*trace.Events, error) bool) bool {
	from, to := s.Slice.Rows(s.Totals(p).Refs)
	part := trace.Events{Proc: p}
	for events, err := range s.Trace.Events(p) {
		if err != nil {
			yield(nil, err)
			return false
		}
		part.Rows = part.Rows[:0]
		for _, e := range events.Rows {
			if e.Refs >= to && s.Slice.Index < s.Slice.Of {
				break
			}
			if e.Refs >= from {
				e.Refs -= from
				part.Rows = append(part.Rows, e)
			}
		}
		if len(part.Rows) > 0 && !yield(&part, nil) {
			return false
		}
		if n := len(events.Rows); n > 0 && events.Rows[n-1].Refs >= to && s.Slice.Index < s.Slice.Of {
			break
		}
	}
	return true
}

func (s Source) selected(procs []trace.Proc) []trace.Proc {
	if len(procs) > 0 {
		return procs
	}
	for p := range trace.Proc(s.Header().Procs) {
		procs = append(procs, p)
	}
	return procs
}
