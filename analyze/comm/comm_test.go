package comm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spoor/analyze/analysis"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// attempt is the analysis of a trace.
func attempt(m *trace.Memory, procs []trace.Proc, how Algorithm, costs Costs) (analysis.Result, error) {
	results, err := analysis.Run(context.Background(), m, analysis.Options{Procs: procs},
		&Analysis{Events: m, Collectives: how, Costs: costs, Bandwidth: 20e6})
	if err != nil {
		return analysis.Result{}, err
	}
	return results[0], nil
}

func run(t testing.TB, m *trace.Memory, how Algorithm, costs Costs) analysis.Result {
	t.Helper()
	r, err := attempt(m, nil, how, costs)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range r.Tables {
		for _, c := range table.Columns {
			if values, is := c.Data.([]float64); is && slices.ContainsFunc(values, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
				t.Fatalf("%s %s: %v", table.Name, c.Name, values)
			}
		}
	}
	return r
}

// named is the table of that name.
func named(t testing.TB, r analysis.Result, name string) *store.Table {
	t.Helper()
	i := slices.IndexFunc(r.Tables, func(t *store.Table) bool { return t.Name == name })
	if i < 0 {
		t.Fatalf("no table %s", name)
	}
	return r.Tables[i]
}

// text is the rows of a table.
func text(t *store.Table) (rows []string) {
	for i := range t.Rows() {
		var cells []string
		for _, c := range t.Columns {
			cells = append(cells, fmt.Sprint(reflect.ValueOf(c.Data).Index(i)))
		}
		rows = append(rows, strings.Join(cells, " "))
	}
	return rows
}

func data[T uint64 | float64](t testing.TB, table *store.Table, name string) []T {
	t.Helper()
	d, err := store.Data[T](table, name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// same holds the analysis of a world to what the world knows.
func same(t *testing.T, w *world) {
	t.Helper()
	r := run(t, w.m, w.how, w.Costs)
	if p := named(t, r, "comm_path"); p.Rows() > 0 {
		got := path{data[uint64](t, p, "length")[0], data[uint64](t, p, "work")[0], data[uint64](t, p, "messages")[0], data[uint64](t, p, "bytes")[0]}
		want := w.longest
		if got.work = want.work; got != want { // of equal paths, the work may differ only as costs do
			t.Fatalf("%s: path %+v, want %+v", w.how, got, want)
		}
		if n := data[uint64](t, p, "released")[0]; n > 0 {
			t.Fatalf("%d events waited for ever", n)
		}
	} else if w.longest != (path{}) {
		t.Fatal("no path")
	}
	from, _ := store.Data[int32](r.Full, "from")
	to, _ := store.Data[int32](r.Full, "to")
	kind, _ := store.Data[string](r.Full, "kind")
	for i, n := range data[uint64](t, r.Full, "messages") {
		k := trace.Kind(1 + slices.IndexFunc(trace.Kinds, func(k trace.Kind) bool { return k.String() == kind[i] }))
		p := pair{trace.Proc(from[i]), trace.Proc(to[i]), k}
		if w.sent[p] != n {
			t.Fatalf("%+v: %d messages, want %d", p, n, w.sent[p])
		}
		delete(w.sent, p)
	}
	if len(w.sent) > 0 {
		t.Fatalf("not counted: %v", w.sent)
	}
}

func FuzzReplayIsNaive(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, uint8(1+seed%9), uint16(10*seed), uint8(seed), uint8(seed%3), uint8(seed/3%3))
	}
	f.Fuzz(func(t *testing.T, seed uint64, procs uint8, steps uint16, how, message, byte uint8) {
		same(t, newWorld(seed, 1+int(procs%12), int(steps%600), Algorithms[int(how)%len(Algorithms)],
			Costs{uint64(message) * 10, float64(byte) / 4}))
	})
}

// Events that say that they need the previous row are a graph, and mean the same.
func TestGraphsOfProgramOrder(t *testing.T) {
	for seed := range uint64(60) {
		w := newWorld(seed, 4, 200, Algorithms[seed%5], Costs{7, 0.5})
		for p := range w.m.EventsOf {
			for i := range w.m.EventsOf[p].Rows {
				if e := &w.m.EventsOf[p].Rows[i]; (uint64(i)+seed)%3 > 0 {
					if e.Needs = []int64{}; i > 0 {
						e.Needs = []int64{int64(i - 1)}
					}
				}
			}
		}
		same(t, w)
	}
}

