package goal

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spoor/traces/format/internal/formattest"
	"spoor/traces/internal/format"
	"spoor/traces/trace"
)

func exportGoal(t testing.TB, m *trace.Memory, set ...string) (string, []string) {
	t.Helper()
	o := format.ExportOptions{Set: map[string]string{}}
	for _, s := range set {
		name, value, _ := strings.Cut(s, "=")
		o.Set[name] = value
	}
	var b bytes.Buffer
	notes, err := Goal{}.Export(m, o, &b)
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), notes
}

func after(instr uint32) func(*trace.Event) { return func(e *trace.Event) { e.Instr = instr } }
func succeeded(e *trace.Event)              { e.Count = 1 }

// Program order becomes a chain; what is between isend or irecv and its wait may
// overtake it.
func TestGoalExportOfProgram(t *testing.T) {
	m := formattest.Tell(trace.WorkInstr,
		[]trace.Event{
			formattest.Message(trace.Irecv, 1, trace.None, 64, formattest.Request(4), after(10)),
			formattest.Message(trace.Isend, 1, 3, 8, formattest.Request(5)),
			formattest.None(trace.Compute, formattest.Working(1), after(99)),
			formattest.None(trace.Wait, formattest.Request(4), after(1)),
			formattest.None(trace.Test, formattest.Request(5)),
			formattest.None(trace.Test, formattest.Request(5), succeeded),
			formattest.None(trace.Compute, after(2)),
			formattest.Message(trace.Send, 1, 9, 1),
			formattest.None(trace.Compute, after(4)),
		},
		[]trace.Event{
			formattest.Message(trace.Isend, 0, 7, 64, formattest.Request(0)),
			formattest.None(trace.Wait, formattest.Request(0)),
			formattest.Message(trace.Recv, trace.None, 3, 8),
			formattest.None(trace.Probe),
			formattest.Message(trace.Recv, 0, 9, 1),
		},
		nil)
	const want = `num_ranks 3

rank 0 {
l1: calc 10
l2: recv 64b from 1 tag -1
l2 requires l1
l3: send 8b to 1 tag 3
l3 irequires l2
l4: calc 101
l4 irequires l3
l5: calc 2
l5 requires l4
l5 requires l2
l5 requires l3
l6: send 1b to 1 tag 9
l6 requires l5
l7: calc 4
l7 requires l6
}

rank 1 {
l1: send 64b to 0 tag 7
l2: recv 8b from -1 tag 3
l2 requires l1
l3: recv 1b from 0 tag 9
l3 requires l2
}

rank 2 {
}
`
	got, notes := exportGoal(t, m)
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	for _, note := range []string{"117 instructions became calc, at 1ns each; --set instruction", "goal has no probes: 1"} {
		if !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, note) }) {
			t.Errorf("notes %q, want %q", notes, note)
		}
	}
	again, _ := importGoal(t, got, format.Options{})
	runGoal(t, "program", again)
	got, _ = exportGoal(t, m, "instruction=250ps")
	if !strings.Contains(got, "l4: calc 25\n") || strings.Contains(got, "l1: calc 10\n") {
		t.Errorf("instructions of 250 ps: %s", got)
	}
}

// What is cut of a computation is added to the next, so that the sum is right.
func TestGoalExportRounds(t *testing.T) {
	var rows []trace.Event
	for i := range 1000 {
		rows = append(rows, formattest.None(trace.Compute, formattest.Working(1300)), formattest.Message(trace.Send, 0, int32(i), 1), formattest.Message(trace.Recv, 0, int32(i), 1))
	}
	text, notes := exportGoal(t, formattest.Tell(trace.WorkPicos, rows))
	m, _ := importGoal(t, text, format.Options{})
	var sum int64
	for _, e := range formattest.Events(m, 0) {
		sum += e.Work
	}
	if sum != 1300000 || !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "whole units of 1ns") }) {
		t.Errorf("%d ps, notes %q", sum, notes)
	}
	text, notes = exportGoal(t, formattest.Tell(trace.WorkPicos, rows), "unit=100ps")
	if !strings.Contains(text, "calc 13\n") || len(notes) > 0 {
		t.Errorf("units of 100 ps: %.80q, notes %q", text, notes)
	}
}

