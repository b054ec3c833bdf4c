package format

import (
	"fmt"
	"strconv"

	"spoor/traces/trace"
)

// countSetting is the setting of formats whose records have an order across
// processors and no counts of instructions.
func countSetting(records string) Setting {
	return Setting{countBy, "own", "when read: instructions are counted of each processor (own), or of all together (all), which keeps the order of the " + records + " across processors"}
}

// countTogether reports whether instructions are counted of all processors together.
func countTogether(f Tunable, o Options) (bool, error) {
	how := o.Setting(f, countBy)
	if how != "own" && how != "all" {
		return false, badSetting("%s=%s: instructions are counted of each processor or of all; choose own or all", countBy, how)
	}
	return how == "all", nil
}

// fetching is what a processor's instructions are: its fetches, and what it did before
// the first of them.
type fetching struct {
	fetches bool   // it has made an instruction fetch
	before  uint64 // references before the first one
}

// step is the number of the instruction that a record of the processor is of, given
// that of its record before. It counts those of all processors, too.
func (f *fetching) step(op trace.Op, own uint64, all *uint64, together bool) uint64 {
	isFetch := op == trace.Ifetch
	if f.fetches && !isFetch {
		return own // a part of the instruction that it has fetched
	}
	if f.fetches = isFetch; !isFetch {
		f.before++
	}
	if *all++; together {
		return *all
	}
	return own + 1
}

// counting is how an import counts instructions, for its notes.
type counting struct {
	proc, ref, records string // what the format has
	but                string // exception to what is one instruction
	together           bool
}

// instructionNotes say what counts as an instruction of each processor, and what
// becomes of the order across them.
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
		notes = append(notes, fmt.Sprintf("no instruction fetches: every %s of a %s counts as one instruction of it%s", c.ref, c.proc, c.but))
	case len(without) == len(all):
		notes = append(notes, fmt.Sprintf("no instruction fetches: every %s counts as one instruction%s", c.ref, c.but))
	case len(without) > 0:
		which := "processor " + without[0]
		if len(without) > 1 {
			which = "processors " + listed(without)
		}
		notes = append(notes, fmt.Sprintf("no instruction fetches of %s: every %s there counts as one instruction%s", which, c.ref, c.but))
	}
	if before > 0 {
		notes = append(notes, fmt.Sprintf("%s before the first instruction fetch of their %s counted as one instruction each%s", plural(int(before), c.ref), c.proc, c.but))
	}
	switch {
	case len(all) < 2:
	case c.together:
		notes = append(notes, fmt.Sprintf("instructions are counted of all processors together, so that merging keeps the order of the %s: those of one include what others did", c.records))
	default:
		notes = append(notes, fmt.Sprintf("every processor counts its own instructions: the order of %s of different processors is lost; --set %s=all keeps it, with counts of all together", c.records, countBy))
	}
	return notes
}
