package stage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"spoor/traces/lookup"
)

// numbers matches the errors of strconv.
var numbers = regexp.MustCompile(`strconv\.(\w+): parsing ".*": (invalid syntax|value out of range)$`)

// plainly replaces an error of strconv by a description of valid numbers.
func plainly(msg string) string {
	m := numbers.FindStringSubmatch(msg)
	if m == nil {
		return msg
	}
	what := map[string]string{"ParseFloat": "not a number", "ParseUint": "not a whole number from 0", "ParseBool": "not true or false"}[m[1]]
	switch {
	case m[2] == "value out of range":
		what = "too large or too small"
	case what == "":
		what = "not a whole number"
	}
	return strings.TrimSuffix(msg, m[0]) + what
}

// meant suggests a flag of cmd if err is about an unknown flag.
func meant(cmd *cobra.Command, err error) string {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) || missing.GetSpecifiedShortnames() != "" {
		return ""
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if name := lookup.Nearest(missing.GetSpecifiedName(), names); name != "" {
		return "; did you mean --" + name + "?"
	}
	return ""
}

// absent matches cobra's error for missing required flags.
var absent = regexp.MustCompile(`^required flag\(s\) "(.*)" not set$`)

// needed rewrites cobra's error for missing required flags: it adds what each flag is for.
func needed(cmd *cobra.Command, err error) error {
	m := absent.FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}
	var texts []string
	for _, name := range strings.Split(m[1], `", "`) {
		f := cmd.Flags().Lookup(name)
		what, usage := pflag.UnquoteUsage(f)
		text := "--" + name + " " + strings.ToUpper(what) + " is needed: " + usage
		if f.Shorthand != "" {
			text = "-" + f.Shorthand + ", " + text
		}
		texts = append(texts, text)
	}
	return errors.New(strings.Join(texts, "; "))
}

// checkEmpty refuses flags that are given without a text, as --from "$UNSET" is.
func checkEmpty(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && f.Value.Type() == "string" && f.Value.String() == "" {
			what, _ := pflag.UnquoteUsage(f)
			err = Usage("--%s is empty; give a %s, or omit the flag", f.Name, strings.ToUpper(what))
		}
	})
	return err
}

// counts matches cobra's error for a wrong number of arguments.
var counts = regexp.MustCompile(`^(requires|accepts) (at least |at most |between \d+ and )?(\d+) arg\(s\), (?:only )?received (\d+)$`)

// counted rewrites cobra's error for a wrong number of arguments.
func counted(err error) string {
	m := counts.FindStringSubmatch(err.Error())
	if m == nil {
		return err.Error()
	}
	n, _ := strconv.Atoi(m[3]) // digits
	return m[1] + " " + m[2] + Count(n, "argument") + ", received " + m[4]
}

// argumentError describes the error of cmd.Args.
func argumentError(cmd *cobra.Command, args []string, err error) error {
	switch {
	case !unknownCommand.MatchString(err.Error()):
		return fmt.Errorf("%s; usage: %s", counted(err), cmd.UseLine())
	case cmd.HasAvailableSubCommands():
		return err // plainUsage suggests one
	}
	return fmt.Errorf("unexpected argument %q; usage: %s", args[0], cmd.UseLine())
}

// unknownCommand matches cobra's error for an argument that is no command.
var unknownCommand = regexp.MustCompile(`^unknown command "(.*?)" for "`)

// plainUsage replaces the texts of cobra's errors by those of all other unknown and missing names.
func plainUsage(cmd *cobra.Command, err error) error {
	if m := unknownCommand.FindStringSubmatch(err.Error()); m != nil {
		return lookup.UnknownIn("command", m[1], commandNames(cmd), fmt.Sprintf("'%s --help' lists all", cmd.CommandPath()))
	}
	err = needed(cmd, err)
	if near := misspeltCommand(cmd, err); near != "" {
		return fmt.Errorf("%w; did you mean the command %q?", err, near)
	}
	return err
}

func commandNames(cmd *cobra.Command) (names []string) {
	for _, sub := range available(cmd) {
		names = append(names, sub.Name())
	}
	return names
}

// misspeltCommand returns the command that the user probably meant, if cmd takes the first argument for a file that does not exist.
func misspeltCommand(cmd *cobra.Command, err error) string {
	name := cmd.Flags().Arg(0)
	if name == "" || !isUsage(err) && !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "did you mean") {
		return ""
	}
	entries, _ := os.ReadDir(filepath.Dir(name)) // without entries there is no such file
	isPrefix := func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), filepath.Base(name)) }
	if slices.ContainsFunc(entries, isPrefix) {
		return ""
	}
	return lookup.Nearest(name, commandNames(cmd))
}
