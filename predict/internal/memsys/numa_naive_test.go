package memsys

import (
	"slices"
	"sort"

	"spoor/calibrate/machine"
	"spoor/predict/internal/memsys/touch"
	"spoor/predict/internal/network"
	"spoor/traces/unit"
)

// naiveNodes is the definition of the targets of several nodes: copies in a map, what homes know as sets, memories as lists
// of the times they are taken, and every message sent where the target's documentation says so.
type naiveNodes struct {
	cfg     Config
	target  string
	net     network.Network
	copies  map[naiveKey]*naiveLine
	lost    map[naiveKey]string
	touched map[uint64]int // first touch of pages
	listed  map[uint64][]int
	over    map[uint64]bool // pointers have overflown
	entries map[int][]uint64
	taken   map[int][][2]unit.Picos
	until   map[uint64]unit.Picos
	tlb     map[int][]uint64
	counts  []touch.Counts
	use     int
}

type naiveKey struct {
	p    int
	line uint64
}

type naiveLine struct {
	state string // S, E, M, O
	used  int
}

// course is when something is, and when it would be on an idle machine.
type course struct{ real, idle unit.Picos }

func later(a, b course) course { return course{max(a.real, b.real), max(a.idle, b.idle)} }

func newNaiveNodes(target string, cfg Config, net network.Network) *naiveNodes {
	return &naiveNodes{cfg: cfg, target: target, net: net, copies: map[naiveKey]*naiveLine{}, lost: map[naiveKey]string{},
		touched: map[uint64]int{}, listed: map[uint64][]int{}, over: map[uint64]bool{}, entries: map[int][]uint64{},
		taken: map[int][][2]unit.Picos{}, until: map[uint64]unit.Picos{}, tlb: map[int][]uint64{}, counts: make([]touch.Counts, cfg.Processors)}
}

func (n *naiveNodes) node(p int) int { return p / n.cfg.PerNode }

func (n *naiveNodes) home(line uint64, p int) int {
	page := line * uint64(n.cfg.block()) / uint64(n.cfg.Placement.Page)
	if n.cfg.Placement.Policy == machine.Interleaved {
		return int(page % uint64(n.cfg.nodes()))
	}
	if _, ok := n.touched[page]; !ok {
		n.touched[page] = n.node(p)
	}
	return n.touched[page]
}

// message goes from node to node.
func (n *naiveNodes) message(c course, from, to int, size unit.Bytes) course {
	if from != to {
		d := n.net.Send(c.real, network.Message{From: from, To: to, Bytes: size})
		c = course{d.Arrive, c.idle + d.Latency}
	}
	return c
}

// work keeps the memory of a node, in the first gap that is long enough.
func (n *naiveNodes) work(c course, node int, hold, latency unit.Picos) course {
	for again := true; again; {
		again = false
		for _, s := range n.taken[node] {
			if c.real+max(1, hold) > s[0] && c.real < s[1] {
				c.real, again = s[1], true
			}
		}
	}
	if hold > 0 {
		n.taken[node] = append(n.taken[node], [2]unit.Picos{c.real, c.real + hold})
	}
	return course{c.real + latency, c.idle + latency}
}

func (n *naiveNodes) block(line uint64, until unit.Picos) { n.until[line] = max(n.until[line], until) }

// access is one touch.
func (n *naiveNodes) access(now unit.Picos, p int, line uint64, store bool) touch.Cost {
	begin := course{now, 0}
	if n.missesTLB(p, line) {
		begin = course{now + n.cfg.TLB.Latency, n.cfg.TLB.Latency}
	}
	end := n.touch(begin, p, line, store)
	return touch.Cost{Latency: end.idle, Contention: end.real - now - end.idle}
}

func (n *naiveNodes) missesTLB(p int, line uint64) bool {
	if n.cfg.TLB == nil {
		return false
	}
	page := line * uint64(n.cfg.line()) / uint64(n.cfg.TLB.Page)
	sets := uint64(n.cfg.TLB.Entries / n.cfg.TLB.Ways)
	key := p*1000 + int(page%sets)
	pages := n.tlb[key]
	at := slices.Index(pages, page)
	if at >= 0 {
		n.tlb[key] = append(slices.Delete(pages, at, at+1), page)
		return false
	}
	if len(pages) == n.cfg.TLB.Ways {
		pages = pages[1:]
	}
	n.tlb[key] = append(pages, page)
	n.counts[p].TLBMisses++
	return true
}

