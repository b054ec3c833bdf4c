package dumpi

// The numbers of the predefined communicators.
const (
	dumpiCommNull = 1
	dumpiWorld    = 2
	dumpiSelf     = 3
)

// dumpiComm is a communicator.
type dumpiComm struct {
	group   int32   // number in the trace; -1 for the world
	ranks   []int32 // world ranks; nil for the world and for a rank alone
	self    bool
	dims    []int64 // of a grid
	why     string  // why its ranks are not known, or ""
	waiting []int32 // ranks at the next call that makes a communicator from this one
}

func (c *dumpiComm) size(r *dumpiRank) int {
	switch {
	case c.self:
		return 1
	case c.ranks == nil:
		return r.d.worldSize()
	}
	return len(c.ranks)
}

// world returns the world rank of a rank of c.
func (c *dumpiComm) world(r *dumpiRank, local int32) int32 {
	switch {
	case c.self:
		return r.rank
	case c.ranks == nil:
		return local
	}
	return c.ranks[local]
}

func (d *dumpiImport) worldSize() int { return max(d.size, d.maxCommSize) }

// The communicators that every rank has. dumpiSelf precedes all others.
var (
	dumpiTheWorld = &dumpiComm{group: -1}
	dumpiAlone    = &dumpiComm{group: 0, self: true}
)

// comm returns the communicator of an argument. At the first communicator that the
// program made itself, it reads all files for the calls that make communicators.
func (r *dumpiRank) comm(c *dumpiCall, name string) *dumpiComm {
	id := c.int(name)
	if c.err != nil {
		return dumpiTheWorld
	}
	switch id {
	case dumpiWorld:
		return dumpiTheWorld
	case dumpiSelf:
		return dumpiAlone
	}
	i, ok := r.comms[id]
	if !ok {
		c.bad(c.arg(name), "no call in the trace makes this communicator", "")
		return dumpiTheWorld
	}
	if r.d.created == nil {
		if err := r.d.resolve(); err != nil {
			c.err = err
			return dumpiTheWorld
		}
	}
	made := r.d.created[r.rank]
	if i >= len(made) || made[i] == nil || made[i].why != "" {
		why := "not all of its ranks call the function that makes it"
		if i < len(made) && made[i] != nil {
			why = made[i].why
		}
		c.bad(c.arg(name), "the ranks of the communicator are not known: "+why, "check that the files of all ranks are given, and complete")
		return dumpiTheWorld
	}
	return made[i]
}

// makesComm handles a call that makes a communicator. Communicators are numbered in the
// order of these calls.
func (r *dumpiRank) makesComm(c *dumpiCall) error {
	id := c.int("newcomm")
	if id > dumpiCommNull {
		r.comms[id] = r.made
	}
	r.made++
	r.d.notes.comms++
	return c.err
}

func (r *dumpiRank) commFree(c *dumpiCall) error {
	delete(r.comms, c.int("comm"))
	return c.err
}
