// Package dumpi reads the text of dumpi2ascii, MPI calls of each rank.
package dumpi

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"spoor/traces/format/internal/sniff"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// Dumpi is the text that dumpi2ascii makes of the traces of sst-dumpi, one file for
// each rank. It has every MPI call with its arguments, its results, and the times when
// it began and returned. With -a, the sizes of datatypes and the number of calls
// follow. The rank of a file is the number at the end of its name (NAME-0003.txt), or
// the result of MPI_Comm_rank.
//
// Work and times are in picoseconds of wall time. A rank computes between returning
// from one call and entering the next. If a receive leaves the source or size open, its
// status gives them, if the program requested one. Communicators and groups that the
// program makes are tracked through all files.
//
// Differs: MPI_Sendrecv becomes a non-blocking send, a receive and a wait. Tests that
// find nothing are omitted.
type Dumpi struct{}

var (
	_ format.MultiFileImporter = Dumpi{}
)

// Info describes the format.
func (Dumpi) Info() format.Info {
	return format.Info{
		Name:  "dumpi",
		Doc:   "sst-dumpi: calls of MPI, a file for each rank, text of dumpi2ascii",
		Magic: "lines MPI_... entering at walltime",
		Use:   "run dumpi2ascii on the file of each rank, then traces import FILE... -o PREFIX",
		Time:  true,
		Work:  trace.WorkPicos,
		Settings: []format.Setting{
			{Name: "clock", Default: "common", Doc: "common (the ranks' clocks agree) or own (each rank begins at time 0)"},
			{Name: "source", Default: "any", Doc: "meaning of source=-1 without a status: any (any source) or null (MPI_PROC_NULL, as in MPICH)"},
		},
	}
}

var (
	dumpiEntering  = []byte(" entering at walltime ")
	dumpiReturning = []byte(" returning at walltime ")
	dumpiPrefix    = []byte("MPI")
	dumpiBinary    = []byte("\xff\xaa\xddDUMPI")
)

const dumpiSniffLines = 40 // more than the header that -a writes

// Sniff is Certain of a call. It is also Certain of the binary format, so that Import
// can explain the error.
func (Dumpi) Sniff(head []byte) format.Verdict {
	if bytes.HasPrefix(head, dumpiBinary) {
		return format.Verdict{Confidence: format.Certain, Why: "the magic of binary dumpi"}
	}
	_, calls := sniff.SniffLines(head, dumpiSniffLines, func(line []byte) bool {
		return bytes.HasPrefix(line, dumpiPrefix) && bytes.Contains(line, dumpiEntering)
	})
	if calls == 0 {
		return sniff.Foreign
	}
	return format.Verdict{Confidence: format.Certain, Why: "calls of MPI with their walltime"}
}

// Import reads the calls of one rank.
func (f Dumpi) Import(in *input.Input, o format.Options, sink format.Sink) (format.Result, error) {
	return format.ImportOne(f, in, o, sink)
}

// dumpiName splits NAME-0003.txt into NAME-, 3 and .txt.
func dumpiName(path string) (before string, rank int, after string, ok bool) {
	base := filepath.Base(path)
	i := strings.LastIndexByte(base, '-') + 1
	end := i
	for end < len(base) && base[end] >= '0' && base[end] <= '9' {
		end++
	}
	if i == 0 || end == i || end-i > 9 || end < len(base) && base[end] != '.' {
		return "", 0, "", false
	}
	rank, err := strconv.Atoi(base[i:end])
	return base[:i], rank, base[end:], err == nil
}

// Expand lists the files of the ranks in a folder, if it holds one trace.
func (f Dumpi) Expand(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	sets := map[[2]string][]string{}
	for _, e := range entries {
		if before, _, after, ok := dumpiName(e.Name()); ok && e.Type().IsRegular() {
			sets[[2]string{before, after}] = append(sets[[2]string{before, after}], filepath.Join(dir, e.Name()))
		}
	}
	var found []string
	name := ""
	byName := func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) }
	for _, key := range slices.SortedFunc(maps.Keys(sets), byName) {
		paths := sets[key]
		head, err := input.NewFiles(context.Background(), paths[:1], nil, nil).Head(0)
		if err != nil || f.Sniff(head).Confidence != format.Certain || bytes.HasPrefix(head, dumpiBinary) {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("%s: more than one dumpi trace: %s and %s-NNNN%s; give the files of one", dir, name, strings.TrimSuffix(key[0], "-"), key[1])
		}
		found, name = paths, strings.TrimSuffix(key[0], "-")+"-NNNN"+key[1]
	}
	slices.SortFunc(found, func(a, b string) int {
		_, i, _, _ := dumpiName(a)
		_, j, _, _ := dumpiName(b)
		return cmp.Compare(i, j)
	})
	return found, nil
}
