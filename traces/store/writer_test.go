package store

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"spoor/traces/trace"
	"spoor/traces/unit"
)

func TestSameCallsGiveTheSameBytes(t *testing.T) {
	rows := 1 << 15
	if testing.Short() {
		rows /= 8
	}
	m := memory(rand.New(rand.NewPCG(17, 18)), header(3), 8*rows+77, 500)
	var first [][]byte
	for _, procs := range []int{1, 4, 4} {
		before := runtime.GOMAXPROCS(procs)
		prefix := filepath.Join(t.TempDir(), "x")
		saveBatches(t, prefix, m, rows-rows/12, rows)
		table := filepath.Join(t.TempDir(), "t.arrow")
		if err := WriteTable(table, someTable(1000)); err != nil {
			t.Fatal(err)
		}
		runtime.GOMAXPROCS(before)
		got := [][]byte{read(t, prefix+RefsSuffix), read(t, prefix+EventsSuffix), read(t, table)}
		for i := range first {
			if !bytes.Equal(got[i], first[i]) {
				t.Errorf("file %d differs with %d processors", i, procs)
			}
		}
		first = got
	}
}

func TestTotalsAndSHA256(t *testing.T) {
	dir := t.TempDir()
	m := memory(rand.New(rand.NewPCG(19, 20)), header(3), 1000, 100)
	m.EventsOf[1].Rows = nil
	saveBatches(t, filepath.Join(dir, "a"), m, 70, 64)
	saveBatches(t, filepath.Join(dir, "b"), m, 70, 64)
	m.RefsOf[2].Addr[999]++
	saveBatches(t, filepath.Join(dir, "c"), m, 70, 64)
	var hash []string
	for _, name := range []string{"a", "b", "c"} {
		tr, err := Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer tr.Close()
		hash = append(hash, tr.SHA256())
		for p := range trace.Proc(4) {
			var want trace.Totals
			if p < 3 {
				var events uint64
				for _, e := range m.EventsOf[p].Rows {
					events += uint64(e.Instr)
				}
				want = trace.Totals{Instr: unit.Instructions(max(sum(m.RefsOf[p].Instr), events)),
					Refs: 1000, Events: uint64(len(m.EventsOf[p].Rows))}
			}
			if got := tr.Totals(p); got != want {
				t.Errorf("processor %d: totals %+v, want %+v", p, got, want)
			}
		}
	}
	if hash[0] != hash[1] || hash[0] == hash[2] || len(hash[0]) != 64 {
		t.Errorf("digests %q: the first two traces are equal, the third is not", hash)
	}
}

func TestSelectedProcessors(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "x")
	m := memory(rand.New(rand.NewPCG(21, 22)), header(4), 500, 50)
	saveBatches(t, prefix, m, 30, 64)
	tr, err := Open(prefix)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	for _, procs := range [][]trace.Proc{{2}, {3, 1}, {1, 1}} {
		t.Run(fmt.Sprint(procs), func(t *testing.T) {
			var order, eventOrder []trace.Proc
			for b, err := range tr.Refs(procs...) {
				if err != nil {
					t.Fatal(err)
				}
				order = append(order, b.Proc)
			}
			for b, err := range tr.Events(procs...) {
				if err != nil {
					t.Fatal(err)
				}
				eventOrder = append(eventOrder, b.Proc)
			}
			var want, wantEvents []trace.Proc
			for _, p := range procs {
				want = append(want, p, p, p, p, p, p, p, p) // 500 rows in batches of 64
				wantEvents = append(wantEvents, p)
			}
			if !equalProcs(order, want) || !equalProcs(eventOrder, wantEvents) {
				t.Errorf("processors %v: batches of %v and %v", procs, order, eventOrder)
			}
		})
	}
	for _, p := range []trace.Proc{-1, 4} {
		if _, err := load(tr, p); err == nil || !strings.Contains(err.Error(), "no processor") {
			t.Errorf("processor %d: %v", p, err)
		}
	}
}

