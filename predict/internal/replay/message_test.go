package replay

import (
	"context"
	"fmt"
	"iter"
	"math"
	"strings"
	"testing"

	"spoor/analyze/comm"
	"spoor/calibrate/machine"
	"spoor/predict/internal/engine/observe"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/plainmachine"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

// The machine of these tests: an instruction takes 1 ns. A message of s bytes takes 10 + 100 +
// 2 (s-1) + 10 ns, the next may leave 20 + 2 (s-1) ns later.
func messageMachine(t testing.TB, network string, replace ...string) *machine.Machine {
	t.Helper()
	if network == "" {
		network = "model = \"loggp\"\nL = \"100 ns\"\no = \"10 ns\"\ng = \"20 ns\"\nG = \"2 ns/B\""
	}
	return plainmachine.New(t, append([]string{"occupancy = \"50 cycles\"\ninvalidate = \"10 cycles\"\n", "", `"smp"`, `"cow"`,
		"[system]", "[network]\n" + network + "\n[system]", "processors = 4", "processors = 1\nnodes = 16"}, replace...)...)
}

// messageTrace has the events of each processor.
func messageTrace(ranks ...[]trace.Event) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Program: "test", Format: "test", Procs: len(ranks), WorkUnit: trace.WorkInstr}}
	for p, rows := range ranks {
		m.RefsOf = append(m.RefsOf, trace.Refs{Proc: trace.Proc(p)})
		m.EventsOf = append(m.EventsOf, trace.Events{Proc: trace.Proc(p), Rows: rows})
	}
	return m
}

// an is an event with some changes.
func an(k trace.Kind, change ...func(*trace.Event)) trace.Event {
	e := trace.NewEvent(k)
	for _, c := range change {
		c(&e)
	}
	return e
}

func after(instr uint32) func(*trace.Event) { return func(e *trace.Event) { e.Instr = instr } }
func with(peer int32) func(*trace.Event)    { return func(e *trace.Event) { e.Peer, e.Tag = peer, 0 } }
func of(bytes int64) func(*trace.Event)     { return func(e *trace.Event) { e.Bytes = bytes } }
func request(id int32) func(*trace.Event)   { return func(e *trace.Event) { e.Request = id } }
func group(id int32) func(*trace.Event)     { return func(e *trace.Event) { e.Group = id } }
func works(n int64) func(*trace.Event)      { return func(e *trace.Event) { e.Work = n } }
func count(n int64) func(*trace.Event)      { return func(e *trace.Event) { e.Count = n } }
func needs(rows ...int64) func(*trace.Event) {
	return func(e *trace.Event) { e.Needs = append([]int64{}, rows...) }
}
func begins(ns int64) func(*trace.Event)    { return func(e *trace.Event) { e.Time = ns * 1000 } }
func rows(all ...trace.Event) []trace.Event { return all }

// messageResult is a result of messages.
type messageResult struct {
	*outcome.Result
	Warnings []error
}

func replayMessages(src trace.Source, m *machine.Machine, opt Options) (*messageResult, error) {
	s, err := Scan(src)
	if err != nil {
		return nil, err
	}
	opt.Scope = Messages
	res, err := Simulate(context.Background(), src, s, m, opt)
	if err != nil {
		return nil, err
	}
	return &messageResult{res.Messages, res.Warnings}, nil
}

// ends are when processors end, in ns.
func ends(res *messageResult) (all []float64) {
	for _, r := range res.Ranks {
		all = append(all, float64(r.Time)/1000)
	}
	return all
}

// messageCase is an example by hand: when its processors end, in ns, and what the result warns of.
type messageCase struct {
	name  string
	trace *trace.Memory
	net   string
	opt   Options
	want  []float64
	warns string
}

