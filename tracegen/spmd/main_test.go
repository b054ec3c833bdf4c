package spmd

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
)

func TestByHandTheEnvironmentSaysHowManyRanks(t *testing.T) {
	for _, c := range []struct {
		procs string
		ranks int64
		want  string
	}{
		{"3", 3, ""},
		{"1", 1, ""},
		{"0", 0, "procs=0 is out of range; 1 to 4096"},
		{"many", 0, `SPOOR_PROCS="many" is not a number of ranks`},
		{"", 0, `SPOOR_PROCS="" is not a number of ranks`},
	} {
		t.Run(fmt.Sprintf("%v %v", c.procs, c.ranks), func(t *testing.T) {
			t.Setenv(procsVariable, c.procs)
			var ranks atomic.Int64
			err := runNative(func(*Rank) error { ranks.Add(1); return nil })
			if ranks.Load() != c.ranks || (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("SPOOR_PROCS=%q: %d ranks, %v", c.procs, ranks.Load(), err)
			}
		})
	}
}

func TestSeedIsOneUnlessChosen(t *testing.T) {
	for text, want := range map[string]uint64{"": 1, "7": 7, "18446744073709551615": 1<<64 - 1, "-1": 1} {
		t.Run(text, func(t *testing.T) {
			t.Setenv(seedVariable, text)
			if got := Seed(); got != want {
				t.Errorf("SPOOR_SEED=%q: seed %d, want %d", text, got, want)
			}
		})
	}
}

func TestMainHandsTheProgramToWhoeverAsks(t *testing.T) {
	defer OnMain(runner)
	var got Program
	OnMain(func(p Program) error { got = p; return nil })
	Main(func(*Rank) error { return nil })
	if got == nil {
		t.Error("Main ran the program itself")
	}
}

// A program that fails ends the process with status 1 and says why.
func TestMainExitsWithStatusOne(t *testing.T) {
	if os.Getenv("SPOOR_TEST_MAIN") != "" {
		Main(func(*Rank) error { return errors.New("no more heat") })
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestMainExitsWithStatusOne$")
	cmd.Env = append(os.Environ(), "SPOOR_TEST_MAIN=1", "SPOOR_PROCS=2")
	var errs strings.Builder
	cmd.Stderr = &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("status: %v", err)
	}
	if want := "rank 0: no more heat"; !strings.Contains(errs.String(), want) || strings.Count(errs.String(), "\n") != 1 {
		t.Errorf("standard error %q, want a line with %q", errs.String(), want)
	}
}
