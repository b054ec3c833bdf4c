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

// Timeline is when the processors of a simulated machine execute, to be cut into quanta of its time: misses take time in it, as
// they do in the paper's simulator, and not in the interleaved order of a trace.
//
// A processor is active in a quantum if it executes in it, or goes on in it, be it at its end or to wait again at once.
//
// Differs: in the paper a target is also active when a message of the coherence protocol reaches it.
type Timeline struct {
	Clock  unit.Hertz
	Length unit.Cycles // of a quantum
	Ends   []unit.Picos
	Waits  [][]Wait // of each processor, in order of time
	Seed   uint64
	Source string
	Tool   string
	Meta   []trace.Arg
}

// Wait is a time in which a processor does not execute.
type Wait struct{ From, To unit.Picos }

// turn is a processor that stops or goes on.
type turn struct {
	at   unit.Picos
	proc trace.Proc
	on   bool
}

// Result is the table of samples and the parameters, as of [Analysis]. It is an error if there is no time to be cut.
func (t *Timeline) Result() (analysis.Result, error) {
	length := t.Length.At(t.Clock).Picos()
	if length < 1 || length > unit.Picos(MaxLength) {
		return analysis.Result{}, fmt.Errorf("a quantum of %v at %v is not from 1ps to %v", t.Length, t.Clock, unit.Picos(MaxLength))
	}
	if len(t.Ends) == 0 || slices.Max(t.Ends) == 0 {
		return analysis.Result{}, errors.New("the processors take no time that could be cut into quanta")
	}
	s := newShard(trace.Header{Procs: len(t.Ends)}, unit.Instructions(length), Cache{}, newSamples(len(t.Ends), maxSamples, t.Seed))
	for _, e := range t.turns() {
		s.advance(uint64(e.at))
		if e.on {
			s.goOn(e.proc)
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

// turns is all of them in order of time.
func (t *Timeline) turns() (all []turn) {
	for p, waits := range t.Waits {
		for _, w := range waits {
			if w.From < w.To {
				all = append(all, turn{w.From, trace.Proc(p), false}, turn{w.To, trace.Proc(p), true})
			}
		}
	}
	for p, end := range t.Ends {
		all = append(all, turn{end, trace.Proc(p), false})
	}
	slices.SortStableFunc(all, func(a, b turn) int { return cmp.Compare(a.at, b.at) })
	return all
}

// goOn is the end of a wait of p.
func (s *shard) goOn(p trace.Proc) {
	if q := &s.procs[p]; !q.running {
		s.touched, q.event = true, true
		q.running, q.since = true, s.now
		s.running++
	}
}
