package drmemtrace

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"spoor/traces/format/internal/emit"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// drImport is the state of an import of all files.
type drImport struct {
	o    format.Options
	sink format.Sink
	by   string // auto until the first file is known, then thread or core

	procs   []*drProc
	threads map[uint64]*drTask // by thread number; if by core, of the current file alone
	tasks   int                // all threads so far
	drTally
}

// drProc is a processor: a thread or a core.
type drProc struct {
	stream *emit.Stream // nil after its file is read
	proc   trace.Proc
	file   int
	tasks  []*drTask // one, or all that ran on the core

	instrs   uint64 // fetched so far
	filtered uint64 // executed so far but filtered out, as far as known
	next     uint64 // the address after the latest instruction; a bundle continues there
	window   uint64 // the latest window, or noWindow
	flushing bool   // a flush that starts at flushAt has not ended
	flushAt  uint64
}

const noWindow = math.MaxUint64

// drTask is a thread of the traced program.
type drTask struct {
	tid, pid uint64
	proc     *drProc
}

// maxTasks limits the memory that a damaged file can cause.
const maxTasks = 1 << 18

// drParser reads one file.
type drParser struct {
	input.Records
	*drImport
	number      int // index of the file
	first       int // index of its first processor
	task        *drTask
	proc        *drProc // of the next references, or nil
	coreSharded bool
	ended       bool // the latest record is a FOOTER
	chunked     bool // a CHUNK_INSTR_COUNT marker was read
	chunk       uint64
	repeats     bool // the next time and cpu repeat those of the previous chunk
}

// read parses one file.
func (im *drImport) read(in *input.Input) error {
	head, err := in.Head()
	if err != nil {
		return err
	}
	p := drParser{Records: input.Records{Size: drRecordSize(head), File: in.Name}, drImport: im, number: im.files, first: len(im.procs)}
	im.files++
	if len(head) >= p.Size {
		if err := p.begin(head); err != nil {
			return err
		}
	}
	if err := p.Blocks(in, p.block); err != nil {
		return err
	}
	if !p.ended {
		return p.Fail(0, 0, "end of file without a FOOTER record: the trace is truncated", "copy it again, or run drraw2trace again")
	}
	return p.finish()
}

// finish ends the processors of the file. None continues in another file.
func (p *drParser) finish() error {
	p.all += uint64(p.Before)
	for _, proc := range p.procs[p.first:] {
		if proc.flushing {
			p.openFlushes++
		}
		if err := proc.stream.Finish(); err != nil {
			return err
		}
		proc.stream = nil
	}
	return nil
}

// begin reads the records before the first reference, which describe the file.
func (p *drParser) begin(head []byte) error {
	first := drDecode(head, p.Size)
	if first.kind != DrHeader {
		raw := strings.Contains(filepath.Base(p.File), ".raw") || filepath.Base(filepath.Dir(p.File)) == "raw"
		if raw || int(first.kind) >= drTypes {
			return p.Fail(0, 0, "not drmemtrace records: this looks like a raw trace", "run drraw2trace on its folder, and import the folder trace")
		}
		return p.Fail(0, 0, "the first record is "+drTypeName(first.kind)+", not header (25)", "the start of the file is missing")
	}
	var fileType uint64
	for ; len(head) >= p.Size; head = head[p.Size:] {
		e := drDecode(head, p.Size)
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
		return p.Fail(0, 0, fmt.Sprintf("the file is sharded by %s but the earlier files by %s", by, p.by), "import them separately, or choose with --set by=thread or by=core")
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
	proc.stream = emit.NewStream(p.sink, proc.proc)
	proc.stream.WithPC = p.o.PC
	p.procs = append(p.procs, proc)
	return proc
}
