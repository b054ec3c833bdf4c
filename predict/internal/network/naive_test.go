package network

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
	"spoor/predict/internal/network/bysize"
	"spoor/predict/internal/network/routing"
	"spoor/traces/unit"
)

// span is a time from which and a time until which a part is taken.
type span struct{ from, to unit.Picos }

// naive is the networks by their definition: it remembers all that was taken, and tries one
// time after the other.
type naive struct {
	n     Network // whose parameters it has
	taken map[string][]span
	usage map[string]*Part
	total Usage
}

func newNaive(n Network) *naive {
	return &naive{n: n, taken: map[string][]span{}, usage: map[string]*Part{}}
}

func (v *naive) Settled(unit.Picos)      {}
func (v *naive) TrackBlocking()          {}
func (v *naive) Blockers() (_, _ uint64) { return 0, 0 }

func (v *naive) Send(at unit.Picos, m Message) Delivery {
	if m.From == m.To || at >= Horizon {
		return Delivery{Free: at, Arrive: at}
	}
	v.total.Messages++
	v.total.Bytes += m.Bytes
	switch n := v.n.(type) {
	case *circuits:
		return v.circuit(n, at, m)
	case *ports:
		return v.port(n, at, m)
	}
	return v.n.Send(at, m)
}

// take takes a span of a part, and panics if it is not free.
func (v *naive) take(part string, s span, b unit.Bytes) {
	if !v.free(part, s) {
		panic(fmt.Sprintf("%s is taken twice at %v", part, s))
	}
	if s.from < s.to {
		v.taken[part] = append(v.taken[part], s)
	}
	if v.usage[part] == nil {
		v.usage[part] = &Part{Name: part}
	}
	p := v.usage[part]
	p.Messages, p.Bytes, p.Busy = p.Messages+1, p.Bytes+b, p.Busy+s.to-s.from
}

// free is whether nothing else is taken of a span. An empty one fits between no two that
// touch.
func (v *naive) free(part string, s span) bool {
	touches := func(t span) bool { return t.from == s.to }
	if s.from == s.to && slices.ContainsFunc(v.taken[part], touches) {
		return !slices.ContainsFunc(v.taken[part], func(t span) bool { return t.from < s.from && s.from <= t.to })
	}
	return !slices.ContainsFunc(v.taken[part], func(t span) bool { return s.from < t.to && t.from < s.to })
}

// circuit tries every route, and takes the first of those by which the message arrives first.
func (v *naive) circuit(c *circuits, at unit.Picos, m Message) Delivery {
	routes := [][]comm.Link{c.routes.Plane.Route(m.From, m.To, nil)}
	if !c.routes.Fixed {
		t := c.routes.Next(m.From, m.To)
		routes = [][]comm.Link{c.routes.Router.Route(t, 0, nil)}
		for i := 1; i < routing.Compared && c.routes.Adaptive; i++ {
			routes = append(routes, c.routes.Router.Route(t, i, nil))
		}
	}
	carry := c.time(m.Bytes)
	var best []string
	least := Never
	for _, route := range routes {
		var parts []string
		for _, l := range route {
			parts = append(parts, routing.LinkName(c.routes.Net, l))
		}
		if end := v.circuitEnd(c, parts, at, carry); end < least {
			best, least = parts, end
		}
	}
	idle := unit.Picos(len(best)-1)*c.hop + carry
	v.hold(c, best, at, least, least-idle, m.Bytes)
	return Delivery{least, least + c.latency, idle + c.latency}
}

// circuitEnd tries every end after which a link could be free long enough.
func (v *naive) circuitEnd(c *circuits, parts []string, at, carry unit.Picos) unit.Picos {
	idle := unit.Picos(len(parts)-1)*c.hop + carry
	ends := []unit.Picos{at + idle}
	for i, p := range parts {
		for _, s := range v.taken[p] {
			ends = append(ends, max(at+idle, s.to+unit.Picos(len(parts)-1-i)*c.hop+carry))
		}
	}
	slices.Sort(ends)
	for _, end := range ends {
		if v.holdable(c, parts, end, end-idle) {
			return end
		}
	}
	panic("no end is free")
}

