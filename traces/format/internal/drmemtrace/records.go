package drmemtrace

import (
	"fmt"

	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// block has two paths. The fast path handles regular instructions and references. The
// slow path handles all other records, one at a time.
func (p *drParser) block(b []byte) error {
	for i := 0; i < len(b); {
		if p.proc != nil && !p.ended {
			i += p.fast(b[i:])
		}
		if i == len(b) {
			break
		}
		if err := p.slow(i/p.Size, drDecode(b[i:], p.Size)); err != nil {
			return err
		}
		i += p.Size
	}
	if p.proc != nil {
		return p.proc.stream.Err
	}
	return nil
}

// fast parses records from the start of b, and returns the number of bytes parsed.
func (p *drParser) fast(b []byte) int {
	proc, s, types, record, drop := p.proc, p.proc.stream, &p.types, p.Size, p.o.DropIfetch
	i := 0
	for ; i+record <= len(b); i += record {
		e := drDecode(b[i:], record)
		if e.kind >= drTypes {
			break
		}
		switch drClasses[e.kind] {
		case drFetch:
			if drOddSize(e) {
				return i
			}
			s.Pc = e.addr
			proc.next = e.addr + uint64(e.size)
			proc.instrs++
			s.Execute(1)
			if !drop {
				s.Ref(e.addr, e.size, trace.Ifetch)
			}
		case drAccess:
			if drOddSize(e) {
				return i
			}
			s.Ref(e.addr, e.size, drOps[e.kind])
		case drSlow:
			return i
		}
		types[e.kind]++
	}
	return i
}

// drOddSize reports whether a size is 0 or an access wraps around.
func drOddSize(e drEntry) bool { return e.size == 0 || e.addr+uint64(e.size)-1 < e.addr }

// drHandlers lists the slow path's handler of each type that has its own.
var drHandlers = [drTypes]func(p *drParser, i int, e drEntry) error{
	17:           (*drParser).bundle,
	drInstrFlush: (*drParser).flush, 19: (*drParser).flushEnd, drDataFlush: (*drParser).flush, 21: (*drParser).flushEnd,
	DrThread: (*drParser).thread, drPid: (*drParser).pid, DrHeader: (*drParser).header, drMarker: (*drParser).marker,
	drNoFetch: (*drParser).noFetch, drMaybeFetch: (*drParser).maybeFetch,
}

// slow handles one record of any kind.
func (p *drParser) slow(i int, e drEntry) error {
	if e.kind >= drTypes {
		return p.Fail(i, 0, "unknown record type "+drTypeName(e.kind), "the file is damaged, or newer than this importer")
	}
	if p.ended && !p.coreSharded && e.kind != DrHeader {
		return p.Fail(i, 0, "a record of type "+drTypeName(e.kind)+" after the footer", "only another trace, with its header, may follow")
	}
	p.types[e.kind]++
	p.ended = e.kind == DrFooter
	take := drHandlers[e.kind]
	switch drClasses[e.kind] {
	case drFetch:
		take = (*drParser).fetch
	case drAccess:
		take = (*drParser).access
	}
	if take == nil {
		return nil
	}
	return take(p, i, e)
}

// needProc returns an error for a reference before any THREAD record.
func (p *drParser) needProc(i int, e drEntry) error {
	if p.proc == nil {
		return p.Fail(i, 0, drTypeName(e.kind)+" before the first thread record, so its thread is unknown", "the start of the file is missing")
	}
	return nil
}

// fetch handles an instruction. An instruction without a size only gives the PC of data
// references.
func (p *drParser) fetch(i int, e drEntry) error {
	if err := p.needProc(i, e); err != nil {
		return err
	}
	p.proc.stream.Pc = e.addr
	if e.size == 0 {
		p.pcOnly++
		return nil
	}
	if problem := input.SizeProblem(e.addr, uint64(e.size)); problem != "" {
		return p.Fail(i, 0, problem, "")
	}
	p.proc.next = e.addr + uint64(e.size)
	p.proc.instrs++
	p.proc.stream.Execute(1)
	if !p.o.DropIfetch {
		p.proc.stream.Ref(e.addr, e.size, trace.Ifetch)
	}
	return nil
}

// noFetch handles a later iteration of a repeated string instruction.
func (p *drParser) noFetch(i int, e drEntry) error {
	if err := p.needProc(i, e); err != nil {
		return err
	}
	p.proc.stream.Pc = e.addr
	p.proc.next = e.addr + uint64(e.size)
	return nil
}

// maybeFetch handles an instruction that counts as a later iteration if it has the
// address of the previous one.
func (p *drParser) maybeFetch(i int, e drEntry) error {
	if p.proc != nil && p.proc.stream.Pc == e.addr {
		return p.noFetch(i, e)
	}
	return p.fetch(i, e)
}

// bundle handles consecutive instructions, given by their lengths only.
func (p *drParser) bundle(i int, e drEntry) error {
	if err := p.needProc(i, e); err != nil {
		return err
	}
	most := p.Size - 4
	switch {
	case p.proc.next == 0:
		return p.Fail(i, 0, "a bundle without an instruction before it", "")
	case int(e.size) > most:
		return p.Fail(i, 2, fmt.Sprintf("a bundle has %d instructions, over the limit of %d", e.size, most), "")
	}
	for n := range e.size {
		length := uint16(e.addr >> (8 * n) & 0xff)
		if length == 0 {
			return p.Fail(i, 4, "a bundle has an instruction of 0 bytes", "")
		}
		if err := p.fetch(i, drEntry{drInstr, length, p.proc.next}); err != nil {
			return err
		}
	}
	return nil
}

// access handles an irregular reference.
func (p *drParser) access(i int, e drEntry) error {
	if err := p.needProc(i, e); err != nil {
		return err
	}
	if e.size == 0 {
		p.unsized++
		e.size = p.defaultSize()
	}
	if problem := input.SizeProblem(e.addr, uint64(e.size)); problem != "" {
		return p.Fail(i, 0, problem, "")
	}
	p.proc.stream.Ref(e.addr, e.size, drOps[e.kind])
	return nil
}
