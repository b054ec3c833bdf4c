package loggp_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"spoor/calibrate/internal/fit"
	"spoor/calibrate/internal/fit/loggp"
	"spoor/calibrate/internal/fit/synthetic"
	"spoor/calibrate/internal/fit/timing"
	"spoor/calibrate/packing"
	"spoor/traces/testsize"
	"spoor/traces/unit"
)

// ethernet is a network with a rendezvous protocol above 8 KiB.
var ethernet = synthetic.Network{Send: 1.2e-6, Receive: 1.5e-6, Latency: 9e-6, Gap: 2e-6, PerByte: 0.9e-9, Eager: 8192, Handshake: 25e-6}

func quiet() synthetic.Host {
	return synthetic.Host{States: []synthetic.State{{Factor: 1}}, Launches: 1, Reps: 1}
}

func one(t *testing.T, d *timing.Data) *loggp.Study {
	t.Helper()
	studies, failed := loggp.Run(d, 1)
	if len(failed) > 0 || len(studies) != 1 {
		t.Fatalf("%d studies, %v", len(studies), failed)
	}
	return studies[0]
}

func value(s *loggp.Study, name string) loggp.Value {
	if i := slices.IndexFunc(s.Values, func(v loggp.Value) bool { return v.Name == name }); i >= 0 {
		return s.Values[i]
	}
	return loggp.Value{Value: math.NaN()}
}

func warnings(s *loggp.Study) string {
	var all []string
	for _, w := range s.Warnings {
		all = append(all, w.Error())
	}
	return strings.Join(all, "\n")
}

// Without noise all parameters come back, and both models predict bursts and exchanges that they have not seen.
func TestFindsExactParameters(t *testing.T) {
	h := quiet()
	d := h.Messages(&ethernet, 20, 1)
	s := one(t, d)
	for name, want := range map[string]float64{
		"o_s": 1.2e-6, "o_r": 1.5e-6, "o": 1.35e-6, "L": 9e-6, "half_rtt": 11.7e-6, "g": 2e-6, "G": 0.9e-9, "S": 8192,
		"half_1": 11.7e-6, "perbyte_1": 0.9e-9, "half_2": 36.7e-6, "perbyte_2": 0.9e-9, "half_upto_1": 8192, "half_upto_2": 1 << 20, "plogp_L": 9.7e-6,
	} {
		t.Run(name, func(t *testing.T) {
			if v := value(s, name); !(math.Abs(v.Value/want-1) < 1e-6) {
				t.Errorf("%s is %g, want %g", name, v.Value, want)
			}
		})
	}
	if v := value(s, "S"); v.Lo != 8192 || v.Hi != 16383 {
		t.Errorf("S is from %g to %g", v.Lo, v.Hi)
	}
	for _, e := range s.Errors {
		// PLogP's table has a jump between 8192 and 16384 bytes as a slope.
		if bar := map[string]float64{"LogGP": 1e-6, "PLogP": 0.01}[e.Model]; e.Errors.Median > bar || e.Model == "LogGP" && e.Errors.P90 > 0.5 || e.Errors.Points != 20 {
			t.Errorf("%s, %s: %+v", e.Model, e.Experiment, e.Errors)
		}
	}
	if len(s.Errors) != 4 || s.Judged != "40 test points" || len(s.Table) != 21 {
		t.Errorf("%d errors by %s, %d sizes", len(s.Errors), s.Judged, len(s.Table))
	}
	row := s.Table[10]
	if row.Bytes != 1024 || math.Abs(row.Gap.Value/(2e-6+1023*0.9e-9)-1) > 1e-9 || math.Abs(row.Send.Value/1.2e-6-1) > 1e-9 || math.Abs(row.Receive.Value/1.5e-6-1) > 1e-9 {
		t.Errorf("1024 bytes: %+v", row)
	}
}

// Hosts with noise, disturbed samples and three states: parameters are inside their intervals for 95 of 100
// seeds or more, each of them, in each state; and what another run finds, for 90.
func TestRecoversParametersOfNoisyHosts(t *testing.T) {
	seeds := testsize.Cases(100, againSeeds())
	want := map[string]float64{"o_s": ethernet.Send, "o_r": ethernet.Receive, "L": ethernet.Latency, "g": ethernet.Gap, "G": ethernet.PerByte, "S": 8192}
	inside := map[string]int{}
	for _, found := range synthetic.ForSeeds(seeds, func(seed uint64) map[string]bool {
		h := synthetic.Usual()
		h.Reps = 45
		studies, _ := loggp.Run(h.Messages(&ethernet, 20, seed), seed)
		var others []*loggp.Study
		if h.Run++; seed < uint64(againSeeds()) {
			others, _ = loggp.Run(h.Messages(&ethernet, 20, seed), seed)
		}
		found := map[string]bool{}
		for i, s := range studies {
			factor := map[string]float64{"near": 1, "mid": 1.6, "far": 4.5}[s.State]
			for name, truth := range want {
				if name != "S" {
					truth *= factor
				}
				v := value(s, name)
				found[s.State+" "+name] = v.Lo <= truth && truth <= v.Hi
				if others == nil {
					continue
				}
				again := value(others[i], name).Value
				found[s.State+" "+name+" again"] = v.Lo <= again && again <= v.Hi
			}
			for _, e := range s.Errors {
				found[s.State+" "+e.Model+" "+string(e.Experiment)] = e.Errors.Median < 0.03
			}
		}
		return found
	}) {
		for name, is := range found {
			if is {
				inside[name]++
			}
		}
	}
	for name, n := range inside {
		if again := strings.HasSuffix(name, " again"); !again && n < seeds*95/100 || again && n < againSeeds()*90/100 {
			t.Errorf("%s: inside for %d of %d", name, n, seeds)
		}
	}
	if len(inside) != 3*(6+6+4) {
		t.Errorf("%d of 48 parameters, in this run and again, and models", len(inside))
	}
	t.Log(inside)
}

