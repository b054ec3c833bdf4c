// Package format reads and writes foreign trace formats: one file each, one list.
//
// An importer recognises its format, parses it, and says where bad input is; the
// invariants of traces are package trace's. Compressed input is recognised by its
// first bytes, never by its name (containers), and is decompressed on another
// goroutine, so that parsing overlaps with it.
//
// Text may have carriage returns, a byte order mark, blanks at the ends of lines
// and no line end after the last line; each such oddity is one note. UTF-16, NUL
// bytes and lines over 1 MiB are errors. Every error names file and line, or file,
// record and offset, quotes at most 60 characters of the text, and says what to do.
package format

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"spoor/traces/trace"
)

// All lists every format, in the order of `traces formats`.
var All = []Format{Lackey{}, Din{}, XDin{}, D4Bin{}, CacheLib{}, CSV{}, ChampSim{}, Drmemtrace{}, Pinatrace{}, Gem5{}, SynchroTrace{}, Sift{}, OracleGeneral{}, LibCacheSimCSV{}, Twitter{}, Goal{}, SimGridTI{}, Paraver{}, Chakra{}, Chrome{}, OTF2{}, OTF2Print{}, Dumpi{}}

// Format is a foreign trace format; it is an Importer, an Exporter, or both.
type Format interface {
	Name() string        // what --from and --to take
	Description() string // one line for people
	Magic() string       // how the format is recognised, one line for people
}

// Importer reads a format.
type Importer interface {
	Format
	// Sniff judges the first bytes of decompressed input; a line may be cut at
	// their end.
	Sniff(head []byte) Verdict
	// Import parses all of in and feeds sink. It is called once per input.
	Import(in *Input, o Options, sink Sink) (Result, error)
}

// Joint is implemented by importers for which several files can be one trace, such
// as a file for each rank or thread. Their Import is ImportFiles of one file.
type Joint interface {
	Importer
	// Expand lists the files of the trace in a folder, in order, or nothing if the
	// folder holds no trace of this format.
	Expand(dir string) ([]string, error)
	// ImportFiles parses all files, which are one trace, and feeds sink.
	ImportFiles(files *Files, o Options, sink Sink) (Result, error)
}

// Layout fixes the optional columns of a trace and the unit of its work, which
// must be known before it is read.
type Layout struct {
	PC   bool           // references carry the address of their instruction
	Time bool           // events carry the time at which they were recorded
	Work trace.WorkUnit // of Compute events
}

// Shaped is implemented by importers whose traces have another layout than
// Layout{Work: trace.WorkInstr}.
type Shaped interface{ Layout(o Options) Layout }

// LayoutOf is the layout of what im imports.
func LayoutOf(im Importer, o Options) Layout {
	if shaped, ok := im.(Shaped); ok {
		return shaped.Layout(o)
	}
	return Layout{Work: trace.WorkInstr}
}

// Setting is an option of one format, which users give as --set name=value. One
// that only importers or only exporters look at has a Doc that begins with "when
// read" or "when written".
type Setting struct{ Name, Default, Doc string }

// has says whether import (reading) or export looks at s.
func (s Setting) has(reading bool) bool {
	if reading {
		return !strings.HasPrefix(s.Doc, "when written")
	}
	return !strings.HasPrefix(s.Doc, "when read")
}

// SettingError is a value that a setting cannot have.
type SettingError struct{ error }

// Unwrap is what is wrong with the value.
func (e *SettingError) Unwrap() error { return e.error }

// badSetting is a SettingError about "name=value: why".
func badSetting(format string, args ...any) error {
	return &SettingError{fmt.Errorf("--set "+format, args...)}
}

// Tunable is implemented by formats with settings.
type Tunable interface{ Settings() []Setting }

// Part is a column, a label or a kind of line of a format, and what import takes there, one line for people.
type Part struct{ Name, Doc string }

// Explained is implemented by formats whose lines people write themselves, or would have to look up.
type Explained interface{ Parts() []Part }

// Aliased is implemented by formats that people know by other names too.
type Aliased interface{ Aliases() []string }

// Exporter writes a format.
type Exporter interface {
	Format
	// Export writes src to w and returns what the format could not express.
	Export(src trace.Source, o ExportOptions, w io.Writer) (notes []string, err error)
	// Loses says what of a trace the format cannot express, one line for people.
	Loses() string
}

// Threaded is implemented by formats that say themselves which thread made a
// reference; a file of any other format is one processor.
type Threaded interface{ Threaded() }

// Sink takes a trace as it is parsed; store.Writer is one. It keeps nothing of
// its arguments.
type Sink interface {
	Refs(b *trace.Refs) error
	Events(b *trace.Events) error
}

// Result is what an importer learned besides references and events.
type Result struct {
	Program string   // the traced command, or "" when the input does not say
	Procs   int      // processors are numbered from Options.FirstProc
	Lines   uint64   // lines or records read
	Rule    string   // what decided the order between processors, or ""
	Notes   []string // what was guessed, tolerated or dropped
	Facts   []string // what readers of the trace may want to know, but is no surprise
	Counts  []Count  // what the input holds, by the format's own names
}

