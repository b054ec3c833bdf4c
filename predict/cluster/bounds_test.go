package cluster

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"spoor/calibrate/machine"
	"spoor/predict/internal/memsys"
	"spoor/predict/internal/model"
	"spoor/predict/internal/replay"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// pairs is the number of random pairs of trace and machine:
//
//	go test -run BoundsHold -pairs 10000 ./predict/cluster
var pairs = flag.Int("pairs", 200, "random pairs of trace and machine for TestBoundsHold")

// plainBounds are the bounds of a prediction by their definition, in seconds per instruction. They use the
// trace, the machine and the printed terms, and no code of the models.
type plainBounds struct {
	noMiss   float64 // sum over phases of the slowest processor, if nothing misses
	evenMiss float64 // the same if all work is divided evenly
	path     float64 // the processors with most instructions in each phase, if nothing misses; an access touches one line
	bus      float64 // how long the mean bus is held
	network  float64 // how long the bus between nodes, or the mean port, is held
	disk     float64
	sequence float64 // everything in sequence, by the terms
	all      float64 // everything in sequence, if each access misses everywhere
}

// work is what one processor does in a phase of the trace.
type plainWork struct{ instr, touches, refs float64 }

func plainPhases(src *trace.Memory, line uint64) (all [][]plainWork) {
	for p := range src.RefsOf {
		phases, ref := []plainWork{{}}, 0
		refs := &src.RefsOf[p]
		until := func(end int) {
			now := &phases[len(phases)-1]
			for ; ref < end; ref++ {
				now.instr += float64(refs.Instr[ref])
				if !refs.Op[ref].Data() {
					continue
				}
				now.refs++
				now.touches += float64((refs.Addr[ref]+uint64(refs.Size[ref])-1)/line - refs.Addr[ref]/line + 1)
			}
		}
		for _, e := range src.EventsOf[p].Rows {
			until(int(e.Refs))
			if e.Kind == trace.Barrier {
				phases = append(phases, plainWork{})
			}
		}
		until(refs.Len())
		all = append(all, phases)
	}
	return all
}

// plainMachine holds the times of a machine in seconds.
type plainMachine struct {
	instr, touch, inner, memory, occupancy, invalidate, disk float64
	block, blockHeld, right, rightHeld                       float64
	nodes                                                    float64
}

func plainMachineOf(m *machine.Machine) (x plainMachine) {
	x.instr = float64(m.Processor.CPI) / float64(m.Processor.Clock)
	x.touch, x.memory = float64(m.At(m.Caches[0].Latency)), float64(m.At(m.Memory.Latency))
	x.occupancy, x.invalidate = float64(m.At(m.Memory.Occupancy)), float64(m.At(m.Memory.Invalidate))
	for _, c := range m.Caches[1:] {
		x.inner += float64(m.At(c.Latency))
	}
	if m.Shared != nil {
		x.inner += float64(m.At(m.Shared.Latency))
	}
	if m.Disk != nil {
		x.disk = float64(m.At(m.Disk.Latency))
	}
	x.nodes = float64(max(1, m.System.Nodes))
	if m.System.Nodes > 1 {
		wire, latency := float64(m.Network.Bandwidth.Value), float64(m.At(m.Network.Fixed.Value))
		x.blockHeld = float64(m.System.Block+m.Network.Header) / wire
		x.rightHeld = max(1e-12, float64(m.Network.Header)/wire) // at least a picosecond
		x.block, x.right = x.blockHeld+latency, x.rightHeld+latency
	}
	return x
}

func plainBoundsOf(pair *randomPair, p *model.Prediction) (b plainBounds) {
	x, n := plainMachineOf(pair.m), float64(p.Processors)
	instr, touches := 0.0, 0.0
	byPhase := plainPhases(pair.src, uint64(last(pair.m).Line))
	for phase := range byPhase[0] {
		longest, most := 0.0, plainWork{}
		for _, all := range byPhase {
			w := all[phase]
			if w.instr > most.instr || w.instr == most.instr && w.refs > most.refs {
				most = w
			}
			instr, touches = instr+w.instr, touches+w.touches
			longest = max(longest, w.instr*x.instr+w.touches*x.touch)
		}
		b.noMiss += longest
		b.path += most.instr*x.instr + most.refs*x.touch
	}
	b.noMiss /= instr
	b.path /= instr
	b.evenMiss = (instr*x.instr + touches*x.touch) / instr / n
	term := map[string]float64{}
	for _, t := range p.Terms {
		term[t.Symbol] = t.Value
	}
	gamma := term["gamma"]
	visits := gamma * term["P_2"]
	upgrades := gamma * term["upgrades"]
	b.sequence = x.instr + gamma*(x.touch+x.inner) + visits*(max(x.memory, x.occupancy)) + upgrades*x.invalidate + gamma*term["writebacks"]*x.occupancy
	if pair.m.Shared != nil {
		upgrades = 0 // they go to the shared cache
	}
	switch p.Model {
	case "mva":
		b.bus = (visits*x.occupancy + gamma*term["writebacks"]*x.occupancy + upgrades*x.invalidate) / x.nodes
		blocks, rights := gamma*term["P_r"], gamma*term["rights"]
		b.network = blocks*x.blockHeld + rights*x.rightHeld
		b.sequence += blocks*(x.block+x.memory) + rights*(x.right+x.invalidate)
	default:
		b.bus = visits * x.occupancy / x.nodes
		b.network = gamma * term["P_r"] * x.block
		b.disk = gamma * term["P_3"] * x.disk / x.nodes
		b.sequence += gamma * (term["P_r"]*(x.block+max(x.memory, x.occupancy)) + term["P_3"]*x.disk)
	}
	if pair.m.System.Nodes > 1 && pair.m.Network.Model == "switch" {
		b.network /= x.nodes
	}
	b.all = x.instr + touches/instr*(x.touch+x.inner+3*(max(x.memory, x.occupancy)+x.occupancy+x.invalidate)+x.disk+2*x.block+(x.nodes+1)*x.right)
	return b
}

