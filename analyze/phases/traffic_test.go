package phases

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spoor/analyze/analysis"
	"spoor/traces/store"
	"spoor/traces/testsize"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// nodesOracle is shared memory in blocks as written down: every node may do nothing, load or store.
type nodesOracle struct {
	a         *Analysis
	placement Placement
	network   Network
	delay     unit.Instructions
	held      map[string]naiveSpans // of the bus or a port
	waited    []unit.Instructions   // for locks, in the interleaved order, by processor
	stopped   []bool                // by others, by processor
	holder    map[int32]int         // of a lock
	lineUp    map[int32][]int       // for a lock
	signals   map[int32]int32
	waiting   [][]naiveUse                 // that have not happened in this phase, by processor
	late      []unit.Instructions          // by processor
	start     []unit.Instructions          // of the phase, likewise
	counts    []unit.Instructions          // of uses in the phase, likewise
	until     map[uint64]unit.Instructions // when a block is where it went
	to        map[uint64]int

	perNode int
	places  *trace.HomeMap
	pages   map[uint64]int
	home    map[uint64]int
	right   map[uint64][]string
	nodes   int
	window  unit.Instructions
	at      []position
	found   map[windowKey]*Traffic
	node    *nodeOracle
	alone   bool       // one node with all processors
	size    unit.Bytes // of what is used at once
}

// naiveUse is one load or store of a line of a block, when it happens if its processor is not late.
type naiveUse struct {
	at     unit.Instructions
	line   uint64
	store  bool
	window int64
	event  *trace.Event // instead
}

func (o *nodesOracle) piece(p *analysis.Chunk) {
	if p.Event != nil {
		at := &o.at[p.Proc]
		at.done += p.Instr
		switch p.Event.Kind {
		case trace.Lock, trace.Unlock, trace.Signal, trace.WaitFlag:
			o.waited[p.Proc] += p.Time - o.start[p.Proc] - at.done
			if o.delay > 0 || o.alone {
				e := *p.Event
				o.waiting[p.Proc] = append(o.waiting[p.Proc], naiveUse{at: p.Time + o.counts[p.Proc] - o.waited[p.Proc],
					window: at.window, event: &e})
			}
		}
		o.start[p.Proc] = p.Time - o.at[p.Proc].done
		if p.Event.Kind == trace.Barrier {
			o.endPhase()
			o.at[p.Proc] = position{phase: o.at[p.Proc].phase + 1}
			o.start[p.Proc] = p.Time
		}
		return
	}
	for i, addr := range p.Refs.Addr {
		q := p.RefProcs[i]
		at := &o.at[q]
		at.done += unit.Instructions(p.Refs.Instr[i])
		if at.done > 0 {
			at.window = int64((at.done - 1) / o.window)
		}
		if op := p.Refs.Op[i]; op.Data() {
			size := uint64(o.size)
			for b := addr / size; b <= (addr+uint64(p.Refs.Size[i])-1)/size; b++ {
				u := naiveUse{at: o.start[q] + at.done, line: b, store: op == trace.Store, window: at.window}
				if o.delay == 0 && !o.alone {
					o.use(q, u, 0)
					continue
				}
				o.counts[q]++
				u.at += o.counts[q] - o.waited[q]
				o.waiting[q] = append(o.waiting[q], u)
			}
		}
	}
}

// endPhase lets what the processors did in the phase happen: always the use that comes first, with what its processor has waited. If all
// wait for each other, the first of them goes on.
func (o *nodesOracle) endPhase() {
	for {
		first := -1
		for p, w := range o.waiting {
			if len(w) > 0 && !o.stopped[p] && (first < 0 || w[0].at+o.late[p] < o.waiting[first][0].at+o.late[first]) {
				first = p
			}
		}
		force := first < 0
		if force {
			if first = slices.Index(o.stopped, true); first < 0 {
				break
			}
		}
		u := o.waiting[first][0]
		if u.event != nil {
			o.cross(first, u, force)
			continue
		}
		o.waiting[first] = o.waiting[first][1:]
		o.late[first] += o.use(trace.Proc(first), u, u.at+o.late[first])
	}
	latest := unit.Instructions(0)
	for p := range o.late {
		latest = max(latest, o.late[p]+o.counts[p])
	}
	for p := range o.late {
		o.late[p], o.counts[p], o.waited[p] = latest, 0, 0
	}
}

