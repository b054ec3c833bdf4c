package drmemtrace

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	"spoor/traces/format/internal/export"
	"spoor/traces/internal/format"
	"spoor/traces/trace"
)

// The header of an exported trace. Version 4 needs no instruction encodings; later
// versions do.
const (
	drExportVersion  = 4
	drExportFileType = 0x40 // x86-64
	drExportPid      = 1
	drExportLine     = 64                // bytes in a cache line
	drExportTime     = 11644473600000000 // 1970, in microseconds since 1601
	drMarkLineSize   = 10
)

// drKinds maps operations to record types.
var drKinds = map[trace.Op]uint16{trace.Load: drRead, trace.Store: drWrite, trace.Ifetch: drInstr, trace.Prefetch: drPrefetch, trace.Flush: drDataFlush}

// Export writes one file of records of 64-bit programs. Processors follow each other,
// as threads from 1. If the PC column differs from the latest fetch, Export writes an
// instruction without a size, as in filtered traces.
func (f Drmemtrace) Export(src trace.Source, o format.ExportOptions, w io.Writer) ([]string, error) {
	procs := o.Chosen(src.Header().Procs)
	x := drWriter{out: bufio.NewWriterSize(w, 1<<16)}
	x.put(DrHeader, 0, drExportVersion)
	x.put(drMarker, drMarkVersion, drExportVersion)
	x.put(drMarker, drMarkFiletype, drExportFileType)
	for _, p := range procs {
		if err := x.proc(src, p); err != nil {
			return nil, err
		}
	}
	x.put(DrFooter, 0, 0)
	if err := x.lost.CountEvents(src, procs); err != nil {
		return nil, err
	}
	notes := x.lost.Notes(f.Info().Name)
	if x.otherPC > 0 {
		notes = append(notes, fmt.Sprintf("%s has no pc for instruction fetches: %d that differ from the fetched address are omitted", f.Info().Name, x.otherPC))
	}
	return notes, x.out.Flush()
}

// drWriter writes records; flushing reports a write error.
type drWriter struct {
	out     *bufio.Writer
	record  [drRecord]byte
	pc      uint64 // of the latest instruction
	lost    export.Losses
	otherPC uint64 // fetches with a PC other than their address
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
	x.put(DrThread, 4, tid)
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
			x.lost.Gaps = x.lost.Gaps || b.Instr[i] > 1 || (b.Instr[i] == 1) != fetch
			x.put(drKinds[b.Op[i]], b.Size[i], addr)
		}
		if _, err := x.out.Write(nil); err != nil { // an earlier error of put
			return err
		}
	}
	x.put(drThreadExit, 4, tid)
	return nil
}

// from sets the PC of the next record.
func (x *drWriter) from(pc, addr uint64, fetch bool) {
	switch {
	case fetch && pc != addr:
		x.otherPC++
	case !fetch && pc != x.pc:
		x.put(drInstr, 0, pc)
		x.pc = pc
	}
}
