package reuse

import (
	"math"
	"slices"

	"spoor/analyze/lines"
)

const (
	fewPlaces  = 1 << 22 // need no care: 16 MB of slots
	pageSample = 64      // of so many pages, one is looked at
)

// fitPages has the lines renumbered now, which tells how many there are to a page.
func (s *Stack) fitPages() error {
	if s.crew != nil {
		s.crew.send(s)
		s.crew.settle()
	}
	s.reach(s.lines.Places()) // the first lines may not have had a batch yet
	return s.compact()
}

// suitPages sees to it that memory goes by lines, and not by pages of which little is used: it gives every line a page of its own, if few of the
// live ones are neighbours, and neighbours one again, if many are. The slots have just been renumbered; the newest lines may have none.
func (s *Stack) suitPages(live int, apart bool) error {
	t, ok := s.lines.(*lines.Table)
	if !ok || t.Places() < s.few && t.Sharing() == lines.Neighbours {
		return nil
	}
	of := t.Sharing()
	switch {
	case of == lines.Neighbours && live < t.Pages()*lines.FewOfPage:
		of = lines.Alone
	case of == lines.Alone && t.Places() > s.check && linesOfPage(t) >= lines.ManyOfPage:
		of = lines.Neighbours
	}
	if of != t.Sharing() {
		if err := s.move(t, of, apart); err != nil {
			return err
		}
	}
	s.check = s.lines.Places() / 2 * 3
	return nil
}

// linesOfPage is how many lines there are to a page of neighbours, of those of a table that gives each one of its own.
func linesOfPage(t *lines.Table) float64 {
	var pages []uint64
	for line := range t.All() {
		if page := line >> lines.Neighbours; mix(page) < math.MaxUint64/pageSample {
			pages = append(pages, page)
		}
	}
	n := len(pages)
	slices.Sort(pages)
	return float64(n) / float64(max(len(slices.Compact(pages)), 1))
}

// move goes on with another table.
func (s *Stack) move(from *lines.Table, of lines.Sharing, apart bool) error {
	to := lines.NewTable()
	to.Reset(of)
	var slots []uint32
	for line, place := range from.All() {
		if s.slots[place] == 0 {
			continue
		}
		at, err := to.Place(line)
		if err != nil {
			return err
		}
		slots = lines.Extend(slots, to.Places())
		slots[at] = s.slots[place]
	}
	for i := 0; apart && i < newest; i++ {
		var err error
		if s.recent.place[i], err = to.Place(s.recent.line[i]); err != nil {
			return err
		}
	}
	s.lines, s.slots = to, lines.Extend(slots, to.Places())
	return nil
}
