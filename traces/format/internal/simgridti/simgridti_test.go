package simgridti

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/traces/format/internal/formattest"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// TiMust imports good text, whose trace must be sound.
func TiMust(t *testing.T, text string, o format.Options) (*trace.Memory, format.Result) {
	t.Helper()
	m, r := formattest.MustImport(t, SimGridTI{}, text, o)
	m.Head.WorkUnit = trace.WorkFlop
	return m, r
}

// TiFiles imports files.
func TiFiles(t *testing.T, o format.Options, paths ...string) (*trace.Memory, format.Result, error) {
	t.Helper()
	files := input.NewFiles(context.Background(), paths, nil, nil)
	defer files.Close()
	sink := new(formattest.MemorySink)
	r, err := SimGridTI{}.ImportFiles(files, o, sink)
	sink.Head = trace.Header{Procs: r.Procs, WorkUnit: trace.WorkFlop}
	return &sink.Memory, r, err
}

// TiWrite makes files in a folder of the test's.
func TiWrite(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// brief is an event in few words: kind, peer, tag, bytes, request and work.
func brief(e *trace.Event) string {
	return fmt.Sprintf("%s %d %d %d %d %d", e.Kind, e.Peer, e.Tag, e.Bytes, e.Request, e.Work)
}

func briefs(m *trace.Memory, p trace.Proc) (all []string) {
	es := formattest.Events(m, p)
	for i := range es {
		all = append(all, brief(&es[i]))
	}
	return all
}

// tiWantError makes sure that err is one line with all of parts.
func tiWantError(t *testing.T, what string, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		formattest.WantError(t, what, err, "", part)
	}
}