func messageCases() []messageCase {
	return []messageCase{
		{name: "instructions and a message", // 50 + 10; first byte at 160, last at 178, taken by 188, and 5
			trace: messageTrace(rows(an(trace.Send, after(50), with(1), of(10))), rows(an(trace.Recv, with(0)), an(trace.Compute, after(5)))),
			want:  []float64{60, 193}},
		{name: "work in instructions", trace: messageTrace(rows(an(trace.Compute, after(3), works(40)), an(trace.Marker, after(2)))), want: []float64{45}},
		{name: "requests", // both leave at 10; last at 128, taken by 138
			trace: messageTrace(rows(an(trace.Irecv, with(1), request(3)), an(trace.Isend, with(1), of(10), request(4)), an(trace.Wait, request(4)), an(trace.Wait, request(3))),
				rows(an(trace.Isend, with(0), of(10), request(0)), an(trace.Recv, with(0)), an(trace.Wait, request(0)))),
			want: []float64{138, 138}},
		{name: "a receive with too little room", // 60 as of all bytes; last at 178, taken by 188
			trace: messageTrace(rows(an(trace.Send, after(50), with(1), of(10))), rows(an(trace.Recv, with(0), of(9)))),
			want:  []float64{60, 188}, warns: "replayed with all bytes: 1, the first on rank 1: 9 bytes for a message of 10 from rank 0 with tag 0;"},
		{name: "a receive with room to spare", // the same
			trace: messageTrace(rows(an(trace.Send, after(50), with(1), of(10))), rows(an(trace.Recv, with(0), of(11)))),
			want:  []float64{60, 188}},
		{name: "a test that succeeded waits, one that failed does not", // 138
			trace: messageTrace(rows(an(trace.Irecv, with(1), request(3)), an(trace.Test, request(3)), an(trace.Test, request(3), count(1)), an(trace.Clock)),
				rows(an(trace.Send, with(0), of(10)))),
			want: []float64{138, 10}, warns: "results that depend on time are replayed as recorded (test: 2, clock: 1); for the times of this machine run the program with predict direct"},
		{name: "an iprobe that found something", // there at 128; 138
			trace: messageTrace(rows(an(trace.Iprobe, with(1)), an(trace.Iprobe, with(1), count(1)), an(trace.Recv, with(1))), rows(an(trace.Send, with(0), of(10)))),
			want:  []float64{138, 10}, warns: "iprobe"},
		{name: "groups keep messages apart", // the second message comes from 30 + 100, as g is 20 after 10
			trace: messageTrace(rows(an(trace.Send, with(1), group(1), of(1)), an(trace.Send, with(1), group(2), of(1))), rows(an(trace.Recv, with(0), group(2)), an(trace.Recv, with(0), group(1)))),
			want:  []float64{30, 150}},
		{name: "a barrier", // one message each way, from 0 and from 7: 10 + 100 + 10
			trace: messageTrace(rows(an(trace.Barrier, after(7))), rows(an(trace.Barrier))), want: []float64{120, 127}},
		{name: "a barrier in shared memory is one of all", // the same; the message leaves at 130
			trace: messageTrace(rows(an(trace.Barrier, with(5), after(7)), an(trace.Send, with(1))), rows(an(trace.Barrier, with(5)), an(trace.Recv, with(0)))),
			want:  []float64{130, 240}},
		{name: "a bcast down a tree", // 10 bytes: 138 for a message. 0 to 2 at 0, to 1 leaves g + 18 later
			trace: messageTrace(rows(an(trace.Bcast, with(0), of(10))), rows(an(trace.Bcast, with(0), of(10))), rows(an(trace.Bcast, with(0), of(10)))),
			opt:   Options{Collectives: comm.Binomial}, want: []float64{20, 138 + 38, 138}},
		{name: "collectives of a group that are no barrier for others",
			trace: messageTrace(rows(an(trace.AllReduce, group(4), of(8))), rows(an(trace.Compute, after(9))), rows(an(trace.AllReduce, group(4), of(8)))),
			want:  []float64{134, 9, 134}},
		{name: "a reduce with a request goes on", // 0's work of 500 does not wait, but the processor takes the message up only then
			trace: messageTrace(rows(an(trace.Reduce, with(0), of(1), request(1)), an(trace.Compute, after(500)), an(trace.Wait, request(1))), rows(an(trace.Reduce, with(0), of(1)))),
			want:  []float64{510, 10}},
		{name: "a graph", // send and work both need nothing: 10, then 40 more; the receive waits beside, until 120; marker needs all
			trace: messageTrace(rows(an(trace.Send, with(1), of(1), needs()), an(trace.Compute, works(40), needs()), an(trace.Recv, with(1), of(1), needs()), an(trace.Compute, works(5), needs(0, 1, 2))),
				rows(an(trace.Send, with(0), of(1)), an(trace.Recv, with(0)))),
			want: []float64{125, 120}},
		{name: "eight into one", // 1001 bytes each: 2000 ns. The last first byte at 110 + 7 g, so all there at 2250, taken by 2260
			trace: fanIn(8, 1001), want: []float64{2260, 10, 10, 10, 10, 10, 10, 10, 10}, warns: "faster than 1/G"},
		{name: "eight into one, by the receiver's port", // 110 + 8 (2000) + 7 g, and 10: 7 times as long
			trace: fanIn(8, 1001), net: "model = \"loggp\"\nL = \"100 ns\"\no = \"10 ns\"\ng = \"20 ns\"\nG = \"2 ns/B\"\nports = \"both\"",
			want: []float64{16260, 10, 10, 10, 10, 10, 10, 10, 10}},
		{name: "LogGOPSim", opt: Options{Semantics: LogGOPSim}, // there at 110, busy for 28 and 28: the second from 110 + 38
			trace: messageTrace(rows(an(trace.Recv, with(1)), an(trace.Recv, with(2))), rows(an(trace.Send, with(0), of(10))), rows(an(trace.Send, with(0), of(10)))),
			want:  []float64{176, 10, 10}},
		{name: "overheads of the sender, the receiver, and lines", // 128 contiguous bytes are 2 lines, 3 columns 3: 5 + 2*7, + 100 + 254, + 15 + 3*7
			net: "model = \"loggp\"\nL = \"100 ns\"\no = \"10 ns\"\no_s = \"5 ns\"\no_r = \"15 ns\"\ng = \"20 ns\"\nG = \"2 ns/B\"\ngamma = \"7 ns/line\"",
			trace: messageTrace(rows(an(trace.Send, with(1), of(128), func(e *trace.Event) { e.Addr, e.Count, e.Block, e.Stride = 64, 1, 128, 128 })),
				rows(an(trace.Irecv, with(0), of(200), request(0), func(e *trace.Event) { e.Addr, e.Count, e.Block, e.Stride = 64, 5, 43, 1024 }), an(trace.Wait, request(0), with(0), of(128)))),
			want: []float64{19, 409}},
		{name: "an ideal network", net: "model = \"ideal\"\nlatency = \"100 ns\"\no = \"10 ns\"",
			trace: messageTrace(rows(an(trace.Send, with(1), of(1000)), an(trace.Send, with(1), of(1000))), rows(an(trace.Recv, with(0)), an(trace.Recv, with(0)))),
			want:  []float64{20, 130}},
		{name: "a bus", net: "model = \"bus\"\nbandwidth = \"1 GB/s\"", // the second message waits for the first: 100 and 200
			trace: messageTrace(rows(an(trace.Send, with(2), of(100))), rows(an(trace.Send, with(2), of(100))), rows(an(trace.Recv, with(0)), an(trace.Recv, with(1)))),
			want:  []float64{0, 0, 200}},
		{name: "recorded durations", opt: Options{Recorded: true}, // the compute begins at 100 and the send at 130; instructions do not count
			trace: timed(messageTrace(rows(an(trace.Compute, after(1000), begins(100)), an(trace.Send, with(1), after(4), begins(130))), rows(an(trace.Recv, with(0), begins(7))))),
			want:  []float64{40, 150}},
	}
}