// cross lets p do what others may wait for, or wait for them.
func (o *nodesOracle) cross(p int, u naiveUse, force bool) {
	now, id := u.at+o.late[p], u.event.Peer
	goOn := func(q int) {
		v := o.waiting[q][0]
		if came := v.at + o.late[q]; now > came {
			o.traffic(trace.Proc(q), v.window).Waits += uint64(now - came)
			o.late[q] += now - came
		}
		o.stopped[q], o.waiting[q] = false, o.waiting[q][1:]
	}
	switch holder, held := o.holder[id]; u.event.Kind {
	case trace.Lock:
		if held && !force {
			o.stopped[p] = true
			o.lineUp[id] = append(o.lineUp[id], p)
			return
		}
		o.holder[id] = p
		o.lineUp[id] = slices.DeleteFunc(o.lineUp[id], func(q int) bool { return q == p })
	case trace.Unlock:
		if !held || holder != p {
			break
		}
		delete(o.holder, id)
		if line := o.lineUp[id]; len(line) > 0 {
			o.holder[id], o.lineUp[id] = line[0], line[1:]
			goOn(line[0])
		}
	case trace.Signal:
		o.signals[id]++
		for q := range o.stopped {
			if e := first(o.waiting[q]).event; o.stopped[q] && e.Kind == trace.WaitFlag && e.Peer == id && e.Tag <= o.signals[id] {
				goOn(q)
			}
		}
	case trace.WaitFlag:
		if o.signals[id] < u.event.Tag && !force {
			o.stopped[p] = true
			return
		}
	}
	now = 0
	goOn(p)
}

func first(w []naiveUse) (u naiveUse) {
	if len(w) > 0 {
		u = w[0]
	}
	return u
}

// traffic is that of p in a window.
func (o *nodesOracle) traffic(p trace.Proc, window int64) *Traffic {
	at := windowKey{p, o.at[p].phase, window}
	if o.found[at] == nil {
		o.found[at] = &Traffic{}
	}
	return o.found[at]
}

// naiveSpans is when something is held, from and to.
type naiveSpans [][2]unit.Instructions

// earliest is the first time from at on when all of these are free for so long, at least for a moment.
func earliest(at, long unit.Instructions, all ...naiveSpans) unit.Instructions {
	for {
		next := at
		for _, spans := range all {
			for _, s := range spans {
				if s[0] < at+max(1, long) && at < s[1] {
					next = max(next, s[1])
				}
			}
		}
		if next == at {
			return at
		}
		at = next
	}
}

// with is s, held from at on for so long.
func (s naiveSpans) with(at, long unit.Instructions) naiveSpans {
	if long == 0 {
		return s
	}
	return append(s, [2]unit.Instructions{at, at + long})
}

// message is how long one with a block takes, or without, and how long it holds the network.
func (o *nodesOracle) message(withBlock bool) (long, held unit.Instructions) {
	latency := min(o.delay, o.a.Latency)
	held = o.delay - latency
	if !withBlock {
		held = unit.Instructions(math.Round(o.a.Right * float64(held)))
	}
	return latency + held, held
}

