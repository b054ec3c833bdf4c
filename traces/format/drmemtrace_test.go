package format

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"spoor/traces/trace"
)

// importPaths reads files as one trace.
func importPaths(im MultiFileImporter, paths []string, o Options) (*trace.Memory, Result, error) {
	files := NewFiles(context.Background(), paths, nil, nil)
	defer files.Close()
	sink, layout := new(memorySink), LayoutOf(im, o)
	sink.Head = trace.Header{WorkUnit: layout.Work, HasPC: layout.PC, HasTime: layout.Time}
	r, err := im.ImportFiles(files, o, sink)
	sink.Head.Procs = r.Procs
	return &sink.Memory, r, err
}

func mustImportPaths(t *testing.T, im MultiFileImporter, paths []string, o Options) (*trace.Memory, Result) {
	t.Helper()
	m, r, err := importPaths(im, paths, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := trace.Check(m); err != nil {
		t.Fatalf("%v give a trace that is not sound: %v", paths, err)
	}
	return m, r
}

// complains holds an error to what it must say.
func complains(t *testing.T, name string, err error, parts ...string) {
	t.Helper()
	wantError(t, name, err, "", "")
	for _, part := range parts {
		if err != nil && !strings.Contains(err.Error(), part) {
			t.Errorf("%s: error is %q, want %q", name, err, part)
		}
	}
}

// drFile builds a file of records.
type drFile struct {
	bytes  []byte
	narrow bool // a 32-bit program's
}

func (f *drFile) add(kind, size uint16, addr uint64) *drFile {
	f.bytes = binary.LittleEndian.AppendUint16(f.bytes, kind)
	f.bytes = binary.LittleEndian.AppendUint16(f.bytes, size)
	if f.narrow {
		f.bytes = binary.LittleEndian.AppendUint32(f.bytes, uint32(addr))
	} else {
		f.bytes = binary.LittleEndian.AppendUint64(f.bytes, addr)
	}
	return f
}

// begin adds what the file of a thread starts with.
func (f *drFile) begin(tid, fileType uint64) *drFile {
	f.add(drHeader, 0, 7).add(drMarker, drMarkVersion, 7).add(drMarker, drMarkFiletype, fileType)
	return f.add(drThread, 4, tid).add(drPid, 4, 100)
}

func (f *drFile) end(tid uint64) *drFile { return f.add(drThreadExit, 4, tid).add(drFooter, 0, 0) }

// countsOf are the counts of a result by name.
func countsOf(r Result) map[string]uint64 {
	all := map[string]uint64{}
	for _, c := range r.Counts {
		all[c.Name] = c.N
	}
	return all
}

// hasNote reports a note or fact that contains text.
func hasNote(notes []string, text string) bool {
	return slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, text) })
}

