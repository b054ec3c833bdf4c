package format

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"spoor/traces/trace"
)

// tiSurvey is what an exporter must know of a whole trace before it writes the
// first rank: the tags of messages in groups, which are new ones above all others,
// and the collectives whose blocks are of different sizes, since every rank of a
// gatherv writes the sizes of all. Memory is 16 bytes for each gather, scatter,
// allgather and alltoall, and 8 for each rank in those of different sizes.
type tiSurvey struct {
	src    trace.Source
	procs  int
	top    int32                // highest tag of the world
	tags   map[tiGroupTag]int32 // from 0, in the order of their first use
	any    string               // where a receive of any tag is, if one is
	blocks []tiBlock            // of rank 0
	uneven map[int][]int64      // by number among blocks: the bytes of each rank
	apart  bool                 // processors meet at barriers of shared memory that others are not at
	lost   tiLost
}

// tiGroupTag is a tag of messages that are not in the world.
type tiGroupTag struct{ group, tag int32 }

// tiBlock is a collective in which each rank has a block of its own.
type tiBlock struct {
	kind  trace.Kind
	bytes int64
}

// newTISurvey reads all events of src. speed is flop per second, or 0.
func newTISurvey(src trace.Source, speed float64) (*tiSurvey, error) {
	s := &tiSurvey{src: src, procs: src.Header().Procs, tags: map[tiGroupTag]int32{}, uneven: map[int][]int64{}}
	s.lost.kinds = map[trace.Kind]int{}
	needsSpeed := src.Header().WorkUnit == trace.WorkPicos && speed == 0
	var met [2]uint64 // of processor 0, and of this one
	for p := range s.procs {
		row, blocks := int64(0), 0
		met[1] = 0
		for b, err := range src.Events(trace.Proc(p)) {
			if err != nil {
				return nil, err
			}
			for i := range b.Rows {
				e := &b.Rows[i]
				if e.Work > 0 && needsSpeed {
					return nil, s.problem(p, row, e, fmt.Sprintf("its work is in ps, that of simgrid-ti in flop; --set %s=1Gf says how many flop a second are", tiFlops))
				}
				s.lost.count(e, row)
				if e.Kind == trace.Barrier {
					met[1] = (met[1] + uint64(e.Peer-trace.None+1)) * 0x9e3779b97f4a7c15 // a hash of the barriers in order
				}
				if err := s.event(p, row, e, &blocks); err != nil {
					return nil, err
				}
				row++
			}
		}
		if p == 0 {
			met[0] = met[1]
		}
		s.apart = s.apart || met[0] != met[1]
		if p > 0 && blocks < len(s.blocks) {
			return nil, fmt.Errorf("processor %d has %d of the %d gathers, scatters and alltoalls of processor 0; traces check says more", p, blocks, len(s.blocks))
		}
	}
	return s, s.checkTags()
}

// problem is an error about event number row of p.
func (s *tiSurvey) problem(p int, row int64, e *trace.Event, text string) error {
	return fmt.Errorf("processor %d, event %d (%s): %s", p, row, e.Kind, text)
}

// event takes one event; blocks counts those of its rank that have blocks.
func (s *tiSurvey) event(p int, row int64, e *trace.Event, blocks *int) error {
	switch e.Kind {
	case trace.Send, trace.Isend, trace.Recv, trace.Irecv:
		return s.message(p, row, e)
	case trace.Barrier, trace.Bcast, trace.Reduce, trace.AllReduce, trace.Scan:
	case trace.Gather, trace.Scatter, trace.AllGather, trace.AllToAll:
		s.block(p, *blocks, e)
		*blocks++
		if p > 0 && (*blocks > len(s.blocks) || s.blocks[*blocks-1].kind != e.Kind) {
			return s.problem(p, row, e, "processor 0 has another collective here; traces check says more")
		}
	default:
		return nil
	}
	if e.Group >= 0 {
		return s.problem(p, row, e, fmt.Sprintf("in group %d, but simgrid-ti has no communicators: a collective is of all ranks; "+
			"record the program with collectives as the messages they are made of, or export goal", e.Group))
	}
	return nil
}

