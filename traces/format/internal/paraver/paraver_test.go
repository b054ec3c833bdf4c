package paraver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/traces/format/internal/chrome"
	"spoor/traces/format/internal/formattest"
	"spoor/traces/internal/format"
	"spoor/traces/trace"
)

// importPrv imports text and holds the trace to its invariants.
func importPrv(t testing.TB, text string) (*trace.Memory, format.Result) {
	t.Helper()
	m, r, err := formattest.ImportText(Paraver{}, text, format.Options{})
	if err != nil {
		t.Fatalf("%.200q: %v", text, err)
	}
	m.Head.HasTime, m.Head.WorkUnit = true, trace.WorkPicos
	if err := trace.Check(m); err != nil {
		t.Fatalf("%.200q gives a trace that is not sound: %v", text, err)
	}
	return m, r
}

const worldsNote = "messages have no communicator"

func TestParaverSamples(t *testing.T) {
	dir := formattest.Shared(t, "paraver")
	for name, want := range map[string]string{
		"minimal_us_noresource.prv": "[{states 3} {events 1} {communications 1} {global communications 0} {comments 1} {communicators 0} {event pairs 2} {communication bytes 512}]",
		"ring4.prv":                 "[{states 4} {events 104} {communications 14} {global communications 0} {comments 0} {communicators 2} {event pairs 104} {communication bytes 19284}]",
	} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if _, r := importPrv(t, string(text)); fmt.Sprint(r.Counts) != want || r.Lines != uint64(strings.Count(string(text), "\n")) {
			t.Errorf("%s: %d lines, %v, want %s", name, r.Lines, r.Counts, want)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "ring4.prv"))
	if err != nil {
		t.Fatal(err)
	}
	m, _ := importPrv(t, string(text))
	got, _, _ := strings.Cut(formattest.EventText(m, 0), ", compute 50 @96")
	if want := "compute 60 @0, irecv 3 800B r1 @60, compute 5 @62, isend 1 800B r0 @67, compute 5 @69, wait r1 @74, wait r0 @74"; got != want {
		t.Errorf("ring4: rank 0 begins with %s, want %s", got, want)
	}
	if got, want := formattest.SentOf(m), otf2Messages(t); got != want {
		t.Errorf("the messages of ring4:\n%s\nthose of the OTF2 trace it was made from:\n%s", got, want)
	}
}

