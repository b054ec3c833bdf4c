package grow

// plain returns an error with the first event of a block that only some ranks execute, other than those with a partner
// and the first or last rank. Such a condition can be chance, so that it must be tested.
func (p *parser) plain() error {
	for _, s := range p.program {
		if s.guard.form == always || s.guard.single() {
			continue
		}
		for _, seen := range s.seen {
			if len(seen) > 0 {
				t := p.tracks[seen[0].track]
				return &MisfitError{p.names[t.recording], t.rank, int(seen[0].row), "only some ranks have this " +
					describe(&t.rows[seen[0].row], t.rank) + ", and the other recordings do not predict the largest one; record the program at more numbers of ranks"}
			}
		}
	}
	return nil
}

// blocksRecur returns an error with the first event of a block that only the largest recording has.
func (p *parser) blocksRecur() error {
	recurs := make([]bool, len(p.blocks))
	last := len(p.names) - 1
	for _, s := range p.program {
		for _, seen := range s.seen {
			recurs[s.id] = recurs[s.id] || len(seen) > 0 && p.tracks[seen[0].track].recording < last
		}
	}
	for _, s := range p.program {
		for _, seen := range s.seen {
			if len(seen) > 0 && !recurs[s.id] {
				t := p.tracks[seen[0].track]
				return &MisfitError{p.names[last], t.rank, int(seen[0].row),
					"no smaller recording has anything like this " + describe(&t.rows[seen[0].row], t.rank)}
			}
		}
	}
	return nil
}
