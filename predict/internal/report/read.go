package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"spoor/calibrate/param"
	"spoor/predict/internal/report/columns"
	"spoor/predict/internal/report/paired"
	"spoor/traces/store"
)

const paramsSuffix = ".params.toml"

// read adds the file at path to s; analyses are the traces by the folder of
// their analysis. It returns predictions and simulations, to be compared when all are there.
func (s *Study) read(path string, analyses map[string]*Trace) ([]paired.Row, error) {
	folder := func() *Trace {
		dir := filepath.Dir(path)
		if analyses[dir] == nil {
			analyses[dir] = &Trace{Program: columns.Clean(strings.TrimSuffix(filepath.Base(dir), ".analysis"))}
		}
		return analyses[dir]
	}
	switch {
	case strings.HasSuffix(path, paramsSuffix):
		return nil, s.readParams(path, folder())
	case !strings.HasSuffix(path, ".arrow"), strings.HasSuffix(path, store.RefsSuffix), strings.HasSuffix(path, store.EventsSuffix):
		return nil, nil
	}
	t, err := store.ReadTable(path)
	if err != nil {
		return nil, err
	}
	if plotted(t.Name) && t.Name != paired.SimulationTable {
		s.tables = append(s.tables, found{t, path, programOf(path, t)})
		s.addSource(path, t)
		return nil, nil
	}
	if t.Name != paired.PredictionTable && t.Name != paired.SimulationTable && t.Name != paired.CurveTable {
		return nil, nil
	}
	s.addSource(path, t)
	if t.Name == paired.CurveTable {
		return nil, folder().readCurve(t)
	}
	rows, err := paired.Rows(t)
	if t.Name == paired.SimulationTable {
		one := found{t, path, programOf(path, t)}
		s.simulations, s.tables = append(s.simulations, one), append(s.tables, one)
		// The message plots show these rows. The others are of E(Instr).
		rows = slices.DeleteFunc(rows, func(r paired.Row) bool { return r.Passes })
	}
	return rows, err
}

// programOf is the program that a table is about, or the name of its folder.
func programOf(path string, t *store.Table) string {
	names, err := store.Data[string](t, "program")
	switch {
	case t.Fact("program") != "":
		return columns.Clean(t.Fact("program"))
	case err == nil && len(names) > 0 && names[0] != "":
		return columns.Clean(names[0])
	}
	return columns.Clean(strings.TrimSuffix(filepath.Base(filepath.Dir(path)), ".analysis"))
}

func (s *Study) addSource(path string, t *store.Table) {
	source := Source{Path: columns.Clean(filepath.ToSlash(path)), Kind: columns.Clean(t.Name)}
	for _, a := range t.Meta {
		source.Facts = append(source.Facts, Fact{columns.Clean(a.Key), columns.Clean(a.Value)})
	}
	s.Sources = append(s.Sources, source)
}

func (s *Study) readParams(path string, t *Trace) error {
	set, err := param.Read(path)
	if err != nil {
		return err
	}
	all := []*param.Set{set}
	if t.Params != nil {
		all = append(all, t.Params)
	}
	if t.Params, err = param.Merge(all...); err != nil {
		return err
	}
	s.Sources = append(s.Sources, Source{Path: columns.Clean(filepath.ToSlash(path)), Kind: "parameters"})
	return nil
}

// misses is what one processor misses at one cache size.
type misses struct {
	lines        int64
	missed, refs float64
}

// readCurve reads the curve of all processors together from a table; each processor has a cache of its own.
func (t *Trace) readCurve(table *store.Table) error {
	r := columns.Reader{Table: table}
	proc, line, lines := r.Whole("proc"), r.Whole("line"), r.Whole("lines")
	missed, refs := r.Whole("misses"), r.Whole("refs")
	if r.Err != nil {
		return r.Err
	}
	curves := map[int64][]misses{}
	for i := range proc {
		if lines[i] < 1 || line[i] < 1 || refs[i] < 1 || missed[i] < 0 || missed[i] > refs[i] {
			return fmt.Errorf("row %d of the curve table: %d misses of %d references in %d lines of %d bytes", i, missed[i], refs[i], lines[i], line[i])
		}
		if t.Line == 0 {
			t.Line = float64(line[i])
		}
		if proc[i] >= 0 && float64(line[i]) == t.Line {
			curves[proc[i]] = append(curves[proc[i]], misses{lines[i], float64(missed[i]), float64(refs[i])})
		}
	}
	t.Curve = pooled(curves, t.Line)
	return t.describe(table)
}

// pooled adds the curves of the processors up. A curve ends at its processor's
// footprint, beyond which nothing changes; sizes that one curve has and another
// steps over are left out.
func pooled(curves map[int64][]misses, line float64) []CurvePoint {
	var sizes []int64
	for _, c := range curves {
		slices.SortFunc(c, func(a, b misses) int { return cmp.Compare(a.lines, b.lines) })
		for _, m := range c {
			sizes = append(sizes, m.lines)
		}
	}
	slices.Sort(sizes)
	var sum []CurvePoint
	for _, size := range slices.Compact(sizes) {
		var missed, refs float64
		complete := true
		for _, c := range curves {
			i, found := slices.BinarySearchFunc(c, size, func(m misses, size int64) int { return cmp.Compare(m.lines, size) })
			if !found && i < len(c) {
				complete = false
				break
			}
			m := c[min(i, len(c)-1)]
			missed, refs = missed+m.missed, refs+m.refs
		}
		if complete {
			sum = append(sum, CurvePoint{float64(size) * line, missed / refs})
		}
	}
	return sum
}

// describe takes from the facts of a table which trace it was made from.
func (t *Trace) describe(table *store.Table) error {
	if p := columns.Clean(table.Fact("program")); p != "" {
		t.Program = p
	}
	t.Digest = columns.Clean(table.Fact("trace"))
	if p := table.Fact("procs"); p != "" {
		n, err := strconv.Atoi(p)
		if err != nil || n < 1 {
			return fmt.Errorf("the curve is of %q processors", p)
		}
		t.Processors = n
	}
	return nil
}
