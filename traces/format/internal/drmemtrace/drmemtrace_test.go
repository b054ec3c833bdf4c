package drmemtrace

import (
	"bytes"
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

	"spoor/traces/format/internal/formattest"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// DrFile builds a file of records.
type DrFile struct {
	Bytes  []byte
	Narrow bool // a 32-bit program's
}

func (f *DrFile) Add(kind, size uint16, addr uint64) *DrFile {
	f.Bytes = binary.LittleEndian.AppendUint16(f.Bytes, kind)
	f.Bytes = binary.LittleEndian.AppendUint16(f.Bytes, size)
	if f.Narrow {
		f.Bytes = binary.LittleEndian.AppendUint32(f.Bytes, uint32(addr))
	} else {
		f.Bytes = binary.LittleEndian.AppendUint64(f.Bytes, addr)
	}
	return f
}

// Begin adds what the file of a thread starts with.
func (f *DrFile) Begin(tid, fileType uint64) *DrFile {
	f.Add(DrHeader, 0, 7).Add(drMarker, drMarkVersion, 7).Add(drMarker, drMarkFiletype, fileType)
	return f.Add(DrThread, 4, tid).Add(drPid, 4, 100)
}

func (f *DrFile) End(tid uint64) *DrFile { return f.Add(drThreadExit, 4, tid).Add(DrFooter, 0, 0) }

// What each type of record becomes.
func TestDrmemtraceRecords(t *testing.T) {
	f := new(DrFile).Begin(7, 0x40)
	f.Add(drEncoding, 4, 0x90).Add(drInstr, 4, 0x1000).Add(drRead, 8, 0x20).Add(drWrite, 2, 0x30)
	f.Add(14, 5, 0x1004).Add(drNoFetch, 5, 0x1009).Add(drRead, 1, 0x40)         // a call, an iteration
	f.Add(drMaybeFetch, 2, 0x1009).Add(drMaybeFetch, 2, 0x100b)                 // the same again, another one
	f.Add(drInstr, 0, 0x2000).Add(drRead, 0, 0x50)                              // an address alone, no size
	f.Add(9, 1, 0x60).Add(drHWPrefetch, 64, 0x80).Add(46, 1, 0xc0)              // prefetches
	f.Add(drInstrFlush, 64, 0x100).Add(drDataFlush, 0, 0x200).Add(21, 0, 0x280) // a flush, a flush and its end
	f.Add(drMarker, 46, 1).Add(drMarker, 47, 1).Add(drMarker, 60000, 1).End(7)
	m, r := formattest.MustImport(t, Drmemtrace{}, string(f.Bytes), format.Options{PC: true})
	want := []formattest.Row{{Instr: 1, Addr: 0x1000, Size: 4, Op: trace.Ifetch}, {Instr: 0, Addr: 0x20, Size: 8, Op: trace.Load}, {Instr: 0, Addr: 0x30, Size: 2, Op: trace.Store},
		{Instr: 1, Addr: 0x1004, Size: 5, Op: trace.Ifetch}, {Instr: 0, Addr: 0x40, Size: 1, Op: trace.Load}, {Instr: 1, Addr: 0x100b, Size: 2, Op: trace.Ifetch}, {Instr: 0, Addr: 0x50, Size: 1, Op: trace.Load},
		{Instr: 0, Addr: 0x60, Size: 1, Op: trace.Prefetch}, {Instr: 0, Addr: 0x80, Size: 64, Op: trace.Prefetch}, {Instr: 0, Addr: 0xc0, Size: 1, Op: trace.Prefetch},
		{Instr: 0, Addr: 0x100, Size: 64, Op: trace.Flush}, {Instr: 0, Addr: 0x200, Size: 128, Op: trace.Flush}}
	if got := formattest.Rows(m, 0); !slices.Equal(got, want) {
		t.Errorf("%+v, want\n%+v", got, want)
	}
	pcs := []uint64{0x1000, 0x1000, 0x1000, 0x1004, 0x1009, 0x100b, 0x2000, 0x2000, 0x2000, 0x2000, 0x2000, 0x2000}
	if got := m.RefsOf[0].PC; !slices.Equal(got, pcs) {
		t.Errorf("pcs %#x, want %#x", got, pcs)
	}
	for _, note := range []string{"1 instruction not fetched", "1 data reference without a size counted as 1 byte", "1 prefetch by the hardware",
		"flushes of the instruction cache stored as flushes: 1", "2 markers of unknown kinds omitted (47, 60000)"} {
		t.Run(note, func(t *testing.T) {
			if !formattest.HasNote(r.Notes, note) {
				t.Errorf("notes %q, want %q", r.Notes, note)
			}
		})
	}
	for _, fact := range []string{"drmemtrace of version 7: x86-64", "omitted: 1 encodings of instructions, 5 markers", "processors from 0 on are thread 7 (process 100)"} {
		t.Run(fact, func(t *testing.T) {
			if !slices.Contains(r.Facts, fact) {
				t.Errorf("facts %q, want %q", r.Facts, fact)
			}
		})
	}
	if c := formattest.CountsOf(r); c["fetched instructions"] != 3 || c["marker unknown"] != 2 || c["instr_maybe_fetch"] != 2 || r.Lines != uint64(len(f.Bytes)/drRecord) {
		t.Errorf("counts %v of %d records", c, r.Lines)
	}
	m, _ = formattest.MustImport(t, Drmemtrace{}, string(f.Bytes), format.Options{DropIfetch: true, DefaultSize: 16})
	if got := formattest.Rows(m, 0); len(got) != 9 || got[0].Instr != 1 || got[3] != (formattest.Row{Instr: 1, Addr: 0x50, Size: 16, Op: trace.Load}) {
		t.Errorf("without fetches: %+v", got)
	}
}

// A 32-bit program has records of 8 bytes, and bundles of up to 4 instructions.
func TestDrmemtraceOf32Bits(t *testing.T) {
	f := (&DrFile{Narrow: true}).Begin(7, 0x10)
	f.Add(drInstr, 4, 0xfffff000).Add(17, 3, 0x040204).Add(drWrite, 4, 0xfffffffc).End(7)
	m, r := formattest.MustImport(t, Drmemtrace{}, string(f.Bytes), format.Options{})
	want := []formattest.Row{{Instr: 1, Addr: 0xfffff000, Size: 4, Op: trace.Ifetch}, {Instr: 1, Addr: 0xfffff004, Size: 4, Op: trace.Ifetch}, {Instr: 1, Addr: 0xfffff008, Size: 2, Op: trace.Ifetch},
		{Instr: 1, Addr: 0xfffff00a, Size: 4, Op: trace.Ifetch}, {Instr: 0, Addr: 0xfffffffc, Size: 4, Op: trace.Store}}
	if got := formattest.Rows(m, 0); !slices.Equal(got, want) {
		t.Errorf("%+v, want\n%+v", got, want)
	}
	if !formattest.HasNote(r.Facts, "ARM") || formattest.HasNote(r.Notes, "another size") {
		t.Errorf("facts %q, notes %q", r.Facts, r.Notes)
	}
	_, r = formattest.MustImport(t, Drmemtrace{}, string((&DrFile{Narrow: true}).Begin(7, 0x40).End(7).Bytes), format.Options{})
	if !formattest.HasNote(r.Notes, "the address size in the file type differs") {
		t.Errorf("a 64-bit file type with records of 8 bytes: notes %q", r.Notes)
	}
}

// Times and cpus that the start of a chunk repeats are told from others.
func TestDrmemtraceChunks(t *testing.T) {
	for _, chunked := range []bool{true, false} {
		f := new(DrFile).Begin(7, 0x40)
		if chunked {
			f.Add(drMarker, drMarkChunkInstrs, 1)
		}
		for n := range uint64(3) {
			f.Add(drMarker, drMarkTimestamp, 5).Add(drMarker, drMarkCPU, 0).Add(drInstr, 1, 0x1000)
			f.Add(drMarker, drMarkChunkFooter, n).Add(drMarker, drMarkOrdinal, 9).Add(drMarker, drMarkTimestamp, 5).Add(drMarker, drMarkCPU, 0)
		}
		f.End(7)
		_, r := formattest.MustImport(t, Drmemtrace{}, string(f.Bytes), format.Options{})
		c := formattest.CountsOf(r)
		if want := map[bool]uint64{true: 6, false: 0}[chunked]; c["markers repeated in chunks"] != want || c["marker timestamp"] != 6 {
			t.Errorf("chunked %v: counts %v", chunked, c)
		}
		if formattest.HasNote(r.Notes, "in sequence") {
			t.Errorf("chunked %v: notes %q", chunked, r.Notes)
		}
	}
	f := new(DrFile).Begin(7, 0x40).Add(drMarker, drMarkChunkFooter, 0).Add(drMarker, drMarkChunkFooter, 2).End(7)
	if _, r := formattest.MustImport(t, Drmemtrace{}, string(f.Bytes), format.Options{}); !formattest.HasNote(r.Notes, "chunks may be missing") {
		t.Errorf("chunk 2 after 0: notes %q", r.Notes)
	}
}

// A file may hold several threads, and several traces one after the other.
func TestDrmemtraceThreads(t *testing.T) {
	f := new(DrFile).Begin(7, 0x40).Add(drInstr, 1, 0x10)
	f.Add(DrThread, 4, 8).Add(drPid, 4, 200).Add(drInstr, 1, 0x20).Add(drInstr, 1, 0x21)
	f.Add(DrThread, 4, 7).Add(drRead, 4, 0x30).Add(DrThread, 4, 8).Add(drWrite, 4, 0x40).End(8)
	f.Begin(9, 0x40).Add(drInstr, 1, 0x50).End(9)
	m, r := formattest.MustImport(t, Drmemtrace{}, string(f.Bytes), format.Options{})
	for p, want := range [][]formattest.Row{{{Instr: 1, Addr: 0x10, Size: 1, Op: trace.Ifetch}, {Instr: 0, Addr: 0x30, Size: 4, Op: trace.Load}},
		{{Instr: 1, Addr: 0x20, Size: 1, Op: trace.Ifetch}, {Instr: 1, Addr: 0x21, Size: 1, Op: trace.Ifetch}, {Instr: 0, Addr: 0x40, Size: 4, Op: trace.Store}}, {{Instr: 1, Addr: 0x50, Size: 1, Op: trace.Ifetch}}} {
		if got := formattest.Rows(m, trace.Proc(p)); !slices.Equal(got, want) {
			t.Errorf("processor %d: %+v, want %+v", p, got, want)
		}
	}
	if want := "processors from 0 on are thread 7 (process 100), 8 (process 200), 9 (process 100)"; r.Procs != 3 || !slices.Contains(r.Facts, want) {
		t.Errorf("%d processors, facts %q, want %q", r.Procs, r.Facts, want)
	}
	m, r = formattest.MustImport(t, Drmemtrace{}, string(f.Bytes), format.Options{Set: map[string]string{"by": "core"}})
	if got := formattest.Rows(m, 0); r.Procs != 1 || len(got) != 6 || got[3].Addr != 0x30 {
		t.Errorf("by core: %d processors, %+v", r.Procs, got)
	}
	if want := "processor 0 ran thread 7 (process 100), 8 (process 200), 9 (process 100)"; !slices.Contains(r.Facts, want) {
		t.Errorf("by core: facts %q, want %q", r.Facts, want)
	}
}

// The threads of several files, and what their order cannot say.
func TestDrmemtraceFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, f *DrFile) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, f.Bytes, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	core := func(tids ...uint64) *DrFile {
		f := new(DrFile).Begin(tids[0], drCoreSharded)
		for _, tid := range tids {
			f.Add(DrThread, 4, tid).Add(drInstr, 1, tid).Add(drThreadExit, 4, tid).Add(DrFooter, 0, 0).Add(drMarker, 33, 0)
		}
		return f.Add(DrFooter, 0, 0)
	}
	a, b, c := write("a", core(7, 8)), write("b", core(9, 7)), write("c", new(DrFile).Begin(7, 0x40).End(7))
	d := write("d", new(DrFile).Begin(7, 0x40).End(7))
	byThread := format.Options{Set: map[string]string{"by": "thread"}}
	m, r := formattest.MustImportPaths(t, Drmemtrace{}, []string{a, b}, format.Options{})
	if r.Procs != 2 || len(formattest.Rows(m, 0)) != 2 || len(formattest.Rows(m, 1)) != 2 || !formattest.HasNote(r.Notes, "every core is a processor") {
		t.Errorf("cores: %d processors, %+v, notes %q", r.Procs, m.RefsOf, r.Notes)
	}
	_, _, err := formattest.ImportPaths(Drmemtrace{}, []string{a, b}, byThread)
	formattest.Complains(t, "a thread on two cores", err, b+": record ", "thread 7 ran on several cores", "--set by=core")
	_, _, err = formattest.ImportPaths(Drmemtrace{}, []string{c, d}, format.Options{})
	formattest.Complains(t, "a thread in two files", err, d+": record 3, offset 36: ", "thread 7 is in an earlier file too", "--set by=core")
	_, _, err = formattest.ImportPaths(Drmemtrace{}, []string{a, c}, format.Options{})
	formattest.Complains(t, "both ways to shard", err, c+": ", "sharded by thread", "the earlier files by core", "--set by=")
	_, _, err = formattest.ImportPaths(Drmemtrace{}, []string{a}, format.Options{Set: map[string]string{"by": "cpu"}})
	formattest.Complains(t, "by=cpu", err, "--set by=cpu", "thread, core or auto")
	if m, r := formattest.MustImportPaths(t, Drmemtrace{}, []string{c, d}, format.Options{Set: map[string]string{"by": "core"}}); r.Procs != 2 || len(m.RefsOf) != 0 {
		t.Errorf("files as cores: %d processors", r.Procs)
	}
}

