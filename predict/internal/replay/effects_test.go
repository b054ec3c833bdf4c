package replay

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spoor/analyze/analysis"
	"spoor/predict/internal/memsys"
	"spoor/traces/trace"
)

// simulatorSays is what a simulator says about a trace.
type simulatorSays struct {
	result   any // without warnings
	warnings string
	err      error
}

// simulatorRuns runs each simulator.
func simulatorRuns(t *testing.T) map[string]func(m *trace.Memory) simulatorSays {
	shared := func(target memsys.Target) func(m *trace.Memory) simulatorSays {
		return func(m *trace.Memory) simulatorSays {
			cfg := randomNodes(t, &choices{data: []byte{2}}, target, m)
			cfg.Memory = memsys.Memory{Latency: 100_000, Occupancy: 50_000, Invalidate: 10_000}
			sys, err := target.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			res, err := Run(context.Background(), m, sys, tick, Options{})
			if err != nil {
				return simulatorSays{err: err}
			}
			return simulatorSays{res.Procs, fmt.Sprint(res.Warnings), nil}
		}
	}
	machine := parsed(t, "ccnuma", "model = \"full\"\nbandwidth = \"100 MB/s\"")
	return map[string]func(m *trace.Memory) simulatorSays{
		"replay of references":       shared(memsys.CCNUMA{}),
		"replay of references, logp": shared(memsys.LogP{}),
		"replay of messages": func(m *trace.Memory) simulatorSays {
			res, err := replayMessages(m, machine, Options{})
			if err != nil {
				return simulatorSays{err: err}
			}
			return simulatorSays{res.Ranks, fmt.Sprint(res.Warnings), nil}
		},
		"replay of both": func(m *trace.Memory) simulatorSays {
			res, err := replayMixed(m, machine, Options{})
			if err != nil {
				return simulatorSays{err: err}
			}
			return simulatorSays{res.Procs, fmt.Sprint(res.Warnings), nil}
		},
	}
}

// Every simulator does with every row what its declaration says.
func TestEffectsOfSimulators(t *testing.T) {
	runs := simulatorRuns(t)
	for _, s := range Simulators {
		if err := s.Effects.Check(); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		run := runs[s.Name]
		if run == nil {
			t.Errorf("%s is not tested", s.Name)
			continue
		}
		for _, op := range trace.Ops {
			checkEffect(t, fmt.Sprintf("%s: %v", s.Name, op), s.Effects.Ops[op], op.String(), run(traceOfOps(op)), run(traceOfOps(0)))
		}
		for _, k := range trace.Kinds {
			with := traceOfKind(k)
			if s.Effects.Kinds[k] == analysis.Refused {
				with = withoutAll(with, func(other trace.Kind) bool { return other != k })
			}
			checkEffect(t, fmt.Sprintf("%s: %v", s.Name, k), s.Effects.Kinds[k], k.String(), run(with), run(without(with, k)))
		}
	}
}

// checkEffect compares the outcomes with and without rows.
func checkEffect(t *testing.T, what string, e analysis.Effect, name string, with, without simulatorSays) {
	t.Helper()
	switch {
	case e == analysis.Refused:
		if with.err == nil || !strings.Contains(with.err.Error(), name) {
			t.Errorf("%s is refused, but the error is %v", what, with.err)
		}
		return
	case with.err != nil || without.err != nil:
		t.Errorf("%s: %v; without: %v", what, with.err, without.err)
	}
	switch e {
	case analysis.Used:
		if reflect.DeepEqual(with.result, without.result) {
			t.Errorf("%s is used, but changes nothing", what)
		}
	case analysis.Noted:
		if !strings.Contains(with.warnings, name) && !strings.Contains(with.warnings, "references are not simulated") {
			t.Errorf("%s has no note: %s", what, with.warnings)
		}
	case analysis.Outside:
		if with.warnings != without.warnings {
			t.Errorf("%s needs no note: %s", what, with.warnings)
		}
	}
}

// traceOfOps uses two lines, with one more reference of an operation in between.
func traceOfOps(op trace.Op) *trace.Memory {
	a, b := &builder{}, &builder{}
	a.ref(10, 0, 8, trace.Store)
	if op != 0 {
		addr := uint64(0)
		if op != trace.Flush {
			addr = 4096
		}
		a.ref(10, addr, 8, op)
	} else {
		a.work(10)
	}
	a.ref(1000, 0, 8, trace.Load)
	a.ref(10, 4096, 8, trace.Load)
	for _, p := range []*builder{a, b} {
		p.at(trace.Barrier, 0)
		p.refs.Append(1, 8192, 8, trace.Load)
	}
	return source(a, b)
}

