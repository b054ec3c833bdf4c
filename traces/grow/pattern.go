// Package grow learns the pattern of a message-passing program from its recordings at several numbers of ranks, and
// gives the events of any number of ranks.
//
// The pattern is one program for all ranks. It consists of blocks: a guard that says which ranks execute it, a number of
// rounds, and steps. The partner of a step is a function of the rank, the number of ranks and the round. All ranks of all
// recordings are read at the same time, and a block is accepted if each rank that should execute it has its events next.
// The bytes of a step and its other numbers are formulas that all recordings obey.
//
// The structure of loops follows ScalaTrace [noeth2009], and the extrapolation from several numbers of ranks follows
// ScalaExtrap [wu2011].
//
// Differs: ScalaExtrap merges compressed traces and finds the topology from a few corner ranks. Here, the pattern must
// give every recorded event of every rank. ScalaExtrap fits times by curves; here, computation without an exact formula
// is that of the nearest recorded rank of the same role.
package grow

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Pattern is what the recordings have in common.
type Pattern struct {
	Notes   []string // what is not exact, and what the pattern was tested with
	parser  *parser
	amounts [][]amounts
	roles   *roles
	growth  scaling
	numbers numbering
	closed  bool // no recorded rank ends with an open request
	matched bool // every message that a recording sends is received
	tested  bool // the smaller recordings predict the largest
}

// Learn returns the pattern of the recordings, which have different numbers of ranks. With three or more recordings, it
// first predicts the largest one from the others. The argument target is the number of ranks that the caller wants.
//
// There are several rules to read recordings. Of those with which all recordings have a pattern, the one with the
// shortest program is taken. It is an error if another one is about as short, but predicts other messages.
func Learn(all []Recording, target int) (*Pattern, error) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Recording) int { return cmp.Compare(len(a.Rows), len(b.Rows)) })
	if err := checkAll(all, target); err != nil {
		return nil, err
	}
	found, err := search(all, rules(all, target, false))
	if err != nil {
		var other error
		if found, other = search(all, rules(all, target, true)); other != nil || len(found) == 0 {
			return nil, err
		}
	}
	if found, err = growable(found, target); err != nil {
		return nil, err
	}
	if err := unambiguous(found, target); err != nil {
		return nil, err
	}
	p := found[0]
	if sizes := p.parser.rule.grid.sizes(target); len(sizes) > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("the ranks form a grid of %s; consecutive ranks are neighbours in the last dimension", gridText(sizes)))
	}
	return p, p.foldKnown(target)
}

const (
	firstLength = 32   // of the programs that are looked for first
	maxLength   = 1024 // of a program that is a pattern
)

// search returns the patterns of all rules, or the error of the one that explains the most. It looks for short programs
// first: a wrong rule needs a long one, and is given up early.
func search(all []Recording, rules []rule) ([]*Pattern, error) {
	var last []*Pattern
	for limit := firstLength; ; limit *= 2 {
		var found []*Pattern
		var first failure
		cut := false
		for _, r := range rules {
			p, err := learn(r, all, limit)
			if err == nil {
				found = append(found, p)
			} else if first.keep(err); errors.Is(err, errLong) {
				cut = true
			}
		}
		tested := slices.ContainsFunc(found, func(p *Pattern) bool { return p.tested })
		switch {
		case tested || len(found) > 0 && (len(last) > 0 || !cut):
			return found, nil
		case !cut || limit >= maxLength:
			return found, first.unless(len(found) > 0)
		}
		last = found
	}
}

// rules lists the rules to read recordings whose grids all of them and the target can have. Those with a dimension of a
// fixed size are used if no other rule fits.
func rules(all []Recording, target int, fixed bool) (list []rule) {
	for _, tags := range []bool{true, false} {
		for _, g := range grids() {
			fits := g.fits(target) && (g.fixed > 0) == fixed
			for _, r := range all {
				fits = fits && g.fits(len(r.Rows))
			}
			if fits && (tags || tagsDiffer(all)) {
				list = append(list, rule{g, tags, false}, rule{g, tags, true})
			}
		}
	}
	return list
}