// send is when a message that leaves at a time has come.
func (o *nodesOracle) send(at unit.Instructions, from, to int, withBlock bool) unit.Instructions {
	var parts []string
	switch o.network {
	case Bus:
		parts = []string{"bus"}
	case Switch:
		parts = []string{fmt.Sprint(from, " sends"), fmt.Sprint(to, " receives")}
	}
	long, held := o.message(withBlock)
	var all []naiveSpans
	for _, part := range parts {
		all = append(all, o.held[part])
	}
	at = earliest(at, held, all...)
	for _, part := range parts {
		o.held[part] = o.held[part].with(at, held)
	}
	return at + long
}

func (o *nodesOracle) homeOf(block uint64, n int) int {
	first := block * uint64(o.a.Block)
	if p, ok := o.places.Of(first, first+uint64(o.a.Block)-1); ok {
		return int(p) / o.perNode
	}
	page := first / 4096
	if o.placement == Interleaved {
		return int(page) % o.nodes
	}
	if _, ok := o.pages[page]; !ok {
		o.pages[page] = n
	}
	return o.pages[page]
}

// use is how long p takes for a load or store.
func (o *nodesOracle) use(p trace.Proc, u naiveUse, now unit.Instructions) unit.Instructions {
	if o.node.hit(int(p), u) {
		return 0
	}
	o.settle(now)
	if o.alone {
		return o.node.bring(int(p), u, now, o.traffic(p, u.window)) - now
	}
	return o.node.bring(int(p), u, o.obtain(p, u, now), &Traffic{}) - now
}

// settle drops the spans before now: only a processor that is forced to continue returns to them.
func (o *nodesOracle) settle(now unit.Instructions) {
	since := func(all naiveSpans) (left naiveSpans) {
		for _, s := range all {
			if s[1] > now {
				left = append(left, [2]unit.Instructions{max(s[0], now), s[1]})
			}
		}
		return left
	}
	for part := range o.held {
		o.held[part] = since(o.held[part])
	}
	for n := range o.node.buses {
		o.node.buses[n] = since(o.node.buses[n])
	}
}

// obtain is when the node of p may do what p wants to.
func (o *nodesOracle) obtain(p trace.Proc, u naiveUse, now unit.Instructions) unit.Instructions {
	n, block, isStore := int(p)/o.perNode, u.line, u.store
	if o.size < o.a.Block {
		block = u.line * uint64(o.size) / uint64(o.a.Block)
	}
	if o.right[block] == nil {
		o.home[block] = o.homeOf(block, n)
		o.right[block] = make([]string, o.nodes)
		o.right[block][o.home[block]] = "store"
	}
	home, right := o.home[block], o.right[block]
	sent := now
	if o.delay > 0 {
		sent = max(now, o.until[block])
	}
	t := o.traffic(p, u.window)
	if right[n] == "store" || right[n] == "load" && !isStore {
		if o.to[block] != n {
			return now
		}
		if o.delay > 0 {
			t.Queues += uint64(sent - now)
		}
		return sent
	}
	done, idle := sent, unit.Instructions(0)
	send := func(at unit.Instructions, from, to int, withBlock bool) {
		i := slices.IndexFunc(t.Messages, func(m Message) bool { return m.From == from && m.To == to })
		if i < 0 {
			i = len(t.Messages)
			t.Messages = append(t.Messages, Message{From: from, To: to})
		}
		if withBlock {
			t.Messages[i].Blocks++
		} else {
			t.Messages[i].Rights++
		}
		at = o.send(at, from, to, withBlock)
		if to != n && !withBlock {
			at = o.node.access(to, at)
		}
		done = max(done, at)
	}
	blockTime, _ := o.message(true)
	rightTime, _ := o.message(false)
	had := right[n] == "load"
	if had {
		t.Upgrades++
	} else {
		t.Fetches++
	}
	for q, r := range right {
		switch {
		case q == n:
		case r == "store":
			if q != home {
				t.Recalls++
				send(o.node.access(q, sent), q, home, true)
				sent, idle = done, o.node.Miss+blockTime
			}
			right[q], right[home] = "load", "load"
			o.lines(block, func(line uint64) { o.node.take(q, line, false) })
		case r == "load" && isStore && q != home:
			send(sent, home, q, false)
		}
	}
	switch {
	case had:
		idle += o.node.Miss + rightTime
	case n != home:
		idle += o.node.Miss + blockTime
	}
	if n != home {
		send(o.node.access(home, sent), home, n, !had)
	}
	if right[n] = "load"; isStore {
		clear(right)
		right[n] = "store"
		for q := range right {
			if q != n {
				o.lines(block, func(line uint64) { o.node.take(q, line, true) })
			}
		}
	}
	if done > now {
		o.to[block], o.until[block] = n, done
	}
	if o.delay > 0 {
		t.Queues += uint64(done - now - idle)
	}
	return done
}

