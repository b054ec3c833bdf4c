package phases

import (
	"spoor/traces/trace"
)

// lookup returns the number of a block. A new block is placed at its home.
func (b *softwareMemory) lookup(number uint64, toucher trace.Proc) (uint32, error) {
	id, err := b.numbers.Place(number)
	if err != nil {
		return 0, err
	}
	n := b.numbers.Places()
	b.directory.reach(n)
	for len(b.homes) < n {
		b.homes, b.transits = append(b.homes, noHome), append(b.transits, transit{})
	}
	if b.homes[id] == noHome {
		home := b.home(number, toucher)
		b.homes[id], b.transits[id] = int32(home), transit{to: home}
		b.directory.store(id, home)
	}
	return id, nil
}

func (b *softwareMemory) home(number uint64, toucher trace.Proc) trace.Proc {
	addr := number << b.shift
	if p, ok := b.places.Of(addr, addr+1<<b.shift-1); ok {
		return trace.Proc(int(p) / b.perNode)
	}
	page := addr >> Page.Shift()
	if b.placement == Interleaved {
		return trace.Proc(page % uint64(b.nodes))
	}
	home, ok := b.touched[page]
	if !ok {
		home = int32(toucher)
		b.touched[page] = home
	}
	return trace.Proc(home)
}

// noHome marks a block without a home.
const noHome = -1