// holdable is whether links of parts are free up to an end, from when a head comes that starts as late as it may.
func (v *naive) holdable(c *circuits, parts []string, end, latest unit.Picos) bool {
	for i, p := range parts {
		if !v.free(p, span{latest + unit.Picos(i)*c.hop, end}) {
			return false
		}
	}
	return true
}

// hold takes the links of parts up to an end, the first not before at, as soon as it can keep them, or at the times that a
// head has that starts as late as it may.
func (v *naive) hold(c *circuits, parts []string, at, end, latest unit.Picos, b unit.Bytes) {
	for i, p := range parts {
		from := latest + unit.Picos(i)*c.hop
		if c.wormhole {
			starts := []unit.Picos{at, from}
			for _, s := range v.taken[p] {
				if s.to > at && s.to < from {
					starts = append(starts, s.to)
				}
			}
			slices.Sort(starts)
			from = starts[slices.IndexFunc(starts, func(s unit.Picos) bool { return v.free(p, span{s, end}) })]
		}
		v.take(p, span{from, end}, b)
		at = from + c.hop
	}
}

func (v *naive) port(p *ports, at unit.Picos, m Message) Delivery {
	out, in := fmt.Sprintf("node %d", m.From), fmt.Sprintf("node %d", m.To)
	if p.sameKind {
		out, in = out+" sends", in+" receives"
	}
	if p.sizes != nil {
		return v.bySize(p.sizes, out, in, at, m)
	}
	carry := picos(float64(max(1, m.Bytes)-1) * p.perByte)
	sent := v.event(out, at, p.gap+carry, m.Bytes)
	arrive := v.event(in, sent+p.latency+carry, p.gap, m.Bytes)
	return Delivery{sent + p.gap + carry, arrive, p.latency + carry}
}

// bySize is PLogP: the message is with its receiver L + g - o_r after it began, which was o_s before it was sent.
func (v *naive) bySize(s *bysize.Table, out, in string, at unit.Picos, m Message) Delivery {
	gap, sending := s.Gap.At(m.Bytes), s.Send.At(m.Bytes)
	sent := v.event(out, at, gap, m.Bytes)
	first := max(sent, sent-sending+s.FirstByte())
	begins := v.event(in, first, gap, m.Bytes)
	there := max(first, sent-sending+max(s.FirstByte(), s.Latency+gap-s.Receive.At(m.Bytes)))
	return Delivery{sent + gap, begins + there - first, there - sent}
}

// event is the first time from at on at which a port is free for so long.
func (v *naive) event(part string, at, long unit.Picos, b unit.Bytes) unit.Picos {
	times := []unit.Picos{at}
	for _, s := range v.taken[part] {
		times = append(times, max(at, s.to))
	}
	slices.Sort(times)
	i := slices.IndexFunc(times, func(t unit.Picos) bool { return v.free(part, span{t, t + long}) })
	v.take(part, span{times[i], times[i] + long}, b)
	return times[i]
}

func (v *naive) Usage() Usage {
	u := v.total
	for _, p := range v.usage {
		u.Parts = append(u.Parts, *p)
	}
	return u
}

// byName sorts the parts of a usage.
func byName(u Usage) Usage {
	u.Parts = slices.SortedFunc(slices.Values(u.Parts), func(a, b Part) int { return cmp.Compare(a.Name, b.Name) })
	return u
}

// draws are numbers from the bytes of a fuzzer; zero when these are used up.
type draws []byte

func (d *draws) below(n int) int {
	if len(*d) == 0 {
		return 0
	}
	x := int((*d)[0])
	*d = (*d)[1:]
	return x % n
}

