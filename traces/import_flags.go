package main

import (
	"slices"

	"spoor/traces/format"
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
		if f.importer, err = format.ImporterByName(f.from); err != nil {
			return stage.Usage("--from: %w", err)
		}
		f.from = f.importer.Name()
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
		{&f.opts.TimeIsRows, "csv-time", f.csvTime, "instructions", "rows"},
		{&f.opts.Unmatched, "unmatched", f.unmatched, "error", "note"},
	} {
		if c.value != c.first && c.value != c.second {
			return stage.Usage("--%s: %q is not %s or %s", c.flag, c.value, c.first, c.second)
		}
		*c.to = c.value == c.second
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
		if f.opts.Columns, err = format.ParseCSVColumns(f.columns); err != nil {
			return stage.Usage("--columns: %w", err)
		}
	}
	return nil
}