// boundsSlack is for rounding.
const boundsSlack = 1e-6

// check returns what breaks the bounds.
func (b *plainBounds) check(p *model.Prediction) (broken []string) {
	say := func(what string, got, least float64) {
		if got < least*(1-boundsSlack) {
			broken = append(broken, fmt.Sprintf("%s %.6g is below %.6g", what, got, least))
		}
	}
	noMiss := max(b.evenMiss, b.path)
	if p.Model == "mva" {
		noMiss = b.noMiss
	}
	e := float64(p.EInstr)
	say(p.Model+": E against no miss", e, noMiss)
	if !strings.Contains(warnings(*p), "for which the model's own accesses hold") {
		say(p.Model+": E against the bus", e, b.bus)
		say(p.Model+": E against the network", e, b.network)
		say(p.Model+": E against the disk", e, b.disk)
	}
	say(p.Model+": sequence against E", b.sequence, e)
	for i, in := range []model.Interval{p.Interval, p.FullInterval()} {
		if !in.Known() {
			continue
		}
		name := p.Model + []string{": parameters", ": interval"}[i]
		say(name+", lo against no miss", float64(in.Lo), noMiss)
		say(name+", all against hi", b.all, float64(in.Hi))
		say(name+", E against lo", e, float64(in.Lo))
		say(name+", hi against E", float64(in.Hi), e)
		if p.Model == "mva" {
			say(name+", lo against the bus", float64(in.Lo), b.bus)
			say(name+", lo against the network", float64(in.Lo), b.network)
		}
	}
	return broken
}