// small is a network of four nodes, or eight, in which times are a few picoseconds.
func small(d *draws) (Model, Config) {
	c := Config{Nodes: 4 << d.below(2), Bandwidth: 1e12, Efficiency: 1, Header: unit.Bytes(d.below(2)),
		Latency: unit.Picos(d.below(4)), Switch: unit.Picos(d.below(3)), L: unit.Picos(d.below(6)),
		Gap: unit.Picos(d.below(6)), GapPerByte: unit.Seconds(d.below(2)) * 1e-12, SameKind: d.below(2) == 0}
	c.Sizes = bysize.New(c.L, bysize.Curve{{Bytes: 0, Cost: c.Latency}, {Bytes: 8, Cost: 6}}, bysize.Curve{{Bytes: 1, Cost: c.Gap}, {Bytes: 3, Cost: 1}}, bysize.Curve{{Bytes: 0, Cost: 2}, {Bytes: 2, Cost: c.Gap}, {Bytes: 6, Cost: 9}})
	model := All[d.below(len(All))]
	if k := comm.TopologyNamed(model.Name()); k != nil {
		c.Rails = d.below(4)
		if k.Detours {
			c.Routing = []string{"", "", machine.RouteValiant, machine.RouteAdaptive}[d.below(4)]
			c.Seed = d.below(3)
		}
	}
	return model, c
}

// Every network is its definition, whatever the order of calls, and whatever it forgets.
func FuzzNetworkIsNaive(f *testing.F) {
	for model := range All {
		for nodes := range byte(2) {
			for routing := range byte(4) {
				f.Add([]byte{nodes, 1, 2, 1, 3, 4, 1, 0, byte(model), 0, routing, 1, 3, 0, 2, 5, 0, 1, 2, 5, 1, 0, 3, 8, 2, 0, 1, 3, 0, 0, 3, 9, 1, 2, 3, 5, 0, 1, 3, 2, 1, 1, 7, 6})
			}
			f.Add([]byte{nodes, 1, 2, 1, 3, 4, 1, 0, byte(model), 3, 0, 2, 5, 0, 1, 2, 5, 1, 0, 3, 8, 2, 0, 1, 3, 0, 0, 3, 9, 1, 2, 3, 5, 0, 1, 3, 2, 1, 1, 7, 6})
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d := draws(text[:min(len(text), 600)]) // the definition is slow
		model, c := small(&d)
		fast, err := model.New(c)
		if err != nil {
			t.Fatal(err)
		}
		other, _ := model.New(c)
		slow := newNaive(other)
		for settled := unit.Picos(0); len(d) > 0; {
			at := settled + unit.Picos(d.below(20))
			m := Message{d.below(c.Nodes), d.below(c.Nodes), unit.Bytes(d.below(9))}
			if got, want := fast.Send(at, m), slow.Send(at, m); got != want {
				t.Fatalf("%s: %v at %d: got %d, want %d", model.Name(), m, at, got, want)
			}
			if d.below(3) == 0 {
				settled += unit.Picos(d.below(12))
				fast.Settled(settled)
			}
		}
		if _, ideal := model.(Ideal); ideal {
			return
		}
		if got, want := byName(fast.Usage()), byName(slow.Usage()); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%s: got %v, want %v", model.Name(), got, want)
		}
	})
}

// In order of time, a network whose messages need one part each serves them first come, first
// served: as a simulation does whose messages take what they need as they come to it.
func FuzzOneLinkIsFirstComeFirstServed(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 9, 0, 2, 3, 4, 0, 0, 1, 0, 5, 1, 3, 7})
	f.Add([]byte{1, 3, 0, 1, 9, 0, 0, 1, 4, 1, 0, 1, 0, 1, 1, 3, 7})
	f.Fuzz(func(t *testing.T, text []byte) {
		d := draws(text[:min(len(text), 600)]) // the definition is slow
		model := []Model{Wormhole("bus"), Wormhole("full")}[d.below(2)]
		c := Config{Nodes: 4, Bandwidth: 1e12, Efficiency: 1, Latency: unit.Picos(d.below(3))}
		n, err := model.New(c)
		if err != nil {
			t.Fatal(err)
		}
		var worms []*worm
		var got []unit.Picos
		for at := unit.Picos(0); len(d) > 0; at += unit.Picos(d.below(6)) {
			m := Message{d.below(4), d.below(4), unit.Bytes(d.below(9))}
			if m.From == m.To {
				continue
			}
			got = append(got, n.Send(at, m).Arrive-c.Latency)
			worms = append(worms, &worm{at: at, carry: max(1, unit.Picos(m.Bytes)), way: n.(*circuits).routes.Net.Route(m.From, m.To, nil)})
		}
		var s wormhole
		for _, w := range worms {
			s.start(w)
		}
		s.run(func(*worm) {})
		for i, w := range worms {
			if got[i] != w.arrive {
				t.Fatalf("%s: message %d, sent at %d, takes %d: arrives at %d, want %d", model.Name(), i, w.at, w.carry, got[i], w.arrive)
			}
		}
	})
}

