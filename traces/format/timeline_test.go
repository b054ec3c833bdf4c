package format

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spoor/traces/trace"
)

// made is an event of some properties.
func made(k trace.Kind, set ...func(*trace.Event)) trace.Event {
	e := trace.NewEvent(k)
	for _, f := range set {
		f(&e)
	}
	return e
}

func with(peer, tag int32, bytes int64) func(*trace.Event) {
	return func(e *trace.Event) { e.Peer, e.Tag, e.Bytes = peer, tag, bytes }
}
func work(w int64) func(*trace.Event)   { return func(e *trace.Event) { e.Work = w } }
func instr(n uint32) func(*trace.Event) { return func(e *trace.Event) { e.Instr = n } }
func at(t int64) func(*trace.Event)     { return func(e *trace.Event) { e.Time = t } }

// memoryOf is a trace of these events of each processor.
func memoryOf(work trace.WorkUnit, timed bool, procs ...[]trace.Event) *trace.Memory {
	m := &trace.Memory{Head: trace.Header{Program: "test", Procs: len(procs), WorkUnit: work, HasTime: timed}}
	for p, rows := range procs {
		m.EventsOf = append(m.EventsOf, trace.Events{Proc: trace.Proc(p), Rows: rows})
	}
	return m
}

// timelineLines is a timelineSink that writes down what it gets, times in ns.
type timelineLines struct {
	t           *testing.T
	procs       []string
	ends        []int64
	sentMessage []string
}

func (l *timelineLines) span(p trace.Proc, e *trace.Event, begin, end int64) error {
	for len(l.procs) <= int(p) {
		l.procs, l.ends = append(l.procs, ""), append(l.ends, 0)
	}
	if begin < l.ends[p] || end < begin {
		l.t.Errorf("processor %d: %s from %d to %d after %d", p, e.Kind, begin, end, l.ends[p])
	}
	l.ends[p] = begin
	l.procs[p] += fmt.Sprintf("%s %d-%d ", e.Kind, begin/1000, end/1000)
	return nil
}

func (l *timelineLines) delivered(m *delivery) error {
	if m.received < m.sent {
		l.t.Errorf("received before being sent: %+v", *m)
	}
	l.sentMessage = append(l.sentMessage, fmt.Sprintf("%d>%d %dB %d-%d", m.from, m.to, m.bytes, m.sent/1000, m.received/1000))
	return nil
}

