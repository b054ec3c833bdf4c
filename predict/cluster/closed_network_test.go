package cluster

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"spoor/analyze/analysis"
	"spoor/analyze/phases"
	"spoor/calibrate/machine"
	"spoor/predict/internal/memsys"
	"spoor/predict/internal/replay"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

var testCosts = costs{instr: 1, touch: 1, memory: 50, occupancy: 50, invalidate: 20}

func runOn(c costs, work program, n int) *network { return c.run(work, n, waits) }

// One processor never waits for others, and has the closed form cpi + tau_1 + tau_2.
func TestOneProcessorIsAClosedForm(t *testing.T) {
	net := runOn(testCosts, program{{{{Instr: 1000, Touches: 300, Misses: 10}, {Instr: 100}}}, {{}}, {{{Instr: 10, Misses: 2}}}}, 1)
	if want := 1110 + 300 + 12*50.0; !near(net.now, want, 1e-12) || net.procs[0].contention != 0 || net.procs[0].sync != 0 {
		t.Errorf("got %v, want %v: %+v", net.now, want, net.procs[0])
	}
	if net.held != 12*50 {
		t.Errorf("the bus is held for %v", net.held)
	}
}

// A phase without traffic lasts as long as its slowest processor; the others wait.
func TestPhasesWaitForTheSlowest(t *testing.T) {
	net := runOn(testCosts, program{
		{{{Instr: 10}, {Instr: 10}, {}}, {{}, {Instr: 5}, {}}, nil},
		{{{Instr: 1}}, {{Instr: 4}}, {{Instr: 2}}},
	}, 3)
	if net.now != 24 {
		t.Errorf("got %v, want 20 + 4", net.now)
	}
	for p, want := range []float64{3, 15, 22} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			if !near(net.procs[p].sync, want, 1e-12) {
				t.Errorf("processor %d waits %v, want %v", p, net.procs[p].sync, want)
			}
		})
	}
}

// A processor that has arrived at the barrier is nobody's competitor.
func TestAProcessorAtTheBarrierLeavesTheBus(t *testing.T) {
	long := windowWork{Instr: 100_000, Misses: 1000}
	alone := runOn(testCosts, program{{{long}}}, 1)
	beside := runOn(testCosts, program{{{long}, {{Instr: 1000, Misses: 10}}}}, 2)
	if extra := beside.now - alone.now; extra <= 0 || extra > 0.02*alone.now {
		t.Errorf("a neighbour for 1 %% of the time costs %v of %v", extra, alone.now)
	}
}

// Bursts at the same time cost more than the same misses spread out, and bursts that
// never meet cost nothing.
func TestBurstsThatMeetWait(t *testing.T) {
	quiet, burst, even := windowWork{Instr: 1000}, windowWork{Instr: 1000, Misses: 50}, windowWork{Instr: 1000, Misses: 25}
	wait := func(a, b []windowWork) float64 {
		net := runOn(testCosts, program{{a, b}}, 2)
		return net.procs[0].contention + net.procs[1].contention
	}
	meet := wait([]windowWork{quiet, burst}, []windowWork{quiet, burst})
	spread := wait([]windowWork{even, even}, []windowWork{even, even})
	apart := wait([]windowWork{burst, {Instr: 4000}}, []windowWork{{Instr: 4000}, burst})
	if !(meet > spread && spread > 0 && apart == 0) {
		t.Errorf("meet %v, spread %v, apart %v", meet, spread, apart)
	}
}

func randomProgram(r *rand.Rand, n int) program {
	work := make(program, 1+r.IntN(4))
	for i := range work {
		work[i] = make([][]windowWork, n)
		windows := r.IntN(5)
		for p := range n {
			for range windows {
				misses := float64(r.IntN(50))
				work[i][p] = append(work[i][p], windowWork{Instr: float64(r.IntN(5000)), Touches: float64(r.IntN(500)), Misses: misses,
					Upgrades: float64(r.IntN(20)), Writebacks: math.Floor(misses * r.Float64())})
			}
		}
	}
	return work
}

