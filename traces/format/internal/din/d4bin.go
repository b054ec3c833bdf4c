package din

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	"spoor/traces/format/internal/emit"
	"spoor/traces/format/internal/export"
	"spoor/traces/format/internal/sniff"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// D4Bin is Dinero IV's binary form: little-endian records of 8 bytes. A record has the
// address (4 bytes), size (2), type (1, an index in r w i m c v) and padding (1).
type D4Bin struct{}

var (
	_ format.Importer = D4Bin{}
	_ format.Exporter = D4Bin{}
)

// Info describes the format.
func (D4Bin) Info() format.Info {
	return format.Info{
		Name:  "d4bin",
		Doc:   "Dinero IV binary: 8-byte records, 32-bit addresses",
		Magic: "none; never guessed",
		Example: `  $ printf 'op,addr,size\nR,0x1000,8\nW,0x1008,8\n' > mine.csv
  $ traces import mine.csv -o mine
  $ traces export mine --to d4bin -o mine.d4bin
  $ traces import mine.d4bin --from d4bin -o back`,
		Parts: []format.Part{{Name: "bytes 0-3", Doc: "address, little endian"}, {Name: "bytes 4-5", Doc: "size in bytes, little endian"}, {Name: "byte 6", Doc: "type: " + dinParts(dinLabels)}, {Name: "byte 7", Doc: "padding"}},
		Loses: "events, prefetches, all processors except one, instructions that are not fetched, addresses over 32 bits, pc",
	}
}

// Sniff is at most Possible, because the records have no mark.
func (D4Bin) Sniff(head []byte) format.Verdict {
	n := 0
	for b := head; len(b) >= d4Record; b = b[d4Record:] {
		if size := binary.LittleEndian.Uint16(b[4:]); size == 0 || int(b[6]) >= len(dinOps) || b[7] != 0 {
			return sniff.Foreign
		}
		n++
	}
	if n == 0 {
		return sniff.Foreign
	}
	return format.Verdict{Confidence: format.Possible, Why: "records of 8 bytes with a type and a size"}
}

const d4Record = 8

// Import parses all of in.
func (D4Bin) Import(in *input.Input, o format.Options, sink format.Sink) (format.Result, error) {
	p := d4Parser{Records: input.Records{Size: d4Record}, dinCounter: dinCounter{o: o, stream: emit.NewStream(sink, o.FirstProc)}}
	if err := p.Blocks(in, p.block); err != nil {
		return format.Result{}, err
	}
	if err := p.stream.Finish(); err != nil {
		return format.Result{}, err
	}
	return format.Result{Procs: 1, Lines: uint64(p.count), Notes: p.notes()}, nil
}

type d4Parser struct {
	input.Records
	dinCounter
}

func (p *d4Parser) block(b []byte) error {
	for i := 0; len(b) > 0; i, b = i+1, b[d4Record:] {
		addr, size, kind := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint16(b[4:]), b[6]
		switch {
		case int(kind) >= len(dinOps):
			return p.Fail(i, 6, fmt.Sprintf("unknown type %d", kind), "check that this is a Dinero IV binary trace")
		case size == 0:
			return p.Fail(i, 4, "access of 0 bytes", "")
		}
		p.plain(kind, uint64(addr), size)
	}
	p.appendPlain()
	return p.stream.Err
}

// Export writes the references of one processor.
func (D4Bin) Export(src trace.Source, o format.ExportOptions, w io.Writer) ([]string, error) {
	var wide error
	out := bufio.NewWriter(w)
	notes, err := export.ExportText(src, o, out, func(line []byte, addr uint64, size uint16, op trace.Op) []byte {
		i, ok := dinIndexOf(op)
		if !ok {
			return line
		}
		if addr >= 1<<32 && wide == nil {
			wide = fmt.Errorf("d4bin has 32-bit addresses and the trace has %#x; export xdin", addr)
		}
		line = binary.LittleEndian.AppendUint32(line, uint32(addr))
		line = binary.LittleEndian.AppendUint16(line, size)
		return append(line, byte(i), 0)
	}, "d4bin")
	if wide != nil {
		return nil, wide
	}
	if err != nil {
		return nil, err
	}
	return notes, out.Flush()
}
