package quanta

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"spoor/analyze/analysis"
	"spoor/traces/store"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// stretch is a time in which a processor executes.
type stretch struct{ from, to uint64 }

// naive is the definition: every stretch of execution of every processor, cut at every
// multiple of the length.
type naive struct {
	length uint64
	end    uint64
	busy   [][]stretch         // by processor
	events []map[uint64]bool   // by processor: quanta with events
	counts []map[uint64]counts // by processor, by quantum
	quanta uint64
	caches []map[uint64][]uint64 // by processor, by set
}

type counts [numEvents]uint64

func newNaive(t testing.TB, src trace.Source, length unit.Instructions, c Cache) *naive {
	t.Helper()
	procs := src.Header().Procs
	n := &naive{length: uint64(length), busy: make([][]stretch, procs), events: make([]map[uint64]bool, procs), counts: make([]map[uint64]counts, procs)}
	for p := range procs {
		n.events[p], n.counts[p] = map[uint64]bool{}, map[uint64]counts{}
	}
	clock := make([]uint64, procs)
	item := func(p trace.Proc, instr uint64, h countedEvent, now uint64) {
		n.busy[p] = append(n.busy[p], stretch{clock[p], clock[p] + instr})
		clock[p] = now
		c := n.counts[p][n.of(now)]
		c[h]++
		n.counts[p][n.of(now)] = c
		n.end = max(n.end, now)
	}
	for p, err := range analysis.Interleave(src) {
		if err != nil {
			t.Fatal(err)
		}
		if e := p.Event; e != nil {
			n.events[p.Proc][n.of(uint64(p.Time))] = true
			item(p.Proc, uint64(p.Instr), traceEvent(e.Kind), uint64(p.Time))
		}
		for i, instr := range p.Refs.Instr {
			q := p.RefProcs[i]
			item(q, uint64(instr), refEvent(p.Refs.Op[i]), clock[q]+uint64(instr))
			if c.Line > 0 {
				n.op(c, q, p.Refs.Op[i], p.Refs.Addr[i], clock[q])
			}
		}
	}
	n.quanta = (n.end + n.length - 1) / n.length
	return n
}

// op is a reference to the byte at addr.
func (n *naive) op(c Cache, p trace.Proc, op trace.Op, addr, now uint64) {
	switch {
	case op == trace.Flush:
		line := addr / uint64(c.Line)
		for _, sets := range n.caches {
			if set := sets[line%uint64(c.Sets)]; slices.Contains(set, line) {
				at := slices.Index(set, line)
				sets[line%uint64(c.Sets)] = slices.Delete(set, at, at+1)
			}
		}
	case op == trace.Prefetch:
		before := maps.Clone(n.counts[p])
		n.use(c, p, addr, now)
		n.counts[p] = before
	case op.Data():
		n.use(c, p, addr, now)
	}
}

// use is one of the byte at addr, which lies in one line; the cache is a list of lines by set, most recent first.
func (n *naive) use(c Cache, p trace.Proc, addr, now uint64) {
	if n.caches == nil {
		n.caches = make([]map[uint64][]uint64, len(n.busy))
	}
	if n.caches[p] == nil {
		n.caches[p] = map[uint64][]uint64{}
	}
	line := addr / uint64(c.Line)
	set := n.caches[p][line%uint64(c.Sets)]
	at := slices.Index(set, line)
	if at < 0 {
		counts := n.counts[p][n.of(now)]
		counts[missEvent]++
		n.counts[p][n.of(now)] = counts
	} else {
		set = slices.Delete(set, at, at+1)
	}
	set = slices.Insert(set, 0, line)
	n.caches[p][line%uint64(c.Sets)] = set[:min(len(set), int(c.Ways))]
}

// of is the quantum in which an instant lies.
func (n *naive) of(time uint64) uint64 {
	if time == 0 {
		return 0
	}
	return (time - 1) / n.length
}

// time is how long p executes in a quantum.
func (n *naive) time(p int, q uint64) (sum uint64) {
	for _, s := range n.busy[p] {
		from, to := max(s.from, q*n.length), min(s.to, (q+1)*n.length)
		if from < to {
			sum += to - from
		}
	}
	return sum
}

