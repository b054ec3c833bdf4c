package footprint

import (
	"math"
	"slices"

	"spoor/analyze/internal/lines"
	"spoor/traces/trace"
)

// Stamps of blocks identify the last window in which a processor used them. Stamps of windows ascend from
// firstStamp.
const (
	noStamp    uint32 = iota // never
	oldStamp                 // an earlier window
	firstStamp               // the first window
)

// nextStamp moves to the next window.
func (s *space) nextStamp() {
	if s.stamp < math.MaxUint32 {
		s.stamp++
		return
	}
	s.stamp = firstStamp
	for i := range s.processors {
		for j, stamp := range s.processors[i].stamps {
			s.processors[i].stamps[j] = min(stamp, oldStamp)
		}
	}
}

// addFirsts is add without simulation, when only the first uses of blocks in a window count. One word
// identifies most other uses. Sixteen neighbours have theirs side by side.
func (s *space) addFirsts(procs []trace.Proc, to int) {
	blocks := s.uses.Lines
	own, places, refs := s.uses.Own[:len(blocks)], s.uses.Places[:len(blocks)], s.uses.Refs[:len(blocks)]
	end, _ := slices.BinarySearch(refs, uint32(to))
	for i := s.usesRead; i < end; i++ {
		p, at := procs[refs[i]], own[i]
		m := &s.processors[p]
		if int(at) >= len(m.stamps) {
			m.stamps = lines.Reach(m.stamps, at)
		} else if m.stamps[at] == s.stamp {
			continue
		}
		m.stamps[at] = s.stamp
		s.use(p, m, blocks[i], at, places[i])
	}
	s.usesRead = end
}
