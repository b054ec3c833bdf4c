package direct

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"spoor/predict/internal/replay"
	"spoor/tracegen/kernel"
	"spoor/tracegen/spmd"
	"spoor/tracegen/tape"
	"spoor/traces/testsize"
)

// load and store are references of the rank that runs, as instrumented code makes them.
func load(p *int64) int64 {
	tape.Cur().Work(1)
	tape.Cur().Range(unsafe.Pointer(p), 8, false)
	return *p
}

func store(p *int64, v int64) {
	tape.Cur().Work(1)
	tape.Cur().Range(unsafe.Pointer(p), 8, true)
	*p = v
}

func kernelNamed(t testing.TB, name string) kernel.Kernel {
	t.Helper()
	k, err := kernel.Find(kernel.Recorded, name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// taskSize is what a task of the farm takes.
func taskSize(task int) uint64 { return uint64(1000 + task*task%7*4000) }

// farm takes tasks from a queue, and notes who had which.
func farm(tasks int, by []int) spmd.Program {
	first := make([]int, tasks)
	for i := range first {
		first[i] = i
	}
	return func(r *spmd.Rank) error {
		data := spmd.Alloc[int64](r, "data", 512*r.Procs())
		own := data[512*r.ID() : 512*(r.ID()+1)]
		queue := spmd.NewQueue(r, "tasks", tasks, first...)
		for {
			task, ok := queue.Take(r)
			if !ok {
				return nil
			}
			by[task] = r.ID()
			for i := range own {
				store(&own[i], load(&own[i])+1)
			}
			work(taskSize(task))
		}
	}
}

// Who gets which task is decided on each machine, and not as it was recorded: every task is done once, and
// machines do not agree.
func TestTasksAreDecidedByTheMachine(t *testing.T) {
	const procs, tasks = 4, 40
	recorded := make([]int, tasks)
	recordingOf(t, farm(tasks, recorded), procs)
	seen := map[string]bool{}
	for _, name := range targets {
		by := make([]int, tasks)
		for i := range by {
			by[i] = -1
		}
		got, did := ranOn(t, farm(tasks, by), procs, targetOf(t, name))
		if want := replayedOn(t, did, targetOf(t, name)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, and %v replayed", name, got.Time, want.Time)
		}
		if !got.TaskQueues || strings.Contains(fmt.Sprint(by), "-1") {
			t.Errorf("%s: tasks by %v", name, by)
		}
		if slices.Equal(by, recorded) {
			t.Errorf("%s: tasks by %v, as recorded", name, by)
		}
		seen[fmt.Sprint(by)] = true
	}
	if len(seen) < len(targets)/2 {
		t.Errorf("only %d assignments on %d machines", len(seen), len(targets))
	}
}

// The factor is right whoever computes which part of it, and others compute it than in the recording.
func TestCholesky(t *testing.T) {
	const procs = 4
	k := kernelNamed(t, "cholesky")
	recording := recordingOf(t, small(t, k, procs).Program, procs)
	digest := ""
	for _, name := range targets {
		inst := small(t, k, procs)
		_, did := ranOn(t, inst.Program, procs, targetOf(t, name))
		if err := inst.Verify(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if digest == "" {
			digest = inst.Digest()
		}
		if inst.Digest() != digest {
			t.Errorf("%s: another factor", name)
		}
		if name != "spasm-pram" && reflect.DeepEqual(did.RefsOf, recording.RefsOf) { // a recording is of an ideal machine, too
			t.Errorf("%s: the tasks are as recorded", name)
		}
	}
}

// Runs are equal, on any number of processors of this host.
func TestMemoryIsDeterministic(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, name := range timed {
		t.Run(name, func(t *testing.T) {
			k := kernelNamed(t, name)
			first, did := ranOn(t, small(t, k, 4).Program, 4, targetOf(t, "spasm-mesh"))
			for _, host := range []int{1, 7, 2}[:testsize.Cases(3, 1)] {
				runtime.GOMAXPROCS(host)
				got, again := ranOn(t, small(t, k, 4).Program, 4, targetOf(t, "spasm-mesh"))
				if !reflect.DeepEqual(got, first) || !reflect.DeepEqual(again, did) {
					t.Errorf("%s with GOMAXPROCS %d: %v, before %v", name, host, got.Time, first.Time)
				}
			}
		})
	}
}

// A clock tells simulated time.
func TestMemoryClock(t *testing.T) {
	m := targetOf(t, "spasm-mesh-clogp")
	var at [4]time.Duration
	res, _ := ranOn(t, func(r *spmd.Rank) error {
		work(100)
		at[0] = r.Clock()
		if r.ID() == 0 {
			work(900)
		}
		r.Barrier()
		at[1+r.ID()] = r.Stamp().Time()
		x := spmd.Alloc[int64](r, "x", 1, spmd.Homes(0))
		if r.ID() == 0 {
			store(&x[0], 1)
			store(&x[0], 1)
			at[3] = r.Clock()
		}
		return nil
	}, 2, m)
	clock, err := replay.ClockOf(m)
	if err != nil {
		t.Fatal(err)
	}
	miss := m.At(m.Memory.Latency).Picos()
	want := [4]time.Duration{duration(clock.At(100, 0)), duration(clock.At(1000, 0)), duration(clock.At(1000, 0)), duration(clock.At(1002, 2) + miss)}
	if at != want {
		t.Errorf("clocks %v, want %v (%v)", at, want, res.Time)
	}
}

// What cannot go on says why.
func TestMemoryErrors(t *testing.T) {
	for _, c := range []struct {
		want    string
		program spmd.Program
	}{
		{"rank 1: rotten", func(r *spmd.Rank) error {
			if r.ID() == 1 {
				return errors.New("rotten")
			}
			r.Barrier()
			return nil
		}},
		{"panic at memory_sensitive_test.go", func(r *spmd.Rank) error { panic("no") }},
		{"deadlock, 2 of 2 processors wait forever: processor 0 (event 0, after 1 references) waits for 1 signals of flag 3, which has 0; processor 1 (event 0, after 1 references) waits at barrier 0, where 1 of 2 are",
			func(r *spmd.Rank) error {
				load(&spmd.Alloc[int64](r, "x", 1)[0])
				if r.ID() == 0 {
					r.WaitFlag(3, 1)
				}
				r.Barrier()
				return nil
			}},
		{"waits for lock 5, which processor 0 holds", func(r *spmd.Rank) error {
			if r.ID() == 0 {
				r.Lock(5)
				r.WaitFlag(0, 1)
			}
			work(1000)
			r.Lock(5)
			return nil
		}},
		{"rank 0: repeats clock 65536 times while no simulated time passes", func(r *spmd.Rank) error {
			for r.ID() == 0 && r.Clock() < time.Second {
			}
			return nil
		}},
		{"rank 0: the program passes messages", func(r *spmd.Rank) error {
			spmd.Send(r, 1-r.ID(), 0, []int{1})
			return nil
		}},
	} {
		_, err := Simulate(context.Background(), c.program, targetOf(t, "spasm-mesh"), Options{Options: scope(replay.References), Procs: 2})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if _, err := Simulate(context.Background(), nil, targetOf(t, "spasm-mesh"), Options{Options: scope(replay.References), Procs: 2000}); err == nil {
		t.Error("more ranks than processors")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	forever := func(r *spmd.Rank) error {
		for x := spmd.Alloc[int64](r, "x", 1); ; {
			load(&x[0])
		}
	}
	if _, err := Simulate(ctx, forever, targetOf(t, "spasm-mesh"), Options{Options: scope(replay.References), Procs: 2}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A rank that waits for another one by looking at memory does not wait for ever.
func TestSpinning(t *testing.T) {
	ranOn(t, func(r *spmd.Rank) error {
		x := spmd.Alloc[int64](r, "x", 1)
		if r.ID() == 1 {
			store(&x[0], 1)
		}
		for load(&x[0]) == 0 {
		}
		return nil
	}, 2, targetOf(t, "du2000-smp-256k"))
}

// Programs take as long as a replay of what they did, whatever they do.
func FuzzMemoryIsReplay(f *testing.F) {
	for seed := range uint64(4 * len(targets)) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		m, procs := targetOf(t, targets[seed%uint64(len(targets))]), 1+int(seed/uint64(len(targets))%4)
		got, did := ranOn(t, randomSharing(seed), procs, m)
		if want := replayedOn(t, did, m); !reflect.DeepEqual(got, want) {
			t.Errorf("%v, and %v replayed", got.Time, want.Time)
		}
	})
}

// randomSharing works in rounds on parts of an array, counters with locks, flags and tasks. What it does
// depends on what it finds.
func randomSharing(seed uint64) spmd.Program {
	return func(r *spmd.Rank) error {
		all := rand.New(rand.NewPCG(seed, 0)) // of all ranks alike
		own := rand.New(rand.NewPCG(seed, uint64(r.ID()+1)))
		const cells, counters = 1 << 10, 5
		array := spmd.Alloc[int64](r, "array", cells*r.Procs(), spmd.Blocked())
		counter := spmd.Alloc[int64](r, "counters", counters)
		queue := spmd.NewQueue[int64](r, "tasks", 1<<12)
		for round := range 4 {
			part := (r.ID() + round) % r.Procs()
			for range own.IntN(300) {
				x := &array[part*cells+own.IntN(cells)]
				store(x, load(x)+1)
				work(uint64(own.IntN(20)))
			}
			for range own.IntN(10) {
				c := own.IntN(counters)
				r.Lock(int32(c))
				n := load(&counter[c])
				store(&counter[c], n+1)
				r.Unlock(int32(c))
				work(uint64(n) * 50 % 700)
			}
			if all.IntN(2) == 0 {
				r.Signal(7)
				r.Signal(int32(8 + round))
				r.WaitFlag(int32(8+round), 1+own.IntN(r.Procs()))
			}
			for task := range own.Int64N(8) {
				queue.Put(r, task)
			}
			for {
				task, ok := queue.Take(r)
				if !ok {
					break
				}
				work(uint64(task) * 300)
				if x := &array[part*cells+int(task)]; load(x)%5 == 0 {
					queue.Put(r, task/2+1)
					store(x, 1)
				}
			}
			r.Barrier()
		}
		return nil
	}
}
