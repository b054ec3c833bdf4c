package main

import "spoor/traces/trace"

// flagSignals is what signals a flag gets.
type flagSignals struct {
	all    int64
	part   int64 // those in the windows
	before int64 // those of processors that are kept, before their windows
	from   trace.Proc
	mixed  bool // several processors signal
}

// add counts a signal of p.
func (f *flagSignals) add(p trace.Proc) {
	f.mixed = f.mixed || f.all > 0 && f.from != p
	f.from = p
	f.all++
}

// least is how many signals of the part have come for certain when n of all have: all
// others may have come first, but those of one processor come in its order. So whatever
// order the whole can run in, the part can, too. What waits for more than all waits in
// the part as well.
func (f *flagSignals) least(n int64) int64 {
	if !f.mixed && f.part > 0 && n <= f.all {
		return min(n-f.before, f.part)
	}
	return n - (f.all - f.part)
}

// flagOf is the signals of a flag.
func (s *slicing) flagOf(id int32) *flagSignals {
	f := s.flags[id]
	if f == nil {
		f = &flagSignals{}
		s.flags[id] = f
	}
	return f
}

// noteFlag counts signals of a processor that is kept.
func (s *slicing) noteFlag(p trace.Proc, e *trace.Event, in, before bool) {
	switch {
	case e.Kind == trace.WaitFlag:
		s.waits = s.waits || in
	case e.Kind == trace.Signal:
		f := s.flagOf(e.Peer)
		f.add(p)
		if in {
			f.part++
		} else if before {
			f.before++
		}
	}
}

// signalsElsewhere counts the signals of processors that are not kept, if anyone who is waits for signals.
func (s *slicing) signalsElsewhere() error {
	if !s.waits || len(s.procs) == s.src.Header().Procs {
		return nil
	}
	for p := range trace.Proc(s.src.Header().Procs) {
		if _, kept := s.number[p]; kept {
			continue
		}
		for b, err := range s.src.Events(p) {
			if err != nil {
				return err
			}
			for i := range b.Rows {
				if e := &b.Rows[i]; e.Kind == trace.Signal {
					s.flagOf(e.Peer).add(p)
				}
			}
		}
	}
	return nil
}

// await makes e, in the part, wait for as many of the signals there as have come for certain, and
// reports whether these are any. A wait for none waits for nothing, and stays.
func (k *keeper) await(e *trace.Event) bool {
	if e.Tag <= 0 {
		return true
	}
	n := k.s.flagOf(e.Peer).least(int64(e.Tag))
	if n <= 0 {
		return false
	}
	if int64(e.Tag) != n {
		e.Tag = int32(n)
		k.s.fewer++
	}
	return true
}
