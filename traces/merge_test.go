package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// Programs side by side do what each did alone, under other numbers.
func TestMergedProgramsStayApart(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(11, 12))
	for range testsize.Cases(30, 3) {
		a, b := talk(rng, 1+rng.IntN(3), 200), talk(rng, 1+rng.IntN(3), 200)
		save(t, "a", a)
		save(t, "b", b)
		run(t, "merge", "a", "b", "--separate", "-o", "both")
		got, h := reload(t, "both") // sound: no message or barrier crosses over
		if h.Procs != len(a)+len(b) {
			t.Fatalf("%d processors", h.Procs)
		}
		for p, rows := range got {
			want, base, proc := a, uint64(0), p
			if p >= len(a) {
				want, base, proc = b, 1<<56, p-len(a)
			}
			refs := refsOf(rows)
			for i := range refs {
				refs[i].addr -= base
			}
			if !slices.Equal(refs, refsOf(want[proc])) {
				t.Fatalf("processor %d has other references", p)
			}
			for _, e := range eventsOf(rows) {
				if k := e.event.Kind; k == trace.Send && (int(e.event.Peer) >= len(a)) != (p >= len(a)) {
					t.Fatalf("processor %d sends to %d", p, e.event.Peer)
				}
			}
		}
	}
}

// The parts of a trace, by processor, are the trace again.
func TestOneTraceMergedIsItself(t *testing.T) {
	t.Chdir(t.TempDir())
	all := talk(rand.New(rand.NewPCG(13, 14)), 3, 300)
	save(t, "a", all)
	run(t, "merge", "a", "-o", "same")
	got, h := reload(t, "same")
	for p := range all {
		if !slices.Equal(refsOf(got[p]), refsOf(all[p])) || len(eventsOf(got[p])) != len(eventsOf(all[p])) {
			t.Errorf("processor %d differs", p)
		}
	}
	if h.Regions[0].Name != "0.x" || h.Regions[0].Owner != 1 || h.Regions[1].Owner != trace.Everyone {
		t.Errorf("regions %+v", h.Regions)
	}
}

// A merged trace lacks what one of its traces lacks.
func TestMergeKeepsWhatIsNotRecorded(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, lacks := range map[string]trace.Unrecorded{"a": {Instr: 0.4}, "b": {Instr: 0.1, Refs: 0.2}} {
		h := trace.Header{Program: name, Format: "spmd", Procs: 1, WorkUnit: trace.WorkInstr, Unrecorded: lacks}
		w, err := store.Create(name, h)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Close(h); err != nil {
			t.Fatal(err)
		}
	}
	run(t, "merge", "a", "b", "--separate", "-o", "both")
	if _, h := reload(t, "both"); h.Unrecorded != (trace.Unrecorded{Instr: 0.4, Refs: 0.2}) {
		t.Errorf("lacks %+v", h.Unrecorded)
	}
	h := trace.Header{Procs: 1, WorkUnit: trace.WorkInstr, Unrecorded: trace.Unrecorded{Instr: 2}}
	w, err := store.Create("c", h)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if err := w.Close(h); err == nil || !strings.Contains(err.Error(), "not shares") {
		t.Errorf("a share of 2: %v", err)
	}
}

// The top byte of every trace counts, also of the first: different addresses stay
// different, whatever they were.
func TestSeparateAddressesOfAnyTopByte(t *testing.T) {
	t.Chdir(t.TempDir())
	csv := "time,tid,op,addr,size\n1,0,R,%s,8\n"
	write(t, "a.csv", fmt.Sprintf(csv, "0x0100000000001000"))
	write(t, "b.csv", fmt.Sprintf(csv, "0x1000"))
	write(t, "c.csv", fmt.Sprintf(csv, "0xffff800000001000"))
	for _, name := range []string{"a", "b", "c"} {
		run(t, "import", name+".csv", "-o", name)
	}
	notes := run(t, "merge", "a", "b", "c", "a", "--separate", "-o", "all")
	got, _ := reload(t, "all")
	want := []uint64{0x0400000000001000, 0x0100000000001000, 0x05ff800000001000, 0x0600000000001000}
	for p, addr := range want {
		t.Run(fmt.Sprint(addr), func(t *testing.T) {
			if refs := refsOf(got[p]); len(refs) != 1 || refs[0].addr != addr {
				t.Errorf("processor %d has %v, want %#x", p, refs, addr)
			}
		})
	}
	if !strings.Contains(notes, "trace 0: addresses with top byte 0x01 get top byte 0x04") {
		t.Errorf("notes %q", notes)
	}
}

func TestMergeComplaints(t *testing.T) {
	t.Chdir(t.TempDir())
	save(t, "a", talk(rand.New(rand.NewPCG(5, 6)), 1, 50))
	save(t, "high", [][]placed{{{1, nil, 1 << 60}}})
	save(t, "edge", [][]placed{{{1, nil, 1<<56 - 4}}})
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"a", stage.WrongUsage, "no output"},
		{"a none -o y", stage.Failed, "none"},
		{"edge a --separate -o y", stage.Failed, "have two top bytes"},
	} {
		t.Run(c.args, func(t *testing.T) {
			status, out, errs := traces(nil, append([]string{"merge"}, strings.Fields(c.args)...)...)
			if status != c.status || out != "" || !strings.Contains(errs, c.want) {
				t.Errorf("merge %s: status %d, %q; want %d, %q", c.args, status, errs, c.status, c.want)
			}
		})
	}
	if notes := run(t, "merge", "a", "high", "-o", "y"); !strings.Contains(notes, "one address space") {
		t.Errorf("notes %q", notes)
	}
	save(t, "quiet", [][]placed{{{1, &trace.Event{Kind: trace.Marker, Peer: -1, Tag: -1, Group: -1, Request: -1}, 0}}})
	if notes := run(t, "merge", "quiet", "quiet", "-o", "y"); notes != "" {
		t.Errorf("notes %q about traces without references", notes)
	}
	if notes := run(t, "head", "quiet"); !strings.Contains(notes, "--events shows the events") {
		t.Errorf("notes %q", notes)
	}
}

// A reader holds several batches in turn: those of the second trace have other numbers than in its file, all of them.
func TestMergesManyBatches(t *testing.T) {
	t.Chdir(t.TempDir())
	const rows = 5<<18 + 1
	save(t, "a", [][]placed{{}, {}})
	w, err := store.Create("b", trace.Header{Procs: 1, WorkUnit: trace.WorkInstr})
	if err != nil {
		t.Fatal(err)
	}
	var b trace.Refs
	for range rows {
		b.Append(1, 0x1000, 8, trace.Load)
	}
	if err := w.Refs(&b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(trace.Header{Procs: 1, WorkUnit: trace.WorkInstr}); err != nil {
		t.Fatal(err)
	}
	for _, separate := range []string{"--separate", "--separate=false"} {
		run(t, "merge", "a", "b", separate, "-o", "both")
		both, err := store.Open("both")
		if err != nil {
			t.Fatal(err)
		}
		if got := both.Totals(2).Refs; got != rows {
			t.Errorf("%s: %d references, want %d", separate, got, rows)
		}
		both.Close()
	}
}