func TestNominalTimeline(t *testing.T) {
	for name, c := range map[string]struct {
		src  *trace.Memory
		want string
	}{
		"receives wait": {memoryOf(trace.WorkFlop, false,
			[]trace.Event{made(trace.Compute, work(100)), made(trace.Send, with(1, 3, 500)), made(trace.Recv, with(1, -1, 8))},
			[]trace.Event{made(trace.Irecv, with(-1, 3, 500), request(4)), made(trace.Compute, work(50)), made(trace.Wait, request(4)), made(trace.Send, with(0, 1, 8))}),
			"compute 0-100 send 100-600 recv 600-2608 |irecv 0-0 compute 0-50 wait 50-1600 send 1600-1608 |0>1 500B 100-1600,1>0 8B 1600-2608"},
		"instructions, locks, barriers": {memoryOf(trace.WorkInstr, false,
			[]trace.Event{made(trace.Lock, with(7, -1, 0), instr(10)), made(trace.Unlock, with(7, -1, 0), instr(100)), made(trace.Barrier, with(0, -1, 0), instr(1))},
			[]trace.Event{made(trace.Lock, with(7, -1, 0), instr(20)), made(trace.Compute, work(30)), made(trace.Unlock, with(7, -1, 0)), made(trace.Barrier, with(0, -1, 0))}),
			"compute 0-10 lock 10-10 compute 10-110 unlock 110-110 compute 110-111 barrier 111-1140 |compute 0-20 lock 20-110 compute 110-140 unlock 140-140 barrier 140-1140 |"},
		"flags and a group": {memoryOf(trace.WorkPicos, false,
			[]trace.Event{made(trace.Compute, work(5000)), made(trace.Signal, with(2, -1, 0)), made(trace.Compute, work(5000)), made(trace.Signal, with(2, -1, 0))},
			[]trace.Event{made(trace.WaitFlag, with(2, 2, 0)), made(trace.AllReduce, inGroup(0), with(-1, -1, 1000))},
			[]trace.Event{made(trace.AllReduce, inGroup(0), with(-1, -1, 1000), request(0)), made(trace.Compute, work(1000)), made(trace.Wait, request(0))}),
			"compute 0-5 signal 5-5 compute 5-10 signal 10-10 |waitflag 0-10 allreduce 10-2010 |allreduce 0-0 compute 0-1 wait 1-2010 |"},
		"a graph": {memoryOf(trace.WorkPicos, false,
			[]trace.Event{made(trace.Recv, with(1, 0, 1), needing()), made(trace.Send, with(1, 0, 1), needing()), made(trace.Compute, work(9000), needing(1)), made(trace.Compute, work(1000), needing(0, 2))},
			[]trace.Event{made(trace.Recv, with(0, 0, 1)), made(trace.Send, with(0, 0, 1))}),
			"send 0-1 compute 1-10 recv 10-2002 compute 2002-2003 |recv 0-1001 send 1001-1002 |0>1 1B 0-1001,1>0 1B 1001-2002"},
		"to oneself": {memoryOf(trace.WorkPicos, false, []trace.Event{made(trace.Irecv, with(0, 0, 1), request(0)), made(trace.Send, with(0, 0, 1)), made(trace.Wait, request(0))}),
			"irecv 0-0 send 0-1 wait 1-1001 |0>0 1B 0-1001"},
	} {
		l := &timelineLines{t: t}
		notes, err := timeline(c.src, Chrome{}, ExportOptions{}, l)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strings.Join(l.procs, "|") + "|" + strings.Join(l.sentMessage, ","); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
		if len(notes) != 1 || !strings.Contains(notes[0], "nominal, not a prediction") {
			t.Errorf("%s: notes %q", name, notes)
		}
	}
}

