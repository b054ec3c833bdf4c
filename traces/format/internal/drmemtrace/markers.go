package drmemtrace

import (
	"fmt"
	"math"
	"slices"

	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// header handles a HEADER: the start of a file, or of the next trace in it.
func (p *drParser) header(i int, e drEntry) error {
	p.chunked, p.chunk, p.repeats = false, 0, false
	return p.version(i, e.addr)
}

func (p *drParser) version(i int, v uint64) error {
	switch {
	case v > drNewest:
		return p.Fail(i, 0, fmt.Sprintf("version %d is newer than %d", v, drNewest), "convert the trace with an older DynamoRIO")
	case v == 0:
		return p.Fail(i, 0, "version 0; the first is 1", "the file is damaged")
	}
	p.versions |= 1 << v
	return nil
}

// thread handles a THREAD: the next records are of that thread.
func (p *drParser) thread(i int, e drEntry) error {
	t := p.threads[e.addr]
	switch {
	case t == nil && p.tasks == maxTasks:
		return p.Fail(i, 0, fmt.Sprintf("more than %d threads", maxTasks), "the file is damaged")
	case t == nil:
		t = &drTask{tid: e.addr, proc: p.proc}
		if p.by == "thread" {
			t.proc = p.addProc()
		}
		t.proc.tasks = append(t.proc.tasks, t)
		p.threads[t.tid] = t
		p.tasks++
	case t.proc.file != p.number && p.coreSharded:
		return p.Fail(i, 0, fmt.Sprintf("thread %d ran on several cores, and the order of its parts in different files is unknown", t.tid),
			"import with --set by=core")
	case t.proc.file != p.number:
		return p.Fail(i, 0, fmt.Sprintf("thread %d is in an earlier file too", t.tid), "import the files separately, or each as a processor with --set by=core")
	}
	p.task = t
	return p.switchTo(t.proc)
}

// switchTo makes proc the processor of the next references. It moves the memory for
// references to proc, so that many threads need only one buffer.
func (p *drParser) switchTo(proc *drProc) error {
	before := p.proc
	p.proc = proc
	if before == nil || before == proc {
		return nil
	}
	a, b := before.stream, proc.stream
	a.Flush()
	a.Refs, b.Refs = b.Refs, a.Refs
	a.Refs.Proc, b.Refs.Proc = before.proc, proc.proc
	return a.Err
}

// pid handles a PID: the process of the thread.
func (p *drParser) pid(_ int, e drEntry) error {
	if p.task != nil {
		p.task.pid = e.addr
	}
	return nil
}

// marker handles a MARKER. Most kinds are only counted.
func (p *drParser) marker(i int, e drEntry) error {
	if e.size >= drMarks {
		p.unknown++
		if len(p.unknownKinds) < input.MaxUnknownKinds && !slices.Contains(p.unknownKinds, e.size) {
			p.unknownKinds = append(p.unknownKinds, e.size)
		}
		return nil
	}
	p.markers[e.size]++
	switch e.size {
	case drMarkFiletype:
		p.fileTypes |= e.addr
		if e.addr&drIs32 != 0 && p.Size == drRecord || e.addr&drIs64 != 0 && p.Size == drRecord32 {
			p.otherWidth++
		}
	case drMarkVersion:
		return p.version(i, e.addr)
	case drMarkChunkInstrs:
		p.chunked = e.addr > 0
	case drMarkChunkFooter:
		if e.addr != p.chunk {
			p.chunkGaps++
		}
		p.chunk = e.addr + 1
	case drMarkOrdinal:
		p.repeats = p.chunked
	case drMarkTimestamp, drMarkCPU:
		if p.repeats {
			p.repeated++
			p.repeats = e.size == drMarkTimestamp
		}
	case drMarkInstrCount:
		return p.instrCount(i, e.addr)
	case drMarkWindow, drMarkFilterEnd:
		p.mark(e)
	}
	return nil
}

// mark appends an event for the start of a window or the end of a warmup.
func (p *drParser) mark(e drEntry) {
	event := trace.NewEvent(trace.Marker)
	if p.proc == nil || e.size == drMarkWindow && e.addr == p.proc.window {
		return
	}
	if e.size == drMarkWindow {
		p.proc.window = e.addr
		event.Tag = int32(e.addr & math.MaxInt32)
		p.windows++
	}
	p.proc.stream.Mark(event)
}

// instrCount handles the number of instructions that the thread has executed. Filtered
// traces have it. It gives the number of instructions filtered out so far.
func (p *drParser) instrCount(i int, n uint64) error {
	if n > math.MaxInt64/2 {
		return p.Fail(i, 4, fmt.Sprintf("the count of %d instructions is not possible", n), "the file is damaged")
	}
	if p.proc == nil || p.by == "core" || p.fileTypes&drFiltered == 0 {
		return nil
	}
	if have := p.proc.instrs + p.proc.filtered; n > have {
		p.proc.filtered += n - have
		p.proc.stream.Execute(n - have)
	}
	return nil
}

// maxFlush is the number of bytes of a flush that are kept. A flush that is too long
// for one reference is split into pieces of flushPiece bytes.
const (
	maxFlush   = 2 << 20
	flushPiece = 32 << 10
)

// flush handles a complete flush, or the start of one.
func (p *drParser) flush(i int, e drEntry) error {
	if err := p.needProc(i, e); err != nil {
		return err
	}
	if p.proc.flushing {
		p.openFlushes++
	}
	p.proc.flushing, p.proc.flushAt = e.size == 0, e.addr
	if e.size == 0 {
		return nil
	}
	return p.flushed(i, e.addr, uint64(e.size))
}

// flushEnd handles the end of a flush, the address after its last byte.
func (p *drParser) flushEnd(i int, e drEntry) error {
	if err := p.needProc(i, e); err != nil {
		return err
	}
	at := p.proc.flushAt
	switch {
	case !p.proc.flushing:
		return p.Fail(i, 0, "the end of a flush without its start", "")
	case e.addr <= at:
		return p.Fail(i, 4, fmt.Sprintf("a flush starts at %#x and ends at %#x", at, e.addr), "")
	}
	p.proc.flushing = false
	return p.flushed(i, at, e.addr-at)
}

func (p *drParser) flushed(i int, addr, size uint64) error {
	if addr+size-1 < addr {
		return p.Fail(i, 0, input.SizeProblem(addr, size), "")
	}
	if size > maxFlush {
		p.cutFlushes++
		size = maxFlush
	}
	if size > math.MaxUint16 {
		p.splitFlushes++
		for ; size > flushPiece; size -= flushPiece {
			p.proc.stream.Ref(addr, flushPiece, trace.Flush)
			addr += flushPiece
		}
	}
	p.proc.stream.Ref(addr, uint16(size), trace.Flush)
	return nil
}
