package cache

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spoor/traces/lookup"
	"spoor/traces/unit"
)

// Side is the kind of references that a level serves.
type Side uint8

// The sides. The zero Side is not legal.
const (
	both  Side = 1 + iota // unified
	data                  // loads and stores
	instr                 // instruction fetches
)

// serves reports whether a level of side s serves references of side t.
func (s Side) serves(t Side) bool { return s == both || s == t }

// Inclusion is the relation between the contents of a level and those of the levels above it, which
// are nearer to the processor.
type Inclusion uint8

// The relations. The zero Inclusion is not legal.
const (
	nonInclusive Inclusion = 1 + iota // none: a miss fills every level on its path, and each level evicts independently
	Inclusive                         // contains all lines of the levels above: when it evicts a line, they lose it
	Exclusive                         // contains lines that the level above evicted, and returns them on request
)

// Level describes one cache or TLB.
type Level struct {
	Name         string
	Side         Side
	TLB          bool
	Sets, Ways   int64
	Line         unit.Bytes // of a TLB: the page
	Policy       string
	Inclusion    Inclusion
	WriteThrough bool // stores are passed to the next level at once, and lines are never dirty
	NoAllocate   bool // writes that miss are passed to the next level and load no line
	Private      bool // one for each processor in the interleaved order
	WithOPT      bool // also count the misses of OPT for the same references
}

// Size returns the size of the level in bytes.
func (l *Level) Size() unit.Bytes { return unit.Bytes(l.Sets*l.Ways) * l.Line }

// passes reports whether stores may go on to the next level at once.
func (l *Level) passes() bool { return l.WriteThrough || l.NoAllocate }

// Spec describes levels that are simulated together, the nearest first. Caches and TLBs are
// independent.
type Spec struct {
	Levels []Level
}

// Limits of a level.
const (
	minLine = 4       // a key needs two free bits
	maxLine = 1 << 40 // larger than any page
	maxWays = 1 << 28 // sets times ways
)

// usual describes the caches that are simulated without a description.
const usual = "L1d=32KiB/8/64B,LL=8MiB/16/64B"

// Parse reads a description of levels.
func Parse(text string) (Spec, error) {
	var s Spec
	for _, part := range strings.Split(text, ",") {
		l, err := parseLevel(strings.TrimSpace(part))
		if err != nil {
			return Spec{}, fmt.Errorf("%q: %w", part, err)
		}
		s.Levels = append(s.Levels, l)
	}
	return s, s.check()
}

