package replay

import (
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Bounds of the number of rows that lookahead examines. The work of the largest window, at most 2^32 instructions of
// 10^6 ps for each row, fits between horizon and the largest time.
const (
	minWindow = 8
	newWindow = 32
	maxWindow = 512
)

// lookahead returns a time before which p does nothing that affects others. It is the time of the next action of p
// after the private hits of the batch. It stays valid until p acts or another processor invalidates a line of its
// cache (see syncBefore).
func (r *run) lookahead(p *processor) unit.Picos {
	n := p.rowsBeforeEvent()
	p.lookahead = 0
	switch {
	case p.line < p.lastLine:
		return p.clock.At(p.instr, p.touches+1) + p.stall
	case n == 0 && p.eventDue():
		return p.clock.At(p.eventInstr, p.touches) + p.stall
	case n == 0:
		return p.next
	}
	window := min(n, p.window)
	hits, touches := r.sys.Lookahead(p.id, &p.batch, p.row, p.row+window)
	p.lookahead = hits
	if hits == window {
		p.window = min(2*p.window, maxWindow)
	}
	instr := p.instr
	for _, more := range p.batch.Instr[p.row : p.row+hits] {
		instr += uint64(more)
	}
	p.lookaheadInstr, p.lookaheadTouches = instr-p.instr, touches
	touches += p.touches
	switch {
	case hits < n:
		instr += uint64(p.batch.Instr[p.row+hits])
		if p.batch.Op[p.row+hits].Data() {
			touches++
		}
	case p.event < len(p.rows) && p.rows[p.event].Refs == p.rowsDone+uint64(n):
		instr = max(instr, p.eventInstr)
	}
	return p.clock.At(instr, touches) + p.stall
}

// commitLookahead lets p, which acts next, make the touches that lookahead has found to be hits. All of them come
// before that action.
func (r *run) commitLookahead(p *processor) error {
	from, to := p.row, p.row+p.lookahead
	p.lookahead = 0
	if from == to || p.instr+uint64(p.batch.Instr[from]) < p.lastEvent { // then they are later than lookahead assumed
		return nil
	}
	refs, ok := r.sys.Commit(p.id, &p.batch, from)
	if !ok {
		return nil
	}
	p.row = to
	p.rowsDone += uint64(to - from)
	p.instr += p.lookaheadInstr
	p.touches += p.lookaheadTouches
	p.refs += uint64(refs)
	if refs == to-from {
		return nil
	}
	for _, op := range p.batch.Op[from:to] {
		if !op.Data() {
			p.skipped[op]++
		}
	}
	return p.tooLong(p.instr)
}

// syncBefore is called before an access of the present processor invalidates a line of q. If hits that lookahead has
// found need the line, q makes all its touches that come before that access. Other hits stay hits, and have the same
// effect if they are made later.
func (r *run) syncBefore(q trace.Proc, c touch.Invalidation) {
	p := r.procs[q]
	if p.state != running || !r.conflicts(p, &c) {
		return
	}
	limit := lastBefore(action{c.At, c.By}, q)
	for p.line < p.lastLine || p.rowsBeforeEvent() > 0 {
		if done, err := r.step(p, &limit); !done || err != nil {
			break // p gets the same error when it acts itself
		}
	}
	p.lookahead = 0 // the rest comes after that access; the next invalidation has no conflict with it
	p.window = max(p.window/2, minWindow)
	r.rescheduled = append(r.rescheduled, p)
	r.limit = -1 // p may act next: the present processor stops after its access
}

// conflicts reports whether hits that lookahead has found need the line or permission that c removes from the cache
// of p.
func (r *run) conflicts(p *processor, c *touch.Invalidation) bool {
	from, to := p.row, p.row+p.lookahead
	sizes, ops := p.batch.Size[from:to], p.batch.Op[from:to]
	for i, addr := range p.batch.Addr[from:to] {
		touches := addr>>r.shift <= c.Line && (addr+uint64(sizes[i])-1)>>r.shift >= c.Line
		if touches && (ops[i] == trace.Store || !c.Downgrade && ops[i].Data()) {
			return true
		}
	}
	return false
}
