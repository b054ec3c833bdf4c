package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"spoor/calibrate/machine"
	"spoor/predict/direct/session"
	"spoor/predict/internal/direct"
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/memsys"
	"spoor/predict/internal/replay"
	"spoor/tracegen/instrument"
	"spoor/tracegen/spmd"
	"spoor/traces/stage"
	"spoor/traces/trace"
)

// ownProgram is a program of the user. It runs in its own process.
type ownProgram struct {
	o     *directOptions
	env   *stage.Env
	args  []string
	built *instrument.Program // records references if it passes no messages
	plain *instrument.Program // or nil
}

func (o *directOptions) ownProgram(ctx context.Context, env *stage.Env, args []string) (directProgram, error) {
	switch {
	case len(o.set) > 0:
		return nil, stage.Usage("--set is for kernels; give arguments of your program after --")
	case o.timeline != "":
		return nil, stage.Usage("--timeline needs a kernel; record your program with tracegen --package and replay it")
	}
	p := &ownProgram{o: o, env: env, args: args[1:]}
	dir, err := env.InputFolder(args[0])
	if err != nil {
		return nil, fmt.Errorf("building the program: %w", err)
	}
	p.built, err = instrument.Build(ctx, instrument.Options{Dir: dir, Refs: true, Sharing: o.changed("references") && !o.references, Session: session.Path, Messages: env.Err})
	if err == nil && o.native {
		p.plain, err = instrument.Build(ctx, instrument.Options{Dir: dir, Native: true, Messages: env.Err})
	}
	if err != nil {
		return nil, errors.Join(err, p.remove())
	}
	for i, f := range p.built.Findings {
		if i < 8 {
			env.Note("not simulated: %s", f)
		}
	}
	if len(p.built.Library) > 0 {
		env.Note("not simulated: code of the standard library: %s", strings.Join(p.built.Library, ", "))
	}
	return p, nil
}

func (p *ownProgram) header() trace.Header {
	h := trace.Header{Program: p.built.Name, Procs: p.o.procs, Seed: p.o.seed, Tool: "predict " + stage.Version}
	if len(p.args) > 0 {
		h.Args = []trace.Arg{{Key: "args", Value: strings.Join(p.args, " ")}}
	}
	return h
}

func (p *ownProgram) scope(context.Context) (replay.Scope, error) {
	switch {
	case !p.built.Messages:
		return replay.References, nil
	case p.built.Locks:
		return replay.Both, nil
	}
	return replay.Messages, nil
}

func (p *ownProgram) simulate(ctx context.Context, m target, opt direct.Options) (out simulated, err error) {
	if opt.Scope == replay.References && memsys.NeedsTraffic(m.Machine) {
		return out, direct.ErrTraffic
	}
	order := session.Order{Scope: opt.Scope, Ahead: opt.Ahead, Protocol: opt.Engine.Protocol, Workers: opt.Engine.Workers, Application: opt.Engine.Application, Quantum: opt.Engine.Quantum, Semantics: opt.Semantics, Barrier: opt.Barrier, Phases: opt.Phases, Placed: m.Placed, Whole: m.Whole}
	var said session.Result
	err = observing(opt.Observer, func(journal string) (err error) {
		order.Journal = journal
		said, out.seconds, err = p.order(ctx, m, order)
		return err
	})
	if err != nil {
		return out, err
	}
	out.dropped = said.Dropped
	out.result, err = said.Decode()
	return out, err
}

// observing calls run with the name of a file for what the program's process observes, and then tells watch. Without
// watch, the name is empty.
func observing(watch observe.Observer, run func(journal string) error) (err error) {
	if watch == nil {
		return run("")
	}
	file, err := os.CreateTemp("", "spoor-observed-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	if err := run(file.Name()); err != nil {
		return err
	}
	return observe.ReadJournal(bufio.NewReader(file), watch)
}

// order simulates the program on m, and returns the result.
func (p *ownProgram) order(ctx context.Context, m target, o session.Order) (said session.Result, seconds float64, err error) {
	for _, f := range append([]string{m.file}, p.o.nodes...) {
		f, err := machine.FindFile(f)
		if err != nil {
			return said, 0, err
		}
		text, err := os.ReadFile(f)
		if err != nil {
			return said, 0, err
		}
		o.Machines = append(o.Machines, session.Machine{Name: f, Text: text})
	}
	order, err := json.Marshal(o)
	if err != nil {
		return said, 0, err
	}
	result, err := p.run(ctx, p.built, instrument.Run{Simulate: string(order)})
	if err != nil {
		return said, 0, err
	}
	if err := json.Unmarshal(result.Simulated, &said); err != nil {
		return said, 0, fmt.Errorf("reading the result of the program's simulation: %w", err)
	}
	return said, result.Seconds, nil
}

func (p *ownProgram) native(ctx context.Context) (hostRun, error) {
	took, err := p.run(ctx, p.plain, instrument.Run{Native: true})
	if err != nil {
		return hostRun{}, err
	}
	computed, err := p.run(ctx, p.plain, instrument.Run{Native: true, Compute: true})
	if err != nil {
		return hostRun{}, err
	}
	return hostRun{took.Seconds, computed.Seconds / float64(p.o.procs)}, nil
}

// run runs a build of the program. Its output goes to standard error.
func (p *ownProgram) run(ctx context.Context, program *instrument.Program, r instrument.Run) (*instrument.Outcome, error) {
	r.Options = spmd.Options{Procs: p.o.procs, NoRefs: true}
	r.Seed, r.Args, r.In, r.Out, r.Err = p.o.seed, p.args, p.env.In, p.env.Err, p.env.Err
	return program.Run(ctx, r)
}

func (p *ownProgram) remove() (err error) {
	for _, built := range []*instrument.Program{p.built, p.plain} {
		if built != nil {
			err = errors.Join(err, built.Remove())
		}
	}
	return err
}
