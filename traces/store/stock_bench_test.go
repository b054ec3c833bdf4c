package store

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	mem "github.com/apache/arrow/go/v15/arrow/memory"

	"spoor/traces/trace"
)

// comparedRounds is how often each side runs, in turn; the best time of each counts,
// for other programs share the machine.
const comparedRounds = 9

// BenchmarkAgainstStock compares with the arrow library, both on as many cores as
// -cpu says, on lackey's logs of gzip, gcc and python. SPOOR_BENCH_LACKEY may be
// a pattern of such logs (zstd), which are recorded otherwise. On one core times
// are those of the processor, on more of the clock on the wall.
func BenchmarkAgainstStock(b *testing.B) {
	if pattern := os.Getenv("SPOOR_BENCH_LACKEY"); pattern != "" {
		logs, err := filepath.Glob(pattern)
		if err != nil {
			b.Fatal(err)
		}
		for _, log := range logs {
			b.Run(filepath.Base(log), func(b *testing.B) { compareWithStock(b, lackeyRefs(b, log)) })
		}
		return
	}
	for _, p := range lackeyPrograms {
		b.Run(p.name, func(b *testing.B) { compareWithStock(b, lackeyRefs(b, lackeyLog(b, p.run(b.TempDir())))) })
	}
}

func compareWithStock(b *testing.B, refs *trace.Refs) {
	s, all := stockRecords(refs)
	prefix, path := filepath.Join(b.TempDir(), "x"), filepath.Join(b.TempDir(), "x.arrow")
	n := float64(refs.Len())
	for b.Loop() {
		write, stockWrite := bestOf(func() { writeRefs(b, prefix, refs) }, func() { writeStock(b, path, s, all) })
		read, stockRead := bestOf(func() { readAll(b, prefix, refs) }, func() { readStock(b, path, refs.Len()) })
		b.ReportMetric(stockWrite.Seconds()/write.Seconds(), "write_ratio")
		b.ReportMetric(stockRead.Seconds()/read.Seconds(), "read_ratio")
		b.ReportMetric(n/write.Seconds()/1e6, "write-Mrefs/s")
		b.ReportMetric(n/read.Seconds()/1e6, "read-Mrefs/s")
	}
	b.ReportMetric(float64(fileSize(b, prefix+RefsSuffix))/n, "B/ref")
	b.ReportMetric(float64(fileSize(b, path))/n, "stock-B/ref")
}

// bestOf is the shortest time of each of two runs.
func bestOf(ours, stock func()) (best, stockBest time.Duration) {
	timed := func(best *time.Duration, run func()) {
		start := clock()
		run()
		if t := clock() - start; *best == 0 || t < *best {
			*best = t
		}
	}
	for range comparedRounds {
		timed(&best, ours)
		timed(&stockBest, stock)
	}
	return best, stockBest
}

// clock is the time that this process took on one core, or else that of the day.
func clock() time.Duration {
	var u syscall.Rusage
	if runtime.GOMAXPROCS(0) > 1 || syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return time.Duration(time.Now().UnixNano())
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// stockRecords is refs as records of the arrow library.
func stockRecords(refs *trace.Refs) (*arrow.Schema, []arrow.Record) {
	s := arrow.NewSchema([]arrow.Field{
		{Name: "proc", Type: arrow.PrimitiveTypes.Int32}, {Name: "instr", Type: arrow.PrimitiveTypes.Uint32},
		{Name: "addr", Type: arrow.PrimitiveTypes.Uint64}, {Name: "size", Type: arrow.PrimitiveTypes.Uint16},
		{Name: "op", Type: arrow.PrimitiveTypes.Uint8}}, nil)
	var all []arrow.Record
	for i := 0; i < refs.Len(); i += batchRows {
		r := refs.Slice(i, min(i+batchRows, refs.Len()))
		b := array.NewRecordBuilder(mem.DefaultAllocator, s)
		b.Field(0).(*array.Int32Builder).AppendValues(make([]int32, r.Len()), nil)
		b.Field(1).(*array.Uint32Builder).AppendValues(r.Instr, nil)
		b.Field(2).(*array.Uint64Builder).AppendValues(r.Addr, nil)
		b.Field(3).(*array.Uint16Builder).AppendValues(r.Size, nil)
		for _, op := range r.Op {
			b.Field(4).(*array.Uint8Builder).Append(uint8(op))
		}
		all = append(all, b.NewRecord())
	}
	return s, all
}

func writeStock(b *testing.B, path string, s *arrow.Schema, all []arrow.Record) {
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(s), ipc.WithZstd())
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range all {
		if err := w.Write(r); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}

// readStock reads all records and counts.
func readStock(b *testing.B, path string, want int) {
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
	rows := 0
	for i := range r.NumRecords() {
		rec, err := r.RecordAt(i)
		if err != nil {
			b.Fatal(err)
		}
		rows += int(rec.NumRows())
		rec.Release()
	}
	if rows != want {
		b.Fatalf("%d rows of %d", rows, want)
	}
}