// lines calls do for those of a block.
func (o *nodesOracle) lines(block uint64, do func(line uint64)) {
	of := max(1, uint64(o.a.Block/o.size))
	for i := range of {
		do(block*of + i)
	}
}

// compareTraffic holds the traffic of a trace to the oracle.
func compareTraffic(src trace.Source, a *Analysis) error {
	results, err := analysis.Run(context.Background(), src, analysis.Options{}, a)
	if err != nil {
		return err
	}
	profile, err := Load(results[0].Full, a.Lines[0])
	if err != nil {
		return err
	}
	for _, perNode := range a.PerNode {
		if perNode >= src.Header().Procs {
			if err := compareNode(src, a, results[0], profile, perNode); err != nil {
				return fmt.Errorf("one node of %d processors: %w", perNode, err)
			}
			continue
		}
		for _, placement := range a.Placements {
			for _, network := range a.Networks {
				for i := range a.Delays {
					if err := compareNodes(src, a, results[0], profile, perNode, placement, network, i); err != nil {
						return fmt.Errorf("%d processors a node, %s, %s, delay %d: %w", perNode, placement, network, a.Delays[i], err)
					}
				}
			}
		}
	}
	return nil
}

func compareNodes(src trace.Source, a *Analysis, result analysis.Result, profile *Profile, perNode int, placement Placement, network Network, delay int) error {
	got, err := LoadTraffic(result.Tables[1], a.Block, perNode, placement, network)
	if err != nil {
		return err
	}
	o := newNodesOracle(src.Header(), a, placement, network, a.Delays[delay], profile, perNode)
	return o.compare(src, profile, got, delay)
}

// compareNode holds what is counted of one node to the oracle.
func compareNode(src trace.Source, a *Analysis, result analysis.Result, profile *Profile, procs int) error {
	h := src.Header()
	got, err := LoadNode(result.Tables[1], procs)
	if want := procs == h.Procs && procs > 1 && a.NodeCaches.Miss > 0; err != nil || !want {
		if want || err == nil && got != nil && len(got.byDelay[0]) > 0 {
			return fmt.Errorf("want counts: %v; %w", want, err)
		}
		return nil
	}
	o := newNodesOracle(h, a, Interleaved, Ideal, 0, profile, procs)
	o.alone = true
	return o.compare(src, profile, got, 0)
}

// nodeOracle is caches and buses of nodes, as written down.
type nodeOracle struct {
	NodeCaches
	perNode int
	caches  []map[uint64][]naiveLine // by processor and set: the latest used first
	buses   []naiveSpans             // by node
}

type naiveLine struct {
	line     uint64
	modified bool
}

// access is when one to the memory of a node is over that begins not before a time.
func (o *nodeOracle) access(n int, at unit.Instructions) unit.Instructions {
	at = earliest(at, o.Miss, o.buses[n])
	o.buses[n] = o.buses[n].with(at, o.Miss)
	return at + o.Miss
}

// take takes a line from the caches of a node, or the right to store to it alone.
func (o *nodeOracle) take(n int, line uint64, all bool) {
	for p := n * o.perNode; p < min(len(o.caches), (n+1)*o.perNode); p++ {
		o.takeFrom(p, line, all)
	}
}

