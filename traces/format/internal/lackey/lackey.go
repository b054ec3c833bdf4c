// Package lackey reads and writes the log of valgrind's tool lackey.
package lackey

import (
	"bytes"
	"fmt"
	"io"

	"spoor/traces/format/internal/emit"
	"spoor/traces/format/internal/export"
	"spoor/traces/format/internal/sniff"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// Lackey is the text that `valgrind --tool=lackey --trace-mem=yes` prints. The text
// does not identify threads. All threads of the program become one processor, in the
// order in which valgrind ran them. An instruction fetch is one instruction; its data
// references add none.
type Lackey struct{}

var (
	_ format.Importer = Lackey{}
	_ format.Exporter = Lackey{}
)

// Info describes the format.
func (Lackey) Info() format.Info {
	return format.Info{
		Name:  "lackey",
		Doc:   "valgrind --tool=lackey --trace-mem=yes, text",
		Magic: "==PID== lines, or I, L, S, M with address,size",
		Example: `  $ traces import data/sample/matmul.log.zst -o matmul
  $ traces info matmul`,
		Parts: []format.Part{{Name: "I  address,size", Doc: "instruction fetch; address hexadecimal, size 1 to 65535 bytes, decimal"},
			{Name: " L address,size", Doc: "load"}, {Name: " S address,size", Doc: "store"}, {Name: " M address,size", Doc: "load and store of the same bytes (--modify)"},
			{Name: "==PID== text", Doc: "valgrind's messages; program output between them is omitted, with a note"}},
		Loses: "events, prefetches, flushes, all processors except one, instructions that are not fetched, pc",
	}
}

const lackeySniffLines = 200

// Sniff is Certain of the banner, and if all lines are records or messages of valgrind.
// Output of the program may stand between them: then it is Likely while there are more
// records.
func (Lackey) Sniff(head []byte) format.Verdict {
	var records, messages, odd int
	for n := 0; len(head) > 0 && n < lackeySniffLines; n++ {
		line, rest, whole := bytes.Cut(head, input.Newline)
		head = rest
		line = bytes.TrimRight(line, input.Blanks)
		mark, _, text, message := valgrindLine(line)
		switch {
		case message && mark == '=' && bytes.HasPrefix(text, []byte("Lackey")):
			return format.Verdict{Confidence: format.Certain, Why: "lackey's banner"}
		case message:
			messages++
		case recordKind(line) != 0 && len(line) > 3 && input.HexValue[line[3]] <= 15:
			records++
		case len(line) > 0 && whole && !bytes.HasPrefix(line, []byte("SB ")):
			odd++
		}
	}
	switch {
	case records > 0 && odd == 0:
		return format.Verdict{Confidence: format.Certain, Why: "lackey records"}
	case records+messages > odd:
		return format.Verdict{Confidence: format.Likely, Why: "records of lackey or valgrind's messages"}
	case records > 0:
		return format.Verdict{Confidence: format.Nearly, Why: "records of lackey"}
	}
	return sniff.Foreign
}

// recordKind returns I, L, S or M if line begins exactly like a record of lackey.
func recordKind(line []byte) byte {
	if len(line) < 3 {
		return 0
	}
	switch string(line[:3]) {
	case "I  ":
		return 'I'
	case " L ", " S ", " M ":
		return line[1]
	}
	return 0
}

// Import parses all of in.
func (Lackey) Import(in *input.Input, o format.Options, sink format.Sink) (format.Result, error) {
	p := lackeyParser{o: o, stream: emit.NewStream(sink, o.FirstProc)}
	if err := p.FastLines(in, p.fast, p.slow); err != nil {
		return format.Result{}, err
	}
	if err := p.check(); err != nil {
		return format.Result{}, err
	}
	if err := p.stream.Finish(); err != nil {
		return format.Result{}, err
	}
	return format.Result{Program: p.program, Procs: 1, Lines: uint64(p.Line), Notes: p.notes(), Facts: p.facts()}, nil
}

// lackeyParser has two paths. The fast path handles well-formed records in the middle
// of a block. The slow path handles all other lines, one at a time.
type lackeyParser struct {
	input.Text
	o      format.Options
	stream *emit.Stream
	run    emit.Run

	records, instrs, early, atomics uint64
	earlyLine                       int  // the first line of early
	wasLoad                         bool // the previous line is an L
	lastAddr                        uint64
	lastSize                        uint16

	lackeyLog
}

// fastWindow exceeds the longest well-formed record, 26 bytes.
const fastWindow = 32

const (
	prefixI = 'I' | ' '<<8 | ' '<<16
	prefixL = ' ' | 'L'<<8 | ' '<<16
	prefixS = ' ' | 'S'<<8 | ' '<<16
	prefixM = ' ' | 'M'<<8 | ' '<<16
)

// fast parses well-formed records from the start of b, and returns the number of bytes
// parsed. It stops at the first other line.
func (p *lackeyParser) fast(b []byte) int {
	i := 0
	for {
		if p.instrs > 0 {
			i += p.many(b[i:])
		}
		kind, addr, size, n := plainRecord(b[i:])
		if n == 0 {
			return i
		}
		p.Line++
		p.record(kind, addr, size)
		i += n
	}
}

// plainRecord parses a well-formed record at the start of b, and returns its bytes, or 0.
func plainRecord(b []byte) (kind byte, addr uint64, size uint16, n int) {
	if len(b) < fastWindow {
		return 0, 0, 0, 0
	}
	w := b[:fastWindow]
	switch uint32(w[0]) | uint32(w[1])<<8 | uint32(w[2])<<16 {
	case prefixI:
		kind = 'I'
	case prefixL, prefixS, prefixM:
		kind = w[1]
	}
	addr, size, n = plainFields(w)
	if kind == 0 {
		n = 0
	}
	return kind, addr, size, n
}

// plainFields parses address and size of a record, and returns the bytes of the record, or 0.
func plainFields(w []byte) (addr uint64, size uint16, n int) {
	addr, j := input.HexRun(w, 3)
	if j == 3 || w[j] != ',' {
		return 0, 0, 0
	}
	bytes, end := input.DecimalRun(w, j+1)
	if end == j+1 || w[end] != '\n' || bytes-1 > 65534 || addr+bytes-1 < addr {
		return 0, 0, 0
	}
	return addr, uint16(bytes), end + 1
}

// many parses records after the first instruction, up to the first modify, and appends them together. It returns the
// number of bytes parsed.
func (p *lackeyParser) many(b []byte) int {
	i, since := 0, uint32(0) // instructions since the last reference
	var lines, instrs uint64
	for i+fastWindow <= len(b) && p.run.Len() < emit.RunRows {
		w := b[i : i+fastWindow]
		op := plainOp(w)
		addr, size, n := plainFields(w)
		if op == 0 || n == 0 {
			break
		}
		i += n
		lines++
		if op == trace.Ifetch {
			instrs++
			since++
		}
		if op != trace.Ifetch || !p.o.DropIfetch {
			p.run.Add(since, addr, size, op)
			since = 0
		}
		p.wasLoad, p.lastAddr, p.lastSize = op == trace.Load, addr, size
	}
	p.Line += int(lines)
	p.records += lines
	p.instrs += instrs
	p.stream.Append(&p.run)
	p.stream.Execute(uint64(since))
	return i
}

// plainOp returns the operation of a record that is no modify, or 0.
func plainOp(w []byte) trace.Op {
	switch uint32(w[0]) | uint32(w[1])<<8 | uint32(w[2])<<16 {
	case prefixI:
		return trace.Ifetch
	case prefixL:
		return trace.Load
	case prefixS:
		return trace.Store
	}
	return 0
}

// record appends one well-formed record.
func (p *lackeyParser) record(kind byte, addr uint64, size uint16) {
	p.records++
	switch kind {
	case 'I':
		if p.instrs == 0 {
			p.first = addr
		}
		p.instrs++
		p.stream.Execute(1)
		if !p.o.DropIfetch {
			p.stream.Ref(addr, size, trace.Ifetch)
		}
	case 'L':
		p.stream.Ref(addr, size, trace.Load)
	case 'S':
		p.stream.Ref(addr, size, trace.Store)
	case 'M':
		p.modify(addr, size)
	}
	if p.instrs == 0 {
		if p.early++; p.early == 1 {
			p.earlyLine = p.Line
		}
	}
	p.wasLoad, p.lastAddr, p.lastSize = kind == 'L', addr, size
}

// modify appends an M. Valgrind prints an atomic instruction as an L and an M of the
// same bytes, which is one load too many. CollapseAtomics makes them one M.
func (p *lackeyParser) modify(addr uint64, size uint16) {
	atomic := p.o.CollapseAtomics && p.wasLoad && p.lastAddr == addr && p.lastSize == size
	if atomic {
		p.atomics++
	}
	if atomic && p.o.Modify == format.ModifyStore {
		p.stream.Unref()
	}
	p.stream.Modify(addr, size, p.o.Modify, atomic)
}

// Export writes the references of one processor, one line each.
func (Lackey) Export(src trace.Source, o format.ExportOptions, w io.Writer) ([]string, error) {
	return export.ExportText(src, o, w, lackeyLine, "lackey")
}

// lackeyLine appends the record of a reference to line, or nothing if lackey has none.
func lackeyLine(line []byte, addr uint64, size uint16, op trace.Op) []byte {
	switch op {
	case trace.Ifetch:
		line = append(line, "I  "...)
	case trace.Load:
		line = append(line, " L "...)
	case trace.Store:
		line = append(line, " S "...)
	default:
		return line
	}
	return fmt.Appendf(line, "%08x,%d\n", addr, size)
}
