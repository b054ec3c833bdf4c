package format

import (
	"encoding/binary"
	"fmt"

	"spoor/traces/trace"
)

// Drmemtrace is DynamoRIO's offline memory trace after raw2trace: records of 12
// bytes (8 of 32-bit programs), little endian, of type (2), size (2) and address
// (8 or 4), in a file for each thread or for each core. Source: DynamoRIO,
// clients/drcachesim/common/trace_entry.h and reader/reader.cpp.
//
// Every thread is a processor, in the order in which the files name them first; in
// traces that were sharded by core every file is. An instruction that is fetched is
// one instruction; the later iterations of a repeated string instruction, which are
// not fetched again, are none. Of the markers the starts of windows and the end of
// a filtered warmup become Marker events; the others are counted.
//
// Differs: DynamoRIO's reader stops at the first FOOTER; what follows it in joined
// files and in traces sharded by core is read here.
type Drmemtrace struct{}

var (
	_ Joint    = Drmemtrace{}
	_ Shaped   = Drmemtrace{}
	_ Tunable  = Drmemtrace{}
	_ Exporter = Drmemtrace{}
	_ Threaded = Drmemtrace{}
)

// Name is "drmemtrace".
func (Drmemtrace) Name() string { return "drmemtrace" }

// Description says what the format is.
func (Drmemtrace) Description() string {
	return "DynamoRIO drmemtrace after raw2trace, a file for each thread or core"
}

// Magic says how the format is recognised.
func (Drmemtrace) Magic() string {
	return "a HEADER record, then a VERSION marker or a THREAD record"
}

// Layout has a pc column if it is asked for.
func (Drmemtrace) Layout(o Options) Layout { return Layout{PC: o.PC, Work: trace.WorkInstr} }

// Settings are by: what a processor is.
func (Drmemtrace) Settings() []Setting {
	return []Setting{{"by", "auto", "when read: what a processor is: thread, core (a file), or auto, as the files are sharded"}}
}

// Threaded says that the format knows its threads.
func (Drmemtrace) Threaded() {}

// The sizes of a record of 64-bit and of 32-bit programs.
const (
	drRecord   = 12
	drRecord32 = 8
)

// drEntry is one record.
type drEntry struct {
	kind, size uint16 // of a marker, size is its kind
	addr       uint64 // or a value
}

// drDecode takes the record at the start of b, which is one at least.
func drDecode(b []byte, record int) drEntry {
	e := drEntry{binary.LittleEndian.Uint16(b), binary.LittleEndian.Uint16(b[2:]), uint64(binary.LittleEndian.Uint32(b[4:]))}
	if record == drRecord {
		e.addr |= uint64(binary.LittleEndian.Uint32(b[8:])) << 32
	}
	return e
}

// drRecordSize tells records of 8 bytes: after 8 bytes of HEADER a record follows,
// which does not begin with zeros as the upper half of a version does.
func drRecordSize(head []byte) int {
	if len(head) >= drRecord && binary.LittleEndian.Uint32(head[8:]) != 0 {
		return drRecord32
	}
	return drRecord
}

// Sniff is Certain of a HEADER that a VERSION marker or a THREAD record follows.
func (Drmemtrace) Sniff(head []byte) Verdict {
	size := drRecordSize(head)
	if len(head) < size {
		return foreign
	}
	if first := drDecode(head, size); first.kind != drHeader || first.size != 0 || first.addr > 0xffff {
		return foreign
	}
	if len(head) < 2*size {
		return Verdict{Likely, "a HEADER record"}
	}
	switch next := drDecode(head[size:], size); {
	case next.kind == drMarker && next.size == drMarkVersion, next.kind == drThread && (next.size == 4 || next.size == 8):
		return Verdict{Certain, "a HEADER record and what follows it"}
	case next.kind == drMarker && next.size < drMarks, next.kind == drThread, next.kind == drFooter:
		return Verdict{Likely, "a HEADER record"}
	}
	return foreign
}

// Import parses all of in.
func (f Drmemtrace) Import(in *Input, o Options, sink Sink) (Result, error) {
	return importOne(f, in, o, sink)
}

// ImportFiles parses the files one after the other.
func (f Drmemtrace) ImportFiles(files *Files, o Options, sink Sink) (Result, error) {
	im := drImport{o: o, sink: sink, by: o.Setting(f, "by"), threads: map[uint64]*drTask{}}
	switch im.by {
	case "auto", "thread", "core":
	default:
		return Result{}, badSetting("by=%s: a processor is a thread or a core; choose thread, core or auto", im.by)
	}
	for i := range files.Len() {
		in, err := files.Open(i)
		if err != nil {
			return Result{}, err
		}
		if err := im.read(in); err != nil {
			return Result{}, err
		}
		in.Close()
	}
	if len(im.procs) == 0 {
		return Result{}, fmt.Errorf("%s: end of file after no thread record: no references", files.Path(files.Len()-1))
	}
	return Result{Procs: len(im.procs), Lines: im.all, Notes: im.notes(), Facts: im.facts(), Counts: im.counts()}, nil
}
