package store

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/klauspost/compress/zstd"

	"spoor/traces/trace"
)

// codec writes a trace to the files of a prefix, and reads it again. Read returns the number of rows.
type codec struct {
	name  string
	write func(b *testing.B, prefix string, t benchTrace)
	read  func(b *testing.B, path string) int
}

// codecs are those of this package and of libraries. Codec general is zcolumn with the general compressor alone.
var codecs = []codec{
	{"zcolumn", writeBy(Create), readOwn},
	{"general", writeBy(createGeneral), readOwn},
	{"archive", writeBy(CreateArchive), readOwn},
	{"library", writeLibrary, readLibrary},
}

// BenchmarkCodecs writes and reads whole files by each codec in turn, once in an iteration. It reports each codec's best
// rate in the time of one processor, because other programs may share the machine, and bytes on disk. The Arrow library
// has an easier task: no digests, no checks, no columns from rows, and no rows from columns. SPOOR_BENCH_TRACES may list
// traces.
//
//	go test -run '^$' -bench Codecs -benchtime 20x -cpu 1 ./traces/store
func BenchmarkCodecs(b *testing.B) {
	for _, t := range benchTraces(b) {
		b.Run(t.name, func(b *testing.B) {
			best := make([][2]cost, len(codecs))
			dir := b.TempDir()
			writeBy(Create)(b, filepath.Join(dir, "x"), t)
			t.records, _, _, _ = records(b, read(b, filepath.Join(dir, "x"+t.suffix)))
			for b.Loop() {
				for i, c := range codecs {
					prefix := filepath.Join(dir, c.name)
					best[i][0].lower(b, func() { c.write(b, prefix, t) })
					best[i][1].lower(b, func() {
						if n := c.read(b, prefix+t.suffix); n != t.rows() {
							b.Fatalf("%s: %d rows of %d", c.name, n, t.rows())
						}
					})
				}
			}
			rows := float64(t.rows())
			for i, c := range codecs {
				b.ReportMetric(rows/best[i][0].time.Seconds()/1e6, c.name+"-write-Mrows/s")
				b.ReportMetric(rows/best[i][1].time.Seconds()/1e6, c.name+"-read-Mrows/s")
				b.ReportMetric(float64(best[i][0].memory)/1e6, c.name+"-write-MB")
				b.ReportMetric(float64(best[i][1].memory)/1e6, c.name+"-read-MB")
				b.ReportMetric(float64(fileSize(b, filepath.Join(dir, c.name)+t.suffix))/rows, c.name+"-B/row")
			}
		})
	}
}

// cost is the least processor time and the least allocated memory of some runs.
type cost struct {
	time   time.Duration
	memory uint64
}

func (c *cost) lower(b *testing.B, run func()) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := processTime(b)
	run()
	spent := processTime(b) - start
	runtime.ReadMemStats(&after)
	if c.time == 0 || spent < c.time {
		c.time = spent
	}
	if memory := after.TotalAlloc - before.TotalAlloc; c.memory == 0 || memory < c.memory {
		c.memory = memory
	}
}

// benchTrace is a trace of references or of events.
type benchTrace struct {
	name, suffix string // suffix of the file with its rows
	*trace.Memory
	records []arrow.Record
}

// benchTraces are the traces of BenchmarkCodecs.
func benchTraces(b *testing.B) (all []benchTrace) {
	add := func(name string, m *trace.Memory) {
		refs, events := *m, *m
		refs.EventsOf, events.RefsOf = nil, nil
		for _, t := range []benchTrace{{name + "/refs", RefsSuffix, &refs, nil}, {name + "/events", EventsSuffix, &events, nil}} {
			if t.rows() > 0 {
				all = append(all, t)
			}
		}
	}
	for _, path := range strings.Fields(os.Getenv("SPOOR_BENCH_TRACES")) {
		t, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		m, err := load(t)
		if err != nil {
			b.Fatal(err)
		}
		t.Close()
		add(filepath.Base(path), m)
	}
	if len(all) == 0 {
		refs := lackeyRefs(b, filepath.Join("..", "..", "data", "sample", "gzip.log.zst"))
		add("gzip", &trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: []trace.Refs{*refs}})
		uniform := new(trace.Refs)
		for r := rand.New(rand.NewPCG(1, 1)); uniform.Len() < 1<<20; {
			uniform.Append(1, r.Uint64N(1<<20)*64, 8, trace.Load)
		}
		add("uniform", &trace.Memory{Head: trace.Header{Procs: 1}, RefsOf: []trace.Refs{*uniform}})
		add("ring", &trace.Memory{Head: trace.Header{Procs: 1}, EventsOf: []trace.Events{*benchEvents()}})
	}
	return all
}

func (t benchTrace) rows() (n int) {
	for i := range t.RefsOf {
		n += t.RefsOf[i].Len()
	}
	for i := range t.EventsOf {
		n += t.EventsOf[i].Len()
	}
	return n
}

func processTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// createGeneral is Create without package zcolumn.
func createGeneral(prefix string, h trace.Header) (*Writer, error) {
	w, err := Create(prefix, h)
	if err == nil {
		general := func() *encoder { return newEncoderAt(zstd.SpeedDefault) }
		w.refs.encoder, w.events.encoder = general, general
	}
	return w, err
}

func writeBy(create func(string, trace.Header) (*Writer, error)) func(*testing.B, string, benchTrace) {
	return func(b *testing.B, prefix string, t benchTrace) {
		w, err := create(prefix, trace.Header{HasPC: t.Head.HasPC, HasTime: t.Head.HasTime})
		if err != nil {
			b.Fatal(err)
		}
		defer w.Abort()
		const piece = 4096
		for p := range t.RefsOf {
			for i := 0; i < t.RefsOf[p].Len() && err == nil; i += piece {
				part := t.RefsOf[p].Slice(i, min(i+piece, t.RefsOf[p].Len()))
				err = w.Refs(&part)
			}
		}
		for p := range t.EventsOf {
			if rows := t.EventsOf[p].Rows; len(rows) > 0 && err == nil {
				err = w.Events(&t.EventsOf[p])
				w.total = growTo(w.total, trace.Proc(p))
				w.total[p] = rows[len(rows)-1].Refs // as if the references were written
			}
		}
		if err == nil {
			err = w.Close(t.Head)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

func readOwn(b *testing.B, path string) (rows int) {
	t, err := Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer t.Close()
	for batch, err := range t.Refs() {
		if err != nil {
			b.Fatal(err)
		}
		rows += batch.Len()
	}
	for batch, err := range t.Events() {
		if err != nil {
			b.Fatal(err)
		}
		rows += batch.Len()
	}
	return rows
}

// writeLibrary writes records that are already in memory.
func writeLibrary(b *testing.B, prefix string, t benchTrace) {
	f, err := os.Create(prefix + t.suffix)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(t.records[0].Schema()), ipc.WithZstd())
	for i := 0; i < len(t.records) && err == nil; i++ {
		err = w.Write(t.records[i])
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		b.Fatal(err)
	}
}

func readLibrary(b *testing.B, path string) (rows int) {
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	r, err := ipc.NewFileReader(f)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	for i := range r.NumRecords() {
		rec, err := r.RecordAt(i)
		if err != nil {
			b.Fatal(err)
		}
		rows += int(rec.NumRows())
		rec.Release()
	}
	return rows
}
