// Package format says what a foreign trace format is: its Info, its Importer and its
// Exporter. The public package format lists the formats and recognises them. Each format
// or family is a package below it.
//
// An importer recognises its format, parses it, and reports where bad input is. Package
// trace checks the invariants of traces. Compressed input is recognised by its first
// bytes, not by its name. Another goroutine decompresses it, so that
// parsing overlaps.
//
// Text may have carriage returns, a byte order mark, blanks at the ends of lines and no
// line end after the last line; each kind of oddity is one note. UTF-16, NUL bytes and
// lines over 1 MiB are errors. An error gives the file and line, or the file, record
// and offset. It quotes at most 60 characters of the text, and says what to do.
package format

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// Format is a foreign trace format; it is an Importer, an Exporter, or both.
type Format interface{ Info() Info }

// Info describes a format, for users and for the stages.
type Info struct {
	Name     string   // the value of --from and --to
	Aliases  []string // further names
	Doc      string   // one line
	Magic    string   // how the format is recognised, one line
	Threaded bool     // files name the thread of each reference; if false, a file is one processor

	PC   bool           // references carry the address of their instruction, if Options.PC is set
	Time bool           // events carry their recorded time
	Work trace.WorkUnit // of Compute events; 0 is trace.WorkInstr

	Example string // lines "  $ COMMAND" that import or export it, which a test runs
	Use     string // how to import what only another tool can write, if there is no example

	Parts    []Part    // columns, labels or kinds of lines that users write or look up
	Settings []Setting // options of the format alone
	Loses    string    // what an Exporter cannot express, one line

	// SniffNames is Sniff for a file that only names other files, or nil.
	SniffNames func(in *input.Input, head []byte) Verdict
}

// Importer reads a format.
type Importer interface {
	Format
	// Sniff judges the first bytes of decompressed input. The last line may be
	// truncated.
	Sniff(head []byte) Verdict
	// Import parses all of in and passes it to sink. It is called once per input.
	Import(in *input.Input, o Options, sink Sink) (Result, error)
}

// MultiFileImporter is implemented by importers that read several files as one trace,
// such as a file for each rank or thread. Their Import is ImportFiles of one file.
type MultiFileImporter interface {
	Importer
	// Expand lists the files of the trace in a folder, in order. It returns nothing if
	// the folder holds no trace of this format.
	Expand(dir string) ([]string, error)
	// ImportFiles parses all files as one trace and passes it to sink.
	ImportFiles(files *input.Files, o Options, sink Sink) (Result, error)
}

// ImportOne is Import of a MultiFileImporter.
func ImportOne(im MultiFileImporter, in *input.Input, o Options, sink Sink) (Result, error) {
	return im.ImportFiles(input.FilesOf(in), o, sink)
}

// Layout gives the optional columns of a trace and the unit of its work. They must be
// known before the trace is read.
type Layout struct {
	PC   bool           // references carry the address of their instruction
	Time bool           // events carry their recorded time
	Work trace.WorkUnit // of Compute events
}

// LayoutOf returns the layout of the traces that im imports.
func LayoutOf(im Importer, o Options) Layout {
	i := im.Info()
	return Layout{PC: i.PC && o.PC, Time: i.Time, Work: cmp.Or(i.Work, trace.WorkInstr)}
}

// Setting is an option of one format, which users give as --set name=value. If only
// importers or only exporters use it, its Doc begins with "when read" or "when
// written".
type Setting struct{ Name, Default, Doc string }

// has reports whether import (reading) or export uses s.
func (s Setting) has(reading bool) bool {
	if reading {
		return !strings.HasPrefix(s.Doc, "when written")
	}
	return !strings.HasPrefix(s.Doc, "when read")
}

// SettingError reports an invalid value of a setting.
type SettingError struct{ error }

// Unwrap returns what is wrong with the value.
func (e *SettingError) Unwrap() error { return e.error }

// BadSetting returns a SettingError of the form "name=value: why".
func BadSetting(format string, args ...any) error {
	return &SettingError{fmt.Errorf("--set "+format, args...)}
}

// Part is a column, a label or a kind of line of a format. Doc says in one line what
// import accepts there.
type Part struct{ Name, Doc string }