// Rows of a graph that may come in any order.
func TestGraph(t *testing.T) {
	work := func(n int64, needs ...int64) trace.Event {
		e := trace.NewEvent(trace.Compute)
		e.Work, e.Needs = n, append([]int64{}, needs...)
		return e
	}
	message := func(k trace.Kind, peer int32, needs ...int64) trace.Event {
		e := trace.NewEvent(k)
		e.Peer, e.Tag, e.Bytes, e.Needs = peer, 0, 8, append([]int64{}, needs...)
		return e
	}
	m := memory(2)
	m.EventsOf[0].Rows = []trace.Event{work(5, 3), message(trace.Recv, 1), work(10, 1, 0), work(20), message(trace.Send, 1, 0)}
	m.EventsOf[1].Rows = []trace.Event{message(trace.Recv, 0), work(1, 0), message(trace.Send, 0)}
	p := named(t, run(t, m, Apart, Costs{Message: 100}), "comm_path")
	// 0: rows 3, 0 end at 25, row 1 at 100, row 2 at 110; 1: row 0 at 125, row 1 at 126.
	if got := text(p); !slices.Equal(got, []string{"100 0 126 26 1 8 1 36 0.2857142857142857 0"}) {
		t.Error(got)
	}
	m.EventsOf[1].Rows[1].Needs = []int64{7}
	if _, err := attempt(m, nil, Apart, Costs{}); err == nil || !strings.Contains(err.Error(), "event 1 needs event 7, but there are 3") {
		t.Error(err)
	}
	m.EventsOf[1].Rows[1].Needs = []int64{2}
	m.EventsOf[1].Rows[2].Needs = []int64{1} // a circle: never begun, and no reason to hang
	run(t, m, Apart, Costs{})
}

// message is a send or receive with no tag but 0.
func message(k trace.Kind, peer int32, instr uint32) trace.Event {
	e := trace.NewEvent(k)
	e.Peer, e.Tag, e.Bytes, e.Instr = peer, 0, 8, instr
	return e
}

// What any receive gets is what was sent first on the nominal clock, whatever the
// numbers of the processors.
func TestWildcards(t *testing.T) {
	for _, slow := range []int{1, 2} {
		m := memory(3)
		m.EventsOf[slow].Rows = []trace.Event{message(trace.Send, 0, 100)}
		m.EventsOf[3-slow].Rows = []trace.Event{message(trace.Send, 0, 10)}
		m.EventsOf[0].Rows = []trace.Event{message(trace.Recv, trace.None, 1), message(trace.Send, int32(3-slow), 50), message(trace.Recv, trace.None, 1)}
		m.EventsOf[3-slow].Rows = append(m.EventsOf[3-slow].Rows, message(trace.Recv, 0, 0))
		got := text(named(t, run(t, m, Apart, Costs{}), "comm_path"))
		// The first receive ends at 10, its answer leaves at 60, the second ends at 100.
		if !slices.Equal(got, []string{fmt.Sprintf("0 0 100 100 0 0 %d 162 1.62 0", slow)}) {
			t.Error(got)
		}
	}
}

// onFlag is a signal of flag 5, or a wait for so many.
func onFlag(k trace.Kind, count int32, instr uint32) trace.Event {
	e := trace.NewEvent(k)
	e.Peer, e.Tag, e.Instr = 5, count, instr
	return e
}

func TestFlags(t *testing.T) {
	m := memory(3)
	m.EventsOf[0].Rows = []trace.Event{onFlag(trace.Signal, -1, 10), onFlag(trace.Signal, -1, 30)}
	m.EventsOf[1].Rows = []trace.Event{onFlag(trace.Signal, -1, 20)}
	m.EventsOf[2].Rows = []trace.Event{onFlag(trace.WaitFlag, 0, 1), onFlag(trace.WaitFlag, 2, 1), onFlag(trace.WaitFlag, 1, 1), onFlag(trace.WaitFlag, 3, 1), onFlag(trace.WaitFlag, 3, 4)}
	if got := text(named(t, run(t, m, Apart, Costs{}), "comm_path"))[0]; got != "0 0 44 44 0 0 2 68 1.5454545454545454 0" {
		t.Error(got)
	}
	m.EventsOf[2].Rows = append(m.EventsOf[2].Rows, onFlag(trace.WaitFlag, 4, 1))
	if got := text(named(t, run(t, m, Apart, Costs{}), "comm_path"))[0]; !strings.HasSuffix(got, " 1") {
		t.Error(got)
	}
}