func equalProcs(a, b []trace.Proc) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestIterationsStopCleanly(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "x")
	saveBatches(t, prefix, memory(rand.New(rand.NewPCG(21, 22)), header(4), 500, 50), 30, 16)
	tr, err := Open(prefix)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	before := runtime.NumGoroutine()
	for stop := range 100 {
		n := 0
		for _, err := range tr.Refs() {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n > stop {
				break
			}
		}
	}
	// A goroutine that has said its last word is still counted until it is gone.
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
		}
	}
	done := make(chan error)
	for range 8 {
		go func() {
			_, err := load(tr)
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestWriterRefuses(t *testing.T) {
	one := func(p trace.Proc, size uint16) *trace.Refs {
		b := &trace.Refs{Proc: p}
		b.Append(1, 64, size, trace.Load)
		return b
	}
	event := func(p trace.Proc, refs uint64, needs int) *trace.Events {
		e := trace.NewEvent(trace.Barrier)
		e.Refs, e.Needs = refs, make([]int64, needs)
		return &trace.Events{Proc: p, Rows: []trace.Event{e}}
	}
	for _, c := range []struct {
		name  string
		write func(w *Writer) error
		want  string
	}{
		{"illegal reference", func(w *Writer) error { return w.Refs(one(0, 0)) }, "x.refs.arrow: processor 0, row 0 of the batch: access of 0 bytes"},
		{"negative processor", func(w *Writer) error { return w.Refs(one(-1, 8)) }, "no such processor"},
		{"huge processor", func(w *Writer) error { return w.Refs(one(maxProcs, 8)) }, "no such processor"},
		{"huge processor of an event", func(w *Writer) error { return w.Events(event(math.MaxInt32, 0, 0)) }, "no such processor"},
		{"events out of order", func(w *Writer) error {
			return errors.Join(w.Refs(one(0, 8)), w.Events(event(0, 1, 0)), w.Events(event(0, 0, 0)))
		}, "x.events.arrow: processor 0, row 0 of the batch: barrier after 0 references follows an event after 1"},
		{"too many needs", func(w *Writer) error { return w.Events(event(0, 0, maxEventNeeds+1)) }, "at most 1048576"},
		{"event after references that never come", func(w *Writer) error {
			return errors.Join(w.Events(event(1, 3, 0)), w.Close(header(2)))
		}, "x.events.arrow: processor 1: its last event follows 3 references, but it has 0"},
		{"fewer processors than seen", func(w *Writer) error {
			return errors.Join(w.Refs(one(5, 8)), w.Close(header(5)))
		}, "x.refs.arrow: rows of processor 5, but the final header has 5 processors"},
		{"other columns at the end", func(w *Writer) error {
			h := header(1)
			h.HasPC = true
			return w.Close(h)
		}, "other columns"},
		{"rows after the end", func(w *Writer) error { w.Abort(); return w.Refs(one(0, 8)) }, "closed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			prefix := filepath.Join(t.TempDir(), "x")
			w, err := Create(prefix, header(0))
			if err != nil {
				t.Fatal(err)
			}
			if err := c.write(w); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			w.Abort()
			if left, _ := filepath.Glob(prefix + "*"); len(left) > 0 {
				t.Errorf("left %v", left)
			}
		})
	}
}

func TestCreateSaysWhatItCannotWrite(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "e.events.arrow"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ prefix, want string }{
		{filepath.Join(dir, "none", "x"), "writing " + filepath.Join(dir, "none", "x.refs.arrow") + ": no such file or directory; make the folder " + filepath.Join(dir, "none") + " first"},
		{filepath.Join(dir, "e"), "writing " + filepath.Join(dir, "e.events.arrow") + ": it exists and is a directory"},
		{dir + "/", "the name of the file is missing"},
		{dir + "/.", "the name of the file is missing"},
		{dir + "/..", "the name of the file is missing"},
		{"", "the name of the file is missing"},
	} {
		t.Run(filepath.Base(c.prefix), func(t *testing.T) {
			if _, err := Create(c.prefix, header(1)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("left %v", left)
	}
}

func TestFullDiskIsAnError(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full: ", err)
	}
	m := memory(rand.New(rand.NewPCG(23, 24)), header(1), 300, 300)
	for _, suffix := range []string{RefsSuffix, EventsSuffix} {
		dir := t.TempDir()
		prefix := filepath.Join(dir, "x")
		w, err := Create(prefix, header(1))
		if err != nil {
			t.Fatal(err)
		}
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		w.rows, w.most = 100, 100
		if suffix == RefsSuffix {
			w.refs.out.w = full
		} else {
			w.events.out.w = full
		}
		for i := 0; err == nil && i < 1000; i++ {
			if err = w.Refs(&m.RefsOf[0]); err == nil {
				rows := m.EventsOf[0].Rows
				for j := range rows {
					rows[j].Refs = uint64(300 * (i + 1))
				}
				err = w.Events(&trace.Events{Rows: rows})
			}
		}
		if err == nil {
			err = w.Close(header(1))
		}
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "writing "+prefix+suffix) {
			t.Errorf("%s on a full disk: %v", suffix, err)
		}
		w.Abort()
		full.Close()
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
			t.Errorf("left %v", left)
		}
	}
}

