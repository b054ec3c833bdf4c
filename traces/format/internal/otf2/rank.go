package otf2

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"

	"spoor/traces/format/internal/emit"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// otf2Location is one stream of events: a thread or a process.
type otf2Location struct {
	id    uint64
	rank  *otf2Rank // nil if it belongs to no rank
	main  bool      // its time outside MPI is the computation of the rank
	began bool
	time  uint64 // of its latest event
	stack []*otf2Region
	inMPI int     // number of MPI regions in the stack
	since uint64  // when the outermost MPI region was entered
	sent  []int32 // requests of sends that complete when MPI_Sendrecv is left
}

// otf2Rank is an MPI process.
type otf2Rank struct {
	*emit.LookaheadWriter
	left     uint64 // when its main location last left MPI, or began
	seen     bool   // the main location has had an event
	requests map[uint64]otf2Request
	numbers  emit.RequestNumbers
	threads  map[uint64]bool
}

// otf2Request is an incomplete request.
type otf2Request struct {
	number int32
	ticket int64 // of a posted receive or collective
	kind   trace.Kind
	nobody bool // a send to MPI_PROC_NULL, which has no event
}

// locate finds the stream of an event and checks the order of time.
func (p *otf2Parser) locate(id uint64, e *otf2Line) (*otf2Location, error) {
	l := p.last
	if l == nil || l.id != id {
		if l = p.places[id]; l == nil {
			var err error
			if l, err = p.newLocation(id, e); err != nil {
				return nil, err
			}
		}
		p.last = l
	}
	if e.time < l.time {
		return nil, p.fail(e.line, fmt.Sprintf("the timestamp goes backwards on location %d, from %d", id, l.time), "otf2-print prints events in the order of time")
	}
	if e.time < p.first {
		return nil, p.fail(e.line, fmt.Sprintf("the timestamp is before that of the first event, %d", p.first), "otf2-print prints events in the order of time")
	}
	l.time, l.began = e.time, true
	if r := l.rank; l.main && !r.seen {
		r.seen, r.left = true, e.time
	}
	return l, nil
}

func (p *otf2Parser) newLocation(id uint64, e *otf2Line) (*otf2Location, error) {
	if len(p.places) == 0 {
		p.first = e.time
		p.number()
		if p.ticks == 0 {
			p.ticks = otf2DefaultTicks
			p.notices.ticks = true
		}
	}
	l := &otf2Location{id: id}
	p.places[id] = l
	rank := int32(-1)
	if p.complete {
		rank = p.worldRank(id)
	} else {
		if id > otf2MaxRank {
			return nil, p.fail(e.line, fmt.Sprintf("without definitions, locations are ranks, but location %d cannot be one", id), "print the archive with otf2-print -A")
		}
		rank = int32(id)
	}
	if rank < 0 {
		return l, nil
	}
	l.rank = p.rank(rank)
	process, ok := p.processOf[id]
	l.main = !ok || p.mainOf[process] == id
	return l, nil
}

// rank finds or makes a rank.
func (p *otf2Parser) rank(n int32) *otf2Rank {
	for int(n) >= len(p.ranks) {
		p.ranks = append(p.ranks, nil)
	}
	if p.ranks[n] == nil {
		p.ranks[n] = &otf2Rank{requests: map[uint64]otf2Request{}, threads: map[uint64]bool{},
			LookaheadWriter: p.c.LookaheadWriter(trace.Proc(n), &p.share, expireOTF2)}
	}
	return p.ranks[n]
}

// expireOTF2 drops an event that was posted long ago; it will be emitted where it
// completes. At the end, a receive stays because it never completed. A collective is
// dropped because its kind is unknown.
func expireOTF2(e *trace.Event, ended bool) (keep bool) {
	return ended && e.Kind == trace.Irecv
}

// here returns the place of the line.
func (p *otf2Parser) here() trace.Pos { return trace.Pos{At: int64(p.Line)} }

