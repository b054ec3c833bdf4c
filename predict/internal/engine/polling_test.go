package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/engine/program"
	"spoor/traces/testsize"
	"spoor/traces/unit"
)

// deaf is a program that does not care what it finds.
type deaf struct{}

func (deaf) Matched(int32, int64, int32, int32)     {}
func (deaf) Arrived(_, _, _, _ int32, _ unit.Picos) {}
func (deaf) Answered(int32, *program.Answer)        {}
func (deaf) Resumed(int32, unit.Picos)              {}
func iprobe(from int32) program.Op {
	return program.Op{Kind: program.Iprobe, Peer: from, Tag: 3, Request: program.None, Group: program.None, Work: 10}
}
func test(request int32) program.Op {
	return program.Op{Kind: program.Test, Request: request, Group: program.None, Work: 10}
}
func tagged(op program.Op) program.Op { op.Tag = 3; return op }

// thenLooks does what it does, and then looks so often; for ever if negative.
func thenLooks(times int, look program.Op, first ...program.Op) program.Program {
	begun := false
	return program.Program{Next: func() (program.Ops, error) {
		if !begun && len(first) > 0 {
			begun = true
			return program.Pack(first...), nil
		}
		n := 1 << 10
		if times >= 0 {
			n = min(n, times)
			times -= n
		}
		return program.Pack(slices.Repeat([]program.Op{look}, n)...), nil
	}}
}

// Who looks for ever for what nobody will send gets an error, and who is only long in finding it does not.
func TestLookingInVain(t *testing.T) {
	quiet := func(ops ...program.Op) program.Program { return programs(ranks(ops), 0)[0] }
	cases := []struct {
		name  string
		model cost.Model
		all   []program.Program
		want  []string // nothing: no error
	}{
		{"for a rank that has ended", loggp(), []program.Program{thenLooks(-1, iprobe(1)), quiet(work(5))},
			[]string{"1 of 2 ranks wait forever", "rank 0 (event 4194303) for a message from rank 1 with tag 3, for which it has polled 4194304 times, which has ended"}},
		{"for each other", loggp(), []program.Program{thenLooks(-1, iprobe(1)), thenLooks(-1, iprobe(0)), quiet(recv(0))},
			[]string{"3 of 3 ranks", "rank 0 (event", "rank 1 (event", "cycle: rank 0 for rank 1 for rank 0"}},
		{"for who waits for the same", sharing(t, "bus", 2, ""), []program.Program{thenLooks(-1, iprobe(program.None)), quiet(recv(0))},
			[]string{"2 of 2 ranks", "for a message from any rank with tag 3, for which", "rank 1 (event 0) for a message from rank 0"}},
		{"for a request", loggp(), []program.Program{thenLooks(-1, test(7), irecv(1, 7)), quiet()},
			[]string{"rank 0 (event 4194304) for a message from rank 1 with tag 0, for which it has polled 4194304 times, which has ended"}},
		{"for a receiver", long(loggp()), []program.Program{thenLooks(-1, test(7), isend(1, 1000, 7)), quiet()},
			[]string{"rank 0 (event 4194304) for rank 1 to receive its message of 1000 bytes with tag 0, for which"}},
		{"while another computes", loggp(), []program.Program{thenLooks(pollLimit+5, iprobe(1)), quiet(work(10*pollLimit + 1000))}, nil},
		{"for what is on its way", loggp(), []program.Program{thenLooks(pollLimit+5, iprobe(1), work(1), tagged(recv(1))), quiet(tagged(send(0, 10)), tagged(send(0, 20*pollLimit)))}, []string{"does not receive"}},
	}
	for _, c := range cases[:testsize.Cases(len(cases), 1)] { // each looks millions of times
		t.Run(c.name, func(t *testing.T) {
			_, err := Run(context.Background(), c.all, Options{Model: c.model, Direct: deaf{}})
			var d *outcome.Deadlock
			if vain := errors.As(err, &d); (len(c.want) == 0) != (err == nil) || vain != (len(c.want) > 0 && c.want[0] != "does not receive") {
				t.Fatal(err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v does not say %q", err, want)
				}
			}
		})
	}
}

// Several workers find out as well that ranks look in vain.
func TestWorkersLookInVain(t *testing.T) {
	for _, p := range []outcome.Protocol{outcome.Quantum, outcome.Whoa}[:testsize.Cases(2, 1)] {
		all := []program.Program{thenLooks(-1, iprobe(2)), thenLooks(0, iprobe(0), work(5)), thenLooks(-1, iprobe(0))}
		_, err := Run(context.Background(), all, Options{Model: loggp(), Direct: deaf{}, Protocol: p, Workers: 3})
		var d *outcome.Deadlock
		if !errors.As(err, &d) || !strings.Contains(err.Error(), "2 of 3 ranks") || !strings.Contains(err.Error(), "cycle: rank 0 for rank 2 for rank 0") {
			t.Errorf("%s: %v", p, err)
		}
	}
}
