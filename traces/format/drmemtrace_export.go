package format

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	"spoor/traces/trace"
)

// What an exported trace says of itself. Version 4 needs no encodings of
// instructions, which later ones promise.
const (
	drExportVersion  = 4
	drExportFileType = 0x40 // x86-64
	drExportPid      = 1
	drExportLine     = 64                // bytes in a cache line
	drExportTime     = 11644473600000000 // 1970, in microseconds since 1601
	drMarkLineSize   = 10
)

// drKinds are the record types of operations.
var drKinds = map[trace.Op]uint16{trace.Load: drRead, trace.Store: drWrite, trace.Ifetch: drInstr, trace.Prefetch: drPrefetch, trace.Flush: drDataFlush}

// Loses says what of a trace the format cannot express.
func (Drmemtrace) Loses() string {
	return "events, instructions that are not fetched, the order between processors"
}

// Export writes one file of records of 64-bit programs. Processors come one after
// the other, as threads from 1. Where the PC column has another address than the
// latest fetch, an instruction without a size says so, as in filtered traces.
func (f Drmemtrace) Export(src trace.Source, o ExportOptions, w io.Writer) ([]string, error) {
	procs := o.chosen(src)
	x := drWriter{out: bufio.NewWriterSize(w, 1<<16)}
	x.put(drHeader, 0, drExportVersion)
	x.put(drMarker, drMarkVersion, drExportVersion)
	x.put(drMarker, drMarkFiletype, drExportFileType)
	for _, p := range procs {
		if err := x.proc(src, p); err != nil {
			return nil, err
		}
	}
	x.put(drFooter, 0, 0)
	if err := x.lost.countEvents(src, procs); err != nil {
		return nil, err
	}
	notes := x.lost.notes(f.Name())
	if x.otherPC > 0 {
		notes = append(notes, fmt.Sprintf("%s has no other pc of an instruction fetch than its address: %d were left out", f.Name(), x.otherPC))
	}
	return notes, x.out.Flush()
}

// drWriter writes records; an error of the file shows when it is flushed.
type drWriter struct {
	out     *bufio.Writer
	record  [drRecord]byte
	pc      uint64 // of the latest instruction
	lost    losses
	otherPC uint64 // fetches with a pc that is not their address
}

func (x *drWriter) put(kind, size uint16, addr uint64) {
	binary.LittleEndian.PutUint16(x.record[:], kind)
	binary.LittleEndian.PutUint16(x.record[2:], size)
	binary.LittleEndian.PutUint64(x.record[4:], addr)
	x.out.Write(x.record[:])
}

// proc writes one processor.
func (x *drWriter) proc(src trace.Source, p trace.Proc) error {
	tid := uint64(p) + 1
	x.put(drThread, 4, tid)
	x.put(drPid, 4, drExportPid)
	x.put(drMarker, drMarkLineSize, drExportLine)
	x.put(drMarker, drMarkTimestamp, drExportTime)
	x.put(drMarker, drMarkCPU, uint64(p))
	x.pc = 0
	for b, err := range src.Refs(p) {
		if err != nil {
			return err
		}
		for i, addr := range b.Addr {
			fetch := b.Op[i] == trace.Ifetch
			if b.PC != nil {
				x.from(b.PC[i], addr, fetch)
			}
			if fetch {
				x.pc = addr
			}
			x.lost.gaps = x.lost.gaps || b.Instr[i] > 1 || (b.Instr[i] == 1) != fetch
			x.put(drKinds[b.Op[i]], b.Size[i], addr)
		}
		if _, err := x.out.Write(nil); err != nil { // what put met
			return err
		}
	}
	x.put(drThreadExit, 4, tid)
	return nil
}

// from makes pc that of the next record.
func (x *drWriter) from(pc, addr uint64, fetch bool) {
	switch {
	case fetch && pc != addr:
		x.otherPC++
	case !fetch && pc != x.pc:
		x.put(drInstr, 0, pc)
		x.pc = pc
	}
}
