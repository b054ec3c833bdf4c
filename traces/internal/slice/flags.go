package slice

import "spoor/traces/trace"

// flagSignals counts the signals of a flag.
type flagSignals struct {
	all    int64
	part   int64 // signals in the windows
	before int64 // signals of kept processors before their windows
	from   trace.Proc
	mixed  bool // several processors signal
}

// add counts a signal of p.
func (f *flagSignals) add(p trace.Proc) {
	f.mixed = f.mixed || f.all > 0 && f.from != p
	f.from = p
	f.all++
}

// least returns the number of signals of the part that must have come when n of all signals
// have come. All others may have come first, but the signals of one processor come in its
// order. With this number, the part can execute in every order in which the whole trace can.
// A wait for more signals than there are waits forever in the part, too.
func (f *flagSignals) least(n int64) int64 {
	if !f.mixed && f.part > 0 && n <= f.all {
		return min(n-f.before, f.part)
	}
	return n - (f.all - f.part)
}

// flagOf returns the counts of a flag.
func (s *slicing) flagOf(id int32) *flagSignals {
	f := s.flags[id]
	if f == nil {
		f = &flagSignals{}
		s.flags[id] = f
	}
	return f
}

// noteFlag counts a signal of a kept processor.
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

// signalsElsewhere counts the signals of processors outside the part, if a processor of the part waits for flags.
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

// await makes e wait for the least number of signals of the part (see least), and reports whether
// that is above 0. A wait for no signals at all stays as it is.
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