// Of equally long paths the one with fewer messages counts, and of these the one with fewer bytes.
func TestLaterPath(t *testing.T) {
	var all []path
	for i := range uint64(27) {
		all = append(all, path{length: i / 9, messages: i / 3 % 3, bytes: i % 3})
	}
	for _, a := range all {
		for _, b := range all {
			want := slices.MinFunc([]path{a, b}, func(a, b path) int {
				return cmp.Or(cmp.Compare(b.length, a.length), cmp.Compare(a.messages, b.messages), cmp.Compare(a.bytes, b.bytes))
			})
			if got := later(a, b); got != want {
				t.Errorf("of %+v and %+v the later is %+v", a, b, got)
			}
		}
	}
}

// Both ways to the last event take 20, and what is known last is that with a message.
func TestWaysOfEqualLength(t *testing.T) {
	of := func(e trace.Event, needs ...int64) trace.Event {
		e.Needs = append([]int64{}, needs...)
		return e
	}
	compute := trace.NewEvent(trace.Compute)
	compute.Work = 20
	for name, rows := range map[string][3][]trace.Event{
		"signals": {{message(trace.Send, 1, 20), onFlag(trace.Signal, 0, 0)}, {message(trace.Recv, 0, 0), onFlag(trace.Signal, 0, 0)}, {onFlag(trace.WaitFlag, 2, 0), onFlag(trace.Signal, 0, 1)}},
		"needs":   {{of(compute), of(message(trace.Recv, 1, 0)), of(message(trace.Send, 2, 1), 0, 1)}, {message(trace.Send, 0, 20)}, {message(trace.Recv, 0, 0)}},
	} {
		m := memory(3)
		for p := range rows {
			m.EventsOf[p].Rows = rows[p]
		}
		p := named(t, run(t, m, Apart, Costs{}), "comm_path")
		length, messages := data[uint64](t, p, "length")[0], data[uint64](t, p, "messages")[0]
		if length != 21 || messages != 0 {
			t.Errorf("%s: a path of %d with %d messages", name, length, messages)
		}
	}
}

// handsOn are the ways of collectives in which nobody waits for members from whom nothing comes to him.
func handsOn(kind trace.Kind, how Algorithm) bool {
	return how == Apart || how == Linear || kind == trace.Bcast && how != Ring || kind == trace.Scan && how == Ring
}

// needing says of whom something comes to a member of a collective, by way of others too.
func needing(c call, how Algorithm, member int) map[int]bool {
	needs := map[int]bool{}
	if how == Apart {
		for j := range c.bytes {
			needs[j] = c.needs(member, j)
		}
		return needs
	}
	type sent struct{ round, from, to int }
	var all []sent
	c.send = func(round, from, to int, _ int64) { all = append(all, sent{round, from, to}) }
	c.messages(how)
	before := map[int]int{member: math.MaxInt} // by member: what it hears before this round comes to the one
	for _, s := range slices.Backward(all) {
		if s.round < before[s.to] {
			before[s.from], needs[s.from] = max(before[s.from], s.round), true
		}
	}
	return needs
}

// Who needs nothing of a member of a collective does not wait for it: that one waits for a message of his before it comes.
func TestNobodyWaitsForWhomHeDoesNotNeed(t *testing.T) {
	const n, root = 5, 2
	for _, how := range Algorithms {
		for _, kind := range collectiveKinds {
			for pair := range n * n {
				first, last := pair/n, pair%n
				c := call{kind: kind, root: root, bytes: make([]int64, n)}
				if !handsOn(kind, how) || first == last || needing(c, how, first)[last] {
					continue
				}
				m := memory(n)
				for p := range int32(n) {
					e := message(kind, trace.None, 1)
					if rooted(kind) {
						e.Peer = root
					}
					m.EventsOf[p].Rows = []trace.Event{e}
				}
				m.EventsOf[first].Rows = append(m.EventsOf[first].Rows, message(trace.Send, int32(last), 1))
				m.EventsOf[last].Rows = slices.Insert(m.EventsOf[last].Rows, 0, message(trace.Recv, int32(first), 1))
				if got := data[uint64](t, named(t, run(t, m, how, Costs{3, 1}), "comm_path"), "released")[0]; got > 0 {
					t.Errorf("%s %s: %d wait for ever where %d waits for %d", how, kind, got, last, first)
				}
			}
		}
	}
}