func TestTIActions(t *testing.T) {
	for _, c := range []struct {
		text string
		proc trace.Proc
		want []string // kind, peer, tag, bytes, request, work
	}{
		{formattest.TiOf("compute 5; compute 0; compute 1e3"), 0, []string{"compute -1 -1 0 -1 5", "compute -1 -1 0 -1 1000"}},
		{formattest.TiOf("compute 0.5; compute 0.25; compute 0.25; compute 7.5"), 0, []string{"compute -1 -1 0 -1 1", "compute -1 -1 0 -1 7"}},
		{formattest.TiOf("send 1 7 5e1 1", "recv 0 7 50 1"), 0, []string{"send 1 7 200 -1 0"}},
		{formattest.TiOf("send 1 7 5e1 1", "recv 0 7 50 1"), 1, []string{"recv 0 7 200 -1 0"}},
		{formattest.TiOf("send 1 7 9 1", "recv -555 -444 -1 1"), 1, []string{"recv -1 -1 0 -1 0"}},
		{formattest.TiOf("isend 1 7 10; isend 1 8 10; wait 0 1 8; wait 0 1 7", "recv 0 7 10; recv 0 8 10"), 0,
			[]string{"isend 1 7 10 0 0", "isend 1 8 10 1 0", "wait -1 -1 0 1 0", "wait -1 -1 0 0 0"}},
		{formattest.TiOf("isend 1 7 1; isend 1 7 2; wait 0 1 7; wait 0 1 7", "recv 0 7 1; recv 0 7 2"), 0, // the oldest first
			[]string{"isend 1 7 1 0 0", "isend 1 7 2 1 0", "wait -1 -1 0 0 0", "wait -1 -1 0 1 0"}},
		{formattest.TiOf("irecv 1 3 8; irecv 1 4 8; waitall 2", "send 0 3 8; send 0 4 8"), 0,
			[]string{"irecv 1 3 8 0 0", "irecv 1 4 8 1 0", "wait -1 -1 0 0 0", "wait -1 -1 0 1 0"}},
		{formattest.TiOf("irecv -555 -444 8; wait 1 0 3", "send 0 3 8"), 0, []string{"irecv -1 -1 8 0 0", "wait -1 -1 0 0 0"}},
		{formattest.TiOf("irecv 1 3 8; test 1 0 3; test 1 0 3", "send 0 3 8"), 0, // waited for at the end
			[]string{"irecv 1 3 8 0 0", "test -1 -1 0 0 0", "test -1 -1 0 0 0", "wait -1 -1 0 0 0"}},
		{formattest.TiOf("sendRecv 9 1 9 1 1 1", "sendRecv 9 0 9 0 1 1"), 0, []string{"irecv 1 0 36 0 0", "send 1 0 36 -1 0", "wait -1 -1 0 0 0"}},
		{formattest.TiOf("sendRecv 9 -666 9 1 1 1", "sendRecv 9 0 9 -666 1 1"), 0, []string{"irecv 1 0 36 0 0", "wait -1 -1 0 0 0"}},
		{formattest.TiOf("sendRecv 9 -666 9 1 1 1", "sendRecv 9 0 9 -666 1 1"), 1, []string{"send 0 0 36 -1 0"}},
		{formattest.TiOf("send -666 3 1; isend -333 3 1; wait 0 -333 3; recv -666 1 1"), 0, nil},
		{formattest.TiOf("barrier; bcast 3; bcast 3 1 1; reduce 3 9; reduce 3 9 1 1; allreduce 3 9 1; scan 3 9 1; exscan 3 9 1",
			"barrier; bcast 3; bcast 3 1 1; reduce 3 9; reduce 3 9 1 1; allreduce 3 9 1; scan 3 9 1; exscan 3 9 1"), 0,
			[]string{"barrier -1 -1 0 -1 0", "bcast 0 -1 3 -1 0", "bcast 1 -1 12 -1 0", "reduce 0 -1 3 -1 9", "reduce 1 -1 12 -1 9",
				"allreduce -1 -1 12 -1 9", "scan -1 -1 12 -1 9", "scan -1 -1 12 -1 9"}},
		{formattest.TiOf("alltoall 3 3; alltoall 3 3 1 1; alltoall 0 1 1; allgather 3 3; allgather 0 5 1 1; allgather 0 1 1",
			"alltoall 3 3; alltoall 3 3 1 1; alltoall 0 1 1; allgather 3 3; allgather 0 5 1 1; allgather 0 1 1"), 0,
			[]string{"alltoall -1 -1 6 -1 0", "alltoall -1 -1 24 -1 0", "alltoall -1 -1 0 -1 0", "allgather -1 -1 3 -1 0", "allgather -1 -1 20 -1 0", "allgather -1 -1 0 -1 0"}},
		{formattest.TiOf("gather 4 4; gather 0 4 0 1 1; scatter 4 0 0 1 1; gather 4 4 1", "gather 4 4; gather 4 0 1 1; scatter 4 4 0 1 1; gather 4 4 1"), 0,
			[]string{"gather 0 -1 4 -1 0", "gather 0 -1 16 -1 0", "scatter 0 -1 16 -1 0", "gather 1 -1 4 -1 0"}},
		{formattest.TiOf("gather 4 4; gather 0 4 0 1 1; scatter 4 0 0 1 1; gather 4 4 1", "gather 4 4; gather 4 0 1 1; scatter 4 4 0 1 1; gather 4 4 1"), 1,
			[]string{"gather 0 -1 4 -1 0", "gather 0 -1 16 -1 0", "scatter 0 -1 16 -1 0", "gather 1 -1 4 -1 0"}},
		{formattest.TiOf("gatherv 1 1 2; gatherv 1 1 2 0; gatherv 1 1 2 0 1 1; scatterv 1 2 1; scatterv 1 2 1 0; scatterv 1 2 1 0 1 1; scatterv 0 2 0 1 1",
			"gatherv 2 0 0; gatherv 2 0 0 0; gatherv 2 0 0 0 1 1; scatterv 0 0 2; scatterv 0 0 2 0; scatterv 0 0 2 0 1 1; scatterv 0 0 2 0 1 1"), 1,
			[]string{"gather 0 -1 2 -1 0", "gather 0 -1 2 -1 0", "gather 0 -1 8 -1 0", "scatter 0 -1 2 -1 0", "scatter 0 -1 2 -1 0", "scatter 0 -1 8 -1 0", "scatter 0 -1 8 -1 0"}},
		{formattest.TiOf("allgatherv 1 1 2; allgatherv 1 1 2 1 1; allgatherv 1 1 2 1 1 0 4; alltoallv 5 1 2 5 1 3; alltoallv 5 1 2 5 1 3 1 1; reducescatter 1 2 9; reducescatter 1 2 9 1",
			"allgatherv 2 1 2; allgatherv 2 1 2 1 1; allgatherv 2 1 2 1 1 0 4; alltoallv 5 3 0 5 2 0; alltoallv 5 3 0 5 2 0 1 1; reducescatter 1 2 9; reducescatter 1 2 9 1"), 1,
			[]string{"allgather -1 -1 2 -1 0", "allgather -1 -1 8 -1 0", "allgather -1 -1 8 -1 0", "alltoall -1 -1 3 -1 0", "alltoall -1 -1 12 -1 0",
				"reduce 0 -1 3 -1 9", "scatter 0 -1 2 -1 0", "reduce 0 -1 12 -1 9", "scatter 0 -1 8 -1 0"}},
		{"# comment\n\n0 init 1\n0\tbcast  3 \n0 location a b.c 7\n0 comm_size 4\n0 migrate 5\n0 finalize\n0 location x 1\n", 0, []string{"bcast 0 -1 24 -1 0"}},
		{"0 init\r\n0 compute 3\r\n0 finalize\r\n", 0, []string{"compute -1 -1 0 -1 3"}},
	} {
		m, _ := TiMust(t, c.text, format.Options{})
		if got := briefs(m, c.proc); !slices.Equal(got, c.want) {
			t.Errorf("%q: rank %d does\n %q, want\n %q", c.text, c.proc, got, c.want)
		}
	}
}

