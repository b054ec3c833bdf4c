// Analyze measures traces. It writes tables and parameters.
//
//	$ tracegen fft --set points=1024 --procs 2 -o fft
//	$ analyze -o fft.analysis fft
package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/analyze/internal/kind"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

func main() { os.Exit(stage.Main(command, stage.OS(), os.Args[1:])) }

// command returns the command analyze.
func command(env *stage.Env) *cobra.Command {
	o := options{settings: newSettings()}
	cmd := &cobra.Command{
		Use:  "analyze [--run NAME,...] -o DIR PREFIX",
		Args: cobra.ExactArgs(1),
	}
	stage.Describe(cmd, helpTexts, "analyze")
	o.addFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o.expand()
		f := cmd.Flags()
		f.Visit(func(flag *pflag.Flag) { o.noteUnused(env, f, flag) })
		o.interleavedAsked, o.runAsked = f.Changed("interleaved"), f.Changed("run")
		return o.analyze(cmd.Context(), env, args[0])
	}
	cmd.AddCommand(mergeCommand(env), filterCommand(env), composeCommand(env))
	stage.AddTopics(cmd, o.topics(cmd.Flags())...)
	return cmd
}

// addFlags adds all flags. Flags of one analysis are shown on its help page only.
func (o *options) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.AddFlagSet(o.flags)
	f.StringArrayVar(&o.procs, "procs", nil, "processors to analyze, as a `list` of numbers and ranges such as 0-3,6 (default all); may be repeated. 'analyze merge' joins the results")
	f.BoolVar(&o.interleaved, "interleaved", true, "reuse, reuse_time and cache: also measure all processors in one interleaved order, as processor -1")
	f.StringVarP(&o.dir, "output", "o", "", "`directory` for the results")
	o.format = stage.FormatFlag(f)
	_ = cmd.MarkFlagRequired("output") // the flag exists
	stage.Renamed(f, o.renamed)
	stage.Group(f, "What to measure", "run", "line", "refs", "procs", "interleaved")
	for _, k := range o.kinds {
		o.showFlags(f, k)
	}
	stage.Group(f, "Results", "output", "format")
	o.completeFlags(cmd)
}

// showFlags shows flags of an analysis on its help page, and some of them in the help of the command.
func (o *options) showFlags(f *pflag.FlagSet, k *kind.Kind) {
	var shown []string
	for _, t := range k.Topics {
		if len(t.Main) > 0 {
			stage.Group(f, t.Title+" (see 'analyze help "+t.Name+"')", t.Main...)
			shown = append(shown, t.Main...)
		}
	}
	for _, name := range o.own[k.Name] {
		if !slices.Contains(shown, name) {
			stage.ShowOnlyIn(f, k.Name, name)
		}
	}
}

// completeFlags completes names of analyses, formats, algorithms and the like in the shell.
func (o *options) completeFlags(cmd *cobra.Command) {
	stage.Complete(cmd, "run", o.names)
	stage.Complete(cmd, "refs", refNames)
	for _, k := range o.kinds {
		for flag, values := range k.Values {
			stage.Complete(cmd, flag, func() []string { return values })
		}
	}
	stage.Complete(cmd, "format", formats)
}

// formats lists the values of --format.
func formats() []string { return kind.Texts([]stage.Format{stage.Human, stage.CSV, stage.JSON}) }

// analyze runs the command.
func (o *options) analyze(ctx context.Context, env *stage.Env, path string) error {
	if err := o.check(*o.format); err != nil {
		return err
	}
	if err := checkOutput(o.dir); err != nil {
		return err
	}
	src, err := store.Open(path)
	if err != nil {
		return err
	}
	defer src.Close()
	o.adapt(env, src)
	if err := o.nameMemory(env, src, path); err != nil {
		return err
	}
	if o.needRefs() {
		if err := checkRefs(src, path); err != nil {
			return err
		}
	}
	procs, err := o.selected(src.Header().Procs)
	if err != nil {
		return err
	}
	r := kind.Request{Header: src.Header(), Events: src, Digest: src.SHA256(), Name: sourceName(path), Procs: procs, Interleaved: o.interleaved}
	if r.Messages, err = o.passesMessages(src); err != nil {
		return err
	}
	analyses, err := o.build(&r)
	if err != nil {
		return err
	}
	o.noteSource(env, path, r.Header)
	if analyses, err = o.checkOrders(env, &r, analyses); err != nil {
		return err
	}
	kept := newPart(&r, o.settings)
	results, err := o.measure(ctx, env, src, kept, analyses)
	if err != nil {
		return err
	}
	if procs != nil {
		results = append(results, kept.result())
	}
	if err := keep(o.dir, results, procs == nil); err != nil {
		return err
	}
	noteOthers(env, o.dir, r.Digest)
	return print(env, *o.format, o.chosen(), results)
}

// selected returns the processors of --procs, nil for all.
func (o *options) selected(have int) ([]trace.Proc, error) {
	procs, err := trace.ParseProcs(strings.Join(o.procs, ","), have)
	if err != nil {
		return nil, stage.Usage("--procs: %w", err)
	}
	if len(procs) == have {
		return nil, nil
	}
	if o.interleaved && o.interleavedAsked {
		return nil, stage.Usage("the interleaved order needs all processors; omit --procs or --interleaved")
	}
	return procs, nil
}

// checkOrders checks the analyses against --procs and returns those that can run. An analysis that needs the
// interleaved order cannot run, which --run all skips. The others run without that order, with a note.
func (o *options) checkOrders(env *stage.Env, r *kind.Request, analyses []analysis.Analysis) (able []analysis.Analysis, err error) {
	if r.Procs == nil {
		return analyses, nil
	}
	var needAll, names, without []string
	for _, a := range analyses {
		if len(analysis.Orders(r.Header, r.Procs[:1], a)) == 0 {
			needAll = append(needAll, a.Name())
			continue
		}
		able, names = append(able, a), append(names, a.Name())
		if len(analysis.Orders(r.Header, []trace.Proc{trace.Interleaved}, a)) > 0 {
			without = append(without, a.Name())
		}
	}
	switch {
	case o.all && len(needAll) > 0:
		env.Note("skipping %s: the analysis needs all processors", strings.Join(needAll, ", "))
		o.run = names
	case len(needAll) == 1:
		return nil, stage.Usage("%s needs all processors; omit --procs or the analysis", needAll[0])
	case len(needAll) > 1:
		return nil, stage.Usage("%s need all processors; omit --procs or these analyses", strings.Join(needAll, ", "))
	}
	for _, name := range without {
		env.Note("%s: without the interleaved order, which needs all processors", name)
	}
	return able, nil
}

// sourceName returns the name of the trace in parameter files: its file of references.
func sourceName(path string) string {
	name := filepath.Base(path)
	if strings.HasSuffix(name, store.RefsSuffix) || strings.HasSuffix(name, store.EventsSuffix) {
		return name
	}
	return name + store.RefsSuffix
}