// 1 has the root's data at 5 and sends to 3 at 6; 2 comes late, and sends to 3 at 50. What 3 receives from anybody first is of 1: it works from 6 to 66.
func TestReceivesFromAnyAreInOrderOfTheClock(t *testing.T) {
	for _, how := range []Algorithm{Apart, Linear, Binomial, Doubling} {
		m := memory(4)
		bcast := func(instr uint32) trace.Event {
			e := message(trace.Bcast, 0, instr)
			e.Group = 4
			return e
		}
		m.EventsOf[0].Rows = []trace.Event{bcast(5)}
		m.EventsOf[1].Rows = []trace.Event{bcast(1), message(trace.Send, 3, 1)}
		m.EventsOf[2].Rows = []trace.Event{message(trace.Send, 3, 50), bcast(50)}
		m.EventsOf[3].Rows = []trace.Event{message(trace.Recv, trace.None, 0), message(trace.Recv, trace.None, 60)}
		p := named(t, run(t, m, how, Costs{}), "comm_path")
		if length := data[uint64](t, p, "length")[0]; length != 100 { // of 2; 3 has its second message at 66
			t.Errorf("%s: a path of %d, want 100", how, length)
		}
	}
}

// A receive that was let go, because its message never came while anybody could go on, ends at once; when the message comes, it
// ends nothing else.
func TestLateMessages(t *testing.T) {
	m := memory(3)
	m.EventsOf[0].Rows = []trace.Event{message(trace.Recv, 1, 1), message(trace.Send, 1, 1), message(trace.Recv, 2, 1), message(trace.Send, 1, 5)}
	m.EventsOf[1].Rows = []trace.Event{message(trace.Recv, 0, 0), message(trace.Send, 0, 1), message(trace.Send, 2, 1)}
	m.EventsOf[2].Rows = []trace.Event{message(trace.Recv, 1, 0), message(trace.Send, 0, 100)}
	// 0 is let go at 1 and sends at 2; 1 sends at 3 and 4; 2 sends at 104, and 0 ends 5 later.
	if got := text(named(t, run(t, m, Apart, Costs{}), "comm_path"))[0]; got != fmt.Sprintf("0 0 109 109 3 24 0 110 %v 1", 110./109) {
		t.Error(got)
	}
}

// A collective leaves everybody with what it means: who needs something of whom gets
// messages that can have carried it, and nobody sends to himself.
func TestAlgorithmsDoWhatTheyAreFor(t *testing.T) {
	for _, how := range Algorithms[1:] {
		for _, kind := range collectiveKinds {
			for n := 1; n <= 33; n++ {
				for root := range n {
					if root > 0 && !rooted(kind) {
						break
					}
					checkPlan(t, how, kind, n, root)
				}
			}
		}
	}
}

func checkPlan(t *testing.T, how Algorithm, kind trace.Kind, n, root int) {
	t.Helper()
	now := make([]uint64, n) // whose data each member has
	for i := range now {
		now[i] = 1 << i
	}
	next, round, receivers := slices.Clone(now), 0, make([]bool, n)
	c := call{kind: kind, root: root, bytes: make([]int64, n)}
	c.send = func(at, from, to int, bytes int64) {
		if from == to || from < 0 || to >= n || at < round || bytes < 0 {
			t.Fatalf("%s %s of %d: %d to %d in round %d after %d", how, kind, n, from, to, at, round)
		}
		if at > round {
			copy(now, next)
			round = at
		}
		next[to] |= now[from]
		receivers[to] = true
	}
	c.messages(how)
	for i := range n {
		for j := range n {
			if c.needs(i, j) && next[i]>>j&1 == 0 {
				t.Fatalf("%s %s of %d from %d: %d has nothing of %d", how, kind, n, root, i, j)
			}
		}
		if n > 1 && receives(kind, how, root, i, n) != receivers[i] {
			t.Fatalf("%s %s of %d from %d: that %d receives is %v", how, kind, n, root, i, receivers[i])
		}
	}
}