func TestTINotes(t *testing.T) {
	for _, c := range []struct{ text, note string }{
		{formattest.TiOf("sleep 2.5"), "1 sleep omitted: their unit is seconds"},
		{formattest.TiOf("compute 1.5; compute 2.5"), "2 amounts of flop with a fraction"},
		{formattest.TiOf("location x 3"), "1 location line omitted (line 2)"},
		{formattest.TiOf("comm_split"), "have no effect"},
		{formattest.TiOf("irecv -555 1 8; waitall", "send 0 1 8"), "1 receive from any source"},
		{formattest.TiOf("send -666 3 1"), "1 action with partner MPI_PROC_NULL"},
		{formattest.TiOf("recv 1 1 -1", "send 0 1 8"), "1 receive without a size"},
		{formattest.TiOf("bcast 3"), "1 size without datatype"},
		{formattest.TiOf("bcast 3 0 -1"), "datatype -1 (none)"},
		{formattest.TiOf("bcast 3.7 0 6"), "1 number of elements with a fraction"},
		{formattest.TiOf("allgather 0 6 6"), "the tracer omits"},
		{formattest.TiOf("allgather 0 5 6 6"), "1 collective in place"},
		{formattest.TiOf("gatherv 5 5 0 6 6"), "1 collective with a number of elements for each rank"},
		{formattest.TiOf("reducescatter 5 1 6"), "1 reducescatter imported as reduce to rank 0 and scatter"},
		{formattest.TiOf("exscan 5 1 6"), "1 exscan imported as scan"},
		{formattest.TiOf("sendRecv 1 0 1 0 6 6"), "1 sendRecv imported as irecv, send and wait"},
		{formattest.TiOf("test 0 0 3"), "1 test without a request"},
		{formattest.TiOf("irecv 0 3 1; send 0 3 1; test 0 0 3"), "1 request tested but not waited for"},
		{formattest.TiOf("irecv 0 -444 1; send 0 3 1; wait 0 0 3"), "1 wait for a sender and tag"},
		{formattest.TiOf("irecv 0 3 1; irecv 0 4 1; send 0 3 1; send 0 4 1; waitall 1"), "1 waitall for fewer requests than are open"},
		{strings.TrimSuffix(formattest.TiOf("compute 5"), "\n"), "1 last line without line end: read here, dropped by SimGrid; it may be truncated (line 3)"},
		{"\xef\xbb\xbf" + formattest.TiOf("compute 5"), "byte order mark"},
		{strings.ReplaceAll(formattest.TiOf("compute 5"), "\n", "\r\n"), "3 lines with carriage return"},
		{formattest.TiOf("isend 0 3 1; recv 0 3 1"), "wait"}, // the matcher's
	} {
		t.Run(c.text, func(t *testing.T) {
			_, r := TiMust(t, c.text, format.Options{})
			if !strings.Contains(strings.Join(r.Notes, "\n"), c.note) {
				t.Errorf("notes %q, want %q", r.Notes, c.note)
			}
		})
	}
}

