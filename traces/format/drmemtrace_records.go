package format

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"

	"spoor/traces/trace"
)

// drImport is the state of one import, of all its files.
type drImport struct {
	o    Options
	sink Sink
	by   string // auto until the first file is known, then thread or core

	procs   []*drProc
	threads map[uint64]*drTask // by thread number; of the present file alone if by core
	tasks   int                // all that were ever in threads
	drTally
}

// drProc is a processor: a thread, or a core.
type drProc struct {
	stream *stream // nil once its file is read
	proc   trace.Proc
	file   int
	tasks  []*drTask // one, or those that ran on the core

	instrs   uint64 // fetched so far
	filtered uint64 // executed so far but filtered out, as far as that is known
	next     uint64 // the address after the latest instruction, which a bundle follows
	window   uint64 // the latest window, or noWindow
	flushing bool   // a flush from flushAt on has not ended
	flushAt  uint64
}

const noWindow = math.MaxUint64

// drTask is a thread of the traced program.
type drTask struct {
	tid, pid uint64
	proc     *drProc
}

// maxTasks bounds the memory that a damaged file can ask for.
const maxTasks = 1 << 18

// drParser reads one file.
type drParser struct {
	records
	*drImport
	number      int // of the file
	first       int // number of its first processor
	task        *drTask
	proc        *drProc // whose the next references are, or nil
	coreSharded bool
	ended       bool // the latest record is a FOOTER
	chunked     bool // CHUNK_INSTR_COUNT was seen
	chunk       uint64
	repeats     bool // a time and a cpu that repeat what the previous chunk said come next
}

// read parses one file.
func (im *drImport) read(in *Input) error {
	head, err := in.Head()
	if err != nil {
		return err
	}
	p := drParser{records: records{size: drRecordSize(head), file: in.Name}, drImport: im, number: im.files, first: len(im.procs)}
	im.files++
	if len(head) >= p.size {
		if err := p.begin(head); err != nil {
			return err
		}
	}
	if err := p.blocks(in, p.block); err != nil {
		return err
	}
	if !p.ended {
		return p.fail(0, 0, "end of file without a FOOTER record: the trace is truncated", "copy it again, or run drraw2trace again")
	}
	return p.finish()
}

// finish ends the processors of the file: none goes on in another one.
func (p *drParser) finish() error {
	p.all += uint64(p.before)
	for _, proc := range p.procs[p.first:] {
		if proc.flushing {
			p.openFlushes++
		}
		if err := proc.stream.finish(); err != nil {
			return err
		}
		proc.stream = nil
	}
	return nil
}

// begin looks at the records before the first reference: they say what the file is.
func (p *drParser) begin(head []byte) error {
	first := drDecode(head, p.size)
	if first.kind != drHeader {
		raw := bytes.Contains([]byte(filepath.Base(p.file)), []byte(".raw")) || filepath.Base(filepath.Dir(p.file)) == "raw"
		if raw || int(first.kind) >= drTypes {
			return p.fail(0, 0, "not drmemtrace records: this looks like a raw trace", "run drraw2trace on its folder, and import the folder trace")
		}
		return p.fail(0, 0, "the first record is "+drTypeName(first.kind)+", not header (25)", "the start of the file is missing")
	}
	var fileType uint64
	for ; len(head) >= p.size; head = head[p.size:] {
		e := drDecode(head, p.size)
		if int(e.kind) >= drTypes || drClasses[e.kind] == drFetch || drClasses[e.kind] == drAccess {
			break
		}
		if e.kind == drMarker && e.size == drMarkFiletype {
			fileType = e.addr
			break
		}
	}
	p.coreSharded = fileType&drCoreSharded != 0
	by := map[bool]string{false: "thread", true: "core"}[p.coreSharded]
	switch {
	case p.by == "auto":
		p.by, p.guessed = by, true
	case p.guessed && p.by != by:
		return p.fail(0, 0, fmt.Sprintf("the file is sharded by %s and the files before it by %s", by, p.by), "import them apart, or choose with --set by=thread or by=core")
	}
	if p.by == "core" {
		clear(p.threads)
		p.proc = p.addProc()
	}
	return nil
}

// addProc appends a processor.
func (p *drParser) addProc() *drProc {
	proc := &drProc{proc: p.o.FirstProc + trace.Proc(len(p.procs)), file: p.number, window: noWindow}
	proc.stream = newStream(p.sink, proc.proc)
	proc.stream.withPC = p.o.PC
	p.procs = append(p.procs, proc)
	return proc
}

// block has two ways: the fast one takes instructions and references as they should
// be, the slow one everything else, a record at a time.
func (p *drParser) block(b []byte) error {
	for i := 0; i < len(b); {
		if p.proc != nil && !p.ended {
			i += p.fast(b[i:])
		}
		if i == len(b) {
			break
		}
		if err := p.slow(i/p.size, drDecode(b[i:], p.size)); err != nil {
			return err
		}
		i += p.size
	}
	if p.proc != nil {
		return p.proc.stream.err
	}
	return nil
}

