package main

import (
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"testing"

	"spoor/predict/internal/stagetest"
	"spoor/traces/store"
	"spoor/traces/trace"
)

// BenchmarkRanks replays and analyzes a ring by whole commands: each rank exchanges ten messages with its neighbours, and calls one AllReduce.
func BenchmarkRanks(b *testing.B) {
	bin := stagetest.Build(b, "..")
	for _, ranks := range []int{1000, 1_000_000} {
		dir := b.TempDir()
		prefix, machine := filepath.Join(dir, "ring"), filepath.Join(dir, "m.toml")
		writeRing(b, prefix, ranks)
		description := fmt.Sprintf("[processor]\nclock = \"1 GHz\"\ncpi = 1\n[network]\nmodel = \"loggp\"\nL = \"2 us\"\no = \"500 ns\"\ng = \"500 ns\"\nG = \"1 ns/B\"\n[system]\ntarget = \"cow\"\nprocessors = 1\nnodes = %d\n", ranks)
		if err := os.WriteFile(machine, []byte(description), 0o666); err != nil {
			b.Fatal(err)
		}
		// Doubling takes one message of each rank and round. Ranks above a power of two send one first, and get one at the end.
		rounds := bits.Len(uint(ranks)) - 1
		messages := 10*ranks + rounds<<rounds + 2*(ranks-1<<rounds)
		b.Run(fmt.Sprint(ranks, "/replay"), func(b *testing.B) {
			reportRuns(b, messages, filepath.Join(bin, "predict"), "replay", "--quiet", prefix, "--machine", machine, "--format", "csv")
		})
		b.Run(fmt.Sprint(ranks, "/comm"), func(b *testing.B) {
			reportRuns(b, messages, filepath.Join(bin, "analyze"), "--quiet", "--run", "comm", "-o", filepath.Join(dir, "a"), prefix)
		})
	}
}

// writeRing writes a trace of 42 events for each rank.
func writeRing(b *testing.B, prefix string, ranks int) {
	head := trace.Header{Program: "ring", Format: "test", Procs: ranks, WorkUnit: trace.WorkInstr, Tool: "test"}
	w, err := store.Create(prefix, head)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Abort()
	event := func(k trace.Kind, peer, tag, request int, bytes int64) trace.Event {
		e := trace.NewEvent(k)
		e.Peer, e.Tag, e.Request, e.Bytes = int32(peer), int32(tag), int32(request), bytes
		return e
	}
	for p := range ranks {
		work := event(trace.Compute, -1, -1, -1, 0)
		work.Work = int64(1000 + p*7%13)
		rows := []trace.Event{work}
		for i := range 10 {
			recv := event(trace.Irecv, (p+ranks-1)%ranks, i, 0, 1024)
			recv.Instr = uint32(100 + (p*31+i)%17)
			rows = append(rows, recv, event(trace.Isend, (p+1)%ranks, i, 1, 1024), event(trace.Wait, -1, -1, 0, 0), event(trace.Wait, -1, -1, 1, 0))
		}
		rows = append(rows, event(trace.AllReduce, -1, -1, -1, 8))
		if err := w.Events(&trace.Events{Proc: trace.Proc(p), Rows: rows}); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(head); err != nil {
		b.Fatal(err)
	}
}