func TestTIErrors(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", []string{":1:", "empty"}},
		{"# nothing\n", []string{":1:", "no actions"}},
		{"0 init\n5\n", []string{":2:", "no action after the rank"}},
		{"0 init\nfive init\n", []string{":2:", "no rank at the start", `"five init"`}},
		{"0 init\n-1 init\n", []string{":2:", "no rank at the start"}},
		{"9999999 init\n", []string{":1:", "below 1048576"}},
		{"0 init\n0 waitAny 2\n", []string{":2:", `unknown action "waitAny"`, "replay has no such action"}},
		{"0 init\n0 waitAll\n", []string{":2:", `unknown action "waitAll"`, "simgrid_convert_TI_traces"}},
		{"0 init\n0 compute\n", []string{":2:", "compute has 0 values, needs an amount of flop"}},
		{"0 init\n0 compute 5 6\n", []string{":2:", "compute has 2 values"}},
		{"0 init\n0 compute x\n", []string{":2:", `amount of flops "x" is not a number`}},
		{"0 init\n0 compute inf\n", []string{":2:", "not finite"}},
		{"0 init\n0 compute 1e999\n", []string{":2:", "not finite"}},
		{"0 init\n0 compute 1e19\n", []string{":2:", "is over 63 bits"}},
		{"0 init\n0 compute -0.5\n", []string{":2:", "negative"}},
		{"0 init\n0 sleep -1\n", []string{":2:", "seconds from 0"}},
		{"0 init\n0 send 0 -444 1\n", []string{":2:", "tag -444"}},
		{"0 init\n0 send 0 -2 1\n", []string{":2:", "tag -2"}},
		{"0 init\n0 send 0 99999999999 1\n", []string{":2:", "over 32 bits"}},
		{"0 init\n0 send -5 1 1\n", []string{":2:", "partner -5"}},
		{"0 init\n0 send -555 1 1\n", []string{":2:", "partner -555"}},
		{"0 init\n0 send 0 1 -1\n", []string{":2:", `negative size "-1"`}},
		{"0 init\n0 send 0 1 4e18 0\n", []string{":2:", "exceed 63 bits"}},
		{"0 init\n0 bcast 1 0 60\n", []string{":2:", `unknown datatype id "60"`, "0 to 59"}},
		{"0 init\n0 bcast 1 -1\n", []string{":2:", `root "-1" is below 0`}},
		{"0 init\n0 bcast 1 3\n0 finalize\n", []string{":2:", "partner 3, but the trace has 1 rank", "the file of one rank"}},
		{"0 init\n0 init\n", []string{":2:", "second init of rank 0"}},
		{"0 init\n0 alltoall 1 1\n1 init\n", []string{":3:", "init of rank 1 after line 2", "--set ranks=N"}},
		{"0 init\n0 send 1 1 1\n0 alltoall 1 1\n1 init\n", []string{":2:", "partner 1, but the trace has 1 rank"}},
		{"1 init\n1 finalize\n", []string{":2:", "only rank 1 is in"}},
		{"1 init\n3 init\n1 finalize\n3 finalize\n", []string{":4:", "rank 3 is in this file, but rank 0 has no actions"}},
		{"0 init\n1 location x 1\n0 finalize\n", []string{":2:", "rank 1 has no init"}},
		{"0 init\n0 alltoallv 1 1 1 1 1\n", []string{":2:", "sendcounts has 0 entries, but the communicator has 1 rank"}},
		{"0 init\n1 init\n0 reducescatter 9e18 9e18 0\n", []string{":3:", "exceeds 63 bits"}},
		{"0 init\n0 com\x00\x00\n", []string{":2:", "2 NUL bytes"}},
		{formattest.TiOf("send 1 3 8", ""), []string{":3:", "send from rank 0 to rank 1", "--unmatched"}},
		{formattest.TiOf("barrier", ""), []string{"barrier"}},
		{formattest.TiOf("recv -555 3 8", ""), []string{":3:", "1 receive from any source"}},
	} {
		t.Run(fmt.Sprintf("%v %v", c.text, c.want), func(t *testing.T) {
			_, _, err := formattest.ImportText(SimGridTI{}, c.text, format.Options{})
			tiWantError(t, c.text, err, c.want...)
			if c.text == "" {
				return
			}
			if len(c.want) > 0 && !strings.HasPrefix(err.Error(), "standard input:") {
				t.Errorf("%q: the error %q does not say where", c.text, err)
			}
		})
	}
}

func TestTISettings(t *testing.T) {
	m, r := TiMust(t, formattest.TiOf("sleep 2.5e-9; compute 0.5"), format.Options{Set: map[string]string{"flops": "1Gf"}})
	if got := briefs(m, 0); !slices.Equal(got, []string{"compute -1 -1 0 -1 2", "compute -1 -1 0 -1 1"}) {
		t.Errorf("a sleep of 2.5 ns at 1 Gflop/s and half a flop: %q, %q", got, r.Notes)
	}
	apart := "0 init\n0 alltoall 1 1\n0 finalize\n1 init\n1 alltoall 1 1\n1 finalize\n"
	if m, _ := TiMust(t, apart, format.Options{Set: map[string]string{"ranks": "2"}}); formattest.Events(m, 0)[0].Bytes != 2 {
		t.Errorf("an alltoall of 2 ranks with 1 byte for each: %q", briefs(m, 0))
	}
	if m, r := TiMust(t, "0 init\n0 compute 3\n", format.Options{Unmatched: true}); len(formattest.Events(m, 0)) != 1 || !strings.Contains(r.Notes[0], "1 rank without finalize") {
		t.Errorf("a cut trace: %q, %q", briefs(m, 0), r.Notes)
	}
	for _, c := range []struct{ name, value, want string }{
		{"flops", "1", `"1Gf"`}, {"flops", "0Gf", "not above 0"}, {"flops", "fast", "quantity"},
		{"ranks", "0", "not a number from 1"}, {"ranks", "x", "not a number from 1"}, {"ranks", "2", "rank 1 of 2 has no actions"},
	} {
		_, _, err := formattest.ImportText(SimGridTI{}, formattest.TiOf(""), format.Options{Set: map[string]string{c.name: c.value}})
		tiWantError(t, c.name+"="+c.value, err, c.want)
	}
	_, _, err := formattest.ImportText(SimGridTI{}, apart, format.Options{Set: map[string]string{"ranks": "1"}})
	tiWantError(t, "too few ranks", err, ":4:", "rank 1, but --set ranks=1")
}

