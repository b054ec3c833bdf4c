package merge

import (
	"fmt"

	"spoor/traces/trace"
)

// separateShift is the first bit of the top byte of an address.
const separateShift = 56

// space replaces the top bytes of the addresses of one trace, so that no two traces
// share an address.
type space struct {
	used [256]bool
	to   [256]uint64 // new top byte, in place
}

// move returns the new address of a. A nil space keeps it.
func (s *space) move(a uint64) uint64 {
	if s == nil {
		return a
	}
	return a&(1<<separateShift-1) | s.to[a>>separateShift]
}

// moveAll returns the new addresses of all.
func (s *space) moveAll(all []uint64) []uint64 {
	if all == nil {
		return nil
	}
	moved := make([]uint64, len(all))
	for i, a := range all {
		moved[i] = s.move(a)
	}
	return moved
}

// use records the top byte of the bytes from a to last. They must share it.
func (s *space) use(a, last uint64) error {
	if s.used[a>>separateShift] = true; a>>separateShift != last>>separateShift {
		return fmt.Errorf("the addresses from %#x to %#x have two top bytes, so that --separate is not possible", a, last)
	}
	return nil
}

// survey finds the top bytes of all addresses of m.
func (m *input) survey() error {
	s := new(space)
	src := m.Addresses
	if src == nil {
		src = m.Source
	}
	for b, err := range src.Refs() {
		if err != nil {
			return err
		}
		if err := s.refs(b); err != nil {
			return err
		}
	}
	for b, err := range m.Events() {
		if err != nil {
			return err
		}
		for i := range b.Rows {
			if e := &b.Rows[i]; e.Addr != 0 {
				if err := s.use(uint64(e.Addr), uint64(e.Addr+max(0, (e.Count-1)*e.Stride+e.Block-1))); err != nil {
					return err
				}
			}
		}
	}
	for _, r := range m.Header().Regions {
		if err := s.use(r.Base, r.Base+max(1, r.Bytes)-1); err != nil {
			return err
		}
	}
	m.space = s
	return nil
}

func (s *space) refs(b *trace.Refs) error {
	for i, a := range b.Addr {
		if err := s.use(a, a+uint64(b.Size[i])-1); err != nil {
			return err
		}
	}
	for _, pc := range b.PC {
		s.used[pc>>separateShift] = true
	}
	return nil
}

// separateAll gives top byte 0 of each trace the number of the trace, and each other
// top byte the next free number. The notes list the other ones.
func separateAll(all []*input) (notes []string, err error) {
	next := uint64(len(all))
	for i, m := range all {
		if err := m.survey(); err != nil {
			return nil, fmt.Errorf("merging %s: %w", m.Name, err)
		}
		m.space.to[0] = uint64(i) << separateShift
		for top := 1; top < len(m.space.used); top++ {
			if !m.space.used[top] {
				continue
			}
			if next > 255 {
				return nil, fmt.Errorf("merging %s: --separate has 256 address spaces, but the top bytes of the addresses need more", m.Name)
			}
			m.space.to[top] = next << separateShift
			notes = append(notes, fmt.Sprintf("trace %d: addresses with top byte %#02x get top byte %#02x", i, top, next))
			next++
		}
	}
	return notes, nil
}
