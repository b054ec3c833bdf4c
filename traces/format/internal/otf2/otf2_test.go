package otf2

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spoor/traces/format/internal/emit"
	"spoor/traces/format/internal/formattest"
	"spoor/traces/internal/format"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
)

// Otf2Lines sets out events as otf2-print does: "NAME location timestamp attributes".
func Otf2Lines(lines string) string {
	var b strings.Builder
	for line := range strings.Lines(lines) {
		if f := strings.SplitN(strings.TrimSpace(line), " ", 4); len(f) >= 3 {
			fmt.Fprintf(&b, "%-31s %15s %20s  %s\n", f[0], f[1], f[2], strings.Join(f[3:], ""))
		}
	}
	return b.String()
}

// Messages with MPI_PROC_NULL are no messages; their requests end with no event.
func TestOTF2NoPartner(t *testing.T) {
	const null = ` (INVALID), Communicator: "W" <0>, Tag: 7, Length: 5`
	m, r := formattest.MustImport(t, OTF2Print{}, formattest.Otf2Head+Otf2Lines(`
		ENTER 10 1000 Region: "main, Paradigm: MPI" <0>
		MPI_SEND 10 1000 Receiver: 4294967294`+null+`
		MPI_ISEND 10 1000 Receiver: 4294967294`+null+`, Request: 1
		MPI_ISEND 10 1000 Receiver: 4294967295`+null+`, Request: 2
		MPI_IRECV_REQUEST 10 1000 Request: 3
		MPI_RECV 10 1000 Sender: 4294967294`+null+`
		MPI_ISEND_COMPLETE 10 1000 Request: 1
		MPI_REQUEST_CANCELLED 10 1000 Request: 2
		MPI_IRECV 10 1000 Sender: 4294967294`+strings.Replace(null, "7", "4294967295", 1)+`, Request: 3
		MPI_ISEND 10 1000 Receiver: 1 ("y" <20>), Communicator: "W" <0>, Tag: 8, Length: 6, Request: 1
		MPI_RECV 20 1000 Sender: 0 ("x" <10>), Communicator: "W" <0>, Tag: 8, Length: 6
		MPI_ISEND_COMPLETE 10 1000 Request: 1`), format.Options{})
	formattest.WantEvents(t, m, 0, formattest.Transfer(trace.Isend, 0, 1, 8, -1, 2, 6), formattest.Transfer(trace.Wait, 0, -1, -1, -1, 2, 0))
	if notes := strings.Join(r.Notes, "; "); !strings.Contains(notes, "5 messages with MPI_PROC_NULL omitted") {
		t.Errorf("notes %q", notes)
	}
	for _, wrong := range []string{"4294967293" + null, "4294967294 (INVALID )" + null[len(" (INVALID)"):]} {
		_, _, err := formattest.ImportText(OTF2Print{}, formattest.Otf2Head+"MPI_SEND 10 5  Receiver: "+wrong+"\n", format.Options{})
		formattest.WantError(t, wrong, err, "standard input:", "does not give the location")
	}
}

// A communicator of one process lists "1 Member".
func TestOTF2GroupOfOne(t *testing.T) {
	head := strings.Replace(formattest.Otf2Head, "2 Members: 2 (\"z\" <30>), 0 (\"x\" <10>)", "1 Member: 2 (\"z\" <30>)", 1)
	if head == formattest.Otf2Head {
		t.Fatal("the group is not in the head")
	}
	m, _ := formattest.MustImport(t, OTF2Print{}, head+Otf2Lines(`
		MPI_ISEND 30 1000 Receiver: 0 ("z" <30>), Communicator: "sub" <2>, Tag: 8, Length: 6, Request: 1
		MPI_RECV 30 1000 Sender: 0 ("z" <30>), Communicator: "sub" <2>, Tag: 8, Length: 6
		MPI_ISEND_COMPLETE 30 1000 Request: 1`), format.Options{})
	if got := len(m.EventsOf[2].Rows); got != 3 {
		t.Errorf("%d events", got)
	}
}

