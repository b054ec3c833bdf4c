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

// Run holds the measurements of a fully parallel simulation, with the parameters of the host.
type Run struct {
	Program, Trace string
	Parameters     Parameters
	Params         *param.Set
	Slowest        unit.Cycles     // measured mean of the longest processing time of each quantum, T_processing(1,N); 0: not known
	Samples        *Samples        // nil: none
	Simulated      simulatedMisses // simulated misses of caches like the host's; empty: none
	Warnings       []error         // what makes the result doubtful
}

const (
	quantaParams    = "quanta.params.toml"
	footprintParams = "footprint.params.toml"
	quantaTable     = "quanta"
)

// Open reads parameters. Each path is a parameter file, or a directory in which analyze has written
// quanta.params.toml and optionally footprint.params.toml. From a directory it also reads these tables, if
// they exist:
//
//   - quanta.arrow, samples of quanta,
//   - footprint_windows.arrow, samples of footprints,
//   - interference.arrow, simulated misses, and
//   - footprint_switches.arrow, misses that follow from the sets that targets use.
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
			if errors.Is(err, fs.ErrNotExist) && filepath.Ext(path) != ".toml" {
				return nil, fmt.Errorf("%w; run analyze with --run quanta,footprint -o %s", err, path)
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

// tables reads the tables that were found. Each may occur once.
func (r *Run) tables(found map[string][]string) error {
	for _, t := range []struct {
		name string
		read func(string) error
	}{{quantaTable, r.readQuanta}, {windowsTable, r.readWindows}, {interferenceTable, r.readInterference}, {switchesTable, r.readSwitches}} {
		switch files := found[t.name]; len(files) {
		case 0:
		case 1:
			if err := t.read(files[0]); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%s and %s: two tables of one kind; give one of them", files[0], files[1])
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
	t := paramReader{set: set}
	p := &r.Parameters
	p.Targets = t.whole("targets", "processors", mostTargets)
	p.Mu, p.Sigma = unit.Cycles(t.required("mu", "cycles")), unit.Cycles(t.required("sigma_intra", "cycles"))
	p.Active, p.Running = t.required("n_cxsw", "processors"), t.required("n_fp", "processors")
	p.SigmaActive, p.SigmaRunning = t.optionalNaN("sigma_cxsw", "1"), t.optionalNaN("sigma_fp", "1")
	quantum := unit.Cycles(t.optional("quantum", "cycles"))
	r.Slowest = unit.Cycles(t.optional("slowest", "cycles"))
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

// paramReader reads parameters from a set and keeps the first error.
type paramReader struct {
	set  *param.Set
	free []string // times of the host that are missing and count as 0
	err  error
}

// makers says how to make the parameters with a prefix.
var makers = []struct{ prefix, command string }{
	{"f_", "run analyze with --run footprint"},
	{"t_", "write it into a parameter file of the host, such as data/machine/windtunnel/example.params.toml"},
	{"n_win", "write it into a parameter file of the host, such as data/machine/windtunnel/example.params.toml"},
	{"cache_", "write it into a parameter file of the host, such as data/machine/windtunnel/example.params.toml"},
	{"tlb_", "write it into a parameter file of the host, such as data/machine/windtunnel/example.params.toml"},
	{"sigma_intra", "run analyze with --run quanta on a trace of two or more processors"},
	{"", "run analyze with --run quanta"},
}

// required returns a parameter that must exist.
func (t *paramReader) required(name, unit string) float64 {
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

// optional returns a parameter, or 0 if it does not exist.
func (t *paramReader) optional(name, unit string) float64 {
	if _, there := t.set.Lookup(name); !there {
		return 0
	}
	return t.required(name, unit)
}

// optionalNaN returns a parameter, or NaN if it does not exist.
func (t *paramReader) optionalNaN(name, unit string) float64 {
	if _, there := t.set.Lookup(name); !there {
		return math.NaN()
	}
	return t.required(name, unit)
}

// whole returns an integer from 1 to most.
func (t *paramReader) whole(name, unit string, most int) int {
	v := t.required(name, unit)
	if t.err == nil && !(v >= 1 && v <= float64(most) && v == math.Trunc(v)) {
		t.err = fmt.Errorf("parameter %s is %v, not a whole number from 1 to %d", name, v, most)
	}
	return int(v)
}

// host reads the costs of operations of the host. Missing ones are 0.
func (t *paramReader) host(p *Parameters) {
	for _, c := range []struct {
		name string
		time *unit.Cycles
	}{{"t_cxsw", &p.Switch}, {"t_win", &p.Underflow}, {"t_fp", &p.FloatingPt}, {"t_quantum_overhead", &p.Overhead},
		{"t_cache_miss", &p.Cache.Miss}, {"t_tlb_miss", &p.TLB.Miss}} {
		if _, there := t.set.Lookup(c.name); !there {
			t.free = append(t.free, c.name)
		}
		*c.time = unit.Cycles(t.optional(c.name, "cycles"))
	}
	if p.Underflow > 0 {
		p.Underflows = t.required("n_win", "1")
	}
}

// level reads the inputs of interference at a level, if its misses take time.
func (t *paramReader) level(name string, l *Level) {
	if l.Miss == 0 {
		return
	}
	l.Shape = footprint.Shape{Sets: t.whole(name+"_sets", "1", footprint.MaxFrames), Ways: t.whole(name+"_ways", "1", footprint.MaxFrames)}
	for _, of := range []struct {
		infix string
		*Footprints
	}{{"", &l.Trace}, {"window_", &l.Turn}} {
		f, infix := of.Footprints, of.infix
		*f = Footprints{t.required("f_s_"+infix+name, "blocks"), t.required("f_avg_"+infix+name, "blocks"), t.required("f_max_"+infix+name, "blocks")}
		if t.err == nil && !(f.Shared >= 0 && f.Average >= 0 && f.Largest >= f.Average*(1-1e-9)) {
			t.err = fmt.Errorf("footprints f_s_%[1]s = %v, f_avg_%[1]s = %v, f_max_%[1]s = %v: they must be 0 or more, and the largest at least the average", infix+name, f.Shared, f.Average, f.Largest)
		}
	}
}

// identify takes program and trace from the source of mu, which reads "fft.refs.arrow sha256:<hex>". It
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
			return fmt.Errorf("%s is of trace %.12s, but mu is of %.12s; analyze one trace for both", p.Name, other, hash)
		}
	}
	return nil
}

// digest returns the hash in a source. Further facts may follow it, such as that of a sample.
func digest(text string) string {
	hash, _, _ := strings.Cut(text, ",")
	return hash
}

// warnings adds what makes predictions from r doubtful.
func (r *Run) warnings(t *paramReader, quantum unit.Cycles) {
	warn := func(format string, args ...any) { r.Warnings = append(r.Warnings, fmt.Errorf(format, args...)) }
	r.Warnings = append(r.Warnings, param.Warnings(r.Params.All())...)
	if len(t.free) > 0 {
		warn("missing parameters of the host count as 0 cycles: %s", strings.Join(t.free, ", "))
	}
	switch {
	case r.Parameters.Quantum > 0:
	case quantum == 0 || r.Slowest == 0:
		warn("quantum or slowest is missing, so processing times are not limited to the quantum")
	default:
		warn("processing times exceed the quantum (the slowest is %.4g of %.4g cycles)", float64(r.Slowest), float64(quantum))
	}
	if r.Parameters.Cache.Miss+r.Parameters.TLB.Miss > 0 {
		warn("footprints are those of the target program; the simulator's own use of the cache and TLB is not known")
	}
	r.ignored()
	r.sizes("cache", &r.Parameters.Cache)
	r.sizes("tlb", &r.Parameters.TLB)
}

// sizes warns of footprints in other block sizes or quanta than the host's.
func (r *Run) sizes(name string, l *Level) {
	host, given := r.Params.Lookup(name + "_block")
	measured, known := r.Params.Lookup("block_" + name)
	if l.Miss > 0 && given && known && host.Value != measured.Value {
		r.Warnings = append(r.Warnings, fmt.Errorf("footprints for the %s have blocks of %v %s, but the host has %v %s", name, measured.Value, measured.Unit, host.Value, host.Unit))
	}
	quantum, q := r.Params.Lookup("quantum")
	cpi, c := r.Params.Lookup("cpi")
	window, w := r.Params.Lookup("window_" + name)
	switch {
	case l.Miss == 0 || !q:
	case w && !c:
		r.Warnings = append(r.Warnings, fmt.Errorf("footprints for the %s have windows of %v instructions, but the quanta are of simulated time, with fewer instructions", name, window.Value))
	case !c:
	case !w:
		r.Warnings = append(r.Warnings, fmt.Errorf("footprints for the %s do not name their window, so it may not be the quantum", name))
	case math.Abs(window.Value*cpi.Value-quantum.Value) > cpi.Value/2:
		r.Warnings = append(r.Warnings, fmt.Errorf("footprints for the %s have windows of %v instructions, but the quanta have %v cycles", name, window.Value, quantum.Value))
	}
}
