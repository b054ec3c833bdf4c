package cache

import "fmt"

// check returns an error if the levels cannot be combined.
func (s Spec) check() error {
	seen := map[string]bool{}
	for i := range s.Levels {
		l := &s.Levels[i]
		if seen[l.Name] {
			return fmt.Errorf("two levels are called %s", l.Name)
		}
		seen[l.Name] = true
		if err := l.check(); err != nil {
			return fmt.Errorf("%s: %w", l.Name, err)
		}
	}
	for _, tlb := range []bool{false, true} {
		for _, side := range []Side{data, instr} {
			path := s.path(tlb, side)
			if s.enters(tlb, side) && path[0].Inclusion == Exclusive {
				return fmt.Errorf("%s: the first level cannot be exclusive", path[0].Name)
			}
			if err := checkPath(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// path returns the levels that serve a side, from the processor on.
func (s Spec) path(tlb bool, side Side) []*Level {
	var out []*Level
	for i := range s.Levels {
		if l := &s.Levels[i]; l.TLB == tlb && l.Side.serves(side) {
			out = append(out, l)
		}
	}
	return out
}

// enters reports whether references of a side are simulated. They are omitted if the first level
// serves only the other side and no level serves only this one.
func (s Spec) enters(tlb bool, side Side) bool {
	path := s.path(tlb, side)
	if len(path) == 0 {
		return false
	}
	other := data + instr - side
	return path[0].Side == side || s.path(tlb, other)[0] == path[0]
}

// check returns an error if a level has invalid options.
func (l *Level) check() error {
	offline := l.WithOPT || l.Policy == optPolicy.Name
	switch {
	case offline && l.NoAllocate:
		return fmt.Errorf("opt requires that every miss loads the line; omit no-allocate")
	case offline && l.Inclusion == Exclusive:
		return fmt.Errorf("opt is not defined for an exclusive level, which holds only evicted lines")
	case l.Policy == optPolicy.Name && l.Inclusion == Inclusive:
		return fmt.Errorf("an inclusive level cannot be opt, because its evictions would change later uses")
	}
	return nil
}

// checkPath returns an error if the levels cannot follow each other.
func checkPath(path []*Level) error {
	exclusive, inclusive := false, false
	for i, l := range path {
		exclusive = exclusive || l.Inclusion == Exclusive
		inclusive = inclusive || l.Inclusion == Inclusive
		if i == 0 {
			continue
		}
		above := path[i-1]
		switch {
		case l.Line < above.Line:
			return fmt.Errorf("%s: its lines of %s are shorter than the lines of %s", l.Name, l.Line, above.Name)
		case above.Policy == optPolicy.Name:
			return fmt.Errorf("%s: opt is allowed only in the last level; use with-opt", above.Name)
		case above.Side == both && l.Side != both:
			return fmt.Errorf("%s: a level of one side cannot follow %s, which is unified", l.Name, above.Name)
		case l.Private && !above.Private:
			return fmt.Errorf("%s: a private level cannot follow %s, which is shared", l.Name, above.Name)
		case l.Inclusion == Exclusive && (l.Line != above.Line || l.WriteThrough || above.WriteThrough):
			return fmt.Errorf("%s: an exclusive level and the one above it must be write-back and have the same lines", l.Name)
		}
	}
	if exclusive && inclusive {
		return fmt.Errorf("inclusive and exclusive levels cannot be mixed")
	}
	return nil
}
