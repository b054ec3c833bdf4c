package dumpi

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spoor/traces/format/internal/formattest"
	"spoor/traces/internal/format"
	"spoor/traces/trace"
)

// us is a time in microseconds from the start, in ns as messageEvent takes it.
func us(n int64) int64 { return 1000 * n }

// importDumpiRanks reads the calls of ranks, a file each.
func importDumpiRanks(t testing.TB, o format.Options, ranks ...string) (*trace.Memory, format.Result, error) {
	t.Helper()
	dir := t.TempDir()
	for i, calls := range ranks {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("d-%04d.txt", i)), []byte(formattest.DumpiText(calls)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	paths, err := Dumpi{}.Expand(dir)
	if err != nil || len(paths) != len(ranks) {
		t.Fatal(paths, err)
	}
	return formattest.ImportFiles(t, Dumpi{}, o, paths...)
}

func mustImportDumpiRanks(t testing.TB, ranks ...string) (*trace.Memory, format.Result) {
	t.Helper()
	m, r, err := importDumpiRanks(t, format.Options{}, ranks...)
	if err != nil {
		t.Fatal(err)
	}
	if err := trace.Check(m); err != nil {
		t.Fatal(err)
	}
	return m, r
}

// wantSomeNotes makes sure that there are notes that begin so.
func wantSomeNotes(t *testing.T, r format.Result, want ...string) {
	t.Helper()
	for _, note := range want {
		if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.HasPrefix(n, note) }) {
			t.Errorf("notes %q, want %q", r.Notes, note)
		}
	}
}

// without drops the times and the computation between calls.
func without(m *trace.Memory, p trace.Proc) (all []trace.Event) {
	for _, e := range formattest.Events(m, p) {
		if e.Time = 0; e.Kind != trace.Compute {
			all = append(all, e)
		}
	}
	return all
}

func wantMessages(t *testing.T, m *trace.Memory, p trace.Proc, want ...trace.Event) {
	t.Helper()
	if got := without(m, p); !reflect.DeepEqual(got, want) {
		t.Errorf("rank %d:\n%+v\nwant\n%+v", p, got, want)
	}
}

func tested(request int32) trace.Event {
	e := formattest.Transfer(trace.Test, 0, -1, -1, -1, request, 0)
	e.Count = 1
	return e
}

func waited(request int32) trace.Event {
	return formattest.Transfer(trace.Wait, 0, -1, -1, -1, request, 0)
}

func TestDumpiTimes(t *testing.T) {
	m, r := mustImportDumpiRanks(t, `
		MPI_Init argc=1
		MPI_Barrier comm=2 (MPI_COMM_WORLD)
		MPI_Wtime
		MPI_Barrier comm=2 (MPI_COMM_WORLD)
		MPI_Finalize`)
	gap := func(at, work int64) trace.Event { return formattest.ComputeEvent(us(at), us(at)+us(work)) }
	barrier := func(at int64) trace.Event { return formattest.Transfer(trace.Barrier, us(at), -1, -1, -1, -1, 0) }
	both := gap(3, 2) // before and after MPI_Wtime, which is none
	formattest.WantEvents(t, m, 0, gap(1, 1), barrier(2), both, barrier(6), gap(7, 1))
	wantSomeNotes(t, r, "3 calls that send no message omitted, with their time (")
}

