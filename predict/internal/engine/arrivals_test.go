package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/engine/program"
	"spoor/traces/testsize"
	"spoor/traces/unit"
)

const us = unit.Picos(1e6)

// The first byte of a message that is sent at 0 comes at 4 us. That of 1000 bytes comes for 0.999 us.
var arrivalsBase = cost.Model{Send: us / 2, Receive: us / 2, Latency: 7 * us / 2, PerByte: 1000, EagerLimit: -1}

// copies is m in which a byte of an early message is copied in 2 ns.
func copies(m cost.Model) cost.Model {
	m.CopyPerByte = 2000
	return m
}

func TestArrivalsByHand(t *testing.T) {
	plain, interrupts, both := arrivalsBase, interrupted(arrivalsBase, us), copies(interrupted(arrivalsBase, us))
	postedFirst := does(irecv(0, 1), work(10*us), wait(1))
	for _, c := range []struct {
		name     string
		model    cost.Model
		ranks    [][]program.Op
		want     []unit.Picos // when ranks end
		overhead []unit.Picos
	}{
		{"neither: computes to 10, o_r", plain, ranks(does(send(1, 1)), does(work(10*us), recv(0))), at(us/2, 10*us+us/2), at(us/2, us/2)},
		{"interrupt at 4 by 1: computes to 11", interrupts, ranks(does(send(1, 1)), does(work(10*us), recv(0))), at(us/2, 11*us+us/2), at(us/2, us+us/2)},
		{"interrupt of 1000 B takes 0.999 more", interrupts, ranks(does(send(1, 1000)), does(work(10*us), recv(0))), at(us/2, 12_499_000), at(us/2, 2_499_000)},
		{"interrupt although the receive is posted", interrupts, ranks(does(send(1, 1000)), postedFirst), at(us/2, 12_499_000), at(us/2, 2_499_000)},
		{"early message of 1000 B: 2 us to copy", copies(plain), ranks(does(send(1, 1000)), does(work(10*us), recv(0))), at(us/2, 12*us+us/2), at(us/2, 2*us+us/2)},
		{"early for an irecv: the wait copies", copies(plain), ranks(does(send(1, 1000)), does(work(10*us), irecv(0, 1), work(us), wait(1))), at(us/2, 13*us+us/2), at(us/2, 2*us+us/2)},
		{"posted receive: no copy", copies(plain), ranks(does(send(1, 1000)), postedFirst), at(us/2, 10*us+us/2), at(us/2, us/2)},
		{"both", both, ranks(does(send(1, 1000)), does(work(10*us), recv(0))), at(us/2, 14_499_000), at(us/2, 4_499_000)},
		{"both, but it waits: the last byte comes at 4.999", both, ranks(does(send(1, 1000)), does(recv(0))), at(us/2, 5_499_000), at(us/2, us/2)},
		{"comes as a computation begins: the processor is free", interrupts, ranks(does(send(1, 1)), does(work(4*us), work(6*us), recv(0))), at(us/2, 10*us+us/2), at(us/2, us/2)},
		{"comes as a computation ends", interrupts, ranks(does(send(1, 1)), does(work(4*us), recv(0))), at(us/2, 4*us+us/2), at(us/2, us/2)},
		// Rank 1 sends from 3.8 to 4.3. It handles the interrupt until 5.3, and then computes until 6.3. Its message is not later for that.
		{"comes during an overhead: after it", interrupts, ranks(does(send(1, 1)), does(work(3_800_000), send(2, 1), work(us), recv(0)), does(recv(1))),
			at(us/2, 6_800_000, 8_300_000), at(us/2, 2*us, us/2)},
		{"two interrupts", interrupts, ranks(does(send(2, 1)), does(send(2, 1)), does(work(10*us), recv(0), recv(1))), at(us/2, us/2, 13*us), at(us/2, us/2, 3*us)},
		{"from itself", both, ranks(does(send(0, 1000), work(us), recv(0))), at(4 * us), at(3 * us)},
		// The request comes at 4, is read at 4.5, the answer leaves at 5, comes at 8.5, is read at 9, the data leaves at 9.5, comes at 13.
		{"rendezvous: its data interrupts", both, ranks(does(send(1, 1000)), does(irecv(0, 1), work(20*us), wait(1))), at(10_499_000, 22_499_000), at(us/2, 2_499_000)},
		// The receive is posted at 20, the answer leaves at 20.5, comes at 24, is read at 24.5, the data leaves at 25, comes from 28.5 to 29.499.
		{"rendezvous: no copy", both, ranks(does(send(1, 1000)), does(work(20*us), recv(0))), at(25_999_000, 29_999_000), at(us/2, us/2)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.HasPrefix(c.name, "rendezvous") {
				c.model.EagerLimit = 100
			}
			for _, p := range []outcome.Protocol{outcome.Sequential, outcome.Quantum, outcome.Whoa} {
				res, err := Run(context.Background(), programs(c.ranks, 1), Options{Model: c.model, Protocol: p, Workers: 2})
				if err != nil {
					t.Fatal(err)
				}
				checkParts(t, res)
				for i, r := range res.Ranks {
					if got := r.Parts[observe.Overhead]; r.Time != c.want[i] || got != c.overhead[i] {
						t.Errorf("%s: rank %d ends at %d with %d of overhead, want %d and %d", p, i, r.Time, got, c.want[i], c.overhead[i])
					}
				}
			}
		})
	}
}