// The messages and bytes of all members are those that package spmd says of its
// algorithms of these names: its table, summed over members.
func TestAlgorithmsCountAsThoseOfSpmd(t *testing.T) {
	const block = 120
	for p := int64(1); p <= 33; p++ {
		lg := int64(bits.Len64(uint64(p - 1)))
		floor := int64(bits.Len64(uint64(p)) - 1)
		extra := p - 1<<floor
		ones, scans := int64(0), int64(0)
		for i := range p {
			ones += int64(bits.OnesCount64(uint64(i)))
			scans += int64(bits.Len64(uint64(p - i - 1)))
		}
		for _, c := range []struct {
			how             Algorithm
			kind            trace.Kind
			bytes           int64 // of each member
			messages, total int64
		}{
			{Doubling, trace.Barrier, 0, p * lg, 0},
			{Binomial, trace.Bcast, block, p - 1, (p - 1) * block},
			{Binomial, trace.Reduce, block, p - 1, (p - 1) * block},
			{Doubling, trace.AllReduce, block, (p-extra)*floor + 2*extra, ((p-extra)*floor + 2*extra) * block},
			{Ring, trace.AllReduce, block, 2 * p * (p - 1), 2 * (p - 1) * block},
			{Doubling, trace.Scan, block, scans, scans * block},
			{Linear, trace.Gather, block, p - 1, (p - 1) * block},
			{Doubling, trace.AllGather, block, p * lg, p * (p - 1) * block},
			{Ring, trace.AllGather, block, p * (p - 1), p * (p - 1) * block},
			{Linear, trace.Scatter, block, p - 1, (p - 1) * block},
			{Doubling, trace.AllToAll, block * p, p * lg, p * ones * block},
			{Ring, trace.AllToAll, block * p, p * (p - 1), p * (p - 1) * block},
			{Linear, trace.AllToAll, block * p, p * (p - 1), p * (p - 1) * block},
		} {
			messages, total := int64(0), int64(0)
			one := call{kind: c.kind, bytes: slices.Repeat([]int64{c.bytes}, int(p))}
			one.send = func(_, _, _ int, n int64) { messages++; total += n }
			one.messages(c.how)
			if messages != c.messages || total != c.total {
				t.Errorf("%s %s of %d: %d messages, %d bytes; want %d, %d", c.how, c.kind, p, messages, total, c.messages, c.total)
			}
		}
	}
}

// What is as long for one as for all is as long as its sender has it, and pieces are of the longest.
func TestUnequalLengths(t *testing.T) {
	for how, want := range map[Algorithm][]string{
		Doubling: {"0 0 1 1", "1 1 2 10", "1 2 1 100", "2 1 0 10"},
		Ring: {"0 0 1 34", "0 1 2 33", "0 2 0 33", "1 0 1 33", "1 1 2 34", "1 2 0 33", // 100 = 33 + 33 + 34, each to two others, twice
			"2 0 1 33", "2 1 2 33", "2 2 0 34", "3 0 1 34", "3 1 2 33", "3 2 0 33"},
	} {
		var got []string
		Messages(how, trace.AllReduce, 0, []int64{1, 10, 100}, func(round, from, to int, n int64) { got = append(got, fmt.Sprint(round, from, to, n)) })
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", how, got, want)
		}
	}
}

// A tree of five around member 3: blocks [0 1] [2 3] [4]. Member 3 leads what it is in.
func TestTree(t *testing.T) {
	var got []string
	c := call{kind: trace.Gather, root: 3, bytes: []int64{1, 10, 100, 1000, 10000}}
	c.send = func(round, from, to int, n int64) { got = append(got, fmt.Sprint(round, from, to, n)) }
	c.messages(Binomial)
	if want := []string{"0 1 0 10", "0 2 3 100", "1 0 3 11", "2 4 3 10000"}; !slices.Equal(got, want) {
		t.Error(got)
	}
}

// traffic16 is 16 or 32 processors that send 32 bytes each by a pattern.
func pattern(procs int, to func(from, i int) (int, bool)) *trace.Memory {
	m := memory(procs)
	for from := range procs {
		for i := range procs {
			if other, is := to(from, i); is {
				e := message(trace.Send, int32(other), 1)
				e.Bytes = 32
				m.EventsOf[from].Rows = append(m.EventsOf[from].Rows, e)
			}
		}
	}
	return m
}

