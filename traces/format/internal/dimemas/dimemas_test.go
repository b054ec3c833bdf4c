package dimemas

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/traces/format/internal/formattest"
	"spoor/traces/internal/format"
	"spoor/traces/trace"
)

// head begins traces of two tasks.
const head = "#DIMEMAS:\"x\":0:2(1,1),1\nd:1:1:2:0:1\n"

// read imports a text from a file, because roots need two passes.
func read(t testing.TB, text string, o format.Options) (*trace.Memory, format.Result, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.dim")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return formattest.ImportFiles(t, Dimemas{}, o, path)
}

// briefs are the events of a rank: kind, peer, tag, group, request, bytes and work.
func briefs(m *trace.Memory, p trace.Proc) (all []string) {
	for _, e := range formattest.Events(m, p) {
		all = append(all, fmt.Sprintf("%s %d %d %d %d %d %d", e.Kind, e.Peer, e.Tag, e.Group, e.Request, e.Bytes, e.Work))
	}
	return all
}

func TestSample(t *testing.T) {
	m, r, err := formattest.ImportFiles(t, Dimemas{}, format.Options{}, "testdata/dimemas.sample")
	if err != nil {
		t.Fatal(err)
	}
	if err := trace.Check(m); err != nil {
		t.Fatal(err)
	}
	if r.Program != "ring" || r.Procs != 4 || len(m.EventsOf) != 4 {
		t.Errorf("%+v", r)
	}
	want := []string{"barrier -1 -1 -1 -1 0 0", "compute -1 -1 -1 -1 0 150000000", "irecv 0 7 -1 0 1000 0", "isend 2 7 -1 1 1000 0", "compute -1 -1 -1 -1 0 10000000",
		"wait -1 -1 -1 0 0 0", "reduce 2 -1 -1 -1 8 0", "bcast 2 -1 -1 -1 8 0", "alltoall -1 -1 -1 -1 256 0", "wait -1 -1 -1 1 0 0"}
	if got := briefs(m, 1); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	// grep -c of the file's lines.
	for name, n := range map[string]uint64{"CPU burst": 8, "send": 4, "receive": 8, "collective": 16, "event": 8} {
		if got := formattest.CountsOf(r)[name]; got != n {
			t.Errorf("%d of %s, want %d", got, name, n)
		}
	}
	formattest.WantNotes(t, r, "8 events omitted", "4 immediate sends without a wait")
	if _, _, err := formattest.ImportText(Dimemas{}, formattest.Sample(t, "ring.dim"), format.Options{}); err == nil || !strings.Contains(err.Error(), "read twice; give it as a file") {
		t.Errorf("standard input: %v", err)
	}
}