// Over links, a message is there at once: its bytes do not interrupt. Ranks of a node do not interrupt each other.
func TestInterruptsOverLinks(t *testing.T) {
	m := interrupted(sharing(t, "bus", 4, ""), 1000)
	ops := ranks(does(send(1, 10)), does(work(50_000), recv(0)))
	for name, c := range map[string]struct {
		node func(int32) int
		want unit.Picos
	}{
		"apart":    {func(rank int32) int { return int(rank) }, 50_000 + 1000 + 700},
		"together": {func(int32) int { return 0 }, 50_000 + 700},
	} {
		m := m
		m.Node = c.node
		res, err := Run(context.Background(), programs(ops, 0), Options{Model: m})
		if err != nil || res.Time != c.want {
			t.Errorf("%s: %v, %v, want %d", name, res, err, c.want)
		}
	}
}

// spans are what a rank's processor does.
type spans struct {
	observe.NopObserver
	text []string
	ends []unit.Picos
	bad  string
	long []outcome.Rank
}

func newSpans(n int) *spans {
	return &spans{text: make([]string, n), ends: make([]unit.Picos, n), long: make([]outcome.Rank, n)}
}

func (s *spans) Span(rank int32, what observe.Part, from, to unit.Picos) {
	if from != s.ends[rank] || to <= from {
		s.bad = fmt.Sprintf("rank %d: a span from %d to %d follows %d", rank, from, to, s.ends[rank])
	}
	s.ends[rank] = to
	s.long[rank].Parts[what] += to - from
	s.text[rank] += fmt.Sprintf("%v %d-%d ", what, from/1000, to/1000)
}

// An interrupt is shown when it takes place: within a computation, behind another interrupt, or behind a send.
func TestInterruptedSpans(t *testing.T) {
	m := copies(interrupted(arrivalsBase, us))
	ops := ranks(does(send(2, 1000)), does(send(2, 1)), does(work(10*us), recv(0), recv(1)))
	s := newSpans(3)
	if _, err := Run(context.Background(), programs(ops, 0), Options{Model: m, Observer: s}); err != nil || s.bad != "" {
		t.Fatal(err, s.bad)
	}
	if want := "ideal 0-4000 overhead 4000-5999 overhead 5999-6999 ideal 6999-12999 overhead 12999-15499 overhead 15499-16001 "; s.text[2] != want {
		t.Errorf("got %s, want %s", s.text[2], want)
	}
}

// On random programs, spans follow each other without gaps, and sum up to the parts of the account.
func TestInterruptedSpansAreTheAccount(t *testing.T) {
	for seed := range testsize.Cases[uint64](300, 60) {
		a := newAuthor(seed, 2+int(seed%6))
		ops := a.write(60)
		var needs []*program.Graph
		if seed%3 == 0 {
			needs = a.graphs(ops)
		}
		s, m := newSpans(len(ops)), models[len(models)-5+int(seed%5)]
		all := programs(ops, 5)
		for i := range all {
			if needs != nil {
				all[i].Graph = needs[i]
			}
		}
		opt := Options{Model: m, Steps: stepsOf(len(ops)), Observer: s}
		res, err := Run(context.Background(), all, opt)
		if err != nil {
			continue
		}
		for i, r := range res.Ranks {
			if !slices.Equal(s.long[i].Parts[:], r.Parts[:]) || s.ends[i] != r.Time || s.bad != "" {
				t.Fatalf("seed %d, rank %d: spans %v until %d, want %v until %d: %s", seed, i, s.long[i].Parts, s.ends[i], r.Parts, r.Time, s.bad)
			}
		}
		opt.Observer = nil
		want, _ := account(ops, needs, opt)
		opt.Observer = newSpans(len(ops))
		if got, _ := account(ops, needs, opt); got != want {
			t.Errorf("seed %d: observed %s, want %s", seed, got, want)
		}
	}
}

func TestArrivalsAreChecked(t *testing.T) {
	for name, m := range map[string]cost.Model{
		"an interrupt takes -1":                interrupted(loggp(), -1),
		"the copy of a byte -1 ps":             {Arrivals: cost.Arrivals{CopyPerByte: -1}},
		"cannot be used with the semantics of": interrupted(loggopsim(), 1),
		"early messages cannot be used with":   early(loggopsim()),
	} {
		if err := m.Check(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
	}
}
