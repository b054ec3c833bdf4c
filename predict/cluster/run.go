package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"spoor/analyze/paths"
	"spoor/analyze/phases"
	"spoor/calibrate/machine"
	"spoor/calibrate/param"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// Run holds the measurements of one traced run of a program.
type Run struct {
	Name         string // name in errors
	Program      string
	Trace        string // SHA-256 of the trace
	Processors   int
	Params       *param.Set
	reuseTable   *store.Table      // nil: not measured
	phasesTable  store.TableSource // nil: not measured
	trafficTable store.TableSource // traffic between nodes; nil: not measured
	countedFor   *machine.Machine  // in whose time phases and traffic were counted; nil: not known
	noPhases     error             // why the phases cannot be measured; nil: they can
	profiles     map[unit.Bytes]*phases.Profile
	pools        map[unit.Bytes]distances
	instructions float64                 // see [counted]
	inputs       map[string]map[int]*smp // cache of model curve: see [Series]
	traffics     map[nodesOf]*phases.TrafficProfile
	timed        *phases.TrafficProfile  // see [Run.node]
	solved       map[string]unit.Seconds // cache of model mva: see [Series.solved]
	boundWorks   map[string][]program    // cache of model mva: see [Case.boundWork]
	beyonds      map[string]float64      // cache of model mva: see [placedRun.beyond]

	messages        *paths.Term // time of messages; nil: not measured
	onlyMessages    bool        // only messages were analyzed
	withoutMessages bool        // predictions leave out the time of messages
}

// nodesOf holds the settings that traffic between nodes depends on, besides delays.
type nodesOf struct {
	block     unit.Bytes
	perNode   int
	placement phases.Placement
	network   phases.Network
}

const (
	paramsFile  = "locality.params.toml"
	reuseFile   = "reuse.arrow"
	phasesFile  = "phases.arrow"
	trafficFile = "traffic.arrow"
)

// Open reads the measurements of a run. The path is a parameter file, or the directory in which analyze has
// left one. Tables of stack distances, phases and traffic are read if they are in the same directory. They
// must be of the same trace.
func Open(path string) (*Run, error) {
	file, dir := path, filepath.Dir(path)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file, dir = filepath.Join(path, paramsFile), path
	}
	set, err := param.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		if r, err := openMessages(path, dir); r != nil || err != nil {
			return r, err
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if filepath.Ext(path) != ".toml" {
			dir = path // does not exist yet
		}
		return nil, fmt.Errorf("%w; make it with analyze --run reuse,locality,phases -o %s", err, dir)
	case err != nil:
		return nil, err
	}
	r := &Run{Name: path, Params: set}
	r.identify()
	if r.reuseTable, err = readBeside(dir, reuseFile, store.ReadTable); err != nil {
		return nil, err
	}
	if err := r.openPhases(dir); err != nil {
		return nil, err
	}
	for _, t := range []*store.Table{r.reuseTable, headOf(r.phasesTable), headOf(r.trafficTable)} {
		if err := r.join(t); err != nil {
			return nil, fmt.Errorf("reading %s: %w", path, err)
		}
	}
	if err := r.readMessages(dir); err != nil {
		return nil, err
	}
	return r, r.count()
}

// openPhases opens the tables of phases and traffic in dir, if they are there.
func (r *Run) openPhases(dir string) error {
	for name, table := range map[string]*store.TableSource{phasesFile: &r.phasesTable, trafficFile: &r.trafficTable} {
		t, err := readBeside(dir, name, store.OpenTable)
		if err != nil {
			return err
		}
		if t != nil {
			*table = t
		}
	}
	return nil
}

// headOf returns the head of a table, or nil without a table.
func headOf(t store.TableSource) *store.Table {
	if t == nil {
		return nil
	}
	return t.Head()
}

// readBeside reads a table of an analysis, or its head. It returns nil if the file does not exist.
func readBeside[T store.TableSource](dir, name string, read func(path string) (T, error)) (none T, err error) {
	path := filepath.Join(dir, name)
	t, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	if err != nil {
		return none, fmt.Errorf("reading %s: %w", path, err)
	}
	if have, want := t.Head().Name, strings.TrimSuffix(name, ".arrow"); have != want {
		return none, fmt.Errorf("reading %s: a %s table, not a %s table", path, have, want)
	}
	return t, nil
}

// identify takes program and trace from the source of the parameters, which reads "fft.refs.arrow
// sha256:<hex>".
func (r *Run) identify() {
	for _, p := range r.Params.All() {
		name, hash, found := strings.Cut(p.Source, " sha256:")
		if found {
			r.Program = strings.TrimSuffix(name, store.RefsSuffix)
			r.Trace, _, _ = strings.Cut(hash, ",") // without further facts, such as that of a sample
			return
		}
	}
}