func (o *nodeOracle) takeFrom(p int, line uint64, all bool) {
	if o.Sets == 0 {
		return
	}
	set := line % uint64(o.Sets)
	for i, v := range o.caches[p][set] {
		if v.line != line {
			continue
		}
		if all {
			o.caches[p][set] = slices.Delete(o.caches[p][set], i, i+1)
			return
		}
		o.caches[p][set][i].modified = false
	}
}

// find is where p has a line in its set, and the line alone if it has it not.
func (o *nodeOracle) find(p int, line uint64) (set []naiveLine, at int, v naiveLine) {
	if o.Sets > 0 {
		set = o.caches[p][line%uint64(o.Sets)]
	}
	at, v = slices.IndexFunc(set, func(v naiveLine) bool { return v.line == line }), naiveLine{line: line}
	if at >= 0 {
		v = set[at]
	}
	return set, at, v
}

// hit reports whether p has what it needs, which is its latest used then.
func (o *nodeOracle) hit(p int, u naiveUse) bool {
	set, at, v := o.find(p, u.line)
	if at < 0 || u.store && !v.modified {
		return false
	}
	o.caches[p][u.line%uint64(o.Sets)] = slices.Insert(slices.Delete(set, at, at+1), 0, v)
	return true
}

// bring returns when p has a missing line from its node's memory, or the right to store to it, beginning at
// from or later.
func (o *nodeOracle) bring(p int, u naiveUse, from unit.Instructions, t *Traffic) unit.Instructions {
	n := p / o.perNode
	for q := n * o.perNode; q < min(len(o.caches), (n+1)*o.perNode); q++ {
		if q != p {
			o.takeFrom(q, u.line, u.store)
		}
	}
	own, at, _ := o.find(p, u.line)
	end, dirty := from, false
	if at < 0 || o.perNode > 1 {
		end = o.access(n, from)
	}
	if at >= 0 {
		t.Claims++
		own = slices.Delete(own, at, at+1)
	} else {
		t.Misses++
		if o.Sets > 0 && len(own) == o.Ways {
			dirty = own[o.Ways-1].modified
			own = own[:o.Ways-1]
		}
	}
	if dirty {
		t.Writebacks++
		o.access(n, end)
	}
	if o.Sets > 0 {
		o.caches[p][u.line%uint64(o.Sets)] = slices.Insert(own, 0, naiveLine{u.line, u.store})
	}
	return end
}

func newNodesOracle(h trace.Header, a *Analysis, placement Placement, network Network, delay unit.Instructions, profile *Profile, perNode int) *nodesOracle {
	size := a.Block
	if a.NodeCaches.Line > 0 {
		size = a.NodeCaches.Line
	}
	node := &nodeOracle{NodeCaches: a.NodeCaches, perNode: perNode, caches: make([]map[uint64][]naiveLine, h.Procs), buses: make([]naiveSpans, h.Procs)}
	if delay == 0 && perNode < h.Procs {
		node.Miss = 0 // uses come in the interleaved order, whatever they take
	}
	for p := range node.caches {
		node.caches[p] = map[uint64][]naiveLine{}
	}
	return &nodesOracle{a: a, size: size, node: node, placement: placement, network: network, delay: delay,
		held: map[string]naiveSpans{}, waited: make([]unit.Instructions, h.Procs), stopped: make([]bool, h.Procs),
		holder: map[int32]int{}, lineUp: map[int32][]int{}, signals: map[int32]int32{}, perNode: perNode, places: trace.NewHomeMap(h), pages: map[uint64]int{},
		home: map[uint64]int{}, right: map[uint64][]string{}, nodes: (h.Procs + perNode - 1) / perNode, window: profile.Window,
		at: make([]position, h.Procs), found: map[windowKey]*Traffic{}, waiting: make([][]naiveUse, h.Procs), late: make([]unit.Instructions, h.Procs),
		start: make([]unit.Instructions, h.Procs), counts: make([]unit.Instructions, h.Procs), until: map[uint64]unit.Instructions{}, to: map[uint64]int{}}
}