// picos returns the time between two timestamps in ps.
func (p *otf2Parser) picos(from, to uint64, line []byte) (int64, error) {
	hi, lo := bits.Mul64(to-from, 1e12)
	if hi < p.ticks {
		if q, _ := bits.Div64(hi, lo, p.ticks); q <= math.MaxInt64 {
			return int64(q), nil
		}
	}
	return 0, p.fail(line, fmt.Sprintf("%d ticks at %d per second exceed 2^63 ps", to-from, p.ticks), "check the number of ticks per second")
}

// callTime returns when the MPI call of an event began, in ps.
func (p *otf2Parser) callTime(e *otf2Line) (int64, error) {
	if e.place.inMPI > 0 {
		return p.picos(p.first, e.place.since, e.line)
	}
	return p.picos(p.first, e.time, e.line)
}

// rankOfEvent checks that an event belongs to a rank. It ends the computation before the
// event, if no MPI region did.
func (p *otf2Parser) rankOfEvent(e *otf2Line) (*otf2Rank, error) {
	l := e.place
	if l.rank == nil {
		return nil, p.fail(e.line, fmt.Sprintf("location %d sends or receives, but is not an MPI rank", l.id), "check that the archive is complete")
	}
	if !l.main {
		l.rank.threads[l.id] = true
	}
	if l.inMPI == 0 && l.main {
		if err := p.computed(l.rank, e); err != nil {
			return nil, err
		}
		l.rank.left = e.time
	}
	return l.rank, nil
}

// computed adds the time since MPI was left.
func (p *otf2Parser) computed(r *otf2Rank, e *otf2Line) error {
	now, err := p.picos(p.first, e.time, e.line)
	if err != nil {
		return err
	}
	since, err := p.picos(p.first, r.left, e.line)
	r.Busy(now-since, since, p.here())
	return err
}

var otf2RegionKey = []byte("Region: ")

// region finds the region of an ENTER or LEAVE.
func (p *otf2Parser) region(e *otf2Line) (*otf2Region, error) {
	value, ok := bytes.CutPrefix(e.attrs, otf2RegionKey)
	id, known := otf2Reference(value)
	if !ok || !known && string(value) != "UNDEFINED" {
		p.ragged = true
		return nil, p.fail(e.line, e.kind.name+" without a region", "print the archive again")
	}
	if !known {
		id = math.MaxUint64
	}
	r := p.regions[id]
	if r == nil {
		name := otf2Name(value)
		r = newOTF2Region(name, len(name) > 4 && bytes.EqualFold(name[:4], []byte("MPI_")))
		p.regions[id] = r
	}
	return r, nil
}

func (p *otf2Parser) enter(e *otf2Line) error {
	r, err := p.region(e)
	if err != nil {
		return err
	}
	l := e.place
	l.stack = append(l.stack, r)
	if !r.mpi {
		return nil
	}
	if l.inMPI++; l.inMPI > 1 {
		return nil
	}
	l.since = e.time
	if l.main {
		return p.computed(l.rank, e)
	}
	return nil
}

func (p *otf2Parser) leave(e *otf2Line) error {
	r, err := p.region(e)
	if err != nil {
		return err
	}
	l := e.place
	if len(l.stack) == 0 {
		return p.fail(e.line, fmt.Sprintf("LEAVE %s on location %d without ENTER", input.Quote(r.name), l.id), "")
	}
	if top := l.stack[len(l.stack)-1]; top != r {
		return p.fail(e.line, fmt.Sprintf("LEAVE %s on location %d, but its current region is %s", input.Quote(r.name), l.id, input.Quote(top.name)), "")
	}
	l.stack = l.stack[:len(l.stack)-1]
	if !r.mpi {
		return nil
	}
	if err := p.endExchange(e); err != nil {
		return err
	}
	if l.inMPI--; l.inMPI == 0 && l.main {
		l.rank.left = e.time
	}
	return nil
}