// What each type of record becomes.
func TestDrmemtraceRecords(t *testing.T) {
	f := new(drFile).begin(7, 0x40)
	f.add(drEncoding, 4, 0x90).add(drInstr, 4, 0x1000).add(drRead, 8, 0x20).add(drWrite, 2, 0x30)
	f.add(14, 5, 0x1004).add(drNoFetch, 5, 0x1009).add(drRead, 1, 0x40)         // a call, an iteration
	f.add(drMaybeFetch, 2, 0x1009).add(drMaybeFetch, 2, 0x100b)                 // the same again, another one
	f.add(drInstr, 0, 0x2000).add(drRead, 0, 0x50)                              // an address alone, no size
	f.add(9, 1, 0x60).add(drHWPrefetch, 64, 0x80).add(46, 1, 0xc0)              // prefetches
	f.add(drInstrFlush, 64, 0x100).add(drDataFlush, 0, 0x200).add(21, 0, 0x280) // a flush, a flush and its end
	f.add(drMarker, 46, 1).add(drMarker, 47, 1).add(drMarker, 60000, 1).end(7)
	m, r := mustImport(t, Drmemtrace{}, string(f.bytes), Options{PC: true})
	want := []row{{1, 0x1000, 4, trace.Ifetch}, {0, 0x20, 8, trace.Load}, {0, 0x30, 2, trace.Store},
		{1, 0x1004, 5, trace.Ifetch}, {0, 0x40, 1, trace.Load}, {1, 0x100b, 2, trace.Ifetch}, {0, 0x50, 1, trace.Load},
		{0, 0x60, 1, trace.Prefetch}, {0, 0x80, 64, trace.Prefetch}, {0, 0xc0, 1, trace.Prefetch},
		{0, 0x100, 64, trace.Flush}, {0, 0x200, 128, trace.Flush}}
	if got := rows(m, 0); !slices.Equal(got, want) {
		t.Errorf("%+v, want\n%+v", got, want)
	}
	pcs := []uint64{0x1000, 0x1000, 0x1000, 0x1004, 0x1009, 0x100b, 0x2000, 0x2000, 0x2000, 0x2000, 0x2000, 0x2000}
	if got := m.RefsOf[0].PC; !slices.Equal(got, pcs) {
		t.Errorf("pcs %#x, want %#x", got, pcs)
	}
	for _, note := range []string{"1 instruction not fetched", "1 data reference without a size counted as 1 byte", "1 prefetch by the hardware",
		"flushes of the instruction cache stored as flushes: 1", "2 markers of unknown kinds omitted (47, 60000)"} {
		if !hasNote(r.Notes, note) {
			t.Errorf("notes %q, want %q", r.Notes, note)
		}
	}
	for _, fact := range []string{"drmemtrace of version 7: x86-64", "omitted: 1 encodings of instructions, 5 markers", "processors from 0 on are thread 7 (process 100)"} {
		if !slices.Contains(r.Facts, fact) {
			t.Errorf("facts %q, want %q", r.Facts, fact)
		}
	}
	if c := countsOf(r); c["fetched instructions"] != 3 || c["marker unknown"] != 2 || c["instr_maybe_fetch"] != 2 || r.Lines != uint64(len(f.bytes)/drRecord) {
		t.Errorf("counts %v of %d records", c, r.Lines)
	}
	m, _ = mustImport(t, Drmemtrace{}, string(f.bytes), Options{DropIfetch: true, DefaultSize: 16})
	if got := rows(m, 0); len(got) != 9 || got[0].instr != 1 || got[3] != (row{1, 0x50, 16, trace.Load}) {
		t.Errorf("without fetches: %+v", got)
	}
}

// A 32-bit program has records of 8 bytes, and bundles of up to 4 instructions.
func TestDrmemtraceOf32Bits(t *testing.T) {
	f := (&drFile{narrow: true}).begin(7, 0x10)
	f.add(drInstr, 4, 0xfffff000).add(17, 3, 0x040204).add(drWrite, 4, 0xfffffffc).end(7)
	m, r := mustImport(t, Drmemtrace{}, string(f.bytes), Options{})
	want := []row{{1, 0xfffff000, 4, trace.Ifetch}, {1, 0xfffff004, 4, trace.Ifetch}, {1, 0xfffff008, 2, trace.Ifetch},
		{1, 0xfffff00a, 4, trace.Ifetch}, {0, 0xfffffffc, 4, trace.Store}}
	if got := rows(m, 0); !slices.Equal(got, want) {
		t.Errorf("%+v, want\n%+v", got, want)
	}
	if !hasNote(r.Facts, "ARM") || hasNote(r.Notes, "another size") {
		t.Errorf("facts %q, notes %q", r.Facts, r.Notes)
	}
	_, r = mustImport(t, Drmemtrace{}, string((&drFile{narrow: true}).begin(7, 0x40).end(7).bytes), Options{})
	if !hasNote(r.Notes, "the address size in the file type differs") {
		t.Errorf("a 64-bit file type with records of 8 bytes: notes %q", r.Notes)
	}
}

