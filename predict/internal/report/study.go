package report

import (
	"cmp"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"spoor/calibrate/param"
	"spoor/predict/internal/report/paired"
)

// Study is everything that a page shows: the tables and parameter files of one
// set of runs.
type Study struct {
	Traces     []Trace // by program, then by processors
	Comparison *paired.Comparison
	Simplified *paired.Abstractions // beside the machines called by Abstract
	Sources    []Source             // every file that was read, by path
	Machines   []Machine            // in the order of AddMachine
	Commands   []string             // how the files were made, one line each; nil if nobody says

	rows        []paired.Row // predictions and simulations
	tables      []found      // what plots draw
	simulations []found      // the tables of them
	published   []published  // numbers of a paper
	remarks     string       // on them
}

// Trace is what analyze says about one trace.
type Trace struct {
	Program    string
	Processors int
	Digest     string       // SHA-256 of the trace; "" if nobody says
	Params     *param.Set   // nil if there are none
	Curve      []CurvePoint // by size; empty if there is no curve
	Line       float64      // bytes
}

// CurvePoint is the share of references that miss in a cache of Size bytes.
type CurvePoint struct{ Size, Ratio float64 }

// Source is a file that a study was read from, with its metadata.
type Source struct {
	Path, Kind string
	Facts      []Fact
}

// Fact is one entry of a file's metadata.
type Fact struct{ Key, Value string }

// law is a power law fitted to a curve [du2000, eq. 2.1]. It falls from 1 to floor,
// and to that at once at end.
type law struct{ alpha, scale, floor, end float64 } // scale and end in bytes

// miss is the miss ratio of size bytes.
func (l law) miss(size float64) float64 {
	if size >= l.end {
		return l.floor
	}
	return l.floor + (1-l.floor)*math.Pow(size/l.scale+1, 1-l.alpha)
}

// known reports whether the trace has the parameters of l.
func (l law) known() bool { return l.alpha > 1 && l.scale > 0 && l.floor >= 0 && l.end > 0 }

// published is the law as the paper fits it, down to 0.
func (t Trace) published() law {
	return law{t.value("alpha"), t.value("beta") * t.Line, 0, math.Inf(1)}
}

// capped is the law between the cold misses and the footprint.
func (t Trace) capped() law {
	return law{t.value("alpha" + cappedFit), t.value("beta"+cappedFit) * t.Line, t.value("cold"), t.value("footprint") * t.Line}
}

// cappedFit ends the names of the parameters of the capped law.
const cappedFit = "_capped"

// value is the parameter called name, NaN if it is not known.
func (t Trace) value(name string) float64 {
	if t.Params != nil {
		if p, ok := t.Params.Lookup(name); ok {
			return p.Value
		}
	}
	return math.NaN()
}

// Open reads the study in paths: files, and folders searched for tables and
// parameters. It skips traces and tables of other kinds.
func Open(paths ...string) (*Study, error) {
	var files []string
	for _, p := range paths {
		err := filepath.WalkDir(p, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(files)
	s := &Study{}
	analyses := map[string]*Trace{} // by folder
	for _, f := range slices.Compact(files) {
		more, err := s.read(f, analyses)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		s.rows = append(s.rows, more...)
	}
	for _, t := range analyses {
		s.Traces = append(s.Traces, *t)
	}
	slices.SortFunc(s.Traces, func(a, b Trace) int {
		return cmp.Or(cmp.Compare(a.Program, b.Program), cmp.Compare(a.Processors, b.Processors), cmp.Compare(a.Digest, b.Digest))
	})
	var err error
	if s.Comparison, err = paired.Compare(s.rows); err != nil {
		return nil, err
	}
	if len(s.Traces)+len(s.rows)+len(s.tables) == 0 {
		return nil, fmt.Errorf("%s: no analysis, prediction or simulation; run analyze, predict cluster or predict replay first", strings.Join(paths, ", "))
	}
	return s, nil
}

// Abstract compares simulations on the machines called baselines with those on abstractions of them, see [Abstract].
func (s *Study) Abstract(baselines []string) (err error) {
	s.Simplified, err = paired.Abstract(s.rows, baselines)
	if err == nil && len(s.Simplified.Pairs) == 0 {
		err = fmt.Errorf("no simulation is of %s and of a machine whose name begins with it and a hyphen", strings.Join(baselines, " or "))
	}
	return err
}

// Notes names what has no counterpart to be compared with.
func (s *Study) Notes() []string {
	if s.Simplified == nil {
		return s.Comparison.Unpaired
	}
	if len(s.Comparison.Cases) == 0 {
		return s.Simplified.Unpaired
	}
	return append(slices.Clip(s.Comparison.Unpaired), s.Simplified.Unpaired...)
}

// Digests are the traces behind the study and the SHA-256 of each, as far as the
// tables say.
func (s *Study) Digests() []Fact {
	var list []Fact
	for _, t := range s.Traces {
		if t.Digest != "" {
			list = append(list, Fact{t.name(), t.Digest})
		}
	}
	return list
}