func TestOTF2Messages(t *testing.T) {
	m, r := formattest.MustImport(t, OTF2Print{}, formattest.Otf2Head+Otf2Lines(`
		ENTER 10 1000 Region: "main, Paradigm: MPI" <0>
		ENTER 20 1000 Region: "main, Paradigm: MPI" <0>
		ENTER 5 1001 Region: "kernel" <77>
		MPI_IRECV_REQUEST 10 1010 Request: 9000000000
		ENTER 20 1020 Region: "MPI_Sendrecv" <3>
		MPI_SEND 20 1021 Receiver: 0 ("x, Tag: 3" <10>), Communicator: "W, Length: 2, Tag: 1" <0>, Tag: 7, Length: 5
		ENTER 10 1030 Region: "MPI_Testsome" <2>
		MPI_REQUEST_TEST 10 1031 Request: 9000000000
		LEAVE 10 1032 Region: "MPI_Testsome" <2>
		ENTER 10 1040 Region: "MPI_Testsome" <2>
		MPI_IRECV 10 1042 Sender: 1 ("y" <20>), Communicator: "W" <0>, Tag: 7, Length: 5, Request: 9000000000
		LEAVE 10 1043 Region: "MPI_Testsome" <2>
		MPI_ISEND 10 1050 Receiver: 1 ("y" <20>), Communicator: "W" <0>, Tag: 8, Length: 6, Request: 9000000001
		MPI_IRECV_REQUEST 10 1050 Request: 9000000002
		MPI_REQUEST_CANCELLED 10 1051 Request: 9000000002
		MPI_RECV 20 1052 Sender: 0 ("x" <10>), Communicator: "W" <0>, Tag: 8, Length: 6
		LEAVE 20 1055 Region: "MPI_Sendrecv" <3>
		MPI_SEND 4294967306 1056 Receiver: 0 ("z" <30>), Communicator: "sub" <2>, Tag: 1, Length: 1
		ENTER 10 1060 Region: "MPI_Waitall" <1>
		MPI_ISEND_COMPLETE 10 1061 Request: 9000000001
		LEAVE 10 1062 Region: "MPI_Waitall" <1>
		MPI_RECV 30 1070 Sender: 1 ("x" <10>), Communicator: "sub" <2>, Tag: 1, Length: 1
		ADDITIONAL`)+`                                                                        ADDITIONAL ATTRIBUTES: ("a" <0>; UINT64; 5)
`+Otf2Lines(`LEAVE 10 1100 Region: "main, Paradigm: MPI" <0>
		METRIC 5 1100 Metric: 0`), format.Options{})
	found := formattest.Transfer(trace.Test, 40, -1, -1, -1, 0, 0)
	found.Count = 1
	testing30to32 := formattest.ComputeEvent(10, 40) // a test that finds nothing is no computation
	testing30to32.Work -= 2000
	formattest.WantEvents(t, m, 0, formattest.ComputeEvent(0, 10), formattest.Transfer(trace.Irecv, 10, 1, 7, -1, 0, 5), testing30to32,
		found, formattest.ComputeEvent(43, 50), formattest.Transfer(trace.Isend, 50, 1, 8, -1, 0, 6),
		formattest.ComputeEvent(50, 51), formattest.Transfer(trace.Send, 56, 2, 1, 1, -1, 1), formattest.ComputeEvent(51, 60), formattest.Transfer(trace.Wait, 60, -1, -1, -1, 0, 0), formattest.ComputeEvent(62, 100))
	formattest.WantEvents(t, m, 1, formattest.ComputeEvent(0, 20), formattest.Transfer(trace.Isend, 20, 0, 7, -1, 0, 5), formattest.Transfer(trace.Recv, 20, 0, 8, -1, -1, 6),
		formattest.Transfer(trace.Wait, 20, -1, -1, -1, 0, 0))
	formattest.WantEvents(t, m, 2, formattest.Transfer(trace.Recv, 70, 0, 1, 1, -1, 1))
	for _, note := range []string{"1 send of MPI_Sendrecv", "1 request cancelled", "1 location without messages", "1 thread with messages",
		"2 locations within a region at the end", "1 events that are not messages omitted (METRIC)"} {
		t.Run(note, func(t *testing.T) {
			if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.HasPrefix(n, note) }) {
				t.Errorf("notes %q, want %q", r.Notes, note)
			}
		})
	}
}

