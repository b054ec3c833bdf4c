package scaling

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"spoor/analyze/locality"
	"spoor/calibrate/param"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// Run holds the measurements of one traced run.
type Run struct {
	Name       string
	Program    string            // without its arguments
	Arguments  map[string]string // arguments of the program
	Processors float64
	Values     []param.Param
	trace      string // SHA-256 of the trace, if known
}

// tables lists the tables that name their program. Table comm also has the messages.
var tables = []string{"comm", "reuse", "phases", "quanta", "footprint"}

// Open reads the directory in which analyze has written parameters and tables of one run.
func Open(dir string) (*Run, error) {
	r := &Run{Name: dir}
	files, err := filepath.Glob(filepath.Join(dir, "*.params.toml"))
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		set, err := param.Read(f)
		if err != nil {
			return nil, err
		}
		for _, p := range set.All() {
			if err := r.sameTrace(f, p.Trace()); err != nil {
				return nil, err
			}
			if !slices.ContainsFunc(r.Values, func(q param.Param) bool { return q.Name == p.Name }) {
				r.Values = append(r.Values, p)
			}
		}
	}
	for _, name := range tables {
		if err := r.table(dir, name); err != nil {
			return nil, err
		}
	}
	switch {
	case r.Program == "":
		return nil, fmt.Errorf("no table in %s names its program; run analyze with --run reuse,locality or comm", dir)
	case len(r.Values) == 0:
		return nil, fmt.Errorf("%s has no parameters; run analyze with --run locality, footprint, quanta or comm", dir)
	}
	return r, nil
}

// sameTrace returns an error if a file is of another trace than the files before it.
func (r *Run) sameTrace(file, trace string) error {
	switch {
	case trace == "" || trace == r.trace:
	case r.trace == "":
		r.trace = trace
	default:
		return fmt.Errorf("reading %s: it is of trace %.12s, but other files of the folder are of %.12s; delete it, or analyze the trace again into another folder", file, trace, r.trace)
	}
	return nil
}

