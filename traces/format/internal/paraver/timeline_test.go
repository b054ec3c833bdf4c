package paraver

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

	"spoor/traces/format/internal/chrome"
	"spoor/traces/format/internal/export"
	"spoor/traces/format/internal/formattest"
	"spoor/traces/format/internal/timeline"
	"spoor/traces/internal/format"
	"spoor/traces/trace"
)

// timelineLines is a timelineSink that writes down what it gets, times in ns.
type timelineLines struct {
	t           *testing.T
	procs       []string
	ends        []int64
	sentMessage []string
}

func (l *timelineLines) Span(p trace.Proc, e *trace.Event, begin, end int64) error {
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

func (l *timelineLines) Delivered(m *timeline.Delivery) error {
	if m.Received < m.Sent {
		l.t.Errorf("received before being sent: %+v", *m)
	}
	l.sentMessage = append(l.sentMessage, fmt.Sprintf("%d>%d %dB %d-%d", m.From, m.To, m.Bytes, m.Sent/1000, m.Received/1000))
	return nil
}

func TestNominalTimeline(t *testing.T) {
	for name, c := range map[string]struct {
		src  *trace.Memory
		want string
	}{
		"receives wait": {formattest.MemoryOf(trace.WorkFlop, false,
			[]trace.Event{formattest.Made(trace.Compute, formattest.Work(100)), formattest.Made(trace.Send, formattest.With(1, 3, 500)), formattest.Made(trace.Recv, formattest.With(1, -1, 8))},
			[]trace.Event{formattest.Made(trace.Irecv, formattest.With(-1, 3, 500), formattest.Request(4)), formattest.Made(trace.Compute, formattest.Work(50)), formattest.Made(trace.Wait, formattest.Request(4)), formattest.Made(trace.Send, formattest.With(0, 1, 8))}),
			"compute 0-100 send 100-600 recv 600-2608 |irecv 0-0 compute 0-50 wait 50-1600 send 1600-1608 |0>1 500B 100-1600,1>0 8B 1600-2608"},
		"instructions, locks, barriers": {formattest.MemoryOf(trace.WorkInstr, false,
			[]trace.Event{formattest.Made(trace.Lock, formattest.With(7, -1, 0), formattest.Instr(10)), formattest.Made(trace.Unlock, formattest.With(7, -1, 0), formattest.Instr(100)), formattest.Made(trace.Barrier, formattest.With(0, -1, 0), formattest.Instr(1))},
			[]trace.Event{formattest.Made(trace.Lock, formattest.With(7, -1, 0), formattest.Instr(20)), formattest.Made(trace.Compute, formattest.Work(30)), formattest.Made(trace.Unlock, formattest.With(7, -1, 0)), formattest.Made(trace.Barrier, formattest.With(0, -1, 0))}),
			"compute 0-10 lock 10-10 compute 10-110 unlock 110-110 compute 110-111 barrier 111-1140 |compute 0-20 lock 20-110 compute 110-140 unlock 140-140 barrier 140-1140 |"},
		"flags and a group": {formattest.MemoryOf(trace.WorkPicos, false,
			[]trace.Event{formattest.Made(trace.Compute, formattest.Work(5000)), formattest.Made(trace.Signal, formattest.With(2, -1, 0)), formattest.Made(trace.Compute, formattest.Work(5000)), formattest.Made(trace.Signal, formattest.With(2, -1, 0))},
			[]trace.Event{formattest.Made(trace.WaitFlag, formattest.With(2, 2, 0)), formattest.Made(trace.AllReduce, formattest.InGroup(0), formattest.With(-1, -1, 1000))},
			[]trace.Event{formattest.Made(trace.AllReduce, formattest.InGroup(0), formattest.With(-1, -1, 1000), formattest.Request(0)), formattest.Made(trace.Compute, formattest.Work(1000)), formattest.Made(trace.Wait, formattest.Request(0))}),
			"compute 0-5 signal 5-5 compute 5-10 signal 10-10 |waitflag 0-10 allreduce 10-2010 |allreduce 0-0 compute 0-1 wait 1-2010 |"},
		"a graph": {formattest.MemoryOf(trace.WorkPicos, false,
			[]trace.Event{formattest.Made(trace.Recv, formattest.With(1, 0, 1), formattest.Needing()), formattest.Made(trace.Send, formattest.With(1, 0, 1), formattest.Needing()), formattest.Made(trace.Compute, formattest.Work(9000), formattest.Needing(1)), formattest.Made(trace.Compute, formattest.Work(1000), formattest.Needing(0, 2))},
			[]trace.Event{formattest.Made(trace.Recv, formattest.With(0, 0, 1)), formattest.Made(trace.Send, formattest.With(0, 0, 1))}),
			"send 0-1 compute 1-10 recv 10-2002 compute 2002-2003 |recv 0-1001 send 1001-1002 |0>1 1B 0-1001,1>0 1B 1001-2002"},
		"to oneself": {formattest.MemoryOf(trace.WorkPicos, false, []trace.Event{formattest.Made(trace.Irecv, formattest.With(0, 0, 1), formattest.Request(0)), formattest.Made(trace.Send, formattest.With(0, 0, 1)), formattest.Made(trace.Wait, formattest.Request(0))}),
			"irecv 0-0 send 0-1 wait 1-1001 |0>0 1B 0-1001"},
	} {
		t.Run(name, func(t *testing.T) {
			l := &timelineLines{t: t}
			notes, err := timeline.LayOut(c.src, chrome.Chrome{}, format.ExportOptions{}, l)
			if err != nil {
				t.Errorf("%v", err)
				return
			}
			if got := strings.Join(l.procs, "|") + "|" + strings.Join(l.sentMessage, ","); got != c.want {
				t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
			}
			if len(notes) != 1 || !strings.Contains(notes[0], "nominal, not a prediction") {
				t.Errorf("notes %q", notes)
			}
		})
	}
}

func TestNominalTimelineFails(t *testing.T) {
	lonely := formattest.MemoryOf(trace.WorkPicos, false, []trace.Event{formattest.Made(trace.Recv, formattest.With(1, 0, 1))}, nil)
	for name, c := range map[string]struct {
		src  *trace.Memory
		set  map[string]string
		want string
	}{
		"deadlock":    {lonely, nil, "deadlock on the nominal timeline: processor 0 at event 0 (recv)"},
		"graph":       {formattest.MemoryOf(trace.WorkPicos, false, []trace.Event{formattest.Made(trace.Compute, formattest.Needing(1)), formattest.Made(trace.Compute, formattest.Needing(0))}), nil, "processor 0 with 2 events"},
		"bad need":    {formattest.MemoryOf(trace.WorkPicos, false, []trace.Event{formattest.Made(trace.Compute, formattest.Needing(5))}), nil, "needs event 5, but it has only 1"},
		"too long":    {formattest.MemoryOf(trace.WorkPicos, false, []trace.Event{formattest.Made(trace.Compute, formattest.Work(1<<62)), formattest.Made(trace.Compute, formattest.Work(1<<62)), formattest.Made(trace.Marker)}), nil, "exceed 53 days"},
		"no unit":     {lonely, map[string]string{"latency": "5"}, "--set latency=5"},
		"no speed":    {lonely, map[string]string{"bandwidth": "0 B/s"}, "bandwidth above 0"},
		"wrong label": {lonely, map[string]string{"pcf": "maybe"}, "true or false"},
	} {
		t.Run(name, func(t *testing.T) {
			var f format.Exporter = Paraver{}
			_, err := f.Export(c.src, format.ExportOptions{Set: c.set}, new(bytes.Buffer))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

func TestRecordedTimeline(t *testing.T) {
	src := formattest.MemoryOf(trace.WorkPicos, true,
		[]trace.Event{formattest.Made(trace.Isend, formattest.With(1, 0, 8), formattest.Request(0), formattest.At(5000)), formattest.Made(trace.Compute, formattest.Work(4000), formattest.At(5000)), formattest.Made(trace.Wait, formattest.Request(0), formattest.At(20000)),
			formattest.Made(trace.Marker, formattest.At(1000)), formattest.Made(trace.Compute, formattest.Work(7000), formattest.At(30000))},
		[]trace.Event{formattest.Made(trace.Irecv, formattest.With(-1, -1, 8), formattest.Request(0), formattest.At(0)), formattest.Made(trace.Irecv, formattest.With(0, 9, 8), formattest.Request(1), formattest.At(1000)),
			formattest.Made(trace.Wait, formattest.Request(0), formattest.At(6000)), formattest.Made(trace.Wait, formattest.Request(1), formattest.At(6000)), formattest.Made(trace.Clock, formattest.At(25000))})
	l := &timelineLines{t: t}
	notes, err := timeline.LayOut(src, chrome.Chrome{}, format.ExportOptions{}, l)
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
			rows[p] = append(rows[p], formattest.Made(trace.Compute, formattest.Work(w), formattest.At(now[p])))
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
			say(from, formattest.Made(trace.Send, formattest.With(int32(to), tag, bytes)))
			say(to, formattest.Made(trace.Recv, formattest.With(int32(from), tag, bytes), formattest.InGroup(trace.None)))
		case 1:
			q, s := next[to], next[from]+1
			next[to], next[from] = max(next[to], q+1), max(next[from], s)+1
			if from == to {
				s, next[to] = q+1, q+2
			}
			say(to, formattest.Made(trace.Irecv, formattest.With(-1, tag, bytes), formattest.InGroup(1), formattest.Request(q)))
			say(from, formattest.Made(trace.Isend, formattest.With(int32(to), tag, bytes), formattest.InGroup(1), formattest.Request(s)))
			say(from, formattest.Made(trace.Test, formattest.Request(s)))
			say(to, formattest.Made(trace.Wait, formattest.Request(q)))
			say(from, formattest.Made(trace.Wait, formattest.Request(s)))
		case 2, 3:
			kind := trace.Kinds[slices.Index(trace.Kinds, trace.Bcast)+r.IntN(8)]
			root := int32(trace.None)
			if kind == trace.Bcast || kind == trace.Reduce || kind == trace.Gather || kind == trace.Scatter {
				root = int32(from)
			}
			for p := range procs {
				say(p, formattest.Event(kind, formattest.With(root, -1, bytes)))
			}
		case 4:
			say(from, formattest.Made(trace.Lock, formattest.With(tag, -1, 0)))
			say(from, formattest.Made(trace.Marker, formattest.With(9, tag, 0)))
			say(from, formattest.Made(trace.Unlock, formattest.With(tag, -1, 0)))
		case 5:
			for p := range procs {
				say(p, formattest.Made(trace.Barrier))
			}
		}
	}
	return formattest.MemoryOf(trace.WorkPicos, true, rows...)
}

func TestParaverRoundTrip(t *testing.T) {
	for seed := range uint64(50) {
		m := randomTimes(rand.New(rand.NewPCG(seed, 1)))
		if err := trace.Check(m); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if notes, err := (Paraver{}).Export(m, format.ExportOptions{}, &b); err != nil || len(notes) > 0 {
			t.Fatal(notes, err)
		}
		got, r := importPrv(t, b.String())
		for p := range m.Head.Procs {
			if !slices.EqualFunc(formattest.Events(got, trace.Proc(p)), formattest.Events(m, trace.Proc(p)), formattest.SameEvent) {
				t.Fatalf("seed %d, rank %d:\n%s\nwant\n%s\n%s", seed, p, formattest.EventText(got, trace.Proc(p)), formattest.EventText(m, trace.Proc(p)), b.String())
			}
		}
		if len(r.Notes) > 1 || len(r.Notes) == 1 && !strings.Contains(r.Notes[0], "clocks") { // times are random
			t.Errorf("notes %q", r.Notes)
		}
		checkStandard(t, b.String(), m)
	}
}

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
	if g, w := formattest.SentOf(got), formattest.SentOf(want); g != w {
		t.Errorf("messages without Spoor's events:\n%s\nwant\n%s", g, w)
	}
}

func TestParaverExportOfNothing(t *testing.T) {
	m := formattest.MemoryOf(trace.WorkInstr, false, nil, []trace.Event{formattest.Made(trace.Compute, formattest.Instr(1500)), formattest.Made(trace.Send, formattest.With(0, 1, 1))}, []trace.Event{formattest.Made(trace.Compute, formattest.Instr(1))})
	m.EventsOf[0].Rows = []trace.Event{formattest.Made(trace.Recv, formattest.With(1, 1, 1))}
	m.RefsOf = []trace.Refs{{Instr: []uint32{1}, Addr: []uint64{8}, Size: []uint16{8}, Op: []trace.Op{trace.Load}}, {Proc: 1}, {Proc: 2}}
	var b bytes.Buffer
	notes, err := Paraver{}.Export(m, format.ExportOptions{Procs: []trace.Proc{0, 2}, Set: map[string]string{"instruction": "0.5 ns"}}, &b)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.HasPrefix(got, "#Paraver (01/01/1970 at 00:00):1751_ns:0:1:3(1:0,1:0,1:0),1\nc:1:1:3:1:2:3\n1:0:1:3:1:0:0:1\n2:0:1:1:1:0:50000001:2:9100001:3") {
		t.Errorf("%s", got)
	}
	for i, want := range []string{"not chosen are omitted", "nominal, not a prediction (instruction 0.5 ns, flop 1 ns", "paraver has no references: 1 omitted", "rounded down"} {
		t.Run(want, func(t *testing.T) {
			if !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, want) }) {
				t.Errorf("note %d: no %q in %q", i, want, notes)
			}
		})
	}
}