func TestDumpiMessages(t *testing.T) {
	m, r := mustImportDumpiRanks(t, `
		MPI_Comm_size comm=2; size=2
		MPI_Type_contiguous count=3; oldtype=9 (MPI_INT); newtype=28
		MPI_Send count=2; datatype=28; dest=1; tag=5; comm=2
		MPI_Ssend count=2; datatype=14 (MPI_DOUBLE); dest=1; tag=6; comm=2
		MPI_Isend count=1; datatype=2; dest=-1; tag=6; comm=2; request=[2]
		MPI_Isend count=1; datatype=2; dest=1; tag=7; comm=2; request=[3]
		MPI_Isend count=1; datatype=2; dest=1; tag=8; comm=2; request=[3]
		MPI_Waitall count=4; requests[4]=[3, 2, 1, 3]; statuses[4]=<IGNORED>
		MPI_Sendrecv sendcount=9; sendtype=9; dest=1; sendtag=1; recvcount=9; recvtype=28; source=-1 (MPI_ANY_SOURCE); recvtag=-1 (MPI_ANY_TAG); comm=2; status=[{bytes=4, cancelled=0, source=1, tag=2, error=99}]
		MPI_Finalize`, `
		MPI_Recv count=1000; datatype=28; source=-1 (MPI_ANY_SOURCE); tag=-1; comm=2; status=[{bytes=24, cancelled=0, source=0, tag=5, error=0}]
		MPI_Iprobe source=-1; tag=6; comm=2; flag=0; status=<IGNORED>
		MPI_Iprobe source=-1; tag=6; comm=2; flag=1; status=[{bytes=16, cancelled=0, source=0, tag=6, error=0}]
		MPI_Irecv count=2; datatype=14; source=-1; tag=-1; comm=2; request=[5]
		MPI_Irecv count=5; datatype=2; source=0; tag=7; comm=2; request=[6]
		MPI_Irecv count=5; datatype=2; source=-5; tag=7; comm=2; request=[7]
		MPI_Irecv count=5; datatype=2; source=-1; tag=9; comm=2; request=[8]
		MPI_Cancel request=[8]
		MPI_Test request=[5]; flag=0; status=<IGNORED>
		MPI_Testany count=2; requests[2]=[6, 5]; index=1; flag=1; status=[{bytes=16, cancelled=0, source=0, tag=6, error=0}]
		MPI_Waitsome count=3; requests[3]=[6, 1, 7]; outcount=2; indices[2]=[2, 0]; statuses[2]=[{bytes=0, cancelled=0, source=-5, tag=-1, error=0}, {bytes=1, cancelled=0, source=0, tag=7, error=0}]
		MPI_Wait request=[8]; status=[{bytes=0, cancelled=1, source=0, tag=0, error=0}]
		MPI_Recv_init count=1; datatype=2; source=0; tag=8; comm=2; request=[9]
		MPI_Start request=[9]
		MPI_Waitany count=1; requests[1]=[9]; index=0; status=<IGNORED>
		MPI_Wait request=[9]; status=<IGNORED>
		MPI_Request_free request=[9]
		MPI_Recv count=9; datatype=9; source=0; tag=1; comm=2; status=<IGNORED>
		MPI_Send count=4; datatype=5; dest=0; tag=2; comm=2
		MPI_Finalize`)
	wantMessages(t, m, 0, formattest.Transfer(trace.Send, 0, 1, 5, -1, -1, 24), formattest.Transfer(trace.Send, 0, 1, 6, -1, -1, 16),
		formattest.Transfer(trace.Isend, 0, 1, 7, -1, 0, 1), formattest.Transfer(trace.Isend, 0, 1, 8, -1, 1, 1), waited(0), waited(1),
		formattest.Transfer(trace.Isend, 0, 1, 1, -1, 1, 36), formattest.Transfer(trace.Recv, 0, 1, 2, -1, -1, 4), waited(1))
	wantMessages(t, m, 1, formattest.Transfer(trace.Recv, 0, 0, 5, -1, -1, 24), formattest.Transfer(trace.Iprobe, 0, 0, 6, -1, -1, 16),
		formattest.Transfer(trace.Irecv, 0, 0, 6, -1, 0, 16), formattest.Transfer(trace.Irecv, 0, 0, 7, -1, 1, 5), tested(0), waited(1),
		formattest.Transfer(trace.Irecv, 0, 0, 8, -1, 2, 1), waited(2), formattest.Transfer(trace.Recv, 0, 0, 1, -1, -1, 36), formattest.Transfer(trace.Send, 0, 0, 2, -1, -1, 4))
	wantSomeNotes(t, r, "2 messages to or from MPI_PROC_NULL", "1 MPI_Sendrecv imported as", "2 test or probes that found nothing", "1 request cancelled")
	if !slices.Contains(r.Counts, format.Count{Name: "p2p bytes sent", N: 24 + 16 + 1 + 1 + 36 + 4}) || !slices.Contains(r.Counts, format.Count{Name: "MPI_Isend", N: 3}) {
		t.Errorf("counts %v", r.Counts)
	}
}

