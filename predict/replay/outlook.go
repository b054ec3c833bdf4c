package replay

import (
	"spoor/predict/memsys"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Bounds of the number of rows that outlook looks at. The work of the largest
// window, at most 2^32 instructions of 10^6 ps a row, fits between end and the
// largest time.
const (
	minWindow = 8
	newWindow = 32
	maxWindow = 512
)

// outlook is a time before which p does nothing that matters to others: the time
// of its next action after those hits of the batch that nobody can notice. It
// stays true until p acts or its cache is changed by another one (see catchUp).
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

// makeAhead lets p, whose turn it is, make the touches that outlook has found to be hits. All come before its turn.
func (r *run) commitLookahead(p *processor) error {
	from, to := p.row, p.row+p.lookahead
	p.lookahead = 0
	if from == to || p.instr+uint64(p.batch.Instr[from]) < p.lastEvent { // then they are later than outlook knew
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

// catchUp lets q, whose cache the access of the present processor is about to
// change, make all touches that come before that access, if outlook has seen hits that need what is taken from q. Other hits stay
// hits, and leave the same behind if they are made later.
func (r *run) syncBefore(q trace.Proc, c memsys.Invalidation) {
	p := r.procs[q]
	if p.state != running || !r.conflicts(p, &c) {
		return
	}
	limit := lastBefore(action{c.At, c.By}, q)
	for p.line < p.lastLine || p.rowsBeforeEvent() > 0 {
		if done, err := r.step(p, &limit); !done || err != nil {
			break // p meets the same error at its own turn
		}
	}
	p.lookahead = 0 // what is left of it comes after that access: the next line that it takes finds nothing to catch up with
	p.window = max(p.window/2, minWindow)
	r.rescheduled = append(r.rescheduled, p)
	r.limit = -1 // the turn of p may come next: the present processor stops after its access
}

// needs reports whether hits that outlook has seen need what c takes from the cache of p.
func (r *run) conflicts(p *processor, c *memsys.Invalidation) bool {
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