// Windows and the end of a warmup become markers; what a filter left out is counted
// where the trace says how much it was.
func TestDrmemtraceMarkers(t *testing.T) {
	f := new(DrFile).Begin(7, 0x80)
	f.Add(drMarker, drMarkWindow, 0).Add(drInstr, 1, 0x10).Add(drMarker, drMarkInstrCount, 10).Add(drMarker, drMarkWindow, 0)
	f.Add(drInstr, 1, 0x11).Add(drMarker, drMarkFilterEnd, 0).Add(drMarker, drMarkWindow, 5).Add(drMarker, drMarkInstrCount, 1<<33).Add(drMarker, drMarkInstrCount, 3).End(7)
	m, r := formattest.MustImport(t, Drmemtrace{}, string(f.Bytes), format.Options{})
	if got, want := formattest.Rows(m, 0), []formattest.Row{{Instr: 1, Addr: 0x10, Size: 1, Op: trace.Ifetch}, {Instr: 10, Addr: 0x11, Size: 1, Op: trace.Ifetch}}; !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	var marks []string
	var sum uint64
	for _, e := range formattest.Events(m, 0) {
		sum += uint64(e.Instr) + uint64(e.Work)
		if e.Kind == trace.Marker {
			marks = append(marks, fmt.Sprint(e.Tag, " at ", sum))
		}
	}
	if want := []string{"0 at 0", "-1 at 11", "5 at 11"}; !slices.Equal(marks, want) || sum != 1<<33 {
		t.Errorf("markers %q, want %q; %d instructions", marks, want, sum)
	}
	if !formattest.HasNote(r.Notes, "the trace is filtered") || !formattest.HasNote(r.Notes, fmt.Sprint(1<<33-2, " instructions are counted where")) || !formattest.HasNote(r.Facts, "window") || !formattest.HasNote(r.Facts, "warmup") {
		t.Errorf("notes %q, facts %q", r.Notes, r.Facts)
	}
	f = new(DrFile).Begin(7, 0x40).Add(drMarker, drMarkInstrCount, 10).End(7)
	if m, _ := formattest.MustImport(t, Drmemtrace{}, string(f.Bytes), format.Options{}); len(formattest.Events(m, 0)) != 0 {
		t.Errorf("a count in a trace that is not filtered: %+v", formattest.Events(m, 0))
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
		t.Run(fmt.Sprint(c.end), func(t *testing.T) {
			f := new(DrFile).Begin(7, 0x40).Add(drInstrFlush, 0, 0x1000).Add(19, 0, c.end).End(7)
			m, r := formattest.MustImport(t, Drmemtrace{}, string(f.Bytes), format.Options{})
			var got []int
			at := uint64(0x1000)
			for _, row := range formattest.Rows(m, 0) {
				if row.Op != trace.Flush || row.Addr != at {
					t.Errorf("to %#x: %+v, want a flush at %#x", c.end, row, at)
				}
				at += uint64(row.Size)
				got = append(got, int(row.Size))
			}
			if !slices.Equal(got, c.refs) || c.note != "" && !formattest.HasNote(r.Notes, c.note) {
				t.Errorf("to %#x: %v, notes %q; want %v, %q", c.end, got, r.Notes, c.refs, c.note)
			}
		})
	}
	f := new(DrFile).Begin(7, 0x40).Add(drDataFlush, 0, 0x1000).Add(drDataFlush, 0, 0x2000).End(7)
	if m, r := formattest.MustImport(t, Drmemtrace{}, string(f.Bytes), format.Options{}); len(m.RefsOf) != 0 || !formattest.HasNote(r.Notes, "without an end omitted: 2") {
		t.Errorf("flushes without an end: %+v, notes %q", m.RefsOf, r.Notes)
	}
}

