package recorder

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spoor/traces/trace"
)

func TestOpenMP(t *testing.T) {
	t.Run("gcc", func(t *testing.T) { testOpenMP(t, built(t, "omp.c", "-fopenmp"), 3, 13, 2) })
	t.Run("clang", func(t *testing.T) {
		testOpenMP(t, compiled(t, "clang", "-fopenmp", "-O1", filepath.Join("testdata", "omp.c")), 5, 12, 3)
	})
}

// testOpenMP records the loops, locks and tasks of a program. Compilers differ in their barriers around tasks, and in how a
// copyprivate waits: by a flag (gcc) or two barriers.
func testOpenMP(t *testing.T, program string, locks, signals, tasks int) {
	const threads = 4
	for what, want := range map[string]struct {
		out                            string
		barriers, locks, signals, last int // of each thread, and of all
	}{
		"loops": {"28680 0 1 15", 12, 0, 0, 0},
		"equal": {"20 0 0 50", 5 * 4, 5, 0, 0},
		"locks": {"8 330 0 0", locks, 5, signals, 12},
		"tasks": {"20 0 0 0", tasks, 0, 0, 0},
	} {
		k, rec, out := record(t, Options{Args: []string{program, what}})
		sound(t, k, rec)
		if first, _, _ := strings.Cut(out, "\n"); first != want.out || rec.Procs != threads || rec.Status != 0 {
			t.Errorf("%s: output %q, want %q; %d processors, status %d", what, first, want.out, rec.Procs, rec.Status)
		}
		signals := 0
		for p := range trace.Proc(threads) {
			have := counts(k, p)
			signals += have[trace.Signal]
			if have[trace.Barrier] != want.barriers || have[trace.Lock] != want.locks || have[trace.Unlock] != want.locks {
				t.Errorf("%s: processor %d has %d barriers, %d locks and %d unlocks; want %d and %d", what, p,
					have[trace.Barrier], have[trace.Lock], have[trace.Unlock], want.barriers, want.locks)
			}
		}
		if signals != want.signals {
			t.Errorf("%s: %d signals, want %d", what, signals, want.signals)
		}
		order, stuck := inOrder(k, threads, trace.Signal)
		if log := logged(out, "o"); stuck > 0 || want.last > 0 && !slices.ContainsFunc(slices.Collect(maps.Values(order)), func(have []trace.Proc) bool { return slices.Equal(have, log) }) {
			t.Errorf("%s: %d processors cannot end; ordered parts %v, want %v", what, stuck, order, log)
		}
	}
}

// TestOpenMPKeepsOrder records critical parts in critical parts, with the order of all locks.
func TestOpenMPKeepsOrder(t *testing.T) {
	t.Run("gcc", func(t *testing.T) { testOpenMPOrder(t, built(t, "omp.c", "-fopenmp")) })
	t.Run("clang", func(t *testing.T) {
		testOpenMPOrder(t, compiled(t, "clang", "-fopenmp", "-O1", filepath.Join("testdata", "omp.c")))
	})
}

func testOpenMPOrder(t *testing.T, program string) {
	k, rec, out := record(t, Options{Args: []string{program, "critical"}, Locks: OfAll})
	sound(t, k, rec)
	order, stuck := inOrder(k, rec.Procs, trace.Lock)
	if log := logged(out, "o"); stuck > 0 || len(order) != 2 {
		t.Errorf("%d processors cannot end; locks %v", stuck, order)
	} else {
		for lock, have := range order {
			if !slices.Equal(have, log) {
				t.Errorf("lock %d was taken by %v, want %v", lock, have, log)
			}
		}
	}
}

// TestOpenMPIsQuiet records a thread that waits for long in a barrier, and one that has no task: only work is recorded.
func TestOpenMPIsQuiet(t *testing.T) {
	t.Run("gcc", func(t *testing.T) { testQuiet(t, built(t, "omp_waits.c", "-fopenmp"), 400) })
	t.Run("clang", func(t *testing.T) {
		testQuiet(t, compiled(t, "clang", "-fopenmp", "-O1", filepath.Join("testdata", "omp_waits.c")), 4000)
	})
}

func testQuiet(t *testing.T, program string, most uint64) {
	k, rec, _ := record(t, Options{Args: []string{program}})
	sound(t, k, rec)
	for p := trace.Proc(1); p < 3; p++ {
		n := uint64(0)
		for _, e := range k.events[p] {
			n += uint64(e.Instr)
		}
		if n > most {
			t.Errorf("processor %d has %d instructions", p, n)
		}
	}
}
