package recorder

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"spoor/traces/trace"
)

// kinds of marks of Go's runtime, as in goprogram/overlay
const (
	goRunMark = 64 + iota
	goStopMark
	goApartMark // the plugin keeps it
	goForkMark
	goExitMark
	goMakeMark
	goSendMark
	goReceiveMark
	goMeetMark
	goCloseMark
	goClosedMark
	goWakeMark
	goOutsideMark
	goForeignMark
	goLeftMark
	goArmMark
)

// goroutine is a goroutine of the program. Main is number 1.
type goroutine struct {
	number  uint32
	t       *thread // of its processor
	place   uint64  // instructions since it goes on, as the plugin counts
	last    uint32  // sequence number of its latest block
	pending []token // waits before it goes on
	holds   []int32 // its mutexes, by number of the object
}

// goroutines puts the records of goroutines into processors. Each goroutine is a processor, or there are some processors, and
// goroutine number i runs on processor i modulo their number.
type goroutines struct {
	procs    uint32 // 0 if each is a processor
	all      map[uint32]*goroutine
	owners   map[uint64]*goroutine // of mutexes that are locked
	channels map[uint64]*channel
	timers   map[uint64]token // by address: when a goroutine started it last
	left     uint64           // instructions that no goroutine executed
}

func newGoroutines(procs int) *goroutines {
	return &goroutines{procs: uint32(procs), all: map[uint32]*goroutine{}, owners: map[uint64]*goroutine{}, channels: map[uint64]*channel{}, timers: map[uint64]token{}}
}

// add adds a goroutine that begins.
func (gs *goroutines) add(s *stream, number uint32) *goroutine {
	proc := number - 1
	if gs.procs > 0 {
		proc %= gs.procs
	}
	g := &goroutine{number: number, t: s.thread(proc)}
	gs.all[number] = g
	return g
}

// goBlocks are the kinds of blocks that are of goroutines.
var goBlocks = map[uint32]bool{refsBlock: true, markBlock: true, endBlock: true, outsideBlock: true}

// block is a block of a thread. Its number is that of the goroutine that the thread executes, or 0.
func (gs *goroutines) block(s *stream, h header, b []byte) error {
	g := gs.all[h.Thread]
	switch {
	case h.Kind == markBlock || h.Kind == outsideBlock:
		if len(b) != markBytes {
			return errDamaged
		}
		m := readMark(b)
		if g != nil && m.Kind == goRunMark {
			g.place, g.last = 0, h.Sequence-1
		} else if g != nil && h.Instr > g.place {
			g.on(&s.calls)
			g.t.step(h.Instr - g.place)
			g.place = h.Instr
		}
		before := s.events(g)
		err := gs.mark(s, g, m)
		if h.Kind == outsideBlock {
			s.outside += s.events(g) - before
		}
		return err
	case h.Kind == refsBlock && g != nil:
		g.on(&s.calls)
		g.last = h.Sequence
		before := g.t.place
		err := s.refs(g.t, b)
		g.place += g.t.place - before
		return err
	case h.Kind == refsBlock:
		return errDamaged
	}
	return nil // a thread ends
}

// events is how many events the processor of a goroutine has.
func (s *stream) events(g *goroutine) uint64 {
	if g == nil {
		return 0
	}
	return g.t.events
}

// on lets the processor of a goroutine go on with it. A processor keeps no mutex of another goroutine meanwhile.
func (g *goroutine) on(c *calls) {
	if other := g.t.running; other != g {
		if other != nil {
			g.t.all(trace.Unlock, other.holds)
		}
		g.t.running = g
		g.t.all(trace.Lock, g.holds)
	}
	for _, w := range g.pending {
		c.waitFor(g.t, w.flag(), w.signals)
	}
	g.pending = g.pending[:0]
}

// all appends an event for each object.
func (t *thread) all(kind trace.Kind, objects []int32) {
	for _, o := range objects {
		t.happens(kind, o)
	}
}

