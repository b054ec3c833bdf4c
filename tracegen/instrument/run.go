package instrument

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"

	"spoor/tracegen/instrument/session"
	"spoor/tracegen/spmd"
)

// Run describes how to run a program.
type Run struct {
	spmd.Options
	Seed     uint64
	Memory   uint64   // that is available, in bytes; 0 if unknown
	Native   bool     // record nothing, run at full speed ...
	Compute  bool     // ... and measure the computing time of ranks, not the run time
	Simulate string   // for the session of a program that was built with another session
	Args     []string // of the program
	In       io.Reader
	Out, Err io.Writer // of the program, which runs in the folder of this process
	Sink     spmd.Sink // receives the recording
}

// Outcome is the result of a run.
type Outcome = session.Result

// Run runs the program, which records to r.Sink. If the program fails, the error has the program's own message if
// there is one. Run passes an interrupt (the end of ctx) on to the program.
func (p *Program) Run(ctx context.Context, r Run) (*Outcome, error) {
	in, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := p.command(ctx, r, out)
	err = cmd.Start()
	out.Close() // the program has a copy
	if err != nil {
		return nil, fmt.Errorf("starting the program: %w", err)
	}
	result, recordErr := session.Receive(in, r.Sink)
	if recordErr != nil && !errors.Is(recordErr, session.ErrNoResult) {
		_ = cmd.Process.Kill() // its output would be lost
	}
	return outcome(result, recordErr, cmd.Wait())
}

func (p *Program) command(ctx context.Context, r Run, pipe *os.File) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.path, r.Args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = r.In, r.Out, r.Err
	cmd.ExtraFiles = []*os.File{pipe}
	const fd = 3 // of the first extra file
	order := session.Order{FD: fd, Native: r.Native, Compute: r.Compute, Options: r.Options, Simulate: r.Simulate}
	cmd.Env = append(os.Environ(), order.Environment(),
		"SPOOR_PROCS="+strconv.Itoa(r.Procs), "SPOOR_SEED="+strconv.FormatUint(r.Seed, 10))
	if !r.Native && !r.NoRefs && r.Allocated {
		cmd.Env = append(cmd.Env, keepMemory(r.Memory)...)
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = stopTimeout
	return cmd
}

// errNoMain is the error of a program that ended without a complete call of spmd.Main.
var errNoMain = errors.New("the program ended without calling spmd.Main, or left it by os.Exit or log.Fatal; there is nothing to record")

// outcome returns the result of a run, from the result on the pipe and the exit status of the process.
func outcome(result Outcome, recordErr, exitErr error) (*Outcome, error) {
	switch {
	case recordErr != nil && !errors.Is(recordErr, session.ErrNoResult):
		return nil, recordErr
	case result.Error != "":
		return nil, errors.New(result.Error)
	case exitErr != nil:
		return nil, fmt.Errorf("the program ended with %w", exitErr)
	case recordErr != nil:
		return nil, errNoMain
	}
	return &result, nil
}