// Without a status source=-1 is any source, or what MPICH writes for MPI_PROC_NULL.
func TestDumpiSourceSetting(t *testing.T) {
	calls := "MPI_Recv count=1; datatype=2; source=-1; tag=1; comm=2; status=<IGNORED>\nMPI_Finalize"
	_, _, err := importDumpiRanks(t, format.Options{}, calls)
	if err == nil {
		t.Error("a receive without a message is accepted")
	}
	if m, _, err := importDumpiRanks(t, format.Options{Set: map[string]string{"source": "null"}}, calls); err != nil || len(without(m, 0)) != 0 {
		t.Error(err)
	}
	for _, set := range []map[string]string{{"source": "x"}, {"clock": "x"}} {
		if _, _, err := importDumpiRanks(t, format.Options{Set: set}, calls); err == nil || !strings.Contains(err.Error(), "--set") {
			t.Errorf("%v: %v", set, err)
		}
	}
}

func TestDumpiCollectives(t *testing.T) {
	rank := func(n, root int, rootOnly string) string {
		return fmt.Sprintf(`
		MPI_Bcast count=3; datatype=9; root=1; comm=2
		MPI_Reduce count=3; datatype=9; op=3 (MPI_SUM); root=0; comm=2
		MPI_Allreduce count=3; datatype=9; op=3; comm=2
		MPI_Scan count=3; datatype=9; op=3; comm=2
		MPI_Exscan count=3; datatype=9; op=3; comm=2
		MPI_Gatherv commrank=%[1]d; commsize=2; sendcount=%[2]d; sendtype=9; recvcounts[2]=%[3]s; displs[2]=<IGNORED>; recvtype=0; root=0; comm=2
		MPI_Scatter commrank=%[1]d; sendcount=0; sendtype=0 (MPI_DATATYPE_ERROR); recvcount=4; recvtype=9; root=0; comm=2
		MPI_Allgather sendcount=2; sendtype=9; recvcount=2; recvtype=9; comm=2
		MPI_Alltoall sendcount=2; sendtype=9; recvcount=2; recvtype=9; comm=2
		MPI_Alltoallv commsize=2; sendcounts[2]=[3, 4]; senddispls[2]=[0, 0]; sendtype=9; recvcounts[2]=[3, 4]; recvdispls[2]=[0, 0]; recvtype=9; comm=2
		MPI_Alltoallw commsize=2; sendcounts[2]=[3, 4]; sendtypes[2]=[9, 14]; comm=2
		MPI_Reduce_scatter commsize=2; recvcounts[2]=[5, 6]; datatype=9; op=3; comm=2
		MPI_Allreduce count=3; datatype=9; op=3; comm=3 (MPI_COMM_SELF)
		MPI_Finalize`, n, n+1, rootOnly)
	}
	m, r := mustImportDumpiRanks(t, rank(0, 0, "[1, 2]"), rank(1, 0, "<IGNORED>"))
	for n := range int32(2) {
		c := func(k trace.Kind, root int32, bytes int64) trace.Event {
			return formattest.Transfer(k, 0, root, -1, -1, -1, bytes)
		}
		wantMessages(t, m, trace.Proc(n), c(trace.Bcast, 1, 12), c(trace.Reduce, 0, 12), c(trace.AllReduce, -1, 12), c(trace.Scan, -1, 12),
			c(trace.Scan, -1, 12), c(trace.Gather, 0, 4*int64(n+1)), c(trace.Scatter, 0, 16), c(trace.AllGather, -1, 8), c(trace.AllToAll, -1, 16),
			c(trace.AllToAll, -1, 28), c(trace.AllToAll, -1, 44), c(trace.Reduce, 0, 44), c(trace.Scatter, 0, 20+4*int64(n)))
	}
	wantSomeNotes(t, r, "2 MPI_Exscans imported as MPI_Scan", "2 MPI_Reduce_scatters imported as", "2 collectives on MPI_COMM_SELF")
}

// dumpiMake has rank i of n make communicators in each way, and send in each to the
// rank after it.
func dumpiMake(i, n int) string {
	var b strings.Builder
	emit := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	ring := func(comm, local, size int) {
		emit("MPI_Isend count=1; datatype=2; dest=%d; tag=0; comm=%d; request=[2]", (local+1)%size, comm)
		emit("MPI_Recv count=1; datatype=2; source=%d; tag=0; comm=%d; status=<IGNORED>", (local+size-1)%size, comm)
		emit("MPI_Wait request=[2]; status=<IGNORED>")
	}
	emit("MPI_Comm_dup oldcomm=2; newcomm=4") // 1: the world
	ring(4, i, n)
	emit("MPI_Comm_split oldcomm=4; color=%d; key=%d; newcomm=5", i%2, -i) // 2, 3: backwards
	ring(5, (n-1-i)/2, n/2)
	emit("MPI_Comm_free comm=5")
	comm := 5
	if i == 1 {
		comm = 1
	}
	emit("MPI_Comm_split oldcomm=2; color=%d; key=0; newcomm=%d", map[bool]int{true: -32766}[i == 1], comm) // all but rank 1
	if i != 1 {
		ring(5, max(0, i-1), n-1)
	}
	emit("MPI_Comm_group comm=4; group=3")
	emit("int x=1")
	return b.String()
}

