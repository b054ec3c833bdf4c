package machine

import (
	"fmt"

	"spoor/traces/unit"
)

// Size has the costs of messages of one size in PLogP. A cost that is absent is interpolated from other sizes.
type Size struct {
	Bytes              unit.Bytes
	Sending, Receiving Optional[unit.Seconds] // o_s and o_r
	Gap                Optional[unit.Seconds] // g
}

// MaxSizes bounds the number of sizes.
const MaxSizes = 1 << 10

// sizes reads the tables of PLogP.
func (r *reader) sizes(t *networkText, n *Network) {
	if len(t.Size) > 0 {
		r.belongs(size(0), n.Model, "plogp")
	}
	if n.Model != "plogp" {
		return
	}
	if len(t.Size) > MaxSizes {
		r.fail(size(MaxSizes), "is one size too many; a network has at most %d", MaxSizes)
		return
	}
	for i, one := range t.Size {
		n.Sizes = append(n.Sizes, r.sizeOf(size(i), one))
		if i > 0 && n.Sizes[i].Bytes <= n.Sizes[i-1].Bytes {
			r.fail(size(i)+".bytes", "%v is not more than the %v of the size before it", n.Sizes[i].Bytes, n.Sizes[i-1].Bytes)
		}
	}
	r.tables(t, n)
}

func size(i int) string { return fmt.Sprintf("network.size[%d]", i) }

func (r *reader) sizeOf(at string, t sizeText) Size {
	b := r.size(at+".bytes", t.Bytes, 0)
	if b > maxMemory {
		r.fail(at+".bytes", "%v is more than %v", b, maxMemory)
	}
	s := Size{Bytes: b, Sending: r.duration(at+".o_s", t.Sending),
		Receiving: r.duration(at+".o_r", t.Receiving), Gap: r.duration(at+".g", t.Gap)}
	if !s.Sending.Known && !s.Receiving.Known && !s.Gap.Known {
		r.fail(at, "has no cost; add o_s, o_r or g")
	}
	return s
}

// tables checks that each of o_s, o_r and g is given by size, or the overheads for all sizes, but not both.
func (r *reader) tables(t *networkText, n *Network) {
	bySize := func(of func(Size) Optional[unit.Seconds]) bool {
		for _, s := range n.Sizes {
			if of(s).Known {
				return true
			}
		}
		return false
	}
	sends := bySize(func(s Size) Optional[unit.Seconds] { return s.Sending })
	receives := bySize(func(s Size) Optional[unit.Seconds] { return s.Receiving })
	gaps := bySize(func(s Size) Optional[unit.Seconds] { return s.Gap })
	switch {
	case sends && n.Sending.Known:
		r.fail("network.o_s", "is given twice: here and by size; remove one")
	case receives && n.Receiving.Known:
		r.fail("network.o_r", "is given twice: here and by size; remove one")
	case n.Gap.Known:
		r.fail("network.g", "has no effect for %q; [[network.size]] has it by size", n.Model)
	case t.G.given:
		r.fail("network.G", "has no effect for %q; [[network.size]] has the cost of bytes", n.Model)
	case !n.Latency.Known:
		r.fail("network.L", "is missing; the %s network needs it", n.Model)
	case !gaps:
		r.fail("network", "has no [[network.size]] with g; the %s network needs one of each size that was measured", n.Model)
	case !sends && !n.Sending.Known && !n.Overhead.Known:
		r.fail("network", "has no o_s, neither by size nor for all; the %s network needs it", n.Model)
	case !receives && !n.Receiving.Known && !n.Overhead.Known:
		r.fail("network", "has no o_r, neither by size nor for all; the %s network needs it", n.Model)
	}
}
