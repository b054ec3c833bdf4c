package format

import (
	"context"

	"spoor/traces/format/internal/mpicalls"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
)

// Sink receives a trace while it is read, and Result is what was learned besides.
type (
	Sink   = format.Sink
	Result = format.Result
)

// Recorded is what a recorder of references left of the ranks of a program.
type Recorded = mpicalls.Recorded

// Ranks is the format of the files that the recorder of MPI calls leaves, one for each rank.
var Ranks format.MultiFileImporter = mpicalls.MPI{}

// JoinRanks reads the calls of MPI in the files of all ranks, and returns the hashes of the files. If a recorder left
// references of the ranks, their events are the computation between the calls, else recorded is nil. The events of other
// threads than the first of each rank are left to the caller.
func JoinRanks(ctx context.Context, paths []string, recorded *Recorded, sink Sink) (r Result, hashes []string, err error) {
	files := input.NewFiles(ctx, paths, nil, nil)
	defer files.Close()
	if r, err = mpicalls.Join(files, format.Options{}, sink, recorded); err != nil {
		return r, nil, err
	}
	return r, files.SHA256s(), nil
}

// Run is the run that a file of the recorder of MPI calls is from.
type Run struct {
	ID    uint64 // the same in all of its files
	Ranks int
}

// RunOf reads the start of a file of the recorder of MPI calls.
func RunOf(path string) (Run, error) {
	in, err := input.Open(context.Background(), path, nil, nil)
	if err != nil {
		return Run{}, err
	}
	defer in.Close()
	id, ranks, err := mpicalls.RunOf(in)
	return Run{id, ranks}, err
}
