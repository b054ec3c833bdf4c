package spmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
)

// The environment of a program that calls Main.
const (
	procsVariable = "SPOOR_PROCS" // number of ranks
	seedVariable  = "SPOOR_SEED"  // what Seed returns
)

// Main runs program on every rank, from the main function of a command. By hand
// (`go run .`) it runs at full speed on as many ranks as the environment variable
// SPOOR_PROCS says, or as GOMAXPROCS is; `tracegen --package` runs the same command
// and records it. When the program fails, Main prints the error and exits with
// status 1.
func Main(program Program) {
	err := session(program)
	if err == nil {
		return
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(os.Args[0]), err)
	os.Exit(1)
}

// session is how Main runs the program.
var session = runByHand

// OnMain makes Main hand the program to run instead of running it by hand. It is
// for recorders and simulators, which call it before main starts.
func OnMain(run func(Program) error) { session = run }

func runByHand(program Program) error {
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

// Seed is the seed that the user chose for this run, for the program's own random
// numbers: the environment variable SPOOR_SEED, which tracegen --seed sets, or 1.
func Seed() uint64 {
	seed, err := strconv.ParseUint(os.Getenv(seedVariable), 10, 64)
	if err != nil {
		return 1
	}
	return seed
}