func TestDumpiCommunicators(t *testing.T) {
	const n = 6
	var ranks []string
	for i := range n {
		ranks = append(ranks, strings.TrimSuffix(dumpiMake(i, n), "int x=1\n")+fmt.Sprintf(`
			MPI_Group_range_excl group=3; count=1; ranges[1][3]=[[0, 1, 1]]; newgroup=4
			MPI_Group_incl group=4; count=2; ranks[2]=[3, 1]; newgroup=5
			MPI_Comm_create oldcomm=4; group=5; newcomm=%d
			MPI_Cart_create oldcomm=2; ndim=2; dims[2]=[2, 3]; periods[2]=[0, 0]; reorder=0; newcomm=8
			MPI_Cart_sub ndim=2; oldcomm=8; remain_dims[2]=[0, 1]; newcomm=9
			MPI_Bcast count=1; datatype=2; root=2; comm=9
			MPI_Cart_sub ndim=2; oldcomm=8; remain_dims[2]=[1, 0]; newcomm=10
			MPI_Bcast count=1; datatype=2; root=1; comm=10
			`, map[bool]int{true: 7, false: 1}[i == 3 || i == 5])+map[int]string{
			3: "MPI_Send count=1; datatype=2; dest=0; tag=3; comm=7\n", // to world rank 5
			5: "MPI_Recv count=1; datatype=2; source=1; tag=3; comm=7; status=<IGNORED>\n",
		}[i]+"MPI_Finalize")
	}
	m, _ := mustImportDumpiRanks(t, ranks...)
	for i := range int32(n) {
		var rows, columns, partners []int32
		for _, e := range without(m, trace.Proc(i)) {
			switch {
			case e.Kind == trace.Bcast && len(rows) == 0:
				rows = append(rows, e.Peer)
			case e.Kind == trace.Bcast:
				columns = append(columns, e.Peer)
			case e.Kind == trace.Isend || e.Kind == trace.Send:
				partners = append(partners, e.Peer)
			}
		}
		want := []int32{(i + 1) % n, (i + n - 2) % n}
		if i != 1 {
			want = append(want, map[int32]int32{0: 2, 2: 3, 3: 4, 4: 5, 5: 0}[i])
		}
		if i == 3 {
			want = append(want, 5)
		}
		if !slices.Equal(partners, want) || rows[0] != i/3*3+2 || columns[0] != i%3+3 {
			t.Errorf("rank %d sends to %v, want %v; the roots of its row and column are %v, %v", i, partners, want, rows, columns)
		}
	}
	if _, _, err := importDumpiRanks(t, format.Options{}, "MPI_Comm_split oldcomm=2; color=1; key=1; newcomm=4\nMPI_Barrier comm=4", "MPI_Finalize"); err == nil ||
		!strings.Contains(err.Error(), "0000.txt:8: the ranks of the communicator are not known: not all of its ranks call the function that makes it") {
		t.Errorf("a communicator that one rank makes: %v", err)
	}
	if _, _, err := importDumpiRanks(t, format.Options{}, "MPI_Intercomm_create newcomm=4\nMPI_Barrier comm=4"); err == nil || !strings.Contains(err.Error(), "MPI_Intercomm_create") {
		t.Errorf("an inter-communicator: %v", err)
	}
}

