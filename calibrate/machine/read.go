package machine

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"spoor/calibrate/strict"
	"spoor/traces/unit"
)

// Bounds of what is believed. They keep slips of a unit out, and every product
// of a bound with another within range.
const (
	minClock, maxClock        = unit.Hertz(1e3), unit.Hertz(1e12)
	maxCPI                    = 1000
	maxLatency                = unit.Seconds(10)
	minLine, maxLine          = unit.Bytes(4), unit.Bytes(1 << 20)
	maxCache                  = unit.Bytes(1 << 40)
	maxMemory                 = unit.Bytes(1 << 50)
	maxWays                   = 1 << 16
	maxProcessors             = 1 << 16
	maxLevels, maxNameLetters = 8, 200
	maxOutstanding, maxWindow = 1 << 10, 1 << 20
)

// text is a quantity as it was written: with or without quotes, to be read later,
// so that a number without a unit is refused with its place.
type text struct {
	value string
	given bool
}

// UnmarshalText keeps what was written.
func (t *text) UnmarshalText(b []byte) error {
	*t = text{string(b), true}
	return nil
}

// document is a description as it is written.
type document struct {
	Name      *string        `toml:"name"`
	Processor *processorText `toml:"processor"`
	Cache     []cacheText    `toml:"cache"`
	Shared    *cacheText     `toml:"shared_cache"`
	Memory    *memoryText    `toml:"memory"`
	Disk      *diskText      `toml:"disk"`
	Network   *networkText   `toml:"network"`
	Directory *directoryText `toml:"directory"`
	Messages  *messagesText  `toml:"messages"`
	TLB       *tlbText       `toml:"tlb"`
	System    *systemText    `toml:"system"`
}

type processorText struct {
	Clock       text     `toml:"clock"`
	CPI         *float64 `toml:"cpi"`
	CPF         *float64 `toml:"cpf"`
	Outstanding *int64   `toml:"outstanding"`
	Window      *int64   `toml:"window"`
}

type cacheText struct {
	Size    text   `toml:"size"`
	Line    text   `toml:"line"`
	Ways    *int64 `toml:"ways"`
	Latency text   `toml:"latency"`
}

type memoryText struct {
	Size       text    `toml:"size"`
	Latency    text    `toml:"latency"`
	Occupancy  text    `toml:"occupancy"`
	Invalidate text    `toml:"invalidate"`
	Placement  *string `toml:"placement"`
	Page       text    `toml:"page"`
}

type diskText struct {
	Latency text `toml:"latency"`
}

type networkText struct {
	Model  *string `toml:"model"`
	L      text    `toml:"L"`
	O      text    `toml:"o"`
	SmallG text    `toml:"g"`
	G      text    `toml:"G"`
	S      text    `toml:"S"`

	Sending   text    `toml:"o_s"`
	Receiving text    `toml:"o_r"`
	Gamma     text    `toml:"gamma"`
	Ports     *string `toml:"ports"`

	Gap      *string `toml:"gap"`
	Spacing  *string `toml:"spacing"`
	Topology *string `toml:"topology"`

	Latency    text   `toml:"latency"`
	Bandwidth  text   `toml:"bandwidth"`
	Efficiency text   `toml:"efficiency"`
	Header     text   `toml:"header"`
	Switch     text   `toml:"switch"`
	Rows       *int64 `toml:"rows"`
	Cols       *int64 `toml:"cols"`
	Arity      *int64 `toml:"arity"`
}

type systemText struct {
	Target     *string `toml:"target"`
	Processors *int64  `toml:"processors"`
	Nodes      *int64  `toml:"nodes"`
	Protocol   *string `toml:"protocol"`
	Block      text    `toml:"block"`
}

// reader turns text into a Machine and keeps the first error.
type reader struct {
	doc *strict.Document
	m   *Machine
	err error
}

// Read reads the description at path.
func Read(path string) (*Machine, error) {
	d, err := strict.Read(path)
	if err != nil {
		return nil, err
	}
	return decode(d)
}

// Parse reads a description; name is what errors call it.
func Parse(name string, description []byte) (*Machine, error) {
	d, err := strict.Parse(name, description)
	if err != nil {
		return nil, err
	}
	return decode(d)
}

func decode(d *strict.Document) (*Machine, error) {
	var doc document
	if err := d.Decode(&doc); err != nil {
		return nil, err
	}
	r := &reader{doc: d, m: &Machine{}}
	r.require("processor", doc.Processor != nil)
	r.require("memory", doc.Memory != nil)
	r.require("system", doc.System != nil)
	if r.err != nil {
		return nil, r.err
	}
	r.m.Name = r.name(doc.Name)
	r.processor(doc.Processor)
	r.caches(doc.Cache)
	r.sharedCache(doc.Shared)
	r.memory(doc.Memory)
	if doc.Disk != nil {
		r.m.Disk = &Disk{r.latency("disk.latency", doc.Disk.Latency)}
	}
	r.m.Network = r.network(doc.Network)
	r.system(doc.System)
	r.distributed(&doc)
	if r.err != nil {
		return nil, r.err
	}
	return r.m, nil
}