// againSeeds returns for how many hosts there is another run.
func againSeeds() int { return testsize.Cases(20, 6) }

// Sends that a receiver is late for tell S to the byte, if they wait; where none does there is no S, however round trips jump.
func TestHeldSendsTellRendezvous(t *testing.T) {
	h := quiet()
	for _, eager := range []int64{8192, 1 << 40, 0} {
		t.Run(fmt.Sprint(eager), func(t *testing.T) {
			n := ethernet
			n.Eager = eager
			d := h.Messages(&n, 20, 1)
			for _, size := range []int64{1, 4096, 8192, 8193, 16384} {
				p := packing.Point{Experiment: timing.Held, Bytes: unit.Bytes(size), Blocks: 1, Count: 1, Delay: 200e-6, Set: timing.Train}
				took := n.Send
				if size > n.Eager {
					took += 200e-6
				}
				d.Timings = append(d.Timings, timing.Timing{Point: p, Time: unit.Seconds(took)})
			}
			s := one(t, d)
			v := value(s, "S")
			if eager < 1<<20 && (v.Value != float64(eager) || v.Lo != v.Value || v.Hi != v.Value) || eager > 1<<20 && !math.IsNaN(v.Value) {
				t.Errorf("%d: %+v", eager, v)
			}
		})
	}
}

// Overheads at both ends that overlap: what is left of half a round trip is below zero, and that is said.
func TestNegativeLatencyIsSaid(t *testing.T) {
	shm := synthetic.Network{Send: 60e-9, Receive: 90e-9, Latency: -40e-9, Gap: 65e-9, PerByte: 0.1e-9, Eager: 1 << 40}
	h := quiet()
	s := one(t, h.Messages(&shm, 16, 1))
	if v := value(s, "L"); math.Abs(v.Value/-40e-9-1) > 1e-6 {
		t.Errorf("L is %g", v.Value)
	}
	if !strings.Contains(warnings(s), "L is negative, -4e-08 s: o_s and o_r overlap, or are shorter in a ping-pong; use half a round trip, 1.1e-07 s, instead") {
		t.Errorf("warned %s", warnings(s))
	}
	if v := value(s, "S"); !math.IsNaN(v.Value) {
		t.Errorf("a rendezvous at %g", v.Value)
	}
}

// What is not measured is not made up.
func TestPartsOfMeasurements(t *testing.T) {
	h := quiet()
	all := h.Messages(&ethernet, 20, 1)
	only := func(keep ...packing.Experiment) *timing.Data {
		return &timing.Data{Timings: slices.DeleteFunc(slices.Clone(all.Timings), func(t timing.Timing) bool {
			return t.Set == timing.Test || !slices.Contains(keep, t.Experiment)
		})}
	}
	for _, c := range []struct {
		name    string
		d       *timing.Data
		has     string
		lacks   string
		warning string
	}{
		{"ping-pong", only(timing.PingPong), "half_rtt half_1 perbyte_2 S", "L o_s o_r o g G plogp_L", "g and G are not known"},
		{"ping-pong and bursts", only(timing.PingPong, timing.Burst), "half_rtt g G S plogp_L", "L o_s o_r", "L is not known"},
		{"receives", only(timing.Receive), "o_r", "L o_s half_rtt g", "half_rtt is not known"},
		{"all but receives", only(timing.PingPong, timing.Burst, timing.Delayed), "o_s g G half_rtt", "o_r L o", "o_r is not known"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := one(t, c.d)
			for _, name := range strings.Fields(c.has) {
				if math.IsNaN(value(s, name).Value) {
					t.Errorf("no %s", name)
				}
			}
			for _, name := range strings.Fields(c.lacks) {
				if v := value(s, name); !math.IsNaN(v.Value) {
					t.Errorf("%s is %g", name, v.Value)
				}
			}
			if !strings.Contains(warnings(s), c.warning) {
				t.Errorf("warned %s", warnings(s))
			}
		})
	}
	studies, failed := loggp.Run(only(timing.Burst), 1)
	if len(studies) != 0 || len(failed) != 1 || !strings.Contains(failed[0].Error(), "no ping-pong") {
		t.Errorf("bursts alone: %d studies, %v", len(studies), failed)
	}
	if studies, failed = loggp.Run(&timing.Data{}, 1); len(studies)+len(failed) != 0 {
		t.Errorf("nothing: %d, %v", len(studies), failed)
	}
}