// checkSimulation holds the simulation of the pair to the same bounds, by its own counts.
func checkSimulation(t *testing.T, pair *randomPair) (broken []string) {
	t.Helper()
	sys, err := memsys.New(pair.m, pair.src.Header())
	if err != nil {
		t.Fatal(err)
	}
	clock, err := replay.ClockOf(pair.m)
	if err != nil {
		t.Fatal(err)
	}
	result, err := replay.Run(context.Background(), pair.src, sys, clock, replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var p model.Prediction
	p.Processors = pair.src.Header().Procs
	b := plainBoundsOf(pair, &p)
	if e := float64(result.EInstr()); e < b.noMiss*(1-boundsSlack) || e > b.all*(1+boundsSlack) {
		broken = append(broken, fmt.Sprintf("the simulation takes %.6g, not %.6g to %.6g", e, b.noMiss, b.all))
	}
	if end := max(result.Time, result.Shared.End); result.Shared.Busy > end || result.Shared.NetworkBusy > end {
		broken = append(broken, fmt.Sprintf("the simulation ends at %v, but holds the bus for %v and the network for %v", end, result.Shared.Busy, result.Shared.NetworkBusy))
	}
	return broken
}

// All models, their intervals, and a sample of simulations keep the bounds.
func TestBoundsHold(t *testing.T) {
	failures := 0
	for seed := range uint64(testsize.Cases(*pairs, 40)) {
		pair := newRandomPair(t, seed)
		c := &Case{Runs: []*Run{pair.run}, Machine: pair.m, Processors: pair.run.Processors}
		var broken []string
		for _, m := range withReferences {
			p, err := m.Predict(c)
			if err != nil && (strings.Contains(err.Error(), "parameter alpha is missing") || strings.Contains(err.Error(), "parameter gamma is missing")) {
				continue // too few references for a fit, or none
			}
			if err != nil {
				broken = append(broken, m.Name()+": "+err.Error())
				continue
			}
			b := plainBoundsOf(&pair, &p)
			broken = append(broken, b.check(&p)...)
		}
		if seed%4 == 0 {
			broken = append(broken, checkSimulation(t, &pair)...)
		}
		if seed%4 == 1 {
			broken = append(broken, checkTimed(t, pair)...)
		}
		for _, b := range broken {
			t.Errorf("seed %d, %s of %d, %d: %s", seed, pair.m.System.Target, pair.m.System.Nodes, pair.m.System.Processors, b)
		}
		if failures += len(broken); failures > 40 {
			t.FailNow()
		}
	}
}

// checkTimed holds the prediction from counts in the time of the machine to the bounds of its simulation. The bus may be held after the
// end, for lines that are written back, and a processor that continues behind misses may wait for one that another caused.
func checkTimed(t *testing.T, pair randomPair) (broken []string) {
	t.Helper()
	pair.run = timedRun(t, rand.New(rand.NewPCG(1, 2)), pair.src, pair.m)
	p, err := MVA{}.Predict(&Case{Runs: []*Run{pair.run}, Machine: pair.m, Processors: pair.run.Processors})
	if err != nil {
		if strings.Contains(err.Error(), "has no instructions") || strings.Contains(err.Error(), "counts no instructions") {
			return nil
		}
		return []string{"in the time of the machine: " + err.Error()}
	}
	b := plainBoundsOf(&pair, &p)
	for _, text := range b.check(&p) {
		if strings.Contains(text, "against the bus") || strings.Contains(text, "sequence against") {
			continue
		}
		broken = append(broken, "in the time of the machine: "+text)
	}
	return broken
}

// No interval begins below the time of the instructions. On example-desktop they take 0.125 ns.
func TestIntervalsBeginAtTheInstructions(t *testing.T) {
	m, err := machine.Read("../../data/machine/example-desktop.toml")
	if err != nil {
		t.Fatal(err)
	}
	run := curveRun(t, 1, [3]int{64, -1, 100}, [3]int{64, 10, 19_900})
	run.Params = lawRun(t, 1, 1.73, 1.1, 0.4).Params
	for _, v := range []model.Model[*Case]{Paper{}, Curve{}} {
		p, err := v.Predict(&Case{Runs: []*Run{run}, Machine: m, Processors: 1})
		if err != nil {
			t.Fatal(err)
		}
		if in := p.FullInterval(); !p.ModelMargin.Known() || float64(in.Lo) < 0.125e-9 || in.Lo > p.EInstr || in.Hi <= p.EInstr {
			t.Errorf("%s: %v in %+v, with a margin of %+v", v.Name(), p.EInstr, in, p.ModelMargin)
		}
	}
}

// By hand: ten misses of one processor hold the bus for 50 each, which is more than the processor waits for.
func TestOverlappingMissesHoldTheBus(t *testing.T) {
	c := testCosts
	c.overlap = overlap{outstanding: 8, window: 100}
	work := program{{{{Instr: 100, Misses: 10, Writebacks: 2}}}}
	if got := runOn(c, work, 1).now; !near(got, 12*50, 1e-9) {
		t.Errorf("one processor takes %v, but holds the bus for 600", got)
	}
	work[0] = append(work[0], work[0][0])
	if got := runOn(c, work, 2).now; !near(got, 2*12*50, 1e-9) {
		t.Errorf("two processors take %v, but hold the bus for 1200", got)
	}
	c.occupancy = 1 // wide: only the window matters, which covers all
	if got := runOn(c, work, 2).now; got > 110 {
		t.Errorf("two processors take %v on a wide bus", got)
	}
}

// By hand: a flushed line misses in every cache, and its write-back holds the bus although nobody waits for it.
func TestFlushesHoldTheBus(t *testing.T) {
	d := distances{cold: 2, flushed: 3, at: []float64{1}, count: []float64{10}}
	if got := d.misses(1, 4); got != 5 {
		t.Errorf("%v misses, want the first and the flushed uses", got)
	}
	if got := runOn(testCosts, program{{{{Instr: 10, Writebacks: 4}}}}, 1).now; got != 200 {
		t.Errorf("four write-backs of 50 take %v", got)
	}
}

// A published value below the model's own bound says so.
func TestPaperWarnsBelowItsBound(t *testing.T) {
	m := smpMachine(t, `occupancy = "50 cycles"`, `occupancy = "900 cycles"`)
	p, err := Paper{}.Predict(&Case{Runs: []*Run{lawRun(t, 1, 1.1, 9000, 0.9)}, Machine: m, Processors: 8})
	if err != nil {
		t.Fatal(err)
	}
	var rate float64
	for _, term := range p.Terms {
		if term.Symbol == "P_2" {
			rate = 0.9 * term.Value
		}
	}
	want := fmt.Sprintf("%.0f %% below", 100*(1-float64(p.EInstr)/(rate*900*5e-9)))
	if said := warnings(p); !strings.Contains(said, want) {
		t.Errorf("%q does not say %q", said, want)
	}
}