// randomTrace has barriers and locks, long bursts of computation, and processors that do nothing.
func randomTrace(r *rand.Rand, procs, phases, length int) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Procs: procs, WorkUnit: trace.WorkInstr}, RefsOf: make([]trace.Refs, procs), EventsOf: make([]trace.Events, procs)}
	event := func(p int, k trace.Kind, object int32, work int64) {
		e := trace.NewEvent(k)
		e.Peer, e.Refs, e.Work = object, uint64(m.RefsOf[p].Len()), work
		m.EventsOf[p].Rows = append(m.EventsOf[p].Rows, e)
	}
	for p := range procs {
		m.RefsOf[p].Proc, m.EventsOf[p].Proc = trace.Proc(p), trace.Proc(p)
		for range phases {
			for range r.IntN(length + 1) {
				switch r.IntN(12) {
				case 0:
					event(p, trace.Lock, 7, 0)
					event(p, trace.Compute, trace.None, r.Int64N(50))
					event(p, trace.Unlock, 7, 0)
				case 1:
					event(p, trace.Compute, trace.None, r.Int64N(400))
				case 2:
					event(p, trace.Marker, trace.None, 0)
				default:
					m.RefsOf[p].Append(uint32(r.IntN(5)), r.Uint64N(100), 1, trace.Ops[r.IntN(len(trace.Ops))])
				}
			}
			event(p, trace.Barrier, 0, 0)
		}
	}
	return m
}

func run(t testing.TB, src trace.Source, a *Analysis) (analysis.Result, error) {
	t.Helper()
	results, err := analysis.Run(context.Background(), src, analysis.Options{}, a)
	if err != nil {
		return analysis.Result{}, err
	}
	return results[0], nil
}

// param is a parameter of the summary.
func param(t testing.TB, r analysis.Result, name string) float64 {
	t.Helper()
	names, err1 := store.Data[string](r.Summary, "name")
	values, err2 := store.Data[float64](r.Summary, "value")
	i := slices.Index(names, name)
	if err1 != nil || err2 != nil || i < 0 {
		t.Fatal(name, err1, err2, names)
	}
	return values[i]
}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-12*max(1, math.Abs(want)) }

// checkSums holds the parameters to plain sums over the definition.
func checkSums(t testing.TB, r analysis.Result, n *naive) {
	t.Helper()
	var sum, squares, within, longest, active, running, withinActive, withinRunning float64
	var means []float64
	procs, quanta := float64(len(n.busy)), float64(n.quanta)
	for q := range n.quanta {
		var all, top, allActive, allRunning float64
		for p := range n.busy {
			x := float64(n.time(p, q))
			all += x
			top = max(top, x)
			squares += x * x
			if x > 0 {
				allRunning++
			}
			if x > 0 || n.events[p][q] {
				allActive++
			}
		}
		running += allRunning
		active += allActive
		withinRunning += allRunning * (1 - allRunning/procs) // (1-m)^2 for each that does, m^2 for the others
		withinActive += allActive * (1 - allActive/procs)
		for p := range n.busy {
			within += math.Pow(float64(n.time(p, q))-all/procs, 2)
		}
		means = append(means, all/procs)
		sum += all
		longest += top
	}
	mu := sum / quanta / procs
	want := map[string]float64{"mu": mu, "slowest": longest / quanta, "n_cxsw": active / quanta, "n_fp": running / quanta, "quanta": quanta, "targets": procs}
	if procs > 1 {
		want["sigma_intra"] = math.Sqrt(within / quanta / (procs - 1))
		want["sigma_cxsw"] = math.Sqrt(withinActive / quanta / (procs - 1))
		want["sigma_fp"] = math.Sqrt(withinRunning / quanta / (procs - 1))
		want["sigma"] = math.Sqrt(max(0, squares-sum*mu) / (quanta*procs - 1))
	}
	if quanta > 1 {
		want["sigma_inter"] = stat.StdDev(means, nil)
	}
	for name, v := range want {
		tolerance := 1e-12
		if strings.HasPrefix(name, "sigma") {
			tolerance = 1e-6 // the plain sums cancel
		}
		if got := param(t, r, name); math.Abs(got-v) > tolerance*max(1, v) {
			t.Errorf("%s: got %v, want %v", name, got, v)
		}
	}
}

