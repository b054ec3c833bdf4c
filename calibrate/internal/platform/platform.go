// Package platform reads the machine descriptions of other simulators, and writes them as machine files: clusters of
// SimGrid's platform files, and configuration files of Dimemas.
//
// A description says more or less than a machine file. What a machine file cannot say becomes a note, and an error if
// nothing useful is left. Each value that is written has a comment with its origin.
package platform

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"spoor/calibrate/machine"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Imported is a machine file with what it does not say.
type Imported struct {
	Text  []byte
	Notes []string
}

// Formats lists the readable formats, for the help.
const Formats = `    SimGrid    platform file, version 4 or 4.1, XML: one <cluster>
    Dimemas    configuration file, .cfg: one machine
`

// maxSize bounds the bytes of a file.
const maxSize = 64 << 20

// source is a description while it is read.
type source struct {
	path string
	text []byte
	file
}

// errorf is an error about a line.
func (s *source) errorf(line int, format string, args ...any) error {
	return &trace.SyntaxError{File: s.path, Line: max(1, line), Msg: clean(fmt.Sprintf(format, args...), maxMessage)}
}

// failf is an error about the whole file.
func (s *source) failf(format string, args ...any) error {
	return fmt.Errorf("%s: %s", s.path, clean(fmt.Sprintf(format, args...), maxMessage))
}

// Bounds of the letters of a message, and of a comment or a text of a machine file.
const (
	maxMessage = 300
	maxComment = 100
)

// Import reads the description at path. Of a platform with several clusters, it reads the named one.
func Import(path, cluster string) (*Imported, error) {
	s := &source{path: path}
	in, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, errors.Unwrap(err)) // the error of an *fs.PathError
	}
	defer in.Close()
	if s.text, err = io.ReadAll(io.LimitReader(in, maxSize+1)); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	switch head := s.text[:min(len(s.text), 64<<10)]; {
	case len(s.text) > maxSize:
		return nil, s.failf("more than %d bytes", maxSize)
	case bytes.Contains(head, []byte("<platform")):
		err = s.simgrid(cluster)
	case cluster != "":
		return nil, s.failf("--cluster %s has no effect: only platform files of SimGrid have clusters", cluster)
	case bytes.Contains(s.text, []byte(`"environment information"`)):
		err = s.dimemas()
	default:
		return nil, s.failf("neither a platform file of SimGrid nor a configuration file of Dimemas; see 'calibrate import --help'")
	}
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("# By calibrate import from %s, sha256:%x\n%s", clean(filepath.Base(path), maxComment), sha256.Sum256(s.text), s.b.String())
	if _, err := machine.ParsePart("the machine file", []byte(text)); err != nil {
		return nil, s.failf("Spoor has no such machine: %v", err)
	}
	return &Imported{[]byte(text), s.notes}, nil
}

// file is a machine file while it is written.
type file struct {
	b     strings.Builder
	notes []string
}

func (f *file) note(format string, args ...any) {
	f.notes = append(f.notes, clean(fmt.Sprintf(format, args...), maxMessage))
}

func (f *file) section(name string) { fmt.Fprintf(&f.b, "\n[%s]\n", name) }

// top writes the keys before the first section.
func (f *file) top(name, about, from string) {
	for _, key := range [][2]string{{"name", name}, {"about", about}, {"source", from}} {
		fmt.Fprintf(&f.b, "%s = %s\n", key[0], strconv.Quote(clean(key[1], maxComment)))
	}
}

// clean returns text as one line of at most most printable letters.
func clean(text string, most int) string {
	text = strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' {
			return '?'
		}
		return c
	}, text)
	return text[:min(len(text), most)]
}

// key writes a value with its origin.
func (f *file) key(name, value, origin string, args ...any) {
	fmt.Fprintf(&f.b, "%-10s = %-18s # %s\n", name, value, clean(fmt.Sprintf(origin, args...), maxComment))
}

// duration returns a time in nanoseconds, or in seconds if it is not one of picoseconds.
func duration(seconds float64) string {
	if text := strconv.FormatFloat(math.Round(seconds*1e12)/1e3, 'f', -1, 64) + " ns"; same(text, "s", seconds) {
		return strconv.Quote(text)
	}
	return strconv.Quote(strconv.FormatFloat(seconds, 'f', -1, 64) + " s")
}

// bandwidth returns a bandwidth, in MB/s if that is the same.
func bandwidth(v float64) string {
	if text := strconv.FormatFloat(v/1e6, 'f', -1, 64) + " MB/s"; same(text, "B/s", v) {
		return strconv.Quote(text)
	}
	return strconv.Quote(strconv.FormatFloat(v, 'f', -1, 64) + " B/s")
}

// same reports whether a text has a value, except for what products with units round.
func same(text, base string, v float64) bool {
	read, err := unit.Parse(text, base)
	return err == nil && math.Abs(read-v) <= 1e-12*v
}

// perByte returns the time of a byte at a bandwidth.
func perByte(bandwidth float64) string {
	return strconv.Quote(strconv.FormatFloat(1e9/bandwidth, 'g', 12, 64) + " ns/B")
}

func list(numbers []int) string {
	return strings.ReplaceAll(fmt.Sprint(numbers), " ", ", ")
}

// system writes the section [system].
func (f *file) system(processors, nodes int, ofNode, ofMachine string) {
	f.section("system")
	target := machine.COW
	if processors > 1 {
		target = machine.CLUMP
	}
	f.key("target", strconv.Quote(string(target)), "programs that pass messages; references need caches and a memory, too")
	f.key("processors", strconv.Itoa(processors), "%s", ofNode)
	f.key("nodes", strconv.Itoa(nodes), "%s", ofMachine)
}