func TestGoalExportRefuses(t *testing.T) {
	ok := formattest.Tell(trace.WorkPicos, []trace.Event{formattest.None(trace.Compute, formattest.Working(1))}, nil)
	for _, c := range []struct {
		m      *trace.Memory
		o      format.ExportOptions
		reason string
	}{
		{ok, format.ExportOptions{Procs: []trace.Proc{0}}, "without --proc"},
		{ok, format.ExportOptions{Set: map[string]string{"unit": "0.3ps"}}, "--set unit"},
		{ok, format.ExportOptions{Set: map[string]string{"instruction": "-1ns"}}, "--set instruction"},
		{ok, format.ExportOptions{Set: map[string]string{"binary": "maybe"}}, "--set binary"},
		{ok, format.ExportOptions{Set: map[string]string{"flop": "1"}}, "--set flop"},
		{formattest.Tell(trace.WorkFlop, []trace.Event{formattest.None(trace.Compute, formattest.Working(1))}), format.ExportOptions{}, "--set flop=0.5ns"},
		{formattest.Tell(trace.WorkPicos), format.ExportOptions{}, "0 processors"},
		{formattest.Tell(trace.WorkPicos, []trace.Event{formattest.Message(trace.Lock, 0, trace.None, 0)}), format.ExportOptions{}, "event 0 (lock)"},
		{formattest.Tell(trace.WorkPicos, []trace.Event{formattest.Message(trace.Send, 1, 0, 0)}), format.ExportOptions{}, "peer 1, but the trace has 1"},
		{formattest.Tell(trace.WorkPicos, []trace.Event{formattest.None(trace.Barrier)}, nil), format.ExportOptions{}, "processor 0 has 1 collectives and barriers, but processor 1 has 0"},
		{formattest.Tell(trace.WorkPicos, []trace.Event{formattest.None(trace.Compute, formattest.Working(1<<62)), formattest.None(trace.Compute, formattest.Working(1<<62))}), format.ExportOptions{}, "over 106 days"},
		{formattest.Tell(trace.WorkPicos, []trace.Event{formattest.None(trace.Compute, formattest.Needing(5))}), format.ExportOptions{}, "needs event 5"},
		{formattest.Tell(trace.WorkPicos, []trace.Event{formattest.Message(trace.Recv, 0, 1<<31-1, 0), formattest.Message(trace.Recv, 0, 0, 0, formattest.InGroup(1))}), format.ExportOptions{}, "together exceed 31 bits"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			if _, err := (Goal{}).Export(c.m, c.o, io.Discard); err == nil || !strings.Contains(err.Error(), c.reason) {
				t.Errorf("%v, want %q", err, c.reason)
			}
		})
	}
}

// Messages of two communicators do not match, though their tags are the same.
func TestGoalExportOfGroups(t *testing.T) {
	m := formattest.Tell(trace.WorkPicos,
		[]trace.Event{formattest.Message(trace.Send, 1, 5, 100, formattest.InGroup(2)), formattest.Message(trace.Send, 1, 5, 200), formattest.None(trace.Barrier)},
		[]trace.Event{formattest.Message(trace.Recv, 0, 5, 200), formattest.Message(trace.Recv, 0, 5, 100, formattest.InGroup(2)), formattest.None(trace.Barrier)})
	text, notes := exportGoal(t, m)
	for _, want := range []string{"send 100b to 1 tag 11\n", "recv 100b from 0 tag 11\n", "send 200b to 1 tag 5\n", "send 1b to 1 tag 12\n"} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(text, want) {
				t.Errorf("%s\nhas no %q", text, want)
			}
		})
	}
	if want := "(messages of group -1 from 0, messages of group 2 from 6, collectives of group -1 from 12)"; !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, want) }) {
		t.Errorf("notes %q, want %q", notes, want)
	}
	again, _ := importGoal(t, text, format.Options{})
	runGoal(t, "groups", again)
}

