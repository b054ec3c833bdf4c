package instrument_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"spoor/tracegen/instrument"
	"spoor/tracegen/spmd"
	"spoor/traces/trace"
)

// sends counts what programs send by spmd.Send.
type sends int

func (*sends) Refs(*trace.Refs) error { return nil }

func (s *sends) Events(b *trace.Events) error {
	for _, e := range b.Rows {
		if e.Kind == trace.Send {
			*s++
		}
	}
	return nil
}

// The program of a user's own is built in a form that records, and run.
func Example() {
	ctx := context.Background()
	program, err := instrument.Build(ctx, instrument.Options{Dir: "testdata/heat", Refs: true, Messages: os.Stderr})
	if err != nil {
		log.Fatal(err)
	}
	defer program.Remove()
	var n sends
	result, err := program.Run(ctx, instrument.Run{
		Options: spmd.Options{Procs: 2}, Args: []string{"-size", "8", "-steps", "1"},
		Out: os.Stdout, Err: os.Stderr, Sink: &n,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(result.Recording.Regions), "arrays,", n, "rows sent to neighbours")
	// Output:
	// heat after 1 steps: 150.000000
	// 4 arrays, 2 rows sent to neighbours
}