func TestOTF2Collectives(t *testing.T) {
	var text strings.Builder
	text.WriteString(formattest.Otf2Head)
	line := func(rank, time int, kind, attrs string) {
		text.WriteString(Otf2Lines(fmt.Sprintf("%s %d %d %s", kind, 10*(rank+1), time, attrs)))
	}
	for rank := range 3 { // as Score-P counts: a vector or block of 40 bytes each
		for _, c := range []string{
			"Operation: BARRIER, Communicator: \"W\" <0>, Root: NONE, Sent: 0, Received: 0",
			"Operation: BCAST, Communicator: \"W\" <0>, Root: 1 (\"y\" <20>), Sent: [120|0], Received: 40",
			"Operation: REDUCE, Communicator: \"W\" <0>, Root: 1 (\"y\" <20>), Sent: [0|40], Received: [80|0]", // in place
			"Operation: ALLREDUCE, Communicator: \"W\" <0>, Root: NONE, Sent: 120, Received: 120",
			"Operation: ALLGATHERV, Communicator: \"W\" <0>, Root: NONE, Sent: 120, Received: 140",
			"Operation: ALLTOALLV, Communicator: \"W\" <0>, Root: NONE, Sent: 140, Received: 120",
			"Operation: SCAN, Communicator: \"W\" <0>, Root: NONE, Sent: P, Received: Q",
			"Operation: CREATE_HANDLE, Communicator: \"self\" <1>, Root: NONE, Sent: 0, Received: 0",
			"Operation: ALLREDUCE, Communicator: \"self\" <1>, Root: NONE, Sent: 0, Received: 0",
			"Operation: REDUCE_SCATTER, Communicator: \"W\" <0>, Root: NONE, Sent: 120, Received: 120",
		} {
			for _, pair := range [][2]string{{"120", "0"}, {"0", "40"}, {"80", "0"}} { // at the root, elsewhere
				value := pair[1]
				if rank == 1 {
					value = pair[0]
				}
				c = strings.Replace(c, "["+pair[0]+"|"+pair[1]+"]", value, 1)
			}
			c = strings.Replace(strings.Replace(c, " P,", fmt.Sprintf(" %d,", (3-rank)*40), 1), " Q", fmt.Sprintf(" %d", (rank+1)*40), 1)
			line(rank, 1000, "MPI_COLLECTIVE_BEGIN", "")
			line(rank, 1000, "MPI_COLLECTIVE_END", c)
		}
	}
	line(2, 1000, "NON_BLOCKING_COLLECTIVE_REQUEST", "Request: 5")
	line(2, 1000, "NON_BLOCKING_COLLECTIVE_COMPLETE", `Operation: ALLREDUCE, Communicator: "sub" <2>, Root: NONE, Sent: 16, Received: 16, Request: 5`)
	line(0, 1000, "MPI_COLLECTIVE_END", `Operation: ALLREDUCE, Communicator: "sub" <2>, Root: NONE, Sent: 16, Received: 16`)
	m, r := formattest.MustImport(t, OTF2Print{}, text.String(), format.Options{})
	all := func(extra ...trace.Event) []trace.Event {
		return append([]trace.Event{formattest.Transfer(trace.Barrier, 0, -1, -1, -1, -1, 0), formattest.Transfer(trace.Bcast, 0, 1, -1, -1, -1, 40),
			formattest.Transfer(trace.Reduce, 0, 1, -1, -1, -1, 40), formattest.Transfer(trace.AllReduce, 0, -1, -1, -1, -1, 40), formattest.Transfer(trace.AllGather, 0, -1, -1, -1, -1, 40),
			formattest.Transfer(trace.AllToAll, 0, -1, -1, -1, -1, 140), formattest.Transfer(trace.Scan, 0, -1, -1, -1, -1, 40),
			formattest.Transfer(trace.Reduce, 0, 0, -1, -1, -1, 120), formattest.Transfer(trace.Scatter, 0, 0, -1, -1, -1, 40)}, extra...)
	}
	formattest.WantEvents(t, m, 0, all(formattest.Transfer(trace.AllReduce, 0, -1, -1, 1, -1, 8))...)
	formattest.WantEvents(t, m, 1, all()...)
	formattest.WantEvents(t, m, 2, all(formattest.Transfer(trace.AllReduce, 0, -1, -1, 1, 0, 8), formattest.Transfer(trace.Wait, 0, -1, -1, -1, 0, 0))...)
	for _, note := range []string{"REDUCE_SCATTER imported as a reduction to rank 0 and a scatter: 3", "6 collectives without messages"} {
		if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.HasPrefix(n, note) }) {
			t.Errorf("notes %q, want %q", r.Notes, note)
		}
	}
}

