package grow

import "spoor/traces/trace"

// goesOn reports whether t executes one more round of a loop with the same partners in all rounds, after n events. Then
// the number of rounds is wrong.
func (p *parser) goesOn(t *track, b *block, n int) bool {
	if b.count.form == once || b.count.form >= openAll {
		return false
	}
	for i := range b.body {
		if b.body[i].peer.form >= powerXor {
			return false
		}
	}
	return p.roundAlike(t, b, t.at+n)
}

// roundAlike reports whether the events of t from a row on are a round of b, whatever requests they use.
func (p *parser) roundAlike(t *track, b *block, row int) bool {
	for i := range b.body {
		s := &b.body[i]
		to, ok := s.peer.at(&t.place, 0, 1)
		if !ok || row+i >= len(t.rows) {
			return false
		}
		if e := &t.rows[row+i]; e.Kind != s.kind || e.Peer != to || p.rule.tags && e.Tag != s.tag {
			return false
		}
	}
	return true
}

// beginsOtherwise reports whether a loop begins with computation of another amount than in all later rounds. Then the
// computation is not a part of the loop.
func (p *parser) beginsOtherwise(t *track, b *block, n int) bool {
	m := len(b.body)
	if m < 2 || n < 3*m || n%m != 0 || b.body[0].kind != trace.Compute {
		return false
	}
	first, second := t.rows[t.at].Work, t.rows[t.at+m].Work
	if first == second {
		return false
	}
	for i := 2 * m; i < n; i += m {
		if t.rows[t.at+i].Work != second {
			return false
		}
	}
	return true
}
