package recorder

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"

	"spoor/traces/trace"
)

// WithMPI lets the program's calls of MPI be recorded, too, if it has some. The parts of the ranks go beside prefix. It
// returns nil if the program uses no MPI, or runs as one rank where no mpicc is.
func (r *Recorder) WithMPI(ctx context.Context, prefix string) (*Ranked, error) {
	mpi := r.program.mpi(ctx)
	if mpi == nil || r.preload == "" || r.program.machine != natives[runtime.GOARCH] {
		if rank, _ := ownRank(); rank > 0 {
			return nil, fmt.Errorf("%s uses no shared library of MPI that can be recorded, so only rank 0 writes %s, and this is rank %d; give each rank an output of its own, or record one",
				r.program.path, prefix, rank)
		}
		return nil, nil
	}
	ranked := &Ranked{Options: r.opt, program: r.program}
	var err error
	if ranked.shim, err = mpi.shim(ctx); err != nil {
		if _, launched := ownRank(); !launched {
			return nil, nil // a note says so
		}
		return nil, err
	}
	if ranked.parts, err = openParts(prefix); err != nil {
		return nil, err
	}
	r.ranked = ranked
	return ranked, nil
}

// Prefix is that of the trace of a rank.
func (r *Ranked) Prefix(rank int) string { return r.parts.prefix(rank) }

// Own is the prefix of the trace of this rank.
func (r *Ranked) Own() string { return r.parts.prefix(r.parts.rank) }

// preloads is a library, and those of a program with MPI.
func (r *Ranked) preloads(library string) string {
	if r == nil {
		return library
	}
	return library + ":" + r.shim
}

// singleCopy keeps Open MPI 4 from reading the memory of other processes by a system call that QEMU does not have.
var singleCopy = []string{"OMPI_MCA_btl_vader_single_copy_mechanism=emulated"}

// environment is that of QEMU.
func (r *Ranked) environment() []string {
	if r == nil {
		return nil // this process's
	}
	return append(append(slices.Clone(singleCopy), os.Environ()...), "SPOOR_MPI="+r.parts.folder) // the last value of a variable counts
}

// Leave leaves the part of this rank, whose references are recorded unless there was an error.
func (r *Ranked) Leave(rec *Recording, failed error) (Part, error) {
	if failed != nil {
		part := Part{Error: fmt.Sprintf("rank %d: %v", r.parts.rank, failed)}
		return part, r.parts.leave(part)
	}
	var notes []string
	for _, n := range rec.Notes {
		notes = append(notes, fmt.Sprintf("rank %d: %s", r.parts.rank, n))
	}
	return r.leavePart(rec.Status, notes)
}

// inherited are the descriptors up to that of the launcher, which the program needs.
func inherited() (files []*os.File) {
	launcher, err := strconv.Atoi(os.Getenv("PMI_FD"))
	if err != nil || launcher < 3 || launcher > 1000 {
		return nil
	}
	files = make([]*os.File, launcher-2)
	files[launcher-3] = os.NewFile(uintptr(launcher), "the launcher")
	return files
}

// message marks the place of a call of MPI with records. Those of other threads have a place among the calls of the first.
func (c *calls) message(t *thread, call uint64) {
	if t.rows.Proc == 0 {
		e := trace.NewEvent(trace.Marker)
		e.Tag = int32(call)
		t.event(e)
	}
}
