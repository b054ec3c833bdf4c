package recorder

import (
	"fmt"
	"maps"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/traces/trace"
)

// sound checks a recorded trace.
func sound(t *testing.T, k *kept, rec *Recording) {
	t.Helper()
	m := &trace.Memory{Head: trace.Header{Procs: rec.Procs, HasPC: true, WorkUnit: trace.WorkInstr}, RefsOf: make([]trace.Refs, rec.Procs), EventsOf: make([]trace.Events, rec.Procs)}
	for p := range trace.Proc(rec.Procs) {
		m.RefsOf[p].Proc, m.EventsOf[p].Proc = p, p
		if r := k.refs[p]; r != nil {
			m.RefsOf[p] = *r
		}
		m.EventsOf[p].Rows = k.events[p]
	}
	if err := trace.Check(m); err != nil {
		t.Fatal(err)
	}
}

// counts counts the events of a processor by kind.
func counts(k *kept, p trace.Proc) map[trace.Kind]int {
	have := map[trace.Kind]int{}
	for _, e := range k.events[p] {
		have[e.Kind]++
	}
	return have
}

// inOrder performs the events of all processors as a replay does that lets the first of those that can go on. It returns the
// processors in the order in which each object had its events of a kind, and how many processors could not end.
func inOrder(k *kept, procs int, kind trace.Kind) (order map[int32][]trace.Proc, stuck int) {
	order = map[int32][]trace.Proc{}
	at, signals, locks := make([]int, procs), map[int32]int32{}, map[int32]bool{}
	for progress := true; progress; {
		progress = false
		for p := range trace.Proc(procs) {
			for ; at[p] < len(k.events[p]); at[p]++ {
				e := &k.events[p][at[p]]
				if e.Kind == trace.WaitFlag && signals[e.Peer] < e.Tag || e.Kind == trace.Lock && locks[e.Peer] {
					break
				}
				switch e.Kind {
				case trace.Signal:
					signals[e.Peer]++
				case trace.Lock, trace.Unlock:
					locks[e.Peer] = e.Kind == trace.Lock
				}
				if e.Kind == kind {
					order[e.Peer] = append(order[e.Peer], p)
				}
				progress = true
			}
		}
	}
	for p := range at {
		if at[p] < len(k.events[trace.Proc(p)]) {
			stuck++
		}
	}
	return order, stuck
}

func TestEventsOfSynchronization(t *testing.T) {
	const threads, steps = 4, 6
	k, rec, out := record(t, Options{Args: []string{built(t, "sync.c")}})
	sound(t, k, rec)
	if rec.Procs != threads+3 {
		t.Errorf("%d processors", rec.Procs)
	}
	for p := trace.Proc(1); p <= threads; p++ {
		have, signals := counts(k, p), 2*steps // of rwlock and turn
		if p == 1 {
			signals += steps // items
		}
		if n := have[trace.Signal]; n != signals && n != signals+1 { // once
			t.Errorf("processor %d has %d signals, not %d", p, n, signals)
		}
		if have[trace.Lock] != 3*steps || have[trace.Unlock] != 3*steps {
			t.Errorf("processor %d has %d locks and %d unlocks, not %d", p, have[trace.Lock], have[trace.Unlock], 3*steps)
		}
	}
	if have := counts(k, 0); have[trace.Fork] != threads+2 || have[trace.Join] != threads+1 {
		t.Errorf("main has %d forks and %d joins", have[trace.Fork], have[trace.Join])
	}
	order, stuck := inOrder(k, rec.Procs, trace.Signal)
	if stuck > 0 {
		t.Fatalf("%d processors cannot end", stuck)
	}
	for _, what := range []string{"w", "t"} {
		if want := logged(out, what); !slices.ContainsFunc(slices.Collect(maps.Values(order)), func(have []trace.Proc) bool { return slices.Equal(have, want) }) {
			t.Errorf("no object has the order of %q in the program's log, %v: %v", what, want, order)
		}
	}
}

// logged returns the processors of the lines of a program's log that begin with a word.
func logged(out, what string) (procs []trace.Proc) {
	for line := range strings.Lines(out) {
		if rest, ok := strings.CutPrefix(line, what+" "); ok {
			var p trace.Proc
			fmt.Sscan(rest, &p)
			procs = append(procs, p)
		}
	}
	return procs
}

func TestCallsThatAreNotFollowed(t *testing.T) {
	c := newCalls(OfConditions)
	s := &stream{threads: map[uint32]*thread{}}
	for _, m := range []mark{{unfollowedMark, 0, begin, 0}, {unfollowedMark, 0, leave, 0}, {unfollowedMark, 0, begin, 0}, {joinMark, unknownThread, leave, 0},
		{unlockMark, 64, begin, 0}, {barrierMark, 64, begin, 0}} {
		if err := c.mark(s, 0, m); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"1 " + missedBarriers, "2 calls of pthread_cancel are not followed", "1 " + missedJoins, "1 " + missedUnlocks}
	if have := c.notes(); !slices.Equal(have, want) {
		t.Errorf("notes %q, want %q", have, want)
	}
	if err := c.mark(s, 0, mark{Kind: endMark}); err == nil {
		t.Error("a mark of an unknown kind is no error")
	}
}

// marked returns the events of processors after marks of theirs.
func marked(t *testing.T, c *calls, procs uint32, marks ...any) [][]trace.Event {
	t.Helper()
	s := &stream{threads: map[uint32]*thread{}}
	for i := 0; i < len(marks); i += 2 {
		if err := c.mark(s, uint32(marks[i].(int)), marks[i+1].(mark)); err != nil {
			t.Fatal(err)
		}
	}
	events := make([][]trace.Event, procs)
	for p := range procs {
		events[p] = s.thread(p).rows.Rows
	}
	return events
}

