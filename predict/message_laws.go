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
	"spoor/predict/internal/message"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/unit"
)

// lawFlags select the parameters and models. All commands of predict message have them.
type lawFlags struct {
	params, given, models []string
	state, line, page     string
	printed               bool
	output                tableOutput
}

func (f *lawFlags) add(flags *pflag.FlagSet) {
	stage.PathsVar(flags, &f.params, "params", "parameter file `P` of calibrate fit; may be repeated")
	flags.StringArrayVar(&f.given, "param", nil, "one parameter as `NAME=VALUE`, such as M1_beta=1.2ns/B; may be repeated")
	flags.StringSliceVar(&f.models, "model", nil, "models as a `LIST` (default those with parameters)")
	flags.StringVar(&f.state, "state", "", "`NAME` of the machine's state, the end of parameter names: far in M1_beta-far")
	flags.StringVar(&f.line, "line", "", "`SIZE` of a memory line (default that of the parameters, or 64B)")
	flags.StringVar(&f.page, "page", "", "`SIZE` of a memory page (default that of the parameters, or 4KiB)")
	flags.BoolVar(&f.printed, "as-printed", false, "use the paper's equations as printed")
	f.output.add(flags, "write the table in Arrow to `FILE`")
	stage.Group(flags, "Parameters and models", "params", "param", "model", "state", "line", "page", "as-printed")
	stage.Group(flags, "Output", "format", "output")
}

// laws returns the laws that the flags select.
func (f *lawFlags) laws(env *stage.Env) (out []*message.Laws, err error) {
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
		if models = message.Models(set, o); f.printed { // powers with negative coefficients give times below zero
			models = slices.DeleteFunc(models, message.HigherOrder)
		}
		if len(models) == 0 { // for an error that names the missing parameter
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
	if f.page != "" && !slices.ContainsFunc(out, func(l *message.Laws) bool { return l.Model.Name == "page" }) {
		env.Note("--page has no effect: only model page has a term of pages")
	}
	return out, nil
}

// set reads all parameters, and the residuals next to their files.
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

// report prints a table, for people with warnings, and writes the full table to a file.
func (f *lawFlags) report(env *stage.Env, t, written *store.Table, all []message.Prediction, more ...error) error {
	if err := f.output.write("", written); err != nil {
		return err
	}
	warnings := append(more, message.Warnings(all)...)
	if err := stage.Print(env.Out, f.output.format, t); err != nil {
		return err
	}
	if f.output.format != stage.Human {
		noteWarnings(env, warnings)
		return nil
	}
	if len(all) > 0 {
		fmt.Fprintf(env.Out, "\ninterval: %s\n", all[0].Covers)
	}
	printWarnings(env.Out, warnings)
	return nil
}

var messageFacts = toolFacts()

// arrayFlags describe the arrays.
type arrayFlags struct {
	sizes []string
	mesh  string
	item  string
}

func (f *arrayFlags) add(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.sizes, "size", []string{"1000x1000"}, "rows x columns of the array in items, as a `LIST`")
	flags.StringVar(&f.mesh, "mesh", "2x2", "rows x columns of `PROCESSORS`")
	flags.StringVar(&f.item, "item", "4B", "`SIZE` of an item")
	stage.Group(flags, "Arrays", "size", "mesh", "item")
}

// cases returns the arrays on the mesh.
func (f *arrayFlags) cases() (out []message.Case, err error) {
	var c message.Case
	if c.MeshRows, c.MeshCols, err = pair("mesh", f.mesh); err != nil {
		return nil, err
	}
	if c.Item, err = unit.ParseBytes(f.item); err != nil || c.Item < 1 {
		return nil, stage.Usage("--item %s is not a size such as 4B", f.item)
	}
	c.D = 1
	for _, size := range f.sizes {
		if c.Rows, c.Cols, err = pair("size", size); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// pair parses a size such as 2x3.
func pair(flag, text string) (rows, cols int64, err error) {
	var rest string
	if n, _ := fmt.Sscanf(text+" ", "%dx%d%s", &rows, &cols, &rest); n != 2 || rows < 1 || cols < 1 {
		return 0, 0, stage.Usage("--%s %s is not rows x columns, such as 1000x1000", flag, text)
	}
	return rows, cols, nil
}