func TestCloseMakesBothFilesAppearOrNeither(t *testing.T) {
	dir := t.TempDir()
	prefix := filepath.Join(dir, "x")
	for _, before := range []string{"", "an older trace"} {
		if before != "" {
			if err := os.WriteFile(prefix+RefsSuffix, []byte(before), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		w, err := Create(prefix, header(0))
		if err != nil {
			t.Fatal(err)
		}
		// What stands in the way of the second name, after Create looked.
		if err := os.MkdirAll(filepath.Join(prefix+EventsSuffix, "d"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(header(0)); err == nil || !strings.Contains(err.Error(), "writing "+prefix+EventsSuffix) {
			t.Errorf("closing over a directory: %v", err)
		}
		w.Abort()
		os.RemoveAll(prefix + EventsSuffix)
		left, _ := filepath.Glob(filepath.Join(dir, "*"))
		if before == "" && len(left) > 0 || before != "" && (len(left) != 1 || string(read(t, prefix+RefsSuffix)) != before) {
			t.Errorf("with %q before: left %v", before, left)
		}
	}
	save(t, prefix, memory(rand.New(rand.NewPCG(1, 1)), header(1), 10, 10), 3)
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 2 {
		t.Errorf("a trace over an older one left %v", left)
	}
	if err := readTrace(prefix); err != nil {
		t.Error(err)
	}
}

func TestAbortAfterCloseLeavesTheNextRunAlone(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "x")
	w, err := Create(prefix, header(0))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(header(0)); err != nil {
		t.Fatal(err)
	}
	next, err := Create(prefix, header(0))
	if err != nil {
		t.Fatal(err)
	}
	w.Abort()
	if err := next.Close(header(0)); err != nil {
		t.Errorf("the next run: %v", err)
	}
}

func TestManyProcessorsTakeBoundedMemory(t *testing.T) {
	const piece, rounds = 256, 10
	procs, may := 4096, maxRefs
	if testing.Short() {
		procs, may = procs/16, may/16
	}
	prefix := filepath.Join(t.TempDir(), "x")
	w, err := Create(prefix, header(procs))
	if err != nil {
		t.Fatal(err)
	}
	w.refs.most = may
	defer w.Abort()
	var b trace.Refs
	for i := range piece {
		b.Append(1, uint64(i)*8, 8, trace.Store)
	}
	most := 0
	for range rounds {
		for p := range trace.Proc(procs) {
			b.Proc = p
			if err := w.Refs(&b); err != nil {
				t.Fatal(err)
			}
			most = max(most, w.refs.buffered)
		}
	}
	if most > may+piece {
		t.Errorf("%d rows were waiting, more than %d", most, may)
	}
	if err := w.Close(header(procs)); err != nil {
		t.Fatal(err)
	}
	tr, err := Open(prefix)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	for p := range trace.Proc(procs) {
		if got := tr.Totals(p).Refs; got != uint64(piece*rounds) {
			t.Fatalf("processor %d has %d references, want %d", p, got, piece*rounds)
		}
	}
	if n := len(tr.refs.blocks); n > 3*procs {
		t.Errorf("%d batches for %d processors", n, procs)
	}
}
