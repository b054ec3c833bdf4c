package grow

import (
	"fmt"
	"slices"

	"spoor/traces/trace"
)

// maxPivots is the most ranks of a recording from whose next events the parser proposes blocks.
const maxPivots = 48

// proposal is a block with what it explains.
type proposal struct {
	block *block
	score score
}

// search returns the block that explains the most of what comes next, or nil.
func (p *parser) search() *block {
	var best proposal
	known := map[string]bool{}
	for _, t := range p.pivots() {
		for _, b := range p.proposals(t) {
			if p.match(t, b) <= 0 {
				continue
			}
			if k := b.key(); !known[k] {
				known[k] = true
				p.consider(b, &best)
			}
		}
	}
	return best.block
}

// proposals lists the blocks that explain the next events of t.
func (p *parser) proposals(t *track) (all []*block) {
	if t.recording == len(p.names)-1 { // loops are longest in the largest recording
		all = append(p.lists(t), p.repeats(t)...)
	}
	return append(all, p.singles(t)...)
}

// pivots returns some ranks of each recording that are not at their end: the first ones, the last ones, and others
// between them at equal distances. Of those with the same next event, a few are enough.
func (p *parser) pivots() (all []*track) {
	for from := len(p.tracks); from > 0; {
		n := p.tracks[from-1].ranks
		from -= n
		ranks := p.tracks[from : from+n]
		step := max(1, n/(maxPivots/2))
		known := map[nextEvent]int{}
		for r, t := range ranks {
			near := r < maxPivots/4 || n-r <= maxPivots/4 || r%step == 0
			if near && t.at < len(t.rows) && t.isNew(known) {
				all = append(all, t)
			}
		}
	}
	return all
}

// nextEvent is the next event of a rank, with the partner or its distance.
type nextEvent struct {
	kind        trace.Kind
	tag, peer   int32
	distance    bool
	requestAgo  int32 // of a wait
	lengthAhead int   // events to the end, for loops
}

// maxAlike is the most pivots of a recording with the same next event.
const maxAlike = 2

// isNew counts the next event of t. It reports whether few other ranks have the same.
func (t *track) isNew(known map[nextEvent]int) bool {
	e := &t.rows[t.at]
	n := nextEvent{kind: e.Kind, tag: e.Tag, peer: e.Peer, lengthAhead: len(t.rows) - t.at}
	if e.Request != trace.None && !opens(e) && len(t.open) > 0 {
		n.requestAgo = e.Request - t.open[0].number
	}
	d := n
	d.peer, d.distance = e.Peer-int32(t.rank), true
	known[n]++
	if e.Peer != trace.None {
		known[d]++
	}
	return known[n] <= maxAlike && known[d] <= maxAlike
}

// consider makes b the best proposal if it is, with the weakest guard that it needs. A loop has no guard but for the
// first or last rank: other ranks would execute only its rounds that suit them.
func (p *parser) consider(b *block, best *proposal) {
	matched := make([]int, len(p.tracks))
	for i, t := range p.tracks {
		matched[i] = p.match(t, b)
		if matched[i] > 0 && (p.goesOn(t, b, matched[i]) || p.beginsOtherwise(t, b, matched[i])) {
			matched[i] = -1
		}
	}
	loop := b.count.form != once
	for i, g := range p.guards {
		if loop && g.form > equalsLast {
			continue
		}
		s, fits := p.within(matched, g)
		if !fits {
			continue
		}
		s.rank = p.rank(b) + guarded*btoi(i > 0) + guarded*btoi(g.single())
		s.cost = i + b.cost()
		if best.block == nil || s.better(best.score) {
			copied := *b
			copied.guard = g
			*best = proposal{&copied, s}
		}
		if i == 0 {
			return
		}
	}
}

// guarded is added to the rank of a block with a guard.
const guarded = 4

// rank returns the order of preference: loops, single events with usual partners, others. If the parser takes loops last,
// it prefers single events.
func (p *parser) rank(b *block) int {
	f := b.body[0].peer
	if b.count.form != once {
		return 3*btoi(p.rule.loopsLast && b.count.form < openAll) + guarded*btoi(f.form == heapChild && f.c > 2)
	}
	return 1 + btoi(p.unusual(f)) + 2*btoi(b.body[0].when.form != 0)
}

// unusual reports whether a partner of that form is rare, and other forms explain events by chance with it.
func (p *parser) unusual(f partner) bool {
	switch f.form {
	case cyclic:
		return p.pairs(f.axis)
	case exchange, folded, mirror, half, transposed, offsets:
		return true
	case root, last:
		return f.axis > 0 || f.c > 0
	case lowParent, highParent, heapParent:
		return f.axis > 0
	}
	return false
}

