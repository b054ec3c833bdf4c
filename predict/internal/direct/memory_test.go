package direct

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"spoor/calibrate/machine"
	"spoor/predict/internal/memsys"
	"spoor/predict/internal/replay"
	"spoor/tracegen/kernel"
	"spoor/tracegen/spmd"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// targets are machines, one of each target at least.
var targets = []string{"du2000-smp-256k", "example-server", "du2000-cow-8-512k-155m", "du2000-clump-4x2-512k-155m",
	"spasm-mesh", "spasm-mesh-logp", "spasm-mesh-clogp", "../../predict/internal/direct/testdata/dir1sw", "spasm-pram"}

func targetOf(t testing.TB, name string) *machine.Machine {
	t.Helper()
	m, err := machine.Read(filepath.Join("..", "..", "..", "data", "machine", name+".toml"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// There is one of every target.
func TestTargets(t *testing.T) {
	for _, target := range memsys.All {
		if !slices.ContainsFunc(targets, func(name string) bool { return string(targetOf(t, name).System.Target) == target.Name() }) {
			t.Errorf("no machine is a %s", target.Name())
		}
	}
}

// kept is a recording in memory.
type kept struct{ trace.Memory }

func newKept(procs int) *kept {
	k := &kept{trace.Memory{Head: trace.Header{Procs: procs, WorkUnit: trace.WorkInstr},
		RefsOf: make([]trace.Refs, procs), EventsOf: make([]trace.Events, procs)}}
	for p := range trace.Proc(procs) {
		k.RefsOf[p].Proc, k.EventsOf[p].Proc = p, p
	}
	return k
}

// keeper lets kept be a sink: a source has methods of the same names.
type keeper struct{ *kept }

func (k keeper) Refs(b *trace.Refs) error {
	of := &k.RefsOf[b.Proc]
	of.Instr, of.Addr = append(of.Instr, b.Instr...), append(of.Addr, b.Addr...)
	of.Size, of.Op = append(of.Size, b.Size...), append(of.Op, b.Op...)
	return nil
}

func (k keeper) Events(b *trace.Events) error {
	of := &k.EventsOf[b.Proc]
	of.Rows = append(of.Rows, b.Rows...)
	return nil
}

// recordingOf is what program does when it is recorded.
func recordingOf(t testing.TB, program spmd.Program, procs int) *trace.Memory {
	t.Helper()
	k := newKept(procs)
	rec, err := spmd.Record(context.Background(), spmd.Options{Procs: procs}, program, keeper{k})
	if err != nil {
		t.Fatal(err)
	}
	k.Head.Regions = byBase(rec.Regions)
	return &k.Memory
}

// byBase are regions in the order of their addresses. Which processor uses an array first depends on time.
func byBase(regions []trace.Region) []trace.Region {
	return slices.SortedFunc(slices.Values(regions), func(a, b trace.Region) int { return cmp.Compare(a.Base, b.Base) })
}

// scope is the options that have no others.
func scope(s replay.Scope) replay.Options { return replay.Options{Scope: s} }

// replayOf is a replay.
func replayOf(t testing.TB, src trace.Source, m *machine.Machine, opt replay.Options) *replay.Result {
	t.Helper()
	s, err := replay.Scan(src)
	if err != nil {
		t.Fatal(err)
	}
	res, err := replay.Simulate(context.Background(), src, s, m, opt)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// replayedOn is what a replay says, without the warnings: those of queues are of replays alone.
func replayedOn(t testing.TB, src trace.Source, m *machine.Machine) *replay.Result {
	t.Helper()
	res := replayOf(t, src, m, replay.Options{Scope: replay.References, Phases: true})
	res.Warnings = nil
	return res
}

// ranOn runs program directly, and is what it did then, too.
func ranOn(t testing.TB, program spmd.Program, procs int, m *machine.Machine) (*replay.Result, *trace.Memory) {
	t.Helper()
	k := newKept(procs)
	res, err := Simulate(context.Background(), program, m, Options{Procs: procs, Sink: keeper{k}, Options: replay.Options{Scope: replay.References, Phases: true}})
	if err != nil {
		t.Fatal(err)
	}
	k.Head.Regions = byBase(res.Recording.Regions)
	res.Warnings = nil
	return res.Result, &k.Memory
}

// smaller are values of kernels whose small ones make many references.
var smaller = map[string]kernel.Values{"edge": {"size": 15}, "appbt": {"size": 6, "iterations": 1}, "tomcatv": {"size": 20, "iterations": 3},
	"lu": {"n": 48}, "radix": {"keys": 4000}, "sparse": {"n": 24}, "water": {"molecules": 8},
	"tpcc": {"warehouses": 1, "transactions": 30, "items": 200, "customers": 30}}

func valuesOf(t testing.TB, k kernel.Kernel) kernel.Values {
	t.Helper()
	set, ok := smaller[k.Name]
	if !ok {
		set = k.Small
	}
	v, err := k.Values(set)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// small is a short run of a kernel.
func small(t testing.TB, k kernel.Kernel, procs int) kernel.Instance {
	t.Helper()
	inst, err := k.New(valuesOf(t, k), procs, 1)
	if err != nil {
		t.Fatal(err)
	}
	return inst
}

// sharing are the kernels that share memory.
func sharing(t testing.TB, procs int) (all []kernel.Kernel) {
	t.Helper()
	for _, k := range kernel.Recorded {
		if k.Procs != nil && k.Procs(valuesOf(t, k), procs) != nil {
			continue
		}
		_, err := Simulate(context.Background(), small(t, k, procs).Program, targetOf(t, targets[1]), Options{Options: scope(replay.References), Procs: procs})
		switch {
		case err == nil:
			all = append(all, k)
		case !errors.Is(err, ErrMessages):
			t.Fatalf("%s: %v", k.Name, err)
		}
	}
	return all
}

// timed are the kernels whose work depends on timing, and on what: who gets a task of the queue, which
// order the transactions on a row come in, who finds a cell of the tree.
var timed = []string{"cholesky", "tpcc", "barnes"}

// What a kernel does directly takes as long as a replay of what it did; and if time decides nothing, of its
// recording. Its result is right.
func TestMemoryIsReplay(t *testing.T) {
	const procs = 4
	kernels := sharing(t, procs)
	for _, k := range kernels {
		recording := recordingOf(t, small(t, k, procs).Program, procs)
		for _, name := range targets[:testsize.Cases(len(targets), 1)] {
			m, inst := targetOf(t, name), small(t, k, procs)
			got, did := ranOn(t, inst.Program, procs, m)
			if err := inst.Verify(); err != nil {
				t.Errorf("%s on %s: %v", k.Name, name, err)
			}
			if !slices.Contains(timed, k.Name) {
				if !reflect.DeepEqual(did, recording) {
					t.Errorf("%s on %s: it is not the program that was recorded", k.Name, name)
				}
				did = recording
			}
			if want := replayedOn(t, did, m); !reflect.DeepEqual(got, want) {
				t.Errorf("%s on %s: %v, and %v replayed", k.Name, name, got.Time, want.Time)
			}
		}
	}
	if len(kernels) < 12 {
		t.Errorf("only %d kernels share memory", len(kernels))
	}
}

// Every kernel is one for Memory or for Run, and says so.
func TestSharesMemory(t *testing.T) {
	for i := 0; i < len(kernel.Recorded); i += testsize.Cases(1, 3) {
		k := kernel.Recorded[i]
		const procs = 4
		if k.Procs != nil && k.Procs(valuesOf(t, k), procs) != nil {
			continue
		}
		shares, err := SharesMemory(context.Background(), small(t, k, procs).Program, procs)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Simulate(context.Background(), small(t, k, procs).Program, machineOf(t, ports), Options{Options: scope(replay.Messages), Procs: procs})
		if shares == (err == nil) {
			t.Errorf("%s: shares %v, and as a program that passes messages: %v", k.Name, shares, err)
		}
	}
}
