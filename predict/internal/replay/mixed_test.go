package replay

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"spoor/calibrate/machine"
	"spoor/predict/internal/engine/observe"
	"spoor/traces/trace"
	"spoor/traces/unit"
)

func replayMixed(src trace.Source, m *machine.Machine, opt Options) (*Result, error) {
	s, err := Scan(src)
	if err != nil {
		return nil, err
	}
	opt.Scope = Both
	return Simulate(context.Background(), src, s, m, opt)
}

// checkMixedSums holds both results of a run to each other.
func checkMixedSums(t *testing.T, name string, r *Result) {
	t.Helper()
	if r.Time != r.Messages.Time {
		t.Errorf("%s: takes %v, and by its messages %v", name, r.Time, r.Messages.Time)
	}
	for p := range r.Procs {
		memory, rank := &r.Procs[p], &r.Messages.Ranks[p]
		passing := rank.Time - rank.Parts[observe.Computing]
		if memory.Total() != rank.Time || memory.Messages != passing || memory.Total()+memory.End != r.Time {
			t.Errorf("%s: processor %d: %+v, and by its messages %v", name, p, memory.Times, rank.Parts)
		}
	}
}

// Without references and locks, it is a replay of messages.
func TestMixedIsMessages(t *testing.T) {
	n := 0
	for _, c := range messageCases() {
		s, err := Scan(c.trace)
		if err != nil {
			t.Fatal(err)
		}
		if c.opt.Recorded || c.opt.Semantics == LogGOPSim || s.nonblocking || s.graphs[0] {
			continue
		}
		n++
		res, err := replayMixed(inBatches{c.trace, 1}, messageMachine(t, c.net), Options{Collectives: c.opt.Collectives})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		checkMixedSums(t, c.name, res)
		if got := ends(&messageResult{Result: res.Messages}); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
		if got := fmt.Sprint(res.Warnings); !strings.Contains(got, c.warns) {
			t.Errorf("%s: warns %q, want %q", c.name, got, c.warns)
		}
	}
	if n < 12 {
		t.Errorf("only %d cases are of messages alone", n)
	}
}