func TestDumpiDatatypes(t *testing.T) {
	for calls, bytes := range map[string]int64{
		"MPI_Type_contiguous count=3; oldtype=9; newtype=28":                                                             12,
		"MPI_Type_vector count=3; blocklength=2; stride=9; oldtype=9; newtype=28":                                        24,
		"MPI_Type_hindexed count=2; lengths[2]=[1, 4]; indices[2]=[0, 9]; oldtype=14; newtype=28":                        40,
		"MPI_Type_struct count=2; lengths[2]=[1, 4]; indices[2]=[0, 9]; oldtypes[2]=[2, 14]; newtype=28":                 33,
		"MPI_Type_contiguous count=3; oldtype=9; newtype=29\nMPI_Type_contiguous count=2; oldtype=29; newtype=28":        24,
		"MPI_Type_create_subarray ndims=2; sizes[2]=[9, 9]; subsizes[2]=[2, 3]; starts[2]=[0, 0]; oldtype=9; newtype=28": 24,
		"MPI_Type_size datatype=28; size=77":                                                                             77,
	} {
		t.Run(calls, func(t *testing.T) {
			m, _ := mustImportDumpiRanks(t, calls+"\nMPI_Isend count=2; datatype=28; dest=0; tag=5; comm=2; request=[2]\nMPI_Recv count=0; datatype=28; source=0; tag=5; comm=2; status=<IGNORED>\n"+
				"MPI_Wait request=[2]; status=<IGNORED>\nMPI_Finalize")
			if got := without(m, 0)[0].Bytes; got != 2*bytes {
				t.Errorf("%d bytes, want 2 of %d", got, bytes)
			}
		})
	}
	// Sizes at the end of the file, for types of MPI and of the program.
	m, _ := mustImportDumpiRanks(t, `version=13.0.0
		MPI_Isend count=1; datatype=11; dest=0; tag=5; comm=2; request=[2]
		MPI_Isend count=1; datatype=28; dest=0; tag=5; comm=2; request=[3]
		MPI_Recv count=1; datatype=28; source=0; tag=5; comm=2; status=<IGNORED>
		MPI_Recv count=1; datatype=28; source=0; tag=5; comm=2; status=<IGNORED>
		MPI_Waitall count=2; requests[2]=[2, 3]; statuses[2]=<IGNORED>
		MPI_Finalize
		MPI_Isend called 2 times and ignored 0 times
		Datatype 11 (MPI_LONG) has size 4
		Datatype 16 (MPI_LONG_LONG_INT) has size 0
		Datatype 28 (user-defined) has size 77`)
	if e := without(m, 0); e[0].Bytes != 4 || e[1].Bytes != 77 {
		t.Errorf("%+v", e)
	}
}