// tagsDiffer reports whether recordings have different sets of tags or groups.
func tagsDiffer(all []Recording) bool {
	var first map[[2]int32]bool
	for _, r := range all {
		set := map[[2]int32]bool{}
		for _, rows := range r.Rows {
			for i := range rows {
				set[[2]int32{rows[i].Tag, rows[i].Group}] = true
			}
		}
		if first == nil {
			first = set
		}
		if !maps.Equal(first, set) {
			return true
		}
	}
	return false
}

// learn returns the pattern for one rule.
func learn(r rule, all []Recording, limit int) (*Pattern, error) {
	last := all[len(all)-1]
	var share float64
	strict := errFewRecordings
	if len(all) > 2 {
		part, err := solve(r, all[:len(all)-1], limit)
		if err != nil {
			return nil, err
		}
		share, strict = part.compare(last)
	}
	whole, err := solve(r, all, limit)
	if err != nil {
		return nil, err
	}
	if strict == nil {
		whole.tested = true
		whole.Notes = append(whole.Notes, fmt.Sprintf("the other recordings predict all messages of %s (%d ranks), and its computation within %s %%",
			last.Name, len(last.Rows), shareText(share)))
		return whole, nil
	}
	if err := cmp.Or(whole.parser.blocksRecur(), whole.parser.plain()); err != nil {
		if strict != errFewRecordings {
			err = strict
		}
		return nil, err
	}
	whole.Notes = append(whole.Notes, untested(last, len(all)))
	return whole, nil
}

// shareText returns a share in percent, with two digits if it is below 10 %.
func shareText(share float64) string {
	if share >= 0.1 {
		return strconv.FormatFloat(100*share, 'f', 0, 64)
	}
	return strconv.FormatFloat(100*share, 'g', 2, 64)
}

// untested returns the note of a pattern that was not tested with a recording that was left out.
func untested(last Recording, recordings int) string {
	if recordings < 3 {
		return "no recording was left out to test the pattern; a third one would test it"
	}
	return fmt.Sprintf("the other recordings alone do not predict %s (%d ranks); the pattern fits all recordings, and one more would test it",
		last.Name, len(last.Rows))
}

// solve finds the pattern of all recordings, if its program is not longer than limit.
func solve(r rule, all []Recording, limit int) (*Pattern, error) {
	parser := newParser(r, all)
	parser.limit = limit
	if err := parser.parse(); err != nil {
		return nil, &failedParse{err, parser.share()}
	}
	amounts, err := parser.fitAll()
	if err != nil {
		return nil, &failedParse{err, 1}
	}
	p := &Pattern{parser: parser, amounts: amounts, roles: rolesOf(parser)}
	p.growth = scalings(parser, p.roles)
	p.closed = !slices.ContainsFunc(parser.tracks, func(t *track) bool { return len(t.open) > 0 })
	var known bool
	if p.numbers, known = numberingOf(parser.tracks); !known {
		p.Notes = append(p.Notes, "the numbers of requests follow no rule; each operation gets the lowest free number")
	}
	p.matched = !slices.ContainsFunc(all, func(r Recording) bool {
		var sum balance
		for _, rows := range r.Rows {
			sum.add(rows)
		}
		return sum.err() != nil
	})
	p.note()
	return p, nil
}

// note adds what is not exact to the notes.
func (p *Pattern) note() {
	var near, layout int
	for i := range p.amounts {
		for j := range p.amounts[i] {
			if len(p.parser.program[i].seen[j]) == 0 {
				continue
			}
			for f, n := range p.amounts[i][j] {
				near += btoi(n == nil && field(f).computation())
				layout += btoi(n == nil && !field(f).computation())
			}
		}
	}
	if near > 0 {
		p.Notes = append(p.Notes, "no formula gives some computation: each rank gets that of the nearest recorded rank of its role, scaled with the number of ranks")
	}
	if layout > 0 {
		p.Notes = append(p.Notes, "no formula gives some buffers: each rank gets the addresses and layouts of the nearest recorded rank of its role")
	}
}
