package network

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spoor/calibrate/machine"
	"spoor/traces/unit"
)

// smpiMachine returns a machine with a network section.
func smpiMachine(t *testing.T, nodes int, text string) *machine.Machine {
	t.Helper()
	m, err := machine.ParsePart("m.toml", fmt.Appendf(nil, "%s\n[system]\ntarget = \"cow\"\nprocessors = 1\nnodes = %d\n", text, nodes))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const smpiSwitch = "[network]\nmodel = \"switch\"\nsharing = \"max-min\"\nlatency = \"10 us\"\nbandwidth = \"1 GB/s\"\n"

// ends returns when messages end that are sent at times.
func ends(s SharedLinks, at []unit.Picos, all []Message) []unit.Picos {
	end := make([]unit.Picos, len(all))
	for i, m := range all {
		s.Send(at[i], m, Order{Major: int32(m.From), Minor: uint32(i), Tag: int32(i)})
	}
	for s.Next() != Never {
		for _, c := range s.Step() {
			end[c.Tag] = c.Arrive
		}
	}
	return end
}

// The times follow from the formulas of SMPI: a latency times its factor, and bytes with their envelope at a share times
// its factor.
func TestSMPIByHand(t *testing.T) {
	factor := func(bytes float64) (bandwidth, latency float64) {
		return AtSize(smpiBandwidths, bytes, machine.SizePiece{Value: 1}), AtSize(smpiLatencies, bytes, machine.SizePiece{Value: 1})
	}
	alone := func(bytes, rate, latency float64) float64 {
		b, l := factor(bytes + 16)
		return l*latency + (bytes+16)/(b*rate)
	}
	for _, row := range []struct {
		what, more string
		all        []Message
		want       []float64 // seconds
	}{
		{"one", "", []Message{{0, 1, 1000}}, []float64{alone(1000, 1e9, 10e-6)}},
		{"at a limit of factors", "", []Message{{0, 1, 65456}}, []float64{alone(65456, 1e9, 10e-6)}},
		{"both ways", "", []Message{{0, 1, 1e6}, {1, 0, 1e6}}, []float64{alone(1e6, 1e9/1.05, 10e-6), alone(1e6, 1e9/1.05, 10e-6)}},
		{"two from one node", "", []Message{{0, 1, 1e6}, {0, 2, 1e6}}, []float64{alone(1e6, 1e9/2, 10e-6), alone(1e6, 1e9/2, 10e-6)}},
		{"backbone", "[network.simgrid]\nbackbone = \"1.5 GB/s\"", []Message{{0, 1, 1e6}, {2, 3, 1e6}}, []float64{alone(1e6, 1.5e9/2.1, 10e-6), alone(1e6, 1.5e9/2.1, 10e-6)}},
		{"window", "[network.simgrid]\nlatency = \"10 ms\"", []Message{{0, 1, 1e6}}, []float64{alone(1e6, 4194304/20e-3, 10e-3)}},
		{"within a node", "", []Message{{1, 1, 1e6}}, []float64{alone(1e6, 10e9, 0)}},
		{"loopback", "[network.local]\nL = \"1 us\"\nG = \"0.5 ns/B\"", []Message{{1, 1, 1e6}, {1, 1, 1e6}}, []float64{alone(1e6, 2e9, 1e-6), alone(1e6, 2e9, 1e-6)}},
		{"own factors", "[network.simgrid]\nbw_factor = \"500:0.5\"\nlat_factor = \"500:2\"", []Message{{0, 1, 400}, {2, 3, 500}}, []float64{10e-6 + 416/1e9, 20e-6 + 516/0.5e9}},
	} {
		t.Run(row.what, func(t *testing.T) {
			s, err := NewSMPI(smpiMachine(t, 4, smpiSwitch+row.more), 4)
			if err != nil {
				t.Fatal(err)
			}
			for i, end := range ends(s, make([]unit.Picos, len(row.all)), row.all) {
				if want := row.want[i] * 1e12; math.Abs(float64(end)-want) > 3 {
					t.Errorf("message %d ends at %v, want %v", i, end, unit.Picos(want))
				}
			}
		})
	}
}

// plainShares solves all messages at once, link by link.
func plainShares(s *SMPI) map[int32]float64 {
	share, links := map[int32]float64{}, map[*smpiLink]bool{}
	var begun []int32
	for id := range s.flows {
		if n := &s.flows[id]; n.begun && !slices.Contains(s.free, int32(id)) {
			begun = append(begun, int32(id))
			for _, h := range n.hops {
				links[h.smpiLink] = true
			}
		}
	}
	for level := 0.0; len(share) < len(begun); {
		least := math.Inf(1)
		for l := range links { // the level at which the link is full, or a message without a share on it reaches its bound
			spare, usage := l.capacity, 0.0
			for _, p := range l.on {
				n := &s.flows[p.flow]
				if got, known := share[p.flow]; known {
					spare -= got * n.hops[p.hop].use
				} else {
					usage += n.hops[p.hop].use / n.penalty
					least = min(least, n.bound*n.penalty)
				}
			}
			if usage > 0 {
				least = min(least, spare/usage)
			}
		}
		level = max(level, least)
		full := map[*smpiLink]bool{}
		for l := range links {
			used := 0.0
			for _, p := range l.on {
				n := &s.flows[p.flow]
				got, known := share[p.flow]
				if !known {
					got = level / n.penalty
				}
				used += got * n.hops[p.hop].use
			}
			full[l] = used >= l.capacity*(1-1e-12)
		}
		for _, id := range begun {
			n := &s.flows[id]
			if _, known := share[id]; known {
				continue
			}
			if n.bound*n.penalty <= level*(1+1e-12) || slices.ContainsFunc(n.hops, func(h smpiHop) bool { return full[h.smpiLink] }) {
				share[id] = level / n.penalty
			}
		}
	}
	return share
}

// After each event of random traffic, all shares are those of all messages solved together.
func TestSMPISharesArePlain(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 7))
		text := []string{smpiSwitch + "[network.simgrid]\nbackbone = \"2 GB/s\"",
			"[network]\nmodel = \"torus\"\ndims = [2, 2, 3]\nsharing = \"max-min\"\nlatency = \"3 us\"\nswitch = \"2 us\"\nbandwidth = \"1 GB/s\"\n",
			"[network]\nmodel = \"fattree\"\ndown = [3, 4]\nup = [1, 2]\nparallel = [1, 2]\nsharing = \"max-min\"\nlatency = \"900 us\"\nswitch = \"500 us\"\nbandwidth = \"1 GB/s\"\n"}[seed%3]
		s, err := NewSMPI(smpiMachine(t, 12, text), 12)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 40 {
			from := r.IntN(12)
			s.Send(unit.Picos(r.IntN(1e9)), Message{from, (from + 1 + r.IntN(11)) % 12, unit.Bytes(r.IntN(1 << r.IntN(22)))}, Order{Major: int32(from), Minor: uint32(i), Tag: int32(i)})
		}
		for s.Next() != Never {
			s.Step()
			for id, want := range plainShares(s) {
				if got := s.flows[id].rate / s.flows[id].factor; math.Abs(got-want) > 1e-8*want {
					t.Fatalf("seed %d at %v: message %d has the share %v, want %v", seed, s.now, id, got, want)
				}
			}
		}
	}
}

func TestSMPIRefuses(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{strings.Replace(smpiSwitch, "max-min", "exclusive", 1), `share links by "max-min"`},
		{smpiSwitch + "rails = 2", "one route"},
		{smpiSwitch + "[[network.level]]\nname = \"socket\"\nprocessors = 2\nL = \"1 us\"", "[[network.level]] is not in SMPI"},
		{"[network]\nmodel = \"loggp\"\nL = \"1 us\"\no = \"1 us\"\ng = \"1 us\"\nG = \"1 ns/B\"", "no links to share"},
		{strings.Replace(smpiSwitch, "bandwidth = \"1 GB/s\"\n", "", 1), "bandwidth"},
	} {
		if _, err := NewSMPI(smpiMachine(t, 4, row.text), 4); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v", row.text, err)
		}
	}
}
