package format

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/traces/trace"
)

const (
	syncOne = "! 100\n@ 661,1,3,2 $ 0x100 0x103 $ 0x200 0x207 * 0x44f 0x450\n^ 1^0xa0\n^ 6^0xb0&0xa0\n^ 2^0xa0\n^ 3^0x3d478\n^ 5^0x7000\n^ 4^0x3d478\n"
	syncTwo = "# 1 4 0x200 0x207 # 1 4 0x100 0x103\n@ 5,0,1,0 * 0x210 0x217 0x300 0x3ff\n^ 7^0xb0\n^ 5^0x7000\n^ 3^0x1\n"
	// syncThreads gives thread 2 the address 0x3d478.
	syncThreads = "##251000,2\n**28672,1,2,\n"
)

// importFolder writes files into a folder and imports them.
func importFolder(t *testing.T, im MultiFileImporter, files map[string]string, o Options) (*trace.Memory, Result, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	paths, err := im.Expand(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := NewFiles(context.Background(), paths, nil, nil)
	defer all.Close()
	sink := new(memorySink)
	r, err := im.ImportFiles(all, o, sink)
	if err != nil {
		return nil, r, fmt.Errorf("%s", strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))
	}
	sink.Head = trace.Header{Procs: r.Procs, WorkUnit: trace.WorkInstr}
	if err := trace.Check(&sink.Memory); err != nil {
		t.Fatal(err)
	}
	return &sink.Memory, r, nil
}

// ofEvents is what matters of events: kind, object or thread, references before.
func ofEvents(m *trace.Memory, p trace.Proc) (all []string) {
	for _, e := range events(m, p) {
		all = append(all, fmt.Sprintf("%s %d %d", e.Kind, e.Peer, e.Refs))
	}
	return all
}

func TestSynchroTrace(t *testing.T) {
	m, r, err := importFolder(t, SynchroTrace{}, map[string]string{
		"sigil.events.out-1": syncOne, "sigil.events.out-2": syncTwo, "sigil.pthread.out": syncThreads, "other": "x"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]row{{{662, 0x44f, 2, trace.Load}, {0, 0x100, 4, trace.Store}, {0, 0x200, 8, trace.Store}},
		{{0, 0x200, 8, trace.Load}, {0, 0x100, 4, trace.Load}, {5, 0x210, 8, trace.Load}, {0, 0x300, 256, trace.Load}}}
	wantEvents := [][]string{{"lock 0 3", "unlock 0 3", "waitflag 1 3", "lock 0 3", "unlock 0 3", "fork 1 3", "barrier 2 3", "join 1 3"},
		{"signal 1 4", "barrier 2 4", "fork -1 4"}}
	for p := range want {
		if got := rows(m, trace.Proc(p)); !slices.Equal(got, want[p]) {
			t.Errorf("processor %d: %v, want %v", p, got, want[p])
		}
		if got := ofEvents(m, trace.Proc(p)); !slices.Equal(got, wantEvents[p]) {
			t.Errorf("processor %d: %v, want %v", p, got, wantEvents[p])
		}
	}
	if e := events(m, 0)[6]; e.Addr != 0x7000 {
		t.Errorf("barrier: %+v", e)
	}
	wantNotes(t, r, "7 ranges of addresses (6 reads and writes", "667 operations counted as instructions (the markers count 100)",
		"2 ranges written by other threads", "1 wait for a condition", "1 thread created or joined")
}

func TestSynchroTraceNotes(t *testing.T) {
	one := "@ 1,0,0,1 $ 0 65535\n^ 1^1\n^ 1^1\n^ 2^1\n^ 2^1\n^ 9^2\n^ 8^3\n^ 11^4\n^ 12^4\n^ 13^4\n^ 5^0x10\n^ 5^0x7000\n"
	m, r, err := importFolder(t, SynchroTrace{}, map[string]string{
		"sigil.events.out-2": one, "sigil.events.out-10": syncTwo, "sigil.pthread.out": "**16,2\n"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := rows(m, 0), []row{{1, 0, 32768, trace.Store}, {0, 32768, 32768, trace.Store}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := ofEvents(m, 0), []string{"lock 0 2", "unlock 0 2", "lock 1 2", "signal 2 2", "waitflag 3 2", "signal 3 2", "barrier 4 2", "barrier 5 2"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	wantNotes(t, r, "an approximation", "operations counted", "1 range over 65535 bytes split into references of 32768", "2 ranges written by other threads",
		"1 broadcast stored", "1 wait and 1 post of semaphores", "1 call that make, read or destroy a semaphore omitted", "1 lock of a mutex that the thread already",
		"mutexes still locked at the end of their thread: 1", "1 thread created", "1 barrier call of only some threads (", "threads are missing: processor 0 is thread 2")
	_, r = mustImport(t, SynchroTrace{}, syncTwo, Options{})
	wantNotes(t, r, "an approximation", "operations counted", "2 ranges", "1 thread created", "no sigil.pthread.out")
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
		_, _, err := importText(SynchroTrace{}, good+c.line+"\n", Options{})
		wantError(t, c.line, err, "standard input:2: ", c.reason)
	}
	_, _, err := importText(SynchroTrace{}, "\n \n", Options{})
	wantError(t, "blank lines", err, "standard input:2: ", "no events")
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
		_, _, err := importFolder(t, SynchroTrace{}, c.files, Options{})
		wantError(t, name, err, c.place, name)
	}
}

func TestSynchroTraceSamples(t *testing.T) {
	dir := shared(t, "synchrotrace")
	files, err := SynchroTrace{}.Expand(dir)
	if err != nil || len(files) != 3 {
		t.Fatalf("%v, %v", files, err)
	}
	for name, facts := range map[string]map[string]uint64{
		"sigil.events.out-1.gz": {"!": 2, "@": 2, "^": 3, "#": 0},
		"sigil.events.out-2.gz": {"!": 1, "^": 3, "#": 1, "@": 1},
		"":                      {"!": 3, "^": 6, "#": 1, "@": 3, "##": 1, "**": 1},
	} {
		lines := uint64(7 + 6 + 2)
		if name != "" {
			files = []string{filepath.Join(dir, name)}
			lines = map[byte]uint64{'1': 7, '2': 6}[name[len("sigil.events.out-")]]
		} else {
			files, _ = SynchroTrace{}.Expand(dir)
		}
		all := NewFiles(context.Background(), files, nil, nil)
		sink := new(memorySink)
		r, err := SynchroTrace{}.ImportFiles(all, Options{}, sink)
		all.Close()
		if err != nil {
			t.Fatal(err)
		}
		sink.Head = trace.Header{Procs: r.Procs, WorkUnit: trace.WorkInstr}
		if err := trace.Check(&sink.Memory); err != nil {
			t.Error(err)
		}
		for fact, want := range facts {
			if got := countsOf(r)[fact]; got != want {
				t.Errorf("%q: %d %s, want %d", name, got, fact, want)
			}
		}
		if r.Lines != lines {
			t.Errorf("%q: %d lines, want %d", name, r.Lines, lines)
		}
	}
}

func FuzzSynchroTrace(f *testing.F) {
	f.Add([]byte(syncOne))
	f.Add([]byte(syncTwo))
	f.Add([]byte("@ 281474976710656,1,0,0 $ 0 99999 5 6 * 1 2\n! 5\n^ 1^1\n^ 6^1&1\n^ 2^1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, _, err := importBytes(SynchroTrace{}, text, Options{})
		checkImported(t, m, err)
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
	benchmarkImport(b, SynchroTrace{}, text)
}
