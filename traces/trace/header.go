package trace

import (
	"strconv"
	"strings"

	"spoor/traces/unit"
)

// WorkUnit is the unit of the Work of Compute events.
type WorkUnit string

// The units of work.
const (
	WorkInstr WorkUnit = "instr"
	WorkPicos WorkUnit = "ps"
	WorkFlop  WorkUnit = "flop"
)

// Arg is one argument of the program that was traced.
type Arg struct{ Key, Value string }

// Header describes a trace. It holds no date, host or path: the same input gives
// the same bytes.
type Header struct {
	Program  string   // kernel ("fft"), or the traced command ("gzip -1 -c")
	Format   string   // origin: "spmd", or the foreign format that was imported
	Args     []Arg    // arguments of the program, in the order of display
	Procs    int      // number of processors, which are 0 .. Procs-1
	Seed     uint64   // seed of the program's own random numbers
	Rule     string   // rule that ordered the processors while recording
	WorkUnit WorkUnit // unit of the Work of Compute events
	Inputs   []string // SHA-256 of each input file, in hexadecimal
	Tool     string   // name and version of the command that wrote the trace
	Notes    []string // values that the import guessed, tolerated or dropped
	Regions  []Region // named arrays of the program, in the order of first use
	HasPC    bool     // references carry PC
	HasTime  bool     // events carry Time

	Unrecorded Unrecorded `json:",omitzero"` // what the recording lacks of the program
}

// Title returns the program and its arguments, for tables and plots: "fft points=65536".
func (h Header) Title() string {
	parts := []string{h.Program}
	for _, a := range h.Args {
		parts = append(parts, a.Key+"="+a.Value)
	}
	return strings.Join(parts, " ")
}

// samplePrefix begins the note of a trace that is a sample, and sampleFact that fact in a source.
const (
	samplePrefix = "a sample: "
	sampleFact   = ", " + samplePrefix
)

// SampleNote returns the note of a trace that has only some of its program's
// references. The argument describes which ones.
func SampleNote(which string) string { return samplePrefix + which }

// Sample describes which of its program's references the trace has, or returns "" if
// it has all. It reads the notes of the trace, which include those of the traces that
// were merged into it ("trace 1: a sample: ...").
func (h Header) Sample() string {
	var all []string
	for _, note := range h.Notes {
		of, rest := "", note
		for !strings.HasPrefix(rest, samplePrefix) {
			n, more, found := strings.Cut(rest, ": ")
			number, is := strings.CutPrefix(n, "trace ")
			if _, err := strconv.Atoi(number); !found || !is || err != nil {
				break
			}
			of, rest = of+n+": ", more
		}
		if which, is := strings.CutPrefix(rest, samplePrefix); is {
			all = append(all, of+which)
		}
	}
	return strings.Join(all, "; ")
}

// sampleWarning returns the warning for results of a trace that is a sample.
func sampleWarning(which string) string {
	return "the trace is a sample (" + which + "): its rates, footprints, distances and times are not those of the whole program"
}

// Totals counts what one processor did.
type Totals struct {
	Instr  unit.Instructions
	Refs   uint64
	Events uint64
}
