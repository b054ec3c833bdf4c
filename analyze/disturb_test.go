package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
	"spoor/analyze/study"
	"spoor/traces/store"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// combinationsVariable is the environment variable with the number of random combinations of analyses to try.
const combinationsVariable = "SPOOR_COMBINATIONS"

// combinationsOfTrace is the largest number of combinations that are tried on one trace.
const combinationsOfTrace = 20

// Every analysis has the same results alone and with others, on any number of cores.
func TestAnalysesDoNotDisturbEachOther(t *testing.T) {
	combinations := testsize.Cases(60, 5)
	if text := os.Getenv(combinationsVariable); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(combinationsVariable, err)
		}
		combinations = n
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	begin, refs := time.Now(), 0
	for seed := range uint64((combinations + combinationsOfTrace - 1) / combinationsOfTrace) {
		r := rand.New(rand.NewPCG(seed, 35))
		path := filepath.Join(t.TempDir(), "random")
		flags := randomFlags(r)
		sampled := slices.ContainsFunc(flags, func(f string) bool { return strings.HasPrefix(f, "--sample") })
		refs += writePhases(t, path, r, !sampled) // samples refuse flushes and prefetches
		compareCombinations(t, path, seed, flags, min(combinations, combinationsOfTrace), r)
	}
	t.Logf("%d combinations, %d references, %v", combinations, refs, time.Since(begin))
}

// A matrix is filled by rows and then read by columns. Lines that phases has numbered have no slot in a stack yet.
func TestRotatedMatrix(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rotated")
	writeStreams(t, path, 4, func(s *streams, p trace.Proc) {
		const at = 1 << 16
		n := testsize.Cases(512, 128)
		for i := range n / 4 * n {
			s.use(at+8*uint64(n/4*n*int(p)+i), 8, trace.Store)
		}
		for i := range n / 4 {
			for j := range n {
				s.use(at+8*uint64(n*j+n/4*int(p)+i), 8, trace.Load)
				s.use(at+8*uint64(n*(n+n/4*int(p)+i)+j), 8, trace.Store)
			}
		}
	})
	compareRuns(t, path, []string{"--line=64B,256B", "--sets=2048"}, []string{"reuse", "phases"})
}

func compareCombinations(t *testing.T, path string, seed uint64, flags []string, combinations int, r *rand.Rand) {
	t.Helper()
	all := study.NewSettings().Names()
	all = slices.DeleteFunc(all, func(name string) bool { return name == "all" })
	alone := map[string]string{}
	for range combinations {
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		compareRunsWith(t, path, flags, slices.Clone(all[:2+r.IntN(len(all)-1)]), alone, r)
		if t.Failed() {
			t.Fatalf("seed %d: --run %s %s", seed, strings.Join(all, ","), strings.Join(flags, " "))
		}
	}
}

func compareRuns(t *testing.T, path string, flags, names []string) {
	t.Helper()
	compareRunsWith(t, path, flags, names, map[string]string{}, rand.New(rand.NewPCG(1, 2)))
}

// compareRunsWith compares analyses of one run with each of them alone. alone has the results of earlier calls.
func compareRunsWith(t *testing.T, path string, flags, names []string, alone map[string]string, r *rand.Rand) {
	t.Helper()
	together := digests(t, path, flags, names, 1+r.IntN(8))
	for _, name := range names {
		key, with := name, []string{name}
		if name == "locality" && slices.Contains(names, "reuse_time") { // it then also compares models of reuse times
			key, with = "locality with reuse times", []string{name, "reuse_time"}
		}
		if alone[key] == "" {
			alone[key] = digests(t, path, flags, with, 1+r.IntN(8))[name]
		}
		if together[name] != alone[key] {
			t.Errorf("%s: other results in a run of %s", name, strings.Join(names, ","))
		}
	}
}

// digests runs analyses. It returns a digest of each result, or its error.
func digests(t *testing.T, path string, flags, names []string, cores int) map[string]string {
	t.Helper()
	runtime.GOMAXPROCS(cores)
	src, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	s := study.NewSettings()
	if err := s.Flags.Parse(append(flags, "--run="+strings.Join(names, ","))); err != nil {
		t.Fatal(err)
	}
	analyses, err := s.Build(&kind.Request{Header: src.Header(), Digest: "digest", Name: "random", Events: src, Interleaved: true})
	if err != nil {
		t.Fatal(err)
	}
	results, err := analysis.Run(context.Background(), src, analysis.Options{}, analyses...)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for i, a := range analyses {
		out[a.Name()] = digest(t, &results[i])
	}
	return out
}

// digest returns the SHA-256 of a result.
func digest(t *testing.T, r *analysis.Result) string {
	t.Helper()
	h := sha256.New()
	for _, table := range append(slices.Clone(r.Tables), r.Full, r.Summary) {
		if table != nil {
			writeColumns(t, h, table)
		}
	}
	for _, f := range r.Files {
		fmt.Fprintln(h, f.Name)
		if err := f.Fill(h); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Fprintln(h, r.Warnings)
	return fmt.Sprintf("%x", h.Sum(nil))
}

func writeColumns(t *testing.T, w io.Writer, table *store.Table) {
	t.Helper()
	fmt.Fprintln(w, table.Name, table.Meta)
	for _, c := range table.Columns {
		fmt.Fprintln(w, c.Name)
		if texts, is := c.Data.([]string); is {
			fmt.Fprintf(w, "%q", texts)
		} else if err := binary.Write(w, binary.LittleEndian, c.Data); err != nil {
			t.Fatal(err)
		}
	}
}

// randomFlags returns flags of all analyses.
func randomFlags(r *rand.Rand) (flags []string) {
	pick := func(flag string, most int, from ...string) {
		r.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
		flags = append(flags, "--"+flag+"="+strings.Join(from[:1+r.IntN(most)], ","))
	}
	pick("line", 3, "16B", "32B", "64B", "256B", "1KiB")
	pick("sets", 2, "1", "16", "256", "2048")
	pick("window", 1, "100", "10000", "1000000")
	pick("cache", 1, "L1=1KiB/2/64B,L2=8KiB/4/64B", "L1=4KiB/full/32B", "L1d=2KiB/4/64B,L2=16KiB/8/128B/random", "a=4KiB/4/64B/opt", "dtlb=4/full/4KiB", "b=2KiB/4/64B/fifo")
	pick("footprint-window", 1, "quantum", "barrier", "100refs")
	pick("quantum", 1, "1000", "20000")
	pick("quanta-cache", 1, "16x4", "128x2")
	if r.IntN(3) == 0 {
		pick("sample", 1, "0.5", "0.1")
		pick("sample-least", 1, "0", "64")
	}
	if r.IntN(4) == 0 {
		pick("assoc", 1, "16x4", "64x2")
	}
	if r.IntN(4) == 0 {
		pick("per-node", 1, "1", "2")
		pick("delay", 1, "0", "100")
	}
	return flags
}