// Times and cpus that the start of a chunk repeats are told from others.
func TestDrmemtraceChunks(t *testing.T) {
	for _, chunked := range []bool{true, false} {
		f := new(drFile).begin(7, 0x40)
		if chunked {
			f.add(drMarker, drMarkChunkInstrs, 1)
		}
		for n := range uint64(3) {
			f.add(drMarker, drMarkTimestamp, 5).add(drMarker, drMarkCPU, 0).add(drInstr, 1, 0x1000)
			f.add(drMarker, drMarkChunkFooter, n).add(drMarker, drMarkOrdinal, 9).add(drMarker, drMarkTimestamp, 5).add(drMarker, drMarkCPU, 0)
		}
		f.end(7)
		_, r := mustImport(t, Drmemtrace{}, string(f.bytes), Options{})
		c := countsOf(r)
		if want := map[bool]uint64{true: 6, false: 0}[chunked]; c["markers repeated in chunks"] != want || c["marker timestamp"] != 6 {
			t.Errorf("chunked %v: counts %v", chunked, c)
		}
		if hasNote(r.Notes, "in sequence") {
			t.Errorf("chunked %v: notes %q", chunked, r.Notes)
		}
	}
	f := new(drFile).begin(7, 0x40).add(drMarker, drMarkChunkFooter, 0).add(drMarker, drMarkChunkFooter, 2).end(7)
	if _, r := mustImport(t, Drmemtrace{}, string(f.bytes), Options{}); !hasNote(r.Notes, "chunks may be missing") {
		t.Errorf("chunk 2 after 0: notes %q", r.Notes)
	}
}

// A file may hold several threads, and several traces one after the other.
func TestDrmemtraceThreads(t *testing.T) {
	f := new(drFile).begin(7, 0x40).add(drInstr, 1, 0x10)
	f.add(drThread, 4, 8).add(drPid, 4, 200).add(drInstr, 1, 0x20).add(drInstr, 1, 0x21)
	f.add(drThread, 4, 7).add(drRead, 4, 0x30).add(drThread, 4, 8).add(drWrite, 4, 0x40).end(8)
	f.begin(9, 0x40).add(drInstr, 1, 0x50).end(9)
	m, r := mustImport(t, Drmemtrace{}, string(f.bytes), Options{})
	for p, want := range [][]row{{{1, 0x10, 1, trace.Ifetch}, {0, 0x30, 4, trace.Load}},
		{{1, 0x20, 1, trace.Ifetch}, {1, 0x21, 1, trace.Ifetch}, {0, 0x40, 4, trace.Store}}, {{1, 0x50, 1, trace.Ifetch}}} {
		if got := rows(m, trace.Proc(p)); !slices.Equal(got, want) {
			t.Errorf("processor %d: %+v, want %+v", p, got, want)
		}
	}
	if want := "processors from 0 on are thread 7 (process 100), 8 (process 200), 9 (process 100)"; r.Procs != 3 || !slices.Contains(r.Facts, want) {
		t.Errorf("%d processors, facts %q, want %q", r.Procs, r.Facts, want)
	}
	m, r = mustImport(t, Drmemtrace{}, string(f.bytes), Options{Set: map[string]string{"by": "core"}})
	if got := rows(m, 0); r.Procs != 1 || len(got) != 6 || got[3].addr != 0x30 {
		t.Errorf("by core: %d processors, %+v", r.Procs, got)
	}
	if want := "processor 0 ran thread 7 (process 100), 8 (process 200), 9 (process 100)"; !slices.Contains(r.Facts, want) {
		t.Errorf("by core: facts %q, want %q", r.Facts, want)
	}
}

