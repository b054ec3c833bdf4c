// Package drmemtrace reads and writes DynamoRIO's offline traces.
package drmemtrace

import (
	"encoding/binary"
	"fmt"

	"spoor/traces/format/internal/sniff"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
)

// Drmemtrace is DynamoRIO's offline memory trace after raw2trace, with a file for each
// thread or core. Records have 12 bytes (8 in traces of 32-bit programs), little
// endian: type (2), size (2) and address (8 or 4). Source: DynamoRIO,
// clients/drcachesim/common/trace_entry.h and reader/reader.cpp.
//
// Every thread is a processor, in the order in which the files first name it. In traces
// sharded by core, every file is a processor. Each fetched instruction counts as one
// instruction. The later iterations of a repeated string instruction are not fetched
// again and do not count. Markers of the start of a window and of the end of a filtered
// warmup become Marker events; other markers are only counted.
//
// Differs: DynamoRIO's reader stops at the first FOOTER. This importer also reads the
// records after it, in joined files and in traces sharded by core.
type Drmemtrace struct{}

var (
	_ format.MultiFileImporter = Drmemtrace{}
	_ format.Exporter          = Drmemtrace{}
)

// Info describes the format.
func (Drmemtrace) Info() format.Info {
	return format.Info{
		Name:  "drmemtrace",
		Doc:   "DynamoRIO drmemtrace after raw2trace, a file for each thread or core",
		Magic: "a HEADER record, then a VERSION marker or a THREAD record",
		Example: `  $ traces import data/sample/tiny.log -o tiny
  $ traces export tiny --to drmemtrace -o tiny.trace
  $ traces import tiny.trace -o back`,
		Threaded: true,
		PC:       true,
		Settings: []format.Setting{{Name: "by", Default: "auto", Doc: "when read: what a processor is: thread, core (a file), or auto (as the files are sharded)"}},
		Loses:    "events, instructions that are not fetched, the order between processors",
	}
}

// The record sizes of 64-bit and 32-bit programs.
const (
	drRecord   = 12
	drRecord32 = 8
)

// drEntry is one record.
type drEntry struct {
	kind, size uint16 // size is the kind of a marker
	addr       uint64 // or value of a marker
}

// drDecode decodes the record at the start of b, which holds at least one.
func drDecode(b []byte, record int) drEntry {
	e := drEntry{binary.LittleEndian.Uint16(b), binary.LittleEndian.Uint16(b[2:]), uint64(binary.LittleEndian.Uint32(b[4:]))}
	if record == drRecord {
		e.addr |= uint64(binary.LittleEndian.Uint32(b[8:])) << 32
	}
	return e
}

// drRecordSize returns the size of records. In 8-byte records, the record after the
// HEADER does not begin with zeros. In 12-byte records, those bytes are the upper half
// of a version, which is zero.
func drRecordSize(head []byte) int {
	if len(head) >= drRecord && binary.LittleEndian.Uint32(head[8:]) != 0 {
		return drRecord32
	}
	return drRecord
}

// Sniff is Certain of a HEADER followed by a VERSION marker or a THREAD record.
func (Drmemtrace) Sniff(head []byte) format.Verdict {
	size := drRecordSize(head)
	if len(head) < size {
		return sniff.Foreign
	}
	if first := drDecode(head, size); first.kind != DrHeader || first.size != 0 || first.addr > 0xffff {
		return sniff.Foreign
	}
	if len(head) < 2*size {
		return format.Verdict{Confidence: format.Likely, Why: "a HEADER record"}
	}
	switch next := drDecode(head[size:], size); {
	case next.kind == drMarker && next.size == drMarkVersion, next.kind == DrThread && (next.size == 4 || next.size == 8):
		return format.Verdict{Confidence: format.Certain, Why: "a HEADER record and the record after it"}
	case next.kind == drMarker && next.size < drMarks, next.kind == DrThread, next.kind == DrFooter:
		return format.Verdict{Confidence: format.Likely, Why: "a HEADER record"}
	}
	return sniff.Foreign
}

// Import parses all of in.
func (f Drmemtrace) Import(in *input.Input, o format.Options, sink format.Sink) (format.Result, error) {
	return format.ImportOne(f, in, o, sink)
}

// ImportFiles parses the files one after the other.
func (f Drmemtrace) ImportFiles(files *input.Files, o format.Options, sink format.Sink) (format.Result, error) {
	im := drImport{o: o, sink: sink, by: o.Setting(f, "by"), threads: map[uint64]*drTask{}}
	switch im.by {
	case "auto", "thread", "core":
	default:
		return format.Result{}, format.BadSetting("by=%s: choose thread, core or auto", im.by)
	}
	for i := range files.Len() {
		in, err := files.Open(i)
		if err != nil {
			return format.Result{}, err
		}
		if err := im.read(in); err != nil {
			return format.Result{}, err
		}
		in.Close()
	}
	if len(im.procs) == 0 {
		return format.Result{}, fmt.Errorf("%s: end of file after no thread record: no references", files.Path(files.Len()-1))
	}
	return format.Result{Procs: len(im.procs), Lines: im.all, Notes: im.notes(), Facts: im.facts(), Counts: im.counts()}, nil
}
