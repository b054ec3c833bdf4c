package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"spoor/calibrate/param"
	"spoor/predict/message"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// lawFlags say which laws of messages are taken; all commands of predict message have them.
type lawFlags struct {
	params, given, models []string
	state, line, page     string
	printed               bool
	output                string
	format                *stage.Format
}

func (f *lawFlags) add(flags *pflag.FlagSet) {
	stage.PathsVar(flags, &f.params, "params", "parameter file `P` that calibrate fit wrote; may be repeated")
	flags.StringArrayVar(&f.given, "param", nil, "one parameter as `NAME=VALUE`, such as M1_beta=1.2ns/B; may be repeated")
	flags.StringSliceVar(&f.models, "model", nil, "models as a `LIST` (default S1, M1, M1x, page and level, those that have parameters)")
	flags.StringVar(&f.state, "state", "", "`NAME` of the state of the machine, the end of the names of parameters: far of M1_beta-far")
	flags.StringVar(&f.line, "line", "", "`SIZE` of a memory line (default what the parameters were fitted with, or 64B)")
	flags.StringVar(&f.page, "page", "", "`SIZE` of a memory page (default likewise, or 4KiB)")
	flags.BoolVar(&f.printed, "as-printed", false, "bounds of lines, scans and least squares as the paper prints them")
	f.format = stage.FormatFlag(flags)
	flags.StringVarP(&f.output, "output", "o", "", "write the table in Arrow to `FILE`")
}

// laws are those that the flags ask for.
func (f *lawFlags) laws() (out []*message.Laws, err error) {
	if len(f.params)+len(f.given) == 0 {
		return nil, stage.Usage("no parameters; give --params with a file that calibrate fit wrote, or --param NAME=VALUE")
	}
	o := message.Options{State: f.state, Printed: f.printed}
	for _, size := range []struct {
		name, text string
		of         *unit.Bytes
	}{{"line", f.line, &o.Line}, {"page", f.page, &o.Page}} {
		if size.text == "" {
			continue
		}
		if *size.of, err = unit.ParseBytes(size.text); err != nil || *size.of < 1 {
			return nil, stage.Usage("--%s %s is not a size such as 64B", size.name, size.text)
		}
	}
	set, err := f.set(&o)
	if err != nil {
		return nil, err
	}
	models := f.models
	if len(models) == 0 {
		for _, name := range message.Models(set, o) {
			if slices.Contains(shownModels, name) {
				models = append(models, name)
			}
		}
		if len(models) == 0 { // say what is missing
			models = []string{"M1"}
		}
	}
	for _, name := range models {
		l, err := message.New(set, name, o)
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}

// shownModels are those of which there are predictions unless others are asked for.
var shownModels = []string{"S1", "M1", "M1x", "page", "level"}

// set is all parameters, and the residuals that lie beside their files.
func (f *lawFlags) set(o *message.Options) (*param.Set, error) {
	var sets []*param.Set
	for _, path := range f.params {
		s, err := param.Read(path)
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
		table := strings.TrimSuffix(path, ".params.toml") + ".fit.arrow"
		if _, err := os.Stat(table); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		some, err := message.ReadResiduals(table)
		if err != nil {
			return nil, err
		}
		o.Residuals = append(o.Residuals, some...)
	}
	given := &param.Set{}
	for _, text := range f.given {
		p, err := message.ParseParam(text)
		if err != nil {
			return nil, stage.Usage("--param %s: %v", text, err)
		}
		if err := given.Add(p); err != nil {
			return nil, stage.Usage("--param %s: %v", text, err)
		}
	}
	return param.Merge(append(sets, given)...)
}

// report prints a table, with warnings for people, and writes the full one.
func (f *lawFlags) report(env *stage.Env, t, written *store.Table, all []message.Prediction, more ...error) error {
	if f.output != "" {
		if err := store.WriteTable(f.output, written); err != nil {
			return fmt.Errorf("writing %s: %w", f.output, err)
		}
	}
	if err := stage.Print(env.Out, *f.format, t); err != nil || *f.format != stage.Human {
		return err
	}
	if len(all) > 0 {
		fmt.Fprintf(env.Out, "\ninterval: %s\n", all[0].Covers)
	}
	for _, w := range append(more, message.Warnings(all)...) {
		fmt.Fprintf(env.Out, "warning: %v\n", w)
	}
	return nil
}

var messageFacts = []trace.Arg{{Key: "tool", Value: "predict " + stage.Version}}
