package footprint

import (
	"math"
	"slices"

	"spoor/analyze/lines"
	"spoor/traces/trace"
)

// Stamps of blocks say when a processor is known to have used them last. Those of windows ascend from firstStamp.
const (
	noStamp    uint32 = iota // never
	oldStamp                 // in some window before
	firstStamp               // in the first
)

// nextStamp goes on to the next window.
func (s *space) nextStamp() {
	if s.stamp < math.MaxUint32 {
		s.stamp++
		return
	}
	s.stamp = firstStamp
	for i := range s.members {
		for j, stamp := range s.members[i].stamps {
			s.members[i].stamps[j] = min(stamp, oldStamp)
		}
	}
}

// addFirsts is add where processors do not take turns: only their first uses of blocks in a window count. A word tells of most others,
// and sixteen neighbours have theirs side by side.
func (s *space) addFirsts(of []trace.Proc, to int) {
	blocks := s.uses.Lines
	own, places, refs := s.uses.Own[:len(blocks)], s.uses.Places[:len(blocks)], s.uses.Refs[:len(blocks)]
	end, _ := slices.BinarySearch(refs, uint32(to))
	for i := s.taken; i < end; i++ {
		p, at := of[refs[i]], own[i]
		m := &s.members[p]
		if int(at) >= len(m.stamps) {
			m.stamps = lines.Reach(m.stamps, at)
		} else if m.stamps[at] == s.stamp {
			continue
		}
		m.stamps[at] = s.stamp
		s.use(p, m, blocks[i], at, places[i])
	}
	s.taken = end
}
