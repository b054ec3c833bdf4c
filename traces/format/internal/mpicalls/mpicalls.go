// Package mpicalls reads the files that the recorder of MPI calls leaves, one for each rank. The recorder is
// tracegen/recorder/c/mpi.c.
package mpicalls

import (
	"bytes"
	"context"
	"os"
	"path/filepath"

	"spoor/traces/format/internal/sniff"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// MPI is what the recorder of `tracegen run --fast` writes, and the source that --print-shim prints. The numbers of ranks
// are those of MPI_COMM_WORLD. Senders and sizes of receives are those of the messages that came.
//
// Work is processor time, in picoseconds, without waiting. The processor time of a collective counts as the least of the
// calls of its rank with the same kind, communicator and size within a factor of two: the rest is waiting. If there are
// fewer than [fewCalls] such calls, it counts nothing.
//
// Differs: MPI_Sendrecv is a non-blocking send, a receive and a wait. A call that makes a communicator is an allgather of 8
// bytes. MPI_Reduce_scatter is a reduction to rank 0 and a scatter. A rank is one processor, whichever of its threads calls.
type MPI struct{}

var _ format.MultiFileImporter = MPI{}

// Info describes the format.
func (MPI) Info() format.Info {
	return format.Info{
		Name:  "mpi",
		Doc:   "calls of MPI, a file for each rank, of tracegen run --fast or the source of --print-shim",
		Magic: "SPOORMPI",
		Use:   "tracegen run --print-shim prints the recorder and its commands; then traces import spoor-mpi -o PREFIX",
		Time:  true,
		Work:  trace.WorkPicos,
		Settings: []format.Setting{
			{Name: "collectives", Default: "least", Doc: "computation within a collective: least (the least time of such calls) or none (all is waiting)"},
		},
	}
}

var magic = []byte("SPOORMPI")

// Sniff recognises the magic.
func (MPI) Sniff(head []byte) format.Verdict {
	if !bytes.HasPrefix(head, magic) {
		return sniff.Foreign
	}
	return format.Verdict{Confidence: format.Certain, Why: "the magic of the recorder of MPI calls"}
}

// Import reads the calls of a program with one rank.
func (f MPI) Import(in *input.Input, o format.Options, sink format.Sink) (format.Result, error) {
	return format.ImportOne(f, in, o, sink)
}

// Expand lists the files of the ranks in a folder.
func (f MPI) Expand(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if matched, _ := filepath.Match("rank-*.mpi*", e.Name()); !matched || !e.Type().IsRegular() {
			continue
		}
		head, err := input.NewFiles(context.Background(), []string{path}, nil, nil).Head(0)
		if err == nil && f.Sniff(head).Confidence == format.Certain {
			found = append(found, path)
		}
	}
	return found, nil
}

// ImportFiles reads the calls of all ranks.
func (f MPI) ImportFiles(files *input.Files, o format.Options, sink format.Sink) (format.Result, error) {
	switch v := o.Setting(f, "collectives"); v {
	case "least", "none":
	default:
		return format.Result{}, format.BadSetting("collectives=%s: choose least or none", v)
	}
	return Join(files, o, sink, nil)
}
