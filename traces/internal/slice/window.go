package slice

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"spoor/traces/internal/walk"
	"spoor/traces/stage"
	"spoor/traces/trace"
)

// windows sets the window of each processor by --instr or --marker.
func (f Options) windows(s *slicing) error {
	switch {
	case f.Instr != "":
		w, err := parseRange(f.Instr)
		if err != nil {
			return stage.Usage("--instr: %w", err)
		}
		for i := range s.procs {
			s.windows[i] = w
		}
		s.what = "instructions " + f.Instr + " of each processor"
	case f.Marker != "":
		from, to, err := parseMarkers(f.Marker, s.src.Header().Notes)
		if err != nil {
			return stage.Usage("--marker: %w", err)
		}
		for i, p := range s.procs {
			if s.windows[i], err = between(s.src, p, from, to); err != nil {
				return err
			}
		}
		s.what = "what is between markers " + f.Marker
	}
	return nil
}

// window is a part of one processor: the instructions from from up to to, without rows of
// events before first or from end on.
type window struct {
	from, to   uint64
	first, end int64 // rows of events
}

var everything = window{to: math.MaxUint64, end: math.MaxInt64}

// hasRef reports whether a reference at position pos is in w. Its instruction ends at pos.
func (w window) hasRef(pos uint64) bool { return (pos > w.from || w.from == 0) && pos <= w.to }

// hasEvent reports whether an event at pos is in w.
func (w window) hasEvent(pos uint64, row int64) bool {
	return pos >= w.from && (pos < w.to || w.to == math.MaxUint64) && row >= w.first && row < w.end
}

// parseRange reads A:B, :B or A:.
func parseRange(text string) (window, error) {
	a, b, ok := strings.Cut(text, ":")
	w := everything
	var err1, err2 error
	if a != "" {
		w.from, err1 = strconv.ParseUint(a, 10, 64)
	}
	if b != "" {
		w.to, err2 = strconv.ParseUint(b, 10, 64)
	}
	if !ok || err1 != nil || err2 != nil || w.from >= w.to {
		return w, fmt.Errorf("%q is not a range of instructions such as 1000:2000", text)
	}
	return w, nil
}

// noMarker means the end of the trace.
const noMarker = trace.None

// parseMarkers reads A:B or A. Each is a number, or a name that a note of the trace defines,
// such as: marker 0 is "solve".
func parseMarkers(text string, notes []string) (from, to int32, err error) {
	a, b, ok := strings.Cut(text, ":")
	if from, err = parseMarker(a, notes); err != nil || !ok {
		return from, noMarker, err
	}
	to, err = parseMarker(b, notes)
	return from, to, err
}

func parseMarker(text string, notes []string) (int32, error) {
	if n, err := strconv.ParseInt(text, 10, 32); err == nil && n >= 0 {
		return int32(n), nil
	}
	for _, note := range notes {
		var n int32
		if rest, ok := strings.CutPrefix(note, "marker "); ok && strings.HasSuffix(rest, " is "+strconv.Quote(text)) {
			if _, err := fmt.Sscan(rest, &n); err == nil {
				return n, nil
			}
		}
	}
	return 0, fmt.Errorf("%q is neither the number of a marker nor a name in the notes of the trace (see traces info)", text)
}

// between finds the first marker from of p and the next marker to.
func between(src *walk.Trace, p trace.Proc, from, to int32) (window, error) {
	w, found := everything, false
	var pos uint64
	row := int64(-1)
	work := src.Header().WorkUnit == trace.WorkInstr
	for b, err := range src.Events(p) {
		if err != nil {
			return w, err
		}
		for i := range b.Rows {
			e := &b.Rows[i]
			row++
			pos += uint64(e.Instr)
			switch {
			case e.Kind == trace.Marker && !found && e.Tag == from:
				found, w.from, w.first = true, pos, row
			case e.Kind == trace.Marker && found && e.Tag == to:
				w.to, w.end = pos, row
				return w, nil
			}
			if e.Kind == trace.Compute && work {
				pos += uint64(e.Work)
			}
		}
	}
	if !found {
		return w, fmt.Errorf("processor %d has no marker %d", p, from)
	}
	if to != noMarker {
		return w, fmt.Errorf("processor %d has no marker %d after its first marker %d", p, to, from)
	}
	return w, nil
}
