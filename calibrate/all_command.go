package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spoor/calibrate/internal/host"
	"spoor/calibrate/internal/instructions"
	"spoor/calibrate/internal/marshalling"
	"spoor/calibrate/internal/memory"
	"spoor/calibrate/internal/transport"
	"spoor/calibrate/machine"
	"spoor/calibrate/param"
	"spoor/traces/stage"
	"spoor/traces/store"
)

func allCommand(env *stage.Env) *cobra.Command {
	o := &measuring{}
	cmd := &cobra.Command{
		Use:  "all -o PREFIX",
		Args: cobra.NoArgs,
	}
	stage.Describe(cmd, helpTexts, "all")
	o.add(cmd.Flags())
	format := stage.FormatFlag(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := o.check(); err != nil {
			return err
		}
		a := &calibration{measuring: *o}
		if err := a.run(cmd.Context(), env); err != nil {
			return err
		}
		return errors.Join(stage.Print(env.Out, *format, a.found.table("experiment")), a.missing())
	}
	return cmd
}

// calibration has everything that was measured of a host.
type calibration struct {
	measuring
	found   foundParams
	sets    []calibrated
	memory  *memory.Result
	machine *machine.Machine
	samples *store.Table // of the memory
	refused refusals
}

// step measures one thing. The steps of a step without a name are named.
type step struct {
	name string
	run  func(context.Context, *stage.Env) error
}

// calibrated are the parameters from one dataset.
type calibrated struct {
	dataset string
	set     *param.Set
}

// run measures everything, and then writes the files for all of it.
func (a *calibration) run(ctx context.Context, env *stage.Env) error {
	if _, err := instructions.Find(); err != nil { // fail at once, not after minutes
		return fmt.Errorf("instructions: %w", err)
	}
	steps := []step{{"memory", a.ofMemory}, {"", a.ofMessages}, {"memory", a.ofMemoryAgain}, {"instructions", a.ofInstructions}}
	if err := a.each(ctx, env, steps); err != nil {
		return err
	}
	if a.memory == nil && len(a.sets) == 0 {
		return a.refused.err("nothing was measured")
	}
	return a.write()
}

// each takes all steps. It notes steps without usable times and continues.
func (a *calibration) each(ctx context.Context, env *stage.Env, steps []step) error {
	for _, s := range steps {
		err := s.run(ctx, env)
		if err != nil && s.name != "" {
			err = fmt.Errorf("%s: %w", s.name, err)
		}
		if err != nil && !unusable(err) {
			return err
		}
		if err != nil {
			a.refused.add(env, s.name, err)
		}
	}
	return nil
}

// missing returns an error if a measurement was refused, unless --quick is given.
func (a *calibration) missing() error {
	if a.quick {
		return nil
	}
	return a.refused.err(a.prefix + ".params.toml is incomplete")
}

func (a *calibration) ofMemory(ctx context.Context, env *stage.Env) (err error) {
	o := &memoryOptions{measuring: a.measuring}
	if a.memory, a.samples, err = o.find(ctx, env); err != nil {
		return err
	}
	text, err := a.memory.Machine(filepath.Base(a.prefix), filepath.Base(o.dataset()))
	if err != nil { // possible because of noise
		a.memory = nil
		return o.keep(env, a.samples, err)
	}
	a.machine, err = machine.Parse(a.prefix+".machine.toml", text)
	return err
}

// ofMemoryAgain measures the memory a second time if the first was too noisy, because instructions need it.
func (a *calibration) ofMemoryAgain(ctx context.Context, env *stage.Env) error {
	if a.memory != nil || a.quick {
		return nil
	}
	a.refused = a.refused[1:] // memory, the first step
	return a.ofMemory(ctx, env)
}

func (a *calibration) ofInstructions(ctx context.Context, env *stage.Env) error {
	if a.machine == nil {
		return &host.TooNoisyError{What: "their misses are not known, because memory found no levels of cache"}
	}
	o := &instructionsOptions{measuring: a.measuring}
	set, err := o.on(ctx, env, a.machine)
	if err != nil {
		return err
	}
	a.found.add("instructions", set)
	a.sets = append(a.sets, calibrated{filepath.Base(o.dataset()), set})
	return nil
}

// ofMessages measures transports and marshalling. Their launches alternate.
func (a *calibration) ofMessages(ctx context.Context, env *stage.Env) error {
	parts := a.parts(present(env))
	points := 0
	for _, part := range parts {
		points += part.points
	}
	p := env.Progress("measuring messages", int64(points), "points")
	defer p.Done()
	tables := make([]*store.Table, len(parts))
	var measurements []func(context.Context, waiter) error
	for i, part := range parts {
		measurements = append(measurements, func(ctx context.Context, wait waiter) (err error) {
			tables[i], err = part.measure(ctx, env, wait, func() { p.Add(1) })
			return err
		})
	}
	var steps []step
	for i, err := range takeTurns(ctx, measurements) {
		steps = append(steps, step{parts[i].name, func(_ context.Context, env *stage.Env) error { return a.add(env, &parts[i], tables[i], err) }})
	}
	return a.each(ctx, env, steps)
}

// part is a measurement whose launches alternate with those of others.
type part struct {
	name, prefix string // prefix: of its parameters
	points       int
	measure      func(context.Context, *stage.Env, waiter, func()) (*store.Table, error)
}

// parts returns the transports and marshalling.
func (a *calibration) parts(transports []transport.Transport) (list []part) {
	usual := a.options(transportBudget, nil)
	for _, t := range transports {
		list = append(list, part{t.Name, t.Name + "_", usual.Launches * transport.Points(usual), func(ctx context.Context, env *stage.Env, wait waiter, step func()) (*store.Table, error) {
			return a.transport(ctx, env, t, wait, step)
		}})
	}
	t := transport.All[slices.IndexFunc(transport.All, func(t transport.Transport) bool { return t.Name == marshallingTransport })]
	return append(list, part{"marshalling", "", usual.Launches * len(marshalling.Plans[0].Points(a.seed, a.quick)), func(ctx context.Context, env *stage.Env, wait waiter, step func()) (*store.Table, error) {
		return a.marshalling(ctx, env, t, marshalling.Plans[0], wait, step)
	}})
}

// add fits the times of a part and keeps the parameters, unless the part was refused.
func (a *calibration) add(env *stage.Env, p *part, table *store.Table, refused error) error {
	if refused != nil {
		return refused
	}
	r, err := a.fit(env, p.name, table)
	if err != nil {
		return err
	}
	set, err := r.Params()
	if err != nil {
		return err
	}
	named := &param.Set{}
	for _, one := range set.All() {
		one.Name = p.prefix + one.Name
		if err := named.Add(one); err != nil {
			return err
		}
	}
	a.found.add(p.name, named)
	dataset, _, _ := strings.Cut(r.Source(), " ")
	a.sets = append(a.sets, calibrated{dataset, named})
	return nil
}

// write writes the description, and all parameters into one file.
func (a *calibration) write() error {
	if a.memory != nil {
		o := &memoryOptions{measuring: a.measuring}
		if err := o.write(a.memory, a.samples); err != nil {
			return err
		}
		set, err := a.memory.Params(o.dataset())
		if err != nil {
			return err
		}
		a.found.add("memory", set)
	}
	for _, one := range a.sets {
		if err := writeParams(a.prefix+".params.toml", one.dataset, one.set); err != nil {
			return err
		}
	}
	return nil
}
