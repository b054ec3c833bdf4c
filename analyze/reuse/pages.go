package reuse

import (
	"math"
	"slices"

	"spoor/analyze/internal/lines"
)

const (
	minPlacesToCheck = 1 << 22 // fewer places are not checked: 16 MB of slots
	pageSample       = 64      // one page of this many is counted
)

// checkPages renumbers the lines now, which also counts the lines of a page.
func (s *Stack) checkPages() error {
	if s.workers != nil {
		s.workers.submit(s)
		s.workers.waitAssigned()
	}
	return s.compact()
}

// adaptPages keeps memory in proportion to lines, if pages are only partly used. It gives every line a page
// of its own if few live lines are neighbours. It puts neighbours on one page again if many are. The slots
// have just been renumbered. The newest lines may have none.
func (s *Stack) adaptPages(live int, topExcluded bool) error {
	t, ok := s.lines.(*lines.Table)
	if !ok || t.Places() < s.minPlacesToCheck && t.Sharing() == lines.Neighbours {
		return nil
	}
	of := t.Sharing()
	switch {
	case of == lines.Neighbours && live < t.Pages()*lines.FewOfPage:
		of = lines.Alone
	case of == lines.Alone && t.Places() > s.checkPlacesAt && linesPerPage(t) >= lines.ManyOfPage:
		of = lines.Neighbours
	}
	if of != t.Sharing() {
		if err := s.rebuildTable(t, of, topExcluded); err != nil {
			return err
		}
	}
	s.checkPlacesAt = s.lines.Places() / 2 * 3
	return nil
}

// linesPerPage estimates how many lines a page of neighbours would have. In the table, every line has a page
// of its own.
func linesPerPage(t *lines.Table) float64 {
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

// rebuildTable moves all lines to a new table with the given sharing of pages.
func (s *Stack) rebuildTable(from *lines.Table, of lines.Sharing, topExcluded bool) error {
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
	for i := 0; topExcluded && i < newest; i++ {
		var err error
		if s.recent.place[i], err = to.Place(s.recent.line[i]); err != nil {
			return err
		}
	}
	s.lines, s.slots = to, lines.Extend(slots, to.Places())
	return nil
}
