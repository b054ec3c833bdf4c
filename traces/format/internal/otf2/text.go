package otf2

import (
	"bytes"
	"fmt"
	"spoor/traces/format/internal/emit"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"strconv"
	"strings"
)

// otf2Parser reads the text of otf2-print line by line.
type otf2Parser struct {
	input.Text
	otf2Definitions
	c       *emit.MessageWriter
	share   emit.HeldEvents
	section otf2Section
	ragged  bool // the line could not be read
	now     otf2Line
	names   map[string]*otf2Event
	ticks   uint64 // per second; 0 until known
	first   uint64 // timestamp of the first event
	events  uint64
	places  map[uint64]*otf2Location
	last    *otf2Location // of the previous event
	ranks   []*otf2Rank   // by world rank; nil if no event yet
	notices otf2Notices
}

type otf2Section uint8

const (
	otf2Start    otf2Section = iota
	otf2Preamble             // banner and content of the anchor file
	otf2Defs
	otf2Events
)

// otf2Event is a kind of event: its number of occurrences and its handler.
type otf2Event struct {
	name   string
	n      uint64
	handle func(p *otf2Parser, e *otf2Line) error // nil if it is omitted
}

// otf2Line is one event.
type otf2Line struct {
	kind  *otf2Event
	place *otf2Location
	time  uint64 // ticks
	attrs []byte
	line  []byte
}

const otf2DefaultTicks = 1_000_000_000

func newOTF2Parser(c *emit.MessageWriter, ticks string) (*otf2Parser, error) {
	p := &otf2Parser{c: c, names: map[string]*otf2Event{}, places: map[uint64]*otf2Location{}}
	p.otf2Definitions.init()
	for name, handle := range otf2Handlers {
		p.names[name] = &otf2Event{name: name, handle: handle}
	}
	if ticks != "" {
		n, err := strconv.ParseUint(ticks, 10, 63)
		if err != nil || n == 0 {
			return nil, format.BadSetting("ticks=%s: give the ticks per second, a whole number from 1", ticks)
		}
		p.ticks = n
	}
	return p, nil
}

// parse handles one line.
func (p *otf2Parser) parse(line []byte, last bool) error {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		p.Crlf++
		line = line[:n-1]
	}
	line = bytes.TrimRight(line, " ")
	if len(line) == 0 {
		return nil
	}
	if last {
		p.Unended++
	}
	err := p.take(line)
	if err != nil && last && p.ragged {
		return p.fail(line, "the last line is truncated", "print the archive again")
	}
	return err
}

// take handles a line according to its start and section.
func (p *otf2Parser) take(line []byte) error {
	switch c := line[0]; {
	case c >= 'A' && c <= 'Z' && p.section == otf2Events:
		return p.event(line)
	case c == '=':
		p.heading(line)
		return nil
	case c == ' ' && p.section == otf2Events && bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("ADDITIONAL ATTRIBUTES")):
		return nil // they belong to the previous event
	case c >= 'A' && c <= 'Z' && p.section == otf2Defs:
		return p.define(line)
	case p.section == otf2Start && bytes.HasPrefix(line, otf2EventHeader): // the banner was removed
		p.section = otf2Events
		return nil
	case p.section == otf2Start:
		return p.fail(line, "not the text of otf2-print, which begins with "+string(otf2Banner), "print the archive with otf2-print -A")
	case c == '-' || p.section != otf2Events:
		return nil
	}
	return p.bad(line, "not an event")
}

// heading starts the section that a line of = names.
func (p *otf2Parser) heading(line []byte) {
	switch {
	case bytes.HasPrefix(line, []byte("=== Global Definitions")):
		p.section = otf2Defs
	case bytes.HasPrefix(line, []byte("=== Events")):
		p.section = otf2Events
	default:
		p.section = otf2Preamble
	}
}

var otf2EventHeader = []byte("Event ")