// [sivasubramaniam1995, sec. 5]: g = 3.2/P, 1.6, 0.8 p_c us, of messages of 32 bytes and links
// of 20 MB/s; and what the busiest link says instead [FACTS 5.4].
func TestGaps(t *testing.T) {
	everyone := func(from, i int) (int, bool) { return i, i != from }
	partner := func(from, i int) (int, bool) { return from ^ 1, i == 0 }
	for _, c := range []struct {
		procs     int
		network   string
		bisection float64 // us
		uniform   float64 // us, all to all: each processor sends P-1
		pairs     float64 // us
	}{
		{16, "full", 3.2 / 16, 1.6 / 15, 1.6},
		{32, "full", 3.2 / 32, 1.6 / 31, 1.6},
		{16, "hypercube", 1.6, 1.6 * 8 / 15, 1.6}, // each link of a cube is on P/2 ways
		{32, "hypercube", 1.6, 1.6 * 16 / 31, 1.6},
		{16, "mesh 4x4", 0.8 * 4, 1.6 * 16 / 15, 1.6},        // the middle link of a row: 2 columns to 2, in 4 rows
		{32, "mesh 4x8", 0.8 * 8, 1.6 * 64 / 31, 1.6},        // 4 columns to 4 columns, in 4 rows
		{16, "torus 4x4", 1.6 * 16 / 16, 1.6 * 12 / 15, 1.6}, // at most 1 + 2 of each row's distances pass a link, in 4 rows
		{16, "bus", 1.6 * 16, 1.6 * 16, 1.6 * 16},
		{16, "fattree 4-ary", 1.6, 1.6 * 15 / 15, 1.6},
	} {
		t.Run(fmt.Sprint(c.uniform), func(t *testing.T) {
			for name, pick := range map[string]func(from, i int) (int, bool){"uniform": everyone, "pairs": partner} {
				want := c.pairs
				if name == "uniform" {
					want = c.uniform
				}
				nets := named(t, run(t, pattern(c.procs, pick), Apart, Costs{}), "comm_networks")
				names, _ := store.Data[string](nets, "network")
				i := slices.Index(names, c.network)
				if i < 0 {
					t.Fatalf("no %s in %v", c.network, names)
				}
				if got := 1e6 * data[float64](t, nets, "bisection_time")[i]; math.Abs(got-c.bisection) > 1e-12 { // rounding
					t.Errorf("%s of %d: bisection gap %v us, want %v", c.network, c.procs, got, c.bisection)
				}
				if got := 1e6 * data[float64](t, nets, "traffic_time")[i]; math.Abs(got-want) > 1e-12 {
					t.Errorf("%s of %d, %s: traffic gap %v us, want %v", c.network, c.procs, name, got, want)
				}
				if a, b := data[float64](t, nets, "traffic_gap")[i], data[float64](t, nets, "traffic_time")[i]; math.Abs(1.6e-6*a-b) > 1e-15 {
					t.Errorf("%s of %d: %v messages are %v s", c.network, c.procs, a, b)
				}
			}
		})
	}
}

func TestLocality(t *testing.T) {
	m := memory(16)
	for i, to := range []int32{1, 4, 5, 15, 0} { // in the mesh 1, 1, 2 and 6 links, and to itself
		m.EventsOf[0].Rows = append(m.EventsOf[0].Rows, message(trace.Send, to, uint32(i)))
	}
	nets := named(t, run(t, m, Apart, Costs{}), "comm_networks")
	names, _ := store.Data[string](nets, "network")
	i := slices.Index(names, "mesh 4x4")
	if hops, near := data[float64](t, nets, "hops")[i], data[float64](t, nets, "neighbours")[i]; hops != 2.5 || near != 0.5 {
		t.Errorf("%v hops, %v to neighbours", hops, near)
	}
}

