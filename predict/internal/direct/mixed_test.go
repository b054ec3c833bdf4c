package direct

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"spoor/calibrate/machine"
	"spoor/predict/internal/replay"
	"spoor/tracegen/kernel"
	"spoor/tracegen/spmd"
	"spoor/tracegen/tape"
	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// bothOn are machines on which programs share memory and pass messages: messages and lines share a switch, the links of a mesh, or nothing.
func bothOn(t testing.TB) map[string]*machine.Machine {
	smp, err := machine.Parse("smp.toml", []byte(strings.NewReplacer(`"cow"`, `"smp"`, "processors = 1", "processors = 8", "nodes = 1024", "nodes = 1").Replace(head+ports)))
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*machine.Machine{"smp": smp, "cow": targetOf(t, "du2000-cow-8-512k-155m"), "clump": targetOf(t, "du2000-clump-2x4-256k-100m"),
		"mesh": targetOf(t, "spasm-mesh"), "lines": machineOf(t, lines)}
}

// ranMixed runs a program, and replays what it did then.
func ranMixed(t testing.TB, program spmd.Program, procs int, m *machine.Machine) (got, again *replay.Result, did *trace.Memory) {
	t.Helper()
	k := newKept(procs)
	res, err := Simulate(context.Background(), program, m, Options{Options: scope(replay.Both), Procs: procs, Sink: keeper{k}})
	if err != nil {
		t.Fatal(err)
	}
	k.Head.Regions = res.Recording.Regions
	return res.Result, mixedReplay(t, &k.Memory, m), &k.Memory
}

func mixedReplay(t testing.TB, src trace.Source, m *machine.Machine) *replay.Result {
	t.Helper()
	return replayOf(t, src, m, scope(replay.Both))
}

// sameMixed compares runs in all that takes time.
func sameMixed(t *testing.T, what string, got, want *replay.Result) {
	t.Helper()
	for p := range want.Procs {
		g, w := got.Procs[p], want.Procs[p]
		if g.Events, w.Events = 0, 0; g != w {
			t.Errorf("%s: processor %d: %+v, want %+v", what, p, g, w)
		}
	}
	if !reflect.DeepEqual(got.Messages.Ranks, want.Messages.Ranks) || got.Shared != want.Shared || got.Time != want.Time {
		t.Errorf("%s: %+v, want %+v", what, got.Messages.Ranks, want.Messages.Ranks)
	}
}

// Kernels that pass messages, with their references, take as long as a replay of what they did; and if they do not ask for the time, of their recording.
func TestMixedIsReplay(t *testing.T) {
	const procs = 4
	n := 0
	for _, k := range kernel.Recorded {
		if testing.Short() && n == 3 {
			break
		}
		if k.Procs != nil && k.Procs(valuesOf(t, k), procs) != nil {
			continue
		}
		if shares, err := SharesMemory(context.Background(), small(t, k, procs).Program, procs); err != nil || shares {
			continue
		}
		n++
		recording := recordingOf(t, small(t, k, procs).Program, procs)
		for name, m := range bothOn(t) {
			inst := small(t, k, procs)
			got, again, _ := ranMixed(t, inst.Program, procs, m)
			if err := inst.Verify(); err != nil {
				t.Errorf("%s on %s: %v", k.Name, name, err)
			}
			sameMixed(t, k.Name+" on "+name, got, again)
			if k.Name != "pgl" { // polls
				sameMixed(t, k.Name+" recorded, on "+name, got, mixedReplay(t, recording, m))
			}
		}
	}
	if n < testsize.Cases(6, 3) {
		t.Errorf("only %d kernels pass messages", n)
	}
}

// both is a program whose ranks add to a sum under a lock, pass what is there round a ring, and take messages of anybody.
func both(sum *int64) spmd.Program {
	return func(r *spmd.Rank) error {
		n, me := r.Procs(), r.ID()
		token := []int64{int64(me)}
		for range 3 {
			tape.Cur().N += uint64(100 * (me + 1))
			r.Lock(1)
			*sum += token[0]
			tape.Cur().N += 50
			r.Unlock(1)
			q := spmd.Irecv(r, (me+n-1)%n, 2, token[:1:1])
			spmd.Send(r, (me+1)%n, 2, []int64{int64(me)})
			q.Wait()
			r.Barrier()
		}
		if me > 0 {
			spmd.Send(r, 0, 3, token)
			r.WaitFlag(5, 1)
			return nil
		}
		for range n - 1 {
			if _, is := spmd.Iprobe(r, spmd.Any, 3); is {
				tape.Cur().N += 7
			}
			spmd.Recv(r, spmd.Any, 3, token)
			*sum += token[0]
		}
		r.Signal(5)
		return nil
	}
}

func TestMixedProgram(t *testing.T) {
	const procs = 4
	for name, m := range bothOn(t) {
		var first *replay.Result
		for range 2 {
			sum := int64(0)
			got, again, _ := ranMixed(t, both(&sum), procs, m)
			if sum != 3*(0+1+2+3)+(0+1+2) {
				t.Errorf("%s: the ranks add up to %d", name, sum)
			}
			sameMixed(t, name, got, again)
			if first != nil {
				sameMixed(t, name+" again", got, first)
			}
			first = got
			for p := range got.Procs {
				if q := &got.Procs[p]; q.Total() != got.Messages.Ranks[p].Time || q.Messages == 0 {
					t.Errorf("%s: processor %d: %+v, and by its messages until %v", name, p, q.Times, got.Messages.Ranks[p].Time)
				}
			}
		}
	}
}

func TestMixedErrors(t *testing.T) {
	m := machineOf(t, ports)
	run := func(program spmd.Program) error {
		_, err := Simulate(context.Background(), program, m, Options{Options: scope(replay.Both), Procs: 2})
		return err
	}
	broken := errors.New("broken")
	for _, c := range []struct {
		name    string
		program spmd.Program
		want    string
	}{
		{"the program's own", func(r *spmd.Rank) error {
			if spmd.Send(r, r.ID(), 1, []int{1}); r.ID() == 1 {
				return broken
			}
			return nil
		}, "broken"},
		{"a lock and a message", func(r *spmd.Rank) error {
			r.Lock(2)
			if r.ID() == 0 {
				spmd.Recv(r, 1, 4, []int{0})
			} else {
				spmd.Send(r, 0, 4, []int{0})
			}
			r.Unlock(2)
			return nil
		}, "for a message from rank 1 with tag 4; rank 1 (event 0) for lock 2, which processor 0 holds; cycle"},
		{"a test for ever", func(r *spmd.Rank) error {
			q := spmd.Irecv(r, 1-r.ID(), 1, []int{0})
			for _, is := q.Test(); !is; _, is = q.Test() {
			}
			return nil
		}, "while no simulated time passes"},
	} {
		if testing.Short() && c.name == "a test for ever" {
			continue // a million tests
		}
		t.Run(c.name, func(t *testing.T) {
			if err := run(c.program); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// Programs for Mixed are not for the others, which say so.
func TestMixedIsAsked(t *testing.T) {
	sum := int64(0)
	if _, err := Simulate(context.Background(), both(&sum), machineOf(t, ports), Options{Options: scope(replay.Messages), Procs: 2}); !errors.Is(err, ErrSharesMemory) {
		t.Errorf("as one that passes messages: %v", err)
	}
	if _, err := Simulate(context.Background(), both(&sum), machineOf(t, ports), Options{Options: scope(replay.References), Procs: 2}); !errors.Is(err, ErrMessages) {
		t.Errorf("as one that shares memory: %v", err)
	}
}
