package transport

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"spoor/calibrate/internal/fit/loggp"
	"spoor/calibrate/internal/fit/study"
	"spoor/calibrate/internal/fit/timing"
	"spoor/calibrate/internal/host"
	"spoor/calibrate/internal/marshalling"
	"spoor/calibrate/packing"
	"spoor/traces/store"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// The other side of a transport between processes is this very program.
func TestMain(m *testing.M) {
	if is, err := Other(); is {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// known is a host that obeys LogGP, with noise.
type known struct {
	o, latency, gap, perByte, launch float64
	perLine                          float64 // of blocks
	eager                            unit.Bytes
	now                              float64
	r                                *rand.Rand
	second                           bool
}

func (k *known) Now() unit.Seconds { k.now += 50e-6; return unit.Seconds(k.now) }
func (k *known) Switches() int64   { return 0 }

func (k *known) Watch(d unit.Seconds) (watched, stolen unit.Seconds) { return d, 0 }
func (k *known) Pause(d unit.Seconds) unit.Seconds                   { return d }

func (k *known) Sentinel() unit.Seconds {
	if k.r.Float64() < 0.02 { // so that all points are measured in both states
		k.second = !k.second
	}
	if k.second {
		return unit.Seconds(780e-9 * (1 + 0.05*k.r.ExpFloat64()))
	}
	return unit.Seconds(110e-9 * (1 + 0.05*k.r.ExpFloat64()))
}

func (k *known) Rest() error { return nil }

func (k *known) Launch(int) error { k.launch = math.Exp(0.003 * k.r.NormFloat64()); return nil }

func (k *known) Trial(p packing.Point) (host.Trial, error) {
	bytes := float64(p.Bytes-1) * k.perByte
	trip := 2 * (2*k.o + k.latency + bytes)
	t := trip + float64(p.Count-1)*max(k.gap+bytes, k.o+float64(p.Delay))
	switch p.Experiment {
	case timing.Receive:
		t = k.o
	case timing.Held:
		if t = k.o; p.Bytes > k.eager {
			t += float64(p.Delay)
		}
	case timing.Exchange:
		t = max(trip/2, k.gap+bytes)
	case packing.Transfer:
		f, err := packing.Of(&p, 64, 4096)
		if err != nil {
			return nil, err
		}
		t = k.o + bytes + k.perLine*f.Exact
	}
	return func() unit.Seconds {
		y := t * k.launch * (1 + 0.003*k.r.ExpFloat64())
		if k.second {
			y *= 2
		}
		if k.r.Float64() < 0.05 {
			y *= 1 + 9*k.r.Float64()
		}
		return unit.Seconds(y)
	}, nil
}

// What calibrate fit finds in a dataset of a host that obeys LogGP is its parameters.
func TestKnownHost(t *testing.T) {
	k := &known{o: 0.4e-6, latency: 1.1e-6, gap: 0.7e-6, perByte: 0.1e-9, eager: 5000, r: rand.New(rand.NewPCG(1, 1))}
	table, err := Measure(context.Background(), k, Options{Launches: 5, Seed: 1, Rules: host.Strict, Budget: 1e9}, func() {})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "known.arrow")
	if err := store.WriteTable(path, table); err != nil {
		t.Fatal(err)
	}
	data, err := timing.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if states := data.States(); !slices.Equal(states, []string{"s1", "s2"}) {
		t.Fatalf("states %v", states)
	}
	factors := map[string]float64{"s1": 1, "s2": 2}
	exact := false // in the state in which all points are measured
	studies, failed := loggp.Run(data, 1)
	if len(studies) != 2 {
		t.Fatalf("%d studies, and %v", len(studies), failed)
	}
	for _, s := range studies {
		found := map[string]float64{}
		for _, v := range s.Values {
			found[v.Name] = v.Value / factors[s.State]
			if v.Name == "S" && (v.Lo > float64(k.eager) || v.Hi < float64(k.eager)) {
				t.Errorf("state %s: S is %g, %g to %g", s.State, v.Value, v.Lo, v.Hi)
			}
			exact = exact || v.Name == "S" && v.Value == float64(k.eager)
		}
		for name, want := range map[string]float64{"o_r": k.o, "L": k.latency, "g": k.gap, "G": k.perByte, "half_rtt": 2*k.o + k.latency} {
			// Delays are not doubled in the second state, and o_s and L come out of them.
			if s.State == "s2" && name == "L" {
				continue
			}
			if math.Abs(found[name]/want-1) > 0.05 {
				t.Errorf("state %s: %s is %g, not %g", s.State, name, found[name], want)
			}
		}
	}
	if !exact {
		t.Error("no state has S to the byte")
	}
}

// All transports of this host do all experiments, in two launches; times are not looked at.
func TestTransportsRun(t *testing.T) {
	for _, one := range All[:testsize.Cases(len(All), 1)] {
		if err := runs(t, one); err != nil {
			t.Logf("%s cannot be measured here: %v", one.Name, err)
		}
	}
}

// runs lets a transport do all experiments, if it can be opened.
func runs(t *testing.T, one Transport) error {
	t.Helper()
	bench, done, err := Open(one)
	if err != nil {
		return err
	}
	for launch := range 2 {
		if err := bench.Launch(launch); err != nil {
			t.Fatalf("%s: %v", one.Name, err)
		}
		for _, p := range []packing.Point{
			{Experiment: timing.PingPong, Bytes: 1, Count: 1}, {Experiment: timing.Burst, Bytes: largestSize, Count: burst},
			{Experiment: timing.Delayed, Bytes: 100, Count: 4, Delay: bench.Pause(5e-6)},
			{Experiment: timing.Receive, Bytes: 4096, Count: 1}, {Experiment: timing.Exchange, Bytes: 64, Count: 1},
			{Experiment: timing.Held, Bytes: 64, Count: 1, Delay: bench.Pause(20e-6)}, {Experiment: timing.Held, Bytes: largestSize, Count: 1, Delay: bench.Pause(20e-6)},
		} {
			trial, err := bench.Trial(p)
			if err != nil {
				t.Fatalf("%s: %+v: %v", one.Name, p, err)
			}
			if y := trial(); y < 0 || y > 1 || p.Experiment == timing.Delayed && y < p.Delay*3 {
				t.Errorf("%s: %+v takes %v", one.Name, p, y)
			}
		}
	}
	if err := done(); err != nil {
		t.Errorf("%s: %v", one.Name, err)
	}
	return nil
}

// Threads and processes of this host transfer blocks and scan, also after they were given other memory, and a block that
// lies outside is refused.
func TestWorkRuns(t *testing.T) {
	for name, launches := range map[string]int{"ring": 2, "unix": 1} {
		if err := works(t, All[slices.IndexFunc(All, func(t Transport) bool { return t.Name == name })], launches); err != nil {
			t.Logf("%s cannot be measured here: %v", name, err)
		}
	}
}

// works measures some transfers, scans and statements over a transport. The error is of a transport that is not here.
func works(t *testing.T, one Transport, launches int) error {
	t.Helper()
	var points []packing.Point
	kinds := map[packing.Experiment]int{packing.Transfer: 2, packing.Scan: 2, packing.Array: 1}
	for _, p := range marshalling.Plans[0].Points(1, true) {
		if p.Bytes < 1<<18 && kinds[p.Experiment] > 0 {
			kinds[p.Experiment]--
			points = append(points, p)
		}
	}
	bench, done, err := Open(one)
	if err != nil {
		return err
	}
	for launch := range launches {
		if err := bench.Launch(launch); err != nil {
			t.Fatalf("%s: %v", one.Name, err)
		}
		for _, p := range points {
			trial, err := bench.Trial(p)
			if err != nil {
				t.Fatalf("%s: %+v: %v", one.Name, p, err)
			}
			if y := trial(); y <= 0 || y > 1 {
				t.Errorf("%s: %+v takes %v", one.Name, p, y)
			}
		}
	}
	for _, wrong := range []packing.Point{{Experiment: packing.Transfer, Rows: 2, Cols: 1, Item: 4, Stride: 1 << 30, Bytes: 8},
		{Experiment: packing.Array, Rows: 2, Cols: 2, Item: 4, Stride: 8, Bytes: 16, Accesses: 5, Blocks: 1}} {
		if _, err := bench.Trial(wrong); err == nil && (wrong.Rows*int64(wrong.Stride) > 1<<20 || one.start == nil) {
			t.Errorf("%s: %+v is measured", one.Name, wrong)
		}
	}
	if err := done(); err != nil {
		t.Errorf("%s: %v", one.Name, err)
	}
	return nil
}

// What calibrate fit finds in a dataset of a host that obeys M1 with exact lines is its parameters, for transfers; the
// states are told apart.
func TestKnownMarshalling(t *testing.T) {
	k := &known{o: 0.4e-6, perByte: 0.2e-9, perLine: 5e-9, r: rand.New(rand.NewPCG(1, 1))}
	points := slices.DeleteFunc(marshalling.Plans[0].Points(1, false), func(p packing.Point) bool { return p.Experiment != packing.Transfer })
	table, err := At(context.Background(), k, Options{Launches: testsize.Cases(5, 3), Seed: 1, Rules: host.Strict, Budget: 1e9}, points, func() {}, trace.Arg{Key: "line", Value: "64B"})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "known.arrow")
	if err := store.WriteTable(path, table); err != nil {
		t.Fatal(err)
	}
	data, err := timing.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	studies, failed := study.Run(data, study.Options{Line: 64, Page: 4096, Seed: 1})
	if len(studies) != 2 {
		t.Fatalf("%d studies, and %v", len(studies), failed)
	}
	for _, s := range studies {
		factor := map[string]float64{"s1": 1, "s2": 2}[s.State]
		for _, r := range s.Results {
			if r.Model.Name != "M1x" {
				continue
			}
			if r.Errors.Ratio > 1e-3 {
				t.Errorf("state %s: an error ratio of %g", s.State, r.Errors.Ratio)
			}
			for i, want := range []float64{k.o, k.perByte, k.perLine} {
				if c := r.Coefficients[i]; r.Method.Suffix != "" && math.Abs(c.Value/factor/want-1) > 0.1 {
					t.Errorf("state %s: %s is %g, not %g", s.State, c.Term.Symbol, c.Value/factor, want)
				}
			}
		}
	}
}