// compare runs a trace, and holds what was counted to that.
func (o *nodesOracle) compare(src trace.Source, profile *Profile, got *TrafficProfile, delay int) error {
	for p, err := range analysis.Interleave(src) {
		if err != nil {
			return err
		}
		o.piece(p)
	}
	o.endPhase()
	maps.DeleteFunc(o.found, func(_ windowKey, t *Traffic) bool { return fmt.Sprint(*t) == fmt.Sprint(Traffic{}) })
	for _, t := range o.found {
		slices.SortFunc(t.Messages, func(a, b Message) int { return cmp.Or(a.From-b.From, a.To-b.To) })
	}
	if n := len(got.byDelay[delay]); n != len(o.found) {
		return fmt.Errorf("traffic in %d windows, want %d", n, len(o.found))
	}
	for at, want := range o.found {
		if g := got.Window(at.proc, int(at.phase), at.window, delay); fmt.Sprint(g) != fmt.Sprint(*want) {
			return fmt.Errorf("%+v: got %+v, want %+v", at, g, *want)
		}
	}
	for phase := range profile.Windows {
		for w := range profile.Windows[phase] {
			delete(o.found, windowKey{0, int64(phase), profile.Windows[phase][w]})
		}
	}
	for at := range o.found {
		if at.proc == 0 {
			return fmt.Errorf("the phases table does not know window %d of phase %d", at.window, at.phase)
		}
	}
	return nil
}

func TestTrafficIsTheProtocol(t *testing.T) {
	for seed := range testsize.Cases[uint64](100, 8) {
		r := rand.New(rand.NewPCG(seed, 11))
		m := randomTrace(r, 1+r.IntN(6), r.IntN(4), 300)
		if r.IntN(2) == 0 {
			m.Head.Regions = []trace.Region{{Name: "a", Owner: trace.Everyone, Base: 256, Bytes: 2000, Home: trace.Home{Kind: trace.BlockHome}}}
		}
		if r.IntN(2) == 0 {
			cross(r, m)
		}
		if r.IntN(2) == 0 {
			compute(r, m)
		}
		a := &Analysis{Lines: []unit.Bytes{32}, Sets: []int64{2}, NodeCaches: NodeCaches{Sets: 1 << r.IntN(4), Ways: 1 + r.IntN(4), Line: 16 << r.IntN(3)}, Window: unit.Instructions(1 + r.IntN(300)), windows: 1 + r.IntN(40),
			PerNode: []int{1, 2, 4}, Block: 64 << r.IntN(3), Placements: placements[r.IntN(2):], Networks: networks[r.IntN(3):], Right: r.Float64(), Latency: unit.Instructions(r.IntN(50)),
			Delays: []unit.Instructions{0, 1 + unit.Instructions(r.IntN(20)), 100 + unit.Instructions(r.IntN(100_000))}}
		if r.IntN(3) > 0 {
			a.NodeCaches.Miss = unit.Instructions(r.IntN(100))
		}
		if err := compareTraffic(m.InBatches(100), a); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// cross adds locks and flags to a trace that may have barriers. Processors hold each lock for some
// references. In each phase the first processor sets a flag and others wait for it, some of them holding
// a lock that the first one wants.
func cross(r *rand.Rand, m *trace.Memory) {
	for p := range m.EventsOf {
		rows := &m.EventsOf[p].Rows
		var all []trace.Event
		add := func(kind trace.Kind, refs uint64, object, tag int32) {
			e := trace.NewEvent(kind)
			e.Refs, e.Peer, e.Tag = refs, object, tag
			all = append(all, e)
		}
		from := uint64(0)
		for phase, barrier := range append(slices.Clone(*rows), trace.Event{Kind: trace.Marker, Refs: uint64(m.RefsOf[p].Len())}) {
			for room := barrier.Refs - from; r.IntN(3) > 0; {
				to := from + r.Uint64N(room+1)
				lock := int32(r.IntN(3))
				add(trace.Lock, from, lock, trace.None)
				if flag := int32(100 + phase); p > 0 && r.IntN(4) == 0 {
					add(trace.WaitFlag, from+r.Uint64N(to-from+1), flag, 1)
				} else if p == 0 && r.IntN(2) == 0 {
					add(trace.Signal, to, flag, trace.None)
				}
				add(trace.Unlock, to, lock, trace.None)
				from, room = to, barrier.Refs-to
			}
			if barrier.Kind == trace.Barrier {
				all = append(all, barrier)
			}
			from = barrier.Refs
		}
		*rows = all
	}
}

// More nodes than bits in a word.
func TestTrafficOfManyNodes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 11))
	a := &Analysis{Lines: []unit.Bytes{32}, Sets: []int64{2}, Window: 16, PerNode: []int{1}, Block: 256, Placements: placements, Networks: networks, Delays: []unit.Instructions{0, 100}}
	if err := compareTraffic(randomTrace(r, 70, 2, 60), a); err != nil {
		t.Fatal(err)
	}
}

