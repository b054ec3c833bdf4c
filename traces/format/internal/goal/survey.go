package goal

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"spoor/traces/trace"
)

// goalSurvey holds the facts about all ranks that are needed before the first one is
// written.
type goalSurvey struct {
	graph        []bool // ranks in which some event has Needs
	flops        uint64
	tags         map[goalChannel]int32  // the highest tag
	base         map[goalChannel]int32  // offset of the tags, so that channels have different tags
	groupMembers map[int32][]trace.Proc // members of each group that has collectives, in order
	calls        map[trace.Kind]uint64  // number of collectives, over all members
	turns        map[int32]map[trace.Proc]goalCallCounts
	wild         uint64 // receives of any tag
	probe        uint64
	loose        bool // some collective has no root, or members with different sizes
}

// goalChannel identifies messages that never match those of another channel.
type goalChannel struct {
	group      int32
	collective bool
}

// goalCallCounts counts the collectives of one member of a group so far.
type goalCallCounts struct {
	n     uint64
	sizes uint64 // a hash of their sizes
}

// surveyForGoal reads all events once. It returns an error if a schedule cannot express
// one of them.
func surveyForGoal(src trace.Source) (*goalSurvey, error) {
	head := src.Header()
	s := &goalSurvey{graph: make([]bool, head.Procs), tags: map[goalChannel]int32{}, base: map[goalChannel]int32{},
		groupMembers: map[int32][]trace.Proc{}, calls: map[trace.Kind]uint64{}, turns: map[int32]map[trace.Proc]goalCallCounts{}}
	for p := range head.Procs {
		row, forward := int64(0), false
		for b, err := range src.Events(trace.Proc(p)) {
			if err != nil {
				return nil, err
			}
			for i := range b.Rows {
				if err := s.event(head, trace.Proc(p), &b.Rows[i]); err != nil {
					return nil, fmt.Errorf("processor %d, event %d (%s): %w", p, row, b.Rows[i].Kind, err)
				}
				forward = forward || b.Rows[i].Forward(row)
				row++
			}
		}
		if forward {
			if err := trace.CheckNeeds(src, trace.Proc(p)); err != nil {
				return nil, err
			}
		}
	}
	if err := s.members(head.Procs); err != nil {
		return nil, err
	}
	return s, s.moveApart()
}

func (s *goalSurvey) event(head trace.Header, p trace.Proc, e *trace.Event) error {
	s.graph[p] = s.graph[p] || e.Needs != nil
	if e.Work > 0 && head.WorkUnit == trace.WorkFlop {
		s.flops += uint64(e.Work)
	}
	if int(e.Peer) >= head.Procs && e.Kind != trace.Barrier {
		switch e.Kind {
		case trace.Send, trace.Isend, trace.Recv, trace.Irecv, trace.Bcast, trace.Reduce, trace.Gather, trace.Scatter:
			return fmt.Errorf("peer %d, but the trace has %d processors", e.Peer, head.Procs)
		}
	}
	switch e.Kind {
	case trace.Send, trace.Isend, trace.Recv, trace.Irecv:
		c := goalChannel{e.Group, false}
		s.tags[c] = max(s.tags[c], e.Tag)
		if e.Tag == trace.None {
			s.wild++
		}
		if (e.Kind == trace.Send || e.Kind == trace.Isend) && (e.Peer < 0 || e.Tag < 0) {
			return fmt.Errorf("peer %d and tag %d: only a receive can use any", e.Peer, e.Tag)
		}
	case trace.Probe, trace.Iprobe:
		s.probe++
	case trace.Barrier, trace.Bcast, trace.Reduce, trace.AllReduce, trace.Scan, trace.Gather, trace.AllGather,
		trace.Scatter, trace.AllToAll:
		s.call(p, e)
	case trace.Lock, trace.Unlock, trace.Signal, trace.WaitFlag, trace.Fork, trace.Join:
		return fmt.Errorf("a schedule has only computation and messages, no shared memory; use predict replay instead")
	}
	return nil
}