// In order of time, and from senders whose ports are free, a switch serves each receiver's
// messages first come, first served.
func TestSwitchIsFirstComeFirstServed(t *testing.T) {
	const nodes = 6
	n, err := Switch{}.New(Config{Nodes: nodes, Bandwidth: 1e12, Efficiency: 1})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 8))
	var next, busy [nodes]unit.Picos
	waits := 0
	for range 20_000 {
		from := 0
		for node, at := range next {
			if at < next[from] {
				from = node
			}
		}
		at, m := next[from], Message{from, (from + 1 + r.IntN(nodes-1)) % nodes, unit.Bytes(1 + r.IntN(20))}
		if busy[m.To] > at {
			waits++
		}
		busy[m.To] = max(at, busy[m.To]) + unit.Picos(m.Bytes)
		d := n.Send(at, m)
		if d.Arrive != busy[m.To] {
			t.Fatalf("%v at %d arrives at %d, want %d", m, at, d.Arrive, busy[m.To])
		}
		next[from] = d.Free + unit.Picos(r.IntN(20))
	}
	if waits < 5000 {
		t.Errorf("only %d messages waited", waits)
	}
}

// worm is a message whose head takes link after link, and waits at each for those that came
// before.
type worm struct {
	at, carry, arrive unit.Picos
	way               []comm.Link
	has               int // links
	node              int // for who sends it
}

// wormhole simulates worms by events in order of time.
type wormhole struct {
	now    unit.Picos
	seq    int
	events []event
	has    map[comm.Link]*worm
	waits  map[comm.Link][]*worm
}

// event is the arrival of a worm's head at its first link, or of its tail.
type event struct {
	at  unit.Picos
	seq int
	w   *worm
}

func (s *wormhole) push(at unit.Picos, w *worm) {
	e := event{at, s.seq, w}
	s.seq++
	i, _ := slices.BinarySearchFunc(s.events, e, func(a, b event) int { return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(b.seq, a.seq)) })
	s.events = slices.Insert(s.events, i, e)
}

func (s *wormhole) start(w *worm) { s.push(w.at, w) }

// run runs until nothing is left; arrived may start more.
func (s *wormhole) run(arrived func(*worm)) {
	s.has, s.waits = map[comm.Link]*worm{}, map[comm.Link][]*worm{}
	for len(s.events) > 0 {
		e := s.events[len(s.events)-1]
		s.events = s.events[:len(s.events)-1]
		s.now = e.at
		if e.w.has < len(e.w.way) {
			s.advance(e.w)
			continue
		}
		e.w.arrive = s.now
		for _, l := range e.w.way {
			delete(s.has, l)
			if q := s.waits[l]; len(q) > 0 {
				s.waits[l] = q[1:]
				s.advance(q[0])
			}
		}
		arrived(e.w)
	}
}

// advance takes links while they are free, and waits for the first that is not.
func (s *wormhole) advance(w *worm) {
	for ; w.has < len(w.way); w.has++ {
		l := w.way[w.has]
		if s.has[l] != nil {
			s.waits[l] = append(s.waits[l], w)
			return
		}
		s.has[l] = w
	}
	s.push(s.now+w.carry, w)
}