func TestMessages(t *testing.T) {
	for _, c := range messageCases() {
		for _, batch := range []int{0, 1} {
			res, err := replayMessages(inBatches{c.trace, batch}, messageMachine(t, c.net), c.opt)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			if got := ends(res); fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("%s: got %v, want %v", c.name, got, c.want)
			}
			if got := fmt.Sprint(res.Warnings); !strings.Contains(got, c.warns) || c.warns == "" && len(res.Warnings) > 0 {
				t.Errorf("%s: warns %q, want %q", c.name, got, c.warns)
			}
		}
	}
}

// fanIn is so many processors that each send to the first.
func fanIn(n int32, bytes int64) *trace.Memory {
	all := make([][]trace.Event, n+1)
	for p := range n {
		all[0] = append(all[0], an(trace.Recv, with(p+1)))
		all[p+1] = rows(an(trace.Send, with(0), of(bytes)))
	}
	return messageTrace(all...)
}

func timed(m *trace.Memory) *trace.Memory {
	m.Head.HasTime = true
	return m
}

// inBatches yields at most so many events at a time.
type inBatches struct {
	*trace.Memory
	most int
}

// Events yields the events.
func (b inBatches) Events(procs ...trace.Proc) iter.Seq2[*trace.Events, error] {
	return func(yield func(*trace.Events, error) bool) {
		for all, err := range b.Memory.Events(procs...) {
			for i := 0; err == nil && b.most > 0 && i < len(all.Rows); i += b.most {
				if !yield(&trace.Events{Proc: all.Proc, Rows: all.Rows[i:min(i+b.most, len(all.Rows))]}, nil) {
					return
				}
			}
			if b.most == 0 && !yield(all, err) {
				return
			}
		}
	}
}