func (n *naiveNodes) touch(begin course, p int, line uint64, store bool) course {
	n.use++
	c := &n.counts[p]
	if store {
		c.Stores++
	} else {
		c.Loads++
	}
	if n.target == "logp" {
		return n.logp(begin, p, line, store)
	}
	mine := n.copies[naiveKey{p, line}]
	if mine != nil {
		mine.used = n.use
		if store && mine.state == "E" {
			mine.state = "M"
		}
		if !store || mine.state == "M" {
			return begin
		}
	}
	if mine == nil {
		n.countMiss(p, line, store)
	}
	var end course
	switch {
	case n.target == "clogp":
		end = n.clogp(begin, p, line, store, mine == nil)
	case n.target == "dir1sw":
		end = n.dir1sw(begin, p, line, store, mine == nil)
	default:
		end = n.ccnuma(begin, p, line, store, mine == nil)
	}
	if mine == nil {
		n.makeRoom(begin.real, p, line)
	}
	return end
}

func (n *naiveNodes) countMiss(p int, line uint64, store bool) {
	misses := &n.counts[p].LoadMisses
	if store {
		misses = &n.counts[p].StoreMisses
	}
	switch n.lost[naiveKey{p, line}] {
	case "":
		misses.Cold++
	case "taken":
		misses.Coherence++
	case "replaced":
		misses.Replacement++
	}
}

// others is who else has the line, ascending, and which of them has it not only shared, or -1.
func (n *naiveNodes) others(p int, line uint64) (all []int, owner int) {
	owner = -1
	for q := range n.cfg.Processors {
		if c := n.copies[naiveKey{q, line}]; c != nil && q != p {
			all = append(all, q)
			if c.state != "S" {
				owner = q
			}
		}
	}
	return all, owner
}

func (n *naiveNodes) take(q int, line uint64) {
	delete(n.copies, naiveKey{q, line})
	n.lost[naiveKey{q, line}] = "taken"
	n.counts[q].Invalidations++
}

// settleStates is what the access of p makes of all copies. A load gets an exclusive one if it may.
func (n *naiveNodes) settleStates(p int, line uint64, store, mayExclude bool) {
	all, owner := n.others(p, line)
	if owner >= 0 && n.copies[naiveKey{p, line}] == nil && n.stale(owner, line) {
		n.counts[p].CacheToCache++
	}
	state := "S"
	if store {
		state = "M"
		for _, q := range all {
			n.take(q, line)
		}
	} else {
		if owner >= 0 {
			c := n.copies[naiveKey{owner, line}]
			if c.state == "M" && n.cfg.Protocol.Owned {
				c.state = "O"
			} else if c.state != "O" {
				c.state = "S"
			}
		}
		if len(all) == 0 && mayExclude && n.cfg.Protocol.Exclusive {
			state = "E"
		}
	}
	n.copies[naiveKey{p, line}] = &naiveLine{state, n.use}
}

// stale is whether memory is, given who has the line not only shared.
func (n *naiveNodes) stale(owner int, line uint64) bool {
	return owner >= 0 && n.copies[naiveKey{owner, line}].state != "E"
}

func (n *naiveNodes) logp(c course, p int, line uint64, store bool) course {
	from, home := n.node(p), n.home(line, p)
	there, back := n.cfg.Messages.Control, n.cfg.Messages.Data
	if store {
		there, back = back, there
	}
	if from != home {
		n.counts[p].RemoteFetches++
	}
	return n.message(n.message(c, from, home, there), home, from, back)
}

func (n *naiveNodes) clogp(c course, p int, line uint64, store, miss bool) course {
	from, at := n.node(p), 0
	if miss {
		at = n.home(line, p)
		memory := n.cfg.Memory.Latency
		if _, owner := n.others(p, line); n.stale(owner, line) {
			at, memory = n.node(owner), 0
		}
		if at != from {
			n.counts[p].RemoteFetches++
		}
		c = n.message(c, from, at, n.cfg.Messages.Control)
		c.real, c.idle = c.real+memory, c.idle+memory
		c = n.message(c, at, from, n.cfg.Messages.Data)
	} else {
		n.counts[p].Upgrades++
	}
	n.settleStates(p, line, store, true)
	return c
}

