package mpicalls

import (
	"iter"
	"math"

	"spoor/traces/trace"
)

// placed puts the calls of a rank among the events that the recorder of references left of its first thread.
type placed struct {
	r     *rank
	next  func() (*trace.Events, error, bool)
	stop  func()
	batch []trace.Event
	instr uint64 // instructions since the latest event
	refs  uint64

	calls  int32  // so far
	marker int32  // number of the latest marker
	others uint64 // calls without a marker
}

func newPlaced(j *join, r *rank) *placed {
	p := &placed{r: r}
	p.next, p.stop = iter.Pull2(j.recorded.Source.Events(r.Batch.Proc))
	return p
}

// event returns the next event of the recorder, or nil at the end.
func (p *placed) event() (*trace.Event, error) {
	for len(p.batch) == 0 {
		b, err, ok := p.next()
		if err != nil || !ok {
			return nil, err
		}
		p.batch = b.Rows
	}
	e := &p.batch[0]
	p.batch = p.batch[1:]
	return e, nil
}

// toNextCall emits the events up to the marker of the next call. A call of another thread has no marker: it follows the
// call before.
func (p *placed) toNextCall() error {
	p.calls++
	for p.marker < p.calls {
		e, err := p.event()
		if err != nil {
			return err
		}
		if e == nil {
			p.marker = math.MaxInt32
			break
		}
		p.instr += uint64(e.Instr)
		p.refs = e.Refs
		if e.Kind == trace.Marker {
			p.marker = e.Tag
		} else if err := p.copy(*e); err != nil {
			return err
		}
	}
	if p.marker > p.calls {
		p.others++
	}
	return nil
}

// copy emits an event of the recorder.
func (p *placed) copy(e trace.Event) error {
	p.put(&e)
	return p.r.Emit(e, p.r.pos())
}

// put gives an event its place.
func (p *placed) put(e *trace.Event) {
	e.Instr, e.Refs, e.Time = uint32(min(p.instr, math.MaxUint32)), p.refs, 0
	p.instr -= uint64(e.Instr)
}

// rest emits what comes after the last call. byThreads is how many calls other threads made.
func (p *placed) rest(byThreads uint64) error {
	if p.others > byThreads && !p.r.of.killed {
		p.r.fail("%d of %d calls have no place among the references; record again", p.others-byThreads, p.calls)
		return p.r.err
	}
	for {
		e, err := p.event()
		if e == nil || err != nil {
			return err
		}
		p.instr += uint64(e.Instr)
		p.refs = e.Refs
		if e.Kind == trace.Marker {
			continue
		}
		if err := p.copy(*e); err != nil {
			return err
		}
	}
}