const otf2Plain = "\n=== OTF2-PRINT ===\n=== Events ===\nEvent Location Timestamp Attributes\n"

func TestOTF2WithoutDefinitions(t *testing.T) {
	text := otf2Plain + Otf2Lines(`
		ENTER 0 100 Region: "f" <5>
		ENTER 0 150 Region: "mpi_send_" <6>
		MPI_SEND 0 151 Receiver: 1 ("y" <1>), Communicator: "MPI_COMM_WORLD" <9>, Tag: 7, Length: 5
		MPI_SEND 1 151 Receiver: 0 ("x" <0>), Communicator: "c" <3>, Tag: 7, Length: 5
		MPI_RECV 0 152 Sender: 1 ("y" <1>), Communicator: "c" <3>, Tag: 7, Length: 5
		LEAVE 0 160 Region: "mpi_send_" <6>
		MPI_RECV 1 170 Sender: 0 ("x" <0>), Communicator: "MPI_COMM_WORLD" <9>, Tag: 7, Length: 5`)
	m, r := formattest.MustImport(t, OTF2Print{}, text, format.Options{Set: map[string]string{"ticks": "1000000000"}})
	formattest.WantEvents(t, m, 0, formattest.ComputeEvent(0, 50), formattest.Transfer(trace.Send, 50, 1, 7, -1, -1, 5), formattest.Transfer(trace.Recv, 50, 1, 7, 0, -1, 5))
	formattest.WantEvents(t, m, 1, formattest.Transfer(trace.Send, 51, 0, 7, 0, -1, 5), formattest.ComputeEvent(51, 70), formattest.Transfer(trace.Recv, 70, 0, 7, -1, -1, 5))
	if len(r.Notes) != 2 || !strings.HasPrefix(r.Notes[0], "no definitions") {
		t.Errorf("notes %q", r.Notes)
	}
	if m, _ = formattest.MustImport(t, OTF2Print{}, text, format.Options{Set: map[string]string{"ticks": "1000"}}); formattest.Events(m, 0)[0].Work != 50e9 {
		t.Errorf("1000 ticks a second: %+v", formattest.Events(m, 0)[0])
	}
	if _, _, err := formattest.ImportText(OTF2Print{}, text, format.Options{Set: map[string]string{"ticks": "0"}}); err == nil || !strings.Contains(err.Error(), "from 1") {
		t.Errorf("0 ticks a second: %v", err)
	}
}