// SameEvents compares all events.
func SameEvents(t *testing.T, what string, got, want *trace.Memory) {
	t.Helper()
	if got.Head.Procs != want.Head.Procs {
		t.Fatalf("%s: %d processors, want %d", what, got.Head.Procs, want.Head.Procs)
	}
	for p := range trace.Proc(want.Head.Procs) {
		g, w := briefs(got, p), briefs(want, p)
		if !slices.Equal(g, w) {
			i := 0
			for i < len(g) && i < len(w) && g[i] == w[i] {
				i++
			}
			t.Fatalf("%s: processor %d: %d events, want %d; the first difference is at %d: %q, want %q",
				what, p, len(g), len(w), i, g[i:min(i+1, len(g))], w[i:min(i+1, len(w))])
		}
	}
}

// Any bytes at all are a trace or one line of error.
func FuzzSimGridTI(f *testing.F) {
	f.Add([]byte(formattest.TiOf("compute 5; irecv 1 3 8; waitall; alltoall 3 3 1 1", "send 0 3 8; alltoall 3 3 1 1")), false)
	f.Add([]byte(formattest.TiOf("isend 0 3 8; test 0 0 3; recv -555 -444 8; sendRecv 1 -666 1 0 6 6")), true)
	f.Add([]byte(formattest.TiOf("gatherv 1 1 2 0 1 1; scatterv 1 2 1; reducescatter 1 2 9", "gatherv 2 0 0 0 1 1; scatterv 0 0 2 0 1 1; reducescatter 1 2 9 1")), false)
	f.Add([]byte("files/rank-0.txt\nfiles/rank-1.txt\n"), false)
	f.Fuzz(func(t *testing.T, file []byte, accept bool) {
		m, r, err := formattest.ImportBytes(SimGridTI{}, file, format.Options{Unmatched: accept, Set: map[string]string{"flops": "1Gf"}})
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\x00") || len(err.Error()) > 600 {
				t.Errorf("%q", err)
			}
			return
		}
		m.Head.WorkUnit = trace.WorkFlop
		if accept {
			return
		}
		if err := trace.Check(m); err != nil {
			t.Fatalf("%v\n%q", err, r.Notes)
		}
		if r.Procs > 64 {
			return
		}
		var out bytes.Buffer
		if _, err := (SimGridTI{}).Export(m, format.ExportOptions{}, &out); err != nil {
			t.Fatalf("written: %v", err)
		}
		again, _, err := formattest.ImportBytes(SimGridTI{}, out.Bytes(), format.Options{})
		if err != nil {
			t.Fatalf("read again: %v\n%s", err, out.Bytes())
		}
		SameEvents(t, "read again", again, m)
	})
}

// BenchmarkImportSimGridTI reads an exchange of halos on 16 ranks: per step and rank
// two computes, four messages, a waitall and an allreduce.
func BenchmarkImportSimGridTI(b *testing.B) {
	const ranks = 16
	bodies := make([]string, ranks)
	for rank := range bodies {
		var body strings.Builder
		left, right := (rank+ranks-1)%ranks, (rank+1)%ranks
		for step := range 2000 {
			fmt.Fprintf(&body, "compute %d.25;irecv %d 1 1024 0;irecv %d 2 1024 0;isend %d 2 1024 0;isend %d 1 1024 0;compute %d;waitall 4;allreduce 1 1 0;",
				1000+step, left, right, left, right, 20000+step)
		}
		bodies[rank] = body.String()
	}
	formattest.BenchmarkImport(b, SimGridTI{}, []byte(formattest.TiOf(bodies...)))
}