// join takes the facts about the run from a table. It refuses a table of another run.
func (r *Run) join(t *store.Table) error {
	if t == nil {
		return nil
	}
	if hash := t.Fact("trace"); r.Trace == "" {
		r.Trace = hash
	} else if hash != r.Trace {
		return fmt.Errorf("%s.arrow is of trace %.12s, but the parameters are of %.12s; delete it, or analyze the trace again into another folder", t.Name, hash, r.Trace)
	}
	if selected := t.Fact("selected"); selected != "" {
		return fmt.Errorf("%s.arrow has only processors %s of the trace; analyze all of them", t.Name, selected)
	}
	n, err := strconv.Atoi(t.Fact("procs"))
	if err != nil || n < 1 {
		return fmt.Errorf("%s.arrow has no number of processors: %q", t.Name, t.Fact("procs"))
	}
	if r.Processors != 0 && r.Processors != n {
		return fmt.Errorf("%s and %s have different numbers of processors, %d and %d", reuseFile, phasesFile, r.Processors, n)
	}
	r.Processors = n
	if program := t.Fact("program"); program != "" {
		r.Program = program
	}
	return nil
}

// count takes the number of processors from the parameters if no table has it.
func (r *Run) count() error {
	if r.Program == "" {
		r.Program = r.Name
	}
	if r.Processors != 0 {
		return nil
	}
	p, err := r.Params.Get("processors", "1")
	if err != nil {
		return err
	}
	if !(p.Value >= 1 && p.Value < 1<<20) || p.Value != math.Trunc(p.Value) {
		return fmt.Errorf("%s: parameter processors is %v, not a number of processors", r.Name, p.Value)
	}
	r.Processors = int(p.Value)
	return nil
}

// parameter returns a parameter that analyze --run locality has written.
func (r *Run) parameter(name, unit string) (param.Param, error) {
	p, err := r.Params.Get(name, unit)
	if err != nil {
		return p, fmt.Errorf("%w; run analyze with --run locality", err)
	}
	return p, nil
}

// gamma returns the number of memory references per instruction.
func (r *Run) gamma() (param.Param, error) {
	g, err := r.parameter("gamma", "1")
	if err == nil && g.Value < 0 {
		err = fmt.Errorf("%s: parameter gamma is %v, below 0", r.Name, g.Value)
	}
	return g, err
}

// profile returns the phases of the run with lines of this size.
func (r *Run) profile(line unit.Bytes) (*phases.Profile, error) {
	if r.noPhases != nil {
		return nil, r.noPhases
	}
	if r.phasesTable == nil {
		return nil, fmt.Errorf("%s has no %s; run analyze with --run phases", r.Name, phasesFile)
	}
	if p := r.profiles[line]; p != nil {
		return p, nil
	}
	p, err := phases.Load(r.phasesTable, line)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Name, err)
	}
	if p.Procs != r.Processors {
		return nil, fmt.Errorf("%s: %s has %d processors, the trace %d", r.Name, phasesFile, p.Procs, r.Processors)
	}
	if r.profiles == nil {
		r.profiles = map[unit.Bytes]*phases.Profile{}
	}
	r.profiles[line] = p
	return p, nil
}

// traffic returns the counted requests between nodes.
func (r *Run) traffic(n nodesOf) (*phases.TrafficProfile, error) {
	if r.trafficTable == nil {
		return nil, fmt.Errorf("%s has no %s; run analyze with --run phases --block %v --per-node %d --placement %s --node-network %s", r.Name, trafficFile, n.block, n.perNode, n.placement, n.network)
	}
	if p := r.traffics[n]; p != nil {
		return p, nil
	}
	p, err := phases.LoadTraffic(r.trafficTable, n.block, n.perNode, n.placement, n.network)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Name, err)
	}
	if r.traffics == nil {
		r.traffics = map[nodesOf]*phases.TrafficProfile{}
	}
	r.traffics[n] = p
	return p, nil
}

// Scaled returns copies of runs with alpha, beta or gamma multiplied by a factor, in all fits, and whether any run has
// that parameter.
func Scaled(runs []*Run, name string, factor float64) (out []*Run, found bool) {
	for _, r := range runs {
		scaled := *r
		scaled.inputs, scaled.Params = nil, &param.Set{}
		for _, p := range r.Params.All() {
			if p.Name == name || strings.HasPrefix(p.Name, name+"_") {
				p.Value, p.Lo, p.Hi, found = p.Value*factor, p.Lo*factor, p.Hi*factor, true
			}
			if err := scaled.Params.Add(p); err != nil {
				return runs, false // a value that cannot be written is not varied
			}
		}
		out = append(out, &scaled)
	}
	return out, found
}