func TestBadDumpi(t *testing.T) {
	for _, c := range []struct {
		calls  string
		line   int
		reason string
	}{
		{"hello", 1, "neither a call nor a line of the header or footer"},
		{"version=13", 1, "end of file after no calls"},
		{"MPI_Send count=1; datatype=28; dest=0; tag=0; comm=2", 3, "user-defined datatype 28: its size is not in the trace"},
		{"MPI_Send count=1; datatype=9; dest=3; tag=0; comm=2", 4, "rank 3, but the communicator has 1 ranks"},
		{"MPI_Send count=1; datatype=9; dest=0; tag=-3; comm=2", 5, "not a tag"},
		{"MPI_Send count=-1; datatype=9; dest=0; tag=3; comm=2", 2, "a negative number"},
		{"MPI_Send count=x; datatype=9; dest=0; tag=3; comm=2", 2, "not a number"},
		{"MPI_Send count=9223372036854775807; datatype=9; dest=0; tag=3; comm=2", 2, "over 2^63 bytes"},
		{"MPI_Send count=1; dest=0; tag=3; comm=2", 1, "MPI_Send without datatype"},
		{"MPI_Send count=1; datatype=9; dest=0; tag=3; comm=9", 6, "no call in the trace makes this communicator"},
		{"MPI_Wait request=[7]; status=<IGNORED>", 2, "request 7 is not open"},
		{"MPI_Start request=[7]", 2, "request 7 is not persistent"},
		{"MPI_Waitall count=2; requests[2]=[2]; statuses[2]=<IGNORED>", 3, "the array declares 2 elements, has 1"},
		{"MPI_Waitall count=2; requests[2]=[2, x]; statuses[2]=<IGNORED>", 3, "not an array of numbers"},
		{"MPI_Waitall count=1; requests[1]=[1]; statuses[1]=[{bytes=1}]", 4, "not a status"},
		{"MPI_Waitall count=1; requests[1]=[1]; statuses[1]=[{bytes=1", 4, "the status has no end"},
		{"MPI_Waitany count=1; requests[1]=[1]; index=1; status=<IGNORED>", 4, "index out of range of 1 requests"},
		{"MPI_Put origincount=1; win=1", 1, "MPI_Put communicates in an unsupported way"},
		{"MPI_Frobnicate comm=2", 1, "MPI_Frobnicate communicates in an unsupported way"},
		{"MPI_Comm_rank comm=2; rank=0\nMPI_Comm_rank comm=2; rank=3", 7, "the file was read as rank 0"},
		{"MPI_Comm_size comm=2; size=3", 1, "the world has 3 ranks, but 2 ranks have no file, first rank 1"},
		{"MPI_Comm_size comm=2; size=0", 3, "there are files of 1 ranks"},
		{"MPI_Init\nMPI_Init called 2 times and ignored 0 times", 3, "the trace has 1 call of MPI_Init"},
		{"MPI_Send count=0; datatype=11; dest=0; tag=3; comm=2\nMPI_Send count=1; datatype=11; dest=0; tag=3; comm=2\nDatatype 11 (MPI_LONG) has size 4", 15, "read as 8 bytes"},
		{"MPI_Barrier frob", 2, "not an argument of MPI_Barrier"},
		{"MPI_Barrier x[1=5", 2, " length is not a number"},
	} {
		_, _, err := formattest.ImportText(Dumpi{}, formattest.DumpiText(c.calls), format.Options{})
		formattest.WantError(t, c.calls, err, fmt.Sprintf("standard input:%d: ", c.line), c.reason)
	}
	for _, c := range []struct {
		text   string
		line   int
		reason string
	}{
		{"", 1, "empty"},
		{"MPI_Init entering at walltime 5.0, cputime 0.0 seconds in thread 0.\n", 1, "MPI_Init entered, never returned"},
		{"MPI_Init entering at walltime 5.0, cputime 0.0 seconds in thread 0.\nMPI_Init returning at walltime 4.0, cputime 0.0 seconds in thread 0.\n", 2, "returns (4.0) before it enters (5.0)"},
		{"MPI_Init entering at walltime 5.0, cputime 0.0 seconds in thread 0.\nMPI_Init returning at walltime 6.5, cputime 0.0 seconds in thread 0.\n" +
			"MPI_Init entering at walltime 5.5, cputime 0.0 seconds in thread 0.\nMPI_Init returning at walltime 7.5, cputime 0.0 seconds in thread 0.\n", 3, "enters (5.5) before the previous call returned (6.5)"},
		{"MPI_Init entering at walltime 5.0, cputime 0.0 seconds in thread 0.\nMPI_Init returning at walltime 6.0, cputime 0.0 seconds in thread 1.\n", 2, "enters in thread 0 and returns in thread 1"},
		{"MPI_Init entering at walltime 5.0, cputime 0.0 seconds in thread 0.\nMPI_Init ret", 2, "truncated"},
		{"MPI_Init entering at walltime 5.0, cputime 0.0 seconds in thread 0.\nMPI_Send entering at walltime 5.0, cputime 0.0 seconds in thread 0.\n", 2, "a call within MPI_Init"},
		{"MPI_Init entering at walltime -5.0, cputime 0.0 seconds in thread 0.\n", 1, "not in seconds and nanoseconds"},
		{"MPI_Init entering at walltime 5.0.\n", 1, "incomplete time"},
		{"MPI_Init returning at walltime 5.0, cputime 0.0 seconds in thread 0.\n", 1, "a call returns without entering"},
		{"MPI_Init entering at walltime 5.0, cputime 0.0 seconds in thread 0.\n\x00\x00\n", 2, "2 NUL bytes"},
		{"MPI_Init entering at walltime 5.0, cputime 0.0 seconds in thread 0.\nMPI_Init returning at walltime 5.0, cputime 0.0 seconds in thread 0.\n" +
			"MPI_Init entering at walltime 9999999.0, cputime 0.0 seconds in thread 0.\nMPI_Init returning at walltime 99999999.0, cputime 0.0 seconds in thread 0.\n", 3, "over 106 days"},
	} {
		_, _, err := formattest.ImportText(Dumpi{}, c.text, format.Options{})
		formattest.WantError(t, fmt.Sprintf("%.90q", c.text), err, fmt.Sprintf("standard input:%d: ", c.line), c.reason)
	}
	_, _, err := formattest.ImportText(Dumpi{}, string(dumpiBinary), format.Options{})
	formattest.WantError(t, "binary", err, "standard input: offset 0: ", "dumpi2ascii -a")
	_, _, err = formattest.ImportText(Dumpi{}, formattest.DumpiText("MPI_Comm_dup oldcomm=2; newcomm=4\nMPI_Barrier comm=4"), format.Options{})
	formattest.WantError(t, "communicators in standard input", err, "the program makes communicators", "give it as a file")
}