func TestMessagesErrors(t *testing.T) {
	flops := messageTrace(rows(an(trace.Compute, works(5))), rows())
	flops.Head.WorkUnit = trace.WorkFlop
	send, recv := an(trace.Send, with(1)), an(trace.Recv, with(0))
	for _, c := range []struct {
		name  string
		trace *trace.Memory
		net   string
		opt   Options
		want  string
	}{
		{name: "each waits for the other", trace: messageTrace(rows(an(trace.Recv, with(1))), rows(an(trace.Recv, with(0)))),
			want: "deadlock at 0s: 2 of 2 ranks wait forever: rank 0 (event 0) for a message from rank 1 with tag 0; rank 1 (event 0) for a message from rank 0 with tag 0; cycle: rank 0 for rank 1 for rank 0"},
		{name: "who is waited for has ended", trace: messageTrace(rows(an(trace.Recv, with(1))), rows()),
			want: "rank 0 (event 0) for a message from rank 1 with tag 0, which has ended"},
		{name: "nobody receives", trace: messageTrace(rows(send), rows()), want: "a message from rank 0 with tag 0 that rank 1 does not receive"},
		{name: "nobody sends", trace: messageTrace(rows(), rows(an(trace.Irecv, with(0), request(0)))), want: "a receive on rank 1 of a message from rank 0 with tag 0 that is not sent"},
		{name: "rendezvous", net: "model = \"loggp\"\nL = \"1 ns\"\no = \"1 ns\"\ng = \"1 ns\"\nG = \"1 ns/B\"\nS = \"5 B\"",
			trace: messageTrace(rows(an(trace.Send, with(1), of(9)), an(trace.Recv, with(1))), rows(an(trace.Send, with(0), of(9)), an(trace.Recv, with(0)))),
			want:  "rank 0 (event 0) for rank 1 to receive its message of 9 bytes with tag 0"},
		{name: "no such rank", trace: messageTrace(rows(an(trace.Send, with(7)))), want: "rank 0: operation 0 sends to rank 7, but there are only 1 ranks"},
		{name: "no such request", trace: messageTrace(rows(an(trace.Wait, request(7)))), want: "waits for request 7, which is not open"},
		{name: "a lock", trace: messageTrace(rows(send, an(trace.Lock, with(3))), rows(recv)), want: "processor 0: event 1 (lock, after 0 references) uses shared memory"},
		{name: "flops", trace: flops, want: "no processor.cpf"},
		{name: "uneven collectives", trace: messageTrace(rows(an(trace.Bcast, with(0)), an(trace.Bcast, with(0))), rows(an(trace.Bcast, with(0)))),
			want: "processor 1 ends after 1 collectives of all processors, where processor 0 goes on with bcast"},
		{name: "other collectives", trace: messageTrace(rows(an(trace.Bcast, with(0))), rows(an(trace.Bcast, with(1)))), want: "#1 of collectives of all processors is bcast with root 1, and on processor 0 bcast with root 0"},
		{name: "collectives of some", trace: messageTrace(rows(an(trace.AllReduce)), rows()), want: "only 1 of 2 processors call collectives of all processors"},
		{name: "too many", trace: fanIn(20, 5), want: "the trace has 21 processors, and the machine has only 16"},
		{name: "no times", trace: messageTrace(rows(send), rows(recv)), opt: Options{Recorded: true}, want: "no recorded times"},
		{name: "times of a graph", trace: timed(messageTrace(rows(an(trace.Send, with(1), needs())), rows(recv))), opt: Options{Recorded: true}, want: "are a graph"},
		{name: "times that go back", trace: timed(messageTrace(rows(an(trace.Compute, begins(9)), an(trace.Send, with(1), begins(8))), rows(recv))), opt: Options{Recorded: true}, want: "begins at 8000 ps"},
		{name: "work for ever", trace: messageTrace(rows(an(trace.Compute, works(1<<62)), an(trace.Marker)), rows(recv)), want: "more than can be simulated"},
		{name: "two works for ever", trace: messageTrace(rows(an(trace.Compute, after(1<<31), works(1<<60-1)), an(trace.Marker)), rows(recv)), want: "more than can be simulated"},
		{name: "a message for ever", trace: messageTrace(rows(an(trace.Send, with(1), of(math.MaxInt64))), rows(an(trace.Recv, with(0), of(math.MaxInt64)))),
			want: "event 0 (send): has 9223372036854775807 bytes; messages of up to 1TiB can be simulated on this network"},
		{name: "a slow message", net: "model = \"loggp\"\nL = \"1 ns\"\no = \"1 ns\"\ng = \"1 ns\"\nG = \"1 ms/B\"",
			trace: messageTrace(rows(an(trace.Send, with(1), of(1<<31))), rows(an(trace.Recv, with(0), of(1<<31)))), want: "messages of up to "},
		{name: "LogGOPSim on links", net: "model = \"bus\"\nbandwidth = \"1 GB/s\"", trace: messageTrace(rows(send), rows(recv)), opt: Options{Semantics: LogGOPSim}, want: "need loggp"},
		{name: "needs itself", trace: messageTrace(rows(an(trace.Send, with(1), needs(0))), rows(recv)), want: "operations that depend on themselves"},
		{name: "needs what there is not", trace: messageTrace(rows(an(trace.Send, with(1), needs(5))), rows(recv)), want: "depends on operation 5, but there are only 1 operations"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := replayMessages(c.trace, messageMachine(t, c.net), c.opt)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, %v, want %q", res, err, c.want)
			}
		})
	}
}

