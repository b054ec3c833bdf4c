// Command random writes the trace of a random parallel program: the same seed, the same bytes.
//
//	$ random --seed 7 -o seven
//	$ traces info seven
//
// A program has 2 to 16 processors, which pass through the same random phases. Type phase says what there is in one.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"spoor/traces/store"
	"spoor/traces/trace"
)

func main() {
	err := run(os.Args[1:], os.Stderr)
	var usage usageError
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.As(err, &usage):
		fmt.Fprintf(os.Stderr, "random: %v; random --help lists the flags\n", err)
		os.Exit(2)
	case err != nil:
		fmt.Fprintf(os.Stderr, "random: %v\n", err)
		os.Exit(1)
	}
}

// usageError is wrong usage.
type usageError string

func (e usageError) Error() string { return string(e) }

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("random", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {
		fmt.Fprintln(out, "Usage: random [flags] -o PREFIX\n\nRandom writes the trace of a random parallel program to PREFIX.refs.arrow and PREFIX.events.arrow.\n\nFlags:")
		flags.SetOutput(out)
		flags.PrintDefaults()
	}
	prefix := flags.String("o", "", "write the trace to `PREFIX`")
	seed := flags.Uint64("seed", 1, "`SEED` of the program")
	procs := flags.Int("procs", 0, "`NUMBER` of processors, from 2 to 64; 0: drawn from 2 to 16")
	references := flags.Int("references", 0, "about this `NUMBER` of references, from 100 on; 0: drawn from 100,000 to 600,000")
	messages := flags.Bool("messages", false, "processors share no memory, and pass messages")
	prices := flags.String("prices", "", "write a random price list to `FILE`, in place of a trace")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return usageError(err.Error())
	}
	switch {
	case *prices != "" && flags.NArg() == 0 && *prefix == "":
		return writePrices(*prices, *seed)
	case *prefix == "":
		return usageError("give -o PREFIX, or --prices FILE")
	case flags.NArg() > 0:
		return usageError("an argument that is no flag: " + flags.Arg(0))
	case *procs != 0 && (*procs < 2 || *procs > 64):
		return usageError(fmt.Sprintf("--procs %d: it must be from 2 to 64", *procs))
	case *references != 0 && *references < 100:
		return usageError(fmt.Sprintf("--references %d: it must be at least 100", *references))
	}
	return write(*prefix, generate(*seed, *procs, *references, *messages))
}

// write writes the trace of a program.
func write(prefix string, g *program) error {
	h := trace.Header{Program: "random", Args: g.args, Format: "random", Procs: len(g.processors), Seed: g.seed, Tool: "pipelines/unseen/random"}
	w, err := store.Create(prefix, h)
	if err != nil {
		return err
	}
	defer w.Abort()
	for i, p := range g.processors {
		p.refs.Proc = trace.Proc(i)
		if err := w.Refs(&p.refs); err != nil {
			return err
		}
		if err := w.Events(&trace.Events{Proc: trace.Proc(i), Rows: p.events}); err != nil {
			return err
		}
	}
	return w.Close(h)
}