// The threads of several files, and what their order cannot say.
func TestDrmemtraceFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, f *drFile) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, f.bytes, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	core := func(tids ...uint64) *drFile {
		f := new(drFile).begin(tids[0], drCoreSharded)
		for _, tid := range tids {
			f.add(drThread, 4, tid).add(drInstr, 1, tid).add(drThreadExit, 4, tid).add(drFooter, 0, 0).add(drMarker, 33, 0)
		}
		return f.add(drFooter, 0, 0)
	}
	a, b, c := write("a", core(7, 8)), write("b", core(9, 7)), write("c", new(drFile).begin(7, 0x40).end(7))
	d := write("d", new(drFile).begin(7, 0x40).end(7))
	byThread := Options{Set: map[string]string{"by": "thread"}}
	m, r := mustImportPaths(t, Drmemtrace{}, []string{a, b}, Options{})
	if r.Procs != 2 || len(rows(m, 0)) != 2 || len(rows(m, 1)) != 2 || !hasNote(r.Notes, "every core is a processor") {
		t.Errorf("cores: %d processors, %+v, notes %q", r.Procs, m.RefsOf, r.Notes)
	}
	_, _, err := importPaths(Drmemtrace{}, []string{a, b}, byThread)
	complains(t, "a thread on two cores", err, b+": record ", "thread 7 ran on several cores", "--set by=core")
	_, _, err = importPaths(Drmemtrace{}, []string{c, d}, Options{})
	complains(t, "a thread in two files", err, d+": record 3, offset 36: ", "thread 7 is in an earlier file too", "--set by=core")
	_, _, err = importPaths(Drmemtrace{}, []string{a, c}, Options{})
	complains(t, "both ways to shard", err, c+": ", "sharded by thread", "the earlier files by core", "--set by=")
	_, _, err = importPaths(Drmemtrace{}, []string{a}, Options{Set: map[string]string{"by": "cpu"}})
	complains(t, "by=cpu", err, "--set by=cpu", "thread, core or auto")
	if m, r := mustImportPaths(t, Drmemtrace{}, []string{c, d}, Options{Set: map[string]string{"by": "core"}}); r.Procs != 2 || len(m.RefsOf) != 0 {
		t.Errorf("files as cores: %d processors", r.Procs)
	}
}

// Windows and the end of a warmup become markers; what a filter left out is counted
// where the trace says how much it was.
func TestDrmemtraceMarkers(t *testing.T) {
	f := new(drFile).begin(7, 0x80)
	f.add(drMarker, drMarkWindow, 0).add(drInstr, 1, 0x10).add(drMarker, drMarkInstrCount, 10).add(drMarker, drMarkWindow, 0)
	f.add(drInstr, 1, 0x11).add(drMarker, drMarkFilterEnd, 0).add(drMarker, drMarkWindow, 5).add(drMarker, drMarkInstrCount, 1<<33).add(drMarker, drMarkInstrCount, 3).end(7)
	m, r := mustImport(t, Drmemtrace{}, string(f.bytes), Options{})
	if got, want := rows(m, 0), []row{{1, 0x10, 1, trace.Ifetch}, {10, 0x11, 1, trace.Ifetch}}; !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	var marks []string
	var sum uint64
	for _, e := range events(m, 0) {
		sum += uint64(e.Instr) + uint64(e.Work)
		if e.Kind == trace.Marker {
			marks = append(marks, fmt.Sprint(e.Tag, " at ", sum))
		}
	}
	if want := []string{"0 at 0", "-1 at 11", "5 at 11"}; !slices.Equal(marks, want) || sum != 1<<33 {
		t.Errorf("markers %q, want %q; %d instructions", marks, want, sum)
	}
	if !hasNote(r.Notes, "the trace is filtered") || !hasNote(r.Notes, fmt.Sprint(1<<33-2, " instructions are counted where")) || !hasNote(r.Facts, "window") || !hasNote(r.Facts, "warmup") {
		t.Errorf("notes %q, facts %q", r.Notes, r.Facts)
	}
	f = new(drFile).begin(7, 0x40).add(drMarker, drMarkInstrCount, 10).end(7)
	if m, _ := mustImport(t, Drmemtrace{}, string(f.bytes), Options{}); len(events(m, 0)) != 0 {
		t.Errorf("a count in a trace that is not filtered: %+v", events(m, 0))
	}
}

