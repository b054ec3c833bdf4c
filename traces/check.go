package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"spoor/traces/internal/walk"
	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/symbols"
	"spoor/traces/trace"
)

func checkCommand(env *stage.Env) *cobra.Command {
	var save bool
	var output string
	cmd := &cobra.Command{
		Use:  "check PREFIX|FILE",
		Args: cobra.ExactArgs(1),
	}
	stage.Describe(cmd, helpTexts, "check")
	flags := cmd.Flags()
	flags.BoolVar(&save, "recover", false, "write the undamaged batches to a new trace")
	flags.StringVarP(&output, "output", "o", "", "`PREFIX` of the recovered trace (default: the input with .recovered)")
	print := stage.FormatFlag(flags)
	stage.Group(flags, "Recovery", "recover", "output")
	stage.Group(flags, "Output", "format")
	cmd.ValidArgsFunction = completeTraces
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if output != "" && !save {
			return stage.Usage("-o goes with --recover")
		}
		var result *store.Table
		var err error
		if save {
			result, err = recoverTrace(args[0], output)
		} else {
			result, err = check(cmd.Context(), env, args[0])
		}
		if err != nil {
			return err
		}
		return stage.Print(env.Out, *print, result)
	}
	return cmd
}

// check reads all of a trace; reading verifies digests and layout.
func check(ctx context.Context, env *stage.Env, path string) (*store.Table, error) {
	t, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	src := walk.Watch(ctx, env, t, "checking")
	did, err := trace.Validate(src) // also that the totals used below are right
	src.Done()
	var at *trace.RowError
	if errors.As(err, &at) {
		return nil, fmt.Errorf("checking %s: %w", fileOf(path, at.IsRef), err)
	}
	if err != nil {
		return nil, fmt.Errorf("checking %s: %w", path, err)
	}
	for i, n := range did.Notes {
		if i == maxCheckNotes {
			env.Note("%s: and %d more such notes", path, len(did.Notes)-i)
			break
		}
		env.Note("%s: %v", fileOf(path, n.IsRef), &n)
	}
	names, err := checkSymbols(env, path, t)
	if err != nil {
		return nil, err
	}
	return checkTable(t.Header().Procs, did, names), nil
}

// checkSymbols reads the names of places of a trace, if it has any, and returns how many there are.
func checkSymbols(env *stage.Env, path string, t *store.Trace) (rows uint64, err error) {
	f, err := symbols.Open(path, t)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case errors.Is(err, symbols.ErrOther):
		env.Note("%v", err)
		return 0, nil
	case err != nil:
		return 0, err
	}
	for _, err := range f.Rows() {
		if err != nil {
			return 0, err
		}
		rows++
	}
	return rows, nil
}

// maxCheckNotes is the most notes that a check prints.
const maxCheckNotes = 4

// fileOf returns the file of a trace that has its references or its events.
func fileOf(path string, refs bool) string {
	switch {
	case strings.HasSuffix(path, store.RefsSuffix), strings.HasSuffix(path, store.EventsSuffix):
		return path
	case refs:
		return path + store.RefsSuffix
	}
	return path + store.EventsSuffix
}

// checkTable returns a row for each kind of thing that was checked.
func checkTable(procs int, did *trace.Report, names uint64) *store.Table {
	var checked, sound []string
	var count []uint64
	always := func(what string, n uint64, s string) {
		checked, count, sound = append(checked, what), append(count, n), append(sound, s)
	}
	add := func(what string, n uint64, s string) {
		if n > 0 {
			always(what, n, s)
		}
	}
	always("processors", uint64(procs), "numbered without gaps, files agree")
	always("references", did.Refs, "digest, operation, size, no address wraps around")
	always("events", did.Events, "digest, kind, order, every value in its range")
	add("events among references", did.Joined, "not before the reference that precedes them, and not after the next")
	add("needs", did.Needs, "events of the same processor, none needs itself")
	add("locks taken", did.Locks, "a processor takes only locks that it does not hold, and unlocks those that it holds")
	add("barriers, flags, forks, joins", did.Synchronized, "in shared memory: each processor can pass all of them")
	add("messages", did.Messages, "each send has its receive, in order, and fits")
	add("receives with wildcards", did.Wildcards, "as many as the messages that they can take")
	add("requests", did.Requests, "opened once, before each wait")
	add("requests left open", did.Open, "legal, but perhaps a mistake")
	add("names of places", names, "digest, and of this recording")
	for i, g := range did.Calls {
		if i == maxCheckGroups {
			rest := uint64(0)
			for _, g := range did.Calls[i:] {
				rest += g.Calls
			}
			add(fmt.Sprintf("collectives in %d more groups", len(did.Calls)-i), rest, "as many, of the same kind and root, on all members of each")
			break
		}
		how := "of the same kind and root on all %s"
		if g.Graphs {
			how = "as many of each kind on all %s, perhaps in the order of their graphs"
		}
		add("collectives"+inGroup(g.Group), g.Calls, fmt.Sprintf(how, stage.Count(int(g.Members), "member")))
	}
	return &store.Table{Name: "check", Columns: []store.Column{
		{Name: "checked", Data: checked}, {Name: "count", Data: count}, {Name: "sound", Data: sound}}}
}

// maxCheckGroups is the most groups that have their own rows.
const maxCheckGroups = 8

func inGroup(group int32) string {
	if group == trace.None {
		return " of all"
	}
	return fmt.Sprintf(" in group %d", group)
}