func TestBadDrmemtrace(t *testing.T) {
	start := func() *DrFile { return new(DrFile).Begin(7, 0x40) } // 5 records
	for _, c := range []struct {
		f     *DrFile
		parts []string
	}{
		{new(DrFile), []string{"empty", "no records"}},
		{&DrFile{Bytes: []byte("\x19\x00\x00")}, []string{"3 trailing bytes"}},
		{new(DrFile).Add(DrThread, 4, 7), []string{"record 0, offset 0", "first record is thread (22), not header (25)"}},
		{new(DrFile).Add(drTypes, 0, 7), []string{"raw", "drraw2trace"}},
		{new(DrFile).Add(DrHeader, 0, 0).End(7), []string{"version 0"}},
		{new(DrFile).Add(DrHeader, 0, 8).End(7), []string{"version 8 is newer than 7"}},
		{new(DrFile).Add(DrHeader, 0, 7).Add(drMarker, drMarkVersion, 8).End(7), []string{"record 1, offset 12", "version 8 is newer than 7"}},
		{new(DrFile).Add(DrHeader, 0, 7).Add(DrFooter, 0, 0), []string{"no thread record"}},
		{new(DrFile).Add(DrHeader, 0, 7).Add(drInstr, 1, 0), []string{"record 1, offset 12", "instr (10) before the first thread"}},
		{new(DrFile).Add(DrHeader, 0, 7).Add(drWrite, 1, 0), []string{"write (1) before the first thread"}},
		{new(DrFile).Add(DrHeader, 0, 7).Add(drNoFetch, 1, 0), []string{"before the first thread"}},
		{new(DrFile).Add(DrHeader, 0, 7).Add(drDataFlush, 1, 0), []string{"before the first thread"}},
		{new(DrFile).Add(DrHeader, 0, 7).Add(21, 1, 0), []string{"before the first thread"}},
		{new(DrFile).Add(DrHeader, 0, 7).Add(17, 1, 0), []string{"before the first thread"}},
		{start().Add(drTypes, 0, 0).End(7), []string{"record 5, offset 60", "unknown record type 50"}},
		{start().Add(60000, 0, 0).End(7), []string{"record 5, offset 60", "unknown record type 60000"}},
		{start().Add(drInstr, 2, math.MaxUint64).End(7), []string{"record 5, offset 60", "access of 2 bytes at 0xffffffffffffffff wraps"}},
		{start().Add(drRead, 9, math.MaxUint64-7).End(7), []string{"wraps"}},
		{start().Add(drDataFlush, 9, math.MaxUint64-7).End(7), []string{"wraps"}},
		{start().Add(21, 0, 0x10).End(7), []string{"end of a flush without its start"}},
		{start().Add(20, 0, 0x10).Add(21, 0, 0x10).End(7), []string{"record 6, offset 76", "a flush starts at 0x10 and ends at 0x10"}},
		{start().Add(17, 1, 4).End(7), []string{"bundle without an instruction"}},
		{start().Add(drInstr, 1, 4).Add(17, 9, 4).End(7), []string{"bundle has 9 instructions, over the limit of 8"}},
		{start().Add(drInstr, 1, 4).Add(17, 2, 4).End(7), []string{"instruction of 0 bytes"}},
		{start().Add(drMarker, drMarkInstrCount, math.MaxUint64).End(7), []string{"the count of 18446744073709551615 instructions"}},
		{start(), []string{"record 5, offset 60", "without a FOOTER", "truncated"}},
		{start().End(7).Add(drRead, 1, 1), []string{"record 7, offset 84", "read (0) after the footer"}},
		{&DrFile{Bytes: append(start().End(7).Bytes, 1, 2, 3)}, []string{"record 7, offset 84", "3 trailing bytes"}},
	} {
		_, _, err := formattest.ImportBytes(Drmemtrace{}, c.f.Bytes, format.Options{})
		formattest.Complains(t, fmt.Sprintf("%x", c.f.Bytes), err, append(c.parts, "standard input")...)
	}
	name := filepath.Join(t.TempDir(), "drmemtrace.a.1.0000.raw")
	if err := os.WriteFile(name, make([]byte, 24), 0o666); err != nil {
		t.Fatal(err)
	}
	_, _, err := formattest.ImportPaths(Drmemtrace{}, []string{name}, format.Options{})
	formattest.Complains(t, "raw", err, name+": record 0, offset 0: ", "raw", "drraw2trace")
}

