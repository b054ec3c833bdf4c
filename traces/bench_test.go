package main

import (
	"os"
	"path/filepath"
	"testing"

	"spoor/traces/stage"
	"spoor/traces/store"
)

// BenchmarkImport is `traces import` as users run it: decompression, parsing, and
// the store's compression and synchronisation with the disk.
func BenchmarkImport(b *testing.B) {
	path, err := filepath.Abs("../data/sample/gzip.log.zst")
	if err != nil {
		b.Fatal(err)
	}
	const lines, refs = 2673490, 2691905
	prefix := filepath.Join(b.TempDir(), "x")
	for b.Loop() {
		if status, _, errs := traces(nil, "import", path, "-o", prefix); status != stage.Done {
			b.Fatal(errs)
		}
	}
	b.ReportMetric(lines*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mlines/s")
	info, err := os.Stat(prefix + store.RefsSuffix)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/refs, "bytes/ref")
}

func BenchmarkInfo(b *testing.B) { benchmarkRead(b, "info") }

func BenchmarkCheck(b *testing.B) { benchmarkRead(b, "check") }

func benchmarkRead(b *testing.B, what string) {
	prefix := filepath.Join(b.TempDir(), "x")
	path, err := filepath.Abs("../data/sample/gzip.log.zst")
	if err != nil {
		b.Fatal(err)
	}
	if status, _, errs := traces(nil, "import", path, "-o", prefix); status != stage.Done {
		b.Fatal(errs)
	}
	for b.Loop() {
		if status, _, errs := traces(nil, what, prefix); status != stage.Done {
			b.Fatal(errs)
		}
	}
	b.ReportMetric(2691905*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrefs/s")
}
