package main

import (
	"math"
	"math/rand/v2"
	"strconv"

	"spoor/traces/trace"
)

// program is a random program in the making.
type program struct {
	*rand.Rand
	seed       uint64
	args       []trace.Arg
	processors []*processor
	messages   bool
	shared     []array // what processors share
	own        []array // of each processor
}

// array is an array of words of eight bytes.
type array struct{ base, words uint64 }

// processor is one of the program's.
type processor struct {
	refs   trace.Refs
	events []trace.Event
	since  uint64 // instructions since the last event
	own    uint32 // instructions of events since the last reference
	told   int32  // signals of the processor's flag
}

// touch adds a reference after some instructions.
func (p *processor) touch(instr uint32, addr uint64, op trace.Op) {
	p.refs.Append(instr+p.own, addr, 8, op)
	p.since += uint64(instr)
	p.own = 0
}

// add adds an event. Its instructions are those since the event before it, and one of its own.
func (p *processor) add(kind trace.Kind, set func(*trace.Event)) {
	e := trace.NewEvent(kind)
	e.Instr, e.Refs = uint32(p.since)+1, uint64(p.refs.Len())
	set(&e)
	p.events = append(p.events, e)
	p.since = 0
	p.own++
}

// generate draws a program. With procs or references 0, it draws them, too.
func generate(seed uint64, procs, references int, messages bool) *program {
	g := &program{Rand: rand.New(rand.NewPCG(seed, 40)), seed: seed, messages: messages}
	drawn := []int{2, 3, 4, 6, 8, 12, 16}[g.IntN(7)]
	if procs == 0 {
		procs = drawn
	}
	some := int(g.between(100_000, 600_000))
	if references == 0 {
		references = some
	}
	g.args = []trace.Arg{{Key: "seed", Value: strconv.FormatUint(seed, 10)}, {Key: "references", Value: strconv.Itoa(references)}}
	if messages {
		g.args = append(g.args, trace.Arg{Key: "messages", Value: "yes"})
	}
	g.allocate(procs)
	phases := 2 + g.IntN(9)
	for n := range phases {
		g.phase(references/phases/procs, n == phases-1)
	}
	return g
}

// allocate draws the arrays. Those of processors are far from each other, as in processes.
func (g *program) allocate(procs int) {
	next := uint64(0x10000000)
	for range 1 + g.IntN(4) {
		words := uint64(g.between(512, 128<<10))
		g.shared = append(g.shared, array{next, words})
		next += (words*8 + 4095) / 4096 * 4096
	}
	words := uint64(g.between(128, 16<<10))
	for i := range procs {
		g.processors = append(g.processors, &processor{})
		g.own = append(g.own, array{0x20000000 + uint64(i+1)<<40, words})
	}
}

// between draws a number whose logarithm is uniform.
func (g *program) between(lo, hi float64) float64 {
	return math.Exp(math.Log(lo) + g.Float64()*math.Log(hi/lo))
}

// chance is true with a probability.
func (g *program) chance(p float64) bool { return g.Float64() < p }
