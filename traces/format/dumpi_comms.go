package format

import (
	"cmp"
	"fmt"
	"slices"
)

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

// dumpiCreation is a call that makes a communicator.
type dumpiCreation struct {
	kind   string
	parent int32 // which of the rank's own, or one of the two below
	none   bool  // the rank is not in the new one
	color  int64
	key    int64
	dims   []int64 // of a grid; which of them remain, of a part of one
	group  *dumpiGroup
}

const (
	dumpiParentWorld = -1 - iota
	dumpiParentSelf
	dumpiParentUnknown
)

// dumpiGroup is how a rank made a group, to be evaluated when its communicators are
// known.
type dumpiGroup struct {
	kind  string // the call that made it
	comm  int32  // as dumpiCreation.parent
	a, b  *dumpiGroup
	ranks []int64
	depth int // of the calls before it

	done    bool // members are found
	members []int32
	known   bool
}

const dumpiMaxDepth = 1000 // groups made of groups made of groups

// dumpiScan reads one rank's calls for those that make communicators.
type dumpiScan struct {
	dumpiReader
	made   []dumpiCreation
	comms  map[int64]int32
	groups map[int64]*dumpiGroup
	lists  map[string][]int64 // those of all ranks, each once: ranks pass the same
}

// scan lists the creations of one file.
func (d *dumpiImport) scan(file int, lists map[string][]int64) ([]dumpiCreation, error) {
	in, err := d.files.Again(file)
	if err != nil {
		return nil, fmt.Errorf("the program makes communicators, whose ranks are in all files: %w", err)
	}
	defer in.Close()
	s := &dumpiScan{comms: map[int64]int32{dumpiWorld: dumpiParentWorld, dumpiSelf: dumpiParentSelf}, groups: map[int64]*dumpiGroup{}, lists: lists}
	s.outside = func([]byte) error { return nil }
	s.returns = s.take
	err = s.read(in)
	return s.made, err
}

// list is an array, kept once.
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

// takeGroup keeps how a group was made.
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

// resolve reads all files for what makes communicators, and finds the ranks of each.
func (d *dumpiImport) resolve() error {
	size := len(d.fileOf)
	made := make([][]dumpiCreation, size)
	d.created = make([][]*dumpiComm, size)
	lists := map[string][]int64{}
	for rank, file := range d.fileOf {
		if file < 0 {
			continue
		}
		var err error
		if made[rank], err = d.scan(file, lists); err != nil {
			return err
		}
		d.created[rank] = make([]*dumpiComm, 0, len(made[rank]))
	}
	v := &dumpiResolver{d: d, made: made, world: &dumpiComm{group: -1}, groups: 1}
	for rank := range int32(d.worldSize()) {
		v.world.ranks = append(v.world.ranks, rank)
	}
	for rank := range int32(size) {
		v.ready = append(v.ready, rank)
	}
	for len(v.ready) > 0 {
		rank := v.ready[len(v.ready)-1]
		v.ready = v.ready[:len(v.ready)-1]
		v.advance(rank)
	}
	return nil
}

// dumpiResolver lets ranks meet in the calls that make communicators.
type dumpiResolver struct {
	d      *dumpiImport
	made   [][]dumpiCreation
	world  *dumpiComm // with its ranks
	ready  []int32    // ranks that may go on
	groups int32      // numbers given to communicators
}

// parent is the communicator of a number in a creation of rank.
func (v *dumpiResolver) parent(rank, i int32) *dumpiComm {
	switch {
	case i == dumpiParentWorld:
		return v.world
	case i == dumpiParentSelf:
		return &dumpiComm{ranks: []int32{rank}}
	case i >= 0 && int(i) < len(v.d.created[rank]) && v.d.created[rank][i] != nil:
		return v.d.created[rank][i]
	}
	return &dumpiComm{why: "it is made from one whose ranks are not known"}
}

// next is the creation that rank has come to.
func (v *dumpiResolver) next(rank int32) *dumpiCreation {
	return &v.made[rank][len(v.d.created[rank])]
}