// The labels that are exported name the calls that are exported.
func TestParaverPCF(t *testing.T) {
	var b bytes.Buffer
	if _, err := (Paraver{}).Export(formattest.MemoryOf(trace.WorkPicos, true), format.ExportOptions{Set: map[string]string{"pcf": "true"}}, &b); err != nil {
		t.Fatal(err)
	}
	c := prvCalls{kinds: map[prvCallID]prvCallKind{}}
	if err := c.read(formattest.Open(t, b.String())); err != nil {
		t.Fatal(err)
	}
	for k, call := range prvNames {
		if c.labels[call.id] != call.name || c.kind(call.id).class == prvNothing || timeline.IsCollective(k) && c.kind(call.id).kind != k {
			t.Errorf("%s: label %q of %v, %+v", k, c.labels[call.id], call, c.kind(call.id))
		}
		if prvValues[call.id.value] != strings.ToLower(call.name[4:]) {
			t.Errorf("%s without labels is %q", call.name, prvValues[call.id.value])
		}
	}
}

func TestSortedLines(t *testing.T) {
	for _, limit := range []int{100, 1 << 20} {
		s := export.SortedLines{Limit: limit}
		r := rand.New(rand.NewPCG(1, 2))
		type line struct {
			time, kind int64
			text       string
		}
		var want []line
		for i := range 500 {
			l := line{int64(r.IntN(50)) - 5, int64(r.IntN(3)), fmt.Sprintln(i)}
			want = append(want, l)
			if err := s.Add(l.time, l.kind, []byte(l.text)); err != nil {
				t.Fatal(err)
			}
		}
		slices.SortStableFunc(want, func(a, b line) int {
			return export.CompareLines(export.LineKey{Time: a.time, Kind: a.kind}, export.LineKey{Time: b.time, Kind: b.kind})
		})
		var all string
		for _, l := range want {
			all += l.text
		}
		var b bytes.Buffer
		w := bufio.NewWriter(&b)
		if err := s.WriteTo(w); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		if b.String() != all {
			t.Errorf("limit %d: not in order", limit)
		}
		if err := s.Close(); err != nil {
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
			if _, err := (chrome.Chrome{}).Export(m, format.ExportOptions{}, &b); err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(b.Bytes(), []byte("</script>")) {
				t.Error("the name can end a script")
			}
			phases, names := checkChrome(t, b.Bytes())
			if names[0] != "</script>\"\\\n\ufffd" || len(names) != 9 || phases["s"] != strings.Count(formattest.SentOf(m)+"\n", "\n") {
				t.Errorf("names %q, %v", names, phases)
			}
		}
	}
}

