package stage

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Columns is the greatest width of a line of a help text.
const Columns = 110

// groupKey and topicKey are annotations of flags: the title above the flag in the help, and the topic that alone lists it.
const groupKey, topicKey = "spoor-group", "spoor-topic"

// Group puts flags under a title of the help. The order of the first calls is the order of the titles.
// It panics on a flag that does not exist, which is the programmer's mistake.
func Group(flags *pflag.FlagSet, title string, names ...string) {
	for _, name := range names {
		annotate(flags, name, groupKey, fmt.Sprintf("%03d %s", groups(flags, title), title))
	}
}

// groups returns the number of the group with this title, or the next free number.
func groups(flags *pflag.FlagSet, title string) int {
	found := map[string]bool{}
	number := -1
	flags.VisitAll(func(f *pflag.Flag) {
		for _, g := range f.Annotations[groupKey] {
			if found[g] = true; g[4:] == title {
				fmt.Sscanf(g, "%d", &number)
			}
		}
	})
	if number >= 0 {
		return number
	}
	return len(found)
}

// ShowOnlyIn leaves flags out of the command's own help: the page of a topic lists them.
func ShowOnlyIn(flags *pflag.FlagSet, topic string, names ...string) {
	for _, name := range names {
		annotate(flags, name, topicKey, topic)
	}
}

func annotate(flags *pflag.FlagSet, name, key, value string) {
	if err := flags.SetAnnotation(name, key, []string{value}); err != nil {
		panic(err)
	}
}

// Renamed keeps the old names of flags working. The help does not show them.
func Renamed(flags *pflag.FlagSet, newNames map[string]string) {
	before := flags.GetNormalizeFunc()
	flags.SetNormalizeFunc(func(f *pflag.FlagSet, name string) pflag.NormalizedName {
		if now, ok := newNames[name]; ok {
			name = now
		}
		return before(f, name)
	})
}

// Complete completes the values of a flag in the shell. In a list with commas it completes the last value.
func Complete(cmd *cobra.Command, flag string, values func() []string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		done := typed[:strings.LastIndex(typed, ",")+1]
		var list []string
		for _, v := range values() {
			list = append(list, done+v)
		}
		return list, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	})
}

// CompleteFiles completes the values of a flag of root and of all commands below it that have it. A value is a name or the path of a
// file; the shell completes paths. In a list with commas the last value is completed.
func CompleteFiles(root *cobra.Command, flag string, names func() []string) {
	if root.Flags().Lookup(flag) != nil {
		_ = root.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			return namesOrFiles(typed[strings.LastIndex(typed, ",")+1:], typed[:strings.LastIndex(typed, ",")+1], names, cobra.ShellCompDirectiveNoSpace)
		})
	}
	for _, sub := range root.Commands() {
		CompleteFiles(sub, flag, names)
	}
}

// CompleteFileArgs completes the arguments of a command, which are names or paths of files.
func CompleteFileArgs(cmd *cobra.Command, names func() []string) {
	cmd.ValidArgsFunction = func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return namesOrFiles(typed, "", names, cobra.ShellCompDirectiveDefault)
	}
}

// namesOrFiles returns the names that begin with typed, each after the text before, with the directive named. It leaves paths to the shell.
func namesOrFiles(typed, before string, names func() []string, named cobra.ShellCompDirective) (list []string, _ cobra.ShellCompDirective) {
	if strings.ContainsAny(typed, "/.") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	for _, name := range names() {
		if strings.HasPrefix(name, typed) {
			list = append(list, before+name)
		}
	}
	return list, named
}

// helpText returns the help of a command: usage, purpose, commands, topics, examples, flags in groups.
func helpText(cmd *cobra.Command) string {
	cmd.InitDefaultHelpFlag() // as cobra does before it runs cmd, but not for `help cmd`
	cmd.InitDefaultVersionFlag()
	var b strings.Builder
	use := cmd.CommandPath() + " COMMAND"
	if cmd.Runnable() {
		use = cmd.UseLine()
	}
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	if isTopic(cmd) {
		fmt.Fprintf(&b, "%s: %s\n", cmd.Name(), cmd.Short)
		text = cmd.Long
	} else {
		fmt.Fprintf(&b, "Usage: %s\n", use)
	}
	if text = strings.TrimRight(text, " \n"); text != "" {
		fmt.Fprintf(&b, "\n%s\n", text)
	}
	if commands := available(cmd); len(commands) > 0 && !isHelp(cmd) {
		b.WriteString("\nCommands:\n")
		for _, c := range commands {
			fmt.Fprintf(&b, "  %-*s %s\n", c.NamePadding(), c.Name(), c.Short)
		}
	}
	writeTopics(&b, cmd)
	if cmd.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", strings.TrimRight(cmd.Example, "\n"))
	}
	for _, g := range flagGroups(cmd) {
		fmt.Fprintf(&b, "\n%s:\n%s\n", g.title, strings.TrimRight(g.flags.FlagUsagesWrapped(Columns), "\n"))
	}
	return b.String()
}

// flagGroup is the flags under one title.
type flagGroup struct {
	title string
	flags *pflag.FlagSet
}

// general are flags that every command has. They come last.
var general = []string{"help", "quiet", "version"}

// flagGroups returns the flags of a command's help by title. A topic shows no general flags.
func flagGroups(cmd *cobra.Command) (list []flagGroup) {
	byKey := map[string]*pflag.FlagSet{}
	add := func(key string, f *pflag.Flag) {
		if byKey[key] == nil {
			byKey[key] = pflag.NewFlagSet(key, pflag.ContinueOnError)
			byKey[key].SortFlags = false
		}
		byKey[key].AddFlag(f)
	}
	visit := func(f *pflag.Flag) {
		group, topic := f.Annotations[groupKey], f.Annotations[topicKey]
		switch {
		case f.Hidden || !isTopic(cmd) && len(topic) > 0:
		case slices.Contains(general, f.Name):
			if !isTopic(cmd) {
				add("999 General flags", f)
			}
		case isTopic(cmd) || len(group) == 0:
			add("998 Flags", f)
		default:
			add(group[0], f)
		}
	}
	cmd.LocalFlags().VisitAll(visit)
	cmd.InheritedFlags().VisitAll(visit)
	var keys []string
	for key := range byKey {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		list = append(list, flagGroup{key[4:], byKey[key]})
	}
	return list
}

// writeHelp prints the help of any command.
func writeHelp(cmd *cobra.Command, _ []string) {
	_, _ = io.WriteString(cmd.OutOrStdout(), helpText(cmd))
}
