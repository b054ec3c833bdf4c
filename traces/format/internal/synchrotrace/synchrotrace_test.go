package synchrotrace

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/traces/format/internal/formattest"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// ofEvents is what matters of events: kind, object or thread, references before.
func ofEvents(m *trace.Memory, p trace.Proc) (all []string) {
	for _, e := range formattest.Events(m, p) {
		all = append(all, fmt.Sprintf("%s %d %d", e.Kind, e.Peer, e.Refs))
	}
	return all
}

func TestSynchroTrace(t *testing.T) {
	m, r, err := formattest.ImportFolder(t, SynchroTrace{}, map[string]string{
		"sigil.events.out-1": formattest.SyncOne, "sigil.events.out-2": formattest.SyncTwo, "sigil.pthread.out": formattest.SyncThreads, "other": "x"}, format.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]formattest.Row{{{Instr: 662, Addr: 0x44f, Size: 2, Op: trace.Load}, {Instr: 0, Addr: 0x100, Size: 4, Op: trace.Store}, {Instr: 0, Addr: 0x200, Size: 8, Op: trace.Store}},
		{{Instr: 0, Addr: 0x200, Size: 8, Op: trace.Load}, {Instr: 0, Addr: 0x100, Size: 4, Op: trace.Load}, {Instr: 5, Addr: 0x210, Size: 8, Op: trace.Load}, {Instr: 0, Addr: 0x300, Size: 256, Op: trace.Load}}}
	wantEvents := [][]string{{"lock 0 3", "unlock 0 3", "waitflag 1 3", "lock 0 3", "unlock 0 3", "fork 1 3", "barrier 2 3", "join 1 3"},
		{"signal 1 4", "barrier 2 4", "fork -1 4"}}
	for p := range want {
		if got := formattest.Rows(m, trace.Proc(p)); !slices.Equal(got, want[p]) {
			t.Errorf("processor %d: %v, want %v", p, got, want[p])
		}
		if got := ofEvents(m, trace.Proc(p)); !slices.Equal(got, wantEvents[p]) {
			t.Errorf("processor %d: %v, want %v", p, got, wantEvents[p])
		}
	}
	if e := formattest.Events(m, 0)[6]; e.Addr != 0x7000 {
		t.Errorf("barrier: %+v", e)
	}
	formattest.WantNotes(t, r, "7 ranges of addresses (6 reads and writes", "667 operations counted as instructions (the markers count 100)",
		"2 ranges written by other threads", "1 wait for a condition", "1 thread created or joined")
}

