// Package kind describes an analysis to the command analyze and to generated pages. The package of
// each analysis has one [Kind], and package registry lists them.
package kind

import (
	"slices"

	"github.com/spf13/pflag"

	"spoor/analyze/analysis"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Kind is an analysis that --run can name.
type Kind struct {
	Name   string
	Help   string // the help page: a line for lists, the text, then examples below "Examples:"
	Tables string // its tables and parameters, as the head of predict/internal/reference/tables.txt describes
	Topics []Topic

	Subject      Subject
	OnRequest    bool       // runs only if --run names it
	AsksMessages bool       // the result says whether the program passes messages
	NamesMemory  bool       // the result names memory by the regions of the trace
	KeepsAll     bool       // the state of all processors exists at once in program order too
	PerProc      unit.Bytes // memory for each processor of the interleaved order, roughly, if each uses few lines

	// Memory returns the memory that processors with some events in all need at least; nil: little.
	Memory func(procs int, events uint64) unit.Bytes

	Flags   func(*pflag.FlagSet) // adds its own flags; nil if it has none
	Shares  []string             // flags that it shares with other analyses, which add them
	Needs   map[string]string    // flags that have an effect only with another flag: that flag, or several, one of which is enough
	Renamed map[string]string    // old names of flags, which still work, with their present names
	Values  map[string][]string  // values of flags that the shell completes

	Build    func(*Request) (analysis.Analysis, error) // its errors are about flags
	Variants []Variant
}

// Subject is the part of a trace that an analysis needs.
type Subject uint8

// The subjects.
const (
	References Subject = iota
	Messages           // of events only
	Time               // of instructions and events; references may be missing
)

// Topic is a help page beside the page of the analysis.
type Topic struct {
	Name, Help string
	Flags      []string // of the page
	Needing    string   // a flag: the page also has this flag and all that need it, and the page of the analysis does not have these
	Title      string   // above Main
	Main       []string // flags that the help of the command analyze shows, too
}

// Variant is a way to run the analysis that uses other rows of a trace.
type Variant struct {
	Name        string
	Flag, Value string
}

// AddTo adds the flags of the analysis to all and returns their names.
func (k *Kind) AddTo(all *pflag.FlagSet) (names []string) {
	if k.Flags == nil {
		return nil
	}
	own := pflag.NewFlagSet(k.Name, pflag.ContinueOnError)
	k.Flags(own)
	own.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	all.AddFlagSet(own)
	return names
}

// Request is what analyses are built from.
type Request struct {
	Header      trace.Header
	Digest      string       // of the trace
	Name        string       // of the trace
	Events      trace.Source // the trace, for analyses that read its events again; nil if it is not available
	Procs       []trace.Proc // processors to analyze, nil for all
	Interleaved bool         // measure the interleaved order too
	Messages    *bool        // the trace passes messages; nil if that is unknown

	Run    []string       // the analyses that run
	Flags  *pflag.FlagSet // of all analyses
	Lines  []unit.Bytes   // ascending
	Refs   trace.OpSet    // references whose lines are measured; zero: the default of each analysis
	First  unit.Bytes     // the line size that was given first
	Meta   []trace.Arg    // metadata of every table
	Source string         // source of parameters: name and digest of the trace, and whether it is a sample
	Tool   string         // the program that writes the results

	shared map[any]any
}

// Runs reports whether the analysis of this name runs.
func (r *Request) Runs(name string) bool { return slices.Contains(r.Run, name) }

// Shared returns the A that several analyses of a request use. The first call makes it.
func Shared[A any](r *Request, create func() *A) *A {
	key := (*A)(nil)
	if a, made := r.shared[key]; made {
		return a.(*A)
	}
	if r.shared == nil {
		r.shared = map[any]any{}
	}
	a := create()
	r.shared[key] = a
	return a
}
