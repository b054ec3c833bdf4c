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

	"spoor/calibrate/fit/loggp"
	"spoor/calibrate/fit/timing"
	"spoor/calibrate/host"
	"spoor/traces/store"
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
	now                              float64
	r                                *rand.Rand
	second                           bool
}

func (k *known) Now() unit.Seconds { k.now += 50e-6; return unit.Seconds(k.now) }
func (k *known) Switches() int64   { return 0 }

func (k *known) Watch(d unit.Seconds) (watched, stolen unit.Seconds) { return d, 0 }
func (k *known) Pause(d unit.Seconds) unit.Seconds                   { return d }

func (k *known) Sentinel() unit.Seconds {
	if k.r.Float64() < 0.004 {
		k.second = !k.second
	}
	if k.second {
		return unit.Seconds(780e-9 * (1 + 0.05*k.r.ExpFloat64()))
	}
	return unit.Seconds(110e-9 * (1 + 0.05*k.r.ExpFloat64()))
}

func (k *known) Launch(int) error { k.launch = math.Exp(0.003 * k.r.NormFloat64()); return nil }

func (k *known) Trial(p timing.Point) (host.Trial, error) {
	bytes := float64(p.Bytes-1) * k.perByte
	trip := 2 * (2*k.o + k.latency + bytes)
	t := trip + float64(p.Count-1)*max(k.gap+bytes, k.o+float64(p.Delay))
	switch p.Experiment {
	case timing.Receive:
		t = k.o
	case timing.Exchange:
		t = max(trip/2, k.gap+bytes)
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
	k := &known{o: 0.4e-6, latency: 1.1e-6, gap: 0.7e-6, perByte: 0.1e-9, r: rand.New(rand.NewPCG(1, 1))}
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
	studies, failed := loggp.Run(data, 1)
	if len(studies) != 2 {
		t.Fatalf("%d studies, and %v", len(studies), failed)
	}
	for _, s := range studies {
		found := map[string]float64{}
		for _, v := range s.Values {
			found[v.Name] = v.Value / factors[s.State]
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
}

// All transports of this host do all experiments, in two launches; times are not looked at.
func TestTransportsRun(t *testing.T) {
	for _, one := range All {
		bench, done, err := Open(one)
		if err != nil {
			t.Logf("%s cannot be measured here: %v", one.Name, err)
			continue
		}
		for launch := range 2 {
			if err := bench.Launch(launch); err != nil {
				t.Fatalf("%s: %v", one.Name, err)
			}
			for _, p := range []timing.Point{
				{Experiment: timing.PingPong, Bytes: 1, Count: 1}, {Experiment: timing.Burst, Bytes: largestSize, Count: burst},
				{Experiment: timing.Delayed, Bytes: 100, Count: 4, Delay: bench.Pause(5e-6)},
				{Experiment: timing.Receive, Bytes: 4096, Count: 1}, {Experiment: timing.Exchange, Bytes: 64, Count: 1},
			} {
				trial, err := bench.Trial(p)
				if err != nil {
					t.Fatalf("%s: %+v: %v", one.Name, p, err)
				}
				if y := trial(); y < 0 || y > 1 || y < p.Delay*3 {
					t.Errorf("%s: %+v takes %v", one.Name, p, y)
				}
			}
		}
		if err := done(); err != nil {
			t.Errorf("%s: %v", one.Name, err)
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
		list, err := plan(o, func(unit.Bytes) (unit.Seconds, error) { return 1e-6, nil })
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
