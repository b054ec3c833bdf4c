package format

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	"spoor/traces/trace"
)

// D4Bin is Dinero IV's binary form: records of 8 bytes, little endian: address
// (4), size (2), type (1, an index in r w i m c v), padding (1).
type D4Bin struct{}

var (
	_ Importer = D4Bin{}
	_ Exporter = D4Bin{}
)

// Name is "d4bin".
func (D4Bin) Name() string { return "d4bin" }

// Description says what the format is.
func (D4Bin) Description() string { return "Dinero IV binary: 8-byte records, 32-bit addresses" }

// Magic says how the format is recognised.
func (D4Bin) Magic() string { return "none; never guessed" }

// Sniff never recognises the format: any bytes could be it.
func (D4Bin) Sniff([]byte) Verdict { return foreign }

const d4Record = 8

// Import parses all of in.
func (D4Bin) Import(in *Input, o Options, sink Sink) (Result, error) {
	head, err := in.Head()
	if err == nil && len(head) == 0 {
		err = in.empty()
	}
	if err != nil {
		return Result{}, err
	}
	c := dinCounter{o: o, stream: newStream(sink, o.FirstProc)}
	whole := func(b []byte) int { return len(b) - len(b)%d4Record }
	for block, err := range in.blocks(whole, maxLine) {
		if err != nil {
			return Result{}, err
		}
		if err := c.binary(in.Name, block); err != nil {
			return Result{}, err
		}
	}
	if err := c.stream.finish(); err != nil {
		return Result{}, err
	}
	return Result{Procs: 1, Lines: uint64(c.records), Notes: c.notes()}, nil
}

func (c *dinCounter) binary(file string, b []byte) error {
	for ; len(b) >= d4Record; b = b[d4Record:] {
		addr, size, kind := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint16(b[4:]), b[6]
		switch {
		case int(kind) >= len(dinOps):
			return c.broken(file, fmt.Sprintf("unknown type %d; is this a Dinero IV binary trace?", kind))
		case size == 0:
			return c.broken(file, "access of 0 bytes")
		}
		c.record(kind, uint64(addr), size)
	}
	if len(b) > 0 {
		return c.broken(file, fmt.Sprintf("%d trailing bytes: the last record is cut", len(b)))
	}
	return c.stream.err
}

func (c *dinCounter) broken(file, msg string) error {
	return &trace.SyntaxError{File: file, Record: int64(c.records), Offset: int64(c.records) * d4Record, Msg: msg}
}

// Loses says what of a trace the format cannot express.
func (D4Bin) Loses() string {
	return "events, prefetches, all processors but one, instructions that are not fetched, addresses over 32 bits, pc"
}

// Export writes the references of one processor.
func (D4Bin) Export(src trace.Source, o ExportOptions, w io.Writer) ([]string, error) {
	var wide error
	out := bufio.NewWriter(w)
	notes, err := exportText(src, o, out, func(line []byte, addr uint64, size uint16, op trace.Op) []byte {
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
