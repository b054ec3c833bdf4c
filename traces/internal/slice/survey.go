package slice

import (
	"fmt"
	"math"

	"spoor/traces/internal/walk"
	"spoor/traces/stage"
	"spoor/traces/trace"
)

// slicing is a part of a trace: some processors, and a window of each. It keeps an
// operation between processors only if all its events are in the windows:
//
//   - the n-th message from one rank to another with a tag, in a group, if both its send
//     and its receive are in the windows;
//   - the n-th collective of a group, if all its members have it in their windows.
//
// If receives take any sender or tag, slicing keeps equally many sends and receives
// (quotas). Waits for flags wait for signals in the windows (flagSignals).
type slicing struct {
	src     *walk.Trace
	work    bool // work is instructions
	procs   []trace.Proc
	windows []window
	number  map[trace.Proc]int // new numbers of the processors kept
	what    string             // the part, in words

	sends, receives map[flow]span
	wild            map[box]bool    // a receive there takes any sender or tag
	takers          map[taker]int64 // such receives in the windows
	quotas          quotas
	flags           map[int32]*flagSignals
	waits           bool // someone waits for a flag in the windows
	collectives     map[collective]span
	lost            [endLoss]uint64
	fewer           uint64 // waits that wait for fewer signals than in the whole trace
	over            int    // processors that end before the part
	end             uint64 // the last of their instructions
	needs           bool   // some event names those that it needs
	kept            []rowMap
}

// flow identifies messages that match in order: the n-th send and the n-th receive.
type flow struct {
	from, to   trace.Proc
	tag, group int32
}

// box is the destination of messages that receives with a wildcard select from.
type box struct {
	to    trace.Proc
	group int32
}

// collective identifies the collectives of a group, or a barrier object.
type collective struct{ group, object int32 }

// span is a range of numbers in the windows, without its end.
type span struct{ from, to int64 }

func (s span) len() int64 { return s.to - s.from }

func (s span) has(n int64) bool { return n >= s.from && n < s.to }

// rowMap gives the new rows of the events that the part keeps.
type rowMap struct {
	rows map[int64]int64
	next int64
}

// loss is a kind of omitted events.
type loss int

const (
	lostMessages loss = iota
	lostCollectives
	lostWaits
	lostFlags
	lostUnlocks
	endLoss
)

func newSlicing(src *walk.Trace, procs []trace.Proc) *slicing {
	s := &slicing{src: src, work: src.Header().WorkUnit == trace.WorkInstr, procs: procs, windows: make([]window, len(procs)),
		number: map[trace.Proc]int{}, sends: map[flow]span{}, receives: map[flow]span{}, wild: map[box]bool{}, takers: map[taker]int64{},
		flags: map[int32]*flagSignals{}, collectives: map[collective]span{}, kept: make([]rowMap, len(procs))}
	for i, p := range procs {
		s.windows[i] = everything
		s.number[p] = i
	}
	return s
}

// omissions describes the omitted events.
func (s *slicing) omissions() (all []string) {
	for l, text := range [endLoss]string{
		lostMessages:    "%d sends and receives omitted: their partner is not in the part",
		lostCollectives: "%d calls of collectives and barriers omitted: some members are not in the part",
		lostWaits:       "%d waits, tests and probes omitted: their operation is not in the part",
		lostFlags:       "%d waits for flags omitted: all their signals may be outside the part",
		lostUnlocks:     "%d unlocks omitted: their lock was acquired before the part",
	} {
		if n := s.lost[l]; n > 0 {
			all = append(all, fmt.Sprintf(text, n))
		}
	}
	if s.fewer > 0 {
		all = append(all, stage.Count(int(s.fewer), "wait")+" for flags changed to count only signals in the part")
	}
	if s.over > 0 {
		all = append(all, fmt.Sprintf("%d of %d processors end before the part, at instruction %d or earlier", s.over, len(s.procs), s.end))
	}
	return all
}

// tally counts the operations of one processor with others, in and before its window.
type tally struct {
	sends, receives map[flow]int64
	collectives     map[collective]int64
}

func newTally() tally {
	return tally{map[flow]int64{}, map[flow]int64{}, map[collective]int64{}}
}

