package replay

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

// state is the state of a processor.
type state uint8

const (
	running state = 1 + iota
	atBarrier
	atLock
	atFlag
	atJoin
	atMessage
	atMemory  // of windows
	notForked // until another one forks it
	finished
)

// processor is one processor with its position in its two streams.
type processor struct {
	id       trace.Proc
	clock    Clock
	maxInstr uint64 // instructions that fit into horizon
	state    state
	next     unit.Picos // it does not act before

	pullRefs   func() (*trace.Refs, error, bool)
	pullEvents func() (*trace.Events, error, bool)
	stop       func()
	checked    bool          // the source has checked the references
	reading    time.Duration // of the host

	batch            trace.Refs
	row              int    // of batch, the next one
	window           int    // how many rows lookahead examines
	lookahead        int    // how many rows from row on are hits by lookahead, if p has not acted since
	lookaheadInstr   uint64 // the instructions of these rows
	lookaheadTouches uint64 // the lines that these rows touch
	rowsDone         uint64 // of all batches
	firstSaturated   uint64 // the first row with the largest gap that the column can hold
	refsEnd          bool   // no batch follows
	line, lastLine   uint64 // the current reference still touches the lines from line+1 to lastLine
	isStore          bool   // the current reference is a store

	events      trace.Events // the batch
	eventsTaken int          // how many of it are checked

	rows       []trace.Event // of events
	event      int           // of rows, the next one
	eventsDone uint64        // of all batches
	eventsEnd  bool
	eventInstr uint64 // position of the next event
	eventRefs  uint64 // Refs of the last event of rows that were used up

	instr       uint64     // position of the last reference, in instructions
	lastEvent   uint64     // position of the last event
	touches     uint64     // lines touched
	refs        uint64     // loads and stores
	waited      Times      // without Ideal
	workTime    unit.Picos // time of compute events, without instructions
	stall       unit.Picos // workTime and everything in waited
	observed    unit.Picos // until when an observer knows what p did
	observedRow int64      // of the event that has begun and not ended for an observer; or noRow
	skipped     [trace.Flush + 1]uint64

	looking   looking
	lookedFor uint64 // looks, for stuckAfter

	ended   unit.Picos   // when p finished
	joiners []*processor // processors that wait for that

	phases     []Phase
	phaseStart Phase // cumulative, at the begin of the present phase
}

func newProcessor(id trace.Proc, clock Clock) *processor {
	return &processor{id: id, clock: clock, maxInstr: clock.maxInstructions(horizon), state: running, window: newWindow, firstSaturated: math.MaxUint64, observedRow: noRow}
}

// startAt makes p begin at a time.
func (p *processor) startAt(at unit.Picos) { p.workTime, p.stall, p.next = at, at, at }

// read opens the streams of p. The caller must call p.stop.
func (p *processor) read(src trace.Source) {
	var stopRefs, stopEvents func()
	p.pullRefs, stopRefs = iter.Pull2(src.Refs(p.id))
	p.pullEvents, stopEvents = iter.Pull2(src.Events(p.id))
	_, p.checked = src.(trace.CheckedSource)
	p.stop = func() { stopRefs(); stopEvents() }
}

// position returns how many instructions p has executed.
func (p *processor) position() uint64 { return max(p.instr, p.lastEvent) }

// rowsBeforeEvent returns how many rows of the batch come before the next event. It is 0 while the next event is not
// known.
func (p *processor) rowsBeforeEvent() int {
	left := len(p.batch.Addr) - p.row
	if p.event < len(p.rows) {
		return int(min(uint64(left), p.rows[p.event].Refs-p.rowsDone))
	}
	if !p.eventsEnd {
		return 0
	}
	return left
}

// eventDue reports whether an event comes before the next row.
func (p *processor) eventDue() bool {
	return p.event < len(p.rows) && p.rows[p.event].Refs == p.rowsDone
}

// fetchBatch fetches the batch that p needs next, of events first. It reports false when both streams have ended.
func (r *run) fetchBatch(p *processor) (more bool, err error) {
	if err := r.ctx.Err(); err != nil {
		return false, err
	}
	switch {
	case r.program != nil:
		return r.resumeProgram(p)
	case p.event == len(p.rows) && !p.eventsEnd:
		return true, r.fillEvents(p)
	case !p.refsEnd:
		return true, r.fillRefs(p)
	case p.event < len(p.rows):
		e := &p.rows[p.event]
		return false, fmt.Errorf("event %d (%v) comes after %d references, but there are %d; is the refs file complete?",
			p.eventsDone, e.Kind, e.Refs, p.rowsDone)
	}
	return false, nil
}