func TestNominalTimelineFails(t *testing.T) {
	lonely := memoryOf(trace.WorkPicos, false, []trace.Event{made(trace.Recv, with(1, 0, 1))}, nil)
	for name, c := range map[string]struct {
		src  *trace.Memory
		set  map[string]string
		want string
	}{
		"deadlock":    {lonely, nil, "deadlock on the nominal timeline: processor 0 at event 0 (recv)"},
		"graph":       {memoryOf(trace.WorkPicos, false, []trace.Event{made(trace.Compute, needing(1)), made(trace.Compute, needing(0))}), nil, "processor 0 with 2 events"},
		"bad need":    {memoryOf(trace.WorkPicos, false, []trace.Event{made(trace.Compute, needing(5))}), nil, "needs event 5, but it has only 1"},
		"too long":    {memoryOf(trace.WorkPicos, false, []trace.Event{made(trace.Compute, work(1<<62)), made(trace.Compute, work(1<<62)), made(trace.Marker)}), nil, "exceed 53 days"},
		"no unit":     {lonely, map[string]string{"latency": "5"}, "--set latency=5"},
		"no speed":    {lonely, map[string]string{"bandwidth": "0 B/s"}, "bandwidth above 0"},
		"wrong label": {lonely, map[string]string{"pcf": "maybe"}, "true or false"},
	} {
		var f Exporter = Paraver{}
		_, err := f.Export(c.src, ExportOptions{Set: c.set}, new(bytes.Buffer))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestRecordedTimeline(t *testing.T) {
	src := memoryOf(trace.WorkPicos, true,
		[]trace.Event{made(trace.Isend, with(1, 0, 8), request(0), at(5000)), made(trace.Compute, work(4000), at(5000)), made(trace.Wait, request(0), at(20000)),
			made(trace.Marker, at(1000)), made(trace.Compute, work(7000), at(30000))},
		[]trace.Event{made(trace.Irecv, with(-1, -1, 8), request(0), at(0)), made(trace.Irecv, with(0, 9, 8), request(1), at(1000)),
			made(trace.Wait, request(0), at(6000)), made(trace.Wait, request(1), at(6000)), made(trace.Clock, at(25000))})
	l := &timelineLines{t: t}
	notes, err := timeline(src, Chrome{}, ExportOptions{}, l)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(l.procs, "|") + "|" + strings.Join(l.sentMessage, ",")
	if want := "isend 5-5 compute 5-9 wait 20-30 marker 20-30 compute 30-37 |irecv 0-1 irecv 1-6 wait 6-25 wait 6-25 clock 25-25 |0>1 8B 5-25"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if fmt.Sprint(notes) != "[1 event recorded before its predecessor, shown at the same time 1 receive without a message, shown without an arrow]" {
		t.Errorf("notes %q", notes)
	}
}

// randomTimes is a trace with times that Paraver can carry: whole nanoseconds, and no
// bursts side by side.
func randomTimes(r *rand.Rand) *trace.Memory {
	const procs = 4
	rows := make([][]trace.Event, procs)
	now := make([]int64, procs)
	next := make([]int32, procs)
	say := func(p int, e trace.Event) {
		if r.IntN(3) == 0 {
			w := int64(1+r.IntN(50)) * 1000
			rows[p] = append(rows[p], made(trace.Compute, work(w), at(now[p])))
			now[p] += w
		}
		e.Time = now[p]
		rows[p] = append(rows[p], e)
		now[p] += int64(r.IntN(5)) * 1000
	}
	for range 40 {
		from, to, tag, bytes := r.IntN(procs), r.IntN(procs), int32(r.IntN(3)), int64(r.IntN(1000))
		switch r.IntN(6) {
		case 0:
			say(from, made(trace.Send, with(int32(to), tag, bytes)))
			say(to, made(trace.Recv, with(int32(from), tag, bytes), inGroup(trace.None)))
		case 1:
			q, s := next[to], next[from]+1
			next[to], next[from] = max(next[to], q+1), max(next[from], s)+1
			if from == to {
				s, next[to] = q+1, q+2
			}
			say(to, made(trace.Irecv, with(-1, tag, bytes), inGroup(1), request(q)))
			say(from, made(trace.Isend, with(int32(to), tag, bytes), inGroup(1), request(s)))
			say(from, made(trace.Test, request(s)))
			say(to, made(trace.Wait, request(q)))
			say(from, made(trace.Wait, request(s)))
		case 2, 3:
			kind := trace.Kinds[slices.Index(trace.Kinds, trace.Bcast)+r.IntN(8)]
			root := int32(trace.None)
			if kind == trace.Bcast || kind == trace.Reduce || kind == trace.Gather || kind == trace.Scatter {
				root = int32(from)
			}
			for p := range procs {
				say(p, event(kind, with(root, -1, bytes)))
			}
		case 4:
			say(from, made(trace.Lock, with(tag, -1, 0)))
			say(from, made(trace.Marker, with(9, tag, 0)))
			say(from, made(trace.Unlock, with(tag, -1, 0)))
		case 5:
			for p := range procs {
				say(p, made(trace.Barrier))
			}
		}
	}
	return memoryOf(trace.WorkPicos, true, rows...)
}

func TestParaverRoundTrip(t *testing.T) {
	for seed := range uint64(50) {
		m := randomTimes(rand.New(rand.NewPCG(seed, 1)))
		if err := trace.Check(m); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if notes, err := (Paraver{}).Export(m, ExportOptions{}, &b); err != nil || len(notes) > 0 {
			t.Fatal(notes, err)
		}
		got, r := importPrv(t, b.String())
		for p := range m.Head.Procs {
			if !slices.EqualFunc(events(got, trace.Proc(p)), events(m, trace.Proc(p)), sameEvent) {
				t.Fatalf("seed %d, rank %d:\n%s\nwant\n%s\n%s", seed, p, eventText(got, trace.Proc(p)), eventText(m, trace.Proc(p)), b.String())
			}
		}
		if len(r.Notes) > 1 || len(r.Notes) == 1 && !strings.Contains(r.Notes[0], "clocks") { // times are random
			t.Errorf("notes %q", r.Notes)
		}
		checkStandard(t, b.String(), m)
	}
}

func sameEvent(a, b trace.Event) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// checkStandard reads an export without Spoor's own events: the messages must be the
// same.
func checkStandard(t *testing.T, text string, want *trace.Memory) {
	t.Helper()
	var plain strings.Builder
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSpace(line), ":")
		if fields[0] == "2" {
			kept := fields[:6:6]
			for i := 6; i < len(fields); i += 2 {
				if !strings.HasPrefix(fields[i], "91000") {
					kept = append(kept, fields[i:i+2]...)
				}
			}
			if len(kept) == 6 {
				continue
			}
			fields = kept
		}
		plain.WriteString(strings.Join(fields, ":") + "\n")
	}
	got, _ := importPrv(t, plain.String())
	if g, w := sentOf(got), sentOf(want); g != w {
		t.Errorf("messages without Spoor's events:\n%s\nwant\n%s", g, w)
	}
}