func parseLevel(text string) (l Level, err error) {
	name, rest, _ := strings.Cut(text, "=")
	fields := strings.Split(rest, "/")
	if name == "" || len(fields) < 3 {
		return l, fmt.Errorf("a level has the form NAME=SIZE/WAYS/LINE, such as L1d=32KiB/8/64B")
	}
	l = Level{Name: name, Side: sideOf(name), TLB: isTLB(name), Policy: policies()[0].Name, Inclusion: nonInclusive}
	if err := l.parseShape(fields[0], fields[1], fields[2]); err != nil {
		return l, err
	}
	chosen := map[string]string{}
	for _, f := range fields[3:] {
		group, err := l.option(f)
		if err != nil {
			return l, err
		}
		if was, ok := chosen[group]; ok {
			return l, fmt.Errorf("%s and %s exclude each other", was, f)
		}
		chosen[group] = f
	}
	if p, _ := findPolicy(l.Policy); p.check != nil {
		if err := p.check(l.Ways); err != nil {
			return l, fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return l, nil
}

func isTLB(name string) bool { return strings.Contains(strings.ToLower(name), "tlb") }

// sideOf returns the side that a name implies.
func sideOf(name string) Side {
	name = strings.ToLower(name)
	if isTLB(name) {
		name = strings.Replace(name, "tlb", "", 1)
	}
	switch {
	case name == "d1" || strings.HasSuffix(name, "d"):
		return data
	case name == "i1" || strings.HasSuffix(name, "i"):
		return instr
	}
	return both
}

func (l *Level) parseShape(size, ways, line string) (err error) {
	if l.Line, err = unit.ParseBytes(line); err != nil {
		return err
	}
	if !l.Line.IsPowerOfTwo() || l.Line < minLine || l.Line > maxLine {
		return fmt.Errorf("%s is not a power of two from %dB to 1TiB", line, minLine)
	}
	var entries int64
	if l.TLB {
		if entries, err = strconv.ParseInt(size, 10, 64); err != nil {
			return fmt.Errorf("the size of a TLB is its number of entries, not %q", size)
		}
	} else {
		bytes, err := unit.ParseBytes(size)
		if err != nil {
			return err
		}
		if bytes%l.Line != 0 {
			return fmt.Errorf("%s is not a whole number of lines of %s", size, line)
		}
		entries = int64(bytes / l.Line)
	}
	if entries < 1 || entries > maxWays {
		return fmt.Errorf("%s has %d lines, which is not from 1 to 2^28", size, entries)
	}
	if l.Ways = entries; ways != "full" {
		if l.Ways, err = strconv.ParseInt(ways, 10, 64); err != nil || l.Ways < 1 {
			return fmt.Errorf("%q is not a number of ways; give a number or full", ways)
		}
	}
	if entries%l.Ways != 0 {
		return fmt.Errorf("%d lines cannot be divided into sets of %d ways", entries, l.Ways)
	}
	l.Sets = entries / l.Ways
	return nil
}

// options sets the properties of an option, and names the group of options that exclude each other.
var options = map[string]struct {
	group string
	set   func(*Level)
}{
	"non-inclusive":  {"inclusion", func(l *Level) { l.Inclusion = nonInclusive }},
	"inclusive":      {"inclusion", func(l *Level) { l.Inclusion = Inclusive }},
	"exclusive":      {"inclusion", func(l *Level) { l.Inclusion = Exclusive }},
	"write-back":     {"write", func(l *Level) {}},
	"write-through":  {"write", func(l *Level) { l.WriteThrough = true }},
	"write-allocate": {"allocate", func(l *Level) {}},
	"no-allocate":    {"allocate", func(l *Level) { l.NoAllocate = true }},
	"private":        {"private", func(l *Level) { l.Private = true }},
	"with-opt":       {"opt", func(l *Level) { l.WithOPT = true }},
}

func (l *Level) option(text string) (group string, err error) {
	if _, ok := findPolicy(text); ok {
		l.Policy = text
		return "policy", nil
	}
	if o, ok := options[text]; ok {
		o.set(l)
		return o.group, nil
	}
	var known []string
	for _, p := range policies() {
		known = append(known, p.Name)
	}
	for name := range options {
		known = append(known, name)
	}
	slices.Sort(known)
	return "", lookup.Unknown("option", text, known)
}

// String returns a description that Parse reads, without defaults.
func (s Spec) String() string {
	var out []string
	for i := range s.Levels {
		out = append(out, s.Levels[i].String())
	}
	return strings.Join(out, ",")
}

// String returns a level that Parse reads, without defaults.
func (l *Level) String() string {
	size, ways := l.Size().String(), strconv.FormatInt(l.Ways, 10)
	if l.TLB {
		size = strconv.FormatInt(l.Sets*l.Ways, 10)
	}
	if l.Sets == 1 {
		ways = "full"
	}
	fields := []string{size, ways, l.Line.String()}
	for _, o := range []struct {
		said bool
		name string
	}{{l.Policy != policies()[0].Name, l.Policy}, {l.Inclusion == Inclusive, "inclusive"}, {l.Inclusion == Exclusive, "exclusive"},
		{l.WriteThrough, "write-through"}, {l.NoAllocate, "no-allocate"}, {l.Private, "private"}, {l.WithOPT, "with-opt"}} {
		if o.said {
			fields = append(fields, o.name)
		}
	}
	return l.Name + "=" + strings.Join(fields, "/")
}