var errFull = errors.New("disk full")

// fullDisk takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

// An error of the sink ends the import, also one that a thread met that is no
// longer the present one.
func TestDrmemtraceSinkFails(t *testing.T) {
	f := new(DrFile).Begin(7, 0x40)
	for range 10 {
		f.Add(DrThread, 4, 7).Add(drInstr, 1, 1).Add(DrThread, 4, 8).Add(drInstr, 1, 1)
	}
	for _, file := range []*DrFile{new(DrFile).Begin(7, 0x40).Add(drInstr, 1, 1).End(7), f.End(7)} {
		in := formattest.Open(t, string(file.Bytes))
		if _, err := (Drmemtrace{}).Import(in, format.Options{}, &formattest.MemorySink{Err: errFull}); err != errFull {
			t.Errorf("%v, want %v", err, errFull)
		}
	}
}

// Many threads share the memory for references.
func TestDrmemtraceManyThreads(t *testing.T) {
	f := new(DrFile).Begin(1, 0x40)
	for tid := range uint64(300) {
		f.Add(DrThread, 4, tid)
		for n := range uint64(3000) {
			f.Add(drRead, 8, n*8)
		}
	}
	f.End(1)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	in := formattest.Open(t, string(f.Bytes))
	r, err := Drmemtrace{}.Import(in, format.Options{PC: true}, formattest.Discard{})
	if err != nil || r.Procs != 300 {
		t.Fatalf("%d processors, %v", r.Procs, err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 20<<20 {
		t.Errorf("%d MiB allocated for threads of %d bytes of records", used>>20, len(f.Bytes)/300)
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
		t.Run(c.want, func(t *testing.T) {
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
				formattest.Complains(t, c.files, err, append(strings.Split(reasons, "; "), dir)...)
				return
			}
			var got []string
			for _, f := range files {
				name, _ := filepath.Rel(dir, f)
				got = append(got, name)
			}
			if err != nil || strings.Join(got, " ") != c.want {
				t.Errorf("%s: %v, %v; want %s", c.files, got, err, c.want)
			}
		})
	}
}

// What is exported and imported is the same, the PC column included.
func TestDrmemtraceRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for n := range 200 {
		m := &trace.Memory{Head: trace.Header{WorkUnit: trace.WorkInstr, HasPC: n%2 == 0}}
		for p := range 1 + rng.IntN(3) {
			one := formattest.RandomTrace(rng, trace.Ops, 63).RefsOf[0]
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
		notes, err := Drmemtrace{}.Export(m, format.ExportOptions{}, &b)
		if err != nil || len(notes) != 0 {
			t.Fatalf("%v, notes %q", err, notes)
		}
		again, _ := formattest.MustImport(t, Drmemtrace{}, b.String(), format.Options{PC: m.Head.HasPC})
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
	notes, err := Drmemtrace{}.Export(m, format.ExportOptions{}, &b)
	if err != nil || len(notes) != 3 || !formattest.HasNote(notes, "no events: 1 omitted (barrier)") || !formattest.HasNote(notes, "no instruction counts: instructions") || !formattest.HasNote(notes, "no pc for instruction fetches: 1") {
		t.Errorf("notes %q, %v", notes, err)
	}
	again, r := formattest.MustImport(t, Drmemtrace{}, b.String(), format.Options{})
	if got, want := formattest.Rows(again, 0), []formattest.Row{{Instr: 0, Addr: 0x10, Size: 8, Op: trace.Load}, {Instr: 1, Addr: 0x20, Size: 4, Op: trace.Ifetch}}; r.Procs != 2 || !slices.Equal(got, want) {
		t.Errorf("%d processors, %+v, want %+v", r.Procs, got, want)
	}
	if _, err := (Drmemtrace{}).Export(m, format.ExportOptions{}, fullDisk{}); err != errFull {
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
	f.Add(new(DrFile).Begin(7, 0x40).Add(drInstr, 4, 0x1000).Add(drRead, 8, 0x20).Add(drNoFetch, 4, 0x1000).End(7).Bytes, uint8(0))
	f.Add((&DrFile{Narrow: true}).Begin(7, 0x10).Add(drInstr, 4, 0x1000).Add(17, 3, 0x040204).Add(drDataFlush, 0, 1).Add(21, 0, 1<<20).End(7).Bytes, uint8(1))
	f.Add(new(DrFile).Begin(7, 0x10080).Add(drMarker, drMarkInstrCount, 1<<40).Add(drMarker, drMarkWindow, 1).Add(drMarker, 33, 0).Add(DrThread, 4, 8).Add(drWrite, 0, 1).End(8).Bytes, uint8(2))
	f.Add(new(DrFile).Begin(7, 1).Add(drMarker, drMarkInstrCount, 1<<40).Add(drMarker, drMarkWindow, 1).Add(DrThread, 4, 8).Add(drWrite, 0, 1).End(8).Begin(9, 1).End(9).Bytes, uint8(7))
	f.Fuzz(func(t *testing.T, file []byte, how uint8) {
		if input.DetectContainer(file) != nil {
			return // a small file may hold more than there is time for
		}
		o := format.Options{PC: how&1 != 0, DropIfetch: how&2 != 0, Set: map[string]string{"by": []string{"auto", "thread", "core"}[how/4%3]}}
		m, _, err := formattest.ImportBytes(Drmemtrace{}, file, o)
		if err == nil {
			if err := trace.Check(m); err != nil {
				t.Fatal(err)
			}
			if _, err := (Drmemtrace{}).Export(m, format.ExportOptions{}, &bytes.Buffer{}); err != nil {
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
	f := new(DrFile).Begin(100, 0x40)
	for n := range 3_000_000 {
		switch at := uint64(n); {
		case n%100 < 96 && n%10 < 7:
			f.Add([]uint16{drInstr, drInstr, drInstr, 48, 49, 11, 16}[rng.IntN(7)], 4, 0x400000+at%4096*4)
		case n%100 < 96 && n%10 < 9:
			f.Add(drRead, 8, 0x7ff000000000+rng.Uint64N(1<<14)*8)
		case n%100 < 96:
			f.Add(drWrite, 8, 0x7ff000000000+at*8)
		case n%100 < 99:
			f.Add(drMarker, 29, 0x400000)
		default:
			f.Add(drEncoding, 4, 0x90909090)
		}
	}
	f.End(100)
	for _, pc := range []bool{false, true} {
		b.Run(fmt.Sprintf("pc=%v", pc), func(b *testing.B) {
			formattest.BenchmarkRecords(b, Drmemtrace{}, f.Bytes, len(f.Bytes)/drRecord, format.Options{PC: pc})
		})
	}
}
