package paraver

import (
	"bufio"
	"fmt"

	"spoor/traces/format/internal/timeline"
	"spoor/traces/internal/format"
	"spoor/traces/trace"
)

// Spoor's own event types. They hold all fields of an event, so that import restores an
// exported event.
const (
	prvOurKind = 9100001 + iota // its number; without an MPI call it begins the event, and 0 ends it
	prvOurPeer
	prvOurTag
	prvOurGroup
	prvOurRequest
	prvOurBytes
	prvOurCount // the number found by a test
)

// prvNames are the MPI calls by kind of event: type and value of Paraver's event.
var prvNames = map[trace.Kind]struct {
	id   prvCallID
	name string
}{
	trace.Send: {prvCallID{prvPoint, 1}, "MPI_Send"}, trace.Recv: {prvCallID{prvPoint, 2}, "MPI_Recv"},
	trace.Isend: {prvCallID{prvPoint, 3}, "MPI_Isend"}, trace.Irecv: {prvCallID{prvPoint, 4}, "MPI_Irecv"},
	trace.Wait: {prvCallID{prvPoint, 5}, "MPI_Wait"}, trace.Test: {prvCallID{prvPoint, 39}, "MPI_Test"},
	trace.Probe: {prvCallID{prvPoint, 61}, "MPI_Probe"}, trace.Iprobe: {prvCallID{prvPoint, 62}, "MPI_Iprobe"},
	trace.Bcast: {prvCallID{prvCollective, 7}, "MPI_Bcast"}, trace.Barrier: {prvCallID{prvCollective, 8}, "MPI_Barrier"},
	trace.Reduce: {prvCallID{prvCollective, 9}, "MPI_Reduce"}, trace.AllReduce: {prvCallID{prvCollective, 10}, "MPI_Allreduce"},
	trace.AllToAll: {prvCallID{prvCollective, 12}, "MPI_Alltoallv"}, // its size is for all members together
	trace.Gather:   {prvCallID{prvCollective, 13}, "MPI_Gather"}, trace.Scatter: {prvCallID{prvCollective, 15}, "MPI_Scatter"},
	trace.AllGather: {prvCallID{prvCollective, 17}, "MPI_Allgather"}, trace.Scan: {prvCallID{prvCollective, 30}, "MPI_Scan"},
}

// writeRow writes the names of Export's processors, which are tasks of one thread.
func writeRow(out *bufio.Writer, procs int) {
	for i, level := range [...]string{"TASK", "THREAD"} {
		if i > 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(out, "LEVEL %s SIZE %d\n", level, procs)
		for p := range procs {
			fmt.Fprintf(out, "processor %d\n", p)
		}
	}
}

// writePCF writes the labels of Export's events.
func writePCF(out *bufio.Writer) {
	out.WriteString("DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n\nSTATES\n0    Idle\n")
	for _, s := range timeline.States[format.StateCompute:] {
		fmt.Fprintf(out, "%d    %s\n", s.Paraver, s.Label)
	}
	for _, t := range []struct {
		typ  int64
		name string
	}{{prvPoint, "MPI Point-to-point"}, {prvCollective, "MPI Collective Comm"}, {prvOurKind, "Spoor event"}} {
		fmt.Fprintf(out, "\nEVENT_TYPE\n9    %d    %s\nVALUES\n0   Outside\n", t.typ, t.name)
		for _, k := range trace.Kinds {
			switch call := prvNames[k]; {
			case t.typ == prvOurKind:
				fmt.Fprintf(out, "%d   %s\n", k, k)
			case call.id.typ == t.typ:
				fmt.Fprintf(out, "%d   %s\n", call.id.value, call.name)
			}
		}
	}
	for _, t := range []struct {
		typ  int64
		name string
	}{{prvSent, "Send Size in MPI Global OP"}, {prvReceived, "Recv Size in MPI Global OP"}, {prvRoot, "Root in MPI Global OP"},
		{prvOfComm, "Communicator in MPI Global OP"}, {prvOurPeer, "Spoor peer"}, {prvOurTag, "Spoor tag"}, {prvOurGroup, "Spoor group"},
		{prvOurRequest, "Spoor request"}, {prvOurBytes, "Spoor bytes"}, {prvOurCount, "Spoor count"}} {
		fmt.Fprintf(out, "\nEVENT_TYPE\n9    %d    %s\n", t.typ, t.name)
	}
}