func (r *reader) fail(path, format string, args ...any) {
	if r.err == nil {
		r.err = r.doc.Errorf(path, format, args...)
	}
}

func (r *reader) require(section string, there bool) {
	if !there {
		r.fail(section, "the section [%s] is missing", section)
	}
}

func (r *reader) name(name *string) string {
	if name == nil || strings.TrimSpace(*name) == "" {
		r.fail("name", "is missing; results name the machine by it")
		return ""
	}
	if len(*name) > maxNameLetters || strings.ContainsFunc(*name, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		r.fail("name", "is longer than %d letters or has control characters", maxNameLetters)
	}
	return *name
}

func (r *reader) processor(p *processorText) {
	clock, err := unit.Parse(p.Clock.value, "Hz")
	switch {
	case !p.Clock.given:
		r.fail("processor.clock", "is missing")
	case err != nil:
		r.fail("processor.clock", "%v", err)
	case !(unit.Hertz(clock) >= minClock && unit.Hertz(clock) <= maxClock):
		r.fail("processor.clock", "%q is not from %v to %v", p.Clock.value, minClock, maxClock)
	}
	switch {
	case p.CPI == nil:
		r.fail("processor.cpi", "is missing")
	case !(*p.CPI > 0 && *p.CPI <= maxCPI):
		r.fail("processor.cpi", "%v is not above 0 and at most %v", *p.CPI, maxCPI)
	default:
		r.m.Processor = Processor{Clock: unit.Hertz(clock), CPI: unit.Cycles(*p.CPI)}
		r.overlap(p)
		r.flops(p)
	}
}

// flops reads what a floating-point operation takes.
func (r *reader) flops(p *processorText) {
	switch {
	case p.CPF == nil:
	case !(*p.CPF > 0 && *p.CPF <= maxCPI):
		r.fail("processor.cpf", "%v is not above 0 and at most %v", *p.CPF, maxCPI)
	default:
		r.m.Processor.CPF = unit.Cycles(*p.CPF)
	}
}

// overlap reads what goes on while misses are under way.
func (r *reader) overlap(p *processorText) {
	if p.Outstanding == nil {
		if p.Window != nil {
			r.fail("processor.window", "says how far instructions go on behind a miss, but not how many misses: add outstanding")
		}
		return
	}
	r.m.Processor.Outstanding = r.count("processor.outstanding", p.Outstanding, maxOutstanding)
	r.m.Processor.Window = unit.Cycles(r.count("processor.window", p.Window, maxWindow)) * r.m.Processor.CPI
}

func (r *reader) caches(list []cacheText) {
	if len(list) > maxLevels {
		r.fail(level(maxLevels), "is one level too many; %d are believed", maxLevels)
	}
	for i, t := range list {
		c := r.cache(level(i), t)
		if r.err != nil {
			return
		}
		r.m.Caches = append(r.m.Caches, c)
	}
}

// cache reads a level behind those that have been read.
func (r *reader) cache(at string, t cacheText) Cache {
	c := Cache{Size: r.size(at+".size", t.Size, 1), Line: r.size(at+".line", t.Line, minLine),
		Ways: r.count(at+".ways", t.Ways, maxWays), Latency: r.latency(at+".latency", t.Latency)}
	if r.err != nil {
		return c
	}
	r.geometry(at, c)
	if n := len(r.m.Caches); n > 0 {
		r.behind(at, r.m.Caches[n-1], c)
	}
	return c
}

func (r *reader) sharedCache(t *cacheText) {
	const at = "shared_cache"
	if t == nil || r.err != nil {
		return
	}
	c := r.cache(at, *t)
	if len(r.m.Caches) == 0 {
		r.fail(at, "comes behind the caches of each processor, and there is no [[cache]]")
	}
	r.m.Shared = &c
}

func level(i int) string { return fmt.Sprintf("cache[%d]", i) }

func (r *reader) geometry(at string, c Cache) {
	way := c.Line * unit.Bytes(c.Ways)
	switch {
	case !c.Line.IsPowerOfTwo() || c.Line > maxLine:
		r.fail(at+".line", "%v is not a power of two from %v to %v", c.Line, minLine, maxLine)
	case c.Size > maxCache:
		r.fail(at+".size", "%v is more than %v", c.Size, maxCache)
	case c.Size%way != 0:
		r.fail(at+".size", "%v is not a multiple of line x ways = %v x %d = %v", c.Size, c.Line, c.Ways, way)
	case !unit.Bytes(c.Size / way).IsPowerOfTwo():
		r.fail(at+".size", "%v in %d ways of %v lines are %d sets, which is not a power of two", c.Size, c.Ways, c.Line, c.Size/way)
	}
}

// behind holds a level to the one before it.
func (r *reader) behind(at string, inner, outer Cache) {
	switch {
	case inner.Line > outer.Line:
		r.fail(at+".line", "%v is smaller than the %v line of the level before it", outer.Line, inner.Line)
	case inner.Size > outer.Size:
		r.fail(at+".size", "%v is less than the %v of the level before it; list the nearest first", outer.Size, inner.Size)
	}
}

