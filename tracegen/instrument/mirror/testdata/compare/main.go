// Compare records the three forms of a kernel: it prints the result, instructions
// and references of each.
package main

import (
	"context"
	"fmt"
	"log"
	"slices"

	"example.com/mirrored/kernel"
	"spoor/tracegen/spmd"
	"spoor/traces/trace"
)

type nothing struct{}

func (nothing) Refs(*trace.Refs) error     { return nil }
func (nothing) Events(*trace.Events) error { return nil }

func main() {
	for _, k := range slices.Concat(kernel.All, kernel.Counted, kernel.Recorded) {
		v, err := k.Values(nil)
		if err != nil {
			log.Fatal(err)
		}
		inst := k.Make(v, 2, 1)
		r, err := spmd.Record(context.Background(), spmd.Options{Procs: 2}, inst.Program, nothing{})
		if err != nil {
			log.Fatal(err)
		}
		if err := inst.Verify(); err != nil {
			log.Fatal(err)
		}
		sum := r.Totals[0]
		sum.Instr += r.Totals[1].Instr
		sum.Refs += r.Totals[1].Refs
		fmt.Println(inst.Digest(), uint64(sum.Instr), sum.Refs)
	}
}
