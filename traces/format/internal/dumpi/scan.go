package dumpi

import (
	"fmt"
)

// dumpiCreation is a call that makes a communicator.
type dumpiCreation struct {
	kind   string
	parent int32 // index of the rank's own, or one of the two below
	none   bool  // the rank is not in the new communicator
	color  int64
	key    int64
	dims   []int64 // dimensions of a grid, or flags of those that remain
	group  *dumpiGroup
}

const (
	dumpiParentWorld = -1 - iota
	dumpiParentSelf
	dumpiParentUnknown
)

// dumpiGroup records how a rank made a group. It is evaluated when the communicators
// are known.
type dumpiGroup struct {
	kind  string // the call that made the group
	comm  int32  // like dumpiCreation.parent
	a, b  *dumpiGroup
	ranks []int64
	depth int // number of nested calls

	done    bool // the members are known
	members []int32
	known   bool
}

const dumpiMaxDepth = 1000 // maximum nesting of groups made of groups

// dumpiScan finds the calls of a rank that make communicators.
type dumpiScan struct {
	dumpiReader
	made   []dumpiCreation
	comms  map[int64]int32
	groups map[int64]*dumpiGroup
	lists  map[string][]int64 // arrays of all ranks, each stored once because ranks pass the same
}

// scan lists the creations in one file.
func (d *dumpiImport) scan(file int, lists map[string][]int64) ([]dumpiCreation, error) {
	in, err := d.files.Again(file)
	if err != nil {
		return nil, fmt.Errorf("the program makes communicators, which need all files: %w", err)
	}
	defer in.Close()
	s := &dumpiScan{comms: map[int64]int32{dumpiWorld: dumpiParentWorld, dumpiSelf: dumpiParentSelf}, groups: map[int64]*dumpiGroup{}, lists: lists}
	s.outside = func([]byte) error { return nil }
	s.returns = s.take
	err = s.read(in)
	return s.made, err
}

// list returns an array, stored once.
func (s *dumpiScan) list(c *dumpiCall, name string) []int64 {
	values := c.ints(name, nil)
	key := fmt.Sprint(values)
	if known, ok := s.lists[key]; ok {
		return known
	}
	s.lists[key] = values
	return values
}

func (s *dumpiScan) comm(c *dumpiCall, name string) int32 {
	if i, ok := s.comms[c.int(name)]; ok {
		return i
	}
	return dumpiParentUnknown
}

func (s *dumpiScan) take(c *dumpiCall) error {
	m := dumpiCreation{kind: c.name}
	switch c.name {
	case "MPI_Comm_split":
		m.color, m.key = c.int("color"), c.int("key")
	case "MPI_Comm_create":
		m.group = s.groups[c.int("group")]
	case "MPI_Cart_create":
		m.dims = s.list(c, "dims")
	case "MPI_Cart_sub":
		m.dims = s.list(c, "remain_dims")
	case "MPI_Comm_dup", "MPI_Graph_create", "MPI_Intercomm_create", "MPI_Intercomm_merge":
	case "MPI_Comm_free":
		delete(s.comms, c.int("comm"))
		return c.err
	default:
		s.takeGroup(c)
		return c.err
	}
	m.parent = dumpiParentUnknown
	if c.name != "MPI_Intercomm_create" && c.name != "MPI_Intercomm_merge" {
		m.parent = s.comm(c, "oldcomm")
	}
	id := c.int("newcomm")
	if m.none = id <= dumpiCommNull; !m.none {
		s.comms[id] = int32(len(s.made))
	}
	s.made = append(s.made, m)
	return c.err
}

// takeGroup records how a group was made.
func (s *dumpiScan) takeGroup(c *dumpiCall) {
	g := &dumpiGroup{kind: c.name}
	switch c.name {
	case "MPI_Comm_group":
		g.comm = s.comm(c, "comm")
		s.groups[c.int("group")] = g
		return
	case "MPI_Group_incl", "MPI_Group_excl":
		g.a, g.ranks = s.groups[c.int("group")], s.list(c, "ranks")
	case "MPI_Group_range_incl", "MPI_Group_range_excl":
		g.a, g.ranks = s.groups[c.int("group")], s.list(c, "ranges")
	case "MPI_Group_union", "MPI_Group_intersection", "MPI_Group_difference":
		g.a, g.b = s.groups[c.int("group1")], s.groups[c.int("group2")]
	case "MPI_Group_free":
		delete(s.groups, c.int("group"))
		return
	default:
		return
	}
	for _, of := range []*dumpiGroup{g.a, g.b} {
		if of != nil {
			g.depth = max(g.depth, of.depth+1)
		}
	}
	if g.depth > dumpiMaxDepth {
		g = nil
	}
	s.groups[c.int("newgroup")] = g
}