// fast takes records from the start of b, and returns how many bytes they are.
func (p *drParser) fast(b []byte) int {
	proc, s, types, record, drop := p.proc, p.proc.stream, &p.types, p.size, p.o.DropIfetch
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
			s.pc = e.addr
			proc.next = e.addr + uint64(e.size)
			proc.instrs++
			s.execute(1)
			if !drop {
				s.ref(e.addr, e.size, trace.Ifetch)
			}
		case drAccess:
			if drOddSize(e) {
				return i
			}
			s.ref(e.addr, e.size, drOps[e.kind])
		case drSlowly:
			return i
		}
		types[e.kind]++
	}
	return i
}

// drOddSize reports a size of 0 or an access that wraps around.
func drOddSize(e drEntry) bool { return e.size == 0 || e.addr+uint64(e.size)-1 < e.addr }

// drTake has what the slow way does with each type that has its own.
var drTake = [drTypes]func(p *drParser, i int, e drEntry) error{
	17:           (*drParser).bundle,
	drInstrFlush: (*drParser).flush, 19: (*drParser).flushEnd, drDataFlush: (*drParser).flush, 21: (*drParser).flushEnd,
	drThread: (*drParser).thread, drPid: (*drParser).pid, drHeader: (*drParser).header, drMarker: (*drParser).marker,
	drNoFetch: (*drParser).noFetch, drMaybeFetch: (*drParser).maybeFetch,
}

// slow takes one record of any kind.
func (p *drParser) slow(i int, e drEntry) error {
	if e.kind >= drTypes {
		return p.fail(i, 0, "unknown record type "+drTypeName(e.kind), "the file is damaged, or newer than this importer")
	}
	if p.ended && !p.coreSharded && e.kind != drHeader {
		return p.fail(i, 0, "a record of type "+drTypeName(e.kind)+" after the footer", "only another trace, with its header, may follow")
	}
	p.types[e.kind]++
	p.ended = e.kind == drFooter
	take := drTake[e.kind]
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

// needProc is an error for references before any THREAD record.
func (p *drParser) needProc(i int, e drEntry) error {
	if p.proc == nil {
		return p.fail(i, 0, drTypeName(e.kind)+" before the first thread record, which says whose it is", "the start of the file is missing")
	}
	return nil
}

// fetch takes an instruction; one without a size only says where data references
// come from.
func (p *drParser) fetch(i int, e drEntry) error {
	if err := p.needProc(i, e); err != nil {
		return err
	}
	p.proc.stream.pc = e.addr
	if e.size == 0 {
		p.pcOnly++
		return nil
	}
	if problem := sizeProblem(e.addr, uint64(e.size)); problem != "" {
		return p.fail(i, 0, problem, "")
	}
	p.proc.next = e.addr + uint64(e.size)
	p.proc.instrs++
	p.proc.stream.execute(1)
	if !p.o.DropIfetch {
		p.proc.stream.ref(e.addr, e.size, trace.Ifetch)
	}
	return nil
}

// noFetch takes the later iterations of a repeated string instruction.
func (p *drParser) noFetch(i int, e drEntry) error {
	if err := p.needProc(i, e); err != nil {
		return err
	}
	p.proc.stream.pc = e.addr
	p.proc.next = e.addr + uint64(e.size)
	return nil
}

// maybeFetch takes what is a later iteration if it is where the previous
// instruction was.
func (p *drParser) maybeFetch(i int, e drEntry) error {
	if p.proc != nil && p.proc.stream.pc == e.addr {
		return p.noFetch(i, e)
	}
	return p.fetch(i, e)
}

// bundle takes instructions that follow each other: only their lengths are given.
func (p *drParser) bundle(i int, e drEntry) error {
	if err := p.needProc(i, e); err != nil {
		return err
	}
	most := p.size - 4
	switch {
	case p.proc.next == 0:
		return p.fail(i, 0, "a bundle that follows no instruction", "")
	case int(e.size) > most:
		return p.fail(i, 2, fmt.Sprintf("a bundle of %d instructions, over the limit of %d", e.size, most), "")
	}
	for n := range e.size {
		length := uint16(e.addr >> (8 * n) & 0xff)
		if length == 0 {
			return p.fail(i, 4, "a bundle with an instruction of 0 bytes", "")
		}
		if err := p.fetch(i, drEntry{drInstr, length, p.proc.next}); err != nil {
			return err
		}
	}
	return nil
}

// access takes a reference that is odd.
func (p *drParser) access(i int, e drEntry) error {
	if err := p.needProc(i, e); err != nil {
		return err
	}
	if e.size == 0 {
		p.unsized++
		e.size = max(1, p.o.DefaultSize)
	}
	if problem := sizeProblem(e.addr, uint64(e.size)); problem != "" {
		return p.fail(i, 0, problem, "")
	}
	p.proc.stream.ref(e.addr, e.size, drOps[e.kind])
	return nil
}