// All processors end at the same time, the parts are not negative and add up, nothing is lost, and the
// bus is not held longer than time goes.
func TestNetworkLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 300 {
		n := 1 + r.IntN(6)
		work := randomProgram(r, n)
		net := runOn(testCosts, work, n)
		held, instr := 0.0, 0.0
		for _, phase := range work {
			for _, windows := range phase {
				for _, w := range windows {
					instr += w.Instr + w.Touches
					held += 50*(w.Misses+w.Writebacks) + 20*w.Upgrades
				}
			}
		}
		ideal := 0.0
		for p, x := range net.procs {
			ideal += x.ideal
			if !near(x.total(), net.now, 1e-9) || x.latency < 0 || x.contention < 0 || x.sync < -1e-9*net.now {
				t.Fatalf("processor %d: %+v, time %v", p, x, net.now)
			}
		}
		// The last write-backs may go on after everybody has finished.
		if math.Abs(ideal-instr) > 1e-6*instr || math.Abs(net.held-held) > 1e-6*held || net.held > net.now*(1+1e-9)+100*float64(n*len(work)*5) {
			t.Fatalf("ideal %v of %v, held %v of %v in %v", ideal, instr, net.held, held, net.now)
		}
	}
}

// More memory latency is never faster, in whatever program.
func TestMoreLatencyIsNeverFaster(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 100 {
		n := 1 + r.IntN(4)
		work := randomProgram(r, n)
		before := 0.0
		for _, latency := range []float64{1, 10, 50, 51, 100, 400} {
			c := testCosts
			c.memory, c.occupancy = latency, latency
			now := runOn(c, work, n).now
			if now < before*(1-1e-9) {
				t.Fatalf("n=%d, latency %v: %v after %v", n, latency, now, before)
			}
			before = now
		}
	}
}

// pattern is a program for every processor between barriers: what it does at step i.
type pattern func(r *rand.Rand, p trace.Proc, phase, i int) (gap int, addr uint64, store bool)

// record makes a trace of what patterns say, one phase each.
func record(procs, steps int, patterns ...pattern) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Program: "pattern", Format: "test", Procs: procs, WorkUnit: trace.WorkInstr}}
	for p := range trace.Proc(procs) {
		r := rand.New(rand.NewPCG(uint64(p), 1))
		refs, events := trace.Refs{Proc: p}, trace.Events{Proc: p}
		since := uint32(0)
		for phase, does := range patterns {
			for i := range steps {
				gap, addr, store := does(r, p, phase, i)
				op := trace.Load
				if store {
					op = trace.Store
				}
				refs.Append(uint32(gap), addr, 8, op)
				since += uint32(gap)
			}
			e := trace.NewEvent(trace.Barrier)
			e.Instr, e.Refs, e.Peer = since, uint64(len(refs.Addr)), 0
			events.Rows = append(events.Rows, e)
			since = 0
		}
		m.RefsOf, m.EventsOf = append(m.RefsOf, refs), append(m.EventsOf, events)
	}
	return m
}

func own(p trace.Proc) uint64 { return uint64(p+1) << 24 }

// stream walks through data of the processor's own, every line new.
func stream(gap int, stores bool) pattern {
	return func(_ *rand.Rand, p trace.Proc, phase, i int) (int, uint64, bool) {
		return gap, own(p) + uint64(phase)<<20 + uint64(8*i), stores
	}
}

// scatter touches a range of own data at random.
func scatter(gap, lines int, storing float64) pattern {
	return func(r *rand.Rand, p trace.Proc, _, _ int) (int, uint64, bool) {
		return 1 + r.IntN(2*gap), own(p) + 64*uint64(r.IntN(lines)), r.Float64() < storing
	}
}

// contended touches data that all processors read and write.
func contended(gap, lines int, storing float64) pattern {
	return func(r *rand.Rand, _ trace.Proc, _, _ int) (int, uint64, bool) {
		return 1 + r.IntN(2*gap), 64 * uint64(r.IntN(lines)), r.Float64() < storing
	}
}

// unequal makes processor p do what q does, p+1 times as slowly.
func unequal(q pattern) pattern {
	return func(r *rand.Rand, p trace.Proc, phase, i int) (int, uint64, bool) {
		gap, addr, store := q(r, p, phase, i)
		return gap * int(p+1), addr, store
	}
}

