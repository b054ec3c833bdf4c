package grow

import (
	"fmt"

	"spoor/traces/trace"
)

// amounts are the formulas of the numbers of a step. Nil stands for the number of the nearest recorded rank.
type amounts [endField]*number

// fitter finds the formulas of all steps of a program.
type fitter struct {
	p       *parser
	found   map[stepField][]*number // formulas that fitted equal steps before
	failed  map[stepField]bool      // steps that no formula fits
	samples []sample
}

// stepField is a field of a step of a block.
type stepField struct {
	id, step int
	field    field
}

// fitAll returns the formulas of all statements, by step.
func (p *parser) fitAll() ([][]amounts, error) {
	f := fitter{p: p, found: map[stepField][]*number{}, failed: map[stepField]bool{}}
	var all [][]amounts
	for i := range p.program {
		s := &p.program[i]
		steps := make([]amounts, len(s.body))
		for j := range s.body {
			if len(s.seen[j]) == 0 {
				continue
			}
			if err := f.step(s, j, &steps[j]); err != nil {
				return nil, err
			}
		}
		all = append(all, steps)
	}
	return all, nil
}

// step finds the formulas of a step.
func (f *fitter) step(s *statement, j int, to *amounts) error {
	f.samples = f.samples[:0]
	for _, e := range s.seen[j] {
		f.samples = append(f.samples, sample{&f.p.tracks[e.track].place, int(e.round), int(e.rounds), e.peer, 0})
	}
	for field := range endField {
		for i, e := range s.seen[j] {
			f.samples[i].value = field.of(&f.p.tracks[e.track].rows[e.row])
		}
		n := f.formula(stepField{s.id, j, field})
		if n == nil && !field.mayBeNear(s.body[j].kind) {
			return f.misfit(s, j, field)
		}
		to[field] = n
	}
	return nil
}

// mayBeNear reports whether the field of events of kind k may be that of the nearest recorded rank.
func (f field) mayBeNear(k trace.Kind) bool {
	return f >= fieldInstr || f == fieldCount && k != trace.Test && k != trace.Iprobe
}

// formula returns the formula of the samples, or nil. Computation of one recording has none, as it says nothing of growth.
func (f *fitter) formula(at stepField) *number {
	if (at.field == fieldInstr || at.field == fieldWork) && len(f.p.names) > 1 && f.fromOne() {
		return nil
	}
	for _, n := range f.found[at] {
		if n.fitsAll(f.samples) {
			return n
		}
	}
	n, ok := number{form: constant, a: f.samples[0].value}, false
	if f.failed[at] {
		ok = n.fitsAll(f.samples)
	} else {
		n, ok = fit(f.samples)
	}
	if !ok {
		f.failed[at] = at.field >= fieldInstr
		return nil
	}
	f.found[at] = append(f.found[at], &n)
	return &n
}

// fromOne reports whether all samples are of one recording.
func (f *fitter) fromOne() bool {
	for i := range f.samples {
		if f.samples[i].place.ranks != f.samples[0].place.ranks {
			return false
		}
	}
	return true
}

// misfit returns the error of the first event whose number differs from that of the first one of its step.
func (f *fitter) misfit(s *statement, j int, what field) error {
	first := s.seen[j][0]
	for i, e := range s.seen[j] {
		if f.samples[i].value != f.samples[0].value {
			t, u := f.p.tracks[e.track], f.p.tracks[first.track]
			return &MisfitError{f.p.names[t.recording], t.rank, int(e.row), fmt.Sprintf(
				"no formula of the rank and the number of ranks gives the %s of this %s: %d here, %d in row %d of rank %d of %d",
				what, s.body[j].kind, f.samples[i].value, f.samples[0].value, first.row, u.rank, u.ranks)}
		}
	}
	return nil
}