// runGoal carries a schedule out: rows whose needs are done, messages in order. All
// rows must be done in the end.
func runGoal(t *testing.T, what string, m *trace.Memory) {
	t.Helper()
	type key struct{ from, to, tag int32 }
	sent := map[key]int{}
	done := make([][]bool, m.Head.Procs)
	left := 0
	for p := range done {
		done[p] = make([]bool, len(formattest.Events(m, trace.Proc(p))))
		left += len(done[p])
	}
	take := func(p int32, e *trace.Event) bool {
		for k := range sent {
			if k.to == p && sent[k] > 0 && (e.Peer == trace.None || e.Peer == k.from) && (e.Tag == trace.None || e.Tag == k.tag) {
				sent[k]--
				return true
			}
		}
		return false
	}
	for moved := true; moved; {
		moved = false
		for p := range done {
			for i, e := range formattest.Events(m, trace.Proc(p)) {
				ready := !done[p][i] && !slices.ContainsFunc(e.Needs, func(n int64) bool { return !done[p][n] })
				if !ready || e.Kind == trace.Recv && !take(int32(p), &e) {
					continue
				}
				if e.Kind == trace.Send {
					sent[key{int32(p), e.Peer, e.Tag}]++
				}
				done[p][i], moved = true, true
				left--
			}
		}
	}
	if left > 0 {
		t.Errorf("%s: %d operations are never done", what, left)
	}
}

// Collectives become messages that all have partners and that nobody waits for in
// vain, for any number of members and any root.
func TestGoalExportOfCollectives(t *testing.T) {
	kinds := []trace.Kind{trace.Barrier, trace.Bcast, trace.Reduce, trace.AllReduce, trace.Scan, trace.Gather,
		trace.AllGather, trace.Scatter, trace.AllToAll}
	for procs := 1; procs <= 9; procs++ {
		for root := range procs {
			ranks := make([][]trace.Event, procs)
			for p := range ranks {
				for i, kind := range kinds {
					peer := int32(root)
					if kind == trace.Barrier {
						peer = trace.None
					}
					ranks[p] = append(ranks[p], formattest.Message(kind, peer, trace.None, 1000, formattest.Working(int64(i)*1000)))
					if p >= root { // a group of some
						ranks[p] = append(ranks[p], formattest.Message(kind, trace.None, trace.None, 7, formattest.InGroup(3), formattest.Request(int32(i))),
							formattest.None(trace.Wait, formattest.Request(int32(i))))
					}
				}
			}
			text, _ := exportGoal(t, formattest.Tell(trace.WorkPicos, ranks...))
			m, r := importGoal(t, text, format.Options{})
			runGoal(t, fmt.Sprintf("%d ranks, root %d", procs, root), m)
			if procs > 1 && root == 0 && r.Counts[2].N == 0 {
				t.Errorf("%d ranks: no messages", procs)
			}
		}
	}
}

func TestGoalRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	for range 300 {
		want := formattest.RandomGraph(rng)
		for _, binary := range []string{"binary=false", "binary=true"} {
			file, notes := exportGoal(t, want, binary)
			if len(notes) > 0 {
				t.Fatalf("notes %q", notes)
			}
			got, _ := importGoal(t, file, format.Options{Unmatched: true}) // the order of rows says little, so sizes may differ
			for p := range want.Head.Procs {
				g, w := slices.Clone(formattest.Events(got, trace.Proc(p))), formattest.Events(want, trace.Proc(p))
				for i := range g { // the order of needs means nothing
					slices.Sort(g[i].Needs)
					slices.Sort(w[i].Needs)
				}
				if !(len(g) == 0 && len(w) == 0) && !reflect.DeepEqual(g, w) {
					t.Fatalf("%s, rank %d:\n%v\nwant\n%v\n%s", binary, p, goalRows(got, trace.Proc(p)), goalRows(want, trace.Proc(p)), file)
				}
			}
		}
	}
}