// Rings and channels give what they were given, whatever the sizes.
func TestConnections(t *testing.T) {
	a, b := channels()
	memory := &block{}
	for name, ends := range map[string][2]conn{"ring": {memory.ringEnd(true), memory.ringEnd(false)}, "channel": {a, b}} {
		for size := 1; size <= largestSize; size = size*5/2 + 1 {
			sent, got := make([]byte, size), make([]byte, size)
			for i := range sent {
				sent[i] = byte(i * 7 >> 3)
			}
			failed := make(chan error, 1)
			go func() { failed <- ends[0].send(sent) }()
			if err := errors.Join(ends[1].receive(got), <-failed); err != nil || !slices.Equal(sent, got) {
				t.Fatalf("%s: %d bytes: %v", name, size, err)
			}
		}
	}
}

// No two points are the same, and all of them can be datasets' rows.
func TestPlan(t *testing.T) {
	for _, quick := range []bool{false, true} {
		o := Options{Seed: 3, Quick: quick}
		list, err := plan(o, pilot{func(unit.Bytes) (unit.Seconds, error) { return 1e-6, nil }, func(packing.Point) (bool, error) { return false, nil }})
		if err != nil || len(list) != Points(o) {
			t.Fatalf("%v, %d and %d points", err, len(list), Points(o))
		}
		for i, p := range list {
			if slices.Contains(list[:i], p) {
				t.Errorf("%+v twice", p)
			}
			if p.Bytes < 1 || p.Bytes > largestSize {
				t.Errorf("%v bytes", p.Bytes)
			}
		}
	}
}
