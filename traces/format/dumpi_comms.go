package format

// The numbers of communicators that every program has.
const (
	dumpiCommNull = 1
	dumpiWorld    = 2
	dumpiSelf     = 3
)

// dumpiComm is a communicator.
type dumpiComm struct {
	group   int32   // number in the trace; -1 for the world
	ranks   []int32 // world ranks; nil for the world, and for the rank alone
	self    bool
	dims    []int64 // of a grid
	why     string  // its ranks are not known
	waiting []int32 // ranks that came to the next call that makes a communicator of it
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

// world is the world rank of a rank of c.
func (c *dumpiComm) world(r *dumpiRank, local int32) int32 {
	switch {
	case c.self:
		return r.rank
	case c.ranks == nil:
		return local
	}
	return c.ranks[local]
}

func (d *dumpiImport) worldSize() int { return max(d.size, d.said) }

// Communicators every rank has; that of the rank alone comes before all others.
var (
	dumpiTheWorld = &dumpiComm{group: -1}
	dumpiAlone    = &dumpiComm{group: 0, self: true}
)

// comm is the communicator of an argument. The first one that the program made
// itself has all files read for the calls that make them.
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
		why := "its ranks do not all make it"
		if i < len(made) && made[i] != nil {
			why = made[i].why
		}
		c.bad(c.arg(name), "the ranks of the communicator are not known: "+why, "are the files of all ranks given, and whole?")
		return dumpiTheWorld
	}
	return made[i]
}

// makes is a call that makes a communicator, in order of which they are numbered.
func (r *dumpiRank) makes(c *dumpiCall) error {
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
