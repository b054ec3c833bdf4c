package replay

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"spoor/predict/internal/memsys"
	"spoor/predict/internal/memsys/touch"
	"spoor/predict/internal/network"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

const (
	lookL     = 1_600_000 // ps
	lookBlock = 32
)

// logPSystem is a LogP machine of procs nodes with gap g. Address a is in the memory of processor a>>20, up to the last.
func logPSystem(t testing.TB, procs int, g unit.Picos) touch.System {
	t.Helper()
	net, err := network.LogP{}.New(network.Config{Nodes: procs, L: lookL, Gap: g})
	if err != nil {
		t.Fatal(err)
	}
	head := trace.Header{Procs: procs}
	for p := range procs {
		head.Regions = append(head.Regions, trace.Region{Name: fmt.Sprint(p), Base: uint64(p) << 20, Bytes: 1 << 20, Owner: trace.Everyone,
			Home: trace.Home{Kind: trace.ExplicitHome, Procs: []trace.Proc{trace.Proc(p)}}})
	}
	c := memsys.Config{Processors: procs, PerNode: 1, Homes: trace.NewHomeMap(head), Net: net}
	c.Placement.Page, c.Messages.Control, c.Messages.Data, c.Memory.Latency = 4096, 8, lookBlock, 1000
	sys, err := memsys.LogP{}.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

// lookClock has instructions and touches of 1 ns.
func lookClock(t testing.TB) Clock {
	clock, err := NewClock(1e9, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	return clock
}

func runLooks(t *testing.T, m *trace.Memory, g unit.Picos) *Result {
	t.Helper()
	res, err := Run(context.Background(), m, logPSystem(t, m.Head.Procs, g), lookClock(t), Options{Looks: true})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// One processor waits from the start for what the other does after some instructions. The word is in the other's memory.
// Without a gap, a look takes two latencies and a touch, and the next one begins then. With a gap of L, the other's node
// answers L after it was asked, and the next request leaves L after the answer came: every 4 L. The processor goes on at the
// end of the first look that ends when the wait is over.
func TestLooksInClosedForm(t *testing.T) {
	for _, kind := range []trace.Kind{trace.WaitFlag, trace.Lock, trace.Barrier} {
		for _, c := range []struct{ g, first, interval unit.Picos }{{0, 2*lookL + 1000, 2*lookL + 1000}, {lookL, 3*lookL + 1000, 4 * lookL}} {
			for _, work := range []uint32{1, 3200, 3201, 3202, 4800, 1_000_000} {
				t.Run(fmt.Sprint(kind, c.g, work), func(t *testing.T) {
					word := int64(0)
					a, b := &builder{}, &builder{}
					switch kind {
					case trace.WaitFlag:
						e := b.at(kind, 3)
						e.Tag, e.Addr = 1, word+64
						a.work(work)
						a.at(trace.Signal, 3)
					case trace.Lock:
						a.at(kind, 3).Addr = word + 64
						a.work(work)
						a.at(trace.Unlock, 3)
						b.at(kind, 3).Addr = word + 64
						b.at(trace.Unlock, 3)
					case trace.Barrier:
						a.work(work)
						a.at(kind, 0)
						b.at(kind, 0)
					}
					res := runLooks(t, source(a, b), c.g)
					looks := 1 + max(0, (unit.Picos(work)*1000-c.first+c.interval-1)/c.interval)
					if got, want := res.Procs[1].Total(), c.first+(looks-1)*c.interval; got != want {
						t.Errorf("goes on at %v, want %v", got, want)
					}
					if got := res.Shared.Messages; got != 2*uint64(looks) {
						t.Errorf("%d messages, want %d", got, 2*looks)
					}
					if got := res.Procs[1].Latency; got != looks*2*lookL {
						t.Errorf("latency %v, want %v", got, looks*2*lookL)
					}
				})
			}
		}
	}
}

// A word in the own memory costs no messages, and the wait ends at once. So does one without an address, with a warning.
func TestLooksAtOwnWordsCostNothing(t *testing.T) {
	for addr, warns := range map[int64]bool{1 << 20: false, 0: true} {
		a, b := &builder{}, &builder{}
		e := b.at(trace.WaitFlag, 3)
		e.Tag, e.Addr = 1, addr
		a.work(5000)
		a.at(trace.Signal, 3)
		res := runLooks(t, source(a, b), lookL)
		if res.Shared.Messages != 0 || res.Procs[1].Total() != 5_000_000 || res.Procs[1].Sync != 5_000_000 {
			t.Errorf("address %d: %d messages, goes on at %v", addr, res.Shared.Messages, res.Procs[1].Total())
		}
		if got := fmt.Sprint(res.Warnings); strings.Contains(got, "1 waits for flags and locks have no address") != warns {
			t.Errorf("address %d: %s", addr, got)
		}
	}
}

// Who looks for what nobody will do is in a deadlock.
func TestLooksForeverAreADeadlock(t *testing.T) {
	a, b := &builder{}, &builder{}
	e := b.at(trace.WaitFlag, 3)
	e.Tag, e.Addr = 1, 64
	_, err := Run(context.Background(), source(a, b), logPSystem(t, 2, 0), lookClock(t), Options{Looks: true})
	if err == nil || !strings.Contains(err.Error(), "deadlock") || !strings.Contains(err.Error(), "1 signals of flag 3") {
		t.Errorf("error %v", err)
	}
}

// naiveLooks is the definition: the first processor in the order of (time, number) makes one touch, event or look.
type naiveLooks struct {
	sys     touch.System
	clock   Clock
	procs   []*naiveLooker
	signals map[int32]int
	holder  map[int32]int
	queue   map[int32][]int // of locks: those that do not look
	there   int             // at the barrier
	barrier int             // barriers passed
}

type naiveLooker struct {
	steps   []naiveStep
	at      int
	next    unit.Picos
	t       Times
	word    uint64
	store   bool
	looks   bool // looking
	blocked bool // waiting without looks
	passes  int  // the barrier that it waits for
}

func (p *naiveLooker) stall() unit.Picos { return p.t.Latency + p.t.Contention + p.t.Sync }

// setNext sets the time of the next step.
func (n *naiveLooks) setNext(p *naiveLooker) {
	if s := p.steps[p.at:]; len(s) > 0 {
		p.next = n.clock.At(s[0].instr, s[0].touches) + p.stall()
	}
}

func (n *naiveLooks) charge(p *naiveLooker, c touch.Cost) {
	p.t.Latency += c.Latency
	p.t.Contention += c.Contention
}

// step makes the first processor act. It reports false if there is none.
func (n *naiveLooks) step() bool {
	first := -1
	for i, p := range n.procs {
		if !p.blocked && (p.at < len(p.steps) || p.looks) && (first < 0 || p.next < n.procs[first].next) {
			first = i
		}
	}
	if first < 0 {
		return false
	}
	p := n.procs[first]
	if p.looks {
		if n.over(first) {
			p.looks = false
			p.at++
			n.setNext(p)
		} else {
			n.look(first)
		}
		return true
	}
	s := p.steps[p.at]
	if s.event == nil {
		n.charge(p, n.sys.Access(p.next, trace.Proc(first), s.line, s.store))
		p.at++
		n.setNext(p)
		return true
	}
	n.event(first, s.event)
	return true
}

// over reports whether the wait of processor i has ended, and takes the lock if that is one.
func (n *naiveLooks) over(i int) bool {
	switch e := n.procs[i].steps[n.procs[i].at].event; e.Kind {
	case trace.WaitFlag:
		return n.signals[e.Peer] >= int(e.Tag)
	case trace.Lock:
		if n.holder[e.Peer] >= 0 {
			return false
		}
		n.holder[e.Peer] = i
		return true
	}
	return n.barrier >= n.procs[i].passes
}

func (n *naiveLooks) look(i int) touch.Cost {
	p := n.procs[i]
	c := n.sys.Access(p.next, trace.Proc(i), p.word, p.store)
	if c != (touch.Cost{}) {
		n.charge(p, c)
		p.t.Sync += n.clock.At(0, 1)
		p.next += c.Total() + n.clock.At(0, 1)
	}
	return c
}

// wait makes processor i look, or block if that costs nothing.
func (n *naiveLooks) wait(i int, addr int64, store bool) {
	p := n.procs[i]
	p.word, p.store = uint64(addr)/lookBlock, store
	p.looks = n.look(i) != (touch.Cost{})
	p.blocked = !p.looks
}

// wake ends the wait of a blocked processor at a time.
func (n *naiveLooks) wake(i int, at unit.Picos) {
	p := n.procs[i]
	p.t.Sync += at - p.next
	p.blocked = false
	p.at++
	n.setNext(p)
}

func (n *naiveLooks) event(i int, e *trace.Event) {
	p := n.procs[i]
	waits := false
	switch e.Kind {
	case trace.Signal:
		n.signals[e.Peer]++
		for j, q := range n.procs {
			if q.blocked && q.steps[q.at].event.Kind == trace.WaitFlag && q.steps[q.at].event.Peer == e.Peer && n.over(j) {
				n.wake(j, p.next)
			}
		}
	case trace.WaitFlag:
		if waits = !n.over(i); waits {
			n.wait(i, e.Addr, false)
		}
	case trace.Lock:
		if _, known := n.holder[e.Peer]; !known {
			n.holder[e.Peer] = -1
		}
		if waits = !n.over(i); waits {
			if n.wait(i, e.Addr, true); p.blocked {
				n.queue[e.Peer] = append(n.queue[e.Peer], i)
			}
		}
	case trace.Unlock:
		n.holder[e.Peer] = -1
		if q := n.queue[e.Peer]; len(q) > 0 {
			n.holder[e.Peer], n.queue[e.Peer] = q[0], q[1:]
			n.wake(q[0], p.next)
		}
	case trace.Barrier:
		if n.there++; n.there < len(n.procs) {
			p.passes = n.barrier + 1
			n.wait(i, touch.BarrierWord, false)
			return
		}
		n.there = 0
		n.barrier++
		for j, q := range n.procs {
			if q.blocked && q.steps[q.at].event.Kind == trace.Barrier {
				n.wake(j, p.next)
			}
		}
	}
	if !waits {
		p.at++
		n.setNext(p)
	}
}

// randomLooks is a trace of processors that meet at barriers, wait for flags of lower ones and take locks.
func randomLooks(c *choices) *trace.Memory {
	procs := 2 + c.below(4)
	bs := make([]*builder, procs)
	for p := range bs {
		bs[p] = &builder{}
	}
	word := func() int64 { return int64(c.below(procs))<<20 + 64*int64(1+c.below(3)) }
	for phase := range 1 + c.below(3) {
		for p, b := range bs {
			for range c.below(4) {
				b.ref(uint32(1+c.below(3000)), uint64(word()), 8, []trace.Op{trace.Load, trace.Store}[c.below(2)])
			}
			if c.below(2) == 0 {
				lock := int32(c.below(2))
				b.at(trace.Lock, lock).Addr = word()
				b.work(uint32(c.below(20000)))
				b.ref(1, uint64(word()), 8, trace.Store)
				b.at(trace.Unlock, lock)
			}
			if p > 0 && c.below(2) == 0 {
				e := b.at(trace.WaitFlag, int32(c.below(p)))
				e.Tag, e.Addr = int32(phase+1), word()
			}
			b.work(uint32(c.below(200) * c.below(200)))
			b.at(trace.Signal, int32(p))
			b.at(trace.Barrier, 0)
		}
	}
	return source(bs...)
}

func TestLooksAreTheirDefinition(t *testing.T) {
	for seed := range uint64(300) {
		c := randomChoices(seed, 400)
		m := randomLooks(c)
		g := []unit.Picos{0, lookL / 4, lookL, 4 * lookL}[seed%4]
		got := runLooks(t, m, g)
		n := &naiveLooks{sys: logPSystem(t, m.Head.Procs, g), clock: lookClock(t), signals: map[int32]int{}, holder: map[int32]int{}, queue: map[int32][]int{}}
		for p := range m.Head.Procs {
			steps, _ := naiveSteps(m, p, lookBlock)
			q := &naiveLooker{steps: steps}
			n.setNext(q)
			n.procs = append(n.procs, q)
		}
		for n.step() {
		}
		for p, q := range n.procs {
			have := got.Procs[p].Times
			have.Ideal = 0
			if have != q.t {
				t.Fatalf("seed %d: processor %d: %+v, want %+v", seed, p, have, q.t)
			}
		}
		if want := n.sys.SharedUsage(); got.Shared != want {
			t.Fatalf("seed %d: %+v, want %+v", seed, got.Shared, want)
		}
	}
}
