package machine

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"spoor/calibrate/internal/strict"
	"spoor/traces/unit"
)

// Bounds of the values of a description. They catch errors of a unit, and keep every product of two bounds within
// range.
const (
	minClock, maxClock        = unit.Hertz(1e3), unit.Hertz(1e12)
	minCPI, maxCPI            = 1e-3, 1000
	MaxLatency                = unit.Seconds(10)
	maxMemoryTime             = unit.Seconds(1)
	minLine, maxLine          = unit.Bytes(4), unit.Bytes(1 << 20)
	maxCache                  = unit.Bytes(1 << 40)
	maxMemory                 = unit.Bytes(1 << 50)
	maxWays                   = 1 << 16
	MaxProcessors             = 1 << 20 // of a machine
	maxNodeProcessors         = 1 << 16 // of a node, and of what a price list offers
	maxLevels, maxNameLetters = 8, 200
	maxOutstanding, maxWindow = 1 << 10, 1 << 20
	maxAhead, maxStreams      = 1 << 10, 1 << 8
)

// maxStep bounds the time of an instruction, and of an access to the nearest cache (or to memory without caches).
// The work of one reference then cannot overflow simulated time.
const maxStep = unit.Seconds(1e-6)

// reader converts a document into a Machine. It keeps the first error.
type reader struct {
	doc    *strict.Document
	part   bool // sections may be absent
	m      *Machine
	at     string    // prefix of the paths of keys within a list, for errors
	rename [2]string // prefix of paths in a machine file, and its replacement within a list
	err    error
}

// Advice says where machine descriptions come from. Errors end with it.
const Advice = "'calibrate machines' lists all names, 'calibrate memory -o host' measures this host"

// Read reads the description name, which is a path or a name that FindFile finds.
func Read(name string) (*Machine, error) {
	path, err := FindFile(name)
	if err != nil {
		return nil, err
	}
	d, err := strict.Read(path)
	if err != nil {
		return nil, err
	}
	return decode(d, false)
}

// Parse parses a description. Errors contain name.
func Parse(name string, description []byte) (*Machine, error) {
	d, err := strict.Parse(name, description)
	if err != nil {
		return nil, err
	}
	return decode(d, false)
}

// decode decodes a description. With part, it may lack sections and a name.
func decode(d *strict.Document, part bool) (*Machine, error) {
	var doc document
	if err := d.Decode(&doc); err != nil {
		return nil, err
	}
	r := &reader{doc: d, part: part, m: &Machine{Missing: doc.missing()}}
	lacking := fmt.Errorf("%s: the machine %s", d.Name(), lacks(r.m.Missing))
	if len(r.m.Missing) > 0 && len(doc.Node) > 0 {
		return nil, lacking
	}
	if doc.Name != nil || !part && len(r.m.Missing) == 0 {
		r.m.Name = r.name(doc.Name)
	}
	r.m.Given = given(d)
	r.m.About = r.oneLine("about", doc.About)
	r.source(doc.Source)
	r.parts(&doc)
	if doc.System == nil {
		r.ranksOnNodes(&doc)
	} else {
		r.system(doc.System)
		r.distributed(&doc)
	}
	r.unitsFit()
	r.otherNodes(&doc)
	switch {
	case r.err != nil:
		return nil, r.err
	case len(r.m.Missing) > 0 && !part:
		return nil, lacking
	}
	return r.m, nil
}

// parts reads the sections that describe a node, and the network.
func (r *reader) parts(doc *document) {
	r.m.Processor.Clock = placeholderClock
	if doc.Processor != nil {
		r.processor(doc.Processor)
	}
	r.caches(doc.Cache)
	r.sharedCache(doc.Shared)
	if doc.Memory != nil {
		r.memory(doc.Memory)
	}
	if doc.Disk != nil {
		r.m.Disk = &Disk{r.latency("disk.latency", doc.Disk.Latency)}
	}
	r.m.Network = r.network(doc.Network)
}

func (r *reader) fail(path, format string, args ...any) {
	if r.err == nil {
		if rest, renamed := strings.CutPrefix(path, r.rename[0]); renamed {
			path = r.rename[1] + rest
		}
		r.err = r.doc.Errorf(r.at+path, format, args...)
	}
}

func (r *reader) require(section string, there bool) {
	if !there {
		r.fail(section, "the section [%s] is missing", section)
	}
}

func (r *reader) name(name *string) string {
	if name == nil || strings.TrimSpace(*name) == "" {
		r.fail("name", "is missing; results use it as the name of the machine")
		return ""
	}
	return r.oneLine("name", name)
}

// oneLine reads a text of one line. It returns "" if the key is absent.
func (r *reader) oneLine(path string, t *string) string {
	if t == nil {
		return ""
	}
	if len(*t) > maxNameLetters || strings.ContainsFunc(*t, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		r.fail(path, "is longer than %d letters or has control characters", maxNameLetters)
	}
	return *t
}

func names[T ~string](list []T) (out []string) {
	for _, t := range list {
		out = append(out, string(t))
	}
	return out
}

func (r *reader) oneOf(path string, value *string, list []string) string {
	switch {
	case value == nil:
		r.fail(path, "is missing; it is one of %s", strings.Join(list, ", "))
	case !slices.Contains(list, *value):
		r.fail(path, "%q is not one of %s", *value, strings.Join(list, ", "))
	default:
		return *value
	}
	return ""
}

// size reads a number of bytes that is at least least.
func (r *reader) size(path string, t text, least unit.Bytes) unit.Bytes {
	if !t.given {
		r.fail(path, "is missing")
		return 0
	}
	b, err := unit.ParseBytes(t.value)
	if err != nil {
		r.fail(path, "%v", err)
	} else if b < least {
		r.fail(path, "%q is less than %v", t.value, least)
	}
	return b
}

func (r *reader) count(path string, n *int64, most int64) int {
	switch {
	case n == nil:
		r.fail(path, "is missing")
	case *n < 1 || *n > most:
		r.fail(path, "%d is not from 1 to %d", *n, most)
	default:
		return int(*n)
	}
	return 0
}

func (r *reader) latency(path string, t text) Latency {
	if !t.given {
		r.fail(path, "is missing")
		return Latency{}
	}
	r.needsCycles(path, t.value)
	l, err := parseLatency(t.value)
	if err != nil {
		r.fail(path, "%v", err)
		return Latency{}
	}
	if r.err == nil {
		r.inRange(path, r.m.At(l))
	}
	return l
}

// ofMemory reads the latency of a cache or of the memory, which is at most most.
func (r *reader) ofMemory(path string, t text, most unit.Seconds) Latency {
	l := r.latency(path, t)
	switch s := r.m.At(l); {
	case r.err != nil || s <= most:
	case most == maxStep:
		r.fail(path, "%q is %v; the nearest cache, or the memory if there are no caches, takes from 0 to %v", t.value, s, most)
	default:
		r.fail(path, "%q is %v; a cache or memory takes from 0 to %v", t.value, s, most)
	}
	return l
}

// reach returns the upper bound of the latency of the next level.
func (r *reader) reach() unit.Seconds {
	if len(r.m.Caches) == 0 {
		return maxStep
	}
	return maxMemoryTime
}

func (r *reader) inRange(path string, s unit.Seconds) unit.Seconds {
	if !(s >= 0 && s <= MaxLatency) || math.IsNaN(float64(s)) {
		r.fail(path, "%v is not from 0 to %v", s, MaxLatency)
	}
	return s
}
