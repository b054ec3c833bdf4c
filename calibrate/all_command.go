package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"spoor/calibrate/host"
	"spoor/calibrate/machine"
	"spoor/calibrate/memory"
	"spoor/calibrate/param"
	"spoor/calibrate/transport"
	"spoor/traces/stage"
	"spoor/traces/store"
)

func allCommand(env *stage.Env) *cobra.Command {
	o := &measuring{}
	cmd := &cobra.Command{
		Use:   "all -o PREFIX",
		Short: "measure all of this host: memory, transports, marshalling, instructions",
		Long: "All does what calibrate memory, transport, marshalling and instructions do, in less than eight minutes. It writes\n" +
			"their files, and all parameters into one:\n\n" +
			"    PREFIX.machine.toml    the description of this host\n" +
			"    PREFIX.params.toml     all parameters; those of transports begin with the transport's name\n" +
			"    PREFIX.TRANSPORT.network.toml\n" +
			"                           PLogP of a transport, to put behind PREFIX.machine.toml: then predict replays messages on it\n" +
			"    PREFIX.memory.arrow, PREFIX.instructions.arrow, PREFIX.marshalling.arrow, PREFIX.TRANSPORT.arrow\n" +
			"                           what was measured: calibrate memory --from, instructions --from and, of the others,\n" +
			"                           calibrate fit find the same in it again\n\n" +
			"What is too noisy is named and left out, as is what needs it: instructions need the caches that memory finds, which are\n" +
			"tried twice. Unless --quick is given, the status is 1 then: the rest holds, and what is missing can be measured by\n" +
			"its own command.",
		Example: "  $ calibrate all --quick -o host",
		Args:    cobra.NoArgs,
	}
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

// calibration is all that is found of a host.
type calibration struct {
	measuring
	found   foundParams
	sets    []calibrated
	memory  *memory.Result
	machine *machine.Machine
	samples *store.Table // of the memory
	refused []error      // that there was too much noise
}

// calibrated is the parameters that are from one dataset.
type calibrated struct {
	dataset string
	set     *param.Set
}

// run measures everything, and then writes what belongs to all of it.
func (a *calibration) run(ctx context.Context, env *stage.Env) error {
	steps := []func(context.Context, *stage.Env) error{a.ofMemory}
	for _, t := range present(env) {
		steps = append(steps, func(ctx context.Context, env *stage.Env) error { return a.ofTransport(ctx, env, t) })
	}
	if err := a.each(ctx, env, append(steps, a.ofMarshalling, a.ofMemoryAgain, a.ofInstructions)); err != nil {
		return err
	}
	if a.memory == nil && len(a.sets) == 0 {
		return errors.Join(a.refused...)
	}
	return a.write()
}

// each takes steps past those that there was too much noise for.
func (a *calibration) each(ctx context.Context, env *stage.Env, steps []func(context.Context, *stage.Env) error) error {
	for _, step := range steps {
		err := step(ctx, env)
		if err != nil && !tooNoisy(err) {
			return err
		}
		if err != nil {
			env.Note("%v", err)
			a.refused = append(a.refused, err)
		}
	}
	return nil
}

// missing is an error if something was refused, which is no news to those who only look.
func (a *calibration) missing() error {
	if a.quick || len(a.refused) == 0 {
		return nil
	}
	return fmt.Errorf("what there is, is in %s.params.toml; missing is, and can be measured again by its own command:\n%w", a.prefix, errors.Join(a.refused...))
}

func (a *calibration) ofMemory(ctx context.Context, env *stage.Env) (err error) {
	o := &memoryOptions{measuring: a.measuring}
	if a.memory, a.samples, err = o.find(ctx, env); err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	text, err := a.memory.Machine(filepath.Base(a.prefix), filepath.Base(o.dataset()))
	if err != nil { // as noise may have it
		a.memory = nil
		return o.keep(env, a.samples, fmt.Errorf("memory: %w", err))
	}
	a.machine, err = machine.Parse(a.prefix+".machine.toml", text)
	return err
}

// ofMemoryAgain has another try at the memory, which instructions need, if it was too noisy: there is time for that.
func (a *calibration) ofMemoryAgain(ctx context.Context, env *stage.Env) error {
	if a.memory != nil || a.quick {
		return nil
	}
	a.refused = a.refused[1:] // which was the memory, the first step
	return a.ofMemory(ctx, env)
}

func (a *calibration) ofInstructions(ctx context.Context, env *stage.Env) error {
	if a.machine == nil {
		return &host.TooNoisy{What: "instructions: without levels of cache there are no misses"}
	}
	o := &instructionsOptions{measuring: a.measuring}
	set, err := o.on(ctx, env, a.machine)
	if err != nil {
		return fmt.Errorf("instructions: %w", err)
	}
	a.found.add("instructions", set)
	a.sets = append(a.sets, calibrated{filepath.Base(o.dataset()), set})
	return nil
}

func (a *calibration) ofTransport(ctx context.Context, env *stage.Env, t transport.Transport) error {
	o, options := &transportOptions{measuring: a.measuring}, a.options(transportBudget)
	p := env.Progress("measuring "+t.Name, int64(options.Launches*transport.Points(options)), "points")
	defer p.Done()
	table, err := o.one(ctx, env, t, options, func() { p.Add(1) })
	if err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	r, err := a.fit(env, t.Name, table)
	if err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	return a.add(t.Name, t.Name+"_", r)
}

func (a *calibration) ofMarshalling(ctx context.Context, env *stage.Env) error {
	o := &marshallingOptions{a.measuring, marshallingTransport}
	r, err := o.run(ctx, env)
	if err != nil {
		return fmt.Errorf("marshalling: %w", err)
	}
	return a.add("marshalling", "", r)
}

// add remembers the parameters of a dataset, with a prefix.
func (a *calibration) add(name, prefix string, r *fitted) error {
	set, err := r.params()
	if err != nil {
		return err
	}
	named := &param.Set{}
	for _, p := range set.All() {
		p.Name = prefix + p.Name
		if err := named.Add(p); err != nil {
			return err
		}
	}
	a.found.add(name, named)
	dataset, _, _ := strings.Cut(r.data.Source(), " ")
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
