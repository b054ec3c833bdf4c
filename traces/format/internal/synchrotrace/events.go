package synchrotrace

import (
	"bytes"
	"fmt"

	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// Limits for one line. They keep positions within 64 bits, and prevent that one line
// becomes millions of references.
const (
	syncMaxWork  = 1 << 48   // operations of an event
	syncMaxRange = 256 << 20 // bytes in a range
	syncMaxObj   = 1 << 20   // mutexes, barriers and other objects
	syncMaxAll   = 1 << 62   // operations of all threads
)

// syncAPI are the calls of the thread library, by number.
var syncAPI = [...]string{1: "mutex lock", 2: "mutex unlock", 3: "create", 4: "join", 5: "barrier", 6: "cond wait", 7: "cond signal", 8: "cond broadcast",
	9: "spin lock", 10: "spin unlock", 11: "sem init", 12: "sem wait", 13: "sem post", 14: "sem getvalue", 15: "sem destroy"}

// event parses a line of a thread.
func (p *syncParser) event(line []byte) error {
	if len(line) > 1 && line[0] == line[1] && (line[0] == '#' || line[0] == '*') {
		return p.Fail(line, "a line of sigil.pthread.out among the events", "rename that file to sigil.pthread.out")
	}
	rest := bytes.TrimLeft(line[1:], input.Blanks)
	var err error
	switch line[0] {
	case '@':
		err = p.computation(line, rest)
	case '#':
		err = p.communication(line)
	case '^':
		err = p.call(line, rest)
	case '!':
		var n uint64
		n, err = p.number(line, rest, "number of instructions")
		p.instructions += n
	default:
		err = p.Fail(line, "unknown event", "events begin with @ # ^ or !; version 1 of the format, with a number before each event, cannot be read")
	}
	if err != nil {
		return err
	}
	p.tokens[line[0]]++
	p.events++
	return p.stream.Err
}

// number reads a number within the limits.
func (p *syncParser) number(line, field []byte, what string) (uint64, error) {
	v, problem := input.ParseDecimal(field)
	if problem == "" && v > syncMaxWork {
		problem = "over the limit of 2^48"
	}
	if problem != "" {
		return 0, p.Fail(line, what+": "+problem, "")
	}
	return v, nil
}

// computation parses operations and the ranges that they read and write.
func (p *syncParser) computation(line, rest []byte) error {
	counts, rest := syncField(rest)
	work, err := p.amounts(line, counts)
	if err != nil {
		return err
	}
	p.reads, p.writes = p.reads[:0], p.writes[:0]
	var into *[]syncRange
	for {
		field, more := syncField(rest)
		switch {
		case len(field) == 0:
			p.stream.Execute(work)
			p.refer(p.reads, trace.Load)
			p.refer(p.writes, trace.Store)
			return nil
		case len(field) == 1 && field[0] == '*':
			into, rest = &p.reads, more
		case len(field) == 1 && field[0] == '$':
			into, rest = &p.writes, more
		case into == nil:
			return p.Fail(line, "a range without $ or * before it", "write $ start end for written ranges and * start end for read ranges")
		default:
			r, more, err := p.span(line, rest)
			if err != nil {
				return err
			}
			*into, rest = append(*into, r), more
		}
	}
}

// amounts parses the counts of a computation, and returns its operations.
func (p *syncParser) amounts(line, counts []byte) (work uint64, err error) {
	var values [4]uint64
	for i := range values {
		field, more, found := bytes.Cut(counts, []byte(","))
		if found != (i < 3) {
			return 0, p.Fail(line, "not four counts", "write @ iops,flops,reads,writes")
		}
		if values[i], err = p.number(line, field, "count of operations or accesses"); err != nil {
			return 0, err
		}
		counts = more
	}
	work = values[0] + values[1]
	p.counted += values[2] + values[3]
	if p.operations += work; p.operations > syncMaxAll {
		return 0, p.Fail(line, "more than 2^62 operations up to this line", "")
	}
	return work, nil
}

// communication parses the ranges that this thread reads from other threads.
func (p *syncParser) communication(line []byte) error {
	p.reads = p.reads[:0]
	for rest := line; ; {
		mark, more := syncField(rest)
		if len(mark) == 0 {
			p.foreign += uint64(len(p.reads))
			p.refer(p.reads, trace.Load)
			return nil
		}
		if len(mark) != 1 || mark[0] != '#' {
			return p.Fail(line, "no # before a range", "write # thread event start end")
		}
		thread, more := syncField(more)
		event, more := syncField(more)
		if n, err := p.number(line, thread, "number of the thread"); err != nil {
			return err
		} else if n == 0 {
			return p.Fail(line, "thread 0", "threads are numbered from 1")
		}
		if _, err := p.number(line, event, "number of the event"); err != nil {
			return err
		}
		r, more, err := p.span(line, more)
		if err != nil {
			return err
		}
		p.reads, rest = append(p.reads, r), more
	}
}

// syncRange is a range of bytes.
type syncRange struct{ start, size uint64 }

// span reads the first and the last byte of a range.
func (p *syncParser) span(line, rest []byte) (r syncRange, more []byte, err error) {
	start, rest := syncField(rest)
	end, rest := syncField(rest)
	first, problem := syncNumber(start)
	last, problem2 := syncNumber(end)
	switch {
	case problem != "":
		return r, nil, p.Fail(line, "start of a range: "+problem, "")
	case problem2 != "":
		return r, nil, p.Fail(line, "end of a range: "+problem2, "")
	case last < first:
		return r, nil, p.Fail(line, fmt.Sprintf("the range from %#x ends at %#x, before its start", first, last), "")
	case last-first >= syncMaxRange:
		return r, nil, p.Fail(line, fmt.Sprintf("the range from %#x to %#x has %d bytes or more, over the limit of %d", first, last, last-first, syncMaxRange), "")
	}
	return syncRange{first, last - first + 1}, rest, nil
}

// refer appends a reference for each range, or several for a long range.
func (p *syncParser) refer(ranges []syncRange, op trace.Op) {
	p.ranges += uint64(len(ranges))
	for _, r := range ranges {
		if r.size > 65535 {
			p.split++
			for ; r.size > syncPiece; r.size -= syncPiece {
				p.stream.Ref(r.start, syncPiece, op)
				r.start += syncPiece
			}
		}
		p.stream.Ref(r.start, uint16(r.size), op)
	}
}

// syncPiece is the size of the references to a range over 65535 bytes: whole lines.
const syncPiece = 32 << 10

// syncField splits the first field off a line.
func syncField(b []byte) (field, rest []byte) {
	i := 0
	for i < len(b) && input.IsBlank(b[i]) {
		i++
	}
	j := i
	for j < len(b) && !input.IsBlank(b[j]) {
		j++
	}
	return b[i:j], b[j:]
}

// call parses a call of the thread library.
func (p *syncParser) call(line, rest []byte) error {
	number, rest, _ := bytes.Cut(rest, []byte("^"))
	object, mutex, hasMutex := bytes.Cut(rest, []byte("&"))
	kind, err := p.number(line, number, "type of the call")
	if err != nil {
		return err
	}
	if kind == 0 || kind >= uint64(len(syncAPI)) {
		return p.Fail(line, fmt.Sprintf("unknown call %d", kind), "calls are 1 (mutex lock) to 15 (sem destroy)")
	}
	addr, problem := syncNumber(object)
	var mutexAddr uint64
	if problem == "" && hasMutex {
		mutexAddr, problem = syncNumber(mutex)
	}
	if problem != "" {
		return p.Fail(line, "address of the object: "+problem, "write ^ type^address")
	}
	if kind == 6 && !hasMutex {
		return p.Fail(line, "cond wait without its mutex", "write ^ 6^address&mutex")
	}
	if len(p.objects) >= syncMaxObj {
		return p.Fail(line, fmt.Sprintf("more than %d mutexes, barriers and other objects", syncMaxObj), "")
	}
	p.calls[kind]++
	return p.act(line, kind, addr, mutexAddr)
}

// act emits the events of a call. Calls without an event in the model are only counted.
func (p *syncParser) act(line []byte, kind, addr, mutex uint64) error {
	switch kind {
	case 1, 9:
		p.lock(addr)
	case 2, 10:
		return p.unlock(line, addr)
	case 3:
		p.thread(trace.Fork, addr)
	case 4:
		p.thread(trace.Join, addr)
	case 5:
		p.barrier(addr)
	case 6:
		if err := p.unlock(line, mutex); err != nil {
			return err
		}
		p.mark(trace.WaitFlag, addr)
		p.lock(mutex)
	case 7, 8, 13:
		p.mark(trace.Signal, addr)
	case 12:
		p.mark(trace.WaitFlag, addr)
	}
	return nil
}

// mark appends an event of an object, and numbers the object.
func (p *syncParser) mark(kind trace.Kind, addr uint64) { p.markIn(false, kind, addr) }

// markIn marks an event about an object. If own, the object has a group of its own.
func (p *syncParser) markIn(own bool, kind trace.Kind, addr uint64) {
	e := trace.NewEvent(kind)
	n, ok := p.objects[addr]
	if !ok {
		n = int32(len(p.objects))
		p.objects[addr] = n
	}
	e.Peer, e.Addr = n, int64(addr)
	if own {
		e.Group = n
	}
	p.stream.Mark(e)
}

// lock locks a mutex. If the thread already holds it, the mutex is recursive: only the
// first lock and the last unlock become events.
func (p *syncParser) lock(addr uint64) {
	if p.held[addr]++; p.held[addr] > 1 {
		p.nested++
		return
	}
	p.mark(trace.Lock, addr)
}

func (p *syncParser) unlock(line []byte, addr uint64) error {
	switch n := p.held[addr]; {
	case n == 0:
		return p.Fail(line, fmt.Sprintf("unlock of %#x, which the thread has not locked", addr), "lines are missing before this one")
	case n > 1:
		p.held[addr]--
	default:
		delete(p.held, addr)
		p.mark(trace.Unlock, addr)
	}
	return nil
}

// thread appends the start of another thread or the wait for its end.
func (p *syncParser) thread(kind trace.Kind, addr uint64) {
	e := trace.NewEvent(kind)
	e.Addr = int64(addr)
	if proc, ok := p.procOf[p.created[addr]]; ok {
		e.Peer = int32(p.o.FirstProc) + proc
	} else {
		p.unnamed++
	}
	p.stream.Mark(e)
}

// barrier marks a barrier. If only some threads take part, they are a group.
func (p *syncParser) barrier(addr uint64) {
	n, ok := p.barriers[addr]
	some := ok && n != len(p.procOf)
	if some {
		p.partial++
	}
	p.markIn(some, trace.Barrier, addr)
}
