package main

import (
	"slices"

	"github.com/spf13/cobra"

	registry "spoor/traces/format"
	"spoor/traces/internal/format"
	"spoor/traces/stage"
)

// check checks the flags and sets the options of formats.
func (f *importFlags) check(args []string) (err error) {
	if f.output == "" {
		return stage.Usage("no output: name the files to write with -o PREFIX")
	}
	if i := slices.Index(args, "-"); i >= 0 && slices.Contains(args[i+1:], "-") {
		return stage.Usage("standard input (-) can be read only once")
	}
	if f.from != "" {
		if f.importer, err = registry.ImporterByName(f.from); err != nil {
			return stage.Usage("--from: %w", err)
		}
		f.from = f.importer.Info().Name
	}
	if f.opts.Modify, err = format.ParseModify(f.modify); err != nil {
		return stage.Usage("--modify: %w", err)
	}
	for _, c := range []struct {
		to                         *bool
		flag, value, first, second string
	}{
		{&f.opts.DropIfetch, "ifetch", f.ifetch, "keep", "drop"},
		{&f.opts.CollapseAtomics, "lackey-atomics", f.atomics, "keep", "collapse"},
		{&f.opts.IgnoreSummary, "lackey-summary", f.summary, "check", "ignore"},
		{&f.opts.Unmatched, "unmatched", f.unmatched, "error", "note"},
	} {
		if c.value != c.first && c.value != c.second {
			return stage.Usage("--%s: %q is not %s or %s", c.flag, c.value, c.first, c.second)
		}
		*c.to = c.value == c.second
	}
	switch f.csvTime {
	case "instructions":
	case "exact":
		f.opts.TimeIsExact = true
	case "rows":
		f.opts.TimeIsRows = true
	default:
		return stage.Usage("--csv-time: %q is not instructions, exact or rows", f.csvTime)
	}
	return f.checkNumbers()
}

// checkNumbers does the same for numbers and columns.
func (f *importFlags) checkNumbers() (err error) {
	if f.defaultSize < 0 || f.defaultSize > 65535 {
		return stage.Usage("--default-size: %d is not from 1 to 65535", f.defaultSize)
	}
	if f.addrBase != 10 && f.addrBase != 16 {
		return stage.Usage("--addr-base: %d is not 10 or 16", f.addrBase)
	}
	f.opts.DefaultSize, f.opts.AddrBase, f.opts.Set = uint16(f.defaultSize), f.addrBase, f.set
	if f.columns != "" {
		if f.importer == nil { // only csv has columns without names
			f.importer = registry.CSVImporter
		}
		if f.opts.Columns, err = registry.ParseColumns(f.columns); err != nil {
			return stage.Usage("--columns: %w", err)
		}
	}
	return nil
}

// describe groups the flags of import and completes their values. The pages of formats show the flags of one format.
func (f *importFlags) describe(cmd *cobra.Command) {
	flags := cmd.Flags()
	stage.Group(flags, "Input", "from", "set", "program")
	stage.Group(flags, "Output", "output", "archive")
	stage.Group(flags, "Contents", "modify", "ifetch", "default-size", "pc", "unmatched")
	for flag, formats := range formatFlags {
		stage.ShowOnlyIn(flags, formats[0], flag)
	}
	for flag, values := range map[string][]string{"modify": {"split", "load", "store"}, "ifetch": {"keep", "drop"}, "unmatched": {"error", "note"},
		"lackey-atomics": {"keep", "collapse"}, "lackey-summary": {"check", "ignore"}, "addr-base": {"10", "16"}, "csv-time": {"instructions", "exact", "rows"}} {
		stage.Complete(cmd, flag, func() []string { return values })
	}
	stage.Complete(cmd, "from", importers)
	stage.Complete(cmd, "set", func() []string { return settingsOf(f.from) })
}

// formatFlags lists the flags that only some formats use, with these formats.
var formatFlags = map[string][]string{
	"lackey-atomics": {"lackey"},
	"lackey-summary": {"lackey"},
	"columns":        {"csv"},
	"csv-time":       {"csv"},
	"addr-base":      {"csv", "pinatrace"},
}

// importFlags are the flags of import, before they are checked.
type importFlags struct {
	from, output, program   string
	modify, ifetch, atomics string
	summary                 string
	columns, csvTime        string
	defaultSize, addrBase   int
	opts                    format.Options
	unmatched               string
	archive                 bool
	set                     map[string]string
	given                   []string        // names of the flags that were given
	importer                format.Importer // of --from, or nil
}
