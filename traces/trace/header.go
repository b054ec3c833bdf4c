package trace

import (
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

// Totals counts what one processor did.
type Totals struct {
	Instr  unit.Instructions
	Refs   uint64
	Events uint64
}
