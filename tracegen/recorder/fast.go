package recorder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"spoor/traces/format"
)

// Ranked is a rank of a program with MPI, and what it shares with the others.
type Ranked struct {
	Options
	program *program
	shim    string
	parts   *parts
}

// PrepareFast finds the program and its MPI, and compiles the recorder of its calls. Its parts go beside prefix.
func PrepareFast(ctx context.Context, opt Options, prefix string) (*Ranked, error) {
	r := &Ranked{Options: opt}
	if runtime.GOOS != "linux" {
		return nil, errors.New("programs are recorded on Linux only")
	}
	var err error
	if r.program, err = openProgram(opt.Args[0]); err != nil {
		return nil, err
	}
	mpi := r.program.mpi(ctx)
	if mpi == nil {
		return nil, fmt.Errorf("%s uses no shared library of MPI that is known (%s of Open MPI, %s of MPICH), and --fast records calls of MPI; record it without --fast",
			r.program.path, libraries[0].soname, libraries[1].soname)
	}
	if r.shim, err = mpi.shim(ctx); err != nil {
		return nil, err
	}
	r.parts, err = openParts(prefix)
	return r, err
}

// First reports whether this is rank 0, which joins the parts.
func (r *Ranked) First() bool { return r.parts.rank == 0 }

// SHA256 is the digest of the program's file, in hexadecimal.
func (r *Ranked) SHA256() string { return r.program.sha256 }

// Folder is where the parts are.
func (r *Ranked) Folder() string { return r.parts.folder }

// Record runs the program of this rank with the recorder of MPI calls, and leaves its part.
func (r *Ranked) Record() (Part, error) {
	cmd := exec.Command(r.program.path, r.Args[1:]...)
	cmd.Args[0] = r.Args[0]
	cmd.Stdin, cmd.Stdout, cmd.Stderr = r.In, r.Out, r.Err
	cmd.Env = environment([]string{r.shim}, "SPOOR_MPI="+r.parts.folder)
	if err := cmd.Start(); err != nil {
		return Part{}, fmt.Errorf("starting %s: %w", r.program.path, err)
	}
	defer forward(cmd.Process)()
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return Part{}, fmt.Errorf("running %s: %w", r.program.path, err)
	}
	status, note := ended(cmd.ProcessState)
	if note == "" {
		return r.leavePart(status, nil)
	}
	return r.leavePart(status, []string{fmt.Sprintf("rank %d: %s", r.parts.rank, note)})
}

// leavePart leaves the part of a program that has ended.
func (r *Ranked) leavePart(status int, notes []string) (Part, error) {
	part := Part{Status: status, Notes: notes}
	run, err := format.RunOf(r.parts.calls(r.parts.rank))
	part.Run = run.ID
	switch {
	case errors.Is(err, os.ErrNotExist):
		part.Error = fmt.Sprintf("rank %d ended with status %d and left no calls of MPI: it did not come out of MPI_Init", r.parts.rank, status)
		return part, r.parts.remove(r.parts.rank) // nobody waits for it
	case err != nil:
		part.Error = err.Error()
	}
	return part, r.parts.leave(part)
}

// ended returns the status of a program that has ended: 128 and the number of the signal, with a note, if one ended it.
func ended(state *os.ProcessState) (status int, note string) {
	wait, _ := state.Sys().(syscall.WaitStatus)
	if wait.Signaled() {
		return 128 + int(wait.Signal()), fmt.Sprintf("the program was ended by signal %d (%v)", int(wait.Signal()), wait.Signal())
	}
	return state.ExitCode(), ""
}

// Await waits for the parts of all ranks, and returns the files of their calls, and their notes.
func (r *Ranked) Await(ctx context.Context) (run format.Run, paths, notes []string, err error) {
	if run, err = format.RunOf(r.parts.calls(0)); err != nil {
		return run, nil, nil, err
	}
	if _, launched := ownRank(); !launched && run.Ranks > 1 {
		return run, nil, nil, fmt.Errorf("the program has %d ranks, but the launcher set none of %v, so the ranks cannot be told apart; record with tracegen run --print-shim",
			run.Ranks, rankVariables)
	}
	there, err := r.parts.await(ctx, run)
	if err != nil {
		return run, nil, nil, err
	}
	for rank := range run.Ranks {
		if e := there[rank].Error; e != "" {
			return run, nil, nil, errors.New(e)
		}
		notes = append(notes, there[rank].Notes...)
		if _, err := os.Stat(r.parts.calls(rank)); err == nil {
			paths = append(paths, r.parts.calls(rank))
		}
	}
	return run, paths, notes, nil
}

// Remove removes the parts of a run that has been joined.
func (r *Ranked) Remove(run format.Run) (err error) {
	for rank := range run.Ranks {
		err = errors.Join(err, r.parts.remove(rank))
	}
	return err
}
