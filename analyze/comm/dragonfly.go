package comm

import "fmt"

// dragonfly is groups of routers with hosts. A group has chassis of routers: all routers of a chassis have links to each
// other, and so have routers with the same number in different chassis. Two groups have global links. With one chassis,
// this is the canonical dragonfly [kim2008]; with several it is that of Cray's networks [faanes2012].
//
// Host h of router r is processor r hosts + h. Routers are numbered chassis by chassis, group by group.
type dragonfly struct {
	procs                                  int
	groups, chassis, routers, hosts, links int // links between two groups
	places                                 int // of groups around a group; one is empty if its own group has one
}

var dragonflyKind = TopologyKind{Name: "dragonfly", Keys: []string{"groups", "chassis", "routers", "hosts", "global"}, Switched: true, Detours: true,
	OneRoute: func(s Shape) bool { return s.Groups > 0 && s.Groups < 3 && max(1, s.Chassis)*s.Routers == 1 }, Hosts: dragonflyHosts, New: newDragonfly}

// dragonflyHosts returns the number of processors of a dragonfly with a shape.
func dragonflyHosts(s Shape) (int, error) {
	if s.Groups == 0 && s.Chassis == 0 && s.Routers == 0 && s.Hosts == 0 && s.Global == 0 {
		return 0, nil
	}
	d := ofShape(s)
	hosts, err := product("groups times chassis, routers and hosts", maxProcs, d.groups, d.chassis, d.routers, d.hosts)
	if err == nil {
		_, err = product("groups times groups and global", maxLinks, d.groups, d.groups, d.links)
	}
	if err == nil && s.Groups == 1 && s.Global > 0 {
		err = fmt.Errorf("network.global has no effect with one group")
	}
	return hosts, err
}

func ofShape(s Shape) dragonfly {
	return dragonfly{groups: s.Groups, chassis: max(1, s.Chassis), routers: s.Routers, hosts: s.Hosts, links: max(1, s.Global)}
}

// newDragonfly returns the dragonfly of a shape. Without one it is balanced [kim2008, sec. 3.1]: of the least h for which
// groups of 2h routers with h hosts and h global links have room. With fewer groups than possible, two groups have several
// links.
func newDragonfly(s Shape, procs int) (Topology, error) {
	hosts, err := dragonflyHosts(s)
	if err != nil {
		return nil, err
	}
	d := ofShape(s)
	if hosts == 0 {
		h := 1
		for 2*h*h*(2*h*h+1) < procs {
			h++
		}
		groups := max(1, (procs+2*h*h-1)/(2*h*h))
		d = dragonfly{groups: groups, chassis: 1, routers: 2 * h, hosts: h, links: 2 * h * h / max(1, groups-1)}
	} else if err := room("dragonfly", procs, hosts); err != nil {
		return nil, err
	}
	d.procs = procs
	a := d.group()
	ports := (d.links*(d.groups-1) + a - 1) / a // global links of a router, at most
	if d.places = d.groups - 1; d.links*d.groups <= ports*a {
		d.places = d.groups
	}
	return d, nil
}

func (d dragonfly) Name() string {
	return fmt.Sprintf("dragonfly %dx%dx%dx%d", d.groups, d.chassis, d.routers, d.hosts)
}
func (d dragonfly) Procs() int { return d.procs }

// group is the routers of a group.
func (d dragonfly) group() int { return d.chassis * d.routers }

// slots is the local links of a router, and two that do not exist: those to itself.
func (d dragonfly) slots() int { return d.chassis + d.routers }

// Links: those of hosts, then those within groups, then those between groups.
func (d dragonfly) Links() int64 {
	return int64(d.firstGlobal()) + int64(d.groups)*int64(d.groups)*int64(d.links)
}

func (d dragonfly) firstGlobal() Link {
	return 2*Link(d.procs) + Link(d.groups)*Link(d.group())*Link(d.slots())
}

// Bisection is that between the processors of low and of high numbers, if it is not more than their own links. Whether
// other halves have fewer links between them is not known.
func (d dragonfly) Bisection() int64 {
	half := d.procs / 2
	if d.procs < d.groups*d.group()*d.hosts {
		return 0
	}
	low := func(node int) bool {
		if r := node - d.procs; r >= 0 { // where most of its hosts are
			return 2*(half-r*d.hosts) >= d.hosts
		}
		return node < half
	}
	crossing := int64(0)
	for l := range Link(d.Links()) {
		if from, to, ok := d.Ends(l); ok && low(from) != low(to) {
			crossing++
		}
	}
	return min(crossing, 2*int64(half))
}

// port is the router of a group that has a link to another group. Links go round the routers of a group, in the order of
// the groups at the other ends. The place of the group itself stays empty if there is room for it: so does SimGrid.
func (d dragonfly) port(group, to, link int) int {
	if d.places < d.groups && to > group {
		to--
	}
	return (to + link*d.places) % d.group()
}