// traceOfKind is a program of two processors in which events of a kind have an effect.
func traceOfKind(k trace.Kind) *trace.Memory {
	long := works(5000)
	both := func(rows ...trace.Event) (a, b []trace.Event) {
		return append([]trace.Event{an(trace.Compute, long)}, rows...), slices.Clone(rows)
	}
	var a, b []trace.Event
	send := an(trace.Send, with(1), of(100))
	switch k {
	case trace.Send, trace.Recv:
		a, b = rows(an(trace.Compute, long), send), rows(an(trace.Recv, with(0), of(100)))
	case trace.Isend:
		a, b = rows(an(trace.Isend, with(1), of(100), request(1)), an(trace.Wait, request(1))), rows(an(trace.Recv, with(0), of(100)))
	case trace.Irecv, trace.Wait:
		a, b = rows(an(trace.Compute, long), send), rows(an(trace.Irecv, with(0), of(100), request(1)), an(trace.Wait, request(1)), an(trace.Compute, long))
	case trace.Test:
		a, b = rows(an(trace.Compute, long), send), rows(an(trace.Irecv, with(0), of(100), request(1)), an(trace.Test, request(1), count(1)), an(trace.Compute, long))
	case trace.Probe, trace.Iprobe:
		a, b = rows(an(trace.Compute, long), send), rows(an(k, with(0), count(1)), an(trace.Compute, long), an(trace.Recv, with(0), of(100)))
	case trace.Lock, trace.Unlock:
		a, b = both(an(trace.Lock, with(0)), an(trace.Compute, long), an(trace.Compute, long), an(trace.Unlock, with(0)))
	case trace.Signal, trace.WaitFlag:
		a = rows(an(trace.Compute, long), an(trace.Signal, with(0)))
		b = rows(an(trace.WaitFlag, with(0), func(e *trace.Event) { e.Tag = 1 }))
	case trace.Fork, trace.Join:
		a, b = rows(an(trace.Compute, long), an(trace.Fork, with(1)), an(trace.Join, with(1))), rows(an(trace.Compute, long), an(trace.Compute, long))
	case trace.Barrier:
		a, b = both(an(k))
		a[1].Peer, b[0].Peer = 0, 0
	case trace.Compute:
		a = rows(an(k, long))
	default:
		e := an(k, of(100))
		if e.Collective() && e.Kind != trace.AllReduce && e.Kind != trace.Barrier {
			e.Peer = 0
		}
		a, b = both(e)
	}
	m := messageTrace(a, b)
	for p := range m.RefsOf {
		m.RefsOf[p].Append(1, 64, 8, trace.Load)
		m.RefsOf[p].Proc = trace.Proc(p)
	}
	return m
}

// without returns the trace without the events of a kind, and those that are nothing without them.
func without(m *trace.Memory, k trace.Kind) *trace.Memory {
	gone := []trace.Kind{k}
	for _, pair := range [][]trace.Kind{{trace.Send, trace.Recv}, {trace.Lock, trace.Unlock}, {trace.Signal, trace.WaitFlag}, {trace.Fork, trace.Join},
		{trace.Isend, trace.Wait, trace.Recv}, {trace.Irecv, trace.Wait, trace.Send}} {
		if slices.Contains(pair, k) && (k == pair[0] || len(pair) == 2) {
			gone = pair
		}
	}
	return withoutAll(m, func(k trace.Kind) bool { return slices.Contains(gone, k) })
}

// withoutAll returns the trace without the events of some kinds.
func withoutAll(m *trace.Memory, gone func(trace.Kind) bool) *trace.Memory {
	out := &trace.Memory{Head: m.Head, RefsOf: m.RefsOf}
	for _, events := range m.EventsOf {
		rows := slices.DeleteFunc(slices.Clone(events.Rows), func(e trace.Event) bool { return gone(e.Kind) })
		out.EventsOf = append(out.EventsOf, trace.Events{Proc: events.Proc, Rows: rows})
	}
	return out
}
