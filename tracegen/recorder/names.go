package recorder

import (
	"spoor/tracegen/recorder/locate"
	"spoor/traces/symbols"
)

// A Namer is a Sink that also receives the names of places.
type Namer interface {
	Symbols() *symbols.Writer // nil: none are wanted
}

// names follows what names the places of a trace.
type names struct {
	places  *locate.Places // nil if names are not wanted
	used    []bool         // whether references have the instruction, by site
	changes uint32         // number of the next block of changes of the heap
}

func newNames(sink Sink) (n names) {
	if s, ok := sink.(Namer); ok && s.Symbols() != nil {
		n.places = locate.New(s.Symbols())
	}
	return n
}

// block reads where files are mapped, or changes of the heap.
func (n *names) block(h header, b []byte) error {
	switch {
	case n.places == nil:
		return errDamaged
	case h.Kind == mapsBlock:
		return n.places.Maps(b)
	}
	n.changes = h.Sequence + 1
	return n.places.Changes(b)
}

// rest reads changes that the plugin had not written when the program was killed.
func (n *names) rest(h header, b []byte) error {
	if n.places == nil || h.Sequence < n.changes {
		return nil
	}
	return n.places.Changes(b)
}

// finish writes the names of the instructions that are used, and of all data. Its notes say what has none.
func (n *names) finish(pcs []uint64) (notes []string, err error) {
	if n.places == nil {
		return nil, nil
	}
	var used []uint64
	for site, is := range n.used {
		if is {
			used = append(used, pcs[site])
		}
	}
	return n.places.Finish(used)
}
