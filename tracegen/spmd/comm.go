package spmd

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"spoor/traces/trace"
)

// Comm is a communicator: some of the ranks, numbered from 0, that exchange messages
// with each other and with nobody else. Messages of two communicators never match,
// even between the same two ranks. A Comm belongs to one rank; every member has its
// own.
//
// A communicator is two groups of messages: those that the program sends, in group
// Group, and those that its collectives are made of, in group Group+1. A receive
// from Any rank therefore never takes a message of a collective.
type Comm struct {
	rank    *Rank
	members []int32 // by number: rank of the whole program; nil means all, in order
	index   int     // number of this rank
	size    int
	context int32 // in messages and events
	prefer  []AlgorithmName
	hidden  *Comm // what collectives send through: the same members, the next group
	led     int32 // of World: communicators made by Split in which this rank is member 0
}

// worldContext is the context of World, and groupsOfComm how many a communicator
// takes: one for its messages, and the next for those of its collectives.
const (
	worldContext = trace.None
	groupsOfComm = 2
)

// World is the communicator of all ranks.
func (r *Rank) World() *Comm {
	if r.world == nil {
		r.world = (&Comm{rank: r, index: r.id, size: r.procs, context: worldContext}).withHidden()
	}
	return r.world
}

// withHidden completes a new communicator.
func (c *Comm) withHidden() *Comm {
	hidden := *c
	hidden.context++
	c.hidden = &hidden
	return c
}

func (r *Rank) comm() *Comm { return r.World() }
func (c *Comm) comm() *Comm { return c }

// ID is the number of this rank within the communicator, from 0.
func (c *Comm) ID() int { return c.index }

// Procs is the number of members.
func (c *Comm) Procs() int { return c.size }

// Group is the number that events carry as their group: -1 (trace.None) for the world.
// All members have the same, in every run, and no other communicator of the run has
// it.
func (c *Comm) Group() int { return int(c.context) }

// Global is the rank of the whole program that is member i.
func (c *Comm) Global(i int) int { return int(c.global(i, "looking for")) }

// global is the same; doing says what for.
func (c *Comm) global(i int, doing string) int32 {
	if i < 0 || i >= c.size {
		panic(fmt.Sprintf("%s rank %d of %d", doing, i, c.size))
	}
	if c.members == nil {
		return int32(i)
	}
	return c.members[i]
}

// With is the same communicator, in the same groups, whose collectives use one of
// the named algorithms where they have one of that name, the first named before the
// others; what they use otherwise, Algorithms says. All members must name the same.
func (c *Comm) With(names ...AlgorithmName) *Comm {
	for _, n := range names {
		if !slices.ContainsFunc(Algorithms, func(a Algorithm) bool { return a.Name == n }) {
			panic(fmt.Sprintf("no collective has an algorithm called %q", n))
		}
	}
	with := *c
	with.prefer = slices.Clone(names)
	return &with
}

// membership is what each member tells the others in Split.
type membership struct {
	color, key int32
	led        int32 // communicators that the rank has led so far
	number     int32 // in the communicator that is split
}

// Split makes communicators of the members that give the same color, numbered in
// the order of key, ties by their number here. It is a collective: all members call
// it, and it costs the messages of an AllGather of 16 bytes. A rank that gives a
// negative color joins none and gets nil.
func (c *Comm) Split(color, key int) *Comm {
	r := c.rank
	mine := membership{int32Of("color", color), int32Of("key", key), r.World().led, int32(c.index)}
	all := make([]membership, c.size)
	AllGather(c, []membership{mine}, all)
	if color < 0 {
		return nil
	}
	all = slices.DeleteFunc(all, func(m membership) bool { return m.color != mine.color })
	slices.SortFunc(all, func(a, b membership) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.number, b.number))
	})
	sub := &Comm{rank: r, size: len(all), members: make([]int32, len(all)), prefer: c.prefer}
	for i, m := range all {
		sub.members[i] = int32(c.Global(int(m.number)))
		if m == mine {
			sub.index = i
		}
	}
	sub.context = groupOf(sub.members[0], all[0].led, r.procs)
	if sub.index == 0 {
		r.World().led++
	}
	return sub.withHidden()
}

// Dup makes a communicator of the same members, whose messages do not match those
// of c. It is a Split in which all give the same color.
func (c *Comm) Dup() *Comm { return c.Split(0, c.index) }

// groupOf numbers a communicator after its member 0, the leader, and how many that
// rank has led before: no other has both, and every member knows them.
func groupOf(leader, led int32, procs int) int32 {
	n := (int64(led+1)*int64(procs)+int64(leader))*groupsOfComm + int64(worldContext)
	if n > math.MaxInt32-groupsOfComm {
		panic(fmt.Sprintf("rank %d has led %d communicators, and can lead no more", leader, led))
	}
	return int32(n)
}

func int32Of(what string, v int) int32 {
	if v < math.MinInt32 || v > math.MaxInt32 {
		panic(fmt.Sprintf("%s %d does not fit 32 bits", what, v))
	}
	return int32(v)
}