// event handles a line of the events.
func (p *otf2Parser) event(line []byte) error {
	if bytes.HasPrefix(line, otf2EventHeader) {
		return nil
	}
	name, rest := otf2Field(line)
	at, rest := otf2Field(rest)
	when, attrs := otf2Field(rest)
	location, problem := input.ParseDecimal(at)
	if problem != "" {
		return p.bad(line, "the location is "+problem)
	}
	time, problem := input.ParseDecimal(when)
	if problem != "" {
		return p.bad(line, "the timestamp is "+problem)
	}
	kind := p.names[string(name)]
	if kind == nil {
		if kind = p.newKind(name); kind == nil {
			return p.bad(line, "not the name of an event")
		}
	}
	kind.n++
	p.events++
	e := &p.now
	*e = otf2Line{kind: kind, time: time, attrs: attrs, line: line}
	var err error
	if e.place, err = p.locate(location, e); err != nil {
		return err
	}
	if kind.handle == nil {
		return nil
	}
	return kind.handle(p, e)
}

// otf2Field splits the first word and the blanks after it off b.
func otf2Field(b []byte) (field, rest []byte) {
	i := bytes.IndexByte(b, ' ')
	if i < 0 {
		return b, nil
	}
	return b[:i], bytes.TrimLeft(b[i:], " ")
}

// newKind returns a kind of event that is omitted, or nil if name cannot be one. Newer
// versions of OTF2 have further kinds.
func (p *otf2Parser) newKind(name []byte) *otf2Event {
	for _, c := range name {
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' {
			return nil
		}
	}
	if len(name) > 64 || len(p.names) > 1000 {
		return nil
	}
	k := &otf2Event{name: string(name)}
	p.names[k.name] = k
	return k
}

// fail returns an error at the line, and quotes the line without its columns.
func (p *otf2Parser) fail(line []byte, reason, advice string) error {
	if line != nil {
		line = bytes.Join(bytes.Fields(line), []byte(" "))
	}
	return p.Text.Fail(line, reason, advice)
}

// bad returns an error. If the line has a NUL byte, the error says so instead.
func (p *otf2Parser) bad(line []byte, reason string) error {
	p.ragged = true
	if err := p.CheckNUL(line); err != nil {
		return err
	}
	return p.fail(line, reason, "an event is a name, a location, a timestamp and attributes")
}

// otf2Attrs parses attributes from the right, because names in them may contain commas
// and quotes.
type otf2Attrs struct {
	rest []byte
	lack string // the first missing key
}

// last takes the value of the last key.
func (a *otf2Attrs) last(key string) []byte {
	for at := len(a.rest); ; {
		i := bytes.LastIndex(a.rest[:at], []byte(key))
		if i < 0 {
			if a.lack == "" {
				a.lack = key
			}
			return nil
		}
		if i == 0 || i > 1 && a.rest[i-1] == ' ' && a.rest[i-2] == ',' {
			value := a.rest[i+len(key):]
			a.rest = a.rest[:max(0, i-2)]
			return value
		}
		at = i
	}
}

// number takes the value of the last key as a number.
func (a *otf2Attrs) number(key string) uint64 {
	v, problem := input.ParseDecimal(a.last(key))
	if problem != "" && a.lack == "" {
		a.lack = key
	}
	return v
}

// reference takes the number in < > at the end of the value of the last key, which is a
// name and a number. ok is false if it is UNDEFINED.
func (a *otf2Attrs) reference(key string) (id uint64, ok bool) {
	id, ok = otf2Reference(a.last(key))
	return id, ok
}

// otf2Reference returns the number in `"name" <5>` or `0 ("name" <5>)`.
func otf2Reference(value []byte) (id uint64, ok bool) {
	value = bytes.TrimSuffix(value, []byte(")"))
	open := bytes.LastIndexByte(value, '<')
	if open < 0 || len(value) == 0 || value[len(value)-1] != '>' {
		return 0, false
	}
	id, problem := input.ParseDecimal(value[open+1 : len(value)-1])
	return id, problem == ""
}

// otf2Name returns the name in `"name" <5>`.
func otf2Name(value []byte) []byte {
	if i := bytes.LastIndex(value, []byte(`" <`)); i > 0 && value[0] == '"' {
		return value[1:i]
	}
	return value
}

// incomplete returns an error if an attribute was missing.
func (p *otf2Parser) incomplete(a *otf2Attrs, name string, line []byte) error {
	if a.lack == "" {
		return nil
	}
	p.ragged = true
	return p.fail(line, fmt.Sprintf("%s without a valid %q", name, strings.TrimSuffix(a.lack, ": ")), "print the archive again")
}