// The whole way from a trace to E(Instr), against the simulator of the same machine. What
// the trace decides (misses, upgrades, write-backs, imbalance) is counted in both, so the difference is
// that of the waits. Tolerances are what the queueing approximation costs on the pattern.
func TestMVAAgainstTheSimulator(t *testing.T) {
	for _, tc := range []struct {
		name      string
		tolerance float64
		patterns  []pattern
	}{
		{"scatter", 0.02, []pattern{scatter(20, 4096, 0)}},
		{"scatter with stores", 0.02, []pattern{scatter(20, 4096, 0.5)}},
		{"scatter, saturated", 0.02, []pattern{scatter(3, 1<<16, 0.3)}},
		{"shared", 0.03, []pattern{contended(20, 200, 0.2)}},
		{"bursts", 0.03, []pattern{scatter(40, 100, 0), scatter(4, 1<<14, 0), scatter(40, 100, 0)}},
		{"unequal", 0.03, []pattern{unequal(scatter(20, 4096, 0.3))}},
		// Streams of equal pace, once spread out, never meet: the least waiting there can be, the
		// lower end of the interval.
		{"stream", 0.09, []pattern{stream(10, false), stream(10, false)}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, n := range []int{2, 1, 4}[:testsize.Cases(3, 1)] {
				t.Run(fmt.Sprint(n), func(t *testing.T) {
					m := smpMachine(t, `"256 KiB"`, `"64 KiB"`)
					src := record(n, 40_000, tc.patterns...)
					want := simulated(t, src, m)
					got, err := MVA{}.Predict(&Case{Runs: []*Run{measured(t, src, m)}, Machine: m, Processors: n})
					if err != nil {
						t.Fatal(err)
					}
					off := float64(got.EInstr)/float64(want) - 1
					t.Logf("%d processors: %.4g ns, simulated %.4g ns: %+.2f %%, interval %.4g to %.4g, utilization %.2f",
						n, got.EInstr*1e9, want*1e9, 100*off, got.Interval.Lo*1e9, got.Interval.Hi*1e9, got.Utilization)
					if slack := want / 200; n > 1 && (want < got.Interval.Lo-slack || want > got.Interval.Hi+slack) {
						t.Errorf("%d processors: %v is not in the interval %+v", n, want, got.Interval)
					}
					if math.Abs(off) > tc.tolerance {
						t.Errorf("%d processors: %+.2f %% off", n, 100*off)
					}
				})
			}
		})
	}
}

func simulated(t testing.TB, src trace.Source, m *machine.Machine) unit.Seconds {
	t.Helper()
	sys, err := memsys.New(m, src.Header())
	if err != nil {
		t.Fatal(err)
	}
	clock, err := replay.ClockOf(m)
	if err != nil {
		t.Fatal(err)
	}
	result, err := replay.Run(context.Background(), src, sys, clock, replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return result.EInstr()
}

func measured(t testing.TB, src trace.Source, m *machine.Machine) *Run {
	t.Helper()
	level := last(m)
	a := &phases.Analysis{Lines: []unit.Bytes{level.Line}, Sets: []int64{int64(level.Sets())}}
	results, err := analysis.Run(context.Background(), src, analysis.Options{}, a)
	if err != nil {
		t.Fatal(err)
	}
	return &Run{Name: "run", Program: "pattern", Processors: src.Header().Procs, Params: paramsOf(t, nil), phasesTable: results[0].Tables[0]}
}

// Counts and times at the ends of what files may say still end, with finite times.
func TestExtremesEnd(t *testing.T) {
	counts := []float64{0, 1, 1e6, 1 << 63}
	times := []float64{0, 1e-12, 1e-7, 10}
	r := rand.New(rand.NewPCG(13, 14))
	pick := func(from []float64) float64 { return from[r.IntN(len(from))] }
	for i := range testsize.Cases(5000, 1000) {
		c := costs{instr: pick(times[1:]), touch: pick(times), memory: pick(times[1:]), occupancy: pick(times), invalidate: pick(times)}
		phase := make([][]windowWork, 1+r.IntN(12))
		if n := len(phase); n%2 == 0 && i%4 == 0 {
			c.interconnect = interconnect{nodes: n / 2, switched: r.IntN(2) == 0, block: messageTime{pick(times), pick(times)}, right: messageTime{pick(times), pick(times)}}
		}
		for p := range phase {
			for range r.IntN(3) {
				w := windowWork{Instr: pick(counts), Touches: pick(counts), Misses: pick(counts), Upgrades: pick(counts), Writebacks: pick(counts)}
				w.Remote = remoteRequests{Blocks: pick(counts), Upgrades: pick(counts), Rights: pick(counts), Ports: make([]float64, 2*c.interconnect.nodes)}
				if n := c.interconnect.nodes; n > 0 { // each message leaves by one port and comes by another
					w.Remote.Ports[2*r.IntN(n)] += w.Remote.Blocks / 2
					w.Remote.Ports[2*r.IntN(n)] += w.Remote.Blocks / 2
					w.Remote.Ports[2*r.IntN(n)+1] += w.Remote.Blocks
				}
				phase[p] = append(phase[p], w)
			}
		}
		for _, wait := range []func([]customer) []float64{waits, evenWaits, exponentialWaits} {
			if net := c.run(program{phase}, len(phase), wait); math.IsNaN(net.now) || math.IsInf(net.now, 0) {
				t.Fatalf("%v for %+v on %+v", net.now, phase, c)
			}
		}
	}
}
