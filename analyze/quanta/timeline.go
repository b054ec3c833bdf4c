package quanta

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"spoor/analyze/analysis"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// Timeline describes when the processors of a simulated machine execute, and divides this into quanta of the
// machine's time. In this time misses take time, as in the paper's simulator. In the interleaved order of a
// trace they do not.
//
// A processor is active in a quantum if it executes or resumes in it. It may resume at the end of the
// quantum, or only to wait again at once.
//
// Differs: in the paper a target is also active when a message of the coherence protocol reaches it.
type Timeline struct {
	Clock  unit.Hertz
	Length unit.Cycles // of a quantum
	Ends   []unit.Picos
	Waits  [][]Wait // by processor, in order of time
	Seed   uint64
	Source string
	Tool   string
	Meta   []trace.Arg
}

// Wait is a time in which a processor does not execute.
type Wait struct{ From, To unit.Picos }

// transition is an instant at which a processor stops or resumes.
type transition struct {
	at      unit.Picos
	proc    trace.Proc
	resumes bool
}

// Result returns the table of samples and the parameters, like [Analysis]. It returns an error if the
// processors take no time.
func (t *Timeline) Result() (analysis.Result, error) {
	length := t.Length.At(t.Clock).Picos()
	if length < 1 || length > unit.Picos(maxLength) {
		return analysis.Result{}, fmt.Errorf("a quantum of %v at %v is outside 1ps to %v", t.Length, t.Clock, unit.Picos(maxLength))
	}
	if len(t.Ends) == 0 || slices.Max(t.Ends) == 0 {
		return analysis.Result{}, errors.New("the processors take no time, so that there are no quanta")
	}
	s := newShard(trace.Header{Procs: len(t.Ends)}, unit.Instructions(length), Cache{}, 0, newSamples(len(t.Ends), maxSamples, t.Seed))
	for _, e := range t.transitions() {
		s.advance(uint64(e.at))
		if e.resumes {
			s.resume(e.proc)
		} else {
			s.stop(e.proc)
		}
	}
	if err := s.End(); err != nil {
		return analysis.Result{}, err
	}
	a := &Analysis{Length: unit.Instructions(length), CPI: float64(t.Length) / float64(length), Seed: t.Seed, Source: t.Source, Tool: t.Tool, Meta: t.Meta, simulated: true}
	return a.Merge([]analysis.Shard{s})
}

// transitions returns all transitions in order of time.
func (t *Timeline) transitions() (all []transition) {
	for p, waits := range t.Waits {
		for _, w := range waits {
			if w.From < w.To {
				all = append(all, transition{w.From, trace.Proc(p), false}, transition{w.To, trace.Proc(p), true})
			}
		}
	}
	for p, end := range t.Ends {
		all = append(all, transition{end, trace.Proc(p), false})
	}
	slices.SortStableFunc(all, func(a, b transition) int { return cmp.Compare(a.at, b.at) })
	return all
}

// resume ends a wait of p.
func (s *shard) resume(p trace.Proc) {
	if q := &s.procs[p]; !q.running {
		s.changed, q.event = true, true
		q.running, q.since = true, s.now
		s.running++
	}
}
