package simgridti

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// tiSurvey holds the facts about a whole trace that an exporter needs before the first
// rank:
//
//   - the tags of messages in groups, which get new tags above all others;
//   - the collectives with blocks of different sizes, because every rank of a gatherv lists the sizes of all.
//
// It takes 16 bytes for each gather, scatter, allgather and alltoall, and 8 bytes for
// each rank in those of different sizes.
type tiSurvey struct {
	src    trace.Source
	procs  int
	top    int32                // highest tag of the world
	tags   map[tiGroupTag]int32 // from 0, in the order of first use
	any    string               // place of a receive of any tag, or ""
	blocks []tiBlock            // of rank 0
	uneven map[int][]int64      // by index in blocks: the bytes of each rank
	apart  bool                 // some barriers of shared memory do not have all processors
	lost   tiLost
}

// tiGroupTag is a tag of messages outside the world.
type tiGroupTag struct{ group, tag int32 }

// tiBlock is a collective in which each rank has its own block.
type tiBlock struct {
	kind  trace.Kind
	bytes int64
}

// newTISurvey reads all events of src. speed is flop per second, or 0.
func newTISurvey(src trace.Source, speed float64) (*tiSurvey, error) {
	s := &tiSurvey{src: src, procs: src.Header().Procs, tags: map[tiGroupTag]int32{}, uneven: map[int][]int64{}}
	s.lost.kinds = map[trace.Kind]int{}
	needsSpeed := src.Header().WorkUnit == trace.WorkPicos && speed == 0
	var met [2]uint64 // hashes of the barriers of processor 0, and of this one
	for p := range s.procs {
		row, blocks, forward := int64(0), 0, false
		met[1] = 0
		for b, err := range src.Events(trace.Proc(p)) {
			if err != nil {
				return nil, err
			}
			for i := range b.Rows {
				e := &b.Rows[i]
				if e.Work > 0 && needsSpeed {
					return nil, s.problem(p, row, e, fmt.Sprintf("its work is in ps, but simgrid-ti has flop; convert with --set %s=1Gf (flop per second)", tiFlops))
				}
				s.lost.count(e, row)
				if e.Kind == trace.Barrier {
					met[1] = (met[1] + uint64(e.Peer-trace.None+1)) * 0x9e3779b97f4a7c15 // a hash of the barriers in order
				}
				if err := s.event(p, row, e, &blocks); err != nil {
					return nil, err
				}
				forward = forward || e.Forward(row)
				row++
			}
		}
		if forward {
			if err := trace.CheckNeeds(src, trace.Proc(p)); err != nil {
				return nil, err
			}
		}
		if p == 0 {
			met[0] = met[1]
		}
		s.apart = s.apart || met[0] != met[1]
		if p > 0 && blocks < len(s.blocks) {
			return nil, fmt.Errorf("processor %d has %d of the %d gathers, scatters and alltoalls of processor 0; run traces check", p, blocks, len(s.blocks))
		}
	}
	return s, s.checkTags()
}

// problem returns an error about event number row of p.
func (s *tiSurvey) problem(p int, row int64, e *trace.Event, text string) error {
	return fmt.Errorf("processor %d, event %d (%s): %s", p, row, e.Kind, text)
}

// event handles one event; blocks counts the block collectives of its rank.
func (s *tiSurvey) event(p int, row int64, e *trace.Event, blocks *int) error {
	switch e.Kind {
	case trace.Send, trace.Isend, trace.Recv, trace.Irecv:
		return s.message(p, row, e)
	case trace.Barrier, trace.Bcast, trace.Reduce, trace.AllReduce, trace.Scan:
	case trace.Gather, trace.Scatter, trace.AllGather, trace.AllToAll:
		s.block(p, *blocks, e)
		*blocks++
		if p > 0 && (*blocks > len(s.blocks) || s.blocks[*blocks-1].kind != e.Kind) {
			return s.problem(p, row, e, "processor 0 has another collective here; run traces check")
		}
	default:
		return nil
	}
	if e.Group >= 0 {
		return s.problem(p, row, e, fmt.Sprintf("collective of group %d, but simgrid-ti has only collectives of all ranks; "+
			"export goal, or record collectives as messages", e.Group))
	}
	return nil
}

func (s *tiSurvey) message(p int, row int64, e *trace.Event) error {
	switch {
	case e.Tag == trace.None && e.Group >= 0:
		return s.problem(p, row, e, fmt.Sprintf("any tag in group %d, but simgrid-ti separates groups by tags", e.Group))
	case e.Tag == trace.None:
		s.any = s.problem(p, row, e, "any tag").Error()
	case e.Group < 0:
		s.top = max(s.top, e.Tag)
	default:
		key := tiGroupTag{e.Group, e.Tag}
		if _, seen := s.tags[key]; !seen {
			s.tags[key] = int32(min(len(s.tags), math.MaxInt32))
		}
	}
	return nil
}