// table reads the facts of a table if it exists.
func (r *Run) table(dir, name string) error {
	path := filepath.Join(dir, name+".arrow")
	t, err := store.ReadTable(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	n, err := strconv.ParseFloat(t.Fact("procs"), 64)
	if err != nil || !(n >= 1) {
		return fmt.Errorf("reading %s: it has no number of processors: %q", path, t.Fact("procs"))
	}
	if selected := t.Fact("selected"); selected != "" {
		return fmt.Errorf("reading %s: it has only processors %s of the trace; analyze all of them", path, selected)
	}
	if err := r.sameTrace(path, t.Fact("trace")); err != nil {
		return err
	}
	if r.Program == "" {
		r.Processors = n
		r.Program, r.Arguments = arguments(t.Fact("program"))
	}
	if name == "comm" {
		return r.messages(t, path)
	}
	return nil
}

// messageCount is the parameter with the number of messages.
const messageCount = "messages"

// messages adds the number and sizes of messages.
func (r *Run) messages(t *store.Table, path string) error {
	count, err1 := store.Data[uint64](t, "messages")
	bytes, err2 := store.Data[uint64](t, "bytes")
	if err := cmp.Or(err1, err2); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	messages, all := 0.0, 0.0
	for i := range count {
		messages, all = messages+float64(count[i]), all+float64(bytes[i])
	}
	r.Values = append(r.Values, param.Param{Name: messageCount, Value: messages, Unit: "1"}, param.Param{Name: "message_bytes", Value: all, Unit: "B"})
	if messages > 0 {
		r.Values = append(r.Values, param.Param{Name: "message_size", Value: all / messages, Unit: "B"})
	}
	return nil
}

// Study is runs of one program that differ in the number of processors and in one argument.
type Study struct {
	Runs []*Run
	Size string // name of the argument; empty if all runs have the same
}

// NewStudy finds the argument in which runs differ. With size given, the runs may differ only in that
// argument.
func NewStudy(runs []*Run, size string) (*Study, error) {
	s := &Study{Runs: runs, Size: size}
	if len(runs) == 0 {
		return nil, fmt.Errorf("no runs to extrapolate from; give --params")
	}
	differ := map[string]bool{}
	for _, r := range runs[1:] {
		if r.Program != runs[0].Program {
			return nil, fmt.Errorf("%s is of %s and %s of %s; extrapolate one program at a time", runs[0].Name, runs[0].Program, r.Name, r.Program)
		}
		for _, pair := range [][2]*Run{{runs[0], r}, {r, runs[0]}} {
			for key, value := range pair[0].Arguments {
				if pair[1].Arguments[key] != value {
					differ[key] = true
				}
			}
		}
	}
	delete(differ, size)
	var names []string
	for key := range differ {
		names = append(names, key)
	}
	slices.Sort(names)
	switch {
	case len(names) > 0 && size != "":
		return nil, fmt.Errorf("runs differ in %s besides %s; use runs that differ only in the size", strings.Join(names, ", "), size)
	case len(names) > 1:
		return nil, fmt.Errorf("runs differ in %s; use runs that differ in one argument", strings.Join(names, ", "))
	case len(names) == 1:
		s.Size = names[0]
	}
	for _, r := range runs {
		if _, err := s.point(r); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// point returns the point of run r.
func (s *Study) point(r *Run) (Point, error) {
	p := Point{r.Processors, 1}
	if s.Size == "" {
		return p, nil
	}
	v, err := strconv.ParseFloat(r.Arguments[s.Size], 64)
	if p.Size = v; err != nil || !(v >= 1) {
		return p, fmt.Errorf("%s: argument %s is %q, not a size of 1 or more", r.Name, s.Size, r.Arguments[s.Size])
	}
	return p, nil
}

// names returns the parameters that all runs have, in the order of the first run.
func (s *Study) names() (all []param.Param) {
	for _, p := range s.Runs[0].Values {
		in := func(r *Run) bool {
			return slices.ContainsFunc(r.Values, func(q param.Param) bool { return q.Name == p.Name && q.Unit == p.Unit })
		}
		if !slices.ContainsFunc(s.Runs, func(r *Run) bool { return !in(r) }) && !strings.HasPrefix(p.Name, "fit_") && p.Name != "processors" && p.Name != locality.MessagesParam {
			all = append(all, p)
		}
	}
	return all
}

// observations returns the values of one parameter.
func (s *Study) observations(name string) (all []observation) {
	for _, r := range s.Runs {
		i := slices.IndexFunc(r.Values, func(p param.Param) bool { return p.Name == name })
		at, _ := s.point(r) // NewStudy has checked it
		all = append(all, observation{at, r.Values[i].Value})
	}
	return all
}

// bounded lists parameters with a lower bound. The fit is of their distance from it.
var bounded = map[string]float64{"alpha": 1, "alpha_capped": 1, "alpha_ml": 1, "alpha_log": 1, "alpha_capped_ml": 1}

// Extrapolate predicts all parameters at a point.
func (s *Study) Extrapolate(at Point) (all []Quantity, err error) {
	for _, p := range s.names() {
		list := s.observations(p.Name)
		for i := range list {
			list[i].Value -= bounded[p.Name]
		}
		q, err := extrapolate(list, at)
		if err != nil {
			return nil, fmt.Errorf("extrapolating %s of %s: %w", p.Name, s.Runs[0].Program, err)
		}
		if b := bounded[p.Name]; b != 0 {
			q.Value, q.Lo, q.Hi = q.Value+b, q.Lo+b, q.Hi+b
			q.Form = strconv.FormatFloat(b, 'g', -1, 64) + " + " + q.Form
		}
		q.Name, q.Unit = p.Name, p.Unit
		all = append(all, q)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("the runs of %s have no parameter in common", s.Runs[0].Program)
	}
	return all, nil
}

// PassesMessages reports whether a run passes messages, and whether that is known of all runs.
func (s *Study) PassesMessages() (passes, known bool) {
	known = true
	for _, r := range s.Runs {
		has := func(name string) (value float64, given bool) {
			i := slices.IndexFunc(r.Values, func(p param.Param) bool { return p.Name == name })
			if i < 0 {
				return 0, false
			}
			return r.Values[i].Value, true
		}
		said, given := has(locality.MessagesParam)
		counted, recorded := has(messageCount)
		passes = passes || said != 0 || counted != 0
		known = known && (given || recorded && counted > 0)
	}
	return passes, known
}

// omissions returns a header with what the traces of the runs lack.
func (s *Study) omissions() (all trace.Header) {
	for _, r := range s.Runs {
		for _, p := range r.Values {
			of := trace.OfSource(p.Source)
			all.Unrecorded = all.Unrecorded.Max(of.Unrecorded)
			if all.Notes == nil {
				all.Notes = of.Notes
			}
		}
	}
	return all
}

// reach returns how many times larger a point is than the largest run, in processors and in size.
func (s *Study) reach(at Point) (processors, size float64) {
	most := Point{}
	for _, r := range s.Runs {
		p, _ := s.point(r)
		most.Processors, most.Size = max(most.Processors, p.Processors), max(most.Size, p.Size)
	}
	return at.Processors / most.Processors, at.Size / most.Size
}

// Params returns the extrapolated values as a parameter file.
func (s *Study) Params(all []Quantity, at Point) (*param.Set, error) {
	source := fmt.Sprintf("extrapolated from %d runs of %s", len(s.Runs), s.Runs[0].Program) + s.omissions().SourceFacts()
	set := &param.Set{}
	for _, q := range all {
		method := fmt.Sprintf("normal form %s, p processors", q.Form)
		if s.Size != "" {
			method += ", s " + s.Size
		}
		if err := set.Add(param.Param{Name: q.Name, Value: q.Value, Unit: q.Unit, Lo: q.Lo, Hi: q.Hi, N: uint64(q.N), Method: method, Source: source}); err != nil {
			return nil, err
		}
	}
	if passes, known := s.PassesMessages(); known || passes {
		v := 0.0
		if passes {
			v = 1
		}
		if err := set.Add(param.Param{Name: locality.MessagesParam, Value: v, Unit: "1", Lo: v, Hi: v, Method: "1 if a run passes messages", Source: source}); err != nil {
			return nil, err
		}
	}
	return set, set.Add(param.Param{Name: "processors", Value: at.Processors, Unit: "1", Lo: at.Processors, Hi: at.Processors, Method: "given", Source: source})
}