// Strings may have line ends, and arrays of arrays have them where they should not.
func TestDumpiOddLines(t *testing.T) {
	text := "MPI_Init entering at walltime 5.0, cputime 0.0 seconds in thread 0.\r\nPerfcounters: [A=5]\nint argc=2\nstring argv[2]=[\"a\", \"b\nc=d\n\"]\n" +
		"MPI_Init returning at walltime 6.0, cputime 0.0 seconds in thread 0.\nPerfcounters: [A=6]\n" +
		"MPI_Group_range_incl entering at walltime 6.0, cputime 0.0 seconds in thread 0.\nint ranges[2][3]=[[0, 1, 1]\n, [3, 4, 1]\n]MPI_Group newgroup=5 (user-defined-group)\n" +
		"MPI_Group_range_incl returning at walltime 6.5, cputime 0.0 seconds in thread 0."
	_, r, err := formattest.ImportText(Dumpi{}, text, format.Options{})
	if err != nil {
		t.Fatal(err)
	}
	wantSomeNotes(t, r, "1 line with carriage return", "the last line has no line end", "1 file without a rank in the name", "1 rank without MPI_Finalize")
}

func TestDumpiClocks(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for i, start := range []int{100, 900} {
		path := filepath.Join(dir, fmt.Sprintf("x-%d.txt", i))
		text := fmt.Sprintf("MPI_Barrier entering at walltime %d.5, cputime 0.0 seconds in thread 0.\nMPI_Comm comm=2 (MPI_COMM_WORLD)\nMPI_Barrier returning at walltime %d.6, cputime 0.0 seconds in thread 0.\n", start, start)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	slices.Reverse(paths) // the rank is in the name
	for clock, want := range map[string]int64{"common": 800e12, "own": 0} {
		m, r, err := formattest.ImportFiles(t, Dumpi{}, format.Options{Set: map[string]string{"clock": clock}}, paths...)
		if err != nil {
			t.Fatal(err)
		}
		if formattest.Events(m, 0)[0].Time != 0 || formattest.Events(m, 1)[0].Time != want {
			t.Errorf("%s: %+v", clock, m.EventsOf)
		}
		if clock == "common" {
			wantSomeNotes(t, r, "the start times of the ranks differ by up to 800 s")
		}
	}
	if _, _, err := formattest.ImportFiles(t, Dumpi{}, format.Options{}, paths[0], paths[0]); err == nil || !strings.Contains(err.Error(), "has rank 1, like") {
		t.Errorf("the same rank twice: %v", err)
	}
	if _, _, err := formattest.ImportFiles(t, Dumpi{}, format.Options{}, paths[0]); err == nil || !strings.Contains(err.Error(), "1 rank has no file, first rank 0") {
		t.Errorf("no file of rank 0: %v", err)
	}
	if _, r, err := formattest.ImportFiles(t, Dumpi{}, format.Options{Unmatched: true}, paths[0]); err != nil || r.Procs != 2 {
		t.Errorf("no file of rank 0, accepted: %v", err)
	}
}

func TestDumpiSamples(t *testing.T) {
	dir := formattest.Shared(t, "dumpi")
	if _, err := (Dumpi{}).Expand(dir); err == nil || !strings.Contains(err.Error(), "more than one dumpi trace: mpich4-NNNN.all.txt and mpich4-NNNN.txt;") {
		t.Errorf("the folder with two traces: %v", err)
	}
	var traces []*trace.Memory
	for _, suffix := range []string{".txt", ".all.txt"} {
		var paths []string
		for rank := range 4 {
			paths = append(paths, filepath.Join(dir, fmt.Sprintf("mpich4-%04d%s", rank, suffix)))
		}
		m, r, err := formattest.ImportFiles(t, Dumpi{}, format.Options{}, paths...)
		if err != nil {
			t.Fatal(err)
		}
		if err := trace.Check(m); err != nil {
			t.Fatal(err)
		}
		for _, want := range []format.Count{{Name: "calls", N: 33 + 33 + 34 + 35}, {Name: "p2p bytes sent", N: 4856 + 4836 + 4900 + 4836}, {Name: "MPI_Isend", N: 13}, {Name: "MPI_Irecv", N: 13},
			{Name: "MPI_Waitall", N: 12}, {Name: "MPI_Wait", N: 2}, {Name: "MPI_Test", N: 1}, {Name: "MPI_Send", N: 1}, {Name: "MPI_Recv", N: 1}, {Name: "MPI_Bcast", N: 8}, {Name: "MPI_Comm_split", N: 4}, {Name: "MPI_Exscan", N: 4}} {
			if !slices.Contains(r.Counts, want) {
				t.Errorf("%s: counts %v, want %v", suffix, r.Counts, want)
			}
		}
		for rank, want := range []int64{4856, 4836, 4900, 4836} {
			got := int64(0)
			for _, e := range formattest.Events(m, trace.Proc(rank)) {
				if e.Kind == trace.Send || e.Kind == trace.Isend {
					got += e.Bytes
				}
			}
			if got != want {
				t.Errorf("%s: rank %d sends %d bytes, want %d", suffix, rank, got, want)
			}
		}
		traces = append(traces, m)
	}
	for p := range trace.Proc(4) {
		if !reflect.DeepEqual(formattest.Events(traces[0], p), formattest.Events(traces[1], p)) {
			t.Errorf("rank %d: dumpi2ascii with and without -a differ", p)
		}
	}
}

func TestMalformedDumpi(t *testing.T) {
	dir := formattest.Shared(t, "malformed")
	for name, want := range map[string][2]string{
		"m47_dumpi_no_return.txt":    {":27: ", "MPI_Isend entered, never returned: the trace is truncated"},
		"m49_dumpi_time_back.txt":    {":3: ", "returns (4.0) before it enters (5.0)"},
		"m50_dumpi_unknown_type.txt": {":3: ", "user-defined datatype 28: its size is not in the trace"},
		"m51_dumpi_array_len.txt":    {":3: ", "array declares 2 elements, has 1"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, "message", name)
			_, _, err := formattest.ImportFiles(t, Dumpi{}, format.Options{}, path)
			formattest.WantError(t, name, err, path+want[0], want[1])
		})
	}
}