// All algorithms do all collectives between any processors, and every part of time is counted.
func TestMessagesOfAllCollectives(t *testing.T) {
	kinds := []trace.Kind{trace.Barrier, trace.Bcast, trace.Reduce, trace.AllReduce, trace.Scan, trace.Gather, trace.AllGather, trace.Scatter, trace.AllToAll}
	for n := int32(1); n <= 9; n++ {
		for _, a := range comm.Algorithms[1:] {
			all := make([][]trace.Event, n)
			for p := range n {
				for i, k := range kinds {
					e := an(k, after(uint32(7*p)), of(int64(100+i*int(p))))
					if comm.Rooted(k) {
						e.Peer = n / 2
					}
					all[p] = append(all[p], e)
				}
			}
			for _, net := range []string{"", "model = \"loggp\"\nL = \"100 ns\"\no = \"10 ns\"\ng = \"20 ns\"\nG = \"2 ns/B\"\nS = \"50 B\""} {
				res, err := replayMessages(messageTrace(all...), messageMachine(t, net), Options{Collectives: a})
				if err != nil {
					t.Fatalf("%d processors, %s: %v", n, a, err)
				}
				for p, r := range res.Ranks {
					sum := unit.Picos(0)
					for _, part := range r.Parts {
						sum += part
					}
					if sum != r.Time || r.Parts[observe.Computing] != unit.Picos(7*p*len(kinds))*1000 {
						t.Errorf("%d processors, %s: processor %d: %v, which ends at %v", n, a, p, r.Parts, r.Time)
					}
				}
			}
		}
	}
}