func (d dragonfly) Ends(l Link) (from, to int, ok bool) {
	router := func(group, r int) int { return d.procs + group*d.group() + r }
	first := d.firstGlobal()
	switch {
	case l < 0 || int64(l) >= d.Links():
		return 0, 0, false
	case l >= first:
		l -= first
		link, b := int(l)%d.links, int(l)/d.links
		a := b / d.groups
		b %= d.groups
		return router(a, d.port(a, b, link)), router(b, d.port(b, a, link)), a != b
	case l >= 2*Link(d.procs):
		l -= 2 * Link(d.procs)
		r, slot := int(l)/d.slots(), int(l)%d.slots()
		to = r - r%d.routers + slot
		if slot >= d.routers {
			to = r + ((slot-d.routers)-r/d.routers%d.chassis)*d.routers
		}
		return d.procs + r, d.procs + to, r != to
	}
	from, to = int(l/2), d.procs+int(l/2)/d.hosts
	if l%2 == 1 {
		from, to = to, from
	}
	return from, to, true
}

// Lane returns the number of a link among those between the same two groups.
func (d dragonfly) Lane(l Link) int {
	if first := d.firstGlobal(); l >= first {
		return int(l-first) % d.links
	}
	return 0
}

// hops is the links between two routers of a group.
func (d dragonfly) hops(from, to int) (n int) {
	if from%d.routers != to%d.routers {
		n++
	}
	if from/d.routers != to/d.routers {
		n++
	}
	return n
}

// within appends the route between two routers of a group: first in the chassis, then to another chassis.
func (d dragonfly) within(from, to int, into []Link) []Link {
	slots, first := Link(d.slots()), 2*Link(d.procs)
	if x := to % d.routers; from%d.routers != x {
		into = append(into, first+Link(from)*slots+Link(x))
		from += x - from%d.routers
	}
	if from != to {
		into = append(into, first+Link(from)*slots+Link(d.routers+to/d.routers%d.chassis))
	}
	return into
}

// cross appends the route from a router to another group, and returns the router there. Of several links to the group,
// it takes one after which the fewest links lead to the router to, or to any if to is negative. Ties are by choice.
func (d dragonfly) cross(from, group, to, choice int, into []Link) ([]Link, int) {
	own, ends, least, ties := from/d.group(), 0, 0, 0
	far := func(link int) int {
		n := d.hops(from%d.group(), d.port(own, group, link))
		if to >= 0 {
			n += d.hops(d.port(group, own, link), to%d.group())
		}
		return n
	}
	for link := range d.links {
		if n := far(link); ties == 0 || n < least {
			least, ties = n, 1
		} else if n == least {
			ties++
		}
	}
	turn := choice % ties
	for link := range d.links {
		if far(link) != least {
			continue
		}
		if ends = link; turn == 0 {
			break
		}
		turn--
	}
	into = d.within(from, own*d.group()+d.port(own, group, ends), into)
	into = append(into, d.firstGlobal()+Link(own*d.groups+group)*Link(d.links)+Link(ends))
	return into, group*d.group() + d.port(group, own, ends)
}

// Route takes at most one link between groups [kim2008, sec. 4.1]. A route over two may be shorter.
//
// Differs: within a group, SimGrid 3.32 leaves out the link between chassis, if the sender is not in the first one and
// its router has another number than the receiver's.
func (d dragonfly) Route(from, to int, into []Link) []Link {
	if from == to {
		return into
	}
	into = append(into, Link(2*from))
	return append(d.minimal(from/d.hosts, to/d.hosts, to, into), Link(2*to+1))
}

// minimal appends the route between two routers.
func (d dragonfly) minimal(from, to, choice int, into []Link) []Link {
	if group := to / d.group(); from/d.group() != group {
		into, from = d.cross(from, group, to, choice, into)
	}
	return d.within(from, to, into)
}

// Detour goes by way of a random third group [kim2008, sec. 4.1]. Between routers of a group, and with fewer than three
// groups, it goes by way of a random router of the sender's group.
func (d dragonfly) Detour(from, to int, random uint64, into []Link) []Link {
	r, end, a := from/d.hosts, to/d.hosts, d.group()
	if r == end {
		return d.Route(from, to, into)
	}
	into = append(into, Link(2*from))
	own, other := r/a, end/a
	if own == other || d.groups < 3 {
		mid := own*a + int(random%uint64(a))
		into, r = d.within(r, mid, into), mid
	} else {
		mid := int(random % uint64(d.groups-2))
		for _, taken := range []int{min(own, other), max(own, other)} {
			if mid >= taken {
				mid++
			}
		}
		into, r = d.cross(r, mid, -1, int(random>>32), into)
	}
	return append(d.minimal(r, end, to, into), Link(2*to+1))
}