// call counts a collective of p.
func (s *goalSurvey) call(p trace.Proc, e *trace.Event) {
	s.calls[e.Kind]++
	s.tags[goalChannel{e.Group, true}] = 0
	of := s.turns[e.Group]
	if of == nil {
		of = map[trace.Proc]goalCallCounts{}
		s.turns[e.Group] = of
	}
	t := of[p]
	t.n++
	t.sizes = (t.sizes ^ uint64(e.Bytes)) * 0x9e3779b97f4a7c15
	t.sizes ^= t.sizes >> 29
	of[p] = t
	switch e.Kind {
	case trace.Bcast, trace.Reduce, trace.Gather, trace.Scatter:
		s.loose = s.loose || e.Peer == trace.None
	}
}

// members lists the members of each group. All must have the same number of calls.
func (s *goalSurvey) members(procs int) error {
	for group, of := range s.turns {
		var groupMembers []trace.Proc
		for p := range trace.Proc(procs) {
			if _, ok := of[p]; ok || group == trace.None {
				groupMembers = append(groupMembers, p)
			}
		}
		for _, p := range groupMembers[1:] {
			if a, b := of[groupMembers[0]], of[p]; a.n != b.n {
				return fmt.Errorf("group %d: processor %d has %d collectives and barriers, but processor %d has %d; run traces check",
					group, groupMembers[0], a.n, p, b.n)
			} else if a.sizes != b.sizes {
				s.loose = true
			}
		}
		s.groupMembers[group] = groupMembers
	}
	return nil
}

// moveApart gives each channel its own tags. The world comes first and keeps its tags.
func (s *goalSurvey) moveApart() error {
	next := int64(0)
	for _, c := range s.channels() {
		if next+int64(s.tags[c]) > math.MaxInt32 {
			return fmt.Errorf("the tags of %d communicators and their collectives together exceed 31 bits; use lower tags", len(s.tags))
		}
		s.base[c] = int32(next)
		next += int64(s.tags[c]) + 1
	}
	return nil
}

func (s *goalSurvey) channels() (all []goalChannel) {
	for c := range s.tags {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b goalChannel) int {
		if a.collective != b.collective {
			if b.collective {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.group, b.group)
	})
	return all
}

// references counts the references of src, if there are any.
func (s *goalSurvey) references(src trace.Source) (n string, some bool) {
	if known, ok := src.(interface{ Totals(trace.Proc) trace.Totals }); ok {
		var total uint64
		for p := range src.Header().Procs {
			total += known.Totals(trace.Proc(p)).Refs
		}
		return fmt.Sprintf("%d were", total), total > 0
	}
	for b, err := range src.Refs() {
		if err == nil && b.Len() > 0 {
			return "they were", true
		}
	}
	return "", false
}

// shownChannels is the number of channels that a note lists.
const shownChannels = 4

func (s *goalSurvey) notes() (all []string) {
	if s.probe > 0 {
		all = append(all, fmt.Sprintf("goal has no probes: %d omitted", s.probe))
	}
	if len(s.calls) > 0 {
		var kinds []string
		for _, k := range trace.Kinds {
			if n := s.calls[k]; n > 0 {
				kinds = append(kinds, fmt.Sprintf("%d %s", n, k))
			}
		}
		note := "goal has no collectives: " + strings.Join(kinds, ", ") + " became messages of simple algorithms"
		if s.loose {
			note += "; an unknown root is the first member, and blocks of others have the size of the own block"
		}
		all = append(all, note)
	}
	channels := s.channels()
	if len(channels) < 2 {
		return all
	}
	var moved []string
	for i, c := range channels {
		if i == shownChannels {
			moved = append(moved, fmt.Sprintf("%d more", len(channels)-i))
			break
		}
		what := "messages"
		if c.collective {
			what = "collectives"
		}
		moved = append(moved, fmt.Sprintf("%s of group %d from %d", what, c.group, s.base[c]))
	}
	all = append(all, "goal has no communicators: each has its own tags ("+strings.Join(moved, ", ")+")")
	if s.wild > 0 {
		all = append(all, fmt.Sprintf("%d receives of any tag may now receive messages of other communicators", s.wild))
	}
	return all
}
