package lines

// Names tells the lines that have places of a table: neighbours that share a page by one number.
type Names struct {
	pages []uint64                  // by page of places: the number of the page of lines, from 1, or isMixed and an index of mixed; 0: none yet
	mixed [][1 << Neighbours]uint64 // lines of pages that others share than neighbours
}

const (
	isMixed = 1 << 63 // there are not so many pages of lines
	inPage  = 1<<Neighbours - 1
)

// Reach makes room for so many places.
func (n *Names) Reach(places int) { n.pages = Extend(n.pages, (places+inPage)>>Neighbours) }

// Places is for how many there is room.
func (n *Names) Places() int { return len(n.pages) << Neighbours }

// Set says which line has a place.
func (n *Names) Set(place uint32, line uint64) {
	page, shared := &n.pages[place>>Neighbours], line>>Neighbours+1
	if uint32(line)&inPage != place&inPage {
		shared = isMixed
	}
	switch {
	case *page == shared && shared != isMixed:
		return
	case *page == 0 && shared != isMixed:
		*page = shared
		return
	case *page < isMixed:
		n.mix(page)
	}
	n.mixed[*page&^isMixed][place&inPage] = line
}

// mix keeps the lines of a page one by one.
func (n *Names) mix(page *uint64) {
	var all [1 << Neighbours]uint64
	for i := range all {
		all[i] = (*page-1)<<Neighbours | uint64(i)
	}
	*page = isMixed | uint64(len(n.mixed))
	n.mixed = append(n.mixed, all)
}

// Of is the line that has a place.
func (n *Names) Of(place uint32) uint64 {
	page := n.pages[place>>Neighbours]
	if page >= isMixed {
		return n.mixed[page&^isMixed][place&inPage]
	}
	return (page-1)<<Neighbours | uint64(place&inPage)
}