func TestParaverExportOfNothing(t *testing.T) {
	m := memoryOf(trace.WorkInstr, false, nil, []trace.Event{made(trace.Compute, instr(1500)), made(trace.Send, with(0, 1, 1))}, []trace.Event{made(trace.Compute, instr(1))})
	m.EventsOf[0].Rows = []trace.Event{made(trace.Recv, with(1, 1, 1))}
	m.RefsOf = []trace.Refs{{Instr: []uint32{1}, Addr: []uint64{8}, Size: []uint16{8}, Op: []trace.Op{trace.Load}}, {Proc: 1}, {Proc: 2}}
	var b bytes.Buffer
	notes, err := Paraver{}.Export(m, ExportOptions{Procs: []trace.Proc{0, 2}, Set: map[string]string{"instruction": "0.5 ns"}}, &b)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.HasPrefix(got, "#Paraver (01/01/1970 at 00:00):1751_ns:0:1:3(1:0,1:0,1:0),1\nc:1:1:3:1:2:3\n1:0:1:3:1:0:0:1\n2:0:1:1:1:0:50000001:2:9100001:3") {
		t.Errorf("%s", got)
	}
	for i, want := range []string{"not chosen are omitted", "nominal, not a prediction (instruction 0.5 ns, flop 1 ns", "paraver has no references: 1 omitted", "rounded down"} {
		if !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, want) }) {
			t.Errorf("note %d: no %q in %q", i, want, notes)
		}
	}
}

// The labels that are exported name the calls that are exported.
func TestParaverPCF(t *testing.T) {
	var b bytes.Buffer
	if _, err := (Paraver{}).Export(memoryOf(trace.WorkPicos, true), ExportOptions{Set: map[string]string{"pcf": "true"}}, &b); err != nil {
		t.Fatal(err)
	}
	c := prvCalls{kinds: map[prvCallID]prvCallKind{}}
	if err := c.read(open(t, b.String())); err != nil {
		t.Fatal(err)
	}
	for k, call := range prvNames {
		if c.labels[call.id] != call.name || c.kind(call.id).class == prvNothing || isCollective(k) && c.kind(call.id).kind != k {
			t.Errorf("%s: label %q of %v, %+v", k, c.labels[call.id], call, c.kind(call.id))
		}
		if prvValues[call.id.value] != strings.ToLower(call.name[4:]) {
			t.Errorf("%s without labels is %q", call.name, prvValues[call.id.value])
		}
	}
}