// Without messages, it is a replay of references, locks, flags and forks.
func TestMixedIsRun(t *testing.T) {
	machines := []*machine.Machine{messageMachine(t, ""), messageMachine(t, "", `"cow"`, `"clump"`, "processors = 1", "processors = 3"),
		messageMachine(t, "model = \"mesh\"\nbandwidth = \"100 MB/s\"\nlatency = \"1 us\"", `"cow"`, `"ccnuma"`),
		messageMachine(t, "", `"cow"`, `"smp"`, "nodes = 16", "nodes = 1", "processors = 1", "processors = 4")}
	n := 0
	for seed := range uint64(400) {
		src, m := randomTrace(randomChoices(seed, 800)), machines[seed%uint64(len(machines))]
		s, err := Scan(src)
		if err != nil {
			t.Fatal(err)
		}
		if s.kinds[trace.Barrier] > 0 {
			continue
		}
		n++
		clock, err := ClockOf(m)
		if err != nil {
			t.Fatal(err)
		}
		want, err := runReferences(context.Background(), src, scanned(t, src), m, clock, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := replayMixed(src, m, Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		checkMixedSums(t, fmt.Sprint("seed ", seed), got)
		if got.Messages = nil; !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: got %+v\nwant %+v", seed, got, want)
		}
	}
	if n < 50 {
		t.Errorf("only %d programs have no barriers", n)
	}
}

// segments is a random program that passes messages round a ring, with references of a processor's own between them: as it is; as each processor
// alone, with barriers where messages were; and the messages.
func segments(c *choices, procs int) (whole *trace.Memory, alone []*trace.Memory, messages [][]trace.Event) {
	steps := 1 + c.below(6)
	var all []*builder
	for p := range procs {
		b, one := &builder{}, &builder{}
		var passed []trace.Event
		event := func(k trace.Kind, to, id int, bytes int64) {
			for range c.below(12) {
				instr, addr, op := uint32(c.below(50)), uint64(p)<<20|uint64(c.below(1<<13)), []trace.Op{trace.Load, trace.Store}[c.below(2)]
				b.ref(instr, addr, 4, op)
				one.ref(instr, addr, 4, op)
			}
			rest := uint32(c.below(100))
			b.work(rest)
			one.work(rest)
			e := b.at(k, int32((to+procs)%procs))
			e.Tag, e.Bytes, e.Request = 1, bytes, int32(id)
			passed = append(passed, *e)
			one.at(trace.Barrier, 0)
		}
		for range steps {
			event(trace.Irecv, p-1, 1, 0)
			event(trace.Isend, p+1, 2, int64(steps*100))
			event(trace.Wait, p, 1, 0)
			event(trace.Wait, p, 2, 0)
		}
		all, alone, messages = append(all, b), append(alone, source(one)), append(messages, passed)
	}
	return source(all...), alone, messages
}

// What has memory of its own takes as long between messages as it does alone.
func TestMixedIsMessagesBetweenReferences(t *testing.T) {
	m := messageMachine(t, "model = \"loggp\"\nL = \"100 ns\"\no = \"10 ns\"\ng = \"20 ns\"\nG = \"2 ns/B\"\nS = \"300 B\"", `"50 cycles"`, "\"50 cycles\"\npage = \"1 KiB\"\nplacement = \"first-touch\"")
	clock, err := ClockOf(m)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(200) {
		c := randomChoices(seed, 4000)
		whole, alone, messages := segments(c, 2+c.below(4))
		for p := range alone {
			res, err := runReferences(context.Background(), alone[p], scanned(t, alone[p]), m, clock, Options{Phases: true})
			if err != nil {
				t.Fatal(err)
			}
			var rows []trace.Event
			for i, e := range messages[p] {
				rows = append(rows, an(trace.Compute, works(int64(res.Phases[i].Total()))))
				e.Instr, e.Refs = 0, 0
				rows = append(rows, e)
			}
			messages[p] = rows
		}
		apart := messageTrace(messages...)
		apart.Head.WorkUnit = trace.WorkPicos
		want, err := replayMessages(apart, m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := replayMixed(whole, m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		checkMixedSums(t, fmt.Sprint("seed ", seed), got)
		if !reflect.DeepEqual(got.Messages.Ranks, want.Ranks) {
			t.Fatalf("seed %d: got %+v\nwant %+v", seed, got.Messages.Ranks, want.Ranks)
		}
	}
}

// Locks hold up messages, and messages locks: 0 has the lock from 5 to 25, and sends 10 bytes from 15 on. 1 comes to the lock at 7, has it from 25 on for
// 3, and takes the message, whose last byte is there at 143, by 153.
func TestWorkedMixed(t *testing.T) {
	src := messageTrace(rows(an(trace.Lock, after(5), with(1)), an(trace.Send, after(10), with(1), of(10)), an(trace.Unlock, with(1))),
		rows(an(trace.Lock, after(7), with(1)), an(trace.Unlock, after(3), with(1)), an(trace.Recv, with(0))))
	res, err := replayMixed(src, messageMachine(t, ""), Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkMixedSums(t, "lock", res)
	if got := ends(&messageResult{Result: res.Messages}); fmt.Sprint(got) != "[25 153]" {
		t.Errorf("got %v", got)
	}
	if got, want := res.Procs[1].Times, (Times{Ideal: 10 * ns, Sync: 18 * ns, Messages: 125 * ns}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// Of two that come to a lock at one time the lower number has it first, and so has one that has just sent a message.
func TestLockAtTheEndOfASend(t *testing.T) {
	src := messageTrace(rows(an(trace.Send, after(20), with(1), of(10)), an(trace.Lock, with(1)), an(trace.Unlock, after(5), with(1))),
		rows(an(trace.Lock, after(30), with(1)), an(trace.Unlock, with(1)), an(trace.Recv, with(0))))
	res, err := replayMixed(src, messageMachine(t, ""), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range []unit.Picos{0, 5 * ns} {
		if got := res.Procs[p].Times.Sync; got != want {
			t.Errorf("processor %d waits %v for the lock, not %v", p, got, want)
		}
	}
}

// Who is forked at once can pass messages at once: 10 bytes are there at 128, and taken by 138.
func TestForkedToPassMessages(t *testing.T) {
	src := messageTrace(rows(an(trace.Fork, with(1)), an(trace.Recv, with(1))), rows(an(trace.Send, with(0), of(10))))
	res, err := replayMixed(src, messageMachine(t, ""), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := ends(&messageResult{Result: res.Messages}); fmt.Sprint(got) != "[138 10]" {
		t.Errorf("got %v", got)
	}
}

// On a network of links, messages wait for the lines of memories: 0 fetches a line from node 1 in two messages of 8 and 72 bytes; the message that 2 sends
// then from node 1 to node 0 waits for the second.
func TestMixedSharesLinks(t *testing.T) {
	m := messageMachine(t, "model = \"bus\"\nbandwidth = \"1 GB/s\"", `"cow"`, `"ccnuma"`, "[system]", "[messages]\ncontrol = \"8 B\"\ndata = \"72 B\"\n[system]")
	times := func(fetches bool) unit.Picos {
		owner, reader := &builder{}, &builder{}
		owner.ref(1, 0, 8, trace.Store)
		owner.work(999)
		if e := owner.at(trace.Send, 2); e != nil {
			e.Tag, e.Bytes = 0, 1000
		}
		if reader.work(1000); fetches {
			reader.ref(0, 0, 8, trace.Load)
		}
		reader.at(trace.Marker, trace.None)
		receiver := &builder{}
		receiver.at(trace.Recv, 0).Tag = 0
		res, err := replayMixed(source(owner, reader, receiver), m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return res.Procs[2].Total()
	}
	if free, shared := times(false), times(true); shared <= free {
		t.Errorf("a message takes until %v beside a line on the same bus, and alone until %v", shared, free)
	}
}

func TestMixedErrors(t *testing.T) {
	for _, c := range []struct {
		name  string
		trace *trace.Memory
		net   string
		want  string
	}{
		{name: "a lock and a message wait for each other", trace: messageTrace(rows(an(trace.Lock, with(3)), an(trace.Recv, with(1))), rows(an(trace.Lock, with(3)), an(trace.Send, with(0)))),
			want: "rank 0 (event 1) for a message from rank 1 with tag 0; rank 1 (event 0) for lock 3, which processor 0 holds; cycle: rank 0 for rank 1 for rank 0"},
		{name: "a flag that nobody signals", trace: messageTrace(rows(an(trace.Send, with(1)), an(trace.WaitFlag, with(2), func(e *trace.Event) { e.Tag = 1 })), rows(an(trace.Recv, with(0)), an(trace.Signal, with(3)))),
			want: "deadlock at 120ns: 1 of 2 ranks wait forever: rank 0 (event 1) for 1 signals of flag 2, which has 0"},
		{name: "a graph", trace: messageTrace(rows(an(trace.Send, with(1), needs())), rows(an(trace.Recv, with(0)))), want: "the events of processor 0 are a graph"},
		{name: "a collective beside", trace: messageTrace(rows(an(trace.AllReduce, request(1)), an(trace.Wait, request(1)))), want: "nonblocking collectives"},
		{name: "links that are shared", net: "model = \"bus\"\nbandwidth = \"1 GB/s\"\nsharing = \"max-min\"", trace: messageTrace(rows(an(trace.Send, with(1))), rows(an(trace.Recv, with(0)))), want: "max-min"},
		{name: "beyond all time", trace: messageTrace(rows(an(trace.Send, with(1)), an(trace.Compute, works(1<<62))), rows(an(trace.Recv, with(0)))), want: "more than can be simulated"},
		{name: "no such rank", trace: messageTrace(rows(an(trace.Send, with(7)))), want: "sends to rank 7, but there are only 1 ranks"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := replayMixed(c.trace, messageMachine(t, c.net), Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, %v, want %q", res, err, c.want)
			}
		})
	}
}
