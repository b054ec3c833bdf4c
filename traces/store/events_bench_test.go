package store

import (
	"iter"
	"path/filepath"
	"runtime"
	"testing"

	"spoor/traces/trace"
)

// BenchmarkReadEvents reads the events of all processors in turns, as a replay does, and says what
// memory is in use half-way, per processor.
func BenchmarkReadEvents(b *testing.B) {
	const procs, batches = 4, 4
	prefix := filepath.Join(b.TempDir(), "x")
	w, err := Create(prefix, trace.Header{Procs: procs, WorkUnit: trace.WorkInstr})
	if err != nil {
		b.Fatal(err)
	}
	rows := benchEvents().Rows
	for i := range rows {
		rows[i].Refs = 0
	}
	for range batches {
		for p := range trace.Proc(procs) {
			if err := w.Events(&trace.Events{Proc: p, Rows: rows}); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := w.Close(trace.Header{Procs: procs, WorkUnit: trace.WorkInstr}); err != nil {
		b.Fatal(err)
	}
	src, err := Open(prefix)
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	var memory uint64
	for b.Loop() {
		memory = readInTurns(b, src, procs)
	}
	b.ReportMetric(float64(len(rows)*procs*batches)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
	b.ReportMetric(float64(memory)/procs/(1<<20), "MiB/proc")
}

// readInTurns reads all processors, a batch of each at a time, and returns the memory in
// use when the first has read half a million events.
func readInTurns(b *testing.B, src trace.Source, procs int) (memory uint64) {
	var next []func() (*trace.Events, error, bool)
	for p := range trace.Proc(procs) {
		pull, stop := iter.Pull2(src.Events(p))
		defer stop()
		next = append(next, pull)
	}
	read := make([]int, procs)
	for more := true; more; {
		more = false
		for p, pull := range next {
			batch, err, ok := pull()
			if err != nil {
				b.Fatal(err)
			}
			if ok {
				more = true
				read[p] += len(batch.Rows)
			}
		}
		if memory == 0 && read[0] >= 1<<19 {
			memory = inUse()
		}
	}
	return memory
}

func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}
