// Package stage runs the command of a stage binary. It gives all five the same exit statuses, help, errors,
// interrupts, progress display and output formats.
package stage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spoor/traces/internal/outfile"
)

// Version is the version of all five commands, recorded in the files they write.
const Version = "0.1.0"

// Exit statuses of commands.
const (
	Done       = 0
	Failed     = 1
	WrongUsage = 2
)

// Env holds a command's standard streams. Results go to Out; notes, warnings and errors go to Err.
type Env struct {
	In       io.Reader
	Out, Err io.Writer
	quiet    bool
	heard    *[]string                // receives notes, see Notes; or nil
	process  bool                     // the streams are those of the process
	shown    atomic.Pointer[Progress] // the display on the terminal, or nil
}

// OS returns the environment of the running process.
func OS() *Env {
	obey()
	return &Env{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, process: true}
}

// Notes calls work and returns the notes that it prints. With --quiet, it returns the notes that were not printed.
func (e *Env) Notes(work func() error) (notes []string, err error) {
	outer := e.heard
	e.heard = &notes
	defer func() { e.heard = outer }()
	err = work()
	return notes, err
}

// Note prints a note on standard error, unless --quiet is given. The command goes on.
func (e *Env) Note(format string, args ...any) {
	if e.heard != nil {
		*e.heard = append(*e.heard, fmt.Sprintf(format, args...))
	}
	if !e.quiet {
		e.shown.Load().hide()
		fmt.Fprintf(e.Err, "spoor: note: %s\n", escape(fmt.Sprintf(format, args...)))
	}
}

// Standard returns the standard streams for a program that the command runs.
func (e *Env) Standard() (in io.Reader, out, err io.Writer) {
	if o, ok := e.Out.(*output); ok {
		return e.In, o.Writer, e.Err
	}
	return e.In, e.Out, e.Err
}

// usageError is a usage error found after the flags were parsed.
type usageError struct{ error }

// Usage returns an error that ends the command with status 2.
func Usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// exitError ends a command with the status of a program that it ran.
type exitError struct{ status int }

func (e exitError) Error() string { return fmt.Sprintf("status %d", e.status) }

// Exit returns an error that ends the command with a status and no message, or nil if the status is 0.
func Exit(status int) error {
	if status == Done {
		return nil
	}
	return exitError{status}
}

// runError marks errors of a command's own work. All other errors are usage errors from the command tree.
type runError struct{ error }

func (e runError) Unwrap() error { return e.error }

// Main runs the command tree that build returns, and returns the exit status.
// An interrupt cancels the command's context. A second interrupt kills the process.
func Main(build func(*Env) *cobra.Command, env *Env, args []string) int {
	if env.process {
		if status, done := supervise(env); done {
			return status
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() {
		time.Sleep(sameInterrupt)
		stop()
	})
	out := &output{Writer: env.Out, env: env}
	env.Out = out
	root := build(env)
	prepare(root, env)
	root.SetArgs(args)
	root.SetIn(env.In)
	root.SetOut(helpOutput{out})
	root.SetErr(env.Err)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		if err = out.finish(); err == nil {
			return Done
		}
		err = runError{err}
	}
	var exit exitError
	if errors.As(err, &exit) {
		return exit.status
	}
	if ctx.Err() != nil {
		err = runError{errors.New("interrupted; nothing partial was left behind")}
	}
	env.shown.Load().hide()
	fmt.Fprintf(env.Err, "spoor: %s: %s\n", cmd.CommandPath(), oneLine(plainUsage(cmd, err)))
	if isUsage(err) {
		fmt.Fprintf(env.Err, "spoor: see '%s --help'\n", cmd.CommandPath())
		return WrongUsage
	}
	return Failed
}

func isUsage(err error) bool {
	var run runError
	var usage usageError
	return errors.As(err, &usage) || !errors.As(err, &run)
}

// oneLine puts an error on one line and escapes control characters of the texts that it quotes.
func oneLine(err error) string {
	return escape(strings.NewReplacer("\n", " ", "\r", " ").Replace(strings.TrimSpace(err.Error())))
}

// prepare adds what all commands of the tree share: flags, help and error texts.
func prepare(root *cobra.Command, env *Env) {
	root.Version = Version
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetUsageTemplate(usageTemplate)
	root.SetHelpFunc(writeHelp)
	if _, has := root.Annotations[helpKey]; !has {
		AddTopics(root)
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return errors.New(plainly(err.Error()) + meant(cmd, err)) })
	root.PersistentFlags().BoolVarP(&env.quiet, "quiet", "q", false, "print no notes and no progress")
	root.AddCommand(manual(root), reference(root, env))
	mark(root, env)
}

// Count returns a number with its noun: "1 trace", "2 traces".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// mark adds the usage line to errors about arguments, and marks the errors of each command's own work as runError.
func mark(cmd *cobra.Command, env *Env) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return argumentError(cmd, args, err)
			}
			return nil
		}
	}
	cmd.RunE, cmd.PersistentPreRunE = work(named(env, noteFound(env, cmd.RunE))), work(cmd.PersistentPreRunE)
	for _, sub := range cmd.Commands() {
		mark(sub, env)
	}
}

// TakesDash marks a command that accepts `--output -` for standard output.
func TakesDash(cmd *cobra.Command) { cmd.Annotations = map[string]string{dash: ""} }

const dash = "-"

// checkOutput checks --output. It refuses - if the command does not accept it, because nobody wants a file of that name,
// and a device or pipe if the command writes several files.
func checkOutput(cmd *cobra.Command, env *Env) error {
	f := cmd.Flags().Lookup("output")
	if f == nil || f.Value.String() == "" {
		return nil
	}
	path := f.Value.String()
	if path == dash {
		if _, takes := cmd.Annotations[dash]; takes {
			return nil
		}
		return Usage("--output -: this command does not write its files to standard output; name them")
	}
	several, _ := pflag.UnquoteUsage(f)
	switch {
	case strings.EqualFold(several, "prefix") && outfile.IsStream(path):
		return Usage("--output %s: that is a device or pipe, but the command writes several files; give the start of their names", path)
	case outfile.IsStandardOutput(path):
		env.fileOnly()
	}
	return nil
}

// named checks the texts of flags and the output before run.
func named(env *Env, run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	if run == nil {
		return nil
	}
	return func(cmd *cobra.Command, args []string) error {
		if err := errors.Join(checkEmpty(cmd), checkOutput(cmd, env)); err != nil {
			return err
		}
		return run(cmd, args)
	}
}

// work marks the errors of run as runError. It returns nil for nil.
func work(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	if run == nil {
		return nil
	}
	return func(cmd *cobra.Command, args []string) error {
		if err := run(cmd, args); err != nil {
			return runError{err}
		}
		return nil
	}
}

const usageTemplate = `Usage: {{.UseLine}}{{if .HasAvailableSubCommands}} COMMAND{{end}}
`
