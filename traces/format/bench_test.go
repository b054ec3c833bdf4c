package format

import (
	"bytes"
	"path/filepath"
	"testing"

	"spoor/traces/store"
	"spoor/traces/trace"
)

// benchmarkImport is benchmarkRecords of text, whose records are its lines.
func benchmarkImport(b *testing.B, im Importer, text []byte) {
	benchmarkImportWith(b, im, text, Options{})
}

func benchmarkImportWith(b *testing.B, im Importer, text []byte, o Options) {
	benchmarkRecords(b, im, text, bytes.Count(text, newline), o)
}

// benchmarkRecords imports input of n records that is not compressed: into nothing,
// which measures the parser and the goroutine that reads, and into the files of a
// trace, as users do.
func benchmarkRecords(b *testing.B, im Importer, input []byte, n int, o Options) {
	run := func(b *testing.B, sink Sink) Result {
		in, err := Open(b.Context(), "-", bytes.NewReader(input), nil)
		if err != nil {
			b.Fatal(err)
		}
		r, err := im.Import(in, o, sink)
		if err != nil {
			b.Fatal(err)
		}
		return r
	}
	report := func(b *testing.B) {
		b.SetBytes(int64(len(input)))
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrecords/s")
	}
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			run(b, discard{})
		}
		report(b)
	})
	b.Run("file", func(b *testing.B) {
		prefix := filepath.Join(b.TempDir(), "x")
		layout := LayoutOf(im, o)
		head := trace.Header{WorkUnit: layout.Work, HasPC: layout.PC, HasTime: layout.Time}
		for b.Loop() {
			w, err := store.Create(prefix, head)
			if err != nil {
				b.Fatal(err)
			}
			head := head
			head.Procs = run(b, w).Procs
			if err := w.Close(head); err != nil {
				b.Fatal(err)
			}
		}
		report(b)
	})
}

// discard is a sink that does nothing.
type discard struct{}

func (discard) Refs(*trace.Refs) error     { return nil }
func (discard) Events(*trace.Events) error { return nil }
