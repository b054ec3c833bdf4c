package memory

import (
	"math/rand/v2"
	"unsafe"

	"spoor/calibrate/internal/host"
)

// link is an element of a chain.
type link struct{ next *link }

// unrolled is the number of loads between branches.
const unrolled = 16

func follow(p *link, n int) *link {
	for ; n > 0; n -= unrolled {
		p = p.next.next.next.next.next.next.next.next
		p = p.next.next.next.next.next.next.next.next
	}
	return p
}

// window is the memory that a cycle visits before it moves on, if TLBs hold only small pages.
const window = 32 * page

// linked builds the cycle of p. The elements linked last are in the caches.
func (b *native) linked(p Point, in []byte, r *rand.Rand) (at func(i int) *link, length int) {
	near := window
	if b.huge || p.Kind == Pages {
		near = 0
	}
	cycle := p.Cycle(near, r)
	at = func(i int) *link { return (*link)(unsafe.Pointer(&in[cycle[i]])) }
	for i := range cycle {
		at(i).next = at((i + 1) % len(cycle))
	}
	return at, len(cycle)
}

func (b *native) chase(p Point, r *rand.Rand) host.Trial {
	in, loads := b.region, 1
	switch p.Kind {
	case Pages:
		in = b.pages
	case Pair:
		loads = 2
	}
	at, length := b.linked(p, in, r)
	here := follow(at(0), length) // the caches are then in their steady state
	return b.repeated(func(n int) { here = follow(here, loads*n) }, 1)
}

// chains start at equal distances in the half of a cycle that was linked first.
func (b *native) chains(p Point, r *rand.Rand) host.Trial {
	at, length := b.linked(p, b.region, r)
	var start [mostChains]*link
	k := p.count()
	for i := range k {
		start[i] = at(i * length / 2 / k)
	}
	return b.repeated(func(n int) {
		here := start // on the stack, where storing a pointer is one instruction
		for range n {
			for i, l := range here[:k] {
				here[i] = l.next
			}
		}
		start = here
	}, k)
}

func (b *native) behind(p Point, r *rand.Rand) host.Trial {
	at, _ := b.linked(p, b.region, r)
	start := at(0)
	return b.repeated(func(n int) {
		here, x := start, b.sink
		for range n {
			here = here.next
			x += mix(x|1, x)
		}
		start, b.sink = here, x
	}, 1)
}

// mix executes behindInstructions, at most two at a time.
func mix(x, y uint64) uint64 {
	a, b := y, ^y
	for range 64 {
		a, b = (((a+x)^x)+x)^x, (((b+x)^x)+x)^x
		a, b = (((a+x)^x)+x)^x, (((b+x)^x)+x)^x
		a, b = (((a+x)^x)+x)^x, (((b+x)^x)+x)^x
		a, b = (((a+x)^x)+x)^x, (((b+x)^x)+x)^x
	}
	return a ^ b
}