// Flushes have lengths that a reference cannot have.
func TestDrmemtraceFlushes(t *testing.T) {
	for _, c := range []struct {
		end  uint64 // of a flush from 0x1000
		refs []int
		note string
	}{
		{0x1001, []int{1}, ""},
		{0x1000 + 65535, []int{65535}, ""},
		{0x1000 + 65536, []int{32768, 32768}, "split into pieces of 32768: 1"},
		{0x1000 + 65537, []int{32768, 32768, 1}, "split"},
		{math.MaxUint64, slices.Repeat([]int{32768}, 64), "over 2097152 bytes truncated to that size: 1"},
	} {
		f := new(drFile).begin(7, 0x40).add(drInstrFlush, 0, 0x1000).add(19, 0, c.end).end(7)
		m, r := mustImport(t, Drmemtrace{}, string(f.bytes), Options{})
		var got []int
		at := uint64(0x1000)
		for _, row := range rows(m, 0) {
			if row.op != trace.Flush || row.addr != at {
				t.Errorf("to %#x: %+v, want a flush at %#x", c.end, row, at)
			}
			at += uint64(row.size)
			got = append(got, int(row.size))
		}
		if !slices.Equal(got, c.refs) || c.note != "" && !hasNote(r.Notes, c.note) {
			t.Errorf("to %#x: %v, notes %q; want %v, %q", c.end, got, r.Notes, c.refs, c.note)
		}
	}
	f := new(drFile).begin(7, 0x40).add(drDataFlush, 0, 0x1000).add(drDataFlush, 0, 0x2000).end(7)
	if m, r := mustImport(t, Drmemtrace{}, string(f.bytes), Options{}); len(m.RefsOf) != 0 || !hasNote(r.Notes, "without an end omitted: 2") {
		t.Errorf("flushes without an end: %+v, notes %q", m.RefsOf, r.Notes)
	}
}

func TestBadDrmemtrace(t *testing.T) {
	start := func() *drFile { return new(drFile).begin(7, 0x40) } // 5 records
	for _, c := range []struct {
		f     *drFile
		parts []string
	}{
		{new(drFile), []string{"empty", "no records"}},
		{&drFile{bytes: []byte("\x19\x00\x00")}, []string{"3 trailing bytes"}},
		{new(drFile).add(drThread, 4, 7), []string{"record 0, offset 0", "first record is thread (22), not header (25)"}},
		{new(drFile).add(drTypes, 0, 7), []string{"raw", "drraw2trace"}},
		{new(drFile).add(drHeader, 0, 0).end(7), []string{"version 0"}},
		{new(drFile).add(drHeader, 0, 8).end(7), []string{"version 8 is newer than 7"}},
		{new(drFile).add(drHeader, 0, 7).add(drMarker, drMarkVersion, 8).end(7), []string{"record 1, offset 12", "version 8 is newer than 7"}},
		{new(drFile).add(drHeader, 0, 7).add(drFooter, 0, 0), []string{"no thread record"}},
		{new(drFile).add(drHeader, 0, 7).add(drInstr, 1, 0), []string{"record 1, offset 12", "instr (10) before the first thread"}},
		{new(drFile).add(drHeader, 0, 7).add(drWrite, 1, 0), []string{"write (1) before the first thread"}},
		{new(drFile).add(drHeader, 0, 7).add(drNoFetch, 1, 0), []string{"before the first thread"}},
		{new(drFile).add(drHeader, 0, 7).add(drDataFlush, 1, 0), []string{"before the first thread"}},
		{new(drFile).add(drHeader, 0, 7).add(21, 1, 0), []string{"before the first thread"}},
		{new(drFile).add(drHeader, 0, 7).add(17, 1, 0), []string{"before the first thread"}},
		{start().add(drTypes, 0, 0).end(7), []string{"record 5, offset 60", "unknown record type 50"}},
		{start().add(60000, 0, 0).end(7), []string{"record 5, offset 60", "unknown record type 60000"}},
		{start().add(drInstr, 2, math.MaxUint64).end(7), []string{"record 5, offset 60", "access of 2 bytes at 0xffffffffffffffff wraps"}},
		{start().add(drRead, 9, math.MaxUint64-7).end(7), []string{"wraps"}},
		{start().add(drDataFlush, 9, math.MaxUint64-7).end(7), []string{"wraps"}},
		{start().add(21, 0, 0x10).end(7), []string{"end of a flush without its start"}},
		{start().add(20, 0, 0x10).add(21, 0, 0x10).end(7), []string{"record 6, offset 76", "a flush starts at 0x10 and ends at 0x10"}},
		{start().add(17, 1, 4).end(7), []string{"bundle without an instruction"}},
		{start().add(drInstr, 1, 4).add(17, 9, 4).end(7), []string{"bundle has 9 instructions, over the limit of 8"}},
		{start().add(drInstr, 1, 4).add(17, 2, 4).end(7), []string{"instruction of 0 bytes"}},
		{start().add(drMarker, drMarkInstrCount, math.MaxUint64).end(7), []string{"the count of 18446744073709551615 instructions"}},
		{start(), []string{"record 5, offset 60", "without a FOOTER", "truncated"}},
		{start().end(7).add(drRead, 1, 1), []string{"record 7, offset 84", "read (0) after the footer"}},
		{&drFile{bytes: append(start().end(7).bytes, 1, 2, 3)}, []string{"record 7, offset 84", "3 trailing bytes"}},
	} {
		_, _, err := importBytes(Drmemtrace{}, c.f.bytes, Options{})
		complains(t, fmt.Sprintf("%x", c.f.bytes), err, append(c.parts, "standard input")...)
	}
	name := filepath.Join(t.TempDir(), "drmemtrace.a.1.0000.raw")
	if err := os.WriteFile(name, make([]byte, 24), 0o666); err != nil {
		t.Fatal(err)
	}
	_, _, err := importPaths(Drmemtrace{}, []string{name}, Options{})
	complains(t, "raw", err, name+": record 0, offset 0: ", "raw", "drraw2trace")
}