func TestSortedLines(t *testing.T) {
	for _, limit := range []int{100, 1 << 20} {
		s := sortedLines{limit: limit}
		r := rand.New(rand.NewPCG(1, 2))
		type line struct {
			time, kind int64
			text       string
		}
		var want []line
		for i := range 500 {
			l := line{int64(r.IntN(50)) - 5, int64(r.IntN(3)), fmt.Sprintln(i)}
			want = append(want, l)
			if err := s.add(l.time, l.kind, []byte(l.text)); err != nil {
				t.Fatal(err)
			}
		}
		slices.SortStableFunc(want, func(a, b line) int {
			return compareLines(lineKey{time: a.time, kind: a.kind}, lineKey{time: b.time, kind: b.kind})
		})
		var all string
		for _, l := range want {
			all += l.text
		}
		var b bytes.Buffer
		w := bufio.NewWriter(&b)
		if err := s.writeTo(w); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		if b.String() != all {
			t.Errorf("limit %d: not in order", limit)
		}
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}
}

// chromeEvent is an event as the Trace Event Format has it.
type chromeEvent struct {
	Name, Ph, Cat, Bp, S *string
	Pid, Tid, Id         *int64
	Ts, Dur              *float64
	Args                 map[string]any
}

// checkChrome holds JSON to the Trace Event Format.
func checkChrome(t *testing.T, text []byte) (phases map[string]int, names []string) {
	t.Helper()
	var file struct {
		DisplayTimeUnit string
		TraceEvents     []chromeEvent
		OtherData       map[string][]string
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil || decoder.More() || file.DisplayTimeUnit != "ns" {
		t.Fatalf("%v: %.2000s", err, text)
	}
	phases = map[string]int{}
	type slice struct{ begin, end float64 }
	slices, starts := map[int64][]slice{}, map[int64]float64{}
	for _, e := range file.TraceEvents {
		phases[*e.Ph]++
		switch *e.Ph {
		case "M":
			names = append(names, fmt.Sprint(e.Args["name"]))
		case "X":
			if *e.Dur < 0 || *e.Ts < 0 {
				t.Errorf("%s at %g for %g", *e.Name, *e.Ts, *e.Dur)
			}
			slices[*e.Tid] = append(slices[*e.Tid], slice{*e.Ts, *e.Ts + *e.Dur})
		case "i":
			if *e.S != "t" {
				t.Error("an instant of no thread")
			}
		case "s":
			starts[*e.Id] = *e.Ts
		case "f":
			if begin, ok := starts[*e.Id]; !ok || *e.Ts < begin || *e.Bp != "e" {
				t.Errorf("an arrow from %g to %g", begin, *e.Ts)
			}
			delete(starts, *e.Id)
		default:
			t.Errorf("phase %s", *e.Ph)
		}
	}
	if len(starts) > 0 {
		t.Errorf("arrows without an end: %v", starts)
	}
	for tid, all := range slices { // nested, or one after the other
		for i := 1; i < len(all); i++ {
			if a, b := all[i-1], all[i]; b.begin < a.begin || b.begin > a.begin+1e-7 && b.begin < a.end-1e-7 {
				t.Errorf("thread %d: %v overlaps %v", tid, a, b)
			}
		}
	}
	return phases, names
}

func TestChrome(t *testing.T) {
	for seed := range uint64(20) {
		m := randomTimes(rand.New(rand.NewPCG(seed, 1)))
		for _, timed := range []bool{true, false} {
			m.Head.HasTime = timed
			m.Head.Program = "</script>\"\\\n\xff"
			var b bytes.Buffer
			if _, err := (Chrome{}).Export(m, ExportOptions{}, &b); err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(b.Bytes(), []byte("</script>")) {
				t.Error("the name can end a script")
			}
			phases, names := checkChrome(t, b.Bytes())
			if names[0] != "</script>\"\\\n\ufffd" || len(names) != 9 || phases["s"] != strings.Count(sentOf(m)+"\n", "\n") {
				t.Errorf("names %q, %v", names, phases)
			}
		}
	}
}

func BenchmarkImportParaver(b *testing.B) {
	benchmarkImport(b, Paraver{}, prvRing(1<<20))
}

// prvRing is a ring of four tasks as Extrae would write it.
func prvRing(lines int) []byte {
	b := bytes.NewBufferString("#Paraver (21/11/2026 at 06:43):999999999999_ns:0:1:4(1:0,1:0,1:0,1:0),1\nc:1:1:4:1:2:3:4\n")
	for t, n := 0, 0; n < lines; t += 100 {
		for _, step := range []struct {
			at, value int
			message   bool
		}{{10, 4, false}, {12, 0, false}, {20, 3, false}, {20, 0, true}, {22, 0, false}, {30, 6, false}, {60, 0, false}} {
			for task := 1; task <= 4; task++ {
				n++
				if to := task%4 + 1; step.message {
					fmt.Fprintf(b, "3:%d:1:%d:1:%d:%d:%d:1:%d:1:%d:%d:800:7\n", task, task, t+20, t+21, to, to, t+10, t+50)
				} else {
					fmt.Fprintf(b, "2:%d:1:%d:1:%d:50000001:%d\n", task, task, t+step.at, step.value)
				}
			}
		}
	}
	return b.Bytes()
}

// What is known of a simulation is written as it is: two messages that a receive from any source gets in another order than they were sent, and an
// event that ends before the next one begins. A processor that ended is idle until the last one has.
func TestSimulated(t *testing.T) {
	receives := trace.NewEvent(trace.Recv)
	receives.Bytes, receives.Time = 10, 2_000_000
	again := receives
	again.Time = 5_000_000
	first, second := trace.NewEvent(trace.Send), trace.NewEvent(trace.Send)
	first.Peer, second.Peer, second.Time = 0, 0, 1_000_000
	src := &trace.Memory{Head: trace.Header{Program: "any", Procs: 3, HasTime: true, WorkUnit: trace.WorkPicos},
		EventsOf: []trace.Events{{Rows: []trace.Event{receives, again}}, {Proc: 1, Rows: []trace.Event{first}}, {Proc: 2, Rows: []trace.Event{second}}}}
	ends := [][]int64{{3_000_000, 7_000_000}, {1_000_000}, {2_000_000}}
	known := &Simulated{
		End: func(p trace.Proc, row int64) int64 { return ends[p][row] },
		StateIntervals: func(p trace.Proc) iter.Seq[StateInterval] {
			all := ends[p]
			return slices.Values([]StateInterval{{StateOverhead, 0, all[len(all)-1]}})
		},
		Messages: []Message{{From: 2, To: 0, Tag: 4, Bytes: 10, Sent: 1_000_000, SentEnd: 2_000_000, Posted: 2_000_000, Taken: 2_000_000, Received: 3_000_000},
			{From: 1, To: 0, Tag: 4, Bytes: 9, Sent: 0, SentEnd: 1_000_000, Posted: 5_000_000, Taken: 5_000_000, Received: 7_000_000}},
	}
	var prv, chrome strings.Builder
	for _, x := range []struct {
		Exporter
		out  *strings.Builder
		want []string
	}{
		{Paraver{}, &prv, []string{"3:0:1:3:1:1000:2000:0:1:1:1:2000:3000:10:4", "3:0:1:2:1:0:1000:0:1:1:1:5000:7000:9:4",
			"2:0:1:1:1:3000:50000001:0", "1:0:1:1:1:0:7000:7", "1:0:1:2:1:1000:7000:0", "1:0:1:3:1:2000:7000:0"}},
		{Chrome{}, &chrome, []string{`"name":"recv","ph":"X","pid":0,"tid":0,"cat":"message","ts":2.000000,"dur":1.000000`,
			`"ph":"f","pid":0,"tid":0,"bp":"e","cat":"message","id":1,"ts":2.999000`, `"ph":"f","pid":0,"tid":0,"bp":"e","cat":"message","id":2,"ts":6.999000`}},
	} {
		notes, err := x.Export(src, ExportOptions{Simulated: known}, x.out)
		if err != nil || slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "arrow") }) {
			t.Errorf("%s: %v, %v", x.Name(), notes, err)
		}
		for _, want := range x.want {
			if !strings.Contains(x.out.String(), want) {
				t.Errorf("%s: no %s in\n%s", x.Name(), want, x.out)
			}
		}
	}
}
