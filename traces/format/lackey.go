package format

import (
	"bytes"
	"fmt"
	"io"

	"spoor/traces/trace"
)

// Lackey is the text that `valgrind --tool=lackey --trace-mem=yes` prints. The text
// does not identify threads. All threads of the program become one processor, in the
// order in which valgrind ran them. An instruction fetch is one instruction; its data
// references add none.
type Lackey struct{}

var (
	_ Importer    = Lackey{}
	_ Exporter    = Lackey{}
	_ PartsLister = Lackey{}
)

// Name returns "lackey".
func (Lackey) Name() string { return "lackey" }

// Description returns a description of one line.
func (Lackey) Description() string { return "valgrind --tool=lackey --trace-mem=yes, text" }

// Magic returns how the format is recognised.
func (Lackey) Magic() string { return "==PID== lines, or I, L, S, M with address,size" }

// Parts returns the kinds of lines.
func (Lackey) Parts() []Part {
	return []Part{{"I  address,size", "instruction fetch; address hexadecimal, size 1 to 65535 bytes, decimal"},
		{" L address,size", "load"}, {" S address,size", "store"}, {" M address,size", "load and store of the same bytes (--modify)"},
		{"==PID== text", "valgrind's messages; program output between them is omitted, with a note"}}
}

const lackeySniffLines = 200

// Sniff is Certain of the banner, and if all lines are records or messages of valgrind.
// Output of the program may stand between them: then it is Likely while there are more
// records.
func (Lackey) Sniff(head []byte) Verdict {
	var records, messages, odd int
	for n := 0; len(head) > 0 && n < lackeySniffLines; n++ {
		line, rest, whole := bytes.Cut(head, newline)
		head = rest
		line = bytes.TrimRight(line, blanks)
		mark, _, text, message := valgrindLine(line)
		switch {
		case message && mark == '=' && bytes.HasPrefix(text, []byte("Lackey")):
			return Verdict{Certain, "lackey's banner"}
		case message:
			messages++
		case recordKind(line) != 0 && len(line) > 3 && hexValue[line[3]] <= 15:
			records++
		case len(line) > 0 && whole && !bytes.HasPrefix(line, []byte("SB ")):
			odd++
		}
	}
	switch {
	case records > 0 && odd == 0:
		return Verdict{Certain, "lackey records"}
	case records+messages > odd:
		return Verdict{Likely, "records of lackey or valgrind's messages"}
	case records > 0:
		return Verdict{Nearly, "records of lackey"}
	}
	return foreign
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
func (Lackey) Import(in *Input, o Options, sink Sink) (Result, error) {
	p := lackeyParser{o: o, stream: newStream(sink, o.FirstProc)}
	if err := p.fastLines(in, p.fast, p.slow); err != nil {
		return Result{}, err
	}
	if err := p.check(); err != nil {
		return Result{}, err
	}
	if err := p.stream.finish(); err != nil {
		return Result{}, err
	}
	return Result{Program: p.program, Procs: 1, Lines: uint64(p.line), Notes: p.notes(), Facts: p.facts()}, nil
}

// lackeyParser has two paths. The fast path handles well-formed records in the middle
// of a block. The slow path handles all other lines, one at a time.
type lackeyParser struct {
	text
	o      Options
	stream *stream

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
	for i+fastWindow <= len(b) {
		w := b[i : i+fastWindow]
		var kind byte
		switch uint32(w[0]) | uint32(w[1])<<8 | uint32(w[2])<<16 {
		case prefixI:
			kind = 'I'
		case prefixL, prefixS, prefixM:
			kind = w[1]
		default:
			return i
		}
		addr, j := hexRun(w, 3)
		if j == 3 || w[j] != ',' {
			return i
		}
		size, end := decimalRun(w, j+1)
		if end == j+1 || w[end] != '\n' || size-1 > 65534 || addr+size-1 < addr {
			return i
		}
		p.line++
		p.record(kind, addr, uint16(size))
		i += end + 1
	}
	return i
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
		p.stream.execute(1)
		if !p.o.DropIfetch {
			p.stream.ref(addr, size, trace.Ifetch)
		}
	case 'L':
		p.stream.ref(addr, size, trace.Load)
	case 'S':
		p.stream.ref(addr, size, trace.Store)
	case 'M':
		p.modify(addr, size)
	}
	if p.instrs == 0 {
		if p.early++; p.early == 1 {
			p.earlyLine = p.line
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
	if atomic && p.o.Modify == ModifyStore {
		p.stream.unref()
	}
	p.stream.modify(addr, size, p.o.Modify, atomic)
}

// Loses returns what the format cannot express.
func (Lackey) Loses() string {
	return "events, prefetches, flushes, all processors except one, instructions that are not fetched, pc"
}

// Export writes the references of one processor, one line each.
func (Lackey) Export(src trace.Source, o ExportOptions, w io.Writer) ([]string, error) {
	return exportText(src, o, w, lackeyLine, "lackey")
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
