package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"spoor/traces/stage"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// recordRing writes a trace in which each rank sends to the next one.
func recordRing(t *testing.T, prefix string, ranks int) {
	h := trace.Header{Program: "ring", Procs: ranks}
	w, err := store.Create(prefix, h)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for rank := range ranks {
		send, recv := trace.NewEvent(trace.Send), trace.NewEvent(trace.Recv)
		send.Peer, send.Bytes = int32((rank+1)%ranks), int64(4800/ranks)
		recv.Peer, recv.Bytes = int32((rank+ranks-1)%ranks), int64(4800/ranks)
		if err := w.Events(&trace.Events{Proc: trace.Proc(rank), Rows: []trace.Event{send, recv}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(h); err != nil {
		t.Fatal(err)
	}
}

func TestGrow(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, n := range []int{3, 4, 6} {
		recordRing(t, fmt.Sprintf("ring%d", n), n)
	}
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"grow ring3 ring4 ring6 --ranks 12 -o grown", stage.Done, "predict all messages of ring6 (6 ranks), and its computation within 0 %"},
		{"check grown", stage.Done, ""},
		{"grow ring3 --ranks 12 -o x", stage.Failed, "a pattern needs recordings at two or more numbers of ranks"},
		{"grow ring3 ring3 --ranks 12 -o x", stage.Failed, "ring3 and ring3 have the same number of ranks, 3"},
		{"grow ring3 ring4 -o x", stage.WrongUsage, "--ranks 0"},
		{"grow ring3 ring4 --ranks 12", stage.WrongUsage, "no output"},
		{"grow ring3 ring4 --ranks 12 -o ring3", stage.WrongUsage, "that is the trace to be read"},
		{"grow ring3 none --ranks 12 -o x", stage.Failed, "reading none"},
	} {
		status, out, errs := traces(nil, strings.Fields(c.args)...)
		if status != c.status || !strings.Contains(errs, c.want) {
			t.Errorf("traces %s: status %d, %s", c.args, status, errs)
		}
		if status != stage.Done && out != "" {
			t.Errorf("traces %s fails and prints %s", c.args, out)
		}
	}
	if _, err := os.Stat("x.events.arrow"); err == nil {
		t.Error("a command that failed left a file")
	}
	if _, out, _ := traces(nil, "head", "--events", "--format", "csv", "-n", "1", "grown"); !strings.Contains(out, "0,send,0,0,1,-1,-1,-1,400,") {
		t.Errorf("the first event of 12 ranks is\n%s", out)
	}
}