func TestBadOTF2Print(t *testing.T) {
	head := strings.Count(formattest.Otf2Head, "\n")
	send := func(attrs string) string { return otf2Plain + Otf2Lines("MPI_SEND 0 5 "+attrs) }
	for _, c := range []struct {
		text   string
		line   int
		reason string
	}{
		{"", 1, "empty"},
		{"=== OTF2-PRINT ===\n", 1, "before the line === Events"},
		{"\nMPI_SEND 5 5\n=== Events\n", 2, "not the text of otf2-print"},
		{otf2Plain, 4, "no events"},
		{formattest.Otf2Head, head, "no events"},
		{otf2Plain + "LEAVE 0 5  Region: \"main\" <0>\n", 5, `LEAVE "main" on location 0 without ENTER`},
		{otf2Plain + "ENTER 0 5  Region: \"a\" <0>\nLEAVE 0 6  Region: \"b\" <1>\n", 6, `LEAVE "b" on location 0, but its current region is "a"`},
		{otf2Plain + "ENTER 0 5  Region: \"main\" <0>\nENTER 1 4  Region: \"main\" <0>\n", 6, "before that of the first event, 5"},
		{otf2Plain + "ENTER 0 5  Region: \"main\" <0>\nENTER 0 4  Region: \"main\" <0>\n", 6, "goes backwards on location 0, from 5"},
		{otf2Plain + "ENTER 0 5  Region: \"main\" <0>\nENTER 0 6  Reg", 6, "truncated"},
		{otf2Plain + "ENTER 0 5  Region: \"main\" <0>\nLEAVE 0 6  Region: \"main\" <0>\n\x00\x00\n", 7, "2 NUL bytes"},
		{otf2Plain + "ENTER 0 5  main\n", 5, "ENTER without a region"},
		{otf2Plain + "ENTER x 5  main\n", 5, "the location is not a decimal number"},
		{otf2Plain + "ENTER 0 99999999999999999999  main\n", 5, "the timestamp is a number over 64 bits"},
		{otf2Plain + "Enter 0 5\n", 5, "not the name of an event"},
		{otf2Plain + "ENTER 70000 5  Region: \"main\" <0>\n", 5, "location 70000 cannot be one"},
		{formattest.Otf2Head + "MPI_SEND 5 5  Receiver: 9 (\"\" <99>), Communicator: \"W\" <0>, Tag: 7, Length: 5\n", head + 1, "location 99 is not an MPI rank"},
		{formattest.Otf2Head + "MPI_SEND 99 5  Receiver: 9 (\"\" <10>), Communicator: \"W\" <0>, Tag: 7, Length: 5\n", head + 1, "location 99 sends or receives"},
		{formattest.Otf2Head + "MPI_SEND 10 5  Receiver: 1 (\"\" <30>), Communicator: \"W\" <0>, Tag: 7, Length: 5\n", head + 1, `rank "1" of the world is at location 30, which is rank 2`},
		{formattest.Otf2Head + "MPI_SEND 10 5  Receiver: 1 (\"\" <20>), Communicator: \"X\" <9>, Tag: 7, Length: 5\n", head + 1, "communicator 9 is not defined"},
		{send(`Receiver: 1 ("" <1>), Communicator: "MPI_COMM_WORLD" <0>, Tag: 7`), 5, `MPI_SEND without a valid "Length"`},
		{send(`Receiver: 1 ("" <1>), Communicator: "MPI_COMM_WORLD" <0>, Tag: -1, Length: 5`), 5, `MPI_SEND without a valid "Tag"`},
		{send(`Receiver: 1 ("" <1>), Communicator: "MPI_COMM_WORLD" <0>, Tag: 4294967295, Length: 5`), 5, "tags of 31 bits"},
		{send(`Receiver: 1, Communicator: "MPI_COMM_WORLD" <0>, Tag: 5, Length: 5`), 5, "does not give the location"},
		{send(`Receiver: 1 ("" <2>), Communicator: "MPI_COMM_WORLD" <0>, Tag: 5, Length: 5`), 5, "is at location 2, which is rank 2"},
		{otf2Plain + "MPI_ISEND_COMPLETE 0 5  Request: 5\n", 5, "request 5, which is not open"},
		{otf2Plain + "MPI_IRECV_REQUEST 0 5  Request: 5\nMPI_IRECV_REQUEST 0 5  Request: 5\n", 6, "request 5 is already open"},
		{otf2Plain + "MPI_IRECV_REQUEST 0 5  Request: 5\nMPI_ISEND_COMPLETE 0 5  Request: 5\n", 6, "request 5, which is not open"},
		{otf2Plain + "MPI_COLLECTIVE_END 0 5  Operation: FROB, Communicator: \"c\" <0>, Root: NONE, Sent: 0, Received: 0\n", 5, `unknown collective operation "FROB"`},
		{otf2Plain + "MPI_COLLECTIVE_END 0 5  Operation: BCAST, Communicator: \"c\" <0>, Root: NONE, Sent: 0, Received: 0\n", 5, "bcast without a root"},
		{otf2Plain + "MPI_COLLECTIVE_END 0 5  Operation: REDUCE_SCATTER, Communicator: \"c\" <0>, Root: NONE, Sent: 0, Received: 0\n", 5, "the text does not give the first"},
		{strings.Replace(formattest.Otf2Head, "3 Members: 0", "4 Members: 0", 1), 26, `the group has "4" members but lists 3`},
		{strings.Replace(formattest.Otf2Head, "Ticks per Seconds: 1000000000", "Ticks per Seconds: 0", 1), 11, "no number of ticks"},
		{otf2Plain + "ENTER 0 5  Region: \"MPI_Send\" <0>\nLEAVE 0 18446744073709551615  Region: \"MPI_Send\" <0>\nENTER 0 18446744073709551615  Region: \"MPI_Send\" <0>\n", 7, "exceed 2^63 ps"},
	} {
		_, _, err := formattest.ImportText(OTF2Print{}, c.text, format.Options{})
		formattest.WantError(t, fmt.Sprintf("%.90q", c.text[max(0, len(c.text)-90):]), err, fmt.Sprintf("standard input:%d: ", c.line), c.reason)
	}
}

