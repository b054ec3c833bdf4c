package spmd

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"spoor/traces/testsize"
	"spoor/traces/trace"
)

// TestRecordIsTheNaiveMachine compares what ranks see, and when.
func TestRecordIsTheNaiveMachine(t *testing.T) {
	for seed := range testsize.Cases[uint64](8000, 300) {
		rng := rand.New(rand.NewPCG(seed, 9))
		program := randomSteps(rng, 1+rng.IntN(5))
		if err := againstNaive(program); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// againstNaive records a program and says where it differs from the naive machine.
func againstNaive(program [][]step) error {
	want := newNaive(program).run()
	got := make([][]string, len(program))
	s := newScheduler()
	_, err := Run(context.Background(), Options{Procs: len(program)}, func(r *Rank) error {
		perform(r, program[r.ID()], &got[r.ID()], func() uint64 { return s.ranks[r.ID()].clock() })
		return nil
	}, s, nil)
	if !legal(err) {
		return err
	}
	for rank := range program {
		if !slices.Equal(got[rank], want[rank]) {
			return fmt.Errorf("rank %d of %d\ndid\n%s\nand should have done\n%s\n(%v)\nall: %v", rank, len(program),
				strings.Join(got[rank], "\n"), strings.Join(want[rank], "\n"), err, program)
		}
	}
	return nil
}

// legal reports whether a random program may end so.
func legal(err error) bool {
	return err == nil || strings.HasPrefix(err.Error(), "deadlock: ") || strings.Contains(err.Error(), ": finished without receiving ")
}

// choices makes a program out of the bytes of a fuzzer.
type choices struct {
	bytes []byte
	then  *rand.PCG
}

func (c *choices) Uint64() uint64 {
	if len(c.bytes) == 0 {
		return c.then.Uint64()
	}
	var word [8]byte
	n := copy(word[:], c.bytes[:min(2, len(c.bytes))])
	c.bytes = c.bytes[n:]
	return binary.LittleEndian.Uint64(word[:]) << 48
}

// FuzzMessages holds random programs of all operations to the naive machine, their
// recordings to the rules of traces and to themselves at another GOMAXPROCS, and
// what natively happens to what is recorded where time has no say.
func FuzzMessages(f *testing.F) {
	f.Add([]byte("one and two and three and four"), uint64(1))
	f.Add([]byte{}, uint64(2))
	f.Fuzz(func(t *testing.T, code []byte, seed uint64) {
		rng := rand.New(&choices{code, rand.NewPCG(seed, 1)})
		program := randomSteps(rng, 1+rng.IntN(5))
		if err := checkProgram(program); err != nil {
			t.Fatal(err)
		}
	})
}

func TestRandomPrograms(t *testing.T) {
	for seed := range testsize.Cases[uint64](200, 40) {
		rng := rand.New(rand.NewPCG(seed, 77))
		if err := checkProgram(randomSteps(rng, 1+rng.IntN(5))); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func checkProgram(program [][]step) error {
	if err := againstNaive(program); err != nil {
		return err
	}
	clocked, err := recordSteps(program)
	if err == nil {
		clocked.Head.WorkUnit = trace.WorkInstr
		err = trace.Check(&clocked.Memory)
	}
	if !legal(err) {
		return err
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	again, _ := recordSteps(program)
	if a, b := fmt.Sprint(clocked.EventsOf), fmt.Sprint(again.EventsOf); a != b {
		return fmt.Errorf("recordings differ:\n%s\n%s", a, b)
	}
	return againstNative(program)
}

func recordSteps(program [][]step) (*keep, error) {
	k := newKeep(len(program))
	_, err := Record(context.Background(), Options{Procs: len(program)}, func(r *Rank) error {
		var log []string
		perform(r, program[r.ID()], &log, func() uint64 { return 0 })
		return nil
	}, k)
	return k, err
}

// againstNative runs a program natively. If it has neither wildcards nor polls,
// ranks see what they see in a recording.
func againstNative(program [][]step) error {
	logs := [2][][]string{make([][]string, len(program)), make([][]string, len(program))}
	var errs [2]error
	for i, b := range backends {
		errs[i] = b.run(context.Background(), len(program), func(r *Rank) error {
			perform(r, program[r.ID()], &logs[i][r.ID()], func() uint64 { return 0 })
			return nil
		})
		if !legal(errs[i]) {
			return fmt.Errorf("%s: %w", b.name, errs[i])
		}
	}
	for _, steps := range program {
		for _, s := range steps {
			if s.kind == trace.Test || s.kind == trace.Iprobe || s.kind == trace.Clock || s.kind == trace.Lock || len(s.requests) > 1 ||
				s.kind != trace.Barrier && s.peer == Any {
				return nil
			}
		}
	}
	if native, recorded := fmt.Sprint(logs[0], errs[0]), fmt.Sprint(logs[1], errs[1]); native != recorded {
		return fmt.Errorf("native and recorded runs differ:\n%s\n%s", native, recorded)
	}
	return nil
}