func (n *naiveNodes) dir1sw(c course, p int, line uint64, store, miss bool) course {
	from, home := n.node(p), n.home(line, p)
	control, data := n.cfg.Messages.Control, n.cfg.Messages.Data
	look, trap, m := n.cfg.Directory.LookUp, n.cfg.Directory.Trap, n.cfg.Memory
	c = n.message(c, from, home, control)
	c.real = max(c.real, n.until[line])
	all, owner := n.others(p, line)
	trapped := owner >= 0 || store && len(all) > 0
	if trapped {
		c = n.work(c, home, trap, trap)
	}
	switch {
	case owner >= 0:
		c = n.message(c, home, n.node(owner), control)
		c = n.message(c, n.node(owner), home, data)
		n.work(c, home, m.Occupancy, 0)
	case trapped:
		done := c
		for q := range n.cfg.Processors {
			if q != p {
				done = later(done, n.message(n.message(c, home, n.node(q), control), n.node(q), home, control))
			}
		}
		if c = done; miss {
			c = n.work(c, home, m.Occupancy, m.Latency)
		}
	case miss:
		c = n.work(c, home, look+m.Occupancy, look+m.Latency)
	default:
		c = n.work(c, home, look, look)
	}
	if miss {
		c = n.message(c, home, from, data)
	} else {
		c = n.message(c, home, from, control)
		n.counts[p].Upgrades++
	}
	if trapped || store {
		n.block(line, c.real)
	}
	if miss && from != home {
		n.counts[p].RemoteFetches++
	}
	n.settleStates(p, line, store, false)
	return c
}

func (n *naiveNodes) ccnuma(c course, p int, line uint64, store, miss bool) course {
	from, home := n.node(p), n.home(line, p)
	control, data := n.cfg.Messages.Control, n.cfg.Messages.Data
	look, m := n.cfg.Directory.LookUp, n.cfg.Memory
	c = n.message(c, from, home, control)
	c.real = max(c.real, n.until[line])
	c = n.makeEntry(c, home, line)
	_, owner := n.others(p, line)
	stale := n.stale(owner, line)
	toInvalidate, alone := n.enter(p, line, store)
	written := unit.Picos(0)
	var done course
	received := n.work(c, home, look, look)
	switch {
	case !miss:
		done = n.message(received, home, from, control)
		n.counts[p].Upgrades++
	case owner >= 0:
		asked := n.message(received, home, n.node(owner), control)
		done = n.message(asked, n.node(owner), from, data)
		if stale && !store && (!n.cfg.Protocol.Owned || slices.Contains(toInvalidate, owner)) {
			written = n.work(n.message(asked, n.node(owner), home, data), home, m.Occupancy, m.Occupancy).real
		}
	default:
		if held := n.taken[home]; look > 0 { // the look and the reading are one use of the home
			n.taken[home] = held[:len(held)-1]
		}
		read := n.work(c, home, look+m.Occupancy, 0)
		received = course{read.real + look, c.idle + look}
		done = n.message(course{received.real + m.Latency, received.idle + m.Latency}, home, from, data)
	}
	for _, q := range toInvalidate {
		if !miss || q != owner {
			done = later(done, n.message(n.message(received, home, n.node(q), control), n.node(q), from, control))
		}
	}
	n.block(line, written)
	if miss && (from != home || owner >= 0 && n.node(owner) != from) {
		n.counts[p].RemoteFetches++
	}
	n.settleStates(p, line, store, alone)
	for _, q := range toInvalidate {
		if n.copies[naiveKey{q, line}] != nil {
			n.take(q, line)
		}
	}
	if len(toInvalidate) > 0 || n.copies[naiveKey{p, line}].state != "S" {
		n.block(line, done.real)
	}
	return done
}

