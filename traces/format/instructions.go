package format

import (
	"fmt"
	"strconv"

	"spoor/traces/trace"
)

// countSetting returns the setting of formats whose records are ordered across
// processors but have no instruction counts.
func countSetting(records string) Setting {
	return Setting{countBy, "own", "when read: instruction counts: own (each processor counts its own) or all (one count of all processors, which keeps the order of the " + records + " across processors)"}
}

// countTogether reports whether all processors share one instruction count.
func countTogether(f SettingsLister, o Options) (bool, error) {
	how := o.Setting(f, countBy)
	if how != "own" && how != "all" {
		return false, badSetting("%s=%s: choose own or all", countBy, how)
	}
	return how == "all", nil
}

// fetching records how a processor counts instructions: its fetches, and its references
// before the first of them.
type fetching struct {
	fetches bool   // it has fetched an instruction
	before  uint64 // references before the first one
}

// step returns the instruction number of a processor's record, given the number of its
// previous record. It also updates the count of all processors.
func (f *fetching) step(op trace.Op, own uint64, all *uint64, together bool) uint64 {
	isFetch := op == trace.Ifetch
	if f.fetches && !isFetch {
		return own // a part of the fetched instruction
	}
	if f.fetches = isFetch; !isFetch {
		f.before++
	}
	if *all++; together {
		return *all
	}
	return own + 1
}

// counting describes how an import counts instructions, for its notes.
type counting struct {
	proc, ref, records string // the format's names
	but                string // exception to the rule for one instruction
	together           bool
}

// instructionNotes describes what counts as an instruction of each processor, and
// whether the order across processors is kept.
func instructionNotes(all []fetching, first int, c counting) (notes []string) {
	var without []string
	var before uint64
	for i, f := range all {
		if f.fetches {
			before += f.before
		} else {
			without = append(without, strconv.Itoa(first+i))
		}
	}
	switch {
	case len(without) == len(all) && len(all) > 1:
		notes = append(notes, fmt.Sprintf("no instruction fetches: every %s of a %s counts as one of its instructions%s", c.ref, c.proc, c.but))
	case len(without) == len(all):
		notes = append(notes, fmt.Sprintf("no instruction fetches: every %s counts as one instruction%s", c.ref, c.but))
	case len(without) > 0:
		which := "processor " + without[0]
		if len(without) > 1 {
			which = "processors " + listed(without)
		}
		notes = append(notes, fmt.Sprintf("no instruction fetches of %s: each %s there counts as one instruction%s", which, c.ref, c.but))
	}
	if before > 0 {
		notes = append(notes, fmt.Sprintf("%s before the first instruction fetch of their %s counted as one instruction each%s", plural(int(before), c.ref), c.proc, c.but))
	}
	switch {
	case len(all) < 2:
	case c.together:
		notes = append(notes, fmt.Sprintf("all processors share one instruction count, so that merging keeps the order of the %s", c.records))
	default:
		notes = append(notes, fmt.Sprintf("every processor counts its own instructions, so the order of %s of different processors is lost; --set %s=all keeps it, with one count of all", c.records, countBy))
	}
	return notes
}