// What is posted and never completes stays a receive from anybody; what is held too
// long is one where it completes.
func TestOTF2HoldsReceivesBack(t *testing.T) {
	m, _, err := formattest.ImportText(OTF2Print{}, otf2Plain+Otf2Lines(`
		MPI_IRECV_REQUEST 0 5 Request: 1
		MPI_ISEND 0 5 Receiver: 0 ("" <0>), Communicator: "MPI_COMM_WORLD" <0>, Tag: 5, Length: 5, Request: 2
		MPI_ISEND_COMPLETE 0 5 Request: 2`), format.Options{Unmatched: true})
	if err != nil {
		t.Fatal(err)
	}
	formattest.WantEvents(t, m, 0, formattest.Transfer(trace.Irecv, 0, -1, -1, -1, 0, 0), formattest.Transfer(trace.Isend, 0, 0, 5, -1, 1, 5), formattest.Transfer(trace.Wait, 0, -1, -1, -1, 1, 0))

	if testing.Short() {
		t.Skip("long input: more events than are held back")
	}
	var text strings.Builder
	text.WriteString(otf2Plain + Otf2Lines("MPI_IRECV_REQUEST 0 5 Request: 1"))
	for range emit.LookaheadEvents {
		text.WriteString("MPI_SEND 1 5  Receiver: 0 (\"\" <0>), Communicator: \"MPI_COMM_WORLD\" <0>, Tag: 5, Length: 5\n" +
			"MPI_RECV 0 5  Sender: 1 (\"\" <1>), Communicator: \"MPI_COMM_WORLD\" <0>, Tag: 5, Length: 5\n")
	}
	text.WriteString("MPI_SEND 1 5  Receiver: 0 (\"\" <0>), Communicator: \"MPI_COMM_WORLD\" <0>, Tag: 7, Length: 5\n")
	text.WriteString("MPI_IRECV 0 5  Sender: 1 (\"\" <1>), Communicator: \"MPI_COMM_WORLD\" <0>, Tag: 7, Length: 5, Request: 1\n")
	m, r := formattest.MustImport(t, OTF2Print{}, text.String(), format.Options{})
	e := formattest.Events(m, 0)
	if n := len(e); n != emit.LookaheadEvents+1 || e[0].Kind != trace.Recv || !reflect.DeepEqual(e[n-1], formattest.Transfer(trace.Recv, 0, 1, 7, -1, -1, 5)) {
		t.Errorf("%d events, the last %+v", n, e[n-1])
	}
	if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.HasPrefix(n, "1 receive or collective completed over") }) {
		t.Errorf("notes %q", r.Notes)
	}
}

