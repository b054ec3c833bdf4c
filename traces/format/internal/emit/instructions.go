package emit

import (
	"fmt"
	"strconv"

	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// CountBy is the name of the setting.
const CountBy = "count"

// CountSetting returns the setting of formats whose records are ordered across
// processors but have no instruction counts.
func CountSetting(records string) format.Setting {
	return format.Setting{Name: CountBy, Default: "own", Doc: "when read: instruction counts: own (each processor counts its own) or all (one count of all processors, which keeps the order of the " + records + " across processors)"}
}

// CountTogether reports whether all processors share one instruction count.
func CountTogether(f format.Format, o format.Options) (bool, error) {
	how := o.Setting(f, CountBy)
	if how != "own" && how != "all" {
		return false, format.BadSetting("%s=%s: choose own or all", CountBy, how)
	}
	return how == "all", nil
}

// Fetching records how a processor counts instructions: its fetches, and its references
// before the first of them.
type Fetching struct {
	Fetches bool   // it has fetched an instruction
	before  uint64 // references before the first one
}

// Step returns the instruction number of a processor's record, given the number of its
// previous record. It also updates the count of all processors.
func (f *Fetching) Step(op trace.Op, own uint64, all *uint64, together bool) uint64 {
	isFetch := op == trace.Ifetch
	if f.Fetches && !isFetch {
		return own // a part of the fetched instruction
	}
	if f.Fetches = isFetch; !isFetch {
		f.before++
	}
	if *all++; together {
		return *all
	}
	return own + 1
}

// Counting describes how an import counts instructions, for its notes.
type Counting struct {
	Proc, Ref, Records string // the format's names
	But                string // exception to the rule for one instruction
	Together           bool
}

// InstructionNotes describes what counts as an instruction of each processor, and
// whether the order across processors is kept.
func InstructionNotes(all []Fetching, first int, c Counting) (notes []string) {
	var without []string
	var before uint64
	for i, f := range all {
		if f.Fetches {
			before += f.before
		} else {
			without = append(without, strconv.Itoa(first+i))
		}
	}
	switch {
	case len(without) == len(all) && len(all) > 1:
		notes = append(notes, fmt.Sprintf("no instruction fetches: every %s of a %s counts as one of its instructions%s", c.Ref, c.Proc, c.But))
	case len(without) == len(all):
		notes = append(notes, fmt.Sprintf("no instruction fetches: every %s counts as one instruction%s", c.Ref, c.But))
	case len(without) > 0:
		which := "processor " + without[0]
		if len(without) > 1 {
			which = "processors " + input.Listed(without)
		}
		notes = append(notes, fmt.Sprintf("no instruction fetches of %s: each %s there counts as one instruction%s", which, c.Ref, c.But))
	}
	if before > 0 {
		notes = append(notes, fmt.Sprintf("%s before the first instruction fetch of their %s counted as one instruction each%s", input.Plural(int(before), c.Ref), c.Proc, c.But))
	}
	switch {
	case len(all) < 2:
	case c.Together:
		notes = append(notes, fmt.Sprintf("all processors share one instruction count, so that merging keeps the order of the %s", c.Records))
	default:
		notes = append(notes, fmt.Sprintf("every processor counts its own instructions, so the order of %s of different processors is lost; --set %s=all keeps it, with one count of all", c.Records, CountBy))
	}
	return notes
}