// pairs reports whether the axis has at most two places in all recordings. Then every partner is also the next one in
// a ring.
func (p *parser) pairs(axis int8) bool {
	return !slices.ContainsFunc(p.tracks, func(t *track) bool { return t.size[axis] > 2 })
}

// cost is larger for less usual blocks.
func (b *block) cost() int {
	n := len(b.body)
	for _, s := range b.body {
		n += int(s.peer.form)
		if s.peer.form != object {
			n += 4 * int(max(s.peer.c, -s.peer.c))
		}
		for _, d := range s.peer.steps {
			n += 4 * int(max(d, -d))
		}
	}
	return n
}

// within returns the score of a block with a guard, given what it explains of each track without one.
func (p *parser) within(matched []int, g guard) (s score, fits bool) {
	last := -1
	for i, n := range matched {
		t := p.tracks[i]
		if n == 0 || !g.has(&t.place) {
			continue
		}
		if n < 0 {
			return s, false
		}
		if t.recording != last {
			last = t.recording
			s.recordings++
		}
		s.events += n
	}
	return s, s.events > 0
}

// singles proposes blocks of one event.
func (p *parser) singles(t *track) (all []*block) {
	e := &t.rows[t.at]
	s := newStep(e)
	if s.closes || e.Request != trace.None && !s.opens {
		return p.waits(t, e, s)
	}
	for _, f := range fixed(&t.place, e) {
		one := s
		one.peer = f
		all = append(all, &block{body: []step{one}})
	}
	if s.peer.form == nobody && e.Peer == trace.None {
		for _, f := range p.latestPartners() {
			one := s
			one.when = f
			all = append(all, &block{body: []step{one}})
		}
	}
	return all
}

// maxLatest is the most statements back in which an event without a partner looks for a condition.
const maxLatest = 8

// latestPartners lists the different partners of the latest statements that are no loops.
func (p *parser) latestPartners() (all []partner) {
	for i := len(p.program) - 1; i >= max(0, len(p.program)-maxLatest); i-- {
		b := p.program[i].block
		if f := b.body[0].peer; b.count.form == once && f.form != nobody && !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	return all
}

// newStep returns the step of e without its partner and request.
func newStep(e *trace.Event) step {
	return step{kind: e.Kind, tag: e.Tag, group: e.Group, peer: partner{form: nobody}, with: -1, opens: opens(e), closes: closes(e)}
}

// waits proposes blocks for a wait or test: of one request, or of all that are open.
func (p *parser) waits(t *track, e *trace.Event, s step) (all []*block) {
	if s.kind == trace.Wait {
		one := s
		one.tie.form = drained
		for _, c := range []count{{form: openAll}, {form: openDown}, {form: openKind, a: int32(trace.Irecv)}, {form: openKind, a: int32(trace.Isend)}} {
			all = append(all, &block{count: c, body: []step{one}})
		}
	}
	for _, tie := range t.ties(e.Request) {
		one := s
		one.tie = tie
		all = append(all, &block{body: []step{one}})
	}
	return all
}

// ties lists the ways to name an open request.
func (t *track) ties(number int32) (all []tie) {
	for i, q := range t.open {
		if q.number != number {
			continue
		}
		if all = append(all, tie{opener, t.serial - q.serial, q.step}); i == 0 {
			all = append(all, tie{form: oldest})
		}
		if i == len(t.open)-1 {
			all = append(all, tie{form: newest})
		}
	}
	return all
}

// MisfitError reports the first event of a recording that fits no pattern.
type MisfitError struct {
	Name string // of the recording
	Rank int
	Row  int
	Msg  string
}

func (e *MisfitError) Error() string {
	return fmt.Sprintf("%s: rank %d, row %d: %s", e.Name, e.Rank, e.Row, e.Msg)
}

// unexplained returns the error of the rank that was read least.
func (p *parser) unexplained() error {
	var first *track
	for _, t := range p.tracks {
		if t.at < len(t.rows) && (first == nil || t.at < first.at) {
			first = t
		}
	}
	e := &first.rows[first.at]
	return &MisfitError{p.names[first.recording], first.rank, first.at,
		fmt.Sprintf("no pattern of all ranks and recordings has this %s", describe(e, first.rank))}
}

// describe returns the event with its partner: "send with peer 5 (offset 2), tag 7, 80 bytes".
func describe(e *trace.Event, rank int) string {
	text := brief(e, rank)
	if e.Tag != trace.None {
		text += fmt.Sprintf(", tag %d", e.Tag)
	}
	return text + fmt.Sprintf(", %d bytes", e.Bytes)
}

// brief returns the event with its partner only.
func brief(e *trace.Event, rank int) string {
	if e.Peer == trace.None {
		return e.Kind.String()
	}
	return fmt.Sprintf("%s with peer %d (offset %d)", e.Kind, e.Peer, int(e.Peer)-rank)
}
