package main

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
	"spoor/analyze/internal/lines"
	"spoor/analyze/study"
	"spoor/traces/store"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// Every analysis ends with an error at the maximum number of lines, whatever comes after the line that is too much.
func TestTooManyLines(t *testing.T) {
	defer lines.Limit(0)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	ended := 0
	for seed := range testsize.Cases[uint64](16, 4) {
		r := rand.New(rand.NewPCG(seed, 8))
		lines.Limit(0)
		path := filepath.Join(t.TempDir(), "random")
		flags := slices.DeleteFunc(randomFlags(r), func(f string) bool { return strings.HasPrefix(f, "--sample") })
		if seed%2 == 0 {
			writePhases(t, path, r, true)
		} else {
			writeWide(t, path, r)
		}
		lines.Limit(int64(1) << r.IntN(14))
		runtime.GOMAXPROCS(1 + r.IntN(4))
		for _, name := range study.NewSettings().Names() {
			if name == "all" {
				continue
			}
			err := runOne(t, path, name, flags)
			if err != nil && !strings.Contains(err.Error(), "touch more than") && !strings.Contains(err.Error(), "no result") {
				t.Errorf("seed %d, %s %s: %v", seed, name, strings.Join(flags, " "), err)
			}
			if err != nil {
				ended++
			}
		}
	}
	if ended < testsize.Cases(30, 5) {
		t.Errorf("only %d analyses had too many lines", ended)
	}
}

// writeWide writes references of many lines each.
func writeWide(t *testing.T, path string, r *rand.Rand) {
	ops := []trace.Op{trace.Load, trace.Prefetch, trace.Flush, trace.Store}
	ops = ops[:2+r.IntN(3)]
	seed := r.Uint64()
	writeStreams(t, path, 1+r.IntN(3), func(s *streams, p trace.Proc) {
		own := rand.New(rand.NewPCG(seed, uint64(p)))
		for i := range uint64(20) {
			s.use(i<<17, 65535, ops[own.IntN(len(ops))])
		}
	})
}

// runOne runs one analysis.
func runOne(t *testing.T, path, name string, flags []string) error {
	src, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	s := study.NewSettings()
	if err := s.Flags.Parse(append(flags, "--run="+name)); err != nil {
		t.Fatal(err)
	}
	analyses, err := s.Build(&kind.Request{Header: src.Header(), Digest: "digest", Name: "random", Events: src, Interleaved: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = analysis.Run(context.Background(), src, analysis.Options{}, analyses...)
	return err
}