// checkSamples holds each row to the definition and is the quanta that are kept.
func checkSamples(t testing.TB, table *store.Table, n *naive) (kept []uint64) {
	t.Helper()
	number, _ := store.Data[uint64](table, "quantum")
	proc, _ := store.Data[int32](table, "proc")
	time, _ := store.Data[float64](table, "time")
	active, _ := store.Data[int32](table, "active")
	for i, q := range number {
		p := int(proc[i])
		x := n.time(p, q)
		wantActive := int32(0)
		if x > 0 || n.events[p][q] {
			wantActive = 1
		}
		if p != i%len(n.busy) || time[i] != float64(x) || active[i] != wantActive {
			t.Errorf("row %d: processor %d in quantum %d: time %v, active %d; want %d, %d", i, p, q, time[i], active[i], x, wantActive)
		}
		for k := range countedEvent(numEvents) {
			want := n.counts[p][q][k]
			if c, err := store.Data[uint64](table, k.String()); err == nil && c[i] != want || err != nil && want > 0 {
				t.Errorf("row %d: processor %d in quantum %d: %d %s", i, p, q, want, k)
			}
		}
		if p == 0 {
			kept = append(kept, q)
		}
	}
	return kept
}

func check(t testing.TB, m *trace.Memory, a *Analysis) {
	t.Helper()
	n := newNaive(t, m, a.Length, a.Cache)
	r, err := run(t, m, a)
	if n.quanta == 0 {
		if err == nil {
			t.Error("no error about a trace without time")
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	checkSums(t, r, n)
	kept := checkSamples(t, r.Full, n)
	if want := min(n.quanta, minQuanta/2); uint64(len(kept)) < want || !slices.IsSorted(kept) || len(kept) > 0 && kept[len(kept)-1] >= n.quanta {
		t.Errorf("kept %v of %d quanta", kept, n.quanta)
	}
}

var caches = []Cache{{}, {8, 2, 3}, {16, 1, 40}}

func TestQuantaAreNaive(t *testing.T) {
	for seed := range testsize.Cases[uint64](200, 40) {
		r := rand.New(rand.NewPCG(seed, 3))
		m := randomTrace(r, 1+r.IntN(5), 1+r.IntN(4), 60)
		check(t, m.InBatches(1+r.IntN(40)), &Analysis{Length: unit.Instructions(1 + r.IntN(150)), Seed: seed, samples: 1 + r.IntN(300), Cache: caches[seed%3]})
		if t.Failed() {
			t.Fatal("seed", seed)
		}
	}
}

func FuzzQuantaAreNaive(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint8(2), uint8(40), uint16(17))
	f.Add(uint64(2), uint8(0), uint8(0), uint8(0), uint16(0))
	f.Fuzz(func(t *testing.T, seed uint64, procs, phases, length uint8, quantum uint16) {
		r := rand.New(rand.NewPCG(seed, 4))
		m := randomTrace(r, 1+int(procs%6), int(phases%4), int(length%60))
		check(t, m, &Analysis{Length: 1 + unit.Instructions(quantum%500), Seed: seed, samples: 1 + int(seed%100), Cache: caches[seed%3]})
	})
}

// Two processors and two quanta of 10: {10, 4} and {10, 0}, the second waits at a barrier.
//
//	mu = 6, SSE = 2*3^2 + 2*5^2 = 68, sigma_intra = sqrt(68 / (2*1)), SST = 16+4+16+36 = 72
func byHand() *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Procs: 2, WorkUnit: trace.WorkInstr}, EventsOf: make([]trace.Events, 2)}
	for p, instr := range []uint32{20, 4} {
		e := trace.NewEvent(trace.Barrier)
		e.Instr = instr
		m.EventsOf[p] = trace.Events{Proc: trace.Proc(p), Rows: []trace.Event{e}}
	}
	return m
}