// otf2Messages lists the messages of ring4, as otf2-print shows them.
func otf2Messages(t *testing.T) string {
	text, err := os.ReadFile(filepath.Join(formattest.Shared(t, "otf2"), "ring4.print.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "MPI_SEND ") || strings.HasPrefix(line, "MPI_ISEND ") {
			var kind, what string
			var from, time, to, tag, bytes int
			fmt.Sscan(line, &kind, &from, &time, &what, &to)
			fmt.Sscanf(line[strings.Index(line, "Tag: "):], "Tag: %d, Length: %d", &tag, &bytes)
			all = append(all, fmt.Sprint(from, to, tag, bytes))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// Times of bare messages, open states, microseconds, other threads.
func TestParaverWithoutCalls(t *testing.T) {
	m, r := importPrv(t, "#Paraver (01/01/26 at 00:00):100:0:1:2(2:0,1:0)\n# a comment\n1:0:1:1:1:0:100:1\n1:0:1:1:2:0:50:1\n"+
		"1:0:1:2:1:0:-1:1\n2:0:1:1:1:10:60000019:1:60000020:2\n3:0:1:1:1:20:22:0:1:2:1:30:31:512:7\n")
	formattest.WantTold(t, m, "compute 20000 @0, send 1 512B @20000, compute 80000 @20000", "compute 30000 @0, recv 0 512B @30000, compute 70000 @30000")
	formattest.WantNotes(t, r, "1 record of threads other than the first", "2 sides of a message outside MPI calls", worldsNote)
}

// Extrae's logical time of a receive is that of the call that asks for it.
func TestParaverNonblocking(t *testing.T) {
	m, r := importPrv(t, formattest.PrvTwo+
		"1:0:1:1:1:0:1000:1\n1:0:1:2:1:0:1000:1\n"+
		"2:0:1:1:1:10:50000001:4\n2:0:1:1:1:12:50000001:0\n2:0:1:1:1:15:50000001:4\n2:0:1:1:1:17:50000001:0\n"+
		"2:0:1:2:1:20:50000001:3\n3:0:1:2:1:20:21:0:1:1:1:15:60:8:1\n2:0:1:2:1:22:50000001:0\n"+
		"2:0:1:2:1:30:50000001:1\n3:0:1:2:1:30:31:0:1:1:1:10:50:16:2\n2:0:1:2:1:35:50000001:0\n"+
		"2:0:1:1:1:40:50000001:5\n2:0:1:1:1:50:50000001:0\n2:0:1:2:1:55:50000001:6\n2:0:1:1:1:56:50000001:5\n2:0:1:1:1:60:50000001:0\n2:0:1:2:1:70:50000001:0\n")
	formattest.WantTold(t, m,
		"compute 10 @0, irecv 1 16B r1 @10, compute 3 @12, irecv 1 8B r0 @15, compute 23 @17, wait r1 @40, compute 6 @50, wait r0 @56, compute 940 @60",
		"compute 20 @0, isend 0 8B r0 @20, compute 8 @22, send 0 16B @30, compute 20 @35, wait r0 @55, compute 930 @70")
	formattest.WantNotes(t, r, worldsNote)
}

// Of two Irecvs that touch in time, a message is the one's that begins when it was asked for, though it comes first.
func TestParaverTouchingIrecvs(t *testing.T) {
	m, r := importPrv(t, formattest.PrvTwo+
		"1:0:1:1:1:0:1000:1\n1:0:1:2:1:0:1000:1\n"+
		"2:0:1:1:1:10:50000001:4\n2:0:1:1:1:12:50000001:0\n2:0:1:1:1:12:50000001:4\n2:0:1:1:1:14:50000001:0\n"+
		"2:0:1:2:1:20:50000001:1\n3:0:1:2:1:20:21:0:1:1:1:12:50:8:1\n2:0:1:2:1:22:50000001:0\n"+
		"2:0:1:2:1:30:50000001:1\n3:0:1:2:1:30:31:0:1:1:1:10:60:16:2\n2:0:1:2:1:35:50000001:0\n"+
		"2:0:1:1:1:40:50000001:5\n2:0:1:1:1:50:50000001:0\n2:0:1:1:1:50:50000001:5\n2:0:1:1:1:60:50000001:0\n")
	if got, want := formattest.EventText(m, 0), "compute 10 @0, irecv 1 16B r1 @10, irecv 1 8B r0 @12, compute 26 @14, wait r0 @40, wait r1 @50, compute 940 @60"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	formattest.WantNotes(t, r, worldsNote)
}

// An Irecv that nobody completes, and one whose message comes too late to say which.
func TestParaverBlockingAndSendrecv(t *testing.T) {
	m, r := importPrv(t, formattest.PrvTwo+
		"2:0:1:1:1:10:50000001:41\n3:0:1:1:1:10:30:0:1:2:1:5:12:8:1\n3:0:1:2:1:20:20:0:1:1:1:10:30:4:1\n2:0:1:1:1:30:50000001:0\n"+
		"2:0:1:1:1:40:50000001:62\n2:0:1:1:1:41:50000001:0:50000003:31\n2:0:1:1:1:50:50000003:0\n2:0:1:1:1:60:50000001:4\n2:0:1:1:1:61:50000001:0\n")
	formattest.WantTold(t, m, "compute 10 @0, isend 1 8B r0 @10, recv 1 4B @10, wait r0 @10, compute 10 @30, iprobe @40, compute 10 @50",
		"compute 10 @0, recv 0 8B @10, compute 10 @10, send 0 4B @20")
	formattest.WantNotes(t, r, "1 MPI_Irecv without a message", "2 sides of a message outside MPI calls", "2 tasks without states", worldsNote)
	if !slices.Contains(r.Facts, "calls that are not events: init 1") {
		t.Errorf("facts %q", r.Facts)
	}
}

// The root is known from its own record alone, and sizes mean what Extrae has them mean.
func TestParaverCollectives(t *testing.T) {
	call := func(t, task, value, sent, received, root, comm int) string {
		s := fmt.Sprintf("2:0:1:%d:1:%d:50000002:%d:50100001:%d:50100002:%d:50100004:%d", task, t, value, sent, received, comm)
		if root > 0 {
			s += ":50100003:1"
		}
		return s + "\n"
	}
	leave := func(t, task int) string { return fmt.Sprintf("2:0:1:%d:1:%d:50000002:0\n", task, t) }
	m, r := importPrv(t, "#Paraver (21/11/2026 at 06:43):1000_ns:1(2):1:2(1:1,1:1),2\nc:1:1:2:1:2\nc:1:2:1:2\n"+
		"1:0:1:1:1:0:0:0\n1:0:1:2:1:0:0:0\n"+
		call(10, 1, 9, 80, 0, 0, 1)+leave(11, 1)+ // reduce to task 2, which comes later
		call(20, 1, 11, 5, 5, 0, 1)+call(30, 2, 9, 0, 80, 1, 1)+leave(31, 2)+call(32, 2, 11, 5, 5, 0, 1)+leave(40, 1)+leave(40, 2)+
		call(50, 2, 10, 7, 7, 0, 2)+leave(51, 2)+
		call(60, 1, 15, 24, 12, 1, 1)+call(60, 2, 15, 0, 12, 0, 1)+leave(70, 1)+leave(70, 2)+
		call(80, 1, 80, 24, 12, 0, 1)+call(80, 2, 80, 24, 12, 0, 1)+leave(90, 1)+leave(90, 2))
	formattest.WantTold(t, m,
		"reduce 1 80B @10, alltoall 10B @20, scatter 0 12B @60, reduce 0 24B @80, scatter 0 12B @80",
		"reduce 1 80B @30, alltoall 10B @32, allreduce g0 7B @50, scatter 0 12B @60, reduce 0 24B @80, scatter 0 12B @80")
	formattest.WantNotes(t, r, "2 MPI_Reduce_scatters imported as a reduce and a scatter")
}

// Applications come one after the other.
func TestParaverApplications(t *testing.T) {
	m, r := importPrv(t, "new format\n#Paraver (21/11/26 at 06:43):1_ms:0:2:1(1:0):2(1:0,1:0),1\r\nc:2:1:2:1:2\r\n"+
		"2:0:2:1:1:0:50000002:8\n2:0:2:2:1:0:50000002:8\n2:0:2:1:1:1:50000002:0\n3:0:1:1:1:1:1:0:2:2:1:2:2:5:0\n4:anything\n")
	formattest.WantTold(t, m, "compute 1000000 @0, send 2 5B @1000000", "barrier g0 @0", "barrier g0 @0, compute 1000000 @1000000, recv 0 5B @2000000")
	formattest.WantNotes(t, r, "carriage return", "1 MPI call without an end", "2 sides", "1 record of global communication", "3 tasks without states", worldsNote)
	if !slices.Contains(r.Facts, "2 applications: their tasks are numbered consecutively") {
		t.Errorf("facts %q", r.Facts)
	}
}

// Records out of order are taken, clocks that differ are noted, names are matched to calls.
func TestParaverDisorder(t *testing.T) {
	m, r := importPrv(t, formattest.PrvTwo+"2:0:1:1:1:100:50000002:8\n2:0:1:2:1:100:50000002:8\n2:0:1:1:1:200:50000002:0\n2:0:1:2:1:200:50000002:0\n"+
		"2:0:1:1:1:300:50000002:8\n2:0:1:2:1:300:50000002:8\n3:0:1:1:1:90:90:0:1:2:1:5:5:8:1\n")
	formattest.WantTold(t, m, "compute 100 @0, barrier @100, compute 100 @200, barrier @300, send 1 8B @300",
		"compute 100 @0, barrier @100, compute 100 @200, barrier @300, recv 0 8B @300")
	formattest.WantNotes(t, r, "1 record out of the order of time", "1 message received before being sent", "2 MPI calls without an end",
		"2 sides of a message", "2 tasks without states", worldsNote)
}

func TestBadParaver(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                    {":1:", "empty"},
		"\n1":                                 {":2:", `does not start with "#Paraver ("`},
		"new format\n":                        {`does not start with "#Paraver ("`},
		"#Paraver (1/1/26 at 0:0:\n":          {"the date does not end"},
		"#Paraver (1/1/26):x_ns:0:1:1(1:0)\n": {"the duration is not a decimal number"},
		"#Paraver (1/1/26):9223372036854775807:0:1:1(1:0)\n":                                                 {"the duration exceeds 64 bits"},
		"#Paraver (1/1/26):5:x:1:1(1:0)\n":                                                                   {"the number of nodes"},
		"#Paraver (1/1/26):5:0:0\n":                                                                          {"the number of applications is 0"},
		"#Paraver (1/1/26):5:0:99999999999:1(1:0)\n":                                                         {"announces 99999999999 applications but describes 1"},
		"#Paraver (1/1/26):5:0:1:2(1:0)\n":                                                                   {"application 1: it has 2 tasks, but 1 are described"},
		"#Paraver (1/1/26):5:0:1:1(0:0)\n":                                                                   {"number of threads of task 1"},
		"#Paraver (1/1/26):5:0:1:1\n":                                                                        {"not in brackets"},
		"#Paraver (1/1/26):5:0:1:1(1:0),x\n":                                                                 {"number of communicators"},
		"#Paraver (1/1/26):5:0:1:1(1:0):7\n":                                                                 {"text after the applications"},
		"#Paraver (1/1/26):5:0:1:1(1:0),1\n":                                                                 {":1:", "announces 1 communicators, but 0 follow"},
		formattest.PrvTwo + "c:1:1:3:1:2\n":                                                                  {":2:", "lists 2 tasks"},
		formattest.PrvTwo + "c:1:1:1:3\n":                                                                    {":2:", "task 3 of application 1: header declares 2"},
		formattest.PrvTwo + "c:1:1:1:1\nc:1:1:1:2\n":                                                         {":3:", "declared twice"},
		formattest.PrvTwo + "5:1:1:1:1:0:1:1\n":                                                              {":2:", "unknown record"},
		formattest.PrvTwo + "1:0:1:1:1:0:5\n":                                                                {"state record has 7 fields, needs 8"},
		formattest.PrvTwo + "1:0:1:1:1:5:4:1\n":                                                              {"ends at 4, before it begins"},
		formattest.PrvTwo + "1:0:1:1:1:-5:4:1\n":                                                             {"the time is negative"},
		formattest.PrvTwo + "1:0:2:1:1:0:4:1\n":                                                              {"application 2: header declares 1"},
		formattest.PrvTwo + "1:0:1:1:2:0:4:1\n":                                                              {"thread 2 of task 1.1: header declares 1"},
		formattest.PrvTwo + "2:0:1:1:1:0:5:x\n":                                                              {"field 8 is not a decimal number"},
		formattest.PrvTwo + "2:0:1:1:1:0\n":                                                                  {"event record has 6 fields"},
		formattest.PrvTwo + "2:0:1:1:1:0:5:\n":                                                               {"field 8 is no number"},
		formattest.PrvTwo + "1:0:1:1:1:9223372036854775807:-1:1\n":                                           {"the time exceeds 64 bits of picoseconds"},
		formattest.PrvTwo + "3:0:1:1:1:0:0:0:1:2:1:0:0:-1:0\n":                                               {"a message of -1 bytes"},
		formattest.PrvTwo + "3:0:1:1:1:0:0:0:1:2:1:0:0:1:4294967296\n":                                       {"tag 4294967296"},
		formattest.PrvTwo + "2:0:1:1:1:0:9100001:99\n":                                                       {"Spoor has no event of kind 99"},
		formattest.PrvTwo + "2:0:1:1:1:0:9100001:2:9100002:2\n":                                              {"peer 2: header declares 2 tasks"},
		formattest.PrvTwo + "2:0:1:1:1:0:9100001:2:9100003:9999999999\n":                                     {"a value out of range in an event of Spoor's"},
		formattest.PrvTwo + "2:0:1:1:1:0:50000002:8:50100004:9999999999\n":                                   {"a value out of range in the event of an MPI call"},
		formattest.PrvTwo + "2:0:1:1:1:0:50000002:11:50100001:9223372036854775807\n2:0:1:1:1:1:50000002:0\n": {":2:", "exceed 64 bits"},
		formattest.PrvTwo + "1:0:1:1\x00:1\n":                                                                {"1 NUL byte"},
	} {
		_, _, err := formattest.ImportText(Paraver{}, text, format.Options{})
		for _, w := range want {
			formattest.WantError(t, fmt.Sprintf("%.60q", text), err, "standard input:", w)
		}
	}
}

// An Irecv whose message is long in coming does not hold up what follows for ever.
func TestParaverHoldsLittle(t *testing.T) {
	var b strings.Builder
	b.WriteString(formattest.PrvTwo + "1:0:1:1:1:0:0:0\n1:0:1:2:1:0:0:0\n2:0:1:1:1:0:50000001:4\n2:0:1:1:1:0:50000001:0\n")
	const probes = maxHeld + 100
	for i := range probes {
		fmt.Fprintf(&b, "2:0:1:1:1:%d:50000001:62\n2:0:1:1:1:%d:50000001:0\n", i+1, i+1)
	}
	fmt.Fprintf(&b, "2:0:1:1:1:%[1]d:50000001:5\n3:0:1:2:1:%[1]d:%[1]d:0:1:1:1:0:%[2]d:8:1\n2:0:1:1:1:%[3]d:50000001:0\n", probes+1, probes+2, probes+3)
	m, r := importPrv(t, b.String())
	rows := formattest.Events(m, 0)
	if last := rows[len(rows)-2:]; len(rows) != probes+2 || last[0].Kind != trace.Irecv || last[1].Kind != trace.Wait {
		t.Errorf("%d events, at the end %+v", len(rows), last)
	}
	formattest.WantNotes(t, r, "1 MPI_Irecv without a message", "1 MPI_Irecv not found, placed directly before its wait", "1 side of a message", worldsNote)
}

func TestMalformedParaver(t *testing.T) {
	dir := formattest.Shared(t, "malformed/message")
	for name, want := range map[string][]string{
		"m39_prv_no_header.prv":     {"standard input:1: ", `does not start with "#Paraver ("`},
		"m40_prv_thread_range.prv":  {"standard input:126: ", "task 9 of application 1: header declares 4"},
		"m41_prv_short_comm.prv":    {"standard input:126: ", "communication record has 14 fields, needs 15"},
		"m42_prv_odd_event.prv":     {"standard input:126: ", "event type without value"},
		"m45_prv_time_overflow.prv": {"standard input:126: ", "time exceeds 64 bits"},
		"m46_prv_comm_count.prv":    {"standard input:4: ", "the header announces 3 communicators, but 2 follow"},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = formattest.ImportText(Paraver{}, string(text), format.Options{})
			formattest.WantError(t, name, err, want[0], want[1])
		})
	}
	text, err := os.ReadFile(filepath.Join(dir, "m43_prv_recv_before_send.prv"))
	if err != nil {
		t.Fatal(err)
	}
	_, r := importPrv(t, string(text))
	if !slices.ContainsFunc(r.Notes, func(n string) bool {
		return strings.HasPrefix(n, "1 message received before being sent (the first at line 126): the clocks")
	}) {
		t.Errorf("m43: notes %q", r.Notes)
	}
}

