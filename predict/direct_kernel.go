package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"spoor/predict/internal/direct"
	"spoor/predict/internal/memsys"
	"spoor/predict/internal/replay"
	"spoor/tracegen/kernel"
	"spoor/tracegen/spmd"
	"spoor/traces/stage"
	"spoor/traces/trace"
)

// kernelProgram is a kernel of tracegen.
type kernelProgram struct {
	kernel kernel.Kernel
	values kernel.Values
	procs  int
	seed   uint64
}

// newKernelProgram returns the kernel of this name with parameters KEY=VALUE.
func newKernelProgram(name string, set []string, procs int, seed uint64) (directProgram, error) {
	k, err := kernel.Find(kernel.Counted, name)
	if err != nil {
		return nil, stage.Usage("%v", err)
	}
	given, err := kernel.ParseSet(set)
	if err != nil {
		return nil, stage.Usage("%v", err)
	}
	values, err := k.Values(given)
	if err != nil {
		return nil, stage.Usage("%v", err)
	}
	return &kernelProgram{k, values, procs, seed}, nil
}

func (p *kernelProgram) header() trace.Header {
	return trace.Header{Program: p.kernel.Name, Args: p.kernel.Args(p.values), Procs: p.procs, Seed: p.seed, Tool: "predict " + stage.Version}
}

func (p *kernelProgram) scope(ctx context.Context) (replay.Scope, error) {
	return stage.Interruptible(ctx, func() (replay.Scope, error) {
		inst, err := p.kernel.New(p.values, p.procs, p.seed)
		if err != nil {
			return 0, err
		}
		if shares, err := direct.SharesMemory(ctx, inst.Program, p.procs); shares || err != nil {
			return replay.References, err
		}
		return replay.Messages, nil
	})
}

// simulate runs the kernel twice if the gap of the network depends on the kernel's traffic.
func (p *kernelProgram) simulate(ctx context.Context, m target, opt direct.Options) (out simulated, err error) {
	form := p.kernel
	if opt.Scope != replay.Messages {
		if form, err = kernel.Find(kernel.Recorded, p.kernel.Name); err != nil {
			return out, err
		}
	}
	var res *direct.Result
	run := func() error {
		seconds, err := p.run(ctx, form, func(program spmd.Program) (err error) {
			res, err = direct.Simulate(ctx, program, m.Machine, opt)
			return err
		})
		out.seconds += seconds
		return err
	}
	observer, twice := opt.Observer, opt.Scope == replay.References && memsys.NeedsTraffic(m.Machine)
	if twice {
		opt.Observer = nil // it observes the second run
	}
	if err := run(); err != nil {
		return out, err
	}
	if opt.Traffic = res.Traffic; twice && (len(opt.Traffic) > 0 || observer != nil) {
		opt.Observer = observer
		if err := run(); err != nil {
			return out, err
		}
		res.Warnings = append(res.Warnings, replay.TrafficWarning(res.Result, opt.Traffic))
	}
	out.result = res.Result
	return out, nil
}

func (p *kernelProgram) native(ctx context.Context) (hostRun, error) {
	took, err := p.timed(ctx, spmd.Timed)
	if err != nil {
		return hostRun{}, err
	}
	computed, err := p.timed(ctx, spmd.Computed)
	return hostRun{took.Seconds(), computed.Seconds() / float64(p.procs)}, err
}

// timed runs the kernel at full speed, and returns the time that by measures.
func (p *kernelProgram) timed(ctx context.Context, by func(context.Context, int, spmd.Program) (time.Duration, error)) (time.Duration, error) {
	k, err := kernel.Find(kernel.All, p.kernel.Name)
	if err != nil {
		return 0, err
	}
	runtime.GC() // frees old data for reuse, so the program does not touch new pages
	var took time.Duration
	if _, err := p.run(ctx, k, func(program spmd.Program) (err error) {
		took, err = by(ctx, p.procs, program)
		return err
	}); err != nil {
		return 0, err
	}
	return took, nil
}

// run runs the kernel in one of its forms, and verifies its result. An interrupt does not wait for ranks that compute, so by may
// continue to run.
func (p *kernelProgram) run(ctx context.Context, form kernel.Kernel, by func(spmd.Program) error) (seconds float64, err error) {
	return stage.Interruptible(ctx, func() (float64, error) {
		inst, err := form.New(p.values, p.procs, p.seed)
		if err != nil {
			return 0, err
		}
		start := time.Now()
		if err := by(inst.Program); err != nil {
			return 0, err
		}
		seconds := time.Since(start).Seconds()
		if err := inst.Verify(); err != nil {
			return 0, fmt.Errorf("verifying the result: %w", err)
		}
		return seconds, nil
	})
}

func (p *kernelProgram) remove() error { return nil }
