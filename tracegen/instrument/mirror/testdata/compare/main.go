// Compare records the three forms of a kernel: it prints the result, instructions
// and references of each.
package main

import (
	"context"
	"fmt"
	"log"

	"example.com/mirrored/kernel"
	"example.com/mirrored/kernel/counted"
	"example.com/mirrored/kernel/recorded"
	"spoor/tracegen/spmd"
	"spoor/tracegen/workload"
	"spoor/traces/trace"
)

type nothing struct{}

func (nothing) Refs(*trace.Refs) error     { return nil }
func (nothing) Events(*trace.Events) error { return nil }

func main() {
	for _, k := range []workload.Kernel{kernel.Scale, counted.Scale, recorded.Scale} {
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