// exportPrv exports at recorded times.
func exportPrv(m *trace.Memory) (string, error) {
	m.Head.HasTime = true
	var b strings.Builder
	_, err := Paraver{}.Export(m, format.ExportOptions{}, &b)
	return b.String(), err
}

func FuzzParaver(f *testing.F) {
	f.Add([]byte(formattest.PrvTwo + "1:0:1:1:1:0:1000:1\n2:0:1:1:1:10:50000001:4\n2:0:1:1:1:12:50000001:0\n2:0:1:2:1:20:50000001:3\n" +
		"3:0:1:2:1:20:21:0:1:1:1:10:60:8:1\n2:0:1:2:1:22:50000001:0\n2:0:1:1:1:40:50000001:6\n2:0:1:1:1:60:50000001:0\n"))
	f.Add([]byte("#Paraver (1/1/26 at 0:0):100:1(2):2:1(2:1):2(1:1,1:1),1\nc:2:1:2:1:2\n2:1:2:1:1:5:50000002:9:50100001:8:50100003:1:50100004:1\n" +
		"2:1:2:2:1:5:50000002:9\n2:1:2:1:1:6:50000002:0\n2:1:2:2:1:6:50000002:0\n3:1:1:1:1:7:7:1:2:1:1:8:8:4:0\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, r, err := formattest.ImportBytes(Paraver{}, text, format.Options{})
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\x00") || len(err.Error()) > 600 {
				t.Errorf("%q", err)
			}
			return
		}
		m.Head.HasTime, m.Head.WorkUnit = true, trace.WorkPicos
		if err := trace.Check(m); err != nil {
			t.Fatal(err)
		}
		for p := range r.Procs {
			last := int64(0)
			for _, e := range formattest.Events(m, trace.Proc(p)) {
				if e.Time < last {
					t.Fatalf("rank %d: %v at %d after %d", p, e.Kind, e.Time, last)
				}
				last = e.Time
			}
		}
		for _, m.Head.HasTime = range []bool{true, false} { // nominal timelines may wait for ever, but not panic
			var b bytes.Buffer
			if _, err := (chrome.Chrome{}).Export(m, format.ExportOptions{}, &b); err == nil && !json.Valid(b.Bytes()) {
				t.Fatalf("%s", b.Bytes())
			}
		}
		if again, err := exportPrv(m); err == nil {
			importPrv(t, again)
		}
	})
}