func TestOTF2Samples(t *testing.T) {
	dir := formattest.Shared(t, "otf2")
	for _, name := range []string{"ring4.print.txt", "ring4.print-A.txt"} {
		file, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		m, r := formattest.MustImport(t, OTF2Print{}, string(file), format.Options{})
		want := map[string]uint64{"ENTER": 56, "LEAVE": 56, "MPI_COLLECTIVE_BEGIN": 12, "MPI_COLLECTIVE_END": 12, "MPI_IRECV": 12, "MPI_IRECV_REQUEST": 12,
			"MPI_ISEND": 12, "MPI_ISEND_COMPLETE": 12, "MPI_RECV": 2, "MPI_SEND": 2, "events": 188, "bytes sent": 19284}
		got := map[string]uint64{}
		for _, c := range r.Counts {
			got[c.Name] = c.N
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		last := formattest.Events(m, 3)[len(formattest.Events(m, 3))-1] // 3003 - 1010 is the end of the last computation
		if r.Procs != 4 || last.Kind != trace.Compute || last.Time+last.Work != (3003-1010)*1000 {
			t.Errorf("%s: %d ranks; the last event is %+v", name, r.Procs, last)
		}
	}
}

// FakePrinter puts a script called otf2-print first on PATH, if there is no real one.
func FakePrinter(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, otf2Printer), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// FakeArchive is a folder that looks like an archive, and its anchor file.
func FakeArchive(t *testing.T) (dir, anchor string) {
	t.Helper()
	dir = t.TempDir()
	anchor = filepath.Join(dir, "x.otf2")
	for path, content := range map[string]string{anchor: "\x03BOTF2 and more", filepath.Join(dir, "x.def"): "d", filepath.Join(dir, "x", "0.evt"): "e"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir, anchor
}

// The archive of the samples is what its print says, by the real otf2-print if it
// is installed.
func TestOTF2SampleArchive(t *testing.T) {
	dir := formattest.Shared(t, "otf2")
	printed := filepath.Join(dir, "ring4.print-A.txt")
	if _, err := exec.LookPath(otf2Printer); err != nil {
		FakePrinter(t, "cat "+printed)
	}
	paths, err := OTF2{}.Expand(filepath.Join(dir, "ring4"))
	if err != nil || len(paths) != 1 {
		t.Fatal(paths, err)
	}
	got, _, err := formattest.ImportFiles(t, OTF2{}, format.Options{}, paths...)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(printed)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := formattest.MustImport(t, OTF2Print{}, string(file), format.Options{})
	if !reflect.DeepEqual(got.EventsOf, want.EventsOf) {
		t.Error("the archive and its print differ")
	}
}

func TestBadOTF2Archive(t *testing.T) {
	_, anchor := FakeArchive(t)
	bad := func(what, place string, reasons ...string) {
		t.Helper()
		_, _, err := formattest.ImportFiles(t, OTF2{}, format.Options{}, anchor)
		for _, reason := range reasons {
			formattest.WantError(t, what, err, place, reason)
		}
	}
	FakePrinter(t, "echo; echo '=== OTF2-PRINT ==='; echo 'error: no such file' >&2; exit 3")
	bad("failing", anchor+": otf2-print ends with status 3", "no such file")
	FakePrinter(t, "echo \"[OTF2] src/x.c:163: error: File does not exist: POSIX: '$(dirname \"$2\")/x/2.evt'\" >&2; exit 1")
	bad("incomplete", anchor+": otf2-print ends with", "status 1: \"File does not exist: POSIX: 'x/2.evt'\"; the archive is")
	FakePrinter(t, "while echo 'ENTER 0 5 here'; do :; done")
	bad("no banner, and no end", "otf2-print -A "+anchor+":1: ", "not the text of otf2-print")
	FakePrinter(t, "echo '=== Events'; while echo 'ENTER 0 5 here'; do :; done")
	bad("bad line, and no end", "otf2-print -A "+anchor+":2: ", "ENTER without a region")
	t.Setenv("PATH", t.TempDir())
	bad("not installed", anchor+": ", "apt-get install otf2-tools", "run otf2-print -A x.otf2 > trace.txt elsewhere")
	for text, want := range map[string]string{"\x03BOTF3": `offset 2: the anchor magic is not OTF2: "OTF3"`, "OTF2": "offset 0: ", "": "empty"} {
		t.Run(text, func(t *testing.T) {
			if err := os.WriteFile(anchor, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			bad(text, anchor+":", want)
		})
	}
	_, _, err := formattest.ImportText(OTF2{}, "\x03BOTF2", format.Options{})
	formattest.WantError(t, "standard input", err, "standard input: ", "give its folder or its anchor file")
	_, err = OTF2{}.ImportFiles(input.NewFiles(t.Context(), []string{"-"}, strings.NewReader("\x03BOTF2"), nil), format.Options{}, new(formattest.MemorySink))
	formattest.WantError(t, "a pipe", err, "standard input: ", "give its folder or its anchor file")
}

func TestMalformedOTF2(t *testing.T) {
	dir := formattest.Shared(t, "malformed")
	for name, want := range map[string][2]string{
		"m61_otf2print_unmatched_leave.txt": {":189: ", `LEAVE "main" on location 0 without ENTER`},
		"m62_otf2print_cut.txt":             {":41: ", "truncated"},
		"m63_otf2print_time_back.txt":       {":131: ", "the timestamp goes backwards on location 0"},
	} {
		t.Run(name, func(t *testing.T) {
			file, err := os.ReadFile(filepath.Join(dir, "message", name))
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = formattest.ImportBytes(OTF2Print{}, file, format.Options{})
			formattest.WantError(t, name, err, "standard input"+want[0], want[1])
		})
	}
	path := filepath.Join(dir, "message", "m64_otf2_anchor_bad.otf2")
	_, _, err := formattest.ImportFiles(t, OTF2{}, format.Options{}, path)
	formattest.WantError(t, path, err, path+": offset 2: ", "the anchor magic is not OTF2")
}

func FuzzOTF2Print(f *testing.F) {
	f.Add([]byte(formattest.Otf2Head + Otf2Lines(`ENTER 10 5 Region: "main" <0>
		MPI_SEND 20 1021 Receiver: 0 ("x" <10>), Communicator: "W" <0>, Tag: 7, Length: 5
		MPI_IRECV_REQUEST 10 1100 Request: 1
		MPI_IRECV 10 1142 Sender: 1 ("y" <20>), Communicator: "W" <0>, Tag: 7, Length: 5, Request: 1`)))
	f.Add([]byte(otf2Plain + Otf2Lines(`ENTER 0 5 Region: "MPI_Sendrecv" <0>
		MPI_ISEND 0 5 Receiver: 0 ("" <0>), Communicator: "MPI_COMM_WORLD" <0>, Tag: 5, Length: 5, Request: 2
		MPI_SEND 0 6 Receiver: 0 ("" <0>), Communicator: "c" <1>, Tag: 5, Length: 5
		MPI_COLLECTIVE_END 0 7 Operation: ALLREDUCE, Communicator: "MPI_COMM_WORLD" <0>, Root: NONE, Sent: 0, Received: 0
		MPI_ISEND_COMPLETE 0 8 Request: 2
		MPI_RECV 0 9 Sender: 0 ("" <0>), Communicator: "MPI_COMM_WORLD" <0>, Tag: 5, Length: 5
		MPI_RECV 0 9 Sender: 0 ("" <0>), Communicator: "c" <1>, Tag: 5, Length: 5
		LEAVE 0 9 Region: "MPI_Sendrecv" <0>`)))
	f.Fuzz(func(t *testing.T, text []byte) {
		o := format.Options{Unmatched: len(text)%2 == 0}
		m, _, err := formattest.ImportBytes(OTF2Print{}, text, o)
		formattest.CheckFuzzed(t, m, o, err)
	})
}

func BenchmarkImportOTF2Print(b *testing.B) {
	const ranks = 16
	var text strings.Builder
	text.WriteString(otf2Plain)
	for i := range 8000 {
		for r := range ranks {
			time := 100*i + r
			fmt.Fprintf(&text, "ENTER                                   %8d %20d  Region: \"MPI_Sendrecv\" <0>\n", r, time)
			fmt.Fprintf(&text, "MPI_SEND                                %8d %20d  Receiver: %d (\"MPI Rank %d\" <%d>), Communicator: \"MPI_COMM_WORLD\" <0>, Tag: 7, Length: 800\n",
				r, time, (r+1)%ranks, (r+1)%ranks, (r+1)%ranks)
			fmt.Fprintf(&text, "MPI_RECV                                %8d %20d  Sender: %d (\"MPI Rank %d\" <%d>), Communicator: \"MPI_COMM_WORLD\" <0>, Tag: 7, Length: 800\n",
				r, time, (r+ranks-1)%ranks, (r+ranks-1)%ranks, (r+ranks-1)%ranks)
			fmt.Fprintf(&text, "LEAVE                                   %8d %20d  Region: \"MPI_Sendrecv\" <0>\n", r, time)
		}
	}
	formattest.BenchmarkImport(b, OTF2Print{}, []byte(text.String()))
}