// Each record of task 0, with what task 1 needs for it, becomes these events.
func TestRecords(t *testing.T) {
	const three = "#DIMEMAS:\"x\":0:3(1,1,1),2\nd:1:1:3:2:1:0\nd:1:7:2:2:0\n"
	const idle = "0:1:0\n"
	for _, c := range []struct{ name, text, want string }{
		{"bursts", head + "1:0:0:1.5\n1:0:0:0.000000000\n1:0:0:1e-9\n1:0:0:100000.123456789\n1:0:0:2\n" + idle,
			"compute -1 -1 -1 -1 0 1500000000000, compute -1 -1 -1 -1 0 1000, compute -1 -1 -1 -1 0 100000123456789000, compute -1 -1 -1 -1 0 2000000000000"},
		{"sends", head + "2:0:0:1:-1:8:3:1:0\n2:0:0:1:9:3:1:1\n3:1:0:0:-1:8:3:1:0\n3:1:0:0:9:3:1:0\n", "send 1 3 -1 -1 8 0, send 1 3 -1 -1 9 0"},
		{"immediate sends", head + "2:0:0:1:-1:8:3:1:2\n2:0:0:1:-1:8:3:1:3\n1:0:0:1\n3:1:0:0:-1:8:3:1:0\n3:1:0:0:-1:8:3:1:0\n",
			"isend 1 3 -1 0 8 0, isend 1 3 -1 1 8 0, compute -1 -1 -1 -1 0 1000000000000, wait -1 -1 -1 0 0 0, wait -1 -1 -1 1 0 0"},
		{"receives", head + "3:0:0:1:-1:8:3:1:1\n3:0:0:1:-1:8:3:1:1\n3:0:0:1:-1:0:3:1:2\n3:0:0:1:-1:0:3:1:2\n2:1:0:0:-1:8:3:1:0\n2:1:0:0:-1:8:3:1:0\n",
			"irecv 1 3 -1 0 8 0, irecv 1 3 -1 1 8 0, wait -1 -1 -1 0 0 0, wait -1 -1 -1 1 0 0"},
		{"receive from any", head + "3:0:0:-1:-1:8:-1:1:1\n3:0:0:1:-1:0:3:1:2\n2:1:0:0:-1:8:3:1:0\n", "irecv -1 -1 -1 0 8 0, wait -1 -1 -1 0 0 0"},
		{"a communicator without definition", head + "2:0:0:1:-1:8:3:5:0\n3:1:0:0:-1:8:3:5:0\n", "send 1 3 5 -1 8 0"},
		{"collectives", head + "10:0:0:11:1:0:0:4:8:1\n10:0:0:8:1:0:0:4:8:1\n10:0:0:9:1:0:0:4:8\n10:0:0:14:1:0:0:4:8:1\n10:0:0:6:1:0:0:4:8:1\n" +
			"10:1:0:11:1:0:0:4:8:1\n10:1:0:8:1:0:0:4:8:1\n10:1:0:9:1:0:0:4:8\n10:1:0:14:1:0:0:4:8:1\n10:1:0:6:1:0:0:4:8:1\n",
			"allreduce -1 -1 -1 -1 8 0, alltoall -1 -1 -1 -1 8 0, alltoall -1 -1 -1 -1 4 0, scan -1 -1 -1 -1 8 0, allgather -1 -1 -1 -1 4 0"},
		{"roots marked", head + "10:0:0:1:1:0:0:0:8:1\n10:0:0:2:1:1:0:8:16:1\n10:1:0:1:1:1:0:8:0:1\n10:1:0:2:1:0:0:8:0:1\n", "bcast 1 -1 -1 -1 8 0, gather 0 -1 -1 -1 8 0"},
		{"roots named", head + "10:0:0:10:1:1:0:8:0:3\n10:0:0:5:1:0:0:16:8:1\n10:1:0:10:1:1:0:8:8:3\n10:1:0:5:1:0:0:0:8:1\n", "reduce 1 -1 -1 -1 8 0, scatter 0 -1 -1 -1 8 0"},
		{"a part", three + "10:0:0:1:7:0:0:8:8:1\n0:1:0\n10:2:0:1:7:1:0:8:8:1\n", "bcast 2 -1 7 -1 8 0"},
		{"reduce_scatter", head + "10:0:0:12:1:0:0:8:4:1\n10:1:0:12:1:0:0:8:4:1\n", "reduce 0 -1 -1 -1 8 0, scatter 0 -1 -1 -1 4 0"},
		{"immediate collectives", head + "10:0:0:11:1:0:0:8:8:0\n10:0:0:1:1:1:0:8:0:0\n10:0:0:1:1:1:0:8:0:2\n10:0:0:11:1:0:0:8:8:2\n" +
			"10:1:0:11:1:0:0:8:8:1\n10:1:0:1:1:0:0:0:8:0\n10:1:0:1:1:0:0:0:8:2\n",
			"allreduce -1 -1 -1 0 8 0, bcast 0 -1 -1 1 8 0, wait -1 -1 -1 1 0 0, wait -1 -1 -1 0 0 0"},
		{"one task", "#DIMEMAS:\"x\":0:1(1),1\nd:1:1:1:0\n10:0:0:1:1:0:0:8:8:1\n", "bcast 0 -1 -1 -1 8 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, _, err := read(t, c.text, format.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := trace.Check(m); err != nil {
				t.Error(err)
			}
			if got := strings.Join(briefs(m, 0), ", "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestNotes(t *testing.T) {
	_, r, err := read(t, head+"d:2:3:file\n40:0:0:1\n41:0:0:1\n20:0:0:1:2\n2:0:0:1:-1:8:3:1:1\n3:1:0:0:-1:8:3:1:0\n", format.Options{})
	if err != nil {
		t.Fatal(err)
	}
	formattest.WantNotes(t, r, "3 events omitted", "1 definition of files and windows omitted", "1 send marked as synchronous; the S of the machine")
	const threads = "#DIMEMAS:\"x\":0:1(2),0,1(0),0\n1:0:0:1\n2:0:0:0:1:0:9:0:3\n1:0:1:5\n11:0:1:5\n3:0:1:0:0:0:9:0:0\n"
	m, r, err := read(t, threads, formattest.Set("threads", "first"))
	if got := briefs(m, 0); err != nil || !slices.Equal(got, []string{"compute -1 -1 -1 -1 0 1000000000000"}) {
		t.Errorf("%q, %v", got, err)
	}
	formattest.WantNotes(t, r, "4 records of further threads omitted; the first is in line 3")
}

func TestErrors(t *testing.T) {
	const one = "#DIMEMAS:\"x\":0:1(1),1\nd:1:1:1:0\n"
	for _, c := range []struct{ text, want string }{
		{"", ":1:"},
		{"#DIMEMAS:\n", ":1: not the header of a trace of Dimemas"},
		{"#DIMEMAS:\"x\":0:2(1,1\n", ":1: not the header of a trace of Dimemas"},
		{"#DIMEMAS:\"x\":1,XXXXXXXXXXXXXXX:2(1,1),0\n", "prv2dim did not finish"},
		{"#DIMEMAS:\"x\":2:2(1,1),0\n", `offsets "2" are neither 0 nor 1 and a place`},
		{"#DIMEMAS:\"x\":1:2(1,1),0\n", `offsets "1" are neither`},
		{"#DIMEMAS:\"x\":0:0(),0\n", `"0" is not a number of tasks from 1 to 1048576`},
		{"#DIMEMAS:\"x\":0:99999999(1),0\n", "is not a number of tasks"},
		{"#DIMEMAS:\"x\":0:2(1),0\n", "threads of 1 tasks, but there are 2 tasks"},
		{"#DIMEMAS:\"x\":0:2(1,x),0\n", `"x" is not a number of threads`},
		{"#DIMEMAS:\"x\":0:2(1,2),0\n", "task 1 has 2 threads, but a rank of Spoor has one; --set threads=first"},
		{head, "end of file: no record of task 0 of 2"},
		{head + "0:0:0\n", "no record of task 1 of 2; the file may be cut"},
		{"#DIMEMAS:\"x\":1,30:1(1),0\n0:0:0\n", "offsets of 0 of 1 tasks"},
		{"#DIMEMAS:\"x\":1,30:1(1),0\n0:0:0\ns:1:30\n", ":3: not the offsets of task 0"},
		{"#DIMEMAS:\"x\":1,30:1(1),0\n0:0:0\ns:0:30\ns:1:30\n", ":4: offsets of more than 1 task"},
		{"#DIMEMAS:\"x\":1,30:1(1),0\n0:0:0\ns:0:30\n0:0:0\n", ":4: a record behind the offsets"},
		{one + "s:0\n", ":3: not the offsets of a task"},
		{one + "d:1:1:1:0\n", ":3: communicator 1 is defined twice"},
		{one + "d:1:2:2:0\n", `:3: number of tasks 2 is not from 1 to 1`},
		{head + "d:1:2:2:0\n", `:3: communicator 2 has 2 tasks, but 1 are listed`},
		{head + "d:1:2:2:0:0\n", ":3: communicator 2 lists a task twice"},
		{one + "d:1:2:1:1\n", ":3: task 1 is not from 0 to 0"},
		{one + "d:9:2\n", ":3: not the definition of a communicator"},
		{one + "0:0:0\nd:1:2:1:0\n", ":4: a definition behind the first record"},
		{one + "7:0:0\n", `:3: unknown record "7"`},
		{one + "hello\n", `:3: unknown record "hello"`},
		{one + "1\n", ":3: no task and thread"},
		{one + "1:0:1:5\n", ":3: thread 1, but the header gives task 0 1 thread"},
		{one + "1:1:0:5\n", ":3: task 1 is not from 0 to 0"},
		{one + "1:x:0:5\n", `:3: task "x" is not a whole number`},
		{one + "11:0:0:5\n", ":3: a burst of a GPU"},
		{one + "1:0:0\n", ":3: 3 values, not 4"},
		{one + "1:0:0:-1\n", `:3: duration "-1" is negative`},
		{one + "1:0:0:nan\n", "is not a number of seconds"},
		{one + "1:0:0:1e8\n", "is more than 106 days"},
		{one + "1:0:0:1\x00\n", "1 NUL byte"},
		{one + "1:0:0:0.5", "the last line has no line end"},
		{one + "2:0:0:1:-1:8:3:1:0\n", ":3: receiver 1 is not from 0 to 0"},
		{one + "2:0:0:-1:-1:8:3:1:0\n", ":3: receiver -1 is not from 0 to 0"},
		{one + "2:0:0:0:-1:-8:3:1:0\n", ":3: size -8"},
		{one + "2:0:0:0:-1:8:-1:1:0\n", ":3: tag -1"},
		{one + "2:0:0:0:-1:8:9999999999:1:0\n", ":3: tag 9999999999"},
		{one + "2:0:0:0:-1:8:3:1:4\n", ":3: kind 4 is not from 0 to 3"},
		{one + "2:0:0:0:2:8:3:1:0\n", ":3: a message of a further thread"},
		{one + "2:0:0:8:3:1:0\n", ":3: 7 values, not 9"},
		{one + "3:0:0:0:-1:8:3:1:3\n", ":3: kind 3 is not from 0 to 2"},
		{one + "3:0:0:0:-1:8:3:1:2\n", ":3: a wait without an open receive from 0 with tag 3 in communicator 1"},
		{one + "2:0:0:0:-1:8:3:1:0\n", "send from rank 0 to rank 0"},
		{one + "10:0:0:16:1:0:0:8:8:1\n", ":3: operation 16 is not from 0 to 15"},
		{one + "10:0:0:0:2:0:0:8:8:1\n", ":3: communicator 2 is not defined"},
		{one + "10:0:0:0:1:0:0:8:8:2\n", ":3: a wait without an open collective 0 in communicator 1"},
		{head + "d:1:2:1:1\n10:0:0:0:2:0:0:8:8:1\n", ":4: task 0 is not in communicator 2"},
		{head + "10:0:0:8:1:0:0:9223372036854775807:8:1\n", "exceed 63 bits"},
		{head + "10:0:0:0:1:0:0:0:0:1\n0:1:0\n", "1 of the 2 tasks of communicator 1 take part in its collectives"},
		{head + "10:0:0:1:1:1:0:8:8:1\n0:1:0\n", ":3: 1 of the 2 tasks of communicator 1 take part in this collective"},
		{head + "10:0:0:1:1:5:0:8:8:1\n10:1:0:1:1:5:0:8:8:1\n", ":3: no root"},
		{head + "10:0:0:1:1:3:0:8:8:1\n10:1:0:1:1:4:0:8:8:1\n", ":3: no root"},
		{head + "10:0:0:1:1:0:0:8:8:1\n10:1:0:0:1:0:0:0:0:1\n", ":3: 1 of the 2 tasks"},
		{head + "0:0:0\n0:1:0\n0:0:0\n", ":5: a record of task 0 behind those of task 1"},
	} {
		t.Run(c.text, func(t *testing.T) {
			_, r, err := read(t, c.text, format.Options{})
			if err == nil && formattest.HasNote(r.Notes, c.want) {
				return
			}
			formattest.WantError(t, c.text, err, "", c.want)
		})
	}
	_, _, err := read(t, head, formattest.Set("threads", "all"))
	formattest.WantError(t, "setting", err, "--set threads=all", "choose refuse or first")
	_, _, err = formattest.ImportFiles(t, Dimemas{}, format.Options{}, "testdata/dimemas.sample", "testdata/dimemas.sample")
	formattest.WantError(t, "two files", err, "testdata/dimemas.sample: a second file", "one file")
}

// A file that is cut anywhere in its records is an error.
func TestCut(t *testing.T) {
	text := formattest.Sample(t, "ring.dim")
	for n := 0; n < len(text)-4; n++ { // the last line is s:3:734, cut to s:3:7 at most
		if _, _, err := read(t, text[:n], format.Options{}); err == nil {
			t.Fatalf("cut after %d of %d bytes: no error", n, len(text))
		}
	}
}

// Any bytes at all are a trace or one line of error.
func FuzzDimemas(f *testing.F) {
	f.Add([]byte(formattest.Sample(f, "ring.dim")), false, false)
	f.Add([]byte(head+"10:0:0:11:1:0:0:8:8:0\n10:0:0:1:1:1:0:8:0:0\n10:0:0:1:1:1:0:8:0:2\n10:1:0:1:1:0:0:0:8:0\n"), true, false)
	f.Add([]byte("#DIMEMAS:\"x\":0:1(2),0,1(0),0\n1:0:0:1\n2:0:0:0:1:0:9:0:3\n1:0:1:5\n11:0:1:5\n3:0:1:0:0:0:9:0:0\n"), false, true)
	f.Fuzz(func(t *testing.T, text []byte, accept, first bool) {
		o := format.Options{Unmatched: accept}
		if first {
			o.Set = map[string]string{"threads": "first"}
		}
		m, _, err := read(t, string(text), o)
		formattest.CheckFuzzed(t, m, o, err)
	})
}

// BenchmarkImportDimemas reads an exchange of halos on 16 ranks.
func BenchmarkImportDimemas(b *testing.B) {
	const ranks = 16
	var text strings.Builder
	fmt.Fprintf(&text, "#DIMEMAS:\"x\":0:%d(1%s),1\nd:1:1:%d", ranks, strings.Repeat(",1", ranks-1), ranks)
	for rank := range ranks {
		fmt.Fprintf(&text, ":%d", rank)
	}
	text.WriteByte('\n')
	for rank := range ranks {
		left, right := (rank+ranks-1)%ranks, (rank+1)%ranks
		for step := range 2000 {
			fmt.Fprintf(&text, "1:%d:0:0.00%d\n3:%d:0:%d:-1:1024:1:1:1\n2:%d:0:%d:-1:1024:1:1:2\n3:%d:0:%d:-1:1024:1:1:2\n10:%d:0:11:1:0:0:8:8:1\n",
				rank, 1000+step, rank, left, rank, right, rank, left, rank)
		}
	}
	formattest.BenchmarkImport(b, Dimemas{}, []byte(text.String()))
}