// TestSemaphores makes a semaphore of value 1, and another at its address. A wait is for the posts that it needs.
func TestSemaphores(t *testing.T) {
	c := newCalls(OfConditions)
	post, take := mark{signalMark, 64, begin, 0}, mark{takeMark, 64, leave, 0}
	events := marked(t, &c, 3, 0, mark{valueMark, 64, only, 1}, 1, take, 0, post, 2, post, 1, take,
		0, mark{valueMark, 64, only, 0}, 0, post, 2, post, 1, take, 1, take, 1, mark{takeMark, 64, leave, math.MaxUint64})
	var tags []int32
	for _, e := range events[1] {
		tags = append(tags, e.Tag)
	}
	if want := []int32{1, 3, 4}; !slices.Equal(tags, want) {
		t.Errorf("waits for %v signals, want %v", tags, want)
	}
}

// TestLockOrders: the user chooses which mutexes have turns. A thread waits for the turn of another, not for its own.
func TestLockOrders(t *testing.T) {
	take, give, wait := mark{lockMark, 64, leave, 0}, mark{unlockMark, 64, begin, 0}, mark{orderMark, 64, only, 0}
	for order, want := range map[LockOrder][]int{OfConditions: {0, 1}, OfAll: {1, 1}, OfNone: {0, 0}} {
		for i, first := range []mark{{Phase: only}, wait} {
			c := newCalls(order)
			events := marked(t, &c, 2, 0, first, 0, take, 0, give, 1, take, 1, give)
			waits := 0
			for _, e := range events[1] {
				if e.Kind == trace.WaitFlag {
					waits++
				}
			}
			if waits != want[i] {
				t.Errorf("%s, condition %v: %d waits, want %d", order, i == 1, waits, want[i])
			}
		}
	}
}

// TestTeamAtOldAddress lets a team meet where a barrier of more threads was, and again after one of it was let go.
func TestTeamAtOldAddress(t *testing.T) {
	c := newCalls(OfConditions)
	meet := mark{barrierMark, 64, begin, 2}
	events := marked(t, &c, 2, 0, mark{membersMark, 64, only, 3}, 0, meet, 1, meet, 0, meet, 0, meet, 1, meet)
	if len(events[0]) != 2 || len(events[1]) != 2 || events[0][0].Group != events[0][1].Group || c.missed[missedCancelled] != 1 {
		t.Errorf("barriers %v", events)
	}
}

// TestPreloadIsC99 compiles the preloaded library with all warnings, by each compiler and for each processor that is there.
func TestPreloadIsC99(t *testing.T) {
	for _, cc := range []string{"gcc", "clang", "aarch64-linux-gnu-gcc"} {
		if _, err := exec.LookPath(cc); err != nil {
			t.Logf("%s is not installed", cc)
			continue
		}
		out, err := exec.Command(cc, "-std=gnu99", "-Wall", "-Werror", "-O2", "-shared", "-fPIC", "-pthread", "-o", filepath.Join(t.TempDir(), "x.so"), "c/preload.c", "-ldl").CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", cc, err, out)
		}
	}
}

// TestCountsAreEqual records twice. What threads do between events is the same.
func TestCountsAreEqual(t *testing.T) {
	threads, openmp := built(t, "threads.c"), built(t, "omp.c", "-fopenmp")
	for _, args := range [][]string{{threads, "3"}, {openmp, "equal"}} {
		first, _, _ := record(t, Options{Args: args})
		second, _, _ := record(t, Options{Args: args})
		for p := trace.Proc(0); p <= 3; p++ {
			compare(t, p, first.events[p], second.events[p])
		}
	}
}

func compare(t *testing.T, p trace.Proc, a, b []trace.Event) {
	t.Helper()
	if len(a) != len(b) {
		t.Fatalf("processor %d has %d and %d events", p, len(a), len(b))
	}
	for i := range a {
		if a[i].Instr != b[i].Instr || a[i].Kind != b[i].Kind || a[i].Refs != b[i].Refs {
			t.Errorf("processor %d, event %d: %v after %d instructions and %d references, and %v after %d and %d", p, i,
				a[i].Kind, a[i].Instr, a[i].Refs, b[i].Kind, b[i].Instr, b[i].Refs)
		}
	}
}

// TestConditions records threads that wait for conditions. Whichever processor goes on first, all end, and take the mutex of
// the condition in the order of the program's log.
func TestConditions(t *testing.T) {
	program := built(t, "cond.c")
	for _, args := range [][]string{{program}, {program, "late"}} {
		k, rec, out := record(t, Options{Args: args})
		sound(t, k, rec)
		order, stuck := inOrder(k, rec.Procs, trace.Lock)
		if stuck > 0 {
			t.Errorf("%d processors cannot end", stuck)
		}
		want := logged(out, "m")
		same := func(have []trace.Proc) bool { return slices.Equal(have, want) }
		if len(args) == 1 && !slices.ContainsFunc(slices.Collect(maps.Values(order)), same) {
			t.Errorf("no mutex has the order of the program's log")
		}
		if n := turns(k, rec.Procs); len(n) != 2 || min(n[0], n[1]) != 0 || max(n[0], n[1]) == 0 {
			t.Errorf("turns of the mutexes: %v", n)
		}
	}
}

// turns counts the locks of each mutex that wait for a flag first.
func turns(k *kept, procs int) (waits []int) {
	of := map[int32]int{}
	for p := range trace.Proc(procs) {
		for i, e := range k.events[p] {
			if e.Kind == trace.Lock && i > 0 && k.events[p][i-1].Kind == trace.WaitFlag {
				of[e.Peer]++
			} else if e.Kind == trace.Lock {
				of[e.Peer] += 0
			}
		}
	}
	return slices.Collect(maps.Values(of))
}
