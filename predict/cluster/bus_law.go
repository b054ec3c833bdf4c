package cluster

// overlaps reports whether the processor continues behind misses.
func (s *stretch) overlaps() bool { return s.miss.inFlight > 1 || s.miss.hidden > 0 }

// waited returns how much longer the stretch takes if each visit waits w for the bus.
func (s *stretch) waited(w float64) float64 {
	upgrades := s.holds[2].share
	return s.visits * ((1-upgrades)*s.miss.extra(w) + upgrades*s.upgrade.extra(w))
}

// keepBusLaw raises waits, of whole stretches, until the utilization of the bus is at most 1. A processor that
// waits for every visit keeps this law by itself (see [capUtilization]). A processor with several visits in
// flight does not, because it waits for a part of them only.
//
// All waits rise by the same part of their distance to those of a bus that is never free. There, a processor
// has as many visits in the queue as may be in flight, and each takes one turn of the queue.
//
//	T_i = visits_i/k_i sum(j) k_j b_j,  with k_i visits in flight and the mean bus time b_i
func keepBusLaw(all []*stretch, waits []float64) {
	turn := 0.0
	for _, s := range all {
		if s.visits > 0 {
			turn += s.miss.inFlight * s.busTime() / s.visits
		}
	}
	raised := func(i int, part float64) float64 {
		s := all[i]
		return waits[i] + part*max(0, s.visits/s.miss.inFlight*turn-s.total()-waits[i])
	}
	busy := func(part float64) (u float64) {
		for i, s := range all {
			if held := s.busTime(); held > 0 {
				u += held / (s.total() + raised(i, part))
			}
		}
		return u
	}
	if busy(0) <= 1 {
		return
	}
	lo, hi := 0.0, 1.0
	for range 60 {
		if mid := (lo + hi) / 2; busy(mid) > 1 {
			lo = mid
		} else {
			hi = mid
		}
	}
	for i := range waits {
		waits[i] = raised(i, hi)
	}
}

// busTime returns how long the visits of the stretch hold the bus.
func (s *stretch) busTime() float64 {
	sum := 0.0
	for _, h := range s.holds {
		sum += s.visits * h.share * h.time
	}
	return sum
}
