package lines

// Names maps numbers of a table back to lines. Neighbours that share a page need one entry.
type Names struct {
	pages []uint64                  // by page of numbers: the number of the page of lines, from 1, or isMixed and an index of mixed; 0: none yet
	mixed [][1 << Neighbours]uint64 // lines of pages whose lines are not neighbours
}

const (
	isMixed = 1 << 63 // there are fewer pages of lines
	inPage  = 1<<Neighbours - 1
)

// Reach allocates entries for n numbers.
func (n *Names) Reach(places int) { n.pages = Extend(n.pages, (places+inPage)>>Neighbours) }

// Places returns how many numbers have entries.
func (n *Names) Places() int { return len(n.pages) << Neighbours }

// Set sets the line of a number.
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

// mix stores the lines of a page separately.
func (n *Names) mix(page *uint64) {
	var all [1 << Neighbours]uint64
	for i := range all {
		all[i] = (*page-1)<<Neighbours | uint64(i)
	}
	*page = isMixed | uint64(len(n.mixed))
	n.mixed = append(n.mixed, all)
}

// Of returns the line of a number.
func (n *Names) Of(place uint32) uint64 {
	page := n.pages[place>>Neighbours]
	if page >= isMixed {
		return n.mixed[page&^isMixed][place&inPage]
	}
	return (page-1)<<Neighbours | uint64(place&inPage)
}
