package windtunnel

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"spoor/analyze/footprint"
	"spoor/calibrate/param"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// Run is what was measured of a fully parallel simulation, with the host that it would run on.
type Run struct {
	Program, Trace string
	Parameters     Parameters
	Params         *param.Set
	Slowest        unit.Cycles // mean of the longest processing time of each quantum: T_processing(1,N), measured; 0: not known
	Samples        *Samples    // nil: not there
	Simulated      extras      // of caches as the host's; empty: not there
	Warnings       []error     // what makes the result doubtful
}

const (
	quantaParams    = "quanta.params.toml"
	footprintParams = "footprint.params.toml"
	quantaTable     = "quanta"
)

// Open reads parameters: each path is a parameter file, or a directory in which analyze has left quanta.params.toml and
// maybe footprint.params.toml. Samples of quanta and of footprints are read if quanta.arrow and footprint_windows.arrow
// lie in a directory, what was simulated in caches if interference.arrow does, and what follows from the
// sets that targets use if footprint_switches.arrow does.
func Open(paths []string) (*Run, error) {
	var sets []*param.Set
	found := map[string][]string{} // by table
	for _, path := range paths {
		files := []string{path}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			files = []string{filepath.Join(path, quantaParams)}
			if f := filepath.Join(path, footprintParams); exists(f) {
				files = append(files, f)
			}
			for _, table := range []string{quantaTable, windowsTable, interferenceTable, switchesTable} {
				if f := filepath.Join(path, table+".arrow"); exists(f) {
					found[table] = append(found[table], f)
				}
			}
		}
		for _, f := range files {
			s, err := param.Read(f)
			if errors.Is(err, fs.ErrNotExist) && f != path {
				return nil, fmt.Errorf("%w; analyze --run quanta,footprint -o %s writes it", err, path)
			}
			if err != nil {
				return nil, err
			}
			sets = append(sets, s)
		}
	}
	set, err := param.Merge(sets...)
	if err != nil {
		return nil, err
	}
	r, err := New(set)
	if err != nil {
		return nil, err
	}
	return r, r.tables(found)
}