// Count is how many records of one name an input has.
type Count struct {
	Name string // "isend", "INSTR", "markers"
	N    uint64
}

// Modify says what becomes of an instruction that loads and stores one place.
type Modify uint8

// The ways to store a modify.
const (
	ModifySplit Modify = 1 + iota // a load, then a store
	ModifyLoad                    // the load alone
	ModifyStore                   // the store alone
)

// ParseModify reads the value of --modify.
func ParseModify(s string) (Modify, error) {
	switch s {
	case "split":
		return ModifySplit, nil
	case "load":
		return ModifyLoad, nil
	case "store":
		return ModifyStore, nil
	case "keep":
		return 0, fmt.Errorf("a trace has loads and stores but no modify; use split (load, then store), load or store")
	}
	return 0, fmt.Errorf("%q is not split, load or store", s)
}

// Options are what the user can ask of importers. The zero value of a field is
// the default.
type Options struct {
	FirstProc       trace.Proc        // number of the first processor of this input
	Modify          Modify            // 0 is ModifySplit
	DropIfetch      bool              // leave instruction fetches out; they still count as instructions
	DefaultSize     uint16            // of references without a size; 0 is the format's own default
	CollapseAtomics bool              // lackey: a load directly before a modify of the same bytes is part of it
	IgnoreSummary   bool              // lackey: accept a summary that counts other instructions than the trace has
	Columns         []string          // csv: meaning of the columns, instead of a header
	AddrBase        int               // csv, pinatrace: base of addresses without 0x: 10 (also 0) or 16
	TimeIsRows      bool              // csv: ignore the time column, every row is one instruction
	PC              bool              // store the address of the instruction with each reference, where the format has it
	Unmatched       bool              // accept messages without a partner; they are noted
	Set             map[string]string // settings of the format (Tunable), those that were given
}

// Setting is the value of one of f's settings: what was given, or its default. It
// panics if f has no such setting.
func (o Options) Setting(f Tunable, name string) string { return setting(f, o.Set, name) }

// ExportOptions are what the user can ask of exporters.
type ExportOptions struct {
	Simulated *Simulated        // for timelines: what else is known, if times are of a simulation
	Procs     []trace.Proc      // processors to write; nil means all
	Set       map[string]string // settings of the format (Tunable), those that were given
}

// Setting is the value of one of f's settings: what was given, or its default. It
// panics if f has no such setting.
func (o ExportOptions) Setting(f Tunable, name string) string { return setting(f, o.Set, name) }

func setting(f Tunable, given map[string]string, name string) string {
	for _, s := range f.Settings() {
		if s.Name == name {
			if v, ok := given[name]; ok {
				return v
			}
			return s.Default
		}
	}
	panic("format: no setting " + name)
}

// CheckReading makes sure that importing f looks at all settings that were given.
func CheckReading(f Importer, given map[string]string) error {
	return checkSettings(f, given, true, "when it is read")
}

// CheckWriting makes sure that exporting f looks at all settings that were given.
func CheckWriting(f Exporter, given map[string]string) error {
	return checkSettings(f, given, false, "when it is written")
}

func checkSettings(f Format, given map[string]string, reading bool, when string) error {
	var known []string
	if t, ok := f.(Tunable); ok {
		for _, s := range t.Settings() {
			if s.has(reading) {
				known = append(known, s.Name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if len(known) == 0 {
			return fmt.Errorf("%s has no settings %s", f.Name(), when)
		}
		if !slices.Contains(known, name) {
			return fmt.Errorf("%s has no setting %q %s; it has %s", f.Name(), name, when, strings.Join(known, ", "))
		}
	}
	return nil
}

// ByName finds the format called name, in any case.
func ByName(name string) (Format, error) {
	f := find(name)
	if f == nil {
		return nil, fmt.Errorf("there is no format %q; formats are %s", name, names(All))
	}
	return f, nil
}

// find is the format called name, or nil.
func find(name string) Format {
	for _, f := range All {
		called := []string{f.Name()}
		if a, ok := f.(Aliased); ok {
			called = append(called, a.Aliases()...)
		}
		if slices.ContainsFunc(called, func(s string) bool { return strings.EqualFold(s, name) }) {
			return f
		}
	}
	return nil
}

// ImporterByName finds the format called name and makes sure that it can be read.
func ImporterByName(name string) (Importer, error) {
	if im, ok := find(name).(Importer); ok {
		return im, nil
	}
	return nil, fmt.Errorf("no format %q can be read; formats that can are %s", name, names(able[Importer]()))
}

// ExporterByName finds the format called name and makes sure that it can be written.
func ExporterByName(name string) (Exporter, error) {
	if ex, ok := find(name).(Exporter); ok {
		return ex, nil
	}
	return nil, fmt.Errorf("no format %q can be written; formats that can are %s", name, names(able[Exporter]()))
}

// able lists the formats that are also an F.
func able[F Format]() (some []F) {
	for _, f := range All {
		if one, ok := f.(F); ok {
			some = append(some, one)
		}
	}
	return some
}

func names[F Format](formats []F) string {
	var all []string
	for _, f := range formats {
		all = append(all, f.Name())
	}
	return strings.Join(all, ", ")
}