func TestSynchroTraceNotes(t *testing.T) {
	one := "@ 1,0,0,1 $ 0 65535\n^ 1^1\n^ 1^1\n^ 2^1\n^ 2^1\n^ 9^2\n^ 8^3\n^ 11^4\n^ 12^4\n^ 13^4\n^ 5^0x10\n^ 5^0x7000\n"
	m, r, err := formattest.ImportFolder(t, SynchroTrace{}, map[string]string{
		"sigil.events.out-2": one, "sigil.events.out-10": formattest.SyncTwo, "sigil.pthread.out": "**16,2\n"}, format.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := formattest.Rows(m, 0), []formattest.Row{{Instr: 1, Addr: 0, Size: 32768, Op: trace.Store}, {Instr: 0, Addr: 32768, Size: 32768, Op: trace.Store}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := ofEvents(m, 0), []string{"lock 0 2", "unlock 0 2", "lock 1 2", "signal 2 2", "waitflag 3 2", "signal 3 2", "barrier 4 2", "barrier 5 2"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	formattest.WantNotes(t, r, "an approximation", "operations counted", "1 range over 65535 bytes split into references of 32768", "2 ranges written by other threads",
		"1 broadcast stored", "1 wait and 1 post of semaphores", "1 call that make, read or destroy a semaphore omitted", "1 lock of a mutex that the thread already",
		"mutexes still locked at the end of their thread: 1", "1 thread created", "1 barrier call of only some threads (", "threads are missing: processor 0 is thread 2")
	_, r = formattest.MustImport(t, SynchroTrace{}, formattest.SyncTwo, format.Options{})
	formattest.WantNotes(t, r, "an approximation", "operations counted", "2 ranges", "1 thread created", "no sigil.pthread.out")
}

func TestBadSynchroTrace(t *testing.T) {
	good := "@ 1,0,0,0\n"
	for _, c := range []struct{ line, reason string }{
		{"1,1,5,0,0,0", "version 1 of the format"},
		{"##1,2", "a line of sigil.pthread.out among the events"},
		{"**1,2", "a line of sigil.pthread.out among the events"},
		{"@ 1,2,3", "not four counts"},
		{"@ 1,2,3,4,5", "not four counts"},
		{"@ 1,2,x,4", "count of operations or accesses: not a decimal number"},
		{"@ -1,2,3,4", "a negative number"},
		{"@ 281474976710657,2,3,4", "over the limit of 2^48"},
		{"@ 1,0,1,0 0x10 0x11", "a range without $ or * before"},
		{"@ 1,0,1,0 * 0x10", "end of a range: no number"},
		{"@ 1,0,1,0 * 0x10 $", "end of a range: not a decimal number"},
		{"@ 1,0,1,0 * 0xg 0x11", "start of a range: not a hexadecimal number"},
		{"@ 1,0,1,0 * 0x11 0x10", "ends at 0x10, before its start"},
		{"@ 1,0,1,0 * 0 0xffffffffffffffff", "over the limit"},
		{"# 1 4 0x10", "end of a range: no number"},
		{"# 0 4 0x10 0x11", "thread 0"},
		{"# 1 x 0x10 0x11", "number of the event"},
		{"# 1 4 0x10 0x11 2 3", "no # before a range"},
		{"^ 1", "address of the object: no number"},
		{"^ 0^0x1", "unknown call 0"},
		{"^ 16^0x1", "unknown call 16"},
		{"^ x^0x1", "type of the call"},
		{"^ 6^0x1", "cond wait without its mutex"},
		{"^ 6^0x1&0x2", "unlock of 0x2, which the thread has not locked"},
		{"^ 2^0x1", "unlock of 0x1, which the thread has not locked"},
		{"! -1", "number of instructions: a negative number"},
		{"! 1\x00", "1 NUL byte"},
	} {
		t.Run(c.line, func(t *testing.T) {
			_, _, err := formattest.ImportText(SynchroTrace{}, good+c.line+"\n", format.Options{})
			formattest.WantError(t, c.line, err, "standard input:2: ", c.reason)
		})
	}
	_, _, err := formattest.ImportText(SynchroTrace{}, "\n \n", format.Options{})
	formattest.WantError(t, "blank lines", err, "standard input:2: ", "no events")
	for name, c := range map[string]struct {
		files map[string]string
		place string
	}{
		"not one address":                 {map[string]string{"sigil.pthread.out": "##1,2,3\n"}, "sigil.pthread.out:1: "},
		"neither a thread":                {map[string]string{"sigil.pthread.out": "##1,2\n1,2\n"}, "sigil.pthread.out:2: "},
		"a barrier without threads":       {map[string]string{"sigil.pthread.out": "**5,\n"}, "sigil.pthread.out:1: "},
		"thread 0":                        {map[string]string{"sigil.pthread.out": "**5,0\n"}, "sigil.pthread.out:1: "},
		"also has the events of thread 1": {map[string]string{"sigil.events.out-01": good}, "sigil.events.out-1: "},
		"unlock of 0xa0":                  {map[string]string{"sigil.events.out-2": good + "^ 2^0xa0\n"}, "sigil.events.out-2:2: "},
	} {
		c.files["sigil.events.out-1"] = good + "^ 1^0xa0\n"
		_, _, err := formattest.ImportFolder(t, SynchroTrace{}, c.files, format.Options{})
		formattest.WantError(t, name, err, c.place, name)
	}
}

func TestSynchroTraceSamples(t *testing.T) {
	dir := formattest.Shared(t, "synchrotrace")
	files, err := SynchroTrace{}.Expand(dir)
	if err != nil || len(files) != 3 {
		t.Fatalf("%v, %v", files, err)
	}
	for name, facts := range map[string]map[string]uint64{
		"sigil.events.out-1.gz": {"!": 2, "@": 2, "^": 3, "#": 0},
		"sigil.events.out-2.gz": {"!": 1, "^": 3, "#": 1, "@": 1},
		"":                      {"!": 3, "^": 6, "#": 1, "@": 3, "##": 1, "**": 1},
	} {
		t.Run(name, func(t *testing.T) {
			lines := uint64(7 + 6 + 2)
			if name != "" {
				files = []string{filepath.Join(dir, name)}
				lines = map[byte]uint64{'1': 7, '2': 6}[name[len("sigil.events.out-")]]
			} else {
				files, _ = SynchroTrace{}.Expand(dir)
			}
			all := input.NewFiles(context.Background(), files, nil, nil)
			sink := new(formattest.MemorySink)
			r, err := SynchroTrace{}.ImportFiles(all, format.Options{}, sink)
			all.Close()
			if err != nil {
				t.Fatal(err)
			}
			sink.Head = trace.Header{Procs: r.Procs, WorkUnit: trace.WorkInstr}
			if err := trace.Check(&sink.Memory); err != nil {
				t.Error(err)
			}
			for fact, want := range facts {
				if got := formattest.CountsOf(r)[fact]; got != want {
					t.Errorf("%d %s, want %d", got, fact, want)
				}
			}
			if r.Lines != lines {
				t.Errorf("%d lines, want %d", r.Lines, lines)
			}
		})
	}
}

func FuzzSynchroTrace(f *testing.F) {
	f.Add([]byte(formattest.SyncOne))
	f.Add([]byte(formattest.SyncTwo))
	f.Add([]byte("@ 281474976710656,1,0,0 $ 0 99999 5 6 * 1 2\n! 5\n^ 1^1\n^ 6^1&1\n^ 2^1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, _, err := formattest.ImportBytes(SynchroTrace{}, text, format.Options{})
		formattest.CheckImported(t, m, err)
		p := syncParser{created: map[uint64]uint64{}, barriers: map[uint64]int{}}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" {
				p.name([]byte(line))
			}
		}
	})
}

func BenchmarkImportSynchroTrace(b *testing.B) {
	var text []byte
	for i := range 300_000 {
		text = fmt.Appendf(text, "@ %d,%d,3,2 $ %#x %#x * %#x %#x * %#x %#x\n", i%1000, i%7, i*16, i*16+7, i*32, i*32+63, i*8, i*8+7)
	}
	formattest.BenchmarkImport(b, SynchroTrace{}, text)
}