// mark appends the events of a mark, while a goroutine runs, or none.
func (gs *goroutines) mark(s *stream, g *goroutine, m mark) error {
	switch m.Kind {
	case goForkMark:
		if m.Object == 0 || m.Object > math.MaxInt32 || gs.all[uint32(m.Object)] != nil {
			return errDamaged
		}
		gs.fork(s, m)
	case goExitMark:
		return gs.stop(s, gs.all[uint32(m.Object)], true)
	case goStopMark:
		return gs.stop(s, g, false)
	case goRunMark:
		if g != nil {
			g.on(&s.calls)
		}
	case goLeftMark:
		gs.left += m.Number
	case goArmMark:
		gs.timers[m.Object] = s.calls.announce(g)
	case goOutsideMark:
		s.calls.missed[missedOutside]++
	case goForeignMark:
		s.calls.missed[missedForeign]++
	case goWakeMark:
		if by, woken := gs.all[uint32(m.Number)], gs.all[uint32(m.Object)]; by != nil && woken != nil {
			woken.pending = append(woken.pending, s.calls.announce(by))
		}
	default:
		return gs.call(s, g, m)
	}
	return nil
}

// call appends the events of a mark of a channel, or of a call of package sync.
func (gs *goroutines) call(s *stream, g *goroutine, m mark) error {
	c := &s.calls
	switch {
	case m.Kind >= goMakeMark && m.Kind <= goClosedMark:
		gs.channel(c, g, m)
	case m.Kind >= endMark:
		return fmt.Errorf("%w: mark %d", errDamaged, m.Kind)
	case g == nil || m.Phase == only:
		c.learn(m)
	case m.Kind == lockMark:
		gs.lock(c, g, m.Object)
	case m.Kind == unlockMark:
		gs.unlock(c, g, m.Object)
	case m.Kind == notifyMark:
		c.keepOrder(g.t, slices.Collect(gs.heldBy(g)))
	case m.Phase == begin:
		c.begins(g.t, m)
	default:
		c.done(g.t, m)
	}
	return nil
}

// fork adds a goroutine. If there are more of them than processors, it waits for a signal.
func (gs *goroutines) fork(s *stream, m mark) {
	g, by := gs.add(s, uint32(m.Object)), gs.all[uint32(m.Number)]
	switch timer, ok := gs.timers[m.Number]; {
	case ok:
		g.pending = append(g.pending, timer)
	case by == nil && g.number > 1:
		s.calls.missed[missedForks]++
	case by != nil && gs.procs == 0:
		by.t.happens(trace.Fork, int32(g.t.refs.Proc))
	case by != nil:
		g.pending = append(g.pending, s.calls.announce(by))
	}
}

// finish releases what is held when the program ends.
func (gs *goroutines) finish() {
	for _, number := range slices.Sorted(maps.Keys(gs.all)) {
		if g := gs.all[number]; g.t.running == g {
			g.t.all(trace.Unlock, g.holds)
		}
	}
}

// keptRows is how many rows a goroutine that does not run keeps in memory.
const keptRows = 1 << 10

// stop lets a goroutine leave its thread. There may be many of them, and so they keep little.
func (gs *goroutines) stop(s *stream, g *goroutine, ends bool) error {
	if g == nil {
		return nil
	}
	t := g.t
	if t.refs.Len() >= keptRows || len(t.rows.Rows) >= keptRows || ends {
		if err := t.flush(s.sink, true); err != nil {
			return err
		}
		if cap(t.refs.Addr) > 4*keptRows || ends {
			t.refs, t.rows = trace.Refs{Proc: t.refs.Proc}, trace.Events{Proc: t.rows.Proc}
		}
	}
	return nil
}

// holder returns the thread of a block, and whether it was written before.
func (gs *goroutines) holder(h header) (t *thread, written bool) {
	g := gs.all[h.Thread]
	if g == nil {
		return nil, true
	}
	return g.t, h.Sequence <= g.last
}