// What schedgen and txt2bin wrote is written the same.
func TestGoalSamplesAreWrittenTheSame(t *testing.T) {
	dir := formattest.Shared(t, "goal")
	for _, name := range []string{"allreduce_recdoub_4", "binomialtreebcast_4", "binomialtreereduce_8", "handmade_all_syntax"} {
		t.Run(name, func(t *testing.T) {
			for i, suffix := range []string{".goal", ".bin"} {
				want, err := os.ReadFile(filepath.Join(dir, name+suffix))
				if err != nil {
					t.Fatal(err)
				}
				m, _ := importGoal(t, string(want), format.Options{Unmatched: true, Set: serialStreams})
				got, _ := exportGoal(t, m, fmt.Sprintf("binary=%v", i == 1))
				again, _ := importGoal(t, got, format.Options{Unmatched: true})
				for p := range trace.Proc(m.Head.Procs) {
					if !slices.Equal(goalRows(again, p), goalRows(m, p)) {
						t.Errorf("%s%s: rank %d: %q, want %q", name, suffix, p, goalRows(again, p), goalRows(m, p))
					}
				}
				if name == "handmade_all_syntax" { // comments, other labels, cpu 1
					continue
				}
				if got != string(want) {
					t.Errorf("%s%s is written as\n%s\nwant\n%s", name, suffix, got, want)
				}
			}
		})
	}
}

func BenchmarkExportGoal(b *testing.B) {
	const ranks, steps = 16, 20000
	m, _, err := formattest.ImportText(Goal{}, string(ringSchedule(ranks, steps)), format.Options{})
	if err != nil {
		b.Fatal(err)
	}
	m.Head.WorkUnit = trace.WorkPicos
	for b.Loop() {
		if _, err := (Goal{}).Export(m, format.ExportOptions{}, io.Discard); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(3*ranks*steps*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrecords/s")
}

// Any bytes are a schedule or one line of error; a schedule is sound, and what is
// written of it is read as the same.
func FuzzGoal(f *testing.F) {
	f.Add([]byte(formattest.GoalExample))
	f.Add(SmallGoalFile())
	f.Add([]byte(inRank0("a: calc 1\nb: calc 2\na requires b\nb irequires a")))
	f.Add(ringSchedule(3, 2))
	f.Add([]byte("num_ranks 1\nrank 0 {\ncalc 9223372036854775\n}\n"))
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 4 {
		file, _ := exportGoal(f, formattest.RandomGraph(rng), fmt.Sprintf("binary=%v", i%2 == 0))
		f.Add([]byte(file))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		m, _, err := formattest.ImportBytes(Goal{}, file, format.Options{})
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\x00") || len(err.Error()) > 600 {
				t.Errorf("%q", err)
			}
			return
		}
		m.Head.WorkUnit = trace.WorkPicos
		if err := trace.Check(m); err != nil {
			t.Fatal(err)
		}
		for _, binary := range []string{"binary=false", "binary=true"} {
			written, _ := exportGoal(t, m, binary)
			again, _ := importGoal(t, written, format.Options{Unmatched: true})
			for p := range trace.Proc(m.Head.Procs) {
				for i, e := range formattest.Events(again, p) {
					slices.Sort(e.Needs)
					slices.Sort(formattest.Events(m, p)[i].Needs)
				}
				if !slices.Equal(goalRows(again, p), goalRows(m, p)) {
					t.Fatalf("%s: rank %d: %q, want %q", binary, p, goalRows(again, p), goalRows(m, p))
				}
			}
		}
	})
}