func (r *reader) memory(t *memoryText) {
	m := Memory{Size: r.size("memory.size", t.Size, 1), Latency: r.latency("memory.latency", t.Latency)}
	m.Occupancy, m.Invalidate = m.Latency, m.Latency
	if r.err != nil {
		return
	}
	switch n := len(r.m.Caches); {
	case m.Size > maxMemory:
		r.fail("memory.size", "%v is more than %v", m.Size, maxMemory)
	case n > 0 && m.Size <= r.m.Caches[n-1].Size:
		r.fail("memory.size", "%v is not more than the %v of the last cache", m.Size, r.m.Caches[n-1].Size)
	case r.m.Shared != nil && m.Size <= r.m.Shared.Size:
		r.fail("memory.size", "%v is not more than the %v of the shared cache", m.Size, r.m.Shared.Size)
	}
	if r.m.At(m.Latency) <= 0 {
		r.fail("memory.latency", "%q is not above 0", t.Latency.value)
	}
	if t.Occupancy.given {
		m.Occupancy = r.latency("memory.occupancy", t.Occupancy)
	} else {
		r.m.Assumed = append(r.m.Assumed, "memory.occupancy not given: a transfer holds the bus for the whole memory latency")
	}
	if t.Invalidate.given {
		m.Invalidate = r.latency("memory.invalidate", t.Invalidate)
	} else {
		m.Invalidate = m.Occupancy
		r.m.Assumed = append(r.m.Assumed, "memory.invalidate not given: an address-only transaction takes the bus as long as a line transfer")
	}
	m.Placement, m.Page = FirstTouch, 4<<10
	if t.Placement != nil {
		m.Placement = Placement(r.oneOf("memory.placement", t.Placement, names(placements)))
	}
	if t.Page.given {
		if m.Page = r.size("memory.page", t.Page, minLine); r.err == nil && !m.Page.IsPowerOfTwo() {
			r.fail("memory.page", "%v is not a power of two", m.Page)
		}
	}
	r.m.Memory = m
}

func (r *reader) system(t *systemText) {
	s := System{Target: Target(r.oneOf("system.target", t.Target, names(targets))), Processors: r.count("system.processors", t.Processors, maxProcessors), Nodes: 1}
	if t.Nodes != nil {
		s.Nodes = r.count("system.nodes", t.Nodes, maxProcessors)
	}
	if t.Protocol != nil {
		s.Protocol = Protocol(r.oneOf("system.protocol", t.Protocol, names(protocols)))
	}
	r.block(t, &s)
	switch {
	case r.err != nil:
	case s.Processors*s.Nodes > maxProcessors:
		r.fail("system.nodes", "%d nodes of %d processors are more than %d processors", s.Nodes, s.Processors, maxProcessors)
	case s.Target == SMP && s.Nodes > 1:
		r.fail("system.nodes", "an smp is one node; %d of them are a clump", s.Nodes)
	case s.Target == COW && s.Processors > 1:
		r.fail("system.processors", "a cow has one processor in each node; with %d it is a clump", s.Processors)
	case s.Target != LogP && len(r.m.Caches) == 0:
		r.fail("cache", "the section [[cache]] is missing; target %s has caches", s.Target)
	case s.Target != SMP && r.m.Shared != nil:
		r.fail("shared_cache", "is simulated in target %s alone, not in %s", SMP, s.Target)
	case s.Nodes > 1 && r.m.Network == nil:
		r.fail("network", "the section [network] is missing; it connects the %d nodes", s.Nodes)
	}
	r.m.System = s
}

// blockSize is that of [du2000, sec. 4.1].
const blockSize = unit.Bytes(256)

// block reads the size of what the nodes of a cluster share.
func (r *reader) block(t *systemText, s *System) {
	switch s.Target {
	case COW, CLUMP:
		s.Block = blockSize
		if n := len(r.m.Caches); n > 0 {
			s.Block = max(s.Block, r.m.Caches[n-1].Line)
		}
	default:
		if t.Block.given {
			r.fail("system.block", "does nothing for target %q; it is for cow, clump", s.Target)
		}
		return
	}
	if !t.Block.given {
		return
	}
	s.Block = r.size("system.block", t.Block, minLine)
	for _, c := range r.m.Caches {
		if r.err == nil && s.Block < c.Line {
			r.fail("system.block", "%v is less than the line of %v", s.Block, c.Line)
		}
	}
	if r.err == nil && (!s.Block.IsPowerOfTwo() || s.Block > maxLine) {
		r.fail("system.block", "%v is not a power of two to %v", s.Block, maxLine)
	}
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

// size reads a number of bytes of at least least.
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

func (r *reader) inRange(path string, s unit.Seconds) unit.Seconds {
	if !(s >= 0 && s <= maxLatency) || math.IsNaN(float64(s)) {
		r.fail(path, "%v is not from 0 to %v", s, maxLatency)
	}
	return s
}