func (s *tiSurvey) message(p int, row int64, e *trace.Event) error {
	switch {
	case e.Tag == trace.None && e.Group >= 0:
		return s.problem(p, row, e, fmt.Sprintf("of any tag in group %d, but simgrid-ti tells groups apart by tags", e.Group))
	case e.Tag == trace.None:
		s.any = s.problem(p, row, e, "of any tag").Error()
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

// checkTags makes sure that messages in groups can have tags of their own.
func (s *tiSurvey) checkTags() error {
	switch {
	case len(s.tags) == 0:
	case s.any != "":
		return fmt.Errorf("%s, which could take messages of groups: simgrid-ti tells groups apart by tags", s.any)
	case int64(s.top)+int64(len(s.tags)) > math.MaxInt32:
		return fmt.Errorf("the trace has %d tags in groups and tag %d besides: no tags are left to tell groups apart", len(s.tags), s.top)
	}
	return nil
}

// tag is what a message is written with.
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

// sizes are the bytes of all ranks in block n, as far as they are known to be like
// those of processor 0.
func (s *tiSurvey) sizes(n int) []int64 {
	return slices.Repeat([]int64{s.blocks[n].bytes}, s.procs)
}

// tiLost counts what the format cannot express.
type tiLost struct {
	kinds       map[trace.Kind]int
	needs       int // events that depend on others than the one before
	layouts     int // of buffers
	wild        int // receives from any source or with any tag
	groups      int // messages in groups
	large       int // sizes
	rootless    int // collectives
	nonblocking int // collectives
	succeeded   int // tests
	retested    int // tests of a request that was tested before
	swapped     int // waits that replay takes for another request of the same ranks and tag
	uneven      int // collectives
	shared      int // barriers of shared memory that all processors are at
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

// notes says what was lost, from a trace with references or not.
func (l *tiLost) notes(h trace.Header, refs bool) (all []string) {
	add := func(n int, noun, text string) {
		if n > 0 {
			all = append(all, plural(n, noun)+" "+text)
		}
	}
	if refs {
		all = append(all, "simgrid-ti has no references to memory: they were left out")
	}
	if h.HasTime {
		all = append(all, "simgrid-ti has no times: those of events were left out")
	}
	var kinds []string
	total := 0
	for _, k := range trace.Kinds {
		if n := l.kinds[k]; n > 0 {
			kinds, total = append(kinds, k.String()), total+n
		}
	}
	add(total, "event", "left out, of kinds that simgrid-ti has not ("+strings.Join(kinds, ", ")+")")
	add(l.shared, "barrier", "of shared memory, which all processors are at, written as one of all ranks")
	add(l.needs, "event", "that depends on others than the one before written in order: what could overlap no longer does")
	add(l.layouts, "layout", "of buffers left out")
	add(l.groups, "message", "in groups written in the world, with tags of their own")
	add(l.wild, "receive", fmt.Sprintf("from any source (%d) or with any tag (%d): SimGrid's own tracer writes such sources so that replay waits for ever, these it accepts", tiAnySource, tiAnyTag))
	add(l.large, "size", "over 2^31-1 bytes, which SMPI's counts cannot hold")
	add(l.rootless, "collective", "without a root written with root 0")
	add(l.nonblocking, "collective", "that does not block written as one that does")
	add(l.succeeded, "test", "that succeeded written as wait, since in a replay it may not")
	add(l.retested, "test", "of a request that was tested before: where the earlier test succeeds, SimGrid's replay (3.32) may stop at the wait")
	add(l.swapped, "wait", "for another than the oldest request with its ranks and tag, which replay takes")
	add(l.uneven, "collective", "with blocks of different sizes written with the sizes of all ranks; what an alltoallv sends to each is taken for equal")
	return all
}
