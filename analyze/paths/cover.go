package paths

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"spoor/traces/unit"
)

// Path is a path to the end of the program, and the costs at which it determines the time. At other costs it takes its counts times
// the costs.
type Path struct {
	Class
	Costs  Vector
	Time   unit.Picos
	Counts Vector
}

// cover is the paths of a program for a class of machines.
type cover struct {
	Class
	paths  []Path
	tried  int       // costs for which the program was simulated
	random int       // the first of them that is random
	beyond []float64 // at each of them, the share by which the program took longer than the paths so far
	seen   map[Vector]bool
}

// The search for paths.
const (
	precision = 0.004 // of the time: paths that are closer are enough
	enough    = 400   // random costs in a row at which the paths are that close
	inRound   = 16    // random costs at a time
	samples   = 256   // random costs with contention
	mostTried = 4000
	mostSteps = 1e9 // operations of all simulations
)

// search is how paths of a program are searched.
type search struct {
	*Program
	box
}

// cover finds paths whose longest is near the time of the program without contention at receivers, within a box of costs: those of the
// middle, of all corners, and of random costs until the paths so far give the time there [kelley1960]. It may stop before, at
// mostTried or mostSteps.
func (s *search) cover(rendezvous int64) (*cover, error) {
	found := &cover{Class: Class{NoPort, rendezvous}, seen: map[Vector]bool{}}
	if err := found.try(s, append([]Vector{s.middle()}, s.corners()...)); err != nil {
		return nil, err
	}
	rng := s.random()
	most := found.tried + max(inRound, s.mostTried()-found.tried)
	for found.random = found.tried; found.tried < most && !found.isEnough(); {
		if err := found.try(s, s.draw(rng, inRound)); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// sample simulates the program at random costs with contention.
func (s *search) sample(c Class) (*cover, error) {
	found := &cover{Class: c}
	return found, found.try(s, s.draw(s.random(), min(samples, max(inRound, s.mostTried()/4))))
}

// random returns the source of random costs, which is the same for each class.
func (s *search) random() *rand.Rand { return rand.New(rand.NewPCG(1, uint64(len(s.messages)))) }

// draw returns n random costs.
func (s *search) draw(rng *rand.Rand, n int) (all []Vector) {
	for range n {
		all = append(all, s.box.random(rng))
	}
	return all
}

// mostTried returns for how many costs the program is simulated at most in a class.
func (p *Program) mostTried() int {
	steps := len(p.messages)
	for _, ops := range p.ops {
		steps += len(ops)
	}
	return min(mostTried, max(inRound, int(mostSteps/float64(steps))))
}

// try simulates the program at costs and adds the paths that are new.
func (f *cover) try(s *search, at []Vector) error {
	found, errs := make([]moment, len(at)), make([]error, len(at))
	var wait sync.WaitGroup
	slots := make(chan struct{}, min(runtime.GOMAXPROCS(0), 4))
	for i := range at {
		slots <- struct{}{}
		wait.Go(func() {
			found[i], errs[i] = s.path(f.Class, at[i])
			<-slots
		})
	}
	wait.Wait()
	for i, end := range found {
		if errs[i] != nil {
			return errs[i]
		}
		f.add(at[i], &end)
	}
	return nil
}

// add adds the path at costs if it is new. All paths of a sample are new.
func (f *cover) add(at Vector, end *moment) {
	f.tried++
	if f.seen != nil {
		costs := at.floats()
		f.beyond = append(f.beyond, float64(end.at)/max(1, longest(f.paths, &costs))-1)
		if f.seen[end.count] {
			return
		}
		f.seen[end.count] = true
	}
	f.paths = append(f.paths, Path{f.Class, at, unit.Picos(end.at), end.count})
}

// missing returns the most by which the program took longer than its paths before, at the last random costs that were tried.
func (f *cover) missing() float64 {
	return slices.Max(f.beyond[max(f.random, len(f.beyond)-enough):])
}

// isEnough reports whether the paths gave the time at the last random costs.
func (f *cover) isEnough() bool { return f.tried-f.random >= enough && f.missing() <= precision }

// longest returns the time of the longest of the paths at costs, in picoseconds.
func longest(all []Path, costs *[costs]float64) (most float64) {
	for i := range all {
		most = max(most, all[i].Counts.Times(costs))
	}
	return most
}
