package reusetime

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Results are the tables of reuse times in a directory.
type Results struct {
	dir            string
	times, windows *store.Table
}

// Load reads the tables reuse_time and working_set of a directory.
func Load(dir string) (*Results, error) {
	r := &Results{dir: dir}
	for _, t := range []struct {
		name string
		to   **store.Table
	}{{"reuse_time", &r.times}, {"working_set", &r.windows}} {
		table, err := store.ReadTable(filepath.Join(dir, t.name+".arrow"))
		if err != nil {
			return nil, fmt.Errorf("%w; analyze --run reuse_time writes it", err)
		}
		*t.to = table
	}
	if a, b := r.times.Fact("trace"), r.windows.Fact("trace"); a != b {
		return nil, fmt.Errorf("%s: reuse_time is from trace %q, but working_set from %q; analyze one trace again", dir, a, b)
	}
	return r, nil
}

// LineSizes returns the line sizes of the tables, ascending.
func (r *Results) LineSizes() ([]unit.Bytes, error) {
	lines, err := store.Data[int64](r.times, "line")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.dir, err)
	}
	var sizes []unit.Bytes
	for _, l := range slices.Compact(slices.Sorted(slices.Values(lines))) {
		sizes = append(sizes, unit.Bytes(l))
	}
	return sizes, nil
}

// Program returns the whole program at a line size: the interleaved order, or that of the only processor. Its
// rate is 0 if the trace has no instruction counts.
func (r *Results) Program(line unit.Bytes) (Program, error) {
	proc, times, err := r.read(line)
	if err != nil {
		return Program{}, fmt.Errorf("%s: %w", r.dir, err)
	}
	p := Program{Profile: times.Profile()}
	if p.Rate, err = r.rate(line, proc); err != nil {
		return Program{}, fmt.Errorf("%s: %w", r.dir, err)
	}
	return p, nil
}

// read returns the times of the whole program, and their processor.
func (r *Results) read(line unit.Bytes) (proc int32, times *Times, err error) {
	rows, err := r.rows()
	if err != nil {
		return 0, nil, err
	}
	times = &Times{Line: line}
	empty := true
	for i, l := range rows.line {
		if l != int64(line) {
			continue
		}
		if empty {
			empty, proc = false, rows.proc[i]
		}
		switch {
		case rows.proc[i] == proc:
			if err := rows.addTo(i, times); err != nil {
				return 0, nil, fmt.Errorf("row %d of reuse_time: %w", i, err)
			}
		case proc != int32(trace.Interleaved):
			return 0, nil, errors.New("several processors without their interleaved order; run analyze on all processors with --interleaved")
		}
	}
	if empty {
		return 0, nil, errors.New("the program has no loads or stores")
	}
	f, l := times.First.total(), times.Last.total()
	if f != l {
		return 0, nil, fmt.Errorf("reuse_time has %d first and %d last uses", f, l)
	}
	times.Uses, times.Lines = times.Reuse.total()+f, f
	for _, h := range []*Histogram{&times.Reuse, &times.First, &times.Last} {
		if n := len(h.bins); n > 0 && binEnd(n-2) >= times.Uses {
			return 0, nil, fmt.Errorf("reuse_time has times up to %d of %d uses", binEnd(n-1), times.Uses)
		}
	}
	return proc, times, nil
}

// rows reads the columns of reuse_time.
func (r *Results) rows() (*timeRows, error) {
	var rows timeRows
	var errs [7]error
	rows.proc, errs[0] = store.Data[int32](r.times, "proc")
	rows.line, errs[1] = store.Data[int64](r.times, "line")
	rows.time, errs[2] = store.Data[string](r.times, "time")
	rows.least, errs[3] = store.Data[uint64](r.times, "least")
	rows.most, errs[4] = store.Data[uint64](r.times, "most")
	rows.count, errs[5] = store.Data[uint64](r.times, "count")
	rows.sum, errs[6] = store.Data[uint64](r.times, "sum")
	return &rows, errors.Join(errs[:]...)
}

// addTo adds a row to the histogram of its kind of time.
func (r *timeRows) addTo(i int, t *Times) error {
	to := map[string]*Histogram{reuseTimes: &t.Reuse, firstTimes: &t.First, lastTimes: &t.Last}[r.time[i]]
	if to == nil {
		return fmt.Errorf("unknown kind of time %q", r.time[i])
	}
	k := indexOf(max(1, r.least[i]))
	if r.least[i] != binEnd(k-1)+1 || r.most[i] != binEnd(k) {
		return fmt.Errorf("no bin extends from %d to %d", r.least[i], r.most[i])
	}
	return to.append(k, r.count[i], r.sum[i]-r.count[i]*r.least[i])
}

// rate returns the uses per instruction of an order.
func (r *Results) rate(line unit.Bytes, proc int32) (float64, error) {
	procs, err1 := store.Data[int32](r.windows, "proc")
	lines, err2 := store.Data[int64](r.windows, "line")
	windows, err3 := store.Data[uint64](r.windows, "window")
	instructions, err4 := store.Data[float64](r.windows, "instructions")
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return 0, err
	}
	for i, w := range windows {
		if procs[i] != proc || lines[i] != int64(line) {
			continue
		}
		if !(instructions[i] > 0) || math.IsInf(instructions[i], 0) {
			return 0, nil
		}
		return float64(w) / instructions[i], nil
	}
	return 0, fmt.Errorf("working_set has no rows of processor %d with lines of %v", proc, line)
}

// LineOf returns want if the directory has that line size. If want is 0, it returns the only line size.
func (r *Results) LineOf(want unit.Bytes, dir string) (unit.Bytes, error) {
	sizes, err := r.LineSizes()
	if err != nil {
		return 0, err
	}
	var names []string
	for _, s := range sizes {
		names = append(names, s.String())
	}
	switch have := strings.Join(names, ", "); {
	case len(sizes) == 0:
		return 0, fmt.Errorf("%s: the program has no loads or stores", dir)
	case want == 0 && len(sizes) > 1:
		return 0, fmt.Errorf("%s has lines of %s; choose one with --line", dir, have)
	case want == 0:
		return sizes[0], nil
	case !slices.Contains(sizes, want):
		return 0, fmt.Errorf("%s has lines of %s, not of %v; analyze all programs with the same --line", dir, have, want)
	}
	return want, nil
}