// advance lets a rank go on to its next creation, where all ranks of the parent meet.
func (v *dumpiResolver) advance(rank int32) {
	for int(rank) < len(v.made) && len(v.d.created[rank]) < len(v.made[rank]) {
		m := v.next(rank)
		parent := v.parent(rank, m.parent)
		if m.kind == "MPI_Intercomm_create" || m.kind == "MPI_Intercomm_merge" {
			parent.why = "it is made by " + m.kind + ", which joins two groups"
		}
		if parent.why != "" {
			v.d.created[rank] = append(v.d.created[rank], &dumpiComm{why: parent.why})
			continue
		}
		if parent.waiting = append(parent.waiting, rank); len(parent.waiting) == len(parent.ranks) {
			v.meet(parent)
		}
		return
	}
}

// meet makes the communicators of one call by all ranks of parent.
func (v *dumpiResolver) meet(parent *dumpiComm) {
	parent.waiting = parent.waiting[:0]
	kind := v.next(parent.ranks[0]).kind
	made := make([]*dumpiComm, len(parent.ranks))
	same := !slices.ContainsFunc(parent.ranks, func(rank int32) bool { return v.next(rank).kind != kind })
	switch {
	case !same:
		for i := range made {
			made[i] = &dumpiComm{why: "its ranks make different calls"}
		}
	case kind == "MPI_Comm_create":
		v.create(parent, made)
	case kind == "MPI_Cart_sub":
		v.cartSub(parent, made)
	case kind == "MPI_Comm_split":
		v.split(parent, made, func(i int, m *dumpiCreation) (int64, int64) { return m.color, m.key })
	default: // a duplicate, or a grid or graph of the first ranks
		v.split(parent, made, func(i int, m *dumpiCreation) (int64, int64) { return 0, 0 })
		if kind == "MPI_Cart_create" {
			for i, rank := range parent.ranks {
				if made[i] != nil {
					made[i].dims = v.next(rank).dims
				}
			}
		}
	}
	for i, rank := range parent.ranks {
		v.d.created[rank] = append(v.d.created[rank], made[i])
	}
	v.ready = append(v.ready, parent.ranks...)
}

// newComm numbers a communicator.
func (v *dumpiResolver) newComm(ranks []int32) *dumpiComm {
	v.groups++
	return &dumpiComm{group: v.groups - 1, ranks: ranks}
}

// split makes a communicator of the ranks of each color, in the order of their keys.
func (v *dumpiResolver) split(parent *dumpiComm, made []*dumpiComm, by func(i int, m *dumpiCreation) (color, key int64)) {
	type entry struct {
		color, key int64
		i          int
	}
	var entries []entry
	for i, rank := range parent.ranks {
		if m := v.next(rank); !m.none {
			color, key := by(i, m)
			entries = append(entries, entry{color, key, i})
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Or(cmp.Compare(a.color, b.color), cmp.Compare(a.key, b.key)) })
	var comm *dumpiComm
	for k, e := range entries {
		if k == 0 || entries[k-1].color != e.color {
			comm = v.newComm(nil)
		}
		comm.ranks = append(comm.ranks, parent.ranks[e.i])
		made[e.i] = comm
	}
}

// create makes the communicators of groups.
func (v *dumpiResolver) create(parent *dumpiComm, made []*dumpiComm) {
	byFirst := map[int32]*dumpiComm{} // the groups of one call have no rank in common
	for i, rank := range parent.ranks {
		m := v.next(rank)
		if m.none {
			continue
		}
		ranks, ok := v.members(rank, m.group)
		if !ok || len(ranks) == 0 || !slices.Contains(ranks, rank) {
			made[i] = &dumpiComm{why: "its group is not known"}
			continue
		}
		if byFirst[ranks[0]] == nil {
			byFirst[ranks[0]] = v.newComm(ranks)
		}
		made[i] = byFirst[ranks[0]]
	}
}

