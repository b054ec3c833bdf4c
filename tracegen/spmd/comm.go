package spmd

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"spoor/traces/trace"
)

// Comm is a communicator: a set of ranks, numbered from 0, that exchange messages only with each other. Messages of
// two communicators never match, even between the same two ranks. A Comm belongs to one rank; every member has its
// own.
//
// A communicator has two groups of messages. The program's own messages are in group Group, and those of its
// collectives in group Group+1. A receive from Any rank therefore never takes a message of a collective.
type Comm struct {
	rank    *Rank
	members []int32 // by number: rank in the whole program; nil means all, in order
	index   int     // number of this rank
	size    int
	context int32 // in messages and events
	prefer  []AlgorithmName
	inner   *Comm // carries the messages of collectives: the same members, the next group
	splits  int32 // of World: the number of communicators made by Split in which this rank is member 0
}

// worldContext is the context of World. A communicator takes groupsOfComm contexts: one for its messages and the
// next for those of its collectives.
const (
	worldContext = trace.None
	groupsOfComm = 2
)

// World returns the communicator of all ranks.
func (r *Rank) World() *Comm {
	if r.world == nil {
		r.world = (&Comm{rank: r, index: r.id, size: r.procs, context: worldContext}).withInner()
	}
	return r.world
}

// withInner adds the communicator of collectives to a new one.
func (c *Comm) withInner() *Comm {
	hidden := *c
	hidden.context++
	c.inner = &hidden
	return c
}

func (r *Rank) comm() *Comm { return r.World() }
func (c *Comm) comm() *Comm { return c }

// ID returns the number of this rank within the communicator, from 0.
func (c *Comm) ID() int { return c.index }

// Procs returns the number of members.
func (c *Comm) Procs() int { return c.size }

// Group returns the group column of this communicator's events: -1 (trace.None) for the world. It is the same for
// all members and in every run, and unique within the run.
func (c *Comm) Group() int { return int(c.context) }

// Global returns the rank of member i in the whole program.
func (c *Comm) Global(i int) int { return int(c.global(i, "looking for")) }

// global is Global with the purpose for the error text.
func (c *Comm) global(i int, doing string) int32 {
	if i < 0 || i >= c.size {
		panic(fmt.Sprintf("%s rank %d of %d", doing, i, c.size))
	}
	if c.members == nil {
		return int32(i)
	}
	return c.members[i]
}

// With returns the same communicator, with the same groups. Its collectives use the first of the named algorithms
// that they have. A collective that has none of them chooses as Algorithms says. All members must give the same
// names.
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

// Split makes one communicator for each color. Members are numbered in the order of key, and for equal keys in the
// order of their numbers here. Split is a collective: all members call it. It costs the messages of an AllGather of
// 16 bytes. A rank with a negative color joins no communicator and gets nil.
func (c *Comm) Split(color, key int) *Comm {
	// membership is what each member sends to the others in Split.
	type membership struct {
		color, key int32
		splits     int32 // communicators in which the rank was member 0 so far
		number     int32 // in the communicator to be split
	}
	r := c.rank
	mine := membership{int32Of("color", color), int32Of("key", key), r.World().splits, int32(c.index)}
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
	sub.context = groupOf(sub.members[0], all[0].splits, r.procs)
	if sub.index == 0 {
		r.World().splits++
	}
	return sub.withInner()
}

// Dup makes a communicator of the same members, whose messages do not match those of c. It is a Split with one
// color.
func (c *Comm) Dup() *Comm { return c.Split(0, c.index) }

// groupOf numbers a communicator by its member 0, the leader, and by how many that rank has led before. The pair is
// unique and every member knows it.
func groupOf(leader, splits int32, procs int) int32 {
	n := (int64(splits+1)*int64(procs)+int64(leader))*groupsOfComm + int64(worldContext)
	if n > math.MaxInt32-groupsOfComm {
		panic(fmt.Sprintf("rank %d is member 0 of %d communicators, which is the maximum", leader, splits))
	}
	return int32(n)
}

func int32Of(what string, v int) int32 {
	if v < math.MinInt32 || v > math.MaxInt32 {
		panic(fmt.Sprintf("%s %d does not fit 32 bits", what, v))
	}
	return int32(v)
}
