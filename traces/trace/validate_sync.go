package trace

import (
	"cmp"
	"fmt"
	"slices"
)

// syncEvent is an event by which processors wait for each other in shared memory. Locks are not among them, because who
// waits for a lock depends on time.
type syncEvent struct {
	row    int64
	kind   Kind
	object int32 // barrier, flag or processor
	group  int32
	count  int32 // signals that a WaitFlag waits for
}

// synchronization checks that all processors can pass their barriers, flags, forks and joins, whatever time they take. It
// is a replay without time and locks. Its result does not depend on the order, because an event that may happen stays
// possible until it does.
type synchronization struct {
	events  [][]syncEvent // by processor
	members map[int32]int // processors with a barrier in a group; all processors for the world
	at      []int         // next event of each processor
	forked  []int64       // by processor: 0 if it runs from the start, 1 if it waits for its fork, 2 if it was forked
	arrived map[syncObject]int
	signals map[int32]int64
	n       uint64 // events
}

// syncObject is a barrier of a group.
type syncObject struct{ object, group int32 }

// add adds an event of processor p if it synchronizes in shared memory.
func (s *synchronization) add(p Proc, e *Event, row int64) {
	switch {
	case e.Kind == Barrier && e.Peer >= 0, e.Kind == Signal, e.Kind == WaitFlag && e.Tag > 0, (e.Kind == Fork || e.Kind == Join) && e.Peer >= 0:
	default:
		return
	}
	s.n++
	for int(p) >= len(s.events) {
		s.events = append(s.events, nil)
	}
	s.events[p] = append(s.events[p], syncEvent{row, e.Kind, e.Peer, e.Group, e.Tag})
}

// check returns an error for the first event that can never happen.
func (s *synchronization) check(procs int) error {
	if len(s.events) == 0 {
		return nil
	}
	s.events = append(s.events, make([][]syncEvent, procs-len(s.events))...)
	s.at, s.forked = make([]int, procs), make([]int64, procs)
	s.arrived, s.signals = map[syncObject]int{}, map[int32]int64{}
	if err := s.count(procs); err != nil {
		return err
	}
	for progress := true; progress; {
		progress = false
		for p := range s.events {
			for s.happens(Proc(p)) {
				progress = true
			}
		}
	}
	return s.stuck()
}

// count counts the members of groups, and marks the processors that are forked.
func (s *synchronization) count(procs int) error {
	s.members = map[int32]int{}
	for p, events := range s.events {
		groups := map[int32]bool{}
		for _, e := range events {
			switch {
			case e.kind == Barrier && !groups[e.group]:
				groups[e.group] = true
				s.members[e.group]++
			case (e.kind == Fork || e.kind == Join) && (int(e.object) >= procs || int(e.object) == p):
				return s.errorAt(p, e, fmt.Sprintf("of processor %d, by processor %d of %d", e.object, p, procs))
			case e.kind == Fork && s.forked[e.object] > 0:
				return s.errorAt(p, e, fmt.Sprintf("of processor %d, which was forked before", e.object))
			case e.kind == Fork:
				s.forked[e.object] = 1
			}
		}
	}
	s.members[None] = procs
	return nil
}

func (s *synchronization) errorAt(p int, e syncEvent, msg string) error {
	return &RowError{Proc: Proc(p), Row: e.row, Kind: e.kind, Msg: msg}
}

// happens lets the next event of p happen, and reports whether it could. A processor passes a barrier when all have arrived.
func (s *synchronization) happens(p Proc) bool {
	if s.forked[p] == 1 || s.at[p] == len(s.events[p]) {
		return false
	}
	e := &s.events[p][s.at[p]]
	switch e.kind {
	case Barrier:
		return s.arrives(p, e)
	case Signal:
		s.signals[e.object]++
	case WaitFlag:
		if s.signals[e.object] < int64(e.count) {
			return false
		}
	case Fork:
		s.forked[e.object] = 2
	case Join:
		if s.forked[e.object] == 1 || s.at[e.object] < len(s.events[e.object]) {
			return false
		}
	}
	s.at[p]++
	return true
}

// arrives lets p arrive at the barrier e, and reports whether it passes because it is the last.
func (s *synchronization) arrives(p Proc, e *syncEvent) bool {
	if e.count == arrivedMark {
		return false
	}
	e.count = arrivedMark
	at := syncObject{e.object, e.group}
	if s.arrived[at]++; s.arrived[at] < s.members[e.group] {
		return false
	}
	delete(s.arrived, at)
	for q, events := range s.events {
		if i := s.at[q]; i < len(events) && events[i].kind == Barrier && events[i].object == e.object && events[i].group == e.group && events[i].count == arrivedMark {
			s.at[q]++
		}
	}
	return true
}

// arrivedMark is the count of a barrier at which its processor has arrived.
const arrivedMark = -2

// stuck returns an error for the first processor that waits forever, or nil. It prefers a barrier that others miss.
func (s *synchronization) stuck() error {
	var waits []int
	for p, events := range s.events {
		if s.at[p] < len(events) && s.forked[p] != 1 {
			waits = append(waits, p)
		}
	}
	if len(waits) == 0 {
		return s.neverForked()
	}
	p := slices.MinFunc(waits, func(a, b int) int {
		return cmp.Or(cmp.Compare(s.rank(a), s.rank(b)), cmp.Compare(a, b))
	})
	e := s.events[p][s.at[p]]
	switch e.kind {
	case WaitFlag:
		return s.errorAt(p, e, fmt.Sprintf("for %d signals of flag %d, which gets %d", e.count, e.object, s.signals[e.object]))
	case Join:
		return s.errorAt(p, e, fmt.Sprintf("of processor %d, which never ends", e.object))
	}
	missing := ""
	for q := range s.events {
		if q != p && !s.waitsAt(q, e) && (e.group == None || s.isMember(q, e.group)) {
			missing = fmt.Sprintf("; processor %d, for one, does not", q)
			break
		}
	}
	return s.errorAt(p, e, fmt.Sprintf("%d%s: %d of %d processors ever come together there%s",
		e.object, inGroup(e.group), s.arrived[syncObject{e.object, e.group}], s.members[e.group], missing))
}

// rank orders what processors wait for: barriers first.
func (s *synchronization) rank(p int) int {
	switch s.events[p][s.at[p]].kind {
	case Barrier:
		return 0
	case WaitFlag:
		return 1
	}
	return 2
}

func (s *synchronization) waitsAt(q int, e syncEvent) bool {
	i := s.at[q]
	return i < len(s.events[q]) && s.events[q][i].kind == Barrier && s.events[q][i].object == e.object && s.events[q][i].group == e.group
}

func (s *synchronization) isMember(q int, group int32) bool {
	return slices.ContainsFunc(s.events[q], func(e syncEvent) bool { return e.kind == Barrier && e.group == group })
}

// neverForked returns an error if a processor waits for its fork forever, because the one that forks it does, too.
func (s *synchronization) neverForked() error {
	for q, events := range s.events {
		for _, e := range events {
			if e.kind == Fork && s.forked[e.object] == 1 {
				return s.errorAt(q, e, fmt.Sprintf("of processor %d by processor %d, which itself is never forked", e.object, q))
			}
		}
	}
	return nil
}