// members are the world ranks of a group of one rank.
func (v *dumpiResolver) members(rank int32, g *dumpiGroup) (ranks []int32, ok bool) {
	if g == nil {
		return nil, false
	}
	if !g.done {
		g.done = true
		g.members, g.known = v.evaluate(rank, g)
	}
	return g.members, g.known
}

func (v *dumpiResolver) evaluate(rank int32, g *dumpiGroup) (ranks []int32, ok bool) {
	if g.a == nil {
		c := v.parent(rank, g.comm)
		return c.ranks, g.kind == "MPI_Comm_group" && c.why == ""
	}
	a, ok := v.members(rank, g.a)
	if !ok {
		return nil, false
	}
	if g.kind == "MPI_Group_union" || g.kind == "MPI_Group_intersection" || g.kind == "MPI_Group_difference" {
		b, ok := v.members(rank, g.b)
		return combineGroups(g.kind, a, b), ok
	}
	picked, ok := g.pick(len(a))
	if !ok {
		return nil, false
	}
	for _, i := range picked {
		ranks = append(ranks, a[i])
	}
	if g.kind == "MPI_Group_excl" || g.kind == "MPI_Group_range_excl" {
		ranks = combineGroups("MPI_Group_difference", a, ranks)
	}
	return ranks, true
}

// combineGroups orders members as MPI does: those of a first.
func combineGroups(kind string, a, b []int32) (ranks []int32) {
	in := map[int32]bool{}
	for _, r := range b {
		in[r] = true
	}
	for _, r := range a {
		if kind == "MPI_Group_union" || in[r] == (kind == "MPI_Group_intersection") {
			ranks = append(ranks, r)
		}
	}
	if kind == "MPI_Group_union" {
		for _, r := range b {
			if !slices.Contains(a, r) {
				ranks = append(ranks, r)
			}
		}
	}
	return ranks
}

// pick lists the ranks that the call names, of n.
func (g *dumpiGroup) pick(n int) (picked []int, ok bool) {
	if g.kind == "MPI_Group_incl" || g.kind == "MPI_Group_excl" {
		for _, r := range g.ranks {
			if r < 0 || r >= int64(n) {
				return nil, false
			}
			picked = append(picked, int(r))
		}
		return picked, true
	}
	for i := 0; i+2 < len(g.ranks); i += 3 { // first, last, stride
		first, last, stride := g.ranks[i], g.ranks[i+1], g.ranks[i+2]
		if stride == 0 || min(first, last) < 0 || max(first, last) >= int64(n) || (last-first)/stride < 0 {
			return nil, false
		}
		for k := range (last-first)/stride + 1 {
			picked = append(picked, int(first+k*stride))
		}
	}
	return picked, true
}

// cartSub splits a grid: ranks that differ only in dimensions that remain are
// together.
func (v *dumpiResolver) cartSub(parent *dumpiComm, made []*dumpiComm) {
	remain := v.next(parent.ranks[0]).dims
	volume := int64(1)
	for _, n := range parent.dims {
		if n <= 0 || volume > int64(len(parent.ranks))/n {
			volume = 0
			break
		}
		volume *= n
	}
	if len(parent.dims) == 0 || len(remain) != len(parent.dims) || volume != int64(len(parent.ranks)) {
		for i := range made {
			made[i] = &dumpiComm{why: "it is a part of a grid whose dimensions are not known"}
		}
		return
	}
	var dims []int64
	for i, n := range parent.dims {
		if remain[i] != 0 {
			dims = append(dims, n)
		}
	}
	v.split(parent, made, func(rank int, _ *dumpiCreation) (color, key int64) {
		cell, place, below := int64(rank), int64(1), int64(1)
		for i := len(remain) - 1; i >= 0; i-- { // the last dimension varies fastest
			at := cell % parent.dims[i]
			cell /= parent.dims[i]
			if remain[i] != 0 {
				key, below = key+at*below, below*parent.dims[i]
			} else {
				color, place = color+at*place, place*parent.dims[i]
			}
		}
		return color, key
	})
	for _, c := range made {
		if c != nil {
			c.dims = dims
		}
	}
}