func BenchmarkImportParaver(b *testing.B) {
	formattest.BenchmarkImport(b, Paraver{}, formattest.PrvRing(1<<20))
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
	known := &format.Simulated{
		End: func(p trace.Proc, row int64) int64 { return ends[p][row] },
		StateIntervals: func(p trace.Proc) iter.Seq[format.StateInterval] {
			all := ends[p]
			return slices.Values([]format.StateInterval{{State: format.StateOverhead, Begin: 0, End: all[len(all)-1]}})
		},
		Messages: []format.Message{{From: 2, To: 0, Tag: 4, Bytes: 10, Sent: 1_000_000, SentEnd: 2_000_000, Posted: 2_000_000, Taken: 2_000_000, Received: 3_000_000},
			{From: 1, To: 0, Tag: 4, Bytes: 9, Sent: 0, SentEnd: 1_000_000, Posted: 5_000_000, Taken: 5_000_000, Received: 7_000_000}},
	}
	var prv, viewed strings.Builder
	for _, x := range []struct {
		format.Exporter
		out  *strings.Builder
		want []string
	}{
		{Paraver{}, &prv, []string{"3:0:1:3:1:1000:2000:0:1:1:1:2000:3000:10:4", "3:0:1:2:1:0:1000:0:1:1:1:5000:7000:9:4",
			"2:0:1:1:1:3000:50000001:0", "1:0:1:1:1:0:7000:7", "1:0:1:2:1:1000:7000:0", "1:0:1:3:1:2000:7000:0"}},
		{chrome.Chrome{}, &viewed, []string{`"name":"recv","ph":"X","pid":0,"tid":0,"cat":"message","ts":2.000000,"dur":1.000000`,
			`"ph":"f","pid":0,"tid":0,"bp":"e","cat":"message","id":1,"ts":2.999000`, `"ph":"f","pid":0,"tid":0,"bp":"e","cat":"message","id":2,"ts":6.999000`}},
	} {
		notes, err := x.Export(src, format.ExportOptions{Simulated: known}, x.out)
		if err != nil || slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "arrow") }) {
			t.Errorf("%s: %v, %v", x.Info().Name, notes, err)
		}
		for _, want := range x.want {
			if !strings.Contains(x.out.String(), want) {
				t.Errorf("%s: no %s in\n%s", x.Info().Name, want, x.out)
			}
		}
	}
}
