package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"spoor/calibrate/internal/fit"
	"spoor/calibrate/internal/fit/timing"
	"spoor/calibrate/internal/fitting"
	"spoor/calibrate/internal/host"
	"spoor/calibrate/internal/transport"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// measuring has the flags of all commands that measure this host.
type measuring struct {
	prefix   string
	quick    bool
	launches int
	seed     uint64
	stolen   float64
}

func (o *measuring) add(flags *pflag.FlagSet) {
	flags.StringVarP(&o.prefix, "output", "o", "", "write files whose names begin with `PREFIX`")
	flags.BoolVar(&o.quick, "quick", false, "measure for seconds only; noise is no error, and results are not reliable")
	flags.IntVar(&o.launches, "launches", 5, "repeat everything `N` times, with new processes and other memory")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the order, the points and the bootstrap")
	flags.Float64Var(&o.stolen, "max-stolen", host.MaxStolen, "largest `SHARE` of the time that others may take before the host is refused")
	stage.Group(flags, "How to measure", "quick", "launches", "max-stolen", "seed")
}

const maxLaunches = 100

func (o *measuring) check() error {
	if err := checkPrefix(o.prefix); err != nil {
		return err
	}
	switch {
	case o.launches < host.MinLaunches || o.launches > maxLaunches:
		return stage.Usage("--launches: %d is not from %d to %d", o.launches, host.MinLaunches, maxLaunches)
	case !(o.stolen >= 0 && o.stolen <= 1):
		return stage.Usage("--max-stolen: %v is not from 0 to 1", o.stolen)
	}
	return nil
}

// checkPrefix refuses a prefix without file name, and one whose folder cannot be written. For a folder, PREFIX.params.toml would be a hidden file in it.
func checkPrefix(prefix string) error {
	if prefix == "" {
		return stage.Usage("-o PREFIX is missing; files are named by it")
	}
	if !store.HasFileName(prefix) {
		return stage.Usage("-o %q: the name of the file is missing; write for example -o %s", prefix, filepath.Join(prefix, "host"))
	}
	return store.CheckWritable(prefix + ".params.toml")
}

// quickBudget is the longest time of a quick measurement of one thing, long enough to see more than noise.
const quickBudget = unit.Seconds(4)

// options returns how much is measured between two processors.
func (o *measuring) options(budget unit.Seconds, wait waiter) transport.Options {
	if o.quick {
		return transport.Options{Launches: 1, Seed: o.seed, Rules: host.Hasty, Budget: quickBudget, Quick: true}
	}
	return transport.Options{Launches: o.launches, Seed: o.seed, Rules: host.Strict, Budget: budget, Wait: wait}
}

// look notes the condition of the host, and refuses a busy host.
func (o *measuring) look(env *stage.Env, title string, h host.Host) error {
	condition := host.Check(h)
	env.Note("%s%v", title, condition)
	if o.quick {
		return nil
	}
	return condition.Refuse(o.stolen)
}

// refusals has the measurements that gave no parameters.
type refusals []refusal

type refusal struct {
	name string
	err  error
}

// add notes the reason of a refusal.
func (r *refusals) add(env *stage.Env, name string, err error) {
	env.Note("%v", err)
	*r = append(*r, refusal{name, err})
}

// err returns an error that names all refusals and gives the first reason, or nil if there are none. The argument says what is wrong.
func (r refusals) err(wrong string) error {
	if len(r) == 0 {
		return nil
	}
	var names []string
	for _, one := range r {
		names = append(names, one.name)
	}
	return fmt.Errorf("%s: no parameters of %s; repeat each with its own command. First reason: %w", wrong, strings.Join(names, ", "), r[0].err)
}

// fit writes a dataset, PREFIX.NAME.arrow, and the results of calibrate fit for it.
func (o *measuring) fit(env *stage.Env, name string, table *store.Table) (*fitting.Fitted, error) {
	if table.Rows() == 0 {
		return nil, &host.TooNoisyError{What: "every sample was disturbed"}
	}
	prefix := o.prefix + "." + name
	if err := store.WriteTable(prefix+".arrow", table); err != nil {
		return nil, err
	}
	data, err := timing.Read(prefix + ".arrow")
	if err != nil {
		return nil, fmt.Errorf("reading timings: %w", err)
	}
	options := &fitting.Options{Prefix: prefix, Seed: o.seed, MaxNoise: fit.MaxFloor}
	var several *timing.SeveralStatesError
	if err := options.Apply(data); errors.As(err, &several) {
		return nil, &host.TooNoisyError{What: fmt.Sprintf("sentinels from %v to %v: the distance between the processors changed at an unknown time", several.Low, several.High)}
	} else if err != nil {
		return nil, err
	}
	r, err := fitting.Run(data, options, env.Note)
	if err != nil {
		return nil, &noParamsError{err, prefix + ".arrow"}
	}
	return r, r.Write(env.Note)
}
