package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"spoor/traces/store"
	"spoor/traces/trace"
)

func Example() {
	dir, err := os.MkdirTemp("", "random")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	prefix := filepath.Join(dir, "seven")
	if err := run([]string{"--seed", "7", "--procs", "2", "--references", "1000", "-o", prefix}, io.Discard); err != nil {
		panic(err)
	}
	t, err := store.Open(prefix)
	if err != nil {
		panic(err)
	}
	defer t.Close()
	fmt.Println(t.Header().Title())
	// Output: random seed=7 references=1000
}

// Random programs are valid: all locks are released, all flags are signalled and all messages match. They have about the references
// that are asked for, and the same seed gives the same bytes.
func TestRandomProgramsAreValid(t *testing.T) {
	for seed := range uint64(30) {
		messages := seed%2 == 1
		prefix := filepath.Join(t.TempDir(), "random")
		if err := write(prefix, generate(seed, 0, 3000, messages)); err != nil {
			t.Fatal(err)
		}
		tr, err := store.Open(prefix)
		if err != nil {
			t.Fatal(err)
		}
		if err := trace.Check(tr); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		procs, refs := tr.Header().Procs, 0
		for p := range procs {
			refs += int(tr.Totals(trace.Proc(p)).Refs)
		}
		// Each processor has a reference in each round, of which there may be 64 in ten phases.
		if procs < 2 || procs > 16 || refs < 1500 || refs > 3000+64*10*16*60 {
			t.Errorf("seed %d: %d processors, %d references", seed, procs, refs)
		}
		tr.Close()
		first := bytesOf(t, prefix)
		if err := write(prefix, generate(seed, 0, 3000, messages)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first, bytesOf(t, prefix)) {
			t.Errorf("seed %d gives other bytes again", seed)
		}
	}
}

func bytesOf(t *testing.T, prefix string) (all []byte) {
	for _, suffix := range []string{store.RefsSuffix, store.EventsSuffix} {
		text, err := os.ReadFile(prefix + suffix)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text...)
	}
	return all
}

// Without messages programs share memory and have locks, flags and barriers. With messages they share nothing.
func TestRandomProgramsDiffer(t *testing.T) {
	for _, messages := range []bool{false, true} {
		t.Run(fmt.Sprint("messages ", messages), func(t *testing.T) {
			kinds, shared := map[trace.Kind]int{}, 0
			for seed := range uint64(40) {
				users := map[uint64]int{}
				for p, q := range generate(seed, 4, 2000, messages).processors {
					for _, e := range q.events {
						kinds[e.Kind]++
					}
					for _, a := range q.refs.Addr {
						if u, used := users[a/64]; used && u != p {
							shared++
						}
						users[a/64] = p
					}
				}
			}
			want := []trace.Kind{trace.Barrier, trace.Lock, trace.Unlock, trace.Signal, trace.WaitFlag}
			if messages {
				want = []trace.Kind{trace.Barrier, trace.Send, trace.Recv, trace.Irecv, trace.Wait, trace.AllReduce, trace.AllToAll, trace.Bcast}
			}
			for _, k := range want {
				if kinds[k] == 0 {
					t.Errorf("there is no %v", k)
				}
			}
			if len(kinds) != len(want) || (shared == 0) != messages {
				t.Errorf("%v, %d shared lines", kinds, shared)
			}
		})
	}
}

func TestWrongUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"-o", "x", "y"}, {"-o", "x", "--procs", "1"}, {"-o", "x", "--procs", "65"}, {"-o", "x", "--references", "99"}, {"--what"}} {
		t.Run(fmt.Sprint(args), func(t *testing.T) {
			var usage usageError
			if err := run(args, io.Discard); !errors.As(err, &usage) {
				t.Error(err)
			}
		})
	}
	if err := run([]string{"--help"}, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Error(err)
	}
	if err := run([]string{"-o", filepath.Join(t.TempDir(), "no", "folder")}, io.Discard); err == nil {
		t.Error("a folder that is missing is taken")
	}
}
