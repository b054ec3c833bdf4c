package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"spoor/predict/direct"
	"spoor/predict/direct/session"
	"spoor/tracegen/instrument"
	"spoor/tracegen/spmd"
	"spoor/traces/stage"
	"spoor/traces/trace"
)

// ownProgram is a program of the user's, which runs in a process of its own.
type ownProgram struct {
	o      *directOptions
	env    *stage.Env
	args   []string
	counts *instrument.Program
	plain  *instrument.Program // or nil
}

func (o *directOptions) ownProgram(ctx context.Context, env *stage.Env, args []string) (directProgram, error) {
	switch {
	case len(o.set) > 0:
		return nil, stage.Usage("--set is for kernels; the arguments of a program of yours follow --")
	case o.messages.matrix || o.messages.path != "" || o.messages.timeline != "":
		return nil, stage.Usage("--matrix, --path and --timeline are for kernels; record the program with tracegen --package, and replay it")
	}
	p := &ownProgram{o: o, env: env, args: args[1:]}
	var err error
	p.counts, err = instrument.Build(ctx, instrument.Options{Dir: args[0], Session: session.Path, Messages: env.Err})
	if err == nil && o.native {
		p.plain, err = instrument.Build(ctx, instrument.Options{Dir: args[0], Native: true, Messages: env.Err})
	}
	if err != nil {
		return nil, errors.Join(err, p.remove())
	}
	for i, f := range p.counts.Findings {
		if i < 8 {
			env.Note("not counted: %s", f)
		}
	}
	return p, nil
}

func (p *ownProgram) header() trace.Header {
	h := trace.Header{Program: p.counts.Name, Procs: p.o.procs, Seed: p.o.seed, Tool: "predict " + stage.Version}
	if len(p.args) > 0 {
		h.Args = []trace.Arg{{Key: "args", Value: strings.Join(p.args, " ")}}
	}
	return h
}

func (p *ownProgram) simulate(ctx context.Context, m target, opt direct.Options) (out simulated, err error) {
	text, err := os.ReadFile(m.file)
	if err != nil {
		return out, err
	}
	order, err := json.Marshal(session.Order{Name: m.file, Machine: text, Ahead: opt.Ahead, Semantics: opt.Semantics})
	if err != nil {
		return out, err
	}
	result, err := p.run(ctx, p.counts, instrument.Run{Simulate: string(order)})
	if err != nil {
		return out, err
	}
	var said session.Result
	if err := json.Unmarshal(result.Simulated, &said); err != nil {
		return out, fmt.Errorf("reading what the program's simulation says: %w", err)
	}
	for _, w := range said.Warnings {
		out.warnings = append(out.warnings, errors.New(w))
	}
	out.result, out.seconds = said.Result, result.Seconds
	return out, nil
}

func (p *ownProgram) native(ctx context.Context) (float64, error) {
	result, err := p.run(ctx, p.plain, instrument.Run{Native: true})
	if err != nil {
		return 0, err
	}
	return result.Seconds, nil
}

// run runs a build of the program, which prints to standard error.
func (p *ownProgram) run(ctx context.Context, program *instrument.Program, r instrument.Run) (*instrument.Outcome, error) {
	r.Options = spmd.Options{Procs: p.o.procs, NoRefs: true}
	r.Seed, r.Args, r.In, r.Out, r.Err = p.o.seed, p.args, p.env.In, p.env.Err, p.env.Err
	return program.Run(ctx, r)
}

func (p *ownProgram) remove() (err error) {
	for _, built := range []*instrument.Program{p.counts, p.plain} {
		if built != nil {
			err = errors.Join(err, built.Remove())
		}
	}
	return err
}
