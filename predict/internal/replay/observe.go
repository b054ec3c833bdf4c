package replay

import (
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/unit"
)

// noRow is the row of a processor that is not at an event.
const noRow = -1

// observeWork gives the observer what p executed until a time.
func (r *run) observeWork(p *processor, until unit.Picos) {
	if r.opt.Observer != nil && until > p.observed {
		r.opt.Observer.Span(int32(p.id), observe.Computing, p.observed, until)
		p.observed = until
	}
}

// observeSpan gives the observer a wait of p from where it was observed last.
func (r *run) observeSpan(p *processor, part observe.Part, long unit.Picos) {
	if long > 0 {
		r.opt.Observer.Span(int32(p.id), part, p.observed, p.observed+long)
		p.observed += long
	}
}

// observeStall gives the observer a wait of p for the memory.
func (r *run) observeStall(p *processor, now unit.Picos, c touch.Cost) {
	r.observeWork(p, now)
	r.observeSpan(p, observe.MemoryLatency, c.Latency)
	r.observeSpan(p, observe.MemoryContention, c.Contention)
}

// observeEvent gives the observer the begin of the next event of p.
func (r *run) observeEvent(p *processor) {
	if r.opt.Observer != nil {
		r.observeWork(p, p.next)
		p.observedRow = int64(p.eventsDone)
		r.opt.Observer.Began(int32(p.id), p.observedRow, p.next)
	}
}

// observeEnd gives the observer the end of the event of p, if it is not known yet.
func (r *run) observeEnd(p *processor, at unit.Picos) {
	if r.opt.Observer != nil && p.observedRow != noRow {
		r.opt.Observer.Ended(int32(p.id), p.observedRow, at)
		p.observedRow = noRow
	}
}

// observeCause gives the observer why a wait of p has ended.
func (r *run) observeCause(p, by *processor, since unit.Picos) {
	r.opt.Observer.Waited(int32(p.id), observe.Cause{By: int32(by.id), Since: since})
}

// observeSync gives the observer a wait of p for others from where it was observed last.
func (r *run) observeSync(p *processor, long unit.Picos) {
	if r.opt.Observer != nil {
		r.observeSpan(p, observe.Sync, long)
	}
}

// observeWait gives the observer a wait of p for what another processor did until a time.
func (r *run) observeWait(p *processor, until unit.Picos, by *processor, since unit.Picos) {
	if r.opt.Observer == nil {
		return
	}
	if until > p.next {
		r.observeWork(p, p.next)
		r.observeSpan(p, observe.Sync, until-p.next)
		r.observeCause(p, by, since)
	}
	r.observeEnd(p, until)
}