func TestTrafficSaysWhatThereIs(t *testing.T) {
	m := randomTrace(rand.New(rand.NewPCG(1, 1)), 2, 1, 50)
	results, err := analysis.Run(context.Background(), m, analysis.Options{},
		&Analysis{Lines: []unit.Bytes{32}, Sets: []int64{4}, PerNode: []int{1, 2}, Block: 128, Placements: []Placement{Interleaved}, Networks: []Network{Bus}, Delays: []unit.Instructions{0}})
	if err != nil {
		t.Fatal(err)
	}
	traffic := results[0].Tables[1]
	for _, c := range []struct {
		table     *store.Table
		block     unit.Bytes
		perNode   int
		placement Placement
		want      string
	}{
		{traffic, 128, 1, Interleaved, ""}, {traffic, 128, 2, Interleaved, ""},
		{traffic, 256, 1, Interleaved, "run analyze with --block 256B"},
		{traffic, 128, 4, Interleaved, "nodes of 1, 2 processors; run analyze with --per-node 4"},
		{traffic, 128, 1, FirstTouch, "run analyze with --placement first-touch"},
		{results[0].Tables[0], 128, 1, Interleaved, "a phases table"},
	} {
		t.Run(fmt.Sprintf("%v %v", c.perNode, c.want), func(t *testing.T) {
			if _, err := LoadTraffic(c.table, c.block, c.perNode, c.placement, Bus); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
	for i, c := range traffic.Columns {
		if c.Name == "kind" {
			kinds := slices.Clone(c.Data.([]string))
			kinds[0] = "letter"
			traffic.Columns[i].Data = kinds
		}
	}
	if _, err := LoadTraffic(traffic, 128, 1, Interleaved, Bus); err == nil || !strings.Contains(err.Error(), `"letter"`) {
		t.Error(err)
	}
}

// Rows that count the same are no reason to give up.
func TestTrafficIsBounded(t *testing.T) {
	var alike, apart trafficRows
	for i := range int64(16) {
		alike, apart = append(alike, trafficRow{window: i % 10, count: 1}), append(apart, trafficRow{window: i, count: 1})
	}
	if got, err := apart[:15].limit(10); len(got) != 15 || err != nil {
		t.Errorf("%d rows, %v", len(got), err)
	}
	if got, err := alike.limit(10); len(got) != 10 || err != nil || got[0].count != 2 || got[9].count != 1 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := apart.limit(10); err == nil || !strings.Contains(err.Error(), "--per-node") {
		t.Error(err)
	}
}
