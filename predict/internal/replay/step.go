package replay

import (
	"errors"
	"fmt"

	"spoor/predict/internal/memsys/layer"
	"spoor/predict/internal/memsys/touch"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// step replays references of p until it would act after *limit; then it reports done = false. It may stop before
// that: at the end of the batch, at an event, or within a reference that crosses a line boundary.
func (r *run) step(p *processor, limit *unit.Picos) (done bool, err error) {
	if p.line < p.lastLine {
		return r.stepCrossing(p, *limit), nil
	}
	return r.stepRows(p, limit)
}

// stepRows replays rows of the batch of p until one would act after *limit. The accesses themselves may lower the
// limit.
func (r *run) stepRows(p *processor, limit *unit.Picos) (done bool, err error) {
	from, to := p.row, p.row+p.rowsBeforeEvent()
	instrs, ops := p.batch.Instr[from:to], p.batch.Op[from:to]
	addrs, sizes := p.batch.Addr[from:to], p.batch.Size[from:to]
	if err := p.resync(instrs[0]); err != nil {
		return false, err
	}
	instr, touches, refs, stall := p.instr, p.touches, p.refs, p.stall
	i := 0
	for done = true; i < len(addrs); i++ {
		position := instr + uint64(instrs[i])
		if !ops[i].Data() {
			if err := p.tooLong(position); err != nil {
				return false, err
			}
			if ops[i] != trace.Ifetch {
				now := p.clock.At(position, touches) + stall
				if now > *limit {
					p.next, done = now, false
					break
				}
				if r.node != nil {
					return false, errNoControl
				}
				if cost := r.control(p, now, ops[i], addrs[i], sizes[i]); cost.Retry {
					stall += r.charge(p, now, cost)
					i--
					continue
				}
			}
			p.skipped[ops[i]]++
			instr = position
			continue
		}
		now := p.clock.At(position, touches+1) + stall
		if now > *limit {
			p.next, done = now, false
			break
		}
		first, last := addrs[i]>>r.shift, (addrs[i]+uint64(sizes[i])-1)>>r.shift
		cost := r.sys.Access(now, p.id, first, ops[i] == trace.Store)
		if cost != (touch.Cost{}) {
			stall += r.charge(p, now, cost)
			if cost.Retry {
				i--
				continue
			}
		}
		instr = position
		touches++
		refs++
		if first != last {
			p.line, p.lastLine, p.isStore = first, last, ops[i] == trace.Store
			i++
			break
		}
	}
	p.row += i
	p.rowsDone += uint64(i)
	p.instr, p.touches, p.refs, p.stall = instr, touches, refs, stall
	return done, nil
}

// control performs a prefetch or a flush of p. Neither takes time beyond its instructions. It returns what p must wait
// for first.
func (r *run) control(p *processor, now unit.Picos, op trace.Op, addr uint64, size uint16) (cost touch.Cost) {
	if op == trace.Prefetch && r.prefetching == nil {
		r.prefetching = layer.WithPrefetches(r.sys, len(r.procs))
		r.sys = r.prefetching
	}
	for line, last := addr>>r.shift, (addr+uint64(size)-1)>>r.shift; line <= last && !cost.Retry; line++ {
		if op == trace.Prefetch {
			cost = r.prefetching.PrefetchLine(now, p.id, line)
		} else {
			cost = r.sys.Flush(now, p.id, line)
		}
	}
	return cost
}

// errNoControl is the error of a prefetch or a flush on nodes that affect each other only by messages.
var errNoControl = errors.New("target wwt does not simulate prefetches and flushes; use target dir1sw")

// tooLong returns an error if instr instructions are too many to be simulated.
func (p *processor) tooLong(instr uint64) error {
	if instr > p.maxInstr {
		return fmt.Errorf("%d instructions take more than %v, more than can be simulated", instr, horizon)
	}
	return nil
}

// charge adds the cost of an access of p at now to its waits. It returns the time that the access adds.
func (r *run) charge(p *processor, now unit.Picos, c touch.Cost) unit.Picos {
	p.waited.Latency += c.Latency
	p.waited.Contention += c.Contention
	wait := c.Total()
	if r.opt.Observer != nil && wait > 0 {
		r.observeStall(p, now, c)
	}
	return wait
}

// resync checks the position of the next row, gap instructions after the last, against the event before it. A row
// with the largest gap may stand for a larger gap, which only events can express. From such a row on, events correct
// the position of the references.
func (p *processor) resync(gap uint32) error {
	at := p.instr + uint64(gap)
	if at >= p.lastEvent {
		return nil
	}
	if p.rowsDone < p.firstSaturated {
		return fmt.Errorf("reference %d is at instruction %d, but the event before it is at instruction %d; "+
			"the refs and events files do not belong together", p.rowsDone, at, p.lastEvent)
	}
	p.instr += p.lastEvent - at
	return nil
}

// stepCrossing lets the current reference touch its next line, unless that is after limit.
func (r *run) stepCrossing(p *processor, limit unit.Picos) bool {
	p.next = p.clock.At(p.instr, p.touches+1) + p.stall
	if p.next > limit {
		return false
	}
	cost := r.sys.Access(p.next, p.id, p.line+1, p.isStore)
	p.stall += r.charge(p, p.next, cost)
	if !cost.Retry {
		p.line++
		p.touches++
	}
	return true
}

// drain makes p wait until all its touches have ended. It reports whether p had to wait.
func (r *run) drain(p *processor) bool {
	wait := r.charge(p, p.next, r.sys.Drain(p.next, p.id))
	p.stall += wait
	return wait > 0
}
