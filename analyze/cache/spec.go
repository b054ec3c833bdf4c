package cache

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spoor/traces/unit"
)

// Side says whose references a level serves.
type Side uint8

// The sides. The zero Side is not legal.
const (
	Both  Side = 1 + iota // unified
	Data                  // loads and stores
	Instr                 // instruction fetches
)

// serves reports whether a level of side s serves the references of another.
func (s Side) serves(t Side) bool { return s == Both || s == t }

// Inclusion is how what a level holds relates to the levels above it, those nearer to
// the processor.
type Inclusion uint8

// The relations. The zero Inclusion is not legal.
const (
	NonInclusive Inclusion = 1 + iota // none: a miss fills every level on its way, and each evicts by itself
	Inclusive                         // it has what they have: what it evicts, they lose
	Exclusive                         // it has what the level above it evicted, and gives it back when asked
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
	WriteThrough bool // stores go on to the next level at once, and lines are never dirty
	NoAllocate   bool // writes that miss go on to the next level and bring no line
	Private      bool // in the interleaved order, each processor has its own
	WithOPT      bool // count also what OPT would miss of the same references
}

// Size is how many bytes its lines have.
func (l *Level) Size() unit.Bytes { return unit.Bytes(l.Sets*l.Ways) * l.Line }

// passes reports whether stores may go on to the next level at once.
func (l *Level) passes() bool { return l.WriteThrough || l.NoAllocate }

// Spec describes levels that are simulated together, the nearest first. Caches and TLBs do not
// see each other.
type Spec struct {
	Levels []Level
}

// Limits of a level.
const (
	minLine = 4       // a key has two bits to spare
	maxLine = 1 << 40 // larger than any page
	maxWays = 1 << 28 // sets times ways
)

// Grammar says how levels are written, for help.
const Grammar = `A description of caches and TLBs is LEVEL,LEVEL,... with the nearest level first, and a LEVEL is
NAME=SIZE/WAYS/LINE[/OPTION]...
  NAME     L1d and D1 serve data, L1i and I1 instruction fetches, L1, L2, LL and the like both. Fetches
           are left out where the first level is for data and none is for fetches, and data likewise.
           dtlb, itlb, tlb, stlb are TLBs, which form a hierarchy of their own
  SIZE     bytes, 32KiB; of a TLB its entries, 64
  WAYS     lines in a set, or full; the number of sets need not be a power of two
  LINE     bytes, a power of two; of a TLB the page
  OPTION   lru, plru, fifo, random, opt: which line leaves; default lru; opt, Belady's, in the last level only
           non-inclusive, inclusive, exclusive: of the levels before it; default non-inclusive, as in Valgrind
           write-back, write-through; write-allocate, no-allocate: the former by default
           private: in the interleaved order, each processor has its own; default one for all
           with-opt: count also what opt would miss of the same uses; like opt, it needs 16 bytes for each use
           that is not of the same line as the one before, in a temporary file
`

// Columns says what the table holds, for help texts.
const Columns = `Columns of cache.arrow, for each description (caches), processor, -1 in the interleaved order, and level:
  size, ways, line, policy             of the level
  load_hits, load_misses, store_hits, store_misses, ifetch_hits, ifetch_misses
                                       uses of lines: a reference uses each line that it touches once; what misses in a level uses the next
  split_misses                         of the misses, those beyond the first of their reference: without them they are Valgrind's
  evictions, writebacks                lines that others replaced; dirty lines that left
  invalidations                        lines that an inclusive level took away
  writethroughs                        writes that were passed on at once
  bytes_read                           bytes of the lines that came from the next level, or of the last one from memory
  bytes_written                        bytes that went there: of dirty lines that left, and of those of levels before that it had not; of
                                       writes that were passed on; and of clean lines, if the next level is exclusive. What is
                                       dirty at the end stays. Both are -1 of TLBs
  compulsory, capacity, conflict       the misses by cause: first uses of a line; others that a fully associative LRU cache of
                                       the same size misses too, if it takes lines as the level does; the rest
  full_misses                          misses of that fully associative cache
  opt_misses                           with opt or with-opt: what OPT misses of the same uses; -1 at levels that do not ask for it, no column if none does
`

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
		return l, fmt.Errorf("a level is written as L1d=32KiB/8/64B, that is NAME=SIZE/WAYS/LINE")
	}
	l = Level{Name: name, Side: sideOf(name), TLB: isTLB(name), Policy: Policies()[0].Name, Inclusion: NonInclusive}
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

// sideOf is what a name says of whom the level serves.
func sideOf(name string) Side {
	name = strings.ToLower(name)
	if isTLB(name) {
		name = strings.Replace(name, "tlb", "", 1)
	}
	switch {
	case name == "d1" || strings.HasSuffix(name, "d"):
		return Data
	case name == "i1" || strings.HasSuffix(name, "i"):
		return Instr
	}
	return Both
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
			return fmt.Errorf("%q is no number of ways; write a number or full", ways)
		}
	}
	if entries%l.Ways != 0 {
		return fmt.Errorf("%d lines cannot be in sets of %d ways", entries, l.Ways)
	}
	l.Sets = entries / l.Ways
	return nil
}

// options sets what an option says, and names the group of those that exclude each other.
var options = map[string]struct {
	group string
	set   func(*Level)
}{
	"non-inclusive":  {"inclusion", func(l *Level) { l.Inclusion = NonInclusive }},
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
	for _, p := range Policies() {
		known = append(known, p.Name)
	}
	for name := range options {
		known = append(known, name)
	}
	slices.Sort(known)
	return "", fmt.Errorf("no option %q; there are %s", text, strings.Join(known, ", "))
}

// String writes a description as Parse reads it, defaults left out.
func (s Spec) String() string {
	var out []string
	for i := range s.Levels {
		out = append(out, s.Levels[i].String())
	}
	return strings.Join(out, ",")
}

// String writes a level as Parse reads it, defaults left out.
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
	}{{l.Policy != Policies()[0].Name, l.Policy}, {l.Inclusion == Inclusive, "inclusive"}, {l.Inclusion == Exclusive, "exclusive"},
		{l.WriteThrough, "write-through"}, {l.NoAllocate, "no-allocate"}, {l.Private, "private"}, {l.WithOPT, "with-opt"}} {
		if o.said {
			fields = append(fields, o.name)
		}
	}
	return l.Name + "=" + strings.Join(fields, "/")
}
