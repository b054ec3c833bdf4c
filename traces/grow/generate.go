package grow

import (
	"fmt"
	"iter"
	"math"

	"spoor/traces/trace"
)

// maxRows is the most events of one rank. They are held in memory.
const maxRows = 1 << 24

// Grower gives the events of the ranks of one number of ranks.
type Grower struct {
	p       *Pattern
	ranks   int
	first   place // rank 0
	rows    []trace.Event
	origin  []origin
	counter counter
	sum     balance
	Rounded int64 // numbers that had to be rounded, although no recorded one was
}

// origin says which step a row is from.
type origin struct {
	statement, step int32
	round, rounds   int32
}

// Grow returns the events for a number of ranks.
func (p *Pattern) Grow(ranks int) *Grower {
	return &Grower{p: p, ranks: ranks, first: placeOf(p.parser.rule.grid, 0, ranks), counter: counter{numbering: p.numbers}}
}

// Rank returns the events of a rank. They are valid until the next call.
func (g *Grower) Rank(rank int) ([]trace.Event, error) {
	l := lane{place: g.first}
	l.locate(rank)
	own := g.execute(&l)
	if len(g.rows) > maxRows {
		return nil, fmt.Errorf("rank %d of %d has more than %d events in the pattern; choose a smaller number of ranks", rank, g.ranks, maxRows)
	}
	if len(l.open) > 0 && g.p.closed {
		return nil, &MisfitError{fmt.Sprintf("%d ranks", g.ranks), rank, len(g.rows),
			fmt.Sprintf("the pattern opens %d requests and never waits for them; record the program at more numbers of ranks", len(l.open))}
	}
	if i := g.p.roles.unordered(own, g.origin); i >= 0 {
		return nil, &MisfitError{fmt.Sprintf("%d ranks", g.ranks), rank, i, fmt.Sprintf("no recorded rank has both this %s and the %s before it, so that their order is not known; add a recording at more ranks",
			brief(&g.rows[i], rank), brief(&g.rows[i-1], rank))}
	}
	near := -2
	for i := range g.rows {
		s := sample{&l.place, int(g.origin[i].round), int(g.origin[i].rounds), g.rows[i].Peer, 0}
		if err := g.fill(i, &s, own, &near); err != nil {
			return nil, err
		}
	}
	return g.rows, nil
}

// All yields the events of all ranks, in order. They are valid until the next iteration. It ends with an error if the
// messages of the ranks do not match, although those of the recordings do.
func (g *Grower) All() iter.Seq2[[]trace.Event, error] {
	return func(yield func([]trace.Event, error) bool) {
		g.sum = balance{}
		for rank := range g.ranks {
			rows, err := g.Rank(rank)
			if !yield(rows, err) || err != nil {
				return
			}
			if g.p.matched {
				g.sum.add(rows)
			}
		}
		if err := g.sum.err(); err != nil {
			yield(nil, err)
		}
	}
}

// execute sets the rows of a rank without their numbers, and returns its role.
func (g *Grower) execute(l *lane) role {
	g.rows, g.origin = g.rows[:0], g.origin[:0]
	g.counter.reset()
	own := startRole
	for i := range g.p.parser.program {
		s := &g.p.parser.program[i]
		before := len(g.rows)
		l.serial = int32(i)
		l.run(s.block, func(a *act) bool {
			b := &s.body[a.step]
			if b.opens {
				a.request = g.counter.open()
			}
			if b.closes {
				g.counter.close(a.request)
			}
			g.rows = append(g.rows, trace.Event{Kind: b.kind, Peer: a.peer, Request: a.request})
			g.origin = append(g.origin, origin{int32(i), int32(a.step), int32(a.round), int32(a.rounds)})
			return len(g.rows) <= maxRows
		})
		own = own.with(len(g.rows) > before)
	}
	return own
}

// fill sets the numbers of a row. The argument near is the recorded track of the same role, -1 if there is none, or -2 if
// it is not known yet.
func (g *Grower) fill(row int, s *sample, own role, near *int) error {
	o := g.origin[row]
	e := &g.rows[row]
	steps := g.p.amounts[o.statement]
	for f := range endField {
		var v int64
		if n := steps[o.step][f]; n != nil {
			var inexact bool
			v, inexact = n.at(s)
			g.Rounded += int64(btoi(inexact))
		} else {
			if len(g.p.parser.program[o.statement].seen[o.step]) == 0 {
				return &MisfitError{fmt.Sprintf("%d ranks", g.ranks), s.place.rank, row,
					fmt.Sprintf("no recorded rank has an event like this %s; record the program at more numbers of ranks", e.Kind)}
			}
			if *near == -2 {
				*near = g.p.roles.nearest(s.place, own)
			}
			v = g.p.near(o, f, s, *near)
		}
		if !f.set(e, v) {
			return &MisfitError{fmt.Sprintf("%d ranks", g.ranks), s.place.rank, row,
				fmt.Sprintf("the pattern gives this %s the %s %d, which is not legal; record the program at more numbers of ranks", e.Kind, f, v)}
		}
	}
	return nil
}

// near returns the field of the recorded event that is most like the one at the place of s, scaled if it is computation.
func (p *Pattern) near(o origin, f field, s *sample, track int) int64 {
	st := &p.parser.program[o.statement]
	e := p.roles.like(st.seen[o.step], track, s)
	t := p.parser.tracks[e.track]
	v := f.of(&t.rows[e.row])
	if (f == fieldInstr || f == fieldWork) && s.place.ranks != t.ranks {
		c := p.growth.of(stepField{st.id, int(o.step), f}, v)
		if was := c.at(&t.place); was > 0 {
			v = int64(math.Round(float64(v) * c.at(s.place) / was))
		}
	}
	return v
}
