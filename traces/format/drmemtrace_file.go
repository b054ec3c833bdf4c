package format

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

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
		raw := strings.Contains(filepath.Base(p.file), ".raw") || filepath.Base(filepath.Dir(p.file)) == "raw"
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
