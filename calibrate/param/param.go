// Package param reads, writes and merges parameter files: the results of analyses and calibrations, each number
// with its unit, interval and origin.
//
// A parameter file is a TOML document with a table for each parameter:
//
//	[alpha]
//	value = 1.2345
//	unit = "1"
//	lo = 1.2
//	hi = 1.27
//	n = 1234
//	method = "..."
//	source = "fft.refs.arrow sha256:<hex>"
//
// value and unit are required. lo and hi are both given or both absent.
package param

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"spoor/calibrate/internal/strict"
	"spoor/traces/trace"
)

// Param is one parameter.
type Param struct {
	Name   string // letters, digits, '_' and '-'
	Value  float64
	Unit   string  // "1" for a plain number
	Lo, Hi float64 // 95 % interval; NaN: not known
	N      uint64  // observations; 0: not known
	Method string
	Source string // file and its digest
}

// HasInterval reports whether the interval of p is known.
func (p Param) HasInterval() bool { return p.Lo <= p.Value && p.Value <= p.Hi }

// Check returns an error if p is not valid: a name or unit that cannot be written, a value that is not finite, or
// an interval that does not contain the value.
func (p Param) Check() error {
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	if key, v := p.beyond(); key != "" {
		return fmt.Errorf("%s: %v is beyond %v; correct the number", key, v, maxValue)
	}
	switch {
	case !legal(p.Name):
		return fmt.Errorf("%q is not a name of letters, digits, '_' and '-'", p.Name)
	case !finite(p.Value):
		return fmt.Errorf("value: %v is not finite", p.Value)
	case strings.TrimSpace(p.Unit) == "":
		return fmt.Errorf("unit: is missing; a plain number has the unit \"1\"")
	case math.IsNaN(p.Lo) && math.IsNaN(p.Hi):
		return nil
	case !finite(p.Lo):
		return fmt.Errorf("lo: %v is not finite", p.Lo)
	case !finite(p.Hi):
		return fmt.Errorf("hi: %v is not finite", p.Hi)
	case p.Lo > p.Value:
		return fmt.Errorf("lo: %v is above the value %v", p.Lo, p.Value)
	case p.Hi < p.Value:
		return fmt.Errorf("hi: %v is below the value %v", p.Hi, p.Value)
	}
	return nil
}

// maxValue bounds all numbers, so that their squares are finite.
const maxValue = 1e100

// beyond returns the first number of p beyond maxValue, and its key.
func (p Param) beyond() (key string, v float64) {
	for _, of := range []struct {
		key string
		v   float64
	}{{"value", p.Value}, {"lo", p.Lo}, {"hi", p.Hi}} {
		if math.Abs(of.v) > maxValue && !math.IsInf(of.v, 0) {
			return of.key, of.v
		}
	}
	return "", 0
}

func legal(name string) bool {
	return name != "" && strings.IndexFunc(name, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-'
	}) < 0
}

// Trace returns the SHA-256 of the trace that p was measured on, or "" if the source of p does not tell. A source is
// "fft.refs.arrow sha256:<hex>", perhaps with further facts behind a comma.
func (p Param) Trace() string {
	_, hash, _ := strings.Cut(p.Source, " sha256:")
	hash, _, _ = strings.Cut(hash, ",")
	return hash
}

// Warnings returns what makes results of these parameters doubtful, by their sources.
func Warnings(all []Param) (warnings []error) {
	told := map[string]bool{}
	for _, p := range all {
		for _, w := range trace.OfSource(p.Source).Warnings(true) {
			if !told[w] {
				told[w], warnings = true, append(warnings, errors.New(w))
			}
		}
	}
	return warnings
}

// Set has the parameters of one or several files, each name once. The zero Set is empty.
type Set struct {
	name string // of the file, for errors
	list []Param
}

// All returns the parameters in the order of the file.
func (s *Set) All() []Param { return s.list }

// Lookup returns the parameter called name.
func (s *Set) Lookup(name string) (Param, bool) {
	i := slices.IndexFunc(s.list, func(p Param) bool { return p.Name == name })
	if i < 0 {
		return Param{}, false
	}
	return s.list[i], true
}

// Get returns the parameter called name, which must have the given unit.
func (s *Set) Get(name, unit string) (Param, error) {
	p, ok := s.Lookup(name)
	if !ok {
		return Param{}, fmt.Errorf("%sparameter %s is missing", s.place(), name)
	}
	if p.Unit != unit {
		return Param{}, fmt.Errorf("%sparameter %s has the unit %q; it must be %q", s.place(), name, p.Unit, unit)
	}
	return p, nil
}

// place returns the start of errors about s; "" if s is from no file.
func (s *Set) place() string {
	if s.name == "" {
		return ""
	}
	return s.name + ": "
}