// Exporter writes a format.
type Exporter interface {
	Format
	// Export writes src to w and returns notes on what the format could not express.
	Export(src trace.Source, o ExportOptions, w io.Writer) (notes []string, err error)
}

// Sink receives a trace while it is parsed, such as store.Writer. It must not keep its
// arguments.
type Sink interface {
	Refs(b *trace.Refs) error
	Events(b *trace.Events) error
}

// Result is what an importer learned besides references and events.
type Result struct {
	Program string   // the traced command, or "" if unknown
	Procs   int      // processors are numbered from Options.FirstProc
	Lines   uint64   // lines or records read
	Rule    string   // what determines the order between processors, or ""
	Notes   []string // guesses, tolerated oddities and omissions
	Facts   []string // properties of the trace that need no message
	Counts  []Count  // amounts in the input, by the format's own names
}

// Count is the number of records with a name.
type Count struct {
	Name string // "isend", "INSTR", "markers"
	N    uint64
}

// Modify selects how to store an instruction that loads and stores the same address.
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
		return 0, fmt.Errorf("a trace cannot store a modify; use split (load, then store), load or store")
	}
	return 0, fmt.Errorf("%q is not split, load or store", s)
}

// Options are the user's options of an import. The zero value of a field is the
// default.
type Options struct {
	FirstProc       trace.Proc        // number of the first processor of this input
	Modify          Modify            // 0 is ModifySplit
	DropIfetch      bool              // omit instruction fetches; they still count as instructions
	DefaultSize     uint16            // of references without a size; 0 is the format's own default
	CollapseAtomics bool              // lackey: merge a load directly before a modify of the same bytes into it
	IgnoreSummary   bool              // lackey: accept a summary with another instruction count than the trace
	Columns         []string          // csv: meaning of the columns, instead of a header
	AddrBase        int               // csv, pinatrace: base of addresses without 0x: 10 (also 0) or 16
	TimeIsRows      bool              // csv: ignore the time column; every row is one instruction
	TimeIsExact     bool              // csv: neither shift nor limit times
	PC              bool              // store the address of the instruction with each reference, if the format has it
	Unmatched       bool              // accept messages without a partner, with notes
	Set             map[string]string // the given settings of the format
}

// Setting returns the value of one of f's settings: the given value, or the default. It
// panics if f has no such setting.
func (o Options) Setting(f Format, name string) string { return SettingValue(f, o.Set, name) }

// ExportOptions are the user's options of an export.
type ExportOptions struct {
	Simulated *Simulated        // for timelines of a simulation: what is known besides the events
	Procs     []trace.Proc      // processors to write; nil means all
	Set       map[string]string // the given settings of the format
}

// Setting returns the value of one of f's settings: the given value, or the default. It
// panics if f has no such setting.
func (o ExportOptions) Setting(f Format, name string) string {
	return SettingValue(f, o.Set, name)
}

// SettingValue returns the given value of a setting of f, or its default.
func SettingValue(f Format, given map[string]string, name string) string {
	for _, s := range f.Info().Settings {
		if s.Name == name {
			if v, ok := given[name]; ok {
				return v
			}
			return s.Default
		}
	}
	panic("format: no setting " + name)
}

// CheckReading checks that importing f uses all given settings.
func CheckReading(f Importer, given map[string]string) error {
	return checkSettings(f, given, true, "for import")
}

// CheckWriting checks that exporting f uses all given settings.
func CheckWriting(f Exporter, given map[string]string) error {
	return checkSettings(f, given, false, "for export")
}

func checkSettings(f Format, given map[string]string, reading bool, when string) error {
	var known []string
	for _, s := range f.Info().Settings {
		if s.has(reading) {
			known = append(known, s.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if len(known) == 0 {
			return fmt.Errorf("%s has no settings %s", f.Info().Name, when)
		}
		if !slices.Contains(known, name) {
			return fmt.Errorf("%s has no setting %q %s; it has %s", f.Info().Name, name, when, strings.Join(known, ", "))
		}
	}
	return nil
}

// Chosen lists the processors to write.
func (o ExportOptions) Chosen(all int) (procs []trace.Proc) {
	if len(o.Procs) > 0 {
		return o.Procs
	}
	for p := range all {
		procs = append(procs, trace.Proc(p))
	}
	return procs
}