var errFull = errors.New("disk full")

// fullDisk takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

// An error of the sink ends the import, also one that a thread met that is no
// longer the present one.
func TestDrmemtraceSinkFails(t *testing.T) {
	f := new(drFile).begin(7, 0x40)
	for range 10 {
		f.add(drThread, 4, 7).add(drInstr, 1, 1).add(drThread, 4, 8).add(drInstr, 1, 1)
	}
	for _, file := range []*drFile{new(drFile).begin(7, 0x40).add(drInstr, 1, 1).end(7), f.end(7)} {
		in := open(t, string(file.bytes))
		if _, err := (Drmemtrace{}).Import(in, Options{}, &memorySink{err: errFull}); err != errFull {
			t.Errorf("%v, want %v", err, errFull)
		}
	}
}

// Many threads share the memory for references.
func TestDrmemtraceManyThreads(t *testing.T) {
	f := new(drFile).begin(1, 0x40)
	for tid := range uint64(300) {
		f.add(drThread, 4, tid)
		for n := range uint64(3000) {
			f.add(drRead, 8, n*8)
		}
	}
	f.end(1)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	in := open(t, string(f.bytes))
	r, err := Drmemtrace{}.Import(in, Options{PC: true}, discard{})
	if err != nil || r.Procs != 300 {
		t.Fatalf("%d processors, %v", r.Procs, err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 20<<20 {
		t.Errorf("%d MiB allocated for threads of %d bytes of records", used>>20, len(f.bytes)/300)
	}
}

func TestDrmemtraceFolders(t *testing.T) {
	for _, c := range []struct {
		files string // in the folder
		want  string // of Expand, or of its error
	}{
		{"drmemtrace.a.1000.0001.trace.gz drmemtrace.a.999.0002.trace.gz serial_schedule.bin.gz cpu_schedule.bin.zip v2p.textproto funclist.log modules.log",
			"drmemtrace.a.999.0002.trace.gz drmemtrace.a.1000.0001.trace.gz"},
		{"raw/drmemtrace.a.1.0001.raw.gz raw/modules.log trace/drmemtrace.a.1.0001.trace.zip trace/cpu_schedule.bin.zip", "trace/drmemtrace.a.1.0001.trace.zip"},
		{"x.tracedir/2.memtrace.gz x.tracedir/1.memtrace.gz", "x.tracedir/1.memtrace.gz x.tracedir/2.memtrace.gz"},
		{"drmemtrace.core.000000.trace drmemtrace.core.000001.trace", "drmemtrace.core.000000.trace drmemtrace.core.000001.trace"},
		{"other.trace drmemtrace.txt", ""},
		{"", ""},
		{"raw/drmemtrace.a.1.0001.raw.gz raw/modules.log", "error: raw drmemtrace; drraw2trace"},
		{"drmemtrace.a.1.0001.raw", "error: raw drmemtrace; drraw2trace"},
		{"a.tracedir/1.trace b.tracedir/1.trace", "error: has 2 folders *.tracedir"},
		{"trace/window.0000/1.trace trace/window.0001/1.trace", "error: 2 windows; window.0000"},
	} {
		dir := filepath.Join(t.TempDir(), "[a*") // which means something in patterns
		for _, name := range strings.Fields(c.files) {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		files, err := Drmemtrace{}.Expand(dir)
		if reasons, bad := strings.CutPrefix(c.want, "error: "); bad {
			complains(t, c.files, err, append(strings.Split(reasons, "; "), dir)...)
			continue
		}
		var got []string
		for _, f := range files {
			name, _ := filepath.Rel(dir, f)
			got = append(got, name)
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, %v; want %s", c.files, got, err, c.want)
		}
	}
}

// What is exported and imported is the same, the PC column included.
func TestDrmemtraceRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for n := range 200 {
		m := &trace.Memory{Head: trace.Header{WorkUnit: trace.WorkInstr, HasPC: n%2 == 0}}
		for p := range 1 + rng.IntN(3) {
			one := randomTrace(rng, trace.Ops, 63).RefsOf[0]
			one.Proc = trace.Proc(p)
			for i := 0; m.Head.HasPC && i < one.Len(); i++ {
				pc := 64 * rng.Uint64N(3)
				if one.Op[i] == trace.Ifetch {
					pc = one.Addr[i]
				}
				one.PC = append(one.PC, pc)
			}
			m.RefsOf = append(m.RefsOf, one)
		}
		m.Head.Procs = len(m.RefsOf)
		var b bytes.Buffer
		notes, err := Drmemtrace{}.Export(m, ExportOptions{}, &b)
		if err != nil || len(notes) != 0 {
			t.Fatalf("%v, notes %q", err, notes)
		}
		again, _ := mustImport(t, Drmemtrace{}, b.String(), Options{PC: m.Head.HasPC})
		if !reflect.DeepEqual(again.RefsOf, m.RefsOf) {
			t.Fatalf("%+v, want\n%+v", again.RefsOf, m.RefsOf)
		}
	}
}

// What the export loses, it says.
func TestDrmemtraceExportNotes(t *testing.T) {
	m := &trace.Memory{Head: trace.Header{Procs: 2, WorkUnit: trace.WorkInstr, HasPC: true}, RefsOf: make([]trace.Refs, 2), EventsOf: make([]trace.Events, 1)}
	m.RefsOf[0].Append(3, 0x10, 8, trace.Load)
	m.RefsOf[0].Append(1, 0x20, 4, trace.Ifetch)
	m.RefsOf[0].PC = []uint64{0x1000, 0x24}
	m.RefsOf[1].Proc = 1
	m.EventsOf[0].Rows = []trace.Event{trace.NewEvent(trace.Barrier)}
	var b bytes.Buffer
	notes, err := Drmemtrace{}.Export(m, ExportOptions{}, &b)
	if err != nil || len(notes) != 3 || !hasNote(notes, "no events: 1 omitted (barrier)") || !hasNote(notes, "no instruction counts: instructions") || !hasNote(notes, "no pc for instruction fetches: 1") {
		t.Errorf("notes %q, %v", notes, err)
	}
	again, r := mustImport(t, Drmemtrace{}, b.String(), Options{})
	if got, want := rows(again, 0), []row{{0, 0x10, 8, trace.Load}, {1, 0x20, 4, trace.Ifetch}}; r.Procs != 2 || !slices.Equal(got, want) {
		t.Errorf("%d processors, %+v, want %+v", r.Procs, got, want)
	}
	if _, err := (Drmemtrace{}).Export(m, ExportOptions{}, fullDisk{}); err != errFull {
		t.Errorf("a full disk: %v", err)
	}
}

// Every record type and marker has its own name.
func TestDrmemtraceNames(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range slices.Concat(drTypeNames[:], drMarkerNames[:]) {
		seen[name] = true
	}
	if len(seen) != drTypes+drMarks || seen[""] {
		t.Errorf("%d names of %d: %q", len(seen), drTypes+drMarks, slices.Sorted(maps.Keys(seen)))
	}
}

// Any bytes at all are a trace or one line of error.
func FuzzDrmemtrace(f *testing.F) {
	f.Add(new(drFile).begin(7, 0x40).add(drInstr, 4, 0x1000).add(drRead, 8, 0x20).add(drNoFetch, 4, 0x1000).end(7).bytes, uint8(0))
	f.Add((&drFile{narrow: true}).begin(7, 0x10).add(drInstr, 4, 0x1000).add(17, 3, 0x040204).add(drDataFlush, 0, 1).add(21, 0, 1<<20).end(7).bytes, uint8(1))
	f.Add(new(drFile).begin(7, 0x10080).add(drMarker, drMarkInstrCount, 1<<40).add(drMarker, drMarkWindow, 1).add(drMarker, 33, 0).add(drThread, 4, 8).add(drWrite, 0, 1).end(8).bytes, uint8(2))
	f.Add(new(drFile).begin(7, 1).add(drMarker, drMarkInstrCount, 1<<40).add(drMarker, drMarkWindow, 1).add(drThread, 4, 8).add(drWrite, 0, 1).end(8).begin(9, 1).end(9).bytes, uint8(7))
	f.Fuzz(func(t *testing.T, file []byte, how uint8) {
		if detectContainer(file) != nil {
			return // a small file may hold more than there is time for
		}
		o := Options{PC: how&1 != 0, DropIfetch: how&2 != 0, Set: map[string]string{"by": []string{"auto", "thread", "core"}[how/4%3]}}
		m, _, err := importBytes(Drmemtrace{}, file, o)
		if err == nil {
			if err := trace.Check(m); err != nil {
				t.Fatal(err)
			}
			if _, err := (Drmemtrace{}).Export(m, ExportOptions{}, &bytes.Buffer{}); err != nil {
				t.Fatal(err)
			}
		} else if strings.ContainsAny(err.Error(), "\n\x00") || len(err.Error()) > 600 {
			t.Errorf("%q", err)
		}
	})
}

// BenchmarkImportDrmemtrace has the records in the proportions of real traces: of a
// hundred, 68 instructions, 28 references, 3 markers and an encoding.
func BenchmarkImportDrmemtrace(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	f := new(drFile).begin(100, 0x40)
	for n := range 3_000_000 {
		switch at := uint64(n); {
		case n%100 < 96 && n%10 < 7:
			f.add([]uint16{drInstr, drInstr, drInstr, 48, 49, 11, 16}[rng.IntN(7)], 4, 0x400000+at%4096*4)
		case n%100 < 96 && n%10 < 9:
			f.add(drRead, 8, 0x7ff000000000+rng.Uint64N(1<<14)*8)
		case n%100 < 96:
			f.add(drWrite, 8, 0x7ff000000000+at*8)
		case n%100 < 99:
			f.add(drMarker, 29, 0x400000)
		default:
			f.add(drEncoding, 4, 0x90909090)
		}
	}
	f.end(100)
	for _, pc := range []bool{false, true} {
		b.Run(fmt.Sprintf("pc=%v", pc), func(b *testing.B) {
			benchmarkRecords(b, Drmemtrace{}, f.bytes, len(f.bytes)/drRecord, Options{PC: pc})
		})
	}
}