// Delays that are shorter than gaps measure the gap, not o_s.
func TestShortDelaysAreLeftOut(t *testing.T) {
	h := quiet()
	d := h.Messages(&ethernet, 20, 1)
	for i := range d.Timings {
		p := &d.Timings[i].Point
		if p.Experiment == timing.Delayed {
			p.Delay = 1e-6
			d.Timings[i].Time = unit.Seconds(ethernet.Time(p))
		}
	}
	s := one(t, d)
	if v := value(s, "o_s"); !math.IsNaN(v.Value) || !strings.Contains(warnings(s), "delayed bursts whose delay is not longer than a gap are omitted") {
		t.Errorf("o_s is %g; warned %s", v.Value, warnings(s))
	}
}

func TestTooNoisyHasNoParameters(t *testing.T) {
	h := synthetic.Usual()
	h.States, h.Noise.Launch = h.States[:1], 0.3
	studies, failed := loggp.Run(h.Messages(&ethernet, 12, 2), 1)
	var noisy *fit.TooNoisyError
	if len(studies) != 0 || len(failed) != 1 || !errors.As(failed[0], &noisy) || noisy.What != "messages" {
		t.Errorf("%d studies, %v", len(studies), failed)
	}
}

// Exchanges that one-way parameters do not tell are told by duplex, at sizes that it is not from; where it is not measured there is no such model.
func TestDuplexIsMeasuredApart(t *testing.T) {
	h := quiet()
	slow := ethernet
	slow.Both, slow.BothPerByte = 7e-6, 0.5e-9
	without := one(t, h.Messages(&slow, 20, 1))
	if v := value(without, "duplex"); !math.IsNaN(v.Value) || len(without.Errors) != 4 {
		t.Errorf("duplex %g by nothing, and %d models", v.Value, len(without.Errors))
	}
	h.Exchanges = true
	s := one(t, h.Messages(&slow, 20, 1))
	for name, want := range map[string]float64{"duplex_1": 11.7e-6 + 7e-6, "duplexperbyte_1": 1.4e-9, "duplex_2": 36.7e-6 + 7e-6, "duplexperbyte_2": 1.4e-9} {
		t.Run(name, func(t *testing.T) {
			if v := value(s, name); !(math.Abs(v.Value/want-1) < 1e-6) {
				t.Errorf("%s is %g, want %g", name, v.Value, want)
			}
		})
	}
	off := map[string]float64{}
	for _, e := range s.Errors {
		if e.Experiment == timing.Exchange {
			off[e.Model] = e.Errors.Median
		}
	}
	if len(off) != 4 || !(off["LogGP"] > 0.1 && off["PLogP"] > 0.1 && off["LogGP duplex"] < 1e-6 && off["PLogP duplex"] < 0.01) {
		t.Errorf("errors of exchanges: %v", off)
	}
	if row := s.Table[10]; math.Abs(row.Duplex.Value/(11.7e-6+7e-6+1023*1.4e-9)-1) > 1e-9 {
		t.Errorf("1024 bytes: %+v", row)
	}
}

// Times that are all alike, down to those whose squares are beyond the range of numbers, are fitted or refused.
func TestTimesThatAreAllAlike(t *testing.T) {
	for _, seconds := range []float64{1e-300, 1e-200, 1e-15, 1e-6, 1e6, 1e200} {
		t.Run(fmt.Sprint(seconds), func(t *testing.T) {
			for _, e := range []packing.Experiment{timing.PingPong, timing.Gap, timing.Exchange} {
				for _, launches := range []int{1, 3} {
					d := &timing.Data{}
					for launch := range launches {
						for k := range 12 {
							d.Timings = append(d.Timings, timing.Timing{Point: packing.Point{Experiment: e, Bytes: 1 << k, Blocks: 1, Count: 1},
								Launch: launch, Time: unit.Seconds(seconds)})
						}
					}
					studies, failed := loggp.Run(d, 1)
					if len(studies)+len(failed) == 0 {
						t.Errorf("%s of %g s, %d launches: neither a study nor a reason for none", e, seconds, launches)
					}
					for _, s := range studies {
						for _, v := range s.Values {
							if math.IsNaN(v.Value) || math.IsInf(v.Value, 0) {
								t.Errorf("%s of %g s, %d launches: %s is %v", e, seconds, launches, v.Name, v.Value)
							}
						}
					}
				}
			}
		})
	}
}
