package store

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/klauspost/compress/zstd"

	"spoor/traces/trace"
)

// lackeyRefs reads the references in a log of valgrind's lackey tool: enough of
// the format to measure with.
func lackeyRefs(t testing.TB, path string) *trace.Refs {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Skip("the sample is not there: ", err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	refs := new(trace.Refs)
	for s := bufio.NewScanner(z); s.Scan(); {
		line := s.Text()
		if len(line) < 6 || line[2] != ' ' || line[0] == '=' {
			continue
		}
		comma := 3
		for comma < len(line) && line[comma] != ',' {
			comma++
		}
		addr, err := strconv.ParseUint(line[3:comma], 16, 64)
		if err != nil || comma >= len(line)-1 { // the last line may be cut
			continue
		}
		size, _ := strconv.ParseUint(line[comma+1:], 10, 16)
		switch line[:2] {
		case "I ":
			refs.Append(1, addr, uint16(size), trace.Ifetch)
		case " L":
			refs.Append(0, addr, uint16(size), trace.Load)
		case " S":
			refs.Append(0, addr, uint16(size), trace.Store)
		case " M":
			refs.Append(0, addr, uint16(size), trace.Load)
			refs.Append(0, addr, uint16(size), trace.Store)
		}
	}
	return refs
}

// benchRefs is what benchmarks write: the log of lackey that SPOOR_BENCH_LACKEY
// names (zstd), or a loop over an array.
func benchRefs(b *testing.B) *trace.Refs {
	if path := os.Getenv("SPOOR_BENCH_LACKEY"); path != "" {
		return lackeyRefs(b, path)
	}
	refs := new(trace.Refs)
	for i := range uint64(1 << 20) {
		refs.Append(1, 0x401000+i%8*4, 4, trace.Ifetch)
		refs.Append(0, 0x1fff000000+i*8, 8, trace.Load)
		refs.Append(0, 0x2fff000000+i*i%(1<<20)*8, 8, trace.Store)
	}
	return refs
}

// columnBytes is the size of a reference in plain columns, without pc.
const columnBytes = 4 + 4 + 8 + 2 + 1

// report adds the rates of a benchmark over refs.
func report(b *testing.B, refs *trace.Refs, fileBytes int64) {
	n := float64(refs.Len())
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrefs/s")
	b.ReportMetric(float64(fileBytes)/n, "B/ref")
	b.SetBytes(int64(refs.Len()) * columnBytes)
}

func writeRefs(b *testing.B, prefix string, refs *trace.Refs) { writeAs(b, Create, prefix, refs) }

// writeAs writes with Create or CreateArchive.
func writeAs(b *testing.B, create func(string, trace.Header) (*Writer, error), prefix string, refs *trace.Refs) {
	h := trace.Header{Program: "bench", Procs: 1}
	w, err := create(prefix, h)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Abort()
	const piece = 4096
	for i := 0; i < refs.Len(); i += piece {
		part := refs.Slice(i, min(i+piece, refs.Len()))
		if err := w.Refs(&part); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(h); err != nil {
		b.Fatal(err)
	}
}

func fileSize(b *testing.B, path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

func BenchmarkWriteRefs(b *testing.B) {
	refs := benchRefs(b)
	prefix := filepath.Join(b.TempDir(), "x")
	for b.Loop() {
		writeRefs(b, prefix, refs)
	}
	report(b, refs, fileSize(b, prefix+RefsSuffix))
}

func BenchmarkReadRefs(b *testing.B) {
	refs := benchRefs(b)
	prefix := filepath.Join(b.TempDir(), "x")
	writeRefs(b, prefix, refs)
	for b.Loop() {
		readAll(b, prefix, refs)
	}
	report(b, refs, fileSize(b, prefix+RefsSuffix))
}

// BenchmarkEncode is one goroutine's work without files.
func BenchmarkEncode(b *testing.B) {
	refs := benchRefs(b)
	e := newEncoder()
	var size int64
	for b.Loop() {
		size = 0
		for i := 0; i < refs.Len(); i += batchRows {
			r := refsBatch{Refs: refs.Slice(i, min(i+batchRows, refs.Len()))}
			e.begin()
			r.encode(e, false)
			msg, _ := e.finish(r.Len())
			size += int64(len(msg))
		}
	}
	report(b, refs, size)
}

// benchEvents is a ring of processors that send, receive and compute.
func benchEvents() *trace.Events {
	b := new(trace.Events)
	for i := range uint64(1 << 18) {
		e := trace.NewEvent([]trace.Kind{trace.Compute, trace.Send, trace.Recv}[i%3])
		e.Instr, e.Refs, e.Peer, e.Tag, e.Bytes = uint32(i*i%1000), i*50, int32(i%7), int32(i%11), int64(i%3*4096)
		b.Rows = append(b.Rows, e)
	}
	return b
}

// BenchmarkEvents writes and reads events without files.
func BenchmarkEvents(b *testing.B) {
	rows := benchEvents().Rows
	e, d := newEncoder(), newDecoder()
	var batch eventsBatch
	var back readEvents
	var out []trace.Event
	size := 0
	for b.Loop() {
		batch.reset()
		for i := range rows {
			batch.add(&rows[i])
		}
		e.begin()
		batch.encode(e, false)
		msg, meta := e.finish(batch.Len())
		size = len(msg)
		if err := d.open(msg, meta); err != nil {
			b.Fatal(err)
		}
		back.decode(d, false)
		out = back.rows(out, 0, back.Len())
	}
	if len(out) != len(rows) {
		b.Fatalf("%d rows of %d", len(out), len(rows))
	}
	b.ReportMetric(float64(len(rows))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
	b.ReportMetric(float64(size)/float64(len(rows)), "B/event")
}