func TestByHand(t *testing.T) {
	r, err := run(t, byHand(), &Analysis{Length: 10, CPI: 1.5})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{
		"mu": 6 * 1.5, "sigma_intra": math.Sqrt(34) * 1.5, "sigma": math.Sqrt(72./3) * 1.5, "sigma_inter": math.Sqrt(2) * 1.5, "intra_share": 68. / 72, "slowest": 15,
		"n_cxsw": 2,                                     // the barrier is left in the second quantum
		"n_fp":   1.5, "sigma_cxsw": 0, "sigma_fp": 0.5, // of {1, 1} and {1, 0}
		"quanta": 2, "targets": 2, "quantum": 15, "cpi": 1.5, "per_quantum_barrier": 0.5,
	} {
		t.Run(name, func(t *testing.T) {
			if got := param(t, r, name); !near(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// The statistics that are drawn are those parameters, of the same two quanta as they are.
func TestStatisticsByHand(t *testing.T) {
	s := newSamples(2, 100, 1)
	for q, busy := range [][2]uint64{{10, 4}, {10, 0}} {
		s.add(uint64(q), []processorState{{busy: busy[0]}, {busy: busy[1], event: true}}, func(p *processorState) uint64 { return p.busy })
	}
	k := &s.bootstrap(1).sample
	for name, got := range map[string][2]float64{
		"mean": {mean(k), 6}, "intra": {intra(k), math.Sqrt(34)}, "total": {total(k), math.Sqrt(72. / 3)}, "inter": {inter(k), math.Sqrt(2)},
		"slowest": {slowest(k), 10}, "active": {active(k), 2}, "running": {running(k), 1.5}, "intraActive": {intraActive(k), 0}, "intraRunning": {intraRunning(k), 0.5},
	} {
		t.Run(name, func(t *testing.T) {
			if !near(got[0], got[1]) {
				t.Errorf("got %v, want %v", got[0], got[1])
			}
		})
	}
}

// A burst of 2^40 instructions is as quick as any other.
func TestLongBurst(t *testing.T) {
	m := byHand()
	e := trace.NewEvent(trace.Compute)
	e.Work = 1 << 40
	m.EventsOf[0].Rows = append(m.EventsOf[0].Rows, e)
	r, err := run(t, m, &Analysis{Length: 10})
	if err != nil {
		t.Fatal(err)
	}
	quanta := math.Ceil((20 + math.Exp2(40)) / 10)
	if got := param(t, r, "quanta"); got != quanta {
		t.Errorf("%v quanta, want %v", got, quanta)
	}
	if got, want := param(t, r, "sigma_intra"), math.Sqrt((34*2+(quanta-3)*50+18)/quanta); !near(got, want) { // the last quantum is of 6
		t.Errorf("sigma_intra %v, want %v", got, want)
	}
	if rows := r.Full.Rows(); rows < maxSamples || rows > 2*maxSamples {
		t.Errorf("%d rows", rows)
	}
}

// Values lie in their intervals, which are of some width and of some use.
func TestIntervalsHoldTheValue(t *testing.T) {
	r, err := run(t, randomTrace(rand.New(rand.NewPCG(9, 9)), 16, 30, 100), &Analysis{Length: 64, samples: 1 << 12})
	if err != nil {
		t.Fatal(err)
	}
	value, _ := store.Data[float64](r.Summary, "value")
	lo, _ := store.Data[float64](r.Summary, "lo")
	hi, _ := store.Data[float64](r.Summary, "hi")
	names, _ := store.Data[string](r.Summary, "name")
	for i, name := range names {
		if !(0 <= lo[i] && lo[i] <= value[i] && value[i] <= hi[i]) {
			t.Errorf("%s: %v in [%v, %v]", name, value[i], lo[i], hi[i])
		}
		if (name == "mu" || name == "sigma_intra") && !(lo[i] < value[i] && value[i] < hi[i] && hi[i]-lo[i] < value[i]) {
			t.Errorf("%s: an interval [%v, %v] of no use", name, lo[i], hi[i])
		}
	}
}

// The bootstrap finds the standard error of a mean of independent quanta: with n of them, of one processor, the
// interval is as wide as 2*1.96 sigma/sqrt(n) says.
func TestBootstrapWidth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	s := newSamples(1, 1<<12, 5)
	procs := make([]processorState, 1)
	const n = 4096
	for q := range uint64(n) {
		s.add(q, procs, func(*processorState) uint64 { return 100 + r.Uint64N(101) })
	}
	b := s.bootstrap(3)
	value := mean(&b.sample)
	lo, hi := b.interval(value, mean)
	want := 2 * 1.96 * math.Sqrt((101*101-1)/12.) / math.Sqrt(n)
	if got := hi - lo; math.Abs(got/want-1) > 0.2 { // blocks of 64 leave 64 to draw, 400 draws estimate a width to some 5 %
		t.Errorf("an interval of %v, want %v", got, want)
	}
	if v := intra(&replicate{quantumSums: quantumSums{squares: 2 * (9 + 9)}, n: 2, procs: 2, resampled: true}); !near(v, math.Sqrt(2*18)) {
		t.Errorf("sigma_intra of a draw: %v", v)
	}
}

func TestBadTraces(t *testing.T) {
	for name, m := range map[string]*trace.Memory{
		"no rows":         {Head: trace.Header{Procs: 3}},
		"no instructions": {Head: trace.Header{Procs: 1}, RefsOf: []trace.Refs{{Instr: []uint32{0}, Addr: []uint64{math.MaxUint64}, Size: []uint16{1}, Op: []trace.Op{trace.Load}}}},
	} {
		if _, err := run(t, m, &Analysis{Length: 100}); err == nil || !strings.Contains(err.Error(), "no instructions") {
			t.Errorf("%s: %v", name, err)
		}
	}
	one := &trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: []trace.Refs{{Instr: []uint32{1}, Addr: []uint64{math.MaxUint64}, Size: []uint16{1}, Op: []trace.Op{trace.Load}}}}
	r, err := run(t, one, &Analysis{Length: 100})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := r.Files[0].Fill(&file); err != nil || strings.Contains(file.String(), "NaN") || strings.Contains(file.String(), "Inf") || strings.Contains(file.String(), "sigma") {
		t.Errorf("%v in\n%s", err, file.String())
	}
}

func TestReservations(t *testing.T) {
	m := byHand()
	e := trace.NewEvent(trace.Recv)
	e.Peer, e.Tag = 1, 1
	m.EventsOf[0].Rows = append(m.EventsOf[0].Rows, e)
	c := trace.NewEvent(trace.Compute)
	c.Work = 5
	m.EventsOf[0].Rows = append(m.EventsOf[0].Rows, c)
	m.Head.WorkUnit, m.Head.HasTime = trace.WorkFlop, true
	r, err := run(t, m, &Analysis{Length: 10})
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(r.Warnings)
	for _, want := range []string{"not at the recvs", "work in flop", "recorded times are not used"} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q", text, want)
			}
		})
	}
}

