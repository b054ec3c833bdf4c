package grow

import (
	"cmp"
	"slices"

	"spoor/traces/trace"
)

// MaxEvents is the most events of all recordings. They are held in memory, about 250 bytes each.
const MaxEvents = 8 << 20

// Recording is the trace of the program at one number of ranks.
type Recording struct {
	Name string // in errors
	Head trace.Header
	Rows [][]trace.Event // by rank
}

// track is a recorded rank while the parser reads it.
type track struct {
	lane
	recording int
	rows      []trace.Event
	at        int // number of rows read
}

// seen is a recorded event that a step of the program explains.
type seen struct {
	track, row, round, rounds int32
	peer                      int32
}

// statement is a block at its place in the program.
type statement struct {
	*block
	id   int      // of equal blocks
	seen [][]seen // by step
}

// parser finds one program that all ranks of all recordings execute. All ranks are read at the same time: a block is
// accepted if each rank that should execute it has its events next.
type parser struct {
	rule    rule
	names   []string
	tracks  []*track
	program []statement
	ids     map[string]int
	blocks  []*block
	follows map[[2]int]follower
	latest  [2]int // ids of the two latest statements
	guards  []guard
	series  []series
	scratch []request
	length  int // of the description of the program
	limit   int // of the length
}

// rule chooses one of several ways to read recordings.
type rule struct {
	grid      grid
	tags      bool // tags are part of the steps
	loopsLast bool // single events are preferred to loops whose rounds depend on the number of ranks
}

// follower is the block that followed two others the last time, and the number of events that it had.
type follower struct{ id, events int }

// newParser starts the parse of recordings, which must fit the grid.
func newParser(r rule, all []Recording) *parser {
	p := &parser{rule: r, ids: map[string]int{}, follows: map[[2]int]follower{}, latest: [2]int{-1, -1},
		guards: guards(1 + r.grid.dims)}
	for i, one := range all {
		p.names = append(p.names, one.Name)
		at := placeOf(r.grid, 0, len(one.Rows))
		for rank, rows := range one.Rows {
			at.locate(rank)
			p.tracks = append(p.tracks, &track{lane: lane{place: at}, recording: i, rows: rows})
		}
	}
	p.series = p.allSeries()
	return p
}

// parse reads all recordings. It returns an error with the first event that no block explains.
func (p *parser) parse() error {
	for !p.done() {
		b, _ := p.expected()
		if b == nil {
			b = p.search()
		}
		if b == nil {
			return p.unexplained()
		}
		if p.accept(b); p.length > p.limit && !p.done() {
			return &longError{p.unexplained()}
		}
	}
	return nil
}

func (p *parser) done() bool {
	return !slices.ContainsFunc(p.tracks, func(t *track) bool { return t.at < len(t.rows) })
}

// expected returns the block that followed the two latest statements before, if it fits as well again.
func (p *parser) expected() (*block, int) {
	f, ok := p.follows[p.latest]
	if !ok {
		return nil, 0
	}
	if s, fits := p.try(p.blocks[f.id]); fits && s.events == f.events {
		return p.blocks[f.id], s.events
	}
	return nil, 0
}

// score says how good a block is.
type score struct {
	recordings int // of which it explains events
	rank       int // 0 is best: loops before single events, blocks without a guard before those with one
	events     int // that it explains
	cost       int // of equally good blocks, the one of least cost is taken
}

func (s score) better(o score) bool {
	return cmp.Or(cmp.Compare(s.recordings, o.recordings), cmp.Compare(o.rank, s.rank),
		cmp.Compare(s.events, o.events), cmp.Compare(o.cost, s.cost)) > 0
}

// try returns what b explains. It returns false if a rank that should execute b has other events next.
func (p *parser) try(b *block) (s score, fits bool) {
	last := -1
	for _, t := range p.tracks {
		n := p.match(t, b)
		if n < 0 {
			return s, false
		}
		if n > 0 && t.recording != last {
			last = t.recording
			s.recordings++
		}
		s.events += n
	}
	return s, s.events > 0
}

// match returns the number of events of a track that b explains, or -1 if they are others.
func (p *parser) match(t *track, b *block) int {
	p.scratch = append(p.scratch[:0], t.open...)
	l := lane{place: t.place, open: p.scratch, serial: t.serial}
	n := 0
	if !l.run(b, func(a *act) bool {
		if t.at+n >= len(t.rows) || !p.same(&b.body[a.step], a, &t.rows[t.at+n]) {
			return false
		}
		if b.body[a.step].opens {
			a.request = t.rows[t.at+n].Request
		}
		n++
		return true
	}) {
		return -1
	}
	return n
}

// same reports whether a step explains an event.
func (p *parser) same(s *step, a *act, e *trace.Event) bool {
	if s.kind != e.Kind || s.opens != opens(e) || s.closes != closes(e) || a.peer != e.Peer {
		return false
	}
	if p.rule.tags && (s.tag != e.Tag || s.group != e.Group) {
		return false
	}
	return s.opens || a.request == e.Request
}

// opens reports whether e starts a nonblocking operation.
func opens(e *trace.Event) bool {
	return e.Request != trace.None && e.Kind != trace.Wait && e.Kind != trace.Test
}

// closes reports whether e ends one.
func closes(e *trace.Event) bool {
	return e.Request != trace.None && (e.Kind == trace.Wait || e.Kind == trace.Test && e.Count > 0)
}

// accept makes b the next statement of the program.
func (p *parser) accept(b *block) {
	id := p.number(b)
	s := statement{block: p.blocks[id], id: id, seen: make([][]seen, len(b.body))}
	events := 0
	for i, t := range p.tracks {
		t.run(b, func(a *act) bool {
			if b.body[a.step].opens {
				a.request = t.rows[t.at].Request
			}
			s.seen[a.step] = append(s.seen[a.step], seen{int32(i), int32(t.at), int32(a.round), int32(a.rounds), a.peer})
			t.at++
			events++
			return true
		})
		t.serial++
	}
	p.program = append(p.program, s)
	p.follows[p.latest] = follower{id, events}
	p.latest = [2]int{p.latest[1], id}
}

// lengthOf returns the length of the description of a block.
func (p *parser) lengthOf(b *block) int {
	n := 1 + len(b.body) + guarded*btoi(b.guard.form != always)
	for i := range b.body {
		n += btoi(p.unusual(b.body[i].peer))
	}
	return n
}

// number returns the id of b.
func (p *parser) number(b *block) int {
	k := b.key()
	id, ok := p.ids[k]
	if !ok {
		id = len(p.blocks)
		p.ids[k], p.blocks = id, append(p.blocks, b)
		p.length += p.lengthOf(b)
	}
	return id
}
