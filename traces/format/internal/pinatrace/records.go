package pinatrace

import (
	"bytes"
	"fmt"

	"spoor/traces/format/internal/emit"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// pinParser handles stock lines in the middle of a block on a fast path, and all other
// lines one at a time.
type pinParser struct {
	input.Text
	o        format.Options
	threads  emit.Threads
	procs    []*pinThread
	latest   *pinThread // of the previous line
	together bool       // instructions are counted over all threads together
	now      uint64     // that count
	size     uint16     // of references without a size

	count                                          [8]uint64 // by operation
	ended                                          bool      // #eof was read
	comments, named, sized, decimal, more, nowhere int
	cut                                            int
}

// pinThread is a thread.
type pinThread struct {
	*emit.Thread
	emit.Fetching
	last pinLine // its latest line
}

func (p *pinParser) records() uint64 {
	return p.count[trace.Load] + p.count[trace.Store] + p.count[trace.Ifetch]
}

// pinWindow exceeds the longest stock line, 42 bytes.
const pinWindow = 48

// fast parses lines of the stock form from the start of b, and returns the number of
// bytes parsed. It stops at the first other line.
func (p *pinParser) fast(b []byte) int {
	i := 0
	for !p.ended && i+pinWindow <= len(b) {
		w := b[i : i+pinWindow]
		if w[0] != '0' || w[1] != 'x' {
			break
		}
		ip, j := input.HexRun(w, 2)
		if j == 2 || string(w[j:j+2]) != ": " || string(w[j+3:j+6]) != " 0x" {
			break
		}
		op := pinOps[w[j+2]]
		addr, k := input.HexRun(w, j+6)
		if op == 0 || k == j+6 || w[k] != '\n' {
			break
		}
		r := pinLine{ip: ip, op: op, addr: addr}
		p.Line++
		if p.record(&r) != "" {
			p.Line--
			break // the slow path reports it
		}
		i += k + 1
	}
	return i
}

// slow handles one line of any kind.
func (p *pinParser) slow(raw []byte, last bool) error {
	if p.latest != nil && p.latest.Err != nil {
		return p.latest.Err
	}
	if err := p.CheckNUL(raw); err != nil {
		return err
	}
	line := p.Trim(raw)
	switch {
	case len(line) == 0:
		return nil
	case bytes.Equal(line, pinEOF):
		p.ended = true
		return nil
	case line[0] == '#':
		p.comments++
		return nil
	case p.ended:
		return p.Fail(line, "a record after #eof", "two runs were appended; import each separately")
	}
	r, problem, advice := parsePin(line, p.o.AddrBase == 16)
	if problem == "" {
		problem = p.record(&r)
	} else if last && p.records() > 0 {
		p.cut++
		return nil
	}
	if problem != "" {
		return p.Fail(line, problem, advice)
	}
	if last {
		p.Unended++
	}
	return nil
}

// record appends one record, unless there is a problem.
func (p *pinParser) record(r *pinLine) (problem string) {
	t := p.latest
	if t == nil || t.Id != r.thread {
		if t, problem = p.find(r.thread); problem != "" {
			return problem
		}
	}
	size := p.size
	if r.size > 0 {
		size = uint16(r.size)
	}
	if r.addr+uint64(size)-1 < r.addr {
		return input.SizeProblem(r.addr, uint64(size))
	}
	p.tally(r)
	// A write directly after a read by the same instruction belongs to it.
	part := (t == p.latest || !p.together) && t.last.op == trace.Load && r.op == trace.Store &&
		(t.Fetches || r.ip != 0 && r.ip == t.last.ip)
	modify := part && r.addr == t.last.addr && r.size == t.last.size
	if !part {
		p.begin(t, r)
	}
	p.latest, t.last = t, *r
	switch {
	case modify && p.o.Modify == format.ModifyLoad, r.op == trace.Ifetch && p.o.DropIfetch:
		return ""
	case modify && p.o.Modify == format.ModifyStore && t.Refs.Len() > 0: // otherwise advance of another thread has already sent the load
		t.Unref()
	}
	t.Ref(r.addr, size, r.op)
	return ""
}

// find returns the thread with that number.
func (p *pinParser) find(id uint64) (t *pinThread, problem string) {
	th, problem := p.threads.Find(id)
	if problem != "" {
		return nil, problem
	}
	at := int(th.Refs.Proc - p.threads.First)
	if at == len(p.procs) {
		p.procs = append(p.procs, &pinThread{Thread: th})
	}
	return p.procs[at], ""
}

// begin moves t to the instruction of r.
func (p *pinParser) begin(t *pinThread, r *pinLine) {
	p.threads.Advance(t.Thread, t.Step(r.op, t.Now, &p.now, p.together))
	switch {
	case r.op == trace.Ifetch:
		t.Pc = r.addr
	case r.ip != 0 || !t.Fetches:
		t.Pc = r.ip
	}
}

// tally counts the subjects of notes.
func (p *pinParser) tally(r *pinLine) {
	p.count[r.op&7]++
	if r.size > 0 {
		p.sized++
	}
	if r.named {
		p.named++
	}
	if r.decimal {
		p.decimal++
	}
	if r.more {
		p.more++
	}
	if r.ip == 0 && r.op != trace.Ifetch {
		p.nowhere++
	}
}

func (p *pinParser) notes() []string {
	all := p.Text.Notes()
	add := func(n int, format string, args ...any) {
		if n > 0 {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	records := int(p.records())
	add(p.cut, "the last line is truncated and omitted: the run was killed")
	if !p.ended {
		all = append(all, "no #eof at the end: the run was killed, or the tool is not Pin's own")
	}
	add(records-p.sized, "%s without a size counted as %s; --default-size sets another size", input.Plural(records-p.sized, "reference"), input.Plural(int(p.size), "byte"))
	all = append(all, p.instructions()...)
	if p.o.PC && p.count[trace.Ifetch] == 0 {
		add(p.nowhere, "%s of unknown instructions: pc 0", input.Plural(p.nowhere, "reference"))
	}
	add(p.named, "the number before the operation is read as the thread")
	if n := p.threads.Numbering(); n != "" {
		all = append(all, n)
	}
	add(p.decimal, "numbers without 0x are read as decimal addresses; %s", adviceHex)
	add(p.more, "%s with text after the size, ignored", input.Plural(p.more, "line"))
	add(p.comments, "%s skipped", input.Plural(p.comments, "comment line"))
	return all
}

// instructions describes what counts as an instruction.
func (p *pinParser) instructions() []string {
	tally := make([]emit.Fetching, len(p.procs))
	for i, t := range p.procs {
		tally[i] = t.Fetching
	}
	return emit.InstructionNotes(tally, int(p.threads.First), emit.Counting{Proc: "thread", Ref: "reference", Records: "lines", But: ", except a write directly after a read by the same one", Together: p.together})
}