// Add appends p. It returns an error if s has a parameter of that name.
func (s *Set) Add(p Param) error {
	if err := p.Check(); err != nil {
		return fmt.Errorf("parameter %s: %w", p.Name, err)
	}
	if _, twice := s.Lookup(p.Name); twice {
		return fmt.Errorf("the name %s is used twice", p.Name)
	}
	s.list = append(s.list, p)
	return nil
}

// Merge returns the parameters of all sets in their order. A parameter of several sets is taken once if they agree
// in everything. Otherwise Merge returns an error that names both files, because it cannot know which one is
// meant.
func Merge(sets ...*Set) (*Set, error) {
	out := &Set{}
	var names []string
	from := map[string]string{}
	for _, s := range sets {
		names = append(names, s.name)
		for _, p := range s.list {
			have, twice := out.Lookup(p.Name)
			if twice && !same(have, p) {
				return nil, fmt.Errorf("merging parameters: %s and %s have different values of %s; omit one of them", from[p.Name], s.name, p.Name)
			}
			if !twice {
				from[p.Name] = s.name
				out.list = append(out.list, p)
			}
		}
	}
	out.name = strings.Join(names, " + ")
	return out, nil
}

// same reports whether two parameters are equal. Unknown intervals are equal.
func same(a, b Param) bool {
	if math.IsNaN(a.Lo) && math.IsNaN(b.Lo) {
		a.Lo, a.Hi, b.Lo, b.Hi = 0, 0, 0, 0
	}
	return a == b
}

// table is a parameter in the TOML file.
type table struct {
	Value  *float64 `toml:"value"`
	Unit   string   `toml:"unit"`
	Lo     *float64 `toml:"lo"`
	Hi     *float64 `toml:"hi"`
	N      uint64   `toml:"n"`
	Method string   `toml:"method"`
	Source string   `toml:"source"`
}

// Read reads the parameter file at path.
func Read(path string) (*Set, error) {
	d, err := strict.Read(path)
	if err != nil {
		return nil, err
	}
	return decode(path, d)
}

// Parse parses a parameter file. Errors contain name.
func Parse(name string, text []byte) (*Set, error) {
	d, err := strict.Parse(name, text)
	if err != nil {
		return nil, err
	}
	return decode(name, d)
}

func decode(name string, d *strict.Document) (*Set, error) {
	tables := map[string]table{}
	if err := d.Decode(&tables); err != nil {
		return nil, err
	}
	s := &Set{name: name}
	for _, key := range d.Keys() {
		t, ok := tables[key]
		if !ok {
			continue // a key within a table
		}
		p, err := t.param(key, d)
		if err != nil {
			return nil, err
		}
		s.list = append(s.list, p)
	}
	return s, nil
}

func (t table) param(name string, d *strict.Document) (Param, error) {
	p := Param{Name: name, Unit: t.Unit, Lo: math.NaN(), Hi: math.NaN(), N: t.N, Method: t.Method, Source: t.Source}
	switch {
	case t.Value == nil:
		return Param{}, d.Errorf(name+".value", "is missing")
	case (t.Lo == nil) != (t.Hi == nil):
		return Param{}, d.Errorf(name, "has only one end of an interval; give lo and hi, or neither")
	}
	p.Value = *t.Value
	if t.Lo != nil {
		p.Lo, p.Hi = *t.Lo, *t.Hi
		if math.IsNaN(p.Lo) || math.IsNaN(p.Hi) {
			return Param{}, d.Errorf(name+".lo", "an end of the interval is not a number; omit lo and hi if it is not known")
		}
	}
	if err := p.Check(); err != nil {
		return Param{}, d.Errorf(at(name, err), "%v", err)
	}
	return p, nil
}

// at returns the path of the key that an error of Check is about.
func at(name string, err error) string {
	if key, _, found := strings.Cut(err.Error(), ": "); found && slices.Contains([]string{"value", "unit", "lo", "hi"}, key) {
		return name + "." + key
	}
	return name
}

// Write writes the set as a parameter file that reads back as the same set.
func (s *Set) Write(w io.Writer) error {
	var b bytes.Buffer
	for i, p := range s.list {
		if err := p.Check(); err != nil {
			return fmt.Errorf("writing parameter %s: %w", p.Name, err)
		}
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "[%s]\nvalue = %s\nunit = %s\n", p.Name, number(p.Value), quote(p.Unit))
		if p.HasInterval() {
			fmt.Fprintf(&b, "lo = %s\nhi = %s\n", number(p.Lo), number(p.Hi))
		}
		fmt.Fprintf(&b, "n = %d\nmethod = %s\nsource = %s\n", p.N, quote(p.Method), quote(p.Source))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// number formats v as the shortest TOML float that reads back as v.
func number(v float64) string {
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// quote formats a TOML basic string.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
