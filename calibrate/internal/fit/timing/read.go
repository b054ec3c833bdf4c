package timing

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"spoor/calibrate/packing"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// format is a file format for timings.
type format struct {
	name, what string
	// sniff recognizes the first bytes of a file.
	sniff func(head []byte) bool
	read  func(f *file) error
}

// formats are tried in this order.
var formats = []format{arrowTable, osu, netgauge, simgrid, csvTable}

// Formats lists the readable formats, for the help.
func Formats() string {
	var b strings.Builder
	for _, f := range formats {
		fmt.Fprintf(&b, "    %-10s %s\n", f.name, f.what)
	}
	return b.String()
}

// file is one file while it is read.
type file struct {
	path     string
	text     []byte
	timings  []Timing
	facts    []trace.Arg
	warnings []error
	rows     bool // lines are rows of a table
}

// errorf is an error about a line.
func (f *file) errorf(line int, format string, args ...any) error {
	if f.rows {
		return fmt.Errorf("%s: row %d: %s", f.path, line, fmt.Sprintf(format, args...))
	}
	return &trace.SyntaxError{File: f.path, Line: line, Msg: fmt.Sprintf(format, args...)}
}

// add checks a timing of the line and appends it.
func (f *file) add(t Timing, line int) error {
	t.line = line
	if err := t.check(); err != nil {
		return f.errorf(line, "%v", err)
	}
	if len(f.timings) == maxTimings {
		return f.errorf(line, "more than %d timings", maxTimings)
	}
	f.timings = append(f.timings, t)
	return nil
}

const (
	maxSize    = 256 << 20 // bytes of a file
	maxTimings = 1 << 20
	sniffed    = 64 << 10 // bytes from which a format is recognized
)

// Read reads all files into one dataset.
func Read(paths ...string) (*Data, error) {
	d := &Data{paths: paths}
	seen := map[[sha256.Size]byte]string{}
	for i, path := range paths {
		f, err := load(path)
		if err != nil {
			return nil, err
		}
		digest := sha256.Sum256(f.text)
		if other, twice := seen[digest]; twice {
			return nil, fmt.Errorf("%s and %s are the same file; give it once", other, path)
		}
		seen[digest] = path
		kind, err := f.parse()
		if err != nil {
			return nil, err
		}
		d.Sources = append(d.Sources, fmt.Sprintf("%s (%s) sha256:%x", filepath.Base(path), kind, digest))
		if err := d.take(f, i); err != nil {
			return nil, err
		}
	}
	d.numberLaunches()
	return d, d.checkTwice()
}

func load(path string) (*file, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; give a file of 'calibrate help formats'", path, errors.Unwrap(err)) // the error of an *fs.PathError
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxSize+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if len(text) > maxSize {
		return nil, fmt.Errorf("%s: more than %d bytes", path, maxSize)
	}
	return &file{path: path, text: bytes.TrimPrefix(text, []byte("\ufeff"))}, nil
}

// parse reads f in its format, and returns the format's name.
func (f *file) parse() (string, error) {
	head := f.text[:min(len(f.text), sniffed)]
	for _, format := range formats {
		if !format.sniff(head) {
			continue
		}
		if err := format.read(f); err != nil {
			return "", err
		}
		if len(f.timings) == 0 {
			return "", fmt.Errorf("%s: the file has no timings", f.path)
		}
		return format.name, nil
	}
	if len(bytes.TrimSpace(f.text)) == 0 {
		return "", fmt.Errorf("%s: the file is empty; give a file of 'calibrate help formats'", f.path)
	}
	return "", fmt.Errorf("%s: unknown format; the first line of a CSV file must have column names, with time [us] or similar among them", f.path)
}

// take adds the timings and facts of f.
func (d *Data) take(f *file, index int) error {
	if len(d.Timings)+len(f.timings) > maxTimings {
		return fmt.Errorf("%s: more than %d timings in all files", f.path, maxTimings)
	}
	for _, t := range f.timings {
		t.file = index
		d.Timings = append(d.Timings, t)
	}
	d.Warnings = append(d.Warnings, f.warnings...)
	for _, a := range f.facts {
		if err := d.fact(a); err != nil {
			return fmt.Errorf("%s: the fact %s: %w", f.path, a.Key, err)
		}
	}
	return nil
}

// fact takes the facts that are used here. Tables may have others.
func (d *Data) fact(a trace.Arg) error {
	var size *unit.Bytes
	switch a.Key {
	case "line":
		size = &d.Line
	case "page":
		size = &d.Page
	case "reps":
		if a.Value != "min" && a.Value != "median" {
			return fmt.Errorf("%q is neither min nor median", a.Value)
		}
		if least := a.Value == "min"; least != d.Minimum && len(d.Sources) > 1 {
			return errors.New("files disagree; fit them one by one")
		}
		d.Minimum = a.Value == "min"
		return nil
	default:
		return nil
	}
	v, err := unit.ParseBytes(a.Value)
	switch {
	case err != nil:
		return err
	case !v.IsPowerOfTwo() || v > 1<<30:
		return fmt.Errorf("%v is not a power of two up to 1GiB", v)
	case *size != 0 && *size != v:
		return fmt.Errorf("%v, but an earlier file has %v", v, *size)
	}
	*size = v
	return nil
}

// numberLaunches numbers the launches of each experiment from 0, file by file.
func (d *Data) numberLaunches() {
	type launch struct{ file, number int }
	of := map[packing.Experiment]map[launch]int{}
	for i := range d.Timings {
		t := &d.Timings[i]
		if of[t.Experiment] == nil {
			of[t.Experiment] = map[launch]int{}
		}
		of[t.Experiment][launch{t.file, t.Launch}] = 0
	}
	for _, launches := range of {
		var sorted []launch
		for l := range launches {
			sorted = append(sorted, l)
		}
		slices.SortFunc(sorted, func(a, b launch) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.number, b.number)) })
		for i, l := range sorted {
			launches[l] = i
		}
	}
	for i := range d.Timings {
		t := &d.Timings[i]
		t.Launch = of[t.Experiment][launch{t.file, t.Launch}]
	}
}

// checkTwice refuses two times of the same repetition.
func (d *Data) checkTwice() error {
	type repetition struct {
		point       packing.Point
		state       string
		launch, rep int
	}
	seen := map[repetition]int{}
	for i := range d.Timings {
		t := &d.Timings[i]
		r := repetition{t.Point, t.State, t.Launch, t.Rep}
		if first, twice := seen[r]; twice {
			return fmt.Errorf("%s: the same point, launch and repetition as at %s; number repetitions in a column rep", d.place(t), d.place(&d.Timings[first]))
		}
		seen[r] = i
	}
	return nil
}