// The same input gives the same bytes.
func TestSameBytes(t *testing.T) {
	m := randomTrace(rand.New(rand.NewPCG(2, 2)), 4, 3, 200)
	var first string
	for range 3 {
		r, err := run(t, m, &Analysis{Length: 7, Seed: 11, samples: 100})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := r.Files[0].Fill(&b); err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprint(b.String(), r.Full)
		if first != "" && text != first {
			t.Error("not the same")
		}
		first = text
	}
}

func benchmarkTrace() *trace.Memory {
	r := rand.New(rand.NewPCG(1, 1))
	m := &trace.Memory{Head: trace.Header{Procs: 4}, RefsOf: make([]trace.Refs, 4)}
	for p := range m.RefsOf {
		m.RefsOf[p].Proc = trace.Proc(p)
		for i := range uint64(500_000) {
			m.RefsOf[p].Append(uint32(1+r.IntN(4)), i, 8, trace.Load)
		}
	}
	return m.InBatches(1 << 16)
}

func BenchmarkQuanta(b *testing.B) {
	m := benchmarkTrace()
	b.Run("order alone", func(b *testing.B) {
		for b.Loop() {
			for _, err := range analysis.Interleave(m) {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(float64(b.N)*2/b.Elapsed().Seconds(), "Mrefs/s")
	})
	b.Run("quanta of 100", func(b *testing.B) {
		for b.Loop() {
			s := newShard(m.Head, 100, Cache{}, 0, newSamples(4, maxSamples, 1))
			for p, err := range analysis.Interleave(m) {
				if err != nil {
					b.Fatal(err)
				}
				if err := s.Add(p); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(float64(b.N)*2/b.Elapsed().Seconds(), "Mrefs/s")
	})
}

// A stretch is the sum of its quanta, whether or not it is told from the sums before its ends.
func TestStretches(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	s := newSamples(3, 100, 1)
	for q := range uint64(50) {
		s.add(q, make([]processorState, 3), func(*processorState) uint64 { return r.Uint64N(1000) })
	}
	sums := s.prefixSums([]uint32{0, 2, 1}, nil)
	for range 100 {
		from := r.IntN(51)
		to := from + r.IntN(51-from)
		var told, added replicate
		sums.exact = true
		told.add(sums, from, to)
		sums.exact = false
		added.add(sums, from, to)
		if told != added || told.n != float64(to-from) {
			t.Fatalf("quanta %d to %d: %+v, want %+v", from, to, told, added)
		}
	}
	for i := range s.time {
		s.time[i] = 1 << 31
	}
	if s.prefixSums([]uint32{0, 2, 1}, sums).exact {
		t.Error("sums of squares of 2^62 are taken for exact")
	}
}