// collectiveOf returns the collective of e; false means that e is no collective or barrier.
func collectiveOf(e *trace.Event) (collective, bool) {
	switch e.Kind {
	case trace.Barrier:
		if e.Peer >= 0 {
			return collective{trace.None, e.Peer}, true
		}
		return collective{e.Group, trace.None}, true
	case trace.Bcast, trace.Reduce, trace.AllReduce, trace.Scan, trace.Gather, trace.AllGather, trace.Scatter, trace.AllToAll:
		return collective{e.Group, trace.None}, true
	}
	return collective{}, false
}

// survey finds the operations that lie in the windows completely.
func (s *slicing) survey() error {
	for i, p := range s.procs {
		count, mine := newTally(), map[collective]span{}
		var pos uint64
		row := int64(-1)
		for b, err := range s.src.Events(p) {
			if err != nil {
				return err
			}
			for j := range b.Rows {
				e := &b.Rows[j]
				row++
				pos += uint64(e.Instr)
				s.needs = s.needs || e.Needs != nil
				in := s.windows[i].hasEvent(pos, row)
				s.note(p, e, in, count, mine)
				s.noteFlag(p, e, in, pos < s.windows[i].from || row < s.windows[i].first)
				if e.Kind == trace.Compute && s.work {
					pos += uint64(e.Work)
				}
			}
		}
		s.narrow(count, mine)
	}
	s.share()
	if err := s.signalsElsewhere(); err != nil {
		return err
	}
	if s.needs {
		return s.mapRows()
	}
	return nil
}

// note counts e, and extends the span of its operation if e is in the window.
func (s *slicing) note(p trace.Proc, e *trace.Event, in bool, count tally, mine map[collective]span) {
	switch e.Kind {
	case trace.Send, trace.Isend:
		f := flow{p, trace.Proc(e.Peer), e.Tag, e.Group}
		extend(s.sends, count.sends, f, in)
	case trace.Recv, trace.Irecv:
		if t, wild := takerOf(p, e); wild {
			if s.wild[t.box] = true; in && s.inside(e.Peer) {
				s.takers[t]++
			}
			return
		}
		extend(s.receives, count.receives, flow{trace.Proc(e.Peer), p, e.Tag, e.Group}, in)
	default:
		if m, ok := collectiveOf(e); ok {
			extend(mine, count.collectives, m, in)
		}
	}
}

// extend counts one more of key, and extends the span if it is in the window.
func extend[K comparable](spans map[K]span, count map[K]int64, key K, in bool) {
	n := count[key]
	count[key] = n + 1
	if !in {
		return
	}
	if _, ok := spans[key]; !ok {
		spans[key] = span{n, n}
	}
	spans[key] = span{spans[key].from, n + 1}
}

// narrow narrows the common spans to those of one more processor. If a processor takes part
// in a collective, but not in its window, the span becomes empty.
func (s *slicing) narrow(count tally, mine map[collective]span) {
	for m := range count.collectives {
		own := mine[m]
		all, ok := s.collectives[m]
		if !ok {
			all = span{0, math.MaxInt64}
		}
		s.collectives[m] = span{max(all.from, own.from), min(all.to, own.to)}
	}
}

// mapRows finds the new row of every kept event in advance, because needs may name later rows.
func (s *slicing) mapRows() error {
	for i, p := range s.procs {
		k := s.newKeeper(i)
		s.kept[i].rows = map[int64]int64{}
		var pos uint64
		row := int64(-1)
		for b, err := range s.src.Events(p) {
			if err != nil {
				return err
			}
			for j := range b.Rows {
				row++
				pos += uint64(b.Rows[j].Instr)
				if _, _, ok := k.event(pos, row, &b.Rows[j]); ok {
					s.kept[i].rows[row] = s.kept[i].next
					s.kept[i].next++
				}
				if b.Rows[j].Kind == trace.Compute && s.work {
					pos += uint64(b.Rows[j].Work)
				}
			}
		}
	}
	s.lost, s.fewer = [endLoss]uint64{}, 0 // they are counted again when the part is written
	return nil
}
