package comm

import (
	"iter"
	"maps"
	"slices"

	"spoor/traces/unit"
)

// Flow is the messages from one processor to another.
type Flow struct {
	From, To        int
	Messages, Bytes uint64
}

// Traffic is the load of messages on a network.
type Traffic struct {
	Net             Topology
	Messages, Bytes uint64  // between different processors
	Hops            float64 // mean number of links of a route
	Neighbours      float64 // share of messages with the fewest possible links
	Busiest         Link    // by messages; the first of equal ones
	MostMessages    uint64  // over the busiest link
	MostBytes       uint64  // over any link
}

// load is the messages on a link.
type load struct{ messages, bytes uint64 }

// Carry routes the flows over net. It ignores messages from a processor to itself.
func Carry(net Topology, flows []Flow) Traffic {
	t := Traffic{Net: net}
	on := NewPerLink[load](net)
	atHops := map[int]uint64{}
	var way []Link
	for _, f := range flows {
		if f.From == f.To {
			continue
		}
		way = net.Route(f.From, f.To, way[:0])
		for _, l := range way {
			at := on.At(l)
			at.messages += f.Messages
			at.bytes += f.Bytes
		}
		t.Messages += f.Messages
		t.Bytes += f.Bytes
		atHops[len(way)] += f.Messages
	}
	for l, at := range on.All() {
		if at.messages > t.MostMessages {
			t.Busiest, t.MostMessages = l, at.messages
		}
		t.MostBytes = max(t.MostBytes, at.bytes)
	}
	t.locality(atHops)
	return t
}

func (t *Traffic) locality(atHops map[int]uint64) {
	if t.Messages == 0 {
		return
	}
	nearest := len(t.Net.Route(0, 1, nil)) // consecutive processors are neighbours in all topologies
	links := uint64(0)
	for hops, n := range atHops {
		links += uint64(hops) * n
	}
	t.Hops = float64(links) / float64(t.Messages)
	t.Neighbours = float64(atHops[nearest]) / float64(t.Messages)
}

// each is the messages that a processor sends, on average.
func (t *Traffic) each() float64 { return float64(t.Messages) / float64(t.Net.Procs()) }

// Gap returns g of LogP by the busiest link, in times of one message on a link: the messages on
// that link divided by the mean number of messages that a processor sends. There must be messages.
func (t *Traffic) Gap() float64 { return float64(t.MostMessages) / t.each() }

// Gaps returns g of LogP for each processor by the links of its own messages, in times of one
// message on a link. Between sent messages, it is the number of messages on the busiest link of
// their routes for each sent message. Between received messages it is computed likewise. It is 0
// without messages. Over a long time, a processor's messages cannot follow each other faster. A
// processor with many messages among others with few has a smaller gap than [Traffic.Gap].
func Gaps(net Topology, flows []Flow) (sends, receives []float64) {
	on := NewPerLink[uint64](net)
	var way []Link
	each := func(do func(f Flow, l Link)) {
		for _, f := range flows {
			if f.From == f.To {
				continue
			}
			way = net.Route(f.From, f.To, way[:0])
			for _, l := range way {
				do(f, l)
			}
		}
	}
	each(func(f Flow, l Link) { *on.At(l) += f.Messages })
	sends, receives = make([]float64, net.Procs()), make([]float64, net.Procs())
	each(func(f Flow, l Link) {
		most := float64(*on.At(l))
		sends[f.From], receives[f.To] = max(sends[f.From], most), max(receives[f.To], most)
	})
	sent, received := make([]uint64, net.Procs()), make([]uint64, net.Procs())
	for _, f := range flows {
		if f.From != f.To {
			sent[f.From] += f.Messages
			received[f.To] += f.Messages
		}
	}
	for p := range sends {
		sends[p] /= float64(max(1, sent[p]))
		receives[p] /= float64(max(1, received[p]))
	}
	return sends, receives
}

// gapTime returns g by the bytes of the busiest link, with bandwidth b.
func (t *Traffic) gapTime(b unit.BytesPerSecond) float64 {
	return float64(t.MostBytes) / t.each() / float64(b)
}

// bisectionTime returns g by the bisection with links of bandwidth b, for messages of mean length.
func (t *Traffic) bisectionTime(b unit.BytesPerSecond) float64 {
	return float64(t.Bytes) / float64(t.Messages) * BisectionGap(t.Net) / float64(b)
}

// BisectionGap returns g of LogP by the bisection of a network of at least two processors, in times
// of one message on a link: the processors for each link across the bisection, counting both
// directions [sivasubramaniam1995, sec. 5].
func BisectionGap(net Topology) float64 {
	return float64(net.Procs()) / float64(net.Bisection())
}

// maxDense is the maximum number of links whose values are stored in an array.
const maxDense = 1 << 20

// PerLink holds a value for each link of a network, initially zero.
type PerLink[T any] struct {
	dense  []T
	sparse map[Link]*T // if there are too many links for an array
}

// NewPerLink returns zero for each link of net.
func NewPerLink[T any](net Topology) PerLink[T] {
	if net.Links() <= maxDense {
		return PerLink[T]{dense: make([]T, net.Links())}
	}
	return PerLink[T]{sparse: map[Link]*T{}}
}

// At is the value of a link, to read and to change.
func (p *PerLink[T]) At(l Link) *T {
	if p.sparse == nil {
		return &p.dense[l]
	}
	at := p.sparse[l]
	if at == nil {
		at = new(T)
		p.sparse[l] = at
	}
	return at
}

// All is the links in order with their values. Links may be left out that At was never
// asked for.
func (p *PerLink[T]) All() iter.Seq2[Link, *T] {
	return func(yield func(Link, *T) bool) {
		for i := range p.dense {
			if !yield(Link(i), &p.dense[i]) {
				return
			}
		}
		for _, l := range slices.Sorted(maps.Keys(p.sparse)) {
			if !yield(l, p.sparse[l]) {
				return
			}
		}
	}
}
