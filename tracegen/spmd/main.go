package spmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
)

// Environment variables of a program that calls Main.
const (
	procsVariable = "SPOOR_PROCS" // number of ranks
	seedVariable  = "SPOOR_SEED"  // result of Seed
)

// Main runs program on every rank, from the main function of a command. `go run .` runs it at full speed. The
// number of ranks is the environment variable SPOOR_PROCS, or GOMAXPROCS if it is not set. `tracegen --package`
// runs the same command and records it. If the program fails, Main prints the error and exits with status 1.
func Main(program Program) {
	err := runner(program)
	if err == nil {
		return
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(os.Args[0]), err)
	os.Exit(1)
}

// runner is what Main calls to run the program.
var runner = runNative

// OnMain makes Main pass the program to run, instead of running it natively. Recorders and simulators call OnMain
// before main starts.
func OnMain(run func(Program) error) { runner = run }

func runNative(program Program) error {
	procs := runtime.GOMAXPROCS(0)
	if text, ok := os.LookupEnv(procsVariable); ok {
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("the variable %s=%q is not a number of ranks", procsVariable, text)
		}
		procs = n
	}
	return Native(context.Background(), procs, program)
}

// Seed returns the seed that the user chose for this run, for the program's own random numbers. It is the
// environment variable SPOOR_SEED, which tracegen --seed sets, or 1.
func Seed() uint64 {
	seed, err := strconv.ParseUint(os.Getenv(seedVariable), 10, 64)
	if err != nil {
		return 1
	}
	return seed
}
