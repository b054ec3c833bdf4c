//go:build oracle

package oracle

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"spoor/tracegen/kernel"
	"spoor/tracegen/spmd"
	"spoor/tracegen/tape"
	"spoor/traces/trace"
)

// current is the variable that holds the tape of the rank that runs.
//
//go:linkname current spoor/tracegen/tape.current
var current unsafe.Pointer

//go:linkname spoorCurrent runtime.spoorCurrent
var spoorCurrent *unsafe.Pointer

//go:linkname spoorDrain runtime.spoorDrain
var spoorDrain func(unsafe.Pointer)

// keep is a sink that keeps the references of each rank.
type keep []trace.Refs

func (k keep) Refs(b *trace.Refs) error {
	for i := range b.Len() {
		k[b.Proc].Append(b.Instr[i], b.Addr[i], b.Size[i], b.Op[i])
	}
	return nil
}

func (keep) Events(*trace.Events) error { return nil }

func record(t *testing.T, form []kernel.Kernel, name string, procs int) keep {
	t.Helper()
	k, err := kernel.Find(form, name)
	if err != nil {
		t.Fatal(err)
	}
	values, err := k.Values(k.Small)
	if err != nil {
		t.Fatal(err)
	}
	inst, err := k.New(values, procs, 1)
	if err != nil {
		t.Fatal(err)
	}
	refs := make(keep, procs)
	if _, err := spmd.Record(context.Background(), spmd.Options{Procs: procs}, inst.Program, refs); err != nil {
		t.Fatal(err)
	}
	return refs
}

// apart are the kernels that cannot be compared, on so many ranks or more.
var apart = map[string]struct {
	procs int
	why   string
}{
	"cholesky": {1, "the queue of tasks is generic code of package spmd, and who takes a task depends on clocks"},
	"barnes":   {1, "atomic stores"},
	"apucs":    {1, "collectives are generic code of package spmd"},
	"pgl":      {2, "which messages have come when it polls depends on clocks"},
	"tpcc":     {2, "who gets a lock depends on clocks"},
	"bps":      {2, "collectives are generic code of package spmd"},
	"sor":      {2, "collectives are generic code of package spmd"},
}

func TestRecordingsAreWhatTheCompilerSees(t *testing.T) {
	spoorDrain = func(p unsafe.Pointer) { (*tape.Tape)(p).Drain() }
	for _, k := range kernel.All {
		for _, procs := range []int{1, 4} {
			if a, ok := apart[k.Name]; ok && procs >= a.procs {
				t.Logf("%s on %d is left out: %s", k.Name, procs, a.why)
				continue
			}
			t.Run(fmt.Sprintf("%s on %d", k.Name, procs), func(t *testing.T) {
				spoorCurrent = &current
				want := record(t, kernel.All, k.Name, procs)
				spoorCurrent = nil // the recording form writes to tapes itself
				got := record(t, kernel.Recorded, k.Name, procs)
				for p := range procs {
					if err := compare(&want[p], &got[p]); err != nil {
						t.Errorf("rank %d: %v", p, err)
					}
				}
			})
		}
	}
}

// compare finds the first reference that differs.
func compare(want, got *trace.Refs) error {
	i, j := 0, 0
	for i < want.Len() {
		n, m := matches(want, i, got, j), 1
		if n == 0 {
			n, m = 1, fields(want, i, got, j)
		}
		if m == 0 && !toStack(got, j) {
			return fmt.Errorf("of %d and %d references, the compiler's %d and the recording's %d differ:%s\n---%s",
				want.Len(), got.Len(), i, j, around(want, i), around(got, j))
		}
		i, j = i+m, j+n
	}
	if j < got.Len() {
		return fmt.Errorf("the recording has %d references more:%s", got.Len()-j, around(got, j))
	}
	return nil
}

// matches is how many references of a recording stand for access i of the compiler's.
func matches(want *trace.Refs, i int, got *trace.Refs, j int) int {
	same := func(j int, offset uint64, size uint16) bool {
		return j < got.Len() && got.Op[j] == want.Op[i] && got.Addr[j] == want.Addr[i]+offset && got.Size[j] == size
	}
	size := want.Size[i]
	switch {
	case same(j, 0, size):
		return 1
	case same(j, 0, size/2) && same(j+1, uint64(size/2), size/2):
		return 2 // a complex number
	default:
		return 0
	}
}

// toStack reports whether a reference may be half of a copy to the stack.
func toStack(got *trace.Refs, j int) bool {
	return j < got.Len() && got.Op[j] == trace.Load && got.Size[j] > 8
}

// fields is how many accesses of the compiler's, from i on, are to fields of what a
// recording holds as one reference.
func fields(want *trace.Refs, i int, got *trace.Refs, j int) (n int) {
	if j >= got.Len() {
		return 0
	}
	const padding = 8 // is less than
	at, end := got.Addr[j], got.Addr[j]+uint64(got.Size[j])
	for ; i+n < want.Len() && want.Op[i+n] == got.Op[j] && want.Addr[i+n]-at < padding && want.Addr[i+n] < end; n++ {
		at = want.Addr[i+n] + uint64(want.Size[i+n])
	}
	if end-at >= padding {
		return 0
	}
	return n
}

// around shows the references about the i-th.
func around(r *trace.Refs, i int) string {
	var b strings.Builder
	for j := max(0, i-4); j < min(r.Len(), i+5); j++ {
		mark := " "
		if j == i {
			mark = ">"
		}
		fmt.Fprintf(&b, "\n%s %d %s of %d at %#x", mark, j, r.Op[j], r.Size[j], r.Addr[j])
	}
	return b.String()
}