func TestTables(t *testing.T) {
	m := memory(3)
	big := message(trace.Isend, 2, 10)
	big.Bytes = 1000
	bcast := trace.NewEvent(trace.Bcast)
	bcast.Peer, bcast.Bytes = 1, 64
	empty := message(trace.Isend, 1, 1)
	empty.Bytes = 0
	m.EventsOf[0].Rows = []trace.Event{message(trace.Send, 1, 5), big, big, empty, bcast}
	m.EventsOf[1].Rows = []trace.Event{message(trace.Recv, 0, 1), message(trace.Recv, 0, 1), bcast}
	m.EventsOf[2].Rows = []trace.Event{message(trace.Recv, 0, 1), message(trace.Recv, 0, 1), bcast}
	r := run(t, m, Linear, Costs{})
	for name, want := range map[string][]string{
		"comm":             {"0 1 send 1 8 8 8", "0 1 isend 1 0 0 0", "0 2 isend 2 2000 1000 1000", "1 0 bcast 1 64 64 64", "1 2 bcast 1 64 64 64"},
		"comm_sizes":       {"send 8 15 1 8", "isend 0 0 1 0", "isend 512 1023 2 2000", "bcast 64 127 2 128"},
		"comm_procs":       {"0 26 4 2008 64 2 0 1", "1 2 2 128 8 2 2 1", "2 2 0 0 2064 0 2 1"},
		"comm_collectives": {"-1 bcast 1 3 1 192"},
		"comm_path":        {"0 0 26 26 0 0 0 30 1.1538461538461537 0"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := text(named(t, r, name)); !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
	// Some processors alone have the same rows.
	some, err := attempt(m, []trace.Proc{0}, Linear, Costs{})
	if err != nil || len(some.Warnings) != 1 || !slices.Equal(text(some.Full), []string{"0 1 send 1 8 8 8", "0 1 isend 1 0 0 0", "0 2 isend 2 2000 1000 1000"}) {
		t.Errorf("%v %v %v", text(some.Full), some.Warnings, err)
	}
	if n := named(t, some, "comm_path").Rows() + named(t, some, "comm_networks").Rows(); n != 0 {
		t.Errorf("%d rows that need all processors", n)
	}
}

// Traces with little in them, or wrong.
func TestEdges(t *testing.T) {
	warned := func(r analysis.Result, want string) {
		t.Helper()
		if !slices.ContainsFunc(r.Warnings, func(err error) bool { return strings.Contains(err.Error(), want) }) {
			t.Errorf("%v, want %q", r.Warnings, want)
		}
	}
	refs := memory(2)
	refs.RefsOf[0].Append(1, 64, 8, trace.Load)
	r := run(t, refs, Binomial, Costs{})
	warned(r, "no messages")
	for _, table := range r.Tables {
		if table.Rows() > 0 && table.Name != "comm_procs" {
			t.Errorf("%s: %v", table.Name, text(table))
		}
	}

	shared := memory(2)
	barrier := trace.NewEvent(trace.Barrier)
	barrier.Peer, barrier.Instr = 3, 10
	slow := barrier
	slow.Instr = 30
	shared.EventsOf[0].Rows = []trace.Event{barrier, slow}
	shared.EventsOf[1].Rows = []trace.Event{slow, barrier}
	r = run(t, shared, Binomial, Costs{1000, 0})
	warned(r, "no messages")
	if got := text(named(t, r, "comm_path")); !slices.Equal(got, []string{"1000 0 60 60 0 0 0 80 1.3333333333333333 0"}) {
		t.Error(got)
	}

	lonely := memory(1)
	lonely.EventsOf[0].Rows = []trace.Event{message(trace.Send, 0, 1), message(trace.Recv, 0, 1), message(trace.AllReduce, -1, 2)}
	r = run(t, lonely, Apart, Costs{5, 0})
	warned(r, "not counted as messages (1)")
	if n := named(t, r, "comm_networks").Rows(); n != 0 {
		t.Errorf("%d networks of one processor", n)
	}

	broken := memory(2)
	broken.EventsOf[0].Rows = []trace.Event{message(trace.Recv, 1, 1), message(trace.Recv, 1, 1), message(trace.AllReduce, -1, 2)}
	broken.EventsOf[1].Rows = []trace.Event{message(trace.Recv, 0, 1), message(trace.Send, 0, 100), message(trace.Send, 1, 100)}
	r = run(t, broken, Apart, Costs{})
	warned(r, "do not wait (4)") // processor 0 is let go first, then 1
	warned(r, "never received (1)")

	wrong := memory(2)
	wrong.EventsOf[1].Rows = []trace.Event{message(trace.Send, 2, 1)}
	if _, err := attempt(wrong, nil, Apart, Costs{}); err == nil || !strings.Contains(err.Error(), "processor 1: send after 0 references to processor 2: the trace has 2") {
		t.Error(err)
	}
	huge := memory(2)
	for range 4 {
		e := trace.NewEvent(trace.Compute)
		e.Work = math.MaxInt64 / 3
		huge.EventsOf[0].Rows = append(huge.EventsOf[0].Rows, e)
	}
	if _, err := attempt(huge, nil, Apart, Costs{}); err == nil {
		t.Error("a path longer than 2^63")
	}
	most := trace.NewEvent(trace.Compute)
	most.Work = math.MaxInt64 - 1
	all := memory(3)
	for p := range all.EventsOf {
		all.EventsOf[p].Rows = []trace.Event{most}
	}
	if _, err := attempt(all, nil, Apart, Costs{}); err == nil || !strings.Contains(err.Error(), "the work of all processors exceeds 2^64") {
		t.Error(err)
	}
	huge.EventsOf[0].Rows = nil
	for range 3 {
		e := message(trace.Send, 1, 1)
		e.Bytes = math.MaxInt64
		huge.EventsOf[0].Rows = append(huge.EventsOf[0].Rows, e)
	}
	if _, err := attempt(huge, nil, Apart, Costs{}); err == nil || !strings.Contains(err.Error(), "2^63 bytes") {
		t.Error(err)
	}
}

// Work in ps counts alone; where there is none, instructions do.
func TestUnits(t *testing.T) {
	m := memory(1)
	m.Head.WorkUnit = trace.WorkPicos
	e := trace.NewEvent(trace.Compute)
	e.Work, e.Instr = 700, 3
	m.EventsOf[0].Rows = []trace.Event{e}
	if got := text(named(t, run(t, m, Apart, Costs{}), "comm_path"))[0]; !strings.HasPrefix(got, "0 0 700 700 ") {
		t.Error(got)
	}
	m.EventsOf[0].Rows[0].Work = 0
	path := named(t, run(t, m, Apart, Costs{}), "comm_path")
	if got := text(path)[0]; !strings.HasPrefix(got, "0 0 3 3 ") || path.Columns[2].Unit != "instr" {
		t.Error(got)
	}
}

// noisy has references too; they change nothing.
func TestReferencesAreNotRead(t *testing.T) {
	w := newWorld(3, 4, 300, Ring, Costs{3, 1})
	want := run(t, w.m, w.how, w.Costs)
	for p := range w.m.RefsOf {
		for i := range 100 {
			w.m.RefsOf[p].Append(1, uint64(i), 8, trace.Load)
		}
		rows := w.m.EventsOf[p].Rows
		for i := range rows {
			rows[i].Refs = uint64(min(i, 100))
		}
	}
	got := run(t, w.m, w.how, w.Costs)
	for i := range want.Tables {
		if !slices.Equal(text(got.Tables[i]), text(want.Tables[i])) {
			t.Errorf("%s differs", want.Tables[i].Name)
		}
	}
}

// ringTrace is procs processors that pass messages around.
func ringTrace(procs, rounds int) *trace.Memory {
	r := rand.New(rand.NewPCG(1, 1))
	m := memory(procs)
	for p := range procs {
		for range rounds {
			m.EventsOf[p].Rows = append(m.EventsOf[p].Rows, message(trace.Send, int32((p+1)%procs), r.Uint32N(100)),
				message(trace.Recv, int32((p+procs-1)%procs), r.Uint32N(100)))
		}
	}
	return m
}

func BenchmarkComm(b *testing.B) {
	m := ringTrace(64, 2000)
	for b.Loop() {
		run(b, m, Apart, Costs{10, 1})
	}
	b.ReportMetric(float64(b.N)*64*4000/1e6/b.Elapsed().Seconds(), "Mevents/s")
}

// BenchmarkMatcher is what holding messages and receives to each other takes alone.
func BenchmarkMatcher(b *testing.B) {
	m := ringTrace(64, 2000)
	for b.Loop() {
		match := trace.NewMatcher()
		for p := range m.EventsOf {
			for i := range m.EventsOf[p].Rows {
				if err := match.Event(trace.Proc(p), &m.EventsOf[p].Rows[i], trace.Pos{At: int64(i)}); err != nil {
					b.Fatal(err)
				}
			}
		}
		match.Finish(64)
	}
	b.ReportMetric(float64(b.N)*64*4000/1e6/b.Elapsed().Seconds(), "Mevents/s")
}
