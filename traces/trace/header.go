package trace

import (
	"strconv"
	"strings"

	"spoor/traces/unit"
)

// WorkUnit is what the amounts of Compute events are counted in.
type WorkUnit string

// The units of work.
const (
	WorkInstr WorkUnit = "instr"
	WorkPicos WorkUnit = "ps"
	WorkFlop  WorkUnit = "flop"
)

// Arg is one argument of the program that was traced.
type Arg struct{ Key, Value string }

// Header is what a trace says of itself. It holds no clock, host or path, so that
// the same input gives the same bytes.
type Header struct {
	Program  string   // kernel ("fft"), or the traced command ("gzip -1 -c")
	Format   string   // what made it: "spmd", or the foreign format it was imported from
	Args     []Arg    // in the order they are shown
	Procs    int      // processors 0 .. Procs-1
	Seed     uint64   // of the program's own randomness
	Rule     string   // how the order between processors was decided while recording
	WorkUnit WorkUnit // of Compute events
	Inputs   []string // SHA-256 of each file it was made from, in hexadecimal
	Tool     string   // name and version of the command that wrote it
	Notes    []string // what was guessed, tolerated or dropped on the way
	Regions  []Region // named arrays of the program, in the order of their first use
	HasPC    bool     // references carry PC
	HasTime  bool     // events carry Time
}

// Title names the program with its arguments, for tables and plots: "fft points=65536".
func (h Header) Title() string {
	parts := []string{h.Program}
	for _, a := range h.Args {
		parts = append(parts, a.Key+"="+a.Value)
	}
	return strings.Join(parts, " ")
}

// samplePrefix begins the note of a trace that is a sample.
const samplePrefix = "a sample: "

// SampleNote is the note of a trace that has some of its program's references, and
// says which.
func SampleNote(which string) string { return samplePrefix + which }

// Sample says which of its program's references the trace has, by the notes of it and
// of the traces that it was merged from ("trace 1: a sample: ..."), or "" if all.
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

// SampleWarning is what users of results must know of a trace that is a sample, or "".
func (h Header) SampleWarning() string {
	if which := h.Sample(); which != "" {
		return "the trace is a sample (" + which + "): rates, footprints, distances and times of its references are those of the sample, not of the program"
	}
	return ""
}

// SampleSource is what the source of a parameter says more of a trace that is a sample, or "".
func (h Header) SampleSource() string {
	if which := h.Sample(); which != "" {
		return ", " + SampleNote(which)
	}
	return ""
}

// Totals counts what one processor did.
type Totals struct {
	Instr  unit.Instructions
	Refs   uint64
	Events uint64
}
