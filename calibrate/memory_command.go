package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"spoor/calibrate/internal/host"
	"spoor/calibrate/internal/memory"
	"spoor/calibrate/param"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// memoryOptions are the flags of calibrate memory.
type memoryOptions struct {
	measuring
	from   string
	format *stage.Format
}

func memoryCommand(env *stage.Env) *cobra.Command {
	o := &memoryOptions{}
	cmd := &cobra.Command{
		Use:  "memory -o PREFIX",
		Args: cobra.NoArgs,
	}
	stage.Describe(cmd, helpTexts, "memory")
	flags := cmd.Flags()
	o.add(flags)
	flags.StringVar(&o.from, "from", "", "use the samples in this `FILE`, and measure nothing")
	o.format = stage.FormatFlag(flags)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := o.check(); err != nil {
			return err
		}
		return o.run(cmd.Context(), env)
	}
	return cmd
}

func (o *memoryOptions) run(ctx context.Context, env *stage.Env) error {
	result, table, err := o.find(ctx, env)
	if err != nil {
		return err
	}
	if err := o.write(result, table); err != nil {
		return o.keep(env, table, err)
	}
	return stage.Print(env.Out, *o.format, memoryTable(result))
}

// find measures, or reads the samples of --from, and fits. It notes warnings and disagreements.
func (o *memoryOptions) find(ctx context.Context, env *stage.Env) (*memory.Result, *store.Table, error) {
	table, err := o.samples(ctx, env)
	if err != nil {
		return nil, nil, err
	}
	result, err := memory.Fit(table, o.quick)
	if err != nil {
		return nil, nil, o.keep(env, table, err)
	}
	for _, w := range result.Warnings {
		env.Note("%v", w)
	}
	_, disagreements := result.Found()
	for _, d := range disagreements {
		env.Note("disagreement: %s", d)
	}
	return result, table, nil
}

// keep writes samples that are too noisy for parameters, so that the user can look at them.
func (o *memoryOptions) keep(env *stage.Env, table *store.Table, err error) error {
	var noisy *host.TooNoisyError
	if o.from != "" || !errors.As(err, &noisy) {
		return err
	}
	if e := store.WriteTable(o.dataset(), table); e != nil {
		return errors.Join(err, e)
	}
	env.Note("the samples are in %s; --quick --from analyzes them", o.dataset())
	return err
}

// samples measures, or reads the samples of --from.
func (o *memoryOptions) samples(ctx context.Context, env *stage.Env) (*store.Table, error) {
	if o.from != "" {
		t, err := store.ReadTable(o.from)
		if err != nil {
			return nil, err
		}
		return t, nil
	}
	bench, largest, done, err := memory.Open()
	if err != nil {
		return nil, err
	}
	t, err := o.measure(ctx, env, bench, largest)
	return t, errors.Join(err, done())
}

// memoryBudget is the time after which no further launch begins.
const memoryBudget = unit.Seconds(75)

func (o *memoryOptions) measure(ctx context.Context, env *stage.Env, bench memory.Bench, largest unit.Bytes) (*store.Table, error) {
	if err := o.look(env, "", bench); err != nil {
		return nil, err
	}
	stride, err := memory.Stride(bench, o.seed)
	if err != nil {
		return nil, err
	}
	m := memory.Options{Launches: o.launches, Seed: o.seed, Rules: host.Strict, Budget: memoryBudget, Wait: host.Sleep, Plan: memory.Plan(largest, stride, 4)}
	if o.quick {
		m.Launches, m.Rules, m.Budget, m.Wait, m.Plan = 1, host.Hasty, 4*quickBudget, nil, memory.Plan(largest, stride, 2)
	}
	p := env.Progress("measuring", int64(m.Launches*len(m.Plan)), "points")
	defer p.Done()
	return memory.Measure(ctx, bench, m, func() { p.Add(1) })
}

func (o *memoryOptions) dataset() string { return o.prefix + ".memory.arrow" }

// write writes samples, machine and parameters, after all of them were computed without error.
func (o *memoryOptions) write(r *memory.Result, table *store.Table) error {
	dataset := o.from
	if dataset == "" {
		dataset = o.dataset()
	}
	text, err := r.Machine(filepath.Base(o.prefix), filepath.Base(dataset))
	if err != nil {
		return err
	}
	if o.from == "" {
		if err := store.WriteTable(dataset, table); err != nil {
			return err
		}
	}
	source, err := sourceOf(dataset)
	if err != nil {
		return err
	}
	set, err := r.Params(source)
	if err != nil {
		return err
	}
	if err := writeParams(o.prefix+".params.toml", filepath.Base(dataset), set); err != nil {
		return err
	}
	return store.WriteFileAtomic(o.prefix+".machine.toml", func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// sourceOf returns the name and digest of a file.
func sourceOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	return fmt.Sprintf("%s sha256:%x", filepath.Base(path), h.Sum(nil)), nil
}

// writeParams writes a set into a parameter file. It keeps existing parameters from other datasets, because all
// calibrations of a prefix share a file.
func writeParams(path, dataset string, set *param.Set) error {
	all := &param.Set{}
	old, err := param.Read(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err == nil {
		for _, p := range old.All() {
			if _, again := set.Lookup(p.Name); again || strings.HasPrefix(p.Source, dataset+" ") {
				continue
			}
			if err := all.Add(p); err != nil {
				return err
			}
		}
	}
	for _, p := range set.All() {
		if err := all.Add(p); err != nil {
			return err
		}
	}
	return store.WriteFileAtomic(path, all.Write)
}

// memoryTable returns the results next to the kernel's.
func memoryTable(r *memory.Result) *store.Table {
	var name, unitOf, kernel []string
	var value, lo, hi []float64
	reported := map[string]string{}
	found, _ := r.Found()
	for _, f := range found {
		if f.Kernel != nil {
			reported[f.Size.Name] = f.Kernel.Size.String()
		}
	}
	if len(r.Facts.Kernel) > 0 {
		reported[r.Line.Name] = r.Facts.Kernel[0].Line.String()
	}
	for _, v := range r.Values() {
		name, unitOf, kernel = append(name, v.Name), append(unitOf, v.Unit), append(kernel, reported[v.Name])
		value, lo, hi = append(value, v.Value), append(lo, v.Lo), append(hi, v.Hi)
	}
	return &store.Table{Name: "memory", Columns: []store.Column{{Name: "name", Data: name}, {Name: "value", Data: value}, {Name: "unit", Data: unitOf},
		{Name: "lo", Data: lo}, {Name: "hi", Data: hi}, {Name: "kernel", Data: kernel}}}
}
