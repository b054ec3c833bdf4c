package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"spoor/tracegen/recorder"
	"spoor/tracegen/recorder/goprogram"
	"spoor/traces/stage"
)

// maxProcs is the most processors that goroutines are recorded for.
const maxProcs = 1 << 16

func (o *goOptions) flags(flags *pflag.FlagSet) {
	flags.StringVar(&o.program, "go", "", "build and record the Go program `PACKAGE` of the module in this folder, or a file")
	flags.StringVar(&o.test, "go-test", "", "record the tests of the Go `PACKAGE`; ARGs are as -test.run=TestX")
	flags.IntVar(&o.procs, "procs", 0, "with --go: run the goroutines on `N` processors (default one processor for each)")
}

func (o *goOptions) given() bool { return o.program != "" || o.test != "" }

// check refuses flags that cannot go together.
func (o *goOptions) check(flags *pflag.FlagSet, sample recorder.Sample, children bool) error {
	switch {
	case o.program != "" && o.test != "":
		return stage.Usage("--go and --go-test are two programs; give one of them")
	case flags.Changed("procs") && !o.given():
		return stage.Usage("--procs is for Go programs; give --go PACKAGE or --go-test PACKAGE")
	case flags.Changed("procs") && (o.procs < 1 || o.procs > maxProcs):
		return stage.Usage("--procs %d: give 1 to %d", o.procs, maxProcs)
	case o.given() && sample != recorder.Sample{}:
		return stage.Usage("--skip, --window, --every, --max-references and --stacks are for threads, and Go programs have goroutines; use --from and --to")
	case o.given() && children:
		return stage.Usage("--children does not follow processes that a Go program starts; leave it out")
	}
	return nil
}

// build builds the program if it is one of Go, and has it recorded. The function that it returns removes the program.
func (o *goOptions) build(ctx context.Context, opt *recorder.Options) (remove func(), err error) {
	if !o.given() {
		return func() {}, nil
	}
	folder, err := os.MkdirTemp("", "spoor-go")
	if err != nil {
		return func() {}, fmt.Errorf("building the Go program: %w", err)
	}
	remove = func() { os.RemoveAll(folder) }
	p, err := goprogram.Build(ctx, folder, goprogram.Options{Package: o.program + o.test, Test: o.test != "", Err: opt.Err})
	if err != nil {
		return remove, err
	}
	opt.Args, opt.Dir = append([]string{p.Path}, opt.Args...), p.Dir
	opt.Go, opt.Procs = true, o.procs
	return remove, nil
}

// rule is how the recording orders threads, and how goroutines become processors.
func (o *goOptions) rule() string {
	switch {
	case !o.given():
		return "all threads at once, as the host scheduled them"
	case o.procs == 0:
		return "all goroutines at once, as Go's scheduler ran them"
	}
	return fmt.Sprintf("goroutine i on processor i mod %d, in the order in which Go's scheduler ran them", o.procs)
}