// eventsPerCheck is how many events are checked before the first of them is performed. It is small, so that they stay
// in the host's cache.
const eventsPerCheck = 32

func (r *run) fillEvents(p *processor) error {
	if p.eventsTaken == len(p.events.Rows) {
		begin := time.Now()
		b, err, ok := p.pullEvents()
		p.reading += time.Since(begin)
		if !ok {
			p.rows, p.event, p.eventsEnd = nil, 0, true
			return nil
		}
		if err != nil {
			return err
		}
		p.events, p.eventsTaken = *b, 0
	}
	from := p.eventsTaken
	p.eventsTaken = min(from+eventsPerCheck, len(p.events.Rows))
	some := trace.Events{Proc: p.events.Proc, Rows: p.events.Rows[from:p.eventsTaken]}
	err := r.setEvents(p, &some)
	if bad := (*trace.BatchError)(nil); errors.As(err, &bad) {
		bad.Row += from
	}
	return err
}

// setEvents makes a batch the next events of p.
func (r *run) setEvents(p *processor, b *trace.Events) error {
	if b.Proc != p.id {
		return fmt.Errorf("requested its events, but got those of processor %d", b.Proc)
	}
	if err := trace.CheckEvents(r.head, b, p.eventRefs, math.MaxUint64); err != nil {
		return err
	}
	p.rows, p.event = b.Rows, 0
	if len(b.Rows) > 0 {
		p.eventRefs = b.Rows[len(b.Rows)-1].Refs
		p.eventInstr = p.lastEvent + uint64(b.Rows[0].Instr)
	}
	return nil
}

func (r *run) fillRefs(p *processor) error {
	r.progress(p)
	begin := time.Now()
	b, err, ok := p.pullRefs()
	p.reading += time.Since(begin)
	if !ok {
		p.batch, p.row, p.refsEnd = trace.Refs{}, 0, true
		return nil
	}
	if err != nil {
		return err
	}
	return r.setRefs(p, b)
}

// progress reports the references of the batch that p has done.
func (r *run) progress(p *processor) {
	if r.opt.Progress != nil && p.row > 0 {
		r.opt.Progress(p.row)
	}
}

// setRefs makes a batch the next references of p.
func (r *run) setRefs(p *processor, b *trace.Refs) error {
	if b.Proc != p.id {
		return fmt.Errorf("requested its references, but got those of processor %d", b.Proc)
	}
	if !p.checked {
		if err := trace.CheckRefs(r.head, b); err != nil {
			return err
		}
	}
	p.batch, p.row = *b, 0
	if p.firstSaturated == math.MaxUint64 {
		if i := slices.Index(b.Instr, math.MaxUint32); i >= 0 {
			p.firstSaturated = p.rowsDone + uint64(i)
		}
	}
	return nil
}

// totals returns everything that p did so far, as a phase from the beginning.
func (r *run) totals(p *processor) Phase {
	c := r.sys.Counts(p.id)
	t := p.waited
	t.Ideal = p.clock.At(p.position(), p.touches) + p.workTime
	return Phase{Proc: p.id, Times: t, Instr: unit.Instructions(p.position()), Refs: p.refs, Touches: p.touches,
		Misses: c.Misses(), Upgrades: c.Upgrades, WriteBacks: c.WriteBacks}
}

// endPhase adds a phase: what p did since its last barrier.
func (r *run) endPhase(p *processor) {
	if !r.opt.Phases {
		return
	}
	now, was := r.totals(p), &p.phaseStart
	p.phases = append(p.phases, Phase{Proc: p.id, Phase: len(p.phases), Times: now.Times.minus(was.Times),
		Instr: now.Instr - was.Instr, Refs: now.Refs - was.Refs, Touches: now.Touches - was.Touches,
		Misses: now.Misses - was.Misses, Upgrades: now.Upgrades - was.Upgrades, WriteBacks: now.WriteBacks - was.WriteBacks})
	p.phaseStart = now
}

// finish ends p, and resumes the processors that join it.
func (r *run) finish(p *processor) {
	p.next = r.totals(p).Total()
	r.drain(p)
	p.state = finished
	p.ended = r.totals(p).Total()
	r.observeWork(p, p.ended)
	r.endPhase(p)
	for _, q := range p.joiners {
		r.resume(q, p.ended, p, p.ended) // not before q joined: p would have acted first
		r.rescheduled = append(r.rescheduled, q)
	}
	if r.messages != nil {
		r.messages.resumeInEngine(p, p.ended)
	}
}