// Two ranks, so that communicators are made: the text is cut in two at a NUL byte.
func FuzzDumpi(f *testing.F) {
	f.Add([]byte(formattest.DumpiText("MPI_Init\nMPI_Isend count=1; datatype=2; dest=0; tag=7; comm=2; request=[3]\nMPI_Recv count=1; datatype=2; source=-1; tag=7; comm=2; status=[{bytes=1, cancelled=0, source=0, tag=7, error=1}]\n" +
		"MPI_Wait request=[3]; status=<IGNORED>\nMPI_Finalize\nMPI_Init called 1 times and ignored 0 times\nDatatype 3 (X) has size 1")))
	f.Add([]byte(formattest.DumpiText(strings.TrimSuffix(dumpiMake(0, 2), "int x=1\n")) + "\x00" + formattest.DumpiText(strings.TrimSuffix(dumpiMake(1, 2), "int x=1\n"))))
	f.Add([]byte(formattest.DumpiText("MPI_Alltoallw commsize=1; sendcounts[1]=[3]; sendtypes[1]=[9]; comm=2\nMPI_Reduce_scatter commsize=1; recvcounts[1]=[5]; datatype=9; op=3; comm=2\nMPI_Group_range_excl group=3; count=1; ranges[1][3]=[[0, 1, 1]]; newgroup=4")))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		var paths []string
		for i, part := range strings.SplitN(string(text), "\x00", 2) {
			path := filepath.Join(dir, fmt.Sprintf("%d-%d.txt", os.Getpid(), i))
			if err := os.WriteFile(path, []byte(part), 0o644); err != nil {
				t.Fatal(err)
			}
			paths = append(paths, path)
		}
		o := format.Options{Unmatched: len(text)%2 == 0, Set: map[string]string{"clock": []string{"common", "own"}[len(text)%2]}}
		m, _, err := formattest.ImportFiles(t, Dumpi{}, o, paths...)
		formattest.CheckFuzzed(t, m, o, err)
	})
}

func BenchmarkImportDumpi(b *testing.B) {
	formattest.BenchmarkImport(b, Dumpi{}, []byte(formattest.DumpiText(strings.Repeat(`
		MPI_Irecv count=100; datatype=14 (MPI_DOUBLE); source=0; tag=7; comm=2 (MPI_COMM_WORLD); request=[2]
		MPI_Isend count=100; datatype=14 (MPI_DOUBLE); dest=0; tag=7; comm=2 (MPI_COMM_WORLD); request=[3]
		MPI_Waitall count=2; requests[2]=[2, 3]; statuses[2]=<IGNORED>`, 30000)+"\nMPI_Finalize")))
}