// enter is what the directory makes of an access: who must be told, and whether it knows of nobody else.
func (n *naiveNodes) enter(p int, line uint64, store bool) (toInvalidate []int, alone bool) {
	for q := range n.cfg.Processors {
		if q != p && (n.over[line] || slices.Contains(n.listed[line], q)) {
			toInvalidate = append(toInvalidate, q)
		}
	}
	d := n.cfg.Directory
	alone = len(toInvalidate) == 0 && !n.over[line]
	switch {
	case store:
		n.listed[line], n.over[line] = []int{p}, false
		return toInvalidate, alone
	case n.over[line] || slices.Contains(n.listed[line], p):
	case d.Kind != machine.LimitedPointers || len(n.listed[line]) < d.Pointers:
		n.listed[line] = append(n.listed[line], p)
	case d.Overflow == machine.Broadcast:
		n.listed[line], n.over[line] = nil, true
	default:
		first := n.listed[line][0]
		n.listed[line] = append(slices.Clone(n.listed[line][1:]), p)
		return []int{first}, alone
	}
	return nil, alone
}

// makeEntry gives a line an entry in a sparse directory.
func (n *naiveNodes) makeEntry(c course, home int, line uint64) course {
	d := n.cfg.Directory
	if d.Kind != machine.Sparse {
		return c
	}
	set := func(l uint64) uint64 { return l * 0x9E3779B97F4A7C15 >> 32 / (1 << 32 / uint64(d.Entries/d.Ways)) }
	all := slices.DeleteFunc(n.entries[home], func(l uint64) bool { return l == line })
	had := len(all) < len(n.entries[home])
	var same []uint64 // in the set, the oldest first
	for _, l := range all {
		if set(l) == set(line) {
			same = append(same, l)
		}
	}
	if !had && len(same) == d.Ways {
		c = n.recall(c, home, same[0])
		all = slices.DeleteFunc(all, func(l uint64) bool { return l == same[0] })
	}
	n.entries[home] = append(all, line)
	return c
}

func (n *naiveNodes) recall(c course, home int, line uint64) course {
	look, m := n.cfg.Directory.LookUp, n.cfg.Memory
	c.real = max(c.real, n.until[line])
	c = n.work(c, home, look, look)
	done := c
	who := n.listed[line]
	sort.Ints(who)
	for _, q := range who {
		received := n.message(c, home, n.node(q), n.cfg.Messages.Control)
		have := n.copies[naiveKey{q, line}]
		if have != nil && (have.state == "M" || have.state == "O") {
			received = n.work(n.message(received, n.node(q), home, n.cfg.Messages.Data), home, m.Occupancy, m.Occupancy)
			n.counts[q].WriteBacks++
		} else {
			received = n.message(received, n.node(q), home, n.cfg.Messages.Control)
		}
		done = later(done, received)
		if have != nil {
			n.take(q, line)
		}
	}
	delete(n.listed, line)
	return done
}

// makeRoom lets the least recently used line of a full set go.
func (n *naiveNodes) makeRoom(now unit.Picos, p int, line uint64) {
	sets := uint64(n.cfg.Caches[0].Sets())
	var old naiveKey
	count, use := 0, n.use
	for key, c := range n.copies {
		if key.p == p && key.line%sets == line%sets {
			count++
			if c.used < use {
				old, use = key, c.used
			}
		}
	}
	if count <= n.cfg.Caches[0].Ways {
		return
	}
	dirty := n.copies[old].state == "M" || n.copies[old].state == "O"
	delete(n.copies, old)
	n.lost[old] = "replaced"
	if dirty {
		n.counts[p].WriteBacks++
	}
	if n.target == "clogp" || n.target == "ccnuma" && !dirty && !n.cfg.Directory.Hints {
		return
	}
	home := n.home(old.line, p)
	n.listed[old.line] = slices.DeleteFunc(n.listed[old.line], func(q int) bool { return q == p })
	if n.cfg.Directory.Kind == machine.Sparse && len(n.listed[old.line]) == 0 {
		n.entries[home] = slices.DeleteFunc(n.entries[home], func(l uint64) bool { return l == old.line })
	}
	if dirty {
		back := n.message(course{now, 0}, n.node(p), home, n.cfg.Messages.Data)
		n.block(old.line, n.work(back, home, n.cfg.Memory.Occupancy, n.cfg.Memory.Occupancy).real)
		return
	}
	received := n.message(course{now, 0}, n.node(p), home, n.cfg.Messages.Control)
	n.work(received, home, n.cfg.Directory.LookUp, 0)
}