// checkTags checks that messages in groups can have tags of their own.
func (s *tiSurvey) checkTags() error {
	switch {
	case len(s.tags) == 0:
	case s.any != "":
		return fmt.Errorf("%s, which could receive messages of groups: simgrid-ti separates groups by tags", s.any)
	case int64(s.top)+int64(len(s.tags)) > math.MaxInt32:
		return fmt.Errorf("the trace has %d tags in groups and also tag %d: no tags are left to separate groups", len(s.tags), s.top)
	}
	return nil
}

// tag returns the written tag of a message.
func (s *tiSurvey) tag(e *trace.Event) int32 {
	if e.Group < 0 {
		return e.Tag
	}
	return s.top + 1 + s.tags[tiGroupTag{e.Group, e.Tag}]
}

// block compares a collective with that of processor 0.
func (s *tiSurvey) block(p, n int, e *trace.Event) {
	if p == 0 {
		s.blocks = append(s.blocks, tiBlock{e.Kind, e.Bytes})
		if e.Kind == trace.AllToAll && e.Bytes%int64(s.procs) != 0 {
			s.uneven[n] = s.sizes(n)
		}
		return
	}
	if n >= len(s.blocks) {
		return
	}
	if s.uneven[n] == nil && e.Bytes != s.blocks[n].bytes {
		s.uneven[n] = s.sizes(n)
	}
	if all := s.uneven[n]; all != nil {
		all[p] = e.Bytes
	}
}

// sizes returns the bytes of all ranks in block n, or nil if they equal those of
// processor 0.
func (s *tiSurvey) sizes(n int) []int64 {
	return slices.Repeat([]int64{s.blocks[n].bytes}, s.procs)
}

// tiLost counts the parts of a trace that the format cannot express.
type tiLost struct {
	kinds       map[trace.Kind]int
	needs       int // events that depend on events other than the previous one
	layouts     int // of buffers
	wild        int // receives from any source or with any tag
	groups      int // messages in groups
	large       int // sizes
	rootless    int // collectives
	nonblocking int // collectives
	succeeded   int // tests
	retested    int // tests of a request that was already tested
	swapped     int // waits for which replay takes another request of the same ranks and tag
	uneven      int // collectives
	shared      int // barriers of shared memory that all processors join
}

func (l *tiLost) count(e *trace.Event, row int64) {
	if e.Needs != nil && !(row == 0 && len(e.Needs) == 0 || len(e.Needs) == 1 && e.Needs[0] == row-1) {
		l.needs++
	}
	if e.Bytes > math.MaxInt32 {
		l.large++
	}
	switch e.Kind {
	case trace.Compute:
		return
	case trace.Recv, trace.Irecv, trace.Send, trace.Isend:
		if e.Peer == trace.None || e.Tag == trace.None {
			l.wild++
		}
		if e.Group >= 0 {
			l.groups++
		}
	case trace.Bcast, trace.Reduce, trace.Gather, trace.Scatter:
		if e.Peer == trace.None {
			l.rootless++
		}
	}
	if e.Addr != 0 || e.Block != 0 || e.Stride != 0 {
		l.layouts++
	}
}

// notes describes the losses of a trace, with or without references.
func (l *tiLost) notes(h trace.Header, refs bool) (all []string) {
	add := func(n int, noun, text string) {
		if n > 0 {
			all = append(all, input.Plural(n, noun)+" "+text)
		}
	}
	if refs {
		all = append(all, "simgrid-ti has no memory references: they are omitted")
	}
	if h.HasTime {
		all = append(all, "simgrid-ti has no times: those of events are omitted")
	}
	var kinds []string
	total := 0
	for _, k := range trace.Kinds {
		if n := l.kinds[k]; n > 0 {
			kinds, total = append(kinds, k.String()), total+n
		}
	}
	add(total, "event", "omitted, of kinds that simgrid-ti lacks ("+strings.Join(kinds, ", ")+")")
	add(l.shared, "barrier", "of shared memory with all processors, written as one of all ranks")
	add(l.needs, "event", "with dependencies other than the previous event, written in order: they no longer overlap")
	add(l.layouts, "layout", "of buffers omitted")
	add(l.groups, "message", "in groups written in the world, with tags of their own")
	add(l.wild, "receive", fmt.Sprintf("from any source (%d) or with any tag (%d): replay accepts these numbers, but not those of SimGrid's tracer", tiAnySource, tiAnyTag))
	add(l.large, "size", "over 2^31-1 bytes, which SMPI's counts cannot hold")
	add(l.rootless, "collective", "without a root written with root 0")
	add(l.nonblocking, "collective", "without blocking written as a blocking one")
	add(l.succeeded, "test", "that succeeded written as a wait, because it may fail in a replay")
	add(l.retested, "test", "of a request that was already tested: if the earlier test succeeds, SimGrid's replay (3.32) may stop at the wait")
	add(l.swapped, "wait", "for a request that is not the oldest with its ranks and tag; replay takes the oldest")
	add(l.uneven, "collective", "with blocks of different sizes written with the sizes of all ranks; an alltoallv is assumed to send equal parts")
	return all
}