// tables reads those that were found, one of each kind at most.
func (r *Run) tables(found map[string][]string) error {
	for _, t := range []struct {
		name string
		read func(string) error
	}{{quantaTable, r.sample}, {windowsTable, r.classify}, {interferenceTable, r.simulated}, {switchesTable, r.predicted}} {
		switch files := found[t.name]; len(files) {
		case 0:
		case 1:
			if err := t.read(files[0]); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%s and %s: samples of one run are enough", files[0], files[1])
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// New takes the parameters of a run from a set.
func New(set *param.Set) (*Run, error) {
	r := &Run{Params: set}
	t := taker{set: set}
	p := &r.Parameters
	p.Targets = t.whole("targets", "processors", MostTargets)
	p.Mu, p.Sigma = unit.Cycles(t.must("mu", "cycles")), unit.Cycles(t.must("sigma_intra", "cycles"))
	p.Active, p.Running = t.must("n_cxsw", "processors"), t.must("n_fp", "processors")
	p.SigmaActive, p.SigmaRunning = t.mayNot("sigma_cxsw", "1"), t.mayNot("sigma_fp", "1")
	quantum := unit.Cycles(t.may("quantum", "cycles"))
	r.Slowest = unit.Cycles(t.may("slowest", "cycles"))
	if bound := quantum * (1 + 1e-9); r.Slowest > 0 && r.Slowest <= bound && p.Mu <= bound {
		p.Quantum = max(quantum, p.Mu)
	}
	t.host(p)
	t.level("cache", &p.Cache)
	t.level("tlb", &p.TLB)
	if t.err != nil {
		return nil, t.err
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("parameters: %w", err)
	}
	if err := r.identify(); err != nil {
		return nil, err
	}
	r.warnings(&t, quantum)
	return r, nil
}

// taker takes parameters from a set and keeps the first error.
type taker struct {
	set  *param.Set
	free []string // times of the host that are not given
	err  error
}

// makers says what makes the parameters of which a prefix is given.
var makers = []struct{ prefix, command string }{
	{"f_", "analyze --run footprint makes it"},
	{"t_", "it is of the host, which nothing here measures: write a parameter file, such as data/machine/windtunnel/example.params.toml"},
	{"n_win", "it is of the host, which nothing here measures: write a parameter file, such as data/machine/windtunnel/example.params.toml"},
	{"cache_", "it is of the host: write a parameter file, such as data/machine/windtunnel/example.params.toml"},
	{"tlb_", "it is of the host: write a parameter file, such as data/machine/windtunnel/example.params.toml"},
	{"sigma_intra", "analyze --run quanta makes it, of a trace of two processors or more"},
	{"", "analyze --run quanta makes it"},
}

// must takes a parameter that has to be there.
func (t *taker) must(name, unit string) float64 {
	p, err := t.set.Get(name, unit)
	if err == nil || t.err != nil {
		return p.Value
	}
	t.err = err
	if _, there := t.set.Lookup(name); !there {
		for _, m := range makers {
			if strings.HasPrefix(name, m.prefix) {
				t.err = fmt.Errorf("%w; %s", err, m.command)
				break
			}
		}
	}
	return 0
}

// may takes a parameter, or 0 if it is not there.
func (t *taker) may(name, unit string) float64 {
	if _, there := t.set.Lookup(name); !there {
		return 0
	}
	return t.must(name, unit)
}

// mayNot takes a parameter, or what is not a number if it is not there.
func (t *taker) mayNot(name, unit string) float64 {
	if _, there := t.set.Lookup(name); !there {
		return math.NaN()
	}
	return t.must(name, unit)
}

// whole takes a number from 1 to most.
func (t *taker) whole(name, unit string, most int) int {
	v := t.must(name, unit)
	if t.err == nil && !(v >= 1 && v <= float64(most) && v == math.Trunc(v)) {
		t.err = fmt.Errorf("parameter %s is %v, not a whole number from 1 to %d", name, v, most)
	}
	return int(v)
}

// host takes what the operations of a host cost: nothing, if it is not given.
func (t *taker) host(p *Parameters) {
	for _, c := range []struct {
		name string
		time *unit.Cycles
	}{{"t_cxsw", &p.Switch}, {"t_win", &p.Underflow}, {"t_fp", &p.FloatingPt}, {"t_quantum_overhead", &p.Overhead},
		{"t_cache_miss", &p.Cache.Miss}, {"t_tlb_miss", &p.TLB.Miss}} {
		if _, there := t.set.Lookup(c.name); !there {
			t.free = append(t.free, c.name)
		}
		*c.time = unit.Cycles(t.may(c.name, "cycles"))
	}
	if p.Underflow > 0 {
		p.Underflows = t.must("n_win", "1")
	}
}

// level takes what interference at a level needs, if misses cost anything.
func (t *taker) level(name string, l *Level) {
	if l.Miss == 0 {
		return
	}
	l.Shape = footprint.Shape{Sets: t.whole(name+"_sets", "1", footprint.MaxFrames), Ways: t.whole(name+"_ways", "1", footprint.MaxFrames)}
	for _, of := range []struct {
		infix string
		*Footprints
	}{{"", &l.Trace}, {"window_", &l.Turn}} {
		f, infix := of.Footprints, of.infix
		*f = Footprints{t.must("f_s_"+infix+name, "blocks"), t.must("f_avg_"+infix+name, "blocks"), t.must("f_max_"+infix+name, "blocks")}
		if t.err == nil && !(f.Shared >= 0 && f.Average >= 0 && f.Largest >= f.Average*(1-1e-9)) {
			t.err = fmt.Errorf("footprints f_s_%[1]s = %v, f_avg_%[1]s = %v, f_max_%[1]s = %v: they must be 0 or more, and the largest not below the average", infix+name, f.Shared, f.Average, f.Largest)
		}
	}
}

// identify takes program and trace from the source of mu, which is "fft.refs.arrow sha256:<hex>", and
// refuses footprints of another trace.
func (r *Run) identify() error {
	mu, _ := r.Params.Lookup("mu")
	name, hash, found := strings.Cut(mu.Source, " sha256:")
	if !found {
		r.Program = mu.Source
		return nil
	}
	hash = digest(hash)
	r.Program, r.Trace = strings.TrimSuffix(name, store.RefsSuffix), hash
	for _, p := range r.Params.All() {
		if _, other, found := strings.Cut(p.Source, " sha256:"); found && digest(other) != hash && strings.HasPrefix(p.Name, "f_") {
			return fmt.Errorf("%s is of trace %.12s, mu of %.12s; analyze one trace for both", p.Name, other, hash)
		}
	}
	return nil
}

// digest is the first of what a source says after the digest's name; it may go on, as that it is of a sample.
func digest(text string) string {
	hash, _, _ := strings.Cut(text, ",")
	return hash
}

// warnings says what speaks against believing predictions from r.
func (r *Run) warnings(t *taker, quantum unit.Cycles) {
	warn := func(format string, args ...any) { r.Warnings = append(r.Warnings, fmt.Errorf(format, args...)) }
	if len(t.free) > 0 {
		warn("of the host, %s not given: taken to cost nothing", strings.Join(t.free, ", "))
	}
	switch {
	case r.Parameters.Quantum > 0:
	case quantum == 0 || r.Slowest == 0:
		warn("quantum or slowest not given: processing times are not held to the quantum")
	default:
		warn("processing times are longer than the quantum (slowest %.4g of %.4g cycles)", float64(r.Slowest), float64(quantum))
	}
	if r.Parameters.Cache.Miss+r.Parameters.TLB.Miss > 0 {
		warn("footprints are the target program's; what the simulator itself uses of a host's cache and TLB is not known")
	}
	r.sizes("cache", &r.Parameters.Cache)
	r.sizes("tlb", &r.Parameters.TLB)
}

// sizes warns of footprints in other blocks than the host's.
func (r *Run) sizes(name string, l *Level) {
	host, given := r.Params.Lookup(name + "_block")
	measured, known := r.Params.Lookup("block_" + name)
	if l.Miss > 0 && given && known && host.Value != measured.Value {
		r.Warnings = append(r.Warnings, fmt.Errorf("footprints for the %s were measured in blocks of %v %s, the host's are of %v %s", name, measured.Value, measured.Unit, host.Value, host.Unit))
	}
	quantum, q := r.Params.Lookup("quantum")
	cpi, c := r.Params.Lookup("cpi")
	window, w := r.Params.Lookup("window_" + name)
	switch {
	case l.Miss == 0 || !q:
	case w && !c:
		r.Warnings = append(r.Warnings, fmt.Errorf("footprints for the %s are of windows of %v instructions, and the quanta of simulated time, in which fewer are executed", name, window.Value))
	case !c:
	case !w:
		r.Warnings = append(r.Warnings, fmt.Errorf("footprints for the %s do not say that they are of quanta", name))
	case math.Abs(window.Value*cpi.Value-quantum.Value) > cpi.Value/2:
		r.Warnings = append(r.Warnings, fmt.Errorf("footprints for the %s are of windows of %v instructions, the quanta of %v cycles", name, window.Value, quantum.Value))
	}
}
